//! The tools of MCP servers as tools of the agent.

use crate::config::limits::{MCP_CONNECT, MCP_RESPONSE};
use crate::engine::tools::{Call, Tool, ToolOutput};
use crate::error::WithCauses;
use async_trait::async_trait;
use axum::http::{HeaderMap, Uri};
use futures_util::StreamExt as _;
use question_agent::call::is_asking_tool;
use question_agent::registry::ToolSpec;
use question_models::{SetupError, http_client};
use reqwest::{Client, Url};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ResourceContents,
};
use rmcp::service::{ClientInitializeError, RoleClient, RunningService, ServiceError, ServiceExt as _};
use rmcp::transport::async_rw::JsonRpcMessageCodec;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig, StreamableHttpError,
};
use serde_json::Value;
use std::error::Error;
use std::fmt;
use std::future;
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec};

/// Connects to an MCP server, and returns its tools for [`Builder::tools`](crate::Builder::tools). `server` is the URL of its endpoint, or a
/// command that starts it and speaks on stdin and stdout: a program and its arguments, separated by blanks. An endpoint gets the headers with each
/// request, such as its key; over plain HTTP only private hosts get any.
///
/// The tools are listed once. When the server has ended, the next call connects again. A tool that asks the user is left out: the agent has its own.
///
/// # Errors
/// If the server does not start, cannot be reached or does not answer within a minute.
pub async fn connect(server: &str, headers: HeaderMap) -> Result<Vec<Arc<dyn Tool>>, ConnectError> {
    let failed = |source| ConnectError { server: shown(server), source };
    let address = McpAddress::parse(server, headers).map_err(failed)?;
    let connection = Arc::new(Connection { address, client: Mutex::default() });
    let listing = async {
        let client = connection.client().await?;
        let listed = client.service.list_all_tools().await;
        listed.map_err(|error| McpServerError::Failed(connection.address.describe(&error)))
    };
    let listed = timeout(MCP_CONNECT, listing).await.unwrap_or(Err(McpServerError::Timeout));
    let offered = listed.map_err(failed)?.into_iter().filter(|tool| !is_asking_tool(&tool.name));
    let tools = offered.map(|tool| -> Arc<dyn Tool> {
        let description = tool.description.or(tool.title.map(Into::into)).unwrap_or_default();
        let spec = ToolSpec::new(&tool.name, &description, &Value::Object(tool.input_schema.as_ref().clone()));
        Arc::new(McpTool { spec, connection: Arc::clone(&connection) })
    });
    Ok(tools.collect())
}

/// The reason why there are no tools of an MCP server.
#[derive(Debug, thiserror::Error)]
#[error("the MCP server {server}")]
pub struct ConnectError {
    server: String,
    source: McpServerError,
}

#[derive(Debug, thiserror::Error)]
enum McpServerError {
    #[error("it does not answer")]
    Timeout,
    #[error("it has no name")]
    NoName,
    #[error("it is no URL")]
    NoUrl,
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error("it does not start")]
    Start(#[source] io::Error),
    #[error("{0}")]
    Failed(String),
}

/// The part of `server` that may be logged: arguments of a command, and login and query of a URL, may be secret.
fn shown(server: &str) -> String {
    match server.parse::<Uri>() {
        Ok(url) if url.scheme().is_some() => http_client::public_url(&url),
        _ => server.split_whitespace().next().unwrap_or_default().to_owned(),
    }
}

enum McpAddress {
    Command(Vec<String>),
    Url(Uri, Client, HeaderMap),
}

impl McpAddress {
    fn parse(server: &str, mut headers: HeaderMap) -> Result<Self, McpServerError> {
        if server.starts_with("http://") || server.starts_with("https://") {
            let url: Uri = server.parse().map_err(|_| McpServerError::NoUrl)?;
            http_client::keep_secret(&mut headers, &url)?;
            let client = http_client::to_host_of(&url)?;
            return Ok(Self::Url(url, client, headers));
        }
        let words: Vec<String> = server.split_whitespace().map(str::to_owned).collect();
        match words.is_empty() {
            true => Err(McpServerError::NoName),
            false => Ok(Self::Command(words)),
        }
    }

    /// An error of the SDK in words, without the query of the address, which may be secret.
    fn describe(&self, error: &(dyn Error + 'static)) -> String {
        let words = WithCauses(cause(error)).to_string();
        let url = match self {
            Self::Command(_) => None,
            Self::Url(url, ..) => url.to_string().parse::<Url>().ok(),
        };
        match url.as_ref().and_then(Url::query) {
            Some(query) => words.replace(query, "…"),
            None => words,
        }
    }
}

/// The cause of a failed transport. The SDK's own words name its types, and not why a request could not be sent.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let transport = match (error.downcast_ref(), error.downcast_ref()) {
        (Some(ClientInitializeError::TransportError { error, .. }), _) => error,
        (_, Some(ServiceError::TransportSend(error))) => error,
        _ => return error,
    };
    match transport.error.downcast_ref() {
        Some(StreamableHttpError::<reqwest::Error>::Client(error)) => error,
        _ => &*transport.error,
    }
}

