//! Elementary functions.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators;
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::PhpResult;

use crate::support::{direct, functions};

functions! {
    "abs(int|float $num): int|float" => abs | abs_directly,
    "sqrt(float $num): float" => sqrt | directly::sqrt,
    "exp(float $num): float" => exp | directly::exp,
    "expm1(float $num): float" => expm1 | directly::expm1,
    "log(float $num, float $base = M_E): float" => log | log_directly,
    "log10(float $num): float" => log10 | directly::log10,
    "log1p(float $num): float" => log1p | directly::log1p,
    "sin(float $num): float" => sin | directly::sin,
    "cos(float $num): float" => cos | directly::cos,
    "tan(float $num): float" => tan | directly::tan,
    "asin(float $num): float" => asin | directly::asin,
    "acos(float $num): float" => acos | directly::acos,
    "atan(float $num): float" => atan | directly::atan,
    "atan2(float $y, float $x): float" => atan2 | atan2_directly,
    "sinh(float $num): float" => sinh | directly::sinh,
    "cosh(float $num): float" => cosh | directly::cosh,
    "tanh(float $num): float" => tanh | directly::tanh,
    "asinh(float $num): float" => asinh | directly::asinh,
    "acosh(float $num): float" => acosh | directly::acosh,
    "atanh(float $num): float" => atanh | directly::atanh,
    "pi(): float" => pi | pi_directly,
    "pow(mixed $num, mixed $exponent): object|int|float" => pow | pow_directly,
    "fpow(float $num, float $exponent): float" => fpow,
    "fmod(float $num1, float $num2): float" => fmod | fmod_directly,
    "fdiv(float $num1, float $num2): float" => fdiv | fdiv_directly,
    "intdiv(int $num1, int $num2): int" => intdiv | intdiv_directly,
    "is_finite(float $num): bool" => is_finite | directly::is_finite,
    "is_infinite(float $num): bool" => is_infinite | directly::is_infinite,
    "is_nan(float $num): bool" => is_nan | directly::is_nan,
    "hypot(float $x, float $y): float" => hypot | hypot_directly,
    "deg2rad(float $num): float" => deg2rad,
    "rad2deg(float $num): float" => rad2deg,
}

/// Functions of the C library: its results are those of PHP, digit for digit.
mod c {
    unsafe extern "C" {
        pub(super) safe fn asinh(x: f64) -> f64;
        pub(super) safe fn acosh(x: f64) -> f64;
        pub(super) safe fn atanh(x: f64) -> f64;
        pub(super) safe fn log2(x: f64) -> f64;
    }
}

/// Functions of one `float` that are a method of `f64` or a function of [`c`].
macro_rules! float_functions {
    ($($name:ident = $code:path;)*) => {
        $(
            fn $name(call: &mut Call<'_>) -> PhpResult<Value> {
                Ok($code(call.double(0)).into())
            }
        )*

        /// Their direct entries.
        mod directly {
            use super::c;

            crate::support::direct! {
                $(pub(super) fn $name(_; number: f64) { $code(number) })*
            }
        }
    };
}

float_functions! {
    sqrt = f64::sqrt;
    exp = f64::exp;
    expm1 = f64::exp_m1;
    log10 = f64::log10;
    log1p = f64::ln_1p;
    sin = f64::sin;
    cos = f64::cos;
    tan = f64::tan;
    asin = f64::asin;
    acos = f64::acos;
    atan = f64::atan;
    sinh = f64::sinh;
    cosh = f64::cosh;
    tanh = f64::tanh;
    asinh = c::asinh;
    acosh = c::acosh;
    atanh = c::atanh;
    is_finite = f64::is_finite;
    is_infinite = f64::is_infinite;
    is_nan = f64::is_nan;
}

direct! {
    fn abs_directly(_; number: i64) { number.checked_abs() }

    fn log_directly(_; number: f64) { number.ln() }

    fn pow_directly(_; base: i64, exponent: i64) {
        base.checked_pow(u32::try_from(exponent).unwrap_or(u32::MAX))
            .filter(|_| exponent >= 0)
    }

    fn fmod_directly(_; dividend: f64, divisor: f64) { dividend % divisor }

    fn atan2_directly(_; y: f64, x: f64) { y.atan2(x) }

    fn hypot_directly(_; x: f64, y: f64) { x.hypot(y) }

    fn fdiv_directly(_; dividend: f64, divisor: f64) { dividend / divisor }

    fn pi_directly(_;) { std::f64::consts::PI }

    fn intdiv_directly(_; dividend: i64, divisor: i64) { dividend.checked_div(divisor) }
}

fn abs(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(match call.argument(0).view() {
        ValueKind::Long(value) => match value.checked_abs() {
            Some(value) => value.into(),
            None => 9223372036854775808.0.into(),
        },
        _ => call.double(0).abs().into(),
    })
}

fn log(call: &mut Call<'_>) -> PhpResult<Value> {
    let (number, base) = (call.double(0), call.double(1));
    if call.count() < 2 {
        return Ok(number.ln().into());
    }
    if base == 2.0 {
        return Ok(c::log2(number).into());
    }
    if base == 10.0 {
        return Ok(number.log10().into());
    }
    if base == 1.0 {
        return Ok(f64::NAN.into());
    }
    if base <= 0.0 {
        return Err(call.value_error(1, "must be greater than 0"));
    }
    Ok((number.ln() / base.ln()).into())
}

fn atan2(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.double(0).atan2(call.double(1)).into())
}

fn pi(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(std::f64::consts::PI.into())
}

fn pow(call: &mut Call<'_>) -> PhpResult<Value> {
    let (base, exponent) = (call.value(0), call.value(1));
    let mut result = Zval::UNDEF;
    operators::pow(call.vm, &mut result, &base, &exponent);
    call.vm.check()?;
    // SAFETY: I3: the operator gives its share away.
    Ok(unsafe { Value::from_zval(result) })
}

fn fpow(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.double(0).powf(call.double(1)).into())
}

fn fmod(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((call.double(0) % call.double(1)).into())
}

fn fdiv(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((call.double(0) / call.double(1)).into())
}

fn intdiv(call: &mut Call<'_>) -> PhpResult<Value> {
    let (dividend, divisor) = (call.long(0), call.long(1));
    if divisor == 0 {
        return Err(call
            .vm
            .throw_error(KnownClass::DivisionByZeroError, "Division by zero"));
    }
    match dividend.checked_div(divisor) {
        Some(quotient) => Ok(quotient.into()),
        None => Err(call.vm.throw_error(
            KnownClass::ArithmeticError,
            "Division of PHP_INT_MIN by -1 is not an integer",
        )),
    }
}

fn hypot(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.double(0).hypot(call.double(1)).into())
}

fn deg2rad(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((call.double(0) / 180.0 * std::f64::consts::PI).into())
}

fn rad2deg(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((call.double(0) / std::f64::consts::PI * 180.0).into())
}
