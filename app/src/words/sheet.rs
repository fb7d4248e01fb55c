//! A language as a sheet: a file of one line for each word, which a page that speaks it fetches. English is in the program.

use super::{Words, english};
use question_card::{Direction, Labels, TimeLeft, Unit};
use std::cell::RefCell;

/// Between the forms of a phrase that depends on a number.
const OR: char = '|';

/// The phrases of a language that have something to fill in, in the order of their lines.
#[derive(Clone, Copy)]
enum Phrase {
    Preview,
    Noted,
    Failed,
    ErrorSelect,
    Step,
    CharsLeft,
    CharsOver,
    ErrorTooLong,
    Ready,
    Colon,
    Choice,
    Progress,
    Unanswered,
    UnansweredOne,
    Days,
    Hours,
    Minutes,
    Seconds,
}

const PHRASES: usize = Phrase::Seconds as usize + 1;

/// A language that was fetched. It stays as long as the page.
#[derive(Clone)]
struct Sheet {
    words: &'static Words,
    phrases: Vec<&'static str>,
}

thread_local! {
    /// What was read so far; the last one is spoken.
    static READ: RefCell<Vec<Sheet>> = const { RefCell::new(Vec::new()) };
}

/// The words of a language that was read; from now on, they are spoken.
pub(super) fn again(lang: &str) -> Option<&'static Words> {
    READ.with_borrow_mut(|read| {
        let at = read.iter().position(|sheet| sheet.words.labels.lang == lang)?;
        let sheet = read.remove(at);
        read.push(sheet.clone());
        Some(sheet.words)
    })
}

/// Learns the words of a sheet, if it is one of this version of the page.
pub(super) fn read(sheet: &str) -> Option<&'static Words> {
    let mut lines = String::leak(sheet.to_owned()).lines();
    let (mut words, mut labels) = (english::WORDS.clone(), Labels::ENGLISH);
    let direction = lines.next()?;
    let phrases: Vec<_> = lines.by_ref().take(PHRASES).collect();
    for word in texts(&mut words, &mut labels) {
        *word = lines.next()?;
    }
    if lines.next().is_some() {
        return None;
    }
    labels.dir = match direction {
        "rtl" => Direction::RightToLeft,
        _ => Direction::LeftToRight,
    };
    labels.preview = |label| with_text(Phrase::Preview, label);
    labels.noted = |note| with_text(Phrase::Noted, note);
    labels.failed = |reason| with_text(Phrase::Failed, reason);
    labels.error_select = |question| with_text(Phrase::ErrorSelect, question);
    labels.step = |number| counted(Phrase::Step, number, 0);
    labels.chars_left = |left| counted(Phrase::CharsLeft, left, 0);
    labels.chars_over = |over| counted(Phrase::CharsOver, over, 0);
    labels.error_too_long = |over| counted(Phrase::ErrorTooLong, over, 0);
    labels.progress = |answered, count| counted(Phrase::Progress, answered, count);
    labels.unanswered = |open, count| match count {
        1 => with_text(Phrase::UnansweredOne, ""),
        _ => counted(Phrase::Unanswered, open, count),
    };
    labels.ready = ready;
    labels.time_left = |TimeLeft { count, unit }| {
        let phrase = match unit {
            Unit::Days => Phrase::Days,
            Unit::Hours => Phrase::Hours,
            Unit::Minutes => Phrase::Minutes,
            Unit::Seconds => Phrase::Seconds,
        };
        counted(phrase, count, 0)
    };
    words.labels = Box::leak(Box::new(labels));
    let words = Box::leak(Box::new(words));
    READ.with_borrow_mut(|read| read.push(Sheet { words, phrases }));
    Some(words)
}

fn ready(count: usize, header: &str, question: &str, options: usize) -> String {
    let colon = if header.is_empty() { String::new() } else { with_text(Phrase::Colon, "") };
    let choice = if options == 0 { String::new() } else { counted(Phrase::Choice, options, 0) };
    [&counted(Phrase::Ready, count, 0), header, &colon, question, &choice].concat()
}

