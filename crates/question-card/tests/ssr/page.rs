//! A rendered page, and getters for its content.

use ask_user_question::{AskSnapshot, Reply};
use leptos::prelude::*;
use question_card::{CardOptions, Labels, QuestionCard};
use std::path::Path;

/// Rendered HTML.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page(String);

/// The card of this ask, in these words or in the default ones.
pub(crate) fn card(ask: &AskSnapshot, labels: Option<Labels>) -> Page {
    let ask = ask.clone();
    render(move || {
        let ask = RwSignal::new(ask);
        let on_reply = |_: Reply| panic!("no user answers on a server");
        let on_cancel = |()| panic!("no user cancels on a server");
        // As in the browser tests: optional buttons are rendered too.
        let mut options = CardOptions::new()
            .notes()
            .on_reply_in_chat(|_| panic!("no user writes on a server"))
            .on_late_message(|_| panic!("no user sends on a server"));
        if let Some(labels) = labels {
            options = options.labels(labels);
        }
        view! { <QuestionCard ask on_reply on_cancel options /> }
    })
}

fn render<V: IntoView>(view: impl FnOnce() -> V) -> Page {
    let owner = Owner::new();
    let html = owner.with(|| view().into_view().to_html());
    owner.cleanup();
    Page(html)
}

impl Page {
    /// Compares with a file of the folder `rendered`, from which the browser tests hydrate; with `UPDATE_RENDERED=1`, writes it.
    #[track_caller]
    pub(crate) fn is_kept_as(&self, name: &str) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rendered").join(name);
        if std::env::var_os("UPDATE_RENDERED").is_some() {
            std::fs::write(&file, &self.0).expect("the file can be written");
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        let advice = "if the change is meant: UPDATE_RENDERED=1 cargo test -p question-card --features ssr --test ssr";
        assert!(kept == self.0, "the server renders something else than {name}; {advice}");
    }

    pub(crate) fn html(&self) -> &str {
        &self.0
    }

    pub(crate) fn says(&self, text: &str) -> bool {
        self.0.contains(text)
    }

    /// The ids, in the order of the page.
    pub(crate) fn ids(&self) -> Vec<&str> {
        self.values("id")
    }

    /// The values of an attribute, in the order of the page.
    pub(crate) fn values(&self, name: &str) -> Vec<&str> {
        let before = format!(" {name}=\"");
        let values = self.0.split(before.as_str()).skip(1);
        values.filter_map(|rest| rest.split('"').next()).collect()
    }
}
