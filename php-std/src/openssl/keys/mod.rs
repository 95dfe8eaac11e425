//! Asymmetric keys: how they are written down, and what is done with them.

mod curve;
mod functions;
mod made;
mod numbers;
mod object;
mod rsa;
mod use_of;

use num_bigint::BigUint;

use curve::{Curve, Point};
pub(super) use functions::FUNCTIONS;
pub(super) use made::generated;
#[cfg(any(feature = "phar", feature = "tls"))]
pub(super) use object::private_in;
#[cfg(feature = "phar")]
pub(super) use object::public_in;
pub(super) use object::{
    CLASS, FLAGS, Half, check_length, is_cut_off, key_in, key_of, public_key_of, text_of, wrapped,
};
pub(super) use rsa::PKCS1_PADDING;
use rsa::{Private, Rsa};
pub(super) use use_of::numbered;

use super::cipher::Cipher;
use super::der::{self, Reader};
use super::digest::Digest;
use super::pem;

const RSA: &str = "1.2.840.113549.1.1.1";
const EC: &str = "1.2.840.10045.2.1";
const DH: &str = "1.2.840.113549.1.3.1";
const X25519: &str = "1.3.101.110";
const ED25519: &str = "1.3.101.112";
const PRIME_FIELD: &str = "1.2.840.10045.1.1";
const PBES2: &str = "1.2.840.113549.1.5.13";
const PBKDF2: &str = "1.2.840.113549.1.5.12";
/// The start of the identifiers of HMACs in PKCS #5.
const HMAC: &str = "1.2.840.113549.2.";

/// A key, private or public.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Key {
    Rsa(Rsa),
    Ec(Ec),
    Dh(Dh),
    Ed25519(Short),
    X25519(Short),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ec {
    curve: Curve,
    public: Point,
    private: Option<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dh {
    prime: Vec<u8>,
    base: Vec<u8>,
    public: Vec<u8>,
    private: Option<Vec<u8>>,
}

/// A key that is just bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Short {
    public: [u8; 32],
    private: Option<[u8; 32]>,
}

/// Whether one number is larger than another; both without zeros in front.
fn larger(one: &[u8], two: &[u8]) -> bool {
    (one.len(), one) > (two.len(), two)
}

fn bit_length(digits: &[u8]) -> usize {
    match digits.first() {
        Some(first) => digits.len() * 8 - first.leading_zeros() as usize,
        None => 0,
    }
}

/// What is calculated from the private exponent and the two primes of an RSA key, behind the primes.
fn factors(exponent: &[u8], p: Vec<u8>, q: Vec<u8>) -> Option<[Vec<u8>; 5]> {
    let number = BigUint::from_bytes_be;
    let (d, one, two) = (number(exponent), number(&p), number(&q));
    if one.bits() < 2 || two.bits() < 2 {
        return None;
    }
    let inverse = two.modpow(&(&one - 2u32), &one);
    let parts = [&d % (&one - 1u32), &d % (&two - 1u32), inverse];
    let [dmp1, dmq1, iqmp] = parts.map(|part| part.to_bytes_be());
    Some([p, q, dmp1, dmq1, iqmp])
}

impl Rsa {
    fn read_private(bytes: &[u8]) -> Option<Rsa> {
        let mut reader = Reader(bytes).sequence()?;
        let _version = reader.expect(der::INTEGER)?;
        let mut next = || reader.integer().map(<[u8]>::to_vec);
        let (modulus, exponent, secret) = (next()?, next()?, next()?);
        let factors = [next()?, next()?, next()?, next()?, next()?];
        Some(Rsa {
            modulus,
            exponent,
            private: Some(Private {
                exponent: secret,
                factors,
            }),
        })
    }

    fn read_public(bytes: &[u8]) -> Option<Rsa> {
        let mut reader = Reader(bytes).sequence()?;
        Some(Rsa {
            modulus: reader.integer()?.to_vec(),
            exponent: reader.integer()?.to_vec(),
            private: None,
        })
    }

    fn written_public(&self) -> Vec<u8> {
        der::sequence(&[&der::integer(&self.modulus), &der::integer(&self.exponent)])
    }

    fn written_private(&self, private: &Private) -> Vec<u8> {
        let mut numbers = vec![&[][..], &self.modulus, &self.exponent, &private.exponent];
        numbers.extend(private.factors.iter().map(Vec::as_slice));
        let numbers: Vec<u8> = numbers.into_iter().flat_map(der::integer).collect();
        der::sequence(&[&numbers])
    }
}

