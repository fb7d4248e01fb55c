//! English.

use super::{Direction, Labels, TimeLeft, Unit, concat, question_of};

pub(super) const LABELS: Labels = Labels {
    lang: "en",
    dir: Direction::LeftToRight,
    title: "Question from the agent",
    select_one: "Select one",
    pick_one: "Tap one to send it",
    select_many: "Select all that apply",
    other: "Other",
    other_placeholder: "Your own answer",
    preview: |label| concat(&["Preview of ", label]),
    other_unsent: "This text will not be sent",
    chars_left: |left| concat(&[&characters(left), " left"]),
    chars_over: |over| concat(&[&characters(over), " too many"]),
    add_note: "Add a note",
    note: "Note",
    noted: |note| concat(&["Note: ", note]),
    skip: "Skip",
    skipping: "This question will be sent without an answer",
    submit: "Submit answers",
    send: "Send",
    submit_wait: "Waiting for the rest of the question",
    cancel: "Don’t answer",
    cancel_confirm: "Discard your answers?",
    keep_answering: "Keep answering",
    reply_in_chat: "Reply in chat instead",
    composing: "Preparing a question…",
    malformed: "The question arrived damaged. Answer in your own words.",
    malformed_answer: "Your answer",
    ready,
    nudge: "Choose an option first",
    error_select: |question| concat(&["Select an answer: ", question]),
    error_other: "Enter your answer",
    error_too_long: |over| concat(&["Shorten your text by ", &characters(over)]),
    step: |number| concat(&["Question ", &number.to_string()]),
    back: "Back",
    onward: "Next",
    progress: |answered, count| concat(&[&answered.to_string(), " of ", &count.to_string(), " answered"]),
    unanswered,
    time_left,
    more_time: "More time",
    sending: "Sending your answer",
    held: "Goes out with your next answer",
    change: "Change",
    next_ask: "Go to the next question",
    taken_back: "Your answer was not sent. You can change it.",
    try_again: "Try again",
    sent: "Answer sent",
    failed: |reason| concat(&["Your answer was not sent. ", reason]),
    answered_elsewhere: "Answered in another tab",
    list: ", ",
    selected_prefix: "Selected:",
    answered: "Answered",
    cancelled: "You chose not to answer",
    replied_in_chat: "Replied in chat",
    superseded: "You went on without it",
    expired: "Time ran out",
    interrupted: "Interrupted",
    settled: "The agent went on",
    not_answered: "Not answered",
    show_all: "Show all",
    show_options: "Show the options",
    skipped: "Skipped",
    no_answer: "No answer",
    late: "Not sent",
    copy: "Copy",
    copied: "Copied",
    copy_answers: "Copy answers",
    copy_failed: "Copying did not work. Select the text instead.",
    copy_question: "Q:",
    copy_answer: "A:",
    send_as_message: "Send as a message",
    not_now: "Not now: the agent is still writing, or another question waits for its answer.",
    dismiss: "Dismiss",
    ask_again: "Ask again",
};

fn ready(count: usize, header: &str, question: &str, options: usize) -> String {
    let asked = question_of(header, question, ": ") + &choice(options);
    let number = count.to_string();
    match count {
        1 => concat(&["The agent asks 1 question. ", &asked]),
        _ => concat(&["The agent asks ", &number, " questions. ", &asked]),
    }
}

fn choice(options: usize) -> String {
    match options {
        0 => String::new(),
        1 => " (1 option)".to_owned(),
        _ => concat(&[" (", &options.to_string(), " options)"]),
    }
}

fn unanswered(open: usize, count: usize) -> String {
    let verb = if open == 1 { "needs" } else { "need" };
    let (open, all) = (open.to_string(), count.to_string());
    match count {
        1 => "The question still needs an answer".to_owned(),
        _ => concat(&[&open, " of ", &all, " questions still ", verb, " an answer"]),
    }
}

fn characters(count: usize) -> String {
    let noun = if count == 1 { " character" } else { " characters" };
    concat(&[&count.to_string(), noun])
}

fn time_left(TimeLeft { count, unit }: TimeLeft) -> String {
    let (one, more) = match unit {
        Unit::Days => (" day", " days"),
        Unit::Hours => (" hour", " hours"),
        Unit::Minutes => (" minute", " minutes"),
        Unit::Seconds => (" second", " seconds"),
    };
    let noun = if count == 1 { one } else { more };
    concat(&[&count.to_string(), noun, " left to answer"])
}
