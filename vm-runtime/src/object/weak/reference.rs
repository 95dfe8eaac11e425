//! WeakReference.

use std::any::Any;

use super::{CLASS_FLAGS, mark};
use crate::class::{NativeClass, NativeHandlers, method};
use crate::exceptions::KnownClass;
use crate::function::{Call, class_flags};
use crate::object::{NativeData, PhpObject};
use crate::value::{ArrayHandle, ObjectHandle, Value};
use crate::vm::{PhpResult, Vm};

/// What a WeakReference refers to, or null.
struct Referent(*mut PhpObject);

impl NativeData for Referent {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn freed(&mut self, vm: &mut Vm, _reference: *mut PhpObject) {
        vm.weak.references.remove(&(self.0 as usize));
    }
}

pub(super) static CLASS: NativeClass = NativeClass::new("final class WeakReference")
        .flags(CLASS_FLAGS | class_flags::NOT_CLONEABLE)
        .handlers(&NativeHandlers { debug_info: Some(reference_debug_info), ..NativeHandlers::STANDARD })
        .create_native(|_, _| Some(Box::new(Referent(std::ptr::null_mut()))))
        .methods(&[
            method("#[Uncounted] public function __construct()", |call| {
                Err(call.vm.throw_error(
                    KnownClass::Error,
                    "Direct instantiation of WeakReference is not allowed, use WeakReference::create instead",
                ))
            }),
            method("public static function create(object $object): WeakReference", create),
            method("public function get(): ?object", get),
        ]);

fn this(call: &Call<'_>) -> ObjectHandle {
    // SAFETY: I3: these methods are not static, so there is a live `$this`.
    unsafe { ObjectHandle::share_raw((*call.frame).this.object()) }
}

/// The object that `reference` refers to is being freed.
pub(super) fn clear(reference: *mut PhpObject) {
    // SAFETY: I3: a WeakReference takes itself out of the table when it goes.
    if let Some(referent) = unsafe { (*reference).native::<Referent>() } {
        referent.0 = std::ptr::null_mut();
    }
}

fn create(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let key = object.as_ptr() as usize;
    if let Some(&reference) = call.vm.weak.references.get(&key) {
        // SAFETY: I3: a WeakReference takes itself out of the table when it goes.
        return Ok(unsafe { ObjectHandle::share_raw(reference) }.into());
    }
    crate::limits::grow_table(&mut call.vm.weak.references);
    let class = call.vm.class_of(KnownClass::WeakReference);
    let reference = crate::object::new_object(call.vm, class)?;
    if let Some(referent) = reference.native::<Referent>() {
        referent.0 = object.as_ptr();
    }
    mark(object.as_ptr());
    call.vm.weak.references.insert(key, reference.as_ptr());
    Ok(reference.into())
}

fn get(call: &mut Call<'_>) -> PhpResult<Value> {
    match this(call).native::<Referent>() {
        Some(referent) if !referent.0.is_null() => {
            // SAFETY: I3: the referent is live as long as it is noted here.
            Ok(unsafe { ObjectHandle::share_raw(referent.0) }.into())
        }
        _ => Ok(Value::NULL),
    }
}

/// The object, or null.
fn reference_debug_info(vm: &mut Vm, reference: *mut PhpObject) -> PhpResult<ArrayHandle> {
    let mut table = vm.new_array();
    // SAFETY: I3: the reference is live, and so is its referent as long as it is noted here.
    let shown = unsafe {
        match (*reference).native::<Referent>() {
            Some(referent) if !referent.0.is_null() => ObjectHandle::share_raw(referent.0).into(),
            _ => Value::NULL,
        }
    };
    table.make_mut(vm).set_bytes(b"object", shown);
    Ok(table)
}
