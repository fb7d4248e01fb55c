//! Escapes in strings.

use crate::ErrorKind;

pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    /// The index of the first wrong byte.
    pub(crate) at: usize,
    /// The surrogate half without its counterpart.
    pub(crate) half: u16,
}

/// The length of an escape of one UTF-16 unit (`uXXXX`), without the backslash.
pub(crate) const UNIT: usize = 5;

/// The character for the letter after a backslash, as in `\n`.
pub(crate) fn letter(byte: Option<&u8>) -> Option<char> {
    Some(match byte? {
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    })
}

/// Reads one or two `uXXXX` escapes after a backslash. Returns the character and its length in bytes.
pub(crate) fn units(bytes: &[u8]) -> Result<(char, usize), Fault> {
    let fault = |kind, at| Fault { kind, at, half: 0 };
    let byte = |at: usize| bytes.get(at).copied().ok_or(fault(ErrorKind::Incomplete, at));
    let unit = |from: usize| {
        (from..from + 4).try_fold(0_u16, |unit, at| {
            let digit = char::from(byte(at)?).to_digit(16).ok_or(fault(ErrorKind::Escape, at))?;
            Ok(unit << 4 | digit as u16)
        })
    };
    if byte(0)? != b'u' {
        return Err(fault(ErrorKind::Escape, 0));
    }
    let half = unit(1)?;
    let alone = |at| Fault { kind: ErrorKind::LoneSurrogate, at, half };
    match char::from_u32(half.into()) {
        Some(character) => Ok((character, UNIT)),
        None if half >= 0xDC00 => Err(alone(UNIT - 1)),
        None if byte(UNIT)? != b'\\' => Err(alone(UNIT)),
        None if byte(UNIT + 1)? != b'u' => Err(alone(UNIT + 1)),
        None => {
            let mut pair = char::decode_utf16([half, unit(UNIT + 2)?]);
            let character = pair.next().and_then(Result::ok).ok_or(alone(2 * UNIT))?;
            Ok((character, 2 * UNIT + 1))
        }
    }
}
