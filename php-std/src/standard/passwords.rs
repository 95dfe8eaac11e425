//! `crypt()` and `password_*()`.

mod bcrypt;
mod md5;
mod sha;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::operators::to_long;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::strings::encode::{decode_base64, encode_base64};
use crate::support::{apart, define, functions, hold, list, text};

functions! {
    "crypt(#[SensitiveParameter] string $string, string $salt): string" => crypt,
    "password_hash(#[SensitiveParameter] string $password, string|int|null $algo, array $options = []): string" => password_hash,
    "password_get_info(string $hash): array" => password_get_info,
    "password_needs_rehash(string $hash, string|int|null $algo, array $options = []): bool" => password_needs_rehash,
    "password_verify(#[SensitiveParameter] string $password, string $hash): bool" => password_verify,
    "password_algos(): array" => password_algos,
}

const BCRYPT: &str = "2y";
const ARGON2I: &str = "argon2i";
const ARGON2ID: &str = "argon2id";

const DEFAULT_COST: i64 = 12;
const DEFAULT_MEMORY: i64 = 65_536;
const DEFAULT_TIME: i64 = 4;
const DEFAULT_THREADS: i64 = 1;

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    define(
        vm,
        &[
            ("CRYPT_SALT_LENGTH", 123i64),
            ("CRYPT_STD_DES", 1),
            ("CRYPT_EXT_DES", 1),
            ("CRYPT_MD5", 1),
            ("CRYPT_BLOWFISH", 1),
            ("CRYPT_SHA256", 1),
            ("CRYPT_SHA512", 1),
            ("PASSWORD_BCRYPT_DEFAULT_COST", DEFAULT_COST),
            ("PASSWORD_ARGON2_DEFAULT_MEMORY_COST", DEFAULT_MEMORY),
            ("PASSWORD_ARGON2_DEFAULT_TIME_COST", DEFAULT_TIME),
            ("PASSWORD_ARGON2_DEFAULT_THREADS", DEFAULT_THREADS),
        ],
    );
    for (name, value) in [
        ("PASSWORD_DEFAULT", BCRYPT),
        ("PASSWORD_BCRYPT", BCRYPT),
        ("PASSWORD_ARGON2I", ARGON2I),
        ("PASSWORD_ARGON2ID", ARGON2ID),
        ("PASSWORD_ARGON2_PROVIDER", "standard"),
    ] {
        let value = vm.string(value).into();
        crate::support::define_one(vm, name, value);
    }
}

/// What `crypt()` gives for a salt that it does not know, which is not the salt itself.
fn refusal(salt: &[u8]) -> Vec<u8> {
    match salt {
        b"*0" => b"*1".to_vec(),
        _ => b"*0".to_vec(),
    }
}

/// The hash of a text by a salt, whose start chooses the algorithm; `None` if there is none.
// Old algorithms are there for old hashes.
#[allow(deprecated)]
fn crypt_with(plain: &[u8], salt: &[u8]) -> Option<Vec<u8>> {
    if let Some(rest) = salt.strip_prefix(b"$1$") {
        return Some(md5::hash(plain, rest));
    }
    // Further bytes of a salt are not looked at.
    let salt = std::str::from_utf8(&salt[..salt.len().min(123)]).ok();
    let hash = match salt? {
        salt if salt.starts_with("$2") => return crypt_bcrypt(plain, salt.as_bytes()),
        salt if salt.starts_with("$5$") || salt.starts_with("$6$") => {
            return sha::hash(plain, salt.as_bytes());
        }
        salt if salt.starts_with('$') || salt.starts_with('*') => return None,
        salt if salt.starts_with('_') => {
            let (salt, plain) = (crypt_salt(salt.get(..9)?, 1)?.to_owned(), plain.to_vec());
            return apart(move || pwhash::bsdi_crypt::hash_with(&salt[..], &plain))
                .ok()
                .map(String::into_bytes);
        }
        salt => pwhash::unix_crypt::hash_with(crypt_salt(salt.get(..2)?, 0)?, plain),
    };
    hash.ok().map(String::into_bytes)
}

