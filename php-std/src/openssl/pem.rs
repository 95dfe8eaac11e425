//! The armour of keys and certificates: base64 between lines that say what it is.

use super::cipher::Cipher;
use super::digest::Digest;
use crate::standard::strings::encode::{decode_base64, encode_base64};

/// A block of armoured text.
pub(super) struct Block {
    pub(super) label: String,
    /// How it is encrypted: `DEK-Info`.
    encryption: Option<String>,
    bytes: Vec<u8>,
}

/// The blocks in a text.
pub(super) fn blocks(text: &[u8]) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<(String, Option<String>, Vec<u8>)> = None;
    for line in text.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        let text = String::from_utf8_lossy(line);
        if let Some(label) = text
            .strip_prefix("-----BEGIN ")
            .and_then(|rest| rest.strip_suffix("-----"))
        {
            open = Some((label.to_owned(), None, Vec::new()));
        } else if text.starts_with("-----END ") {
            if let Some((label, encryption, base64)) = open.take()
                && let Some(bytes) = decode_base64(&base64, true)
            {
                found.push(Block {
                    label,
                    encryption,
                    bytes,
                });
            }
        } else if let Some((_, encryption, base64)) = &mut open {
            match text.split_once(':') {
                Some(("DEK-Info", how)) => *encryption = Some(how.trim().to_owned()),
                Some(_) => {}
                None => base64.extend_from_slice(line),
            }
        }
    }
    found
}

impl Block {
    /// What is in it, decrypted with a passphrase if need be.
    pub(super) fn bytes(&self, passphrase: &[u8]) -> Option<Vec<u8>> {
        let Some(encryption) = &self.encryption else {
            return Some(self.bytes.clone());
        };
        let (name, salt) = encryption.split_once(',')?;
        let cipher = Cipher::named(name.as_bytes())?;
        let iv: Option<Vec<u8>> = salt
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let iv = iv.filter(|iv| iv.len() == cipher.iv_length() && iv.len() >= 8)?;
        // OpenSSL's own way from a passphrase to a key.
        let md5 = Digest::named(b"md5")?;
        let (mut key, mut last) = (Vec::new(), Vec::new());
        while key.len() < cipher.key_length {
            last = md5.of(&[&last, passphrase, &iv[..8]])?;
            key.extend_from_slice(&last);
        }
        key.truncate(cipher.key_length);
        cipher.decrypt(&key, &iv, true, &self.bytes).ok()
    }
}

/// Bytes in their armour.
pub(super) fn armoured(label: &str, bytes: &[u8]) -> Vec<u8> {
    let mut text = format!("-----BEGIN {label}-----\n").into_bytes();
    for line in encode_base64(bytes).chunks(64) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text.extend_from_slice(format!("-----END {label}-----\n").as_bytes());
    text
}
