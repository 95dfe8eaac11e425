//! `foreach`: FE_RESET_*, FE_FETCH_*, FE_FREE; and iteration for native code.

mod by_name;

use std::ops::ControlFlow;

use self::by_name::{fetch_by_name, goes_by_names};
pub use self::by_name::{next_with_hooks, with_hooks};
use crate::array::KeyRef;
use crate::class::{FetchHandler, Fetched, LoopHandler, Step, StepHandler};
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::{Function, class_flags, flags};
use crate::generated::Opcode;
use crate::interpreter::assign::{assign_variable, bind_reference};
use crate::interpreter::object_loops;
use crate::interpreter::operand::*;
use crate::object::access::{Access, Lookup, property_offset};
use crate::object::{PhpObject, fill_table, gives_references, reference_to_element};
use crate::op::{IS_CV, IS_VAR, Op};
use crate::value::{
    ARRAY, INDIRECT, OBJECT, ObjectHandle, REFERENCE, UNDEF, Value, Zval, make_reference, release,
    release_temporary,
};
use crate::vm::{PhpResult, Thrown, Vm};

/// What [`walk`] calls with keys and values.
pub type Visit<'a> = dyn FnMut(&mut Vm, Value, Value) -> PhpResult<ControlFlow<()>> + 'a;

/// Marks in the loop variable's `extra` that the loop goes over an iterator object. The low bits
/// hold the object number that PHP's own iterator would take; 0 for none.
const ITERATOR: u32 = 1 << 31;
/// The iterator stands at its first element, which has not been fetched.
pub const ITERATOR_FIRST: u32 = 1 << 30;
const ITERATOR_NUMBER: u32 = ITERATOR_FIRST - 1;
/// Marks in the `extra` of a loop over a reference that the low bits hold a place among the
/// properties of the object in it, not the number of a registered array iterator.
const PROPERTIES: u32 = 1 << 30;
/// No registered array iterator.
const NO_ITERATOR: u32 = u32::MAX;

/// True for an object whose class is Traversable.
pub unsafe fn is_traversable(value: &Zval) -> bool {
    value.kind() == OBJECT && class_is_traversable((*value.object()).class)
}

unsafe fn class_is_traversable(class: *const crate::class::Class) -> bool {
    (*class).flags & class_flags::TRAVERSABLE != 0
}

/// The Iterator behind a Traversable: itself, what goes through it for one loop, or what `getIterator()` gives.
pub fn iterator_of(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ObjectHandle> {
    let mut current = object.clone();
    loop {
        if let Some(start) = own_loop(&current) {
            return start(vm, &current);
        }
        let class = current.class();
        let method = class.magic.get_iterator;
        if method.is_null() || class.flags & class_flags::ITERATOR != 0 {
            return Ok(current);
        }
        let made = vm.call_plain_method(method, &current, [])?;
        match made.object() {
            // SAFETY: I3: the object is live.
            Some(next) if !next.same(&current) && unsafe { is_traversable(made.as_zval()) } => {
                current = next;
            }
            _ => {
                let class = current.class().display_name();
                return Err(vm.throw_error(
                    KnownClass::Exception,
                    format!(
                        "Objects returned by {class}::getIterator() must be traversable or implement interface Iterator"
                    ),
                ));
            }
        }
    }
}

/// What an iterator is asked for at each element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing but whether there is one.
    Nothing,
    /// The value.
    Value,
    /// The value and the key.
    KeyAndValue,
}

/// Whether an object can be unpacked: a Traversable, or one whose class has hooks.
///
/// # Safety
/// Invariant I3.
pub unsafe fn is_unpacked(value: &Zval) -> bool {
    is_traversable(value) || with_hooks(value).is_some()
}

