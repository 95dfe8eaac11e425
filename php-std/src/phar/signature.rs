//! Signatures: digests over a whole archive.

use digest_of::Running;

use super::archive::Archive;
use super::source::Source;

/// Numbers of the algorithms, as the format and scripts have them.
pub(super) mod algorithm {
    pub(crate) const MD5: u32 = 1;
    pub(crate) const SHA1: u32 = 2;
    pub(crate) const SHA256: u32 = 3;
    pub(crate) const SHA512: u32 = 4;
    pub(crate) const OPENSSL: u32 = 0x10;
    pub(crate) const OPENSSL_SHA256: u32 = 0x11;
    pub(crate) const OPENSSL_SHA512: u32 = 0x12;
}

/// The signature of an archive that was read or written.
#[derive(Debug, Clone)]
pub(super) struct Signature {
    pub(super) algorithm: u32,
    /// In upper-case hexadecimal digits.
    pub(super) hash: String,
}

impl Signature {
    /// What scripts call the algorithm.
    pub(super) fn type_name(&self) -> &'static str {
        match self.algorithm {
            algorithm::MD5 => "MD5",
            algorithm::SHA256 => "SHA-256",
            algorithm::SHA512 => "SHA-512",
            algorithm::OPENSSL => "OpenSSL",
            algorithm::OPENSSL_SHA256 => "OpenSSL_SHA256",
            algorithm::OPENSSL_SHA512 => "OpenSSL_SHA512",
            _ => "SHA-1",
        }
    }
}

/// Bytes as upper-case hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Bytes of a digest; none if the algorithm is none of these.
pub(super) fn length(number: u32) -> Option<u64> {
    Some(match number {
        algorithm::MD5 => 16,
        algorithm::SHA1 => 20,
        algorithm::SHA256 => 32,
        algorithm::SHA512 => 64,
        _ => return None,
    })
}

/// True of algorithms that need a key.
pub(super) fn is_openssl(number: u32) -> bool {
    (algorithm::OPENSSL..=algorithm::OPENSSL_SHA512).contains(&number)
}

/// The digest of bytes.
pub(super) fn digest(number: u32, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut running = Running::new(number)?;
    running.update(bytes);
    Some(running.finish())
}

/// The name that messages have for an algorithm.
fn message_name(number: u32) -> &'static str {
    match number {
        algorithm::MD5 => "MD5",
        algorithm::SHA1 => "SHA1",
        algorithm::SHA256 => "SHA256",
        algorithm::SHA512 => "SHA512",
        _ => "openssl",
    }
}

/// Checks the digest of a source's first bytes; the rest of a message if it is wrong.
pub(super) fn verify(
    source: &Source,
    end: u64,
    number: u32,
    expected: &[u8],
) -> Result<Signature, String> {
    if is_openssl(number) {
        return Err("openssl signature could not be verified: openssl not loaded".into());
    }
    let Some(mut running) = Running::new(number) else {
        return Err("has a broken or unsupported signature".into());
    };
    let is_there = source.each_piece(0, end, |piece| running.update(piece));
    if !is_there || running.finish() != expected {
        let name = message_name(number);
        return Err(format!(
            "{name} signature could not be verified: broken signature"
        ));
    }
    Ok(Signature {
        algorithm: number,
        hash: hexadecimal(expected),
    })
}

/// Signs what is written of an archive based on another format: the contents of the entry that has the
/// signature. None for data that is not to be signed.
pub(super) fn sign(
    archive: &mut Archive,
    kind: &str,
    written: &[&[u8]],
) -> Result<Option<Vec<u8>>, String> {
    let number = match archive.algorithm {
        0 if archive.is_data => return Ok(None),
        0 => algorithm::SHA256,
        number => number,
    };
    let Some(mut running) = Running::new(number) else {
        return Err(format!(
            "phar error: unable to write signature to {kind}-based phar: OpenSSL signatures are not supported in phar \"{}\"",
            archive.shown()
        ));
    };
    for piece in written {
        running.update(piece);
    }
    let digest = running.finish();
    archive.signature = Some(Signature {
        algorithm: number,
        hash: hexadecimal(&digest),
    });
    let length = digest.len() as u32;
    Ok(Some(
        [&number.to_le_bytes()[..], &length.to_le_bytes(), &digest].concat(),
    ))
}

/// Digests by number.
mod digest_of {
    use sha2::Digest;

    use super::algorithm;

    /// A digest that is being calculated.
    pub(super) enum Running {
        Md5(md5::Md5),
        Sha1(sha1::Sha1),
        Sha256(sha2::Sha256),
        Sha512(sha2::Sha512),
    }

    impl Running {
        pub(super) fn new(number: u32) -> Option<Running> {
            Some(match number {
                algorithm::MD5 => Running::Md5(md5::Md5::new()),
                algorithm::SHA1 => Running::Sha1(sha1::Sha1::new()),
                algorithm::SHA256 => Running::Sha256(sha2::Sha256::new()),
                algorithm::SHA512 => Running::Sha512(sha2::Sha512::new()),
                _ => return None,
            })
        }

        pub(super) fn update(&mut self, bytes: &[u8]) {
            match self {
                Running::Md5(state) => state.update(bytes),
                Running::Sha1(state) => state.update(bytes),
                Running::Sha256(state) => state.update(bytes),
                Running::Sha512(state) => state.update(bytes),
            }
        }

        pub(super) fn finish(self) -> Vec<u8> {
            match self {
                Running::Md5(state) => state.finalize().to_vec(),
                Running::Sha1(state) => state.finalize().to_vec(),
                Running::Sha256(state) => state.finalize().to_vec(),
                Running::Sha512(state) => state.finalize().to_vec(),
            }
        }
    }
}
