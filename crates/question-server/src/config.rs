//! The settings: command line, environment and file.
#![allow(clippy::doc_markdown, rustdoc::bare_urls, reason = "`--help` prints these words, without Markdown")]

pub mod limits;
mod sources;
mod values;

pub use self::sources::read;
pub use self::values::{Database, LogFormat, ModelName, Remote, list_of_models};
use crate::auth::access::{AccessToken, TokenError};
use crate::auth::guard::{Origin, OriginError};
use crate::auth::rate::PerMinute;
use crate::config::limits::{Bounds, MODEL_CALLS, Timeouts};
use crate::engine::callbacks::CallbackKey;
use crate::engine::models::Model;
use crate::engine::waiting_asks::NotifyUrl;
use crate::engine::web_push::contact::WebPushContact;
use ask_user_question::Limits;
use ask_user_question::attachment::FileLimits;
use ask_user_question::limits::ExtraMember;
use axum::http::HeaderName;
use clap::{ArgAction, Args, CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;
use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use ipnet::IpNet;
use question_agent::branch::ChangedAnswer;
use std::fmt;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;
use thiserror::Error;
use tracing::level_filters::LevelFilter;

/// The default port.
pub const DEFAULT_PORT: u16 = 8787;

const FILE: &str = "A file";
const LISTENING: &str = "Listening";
const AGENT: &str = "The agent";
const STORAGE: &str = "Conversations";
const PAGE: &str = "The page";
const ACCESS: &str = "Access";
const MCP: &str = "MCP";
const LOG: &str = "Log";

/// A duration; `None` is forever.
pub type Wait = Option<Duration>;

/// The bounds of the files in answers; `None` takes none.
pub type Attachments = Option<FileLimits>;

/// The settings of a server.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// The port to listen on; 0 takes any free one.
    #[arg(long, value_name = "PORT", default_value_t = DEFAULT_PORT, help_heading = LISTENING)]
    pub port: u16,
    /// The address to listen on. An address that other machines can reach needs a token.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), help_heading = LISTENING)]
    pub bind: IpAddr,
    /// An origin at which people reach the server, such as https://chat.example. Its host is allowed, and the first is in the addresses of
    /// questions; by default a program gets the one that it called. May be given several times.
    #[arg(long = "public-origin", value_name = "ORIGIN", value_delimiter = ' ', help_heading = LISTENING)]
    pub public_origins: Vec<Origin>,
    /// The header in which the proxy in front names the client's address, such as X-Real-IP or X-Forwarded-For. In a list, the last address
    /// counts. Without this option, limits are for each connecting address, and none for this machine.
    #[arg(long, value_name = "NAME", help_heading = LISTENING)]
    pub peer_header: Option<HeaderName>,
    /// The address or network of the proxy in front, such as 10.0.0.0/8, which alone may send --peer-header and --owner-header; from others they
    /// are refused. By default it is this machine. May be given several times.
    #[arg(long = "trusted-proxy", value_name = "ADDRESS", value_parser = network, value_delimiter = ' ', default_value = "127.0.0.0/8 ::1", help_heading = LISTENING)]
    pub trusted_proxies: Vec<IpNet>,

    /// The header in which the proxy in front names the user, such as X-Forwarded-User. Conversations are then that user's. The proxy has to
    /// overwrite what a client wrote there.
    #[arg(long, value_name = "NAME", help_heading = ACCESS)]
    pub owner_header: Option<HeaderName>,
    /// The secret that gives clients access. People open /?token=TOKEN once, programs send Authorization: Bearer TOKEN. Set it in the
    /// environment, where other users cannot see it.
    #[arg(long = "token", value_name = "TOKEN", help_heading = ACCESS)]
    pub tokens: Vec<AccessToken>,
    /// A file with NAME TOKEN on each line; each token gives access. A conversation belongs to the token's name. A name may have several
    /// tokens.
    #[arg(long, value_name = "FILE", help_heading = ACCESS)]
    pub token_file: Option<PathBuf>,
    /// A further origin whose pages may use the server, such as https://app.example. May be given several times.
    #[arg(long = "allow-origin", value_name = "ORIGIN", value_delimiter = ' ', help_heading = ACCESS)]
    pub allow_origins: Vec<Origin>,
    /// An origin whose URLs may be called with the outcomes of programs' asks, such as https://jobs.example. May be given several times.
    #[arg(long = "allow-callback", value_name = "ORIGIN", value_delimiter = ' ', help_heading = ACCESS)]
    pub allow_callbacks: Vec<Origin>,
    /// The URL that is called with each question that begins to wait, but those of clients of MCP: that of a bot, which passes them on. It needs
    /// --callback-key and --public-origin. Set it in the environment, where other users cannot see it.
    #[arg(long, value_name = "URL", help_heading = ACCESS)]
    pub notify_url: Option<NotifyUrl>,
    /// Lets people's browsers be told of questions while the page is closed (web push), and names whom the browsers' push services can write to,
    /// such as mailto:admin@chat.example.
    #[arg(long, value_name = "CONTACT", help_heading = ACCESS)]
    pub web_push: Option<WebPushContact>,
    /// The origins of push services beside those of Chrome, Edge, Firefox and Safari.
    #[arg(skip)]
    pub push_services: Vec<Origin>,
    /// The key that signs the calls of --allow-callback and --notify-url, as in Standard Webhooks. Set it in the environment, where other users cannot
    /// see it.
    #[arg(long, value_name = "KEY", help_heading = ACCESS)]
    pub callback_key: Option<CallbackKey>,
    /// Allows clients to set the permission mode `bypassPermissions`, in which no user is asked.
    #[arg(skip)]
    pub allow_bypass: bool,

    /// The model of the agent: front-desk, coding-desk, a script of your own as script:FILE, or a vendor of `models`. A vendor may have the model's
    /// name behind a colon, such as mistral:mistral-large-latest.
    #[arg(long, value_name = "NAME", value_parser = ModelName::from_str, default_value = "front-desk", help_heading = AGENT)]
    pub model: ModelName,
    /// The agent's name in the page. By default it is the model's.
    #[arg(long, value_name = "TEXT", help_heading = AGENT)]
    pub name: Option<String>,
    /// The file with the system prompt for the model of a vendor. The guidance on asking is added to it.
    #[arg(long, value_name = "FILE", help_heading = AGENT)]
    pub system_prompt: Option<PathBuf>,
    /// The files that people may attach to their answers and messages, of 5 MiB each: none, pictures, or files, which are pictures, PDF, text and JSON.
    #[arg(long, value_name = "KIND", value_parser = attachments, default_value = "none", global = true, help_heading = AGENT)]
    pub attachments: Attachments,
    /// A further member that the agent's questions may have: input (numbers, dates, rankings and more), showIf, blocking (a question that does not
    /// stop the run), image, preview, value, why or askedBy. May be given several times. A script says so itself.
    #[arg(long = "offer", value_name = "MEMBER", value_parser = offered, value_delimiter = ' ', global = true, help_heading = AGENT)]
    pub offers: Vec<ExtraMember>,
    /// What a changed answer does: continue, so that it is one more message for the agent, or branch, so that the agent begins anew from it and knows
    /// no more of what came after the first answer.
    #[arg(long, value_name = "HOW", value_parser = changed_answer, default_value = "continue", help_heading = AGENT)]
    pub changed_answer: ChangedAnswer,
    /// The pause of a script before each piece that it streams, in milliseconds.
    #[arg(long, value_name = "MS", value_parser = milliseconds, default_value = "15", hide = true, help_heading = AGENT)]
    pub pace: Duration,
    /// The URL of another AG-UI agent, such as http://127.0.0.1:8000/. Requests to /agent/other are forwarded to it, and the page uses
    /// it. It may have a header behind it, such as "https://agent.example/ Authorization: Bearer KEY". Set that in the environment, where other
    /// users cannot see it.
    #[arg(long, value_name = "URL", value_parser = other_agent, help_heading = AGENT)]
    pub agent: Option<Remote>,
    /// An MCP server whose tools the agent has: the command that starts it, or its URL, which may have a header behind it as well. May be given
    /// several times; in the environment, one in each line.
    #[arg(long = "mcp-server", value_name = "SERVER", value_delimiter = '\n', help_heading = AGENT)]
    pub mcp_servers: Vec<Remote>,
    /// The most concurrent requests to a vendor's model, or to --agent. Further ones fail as busy.
    #[arg(skip = MODEL_CALLS)]
    pub model_calls: NonZeroUsize,

    /// The store of conversations.
    #[arg(skip)]
    pub database: Database,
    /// The time that a question waits for its answer, such as 90s, 30m, 2h or 7d. Then the agent continues without one.
    #[arg(long, value_name = "TIME", value_parser = wait, default_value = "never", help_heading = STORAGE)]
    pub expire_after: Wait,
    /// The time after which ended conversations are deleted, such as 30d. A conversation with a waiting question has not ended.
    #[arg(long, value_name = "TIME", value_parser = wait, default_value = "forever", help_heading = STORAGE)]
    pub keep: Wait,

    /// The folder of a built page, to serve in place of the one within the program, with the card for clients of MCP. It is read once, at the start.
    #[arg(long, value_name = "DIR", global = true, help_heading = PAGE)]
    pub page: Option<PathBuf>,
    /// Opens the page in the user's browser once the server is ready: yes or no. --open alone means yes.
    #[arg(long, value_name = "ANSWER", value_parser = yes_or_no, default_value = "no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", action = ArgAction::Set, help_heading = PAGE)]
    pub open: bool,
    /// An origin whose agents the page may use, such as https://agent.example. May be given several times.
    #[arg(long = "allow-agent", value_name = "ORIGIN", value_parser = agents_origin, value_delimiter = ' ', help_heading = PAGE)]
    pub allow_agents: Vec<Origin>,

    /// Serves clients of MCP at /mcp: yes or no. --mcp alone means yes.
    #[arg(long, value_name = "ANSWER", value_parser = yes_or_no, default_value = "no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", action = ArgAction::Set, help_heading = MCP)]
    pub mcp: bool,
    /// The time that a call of an MCP client waits, if the client takes no notifications of progress.
    #[cfg(feature = "mcp")]
    #[arg(skip = question_mcp::DEFAULT_WAIT)]
    pub wait: Duration,

    /// The limits.
    #[arg(skip)]
    pub bounds: Bounds,
    /// The timeouts for slow clients.
    #[arg(skip)]
    pub timeouts: Timeouts,

    /// The level of the log on stderr: off, error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value_t = LevelFilter::INFO, global = true, help_heading = LOG)]
    pub log: LevelFilter,
    /// The format of the log.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text", help_heading = LOG)]
    pub log_format: LogFormat,
}

