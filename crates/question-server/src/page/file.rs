//! One file of the page.

use super::encoding::Encoding;
use crate::hex::sha256_hex;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

/// The cache policy of files with a hash in their name, as Trunk names them.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// The cache policy of all others: cached, but revalidated each time.
const ASK_FIRST: &str = "no-cache";

/// The ending of a file that is compressed by Brotli.
const BROTLI: &str = ".br";
/// The ending of a file that is compressed by gzip.
const GZIP: &str = ".gz";
const ENDINGS: [&str; 2] = [BROTLI, GZIP];

/// The part of a digest in an `ETag`, in hexadecimal digits.
const TAG_DIGITS: usize = 32;

/// One file of the page, in each encoding that exists and is smaller.
#[derive(Debug)]
pub(super) struct File {
    content_type: &'static str,
    cache: &'static str,
    /// The digest of the content. The name of the encoding is appended.
    tag: String,
    identity: Bytes,
    gzip: Option<Bytes>,
    brotli: Option<Bytes>,
}

impl File {
    /// Reads a file, and the compressed `NAME.br` and `NAME.gz` beside it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn read(place: &Path) -> io::Result<Self> {
        let content = fs::read(place)?.into();
        let packed = ENDINGS.map(|ending| packed_beside(place, ending));
        let [brotli, gzip] = packed.map(|packed| packed.map(|found| found.map(Bytes::from)));
        let (brotli, gzip) = (brotli?, gzip?);
        Ok(Self::new(place, content, |ending| if ending == BROTLI { brotli.clone() } else { gzip.clone() }))
    }

    /// The file of this name with this content, and its packed copies by their endings. A copy that is no smaller is left out.
    pub(super) fn new(name: &Path, content: Bytes, packed: impl Fn(&str) -> Option<Bytes>) -> Self {
        let smaller = |ending| packed(ending).filter(|packed: &Bytes| packed.len() < content.len());
        let is_immutable = name.file_name().and_then(|name| name.to_str()).is_some_and(is_named_after_its_content);
        Self {
            content_type: content_type(name),
            cache: if is_immutable { FOR_EVER } else { ASK_FIRST },
            tag: sha256_hex(&content)[..TAG_DIGITS].to_owned(),
            gzip: smaller(GZIP),
            brotli: smaller(BROTLI),
            identity: content,
        }
    }

    pub(super) fn content(&self) -> &[u8] {
        &self.identity
    }

    pub(super) fn has(&self, encoding: Encoding) -> bool {
        self.in_encoding(encoding).is_some()
    }

    fn in_encoding(&self, encoding: Encoding) -> Option<&Bytes> {
        match encoding {
            Encoding::Identity => Some(&self.identity),
            Encoding::Gzip => self.gzip.as_ref(),
            Encoding::Brotli => self.brotli.as_ref(),
        }
    }

    /// The response to a client with these entity tags.
    pub(super) fn answer(&self, encoding: Encoding, known: &[&str]) -> (StatusCode, HeaderMap, Bytes) {
        let tag = match encoding.name() {
            Some(name) => format!("\"{}-{name}\"", self.tag),
            None => format!("\"{}\"", self.tag),
        };
        let is_known = known.iter().any(|known| *known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag);

        let mut headers = HeaderMap::new();
        let is_packed = self.gzip.is_some() || self.brotli.is_some();
        let entries =
            [(header::CACHE_CONTROL, Some(self.cache)), (header::VARY, is_packed.then_some("accept-encoding"))];
        let of_content = [(header::CONTENT_TYPE, Some(self.content_type)), (header::CONTENT_ENCODING, encoding.name())];
        let of_content = of_content.into_iter().filter(|_| !is_known);
        for (name, value) in entries.into_iter().chain(of_content) {
            if let Some(value) = value {
                headers.insert(name, HeaderValue::from_static(value));
            }
        }
        let tag = HeaderValue::try_from(tag).expect("a hash in quotes is legal in a header");
        headers.insert(header::ETAG, tag);
        match self.in_encoding(encoding).filter(|_| !is_known) {
            Some(content) => (StatusCode::OK, headers, content.clone()),
            None => (StatusCode::NOT_MODIFIED, headers, Bytes::new()),
        }
    }
}

/// The name of the compressed file.
fn packed_name(place: &Path, ending: &str) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The compressed file, unless it is older than the original. Times are compared in whole seconds, since some programs copy the original's time
/// without the fraction.
fn packed_beside(place: &Path, ending: &str) -> io::Result<Option<Vec<u8>>> {
    let packed = packed_name(place, ending);
    // A link might lead out of the folder.
    if !fs::symlink_metadata(&packed).is_ok_and(|packed| packed.is_file()) {
        return Ok(None);
    }
    let second_of_change = |place: &Path| {
        let changed = fs::metadata(place)?.modified()?;
        let since = changed.duration_since(SystemTime::UNIX_EPOCH);
        io::Result::Ok(since.unwrap_or_default().as_secs())
    };
    if second_of_change(&packed)? < second_of_change(place)? {
        return Ok(None);
    }
    fs::read(&packed).map(Some)
}

/// True if this is the compressed form of another file.
pub(super) fn is_packed(place: &Path) -> bool {
    let base = place.to_str().and_then(base_of_packed);
    base.is_some_and(|base| Path::new(base).is_file())
}

/// The name of the file whose compressed form would have this name.
pub(super) fn base_of_packed(name: &str) -> Option<&str> {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))
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

fn content_type(place: &Path) -> &'static str {
    let extension = place.extension().and_then(|extension| extension.to_str());
    match extension.unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}
