//! Every setting, once: how it is given, what it means and what it does.

use super::{Config, Database};
use crate::access::Token;
use crate::guard::{Host, Origin};
use crate::rate::PerMinute;
use axum::http::HeaderName;
use std::ffi::OsStr;
use std::fmt::{Display, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Something that can be set: by `--name VALUE`, or by a variable of the environment.
pub(super) struct Setting {
    pub(super) name: &'static str,
    pub(super) value: &'static str,
    help: &'static str,
    pub(super) apply: fn(&mut Config, &OsStr) -> Result<(), String>,
}

/// What the variables of the environment begin with that say the same.
pub(super) const PREFIX: &str = "QUESTION_SERVER_";

/// All of them, in the order of the help.
pub(super) const ALL: &[Setting] = &[
    Setting {
        name: "port",
        value: "PORT",
        help: "Port to listen on; 0 takes any free one (default 8787)",
        apply: |config, value| {
            config.port = number(value)?;
            Ok(())
        },
    },
    Setting {
        name: "bind",
        value: "ADDRESS",
        help: "Address to listen on (default 127.0.0.1); any that other machines reach needs a token",
        apply: |config, value| set(&mut config.bind, value),
    },
    Setting {
        name: "token",
        value: "TOKEN",
        help: "What clients must bring: people open /?token=TOKEN once, programs send it as\n\
               Authorization: Bearer TOKEN. Better in the environment, which other users cannot see",
        apply: |config, value| {
            // Without the value, which is a secret.
            let token = text(value)?.parse::<Token>()?;
            config.tokens.retain(Token::has_name);
            config.tokens.push(token);
            Ok(())
        },
    },
    Setting {
        name: "token-file",
        value: "FILE",
        help: "Tokens with names, NAME TOKEN in each line, any of which opens the server. What is begun with\n\
               a token is its name's; a name may have several, so that a new one is good before the old\n\
               one goes. It is read at the start",
        apply: |config, value| {
            let file = Path::new(value);
            let read = std::fs::read_to_string(file).map_err(|error| error.to_string());
            let tokens = read.and_then(|text| Token::read_all(&text));
            config.tokens.retain(|token| !token.has_name());
            config.tokens.extend(tokens.map_err(|why| format!("{}: {why}", file.display()))?);
            Ok(())
        },
    },
    Setting {
        name: "allow-host",
        value: "NAME",
        help: "Answer under this name too, such as chat.example; may be given several times. Under\n\
               localhost, 127.0.0.1, [::1] and the address of --bind it always does",
        apply: |config, value| {
            config.allow_hosts.extend(list::<Host>(value)?);
            Ok(())
        },
    },
    Setting {
        name: "model",
        value: "NAME",
        help: "front-desk (default), coding-desk or openai: who speaks for the agent. openai is any\n\
               endpoint of that kind: OPENAI_BASE_URL (default https://api.openai.com/v1),\n\
               OPENAI_API_KEY and OPENAI_MODEL say which",
        apply: |config, value| set(&mut config.model, value),
    },
    Setting {
        name: "name",
        value: "TEXT",
        help: "What the page calls the agent (default the desk's own; Assistant for openai)",
        apply: |config, value| {
            config.name = Some(text(value)?.to_owned());
            Ok(())
        },
    },
    Setting {
        name: "system-prompt",
        value: "FILE",
        help: "What the model of --model openai is told that it is, in UTF-8; the guidance on asking well\n\
               follows it (default You are a helpful agent.)",
        apply: |config, value| {
            config.system_prompt = Some(PathBuf::from(value));
            Ok(())
        },
    },
    Setting {
        name: "temperature",
        value: "NUMBER",
        help: "Temperature of the model of --model openai, from 0 to 2 (default the endpoint's own)",
        apply: |config, value| {
            let text = text(value)?;
            let temperature = text.parse().ok().filter(|number| (0.0..=2.0).contains(number));
            config.temperature = Some(temperature.ok_or_else(|| format!("{text} is no number from 0 to 2"))?);
            Ok(())
        },
    },
    Setting {
        name: "pace",
        value: "MS",
        help: "Milliseconds a desk pauses before each delta (default 15)",
        apply: |config, value| {
            config.pace = Duration::from_millis(number(value)?);
            Ok(())
        },
    },
    Setting {
        name: "database",
        value: "WHERE",
        help: "Keep conversations in this SQLite file, which is made where it is missing, or in this\n\
               Postgres (postgres://user@host/name), which several servers may share; the word memory\n\
               (default) keeps them as long as the server runs",
        apply: |config, value| {
            let is_address = |text: &&str| ["postgres://", "postgresql://"].iter().any(|one| text.starts_with(one));
            config.database = match value.to_str().filter(is_address) {
                Some(_) if !cfg!(feature = "postgres") => {
                    return Err("this program was built without Postgres".to_owned());
                }
                Some(address) => Some(Database::Postgres(address.to_owned())),
                None => (value != "memory").then(|| Database::File(PathBuf::from(value))),
            };
            Ok(())
        },
    },
    Setting {
        name: "page",
        value: "DIR",
        help: "Also serve the built page in DIR, compressed, from the same origin; it is read at the start",
        apply: |config, value| {
            config.page = Some(PathBuf::from(value));
            Ok(())
        },
    },
    Setting {
        name: "agent",
        value: "URL",
        help: "Pass requests at /agent/other on to this AG-UI agent, such as http://127.0.0.1:8000/; the page\n\
               of --page then begins with it",
        apply: |config, value| {
            config.agent = Some(text(value)?.to_owned());
            Ok(())
        },
    },
    Setting {
        name: "allow-agent",
        value: "ORIGIN",
        help: "Let the page talk to agents of this origin too, such as https://agent.example; may be\n\
               given several times",
        apply: |config, value| {
            for origin in list::<Origin>(value)? {
                origin.check_nameable_in_a_policy()?;
                config.allow_agents.push(origin);
            }
            Ok(())
        },
    },
    Setting {
        name: "allow-origin",
        value: "ORIGIN",
        help: "Let pages of this origin in, such as https://app.example, which another server has; may be\n\
               given several times. Pages of this machine (localhost, 127.0.0.1, [::1], any port)\n\
               always are",
        apply: |config, value| {
            config.allow_origins.extend(list::<Origin>(value)?);
            Ok(())
        },
    },
    Setting {
        name: "allow-bypass",
        value: "yes",
        help: "Whether a client may set the permission mode bypassPermissions, under which nobody is\n\
               asked; without it (default) that is refused",
        apply: |config, value| {
            config.allow_bypass = yes_or_no(value)?;
            Ok(())
        },
    },
    Setting {
        name: "expire-after",
        value: "TIME",
        help: "How long a question waits for its answer, such as 90s, 30m, 2h or 7d, until the agent\n\
               goes on without; the word never (default) is for as long as it takes",
        apply: |config, value| {
            config.expire_after = duration(text(value)?)?;
            Ok(())
        },
    },
    Setting {
        name: "keep",
        value: "TIME",
        help: "How long conversations are kept that have ended, such as 30d; one in which somebody works or\n\
               a question waits has not. The word forever (default) keeps them until they are deleted",
        apply: |config, value| {
            config.keep = match text(value)? {
                "forever" => None,
                time => duration(time)?,
            };
            Ok(())
        },
    },
    Setting {
        name: "drain-notice",
        value: "TIME",
        help: "How long /readyz says that the server is about to stop before it begins no more runs, so\n\
               that a balancer sends nobody any more (default 0s)",
        apply: |config, value| {
            config.drain_notice = pause(text(value)?)?;
            Ok(())
        },
    },
    Setting {
        name: "drain-grace",
        value: "TIME",
        help: "How long runs may go on then; what is left of them goes on after the next start (default 3s)",
        apply: |config, value| {
            config.drain_grace = pause(text(value)?)?;
            Ok(())
        },
    },
    Setting {
        name: "max-body",
        value: "BYTES",
        help: "The largest body of a request (default 4194304)",
        apply: |config, value| {
            config.bounds.body = positive(value)?.get();
            Ok(())
        },
    },
    Setting {
        name: "max-message",
        value: "BYTES",
        help: "The longest text that a user may send at a time, in all messages of a request or in an answer\n\
               (default 65536)",
        apply: |config, value| {
            config.bounds.message = positive(value)?.get();
            Ok(())
        },
    },
    Setting {
        name: "max-messages",
        value: "N",
        help: "How many messages a conversation may have (default 2000)",
        apply: |config, value| {
            config.bounds.messages = positive(value)?.get();
            Ok(())
        },
    },
    Setting {
        name: "max-history",
        value: "BYTES",
        help: "How long the messages of a conversation may be in all (default 4194304)",
        apply: |config, value| {
            config.bounds.history = positive(value)?.get();
            Ok(())
        },
    },
    Setting {
        name: "max-conversations",
        value: "N",
        help: "How many conversations the server holds (default 10000)",
        apply: |config, value| {
            config.bounds.conversations = positive(value)?.get();
            Ok(())
        },
    },
    Setting {
        name: "max-changes",
        value: "N",
        help: "How often a minute a conversation may be changed from outside; 0 is without a bound\n\
               (default 300)",
        apply: |config, value| {
            config.bounds.changes = PerMinute::new(number(value)?);
            Ok(())
        },
    },
    Setting {
        name: "max-new",
        value: "N",
        help: "How often a minute an owner may begin a conversation, and all owners at one address together\n\
               ten times as often; 0 is without a bound (default 60)",
        apply: |config, value| {
            config.bounds.new = PerMinute::new(number(value)?);
            Ok(())
        },
    },
    Setting {
        name: "max-owned",
        value: "N",
        help: "How many conversations an owner may have (default 1000)",
        apply: |config, value| {
            config.bounds.owned = positive(value)?.get();
            Ok(())
        },
    },
    Setting {
        name: "max-requests",
        value: "N",
        help: "How often a minute one address may ask for anything; 0 is without a bound (default 3000)",
        apply: |config, value| {
            config.bounds.requests = PerMinute::new(number(value)?);
            Ok(())
        },
    },
    Setting {
        name: "peer-header",
        value: "NAME",
        help: "The header in which the proxy in front says where a request comes from, such as X-Real-IP or\n\
               X-Forwarded-For, of which the last address counts. Without it whoever connects is\n\
               counted, and nobody who does so from this machine",
        apply: |config, value| {
            let name = text(value)?;
            let header = name.parse::<HeaderName>().map_err(|_| format!("{name} is no name of a header"))?;
            config.peer_header = Some(header);
            Ok(())
        },
    },
    Setting {
        name: "log",
        value: "LEVEL",
        help: "off, error, warn, info, debug or trace, on stderr (default info)",
        apply: |config, value| set(&mut config.log, value),
    },
    Setting {
        name: "log-format",
        value: "FORMAT",
        help: "text (default) for people, or json with an object in each line",
        apply: |config, value| set(&mut config.log_format, value),
    },
    Setting {
        name: "log-contents",
        value: "yes",
        help: "Whether the log has what people and models write; without it (default) it says only\n\
               what happens",
        apply: |config, value| {
            config.log_contents = yes_or_no(value)?;
            Ok(())
        },
    },
    Setting {
        name: "max-model-calls",
        value: "N",
        help: "How many ask the model of --model openai at once, or the agent of --agent; it is busy for the\n\
               others (default 256)",
        apply: |config, value| {
            config.model_calls = positive(value)?;
            Ok(())
        },
    },
];

impl Setting {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|setting| setting.name == name)
    }

    /// The setting that a variable of the environment gives.
    pub(super) fn of_variable(name: &str) -> Option<&'static Self> {
        let name = name.strip_prefix(PREFIX)?;
        let is_named = |setting: &&Self| setting.name.to_uppercase().replace('-', "_") == name;
        ALL.iter().find(is_named)
    }
}

