//! The page's own tools beside the asking one. The code is reached by values alone, so that a page without tools does not carry it.

use crate::conversation::Conversation;
use crate::ids::{new_id, now};
use crate::json;
use crate::storage::Shelf;
use crate::trouble::Trouble;
use ag_ui_stream::input::Tool;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::thread::{CallState, RunState};
use ag_ui_stream::{Message, Thread};
use json_tree::Json;
use leptos::task::spawn_local;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

/// The result of a call that the user stopped, or that nobody is left to carry out.
const STOPPED: &str = "Stopped: the user went on before this tool call had its result.";

/// The result of a call whose page was reloaded.
const RELOADED: &str = "No result: the page was reloaded while this ran.";

/// The result of a call on its way: a value, or an error for the model to read.
type ToolFuture = Pin<Box<dyn Future<Output = Result<Value, String>>>>;

/// A function of the host that carries a call out.
pub(crate) type Handler = Arc<dyn Fn(Value) -> ToolFuture + Send + Sync>;

/// A tool that the agent may call on the page, for [`ChatOptions::tool`](crate::ChatOptions::tool).
#[derive(Clone, Debug)]
pub struct PageTool {
    definition: Tool,
    repeats: bool,
}

impl PageTool {
    /// A tool of this name, described for the model. It takes no arguments.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { definition: Tool::new(name, description), repeats: false }
    }

    /// The same, with a JSON Schema of its arguments.
    #[must_use]
    pub fn with_parameters(mut self, schema: &Value) -> Self {
        self.definition.parameters = Some(schema.into());
        self
    }

    /// The same, carried out once more where the page was reloaded during a call. Without this, such a call gets an error as its result.
    #[must_use]
    pub fn repeatable(self) -> Self {
        Self { repeats: true, ..self }
    }
}

/// The tools that a page has set up.
pub(crate) trait Toolset: Send + Sync {
    /// The same tools and one more.
    fn with(&self, tool: PageTool, handler: Handler) -> Arc<dyn Toolset>;

    /// The definitions, for requests.
    fn definitions(&self) -> Vec<Tool>;

    /// The calls of a conversation. `name` is what the browser keeps them under, where it keeps the conversation.
    fn open(&self, name: Option<String>, most_rounds: u32) -> Rc<dyn CallDesk>;
}

/// The owner of a conversation, as its calls need it.
pub(crate) trait CallHost {
    fn conversation(&mut self) -> &mut Conversation;

    /// Whether a server tells the conversation, to other devices as well.
    fn is_followed(&self) -> bool;

    /// Lets the next run start.
    fn go_on(&mut self);

    /// Shows an error.
    fn fail(&self, trouble: Trouble);

    /// Keeps the conversation in the browser, where no server does.
    fn save(&self);
}

/// Lends the host, where it is still there.
pub(crate) type Enter = Rc<dyn Fn(&mut dyn FnMut(&mut dyn CallHost))>;

/// The calls of a conversation that the page carries out.
pub(crate) trait CallDesk {
    /// Whether calls of the page's tools have no result yet.
    fn is_busy(&self, thread: &Thread) -> bool;

    /// A request starts this run, with a word of the user or without.
    fn note_run(&self, run_id: &str, has_word: bool);

    /// The agent has the results that were there.
    fn note_arrival(&self);

    /// Carries out the calls that are due, and calls `next` after each result. Not to be called while the host is entered.
    fn start(self: Rc<Self>, enter: Enter, next: Rc<dyn Fn()>);

    /// Drops the handlers of calls that have a result from elsewhere.
    fn drop_answered(&self, thread: &Thread);

    /// Gives the calls without a result one that says that they were stopped. False where there is none.
    fn stop(&self, host: &mut dyn CallHost) -> bool;

    /// The page leaves the conversation.
    fn leave(&self);
}

