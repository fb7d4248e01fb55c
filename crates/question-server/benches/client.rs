//! Clients that write HTTP by hand, so that they cost little themselves.

use crate::{ABREAST, Outcome};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Sends messages until the question waits.
pub(crate) async fn begin(address: SocketAddr, id: String) -> Outcome<()> {
    let body = format!(
        r#"{{"threadId":"{id}","runId":"r","protocolVersion":"1.0","messages":[{{"id":"u","role":"user","content":"I need my car looked at"}}]}}"#
    );
    let mut stream = send(address, "/agent", &body).await?;
    until(&mut stream, "pendingToolCallIds").await
}

/// Follows what happens in a conversation, from the question on.
pub(crate) async fn watch(address: SocketAddr, id: String) -> Outcome<(String, TcpStream)> {
    let mut stream = TcpStream::connect(address).await?;
    let request =
        format!("GET /conversations/{id}/events HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    until(&mut stream, "awaiting_user_response").await?;
    Ok((id, stream))
}

/// Answers the question, until that is acknowledged.
pub(crate) async fn reply(address: SocketAddr, id: &str) -> Outcome<()> {
    let body = r#"{"answers":{"Which service do you need?":"Brake service"}}"#;
    let mut stream = send(address, &format!("/conversations/{id}/respond"), body).await?;
    until(&mut stream, "200 OK").await
}

/// Reads on until this text arrives.
pub(crate) async fn until(stream: &mut TcpStream, wanted: &str) -> Outcome<()> {
    let mut read = Vec::new();
    let mut chunk = [0; 4 << 10];
    while !String::from_utf8_lossy(&read).contains(wanted) {
        match stream.read(&mut chunk).await? {
            0 => {
                let told = String::from_utf8_lossy(&read).into_owned();
                return Err(format!("the server ended the stream before {wanted}: {told}").into());
            }
            length => read.extend_from_slice(&chunk[..length]),
        }
    }
    Ok(())
}

/// Runs a task for each item, [`ABREAST`] at a time.
pub(crate) async fn for_each<I, T, F>(all: I, work: impl Fn(I::Item) -> F) -> Outcome<Vec<T>>
where
    I: IntoIterator,
    T: Send + 'static,
    F: Future<Output = Outcome<T>> + Send + 'static,
{
    let mut done = Vec::new();
    let mut under_way = JoinSet::new();
    for one in all {
        if under_way.len() == ABREAST
            && let Some(finished) = under_way.join_next().await
        {
            done.push(finished??);
        }
        under_way.spawn(work(one));
    }
    while let Some(finished) = under_way.join_next().await {
        done.push(finished??);
    }
    Ok(done)
}

/// Posts a body; the end of the response is that of the connection.
pub(crate) async fn send(address: SocketAddr, path: &str, body: &str) -> Outcome<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    Ok(stream)
}
