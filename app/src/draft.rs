//! The text in the composer, and where it goes: a line above the field says so before it is sent.

use crate::effect::{effect, in_next_task};
use crate::field::{field, focus_composer, join, keep_unsent, write_in};
use crate::nodes::{add, add_button, element, goes_with_owner, hear_event, set, shows, write};
use crate::notice::Notice;
use crate::settings::Settings;
use crate::shell::place;
use crate::spoken::say;
use crate::words::{Say, words};
use agent_chat::{AgentChat, Ask, Attachment, Entry, Item, Outcome, Reading, Selection, SendAs, Status};
use leptos::prelude::*;
use live_markdown::marks::plain;
use question_card::{FileTray, InputMethod, Options, Persist};
use std::cell::Cell;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

/// The id of the line that says where a text would go, by which `index.html` describes the field.
const LINE: &str = "goes";

/// The choice for a text that may be meant as the answer or as a question back.
const CHOICE: &str = "#goes button:not([hidden])";

/// The text that is being written, and the one that is sent after the run.
#[derive(Clone, Copy)]
pub(crate) struct Draft {
    chat: AgentChat,
    notice: Notice,
    /// Scrolls to the end of the transcript, as sending does.
    at_end: RwSignal<bool>,
    /// The text of the field.
    pub(crate) written: RwSignal<String>,
    /// A message that was sent while the agent wrote.
    queued: RwSignal<String>,
    /// True for a text that was started before the question came.
    is_older: RwSignal<bool>,
    /// The files beside the text, if the agent takes any.
    pub(crate) tray: StoredValue<Option<FileTray>, LocalStorage>,
}

impl Draft {
    /// The text that is in the field.
    pub(crate) fn of(chat: AgentChat, notice: Notice, at_end: RwSignal<bool>) -> Self {
        let [written, queued] = [field().value(), String::new()].map(RwSignal::new);
        let (is_older, tray) = (RwSignal::new(false), StoredValue::new_local(None));
        let draft = Self { chat, notice, at_end, written, queued, is_older, tray };
        let mut asked = Vec::new();
        effect(move || {
            let waiting = chat.waiting.get();
            // A new question may have replaced another, so that their number is the same.
            let is_new = |ask: &Ask| !asked.iter().any(|known: &Ask| known.tool_call_id == ask.tool_call_id);
            if waiting.iter().any(is_new) && !chat.restoring.get_untracked() {
                draft.is_older.set(!field().value().trim().is_empty());
            }
            asked = waiting;
        });
        effect(move || {
            let has_ended = chat.status.with(|status| match status {
                Status::Running => None,
                Status::Idle => Some(true),
                Status::Failed(_) => Some(false),
            });
            if let Some(has_ended) = has_ended
                && !draft.queued.with_untracked(String::is_empty)
            {
                untrack(|| draft.run_is_over(has_ended));
            }
        });
        // The next conversation starts with the unsent texts of this one.
        on_cleanup(move || {
            if draft.queued.try_with_untracked(|queued| !queued.is_empty()) == Some(true) {
                draft.take_back();
            }
        });
        draft
    }

    pub(crate) fn is_running(self) -> bool {
        self.chat.status.with(|status| *status == Status::Running)
    }

    /// True while a question waits that has no reply yet.
    pub(crate) fn is_asked(self) -> bool {
        self.chat.waiting.with(|waiting| waiting.iter().any(|ask| !ask.is_pending()))
    }

    /// The text of the field has changed by the user's hand.
    pub(crate) fn set(self, text: String) {
        if text.is_empty() {
            self.is_older.set(false);
        }
        self.written.set(text);
        self.keep();
        self.notice.end();
    }

    /// Sends the text, unless only the user can say if it is an answer.
    pub(crate) fn send(self) {
        let text = field().value();
        let Some(files) = self.files() else { return };
        if text.trim().is_empty() && files.is_empty() {
            return;
        }
        if untrack(|| self.is_running()) {
            if !files.is_empty() {
                return self.notice.say(Say::TroubleRunOpen);
            }
            let queued = join(&[self.queued.get_untracked(), text]);
            self.queued.set(queued);
            return self.empty();
        }
        if self.is_older.get_untracked() {
            self.is_older.set(false);
            return self.notice.say(Say::QuestionCame);
        }
        match untrack(|| self.reading()) {
            Some(reading) if asks_back(&reading) => {
                // The choice is shown by then.
                in_next_task(|| {
                    let choice = document().query_selector(CHOICE).ok().flatten();
                    if let Some(choice) = choice.and_then(|choice| choice.dyn_into::<HtmlElement>().ok()) {
                        // Focusing can't fail.
                        let _ = choice.focus();
                    }
                });
            }
            _ => self.send_as(SendAs::Matched),
        }
    }

