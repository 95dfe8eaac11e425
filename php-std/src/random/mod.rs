//! The extension `random`: random numbers, seeded and secure.

mod classes;
mod engine_classes;
mod engines;
mod floats;
mod generator;
mod randomizer;
mod twister;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::support::{Outcome, Plain, define, direct, functions};
pub(crate) use twister::Twister;

functions! {
    "mt_srand(?int $seed = null, int $mode = MT_RAND_MT19937): void" => mt_srand,
    "srand(?int $seed = null, int $mode = MT_RAND_MT19937): void" => mt_srand,
    "#[Unchecked(1, 2)] mt_rand(int $min = UNKNOWN, int $max = UNKNOWN): int" => mt_rand | mt_rand_directly,
    "#[Unchecked(1, 2)] rand(int $min = UNKNOWN, int $max = UNKNOWN): int" => rand | rand_directly,
    "mt_getrandmax(): int" => mt_getrandmax,
    "getrandmax(): int" => mt_getrandmax,
    "random_int(int $min, int $max): int" => random_int,
    "random_bytes(int $length): string" => random_bytes,
    "#[Deprecated(\"8.4\", \"use \\Random\\Randomizer::getFloat() instead\")] lcg_value(): float" => lcg_value,
}

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(classes::CLASSES);
    vm.register_classes(engine_classes::CLASSES);
    vm.register_classes(randomizer::CLASSES);
    define(vm, &[("MT_RAND_MT19937", 0i64), ("MT_RAND_PHP", 1)]);
    vm.deprecated_constants.push("MT_RAND_PHP");
}

/// The generators of a VM; each seeds itself when it is first used.
#[derive(Debug, Default)]
struct Generators {
    twister: Option<Twister>,
    congruential: Option<[i32; 2]>,
}

/// How many bytes the system makes between two looks at the limits.
const AT_ONCE: usize = 64 * 1024;

/// Fills `target` with bytes that nobody can predict.
pub(crate) fn fill_secure(mut target: &mut [u8]) -> std::io::Result<()> {
    while !target.is_empty() {
        if target.len() > AT_ONCE {
            vm_runtime::limits::poll();
        }
        let length = target.len().min(AT_ONCE);
        // SAFETY: the pointer is that of a slice that is at least so long.
        let filled = unsafe { libc::getrandom(target.as_mut_ptr().cast(), length, 0) };
        if filled < 0 {
            let error = std::io::Error::last_os_error();
            if error.kind() != std::io::ErrorKind::Interrupted {
                return Err(error);
            }
        } else {
            target = &mut target[filled as usize..];
        }
    }
    Ok(())
}

/// A seed; of the clock if the system gives no random bytes.
fn random_seed() -> u32 {
    let mut bytes = [0; 4];
    match fill_secure(&mut bytes) {
        Ok(()) => u32::from_ne_bytes(bytes),
        Err(_) => std::time::Instant::now().elapsed().subsec_nanos() ^ std::process::id(),
    }
}

/// The VM's seeded generator.
pub(crate) fn twister(vm: &mut Vm) -> &mut Twister {
    let generators = vm.extensions.state::<Generators>();
    generators
        .twister
        .get_or_insert_with(|| Twister::new(random_seed(), false))
}

/// A number between two bounds, inclusive, from the seeded generator.
pub(crate) fn range(vm: &mut Vm, minimum: i64, maximum: i64) -> i64 {
    twister(vm).range(minimum, maximum)
}

/// A number between 0 and 1 from two linear congruential generators.
pub(crate) fn combined_lcg(vm: &mut Vm) -> f64 {
    let generators = vm.extensions.state::<Generators>();
    let [first, second] = generators.congruential.get_or_insert_with(|| {
        [
            random_seed() as i32 & 0x3fff_ffff | 1,
            random_seed() as i32 & 0x3fff_ffff | 1,
        ]
    });
    // L'Ecuyer's generators: `a * state % m` without overflow, by Schrage's decomposition.
    let step = |state: &mut i32, q: i32, a: i32, r: i32, m: i32| {
        let quotient = *state / q;
        *state = a * (*state - q * quotient) - r * quotient;
        if *state < 0 {
            *state += m;
        }
    };
    step(first, 53_668, 40_014, 12_211, 2_147_483_563);
    step(second, 52_774, 40_692, 3_791, 2_147_483_399);
    let mut difference = first.wrapping_sub(*second);
    if difference < 1 {
        difference += 2_147_483_562;
    }
    difference as f64 * 4.656_613e-10
}