impl Config {
    /// The limits of a model's questions and of their answers.
    pub(crate) fn limits(&self, model: &dyn Model) -> Limits {
        let limits = self.offering(model.limits());
        self.attachments.map_or(limits.clone(), |files| limits.with_attachments(files))
    }

    /// These limits with the members that [`Config::offers`] names.
    pub(crate) fn offering(&self, limits: Limits) -> Limits {
        self.offers.iter().fold(limits, |limits, member| limits.with(*member))
    }
}

/// All settings at their defaults.
impl Default for Config {
    fn default() -> Self {
        Cli::parse_from([PROGRAM]).config
    }
}

/// An error in the settings. It never shows the value of a secret setting.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SettingError {
    /// No option has this name.
    #[error("there is no such setting")]
    Unknown,
    /// A value is malformed, or settings don't fit together, with advice.
    #[error("{0}")]
    Invalid(&'static str),
    /// A value is refused, in the words of the command line's parser or with advice.
    #[error("{0}")]
    Refused(String),
    /// Other machines reach the address, and no token is set.
    #[error(
        "--bind {0} is open to other machines, which then need a token: set QUESTION_SERVER_TOKEN or --token-file, or \
         keep the address 127.0.0.1"
    )]
    Open(IpAddr),
    /// An origin is malformed.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The tokens are malformed, or the file has none.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The file of settings is malformed. The parser's own message would quote the line, which may have a secret.
    #[error("line {line}: {why}")]
    Toml {
        /// The number of the line, from 1.
        line: usize,
        /// The reason, in the parser's words.
        why: String,
    },
    /// A file can't be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An error with the file or the setting that it concerns.
    #[error("{name}")]
    In {
        /// The file or the setting.
        name: String,
        /// The reason.
        source: Box<Self>,
    },
}

