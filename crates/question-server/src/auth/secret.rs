//! Types with secrets, whose `Debug` must not show them.

/// Implements `Debug` with the name of the type alone.
macro_rules! hide_in_debug {
    ($($type:ident),+) => {
        $(impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($type))
            }
        })+
    };
}
pub(crate) use hide_in_debug;
