//! The meaning of keys in the card: one table.

/// The key that moves from one tab stop to the next, as `KeyboardEvent.key` names it.
pub(crate) const TAB: &str = "Tab";
pub(crate) const ENTER: &str = "Enter";
pub(crate) const ESCAPE: &str = "Escape";

/// A key press, independent of the browser.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyPress<'a> {
    /// As `KeyboardEvent.key` names it.
    pub key: &'a str,
    /// Ctrl or ⌘ is held.
    pub ctrl_or_meta: bool,
    /// Alt is held.
    pub alt: bool,
    /// Shift is held.
    pub shift: bool,
    /// The key is held down.
    pub repeat: bool,
    /// An input method is composing: the key belongs to it.
    pub composing: bool,
    /// `preventDefault` was called before.
    pub prevented: bool,
}

/// The kind of element that has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FocusKind {
    /// A radio button that is not checked.
    UncheckedRadio,
    /// A checked radio button, or any check box.
    Choice,
    /// A button that answers at once.
    PickButton,
    /// The text field of the free-text answer.
    Text,
    /// The text field of a note.
    Note,
    /// The field that filters a long list.
    Filter,
    /// A button that belongs to one question, beside its options.
    QuestionButton,
    /// Any other button.
    Button,
}

/// An action of the card. Each one prevents the browser's own default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// Choose the focused option.
    Choose,
    /// Go to the next unanswered question, or send if all are answered.
    Confirm,
    /// Check everything and send.
    Submit,
    /// Take the nth control of the question, counted from 1.
    Nth(usize),
    /// Walk to another row of a long list.
    Walk(Walk),
    /// Empty the filter of a long list.
    Unfilter,
    /// Leave the text field for its own radio button or check box.
    LeaveText,
    /// Do nothing; only keep the browser from submitting the form or clicking a button by itself.
    Swallow,
}

/// A way through the rows of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// To the row below.
    Next,
    /// To the row above.
    Previous,
}

/// Returns true for an Escape that nothing else has handled.
pub(crate) fn is_plain_escape(press: KeyPress<'_>) -> bool {
    press.key == "Escape" && !(press.prevented || press.composing || press.alt || press.ctrl_or_meta)
}

/// The table of keys (K1–K12 of the README). `None` leaves the key to the browser and to the host.
pub(crate) fn intent(press: KeyPress<'_>, place: FocusKind) -> Option<Intent> {
    if press.prevented || press.composing {
        return None;
    }
    if press.alt {
        // Alt+Enter also submits a form from its inputs; in a text it breaks the line.
        let submits =
            press.key == ENTER && matches!(place, FocusKind::UncheckedRadio | FocusKind::Choice | FocusKind::Filter);
        return submits.then_some(Intent::Swallow);
    }
    match (press.key, place) {
        ("Enter", _) if press.ctrl_or_meta => Some(once(press, Intent::Submit)),
        ("Enter", FocusKind::UncheckedRadio) => Some(once(press, Intent::Choose)),
        ("Enter", FocusKind::Choice) => Some(once(press, Intent::Confirm)),
        ("Enter", FocusKind::Text | FocusKind::Note) if !press.shift => Some(once(press, Intent::Confirm)),
        ("Enter", FocusKind::Filter) => Some(once(press, Intent::Walk(Walk::First))),
        ("ArrowDown", FocusKind::Filter) => Some(Intent::Walk(Walk::First)),
        // Browsers repeat the click while Enter is held, and the repeat would confirm what the first press asks about.
        ("Enter", FocusKind::PickButton | FocusKind::QuestionButton | FocusKind::Button) if press.repeat => {
            Some(Intent::Swallow)
        }
        (ESCAPE, FocusKind::Text) if !press.ctrl_or_meta => Some(Intent::LeaveText),
        (ESCAPE, FocusKind::Filter) if !press.ctrl_or_meta => Some(Intent::Unfilter),
        (key, FocusKind::UncheckedRadio | FocusKind::Choice | FocusKind::PickButton | FocusKind::QuestionButton)
            if !press.ctrl_or_meta =>
        {
            match nth(key) {
                Some(nth) => (!press.repeat).then_some(Intent::Nth(nth)),
                None if place == FocusKind::QuestionButton => None,
                None => walk(key),
            }
        }
        _ => None,
    }
}

fn once(press: KeyPress<'_>, intent: Intent) -> Intent {
    match press.repeat {
        true => Intent::Swallow,
        false => intent,
    }
}

