//! Reads results that are sentences for a model.

use super::answer::{Texts, answered};
use crate::matching::strip_title;
use crate::repair::{parsed, without_bullet};
use crate::text::plain;
use crate::words::place;
use ask_user_question::reply::{MOST_PARTS, Selection};
use ask_user_question::text::{CharClass, is_blank};
use ask_user_question::{AskUserQuestion, Outcome};
use json_tree::Json;

/// How refusals by a user start, after "The user".
const REFUSES: &str = "doesn't want to|does not want to|didn't want to|did not want to|declined|cancelled|canceled|dismissed|rejected|\
    refused|denied|skipped|has declined|chose not to";

pub(super) fn sentence(ask: &AskUserQuestion, content: &str) -> Option<Outcome> {
    const SAID: &str = "the user said:";
    let headed = content.strip_prefix('[').and_then(|headed| headed.split_once("] Result:"));
    let content = bare(headed.map_or(content, |(_, said)| said.trim()));
    if content.is_empty() {
        return None;
    }
    let told = content.strip_prefix("Error:").unwrap_or(content).trim();
    let small = told.get(..told.floor_char_boundary(400)).unwrap_or_default().to_ascii_lowercase();
    let about_user = small.strip_prefix("the ").unwrap_or(&small).strip_prefix("user ");
    if about_user.is_some_and(|said| place(REFUSES, &mut |word| said.starts_with(word)).is_some()) {
        let said = small.find(SAID).and_then(|at| told.get(at + SAID.len()..)).map(str::trim);
        let said = said.filter(|said| !is_blank(said));
        return Some(said.map_or(Outcome::Declined, |said| Outcome::replied_in_chat(ask, said, Vec::new())));
    }
    if let Some(outcome) = pairs(ask, content).or_else(|| lines(ask, content)) {
        return Some(outcome);
    }
    let (said, may_be_own) = introduced(content).unwrap_or((content, false));
    let Some(question) = ask.only() else {
        if may_be_own && !is_blank(said) {
            return Some(Outcome::replied_in_chat(ask, said, Vec::new()));
        }
        return ended(&small);
    };
    let bare = said.trim_end_matches('.').trim_matches(['"', '\'']);
    let picked = |text: &str| Texts::Labels.answer(question, &Json::Text(text.into()));
    let picks = picked(said).or_else(|| picked(bare)).or_else(|| picked(without_bullet(bare)?));
    // A remark after a label is by the tool, such as "(auto-selected after timeout)".
    let remarks = || said.rsplit_once(" (").is_some_and(|(before, _)| picked(before).is_some());
    let own = || Texts::Words.answer(question, &Json::Text(unquoted(said).into())).filter(|_| may_be_own && !remarks());
    picks.or_else(own).map_or_else(|| ended(&small), |picks| answered(ask, vec![picks]))
}

/// A text without surrounding quotation marks, such as those of Python's `repr`.
fn unquoted(text: &str) -> &str {
    let inner = |mark| text.strip_prefix(mark)?.strip_suffix(mark);
    ['"', '\''].into_iter().find_map(inner).unwrap_or(text)
}

/// Returns true if the tool says, before the answers, that they may not be the user's.
fn is_unsure(told: &str) -> bool {
    const WORDS: &str = " not |auto|default|recommend|timed out|timeout|no response|away|skipped";
    let told = plain(told);
    place(WORDS, &mut |word| told.contains(word)).is_some()
}

/// The text after words such as "The user answered:", and whether it may be in the user's own words. Without a colon, only a label may follow.
fn introduced(text: &str) -> Option<(&str, bool)> {
    const WORDS: &str = "answer|answered|responded|replied|selected|chose|picked|said|provided|response|selection|choice|\
        user|user's|human|you|your|the|has|is|option|custom|input";
    const IS_BETWEEN: CharClass = |c| !c.is_ascii_alphanumeric() && c != '\'';
    let (mut rest, mut quotes, mut says, mut is_users) = (text, false, false, false);
    loop {
        rest = rest.trim_start();
        let (word, behind) = rest.split_at_checked(rest.find(IS_BETWEEN).unwrap_or(rest.len()))?;
        let word = word.to_ascii_lowercase();
        match place(WORDS, &mut |known| known == word) {
            Some(..=8) => quotes = true,
            Some(..=11) => says = true,
            Some(..=16) => is_users = true,
            Some(_) => {}
            None => break,
        }
        rest = behind;
    }
    match rest.strip_prefix(':') {
        _ if !quotes && !says => None,
        Some(said) => Some((said.trim(), quotes && is_users)),
        None => is_users.then_some((rest, false)),
    }
}

