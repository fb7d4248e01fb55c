//! The seam to the host: a page on which the question waits, and the store behind it.

use ask_user_question::AskUserQuestion;
use async_trait::async_trait;
use http::request::Parts;
use std::fmt;

/// A page of its own for clients that show neither forms nor apps. The host of this crate implements it.
///
/// Each method gets the HTTP request that brought the call, if one did: an ask belongs to the client that sent it.
#[async_trait]
pub trait OwnPage: fmt::Debug + Send + Sync + 'static {
    /// Puts the question on a page. An equal one that this client asked within the last ten minutes is taken up instead, answered or not, unless a
    /// call waits for it. Equal words of another client are another ask.
    ///
    /// # Errors
    /// If it can't be stored.
    async fn ask(&self, request: Option<&Parts>, ask: &AskUserQuestion) -> Result<OpenedAsk, PageError>;

    /// Waits until the question is over. It may be dropped at any time.
    ///
    /// # Errors
    /// If there is no such ask, or the host is about to end.
    async fn outcome(&self, request: Option<&Parts>, id: &str) -> Result<EndedAsk, PageError>;

    /// Forgets an ask whose answer is handed over, or that the client cancelled. Its page says that it is closed. Returns false if there is no such
    /// ask any more: of two calls that wait for one answer, only one gets it.
    ///
    /// # Errors
    /// If it can't be deleted.
    async fn close(&self, request: Option<&Parts>, id: &str) -> Result<bool, PageError>;
}

/// A question on its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedAsk {
    /// The name by which the model asks for its answer. It opens no page.
    pub id: String,
    /// The page's address, if the user has to be told of it: a browser that shows it already is the better way.
    pub address: Option<String>,
}

/// A question that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedAsk {
    /// The question.
    pub ask: AskUserQuestion,
    /// The content of the tool's result. Its files have their bytes in `data:` addresses: once it is handed over, the host has them no more.
    pub content: String,
    /// The time at which it ended, as in RFC 3339.
    pub ended_at: Option<String>,
}

/// Why a page can't do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageError {
    /// The code by which clients tell errors apart.
    pub code: &'static str,
    /// A sentence for the model.
    pub message: String,
}

impl PageError {
    /// The error of an ask that is not there.
    #[must_use]
    pub fn unknown_ask() -> Self {
        let message = "There is no such question, or its answer was handed over already.".to_owned();
        Self { code: "unknown_ask", message }
    }
}
