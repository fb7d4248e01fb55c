//! A client that writes and reads lines.

use question_mcp::{McpServer, serve_lines};
use serde_json::{Value, json};
use std::io;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::task::JoinHandle;

/// A call with one question.
pub(crate) fn which_size() -> Value {
    json!({"questions": [{"question": "Which size?", "header": "Size", "options": [
        {"label": "S", "description": "Small"}, {"label": "M, or so"},
    ]}]})
}

/// The two generations of the protocol.
pub(crate) const GENERATIONS: [Generation; 2] = [Generation::Sessions, Generation::Stateless];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// Begins with `initialize`; the server sends requests.
    Sessions,
    /// Each request says who sends it; results want input.
    Stateless,
}

/// Capabilities of a client that shows forms.
pub(crate) fn shows_forms() -> Value {
    json!({"elicitation": {"form": {}}})
}

/// Capabilities of a client that shows apps.
pub(crate) fn shows_apps() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}})
}

pub(crate) struct Client {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    generation: Generation,
    capabilities: Value,
    name: &'static str,
    ids: u64,
    pub(crate) served: JoinHandle<io::Result<()>>,
}

impl Client {
    /// A client that has said nothing yet.
    pub(crate) fn silent(server: &McpServer) -> Self {
        let (here, there) = duplex(1 << 16);
        let (reader, writer) = split(there);
        let served = tokio::spawn(serve_lines(server.session(), reader, writer));
        let (reader, writer) = split(here);
        let (generation, capabilities) = (Generation::Sessions, json!({}));
        Self { reader: BufReader::new(reader), writer, generation, capabilities, name: "test", ids: 0, served }
    }

    pub(crate) async fn new(server: &McpServer, generation: Generation, capabilities: Value) -> Self {
        Self::named("test", server, generation, capabilities).await
    }

    pub(crate) async fn named(
        name: &'static str,
        server: &McpServer,
        generation: Generation,
        capabilities: Value,
    ) -> Self {
        let mut client = Self { generation, capabilities, name, ..Self::silent(server) };
        if generation == Generation::Sessions {
            let params = json!({
                "protocolVersion": "2025-06-18", "capabilities": client.capabilities, "clientInfo": {"name": name, "version": "1"},
            });
            let begun = client.request("initialize", params).await;
            assert_eq!(begun["result"]["protocolVersion"], "2025-06-18", "{begun}");
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        }
        client
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.writer.write_all(line.as_bytes()).await.expect("the server reads");
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string()).await;
    }

    /// The next message of the server.
    pub(crate) async fn next(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).await.expect("the server writes");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request and returns its id.
    pub(crate) async fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        self.ids += 1;
        if self.generation == Generation::Stateless {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": self.name, "version": "1"});
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        let request = json!({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params});
        self.send(&request).await;
        self.ids
    }

    /// The response to a request; notifications before it are passed over.
    pub(crate) async fn response(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id {
                return message;
            }
            assert!(message["method"].as_str().is_some_and(|method| method.starts_with("notifications/")), "{message}");
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        self.response(id).await
    }

    /// Calls a tool and returns the result.
    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments})).await["result"].take()
    }

    /// Calls the asking tool, answers its forms one after the other, and returns the result.
    pub(crate) async fn fills_in(&mut self, arguments: &Value, answers: &[Value]) -> Value {
        let mut params = json!({"name": "ask_user_question", "arguments": arguments});
        match self.generation {
            Generation::Sessions => {
                let id = self.ask("tools/call", params).await;
                for answer in answers {
                    let form = self.next().await;
                    assert_eq!(form["method"], "elicitation/create", "{form}");
                    self.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": answer})).await;
                }
                self.response(id).await["result"].take()
            }
            Generation::Stateless => {
                let mut result = self.request("tools/call", params.clone()).await["result"].take();
                for answer in answers {
                    assert_eq!(result["resultType"], "input_required", "{result}");
                    params["requestState"] = result["requestState"].take();
                    params["inputResponses"] = json!({"question": answer});
                    result = self.request("tools/call", params.clone()).await["result"].take();
                }
                result
            }
        }
    }

    /// Closes the stream to the server alone, and returns what still comes.
    pub(crate) async fn hang_up(mut self) -> Vec<Value> {
        self.writer.shutdown().await.expect("it is open");
        let mut lines = Vec::new();
        let mut reader = self.reader.lines();
        while let Some(line) = reader.next_line().await.expect("the server writes") {
            lines.push(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}")));
        }
        self.served.await.expect("the server does not panic").expect("it has spoken the protocol");
        lines
    }

    /// Closes the streams, as a client that ends does.
    pub(crate) async fn vanish(self) -> io::Result<()> {
        drop((self.reader, self.writer));
        self.served.await.expect("the server does not panic")
    }
}
