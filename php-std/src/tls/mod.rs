//! Encrypted connections: one room for sockets (`ssl://`, `stream_socket_enable_crypto()`) and wrappers
//! (`https://`, `ftps://`). rustls speaks the protocol and webpki builds chains of certificates; what PHP
//! decides itself (options of contexts, names in certificates, fingerprints) is decided here.
//!
//! Nothing here waits: whoever has the descriptor does, where limits end the script.

mod configuration;
mod description;
mod identity;
mod names;
mod policy;
mod problems;
mod session;
mod settings;
mod suites;
mod trust;

pub(crate) use policy::approve;
pub(crate) use session::{Session, Taken, complain};
pub(crate) use settings::{Settings, protocol};

/// Which end of a connection this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}
