//! The page: server and browser render the same.

use agent_chat::{AskCard, ChatOptions, Entry, Item, PageTool, use_agent_chat};
use leptos::prelude::*;
use serde_json::{Value, json};

/// The whole document, which the server sends.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn whole_page() -> impl IntoView {
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
                <title>"Workshop"</title>
                <link rel="icon" href="data:," />
                <link rel="stylesheet" href="/question-card.css" />
                <script type="module" src="/start.js"></script>
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// Takes over what the server has sent.
#[cfg(target_arch = "wasm32")]
pub(crate) fn take_over() {
    hydrate_body(App);
}

/// The conversation. It comes back after a reload, once the browser has taken the page over.
#[component]
fn App() -> impl IntoView {
    let options = ChatOptions::new("/agent").behind_question_server().kept_in_address();
    let chat = use_agent_chat(options.tool(title_tool(), |arguments: Value| async move {
        let title = arguments["title"].as_str().ok_or("`title` is no text")?;
        document().set_title(title);
        Ok(json!({"title": title}))
    }));
    let row = move |entry: Entry| match entry.item {
        Item::User(text) | Item::Assistant(text) => view! { <p>{move || text.get()}</p> }.into_any(),
        Item::Ask(ask) => view! { <AskCard chat ask /> }.into_any(),
        Item::Tool { name, .. } => view! { <p>{name}</p> }.into_any(),
        Item::Reasoning(_) => ().into_any(), // Comes with `ChatOptions::detailed` alone.
    };
    let trouble = move || chat.status.with(|status| status.trouble().map(ToString::to_string));
    let is_new = move || !chat.restoring.get() && chat.entries.with(Vec::is_empty);
    view! {
        <main>
            <h1>"Workshop"</h1>
            <For each=move || chat.entries.get() key=|entry| entry.key.clone() children=row />
            <p role="alert">{trouble}</p>
            <button disabled=move || !is_new() on:click=move |_| { chat.send("I need my car looked at"); }>
                "Book a service"
            </button>
        </main>
    }
}

/// A tool of the page, for agents that have a use for it.
fn title_tool() -> PageTool {
    PageTool::new("set_title", "Sets the title of the page.")
        .with_parameters(&json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}))
}
