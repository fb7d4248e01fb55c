//! The types of settings that belong to no other module.

use crate::config::SettingError;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use clap::ValueEnum;
use question_models::{Vendor, vendors};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

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
                    let names = names.join(", ");
                    SettingError::Refused(format!(
                        "there is no such model, but front-desk, coding-desk, script:FILE, {names}"
                    ))
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

/// Another agent, or an MCP server whose tools the agent has. `Debug` does not show the value of its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The URL of its endpoint, or the command that starts it.
    pub address: String,
    /// The headers of each request to the endpoint, such as its key.
    pub headers: HeaderMap,
}

impl FromStr for Remote {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let alone = |address: &str| Self { address: address.to_owned(), headers: HeaderMap::new() };
        let text = text.trim();
        let Some((url, header)) = text.split_once(char::is_whitespace).filter(|(url, _)| url.contains("://")) else {
            return Ok(alone(text));
        };
        let pair = header.split_once(':').and_then(|(name, value)| {
            let (name, mut value) =
                (name.trim().parse::<HeaderName>().ok()?, HeaderValue::from_str(value.trim()).ok()?);
            value.set_sensitive(true);
            Some((name, value))
        });
        let pair = pair.ok_or(SettingError::Invalid("behind a URL is a header, as NAME:VALUE"))?;
        Ok(Self { headers: HeaderMap::from_iter([pair]), ..alone(url) })
    }
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
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let scheme = text.split_once("://").map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
        Ok(match scheme {
            None if text.eq_ignore_ascii_case("memory") => Self::Memory,
            Some((scheme, rest)) if ["postgres", "postgresql"].contains(&scheme.as_str()) => {
                Self::Postgres(format!("{scheme}://{rest}"))
            }
            Some(_) => {
                let why = "has an unknown kind of address; give a file, postgres://user@host/name or memory";
                return Err(SettingError::Invalid(why));
            }
            None => Self::File(PathBuf::from(text)),
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