/// Calls `visit` with each key and value of what is unpacked in code of the class `scope`.
///
/// # Safety
/// Invariants I3 and I4: the class is null or live.
pub unsafe fn for_each_unpacked(
    vm: &mut Vm,
    unpacked: &Zval,
    scope: *mut crate::class::Class,
    visit: &mut dyn FnMut(&mut Vm, Value, Value) -> PhpResult<()>,
) -> PhpResult<()> {
    if let Some(object) = with_hooks(unpacked) {
        let mut position = 0;
        while let Some((name, value)) = next_with_hooks(vm, &object, scope, &mut position)? {
            visit(vm, name.into(), value)?;
        }
        return Ok(());
    }
    walk(vm, unpacked, Wanted::KeyAndValue, &mut |vm, key, value| {
        visit(vm, key, value).map(ControlFlow::Continue)
    })
}

/// Calls `visit` with the elements of a Traversable until it breaks off; what is not wanted is
/// `null`.
pub fn walk(
    vm: &mut Vm,
    traversable: &Zval,
    wanted: Wanted,
    visit: &mut Visit<'_>,
) -> PhpResult<()> {
    walk_elements(vm, traversable, wanted, &mut |vm, key, value| {
        let value = match value.as_zval().is_reference() {
            true => Value::share(value.as_zval()),
            false => value,
        };
        visit(vm, key, value)
    })
}

/// As [`walk`]; an element that is a reference is visited as that.
pub fn walk_elements(
    vm: &mut Vm,
    traversable: &Zval,
    wanted: Wanted,
    visit: &mut Visit<'_>,
) -> PhpResult<()> {
    let Some(object) = Value::share(traversable).object() else {
        return Ok(());
    };
    let iterator = iterator_of(vm, &object)?;
    let number = reserve_number(vm, &object);
    let result = if super::generators::is_generator(vm, &iterator) {
        super::generators::walk(vm, &iterator, visit)
    } else {
        walk_iterator(vm, &iterator, wanted, visit)
    };
    drop(iterator);
    release_number(vm, number);
    result
}

/// What makes an iterator for each loop over the object, if its class has that and none of its methods is overridden.
fn own_loop(object: &PhpObject) -> Option<LoopHandler> {
    let class = object.class();
    let start = class.handlers?.own_loop?;
    is_iterated_natively(class).then_some(start)
}

/// True if no method that takes a step of the iterator is user code.
#[inline]
fn is_iterated_natively(class: &crate::class::Class) -> bool {
    class.flags & class_flags::NATIVE_STEPS != 0
}

/// Takes the object number that PHP gives to the iterator it makes for a loop, so that objects made
/// in the loop have the numbers they have there. The iterator of a native IteratorAggregate, or of one loop, has one
/// already; ArrayObject's is an ArrayIterator, for which PHP makes another one.
fn reserve_number(vm: &mut Vm, object: &PhpObject) -> u32 {
    if own_loop(object).is_some() {
        return 0;
    }
    // SAFETY: I4: methods are null or live until the VM ends.
    match unsafe { object.class().magic.get_iterator.as_ref() } {
        Some(method) if !method.is_user && !is_array_object(method) => 0,
        _ => vm.objects.register(std::ptr::null_mut()),
    }
}

/// True for `ArrayObject::getIterator()`.
fn is_array_object(method: &Function) -> bool {
    // SAFETY: I4: a method's class and its name live until the VM ends.
    unsafe { (*(*method.scope).name).as_bytes() == b"ArrayObject" }
}

fn release_number(vm: &mut Vm, number: u32) {
    if number != 0 {
        vm.objects.release(number);
    }
}