/// Reads one line per question, such as `- **Header**: label` or `1. Question? → label`. After a line that announces answers, unanswered questions
/// may be missing. An answer may be on the next line. Only labels are accepted, since other text may be the tool's. If every answer has all options
/// of its question, they may be an echo and do not count.
fn lines(ask: &AskUserQuestion, content: &str) -> Option<Outcome> {
    const TYPED: &str = " (user-typed answer via \"Other\", not a listed option)";
    let content = content.split("\nYou can now ").next()?;
    let mut selections: Vec<Selection> = Vec::new();
    let mut is_announced = false;
    let mut lines = content.lines().filter(|line| !is_blank(line)).map(|line| line.replace('*', ""));
    while let Some(line) = lines.next() {
        let line = without_bullet(line.trim()).unwrap_or(line.trim());
        let item = behind(line, &["Q:", "[question]", "Question:"]);
        let Some((q, said)) = titled(ask, item) else {
            is_announced = selections.is_empty() && line.ends_with(':') && !is_unsure(line);
            if is_announced {
                continue;
            }
            return None;
        };
        let said = if is_blank(said) { lines.next()? } else { said.to_owned() };
        let said = behind(&said, &["A:", "[answer]", "Answer:", "→"]);
        let label = |said: &str| Texts::Labels.answer(&ask.questions[q], &Json::Text(said.into()));
        let typed = || Texts::Words.answer(&ask.questions[q], &Json::Text(said.strip_suffix(TYPED)?.into()));
        // Several labels as JSON, as deepagents' `ask_user` writes them.
        let listed = || match parsed(said) {
            Ok((labels @ Json::List(_), _)) => Texts::Labels.answer(&ask.questions[q], &labels),
            _ => None,
        };
        let mut selection = label(said).or_else(|| label(unquoted(said))).or_else(listed).or_else(typed)?;
        selection.question = q;
        if selections.iter().any(|other| other.question == q) {
            return None;
        }
        selections.push(selection);
    }
    let has_all = |picked: &Selection| picked.selected.len() == ask.questions[picked.question].options.len();
    let is_whole = is_announced || selections.len() == ask.questions.len();
    let is_sure = is_whole && !selections.iter().all(has_all);
    if is_sure { answered(ask, selections) } else { None }
}

/// The question whose header or text the line starts with, and the rest of the line.
fn titled<'l>(ask: &AskUserQuestion, line: &'l str) -> Option<(usize, &'l str)> {
    ask.questions.iter().enumerate().take(MOST_PARTS).find_map(|(q, question)| {
        let is_title = |text: &str| {
            let titles = [Some(&question.question), question.header.as_ref()];
            let is_it = |title: &str| !is_blank(title) && plain(title) == plain(text.trim().trim_matches('"'));
            titles.into_iter().flatten().any(|title| is_it(title))
        };
        let behind = |sign| line.split_once(sign).filter(|(title, _)| is_title(title)).map(|(_, said)| said);
        let said = strip_title(question, line).or_else(|| [":", "→", "->", "="].into_iter().find_map(behind));
        Some((q, said.or_else(|| is_title(line).then_some(""))?))
    })
}

fn behind<'l>(line: &'l str, words: &[&str]) -> &'l str {
    words.iter().find_map(|word| line.trim_start().strip_prefix(word)).unwrap_or(line).trim()
}

/// A result without a surrounding tag that only names it a result.
fn bare(content: &str) -> &str {
    const TAGS: [&str; 5] = ["answer", "response", "user_answer", "user_response", "user_message"];
    let inner = |tag: &str| {
        let rest = content.strip_prefix('<')?.strip_prefix(tag)?.strip_prefix('>')?;
        rest.strip_suffix('>')?.strip_suffix(tag)?.strip_suffix("</")
    };
    TAGS.into_iter().find_map(inner).unwrap_or(content).trim()
}