/// What `--help` prints.
#[must_use]
pub fn help() -> String {
    let mut help = HEAD.to_owned();
    let rest = [("--help".to_owned(), "Print this"), ("--version".to_owned(), "Print the version")];
    let settings = ALL.iter().map(|setting| {
        let flag = format!("--{} {}", setting.name, setting.value);
        (flag, setting.help)
    });
    for (flag, what) in settings.chain(rest) {
        let what = what.replace('\n', &format!("\n{:INDENT$}", ""));
        writeln!(help, "{:INDENT$}{what}", format!("  {flag}")).expect("a string takes everything");
    }
    help + TAIL
}

const INDENT: usize = 26;

const HEAD: &str = "\
question-server: an AG-UI server for agents that ask.

Usage: question-server [OPTIONS]
       question-server backup FILE --database DATABASE

backup copies what the SQLite file of --database has at this moment into a new FILE, also while a server works with it.

";

const TAIL: &str = "
Each option can be set in the environment as well: QUESTION_SERVER_PORT for --port and so on, several values of one
option with spaces between them. The command line has the last word.

Prints one line on stdout once it is ready: listening on http://ADDRESS:PORT
Ends on Ctrl+C, SIGTERM or SIGHUP.
";

fn set<T: FromStr<Err: Display>>(place: &mut T, value: &OsStr) -> Result<(), String> {
    *place = parse(value)?;
    Ok(())
}

