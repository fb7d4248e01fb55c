//! The settings: command line, environment and file.
#![allow(clippy::doc_markdown, rustdoc::bare_urls, reason = "`--help` prints these words, without Markdown")]

use crate::auth::access::{AccessToken, TokenError};
use crate::auth::guard::{Host, Origin, OriginError};
use crate::auth::secret::hide_in_debug;
use crate::callbacks::CallbackKey;
use crate::error::WithCauses;
use crate::hex::random_hex;
use crate::limits::{Bounds, MODEL_CALLS, Timeouts};
use crate::models::Model;
use crate::waiting_asks::NotifyUrl;
use crate::web_push::contact::WebPushContact;
use ask_user_question::Limits;
use ask_user_question::attachment::FileLimits;
use ask_user_question::limits::ExtraMember;
use axum::http::{HeaderName, HeaderValue};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use ipnet::IpNet;
use question_agent::branch::ChangedAnswer;
use question_models::{Vendor, vendors};
use sha2::{Digest as _, Sha256};
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;
use tracing::level_filters::LevelFilter;

/// The default port.
pub const DEFAULT_PORT: u16 = 8787;

/// The prefix of environment variables that set options.
const PREFIX: &str = "QUESTION_SERVER_";

const FILE: &str = "A file";
const LISTENING: &str = "Listening";
const AGENT: &str = "The agent";
const STORAGE: &str = "Conversations";
const PAGE: &str = "The page";
const ACCESS: &str = "Access";
const MCP: &str = "MCP";
const STOPPING: &str = "Stopping";
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
    /// A further host name of the server, such as chat.example. May be given several times.
    #[arg(long = "allow-host", value_name = "NAME", value_delimiter = ' ', help_heading = LISTENING)]
    pub allow_hosts: Vec<Host>,
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
    /// The access tokens. Without any, every client that reaches the port has access.
    #[arg(skip)]
    pub tokens: Vec<AccessToken>,
    /// The file with further tokens, which may change while the server runs.
    #[arg(skip)]
    pub token_file: Option<PathBuf>,
    /// A further origin whose pages may use the server, such as https://app.example. May be given several times.
    #[arg(long = "allow-origin", value_name = "ORIGIN", value_delimiter = ' ', help_heading = ACCESS)]
    pub allow_origins: Vec<Origin>,
    /// An origin whose URLs may be called with the outcomes of programs' asks, such as https://jobs.example. May be given several times.
    #[arg(long = "allow-callback", value_name = "ORIGIN", value_delimiter = ' ', help_heading = ACCESS)]
    pub allow_callbacks: Vec<Origin>,
    /// The URL that is called with each question that begins to wait.
    #[arg(skip)]
    pub notify_url: Option<NotifyUrl>,
    /// Lets people's browsers be told of questions while the page is closed (web push), and names whom the browsers' push services can write to,
    /// such as mailto:admin@chat.example.
    #[arg(long, value_name = "CONTACT", help_heading = ACCESS)]
    pub web_push: Option<WebPushContact>,
    /// The origin of a push service beside those of Chrome, Edge, Firefox and Safari, such as https://push.example. May be given several times.
    #[arg(long = "allow-push-service", value_name = "ORIGIN", value_delimiter = ' ', hide = true, help_heading = ACCESS)]
    pub push_services: Vec<Origin>,
    /// The server's own origin as people reach it, such as https://chat.example, for the addresses of questions. By default, a program gets the
    /// one that it called.
    #[arg(long, value_name = "ORIGIN", help_heading = ACCESS)]
    pub public_origin: Option<Origin>,
    /// The key that signs these callbacks.
    #[arg(skip)]
    pub callback_key: Option<CallbackKey>,
    /// Allows clients to set the permission mode bypassPermissions, in which no user is asked: yes or no.
    #[arg(long, value_name = "ANSWER", value_parser = yes_or_no, default_value = "no", action = clap::ArgAction::Set, help_heading = ACCESS)]
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
    /// The temperature for the model of a vendor, from 0 to 2.
    #[arg(long, value_name = "NUMBER", value_parser = temperature, hide = true, help_heading = AGENT)]
    pub temperature: Option<f64>,
    /// The thinking budget of --model anthropic before each answer, in tokens. By default, it does not think.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1024..), hide = true, help_heading = AGENT)]
    pub thinking: Option<u32>,
    /// Whether the model of a vendor sees pictures: yes or no. By default, its name says so.
    #[arg(long, value_name = "ANSWER", value_parser = yes_or_no, hide = true, help_heading = AGENT)]
    pub sees: Option<bool>,
    /// A further header for a vendor's model, as NAME:VALUE, such as one with a key if the endpoint takes it in no other. May be given several times; in the environment, one in each line.
    #[arg(long = "model-header", value_name = "HEADER", value_parser = model_header, value_delimiter = '\n', hide = true, help_heading = AGENT)]
    pub model_headers: Vec<(HeaderName, HeaderValue)>,
    /// A host of your own network that may get keys over plain HTTP, such as litellm. May be given several times.
    #[arg(long = "allow-plain-key", value_name = "HOST", value_delimiter = ' ', hide = true, help_heading = AGENT)]
    pub plain_key_hosts: Vec<String>,
    /// The files that people may attach to their answers and messages, of 5 MiB each: none, pictures, or files, which are pictures, PDF, text and JSON.
    #[arg(long, value_name = "KIND", value_parser = attachments, default_value = "none", help_heading = AGENT)]
    pub attachments: Attachments,
    /// A further member that the agent's questions may have: input (numbers, dates, rankings and more), showIf, blocking (a question that does not
    /// stop the run), image, preview, value, why or askedBy. May be given several times. A script says so itself.
    #[arg(long = "offer", value_name = "MEMBER", value_parser = offered, value_delimiter = ' ', help_heading = AGENT)]
    pub offers: Vec<ExtraMember>,
    /// What a changed answer does: continue, so that it is one more message for the agent, or branch, so that the agent begins anew from it and knows
    /// no more of what came after the first answer.
    #[arg(long, value_name = "HOW", value_parser = changed_answer, default_value = "continue", help_heading = AGENT)]
    pub changed_answer: ChangedAnswer,
    /// The pause of a script before each piece that it streams, in milliseconds.
    #[arg(long, value_name = "MS", value_parser = milliseconds, default_value = "15", hide = true, help_heading = AGENT)]
    pub pace: Duration,
    /// The URL of another AG-UI agent, such as http://127.0.0.1:8000/. Requests to /agent/other are forwarded to it, and the page uses
    /// it.
    #[arg(long, value_name = "URL", help_heading = AGENT)]
    pub agent: Option<String>,
    /// The key for the agent of --agent, sent as Authorization: Bearer KEY. Set it in the environment, where other users cannot see it.
    #[arg(long, value_name = "KEY", help_heading = AGENT)]
    pub agent_key: Option<AgentKey>,
    /// An MCP server whose tools the agent has: its URL, or the command that starts it. May be given several times; in the environment, one in each
    /// line.
    #[arg(long = "mcp-server", value_name = "SERVER", value_delimiter = '\n', help_heading = AGENT)]
    pub mcp_servers: Vec<String>,
    /// A header for an MCP server of --mcp-server, as its URL and NAME:VALUE, such as "https://tools.example/mcp Authorization: Bearer KEY". May be
    /// given several times; in the environment, one in each line, where other users cannot see it.
    #[arg(long = "mcp-header", value_name = "HEADER", value_parser = mcp_header, value_delimiter = '\n', help_heading = AGENT)]
    pub mcp_headers: Vec<McpHeader>,
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

    /// The folder of a built page, to serve in place of the one within the program. It is read once, at the start.
    #[arg(long, value_name = "DIR", help_heading = PAGE)]
    pub page: Option<PathBuf>,
    /// Opens the page in the user's browser once the server is ready: yes or no. --open alone means yes.
    #[arg(long, value_name = "ANSWER", value_parser = yes_or_no, default_value = "no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", action = clap::ArgAction::Set, help_heading = PAGE)]
    pub open: bool,
    /// An origin whose agents the page may use, such as https://agent.example. May be given several times.
    #[arg(long = "allow-agent", value_name = "ORIGIN", value_parser = agents_origin, value_delimiter = ' ', help_heading = PAGE)]
    pub allow_agents: Vec<Origin>,

    /// Serves clients of MCP at /mcp: yes or no. --mcp alone means yes.
    #[arg(long, value_name = "ANSWER", value_parser = yes_or_no, default_value = "no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", action = clap::ArgAction::Set, help_heading = MCP)]
    pub mcp: bool,
    /// The card as one HTML file, for MCP clients that show apps and for pages. It replaces the one within the program; none is a plain form.
    #[arg(long, value_name = "FILE", global = true, help_heading = MCP)]
    pub view: Option<PathBuf>,
    /// The time that a call of an MCP client waits, if the client takes no notifications of progress.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "45s", global = true, hide = true, help_heading = MCP)]
    pub wait: Duration,
    /// The key that signs the state that MCP clients carry. By default, it is in a file beside that of --database.
    #[arg(skip)]
    pub mcp_key: Option<McpKey>,

    /// The limits.
    #[arg(skip)]
    pub bounds: Bounds,
    /// The timeouts for slow clients.
    #[arg(skip)]
    pub timeouts: Timeouts,

    /// The time for which /readyz announces the stop before the server starts no more runs.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "0s", help_heading = STOPPING)]
    pub drain_notice: Duration,
    /// The time that runs then have to end. The next start resumes the others.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "3s", help_heading = STOPPING)]
    pub drain_grace: Duration,

    /// The level of the log on stderr: off, error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value_t = LevelFilter::INFO, global = true, help_heading = LOG)]
    pub log: LevelFilter,
    /// The format of the log.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text", help_heading = LOG)]
    pub log_format: LogFormat,
    /// Logs the texts of people and models as well: yes or no.
    #[arg(long, value_name = "ANSWER", value_parser = yes_or_no, default_value = "no", action = clap::ArgAction::Set, help_heading = LOG)]
    pub log_contents: bool,
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

