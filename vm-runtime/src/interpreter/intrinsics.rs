//! The functions of the runtime that clauses use (`vm_def::ir::Intrinsic`). Those of the fast path are
//! inlined and make no calls; those of the middle path never are, so that their locals cannot stand in
//! the way of a handler's tail call. One that may refuse gives a null pointer.

use std::ptr::null_mut;

use crate::array::{KeyRef, PhpArray, integer_key};
use crate::class::Class;
use crate::frame::Frame;
use crate::function::Function;
use crate::interpreter::generators::{self, Generator};
use crate::interpreter::named_properties::{self, Named, Read};
use crate::object::PhpObject;
use crate::object::closure::{self, ClosureHead};
use crate::op::Op;
use crate::operators::float_text::with_integer;
use crate::string::PhpString;
use crate::value::{
    ARRAY, Header, INDIRECT, ObjectHandle, REFCOUNTED, STRING, StringHandle, UNDEF, Value, Zval,
    release,
};
use crate::vm::Vm;

/// The type number of a value.
#[inline(always)]
pub unsafe fn kind_of(value: *const Zval) -> i64 {
    (*value).kind() as i64
}

/// True if both strings have the same bytes.
#[inline(always)]
pub unsafe fn equal_text(a: *const Zval, b: *const Zval) -> bool {
    (*(*a).string()).equals_inline(&*(*b).string())
}

/// True if one of two strings cannot be a number: its first byte is behind `9`. White space, signs
/// and the NUL behind an empty string are below.
#[inline(always)]
pub unsafe fn not_both_numbers(a: *const Zval, b: *const Zval) -> bool {
    let first = |value: *const Zval| *(*(*value).string()).as_bytes().as_ptr();
    first(a) > b'9' || first(b) > b'9'
}

/// How two strings compare, below, at or above 0: as numbers if both are, else byte by byte.
#[inline(never)]
pub unsafe fn compare_strings(a: *const Zval, b: *const Zval) -> i64 {
    let bytes = |value: *const Zval| (*(*value).string()).as_bytes();
    i64::from(crate::operators::smart_compare(bytes(a), bytes(b)))
}

/// Gives back a share that is not the last one.
#[inline(always)]
pub unsafe fn drop_share(value: *const Zval) {
    if (*value).is_refcounted() {
        (*(*value).counted()).refcount -= 1;
    }
}

/// The element of a hash array with an integer key.
#[inline(always)]
pub unsafe fn find_long(array: *mut PhpArray, key: i64) -> *mut Zval {
    match (*array).find_long(key) {
        Some(position) => (*array).value_at(position),
        None => null_mut(),
    }
}

/// The element of a hash array whose key is this very string; the hash must have been computed.
#[inline(always)]
pub unsafe fn find_same_key(array: *mut PhpArray, key: *mut PhpString) -> *mut Zval {
    match (*array).find_same_string(key) {
        Some(position) => (*array).value_at(position),
        None => null_mut(),
    }
}

/// Stands for an element that an array surely does not have.
static ABSENT: Absent = Absent(Zval::UNDEF);

struct Absent(Zval);

// SAFETY: what is undefined has no payload, and nobody writes to it.
unsafe impl Sync for Absent {}

/// The element of an array at a string key, judged without a comparison of bytes: one that is undefined
/// if there surely is none, null if that cannot be seen.
#[inline(always)]
pub unsafe fn find_plain_key(array: *mut PhpArray, key: *mut PhpString) -> *mut Zval {
    match (*array).find_by_hash(key) {
        Some(Some(position)) => (*array).value_at(position),
        // What begins as a number may be an integer key.
        Some(None) if *(*key).as_bytes().as_ptr() > b'9' => (&raw const ABSENT.0).cast_mut(),
        _ => null_mut(),
    }
}

