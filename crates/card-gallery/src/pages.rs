//! The pages.

use crate::address::{Address, PageView};
use crate::bench::bench;
use crate::card::{GalleryHost, example_card, staged};
use crate::index::index;
use crate::stage::stage;
use crate::state::CardState;
use crate::toolbar::toolbar;
use crate::words;
use ask_user_question::examples::{self, Example};
use leptos::prelude::*;

/// The page at this address.
pub(crate) fn page(address: Address) -> impl IntoView + use<> {
    let content = match address.view {
        PageView::Index => index(&address).into_any(),
        PageView::Bench => bench().into_any(),
        PageView::State(state) => {
            let shown = examples::all().into_iter().map(|example| (example, state));
            many(&address, shown, |example, _| example.title.clone())
        }
        PageView::Example(name) => {
            let example = examples::by_name(name);
            let shown = example.into_iter().flat_map(|example| CardState::ALL.map(|state| (example.clone(), state)));
            many(&address, shown, |_, state| state.name())
        }
        PageView::Card { example, state } => match examples::by_name(example).zip(staged(example, state)) {
            Some((example, staged)) => stage(&address, &example, state, staged).into_any(),
            None => view! { <p>{words::NEVER}</p> }.into_any(),
        },
    };
    view! {
        <div class="gallery">
            <header class="gallery-bar">
                <h1>{address.title()}</h1>
                {toolbar(&address)}
            </header>
            <main>{content}</main>
        </div>
    }
}

/// Many cards, one below the other, each with a link to its own page.
fn many(
    address: &Address,
    shown: impl Iterator<Item = (Example, CardState)>,
    heading: impl Fn(&Example, CardState) -> String,
) -> AnyView {
    let card = |(example, state): (Example, CardState)| {
        let staged = staged(&example.name, state)?;
        let name = examples::FILES.iter().find(|(name, _)| *name == example.name)?.0;
        let own_page = address.with_view(PageView::Card { example: name, state });
        let heading = heading(&example, state);
        Some(view! {
            <section class="gallery-entry">
                <h2>
                    <a href=own_page.to_string()>{heading}</a>
                </h2>
                {example_card(address, &example, state, GalleryHost::deaf(staged))}
            </section>
        })
    };
    shown.filter_map(card).collect_view().into_any()
}