/// The meaning of a key on a row of a long list.
fn walk(key: &str) -> Option<Intent> {
    Some(match key {
        "Home" => Intent::Walk(Walk::First),
        "End" => Intent::Walk(Walk::Last),
        "ArrowDown" => Intent::Walk(Walk::Next),
        "ArrowUp" => Intent::Walk(Walk::Previous),
        ESCAPE => Intent::Unfilter,
        _ => return None,
    })
}

fn nth(key: &str) -> Option<usize> {
    match key.as_bytes() {
        [digit @ b'1'..=b'9'] => Some(usize::from(digit - b'0')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [FocusKind; 8] = [
        FocusKind::UncheckedRadio,
        FocusKind::Choice,
        FocusKind::PickButton,
        FocusKind::Text,
        FocusKind::Note,
        FocusKind::Filter,
        FocusKind::QuestionButton,
        FocusKind::Button,
    ];

    fn key(key: &str) -> KeyPress<'_> {
        KeyPress { key, ..KeyPress::default() }
    }

    #[track_caller]
    fn check(press: KeyPress<'_>, expected: [Option<Intent>; 8]) {
        assert_eq!(PLACES.map(|place| intent(press, place)), expected, "{press:?} in {PLACES:?}");
    }

    #[test]
    fn k1_k3_k10_space_tab_and_arrows_to_the_side_stay_native() {
        for native in ["ArrowLeft", "ArrowRight", " ", "Tab", "a"] {
            check(key(native), [None; 8]);
        }
    }

    /// In a short list, the card leaves these keys to the browser.
    #[test]
    fn k2_keys_walk_the_rows_of_a_long_list() {
        for (name, walk) in
            [("Home", Walk::First), ("End", Walk::Last), ("ArrowDown", Walk::Next), ("ArrowUp", Walk::Previous)]
        {
            let walk = Some(Intent::Walk(walk));
            let of_field = (name == "ArrowDown").then_some(Intent::Walk(Walk::First));
            check(key(name), [walk, walk, walk, None, None, of_field, None, None]);
        }
    }

    #[test]
    fn k4_k5_digits_choose_on_controls_and_type_in_text() {
        let third = Some(Intent::Nth(3));
        check(key("3"), [third, third, third, None, None, None, third, None]);
        check(key("0"), [None; 8]);
        check(key("10"), [None; 8]);
    }

    #[test]
    fn k6_k7_enter_confirms_and_never_submits_by_itself() {
        let confirm = Some(Intent::Confirm);
        let first = Some(Intent::Walk(Walk::First));
        check(key("Enter"), [Some(Intent::Choose), confirm, None, confirm, confirm, first, None, None]);
    }

    #[test]
    fn k8_shift_enter_is_a_line_break_in_text() {
        let press = KeyPress { shift: true, ..key("Enter") };
        assert_eq!(intent(press, FocusKind::Text), None);
        assert_eq!(intent(press, FocusKind::Note), None);
        assert_eq!(intent(press, FocusKind::Choice), Some(Intent::Confirm));
    }

    #[test]
    fn k9_ctrl_enter_submits_from_anywhere() {
        let press = KeyPress { ctrl_or_meta: true, ..key("Enter") };
        check(press, [Some(Intent::Submit); 8]);
    }

    #[test]
    fn k11_k12_escape_leaves_the_text_or_empties_a_filter() {
        let unfilter = Some(Intent::Unfilter);
        let all = [unfilter, unfilter, unfilter, Some(Intent::LeaveText), None, unfilter, None, None];
        check(key("Escape"), all);
    }

    #[test]
    fn held_enter_acts_once_and_held_digits_do_not() {
        let enter = KeyPress { repeat: true, ..key("Enter") };
        let swallow = Some(Intent::Swallow);
        check(enter, [swallow; 8]);
        check(KeyPress { repeat: true, ..key("1") }, [None; 8]);
    }

    #[test]
    fn composed_prevented_and_modified_keys_are_left_alone() {
        for name in ["Enter", "Escape", "1"] {
            check(KeyPress { composing: true, ..key(name) }, [None; 8]);
            check(KeyPress { prevented: true, ..key(name) }, [None; 8]);
        }
        for name in ["Escape", "1"] {
            check(KeyPress { alt: true, ..key(name) }, [None; 8]);
        }
        let swallow = Some(Intent::Swallow);
        check(KeyPress { alt: true, ..key("Enter") }, [swallow, swallow, None, None, None, swallow, None, None]);
        check(KeyPress { ctrl_or_meta: true, ..key("1") }, [None; 8]);
    }
}
