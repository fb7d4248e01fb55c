//! The items of the list, one for each entry of the conversation.

use crate::copying::{AGAIN, add_act, add_copy};
use crate::effect::{effect, in_next_task};
use crate::field::{focus_composer, keep_typed, write_below};
use crate::markdown::MarkdownView;
use crate::nodes::{add, element, hear, set, toggle, write};
use crate::settings::Settings;
use crate::spoken::{label, say, say_if};
use crate::tool_name::tool_name;
use crate::words::{Say, Words, words};
use agent_chat::{AgentChat, Ask, AskCard, AskSnapshot, Attachment, Entry, EntryKey, Item, Phase, ReplyState, Status};
use js_sys::Reflect;
use leptos::prelude::*;
use leptos::tachys::view::{Mountable, Render};
use question_card::{CardOptions, Layout, Persist, show_files};
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::time::Duration;
use web_sys::{Element, Node, ScrollIntoViewOptions};

/// The number of items of a long history that are made first: its end, which is visible.
const SLICE: usize = 40;

/// The number of items above them that are made at once. Each time, the browser goes through the whole list again.
const REST: usize = 160;

/// The maximum lines and bytes of a user's message that is shown whole.
const MOST_LINES: usize = 12;
const MOST_BYTES: usize = 1_200;

pub(super) struct Rows {
    list: Element,
    /// The node behind the items while it is in the list.
    end: Element,
    rows: Vec<Row>,
    /// The number of entries above the items, which have no items yet.
    above: usize,
    /// The version of the list of entries that these items show.
    version: u64,
    /// True if some items are marked as undone.
    has_undone: bool,
    maker: Maker,
}

/// An item, and the owner of its updates.
struct Row {
    key: EntryKey,
    item: Element,
    card: Option<Box<dyn Mountable>>,
    owner: Owner,
    /// The line below a changed answer that has undone something.
    note: Option<Element>,
}

/// The context in which items are made.
#[derive(Clone)]
struct Maker {
    chat: AgentChat,
    words: ReadSignal<Words>,
    settings: RwSignal<Settings>,
    /// The owner of the items, which lives as long as the list.
    owner: Owner,
}

impl Rows {
    /// Shows the items of a list, before its `end`, until the current owner is cleaned up. `whole` is set when all of a long history are
    /// made.
    pub(super) fn show_in(
        list: &Element,
        end: Element,
        chat: AgentChat,
        settings: RwSignal<Settings>,
        whole: RwSignal<bool>,
    ) {
        let words = words();
        let maker = Maker { chat, words, settings, owner: Owner::new() };
        let rows = Self { list: list.clone(), end, rows: Vec::new(), above: 0, version: 0, has_undone: false, maker };
        let rows = Rc::new(RefCell::new(rows));
        effect(move || {
            words.track();
            chat.undone.track();
            let is_whole = chat.entries.with(|entries| {
                let mut rows = rows.borrow_mut();
                untrack(|| {
                    rows.follow(entries);
                    rows.show_undone();
                });
                rows.above == 0
            });
            if whole.get_untracked() && !is_whole {
                whole.set(false);
                make_the_rest(Rc::downgrade(&rows), whole);
            }
        });
    }

    /// Shows these entries. An item whose entry is still there stays as it is.
    fn follow(&mut self, entries: &[Entry]) {
        let changed = self.maker.chat.changed_since(&mut self.version);
        self.above = match self.rows.is_empty() {
            true => entries.len().saturating_sub(SLICE),
            false => self.above.min(entries.len()),
        };
        let entries = &entries[self.above..];
        let same = changed.saturating_sub(self.above).min(self.rows.len()).min(entries.len());
        let is_shown = |(row, entry): &(&Row, &Entry)| row.key == entry.key;
        let begin = same + self.rows[same..].iter().zip(&entries[same..]).take_while(is_shown).count();
        let entries = &entries[begin..];
        let mut known = self.rows.split_off(begin);
        known.retain(|row| {
            let stays = entries.iter().any(|entry| entry.key == row.key);
            if !stays && row.card.is_some() {
                // An item goes if its run was stopped.
                keep_typed(&row.item);
            }
            stays
        });
        for entry in entries {
            let row = match known.iter().position(|row| row.key == entry.key) {
                Some(0) => known.remove(0),
                at => {
                    let row = at.map_or_else(|| self.maker.row(entry), |at| known.remove(at));
                    let next = known.first().map(|row| &row.item).or(self.end.parent_node().map(|_| &self.end));
                    self.put(&row, next.map(AsRef::as_ref));
                    row
                }
            };
            self.rows.push(row);
        }
    }

