//! A card of plain lines, for a terminal: `cargo run -p question-card --features headless --example terminal [ARGUMENTS.json]`.
//!
//! It draws what `Card::connect` describes, and presses what stands there: it knows no state of the card.

use ask_user_question::outcome::DECLINED_TEXT;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
use question_card::anatomy::part;
use question_card::dom::Control;
use question_card::machine::{Card, Do, Field, Input, Now, Part};
use question_card::{CardEvent, Labels, Notes, Offers, Options, Skip, receipt_text};
use std::io::{self, BufRead, Write};
use std::time::SystemTime;

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
    let ask = AskSnapshot::complete("terminal", ask, Phase::Answerable);
    let since_1970 = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    run(ask, &|| since_1970().as_millis() as u64, io::stdin().lock(), &mut io::stdout())?;
    Ok(())
}

/// Asks until there is an answer, or the lines end. Returns the tool's result.
pub fn run(
    ask: AskSnapshot,
    date: &dyn Fn() -> u64,
    lines: impl BufRead,
    to: &mut dyn Write,
) -> io::Result<Option<String>> {
    let offers = Offers { messages: true, more_time: true, ..Offers::default() };
    let undo_within = Some(0);
    let options =
        Options { offers, undo_within, notes: Some(Notes::field()), skip: Some(Skip::button()), ..Options::default() };
    let card = Card::new(&ask, options);
    let mut terminal = Terminal { card, ask, date, question: 0, said: Vec::new() };
    terminal.take(Input::Begin);
    terminal.draw(to)?;
    for line in lines.lines() {
        terminal.take(Input::Clock);
        if let Some(result) = terminal.read(line?.trim()) {
            writeln!(to, "{result}")?;
            return Ok(Some(result));
        }
        terminal.draw(to)?;
    }
    Ok(None)
}

struct Terminal<'a> {
    card: Card,
    ask: AskSnapshot,
    /// The milliseconds since 1970.
    date: &'a dyn Fn() -> u64,
    /// The question whose options the digits choose.
    question: usize,
    /// The announcements since the card was drawn.
    said: Vec<String>,
}

impl Terminal<'_> {
    /// Carries out a line. Returns the tool's result, if the line is an answer.
    fn read(&mut self, line: &str) -> Option<String> {
        let question = self.question;
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = |text: &str| text.parse().ok().and_then(|number: usize| number.checked_sub(1));
        match command {
            "" => self.press(Control::Submit),
            "x" => self.press(Control::Cancel),
            "o" => self.take(Input::Typed(question, Field::Other, rest)),
            "n" => self.take(Input::Typed(question, Field::Note, rest)),
            "q" => {
                self.question = number(rest).unwrap_or(question + 1).min(self.ask.questions.len() - 1);
                None
            }
            "b" => {
                let card = self.card.connect(&self.ask);
                let button = buttons(&card).get(number(rest)?)?.press()?;
                self.take(button)
            }
            option => self.press(Control::Option { question, option: number(option)? }),
        }
    }

    fn press(&mut self, control: Control) -> Option<String> {
        let press = self.card.connect(&self.ask).control(control)?.press()?;
        self.take(press)
    }

    fn take(&mut self, input: Input<'_>) -> Option<String> {
        let now = Now { date: (self.date)(), ..Now::default() };
        let mut result = None;
        for act in self.card.take(now, &self.ask, input) {
            match act {
                Do::Emit(CardEvent::Reply(reply)) => result = Some(reply.to_json().to_string()),
                Do::Emit(CardEvent::Cancel) => result = Some(DECLINED_TEXT.to_owned()),
                Do::Emit(CardEvent::Message(text)) => {
                    self.said.push(format!("To the agent: {text}"));
                    self.take(Input::Taken(true));
                }
                Do::Emit(CardEvent::Extend) => {
                    self.ask.expires_at = self.ask.expires_at.map(|at| at + 60_000);
                    self.take(Input::Ask);
                }
                Do::Say(text) => self.said.push(text),
                Do::SayOnce(_, text) => self.said.push(text),
                Do::Enter(question, _) => self.question = question,
                Do::Copy(control) => {
                    // There is no clipboard: it is shown, to be copied by hand.
                    self.said.push(match control {
                        Control::CopyLate => self.card.late().to_owned(),
                        _ => receipt_text(&self.ask, &Labels::ENGLISH),
                    });
                    self.take(Input::Copied(control, true));
                }
                _ => {}
            }
        }
        result
    }

    fn draw(&mut self, to: &mut dyn Write) -> io::Result<()> {
        let card = self.card.connect(&self.ask);
        let asked = (0..self.ask.questions.len()).filter(|question| !self.card.is_hidden(*question));
        for (index, question) in asked.zip(card.all(part::QUESTION)) {
            let mark = if index == self.question { '>' } else { ' ' };
            writeln!(to, "{mark} {}. {}", index + 1, words(question, part::QUESTION_TEXT))?;
            // The bounds of a number or a date, and its unit.
            if self.card.draft().input(index).is_some() {
                writeln!(to, "     {}", words(question, part::HINT))?;
            }
            for (option, row) in question.all(part::OPTION).into_iter().enumerate() {
                draw_row(to, option + 1, row)?;
            }
            for line in question.all(part::ERROR) {
                writeln!(to, "     ! {}", plain(&line.words()))?;
            }
        }
        let timers = card.all(part::DEADLINE).into_iter().filter_map(|deadline| deadline.children.first());
        let names = [part::COMPOSING, part::RECEIPT_STATE, part::LATE_TEXT, part::ALERT, part::WAIT];
        let lines = names.iter().flat_map(|name| card.all(name)).chain(timers).map(Part::words);
        for line in lines.filter(|line| !line.is_empty()) {
            writeln!(to, "  {}", plain(&line))?;
        }
        for said in self.said.drain(..) {
            writeln!(to, "* {}", plain(&said))?;
        }
        for (index, button) in buttons(&card).into_iter().enumerate() {
            writeln!(to, "  b {}: {}", index + 1, plain(&button.words()))?;
        }
        if let Some(cancel) = card.control(Control::Cancel) {
            let cancel = plain(&cancel.words());
            writeln!(
                to,
                "1, 2, …: choose, o TEXT: own answer, n TEXT: note, q N: go to question N, Enter: submit, x: {cancel}"
            )?;
        }
        to.flush()
    }
}

/// An option with its description, or the free-text answer.
fn draw_row(to: &mut dyn Write, number: usize, row: &Part) -> io::Result<()> {
    if let [field, ..] = row.all(part::OTHER_INPUT)[..] {
        return match &*field.words() {
            "" => Ok(()),
            text => writeln!(to, "       other: {}", plain(text)),
        };
    }
    let inputs = row.all(part::OPTION_INPUT);
    let Some(input) = inputs.first() else {
        return Ok(());
    };
    let chosen = if input.get("checked").is_some() { 'x' } else { ' ' };
    let (open, close) = if input.get("type") == Some("checkbox") { ('[', ']') } else { ('(', ')') };
    write!(to, "     {number} {open}{chosen}{close} {}", words(row, part::OPTION_LABEL))?;
    match &*words(row, part::OPTION_DESC) {
        "" => writeln!(to),
        description => writeln!(to, " - {description}"),
    }
}

fn words(around: &Part, name: &str) -> String {
    plain(&around.all(name).first().map(|part| part.words()).unwrap_or_default())
}

/// The buttons that can be pressed.
fn buttons(card: &Part) -> Vec<&Part> {
    card.all(part::BUTTON).into_iter().filter(|button| button.press().is_some()).collect()
}

/// A text of a model or user on one line, without commands to the terminal.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}
