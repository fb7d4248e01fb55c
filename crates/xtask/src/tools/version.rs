//! The versions that programs print.

/// Three numbers; a pre-release or a build after them does not count, and a number that is not there is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) [u64; 3]);

impl Version {
    /// The first version in a text such as `trunk 0.21.14` or `Chromium 156.0.8078.79 built on Debian`.
    pub(crate) fn first_in(text: &str) -> Option<Self> {
        let words = text.split(|c: char| c.is_whitespace() || c == '(');
        words
            .map(|word| word.trim_start_matches('v'))
            .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            .map(Self::parse)
    }

    fn parse(word: &str) -> Self {
        let mut numbers = word.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
        Self([(); 3].map(|()| numbers.next().unwrap_or(0)))
    }

    pub(crate) fn major(self) -> u64 {
        self.0[0]
    }

    /// True for the same series, and not older: what `^` means in Cargo.toml.
    pub(crate) fn is_compatible_with(self, pinned: Self) -> bool {
        let series = if pinned.0[0] > 0 { 1 } else { 2 };
        self.0[..series] == pinned.0[..series] && self >= pinned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        for (text, version) in [
            ("trunk 0.21.14", [0, 21, 14]),
            ("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)", [156, 0, 8078]),
            ("ChromeDriver 156.0.8078.79 (abc-refs/branch@{#1})", [156, 0, 8078]),
            ("v20.20.2", [20, 20, 2]),
            ("tool 1.2.3-rc.1", [1, 2, 3]),
            ("wasm-opt version 132 (version_132)", [132, 0, 0]),
        ] {
            assert_eq!(Version::first_in(text), Some(Version(version)), "{text}");
        }
        assert_eq!(Version::first_in("command not found"), None);
    }

    #[test]
    fn a_later_version_of_the_same_series_is_compatible() {
        for (present, pinned, compatible) in [
            ("0.21.14", "0.21.14", true),
            ("0.21.20", "0.21.14", true),
            ("0.21.13", "0.21.14", false),
            ("0.22.1", "0.21.14", false),
            ("1.4.0", "1.2.9", true),
            ("2.0.0", "1.2.9", false),
        ] {
            let version = |text| Version::first_in(text).unwrap();
            assert_eq!(version(present).is_compatible_with(version(pinned)), compatible, "{present} for {pinned}");
        }
    }
}