impl Curve {
    fn read_parameters(reader: &mut Reader<'_>) -> Option<Curve> {
        if let Some(identifier) = reader.identifier() {
            return Curve::identified(&identifier);
        }
        let mut fields = reader.sequence()?;
        fields.integer()?;
        let mut field = fields.sequence()?;
        if field.identifier()? != PRIME_FIELD {
            return None;
        }
        let p = BigUint::from_bytes_be(field.integer()?);
        let mut coefficients = fields.sequence()?;
        let mut coefficient = || {
            coefficients
                .expect(der::OCTET_STRING)
                .map(BigUint::from_bytes_be)
        };
        let (a, b) = (coefficient()?, coefficient()?);
        let base = fields.expect(der::OCTET_STRING)?;
        let order = BigUint::from_bytes_be(fields.integer()?);
        let mut curve = Curve {
            name: "",
            identifier: "",
            p,
            a,
            b,
            generator: Default::default(),
            order,
            cofactor: 1,
        };
        if curve.p.bits() > 1024 {
            return None;
        }
        curve.generator = curve.read(base)?;
        curve.is_sound().then_some(curve)
    }

    fn written_parameters(&self) -> Vec<u8> {
        if !self.identifier.is_empty() {
            return der::identifier(self.identifier);
        }
        let size = self.field_size();
        let field = der::sequence(&[
            &der::identifier(PRIME_FIELD),
            &der::integer(&self.p.to_bytes_be()),
        ]);
        let coefficients = der::sequence(&[
            &der::octets(&curve::padded(&self.a, size)),
            &der::octets(&curve::padded(&self.b, size)),
        ]);
        der::sequence(&[
            &der::integer(&[1]),
            &field,
            &coefficients,
            &der::octets(&self.written(&self.generator)),
            &der::integer(&self.order.to_bytes_be()),
            &der::integer(&self.cofactor.to_be_bytes()),
        ])
    }
}

impl Ec {
    /// A key of a private number.
    fn of_private(curve: Curve, private: &[u8]) -> Option<Ec> {
        let public = curve.public(private)?;
        let size = curve.order_size();
        let private = curve::padded(&BigUint::from_bytes_be(private), size);
        Some(Ec {
            curve,
            public,
            private: Some(private),
        })
    }

    fn read_private(bytes: &[u8], curve: Option<Curve>) -> Option<Ec> {
        let mut reader = Reader(bytes).sequence()?;
        reader.integer()?;
        let private = reader.expect(der::OCTET_STRING)?;
        let given = reader.expect(0xa0);
        let curve = match curve {
            Some(curve) => curve,
            None => Curve::read_parameters(&mut Reader(given?))?,
        };
        let public = reader
            .expect(0xa1)
            .and_then(|found| curve.read(Reader(found).bits()?));
        match public {
            Some(public) => Some(Ec {
                private: Some(curve::padded(
                    &BigUint::from_bytes_be(private),
                    curve.order_size(),
                )),
                curve,
                public,
            }),
            None => Ec::of_private(curve, private),
        }
    }

    fn written_private(&self, private: &[u8]) -> Vec<u8> {
        let public = der::bits(&self.curve.written(&self.public));
        der::sequence(&[
            &der::integer(&[1]),
            &der::octets(private),
            &der::element(0xa1, &[&public]),
        ])
    }
}

impl Dh {
    fn read_parameters(reader: &mut Reader<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut fields = reader.sequence()?;
        Some((fields.integer()?.to_vec(), fields.integer()?.to_vec()))
    }

    /// A key of a private number.
    fn of_private(prime: Vec<u8>, base: Vec<u8>, private: Vec<u8>) -> Option<Dh> {
        let public = numbers::power(&base, &private, &prime)?;
        Some(Dh {
            public: der::trimmed(&public).to_vec(),
            prime,
            base,
            private: Some(private),
        })
    }
}

impl Short {
    fn public(public: &[u8]) -> Option<Short> {
        Some(Short {
            public: public.try_into().ok()?,
            private: None,
        })
    }

    fn of_ed25519(private: &[u8]) -> Option<Short> {
        let private: [u8; 32] = private.try_into().ok()?;
        let public = ed25519_dalek::SigningKey::from_bytes(&private)
            .verifying_key()
            .to_bytes();
        Some(Short {
            public,
            private: Some(private),
        })
    }

