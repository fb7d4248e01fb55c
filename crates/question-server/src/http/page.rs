//! The built page, served from the same origin: the one within the program, or a folder's.
//!
//! The page is read once, at the start: all files are of one build, and no request can reach any other file. Clients that accept it get the
//! compressed `NAME.br` or `NAME.gz` beside a file.

mod memory;

use crate::error::ApiError;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use memory::Files;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};
use thiserror::Error;
use tower_http::services::ServeDir;
use tower_http::services::fs::DefaultServeDirFallback;

/// The document at `/`.
const INDEX: &str = "index.html";

/// The card as one HTML text, for MCP clients that show apps.
const VIEW: &str = "card.html";

/// The cache policy of files with a hash in their name, as Trunk names them.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// The cache policy of all others: cached, but revalidated each time.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// The crate's folder `page`, as it was when the program was built.
#[cfg(feature = "page")]
#[derive(rust_embed::RustEmbed)]
#[folder = "page"]
struct Embedded;

/// The reason why a folder is no page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PageError {
    /// The folder can't be read.
    #[error("--page {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// The folder of the page has no document.
    #[error("--page {}: it holds no index.html; name the folder that `cargo xtask build` or `trunk build` made.", .0.display())]
    NoPage(PathBuf),
}

/// A built page in memory.
#[derive(Clone, Debug)]
pub struct Page {
    files: Files,
    service: ServeDir<DefaultServeDirFallback, Files>,
}

impl Page {
    /// The page within the program; `None` if it was built without one.
    #[must_use]
    pub fn embedded() -> Option<Self> {
        #[cfg(feature = "page")]
        let page = {
            let content = |name: &str| Some(Bytes::from_owner(Embedded::get(name)?.data));
            let contents = Embedded::iter().filter_map(|name| Some((PathBuf::from(&*name), content(&name)?)));
            Some(Self::of(contents.collect())).filter(|page| page.files.text(INDEX).is_some())
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
        if !folder.join(INDEX).is_file() {
            return Err(PageError::NoPage(folder.to_owned()));
        }
        let unreadable = |why| PageError::Unreadable(folder.to_owned(), why);
        let root = fs::canonicalize(folder).map_err(unreadable)?;
        let mut found = HashMap::new();
        find(&root, &root, &mut found).map_err(unreadable)?;
        let page = Self::of(found);
        let packed: Vec<_> = page.files.paths().filter_map(base_of_packed).collect();
        let is_large = |path: &&Path| {
            path.extension().is_some_and(|kind| kind == "wasm") && !packed.iter().any(|base| base == path)
        };
        if let Some(program) = page.files.paths().find(is_large) {
            tracing::info!(
                "the page's {} has no NAME.br beside it, so each client loads all of it: OPERATOR.md says how to pack it",
                program.display()
            );
        }
        if page.files.text(INDEX).is_some_and(has_inline_script) {
            tracing::warn!(
                "index.html has an inline script, which the server's policy refuses, so the page may stay blank: start the program from a \
                 file, as the README shows under \"I have a Leptos app\""
            );
        }
        Ok(page)
    }

    /// The page of these files, by their paths. Compressed ones are copies of the files beside them.
    fn of(contents: HashMap<PathBuf, Bytes>) -> Self {
        let files = Files::new(contents);
        let service = ServeDir::with_backend("", files.clone()).precompressed_br().precompressed_gzip();
        Self { files, service }
    }

    /// The card as one HTML text, for MCP clients that show apps, if it is beside the page.
    #[must_use]
    pub fn view(&self) -> Option<&str> {
        self.files.text(VIEW)
    }
}

/// True if an element `script` has no file to load. Blocks of JSON are no scripts.
fn has_inline_script(html: &str) -> bool {
    let html = html.to_ascii_lowercase();
    let tags = html.split("<script").skip(1).filter_map(|rest| rest.split_once('>'));
    tags.map(|(tag, _)| tag).any(|tag| !tag.contains("src=") && !tag.contains("json"))
}

/// Reads the files in a folder and below. Those that begin with a dot, links to the outside, and compressed ones that are older than their
/// original are left out.
fn find(root: &Path, folder: &Path, found: &mut HashMap<PathBuf, Bytes>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_name().to_str().is_none_or(|name| name.starts_with('.')) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            find(root, &path, found)?;
        } else if path.is_file() && fs::canonicalize(&path)?.starts_with(root) && !is_outdated(&path)? {
            found.insert(path.strip_prefix(root).unwrap_or(&path).to_owned(), fs::read(&path)?.into());
        }
    }
    Ok(())
}

/// True if a compressed file is older than its original.
fn is_outdated(path: &Path) -> io::Result<bool> {
    // In whole seconds, since some programs copy the original's time without the fraction.
    let second_of_change = |place: &Path| {
        let since = fs::metadata(place)?.modified()?.duration_since(SystemTime::UNIX_EPOCH);
        io::Result::Ok(since.unwrap_or_default().as_secs())
    };
    match base_of_packed(path).filter(|original| original.is_file()) {
        Some(original) => Ok(second_of_change(path)? < second_of_change(&original)?),
        None => Ok(false),
    }
}

/// The path of the file whose compressed form has this path.
fn base_of_packed(path: &Path) -> Option<PathBuf> {
    path.extension().filter(|kind| *kind == "br" || *kind == "gz").map(|_| path.with_extension(""))
}

/// Serves a file of the page, or 304 if the client has it.
pub(crate) async fn serve(State(mut page): State<Page>, mut request: Request) -> Result<Response, ApiError> {
    // Times are made up, and a range may be of another build than the part that the client has.
    for name in [header::IF_MODIFIED_SINCE, header::IF_UNMODIFIED_SINCE, header::RANGE] {
        request.headers_mut().remove(name);
    }
    let name = request.uri().path().rsplit('/').next();
    let cache = if name.is_some_and(is_named_after_its_content) { IMMUTABLE } else { REVALIDATE };
    let response = page.service.try_call(request).await.map_err(|_| ApiError::NotFound)?;
    if response.status() == StatusCode::NOT_FOUND {
        return Err(ApiError::NotFound);
    }
    let mut response = response.map(Body::new);
    let headers = response.headers_mut();
    headers.remove(header::LAST_MODIFIED);
    headers.remove(header::ACCEPT_RANGES);
    headers.insert(header::CACHE_CONTROL, cache);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if let Some(kind) = kind.filter(|kind| kind.starts_with("text/")) {
        let kind = format!("{kind}; charset=utf-8").parse().expect("a media type is legal in a header");
        headers.insert(header::CONTENT_TYPE, kind);
    }
    Ok(response)
}

/// True if a name has a hash in Trunk's place: `chat-0123456789abcdef.css`, `app-0123456789abcdef_bg.wasm`. Trunk drops leading zeros. A hash
/// that is much shorter is not recognised, which costs a request for each visit.
fn is_named_after_its_content(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.strip_suffix("_bg").unwrap_or(stem);
    let hash = stem.rsplit('-').next().filter(|hash| *hash != stem);
    hash.is_some_and(|hash| {
        (15..=16).contains(&hash.len()) && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}
