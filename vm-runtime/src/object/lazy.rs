//! Lazy objects: ghosts and proxies that are initialised when their state is first needed.
//!
//! The slots of an uninitialised object are undefined and marked [`PROPERTY_LAZY`], so every fast
//! path leaves them to the slow one, which comes here. A ghost is filled in place. A proxy hands
//! everything over to a *real instance* that its factory made; its own slots stay marked for good.

use hashbrown::HashMap;

use crate::class::Class;
use crate::exceptions::KnownClass;
use crate::function::{class_flags, flags};
use crate::heap::Heap;
use crate::object::access::Lookup;
use crate::object::create::clone_object;
use crate::object::write::{add_reference_source, remove_source};
use crate::object::{PROPERTY_LAZY, PROPERTY_REINITIALISABLE, PROPERTY_UNSET, PhpObject};
use crate::operators::value_name;
use crate::value::{
    ArrayHandle, HEADER_DESTRUCTOR_CALLED, HEADER_LAZY, ObjectHandle, Value, Zval, release,
};
use crate::vm::{PhpResult, Thrown, Vm};

/// Option: serialising does not initialise.
pub const SKIP_INITIALIZATION_ON_SERIALIZE: u32 = 8;
/// Option of a reset: the destructor of what the object was is not called.
pub const SKIP_DESTRUCTOR: u32 = 16;

/// How a lazy object gets its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The initialiser fills the object itself.
    Ghost,
    /// The factory makes another object that stands behind this one.
    Proxy,
}

/// What is known about a lazy object.
#[derive(Debug)]
enum State {
    /// Waiting for its initialiser.
    Pending(Value),
    /// The initialiser is running.
    Initialising,
    /// A proxy and what stands behind it.
    Instance(ObjectHandle),
}

#[derive(Debug)]
struct Lazy {
    strategy: Strategy,
    state: State,
    options: u32,
}

/// The lazy objects of a VM: those that wait, are being initialised, or are proxies.
#[derive(Debug, Default)]
pub struct LazyTable {
    entries: HashMap<usize, Lazy, foldhash::fast::FixedState>,
}

impl LazyTable {
    fn get(&self, object: *const PhpObject) -> Option<&Lazy> {
        self.entries.get(&(object as usize))
    }

    fn insert(&mut self, object: *const PhpObject, lazy: Lazy) -> Option<Lazy> {
        self.entries.insert(object as usize, lazy)
    }

    fn remove(&mut self, object: *const PhpObject) -> Option<Lazy> {
        self.entries.remove(&(object as usize))
    }
}

impl PhpObject {
    /// True for an object whose state must be fetched before it can be used: an uninitialised one,
    /// or a proxy.
    #[inline]
    pub fn is_lazy(&self) -> bool {
        self.header.type_info & HEADER_LAZY != 0
    }

    /// True for a lazy object that was not initialised yet.
    pub fn is_uninitialised_lazy(&self) -> bool {
        self.lazy()
            .is_some_and(|lazy| matches!(lazy.state, State::Pending(_)))
    }

    /// True for a proxy, initialised or not.
    pub fn is_lazy_proxy(&self) -> bool {
        self.lazy()
            .is_some_and(|lazy| lazy.strategy == Strategy::Proxy)
    }

    fn lazy(&self) -> Option<&Lazy> {
        if !self.is_lazy() {
            return None;
        }
        // SAFETY: I1 and I2: the VM is found through the heap and outlives it.
        unsafe { (*Heap::of(&raw const *self).vm).lazy.get(self) }
    }
}

fn class<'a>(class: *const Class) -> &'a Class {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { &*class }
}

