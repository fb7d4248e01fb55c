//! Markdown in the page.

use crate::copying::{COPY, add_act};
use crate::nodes::{add, element, set};
use leptos::prelude::document;
use live_markdown::{Align, Reader, Sink, Tag};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlAnchorElement, Node, Text};

/// Text in Markdown, shown in a place of its own. It only grows, except for marks that turn out to be text.
pub struct MarkdownView {
    place: Element,
    tree: Tree,
    reader: Reader,
    length: usize,
    finished: bool,
}

impl MarkdownView {
    /// An empty text at this place.
    #[must_use]
    pub fn at(place: Element) -> Self {
        Self { tree: Tree::at(place.clone()), place, reader: Reader::default(), length: 0, finished: false }
    }

    /// Shows the text so far; `growing` if more of it may come.
    pub fn follow(&mut self, text: &str, growing: bool) {
        if self.finished && text.len() != self.length {
            // A text continues after its end, which is rare.
            self.place.set_text_content(None);
            *self = Self::at(self.place.clone());
        }
        if let Some(growth) = text.get(self.length..) {
            self.reader.feed(growth, &mut self.tree);
            self.length = text.len();
        }
        if !growing && !self.finished {
            self.reader.finish(&mut self.tree);
            self.finished = true;
        }
    }
}

/// The elements that are open, from the place of it all to the innermost.
struct Tree {
    open: Vec<Element>,
    /// The innermost element's last child, if text was just added to it.
    text: Option<Text>,
}

impl Tree {
    fn at(place: Element) -> Self {
        Self { open: vec![place], text: None }
    }

    fn append(&self, node: &Node) {
        if let Some(innermost) = self.open.last() {
            // A new node can be a child.
            let _ = innermost.append_child(node);
        }
    }
}

impl Sink for Tree {
    fn open(&mut self, tag: Tag<'_>) {
        let element = element(name(tag), "");
        let mut content = element.clone();
        match tag {
            Tag::Heading(level) => set(&element, "data-level", &level.to_string()),
            Tag::Numbers(first) if first != 1 => set(&element, "start", &first.to_string()),
            Tag::CodeBlock(language) => {
                set(&element, "dir", "ltr");
                // A scrolled part must be reachable by the keyboard.
                set(&element, "tabindex", "0");
                if !language.is_empty() {
                    set(&element, "data-language", language);
                }
                add_act(&element, COPY);
                content = add(&element, "code", "");
            }
            Tag::Table => {
                set(&element, "dir", "auto");
                // The scrolled part must be reachable by the keyboard.
                set(&element, "tabindex", "0");
                content = self::element("table", "");
                let _ = element.append_child(&content);
            }
            Tag::HeadCell(Align::Center) | Tag::Cell(Align::Center) => set(&element, "data-align", "center"),
            Tag::HeadCell(Align::End) | Tag::Cell(Align::End) => set(&element, "data-align", "end"),
            Tag::Link => set(&element, "data-hides", ""),
            _ => {}
        }
        if self.open.len() == 1 && content == element {
            set(&element, "dir", "auto");
        }
        self.append(&element);
        self.open.push(content);
        self.text = None;
    }

    fn text(&mut self, text: &str) {
        // A browser that translates the page takes texts out of it.
        match self.text.as_ref().filter(|node| node.parent_node().is_some()) {
            Some(node) => {
                // Appending at the end can't fail.
                let _ = node.append_data(text);
            }
            None => {
                let node = document().create_text_node(text);
                self.append(&node);
                self.text = Some(node);
            }
        }
    }

    fn close(&mut self) {
        self.open.pop();
        self.text = None;
    }

    fn lead(&mut self, address: &str) {
        let Some(link) = self.open.last() else { return };
        set(link, "href", address);
        set(link, "target", "_blank");
        set(link, "rel", "noopener noreferrer nofollow");
        set(link, "title", address);
        // Shows the address as the browser parses it, because the link leads there.
        if let Some(anchor) = link.dyn_ref::<HtmlAnchorElement>()
            // A user name comes before the host, and can look like one.
            && (link.has_attribute("data-hides") || !anchor.username().is_empty())
        {
            let host = match anchor.host() {
                host if host.is_empty() => anchor.pathname(),
                host => host,
            };
            set(link, "data-host", &host);
        }
    }

    fn dissolve(&mut self, depth: usize, literal: &str) {
        let element = self.open.remove(self.open.len() - 1 - depth);
        // It is a child of the element before it in `open`, and each of its own children has its place before it: none can fail.
        if let Some(parent) = element.parent_node() {
            if !literal.is_empty() {
                let literal = document().create_text_node(literal);
                let _ = parent.insert_before(&literal, Some(&element));
            }
            while let Some(child) = element.first_child() {
                let _ = parent.insert_before(&child, Some(&element));
            }
        }
        element.remove();
        self.text = None;
    }
}

fn name(tag: Tag<'_>) -> &'static str {
    match tag {
        Tag::Paragraph => "p",
        // All headings get one level: models choose levels freely, and the page has only one level above them.
        Tag::Heading(_) => "h2",
        Tag::Quote => "blockquote",
        Tag::Bullets => "ul",
        Tag::Numbers(_) => "ol",
        Tag::Item => "li",
        Tag::CodeBlock(_) => "pre",
        Tag::Rule => "hr",
        // The scrolled part, with the table in it.
        Tag::Table => "div",
        Tag::Row => "tr",
        Tag::HeadCell(_) => "th",
        Tag::Cell(_) => "td",
        Tag::Emphasis => "em",
        Tag::Strong => "strong",
        Tag::Code => "code",
        Tag::Link | Tag::Address => "a",
    }
}
