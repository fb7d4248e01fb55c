//! `cargo xtask serve`: the chat page and its server, until Ctrl+C.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::children::{self, Child};
use crate::console::{bold, clock, dim, print, say};
use crate::files;
use crate::flags::Serve;
use crate::page;
use crate::steps::{self, StepLog, StepSpec};
use crate::workspace::{self, cargo};

/// Runs the page and its server until Ctrl+C, which is a success, or until one of them ends, which is a failure.
pub(crate) fn serve(options: &Serve) -> Result<()> {
    let start = Instant::now();
    if options.open && options.agent.is_some() {
        bail!("--open opens the page with the server's own agent: leave it out, and open the address that is printed");
    }
    // Checked before anything slow, so that mistakes are reported at once.
    check(options)?;
    let port = free_port(options.port.unwrap_or(8080))?;
    let release = options.release;
    say("Getting tools, server and page ready, which takes some minutes where nothing is there yet");
    let mut steps = vec![
        StepSpec::builds("server", &[], |log| build_server(release, log)),
        StepSpec::runs("tools", &[], page::bring_tools),
        StepSpec::builds("page", &[], |log| page::build_program(release, log)),
    ];
    if options.gallery {
        steps.push(StepSpec::builds("gallery", &["tools"], |log| {
            page::build_gallery(release, &workspace::scratch("gallery"), log)
        }));
    }
    steps::run_or_fail(&steps)?;
    // Each port has its own settings, built page and conversations.
    let folder = workspace::scratch(&format!("serve-{port}"));
    files::make(&folder)?;
    let outcome = run(options, port, &folder, start);
    if options.port == Some(0) {
        // The next call gets another port, so nothing would use this folder again.
        files::remove(&folder)?;
    }
    match outcome {
        Err(_) if children::interrupted() => {
            say("Ended the page and the server");
            Ok(())
        }
        outcome => outcome,
    }
}

/// Refuses options that the server would refuse, but only after it was built.
fn check(options: &Serve) -> Result<()> {
    if let Some(url) = &options.agent
        && !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme))
    {
        bail!("--agent: {url} is no http or https URL, such as http://127.0.0.1:8000/");
    }
    if let Some(file) = &options.system_prompt {
        ensure!(file.is_file(), "--system-prompt: there is no file {}", file.display());
    }
    Ok(())
}

/// Builds the server that the page talks to. It uses a file for conversations, so Postgres, a fifth of the dependencies, is left out.
pub(crate) fn build_server(release: bool, log: &StepLog) -> Result<()> {
    let mut build = cargo(["build", "--package", "question-server", "--no-default-features", "--features", "mcp"]);
    log.run(build.args(if release { &["--profile", "server"][..] } else { &[] }))
}

/// An event of a child.
enum ChildEvent {
    Line(String),
    Exited(&'static str),
}

/// Starts the server, then the page in front of it, and prints the address once both are there.
fn run(options: &Serve, port: u16, folder: &Path, start: Instant) -> Result<()> {
    let (sender, events) = mpsc::channel();
    let mut server = Command::new(workspace::server(if options.release { "server" } else { "debug" }));
    server.args(["--port", "0", "--database"]).arg(folder.join("conversations.sqlite"));
    server.args(options.agent.iter().flat_map(|url| ["--agent", url]));
    server.args(options.allow_agent.iter().flat_map(|origin| ["--allow-agent", origin]));
    server.args(options.model.iter().flat_map(|name| ["--model", name]));
    server.args(options.system_prompt.iter().flat_map(|file| [OsStr::new("--system-prompt"), file.as_os_str()]));
    let _server = start_child("server", &mut server, &sender)?;
    let server_port = loop {
        if let ChildEvent::Line(line) = next(&events)?
            && let Some(port) = port_in(&line)
        {
            break port;
        }
    };

    let mut trunk = page::trunk_serve(options, [port, server_port], folder)?;
    let _page = start_child("page", &mut trunk, &sender)?;
    let (mut built, mut listens) = (false, false);
    while !(built && listens) {
        if let ChildEvent::Line(line) = next(&events)? {
            built |= line.contains("success");
            listens |= line.contains("server listening");
        }
    }
    // Trunk reports its address shortly before it listens.
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        if let Ok(event) = events.recv_timeout(Duration::from_millis(20)) {
            unless_ended(event)?;
        }
    }
    let query = if options.agent.is_some() { "?agent=agent/other" } else { "" };
    let ready = clock(start.elapsed());
    let line = format!("Open http://127.0.0.1:{port}/{query}   (ready after {ready}; Ctrl+C ends it)");
    print(&format!("\n  {}\n", bold(&line)));
    loop {
        next(&events)?;
    }
}

/// Starts a child whose lines are shown with its name in front.
fn start_child(name: &'static str, command: &mut Command, events: &Sender<ChildEvent>) -> Result<Child> {
    let (child, output) = Child::start(command)?;
    let events = events.clone();
    thread::spawn(move || {
        let prefix = dim(&format!("{name:<6} │"));
        children::each_line(output, |line| {
            if !ADDRESSES.iter().any(|part| line.contains(part)) {
                say(&format!("{prefix} {line}"));
            }
            let _ = events.send(ChildEvent::Line(line.to_owned()));
        });
        let _ = events.send(ChildEvent::Exited(name));
    });
    Ok(child)
}

/// Parts of Trunk's lines about addresses, which are not shown: the printed address is another one, which names the agent.
const ADDRESSES: [&str; 3] = ["server listening at", "🏠", "proxying"];

/// Waits for the next event. The end of a child is an error.
fn next(events: &Receiver<ChildEvent>) -> Result<ChildEvent> {
    unless_ended(events.recv().context("both have ended")?)
}

fn unless_ended(event: ChildEvent) -> Result<ChildEvent> {
    match event {
        ChildEvent::Exited(name) => bail!("the {name} exited; its last lines above say why"),
        event @ ChildEvent::Line(_) => Ok(event),
    }
}

/// The port itself if it is free, or any free one for 0.
fn free_port(wanted: u16) -> Result<u16> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, wanted)) {
        Ok(listener) => Ok(listener.local_addr().context("the system does not say which port it gave")?.port()),
        Err(problem) if problem.kind() == ErrorKind::AddrInUse => bail!(
            "port {wanted} is taken by another program. End that, or choose another port: `cargo xtask serve --port {}`",
            wanted.checked_add(1).unwrap_or(8080)
        ),
        Err(problem) => bail!("can't use port {wanted}: {problem}. Choose another with `--port`"),
    }
}

/// The port in the server's line `listening on http://127.0.0.1:PORT`.
fn port_in(line: &str) -> Option<u16> {
    let (_, after) = line.split_once("listening on http://127.0.0.1:")?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_would_refuse_is_said_before_it_is_built() {
        let said = |agent: Option<&str>| {
            let agent = agent.map(str::to_owned);
            let options = Serve {
                port: None,
                release: false,
                gallery: false,
                open: false,
                agent,
                allow_agent: Vec::new(),
                model: None,
                system_prompt: None,
            };
            check(&options).map_err(|problem| problem.to_string())
        };
        assert!(said(Some("http://127.0.0.1:8000/")).is_ok());
        assert!(said(Some("localhost:8000")).unwrap_err().contains("localhost:8000 is no http"));
    }

    #[test]
    fn a_taken_port_is_said_with_the_way_out() {
        let holder = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = holder.local_addr().unwrap().port();
        let problem = free_port(port).unwrap_err().to_string();
        assert!(problem.contains(&format!("port {port} is taken")) && problem.contains("--port"), "{problem}");
    }
}
