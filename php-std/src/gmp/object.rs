//! The class `GMP`: numbers as objects, with operators.

use std::any::Any;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use vm_runtime::class::{NativeClass, NativeHandlers, NextValue, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::convert::{double_to_long, lost_precision, property_table};
use vm_runtime::operators::numeric_string::{self, parse_whole};
use vm_runtime::operators::{class_or_type_name, value_name};
use vm_runtime::value::{ArrayHandle, DOUBLE, LONG, ObjectHandle, STRING, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::arithmetic;
use super::number::{Number, parse, text as number_text, to_double, to_long};
use super::theory::shared;
use crate::spl::{load_members, this, throw};
use crate::support::{Append, new_list};

/// The native part.
#[derive(Debug, Clone, Default)]
struct GmpData(Number);

impl NativeData for GmpData {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }

    fn compare(&self, vm: &mut Vm, _this: &PhpObject, other: &PhpObject) -> Option<i32> {
        let Some(other_number) = held(other) else {
            // SAFETY: I3: the caller keeps the object alive.
            let other = unsafe { ObjectHandle::share_raw((&raw const *other).cast_mut()) };
            unexpected(vm, &Value::from(other));
            return Some(1);
        };
        Some((*self.0).cmp(&other_number) as i32)
    }
}

const HANDLERS: NativeHandlers = NativeHandlers {
    truth: Some(|object| held(object).is_some_and(|number| !number.is_zero())),
    cast: Some(cast),
    debug_info: Some(debug_info),
    operate: Some(operate),
    compare_with: Some(compare_with),
    unserialize_values: Some(unserialize_values),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("final class GMP")
    .create_native(|_, _| Some(Box::<GmpData>::default()))
    .handlers(&HANDLERS)
    .methods(&[
        method(
            "public function __construct(string|int $num = 0, int $base = 0)",
            |call| {
                let number = super::initial(call)?;
                store(&this(call), number);
                Ok(Value::NULL)
            },
        ),
        method("public function __serialize(): array", serialize),
        method(
            "public function __unserialize(array $data): void",
            unserialize,
        ),
    ])];

/// The number that an object of the class has.
pub(super) fn held(object: &PhpObject) -> Option<Number> {
    Some(object.native::<GmpData>()?.0.clone())
}

/// Gives an object of the class another number.
pub(super) fn store(object: &PhpObject, number: Number) {
    if let Some(data) = object.native::<GmpData>() {
        data.0 = number;
    }
}

/// An object with a number.
pub(super) fn made(vm: &mut Vm, number: impl Into<BigInt>) -> PhpResult<Value> {
    object(vm, shared(number))
}

/// An object with a number that is shared.
pub(super) fn object(vm: &mut Vm, number: Number) -> PhpResult<Value> {
    let class = vm.linked_class(b"gmp").unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    store(&object, number);
    Ok(object.into())
}

fn unexpected(vm: &mut Vm, value: &Zval) -> vm_runtime::vm::Thrown {
    let given = value_name(value);
    let message = format!("Number must be of type GMP|string|int, {given} given");
    vm.throw_error(KnownClass::TypeError, message)
}

fn not_an_integer(vm: &mut Vm) -> vm_runtime::vm::Thrown {
    vm.throw_error(KnownClass::ValueError, "Number is not an integer string")
}

/// The number that an operand stands for.
fn operand(vm: &mut Vm, value: &Zval) -> PhpResult<Number> {
    let long = match value.view() {
        ValueKind::Long(number) => number,
        ValueKind::Bool(flag) => flag.into(),
        ValueKind::Double(number) => {
            if !(i64::MIN as f64..-(i64::MIN as f64)).contains(&number) {
                return Err(unexpected(vm, value));
            }
            if number.fract() != 0.0 {
                lost_precision(vm, number)?;
            }
            double_to_long(number)
        }
        ValueKind::String(text) => {
            return match parse(text, 0) {
                Some(number) => Ok(shared(number)),
                None => Err(not_an_integer(vm)),
            };
        }
        ValueKind::Object(object) => match held(object) {
            Some(number) => return Ok(number),
            None => return Err(unexpected(vm, value)),
        },
        _ => return Err(unexpected(vm, value)),
    };
    Ok(shared(long))
}

/// What an operator gives.
fn operate(
    vm: &mut Vm,
    symbol: &'static str,
    left: &Zval,
    right: &Zval,
) -> PhpResult<Option<Value>> {
    let number = match symbol {
        "~" => !&*operand(vm, left)?,
        "**" | "<<" | ">>" => return scale(vm, symbol, left, right).map(Some),
        "+" | "-" | "*" | "/" | "%" | "|" | "&" | "^" => {
            let (left, right) = (operand(vm, left)?, operand(vm, right)?);
            arithmetic::binary(vm, symbol, &left, &right)?
        }
        _ => return Ok(None),
    };
    made(vm, number).map(Some)
}

/// A power or a shift: the right operand is a small number, the left one no text.
fn scale(vm: &mut Vm, symbol: &'static str, left: &Zval, right: &Zval) -> PhpResult<Value> {
    let unsupported = |vm: &mut Vm| {
        let message = format!(
            "Unsupported operand types: {} {symbol} {}",
            class_or_type_name(left),
            class_or_type_name(right)
        );
        vm.throw_error(KnownClass::TypeError, message)
    };
    let count = match right.view() {
        ValueKind::Long(count) => count,
        ValueKind::Double(count) => double_to_long(count),
        ValueKind::String(text) => match parse_whole(text) {
            Some(numeric_string::Number::Long(count)) => count,
            _ => return Err(not_an_integer(vm)),
        },
        ValueKind::Object(object) => match held(object) {
            Some(count) => to_long(&count),
            None => return Err(unsupported(vm)),
        },
        _ => return Err(unsupported(vm)),
    };
    let Ok(count) = u64::try_from(count) else {
        let what = if symbol == "**" { "Exponent" } else { "Shift" };
        let message = format!("{what} must be greater than or equal to 0");
        return Err(vm.throw_error(KnownClass::ValueError, message));
    };
    let number = match left.view() {
        ValueKind::Long(number) => shared(number),
        ValueKind::Object(object) => match held(object) {
            Some(number) => number,
            None => return Err(unsupported(vm)),
        },
        _ => return Err(unsupported(vm)),
    };
    let result = match symbol {
        "**" => arithmetic::power(vm, &number, count)?,
        "<<" => arithmetic::shift_left(vm, &number, count)?,
        _ => &*number >> count,
    };
    made(vm, result)
}

/// The order of a number and an `int`: what they differ by in length and sign shows, as in GMP.
pub(super) fn order(one: &BigInt, two: &BigInt) -> i32 {
    let words = |number: &BigInt| {
        let words = number.bits().div_ceil(64) as i32;
        if number.is_negative() { -words } else { words }
    };
    match words(one) - words(two) {
        0 => one.cmp(two) as i32,
        difference => difference,
    }
}

fn compare_with(vm: &mut Vm, object: &ObjectHandle, other: &Zval) -> PhpResult<Option<i32>> {
    let Some(number) = held(object) else {
        return Ok(None);
    };
    let other_number = operand(vm, other)?;
    Ok(Some(match other.deref().kind() {
        LONG => order(&number, &other_number),
        _ => number.cmp(&other_number) as i32,
    }))
}

fn cast(vm: &mut Vm, object: *mut PhpObject, kind: u8) -> PhpResult<Option<Value>> {
    // SAFETY: I3: the caller keeps the object alive.
    let Some(number) = held(unsafe { &*object }) else {
        return Ok(None);
    };
    Ok(Some(match kind {
        STRING => shown(vm, &number, 10)?,
        LONG => to_long(&number).into(),
        DOUBLE => to_double(&number).into(),
        // A number as arithmetic wants it.
        _ => match i64::try_from(&*number) {
            Ok(number) => number.into(),
            Err(_) => to_double(&number).into(),
        },
    }))
}

fn shown(vm: &mut Vm, number: &Number, base: i64) -> PhpResult<Value> {
    let text = number_text(vm, number, base)?;
    Ok(vm.string(text).into())
}

fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let mut table = property_table(vm, &object);
    if let Some(number) = held(&object) {
        let text = shown(vm, &number, 10)?;
        table.make_mut(vm).set_bytes(b"num", text);
    }
    Ok(table)
}

