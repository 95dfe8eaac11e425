//! Types of values, and conversions by function.

use std::borrow::Cow;

use vm_runtime::array::KeyRef;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::message::Message;
use vm_runtime::operators::{
    self, debug_type_name, legacy_type_name, numeric_string, to_long, value_name,
};
use vm_runtime::value::{
    ARRAY, DOUBLE, LONG, OBJECT, RESOURCE, ResourceHandle, STRING, StringHandle, Value, ValueKind,
    Zval,
};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Outcome, Plain, callable_name, direct, functions, static_text, text};

functions! {
    "gettype(mixed $value): string" => gettype | gettype_directly,
    "get_debug_type(mixed $value): string" => get_debug_type | get_debug_type_directly,
    "settype(mixed &$var, string $type): bool" => settype | settype_directly,
    "intval(mixed $value, int $base = 10): int" => intval,
    "floatval(mixed $value): float" => floatval,
    "doubleval(mixed $value): float" => floatval,
    "strval(mixed $value): string" => strval,
    "boolval(mixed $value): bool" => boolval,
    "is_null(mixed $value): bool" => is_null,
    "is_bool(mixed $value): bool" => is_bool,
    "is_int(mixed $value): bool" => is_int,
    "is_integer(mixed $value): bool" => is_int,
    "is_long(mixed $value): bool" => is_int,
    "is_float(mixed $value): bool" => is_float,
    "is_double(mixed $value): bool" => is_float,
    "is_string(mixed $value): bool" => is_string,
    "is_array(mixed $value): bool" => is_array,
    "is_object(mixed $value): bool" => is_object,
    "is_resource(mixed $value): bool" => is_resource,
    "is_scalar(mixed $value): bool" => is_scalar,
    "#[Frameless(1)] is_numeric(mixed $value): bool" => is_numeric | is_numeric_directly,
    "is_callable(mixed $value, bool $syntax_only = false, &$callable_name = null): bool" => is_callable | is_callable_directly,
    "is_iterable(mixed $value): bool" => is_iterable | is_iterable_directly,
    "is_countable(mixed $value): bool" => is_countable | is_countable_directly,
}

functions! { CORE_FUNCTIONS:
    "get_resource_type($resource): string" => get_resource_type,
    "get_resource_id($resource): int" => get_resource_id,
    "get_resources(?string $type = null): array" => get_resources,
}

fn gettype(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = legacy_type_name(call.argument(0));
    text(call.vm, name)
}

direct! {
    fn gettype_directly(vm; value: &Zval) { static_text(vm, legacy_type_name(value)) }

    fn is_iterable_directly(vm; value: &Zval) {
        value.kind() == ARRAY || is_instance(vm, value, KnownClass::Traversable)
    }

    fn is_countable_directly(vm; value: &Zval) {
        value.kind() == ARRAY || is_instance(vm, value, KnownClass::Countable)
    }
}

fn get_debug_type(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    Ok(debug_type(call.vm, &value))
}

direct! {
    fn get_debug_type_directly(vm; value: &Zval) { debug_type(vm, value) }
}

/// The name of a value's type: a class has its own already.
fn debug_type(vm: &mut Vm, value: &Zval) -> Value {
    if let ValueKind::Object(object) = value.view()
        && object.class().flags & class_flags::ANONYMOUS == 0
    {
        // SAFETY: I4: a class's name lives as long as it.
        return unsafe { StringHandle::share_raw(object.class().name) }.into();
    }
    match debug_type_name(value) {
        Cow::Borrowed(name) => static_text(vm, name),
        Cow::Owned(name) => vm.string(name.message()).into(),
    }
}

/// What `settype()` and its like convert to.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Long,
    Double,
    String,
    Array,
    Object,
    Bool,
    Null,
    Resource,
}

impl Target {
    /// The type that a name means, in any case.
    fn named(name: &[u8]) -> Option<Target> {
        const NAMES: [(&str, Target); 11] = [
            ("int", Target::Long),
            ("integer", Target::Long),
            ("float", Target::Double),
            ("double", Target::Double),
            ("string", Target::String),
            ("array", Target::Array),
            ("object", Target::Object),
            ("bool", Target::Bool),
            ("boolean", Target::Bool),
            ("null", Target::Null),
            ("resource", Target::Resource),
        ];
        let is_meant = |(known, _): &&(&str, Target)| known.as_bytes().eq_ignore_ascii_case(name);
        NAMES.iter().find(is_meant).map(|&(_, target)| target)
    }
}

