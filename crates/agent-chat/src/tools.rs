//! Runs the calls of the page's own tools. This code is reached only through a function value, so that a page without tools does not link it.

use crate::core::{Core, Handle, ToolRunner};
use crate::ids::{new_id, now};
use crate::json;
use crate::page_tool::{Handler, PageTool, ToolFuture, Tools};
use crate::storage::Shelf;
use crate::trouble::Trouble;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::thread::{CallState, RunState};
use ag_ui_stream::{Message, Thread};
use json_tree::Json;
use leptos::task::spawn_local;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

/// The result of a call that the user stopped, or that no tab can carry out any more.
const STOPPED: &str = "Stopped: the user went on before this tool call had its result.";

/// The result of a call whose page was reloaded.
const RELOADED: &str = "No result: the page was reloaded while this ran.";

/// The runner for a conversation. `name` is the browser's name for it, if it is persisted.
pub(crate) fn open(tools: Tools, name: Option<String>, max_rounds: u32) -> Rc<dyn ToolRunner> {
    let key = name.map(|name| ["agent-chat tools ", &name].concat());
    let stored = key.as_deref().and_then(|key| Shelf::Tab.read(key)).unwrap_or_default();
    let stored = json::parse(&stored);
    let calls = json::items(&stored, "calls").iter().filter_map(TrackedCall::read).collect();
    let run = json::text(&stored, "run").map(str::to_owned);
    let starts_next = Cell::new(stored.get("goesOn").and_then(Json::as_bool) == Some(true));
    let rounds = stored.get("rounds").and_then(Json::as_index).and_then(|rounds| u32::try_from(rounds).ok());
    Rc::new(PageToolRunner {
        tools,
        key,
        run: RefCell::new(run),
        list: RefCell::new(calls),
        starts_next,
        max_rounds,
        rounds: Cell::new(rounds.unwrap_or_default()),
        is_round: Cell::default(),
    })
}

struct PageToolRunner {
    tools: Tools,
    /// The key of the calls in the tab's storage, and of the last run in the browser's.
    key: Option<String>,
    /// The last run that this tab started, until all its calls have ended.
    run: RefCell<Option<String>>,
    /// The calls that started and whose results the agent does not have.
    list: RefCell<Vec<TrackedCall>>,
    /// True if the next run is to start with their results.
    starts_next: Cell<bool>,
    max_rounds: u32,
    /// The number of runs since the user's last input that only results started.
    rounds: Cell<u32>,
    /// True if the current request starts one more.
    is_round: Cell<bool>,
}

struct TrackedCall {
    id: String,
    progress: CallProgress,
}

enum CallProgress {
    Running(Rc<Task>),
    /// The page was left while it ran.
    Interrupted,
    Done(CallOutput),
}

/// A result, as the agent reads it.
#[derive(Clone)]
struct CallOutput {
    content: String,
    is_error: bool,
}

impl CallOutput {
    fn stopped() -> Self {
        Self { content: STOPPED.to_owned(), is_error: true }
    }
}

/// The future of a handler; `None` while it is polled, and after its end.
#[derive(Default)]
struct Task {
    future: Cell<Option<ToolFuture>>,
    is_stopped: Cell<bool>,
}

struct DueCall {
    id: String,
    handler: Handler,
    arguments: Value,
    task: Rc<Task>,
}

impl ToolRunner for PageToolRunner {
    fn is_busy(&self, thread: &Thread) -> bool {
        has_ended_well(thread.run()) && self.open_calls(thread).next().is_some()
    }

    fn note_run(&self, run_id: &str, has_user_input: bool) {
        self.is_round.set(self.starts_next.get() && !has_user_input);
        self.run.replace(Some(run_id.to_owned()));
        if let Some(key) = &self.key {
            Shelf::Browser.write(key, run_id);
        }
        self.starts_next.set(false);
        self.persist();
    }

    fn note_accepted(&self) {
        self.rounds.set(if self.is_round.take() { self.rounds.get() + 1 } else { 0 });
        self.list.borrow_mut().retain(|call| matches!(call.progress, CallProgress::Running(_)));
        self.persist();
    }

