//! The front desk inside a page: what `question-server` does for one conversation of the chat page, without I/O. `demo.js` answers the page's
//! requests with it, and keeps in the browser what has changed.

use ag_ui_stream::outcome::RunOutcome;
use question_agent::ag_ui::{
    self, AnswerTooLong, Bounds, CancelBody, Delta, Edition, Pending, Refused, RespondBody, RunInput, Step, Turn, View,
    Work, wire,
};
use question_agent::effect::StateChange;
use question_agent::registry::{ToolContext, ToolRegistry};
use question_agent::{Conversation, Event, Rejected, stored};
use scripted_agent::Script;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::mem::take;
use std::vec;
use wasm_bindgen::prelude::wasm_bindgen;

/// An answer that is being given: what it has become, and what is still to come.
type RunningAnswer = (Turn<Box<dyn FnMut() -> String>>, vec::IntoIter<Delta>);

/// One conversation with the front desk. After each call, [`told`](Self::told) has the events for its clients, and [`changed`](Self::changed)
/// the state to keep.
#[wasm_bindgen]
pub struct Desk {
    script: Script,
    id: String,
    /// The prefix of ids, and the number of ids made so far.
    ids: (String, u32),
    conversation: Conversation,
    context: ToolContext,
    /// The id of the open run.
    run: Option<String>,
    answer: Option<RunningAnswer>,
    told: Vec<String>,
    has_changed: bool,
}

/// A conversation as the browser keeps it.
#[derive(Serialize, Deserialize)]
struct StoredDesk {
    version: u32,
    state: Value,
    messages: Vec<Value>,
    context: ToolContext,
}

#[wasm_bindgen]
impl Desk {
    /// Restores the conversation with this id; starts an empty one if `kept` can't be read. Ids made here begin with `seed`, which must be
    /// unique.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(id: String, seed: String, kept: Option<String>) -> Self {
        let kept = kept.and_then(|kept| serde_json::from_str::<StoredDesk>(&kept).ok());
        let read = kept.and_then(|StoredDesk { version, state, messages, context }| {
            Some((Conversation::from_parts(version, state, messages).ok()?, context))
        });
        let (conversation, context) = read.unwrap_or_default();
        Self {
            script: Script::front_desk(),
            id,
            ids: (seed, 0),
            conversation,
            context,
            run: None,
            answer: None,
            told: Vec::new(),
            has_changed: false,
        }
    }

    /// Returns true if something has been said.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        !self.conversation.messages().is_empty()
    }

    /// The conversation as it is to be kept, if it has changed since this was called last.
    #[must_use]
    pub fn changed(&mut self) -> Option<String> {
        let kept = json!({
            "version": stored::VERSION,
            "state": self.conversation.state(),
            "messages": self.conversation.messages(),
            "context": self.context,
        });
        take(&mut self.has_changed).then(|| kept.to_string())
    }

    /// The events for clients since this was called last, as JSON.
    #[must_use]
    pub fn told(&mut self) -> Vec<String> {
        take(&mut self.told)
    }

    /// The conversation as JSON, for a client that resumes after an event id.
    #[must_use]
    pub fn description(&self, last_event_id: &str) -> String {
        let state = StateChange::from(self.conversation.state());
        let messages = wire::messages(self.view());
        json!({"messages": messages, "state": state, "pending": [], "lastEventId": last_event_id}).to_string()
    }

    /// The history as the events of a run, for a client that has missed some.
    #[must_use]
    pub fn history(&mut self) -> Vec<String> {
        let run_id = self.next_id();
        let outcome = wire::outcome(self.view(), Pending::of(&self.context));
        let events = [
            wire::run_started(&self.id, &run_id, Vec::new()),
            wire::snapshot(self.view()),
            wire::run_finished(Edition::Current, &self.id, &run_id, outcome),
        ];
        events.iter().map(text).collect()
    }

    /// Takes a `RunAgentInput`. Returns why it is refused, if it is.
    #[must_use]
    pub fn run(&mut self, body: &str) -> Option<String> {
        self.try_run(body).err().map(|refused| refusal(&refused))
    }

    /// Takes an answer, as `POST /conversations/{id}/respond` does.
    #[must_use]
    pub fn respond(&mut self, body: &str) -> Option<String> {
        match self.try_respond(body) {
            Ok(()) | Err(Refused::Rejected(Rejected::AlreadyAnswered { same_reply: true, .. })) => None,
            Err(refused) => Some(refusal(&refused)),
        }
    }

    /// Takes a cancel, as `POST /conversations/{id}/cancel` does.
    #[must_use]
    pub fn cancel(&mut self, body: &str) -> Option<String> {
        self.try_cancel(body).err().map(|refused| refusal(&refused))
    }

    /// Emits the next piece of the answer. Returns false if no run is under way.
    #[must_use]
    pub fn step(&mut self) -> bool {
        if let Some((mut turn, mut rest)) = self.answer.take() {
            match rest.next() {
                Some(delta) => {
                    let taken: Result<(), AnswerTooLong> = turn.take([Ok(delta)]);
                    taken.expect("the script is short");
                    self.tell(turn.events());
                    self.answer = Some((turn, rest));
                }
                None => {
                    let (message, events) = turn.finish();
                    self.tell(events);
                    self.go_on(Event::LlmResponse(message));
                }
            }
        }
        self.run.is_some()
    }
}

