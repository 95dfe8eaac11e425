//! Keys and hashes of passwords: Argon2, and scrypt in the form of libsodium.

use scrypt::Params;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{argument_problem, equal, fixed, internal_error, problem, random};
use crate::standard::passwords::{argon2_costs, argon2_hash, argon2_verify};
use crate::standard::strings::encode::encode_base64;
use crate::support::{apart, functions, text};

functions! {
    "sodium_crypto_pwhash(int $length, #[SensitiveParameter] string $password, string $salt, int $opslimit, int $memlimit, int $algo = SODIUM_CRYPTO_PWHASH_ALG_DEFAULT): string" => argon2,
    "sodium_crypto_pwhash_str(#[SensitiveParameter] string $password, int $opslimit, int $memlimit): string" => argon2_text,
    "sodium_crypto_pwhash_str_verify(string $hash, #[SensitiveParameter] string $password): bool" => verify_argon2,
    "sodium_crypto_pwhash_str_needs_rehash(string $password, int $opslimit, int $memlimit): bool" => needs_rehash,
    "sodium_crypto_pwhash_scryptsalsa208sha256(int $length, #[SensitiveParameter] string $password, string $salt, int $opslimit, int $memlimit): string" => scrypt_key,
    "sodium_crypto_pwhash_scryptsalsa208sha256_str(#[SensitiveParameter] string $password, int $opslimit, int $memlimit): string" => scrypt_text,
    "sodium_crypto_pwhash_scryptsalsa208sha256_str_verify(string $hash, #[SensitiveParameter] string $password): bool" => verify_scrypt,
}

const ARGON2I: i64 = 1;
const ARGON2ID: i64 = 2;

/// The least memory that libsodium takes for Argon2, in bytes.
const LEAST_MEMORY: i64 = 8192;

/// What PHP asks for at least where scrypt is used.
const LEAST_OPERATIONS: i64 = 524_288;
const LEAST_SCRYPT_MEMORY: i64 = 16_777_216;

/// The limits, of which the first is argument `index`.
fn positive(call: &mut Call<'_>, index: usize) -> PhpResult<(i64, i64)> {
    for index in [index, index + 1] {
        if call.long(index) <= 0 {
            return Err(argument_problem(call, index, "must be greater than 0"));
        }
    }
    Ok((call.long(index), call.long(index + 1)))
}

/// Throws if an argument is too small.
fn at_least(call: &mut Call<'_>, index: usize, least: i64) -> PhpResult<()> {
    if call.long(index) >= least {
        return Ok(());
    }
    let what = format!("must be greater than or equal to {least}");
    Err(argument_problem(call, index, &what))
}

fn length(call: &mut Call<'_>) -> PhpResult<usize> {
    match call.long(0) {
        ..=0 => Err(argument_problem(call, 0, "must be greater than 0")),
        0xffff_ffff.. => Err(argument_problem(call, 0, "is too large")),
        length => Ok(length as usize),
    }
}

fn password<'c>(call: &mut Call<'c>, index: usize) -> &'c [u8] {
    let password = call.bytes(index);
    if password.is_empty() {
        call.vm.warning("empty password");
    }
    password
}

fn argon2(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = length(call)?;
    let (operations, memory) = positive(call, 3)?;
    let algorithm = match call.long(5) {
        ARGON2I => "argon2i",
        ARGON2ID => "argon2id",
        _ => return Err(problem(call.vm, "unsupported password hashing algorithm")),
    };
    let password = password(call, 1);
    let salt = fixed::<16>(call, 2, "SODIUM_CRYPTO_PWHASH_SALTBYTES")?;
    at_least(call, 3, 1)?;
    at_least(call, 4, LEAST_MEMORY)?;
    // libsodium asks for three passes of Argon2i.
    let is_enough = length >= 16 && (algorithm == "argon2id" || operations >= 3);
    let costs = (memory / 1024, operations);
    let key = is_enough
        .then(|| argon2_hash(algorithm, costs, password, salt, length))
        .flatten();
    match key {
        Some(key) => text(call.vm, key),
        None => Err(internal_error(call.vm)),
    }
}

fn argon2_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let (operations, memory) = positive(call, 1)?;
    let password = password(call, 0);
    at_least(call, 1, 1)?;
    at_least(call, 2, LEAST_MEMORY)?;
    let (salt, memory) = (random::<16>(), memory / 1024);
    let Some(hash) = argon2_hash("argon2id", (memory, operations), password, &salt, 32) else {
        return Err(internal_error(call.vm));
    };
    let mut result = format!("$argon2id$v=19$m={memory},t={operations},p=1").into_bytes();
    for part in [&salt[..], &hash] {
        let part: &[u8] = part;
        result.push(b'$');
        result.extend(encode_base64(part).into_iter().filter(|&byte| byte != b'='));
    }
    text(call.vm, result)
}

fn verify_argon2(call: &mut Call<'_>) -> PhpResult<Value> {
    let hash = call.bytes(0);
    let password = password(call, 1);
    Ok(argon2_verify(password, hash).into())
}

