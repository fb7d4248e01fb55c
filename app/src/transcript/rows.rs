//! The items of the list, one for each entry of the conversation.

use crate::cards::Cards;
use crate::composer::focus_composer;
use crate::effect::effect;
use crate::markdown::Shown;
use crate::nodes::{add, element, keep, set, write};
use crate::notice::Notice;
use crate::settings::Settings;
use crate::tool_name::tool_name;
use crate::words::{Words, words};
use agent_chat::{AgentChat, Ask, Entry, EntryKey, Item};
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use leptos::tachys::view::{Mountable, Render};
use question_card::{CardOptions, Layout, Persist, QuestionCard, SubmitMode};
use std::cell::RefCell;
use web_sys::{Element, Node};

/// The items, in order.
pub(super) struct Rows {
    list: Element,
    /// What comes behind them while it is in the list.
    end: Element,
    rows: Vec<Row>,
    maker: Maker,
}

/// An item and what keeps it.
struct Row {
    key: EntryKey,
    item: Element,
    card: Option<AnyViewState>,
    owner: Owner,
}

/// What an item is made with.
#[derive(Clone)]
struct Maker {
    chat: AgentChat,
    notice: Notice,
    cards: Cards,
    manner: Manner,
    /// Lives as long as the list.
    owner: Owner,
}

/// What the person has set. If it changes, all items are rebuilt.
#[derive(Clone, Copy, PartialEq)]
struct Manner {
    words: &'static Words,
    mode: SubmitMode,
}

impl Rows {
    /// Keeps the items of a list, before its `end`, until the current owner is cleaned up.
    pub(super) fn show_in(
        list: &Element,
        end: Element,
        chat: AgentChat,
        settings: RwSignal<Settings>,
        notice: Notice,
        cards: Cards,
    ) {
        let words = words();
        let manner = move || Manner { words: words.get(), mode: settings.with(Settings::submit_mode) };
        let owner = Owner::new();
        let maker = Maker { chat, notice, cards, manner: untrack(manner), owner };
        let rows = RefCell::new(Self { list: list.clone(), end, rows: Vec::new(), maker });
        effect(move || {
            let mut rows = rows.borrow_mut();
            let manner = manner();
            if rows.maker.manner != manner {
                rows.maker.manner = manner;
                rows.rows.clear();
            }
            chat.entries.with(|entries| untrack(|| rows.follow(entries)));
        });
    }

