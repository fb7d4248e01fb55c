//! A walk that writes to the nodes of the page.

use crate::browser::{create_element, create_text, is_of_type, node, set_flag, set_text, text};
use crate::card::Parts;
use ask_user_question::text::joined;
use std::mem;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node, Text};

/// What was written, to compare the next walk with.
pub(crate) struct Tree {
    top: Vec<Shown>,
    /// What a server wrote, until the first walk.
    adopts: Option<Node>,
    /// Names the parts of an element, if the tree is in the shadow.
    parts: Option<Parts>,
}

/// Writes to the page.
pub(crate) struct Writer {
    here: Open,
    above: Vec<Open>,
    /// Any text may have changed anywhere, and not only grown.
    rewrites: bool,
    parts: Option<Parts>,
}

/// An element or text that was written.
struct Shown {
    site: Site,
    node: Node,
    values: Vec<(&'static str, Value)>,
    children: Vec<Self>,
}

/// What tells a node from its siblings.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Site {
    tag: &'static str,
    class: &'static str,
    key: usize,
}

/// The value of an attribute or text, as far as it takes to see that it has changed.
#[derive(PartialEq, Eq)]
enum Value {
    Word(&'static str),
    Text(String),
    Stamp(usize),
}

/// An element that the walk is in.
struct Open {
    shown: Shown,
    /// How many of its children the walk has come by.
    at: usize,
    is_new: bool,
    /// What a server wrote is taken over, from this node on.
    adopts: Option<Option<Node>>,
}

const TEXT: Site = Site { tag: "", class: "", key: 0 };
/// Where a text node has its text.
const DATA: &str = "data";

impl Tree {
    /// Nothing yet; where a server wrote the element, that is taken over.
    pub(crate) fn new(adopts: Option<Element>, parts: Option<Parts>) -> Self {
        Self { top: Vec::new(), adopts: adopts.map(Into::into), parts }
    }

    /// Makes the page what this draws, which is one element. It `rewrites` where texts may have changed, and not only grown.
    pub(crate) fn write(&mut self, rewrites: bool, draw: &dyn Fn(&mut Writer)) {
        let top = Shown { children: mem::take(&mut self.top), ..Shown::nowhere() };
        let here = Open { shown: top, at: 0, is_new: false, adopts: self.adopts.take().map(Some) };
        let mut writer = Writer { here, above: Vec::new(), rewrites, parts: self.parts };
        draw(&mut writer);
        self.top = writer.here.shown.children;
    }

    /// The element.
    pub(crate) fn element(&self) -> Option<Element> {
        Some(self.top.first()?.node.clone().unchecked_into())
    }
}

impl Writer {
    /// Opens an element of this class; siblings of one tag and class differ by their key. Says whether it is new.
    pub(crate) fn open(&mut self, tag: &'static str, class: &'static str, key: usize) -> bool {
        let site = Site { tag, class, key };
        let open = match self.here.find(site) {
            Some(shown) => Open { shown, at: 0, is_new: false, adopts: None },
            None => self.here.begin(site),
        };
        let is_new = open.is_new;
        let above = mem::replace(&mut self.here, open);
        self.above.push(above);
        if is_new && self.here.adopts.is_none() && !class.is_empty() {
            self.set("class", class);
            self.name("");
        }
        is_new
    }

    /// Closes the element.
    pub(crate) fn close(&mut self) {
        let Some(above) = self.above.pop() else {
            return;
        };
        let mut done = mem::replace(&mut self.here, above);
        done.end();
        let is_top = self.above.is_empty();
        let Open { shown, is_new, adopts, .. } = done;
        if is_new && adopts.is_none() && !is_top {
            self.here.insert(&shown.node);
        }
        self.here.pass(shown, is_new);
    }

    /// Whether an element that was written before can stay as it is.
    pub(crate) fn keep(&mut self, tag: &'static str, class: &'static str, key: usize) -> bool {
        let is_there =
            self.here.shown.children.get(self.here.at).is_some_and(|shown| shown.site == Site { tag, class, key });
        self.here.at += usize::from(is_there);
        is_there
    }

    /// An attribute of a new element, which never changes.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        // Refused only where a name is none.
        let _ = self.here.element().set_attribute(name, value);
    }

    /// An attribute of a few values.
    pub(crate) fn word(&mut self, name: &'static str, value: Option<&'static str>) {
        if self.here.changes(name, value.map(Value::Word)) {
            match value {
                Some(value) => self.set(name, value),
                None => self.unset(name),
            }
            self.name(name);
        }
    }

