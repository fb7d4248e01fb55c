//! Writes values compactly, as `serde_json` does.

use crate::{Json, Members};
use std::fmt;

impl Json<'_> {
    /// The JSON text of this value.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Appends the JSON text of this value.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => out.push_str(number.text()),
            Self::Text(text) => write_text(out, text),
            Self::List(items) => {
                let mut before = '[';
                for item in items {
                    out.push(before);
                    item.write(out);
                    before = ',';
                }
                out.push_str(if before == '[' { "[]" } else { "]" });
            }
            Self::Object(members) => write_members(out, members),
        }
    }
}

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// Appends the JSON text of an object.
pub fn write_members(out: &mut String, members: &Members<'_>) {
    let mut before = '{';
    for (key, member) in members {
        out.push(before);
        write_text(out, key);
        out.push(':');
        member.write(out);
        before = ',';
    }
    out.push_str(if before == '{' { "{}" } else { "}" });
}

/// Appends a JSON string, quoted and escaped.
pub fn write_text(out: &mut String, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(text.get(plain..at).unwrap_or_default());
        plain = at + 1;
        out.push('\\');
        match byte {
            0x08 => out.push('b'),
            0x0c => out.push('f'),
            b'\n' => out.push('n'),
            b'\r' => out.push('r'),
            b'\t' => out.push('t'),
            b'"' | b'\\' => out.push(char::from(byte)),
            _ => {
                out.push_str("u00");
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}
