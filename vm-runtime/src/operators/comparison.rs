//! `<=>`, `==`, `<`, `<=`.
//!
//! A comparison gives -1, 0 or 1; values that cannot be ordered compare as 1 from both sides, so
//! that neither `<` nor `<=` nor `==` holds.

use std::cmp::Ordering;

use super::convert::{object_to_bool, to_bool, try_object_to_string};
use super::float_text::{general, integer};
use super::identity::throw_recursive;
use super::numeric_string::{self, Number, Numeric};
use crate::array::PhpArray;
use crate::exceptions::KnownClass;
use crate::function::class_flags;
use crate::object::PhpObject;
use crate::value::{
    ARRAY, ArrayHandle, DOUBLE, FALSE, HEADER_PROTECTED, Header, LONG, NULL, OBJECT, ObjectHandle,
    RESOURCE, STRING, TRUE, UNDEF, Value, Zval,
};
use crate::vm::Vm;

/// What a comparison of values without an order gives.
pub const UNCOMPARABLE: i32 = 1;

#[inline(always)]
fn order<T: PartialOrd>(left: T, right: T) -> i32 {
    if left == right {
        0
    } else if left < right {
        -1
    } else {
        1
    }
}

/// `$left <=> $right` as a number. If it throws, what it gives means nothing.
pub fn compare(vm: &mut Vm, left: &Zval, right: &Zval) -> i32 {
    let (left, right) = (left.deref(), right.deref());
    match (left.kind(), right.kind()) {
        (LONG, LONG) => order(left.long(), right.long()),
        (LONG, DOUBLE) => order(left.long() as f64, right.double()),
        (DOUBLE, LONG) => order(left.double(), right.long() as f64),
        (DOUBLE, DOUBLE) => order(left.double(), right.double()),
        (ARRAY, ARRAY) => {
            // SAFETY: I3: array payloads are live.
            let (left, right) = unsafe {
                (
                    ArrayHandle::share_raw(left.array()),
                    ArrayHandle::share_raw(right.array()),
                )
            };
            compare_arrays(vm, &left, &right)
        }
        (UNDEF | NULL | FALSE, UNDEF | NULL | FALSE) | (TRUE, TRUE) => 0,
        (UNDEF | NULL, TRUE) => -1,
        (TRUE, UNDEF | NULL) => 1,
        // SAFETY: I3: string payloads are live.
        (STRING, STRING) => unsafe {
            if left.string() == right.string() {
                return 0;
            }
            smart_compare(&*left.string(), &*right.string())
        },
        // SAFETY: as above.
        (UNDEF | NULL, STRING) => -(unsafe { !(*right.string()).is_empty() } as i32),
        // SAFETY: as above.
        (STRING, UNDEF | NULL) => unsafe { !(*left.string()).is_empty() as i32 },
        // SAFETY: as above.
        (LONG, STRING) => unsafe { long_with_string(left.long(), &*right.string()) },
        // SAFETY: as above.
        (STRING, LONG) => -unsafe { long_with_string(right.long(), &*left.string()) },
        // SAFETY: as above.
        (DOUBLE, STRING) => unsafe {
            double_with_string(vm, left.double(), &*right.string()).unwrap_or(UNCOMPARABLE)
        },
        // SAFETY: as above.
        (STRING, DOUBLE) => unsafe {
            double_with_string(vm, right.double(), &*left.string())
                .map_or(UNCOMPARABLE, |order| -order)
        },
        (OBJECT, UNDEF | NULL) => 1,
        (UNDEF | NULL, OBJECT) => -1,
        (OBJECT, _) | (_, OBJECT) => compare_with_object(vm, left, right),
        (UNDEF | NULL | FALSE, _) => -(to_bool(right) as i32),
        (TRUE, _) => !to_bool(right) as i32,
        (_, UNDEF | NULL | FALSE) => to_bool(left) as i32,
        (_, TRUE) => -(!to_bool(left) as i32),
        (ARRAY, _) => 1,
        (_, ARRAY) => -1,
        _ => compare_scalars(left, right),
    }
}

/// As [`compare`], for what is compared one after the other: mostly integers, or the same text.
#[inline(always)]
fn compare_elements(vm: &mut Vm, left: &Zval, right: &Zval) -> i32 {
    match (left.kind(), right.kind()) {
        (LONG, LONG) => order(left.long(), right.long()),
        (STRING, STRING) if left.string() == right.string() => 0,
        _ => compare(vm, left, right),
    }
}

