//! Owning handles of counted values: [`Handle<T>`] for each kind of heap object.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;

use crate::array::PhpArray;
use crate::object::PhpObject;
use crate::string::PhpString;
use crate::value::{Header, OBJECT, PhpReference, PhpResource, Value, Zval, destroy, lost_owner};

/// A heap object that starts with a [`Header`].
///
/// # Safety
/// Implementors are `repr(C)` with the header first, live in a VM's heap (or are immutable), and
/// `TYPE` is the type number by which [`destroy`] frees them.
pub unsafe trait Counted {
    /// The type number of the values that hold it.
    const TYPE: u8;
    /// The value that holds `pointer`, taking over its share of the count.
    fn zval(pointer: *mut Self) -> Zval;
}

// SAFETY: `PhpString` is repr(C) and starts with its header.
unsafe impl Counted for PhpString {
    const TYPE: u8 = super::STRING;
    fn zval(pointer: *mut Self) -> Zval {
        Zval::from_string(pointer)
    }
}

// SAFETY: `PhpArray` is repr(C) and starts with its header.
unsafe impl Counted for PhpArray {
    const TYPE: u8 = super::ARRAY;
    fn zval(pointer: *mut Self) -> Zval {
        Zval::from_any_array(pointer)
    }
}

// SAFETY: `PhpObject` is repr(C) and starts with its header.
unsafe impl Counted for PhpObject {
    const TYPE: u8 = super::OBJECT;
    fn zval(pointer: *mut Self) -> Zval {
        Zval::from_object(pointer)
    }
}

// SAFETY: `PhpReference` is repr(C) and starts with its header.
unsafe impl Counted for PhpReference {
    const TYPE: u8 = super::REFERENCE;
    fn zval(pointer: *mut Self) -> Zval {
        Zval::from_reference(pointer)
    }
}

// SAFETY: `PhpResource` is repr(C) and starts with its header.
unsafe impl Counted for PhpResource {
    const TYPE: u8 = super::RESOURCE;
    fn zval(pointer: *mut Self) -> Zval {
        Zval::from_resource(pointer)
    }
}

/// One owner of a counted value. Cloning shares, dropping gives the share back.
#[repr(transparent)]
pub struct Handle<T: Counted>(NonNull<T>);

/// An owned string.
pub type StringHandle = Handle<PhpString>;
/// An owned array; see [`ArrayHandle::make_mut`] for copy on write.
pub type ArrayHandle = Handle<PhpArray>;
/// An owned object.
pub type ObjectHandle = Handle<PhpObject>;
/// An owned reference box.
pub type ReferenceHandle = Handle<PhpReference>;
/// An owned resource.
pub type ResourceHandle = Handle<PhpResource>;

impl<T: Counted> Handle<T> {
    /// Takes over one share of `pointer`.
    ///
    /// # Safety
    /// `pointer` is live and the caller gives up one share of its count (invariant I3).
    #[inline(always)]
    pub unsafe fn from_raw(pointer: *mut T) -> Handle<T> {
        // SAFETY: live, so not null.
        Handle(unsafe { NonNull::new_unchecked(pointer) })
    }

    /// A further share of `pointer`.
    ///
    /// # Safety
    /// `pointer` is live (invariant I3).
    #[inline(always)]
    pub unsafe fn share_raw(pointer: *mut T) -> Handle<T> {
        // SAFETY: by the caller; the forgotten handle stands for the share that was not ours.
        unsafe { (*ManuallyDrop::new(Handle::from_raw(pointer))).clone() }
    }

    /// The address; the handle keeps its share.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }

    /// Gives up the handle but not its share.
    #[inline(always)]
    pub fn into_raw(self) -> *mut T {
        ManuallyDrop::new(self).0.as_ptr()
    }

    /// The value that owns this share.
    #[inline(always)]
    pub fn into_value(self) -> Value {
        // SAFETY: the share moves into the value.
        unsafe { Value::from_zval(T::zval(self.into_raw())) }
    }

    #[inline(always)]
    fn header(&self) -> *mut Header {
        self.0.as_ptr().cast()
    }

    /// Number of owners.
    pub fn refcount(&self) -> u32 {
        // SAFETY: I3: a handle's target is live.
        unsafe { (*self.header()).refcount }
    }

    /// True if both are the same allocation.
    pub fn same(&self, other: &Handle<T>) -> bool {
        self.0 == other.0
    }
}

impl<T: Counted> Clone for Handle<T> {
    #[inline(always)]
    fn clone(&self) -> Handle<T> {
        let header = self.header();
        // SAFETY: I3: a handle's target is live.
        unsafe {
            if !(*header).is_immutable() {
                (*header).refcount += 1;
            }
        }
        Handle(self.0)
    }
}

impl<T: Counted> Drop for Handle<T> {
    #[inline(always)]
    fn drop(&mut self) {
        let header = self.header();
        // SAFETY: I3: this handle owns one share, which it gives back here.
        unsafe {
            if (*header).is_immutable() {
                return;
            }
            (*header).refcount -= 1;
            if (*header).refcount == 0 {
                destroy(header, T::TYPE);
            } else if T::TYPE == OBJECT {
                lost_owner(header);
            }
        }
    }
}

impl<T: Counted> Deref for Handle<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: I3: a handle's target is live.
        unsafe { self.0.as_ref() }
    }
}

impl<T: Counted> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Handle({:p})", self.0)
    }
}

impl ArrayHandle {
    /// The array for writing: separated first if anyone else owns it (copy on write).
    pub fn make_mut(&mut self, vm: &mut crate::vm::Vm) -> &mut PhpArray {
        // SAFETY: I3: live; after separation this handle is the only owner.
        unsafe {
            let array = self.0.as_ptr();
            if (*array).header.is_immutable() || (*array).header.refcount > 1 {
                *self = (*array).duplicate(&mut vm.heap);
            }
            &mut *self.0.as_ptr()
        }
    }
}
