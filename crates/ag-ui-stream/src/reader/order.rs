//! Which event is allowed where.

use crate::end::{BrokeOff, End, EndError, EndOutcome};
use crate::event::EventRef;
use crate::index::Index;
use crate::message::text_of;
use crate::notice::{Detail, Notice, Notices, Verdict, joined};
use crate::protocol::{Does, Rule, Thing};
use crate::wire::{list, text, text_or_empty};
use json_tree::Json;
use std::mem;

/// Holds the order of events to the protocol's rules.
#[derive(Debug, Default)]
pub(super) struct Order {
    stage: Stage,
    /// The conversation, which all runs of a stream belong to.
    thread: Option<String>,
    run: Run,
    /// Calls that an interrupt ended, in no order.
    unended: Vec<String>,
    /// The bytes broke off in the middle of a frame.
    broken: bool,
}

#[derive(Debug, Default)]
enum Stage {
    /// Nothing came yet.
    #[default]
    Fresh,
    Active {
        run_id: String,
    },
    Finished(EndOutcome),
    Failed {
        code: Option<String>,
        message: String,
    },
}

/// What began in the present run or was told of in it.
#[derive(Debug, Default)]
struct Run {
    /// By kind: positions in `held`.
    things: [Index; 5],
    held: Vec<Held>,
    /// Those that are open, by owner and name.
    steps: Index,
    /// 1 for those that are active, 0 for those that were.
    subagents: Index,
    /// The numbers of the subagents that own something.
    numbers: Index,
}

/// A message, a call, a span or an activity.
#[derive(Debug)]
struct Held {
    owner: usize,
    /// For whom it was opened, where it is open. A snapshot may have given it to another since.
    open: Option<usize>,
    /// It was open in this run, and ended.
    has_ended: bool,
}

/// The parent agent's number; those of subagents follow.
const PARENT: usize = 0;

const ACTIVE: usize = 1;
const CLOSED: usize = 0;

/// What must be closed when a run finishes.
const ENDING: [Thing; 4] = [Thing::Text, Thing::Reasoning, Thing::Span, Thing::Call];

impl Order {
    /// Takes the next event. Returns false for one that is dropped, or an error for one that is not allowed.
    pub(super) fn take(&mut self, event: &EventRef<'_>, warnings: &mut Notices) -> Verdict<bool> {
        self.check_stage(event.rule)?;
        if let Stage::Failed { .. } = self.stage
            && event.rule.does != Does::StartRun
        {
            warnings.push(Detail::AfterError, &[event.name()], None);
            return Ok(false);
        }
        match self.allow(event, warnings) {
            Err(_) if event.rule.does == Does::Grow(Thing::Call) && self.run.is_closed(event.tool_call_id()) => {
                warnings.push(Detail::LateArguments, &[event.tool_call_id()], None);
                Ok(false)
            }
            allowed => allowed.map(|()| true),
        }
    }

    /// Calls that an interrupt ended; each is told once.
    pub(super) fn take_unended(&mut self) -> Vec<String> {
        mem::take(&mut self.unended)
    }

