use std::borrow::Cow;
use std::ops::Range;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// How many bytes of other lines may stay in the buffer after a sole data line, before that line is copied out.
const MOST_KEPT: usize = 4096;

/// Turns bytes in any chunks into frames.
///
/// Call [`feed`](Self::feed), then [`next_frame`](Self::next_frame) until it returns `None`. Each byte is scanned once, however the chunks are cut.
/// Invalid UTF-8 becomes U+FFFD, as in browsers.
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

/// The parse state. It is separate from the buffer so that the data of a frame can be borrowed while its event is read.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    line: usize,
    /// The end of the part of the current line that was searched for a line end.
    searched: usize,
    /// Set after a carriage return. Only the next byte shows whether a line feed belongs to that line end, and waiting for it would delay every
    /// frame of a stream that ends its lines with CR.
    skip_line_feed: bool,
    /// True once the byte order mark at the start of the stream was handled.
    started: bool,
    fields: FrameFields,
    last_id: String,
    retry: Option<u64>,
    limit: usize,
    /// The last frame was returned by reference; its bytes are dropped at the next call.
    handed_out: bool,
    ended: bool,
}

#[derive(Debug, Default)]
struct FrameFields {
    event: String,
    /// The data lines, unless there is only one, which stays in the buffer as `sole_data`.
    data: String,
    sole_data: Option<Range<usize>>,
    has_data: bool,
    id: Option<String>,
}

/// One server-sent event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The event type; `message` if the frame names none.
    pub event: String,
    /// The data lines, joined by line feeds.
    pub data: String,
    /// The last event id so far in the stream; empty if there was none.
    pub id: String,
}

/// The reason why decoding stopped. No frame follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SseError {
    /// A frame is longer than allowed.
    #[error("a frame is longer than {limit} bytes")]
    FrameTooLong {
        /// The limit, in bytes.
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

    /// Creates a decoder with the default limit.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a decoder that refuses frames of more than `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { buffer: Vec::new(), lines: Lines { limit, ..Lines::default() } }
    }

    /// The last event id so far, to be sent as `Last-Event-ID`; empty if there was none.
    #[must_use]
    pub fn last_id(&self) -> &str {
        &self.lines.last_id
    }

    /// The reconnection time that the stream last set, in milliseconds.
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

    /// The next complete frame; `None` until more bytes arrive.
    pub fn next_frame(&mut self) -> Option<Result<Frame, SseError>> {
        let data = self.lines.next(&self.buffer)?;
        Some(data.map(|data| self.lines.frame(data)))
    }

    /// Ends the stream. Returns the last frame if no blank line ended it. The AG-UI reference client reads such a frame, while the HTML standard
    /// drops it (for that, do not call this). Call [`next_frame`](Self::next_frame) until `None` first.
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

    /// Skips the byte order mark. Returns false if more bytes are needed to decide.
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

    /// Processes a line. Returns true if it ends a frame.
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
            // The standard ignores an id that contains NUL.
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
        // `u64::from_str` accepts a leading plus, which the standard does not.
        if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            let value =
                digits.iter().try_fold(0u64, |sum, digit| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.retry = Some(value.unwrap_or(u64::MAX));
        }
    }

    /// Fails if a frame with `line` more bytes is too long. The result depends only on the lines, never on the chunks.
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

    /// Returns true if the frame that was returned has an event type other than `message`.
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

    /// Frees the bytes that were read. Moves the rest only if at least as many bytes were read, so that the total cost stays linear.
    fn drop_consumed(&mut self, buffer: &mut Vec<u8>) {
        // Endless lines without data would otherwise keep the buffer growing behind the data line.
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

/// The index of the first line feed or carriage return. Scans eight bytes at a time.
fn find_line_end(bytes: &[u8]) -> Option<usize> {
    const EACH: u64 = u64::MAX / 255;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut at = 0;
    for word in words.iter().copied().map(u64::from_le_bytes) {
        // Text rarely has other bytes up to the carriage return. Borrows may falsely mark bytes above the lowest marked one, so the lowest is exact.
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

/// Decodes bytes, with U+FFFD for invalid UTF-8. The slow replacement runs only if needed.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
