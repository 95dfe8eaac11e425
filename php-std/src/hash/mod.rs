//! The extension `hash`: message digests.

mod algorithms;
mod blocks;
mod checksums;
mod context;
mod haval;
mod kept;
mod md5;
mod mhash;
mod snefru;
mod tiger;

use ::md5::Digest;
use sha1::Sha1;
use smallvec::SmallVec;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::{StringHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use self::algorithms::{ALGORITHMS, Algorithm, Options, State, take};
use crate::standard::files::check_path;
use crate::standard::strings::encode::hexadecimal;
use crate::support::{direct, functions, list, text};

functions! {
    "hash(string $algo, string $data, bool $binary = false, array $options = []): string" => hash,
    "hash_hmac(string $algo, string $data, #[SensitiveParameter] string $key, bool $binary = false): string" => hash_hmac,
    "hash_hmac_file(string $algo, string $filename, #[SensitiveParameter] string $key, bool $binary = false): string|false" => hash_hmac_file,
    "hash_hkdf(string $algo, #[SensitiveParameter] string $key, int $length = 0, string $info = \"\", string $salt = \"\"): string" => hash_hkdf,
    "hash_algos(): array" => hash_algos,
    "hash_hmac_algos(): array" => hash_hmac_algos,
    "hash_equals(#[SensitiveParameter] string $known_string, #[SensitiveParameter] string $user_string): bool" => hash_equals,
    "hash_file(string $algo, string $filename, bool $binary = false, array $options = []): string|false" => hash_file,
    "hash_pbkdf2(string $algo, #[SensitiveParameter] string $password, string $salt, int $iterations, int $length = 0, bool $binary = false, array $options = []): string" => hash_pbkdf2,
}

functions! { STANDARD_FUNCTIONS:
    "crc32(string $string): int" => crc32 | crc32_directly,
    "md5(string $string, bool $binary = false): string" => md5 | md5_directly,
    "md5_file(path $filename, bool $binary = false): string|false" => md5_file,
    "sha1(string $string, bool $binary = false): string" => sha1 | sha1_directly,
    "sha1_file(path $filename, bool $binary = false): string|false" => sha1_file,
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_functions(context::FUNCTIONS);
    crate::support::define(vm, &[("HASH_HMAC", context::HMAC)]);
    mhash::register(vm);
    vm.register_classes(context::CLASSES);
}

fn shown(vm: &mut Vm, digest: &[u8], binary: bool) -> PhpResult<Value> {
    if binary {
        text(vm, digest)
    } else {
        Ok(shown_in_hexadecimal(vm, digest).into())
    }
}

/// A digest as a string of hexadecimal digits.
#[inline]
fn shown_in_hexadecimal(vm: &mut Vm, digest: &[u8]) -> StringHandle {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    /// Bytes of the longest digests.
    const LONGEST: usize = 64;
    if digest.len() > LONGEST {
        return vm.string(hexadecimal(digest));
    }
    let mut digits = [0; LONGEST * 2];
    for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(digest) {
        *pair = [
            DIGITS[usize::from(byte >> 4)],
            DIGITS[usize::from(byte & 15)],
        ];
    }
    vm.string(&digits[..digest.len() * 2])
}

direct! {
    fn md5_directly(vm; string: &[u8]) { shown_in_hexadecimal(vm, &md5::digest(string)) }

    fn sha1_directly(vm; string: &[u8]) { shown_in_hexadecimal(vm, &Sha1::digest(string)) }

    fn crc32_directly(_; string: &[u8]) { i64::from(crc32fast::hash(string)) }
}

fn md5(call: &mut Call<'_>) -> PhpResult<Value> {
    let (digest, binary) = (md5::digest(call.bytes(0)), call.bool(1));
    shown(call.vm, &digest, binary)
}

fn sha1(call: &mut Call<'_>) -> PhpResult<Value> {
    let (digest, binary) = (Sha1::digest(call.bytes(0)), call.bool(1));
    shown(call.vm, &digest, binary)
}

fn crc32(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((crc32fast::hash(call.bytes(0)) as i64).into())
}

/// The algorithm of a name, in any case.
fn algorithm_named(name: &[u8]) -> Option<&'static Algorithm> {
    let same = |known: &&Algorithm| known.name.as_bytes().eq_ignore_ascii_case(name);
    ALGORITHMS.iter().find(same)
}

