//! Rounding to decimal places, and numbers with grouped thousands.

use vm_runtime::class::NativeClass;
use vm_runtime::function::Call;
use vm_runtime::operators::float_text::fixed;
use vm_runtime::value::{DOUBLE, LONG, StringHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Outcome, Plain, StringBuilder, direct, functions};

functions! {
    "ceil(int|float $num): float" => ceil | ceil_directly,
    "floor(int|float $num): float" => floor | floor_directly,
    "round(int|float $num, int $precision = 0, RoundingMode|int $mode = RoundingMode::HalfAwayFromZero): float" => round | round_directly,
    // It takes numbers, and says so in a TypeError, but declares `float`.
    "#[Unchecked(1, 2, 3, 4)] number_format(float $num, int $decimals = 0, ?string $decimal_separator = \".\", ?string $thousands_separator = \",\"): string" => number_format | number_format_directly,
}

/// `RoundingMode`
pub(super) static ROUNDING_MODE: NativeClass = NativeClass::new("enum RoundingMode").constants(&[
    "case HalfAwayFromZero",
    "case HalfTowardsZero",
    "case HalfEven",
    "case HalfOdd",
    "case TowardsZero",
    "case AwayFromZero",
    "case NegativeInfinity",
    "case PositiveInfinity",
]);

/// Which way `round` goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoundingMode {
    HalfAwayFromZero,
    HalfTowardsZero,
    HalfEven,
    HalfOdd,
    TowardsZero,
    AwayFromZero,
    NegativeInfinity,
    PositiveInfinity,
}

impl RoundingMode {
    /// The mode of a `PHP_ROUND_*` constant.
    fn from_constant(mode: i64) -> Option<RoundingMode> {
        Some(match mode {
            1 => RoundingMode::HalfAwayFromZero,
            2 => RoundingMode::HalfTowardsZero,
            3 => RoundingMode::HalfEven,
            4 => RoundingMode::HalfOdd,
            // These have no constants, but PHP takes the numbers that it has for them itself.
            5 => RoundingMode::PositiveInfinity,
            6 => RoundingMode::NegativeInfinity,
            7 => RoundingMode::TowardsZero,
            8 => RoundingMode::AwayFromZero,
            _ => return None,
        })
    }

    /// The mode of a case of the enum `RoundingMode`.
    fn from_case(name: &[u8]) -> Option<RoundingMode> {
        Some(match name {
            b"HalfAwayFromZero" => RoundingMode::HalfAwayFromZero,
            b"HalfTowardsZero" => RoundingMode::HalfTowardsZero,
            b"HalfEven" => RoundingMode::HalfEven,
            b"HalfOdd" => RoundingMode::HalfOdd,
            b"TowardsZero" => RoundingMode::TowardsZero,
            b"AwayFromZero" => RoundingMode::AwayFromZero,
            b"NegativeInfinity" => RoundingMode::NegativeInfinity,
            b"PositiveInfinity" => RoundingMode::PositiveInfinity,
            _ => return None,
        })
    }
}

/// An `int|float` argument as a `float`.
fn number(call: &Call<'_>) -> f64 {
    match call.argument(0).view() {
        ValueKind::Long(value) => value as f64,
        _ => call.double(0),
    }
}

direct! {
    fn ceil_directly(_; number: f64) { whole_above(number) }

    fn floor_directly(_; number: f64) { whole_below(number) }
}

fn round_directly(_: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (number, places) = match arguments {
        [number] => (number, Some(0)),
        [number, places] => (number, i64::of(places)),
        _ => return false,
    };
    match (f64::of(number), places) {
        (Some(whole), Some(0..)) if number.kind() == LONG => whole.store(result),
        (Some(number), Some(places)) if places >= 0 => {
            round_to(number, places, RoundingMode::HalfAwayFromZero).store(result)
        }
        _ => false,
    }
}

/// From here on there are no fractions.
const FRACTIONLESS: f64 = (1i64 << 52) as f64;

/// `floor()`, which is a call of the C library on processors that are not known to round.
#[inline]
fn whole_below(value: f64) -> f64 {
    if value.is_nan() || value.abs() >= FRACTIONLESS {
        return value;
    }
    let whole = (value as i64 as f64).copysign(value);
    if whole > value { whole - 1.0 } else { whole }
}

