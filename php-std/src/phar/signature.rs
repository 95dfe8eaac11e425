//! Signatures: digests over a whole archive.

use std::rc::Rc;

use digest_of::Running;
#[cfg(feature = "openssl")]
use vm_runtime::limits;

use super::archive::Archive;
use super::source::Source;
#[cfg(feature = "openssl")]
use crate::standard::files::path;

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

/// The name that messages have for an algorithm.
pub(super) fn message_name(number: u32) -> &'static str {
    match number {
        algorithm::MD5 => "MD5",
        algorithm::SHA1 => "SHA1",
        algorithm::SHA256 => "SHA256",
        algorithm::SHA512 => "SHA512",
        _ => "openssl",
    }
}

/// The private key that scripts have given for signatures, in an armoured text.
#[derive(Debug, Default)]
pub(super) struct SigningKey(pub(super) Option<Rc<[u8]>>);

/// The digest that OpenSSL signs.
#[cfg(feature = "openssl")]
fn signed_digest(number: u32) -> &'static [u8] {
    match number {
        algorithm::OPENSSL_SHA256 => b"sha256",
        algorithm::OPENSSL_SHA512 => b"sha512",
        _ => b"sha1",
    }
}

/// Checks a signature by the key that lies beside the archive; what is wrong with it if something is.
#[cfg(feature = "openssl")]
fn verify_key(
    name: &[u8],
    number: u32,
    signed: Option<Vec<u8>>,
    expected: &[u8],
) -> Result<(), &'static str> {
    let mut file = name.to_vec();
    file.extend_from_slice(b".pubkey");
    let key =
        limits::read_file(&path(&file)).map_err(|_| "openssl public key could not be read")?;
    let signed = signed.unwrap_or_default();
    match crate::openssl::is_signed(&key, signed_digest(number), &signed, expected) {
        Some(true) => Ok(()),
        Some(false) => Err("broken openssl signature"),
        None => Err("openssl signature could not be processed"),
    }
}

/// The same without OpenSSL.
#[cfg(not(feature = "openssl"))]
fn verify_key(
    _name: &[u8],
    _number: u32,
    _signed: Option<Vec<u8>>,
    _expected: &[u8],
) -> Result<(), &'static str> {
    Err("openssl not loaded")
}

/// Checks the signature of a source's first bytes, which the archive of a name has; the rest of a message if it is
/// wrong.
pub(super) fn verify(
    name: &[u8],
    source: &Source,
    end: u64,
    number: u32,
    expected: &[u8],
) -> Result<Signature, String> {
    let is_right = if is_openssl(number) {
        verify_key(name, number, source.read(0, end), expected)
    } else {
        let Some(mut running) = Running::new(number) else {
            return Err("broken or unsupported signature".into());
        };
        let is_there = source.each_piece(0, end, |piece| running.update(piece));
        match is_there && running.finish() == expected {
            true => Ok(()),
            false => Err("broken signature"),
        }
    };
    is_right.map_err(str::to_owned)?;
    Ok(Signature {
        algorithm: number,
        hash: hexadecimal(expected),
    })
}

/// Signs by the key that scripts have given.
#[cfg(feature = "openssl")]
fn sign_by_key(archive: &Archive, number: u32, written: &[&[u8]]) -> Result<Vec<u8>, String> {
    let Some(key) = &archive.signing_key else {
        return Err(format!(
            "unable to write to phar \"{}\" with requested openssl signature",
            archive.shown()
        ));
    };
    let signed = crate::openssl::signed(key, signed_digest(number), &written.concat());
    signed.ok_or_else(|| "unable to process private key".into())
}

/// The same without OpenSSL.
#[cfg(not(feature = "openssl"))]
fn sign_by_key(archive: &Archive, _number: u32, _written: &[&[u8]]) -> Result<Vec<u8>, String> {
    Err(format!(
        "unable to write to phar \"{}\" with requested openssl signature",
        archive.shown()
    ))
}

/// Signs what is written of an archive: the number of the algorithm, and the signature.
pub(super) fn sign(archive: &mut Archive, written: &[&[u8]]) -> Result<(u32, Vec<u8>), String> {
    let number = match archive.algorithm {
        0 => algorithm::SHA256,
        number => number,
    };
    let signature = match Running::new(number) {
        Some(mut running) => {
            for piece in written {
                running.update(piece);
            }
            running.finish()
        }
        None => sign_by_key(archive, number, written)?,
    };
    archive.signature = Some(Signature {
        algorithm: number,
        hash: hexadecimal(&signature),
    });
    Ok((number, signature))
}

/// Signs what is written of an archive based on another format: the contents of the entry that has the
/// signature. None for data that is not to be signed.
pub(super) fn sign_entry(
    archive: &mut Archive,
    kind: &str,
    written: &[&[u8]],
) -> Result<Option<Vec<u8>>, String> {
    if archive.algorithm == 0 && archive.is_data {
        return Ok(None);
    }
    let (number, signature) = sign(archive, written).map_err(|problem| {
        format!("phar error: unable to write signature to {kind}-based phar: {problem}")
    })?;
    let length = signature.len() as u32;
    Ok(Some(
        [&number.to_le_bytes()[..], &length.to_le_bytes(), &signature].concat(),
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