/// The element of an array with a string key, which is taken as an integer if it is one.
#[inline(never)]
pub unsafe fn find_key(array: *mut PhpArray, key: *mut PhpString) -> *mut Zval {
    // No integer begins with a byte behind the digits.
    if *(*key).as_bytes().as_ptr() > b'9' && !(*array).is_packed() {
        return match (*array).find_string(&*key) {
            Some(position) => (*array).value_at(position),
            None => null_mut(),
        };
    }
    let key = match integer_key((*key).as_bytes()) {
        Some(key) => KeyRef::Long(key),
        None => KeyRef::String(&*key),
    };
    match (*array).position_of(key) {
        Some(position) => (*array).value_at(position),
        None => null_mut(),
    }
}

/// A fresh slot behind the last element of a packed array with room.
#[inline(always)]
pub unsafe fn push_in_place(array: *mut PhpArray) -> *mut Zval {
    (*array).push_in_place()
}

/// The value of a constant, where it is.
#[inline(always)]
pub unsafe fn constant(value: *mut Zval) -> *mut Zval {
    value
}

/// The byte of a string at an index inside of it.
#[inline(always)]
pub unsafe fn string_byte(string: *mut PhpString, index: i64) -> i64 {
    i64::from(*(*string).as_bytes().get_unchecked(index as usize))
}

/// Writes the byte of a string at an index inside of it.
#[inline(always)]
pub unsafe fn set_byte(string: *mut PhpString, index: i64, byte: i64) {
    *(*string).data().add(index as usize) = byte as u8;
    (*string).note_change();
}

/// The interned string of one byte.
#[inline(always)]
pub unsafe fn single_byte(byte: i64) -> *mut PhpString {
    crate::string::single_byte_made(byte as u8)
}

/// The bytes that the frame of a call with this many arguments takes.
#[inline(always)]
pub unsafe fn frame_bytes(function: *mut Function, count: i64) -> i64 {
    crate::interpreter::calls::frame_bytes(function, count as u32) as i64
}

/// Makes the variables of a frame behind its arguments undefined.
#[inline(always)]
pub unsafe fn clear_variables(frame: *mut Frame, count: i64) {
    let mut variable = (*frame).slot(count as u32);
    let end = (*frame).slot((*(*frame).function).variables);
    while variable < end {
        // Volatile, or it becomes masked vector code, which is slow for as few variables as functions have.
        (&raw mut (*variable).type_info).write_volatile(u32::from(UNDEF));
        variable = variable.add(1);
    }
}

/// Moves the arguments of a prepared call behind its function's slots that are more than it has parameters.
#[inline(never)]
pub unsafe fn move_more_arguments(call: *mut Frame) {
    crate::interpreter::calls::move_extra_arguments(call);
}

/// The arguments of a running frame from this one on, behind its parameters, as an array. There is one at least.
#[inline(never)]
pub unsafe fn more_arguments(frame: *mut Frame, vm: *mut Vm, first: i64) -> *mut PhpArray {
    crate::interpreter::receiving::more_arguments(frame, vm, first as u32).into_raw()
}

/// Whether two values are equal after conversion, none of which is an array or an object.
#[inline(never)]
pub unsafe fn equal(vm: *mut Vm, left: *const Zval, right: *const Zval) -> bool {
    crate::operators::is_equal(&mut *vm, &*left, &*right)
}

/// True if a variable of the frame holds something counted. Leaving at the first one keeps the loop a plain one.
#[inline(always)]
pub unsafe fn variables_need_release(frame: *mut Frame) -> bool {
    let mut slot = (*frame).slot(0).cast_const();
    let end = slot.add((*(*frame).function).variables as usize);
    while slot < end {
        if (*slot).type_info & REFCOUNTED != 0 {
            return true;
        }
        slot = slot.add(1);
    }
    false
}