fn walk_iterator(
    vm: &mut Vm,
    iterator: &ObjectHandle,
    wanted: Wanted,
    visit: &mut Visit<'_>,
) -> PhpResult<()> {
    vm.call_iterator(iterator, Step::Rewind)?;
    if !is_valid(vm, iterator)? {
        return Ok(());
    }
    if wanted == Wanted::Nothing {
        let steps = native_steps(iterator)
            .filter(|_| iterator.class != vm.known_class(KnownClass::InternalIterator));
        while visit(vm, Value::NULL, Value::NULL)?.is_continue() {
            let valid = match steps {
                Some(take) => {
                    take(vm, iterator, Step::Next)?;
                    let valid = take(vm, iterator, Step::Valid)?;
                    crate::operators::to_bool(&valid)
                }
                None => {
                    vm.call_iterator(iterator, Step::Next)?;
                    is_valid(vm, iterator)?
                }
            };
            if !valid {
                break;
            }
        }
        return Ok(());
    }
    let wants_key = wanted == Wanted::KeyAndValue;
    let mut fetched = fetch_element(vm, iterator, false, wants_key)?;
    while let Some((value, key)) = fetched {
        if visit(vm, key.unwrap_or(Value::NULL), value)?.is_break() {
            break;
        }
        fetched = fetch_element(vm, iterator, true, wants_key)?;
    }
    Ok(())
}

fn is_valid(vm: &mut Vm, iterator: &ObjectHandle) -> PhpResult<bool> {
    let valid = vm.call_iterator(iterator, Step::Valid)?;
    Ok(crate::operators::to_bool(&valid))
}

/// The next element of an iterator, or if it does not go on the present one, with its key if that is wanted; None
/// behind the last one. An element that is a reference may be given as that.
pub fn fetch_element(
    vm: &mut Vm,
    iterator: &ObjectHandle,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    if let Some(fetch) = native_fetch(iterator)
        // Where no loop takes them, its steps are calls of methods, as traces show.
        && iterator.class != vm.known_class(KnownClass::InternalIterator)
    {
        return fetch(vm, iterator, goes_on, wants_key);
    }
    if super::generators::is_generator(vm, iterator) {
        return super::generators::fetch_element(vm, iterator, goes_on, wants_key);
    }
    let step = |vm: &mut Vm, step| match step {
        Step::Current => vm.iterator_element(iterator),
        _ => vm.call_iterator(iterator, step),
    };
    fetch_by_steps(vm, goes_on, wants_key, step)
}

/// What gives the elements of an iterator, if its class does so natively and none of its methods is overridden.
fn native_fetch(iterator: &ObjectHandle) -> Option<FetchHandler> {
    let class = iterator.class();
    let fetch = class.handlers?.fetch?;
    is_iterated_natively(class).then_some(fetch)
}

/// The next element, or if it does not go on the present one, by the steps of an iterator.
fn fetch_by_steps(
    vm: &mut Vm,
    goes_on: bool,
    wants_key: bool,
    step: impl Fn(&mut Vm, Step) -> PhpResult<Value>,
) -> PhpResult<Option<Fetched>> {
    if goes_on {
        step(vm, Step::Next)?;
        let valid = step(vm, Step::Valid)?;
        if !crate::operators::to_bool(&valid) {
            return Ok(None);
        }
    }
    let value = step(vm, Step::Current)?;
    let key = match wants_key {
        true => Some(step(vm, Step::Key)?),
        false => None,
    };
    Ok(Some((value, key)))
}

unsafe fn not_iterable(vm: *mut Vm, value: &Zval) {
    let kind = crate::operators::value_name(value);
    (*vm).warning(format!(
        "foreach() argument must be of type array|object, {kind} given"
    ));
}

/// FE_RESET_R: starts a loop by value.
pub unsafe fn fe_reset_r(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = result(frame, opline);
    let value = read_op1(frame, opline, vm);
    let following = match (*value).kind() {
        ARRAY => {
            *target = Zval {
                extra: 0,
                ..(*value).share()
            };
            opline.add(1)
        }
        OBJECT => {
            *target = Zval {
                extra: 0,
                ..(*value).share()
            };
            start_object(frame, opline, vm, target)
        }
        _ => {
            (*target).set_undef();
            (*target).extra = NO_ITERATOR;
            if (*vm).exception.is_null() {
                not_iterable(vm, &*value);
            }
            jump_target(opline, op.op2)
        }
    };
    free_op1(frame, opline);
    if !(*vm).exception.is_null() {
        return next(frame);
    }
    following
}

