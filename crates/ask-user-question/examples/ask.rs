//! The crate in a person's or a script's hands; `--help` is its contract.

use ask_user_question::limits::ExtraMember;
use ask_user_question::reply::Selection;
use ask_user_question::tool::tool_definition;
use ask_user_question::validate::{Code, Violation};
use ask_user_question::{AskUserQuestion, Limits, Outcome, Reply};
use json_tree::Json;
use question_compat::{Checked, Repair, check, check_text, match_message};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{Read, Write};
use std::process::ExitCode;

const HELP: &str = "\
Every rule about a legal question and a legal answer, from the command line.

USAGE
  ask tool  PROFILE [--previews]
  ask check PROFILE [--previews]  < arguments.json
  ask reply                       < {\"ask\", \"selections\"}
  ask match                       < {\"ask\", \"text\", \"selections\"?}

PROFILE is runtime, coding or chat, and with +input questions may ask for a number, a date or
an order; +value and +showIf offer these members. --previews allows options to carry a preview.
Input is one JSON text on standard input, output one JSON object on standard output.

COMMANDS
  tool   Prints the tool's definition: {\"name\", \"description\", \"parameters\"}.
  check  Repairs and validates the arguments of a call, and prints
         {\"valid\", \"violations\": [{\"path\", \"code\", \"message\"}],
          \"repairs\": [{\"path\", \"code\", \"message\"}], \"ask\"}.
         \"ask\" is what a card would show, null where nothing is left to show.
         Text that is no JSON, or has a key twice in an object, is an invalid call with
         the code invalid_json.
  reply  Builds the reply to an ask from what was picked. A selection is
         {\"question\", \"selected\": [index...], \"other\"?, \"note\"?, \"skipped\"?};
         \"question\" is the question's index or its text, an option its index or its label.
         Indexes count what a card shows: the \"ask\" that `check` prints.
         Every question needs a selection. Prints {\"reply\", \"message\"}: the reply for
         the agent and the text of the next user message; or {\"errors\": [{\"path\",
         \"code\", \"message\"}]}.
  match  Says what a typed chat message answers; \"selections\" are the picks so far. Prints
         {\"outcome\": \"answered\", \"reply\", \"message\"} or
         {\"outcome\": \"replied_in_chat\", \"text\", \"content\"}, where \"content\" is what
         the agent reads.

EXIT STATUS
  0  valid, built or matched
  1  invalid: the violations or errors are printed
  2  wrong usage or unreadable input: a sentence on standard error, nothing printed
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments, input) {
        Ok(Output { text, valid }) => {
            // A reader that has gone away wants no more output, and no panic either.
            let _ = writeln!(std::io::stdout(), "{text}");
            ExitCode::from(u8::from(!valid))
        }
        Err(refusal) => {
            eprintln!("ask: {refusal}");
            ExitCode::from(2)
        }
    }
}

/// The text for standard output, and the exit status, 0 or 1.
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) valid: bool,
}

/// Runs one command; input is read only by the commands that need it.
pub(crate) fn run(arguments: &[&str], input: impl FnOnce() -> Result<String, String>) -> Result<Output, String> {
    match arguments {
        _ if arguments.iter().any(|argument| matches!(*argument, "--help" | "-h")) => {
            Ok(Output { text: HELP.trim_end().to_owned(), valid: true })
        }
        ["tool", profile @ ..] => print(true, &tool_definition(&limits(profile)?)),
        ["check", profile @ ..] => check_arguments(&limits(profile)?, &input()?),
        ["reply"] => build_reply(&input()?),
        ["match"] => match_text(&input()?),
        _ => Err("expected `tool PROFILE`, `check PROFILE`, `reply` or `match`; see `ask --help`".to_owned()),
    }
}

fn limits(arguments: &[&str]) -> Result<Limits, String> {
    let (profile, previews) = match arguments {
        [profile] => (profile, false),
        [profile, "--previews"] | ["--previews", profile] => (profile, true),
        _ => return Err("expected one PROFILE: runtime, coding or chat".to_owned()),
    };
    let limits = Limits::by_name(profile)
        .ok_or_else(|| format!("unknown profile `{profile}`: expected runtime, coding or chat"))?;
    Ok(if previews { limits.with(ExtraMember::Preview) } else { limits })
}

fn input() -> Result<String, String> {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.map_err(|error| format!("cannot read standard input: {error}"))?;
    Ok(text)
}

fn print(valid: bool, output: &impl Serialize) -> Result<Output, String> {
    let text = serde_json::to_string_pretty(output).map_err(|error| error.to_string())?;
    Ok(Output { text, valid })
}

fn check_arguments(limits: &Limits, text: &str) -> Result<Output, String> {
    #[derive(Serialize)]
    struct Verdict {
        valid: bool,
        violations: Vec<Violation>,
        repairs: Vec<Repair>,
        ask: Option<AskUserQuestion>,
    }
    let checked = check_text(limits, text);
    let valid = checked.is_valid();
    let Checked { ask, repairs, violations, .. } = checked;
    print(valid, &Verdict { valid, violations, repairs, ask })
}

fn build_reply(text: &str) -> Result<Output, String> {
    #[derive(Serialize)]
    struct Built {
        reply: Reply,
        message: String,
    }
    let input = json_of(text)?;
    let ask = ask_of(&input)?;
    match selections_of(&ask, &input["selections"]).and_then(|selections| Reply::check(&ask, selections)) {
        Ok(reply) => print(true, &Built { message: reply.message(), reply }),
        Err(errors) => print(false, &serde_json::json!({"errors": errors})),
    }
}

fn match_text(text: &str) -> Result<Output, String> {
    let input = json_of(text)?;
    let ask = ask_of(&input)?;
    let typed = input["text"].as_str().ok_or("the input has no `text`")?;
    let partial = match &input["selections"] {
        Value::Null => Vec::new(),
        selections => match selections_of(&ask, selections) {
            Ok(partial) => partial,
            Err(errors) => return print(false, &serde_json::json!({"errors": errors})),
        },
    };
    let outcome = match_message(&ask, typed, partial);
    let (kind, content) = (outcome.kind().as_str().into(), outcome.tool_content(&ask).into());
    let matched = match outcome {
        Outcome::Answered(reply) => {
            [("outcome", kind), ("reply", reply.to_json()), ("message", reply.message().into())]
        }
        Outcome::RepliedInChat { text, .. } => [("outcome", kind), ("text", text.into()), ("content", content)],
        other => unreachable!("a message is never {other:?}"),
    };
    print(true, &Json::object(matched))
}

fn json_of(text: &str) -> Result<Value, String> {
    json_tree::parse(text).map_err(|error| format!("the input is no JSON: {error}"))
}

/// The ask as a card would show it: the user has seen that, and not what the model wrote.
fn ask_of(input: &Value) -> Result<AskUserQuestion, String> {
    let ask = input.get("ask").ok_or("the input has no `ask`")?;
    check(&Limits::RUNTIME, ask.clone()).ask.ok_or_else(|| "nothing in `ask` can be read as a question".to_owned())
}

fn selections_of(ask: &AskUserQuestion, selections: &Value) -> Result<Vec<Selection>, Vec<Violation>> {
    let Some(selections) = selections.as_array() else {
        return Err(vec![violation("selections", Code::WrongType, "`selections` must be an array.")]);
    };
    let mut read = Vec::new();
    let mut errors = Vec::new();
    for (s, selection) in selections.iter().enumerate() {
        match selection_of(ask, selection.clone(), &format!("selections[{s}]")) {
            Ok(selection) => read.push(selection),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(read) } else { Err(errors) }
}

/// Reads one selection; questions and options that are named by their text become indexes first.
fn selection_of(ask: &AskUserQuestion, mut selection: Value, path: &str) -> Result<Selection, Violation> {
    let named = match selection.get("question") {
        Some(Value::String(text)) => {
            let question = ask.questions.iter().position(|question| question.question == text.trim());
            let unknown = || {
                violation(&format!("{path}.question"), Code::UnknownQuestion, "The ask has no question with this text.")
            };
            Some(question.ok_or_else(unknown)?)
        }
        _ => None,
    };
    if let Some(index) = named {
        selection["question"] = index.into();
    }
    let question = selection
        .get("question")
        .and_then(Value::as_u64)
        .and_then(|index| ask.questions.get(usize::try_from(index).ok()?));
    if let (Some(question), Some(Value::Array(selected))) = (question, selection.get_mut("selected")) {
        for (s, option) in selected.iter_mut().enumerate() {
            let Some(label) = option.as_str() else {
                continue;
            };
            let index = question.options.iter().position(|option| option.label == label.trim());
            let unknown = || {
                violation(
                    &format!("{path}.selected[{s}]"),
                    Code::UnknownOption,
                    "The question has no option with this label.",
                )
            };
            *option = index.ok_or_else(unknown)?.into();
        }
    }
    Selection::deserialize(&selection)
        .map_err(|error| violation(path, Code::WrongType, &format!("The selection cannot be read: {error}.")))
}

fn violation(path: &str, code: Code, message: &str) -> Violation {
    Violation::new(path, code, message)
}
