//! Links from a page to its neighbours, so that each can be kept and sent.

use crate::address::{Address, PageView, SETTINGS};
use crate::state::CardState;
use leptos::prelude::*;

/// A link: its text and its target.
type ToolbarLink = (String, Address);

/// Links to the same page in another state, and with other settings.
pub(crate) fn toolbar(address: &Address) -> impl IntoView + use<> {
    let settings = SETTINGS.iter().enumerate().map(|(nth, setting)| {
        let link = |value: &&'static str| ((*value).to_owned(), address.with_value(nth, value));
        (setting.title, setting.values.iter().map(link).collect())
    });
    let group = |(name, places): (&'static str, Vec<ToolbarLink>)| {
        let link = |(text, place): ToolbarLink| {
            let current = (place == *address).then_some("page");
            view! {
                <li>
                    <a href=place.to_string() aria-current=current>{text}</a>
                </li>
            }
        };
        view! {
            <nav aria-label=name>
                <span aria-hidden="true">{name}</span>
                <ul>{places.into_iter().map(link).collect_view()}</ul>
            </nav>
        }
    };
    [("Go to", places(address)), ("State", states(address))].into_iter().chain(settings).map(group).collect_view()
}

fn places(address: &Address) -> Vec<ToolbarLink> {
    let index = ("all examples".to_owned(), address.with_view(PageView::Index));
    let example = address
        .example()
        .map(|example| (format!("all states of {example}"), address.with_view(PageView::Example(example))));
    [index].into_iter().chain(example).collect()
}

fn states(address: &Address) -> Vec<ToolbarLink> {
    let live = address.example().map(|_| CardState::Live);
    let view = |state| match address.example() {
        Some(example) => PageView::Card { example, state },
        None => PageView::State(state),
    };
    CardState::ALL.into_iter().chain(live).map(|state| (state.name(), address.with_view(view(state)))).collect()
}