    /// Shows these entries. An item whose entry is still there stays as it is.
    fn follow(&mut self, entries: &[Entry]) {
        let is_shown = |(row, entry): &(&Row, &Entry)| row.key == entry.key;
        let begin = self.rows.iter().zip(entries).take_while(is_shown).count();
        let entries = &entries[begin..];
        let mut known = self.rows.split_off(begin);
        known.retain(|row| entries.iter().any(|entry| entry.key == row.key));
        for entry in entries {
            let row = match known.iter().position(|row| row.key == entry.key) {
                Some(0) => known.remove(0),
                at => {
                    let row = at.map_or_else(|| self.maker.row(entry), |at| known.remove(at));
                    let next = known.first().map(|row| &row.item).or(self.end.parent_node().map(|_| &self.end));
                    // The next one is in the list.
                    let _ = self.list.insert_before(&row.item, next.map(AsRef::<Node>::as_ref));
                    row
                }
            };
            self.rows.push(row);
        }
    }
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
        let card = owner.with(|| {
            match &entry.item {
                Item::User(text) => self.user(&item, text),
                Item::Assistant(text) => self.assistant(&item, &entry.key, text),
                Item::Tool { name, done } => self.tool(&item, name, done),
                Item::Ask(ask) => return Some(self.card(&item, ask)),
            }
            None
        });
        Row { key: entry.key.clone(), item, card, owner }
    }

    fn user(&self, item: &Element, text: &ArcReadSignal<String>) {
        let article = add(item, "article", "");
        set(&article, "data-role", "user");
        // The person who said it knows.
        set(&article, "aria-live", "off");
        set(&article, "aria-label", self.manner.words.you);
        let said = add(&article, "p", "");
        set(&said, "dir", "auto");
        let text = text.clone();
        keep(&said, move |said| text.with(|text| write(said, text)));
    }

    fn assistant(&self, item: &Element, key: &EntryKey, text: &ArcReadSignal<String>) {
        let article = add(item, "article", "");
        set(&article, "data-role", "assistant");
        set(&article, "aria-label", self.manner.words.agent);
        let (mut shown, mut busy) = (Shown::at(add(&article, "div", "prose")), None);
        let (text, key, chat) = (text.clone(), key.clone(), self.chat);
        let is_it = move |id: &String| matches!(&key, EntryKey::Message(known, _) if known == id);
        effect(move || {
            // What streams in is read out when it is whole, not word by word. Nothing that is whole is asked again.
            let grows = busy != Some(false) && chat.arriving.with(|arriving| arriving.iter().any(&is_it));
            text.with(|text| shown.follow(text, grows));
            if busy.replace(grows) != Some(grows) {
                set(&article, "aria-busy", if grows { "true" } else { "false" });
            }
        });
    }

    /// What else the agent does, in a line that nobody needs to read aloud.
    fn tool(&self, item: &Element, name: &str, done: &ArcReadSignal<bool>) {
        let line = add(item, "p", "tool");
        set(&line, "aria-live", "off");
        add(&line, "bdi", "").set_text_content(Some(&tool_name(name)));
        // Nothing keeps a text from being a child.
        let _ = line.append_child(&document().create_text_node(" "));
        let said = add(&line, "span", "visually-hidden");
        let (done, chat, words) = (done.clone(), self.chat, self.manner.words);
        let mut in_its_run = true;
        effect(move || {
            let is_done = done.get();
            // Of a later run it is no part.
            in_its_run = in_its_run && super::running(chat);
            let (state, text) = match (is_done, in_its_run) {
                (true, _) => ("done", words.tool_done),
                (false, true) => ("running", words.tool_running),
                (false, false) => ("open", ""),
            };
            set(&line, "data-state", state);
            write(&said, text);
        });
    }

    fn card(&self, item: &Element, ask: &Ask) -> AnyViewState {
        let Self { chat, notice, cards, manner: Manner { words, mode }, .. } = *self;
        let Ask { tool_call_id, snapshot, sending } = ask.clone();
        let (ask, sending) = (ReadSignal::from(snapshot), ReadSignal::from(sending));
        let handle = cards.handle(&tool_call_id);
        let id = StoredValue::new(tool_call_id);
        let held = Signal::derive(move || id.with_value(|id| chat.holds(id)));
        let options = CardOptions::new()
            .mode(mode)
            .layout(Layout::Stepped)
            .labels(words.labels)
            .scope(chat.conversation_id())
            .fresh(super::running(chat))
            .notes()
            .persist(Persist::session())
            .sending(sending)
            .held(held)
            .handle(handle)
            .on_change(move || {
                id.with_value(|id| chat.take_back(id));
            })
            .on_next(move || {
                cards.lead_to_waiting(chat);
            })
            .on_picks(move |picked| id.with_value(|id| cards.set_picks(id, picked)))
            .on_reply_in_chat(move |picked| {
                focus_composer();
                // Of a single question what is typed is the whole answer.
                if !picked.is_empty() && ask.with_untracked(|ask| ask.questions.len() > 1) {
                    notice.say(|words| words.picks_go_along);
                }
            })
            .on_late_message(move |text| chat.send_alone(&text));
        let on_reply = Callback::new(move |reply| id.with_value(|id| { chat.reply(id, reply); }));
        let on_cancel = move |()| id.with_value(|id| { chat.cancel(id); });
        let card = view! { <QuestionCard ask on_reply on_cancel options /> };
        let mut card = card.into_any().build();
        card.mount(item, None);
        card
    }
}
