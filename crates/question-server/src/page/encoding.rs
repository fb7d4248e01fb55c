//! What a client can unpack.

/// The encodings in which a file travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Identity,
    Gzip,
    Brotli,
}

impl Encoding {
    /// The compressed ones, the better first.
    const COMPRESSED: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// As `Content-Encoding` names it; absent where there is nothing to unpack.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }

    /// The best of those that a client's `Accept-Encoding` allows and that are there.
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
