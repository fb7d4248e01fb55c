//! A visitor of the chat: speaks AG-UI with the project's own reader and answers asks as a page would.

use ag_ui_stream::asks::reply::{AskReply, Delivery, NextRun, Said, Setup, next_run};
use ag_ui_stream::reader::{End, EndOutcome, EventReader};
use ag_ui_stream::{Asks, Event, Message, Thread};
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Phase, Reply};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use question_server::models::Model;
use question_server::models::front_desk::FrontDesk;
use question_server::store::MemoryStore;
use question_server::{Config, app};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// A server with a desk that does not pause.
pub(crate) fn server() -> Router {
    server_with(FrontDesk::new(Duration::ZERO))
}

pub(crate) fn server_with(model: impl Model) -> Router {
    app(
        &Config::default(),
        Arc::new(MemoryStore::default()),
        Arc::new(model),
        CancellationToken::new(),
    )
}

/// What came back for a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// Status and code of an error.
    pub(crate) fn refusal(&self) -> (u16, String) {
        let code = self.json()["code"]
            .as_str()
            .expect("errors have a code")
            .to_owned();
        (self.status.as_u16(), code)
    }

    /// The events of the stream, each of them legal where it stands.
    pub(crate) fn events(&self) -> (Vec<Event>, End) {
        assert_eq!(self.status, StatusCode::OK, "{:?}", self.body);
        assert_eq!(self.headers[header::CONTENT_TYPE], "text/event-stream");
        let mut reader = EventReader::new();
        let mut events = Vec::new();
        let mut take = |reader: &mut EventReader| {
            while let Some(event) = reader.next_event() {
                events.push(event.expect("the server keeps to the protocol"));
            }
        };
        for chunk in self.body.chunks(7) {
            reader.feed(chunk);
            take(&mut reader);
        }
        let end = reader.finish();
        take(&mut reader);
        assert!(
            reader.next_warning().is_none(),
            "the server keeps to the protocol"
        );
        (events, end)
    }
}

pub(crate) async fn call(server: &Router, request: Request<Body>) -> Answer {
    let response = server
        .clone()
        .oneshot(request)
        .await
        .expect("the router answers everything");
    let (parts, body) = response.into_parts();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: to_bytes(body, usize::MAX).await.expect("the body ends"),
    }
}

pub(crate) fn request(method: Method, path: &str, body: Option<Value>) -> Request<Body> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "127.0.0.1:8787");
    match body {
        Some(body) => request
            .header(header::CONTENT_TYPE, "application/json")
            .body(body.to_string().into()),
        None => request.body(Body::empty()),
    }
    .expect("the request is well formed")
}

pub(crate) async fn get(server: &Router, path: &str) -> Answer {
    call(server, request(Method::GET, path, None)).await
}

pub(crate) async fn post(server: &Router, path: &str, body: Value) -> Answer {
    call(server, request(Method::POST, path, Some(body))).await
}

/// One client of one conversation.
pub(crate) struct Visitor {
    pub(crate) server: Router,
    pub(crate) thread: Thread,
    pub(crate) asks: Asks,
    setup: Setup,
    name: &'static str,
    delivery: Delivery,
    ids: u32,
}

impl Visitor {
    /// A client that makes its ids from its name.
    pub(crate) fn new(server: &Router, name: &'static str, thread_id: &str) -> Self {
        Self {
            server: server.clone(),
            thread: Thread::default(),
            asks: Asks::new(),
            setup: Setup {
                thread_id: thread_id.to_owned(),
                ..Setup::default()
            },
            name,
            delivery: Delivery::UserMessage,
            ids: 0,
        }
    }

    /// A delivery by interrupts needs runs that end with them.
    pub(crate) fn delivering(mut self, delivery: Delivery) -> Self {
        if delivery == Delivery::Resume {
            self.setup
                .forwarded_props
                .insert("interrupts".to_owned(), true.into());
        }
        Self { delivery, ..self }
    }

    /// Sends this with every run.
    pub(crate) fn with_forwarded(mut self, name: &str, value: Value) -> Self {
        self.setup.forwarded_props.insert(name.to_owned(), value);
        self
    }

    /// Says something outside of any question, and gives the agent's text.
    pub(crate) async fn says(&mut self, text: &str) -> String {
        let text = Some(text.to_owned());
        self.send(Said {
            text,
            replies: Vec::new(),
        })
        .await
    }

