//! The extension `bcmath`: decimal numbers of any length, as text.

mod limbs;
mod number;
mod object;
mod short;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use vm_runtime::exceptions::{KnownClass, slot};
use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, access, parse_long};
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use self::limbs::Limbs;
use self::number::{Decimal, Rounding};
use crate::support::{Outcome, Plain, StringBuilder, functions, list, text};

functions! {
    "bcadd(string $num1, string $num2, ?int $scale = null): string" => bcadd | bcadd_directly,
    "bcsub(string $num1, string $num2, ?int $scale = null): string" => bcsub | bcsub_directly,
    "bcmul(string $num1, string $num2, ?int $scale = null): string" => bcmul | bcmul_directly,
    "bcdiv(string $num1, string $num2, ?int $scale = null): string" => bcdiv | bcdiv_directly,
    "bcmod(string $num1, string $num2, ?int $scale = null): string" => bcmod | bcmod_directly,
    "bcdivmod(string $num1, string $num2, ?int $scale = null): array" => bcdivmod,
    "bcpowmod(string $num, string $exponent, string $modulus, ?int $scale = null): string" => bcpowmod,
    "bcpow(string $num, string $exponent, ?int $scale = null): string" => bcpow | bcpow_directly,
    "bcsqrt(string $num, ?int $scale = null): string" => bcsqrt,
    "bccomp(string $num1, string $num2, ?int $scale = null): int" => bccomp | bccomp_directly,
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
    on_change: Some(|vm, value| {
        let scale = parse_long(value.unwrap_or_default());
        let is_scale = (0..=LARGEST).contains(&scale);
        if is_scale {
            vm.extensions.state::<State>().scale = scale as usize;
        }
        is_scale
    }),
}];

/// What the extension keeps in a VM.
#[derive(Default)]
struct State {
    /// The setting `bcmath.scale`.
    scale: usize,
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_functions(FUNCTIONS);
    vm.register_classes(object::CLASSES);
}

/// The scale in an argument, or the one that is set.
fn scale(call: &mut Call<'_>, index: usize) -> PhpResult<usize> {
    match call.optional_long(index) {
        None => Ok(call.vm.extensions.state::<State>().scale),
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
    reserve(call.vm, scale);
    Ok((decimal(call, 0)?, decimal(call, 1)?, scale))
}

fn shown(call: &mut Call<'_>, number: &Decimal, scale: usize) -> PhpResult<Value> {
    text(call.vm, number.text(scale))
}

/// What an operation on short numbers gives, as text. None if the numbers are not short, or none.
fn calculated(
    call: &mut Call<'_>,
    operation: fn(&[u8], &[u8]) -> Option<Limbs>,
) -> PhpResult<Option<Value>> {
    let scale = scale(call, 2)?;
    let result = operation(call.bytes(0), call.bytes(1));
    Ok(result.map(|result| written(call.vm, &result, scale)))
}

/// A short number as a value.
fn written(vm: &mut Vm, number: &Limbs, scale: usize) -> Value {
    reserve(vm, scale);
    number.write(scale, |parts, zeros| {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        let mut builder = StringBuilder::exact(vm, length + zeros);
        builder.push_all(parts);
        builder.fill(b'0', zeros);
        builder.into_value(vm)
    })
}

/// Two texts and the scale, if it is one, of a direct call.
fn texts_and_scale<'a>(vm: &mut Vm, arguments: &'a [Zval]) -> Option<(&'a [u8], &'a [u8], usize)> {
    let ([one, two], rest) = arguments.split_first_chunk()?;
    let scale = match rest {
        [] => vm.extensions.state::<State>().scale,
        [scale] => i64::of(scale).filter(|scale| (0..=LARGEST).contains(scale))? as usize,
        _ => return None,
    };
    Some((<&[u8]>::of(one)?, <&[u8]>::of(two)?, scale))
}

/// Direct entries of operations on short numbers.
macro_rules! calculated_directly {
    ($($name:ident => $operation:path,)*) => {$(
        fn $name(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
            let Some((one, two, scale)) = texts_and_scale(vm, arguments) else {
                return false;
            };
            $operation(one, two)
                .map(|number| written(vm, &number, scale))
                .store(result)
        }
    )*};
}
calculated_directly! {
    bcadd_directly => limbs::add,
    bcsub_directly => limbs::subtract,
    bcmul_directly => limbs::multiply,
}

