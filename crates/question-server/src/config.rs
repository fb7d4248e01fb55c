//! What the command line and the environment say.

mod settings;

use crate::access::Token;
use crate::guard::{Host, Origin};
use crate::limits::{Bounds, DRAIN_GRACE, MODEL_CALLS, Patience};
use axum::http::HeaderName;
use lexopt::prelude::*;
use settings::Setting;
pub use settings::help;
use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use tracing::level_filters::LevelFilter;

/// The port where none is given.
pub const DEFAULT_PORT: u16 = 8787;

/// The pause before each delta where none is given.
pub const DEFAULT_PACE: Duration = Duration::from_millis(15);

/// What the command line and the environment say.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on.
    pub bind: IpAddr,
    /// The port there; 0 takes any free one.
    pub port: u16,
    /// One of which clients have to bring, where it is not for everybody who reaches the port.
    pub tokens: Vec<Token>,
    /// The header in which a proxy says where a request comes from.
    pub peer_header: Option<HeaderName>,
    /// Names under which the server answers beside those of this machine and of the address it listens on.
    pub allow_hosts: Vec<Host>,
    /// Who speaks for the agent.
    pub model: ModelName,
    /// The pause of a desk before each delta.
    pub pace: Duration,
    /// Where to keep conversations; `None` keeps them in memory.
    pub database: Option<Database>,
    /// How long an ask waits for its reply; `None` where it waits for as long as it takes.
    pub expire_after: Option<Duration>,
    /// How long conversations are kept that have ended; `None` where they stay.
    pub keep: Option<Duration>,
    /// What the server bounds.
    pub bounds: Bounds,
    /// How long it waits for clients that do not come on.
    pub patience: Patience,
    /// How long it says that it is about to stop before it begins no more runs.
    pub drain_notice: Duration,
    /// How long runs may go on then.
    pub drain_grace: Duration,
    /// Whether a client may have the agent ask nobody (`bypassPermissions`).
    pub allow_bypass: bool,
    /// Origins that are let in beside those of this machine.
    pub allow_origins: Vec<Origin>,
    /// The address of an agent that requests are passed on to.
    pub agent: Option<String>,
    /// Origins whose agents the page may talk to beside this server.
    pub allow_agents: Vec<Origin>,
    /// The folder with the built page to serve.
    pub page: Option<PathBuf>,
    /// What is logged.
    pub log: LevelFilter,
    /// How the log is written.
    pub log_format: LogFormat,
    /// Whether what people and models write is logged as well.
    pub log_contents: bool,
    /// How many ask the model behind an endpoint at once, or the agent that requests are passed on to.
    pub model_calls: NonZeroUsize,
    /// What the page calls the agent, where it is not called as [its kind](ModelName::name) is.
    pub name: Option<String>,
    /// The file with what the model behind an endpoint is told that it is.
    pub system_prompt: Option<PathBuf>,
    /// The temperature of the model behind an endpoint, where it is not the endpoint's own.
    pub temperature: Option<f64>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: DEFAULT_PORT,
            tokens: Vec::new(),
            peer_header: None,
            allow_hosts: Vec::new(),
            model: ModelName::FrontDesk,
            pace: DEFAULT_PACE,
            database: None,
            expire_after: None,
            keep: None,
            bounds: Bounds::default(),
            patience: Patience::default(),
            drain_notice: Duration::ZERO,
            drain_grace: DRAIN_GRACE,
            allow_bypass: false,
            allow_origins: Vec::new(),
            agent: None,
            allow_agents: Vec::new(),
            page: None,
            log: LevelFilter::INFO,
            log_format: LogFormat::Text,
            log_contents: false,
            model_calls: MODEL_CALLS,
            name: None,
            system_prompt: None,
            temperature: None,
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

impl ModelName {
    /// What the page calls such an agent; `None` for the front desk, which the page calls so in its user's language.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::FrontDesk => None,
            Self::CodingDesk => Some("Coding desk"),
            Self::OpenAi => Some("Assistant"),
        }
    }
}

impl FromStr for ModelName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "front-desk" => Ok(Self::FrontDesk),
            "coding-desk" => Ok(Self::CodingDesk),
            "openai" => Ok(Self::OpenAi),
            _ => Err("there is none; front-desk, coding-desk and openai are".to_owned()),
        }
    }
}

/// Where conversations are kept that outlive the server.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    /// The SQLite file of one server.
    File(PathBuf),
    /// The address of a Postgres that several may share.
    Postgres(String),
}

/// An address may have a password in it.
impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Postgres(_) => f.debug_tuple("Postgres").finish_non_exhaustive(),
        }
    }
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// An object in each line.
    Json,
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("it is text or json".to_owned()),
        }
    }
}