/// `$2y$NN$` with 22 characters of salt, which others write `$2b$`. What `$2x$` and `$2a$` do to bytes above
/// 127 is said in `bcrypt.rs`.
fn crypt_bcrypt(plain: &[u8], salt: &[u8]) -> Option<Vec<u8>> {
    let known = salt.len() >= 29 && matches!(salt[2], b'a' | b'b' | b'x' | b'y') && salt[3] == b'$';
    if !known || salt[6] != b'$' {
        return None;
    }
    let cost: u32 = std::str::from_utf8(&salt[4..6]).ok()?.parse().ok()?;
    if !(4..=31).contains(&cost) || !salt[7..29].iter().all(|byte| is_crypt_character(*byte)) {
        return None;
    }
    bcrypt::hash(plain, salt, cost)
}

/// A salt, if all its characters from some number on are those that salts have.
fn crypt_salt(salt: &str, start: usize) -> Option<&str> {
    let characters = &salt.as_bytes()[start..];
    characters
        .iter()
        .all(|byte| is_crypt_character(*byte))
        .then_some(salt)
}

fn is_crypt_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/')
}

fn crypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let (plain, salt) = (call.bytes(0), call.bytes(1));
    let hash = crypt_with(plain, salt).unwrap_or_else(|| refusal(salt));
    text(call.vm, hash)
}

/// The algorithm that argument `index` names, by its name or its old number.
fn algorithm(call: &Call<'_>, index: usize) -> Option<&'static str> {
    match call.argument(index).deref().view() {
        ValueKind::Null | ValueKind::Long(0 | 1) => Some(BCRYPT),
        ValueKind::Long(2) => Some(ARGON2I),
        ValueKind::Long(3) => Some(ARGON2ID),
        ValueKind::String(name) => [BCRYPT, ARGON2I, ARGON2ID]
            .into_iter()
            .find(|known| known.as_bytes() == name.as_bytes()),
        _ => None,
    }
}

fn option(call: &mut Call<'_>, index: usize, name: &str, default: i64) -> i64 {
    let given = call.elements(index).get_bytes(name.as_bytes()).map(hold);
    given.map_or(default, |given| to_long(call.vm, &given))
}

fn random_bytes<const LENGTH: usize>(vm: &mut Vm) -> PhpResult<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    if getrandom::fill(&mut bytes).is_err() {
        return Err(vm.throw_error(KnownClass::Error, "Unable to generate salt"));
    }
    Ok(bytes)
}