    fn allow(&mut self, event: &EventRef<'_>, warnings: &mut Notices) -> Verdict {
        let said = |name| event.text(name);
        let tag = event.subagent_run_id();
        let run = &mut self.run;
        match event.rule.does {
            Does::StartRun => self.start(event),
            Does::FinishRun => self.finish(event, warnings),
            Does::FailRun => {
                let code = event.get("code").and_then(text_of);
                self.stage = Stage::Failed { code, message: said("message").to_owned() };
                Ok(())
            }
            Does::StartStep => {
                let step = run.step(said("stepName"), tag);
                if run.steps.insert(&step, 0) { Ok(()) } else { refuse(Detail::StepIsOpen, &[said("stepName")]) }
            }
            Does::FinishStep => {
                let step = run.step(said("stepName"), tag);
                if run.steps.remove(&step) { Ok(()) } else { refuse(Detail::StepIsNotOpen, &[said("stepName")]) }
            }
            Does::StartSubagent => {
                run.start_subagent(said("subagentRunId"), text(&event.members, "parentSubagentRunId"))
            }
            Does::FinishSubagent => run.finish_subagent(event.rule, said("subagentRunId")),
            Does::Open(Thing::Call) => {
                run.open_call(event.tool_call_id(), text(&event.members, "parentMessageId"), tag)
            }
            Does::Open(thing) => run.open(thing, event.id_of(thing), tag).map(drop),
            Does::Grow(thing) => run.check(thing, event.id_of(thing), tag).map(drop),
            Does::Close(thing) => {
                let held = run.check(thing, event.id_of(thing), tag)?;
                (run.held[held].open, run.held[held].has_ended) = (None, true);
                Ok(())
            }
            Does::Result => {
                run.own_new(Thing::Text, event.message_id(), tag);
                Ok(())
            }
            Does::TellMessages => {
                for message in list(&event.members, "messages") {
                    run.own_told(message);
                }
                Ok(())
            }
            Does::SetActivity => {
                match event.get("replace") {
                    Some(Json::Bool(false)) => run.own_new(Thing::Activity, event.message_id(), tag),
                    _ => run.own(Thing::Activity, event.message_id(), tag),
                }
                Ok(())
            }
            Does::ChangeActivity => run.check_owner(Thing::Activity, event.message_id(), tag),
            // Chunks are expanded before.
            Does::Chunk(_) | Does::Nothing => Ok(()),
        }
    }

    /// The stream broke off in the middle of a frame.
    pub(super) fn handle_break(&mut self) {
        self.broken = true;
    }

    /// The run that is open.
    pub(super) fn run_id(&self) -> Option<&str> {
        match &self.stage {
            Stage::Active { run_id } => Some(run_id),
            Stage::Fresh | Stage::Finished(_) | Stage::Failed { .. } => None,
        }
    }

    /// How the stream ended, if this is its end.
    pub(super) fn end(&self) -> End {
        let (outcome, error) = match &self.stage {
            Stage::Fresh => (EndOutcome::Truncated, Some(EndError::Truncated(BrokeOff::BeforeRun))),
            Stage::Active { run_id } => {
                (EndOutcome::Truncated, Some(EndError::Truncated(BrokeOff::InRun(run_id.clone()))))
            }
            Stage::Failed { code, message } => {
                (EndOutcome::Error, Some(EndError::Failed { code: code.clone(), message: message.clone() }))
            }
            Stage::Finished(_) if self.broken => (EndOutcome::Truncated, Some(EndError::Truncated(BrokeOff::InFrame))),
            Stage::Finished(outcome) => (*outcome, None),
        };
        End { outcome, error }
    }

    fn check_stage(&self, rule: &'static Rule) -> Verdict {
        match (&self.stage, rule.does) {
            (Stage::Active { .. }, Does::StartRun) => refuse(Detail::RunIsOpen, &[]),
            (Stage::Active { .. }, _)
            | (Stage::Fresh | Stage::Finished(_), Does::StartRun | Does::FailRun)
            | (Stage::Failed { .. }, _) => Ok(()),
            (Stage::Fresh, _) => refuse(Detail::NotFirst, &[]),
            (Stage::Finished(_), _) => refuse(Detail::RunFinished, &[rule.name]),
        }
    }

    fn start(&mut self, event: &EventRef<'_>) -> Verdict {
        let named = event.text("threadId");
        match &self.thread {
            Some(thread) if thread != named => {
                return refuse(Detail::OtherThread, &[event.name(), named, thread]);
            }
            _ => self.thread = Some(named.to_owned()),
        }
        self.run = Run::default();
        let input = event.get("input").and_then(Json::as_object);
        for message in input.map_or(&[][..], |input| list(input, "messages")) {
            self.run.own_told(message);
        }
        self.stage = Stage::Active { run_id: event.run_id().to_owned() };
        Ok(())
    }

