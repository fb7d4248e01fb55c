//! Errors of settings.

use http::header::InvalidHeaderValue;

/// The reason why an endpoint can't be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Neither the settings nor this variable name the model.
    #[error("{0} must name the model")]
    NoModel(&'static str),
    /// Neither the settings nor this variable have the URL.
    #[error("{0} must have the URL of the endpoint")]
    NoUrl(&'static str),
    /// The settings say that the model sees pictures, which the API of this vendor does not take.
    #[error("the API of {0} takes no pictures")]
    NoPictures(&'static str),
    /// This is no address of an endpoint.
    #[error("{0} is no http or https URL")]
    Url(String),
    /// A key would go over the network in the clear.
    #[error("{0} would get the key in the clear; use https, as for any host that is not in a private network")]
    PlainKey(String),
    /// The key has characters that no header takes.
    #[error("the key has characters that no header takes")]
    Key(#[source] InvalidHeaderValue),
    /// The HTTP client can't be built.
    #[error("the HTTP client can't be built")]
    Client(#[source] reqwest::Error),
}
