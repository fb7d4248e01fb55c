//! The part of a growing ask that the next walk can skip.

use ask_user_question::{AskSnapshot, Phase};

/// The number of complete questions, and of complete options of the question after them.
pub(super) type Complete = (usize, usize);

/// The part of an ask that was complete when the last walk drew it.
#[derive(Default)]
pub(super) struct Growth {
    complete: Complete,
    /// There was a second question. The extras of a single question are elsewhere in the card.
    has_several: bool,
}

impl Growth {
    /// The part that the next walk can skip: nothing if the ask did more than grow, because then any of it may look different.
    pub(super) fn next(&mut self, ask: &AskSnapshot, only_grew: bool) -> Complete {
        let streams = ask.phase == Phase::Streaming;
        let has_several = ask.questions.len() > 1;
        let only_grew = only_grew && self.has_several == has_several;
        self.has_several = has_several;
        let unchanged = if streams && only_grew { self.complete } else { (0, 0) };
        // The end of the arguments may replace any text and drop any option.
        self.complete = if streams { complete(ask, self.complete) } else { (0, 0) };
        unchanged
    }
}

/// The complete part of a growing ask, which does not change any more: the number of questions, and of options of the next one. The search
/// begins at the part that was complete before.
fn complete(ask: &AskSnapshot, (from, _): (usize, usize)) -> (usize, usize) {
    let closed = ask.questions.iter().skip(from).take_while(|asked| asked.closed).count();
    let next = ask.questions.get(from + closed).filter(|asked| asked.multi_select.is_some());
    let options = next.map_or(0, |asked| asked.options.iter().take_while(|option| option.closed).count());
    (from + closed, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask_user_question::arriving::Arriving;

    #[test]
    fn what_is_complete_is_not_looked_at_again() {
        let question = |text: &str| {
            let options = r#"[{"label":"A","description":"x"},{"label":"B","description":"y"}]"#;
            format!(r#"{{"question":"{text}","header":"H","multiSelect":false,"options":{options}}}"#)
        };
        let arguments = format!(r#"{{"questions":[{},{}]}}"#, question("Which?"), question("What?"));
        let (mut arriving, mut ask) = (Arriving::default(), AskSnapshot::new("call"));
        let (mut drawn, mut seen) = (Growth::default(), (0, 0));
        for letter in arguments.chars() {
            arriving.feed(letter.encode_utf8(&mut [0; 4]), &mut ask);
            let had_several = drawn.has_several;
            let unchanged = drawn.next(&ask, true);
            assert!(unchanged >= seen || drawn.has_several != had_several, "{unchanged:?} after {seen:?}");
            seen = unchanged;
        }
        assert_eq!(seen, (2, 0));
        assert_eq!(drawn.next(&ask, false), (0, 0), "all of it may look different now");
    }
}
