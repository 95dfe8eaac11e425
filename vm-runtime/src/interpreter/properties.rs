//! Object properties: FETCH_OBJ_*, ASSIGN_OBJ, ASSIGN_OBJ_REF, UNSET_OBJ, ISSET. What operators make of them stands in
//! `property_changes`.

use crate::class::Class;
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::flags;
use crate::generated::Opcode;
use crate::interpreter::assign::{
    assign_with_result, bind_with_result, finish_assignment, free_write_operand, take_data,
};
use crate::interpreter::operand::*;
use crate::interpreter::property_cache::{
    asks_code, assign_cached, cached_place, declared_property, hooked_property, is_written_by_code,
    refill,
};
use crate::interpreter::variables::{FetchMode, fetch_mode, finish_boolean};
use crate::object::access::{Access, has_set_access};
use crate::object::lazy;
use crate::object::magic::{call_hook, is_in_hook};
use crate::object::read::{Question, has_property, read_property};
use crate::object::write::{
    PropertyPointer, add_reference_source, make_property_reference, property_pointer,
    remove_source, unset_property, write_property, write_slot,
};
use crate::op::{IS_CONST, IS_CV, IS_UNUSED, IS_VAR, Op};
use crate::string::PhpString;
use crate::value::{
    INDIRECT, OBJECT, ObjectHandle, REFERENCE, STRING, StringHandle, Value, Zval, release,
};
use crate::vm::{PhpResult, Thrown, Vm};

/// The bits below an offset in the runtime cache, which are flags.
pub const CACHE_FLAGS: u32 = 7;

/// In the extended value of a FETCH_OBJ_W: what it fetches becomes a reference.
pub const FETCH_REFERENCE: u32 = 1;

/// The container operand: `$this`, a literal, a temporary or a variable. References followed.
pub(super) unsafe fn container(frame: *mut Frame, opline: *const Op) -> *mut Zval {
    if (*opline).op1_type == IS_UNUSED {
        return &raw mut (*frame).this;
    }
    let raw = raw_op1(frame, opline);
    deref(if (*opline).op1_type == IS_VAR {
        indirect(raw)
    } else {
        raw
    })
}

