//! Every vendor's models, against endpoints that replay what the vendor sends.

mod odd;
mod replayed;
mod vendors;
