//! The versions that programs print.

use std::path::Path;
use std::process::Command;

use crate::children;

/// Three numbers. A pre-release or build suffix is ignored, and a missing number is 0.
pub(super) type Version = [u64; 3];

/// The version that a program reports.
pub(super) fn version_of(program: &Path) -> Option<Version> {
    version_in(&children::output_of(Command::new(program).arg("--version"))?)
}

/// The first version in a text such as `trunk 0.21.14` or `Chromium 156.0.8078.79 built on Debian`.
pub(super) fn version_in(text: &str) -> Option<Version> {
    let words = text.split(|c: char| c.is_whitespace() || c == '(').map(|word| word.trim_start_matches('v'));
    let version = words.into_iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    Some([(); 3].map(|()| numbers.next().unwrap_or(0)))
}

/// True for the same series and no older version, like `^` in Cargo.toml.
pub(super) fn is_compatible(present: Version, pinned: Version) -> bool {
    let series = if pinned[0] > 0 { 1 } else { 2 };
    present[..series] == pinned[..series] && present >= pinned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        for (text, version) in [
            ("trunk 0.21.14", [0, 21, 14]),
            ("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)", [156, 0, 8078]),
            ("v20.20.2", [20, 20, 2]),
            ("tool 1.2.3-rc.1", [1, 2, 3]),
            ("wasm-opt version 132 (version_132)", [132, 0, 0]),
        ] {
            assert_eq!(version_in(text), Some(version), "{text}");
        }
        assert_eq!(version_in("command not found"), None);
    }

    #[test]
    fn a_later_version_of_the_same_series_is_compatible() {
        assert!(is_compatible([0, 21, 20], [0, 21, 14]) && is_compatible([1, 4, 0], [1, 2, 9]));
        assert!(!is_compatible([0, 21, 13], [0, 21, 14]) && !is_compatible([0, 22, 1], [0, 21, 14]));
        assert!(!is_compatible([2, 0, 0], [1, 2, 9]));
    }
}
