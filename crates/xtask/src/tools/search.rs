//! What the `PATH` has, and which version it is.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::children;

/// Three numbers; what follows them (a pre-release, a build) does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    pub(crate) major: u64,
    pub(crate) minor: u64,
    pub(crate) patch: u64,
}

impl Version {
    /// The first version in a text such as `trunk 0.21.14` or `Chromium 156.0.8078.79 built on Debian`.
    pub(crate) fn first_in(text: &str) -> Option<Self> {
        text.split(|c: char| c.is_whitespace() || c == '(' || c == 'v').find_map(Self::parse)
    }

    fn parse(word: &str) -> Option<Self> {
        let mut numbers = word.split('.').map(leading_number);
        let version = Self { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? };
        Some(version)
    }

    /// True if `self` does what `pinned` does: the same series, and not older.
    pub(crate) fn can_stand_for(self, pinned: Self) -> bool {
        let same_series = self.major == pinned.major && (self.major > 0 || self.minor == pinned.minor);
        same_series && self.cmp(&pinned) != Ordering::Less
    }
}

fn leading_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Every file that `PATH` offers for `program`, the first choice first.
pub(crate) fn on_path(program: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    candidates(program, &path).collect()
}

/// Every file that a value of `PATH` offers for `program`.
pub(crate) fn candidates(program: &str, path: &OsStr) -> impl Iterator<Item = PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    let names = file_names(program);
    folders.into_iter().flat_map(move |folder| {
        let files = names.iter().map(move |name| folder.join(name));
        files.filter(|file| is_program(file)).collect::<Vec<_>>()
    })
}

/// The version that a program says it has.
pub(crate) fn version_of(program: &Path) -> Option<Version> {
    let text = children::output_of(Command::new(program).arg("--version"))?;
    Version::first_in(&text)
}

#[cfg(unix)]
fn file_names(program: &str) -> Vec<String> {
    vec![program.to_owned()]
}

#[cfg(windows)]
fn file_names(program: &str) -> Vec<String> {
    ["exe", "cmd", "bat"].map(|ending| format!("{program}.{ending}")).into()
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(windows)]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::first_in(text).expect("a version")
    }

    #[test]
    fn versions_are_found_in_what_programs_print() {
        let numbers = |text| {
            let Version { major, minor, patch } = version(text);
            (major, minor, patch)
        };
        assert_eq!(numbers("trunk 0.21.14"), (0, 21, 14));
        assert_eq!(numbers("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)"), (156, 0, 8078));
        assert_eq!(numbers("ChromeDriver 156.0.8078.79 (abc-refs/branch@{#1})"), (156, 0, 8078));
        assert_eq!(numbers("v20.20.2"), (20, 20, 2));
        assert_eq!(numbers("tool 1.2.3-rc.1"), (1, 2, 3));
        assert_eq!(Version::first_in("wasm-opt version 132 (version_132)"), None);
        assert_eq!(Version::first_in(""), None);
    }

    #[test]
    fn a_later_version_of_the_same_series_will_do() {
        let stands_for = |present, pinned| version(present).can_stand_for(version(pinned));
        assert!(stands_for("0.21.14", "0.21.14"));
        assert!(stands_for("0.21.20", "0.21.14"));
        assert!(!stands_for("0.21.13", "0.21.14"));
        assert!(!stands_for("0.22.1", "0.21.14"), "before 1.0 the second number is the series");
        assert!(stands_for("1.4.0", "1.2.9"));
        assert!(!stands_for("2.0.0", "1.2.9"));
    }

    #[cfg(unix)]
    #[test]
    fn only_programs_are_candidates_in_the_order_of_the_path() {
        let found: Vec<_> = candidates("sh", OsStr::new("/no/such/folder:/etc:/bin:/usr/bin")).collect();
        assert_eq!(found.first().map(PathBuf::as_path), Some(Path::new("/bin/sh")));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_cannot_be_run_is_no_candidate() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("xtask-search-test-{}", std::process::id()));
        let program = folder.join("program");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&program, "").unwrap();
        let candidates_in_mode = |mode| {
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(mode)).unwrap();
            candidates("program", folder.as_os_str()).count()
        };
        assert_eq!((candidates_in_mode(0o644), candidates_in_mode(0o755)), (0, 1));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
