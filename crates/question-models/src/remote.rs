//! Models behind an endpoint: concurrency, retries, and histories that are too long.

use crate::answer::AnswerReader;
use crate::chunks::MendingTransport;
use crate::ends::{Failure, Retry, note};
use crate::error::SetupError;
use crate::exchange::{Endpoint, Exchange};
use crate::history::{VendorHistory, may_think};
use crate::refusal::{EndpointRefusal, RefusalKind};
use crate::vendor::{Api, Vendor, dialect, seeing};
use crate::{Delta, MODEL_CALLS, Model, ModelError, ModelRequest, Settings};
use ask_user_question::Limits;
use futures_util::stream::{BoxStream, Stream, iter, once, unfold};
use futures_util::{StreamExt as _, TryStreamExt as _};
use question_agent::message::Message;
use rig_core::completion::{CompletionRequest, ToolDefinition};
use rig_core::driver::{self, DynModel};
use rig_core::message::ToolName;
use rig_core::operation::Completion;
use rig_core::providers::anthropic::wire::AnthropicConfig;
use rig_core::providers::gemini::GeminiConfig;
use rig_core::providers::openai::OpenAIConfig;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const ROLE: &str = "You are a helpful agent.";

/// The pause before the second attempt, if the endpoint asks for none; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The most tokens of an answer of Anthropic's, beside those of thinking: the endpoint has no default.
const MAX_TOKENS: u32 = 8192;

/// A model behind an endpoint. Tool calls stream as they arrive; the state machine refuses arguments that cannot be read.
#[derive(Clone)]
pub struct RemoteModel {
    vendor: &'static Vendor,
    settings: Arc<Settings>,
    endpoint: Endpoint,
    /// The endpoint and the model, which alone get their own ids and thoughts back.
    origin: Arc<str>,
    places: Arc<Semaphore>,
    sees: bool,
    /// The members of requests that the endpoint has refused.
    refused: Arc<Mutex<BTreeSet<&'static str>>>,
}

impl RemoteModel {
    /// A vendor's model with these settings.
    ///
    /// # Errors
    /// If the URL is invalid or would send a key over the network in the clear, or if the vendor's API takes no pictures and the model is set to see.
    pub fn new(vendor: &'static Vendor, mut settings: Settings) -> Result<Self, SetupError> {
        if settings.base_url.is_empty() {
            settings.base_url = vendor.url.to_owned();
        }
        if settings.model.is_empty() {
            settings.model = vendor.model.to_owned();
        }
        if settings.sees == Some(true) && vendor.largest_picture == 0 {
            return Err(SetupError::NoPictures(vendor.name));
        }
        let calls = settings.at_once.unwrap_or(MODEL_CALLS).get().min(Semaphore::MAX_PERMITS);
        let base = settings.base_url.split('?').next().unwrap_or_default().trim_end_matches('/');
        Ok(Self {
            vendor,
            endpoint: Endpoint::new(vendor, &settings)?,
            origin: format!("{base} {}", settings.model).into(),
            places: Arc::new(Semaphore::new(calls)),
            sees: settings.sees.unwrap_or_else(|| vendor.sees(&settings.model)),
            refused: Arc::default(),
            settings: Arc::new(settings),
        })
    }

    /// A vendor's model that the environment names; see [`Settings::in_env`].
    ///
    /// # Errors
    /// Those of [`Settings::in_env`] and of [`new`](Self::new).
    pub fn from_env(vendor: &'static Vendor, settings: Settings) -> Result<Self, SetupError> {
        Self::new(vendor, settings.in_env(vendor)?)
    }

    /// The system prompt, with guidance and the client's context.
    fn system(&self, request: &ModelRequest) -> String {
        let prompt = self.settings.system_prompt.as_deref().map_or(ROLE, str::trim_end);
        let context = request.context.context_words();
        let parts = [prompt].into_iter().chain(request.guidance.as_deref()).chain(context.as_deref());
        parts.collect::<Vec<&str>>().join("\n\n")
    }

