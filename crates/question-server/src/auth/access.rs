//! Access tokens, which clients need if other machines can reach the server.
//!
//! Programs send theirs as `Authorization: Bearer TOKEN`. People open `/?token=TOKEN` once: their browser stores a cookie that no script can read
//! and no other site's request carries. The cookie is a digest of the token, so it stays valid after a restart.

use crate::auth::headers::{bearer, cookie, cookies, parameter};
use crate::auth::secret::hide_in_debug;
use crate::error::ApiError;
use crate::hex::sha256_hex;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Response};
use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use sha2::{Digest as _, Sha256};
use std::str::FromStr;
use std::sync::Arc;
use std::{future, io};
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use tokio::sync::watch;

/// The cookie in place of the token.
const COOKIE: &str = "question_access";

/// The least length of a token, so that it cannot be guessed.
const MIN_TOKEN: usize = 16;

const MAX_TOKEN: usize = 200;

/// The longest name of a token.
const MAX_NAME: usize = 64;

/// The document that sends a browser on once it has its cookie. After a link from another site, a redirect would carry no cookie.
const WELCOME: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Welcome</title>\
     <meta http-equiv=\"refresh\" content=\"0;url=/\"><p><a href=\"/\">Go on</a></p>";

/// A secret of the operator's that gives a client access.
#[derive(Clone)]
pub struct AccessToken {
    /// The name of its holder, if the operator gave one.
    name: Option<Arc<str>>,
    /// Digests are compared, so that the duration reveals nothing of the token.
    digest: [u8; 32],
    cookie: String,
}

impl AccessToken {
    /// Its name in a file of tokens.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn is(&self, given: &str) -> bool {
        Sha256::digest(given).ct_eq(&self.digest).into()
    }

    fn is_cookie(&self, given: &str) -> bool {
        given.as_bytes().ct_eq(self.cookie.as_bytes()).into()
    }

    /// Reads a file of tokens: a name and a token in each line. A name may have several, so that a new one is valid before the old one goes.
    ///
    /// # Errors
    /// The number of a malformed line, without its content.
    pub fn read_all(text: &str) -> Result<Vec<Self>, TokenError> {
        let lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let tokens = lines.map(|(number, line)| Self::read(line).map_err(|why| TokenError::Line(number, why.into())));
        let tokens: Vec<Self> = tokens.collect::<Result<_, _>>()?;
        if tokens.is_empty() { Err(TokenError::None) } else { Ok(tokens) }
    }

    fn read(line: &str) -> Result<Self, TokenError> {
        let (name, token) = line.split_once(char::is_whitespace).ok_or(TokenError::Name)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if name.len() > MAX_NAME || !name.bytes().all(is_plain) {
            return Err(TokenError::Name);
        }
        let token: Self = token.trim().parse()?;
        Ok(Self { name: Some(name.into()), ..token })
    }
}

/// The reason why tokens are not read, without their content.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file has no token.
    #[error("the file has no token")]
    None,
    /// A line of a file is malformed.
    #[error("line {0}: {1}")]
    Line(usize, Box<Self>),
    /// The line or its name is malformed.
    #[error("a line is NAME TOKEN; a name has up to {MAX_NAME} letters, digits, dots, hyphens and underscores")]
    Name,
    /// The token is malformed.
    #[error(
        "a token has {MIN_TOKEN} to {MAX_TOKEN} letters, digits, dots, hyphens, underscores and tildes, \
         such as `openssl rand -hex 32` makes"
    )]
    Token,
}

/// The valid tokens, which may be replaced while the server runs. Clones share them. A server that starts without any never asks for one.
#[derive(Clone, Debug, Default)]
pub struct Tokens(watch::Sender<Arc<[AccessToken]>>);

impl Tokens {
    /// The set of these tokens.
    #[must_use]
    pub fn new(tokens: Vec<AccessToken>) -> Self {
        let all = Self::default();
        all.replace(tokens);
        all
    }

    /// Replaces all tokens. Open streams of a client whose token is gone break off.
    pub fn replace(&self, tokens: Vec<AccessToken>) {
        self.0.send_replace(tokens.into());
    }

    pub(crate) fn all(&self) -> Arc<[AccessToken]> {
        Arc::clone(&self.0.borrow())
    }

    /// Resolves once the token with this digest is not among them any more.
    fn until_revoked(&self, digest: [u8; 32]) -> impl Future<Output = ()> + use<> {
        let mut all = self.0.subscribe();
        async move {
            let is_gone = |all: &Arc<[AccessToken]>| all.iter().all(|token| token.digest != digest);
            if all.wait_for(is_gone).await.is_err() {
                // All clones of these tokens are gone, so nobody can replace them any more.
                future::pending::<()>().await;
            }
        }
    }
}

/// The body of a response that breaks off with an error once its client has lost access, so that it does not look complete.
fn until_revoked(body: Body, revoked: impl Future<Output = ()> + Send + 'static) -> Body {
    if body.size_hint().exact().is_some() {
        return body;
    }
    Body::from_stream(unfold(Some((body.into_data_stream(), Box::pin(revoked))), async |open| {
        let (mut pieces, mut revoked) = open?;
        tokio::select! {
            biased;
            () = &mut revoked => {
                tracing::info!("stream closed: its token is not valid any more");
                Some((Err(axum::Error::new(io::Error::from(io::ErrorKind::PermissionDenied))), None))
            }
            piece = pieces.next() => Some((piece?, Some((pieces, revoked)))),
        }
    }))
}

/// The token that gave a request access. Conversations belong to its name, so any token of that name opens them.
#[derive(Clone, Debug)]
pub(crate) struct Admitted {
    /// The token's name, if it has one.
    pub(crate) name: Option<Arc<str>>,
    /// True for a bearer token, false for a cookie.
    pub(crate) is_bearer: bool,
}

impl FromStr for AccessToken {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        // These characters need no quoting, neither in a header nor in a URL.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if !(MIN_TOKEN..=MAX_TOKEN).contains(&text.len()) || !text.bytes().all(is_plain) {
            return Err(TokenError::Token);
        }
        Ok(Self { name: None, digest: Sha256::digest(text).into(), cookie: sha256_hex(format!("{COOKIE} {text}")) })
    }
}

hide_in_debug!(AccessToken);

/// Refuses requests without a valid token.
pub(crate) async fn admit(
    State(tokens): State<Tokens>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let (all, tokens) = (tokens.clone(), tokens.all());
    let headers = request.headers();
    let by_bearer = bearer(headers).and_then(|given| tokens.iter().find(|token| token.is(&given)));
    let by_cookie = || tokens.iter().find(|token| cookies(headers, COOKIE).any(|given| token.is_cookie(given)));
    if let Some(token) = by_bearer.or_else(by_cookie) {
        let admitted = Admitted { name: token.name.clone(), is_bearer: by_bearer.is_some() };
        if let Some(name) = &token.name {
            tracing::Span::current().record("token", &**name);
        }
        request.extensions_mut().insert(admitted);
        let revoked = all.until_revoked(token.digest);
        return Ok(next.run(request).await.map(|body| until_revoked(body, revoked)));
    }
    let given = parameter(request.uri(), "token").filter(|_| request.method() == Method::GET);
    match given.and_then(|given| tokens.iter().find(|token| token.is(given))) {
        Some(token) => {
            let headers = [
                (header::SET_COOKIE, cookie(request.headers(), COOKIE, &token.cookie)),
                (header::CACHE_CONTROL, header::HeaderValue::from_static("no-store")),
            ];
            Ok((headers, Html(WELCOME)).into_response())
        }
        None => Err(ApiError::Unauthorized),
    }
}