/// Converts a number, a truth value or a string to one of them.
fn settype_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [variable, name] = arguments else {
        return false;
    };
    let Some(target) = <&[u8]>::of(name).and_then(Target::named) else {
        return false;
    };
    if !variable.is_reference() {
        return false;
    }
    // SAFETY: I3: the reference is live. What it holds has no destructor, and nobody else looks at it meanwhile.
    unsafe {
        let reference = variable.reference();
        let value = &mut (*reference).value;
        if !(*reference).sources.is_null() || value.is_undef() || value.kind() > STRING {
            return false;
        }
        let converted: Value = match target {
            Target::Long => to_long(vm, value).into(),
            Target::Double => operators::to_double(vm, value).into(),
            Target::Bool => value.to_bool().into(),
            Target::Null => Value::NULL,
            Target::String => match operators::to_string(vm, value) {
                Ok(text) => text.into(),
                Err(_) => return false,
            },
            Target::Array | Target::Object | Target::Resource => return false,
        };
        let old = std::mem::replace(value, converted.into_zval());
        vm_runtime::value::release(&old);
    }
    true.store(result)
}

fn settype(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    let Some(target) = Target::named(call.bytes(1)) else {
        return Err(call.value_error(1, "must be a valid type"));
    };
    let converted: Value = match target {
        Target::Long => to_long(call.vm, &value).into(),
        Target::Double => operators::to_double(call.vm, &value).into(),
        Target::String => match operators::to_string(call.vm, &value) {
            Ok(text) => text.into(),
            Err(_) if value.deref().kind() == ARRAY => call.vm.string("Array").into(),
            Err(_) => call.vm.string("").into(),
        },
        Target::Array => operators::to_array(call.vm, &value).into(),
        Target::Object => operators::to_object(call.vm, &value).into(),
        Target::Bool => value.deref().to_bool().into(),
        Target::Null => Value::NULL,
        Target::Resource => {
            let message = "Cannot convert to resource type";
            return Err(call.vm.throw_error(KnownClass::ValueError, message));
        }
    };
    // Assigned even if converting has thrown.
    call.assign(0, converted);
    call.vm.check()?;
    Ok(true.into())
}

fn intval(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    let base = call.long(1);
    if base == 10 || value.deref().kind() != STRING {
        return Ok(to_long(call.vm, &value).into());
    }
    let digits = value.as_bytes().unwrap_or_default();
    Ok(parse_in_base(digits, base).into())
}

/// `strtol`: base 0 goes by the prefix; too large numbers become the largest.
fn parse_in_base(digits: &[u8], base: i64) -> i64 {
    let start = digits
        .iter()
        .position(|&byte| !numeric_string::is_space(byte));
    let digits = &digits[start.unwrap_or(digits.len())..];
    let (negative, digits) = match digits {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (base, digits) = match (base, digits) {
        (0 | 16, [b'0', b'x' | b'X', rest @ ..]) => (16, rest),
        (0 | 2, [b'0', b'b' | b'B', rest @ ..]) => (2, rest),
        (0, [b'0', rest @ ..]) => (8, rest),
        (0, rest) => (10, rest),
        (2..=36, rest) => (base as u32, rest),
        _ => return 0,
    };
    let mut number = 0i64;
    for digit in digits
        .iter()
        .map_while(|&byte| (byte as char).to_digit(base))
    {
        let digit = if negative {
            -(digit as i64)
        } else {
            digit as i64
        };
        number = number.saturating_mul(base as i64).saturating_add(digit);
    }
    number
}

fn floatval(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    Ok(operators::to_double(call.vm, &value).into())
}

fn strval(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    Ok(operators::to_string(call.vm, &value)?.into())
}

fn boolval(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.argument(0).deref().to_bool().into())
}

/// Tests of the kind of an argument.
macro_rules! kind_tests {
    ($($name:ident = $pattern:pat,)*) => {$(
        fn $name(call: &mut Call<'_>) -> PhpResult<Value> {
            Ok(matches!(call.argument(0).view(), $pattern).into())
        }
    )*};
}

kind_tests! {
    is_null = ValueKind::Null,
    is_bool = ValueKind::Bool(_),
    is_int = ValueKind::Long(_),
    is_float = ValueKind::Double(_),
    is_string = ValueKind::String(_),
    is_array = ValueKind::Array(_),
    is_object = ValueKind::Object(_),
    is_scalar = ValueKind::Bool(_) | ValueKind::Long(_) | ValueKind::Double(_) | ValueKind::String(_),
}

fn is_resource(call: &mut Call<'_>) -> PhpResult<Value> {
    let open = match call.argument(0).view() {
        ValueKind::Resource(resource) => !resource.type_name.is_empty(),
        _ => false,
    };
    Ok(open.into())
}

fn holds_number(value: &Zval) -> bool {
    match value.kind() {
        LONG | DOUBLE => true,
        STRING => numeric_string::is_number(value.as_bytes().unwrap_or_default()),
        _ => false,
    }
}

