//! Kinds that have a stable spelling.

/// Declares kinds, each with its spelling: an enum with `ALL`, and `as_str`, `Display` and serde for the spelling.
macro_rules! codes {
    ($( #[$about:meta] )* $name:ident { $( $( #[$doc:meta] )* $kind:ident $code:literal, )* }) => {
        $( #[$about] )*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
        pub enum $name {
            $( $( #[$doc] )* #[serde(rename = $code)] $kind, )*
        }

        impl $name {
            /// Every kind, in this order.
            pub const ALL: [Self; [$( $code ),*].len()] = [$( Self::$kind ),*];

            /// The stable spelling; `Display` and JSON give the same.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$kind => $code, )*
                }
            }

            /// The kind of this spelling.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

pub(crate) use codes;
