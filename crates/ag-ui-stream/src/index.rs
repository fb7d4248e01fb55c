//! Ids and what they stand for.

/// Numbers by id, such as positions in a list: ids in their order, in blocks of a bounded length.
///
/// A map of the standard library is code of its own for each type. This one is small, and no id that an agent chooses makes it slow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// None is empty.
    blocks: Vec<Block>,
}

type Block = Vec<(Box<str>, usize)>;

/// How long a block may become.
const BLOCK: usize = 128;

impl Index {
    pub(crate) fn get(&self, id: &str) -> Option<usize> {
        let block = self.blocks.get(self.block(id))?;
        let at = place(block, id).ok()?;
        block.get(at).map(|(_, number)| *number)
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.get(id).is_some()
    }

    /// True where the id was not there before.
    pub(crate) fn insert(&mut self, id: &str, number: usize) -> bool {
        let at = self.block(id);
        let Some(block) = self.blocks.get_mut(at) else {
            self.blocks.push(vec![(id.into(), number)]);
            return true;
        };
        match place(block, id) {
            Ok(place) => {
                block[place].1 = number;
                return false;
            }
            Err(place) => block.insert(place, (id.into(), number)),
        }
        if block.len() > BLOCK {
            let upper = block.split_off(BLOCK / 2);
            self.blocks.insert(at + 1, upper);
        }
        true
    }

    /// True where the id was there.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let at = self.block(id);
        let Some(block) = self.blocks.get_mut(at) else {
            return false;
        };
        let Ok(place) = place(block, id) else {
            return false;
        };
        block.remove(place);
        if block.is_empty() {
            self.blocks.remove(at);
        }
        true
    }

    pub(crate) fn len(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }

    /// The number of the first id in their order.
    pub(crate) fn first(&self) -> Option<usize> {
        self.blocks.first()?.first().map(|(_, number)| *number)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives each id with its number, in the order of the ids.
    pub(crate) fn each<'i>(&'i self, take: &mut dyn FnMut(&'i str, usize)) {
        for block in &self.blocks {
            for (id, number) in block {
                take(id, *number);
            }
        }
    }

    /// The block that an id is in or would go into.
    fn block(&self, id: &str) -> usize {
        match &*self.blocks {
            [] | [_] => 0,
            blocks => blocks.partition_point(|block| *block[0].0 <= *id).saturating_sub(1),
        }
    }
}

/// Where in its block an id is or would go.
fn place(block: &[(Box<str>, usize)], id: &str) -> Result<usize, usize> {
    block.binary_search_by(|(key, _)| (**key).cmp(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn an_index_is_a_map(steps in prop::collection::vec((0..3_u8, 0..400_usize), 0..2_000)) {
            let (mut index, mut map) = (Index::default(), BTreeMap::new());
            for (step, number) in steps {
                let id = format!("m{number}");
                match step {
                    0 => prop_assert_eq!(index.remove(&id), map.remove(&id).is_some()),
                    _ => prop_assert_eq!(index.insert(&id, number), map.insert(id.clone(), number).is_none()),
                }
                prop_assert_eq!(index.get(&id), map.get(&id).copied());
                prop_assert_eq!((index.len(), index.is_empty()), (map.len(), map.is_empty()));
            }
            let mut entries = Vec::new();
            index.each(&mut |id, number| entries.push((id.to_owned(), number)));
            prop_assert!(entries.into_iter().eq(map));
        }
    }
}