/// What the command line asks for.
#[derive(Clone, Debug)]
pub enum Command {
    /// Serve.
    Serve(Box<Config>),
    /// Copy an SQLite file, which a server may be working with.
    Backup {
        /// The file.
        database: PathBuf,
        /// The copy.
        to: PathBuf,
    },
    /// Print the help.
    Help,
    /// Print the version.
    Version,
}

/// Reads the environment, where it speaks of this program, and then the command line, which has the last word.
///
/// # Errors
/// A sentence for whoever wrote it.
pub fn read(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    args: lexopt::Parser,
) -> Result<Command, String> {
    let mut config = Config::default();
    for (name, value) in environment {
        let Some(name) = name.to_str().filter(|name| name.starts_with(settings::PREFIX)) else {
            continue;
        };
        let setting = Setting::of_variable(name).ok_or_else(|| format!("{name}: there is no such setting"))?;
        if !value.is_empty() {
            (setting.apply)(&mut config, &value).map_err(|why| format!("{name}: {why}"))?;
        }
    }
    read_args(config, args)
}

fn read_args(mut config: Config, mut args: lexopt::Parser) -> Result<Command, String> {
    let text = |error: lexopt::Error| error.to_string();
    let mut backup = None;
    while let Some(arg) = args.next().map_err(text)? {
        let setting = match arg {
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Long(name) => Setting::named(name),
            Value(command) if command == "backup" && backup.is_none() => {
                let to = args.next().map_err(text)?;
                let Some(Value(to)) = to else {
                    return Err("backup FILE: which file the copy goes into is missing".to_owned());
                };
                backup = Some(PathBuf::from(to));
                continue;
            }
            Short(_) | Value(_) => None,
        };
        let Some(setting) = setting else {
            return Err(arg.unexpected().to_string());
        };
        let value = args.value().map_err(text)?;
        (setting.apply)(&mut config, &value).map_err(|why| format!("--{}: {why}", setting.name))?;
    }
    if let Some(to) = backup {
        let database = match config.database {
            Some(Database::File(database)) => database,
            Some(Database::Postgres(_)) => return Err("backup: pg_dump is what copies a Postgres".to_owned()),
            None => {
                return Err("backup: which database is to be copied is missing; --database says it".to_owned());
            }
        };
        return Ok(Command::Backup { database, to });
    }
    check(&config)?;
    Ok(Command::Serve(Box::new(config)))
}

