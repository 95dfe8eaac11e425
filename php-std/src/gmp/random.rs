//! Random numbers: those of GMP's Mersenne Twister for a seed.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::number::{Number, reserve, watched};
use super::{argument, made};
use crate::random::Twister;
use crate::support::apart;

/// Bits of the generator's state that a seed is spread over.
const SEED_BITS: u64 = 19_937;
/// The power that spreads it.
const SPREAD: u32 = 1_074_888_996;
/// Numbers that are left out in the beginning: two blocks of the generator, and some.
const SKIPPED: usize = 2 * 624 + 128;
/// After so many numbers that are too large, one is made to fit.
const ATTEMPTS: usize = 80;

/// The generator, once it was used.
#[derive(Default)]
struct Generator(Option<Twister>);

fn seeded(seed: &BigUint) -> Option<Twister> {
    let limit = BigUint::one() << SEED_BITS;
    let seed = seed % (&limit - 20_027u32) + 2u32;
    let mut spread = seed.modpow(&SPREAD.into(), &(&limit - 20_023u32));
    let top = spread.bit(SEED_BITS - 1);
    spread.set_bit(SEED_BITS - 1, false);
    let mut state = vec![u32::from(top) << 31];
    state.extend(spread.iter_u32_digits());
    state.resize(624, 0);
    let mut twister = Twister::from_state(&state)?;
    for _ in 0..SKIPPED {
        twister.next();
    }
    Some(twister)
}

/// A random number of so many bits.
fn bits(call: &mut Call<'_>, count: u64) -> BigUint {
    if call.vm.extensions.state::<Generator>().0.is_none() {
        let mut bytes = [0; 8];
        // Without random numbers any seed will do.
        let _ = getrandom::fill(&mut bytes);
        let seed = BigUint::from(u64::from_le_bytes(bytes));
        let twister = seeded(&seed);
        call.vm.extensions.state::<Generator>().0 = twister;
    }
    let Some(twister) = &mut call.vm.extensions.state::<Generator>().0 else {
        return BigUint::zero();
    };
    let words = usize::try_from(count.div_ceil(32)).unwrap_or(0);
    let mut digits: Vec<u32> = (0..words).map(|_| twister.next()).collect();
    if let (Some(last), left @ 1..) = (digits.last_mut(), count % 32) {
        *last &= (1 << left) - 1;
    }
    BigUint::new(digits)
}

pub(super) fn random_seed(call: &mut Call<'_>) -> PhpResult<Value> {
    let seed = argument(call, 0)?;
    let twister = match seed.bits() {
        ..10_000 => seeded(seed.magnitude()),
        _ => apart(move || seeded(seed.magnitude())),
    };
    call.vm.extensions.state::<Generator>().0 = twister;
    Ok(Value::NULL)
}

pub(super) fn random_bits(call: &mut Call<'_>) -> PhpResult<Value> {
    let count = call.long(0);
    let limit = i64::from(i32::MAX);
    if !(1..=limit).contains(&count) {
        return Err(call.value_error(0, &format!("must be between 1 and {limit}")));
    }
    reserve(call.vm, count as u64)?;
    let number = bits(call, count as u64);
    made(call.vm, number)
}

pub(super) fn random_range(call: &mut Call<'_>) -> PhpResult<Value> {
    let minimum = argument(call, 0)?;
    let maximum = argument(call, 1)?;
    if minimum >= maximum {
        return Err(call.value_error(0, "must be less than argument #2 ($maximum)"));
    }
    let width = width(&minimum, &maximum);
    reserve(call.vm, width.bits())?;
    let count = (&width - 1u32).bits();
    let mut number = bits(call, count);
    for _ in 1..ATTEMPTS {
        if number < width {
            break;
        }
        number = bits(call, count);
    }
    if number >= width {
        number -= &width;
    }
    made(call.vm, &*minimum + BigInt::from(number))
}

/// How many numbers there are in a range.
fn width(minimum: &Number, maximum: &Number) -> BigUint {
    let bits = minimum.bits() + maximum.bits();
    let width: BigInt = watched(bits, [minimum, maximum], |[minimum, maximum]| {
        maximum - minimum + 1
    });
    width.into_parts().1
}
