//! `openssl_pkcs12_*`: a key with its certificates in one file, under a passphrase (PKCS #12).

use std::rc::Rc;

use sha1::{Digest as _, Sha1};
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::certificates::{certificate_in, certificate_of};
use super::cipher::{Cipher, same};
use super::der::{self, Reader};
use super::digest::Digest;
use super::errors;
use super::keys::{self, Half, Key, key_of, public_key_of};
use super::pem;
use crate::support::{functions, list, string_of};

functions! {
    "openssl_pkcs12_export_to_file(OpenSSLCertificate|string $certificate, path $output_filename, #[SensitiveParameter] $private_key, #[SensitiveParameter] string $passphrase, array $options = []): bool" => export_to_file,
    "openssl_pkcs12_export(OpenSSLCertificate|string $certificate, &$output, #[SensitiveParameter] $private_key, #[SensitiveParameter] string $passphrase, array $options = []): bool" => export,
    "openssl_pkcs12_read(string $pkcs12, &$certificates, #[SensitiveParameter] string $passphrase): bool" => read,
}

const DATA: &str = "1.2.840.113549.1.7.1";
const ENCRYPTED_DATA: &str = "1.2.840.113549.1.7.6";
const PLAIN_KEY: &str = "1.2.840.113549.1.12.10.1.1";
const SHROUDED_KEY: &str = "1.2.840.113549.1.12.10.1.2";
const CERTIFICATE: &str = "1.2.840.113549.1.12.10.1.3";
const X509: &str = "1.2.840.113549.1.9.22.1";
const FRIENDLY_NAME: &str = "1.2.840.113549.1.9.20";
const LOCAL_KEY: &str = "1.2.840.113549.1.9.21";
/// With a key of three parts for DES, in the old way.
const TRIPLE_DES: &str = "1.2.840.113549.1.12.1.3";
const SHA256: &str = "2.16.840.1.101.3.4.2.1";
const AES_256_CBC: &str = "2.16.840.1.101.3.4.1.42";
const ITERATIONS: u16 = 2048;
/// More would take too long.
const MOST_ITERATIONS: u64 = 100_000_000;

const MAC_FAILURE: &str = "11800071:PKCS12 routines::mac verify failure";

/// What the bytes that are derived are for.
#[derive(Debug, Clone, Copy)]
enum Use {
    Key = 1,
    Vector = 2,
    Mac = 3,
}

/// Bytes from a passphrase, in the way of PKCS #12.
fn derived(
    digest: &Digest,
    passphrase: &[u8],
    salt: &[u8],
    rounds: u64,
    wanted: usize,
    what: Use,
) -> Option<Vec<u8>> {
    let block = digest.block();
    let mut letters: Vec<u8> = String::from_utf8_lossy(passphrase)
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    letters.extend([0, 0]);
    let stretched = |bytes: &[u8]| -> Vec<u8> {
        let length = bytes.len().div_ceil(block) * block;
        bytes.iter().copied().cycle().take(length).collect()
    };
    let mut input = stretched(salt);
    input.extend(stretched(&letters));
    let diversifier = vec![what as u8; block];
    let mut result = Vec::new();
    while result.len() < wanted {
        let mut part = digest.of(&[&diversifier, &input])?;
        for round in 1..rounds {
            if round % 1024 == 0 {
                vm_runtime::limits::poll();
            }
            part = digest.of(&[&part])?;
        }
        let addend: Vec<u8> = part.iter().copied().cycle().take(block).collect();
        for chunk in input.chunks_mut(block) {
            let mut carry = 1u16;
            for (byte, more) in chunk.iter_mut().zip(&addend).rev() {
                carry += u16::from(*byte) + u16::from(*more);
                *byte = carry as u8;
                carry >>= 8;
            }
        }
        result.extend(part);
    }
    result.truncate(wanted);
    Some(result)
}

fn number(digits: &[u8]) -> Option<u64> {
    let number = digits.iter().try_fold(0u64, |all, &digit| {
        Some(all.checked_mul(256)? + u64::from(digit))
    })?;
    (number <= MOST_ITERATIONS).then_some(number)
}