/// The number in hexadecimal, and properties if there are any.
fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let number = held(&object).unwrap_or_default();
    let text = shown(call.vm, &number, 16)?;
    let mut data = new_list(call.vm, 2);
    data.make_mut(call.vm).append(text);
    let properties = property_table(call.vm, &object);
    if !properties.is_empty() {
        data.make_mut(call.vm).append(properties.into());
    }
    Ok(data.into())
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let data = call.array(0);
    let number = data.get_long(0).map(Value::share);
    read_number(call.vm, &object, number, 16)?;
    match data.get_long(1).map(Value::share) {
        None => {}
        Some(properties) => read_properties(call.vm, &object, Some(properties))?,
    }
    Ok(Value::NULL)
}

/// The data of older versions: the number in decimal, then properties.
fn unserialize_values(
    vm: &mut Vm,
    object: &ObjectHandle,
    next: &mut NextValue<'_>,
) -> PhpResult<()> {
    let number = next(vm)?;
    read_number(vm, object, number, 10)?;
    let properties = next(vm)?;
    read_properties(vm, object, properties)
}

fn read_number(
    vm: &mut Vm,
    object: &ObjectHandle,
    value: Option<Value>,
    base: u32,
) -> PhpResult<()> {
    let text = value.and_then(|value| value.string());
    match text.and_then(|text| parse(&text, base)) {
        Some(number) => {
            store(object, shared(number));
            Ok(())
        }
        None => Err(throw(vm, "Exception", "Could not unserialize number")),
    }
}

fn read_properties(vm: &mut Vm, object: &ObjectHandle, value: Option<Value>) -> PhpResult<()> {
    match value.and_then(|value| value.array()) {
        Some(properties) => load_members(vm, object, &properties),
        None => Err(throw(vm, "Exception", "Could not unserialize properties")),
    }
}
