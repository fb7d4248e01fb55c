//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use lexopt::prelude::*;

/// What one call of `cargo xtask` is to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Print this text.
    Help(&'static str),
    /// Run the chat page and its server.
    Serve(ServeOptions),
    /// Run these groups of checks, in the order of [`Group::ALL`].
    Test(Vec<Group>),
    /// Judge the stream reader with the cases under this path.
    Conformance(PathBuf),
    /// Build the page for release, print what it weighs and compare that with the budget.
    Size,
    /// Measure one part and print its table.
    Bench(Bench),
}

/// What `cargo xtask bench` measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bench {
    /// The card in a browser.
    Card,
    /// A first visit of the page in a browser.
    Page,
    /// The server with many waiting conversations.
    Server,
    /// The stream reader as WebAssembly in Node, beside JavaScript's.
    Stream,
}

impl Bench {
    /// Every measurement, in the order in which help lists them.
    const ALL: [Self; 4] = [Self::Card, Self::Page, Self::Server, Self::Stream];

    /// The word that `bench` takes.
    fn name(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Page => "page",
            Self::Server => "server",
            Self::Stream => "stream",
        }
    }
}

/// How to run the chat page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ServeOptions {
    /// The port of the page; 0 asks for any free one.
    pub(crate) port: u16,
    /// Build as for users: slower to build, smaller and faster to run.
    pub(crate) release: bool,
    /// Open the page in the default browser.
    pub(crate) open: bool,
    /// Origins whose agents the page may talk to beside its server; the server says whether they are any.
    pub(crate) allow_agents: Vec<String>,
}

/// A part of the checks that `--only` selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// Formatting, lints, documentation, and the tests that run on this machine itself.
    Native,
    /// Lints of the wasm crates and the core crates' tests as WebAssembly in Node.
    Wasm,
    /// Component tests in headless browsers.
    Browser,
    /// Journeys against the built page and the real server.
    E2e,
}

impl Group {
    /// Every group, cheapest first.
    pub(crate) const ALL: [Self; 4] = [Self::Native, Self::Wasm, Self::Browser, Self::E2e];

    /// The word that `--only` takes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Wasm => "wasm",
            Self::Browser => "browser",
            Self::E2e => "e2e",
        }
    }
}

/// Reads the words after `cargo xtask`.
///
/// # Errors
///
/// An unknown command or option, a value that is missing or no number, or a word too many: each in a sentence.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command> {
    let mut parser = lexopt::Parser::from_args(words);
    let Some(first) = parser.next()? else {
        return Ok(Command::Help(HELP));
    };
    match first {
        Short('h') | Long("help") => Ok(Command::Help(HELP)),
        Value(name) => match name.to_string_lossy().as_ref() {
            "help" => Ok(Command::Help(HELP)),
            "serve" => parse_serve(&mut parser),
            "test" => parse_test(&mut parser),
            "conformance" => parse_conformance(&mut parser),
            "size" => parse_size(&mut parser),
            "bench" => parse_bench(&mut parser),
            other => bail!("there is no command `{other}`; `cargo xtask help` lists them"),
        },
        other => Err(other.unexpected().into()),
    }
}

