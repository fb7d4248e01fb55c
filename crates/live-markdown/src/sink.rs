//! The output of the reader.

/// Takes what was read and makes a tree of it. There is always an innermost open element: at first the place where the text goes.
pub trait Sink {
    /// An element begins at the end of the innermost open one, and is the innermost from now on.
    fn open(&mut self, tag: Tag<'_>);

    /// Text at the end of the innermost open element. Never empty.
    fn text(&mut self, text: &str);

    /// The innermost open element is complete.
    fn close(&mut self);

    /// The innermost open element is a link, and leads there.
    fn lead(&mut self, address: &str);

    /// The element that was opened `depth` elements before the innermost was none after all: `literal`, which was taken for its
    /// beginning, and all that it contains take its place.
    fn dissolve(&mut self, depth: usize, literal: &str);
}

/// A kind of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag<'a> {
    /// A paragraph; its line breaks are meant.
    Paragraph,
    /// A heading, by its level from 1 to 6.
    Heading(usize),
    /// A quotation.
    Quote,
    /// A list without an order.
    Bullets,
    /// A list with an order, by its first number.
    Numbers(u32),
    /// An item of a list.
    Item,
    /// A block of code, by its language, which may be empty.
    CodeBlock(&'a str),
    /// A rule between two topics; it has no content.
    Rule,
    /// A table. It has rows and nothing else.
    Table,
    /// A row of a table. It has cells and nothing else, in the first row as many as the table has columns.
    Row,
    /// A cell in the first row, which names its column.
    HeadCell(Align),
    /// A cell in another row.
    Cell(Align),
    /// Emphasis.
    Emphasis,
    /// Strong emphasis.
    Strong,
    /// Code within a text.
    Code,
    /// A link whose text hides where it leads to.
    Link,
    /// A link whose text is its address.
    Address,
}

/// The alignment of a column's texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// At the start of lines.
    #[default]
    Start,
    /// In the middle.
    Center,
    /// At the end of lines.
    End,
}

/// Collects text, so that a sink gets it in long pieces.
pub(crate) struct Writer<'a> {
    sink: &'a mut dyn Sink,
    text: String,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink) -> Self {
        let text = String::new();
        Self { sink, text }
    }

    pub(crate) fn push(&mut self, c: char) {
        self.text.push(c);
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn repeat(&mut self, c: char, times: usize) {
        self.text.extend(std::iter::repeat_n(c, times));
    }

    pub(crate) fn open(&mut self, tag: Tag<'_>) {
        self.flush().open(tag);
    }

    pub(crate) fn close(&mut self) {
        self.flush().close();
    }

    pub(crate) fn lead(&mut self, address: &str) {
        self.flush().lead(address);
    }

    pub(crate) fn dissolve(&mut self, depth: usize, literal: &str) {
        self.flush().dissolve(depth, literal);
    }

    pub(crate) fn flush(&mut self) -> &mut dyn Sink {
        if !self.text.is_empty() {
            self.sink.text(&self.text);
            self.text.clear();
        }
        self.sink
    }
}
