//! A page of its own that lies in memory.

use ask_user_question::{AskUserQuestion, Outcome};
use async_trait::async_trait;
use http::request::Parts;
use question_mcp::{EndedAsk, OpenedAsk, OwnPage, PageError};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// The time at which every answer was given.
pub(crate) const ANSWERED_AT: &str = "2026-11-27T12:00:00Z";

#[derive(Debug, Default)]
struct Ask {
    id: String,
    ask: AskUserQuestion,
    content: Option<String>,
    is_closed: bool,
}

/// The questions that were put on pages.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    asks: Arc<Mutex<Vec<Ask>>>,
    changed: watch::Sender<()>,
}

impl Desk {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { asks: Arc::default(), changed: watch::Sender::new(()) })
    }

    /// Waits until there are this number of questions.
    pub(crate) async fn until(&self, number: usize) {
        let mut changes = self.changed.subscribe();
        while self.asks.lock().expect("no test panics with it").len() < number {
            changes.changed().await.expect("it is there");
        }
    }

    /// Waits until a question is closed.
    pub(crate) async fn until_closed(&self, number: usize) {
        let mut changes = self.changed.subscribe();
        while !self.is_closed(number) {
            changes.changed().await.expect("it is there");
        }
    }

    pub(crate) fn is_closed(&self, number: usize) -> bool {
        self.asks.lock().expect("no test panics with it")[number].is_closed
    }

    /// The user picks the first option.
    pub(crate) fn answer(&self, number: usize) {
        {
            let mut asks = self.asks.lock().expect("no test panics with it");
            let ask = &mut asks[number];
            let first = ask_user_question::reply::Selection::picked(0, [0]);
            let reply = ask_user_question::Reply::of(&ask.ask, vec![first]).expect("there is an option");
            ask.content = Some(Outcome::Answered(reply).tool_content(&ask.ask));
        }
        self.changed.send_replace(());
    }
}

#[async_trait]
impl OwnPage for Desk {
    async fn ask(&self, _request: Option<&Parts>, ask: &AskUserQuestion) -> Result<OpenedAsk, PageError> {
        let id = {
            let mut asks = self.asks.lock().expect("no test panics with it");
            let id = format!("ask_{}", asks.len());
            asks.push(Ask { id: id.clone(), ask: ask.clone(), ..Ask::default() });
            id
        };
        self.changed.send_replace(());
        Ok(OpenedAsk { id, address: Some("http://127.0.0.1:1/ask/secret".to_owned()) })
    }

    async fn outcome(&self, _request: Option<&Parts>, id: &str) -> Result<EndedAsk, PageError> {
        let mut changes = self.changed.subscribe();
        loop {
            {
                let asks = self.asks.lock().expect("no test panics with it");
                let ask = asks.iter().find(|ask| ask.id == id && !ask.is_closed).ok_or_else(PageError::unknown_ask)?;
                if let Some(content) = &ask.content {
                    let ended_at = Some(ANSWERED_AT.to_owned());
                    return Ok(EndedAsk { ask: ask.ask.clone(), content: content.clone(), ended_at });
                }
            }
            changes.changed().await.expect("it is there");
        }
    }

    async fn close(&self, _request: Option<&Parts>, id: &str) -> Result<bool, PageError> {
        let mut is_new = false;
        for ask in self.asks.lock().expect("no test panics with it").iter_mut().filter(|ask| ask.id == id) {
            is_new |= !std::mem::replace(&mut ask.is_closed, true);
        }
        self.changed.send_replace(());
        Ok(is_new)
    }
}
