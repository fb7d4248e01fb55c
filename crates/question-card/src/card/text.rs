//! A text that grows while it is on the screen.

use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::{TextPath, TextSnapshot};
use leptos::html::Span;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// One text of the ask and the text node that shows it. What arrives is appended to the node: the browser is never given again what it
/// has, so the work for a long text is its length and not its square.
#[derive(Clone, Copy)]
pub(crate) struct GrowingText {
    path: TextPath,
    node: NodeRef<Span>,
    /// How many bytes of the text the node shows.
    written: StoredValue<usize>,
}

impl GrowingText {
    pub(crate) fn new(path: TextPath) -> Self {
        Self { path, node: NodeRef::new(), written: StoredValue::new(0) }
    }

    /// The span that shows the text as it is now; [`catch_up`](Self::catch_up) keeps it so.
    pub(crate) fn view(self, ask: Signal<AskSnapshot>, class: &'static str) -> impl IntoView {
        let (text, lang) = ask.with_untracked(|ask| (self.of(ask).to_owned(), ask.lang.clone()));
        self.written.set_value(text.len());
        view! { <span class=class lang=lang node_ref=self.node>{text}</span> }
    }

    /// Appends what has arrived since. Says whether there was anything.
    pub(crate) fn catch_up(self, ask: &AskSnapshot) -> bool {
        let text = self.of(ask);
        let written = self.written.get_value();
        let Some(growth) = text.get(written..).filter(|growth| !growth.is_empty()) else {
            return false;
        };
        let Some(node) = self.text_node() else {
            return false;
        };
        match written {
            // A page rendered by a server holds a space where there was no text yet.
            0 => node.set_data(text),
            _ => node.append_data(growth).unwrap_or_else(|_| node.set_data(text)),
        }
        self.written.set_value(text.len());
        true
    }

    /// Makes the node equal to the text, whatever it showed: repair may have changed more than the end.
    pub(crate) fn rewrite(self, ask: &AskSnapshot) {
        let text = self.of(ask);
        let span = self.node.get_untracked();
        // The one call that tells what is shown: this is done for every text when the arguments end, and the user waits for that.
        if span.is_some_and(|span| span.text_content().is_none_or(|shown| shown != text))
            && let Some(node) = self.text_node()
        {
            node.set_data(text);
        }
        self.written.set_value(text.len());
    }

    /// The text itself.
    pub(crate) fn of(self, ask: &AskSnapshot) -> &str {
        find(ask, self.path).map_or("", |found| found.text.as_str())
    }

    fn text_node(self) -> Option<web_sys::Text> {
        self.node.get_untracked()?.first_child()?.dyn_into().ok()
    }
}

fn find(ask: &AskSnapshot, path: TextPath) -> Option<&TextSnapshot> {
    let question = |index: usize| ask.questions.get(index);
    let option = |index: usize, option: usize| question(index)?.options.get(option);
    match path {
        TextPath::Question(q) => Some(&question(q)?.question),
        TextPath::Header(q) => question(q)?.header.as_ref(),
        TextPath::Label(q, o) => Some(&option(q, o)?.label),
        TextPath::Description(q, o) => option(q, o)?.description.as_ref(),
        TextPath::Preview(q, o) => option(q, o)?.preview.as_ref(),
    }
}