    /// The specification requires a producer to repeat the ids; the adapter of `LangGraph` names a run of its own. The run that is open ends.
    fn finish(&mut self, event: &EventRef<'_>, warnings: &mut Notices) -> Verdict {
        let outcome = event.get("outcome").and_then(Json::as_object);
        if outcome.and_then(|outcome| text(outcome, "type")) == Some("interrupt") {
            // The agent holds a call that it stopped in.
            self.unended = self.run.close_calls();
        }
        self.run.check_closed()?;
        for (member, begun) in [("runId", self.run_id()), ("threadId", self.thread.as_deref())] {
            let named = event.text(member);
            if let Some(begun) = begun.filter(|begun| *begun != named) {
                warnings.push(Detail::OtherId, &[member, named, begun], Some(String::from("/") + member));
            }
        }
        self.stage = Stage::Finished(match outcome.and_then(|outcome| text(outcome, "type")) {
            Some("cancelled") => EndOutcome::Cancelled,
            Some("interrupt") => {
                let mut ids = Index::default();
                for interrupt in outcome.map_or(&[][..], |outcome| list(outcome, "interrupts")) {
                    let id = interrupt.get("id").and_then(Json::as_str).unwrap_or_default();
                    if !ids.insert(id, 0) {
                        return refuse(Detail::InterruptTwice, &[id]);
                    }
                }
                EndOutcome::Interrupt
            }
            _ => EndOutcome::Completed,
        });
        Ok(())
    }
}

impl Run {
    fn find(&self, thing: Thing, id: &str) -> Option<&Held> {
        self.things[thing as usize].get(id).map(|at| &self.held[at])
    }

    /// Opens something, perhaps again: then it keeps its owner. Returns its position.
    fn open(&mut self, thing: Thing, id: &str, tag: Option<&str>) -> Verdict<usize> {
        // A call may change its owner; a message may not, since its text would be another's.
        if thing != Thing::Call && thing != Thing::Span {
            self.check_owner(thing, id, tag)?;
        }
        let held = self.find(thing, id);
        if held.is_some_and(|held| held.open.is_some()) {
            return refuse(Detail::AlreadyOpen, &[thing.name(), id]);
        }
        let owner = held.filter(|_| tag.is_none()).map(|held| held.owner);
        let owner = owner.unwrap_or_else(|| self.number(tag));
        let at = self.hold(thing, id, owner);
        self.held[at].open = Some(owner);
        Ok(at)
    }

    /// Gives something to its owner and returns its position.
    fn hold(&mut self, thing: Thing, id: &str, owner: usize) -> usize {
        let things = &mut self.things[thing as usize];
        let Some(at) = things.get(id) else {
            things.insert(id, self.held.len());
            self.held.push(Held { owner, open: None, has_ended: false });
            return self.held.len() - 1;
        };
        self.held[at].owner = owner;
        at
    }

    /// Refuses what is not open, or said in another's name. Returns its position.
    fn check(&self, thing: Thing, id: &str, tag: Option<&str>) -> Verdict<usize> {
        let at = self.things[thing as usize].get(id);
        let Some((at, held, opened_by)) = at.and_then(|at| Some((at, &self.held[at], self.held[at].open?))) else {
            return refuse(Detail::NotOpen, &[thing.name(), id]);
        };
        // A snapshot may have given it to another while it is open: then both may go on.
        match tag {
            Some(tag) if !self.owns(tag, opened_by) && !self.owns(tag, held.owner) => {
                refuse(Detail::OtherOwner, &[thing.name(), id])
            }
            _ => Ok(at),
        }
    }

    /// Refuses what is said in another's name than that of its owner.
    fn check_owner(&self, thing: Thing, id: &str, tag: Option<&str>) -> Verdict {
        match (self.find(thing, id), tag) {
            (Some(held), Some(tag)) if !self.owns(tag, held.owner) => refuse(Detail::OtherOwner, &[thing.name(), id]),
            _ => Ok(()),
        }
    }

    fn own(&mut self, thing: Thing, id: &str, tag: Option<&str>) {
        let owner = self.number(tag);
        self.hold(thing, id, owner);
    }

    /// As [`own`](Self::own), where nobody owns it.
    fn own_new(&mut self, thing: Thing, id: &str, tag: Option<&str>) {
        if self.find(thing, id).is_none() {
            self.own(thing, id, tag);
        }
    }