/// Whether a loop over `object` may take references to the elements that `iterator` gives.
fn gives_places(object: &ObjectHandle, iterator: &ObjectHandle) -> bool {
    if gives_references(iterator) {
        return !object.same(iterator);
    }
    places_of(iterator).is_some()
}

/// Tells the places of an iterator's elements, for a loop by reference. None for classes whose
/// iteration is, in part, done by user code, or gives values.
fn places_of(iterator: &ObjectHandle) -> Option<crate::class::PlaceHandler> {
    let class = iterator.class();
    // SAFETY: I4: methods are null or live until the VM ends.
    let is_native =
        |&method: &*const Function| unsafe { method.as_ref() }.is_none_or(|method| !method.is_user);
    let places = class.handlers?.current_place?;
    class.magic.iterator.iter().all(is_native).then_some(places)
}

/// True if the loop of which this is the variable goes through the object's properties.
pub(super) unsafe fn goes_through(state: &Zval, object: &PhpObject) -> bool {
    let value = match state.kind() {
        OBJECT if state.extra & ITERATOR == 0 => state,
        REFERENCE if state.extra & PROPERTIES != 0 => &(*state.reference()).value,
        _ => return false,
    };
    value.kind() == OBJECT && std::ptr::eq(value.object(), object)
}

/// True if a loop goes over what the object itself holds, with nobody to ask.
unsafe fn has_plain_properties(object: &PhpObject) -> bool {
    !class_is_traversable(object.class) && !object.is_lazy() && !goes_by_names(object)
}

/// Starts a loop over the object in `target`.
unsafe fn start_object(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    target: *mut Zval,
) -> *const Op {
    let object = (*target).object();
    if !class_is_traversable((*object).class) {
        if (*object).is_lazy() {
            return start_lazy(frame, vm, target);
        }
        object_loops::note(vm, frame, (*object).class);
        fill_table(&mut *vm, &ObjectHandle::share_raw(object));
        return opline.add(1);
    }
    let held = ObjectHandle::share_raw(object);
    let mut number = 0;
    let started = (|| -> PhpResult<(ObjectHandle, bool)> {
        let vm = &mut *vm;
        let iterator = iterator_of(vm, &held)?;
        if super::generators::is_generator(vm, &iterator) {
            let by_reference = (*opline).opcode == Opcode::FE_RESET_RW as u8;
            super::generators::check_loop(vm, iterator.as_ptr(), by_reference)?;
            number = reserve_number(vm, &held);
            let valid = super::generators::loop_start(vm, iterator.as_ptr())?;
            return Ok((iterator, valid));
        }
        if (*opline).opcode == Opcode::FE_RESET_RW as u8 && !gives_places(&held, &iterator) {
            return Err(vm.throw_error(
                KnownClass::Error,
                "An iterator cannot be used with foreach by reference",
            ));
        }
        number = reserve_number(vm, &held);
        vm.call_iterator(&iterator, Step::Rewind)?;
        let valid = vm.call_iterator(&iterator, Step::Valid)?;
        Ok((iterator, crate::operators::to_bool(&valid)))
    })();
    drop(held);
    release(target);
    match started {
        Ok((iterator, valid)) => {
            let extra = ITERATOR | ITERATOR_FIRST | number;
            *target = Zval {
                extra,
                ..Zval::from_object(iterator.into_raw())
            };
            if valid {
                opline.add(1)
            } else {
                jump_target(opline, (*opline).op2)
            }
        }
        Err(Thrown) => {
            release_number(&mut *vm, number);
            (*target).set_undef();
            next(frame)
        }
    }
}

