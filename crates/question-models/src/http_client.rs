//! The HTTP client of this crate and of programs around it, and its rules for secrets.

use crate::error::SetupError;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use reqwest::Client;
use reqwest::redirect::Policy;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

/// A client for the host of a URL, through the proxy that the environment names for it.
///
/// Redirects are not followed: one could take the conversation to another host. A dropped request is aborted, and its connection is closed.
///
/// # Errors
/// If the client can't be built.
pub fn to_host_of(url: &Uri) -> Result<Client, SetupError> {
    let builder = Client::builder().redirect(Policy::none()).tls_backend_preconfigured(TLS.clone());
    let builder = if is_local(url) { builder.no_proxy() } else { builder };
    builder.build().map_err(SetupError::Client)
}

/// Trusts this machine's root certificates, so that a company's own endpoint works; Mozilla's if there are none.
static TLS: LazyLock<ClientConfig> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().expect("ring has the ciphers of TLS 1.2 and 1.3");
    builder.with_root_certificates(roots).with_no_client_auth()
});

/// Marks headers as secret. Over plain HTTP, only this machine and hosts of a private network get such ones.
///
/// # Errors
/// If the URL is no HTTP URL, or the headers would go over the network in the clear.
pub fn keep_secret(headers: &mut HeaderMap, url: &Uri) -> Result<(), SetupError> {
    headers.values_mut().for_each(|value| value.set_sensitive(true));
    match url.scheme_str() {
        Some("https") => Ok(()),
        Some("http") if headers.is_empty() || url.host().is_some_and(is_private) => Ok(()),
        Some("http") => Err(SetupError::PlainKey(public_url(url))),
        Some(_) | None => Err(SetupError::Url(url.to_string())),
    }
}

/// Returns true for a host that is not on the internet: a private address, a name without a dot, as containers have, or one of the domains that
/// RFC 6762 and ICANN keep out of the public ones.
fn is_private(host: &str) -> bool {
    match host.trim_start_matches('[').trim_end_matches(']').parse() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private(),
        Ok(IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local(),
        // A number without a dot is an address as well.
        Err(_) if !host.contains('.') => host.starts_with(|first: char| first.is_ascii_alphabetic()),
        Err(_) => [".local", ".internal"].iter().any(|domain| host.to_ascii_lowercase().ends_with(domain)),
    }
}

/// A key as a header: `Authorization: Bearer KEY`, or alone in a header of that name.
pub(crate) fn key_header(key: &str, name: Option<HeaderName>) -> Result<(HeaderName, HeaderValue), SetupError> {
    let (name, value) = match name {
        Some(name) => (name, key.to_owned()),
        None => (header::AUTHORIZATION, format!("Bearer {key}")),
    };
    Ok((name, HeaderValue::try_from(value).map_err(SetupError::Key)?))
}

/// Scheme, host, port and path: what may stand in a log. Login and query of a URL may be secret.
#[must_use]
pub fn public_url(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    let authority = url.authority().map(|authority| authority.as_str()).unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{}", url.path())
}

fn is_local(url: &Uri) -> bool {
    matches!(url.host(), Some("localhost" | "127.0.0.1" | "[::1]"))
}