/// What was encrypted by an algorithm, with its parameters.
fn decrypted(algorithm: &[u8], encrypted: &[u8], passphrase: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader(algorithm).sequence()?;
    if reader.identifier()? != TRIPLE_DES {
        let whole = der::sequence(&[algorithm, &der::octets(encrypted)]);
        return keys::decrypted(&whole, passphrase);
    }
    let mut parameters = reader.sequence()?;
    let salt = parameters.expect(der::OCTET_STRING)?;
    let rounds = number(parameters.integer()?)?;
    let sha1 = Digest::named(b"sha1")?;
    let key = derived(sha1, passphrase, salt, rounds, 24, Use::Key)?;
    let vector = derived(sha1, passphrase, salt, rounds, 8, Use::Vector)?;
    Cipher::named(b"des-ede3-cbc")?
        .decrypt(&key, &vector, true, encrypted)
        .ok()
}

/// What is in such a file.
#[derive(Default)]
struct Contents {
    /// The key, and by which number its certificate is known.
    key: Option<(Key, Vec<u8>)>,
    certificates: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Why a file cannot be read.
enum Unreadable {
    Malformed,
    WrongPassphrase,
}

/// The number that ties a certificate to its key, among the attributes of a bag.
fn local_key(attributes: Option<&[u8]>) -> Vec<u8> {
    let mut all = Reader(attributes.unwrap_or_default());
    while let Some(mut attribute) = all.sequence() {
        if attribute.identifier().as_deref() == Some(LOCAL_KEY)
            && let Some(values) = attribute.expect(der::SET)
        {
            return Reader(values)
                .expect(der::OCTET_STRING)
                .unwrap_or_default()
                .to_vec();
        }
    }
    Vec::new()
}

impl Contents {
    fn of(bytes: &[u8], passphrase: &[u8]) -> Result<Contents, Unreadable> {
        use Unreadable::{Malformed, WrongPassphrase};
        let mut whole = Reader(bytes).sequence().ok_or(Malformed)?;
        whole.integer().ok_or(Malformed)?;
        let mut safe = whole.sequence().ok_or(Malformed)?;
        if safe.identifier().as_deref() != Some(DATA) {
            return Err(Malformed);
        }
        let safe = safe.expect(0xa0).ok_or(Malformed)?;
        let safe = Reader(safe).expect(der::OCTET_STRING).ok_or(Malformed)?;
        if let Some(mut mac) = whole.sequence()
            && !Self::is_authentic(&mut mac, safe, passphrase).ok_or(Malformed)?
        {
            return Err(WrongPassphrase);
        }
        let mut contents = Contents::default();
        let mut parts = Reader(safe).sequence().ok_or(Malformed)?;
        while let Some(mut part) = parts.sequence() {
            let kind = part.identifier().ok_or(Malformed)?;
            let content = part.expect(0xa0).ok_or(Malformed)?;
            let bags = match kind.as_str() {
                DATA => Reader(content)
                    .expect(der::OCTET_STRING)
                    .ok_or(Malformed)?
                    .to_vec(),
                ENCRYPTED_DATA => {
                    let mut data = Reader(content).sequence().ok_or(Malformed)?;
                    data.integer().ok_or(Malformed)?;
                    let mut inner = data.sequence().ok_or(Malformed)?;
                    inner.identifier().ok_or(Malformed)?;
                    let algorithm = inner.next().ok_or(Malformed)?;
                    let encrypted = inner.expect(0x80).ok_or(Malformed)?;
                    decrypted(algorithm.whole, encrypted, passphrase).ok_or(WrongPassphrase)?
                }
                _ => continue,
            };
            contents.add(&bags, passphrase).ok_or(Malformed)?;
        }
        Ok(contents)
    }

    fn is_authentic(mac: &mut Reader<'_>, safe: &[u8], passphrase: &[u8]) -> Option<bool> {
        let mut sum = mac.sequence()?;
        let algorithm = sum.sequence()?.identifier()?;
        let expected = sum.expect(der::OCTET_STRING)?;
        let salt = mac.expect(der::OCTET_STRING)?;
        let rounds = match mac.integer() {
            Some(digits) => number(digits)?,
            None => 1,
        };
        let digest = Digest::identified(&algorithm)?;
        let length = digest.of(&[])?.len();
        let key = derived(digest, passphrase, salt, rounds, length, Use::Mac)?;
        Some(same(&digest.hmac(&key, &[safe]), expected))
    }