/// Objects of classes with native state cannot be lazy, those of `stdClass` and user classes can.
fn check_class(vm: &mut Vm, about: *const Class) -> PhpResult<()> {
    let plain = vm.class_of(KnownClass::StdClass).cast_const();
    let mut ancestor = about;
    while !ancestor.is_null() {
        if class(ancestor).flags & class_flags::INTERNAL != 0 && ancestor != plain {
            let (name, native) = (class(about).display_name(), class(ancestor).display_name());
            let relation = if about == ancestor {
                String::from("is internal")
            } else {
                format!("inherits internal class {native}")
            };
            return Err(vm.throw_error(
                KnownClass::Error,
                format!("Cannot make instance of internal class lazy: {name} {relation}"),
            ));
        }
        ancestor = class(ancestor).parent;
    }
    Ok(())
}

/// A new lazy object. A class without properties in slots gives an ordinary one.
pub fn new_lazy(
    vm: &mut Vm,
    about: *mut Class,
    strategy: Strategy,
    initialiser: Value,
    options: u32,
) -> PhpResult<ObjectHandle> {
    check_class(vm, about)?;
    let object = super::instantiate(vm, about)?;
    if mark_slots(&object, about, true) > 0 {
        suspend(vm, &object, strategy, initialiser, options);
    }
    Ok(object)
}

/// Makes an existing object lazy: its properties, as far as `about` (its class or a parent) has
/// them, are gone.
pub fn reset_as_lazy(
    vm: &mut Vm,
    object: &ObjectHandle,
    about: *mut Class,
    strategy: Strategy,
    initialiser: Value,
    options: u32,
) -> PhpResult<()> {
    check_class(vm, object.class)?;
    let initialising = |vm: &Vm| matches!(vm.lazy.get(object.as_ptr()), Some(lazy) if matches!(lazy.state, State::Initialising));
    if initialising(vm) {
        return Err(vm.throw_error(
            KnownClass::Error,
            "Can not reset an object while it is being initialized",
        ));
    }
    if crate::interpreter::object_loops::is_gone_through(vm, object) {
        return Err(vm.throw_error(
            KnownClass::Error,
            "Can not reset an object during property iteration",
        ));
    }
    // SAFETY: I3: the object is held by the caller.
    unsafe {
        let header = &raw mut (*object.as_ptr()).header;
        // The destructor of a proxy is that of its instance, which may live on.
        let destruct = options & SKIP_DESTRUCTOR == 0
            && !object.is_lazy_proxy()
            && (*header).type_info & HEADER_DESTRUCTOR_CALLED == 0
            && !object.class().magic.destruct.is_null();
        if destruct {
            (*header).type_info |= HEADER_DESTRUCTOR_CALLED;
            vm.call_destructor(object.as_ptr());
            vm.check()?;
        }
        (*header).type_info &= !(HEADER_DESTRUCTOR_CALLED | HEADER_LAZY);
        let before = vm.lazy.remove(object.as_ptr());
        let dynamic = std::mem::replace(&mut (*object.as_ptr()).dynamic, std::ptr::null_mut());
        if !dynamic.is_null() {
            drop(ArrayHandle::from_raw(dynamic));
        }
        drop(before);
    }
    if mark_slots(object, about, false) > 0 {
        suspend(vm, object, strategy, initialiser, options);
    }
    vm.check()
}

/// Empties the slots that `about` has and marks them; gives how many. The readonly properties of
/// an object whose class cannot have children keep their values, unless the object is new.
fn mark_slots(object: &ObjectHandle, about: *mut Class, is_new: bool) -> usize {
    let mut marked = 0;
    for (index, &info) in class(about).slot_properties.iter().enumerate() {
        if info.is_null() {
            continue;
        }
        // SAFETY: I3: a slot of `about` is one of its child's; the value goes after it was
        // replaced. I4: infos live as long as their class.
        unsafe {
            let slot = object.slot(index as u32);
            let is_set = !(*slot).is_undef();
            let is_final =
                (object.class().flags & class_flags::FINAL | (*info).flags & flags::FINAL) != 0;
            let reopened = (*slot).extra & PROPERTY_REINITIALISABLE != 0;
            let stays = (*info).flags & flags::READONLY != 0 && is_final && !reopened;
            if is_set && !is_new && stays {
                continue;
            }
            empty_slot(object, index as u32);
            (*slot).extra = PROPERTY_LAZY;
        }
        marked += 1;
    }
    marked
}

