//! One option as a row: text while it arrives, then with a radio button or check box.

use super::focus::focus_quietly;
use super::follow::{OptionShown, QuestionShown};
use super::state::{CardState, Layout};
use super::steady::Steady;
use crate::anatomy::part;
use crate::dom::Control;
use crate::draft::{Kind, Problem, Standing};
use leptos::ev::MouseEvent;
use leptos::leptos_dom::helpers::queue_microtask;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// What a row is, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// Its option is not complete, or it is not known how it is chosen.
    Text,
    Input(Kind),
    Button,
}

/// The row of an option. Its label keeps its node when the input joins it; a button takes its place, and has a name from the start.
pub(crate) fn option_row(
    card: CardState,
    question: QuestionShown,
    option: OptionShown,
    stands: Memo<Standing>,
) -> impl IntoView {
    let row = Memo::new(move |_| match (card.layout.get(), question.kind.get()) {
        (Layout::Undecided, _) | (_, None) => Row::Text,
        _ if !option.closed.get() => Row::Text,
        (Layout::OnPick, Some(_)) => Row::Button,
        (Layout::Explicit, Some(kind)) => Row::Input(kind),
    });
    let is_button = Memo::new(move |_| row.get() == Row::Button);
    move || match is_button.get() {
        true => super::on_pick::pick_row(card, option, stands).into_any(),
        false => choice_row(card, option, row, stands).into_any(),
    }
}

fn choice_row(card: CardState, option: OptionShown, row: Memo<Row>, stands: Memo<Standing>) -> impl IntoView {
    let control = Control::Option { question: option.question, option: option.index };
    let chosen = move || stands.with(|stands| stands.has(option.index));
    // Where the ask arrives, rows come up under a finger that was meant for what was there before.
    let steady = Steady::new();
    steady.follow_up(!card.arrives, move || row.get() != Row::Text);
    let click = move |click: MouseEvent| match card.is_tap(&click) && steady.allows(&click) {
        true => forward(card, control, &click),
        // Neither the label nor the input itself shall take it.
        false => click.prevent_default(),
    };
    let input = move || match row.get() {
        Row::Text | Row::Button => None,
        Row::Input(kind) => Some(choice_input(card, option, kind, stands)),
    };
    view! {
        <div
            class=part::OPTION
            data-pending=move || (row.get() == Row::Text).then_some("")
            data-chosen=move || chosen().then_some("")
            on:click=click
        >
            {input}
            <label class=part::OPTION_LABEL for=card.ids.control(control) dir="auto">
                {option.label.view(card.ask, "")}
            </label>
            {description(card, option)}
            {digit(card, option.index)}
        </div>
    }
}

fn choice_input(card: CardState, option: OptionShown, kind: Kind, stands: Memo<Standing>) -> impl IntoView {
    let OptionShown { question, index, .. } = option;
    view! {
        <input
            type=input_type(kind)
            class=part::OPTION_INPUT
            id=card.ids.control(Control::Option { question, option: index })
            name=card.ids.name(question)
            value=index.to_string()
            prop:checked=move || stands.with(|stands| stands.has(index))
            aria-describedby=describedby(card, option)
            aria-disabled=move || card.is_latched().then_some("true")
            aria-invalid=(kind == Kind::Multi).then_some(move || is_missing(card, stands).then_some("true"))
            aria-keyshortcuts=shortcut(card, index)
            on:click=move |click| keep_when_latched(card, &click)
            on:change=move |_| card.choose(option)
        />
    }
}

/// The type of a question's inputs.
pub(crate) fn input_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Single => "radio",
        Kind::Multi => "checkbox",
    }
}

/// Whether an answer was tried to be sent that was none. Of several boxes each says so; of radio buttons it is their group that does.
pub(crate) fn is_missing(card: CardState, stands: Memo<Standing>) -> bool {
    card.error(stands).is_some_and(Problem::is_missing)
}

/// Undoes the browser's own change where the card takes none: `disabled` would drop the focus.
pub(crate) fn keep_when_latched(card: CardState, click: &MouseEvent) {
    if !card.takes_changes() {
        click.prevent_default();
    }
}

/// The description below the label. It is not inside, or it would be part of the option's name.
pub(crate) fn description(card: CardState, option: OptionShown) -> impl IntoView {
    let OptionShown { question, index, .. } = option;
    move || {
        option.description.get().map(|text| {
            view! {
                <p class=part::OPTION_DESC id=card.ids.description(question, index) dir="auto">
                    {text.view(card.ask, "")}
                </p>
            }
        })
    }
}

/// Names the description where there is one.
pub(crate) fn describedby(
    card: CardState,
    option: OptionShown,
) -> impl Fn() -> Option<String> + Copy + Send + Sync + 'static {
    move || option.description.get().map(|_| card.ids.description(option.question, option.index))
}

/// The digit that chooses the nth row, for those who see it; others hear it from `aria-keyshortcuts`.
pub(crate) fn digit(card: CardState, index: usize) -> impl IntoView {
    shortcut(card, index).map(digit_hint)
}

/// A digit, for those who see it.
pub(crate) fn digit_hint(digit: String) -> impl IntoView {
    view! { <kbd class=part::KBD aria-hidden="true">{digit}</kbd> }
}

/// The digit that chooses the nth row, where there is one.
pub(crate) fn shortcut(card: CardState, index: usize) -> Option<String> {
    (card.shortcuts && index < 9).then(|| (index + 1).to_string())
}

/// Takes a click on the row beside its control for one on the control, as its label does.
pub(crate) fn forward(card: CardState, control: Control, click: &MouseEvent) {
    if is_on_bare_row(click)
        && let Some(input) = card.control(control)
    {
        focus_quietly(&input);
        // After this listener, which the input's own click comes by again.
        queue_microtask(move || input.click());
    }
}

/// Whether a click hit the row beside its controls, and was not the end of selecting text.
pub(crate) fn is_on_bare_row(click: &MouseEvent) -> bool {
    let target = click.target().and_then(|target| target.dyn_into::<Element>().ok());
    let on_control = target.is_none_or(|target| !matches!(target.closest("label, input, textarea, button"), Ok(None)));
    let selects_text = window().get_selection().ok().flatten().is_some_and(|selection| !selection.is_collapsed());
    !on_control && !selects_text
}