    /// The request without these members, with the messages from the index `from` on.
    fn request(&self, request: &ModelRequest, from: usize, without: &BTreeSet<&str>) -> CompletionRequest {
        let Settings { sends_reasoning, temperature, max_tokens, thinking, .. } = *self.settings;
        let temperature = temperature.filter(|_| !without.contains("temperature"));
        let max_tokens = max_tokens.filter(|_| !without.contains("max_tokens"));
        let pictures = self.sees.then_some(&request.pictures);
        let history = VendorHistory::new(self.vendor, pictures, &self.origin, sends_reasoning);
        let messages = history.with(self.system(request), &request.messages[from..]);
        let mut asked = CompletionRequest::new(String::new());
        asked.temperature = temperature;
        asked.max_tokens = max_tokens.map(u64::from);
        if self.vendor.api == Api::Messages {
            // The API refuses thinking in a turn that began without thoughts, and takes no temperature with it.
            let thinking = thinking.filter(|_| may_think(&messages));
            let most = max_tokens.unwrap_or(MAX_TOKENS).saturating_add(thinking.unwrap_or_default());
            asked.max_tokens = Some(most.into());
            if let Some(tokens) = thinking {
                asked.temperature = None;
                asked.additional_params = Some(json!({"thinking": {"type": "enabled", "budget_tokens": tokens}}));
            }
        }
        asked.chat_history = messages;
        let tools = request.tools.iter().filter_map(|tool| {
            let schema = tool.parameters.clone().into_value();
            Some(ToolDefinition::new(ToolName::new(tool.name.as_str()).ok()?, tool.description.as_str(), schema))
        });
        asked.tools = tools.collect();
        asked.accept_unknown_finish_reasons = true;
        asked
    }

    /// The model of the vendors' library, whose requests go through an exchange. It never sees the key.
    fn client(&self, exchange: Exchange, without: &BTreeSet<&str>) -> DynModel<Completion> {
        let base_url = self.settings.base_url.split('?').next().unwrap_or_default().trim_end_matches('/');
        let model = self.settings.model.as_str();
        let is_chat = matches!(self.vendor.api, Api::Chat(_));
        let transport = MendingTransport { exchange: exchange.clone(), is_chat };
        match self.vendor.api {
            Api::Chat(name) => {
                let mut dialect = dialect(name);
                dialect.quirks.stream_include_usage &= !without.contains("stream_options");
                if self.sees && !self.vendor.sees(model) {
                    dialect = seeing(dialect);
                }
                let wire = OpenAIConfig::with_key(&dialect, "").with_base_url(base_url).chat(model);
                driver::Model::new(wire, transport).erase()
            }
            Api::Messages => {
                let client = AnthropicConfig::new("").with_base_url(base_url).connect(exchange);
                driver::Model::new(client.completion(model).wire, transport).erase()
            }
            Api::Gemini => {
                let client = GeminiConfig::new("").with_base_url(base_url).connect(exchange);
                driver::Model::new(client.completion(model).wire, transport).erase()
            }
        }
    }

    fn send(&self, request: &ModelRequest, from: usize, without: &BTreeSet<&str>) -> Result<AnswerReader, ModelError> {
        let exchange = Exchange::new(self.endpoint.clone(), request.headers.clone());
        let stream =
            self.client(exchange.clone(), without).stream(self.request(request, from, without)).map_err(|error| {
                tracing::warn!(%error, "model request cannot be written");
                ModelError { reason: "The model cannot be asked this.".to_owned(), retry_after: None }
            })?;
        let tools = request.tools.iter().map(|tool| tool.name.clone()).collect();
        Ok(AnswerReader::new(stream, exchange, tools, self.endpoint.key.clone(), Arc::clone(&self.origin)))
    }