    /// Picks an option of the question that waits.
    pub(crate) async fn picks(&mut self, label: &str) -> String {
        let outcome = self.pick(label);
        self.ends_question(outcome).await
    }

    /// Types under "Other".
    pub(crate) async fn types(&mut self, text: &str) -> String {
        let other = Some(text.to_owned());
        let outcome = self.selection(Selection {
            other,
            ..Selection::default()
        });
        self.ends_question(outcome).await
    }

    pub(crate) async fn ends_question(&mut self, outcome: Outcome) -> String {
        let said = self.reply("reply", outcome);
        self.send(said).await
    }

    pub(crate) fn pick(&self, label: &str) -> Outcome {
        let options = &self.waiting().1.questions[0].options;
        let option = options
            .iter()
            .position(|option| option.label == label)
            .unwrap_or_else(|| panic!("{label} is not among {options:?}"));
        let selected = vec![option];
        self.selection(Selection {
            selected,
            ..Selection::default()
        })
    }

    fn selection(&self, selection: Selection) -> Outcome {
        Outcome::Answered(
            Reply::check(&self.waiting().1, vec![selection]).expect("the selection is legal"),
        )
    }

    pub(crate) fn reply(&mut self, reply_id: &str, outcome: Outcome) -> Said {
        let (tool_call_id, _) = self.waiting();
        let reply_id = format!("{reply_id}-{tool_call_id}");
        let by = AnsweredBy::Card;
        let replies = vec![AskReply {
            tool_call_id,
            reply_id,
            outcome,
            by,
        }];
        Said {
            replies,
            text: None,
        }
    }

    /// The ask that waits: its call and what it asks.
    pub(crate) fn waiting(&self) -> (String, AskUserQuestion) {
        let waiting = self
            .asks
            .asks()
            .find(|ask| ask.phase == Phase::Answerable)
            .expect("a question waits");
        (
            waiting.tool_call_id.clone(),
            waiting.ask.clone().expect("what waits is complete"),
        )
    }

    pub(crate) fn is_asked(&self, question: &str) -> bool {
        self.waiting().1.questions[0].question == question
    }

    pub(crate) fn is_asked_nothing(&self) -> bool {
        self.asks.asks().all(|ask| ask.phase != Phase::Answerable)
            && self.thread.unanswered_tool_call_ids().is_empty()
    }

    /// Says something as a client that knows nothing of asks would: one user message more, nothing else.
    pub(crate) async fn says_beside_the_ask(&mut self, text: &str) -> String {
        self.ids += 1;
        let message = Message::user(format!("{}-{}", self.name, self.ids), text);
        self.thread.push_message(message);
        let run_id = format!("{}-run-{}", self.name, self.ids);
        let input = json!({"threadId": self.setup.thread_id, "runId": run_id, "messages": self.thread.messages()});
        let answer = post(&self.server, "/agent", input).await;
        self.takes(&answer)
    }

    /// What would be posted.
    pub(crate) fn next_run(&mut self, said: &Said) -> NextRun {
        let (ids, name) = (&mut self.ids, self.name);
        let next_id = || {
            *ids += 1;
            format!("{name}-{ids}")
        };
        next_run(
            0,
            &self.thread,
            &self.asks,
            &self.setup,
            self.delivery,
            said,
            next_id,
        )
        .expect("nothing else is pending")
    }

    async fn send(&mut self, said: Said) -> String {
        let next = self.next_run(&said);
        next.start(&mut self.thread, &mut self.asks);
        let answer = post(&self.server, "/agent", json!(next.input)).await;
        self.takes(&answer)
    }

    /// Applies a run that ended well, and gives the text that it added.
    pub(crate) fn takes(&mut self, answer: &Answer) -> String {
        let before = self.thread.messages().len();
        let (events, end) = answer.events();
        let ended_well = matches!(end.outcome, EndOutcome::Completed | EndOutcome::Interrupt);
        assert!(ended_well, "{end:?}");
        for event in &events {
            self.thread.handle_event(event);
            self.asks.handle_event(0, event);
        }
        assert!(self.thread.next_warning().is_none());
        let added = self.thread.messages().iter().skip(before);
        added
            .filter(|message| message.role() == "assistant")
            .map(Message::text)
            .collect()
    }
}
