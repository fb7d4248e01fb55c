//! A walk that writes HTML, for a server.

/// Writes HTML.
#[derive(Default)]
pub(crate) struct Writer {
    /// Shows texts as they were written.
    pub(crate) plain: bool,
    html: String,
    open: Vec<&'static str>,
    /// The last tag is still open for attributes.
    is_in_tag: bool,
}

impl Writer {
    /// The HTML that `draw` writes.
    pub(crate) fn write(draw: &dyn Fn(&mut Self)) -> String {
        let mut writer = Self::default();
        draw(&mut writer);
        writer.html
    }

    /// Opens an element of this class; siblings of one tag and class differ by their key. Returns true if it is new.
    pub(crate) fn open(&mut self, tag: &'static str, class: &'static str, _key: usize) -> bool {
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

    /// Does nothing: only a browser has shadow trees.
    pub(crate) fn name_parts(&mut self, _attribute: &'static str) {}

    /// Closes the element.
    pub(crate) fn close(&mut self) {
        self.end_tag();
        if let Some(tag) = self.open.pop().filter(|tag| *tag != "input") {
            self.html.push_str("</");
            self.html.push_str(tag);
            self.html.push('>');
        }
    }

    /// Sets an attribute of a new element, which never changes.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.html.push(' ');
        self.html.push_str(name);
        self.html.push_str("=\"");
        self.push_escaped(value);
        self.html.push('"');
    }

    /// Sets an attribute of a few values, or removes it.
    pub(crate) fn word(&mut self, name: &'static str, value: Option<&'static str>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    /// Sets an attribute of any value.
    pub(crate) fn put(&mut self, name: &'static str, value: &str) {
        self.set(name, value);
    }

    /// Sets an attribute again if its stamp differs, and removes it if the stamp is 0.
    pub(crate) fn stamped(&mut self, name: &'static str, stamp: usize, make: &dyn Fn() -> String) {
        if stamp > 0 {
            self.set(name, &make());
        }
    }

    /// Checks a radio button or check box. Does nothing on a server.
    pub(crate) fn checked(&mut self, _is_on: bool) {}

    /// Sets the content of a new text field. Does nothing on a server.
    pub(crate) fn value(&mut self, _text: &str) {}

    /// Writes a text, and again if it changed.
    pub(crate) fn text(&mut self, text: &str) {
        self.end_tag();
        self.push_escaped(text);
    }

    /// Writes a text that may still grow.
    pub(crate) fn grow(&mut self, text: &str) {
        self.text(text);
    }

    /// Reuses the next element as it is, if it was written before. Returns false if it was not.
    pub(crate) fn reuse(&mut self, _tag: &'static str, _class: &'static str, _key: usize) -> bool {
        false
    }

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
