//! Verifies the order of events (the last step of `basic/processing`).

use crate::end::{BrokeOff, End, EndError, EndOutcome};
use crate::event::EventRef;
use crate::notice::{Notice, NoticeDetail, NoticeResult, Notices};
use crate::protocol::{EntityKind, EventEffect, EventRule};
use json_tree::{Ids, Json, WireValue};

#[derive(Debug, Default)]
pub(super) struct Order {
    stage: StreamStage,
    thread: Option<String>,
    run: OpenRun,
    /// The calls that were still open when a run ended in an interrupt.
    pub(super) unended: Vec<String>,
    pub(super) broken: bool,
}

#[derive(Debug, Default)]
enum StreamStage {
    #[default]
    Fresh,
    Active {
        run_id: String,
    },
    Ended(End),
}

/// The entities that began in the current run, or that a snapshot or an input listed.
#[derive(Debug, Default)]
struct OpenRun {
    /// Indexes into `held`, by kind.
    entities: [Ids; 5],
    held: Vec<Entity>,
    steps: Ids,
    /// The subagents that began, each [`ACTIVE`] or [`FINISHED`].
    subagents: Ids,
    /// The numbers of the subagents that own an entity.
    numbers: Ids,
}

#[derive(Debug)]
struct Entity {
    owner: usize,
    /// While the entity is open, the owner for which it was opened. `owner` may differ, since a snapshot can change it.
    open: Option<usize>,
    has_ended: bool,
}

/// The number of the parent agent. Subagents get the following numbers.
const PARENT: usize = 0;

const ACTIVE: usize = 1;
const FINISHED: usize = 0;

/// The kinds of entity that must be closed before a run finishes.
const ENDING: [EntityKind; 4] = [EntityKind::Text, EntityKind::Reasoning, EntityKind::Span, EntityKind::Call];

impl Order {
    /// Checks the next event. Returns false if it is to be dropped, or an error if it is not allowed.
    ///
    /// Some events are tolerated although the specification refuses them. ADK's adapter and `AgentScope` sent `RUN_FINISHED` after `RUN_ERROR`
    /// (<https://github.com/ag-ui-protocol/ag-ui/issues/1892>, <https://github.com/agentscope-ai/agentscope-java/issues/2642>), and the adapter of
    /// `LangGraph` sent `RUN_STARTED` twice (<https://github.com/ag-ui-protocol/ag-ui/issues/1584>). Pydantic AI sent arguments after the end of
    /// their call (<https://github.com/pydantic/pydantic-ai/issues/4733>), and `TanStack`'s `chat()` sent that end twice
    /// (<https://github.com/TanStack/ai/issues/519>). `AgentScope` sent text after the end of its message, which is kept
    /// (<https://github.com/agentscope-ai/agentscope-java/issues/2988>), and that end twice
    /// (<https://github.com/agentscope-ai/agentscope-java/issues/510>).
    pub(super) fn take(&mut self, event: &EventRef<'_>, warnings: &mut Notices) -> NoticeResult<bool> {
        if event.rule.effect == EventEffect::StartRun && self.run_id() == Some(event.run_id()) {
            warnings.push(NoticeDetail::RepeatedRun, &[event.run_id()], None);
            return Ok(false);
        }
        self.check_stage(event.rule)?;
        if self.has_failed() && event.rule.effect != EventEffect::StartRun {
            warnings.push(NoticeDetail::AfterError, &[event.name()], None);
            return Ok(false);
        }
        match (self.allow(event, warnings), event.rule.effect) {
            (Err(_), EventEffect::Grow(entity) | EventEffect::Close(entity)) if self.run.is_late(entity, event) => {
                let id = event.id_of(entity);
                if entity == EntityKind::Call {
                    warnings.push(NoticeDetail::LateArguments, &[id], None);
                    return Ok(false);
                }
                warnings.push(NoticeDetail::LateText, &[event.name(), id], None);
                Ok(event.rule.effect == EventEffect::Grow(entity))
            }
            (allowed, _) => allowed.map(|()| true),
        }
    }