/// The entry of a global variable by its name; null if it is not to be had so, or is not there.
#[inline(always)]
pub unsafe fn global_entry(vm: *mut Vm, name: *const Zval) -> *mut Zval {
    let globals = (*vm).globals.as_ptr();
    if (*globals).is_packed() {
        return null_mut();
    }
    let Some(position) = (*globals).find_hashed_string((*name).string()) else {
        return null_mut();
    };
    let entry = (*globals).value_at(position);
    match (*entry).kind() {
        INDIRECT => (*entry).indirect(),
        _ => entry,
    }
}

/// As [`global_entry`], behind a reference; null if it is undefined.
#[inline(always)]
pub unsafe fn global_variable(vm: *mut Vm, name: *const Zval) -> *mut Zval {
    let entry = global_entry(vm, name);
    if entry.is_null() {
        return entry;
    }
    let variable = crate::interpreter::operand::deref(entry);
    match (*variable).kind() {
        UNDEF => null_mut(),
        _ => variable,
    }
}

/// The array in a slot, of its own: a shared or immutable one is copied first, `null` and what is
/// undefined become an array.
#[inline(never)]
pub unsafe fn own_array(vm: *mut Vm, slot: *mut Zval) -> *mut PhpArray {
    if (*slot).kind() == ARRAY {
        crate::interpreter::dimension_writes::separate_array(vm, slot);
    } else {
        (*slot).set(Zval::from_array((*vm).new_array().into_raw()));
    }
    (*slot).array()
}

/// The element at an integer key; a new one holds `null`.
#[inline(never)]
pub unsafe fn slot_long(array: *mut PhpArray, key: i64) -> *mut Zval {
    (*array).slot_long(key)
}

/// The element at a string key, which is taken as an integer if it is one; a new one holds `null`.
#[inline(never)]
pub unsafe fn slot_key(array: *mut PhpArray, key: *mut PhpString) -> *mut Zval {
    match integer_key((*key).as_bytes()) {
        Some(key) => (*array).slot_long(key),
        None => (*array).slot_string(&*key),
    }
}

/// A fresh element behind the last one, as `null`; there must be a key left.
#[inline(never)]
pub unsafe fn slot_next(array: *mut PhpArray) -> *mut Zval {
    (*array)
        .slot_next()
        .expect("a clause has looked at the next key")
}

/// Moves a value into a slot and gives back the old one.
#[inline(never)]
pub unsafe fn replace(slot: *mut Zval, value: *const Zval) {
    let old = (*slot).copy();
    (*slot).set((*value).copy());
    release(&old);
}

/// Makes a slot undefined and gives back its value.
#[inline(never)]
pub unsafe fn clear(slot: *mut Zval) {
    let old = (*slot).copy();
    (*slot).set_undef();
    release(&old);
}

/// True if a string is empty or "0".
#[inline(always)]
pub unsafe fn string_is_falsy(string: *mut PhpString) -> bool {
    match (*string).length {
        0 => true,
        1 => *(*string).as_bytes().as_ptr() == b'0',
        _ => false,
    }
}

/// The class that was the last to pass the type whose cache word has this number, from 1.
#[inline(always)]
pub unsafe fn passed_class(frame: *mut Frame, word: i64) -> *mut Class {
    *(*frame)
        .run_time_cache
        .cast::<*mut Class>()
        .add(word as usize - 1)
}

/// What a parameter's default, an expression, gave when it was evaluated; undefined before. It stands behind the two
/// words of the parameter's type, of which the first has this number, from 1.
#[inline(always)]
pub unsafe fn known_default(frame: *mut Frame, word: i64) -> *mut Zval {
    let words: *mut u64 = (*frame).run_time_cache.cast();
    words
        .add(word as usize - 1 + crate::types::TYPE_WORDS)
        .cast()
}

/// The class that was the last to pass the type of the property in this slot.
#[inline(never)]
pub unsafe fn passed_property_class(object: *mut PhpObject, index: i64) -> *mut Class {
    let info = (&(*(*object).class).slot_properties)[index as usize];
    (*info).passed.get()
}

