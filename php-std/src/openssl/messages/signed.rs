//! Signed messages.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{DATA, Family, SIGNED_DATA, flags, issuer_and_number};
use crate::openssl::der::{self, Reader};
use crate::openssl::digest::Digest;
use crate::openssl::errors::Failure;
use crate::openssl::keys::{Key, public_key_of};
use crate::openssl::requests::time;
use crate::openssl::x509::{Parts, is_trusted_for_mail};

const CONTENT_TYPE: &str = "1.2.840.113549.1.9.3";
const MESSAGE_DIGEST: &str = "1.2.840.113549.1.9.4";
const SIGNING_TIME: &str = "1.2.840.113549.1.9.5";
const CAPABILITIES: &str = "1.2.840.113549.1.9.15";
const SHA256: &str = "2.16.840.1.101.3.4.2.1";

/// Ciphers that are named as welcome, strongest first.
const WELCOME: [&str; 4] = [
    "2.16.840.1.101.3.4.1.42",
    "2.16.840.1.101.3.4.1.22",
    "2.16.840.1.101.3.4.1.2",
    "1.2.840.113549.3.7",
];

/// What is to be signed, and by whom.
pub(super) struct Signing<'a> {
    pub(super) family: Family,
    pub(super) certificate: &'a [u8],
    pub(super) key: &'a Key,
    pub(super) others: &'a [Vec<u8>],
    pub(super) flags: i64,
}

fn attribute(identifier: &str, value: &[u8]) -> Vec<u8> {
    let set = der::element(der::SET, &[value]);
    der::sequence(&[&der::identifier(identifier), &set])
}

/// Elements in the order in which sets have them.
fn set_of(mut elements: Vec<Vec<u8>>) -> Vec<u8> {
    elements.sort();
    elements.concat()
}

impl Signing<'_> {
    /// The message of a content.
    pub(super) fn message(&self, content: &[u8]) -> Result<Vec<u8>, Failure> {
        let digest = Digest::named(b"sha256").ok_or(&[] as Failure)?;
        let digest_algorithm = match self.family {
            Family::Pkcs7 => der::sequence(&[&der::identifier(SHA256), &der::null()]),
            Family::Cms => der::sequence(&[&der::identifier(SHA256)]),
        };
        let sum = digest.of(&[content]).ok_or(&[] as Failure)?;
        let mut attributes = Vec::new();
        if self.flags & flags::NO_ATTRIBUTES == 0 {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            let now = time(since.map_or(0, |since| since.as_secs() as i64));
            let welcome = WELCOME.map(|cipher| der::sequence(&[&der::identifier(cipher)]));
            attributes = set_of(vec![
                attribute(CONTENT_TYPE, &der::identifier(DATA)),
                attribute(SIGNING_TIME, &now),
                attribute(MESSAGE_DIGEST, &der::octets(&sum)),
                attribute(CAPABILITIES, &der::sequence(&[&welcome.concat()])),
            ]);
        }
        let signed = match attributes.is_empty() {
            true => content.to_vec(),
            false => der::element(der::SET, &[&attributes]),
        };
        let signature = match self.key {
            Key::Ed25519(_) => self.key.sign(None, &signed)?,
            key => key.sign(Some(digest), &signed)?,
        };
        let algorithm = match self.key {
            Key::Rsa(_) => der::sequence(&[&der::identifier("1.2.840.113549.1.1.1"), &der::null()]),
            Key::Ec(_) => der::sequence(&[&der::identifier("1.2.840.10045.4.3.2")]),
            _ => der::sequence(&[&der::identifier("1.3.101.112")]),
        };
        let who = issuer_and_number(self.certificate).ok_or(&[] as Failure)?;
        let attributes = match attributes.is_empty() {
            true => Vec::new(),
            false => der::element(0xa0, &[&attributes]),
        };
        let signer = der::sequence(&[
            &der::integer(&[1]),
            &who,
            &digest_algorithm,
            &attributes,
            &algorithm,
            &der::octets(&signature),
        ]);
        let content = match self.flags & flags::DETACHED {
            0 => der::element(0xa0, &[&der::octets(content)]),
            _ => Vec::new(),
        };
        let mut certificates = Vec::new();
        if self.flags & flags::NO_CERTIFICATES == 0 {
            certificates.push(self.certificate.to_vec());
        }
        certificates.extend(self.others.iter().cloned());
        let certificates = match certificates.is_empty() {
            true => Vec::new(),
            false => der::element(0xa0, &[&set_of(certificates)]),
        };
        let data = der::sequence(&[
            &der::integer(&[1]),
            &der::element(der::SET, &[&digest_algorithm]),
            &der::sequence(&[&der::identifier(DATA), &content]),
            &certificates,
            &der::element(der::SET, &[&signer]),
        ]);
        let data = der::element(0xa0, &[&data]);
        Ok(der::sequence(&[&der::identifier(SIGNED_DATA), &data]))
    }
}

/// Who signed a message, and how.
struct Signer<'a> {
    /// Issuer and number as an element, or what the key is known by.
    who: &'a [u8],
    is_by_key: bool,
    digest: &'static Digest,
    /// As an element of a set; nothing if the content itself is signed.
    attributes: Option<Vec<u8>>,
    signature: &'a [u8],
}

