//! Properties by names of which no runtime cache tells the place: dynamic ones, those of objects whose class is not
//! the one that the cache knows, and names in variables.

use crate::frame::Frame;
use crate::function::class_flags;
use crate::interpreter::properties::scope;
use crate::interpreter::property_cache::{
    DYNAMIC, dynamic_place, fill, has_properties_by_code, takes, words_of,
};
use crate::object::PhpObject;
use crate::object::write::dynamic_table;
use crate::string::PhpString;
use crate::value::{REFERENCE, Zval};
use crate::vm::Vm;

/// What a class says of dynamic properties.
const MAY_HAVE: u32 = class_flags::ALLOW_DYNAMIC_PROPERTIES | class_flags::NO_DYNAMIC_PROPERTIES;

/// A property of an object that code of a frame asks for by its name. The frame runs, object and name are live, and the
/// cache of the frame's function has three words at the offset.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub frame: *mut Frame,
    pub object: *mut PhpObject,
    pub name: *mut PhpString,
    /// Offset of the runtime cache of a literal name, which knows another class; none of other names.
    pub cache: Option<u32>,
}

/// What is found out about a property: the words of a runtime cache, which a literal name keeps for the next time.
/// Nothing if reading it is more than looking at a value.
unsafe fn found(vm: *mut Vm, named: Named) -> Option<[usize; 2]> {
    let function = (*named.frame).function;
    // Constant expressions may only look at cases of enums.
    if (*function).is_expression() {
        return None;
    }
    let (class, name) = ((*named.object).class, named.name);
    let running = scope(named.frame);
    let words = match (*vm).found_properties.get(class, running, name) {
        Some(words) => words,
        None => {
            let words = words_of(vm, class, &*name, running)?;
            (*vm).found_properties.note(class, running, &*name, words);
            words
        }
    };
    if let Some(offset) = named.cache {
        // Not the frame's: the head of an inlined function's frame may not have it yet.
        let cache = (*function).run_time_cache.cast::<u8>();
        fill(cache.add(offset as usize).cast(), class, words);
    }
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
pub(super) unsafe fn read(vm: *mut Vm, named: Named) -> Read {
    let Named { object, name, .. } = named;
    let class = (*object).class;
    let Some([index, _]) = found(vm, named) else {
        return Read::Unknown;
    };
    match place(object, name, index) {
        None => Read::Unknown,
        Some(place) if !place.is_null() => Read::Value((*place).deref_mut()),
        _ if (*object).is_lazy() || has_properties_by_code(class) => Read::Unknown,
        _ if (*class).magic.get.is_null() && (*class).magic.isset.is_null() => Read::Absent,
        _ => Read::Unknown,
    }
}

/// The place of a property that has a value and may get others: of this kind, or without one, of the kind that it
/// has. Null if that is not so, or if it takes more than writing there.
pub(super) unsafe fn written(vm: *mut Vm, named: Named, kind: Option<u8>) -> *mut Zval {
    let Named { object, name, .. } = named;
    let Some([index, taken]) = found(vm, named) else {
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
pub(super) unsafe fn made(vm: *mut Vm, named: Named) -> *mut Zval {
    let Named { object, name, .. } = named;
    let class = (*object).class;
    let allows = (*class).flags & MAY_HAVE == class_flags::ALLOW_DYNAMIC_PROPERTIES;
    let is_asked = !(*class).magic.set.is_null() || (*object).is_lazy();
    let words = found(vm, named);
    let Some([index, _]) = words.filter(|[index, _]| index & DYNAMIC != 0 && allows && !is_asked)
    else {
        return std::ptr::null_mut();
    };
    match place(object, name, index) {
        Some(place) if place.is_null() => dynamic_table(&mut *vm, object).slot_string(&*name),
        _ => std::ptr::null_mut(),
    }
}
