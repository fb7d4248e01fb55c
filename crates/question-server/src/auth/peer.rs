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

    /// The value of a header that only a trusted proxy may send. Refused are headers from others, two values, since one may be the client's own, and
    /// a value that can't be read, since its user would become anonymous. Without a socket, the program around the router is the proxy.
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
