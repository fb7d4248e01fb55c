//! The built page, served from the same origin: the one within the program, or a folder's.
//!
//! It is read once, at the start: all files are of one build, and no request can reach any other file. Clients that accept it get the compressed
//! `NAME.br` or `NAME.gz` beside a file.

mod encoding;
mod file;

use crate::error::ApiError;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, Uri, header};
use axum::response::{IntoResponse as _, Response};
use encoding::Encoding;
use file::{File, base_of_packed};
use percent_encoding::percent_decode_str;
#[cfg(feature = "page")]
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use std::{fs, io};
use thiserror::Error;

/// The document at `/`.
const INDEX: &str = "/index.html";

/// The card as one HTML text, for MCP clients that show apps.
const VIEW: &str = "/card.html";

/// The crate's folder `page`, as it was when the program was built.
#[cfg(feature = "page")]
#[derive(rust_embed::RustEmbed)]
#[folder = "page"]
struct Embedded;

/// The reason why a folder is no page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PageError {
    /// It can't be read.
    #[error("--page {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// The folder of the page has no document.
    #[error("--page {}: it holds no index.html; name the folder that `cargo xtask build` or `trunk build` made.", .0.display())]
    NoPage(PathBuf),
}

/// A built page in memory.
#[derive(Debug)]
pub struct Page {
    /// By the path in the URL.
    files: HashMap<String, File>,
}

impl Page {
    /// The page within the program; `None` if it was built without one.
    #[must_use]
    pub fn embedded() -> Option<Self> {
        #[cfg(feature = "page")]
        let page = {
            let content = |name: &str| match Embedded::get(name)?.data {
                Cow::Borrowed(data) => Some(Bytes::from_static(data)),
                Cow::Owned(data) => Some(data.into()),
            };
            let contents = Embedded::iter().filter_map(|name| Some((format!("/{name}"), content(&name)?)));
            Some(Self::of(&contents.collect())).filter(|page| page.files.contains_key(INDEX))
        };
        #[cfg(not(feature = "page"))]
        let page = None;
        page
    }

    /// Reads the page in a folder with an `index.html`.
    ///
    /// # Errors
    /// If there is none, or the folder cannot be read.
    pub fn read(folder: &Path) -> Result<Self, PageError> {
        if !folder.join(&INDEX[1..]).is_file() {
            return Err(PageError::NoPage(folder.to_owned()));
        }
        let unreadable = |why| PageError::Unreadable(folder.to_owned(), why);
        let root = fs::canonicalize(folder).map_err(unreadable)?;
        let mut found = HashMap::new();
        find(&root, &root, "/", &mut found).map_err(unreadable)?;
        let page = Self::of(&read_all(&found).map_err(unreadable)?);
        let is_large = |(path, file): (&String, &File)| path.ends_with(".wasm") && !file.has(Encoding::Brotli);
        if page.files.iter().any(is_large) {
            tracing::info!(
                "the page's program has no NAME.br beside it, so each client loads all of it: OPERATOR.md says how to pack it"
            );
        }
        if page.text(INDEX).is_some_and(has_inline_script) {
            tracing::warn!(
                "index.html has an inline script, which the server's policy refuses, so the page may stay blank: start the program from a \
                 file, as the README shows under \"I have a Leptos app\""
            );
        }
        Ok(page)
    }

    /// The page of these files, by the paths in their URLs. Compressed ones are copies of the files beside them.
    fn of(contents: &HashMap<String, Bytes>) -> Self {
        let is_shown = |path: &str| {
            !path.starts_with("/.") && base_of_packed(path).is_none_or(|base| !contents.contains_key(base))
        };
        let files = contents.iter().filter(|(path, _)| is_shown(path)).map(|(path, content)| {
            let packed = |ending: &str| contents.get(&format!("{path}{ending}")).cloned();
            (path.clone(), File::new(path, content.clone(), packed))
        });
        Self { files: files.collect() }
    }

    /// The card as one HTML text, for MCP clients that show apps, if it is beside the page.
    #[must_use]
    pub fn view(&self) -> Option<&str> {
        self.text(VIEW)
    }

    fn text(&self, path: &str) -> Option<&str> {
        std::str::from_utf8(self.files.get(path)?.content()).ok()
    }

    fn file(&self, path: &str) -> Option<&File> {
        self.files.get(if path == "/" { INDEX } else { path })
    }
}

/// True if an element `script` has no file to load. Blocks of JSON are no scripts.
fn has_inline_script(html: &str) -> bool {
    let html = html.to_ascii_lowercase();
    let tags = html.split("<script").skip(1).filter_map(|rest| rest.split_once('>'));
    tags.map(|(tag, _)| tag).any(|tag| !tag.contains("src=") && !tag.contains("json"))
}

/// The files in a folder and below, each with the path of its URL. Files that begin with a dot, and links to the outside, are left out.
fn find(root: &Path, folder: &Path, path: &str, found: &mut HashMap<String, PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
            continue;
        };
        if entry.file_type()?.is_dir() {
            find(root, &entry.path(), &format!("{path}{name}/"), found)?;
        } else if entry.path().is_file() && fs::canonicalize(entry.path())?.starts_with(root) {
            found.insert(format!("{path}{name}"), entry.path());
        }
    }
    Ok(())
}

/// The contents of these files, without compressed ones that are older than their original.
fn read_all(found: &HashMap<String, PathBuf>) -> io::Result<HashMap<String, Bytes>> {
    // In whole seconds, since some programs copy the original's time without the fraction.
    let second_of_change = |place: &Path| {
        let since = fs::metadata(place)?.modified()?.duration_since(SystemTime::UNIX_EPOCH);
        io::Result::Ok(since.unwrap_or_default().as_secs())
    };
    let mut contents = HashMap::new();
    for (path, place) in found {
        let original = base_of_packed(path).and_then(|base| found.get(base));
        let is_old = match original {
            Some(original) => second_of_change(place)? < second_of_change(original)?,
            None => false,
        };
        if !is_old {
            contents.insert(path.clone(), fs::read(place)?.into());
        }
    }
    Ok(contents)
}

/// Serves a file of the page, or 304 if the client has it.
pub(crate) async fn serve(State(page): State<Arc<Page>>, uri: Uri, headers: HeaderMap) -> Result<Response, ApiError> {
    // The path is a key of the map, so it cannot leave the folder.
    let path = percent_decode_str(uri.path()).decode_utf8();
    let path = path.map_err(|_| ApiError::NotFound)?;
    let file = page.file(&path).ok_or(ApiError::NotFound)?;
    let accepted = list(&headers, header::ACCEPT_ENCODING);
    let encoding = Encoding::best(&accepted, |encoding| file.has(encoding));
    let known = list(&headers, header::IF_NONE_MATCH);
    Ok(file.answer(encoding, &known).into_response())
}

/// The members of a header that is a list.
fn list(headers: &HeaderMap, name: HeaderName) -> Vec<&str> {
    let lines = headers.get_all(name).iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim).collect()
}