/// A handler as the set holds it.
pub(crate) fn boxed<F>(handler: impl Fn(Value) -> F + Send + Sync + 'static) -> Handler
where
    F: Future<Output = Result<Value, String>> + 'static,
{
    Arc::new(move |arguments| Box::pin(handler(arguments)))
}

/// The tools with their handlers.
#[derive(Clone, Default)]
pub(crate) struct Tools(Vec<(PageTool, Handler)>);

impl Toolset for Tools {
    fn with(&self, tool: PageTool, handler: Handler) -> Arc<dyn Toolset> {
        let mut tools = self.clone();
        tools.0.retain(|(earlier, _)| earlier.definition.name != tool.definition.name);
        tools.0.push((tool, handler));
        Arc::new(tools)
    }

    fn definitions(&self) -> Vec<Tool> {
        self.0.iter().map(|(tool, _)| tool.definition.clone()).collect()
    }

    fn open(&self, name: Option<String>, most_rounds: u32) -> Rc<dyn CallDesk> {
        let key = name.map(|name| ["agent-chat tools ", &name].concat());
        let kept = key.as_deref().and_then(|key| Shelf::Tab.read(key)).unwrap_or_default();
        let kept = json::parse(&kept);
        let calls = json::items(&kept, "calls").iter().filter_map(Call::read).collect();
        let run = json::text(&kept, "run").map(str::to_owned);
        let goes_on = Cell::new(kept.get("goesOn").and_then(Json::as_bool) == Some(true));
        let rounds = kept.get("rounds").and_then(Json::as_index).and_then(|rounds| u32::try_from(rounds).ok());
        Rc::new(Calls {
            tools: self.clone(),
            key,
            run: RefCell::new(run),
            list: RefCell::new(calls),
            goes_on,
            most_rounds,
            rounds: Cell::new(rounds.unwrap_or_default()),
            is_round: Cell::default(),
        })
    }
}

struct Calls {
    tools: Tools,
    /// Where the tab keeps the calls, and the browser the run that was started last.
    key: Option<String>,
    /// The run that this tab started last, until it is over with all its calls.
    run: RefCell<Option<String>>,
    /// The calls that started and whose results the agent does not have.
    list: RefCell<Vec<Call>>,
    /// The next run is to start with their results.
    goes_on: Cell<bool>,
    most_rounds: u32,
    /// The number of runs since the user's last word that only results started.
    rounds: Cell<u32>,
    /// True if the request that is under way starts one more.
    is_round: Cell<bool>,
}

struct Call {
    id: String,
    state: State,
}

enum State {
    Runs(Rc<Task>),
    /// It ran when the page was left.
    Left,
    Done(Written),
}

/// A result as the agent reads it.
#[derive(Clone)]
struct Written {
    content: String,
    is_error: bool,
}

impl Written {
    fn stopped() -> Self {
        Self { content: STOPPED.to_owned(), is_error: true }
    }
}

/// The future of a handler; none where it is polled, is over or was stopped.
#[derive(Default)]
struct Task {
    future: Cell<Option<ToolFuture>>,
    is_stopped: Cell<bool>,
}

/// A call that is to be carried out.
struct DueCall {
    id: String,
    handler: Handler,
    arguments: Value,
    task: Rc<Task>,
}

impl CallDesk for Calls {
    fn is_busy(&self, thread: &Thread) -> bool {
        has_ended_well(thread.run()) && self.open_calls(thread).next().is_some()
    }

    fn note_run(&self, run_id: &str, has_word: bool) {
        self.is_round.set(self.goes_on.get() && !has_word);
        self.run.replace(Some(run_id.to_owned()));
        if let Some(key) = &self.key {
            Shelf::Browser.write(key, run_id);
        }
        self.goes_on.set(false);
        self.keep();
    }

    fn note_arrival(&self) {
        self.rounds.set(if self.is_round.take() { self.rounds.get() + 1 } else { 0 });
        self.list.borrow_mut().retain(|call| matches!(call.state, State::Runs(_)));
        self.keep();
    }

    fn start(self: Rc<Self>, enter: Enter, next: Rc<dyn Fn()>) {
        let mut due = Vec::new();
        enter(&mut |host| due = self.take_due(host));
        for DueCall { id, handler, arguments, task } in due {
            let future = handler(arguments);
            task.future.set(Some(future));
            let (desk, enter, next) = (Rc::clone(&self), Rc::clone(&enter), Rc::clone(&next));
            spawn_local(async move {
                let Some(result) = task.run().await else { return };
                let written = match result {
                    Ok(Value::String(text)) => Written { content: text, is_error: false },
                    Ok(value) => Written { content: value.to_string(), is_error: false },
                    Err(error) => Written { content: error, is_error: true },
                };
                enter(&mut |host| desk.finish(host, &id, written.clone()));
                next();
            });
        }
    }

    fn drop_answered(&self, thread: &Thread) {
        let is_over = |call: &Call| {
            matches!(call.state, State::Runs(_)) && thread.call(&call.id).is_none_or(|call| call.answered)
        };
        let mut list = self.list.borrow_mut();
        while let Some(at) = list.iter().position(is_over) {
            list.remove(at).drop_future();
        }
    }

    fn stop(&self, host: &mut dyn CallHost) -> bool {
        if let RunState::Running { .. } = host.conversation().thread().run() {
            return false;
        }
        let open: Vec<_> = self.open_calls(host.conversation().thread()).map(|(id, _)| id).collect();
        if !open.is_empty() {
            self.goes_on.set(false);
        }
        for id in &open {
            self.give(host, id, Written::stopped());
        }
        !open.is_empty()
    }

    fn leave(&self) {
        for call in self.list.borrow_mut().drain(..) {
            call.drop_future();
        }
    }
}

impl Calls {
    fn tool(&self, name: &str) -> Option<&(PageTool, Handler)> {
        self.tools.0.iter().find(|(tool, _)| tool.definition.name == name)
    }

    /// The calls of the page's tools without a result, unless an interrupt waits for it.
    fn open_calls<'t>(&'t self, thread: &'t Thread) -> impl Iterator<Item = (String, &'t CallState)> {
        let interrupts = thread.open_interrupts().iter().filter_map(|it| it.tool_call_id.as_deref());
        let held: Vec<_> = interrupts.map(|id| thread.key(id)).collect();
        let open = thread.unanswered_tool_call_ids().into_iter().filter(move |id| !held.contains(&id.as_str().into()));
        open.filter_map(|id| {
            let call = thread.call(&id)?;
            self.tool(&call.name).map(|_| (id, call))
        })
    }

    /// True for the tab that started the last run of the browser.
    fn is_ours(&self) -> bool {
        let run = self.run.borrow();
        let last = self.key.as_deref().map(|key| Shelf::Browser.read(key));
        run.is_some() && last.is_none_or(|last| last == *run)
    }

    /// Begins the calls that are due. Those that can't be carried out have their results at once.
    fn take_due(&self, host: &mut dyn CallHost) -> Vec<DueCall> {
        let is_told = host.is_followed();
        let thread = host.conversation().thread();
        if !has_ended_well(thread.run()) || !self.is_ours() {
            return Vec::new();
        }
        // What a server tells may be the run of another device.
        let is_own = |call: &CallState| !is_told || call.run_id.is_none() || call.run_id == *self.run.borrow();
        let open: Vec<_> = self.open_calls(thread).filter(|(_, call)| is_own(call)).collect();
        if open.is_empty() {
            // What a reload came between.
            if self.goes_on.get() {
                self.go_on(host);
            }
            if self.list.borrow().is_empty() {
                self.forget();
            }
            return Vec::new();
        }
        let said_since = |id: &str| {
            let mut later = thread
                .messages()
                .iter()
                .rev()
                .take_while(|message| !message.tool_calls().iter().any(|call| call.id == id));
            later.any(|message| message.role() == "user")
        };
        let (mut due, mut given, mut passed) = (Vec::new(), Vec::new(), Vec::new());
        for (id, call) in open {
            if said_since(&id) {
                passed.push(id);
                continue;
            }
            let Some((tool, handler)) = self.tool(&call.name) else { continue };
            let mut list = self.list.borrow_mut();
            let begun = list.iter().position(|begun| begun.id == id);
            match begun.map(|at| &list[at].state) {
                Some(State::Runs(_)) => continue,
                Some(State::Done(written)) => {
                    given.push((id, written.clone()));
                    continue;
                }
                Some(State::Left) if !tool.repeats => {
                    given.push((id, Written { content: RELOADED.to_owned(), is_error: true }));
                    continue;
                }
                Some(State::Left) | None => {}
            }
            match read_arguments(thread.arguments(&id).unwrap_or_default()) {
                Ok(arguments) => {
                    let task = Rc::<Task>::default();
                    list.retain(|begun| begun.id != id);
                    list.push(Call { id: id.clone(), state: State::Runs(Rc::clone(&task)) });
                    due.push(DueCall { id, handler: Arc::clone(handler), arguments, task });
                }
                Err(content) => given.push((id, Written { content, is_error: true })),
            }
        }
        for id in passed {
            self.give(host, &id, Written::stopped());
        }
        for (id, written) in given {
            self.finish(host, &id, written);
        }
        self.keep();
        due
    }

    /// A call has its result. With the last one the next run may start.
    fn finish(&self, host: &mut dyn CallHost, id: &str, written: Written) {
        if host.conversation().thread().call(id).is_some_and(|call| !call.answered) {
            self.goes_on.set(true);
            self.give(host, id, written);
            if !self.is_busy(host.conversation().thread()) {
                self.go_on(host);
            }
        } else {
            self.list.borrow_mut().retain(|call| call.id != id);
        }
    }

    /// Lets the next run start with the results, unless there were many already. A question that waits has the user's word.
    fn go_on(&self, host: &mut dyn CallHost) {
        let rounds = self.rounds.get();
        if rounds < self.most_rounds || host.conversation().waiting().next().is_some() {
            return host.go_on();
        }
        self.goes_on.set(false);
        self.keep();
        host.fail(Trouble::TooManyRounds(rounds));
    }

    /// Makes the result a part of the conversation.
    fn give(&self, host: &mut dyn CallHost, id: &str, written: Written) {
        let mut list = self.list.borrow_mut();
        if let Some(at) = list.iter().position(|call| call.id == id) {
            list.remove(at).drop_future();
        }
        let error = written.is_error.then(|| written.content.clone());
        let message = Message::tool(new_id(), id, written.content.as_str()).with_error(error);
        list.push(Call { id: id.to_owned(), state: State::Done(written) });
        drop(list);
        self.keep();
        host.conversation().push_message(now(), message);
        host.save();
    }

    /// Nothing is left of the run.
    fn forget(&self) {
        self.run.take();
        if let Some(key) = &self.key {
            Shelf::Tab.remove(key);
            Shelf::Browser.remove(key);
        }
    }

    fn keep(&self) {
        let Some(key) = &self.key else { return };
        let calls: Vec<_> = self.list.borrow().iter().map(Call::write).collect();
        let run = self.run.borrow().as_deref().map_or(Json::Null, |run| run.to_owned().into());
        Shelf::Tab.write(
            key,
            &Json::object([
                ("run", run),
                ("calls", calls.into()),
                ("goesOn", self.goes_on.get().into()),
                ("rounds", (self.rounds.get() as usize).into()),
            ])
            .to_string(),
        );
    }
}