/// Starts a loop over the properties of a lazy object: over those of what holds its state.
unsafe fn start_lazy(frame: *mut Frame, vm: *mut Vm, target: *mut Zval) -> *const Op {
    let held = ObjectHandle::from_raw((*target).object());
    match crate::object::lazy::initialise_operand(&mut *vm, &held) {
        Ok(state) => {
            object_loops::note(vm, frame, state.class);
            *target = Zval {
                extra: 0,
                ..Zval::from_object(state.into_raw())
            };
        }
        Err(Thrown) => (*target).set_undef(),
    }
    // Its destructor may throw.
    drop(held);
    next(frame)
}

/// FE_RESET_RW: starts a loop by reference.
pub unsafe fn fe_reset_rw(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = result(frame, opline);
    let is_variable = op.op1_type & (IS_VAR | IS_CV) != 0;
    let variable = if is_variable {
        write_op1(frame, opline)
    } else {
        raw_op1(frame, opline)
    };
    if op.op1_type == IS_CV && (*variable).is_undef() {
        undefined_variable(vm, frame, op.op1);
    }
    let value = deref(variable);
    let following = match (*value).kind() {
        ARRAY => {
            if is_variable {
                make_reference(&mut (*vm).heap, variable);
                *target = (*variable).share();
            } else {
                let copy = (*value).share();
                let boxed = crate::value::PhpReference::allocate(&mut (*vm).heap, copy);
                *target = Zval::from_reference(boxed.into_raw());
            }
            let inner = deref(target);
            super::dimension_writes::separate_array(vm, inner);
            let array = &mut *(*inner).array();
            (*target).extra = (*vm).heap.iterators.add(array, 0);
            opline.add(1)
        }
        OBJECT if is_variable && has_plain_properties(&*(*value).object()) => {
            object_loops::note(vm, frame, (*(*value).object()).class);
            fill_table(&mut *vm, &ObjectHandle::share_raw((*value).object()));
            make_reference(&mut (*vm).heap, variable);
            *target = (*variable).share();
            (*target).extra = PROPERTIES;
            opline.add(1)
        }
        OBJECT => {
            *target = Zval {
                extra: 0,
                ..(*value).share()
            };
            start_object(frame, opline, vm, target)
        }
        _ => {
            (*target).set_undef();
            (*target).extra = NO_ITERATOR;
            if (*vm).exception.is_null() {
                not_iterable(vm, &*value);
            }
            jump_target(opline, op.op2)
        }
    };
    if op.op1_type != IS_CV && !(op.op1_type == IS_VAR && (*slot(frame, op.op1)).kind() == INDIRECT)
    {
        free_op1(frame, opline);
    }
    if !(*vm).exception.is_null() {
        return next(frame);
    }
    following
}

/// Stores a loop's value: assigns to a CV, or hands a temporary over.
pub(super) unsafe fn store_value(frame: *mut Frame, opline: *const Op, vm: *mut Vm, value: Zval) {
    let op = &*opline;
    let target = slot(frame, op.op2);
    if op.op2_type == IS_CV {
        assign_variable(vm, target, value);
    } else {
        *target = value;
    }
}

unsafe fn store_key(frame: *mut Frame, opline: *const Op, key: KeyRef<'_>) {
    if result_used(opline) {
        *result(frame, opline) = key.to_value().into_zval();
    }
}

pub(super) unsafe fn loop_end(opline: *const Op) -> *const Op {
    jump_target(opline, (*opline).extended_value)
}

/// FE_FETCH_R in full: the next element by value.
pub unsafe fn fe_fetch_r(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let state = slot(frame, (*opline).op1);
    match (*state).kind() {
        ARRAY => {
            let array = (*state).array();
            let mut position = (*state).extra;
            loop {
                if position >= (*array).positions() {
                    return loop_end(opline);
                }
                if let Some((key, value)) = (*array).entry_at(position) {
                    (*state).extra = position + 1;
                    store_key(frame, opline, key);
                    store_value(frame, opline, vm, value.share_deref());
                    return next(frame);
                }
                position += 1;
            }
        }
        OBJECT if (*state).extra & ITERATOR != 0 => fetch_from_iterator(frame, opline, vm, state),
        OBJECT if goes_by_names(&*(*state).object()) => {
            fetch_by_name(frame, opline, vm, state, Access::Read)
        }
        OBJECT => {
            let object = (*state).object();
            match next_property(vm, frame, object, &mut (*state).extra) {
                Some((key, value)) => {
                    let held = (*value).share_deref();
                    store_key(frame, opline, KeyRef::String(&*key));
                    store_value(frame, opline, vm, held);
                    next(frame)
                }
                None => loop_end(opline),
            }
        }
        _ => loop_end(opline),
    }
}

