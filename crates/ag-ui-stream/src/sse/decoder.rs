use std::borrow::Cow;
use std::ops::Range;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The most bytes of other lines that stay in the buffer after a sole data line.
const MOST_KEPT: usize = 4096;

/// Turns bytes in any chunks into frames.
///
/// [`feed`](Self::feed) bytes, then take frames by [`next_frame`](Self::next_frame) until it returns `None`. Each byte is looked at once,
/// however the chunks fall. Bytes that are not UTF-8 become U+FFFD, as in browsers.
///
/// ```
/// use ag_ui_stream::sse::Decoder;
/// let mut decoder = Decoder::default();
/// decoder.feed(b"data: {\"type\":\ndata: \"RAW\"}\n");
/// assert!(decoder.next_frame().is_none());
/// decoder.feed(b"\n"); // A blank line ends the frame.
/// let frame = decoder.next_frame().expect("the limit is not reached")?;
/// assert_eq!((&*frame.event, &*frame.data), ("message", "{\"type\":\n\"RAW\"}"));
/// # Ok::<(), ag_ui_stream::sse::SseError>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    lines: Lines,
}

/// The progress in the buffer, apart from it so that the data of a frame can be borrowed while its event is read.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The start of the present line in the buffer.
    line: usize,
    /// The end of the part of the present line that was searched for a line end.
    searched: usize,
    /// Set after a line that a carriage return ended. Only the next byte shows whether a line feed belongs to that line end. Waiting for it
    /// would hold back a whole frame of a stream that ends its lines with CR.
    skip_line_feed: bool,
    /// True once the start of the stream was searched for a byte order mark.
    started: bool,
    fields: FrameFields,
    last_id: String,
    retry: Option<u64>,
    limit: usize,
    /// The frame was handed out by reference and is to be dropped at the next call.
    handed_out: bool,
    ended: bool,
}

#[derive(Debug, Default)]
struct FrameFields {
    event: String,
    /// All data lines but a sole one, which stays in the buffer.
    data: String,
    sole_data: Option<Range<usize>>,
    has_data: bool,
    id: Option<String>,
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The event's type; `message` if the stream names none.
    pub event: String,
    /// The data lines, joined by line feeds.
    pub data: String,
    /// The last event id so far; empty if there was none.
    pub id: String,
}

/// The reason why the bytes are no stream of frames. No frame follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SseError {
    /// A frame is longer than allowed.
    #[error("a frame is longer than {limit} bytes")]
    FrameTooLong {
        /// The most that is allowed, in bytes.
        limit: usize,
    },
}

impl Default for Decoder {
    fn default() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }
}

impl Decoder {
    /// The default limit of a frame: 10 MiB, as in the reference client.
    pub const DEFAULT_LIMIT: usize = 10 * 1024 * 1024;

    /// At the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// At the start of a stream, refusing frames of more than `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { buffer: Vec::new(), lines: Lines { limit, ..Lines::default() } }
    }

    /// The id of the last frame that had one, for `Last-Event-ID`.
    #[must_use]
    pub fn last_id(&self) -> &str {
        &self.lines.last_id
    }

    /// The last reconnection time that the stream asked for, in milliseconds.
    #[must_use]
    pub fn retry(&self) -> Option<u64> {
        self.lines.retry
    }

    /// Takes the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.lines.ended {
            return;
        }
        self.lines.drop_handed_out();
        self.lines.drop_consumed(&mut self.buffer);
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete frame, if there is one.
    pub fn next_frame(&mut self) -> Option<Result<Frame, SseError>> {
        let data = self.lines.next(&self.buffer)?;
        Some(data.map(|data| self.lines.frame(data)))
    }

    /// Ends the stream. Returns the frame that no blank line ended, if there is one. The AG-UI reference client takes it, while WHATWG drops
    /// it (to get that, do not call this). Take all frames by [`next_frame`](Self::next_frame) first.
    pub fn finish(&mut self) -> Option<Result<Frame, SseError>> {
        let data = self.lines.finish(&self.buffer)?;
        Some(data.map(|data| self.lines.frame(data)))
    }

    pub(crate) fn parts(&mut self) -> (&[u8], &mut Lines) {
        (&self.buffer, &mut self.lines)
    }
}

