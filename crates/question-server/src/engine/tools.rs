//! Tools that the server runs for its agent, which [`Builder::tool`](crate::Builder::tool) takes.

use crate::config::limits::{MAX_ASK_BYTES, MAX_SUB_AGENTS, SUB_AGENTS_TIME, TOOL_TIME};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use question_agent::call::{ToolCall, is_asking_tool};
use question_agent::registry::{ToolContext, ToolSpec};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A tool that the agent may call.
///
/// A call runs at least once: its result is stored after it has run, so a server that is killed in between runs it again after its next start. A
/// tool with effects elsewhere hands them the call's [`idempotency_key`](Call::idempotency_key), which is the same then.
///
/// A call runs in the task of the agent's run. If the user stops the run, or the call times out, its future is dropped and its token cancelled.
/// A panic is an error result.
#[async_trait]
pub trait Tool: fmt::Debug + Send + Sync + 'static {
    /// Its name, description and schema, for the model.
    fn spec(&self) -> &ToolSpec;

    /// True if the model has it in this context.
    fn is_offered(&self, context: &ToolContext) -> bool {
        let _ = context;
        true
    }

    /// The timeout of a call; by default a minute.
    fn time_limit(&self) -> Duration {
        TOOL_TIME
    }

    /// Runs it. An error is the result of a failed call, in words for the model.
    async fn run(&self, call: Call<'_>) -> ToolOutput;
}

/// The result of a call for the model, or the reason of its failure; at most `max-tool-result` bytes.
pub type ToolOutput = Result<String, String>;

/// A call of a tool.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) context: &'a ToolContext,
    pub(crate) cancel: CancellationToken,
    pub(crate) agents: &'a dyn Agents,
}

impl Call<'_> {
    /// The arguments, verbatim.
    #[must_use]
    pub fn arguments(&self) -> &str {
        self.call.arguments()
    }

    /// The arguments as this type.
    ///
    /// # Errors
    /// A sentence for the model if they do not fit, with the path of the first field that does not.
    pub fn input<T: DeserializeOwned>(&self) -> Result<T, String> {
        let mut json = serde_json::Deserializer::from_str(self.arguments());
        let input = serde_path_to_error::deserialize(&mut json).map_err(|error| match error.path().iter().next() {
            Some(_) => format!("Invalid input at {}: {}", error.path(), error.inner()),
            None => format!("Invalid input: {}", error.inner()),
        })?;
        json.end().map_err(|error| format!("Invalid input: {error}"))?;
        Ok(input)
    }

    /// The id of this call: the same if it runs again after a crash, and unique among all conversations.
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        &self.call.id
    }

    /// The identity and the permissions of the agent.
    #[must_use]
    pub fn context(&self) -> &ToolContext {
        self.context
    }

    /// Cancelled when the user stops the run or the call times out, for work that the call has started elsewhere.
    #[must_use]
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Runs a sub-agent for each task concurrently, and returns the final text of each. They have the model and the tools of their parent, and
    /// can't ask its user.
    ///
    /// # Errors
    /// If the call is a sub-agent's own, or there are more than eight tasks.
    pub async fn run_agents(&self, tasks: Vec<String>) -> Result<Vec<String>, String> {
        if self.context.is_sub_agent {
            return Err(format!("{} is not available to sub-agents", self.call.name()));
        }
        if !(1..=MAX_SUB_AGENTS).contains(&tasks.len()) {
            return Err(format!("Invalid input: Must have 1-{MAX_SUB_AGENTS} tasks"));
        }
        Ok(self.agents.run(tasks).await)
    }
}

/// A tool from a closure. The schema of its input is that of the closure's argument.
///
/// ```
/// use question_server::tools::tool_fn;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct City {
///     /// Its name in English.
///     city: String,
/// }
///
/// let weather = tool_fn("weather", "Tells the weather of a city.", |City { city }: City| async move {
///     Ok(format!("It rains in {city}."))
/// });
/// # let agent = question_server::Server::builder().tool(std::sync::Arc::new(weather));
/// ```
///
/// A closure with a second argument of the type [`CallInfo`] also gets further facts of the call, such as its idempotency key.
///
/// # Panics
/// If the argument is no struct: vendors take only objects as input of a tool.
pub fn tool_fn<M, F: ToolFn<M>>(name: &str, description: &str, run: F) -> FnTool<M, F> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<F::Args>();
    schema.remove("title");
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    assert!(is_object, "the input of the tool {name} is no struct: {}", schema.as_value());
    FnTool { spec: ToolSpec::new(name, description, schema.as_value()), run, kind: PhantomData }
}

