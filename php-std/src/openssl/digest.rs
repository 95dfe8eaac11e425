//! Message digests by OpenSSL's names, and what is made of them.

use md5::Md5;
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::errors::{
    self, INITIALIZATION, INVALID_ITERATIONS, NEGATIVE_PARAMETER, NO_EXTENDABLE_DIGESTS,
    UNSUPPORTED,
};
use crate::standard::strings::encode::hexadecimal;
use crate::support::{functions, list};

functions! {
    "openssl_get_md_methods(bool $aliases = false): array" => methods,
    "openssl_digest(string $data, string $digest_algo, bool $binary = false): string|false" => digest,
    "openssl_pbkdf2(#[SensitiveParameter] string $password, string $salt, int $key_length, int $iterations, string $digest_algo = \"sha1\"): string|false" => pbkdf2,
}

/// The digest of pieces, one behind the other.
type Run = fn(&[&[u8]]) -> Vec<u8>;

/// A digest.
pub(super) struct Digest {
    pub(super) name: &'static str,
    /// What else it is called; those up to the first `;` are what PHP lists.
    aliases: &'static str,
    /// The object identifier, if it has one.
    pub(super) identifier: &'static str,
    block: usize,
    run: Kind,
}

enum Kind {
    Plain(Run),
    /// One without a length of its own.
    Extendable,
    /// One that OpenSSL keeps in its room for old digests, which nobody opened.
    Legacy,
}

fn run<D: md5::Digest>(pieces: &[&[u8]]) -> Vec<u8> {
    let mut state = D::new();
    for piece in pieces.iter().flat_map(|piece| piece.chunks(64 * 1024)) {
        if piece.len() == 64 * 1024 {
            vm_runtime::limits::poll();
        }
        state.update(piece);
    }
    state.finalize().to_vec()
}

fn md5_and_sha1(pieces: &[&[u8]]) -> Vec<u8> {
    [run::<Md5>(pieces), run::<Sha1>(pieces)].concat()
}

const fn known(
    name: &'static str,
    aliases: &'static str,
    identifier: &'static str,
    block: usize,
    run: Run,
) -> Digest {
    Digest {
        name,
        aliases,
        identifier,
        block,
        run: Kind::Plain(run),
    }
}

const fn without(name: &'static str, aliases: &'static str, run: Kind) -> Digest {
    Digest {
        name,
        aliases,
        identifier: "",
        block: 64,
        run,
    }
}

/// All of them, sorted by name.
static DIGESTS: &[Digest] = &[
    known(
        "blake2b512",
        "; BLAKE2B-512",
        "1.3.6.1.4.1.1722.12.2.1.16",
        128,
        run::<blake2::Blake2b512>,
    ),
    known(
        "blake2s256",
        "; BLAKE2S-256",
        "1.3.6.1.4.1.1722.12.2.2.8",
        64,
        run::<blake2::Blake2s256>,
    ),
    without("md4", "RSA-MD4 md4WithRSAEncryption", Kind::Legacy),
    known(
        "md5",
        "RSA-MD5 md5WithRSAEncryption ssl3-md5",
        "1.2.840.113549.2.5",
        64,
        run::<Md5>,
    ),
    known("md5-sha1", "", "", 64, md5_and_sha1),
    known(
        "ripemd160",
        "RSA-RIPEMD160 ripemd ripemd160WithRSA rmd160; RIPEMD-160",
        "1.3.36.3.2.1",
        64,
        run::<Ripemd160>,
    ),
    known(
        "sha1",
        "RSA-SHA1 RSA-SHA1-2 sha1WithRSAEncryption ssl3-sha1; SHA-1",
        "1.3.14.3.2.26",
        64,
        run::<Sha1>,
    ),
    known(
        "sha224",
        "RSA-SHA224 sha224WithRSAEncryption; SHA2-224 SHA-224",
        "2.16.840.1.101.3.4.2.4",
        64,
        run::<Sha224>,
    ),
    known(
        "sha256",
        "RSA-SHA256 sha256WithRSAEncryption; SHA2-256 SHA-256",
        "2.16.840.1.101.3.4.2.1",
        64,
        run::<Sha256>,
    ),
    known(
        "sha3-224",
        "RSA-SHA3-224 id-rsassa-pkcs1-v1_5-with-sha3-224",
        "2.16.840.1.101.3.4.2.7",
        144,
        run::<Sha3_224>,
    ),
    known(
        "sha3-256",
        "RSA-SHA3-256 id-rsassa-pkcs1-v1_5-with-sha3-256",
        "2.16.840.1.101.3.4.2.8",
        136,
        run::<Sha3_256>,
    ),
    known(
        "sha3-384",
        "RSA-SHA3-384 id-rsassa-pkcs1-v1_5-with-sha3-384",
        "2.16.840.1.101.3.4.2.9",
        104,
        run::<Sha3_384>,
    ),
    known(
        "sha3-512",
        "RSA-SHA3-512 id-rsassa-pkcs1-v1_5-with-sha3-512",
        "2.16.840.1.101.3.4.2.10",
        72,
        run::<Sha3_512>,
    ),
    known(
        "sha384",
        "RSA-SHA384 sha384WithRSAEncryption; SHA2-384 SHA-384",
        "2.16.840.1.101.3.4.2.2",
        128,
        run::<Sha384>,
    ),
    known(
        "sha512",
        "RSA-SHA512 sha512WithRSAEncryption; SHA2-512 SHA-512",
        "2.16.840.1.101.3.4.2.3",
        128,
        run::<Sha512>,
    ),
    known(
        "sha512-224",
        "RSA-SHA512/224 sha512-224WithRSAEncryption; SHA2-512/224 SHA-512/224",
        "2.16.840.1.101.3.4.2.5",
        128,
        run::<Sha512_224>,
    ),
    known(
        "sha512-256",
        "RSA-SHA512/256 sha512-256WithRSAEncryption; SHA2-512/256 SHA-512/256",
        "2.16.840.1.101.3.4.2.6",
        128,
        run::<Sha512_256>,
    ),
    without("shake128", "; SHAKE-128", Kind::Extendable),
    without("shake256", "; SHAKE-256", Kind::Extendable),
    known(
        "sm3",
        "RSA-SM3 sm3WithRSAEncryption",
        "1.2.156.10197.1.401",
        64,
        run::<sm3::Sm3>,
    ),
    without("whirlpool", "", Kind::Legacy),
];

