//! A host's own words in place of the card's.

use json_tree::Json;
use question_card::Labels;
use std::cell::RefCell;

/// The words of a language with some of a host's own, given as JSON by their names. Those that depend on numbers are the language's.
///
/// The card keeps its words as long as the page, so the next card with the same JSON finds them made.
pub(crate) fn with_own(words: &'static Labels, own: &str) -> &'static Labels {
    thread_local! { static MADE: RefCell<Vec<(String, &'static Labels)>> = const { RefCell::new(Vec::new()) }; }
    MADE.with_borrow_mut(|made| {
        if let Some((_, labels)) = made.iter().find(|(json, _)| json == own) {
            return *labels;
        }
        let mut labels = *words;
        if let Ok(Json::Object(members)) = Json::parse(own) {
            for (name, value) in members {
                if let (Some(place), Json::Text(text)) = (place(&mut labels, &name), value) {
                    *place = String::leak(text.into_owned());
                }
            }
        }
        let labels: &'static Labels = Box::leak(Box::new(labels));
        made.push((own.to_owned(), labels));
        labels
    })
}

/// Where the word of this name is.
fn place<'a>(labels: &'a mut Labels, name: &str) -> Option<&'a mut &'static str> {
    let at = NAMES.split(' ').position(|known| known == name)?;
    places(labels).into_iter().nth(at)
}

/// The words that a host can change: their names in one text, since a list of texts is a table of its own, and where they are.
macro_rules! words {
    ($($name:literal $word:ident,)*) => {
        const NAMES: &str = concat!($($name, " ",)*);

        fn places(labels: &mut Labels) -> [&mut &'static str; [$($name),*].len()] {
            [$(&mut labels.$word),*]
        }
    };
}

words! {
    "title" title,
    "selectOne" select_one,
    "pickOne" pick_one,
    "selectMany" select_many,
    "other" other,
    "otherPlaceholder" other_placeholder,
    "otherUnsent" other_unsent,
    "addNote" add_note,
    "note" note,
    "skip" skip,
    "skipping" skipping,
    "submit" submit,
    "send" send,
    "submitWait" submit_wait,
    "cancel" cancel,
    "cancelConfirm" cancel_confirm,
    "keepAnswering" keep_answering,
    "replyInChat" reply_in_chat,
    "composing" composing,
    "malformed" malformed,
    "malformedAnswer" malformed_answer,
    "nudge" nudge,
    "errorOther" error_other,
    "back" back,
    "onward" onward,
    "moreTime" more_time,
    "sending" sending,
    "held" held,
    "change" change,
    "nextAsk" next_ask,
    "takenBack" taken_back,
    "tryAgain" try_again,
    "sent" sent,
    "answeredElsewhere" answered_elsewhere,
    "list" list,
    "selectedPrefix" selected_prefix,
    "answered" answered,
    "cancelled" cancelled,
    "repliedInChat" replied_in_chat,
    "superseded" superseded,
    "expired" expired,
    "interrupted" interrupted,
    "settled" settled,
    "notAnswered" not_answered,
    "showAll" show_all,
    "showOptions" show_options,
    "skipped" skipped,
    "noAnswer" no_answer,
    "late" late,
    "copy" copy,
    "copied" copied,
    "copyAnswers" copy_answers,
    "copyFailed" copy_failed,
    "copyQuestion" copy_question,
    "copyAnswer" copy_answer,
    "sendAsMessage" send_as_message,
    "notNow" not_now,
    "dismiss" dismiss,
    "askAgain" ask_again,
}