    /// Sends a request and returns the answer once it begins. Cuts a history that is too long for the model until it fits.
    async fn ask(self, request: ModelRequest) -> Result<AnswerStream, ModelError> {
        let earlier = request.attempt.saturating_sub(1).min(8);
        let pause = FIRST_PAUSE * 2_u32.saturating_pow(earlier);
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            tracing::warn!("model concurrency limit reached (max-model-calls)");
            let reason = "The model is busy: too many ask it at once.".to_owned();
            return Err(ModelError { reason, retry_after: Some(pause) });
        };
        let mut from = 0;
        loop {
            let without = self.refused().clone();
            let mut answer = self.send(&request, from, &without)?;
            let mut first = Vec::new();
            let mut begun = Ok(true);
            while first.is_empty() && matches!(begun, Ok(true)) {
                begun = answer.read(&mut first).await;
            }
            if let Err(Failure::Refused(refusal)) = &begun {
                self.log(refusal);
                let is_too_long = refusal.kind == RefusalKind::TooLong;
                if let Some(shorter) = is_too_long.then(|| shorter(&request.messages, from)).flatten() {
                    tracing::warn!(messages = shorter, "history cut: too long for the model");
                    from = shorter;
                    continue;
                }
                // Requests that were sent at the same time are refused as well.
                if let RefusalKind::Without(member) = refusal.kind
                    && !without.contains(member)
                {
                    self.refused().insert(member);
                    continue;
                }
            }
            let is_first = request.attempt <= 1;
            return Ok(AnswerStream { model: self, answer, first, begun: Some(begun), pause, is_first, _place: place });
        }
    }

    fn refused(&self) -> MutexGuard<'_, BTreeSet<&'static str>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self, refusal: &EndpointRefusal) {
        tracing::warn!(status = refusal.status.as_u16(), "model endpoint refused the request");
        note(&refusal.said, self.endpoint.key.as_deref());
    }
}

impl Model for RemoteModel {
    fn name(&self) -> Option<&str> {
        Some("Assistant")
    }

    fn limits(&self) -> Limits {
        Limits::RUNTIME
    }

    fn sees(&self) -> bool {
        self.sees
    }

    fn respond(&self, request: ModelRequest) -> BoxStream<'static, Result<Delta, ModelError>> {
        once(self.clone().ask(request)).map_ok(AnswerStream::deltas).try_flatten().boxed()
    }
}

impl fmt::Debug for RemoteModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the key, which may also be in the query.
        let (url, model) = (self.endpoint.public_url(), &self.settings.model);
        f.debug_struct("RemoteModel").field("url", &url).field("model", model).finish_non_exhaustive()
    }
}

struct AnswerStream {
    model: RemoteModel,
    answer: AnswerReader,
    /// The deltas that were read already, and the outcome of that.
    first: Vec<Delta>,
    begun: Option<Result<bool, Failure>>,
    pause: Duration,
    is_first: bool,
    /// The permit of the request.
    _place: OwnedSemaphorePermit,
}

impl AnswerStream {
    fn deltas(self) -> impl Stream<Item = Result<Delta, ModelError>> {
        let read = unfold(Some(self), |answer| async move {
            let mut answer = answer?;
            let mut deltas = std::mem::take(&mut answer.first);
            let goes_on = match answer.begun.take() {
                Some(begun) => begun,
                None => answer.answer.read(&mut deltas).await,
            };
            let goes_on = goes_on.map_err(|failure| answer.error(failure));
            let error = goes_on.as_ref().err().cloned();
            let arrived = deltas.into_iter().map(Ok).chain(error.map(Err));
            Some((iter(arrived), goes_on.unwrap_or(false).then_some(answer)))
        });
        read.flatten()
    }

    fn error(&self, failure: Failure) -> ModelError {
        let (reason, may_help, after) = match failure {
            Failure::Unreachable(error) => {
                tracing::warn!(url = self.model.endpoint.public_url(), error, "model endpoint unreachable");
                ("The model cannot be reached.".to_owned(), true, None)
            }
            Failure::Refused(refusal) => {
                let may_help = matches!(refusal.kind, RefusalKind::Passing | RefusalKind::BadCall);
                (refusal.words(), may_help, refusal.after)
            }
            Failure::Answer(error) => {
                let may_help = error.retry == Retry::Always || (error.retry == Retry::Once && self.is_first);
                (error.reason, may_help, None)
            }
        };
        ModelError { reason, retry_after: may_help.then(|| after.unwrap_or(self.pause)) }
    }
}

/// The start of a shorter history: a message of the user's from which at most half of the bytes behind `from` are left, or else the last one.
/// `None` if there is none behind `from`.
fn shorter(messages: &[Message], from: usize) -> Option<usize> {
    let length = |messages: &[Message]| messages.iter().map(|message| json!(message).to_string().len()).sum::<usize>();
    let half = length(&messages[from..]) / 2;
    let is_turn = |at: &usize| matches!(&messages[*at], Message::User(user) if user.ask.is_none());
    let turns: Vec<usize> = (from + 1..messages.len()).filter(is_turn).collect();
    turns.iter().find(|turn| length(&messages[**turn..]) <= half).or(turns.last()).copied()
}