impl SettingError {
    fn of(self, name: impl fmt::Display) -> Self {
        Self::In { name: name.to_string(), source: Box::new(self) }
    }
}

const PROGRAM: &str = "question-server";

/// An AG-UI server for agents that ask their user.
#[derive(Parser)]
#[command(name = PROGRAM, version, args_override_self = true, max_term_width = 110, disable_help_subcommand = true, after_help = AFTER)]
struct Cli {
    #[command(flatten)]
    config: Config,
    /// The store of conversations: the SQLite file of one server, a Postgres (postgres://user@host/name) that several share, or memory. By
    /// default it is a file in the user's folder for data, and memory for mcp.
    #[arg(long, value_name = "WHERE", global = true, help_heading = STORAGE)]
    database: Option<Database>,
    /// Limits how often a client sends requests, changes and new conversations: yes or no. A gateway in front may do it instead.
    #[arg(long, value_name = "ANSWER", value_parser = yes_or_no, default_value = "yes", action = ArgAction::Set, help_heading = ACCESS)]
    limit_rates: bool,
    /// A file in TOML with options by their names: port = 8080, public-origin = ["https://chat.example"]. The environment and the command line win.
    #[arg(long = "config", value_name = "FILE", global = true, help_heading = FILE)]
    file: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The work that the command line asks for, if it is not to serve.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Serves the MCP client that starts it, on stdin and stdout. With --database FILE, a question outlives the client.
    Mcp {
        /// Opens no browser for a client that cannot show a question. The result has the page's address instead.
        #[arg(long)]
        no_open: bool,
    },
    /// Copies the SQLite file of --database into a new FILE, even while a server uses it.
    Backup {
        /// The copy.
        file: PathBuf,
    },
    /// Asks a server if it is ready, as the health check of a container without a shell: ends with 0 if it is. By default, it is the one of the same
    /// settings.
    Probe {
        /// The address of another one, such as 127.0.0.1:8787.
        address: Option<SocketAddr>,
    },
    /// Prints the vendors of models: their names, default models and variables.
    Models,
    /// Prints what completes this program's options in a shell, for a file that the shell reads at its start.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

const AFTER: &str = "\
Each option can be set in the environment as well: QUESTION_SERVER_PORT for --port, QUESTION_SERVER_ALLOW_AGENT for --allow-agent and so on. \
Several values of one option have spaces between them. The command line wins.

Once ready it prints its address, as http://ADDRESS:PORT behind \"listening on\", and where conversations are kept.
Ctrl+C, SIGTERM or SIGHUP ends it. With --token-file, SIGHUP reads that file again instead.";

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

impl Cli {
    /// Checks the settings that depend on each other.
    fn check(self) -> Result<(Config, Option<Command>), SettingError> {
        let Self { mut config, database, limit_rates, command, file: _ } = self;
        config.database = match (database, &command) {
            (Some(database), _) => database,
            (None, Some(Command::Backup { .. }) | None) => Database::File(users_file()?),
            (None, Some(_)) => Database::Memory,
        };
        if !limit_rates {
            let any = PerMinute::new(0);
            config.bounds = Bounds { requests: any, changes: any, new: any, ..config.bounds };
        }
        // The remaining checks are of settings that only a server uses.
        if command.is_some() {
            return Ok((config, command));
        }
        if config.callback_key.is_none() && !config.allow_callbacks.is_empty() {
            return Err(SettingError::Invalid("--allow-callback needs a key: set QUESTION_SERVER_CALLBACK_KEY"));
        }
        if config.notify_url.is_some() && (config.callback_key.is_none() || config.public_origins.is_empty()) {
            let why =
                "--notify-url needs a key and the page's address: set QUESTION_SERVER_CALLBACK_KEY and --public-origin";
            return Err(SettingError::Invalid(why));
        }
        config.tokens.extend(config.read_tokens()?);
        if !config.bind.is_loopback() && config.tokens.is_empty() {
            return Err(SettingError::Open(config.bind));
        }
        Ok((config, None))
    }
}

/// The address at which this machine reaches a server bound to `bound`: loopback if the server listens on all addresses.
#[must_use]
pub(crate) fn reachable(bound: IpAddr) -> IpAddr {
    match bound {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        bound => bound,
    }
}

/// The file of conversations in the user's folder for data, such as `~/.local/share/question-server/conversations.sqlite`.
fn users_file() -> Result<PathBuf, SettingError> {
    let why = "this user has no home folder; name a file by --database, or keep nothing by --database memory";
    let places = choose_native_strategy().map_err(|_| SettingError::Invalid(why))?;
    Ok(places.data_dir().join(PROGRAM).join("conversations.sqlite"))
}

impl Config {
    /// Reads the tokens of the file of `--token-file`.
    ///
    /// # Errors
    /// The file can't be read, or has a malformed line.
    pub fn read_tokens(&self) -> Result<Vec<AccessToken>, SettingError> {
        let Some(file) = &self.token_file else {
            return Ok(Vec::new());
        };
        let text = fs::read_to_string(file).map_err(SettingError::from);
        let tokens = text.and_then(|text| Ok(AccessToken::read_all(&text)?));
        tokens.map_err(|why| why.of(format!("--token-file {}", file.display())))
    }
}

/// Parses a whole number with its unit, or a word for never.
fn wait(text: &str) -> Result<Wait, SettingError> {
    if ["never", "forever"].contains(&text) {
        return Ok(None);
    }
    let seconds = [("s", 1), ("m", 60), ("h", 3600), ("d", 24 * 3600)].iter().find_map(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(u64::from(number) * seconds).filter(|seconds| *seconds > 0)
    });
    let why = "a time is longer than zero and looks like 90s, 30m, 2h or 7d";
    seconds.map(|seconds| Some(Duration::from_secs(seconds))).ok_or(SettingError::Invalid(why))
}

