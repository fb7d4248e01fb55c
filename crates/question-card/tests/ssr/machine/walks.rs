//! Walks of the machine: any input of the user, the stream and the host, in any order.

use super::{Stage, question};
use crate::asks::{AskPatch, Scripted as _, stream};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
use proptest::prelude::*;
use proptest::sample::select;
use question_card::dom::Control;
use question_card::machine::{Do, Field, Input, KeyPress};
use question_card::{CardEvent, LANGUAGES, Labels, Layout, Notes, Offers, Options, Skip, SubmitMode};
use std::sync::LazyLock;

#[derive(Clone, Debug)]
enum Step {
    /// This number of patches arrives.
    Stream(usize),
    Phase(Phase),
    Reports(ReplyState),
    Choose(Control),
    Type(usize, Field, &'static str),
    Press(Control),
    Submit,
    /// The host leads there.
    Show(usize),
    /// Enter on the first option of this question.
    Enter(usize),
    /// This number of seconds passes.
    Wait(u64),
    /// The user goes on elsewhere.
    Leave,
    /// The host has other options.
    Set(Settings),
    /// The card goes, and another one of the call comes.
    Remount,
}

/// Every option of the host that the machine reads.
#[derive(Clone, Debug)]
struct Settings {
    mode: SubmitMode,
    layout: Layout,
    readonly: bool,
    /// Skip and notes.
    extras: [bool; 2],
    offers: [bool; 5],
    max_length: Option<usize>,
    /// The time that is left, in milliseconds.
    left: Option<u64>,
    language: usize,
    undo_within: Option<u64>,
    scope: &'static str,
}

impl Settings {
    fn options(&self, stage: &Stage) -> Options {
        let [skip, notes] = self.extras;
        let [messages, reply_in_chat, more_time, change, next] = self.offers;
        Options {
            mode: self.mode,
            layout: self.layout,
            readonly: self.readonly,
            skip: skip.then(Skip::button),
            notes: notes.then(Notes::field),
            offers: Offers { messages, reply_in_chat, more_time, change, next, ..Offers::default() },
            max_length: self.max_length,
            expires_at: self.left.map(|left| stage.now.date + left),
            labels: SHEETS.get(self.language).cloned(),
            scope: self.scope.to_owned(),
            undo_within: self.undo_within,
            ..stage.options.clone()
        }
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    let flags = (prop::bool::weighted(0.2), any::<[bool; 2]>(), any::<[bool; 5]>());
    let left = prop::option::weighted(0.3, 0..90_000_u64);
    let others = (prop::option::of(0..6_usize), left, 0..9_usize, select(vec!["", "other"]), prop::option::of(Just(0)));
    (modes(), layouts(), flags, others).prop_map(|(mode, layout, flags, others)| {
        let ((readonly, extras, offers), (max_length, left, language, scope, undo_within)) = (flags, others);
        Settings { mode, layout, readonly, extras, offers, max_length, left, language, scope, undo_within }
    })
}

fn step() -> impl Strategy<Value = Step> {
    let question = 0..3_usize;
    let option = (question.clone(), 0..2_usize).prop_map(|(question, option)| Control::Option { question, option });
    let other = question.clone().prop_map(|question| Control::Other { question });
    let phases =
        [Phase::Ready, Phase::Answerable, Phase::Malformed, Phase::Superseded, Phase::Answered, Phase::Declined];
    let failed = ReplyState::Failed("No network.".to_owned());
    let reports = [ReplyState::None, ReplyState::Held, ReplyState::Sending, failed];
    let controls = [
        Control::Cancel,
        Control::Keep,
        Control::Undo,
        Control::Again,
        Control::InChat,
        Control::SendLate,
        Control::Submit,
        Control::MoreTime,
        Control::Change,
    ];
    let fields = select(vec![Field::Other, Field::Note]);
    let turns = prop_oneof![
        Just(Control::Back),
        Just(Control::Onward),
        question.clone().prop_map(|question| Control::Step { question })
    ];
    let skip = question.clone().prop_map(|question| Step::Press(Control::Skip { question }));
    prop_oneof![
        3 => (1..60_usize).prop_map(Step::Stream),
        1 => select(phases.to_vec()).prop_map(Step::Phase),
        2 => select(reports.to_vec()).prop_map(Step::Reports),
        4 => prop_oneof![option.clone(), other].prop_map(Step::Choose),
        2 => option.prop_map(Step::Press),
        4 => (question.clone(), fields, select(vec!["", " ", "mine", "another text"])).prop_map(|(q, f, t)| Step::Type(q, f, t)),
        3 => select(controls.to_vec()).prop_map(Step::Press),
        1 => skip,
        2 => turns.prop_map(Step::Press),
        1 => question.clone().prop_map(Step::Show),
        2 => question.prop_map(Step::Enter),
        4 => Just(Step::Submit),
        1 => (0..40_u64).prop_map(Step::Wait),
        1 => Just(Step::Leave),
        2 => settings().prop_map(Step::Set),
        1 => Just(Step::Remount),
    ]
}

fn modes() -> impl Strategy<Value = SubmitMode> {
    select(vec![SubmitMode::Explicit, SubmitMode::OnPick])
}

fn layouts() -> impl Strategy<Value = Layout> {
    select(vec![Layout::Stacked, Layout::Stepped])
}

/// Every language.
static SHEETS: LazyLock<Vec<Labels>> =
    LazyLock::new(|| LANGUAGES.iter().map(|(tag, _)| Labels::for_lang(tag)).collect());

/// An onlooker's knowledge of a walk.
#[derive(Default)]
struct Seen {
    /// A reply or cancellation was handed over, and has no result yet.
    is_out: bool,
    /// The host's last report about this reply.
    reported: ReplyState,
    /// The text that the user typed last into each field.
    typed: Vec<((usize, Field), String)>,
    /// All that reached the host.
    told: String,
    /// The user threw the answer away.
    gave_up: bool,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_nothing_is_sent_twice_and_nothing_that_was_not_chosen(
        mode in modes(),
        layout in layouts(),
        is_alone in any::<bool>(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut questions = vec![question("Size", false, &["Small", "Large"])];
        if !is_alone {
            questions.push(question("Colour", true, &["Red", "Blue"]));
            questions.push(question("Style", false, &["Plain", "Fancy"]));
        }
        let asked = AskUserQuestion::new(questions);
        let mut coming = stream(&asked).into_iter().chain([AskPatch::Complete(Box::new(asked))]);
        let mut stage = Stage::laid_out(AskSnapshot::new("call"), mode, layout);
        let mut seen = Seen::default();
        for step in steps {
            seen.take(&mut stage, &mut coming, step);
        }
    }
}

impl Seen {
    fn take(&mut self, stage: &mut Stage, coming: &mut dyn Iterator<Item = AskPatch>, step: Step) {
        stage.now.clock += 1000.0;
        let was_latched = stage.card.is_latched();
        let before = stage.card.step(&stage.ask);
        let acts = match &step {
            Step::Stream(count) => {
                let patches: Vec<_> = coming.take(*count).collect();
                let is_end = patches.iter().any(|patch| matches!(patch, AskPatch::Complete(_)));
                stage.receive(patches.into_iter().chain(is_end.then_some(AskPatch::Phase(Phase::Ready))))
            }
            // Only a complete ask can be answered, and what is over does not begin again by itself.
            Step::Phase(Phase::Ready | Phase::Answerable) if stage.ask.ask.is_none() => return,
            Step::Phase(phase) => stage.receive([AskPatch::Phase(*phase)]),
            Step::Reports(reply) => {
                let before = std::mem::replace(&mut self.reported, reply.clone());
                self.is_out &= match reply {
                    ReplyState::Failed(_) => before == *reply,
                    ReplyState::None => !before.is_pending(),
                    ReplyState::Held | ReplyState::Sending => true,
                };
                stage.reports(reply.clone())
            }
            Step::Choose(control) => stage.take(Input::Choose(*control)),
            // An ask that cannot be read has one field.
            Step::Type(question, field, _)
                if stage.card.phase() == Phase::Malformed && (*question, *field) != (0, Field::Other) =>
            {
                return;
            }
            Step::Type(question, field, text) => {
                let place = (*question, *field);
                let asked = stage.ask.questions.get(*question);
                let is_known = asked.is_some_and(|asked| asked.multi_select.is_some());
                let is_due = is_known && stage.card.takes_changes();
                let acts = stage.take(Input::Typed(*question, *field, text));
                let is_taken = stage.card.draft().text(*question, *field) == *text;
                assert!(is_taken || !is_due, "{text:?} was not taken at {place:?}");
                if is_taken {
                    self.typed.retain(|(at, _)| *at != place);
                    self.typed.push((place, (*text).to_owned()));
                }
                acts
            }
            Step::Press(on) => stage.press(*on),
            Step::Submit => stage.take(Input::Submit),
            Step::Show(question) => stage.take(Input::Show(*question)),
            Step::Enter(question) => {
                let press = KeyPress { key: "Enter", ..KeyPress::default() };
                stage.take(Input::Key(press, Some(Control::Option { question: *question, option: 0 })))
            }
            Step::Wait(seconds) => {
                stage.now.date += seconds * 1000;
                stage.take(Input::Clock)
            }
            Step::Leave => stage.take(Input::Leave),
            Step::Set(settings) => {
                stage.options = settings.options(stage);
                stage.take(Input::Set(stage.options.clone()))
            }
            Step::Remount => {
                // An ended card is not stored.
                self.is_out &= !stage.card.is_over() || stage.options.readonly && !stage.card.phase().is_over();
                stage.is_remade()
            }
        };
        self.look_at(stage, &acts, was_latched, &step);
        look_at_step(stage, &acts, before, &step);
    }