/// The model of the agent.
#[derive(Clone, Debug)]
pub enum ModelName {
    /// Books appointments in a car workshop: a script, which needs no network and no account.
    FrontDesk,
    /// A coding agent, by a script as well.
    CodingDesk,
    /// A script of your own, in this file.
    Script(PathBuf),
    /// A vendor's model. Its name is empty if the vendor's variable has it.
    Of(&'static Vendor, String),
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FrontDesk => f.write_str("front-desk"),
            Self::CodingDesk => f.write_str("coding-desk"),
            Self::Script(_) => f.write_str("script"),
            Self::Of(vendor, model) if model.is_empty() => f.write_str(vendor.name),
            Self::Of(vendor, model) => write!(f, "{}:{model}", vendor.name),
        }
    }
}

impl FromStr for ModelName {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let (name, model) = text.split_once(':').unwrap_or((text, ""));
        match (text, model) {
            ("front-desk", _) => Ok(Self::FrontDesk),
            ("coding-desk", _) => Ok(Self::CodingDesk),
            _ if name == "script" && model.is_empty() => {
                Err(SettingError::Invalid("a script is in a file: script:FILE"))
            }
            _ if name == "script" => Ok(Self::Script(PathBuf::from(model))),
            _ => {
                let vendor = Vendor::by_name(name).ok_or_else(|| {
                    let names: Vec<&str> = vendors().iter().map(|vendor| vendor.name).collect();
                    SettingError::NoModel(names.join(", "))
                });
                Ok(Self::Of(vendor?, model.to_owned()))
            }
        }
    }
}

