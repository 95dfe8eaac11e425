//! Casts: `(bool)`, `(int)`, `(float)`, `(string)`, `(array)`, `(object)`, and the conversions that
//! operators make of their operands.

use super::float_text::{self, integer};
use super::numeric_string::{self, Number};
use super::type_names::class_or_type_name;
use crate::array::{HAS_INDIRECT, KeyRef, PhpArray, integer_key};
use crate::exceptions::KnownClass;
use crate::object::PhpObject;
use crate::string::{KnownString, PhpString};
use crate::value::{
    ARRAY, ArrayHandle, DOUBLE, FALSE, LONG, NULL, OBJECT, ObjectHandle, RESOURCE, STRING,
    StringHandle, TRUE, UNDEF, Value, ValueKind, Zval,
};
use crate::vm::{PhpResult, Vm};

static ARRAY_TEXT: KnownString = KnownString::new(b"Array");
static SCALAR: KnownString = KnownString::new(b"scalar");

/// `(bool)$value`
#[inline]
pub fn to_bool(value: &Zval) -> bool {
    match value.view() {
        ValueKind::Null => false,
        ValueKind::Bool(value) => value,
        ValueKind::Long(value) => value != 0,
        ValueKind::Double(value) => value != 0.0,
        ValueKind::String(value) => !matches!(value.as_bytes(), b"" | b"0"),
        ValueKind::Array(value) => !value.is_empty(),
        ValueKind::Object(object) => object_to_bool(object),
        ValueKind::Resource(_) => true,
    }
}

/// Objects are true, unless their native class says otherwise.
pub fn object_to_bool(object: &PhpObject) -> bool {
    let Some(truth) = object.class().handlers.and_then(|handlers| handlers.truth) else {
        return true;
    };
    truth(object)
}

/// What a cast handler is asked for where an `int` or a `float` will do.
pub const ANY_NUMBER: u8 = u8::MAX;

/// What a native class makes of `(int)$object` and its like, if it has a say.
fn native_cast(vm: &mut Vm, object: &PhpObject, target: u8) -> PhpResult<Option<Value>> {
    match object.class().handlers.and_then(|handlers| handlers.cast) {
        Some(cast) => cast(vm, (&raw const *object).cast_mut(), target),
        None => Ok(None),
    }
}

/// The number that an object stands for in a sum, if its class says so.
pub fn object_to_number(vm: &mut Vm, object: &PhpObject) -> PhpResult<Option<Value>> {
    let number = native_cast(vm, object, ANY_NUMBER)?;
    Ok(number.filter(|number| matches!(number.kind(), LONG | DOUBLE)))
}

/// `(int)$value`; warns for objects.
#[inline]
pub fn to_long(vm: &mut Vm, value: &Zval) -> i64 {
    match value.view() {
        ValueKind::Null => 0,
        ValueKind::Bool(value) => value as i64,
        ValueKind::Long(value) => value,
        ValueKind::Double(value) => double_to_long(value),
        ValueKind::String(value) => numeric_string::to_long(value.as_bytes()),
        ValueKind::Array(value) => !value.is_empty() as i64,
        ValueKind::Resource(value) => value.id,
        ValueKind::Object(object) => match native_cast(vm, object, LONG) {
            Ok(Some(number)) => number.long(),
            Ok(None) => {
                warn_object(vm, value, "int");
                1
            }
            Err(_) => 0,
        },
    }
}

/// `(float)$value`; warns for objects.
#[inline]
pub fn to_double(vm: &mut Vm, value: &Zval) -> f64 {
    match value.view() {
        ValueKind::Double(value) => value,
        ValueKind::String(value) => numeric_string::to_double(value.as_bytes()),
        ValueKind::Object(object) => match native_cast(vm, object, DOUBLE) {
            Ok(Some(number)) => number.double(),
            Ok(None) => {
                warn_object(vm, value, "float");
                1.0
            }
            Err(_) => 0.0,
        },
        _ => to_long(vm, value) as f64,
    }
}

#[cold]
fn warn_object(vm: &mut Vm, value: &Zval, target: &str) {
    let class = class_or_type_name(value);
    vm.warning(format!(
        "Object of class {class} could not be converted to {target}"
    ));
}

/// A `float` as `int`: cut off, wrapped around beyond 64 bits; 0 if not finite.
#[inline(always)]
pub fn double_to_long(value: f64) -> i64 {
    if (-9223372036854775808.0..9223372036854775808.0).contains(&value) {
        value as i64
    } else {
        wrap_double(value)
    }
}

