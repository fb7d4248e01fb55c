//! Hides what a model's template leaves in its text: thoughts, calls at the end, and the marks of a turn.

use crate::written::{Beginning, Written, beginning, read};

/// The names of tags around thoughts, in small letters: models write them in others as well. One may have a namespace and attributes.
const TAGS: [&str; 14] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "antthinking",
    "reasoning",
    "reasoning_scratchpad",
    "scratchpad",
    "reflection",
    "analysis",
    "internal",
    "inner_monologue",
    "reason",
    "cot",
];

/// Other marks around thoughts.
const PAIRS: [(&str, &str); 8] = [
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|think|>", "<|/think|>"),
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// The marks of thoughts that may begin in the request, so that only their end is in the text.
const THINK: (&str, &str) = ("<think>", "</think>");

/// Marks before the answer itself.
const HEADS: [&str; 16] = [
    "<|start|>assistant",
    "<|channel|>final<|message|>",
    "<|channel|>commentary<|message|>",
    "<|message|>",
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|assistant|>",
    "<｜assistant｜>",
    "<|start_response|>",
    "<|begin_of_text|>",
    "<｜begin▁of▁sentence｜>",
    "<s>",
    "<final>",
    "<answer>",
    "<response>",
    THINK.1,
];

/// The signs around the names of special tokens.
const SPECIAL: [(&str, &str); 2] = [("<|", "|>"), ("<｜", "｜>")];

/// Marks behind the answer, beside special tokens.
const ENDS: [&str; 12] = [
    "</s>",
    "<eos>",
    "<end_of_turn>",
    "<turn|>",
    "[/inst]",
    "[e~[",
    "[|endofturn|]",
    "</tool_call>",
    "</final>",
    "</answer>",
    "</response>",
    "</message>",
];

/// Signs in the tags of some models, here of M3 and of Kimi K3, and what they stand for. The first is the longest.
const SIGNS: [(&str, &str); 4] = [("]<]minimax[>[", ""), ("<|open|>", "<"), ("<|close|>", "</"), ("<|sep|>", ">")];

/// The most bytes of a tag, of a name in it, of the marks at the end, and of calls; what is longer is text.
const MAX_TAG: usize = 4 << 10;
const MAX_NAME: usize = 64;
const MAX_ENDS: usize = 256;
const MAX_CALL: usize = 64 << 10;

#[derive(Debug, Default)]
pub(crate) struct AnswerText {
    stage: Stage,
    held: String,
    /// True if a mark was removed from its beginning, with the white space behind it.
    is_trimmed: bool,
    /// The tools whose calls are read from the text.
    tools: Vec<String>,
    /// True if the text shown so far was thoughts: they began in the request, and their end mark has arrived.
    pub(crate) is_unsaid: bool,
    /// True if the shown text has a mark of thoughts, so that it talks about them.
    has_mark: bool,
    /// True if the model thinks in its text, so that it may do so again behind shown text.
    has_thought: bool,
    /// What was taken for thoughts inside of a line. It is text if they do not end.
    aside: String,
    /// The last letter that was shown.
    last: Option<char>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Only white space or thoughts so far.
    #[default]
    Start,
    /// In thoughts that end with this.
    Thoughts(String),
    Open,
    /// In what may be a call, which is held to the end.
    Call,
}

impl AnswerText {
    pub(crate) fn new(tools: Vec<String>) -> Self {
        Self { tools, ..Self::default() }
    }

    /// Takes text and returns the part to show now.
    pub(crate) fn feed(&mut self, text: &str) -> String {
        let (mut shown, mut rest) = (String::new(), text);
        while !rest.is_empty() {
            // Long text is read in pieces, so that each mark in it costs no search of the whole.
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(MAX_TAG));
            rest = behind;
            self.held.push_str(piece);
            for (sign, meaning) in SIGNS {
                if self.held.contains(sign) {
                    self.held = self.held.replace(sign, meaning);
                }
            }
            // The text may end in the middle of a sign.
            let ends = |part: &str| self.held.ends_with(part);
            let is_start = |length: &usize| SIGNS.iter().filter_map(|(sign, _)| sign.get(..*length)).any(ends);
            let kept = (1..SIGNS[0].0.len()).rev().find(is_start).unwrap_or_default();
            let kept = self.held.split_off(self.held.len() - kept);
            while self.step(&mut shown) {}
            self.held.push_str(&kept);
        }
        shown
    }

    /// The rest at the end of an answer, and the calls in it: their tools and arguments.
    pub(crate) fn finish(&mut self) -> (String, Vec<(String, String)>) {
        let rest = std::mem::take(&mut self.held);
        let written = match &self.stage {
            Stage::Thoughts(_) if self.aside.is_empty() => return Default::default(),
            Stage::Thoughts(_) => return (std::mem::take(&mut self.aside) + &rest, Vec::new()),
            Stage::Call => read(&rest, &self.tools),
            Stage::Start | Stage::Open => Written::Text,
        };
        match written {
            Written::Calls(calls) => (String::new(), calls),
            Written::Unread => Default::default(),
            Written::Text if is_end(&rest) == Some(true) => Default::default(),
            Written::Text => (rest, Vec::new()),
        }
    }

    /// Does one step. Returns false if it needs more text.
    fn step(&mut self, shown: &mut String) -> bool {
        match &self.stage {
            Stage::Start => self.start(),
            Stage::Thoughts(close) => {
                let end = self.held.to_ascii_lowercase().find(close).map(|at| at + close.len());
                // The text may end in the middle of the mark.
                let keep = self.held.len().saturating_sub(close.len());
                let thought = end.unwrap_or_else(|| self.held.floor_char_boundary(keep));
                let thought: String = self.held.drain(..thought).collect();
                if end.is_some() {
                    self.aside.clear();
                    self.stage = if self.last.is_some() { Stage::Open } else { Stage::Start };
                } else if !self.aside.is_empty() {
                    self.aside.push_str(&thought);
                }
                end.is_some()
            }
            Stage::Open => {
                if let Some(end) = self.late_end() {
                    self.held.drain(..end);
                    shown.clear();
                    (self.stage, self.last) = (Stage::Start, None);
                    (self.is_trimmed, self.has_thought, self.is_unsaid) = (true, true, true);
                    return true;
                }
                let (said, stage) = self.before_mark();
                let said: String = self.held.drain(..said).collect();
                self.has_mark |= said.contains(THINK.0);
                self.last = said.chars().next_back().or(self.last);
                shown.push_str(&said);
                let goes_on = stage != Stage::Open;
                self.stage = stage;
                goes_on
            }
            Stage::Call => {
                if self.held.len() > MAX_CALL {
                    shown.push_str(&std::mem::take(&mut self.held));
                }
                false
            }
        }
    }

    /// The end of a mark, in a line of its own, that ends thoughts which began in the request.
    fn late_end(&self) -> Option<usize> {
        let at = self.held.find(THINK.1)?;
        let is_own_line = self.letter_before(at) == Some('\n');
        let has_mark = self.has_mark || self.held[..at].contains(THINK.0);
        (is_own_line && !self.is_trimmed && !has_mark).then_some(at + THINK.1.len())
    }

    fn letter_before(&self, at: usize) -> Option<char> {
        self.held[..at].chars().next_back().or(self.last)
    }

    /// The length of the text before what may be a call or a mark, and the stage behind it. Behind a backtick, a mark is talked about.
    fn before_mark(&mut self) -> (usize, Stage) {
        for (at, _) in self.held.match_indices(['<', '[', '{', '`', ']', '◁']) {
            let (rest, before) = (&self.held[at..], self.letter_before(at));
            if before != Some('`') {
                let mark = if self.has_thought { mark(rest) } else { Mark::Other };
                match (beginning(rest, &self.tools), mark) {
                    (Beginning::Call, _) => return (at, Stage::Call),
                    (Beginning::Perhaps, _) => return (at, Stage::Open),
                    (_, Mark::Perhaps) => return (at, Stage::Open),
                    (_, Mark::Thoughts(length, close)) => {
                        if before != Some('\n') {
                            rest[..length].clone_into(&mut self.aside);
                        }
                        self.held.replace_range(at..at + length, "");
                        return (at, Stage::Thoughts(close));
                    }
                    _ if is_end(rest).is_some() => return (at, Stage::Open),
                    _ => {}
                }
            }
            if THINK.0.starts_with(rest) || THINK.1.starts_with(rest) {
                return (at, Stage::Open);
            }
        }
        (self.held.len(), Stage::Open)
    }

    fn start(&mut self) -> bool {
        let text = self.held.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let lower = text.to_ascii_lowercase();
        let (length, stage) = match (mark(text), beginning(text, &self.tools)) {
            (Mark::Thoughts(length, close), _) => (length, Stage::Thoughts(close)),
            (Mark::Perhaps, _) | (_, Beginning::Perhaps) => return false,
            (_, Beginning::Call) => (0, Stage::Open),
            (Mark::Other, Beginning::Other) => match HEADS.iter().find(|head| lower.starts_with(*head)) {
                Some(head) => (head.len(), Stage::Start),
                None if HEADS.iter().any(|head| head.starts_with(&lower)) || is_end(text).is_some() => return false,
                None => (0, Stage::Open),
            },
        };
        self.has_thought |= matches!(stage, Stage::Thoughts(_));
        self.is_trimmed |= length > 0;
        if self.is_trimmed {
            self.held.drain(..self.held.len() - text.len() + length);
        }
        self.stage = stage;
        true
    }
}

