//! `BcMath\Number`: numbers as objects, with operators.

use std::any::Any;
use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use vm_runtime::class::{NativeClass, NativeHandlers, method};
use vm_runtime::exceptions::{KnownClass, set_slot, slot};
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::convert::integral;
use vm_runtime::value::{ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::number::{Decimal, Rounding};
use super::{LARGEST, by_zero, check_precision, power_modulo, reserve, rounding};
use crate::spl::{this, throw};
use crate::support::{apart, list};

/// Digits that a result without an end gets more than its operand has.
const MORE: usize = 10;

/// The native part.
#[derive(Debug, Clone, Default)]
struct NumberData(Option<Decimal>);

impl NativeData for NumberData {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }

    fn compare(&self, vm: &mut Vm, this: &PhpObject, other: &PhpObject) -> Option<i32> {
        match (held(this), held(other)) {
            (Some(one), Some(two)) => Some(order(&one, &two)),
            // One side is another object, which can have no order with a number.
            _ => {
                let _ = vm;
                Some(1)
            }
        }
    }
}

const HANDLERS: NativeHandlers = NativeHandlers {
    truth: Some(|object| held(object).is_some_and(|number| !number.is_zero())),
    operate: Some(operate),
    compare_with: Some(|vm, object, other| {
        let (Some(number), Some(other)) = (held(object), scalar(vm, other)?) else {
            return Ok(None);
        };
        Ok(other.map(|other| order(&number, &other)))
    }),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "final readonly class BcMath\\Number implements Stringable",
)
.flags(class_flags::NO_DYNAMIC_PROPERTIES)
.create_native(|_, _| Some(Box::<NumberData>::default()))
.handlers(&HANDLERS)
.properties(&["public readonly string $value", "public readonly int $scale"])
.methods(&[
    method("public function __construct(string|int $num)", construct),
    method(
        "#[Expects(int, string, or BcMath\\Number)] public function add(BcMath\\Number|string|int $num, ?int $scale = null): BcMath\\Number",
        |call| calculate(call, "+"),
    ),
    method(
        "#[Expects(int, string, or BcMath\\Number)] public function sub(BcMath\\Number|string|int $num, ?int $scale = null): BcMath\\Number",
        |call| calculate(call, "-"),
    ),
    method(
        "#[Expects(int, string, or BcMath\\Number)] public function mul(BcMath\\Number|string|int $num, ?int $scale = null): BcMath\\Number",
        |call| calculate(call, "*"),
    ),
    method(
        "#[Expects(int, string, or BcMath\\Number)] public function div(BcMath\\Number|string|int $num, ?int $scale = null): BcMath\\Number",
        |call| calculate(call, "/"),
    ),
    method(
        "#[Expects(int, string, or BcMath\\Number)] public function mod(BcMath\\Number|string|int $num, ?int $scale = null): BcMath\\Number",
        |call| calculate(call, "%"),
    ),
    method(
        "#[Expects(int, string, or BcMath\\Number)] public function divmod(BcMath\\Number|string|int $num, ?int $scale = null): array",
        divmod,
    ),
    method(
        "#[Expects(int, string, or BcMath\\Number)] public function powmod(BcMath\\Number|string|int $exponent, BcMath\\Number|string|int $modulus, ?int $scale = null): BcMath\\Number",
        powmod,
    ),
    method(
        "#[Expects(int, string, or BcMath\\Number)] public function pow(BcMath\\Number|string|int $exponent, ?int $scale = null): BcMath\\Number",
        |call| calculate(call, "**"),
    ),
    method("public function sqrt(?int $scale = null): BcMath\\Number", sqrt),
    method("public function floor(): BcMath\\Number", |call| {
        whole(call, Rounding::NegativeInfinity)
    }),
    method("public function ceil(): BcMath\\Number", |call| {
        whole(call, Rounding::PositiveInfinity)
    }),
    method(
        "public function round(int $precision = 0, RoundingMode $mode = RoundingMode::HalfAwayFromZero): BcMath\\Number",
        round,
    ),
    method(
        "#[Expects(int, string, or BcMath\\Number)] public function compare(BcMath\\Number|string|int $num, ?int $scale = null): int",
        compare,
    ),
    method("public function __toString(): string", |call| {
        Ok(Value::share(slot(&this(call), 0)))
    }),
    method("public function __serialize(): array", |call| {
        let value = Value::share(slot(&this(call), 0));
        let mut data = vm_runtime::array::PhpArray::with_capacity(&mut call.vm.heap, 1);
        data.make_mut(call.vm).set_bytes(b"value", value);
        Ok(data.into())
    }),
    method(
        "public function __unserialize(array $data): void",
        unserialize,
    ),
])];

