//! A file as a chip: a small picture, if there is one, and the name.

use crate::anatomy::part;
use crate::browser::set_text;
use crate::labels::Labels;
use crate::writer::prelude::*;
use crate::writer::{Change, NodeTree};
use ask_user_question::AskSnapshot;
use ask_user_question::attachment::Attachment;
use ask_user_question::picture;
use web_sys::Element;

/// Replaces the content of an element by the files of a message, with small pictures. A picture or link leads to the page's own server
/// only, or has its bytes in its URL.
pub fn show_files(place: &Element, files: &[Attachment], labels: &Labels) {
    let mut tree = NodeTree::new(None);
    tree.write(&AskSnapshot::default(), Change::Texts, false, &|w| {
        w.open("ul", "qc-tray qc-files", 0);
        for (at, file) in files.iter().enumerate() {
            w.open("li", part::FILE, at);
            w.open("a", "", 0);
            if picture::is_legal(&file.url) {
                w.set("href", &file.url);
                // Browsers do not navigate to `data:` URLs.
                match file.is_data() {
                    true => w.set("download", &file.name),
                    false => w.set("target", "_blank"),
                }
            }
            chip(w, file);
            w.close();
            if file.size > 0 {
                w.element("span", part::HINT, 0, &labels.size(file.size));
            }
            w.close();
        }
        w.close();
    });
    set_text(place, "textContent", "");
    if let Some(list) = tree.element() {
        // Fails only if the place cannot have children.
        let _ = place.append_child(&list);
    }
}

pub(crate) fn chip(w: &mut Writer, file: &Attachment) {
    if file.is_picture() && picture::is_legal(&file.url) {
        if w.open("img", part::THUMB, 0) {
            // The name stands beside the picture.
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
