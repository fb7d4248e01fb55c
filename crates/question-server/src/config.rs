//! What the command line says.

use crate::guard::Origin;
use crate::limits::{MAX_CHANGES, MAX_NEW};
use crate::rate::PerMinute;
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use tracing::level_filters::LevelFilter;

/// The port where none is given.
pub const DEFAULT_PORT: u16 = 8787;

/// The pause before each delta where none is given.
pub const DEFAULT_PACE: Duration = Duration::from_millis(15);

/// What `--help` prints.
pub const HELP: &str = "\
question-server: an AG-UI server for agents that ask.

Usage: question-server [OPTIONS]

  --port PORT           Port on 127.0.0.1; 0 takes any free one (default 8787)
  --model NAME          front-desk (default), coding-desk or openai: who speaks for the agent. openai is any endpoint of that kind:
                        OPENAI_BASE_URL (default https://api.openai.com/v1), OPENAI_API_KEY and OPENAI_MODEL say which
  --pace MS             Milliseconds a desk pauses before each delta (default 15)
  --database FILE       Keep conversations in this SQLite file, which is made where it is missing;
                        the word memory (default) keeps them as long as the server runs
  --max-changes N       How often a minute a conversation may be changed from outside; 0 is without a bound (default 300)
  --max-new N           How often a minute a conversation may be begun; 0 is without a bound (default 600)
  --allow-origin URL    Let pages of this origin in, such as http://192.168.1.5:8080; may be given several times.
                        Pages of this machine (localhost, 127.0.0.1, [::1], any port) always are.
  --page DIR            Also serve the built page in DIR, from the same origin
  --log LEVEL           off, error, warn, info, debug or trace, on stderr (default info); never contains what people write
  --help                Print this
  --version             Print the version

Prints one line on stdout once it is ready: listening on http://127.0.0.1:PORT
Ends on Ctrl+C or SIGTERM.
";

/// What the command line says.
#[derive(Clone, Debug)]
pub struct Config {
    /// The port on 127.0.0.1; 0 takes any free one.
    pub port: u16,
    /// Who speaks for the agent.
    pub model: ModelName,
    /// The pause of a desk before each delta.
    pub pace: Duration,
    /// The SQLite file to keep conversations in; `None` keeps them in memory.
    pub database: Option<PathBuf>,
    /// How often a conversation may be changed from outside.
    pub max_changes: PerMinute,
    /// How often a conversation may be begun.
    pub max_new: PerMinute,
    /// Origins that are let in beside those of this machine.
    pub allow_origins: Vec<Origin>,
    /// The built page to serve.
    pub page: Option<PathBuf>,
    /// What is logged.
    pub log: LevelFilter,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            port: DEFAULT_PORT,
            model: ModelName::FrontDesk,
            pace: DEFAULT_PACE,
            database: None,
            max_changes: MAX_CHANGES,
            max_new: MAX_NEW,
            allow_origins: Vec::new(),
            page: None,
            log: LevelFilter::INFO,
        }
    }
}

/// Who speaks for the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelName {
    /// [`FrontDesk`](crate::models::front_desk::FrontDesk).
    FrontDesk,
    /// [`CodingDesk`](crate::models::coding_desk::CodingDesk).
    CodingDesk,
    /// [`OpenAi`](crate::models::openai::OpenAi), as the environment says.
    OpenAi,
}

impl FromStr for ModelName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "front-desk" => Ok(Self::FrontDesk),
            "coding-desk" => Ok(Self::CodingDesk),
            "openai" => Ok(Self::OpenAi),
            _ => Err(format!("there is no model {name}")),
        }
    }
}

/// What the command line asks for.
#[derive(Clone, Debug)]
pub enum Command {
    /// Serve.
    Serve(Config),
    /// Print the help.
    Help,
    /// Print the version.
    Version,
}

/// Reads the command line.
///
/// # Errors
/// A sentence for whoever typed it.
pub fn parse_args(args: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut args = args;
    let mut config = Config::default();
    while let Some(arg) = args.next()? {
        match arg {
            Long("port") => config.port = args.value()?.parse()?,
            Long("model") => config.model = args.value()?.parse()?,
            Long("pace") => config.pace = Duration::from_millis(args.value()?.parse()?),
            Long("database") => config.database = database(args.value()?),
            Long("max-changes") => config.max_changes = PerMinute::new(args.value()?.parse()?),
            Long("max-new") => config.max_new = PerMinute::new(args.value()?.parse()?),
            Long("allow-origin") => config.allow_origins.push(args.value()?.parse()?),
            Long("page") => config.page = Some(PathBuf::from(args.value()?)),
            Long("log") => config.log = args.value()?.parse()?,
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Serve(config))
}

fn database(value: OsString) -> Option<PathBuf> {
    (value != "memory").then(|| PathBuf::from(value))
}

#[cfg(test)]
mod tests {
    use super::{Command, parse_args};
    use std::time::Duration;

    fn parse(args: &[&str]) -> Result<Command, String> {
        parse_args(lexopt::Parser::from_args(args)).map_err(|error| error.to_string())
    }

    #[test]
    fn every_option_is_read() {
        let args = [
            "--port",
            "0",
            "--pace=0",
            "--allow-origin",
            "http://192.168.1.5:8080",
            "--database",
            "a/b.sqlite",
            "--page",
            "dist",
            "--log",
            "off",
        ];
        let Ok(Command::Serve(config)) = parse(&args) else {
            panic!("these are fine: {args:?}");
        };
        assert_eq!((config.port, config.pace), (0, Duration::ZERO));
        assert_eq!(
            config.database.as_deref(),
            Some(std::path::Path::new("a/b.sqlite"))
        );
        assert_eq!(config.allow_origins.len(), 1);
        assert_eq!(config.page.as_deref(), Some(std::path::Path::new("dist")));
    }

    #[test]
    fn help_and_version_win_over_the_rest() {
        assert!(matches!(
            parse(&["--port", "1", "--help"]),
            Ok(Command::Help)
        ));
        assert!(matches!(parse(&["-V"]), Ok(Command::Version)));
    }

    #[test]
    fn mistakes_are_named() {
        for (args, named) in [
            (["--port", "70000"], "70000"),
            (["--allow-origin", "not an origin"], "not an origin"),
            (["--what", "1"], "--what"),
            (["--log", "loud"], "loud"),
            (["--model", "gpt"], "gpt"),
            (["--max-new", "-1"], "-1"),
        ] {
            let error = parse(&args).expect_err("it is a mistake");
            assert!(error.contains(named), "{error}");
        }
    }
}