/// A signed message that was read.
pub(super) struct Message<'a> {
    pub(super) content: Option<Vec<u8>>,
    pub(super) certificates: Vec<Vec<u8>>,
    pub(super) lists: Vec<Vec<u8>>,
    signers: Vec<Signer<'a>>,
}

/// Why a message is not to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Distrust {
    NoContent,
    NoSigner,
    Chain,
    Digest,
    Signature,
}

/// The elements in a sequence of them.
fn elements(content: Option<&[u8]>) -> Vec<Vec<u8>> {
    let mut reader = Reader(content.unwrap_or_default());
    let mut found = Vec::new();
    while let Some(element) = reader.next() {
        found.push(element.whole.to_vec());
    }
    found
}

impl<'a> Message<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Option<Message<'a>> {
        let mut whole = Reader(bytes).sequence()?;
        if whole.identifier()? != SIGNED_DATA {
            return None;
        }
        let mut data = Reader(whole.expect(0xa0)?).sequence()?;
        data.integer()?;
        data.expect(der::SET)?;
        let mut inner = data.sequence()?;
        inner.identifier()?;
        let content = inner
            .expect(0xa0)
            .and_then(|inner| Reader(inner).expect(der::OCTET_STRING).map(<[u8]>::to_vec));
        let certificates = elements(data.expect(0xa0));
        let lists = elements(data.expect(0xa1));
        let mut all = Reader(data.expect(der::SET)?);
        let mut signers = Vec::new();
        while let Some(mut one) = all.sequence() {
            one.integer()?;
            let who = one.next()?;
            let digest = Digest::identified(&one.sequence()?.identifier()?)?;
            let attributes = one.expect(0xa0);
            one.next()?;
            signers.push(Signer {
                who: if who.tag == 0x80 {
                    who.content
                } else {
                    who.whole
                },
                is_by_key: who.tag == 0x80,
                digest,
                attributes: attributes.map(|inner| der::element(der::SET, &[inner])),
                signature: one.expect(der::OCTET_STRING)?,
            });
        }
        Some(Message {
            content,
            certificates,
            lists,
            signers,
        })
    }

    /// The certificates of those who signed.
    pub(super) fn signers(&self, others: &[Vec<u8>], given: i64) -> Option<Vec<Vec<u8>>> {
        let inside: &[Vec<u8>] = match given & flags::NO_INTERNAL {
            0 => &self.certificates,
            _ => &[],
        };
        let is_of = |signer: &Signer<'_>, certificate: &[u8]| match signer.is_by_key {
            true => Parts::of(certificate)
                .and_then(|parts| Reader(parts.extension("2.5.29.14")?).expect(der::OCTET_STRING))
                .is_some_and(|known| known == signer.who),
            false => issuer_and_number(certificate).is_some_and(|who| who == signer.who),
        };
        let find = |signer: &Signer<'_>| {
            let mut all = others.iter().chain(inside);
            all.find(|certificate| is_of(signer, certificate)).cloned()
        };
        self.signers.iter().map(find).collect()
    }

    /// Whether those who signed are trusted, and signed this content.
    pub(super) fn verify(
        &self,
        content: &[u8],
        others: &[Vec<u8>],
        trusted: &[Vec<u8>],
        given: i64,
    ) -> Result<(), Distrust> {
        let certificates = self.signers(others, given).ok_or(Distrust::NoSigner)?;
        if self.signers.is_empty() {
            return Err(Distrust::NoSigner);
        }
        let between: Vec<Vec<u8>> = others.iter().chain(&self.certificates).cloned().collect();
        for (signer, certificate) in self.signers.iter().zip(&certificates) {
            if given & flags::NO_VERIFICATION == 0
                && !is_trusted_for_mail(certificate, trusted, &between)
            {
                return Err(Distrust::Chain);
            }
            if given & flags::NO_SIGNATURES != 0 {
                continue;
            }
            let signed = match &signer.attributes {
                None => content,
                Some(attributes) => {
                    let sum = signer.digest.of(&[content]);
                    if sum.is_none() || signed_sum(attributes) != sum {
                        return Err(Distrust::Digest);
                    }
                    attributes
                }
            };
            let key = public_key_of(certificate).ok_or(Distrust::Signature)?;
            let digest = match key {
                Key::Ed25519(_) => None,
                _ => Some(signer.digest),
            };
            if !matches!(key.verify(digest, signed, signer.signature), Ok(true)) {
                return Err(Distrust::Signature);
            }
        }
        Ok(())
    }
}

/// The digest of the content that is signed with other attributes.
fn signed_sum(attributes: &[u8]) -> Option<Vec<u8>> {
    let mut all = Reader(Reader(attributes).expect(der::SET)?);
    while let Some(mut attribute) = all.sequence() {
        if attribute.identifier()? == MESSAGE_DIGEST {
            let values = attribute.expect(der::SET)?;
            return Reader(values).expect(der::OCTET_STRING).map(<[u8]>::to_vec);
        }
    }
    None
}
