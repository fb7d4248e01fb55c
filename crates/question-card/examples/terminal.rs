//! A card of plain lines, for a terminal: `cargo run -p question-card --example terminal [ARGUMENTS.json]`.
//!
//! It draws `question_card::machine`, which decides everything.

use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
use question_card::dom::Control;
use question_card::machine::{Card, Click, Do, Field, Input, KeyPress, Now, Submission};
use question_card::{CardEvent, Options};
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

const EXAMPLE: &str = r#"{"questions": [
    {"question": "Which database?", "header": "Database", "multiSelect": false,
     "options": [{"label": "Postgres", "description": "A server"}, {"label": "SQLite", "description": "One file"}]},
    {"question": "Which features?", "header": "Features", "multiSelect": true,
     "options": [{"label": "Search"}, {"label": "Export"}]}]}"#;

fn main() -> io::Result<()> {
    let arguments = std::env::args().nth(1).map_or(Ok(EXAMPLE.to_owned()), std::fs::read_to_string)?;
    let Some(ask) = AskUserQuestion::from_arguments(&arguments) else {
        return Err(io::Error::other("these are no arguments of the tool"));
    };
    run(ask, io::stdin().lock(), &mut io::stdout())?;
    Ok(())
}

/// Asks until there is an answer, or the lines end. Returns the tool's result.
pub fn run(ask: AskUserQuestion, lines: impl BufRead, to: &mut dyn Write) -> io::Result<Option<String>> {
    let ask = AskSnapshot::complete("terminal", ask, Phase::Answerable);
    let mut terminal = Terminal {
        card: Card::new(&ask, Options::default()),
        ask,
        begun: Instant::now(),
        question: 0,
        said: Vec::new(),
    };
    terminal.take(Input::Begin);
    terminal.draw(to)?;
    for line in lines.lines() {
        if let Some(result) = terminal.read(line?.trim()) {
            writeln!(to, "{result}")?;
            return Ok(Some(result));
        }
        terminal.draw(to)?;
    }
    Ok(None)
}

struct Terminal {
    card: Card,
    ask: AskSnapshot,
    begun: Instant,
    /// The question whose options the digits choose.
    question: usize,
    /// The announcements since the card was drawn.
    said: Vec<String>,
}

impl Terminal {
    /// Carries out a line. Returns the tool's result, if the line is an answer.
    fn read(&mut self, line: &str) -> Option<String> {
        let question = self.question;
        let here = Some(Control::Option { question, option: 0 });
        match line.split_once(' ').unwrap_or((line, "")) {
            ("", _) => {
                self.take(Input::Key(KeyPress { key: "Enter", ctrl_or_meta: true, ..KeyPress::default() }, here))
            }
            ("x", _) => self.take(Input::Click(press(Control::Cancel))),
            ("o", text) => self.take(Input::Typed(question, Field::Other, text)),
            ("q", number) => {
                let number = number.parse().unwrap_or(question + 1);
                self.question = usize::clamp(number, 1, self.ask.questions.len()) - 1;
                None
            }
            (number, _) if number.len() > 1 => {
                let option = number.parse().ok().and_then(|number: usize| number.checked_sub(1))?;
                self.take(Input::Choose(Control::Option { question, option }))
            }
            (key, _) => self.take(Input::Key(KeyPress { key, ..KeyPress::default() }, here)),
        }
    }

    fn take(&mut self, input: Input<'_>) -> Option<String> {
        // A terminal has no pointer that could land on something that has just moved.
        let clock = (self.begun.elapsed() + Duration::from_secs(1)).as_secs_f64() * 1000.0;
        let mut result = None;
        for act in self.card.take(Now { clock, ..Now::default() }, &self.ask, input) {
            match act {
                Do::Emit(CardEvent::Reply(reply)) => result = Some(reply.to_json().to_string()),
                Do::Emit(CardEvent::Cancel) => result = Some(ask_user_question::outcome::DECLINED_TEXT.to_owned()),
                Do::Say(text) => self.said.push(text),
                Do::SayOnce(_, text) => self.said.push(text),
                Do::Enter(question, _) => self.question = question,
                _ => {}
            }
        }
        result
    }

    fn draw(&mut self, to: &mut dyn Write) -> io::Result<()> {
        for (index, asked) in self.ask.questions.iter().enumerate() {
            let mark = if index == self.question { '>' } else { ' ' };
            writeln!(to, "{mark} {}. {}", index + 1, plain(&asked.question.text))?;
            let many = asked.multi_select == Some(true);
            for (option, shown) in asked.options.iter().enumerate() {
                let chosen = if self.card.is_chosen(index, option) { 'x' } else { ' ' };
                let (open, close) = if many { ('[', ']') } else { ('(', ')') };
                write!(to, "     {} {open}{chosen}{close} {}", option + 1, plain(&shown.label.text))?;
                match &shown.description {
                    Some(description) => writeln!(to, " - {}", plain(&description.text))?,
                    None => writeln!(to)?,
                }
            }
            match self.card.text(index, Field::Other) {
                "" => {}
                text => writeln!(to, "       other: {}", plain(text))?,
            }
            if let Some(problem) = self.card.error(index) {
                writeln!(to, "     ! {}", plain(&self.card.error_text(problem)))?;
            }
        }
        for said in self.said.drain(..) {
            writeln!(to, "* {}", plain(&said))?;
        }
        if *self.card.submission() == Submission::Open {
            let cancel = if self.card.confirms_cancel() { "x again: discard the answers" } else { "x: don't answer" };
            writeln!(to, "1, 2, …: choose, o TEXT: own answer, q N: go to question N, Enter: submit, {cancel}")?;
        }
        to.flush()
    }
}

/// A text of a model or user on one line, without commands to the terminal.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// A press of a button, without a pointer.
fn press(on: Control) -> Click {
    Click { on, is_bare: false, is_tap: true, has_pointer: false, is_near: false, down_at: 0.0, at: 0.0 }
}