fn text(value: &OsStr) -> Result<&str, String> {
    value.to_str().ok_or_else(|| "it is no text".to_owned())
}

/// A whole number with its unit; `None` for never.
fn duration(text: &str) -> Result<Option<Duration>, String> {
    if text == "never" {
        return Ok(None);
    }
    let time = pause(text)?;
    match time.is_zero() {
        true => Err(format!("{text} is no time at all")),
        false => Ok(Some(time)),
    }
}

/// The same, which may be none at all.
fn pause(text: &str) -> Result<Duration, String> {
    let seconds = [("s", 1), ("m", 60), ("h", 3600), ("d", 24 * 3600)].iter().find_map(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(u64::from(number) * seconds)
    });
    seconds.map(Duration::from_secs).ok_or_else(|| format!("{text}: a time looks like 90s, 30m, 2h or 7d"))
}

fn parse<T: FromStr<Err: Display>>(value: &OsStr) -> Result<T, String> {
    let text = text(value)?;
    text.parse().map_err(|why| format!("{text}: {why}"))
}

/// A whole number.
fn number<T: TryFrom<u64>>(value: &OsStr) -> Result<T, String> {
    let text = text(value)?;
    let number = text.parse::<u64>().ok();
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| format!("{text} is no whole number from 0 on, or too large"))
}

/// A whole number of what there has to be some of.
fn positive(value: &OsStr) -> Result<NonZeroUsize, String> {
    NonZeroUsize::new(number(value)?).ok_or_else(|| "0 would let nothing in; it is a whole number from 1 on".to_owned())
}

fn yes_or_no(value: &OsStr) -> Result<bool, String> {
    match text(value)? {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => Err(format!("{other} is neither yes nor no")),
    }
}

/// Several values with spaces between them.
fn list<T: FromStr<Err: Display>>(value: &OsStr) -> Result<Vec<T>, String> {
    text(value)?.split_whitespace().map(|word| parse(OsStr::new(word))).collect()
}
