//! TLS to a Postgres on another machine, with channel binding, so that a machine in the middle cannot pass the password on.

use futures_util::future::BoxFuture;
use hyper_rustls::ConfigBuilderExt as _;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::{TlsConnector, client};

/// Makes TLS connections. Trusts the roots of this machine, or else Mozilla's.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Tls {
    pub(super) fn new() -> Self {
        let native = ClientConfig::builder().with_native_roots();
        let trusting = native.unwrap_or_else(|_| ClientConfig::builder().with_webpki_roots());
        Self(Arc::new(trusting.with_no_client_auth()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Secured<S>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        Ok(Handshake { host: host.to_owned(), connector: Arc::clone(&self.0).into() })
    }
}

pub(super) struct Handshake {
    host: String,
    connector: TlsConnector,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Secured<S>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Secured<S>>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let host = self.host.try_into().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
            self.connector.connect(host, stream).await.map(Secured)
        })
    }
}

/// A TLS connection.
pub(super) struct Secured<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Secured<S> {
    fn channel_binding(&self) -> ChannelBinding {
        let (_, session) = self.0.get_ref();
        let certificate = session.peer_certificates().and_then(<[_]>::first);
        let end_point = certificate.and_then(|certificate| end_point(certificate));
        end_point.map_or_else(ChannelBinding::none, ChannelBinding::tls_server_end_point)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Secured<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, to)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Secured<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

/// The hash of a certificate for `tls-server-end-point` (RFC 5929), by the hash function of its signature, or SHA-256 for weaker ones. `None` if
/// the signature has no hash function or another one.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    // A certificate in DER is a sequence of content, signature algorithm, which begins with its name, and signature.
    let (parts, _) = element(certificate)?;
    let (_, behind) = element(parts)?;
    let (algorithm, _) = element(behind)?;
    let (name, _) = element(algorithm)?;
    let by_rsa = name.strip_prefix(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]);
    let by_ecdsa = name.strip_prefix(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03]);
    match (by_rsa, by_ecdsa) {
        (Some([5 | 11]), _) | (_, Some([2])) => Some(Sha256::digest(certificate).to_vec()),
        (Some([12]), _) | (_, Some([3])) => Some(Sha384::digest(certificate).to_vec()),
        (Some([13]), _) | (_, Some([4])) => Some(Sha512::digest(certificate).to_vec()),
        _ => None,
    }
}

/// The content of the first element of some DER, and the bytes behind it.
fn element(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[_kind, length], rest) = der.split_first_chunk()?;
    let (length, rest) = match length {
        0..0x80 => (usize::from(length), rest),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            let add = |number: usize, digit: &u8| number.checked_mul(256)?.checked_add(usize::from(*digit));
            (digits.iter().try_fold(0, add)?, rest)
        }
    };
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::end_point;

    fn sequence(parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        let length = u16::try_from(content.len()).expect("it is short").to_be_bytes();
        [&[0x30, 0x82], &length[..], &content].concat()
    }

    /// The outline of a certificate with a signature of this name.
    fn signed_by(name: &[u8]) -> Vec<u8> {
        let signed = sequence(&[&[0x04, 0x81, 200], &[7; 200]]);
        let name = [&[0x06, u8::try_from(name.len()).expect("it is short")], name].concat();
        sequence(&[&signed, &sequence(&[&name, &[0x05, 0x00]]), &[0x03, 0x01, 0x00]])
    }

    #[test]
    fn a_certificate_is_hashed_as_its_signature_is() {
        const RSA: [u8; 8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
        const ECDSA: [u8; 7] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
        for (family, last, bits) in [
            (&RSA[..], 5, Some(256)),
            (&RSA, 11, Some(256)),
            (&RSA, 12, Some(384)),
            (&RSA, 13, Some(512)),
            (&RSA, 10, None),
            (&ECDSA, 2, Some(256)),
            (&ECDSA, 3, Some(384)),
            (&ECDSA, 4, Some(512)),
            (&[0x2b, 0x65], 0x70, None),
        ] {
            let certificate = signed_by(&[family, &[last]].concat());
            assert_eq!(end_point(&certificate).map(|hash| 8 * hash.len()), bits, "{family:?} {last}");
            // Cut off anywhere it is none, and nothing breaks.
            assert!((0..certificate.len()).all(|end| end_point(&certificate[..end]).is_none()));
        }
    }
}
