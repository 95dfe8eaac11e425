//! The extension `gmp`: whole numbers of any length.

mod arithmetic;
mod bits;
mod direct;
mod number;
mod object;
mod random;
mod theory;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use self::arithmetic::{Rounding, by_zero};
use self::direct::{
    add_directly, and_directly, compare_directly, init_directly, modulo_directly, mul_directly,
    or_directly, power_directly, strval_directly, sub_directly, xor_directly,
};
use self::number::{Number, reserve, watched};
use self::object::{held, made};
use crate::support::{define, functions, list, text};

functions! {
    "gmp_init(string|int $num, int $base = 0): GMP" => init | init_directly,
    "gmp_import(string $data, int $word_size = 1, int $flags = GMP_MSW_FIRST | GMP_NATIVE_ENDIAN): GMP" => bits::import,
    "#[Unconverted; Unchecked(1)] gmp_export(GMP|string|int $num, int $word_size = 1, int $flags = GMP_MSW_FIRST | GMP_NATIVE_ENDIAN): string" => bits::export,
    "#[Unconverted] gmp_intval(GMP|string|int $num): int" => intval,
    "#[Unconverted; Unchecked(1)] gmp_strval(GMP|string|int $num, int $base = 10): string" => strval | strval_directly,
    "#[Unconverted; Unchecked(1, 2)] gmp_add(GMP|string|int $num1, GMP|string|int $num2): GMP" => add | add_directly,
    "#[Unconverted; Unchecked(1, 2)] gmp_sub(GMP|string|int $num1, GMP|string|int $num2): GMP" => sub | sub_directly,
    "#[Unconverted; Unchecked(1, 2)] gmp_mul(GMP|string|int $num1, GMP|string|int $num2): GMP" => mul | mul_directly,
    "#[Unconverted; Unchecked(1, 2)] gmp_div_qr(GMP|string|int $num1, GMP|string|int $num2, int $rounding_mode = GMP_ROUND_ZERO): array" => div_qr,
    "#[Unconverted; Unchecked(1, 2)] gmp_div_q(GMP|string|int $num1, GMP|string|int $num2, int $rounding_mode = GMP_ROUND_ZERO): GMP" => div_q,
    "#[Unconverted; Unchecked(1, 2)] gmp_div_r(GMP|string|int $num1, GMP|string|int $num2, int $rounding_mode = GMP_ROUND_ZERO): GMP" => div_r,
    "#[Unconverted; Unchecked(1, 2)] gmp_div(GMP|string|int $num1, GMP|string|int $num2, int $rounding_mode = GMP_ROUND_ZERO): GMP" => div_q,
    "#[Unconverted; Unchecked(1, 2)] gmp_mod(GMP|string|int $num1, GMP|string|int $num2): GMP" => modulo | modulo_directly,
    "#[Unconverted; Unchecked(1, 2)] gmp_divexact(GMP|string|int $num1, GMP|string|int $num2): GMP" => divide_exactly,
    "#[Unconverted] gmp_neg(GMP|string|int $num): GMP" => negate,
    "#[Unconverted] gmp_abs(GMP|string|int $num): GMP" => absolute,
    "#[Unconverted] gmp_fact(GMP|string|int $num): GMP" => factorial,
    "#[Unconverted] gmp_sqrt(GMP|string|int $num): GMP" => sqrt,
    "#[Unconverted] gmp_sqrtrem(GMP|string|int $num): array" => sqrt_remainder,
    "#[Unconverted; Unchecked(1)] gmp_root(GMP|string|int $num, int $nth): GMP" => root,
    "#[Unconverted; Unchecked(1)] gmp_rootrem(GMP|string|int $num, int $nth): array" => root_remainder,
    "#[Unconverted; Unchecked(1)] gmp_pow(GMP|string|int $num, int $exponent): GMP" => power | power_directly,
    "#[Unconverted; Unchecked(1, 2, 3)] gmp_powm(GMP|string|int $num, GMP|string|int $exponent, GMP|string|int $modulus): GMP" => power_modulo,
    "#[Unconverted] gmp_perfect_square(GMP|string|int $num): bool" => perfect_square,
    "#[Unconverted] gmp_perfect_power(GMP|string|int $num): bool" => perfect_power,
    "#[Unconverted; Unchecked(1)] gmp_prob_prime(GMP|string|int $num, int $repetitions = 10): int" => probably_prime,
    "#[Unconverted; Unchecked(1, 2)] gmp_gcd(GMP|string|int $num1, GMP|string|int $num2): GMP" => gcd,
    "#[Unconverted; Unchecked(1, 2)] gmp_gcdext(GMP|string|int $num1, GMP|string|int $num2): array" => gcd_extended,
    "#[Unconverted; Unchecked(1, 2)] gmp_lcm(GMP|string|int $num1, GMP|string|int $num2): GMP" => lcm,
    "#[Unconverted; Unchecked(1, 2)] gmp_invert(GMP|string|int $num1, GMP|string|int $num2): GMP|false" => invert,
    "#[Unconverted; Unchecked(1, 2)] gmp_jacobi(GMP|string|int $num1, GMP|string|int $num2): int" => kronecker,
    "#[Unconverted; Unchecked(1, 2)] gmp_legendre(GMP|string|int $num1, GMP|string|int $num2): int" => kronecker,
    "#[Unconverted; Unchecked(1, 2)] gmp_kronecker(GMP|string|int $num1, GMP|string|int $num2): int" => kronecker,
    "#[Unconverted; Unchecked(1, 2)] gmp_cmp(GMP|string|int $num1, GMP|string|int $num2): int" => compare | compare_directly,
    "#[Unconverted] gmp_sign(GMP|string|int $num): int" => sign,
    "#[Unconverted] gmp_random_seed(GMP|string|int $seed): void" => random::random_seed,
    "gmp_random_bits(int $bits): GMP" => random::random_bits,
    "#[Unconverted; Unchecked(1, 2)] gmp_random_range(GMP|string|int $min, GMP|string|int $max): GMP" => random::random_range,
    "#[Unconverted; Unchecked(1, 2)] gmp_and(GMP|string|int $num1, GMP|string|int $num2): GMP" => and | and_directly,
    "#[Unconverted; Unchecked(1, 2)] gmp_or(GMP|string|int $num1, GMP|string|int $num2): GMP" => or | or_directly,
    "#[Unconverted] gmp_com(GMP|string|int $num): GMP" => complement,
    "#[Unconverted; Unchecked(1, 2)] gmp_xor(GMP|string|int $num1, GMP|string|int $num2): GMP" => xor | xor_directly,
    "gmp_setbit(GMP $num, int $index, bool $value = true): void" => bits::set_bit,
    "gmp_clrbit(GMP $num, int $index): void" => bits::clear_bit,
    "#[Unconverted; Unchecked(1)] gmp_testbit(GMP|string|int $num, int $index): bool" => bits::test_bit,
    "#[Unconverted; Unchecked(1)] gmp_scan0(GMP|string|int $num1, int $start): int" => bits::scan_zero,
    "#[Unconverted; Unchecked(1)] gmp_scan1(GMP|string|int $num1, int $start): int" => bits::scan_one,
    "#[Unconverted] gmp_popcount(GMP|string|int $num): int" => bits::population_count,
    "#[Unconverted; Unchecked(1, 2)] gmp_hamdist(GMP|string|int $num1, GMP|string|int $num2): int" => bits::hamming_distance,
    "#[Unconverted] gmp_nextprime(GMP|string|int $num): GMP" => next_prime,
    "#[Unconverted; Unchecked(1)] gmp_binomial(GMP|string|int $n, int $k): GMP" => binomial,
}

