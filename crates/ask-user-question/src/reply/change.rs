//! The message by which a user changes an answer that the agent has.

use super::answer::Reply;
use crate::wire::AskUserQuestion;

const BEGINS: &str = "I changed my answer";

impl Reply {
    /// The text of a user message that takes the place of an earlier answer. A model needs nothing beside it.
    ///
    /// ```
    /// use ask_user_question::{AskUserQuestion, Reply};
    /// let ask: AskUserQuestion =
    ///     serde_json::from_str(r#"{"questions": [{"question": "When?", "options": [{"label": "Now"}, {"label": "Later"}]}]}"#)?;
    /// let later = Reply::read_message(&ask, "Later").expect("it is an option");
    /// assert_eq!(later.change_message(), "I changed my answer to “When?”: Later");
    /// assert_eq!(Reply::read_change(&ask, &later.change_message()), Some(later));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn change_message(&self) -> String {
        let questions: Vec<&str> = self.answers().iter().map(|answer| answer.question.as_str()).collect();
        begin(&questions) + &self.message()
    }

    /// Reads a text that [`change_message`](Self::change_message) wrote.
    #[must_use]
    pub fn read_change(ask: &AskUserQuestion, text: &str) -> Option<Self> {
        let questions: Vec<&str> = ask.questions.iter().map(|asked| asked.question.as_str()).collect();
        Self::read_message(ask, text.strip_prefix(&begin(&questions))?)
    }
}

fn begin(questions: &[&str]) -> String {
    match questions {
        [only] => format!("{BEGINS} to “{}”: ", only.split_whitespace().collect::<Vec<_>>().join(" ")),
        _ => format!("{BEGINS}s:\n"),
    }
}