/// The vendors of models as lines for a person, with whether the model by default sees pictures.
#[must_use]
pub fn list_of_models() -> String {
    let mut lines = format!(
        "{:<11} {:<23} {:<5} {:<19} {:<20} {}\n",
        "--model", "model by default", "sees", "or that of", "key in", "URL in, or by default"
    );
    for vendor in vendors() {
        let Vendor { name, key_variable, url_variable, model_variable, url, model, .. } = vendor;
        let sees = if vendor.sees(model) { "yes" } else { "no" };
        lines += &format!(
            "{name:<11} {model:<23} {sees:<5} {model_variable:<19} {key_variable:<20} {url_variable:<20} {url}\n"
        );
    }
    lines
}

/// The key of another agent. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct AgentKey(pub String);

impl FromStr for AgentKey {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

hide_in_debug!(AgentKey, McpKey);

/// The reason why settings are not used. It has no value of a setting, which may be a secret.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SettingError {
    /// No option has this name.
    #[error("there is no such setting")]
    Unknown,
    /// A value is malformed, or settings don't fit together, with advice.
    #[error("{0}")]
    Invalid(&'static str),
    /// The same, as the command line says it.
    #[error("{0}")]
    Refused(String),
    /// No model has this name, but these.
    #[error("there is no such model, but front-desk, coding-desk, script:FILE, {0}")]
    NoModel(String),
    /// A header can't have this value.
    #[error("{0} has an illegal value")]
    Header(HeaderName),
    /// An MCP server is not named that gets a header.
    #[error("--mcp-header {0}: no --mcp-server has the URL before the name")]
    NoMcpServer(HeaderName),
    /// Other machines reach the address, and no token is set.
    #[error(
        "--bind {0} is open to other machines, which then need a token: set QUESTION_SERVER_TOKEN or --token-file, or \
         keep the address 127.0.0.1"
    )]
    Open(IpAddr),
    /// An origin.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// Tokens.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The file of settings is malformed.
    #[error("{}", .0.message())]
    Toml(#[from] toml::de::Error),
    /// A file can't be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The reason, with the file or the setting.
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

/// The reason why a file or a folder of the settings is not used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// It can't be read or written. Its name has the option in front.
    #[error("{name}")]
    Io {
        /// The file.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The folder of the page has no document.
    #[error("--page {}: it holds no index.html; name the folder that `cargo xtask build` or `trunk build` made.", .0.display())]
    NoPage(PathBuf),
    /// The file of a key has none.
    #[error("{}: it is empty, as after a crash while it was written; delete it", .0.display())]
    NoKey(PathBuf),
}

impl FileError {
    /// What the system said of a file.
    pub(crate) fn of(option: &str, file: &Path) -> impl Fn(io::Error) -> Self {
        let name = format!("{option}{}", file.display());
        move |source| Self::Io { name: name.clone(), source }
    }
}

/// The key that signs the state that clients of MCP carry. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct McpKey(pub [u8; 32]);

impl McpKey {
    /// The key derived from a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// The key in the file beside this database. A missing file is created.
    ///
    /// # Errors
    /// If it can be neither read nor written.
    pub fn beside(database: &Path) -> Result<Self, FileError> {
        let mut file = database.as_os_str().to_owned();
        file.push(".key");
        let file = PathBuf::from(file);
        let why = FileError::of("", &file);
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&file) {
            Ok(mut made) => {
                let key = random_hex();
                made.write_all(key.as_bytes()).and_then(|()| made.sync_all()).map_err(why)?;
                Ok(Self::of(&key))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let key = fs::read_to_string(&file).map_err(why)?;
                match key.trim() {
                    "" => Err(FileError::NoKey(file)),
                    key => Ok(Self::of(key)),
                }
            }
            Err(error) => Err(why(error)),
        }
    }
}

