//! What certificates say: their parts, in OpenSSL's words.

mod chain;
mod described;
mod general_names;
pub(super) mod objects;
mod parse;
mod parts;
mod purposes;
pub(crate) mod store;

pub(super) use chain::{FUNCTIONS as CHAINS, is_trusted_for_mail};
pub(super) use parse::{FUNCTIONS, name_table};
#[cfg(feature = "tls")]
pub(crate) use parts::Names;
pub(crate) use parts::Parts;
use parts::text_in;
pub(super) use purposes::CONSTANTS;
