//! Messages that are signed or encrypted with certificates: `openssl_pkcs7_*` and `openssl_cms_*`.
//!
//! Both families make and read the same things (RFC 5652); they differ in how files are written, in the names of
//! errors and in small choices of OpenSSL, which [`Family`] knows.

mod enveloped;
mod functions;
mod mime;
mod signed;

pub(super) use functions::{CONSTANTS, FUNCTIONS};

const DATA: &str = "1.2.840.113549.1.7.1";
const SIGNED_DATA: &str = "1.2.840.113549.1.7.2";
const ENVELOPED_DATA: &str = "1.2.840.113549.1.7.3";

/// Which functions are at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Pkcs7,
    Cms,
}

/// Flags of scripts, which both families number alike.
mod flags {
    pub(super) const TEXT: i64 = 0x1;
    pub(super) const NO_CERTIFICATES: i64 = 0x2;
    pub(super) const NO_SIGNATURES: i64 = 0x4;
    pub(super) const NO_INTERNAL: i64 = 0x10;
    pub(super) const NO_VERIFICATION: i64 = 0x20;
    pub(super) const DETACHED: i64 = 0x40;
    pub(super) const BINARY: i64 = 0x80;
    pub(super) const NO_ATTRIBUTES: i64 = 0x100;
    pub(super) const NO_OLD_TYPE: i64 = 0x400;
}

/// What names a certificate in a message: its issuer and its number, as elements.
fn issuer_and_number(certificate: &[u8]) -> Option<Vec<u8>> {
    let parts = super::x509::Parts::of(certificate)?;
    let number = super::der::element(super::der::INTEGER, &[parts.serial]);
    Some(super::der::sequence(&[parts.issuer.whole, &number]))
}
