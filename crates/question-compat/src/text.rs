//! Normalises texts that people type.

use crate::case::lower;
use std::mem;

/// A text normalised for comparison: usual character width, lower case, common punctuation, single spaces. Lower case does not unify final sigma,
/// sharp s and the dotted capital I of Turkish; that would need a second Unicode table.
pub(crate) fn plain(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        let c = lower(in_usual_width(c));
        if c.is_whitespace() {
            gap = !result.is_empty();
            continue;
        }
        if mem::take(&mut gap) {
            result.push(' ');
        }
        let before = result.chars().next_back().unwrap_or_default();
        if let Some(voiced) = voiced(before, c) {
            result.pop();
            result.push(voiced);
            continue;
        }
        match c {
            'ς' => result.push('σ'),
            'ß' => result.push_str("ss"),
            '\u{307}' if before == 'i' => {}
            // Variants of quotation marks that word processors and phones insert. Backquotes are removed because a label is shown without them.
            '‘' | '’' | 'ʼ' => result.push('\''),
            '“' | '”' | '„' => result.push('"'),
            '‐'..='―' | '−' => result.push('-'),
            '`' => {}
            _ => result.push(c),
        }
    }
    if result.is_empty() { text.trim().to_owned() } else { result }
}

/// Converts full-width letters and half-width katakana to their usual form.
pub(crate) fn in_usual_width(c: char) -> char {
    const KATAKANA: &str = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜";
    let code = u32::from(c);
    let usual = match code {
        0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0),
        0xFF61..=0xFF9F => KATAKANA.chars().nth((code - 0xFF61) as usize),
        _ => None,
    };
    usual.unwrap_or(c)
}

/// Combines a kana and a following sound mark into one character, if it exists.
fn voiced(kana: char, mark: char) -> Option<char> {
    let further = match (kana, mark) {
        ('ウ', '゛') => return Some('ヴ'),
        ('カ'..='ト' | 'ハ'..='ホ', '゛') => 1,
        ('ハ'..='ホ', '゜') => 2,
        _ => return None,
    };
    char::from_u32(u32::from(kana) + further)
}
