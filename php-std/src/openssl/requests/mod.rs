//! Requests for certificates, certificates that are made of them, and keys that are signed for browsers.

mod extensions;
mod functions;
mod issued;
mod names;
mod signed_keys;

use super::der;
use super::digest::Digest;
use super::errors::Failure;
use super::keys::Key;

pub(super) use functions::{CLASS, FUNCTIONS};
pub(super) use issued::time;
pub(super) use signed_keys::FUNCTIONS as SIGNED_KEYS;

/// The identifier of the algorithm by which a key signs a digest, as an element; nothing if there is none.
fn algorithm(key: &Key, digest: &Digest) -> Option<Vec<u8>> {
    let rsa = match digest.name {
        "md5" => "4",
        "sha1" => "5",
        "sha256" => "11",
        "sha384" => "12",
        "sha512" => "13",
        "sha224" => "14",
        _ => "",
    };
    let curve = match digest.name {
        "sha1" => "1",
        "sha224" => "3.1",
        "sha256" => "3.2",
        "sha384" => "3.3",
        "sha512" => "3.4",
        _ => "",
    };
    match key {
        Key::Rsa(_) if !rsa.is_empty() => Some(der::sequence(&[
            &der::identifier(&format!("1.2.840.113549.1.1.{rsa}")),
            &der::null(),
        ])),
        Key::Ec(_) if !curve.is_empty() => {
            let identifier = der::identifier(&format!("1.2.840.10045.4.{curve}"));
            Some(der::sequence(&[&identifier]))
        }
        Key::Ed25519(_) => Some(der::sequence(&[&der::identifier("1.3.101.112")])),
        _ => None,
    }
}

/// An element with its signature behind it: `what` is given the algorithm's identifier.
fn signed(
    key: &Key,
    digest: &'static Digest,
    what: impl FnOnce(&[u8]) -> Vec<u8>,
) -> Result<Vec<u8>, Failure> {
    let algorithm = algorithm(key, digest).ok_or(&[super::errors::INVALID_DIGEST] as Failure)?;
    let body = what(&algorithm);
    let digest = match key {
        Key::Ed25519(_) => None,
        _ => Some(digest),
    };
    let signature = key.sign(digest, &body)?;
    Ok(der::sequence(&[&body, &algorithm, &der::bits(&signature)]))
}