/// Bits of a kind in front of the offset of a runtime cache, where one word says both.
pub const KIND_BITS: u32 = 8;

/// A property by its name. `cache` is the offset of the name's runtime cache, negative if it has none.
#[inline(always)]
fn named(frame: *mut Frame, object: *mut PhpObject, name: *mut PhpString, cache: i64) -> Named {
    let cache = u32::try_from(cache).ok();
    Named {
        frame,
        object,
        name,
        cache,
    }
}

/// A class below which all objects pass the type of the property in this slot, or null.
#[inline(never)]
pub unsafe fn passed_property_root(object: *mut PhpObject, index: i64) -> *mut Class {
    let info = (&(*(*object).class).slot_properties)[index as usize];
    (*info).passed_root.get()
}

/// The value of the property with this name, an undefined one if there surely is none; null if more has to be looked at.
#[inline(never)]
pub unsafe fn property_named(
    frame: *mut Frame,
    vm: *mut Vm,
    object: *mut PhpObject,
    name: *mut PhpString,
    cache: i64,
) -> *mut Zval {
    match named_properties::read(vm, named(frame, object, name, cache)) {
        Read::Value(value) => value,
        Read::Absent => (&raw const ABSENT.0).cast_mut(),
        Read::Unknown => null_mut(),
    }
}

/// The place of the property with this name if it has a value and takes those of this kind as they are, or null.
#[inline(never)]
pub unsafe fn assigned_property(
    frame: *mut Frame,
    vm: *mut Vm,
    object: *mut PhpObject,
    name: *mut PhpString,
    kind_and_cache: i64,
) -> *mut Zval {
    let cache = kind_and_cache >> KIND_BITS;
    let kind = kind_and_cache as u8;
    named_properties::written(vm, named(frame, object, name, cache), Some(kind))
}

/// The place of the property with this name if it has a value and takes others of its kind as they are, or null.
#[inline(never)]
pub unsafe fn changed_property(
    frame: *mut Frame,
    vm: *mut Vm,
    object: *mut PhpObject,
    name: *mut PhpString,
    cache: i64,
) -> *mut Zval {
    named_properties::written(vm, named(frame, object, name, cache), None)
}

/// A fresh slot for the dynamic property with this name, as `null`; null if there is one, or if it takes more.
#[inline(never)]
pub unsafe fn made_property(
    frame: *mut Frame,
    vm: *mut Vm,
    object: *mut PhpObject,
    name: *mut PhpString,
) -> *mut Zval {
    named_properties::made(vm, named(frame, object, name, -1))
}

/// True if two values are identical. References in them are followed.
#[inline(never)]
pub unsafe fn identical(vm: *mut Vm, a: *const Zval, b: *const Zval) -> bool {
    crate::operators::is_identical(&mut *vm, &*a, &*b)
}

/// The place of a static variable, which the extended value of a BIND_STATIC names.
#[inline(always)]
pub unsafe fn static_variable(frame: *mut Frame, extended: i64) -> *mut Zval {
    crate::interpreter::variables::static_slot(frame, extended as u32)
}

/// Writes a string made of two into a slot.
#[inline(never)]
pub unsafe fn concatenate(vm: *mut Vm, target: *mut Zval, left: *const Zval, right: *const Zval) {
    crate::operators::concat_strings(&mut *vm, &mut *target, &*left, &*right);
}

/// Writes a string and a number behind it into a slot.
#[inline(never)]
pub unsafe fn concatenate_number(vm: *mut Vm, target: *mut Zval, left: *const Zval, right: i64) {
    let left = &*(*left).string();
    let joined = with_integer(right, |right| {
        crate::operators::joined(&mut *vm, left, right)
    });
    (*target).set(joined);
}

/// Writes a number and a string behind it into a slot.
#[inline(never)]
pub unsafe fn number_concatenate(vm: *mut Vm, target: *mut Zval, left: i64, right: *const Zval) {
    let right = &*(*right).string();
    let joined = with_integer(left, |left| crate::operators::joined(&mut *vm, left, right));
    (*target).set(joined);
}