    fn start(self: Rc<Self>, handle: Handle) {
        let due = handle.with(|core| self.take_due(core)).unwrap_or_default();
        for DueCall { id, handler, arguments, task } in due {
            let future = handler(arguments);
            task.future.set(Some(future));
            let runner = Rc::clone(&self);
            spawn_local(async move {
                let Some(result) = task.run().await else { return };
                let output = match result {
                    Ok(Value::String(text)) => CallOutput { content: text, is_error: false },
                    Ok(value) => CallOutput { content: value.to_string(), is_error: false },
                    Err(error) => CallOutput { content: error, is_error: true },
                };
                handle.with(|core| runner.finish(core, &id, output));
                handle.send_next();
            });
        }
    }

    fn drop_answered(&self, thread: &Thread) {
        let is_over = |call: &TrackedCall| {
            matches!(call.progress, CallProgress::Running(_))
                && thread.call(&call.id).is_none_or(|call| call.is_answered())
        };
        let mut list = self.list.borrow_mut();
        while let Some(at) = list.iter().position(is_over) {
            list.remove(at).drop_future();
        }
    }

    fn stop(&self, core: &mut Core) -> bool {
        if let RunState::Running { .. } = core.conversation.thread().run() {
            return false;
        }
        let open: Vec<_> = self.open_calls(core.conversation.thread()).map(|(id, _)| id).collect();
        if !open.is_empty() {
            self.starts_next.set(false);
        }
        for id in &open {
            self.add_result(core, id, CallOutput::stopped());
        }
        !open.is_empty()
    }

    fn leave(&self) {
        for call in self.list.borrow_mut().drain(..) {
            call.drop_future();
        }
    }
}

impl PageToolRunner {
    fn tool(&self, name: &str) -> Option<&(PageTool, Handler)> {
        self.tools.iter().find(|(tool, _)| tool.definition.name == name)
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

    /// Returns true for the tab that started the browser's last run.
    fn owns_last_run(&self) -> bool {
        let run = self.run.borrow();
        let last = self.key.as_deref().map(|key| Shelf::Browser.read(key));
        run.is_some() && last.is_none_or(|last| last == *run)
    }

    /// Starts the calls that are due. Calls that can't be carried out get their results at once.
    fn take_due(&self, core: &mut Core) -> Vec<DueCall> {
        let has_server = core.subscription().is_some();
        let thread = core.conversation.thread();
        if !has_ended_well(thread.run()) || !self.owns_last_run() {
            return Vec::new();
        }
        // A run on the server may be another device's.
        let is_own = |call: &CallState| !has_server || call.run_id.is_none() || call.run_id == *self.run.borrow();
        let open: Vec<_> = self.open_calls(thread).filter(|(_, call)| is_own(call)).collect();
        if open.is_empty() {
            // A reload came between the results and their run.
            if self.starts_next.get() {
                self.start_next_run(core);
            }
            if self.list.borrow().is_empty() {
                self.clear();
            }
            return Vec::new();
        }
        let is_passed = |id: &str| {
            let mut later = thread
                .messages()
                .iter()
                .rev()
                .take_while(|message| !message.tool_calls().iter().any(|call| call.id == id));
            later.any(|message| message.role() == "user")
        };
        let (mut due, mut ready, mut passed) = (Vec::new(), Vec::new(), Vec::new());
        for (id, call) in open {
            if is_passed(&id) {
                passed.push(id);
                continue;
            }
            let Some((tool, handler)) = self.tool(&call.name) else { continue };
            let mut list = self.list.borrow_mut();
            let tracked = list.iter().position(|tracked| tracked.id == id);
            match tracked.map(|at| &list[at].progress) {
                Some(CallProgress::Running(_)) => continue,
                Some(CallProgress::Done(output)) => {
                    ready.push((id, output.clone()));
                    continue;
                }
                Some(CallProgress::Interrupted) if !tool.is_repeatable => {
                    ready.push((id, CallOutput { content: RELOADED.to_owned(), is_error: true }));
                    continue;
                }
                Some(CallProgress::Interrupted) | None => {}
            }
            match read_arguments(thread.arguments(&id).unwrap_or_default()) {
                Ok(arguments) => {
                    let task = Rc::<Task>::default();
                    list.retain(|tracked| tracked.id != id);
                    list.push(TrackedCall { id: id.clone(), progress: CallProgress::Running(Rc::clone(&task)) });
                    due.push(DueCall { id, handler: Arc::clone(handler), arguments, task });
                }
                Err(content) => ready.push((id, CallOutput { content, is_error: true })),
            }
        }
        for id in passed {
            self.add_result(core, &id, CallOutput::stopped());
        }
        for (id, output) in ready {
            self.finish(core, &id, output);
        }
        self.persist();
        due
    }

    /// Handles the result of a call. The last one starts the next run.
    fn finish(&self, core: &mut Core, id: &str, output: CallOutput) {
        if core.conversation.thread().call(id).is_some_and(|call| !call.is_answered()) {
            self.starts_next.set(true);
            self.add_result(core, id, output);
            if !self.is_busy(core.conversation.thread()) {
                self.start_next_run(core);
            }
        } else {
            self.list.borrow_mut().retain(|call| call.id != id);
        }
    }

    /// Starts the next run with the results, unless too many runs in a row had only results. The limit does not apply while a question waits.
    fn start_next_run(&self, core: &mut Core) {
        let rounds = self.rounds.get();
        if rounds < self.max_rounds || core.conversation.waiting().next().is_some() {
            core.reruns = true;
            return;
        }
        self.starts_next.set(false);
        self.persist();
        core.fail(Trouble::TooManyRounds(rounds));
    }

    fn add_result(&self, core: &mut Core, id: &str, output: CallOutput) {
        let mut list = self.list.borrow_mut();
        if let Some(at) = list.iter().position(|call| call.id == id) {
            list.remove(at).drop_future();
        }
        let error = output.is_error.then(|| output.content.clone());
        let message = Message::tool(new_id(), id, output.content.as_str()).with_error(error);
        list.push(TrackedCall { id: id.to_owned(), progress: CallProgress::Done(output) });
        drop(list);
        self.persist();
        core.conversation.push_message(now(), message);
        core.save();
    }

    /// Forgets the run, which has no calls left.
    fn clear(&self) {
        self.run.take();
        if let Some(key) = &self.key {
            Shelf::Tab.remove(key);
            Shelf::Browser.remove(key);
        }
    }

    fn persist(&self) {
        let Some(key) = &self.key else { return };
        let calls: Vec<_> = self.list.borrow().iter().map(TrackedCall::write).collect();
        let run = self.run.borrow().as_deref().map_or(Json::Null, |run| run.to_owned().into());
        Shelf::Tab.write(
            key,
            &Json::object([
                ("run", run),
                ("calls", calls.into()),
                ("goesOn", self.starts_next.get().into()),
                ("rounds", (self.rounds.get() as usize).into()),
            ])
            .to_string(),
        );
    }
}

impl TrackedCall {
    /// Drops the handler's future later, since a destructor may use the chat.
    fn drop_future(self) {
        if let CallProgress::Running(task) = self.progress {
            task.is_stopped.set(true);
            let future = task.future.take();
            spawn_local(async move { drop(future) });
        }
    }

