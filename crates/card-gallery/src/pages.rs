//! The pages.

use crate::address::{Address, View};
use crate::bench::bench;
use crate::card::{Host, example_card, staged};
use crate::index::index;
use crate::stage::stage;
use crate::state::State;
use crate::toolbar::toolbar;
use crate::words;
use ask_user_question::examples::{self, Example};
use leptos::prelude::*;

/// The page at this address.
pub(crate) fn page(address: Address) -> impl IntoView + use<> {
    let content = match address.view {
        View::Index => index(&address).into_any(),
        View::Bench => bench().into_any(),
        View::State(state) => {
            let shown = examples::all().into_iter().map(|example| (example, state));
            many(&address, shown, |example, _| example.title.clone())
        }
        View::Example(name) => {
            let example = examples::by_name(name);
            let shown = example.into_iter().flat_map(|example| State::ALL.map(|state| (example.clone(), state)));
            many(&address, shown, |_, state| state.name().to_owned())
        }
        View::Card { example, state } => match examples::by_name(example).zip(staged(example, state)) {
            Some((example, staged)) => stage(&address, &example, state, staged).into_any(),
            None => view! { <p>{words::NEVER}</p> }.into_any(),
        },
    };
    view! {
        <div class="gallery">
            <header class="gallery-bar">
                <h1>{words::title(&address)}</h1>
                {toolbar(&address)}
            </header>
            <main>{content}</main>
        </div>
    }
}

/// Many cards below each other, each with a link to its own page.
fn many(
    address: &Address,
    shown: impl Iterator<Item = (Example, State)>,
    heading: impl Fn(&Example, State) -> String,
) -> AnyView {
    let card = |(example, state): (Example, State)| {
        let staged = staged(&example.name, state)?;
        let name = examples::FILES.iter().find(|(name, _)| *name == example.name)?.0;
        let own_page = address.with_view(View::Card { example: name, state });
        let heading = heading(&example, state);
        Some(view! {
            <section class="gallery-entry">
                <h2>
                    <a href=own_page.to_string()>{heading}</a>
                </h2>
                {example_card(address, &example, state, Host::deaf(staged))}
            </section>
        })
    };
    shown.filter_map(card).collect_view().into_any()
}