fn password_hash(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(algorithm) = algorithm(call, 1) else {
        return Err(call.value_error(1, "must be a valid password hashing algorithm"));
    };
    if call.elements(2).get_bytes(b"salt").is_some() {
        call.vm.function_warning("The \"salt\" option has been ignored, since providing a custom salt is no longer supported");
        call.vm.check()?;
    }
    if algorithm != BCRYPT {
        return hash_argon2(call, algorithm);
    }
    let cost = option(call, 2, "cost", DEFAULT_COST);
    let plain = call.bytes(0);
    if plain.contains(&0) {
        let message = "Bcrypt password must not contain null character";
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    if !(4..=31).contains(&cost) {
        let message = format!("Invalid bcrypt cost parameter specified: {cost}");
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    let mut salt = encode_base64(&random_bytes::<17>(call.vm)?);
    salt.truncate(22);
    for byte in &mut salt {
        if *byte == b'+' {
            *byte = b'.';
        }
    }
    let mut setting = format!("$2y${cost:02}$").into_bytes();
    setting.append(&mut salt);
    match crypt_with(plain, &setting) {
        Some(hash) => text(call.vm, hash),
        None => Err(call
            .vm
            .throw_error(KnownClass::Error, "Password hashing failed")),
    }
}

/// The settings of an Argon2 hash: memory in KiB, passes, threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Costs {
    memory: i64,
    time: i64,
    threads: i64,
}

impl Costs {
    fn from_options(call: &mut Call<'_>, index: usize) -> Costs {
        Costs {
            memory: option(call, index, "memory_cost", DEFAULT_MEMORY),
            time: option(call, index, "time_cost", DEFAULT_TIME),
            threads: option(call, index, "threads", DEFAULT_THREADS),
        }
    }

    fn hash(self, algorithm: &str, plain: &[u8], salt: &[u8], length: usize) -> Option<Vec<u8>> {
        let (memory, time, threads) = (
            u32::try_from(self.memory).ok()?,
            u32::try_from(self.time).ok()?,
            u32::try_from(self.threads).ok()?,
        );
        let params = Params::new(memory, time, threads, Some(length)).ok()?;
        let algorithm = match algorithm {
            ARGON2I => Algorithm::Argon2i,
            _ => Algorithm::Argon2id,
        };
        let count = params.block_count();
        limits::reserve(count.saturating_mul(size_of::<Block>()));
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(count).ok()?;
        blocks.resize(count, Block::new());
        let (plain, salt) = (plain.to_vec(), salt.to_vec());
        apart(move || {
            let mut hash = vec![0; length];
            Argon2::new(algorithm, Version::V0x13, params)
                .hash_password_into_with_memory(&plain, &salt, &mut hash, blocks)
                .ok()?;
            Some(hash)
        })
    }
}

/// The hash that Argon2 gives: the algorithm by its PHP name, memory in KiB.
#[cfg(feature = "sodium")]
pub(crate) fn argon2_hash(
    algorithm: &str,
    (memory, time): (i64, i64),
    plain: &[u8],
    salt: &[u8],
    length: usize,
) -> Option<Vec<u8>> {
    let costs = Costs {
        memory,
        time,
        threads: 1,
    };
    costs.hash(algorithm, plain, salt, length)
}

/// True if a password has a hash that Argon2 gave.
#[cfg(feature = "sodium")]
pub(crate) fn argon2_verify(plain: &[u8], hash: &[u8]) -> bool {
    match know(hash) {
        Known::Argon2 {
            algorithm,
            costs,
            rest,
        } => verify_argon2(algorithm, costs, rest, plain),
        _ => false,
    }
}

/// Memory in KiB and passes of a hash, if it is one of Argon2id in its last version.
#[cfg(feature = "sodium")]
pub(crate) fn argon2_costs(hash: &[u8]) -> Option<(i64, i64)> {
    if !hash.starts_with(b"$argon2id$v=19$") {
        return None;
    }
    match know(hash) {
        Known::Argon2 {
            algorithm: ARGON2ID,
            costs,
            ..
        } => Some((costs.memory, costs.time)),
        _ => None,
    }
}

fn without_padding(bytes: &[u8]) -> Vec<u8> {
    let mut encoded = encode_base64(bytes);
    encoded.retain(|&byte| byte != b'=');
    encoded
}

fn hash_argon2(call: &mut Call<'_>, algorithm: &str) -> PhpResult<Value> {
    let costs = Costs::from_options(call, 2);
    let problem = if !(8..=i64::from(u32::MAX)).contains(&costs.memory) {
        Some("Memory cost is outside of allowed memory range")
    } else if !(1..=i64::from(u32::MAX)).contains(&costs.time) {
        Some("Time cost is outside of allowed time range")
    } else if !(1..=0xff_ffff).contains(&costs.threads) {
        Some("Invalid number of threads")
    } else {
        None
    };
    if let Some(problem) = problem {
        return Err(call.vm.throw_error(KnownClass::ValueError, problem));
    }
    let salt = random_bytes::<16>(call.vm)?;
    let Some(hash) = costs.hash(algorithm, call.bytes(0), &salt, 32) else {
        return Err(call
            .vm
            .throw_error(KnownClass::Error, "Password hashing failed"));
    };
    let mut result = format!(
        "${algorithm}$v=19$m={},t={},p={}$",
        costs.memory, costs.time, costs.threads
    )
    .into_bytes();
    result.extend(without_padding(&salt));
    result.push(b'$');
    result.extend(without_padding(&hash));
    text(call.vm, result)
}

/// A hash, taken apart as far as it says how it was made.
enum Known<'h> {
    Bcrypt {
        cost: i64,
    },
    Argon2 {
        algorithm: &'static str,
        costs: Costs,
        rest: &'h str,
    },
    Unknown,
}