    /// Makes items of some of the entries above. Returns true if there are more.
    fn go_up(&mut self, entries: &[Entry]) -> bool {
        let from = self.above.saturating_sub(REST);
        let first = self.rows.first().map(|row| row.item.clone());
        let rows: Vec<_> = entries[from..self.above].iter().map(|entry| self.maker.row(entry)).collect();
        for row in &rows {
            self.put(row, first.as_ref().map(AsRef::as_ref));
        }
        self.rows.splice(0..0, rows);
        self.above = from;
        self.show_undone();
        from > 0
    }

    /// Strikes out what changed answers have undone, and says below each such answer which tools' effects may remain.
    fn show_undone(&mut self) {
        let Maker { chat, words, .. } = self.maker;
        let undone = chat.undone.get_untracked();
        if undone.is_empty() && !self.has_undone {
            return;
        }
        self.has_undone = !undone.is_empty();
        for row in &mut self.rows {
            toggle(&row.item, "data-undone", undone.has(&row.key));
            let Some(tools) = undone.tools(&row.key) else { continue };
            let note = row.note.get_or_insert_with(|| add(&row.item, "p", "elsewhere"));
            let names: Vec<String> = tools.iter().map(|tool| tool_name(tool)).collect();
            words.with_untracked(|words| {
                let stays = words.filled(Say::StaysDone, "tools", &names.join(", "));
                let said = [words.text(Say::Undone), &stays];
                write(note, &said[..if names.is_empty() { 1 } else { 2 }].join(" "));
            });
        }
    }

    fn put(&self, row: &Row, before: Option<&Node>) {
        // The next item is in the list.
        let _ = self.list.insert_before(&row.item, before);
    }
}

/// Makes the items above the visible ones, some at a time, so that the page can be used meanwhile.
fn make_the_rest(rows: Weak<RefCell<Rows>>, whole: RwSignal<bool>) {
    let next = move || {
        let Some(kept) = rows.upgrade() else { return };
        let chat = kept.borrow().maker.chat;
        let entries = chat.entries.try_with_untracked(|entries| kept.borrow_mut().go_up(entries));
        match entries {
            Some(true) => make_the_rest(rows, whole),
            Some(false) => whole.set(true),
            None => {}
        }
    };
    set_timeout(next, Duration::ZERO);
}

impl Drop for Row {
    fn drop(&mut self) {
        if let Some(card) = &mut self.card {
            card.unmount();
        }
        self.item.remove();
        self.owner.cleanup();
    }
}

impl Maker {
    fn row(&self, entry: &Entry) -> Row {
        let (item, owner) = (element("li", ""), self.owner.with(Owner::new));
        let mut card = None;
        owner.with(|| match &entry.item {
            Item::User(text) => self.user(&item, text, &entry.files),
            // The page asks for no details, so that no reasoning comes.
            Item::Assistant(text) | Item::Reasoning(text) => self.assistant(&item, &entry.key, text),
            Item::Tool { name, done, .. } => self.tool(&item, name, done),
            Item::Ask(ask) => card = Some(self.card(&item, ask)),
        });
        Row { key: entry.key.clone(), item, card, owner, note: None }
    }

    fn user(&self, item: &Element, text: &ArcReadSignal<String>, files: &[Attachment]) {
        let article = message(item, "user", Say::You);
        // A screen reader does not announce the user's own message.
        set(&article, "aria-live", "off");
        let said = add(&article, "p", "");
        set(&said, "dir", "auto");
        if !files.is_empty() {
            let (place, files, words) = (add(&article, "div", ""), files.to_vec(), self.words);
            effect(move || words.with(|words| show_files(&place, &files, &words.labels)));
        }
        let acts = acts(item);
        add_copy(&acts, text.clone());
        let again = add_act(&acts, AGAIN);
        let its = text.clone();
        hear(&again, "click", move || {
            its.with_untracked(|text| write_below(text));
            focus_composer();
        });
        let (text, mut is_long, owner) = (text.clone(), false, Owner::current().unwrap_or_default());
        effect(move || {
            text.with(|text| {
                write(&said, text);
                if !is_long && (text.len() > MOST_BYTES || text.lines().count() > MOST_LINES) {
                    is_long = true;
                    // The button outlives this run of the effect.
                    owner.with(|| clamp(&article));
                }
            });
        });
    }

