//! The functions that sign, encrypt and share secrets.

use std::rc::Rc;

use ed25519_dalek::{Signer, SigningKey, Verifier, VerifyingKey};
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::object::{Half, held, key_in, key_of};
use super::rsa::{PKCS1_PADDING, Rsa};
use super::{Ec, Key, numbers};
use crate::openssl::cipher::Cipher;
use crate::openssl::der::{self, Reader};
use crate::openssl::digest::Digest;
use crate::openssl::errors::{
    self, Failure, INVALID_DIGEST, NOT_SUPPORTED_FOR_KEY, SIGNATURE_FAILURE, UNSUPPORTED,
};
use crate::support::{Append, new_list};

/// Digests by PHP's numbers.
pub(in crate::openssl) fn numbered(number: i64) -> Option<&'static Digest> {
    let name = match number {
        1 => "sha1",
        2 => "md5",
        3 => "md4",
        6 => "sha224",
        7 => "sha256",
        8 => "sha384",
        9 => "sha512",
        10 => "ripemd160",
        _ => return None,
    };
    Digest::named(name.as_bytes())
}

impl Ec {
    fn sign(&self, digest: &Digest, data: &[u8]) -> Option<Vec<u8>> {
        let hash = digest.of(&[data])?;
        let (r, s) = self.curve.sign(self.private.as_ref()?, &hash)?;
        Some(der::sequence(&[&der::integer(&r), &der::integer(&s)]))
    }

    fn verify(&self, digest: &Digest, data: &[u8], signature: &[u8]) -> Option<bool> {
        let mut whole = Reader(signature);
        let mut reader = whole.sequence().filter(|_| whole.is_empty())?;
        let (r, s) = (reader.integer()?, reader.integer()?);
        let hash = digest.of(&[data])?;
        Some(self.curve.verify(&self.public, &hash, r, s))
    }
}

impl Key {
    /// The digest that is meant if nobody names one; none for keys that sign without.
    fn digest(&self, given: Option<&'static Digest>) -> Option<&'static Digest> {
        given.or_else(|| match self {
            Key::Ed25519(_) => None,
            _ => Digest::named(b"sha256"),
        })
    }

    pub(in crate::openssl) fn sign(
        &self,
        digest: Option<&'static Digest>,
        data: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        match (self, self.digest(digest)) {
            (Key::Ed25519(key), None) => {
                let private = key.private.as_ref().ok_or(&[] as Failure)?;
                Ok(SigningKey::from_bytes(private)
                    .sign(data)
                    .to_bytes()
                    .to_vec())
            }
            (Key::Ed25519(_), Some(_)) => Err(&[INVALID_DIGEST]),
            (_, Some(digest)) if !digest.is_there() => Err(&[UNSUPPORTED, INVALID_DIGEST]),
            (Key::Rsa(key), Some(digest)) => key.sign(digest, data),
            (Key::Ec(key), Some(digest)) => key.sign(digest, data).ok_or(&[INVALID_DIGEST]),
            _ => Err(&[NOT_SUPPORTED_FOR_KEY]),
        }
    }

    /// Whether a signature is right; what cannot even be looked at is an error.
    pub(in crate::openssl) fn verify(
        &self,
        digest: Option<&'static Digest>,
        data: &[u8],
        signature: &[u8],
    ) -> Result<bool, (i64, Failure)> {
        match (self, self.digest(digest)) {
            (Key::Ed25519(key), None) => {
                let signature = ed25519_dalek::Signature::from_slice(signature)
                    .map_err(|_| (0, &[] as Failure))?;
                let key =
                    VerifyingKey::from_bytes(&key.public).map_err(|_| (-1, &[] as Failure))?;
                Ok(key.verify(data, &signature).is_ok())
            }
            (Key::Ed25519(_), Some(_)) => Err((-1, &[INVALID_DIGEST])),
            (_, Some(digest)) if !digest.is_there() => Err((-1, &[UNSUPPORTED, INVALID_DIGEST])),
            (Key::Rsa(key), Some(digest)) => match key.verify(digest, data, signature) {
                Ok(()) => Ok(true),
                Err(problems) => Err((0, problems)),
            },
            (Key::Ec(key), Some(digest)) => {
                let malformed: Failure = &[errors::WRONG_TAG, errors::NESTED_ASN1];
                key.verify(digest, data, signature).ok_or((-1, malformed))
            }
            _ => Err((-1, &[NOT_SUPPORTED_FOR_KEY])),
        }
    }
}

/// The digest in an argument: a number or a name. The outer result is nothing if there is none of that name.
fn digest_in(call: &mut Call<'_>, index: usize) -> Option<Option<&'static Digest>> {
    let value = call.value(index);
    let found = match value.view() {
        ValueKind::Long(0) => return Some(None),
        ValueKind::Long(number) => numbered(number),
        ValueKind::String(name) => Digest::named(name.as_bytes()),
        _ => None,
    };
    if found.is_none() {
        call.vm.function_warning("Unknown digest algorithm");
    }
    found.map(Some)
}

/// The key in an argument, or nothing after a warning.
fn wanted(
    call: &mut Call<'_>,
    index: usize,
    half: Half,
    warning: &str,
) -> PhpResult<Option<Rc<Key>>> {
    let key = key_in(call, index, half)?;
    if key.is_none() {
        call.vm.check()?;
        call.vm.function_warning(warning);
    }
    Ok(key)
}

/// Assigns what came out to the second argument.
fn given_out(call: &mut Call<'_>, result: Result<Vec<u8>, Failure>) -> PhpResult<Value> {
    match result {
        Ok(bytes) => {
            let bytes = call.vm.string(&bytes).into();
            call.assign(1, bytes);
            call.vm.check()?;
            Ok(true.into())
        }
        Err(problems) => {
            errors::push_all(call.vm, problems);
            Ok(false.into())
        }
    }
}

pub(super) fn sign(call: &mut Call<'_>) -> PhpResult<Value> {
    let warning = "Supplied key param cannot be coerced into a private key";
    let Some(key) = wanted(call, 2, Half::Private, warning)? else {
        return Ok(false.into());
    };
    let Some(digest) = digest_in(call, 3) else {
        return Ok(false.into());
    };
    let result = key.sign(digest, call.bytes(0));
    given_out(call, result)
}

pub(super) fn verify(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(digest) = digest_in(call, 3) else {
        return Ok(false.into());
    };
    let warning = "Supplied key param cannot be coerced into a public key";
    let Some(key) = wanted(call, 2, Half::Public, warning)? else {
        return Ok(false.into());
    };
    match key.verify(digest, call.bytes(0), call.bytes(1)) {
        Ok(is_right) => {
            if !is_right {
                errors::push(call.vm, SIGNATURE_FAILURE);
            }
            Ok(i64::from(is_right).into())
        }
        Err((result, problems)) => {
            errors::push_all(call.vm, problems);
            Ok(result.into())
        }
    }
}

type Operation = fn(&Rsa, &[u8], i64) -> Result<Vec<u8>, Failure>;

/// What the four functions of RSA have in common.
fn operate(
    call: &mut Call<'_>,
    half: Half,
    warning: &str,
    operation: Operation,
) -> PhpResult<Value> {
    let Some(key) = wanted(call, 2, half, warning)? else {
        return Ok(false.into());
    };
    let result = match &*key {
        Key::Rsa(key) => operation(key, call.bytes(0), call.long(3)),
        _ => Err(&[NOT_SUPPORTED_FOR_KEY] as Failure),
    };
    given_out(call, result)
}

pub(super) fn private_encrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let warning = "key param is not a valid private key";
    operate(call, Half::Private, warning, Rsa::encrypt_privately)
}

pub(super) fn private_decrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let warning = "key parameter is not a valid private key";
    operate(call, Half::Private, warning, Rsa::decrypt_privately)
}