enum Mark {
    /// A mark of this length, of thoughts that end with the other one.
    Thoughts(usize, String),
    /// More text is needed to decide.
    Perhaps,
    Other,
}

/// The mark of thoughts at the beginning of a text.
fn mark(text: &str) -> Mark {
    let start = text[..text.floor_char_boundary(MAX_NAME)].to_ascii_lowercase();
    if let Some((open, close)) = PAIRS.iter().find(|(open, _)| start.starts_with(open)) {
        return Mark::Thoughts(open.len(), (*close).to_owned());
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-');
    let tag = start.strip_prefix('<').unwrap_or_default();
    let name = &tag[..tag.len() - tag.trim_start_matches(is_of_name).len()];
    let is_known = TAGS.contains(&name.rsplit(':').next().unwrap_or_default());
    let attributes = text[..text.floor_char_boundary(MAX_TAG)].get(name.len() + 1..).unwrap_or_default();
    // An attribute has a value. Any other word behind the name means that this is a sentence.
    let value = attributes.trim_start().trim_start_matches(is_of_name);
    let has_attributes = attributes.starts_with(char::is_whitespace) && (value.is_empty() || value.starts_with('='));
    match attributes.find('>') {
        Some(end) if is_known && (end == 0 || has_attributes) => {
            Mark::Thoughts(name.len() + end + 2, format!("</{name}>"))
        }
        None if is_known && has_attributes && text.len() < MAX_TAG => Mark::Perhaps,
        None if attributes.is_empty() && !name.is_empty() => Mark::Perhaps,
        _ if PAIRS.iter().any(|(open, _)| open.starts_with(&start)) => Mark::Perhaps,
        _ => Mark::Other,
    }
}

/// Returns true if a text has nothing but marks of the end of a turn, and false if the last of them is not whole yet. `None` for any other text.
fn is_end(text: &str) -> Option<bool> {
    if text.len() > MAX_ENDS {
        return None;
    }
    let text = text.to_ascii_lowercase();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let listed = ENDS.iter().find_map(|end| rest.strip_prefix(end));
        let special = || SPECIAL.iter().find_map(|(open, close)| name_behind(rest, open)?.strip_prefix(close));
        let Some(behind) = listed.or_else(special) else {
            let is_part = |(open, close): &(&str, &str)| {
                open.starts_with(rest) || name_behind(rest, open).is_some_and(|behind| close.starts_with(behind))
            };
            let is_part = ENDS.iter().any(|end| end.starts_with(rest)) || SPECIAL.iter().any(is_part);
            return is_part.then_some(false);
        };
        rest = behind.trim_start();
    }
    Some(true)
}

/// The text behind this sign and a name.
fn name_behind<'t>(text: &'t str, sign: &str) -> Option<&'t str> {
    Some(text.strip_prefix(sign)?.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '▁'))
}