/// A header for an MCP server whose tools the agent has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpHeader {
    /// The URL of the server, as [`Config::mcp_servers`] has it.
    pub server: String,
    /// The name of the header.
    pub name: HeaderName,
    /// Its value, which `Debug` does not show.
    pub value: HeaderValue,
}

/// The store of conversations.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Database {
    /// Memory, which ends with the server.
    #[default]
    Memory,
    /// The SQLite file of one server.
    File(PathBuf),
    /// The address of a Postgres that several servers may share.
    Postgres(String),
}

impl Database {
    /// Its kind, without the address, which may have a password.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::File(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }
}

impl FromStr for Database {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let scheme = text.split_once("://").map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
        Ok(match scheme {
            None if text.eq_ignore_ascii_case("memory") => Self::Memory,
            Some((scheme, rest)) if ["postgres", "postgresql"].contains(&scheme.as_str()) => {
                Self::Postgres(format!("{scheme}://{rest}"))
            }
            Some(_) | None => Self::File(PathBuf::from(text)),
        })
    }
}

/// Hides the address, which may have a password.
impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("Memory"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Postgres(_) => f.debug_tuple("Postgres").finish_non_exhaustive(),
        }
    }
}

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// A JSON object in each line.
    Json,
}

/// The work that the command line asks for.
#[derive(Clone, Debug)]
pub enum Command {
    /// Serve.
    Serve(Box<Config>),
    /// Serve the client of MCP that started the process, on stdin and stdout.
    Mcp {
        /// The settings; ports and access do not matter.
        config: Box<Config>,
        /// True if a question opens a browser for a client that cannot show it.
        opens: bool,
    },
    /// Copy an SQLite file, which a server may be using.
    Backup {
        /// The file.
        database: PathBuf,
        /// The copy.
        to: PathBuf,
    },
    /// Print the completions of a shell.
    Completions(Shell),
    /// Print the vendors of models.
    ListModels,
    /// Ask a server if it is ready.
    Probe(SocketAddr),
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
    /// The secret that gives clients access. People open /?token=TOKEN once, programs send Authorization: Bearer TOKEN. Set it in the
    /// environment, where other users cannot see it.
    #[arg(long, value_name = "TOKEN", help_heading = ACCESS)]
    token: Option<String>,
    /// A file with NAME TOKEN on each line; each token gives access. A conversation belongs to the token's name. A name may have several
    /// tokens.
    #[arg(long, value_name = "FILE", help_heading = ACCESS)]
    token_file: Option<PathBuf>,
    /// The key that signs the calls of --allow-callback and --notify-url, as in Standard Webhooks. Set it in the environment, where other users cannot
    /// see it.
    #[arg(long, value_name = "KEY", help_heading = ACCESS)]
    callback_key: Option<String>,
    /// The URL that is called with each question that begins to wait, but those of clients of MCP: that of a bot, which passes them on. It needs
    /// --callback-key and --public-origin. Set it in the environment, where other users cannot see it.
    #[arg(long, value_name = "URL", help_heading = ACCESS)]
    notify_url: Option<String>,
    /// The key that signs the state that MCP clients carry, for several servers behind one address. Set it in the environment, where other
    /// users cannot see it.
    #[arg(long, value_name = "KEY", help_heading = MCP)]
    mcp_key: Option<String>,
    /// A file in TOML with options by their names: port = 8080, allow-host = ["chat.example"]. The environment and the command line win. It
    /// may set limits as well, max.requests = 6000, and more of a vendor's model, model.temperature = 0.2.
    #[arg(long = "config", value_name = "FILE", global = true, help_heading = FILE)]
    file: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
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
Each option can be set in the environment as well: QUESTION_SERVER_PORT for --port, QUESTION_SERVER_ALLOW_HOST for --allow-host and so on. \
Several values of one option have spaces between them. The command line wins.

Once ready it prints its address, as http://ADDRESS:PORT behind \"listening on\", and where conversations are kept.
Ctrl+C, SIGTERM or SIGHUP ends it. With --token-file, SIGHUP reads that file again instead.";

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Reads the settings of the environment's variables for this program and of the command line, which takes precedence.
///
/// # Errors
/// A sentence for the operator; or the help or the version, if the command line asks for it.
pub fn read(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    args: impl IntoIterator<Item = OsString>,
) -> Result<Command, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let environment: Vec<(OsString, OsString)> = environment.into_iter().collect();
    let mut all = vec![OsString::from(PROGRAM)];
    let mut bounds = Bounds::default();
    if let Some(file) = named_file(&environment, &args) {
        let read = read_file(Path::new(&file), &mut bounds);
        all.extend(read.map_err(|why| mistake(&why.of(format!("--config {}", Path::new(&file).display()))))?);
    }
    for (name, value) in environment {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else {
            continue;
        };
        if is_of_kubernetes(name, &value) {
            continue;
        }
        let option = option_of(name).ok_or_else(|| mistake(&SettingError::Unknown.of(name)))?;
        if !value.is_empty() {
            all.push(argument(&option, &value).map_err(|why| mistake(&why.of(name)))?);
        }
    }
    all.extend(args);
    let mut cli = Cli::try_parse_from(all)?;
    cli.config.bounds = bounds;
    cli.check().map_err(|why| mistake(&why))
}

