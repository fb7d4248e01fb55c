//! The interface to the host, which shows a question on a page and stores it.

use ask_user_question::AskUserQuestion;
use async_trait::async_trait;
use http::request::Parts;
use std::fmt;

/// A page of the host's for clients that show neither forms nor apps.
///
/// Each method gets the HTTP request that brought the call, if one did: an ask belongs to the client that sent it.
#[async_trait]
pub trait OwnPage: fmt::Debug + Send + Sync + 'static {
    /// Puts the question on a page. If this client asked the same within the last ten minutes, that ask is returned, answered or not, unless a call
    /// waits for it. Other clients' asks are never returned.
    ///
    /// # Errors
    /// If it can't be stored.
    async fn ask(&self, request: Option<&Parts>, ask: &AskUserQuestion) -> Result<OpenedAsk, PageError>;

    /// Waits until the question has ended. The future may be dropped at any time.
    ///
    /// # Errors
    /// If there is no such ask, or the host is about to end.
    async fn outcome(&self, request: Option<&Parts>, id: &str) -> Result<EndedAsk, PageError>;

    /// Forgets an ask whose answer has been handed over, or that the client cancelled. Its page then says that it is closed. Returns false if the ask
    /// is gone already: of two calls that wait for one answer, only one gets it.
    ///
    /// # Errors
    /// If it can't be deleted.
    async fn close(&self, request: Option<&Parts>, id: &str) -> Result<bool, PageError>;
}

/// A question on its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedAsk {
    /// The id by which the model asks for its answer. It does not open the page.
    pub id: String,
    /// The address of the page, if the user has to be told of it; `None` if a browser shows it already.
    pub address: Option<String>,
}

/// A question that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedAsk {
    /// The question.
    pub ask: AskUserQuestion,
    /// The content of the tool's result. Files are `data:` URLs with their bytes, since the host forgets them once the result is handed over.
    pub content: String,
    /// The time at which it ended, as in RFC 3339.
    pub ended_at: Option<String>,
}

/// The reason why the host failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageError {
    /// The code by which clients tell errors apart.
    pub code: &'static str,
    /// A sentence for the model.
    pub message: String,
}

impl PageError {
    /// The error if there is no such ask.
    #[must_use]
    pub fn unknown_ask() -> Self {
        let message = "There is no such question, or its answer was handed over already.".to_owned();
        Self { code: "unknown_ask", message }
    }
}
