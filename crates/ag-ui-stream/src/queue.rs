/// A first-in, first-out queue. The standard library's deque is ten times the code.
#[derive(Clone, Debug)]
pub(crate) struct Queue<T> {
    items: Vec<Option<T>>,
    /// The number of items that were taken.
    taken: usize,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { items: Vec::new(), taken: 0 }
    }
}

impl<T> Queue<T> {
    pub(crate) fn push(&mut self, item: T) {
        self.items.push(Some(item));
    }

    pub(crate) fn take(&mut self) -> Option<T> {
        let item = self.items.get_mut(self.taken)?.take();
        self.taken += 1;
        if self.taken == self.items.len() {
            self.items.clear();
            self.taken = 0;
        }
        item
    }

    #[cfg(feature = "asks")]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}
