//! The extension `bcmath`: decimal numbers of any length, as text.

mod number;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use vm_runtime::exceptions::{KnownClass, slot};
use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, access, parse_long};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use self::number::{Decimal, Rounding};
use crate::support::{functions, list, text};

functions! {
    "bcadd(string $num1, string $num2, ?int $scale = null): string" => bcadd,
    "bcsub(string $num1, string $num2, ?int $scale = null): string" => bcsub,
    "bcmul(string $num1, string $num2, ?int $scale = null): string" => bcmul,
    "bcdiv(string $num1, string $num2, ?int $scale = null): string" => bcdiv,
    "bcmod(string $num1, string $num2, ?int $scale = null): string" => bcmod,
    "bcdivmod(string $num1, string $num2, ?int $scale = null): array" => bcdivmod,
    "bcpowmod(string $num, string $exponent, string $modulus, ?int $scale = null): string" => bcpowmod,
    "bcpow(string $num, string $exponent, ?int $scale = null): string" => bcpow,
    "bcsqrt(string $num, ?int $scale = null): string" => bcsqrt,
    "bccomp(string $num1, string $num2, ?int $scale = null): int" => bccomp,
    "bcscale(?int $scale = null): int" => bcscale,
    "bcfloor(string $num): string" => bcfloor,
    "bcceil(string $num): string" => bcceil,
    "bcround(string $num, int $precision = 0, RoundingMode $mode = RoundingMode::HalfAwayFromZero): string" => bcround,
}

/// The largest scale.
const LARGEST: i64 = i32::MAX as i64;

static SETTINGS: &[IniDefinition] = &[IniDefinition {
    name: "bcmath.scale",
    default: Some("0"),
    access: access::ALL,
    on_change: Some(|_, value| (0..=LARGEST).contains(&parse_long(value.unwrap_or_default()))),
}];

/// Registers the extension.
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_functions(FUNCTIONS);
}

/// The scale in an argument, or the one that is set.
fn scale(call: &mut Call<'_>, index: usize) -> PhpResult<usize> {
    match call.optional_long(index) {
        None => Ok(call.vm.ini.long("bcmath.scale").max(0) as usize),
        Some(scale) if (0..=LARGEST).contains(&scale) => Ok(scale as usize),
        Some(_) => Err(call.value_error(index, &format!("must be between 0 and {LARGEST}"))),
    }
}

/// The number in an argument.
fn decimal(call: &mut Call<'_>, index: usize) -> PhpResult<Decimal> {
    match Decimal::parse(call.bytes(index)) {
        Some(number) => Ok(number),
        None => Err(call.value_error(index, "is not well-formed")),
    }
}

/// Two numbers and the scale of the result.
fn operands(call: &mut Call<'_>) -> PhpResult<(Decimal, Decimal, usize)> {
    let scale = scale(call, 2)?;
    Ok((decimal(call, 0)?, decimal(call, 1)?, scale))
}

fn shown(call: &mut Call<'_>, number: &Decimal, scale: usize) -> PhpResult<Value> {
    text(call.vm, number.text(scale))
}

/// The error of a division by zero.
fn by_zero(call: &mut Call<'_>, message: &str) -> vm_runtime::vm::Thrown {
    call.vm
        .throw_error(KnownClass::DivisionByZeroError, message)
}

fn bcadd(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two, scale) = operands(call)?;
    shown(call, &one.add(&two), scale)
}

fn bcsub(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two, scale) = operands(call)?;
    shown(call, &one.subtract(&two), scale)
}

fn bcmul(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two, scale) = operands(call)?;
    shown(call, &one.multiply(&two), scale)
}

fn bcdiv(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two, scale) = operands(call)?;
    if two.is_zero() {
        return Err(by_zero(call, "Division by zero"));
    }
    shown(call, &one.divide(&two, scale), scale)
}

fn bcmod(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two, scale) = operands(call)?;
    if two.is_zero() {
        return Err(by_zero(call, "Modulo by zero"));
    }
    shown(call, &one.divide_with_rest(&two).1, scale)
}

fn bcdivmod(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two, scale) = operands(call)?;
    if two.is_zero() {
        return Err(by_zero(call, "Division by zero"));
    }
    let (quotient, rest) = one.divide_with_rest(&two);
    let quotient = shown(call, &quotient, 0)?;
    let rest = shown(call, &rest, scale)?;
    Ok(list(call.vm, [quotient, rest]))
}