fn needs_rehash(call: &mut Call<'_>) -> PhpResult<Value> {
    let wanted = (call.long(2) / 1024, call.long(1));
    Ok((argon2_costs(call.bytes(0)) != Some(wanted)).into())
}

/// The costs of scrypt: the logarithm of N, r and p.
#[derive(Debug, Clone, Copy)]
struct Costs {
    log_n: u8,
    r: u32,
    p: u32,
}

impl Costs {
    /// Those that limits stand for, as libsodium picks them.
    fn of(operations: i64, memory: i64) -> Costs {
        let operations = operations.max(32_768);
        let r = 8;
        let log = |most: i64| (1..63).find(|log| 1i64 << log > most / 2).unwrap_or(63);
        if operations < memory / 32 {
            let log_n = log(operations / (r * 4));
            return Costs { log_n, r: 8, p: 1 };
        }
        let log_n = log(memory / (r * 128));
        let product = ((operations / 4) >> log_n).min(0x3fff_ffff);
        Costs {
            log_n,
            r: 8,
            p: (product / r) as u32,
        }
    }

    fn hash(self, password: &[u8], salt: &[u8], length: usize) -> Option<Vec<u8>> {
        let params = Params::new(self.log_n, self.r, self.p).ok()?;
        let memory = (128 * self.r as usize).checked_shl(self.log_n.into())?;
        limits::reserve(memory);
        let (password, salt) = (password.to_vec(), salt.to_vec());
        apart(move || {
            let mut hash = vec![0; length];
            scrypt::scrypt(&password, &salt, &params, &mut hash).ok()?;
            Some(hash)
        })
    }
}

fn scrypt_limits(call: &mut Call<'_>, index: usize) -> PhpResult<Costs> {
    at_least(call, index, LEAST_OPERATIONS)?;
    at_least(call, index + 1, LEAST_SCRYPT_MEMORY)?;
    Ok(Costs::of(call.long(index), call.long(index + 1)))
}

fn scrypt_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = length(call)?;
    positive(call, 3)?;
    let password = password(call, 1);
    let constant = "SODIUM_CRYPTO_PWHASH_SCRYPTSALSA208SHA256_SALTBYTES";
    let salt = fixed::<32>(call, 2, constant)?;
    let costs = scrypt_limits(call, 3)?;
    let key = (length >= 16)
        .then(|| costs.hash(password, salt, length))
        .flatten();
    match key {
        Some(key) => text(call.vm, key),
        None => Err(internal_error(call.vm)),
    }
}

/// The digits of hashes as texts.
const DIGITS: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A number of so many bits, least digits first.
fn digits(number: u32, bits: u32, target: &mut Vec<u8>) {
    for at in (0..bits).step_by(6) {
        target.push(DIGITS[(number >> at & 63) as usize]);
    }
}

/// Bytes, three at a time.
fn encoded(bytes: &[u8], target: &mut Vec<u8>) {
    for group in bytes.chunks(3) {
        let number = group
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u32::from(byte));
        digits(number, group.len() as u32 * 8, target);
    }
}

/// The number that digits stand for.
fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().rev().try_fold(0u32, |number, digit| {
        let value = DIGITS.iter().position(|known| known == digit)?;
        Some(number << 6 | value as u32)
    })
}

fn scrypt_text(call: &mut Call<'_>) -> PhpResult<Value> {
    positive(call, 1)?;
    let password = password(call, 0);
    let costs = scrypt_limits(call, 1)?;
    let mut result = b"$7$".to_vec();
    digits(costs.log_n.into(), 6, &mut result);
    digits(costs.r, 30, &mut result);
    digits(costs.p, 30, &mut result);
    let start = result.len();
    encoded(&random::<32>(), &mut result);
    // The salt is the text, not what it was made of.
    let Some(hash) = costs.hash(password, &result[start..], 32) else {
        return Err(internal_error(call.vm));
    };
    result.push(b'$');
    encoded(&hash, &mut result);
    text(call.vm, result)
}

/// How long such a hash is.
const TEXT_LENGTH: usize = 101;

fn matches(password: &[u8], text: &[u8]) -> Option<bool> {
    let rest = text.strip_prefix(b"$7$")?;
    let costs = Costs {
        log_n: number(&rest[..1])? as u8,
        r: number(&rest[1..6])?,
        p: number(&rest[6..11])?,
    };
    let (salt, hash) = rest[11..].split_at(rest[11..].iter().rposition(|&byte| byte == b'$')?);
    let mut expected = Vec::new();
    encoded(&costs.hash(password, salt, 32)?, &mut expected);
    Some(equal(&expected, &hash[1..]))
}

fn verify_scrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let password = password(call, 1);
    let hash = call.bytes(0);
    if hash.len() != TEXT_LENGTH {
        call.vm.warning("wrong size for the hashed password");
        return Ok(false.into());
    }
    Ok(matches(password, hash).unwrap_or(false).into())
}
