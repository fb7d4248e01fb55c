//! The health check of a container that has no shell.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use thiserror::Error;

/// The time to connect, and for each part of the response. The server's own check of its store has five seconds.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest response that is read, in bytes.
const MAX_RESPONSE: u64 = 16 << 10;

/// Asks the server at this address if it is ready.
///
/// # Errors
/// If it isn't, or if there is none.
pub(crate) fn probe(address: SocketAddr) -> Result<(), ProbeError> {
    let response = ask(address).map_err(|source| ProbeError::Silent { address, source })?;
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
    let status = head.lines().next().unwrap_or_default();
    match status.split(' ').nth(1) {
        Some("200") => Ok(()),
        _ => Err(ProbeError::NotReady { address, answer: format!("{status} {body}") }),
    }
}

/// The reason why a server is not ready.
#[derive(Debug, Error)]
pub(crate) enum ProbeError {
    #[error("{address} does not answer")]
    Silent { address: SocketAddr, source: io::Error },
    #[error("{address} is not ready: {answer}")]
    NotReady { address: SocketAddr, answer: String },
}

fn ask(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.write_all(format!("GET /readyz HTTP/1.0\r\nHost: {address}\r\n\r\n").as_bytes())?;
    let mut response = Vec::new();
    stream.take(MAX_RESPONSE).read_to_end(&mut response)?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}