fn check(config: &Config) -> Result<(), String> {
    if !config.bind.is_loopback() && config.tokens.is_empty() {
        return Err(format!(
            "--bind {} lets other machines in, which then need a token: set QUESTION_SERVER_TOKEN or --token-file, or leave the address at 127.0.0.1",
            config.bind
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Command, Config, Database, read, settings};
    use crate::rate::PerMinute;
    use std::path::Path;
    use std::time::Duration;

    fn read_with(variables: &[(&str, &str)], args: &[&str]) -> Result<Command, String> {
        let variables = variables.iter();
        let environment = variables.map(|(name, value)| (name.into(), value.into()));
        read(environment, lexopt::Parser::from_args(args))
    }

    fn config(variables: &[(&str, &str)], args: &[&str]) -> Config {
        match read_with(variables, args) {
            Ok(Command::Serve(config)) => *config,
            other => panic!("{args:?} is fine: {other:?}"),
        }
    }

    #[test]
    fn every_option_is_read() {
        let args = [
            "--port",
            "0",
            "--pace=0",
            "--allow-origin",
            "http://192.168.1.5:8080",
            "--allow-agent=https://agent.example",
            "--allow-agent",
            "https://other.example:8443",
            "--database",
            "a/b.sqlite",
            "--page",
            "dist",
            "--log",
            "off",
        ];
        let config = config(&[], &args);
        assert_eq!((config.port, config.pace), (0, Duration::ZERO));
        assert_eq!(config.database, Some(Database::File("a/b.sqlite".into())));
        assert_eq!(config.allow_origins.len(), 1);
        assert_eq!(config.allow_agents.len(), 2);
        assert_eq!(config.page.as_deref(), Some(Path::new("dist")));
    }

    #[test]
    fn the_environment_says_the_same_and_the_command_line_has_the_last_word() {
        let variables = [
            ("QUESTION_SERVER_PORT", "1"),
            ("QUESTION_SERVER_PACE", "2"),
            ("QUESTION_SERVER_PAGE", ""),
            ("QUESTION_SERVER_ALLOW_AGENT", "https://one.example https://two.example"),
        ];
        let args = ["--port", "3", "--allow-agent", "https://three.example"];
        let config = config(&variables, &args);
        assert_eq!((config.port, config.pace), (3, Duration::from_millis(2)));
        let agents: Vec<String> = config.allow_agents.iter().map(ToString::to_string).collect();
        assert_eq!(agents, ["https://one.example", "https://two.example", "https://three.example"]);
        assert_eq!(config.page, None, "empty is not set");
    }

    #[test]
    fn times_have_units() {
        for (text, seconds) in
            [("90s", Some(90)), ("30m", Some(1800)), ("2h", Some(7200)), ("7d", Some(604_800)), ("never", None)]
        {
            let config = config(&[], &["--expire-after", text]);
            assert_eq!(config.expire_after, seconds.map(Duration::from_secs), "{text}");
        }
    }

    #[test]
    fn every_bound_can_be_set() {
        let args = [
            "--max-body=1",
            "--max-message=2",
            "--max-messages=3",
            "--max-history=7",
            "--max-conversations=4",
            "--max-changes=5",
            "--max-new=6",
            "--max-owned=8",
            "--max-requests=9",
        ];
        let bounds = Bounds {
            body: 1,
            message: 2,
            messages: 3,
            history: 7,
            conversations: 4,
            changes: PerMinute::new(5),
            new: PerMinute::new(6),
            owned: 8,
            requests: PerMinute::new(9),
        };
        assert_eq!(config(&[], &args).bounds, bounds);
    }

    #[test]
    fn help_and_version_win_over_the_rest() {
        assert!(matches!(read_with(&[], &["--port", "1", "--help"]), Ok(Command::Help)));
        assert!(matches!(read_with(&[], &["-V"]), Ok(Command::Version)));
    }

    #[test]
    fn mistakes_are_named() {
        for (args, named) in [
            (["--port", "70000"], "--port"),
            (["--port", "70000"], "70000 is no whole number"),
            (["--allow-origin", "not an origin"], "not"),
            (["--allow-agent", "https://*.example"], "https://*.example"),
            (["--allow-agent", "https://a.example/path"], "without a path"),
            (["--allow-agent", "http://[::1]:8080"], "IPv6"),
            (["--what", "1"], "--what"),
            (["--log", "loud"], "loud"),
            (["--log-format", "xml"], "xml"),
            (["--model", "gpt"], "gpt"),
            (["--model", "gpt"], "front-desk"),
            (["--log-contents", "maybe"], "maybe"),
            (["--expire-after", "soon"], "soon"),
            (["--expire-after", "0s"], "0s"),
            (["--max-body", "-1"], "-1"),
            (["--max-body", "0"], "--max-body"),
            (["--max-message", "0"], "from 1 on"),
            (["--max-messages", "0"], "from 1 on"),
            (["--max-history", "0"], "from 1 on"),
            (["--max-conversations", "0"], "from 1 on"),
            (["--allow-bypass", "maybe"], "maybe"),
            (["--max-new", "-1"], "-1"),
            (["--max-model-calls", "0"], "from 1 on"),
            (["--max-model-calls", "many"], "whole number"),
            (["--temperature", "hot"], "from 0 to 2"),
            (["--temperature", "NaN"], "from 0 to 2"),
        ] {
            let error = read_with(&[], &args).expect_err("it is a mistake");
            assert!(error.contains(named), "{error}");
        }
        let error = read_with(&[("QUESTION_SERVER_PACE", "fast")], &[]).expect_err("it is one");
        assert!(error.contains("QUESTION_SERVER_PACE") && error.contains("fast"));
        let error = read_with(&[("QUESTION_SERVER_PROT", "s3cret")], &[]).expect_err("it is one");
        assert!(error.contains("QUESTION_SERVER_PROT") && !error.contains("s3cret"), "{error}");
        config(&[("QUESTION_SERVERS", "7"), ("PATH", "/bin")], &[]);
    }

    #[test]
    fn other_machines_are_let_in_with_a_token_only() {
        for address in ["0.0.0.0", "192.168.1.5", "::"] {
            let args = ["--bind", address];
            let error = read_with(&[], &args).expect_err("anybody could come in");
            assert!(error.contains("token") && error.contains(address), "{error}");
            let token = [("QUESTION_SERVER_TOKEN", "0123456789abcdef")];
            let config = config(&token, &args);
            assert!(!config.tokens.is_empty() && !format!("{config:?}").contains("0123456789"));
        }
        for address in ["127.0.0.1", "127.0.0.2", "::1"] {
            assert!(config(&[], &["--bind", address]).bind.is_loopback());
        }
        let weak = read_with(&[], &["--token", "secret"]).expect_err("it can be guessed");
        assert!(weak.contains("16") && !weak.contains("secret"), "{weak}");
    }

    #[test]
    fn every_setting_is_in_the_help_and_in_the_readme() {
        let (help, readme) = (settings::help(), include_str!("../README.md"));
        for setting in settings::ALL {
            let flag = format!("--{} {}", setting.name, setting.value);
            assert!(help.contains(&flag), "{flag}");
            let row = format!("| `{flag}` |");
            assert!(readme.contains(&row), "the README lacks {row}");
        }
        assert!(help.lines().all(|line| line.len() <= 120), "{help}");
    }
}