    fn allow(&mut self, event: &EventRef<'_>, warnings: &mut Notices) -> NoticeResult {
        let said = |name| event.text(name);
        let tag = event.subagent_run_id();
        let run = &mut self.run;
        match event.rule.effect {
            EventEffect::StartRun => self.start(event),
            EventEffect::FinishRun => self.finish(event, warnings),
            EventEffect::FailRun => {
                let code = event.get("code").and_then(String::of);
                let error = EndError::Failed { code, message: said("message").to_owned() };
                self.stage = StreamStage::Ended(End { outcome: EndOutcome::Error, error: Some(error) });
                Ok(())
            }
            EventEffect::StartStep => {
                let step = run.step(said("stepName"), tag);
                require(run.steps.put(&step, 0).is_none(), NoticeDetail::StepIsOpen, &[said("stepName")])
            }
            EventEffect::FinishStep => {
                let step = run.step(said("stepName"), tag);
                require(run.steps.remove(&step).is_some(), NoticeDetail::StepIsNotOpen, &[said("stepName")])
            }
            EventEffect::StartSubagent => {
                let (id, parent) = (said("subagentRunId"), event.members.string("parentSubagentRunId"));
                require(!run.subagents.has(id), NoticeDetail::SubagentAgain, &[id])?;
                let is_known = parent.is_none_or(|parent| run.subagents.has(parent));
                require(is_known, NoticeDetail::UnknownParent, &[id, parent.unwrap_or_default()])?;
                run.subagents.put(id, ACTIVE);
                Ok(())
            }
            EventEffect::FinishSubagent => {
                let id = said("subagentRunId");
                let is_active = run.subagents.find(id) == Some(ACTIVE);
                require(is_active, NoticeDetail::SubagentIsNotOpen, &[event.name(), id])?;
                run.subagents.put(id, FINISHED);
                Ok(())
            }
            EventEffect::Open(EntityKind::Call) => {
                run.open_call(event.tool_call_id(), event.members.string("parentMessageId"), tag)
            }
            EventEffect::Open(entity) => run.open(entity, event.id_of(entity), tag).map(drop),
            EventEffect::Grow(entity) => run.check(entity, event.id_of(entity), tag).map(drop),
            EventEffect::Close(entity) => {
                let held = run.check(entity, event.id_of(entity), tag)?;
                (run.held[held].open, run.held[held].has_ended) = (None, true);
                Ok(())
            }
            EventEffect::Result => {
                run.own_new(EntityKind::Text, event.message_id(), tag);
                Ok(())
            }
            EventEffect::TellMessages => {
                for message in event.members.items("messages") {
                    run.own_told(message);
                }
                Ok(())
            }
            EventEffect::SetActivity => {
                match event.get("replace") {
                    Some(Json::Bool(false)) => run.own_new(EntityKind::Activity, event.message_id(), tag),
                    _ => run.own(EntityKind::Activity, event.message_id(), tag),
                }
                Ok(())
            }
            EventEffect::ChangeActivity => {
                let held = run.find(EntityKind::Activity, event.message_id());
                run.check_owner(held, EntityKind::Activity, event.message_id(), tag)
            }
            // Chunks were expanded in an earlier step.
            EventEffect::Chunk(_) | EventEffect::Nothing => Ok(()),
        }
    }