    /// Sends the text as the user means it.
    fn send_as(self, intent: SendAs) {
        let Some(files) = self.files() else { return };
        if self.chat.send_with_files(intent, &field().value(), files) {
            self.tray.with_value(|tray| tray.as_ref().map(FileTray::sent));
            self.empty();
            self.at_end.set(true);
        } else if !matches!(self.chat.status.get_untracked(), Status::Failed(_)) {
            self.notice.say(Say::NotYet);
        }
    }

    /// The files to send. `None` if one is not there, which the tray says.
    fn files(self) -> Option<Vec<Attachment>> {
        self.tray.with_value(|tray| tray.as_ref().map_or_else(|| Some(Vec::new()), FileTray::files))
    }

    /// Offers to add files as long as the agent takes any, until the current owner is cleaned up.
    pub(crate) fn take_files(self, settings: RwSignal<Settings>) {
        let (chat, words) = (self.chat, words());
        effect(move || {
            let options = settings.with(Settings::files).map(|limits| Options {
                files: Some(chat.files(limits)),
                labels: Some(words.get().labels),
                persist: Persist::session(),
                scope: chat.conversation_id(),
                ..Options::default()
            });
            self.tray.update_value(|tray| match (options, &*tray) {
                (Some(options), Some(tray)) => tray.set(&options),
                (Some(options), None) => {
                    *tray = field().parent_node().map(|frame| FileTray::mount(&frame, &options));
                }
                (None, _) => *tray = None,
            });
        });
    }

    /// Sends the text that the user submitted before the program was there.
    pub(crate) fn send_early(self) {
        // Until now, the page could not say where the text would go.
        self.is_older.set(self.chat.waiting.with_untracked(|waiting| !waiting.is_empty()));
        self.send();
    }

    /// Stops the run. The text that was to be sent after it returns to the field.
    pub(crate) fn stop(self) {
        self.take_back();
        self.chat.stop();
    }

    fn run_is_over(self, has_ended: bool) {
        let is_asked = self.chat.waiting.with(|waiting| !waiting.is_empty());
        let queued = self.queued.get();
        if has_ended && !is_asked && self.chat.send(&queued) {
            self.queued.set(String::new());
            self.keep();
            return;
        }
        self.take_back();
        if is_asked {
            self.notice.say(Say::QuestionCame);
        }
    }

    /// Moves the queued text back into the field, above what is being written.
    fn take_back(self) {
        let queued = self.queued.get_untracked();
        if !queued.is_empty() {
            self.queued.set(String::new());
            write_in(&join(&[queued, field().value()]));
        }
    }

    fn empty(self) {
        field().set_value("");
        self.written.set(String::new());
        self.keep();
    }

    fn keep(self) {
        keep_unsent(&join(&[self.queued.get_untracked(), self.written.get_untracked()]));
    }

    /// The meaning of the text for the question that waits.
    fn reading(self) -> Option<Reading> {
        let is_free = self.is_asked() && !self.is_running();
        let read = |text: &String| self.chat.reading(text).filter(|_| !text.trim().is_empty());
        self.written.with(read).filter(|_| is_free)
    }

    /// Shows the lines above the composer until the current owner is cleaned up.
    pub(crate) fn show(self) {
        let words = words();
        self.show_open();
        let queue = line("queue");
        let waits = add(&queue, "p", "");
        let back = add_button(&queue, "quiet", move || {
            self.take_back();
            focus_composer();
        });
        say(&back, Say::TakeBack);
        effect(move || {
            let queued = self.queued.get();
            words.with(|words| write(&waits, &words.filled(Say::Queued, "text", &queued)));
            shows(&queue, !queued.is_empty());
        });
        effect(move || {
            let hint =
                if self.is_asked() { words.with(|words| words.text(Say::ArrowUp).to_owned()) } else { String::new() };
            set(&field(), "aria-description", &hint);
        });
        let line = line(LINE);
        let said = add(&line, "p", "");
        set(&said, "role", "status");
        let chips = add(&line, "ul", "chips");
        let [message, answer] = [SendAs::Message, SendAs::Answer].map(|intent| {
            add_button(&line, "quiet", move || {
                self.send_as(intent);
                focus_composer();
            })
        });
        say(&answer, Say::AsAnswer);
        effect(move || {
            let reading = self.reading();
            let is_unclear = reading.as_ref().is_some_and(asks_back);
            let has_focus = line.contains(document().active_element().as_deref());
            words.with(|words| {
                let text = reading.as_ref().map(|reading| match &reading.ask.questions[..] {
                    [only] if is_unclear => words.filled(Say::AnswerOrMessage, "question", &plain(&only.question)),
                    [only] => words.filled(Say::GoesAsAnswer, "question", &plain(&only.question)),
                    _ if is_answer(reading) => words.text(Say::GoesAsAnswers).to_owned(),
                    _ => words.text(Say::GoesBeside).to_owned(),
                });
                write(&said, &text.unwrap_or_default());
            });
            say(&message, if is_unclear { Say::AsMessage } else { Say::MessageInstead });
            shows(&answer, is_unclear);
            shows(&message, is_unclear || reading.as_ref().is_some_and(is_answer));
            chips.set_text_content(None);
            for label in reading.as_ref().map(picked).unwrap_or_default() {
                let chip = add(&chips, "li", "");
                set(&chip, "dir", "auto");
                chip.set_text_content(Some(&label));
            }
            shows(&line, reading.is_some());
            if has_focus && reading.is_none() {
                focus_composer();
            }
        });
    }
}