/// A phrase with a text in it.
fn with_text(phrase: Phrase, text: &str) -> String {
    filled(line(phrase), text, "")
}

/// A phrase in the form for a number, with that number and another one in it.
fn counted(phrase: Phrase, number: usize, other: usize) -> String {
    let line = line(phrase);
    let form = line.split(OR).nth(form(number, line.split(OR).count())).unwrap_or(line);
    filled(form, &number.to_string(), &other.to_string())
}

fn line(phrase: Phrase) -> &'static str {
    READ.with_borrow(|read| read.last().and_then(|sheet| sheet.phrases.get(phrase as usize)).copied()).unwrap_or("")
}

/// Which of its forms a number takes, by the rules of Unicode's CLDR: Arabic has six, Japanese one, and the others have two.
fn form(number: usize, forms: usize) -> usize {
    match (forms, number, number % 100) {
        (6, 0..=2, _) => number,
        (6, _, 3..=10) => 3,
        (6, _, 11..=99) => 4,
        (6, ..) => 5,
        (1, ..) => 0,
        _ => usize::from(number != 1),
    }
}

fn filled(form: &str, first: &str, second: &str) -> String {
    let part = |part| match part {
        "0" => first,
        "1" => second,
        text => text,
    };
    form.split(['{', '}']).map(part).collect()
}

/// Every word that is a text, in the order of the lines.
fn texts<'a>(words: &'a mut Words, labels: &'a mut Labels) -> Vec<&'a mut &'static str> {
    let (settings, troubles) = (&mut words.settings, &mut words.troubles);
    let mut texts = vec![
        &mut labels.lang,
        &mut labels.title,
        &mut labels.select_one,
        &mut labels.pick_one,
        &mut labels.select_many,
        &mut labels.other,
        &mut labels.other_placeholder,
        &mut labels.other_unsent,
        &mut labels.add_note,
        &mut labels.note,
        &mut labels.skip,
        &mut labels.skipping,
        &mut labels.submit,
        &mut labels.send,
        &mut labels.submit_wait,
        &mut labels.cancel,
        &mut labels.cancel_confirm,
        &mut labels.keep_answering,
        &mut labels.reply_in_chat,
        &mut labels.composing,
        &mut labels.malformed,
        &mut labels.malformed_answer,
        &mut labels.nudge,
        &mut labels.error_other,
        &mut labels.back,
        &mut labels.onward,
        &mut labels.more_time,
        &mut labels.sending,
        &mut labels.held,
        &mut labels.change,
        &mut labels.next_ask,
        &mut labels.taken_back,
        &mut labels.try_again,
        &mut labels.sent,
        &mut labels.answered_elsewhere,
        &mut labels.list,
        &mut labels.selected_prefix,
        &mut labels.answered,
        &mut labels.cancelled,
        &mut labels.replied_in_chat,
        &mut labels.superseded,
        &mut labels.expired,
        &mut labels.interrupted,
        &mut labels.settled,
        &mut labels.not_answered,
        &mut labels.show_all,
        &mut labels.show_options,
        &mut labels.skipped,
        &mut labels.no_answer,
        &mut labels.late,
        &mut labels.copy,
        &mut labels.copied,
        &mut labels.copy_answers,
        &mut labels.copy_failed,
        &mut labels.copy_question,
        &mut labels.copy_answer,
        &mut labels.send_as_message,
        &mut labels.not_now,
        &mut labels.dismiss,
        &mut labels.ask_again,
        &mut words.name,
        &mut words.title,
        &mut words.subtitle,
        &mut words.conversation,
        &mut words.new_conversation,
        &mut words.welcome,
        &mut words.welcome_hint,
        &mut words.message,
        &mut words.message_placeholder,
        &mut words.send,
        &mut words.stop,
        &mut words.try_again,
        &mut words.you,
        &mut words.agent,
        &mut words.tool_running,
        &mut words.tool_done,
        &mut words.to_the_end,
        &mut words.news,
        &mut words.question_waits,
        &mut words.still_writing,
        &mut words.question_came,
        &mut words.not_yet,
        &mut words.picks_go_along,
        &mut words.silent,
        &mut words.reconnecting,
        &mut words.offline,
        &mut words.offline_elsewhere,
        &mut settings.title,
        &mut settings.close,
        &mut settings.language,
        &mut settings.as_browser,
        &mut settings.language_missing,
        &mut settings.theme,
        &mut settings.as_system,
        &mut settings.light,
        &mut settings.dark,
        &mut settings.submit,
        &mut settings.submit_on_pick,
        &mut settings.submit_explicit,
        &mut settings.notify,
        &mut settings.notify_blocked,
        &mut settings.developer,
        &mut settings.agent,
        &mut settings.agent_hint,
        &mut settings.agent_invalid,
        &mut settings.headers,
        &mut settings.headers_hint,
        &mut settings.headers_invalid,
        &mut settings.delivery,
        &mut settings.automatic,
        &mut settings.by_user_message,
        &mut settings.by_tool_result,
        &mut settings.by_resume,
        &mut settings.by_rest,
        &mut troubles.unreachable,
        &mut troubles.not_let_in,
        &mut troubles.too_much,
        &mut troubles.refused,
        &mut troubles.had_problem,
        &mut troubles.gone,
        &mut troubles.stopped,
        &mut troubles.broke_off,
        &mut troubles.unknown,
        &mut troubles.may_have_arrived,
        &mut troubles.unreadable,
        &mut troubles.run_open,
        &mut troubles.not_waiting,
        &mut troubles.others_wait,
        &mut troubles.agent_waits,
        &mut troubles.nothing_to_resume,
    ];
    let lists = [
        &mut words.suggestions[..],
        &mut words.suggestions_to_anyone,
        &mut troubles.elsewhere,
        &mut troubles.not_allowed,
        &mut troubles.failed,
        &mut troubles.unfit,
    ];
    texts.extend(lists.into_iter().flatten());
    texts
}

