//! The list of examples.

use crate::address::{Address, PageView};
use crate::words;
use ask_user_question::examples::{self, Example, FILES};
use leptos::prelude::*;

/// Every example, with a field that narrows the list.
pub(crate) fn index(address: &Address) -> impl IntoView + use<> {
    let sought = RwSignal::new(String::new());
    let entries = StoredValue::new(
        FILES
            .iter()
            .zip(examples::all())
            .map(|((name, _), example)| IndexEntry::new(address, name, &example))
            .collect::<Vec<_>>(),
    );
    let found = Memo::new(move |_| {
        sought.with(|sought| {
            entries.with_value(|entries| {
                let fits = |entry: &&IndexEntry| entry.fits(sought);
                entries.iter().filter(fits).cloned().collect::<Vec<_>>()
            })
        })
    });
    view! {
        <div class="gallery-search">
            <label for="filter">{words::FILTER}</label>
            <input
                id="filter"
                type="search"
                autocomplete="off"
                on:input=move |event| sought.set(event_target_value(&event))
            />
            <p role="status">{move || words::found(found.with(Vec::len))}</p>
        </div>
        <ul class="gallery-index">
            <For each=move || found.get() key=|entry| entry.name children=|entry| entry.view() />
        </ul>
    }
}

/// A line of the list.
#[derive(Clone, PartialEq)]
struct IndexEntry {
    name: &'static str,
    title: String,
    about: String,
    href: String,
}

impl IndexEntry {
    fn new(address: &Address, name: &'static str, example: &Example) -> Self {
        Self {
            name,
            title: example.title.clone(),
            about: words::about(example),
            href: address.with_view(PageView::Example(name)).to_string(),
        }
    }

    /// Returns true if it contains every word of the search.
    fn fits(&self, sought: &str) -> bool {
        let text = format!("{} {} {}", self.name, self.title, self.about).to_lowercase();
        let sought = sought.to_lowercase();
        sought.split_whitespace().all(|word| text.contains(word))
    }

    fn view(self) -> impl IntoView + use<> {
        view! {
            <li>
                <a href=self.href>{self.title}</a>
                <p>
                    <code>{self.name}</code>
                    {self.about}
                </p>
            </li>
        }
    }
}