/// Takes the value out of a slot.
///
/// # Safety
/// `index` is a slot of the live object.
unsafe fn empty_slot(object: &PhpObject, index: u32) {
    // SAFETY: I3: by the caller; the value goes after it was replaced.
    unsafe {
        let slot = object.slot(index);
        let old = *slot;
        remove_source(&old, object.class().slot_properties[index as usize]);
        (*slot).set_undef();
        release(&old);
    }
}

/// Puts a share of the default value into a slot. What is there was written by destructors while the object was made lazy.
///
/// # Safety
/// As for [`empty_slot`].
unsafe fn default_slot(object: &PhpObject, index: u32) {
    // SAFETY: I3: by the caller.
    unsafe {
        empty_slot(object, index);
        let slot = object.slot(index);
        let default = object.class().default_properties[index as usize].share();
        (*slot).set(default);
        (*slot).extra &= !PROPERTY_LAZY;
    }
}

fn suspend(
    vm: &mut Vm,
    object: &ObjectHandle,
    strategy: Strategy,
    initialiser: Value,
    options: u32,
) {
    let state = State::Pending(initialiser);
    let lazy = Lazy {
        strategy,
        state,
        options,
    };
    vm.lazy.insert(object.as_ptr(), lazy);
    mark(object, true);
}

/// Sets or clears the flag in the header.
fn mark(object: &ObjectHandle, lazy: bool) {
    // SAFETY: I3: the object is live.
    unsafe {
        let header = &raw mut (*object.as_ptr()).header;
        match lazy {
            true => (*header).type_info |= HEADER_LAZY,
            false => (*header).type_info &= !HEADER_LAZY,
        }
    }
}

