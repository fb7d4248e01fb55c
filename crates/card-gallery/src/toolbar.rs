//! Links from a page to its neighbours, so that each can be kept and sent.

use crate::address::{Address, Extra, PageView, SCHEMES, direction_of};
use crate::state::CardState;
use crate::words;
use leptos::prelude::*;
use question_card::{Direction, LANGUAGES, Layout, SubmitMode};

/// A link: its text and its target.
type ToolbarLink = (String, Address);

/// Links to the same page in another state, mode, layout, language, direction and colour scheme.
pub(crate) fn toolbar(address: &Address) -> impl IntoView + use<> {
    let groups = [
        ("Go to", places(address)),
        ("State", states(address)),
        ("Mode", modes(address)),
        ("Layout", layouts(address)),
        ("With", extras(address)),
        ("Language", languages(address)),
        ("Direction", directions(address)),
        ("Colours", schemes(address)),
    ];
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
    groups.map(group).into_iter().collect_view()
}

fn places(address: &Address) -> Vec<ToolbarLink> {
    let index = ("all examples".to_owned(), address.with_view(PageView::Index));
    let example = address.example().map(|example| {
        let view = PageView::Example(example);
        (words::all_states_of(example), address.with_view(view))
    });
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

fn modes(address: &Address) -> Vec<ToolbarLink> {
    [("explicit", SubmitMode::Explicit), ("on pick", SubmitMode::OnPick)]
        .map(|(text, mode)| (text.to_owned(), Address { mode, ..address.clone() }))
        .into()
}

fn layouts(address: &Address) -> Vec<ToolbarLink> {
    [("stacked", Layout::Stacked), ("stepped", Layout::Stepped)]
        .map(|(text, layout)| (text.to_owned(), Address { layout, ..address.clone() }))
        .into()
}

/// A link for each feature, which switches it on. A feature that is on is marked, and its link switches it off.
fn extras(address: &Address) -> Vec<ToolbarLink> {
    let text = |extra: Extra| match address.has(extra) {
        true => words::switched_on(&extra.name()),
        false => extra.name(),
    };
    Extra::ALL.map(|extra| (text(extra), address.toggled(extra))).into()
}

fn languages(address: &Address) -> Vec<ToolbarLink> {
    let place = |language| Address { language, direction: direction_of(language), ..address.clone() };
    LANGUAGES.iter().map(|(language, _)| ((*language).to_owned(), place(*language))).collect()
}

fn directions(address: &Address) -> Vec<ToolbarLink> {
    [Direction::LeftToRight, Direction::RightToLeft]
        .map(|direction| (direction.as_str().to_owned(), Address { direction, ..address.clone() }))
        .into()
}

fn schemes(address: &Address) -> Vec<ToolbarLink> {
    let place = |scheme| Address { scheme, ..address.clone() };
    let system = ("system".to_owned(), place(None));
    let fixed = SCHEMES.map(|scheme| (scheme.to_owned(), place(Some(scheme))));
    [system].into_iter().chain(fixed).collect()
}
