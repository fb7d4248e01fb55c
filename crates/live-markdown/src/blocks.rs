//! The block parser: finds the block of each line.

use crate::begin::{Begin, begin};
use crate::inline::Inline;
use crate::sink::{Sink, Tag, Writer};
use crate::table::{self, Table};

/// The deepest nesting of lists; deeper ones are shown at this depth.
const DEEPEST: usize = 6;
/// The least indentation, beyond the mark of an item, of a line that belongs to the item.
const INDENTATION: usize = 2;
/// The most indentation of a closing fence, beyond that of the opening one.
const FENCE_INDENTATION: usize = 3;
/// The longest beginning of a line of code that may still turn out to be the closing fence.
const LONGEST_FENCE: usize = 128;

/// An incremental reader: [`feed`](Self::feed) it text as it arrives, then call [`finish`](Self::finish).
#[derive(Debug, Default)]
pub struct Reader {
    /// True if a quotation is open; all other open blocks are within it.
    quote: bool,
    /// The open items, from the outermost on, each in a list of its own.
    items: Vec<ListItem>,
    leaf: Leaf,
    /// The last line, if it may be the first of a table: the next line decides. Otherwise it begins or continues a paragraph.
    header: Option<String>,
    line: Line,
    inline: Inline,
}

/// An open item.
#[derive(Debug)]
struct ListItem {
    /// The column of its mark in its line.
    column: usize,
    ordered: bool,
}

/// The innermost open block, which contains text.
#[derive(Debug, Default)]
enum Leaf {
    #[default]
    None,
    Paragraph,
    Heading,
    Code(Fence),
    Table(Table),
}

/// An open block of code.
#[derive(Clone, Copy, Debug)]
struct Fence {
    mark: char,
    length: usize,
    /// The indentation of the opening fence, which the lines of code are assumed to share.
    column: usize,
    /// Line breaks that are emitted only if more text follows.
    breaks: usize,
}

/// The position within the line.
#[derive(Debug)]
enum Line {
    Begun(Beginning),
    /// In the text or code of the innermost block.
    Within,
}

/// A line whose kind is not known yet.
#[derive(Debug, Default)]
struct Beginning {
    /// Its text so far, without indentation and the marks that were recognised.
    held: String,
    /// The column of `held`.
    column: usize,
    /// True if the line carries the mark of a quotation.
    quoted: bool,
    /// True if the line began with the mark of an item, so that the rest belongs to it.
    in_item: bool,
}

impl Default for Line {
    fn default() -> Self {
        Self::Begun(Beginning::default())
    }
}

impl Reader {
    /// Reads the next piece of text.
    pub fn feed(&mut self, text: &str, sink: &mut dyn Sink) {
        let mut out = Writer::new(sink);
        for c in text.chars().filter(|c| *c != '\r') {
            self.take(c, &mut out);
        }
        out.flush();
    }

