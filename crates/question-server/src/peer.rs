//! The addresses of clients.

use crate::hex::sha256_hex;
use axum::http::{HeaderMap, HeaderName};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The client that limits count: an IPv4 address, or the IPv6 network of one subscriber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Peer(IpAddr);

impl Peer {
    /// The sender of a request: from the header that a proxy overwrites, or else the connecting address. Without such a header, a peer on this
    /// machine is unknown, since it may be a proxy with many clients. With one, a request that lacks it came around the proxy.
    pub(crate) fn of(
        headers: &HeaderMap,
        peer_header: Option<&HeaderName>,
        remote: Option<SocketAddr>,
    ) -> Option<Self> {
        let address = match peer_header {
            Some(name) => {
                let last = headers.get_all(name).iter().next_back().and_then(|last| last.to_str().ok());
                let address = last.and_then(|last| read(last.rsplit(',').next()?.trim()));
                // Clients whose address cannot be read count as one.
                address.or_else(|| remote.map(|remote| remote.ip()))?
            }
            None => remote?.ip().to_canonical(),
        };
        (peer_header.is_some() || !address.is_loopback()).then_some(Self(network(address)))
    }

    /// The digest for the store, which needs no addresses.
    pub(crate) fn digest(self) -> String {
        sha256_hex(self.0.to_string())
    }

    /// The address for the log.
    pub(crate) fn address(self) -> IpAddr {
        self.0
    }
}

/// Reads an address. Some proxies add the port, or quotation marks and brackets.
fn read(text: &str) -> Option<IpAddr> {
    let text = text.trim_matches('"');
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok().or_else(|| text.parse().ok().map(|address: SocketAddr| address.ip()))
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::Peer;
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    fn peer(header: Option<&'static str>, values: &[&'static str], remote: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-for", HeaderValue::from_static(value));
        }
        let header = header.map(HeaderName::from_static);
        let remote = Some(remote.parse().expect("it is an address"));
        Peer::of(&headers, header.as_ref(), remote).map(|peer| peer.address().to_string())
    }

    #[test]
    fn a_peer_is_who_the_operators_own_proxy_says_or_who_connected() {
        let header = Some("x-forwarded-for");
        for (header, values, remote, expected) in [
            (None, vec![], "203.0.113.7:1", Some("203.0.113.7")),
            (None, vec!["198.51.100.1"], "203.0.113.7:1", Some("203.0.113.7")),
            (None, vec![], "127.0.0.1:1", None),
            (None, vec![], "[::1]:1", None),
            (None, vec![], "[::ffff:127.0.0.1]:1", None),
            (None, vec![], "[::ffff:203.0.113.7]:1", Some("203.0.113.7")),
            (None, vec![], "[2001:db8:1:2:3:4:5:6]:1", Some("2001:db8:1:2::")),
            // The proxy appends to the header of the client.
            (header, vec!["10.0.0.1, 198.51.100.1"], "127.0.0.1:1", Some("198.51.100.1")),
            (header, vec!["10.0.0.1", "198.51.100.1"], "127.0.0.1:1", Some("198.51.100.1")),
            (header, vec!["10.0.0.1, 198.51.100.1:4711"], "127.0.0.1:1", Some("198.51.100.1")),
            (header, vec!["[2001:db8:1:2::7]:4711"], "127.0.0.1:1", Some("2001:db8:1:2::")),
            (header, vec!["\"[2001:db8:1:2::7]\""], "127.0.0.1:1", Some("2001:db8:1:2::")),
            (header, vec!["unknown"], "203.0.113.7:1", Some("203.0.113.7")),
            (header, vec![], "203.0.113.7:1", Some("203.0.113.7")),
            (header, vec![], "127.0.0.1:1", Some("127.0.0.1")),
        ] {
            assert_eq!(peer(header, &values, remote).as_deref(), expected, "{header:?} {values:?} {remote}");
        }
    }
}