/// The algorithm that argument #1 names; `keyed` asks for one that has an HMAC.
fn algorithm(call: &mut Call<'_>, keyed: bool) -> PhpResult<&'static Algorithm> {
    match algorithm_named(call.bytes(0)) {
        Some(algorithm) if !keyed || algorithm.block != 0 => Ok(algorithm),
        _ if keyed => Err(call.value_error(0, "must be a valid cryptographic hashing algorithm")),
        _ => Err(call.value_error(0, "must be a valid hashing algorithm")),
    }
}

/// The shortest secret of XXH3.
const SECRET_LENGTH: usize = 136;

/// The options in an argument: `seed` and `secret`.
fn options(call: &mut Call<'_>, algorithm: &Algorithm, index: usize) -> PhpResult<Options> {
    let mut options = Options::default();
    let given = call.array(index);
    // PHP looks for a seed in options of this one even if there is none.
    let wants_seed = algorithm.name == "xxh64" && call.count() > index;
    if given.is_empty() && !wants_seed || !algorithm.is_seeded() {
        return Ok(options);
    }
    let name = algorithm.name;
    let element = |key: &[u8]| {
        given
            .get_bytes(key)
            .map(|value| Value::share(value.deref()))
    };
    let seed = element(b"seed");
    let secret = element(b"secret").filter(|_| algorithm.has_secret());
    if seed.is_some() && secret.is_some() {
        let message =
            format!("{name}: Only one of seed or secret is to be passed for initialization");
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    if seed.is_some() || wants_seed {
        match seed.as_ref().map(|seed| seed.view()) {
            Some(ValueKind::Long(seed)) => options.seed = Some(seed as u64),
            _ => {
                // PHP says so of XXH3, although the seed is 0 there, too.
                let effect = match algorithm.has_secret() {
                    true => "ignored",
                    false => "the same as setting the seed to 0",
                };
                let message = format!(
                    "Passing a seed of a type other than int is deprecated because it is {effect}"
                );
                call.vm.function_deprecated(&message);
                call.vm.check()?;
            }
        }
    }
    if let Some(secret) = secret {
        if secret.as_bytes().is_none() {
            call.vm.function_deprecated(
                "Passing a secret of a type other than string is deprecated because it implicitly converts to a string, potentially hiding bugs",
            );
            call.vm.check()?;
        }
        let secret = crate::support::string_of(call.vm, &secret)?.to_vec();
        if secret.len() < SECRET_LENGTH {
            let message = format!(
                "{name}: Secret length must be >= {SECRET_LENGTH} bytes, {} bytes passed",
                secret.len()
            );
            return Err(call.vm.throw_error(KnownClass::Error, message));
        }
        options.secret = Some(secret);
    }
    Ok(options)
}

fn hash(call: &mut Call<'_>) -> PhpResult<Value> {
    let algorithm = algorithm(call, false)?;
    let options = options(call, algorithm, 3)?;
    let digest = algorithm.digest_with(&options, call.bytes(1));
    let binary = call.bool(2);
    shown(call.vm, &digest, binary)
}

/// As many bytes as an algorithm takes at once.
type Block = SmallVec<[u8; 144]>;

/// A key as long as a block.
fn hmac_pad(algorithm: &Algorithm, key: &[u8]) -> Block {
    let mut block = if key.len() > algorithm.block {
        Block::from_slice(&algorithm.digest(key))
    } else {
        Block::from_slice(key)
    };
    block.resize(algorithm.block, 0);
    block
}

/// What comes before the data of the inner and of the outer digest.
fn hmac_starts(algorithm: &Algorithm, key: &[u8]) -> (Block, Block) {
    let block = hmac_pad(algorithm, key);
    let with = |pad: u8| block.iter().map(|byte| byte ^ pad).collect();
    (with(0x36), with(0x5c))
}

fn hmac(algorithm: &Algorithm, key: &[u8], data: &[u8]) -> Vec<u8> {
    let (inner, outer) = hmac_starts(algorithm, key);
    let digest = |parts: [&[u8]; 2]| {
        let mut state = (algorithm.start)(&Options::default());
        parts.into_iter().for_each(|part| take(&mut *state, part));
        state.finish()
    };
    let inner = digest([&inner, data]);
    digest([&outer, &inner])
}

/// HMAC with SHA-512.
#[cfg(feature = "sodium")]
pub(crate) fn hmac_sha512(key: &[u8], data: &[u8]) -> Vec<u8> {
    hmac(algorithm_named(b"sha512").expect("is there"), key, data)
}

fn hash_hmac(call: &mut Call<'_>) -> PhpResult<Value> {
    let algorithm = algorithm(call, true)?;
    let (digest, binary) = (hmac(algorithm, call.bytes(2), call.bytes(1)), call.bool(3));
    shown(call.vm, &digest, binary)
}

fn hash_hmac_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let algorithm = algorithm(call, true)?;
    let (key, binary) = (call.bytes(2), call.bool(3));
    let (inner, outer) = hmac_starts(algorithm, key);
    let mut state = (algorithm.start)(&Options::default());
    state.update(&inner);
    check_path(call, 1)?;
    of_file(call, call.bytes(1), binary, state, true, |digest| {
        algorithm.digest(&[&outer[..], &digest].concat())
    })
}

fn hash_hkdf(call: &mut Call<'_>) -> PhpResult<Value> {
    let algorithm = algorithm(call, true)?;
    let (key, length) = (call.bytes(1), call.long(2));
    if key.is_empty() {
        return Err(call.value_error(1, "must not be empty"));
    }
    if length < 0 {
        return Err(call.value_error(2, "must be greater than or equal to 0"));
    }
    let size = algorithm.digest(b"").len();
    let most = size * 255;
    if length as usize > most {
        return Err(call.value_error(2, &format!("must be less than or equal to {most}")));
    }
    let wanted = if length == 0 { size } else { length as usize };
    let (info, salt) = (call.bytes(3), call.bytes(4));
    let pseudo_random = hmac(algorithm, salt, key);
    let mut output: Vec<u8> = Vec::with_capacity(wanted + size);
    let mut block: Vec<u8> = Vec::new();
    let mut number = 0u8;
    while output.len() < wanted {
        number += 1;
        block = hmac(
            algorithm,
            &pseudo_random,
            &[&block, info, &[number]].concat(),
        );
        output.extend_from_slice(&block);
    }
    output.truncate(wanted);
    text(call.vm, output)
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
    let size = algorithm.digest(b"").len();
    let needed = match length as usize {
        0 => size,
        length if binary => length,
        length => length.div_ceil(2),
    };
    limits::reserve(needed);
    let mut key = Vec::with_capacity(needed);
    let mut number = 1u32;
    while key.len() < needed {
        call.vm.poll();
        let seed: Vec<u8> = salt.iter().copied().chain(number.to_be_bytes()).collect();
        let mut round = hmac(algorithm, password, &seed);
        let mut block = round.clone();
        for _ in 1..iterations {
            call.vm.poll();
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

/// The digest of a file. `is_needed` is false if one that cannot be read has as good as nothing in it.
fn of_file(
    call: &mut Call<'_>,
    path: &[u8],
    binary: bool,
    mut state: Box<dyn State>,
    is_needed: bool,
    complete: impl FnOnce(Vec<u8>) -> Vec<u8>,
) -> PhpResult<Value> {
    let Some(mut stream) = crate::standard::files::open(call.vm, path, b"rb")? else {
        return Ok(false.into());
    };
    loop {
        match stream.read_piece() {
            Ok(Some(piece)) => state.update(&piece),
            Ok(None) => return shown(call.vm, &complete(state.finish()), binary),
            Err(error) => {
                crate::standard::files::contents::read_failed(call.vm, &error)?;
                return match is_needed {
                    true => Ok(false.into()),
                    false => shown(call.vm, &complete(state.finish()), binary),
                };
            }
        }
    }
}

/// The digest of the file in argument #1 by an algorithm that a function is named for.
fn of_file_by(call: &mut Call<'_>, name: &str, is_needed: bool) -> PhpResult<Value> {
    let known = ALGORITHMS.iter().find(|algorithm| algorithm.name == name);
    let algorithm = known.expect("an algorithm that there is");
    let state = (algorithm.start)(&Options::default());
    let (path, binary) = (call.bytes(0), call.bool(1));
    of_file(call, path, binary, state, is_needed, |digest| digest)
}

fn md5_file(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    of_file_by(call, "md5", false)
}

fn sha1_file(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    of_file_by(call, "sha1", true)
}

fn hash_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let algorithm = algorithm(call, false)?;
    let options = options(call, algorithm, 3)?;
    let state = (algorithm.start)(&options);
    // PHP names the wrong argument.
    if call.bytes(1).contains(&0) {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    of_file(call, call.bytes(1), call.bool(2), state, true, |digest| {
        digest
    })
}
