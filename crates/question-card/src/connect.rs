//! The card as plain data, for a host that draws it with elements of its own.
//!
//! The same views write this tree and the card's own nodes, so both show the same. A server's HTML is this tree as text.

use crate::card::machine::{Card, Click, Input};
use crate::card::view;
use crate::dom::{Control, Ids};
use crate::draft::Field;
use crate::writer::Sink;
use ask_user_question::AskSnapshot;

/// One element or text of the card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The element in HTML, such as `button`; empty for a text.
    pub tag: &'static str,
    /// The classes, by their names in [`anatomy::part`](crate::anatomy::part), separated by spaces.
    pub class: &'static str,
    /// All attributes: `id`, `role`, `lang`, `hidden`, `checked`, `aria-…`, `data-…` and others.
    pub attributes: Vec<(&'static str, String)>,
    /// The content of a text. The text in a field is a child of the field.
    pub text: String,
    /// The control that the element is, by its `id`; `None` for all other elements.
    pub control: Option<Control>,
    /// The child elements and texts, in document order.
    pub children: Vec<Self>,
}

impl Part {
    /// The value of an attribute, if it is there.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Returns true if the part exists in the card, but is not to be shown yet.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.get("hidden").is_some()
    }

    /// The text of this part and all its descendants.
    #[must_use]
    pub fn words(&self) -> String {
        self.children.iter().fold(self.text.clone(), |words, child| words + &child.words())
    }

    /// The shown parts of this class, itself included, in document order.
    #[must_use]
    pub fn all(&self, name: &str) -> Vec<&Self> {
        let mut found = Vec::new();
        self.each(&mut |part| {
            if part.class.split(' ').any(|class| class == name) {
                found.push(part);
            }
        });
        found
    }

    /// The shown part that is this control.
    #[must_use]
    pub fn control(&self, control: Control) -> Option<&Self> {
        let mut found = None;
        self.each(&mut |part| {
            if part.control == Some(control) {
                found = Some(part);
            }
        });
        found
    }

    /// The input for [`Card::take`] that a press of this part causes: of a button, radio button or check box that is not inert. Text that
    /// is typed is [`Input::Typed`], or [`Input::Filtered`] in the field of a filter.
    #[must_use]
    pub fn press(&self) -> Option<Input<'static>> {
        let control = self.control.filter(|_| self.get("aria-disabled").is_none())?;
        match self.tag {
            "button" => Some(Input::Click(Click::on(control))),
            "input" if Field::of(control).is_none() && !matches!(control, Control::Filter { .. }) => {
                Some(Input::Choose(control))
            }
            _ => None,
        }
    }

    /// Writes the part as HTML, as a server does. Checked states and the texts of fields are left out: they belong to the browser.
    #[cfg(feature = "ssr")]
    pub(crate) fn write_html(&self, html: &mut String) {
        if self.tag.is_empty() {
            return push_escaped(html, &self.text);
        }
        html.push('<');
        html.push_str(self.tag);
        let class = (!self.class.is_empty()).then_some(("class", self.class));
        let others = self.attributes.iter().filter(|(name, _)| *name != "checked");
        for (name, value) in class.into_iter().chain(others.map(|(name, value)| (*name, value.as_str()))) {
            html.push(' ');
            html.push_str(name);
            html.push_str("=\"");
            push_escaped(html, value);
            html.push('"');
        }
        html.push('>');
        if matches!(self.tag, "input" | "img") {
            return;
        }
        if self.tag != "textarea" {
            self.children.iter().for_each(|child| child.write_html(html));
        }
        html.push_str("</");
        html.push_str(self.tag);
        html.push('>');
    }

    /// Visits all shown parts.
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        if !self.is_hidden() {
            visit(self);
            self.children.iter().for_each(|child| child.each(visit));
        }
    }
}

#[cfg(feature = "ssr")]
fn push_escaped(html: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            _ => html.push(character),
        }
    }
}

impl Card {
    /// The current content of the card. Role, id, states and words of each part are those of the card's own view.
    #[must_use]
    pub fn connect(&self, ask: &AskSnapshot) -> Part {
        let mut sink = PartSink { is_plain: self.options().plain_text, ids: self.ids(), open: vec![Part::default()] };
        view::card(&mut sink, self, ask);
        sink.open.pop().and_then(|mut all| all.children.pop()).unwrap_or_default()
    }
}

/// Collects the parts. `open` has those that the walk is inside of. Every part is new, so nothing is reused.
struct PartSink {
    is_plain: bool,
    ids: Ids,
    open: Vec<Part>,
}

impl PartSink {
    fn here(&mut self) -> &mut Part {
        self.open.last_mut().expect("the outermost part is never closed")
    }
}

impl Sink for PartSink {
    fn is_plain(&self) -> bool {
        self.is_plain
    }

    fn open(&mut self, tag: &'static str, class: &'static str, _key: usize) -> bool {
        self.open.push(Part { tag, class, ..Part::default() });
        true
    }

    fn close(&mut self) {
        if let Some(part) = self.open.pop() {
            self.here().children.push(part);
        }
    }

    fn set(&mut self, name: &'static str, value: &str) {
        let control = if name == "id" { self.ids.parse(value) } else { None };
        let part = self.here();
        part.control = part.control.or(control);
        part.attributes.push((name, value.to_owned()));
    }

    fn checked(&mut self, is_on: bool) {
        self.word("checked", is_on.then_some(""));
    }

    fn value(&mut self, text: &str) {
        self.text(text);
    }

    fn text(&mut self, text: &str) {
        self.here().children.push(Part { text: text.to_owned(), ..Part::default() });
    }
}
