//! What a model's template leaves in its text: thoughts at the beginning, and calls at the end. A filter that hides both.

use crate::written::{Beginning, Written, beginning, read};

/// The marks around thoughts, in small letters: models write them in others as well.
const THOUGHTS: [(&str, &str); 15] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<antthinking>", "</antthinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|think|>", "<|/think|>"),
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// Marks before the answer itself. The end of thoughts is one if the template began them in the request.
const HEADS: [&str; 5] = [
    "<|start|>assistant",
    "<|channel|>final<|message|>",
    "<|channel|>commentary<|message|>",
    "<|message|>",
    "</think>",
];

/// The most bytes of calls; what is longer is text.
const MAX_CALL: usize = 64 << 10;

/// Text that arrives.
#[derive(Debug, Default)]
pub(crate) struct AnswerText {
    stage: Stage,
    held: String,
    /// True if a mark was removed from its beginning, with the white space behind it.
    is_trimmed: bool,
    /// The tools whose calls are read from the text.
    tools: Vec<String>,
    /// True if what was shown was thoughts, whose beginning was in the request: their end says so.
    pub(crate) is_unsaid: bool,
    /// True if the shown text has a mark of thoughts, so that it talks about them.
    has_mark: bool,
    /// The last letter that was shown.
    last: Option<char>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Only white space or thoughts so far.
    #[default]
    Start,
    /// In thoughts that end with this.
    Thoughts(&'static str),
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
        self.held.push_str(text);
        while self.step() {}
        match self.stage {
            Stage::Open => {
                if let Some(end) = self.late_end() {
                    self.held.drain(..end);
                    (self.stage, self.is_trimmed, self.is_unsaid) = (Stage::Start, true, true);
                    return self.feed("");
                }
                let (shown, stage) = self.before_call();
                self.stage = stage;
                let shown: String = self.held.drain(..shown).collect();
                self.has_mark |= shown.contains(THOUGHTS[0].0);
                self.last = shown.chars().next_back().or(self.last);
                shown
            }
            Stage::Call if self.held.len() > MAX_CALL => std::mem::take(&mut self.held),
            _ => String::new(),
        }
    }

    /// The rest at the end of an answer, and the calls in it: their tools and arguments.
    pub(crate) fn finish(&mut self) -> (String, Vec<(String, String)>) {
        let rest = std::mem::take(&mut self.held);
        match self.stage {
            Stage::Thoughts(_) => Default::default(),
            Stage::Call => match read(&rest, &self.tools) {
                Written::Calls(calls) => (String::new(), calls),
                Written::Unread => Default::default(),
                Written::Text => (rest, Vec::new()),
            },
            Stage::Start | Stage::Open => (rest, Vec::new()),
        }
    }

    /// The end of a mark, in a line of its own, that ends thoughts which began in the request.
    fn late_end(&self) -> Option<usize> {
        let (open, close) = THOUGHTS[0];
        let at = self.held.find(close)?;
        let is_own_line = self.letter_before(at) == Some('\n');
        let has_mark = self.has_mark || self.held[..at].contains(open);
        (is_own_line && !self.is_trimmed && !has_mark).then_some(at + close.len())
    }

    fn letter_before(&self, at: usize) -> Option<char> {
        self.held[..at].chars().next_back().or(self.last)
    }

    /// The length of the text before what may be a call or a mark of thoughts, and the stage behind it. Behind a backtick, a call is talked about.
    fn before_call(&self) -> (usize, Stage) {
        for (at, _) in self.held.match_indices(['<', '[', '{', '`']) {
            let is_quoted = self.letter_before(at) == Some('`');
            match beginning(&self.held[at..], &self.tools) {
                Beginning::Call if !is_quoted => return (at, Stage::Call),
                Beginning::Perhaps if !is_quoted => return (at, Stage::Open),
                _ if THOUGHTS[0].1.starts_with(&self.held[at..]) => return (at, Stage::Open),
                _ if THOUGHTS[0].0.starts_with(&self.held[at..]) => return (at, Stage::Open),
                _ => {}
            }
        }
        (self.held.len(), Stage::Open)
    }

    /// Does one step. Returns false if it needs more text.
    fn step(&mut self) -> bool {
        match self.stage {
            Stage::Open | Stage::Call => false,
            Stage::Thoughts(close) => {
                if let Some(at) = self.held.to_ascii_lowercase().find(close) {
                    self.held.drain(..at + close.len());
                    self.stage = Stage::Start;
                    return true;
                }
                // The end may be the start of the mark.
                let from = self.held.len().saturating_sub(close.len());
                let end = self.held.char_indices().map(|(at, _)| at).find(|at| *at >= from).unwrap_or(self.held.len());
                self.held.drain(..end);
                false
            }
            Stage::Start => self.start(),
        }
    }

    fn start(&mut self) -> bool {
        let trimmed = self.held.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').to_ascii_lowercase();
        let begins = self.held.len() - trimmed.len();
        if let Some((open, close)) = THOUGHTS.iter().find(|(open, _)| trimmed.starts_with(open)) {
            self.held.drain(..begins + open.len());
            (self.stage, self.is_trimmed) = (Stage::Thoughts(close), true);
            return true;
        }
        if let Some(head) = HEADS.iter().find(|head| trimmed.starts_with(*head)) {
            self.held.drain(..begins + head.len());
            self.is_trimmed = true;
            return true;
        }
        let opens = THOUGHTS.iter().map(|(open, _)| *open).chain(HEADS);
        if opens.into_iter().any(|open| open.starts_with(&trimmed)) {
            return false;
        }
        if self.is_trimmed {
            self.held.drain(..begins);
        }
        self.stage = Stage::Open;
        true
    }
}
