//! The browser's storage for this origin. If the browser denies it, nothing is stored, and everything else works.

use leptos::prelude::window;
use web_sys::Storage;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Shelf {
    /// For this tab, reloads included.
    Tab,
    /// For all tabs, until the browser evicts it.
    Browser,
}

impl Shelf {
    pub(crate) fn read(self, key: &str) -> Option<String> {
        self.storage()?.get_item(key).ok()?
    }

    /// Returns false if there is no room.
    pub(crate) fn write(self, key: &str, value: &str) -> bool {
        self.storage().is_some_and(|storage| storage.set_item(key, value).is_ok())
    }

    pub(crate) fn remove(self, key: &str) {
        if let Some(storage) = self.storage() {
            // `removeItem` never throws.
            let _ = storage.remove_item(key);
        }
    }

    fn storage(self) -> Option<Storage> {
        match self {
            Self::Tab => window().session_storage().ok()?,
            Self::Browser => window().local_storage().ok()?,
        }
    }
}
