//! A walk that writes HTML, as a server does it.

/// Writes HTML.
#[derive(Default)]
pub(crate) struct Writer {
    html: String,
    open: Vec<&'static str>,
    /// The last tag still takes attributes.
    is_in_tag: bool,
}

impl Writer {
    /// The HTML of what this draws.
    pub(crate) fn write(draw: &dyn Fn(&mut Self)) -> String {
        let mut writer = Self::default();
        draw(&mut writer);
        writer.html
    }

    /// Opens an element of this class; siblings of one tag and class differ by their key. Says whether it is new.
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

    /// A server writes no parts: the shadow trees are the browser's.
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

    /// An attribute of a new element, which never changes.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.html.push(' ');
        self.html.push_str(name);
        self.html.push_str("=\"");
        self.push_escaped(value);
        self.html.push('"');
    }

    /// An attribute of a few values.
    pub(crate) fn word(&mut self, name: &'static str, value: Option<&'static str>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    /// An attribute of any value.
    pub(crate) fn put(&mut self, name: &'static str, value: &str) {
        self.set(name, value);
    }

    /// An attribute that is written again if its stamp differs, and removed if the stamp is 0.
    pub(crate) fn stamped(&mut self, name: &'static str, stamp: usize, make: &dyn Fn() -> String) {
        if stamp > 0 {
            self.set(name, &make());
        }
    }

    /// Whether a radio button or check box is chosen. On a server nothing is.
    pub(crate) fn checked(&mut self, _is_on: bool) {}

    /// What stands in a new text field. On a server nothing does.
    pub(crate) fn value(&mut self, _text: &str) {}

    /// A text that is written again when it is another one.
    pub(crate) fn text(&mut self, text: &str) {
        self.end_tag();
        self.push_escaped(text);
    }

    /// A text that may still grow.
    pub(crate) fn grow(&mut self, text: &str) {
        self.text(text);
    }

    /// Whether an element that was written before can stay as it is.
    pub(crate) fn keep(&mut self, _tag: &'static str, _class: &'static str, _key: usize) -> bool {
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