impl Digest {
    /// The digest of a name in any case, or of an object identifier.
    /// A digest by its object identifier.
    pub(super) fn identified(identifier: &str) -> Option<&'static Digest> {
        let mut all = DIGESTS.iter();
        all.find(|digest| !identifier.is_empty() && digest.identifier == identifier)
    }

    /// How many bytes it works on at once.
    pub(super) fn block(&self) -> usize {
        self.block
    }

    pub(super) fn named(name: &[u8]) -> Option<&'static Digest> {
        DIGESTS.iter().find(|digest| {
            let same = |known: &str| known.as_bytes().eq_ignore_ascii_case(name);
            let mut others = digest
                .aliases
                .split([' ', ';'])
                .filter(|name| !name.is_empty());
            same(digest.name)
                || others.any(same)
                || !name.is_empty() && digest.identifier.as_bytes() == name
        })
    }

    /// The digest of pieces, one behind the other; nothing if it is one that cannot be had.
    pub(super) fn of(&self, pieces: &[&[u8]]) -> Option<Vec<u8>> {
        match self.run {
            Kind::Plain(run) => Some(run(pieces)),
            Kind::Extendable | Kind::Legacy => None,
        }
    }

    /// Whether it can be had.
    pub(super) fn is_there(&self) -> bool {
        matches!(self.run, Kind::Plain(_))
    }

    /// RFC 2104.
    pub(super) fn hmac(&self, key: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
        let Kind::Plain(run) = self.run else {
            return Vec::new();
        };
        let mut block = match key.len() > self.block {
            true => run(&[key]),
            false => key.to_vec(),
        };
        block.resize(self.block, 0);
        let with = |pad: u8| -> Vec<u8> { block.iter().map(|byte| byte ^ pad).collect() };
        let (inner, outer) = (with(0x36), with(0x5c));
        let inside: Vec<&[u8]> = std::iter::once(&*inner)
            .chain(pieces.iter().copied())
            .collect();
        run(&[&outer, &run(&inside)])
    }

    /// RFC 8018, for as many bytes as are asked for.
    pub(super) fn pbkdf2(
        &self,
        password: &[u8],
        salt: &[u8],
        iterations: u64,
        length: usize,
    ) -> Vec<u8> {
        vm_runtime::limits::reserve(length);
        let mut key = Vec::with_capacity(length);
        let mut number = 1u32;
        while key.len() < length {
            let mut round = self.hmac(password, &[salt, &number.to_be_bytes()]);
            let mut block = round.clone();
            for _ in 1..iterations {
                vm_runtime::limits::poll();
                round = self.hmac(password, &[&round]);
                block
                    .iter_mut()
                    .zip(&round)
                    .for_each(|(target, byte)| *target ^= byte);
            }
            key.extend_from_slice(&block);
            number = number.wrapping_add(1);
        }
        key.truncate(length);
        key
    }
}

fn methods(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut names: Vec<&str> = DIGESTS.iter().map(|digest| digest.name).collect();
    if call.bool(0) {
        let listed = |digest: &'static Digest| digest.aliases.split(';').next().unwrap_or_default();
        names.extend(
            DIGESTS
                .iter()
                .flat_map(|digest| listed(digest).split_whitespace()),
        );
        names.sort_unstable();
    }
    let names: Vec<Value> = names
        .into_iter()
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

fn digest(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(found) = Digest::named(call.bytes(1)) else {
        call.vm.function_warning("Unknown digest algorithm");
        return Ok(false.into());
    };
    let Some(digest) = found.of(&[call.bytes(0)]) else {
        if matches!(found.run, Kind::Legacy) {
            errors::push_all(call.vm, &[UNSUPPORTED, INITIALIZATION]);
        }
        return Ok(false.into());
    };
    Ok(match call.bool(2) {
        true => call.vm.string(&digest).into(),
        false => call.vm.string(hexadecimal(&digest)).into(),
    })
}

fn pbkdf2(call: &mut Call<'_>) -> PhpResult<Value> {
    let (password, salt) = (call.bytes(0), call.bytes(1));
    let (length, iterations) = (call.long(2), call.long(3));
    if length <= 0 {
        return Err(call.value_error(2, "must be greater than 0"));
    }
    let name = match call.bytes(4) {
        b"" => b"sha1",
        name => name,
    };
    let Some(digest) = Digest::named(name) else {
        call.vm.function_warning("Unknown digest algorithm");
        return Ok(false.into());
    };
    let problem = match digest.run {
        _ if iterations < 0 => NEGATIVE_PARAMETER,
        _ if iterations == 0 => INVALID_ITERATIONS,
        Kind::Extendable => NO_EXTENDABLE_DIGESTS,
        Kind::Legacy => UNSUPPORTED,
        Kind::Plain(_) => {
            let key = digest.pbkdf2(password, salt, iterations as u64, length as usize);
            return Ok(call.vm.string(&key).into());
        }
    };
    errors::push(call.vm, problem);
    Ok(false.into())
}