/// What takes the steps of an iterator, if its class does so natively and none of its methods is
/// overridden.
fn native_steps(iterator: &ObjectHandle) -> Option<StepHandler> {
    let class = iterator.class();
    let take = class.handlers?.step?;
    is_iterated_natively(class).then_some(take)
}

unsafe fn fetch_from_iterator(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    state: *mut Zval,
) -> *const Op {
    let iterator = ObjectHandle::share_raw((*state).object());
    let first = (*state).extra & ITERATOR_FIRST != 0;
    (*state).extra &= !ITERATOR_FIRST;
    if super::generators::is_generator(&*vm, &iterator) {
        return super::generators::fetch(frame, opline, vm, &iterator, !first);
    }
    let by_reference = (*opline).opcode == Opcode::FE_FETCH_RW as u8;
    let wants_key = result_used(opline);
    let fetched = match native_fetch(&iterator) {
        Some(fetch) if !by_reference => fetch(&mut *vm, &iterator, !first, wants_key),
        _ => {
            let steps = native_steps(&iterator);
            fetch_by_steps(&mut *vm, !first, wants_key, |vm, step| match steps {
                _ if by_reference && step == Step::Current => reference_to_current(vm, &iterator),
                Some(take) => take(vm, &iterator, step),
                None => vm.call_iterator(&iterator, step),
            })
        }
    };
    match fetched {
        Ok(Some((value, key))) => {
            if let Some(key) = key {
                *result(frame, opline) = key.into_zval().into_read();
            }
            let value = value.into_zval();
            if by_reference && (*opline).op2_type == IS_CV {
                let mut value = value;
                bind_reference(vm, slot(frame, (*opline).op2), &mut value);
                release(&value);
            } else {
                store_value(frame, opline, vm, value.into_read());
            }
            next(frame)
        }
        Ok(None) => loop_end(opline),
        Err(Thrown) => no_key(frame, opline),
    }
}

/// What a loop by reference refers to: the place of the element that the iterator stands at, if it tells that.
fn reference_to_current(vm: &mut Vm, iterator: &ObjectHandle) -> PhpResult<Value> {
    if gives_references(iterator) {
        return Ok(reference_to_element(vm, iterator));
    }
    match places_of(iterator) {
        Some(place) => place(vm, iterator.as_ptr()),
        None => vm.call_iterator(iterator, Step::Current),
    }
}

/// Goes to the exception handler from a FE_FETCH that has no key to give.
pub(super) unsafe fn no_key(frame: *mut Frame, opline: *const Op) -> *const Op {
    if result_used(opline) {
        (*result(frame, opline)).set_undef();
    }
    next(frame)
}

