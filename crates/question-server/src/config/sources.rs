//! Reads settings from a file and the environment. They become arguments of the command line, so that one parser reads all settings.

use crate::config::{Cli, Command, Config, PROGRAM, SettingError, command};
use crate::error::WithCauses;
use clap::Parser as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// The prefix of environment variables that set options.
const PREFIX: &str = "QUESTION_SERVER_";

/// The options whose values no error repeats.
const SECRETS: [&str; 6] = ["--token", "--callback-key", "--notify-url", "--agent", "--mcp-server", "--database"];

/// Reads the settings of the file, of the environment's variables for this program, and of the command line. The later take precedence.
///
/// # Errors
/// A sentence for the operator; or the help or the version, if the command line asks for it.
pub fn read(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    args: impl IntoIterator<Item = OsString>,
) -> Result<(Config, Option<Command>), clap::Error> {
    let environment: Vec<_> = environment.into_iter().map(|(name, value)| (name, trimmed(value))).collect();
    let args: Vec<_> = args.into_iter().collect();
    let others = of_file(&environment, &args);
    let others = others.and_then(|file| Ok([file, of_environment(&environment)?].concat()));
    let all = [vec![PROGRAM.into()], others.map_err(|why| mistake(&why))?, args].concat();
    Cli::try_parse_from(all).map_err(hide_secrets)?.check().map_err(|why| mistake(&why))
}

/// A value without the blanks around it, such as the line end of a block in YAML.
fn trimmed(value: OsString) -> OsString {
    value.to_str().map(|text| text.trim().into()).unwrap_or(value)
}

fn mistake(why: &SettingError) -> clap::Error {
    command().error(ErrorKind::ValueValidation, WithCauses(why))
}

fn hide_secrets(mut error: clap::Error) -> clap::Error {
    let of = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(of)) => of.split(' ').next().unwrap_or_default(),
        _ => "",
    };
    if SECRETS.contains(&of) {
        error.insert(ContextKind::InvalidValue, ContextValue::String("…".to_owned()));
    }
    error
}

/// The arguments of the file of settings that the command line or the environment names.
fn of_file(environment: &[(OsString, OsString)], args: &[OsString]) -> Result<Vec<OsString>, SettingError> {
    let following = args.iter().skip(1).map(Some).chain([None]);
    let mut named =
        args.iter().zip(following).filter_map(|(arg, next)| match arg.to_str()?.strip_prefix("--config")? {
            "" => next.cloned(),
            file => file.strip_prefix('=').map(OsString::from),
        });
    let variable = environment.iter().find(|(name, _)| *name == *format!("{PREFIX}CONFIG"));
    let file = named.next().or_else(|| variable.map(|(_, file)| file.clone()).filter(|file| !file.is_empty()));
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let file = Path::new(&file);
    read_file(file).map_err(|why| why.of(format!("--config {}", file.display())))
}

/// The options of a file as arguments. An error names an option without its value.
fn read_file(file: &Path) -> Result<Vec<OsString>, SettingError> {
    let text = fs::read_to_string(file)?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        SettingError::Toml { line: text[..start].split('\n').count(), why: error.message().to_owned() }
    })?;
    let command = command();
    let mut args = Vec::new();
    for (name, value) in table {
        if name == "config" || !command.get_arguments().any(|arg| arg.get_long() == Some(&name)) {
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
                toml::Value::Boolean(answer) => answer.to_string(),
                _ => return Err(SettingError::Invalid("a value is a text, a whole number, true or false").of(name)),
            };
            args.push(argument(&name, text.as_ref()).map_err(|why| why.of(&name))?);
        }
    }
    Ok(args)
}

/// The arguments of the environment's variables.
fn of_environment(environment: &[(OsString, OsString)]) -> Result<Vec<OsString>, SettingError> {
    let mut args = Vec::new();
    for (name, value) in environment {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else {
            continue;
        };
        if is_of_kubernetes(name, value) {
            continue;
        }
        let option = option_of(name).ok_or_else(|| SettingError::Unknown.of(name))?;
        if !value.is_empty() {
            args.push(argument(&option, value).map_err(|why| why.of(name))?);
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

/// Makes an argument of the command line from an option. The error is the first line of the parser's message.
fn argument(option: &str, value: &OsStr) -> Result<OsString, SettingError> {
    let mut argument = OsString::from(format!("--{option}="));
    argument.push(value);
    match Cli::try_parse_from([PROGRAM.into(), argument.clone()]) {
        Ok(_) => Ok(argument),
        Err(error) => {
            let text = hide_secrets(error).to_string();
            let line = text.lines().next().unwrap_or_default();
            Err(SettingError::Refused(line.strip_prefix("error: ").unwrap_or(line).to_owned()))
        }
    }
}
