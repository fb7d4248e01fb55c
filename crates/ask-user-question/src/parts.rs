//! The growing forms of an ask's parts.

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

/// The snapshot form of a part of an ask, which grows until it equals the sent form.
pub(crate) trait Grows<T: ToOwned + ?Sized>: Sized {
    /// Converts the part to its sent form, if it is shown as it was sent.
    fn sent(&self) -> T::Owned;

    /// Converts a complete part to its shown form.
    fn shown(sent: &T) -> Self;

    fn change(&mut self, _: Change<'_>) {}

    /// Copies what a later state of the same part has beyond this one.
    fn follow(&mut self, of: &Self);

    /// Closes the part at the end of its object. A missing flag becomes false.
    fn end(&mut self) {}
}

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

    fn shown(sent: &str) -> Self {
        Self { text: sent.to_owned(), closed: true }
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

    fn shown(sent: &Option<String>) -> Self {
        sent.as_deref().map(Grows::shown)
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

    fn shown(sent: &bool) -> Self {
        Some(*sent)
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

/// Implements [`Grows`] for parts that do not stream.
macro_rules! whole {
    ($($part:ty),*) => { $(
        impl Grows<Self> for Option<$part> {
            fn sent(&self) -> Self {
                self.clone()
            }

            fn follow(&mut self, of: &Self) {
                self.clone_from(of);
            }

            fn shown(sent: &Self) -> Self {
                sent.clone()
            }
        }
    )* };
}

whole!(ShowIf, Input);

impl<S: Grows<T> + Default, T: Clone> Grows<Vec<T>> for Vec<S> {
    fn sent(&self) -> Vec<T> {
        self.iter().map(Grows::sent).collect()
    }

    /// Only the last item can still grow.
    fn follow(&mut self, of: &Self) {
        let last = self.len().saturating_sub(1);
        for (index, item) in of.iter().enumerate().skip(last) {
            if index == self.len() {
                self.push(S::default());
            }
            if let Some(shown) = self.get_mut(index) {
                shown.follow(item);
            }
        }
    }

    fn shown(sent: &Vec<T>) -> Self {
        sent.iter().map(Grows::shown).collect()
    }
}