    fn of_x25519(private: &[u8]) -> Option<Short> {
        let private: [u8; 32] = private.try_into().ok()?;
        let public = x25519_dalek::x25519(private, x25519_dalek::X25519_BASEPOINT_BYTES);
        Some(Short {
            public,
            private: Some(private),
        })
    }
}

impl Key {
    pub(super) fn is_private(&self) -> bool {
        match self {
            Key::Rsa(key) => key.private.is_some(),
            Key::Ec(key) => key.private.is_some(),
            Key::Dh(key) => key.private.is_some(),
            Key::Ed25519(key) | Key::X25519(key) => key.private.is_some(),
        }
    }

    /// Whether both are about the same public key.
    pub(super) fn matches(&self, other: &Key) -> bool {
        self.written_public() == other.written_public()
    }

    /// Whether signatures of an algorithm are made by such keys.
    pub(super) fn is_signing_by(&self, algorithm: &str) -> bool {
        match self {
            Key::Rsa(_) => algorithm.starts_with("1.2.840.113549.1.1."),
            Key::Ec(_) => algorithm.starts_with("1.2.840.10045.4."),
            _ => algorithm == self.identifier(),
        }
    }

    /// Whether both are of one kind.
    pub(super) fn is_like(&self, other: &Key) -> bool {
        self.identifier() == other.identifier()
    }

    fn identifier(&self) -> &'static str {
        match self {
            Key::Rsa(_) => RSA,
            Key::Ec(_) => EC,
            Key::Dh(_) => DH,
            Key::Ed25519(_) => ED25519,
            Key::X25519(_) => X25519,
        }
    }

    fn written_algorithm(&self) -> Vec<u8> {
        let parameters = match self {
            Key::Rsa(_) => der::null(),
            Key::Ec(key) => key.curve.written_parameters(),
            Key::Dh(key) => der::sequence(&[&der::integer(&key.prime), &der::integer(&key.base)]),
            Key::Ed25519(_) | Key::X25519(_) => Vec::new(),
        };
        der::sequence(&[&der::identifier(self.identifier()), &parameters])
    }

    /// The public key as certificates have it.
    pub(super) fn written_public(&self) -> Vec<u8> {
        let bits = match self {
            Key::Rsa(key) => key.written_public(),
            Key::Ec(key) => key.curve.written(&key.public),
            Key::Dh(key) => der::integer(&key.public),
            Key::Ed25519(key) | Key::X25519(key) => key.public.to_vec(),
        };
        der::sequence(&[&self.written_algorithm(), &der::bits(&bits)])
    }

    /// A public key as certificates have it.
    pub(super) fn read_public(bytes: &[u8]) -> Option<Key> {
        let mut reader = Reader(bytes).sequence()?;
        let mut algorithm = reader.sequence()?;
        let bits = reader.bits()?;
        match algorithm.identifier()?.as_str() {
            RSA => Rsa::read_public(bits).map(Key::Rsa),
            EC => {
                let curve = Curve::read_parameters(&mut algorithm)?;
                let public = curve.read(bits)?;
                Some(Key::Ec(Ec {
                    curve,
                    public,
                    private: None,
                }))
            }
            DH => {
                let (prime, base) = Dh::read_parameters(&mut algorithm)?;
                Some(Key::Dh(Dh {
                    prime,
                    base,
                    public: Reader(bits).integer()?.to_vec(),
                    private: None,
                }))
            }
            ED25519 => Short::public(bits).map(Key::Ed25519),
            X25519 => Short::public(bits).map(Key::X25519),
            _ => None,
        }
    }

    /// A private key: PKCS #8.
    pub(super) fn written_private(&self) -> Option<Vec<u8>> {
        let secret = match self {
            Key::Rsa(key) => key.written_private(key.private.as_ref()?),
            Key::Ec(key) => key.written_private(key.private.as_ref()?),
            Key::Dh(key) => der::integer(key.private.as_ref()?),
            Key::Ed25519(key) | Key::X25519(key) => der::octets(key.private.as_ref()?),
        };
        let version = der::integer(&[]);
        Some(der::sequence(&[
            &version,
            &self.written_algorithm(),
            &der::octets(&secret),
        ]))
    }

    /// PKCS #8.
    pub(super) fn read_private(bytes: &[u8]) -> Option<Key> {
        let mut reader = Reader(bytes).sequence()?;
        reader.integer()?;
        let mut algorithm = reader.sequence()?;
        let secret = reader.expect(der::OCTET_STRING)?;
        match algorithm.identifier()?.as_str() {
            RSA => Rsa::read_private(secret).map(Key::Rsa),
            EC => {
                let curve = Curve::read_parameters(&mut algorithm)?;
                Ec::read_private(secret, Some(curve)).map(Key::Ec)
            }
            DH => {
                let (prime, base) = Dh::read_parameters(&mut algorithm)?;
                let private = Reader(secret).integer()?.to_vec();
                Dh::of_private(prime, base, private).map(Key::Dh)
            }
            ED25519 => {
                Short::of_ed25519(Reader(secret).expect(der::OCTET_STRING)?).map(Key::Ed25519)
            }
            X25519 => Short::of_x25519(Reader(secret).expect(der::OCTET_STRING)?).map(Key::X25519),
            _ => None,
        }
    }

    /// The private key in armour, encrypted if there is a passphrase.
    pub(super) fn armoured_private(
        &self,
        encryption: Option<(&[u8], Cipher, &str)>,
    ) -> Option<Vec<u8>> {
        let plain = self.written_private()?;
        let Some((passphrase, cipher, identifier)) = encryption else {
            return Some(pem::armoured("PRIVATE KEY", &plain));
        };
        let whole = encrypted(&plain, passphrase, cipher, identifier)?;
        Some(pem::armoured("ENCRYPTED PRIVATE KEY", &whole))
    }
}