/// The name operand as a string that is held while user code may run.
pub(super) unsafe fn name(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> Option<StringHandle> {
    name_from(vm, read_op2(frame, opline, vm))
}

pub(super) unsafe fn name_from(vm: *mut Vm, value: *const Zval) -> Option<StringHandle> {
    if (*value).kind() == STRING {
        return Some(StringHandle::share_raw((*value).string()));
    }
    crate::operators::to_string(&mut *vm, &*value).ok()
}

/// As [`name_from`], where PHP goes on without a name after an Error.
unsafe fn name_or_empty(vm: *mut Vm, value: *const Zval) -> StringHandle {
    name_from(vm, value).unwrap_or_else(|| StringHandle::share_raw(crate::string::empty()))
}

pub(super) unsafe fn scope(frame: *mut Frame) -> *mut Class {
    (*(*frame).function).scope
}

/// FETCH_OBJ_R and FETCH_OBJ_IS in full.
pub unsafe fn fetch_obj_r(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let held = container(frame, opline);
    let offset = (*opline).extended_value & !CACHE_FLAGS;
    refill(frame, opline, vm, held, offset);
    let found = cached_place(frame, opline, held, offset);
    if !found.is_null() && !(*(*frame).function).is_expression() {
        let value = (*found).share_deref();
        if (*opline).op1_type != IS_UNUSED {
            free_op1(frame, opline);
        }
        *result(frame, opline) = value;
        return next(frame);
    }
    let value = match read_by_hook(frame, opline, vm, held, offset) {
        Some(value) => value,
        None => {
            let silent = (*opline).opcode == Opcode::FETCH_OBJ_IS as u8;
            read_operand(frame, opline, vm, silent)
        }
    };
    free_op2(frame, opline);
    if (*opline).op1_type != IS_UNUSED {
        free_op1(frame, opline);
    }
    *result(frame, opline) = value;
    next(frame)
}

/// What a property's `get` hook gives; None where there is none to be called.
unsafe fn read_by_hook(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container: *const Zval,
    offset: u32,
) -> Option<Zval> {
    let info = hooked_property(frame, opline, vm, container, offset)?;
    let (info, object) = (&*info, (*container).object());
    if info.get_hook.is_null()
        || is_in_hook(&*vm, object, info)
        || (*(*frame).function).is_expression()
    {
        return None;
    }
    Some(match call_hook(&mut *vm, object, info.get_hook, None) {
        Ok(value) => value.into_zval().into_read(),
        Err(Thrown) => Zval::UNDEF,
    })
}

unsafe fn read_operand(frame: *mut Frame, opline: *const Op, vm: *mut Vm, silent: bool) -> Zval {
    let op = &*opline;
    let value = container(frame, opline);
    if (*value).kind() != OBJECT {
        if op.op1_type == IS_UNUSED {
            super::assign::no_this(vm);
            return Zval::UNDEF;
        }
        if silent {
            read_op2(frame, opline, vm);
            return Zval::NULL;
        }
        // Handlers and the name may take away what the value stands in.
        let kind = crate::operators::value_name(&*value);
        if op.op1_type == IS_CV && (*value).is_undef() {
            undefined_variable(vm, frame, op.op1);
        }
        if !(*vm).exception.is_null() {
            return Zval::UNDEF;
        }
        let Some(name) = name(frame, opline, vm) else {
            return Zval::UNDEF;
        };
        (*vm).warning(format!(
            "Attempt to read property \"{}\" on {kind}",
            name.to_text()
        ));
        return Zval::NULL;
    }
    // The name may run user code that takes the container away.
    let held = ObjectHandle::share_raw((*value).object());
    let Some(name) = name(frame, opline, vm) else {
        return Zval::UNDEF;
    };
    let object = held.as_ptr();
    if (*(*frame).function).is_expression()
        && (*(*object).class).flags & crate::function::class_flags::ENUM == 0
    {
        (*vm).throw_error(
            KnownClass::Error,
            "Fetching properties on non-enums in constant expressions is not allowed",
        );
        return Zval::UNDEF;
    }
    let offset = op.extended_value & !CACHE_FLAGS;
    if let Some(found) = declared_property(frame, opline, vm, offset, object, &name) {
        let value = (*object).slot(found.index);
        if !(*value).is_undef() {
            return (*value).share_deref();
        }
    }
    let was_lazy = held.is_uninitialised_lazy();
    let access = if silent { Access::Isset } else { Access::Read };
    let read = read_property(&mut *vm, held.as_ptr(), &name, scope(frame), access);
    if was_lazy && lazy::check_held(&mut *vm, &held, 1).is_err() {
        return Zval::UNDEF;
    }
    match read {
        Ok(value) => value.into_zval().into_read(),
        Err(Thrown) => Zval::UNDEF,
    }
}

/// FETCH_OBJ_W, FETCH_OBJ_RW, FETCH_OBJ_UNSET, FETCH_OBJ_FUNC_ARG in full.
pub unsafe fn fetch_obj_w(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let mode = fetch_mode(frame, op.opcode, Opcode::FETCH_OBJ_R as u8);
    let target = result(frame, opline);
    if mode == FetchMode::Read {
        let value = read_operand(frame, opline, vm, false);
        free_op2(frame, opline);
        if op.op1_type != IS_UNUSED {
            free_op1(frame, opline);
        }
        *target = value;
        return next(frame);
    }
    if op.op1_type & (IS_CONST | 2) != 0 {
        (*target).set_undef();
        (*vm).throw_error(
            KnownClass::Error,
            "Cannot use temporary expression in write context",
        );
        free_op1(frame, opline);
        free_op2(frame, opline);
        return next(frame);
    }
    let found = fetch_pointer(frame, opline, vm, mode, 0);
    free_op2(frame, opline);
    match found {
        Some(PropertyPointer::Slot { slot, info }) => {
            const DIM_WRITE: u32 = 2;
            let wants = op.extended_value & 3;
            if wants == FETCH_REFERENCE && !info.is_null() && (*info).declared.is_some() {
                if (*slot).is_undef() && takes_no_null(&mut *vm, &*info) {
                    (*target).set_undef();
                    return finish_fetch(frame, opline);
                }
                make_property_reference(&mut *vm, slot, info);
                if (*slot).is_undef() {
                    (*slot).set_null();
                }
            } else if wants == DIM_WRITE
                && !info.is_null()
                && (*info).declared.is_some()
                && (*(*slot).deref()).kind() <= crate::value::FALSE
                && crate::interpreter::dimension_writes::property_takes_array(
                    &mut *vm, &*info, "property",
                )
                .is_err()
            {
                (*target).set_undef();
                return finish_fetch(frame, opline);
            }
            if (*slot).is_undef() && mode != FetchMode::Unset {
                (*slot).set_null();
            }
            if goes_with_operand(frame, opline) {
                // The value must outlive the object.
                *target = (*slot).share();
            } else {
                *target = Zval::from_indirect(slot);
            }
        }
        Some(PropertyPointer::Value(value)) => *target = value.into_zval(),
        None => (*target).set_undef(),
    }
    finish_fetch(frame, opline)
}

/// The slot of a VAR container that is not INDIRECT, or null.
unsafe fn slot_of(frame: *mut Frame, opline: *const Op) -> *mut Zval {
    if (*opline).op1_type != IS_VAR {
        return std::ptr::null_mut();
    }
    let value = slot(frame, (*opline).op1);
    if (*value).kind() == INDIRECT {
        std::ptr::null_mut()
    } else {
        value
    }
}

/// Whether the object that a property was fetched of is held by a temporary alone, perhaps through a reference that
/// nothing else holds either: then it goes with the operand.
unsafe fn goes_with_operand(frame: *mut Frame, opline: *const Op) -> bool {
    let mut holder: *const Zval = slot_of(frame, opline);
    if holder.is_null() {
        return false;
    }
    if (*holder).is_reference() {
        if (*(*holder).counted()).refcount > 1 {
            return false;
        }
        holder = (*holder).deref();
    }
    (*holder).kind() == OBJECT && (*(*holder).counted()).refcount == 1
}

unsafe fn finish_fetch(frame: *mut Frame, opline: *const Op) -> *const Op {
    if (*opline).op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next(frame)
}

/// The place of a property. The caller holds the object `held` times besides its container.
unsafe fn fetch_pointer(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    mode: FetchMode,
    held: u32,
) -> Option<PropertyPointer> {
    let op = &*opline;
    // The name may run user code that takes the container away.
    let container = container(frame, opline);
    if (*container).kind() != OBJECT {
        let is_undefined = op.op1_type == IS_CV && (*container).is_undef();
        let value = Value::share(&*container);
        let name = Value::share(&*read_op2(frame, opline, vm));
        if op.op1_type == IS_UNUSED {
            super::assign::no_this(vm);
            return None;
        }
        if is_undefined && mode != FetchMode::Write {
            undefined_variable(vm, frame, op.op1);
        }
        if mode == FetchMode::Unset {
            return Some(PropertyPointer::Value(Value::NULL));
        }
        not_an_object(vm, &value, &name, opline);
        return None;
    }
    let object = ObjectHandle::share_raw((*container).object());
    let name = name_or_empty(vm, read_op2(frame, opline, vm));
    let offset = op.extended_value & !CACHE_FLAGS;
    if let Some(found) = declared_property(frame, opline, vm, offset, object.as_ptr(), &name) {
        let slot = object.slot(found.index);
        // A property that takes something as it is may be written to from here.
        if !(*slot).is_undef() && found.takes_something() && object.header.refcount > 1 {
            let info = object.class().slot_properties[found.index as usize];
            let is_typed = (*info).declared.is_some();
            return Some(PropertyPointer::Slot {
                slot,
                info: if is_typed { info } else { std::ptr::null() },
            });
        }
    }
    let (object_pointer, running) = (object.as_ptr(), scope(frame));
    let held = 1 + held;
    match property_pointer(
        &mut *vm,
        object_pointer,
        &name,
        running,
        mode.access(),
        held,
    )
    .ok()?
    {
        PropertyPointer::Slot { slot, .. } if object.header.refcount <= held => {
            // Nobody else holds the object any more.
            Some(PropertyPointer::Value(Value::share(&*slot)))
        }
        pointer => Some(pointer),
    }
}

/// A typed property without a value can be bound by reference only if it may be null; else that is
/// an Error, and this is true.
pub unsafe fn takes_no_null(vm: &mut Vm, info: &crate::class::PropertyInfo) -> bool {
    let nullable = info
        .declared
        .as_ref()
        .is_none_or(|declared| declared.mask & crate::function::type_mask::NULL != 0);
    if !nullable {
        let name = crate::object::access::full_name(info);
        vm.throw_error(
            KnownClass::Error,
            format!("Cannot access uninitialized non-nullable property {name} by reference"),
        );
    }
    !nullable
}

/// Throws that a property of something else than an object is written.
pub(super) unsafe fn not_an_object(vm: *mut Vm, value: &Zval, name: &Zval, opline: *const Op) {
    let verb = match (*opline).opcode {
        o if o == Opcode::PRE_INC_OBJ as u8
            || o == Opcode::PRE_DEC_OBJ as u8
            || o == Opcode::POST_INC_OBJ as u8
            || o == Opcode::POST_DEC_OBJ as u8 =>
        {
            "increment/decrement"
        }
        o if o == Opcode::FETCH_OBJ_W as u8
            || o == Opcode::FETCH_OBJ_RW as u8
            || o == Opcode::FETCH_OBJ_FUNC_ARG as u8
            || o == Opcode::ASSIGN_OBJ_REF as u8 =>
        {
            "modify"
        }
        _ => "assign",
    };
    let kind = crate::operators::value_name(value);
    let name = name_or_empty(vm, name);
    (*vm).throw_error(
        KnownClass::Error,
        format!(
            "Attempt to {verb} property \"{}\" on {kind}",
            name.to_text()
        ),
    );
}

/// ASSIGN_OBJ in full.
pub unsafe fn assign_obj(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = container(frame, opline);
    refill(frame, opline, vm, target, op.extended_value & !CACHE_FLAGS);
    if assign_cached(frame, opline, target) {
        return next2(frame);
    }
    let mut assigned = Zval::UNDEF;
    if (*target).kind() != OBJECT {
        let held = Value::share(&*target);
        if op.op1_type == IS_UNUSED {
            super::assign::no_this(vm);
        } else {
            // The value goes after the Error was made.
            let _value = take_data(frame, opline, vm);
            not_an_object(vm, &held, &*read_op2(frame, opline, vm), opline);
        }
    } else {
        let object = ObjectHandle::share_raw((*target).object());
        let value = take_data(frame, opline, vm);
        if let Some(name) = name(frame, opline, vm) {
            let offset = op.extended_value & !CACHE_FLAGS;
            assigned = assign_property(frame, opline, vm, offset, object, &name, value);
        }
    }
    finish_assignment(frame, opline, assigned);
    next2(frame)
}

/// `$object->name = value`; gives the value as it was stored, UNDEF after an error.
unsafe fn assign_property(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    offset: u32,
    object: ObjectHandle,
    name: &PhpString,
    value: Value,
) -> Zval {
    let pointer = object.as_ptr();
    let running = scope(frame);
    let container = Zval::from_object(pointer);
    let hooked = hooked_property(frame, opline, vm, &container, offset);
    if let Some(info) = hooked.map(|info| &*info)
        && !info.set_hook.is_null()
        && has_set_access(info, running)
        && !is_in_hook(&*vm, pointer, info)
    {
        return write_unheld(vm, object, |vm| {
            call_hook(vm, pointer, info.set_hook, Some(value.clone()))?;
            Ok(value)
        });
    }
    let Some(found) = declared_property(frame, opline, vm, offset, pointer, name) else {
        return write_unheld(vm, object, |vm| {
            write_property(vm, pointer, name, value, running)
        });
    };
    let slot = (*pointer).slot(found.index);
    let class = object.class();
    let is_defined = !(*slot).is_undef();
    if is_defined && found.takes(value.as_zval().kind()) {
        return write_unheld(vm, object, |vm| {
            let mut assigned = Zval::UNDEF;
            assign_with_result(vm, slot, value.into_zval(), &raw mut assigned);
            Ok(Value::from_zval(assigned))
        });
    }
    // Magic, lazy objects and native code have their say about what is not initialised, and native code about
    // what is its own.
    let info = class.slot_properties[found.index as usize];
    let is_asked = is_written_by_code(class, &*info);
    let has_no_say = class.magic.set.is_null() && !object.is_lazy() && !asks_code(class);
    if !is_asked && (is_defined || has_no_say) {
        return write_unheld(vm, object, |vm| {
            write_slot(vm, pointer, slot, &*info, value, running)
        });
    }
    write_unheld(vm, object, |vm| {
        write_property(vm, pointer, name, value, running)
    })
}

/// Writes to a property of an object that only the script holds meanwhile: to release it while its
/// property's type converts the value is an Error.
unsafe fn write_unheld(
    vm: *mut Vm,
    object: ObjectHandle,
    write: impl FnOnce(&mut Vm) -> PhpResult<Value>,
) -> Zval {
    let _last = (object.header.refcount == 1).then(|| object.clone());
    drop(object);
    match write(&mut *vm) {
        Ok(value) => value.into_zval(),
        Err(Thrown) => Zval::UNDEF,
    }
}

/// Binds a property to the reference of `source`, if its type takes that. `info` may be null.
pub unsafe fn bind_property(
    vm: *mut Vm,
    property: *mut Zval,
    info: *const crate::class::PropertyInfo,
    source: *mut Zval,
    strict: bool,
    result: *mut Zval,
) {
    if !info.is_null() && (*info).declared.is_some() {
        let reference = crate::value::make_reference(&mut (*vm).heap, source);
        if crate::types::verify_bound_reference(&mut *vm, &*info, source, strict).is_err() {
            return;
        }
        remove_source(&*property, info);
        add_reference_source(&mut *reference, info);
    }
    bind_with_result(vm, property, source, result);
}

/// ASSIGN_OBJ_REF.
pub unsafe fn assign_obj_ref(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let data = &*opline.add(1);
    let raw = slot(frame, data.op1);
    // User code may take the object or what the source stands in away.
    let object = {
        let target = container(frame, opline);
        ((*target).kind() == OBJECT).then(|| ObjectHandle::share_raw((*target).object()))
    };
    let mut source = raw;
    let mut held = Value::UNDEF;
    if data.op1_type == IS_CV && (*raw).is_undef() {
        (*raw).set_null();
    }
    if data.op1_type == IS_VAR && (*raw).kind() == INDIRECT {
        let place = (*raw).indirect();
        crate::value::make_reference(&mut (*vm).heap, place);
        source = held.as_zval_mut();
        *source = (*place).share();
    }
    let here = u32::from(object.is_some());
    let found = fetch_pointer(frame, opline, vm, FetchMode::Write, here);
    let mut assigned = Zval::UNDEF;
    match found {
        Some(PropertyPointer::Slot { slot, info }) => {
            const SOURCE_IS_FUNCTION: u32 = 1;
            if data.op1_type == IS_VAR
                && op.extended_value & SOURCE_IS_FUNCTION != 0
                && (*source).kind() != REFERENCE
            {
                (*vm).notice("Only variables should be assigned by reference");
                let value = (*source).share();
                crate::interpreter::assign::assign_with_result(vm, slot, value, &mut assigned);
            } else {
                let strict = (*(*frame).function).flags & flags::STRICT_TYPES != 0;
                bind_property(vm, slot, info, source, strict, &mut assigned);
            }
        }
        Some(PropertyPointer::Value(_)) => {
            (*vm).throw_error(
                KnownClass::Error,
                "Cannot assign by reference to overloaded object",
            );
        }
        None if is_hooked(frame, opline) => {
            (*vm).throw_error(
                KnownClass::Error,
                "Cannot assign by reference to overloaded object",
            );
        }
        None => {}
    }
    if data.op1_type == IS_VAR && (*raw).kind() != INDIRECT {
        release(raw);
    }
    finish_assignment(frame, opline, assigned);
    // Destructors may throw.
    drop((held, object));
    next2(frame)
}

/// True if the named property of the container has a hook that gives a value.
unsafe fn is_hooked(frame: *mut Frame, opline: *const Op) -> bool {
    let target = container(frame, opline);
    let name = deref(raw_op2(frame, opline));
    (*target).kind() == OBJECT
        && (*name).kind() == STRING
        && (*(*(*target).object()).class)
            .properties
            .get((*(*name).string()).as_bytes())
            .is_some_and(|info| !info.get_hook.is_null())
}

/// UNSET_OBJ.
pub unsafe fn unset_obj(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = container(frame, opline);
    if (*target).kind() == OBJECT {
        let held = ObjectHandle::share_raw((*target).object());
        if let Some(name) = name(frame, opline, vm) {
            let _ = unset_property(&mut *vm, held.as_ptr(), &name, scope(frame));
        }
    } else if op.op1_type == IS_UNUSED {
        super::assign::no_this(vm);
    } else {
        read_op2(frame, opline, vm);
    }
    free_op2(frame, opline);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next(frame)
}

/// ISSET_ISEMPTY_PROP_OBJ.
pub unsafe fn isset_isempty_prop_obj(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let empty = (*opline).extended_value & 1 != 0;
    let target = container(frame, opline);
    let mut value = empty;
    if (*target).kind() == OBJECT {
        let held = ObjectHandle::share_raw((*target).object());
        if let Some(name) = name(frame, opline, vm) {
            let _ = declared_property(
                frame,
                opline,
                vm,
                (*opline).extended_value & !CACHE_FLAGS,
                held.as_ptr(),
                &name,
            );
            let question = if empty {
                Question::NotEmpty
            } else {
                Question::Isset
            };
            let was_lazy = held.is_uninitialised_lazy();
            if let Ok(found) = has_property(&mut *vm, held.as_ptr(), &name, scope(frame), question)
            {
                value = found != empty;
            }
            if was_lazy {
                let _ = lazy::check_held(&mut *vm, &held, 1);
            }
        }
    } else if (*opline).op1_type == IS_UNUSED {
        super::assign::no_this(vm);
    } else {
        read_op2(frame, opline, vm);
    }
    free_op2(frame, opline);
    if (*opline).op1_type != IS_UNUSED {
        free_op1(frame, opline);
    }
    finish_boolean(frame, opline, value)
}

/// INIT_PARENT_PROPERTY_HOOK_CALL: `parent::$p::get()` and `set()`.
pub unsafe fn init_parent_property_hook_call(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let name = (*constant(opline, op.op1)).string();
    let parent = (*scope(frame)).parent;
    let found = if parent.is_null() {
        None
    } else {
        (*parent).properties.get((*name).as_bytes())
    };
    if parent.is_null() {
        (*vm).throw_error(
            KnownClass::Error,
            "Cannot use \"parent\" when current class scope has no parent",
        );
        return next(frame);
    }
    let Some(info) = found else {
        let class = (*parent).display_name();
        (*vm).throw_error(
            KnownClass::Error,
            format!("Undefined property {class}::${}", (*name).to_text()),
        );
        return next(frame);
    };
    let getting = op.op2 == 0;
    let hook = if getting {
        info.get_hook
    } else {
        info.set_hook
    };
    if info.flags & flags::PRIVATE != 0 {
        (*vm).throw_error(
            KnownClass::Error,
            format!(
                "Cannot access private property {}::${}",
                (*parent).display_name(),
                (*name).to_text()
            ),
        );
        return next(frame);
    }
    let object = (*frame).this.object();
    (*object).header.refcount += 1;
    let function = if hook.is_null() {
        (*vm).plain_hook_function(getting, parent, name)
    } else {
        hook
    };
    super::calls::push_call(
        vm,
        frame,
        function,
        op.extended_value,
        crate::frame::call_info::RELEASE_THIS,
        Zval::from_object(object),
    );
    next(frame)
}