/// The next property of a plain object that the running code may see: declared ones by slot, then
/// dynamic ones by position.
unsafe fn next_property(
    vm: *mut Vm,
    frame: *mut Frame,
    object: *mut PhpObject,
    position: &mut u32,
) -> Option<(*mut crate::string::PhpString, *mut Zval)> {
    let scope = (*(*frame).function).scope;
    let slots = (*object).slot_count;
    while *position < slots {
        let index = *position;
        *position += 1;
        let info = (&(*(*object).class).slot_properties)[index as usize];
        if info.is_null() {
            continue;
        }
        let value = (*object).slot(index);
        if (*value).is_undef() || !property_visible(vm, &*object, &*info, scope) {
            continue;
        }
        return Some(((*info).name, value));
    }
    let table = (*object).dynamic;
    if table.is_null() {
        return None;
    }
    loop {
        let index = *position - slots;
        if index >= (*table).positions() {
            return None;
        }
        *position += 1;
        let value = (*table).value_at(index);
        if (*value).is_undef() || (*value).kind() == INDIRECT {
            continue;
        }
        match (*table).key_at(index) {
            KeyRef::String(name) => {
                if !scope.is_null()
                    && crate::object::is_declared(&mut *vm, (*object).class, name, scope)
                {
                    continue;
                }
                // Casts of arrays may have made properties with the names of private ones.
                let plain = crate::object::unmangled(name.as_bytes());
                if plain.len() == name.as_bytes().len() {
                    return Some(((&raw const *name).cast_mut(), value));
                }
                let text = (*vm).string(plain);
                let raw = text.as_ptr();
                (*vm).keep_until_next_poll(text);
                return Some((raw, value));
            }
            KeyRef::Long(number) => {
                // Numeric names are kept as integers in the table.
                let text = (*vm).string(number.to_string());
                let raw = text.as_ptr();
                (*vm).keep_until_next_poll(text);
                return Some((raw, value));
            }
        }
    }
}

/// True if the name of a declared property means that property in `scope`: it may be used there,
/// and no private property of the scope's own hides it.
unsafe fn property_visible(
    vm: *mut Vm,
    object: &PhpObject,
    info: &crate::class::PropertyInfo,
    scope: *mut crate::class::Class,
) -> bool {
    if info.flags & (flags::CHANGED | flags::PRIVATE | flags::PROTECTED) == 0 {
        return true;
    }
    match property_offset(&mut *vm, object.class, &*info.name, scope, true) {
        Ok(Lookup::Slot { info: found, .. } | Lookup::Hooked(found)) => std::ptr::eq(found, info),
        _ => false,
    }
}

/// FE_FETCH_RW: the next element by reference.
pub unsafe fn fe_fetch_rw(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let state = slot(frame, op.op1);
    if (*state).kind() == OBJECT {
        if (*state).extra & ITERATOR != 0 {
            return fetch_from_iterator(frame, opline, vm, state);
        }
        let object = (*state).object();
        if goes_by_names(&*object) {
            return fetch_by_name(frame, opline, vm, state, Access::Write);
        }
        return fetch_property_reference(frame, opline, vm, object, &mut (*state).extra);
    }
    if let Some(element) = next_of_own_list(vm, state) {
        if result_used(opline) {
            let position = element.offset_from((*(*deref(state)).array()).value_at(0));
            store_key(frame, opline, KeyRef::Long(position as i64));
        }
        store_reference(frame, opline, vm, element);
        return next(frame);
    }
    let container = deref(state);
    match (*container).kind() {
        ARRAY => {
            // A copy that was made since the last element shares the references that are made now, as in PHP,
            // where only another array than the loop's is separated.
            let is_own = (*state).extra & PROPERTIES == 0
                && (*container).is_refcounted()
                && (*vm)
                    .heap
                    .iterators
                    .goes_over((*state).extra, (*container).array());
            if !is_own {
                super::dimension_writes::separate_array(vm, container);
            }
            let array = (*container).array();
            if (*state).extra & PROPERTIES != 0 {
                // The variable held an object before.
                (*state).extra = (*vm).heap.iterators.add(&mut *array, 0);
            }
            let index = (*state).extra;
            let mut position = (*vm).heap.iterators.position(index, &mut *array);
            loop {
                if position >= (*array).positions() {
                    (*vm).heap.iterators.set_position(index, position);
                    return loop_end(opline);
                }
                let element = (*array).value_at(position);
                if !(*element).is_undef() {
                    break;
                }
                position += 1;
            }
            (*vm).heap.iterators.set_position(index, position + 1);
            store_key(frame, opline, (*array).key_at(position));
            let element = indirect((*array).value_at(position));
            make_reference(&mut (*vm).heap, element);
            store_reference(frame, opline, vm, element);
            next(frame)
        }
        OBJECT => {
            if (*state).extra & PROPERTIES == 0 {
                // The variable held an array before.
                (*vm).heap.iterators.remove((*state).extra);
                (*state).extra = PROPERTIES;
                object_loops::note(vm, frame, (*(*container).object()).class);
            }
            let mut place = (*state).extra & !PROPERTIES;
            let object = (*container).object();
            let following = fetch_property_reference(frame, opline, vm, object, &mut place);
            (*state).extra = PROPERTIES | place;
            following
        }
        UNDEF => loop_end(opline),
        _ => {
            not_iterable(vm, &*container);
            if (*vm).exception.is_null() {
                loop_end(opline)
            } else {
                no_key(frame, opline)
            }
        }
    }
}