/// The sheet of a language.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn written(words: &Words) -> String {
    // A number of each form; those that stand for others are none that a phrase has by itself.
    let numbers: &[usize] = match words.labels.lang {
        "ar" => &[0, 1, 2, 7003, 7011, 7100],
        "ja" => &[7003],
        _ => &[1, 7003],
    };
    let (mut words, mut labels) = (words.clone(), *words.labels);
    let said = labels;
    let forms = |say: &dyn Fn(usize) -> String| {
        let form = |&number: &usize| {
            let form = say(number).replace("9009", "{1}");
            // A form of one number alone may say it in words.
            if number > 2 { form.replace(&number.to_string(), "{0}") } else { form }
        };
        numbers.iter().map(form).collect::<Vec<_>>().join(&OR.to_string())
    };
    let left = |unit| forms(&|count| (said.time_left)(TimeLeft { count, unit }));
    let phrases: [String; PHRASES] = [
        (said.preview)("{0}"),
        (said.noted)("{0}"),
        (said.failed)("{0}"),
        (said.error_select)("{0}"),
        (said.step)(7003).replace("7003", "{0}"),
        forms(&|left| (said.chars_left)(left)),
        forms(&|over| (said.chars_over)(over)),
        forms(&|over| (said.error_too_long)(over)),
        forms(&|count| (said.ready)(count, "", "", 0)),
        (said.ready)(1, "H", "Q", 0).split_once('H').expect("the header").1.replace('Q', ""),
        forms(&|options| (said.ready)(1, "", "Q", options.max(1)).split_once('Q').expect("the question").1.to_owned()),
        forms(&|answered| (said.progress)(answered, 9009)),
        forms(&|open| (said.unanswered)(open, 9009)),
        (said.unanswered)(1, 1),
        left(Unit::Days),
        left(Unit::Hours),
        left(Unit::Minutes),
        left(Unit::Seconds),
    ];
    let direction = labels.dir.as_str().to_owned();
    let texts = texts(&mut words, &mut labels).into_iter().map(|text| (*text).to_owned());
    let mut sheet = String::new();
    for line in std::iter::once(direction).chain(phrases).chain(texts) {
        assert!(!line.contains(['\n', '\r']), "a word is a line: {line}");
        sheet += &line;
        sheet.push('\n');
    }
    sheet
}