const ROUND_ZERO: i64 = 0;
const ROUND_UP: i64 = 1;
const ROUND_DOWN: i64 = 2;

/// Below this, which is 35 * 2^46, GMP is sure of its primes.
const SURE_PRIMES: u64 = 35 << 46;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    define(
        vm,
        &[
            ("GMP_ROUND_ZERO", ROUND_ZERO),
            ("GMP_ROUND_PLUSINF", ROUND_UP),
            ("GMP_ROUND_MINUSINF", ROUND_DOWN),
        ],
    );
    let version = vm.string("6.3.0").into();
    crate::support::define_one(vm, "GMP_VERSION", version);
    define(
        vm,
        &[
            ("GMP_MSW_FIRST", bits::MSW_FIRST),
            ("GMP_LSW_FIRST", bits::LSW_FIRST),
            ("GMP_LITTLE_ENDIAN", bits::LITTLE_ENDIAN),
            ("GMP_BIG_ENDIAN", bits::BIG_ENDIAN),
            ("GMP_NATIVE_ENDIAN", bits::NATIVE_ENDIAN),
        ],
    );
    vm.register_functions(FUNCTIONS);
    vm.register_classes(object::CLASSES);
}

/// The number in an argument. Of several, each is looked at when those in front of it are numbers.
fn argument(call: &mut Call<'_>, index: usize) -> PhpResult<Number> {
    argument_in_base(call, index, 0)
}