/// A tool from a closure; [`tool_fn`] makes it.
pub struct FnTool<M, F> {
    spec: ToolSpec,
    run: F,
    kind: PhantomData<fn() -> M>,
}

impl<M, F> fmt::Debug for FnTool<M, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnTool").field("spec", &self.spec).finish_non_exhaustive()
    }
}

#[async_trait]
impl<M: 'static, F: ToolFn<M>> Tool for FnTool<M, F> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: Call<'_>) -> ToolOutput {
        let info = CallInfo {
            idempotency_key: call.idempotency_key().to_owned(),
            context: call.context.clone(),
            cancel: call.cancel.clone(),
        };
        self.run.call(call.input()?, info).await
    }
}

/// The facts that a closure may know of a call beside its input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallInfo {
    /// As [`Call::idempotency_key`].
    pub idempotency_key: String,
    /// As [`Call::context`].
    pub context: ToolContext,
    /// As [`Call::cancel`].
    pub cancel: CancellationToken,
}

/// A closure that [`tool_fn`] takes: `async |Args| -> ToolOutput` or `async |Args, CallInfo| -> ToolOutput`. `M` tells them apart.
pub trait ToolFn<M>: Send + Sync + 'static {
    /// Its input.
    type Args: DeserializeOwned + JsonSchema + Send;

    /// Calls it.
    fn call(&self, args: Self::Args, info: CallInfo) -> BoxFuture<'static, ToolOutput>;
}

impl<A, F, R> ToolFn<(A,)> for F
where
    A: DeserializeOwned + JsonSchema + Send,
    F: Fn(A) -> R + Send + Sync + 'static,
    R: Future<Output = ToolOutput> + Send + 'static,
{
    type Args = A;

    fn call(&self, args: A, _: CallInfo) -> BoxFuture<'static, ToolOutput> {
        Box::pin(self(args))
    }
}

impl<A, F, R> ToolFn<(A, CallInfo)> for F
where
    A: DeserializeOwned + JsonSchema + Send,
    F: Fn(A, CallInfo) -> R + Send + Sync + 'static,
    R: Future<Output = ToolOutput> + Send + 'static,
{
    type Args = A;

    fn call(&self, args: A, info: CallInfo) -> BoxFuture<'static, ToolOutput> {
        Box::pin(self(args, info))
    }
}

/// The sub-agents of a call.
#[async_trait]
pub(crate) trait Agents: fmt::Debug + Send + Sync {
    /// Runs a sub-agent for each task concurrently, until the last is done.
    async fn run(&self, tasks: Vec<String>) -> Vec<String>;
}

/// The tool by which an agent delegates tasks to sub-agents.
#[derive(Clone, Debug)]
pub struct SpawnAgents {
    spec: ToolSpec,
}

impl SpawnAgents {
    /// Its name.
    pub const NAME: &'static str = scripted_agent::SPAWN_AGENTS;
}

impl Default for SpawnAgents {
    fn default() -> Self {
        let items = json!({"type": "string"});
        let tasks = json!({"type": "array", "items": items, "minItems": 1, "maxItems": MAX_SUB_AGENTS});
        let schema = json!({"type": "object", "required": ["tasks"], "properties": {"tasks": tasks}});
        let what = "Has sub-agents do tasks side by side. They cannot ask the user.";
        Self { spec: ToolSpec::new(Self::NAME, what, &schema) }
    }
}

#[derive(Debug, Deserialize)]
struct Tasks {
    tasks: Vec<String>,
}

#[async_trait]
impl Tool for SpawnAgents {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_offered(&self, context: &ToolContext) -> bool {
        !context.is_sub_agent
    }

    fn time_limit(&self) -> Duration {
        SUB_AGENTS_TIME
    }

    async fn run(&self, call: Call<'_>) -> ToolOutput {
        let Tasks { tasks } = call.input()?;
        Ok(call.run_agents(tasks).await?.join("\n\n"))
    }
}

/// Refuses an ask whose arguments are longer than `MAX_ASK_BYTES`, in words for the model. A history has them three times.
pub(crate) fn check_ask(call: &ToolCall) -> Result<(), String> {
    match is_asking_tool(call.name()) && call.arguments().len() > MAX_ASK_BYTES {
        true => Err(format!("The questions are longer than {MAX_ASK_BYTES} bytes together. Ask in fewer words.")),
        false => Ok(()),
    }
}
