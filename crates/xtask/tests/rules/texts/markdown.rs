//! Markdown, cut into sentences and words.

/// The texts of a piece of Markdown, each with its line, from 0: paragraphs, items, cells and headings, without blocks of code.
pub(crate) fn paragraphs(markdown: &str) -> Vec<(usize, String)> {
    let mut texts: Vec<(usize, String)> = Vec::new();
    let (mut in_code, mut continues) = (false, false);
    for (number, line) in markdown.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("```") {
            in_code = !in_code;
            continues = false;
        } else if in_code || line.is_empty() || line.starts_with("<!--") {
            continues = false;
        } else if let Some(row) = line.strip_prefix('|') {
            texts.extend(row.split('|').map(|cell| (number, cell.trim().to_owned())));
            continues = false;
        } else if let Some(text) = item(line) {
            texts.push((number, text.to_owned()));
            // A heading ends with its line.
            continues = !line.starts_with('#');
        } else if continues && let Some((_, text)) = texts.last_mut() {
            text.push(' ');
            text.push_str(line);
        } else {
            texts.push((number, line.to_owned()));
            continues = true;
        }
    }
    texts
}

/// The text after the mark of a heading or an item.
fn item(line: &str) -> Option<&str> {
    let (mark, text) = line.split_once(' ')?;
    let is_number = mark.strip_suffix('.').is_some_and(|number| number.parse::<u8>().is_ok());
    (matches!(mark, "-" | "*") || mark.bytes().all(|byte| byte == b'#') || is_number).then_some(text)
}

/// The sentences of a text. A colon ends one, since what it announces is read by itself.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let (mut sentences, mut sentence) = (Vec::new(), String::new());
    for word in plain(text).split_whitespace() {
        sentence.push_str(word);
        if word.trim_end_matches(['"', '”', ')', ']', '*']).ends_with(['.', '!', '?', ':']) {
            sentences.push(std::mem::take(&mut sentence));
        } else {
            sentence.push(' ');
        }
    }
    sentences.push(sentence);
    sentences
}

/// A text whose pieces of code are one word each, and whose links have no targets.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (number, part) in text.split('`').enumerate() {
        plain.push_str(if number % 2 == 0 { part } else { "code" });
    }
    while let Some(start) = plain.find("](") {
        let end = plain[start..].find(')').map_or(plain.len(), |length| start + length + 1);
        plain.replace_range(start..end, "]");
    }
    plain
}

/// The targets of all links, also of those that are defined below the text.
pub(crate) fn links(markdown: &str) -> Vec<&str> {
    let text = markdown.split("```").step_by(2);
    let inline = text.flat_map(|text| text.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
    let defined = markdown.lines().filter(|line| line.starts_with('[')).filter_map(|line| line.split("]: ").nth(1));
    inline.chain(defined).collect()
}

pub(crate) fn words(sentence: &str) -> impl Iterator<Item = &str> {
    let parts = sentence.split(|c: char| c.is_whitespace() || matches!(c, '–' | '—' | '/'));
    parts.map(|part| part.trim_matches(|c: char| !c.is_alphanumeric())).filter(|part| !part.is_empty())
}
