//! A walk that writes to the nodes of the page.

use super::growth::{Complete, Growth};
use super::{Sink, Writer};
use crate::browser::{create_element, create_text, is_of_type, node, set_flag, set_text, text};
use crate::card::Parts;
use ask_user_question::AskSnapshot;
use ask_user_question::text::joined;
use std::mem;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node, Text};

/// The nodes that were written, to compare the next walk with.
pub(crate) struct NodeTree {
    top: Vec<NodeEntry>,
    /// The element of a server, which the first walk adopts.
    adopts: Option<Node>,
    /// Names the parts of an element, if the tree is in a shadow tree.
    parts: Option<Parts>,
    growth: Growth,
}

/// The most that may have changed since the last walk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// The ask grew, and nothing else changed.
    Growth,
    /// Anything may look different, but texts can only have grown.
    Looks,
    /// Texts may have been replaced as well.
    Texts,
}

/// Writes to the page.
pub(crate) struct NodeWriter {
    is_plain: bool,
    here: OpenElement,
    above: Vec<OpenElement>,
    /// Texts may have been replaced, and not only grown.
    rewrites: bool,
    /// The part that the walk skips.
    unchanged: Complete,
    parts: Option<Parts>,
    /// The first node that came, went or got another text: everything after it may have moved.
    moved: Option<Node>,
}

/// An element or text that was written.
struct NodeEntry {
    site: Site,
    node: Node,
    values: Vec<(&'static str, WrittenValue)>,
    children: Vec<Self>,
}

/// The identity of a node among its siblings.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Site {
    tag: &'static str,
    class: &'static str,
    key: usize,
}

/// The value of an attribute or text, as far as a comparison needs it.
#[derive(PartialEq, Eq)]
enum WrittenValue {
    Word(&'static str),
    Text(String),
    Stamp(usize),
}

/// An element that the walk is inside of.
struct OpenElement {
    shown: NodeEntry,
    /// The number of its children that the walk has passed.
    at: usize,
    is_new: bool,
    /// The next node of a server to adopt, if the element was adopted.
    adopts: Option<Option<Node>>,
}

const TEXT: Site = Site { tag: "", class: "", key: 0 };
/// The property of a text node that has its text.
const DATA: &str = "data";

impl NodeTree {
    pub(crate) fn new(parts: Option<Parts>) -> Self {
        Self { top: Vec::new(), adopts: None, parts, growth: Growth::default() }
    }

    /// Takes over the element that a server wrote.
    #[cfg(feature = "leptos")]
    pub(crate) fn adopt(&mut self, element: Element) {
        self.adopts = Some(element.into());
    }

    /// Updates the page to what `draw` draws of this ask, which is one element. Returns the first node after which the layout may have
    /// changed.
    pub(crate) fn write(
        &mut self,
        ask: &AskSnapshot,
        change: Change,
        is_plain: bool,
        draw: &dyn Fn(&mut Writer),
    ) -> Option<Node> {
        let unchanged = self.growth.next(ask, change == Change::Growth);
        let rewrites = change == Change::Texts;
        let top = NodeEntry { children: mem::take(&mut self.top), ..NodeEntry::nowhere() };
        let here = OpenElement { shown: top, at: 0, is_new: false, adopts: self.adopts.take().map(Some) };
        let mut writer =
            NodeWriter { is_plain, here, above: Vec::new(), rewrites, unchanged, parts: self.parts, moved: None };
        draw(&mut writer);
        self.top = writer.here.shown.children;
        writer.moved
    }

    pub(crate) fn element(&self) -> Option<Element> {
        Some(self.top.first()?.node.clone().unchecked_into())
    }
}

impl Sink for NodeWriter {
    fn is_plain(&self) -> bool {
        self.is_plain
    }

    fn open(&mut self, tag: &'static str, class: &'static str, key: usize) -> bool {
        let site = Site { tag, class, key };
        let known = self.here.shown.children.len();
        let open = match self.here.find(site) {
            Some(shown) => OpenElement { shown, at: 0, is_new: false, adopts: None },
            None => self.here.begin(site),
        };
        if self.here.shown.children.len() < known {
            self.moves(self.here.shown.node.clone());
        }
        let is_new = open.is_new;
        if is_new && open.adopts.is_none() {
            self.moves(open.shown.node.clone());
        }
        let above = mem::replace(&mut self.here, open);
        self.above.push(above);
        if is_new && self.here.adopts.is_none() && !class.is_empty() {
            self.set("class", class);
            self.name("");
        }
        is_new
    }

    fn close(&mut self) {
        let Some(above) = self.above.pop() else {
            return;
        };
        let mut done = mem::replace(&mut self.here, above);
        if done.at < done.shown.children.len() {
            self.moves(done.shown.node.clone());
        }
        done.end();
        let is_top = self.above.is_empty();
        let OpenElement { shown, is_new, adopts, .. } = done;
        if is_new && adopts.is_none() && !is_top {
            self.here.insert(&shown.node);
        }
        self.here.pass(shown, is_new);
    }

