//! Every vendor's models, against endpoints that replay what the vendor sends.

mod replayed;
mod vendors;