pub(super) fn public_encrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let warning = "key parameter is not a valid public key";
    operate(call, Half::Public, warning, Rsa::encrypt_publicly)
}

pub(super) fn public_decrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let warning = "key parameter is not a valid public key";
    operate(call, Half::Public, warning, Rsa::decrypt_publicly)
}

/// What the owners of two keys share; nothing if the keys do not fit each other.
fn shared(private: &Key, public: &Key) -> Option<Vec<u8>> {
    match (private, public) {
        // OpenSSL's keys for this curve share nothing.
        (Key::Ec(one), _) if one.curve.name == "SM2" => None,
        (Key::Ec(one), Key::Ec(two)) if one.curve == two.curve => {
            one.curve.shared(one.private.as_ref()?, &two.public)
        }
        (Key::X25519(one), Key::X25519(two)) => {
            let shared = x25519_dalek::x25519(one.private?, two.public);
            // A point of small order tells everybody the secret.
            (shared != [0; 32]).then(|| shared.to_vec())
        }
        (Key::Dh(one), Key::Dh(two)) if one.prime == two.prime => {
            numbers::power(&two.public, one.private.as_ref()?, &one.prime)
        }
        _ => None,
    }
}

pub(super) fn derive(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call.long(2);
    if length < 0 {
        return Err(call.value_error(2, "must be greater than or equal to 0"));
    }
    let Some(private) = key_in(call, 1, Half::Private)? else {
        return Ok(false.into());
    };
    let Some(public) = key_in(call, 0, Half::Public)? else {
        return Ok(false.into());
    };
    Ok(match shared(&private, &public) {
        Some(mut secret) => {
            // Numbers are given without zeros in front.
            if matches!(&*private, Key::Dh(_)) {
                secret = der::trimmed(&secret).to_vec();
            }
            // Only coordinates of curves are cut off.
            let wanted = length as usize;
            if wanted > 0 && wanted < secret.len() {
                match &*private {
                    Key::Ec(_) => secret.truncate(wanted),
                    _ => return Ok(false.into()),
                }
            }
            call.vm.string(&secret).into()
        }
        None => false.into(),
    })
}