fn attachments(text: &str) -> Result<Attachments, SettingError> {
    if text == "none" {
        return Ok(None);
    }
    let named = FileLimits::BY_NAME.into_iter().find(|(name, _)| *name == text);
    named.map(|(_, files)| Some(files)).ok_or(SettingError::Invalid("must be none, pictures or files"))
}

/// Parses the URL of an agent. Errors do not repeat a malformed value, since it may contain a key.
fn other_agent(text: &str) -> Result<Remote, SettingError> {
    let agent: Remote = text.parse()?;
    let why = "is a URL, which may have a header behind it, as NAME:VALUE";
    Some(agent).filter(|agent| !agent.address.contains(char::is_whitespace)).ok_or(SettingError::Invalid(why))
}

fn offered(text: &str) -> Result<ExtraMember, SettingError> {
    let known = "must be input, showIf, blocking, image, preview, value, why or askedBy";
    ExtraMember::by_name(text).ok_or(SettingError::Invalid(known))
}

fn changed_answer(text: &str) -> Result<ChangedAnswer, SettingError> {
    ChangedAnswer::from_word(text).ok_or(SettingError::Invalid("must be continue or branch"))
}

fn milliseconds(text: &str) -> Result<Duration, SettingError> {
    text.parse().map(Duration::from_millis).map_err(|_| SettingError::Invalid("must be a non-negative integer"))
}

/// Parses yes or no. A file may have true or false instead.
fn yes_or_no(text: &str) -> Result<bool, SettingError> {
    match text {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(SettingError::Invalid("must be yes or no")),
    }
}

/// Parses a network, or an address alone.
fn network(text: &str) -> Result<IpNet, SettingError> {
    let alone = text.parse().map(|address: IpAddr| IpNet::from(address.to_canonical()));
    let why = "an address or a network looks like 10.1.2.3 or 10.0.0.0/8";
    alone.or_else(|_| text.parse()).map_err(|_| SettingError::Invalid(why))
}

fn agents_origin(text: &str) -> Result<Origin, SettingError> {
    let origin: Origin = text.parse()?;
    let why = "a Content-Security-Policy cannot name an IPv6 address; give the host a name";
    if origin.host().starts_with('[') { Err(SettingError::Invalid(why)) } else { Ok(origin) }
}
