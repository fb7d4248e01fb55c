//! How long there is to answer: shown, warned of once, and kept.

use super::state::{CardState, Submission, takes_answer};
use crate::anatomy::part;
use crate::effect::effect;
use crate::labels::{TimeLeft, Unit};
use ask_user_question::{AskSnapshot, Phase};
use leptos::ev::MouseEvent;
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use std::time::Duration;

/// The longest time, in milliseconds, that browsers wait for; a later change is looked at again then.
const LONGEST_TIMEOUT: u64 = 2_147_483_647;

/// The deadline of a card.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    /// The host's own, and its clock.
    host: HostTime,
    /// The one that holds.
    at: RwSignal<Option<u64>>,
    left: RwSignal<Option<TimeLeft>>,
    passed: StoredValue<bool>,
    /// What the user last heard: of which deadline, and whether it was urgent.
    told: StoredValue<Option<(u64, bool)>>,
    /// The card has looked at the clock before. What had passed by then is no news.
    looked: StoredValue<bool>,
    timer: StoredValue<Option<TimeoutHandle>>,
}

/// What the host says of time, in milliseconds since the Unix epoch.
#[derive(Clone, Copy)]
pub(crate) struct HostTime {
    pub(crate) expires_at: Signal<Option<u64>>,
    pub(crate) now: Option<Signal<u64>>,
}

impl Deadline {
    pub(crate) fn new(host: HostTime) -> Self {
        Self {
            host,
            at: RwSignal::new(None),
            left: RwSignal::new(None),
            passed: StoredValue::new(false),
            told: StoredValue::new(None),
            looked: StoredValue::new(false),
            timer: StoredValue::new(None),
        }
    }

    /// Whether the user is there to hear of the end.
    pub(crate) fn is_news(self) -> bool {
        self.looked.get_value()
    }

    fn set_timer(self, timer: Option<TimeoutHandle>) {
        let earlier = self.timer.try_update_value(|slot| std::mem::replace(slot, timer));
        if let Some(Some(earlier)) = earlier {
            earlier.clear();
        }
    }
}

impl CardState {
    /// The phase that the card shows: an ask whose time is up takes no answer, whether or not the host has said so.
    pub(crate) fn phase_of(self, ask: &AskSnapshot) -> Phase {
        match self.deadline.passed.get_value() && takes_answer(ask.phase) {
            true => Phase::Expired,
            false => ask.phase,
        }
    }

    /// Keeps the deadline from now on, until the current owner is cleaned up.
    pub(crate) fn keep_deadline(self) {
        let Deadline { host, at, .. } = self.deadline;
        effect(move || {
            // Whatever could change what the clock means.
            let _ = (at.get(), self.shown.phase.get(), self.submission.track());
            if let Some(now) = host.now {
                now.track();
            }
            self.look_at_clock();
        });
        effect(move || {
            host.expires_at.track();
            self.ask.with_untracked(|ask| self.know_deadline(ask));
        });
        on_cleanup(move || self.deadline.set_timer(None));
    }

    /// Takes over the deadline, where the ask has one or the host its own.
    pub(crate) fn know_deadline(self, ask: &AskSnapshot) {
        let Deadline { host, at, .. } = self.deadline;
        let known = host.expires_at.get_untracked().or(ask.expires_at);
        if at.get_untracked() != known {
            at.set(known);
        }
    }

    fn look_at_clock(self) {
        let deadline = self.deadline;
        // A reply on its way is the agent's to judge.
        let waits = self.ask.with_untracked(|ask| takes_answer(ask.phase))
            && self.submission.with_untracked(Submission::is_open);
        let left = deadline.at.get_untracked().filter(|_| waits).map(|at| {
            let now = deadline.host.now;
            (at, at.saturating_sub(now.map_or_else(browser_time, |now| now.get_untracked())))
        });
        self.pass(matches!(left, Some((_, 0))));
        let left = left.filter(|(_, left)| *left > 0);
        let said = left.map(|(_, left)| TimeLeft::of(left));
        if deadline.left.get_untracked() != said {
            deadline.left.set(said);
        }
        if let (Some((at, _)), Some(said)) = (left, said) {
            self.tell(at, said);
        }
        let next = left.filter(|_| deadline.host.now.is_none());
        deadline.set_timer(next.and_then(|(_, left)| {
            let wait = TimeLeft::changes_in(left).min(LONGEST_TIMEOUT);
            set_timeout_with_handle(move || self.look_at_clock(), Duration::from_millis(wait)).ok()
        }));
        deadline.looked.set_value(true);
    }

    /// Ends the ask, or opens it again where there is more time all at once.
    fn pass(self, passed: bool) {
        if self.deadline.passed.get_value() != passed {
            self.deadline.passed.set_value(passed);
            self.ask.with_untracked(|ask| self.follow(ask));
        }
    }

    /// Warns once when time runs out, and says what there is when there is another deadline than the user knows.
    fn tell(self, at: u64, left: TimeLeft) {
        let is_urgent = left.unit == Unit::Seconds;
        let is_news = match self.deadline.told.get_value() {
            None => is_urgent,
            Some((told, was_urgent)) => told != at || (is_urgent && !was_urgent),
        };
        if is_news {
            self.deadline.told.set_value(Some((at, is_urgent)));
            self.announcer.say((self.labels.time_left)(left));
        }
    }
}

/// How long there is, and a way to more of it. It changes in silence: who listens is warned once.
pub(crate) fn deadline(card: CardState) -> impl IntoView {
    let left = card.deadline.left;
    let any = Memo::new(move |_| left.get().is_some());
    let text = move || left.get().map(|left| (card.labels.time_left)(left));
    let is_urgent = move || left.get().is_some_and(|left| left.unit == Unit::Seconds);
    let more_time = move |on_extend: Callback<()>| {
        let extend = move |click: MouseEvent| {
            if card.is_meant(&click) {
                on_extend.run(());
            }
        };
        view! {
            <button type="button" class=format!("{} {}", part::BUTTON, part::QUIET) on:click=extend>
                {card.labels.more_time}
            </button>
        }
    };
    let line = move || {
        view! {
            <div class=part::DEADLINE data-urgent=move || is_urgent().then_some("")>
                <span role="timer">{text}</span>
                {card.calls.on_extend.map(more_time)}
            </div>
        }
    };
    move || any.get().then(line)
}

fn browser_time() -> u64 {
    // Whole milliseconds since 1970, far below what would lose digits.
    js_sys::Date::now() as u64
}