/// Resources with other scalars: by number.
fn compare_scalars(left: &Zval, right: &Zval) -> i32 {
    match (scalar_number(left), scalar_number(right)) {
        (Number::Long(left), Number::Long(right)) => order(left, right),
        (left, right) => order(left.to_double(), right.to_double()),
    }
}

fn scalar_number(value: &Zval) -> Number {
    match value.kind() {
        LONG => Number::Long(value.long()),
        DOUBLE => Number::Double(value.double()),
        // SAFETY: I3: a resource payload is live.
        RESOURCE => Number::Long(unsafe { (*value.resource()).id }),
        STRING => {
            // SAFETY: I3: a string payload is live.
            let numeric = numeric_string::parse(unsafe { (*value.string()).as_bytes() });
            numeric.map_or(Number::Long(0), |numeric| numeric.number)
        }
        _ => Number::Long(0),
    }
}

/// Byte-wise order of strings (`strcmp`).
#[inline]
pub fn compare_strings(left: &[u8], right: &[u8]) -> i32 {
    match left.cmp(right) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// Two numeric strings as the numbers they stand for; `None` if they compare as strings.
#[inline]
fn numeric_pair(left: &[u8], right: &[u8]) -> Option<(Number, Number, i8, i8)> {
    let (Some(left), Some(right)) = (numeric_string::parse(left), numeric_string::parse(right))
    else {
        return None;
    };
    let (
        Numeric {
            number: left,
            whole: true,
            overflow: left_overflow,
        },
        Numeric {
            number: right,
            whole: true,
            overflow: right_overflow,
        },
    ) = (left, right)
    else {
        return None;
    };
    if let (Number::Double(left), Number::Double(right)) = (left, right) {
        // Integers too large for a difference to show, and infinities, compare as strings.
        let same_overflow = left_overflow != 0 && left_overflow == right_overflow;
        if same_overflow && left - right == 0.0 || left == right && !left.is_finite() {
            return None;
        }
    }
    Some((left, right, left_overflow, right_overflow))
}

/// `$left <=> $right` of strings: as numbers if both are numeric, else byte-wise.
pub fn smart_compare(left: &[u8], right: &[u8]) -> i32 {
    match numeric_pair(left, right) {
        Some((Number::Long(left), Number::Long(right), ..)) => order(left, right),
        Some((Number::Long(_), Number::Double(_), _, overflow)) if overflow != 0 => {
            -(overflow as i32)
        }
        Some((Number::Double(_), Number::Long(_), overflow, _)) if overflow != 0 => overflow as i32,
        Some((left, right, ..)) => order(left.to_double(), right.to_double()),
        None => compare_strings(left, right),
    }
}

/// `$left == $right` of strings.
#[inline]
pub fn strings_are_equal(left: &[u8], right: &[u8]) -> bool {
    // Only digits, signs, points and spaces start a number.
    if left.first().is_none_or(|&byte| byte > b'9') || right.first().is_none_or(|&byte| byte > b'9')
    {
        return left == right;
    }
    smart_compare(left, right) == 0
}

fn long_with_string(long: i64, string: &[u8]) -> i32 {
    match numeric_string::parse_whole(string) {
        Some(Number::Long(number)) => order(long, number),
        Some(Number::Double(number)) => order(long as f64, number),
        None => compare_strings(integer(long).as_bytes(), string),
    }
}

/// `None` for NAN, which compares with nothing.
fn double_with_string(vm: &Vm, double: f64, string: &[u8]) -> Option<i32> {
    if double.is_nan() {
        return None;
    }
    Some(match numeric_string::parse_whole(string) {
        Some(number) => order(double, number.to_double()),
        None => compare_strings(general(double, vm.ini.precision).as_bytes(), string),
    })
}

/// What is thrown when there is no stack left for arrays in arrays.
pub(super) const ARRAYS_TOO_DEEP: &str = "Maximum call stack size reached. Infinite recursion?";
/// The same of objects in objects.
const OBJECTS_TOO_DEEP: &str = "Maximum call stack size reached during object comparison";

/// Runs `walk` with a value marked as being visited. Throws and gives `None` if it already is, or
/// if the native stack is nearly used up.
pub(super) fn walk_protected<T: Protect, R>(
    vm: &mut Vm,
    value: &T,
    too_deep: &'static str,
    walk: impl FnOnce(&mut Vm) -> R,
) -> Option<R> {
    vm.poll();
    let header = value.header();
    // SAFETY: I3: the caller holds a share of the value.
    unsafe {
        if (*header).is_immutable() {
            return Some(walk(vm));
        }
        if (*header).type_info & HEADER_PROTECTED != 0 {
            throw_recursive(vm);
            return None;
        }
        if vm.native_stack_is_low() {
            vm.throw_error(crate::exceptions::KnownClass::Error, too_deep);
            return None;
        }
        (*header).type_info |= HEADER_PROTECTED;
        let result = walk(vm);
        (*header).type_info &= !HEADER_PROTECTED;
        Some(result)
    }
}

/// True if [`walk_protected`] is at work on the value.
pub(super) fn is_visited(value: &PhpArray) -> bool {
    value.header.type_info & HEADER_PROTECTED != 0
}

/// A value that can be marked as being visited.
pub(super) trait Protect {
    fn header(&self) -> *mut Header;
}

impl Protect for PhpArray {
    fn header(&self) -> *mut Header {
        (&raw const self.header).cast_mut()
    }
}

impl Protect for PhpObject {
    fn header(&self) -> *mut Header {
        (&raw const self.header).cast_mut()
    }
}

/// `$left <=> $right` of arrays: by number of elements, then element by element in the order of
/// the left one. The caller holds shares of both.
pub fn compare_arrays(vm: &mut Vm, left: &PhpArray, right: &PhpArray) -> i32 {
    compare_tables(vm, left, right, ARRAYS_TOO_DEEP)
}

fn compare_tables(vm: &mut Vm, left: &PhpArray, right: &PhpArray, too_deep: &'static str) -> i32 {
    if std::ptr::eq(left, right) {
        return 0;
    }
    if left.len() != right.len() && !is_visited(left) {
        return order(left.len(), right.len());
    }
    let compared = walk_protected(vm, left, too_deep, |vm| {
        for (key, value) in left.iter() {
            // All of them may be the same long text.
            vm.poll();
            let Some(other) = right.get(key) else {
                return UNCOMPARABLE;
            };
            let order = compare_elements(vm, value, other);
            if order != 0 {
                return order;
            }
        }
        0
    });
    compared.unwrap_or(UNCOMPARABLE)
}

/// A comparison of which at least one side is an object and the other is not `null`.
fn compare_with_object(vm: &mut Vm, left: &Zval, right: &Zval) -> i32 {
    if left.kind() == OBJECT && right.kind() == OBJECT {
        if left.object() == right.object() {
            return 0;
        }
        // SAFETY: I3: object payloads are live.
        let (left, right) = unsafe {
            (
                ObjectHandle::share_raw(left.object()),
                ObjectHandle::share_raw(right.object()),
            )
        };
        return compare_objects(vm, &left, &right);
    }
    let flipped = left.kind() != OBJECT;
    let (object, other) = if flipped {
        (right, left)
    } else {
        (left, right)
    };
    let sign = if flipped { -1 } else { 1 };
    // SAFETY: I3: an object payload is live.
    let object = unsafe { ObjectHandle::share_raw(object.object()) };
    if is_without_order(object.class()) {
        return UNCOMPARABLE;
    }
    if let Some(compare) = object
        .class()
        .handlers
        .and_then(|handlers| handlers.compare_with)
    {
        let other = Value::share(other);
        return match compare(vm, &object, &other) {
            // What a class gives is seen as it is only from the left.
            Ok(Some(order)) if flipped => -order.signum(),
            Ok(Some(order)) => order,
            _ => UNCOMPARABLE,
        };
    }
    if matches!(other.kind(), LONG | DOUBLE)
        && let Some(cast) = object.class().handlers.and_then(|handlers| handlers.cast)
        && let Ok(Some(number)) = cast(vm, object.as_ptr(), other.kind())
    {
        return sign * compare(vm, &number, other);
    }
    sign * match other.kind() {
        FALSE => i32::from(object_to_bool(&object)),
        TRUE => i32::from(object_to_bool(&object)) - 1,
        STRING => {
            // SAFETY: I3: a string payload is live.
            let other = unsafe { crate::value::StringHandle::share_raw(other.string()) };
            match try_object_to_string(vm, &object) {
                Ok(Some(text)) => smart_compare(&text, &other),
                _ => 1,
            }
        }
        LONG => {
            let other = other.long();
            notice_conversion(vm, &object, "int");
            order(1, other)
        }
        DOUBLE => {
            let other = other.double();
            notice_conversion(vm, &object, "float");
            // NAN is no less from either side.
            if other.is_nan() {
                sign
            } else {
                order(1.0, other)
            }
        }
        _ => 1,
    }
}

/// True for cases of enums and for objects that stand for something outside, which functions make: nothing is like them.
fn is_without_order(class: &crate::class::Class) -> bool {
    let is_made = class
        .handlers
        .is_some_and(|handlers| handlers.made_by.is_some());
    is_made || class.flags & class_flags::ENUM != 0
}

#[cold]
fn notice_conversion(vm: &mut Vm, object: &PhpObject, target: &str) {
    let class = object.class().display_name();
    vm.notice(format!(
        "Object of class {class} could not be converted to {target}"
    ));
}

/// Different objects: only those of one class can be ordered, property by property.
fn compare_objects(vm: &mut Vm, left: &ObjectHandle, right: &ObjectHandle) -> i32 {
    if let Some(native) = &left.native
        && let Some(order) = native.compare(vm, left, right)
    {
        return order;
    }
    if left.class != right.class {
        return UNCOMPARABLE;
    }
    let class = left.class();
    let closure = vm.known_class(KnownClass::Closure);
    if is_without_order(class) || std::ptr::eq(class, closure) {
        return UNCOMPARABLE;
    }
    let state = |vm: &mut Vm, object| crate::object::lazy::with_state(vm, object);
    let (Ok(left), Ok(right)) = (state(vm, left), state(vm, right)) else {
        return UNCOMPARABLE;
    };
    let compared = walk_protected(vm, &*left, OBJECTS_TOO_DEEP, |vm| {
        for slot in 0..left.slot_count {
            // SAFETY: I4: objects of one class have the same slots.
            let (left, right) = unsafe { (&*left.slot(slot), &*right.slot(slot)) };
            if left.is_undef() != right.is_undef() {
                return UNCOMPARABLE;
            }
            let order = compare_elements(vm, left, right);
            if order != 0 {
                return order;
            }
        }
        if left.dynamic.is_null() && right.dynamic.is_null() {
            return 0;
        }
        compare_dynamic(vm, &left, &right)
    });
    compared.unwrap_or(UNCOMPARABLE)
}

fn compare_dynamic(vm: &mut Vm, left: &PhpObject, right: &PhpObject) -> i32 {
    let table = |object: &PhpObject| {
        let table = if object.dynamic.is_null() {
            crate::array::empty_array()
        } else {
            object.dynamic
        };
        // SAFETY: I3: the table lives as long as the object, the empty array always.
        unsafe { ArrayHandle::share_raw(table) }
    };
    let (left, right) = (table(left), table(right));
    compare_tables(vm, &left, &right, OBJECTS_TOO_DEEP)
}

/// `$left == $right`
#[inline]
pub fn is_equal(vm: &mut Vm, left: &Zval, right: &Zval) -> bool {
    let (left, right) = (left.deref(), right.deref());
    match (left.kind(), right.kind()) {
        (LONG, LONG) => left.long() == right.long(),
        (DOUBLE, DOUBLE) => left.double() == right.double(),
        // SAFETY: I3: string payloads are live.
        (STRING, STRING) => unsafe {
            left.string() == right.string() || strings_are_equal(&*left.string(), &*right.string())
        },
        _ => compare(vm, left, right) == 0,
    }
}

/// `$left < $right`
#[inline]
pub fn is_smaller(vm: &mut Vm, left: &Zval, right: &Zval) -> bool {
    compare(vm, left, right) < 0
}

/// `$left <= $right`
#[inline]
pub fn is_smaller_or_equal(vm: &mut Vm, left: &Zval, right: &Zval) -> bool {
    compare(vm, left, right) <= 0
}

/// `$left <=> $right`
pub fn spaceship(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    let order = compare(vm, left, right);
    if vm.exception.is_null() {
        result.set_long(order as i64);
    } else {
        result.set_undef();
    }
}
