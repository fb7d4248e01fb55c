//! Pictures of options.

use crate::members::OptionSnapshot;
use crate::text::is_blank;

pub(crate) const MUST_BE: &str = "a path on the page's own server, such as `/oak.jpg`, or a `data:image/…` URL";

/// Returns true if a page may load a picture from this URL: only from its own server or a `data:` URL, so that no third party learns who was asked.
///
/// ```
/// use ask_user_question::picture::is_legal;
/// assert!(is_legal("/oak.jpg") && is_legal("oak.jpg?size=2") && is_legal("data:image/png;base64,iVBORw0K"));
/// assert!(!is_legal("https://example.com/oak.jpg") && !is_legal("//example.com/oak.jpg") && !is_legal("data:text/html,"));
/// ```
#[must_use]
pub fn is_legal(url: &str) -> bool {
    // Browsers treat a backslash as a slash, and ignore line breaks and tabs.
    if url.is_empty() || url.contains(|c: char| c == '\\' || c.is_whitespace() || c.is_control()) {
        return false;
    }
    let head = url.split(['/', '?', '#']).next().unwrap_or_default();
    if head.contains(':') { url.starts_with("data:image/") } else { !url.starts_with("//") }
}

impl OptionSnapshot {
    /// The URL and description of the picture, once both are complete. `None` for a picture from another server or without a description.
    #[must_use]
    pub fn picture(&self) -> Option<(&str, &str)> {
        let (image, alt) = (self.image.as_ref()?, self.alt.as_ref()?);
        let is_shown = image.closed && alt.closed && is_legal(&image.text) && !is_blank(&alt.text);
        is_shown.then_some((&*image.text, &*alt.text))
    }
}
