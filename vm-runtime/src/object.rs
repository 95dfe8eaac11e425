//! Objects: class pointer and inline property slots; a table only for dynamic properties.
#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "pointers to classes, functions and objects are live by invariants I3 and I4"
)]

pub mod access;
pub mod array_access;
pub mod closure;
mod closure_class;
mod create;
mod internal_iterator;
pub mod lazy;
pub(crate) mod magic;
pub mod read;
mod store;
mod tables;
pub(crate) mod weak;
pub mod write;

use std::any::Any;

pub use access::Access;
pub(crate) use closure_class::CLASS as CLOSURE_CLASS;
pub use create::{clone_object, instantiate, new_object, new_object_with, plain_copy};
pub(crate) use internal_iterator::CLASS as INTERNAL_ITERATOR_CLASS;
pub use internal_iterator::{NativeIterator, internal_iterator};
pub(crate) use internal_iterator::{gives_references, reference_to_element};
pub use lazy::LazyTable;
pub use magic::Guard;
pub use store::ObjectStore;
pub(crate) use tables::ordered_properties;
pub use tables::{
    VisibleProperty, debug_properties, each_visible, fill_table, is_declared, pointer,
    present_properties, properties_of, properties_through_hooks, set_pointer, unmangled,
    visible_properties,
};
pub(crate) use weak::CLASSES as WEAK_CLASSES;
pub use weak::WeakTable;

use crate::array::PhpArray;
use crate::class::{Class, PropertyInfo};
use crate::heap::Heap;
use crate::string::PhpString;
use crate::value::{
    HEADER_DESTRUCTOR_CALLED, HEADER_FREED, HEADER_LAZY, Header, OBJECT, ObjectHandle, Zval,
    release,
};
use crate::vm::Vm;

/// True if native code computes the property of this name, also where a script's class declares it again.
pub fn is_computed(object: &PhpObject, name: &PhpString) -> bool {
    let Some(info) = object.class().properties.get_string(name) else {
        return false;
    };
    let is_again = || {
        info.native_declaration()
            .is_some_and(PropertyInfo::is_computed)
    };
    !info.has_hooks() && (info.is_virtual() || is_again())
}

/// The native part of an object (closures, generators, iterators, ...).
pub trait NativeData: Any {
    /// The part as `Any`, to get back its type.
    fn as_any(&mut self) -> &mut dyn Any;
    /// A copy for `clone`; None if the class cannot be cloned natively.
    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        None
    }
    /// The copy has become the native part of `object`.
    fn attached(&mut self, _vm: &mut Vm, _object: *mut PhpObject) {}
    /// The order of this object and another one, perhaps of another class (`<=>`), if it is not
    /// told by their properties.
    fn compare(&self, _vm: &mut Vm, _this: &PhpObject, _other: &PhpObject) -> Option<i32> {
        None
    }
    /// The object is being freed.
    fn freed(&mut self, _vm: &mut Vm, _object: *mut PhpObject) {}
    /// Values it owns, for the cycle collector.
    fn visit(&self, _visitor: &mut dyn FnMut(&Zval)) {}
}

/// An object. Its declared properties follow the struct in the same allocation.
#[repr(C)]
pub struct PhpObject {
    /// Count and flags.
    pub header: Header,
    /// `spl_object_id()`
    pub id: u32,
    /// Number of slots behind the struct.
    pub slot_count: u32,
    /// Its class.
    pub class: *mut Class,
    /// Dynamic properties, or null. With [`crate::array::HAS_INDIRECT`] it is a full table of all
    /// properties, whose declared ones point to the slots.
    pub dynamic: *mut PhpArray,
    /// Native part.
    pub native: Option<Box<dyn NativeData>>,
}

/// Bit in a slot's `extra`: the property was unset, so magic methods are asked about it even if it
/// has a type.
pub const PROPERTY_UNSET: u32 = 1;
/// Bit in a slot's `extra`: a readonly property may be set once more (in `__clone`).
pub const PROPERTY_REINITIALISABLE: u32 = 2;
/// Bit in a slot's `extra`: the property of a lazy object, whose initialisation will set it.
pub const PROPERTY_LAZY: u32 = 4;

/// Bytes before the slots.
pub const OBJECT_HEADER: usize = size_of::<PhpObject>();
const _: () = assert!(OBJECT_HEADER == 48);
const _: () = assert!(std::mem::offset_of!(PhpObject, class) == 16);

impl std::fmt::Debug for PhpObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "object #{}", self.id)
    }
}

impl PhpObject {
    /// A new object of a linked class with default property values; no constructor is called and
    /// no native part made. Constant expressions among the defaults must have been evaluated.
    #[inline]
    pub fn allocate(vm: &mut Vm, class: *mut Class) -> ObjectHandle {
        // SAFETY: I4: classes live until the VM ends.
        let defaults = unsafe { &(*class).default_properties };
        PhpObject::allocate_with(vm, class, |index| defaults[index].share())
    }

    /// As [`PhpObject::allocate`], with `value` giving the owned value of each slot.
    #[inline(always)]
    pub(crate) fn allocate_with(
        vm: &mut Vm,
        class: *mut Class,
        value: impl Fn(usize) -> Zval,
    ) -> ObjectHandle {
        // SAFETY: I4: classes live until the VM ends; fresh memory of the right size.
        unsafe {
            let count = (*class).default_properties.len();
            let size = OBJECT_HEADER + count * size_of::<Zval>();
            let object = vm.heap.allocate(size).cast::<PhpObject>().as_ptr();
            object.write(PhpObject {
                header: Header::new(OBJECT),
                id: vm.objects.register(object),
                slot_count: count as u32,
                class,
                dynamic: std::ptr::null_mut(),
                native: None,
            });
            for index in 0..count {
                (*object).slot(index as u32).write(value(index));
            }
            ObjectHandle::from_raw(object)
        }
    }