    /// Ends the text: closes all open blocks. Then the reader can be fed another text.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        let mut out = Writer::new(sink);
        self.take('\n', &mut out);
        self.settle_header(&mut out);
        self.close_containers(&mut out);
        self.line = Line::default();
        out.flush();
    }

    fn take(&mut self, c: char, out: &mut Writer<'_>) {
        match (&mut self.line, &mut self.leaf) {
            (Line::Begun(_), Leaf::Code(fence)) => {
                let fence = *fence;
                self.begin_code_line(fence, c, out);
            }
            (Line::Begun(_), _) => self.begin_line(c, out),
            (Line::Within, Leaf::Code(fence)) => match c {
                '\n' => {
                    fence.breaks += 1;
                    self.line = Line::default();
                }
                c => out.push(c),
            },
            (Line::Within, Leaf::Table(table)) => {
                table.take(c, &mut self.inline, out);
                if c == '\n' {
                    self.line = Line::default();
                }
            }
            (Line::Within, leaf) => match c {
                '\n' => {
                    self.inline.end_line(out);
                    self.line = Line::default();
                    if matches!(leaf, Leaf::Heading) {
                        self.close_leaf(out);
                    }
                }
                c => self.inline.take(c, out),
            },
        }
    }

    fn begin_line(&mut self, c: char, out: &mut Writer<'_>) {
        let Line::Begun(line) = &mut self.line else {
            return;
        };
        if line.held.is_empty() && matches!(c, ' ' | '\t') {
            line.column = indented(line.column, c);
            return;
        }
        line.held.push(c);
        if line.held == "|" && matches!(self.leaf, Leaf::Table(_)) {
            let line = std::mem::take(line);
            if self.is_beside(&line) {
                return self.row(out);
            }
            self.close_leaf(out);
            self.line = Line::Begun(line);
            return;
        }
        let begin = begin(&line.held);
        if begin == Begin::Unknown {
            return;
        }
        let line = std::mem::take(line);
        if begin == Begin::Row
            && self.is_beside(&line)
            && let Some(header) = &self.header
            && let Some(table) = table::table(header, &line.held)
        {
            return self.open_table(table, out);
        }
        // The mark of the open quotation says nothing about the block within it.
        let is_quoted_on = begin == Begin::Quote && self.quote && !line.in_item;
        if !is_quoted_on {
            self.settle_header(out);
        }
        let begin = self.as_it_stands(begin, &line);
        let goes_on = matches!(begin, Begin::Text | Begin::Quote | Begin::Row) && self.goes_on(&line);
        if !goes_on && !is_quoted_on {
            self.close_leaf(out);
        }
        match begin {
            Begin::Unknown => {}
            Begin::Blank => self.end_blank_line(&line, out),
            Begin::Quote => self.quote(out),
            Begin::Heading(level) => {
                self.open_leaf(&line, Leaf::Heading, Tag::Heading(level), out);
            }
            Begin::Rule => {
                self.leave(&line, out);
                out.open(Tag::Rule);
                out.close();
            }
            Begin::Bullet(length) => self.open_item(line, None, length, out),
            Begin::Number(number, length) => self.open_item(line, Some(number), length, out),
            Begin::Fence(mark, length) => {
                let fence = Fence { mark, length, column: line.column, breaks: 0 };
                let language = line.held.trim_start_matches(mark);
                let language = language.split_whitespace().next().unwrap_or_default();
                self.leave(&line, out);
                out.open(Tag::CodeBlock(language));
                self.leaf = Leaf::Code(fence);
            }
            Begin::Row => {
                if !self.goes_on(&line) {
                    self.leave(&line, out);
                }
                self.header = Some(line.held);
            }
            Begin::Text => self.text(&line, out),
        }
    }

    /// The kind of a line in its context: within a paragraph, some beginnings are text.
    fn as_it_stands(&self, begin: Begin, line: &Beginning) -> Begin {
        let within = self.goes_on(line) && self.is_beside(line);
        let is_empty = line.held.ends_with('\n');
        match begin {
            Begin::Quote if line.in_item => Begin::Text,
            Begin::Bullet(_) | Begin::Number(1, _) if within && is_empty => Begin::Text,
            Begin::Number(number, _) if within && number != 1 => Begin::Text,
            Begin::Row if self.goes_on(line) && !within => Begin::Text,
            begin => begin,
        }
    }

    /// Returns true if the line would continue the open paragraph as text.
    fn goes_on(&self, line: &Beginning) -> bool {
        matches!(self.leaf, Leaf::Paragraph) && !line.in_item
    }

    /// Returns true if a line is within all open blocks, and opens none itself.
    fn is_beside(&self, line: &Beginning) -> bool {
        !line.in_item && self.quote == line.quoted && self.depth_of(line) == self.items.len()
    }

    /// The number of open items that a line belongs to.
    fn depth_of(&self, line: &Beginning) -> usize {
        let belongs = |item: &&ListItem| line.in_item || line.column >= item.column + INDENTATION;
        self.items.iter().take_while(belongs).count()
    }

    fn end_blank_line(&mut self, line: &Beginning, out: &mut Writer<'_>) {
        if self.quote && !line.quoted {
            self.close_containers(out);
        }
    }

    fn quote(&mut self, out: &mut Writer<'_>) {
        if !self.quote {
            self.close_leaf(out);
            self.close_containers(out);
            out.open(Tag::Quote);
            self.quote = true;
        }
        self.line = Line::Begun(Beginning { quoted: true, ..Beginning::default() });
    }

    fn text(&mut self, line: &Beginning, out: &mut Writer<'_>) {
        if self.goes_on(line) {
            self.inline.break_line(out);
            self.line = Line::Within;
        } else {
            self.open_leaf(line, Leaf::Paragraph, Tag::Paragraph, out);
        }
        for c in line.held.chars() {
            self.take(c, out);
        }
    }

    /// Handles that the held line does not begin a table: it begins or continues a paragraph.
    fn settle_header(&mut self, out: &mut Writer<'_>) {
        let Some(header) = self.header.take() else { return };
        match self.leaf {
            Leaf::Paragraph => self.inline.break_line(out),
            _ => self.open_paragraph(out),
        }
        for c in header.trim_end_matches('\n').chars() {
            self.inline.take(c, out);
        }
        self.inline.end_line(out);
    }

    fn open_paragraph(&mut self, out: &mut Writer<'_>) {
        out.open(Tag::Paragraph);
        self.leaf = Leaf::Paragraph;
        self.inline = Inline::default();
    }

    fn open_table(&mut self, table: Table, out: &mut Writer<'_>) {
        let header = self.header.take().unwrap_or_default();
        self.close_leaf(out);
        out.open(Tag::Table);
        self.leaf = Leaf::Table(table);
        self.row(out);
        for c in header.chars().skip(1) {
            self.take(c, out);
        }
    }

    /// Begins a row of the open table, after its first `|`.
    fn row(&mut self, out: &mut Writer<'_>) {
        out.open(Tag::Row);
        self.line = Line::Within;
    }

    fn open_leaf(&mut self, line: &Beginning, leaf: Leaf, tag: Tag<'_>, out: &mut Writer<'_>) {
        self.leave(line, out);
        out.open(tag);
        self.leaf = leaf;
        self.inline = Inline::default();
        self.line = Line::Within;
    }

    fn open_item(&mut self, line: Beginning, number: Option<u32>, length: usize, out: &mut Writer<'_>) {
        let Beginning { held, column, quoted, .. } = &line;
        let depth = self.depth_of(&line).min(DEEPEST - 1);
        if self.quote && !quoted && !line.in_item {
            self.close_containers(out);
        }
        self.close_items(depth + 1, out);
        match self.items.get(depth) {
            Some(item) if item.ordered == number.is_some() => {
                out.close();
                self.items.pop();
            }
            _ => {
                self.close_items(depth, out);
                out.open(number.map_or(Tag::Bullets, Tag::Numbers));
            }
        }
        out.open(Tag::Item);
        self.items.push(ListItem { column: *column, ordered: number.is_some() });
        // `split_at_checked`, because a panic message and its tables would enlarge the program.
        let (sign, text) = held.split_at_checked(length).unwrap_or_default();
        self.line = Line::Begun(Beginning {
            held: String::new(),
            column: column + sign.chars().count(),
            quoted: *quoted,
            in_item: true,
        });
        for c in text.chars() {
            self.take(c, out);
        }
    }

    /// Closes the blocks that a line does not belong to.
    fn leave(&mut self, line: &Beginning, out: &mut Writer<'_>) {
        if self.quote && !line.quoted && !line.in_item {
            self.close_containers(out);
        }
        self.close_items(self.depth_of(line), out);
    }

    fn begin_code_line(&mut self, fence: Fence, c: char, out: &mut Writer<'_>) {
        let Line::Begun(line) = &mut self.line else {
            return;
        };
        if self.quote && !line.quoted {
            match c {
                ' ' => line.column += 1,
                '>' => (line.quoted, line.column) = (true, 0),
                c => {
                    self.close_leaf(out);
                    self.close_containers(out);
                    self.begin_line(c, out);
                }
            }
            return;
        }
        if line.held.is_empty() && line.column < fence.column && matches!(c, ' ' | '\t') {
            line.column = indented(line.column, c);
            return;
        }
        line.held.push(c);
        let Some(closes) = closes(&line.held, fence) else {
            return;
        };
        let held = std::mem::take(&mut line.held);
        if closes {
            self.close_leaf(out);
            self.line = Line::default();
            return;
        }
        self.line = Line::Within;
        if !held.trim_start_matches(' ').starts_with('\n')
            && let Leaf::Code(fence) = &mut self.leaf
        {
            out.repeat('\n', std::mem::take(&mut fence.breaks));
        }
        for c in held.chars() {
            self.take(c, out);
        }
    }

    fn close_leaf(&mut self, out: &mut Writer<'_>) {
        match self.leaf {
            Leaf::None => return,
            Leaf::Paragraph | Leaf::Heading => self.inline.end(out),
            Leaf::Code(_) | Leaf::Table(_) => {}
        }
        self.leaf = Leaf::None;
        out.close();
    }

    fn close_containers(&mut self, out: &mut Writer<'_>) {
        self.close_leaf(out);
        self.close_items(0, out);
        if std::mem::take(&mut self.quote) {
            out.close();
        }
    }

    /// Closes the items, and their lists, that are deeper than `depth`.
    fn close_items(&mut self, depth: usize, out: &mut Writer<'_>) {
        while self.items.len() > depth {
            self.items.pop();
            out.close();
            out.close();
        }
    }
}

/// The column after a space or a tab.
fn indented(column: usize, c: char) -> usize {
    match c {
        '\t' => (column / 4 + 1) * 4,
        _ => column + 1,
    }
}

/// Returns true if a line of code closes the block; `None` if the rest of the line decides.
fn closes(held: &str, fence: Fence) -> Option<bool> {
    let marks = held.trim_start_matches(' ');
    let after = marks.trim_start_matches(fence.mark);
    let length = marks.chars().count() - after.chars().count();
    if held.len() - marks.len() > FENCE_INDENTATION || held.len() > LONGEST_FENCE {
        return Some(false);
    }
    match after.trim_matches([' ', '\t']) {
        "" if length == 0 || length >= fence.length || after.is_empty() => None,
        "\n" if length >= fence.length => Some(true),
        _ => Some(false),
    }
}