/// The file of settings that the command line or the environment names.
fn named_file(environment: &[(OsString, OsString)], args: &[OsString]) -> Option<OsString> {
    let mut named = args.iter().zip(args.iter().skip(1).map(Some).chain([None])).filter_map(|(arg, next)| {
        match arg.to_str()?.strip_prefix("--config")? {
            "" => next.cloned(),
            file => file.strip_prefix('=').map(OsString::from),
        }
    });
    let variable = environment.iter().find(|(name, _)| *name == *format!("{PREFIX}CONFIG"));
    named.next().or_else(|| variable.map(|(_, file)| file.clone()).filter(|file| !file.is_empty()))
}

/// The table of a file with its limits.
const LIMITS: &str = "max";

/// The table of a file with the settings of a vendor's model, and their options. `--help` does not list the rare ones.
const MODEL: &str = "model";
const OF_MODEL: [(&str, &str); 7] = [
    ("name", "model"),
    ("system-prompt", "system-prompt"),
    ("temperature", "temperature"),
    ("thinking", "thinking"),
    ("sees", "sees"),
    ("header", "model-header"),
    ("allow-plain-key", "allow-plain-key"),
];

/// The options of a file, as arguments, and its limits. An error names an option without its value.
fn read_file(file: &Path, bounds: &mut Bounds) -> Result<Vec<OsString>, SettingError> {
    let mut table: toml::Table = fs::read_to_string(file)?.parse()?;
    if let Some(model) = table.get(MODEL).and_then(toml::Value::as_table).cloned() {
        table.remove(MODEL);
        for (name, value) in model {
            let found = OF_MODEL.iter().find(|(setting, _)| *setting == name);
            let (_, option) = found.ok_or_else(|| SettingError::Unknown.of(format!("{MODEL}.{name}")))?;
            table.insert((*option).to_owned(), value);
        }
    }
    let command = command();
    let mut args = Vec::new();
    for (name, value) in table {
        if name == LIMITS {
            *bounds = value.try_into()?;
            continue;
        }
        let is_there = command.get_arguments().any(|arg| arg.get_long() == Some(&name)) && name != "config";
        if !is_there {
            return Err(SettingError::Unknown.of(name));
        }
        let values = match value {
            toml::Value::Array(values) => values,
            value => vec![value],
        };
        for value in values {
            let text = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Float(number) => number.to_string(),
                toml::Value::Boolean(true) => "yes".to_owned(),
                toml::Value::Boolean(false) => "no".to_owned(),
                _ => return Err(SettingError::Invalid("a value is a text, a number, true or false").of(name)),
            };
            args.push(argument(&name, text.as_ref()).map_err(|why| why.of(&name))?);
        }
    }
    Ok(args)
}