/// `ceil()`, as [`whole_below`].
#[inline]
fn whole_above(value: f64) -> f64 {
    -whole_below(-value)
}

fn ceil(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(whole_above(number(call)).into())
}

fn floor(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(whole_below(number(call)).into())
}

fn round(call: &mut Call<'_>) -> PhpResult<Value> {
    let places = call.long(1);
    let mode = match call.argument(2).view() {
        ValueKind::Long(mode) => RoundingMode::from_constant(mode),
        ValueKind::Object(case) => {
            // SAFETY: I4: an enum case's first slot is its name.
            unsafe { (*case.slot(0)).as_bytes() }.and_then(RoundingMode::from_case)
        }
        _ if !call.has(2) => Some(RoundingMode::HalfAwayFromZero),
        _ => None,
    };
    let Some(mode) = mode else {
        return Err(call.value_error(2, "must be a valid rounding mode (RoundingMode::*)"));
    };
    if places >= 0 && matches!(call.argument(0).view(), ValueKind::Long(_)) {
        return Ok(number(call).into());
    }
    Ok(round_to(number(call), places, mode).into())
}

/// Powers of ten that a `float` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

fn power_of_ten(exponent: u64) -> f64 {
    POWERS
        .get(exponent as usize)
        .copied()
        .unwrap_or_else(|| 10f64.powf(exponent as f64))
}

/// Rounds to `places` decimal places (to tens, hundreds, ... if negative).
#[inline]
pub(crate) fn round_to(value: f64, places: i64, mode: RoundingMode) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    let power = power_of_ten(places.unsigned_abs());
    let scaled = if places >= 0 {
        value * power
    } else {
        value / power
    };
    // A number this large has no digits left to round.
    if !scaled.is_finite() || scaled.abs() >= 1e16 {
        return value;
    }
    // A scaled value is inexact; whether the original lies beyond a bound is decided by scaling
    // the bound back, which gives the `float` that a reader of the digits means.
    let unscale = |bound: f64| {
        if places > 0 {
            bound / power
        } else {
            bound * power
        }
    };
    let rounded = round_scaled(scaled, value, mode, unscale);
    if places.unsigned_abs() < 23 {
        return unscale(rounded);
    }
    // Adding zero takes the sign off a zero.
    let text = format!("{:.6}e{}", rounded + 0.0, -i128::from(places));
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .unwrap_or(value)
}

#[inline(always)]
fn round_scaled(scaled: f64, value: f64, mode: RoundingMode, unscale: impl Fn(f64) -> f64) -> f64 {
    // Below 10^16 in magnitude, so that it fits an integer; the sign of zero is kept.
    let mut whole = (scaled as i64 as f64).copysign(scaled);
    let halves = matches!(
        mode,
        RoundingMode::HalfAwayFromZero
            | RoundingMode::HalfTowardsZero
            | RoundingMode::HalfEven
            | RoundingMode::HalfOdd
    );
    // Scaling there and back is off by less than this: elsewhere the fraction decides.
    let doubt = scaled.abs() * (2.0 * f64::EPSILON);
    let fraction = scaled.abs() - whole.abs();
    if halves && (fraction - 0.5).abs() > doubt && fraction + doubt < 1.0 {
        return whole + f64::from(u8::from(fraction > 0.5)).copysign(value);
    }
    let magnitude = value.abs();
    if magnitude >= unscale(whole.abs() + 1.0) {
        whole += 1f64.copysign(value);
    }
    // Without a branch, for nobody can foresee it. Adding zero of the same sign changes nothing.
    let away = |up: bool| whole + f64::from(u8::from(up)).copysign(value);
    let half = unscale(whole.abs() + 0.5);
    match mode {
        RoundingMode::HalfAwayFromZero => away(magnitude >= half),
        RoundingMode::HalfTowardsZero => away(magnitude > half),
        RoundingMode::HalfEven => away(magnitude > half || magnitude == half && whole % 2.0 != 0.0),
        RoundingMode::HalfOdd => away(magnitude > half || magnitude == half && whole % 2.0 == 0.0),
        RoundingMode::TowardsZero => whole,
        RoundingMode::AwayFromZero => away(magnitude > unscale(whole.abs())),
        RoundingMode::PositiveInfinity => away(value > 0.0 && value > unscale(whole)),
        RoundingMode::NegativeInfinity => away(value < 0.0 && value < unscale(whole)),
    }
}