    fn write(&self) -> Json<'static> {
        let mut members = vec![("call", self.id.as_str().into())];
        if let CallProgress::Done(CallOutput { content, is_error }) = &self.progress {
            members.push(("content", content.as_str().into()));
            members.push(("error", (*is_error).into()));
        }
        Json::object(members)
    }

    fn read(stored: &Json<'_>) -> Option<Self> {
        let is_error = stored.get("error").and_then(Json::as_bool) == Some(true);
        let progress = json::text(stored, "content").map_or(CallProgress::Interrupted, |content| {
            CallProgress::Done(CallOutput { content: content.to_owned(), is_error })
        });
        Some(Self { id: json::text(stored, "call")?.to_owned(), progress })
    }
}

impl Task {
    /// Runs the future to its end. Returns `None` if it was stopped. It is polled outside of its cell, since it may stop itself.
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

/// Returns true if the calls of the last run wait for their results. A history has no run.
fn has_ended_well(run: &RunState) -> bool {
    match run {
        RunState::Idle => true,
        RunState::Ended { outcome } => matches!(outcome, EndOutcome::Completed | EndOutcome::Interrupt),
        _ => false,
    }
}

/// Parses the arguments of a call. Models leave them out if a tool takes none.
fn read_arguments(text: &str) -> Result<Value, String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    match Json::parse(text) {
        Ok(object @ Json::Object(_)) => Ok(object.into_value()),
        Ok(_) => Err("The arguments are no JSON object.".to_owned()),
        Err(error) => Err(format!("The arguments are not valid JSON: {error}")),
    }
}