    fn name(&mut self, attribute: &'static str) {
        if let Some(parts) = self.parts {
            (parts.0)(self, attribute);
        }
    }

    /// Names an element, and its states, as parts: a page can't select a part by its attributes. After this one was set.
    pub(crate) fn name_parts(&mut self, attribute: &'static str) {
        if self.here.shown.site.class.is_empty() || (!attribute.is_empty() && state_of(attribute).is_none()) {
            return;
        }
        let shown = &self.here.shown;
        let mut parts = vec![part_of(shown.site.class)];
        for (name, value) in &shown.values {
            if let (Some(state), Value::Word(value)) = (state_of(name), value) {
                parts.push(if ["", "true", "step"].contains(value) { state } else { *value }.to_owned());
            }
        }
        let parts = joined(&parts, " ");
        self.set("part", &parts);
    }

    /// An attribute of any value.
    pub(crate) fn put(&mut self, name: &'static str, value: &str) {
        if self.here.changes(name, Some(Value::Text(value.to_owned()))) {
            self.set(name, value);
        }
    }

    /// An attribute that is written again if its stamp differs, and removed if the stamp is 0.
    pub(crate) fn stamped(&mut self, name: &'static str, stamp: usize, make: &dyn Fn() -> String) {
        if self.here.changes(name, (stamp > 0).then_some(Value::Stamp(stamp))) {
            match stamp {
                0 => self.unset(name),
                _ => self.set(name, &make()),
            }
        }
    }

    /// Whether a radio button or check box is chosen.
    pub(crate) fn checked(&mut self, is_on: bool) {
        let changes = self.here.changes("checked", is_on.then_some(Value::Word("")));
        // A browser that loads a page again may have chosen by itself.
        if changes || self.here.adopts.is_some() {
            set_flag(self.here.element(), "checked", is_on);
        }
    }

    /// What stands in a new text field. It is the user's alone from then on.
    pub(crate) fn value(&mut self, text: &str) {
        set_text(self.here.element(), "value", text);
    }

    /// A text that is written again when it is another one.
    pub(crate) fn text(&mut self, text: &str) {
        match self.here.find(TEXT) {
            None => self.add_text(text, Value::Text(text.to_owned())),
            Some(mut shown) => {
                if !matches!(shown.values.first(), Some((_, Value::Text(before))) if before == text) {
                    self.here.write(&mut shown.node, text);
                    shown.values = vec![("", Value::Text(text.to_owned()))];
                }
                self.here.pass(shown, false);
            }
        }
    }

    /// A text that may still grow: what arrived is appended to the node, so that the browser is never given again what it has.
    pub(crate) fn grow(&mut self, text: &str) {
        let Some(mut shown) = self.here.find(TEXT) else {
            return self.add_text(text, Value::Stamp(text.len()));
        };
        let written = match shown.values.first() {
            Some((_, Value::Stamp(written))) => *written,
            _ => 0,
        };
        if written != text.len() || self.rewrites {
            match text.get(written..) {
                Some(more) if written > 0 && !self.rewrites && self.here.has(&shown.node) => {
                    // Refused only beyond the end of what is there.
                    let _ = shown.node.unchecked_ref::<Text>().append_data(more);
                }
                _ => self.here.write(&mut shown.node, text),
            }
            shown.values = vec![("", Value::Stamp(text.len()))];
        }
        self.here.pass(shown, false);
    }

    fn add_text(&mut self, text: &str, value: Value) {
        let adopted = self.here.adopt(|node| is_of_type(node, Node::TEXT_NODE));
        let node = match adopted {
            Some(node) => {
                rewrite(&node, text);
                node
            }
            None => {
                let node = create_text(text);
                self.here.insert(&node);
                node
            }
        };
        let values = vec![("", value)];
        self.here.pass(Shown { site: TEXT, node, values, children: Vec::new() }, true);
    }

    fn unset(&mut self, name: &'static str) {
        // Refused only where a name is none.
        let _ = self.here.element().remove_attribute(name);
    }
}

impl Open {
    /// The child of this site, if it was written before. Those before it are gone.
    fn find(&mut self, site: Site) -> Option<Shown> {
        let children = &mut self.shown.children;
        let found = children.get(self.at..)?.iter().position(|child| child.site == site)? + self.at;
        for gone in children.drain(self.at..found) {
            remove(&gone.node);
        }
        Some(mem::replace(&mut children[self.at], Shown::nowhere()))
    }

