//! The content encodings that a client accepts.

/// The encodings in which a file travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Identity,
    Gzip,
    Brotli,
}

impl Encoding {
    /// The compressed ones, the best first.
    const COMPRESSED: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// Its name in `Content-Encoding`, which `Identity` has not.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }

    /// The best encoding that exists and that a client's `Accept-Encoding` allows.
    pub(super) fn best(accepted: &[&str], is_there: impl Fn(Self) -> bool) -> Self {
        let mut compressed = Self::COMPRESSED.into_iter();
        compressed.find(|encoding| is_there(*encoding) && encoding.is_accepted(accepted)).unwrap_or(Self::Identity)
    }

    fn is_accepted(self, accepted: &[&str]) -> bool {
        accepted.iter().any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let is_refused = weight.trim().strip_prefix("q=").is_some_and(|weight| weight.trim().parse() == Ok(0.0));
            self.name().is_some_and(|own| own.eq_ignore_ascii_case(name.trim())) && !is_refused
        })
    }
}
