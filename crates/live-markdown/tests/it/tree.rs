//! The output of a reader, as a tree.

use live_markdown::{Reader, Sink, Tag};
use std::fmt::Write;

/// A node of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Text(String),
    Element(String, Vec<Self>),
}

/// Builds a tree from a reader's output, and counts the steps.
#[derive(Debug)]
pub(crate) struct Tree {
    open: Vec<(String, Vec<Node>)>,
    pub(crate) steps: usize,
}

/// Reads these pieces, one after another.
pub(crate) fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Tree {
    let mut tree = Tree { open: vec![(String::new(), Vec::new())], steps: 0 };
    let mut reader = Reader::default();
    for piece in pieces {
        reader.feed(piece, &mut tree);
    }
    reader.finish(&mut tree);
    assert_eq!(tree.open.len(), 1, "what is opened is closed: {tree:?}");
    tree
}

impl Tree {
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.open[0].1
    }

    /// All of its text, one after another, without anything between blocks.
    pub(crate) fn text(&self) -> String {
        fn collect(nodes: &[Node], text: &mut String) {
            for node in nodes {
                match node {
                    Node::Text(node) => text.push_str(node),
                    Node::Element(_, children) => collect(children, text),
                }
            }
        }
        let mut text = String::new();
        collect(self.nodes(), &mut text);
        text
    }

    /// A line for each node, indented by its depth.
    pub(crate) fn lines(&self) -> String {
        fn write(nodes: &[Node], depth: usize, lines: &mut String) {
            for node in nodes {
                let indentation = "  ".repeat(depth);
                match node {
                    Node::Text(text) => writeln!(lines, "{indentation}{text:?}"),
                    Node::Element(name, _) => writeln!(lines, "{indentation}{name}"),
                }
                .expect("a string takes everything");
                if let Node::Element(_, children) = node {
                    write(children, depth + 1, lines);
                }
            }
        }
        let mut lines = String::new();
        write(self.nodes(), 0, &mut lines);
        lines
    }

    fn innermost(&mut self) -> &mut (String, Vec<Node>) {
        self.open.last_mut().expect("something is open")
    }

    fn push(&mut self, node: Node) {
        self.steps += 1;
        let children = &mut self.innermost().1;
        match (children.last_mut(), node) {
            (_, Node::Text(text)) if text.is_empty() => {}
            (Some(Node::Text(before)), Node::Text(text)) => before.push_str(&text),
            (_, node) => children.push(node),
        }
    }
}

impl Sink for Tree {
    fn open(&mut self, tag: Tag<'_>) {
        self.open.push((format!("{tag:?}"), Vec::new()));
    }

    fn text(&mut self, text: &str) {
        assert!(!text.is_empty());
        self.push(Node::Text(text.to_owned()));
    }

    fn close(&mut self) {
        let (name, children) = self.open.pop().expect("what is closed was opened");
        self.push(Node::Element(name, children));
    }

    fn lead(&mut self, address: &str) {
        let name = &mut self.innermost().0;
        assert!(["Link", "Address"].contains(&name.as_str()));
        *name = format!("{name} to {address}");
    }

    fn dissolve(&mut self, depth: usize, literal: &str) {
        let index = self.open.len() - 1 - depth;
        assert!(index > 0, "the place of it all does not dissolve");
        let (_, children) = self.open.remove(index);
        let within = self.open.split_off(index);
        self.push(Node::Text(literal.to_owned()));
        for child in children {
            self.push(child);
        }
        self.open.extend(within);
    }
}
