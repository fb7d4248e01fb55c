//! The text of an answer without thoughts and calls, which some templates leave in it.

use super::written::{self, WrittenCall};

/// The marks around thoughts at the beginning of an answer.
const THOUGHTS: [(&str, &str); 9] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// Marks before the answer itself.
const HEADS: [&str; 3] = ["<|start|>assistant", "<|channel|>final<|message|>", "<|message|>"];

/// The beginnings of calls written as text.
const MARKERS: [&str; 21] = [
    "<tool_call",
    "<tool_use",
    "<function=",
    "<function_call",
    "<invoke ",
    "<minimax:tool_call",
    "<function_calls",
    "<xai:function_call",
    "<seed:tool_call",
    "<｜DSML｜",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "<|tool_call|>",
    "<|tool_calls|>",
    "<|python_tag|>",
    "<|channel|>",
    "<|start|>",
    "<|FunctionCallBegin|>",
    "[TOOL_CALLS]",
];

/// The first members of calls written as plain JSON.
const FIRST_MEMBERS: [&str; 5] = ["\"name\"", "\"tool\"", "\"tool_name\"", "\"function\"", "\"type\""];

/// Text that arrives.
#[derive(Debug, Default)]
pub(super) struct AnswerText {
    stage: TextStage,
    held: String,
    /// True if a mark was removed from its beginning, with the white space behind it.
    is_trimmed: bool,
    is_shown: bool,
    /// The code span at the end of the shown text.
    code: CodeSpan,
}

/// The Markdown code around the end of a text.
#[derive(Clone, Copy, Debug, Default)]
struct CodeSpan {
    in_block: bool,
    in_line: bool,
    /// The backticks that it ends with.
    ticks: usize,
}

impl CodeSpan {
    fn behind(mut self, text: &str) -> Self {
        for letter in text.chars() {
            if letter == '`' {
                self.ticks += 1;
                continue;
            }
            self = self.settled();
            self.in_line &= letter != '\n';
        }
        self
    }

    fn settled(self) -> Self {
        let Self { in_block, in_line, ticks } = self;
        Self { in_block: in_block ^ (ticks >= 3), in_line: in_line ^ (ticks % 3 == 1), ticks: 0 }
    }

    fn is_code(self) -> bool {
        let Self { in_block, in_line, .. } = self.settled();
        in_block || in_line
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TextStage {
    /// Only white space or thoughts so far.
    #[default]
    Start,
    /// In thoughts that end with this.
    Thoughts(&'static str),
    Open,
    /// Behind a marker: the rest is held until the end.
    Call,
}

/// The rest at the end of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TextEnd {
    Text(String),
    Calls(Vec<WrittenCall>),
    /// A call that cannot be read.
    Hidden,
}

impl AnswerText {
    /// Returns true if more than white space was shown.
    pub(super) fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Takes text and returns the part to show now.
    pub(super) fn feed(&mut self, text: &str) -> String {
        self.held.push_str(text);
        let mut out = String::new();
        while self.step(&mut out) {}
        self.shows(&out);
        out
    }

    fn shows(&mut self, text: &str) {
        self.is_shown |= !text.trim().is_empty();
        self.code = self.code.behind(text);
    }

    /// Does one step. Returns false if it needs more text.
    fn step(&mut self, out: &mut String) -> bool {
        match self.stage {
            TextStage::Start => self.start(),
            TextStage::Thoughts(close) => {
                if let Some(at) = self.held.find(close) {
                    self.held.drain(..at + close.len());
                    self.stage = TextStage::Start;
                    return true;
                }
                let kept = beginning_of(&self.held, [close]);
                self.held.drain(..self.held.len() - kept);
                false
            }
            TextStage::Open => {
                let found = MARKERS.iter().filter_map(|marker| self.find(marker)).min();
                let shown = found.unwrap_or(self.held.len() - beginning_of(&self.held, MARKERS));
                out.extend(self.held.drain(..shown));
                if found.is_some() {
                    self.stage = TextStage::Call;
                }
                false
            }
            TextStage::Call => false,
        }
    }

    fn start(&mut self) -> bool {
        let trimmed = self.held.trim_start();
        let begins = self.held.len() - trimmed.len();
        if let Some((open, close)) = THOUGHTS.iter().find(|(open, _)| trimmed.starts_with(open)) {
            self.held.drain(..begins + open.len());
            (self.stage, self.is_trimmed) = (TextStage::Thoughts(close), true);
            return true;
        }
        if let Some(head) = HEADS.iter().find(|head| trimmed.starts_with(*head)) {
            self.held.drain(..begins + head.len());
            self.is_trimmed = true;
            return true;
        }
        let opens = THOUGHTS.iter().map(|(open, _)| *open).chain(HEADS);
        if opens.into_iter().any(|open| open.starts_with(trimmed)) {
            return false;
        }
        let trimmed = trimmed.to_owned();
        if self.is_trimmed {
            self.held.drain(..begins);
        }
        match trimmed.strip_prefix('{').map(str::trim_start) {
            Some(member) if FIRST_MEMBERS.iter().any(|first| member.starts_with(first)) => self.stage = TextStage::Call,
            Some(member) if FIRST_MEMBERS.iter().any(|first| first.starts_with(member)) => return false,
            Some(_) | None => self.stage = TextStage::Open,
        }
        true
    }

    /// The first such marker outside of code.
    fn find(&self, marker: &str) -> Option<usize> {
        let mut places = self.held.match_indices(marker).map(|(at, _)| at);
        places.find(|at| !self.code.behind(&self.held[..*at]).is_code())
    }

    /// The end of the answer; `tools` are the names that the model may call.
    pub(super) fn finish(&mut self, tools: &[String]) -> TextEnd {
        let held = std::mem::take(&mut self.held);
        match self.stage {
            TextStage::Start | TextStage::Open => {
                self.shows(&held);
                TextEnd::Text(held)
            }
            TextStage::Thoughts(_) => TextEnd::Hidden,
            TextStage::Call => match written::calls(&held, tools) {
                Some(calls) => TextEnd::Calls(calls),
                None if written::looks_like_a_call(&held) => TextEnd::Hidden,
                None => {
                    self.shows(&held);
                    TextEnd::Text(held)
                }
            },
        }
    }
}

/// The length of the longest end of a text that one of these marks may begin with.
fn beginning_of<const N: usize>(text: &str, marks: [&str; N]) -> usize {
    let longest = marks.iter().map(|mark| mark.len()).max().unwrap_or_default();
    let from = text.len().saturating_sub(longest);
    let mut ends = text.char_indices().map(|(at, _)| at).filter(|at| *at >= from);
    let end = ends.find(|at| marks.iter().any(|mark| mark.starts_with(&text[*at..])));
    end.map_or(0, |at| text.len() - at)
}