direct! {
    fn is_numeric_directly(_; value: &Zval) { holds_number(value) }
}

fn is_numeric(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(holds_number(call.argument(0).deref()).into())
}

direct! {
    /// The name of a function, or a closure.
    fn is_callable_directly(vm; value: &Zval) {
        let is_there = match value.view() {
            ValueKind::String(name) => {
                let is_there = vm.function_named(name).is_some();
                // What has a colon may be the method of a class.
                if !is_there && !name.as_bytes().contains(&b':') {
                    return Some(false);
                }
                is_there
            }
            ValueKind::Object(object) => {
                std::ptr::eq(object.class, vm.known_class(KnownClass::Closure))
            }
            _ => false,
        };
        is_there.then_some(true)
    }
}

fn is_callable(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    if call.count() > 2 {
        let name = match value.view() {
            ValueKind::Object(_) | ValueKind::String(_) => callable_name(&value),
            ValueKind::Array(_) if has_callable_form(call.vm, &value) => callable_name(&value),
            ValueKind::Array(_) => b"Array".to_vec(),
            _ => operators::to_string(call.vm, &value)
                .map(|text| text.to_vec())
                .unwrap_or_default(),
        };
        let name = call.vm.string(name);
        call.assign(2, name.into());
    }
    if call.bool(1) {
        return Ok(has_callable_form(call.vm, &value).into());
    }
    Ok(call.vm.check_callable(&value).is_ok().into())
}

/// A string, or a pair of an object or class name and a method name.
fn has_callable_form(vm: &Vm, value: &Zval) -> bool {
    let closure = vm.known_class(KnownClass::Closure);
    match value.view() {
        ValueKind::String(_) => true,
        ValueKind::Array(pair) => {
            let kind = |index| {
                pair.get_long(index)
                    .map(|value: &Zval| value.deref().kind())
            };
            pair.len() == 2
                && matches!(kind(0), Some(STRING | OBJECT))
                && matches!(kind(1), Some(STRING))
        }
        ValueKind::Object(object) => {
            !object.class().magic.invoke.is_null() || std::ptr::eq(object.class, closure)
        }
        _ => false,
    }
}

fn is_instance(vm: &Vm, value: &Zval, class: KnownClass) -> bool {
    match value.view() {
        ValueKind::Object(object) => object.class().is_subclass_of(vm.known_class(class)),
        _ => false,
    }
}

fn is_iterable(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = call.argument(0).deref().kind() == ARRAY;
    Ok((array || is_instance(call.vm, call.argument(0), KnownClass::Traversable)).into())
}

fn is_countable(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = call.argument(0).deref().kind() == ARRAY;
    Ok((array || is_instance(call.vm, call.argument(0), KnownClass::Countable)).into())
}

/// The resource that an argument is: its type name and number.
fn resource(call: &mut Call<'_>) -> PhpResult<(&'static str, i64)> {
    if let ValueKind::Resource(resource) = call.argument(0).view() {
        return Ok((resource.type_name, resource.id));
    }
    debug_assert_ne!(call.argument(0).deref().kind(), RESOURCE);
    let problem = format!(
        "must be of type resource, {} given",
        value_name(call.argument(0))
    );
    Err(call.type_error(0, &problem))
}

fn get_resource_type(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, _) = resource(call)?;
    text(call.vm, if name.is_empty() { "Unknown" } else { name })
}

fn get_resources(call: &mut Call<'_>) -> PhpResult<Value> {
    const TYPES: [&[u8]; 4] = [
        b"stream",
        b"persistent stream",
        b"stream-context",
        b"process",
    ];
    let wanted = call.optional_bytes(0);
    if wanted.is_some_and(|wanted| wanted != b"Unknown" && !TYPES.contains(&wanted)) {
        return Err(call.value_error(0, "must be a valid resource type"));
    }
    let mut found = call.vm.new_array();
    // SAFETY: I3: the heap lists the resources that are live.
    let open: Vec<Value> = unsafe {
        let all = call.vm.heap.resources.values();
        all.filter(|resource| {
            let name = match (***resource).type_name {
                "" => "Unknown",
                name => name,
            };
            wanted.is_none_or(|wanted| wanted == name.as_bytes())
        })
        .map(|&resource| ResourceHandle::share_raw(resource).into_value())
        .collect()
    };
    for resource in open {
        // SAFETY: I3: these are resources, which are live.
        let key = unsafe { (*resource.resource()).id };
        found.make_mut(call.vm).set(KeyRef::Long(key), resource);
    }
    Ok(found.into())
}

fn get_resource_id(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, id) = resource(call)?;
    Ok(id.into())
}