/// Writes a number as a string into a slot.
#[inline(never)]
pub unsafe fn number_text(vm: *mut Vm, target: *mut Zval, number: i64) {
    let string = with_integer(number, |text| (*vm).string(text));
    (*target).set(string.into_value().into_zval());
}

/// A number as a string, with a share for whoever gets it.
#[inline(never)]
pub unsafe fn number_string(vm: *mut Vm, number: i64) -> *mut PhpString {
    with_integer(number, |text| (*vm).string(text)).into_raw()
}

/// Appends a string to the one in a slot, in place if nobody else has it.
#[inline(never)]
pub unsafe fn append(vm: *mut Vm, target: *mut Zval, right: *const Zval) {
    crate::operators::concat_assign(&mut *vm, target, &*right);
}

/// Appends a number to the string in a slot, in place if nobody else has it.
#[inline(never)]
pub unsafe fn append_number(vm: *mut Vm, target: *mut Zval, right: i64) {
    with_integer(right, |right| {
        crate::operators::append_bytes(&mut *vm, &mut *target, right);
    });
}

/// A string that nobody else has, with another one behind it; it is taken over.
#[inline(never)]
pub unsafe fn extended(vm: *mut Vm, left: *const Zval, right: *const Zval) -> *mut PhpString {
    let left = StringHandle::from_raw((*left).string());
    crate::operators::extended(&mut *vm, left, &*(*right).string()).into_raw()
}

/// Puts a string into a rope, with its share.
#[inline(always)]
pub unsafe fn set_rope_part(rope: *mut Zval, number: i64, part: *mut PhpString) {
    *rope.cast::<*mut PhpString>().add(number as usize) = part;
}

/// The string made of the parts of a rope up to `last`, which are given back.
#[inline(never)]
pub unsafe fn joined_rope(vm: *mut Vm, rope: *mut Zval, last: i64) -> *mut PhpString {
    crate::interpreter::strings::join_rope(vm, rope, last as usize)
}

/// A new array with room for so many elements.
#[inline(never)]
pub unsafe fn new_array(vm: *mut Vm, size: i64) -> *mut PhpArray {
    PhpArray::with_capacity(&mut (*vm).heap, size as usize).into_raw()
}

/// A new packed array with room for so many elements, of which it has the first.
#[inline(never)]
pub unsafe fn new_list(vm: *mut Vm, size: i64) -> *mut PhpArray {
    PhpArray::begun_list(&mut (*vm).heap, size as usize).into_raw()
}

/// A new hash array with room for so many elements, of which it has the first, with this key.
#[inline(never)]
pub unsafe fn new_table(vm: *mut Vm, size: i64, key: *mut PhpString) -> *mut PhpArray {
    PhpArray::begun_table(&mut (*vm).heap, size as usize, &*key).into_raw()
}

/// Moves a value to a string key of an array, which is no integer; an old value is given back.
#[inline(never)]
pub unsafe fn set_name(array: *mut PhpArray, key: *mut PhpString, value: *const Zval) {
    debug_assert!(integer_key((*key).as_bytes()).is_none());
    let value = Value::from_zval((*value).copy());
    (*array).set_string(&*key, value);
}

/// What a closure gives to frames, or null.
#[inline(never)]
pub unsafe fn closure_head(object: *mut PhpObject) -> *mut ClosureHead {
    closure::head_of(&*object).map_or(null_mut(), |head| &raw mut *head)
}

/// The function with a name, in any case, or null.
#[inline(never)]
pub unsafe fn function_named(vm: *mut Vm, name: *mut Zval) -> *mut Function {
    let name = (*name).string();
    let found = (*vm).function_named(&*name);
    found.map_or(null_mut(), <*const Function>::cast_mut)
}

