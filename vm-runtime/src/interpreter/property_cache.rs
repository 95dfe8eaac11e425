//! What runtime caches know of properties: three words behind the class of an object.
//!
//! The first is the class. The second is the index of a slot, or for a dynamic property
//! [`DYNAMIC`] with the position in its table where the name stood last, or [`HOOKED`]. The third says what may be
//! written to a slot without asking anybody, see [`DeclaredProperty`], and of a dynamic property whether the
//! class has methods that are asked for those that are not there.

use crate::array::HAS_INDIRECT;
use crate::class::{Class, NO_SLOT, PropertyInfo};
use crate::frame::Frame;
use crate::function::flags;
use crate::interpreter::assign::free_write_operand;
use crate::interpreter::operand::*;
use crate::interpreter::properties::{CACHE_FLAGS, scope};
use crate::object::access::{Lookup, has_set_access, property_offset};
use crate::object::{PROPERTY_REINITIALISABLE, PhpObject};
use crate::op::{IS_CONST, IS_CV, IS_UNUSED, IS_VAR, Op};
use crate::string::PhpString;
use crate::value::{OBJECT, REFERENCE, UNDEF, Zval, release};
use crate::vm::Vm;

/// Mark of a dynamic property in the second word. No object has that many slots.
pub(super) const DYNAMIC: usize = 1 << 63;

/// The second word where hooks are called; the third is the address of their [`PropertyInfo`] then. It has the bit of
/// [`DYNAMIC`] too: to clauses a negative number is no slot, and no table has an entry at this position.
const HOOKED: usize = DYNAMIC | 1 << 62;

/// Kinds of values that a declared property takes without a check, by type number.
const KINDS: usize = (1 << 10) - 2;
/// The property takes objects of a class that is known to pass its type ([`crate::types::knows_to_pass`]).
pub const OBJECTS: usize = 1 << 31;
/// How far the same bits for a slot without a value stand above those for one with a value.
pub const UNINITIALISED: u32 = 32;

/// A declared property without hooks that the running code may use.
pub(super) struct DeclaredProperty {
    /// Index of its slot.
    pub index: u32,
    taken: usize,
}

impl DeclaredProperty {
    /// What the second and third words of a cache say, unless they are those of a dynamic property.
    fn of([index, taken]: [usize; 2]) -> Option<DeclaredProperty> {
        (index & DYNAMIC == 0).then_some(DeclaredProperty {
            index: index as u32,
            taken,
        })
    }

    /// True if a value of this kind may replace the one it has.
    pub fn takes(&self, kind: u8) -> bool {
        takes(self.taken, kind)
    }

    /// True if there are values that may.
    pub fn takes_something(&self) -> bool {
        self.taken & KINDS != 0
    }
}

/// True if, by the third word of a cache, a value of this kind may replace the one that a slot has.
pub(super) fn takes(taken: usize, kind: u8) -> bool {
    taken & KINDS & 1 << kind != 0
}

/// Whether native code may refuse what is written to a property: that of a native class which has such code, declared
/// again or not.
pub(super) unsafe fn is_written_by_code(class: &Class, info: &PropertyInfo) -> bool {
    asks_code(class) && info.native_declaration().is_some()
}

/// Native code is asked about the properties of such objects that have no value, whoever declared them.
pub(super) fn asks_code(class: &Class) -> bool {
    let handlers = class.handlers;
    handlers.is_some_and(|handlers| handlers.properties_by_code.is_some())
}

/// As `Lookup::Slot` says it, but native code computes the property, which was declared again.
fn is_computed_instead(class: &Class, info: &PropertyInfo) -> bool {
    asks_code(class)
        && info
            .native_declaration()
            .is_some_and(PropertyInfo::is_computed)
}

/// What may be written without asking: the third word of a cache for this property.
unsafe fn taken_by(class: &Class, info: &PropertyInfo, scope: *const Class) -> usize {
    if is_written_by_code(class, info) || !has_set_access(info, scope) {
        return 0;
    }
    let taken = match &info.declared {
        None => KINDS,
        Some(declared) if declared.classes.is_empty() => declared.mask as usize & KINDS,
        Some(declared) => declared.mask as usize & KINDS | OBJECTS,
    };
    let initialised = match info.flags & flags::READONLY {
        0 => taken,
        _ => 0,
    };
    // `__set` is asked about what has no value, and native code is.
    let uninitialised = match class.magic.set.is_null() && !asks_code(class) {
        true => taken,
        false => 0,
    };
    initialised | uninitialised << UNINITIALISED
}

/// Fills a runtime cache.
pub(super) unsafe fn fill(cached: *mut *mut Class, class: *mut Class, words: [usize; 2]) {
    *cached = class;
    *cached.add(1).cast::<[usize; 2]>() = words;
}

