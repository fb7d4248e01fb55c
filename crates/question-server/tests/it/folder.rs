//! Folders for tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of a test's own, gone with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test-{}-{number}", std::process::id());
        Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    /// One that is there.
    pub(crate) fn made() -> Self {
        let folder = Self::new();
        std::fs::create_dir_all(folder.path()).expect("the target folder can be written");
        folder
    }

    /// The folder itself, which is there only once something was put into it.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// A file for conversations.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("in/it/conversations.sqlite")
    }

    /// The same for a command line.
    pub(crate) fn file_name(&self) -> String {
        let file = self.file().into_os_string().into_string();
        file.expect("the target folder's name is text")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A leftover is in the target folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