    /// The host gets a reply or a cancellation: what it said of an earlier one is over.
    fn takes(&mut self, stage: &mut Stage) {
        self.reported = ReplyState::None;
        stage.ask.apply(AskPatch::Reply(ReplyState::None));
    }

    fn look_at(&mut self, stage: &mut Stage, acts: &[Do], was_latched: bool, step: &Step) {
        let is_broken = stage.card.phase() == Phase::Malformed;
        for act in acts {
            match act {
                Do::Emit(CardEvent::Reply(reply)) => {
                    assert!(!self.is_out, "sent twice, by {step:?}");
                    assert!(!was_latched && stage.ask.ask.is_some() && !stage.card.phase().is_over());
                    assert_eq!(reply.selections(), chosen(stage), "by {step:?}");
                    self.is_out = true;
                    self.takes(stage);
                    self.told.push_str(&reply.to_json().to_string());
                }
                Do::Emit(CardEvent::Cancel) => {
                    assert!(!self.is_out, "sent twice, by {step:?}");
                    // A card that could not be read ends by itself, and the host can return its cancellation.
                    self.is_out = !is_broken;
                    self.takes(stage);
                    self.gave_up = true;
                }
                Do::Emit(CardEvent::Message(text)) => {
                    self.told.push_str(text);
                    let more = stage.take(Input::Taken(true));
                    assert!(
                        !more.iter().any(|act| matches!(act, Do::Emit(CardEvent::Reply(_) | CardEvent::Message(_))))
                    );
                }
                _ => {}
            }
        }
        // No reply to an ask that broke can go through.
        self.is_out &= !is_broken;
        if is_broken {
            // All input is in this one field, in the user's sight.
            self.typed.iter_mut().for_each(|(place, _)| *place = (0, Field::Other));
        }
        for (place, text) in &self.typed {
            assert!(
                self.gave_up || text.trim().is_empty() || holds(stage, &self.told, text),
                "{text:?} of {place:?} is gone, by {step:?}"
            );
        }
    }
}

/// Checks that the shown question exists, and that only the user or the host turned to another.
fn look_at_step(stage: &Stage, acts: &[Do], before: Option<usize>, step: &Step) {
    let now = stage.card.step(&stage.ask);
    assert!(now.is_none_or(|now| now < stage.ask.questions.len()));
    let turns = matches!(
        step,
        Step::Press(Control::Back | Control::Onward | Control::Submit | Control::Step { .. })
            | Step::Submit
            | Step::Show(_)
            | Step::Enter(_)
            | Step::Remount
    );
    assert!(turns || before.is_none() || now.is_none() || now == before, "{step:?} turned from {before:?} to {now:?}");
    // The focus goes to a question that is shown.
    for act in acts {
        if let (Do::Enter(question, _), Some(now)) = (act, now) {
            assert_eq!(*question, now, "by {step:?}");
        }
    }
}

/// The answers as the card shows them.
fn chosen(stage: &Stage) -> Vec<Selection> {
    let card = &stage.card;
    let mut chosen = Vec::new();
    for question in 0..stage.ask.questions.len() {
        let typed = |field| Some(card.draft().text(question, field).to_owned()).filter(|text| !text.trim().is_empty());
        let mut shown = Selection::of(question);
        shown.selected = (0..2).filter(|option| card.draft().is_chosen(question, *option)).collect();
        shown.other = typed(Field::Other).filter(|_| card.draft().is_other_chosen(question));
        shown.note = typed(Field::Note);
        shown.skipped = card.draft().is_skipped(question);
        chosen.extend(Some(shown).filter(|shown| *shown != Selection::of(question)));
    }
    chosen
}

/// Returns true if the user or the agent can find a text anywhere.
fn holds(stage: &Stage, told: &str, text: &str) -> bool {
    let card = &stage.card;
    // After a remount it waits for its question to be whole.
    let kept = format!("{:?}", card.to_remember());
    let fields =
        (0..3).flat_map(|question| [Field::Other, Field::Note].map(|field| card.draft().text(question, field)));
    fields.chain([told, card.late(), &kept]).any(|place| place.contains(text))
}