/// Bytes encrypted with a passphrase (PKCS #5), with what is needed to undo that.
pub(super) fn encrypted(
    plain: &[u8],
    passphrase: &[u8],
    cipher: Cipher,
    identifier: &str,
) -> Option<Vec<u8>> {
    let (mut salt, mut iv) = ([0; 16], vec![0; cipher.iv_length()]);
    super::random_bytes(&mut salt);
    super::random_bytes(&mut iv);
    const ITERATIONS: u16 = 2048;
    let digest = Digest::named(b"sha256")?;
    let key = digest.pbkdf2(passphrase, &salt, ITERATIONS.into(), cipher.key_length);
    let encrypted = cipher.encrypt(&key, &iv, true, plain).ok()?;
    let hmac = der::sequence(&[&der::identifier(&format!("{HMAC}9")), &der::null()]);
    let derivation = der::sequence(&[
        &der::octets(&salt),
        &der::integer(&ITERATIONS.to_be_bytes()),
        &hmac,
    ]);
    let derivation = der::sequence(&[&der::identifier(PBKDF2), &derivation]);
    let cipher = der::sequence(&[&der::identifier(identifier), &der::octets(&iv)]);
    let algorithm = der::sequence(&[
        &der::identifier(PBES2),
        &der::sequence(&[&derivation, &cipher]),
    ]);
    Some(der::sequence(&[&algorithm, &der::octets(&encrypted)]))
}

/// What an encrypted key is, or nothing if the passphrase is wrong.
pub(super) fn decrypted(bytes: &[u8], passphrase: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader(bytes).sequence()?;
    let mut algorithm = reader.sequence()?;
    let encrypted = reader.expect(der::OCTET_STRING)?;
    if algorithm.identifier()? != PBES2 {
        return None;
    }
    let mut scheme = algorithm.sequence()?;
    let (mut derivation, mut encryption) = (scheme.sequence()?, scheme.sequence()?);
    if derivation.identifier()? != PBKDF2 {
        return None;
    }
    let mut parameters = derivation.sequence()?;
    let salt = parameters.expect(der::OCTET_STRING)?;
    let digits = parameters.integer()?;
    let iterations = digits.iter().try_fold(0u64, |all, &digit| {
        all.checked_mul(256).map(|all| all + u64::from(digit))
    })?;
    let _length = parameters.integer();
    let digest: &[u8] = match parameters.sequence().and_then(|mut prf| prf.identifier()) {
        None => b"sha1",
        Some(identifier) => match identifier.strip_prefix(HMAC)? {
            "7" => b"sha1",
            "8" => b"sha224",
            "9" => b"sha256",
            "10" => b"sha384",
            "11" => b"sha512",
            _ => return None,
        },
    };
    let cipher = Cipher::named(encryption.identifier()?.as_bytes())?;
    let iv = encryption.expect(der::OCTET_STRING)?;
    if iv.len() != cipher.iv_length() {
        return None;
    }
    let key = Digest::named(digest)?.pbkdf2(passphrase, salt, iterations, cipher.key_length);
    cipher.decrypt(&key, iv, true, encrypted).ok()
}