fn bcpowmod(call: &mut Call<'_>) -> PhpResult<Value> {
    let scale = scale(call, 3)?;
    let (base, exponent, modulus) = (decimal(call, 0)?, decimal(call, 1)?, decimal(call, 2)?);
    if !base.is_integer() {
        return Err(call.value_error(0, "cannot have a fractional part"));
    }
    if !exponent.is_integer() {
        return Err(call.value_error(1, "cannot have a fractional part"));
    }
    if exponent.is_negative() {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    if !modulus.is_integer() {
        return Err(call.value_error(2, "cannot have a fractional part"));
    }
    if modulus.is_zero() {
        return Err(by_zero(call, "Modulo by zero"));
    }
    let modulus = modulus.whole().abs();
    let base = base.whole();
    let mut result = base.abs().modpow(&exponent.whole(), &modulus);
    if modulus.is_one() {
        result = BigInt::zero();
    }
    // The sign is that of the power.
    if base.is_negative() && exponent.whole().bit(0) {
        result = -result;
    }
    shown(
        call,
        &Decimal {
            digits: result,
            scale: 0,
        },
        scale,
    )
}

fn bcpow(call: &mut Call<'_>) -> PhpResult<Value> {
    let (base, exponent, scale) = operands(call)?;
    if !exponent.is_integer() {
        return Err(call.value_error(1, "cannot have a fractional part"));
    }
    let Some(exponent) = exponent
        .whole()
        .to_i64()
        .filter(|exponent| exponent.unsigned_abs() <= u64::from(u32::MAX))
    else {
        return Err(call.value_error(1, "is too large"));
    };
    if base.is_zero() && exponent < 0 {
        return Err(by_zero(call, "Negative power of zero"));
    }
    let size = base.digits.bits().saturating_mul(exponent.unsigned_abs()) / 8;
    call.vm.heap.check_limit(size as usize, size as usize);
    let power = base.power(exponent.unsigned_abs() as u32);
    if exponent >= 0 {
        return shown(call, &power, scale);
    }
    let one = Decimal {
        digits: BigInt::one(),
        scale: 0,
    };
    shown(call, &one.divide(&power, scale), scale)
}

fn bcsqrt(call: &mut Call<'_>) -> PhpResult<Value> {
    let scale = scale(call, 1)?;
    let number = decimal(call, 0)?;
    if number.is_negative() {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    }
    shown(call, &number.square_root(scale), scale)
}

fn bccomp(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two, scale) = operands(call)?;
    let order = one
        .with_scale(scale.min(one.scale))
        .compare(&two.with_scale(scale.min(two.scale)));
    Ok((order as i64).into())
}

fn bcscale(call: &mut Call<'_>) -> PhpResult<Value> {
    let old = call.vm.ini.long("bcmath.scale");
    if call.has(0) {
        let new = scale(call, 0)?;
        // The value was checked.
        let _ = call.vm.ini_set("bcmath.scale", new.to_string().as_bytes());
    }
    Ok(old.into())
}

fn bcfloor(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = decimal(call, 0)?;
    shown(call, &number.round(0, Rounding::NegativeInfinity), 0)
}

fn bcceil(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = decimal(call, 0)?;
    shown(call, &number.round(0, Rounding::PositiveInfinity), 0)
}

fn bcround(call: &mut Call<'_>) -> PhpResult<Value> {
    let mode = call.has(2).then(|| call.object(2));
    let name = mode.as_ref().and_then(|mode| slot(mode, 0).as_bytes());
    let rounding = match name.unwrap_or_default() {
        b"HalfTowardsZero" => Rounding::HalfTowardsZero,
        b"HalfEven" => Rounding::HalfEven,
        b"HalfOdd" => Rounding::HalfOdd,
        b"TowardsZero" => Rounding::TowardsZero,
        b"AwayFromZero" => Rounding::AwayFromZero,
        b"NegativeInfinity" => Rounding::NegativeInfinity,
        b"PositiveInfinity" => Rounding::PositiveInfinity,
        _ => Rounding::HalfAwayFromZero,
    };
    let number = decimal(call, 0)?;
    let places = call.long(1);
    // So far left of the point, nothing remains.
    let places = places.max(-(number.digits.bits() as i64) - 2);
    let rounded = number.round(places, rounding);
    let scale = rounded.scale;
    shown(call, &rounded, scale)
}
