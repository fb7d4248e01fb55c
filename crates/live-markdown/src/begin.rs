//! The kind of a line, by its beginning.

/// The longest beginning of a line that is held back before the line is taken for text.
const LONGEST: usize = 128;
/// The longest line that may turn out to be a table's first or second.
const LONGEST_ROW: usize = 1024;

/// The kind of a line, by its beginning without the indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// More of the line is needed to decide.
    Unknown,
    /// The line is blank.
    Blank,
    /// The mark of a quotation.
    Quote,
    /// A heading of this level.
    Heading(usize),
    /// A rule.
    Rule,
    /// An item of a list, after a mark of this many bytes.
    Bullet(usize),
    /// An item of a list with an order, with its number, after a mark of this many bytes.
    Number(u32, usize),
    /// A code fence: its character and its length.
    Fence(char, usize),
    /// A complete line, which is a row if it is in a table.
    Row,
    /// Plain text.
    Text,
}

/// The kind of a line that begins with `held`. A decision is final, whatever follows.
pub(crate) fn begin(held: &str) -> Begin {
    let Some(first) = held.chars().next() else {
        return Begin::Unknown;
    };
    if first == '|' {
        return row(held);
    }
    let run = held.chars().take_while(|c| *c == first).count();
    let rest = held.get(run * first.len_utf8()..).unwrap_or_default();
    let next = rest.chars().next();
    let begin = match first {
        '\n' => Begin::Blank,
        '>' => Begin::Quote,
        '#' => match next {
            None if run <= 6 => Begin::Unknown,
            Some(' ' | '\t') if run <= 6 => Begin::Heading(run),
            _ => Begin::Text,
        },
        '`' | '~' => fence(first, run, rest),
        '-' | '*' | '_' => match rule(held, first) {
            Begin::Text => bullet(first, run, next),
            rule => rule,
        },
        '+' | '•' => bullet(first, run, next),
        '0'..='9' => number(held),
        _ => Begin::Text,
    };
    match begin {
        Begin::Unknown if held.len() > LONGEST => Begin::Text,
        begin => begin,
    }
}

fn row(held: &str) -> Begin {
    match held.ends_with('\n') {
        true => Begin::Row,
        false if held.len() > LONGEST_ROW => Begin::Text,
        false => Begin::Unknown,
    }
}

fn fence(mark: char, run: usize, rest: &str) -> Begin {
    match rest.is_empty() {
        true => Begin::Unknown,
        false if run < 3 || (mark == '`' && rest.contains('`')) => Begin::Text,
        false if rest.ends_with('\n') => Begin::Fence(mark, run),
        false => Begin::Unknown,
    }
}

fn bullet(mark: char, run: usize, next: Option<char>) -> Begin {
    match next {
        None if run == 1 => Begin::Unknown,
        Some(' ' | '\t' | '\n') if run == 1 && mark != '_' => Begin::Bullet(mark.len_utf8()),
        _ => Begin::Text,
    }
}

fn rule(held: &str, mark: char) -> Begin {
    match held.trim_start_matches([mark, ' ', '\t']) {
        "" => Begin::Unknown,
        "\n" if held.matches(mark).count() >= 3 => Begin::Rule,
        _ => Begin::Text,
    }
}

fn number(held: &str) -> Begin {
    let digits = held.bytes().take_while(u8::is_ascii_digit).count();
    let mut after = held.get(digits..).unwrap_or_default().chars();
    match (digits, after.next(), after.next()) {
        (10.., ..) => Begin::Text,
        (_, None, _) | (_, Some('.' | ')'), None) => Begin::Unknown,
        (_, Some('.' | ')'), Some(' ' | '\t' | '\n')) => match held.get(..digits).unwrap_or_default().parse() {
            Ok(number) => Begin::Number(number, digits + 1),
            Err(_) => Begin::Text,
        },
        _ => Begin::Text,
    }
}