fn mt_srand(call: &mut Call<'_>) -> PhpResult<Value> {
    let seed = call
        .optional_long(0)
        .map_or_else(random_seed, |seed| seed as u32);
    let legacy = call.long(1) == 1;
    if legacy {
        call.vm
            .deprecated("The MT_RAND_PHP variant of Mt19937 is deprecated");
        call.vm.check()?;
    }
    let generators = call.vm.extensions.state::<Generators>();
    generators.twister = Some(Twister::new(seed, legacy));
    Ok(Value::NULL)
}

/// Both bounds, or neither.
fn bounds(call: &mut Call<'_>) -> PhpResult<Option<(i64, i64)>> {
    match call.count() {
        0 => Ok(None),
        1 => {
            let name = call.function().display_name();
            let message = format!("{name}() expects exactly 2 arguments, 1 given");
            Err(call.vm.throw_error(KnownClass::ArgumentCountError, message))
        }
        _ => {
            call.check_from(0)?;
            Ok(Some((call.long(0), call.long(1))))
        }
    }
}

fn mt_rand(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some((minimum, maximum)) = bounds(call)? else {
        return Ok(((twister(call.vm).next() >> 1) as i64).into());
    };
    if maximum < minimum {
        return Err(call.value_error(1, "must be greater than or equal to argument #1 ($min)"));
    }
    Ok(twister(call.vm).scaled(minimum, maximum).into())
}

fn mt_rand_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [minimum, maximum] = arguments else {
        return false;
    };
    match (i64::of(minimum), i64::of(maximum)) {
        (Some(minimum), Some(maximum)) if minimum <= maximum => {
            twister(vm).scaled(minimum, maximum).store(result)
        }
        _ => false,
    }
}

direct! {
    fn rand_directly(vm; first: i64, second: i64) { legacy_number(vm, first, second) }
}

/// A number between two bounds in any order.
fn legacy_number(vm: &mut Vm, first: i64, second: i64) -> i64 {
    twister(vm).scaled(first.min(second), first.max(second))
}

fn rand(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some((first, second)) = bounds(call)? else {
        return Ok(((twister(call.vm).next() >> 1) as i64).into());
    };
    Ok(legacy_number(call.vm, first, second).into())
}

fn mt_getrandmax(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((i32::MAX as i64).into())
}

fn no_randomness(vm: &mut Vm) -> Thrown {
    vm.throw_error(
        KnownClass::Exception,
        "Could not gather sufficient random data",
    )
}

fn random_int(call: &mut Call<'_>) -> PhpResult<Value> {
    let (minimum, maximum) = (call.long(0), call.long(1));
    if minimum > maximum {
        return Err(call.value_error(0, "must be less than or equal to argument #2 ($max)"));
    }
    let span = maximum.wrapping_sub(minimum) as u64;
    // Numbers over a whole multiple of the span are thrown away: all are equally likely.
    let limit = match span.checked_add(1) {
        Some(count) => u64::MAX - (u64::MAX % count + 1) % count,
        None => u64::MAX,
    };
    loop {
        let mut bytes = [0; 8];
        if fill_secure(&mut bytes).is_err() {
            return Err(no_randomness(call.vm));
        }
        let number = u64::from_ne_bytes(bytes);
        if number <= limit {
            let offset = span.checked_add(1).map_or(number, |count| number % count);
            return Ok(minimum.wrapping_add(offset as i64).into());
        }
    }
}

fn random_bytes(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(length) = usize::try_from(call.long(0))
        .ok()
        .filter(|&length| length > 0)
    else {
        return Err(call.value_error(0, "must be greater than 0"));
    };
    let mut builder = crate::support::StringBuilder::new(call.vm, length);
    builder.fill(0, length);
    if fill_secure(builder.as_mut_bytes()).is_err() {
        return Err(no_randomness(call.vm));
    }
    Ok(builder.into_value(call.vm))
}

fn lcg_value(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(combined_lcg(call.vm).into())
}
