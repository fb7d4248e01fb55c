//! The protocol on stdin and stdout, one message per line.

use crate::server::McpServer;
use rmcp::model::{
    ClientRequest, ErrorData, GetMeta as _, InitializeRequestParams, JsonRpcMessage, ProtocolVersion, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::{Transport, stdio_pipes};
use rmcp::{RoleServer, serve_server};
use serde::Deserialize as _;
use serde_json::Value;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// The longest line, in bytes.
const MAX_LINE: usize = 8 << 20;

/// Serves the client that started this process, until it closes stdin.
///
/// # Errors
/// If the client does not speak the protocol.
pub async fn serve_stdio(server: McpServer) -> io::Result<()> {
    let (reader, writer) = stdio_pipes();
    serve_lines(server, reader, writer).await
}

/// Serves one client over a pair of streams. A line that is no message is answered with an error, and the next one is read.
///
/// # Errors
/// If the client does not speak the protocol.
pub async fn serve_lines<R, W>(server: McpServer, reader: R, writer: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lines = LineTransport {
        reader: BufReader::new(reader),
        line: Vec::new(),
        is_too_long: false,
        has_begun: false,
        writer: Arc::new(Mutex::new(writer)),
        gone: server.gone().clone(),
    };
    let gone = server.gone().clone();
    match serve_server(server, lines).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // The client has gone before it sent a valid first message.
        Err(_) if gone.is_cancelled() => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// A transport that, unlike the SDK's own, answers what it can't read.
struct LineTransport<R, W> {
    reader: BufReader<R>,
    /// The beginning of the next line, kept here because reading may be cancelled and continues later.
    line: Vec<u8>,
    is_too_long: bool,
    /// True once the client has sent a request that says which generation it is of. Until then, the SDK stops at any message that is no request.
    has_begun: bool,
    writer: Arc<Mutex<W>>,
    gone: CancellationToken,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> LineTransport<R, W> {
    /// Reads the next line into `line`. Returns false at the end.
    async fn next_line(&mut self) -> bool {
        loop {
            let Ok(read) = self.reader.fill_buf().await else {
                return false;
            };
            if read.is_empty() {
                return false;
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(read.len(), |end| end + 1);
            self.is_too_long |= self.line.len() + taken > MAX_LINE;
            if !self.is_too_long {
                self.line.extend_from_slice(&read[..taken]);
            }
            self.reader.consume(taken);
            if end.is_some() {
                return true;
            }
        }
    }

    /// Writes an error in a task of its own, since reading may be cancelled at any time.
    fn refuse(&self, error: ErrorData, id: Option<RequestId>) {
        let writer = Arc::clone(&self.writer);
        let message = TxJsonRpcMessage::<RoleServer>::error(error, id);
        tokio::spawn(async move { write(&writer, &message).await });
    }
}

/// Parses the message of a line or of a body. The error has the id of the request, if that is known.
pub(crate) fn parse(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Box<(ErrorData, Option<RequestId>)>> {
    // A pipe on Windows may begin with a byte order mark.
    let value: Value = serde_json::from_slice(line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line))
        .map_err(|error| Box::new((ErrorData::parse_error(format!("The message is no JSON: {error}."), None), None)))?;
    let refused = |error| Box::new((error, value.get("id").and_then(|id| RequestId::deserialize(id).ok())));
    if value["method"] == "initialize" {
        // The SDK would take it for a request of the other generation, and report what that lacks.
        InitializeRequestParams::deserialize(&value["params"]).map_err(|error| {
            refused(ErrorData::invalid_params(format!("The parameters of initialize can't be read: {error}."), None))
        })?;
    }
    RxJsonRpcMessage::<RoleServer>::deserialize(&value).or_else(|_| {
        let error = refused(ErrorData::invalid_request("This is no message of JSON-RPC 2.0.", None));
        // Answers the call that waits for this response, even if the response is malformed.
        let is_response = value.get("error").is_some() && error.1.is_some();
        if is_response { Ok(JsonRpcMessage::error(error.0, error.1)) } else { Err(error) }
    })
}

/// Returns true for a request that says which generation its client is of.
fn begins(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let JsonRpcMessage::Request(message) = message else {
        return false;
    };
    let meta = message.request.get_meta();
    match message.request {
        ClientRequest::InitializeRequest(_) => true,
        // These may be sent before such a request.
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => {
            meta.client_capabilities().is_some()
                && meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move { write(&writer, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while self.next_line().await {
            let (line, is_too_long) = (std::mem::take(&mut self.line), std::mem::take(&mut self.is_too_long));
            if is_too_long {
                let why = format!("A message has at most {MAX_LINE} bytes.");
                self.refuse(ErrorData::invalid_request(why, None), None);
                continue;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            match parse(&line) {
                Ok(message) => {
                    self.has_begun |= begins(&message);
                    if self.has_begun || matches!(message, JsonRpcMessage::Request(_)) {
                        return Some(message);
                    }
                }
                Err(refused) => self.refuse(refused.0, refused.1),
            }
        }
        self.gone.cancel();
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.flush().await
    }
}

async fn write<W: AsyncWrite + Unpin>(writer: &Mutex<W>, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut writer = writer.lock().await;
    writer.write_all(&line).await?;
    writer.flush().await
}