/// True for a variable that Kubernetes sets in every pod beside a Service with this program's name.
fn is_of_kubernetes(name: &str, value: &OsStr) -> bool {
    let rest = &name[PREFIX.len()..];
    let is_address =
        value.to_str().is_some_and(|value| ["tcp://", "udp://", "sctp://"].iter().any(|of| value.starts_with(of)));
    let has_number = rest.strip_prefix("PORT_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    rest.starts_with("SERVICE_HOST") || rest.starts_with("SERVICE_PORT") || has_number || (rest == "PORT" && is_address)
}

/// The option that an environment variable sets.
fn option_of(variable: &str) -> Option<String> {
    let command = command();
    let mut options = command.get_arguments().filter_map(clap::Arg::get_long);
    let is_named = |option: &&str| format!("{PREFIX}{}", option.to_uppercase().replace('-', "_")) == variable;
    options.find(is_named).map(str::to_owned)
}

fn mistake(why: &SettingError) -> clap::Error {
    command().error(ErrorKind::ValueValidation, WithCauses(why))
}

/// An option as an argument of the command line, or the first line of the error that it is.
fn argument(option: &str, value: &OsStr) -> Result<OsString, SettingError> {
    let mut argument = OsString::from(format!("--{option}="));
    argument.push(value);
    match Cli::try_parse_from([PROGRAM.into(), argument.clone()]) {
        Ok(_) => Ok(argument),
        Err(error) => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            Err(SettingError::Refused(line.strip_prefix("error: ").unwrap_or(line).to_owned()))
        }
    }
}