impl Lines {
    pub(crate) fn next<'b>(&mut self, buffer: &'b [u8]) -> Option<Result<Cow<'b, str>, SseError>> {
        self.drop_handed_out();
        if self.ended {
            return None;
        }
        while let Some(line) = self.next_line(buffer) {
            match self.take_line(buffer, line) {
                Ok(true) => return Some(Ok(self.hand_out(buffer))),
                Ok(false) => {}
                Err(error) => return Some(Err(error)),
            }
        }
        let unfinished = buffer.len() - self.line;
        self.check_length(unfinished).err().map(Err)
    }

    /// The data of the frame that no blank line ended.
    pub(crate) fn finish<'b>(&mut self, buffer: &'b [u8]) -> Option<Result<Cow<'b, str>, SseError>> {
        self.drop_handed_out();
        if self.ended {
            return None;
        }
        self.started = true;
        let line = self.line..buffer.len();
        (self.line, self.searched) = (line.end, line.end);
        if !line.is_empty()
            && let Err(error) = self.take_line(buffer, line)
        {
            return Some(Err(error));
        }
        self.ended = true;
        self.fields.has_data.then(|| Ok(self.hand_out(buffer)))
    }

    fn next_line(&mut self, buffer: &[u8]) -> Option<Range<usize>> {
        if !self.started && !self.skip_mark(buffer) {
            return None;
        }
        if self.skip_line_feed
            && let Some(next) = buffer.get(self.line)
        {
            self.skip_line_feed = false;
            if *next == b'\n' {
                self.line += 1;
                self.searched = self.line;
            }
        }
        let Some(length) = find_line_end(buffer.get(self.searched..)?) else {
            self.searched = buffer.len();
            return None;
        };
        let line = self.line..self.searched + length;
        self.skip_line_feed = buffer.get(line.end) == Some(&b'\r');
        self.line = line.end + 1;
        self.searched = self.line;
        Some(line)
    }

    /// Skips a byte order mark. Returns false while too few bytes have arrived to decide.
    fn skip_mark(&mut self, buffer: &[u8]) -> bool {
        let head = &buffer[..buffer.len().min(BOM.len())];
        if head.len() < BOM.len() && BOM.starts_with(head) {
            return false;
        }
        if head == BOM {
            self.line = BOM.len();
            self.searched = BOM.len();
        }
        self.started = true;
        true
    }

    /// Takes a line. Returns true if it ends a frame.
    fn take_line(&mut self, buffer: &[u8], line: Range<usize>) -> Result<bool, SseError> {
        self.check_length(line.len())?;
        if line.is_empty() {
            if let Some(id) = self.fields.id.take() {
                self.last_id = id;
            }
            if self.fields.has_data {
                return Ok(true);
            }
            self.fields.event.clear();
            return Ok(false);
        }
        let bytes = &buffer[line.clone()];
        let colon = bytes.iter().position(|byte| *byte == b':');
        let name = &bytes[..colon.unwrap_or(bytes.len())];
        let value_start =
            colon.map_or(bytes.len(), |colon| colon + 1 + usize::from(bytes.get(colon + 1) == Some(&b' ')));
        let value = line.start + value_start..line.end;
        match name {
            b"data" => self.take_data(buffer, value),
            b"event" => self.fields.event = text_of(&buffer[value]).into_owned(),
            // WHATWG ignores an id with a NUL.
            b"id" if !buffer[value.clone()].contains(&0) => {
                self.fields.id = Some(text_of(&buffer[value]).into_owned());
            }
            b"retry" => self.take_retry(&buffer[value]),
            _ => {}
        }
        Ok(false)
    }

    fn take_data(&mut self, buffer: &[u8], value: Range<usize>) {
        if !self.fields.has_data {
            self.fields.has_data = true;
            self.fields.sole_data = Some(value);
            return;
        }
        if let Some(first) = self.fields.sole_data.take() {
            self.fields.data.push_str(&text_of(&buffer[first]));
        }
        self.fields.data.push('\n');
        self.fields.data.push_str(&text_of(&buffer[value]));
    }

    fn take_retry(&mut self, digits: &[u8]) {
        // `u64::from_str` would take a leading plus, which is no digit.
        if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            let value =
                digits.iter().try_fold(0u64, |sum, digit| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.retry = Some(value.unwrap_or(u64::MAX));
        }
    }

    /// Refuses a frame that is too long with `line` more bytes. The verdict depends on lines alone, never on chunks.
    fn check_length(&mut self, line: usize) -> Result<(), SseError> {
        let fields = &self.fields;
        let sole = fields.sole_data.as_ref().map_or(0, ExactSizeIterator::len);
        let id = fields.id.as_ref().map_or(0, String::len);
        if fields.event.len() + fields.data.len() + sole + id + line <= self.limit {
            return Ok(());
        }
        self.ended = true;
        Err(SseError::FrameTooLong { limit: self.limit })
    }

    fn hand_out<'b>(&mut self, buffer: &'b [u8]) -> Cow<'b, str> {
        self.handed_out = true;
        match &self.fields.sole_data {
            Some(range) => text_of(&buffer[range.clone()]),
            None => Cow::Owned(std::mem::take(&mut self.fields.data)),
        }
    }

    /// Returns true if the frame that was handed out names an event type.
    pub(crate) fn is_named(&self) -> bool {
        !matches!(&*self.fields.event, "" | "message")
    }

    fn frame(&self, data: Cow<'_, str>) -> Frame {
        let event = if self.fields.event.is_empty() { "message" } else { &self.fields.event };
        Frame { event: event.to_owned(), data: data.into_owned(), id: self.last_id.clone() }
    }

    fn drop_handed_out(&mut self) {
        if std::mem::take(&mut self.handed_out) {
            self.fields.event.clear();
            self.fields.data.clear();
            self.fields.sole_data = None;
            self.fields.has_data = false;
        }
    }

    /// Frees what was read. Bytes are moved only when at least as many were read, so that the cost stays in proportion.
    fn drop_consumed(&mut self, buffer: &mut Vec<u8>) {
        // Lines without data may follow for ever, and would keep the buffer from its end.
        if let Some(sole) = self.fields.sole_data.take_if(|sole| self.line - sole.end > sole.len() + MOST_KEPT) {
            self.fields.data = text_of(&buffer[sole]).into_owned();
        }
        let kept = self.fields.sole_data.as_ref().map_or(self.line, |range| range.start);
        if kept == 0 || !self.started || kept * 2 < buffer.len() {
            return;
        }
        buffer.drain(..kept);
        self.line -= kept;
        self.searched -= kept;
        if let Some(range) = &mut self.fields.sole_data {
            *range = range.start - kept..range.end - kept;
        }
    }
}

/// The index of the first line feed or carriage return. It looks at eight bytes at a time.
fn find_line_end(bytes: &[u8]) -> Option<usize> {
    const EACH: u64 = u64::MAX / 255;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut at = 0;
    for word in words.iter().copied().map(u64::from_le_bytes) {
        // A text has hardly any other byte up to the carriage return. The lowest marked byte is right.
        let marks_below = |word: u64, bound: u64| word.wrapping_sub(EACH * bound) & !word & (EACH * 0x80);
        if marks_below(word, 0x0E) != 0 {
            let is = |byte: u8| marks_below(word ^ (EACH * u64::from(byte)), 1);
            let ends = is(b'\n') | is(b'\r');
            if ends != 0 {
                return Some(at + ends.trailing_zeros() as usize / 8);
            }
        }
        at += 8;
    }
    rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).map(|rest| at + rest)
}

/// Bytes as text, with U+FFFD for those that are not UTF-8. The slow replacement runs only if there are any.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
