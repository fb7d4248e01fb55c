use json_tree::Ids;

/// The positions of messages, by slots that stay valid when messages are inserted. An insertion increments the positions behind it, which is cheaper
/// than looking up every id again.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageSlots {
    by_id: Ids,
    positions: Vec<u32>,
}

impl MessageSlots {
    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.find(id)
    }

    pub(super) fn position(&self, slot: usize) -> usize {
        self.positions[slot] as usize
    }

    /// Inserts a message at a position and moves the later ones by one. Returns its slot.
    pub(super) fn add(&mut self, position: usize) -> usize {
        let added = position as u32;
        if position < self.positions.len() {
            self.positions.iter_mut().for_each(|it| *it += u32::from(*it >= added));
        }
        self.positions.push(added);
        self.positions.len() - 1
    }

    pub(super) fn name(&mut self, slot: usize, id: &str) {
        self.by_id.put(id, slot);
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.by_id.remove(id);
    }
}
