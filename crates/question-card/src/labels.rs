//! The card's own words, in one value.

/// Every word that the card says itself. A field that depends on numbers is a function, so that a language can use its own plural rules;
/// `{placeholders}` would leave that to luck. Values are plain pointers: a `Labels` is copied, never allocated.
///
/// To change some words: `Labels { submit: "Send", ..Labels::ENGLISH }`.
#[derive(Clone, Copy, Debug)]
pub struct Labels {
    /// Names the form where nothing else does.
    pub title: &'static str,
    /// The hint under a question that takes one option.
    pub select_one: &'static str,
    /// The hint under a question that takes several.
    pub select_many: &'static str,
    /// The label of the row for an answer of one's own.
    pub other: &'static str,
    /// Shown in the empty text field of that row; never its name.
    pub other_placeholder: &'static str,
    /// Names the preview of an option, given its label.
    pub preview: fn(label: &str) -> String,
    /// Under a text that is on the screen but not part of the answer.
    pub other_unsent: &'static str,
    /// The main button.
    pub submit: &'static str,
    /// The button beside the text field where a tap on an option answers.
    pub send: &'static str,
    /// Why the buttons do not act yet.
    pub submit_wait: &'static str,
    /// Declines the question.
    pub cancel: &'static str,
    /// What the Cancel button says where answers would be lost.
    pub cancel_confirm: &'static str,
    /// Takes the Cancel back.
    pub keep_answering: &'static str,
    /// Hands the question to the host's composer.
    pub reply_in_chat: &'static str,
    /// Shown before the first question has begun.
    pub composing: &'static str,
    /// Shown where the arguments cannot be used.
    pub malformed: &'static str,
    /// Names the text field where the arguments cannot be used.
    pub malformed_answer: &'static str,
    /// Announced once the arguments are complete: how many questions, and the first one's header and text.
    pub ready: fn(count: usize, header: &str, question: &str) -> String,
    /// Enter, with nothing to confirm.
    pub nudge: &'static str,
    /// The error of a question without an answer, given its header or text.
    pub error_select: fn(question: &str) -> String,
    /// The error of an own answer without text.
    pub error_other: &'static str,
    /// How many of all questions still need an answer.
    pub unanswered: fn(open: usize, count: usize) -> String,
    /// While the reply is on its way.
    pub sending: &'static str,
    /// The reply went through.
    pub sent: &'static str,
    /// The cancellation went through.
    pub declined: &'static str,
    /// The reply did not go through, with the host's reason.
    pub failed: fn(reason: &str) -> String,
    /// The ask ended while it was on the screen.
    pub no_longer_waiting: &'static str,
    /// Before a chosen answer, for those who do not see its mark.
    pub selected_prefix: &'static str,
    /// A receipt's state: answered.
    pub answered: &'static str,
    /// A receipt's state: the user cancelled.
    pub cancelled: &'static str,
    /// A receipt's state: answered in the composer.
    pub replied_in_chat: &'static str,
    /// A receipt's state: the user went on with something else.
    pub superseded: &'static str,
    /// A receipt's state: the deadline passed.
    pub expired: &'static str,
    /// A receipt's state: the run or the connection broke off.
    pub interrupted: &'static str,
    /// In a receipt, a question that the user skipped.
    pub skipped: &'static str,
    /// In a receipt, a question without an answer.
    pub no_answer: &'static str,
    /// Before what was typed or chosen and never sent.
    pub late: &'static str,
    /// Copies it.
    pub copy: &'static str,
    /// It was copied.
    pub copied: &'static str,
    /// Sends it as a message of its own.
    pub send_as_message: &'static str,
    /// Why it cannot be sent as a message at this moment, where the host would not take it.
    pub not_now: &'static str,
    /// Puts it away.
    pub dismiss: &'static str,
}

impl Labels {
    /// English.
    pub const ENGLISH: Self = Self {
        title: "Question from the agent",
        select_one: "Select one",
        select_many: "Select all that apply",
        other: "Other",
        other_placeholder: "Type your own answer",
        preview: english_preview,
        other_unsent: "This text will not be sent",
        submit: "Submit answers",
        send: "Send",
        submit_wait: "The question is still arriving",
        cancel: "Cancel question",
        cancel_confirm: "Cancel and discard answers?",
        keep_answering: "Keep answering",
        reply_in_chat: "Reply in chat instead",
        composing: "Preparing a question\u{2026}",
        malformed: "The agent\u{2019}s question could not be read",
        malformed_answer: "Your answer",
        ready: english_ready,
        nudge: "Choose an option first",
        error_select: english_error_select,
        error_other: "Enter your answer",
        unanswered: english_unanswered,
        sending: "Sending your answer",
        sent: "Answer sent",
        declined: "Question cancelled",
        failed: english_failed,
        no_longer_waiting: "This question is no longer waiting",
        selected_prefix: "Selected:",
        answered: "Answered",
        cancelled: "Cancelled",
        replied_in_chat: "Replied in chat",
        superseded: "Superseded",
        expired: "Expired",
        interrupted: "Interrupted",
        skipped: "Skipped",
        no_answer: "No answer",
        late: "Not sent",
        copy: "Copy",
        copied: "Copied",
        send_as_message: "Send as a message",
        not_now: "The agent is still writing. Try again when it has finished.",
        dismiss: "Dismiss",
    };
}

impl Default for Labels {
    fn default() -> Self {
        Self::ENGLISH
    }
}

fn english_ready(count: usize, header: &str, question: &str) -> String {
    let asks = match count {
        1 => "The agent asks 1 question.".to_owned(),
        _ => format!("The agent asks {count} questions."),
    };
    match header {
        "" => format!("{asks} {question}"),
        _ => format!("{asks} {header}: {question}"),
    }
}

fn english_preview(label: &str) -> String {
    format!("Preview of {label}")
}

fn english_error_select(question: &str) -> String {
    format!("Select an answer for {question}")
}

fn english_unanswered(open: usize, count: usize) -> String {
    match count {
        1 => "The question still needs an answer".to_owned(),
        _ if open == 1 => format!("1 of {count} questions still needs an answer"),
        _ => format!("{open} of {count} questions still need an answer"),
    }
}

fn english_failed(reason: &str) -> String {
    format!("Your answer was not sent. {reason}")
        .trim_end()
        .to_owned()
}