/// The next element of a loop by reference, made a reference, if the loop goes over a packed array that
/// nobody else has and the element is at the loop's position. None says nothing, and nothing has happened then.
#[inline(always)]
unsafe fn next_of_own_list(vm: *mut Vm, state: *mut Zval) -> Option<*mut Zval> {
    if (*state).kind() != REFERENCE || (*state).extra & PROPERTIES != 0 {
        return None;
    }
    let container = &(*(*state).reference()).value;
    if container.kind() != ARRAY {
        return None;
    }
    let array = container.array();
    if (*array).header.refcount != 1 || !(*array).is_packed() {
        return None;
    }
    let heap = &mut (*vm).heap;
    let place = heap.iterators.place_in((*state).extra, array)?;
    if *place >= (*array).positions() {
        return None;
    }
    let element = (*array).value_at(*place);
    if matches!((*element).kind(), UNDEF | crate::value::INDIRECT) {
        return None;
    }
    *place += 1;
    make_reference(heap, element);
    Some(element)
}

/// The next property of an object for a loop by reference.
unsafe fn fetch_property_reference(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    object: *mut PhpObject,
    place: &mut u32,
) -> *const Op {
    if !(*object).dynamic.is_null() {
        // An array may share it since the last step.
        crate::object::write::dynamic_table(&mut *vm, object);
    }
    let Some((key, value)) = next_property(vm, frame, object, place) else {
        return loop_end(opline);
    };
    if crate::object::write::reference_to_place(&mut *vm, &*object, value).is_err() {
        return no_key(frame, opline);
    }
    store_key(frame, opline, KeyRef::String(&*key));
    store_reference(frame, opline, vm, value);
    next(frame)
}

unsafe fn store_reference(frame: *mut Frame, opline: *const Op, vm: *mut Vm, element: *mut Zval) {
    let op = &*opline;
    let target = slot(frame, op.op2);
    if op.op2_type == IS_CV {
        let old = *target;
        (*target).set((*element).share());
        release(&old);
    } else {
        *target = (*element).share();
    }
    let _ = vm;
}

/// Ends a loop: releases its variable and its registered iterator.
pub unsafe fn end_loop(vm: *mut Vm, state: *mut Zval) {
    let extra = (*state).extra;
    if (*state).kind() == REFERENCE && extra != NO_ITERATOR && extra & PROPERTIES == 0 {
        (*vm).heap.iterators.remove(extra);
    }
    let is_object = (*state).kind() == OBJECT;
    release_temporary(state);
    if is_object && extra & ITERATOR != 0 {
        release_number(&mut *vm, extra & ITERATOR_NUMBER);
    }
}

/// FE_FREE.
pub unsafe fn fe_free(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    end_loop(vm, slot(frame, (*opline).op1));
    next(frame)
}

/// FREE in full.
pub unsafe fn free_op(frame: *mut Frame, opline: *const Op, _vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    release_temporary(slot(frame, (*opline).op1));
    next(frame)
}