    fn add(&mut self, bags: &[u8], passphrase: &[u8]) -> Option<()> {
        let mut bags = Reader(bags).sequence()?;
        while let Some(mut bag) = bags.sequence() {
            let kind = bag.identifier()?;
            let value = bag.expect(0xa0)?;
            let known = local_key(bag.expect(der::SET));
            match kind.as_str() {
                PLAIN_KEY => self.key = Some((Key::read_private(value)?, known)),
                SHROUDED_KEY => {
                    let mut shrouded = Reader(value).sequence()?;
                    let algorithm = shrouded.next()?;
                    let encrypted = shrouded.expect(der::OCTET_STRING)?;
                    let plain = decrypted(algorithm.whole, encrypted, passphrase)?;
                    self.key = Some((Key::read_private(&plain)?, known));
                }
                CERTIFICATE => {
                    let mut certificate = Reader(value).sequence()?;
                    if certificate.identifier()? == X509 {
                        let inner = certificate.expect(0xa0)?;
                        let bytes = Reader(inner).expect(der::OCTET_STRING)?;
                        self.certificates.push((bytes.to_vec(), known));
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// The certificate of the key, and the others.
    fn sorted(&mut self) -> Option<Vec<u8>> {
        let (key, known) = self.key.as_ref()?;
        let is_of_key = |(bytes, number): &(Vec<u8>, Vec<u8>)| {
            (known.is_empty() || number == known)
                && public_key_of(bytes).is_some_and(|public| public.matches(key))
        };
        let at = self.certificates.iter().position(is_of_key)?;
        Some(self.certificates.remove(at).0)
    }
}

fn read(call: &mut Call<'_>) -> PhpResult<Value> {
    let (bytes, passphrase) = (call.bytes(0).to_vec(), call.bytes(2).to_vec());
    let mut contents = match Contents::of(&bytes, &passphrase) {
        Ok(contents) => contents,
        Err(Unreadable::WrongPassphrase) => {
            errors::push(call.vm, MAC_FAILURE);
            return Ok(false.into());
        }
        Err(Unreadable::Malformed) => {
            errors::push_all(call.vm, &[errors::WRONG_TAG, errors::NESTED_ASN1]);
            return Ok(false.into());
        }
    };
    let certificate = contents.sorted();
    let mut table = call.vm.new_array();
    let mut set = |vm: &mut vm_runtime::vm::Vm, name: &str, text: Vec<u8>| {
        let text = vm.string(text).into();
        table.make_mut(vm).set_bytes(name.as_bytes(), text);
    };
    if let Some(certificate) = certificate {
        set(call.vm, "cert", pem::armoured("CERTIFICATE", &certificate));
    }
    if let Some(text) = contents
        .key
        .as_ref()
        .and_then(|(key, _)| key.armoured_private(None))
    {
        set(call.vm, "pkey", text);
    }
    if !contents.certificates.is_empty() {
        let others: Vec<Value> = contents
            .certificates
            .iter()
            .map(|(bytes, _)| call.vm.string(pem::armoured("CERTIFICATE", bytes)).into())
            .collect();
        let others = list(call.vm, others);
        table.make_mut(call.vm).set_bytes(b"extracerts", others);
    }
    call.assign(1, table.into());
    call.vm.check()?;
    Ok(true.into())
}

/// A bag with its attributes.
fn bag(kind: &str, value: &[u8], attributes: &[u8]) -> Vec<u8> {
    der::sequence(&[
        &der::identifier(kind),
        &der::element(0xa0, &[value]),
        attributes,
    ])
}

fn certificate_bag(certificate: &[u8], attributes: &[u8]) -> Vec<u8> {
    let inner = der::element(0xa0, &[&der::octets(certificate)]);
    let value = der::sequence(&[&der::identifier(X509), &inner]);
    bag(CERTIFICATE, &value, attributes)
}

/// A file with a key and its certificates.
fn written(
    key: &Key,
    certificate: &[u8],
    others: &[Rc<[u8]>],
    name: Option<&[u8]>,
    passphrase: &[u8],
) -> Option<Vec<u8>> {
    let mut attributes = Vec::new();
    if let Some(name) = name {
        let letters: Vec<u8> = String::from_utf8_lossy(name)
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        let text = der::element(der::BMP_STRING, &[&letters]);
        let set = der::element(der::SET, &[&text]);
        attributes.extend(der::sequence(&[&der::identifier(FRIENDLY_NAME), &set]));
    }
    let number = der::octets(&Sha1::digest(certificate));
    let set = der::element(der::SET, &[&number]);
    attributes.extend(der::sequence(&[&der::identifier(LOCAL_KEY), &set]));
    let attributes = der::element(der::SET, &[&attributes]);

    let mut bags = certificate_bag(certificate, &attributes);
    for other in others {
        bags.extend(certificate_bag(other, &[]));
    }
    let cipher = Cipher::named(b"aes-256-cbc")?;
    let encrypted = keys::encrypted(&der::sequence(&[&bags]), passphrase, cipher, AES_256_CBC)?;
    let mut parts = Reader(&encrypted).sequence()?;
    let algorithm = parts.next()?.whole;
    let bytes = parts.expect(der::OCTET_STRING)?;
    let inner = der::sequence(&[
        &der::identifier(DATA),
        algorithm,
        &der::element(0x80, &[bytes]),
    ]);
    let data = der::sequence(&[&der::integer(&[]), &inner]);
    let certificates = der::sequence(&[
        &der::identifier(ENCRYPTED_DATA),
        &der::element(0xa0, &[&data]),
    ]);

    let shrouded = keys::encrypted(&key.written_private()?, passphrase, cipher, AES_256_CBC)?;
    let bags = der::sequence(&[&bag(SHROUDED_KEY, &shrouded, &attributes)]);
    let content = der::element(0xa0, &[&der::octets(&bags)]);
    let keys = der::sequence(&[&der::identifier(DATA), &content]);
    let safe = der::sequence(&[&certificates, &keys]);

    let mut salt = [0; 8];
    super::random_bytes(&mut salt);
    let digest = Digest::named(b"sha256")?;
    let mac_key = derived(digest, passphrase, &salt, ITERATIONS.into(), 32, Use::Mac)?;
    let sum = digest.hmac(&mac_key, &[&safe]);
    let algorithm = der::sequence(&[&der::identifier(SHA256), &der::null()]);
    let mac = der::sequence(&[
        &der::sequence(&[&algorithm, &der::octets(&sum)]),
        &der::octets(&salt),
        &der::integer(&ITERATIONS.to_be_bytes()),
    ]);
    let content = der::element(0xa0, &[&der::octets(&safe)]);
    let safe = der::sequence(&[&der::identifier(DATA), &content]);
    Some(der::sequence(&[&der::integer(&[3]), &safe, &mac]))
}

/// The bytes that an export gives; nothing after a warning.
fn exported(call: &mut Call<'_>) -> PhpResult<Option<Vec<u8>>> {
    let Some(certificate) = certificate_in(call, 0)? else {
        call.vm.check()?;
        call.vm
            .function_warning("X.509 Certificate cannot be retrieved");
        return Ok(None);
    };
    let given = call.value(2);
    let Some(key) = key_of(call, 2, &given, Half::Private, b"")? else {
        call.vm.check()?;
        call.vm
            .function_warning("Cannot get private key from parameter 3");
        return Ok(None);
    };
    if !public_key_of(&certificate).is_some_and(|public| public.matches(&key)) {
        errors::push(call.vm, errors::KEY_VALUES_MISMATCH);
        call.vm
            .function_warning("Private key does not correspond to cert");
        return Ok(None);
    }
    let passphrase = call.bytes(3).to_vec();
    let options = call.array(4);
    let option = |name: &[u8]| {
        options
            .get_bytes(name)
            .map(|value| Value::share(value.deref()))
    };
    let name = match option(b"friendly_name") {
        Some(name) if matches!(name.view(), ValueKind::String(_)) => {
            Some(string_of(call.vm, &name)?.to_vec())
        }
        _ => None,
    };
    let mut others = Vec::new();
    if let Some(given) = option(b"extracerts") {
        let all = match given.array() {
            Some(all) => all
                .iter()
                .map(|(_, one)| Value::share(one.deref()))
                .collect(),
            None => vec![given],
        };
        for one in all {
            if let Some(other) = certificate_of(call, 4, &one)? {
                others.push(other);
            }
        }
    }
    Ok(written(
        &key,
        &certificate,
        &others,
        name.as_deref(),
        &passphrase,
    ))
}

fn export(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(bytes) = exported(call)? else {
        return Ok(false.into());
    };
    let bytes = call.vm.string(bytes).into();
    call.assign(1, bytes);
    call.vm.check()?;
    Ok(true.into())
}

fn export_to_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(bytes) = exported(call)? else {
        return Ok(false.into());
    };
    let path = call.bytes(1);
    super::write_file(call, path, &bytes)
}
