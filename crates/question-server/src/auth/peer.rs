//! The addresses of clients.

use crate::config::Config;
use crate::error::ApiError;
use crate::hex::sha256_hex;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The client that limits count: an IPv4 address, or the IPv6 network of one subscriber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Peer(IpAddr);

impl Peer {
    /// The digest for the store, which needs no addresses.
    pub(crate) fn digest(self) -> String {
        sha256_hex(self.0.to_string())
    }

    /// The address for the log.
    pub(crate) fn address(self) -> IpAddr {
        self.0
    }
}

/// The proxies in front, and the headers in which they name clients and users.
#[derive(Debug)]
pub(crate) struct Proxies {
    trusted: Vec<IpNet>,
    peer_header: Option<HeaderName>,
    owner_header: Option<HeaderName>,
}

impl Proxies {
    pub(crate) fn new(config: &Config) -> Self {
        let (peer_header, owner_header) = (config.peer_header.clone(), config.owner_header.clone());
        Self { trusted: config.trusted_proxies.clone(), peer_header, owner_header }
    }

    /// The sender of a request: whom the proxy names, or else the connecting address. Without a header of its proxy, a peer on this
    /// machine is unknown, since it may be a proxy with many clients. With one, a request that lacks it came around the proxy.
    pub(crate) fn peer(&self, headers: &HeaderMap, remote: Option<SocketAddr>) -> Result<Option<Peer>, ApiError> {
        let remote_address = remote.map(|remote| remote.ip().to_canonical());
        let address = match &self.peer_header {
            Some(name) => {
                let named = self.named(headers, name, remote)?.and_then(|list| read(list.rsplit(',').next()?.trim()));
                // Clients whose address cannot be read count as one.
                named.or(remote_address)
            }
            None => remote_address.filter(|address| !address.is_loopback()),
        };
        Ok(address.map(|address| Peer(network(address))))
    }

    /// The user whom the proxy names.
    pub(crate) fn user<'a>(
        &self,
        headers: &'a HeaderMap,
        remote: Option<SocketAddr>,
    ) -> Result<Option<&'a str>, ApiError> {
        let Some(name) = &self.owner_header else {
            return Ok(None);
        };
        Ok(self.named(headers, name, remote)?.filter(|user| !user.is_empty()))
    }

    /// The value of a header that a trusted proxy alone may send. If there are two values, one may be the client's own. One that can't be read
    /// does not make its user anonymous. All of these are refused. Without a socket, the program around the router is the proxy.
    fn named<'a>(
        &self,
        headers: &'a HeaderMap,
        name: &HeaderName,
        remote: Option<SocketAddr>,
    ) -> Result<Option<&'a str>, ApiError> {
        let mut values = headers.get_all(name).iter();
        let Some(value) = values.next() else {
            return Ok(None);
        };
        let is_trusted = |remote: SocketAddr| self.trusted.iter().any(|net| net.contains(&remote.ip().to_canonical()));
        if !remote.is_none_or(is_trusted) {
            return Err(ApiError::BadRequest(format!("The header {name} is for the proxies of --trusted-proxy.")));
        }
        if values.next().is_some() {
            return Err(ApiError::BadRequest(format!(
                "There is more than one header {name}; the proxy must overwrite it."
            )));
        }
        let text = str::from_utf8(value.as_bytes());
        text.map(Some).map_err(|_| ApiError::BadRequest(format!("The header {name} is no UTF-8.")))
    }
}

/// The address at the other end of a request's connection.
pub(crate) fn remote_of(request: &Request) -> Option<SocketAddr> {
    request.extensions().get::<ConnectInfo<SocketAddr>>().map(|remote| remote.0)
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
    use super::Proxies;
    use crate::config::Config;
    use crate::error::ApiError;
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    fn peer(header: Option<&'static str>, values: &[&'static str], remote: &str) -> Result<Option<String>, ApiError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-for", HeaderValue::from_bytes(value.as_bytes()).expect("it is legal"));
        }
        let peer_header = header.map(HeaderName::from_static);
        let mut config = Config { peer_header, ..Config::default() };
        config.trusted_proxies.push("10.1.0.0/16".parse().expect("it is a network"));
        let remote = Some(remote.parse().expect("it is an address"));
        let peer = Proxies::new(&config).peer(&headers, remote)?;
        Ok(peer.map(|peer| peer.address().to_string()))
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
            (header, vec!["198.51.100.1"], "10.1.2.3:1", Some("198.51.100.1")),
            (header, vec!["198.51.100.1"], "[::ffff:10.1.2.3]:1", Some("198.51.100.1")),
            (header, vec!["10.0.0.1, 198.51.100.1:4711"], "127.0.0.1:1", Some("198.51.100.1")),
            (header, vec!["[2001:db8:1:2::7]:4711"], "127.0.0.1:1", Some("2001:db8:1:2::")),
            (header, vec!["\"[2001:db8:1:2::7]\""], "127.0.0.1:1", Some("2001:db8:1:2::")),
            (header, vec!["unknown"], "10.1.2.3:1", Some("10.1.2.3")),
            (header, vec![], "203.0.113.7:1", Some("203.0.113.7")),
            (header, vec![], "127.0.0.1:1", Some("127.0.0.1")),
        ] {
            let known = peer(header, &values, remote).expect("it is the proxy's");
            assert_eq!(known.as_deref(), expected, "{header:?} {values:?} {remote}");
        }
    }

    #[test]
    fn a_header_of_the_proxy_is_one_value_and_from_no_one_else() {
        let header = Some("x-forwarded-for");
        for (values, remote) in [
            (vec!["198.51.100.1"], "203.0.113.7:1"),
            (vec!["198.51.100.1"], "10.2.0.1:1"),
            (vec!["10.0.0.1", "198.51.100.1"], "127.0.0.1:1"),
            (vec!["198.51.100.1", "198.51.100.1"], "127.0.0.1:1"),
        ] {
            let refused = peer(header, &values, remote);
            assert!(matches!(refused, Err(ApiError::BadRequest(_))), "{values:?} {remote}");
        }
    }
}
