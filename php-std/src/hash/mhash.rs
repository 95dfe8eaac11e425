//! The functions of the old extension `mhash`, by number of algorithm.

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::algorithms::Algorithm;
use super::{algorithm_named, hmac};
use crate::support::{functions, text};

functions! {
    "#[Deprecated(\"8.1\")] mhash(int $algo, string $data, ?string $key = null): string|false" => mhash,
    "#[Deprecated(\"8.1\")] mhash_get_block_size(int $algo): int|false" => mhash_get_block_size,
    "#[Deprecated(\"8.1\")] mhash_get_hash_name(int $algo): string|false" => mhash_get_hash_name,
    "#[Deprecated(\"8.1\")] mhash_keygen_s2k(int $algo, string $password, string $salt, int $length): string|false" => mhash_keygen_s2k,
    "#[Deprecated(\"8.1\")] mhash_count(): int" => mhash_count,
}

/// Bytes of salt that a key is made with.
const SALT: usize = 8;
/// The highest number.
const LAST: i64 = 41;

/// Names of constants, of algorithms, and their numbers.
static NAMES: &[(&str, &str, i64)] = &[
    ("MHASH_CRC32", "crc32", 0),
    ("MHASH_MD5", "md5", 1),
    ("MHASH_SHA1", "sha1", 2),
    ("MHASH_HAVAL256", "haval256,3", 3),
    ("MHASH_RIPEMD160", "ripemd160", 5),
    ("MHASH_TIGER", "tiger192,3", 7),
    ("MHASH_GOST", "gost", 8),
    ("MHASH_CRC32B", "crc32b", 9),
    ("MHASH_HAVAL224", "haval224,3", 10),
    ("MHASH_HAVAL192", "haval192,3", 11),
    ("MHASH_HAVAL160", "haval160,3", 12),
    ("MHASH_HAVAL128", "haval128,3", 13),
    ("MHASH_TIGER128", "tiger128,3", 14),
    ("MHASH_TIGER160", "tiger160,3", 15),
    ("MHASH_MD4", "md4", 16),
    ("MHASH_SHA256", "sha256", 17),
    ("MHASH_ADLER32", "adler32", 18),
    ("MHASH_SHA224", "sha224", 19),
    ("MHASH_SHA512", "sha512", 20),
    ("MHASH_SHA384", "sha384", 21),
    ("MHASH_WHIRLPOOL", "whirlpool", 22),
    ("MHASH_RIPEMD128", "ripemd128", 23),
    ("MHASH_RIPEMD256", "ripemd256", 24),
    ("MHASH_RIPEMD320", "ripemd320", 25),
    ("MHASH_SNEFRU256", "snefru256", 27),
    ("MHASH_MD2", "md2", 28),
    ("MHASH_FNV132", "fnv132", 29),
    ("MHASH_FNV1A32", "fnv1a32", 30),
    ("MHASH_FNV164", "fnv164", 31),
    ("MHASH_FNV1A64", "fnv1a64", 32),
    ("MHASH_JOAAT", "joaat", 33),
    ("MHASH_CRC32C", "crc32c", 34),
    ("MHASH_MURMUR3A", "murmur3a", 35),
    ("MHASH_MURMUR3C", "murmur3c", 36),
    ("MHASH_MURMUR3F", "murmur3f", 37),
    ("MHASH_XXH32", "xxh32", 38),
    ("MHASH_XXH64", "xxh64", 39),
    ("MHASH_XXH3", "xxh3", 40),
    ("MHASH_XXH128", "xxh128", 41),
];

/// Registers functions and constants.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    for &(constant, _, number) in NAMES {
        crate::support::define_one(vm, constant, number.into());
    }
}

/// The algorithm of a number, and the name of its constant without what all have in front.
fn numbered(number: i64) -> Option<(&'static Algorithm, &'static str)> {
    let (constant, name, _) = NAMES.iter().find(|known| known.2 == number)?;
    let algorithm = algorithm_named(name.as_bytes())?;
    Some((algorithm, constant.strip_prefix("MHASH_")?))
}

fn mhash(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some((algorithm, _)) = numbered(call.long(0)) else {
        return Ok(false.into());
    };
    let data = call.bytes(1);
    if call.optional_bytes(2).is_none() {
        return text(call.vm, algorithm.digest(data));
    }
    if algorithm.block == 0 {
        let problem = "must be a valid cryptographic hashing algorithm";
        return Err(call.value_error(0, problem));
    }
    text(call.vm, hmac(algorithm, call.bytes(2), data))
}

fn mhash_get_block_size(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(match numbered(call.long(0)) {
        Some((algorithm, _)) => algorithm.digest(b"").len().into(),
        None => false.into(),
    })
}

fn mhash_get_hash_name(call: &mut Call<'_>) -> PhpResult<Value> {
    match numbered(call.long(0)) {
        Some((_, name)) => text(call.vm, name),
        None => Ok(false.into()),
    }
}

fn mhash_count(_: &mut Call<'_>) -> PhpResult<Value> {
    Ok(LAST.into())
}

/// A key by the salted S2K of OpenPGP: the digest of zeros, salt and password, one zero more each time.
fn mhash_keygen_s2k(call: &mut Call<'_>) -> PhpResult<Value> {
    // The length is a C `int`.
    let length = match usize::try_from(call.long(3) as i32) {
        Ok(length) if length > 0 => length,
        _ => return Err(call.value_error(3, "must be a greater than 0")),
    };
    let Some((algorithm, _)) = numbered(call.long(0)) else {
        return Ok(false.into());
    };
    let password = call.bytes(1);
    let mut salt = call.bytes(2).to_vec();
    salt.resize(SALT, 0);
    limits::reserve(length);
    let mut key = Vec::with_capacity(length);
    let mut zeros = Vec::new();
    while key.len() < length {
        call.vm.poll();
        key.extend(algorithm.digest(&[&zeros, &salt, password].concat()));
        zeros.push(0u8);
    }
    key.truncate(length);
    text(call.vm, key)
}
