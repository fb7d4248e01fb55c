//! Thoughts that a model's template leaves at the beginning of its text: a filter that hides them.

/// The marks around thoughts.
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

/// Text that arrives.
#[derive(Debug, Default)]
pub(crate) struct AnswerText {
    stage: Stage,
    held: String,
    /// True if a mark was removed from its beginning, with the white space behind it.
    is_trimmed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Only white space or thoughts so far.
    #[default]
    Start,
    /// In thoughts that end with this.
    Thoughts(&'static str),
    Open,
}

impl AnswerText {
    /// Takes text and returns the part to show now.
    pub(crate) fn feed(&mut self, text: &str) -> String {
        self.held.push_str(text);
        while self.step() {}
        if self.stage == Stage::Open { std::mem::take(&mut self.held) } else { String::new() }
    }

    /// The rest at the end of an answer.
    pub(crate) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.held);
        if let Stage::Thoughts(_) = self.stage { String::new() } else { rest }
    }

    /// Does one step. Returns false if it needs more text.
    fn step(&mut self) -> bool {
        match self.stage {
            Stage::Open => false,
            Stage::Thoughts(close) => {
                if let Some(at) = self.held.find(close) {
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
        let trimmed = self.held.trim_start();
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
        if opens.into_iter().any(|open| open.starts_with(trimmed)) {
            return false;
        }
        if self.is_trimmed {
            self.held.drain(..begins);
        }
        self.stage = Stage::Open;
        true
    }
}
