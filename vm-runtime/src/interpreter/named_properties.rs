//! Properties by names of which no runtime cache tells the place: dynamic ones, and names in variables.

use crate::class::Class;
use crate::frame::Frame;
use crate::function::class_flags;
use crate::interpreter::properties::scope;
use crate::interpreter::property_cache::{DYNAMIC, dynamic_place, takes, words_of};
use crate::object::PhpObject;
use crate::object::write::dynamic_table;
use crate::string::PhpString;
use crate::value::{REFERENCE, Zval};
use crate::vm::Vm;

/// What a class says of dynamic properties.
const MAY_HAVE: u32 = class_flags::ALLOW_DYNAMIC_PROPERTIES | class_flags::NO_DYNAMIC_PROPERTIES;

/// What is found out about the property that objects of a class have by a name, for code of the frame: the words of
/// a runtime cache. Nothing if reading it is more than looking at a value.
unsafe fn found(
    frame: *mut Frame,
    vm: *mut Vm,
    class: *mut Class,
    name: *mut PhpString,
) -> Option<[usize; 2]> {
    // Constant expressions may only look at cases of enums.
    if (*(*frame).function).is_expression() {
        return None;
    }
    let running = scope(frame);
    if let Some(words) = (*vm).found_properties.get(class, running, name) {
        return Some(words);
    }
    let words = words_of(vm, class, &*name, running)?;
    (*vm).found_properties.note(class, running, &*name, words);
    Some(words)
}

/// Where the value stands, or null if there is none.
unsafe fn place(
    object: *mut PhpObject,
    name: *mut PhpString,
    mut index: usize,
) -> Option<*mut Zval> {
    let place = match index & DYNAMIC {
        0 => (*object).slot(index as u32),
        _ => dynamic_place(object, name, &mut index)?,
    };
    match place.is_null() || (*place).is_undef() {
        true => Some(std::ptr::null_mut()),
        false => Some(place),
    }
}

/// What reading a property finds.
pub(super) enum Read {
    /// Its value, behind references.
    Value(*mut Zval),
    /// There is none, and nobody is asked for one.
    Absent,
    /// More has to be looked at.
    Unknown,
}

/// Reads the property of this name.
pub(super) unsafe fn read(
    frame: *mut Frame,
    vm: *mut Vm,
    object: *mut PhpObject,
    name: *mut PhpString,
) -> Read {
    let class = (*object).class;
    let Some([index, _]) = found(frame, vm, class, name) else {
        return Read::Unknown;
    };
    match place(object, name, index) {
        None => Read::Unknown,
        Some(place) if !place.is_null() => Read::Value((*place).deref_mut()),
        _ if (*object).is_lazy() => Read::Unknown,
        _ if (*class).magic.get.is_null() && (*class).magic.isset.is_null() => Read::Absent,
        _ => Read::Unknown,
    }
}

/// The place of a property that has a value and may get others: of this kind, or without one, of the kind that it
/// has. Null if that is not so, or if it takes more than writing there.
pub(super) unsafe fn written(
    frame: *mut Frame,
    vm: *mut Vm,
    object: *mut PhpObject,
    name: *mut PhpString,
    kind: Option<u8>,
) -> *mut Zval {
    let Some([index, taken]) = found(frame, vm, (*object).class, name) else {
        return std::ptr::null_mut();
    };
    let is_dynamic = index & DYNAMIC != 0;
    let table = (*object).dynamic;
    if is_dynamic && !table.is_null() && (*table).header.refcount > 1 {
        return std::ptr::null_mut();
    }
    match place(object, name, index) {
        Some(place) if !place.is_null() && (*place).kind() != REFERENCE => {
            let fits = is_dynamic || takes(taken, kind.unwrap_or((*place).kind()));
            if fits { place } else { std::ptr::null_mut() }
        }
        _ => std::ptr::null_mut(),
    }
}

/// A fresh slot for the dynamic property of this name, as `null`. Null if there is one, or if the class has a say.
pub(super) unsafe fn made(
    frame: *mut Frame,
    vm: *mut Vm,
    object: *mut PhpObject,
    name: *mut PhpString,
) -> *mut Zval {
    let class = (*object).class;
    let allows = (*class).flags & MAY_HAVE == class_flags::ALLOW_DYNAMIC_PROPERTIES;
    let is_asked = !(*class).magic.set.is_null() || (*object).is_lazy();
    let words = found(frame, vm, class, name);
    let Some([index, _]) = words.filter(|[index, _]| index & DYNAMIC != 0 && allows && !is_asked)
    else {
        return std::ptr::null_mut();
    };
    match place(object, name, index) {
        Some(place) if place.is_null() => dynamic_table(&mut *vm, object).slot_string(&*name),
        _ => std::ptr::null_mut(),
    }
}
