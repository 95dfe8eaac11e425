//! Encrypted messages: for owners of RSA keys, whose key encrypts that of a cipher.

use super::{DATA, ENVELOPED_DATA, issuer_and_number};
use crate::openssl::cipher::Cipher;
use crate::openssl::der::{self, Reader};
use crate::openssl::errors::{Failure, NOT_SUPPORTED_FOR_KEY};
use crate::openssl::keys::{Key, PKCS1_PADDING, public_key_of};

const RSA: &str = "1.2.840.113549.1.1.1";

/// Ciphers by PHP's numbers: OpenSSL's names and the object identifiers.
pub(super) fn cipher(number: i64) -> Option<(Cipher, &'static str)> {
    let (name, identifier) = match number {
        3 => ("des-cbc", "1.3.14.3.2.7"),
        4 => ("des-ede3-cbc", "1.2.840.113549.3.7"),
        5 => ("aes-128-cbc", "2.16.840.1.101.3.4.1.2"),
        6 => ("aes-192-cbc", "2.16.840.1.101.3.4.1.22"),
        7 => ("aes-256-cbc", "2.16.840.1.101.3.4.1.42"),
        _ => return None,
    };
    Cipher::named(name.as_bytes()).map(|cipher| (cipher, identifier))
}

/// A content encrypted for the owners of certificates; `is_beside` leaves it out of the message, for which PHP has no
/// use.
pub(super) fn message(
    content: &[u8],
    certificates: &[std::rc::Rc<[u8]>],
    (cipher, identifier): (Cipher, &str),
    is_beside: bool,
) -> Result<Vec<u8>, Failure> {
    let (mut secret, mut vector) = (vec![0; cipher.key_length], vec![0; cipher.iv_length()]);
    crate::openssl::random_bytes(&mut secret);
    crate::openssl::random_bytes(&mut vector);
    let mut recipients = Vec::new();
    for certificate in certificates {
        let Some(Key::Rsa(key)) = public_key_of(certificate) else {
            return Err(&[NOT_SUPPORTED_FOR_KEY]);
        };
        let encrypted = key.encrypt_publicly(&secret, PKCS1_PADDING)?;
        recipients.extend(der::sequence(&[
            &der::integer(&[]),
            &issuer_and_number(certificate).unwrap_or_default(),
            &der::sequence(&[&der::identifier(RSA), &der::null()]),
            &der::octets(&encrypted),
        ]));
    }
    let encrypted = cipher.encrypt(&secret, &vector, true, content)?;
    let algorithm = der::sequence(&[&der::identifier(identifier), &der::octets(&vector)]);
    let encrypted = match is_beside {
        true => Vec::new(),
        false => der::element(0x80, &[&encrypted]),
    };
    let inner = der::sequence(&[&der::identifier(DATA), &algorithm, &encrypted]);
    let data = der::sequence(&[
        &der::integer(&[]),
        &der::element(der::SET, &[&recipients]),
        &inner,
    ]);
    let data = der::element(0xa0, &[&data]);
    Ok(der::sequence(&[&der::identifier(ENVELOPED_DATA), &data]))
}

/// The content of a message for the owner of a key; of a certificate if that is known.
pub(super) fn opened(message: &[u8], certificate: Option<&[u8]>, key: &Key) -> Option<Vec<u8>> {
    let mut whole = Reader(message).sequence()?;
    if whole.identifier()? != ENVELOPED_DATA {
        return None;
    }
    let mut data = Reader(whole.expect(0xa0)?).sequence()?;
    data.integer()?;
    let _originator = data.expect(0xa0);
    let mut recipients = Reader(data.expect(der::SET)?);
    let mut inner = data.sequence()?;
    inner.identifier()?;
    let mut algorithm = inner.sequence()?;
    let cipher = Cipher::named(algorithm.identifier()?.as_bytes())?;
    let vector = algorithm.expect(der::OCTET_STRING)?;
    let encrypted = inner.expect(0x80)?;
    if vector.len() != cipher.iv_length() {
        return None;
    }
    let Key::Rsa(key) = key else {
        return None;
    };
    let wanted = certificate.and_then(issuer_and_number);
    while let Some(mut recipient) = recipients.sequence() {
        recipient.integer()?;
        let who = recipient.next()?;
        recipient.next()?;
        let secret = recipient.expect(der::OCTET_STRING)?;
        if wanted.as_ref().is_some_and(|wanted| wanted != who.whole) {
            continue;
        }
        // Who may not read it learns no more than that.
        let secret = key
            .decrypt_privately(secret, PKCS1_PADDING)
            .ok()
            .filter(|secret| secret.len() == cipher.key_length);
        if let Some(content) =
            secret.and_then(|secret| cipher.decrypt(&secret, vector, true, encrypted).ok())
        {
            return Some(content);
        }
    }
    None
}