/// Direct entries of operations on numbers that are shorter still.
macro_rules! shown_directly {
    ($($name:ident => $operation:path,)*) => {$(
        fn $name(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
            let Some((one, two, scale)) = texts_and_scale(vm, arguments) else {
                return false;
            };
            let shown = $operation(one, two, scale);
            shown.map(|text| vm.string(text)).store(result)
        }
    )*};
}
shown_directly! {
    bcdiv_directly => short::divide,
    bcmod_directly => short::remainder,
    bcpow_directly => short::power,
}

fn bccomp_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let Some((one, two, scale)) = texts_and_scale(vm, arguments) else {
        return false;
    };
    limbs::compare(one, two, scale).store(result)
}

/// The error of a division by zero.
fn by_zero(call: &mut Call<'_>, message: &str) -> vm_runtime::vm::Thrown {
    call.vm
        .throw_error(KnownClass::DivisionByZeroError, message)
}

fn bcadd(call: &mut Call<'_>) -> PhpResult<Value> {
    if let Some(result) = calculated(call, limbs::add)? {
        return Ok(result);
    }
    let (one, two, scale) = operands(call)?;
    shown(call, &one.add(&two), scale)
}

fn bcsub(call: &mut Call<'_>) -> PhpResult<Value> {
    if let Some(result) = calculated(call, limbs::subtract)? {
        return Ok(result);
    }
    let (one, two, scale) = operands(call)?;
    shown(call, &one.subtract(&two), scale)
}

fn bcmul(call: &mut Call<'_>) -> PhpResult<Value> {
    if let Some(result) = calculated(call, limbs::multiply)? {
        return Ok(result);
    }
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
    let result = power_modulo(call, &base, (1, &exponent), (2, &modulus))?;
    reserve(call.vm, scale);
    shown(call, &result, scale)
}

/// A whole power, modulo; exponent and modulus come with the index of their argument.
fn power_modulo(
    call: &mut Call<'_>,
    base: &Decimal,
    (exponent_index, exponent): (usize, &Decimal),
    (modulus_index, modulus): (usize, &Decimal),
) -> PhpResult<Decimal> {
    if !exponent.is_integer() {
        return Err(call.value_error(exponent_index, "cannot have a fractional part"));
    }
    if exponent.is_negative() {
        return Err(call.value_error(exponent_index, "must be greater than or equal to 0"));
    }
    if !modulus.is_integer() {
        return Err(call.value_error(modulus_index, "cannot have a fractional part"));
    }
    if modulus.is_zero() {
        return Err(by_zero(call, "Modulo by zero"));
    }
    Ok(Decimal {
        digits: object::modular_power(&base.whole(), &exponent.whole(), &modulus.whole()),
        scale: 0,
    })
}

/// Ends the script if so many digits are more than its memory holds.
fn reserve(vm: &mut Vm, digits: usize) {
    // Next to the text there are numbers to calculate with.
    let size = digits.saturating_mul(2);
    if size > 1 << 16 {
        vm.heap.check_limit(size, size);
    }
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
    reserve(call.vm, scale.saturating_mul(2));
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
    let number = decimal(call, 0)?;
    let places = check_precision(call, 1, &number)?;
    let rounding = rounding(call, 2);
    let rounded = number.round(places, rounding);
    let scale = rounded.scale;
    shown(call, &rounded, scale)
}

/// How many places a number is rounded to.
fn check_precision(call: &mut Call<'_>, index: usize, number: &Decimal) -> PhpResult<i64> {
    let places = call.long(index);
    if places > LARGEST {
        let problem = format!("must be between {} and {LARGEST}", i64::MIN);
        return Err(call.value_error(index, &problem));
    }
    reserve(call.vm, places.max(0) as usize);
    // So far left of the point, nothing remains.
    Ok(places.max(-(number.digits.bits() as i64) - 2))
}

/// The way of rounding in an argument.
fn rounding(call: &Call<'_>, index: usize) -> Rounding {
    let mode = call.has(index).then(|| call.object(index));
    let name = mode.as_ref().and_then(|mode| slot(mode, 0).as_bytes());
    match name.unwrap_or_default() {
        b"HalfTowardsZero" => Rounding::HalfTowardsZero,
        b"HalfEven" => Rounding::HalfEven,
        b"HalfOdd" => Rounding::HalfOdd,
        b"TowardsZero" => Rounding::TowardsZero,
        b"AwayFromZero" => Rounding::AwayFromZero,
        b"NegativeInfinity" => Rounding::NegativeInfinity,
        b"PositiveInfinity" => Rounding::PositiveInfinity,
        _ => Rounding::HalfAwayFromZero,
    }
}
