//! A walk that writes HTML, for a server.

use super::Sink;
use super::prelude::*;

/// The HTML that `draw` writes.
pub(crate) fn write_html(is_plain: bool, draw: &dyn Fn(&mut Writer)) -> String {
    let mut writer = HtmlWriter { is_plain, html: String::new(), open: Vec::new(), is_in_tag: false };
    draw(&mut writer);
    writer.html
}

struct HtmlWriter {
    is_plain: bool,
    html: String,
    open: Vec<&'static str>,
    /// The last tag is still open for attributes.
    is_in_tag: bool,
}

/// Each element is new, and nothing changes: checks, values of fields and reuse do nothing.
impl Sink for HtmlWriter {
    fn is_plain(&self) -> bool {
        self.is_plain
    }

    fn open(&mut self, tag: &'static str, class: &'static str, _key: usize) -> bool {
        self.end_tag();
        self.html.push('<');
        self.html.push_str(tag);
        self.is_in_tag = true;
        self.open.push(tag);
        if !class.is_empty() {
            self.set("class", class);
        }
        true
    }

    fn close(&mut self) {
        self.end_tag();
        if let Some(tag) = self.open.pop().filter(|tag| !matches!(*tag, "input" | "img")) {
            self.html.push_str("</");
            self.html.push_str(tag);
            self.html.push('>');
        }
    }

    fn set(&mut self, name: &'static str, value: &str) {
        self.html.push(' ');
        self.html.push_str(name);
        self.html.push_str("=\"");
        self.push_escaped(value);
        self.html.push('"');
    }

    fn checked(&mut self, _is_on: bool) {}

    fn value(&mut self, _text: &str) {}

    fn text(&mut self, text: &str) {
        self.end_tag();
        self.push_escaped(text);
    }
}

impl HtmlWriter {
    fn end_tag(&mut self) {
        if std::mem::take(&mut self.is_in_tag) {
            self.html.push('>');
        }
    }

    fn push_escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.html.push_str("&amp;"),
                '<' => self.html.push_str("&lt;"),
                '>' => self.html.push_str("&gt;"),
                '"' => self.html.push_str("&quot;"),
                _ => self.html.push(character),
            }
        }
    }
}
