//! Texts as people type them.

use crate::case::lower;
use std::mem;

/// The text as a person might have typed it on another keyboard: every character in its usual width, one spelling for all case variants, and
/// white space between words alone. Lower case does not join three pairs that people mix up: final sigma, sharp s, the dotted capital of
/// Turkish. Upper case would need a second table of Unicode.
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
            // Programs and telephones write these for those of a keyboard. A label is shown without its backquotes.
            '‘' | '’' | 'ʼ' => result.push('\''),
            '“' | '”' | '„' => result.push('"'),
            '‐'..='―' | '−' => result.push('-'),
            '`' => {}
            _ => result.push(c),
        }
    }
    if result.is_empty() { text.trim().to_owned() } else { result }
}

/// Full-width letters and half-width katakana as their usual selves.
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

/// A kana with a mark behind it, where that is one of its own.
fn voiced(kana: char, mark: char) -> Option<char> {
    let further = match (kana, mark) {
        ('ウ', '゛') => return Some('ヴ'),
        ('カ'..='ト' | 'ハ'..='ホ', '゛') => 1,
        ('ハ'..='ホ', '゜') => 2,
        _ => return None,
    };
    char::from_u32(u32::from(kana) + further)
}
