//! Pictures that the user attached, and what is said in place of a file that a model does not get.

use crate::vendor::Vendor;
use ask_user_question::attachment::Attachment;
use bytes::Bytes;
use std::collections::HashMap;
use std::fmt;

/// The types of pictures that models see.
const TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Returns true if the file is a picture of a type that models see.
#[must_use]
pub fn is_visible(file: &Attachment) -> bool {
    TYPES.contains(&file.media_type.as_str())
}

/// The pictures of a request by their URLs. A picture that is not in the map has no room in this request.
pub type Pictures = HashMap<String, Picture>;

/// A picture that a message names. `Debug` does not show its bytes.
#[derive(Clone, PartialEq, Eq)]
pub enum Picture {
    /// Its bytes, of the type that the message says.
    Bytes(Bytes),
    /// It has been deleted.
    Gone,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::Gone => f.write_str("Gone"),
        }
    }
}

/// The ends of the sentences about files, by what becomes of a file, in the order of the sentences: first the files that the model sees, then
/// those that it does not get, by reason.
const SHOWN: &str = "";
const UNSEEN: &str = ", which this model cannot see";
const GONE: &str = ", which the server does not have any more";
const NO_ROOM: &str = ", for which this request has no room";
const NOT_TAKEN: &str = ", which the model's endpoint does not take";
const UNREAD: &str = ", which this model cannot read";
const FATES: [&str; 6] = [SHOWN, UNSEEN, GONE, NO_ROOM, NOT_TAKEN, UNREAD];

/// The pictures among the files of a message that go with it, and the sentences about all of its files; empty without files.
pub(crate) fn shown<'p>(
    vendor: &Vendor,
    pictures: Option<&'p Pictures>,
    files: &'p [Attachment],
) -> (String, Vec<(&'p Attachment, &'p Bytes)>) {
    let mut shown = Vec::new();
    let fates = files.iter().map(|file| match (is_visible(file), pictures) {
        (false, _) => UNREAD,
        (true, None) => UNSEEN,
        (true, Some(pictures)) => match pictures.get(&file.url) {
            None => NO_ROOM,
            Some(Picture::Gone) => GONE,
            Some(Picture::Bytes(bytes)) if vendor.takes(&file.media_type, bytes.len()) => {
                shown.push((file, bytes));
                SHOWN
            }
            Some(Picture::Bytes(_)) => NOT_TAKEN,
        },
    });
    let fates: Vec<&str> = fates.collect();
    let sentences = FATES.iter().filter_map(|fate| {
        let of_it = fates.iter().zip(files).filter(|(of_it, _)| *of_it == fate);
        let names: Vec<&str> = of_it.map(|(_, file)| file.name.as_str()).collect();
        let noun = if *fate == UNREAD { "file" } else { "picture" };
        let (count, s) = (names.len(), if names.len() == 1 { "" } else { "s" });
        (count > 0).then(|| format!("The user attached {count} {noun}{s} ({}){fate}.", names.join(", ")))
    });
    (sentences.collect::<Vec<String>>().join(" "), shown)
}