fn know(hash: &[u8]) -> Known<'_> {
    let Ok(hash) = std::str::from_utf8(hash) else {
        return Known::Unknown;
    };
    if hash.len() == 60 && hash.starts_with("$2y$") {
        let cost = hash.get(4..6).and_then(|cost| cost.parse().ok());
        return Known::Bcrypt {
            cost: cost.unwrap_or(DEFAULT_COST),
        };
    }
    for algorithm in [ARGON2ID, ARGON2I] {
        let rest = hash
            .strip_prefix('$')
            .and_then(|rest| rest.strip_prefix(algorithm))
            .and_then(|rest| rest.strip_prefix('$'));
        let Some(rest) = rest else {
            continue;
        };
        let rest = rest
            .strip_prefix("v=")
            .and_then(|rest| rest.split_once('$'))
            .map_or(rest, |(_, rest)| rest);
        let (settings, rest) = rest.split_once('$').unwrap_or((rest, ""));
        let mut costs = Costs {
            memory: DEFAULT_MEMORY,
            time: DEFAULT_TIME,
            threads: DEFAULT_THREADS,
        };
        for setting in settings.split(',') {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            let Ok(value) = value.parse() else { continue };
            match name {
                "m" => costs.memory = value,
                "t" => costs.time = value,
                "p" => costs.threads = value,
                _ => {}
            }
        }
        return Known::Argon2 {
            algorithm,
            costs,
            rest,
        };
    }
    Known::Unknown
}

fn password_verify(call: &mut Call<'_>) -> PhpResult<Value> {
    let (plain, hash) = (call.bytes(0), call.bytes(1));
    let Known::Argon2 {
        algorithm,
        costs,
        rest,
    } = know(hash)
    else {
        let computed = crypt_with(plain, hash);
        let same = computed.is_some_and(|computed| is_same(&computed, hash));
        return Ok(same.into());
    };
    Ok(verify_argon2(algorithm, costs, rest, plain).into())
}

/// True if salt and digest, the rest of a hash, are those of a password.
fn verify_argon2(algorithm: &str, costs: Costs, rest: &str, plain: &[u8]) -> bool {
    let parts = rest.split_once('$').and_then(|(salt, digest)| {
        let decode = |part: &str| decode_base64(part.as_bytes(), false);
        Some((decode(salt)?, decode(digest)?))
    });
    let same = parts.and_then(|(salt, digest)| {
        let computed = costs.hash(algorithm, plain, &salt, digest.len())?;
        Some(is_same(&computed, &digest))
    });
    same.unwrap_or(false)
}

/// Compares in a time that does not tell where a difference is.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let difference = one
        .iter()
        .zip(other)
        .fold(0, |difference, (one, other)| difference | (one ^ other));
    one.len() == other.len() && std::hint::black_box(difference) == 0
}

fn password_get_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let (algorithm, name, options): (Option<&str>, &str, Vec<(&str, i64)>) =
        match know(call.bytes(0)) {
            Known::Bcrypt { cost } => (Some(BCRYPT), "bcrypt", vec![("cost", cost)]),
            Known::Argon2 {
                algorithm, costs, ..
            } => (
                Some(algorithm),
                algorithm,
                vec![
                    ("memory_cost", costs.memory),
                    ("time_cost", costs.time),
                    ("threads", costs.threads),
                ],
            ),
            Known::Unknown => (None, "unknown", Vec::new()),
        };
    let mut table = call.vm.new_array();
    for (name, value) in options {
        table
            .make_mut(call.vm)
            .set_bytes(name.as_bytes(), value.into());
    }
    let algorithm = algorithm.map_or(Value::NULL, |name| call.vm.string(name).into());
    let name = call.vm.string(name).into();
    let mut result = call.vm.new_array();
    let array = result.make_mut(call.vm);
    array.set_bytes(b"algo", algorithm);
    array.set_bytes(b"algoName", name);
    array.set_bytes(b"options", table.into());
    Ok(result.into())
}

fn password_needs_rehash(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(wanted) = algorithm(call, 1) else {
        // Nothing is to be hashed anew by what is not known.
        return Ok(false.into());
    };
    let needs = match know(call.bytes(0)) {
        Known::Bcrypt { cost } => wanted != BCRYPT || cost != option(call, 2, "cost", DEFAULT_COST),
        Known::Argon2 {
            algorithm, costs, ..
        } => wanted != algorithm || costs != Costs::from_options(call, 2),
        Known::Unknown => true,
    };
    Ok(needs.into())
}

fn password_algos(call: &mut Call<'_>) -> PhpResult<Value> {
    let names = [BCRYPT, ARGON2I, ARGON2ID].map(|name| Value::from(call.vm.string(name)));
    Ok(list(call.vm, names))
}