impl Desk {
    fn view(&self) -> View<'_> {
        View { conversation: &self.conversation, context: &self.context }
    }

    fn next_id(&mut self) -> String {
        self.ids.1 += 1;
        format!("{}-{}", self.ids.0, self.ids.1)
    }

    fn tell(&mut self, events: impl IntoIterator<Item = ag_ui_stream::Event>) {
        self.told.extend(events.into_iter().map(|event| text(&event)));
    }

    fn try_run(&mut self, body: &str) -> Result<(), Refused> {
        let input = RunInput::parse(body.as_bytes())?;
        if self.run.is_some() {
            return Err(Rejected::Busy.into());
        }
        let (event, is_at_work) = (ag_ui::read(&Bounds::default(), self.view(), &input)?, self.view().is_at_work());
        if event.is_some() {
            if is_at_work {
                // The page that did this work is gone, and the user goes on.
                self.conversation.handle(Event::UserCancel { proceed: false })?;
            }
            self.context.client_tool = input.client_tool().map(str::to_owned);
            self.context.interrupts = input.pending() == Pending::Interrupts;
        } else if !is_at_work {
            self.told = self.history();
            return Ok(());
        }
        self.begin(input.run_id, event)
    }

    fn try_respond(&mut self, body: &str) -> Result<(), Refused> {
        let [run_id, reply_id] = [(); 2].map(|()| self.next_id());
        let event = RespondBody::parse(body.as_bytes())?.read(&Bounds::default(), &self.conversation, || reply_id)?;
        self.begin(run_id, Some(event))
    }

    fn try_cancel(&mut self, body: &str) -> Result<(), Refused> {
        let body = CancelBody::parse(body.as_bytes())?;
        if body.is_done(&self.conversation)? {
            return Ok(());
        }
        match (self.run.take(), body.run_id) {
            (Some(run), run_id) if run_id.as_ref().is_none_or(|id| *id == run) => {
                self.stop(&run);
                Ok(())
            }
            (run, Some(_)) => {
                self.run = run;
                Ok(())
            }
            (_, None) => {
                let run_id = self.next_id();
                self.begin(run_id, Some(Event::UserCancel { proceed: body.proceed }))
            }
        }
    }

    /// Ends a run in the middle of an answer, of which the text stays.
    fn stop(&mut self, run_id: &str) {
        let Some((turn, _)) = self.answer.take() else { return };
        let (partial, events) = turn.finish();
        self.tell(events);
        let stopped = self.conversation.handle(Event::LlmStopped { partial });
        self.has_changed = stopped.is_ok();
        let end = wire::run_finished(Edition::Current, &self.id, run_id, RunOutcome::Cancelled);
        self.tell([wire::snapshot(self.view()), end]);
    }

    /// Starts a run with an event, or goes on with what an earlier page has started.
    fn begin(&mut self, run_id: String, event: Option<Event>) -> Result<(), Refused> {
        let brought = event.as_ref().and_then(ag_ui::brought_message).map(str::to_owned);
        let step = Step::of(match event {
            Some(event) => self.conversation.handle(event)?,
            None => self.conversation.resume(),
        });
        self.tell([wire::run_started(&self.id, &run_id, step.taken(brought.as_deref()))]);
        self.run = Some(run_id);
        self.carry_out(&step, brought.as_deref());
        Ok(())
    }

    fn go_on(&mut self, event: Event) {
        let effects = self.conversation.handle(event).expect("it is what the conversation waits for");
        self.carry_out(&Step::of(effects), None);
    }

    /// Emits the events of a step and starts its work; a step without work ends the run.
    fn carry_out(&mut self, step: &Step, brought: Option<&str>) {
        self.has_changed = true;
        self.tell(step.events(self.view(), brought));
        match &step.work {
            Some(Work::AskModel) => {
                let (seed, mut made) = (self.next_id(), 0);
                let next_id = move || {
                    made += 1;
                    format!("{seed}-{made}")
                };
                let deltas = self.script.next(self.conversation.messages(), &self.context);
                self.answer = Some((Turn::new(self.context.clone(), Box::new(next_id)), deltas.into_iter()));
            }
            Some(Work::Execute(call)) => {
                let registry = ToolRegistry::new(self.script.limits(), self.context.clone());
                self.go_on(registry.execute(call, None, |_| None));
            }
            None => {
                let run_id = self.run.take().unwrap_or_default();
                let outcome = wire::outcome(self.view(), Pending::of(&self.context));
                self.tell([wire::run_finished(Edition::Current, &self.id, &run_id, outcome)]);
            }
        }
    }
}

fn text(event: &ag_ui_stream::Event) -> String {
    json!(event).to_string()
}

/// A refusal as `question-server` answers it, with its status.
fn refusal(refused: &Refused) -> String {
    let status = match refused {
        Refused::Rejected(_) | Refused::Full(_) => 409,
        _ => 400,
    };
    let mut body = json!({"status": status, "code": refused.code(), "message": refused.to_string()});
    if let Refused::Rejected(Rejected::AlreadyAnswered { winner, .. }) = refused {
        body["winner"] = json!(wire::result_message(winner));
    }
    body.to_string()
}
