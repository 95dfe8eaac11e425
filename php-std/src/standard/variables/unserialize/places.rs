//! Where the values that were read stand, so that later ones can refer to them.

use vm_runtime::array::{Key, PhpArray};
use vm_runtime::class::PropertyInfo;
use vm_runtime::object::write::add_reference_source;
use vm_runtime::types::verify_bound_reference;
use vm_runtime::value::{ObjectHandle, StringHandle, Value, Zval, make_reference, release};
use vm_runtime::vm::{PhpResult, Vm};

/// The place of a value.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// The whole result.
    Root(*mut Zval),
    /// An element of an array that is being filled.
    Element(*mut PhpArray, Key),
    /// A declared property.
    Slot(ObjectHandle, u32),
    /// A dynamic property.
    Dynamic(ObjectHandle, StringHandle),
    /// It was part of an inner string with an error in it.
    Gone,
}

impl Place {
    /// The slot; a missing element is made.
    ///
    /// # Safety
    /// The array of an [`Place::Element`] and the target of a [`Place::Root`] are live, and nobody
    /// else owns the array (I3).
    unsafe fn slot(&self) -> *mut Zval {
        // SAFETY: by the caller; objects are kept by their handles.
        unsafe {
            match self {
                Place::Root(slot) => *slot,
                Place::Element(array, key) => (**array).slot(key.as_ref()),
                Place::Slot(object, slot) => object.slot(*slot),
                Place::Dynamic(object, name) => (*(*object.as_ptr()).dynamic).slot_string(name),
                // Nobody refers to it (`is_there`).
                Place::Gone => unreachable!("a place of a string with an error in it"),
            }
        }
    }

    /// False if there is no value that can be referred to, because of an error or because a script
    /// has unset the property meanwhile.
    ///
    /// # Safety
    /// As for [`Place::slot`].
    pub(super) unsafe fn is_there(&self) -> bool {
        // SAFETY: by the caller; objects are kept by their handles.
        unsafe {
            match self {
                Place::Gone => false,
                Place::Root(_) | Place::Element(..) => true,
                Place::Slot(object, slot) => !(*object.slot(*slot)).is_undef(),
                Place::Dynamic(object, name) => (*object.as_ptr())
                    .dynamic
                    .as_ref()
                    .is_some_and(|table| table.get_bytes(name).is_some()),
            }
        }
    }

    /// True for a dynamic property whose object has lost them all meanwhile, by a script.
    ///
    /// # Safety
    /// As for [`Place::slot`].
    pub(super) unsafe fn is_lost(&self) -> bool {
        match self {
            // SAFETY: I3: a handle's target is live.
            Place::Dynamic(object, _) => unsafe { (*object.as_ptr()).dynamic.is_null() },
            _ => false,
        }
    }

    /// True if both are the same place.
    ///
    /// # Safety
    /// As for [`Place::slot`].
    pub(super) unsafe fn is(&self, other: &Place) -> bool {
        // SAFETY: by the caller. (The first call may make the slot, the others find it there.)
        unsafe {
            self.slot();
            std::ptr::eq(self.slot(), other.slot())
        }
    }

    /// Puts a value there if the place is not lost; the old one is released.
    ///
    /// # Safety
    /// As for [`Place::slot`].
    pub(super) unsafe fn store(&self, value: Value) {
        // SAFETY: by the caller.
        unsafe {
            if self.is_lost() {
                return;
            }
            let slot = self.slot();
            let old = *slot;
            (*slot).set(value.into_zval());
            release(&old);
        }
    }

    /// A copy of the value there.
    ///
    /// # Safety
    /// As for [`Place::slot`].
    pub(super) unsafe fn value(&self) -> Value {
        // SAFETY: by the caller.
        unsafe { Value::share(&*self.slot()) }
    }

    /// Makes the value there a reference and gives a share of it.
    ///
    /// # Safety
    /// As for [`Place::slot`].
    pub(super) unsafe fn reference(&self, vm: &mut Vm) -> Value {
        // SAFETY: by the caller.
        unsafe {
            let slot = self.slot();
            let fresh = !(*slot).is_reference();
            let reference = make_reference(&mut vm.heap, slot);
            if fresh {
                self.bind_type(&mut *reference);
            }
            Value::from_zval((*slot).share())
        }
    }

    /// The property with a type that the place is.
    fn typed_property(&self) -> Option<&PropertyInfo> {
        let Place::Slot(object, slot) = self else {
            return None;
        };
        let info = *object.class().slot_properties.get(*slot as usize)?;
        // SAFETY: I4: infos are null or live as long as the class, which the object keeps.
        unsafe { info.as_ref() }.filter(|info| info.declared.is_some())
    }

    /// Notes the type of a property in the reference that it is part of.
    pub(super) fn bind_type(&self, reference: &mut vm_runtime::value::PhpReference) {
        if let Some(info) = self.typed_property() {
            add_reference_source(reference, info);
        }
    }

    /// Checks that a reference, which other properties may be part of, fits the type of the property.
    pub(super) fn check_bound(&self, vm: &mut Vm, reference: &mut Value) -> PhpResult<()> {
        match self.typed_property() {
            // SAFETY: the value is live.
            Some(info) => unsafe {
                verify_bound_reference(vm, info, reference.as_zval_mut(), true)
            },
            None => Ok(()),
        }
    }
}
