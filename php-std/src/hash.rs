//! Message digests: `md5`, `sha1`, `crc32`, `hash`, `hash_hmac`.

use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::standard::strings::encode::hexadecimal;
use crate::support::{functions, list, text};

functions! {
    "md5(string $string, bool $binary = false): string" => md5,
    "sha1(string $string, bool $binary = false): string" => sha1,
    "crc32(string $string): int" => crc32,
    "hash(string $algo, string $data, bool $binary = false, array $options = []): string" => hash,
    "hash_hmac(string $algo, string $data, string $key, bool $binary = false): string" => hash_hmac,
    "hash_algos(): array" => hash_algos,
    "hash_hmac_algos(): array" => hash_hmac_algos,
    "hash_equals(string $known_string, string $user_string): bool" => hash_equals,
    "md5_file(string $filename, bool $binary = false): string|false" => md5_file,
    "sha1_file(string $filename, bool $binary = false): string|false" => sha1_file,
    "hash_file(string $algo, string $filename, bool $binary = false, array $options = []): string|false" => hash_file,
    "hash_pbkdf2(string $algo, string $password, string $salt, int $iterations, int $length = 0, bool $binary = false, array $options = []): string" => hash_pbkdf2,
}

/// Registers the extension.
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    crate::support::define(vm, &[("HASH_HMAC", 1i64)]);
}

/// A digest of the whole input.
type Compute = fn(&[u8]) -> Vec<u8>;

/// A digest: its name, its function, and the block size of its HMAC (0 if it has none).
struct Algorithm {
    name: &'static str,
    compute: Compute,
    block: usize,
}

const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "md5",
        compute: digest::<Md5>,
        block: 64,
    },
    Algorithm {
        name: "sha1",
        compute: digest::<Sha1>,
        block: 64,
    },
    Algorithm {
        name: "sha224",
        compute: digest::<Sha224>,
        block: 64,
    },
    Algorithm {
        name: "sha256",
        compute: digest::<Sha256>,
        block: 64,
    },
    Algorithm {
        name: "sha384",
        compute: digest::<Sha384>,
        block: 128,
    },
    Algorithm {
        name: "sha512/224",
        compute: digest::<Sha512_224>,
        block: 128,
    },
    Algorithm {
        name: "sha512/256",
        compute: digest::<Sha512_256>,
        block: 128,
    },
    Algorithm {
        name: "sha512",
        compute: digest::<Sha512>,
        block: 128,
    },
    Algorithm {
        name: "adler32",
        compute: adler32,
        block: 0,
    },
    Algorithm {
        name: "crc32",
        compute: crc32_bzip,
        block: 0,
    },
    Algorithm {
        name: "crc32b",
        compute: crc32b,
        block: 0,
    },
    Algorithm {
        name: "crc32c",
        compute: crc32c,
        block: 0,
    },
    Algorithm {
        name: "fnv132",
        compute: |data| fnv32(data, false),
        block: 0,
    },
    Algorithm {
        name: "fnv1a32",
        compute: |data| fnv32(data, true),
        block: 0,
    },
    Algorithm {
        name: "fnv164",
        compute: |data| fnv64(data, false),
        block: 0,
    },
    Algorithm {
        name: "fnv1a64",
        compute: |data| fnv64(data, true),
        block: 0,
    },
    Algorithm {
        name: "joaat",
        compute: joaat,
        block: 0,
    },
];

fn digest<D: Digest>(data: &[u8]) -> Vec<u8> {
    D::digest(data).to_vec()
}