fn number_format(call: &mut Call<'_>) -> PhpResult<Value> {
    call.undeclared_number(0)?;
    call.check_from(1)?;
    let decimals = call.long(1).clamp(i32::MIN as i64, i32::MAX as i64);
    let point = call.optional_bytes(2).unwrap_or(b".");
    let separator = call.optional_bytes(3).unwrap_or(b",");
    let formatted = match call.argument(0).view() {
        ValueKind::Long(value) => format_integer(value, decimals, point, separator),
        _ => format_number(call.double(0), decimals, point, separator),
    };
    Ok(text(call.vm, formatted))
}

fn number_format_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (number, decimals) = match arguments {
        [number] => (number, Some(0)),
        [number, decimals] => (number, i64::of(decimals)),
        _ => return false,
    };
    let Some(decimals @ 0..=MAXIMUM_DECIMALS) = decimals else {
        return false;
    };
    let formatted = match number.kind() {
        LONG if decimals == 0 => return grouped(vm, number.long()).store(result),
        LONG => format_integer(number.long(), decimals, b".", b","),
        DOUBLE => format_number(number.double(), decimals, b".", b","),
        _ => return false,
    };
    text(vm, formatted).store(result)
}

fn text(vm: &mut Vm, (formatted, zeros): (Vec<u8>, usize)) -> Value {
    let mut builder = StringBuilder::new(vm, formatted.len() + zeros);
    builder.push(&formatted);
    builder.fill(b'0', zeros);
    builder.into_value(vm)
}

/// An integer with commas between its thousands.
fn grouped(vm: &mut Vm, value: i64) -> StringHandle {
    // 19 digits, 6 commas and a sign.
    let mut buffer = [0; 26];
    let mut start = buffer.len();
    let mut put = |byte| {
        start -= 1;
        buffer[start] = byte;
    };
    let mut rest = value.unsigned_abs();
    for digits in 1.. {
        put(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
        if digits % 3 == 0 {
            put(b',');
        }
    }
    if value < 0 {
        put(b'-');
    }
    vm.string(&buffer[start..])
}

/// More digits behind the point are never computed.
const MAXIMUM_DECIMALS: i64 = 500;

/// From here on a `float` has no digits behind the point.
const WHOLE: f64 = 4503599627370496.0;

/// `number_format` of an `int`: the text, and how many zeros follow it.
fn format_integer(value: i64, decimals: i64, point: &[u8], separator: &[u8]) -> (Vec<u8>, usize) {
    let mut magnitude = value.unsigned_abs() as u128;
    if decimals < 0 {
        let power = 10u128.pow(decimals.unsigned_abs().min(20) as u32);
        magnitude = (magnitude + power / 2) / power * power;
    }
    let negative = value < 0 && magnitude != 0;
    group(
        &magnitude.to_string(),
        "",
        negative,
        decimals,
        point,
        separator,
    )
}

/// `number_format` of a `float`, as [`format_integer`].
fn format_number(value: f64, decimals: i64, point: &[u8], separator: &[u8]) -> (Vec<u8>, usize) {
    if value.abs() >= WHOLE && value.abs() < i64::MAX as f64 {
        return format_integer(value as i64, decimals, point, separator);
    }
    let value = round_to(value, decimals, RoundingMode::HalfAwayFromZero);
    if !value.is_finite() {
        // What has no digits has no sign either.
        let name = if value.is_nan() { "nan" } else { "inf" };
        return (name.into(), 0);
    }
    let digits = fixed(value.abs(), decimals.clamp(0, MAXIMUM_DECIMALS) as usize);
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    group(whole, fraction, value < 0.0, decimals, point, separator)
}

/// Digits with separators between thousands.
fn group(
    whole: &str,
    fraction: &str,
    negative: bool,
    decimals: i64,
    point: &[u8],
    separator: &[u8],
) -> (Vec<u8>, usize) {
    let mut result = Vec::with_capacity(whole.len() * 2 + fraction.len());
    if negative {
        result.push(b'-');
    }
    for (index, digit) in whole.bytes().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            result.extend_from_slice(separator);
        }
        result.push(digit);
    }
    if decimals > 0 {
        result.extend_from_slice(point);
        result.extend_from_slice(fraction.as_bytes());
    }
    let zeros = (decimals.max(0) as usize).saturating_sub(fraction.len());
    (result, zeros)
}
