//! One file of the page.

use super::encoding::Encoding;
use crate::hex::sha256_hex;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};

/// The cache policy of files with a hash in their name, as Trunk names them.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// The cache policy of all others: cached, but revalidated each time.
const ASK_FIRST: HeaderValue = HeaderValue::from_static("no-cache");

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
    content_type: HeaderValue,
    cache: HeaderValue,
    /// The digest of the content. The name of the encoding is appended.
    tag: String,
    identity: Bytes,
    gzip: Option<Bytes>,
    brotli: Option<Bytes>,
}

impl File {
    /// The file at this path with this content, and its packed copies by their endings. A copy that is no smaller is left out.
    pub(super) fn new(path: &str, content: Bytes, packed: impl Fn(&str) -> Option<Bytes>) -> Self {
        let smaller = |ending| packed(ending).filter(|packed: &Bytes| packed.len() < content.len());
        let is_immutable = path.rsplit('/').next().is_some_and(is_named_after_its_content);
        Self {
            content_type: content_type(path),
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
        headers.insert(header::CACHE_CONTROL, self.cache.clone());
        headers.insert(header::ETAG, HeaderValue::try_from(tag).expect("a hash in quotes is legal in a header"));
        if self.gzip.is_some() || self.brotli.is_some() {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        if !is_known {
            headers.insert(header::CONTENT_TYPE, self.content_type.clone());
            let encoding = encoding.name().map(HeaderValue::from_static);
            headers.extend(encoding.map(|encoding| (header::CONTENT_ENCODING, encoding)));
        }
        match self.in_encoding(encoding).filter(|_| !is_known) {
            Some(content) => (StatusCode::OK, headers, content.clone()),
            None => (StatusCode::NOT_MODIFIED, headers, Bytes::new()),
        }
    }
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

fn content_type(path: &str) -> HeaderValue {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let charset = if kind.type_() == mime_guess::mime::TEXT { "; charset=utf-8" } else { "" };
    HeaderValue::try_from(format!("{kind}{charset}")).expect("a media type is legal in a header")
}
