//! The parts that asks are made of, as they arrive.

use crate::condition::ShowIf;
use crate::input::Input;

/// A text that may still grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSnapshot {
    /// The text so far.
    pub text: String,
    /// True if it is complete.
    pub closed: bool,
}

/// The growing form of a part of an ask, beside its final form.
pub(crate) trait Grows<T: ToOwned + ?Sized> {
    /// The part as it was sent, if it is shown so.
    fn sent(&self) -> T::Owned;

    /// Takes over the complete part.
    fn settle(&mut self, sent: &T);

    fn change(&mut self, _: Change<'_>) {}

    /// Catches up with a later state of the same part.
    fn follow(&mut self, of: &Self);

    /// Closes the part at the end of its object: a flag that did not come is off.
    fn end(&mut self) {}
}

/// A change of one text or flag.
#[derive(Clone, Copy)]
pub(crate) enum Change<'c> {
    Append(&'c str),
    Close,
    Set(bool),
}

impl Grows<str> for TextSnapshot {
    fn sent(&self) -> String {
        self.text.clone()
    }

    fn follow(&mut self, of: &Self) {
        self.text.push_str(of.text.get(self.text.len()..).unwrap_or_default());
        self.closed = of.closed;
    }

    /// The part that has arrived, which is mostly all of it, is not copied again.
    fn settle(&mut self, sent: &str) {
        match sent.strip_prefix(self.text.as_str()) {
            Some(rest) => self.text.push_str(rest),
            None => sent.clone_into(&mut self.text),
        }
        self.closed = true;
    }

    #[inline(never)]
    fn change(&mut self, change: Change<'_>) {
        match change {
            Change::Append(delta) => self.text.push_str(delta),
            Change::Close => self.closed = true,
            Change::Set(_) => {}
        }
    }
}

impl Grows<Option<String>> for Option<TextSnapshot> {
    fn sent(&self) -> Option<String> {
        self.as_ref().map(Grows::sent)
    }

    fn follow(&mut self, of: &Self) {
        if let Some(of) = of {
            self.get_or_insert_default().follow(of);
        }
    }

    fn settle(&mut self, sent: &Option<String>) {
        match sent {
            Some(text) => self.get_or_insert_default().settle(text),
            None => *self = None,
        }
    }

    fn change(&mut self, change: Change<'_>) {
        self.get_or_insert_default().change(change);
    }
}

impl Grows<bool> for Option<bool> {
    fn sent(&self) -> bool {
        self.unwrap_or_default()
    }

    fn follow(&mut self, of: &Self) {
        *self = *of;
    }

    fn settle(&mut self, sent: &bool) {
        *self = Some(*sent);
    }

    fn change(&mut self, change: Change<'_>) {
        if let Change::Set(value) = change {
            *self = Some(value);
        }
    }

    fn end(&mut self) {
        self.get_or_insert(false);
    }
}

/// Parts that arrive as a whole.
macro_rules! whole {
    ($($part:ty),*) => { $(
        impl Grows<Self> for Option<$part> {
            fn sent(&self) -> Self {
                self.clone()
            }

            fn follow(&mut self, of: &Self) {
                self.clone_from(of);
            }

            fn settle(&mut self, sent: &Self) {
                self.clone_from(sent);
            }
        }
    )* };
}

whole!(ShowIf, Input);

impl<S: Grows<T> + Default, T: Clone> Grows<Vec<T>> for Vec<S> {
    fn sent(&self) -> Vec<T> {
        self.iter().map(Grows::sent).collect()
    }

    /// Only the last item grows, until there is another one.
    fn follow(&mut self, of: &Self) {
        let last = self.len().saturating_sub(1);
        for (index, item) in of.iter().enumerate().skip(last) {
            if let Some(shown) = nth_or_next(self, index) {
                shown.follow(item);
            }
        }
    }

    fn settle(&mut self, sent: &Vec<T>) {
        self.truncate(sent.len());
        for (index, item) in sent.iter().enumerate() {
            if let Some(shown) = nth_or_next(self, index) {
                shown.settle(item);
            }
        }
    }
}

pub(crate) fn nth_or_next<T: Default>(items: &mut Vec<T>, index: usize) -> Option<&mut T> {
    if index == items.len() {
        items.push(T::default());
    }
    items.get_mut(index)
}
