//! `cargo xtask serve`: the chat page and its server, until Ctrl+C.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::args::ServeOptions;
use crate::children::{self, Child};
use crate::console::{bold, say, show_lines};
use crate::page::{self, Serving};
use crate::tools::Toolbox;
use crate::workspace;

/// Runs the page and its server until we are interrupted, which is a success, or one of them ends, which is not.
///
/// # Errors
///
/// The port is taken, a tool is missing and can't be brought, the server does not build or start, or one of both ends.
pub(crate) fn serve(options: &ServeOptions) -> Result<ExitCode> {
    // Before anything slow, so that a taken port is known at once.
    let port = free_port(options.port)?;
    let toolbox = Toolbox::for_page(options.release)?;
    build_server(options.release)?;

    page::forget_served()?;
    let (server, server_port) = start_server(options)?;
    let serving = Serving {
        port,
        server_port,
        release: options.release,
        open: options.open,
        allow_agents: &options.allow_agents,
    };
    say("Building the page, which takes about a minute from nothing");
    let page = start_page(&toolbox, &serving)?;
    watch(server, page, port)
}

fn watch(mut server: Child, mut page: Child, port: u16) -> Result<ExitCode> {
    let mut awaited = Awaited::Trunk;
    loop {
        if children::interrupted() {
            say("Ending the page and the server");
            return Ok(ExitCode::SUCCESS);
        }
        for (name, child) in [("question-server", &mut server), ("trunk", &mut page)] {
            if let Some(status) = child.ended()?
                && !children::interrupted()
            {
                bail!("{name} has ended by itself ({status}), so the other is ended too; its last lines above say why");
            }
        }
        awaited = awaited.look(port)?;
        // Two children are watched at once, which the standard library can do only by looking.
        std::thread::sleep(GLANCE);
    }
}

/// What has to happen before the page can be opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// Trunk listens after its first build, whether or not that has succeeded.
    Trunk,
    /// A build that succeeds, after one that did not.
    Build,
    Nothing,
}

impl Awaited {
    fn look(self, port: u16) -> Result<Self> {
        let next = match self {
            Self::Trunk if !accepts(port) => Self::Trunk,
            Self::Trunk | Self::Build if page::is_served()? => Self::Nothing,
            Self::Trunk | Self::Build => Self::Build,
            Self::Nothing => Self::Nothing,
        };
        match next {
            Self::Build if self != next => {
                say("The page does not build; the lines above say why. It is tried again at the next change");
            }
            // The one line that a program may want to read.
            Self::Nothing if self != next => {
                let line = format!("Open http://127.0.0.1:{port}/   (Ctrl+C ends it)");
                println!("\n  {}\n", bold(&line));
            }
            Self::Trunk | Self::Build | Self::Nothing => {}
        }
        Ok(next)
    }
}

/// Builds the server that the page talks to.
///
/// # Errors
///
/// It does not build.
pub(crate) fn build_server(release: bool) -> Result<()> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root()).args(["build", "--package", "question-server"]);
    if release {
        cargo.args(["--profile", "server"]);
    }
    say("Building question-server, which takes about a minute from nothing");
    if !children::run(&mut cargo)?.success() {
        bail!("question-server does not build; cargo says above why");
    }
    Ok(())
}

/// Starts the server on a port of its choice and gives that port.
fn start_server(options: &ServeOptions) -> Result<(Child, u16)> {
    let program = page::server_program(if options.release { "server" } else { "debug" });
    let mut command = Command::new(program);
    command.args(["--port", "0"]);
    for origin in &options.allow_agents {
        command.arg("--allow-agent").arg(origin);
    }
    let conversations = workspace::scratch_dir()?.join("conversations.sqlite");
    command.arg("--database").arg(conversations);
    let mut server = Child::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;

    let (found, port) = mpsc::channel();
    let tell = move |line: &str| {
        if let Some(port) = port_in(line) {
            // Nobody listens any more after the first one.
            let _ = found.send(port);
        }
    };
    show_output(&mut server, "server", tell)?;
    let deadline = Instant::now() + START_LIMIT;
    loop {
        if let Ok(port) = port.recv_timeout(GLANCE) {
            return Ok((server, port));
        }
        if let Some(status) = server.ended()? {
            bail!("question-server has ended at its start ({status}); its lines above say why");
        }
        if Instant::now() > deadline {
            bail!("question-server has not said within {} seconds where it listens", START_LIMIT.as_secs());
        }
    }
}

fn start_page(toolbox: &Toolbox, serving: &Serving<'_>) -> Result<Child> {
    let mut command = page::trunk_serve(toolbox, serving)?;
    let mut page = Child::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    show_output(&mut page, "page  ", |_| ())?;
    Ok(page)
}

fn show_output(child: &mut Child, name: &'static str, seen: impl FnMut(&str) + Send + 'static) -> Result<()> {
    let missing = || anyhow!("{} has no output", name.trim());
    show_lines(name, child.take_stdout().ok_or_else(missing)?, seen);
    show_lines(name, child.take_stderr().ok_or_else(missing)?, |_| ());
    Ok(())
}

/// The port itself if it is free, or any free one for 0.
fn free_port(wanted: u16) -> Result<u16> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, wanted)) {
        Ok(listener) => Ok(listener.local_addr().context("the system does not say which port it gave")?.port()),
        Err(problem) if problem.kind() == std::io::ErrorKind::AddrInUse => bail!(
            "port {wanted} is taken by another program. End that, or choose another port: `cargo xtask serve --port {}`",
            wanted.checked_add(1).unwrap_or(8080)
        ),
        Err(problem) => Err(anyhow!("can't use port {wanted}: {problem}. Choose another with `--port`")),
    }
}

fn accepts(port: u16) -> bool {
    TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port).into(), GLANCE).is_ok()
}

/// The port in the server's line `listening on http://127.0.0.1:PORT`.
fn port_in(line: &str) -> Option<u16> {
    let (_, after) = line.split_once("listening on http://127.0.0.1:")?;
    let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// How often the children are looked after.
const GLANCE: Duration = Duration::from_millis(100);

/// How long the server may take to listen.
const START_LIMIT: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_port_is_read_from_its_line() {
        assert_eq!(port_in("listening on http://127.0.0.1:40123"), Some(40_123));
        assert_eq!(port_in("2026-01-01 INFO listening on http://127.0.0.1:8787/ (loopback)"), Some(8_787));
        assert_eq!(port_in("listening on http://127.0.0.1:"), None);
        assert_eq!(port_in("connected to http://127.0.0.1:80"), None);
    }

    #[test]
    fn a_taken_port_is_said_with_the_way_out() {
        let holder = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = holder.local_addr().unwrap().port();
        let problem = free_port(port).unwrap_err().to_string();
        assert!(problem.contains(&format!("port {port} is taken")) && problem.contains("--port"), "{problem}");
    }
}
