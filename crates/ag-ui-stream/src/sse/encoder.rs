use crate::event::Event;

/// A frame to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutFrame<'a> {
    /// The event's type; absent means `message`.
    pub event: Option<&'a str>,
    /// The event's id.
    pub id: Option<&'a str>,
    /// The data; each of its lines becomes a `data` line.
    pub data: &'a str,
}

/// The reason why a frame cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The event's type holds a line end.
    #[error("an event type must not hold a line end")]
    Event,
    /// The id holds a line end or a NUL.
    #[error("an id must not hold a line end or a NUL")]
    Id,
}

/// Appends a frame to `out`.
///
/// # Errors
/// If the event's type or the id cannot be written; `out` is unchanged then.
pub fn write_frame(out: &mut String, frame: OutFrame<'_>) -> Result<(), EncodeError> {
    if frame.event.is_some_and(|event| event.contains(['\n', '\r'])) {
        return Err(EncodeError::Event);
    }
    if frame.id.is_some_and(|id| id.contains(['\n', '\r', '\0'])) {
        return Err(EncodeError::Id);
    }
    if let Some(event) = frame.event {
        write_field(out, "event", event);
    }
    if let Some(id) = frame.id {
        write_field(out, "id", id);
    }
    write_lines(out, "data", frame.data);
    out.push('\n');
    Ok(())
}

/// Appends an AG-UI event to `out` as a frame of type `message`, with an optional id.
///
/// # Errors
/// If the id cannot be written; `out` is unchanged then.
pub fn write_event(out: &mut String, event: &Event, id: Option<&str>) -> Result<(), EncodeError> {
    let mut data = String::new();
    event.write(&mut data);
    write_frame(out, OutFrame { event: None, id, data: &data })
}

/// Appends a comment, which readers ignore. It keeps an idle connection alive.
pub fn write_comment(out: &mut String, text: &str) {
    write_lines(out, "", text);
    out.push('\n');
}

fn write_lines(out: &mut String, name: &str, text: &str) {
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r']) {
        write_field(out, name, &rest[..end]);
        let crlf = rest[end..].starts_with("\r\n");
        rest = &rest[end + 1 + usize::from(crlf)..];
    }
    write_field(out, name, rest);
}

fn write_field(out: &mut String, name: &str, value: &str) {
    out.push_str(name);
    // The space is dropped by every reader; without it a value that begins with one would lose it.
    out.push_str(": ");
    out.push_str(value);
    out.push('\n');
}