    fn assistant(&self, item: &Element, key: &EntryKey, text: &ArcReadSignal<String>) {
        let article = message(item, "assistant", Say::Agent);
        let (mut shown, mut busy) = (MarkdownView::at(add(&article, "div", "prose")), None);
        add_copy(&acts(item), text.clone());
        let (text, key, chat) = (text.clone(), key.clone(), self.chat);
        let is_it = move |id: &String| matches!(&key, EntryKey::Message(known, _) if known == id);
        effect(move || {
            // A streaming text is read out when it is complete, not word by word. A complete one is not checked again.
            let grows = busy != Some(false) && chat.arriving.with(|arriving| arriving.iter().any(&is_it));
            text.with(|text| shown.follow(text, grows));
            if busy.replace(grows) != Some(grows) {
                set(&article, "aria-busy", if grows { "true" } else { "false" });
            }
        });
    }

    /// Other work of the agent, in a line that is not read aloud.
    fn tool(&self, item: &Element, name: &str, done: &ArcReadSignal<bool>) {
        let line = add(item, "p", "tool");
        set(&line, "aria-live", "off");
        add(&line, "bdi", "").set_text_content(Some(&tool_name(name)));
        // A text can be a child.
        let _ = line.append_child(&document().create_text_node(" "));
        let said = add(&line, "span", "visually-hidden");
        let (done, chat) = (done.clone(), self.chat);
        let mut in_its_run = true;
        effect(move || {
            let is_done = done.get();
            // A call from an earlier run can't finish now.
            in_its_run = in_its_run && running(chat);
            let (state, word) = match (is_done, in_its_run) {
                (true, _) => ("done", Some(Say::ToolDone)),
                (false, true) => ("running", Some(Say::ToolRunning)),
                (false, false) => ("open", None),
            };
            set(&line, "data-state", state);
            say_if(&said, word);
        });
    }

    fn card(&self, item: &Element, ask: &Ask) -> Box<dyn Mountable> {
        let Self { chat, words, settings, .. } = *self;
        let options =
            CardOptions::new().layout(Layout::Stepped).notes().persist(Persist::session()).following(move |options| {
                options.mode = settings.with(Settings::submit_mode);
                options.labels = Some(words.get().labels);
                options.files = settings.with(Settings::files).map(|limits| chat.files(limits));
            });
        let snapshot = ReadSignal::from(ask.snapshot.clone());
        tell_of_others(item, snapshot);
        lead_on(snapshot);
        let mut card = view! { <AskCard chat ask=ask.clone() options /> }.build();
        card.mount(item, None);
        Box::new(card)
    }
}

/// The article of a message, by a speaker with this name.
fn message(item: &Element, role: &str, name: Say) -> Element {
    let article = add(item, "article", "");
    set(&article, "data-role", role);
    label(&article, name);
    article
}

/// The place of the buttons beside a message.
fn acts(item: &Element) -> Element {
    let acts = add(item, "div", "acts");
    set(&acts, "aria-live", "off");
    acts
}

/// Shows the beginning of a long message of the user, with a button for all of it.
fn clamp(article: &Element) {
    toggle(article, "data-long", true);
    let all = add(article, "button", "all");
    set(&all, "type", "button");
    say(&all, Say::ShowAll);
    let (article, it) = (article.clone(), all.clone());
    hear(&all, "click", move || {
        toggle(&article, "data-long", false);
        it.remove();
        focus_composer();
    });
}

/// Shows the question that still waits once the answer to this one is held.
fn lead_on(ask: ReadSignal<AskSnapshot>) {
    let is_held = move || ask.with(|ask| ask.reply == ReplyState::Held);
    let mut was_held = untrack(is_held);
    effect(move || {
        let is_held = is_held();
        if is_held && !was_held {
            // By then the answered card has become lower.
            in_next_task(show_waiting);
        }
        was_held = is_held;
    });
}

/// Brings the first question into view that waits for its answer.
fn show_waiting() {
    // A valid selector.
    if let Ok(Some(form)) = document().query_selector(".qc:not([data-held]) > .qc-form") {
        let options = ScrollIntoViewOptions::new();
        // A plain object, which takes it.
        let _ = Reflect::set(&options, &"block".into(), &"nearest".into());
        form.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Shows below a card that somebody else has answered it, if it waited here.
fn tell_of_others(item: &Element, ask: ReadSignal<AskSnapshot>) {
    let (mut has_waited, mut is_own, mut is_told, item) = (false, false, false, item.clone());
    effect(move || {
        let (phase, is_given) = ask.with(|ask| (ask.phase, ask.reply.is_pending()));
        is_own |= is_given;
        match phase {
            Phase::Answerable => has_waited = true,
            Phase::Answered | Phase::Declined if has_waited && !is_own && !is_told => {
                is_told = true;
                say(&add(&item, "p", "elsewhere"), Say::ElsewhereAnswered);
            }
            _ => {}
        }
    });
}

pub(super) fn running(chat: AgentChat) -> bool {
    chat.status.with(|status| *status == Status::Running)
}
