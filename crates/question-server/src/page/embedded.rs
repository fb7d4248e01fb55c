//! The page within the program: the crate's folder `page`, as it was when the program was built.

use super::file::{File, base_of_packed};
use axum::body::Bytes;
use rust_embed::RustEmbed;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

#[derive(RustEmbed)]
#[folder = "page"]
struct Folder;

/// All files by the path in the URL, each with its packed copies.
pub(super) fn files() -> HashMap<String, File> {
    let names: Vec<Cow<'static, str>> = Folder::iter().collect();
    let is_packed = |name: &str| base_of_packed(name).is_some_and(|base| names.iter().any(|name| name == base));
    let shown = names.iter().filter(|name| !name.starts_with('.') && !is_packed(name));
    let files = shown.filter_map(|name| {
        let packed = |ending: &str| content(&format!("{name}{ending}"));
        Some((format!("/{name}"), File::new(Path::new(name.as_ref()), content(name)?, packed)))
    });
    files.collect()
}

fn content(name: &str) -> Option<Bytes> {
    Folder::get(name).map(|file| match file.data {
        Cow::Borrowed(data) => Bytes::from_static(data),
        Cow::Owned(data) => data.into(),
    })
}