pub(super) fn dh_compute_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(1);
    let Some(key) = held(&object) else {
        return Ok(false.into());
    };
    let Key::Dh(key) = &*key else {
        return Err(call.type_error(1, "must be a DH key"));
    };
    let public = der::trimmed(call.bytes(0));
    let is_fitting = super::larger(&key.prime, public)
        && public.len() + public.first().map_or(0, |&digit| usize::from(digit > 1)) > 1;
    let secret = match &key.private {
        Some(private) if is_fitting => numbers::power(public, private, &key.prime),
        _ => None,
    };
    Ok(match secret {
        Some(secret) => call.vm.string(der::trimmed(&secret)).into(),
        None => false.into(),
    })
}

/// The cipher in an argument, or nothing after a warning.
fn cipher_in(call: &mut Call<'_>, index: usize) -> Option<Cipher> {
    let cipher = Cipher::named(call.bytes(index));
    if cipher.is_none() {
        call.vm.function_warning("Unknown cipher algorithm");
    }
    cipher
}

pub(super) fn seal(call: &mut Call<'_>) -> PhpResult<Value> {
    let keys = call.array(3);
    if keys.is_empty() {
        return Err(call.value_error(3, "must not be empty"));
    }
    let Some(cipher) = cipher_in(call, 4) else {
        return Ok(false.into());
    };
    let vector_length = cipher.iv_length();
    if call.count() < 6 && vector_length > 0 {
        let problem = "cannot be null for the chosen cipher algorithm";
        return Err(call.value_error(5, problem));
    }
    let mut public = Vec::new();
    let given: Vec<Value> = keys
        .iter()
        .map(|(_, value)| Value::share(value.deref()))
        .collect();
    for given in given {
        let Some(key) = key_of(call, 3, &given, Half::Public, b"")? else {
            call.vm.check()?;
            let number = public.len() + 1;
            call.vm
                .function_warning(format!("Not a public key ({number}th member of pubkeys)"));
            return Ok(false.into());
        };
        public.push(key);
    }
    let (mut secret, mut vector) = (vec![0; cipher.key_length], vec![0; vector_length]);
    crate::openssl::random_bytes(&mut secret);
    crate::openssl::random_bytes(&mut vector);
    let mut sealed = Vec::new();
    for key in &public {
        let Key::Rsa(key) = &**key else {
            errors::push(call.vm, NOT_SUPPORTED_FOR_KEY);
            return Ok(false.into());
        };
        match key.encrypt_publicly(&secret, PKCS1_PADDING) {
            Ok(encrypted) => sealed.push(encrypted),
            Err(problems) => {
                errors::push_all(call.vm, problems);
                return Ok(false.into());
            }
        }
    }
    let encrypted = match cipher.encrypt(&secret, &vector, true, call.bytes(0)) {
        Ok(encrypted) => encrypted,
        Err(problems) => {
            errors::push_all(call.vm, problems);
            return Ok(false.into());
        }
    };
    let length = encrypted.len() as i64;
    let encrypted = call.vm.string(&encrypted).into();
    call.assign(1, encrypted);
    let mut list = new_list(call.vm, sealed.len());
    for key in sealed {
        let key = call.vm.string(&key).into();
        list.make_mut(call.vm).append(key);
    }
    call.assign(2, list.into());
    if vector_length > 0 {
        let vector = call.vm.string(&vector).into();
        call.assign(5, vector);
    }
    call.vm.check()?;
    Ok(length.into())
}

pub(super) fn open(call: &mut Call<'_>) -> PhpResult<Value> {
    let warning = "Unable to coerce parameter 4 into a private key";
    let Some(key) = wanted(call, 3, Half::Private, warning)? else {
        return Ok(false.into());
    };
    let Some(cipher) = cipher_in(call, 4) else {
        return Ok(false.into());
    };
    let vector = call.optional_bytes(5).unwrap_or_default();
    if cipher.iv_length() > 0 && !call.has(5) {
        let problem = "cannot be null for the chosen cipher algorithm";
        return Err(call.value_error(5, problem));
    }
    if vector.len() != cipher.iv_length() {
        call.vm.function_warning("IV length is invalid");
        return Ok(false.into());
    }
    let Key::Rsa(key) = &*key else {
        errors::push(call.vm, NOT_SUPPORTED_FOR_KEY);
        return Ok(false.into());
    };
    let result = key
        .decrypt_privately(call.bytes(2), PKCS1_PADDING)
        .and_then(|mut secret| {
            secret.resize(cipher.key_length, 0);
            cipher.decrypt(&secret, vector, true, call.bytes(0))
        });
    given_out(call, result)
}