/// The method of a class by its name that every scope calls, or null if nobody has looked for it.
#[inline(never)]
pub unsafe fn noted_method(vm: *mut Vm, class: *mut Class, name: *const Zval) -> *mut Function {
    let found = (*vm).noted_method(class, &*(*name).string());
    found.map_or(null_mut(), <*const Function>::cast_mut)
}

/// The method that code of the frame calls by this literal name on the object, or null if nobody has looked for it.
/// The runtime cache at this offset knows it from then on.
#[inline(never)]
pub unsafe fn method_named(
    frame: *mut Frame,
    vm: *mut Vm,
    object: *mut PhpObject,
    name: *const Zval,
    cache: i64,
) -> *mut Function {
    let function = (*frame).function;
    let class = (*object).class;
    let found = (*vm)
        .found_methods
        .get(class, (*function).scope, (*name).string());
    // Calling a closure's __invoke() is calling the closure.
    let is_closure = class == (*vm).known_class(crate::exceptions::KnownClass::Closure);
    let Some(method) = found.filter(|_| !is_closure) else {
        return null_mut();
    };
    // Not the frame's: the head of an inlined function's frame may not have it yet.
    let words = (*function).run_time_cache.cast::<u8>().add(cache as usize);
    *words.cast() = (class, method);
    method.cast_mut()
}

/// Whether all elements of an array are scalars, none of them shared by reference.
#[inline(never)]
pub unsafe fn holds_scalars(array: *mut PhpArray) -> bool {
    let is_scalar = |value: &Zval| !value.is_refcounted() || value.kind() == STRING;
    (*array).iter().all(|(_, value)| is_scalar(value))
}

/// A new object of a class whose instances need nothing but their properties.
#[inline(never)]
pub unsafe fn new_object(vm: *mut Vm, class: *mut Class) -> *mut PhpObject {
    PhpObject::allocate(&mut *vm, class).into_raw()
}

/// Makes the collector know of what may be the root of a cycle; false if that takes more than a free place.
#[inline(always)]
pub unsafe fn noted(header: *mut Header) -> bool {
    crate::collector::note_root(header)
}

/// Removes the element with an integer key from the array in a slot, if there is one.
#[inline(never)]
pub unsafe fn remove_long(vm: *mut Vm, slot: *mut Zval, key: i64) {
    crate::interpreter::dimension_writes::separate_array(vm, slot);
    (*(*slot).array()).remove_long(key);
}

/// As [`remove_long`] by a string key, which is taken as an integer if it is one.
#[inline(never)]
pub unsafe fn remove_key(vm: *mut Vm, slot: *mut Zval, key: *mut PhpString) {
    crate::interpreter::dimension_writes::separate_array(vm, slot);
    let array = (*slot).array();
    match integer_key((*key).as_bytes()) {
        Some(key) => (*array).remove_long(key),
        None => (*array).remove(KeyRef::String(&*key)),
    };
}

/// The element at an integer key of the array in a slot, made if there is none; null if it is a
/// reference.
#[inline(never)]
pub unsafe fn written_long(vm: *mut Vm, slot: *mut Zval, key: i64) -> *mut Zval {
    let array = (*slot).array();
    if (*array).header.refcount != 1 || (*array).header.is_immutable() {
        if (*array).get_long(key).is_some_and(Zval::is_reference) {
            return null_mut();
        }
        crate::interpreter::dimension_writes::separate_array(vm, slot);
    }
    let element = (*(*slot).array()).slot_long(key);
    match (*element).is_reference() {
        true => null_mut(),
        false => element,
    }
}

/// The slot of an argument by its name; null if anything is special about it.
#[inline(never)]
pub unsafe fn named_argument(frame: *mut Frame, vm: *mut Vm, name: *mut PhpString) -> *mut Zval {
    crate::interpreter::arguments::plain_named_slot(vm, frame, name)
}

