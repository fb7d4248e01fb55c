//! Tables.

use crate::inline::Inline;
use crate::sink::{Align, Tag, Writer};

/// An open table, and the position in a row.
#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<Align>,
    /// The column of the next cell, or of the open one.
    column: usize,
    /// True in the first row, which names the columns.
    is_head: bool,
    /// True if a cell is open.
    is_open: bool,
    /// Spaces that are emitted only if more text follows in the cell.
    spaces: usize,
    /// The last character was a backslash, which escapes only a `|`.
    escapes: bool,
}

/// The table that begins with these two lines, if they name its columns and set their alignment.
pub(crate) fn table(header: &str, delimiters: &str) -> Option<Table> {
    let delimiters = delimiters.trim().strip_prefix('|')?;
    let delimiters = delimiters.strip_suffix('|').unwrap_or(delimiters);
    let columns: Vec<Align> = delimiters.split('|').map(align).collect::<Option<_>>()?;
    (cells(header) == columns.len()).then(|| Table { columns, is_head: true, ..Table::default() })
}

fn align(delimiter: &str) -> Option<Align> {
    let marks = delimiter.trim();
    let (before, after) = (marks.starts_with(':'), marks.ends_with(':'));
    let dashes = marks.strip_prefix(':').unwrap_or(marks);
    let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
    if dashes.is_empty() || dashes.contains(|c| c != '-') {
        return None;
    }
    Some(match (before, after) {
        (true, true) => Align::Center,
        (false, true) => Align::End,
        (_, false) => Align::Start,
    })
}

/// The number of cells of a row.
fn cells(row: &str) -> usize {
    let mut escapes = false;
    let inner = row.trim().chars().skip(1);
    let (ends, last) = inner.fold((0, ' '), |(ends, _), c| {
        let is_end = c == '|' && !escapes;
        escapes = c == '\\' && !escapes;
        (ends + usize::from(is_end), if is_end { '|' } else { 'x' })
    });
    ends + usize::from(last == 'x')
}

impl Table {
    /// Takes the next character of a row, after its first `|`; a line break ends it.
    pub(crate) fn take(&mut self, c: char, inline: &mut Inline, out: &mut Writer<'_>) {
        let escaped = std::mem::take(&mut self.escapes);
        if escaped && c != '|' {
            self.text('\\', inline, out);
        }
        match c {
            '\n' => {
                if self.is_open {
                    self.end_cell(inline, out);
                }
                out.close();
                (self.column, self.is_head, self.spaces) = (0, false, 0);
            }
            '|' if !escaped => {
                if !self.is_open {
                    self.open_cell(inline, out);
                }
                self.end_cell(inline, out);
            }
            '\\' if !escaped => self.escapes = true,
            ' ' | '\t' if !escaped => self.spaces += 1,
            c => self.text(c, inline, out),
        }
    }

    fn text(&mut self, c: char, inline: &mut Inline, out: &mut Writer<'_>) {
        let spaces = std::mem::take(&mut self.spaces);
        if self.is_open {
            (0..spaces).for_each(|_| inline.take(' ', out));
        } else {
            self.open_cell(inline, out);
        }
        inline.take(c, out);
    }

    fn open_cell(&mut self, inline: &mut Inline, out: &mut Writer<'_>) {
        let align = self.columns.get(self.column).copied().unwrap_or_default();
        out.open(if self.is_head { Tag::HeadCell(align) } else { Tag::Cell(align) });
        *inline = Inline::default();
        self.is_open = true;
    }

    fn end_cell(&mut self, inline: &mut Inline, out: &mut Writer<'_>) {
        inline.end(out);
        out.close();
        self.column += 1;
        (self.is_open, self.spaces) = (false, 0);
    }
}
