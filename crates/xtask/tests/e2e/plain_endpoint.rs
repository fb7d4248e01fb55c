//! A plain endpoint of HTTP at an origin of its own, for agents and models that are played to the server or the page.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;

/// Starts an endpoint, which answers each request in a thread of its own: with its head, its body, and the stream to write to. Returns the
/// origin.
pub(crate) fn answering(answer: impl Fn(&str, &[u8], TcpStream) -> Option<()> + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || {
                let (head, body, stream) = request(stream)?;
                answer(&head, &body, stream)
            });
        }
    });
    format!("http://{address}")
}

/// Answers with a whole body. A browser that gives a request up does not matter.
pub(crate) fn respond(mut stream: TcpStream, status: &str, kind: &str, body: &[u8]) -> Option<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close");
    write!(stream, "{head}\r\n\r\n").and_then(|()| stream.write_all(body)).ok()
}

/// Reads a request, if it does not break off.
fn request(stream: TcpStream) -> Option<(String, Vec<u8>, TcpStream)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        (reader.read_line(&mut head).ok()? > 0).then_some(())?;
    }
    let is_length = |line: &&str| line.to_ascii_lowercase().starts_with("content-length:");
    let length = head.lines().find(is_length).and_then(|line| line.split(':').nth(1)?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some((head, body, reader.into_inner()))
}