fn argument_in_base(call: &mut Call<'_>, index: usize, base: u32) -> PhpResult<Number> {
    call.check(index)?;
    let value = call.value(index);
    let number = match value.view() {
        ValueKind::Object(object) => return Ok(held(object).unwrap_or_default()),
        ValueKind::String(text) => number::parse(text, base),
        _ => Some(value.to_long(call.vm).into()),
    };
    match number {
        Some(number) => Ok(theory::shared(number)),
        None => Err(call.value_error(index, "is not an integer string")),
    }
}

/// Both numbers in two arguments.
fn arguments(call: &mut Call<'_>) -> PhpResult<(Number, Number)> {
    Ok((argument(call, 0)?, argument(call, 1)?))
}

/// A number in an argument that must not be negative.
fn natural(call: &mut Call<'_>) -> PhpResult<Number> {
    let number = argument(call, 0)?;
    if number.is_negative() {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    }
    Ok(number)
}

fn pair(vm: &mut Vm, one: BigInt, two: BigInt) -> PhpResult<Value> {
    let (one, two) = (made(vm, one)?, made(vm, two)?);
    Ok(list(vm, [one, two]))
}

/// The number that an object is made with: of text in a base.
fn initial(call: &mut Call<'_>) -> PhpResult<Number> {
    match call.long(1) {
        base @ (0 | 2..=62) => argument_in_base(call, 0, base as u32),
        _ => Err(call.value_error(1, "must be 0 or between 2 and 62")),
    }
}

fn init(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = initial(call)?;
    object::object(call.vm, number)
}

fn intval(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(number::to_long(&*argument(call, 0)?).into())
}

fn strval(call: &mut Call<'_>) -> PhpResult<Value> {
    let base = call.long(1);
    if !matches!(base, 2..=62 | -36..=-2) {
        return Err(call.value_error(1, "must be between 2 and 62, or -2 and -36"));
    }
    let number = argument(call, 0)?;
    let digits = number::text(call.vm, &number, base)?;
    text(call.vm, digits)
}

/// A function that does what an operator does.
fn binary(call: &mut Call<'_>, symbol: &'static str) -> PhpResult<Value> {
    let (one, two) = arguments(call)?;
    let result = arithmetic::binary(call.vm, symbol, &one, &two)?;
    made(call.vm, result)
}

fn add(call: &mut Call<'_>) -> PhpResult<Value> {
    binary(call, "+")
}

fn sub(call: &mut Call<'_>) -> PhpResult<Value> {
    binary(call, "-")
}

fn mul(call: &mut Call<'_>) -> PhpResult<Value> {
    binary(call, "*")
}

fn modulo(call: &mut Call<'_>) -> PhpResult<Value> {
    binary(call, "%")
}

fn and(call: &mut Call<'_>) -> PhpResult<Value> {
    binary(call, "&")
}

fn or(call: &mut Call<'_>) -> PhpResult<Value> {
    binary(call, "|")
}

fn xor(call: &mut Call<'_>) -> PhpResult<Value> {
    binary(call, "^")
}

/// Quotient and remainder of two arguments, rounded as the third says.
fn divided(call: &mut Call<'_>) -> PhpResult<(BigInt, BigInt)> {
    let rounding = match call.long(2) {
        ROUND_ZERO => Rounding::Zero,
        ROUND_UP => Rounding::Up,
        ROUND_DOWN => Rounding::Down,
        _ => {
            let problem = "must be one of GMP_ROUND_ZERO, GMP_ROUND_PLUSINF, or GMP_ROUND_MINUSINF";
            return Err(call.value_error(2, problem));
        }
    };
    let (one, two) = arguments(call)?;
    if two.is_zero() {
        return Err(by_zero(call.vm, "Division"));
    }
    arithmetic::divide(call.vm, &one, &two, rounding)
}

