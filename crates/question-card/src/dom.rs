//! Ids and names of the card's elements: pure functions of the call and of indexes, so that server and browser agree and no text of the
//! model ever becomes an id.

use ask_user_question::text::joined;

/// The key of a call in the page and in the storage. Agents number their calls, so an id is unique only within its conversation, which the
/// host names by `scope`.
#[must_use]
pub(crate) fn call_key(scope: &str, tool_call_id: &str) -> String {
    match scope {
        "" => tool_call_id.to_owned(),
        // The length of the scope makes the key unambiguous.
        _ => joined(&[&scope.len().to_string(), scope, tool_call_id], ":"),
    }
}

/// Makes the ids of one card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ids {
    call: u64,
}

/// Declares the controls, each with the suffix of its id.
macro_rules! controls {
    (
        of an option: $($(#[$option_doc:meta])* $option:ident = $option_part:literal,)*;
        of a question: $($(#[$question_doc:meta])* $question:ident = $question_part:literal,)*;
        of the card: $($(#[$single_doc:meta])* $single:ident = $single_part:literal,)*
    ) => {
        /// An element that the user can act on. Its id names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Control {
            $($(#[$option_doc])* $option {
                /// The question's index.
                question: usize,
                /// The option's index.
                option: usize,
            },)*
            $($(#[$question_doc])* $question {
                /// The question's index.
                question: usize,
            },)*
            $($(#[$single_doc])* $single,)*
        }

        impl Control {
            /// Its question, the suffix of its id, and its option.
            pub(crate) fn place(self) -> (Option<usize>, &'static str, Option<usize>) {
                match self {
                    $(Self::$option { question, option } => (Some(question), $option_part, Some(option)),)*
                    $(Self::$question { question } => (Some(question), $question_part, None),)*
                    single => {
                        let found = SINGLE.iter().find(|(control, _)| *control == single);
                        (None, found.map_or("", |(_, part)| part), None)
                    }
                }
            }

            /// The control of a question with this suffix.
            fn at(question: usize, part: &str, option: Option<usize>) -> Option<Self> {
                Some(match (part, option) {
                    $(($option_part, Some(option)) => Self::$option { question, option },)*
                    $(($question_part, None) => Self::$question { question },)*
                    _ => return None,
                })
            }
        }

        /// The controls that a card has once, with the suffixes of their ids. A list is smaller than code.
        const SINGLE: &[(Control, &str)] = &[$((Control::$single, $single_part)),*];
    };
}

controls! {
    of an option:
    /// The input or button of an option.
    Option = "o",
    /// The row of an option, around its input or button.
    Row = "row",
    /// The button that gives a ranked option the place before its own.
    Up = "up",
    /// The button that gives a ranked option the place after its own.
    Down = "down",
    /// The button that removes the file of this key.
    Unfile = "unfile",
    /// The button that tries the file of this key again.
    Refile = "refile",
    ;
    of a question:
    /// The radio button or check box of the free-text answer.
    Other = "other",
    /// The text field of the free-text answer.
    OtherText = "text",
    /// The text field of the note.
    Note = "note",
    /// The button that opens the field of the note.
    AddNote = "addnote",
    /// The button that adds files to an answer.
    Attach = "attach",
    /// The button that skips a question.
    Skip = "skip",
    /// The field that filters the options of a long list.
    Filter = "filter",
    /// The button that chooses all options of a long list that are shown.
    All = "all",
    /// The button that chooses none of the options that are shown.
    Clear = "clear",
    /// The row of the free-text answer.
    OtherRow = "otherrow",
    /// The button that leads to a question which still needs an answer.
    Way = "way",
    /// The button that shows a question, if one is shown at a time.
    Step = "step",
    ;
    of the card:
    /// The button that shows the question before.
    Back = "back",
    /// The button that shows the question after.
    Onward = "onward",
    /// The Submit button.
    Submit = "submit",
    /// The Cancel button, which declines.
    Cancel = "cancel",
    /// The button that undoes the first press of Cancel.
    Keep = "keep",
    /// The button that takes back a decline that was not sent yet.
    Undo = "undo",
    /// The button that sends a failed reply again.
    Again = "again",
    /// The button that leaves the rest to the host's composer.
    InChat = "inchat",
    /// The button by which a held reply can be changed, or an answer that the agent has.
    Change = "change",
    /// The button that leads to the ask that a held reply waits for.
    Next = "next",
    /// The button that asks for more time.
    MoreTime = "moretime",
    /// The button that copies a receipt.
    CopyReceipt = "copyreceipt",
    /// The button that copies the late text.
    CopyLate = "copylate",
    /// The button that sends the late text as a message.
    SendLate = "sendlate",
    /// The button that dismisses the late text.
    Dismiss = "dismiss",
    /// The button that sends an expired question back to the agent.
    AskAgain = "askagain",
}

impl Control {
    /// The index of the question that it belongs to; `None` for a control of the whole card.
    #[must_use]
    pub fn question(self) -> Option<usize> {
        self.place().0
    }

    /// A number by which buttons of one class differ.
    pub(crate) fn key(self) -> usize {
        let (question, part, _) = self.place();
        part.bytes().fold(question.unwrap_or_default(), |key, byte| key.wrapping_mul(31).wrapping_add(byte.into()))
    }
}

impl Ids {
    /// The ids of the card that shows this call. If the host sets a scope, the argument is the call's key in that scope.
    #[must_use]
    pub fn new(tool_call_id: &str) -> Self {
        Self { call: fnv1a(tool_call_id) }
    }

    /// The id of a control.
    #[must_use]
    pub fn control(self, control: Control) -> String {
        let (question, part, option) = control.place();
        match question {
            Some(question) => self.of(question, part) + &option.map(|option| option.to_string()).unwrap_or_default(),
            None => self.one(part),
        }
    }

    /// The control of this card that has this id; `None` for any other id.
    #[must_use]
    pub fn parse(self, id: &str) -> Option<Control> {
        let rest = id.strip_prefix(self.start().as_str())?.strip_prefix('-')?;
        let Some((question, part)) = rest.split_once('-') else {
            return SINGLE.iter().find(|(_, part)| *part == rest).map(|(control, _)| *control);
        };
        let question = number(question.strip_prefix('q')?)?;
        let end = part.bytes().position(|byte| byte.is_ascii_digit()).unwrap_or(part.len());
        let (part, option) = part.split_at_checked(end)?;
        Control::at(question, part, if option.is_empty() { None } else { Some(number(option)?) })
    }

    /// The prefix of all ids of the card.
    fn start(self) -> String {
        let mut start = "qc-".to_owned();
        for place in (0..64).step_by(4).rev() {
            start.extend(char::from_digit((self.call >> place) as u32 & 15, 16));
        }
        start
    }

    /// The id of an element that the card has once.
    fn one(self, part: &str) -> String {
        self.start() + "-" + part
    }

    /// The id of an element that belongs to a question.
    fn of(self, question: usize, part: &str) -> String {
        self.name(question) + "-" + part
    }

    /// The id of the line with the number of characters left in a text field.
    #[must_use]
    pub fn counter(self, field: Control) -> String {
        self.control(field) + "-counter"
    }
}

/// Declares the ids of elements that the user does not act on, each with its suffix.
macro_rules! ids {
    (
        of the card: $($(#[$single_doc:meta])* $single:ident = $single_part:literal,)*;
        of a question: $($(#[$question_doc:meta])* $question:ident = $question_part:literal,)*;
        of an option: $($(#[$option_doc:meta])* $option:ident = $option_part:literal,)*;
        by number: $($(#[$number_doc:meta])* $number:ident = $number_part:literal,)*
    ) => {
        impl Ids {
            $($(#[$single_doc])* #[must_use] pub fn $single(self) -> String {
                self.one($single_part)
            })*
            $($(#[$question_doc])* #[must_use] pub fn $question(self, question: usize) -> String {
                self.of(question, $question_part)
            })*
            $($(#[$option_doc])* #[must_use] pub fn $option(self, question: usize, option: usize) -> String {
                self.control(Control::Option { question, option }) + $option_part
            })*
            $($(#[$number_doc])* #[must_use] pub fn $number(self, question: usize) -> String {
                self.one($number_part) + &question.to_string()
            })*
        }
    };
}

ids! {
    of the card:
    /// The key of the browser's storage under which the draft is kept.
    draft = "draft",
    /// The title of the form.
    title = "title",
    /// The line that says why the buttons do not act yet.
    wait = "wait",
    /// The state line of the receipt.
    receipt = "receipt",
    /// The disclosure with the options, in the receipt.
    choice = "choice",
    /// The reply in the chat, in the receipt.
    receipt_reply = "receipt-reply",
    ;
    of a question:
    /// The legend of a question.
    legend = "legend",
    /// The hint under a legend.
    hint = "hint",
    /// The error under a legend.
    error = "error",
    /// The label of a note.
    note_label = "note-label",
    /// The line that says a question will be sent without an answer.
    skipping = "skipping",
    /// The label of the free-text answer.
    other_label = "other-label",
    /// The line with the number of options that are shown.
    matches = "matches",
    /// The line that says a text will not be sent.
    unsent = "unsent",
    ;
    of an option:
    /// The description of an option.
    description = "-desc",
    /// The picture of an option.
    picture = "-picture",
    ;
    by number:
    /// The name that the inputs of a question share.
    name = "q",
    /// A question in the receipt.
    receipt_question = "receipt-q",
    /// The answer to a question in the receipt.
    receipt_answer = "receipt-a",
}

/// Parses a number as ids have it.
fn number(digits: &str) -> Option<usize> {
    let digit = |byte: u8| char::from(byte).to_digit(10);
    let add = |number: usize, byte: u8| number.checked_mul(10)?.checked_add(digit(byte)? as usize);
    if digits.is_empty() { None } else { digits.bytes().try_fold(0, add) }
}

pub(crate) fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_leads_back_to_its_control() {
        let ids = Ids::new("call \"1\" ]#</script>\u{202e}😀");
        let controls = [
            Control::Option { question: 0, option: 12 },
            Control::Other { question: 3 },
            Control::OtherText { question: 3 },
            Control::Note { question: 0 },
            Control::AddNote { question: 11 },
            Control::Skip { question: 2 },
            Control::Row { question: 2, option: 1 },
            Control::Up { question: 1, option: 10 },
            Control::Down { question: 1, option: 0 },
            Control::OtherRow { question: 2 },
            Control::Way { question: 2 },
            Control::Step { question: 2 },
        ];
        for control in controls.into_iter().chain(SINGLE.iter().map(|(control, _)| *control)) {
            let id = ids.control(control);
            assert_eq!(ids.parse(&id), Some(control));
            assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{id} needs no escape anywhere");
        }
    }
}