fn parse_serve(parser: &mut lexopt::Parser) -> Result<Command> {
    let mut options = ServeOptions { port: 8080, release: false, open: false, allow_agents: Vec::new() };
    while let Some(word) = parser.next()? {
        match word {
            Short('p') | Long("port") => {
                let value = parser.value()?;
                let text = value.to_string_lossy();
                options.port =
                    text.parse().map_err(|_| anyhow!("--port takes a number from 0 to 65535, not `{text}`"))?;
            }
            Long("release") => options.release = true,
            Long("open") => options.open = true,
            Long("allow-agent") => {
                let origin = parser.value()?;
                let origin = origin
                    .into_string()
                    .map_err(|_| anyhow!("--allow-agent takes an origin such as https://agent.example"))?;
                options.allow_agents.push(origin);
            }
            Short('h') | Long("help") => return Ok(Command::Help(SERVE_HELP)),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Serve(options))
}

fn parse_test(parser: &mut lexopt::Parser) -> Result<Command> {
    let mut only = Vec::new();
    while let Some(word) = parser.next()? {
        match word {
            Long("only") => only.push(parse_group(&parser.value()?.to_string_lossy())?),
            Short('h') | Long("help") => return Ok(Command::Help(TEST_HELP)),
            other => return Err(other.unexpected().into()),
        }
    }
    let groups = Group::ALL.into_iter().filter(|group| only.is_empty() || only.contains(group));
    Ok(Command::Test(groups.collect()))
}

fn parse_group(text: &str) -> Result<Group> {
    Group::ALL
        .into_iter()
        .find(|group| group.name() == text)
        .ok_or_else(|| anyhow!("--only takes native, wasm, browser or e2e, not `{text}`"))
}

fn parse_conformance(parser: &mut lexopt::Parser) -> Result<Command> {
    let mut path = None;
    while let Some(word) = parser.next()? {
        match word {
            Value(value) if path.is_none() => path = Some(PathBuf::from(value)),
            Short('h') | Long("help") => return Ok(Command::Help(HELP)),
            other => return Err(other.unexpected().into()),
        }
    }
    path.map(Command::Conformance).ok_or_else(|| anyhow!("`cargo xtask conformance` takes the path of the cases"))
}

fn parse_size(parser: &mut lexopt::Parser) -> Result<Command> {
    match parser.next()? {
        None => Ok(Command::Size),
        Some(Short('h') | Long("help")) => Ok(Command::Help(HELP)),
        Some(other) => Err(other.unexpected().into()),
    }
}

fn parse_bench(parser: &mut lexopt::Parser) -> Result<Command> {
    let mut chosen = None;
    while let Some(word) = parser.next()? {
        match word {
            Value(value) if chosen.is_none() => {
                let text = value.to_string_lossy();
                let found = Bench::ALL.into_iter().find(|bench| bench.name() == text);
                chosen = Some(found.ok_or_else(|| anyhow!("there is no bench `{text}`; {}", benches()))?);
            }
            Short('h') | Long("help") => return Ok(Command::Help(HELP)),
            other => return Err(other.unexpected().into()),
        }
    }
    chosen.map(Command::Bench).ok_or_else(|| anyhow!("`cargo xtask bench` takes what to measure; {}", benches()))
}

fn benches() -> String {
    format!("there is {}", Bench::ALL.map(Bench::name).join(", "))
}

const HELP: &str = "\
Usage: cargo xtask <command>

Commands:
  serve              run the chat page and its server, with what they need brought first
  test               run every check: native, as WebAssembly, in browsers, end to end
  size               build the page for release, by file and by crate; fails over app/budget.txt
  bench NAME         measure one part and print its table: card, page, server, stream
  conformance PATH   judge the stream reader with the cases under PATH
  help               this text; `cargo xtask serve --help` and `test --help` say more

Tools are kept in a cache of yours, by name and version; ASK_TOOLS_DIR names another place.
";

const SERVE_HELP: &str = "\
Usage: cargo xtask serve [--port N] [--release] [--open] [--allow-agent ORIGIN]...

Brings what is missing (the wasm32 target, trunk, wasm-bindgen), builds and starts question-server, and serves the chat
page in front of it with `trunk serve`. The page is rebuilt when its sources change; a change of the server needs a new
start. Ctrl+C ends both.

Options:
  -p, --port N              port of the page on 127.0.0.1 (8080); 0 takes any free one
      --release             build as for users: smaller and faster, but slow to build
      --open                open the page in the default browser
      --allow-agent ORIGIN  let the page talk to agents of this origin too; may be repeated
  -h, --help                this text
";

const TEST_HELP: &str = "\
Usage: cargo xtask test [--only GROUP]...

Brings what is missing (also Chromium and its driver, by apt where it may), runs the checks and prints one summary. It
ends with an error if any of them fails. What is not installed and can't be brought is skipped with a reason; with CI=true
in the environment that is a failure too.

Groups:
  native    formatting, clippy, documentation, native tests and documentation tests
  wasm      clippy for wasm32, the core crates' tests as wasm32 in Node
  browser   component tests in headless Chromium, and in Firefox where it and geckodriver can be had
  e2e       journeys against the built page and the real server in headless Chromium, and in Firefox as above

Options:
      --only GROUP  run this group only; may be repeated
  -h, --help        this text
";

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[track_caller]
    fn refused(line: &str, because: &str) {
        let problem = parsed(line).expect_err("this line must be refused").to_string();
        assert!(problem.contains(because), "{problem}");
    }

    #[test]
    fn serve_has_defaults_and_takes_options_in_any_order() {
        let serve =
            |port, release, open| Command::Serve(ServeOptions { port, release, open, allow_agents: Vec::new() });
        assert_eq!(parsed("serve").unwrap(), serve(8080, false, false));
        assert_eq!(parsed("serve --release --port 9000").unwrap(), serve(9000, true, false));
        assert_eq!(parsed("serve --port=0 --open").unwrap(), serve(0, false, true));
    }

    #[test]
    fn serve_takes_as_many_agents_as_are_given() {
        let line = "serve --allow-agent https://a.example --allow-agent=http://localhost:9000";
        let Command::Serve(options) = parsed(line).unwrap() else {
            panic!("it serves");
        };
        let agents = ["https://a.example", "http://localhost:9000"];
        assert_eq!(options.allow_agents, agents);
    }

    #[test]
    fn test_runs_everything_unless_told_otherwise_and_always_in_order() {
        assert_eq!(parsed("test").unwrap(), Command::Test(Group::ALL.to_vec()));
        let some = parsed("test --only e2e --only native").unwrap();
        assert_eq!(some, Command::Test(vec![Group::Native, Group::E2e]));
    }

    #[test]
    fn every_bench_is_known_by_its_name_and_in_the_help() {
        for bench in Bench::ALL {
            let line = format!("bench {}", bench.name());
            assert_eq!(parsed(&line).unwrap(), Command::Bench(bench));
            let listed = HELP.lines().find(|line| line.contains("bench NAME"));
            assert!(listed.unwrap().contains(bench.name()), "{line}");
        }
    }

    #[test]
    fn help_is_given_at_every_level() {
        assert_eq!(parsed("").unwrap(), Command::Help(HELP));
        assert_eq!(parsed("--help").unwrap(), Command::Help(HELP));
        assert_eq!(parsed("serve --help").unwrap(), Command::Help(SERVE_HELP));
        assert_eq!(parsed("test -h").unwrap(), Command::Help(TEST_HELP));
    }

    #[test]
    fn what_is_wrong_is_named() {
        refused("deploy", "`deploy`");
        refused("serve --port 80000", "`80000`");
        refused("serve --port", "--port");
        refused("serve --watch", "--watch");
        refused("test --only everything", "`everything`");
        refused("conformance", "path");
        refused("size more", "more");
        refused("bench", "server");
        refused("bench everything", "`everything`");
    }
}