    pub(super) fn run_id(&self) -> Option<&str> {
        match &self.stage {
            StreamStage::Active { run_id } => Some(run_id),
            StreamStage::Fresh | StreamStage::Ended(_) => None,
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        matches!(self.stage, StreamStage::Ended(End { error: Some(_), .. }))
    }

    pub(super) fn end(&self) -> End {
        let broke_off = match &self.stage {
            StreamStage::Fresh => BrokeOff::BeforeRun,
            StreamStage::Active { run_id } => BrokeOff::InRun(run_id.clone()),
            StreamStage::Ended(End { error: None, .. }) if self.broken => BrokeOff::InFrame,
            StreamStage::Ended(end) => return end.clone(),
        };
        End { outcome: EndOutcome::Truncated, error: Some(EndError::Truncated(broke_off)) }
    }

    fn check_stage(&self, rule: &'static EventRule) -> NoticeResult {
        match (&self.stage, rule.effect) {
            (StreamStage::Active { .. }, EventEffect::StartRun) => Err(Notice::new(NoticeDetail::RunIsOpen, &[])),
            (StreamStage::Active { .. }, _) | (_, EventEffect::StartRun | EventEffect::FailRun) => Ok(()),
            (StreamStage::Fresh, _) => Err(Notice::new(NoticeDetail::NotFirst, &[])),
            (StreamStage::Ended(End { error: Some(_), .. }), _) => Ok(()),
            (StreamStage::Ended(_), _) => Err(Notice::new(NoticeDetail::RunFinished, &[rule.name])),
        }
    }

    fn start(&mut self, event: &EventRef<'_>) -> NoticeResult {
        let named = event.text("threadId");
        let thread = self.thread.get_or_insert_with(|| named.to_owned());
        require(thread == named, NoticeDetail::OtherThread, &[event.name(), named, thread])?;
        self.run = OpenRun::default();
        let input = event.get("input").and_then(Json::as_object);
        for message in input.map_or(&[][..], |input| input.items("messages")) {
            self.run.own_told(message);
        }
        self.stage = StreamStage::Active { run_id: event.run_id().to_owned() };
        Ok(())
    }

    /// `events/lifecycle` requires `RUN_FINISHED` to repeat the ids of `RUN_STARTED`, but the adapter of `LangGraph` sent another run id
    /// (<https://github.com/ag-ui-protocol/ag-ui/issues/1582>). The open run ends either way.
    fn finish(&mut self, event: &EventRef<'_>, warnings: &mut Notices) -> NoticeResult {
        let outcome = event.get("outcome").and_then(Json::as_object);
        if outcome.and_then(|outcome| outcome.string("type")) == Some("interrupt") {
            // Microsoft's Agent Framework leaves the call open that its interrupt is about
            // (<https://github.com/microsoft/agent-framework/issues/8244>).
            self.unended = self.run.close_calls();
        }
        self.run.check_closed()?;
        for (member, begun) in [("runId", self.run_id()), ("threadId", self.thread.as_deref())] {
            let named = event.text(member);
            if let Some(begun) = begun.filter(|begun| *begun != named) {
                warnings.push(NoticeDetail::OtherId, &[member, named, begun], Some(String::from("/") + member));
            }
        }
        let outcome = match outcome.and_then(|outcome| outcome.string("type")) {
            Some("cancelled") => EndOutcome::Cancelled,
            Some("interrupt") => {
                let mut ids = Ids::default();
                for interrupt in outcome.map_or(&[][..], |outcome| outcome.items("interrupts")) {
                    let id = interrupt.string("id").unwrap_or_default();
                    require(ids.put(id, 0).is_none(), NoticeDetail::InterruptTwice, &[id])?;
                }
                EndOutcome::Interrupt
            }
            _ => EndOutcome::Completed,
        };
        self.stage = StreamStage::Ended(End { outcome, error: None });
        Ok(())
    }
}

impl OpenRun {
    fn find(&self, entity: EntityKind, id: &str) -> Option<&Entity> {
        self.entities[entity as usize].find(id).map(|at| &self.held[at])
    }

    /// Opens an entity and returns its index. An entity that opens again keeps its owner.
    fn open(&mut self, entity: EntityKind, id: &str, tag: Option<&str>) -> NoticeResult<usize> {
        let at = self.entities[entity as usize].find(id);
        let held = at.map(|at| &self.held[at]);
        // A call may change its owner. A message may not, since its text would then belong to two agents.
        if entity != EntityKind::Call && entity != EntityKind::Span {
            self.check_owner(held, entity, id, tag)?;
        }
        let is_open = held.is_some_and(|held| held.open.is_some());
        require(!is_open, NoticeDetail::AlreadyOpen, &[entity.name(), id])?;
        let owner = held.filter(|_| tag.is_none()).map(|held| held.owner);
        let owner = owner.unwrap_or_else(|| self.number(tag));
        let at = at.unwrap_or_else(|| self.add(entity, id));
        (self.held[at].owner, self.held[at].open) = (owner, Some(owner));
        Ok(at)
    }

    /// Adds an entity of the parent agent and returns its index.
    fn add(&mut self, entity: EntityKind, id: &str) -> usize {
        self.entities[entity as usize].put(id, self.held.len());
        self.held.push(Entity { owner: PARENT, open: None, has_ended: false });
        self.held.len() - 1
    }

    /// Returns the index of an open entity. Fails if the entity is not open or belongs to another agent.
    fn check(&self, entity: EntityKind, id: &str, tag: Option<&str>) -> NoticeResult<usize> {
        let at = self.entities[entity as usize].find(id);
        let Some((at, held, opened_by)) = at.and_then(|at| Some((at, &self.held[at], self.held[at].open?))) else {
            return Err(Notice::new(NoticeDetail::NotOpen, &[entity.name(), id]));
        };
        // If a snapshot gave an open entity to another agent, both the old and the new owner may continue it.
        let is_own = tag.is_none_or(|tag| self.owns(tag, opened_by) || self.owns(tag, held.owner));
        require(is_own, NoticeDetail::OtherOwner, &[entity.name(), id]).map(|()| at)
    }

    fn check_owner(&self, held: Option<&Entity>, entity: EntityKind, id: &str, tag: Option<&str>) -> NoticeResult {
        let is_own = held.zip(tag).is_none_or(|(held, tag)| self.owns(tag, held.owner));
        require(is_own, NoticeDetail::OtherOwner, &[entity.name(), id])
    }