impl Draft {
    /// Shows the number of open background questions, unless the only one is the last entry. Each click moves the focus to the next of them.
    fn show_open(self) {
        let (words, chat, next) = (words(), self.chat, Cell::new(0));
        let open = move || {
            let free = |open: &Vec<Ask>| {
                open.iter().filter(|ask| !ask.is_pending()).map(|ask| ask.tool_call_id.clone()).collect::<Vec<_>>()
            };
            chat.open.with(free)
        };
        let line = line("open");
        set(&line, "role", "status");
        let go = add_button(&line, "quiet", move || {
            let open = untrack(open);
            let at = if next.get() < open.len() { next.get() } else { 0 };
            next.set(at + 1);
            if let Some(call) = open.get(at) {
                chat.focus_ask(call);
            }
        });
        effect(move || {
            let open = open();
            let is_at_end = |entries: &Vec<Entry>| match (entries.last().map(|entry| &entry.item), &open[..]) {
                (Some(Item::Ask(ask)), [only]) => ask.tool_call_id == *only,
                _ => false,
            };
            words.with(|words| write(&go, &words.counted(Say::QuestionsOpen, open.len())));
            shows(&line, !open.is_empty() && !chat.entries.with(is_at_end));
        });
    }
}

/// True for a text that ends in a question mark while a single question waits: only the user knows if it is the answer.
fn asks_back(reading: &Reading) -> bool {
    reading.ask.questions.len() == 1 && !is_answer(reading)
}

fn is_answer(reading: &Reading) -> bool {
    matches!(reading.outcome, Outcome::Answered(_))
}

/// The labels of the options that are sent with the text.
fn picked(reading: &Reading) -> Vec<String> {
    let selections = match &reading.outcome {
        Outcome::Answered(reply) => reply.selections(),
        Outcome::RepliedInChat { partial, .. } => partial.clone(),
        _ => Vec::new(),
    };
    let label =
        |question: usize, option: usize| Some(plain(&reading.ask.questions.get(question)?.options.get(option)?.label));
    let labels = |picked: &Selection| {
        picked.selected.iter().filter_map(|option| label(picked.question, *option)).collect::<Vec<_>>()
    };
    selections.iter().flat_map(labels).collect()
}

/// A line above the composer.
fn line(name: &str) -> Element {
    let line = element("div", "line");
    set(&line, "id", name);
    goes_with_owner(&line);
    // A new element can be a child.
    let _ = place().append_child(&line);
    line
}

/// Stops the run on Escape, unless the key is meant for a card, a menu or a dialog. A held Enter presses no button: the first press may have
/// moved the focus to the choice of what is meant, and its repetition must not make that choice.
pub(crate) fn hear_keys(draft: Draft) {
    hear_event(&window(), "keydown", move |event: KeyboardEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_in =
            |places: &str| target.as_ref().is_some_and(|it| it.closest(places).is_ok_and(|found| found.is_some()));
        if event.repeat() && event.key() == "Enter" && is_in("button") {
            event.prevent_default();
        }
        let is_open = || document().query_selector(":popover-open").is_ok_and(|open| open.is_some());
        let stops = event.key() == "Escape" && !event.default_prevented() && !InputMethod::default().takes_key(&event);
        if stops && !is_in("form.qc-form, dialog") && !is_open() && untrack(|| draft.is_running()) {
            draft.stop();
        }
    });
}