    /// A child that was not there before, unless a server wrote it.
    fn begin(&mut self, site: Site) -> Self {
        let is_it = |node: &Node| is_of_type(node, Node::ELEMENT_NODE) && text(node, "localName") == site.tag;
        let adopted = self.adopt(is_it);
        let adopts = adopted.as_ref().map(|adopted| node(adopted, "firstChild"));
        // Refused only where a tag is none.
        let node = adopted.unwrap_or_else(|| create_element(site.tag).unwrap_or_else(JsCast::unchecked_into));
        let shown = Shown { site, node, values: Vec::new(), children: Vec::new() };
        Self { shown, at: 0, is_new: true, adopts }
    }

    /// The next node that a server wrote here, if it is what is looked for.
    fn adopt(&mut self, is_it: impl Fn(&Node) -> bool) -> Option<Node> {
        let next = self.adopts.as_mut()?;
        let found = next.clone().filter(is_it)?;
        *next = node(&found, "nextSibling");
        Some(found)
    }

    /// Puts a node where the walk is.
    fn insert(&self, node: &Node) {
        let adopts = self.adopts.as_ref().and_then(Option::as_ref);
        let next = adopts.or_else(|| Some(&self.shown.children.get(self.at)?.node));
        // Refused only where the place is not in this tree.
        let _ = self.shown.node.insert_before(node, next);
    }

    /// Whether a text is still in the page: browsers that translate put elements of their own in the place of texts.
    fn has(&self, text: &Node) -> bool {
        node(text, "parentNode").as_ref() == Some(&self.shown.node)
    }

    /// Gives a text another one, where it has not this one. Where the browser took the node out, a new one takes the place of all that is there.
    fn write(&self, text: &mut Node, data: &str) {
        if self.has(text) {
            return rewrite(text, data);
        }
        let is_same = text.is_equal_node(Some(&create_text(data)));
        if !is_same {
            *text = create_text(data);
            if self.shown.children.len() == 1 {
                set_text(&self.shown.node, "textContent", "");
            }
            self.insert(text);
        }
    }

    /// Goes on to the next child.
    fn pass(&mut self, shown: Shown, is_new: bool) {
        match is_new {
            true => self.shown.children.insert(self.at, shown),
            false => self.shown.children[self.at] = shown,
        }
        self.at += 1;
    }

    /// The walk leaves: what it did not come by is gone.
    fn end(&mut self) {
        for gone in self.shown.children.drain(self.at..) {
            remove(&gone.node);
        }
        while let Some(gone) = self.adopt(|_| true) {
            remove(&gone);
        }
    }

    /// Takes over the value of an attribute. Says whether it is another one.
    fn changes(&mut self, name: &'static str, value: Option<Value>) -> bool {
        let values = &mut self.shown.values;
        let at = values.iter().position(|(known, _)| *known == name);
        match (at, value) {
            (None, None) => return self.adopts.is_some(),
            (None, Some(value)) => values.push((name, value)),
            (Some(at), Some(value)) if values[at].1 == value => return false,
            (Some(at), Some(value)) => values[at].1 = value,
            (Some(at), None) => drop(values.swap_remove(at)),
        }
        true
    }

    fn element(&self) -> &Element {
        self.shown.node.unchecked_ref()
    }
}

impl Shown {
    /// What stands in the place of something that the walk has in hand.
    fn nowhere() -> Self {
        Self { site: TEXT, node: JsValue::UNDEFINED.unchecked_into(), values: Vec::new(), children: Vec::new() }
    }
}

/// The part that an element of this class is: its name without what all begin with.
fn part_of(class: &'static str) -> String {
    let mut names = Vec::new();
    for class in class.split(' ') {
        names.push(class.strip_prefix("qc-").unwrap_or("card"));
    }
    joined(&names, " ")
}

/// The state that an attribute tells of, if it does.
fn state_of(name: &'static str) -> Option<&'static str> {
    match name {
        "aria-disabled" | "aria-invalid" | "aria-current" => name.get(5..),
        _ => name.strip_prefix("data-"),
    }
}

fn remove(node: &Node) {
    node.unchecked_ref::<Element>().remove();
}

/// Gives a text node another text, where it has not this one.
fn rewrite(node: &Node, data: &str) {
    // The browser compares: to take out what a node has would cost many times as much.
    if !node.is_equal_node(Some(&create_text(data))) {
        set_text(node, DATA, data);
    }
}
