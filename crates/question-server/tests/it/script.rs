//! A model that does what a test says.

use crate::house::Agent;
use ask_user_question::Limits;
use futures_util::StreamExt as _;
use futures_util::future::ready;
use futures_util::stream::{self, BoxStream};
use question_server::models::{Delta, Model, ModelError, ModelRequest};
use question_server::tools::{SpawnAgents, Tool};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A question as a model may ask it.
pub(crate) const ASK: &str = r#"{"questions":[{"question":"Which?","options":[{"label":"One"},{"label":"Two"}]}]}"#;

/// Returns one prepared answer after the other.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    answers: Arc<Mutex<VecDeque<Vec<Line>>>>,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
    tools: Vec<Arc<dyn Tool>>,
    /// A permit for each time that the model has come to a [`Line::Waits`].
    arrived: Arc<Semaphore>,
    /// A permit for each time that it may go on.
    gate: Arc<Semaphore>,
}

#[derive(Clone, Debug)]
pub(crate) enum Line {
    Says(&'static str),
    /// A call by its index, the tool's name and the arguments.
    Calls(usize, &'static str, &'static str),
    /// Asking again may help after that long.
    Fails(Option<Duration>),
    /// Until the test lets it go on.
    Waits,
    Hangs,
    /// As a bug does.
    Panics,
}

impl Script {
    pub(crate) fn new(answers: impl IntoIterator<Item = Vec<Line>>) -> Self {
        Self {
            answers: Arc::new(Mutex::new(answers.into_iter().collect())),
            asked: Arc::default(),
            tools: Vec::new(),
            arrived: Arc::new(Semaphore::new(0)),
            gate: Arc::new(Semaphore::new(0)),
        }
    }

    /// The same for an agent that may have others do things for it.
    pub(crate) fn with_agents(self) -> Self {
        self.with_tool(Arc::new(SpawnAgents::default()))
    }

    /// The same for an agent with this tool.
    pub(crate) fn with_tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    pub(crate) fn times_asked(&self) -> usize {
        self.asked().len()
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().expect("no test panics with it").clone()
    }

    /// Until the model has come to the next [`Line::Waits`].
    pub(crate) async fn waits(&self) {
        take(&self.arrived).await;
    }

    /// Lets it go on from there.
    pub(crate) fn go_on(&self) {
        self.go_on_through(1);
    }

    /// Lets it go on from this number of further pauses.
    pub(crate) fn go_on_through(&self, waits: usize) {
        self.gate.add_permits(waits);
    }
}

impl Agent for Script {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.clone()
    }
}

impl Model for Script {
    fn limits(&self) -> Limits {
        Limits::RUNTIME
    }

    fn respond(&self, request: ModelRequest) -> BoxStream<'static, Result<Delta, ModelError>> {
        self.asked.lock().expect("no test panics with it").push(request);
        let lines = self.answers.lock().expect("no test panics with it").pop_front().unwrap_or_default();
        let script = self.clone();
        stream::iter(lines).flat_map(move |line| stream::iter(line.deltas()).boxed().chain(line.rest(&script))).boxed()
    }
}

impl Line {
    fn deltas(&self) -> Vec<Result<Delta, ModelError>> {
        match *self {
            Self::Says(text) => vec![Ok(Delta::Text(text.to_owned()))],
            Self::Calls(call, name, arguments) => vec![
                Ok(Delta::CallStart { call, name: name.to_owned() }),
                Ok(Delta::CallArgs { call, delta: arguments.to_owned() }),
            ],
            Self::Fails(retry_after) => {
                vec![Err(ModelError { reason: "The model is overloaded.".to_owned(), retry_after })]
            }
            Self::Waits | Self::Hangs | Self::Panics => Vec::new(),
        }
    }

    fn rest(&self, script: &Script) -> BoxStream<'static, Result<Delta, ModelError>> {
        match self {
            Self::Hangs => stream::pending().boxed(),
            Self::Panics => stream::once(async { panic!("a model with a bug") }).boxed(),
            Self::Waits => {
                let (arrived, gate) = (Arc::clone(&script.arrived), Arc::clone(&script.gate));
                let wait = async move {
                    arrived.add_permits(1);
                    take(&gate).await;
                };
                stream::once(wait).filter_map(|()| ready(None)).boxed()
            }
            Self::Says(_) | Self::Calls(..) | Self::Fails(_) => stream::empty().boxed(),
        }
    }
}

pub(crate) async fn take(permits: &Semaphore) {
    let permit = permits.acquire().await.expect("it is never closed");
    permit.forget();
}