impl fmt::Debug for McpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(words) => f.write_str(&words[0]),
            Self::Url(url, ..) => f.write_str(&http_client::public_url(url)),
        }
    }
}

/// The connection that all tools of a server share.
#[derive(Debug)]
struct Connection {
    address: McpAddress,
    client: Mutex<Option<Arc<McpClient>>>,
}

#[derive(Debug)]
struct McpClient {
    service: RunningService<RoleClient, ()>,
    /// The process, which is killed when this is dropped.
    _child: Option<Child>,
}

impl Connection {
    /// The client of the server, which is connected again if its last connection has ended.
    async fn client(&self) -> Result<Arc<McpClient>, McpServerError> {
        let mut last = self.client.lock().await;
        if let Some(client) = last.as_ref().filter(|client| !client.service.is_transport_closed()) {
            return Ok(Arc::clone(client));
        }
        *last = None;
        let connected = timeout(MCP_CONNECT, self.open()).await.unwrap_or(Err(McpServerError::Timeout))?;
        Ok(Arc::clone(last.insert(Arc::new(connected))))
    }

    async fn open(&self) -> Result<McpClient, McpServerError> {
        let (service, child) = match &self.address {
            McpAddress::Command(words) => {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
                let mut child = command.spawn().map_err(McpServerError::Start)?;
                let (stdout, stdin) = child.stdout.take().zip(child.stdin.take()).expect("both are piped");
                // The SDK's own reader drops a line that is too long, and the call would wait for its response for ever. Here the connection ends
                // instead.
                let lines = FramedRead::new(stdout, LinesCodec::new_with_max_length(MCP_RESPONSE));
                let messages =
                    lines.filter_map(|line| future::ready(line.ok().and_then(|line| serde_json::from_str(&line).ok())));
                let sink = FramedWrite::new(stdin, JsonRpcMessageCodec::default());
                (().serve((sink, messages)).await, Some(child))
            }
            McpAddress::Url(url, client, headers) => {
                let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone()));
                let config = StreamableHttpClientTransportConfig::with_uri(url.to_string())
                    .custom_headers(headers.collect())
                    .max_sse_event_size(MCP_RESPONSE)
                    .max_json_response_size(MCP_RESPONSE);
                let transport = StreamableHttpClientTransport::with_client(client.clone(), config);
                (().serve(transport).await, None)
            }
        };
        let service = service.map_err(|error| McpServerError::Failed(self.address.describe(&error)))?;
        Ok(McpClient { service, _child: child })
    }

    /// Forgets a connection, so that the next call makes a new one. Other calls under way keep theirs.
    async fn forget(&self, failed: &Arc<McpClient>) {
        self.client.lock().await.take_if(|last| Arc::ptr_eq(last, failed));
    }
}

#[derive(Debug)]
struct McpTool {
    spec: ToolSpec,
    connection: Arc<Connection>,
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: Call<'_>) -> ToolOutput {
        let arguments: JsonObject = call.input()?;
        let client = self.connection.client().await;
        let client = client.map_err(|why| format!("The tool's server is not there: {}", WithCauses(&why)))?;
        let request = CallToolRequestParams::new(self.spec.name.clone()).with_arguments(arguments);
        // Dropping this call tells the server that it is cancelled.
        match client.service.call_tool_once(request).await {
            Ok(CallToolResponse::Complete(result)) => output(result),
            Ok(_) => Err("The tool asks for input, which it does not get here.".to_owned()),
            Err(ServiceError::McpError(error)) => Err(error.message.into_owned()),
            Err(error) => {
                self.connection.forget(&client).await;
                Err(format!("The call of the tool's server failed: {}", self.connection.address.describe(&error)))
            }
        }
    }
}

/// The result of a call in words: content that is not text is described, since a model's history is text.
fn output(result: CallToolResult) -> ToolOutput {
    let mut texts: Vec<String> = result.content.iter().map(text).collect();
    if let (true, Some(value)) = (texts.is_empty(), &result.structured_content) {
        texts.push(value.to_string());
    }
    let text = texts.join("\n\n");
    match result.is_error {
        Some(true) => Err(text),
        Some(false) | None => Ok(text),
    }
}

fn text(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[An image ({}) that cannot be shown here.]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[A recording ({}) that cannot be played here.]", audio.mime_type),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            _ => "[A file that is no text.]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[A resource: {} at {}]", link.name, link.uri),
        _ => "[Content that cannot be shown here.]".to_owned(),
    }
}