/// Makes what is in a slot a reference, if it is none yet.
#[inline(never)]
pub unsafe fn make_reference(vm: *mut Vm, slot: *mut Zval) {
    crate::value::make_reference(&mut (*vm).heap, slot);
}

/// True if an object is of a class or of one below it.
#[inline(never)]
pub unsafe fn is_instance(object: *mut PhpObject, class: *mut Class) -> bool {
    (&*(*object).class).is_subclass_of(class)
}

/// The generator that runs in a frame.
#[inline(always)]
pub unsafe fn generator_of(frame: *mut Frame) -> *mut Generator {
    generators::of_frame(frame)
}

/// The generator that an object is, if it has come to a value of its own and may be resumed; null else.
#[inline(never)]
pub unsafe fn suspended_generator(vm: *mut Vm, object: *mut PhpObject) -> *mut Generator {
    if !generators::is_generator(&*vm, &*object) {
        return std::ptr::null_mut();
    }
    let generator = generators::data(object);
    match (*generator).is_suspended() {
        true => generator,
        false => std::ptr::null_mut(),
    }
}

/// A generator made of a frame, which is left then.
#[inline(never)]
pub unsafe fn new_generator(vm: *mut Vm, frame: *mut Frame) -> *mut PhpObject {
    generators::move_to_heap(vm, frame).into_raw()
}

/// The name of a value's type as `gettype()` gives it.
#[inline(never)]
pub unsafe fn type_name(vm: *mut Vm, value: *const Zval) -> *mut PhpString {
    let name = crate::operators::legacy_type_name(&*value);
    (*vm).string(name).into_raw()
}

/// Silences errors that are not fatal, and gives the levels that were reported before.
#[inline(never)]
pub unsafe fn begin_silence(vm: *mut Vm) -> i64 {
    i64::from((*vm).begin_silence())
}

/// Reports errors of these levels again.
#[inline(never)]
pub unsafe fn end_silence(vm: *mut Vm, before: i64) {
    (*vm).end_silence(before as u32);
}

/// True if `assert()` is switched on.
#[inline(never)]
pub unsafe fn assertions_active(vm: *mut Vm) -> bool {
    (*vm).assertions_active()
}

/// Notes for the end of a `finally` block that it was called by an opline.
#[inline(never)]
pub unsafe fn note_finally(frame: *mut Frame, opline: *mut Op, state: *mut Zval) {
    super::exceptions::note_call(frame, opline, state);
}

/// The closure that a DECLARE_LAMBDA_FUNCTION makes.
#[inline(never)]
pub unsafe fn new_closure(frame: *mut Frame, opline: *mut Op, vm: *mut Vm) -> *mut PhpObject {
    super::closures::new_closure(frame, opline, vm).into_raw()
}

/// Gives a closure a share of a value as one of its variables.
#[inline(never)]
pub unsafe fn capture(closure: *mut PhpObject, extended: i64, value: *const Zval) {
    super::closures::capture(closure, extended as u32, (*value).share());
}

/// A copy of an object with nothing but properties, or null.
#[inline(never)]
pub unsafe fn plain_copy(vm: *mut Vm, object: *mut PhpObject) -> *mut PhpObject {
    let copy = crate::object::plain_copy(&mut *vm, object);
    copy.map_or(null_mut(), ObjectHandle::into_raw)
}

/// Unsets a property of an object on behalf of the frame's function.
#[inline(never)]
pub unsafe fn unset_property(
    frame: *mut Frame,
    vm: *mut Vm,
    object: *mut PhpObject,
    name: *mut PhpString,
) {
    let held = ObjectHandle::share_raw(object);
    let name = StringHandle::share_raw(name);
    let scope = (*(*frame).function).scope;
    // A throw has redirected the frame.
    let _ = crate::object::write::unset_property(&mut *vm, held.as_ptr(), &name, scope);
}

