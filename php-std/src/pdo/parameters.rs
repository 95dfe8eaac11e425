//! Parameters of statements: what is bound to them, and what that becomes.

use vm_runtime::function::Call;
use vm_runtime::operators::to_long;
use vm_runtime::value::{ObjectHandle, RESOURCE, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::errors;
use super::statement::{kind, mode, opened, place, prepared, with};
use crate::sqlite::{Column, sys};
use crate::standard::files::stream_in;
use crate::support::{string_of, take_where};

/// A parameter that has a value.
pub(super) struct Parameter {
    pub(super) name: Option<Vec<u8>>,
    /// Counted from 0; -1 while only the name is known.
    pub(super) number: i64,
    pub(super) kind: i64,
    /// A reference if the script bound a variable.
    pub(super) value: Value,
}

pub(super) fn with_colon(name: Vec<u8>) -> Vec<u8> {
    match name.first() {
        Some(b':') => name,
        _ => [b":".as_slice(), &name].concat(),
    }
}

/// Puts what a parameter's value was converted to in its place, which may be a variable. One with types, a
/// property's, keeps what it has.
pub(super) fn put(place: &mut Value, converted: Value) {
    if !place.is_reference() {
        let old = std::mem::replace(place, converted);
        drop(old);
        return;
    }
    // SAFETY: I3: the share in `place` keeps the reference alive; what was there goes when all is in order.
    unsafe {
        let reference = place.reference();
        if !(*reference).sources.is_null() {
            return;
        }
        let old = (*reference).value;
        (*reference).value.set(converted.into_zval());
        vm_runtime::value::release(&old);
    }
}

/// True if it is the same object or the same array, or of the same kind of anything else.
fn is_same(one: &Zval, other: &Zval) -> bool {
    one.kind() == other.kind()
        && match (one.view(), other.view()) {
            (ValueKind::Object(one), ValueKind::Object(other)) => std::ptr::eq(one, other),
            (ValueKind::Array(one), ValueKind::Array(other)) => std::ptr::eq(one, other),
            _ => true,
        }
}

fn bind(call: &mut Call<'_>, mut value: Value, length: i64) -> PhpResult<Value> {
    let object = opened(call)?;
    let (name, number) = place(call)?;
    let held = Value::share(&value);
    let converted = match (call.long(2) & kind::MASK, held.view()) {
        (_, ValueKind::Null) => None,
        (kind::STRING, _) if length <= 0 => Some(string_of(call.vm, &held)?.into()),
        (kind::INTEGER, ValueKind::Bool(flag)) => Some(Value::from(i64::from(flag))),
        (kind::BOOL, ValueKind::Long(number)) => Some((number != 0).into()),
        _ => None,
    };
    if let Some(converted) = converted {
        put(&mut value, converted);
    }
    let parameter = Parameter {
        name: name.map(with_colon),
        number,
        kind: call.long(2),
        value,
    };
    let parameters = &mut prepared(&object).parameters;
    let gone = take_where(parameters, |known| match &parameter.name {
        Some(_) => known.name == parameter.name,
        None => known.number == parameter.number && known.name.is_none(),
    });
    parameters.push(parameter);
    drop(gone);
    Ok(true.into())
}

pub(super) fn bind_param(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: I3: the share belongs to the new value.
    let value = unsafe { Value::from_zval(call.argument(1).share()) };
    let length = call.long(3);
    bind(call, value, length)
}

pub(super) fn bind_value(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(1);
    bind(call, value, 0)
}

/// What a parameter's value becomes, which SQLite gets.
fn converted(vm: &mut Vm, kind: i64, value: &Value) -> PhpResult<Value> {
    Ok(match kind & kind::MASK {
        kind::INTEGER | kind::BOOL => to_long(vm, value).into(),
        kind::LOB if value.kind() == RESOURCE => {
            // SAFETY: I3: the value keeps the resource alive; nobody else has the stream now.
            let Some(stream) = (unsafe { stream_in(value) }) else {
                let message = "Expected a stream resource";
                return Err(errors::throw_plain(vm, message));
            };
            let contents = stream.read_all().unwrap_or_default();
            vm.check()?;
            vm.string(&contents).into()
        }
        _ => string_of(vm, value)?.into(),
    })
}

/// Converts a parameter's value as it is bound, and leaves it so: in the variable, if it is one.
fn column(vm: &mut Vm, object: &ObjectHandle, index: usize) -> PhpResult<Option<Column>> {
    let Some(parameter) = prepared(object).parameters.get(index) else {
        return Ok(None);
    };
    let (kind, mut place) = (parameter.kind, parameter.value.clone());
    let value = Value::share(&place);
    if value.is_null() || kind & kind::MASK == kind::NULL {
        return Ok(Some(Column::Null));
    }
    let converted = converted(vm, kind, &value)?;
    let column = match (kind & kind::MASK, converted.view()) {
        (_, ValueKind::Long(number)) => Column::Integer(number),
        (kind::LOB, ValueKind::String(text)) => Column::Blob(text.as_bytes().to_vec()),
        (_, ValueKind::String(text)) => Column::Text(text.as_bytes().to_vec()),
        _ => Column::Null,
    };
    if value.kind() == converted.kind() {
        return Ok(Some(column));
    }
    if place.is_reference() {
        put(&mut place, converted);
    } else if let Some(parameter) = prepared(object).parameters.get_mut(index)
        // The code of the script that converts may bind something else.
        && is_same(&parameter.value, &value)
    {
        let old = std::mem::replace(&mut parameter.value, converted);
        drop(old);
    }
    Ok(Some(column))
}

/// Hands the parameters to SQLite; false if one was refused, which was said.
pub(super) fn bind_all(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<bool> {
    let count = prepared(object).parameters.len();
    for index in 0..count {
        let Some(column) = column(vm, object, index)? else {
            break;
        };
        let Some(parameter) = prepared(object).parameters.get_mut(index) else {
            break;
        };
        let name = parameter.name.clone();
        let bound = with(vm, object, |_, statement| {
            if let Some(name) = &name {
                parameter.number = statement.parameter(name) - 1;
            }
            Ok(statement.bind(parameter.number.saturating_add(1), &column))
        })?;
        match bound {
            None | Some(sys::SQLITE_OK) => {}
            Some(code) => {
                let mode = mode(object);
                let text = "column index out of range".into();
                let error = &mut prepared(object).error;
                errors::of_number(vm, mode, code, text, error)?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}
