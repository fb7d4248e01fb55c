//! Every vendor's models, against endpoints that replay what the vendor sends.

mod anthropic;
mod odd;
mod replayed;
mod vendors;