fn held(object: &PhpObject) -> Option<Decimal> {
    object.native::<NumberData>()?.0.clone()
}

fn order(one: &Decimal, two: &Decimal) -> i32 {
    match one.compare(two) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// Puts a number into an object that has none yet.
fn store(vm: &mut Vm, object: &ObjectHandle, number: Decimal) {
    let text = vm.string(number.text(number.scale));
    set_slot(object, 0, text.into());
    set_slot(object, 1, Value::from(number.scale));
    if let Some(data) = object.native::<NumberData>() {
        data.0 = Some(number);
    }
}

fn made(vm: &mut Vm, number: Decimal) -> PhpResult<Value> {
    let class = vm
        .linked_class(b"bcmath\\number")
        .unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    store(vm, &object, number);
    Ok(object.into())
}

fn whole_number(number: i64) -> Decimal {
    Decimal {
        digits: BigInt::from(number),
        scale: 0,
    }
}

/// What a value stands for as an operand; no number for text that is none, nothing at all where
/// the type is not taken.
fn scalar(vm: &mut Vm, value: &Zval) -> PhpResult<Option<Option<Decimal>>> {
    Ok(match value.view() {
        ValueKind::Long(number) => Some(Some(whole_number(number))),
        ValueKind::Bool(flag) => Some(Some(whole_number(i64::from(flag)))),
        ValueKind::Double(number) => Some(Some(whole_number(integral(vm, number)?))),
        ValueKind::String(text) => Some(Decimal::parse(text)),
        ValueKind::Object(object) => held(object).map(Some),
        _ => None,
    })
}

/// The number that the method is called on.
fn own(call: &mut Call<'_>) -> PhpResult<Decimal> {
    held(&this(call)).ok_or_else(|| {
        call.vm
            .throw_error(KnownClass::Error, "The number is not initialized")
    })
}

fn argument(call: &mut Call<'_>, index: usize) -> PhpResult<Decimal> {
    let value = call.value(index);
    match scalar(call.vm, &value)? {
        Some(Some(number)) => Ok(number),
        _ => Err(call.value_error(index, "is not well-formed")),
    }
}

/// The scale in an argument, if it is given.
fn scale(call: &mut Call<'_>, index: usize) -> PhpResult<Option<usize>> {
    match call.optional_long(index) {
        None => Ok(None),
        Some(scale) if (0..=LARGEST).contains(&scale) => Ok(Some(scale as usize)),
        Some(_) => Err(call.value_error(index, &format!("must be between 0 and {LARGEST}"))),
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    if held(&object).is_some() {
        return Err(call.vm.throw_error(
            KnownClass::Error,
            "Cannot modify readonly property BcMath\\Number::$value",
        ));
    }
    let number = argument(call, 0)?;
    store(call.vm, &object, number);
    Ok(Value::NULL)
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let data = call.array(0);
    let text = data.get_bytes(b"value").map(|value| value.deref());
    match text
        .and_then(|text| text.as_bytes())
        .filter(|text| !text.is_empty())
        .and_then(Decimal::parse)
    {
        Some(_) if held(&object).is_some() => Err(call.vm.throw_error(
            KnownClass::Error,
            "Cannot modify readonly property BcMath\\Number::$value",
        )),
        Some(number) => {
            store(call.vm, &object, number);
            Ok(Value::NULL)
        }
        None => Err(throw(
            call.vm,
            "Exception",
            "Invalid serialization data for BcMath\\Number object",
        )),
    }
}

/// Why there is no result.
enum Problem {
    DivisionByZero(&'static str),
    /// Of the right operand.
    Value(&'static str),
    /// Of the result.
    Scale,
}

/// The result of an operator with the scale that is asked for, or that the operator gives.
fn apply(
    vm: &mut Vm,
    symbol: &str,
    one: &Decimal,
    two: &Decimal,
    scale: Option<usize>,
) -> Result<Option<Decimal>, Problem> {
    reserve(vm, scale.unwrap_or(0));
    let wider = one.scale.max(two.scale);
    let (result, own_scale) = match symbol {
        "+" => (one.add(two), wider),
        "-" => (one.subtract(two), wider),
        "*" => (one.multiply(two), one.scale + two.scale),
        "/" | "%" if two.is_zero() => {
            return Err(Problem::DivisionByZero(match symbol {
                "/" => "Division by zero",
                _ => "Modulo by zero",
            }));
        }
        "/" => return Ok(Some(quotient(one, two, scale))),
        "%" => (one.divide_with_rest(two).1, wider),
        "**" => return power(vm, one, two, scale).map(Some),
        _ => return Ok(None),
    };
    Ok(Some(result.with_scale(scale.unwrap_or(own_scale))))
}

/// A quotient; without a scale it gets [`MORE`] digits, of which zeros at the end go.
fn quotient(one: &Decimal, two: &Decimal, scale: Option<usize>) -> Decimal {
    match scale {
        Some(scale) => one.divide(two, scale),
        None => one.divide(two, one.scale + MORE).trimmed(one.scale),
    }
}

fn power(
    vm: &mut Vm,
    base: &Decimal,
    exponent: &Decimal,
    scale: Option<usize>,
) -> Result<Decimal, Problem> {
    if !exponent.is_integer() {
        return Err(Problem::Value("exponent cannot have a fractional part"));
    }
    let Some(exponent) = exponent.whole().to_i64() else {
        return Err(Problem::Value("exponent is too large"));
    };
    let places = (base.scale as u64).checked_mul(exponent.unsigned_abs());
    let is_long = |places: Option<u64>| places.is_none_or(|places| places > LARGEST as u64);
    if scale.is_none() && exponent > 0 && is_long(places) {
        return Err(Problem::Scale);
    }
    let one = whole_number(1);
    if base.is_zero() {
        return match exponent {
            ..0 => Err(Problem::DivisionByZero("Negative power of zero")),
            0 => Ok(one.with_scale(scale.unwrap_or(0))),
            _ => Ok(base.with_scale(scale.unwrap_or(base.scale * exponent as usize))),
        };
    }
    let Ok(count) = u32::try_from(exponent.unsigned_abs()) else {
        return Err(Problem::Value("exponent is too large"));
    };
    let size = base.digits.bits().saturating_mul(u64::from(count)) / 8;
    reserve(vm, size as usize);
    let power = base.power(count);
    if exponent >= 0 {
        return Ok(match scale {
            Some(scale) => power.with_scale(scale),
            None => power,
        });
    }
    Ok(match scale {
        Some(scale) => one.divide(&power, scale),
        None => one.divide(&power, base.scale + MORE).trimmed(base.scale),
    })
}

fn calculate(call: &mut Call<'_>, symbol: &'static str) -> PhpResult<Value> {
    let one = own(call)?;
    let two = argument(call, 0)?;
    let scale = scale(call, 1)?;
    match apply(call.vm, symbol, &one, &two, scale) {
        Ok(Some(number)) => made(call.vm, number),
        Ok(None) => Ok(Value::NULL),
        Err(Problem::Value(problem)) => Err(call.value_error(0, problem)),
        Err(problem) => Err(throw_problem(call.vm, problem)),
    }
}

fn throw_problem(vm: &mut Vm, problem: Problem) -> Thrown {
    let (class, message) = match problem {
        Problem::DivisionByZero(message) => (KnownClass::DivisionByZeroError, message),
        Problem::Value(message) => (KnownClass::ValueError, message),
        Problem::Scale => (KnownClass::ValueError, "scale of the result is too large"),
    };
    vm.throw_error(class, message)
}

/// What an operator gives.
fn operate(
    vm: &mut Vm,
    symbol: &'static str,
    left: &Zval,
    right: &Zval,
) -> PhpResult<Option<Value>> {
    if !matches!(symbol, "+" | "-" | "*" | "/" | "%" | "**") {
        return Ok(None);
    }
    let is_taken = |value: &Zval| match value.view() {
        ValueKind::Object(object) => held(object).is_some(),
        ValueKind::Null | ValueKind::Array(_) | ValueKind::Resource(_) => false,
        _ => true,
    };
    if !is_taken(left) || !is_taken(right) {
        return Ok(None);
    }
    let mut numbers = [None, None];
    for (index, (value, side)) in [(left, "Left"), (right, "Right")].into_iter().enumerate() {
        let Some(number) = scalar(vm, value)?.flatten() else {
            let message = format!("{side} string operand cannot be converted to BcMath\\Number");
            return Err(vm.throw_error(KnownClass::ValueError, message));
        };
        numbers[index] = Some(number);
    }
    let [Some(one), Some(two)] = numbers else {
        return Ok(None);
    };
    match apply(vm, symbol, &one, &two, None) {
        Ok(Some(number)) => Ok(Some(made(vm, number)?)),
        Ok(None) => Ok(None),
        Err(problem) => Err(throw_problem(vm, problem)),
    }
}

fn divmod(call: &mut Call<'_>) -> PhpResult<Value> {
    let one = own(call)?;
    let two = argument(call, 0)?;
    let scale = scale(call, 1)?;
    if two.is_zero() {
        return Err(by_zero(call, "Division by zero"));
    }
    let (quotient, rest) = one.divide_with_rest(&two);
    let scale = scale.unwrap_or(one.scale.max(two.scale));
    reserve(call.vm, scale);
    let quotient = made(call.vm, quotient)?;
    let rest = made(call.vm, rest.with_scale(scale))?;
    Ok(list(call.vm, [quotient, rest]))
}

fn powmod(call: &mut Call<'_>) -> PhpResult<Value> {
    let base = own(call)?;
    let (exponent, modulus) = (argument(call, 0)?, argument(call, 1)?);
    let scale = scale(call, 2)?;
    if !base.is_integer() {
        return Err(call.vm.throw_error(
            KnownClass::ValueError,
            "Base number cannot have a fractional part",
        ));
    }
    let result = power_modulo(call, &base, (0, &exponent), (1, &modulus))?;
    reserve(call.vm, scale.unwrap_or(0));
    made(call.vm, result.with_scale(scale.unwrap_or(0)))
}

fn sqrt(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = own(call)?;
    let scale = scale(call, 0)?;
    if number.is_negative() {
        return Err(call.vm.throw_error(
            KnownClass::ValueError,
            "Base number must be greater than or equal to 0",
        ));
    }
    reserve(call.vm, scale.unwrap_or(0).saturating_mul(2));
    let root = match scale {
        Some(scale) => number.square_root(scale),
        None => number
            .square_root(number.scale + MORE)
            .trimmed(number.scale),
    };
    made(call.vm, root)
}

fn whole(call: &mut Call<'_>, rounding: Rounding) -> PhpResult<Value> {
    let number = own(call)?.round(0, rounding);
    made(call.vm, number)
}

fn round(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = own(call)?;
    let places = check_precision(call, 0, &number)?;
    let rounding = rounding(call, 1);
    made(call.vm, number.round(places, rounding))
}

fn compare(call: &mut Call<'_>) -> PhpResult<Value> {
    let one = own(call)?;
    let two = argument(call, 0)?;
    let scale = scale(call, 1)?;
    let cut = |number: &Decimal| match scale {
        Some(scale) => number.with_scale(scale.min(number.scale)),
        None => number.clone(),
    };
    Ok(i64::from(order(&cut(&one), &cut(&two))).into())
}

/// The power of a whole base, modulo; the arguments that are wrong are told by their index.
pub(super) fn modular_power(base: &BigInt, exponent: &BigInt, modulus: &BigInt) -> BigInt {
    use num_traits::{Signed, Zero};
    let modulus = modulus.abs();
    if modulus.is_one() {
        return BigInt::zero();
    }
    let positive = base.abs();
    let result = match exponent.bits().saturating_mul(modulus.bits()) + base.bits() {
        ..100_000 => positive.modpow(exponent, &modulus),
        _ => {
            let exponent = exponent.clone();
            apart(move || positive.modpow(&exponent, &modulus))
        }
    };
    // The sign is that of the power.
    if base.is_negative() && exponent.bit(0) {
        -result
    } else {
        result
    }
}