    /// Takes over whose a message is that was told of as a whole.
    fn own_told(&mut self, message: &Json<'_>) {
        let Some(message) = message.as_object() else {
            return;
        };
        let (id, tag) = (text_or_empty(message, "id"), text(message, "subagentRunId"));
        match text(message, "role") {
            Some("reasoning") => self.own(Thing::Reasoning, id, tag),
            Some("activity") => self.own(Thing::Activity, id, tag),
            // A result may have the id of its call's message.
            Some("tool") => self.own_new(Thing::Text, id, tag),
            _ => self.own(Thing::Text, id, tag),
        }
        for call in list(message, "toolCalls") {
            self.own(Thing::Call, call.get("id").and_then(Json::as_str).unwrap_or_default(), tag);
        }
    }

    fn open_call(&mut self, id: &str, named: Option<&str>, tag: Option<&str>) -> Verdict {
        let parent = named.and_then(|parent| self.find(Thing::Text, parent)).map(|parent| parent.owner);
        if let (Some(owner), Some(tag)) = (parent, tag)
            && !self.owns(tag, owner)
        {
            return refuse(Detail::OtherParent, &[id, tag]);
        }
        let at = self.open(Thing::Call, id, tag)?;
        if let Some(owner) = parent {
            // It is owned by whom its message is.
            self.held[at] = Held { owner, open: Some(owner), has_ended: false };
        } else if tag.is_some() {
            // So is the message that is made for it.
            let message = named.filter(|named| !named.is_empty()).unwrap_or(id);
            self.own_new(Thing::Text, message, tag);
        }
        Ok(())
    }

    /// The number of an owner, a new one where it owned nothing before.
    fn number(&mut self, tag: Option<&str>) -> usize {
        let Some(tag) = tag else {
            return PARENT;
        };
        self.numbers.get(tag).unwrap_or_else(|| {
            let number = PARENT + 1 + self.numbers.len();
            self.numbers.insert(tag, number);
            number
        })
    }

    fn owns(&self, tag: &str, owner: usize) -> bool {
        self.numbers.get(tag) == Some(owner)
    }

    /// The key of a step: its owner's number and its name.
    fn step(&mut self, name: &str, tag: Option<&str>) -> String {
        self.number(tag).to_string() + " " + name
    }

    fn start_subagent(&mut self, id: &str, parent: Option<&str>) -> Verdict {
        if self.subagents.contains(id) {
            return refuse(Detail::SubagentAgain, &[id]);
        }
        if let Some(parent) = parent.filter(|parent| !self.subagents.contains(parent)) {
            return refuse(Detail::UnknownParent, &[id, parent]);
        }
        self.subagents.insert(id, ACTIVE);
        Ok(())
    }

    fn finish_subagent(&mut self, rule: &'static Rule, id: &str) -> Verdict {
        if self.subagents.get(id) != Some(ACTIVE) {
            return refuse(Detail::SubagentIsNotOpen, &[rule.name, id]);
        }
        self.subagents.insert(id, CLOSED);
        Ok(())
    }

    /// Returns true if a call began in this run and ended.
    fn is_closed(&self, call: &str) -> bool {
        self.find(Thing::Call, call).is_some_and(|held| held.has_ended && held.open.is_none())
    }

    /// Closes the calls that are open, and returns their ids.
    fn close_calls(&mut self) -> Vec<String> {
        let mut closed = Vec::new();
        for (id, at) in self.things[Thing::Call as usize].iter() {
            if self.held[at].open.take().is_some() {
                closed.push(id.to_owned());
            }
        }
        closed
    }

    fn check_closed(&self) -> Verdict {
        let mut open = Vec::new();
        for (step, _) in self.steps.iter() {
            open.push(step.split_once(' ').map_or(step, |(_, name)| name));
        }
        nothing("steps", &open)?;
        for thing in ENDING {
            for (id, at) in self.things[thing as usize].iter() {
                if self.held[at].open.is_some() {
                    open.push(id);
                }
            }
            nothing(thing.plural(), &open)?;
        }
        for (id, state) in self.subagents.iter() {
            if state == ACTIVE {
                open.push(id);
            }
        }
        nothing("subagents", &open)
    }
}

fn nothing(things: &'static str, open: &[&str]) -> Verdict {
    if open.is_empty() { Ok(()) } else { refuse(Detail::StillOpen, &[things, &joined(open, ", ")]) }
}

fn refuse<T>(detail: Detail, names: &[&str]) -> Verdict<T> {
    Err(Notice::new(detail, names))
}
