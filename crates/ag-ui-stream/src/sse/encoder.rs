use crate::event::Event;

/// A server-sent event to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutFrame<'a> {
    /// The event type; `None` means `message`.
    pub event: Option<&'a str>,
    /// The event id; `None` writes no `id` line.
    pub id: Option<&'a str>,
    /// The data. Each of its lines becomes a `data` line.
    pub data: &'a str,
}

/// The reason why a frame cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The event type has a line break.
    #[error("an event type must not hold a line end")]
    Event,
    /// The id has a line break or NUL.
    #[error("an id must not hold a line end or a NUL")]
    Id,
}

/// Appends a frame to `out`.
///
/// # Errors
/// If the event type or the id can't be written. `out` is unchanged then.
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
/// If the id can't be written. `out` is unchanged then.
pub fn write_event(out: &mut String, event: &Event, id: Option<&str>) -> Result<(), EncodeError> {
    let mut data = String::new();
    event.write(&mut data);
    write_frame(out, OutFrame { event: None, id, data: &data })
}

/// Appends a comment, which readers ignore, to keep an idle connection alive.
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
    // Readers drop one space after the colon, so it protects a value that starts with a space.
    out.push_str(": ");
    out.push_str(value);
    out.push('\n');
}