fn div_qr(call: &mut Call<'_>) -> PhpResult<Value> {
    let (quotient, remainder) = divided(call)?;
    pair(call.vm, quotient, remainder)
}

fn div_q(call: &mut Call<'_>) -> PhpResult<Value> {
    let (quotient, _) = divided(call)?;
    made(call.vm, quotient)
}

fn div_r(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, remainder) = divided(call)?;
    made(call.vm, remainder)
}

/// As PHP has it only for numbers that divide each other; others are cut off here.
fn divide_exactly(call: &mut Call<'_>) -> PhpResult<Value> {
    binary(call, "/")
}

fn negate(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    reserve(call.vm, number.bits())?;
    made(call.vm, -&*number)
}

fn absolute(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    reserve(call.vm, number.bits())?;
    made(call.vm, number.abs())
}

fn complement(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    reserve(call.vm, number.bits())?;
    made(call.vm, !&*number)
}

fn factorial(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = natural(call)?;
    // Of text, which must be a number, PHP then takes what `(int)` makes of it.
    let value = call.value(0);
    let number = match value.view() {
        ValueKind::String(_) => value.to_long(call.vm) as u64,
        _ => number.to_u64().unwrap_or(u64::MAX),
    };
    let bits = theory::factorial_bits(number);
    reserve(call.vm, bits)?;
    let result = watched(bits, [], move |[]| theory::factorial(number));
    made(call.vm, result)
}

fn sqrt(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = natural(call)?;
    let (root, _) = root_of(call.vm, &number, 2)?;
    made(call.vm, root)
}

fn sqrt_remainder(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = natural(call)?;
    let (root, remainder) = root_of(call.vm, &number, 2)?;
    pair(call.vm, root, remainder)
}

/// A root, cut off, and what is left.
fn root_of(vm: &mut Vm, number: &Number, degree: u64) -> PhpResult<(BigInt, BigInt)> {
    reserve(vm, number.bits())?;
    Ok(watched(number.bits(), [number], move |[number]| {
        let root = theory::root(number, degree);
        let power = match root.magnitude().bits() {
            ..2 => root.clone(),
            _ => num_traits::Pow::pow(&root, degree),
        };
        (root, number - power)
    }))
}

/// Number and degree of a root, in two arguments; the text says which degrees there are.
fn root_arguments(call: &mut Call<'_>, problem: &str) -> PhpResult<(Number, u64)> {
    let degree = call.long(1);
    if degree <= 0 {
        return Err(call.value_error(1, problem));
    }
    let number = argument(call, 0)?;
    if number.is_negative() && degree % 2 == 0 {
        return Err(call.value_error(1, "must be odd if argument #1 ($a) is negative"));
    }
    Ok((number, degree as u64))
}

fn root(call: &mut Call<'_>) -> PhpResult<Value> {
    let (number, degree) = root_arguments(call, "must be greater than 0")?;
    let (root, _) = root_of(call.vm, &number, degree)?;
    made(call.vm, root)
}

fn root_remainder(call: &mut Call<'_>) -> PhpResult<Value> {
    let (number, degree) = root_arguments(call, "must be greater than or equal to 1")?;
    let (root, remainder) = root_of(call.vm, &number, degree)?;
    pair(call.vm, root, remainder)
}

fn power(call: &mut Call<'_>) -> PhpResult<Value> {
    let Ok(exponent) = u64::try_from(call.long(1)) else {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    };
    let number = argument(call, 0)?;
    let result = arithmetic::power(call.vm, &number, exponent)?;
    made(call.vm, result)
}