/// Fills the runtime cache at `offset` for a container of another class than it was filled for, if
/// the property is known.
#[inline]
pub(super) unsafe fn refill(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container: *const Zval,
    offset: u32,
) {
    if (*container).kind() != OBJECT || (*opline).op2_type != IS_CONST {
        return;
    }
    let class = (*(*container).object()).class;
    let cached = cache::<Class>(frame, offset);
    if *cached != class {
        let name = (*constant(opline, (*opline).op2)).string();
        if let Some(words) = (*vm).found_properties.get(class, scope(frame), name) {
            fill(cached, class, words);
        }
    }
}

/// Finds a declared property: in the runtime cache at `offset` if the name is literal, which is
/// filled then, also for a dynamic one.
pub(super) unsafe fn declared_property(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    offset: u32,
    object: *mut PhpObject,
    name: &PhpString,
) -> Option<DeclaredProperty> {
    let class = (*object).class;
    let is_literal = (*opline).op2_type == IS_CONST;
    let cached = cache::<Class>(frame, offset);
    if is_literal {
        refill(frame, opline, vm, &Zval::from_object(object), offset);
    }
    if is_literal && *cached == class {
        return DeclaredProperty::of(*cached.add(1).cast::<[usize; 2]>());
    }
    let running = scope(frame);
    let words = words_of(vm, class, name, running)?;
    if is_literal {
        fill(cached, class, words);
        (*vm).found_properties.note(class, running, name, words);
    }
    DeclaredProperty::of(words)
}

/// Whether native code is asked for properties that objects of the class do not have.
pub(super) unsafe fn has_properties_by_code(class: *const Class) -> bool {
    (*class)
        .handlers
        .is_some_and(|handlers| handlers.properties_by_code.is_some())
}

/// True if a name is that of a dynamic property: the class declares none of that name and has no code that would
/// have to be asked first.
unsafe fn is_dynamic(class: *const Class, name: &PhpString) -> bool {
    // A name with a NUL in front is an Error.
    (*class).properties.get_string(name).is_none()
        && !has_properties_by_code(class)
        && name.as_bytes().first() != Some(&0)
}

/// The words for a property that code of this scope may use without asking anybody.
pub(super) unsafe fn words_of(
    vm: *mut Vm,
    class: *mut Class,
    name: &PhpString,
    running: *const Class,
) -> Option<[usize; 2]> {
    // What has hooks is called each time: it is looked for once, and not again.
    if let Some(info) = (*class).properties.get_string(name)
        && info.has_hooks()
        && info.flags & flags::CHANGED == 0
    {
        return None;
    }
    if is_dynamic(class, name) {
        let magic = &(*class).magic;
        let is_asked = [magic.get, magic.set, magic.isset]
            .iter()
            .any(|it| !it.is_null());
        return Some([DYNAMIC, usize::from(is_asked)]);
    }
    match property_offset(&mut *vm, class, name, running, true) {
        Ok(Lookup::Slot { index, info }) if !is_computed_instead(&*class, &*info) => {
            Some([index as usize, taken_by(&*class, &*info, running)])
        }
        _ => None,
    }
}

/// The declaration of a property with a literal name whose hooks the running code calls: it is looked for once, and
/// stands in the runtime cache at `offset` then.
pub(super) unsafe fn hooked_property(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container: *const Zval,
    offset: u32,
) -> Option<*const PropertyInfo> {
    if (*container).kind() != OBJECT || (*opline).op2_type != IS_CONST {
        return None;
    }
    let class = (*(*container).object()).class;
    let cached = cache::<Class>(frame, offset);
    if *cached == class {
        let [index, info] = *cached.add(1).cast::<[usize; 2]>();
        return (index == HOOKED).then_some(info as *const PropertyInfo);
    }
    let name = &*(*constant(opline, (*opline).op2)).string();
    if has_properties_by_code(class) || !(*class).properties.get_string(name)?.has_hooks() {
        return None;
    }
    let running = scope(frame);
    let Ok(Lookup::Hooked(info)) = property_offset(&mut *vm, class, name, running, true) else {
        return None;
    };
    let own = (*(*frame).function).hooked_property;
    if (*opline).op1_type == IS_UNUSED && !own.is_null() && (*own).as_bytes() == name.as_bytes() {
        note_storage(cached, class, &*info, running);
        return None;
    }
    fill(cached, class, [HOOKED, info as usize]);
    Some(info)
}