/// Writes a power of two numbers into a slot; null if a warning would come of it.
#[inline(never)]
pub unsafe fn power(target: *mut Zval, base: *const Zval, exponent: *const Zval) -> *mut Zval {
    match crate::operators::silent_power(&*base, &*exponent) {
        Some(power) => {
            (*target).set(power);
            target
        }
        None => null_mut(),
    }
}

/// Writes a string to the output; it is held while callbacks of output buffers run.
#[inline(never)]
pub unsafe fn echo(vm: *mut Vm, string: *const Zval) {
    let string = StringHandle::share_raw((*string).string());
    (*vm).write(string.as_bytes());
}

/// Calls the native function without arguments that the frame's frameless opline names, and writes its
/// result.
#[inline(always)]
pub unsafe fn call_frameless_0(frame: *mut Frame, vm: *mut Vm) {
    crate::interpreter::frameless::call_borrowed(frame, vm, []);
}

/// As [`call_frameless_0`] with one argument, which is borrowed.
#[inline(always)]
pub unsafe fn call_frameless_1(frame: *mut Frame, vm: *mut Vm, a: *const Zval) {
    crate::interpreter::frameless::call_borrowed(frame, vm, [(*a).copy()]);
}

/// As [`call_frameless_0`] with two arguments, which are borrowed.
#[inline(always)]
pub unsafe fn call_frameless_2(frame: *mut Frame, vm: *mut Vm, a: *const Zval, b: *const Zval) {
    crate::interpreter::frameless::call_borrowed(frame, vm, [(*a).copy(), (*b).copy()]);
}

/// As [`call_frameless_0`] with three arguments, which are borrowed.
#[inline(always)]
pub unsafe fn call_frameless_3(
    frame: *mut Frame,
    vm: *mut Vm,
    a: *const Zval,
    b: *const Zval,
    c: *const Zval,
) {
    crate::interpreter::frameless::call_borrowed(
        frame,
        vm,
        [(*a).copy(), (*b).copy(), (*c).copy()],
    );
}

/// The direct entry of a native function, for borrowed arguments; false if it leaves them to the function.
#[inline(never)]
pub unsafe fn call_direct(
    vm: *mut Vm,
    function: *const Function,
    target: *mut Zval,
    first: *const Zval,
    count: i64,
) -> bool {
    enter_directly(vm, function, target, &Zval::UNDEF, first, count)
}

/// As [`call_direct`] for a method: the first of so many values is its object.
#[inline(never)]
pub unsafe fn call_direct_method(
    vm: *mut Vm,
    function: *const Function,
    target: *mut Zval,
    first: *const Zval,
    count: i64,
) -> bool {
    enter_directly(vm, function, target, &*first, first.add(1), count - 1)
}

#[inline(always)]
unsafe fn enter_directly(
    vm: *mut Vm,
    function: *const Function,
    target: *mut Zval,
    this: &Zval,
    first: *const Zval,
    count: i64,
) -> bool {
    let Some(direct) = (*function).direct else {
        return false;
    };
    let arguments = std::slice::from_raw_parts(first, count as usize);
    let is_done = direct(&mut *vm, this, arguments, &mut *target);
    debug_assert!(
        !is_done || keeps_promise(function, &*target),
        "{}",
        (*function).display_name()
    );
    is_done
}

/// Whether a value is of the types that a native function declares to give: compiled code relies on that.
unsafe fn keeps_promise(function: *const Function, value: &Zval) -> bool {
    match &(*function).return_type {
        Some(declared) if declared.classes.is_empty() => {
            let types = declared.mask & crate::function::type_mask::ANY;
            types == 0 || types & 1 << value.kind() != 0
        }
        _ => true,
    }
}

/// Makes the prepared call of a native function; its result goes to a slot, unless that is null.
#[inline(always)]
pub unsafe fn call_native(frame: *mut Frame, vm: *mut Vm, target: *mut Zval) {
    crate::interpreter::calls::make_native_call(frame, vm, target);
}
