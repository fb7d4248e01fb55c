//! A file as the user sees it.

use crate::anatomy::part;
use crate::writer::prelude::*;
use ask_user_question::attachment::Attachment;
use ask_user_question::picture;

/// A picture small, or nothing, and the name.
pub(crate) fn chip(w: &mut Writer, file: &Attachment) {
    if file.is_picture() && picture::is_legal(&file.url) {
        if w.open("img", part::THUMB, 0) {
            // Its name stands beside it.
            w.set("alt", "");
            w.set("decoding", "async");
        }
        w.put("src", &file.url);
        w.close();
    }
    if w.open("span", part::FILE_NAME, 0) {
        w.set("dir", "auto");
    }
    w.text(&file.name);
    w.close();
}