impl Cli {
    fn check(self) -> Result<Command, SettingError> {
        let Self { mut config, database, token, token_file, callback_key, notify_url, mcp_key, command, file: _ } =
            self;
        config.database = match (database, &command) {
            (Some(database), _) => database,
            (None, Some(CliCommand::Backup { .. }) | None) => Database::File(users_file()?),
            (None, Some(_)) => Database::Memory,
        };
        if let Database::File(path) = &config.database
            && path.as_os_str().to_string_lossy().contains("://")
        {
            // The error does not repeat the address, which may have a password.
            let why = "--database has an unknown kind of address; give a file, postgres://user@host/name or memory";
            return Err(SettingError::Invalid(why));
        }
        config.mcp_key = mcp_key.map(|key| McpKey::of(&key));
        match command {
            Some(CliCommand::Backup { file }) => {
                return match config.database {
                    Database::File(database) => Ok(Command::Backup { database, to: file }),
                    Database::Postgres(_) => Err(SettingError::Invalid("backup: use pg_dump for a Postgres")),
                    Database::Memory => Err(SettingError::Invalid("backup: name the file to copy by --database")),
                };
            }
            Some(CliCommand::Models) => return Ok(Command::ListModels),
            Some(CliCommand::Completions { shell }) => return Ok(Command::Completions(shell)),
            Some(CliCommand::Probe { address }) => {
                let own = || SocketAddr::new(reachable(config.bind), config.port);
                return Ok(Command::Probe(address.unwrap_or_else(own)));
            }
            Some(CliCommand::Mcp { no_open }) => return Ok(Command::Mcp { config: Box::new(config), opens: !no_open }),
            None => {}
        }
        // Not before all settings are known: the environment and the file name them one by one.
        if let Some(header) = config.mcp_headers.iter().find(|header| !config.mcp_servers.contains(&header.server)) {
            return Err(SettingError::NoMcpServer(header.name.clone()));
        }
        // No error repeats its value, which is a secret.
        let token = token.map(|token| token.parse::<AccessToken>());
        config.tokens.extend(token.transpose().map_err(|why| SettingError::from(why).of("--token"))?);
        let key = callback_key.map(|key| key.parse::<CallbackKey>());
        config.callback_key = key.transpose().map_err(|why| SettingError::Invalid(why).of("--callback-key"))?;
        if config.callback_key.is_none() && !config.allow_callbacks.is_empty() {
            return Err(SettingError::Invalid("--allow-callback needs a key: set QUESTION_SERVER_CALLBACK_KEY"));
        }
        let url = notify_url.map(|url| url.parse::<NotifyUrl>());
        config.notify_url = url.transpose().map_err(|why| SettingError::Invalid(why).of("--notify-url"))?;
        if config.notify_url.is_some() && (config.callback_key.is_none() || config.public_origin.is_none()) {
            let why =
                "--notify-url needs a key and the page's address: set QUESTION_SERVER_CALLBACK_KEY and --public-origin";
            return Err(SettingError::Invalid(why));
        }
        config.token_file = token_file;
        config.tokens.extend(config.read_tokens()?);
        if !config.bind.is_loopback() && config.tokens.is_empty() {
            return Err(SettingError::Open(config.bind));
        }
        Ok(Command::Serve(Box::new(config)))
    }
}