    /// A declared property's slot.
    ///
    /// # Safety
    /// `index` is below `slot_count`.
    #[inline(always)]
    pub unsafe fn slot(&self, index: u32) -> *mut Zval {
        // SAFETY: by the caller.
        unsafe {
            (&raw const *self)
                .cast::<u8>()
                .add(OBJECT_HEADER)
                .cast::<Zval>()
                .cast_mut()
                .add(index as usize)
        }
    }

    /// The native part as `T`.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub fn native<T: 'static>(&self) -> Option<&mut T> {
        // SAFETY: a VM runs on one thread; natives do not hold this borrow across user code.
        let object = unsafe { &mut *(&raw const *self).cast_mut() };
        let native: &mut dyn Any = &mut **object.native.as_mut()?;
        native.downcast_mut()
    }

    /// Its class.
    pub fn class(&self) -> &Class {
        // SAFETY: I4: classes live until the VM ends.
        unsafe { &*self.class }
    }
}

/// Destroys an object whose count reached zero: destructor first, then its properties.
///
/// # Safety
/// Nothing owns the object any more (invariant I3).
pub unsafe fn destroy(object: *mut PhpObject) {
    // SAFETY: I3; the VM is found through the heap and outlives it (I1).
    unsafe {
        let vm = Heap::of(object).vm;
        const SPECIAL: u32 = HEADER_FREED | HEADER_LAZY | weak::HEADER_WEAKLY_HELD;
        if (*object).header.type_info & SPECIAL == 0
            && (*(*object).class).magic.destruct.is_null()
            && (*object).native.is_none()
            && (*object).dynamic.is_null()
        {
            free_plain(vm, object);
            return;
        }
        if (*object).header.type_info & HEADER_FREED != 0 {
            // The cycle collector has emptied it.
            crate::collector::forget(object.cast());
            Heap::free(object);
            return;
        }
        if (*object).header.type_info & HEADER_DESTRUCTOR_CALLED == 0 {
            (*object).header.type_info |= HEADER_DESTRUCTOR_CALLED;
            if !(*(*object).class).magic.destruct.is_null() && !(*object).is_lazy() {
                // The destructor may revive the object.
                (*object).header.refcount = 1;
                (*vm).call_destructor(object);
                (*object).header.refcount -= 1;
                if (*object).header.refcount > 0 {
                    return;
                }
            }
        }
        free_storage(vm, object);
    }
}

/// Releases an object that has nothing but its slots: what [`free_storage`] does for it.
///
/// # Safety
/// Nothing owns the object any more; it has no destructor, native part or table, is not lazy, and
/// nothing holds it weakly.
#[inline(always)]
unsafe fn free_plain(vm: *mut Vm, object: *mut PhpObject) {
    // SAFETY: I3 and I1, by the caller.
    unsafe {
        crate::collector::forget(object.cast());
        (*object).header.refcount = 1;
        (*object).header.type_info |= HEADER_DESTRUCTOR_CALLED;
        release_slots(object);
        (*vm).objects.release((*object).id);
        Heap::free(object);
    }
}

/// Releases the values of an object's slots.
///
/// # Safety
/// As for [`release_parts`].
#[inline(always)]
unsafe fn release_slots(object: *mut PhpObject) {
    // SAFETY: I3, by the caller: a value goes after its slot has forgotten it.
    unsafe {
        for index in 0..(*object).slot_count {
            let slot = (*object).slot(index);
            // Before it is copied: the parts of a value that was just written cannot be read as one yet.
            if !(*slot).is_refcounted() {
                continue;
            }
            let value = *slot;
            (*slot).set_undef();
            if value.is_reference() && !(*value.reference()).sources.is_null() {
                let info = (&(*(*object).class).slot_properties)[index as usize];
                write::remove_source(&value, info);
            }
            release(&value);
        }
    }
}

/// Releases an object's properties and its memory.
///
/// # Safety
/// Nothing owns the object any more and its destructor has run.
pub unsafe fn free_storage(vm: *mut Vm, object: *mut PhpObject) {
    // SAFETY: I3 and I1, by the caller.
    unsafe {
        crate::collector::forget(object.cast());
        (*object).header.refcount = 1;
        (*vm).forget_weak_references(object);
        release_parts(vm, object);
        (*vm).objects.release((*object).id);
        Heap::free(object);
    }
}

/// Releases all that an object holds.
///
/// # Safety
/// Its destructor has run, and nothing uses the object any more.
pub(crate) unsafe fn release_parts(vm: *mut Vm, object: *mut PhpObject) {
    // SAFETY: I3 and I1, by the caller.
    unsafe {
        if let Some(native) = &mut (*object).native {
            native.freed(&mut *vm, object);
            (*object).native = None;
        }
        if (*object).is_lazy() {
            lazy::forget(&mut *vm, object);
        }
        let dynamic = std::mem::replace(&mut (*object).dynamic, std::ptr::null_mut());
        if !dynamic.is_null() {
            crate::value::release(&Zval::from_array(dynamic));
        }
        release_slots(object);
    }
}
