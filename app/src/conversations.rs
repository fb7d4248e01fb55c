//! The list of conversations behind the title, so that earlier ones stay reachable after a new one.

use crate::effect::effect;
use crate::nodes::{add, hear, set, toggle};
use crate::settings::browser::stored;
use crate::shell::part;
use crate::words::{Say, words};
use agent_chat::{AgentChat, Item, Status, Trouble};
use json_tree::Json;
use leptos::prelude::*;
use web_sys::{Element, HtmlElement};

/// The key of the list in the browser's storage, before the agent's address.
const KEY: &str = "chat-page talks ";

/// The maximum number of conversations in the list.
const MOST: usize = 20;

/// The number of characters that are stored of a conversation's first message.
const LONGEST: usize = 80;

/// A conversation, as the browser stores it.
#[derive(Clone, Debug)]
struct ListedConversation {
    id: String,
    /// The beginning of its first message.
    text: String,
    /// True if a question waited when it was last seen.
    waits: bool,
}

impl ListedConversation {
    fn read(stored: &Json<'_>) -> Option<Self> {
        let text = |name: &str| Some(stored.get(name)?.as_str()?.to_owned());
        Some(Self {
            id: text("id")?,
            text: text("text")?,
            waits: stored.get("waits").and_then(Json::as_bool) == Some(true),
        })
    }

    fn to_json(&self) -> Json<'static> {
        Json::object([("id", self.id.clone().into()), ("text", self.text.clone().into()), ("waits", self.waits.into())])
    }
}

fn key(agent: &str) -> String {
    [KEY, agent].concat()
}

/// The conversations with an agent, the last one first.
fn conversations(agent: &str) -> Vec<ListedConversation> {
    let list = stored().and_then(|storage| storage.get_item(&key(agent)).ok().flatten()).unwrap_or_default();
    let list = Json::parse(&list).unwrap_or(Json::Null);
    list.as_list().unwrap_or_default().iter().filter_map(ListedConversation::read).collect()
}

/// Puts a conversation at the beginning of the list, or takes it out.
fn keep(agent: &str, id: &str, it: Option<ListedConversation>) {
    let others = conversations(agent).into_iter().filter(|other| other.id != id);
    let list: Vec<_> = it.into_iter().chain(others).take(MOST).map(|it| it.to_json()).collect();
    if let Some(storage) = stored() {
        // A full storage keeps the list as it was.
        let _ = storage.set_item(&key(agent), &Json::from(list).to_string());
    }
}

/// Keeps a conversation in the list, and shows the list behind the title, until the current owner is cleaned up.
pub(crate) fn list_conversations(chat: AgentChat, agent: String) {
    let (words, id) = (words(), chat.conversation_id());
    let (list, title): (HtmlElement, Element) = (part("#talks"), part("h1 button"));
    {
        let (agent, id) = (agent.clone(), id.clone());
        effect(move || {
            let is_gone = chat.status.with(|status| *status == Status::Failed(Trouble::Gone));
            let waits = chat.waiting.with(|waiting| !waiting.is_empty());
            let text = chat.entries.with(|entries| {
                entries.iter().find_map(|entry| match &entry.item {
                    Item::User(text) => {
                        let text = Some(text.get_untracked()).filter(|text| !text.trim().is_empty());
                        let said = text.or_else(|| Some(entry.files.first()?.name.clone()))?;
                        Some(said.chars().take(LONGEST).collect())
                    }
                    _ => None,
                })
            });
            match text {
                _ if is_gone => keep(&agent, &id, None),
                Some(text) if !chat.restoring.get() => {
                    keep(&agent, &id, Some(ListedConversation { id: id.clone(), text, waits }));
                }
                _ => {}
            }
            let others_wait = conversations(&agent).iter().any(|it| it.waits && it.id != id);
            toggle(&title, "data-waits", others_wait);
        });
    }
    let nav = list.clone();
    hear(&list, "click", move || {
        // It can't fail, because the list is open.
        let _ = nav.hide_popover();
    });
    let nav = list.clone();
    hear(&list, "beforetoggle", move || {
        if nav.matches(":popover-open") == Ok(true) {
            // The list is about to close.
            return;
        }
        nav.set_text_content(None);
        let (waiting, others): (Vec<_>, Vec<_>) = conversations(&agent).into_iter().partition(|it| it.waits);
        let conversations = [waiting, others].concat();
        words.with_untracked(|words| {
            if conversations.is_empty() {
                add(&nav, "p", "").set_text_content(Some(words.text(Say::NoConversations)));
            }
            for it in conversations {
                let link = add(&nav, "a", "");
                set(&link, "href", &["#c=", &String::from(js_sys::encode_uri_component(&it.id))].concat());
                set(&link, "dir", "auto");
                if it.id == id {
                    set(&link, "aria-current", "page");
                }
                add(&link, "span", "").set_text_content(Some(&it.text));
                if it.waits {
                    add(&link, "small", "").set_text_content(Some(words.text(Say::QuestionWaits)));
                }
            }
        });
    });
}