/// Notes the slot of a property with hooks, if it has one, as that of a property without: what a hook does to its own
/// property through `$this` goes to the storage.
unsafe fn note_storage(
    cached: *mut *mut Class,
    class: *mut Class,
    info: &PropertyInfo,
    running: *mut Class,
) {
    if info.slot != NO_SLOT {
        let words = [info.slot as usize, taken_by(&*class, info, running)];
        fill(cached, class, words);
    }
}

/// The place of a property that has a value, by the runtime cache at `offset`; null if the cache
/// does not know.
#[inline]
pub(super) unsafe fn cached_place(
    frame: *mut Frame,
    opline: *const Op,
    container: *const Zval,
    offset: u32,
) -> *mut Zval {
    if (*container).kind() != OBJECT || (*opline).op2_type != IS_CONST {
        return std::ptr::null_mut();
    }
    let object = (*container).object();
    let cached = cache::<Class>(frame, offset);
    if *cached != (*object).class {
        return std::ptr::null_mut();
    }
    let index = cached.add(1).cast::<usize>();
    if *index == HOOKED {
        return std::ptr::null_mut();
    }
    if *index & DYNAMIC != 0 {
        let name = (*constant(opline, (*opline).op2)).string();
        return dynamic_place(object, name, &mut *index).unwrap_or(std::ptr::null_mut());
    }
    let place = (*object).slot(*index as u32);
    match (*place).kind() {
        UNDEF => std::ptr::null_mut(),
        _ => place,
    }
}

/// The place of a dynamic property, looked for first at `position`, where the name stood last. Null if there is
/// none; nothing if the table would have to be looked into in another way.
pub(super) unsafe fn dynamic_place(
    object: *mut PhpObject,
    name: *mut PhpString,
    position: &mut usize,
) -> Option<*mut Zval> {
    let table = (*object).dynamic;
    if table.is_null() {
        return Some(std::ptr::null_mut());
    }
    if (*table).is_packed() || (*table).flags & HAS_INDIRECT != 0 {
        return None;
    }
    let guess = *position & !DYNAMIC;
    if guess < (*table).used as usize {
        let bucket = (*table).buckets().add(guess);
        if (*bucket).key == name && !(*bucket).value.is_undef() {
            return Some(&raw mut (*bucket).value);
        }
    }
    let Some(found) = (*table).find_string(&*name) else {
        return Some(std::ptr::null_mut());
    };
    *position = DYNAMIC | found as usize;
    Some((*table).value_at(found))
}

/// ASSIGN_OBJ where the runtime cache says that the value may be written as it is; false if it does
/// not, and nothing has happened then. Frees the operands.
pub(super) unsafe fn assign_cached(
    frame: *mut Frame,
    opline: *const Op,
    container: *const Zval,
) -> bool {
    let offset = (*opline).extended_value & !CACHE_FLAGS;
    let data = opline.add(1);
    let operand = raw(frame, data, (*data).op1_type, (*data).op1);
    let value = deref(operand);
    if (*container).kind() != OBJECT || (*opline).op2_type != IS_CONST || (*value).is_undef() {
        return false;
    }
    let object = (*container).object();
    let cached = cache::<Class>(frame, offset);
    if *cached != (*object).class {
        return false;
    }
    let index = cached.add(1).cast::<usize>();
    let place;
    if *index == HOOKED {
        return false;
    }
    if *index & DYNAMIC != 0 {
        let table = (*object).dynamic;
        if table.is_null() || (*table).header.refcount > 1 {
            return false;
        }
        let name = (*constant(opline, (*opline).op2)).string();
        place = dynamic_place(object, name, &mut *index).unwrap_or(std::ptr::null_mut());
        if place.is_null() {
            return false;
        }
    } else {
        place = (*object).slot(*index as u32);
        let mut taken = *cached.add(2).cast::<usize>();
        if (*place).is_undef() {
            if (*object).is_lazy() || (*place).extra & PROPERTY_REINITIALISABLE != 0 {
                return false;
            }
            taken >>= UNINITIALISED;
        }
        if taken & KINDS & 1 << (*value).kind() == 0 {
            let info = (&(*(*object).class).slot_properties)[*index];
            if taken & OBJECTS == 0
                || (*value).kind() != OBJECT
                || !crate::types::knows_to_pass(&*info, (*(*value).object()).class)
            {
                return false;
            }
        }
    }
    if (*place).kind() == REFERENCE {
        return false;
    }
    let assigned = if (*data).op1_type & (IS_CONST | IS_CV) != 0 || value != operand {
        let shared = (*value).share();
        if (*data).op1_type == IS_VAR && value != operand {
            release(operand);
        }
        shared
    } else {
        (*operand).copy()
    };
    let old = *place;
    (*place).set(assigned);
    if result_used(opline) {
        *result(frame, opline) = assigned.share();
    }
    // From here on user code may run.
    release(&old);
    if (*opline).op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    true
}
