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
    Some(match name {
        "title" => &mut labels.title,
        "selectOne" => &mut labels.select_one,
        "pickOne" => &mut labels.pick_one,
        "selectMany" => &mut labels.select_many,
        "other" => &mut labels.other,
        "otherPlaceholder" => &mut labels.other_placeholder,
        "otherUnsent" => &mut labels.other_unsent,
        "addNote" => &mut labels.add_note,
        "note" => &mut labels.note,
        "skip" => &mut labels.skip,
        "skipping" => &mut labels.skipping,
        "submit" => &mut labels.submit,
        "send" => &mut labels.send,
        "submitWait" => &mut labels.submit_wait,
        "cancel" => &mut labels.cancel,
        "cancelConfirm" => &mut labels.cancel_confirm,
        "keepAnswering" => &mut labels.keep_answering,
        "replyInChat" => &mut labels.reply_in_chat,
        "composing" => &mut labels.composing,
        "malformed" => &mut labels.malformed,
        "malformedAnswer" => &mut labels.malformed_answer,
        "nudge" => &mut labels.nudge,
        "errorOther" => &mut labels.error_other,
        "back" => &mut labels.back,
        "onward" => &mut labels.onward,
        "moreTime" => &mut labels.more_time,
        "sending" => &mut labels.sending,
        "held" => &mut labels.held,
        "change" => &mut labels.change,
        "nextAsk" => &mut labels.next_ask,
        "takenBack" => &mut labels.taken_back,
        "tryAgain" => &mut labels.try_again,
        "sent" => &mut labels.sent,
        "declined" => &mut labels.declined,
        "answeredElsewhere" => &mut labels.answered_elsewhere,
        "list" => &mut labels.list,
        "selectedPrefix" => &mut labels.selected_prefix,
        "answered" => &mut labels.answered,
        "cancelled" => &mut labels.cancelled,
        "repliedInChat" => &mut labels.replied_in_chat,
        "superseded" => &mut labels.superseded,
        "expired" => &mut labels.expired,
        "interrupted" => &mut labels.interrupted,
        "notAnswered" => &mut labels.not_answered,
        "showAll" => &mut labels.show_all,
        "skipped" => &mut labels.skipped,
        "noAnswer" => &mut labels.no_answer,
        "late" => &mut labels.late,
        "copy" => &mut labels.copy,
        "copied" => &mut labels.copied,
        "copyAnswers" => &mut labels.copy_answers,
        "copyFailed" => &mut labels.copy_failed,
        "copyQuestion" => &mut labels.copy_question,
        "copyAnswer" => &mut labels.copy_answer,
        "sendAsMessage" => &mut labels.send_as_message,
        "notNow" => &mut labels.not_now,
        "dismiss" => &mut labels.dismiss,
        _ => return None,
    })
}