/// The address at which this machine reaches a server that is bound to this one.
#[must_use]
pub fn reachable(bound: IpAddr) -> IpAddr {
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

/// Parses a whole number with its unit.
fn time(text: &str) -> Result<Duration, SettingError> {
    let seconds = [("s", 1), ("m", 60), ("h", 3600), ("d", 24 * 3600)].iter().find_map(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(u64::from(number) * seconds)
    });
    seconds.map(Duration::from_secs).ok_or(SettingError::Invalid("a time looks like 90s, 30m, 2h or 7d"))
}

/// The same, or a word for never.
fn wait(text: &str) -> Result<Wait, SettingError> {
    match text {
        "never" | "forever" => Ok(None),
        _ if time(text)?.is_zero() => {
            Err(SettingError::Invalid("must be longer than zero; a time looks like 90s, 30m, 2h or 7d"))
        }
        _ => time(text).map(Some),
    }
}

fn attachments(text: &str) -> Result<Attachments, SettingError> {
    if text == "none" {
        return Ok(None);
    }
    let named = FileLimits::BY_NAME.into_iter().find(|(name, _)| *name == text);
    named.map(|(_, files)| Some(files)).ok_or(SettingError::Invalid("must be none, pictures or files"))
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

fn temperature(text: &str) -> Result<f64, SettingError> {
    let number = text.parse().ok().filter(|number| (0.0..=2.0).contains(number));
    number.ok_or(SettingError::Invalid("must be a number from 0 to 2"))
}

fn yes_or_no(text: &str) -> Result<bool, SettingError> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(SettingError::Invalid("must be yes or no")),
    }
}

/// Parses a network, or an address alone.
fn network(text: &str) -> Result<IpNet, SettingError> {
    let alone = text.parse().map(|address: IpAddr| IpNet::from(address.to_canonical()));
    let why = "an address or a network looks like 10.1.2.3 or 10.0.0.0/8";
    alone.or_else(|_| text.parse()).map_err(|_| SettingError::Invalid(why))
}

/// Parses the header of an MCP server. No error has its value.
fn mcp_header(text: &str) -> Result<McpHeader, SettingError> {
    let pair = text.trim().split_once(char::is_whitespace);
    let (server, header) = pair.ok_or(SettingError::Invalid("a header is URL NAME:VALUE"))?;
    let (name, value) = model_header(header)?;
    Ok(McpHeader { server: server.to_owned(), name, value })
}

/// Parses a header. It may be secret, so an error has only its name.
fn model_header(text: &str) -> Result<(HeaderName, HeaderValue), SettingError> {
    let (name, value) = text.split_once(':').ok_or(SettingError::Invalid("a header is NAME:VALUE"))?;
    let name = name.trim().parse::<HeaderName>();
    let name = name.map_err(|_| SettingError::Invalid("the name of the header is illegal"))?;
    let mut value = HeaderValue::from_str(value.trim()).map_err(|_| SettingError::Header(name.clone()))?;
    // It may be a key, so `Debug` does not show it.
    value.set_sensitive(true);
    Ok((name, value))
}

fn agents_origin(text: &str) -> Result<Origin, SettingError> {
    let origin: Origin = text.parse()?;
    origin.check_nameable_in_a_policy()?;
    Ok(origin)
}
