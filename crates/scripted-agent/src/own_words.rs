//! The user's words: those of an answer, and those that begin something new.

use ask_user_question::outcome::OutcomeKind;
use question_agent::message::Message;

/// Returns true if the user starts something new with the message at this index, as with the change of an answer. A pick may come as a message as
/// well. Other clients do not mark it, but it directly follows the result that brought the answer.
pub(crate) fn begins(history: &[Message], index: usize) -> bool {
    let Message::User(message) = &history[index] else {
        return false;
    };
    if let Some(ask) = &message.ask {
        return ask.replaces.is_some();
    }
    let before = history[..index].iter().rev();
    let mut results = before
        .skip_while(|message| matches!(message, Message::User(_)))
        .take_while(|message| matches!(message, Message::Tool(_)));
    !results.any(is_of_its_user)
}

/// Returns true if a result holds the user's words to an ask. An ask that was left for something else, or was never answered, has none.
fn is_of_its_user(message: &Message) -> bool {
    let Message::Tool(result) = message else {
        return false;
    };
    result.ask.as_ref().is_some_and(|ask| match ask.outcome {
        OutcomeKind::Answered | OutcomeKind::RepliedInChat | OutcomeKind::Declined => true,
        OutcomeKind::Expired | OutcomeKind::Superseded | OutcomeKind::Cancelled | OutcomeKind::Withdrawn => false,
    })
}