    fn reuse(&mut self, at: (usize, Option<usize>), tag: &'static str, class: &'static str, key: usize) -> bool {
        let (questions, options) = self.unchanged;
        let is_same = match at {
            (question, None) => question < questions,
            (question, Some(option)) => question == questions && option < options,
        };
        let is_there = is_same
            && self.here.shown.children.get(self.here.at).is_some_and(|shown| shown.site == Site { tag, class, key });
        self.here.at += usize::from(is_there);
        is_there
    }

    fn set(&mut self, name: &'static str, value: &str) {
        // `setAttribute` throws only for an invalid name.
        let _ = self.here.element().set_attribute(name, value);
    }

    fn word(&mut self, name: &'static str, value: Option<&'static str>) {
        if self.here.changes(name, value.map(WrittenValue::Word)) {
            match value {
                Some(value) => self.set(name, value),
                None => self.unset(name),
            }
            if name == "hidden" {
                self.moves(self.here.shown.node.clone());
            }
            self.name(name);
        }
    }

    fn put(&mut self, name: &'static str, value: &str) {
        if self.here.changes(name, Some(WrittenValue::Text(value.to_owned()))) {
            self.set(name, value);
        }
    }

    fn stamped(&mut self, name: &'static str, stamp: usize, make: &dyn Fn() -> String) {
        if self.here.changes(name, (stamp > 0).then_some(WrittenValue::Stamp(stamp))) {
            match stamp {
                0 => self.unset(name),
                _ => self.set(name, &make()),
            }
        }
    }

    fn checked(&mut self, is_on: bool) {
        let changes = self.here.changes("checked", is_on.then_some(WrittenValue::Word("")));
        // A browser may have restored the checked state when it reloaded the page.
        if changes || self.here.adopts.is_some() {
            set_flag(self.here.element(), "checked", is_on);
        }
    }

    fn value(&mut self, text: &str) {
        set_text(self.here.element(), "value", text);
    }

    fn text(&mut self, text: &str) {
        let value = || WrittenValue::Text(text.to_owned());
        match self.here.find(TEXT) {
            None => self.add_text(text, value()),
            Some(shown) => match shown.values.first() {
                Some((_, WrittenValue::Text(before))) if before == text => self.here.pass(shown, false),
                _ => self.write(shown, text, value()),
            },
        }
    }

    /// New text is appended to the node, so that the browser does not get the rest again.
    fn grow(&mut self, text: &str) {
        let value = WrittenValue::Stamp(text.len());
        let Some(mut shown) = self.here.find(TEXT) else {
            return self.add_text(text, value);
        };
        let written = match shown.values.first() {
            Some((_, WrittenValue::Stamp(written))) => *written,
            _ => 0,
        };
        match text.get(written..) {
            Some("") if !self.rewrites => self.here.pass(shown, false),
            Some(more) if written > 0 && !self.rewrites && self.here.has(&shown.node) => {
                // Refused only beyond the end of the text.
                let _ = shown.node.unchecked_ref::<Text>().append_data(more);
                self.moves(shown.node.clone());
                shown.values = vec![("", value)];
                self.here.pass(shown, false);
            }
            _ => self.write(shown, text, value),
        }
    }
}

impl NodeWriter {
    /// Records that what follows this node may have moved.
    fn moves(&mut self, node: Node) {
        self.moved.get_or_insert(node);
    }

    fn name(&mut self, attribute: &'static str) {
        if let Some(parts) = self.parts {
            (parts.0)(self, attribute);
        }
    }

    /// Names an element and its states as parts, after `attribute` was set: a page can't select a part by its attributes.
    pub(crate) fn name_parts(&mut self, attribute: &'static str) {
        if self.here.shown.site.class.is_empty() || (!attribute.is_empty() && state_of(attribute).is_none()) {
            return;
        }
        let shown = &self.here.shown;
        let mut parts = vec![part_of(shown.site.class)];
        for (name, value) in &shown.values {
            if let (Some(state), WrittenValue::Word(value)) = (state_of(name), value) {
                parts.push(if ["", "true", "step"].contains(value) { state } else { *value }.to_owned());
            }
        }
        let parts = joined(&parts, " ");
        self.set("part", &parts);
    }

    /// Writes another text into a node, which a browser may have removed.
    fn write(&mut self, mut shown: NodeEntry, text: &str, value: WrittenValue) {
        let is_other = rewrite(&shown.node, text);
        let is_lost = is_other && !self.here.has(&shown.node);
        if is_other {
            self.moves(shown.node.clone());
        }
        shown.values = vec![("", value)];
        self.here.pass(shown, false);
        if is_lost {
            self.here.restore();
        }
    }

    fn add_text(&mut self, text: &str, value: WrittenValue) {
        let adopted = self.here.adopt(|node| is_of_type(node, Node::TEXT_NODE));
        let node = match adopted {
            Some(node) => {
                rewrite(&node, text);
                node
            }
            None => {
                let node = create_text(text);
                self.here.insert(&node);
                self.moves(node.clone());
                node
            }
        };
        let values = vec![("", value)];
        self.here.pass(NodeEntry { site: TEXT, node, values, children: Vec::new() }, true);
    }