fn power_modulo(call: &mut Call<'_>) -> PhpResult<Value> {
    let (base, exponent) = arguments(call)?;
    if exponent.is_negative() {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    let modulus = argument(call, 2)?;
    if modulus.is_zero() {
        return Err(by_zero(call.vm, "Modulo"));
    }
    reserve(call.vm, modulus.bits().saturating_mul(8))?;
    let work = (exponent.bits().saturating_mul(modulus.bits()) + base.bits()) / 4;
    let result = watched(
        work,
        [&base, &exponent, &modulus],
        |[base, exponent, modulus]| theory::power_modulo(base, exponent, modulus),
    );
    made(call.vm, result)
}

fn perfect_square(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    if number.is_negative() {
        return Ok(false.into());
    }
    let (_, remainder) = root_of(call.vm, &number, 2)?;
    Ok(remainder.is_zero().into())
}

fn perfect_power(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    reserve(call.vm, number.bits())?;
    let work = number.bits().saturating_mul(16);
    Ok(watched(work, [&number], |[number]| theory::is_perfect_power(number)).into())
}

fn probably_prime(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    // More than GMP does without being asked to.
    let rounds = call.long(1).saturating_sub(24).clamp(12, i32::MAX.into()) as u32;
    reserve(call.vm, number.bits().saturating_mul(8))?;
    let work = number.bits().saturating_mul(4 * u64::from(rounds));
    let is_prime = watched(work, [&number], move |[number]| {
        theory::is_probable_prime(number.magnitude(), rounds)
    });
    let is_sure = number
        .magnitude()
        .to_u64()
        .is_some_and(|number| number < SURE_PRIMES);
    let answer: i64 = match (is_prime, is_sure) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    };
    Ok(answer.into())
}

fn next_prime(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    reserve(call.vm, number.bits().saturating_mul(8))?;
    let work = number.bits().saturating_mul(256);
    let prime = watched(work, [&number], |[number]| theory::next_prime(number));
    made(call.vm, prime)
}

fn gcd(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two) = arguments(call)?;
    let bits = one.bits() + two.bits();
    reserve(call.vm, bits)?;
    let result = watched(bits, [&one, &two], |[one, two]| one.gcd(two));
    made(call.vm, result)
}

fn gcd_extended(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two) = arguments(call)?;
    let bits = one.bits() + two.bits();
    reserve(call.vm, bits)?;
    let [gcd, first, second] = watched(bits, [&one, &two], |[one, two]| {
        theory::extended_gcd(one, two)
    });
    let mut result = vm_runtime::array::PhpArray::with_capacity(&mut call.vm.heap, 3);
    for (name, number) in [("g", gcd), ("s", first), ("t", second)] {
        let number = made(call.vm, number)?;
        let array = result.make_mut(call.vm);
        array.set_bytes(name.as_bytes(), number);
    }
    Ok(result.into())
}

fn lcm(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two) = arguments(call)?;
    let bits = one.bits() + two.bits();
    reserve(call.vm, bits)?;
    let result = watched(bits, [&one, &two], |[one, two]| one.lcm(two).abs());
    made(call.vm, result)
}

fn invert(call: &mut Call<'_>) -> PhpResult<Value> {
    let (number, modulus) = arguments(call)?;
    if modulus.is_zero() {
        return Err(by_zero(call.vm, "Division"));
    }
    let bits = number.bits() + modulus.bits();
    reserve(call.vm, bits)?;
    let inverse = watched(bits, [&number, &modulus], |[number, modulus]| {
        theory::invert(number, modulus)
    });
    match inverse {
        Some(inverse) => made(call.vm, inverse),
        None => Ok(false.into()),
    }
}

fn kronecker(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two) = arguments(call)?;
    let bits = one.bits() + two.bits();
    reserve(call.vm, bits)?;
    let symbol = watched(bits, [&one, &two], |[one, two]| theory::kronecker(one, two));
    Ok(symbol.into())
}

fn compare(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two) = arguments(call)?;
    // With an `int` on the right the order is told as the operator tells it.
    let value = call.value(1);
    let order = match value.view() {
        ValueKind::Long(_) => object::order(&one, &two),
        _ => one.cmp(&two) as i32,
    };
    Ok(i64::from(order).into())
}

fn sign(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    Ok(number.signum().to_i64().unwrap_or(0).into())
}

fn binomial(call: &mut Call<'_>) -> PhpResult<Value> {
    let Ok(chosen) = u64::try_from(call.long(1)) else {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    };
    let number = argument(call, 0)?;
    let parts = theory::binomial_parts(&number, chosen);
    let bits = parts
        .1
        .saturating_mul(parts.0.bits().max(64 - parts.1.leading_zeros() as u64));
    reserve(call.vm, bits)?;
    let result = watched(bits, [], move |[]| theory::binomial(parts));
    made(call.vm, result)
}