/// Reads a short sentence which says that a question ended without an answer.
fn ended(small: &str) -> Option<Outcome> {
    const ENDS: [(&str, Outcome); 5] = [
        ("timed out", Outcome::Expired),
        ("time limit exceeded", Outcome::Expired),
        ("was aborted", Outcome::Cancelled),
        ("interrupted by user", Outcome::Cancelled),
        ("was interrupted", Outcome::Cancelled),
    ];
    let found = ENDS.iter().find(|(words, _)| small.len() < 200 && small.contains(*words));
    found.map(|(_, outcome)| outcome.clone())
}

/// Reads `"QUESTION"="ANSWER"` for each question. Questions and answers may contain commas and quotation marks, so the texts of the questions are
/// searched for, each once.
fn pairs(ask: &AskUserQuestion, content: &str) -> Option<Outcome> {
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (q, question) in ask.questions.iter().enumerate().take(MOST_PARTS) {
        let mut only = None;
        if is_blank(&question.question) {
            continue;
        }
        let text = String::from("\"") + &question.question + "\"";
        let escaped = Some(Json::from(&*question.question).text()).filter(|escaped| *escaped != text);
        let texts = [Some(text.clone() + "="), Some(text + " = "), escaped.map(|escaped| escaped + "=")];
        for text in texts.into_iter().flatten() {
            let mut from = 0;
            while let Some(at) = content.get(from..)?.find(text.as_str()) {
                from += at + text.len();
                if only.replace((q, from - text.len(), from)).is_some() {
                    return None;
                }
            }
        }
        if let Some(only) = only {
            let place = found.partition_point(|(_, at, _)| *at < only.1);
            found.insert(place, only);
        }
    }
    let (_, first, _) = *found.first()?;
    let before = content.get(..first)?;
    if !before.contains("answered") || is_unsure(before) {
        return None;
    }
    let mut selections = Vec::new();
    for (place, &(q, _, from)) in found.iter().enumerate() {
        let to = found.get(place + 1).map_or(content.len(), |(_, at, _)| *at);
        let (answer, note) = split_answer(content.get(from..to)?.trim_end_matches([' ', ',', '\n']))?;
        // octo-agent escapes quoted text.
        let unescaped = || Json::parse(&["\"", answer, "\""].concat()).ok().map(Json::into_static);
        let label = |text: Json<'_>| Texts::Labels.answer(&ask.questions[q], &text);
        let picked = label(answer.into()).or_else(|| label(unescaped()?));
        let mut selection = picked.or_else(|| Texts::Words.answer(&ask.questions[q], &answer.into()))?;
        (selection.question, selection.note) = (q, note.map(str::to_owned));
        selections.push(selection);
    }
    answered(ask, selections)
}

/// The answer in quotation marks, and the note after it.
fn split_answer(text: &str) -> Option<(&str, Option<&str>)> {
    const CLOSES: [&str; 2] = [". You can now", ". Read the answers"];
    let (mut answer, mut note) = (text, None);
    for close in CLOSES {
        // The last occurrence, since an answer may contain the same text.
        let ends = |at: &usize| answer.get(*at..).is_some_and(|rest| rest.starts_with(close));
        answer = (0..answer.len()).rev().find(ends).and_then(|at| answer.get(..at)).unwrap_or(answer);
    }
    for marker in ["selected preview:", "user notes:", "notes:"] {
        if let Some(at) = answer.find(marker)
            && let (Some(before), Some(behind)) = (answer.get(..at), answer.get(at + marker.len()..))
            && before.trim_end_matches([' ', '.']).ends_with(['"', ')'])
        {
            (answer, note) = (before, marker.ends_with("notes:").then_some(behind.trim()));
        }
    }
    let answer = answer.trim_end_matches([' ', '.']);
    if answer.starts_with('(') { Some(("", note)) } else { Some((answer.strip_prefix('"')?.strip_suffix('"')?, note)) }
}
