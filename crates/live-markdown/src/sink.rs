//! The output of the reader.

/// Builds a tree of what is read. There is always an innermost open element: at first the place where the text goes.
pub trait Sink {
    /// Opens an element at the end of the innermost open one. It is the innermost from now on.
    fn open(&mut self, tag: Tag<'_>);

    /// Appends text to the innermost open element. It is never empty.
    fn text(&mut self, text: &str);

    /// Closes the innermost open element.
    fn close(&mut self);

    /// Sets the address of the innermost open element, which is a link.
    fn lead(&mut self, address: &str);

    /// Turns the element that was opened `depth` elements before the innermost one back into text: `literal`, which was taken for its
    /// beginning, and its content take its place.
    fn dissolve(&mut self, depth: usize, literal: &str);
}

/// A kind of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag<'a> {
    /// A paragraph. Line breaks in it are kept.
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
    /// A rule between two topics, without content.
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
    /// A link whose text does not show its address.
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

/// Buffers text, so that the sink gets it in long pieces.
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