fn adler32(data: &[u8]) -> Vec<u8> {
    let (mut a, mut b) = (1u32, 0u32);
    for chunk in data.chunks(5552) {
        for &byte in chunk {
            a += byte as u32;
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    (b << 16 | a).to_be_bytes().to_vec()
}

fn crc32b(data: &[u8]) -> Vec<u8> {
    crc32fast::hash(data).to_be_bytes().to_vec()
}

/// The checksum of bzip2: most significant bit first, printed with its bytes swapped.
fn crc32_bzip(data: &[u8]) -> Vec<u8> {
    let mut crc = !0u32;
    for &byte in data {
        crc ^= (byte as u32) << 24;
        for _ in 0..8 {
            crc = if crc >> 31 != 0 {
                crc << 1 ^ 0x04c1_1db7
            } else {
                crc << 1
            };
        }
    }
    (!crc).to_le_bytes().to_vec()
}

fn crc32c(data: &[u8]) -> Vec<u8> {
    let mut crc = !0u32;
    for &byte in data {
        crc ^= byte as u32;
        for _ in 0..8 {
            crc = if crc & 1 != 0 {
                crc >> 1 ^ 0x82f6_3b78
            } else {
                crc >> 1
            };
        }
    }
    (!crc).to_be_bytes().to_vec()
}

fn fnv32(data: &[u8], xor_first: bool) -> Vec<u8> {
    let step = |hash: u32, &byte: &u8| match xor_first {
        true => (hash ^ byte as u32).wrapping_mul(0x0100_0193),
        false => hash.wrapping_mul(0x0100_0193) ^ byte as u32,
    };
    data.iter().fold(0x811c_9dc5, step).to_be_bytes().to_vec()
}

fn fnv64(data: &[u8], xor_first: bool) -> Vec<u8> {
    let step = |hash: u64, &byte: &u8| match xor_first {
        true => (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3),
        false => hash.wrapping_mul(0x0100_0000_01b3) ^ byte as u64,
    };
    data.iter()
        .fold(0xcbf2_9ce4_8422_2325, step)
        .to_be_bytes()
        .to_vec()
}

fn joaat(data: &[u8]) -> Vec<u8> {
    let mut hash = 0u32;
    for &byte in data {
        hash = hash.wrapping_add(byte as u32);
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15).to_be_bytes().to_vec()
}

fn shown(vm: &mut Vm, digest: &[u8], binary: bool) -> PhpResult<Value> {
    if binary {
        text(vm, digest)
    } else {
        text(vm, hexadecimal(digest))
    }
}

fn md5(call: &mut Call<'_>) -> PhpResult<Value> {
    let (digest, binary) = (Md5::digest(call.bytes(0)), call.bool(1));
    shown(call.vm, &digest, binary)
}

fn sha1(call: &mut Call<'_>) -> PhpResult<Value> {
    let (digest, binary) = (Sha1::digest(call.bytes(0)), call.bool(1));
    shown(call.vm, &digest, binary)
}

fn crc32(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((crc32fast::hash(call.bytes(0)) as i64).into())
}

/// The algorithm that argument #1 names; `keyed` asks for one that has an HMAC.
fn algorithm(call: &mut Call<'_>, keyed: bool) -> PhpResult<&'static Algorithm> {
    let name = call.bytes(0).to_ascii_lowercase();
    let found = ALGORITHMS
        .iter()
        .find(|algorithm| algorithm.name.as_bytes() == name);
    match found {
        Some(algorithm) if !keyed || algorithm.block != 0 => Ok(algorithm),
        _ if keyed => Err(call.value_error(0, "must be a valid cryptographic hashing algorithm")),
        _ => Err(call.value_error(0, "must be a valid hashing algorithm")),
    }
}

fn hash(call: &mut Call<'_>) -> PhpResult<Value> {
    let algorithm = algorithm(call, false)?;
    let (digest, binary) = ((algorithm.compute)(call.bytes(1)), call.bool(2));
    shown(call.vm, &digest, binary)
}

fn hmac(algorithm: &Algorithm, key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut block = if key.len() > algorithm.block {
        (algorithm.compute)(key)
    } else {
        key.to_vec()
    };
    block.resize(algorithm.block, 0);
    let inner: Vec<u8> = block
        .iter()
        .map(|byte| byte ^ 0x36)
        .chain(data.iter().copied())
        .collect();
    let outer: Vec<u8> = block
        .iter()
        .map(|byte| byte ^ 0x5c)
        .chain((algorithm.compute)(&inner))
        .collect();
    (algorithm.compute)(&outer)
}

fn hash_hmac(call: &mut Call<'_>) -> PhpResult<Value> {
    let algorithm = algorithm(call, true)?;
    let (digest, binary) = (hmac(algorithm, call.bytes(2), call.bytes(1)), call.bool(3));
    shown(call.vm, &digest, binary)
}

fn hash_pbkdf2(call: &mut Call<'_>) -> PhpResult<Value> {
    let algorithm = algorithm(call, true)?;
    let (iterations, length, binary) = (call.long(3), call.long(4), call.bool(5));
    if iterations <= 0 {
        return Err(call.value_error(3, "must be greater than 0"));
    }
    if length < 0 {
        return Err(call.value_error(4, "must be greater than or equal to 0"));
    }
    let (password, salt) = (call.bytes(1), call.bytes(2));
    let size = (algorithm.compute)(b"").len();
    let needed = match length as usize {
        0 => size,
        length if binary => length,
        length => length.div_ceil(2),
    };
    let mut key = Vec::with_capacity(needed);
    let mut number = 1u32;
    while key.len() < needed {
        let seed: Vec<u8> = salt.iter().copied().chain(number.to_be_bytes()).collect();
        let mut round = hmac(algorithm, password, &seed);
        let mut block = round.clone();
        for _ in 1..iterations {
            round = hmac(algorithm, password, &round);
            block
                .iter_mut()
                .zip(&round)
                .for_each(|(target, byte)| *target ^= byte);
        }
        key.extend_from_slice(&block);
        number += 1;
    }
    key.truncate(needed);
    let mut result = if binary { key } else { hexadecimal(&key) };
    if length > 0 {
        result.truncate(length as usize);
    }
    text(call.vm, result)
}

fn names(call: &mut Call<'_>, keyed: bool) -> PhpResult<Value> {
    let names: Vec<Value> = ALGORITHMS
        .iter()
        .filter(|algorithm| !keyed || algorithm.block != 0)
        .map(|algorithm| call.vm.string(algorithm.name).into())
        .collect();
    Ok(list(call.vm, names))
}

fn hash_algos(call: &mut Call<'_>) -> PhpResult<Value> {
    names(call, false)
}

fn hash_hmac_algos(call: &mut Call<'_>) -> PhpResult<Value> {
    names(call, true)
}

fn hash_equals(call: &mut Call<'_>) -> PhpResult<Value> {
    let (known, user) = (call.bytes(0), call.bytes(1));
    if known.len() != user.len() {
        return Ok(false.into());
    }
    // The time does not tell where they differ.
    let difference = known.iter().zip(user).fold(0, |all, (a, b)| all | (a ^ b));
    Ok((std::hint::black_box(difference) == 0).into())
}

fn of_file(call: &mut Call<'_>, path: &[u8], compute: Compute, binary: bool) -> PhpResult<Value> {
    let Some(mut stream) = crate::standard::files::open(call.vm, path, b"rb")? else {
        return Ok(false.into());
    };
    match stream.read_all() {
        Ok(contents) => shown(call.vm, &compute(&contents), binary),
        Err(_) => Ok(false.into()),
    }
}

fn md5_file(call: &mut Call<'_>) -> PhpResult<Value> {
    of_file(call, call.bytes(0), digest::<Md5>, call.bool(1))
}

fn sha1_file(call: &mut Call<'_>) -> PhpResult<Value> {
    of_file(call, call.bytes(0), digest::<Sha1>, call.bool(1))
}

fn hash_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let algorithm = algorithm(call, false)?;
    of_file(call, call.bytes(1), algorithm.compute, call.bool(2))
}