    fn own(&mut self, entity: EntityKind, id: &str, tag: Option<&str>) {
        let owner = self.number(tag);
        let at = self.entities[entity as usize].find(id).unwrap_or_else(|| self.add(entity, id));
        self.held[at].owner = owner;
    }

    /// As [`own`](Self::own), unless the entity is already known.
    fn own_new(&mut self, entity: EntityKind, id: &str, tag: Option<&str>) {
        if self.find(entity, id).is_none() {
            self.own(entity, id, tag);
        }
    }

    fn own_told(&mut self, message: &Json<'_>) {
        let Some(message) = message.as_object() else {
            return;
        };
        let (id, tag) = (message.string("id").unwrap_or_default(), message.string("subagentRunId"));
        match message.string("role") {
            Some("reasoning") => self.own(EntityKind::Reasoning, id, tag),
            Some("activity") => self.own(EntityKind::Activity, id, tag),
            // A result may have the same id as its call's message, which keeps its owner.
            Some("tool") => self.own_new(EntityKind::Text, id, tag),
            _ => self.own(EntityKind::Text, id, tag),
        }
        for call in message.items("toolCalls") {
            self.own(EntityKind::Call, call.string("id").unwrap_or_default(), tag);
        }
    }

    fn open_call(&mut self, id: &str, named: Option<&str>, tag: Option<&str>) -> NoticeResult {
        let parent = named.and_then(|parent| self.find(EntityKind::Text, parent)).map(|parent| parent.owner);
        let is_own = parent.zip(tag).is_none_or(|(owner, tag)| self.owns(tag, owner));
        require(is_own, NoticeDetail::OtherParent, &[id, tag.unwrap_or_default()])?;
        let at = self.open(EntityKind::Call, id, tag)?;
        if let Some(owner) = parent {
            // A call belongs to the owner of its parent message.
            self.held[at] = Entity { owner, open: Some(owner), has_ended: false };
        } else if tag.is_some() {
            // The message that is created for the call belongs to the same subagent.
            let message = named.filter(|named| !named.is_empty()).unwrap_or(id);
            self.own_new(EntityKind::Text, message, tag);
        }
        Ok(())
    }

    fn number(&mut self, tag: Option<&str>) -> usize {
        let Some(tag) = tag else {
            return PARENT;
        };
        let next = PARENT + 1 + self.numbers.len();
        self.numbers.find(tag).unwrap_or_else(|| {
            self.numbers.put(tag, next);
            next
        })
    }

    fn owns(&self, tag: &str, owner: usize) -> bool {
        self.numbers.find(tag) == Some(owner)
    }

    /// The key of a step: the owner's number and the step's name.
    fn step(&mut self, name: &str, tag: Option<&str>) -> String {
        self.number(tag).to_string() + " " + name
    }

    /// Returns true if the event is for an entity of its own agent that has ended in this run.
    fn is_late(&self, entity: EntityKind, event: &EventRef<'_>) -> bool {
        let held = self.find(entity, event.id_of(entity)).filter(|held| held.has_ended && held.open.is_none());
        held.is_some_and(|held| event.subagent_run_id().is_none_or(|tag| self.owns(tag, held.owner)))
    }

    fn close_calls(&mut self) -> Vec<String> {
        let calls = self.entities[EntityKind::Call as usize].iter();
        let mut closed = vec![None; self.held.len()];
        for (id, at) in calls {
            if self.held[at].open.take().is_some() {
                closed[at] = Some(id.to_owned());
            }
        }
        closed.into_iter().flatten().collect()
    }

    fn check_closed(&self) -> NoticeResult {
        nothing("steps", self.steps.iter().filter_map(|(step, _)| Some(step.split_once(' ')?.1)))?;
        for entity in ENDING {
            let name = entity.name().to_owned() + if entity == EntityKind::Span { "" } else { "s" };
            let ids = self.entities[entity as usize].iter();
            nothing(&name, ids.filter(|(_, at)| self.held[*at].open.is_some()).map(|(id, _)| id))?;
        }
        nothing("subagents", self.subagents.iter().filter(|(_, state)| *state == ACTIVE).map(|(id, _)| id))
    }
}

fn nothing<'i>(entities: &str, open: impl Iterator<Item = &'i str>) -> NoticeResult {
    let open: Vec<&str> = open.collect();
    require(open.is_empty(), NoticeDetail::StillOpen, &[entities, &open.join(", ")])
}

fn require(holds: bool, detail: NoticeDetail, names: &[&str]) -> NoticeResult {
    if holds { Ok(()) } else { Err(Notice::new(detail, names)) }
}