#[cold]
fn wrap_double(value: f64) -> i64 {
    if value.is_finite() {
        (value % 18446744073709551616.0) as i128 as i64
    } else {
        0
    }
}

/// A number with `int` meaning: deprecated if the fraction is lost.
pub fn integral(vm: &mut Vm, value: f64) -> PhpResult<i64> {
    let long = double_to_long(value);
    if long as f64 != value {
        lost_precision(vm, value)?;
    }
    Ok(long)
}

/// Reports that a `float` loses its fraction, or does not fit, when used as an `int`.
#[cold]
pub fn lost_precision(vm: &mut Vm, value: f64) -> PhpResult<()> {
    let text = float_text::shortest(value);
    vm.deprecated(format!(
        "Implicit conversion from float {text} to int loses precision"
    ));
    vm.check()
}

/// As [`lost_precision`], for a `float` written as a string.
#[cold]
pub fn lost_string_precision(vm: &mut Vm, text: &PhpString) -> PhpResult<()> {
    let message = format!(
        "Implicit conversion from float-string \"{}\" to int loses precision",
        text.to_text()
    );
    vm.deprecated(message);
    vm.check()
}

/// An operand of arithmetic as a number; `None` if its type does not support arithmetic. The value
/// must be shared by the caller.
pub(super) fn operand_number(vm: &mut Vm, value: &Zval) -> PhpResult<Option<Number>> {
    Ok(Some(match value.view() {
        ValueKind::Null => Number::Long(0),
        ValueKind::Bool(value) => Number::Long(value as i64),
        ValueKind::Long(value) => Number::Long(value),
        ValueKind::Double(value) => Number::Double(value),
        ValueKind::String(value) => {
            let Some(numeric) = numeric_string::parse(value.as_bytes()) else {
                return Ok(None);
            };
            if !numeric.whole {
                vm.warning("A non-numeric value encountered");
                vm.check()?;
            }
            numeric.number
        }
        _ => return Ok(None),
    }))
}

/// An operand of `%`, shifts and bit operations as `int`; `None` if its type does not support them.
/// The value must be shared by the caller.
pub(super) fn operand_long(vm: &mut Vm, value: &Zval) -> PhpResult<Option<i64>> {
    Ok(Some(match value.view() {
        ValueKind::Null => 0,
        ValueKind::Bool(value) => value as i64,
        ValueKind::Long(value) => value,
        ValueKind::Double(value) => integral(vm, value)?,
        ValueKind::String(value) => match operand_number(vm, Value::share_string(value).as_zval())?
        {
            None => return Ok(None),
            Some(Number::Long(long)) => long,
            Some(Number::Double(double)) => {
                let long = numeric_string::saturate(double);
                if long as f64 != double {
                    lost_string_precision(vm, value)?;
                }
                long
            }
        },
        _ => return Ok(None),
    }))
}

impl Value {
    /// A value with a share of a live string.
    fn share_string(string: &PhpString) -> Value {
        // SAFETY: I3: a borrowed string is live.
        unsafe { StringHandle::share_raw((&raw const *string).cast_mut()) }.into_value()
    }
}

/// `(string)$value`: arrays warn, objects need `__toString`.
#[inline]
pub fn to_string(vm: &mut Vm, value: &Zval) -> PhpResult<StringHandle> {
    let value = value.deref();
    if value.kind() == STRING {
        // SAFETY: I3: a string payload is live.
        return Ok(unsafe { StringHandle::share_raw(value.string()) });
    }
    other_to_string(vm, value)
}

#[inline(never)]
fn other_to_string(vm: &mut Vm, value: &Zval) -> PhpResult<StringHandle> {
    Ok(match value.kind() {
        LONG => vm.string(integer(value.long())),
        TRUE => vm.string("1"),
        DOUBLE => {
            let precision = vm.ini.precision;
            vm.string(float_text::general(value.double(), precision))
        }
        ARRAY => {
            vm.warning("Array to string conversion");
            vm.check()?;
            ARRAY_TEXT.handle()
        }
        // SAFETY: I3: an object payload is live.
        OBJECT => return object_to_string(vm, &unsafe { ObjectHandle::share_raw(value.object()) }),
        RESOURCE => {
            // SAFETY: I3: a resource payload is live.
            let id = unsafe { (*value.resource()).id };
            vm.string(format!("Resource id #{id}"))
        }
        _ => vm.string(""),
    })
}

