//! The health check of a container that has no shell.

use std::error::Error;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The time to connect, and for each part of the response. The server's own check of its store has five seconds.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest response that is read, in bytes.
const MAX_RESPONSE: u64 = 16 << 10;

/// Fails if the server at this address is not ready, or if there is none.
pub(crate) fn probe(address: SocketAddr) -> Result<(), Box<dyn Error + Send + Sync>> {
    let response = ask(address).map_err(|error| format!("{address} does not answer: {error}"))?;
    match response.split(' ').nth(1) {
        Some("200") => Ok(()),
        _ => Err(format!("{address} is not ready: {}", response.lines().last().unwrap_or_default()).into()),
    }
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