impl Call {
    /// A destructor may use the chat, so that it runs later.
    fn drop_future(self) {
        if let State::Runs(task) = self.state {
            task.is_stopped.set(true);
            let future = task.future.take();
            spawn_local(async move { drop(future) });
        }
    }

    fn write(&self) -> Json<'static> {
        let mut members = vec![("call", self.id.as_str().into())];
        if let State::Done(Written { content, is_error }) = &self.state {
            members.push(("content", content.as_str().into()));
            members.push(("error", (*is_error).into()));
        }
        Json::object(members)
    }

    fn read(kept: &Json<'_>) -> Option<Self> {
        let is_error = kept.get("error").and_then(Json::as_bool) == Some(true);
        let state = json::text(kept, "content")
            .map_or(State::Left, |content| State::Done(Written { content: content.to_owned(), is_error }));
        Some(Self { id: json::text(kept, "call")?.to_owned(), state })
    }
}

impl Task {
    /// Runs it to its end; `None` where it was stopped. It is polled outside of its place, as it may stop itself.
    async fn run(&self) -> Option<Result<Value, String>> {
        poll_fn(|cx| {
            let Some(mut future) = self.future.take() else { return Poll::Ready(None) };
            let polled = future.as_mut().poll(cx);
            match polled {
                _ if self.is_stopped.get() => Poll::Ready(None),
                Poll::Ready(result) => Poll::Ready(Some(result)),
                Poll::Pending => {
                    self.future.set(Some(future));
                    Poll::Pending
                }
            }
        })
        .await
    }
}

/// Whether the calls of the last run wait for their results. A history has no run.
fn has_ended_well(run: &RunState) -> bool {
    match run {
        RunState::Idle => true,
        RunState::Running { .. } => false,
        RunState::Ended { outcome } => matches!(outcome, EndOutcome::Completed | EndOutcome::Interrupt),
    }
}

/// The arguments of a call. Models leave them out if a tool takes none.
fn read_arguments(text: &str) -> Result<Value, String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    match Json::parse(text) {
        Ok(object @ Json::Object(_)) => Ok(object.into_value()),
        Ok(_) => Err("The arguments are no JSON object.".to_owned()),
        Err(error) => Err(format!("The arguments are not valid JSON: {error}")),
    }
}