/// `(string)$object`: calls `__toString`; throws if there is none.
pub fn object_to_string(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<StringHandle> {
    if let Some(text) = try_object_to_string(vm, object)? {
        return Ok(text);
    }
    vm.check()?;
    let class = object.class().display_name();
    Err(vm.throw_error(
        KnownClass::Error,
        format!("Object of class {class} could not be converted to string"),
    ))
}

/// As [`object_to_string`], but `None` if the class has no `__toString`.
pub fn try_object_to_string(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Option<StringHandle>> {
    let class = object.class;
    // SAFETY: I4: classes live until the VM ends.
    let method = unsafe { (*class).magic.to_string };
    if method.is_null() {
        return Ok(native_cast(vm, object, STRING)?.and_then(|text| text.string()));
    }
    // SAFETY: I4: methods live as long as their class.
    if let Some(direct) = unsafe { (*method).direct } {
        let mut text = Zval::UNDEF;
        if direct(vm, &Zval::from_object(object.as_ptr()), &[], &mut text) {
            // SAFETY: a direct entry gives a share of what it makes.
            return Ok(unsafe { Value::from_zval(text) }.string());
        }
    }
    // The method may drop what the caller has it from.
    let held = object.clone();
    let text = vm.call_plain_method(method, &held, [])?;
    if let Some(text) = text.string() {
        return Ok(Some(text));
    }
    let name = object.class().display_name();
    Err(vm.throw_error(
        KnownClass::TypeError,
        format!(
            "{name}::__toString(): Return value must be of type string, {} returned",
            class_or_type_name(&text)
        ),
    ))
}

/// `(array)$value`: scalars become one element, objects a table of their properties.
pub fn to_array(vm: &mut Vm, value: &Zval) -> ArrayHandle {
    let value = value.deref();
    match value.kind() {
        // SAFETY: I3: the payloads are live.
        ARRAY => unsafe { ArrayHandle::share_raw(value.array()) },
        UNDEF | NULL => vm.new_array(),
        OBJECT => {
            // SAFETY: I3: an object payload is live.
            let object = unsafe { ObjectHandle::share_raw(value.object()) };
            if std::ptr::eq(object.class, vm.known_class(KnownClass::Closure)) {
                return single(vm, value);
            }
            // What this throws is seen by the caller's check for exceptions.
            object_to_array(vm, &object).unwrap_or_else(|_| vm.new_array())
        }
        _ => single(vm, value),
    }
}

fn single(vm: &mut Vm, value: &Zval) -> ArrayHandle {
    let mut array = vm.new_array();
    array.make_mut(vm).set_long(0, Value::share(value));
    array
}

/// What `(array)$object` gives: its properties by their mangled names, uninitialised ones left out,
/// or what its native class has instead.
pub fn object_to_array(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ArrayHandle> {
    let table = crate::object::present_properties(vm, object)?;
    let is_symbol =
        |key: KeyRef<'_>| matches!(key, KeyRef::String(key) if integer_key(key).is_some());
    if !table.iter().any(|(key, _)| is_symbol(key)) {
        return Ok(table);
    }
    // Decimal names become integer keys.
    let mut converted = vm.new_array();
    for (key, value) in table.iter() {
        let value = share_element(value);
        let target = converted.make_mut(vm);
        match key {
            KeyRef::Long(key) => target.set_long(key, value),
            KeyRef::String(key) => target.set_symbol(key, value),
        }
    }
    Ok(converted)
}

/// All initialised properties of an object by their mangled names, which are strings even if they are decimal.
/// Where there are no others,
/// the table of dynamic ones itself, which whoever writes to it first copies.
pub fn property_table(vm: &mut Vm, object: &PhpObject) -> ArrayHandle {
    // SAFETY: I3: the table of dynamic properties lives as long as the object.
    let dynamic = unsafe { object.dynamic.as_ref() };
    if object.slot_count == 0
        && let Some(dynamic) = dynamic
        // Positions in it, where loops over the object stand, are those in a copy.
        && dynamic.positions() == dynamic.len() as u32
        && dynamic.flags & HAS_INDIRECT == 0
        && dynamic.iter().all(|(key, _)| matches!(key, KeyRef::String(_)))
    {
        // SAFETY: I3: as above.
        return unsafe { ArrayHandle::share_raw(object.dynamic) };
    }
    let mut array = PhpArray::with_capacity(&mut vm.heap, object.slot_count as usize);
    let target = array.make_mut(vm);
    let infos = object.class().slot_properties.iter();
    for (slot, &info) in (0..object.slot_count).zip(infos) {
        if info.is_null() {
            continue;
        }
        // SAFETY: I4: below the slot count; property infos and names live as long as their class.
        let (value, name) = unsafe { (&*object.slot(slot), &*(*info).mangled) };
        if !value.is_undef() {
            target.set_new(KeyRef::String(name), share_element(value));
        }
    }
    if !object.dynamic.is_null() {
        // SAFETY: I3: the table of dynamic properties lives as long as the object.
        let dynamic = unsafe { ArrayHandle::share_raw(object.dynamic) };
        for (key, value) in dynamic.iter() {
            // Numbers are the keys of what was appended to an ArrayObject around the object.
            if array.get(key).is_none() {
                array.make_mut(vm).set(key, share_element(value));
            }
        }
    }
    array
}

/// A share of an element; a reference that has no other owner is taken as its value.
#[inline(always)]
pub fn share_element(value: &Zval) -> Value {
    if value.is_reference() {
        // SAFETY: I3: a reference payload is live.
        let owners = unsafe { (*value.counted()).refcount };
        if owners == 1 {
            return Value::share(value);
        }
    }
    // SAFETY: I3: the new share belongs to the new value.
    unsafe { Value::from_zval(value.share()) }
}

/// `(object)$value`: arrays become the properties of a `stdClass`, other values its `scalar`.
pub fn to_object(vm: &mut Vm, value: &Zval) -> ObjectHandle {
    let value = value.deref();
    if value.kind() == OBJECT {
        // SAFETY: I3: an object payload is live.
        return unsafe { ObjectHandle::share_raw(value.object()) };
    }
    let mut table = vm.new_array();
    match value.kind() {
        UNDEF | NULL => {}
        ARRAY => {
            // SAFETY: I3: an array payload is live.
            let array = unsafe { ArrayHandle::share_raw(value.array()) };
            table = symbols_to_properties(vm, &array);
        }
        _ => table
            .make_mut(vm)
            .set_string(&SCALAR.handle(), Value::share(value)),
    }
    let class = vm.known_class(KnownClass::StdClass);
    let object = PhpObject::allocate(vm, class);
    if !table.is_empty() {
        // SAFETY: I3: the object is new and takes over the share of the table.
        unsafe { (*object.as_ptr()).dynamic = table.into_raw() };
    }
    object
}

/// A property table with the elements of an array: integer keys become decimal names. Without such it is the array
/// itself, which whoever writes to it first copies.
fn symbols_to_properties(vm: &mut Vm, array: &ArrayHandle) -> ArrayHandle {
    let is_table = !array.is_packed() && array.flags & HAS_INDIRECT == 0;
    let mut keys = array.iter().map(|(key, _)| key);
    if is_table && keys.all(|key| matches!(key, KeyRef::String(_))) {
        return match array.header.is_immutable() {
            true => array.duplicate(&mut vm.heap),
            false => array.clone(),
        };
    }
    let mut table = PhpArray::with_capacity(&mut vm.heap, array.len());
    for (key, value) in array.iter() {
        let name = match key.to_key() {
            crate::array::Key::String(name) => name,
            crate::array::Key::Long(key) => vm.string(integer(key)),
        };
        table.make_mut(vm).set_string(&name, share_element(value));
    }
    table
}

impl Zval {
    /// `(bool)$value`
    #[inline]
    pub fn to_bool(&self) -> bool {
        match self.kind() {
            UNDEF | NULL | FALSE => false,
            TRUE => true,
            _ => to_bool(self),
        }
    }

    /// `(int)$value`; warns for objects.
    #[inline]
    pub fn to_long(&self, vm: &mut Vm) -> i64 {
        to_long(vm, self)
    }

    /// `(float)$value`; warns for objects.
    #[inline]
    pub fn to_double(&self, vm: &mut Vm) -> f64 {
        to_double(vm, self)
    }

    /// `(string)$value`: arrays warn, objects need `__toString`.
    #[inline]
    pub fn to_string(&self, vm: &mut Vm) -> PhpResult<StringHandle> {
        to_string(vm, self)
    }

    /// `(array)$value`
    pub fn to_array(&self, vm: &mut Vm) -> ArrayHandle {
        to_array(vm, self)
    }

    /// `(object)$value`
    pub fn to_object(&self, vm: &mut Vm) -> ObjectHandle {
        to_object(vm, self)
    }
}