/// The object that holds the state: initialises a lazy one, and gives the instance of a proxy.
pub fn initialise(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ObjectHandle> {
    let mut object = object.clone();
    while object.is_lazy() {
        let next = match vm.lazy.get(object.as_ptr()) {
            Some(Lazy {
                state: State::Instance(instance),
                ..
            }) => instance.clone(),
            _ if object.is_lazy_proxy() => initialise_proxy(vm, &object)?,
            _ => {
                initialise_ghost(vm, &object)?;
                return Ok(object);
            }
        };
        object = next;
    }
    Ok(object)
}

/// As [`initialise`], for an operand, of which `held` is a share that PHP would not have taken: the initialiser must not
/// let go of the last other one.
pub(crate) fn initialise_operand(vm: &mut Vm, held: &ObjectHandle) -> PhpResult<ObjectHandle> {
    initialise_held(vm, held, 0)
}

/// The same where callers have so many further shares that PHP would not have taken.
fn initialise_held(vm: &mut Vm, held: &ObjectHandle, further: u32) -> PhpResult<ObjectHandle> {
    let state = initialise(vm, held);
    let given = u32::from(state.as_ref().is_ok_and(|state| state.same(held)));
    check_held(vm, held, 1 + given + further)?;
    state
}

/// Throws if nobody has shares of an object that was lazy just now, but for so many that PHP would not have taken.
pub(crate) fn check_held(vm: &mut Vm, object: &ObjectHandle, ours: u32) -> PhpResult<()> {
    if object.header.refcount > ours {
        return Ok(());
    }
    let message = "Lazy object was released during initialization";
    Err(vm.throw_error(KnownClass::Error, message))
}

/// Marks that the initialiser runs, and gives it.
fn begin(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<(Value, u32)> {
    // What defaults refer to may be missing.
    vm.initialise_class(object.class)?;
    let Some(lazy) = vm.lazy.entries.get_mut(&(object.as_ptr() as usize)) else {
        return Err(Thrown);
    };
    let State::Pending(initialiser) = std::mem::replace(&mut lazy.state, State::Initialising)
    else {
        return Err(Thrown);
    };
    let options = lazy.options;
    mark(object, false);
    Ok((initialiser, options))
}

fn initialise_ghost(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
    let (initialiser, options) = begin(vm, object)?;
    let before = Snapshot::take(vm, object);
    for index in 0..object.slot_count {
        // SAFETY: I3: slots of the live object.
        unsafe {
            if (*object.slot(index)).extra & PROPERTY_LAZY != 0 {
                default_slot(object, index);
            }
        }
    }
    let mut outcome = vm.call(&initialiser, vec![Value::from(object.clone())]);
    if let Ok(returned) = &outcome
        && !returned.is_null()
    {
        let message = "Lazy object initializer must return NULL or no value";
        outcome = Err(vm.throw_error(KnownClass::TypeError, message));
    }
    match outcome {
        Ok(_) => {
            before.discard();
            vm.lazy.remove(object.as_ptr());
            Ok(())
        }
        Err(Thrown) => {
            before.restore(object);
            suspend(vm, object, Strategy::Ghost, initialiser, options);
            Err(Thrown)
        }
    }
}

fn initialise_proxy(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ObjectHandle> {
    let (factory, options) = begin(vm, object)?;
    let outcome = vm
        .call(&factory, vec![Value::from(object.clone())])
        .and_then(|returned| check_instance(vm, object, &returned));
    let instance = match outcome {
        Ok(instance) => instance,
        Err(Thrown) => {
            suspend(vm, object, Strategy::Proxy, factory, options);
            return Err(Thrown);
        }
    };
    mark(object, true);
    let state = State::Instance(instance.clone());
    let lazy = Lazy {
        strategy: Strategy::Proxy,
        state,
        options,
    };
    vm.lazy.insert(object.as_ptr(), lazy);
    // Whatever the proxy had of its own is gone: everything goes to the instance.
    for index in 0..object.slot_count {
        // SAFETY: I3: slots of the live object.
        unsafe {
            empty_slot(object, index);
            (*object.slot(index)).extra = PROPERTY_LAZY;
        }
    }
    // SAFETY: I3: the table belonged to the object.
    unsafe {
        let dynamic = std::mem::replace(&mut (*object.as_ptr()).dynamic, std::ptr::null_mut());
        if !dynamic.is_null() {
            drop(ArrayHandle::from_raw(dynamic));
        }
    }
    Ok(instance)
}

/// What a factory returned, if it can stand behind the proxy.
fn check_instance(vm: &mut Vm, proxy: &ObjectHandle, returned: &Value) -> PhpResult<ObjectHandle> {
    let Some(instance) = returned.object() else {
        let message = format!(
            "Lazy proxy factory must return an instance of a class compatible with {}, {} returned",
            proxy.class().display_name(),
            value_name(returned)
        );
        return Err(vm.throw_error(KnownClass::TypeError, message));
    };
    let (own, real) = (proxy.class(), instance.class());
    let compatible = std::ptr::eq(own, real)
        || own.is_subclass_of(real)
            && own.default_properties.len() == real.default_properties.len()
            && own.magic.destruct == real.magic.destruct
            && own.magic.clone == real.magic.clone;
    if !compatible {
        let message = format!(
            "The real instance class {} is not compatible with the proxy class {}. The proxy must be a instance of the same class as the real instance, or a sub-class with no additional properties, and no overrides of the __destructor or __clone methods.",
            real.display_name(),
            own.display_name()
        );
        return Err(vm.throw_error(KnownClass::TypeError, message));
    }
    if instance.is_lazy() || instance.same(proxy) {
        let message = "Lazy proxy factory must return a non-lazy object";
        return Err(vm.throw_error(KnownClass::Error, message));
    }
    Ok(instance)
}

/// The state of an object before its initialiser ran.
struct Snapshot {
    slots: Vec<Zval>,
    dynamic: Option<ArrayHandle>,
}

impl Snapshot {
    fn take(vm: &mut Vm, object: &ObjectHandle) -> Snapshot {
        // SAFETY: I3: slots and table of the live object; the snapshot takes shares.
        unsafe {
            let slots = (0..object.slot_count)
                .map(|index| {
                    let slot = object.slot(index);
                    Zval {
                        extra: (*slot).extra,
                        ..(*slot).share()
                    }
                })
                .collect();
            let dynamic = (!object.dynamic.is_null()).then(|| {
                let table = ArrayHandle::share_raw(object.dynamic);
                (*table.as_ptr()).duplicate(&mut vm.heap)
            });
            Snapshot { slots, dynamic }
        }
    }

    fn discard(self) {
        for value in &self.slots {
            // SAFETY: I3: the snapshot owns these shares.
            unsafe { release(value) };
        }
    }

    fn restore(self, object: &ObjectHandle) {
        // SAFETY: I3: the shares move back; what the initialiser left goes after it was replaced.
        unsafe {
            for (index, before) in self.slots.iter().enumerate() {
                let slot = object.slot(index as u32);
                let info = object.class().slot_properties[index];
                let left = *slot;
                remove_source(&left, info);
                *slot = *before;
                if before.is_reference() && !info.is_null() && (*info).declared.is_some() {
                    add_reference_source(&mut *before.reference(), info);
                }
                release(&left);
            }
            let dynamic = self
                .dynamic
                .map_or(std::ptr::null_mut(), ArrayHandle::into_raw);
            let left = std::mem::replace(&mut (*object.as_ptr()).dynamic, dynamic);
            if !left.is_null() {
                drop(ArrayHandle::from_raw(left));
            }
        }
    }
}

/// Where an access to a property of a lazy object must go instead: the object is initialised if
/// that access needs it. None if the access stays here.
///
/// # Safety
/// The object is live; `lookup` is of its class.
pub(crate) unsafe fn redirect(
    vm: &mut Vm,
    object: *mut PhpObject,
    lookup: Lookup,
) -> PhpResult<Option<ObjectHandle>> {
    // SAFETY: by the caller.
    unsafe { redirect_held(vm, object, lookup, 0) }
}

/// The same for callers that have so many shares of the object which PHP would not have taken.
///
/// # Safety
/// As for [`redirect`].
pub(crate) unsafe fn redirect_held(
    vm: &mut Vm,
    object: *mut PhpObject,
    lookup: Lookup,
    held_by_callers: u32,
) -> PhpResult<Option<ObjectHandle>> {
    // SAFETY: I3: by the caller; the handle keeps the object during the initialiser.
    unsafe {
        if !(*object).is_lazy() {
            return Ok(None);
        }
        if let Lookup::Slot { index, .. } = lookup
            && (*(*object).slot(index)).extra & PROPERTY_LAZY == 0
        {
            return Ok(None);
        }
        let held = ObjectHandle::share_raw(object);
        initialise_held(vm, &held, held_by_callers).map(Some)
    }
}

/// True for a slot of a lazy object that nothing was put into yet.
pub fn is_lazy_slot(object: &PhpObject, slot: u32) -> bool {
    // SAFETY: I3: callers ask about slots of the object.
    object.is_lazy() && unsafe { (*object.slot(slot)).extra & PROPERTY_LAZY != 0 }
}

/// Takes the mark off a slot, which gets its default value; the object becomes an ordinary one
/// with its last marked slot.
pub fn skip_slot(vm: &mut Vm, object: &ObjectHandle, slot: u32) -> PhpResult<()> {
    vm.initialise_class(object.class)?;
    if is_lazy_slot(object, slot) {
        // SAFETY: I3: the slot belongs to the object.
        unsafe { default_slot(object, slot) };
        realise_if_complete(vm, object);
    }
    Ok(())
}

/// Writes to a slot without initialising the object: `write` does it while the mark is off.
pub fn write_unmarked(
    vm: &mut Vm,
    object: &ObjectHandle,
    slot: u32,
    write: impl FnOnce(&mut Vm) -> PhpResult<()>,
) -> PhpResult<()> {
    let was_lazy = is_lazy_slot(object, slot);
    // SAFETY: I3: the slot belongs to the object, which the handle keeps.
    let place = unsafe { object.slot(slot) };
    if was_lazy {
        // SAFETY: as above.
        unsafe { (*place).extra &= !PROPERTY_LAZY };
    }
    let outcome = write(vm);
    if was_lazy {
        // SAFETY: as above.
        unsafe {
            if (*place).is_undef() && object.is_uninitialised_lazy() {
                (*place).extra = PROPERTY_LAZY;
            }
        }
        realise_if_complete(vm, object);
    }
    outcome
}

fn realise_if_complete(vm: &mut Vm, object: &ObjectHandle) {
    let complete = object.is_uninitialised_lazy()
        && (0..object.slot_count).all(|slot| !is_lazy_slot(object, slot));
    if complete {
        mark(object, false);
        drop(vm.lazy.remove(object.as_ptr()));
    }
}

/// Makes an uninitialised object an ordinary one with default values; gives the object that holds
/// the state.
pub fn mark_as_initialised(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ObjectHandle> {
    if !object.is_uninitialised_lazy() {
        return initialise(vm, object);
    }
    vm.initialise_class(object.class)?;
    for slot in 0..object.slot_count {
        if is_lazy_slot(object, slot) {
            // SAFETY: I3: the slot belongs to the object.
            unsafe { default_slot(object, slot) };
        }
    }
    mark(object, false);
    drop(vm.lazy.remove(object.as_ptr()));
    Ok(object.clone())
}

/// The initialiser of an object that still waits for it.
pub fn initialiser(vm: &Vm, object: &PhpObject) -> Option<Value> {
    match &vm.lazy.get(object)?.state {
        State::Pending(initialiser) => Some(initialiser.clone()),
        _ => None,
    }
}

/// What stands behind an initialised proxy.
pub fn instance(vm: &Vm, object: &PhpObject) -> Option<ObjectHandle> {
    match &vm.lazy.get(object)?.state {
        State::Instance(instance) => Some(instance.clone()),
        _ => None,
    }
}

/// True if serialising the object leaves it uninitialised.
pub fn serialises_uninitialised(vm: &Vm, object: &PhpObject) -> bool {
    object.is_uninitialised_lazy()
        && vm
            .lazy
            .get(object)
            .is_some_and(|lazy| lazy.options & SKIP_INITIALIZATION_ON_SERIALIZE != 0)
}

/// The object that lists the properties of another: itself, or what initialising gives.
pub fn with_state(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ObjectHandle> {
    if object.is_lazy() {
        return initialise(vm, object);
    }
    Ok(object.clone())
}

/// A copy of a proxy: another proxy, with a copy of the instance behind it.
pub(crate) fn clone_proxy(
    vm: &mut Vm,
    proxy: &ObjectHandle,
    instance: &ObjectHandle,
) -> PhpResult<ObjectHandle> {
    let copy = PhpObject::allocate(vm, proxy.class);
    mark_slots(&copy, proxy.class, true);
    let options = vm.lazy.get(proxy.as_ptr()).map_or(0, |lazy| lazy.options);
    let state = State::Instance(clone_object(vm, instance, instance.class)?);
    let lazy = Lazy {
        strategy: Strategy::Proxy,
        state,
        options,
    };
    vm.lazy.insert(copy.as_ptr(), lazy);
    mark(&copy, true);
    Ok(copy)
}

/// What a lazy object holds besides its slots, for the cycle collector.
pub(crate) fn visit(object: &PhpObject, visitor: &mut dyn FnMut(&Zval)) {
    match object.lazy().map(|lazy| &lazy.state) {
        Some(State::Pending(initialiser)) => visitor(initialiser.as_zval()),
        Some(State::Instance(instance)) => visitor(&Zval::from_object(instance.as_ptr())),
        _ => {}
    }
}

/// Forgets an object that is freed.
pub(crate) fn forget(vm: &mut Vm, object: *const PhpObject) {
    drop(vm.lazy.remove(object));
}

const _: () = assert!(PROPERTY_LAZY & (PROPERTY_UNSET | PROPERTY_REINITIALISABLE) == 0);