    fn unset(&mut self, name: &'static str) {
        // `setAttribute` throws only for an invalid name.
        let _ = self.here.element().remove_attribute(name);
    }
}

impl OpenElement {
    /// The child at this site, if it was written before. Children before it are removed.
    fn find(&mut self, site: Site) -> Option<NodeEntry> {
        let children = &mut self.shown.children;
        let found = children.get(self.at..)?.iter().position(|child| child.site == site)?;
        self.remove(found);
        Some(mem::replace(&mut self.shown.children[self.at], NodeEntry::nowhere()))
    }

    /// Removes this number of children at the position of the walk.
    fn remove(&mut self, count: usize) {
        let mut is_lost = false;
        for gone in &self.shown.children[self.at..self.at + count] {
            is_lost |= gone.site == TEXT && !self.has(&gone.node);
            remove(&gone.node);
        }
        self.shown.children.drain(self.at..self.at + count);
        if is_lost {
            self.restore();
        }
    }

    /// Puts back the texts that a browser has replaced, as translation does, and removes the replacements. Elements with a text of their
    /// own contain nothing that could have the focus, so they can be emptied.
    fn restore(&self) {
        set_text(&self.shown.node, "textContent", "");
        for child in &self.shown.children {
            // The node was a child of this element before.
            let _ = self.shown.node.append_child(&child.node);
        }
    }

    /// A new child, or one that a server wrote.
    fn begin(&mut self, site: Site) -> Self {
        let is_it = |node: &Node| is_of_type(node, Node::ELEMENT_NODE) && text(node, "localName") == site.tag;
        let adopted = self.adopt(is_it);
        let adopts = adopted.as_ref().map(|adopted| node(adopted, "firstChild"));
        // Fails only if the tag is invalid.
        let node = adopted.unwrap_or_else(|| create_element(site.tag).unwrap_or_else(JsCast::unchecked_into));
        let shown = NodeEntry { site, node, values: Vec::new(), children: Vec::new() };
        Self { shown, at: 0, is_new: true, adopts }
    }

    /// The next node of a server, if it matches. Servers only render the Leptos components.
    fn adopt(&mut self, is_it: impl Fn(&Node) -> bool) -> Option<Node> {
        let next = self.adopts.as_mut().filter(|_| cfg!(feature = "leptos"))?;
        let found = next.clone().filter(is_it)?;
        *next = node(&found, "nextSibling");
        Some(found)
    }

    /// Inserts a node at the position of the walk.
    fn insert(&self, node: &Node) {
        let adopts = self.adopts.as_ref().and_then(Option::as_ref);
        let mut after = self.shown.children.iter().skip(self.at).map(|child| &child.node);
        let next = adopts.or_else(|| after.find(|next| self.has(next)));
        // Fails only if `next` is not a child of this element.
        let _ = self.shown.node.insert_before(node, next);
    }

    /// Returns true if a child is still in its place: browsers that translate replace text nodes by elements.
    fn has(&self, child: &Node) -> bool {
        node(child, "parentNode").as_ref() == Some(&self.shown.node)
    }

    /// Stores a child, and moves on to the next.
    fn pass(&mut self, shown: NodeEntry, is_new: bool) {
        match is_new {
            true => self.shown.children.insert(self.at, shown),
            false => self.shown.children[self.at] = shown,
        }
        self.at += 1;
    }

    /// Ends the walk through this element: removes all children that it did not pass.
    fn end(&mut self) {
        self.remove(self.shown.children.len() - self.at);
        while let Some(gone) = self.adopt(|_| true) {
            remove(&gone);
        }
    }

    /// Stores the value of an attribute. Returns true if it changed.
    fn changes(&mut self, name: &'static str, value: Option<WrittenValue>) -> bool {
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

impl NodeEntry {
    /// A placeholder for a node that the walk has in hand.
    fn nowhere() -> Self {
        Self { site: TEXT, node: JsValue::UNDEFINED.unchecked_into(), values: Vec::new(), children: Vec::new() }
    }
}

/// The part of an element of this class: its name without the common prefix.
fn part_of(class: &'static str) -> String {
    let mut names = Vec::new();
    for class in class.split(' ') {
        names.push(class.strip_prefix("qc-").unwrap_or("card"));
    }
    joined(&names, " ")
}

/// The state that an attribute stands for, if it does.
fn state_of(name: &'static str) -> Option<&'static str> {
    match name {
        "aria-disabled" | "aria-invalid" | "aria-current" => name.get(5..),
        _ => name.strip_prefix("data-"),
    }
}

fn remove(node: &Node) {
    node.unchecked_ref::<Element>().remove();
}

/// Sets the text of a node, unless it has it. Returns true if it is another text.
fn rewrite(node: &Node, data: &str) -> bool {
    // The browser compares, because reading the text out of the node would cost many times as much.
    let is_other = !node.is_equal_node(Some(&create_text(data)));
    if is_other {
        set_text(node, DATA, data);
    }
    is_other
}
