//! Array elements, string offsets and ArrayAccess: FETCH_DIM_*, ASSIGN_DIM*, UNSET_DIM, ISSET.

use crate::array::{KeyRef, PhpArray, integer_key};
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::generated::Opcode;
use crate::interpreter::assign::{
    assign_variable, assign_with_result, compound_assign, free_write_operand, take_operand,
};
use crate::interpreter::operand::*;
use crate::interpreter::variables::{FetchMode, fetch_mode, finish_boolean, is_set};
use crate::object::array_access;
use crate::op::{IS_CONST, IS_CV, IS_UNUSED, IS_VAR, Op};
use crate::operators::numeric_string::{Number, Numeric};
use crate::string::PhpString;
use crate::value::{
    ARRAY, ArrayHandle, DOUBLE, FALSE, INDIRECT, LONG, NULL, OBJECT, ObjectHandle, REFERENCE,
    RESOURCE, STRING, StringHandle, TRUE, UNDEF, Value, ValueKind, Zval, make_reference, release,
    release_temporary,
};
use crate::vm::{PhpResult, Thrown, Vm};

/// What an array access is for, in the texts of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// Reading or writing.
    Access,
    /// `isset` or `empty`.
    Isset,
    /// `unset`.
    Unset,
}

/// Converts an offset to an array key; strings that are decimal integers become integers.
pub fn array_key<'a>(vm: &mut Vm, offset: &'a Zval, purpose: KeyUse) -> PhpResult<KeyRef<'a>> {
    static EMPTY: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let offset = offset.deref();
    match offset.kind() {
        LONG => Ok(KeyRef::Long(offset.long())),
        STRING => {
            // SAFETY: I3: the payload lives as long as the value.
            let string: &'a PhpString = unsafe { &*offset.string() };
            Ok(match integer_key(string.as_bytes()) {
                Some(key) => KeyRef::Long(key),
                None => KeyRef::String(string),
            })
        }
        UNDEF | NULL => {
            let empty = *EMPTY.get_or_init(|| crate::string::empty() as usize) as *const PhpString;
            // SAFETY: the interned empty string lives for ever.
            Ok(KeyRef::String(unsafe { &*empty }))
        }
        FALSE => Ok(KeyRef::Long(0)),
        TRUE => Ok(KeyRef::Long(1)),
        DOUBLE => {
            let value = offset.double();
            let key = crate::operators::double_to_long(value);
            if key as f64 != value {
                vm.deprecated(format!(
                    "Implicit conversion from float {} to int loses precision",
                    crate::operators::float_text::shortest(value).as_str()
                ));
                vm.check()?;
            }
            Ok(KeyRef::Long(key))
        }
        RESOURCE => {
            // SAFETY: I3: a resource payload is live.
            let id = unsafe { (*offset.resource()).id };
            vm.warning(format!(
                "Resource ID#{id} used as offset, casting to integer ({id})"
            ));
            vm.check()?;
            Ok(KeyRef::Long(id))
        }
        _ => {
            let kind = crate::operators::class_or_type_name(offset);
            Err(vm.throw_error(
                KnownClass::TypeError,
                match purpose {
                    KeyUse::Access => format!("Cannot access offset of type {kind} on array"),
                    KeyUse::Isset => {
                        format!("Cannot access offset of type {kind} in isset or empty")
                    }
                    KeyUse::Unset => format!("Cannot unset offset of type {kind} on array"),
                },
            ))
        }
    }
}

/// Makes the array in `container` writable: duplicates it if it has other owners.
#[inline]
pub unsafe fn separate_array(vm: *mut Vm, container: *mut Zval) {
    let array = (*container).array();
    if (*array).header.is_immutable() || (*array).header.refcount > 1 {
        let copy = (*array).duplicate(&mut (*vm).heap);
        let old = *container;
        (*container).set(Zval::from_array(copy.into_raw()));
        release(&old);
    }
}

fn undefined_key(vm: &mut Vm, key: KeyRef<'_>) {
    match key {
        KeyRef::Long(key) => vm.warning(format!("Undefined array key {key}")),
        KeyRef::String(key) => vm.warning(format!("Undefined array key \"{}\"", key.to_text())),
    }
}

/// The offset operand. Objects get a numeric literal as the string that was written.
unsafe fn read_offset(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container: *const Zval,
) -> *const Zval {
    const WRITTEN_AS_STRING: u32 = 1;
    let offset = read_op2(frame, opline, vm);
    let is_number = (*opline).op2_type == IS_CONST
        && (*offset).kind() == LONG
        && (*offset).extra == WRITTEN_AS_STRING;
    if is_number && (*container).kind() == OBJECT {
        offset.add(1)
    } else {
        offset
    }
}

/// `container[offset]` for reading; the result is owned.
pub unsafe fn read_dimension(
    vm: *mut Vm,
    container: *const Zval,
    offset: *const Zval,
    silent: bool,
) -> Zval {
    let vm = &mut *vm;
    match (*container).kind() {
        ARRAY => {
            let purpose = if silent {
                KeyUse::Isset
            } else {
                KeyUse::Access
            };
            let array = (*container).array();
            // The conversion may run user code: hold the array.
            let simple = matches!((*offset).kind(), LONG | STRING);
            let held = if simple {
                None
            } else {
                Some(Value::share(&*container))
            };
            let key = match array_key(vm, &*offset, purpose) {
                Ok(key) => key,
                Err(Thrown) => return Zval::UNDEF,
            };
            let found = (*array).get(key).map(|value| value.share_deref());
            drop(held);
            match found {
                Some(value) => value,
                None => {
                    if !silent {
                        undefined_key(vm, key);
                    }
                    Zval::NULL
                }
            }
        }
        STRING => read_string_offset(vm, &*container, &*offset, silent),
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let offset = Value::share(&*offset);
            if silent {
                match array_access::exists(vm, &object, &offset, false) {
                    Ok(true) => {}
                    Ok(false) => return Zval::NULL,
                    Err(Thrown) => return Zval::UNDEF,
                }
            }
            match array_access::get(vm, &object, &offset) {
                Ok(value) => value.into_zval().into_read(),
                Err(Thrown) => Zval::UNDEF,
            }
        }
        _ => {
            if !silent {
                let kind = crate::operators::value_name(&*container);
                vm.warning(format!("Trying to access array offset on {kind}"));
            }
            Zval::NULL
        }
    }
}

impl Zval {
    /// An owned value with its reference resolved.
    pub(crate) fn into_read(self) -> Zval {
        if !self.is_reference() {
            return self;
        }
        let value = self.share_deref();
        // SAFETY: I3: the share moves from the reference to its value.
        unsafe { release_temporary(&self) };
        value
    }
}

/// The integer offset into a string; None after an error.
fn string_offset(vm: &mut Vm, offset: &Zval, warn_trailing: bool) -> Option<i64> {
    let offset = offset.deref();
    match offset.kind() {
        LONG => Some(offset.long()),
        STRING => {
            let bytes = offset.as_bytes().unwrap_or_default();
            match crate::operators::numeric_string::parse(bytes) {
                Some(Numeric {
                    number: Number::Long(index),
                    whole,
                    ..
                }) => {
                    if !whole && warn_trailing {
                        vm.warning(format!(
                            "Illegal string offset \"{}\"",
                            String::from_utf8_lossy(bytes)
                        ));
                        vm.check().ok()?;
                    }
                    Some(index)
                }
                _ => {
                    illegal_string_offset(vm, offset);
                    None
                }
            }
        }
        DOUBLE | NULL | UNDEF | FALSE | TRUE => {
            vm.warning("String offset cast occurred");
            vm.check().ok()?;
            Some(crate::operators::to_long(vm, offset))
        }
        _ => {
            illegal_string_offset(vm, offset);
            None
        }
    }
}

fn illegal_string_offset(vm: &mut Vm, offset: &Zval) {
    let kind = crate::operators::class_or_type_name(offset);
    vm.throw_error(
        KnownClass::TypeError,
        format!("Cannot access offset of type {kind} on string"),
    );
}

fn read_string_offset(vm: &mut Vm, container: &Zval, offset: &Zval, silent: bool) -> Zval {
    let held = Value::share(container);
    let Some(string) = held.string() else {
        return Zval::NULL;
    };
    let index = if silent {
        match silent_string_offset(vm, offset) {
            Some(index) => index,
            None => return Zval::NULL,
        }
    } else {
        match string_offset(vm, offset, true) {
            Some(index) => index,
            None => return Zval::UNDEF,
        }
    };
    match byte_at(&string, index) {
        Some(byte) => Zval::from_string(crate::string::single_byte(byte)),
        None if silent => Zval::NULL,
        None => {
            vm.warning(format!("Uninitialized string offset {index}"));
            Zval::from_string(crate::string::empty())
        }
    }
}

/// The offset of `isset($string[...])`: only what is an integer counts.
fn silent_string_offset(vm: &mut Vm, offset: &Zval) -> Option<i64> {
    let offset = offset.deref();
    match offset.view() {
        ValueKind::Long(index) => Some(index),
        ValueKind::String(text) => match crate::operators::numeric_string::parse(text.as_bytes()) {
            Some(Numeric {
                number: Number::Long(index),
                whole: true,
                ..
            }) => Some(index),
            _ => None,
        },
        ValueKind::Null | ValueKind::Bool(_) | ValueKind::Double(_) => {
            Some(crate::operators::to_long(vm, offset))
        }
        _ => {
            illegal_string_offset(vm, offset);
            None
        }
    }
}

fn byte_at(string: &PhpString, index: i64) -> Option<u8> {
    let index = if index < 0 {
        index.checked_add(string.len() as i64)?
    } else {
        index
    };
    string.as_bytes().get(usize::try_from(index).ok()?).copied()
}

/// FETCH_DIM_R and FETCH_DIM_IS in full.
pub unsafe fn fetch_dim_r(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let silent = op.opcode == Opcode::FETCH_DIM_IS as u8;
    fetch_dim_value(frame, opline, vm, silent);
    next(frame)
}

unsafe fn fetch_dim_value(frame: *mut Frame, opline: *const Op, vm: *mut Vm, silent: bool) {
    let op = &*opline;
    // The frequent case behind the inline ones: a fresh string finds an element of an array.
    let (array, key) = (deref(raw_op1(frame, opline)), raw_op2(frame, opline));
    if (*array).kind() == ARRAY && (*key).kind() == STRING {
        let text = &*(*key).string();
        let found = match integer_key(text.as_bytes()) {
            Some(number) => (*(*array).array()).get_long(number),
            None => (*(*array).array()).get_string(text),
        };
        if let Some(element) = found {
            let value = element.share_deref();
            free_op2(frame, opline);
            free_op1(frame, opline);
            *result(frame, opline) = value;
            return;
        }
    }
    let mut container = if silent {
        fetch_silent(frame, opline, op.op1_type, op.op1)
    } else {
        fetch_read(frame, opline, vm, op.op1_type, op.op1)
    };
    // A warning about the offset may run user code that drops the container.
    let mut held = Value::UNDEF;
    if op.op2_type == IS_CV && (*raw_op2(frame, opline)).is_undef() {
        held = Value::share(&*container);
        container = held.as_zval();
    }
    let offset = read_offset(frame, opline, vm, container);
    let value = if (*container).kind() == OBJECT && (*(*frame).function).is_expression() {
        (*vm).throw_error(
            KnownClass::Error,
            "Cannot use [] on objects in constant expression",
        );
        Zval::UNDEF
    } else {
        read_dimension(vm, container, offset, silent)
    };
    drop(held);
    free_op2(frame, opline);
    free_op1(frame, opline);
    *result(frame, opline) = value;
}

/// Checks that an array may come to be inside of a reference that typed properties are bound to.
unsafe fn reference_takes_array(
    vm: &mut Vm,
    reference: &crate::value::PhpReference,
) -> PhpResult<()> {
    for &info in &(*reference.sources).properties {
        property_takes_array(vm, &*info, "a reference held by property")?;
    }
    Ok(())
}

/// Checks that an array may come to be inside of a typed property.
pub unsafe fn property_takes_array(
    vm: &mut Vm,
    info: &crate::class::PropertyInfo,
    what: &str,
) -> PhpResult<()> {
    use crate::function::type_mask::{ARRAY, ITERABLE};
    match &info.declared {
        Some(declared) if declared.mask & (ARRAY | ITERABLE) == 0 => {
            let text = crate::object::access::full_name(info);
            Err(vm.throw_error(
                KnownClass::TypeError,
                format!("Cannot auto-initialize an array inside {what} {text} of type {declared}"),
            ))
        }
        _ => Ok(()),
    }
}

/// What a write fetch found.
enum WriteTarget {
    /// A slot to write to.
    Slot(*mut Zval),
    /// A value of its own (from `offsetGet`), or `null` after an error.
    Value(Zval),
}

/// Adds an element to an array whose next key is taken.
fn next_key_taken(vm: &mut Vm) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        "Cannot add element to the array as the next element is already occupied",
    )
}

/// `container[offset]` for writing; `offset` None for `[]`. The container is a variable's slot.
unsafe fn write_dimension(
    vm: *mut Vm,
    container: *mut Zval,
    offset: Option<*const Zval>,
    mode: FetchMode,
    extended: u32,
) -> WriteTarget {
    let vm = &mut *vm;
    let variable = container;
    let container = deref(container);
    match (*container).kind() {
        ARRAY => {
            separate_array(vm, container);
            return write_array(vm, container, offset, mode);
        }
        UNDEF | NULL | FALSE => {
            if mode == FetchMode::Unset {
                if (*container).kind() == FALSE {
                    vm.deprecated("Automatic conversion of false to array is deprecated");
                }
                return WriteTarget::Value(Zval::NULL);
            }
            if (*container).kind() == FALSE {
                vm.deprecated("Automatic conversion of false to array is deprecated");
                if !vm.exception.is_null() {
                    return WriteTarget::Value(Zval::UNDEF);
                }
            }
            if super::assign::is_typed_reference(variable)
                && reference_takes_array(vm, &*(*variable).reference()).is_err()
            {
                return WriteTarget::Value(Zval::UNDEF);
            }
            let array = vm.new_array();
            let old = *container;
            (*container).set(array.into_value().into_zval());
            release(&old);
            return write_array(vm, container, offset, mode);
        }
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            match array_access::pointer(vm, &object, offset.map(|offset| &*offset)) {
                Some(Ok(slot)) if !slot.is_null() => return WriteTarget::Slot(slot),
                Some(Err(Thrown)) => return WriteTarget::Value(Zval::UNDEF),
                _ => {}
            }
            let offset = offset.map_or(Value::NULL, |offset| Value::share(&*offset));
            return match array_access::get(vm, &object, &offset) {
                Ok(value) => {
                    let kind = value.as_zval().kind();
                    if kind != REFERENCE && kind != OBJECT && vm.exception.is_null() {
                        let class = object.class().display_name();
                        vm.notice(format!(
                            "Indirect modification of overloaded element of {class} has no effect"
                        ));
                    }
                    WriteTarget::Value(value.into_zval())
                }
                Err(Thrown) => WriteTarget::Value(Zval::UNDEF),
            };
        }
        STRING => {
            if let Some(offset) = offset {
                if mode == FetchMode::Unset || string_offset(vm, &*offset, true).is_some() {
                    let text = match extended & 7 {
                        1 => "Cannot create references to/from string offsets",
                        2 => "Cannot use string offset as an array",
                        3 => "Cannot use string offset as an object",
                        4 => "Cannot increment/decrement string offsets",
                        _ => "Cannot use string offset as an array",
                    };
                    vm.throw_error(KnownClass::Error, text);
                }
            } else {
                vm.throw_error(KnownClass::Error, "[] operator not supported for strings");
            }
        }
        _ if mode == FetchMode::Unset => {
            vm.throw_error(
                KnownClass::Error,
                "Cannot unset offset in a non-array variable",
            );
        }
        _ => {
            vm.throw_error(KnownClass::Error, "Cannot use a scalar value as an array");
        }
    }
    WriteTarget::Value(Zval::UNDEF)
}

unsafe fn write_array(
    vm: &mut Vm,
    container: *mut Zval,
    offset: Option<*const Zval>,
    mode: FetchMode,
) -> WriteTarget {
    let array = (*container).array();
    let Some(offset) = offset else {
        return match (*array).slot_next() {
            Some(slot) => WriteTarget::Slot(slot),
            None => {
                next_key_taken(vm);
                WriteTarget::Value(Zval::UNDEF)
            }
        };
    };
    let simple = matches!((*offset).kind(), LONG | STRING);
    if !simple {
        // A warning about the offset may run user code that drops the array.
        (*array).header.refcount += 1;
    }
    let purpose = if mode == FetchMode::Unset {
        KeyUse::Unset
    } else {
        KeyUse::Access
    };
    let key = array_key(vm, &*offset, purpose);
    if !simple && !survives(array) {
        return WriteTarget::Value(Zval::NULL);
    }
    let Ok(key) = key else {
        return WriteTarget::Value(Zval::UNDEF);
    };
    if mode == FetchMode::Write {
        return WriteTarget::Slot((*array).slot(key));
    }
    if let Some(position) = (*array).position_of(key) {
        let slot = (*array).value_at(position);
        if (*slot).kind() != INDIRECT {
            return WriteTarget::Slot(slot);
        }
        let target = (*slot).indirect();
        if (*target).kind() != UNDEF {
            return WriteTarget::Slot(target);
        }
    }
    (*array).header.refcount += 1;
    // An error handler may change the variable that the key comes from.
    let key = key.to_key();
    undefined_key(vm, key.as_ref());
    if !survives(array) || mode == FetchMode::Unset || !vm.exception.is_null() {
        return WriteTarget::Value(Zval::NULL);
    }
    WriteTarget::Slot((*array).slot(key.as_ref()))
}

/// Gives back a protecting share; false if that was the last or the array has other owners now.
unsafe fn survives(array: *mut PhpArray) -> bool {
    (*array).header.refcount -= 1;
    if (*array).header.refcount == 0 {
        crate::value::destroy(array.cast(), ARRAY);
        return false;
    }
    (*array).header.refcount == 1
}

/// FETCH_DIM_W, FETCH_DIM_RW, FETCH_DIM_UNSET, FETCH_DIM_FUNC_ARG in full.
pub unsafe fn fetch_dim_w(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let mode = fetch_mode(frame, op.opcode, Opcode::FETCH_DIM_R as u8);
    if mode == FetchMode::Read {
        if op.op2_type == IS_UNUSED {
            (*result(frame, opline)).set_undef();
            (*vm).throw_error(KnownClass::Error, "Cannot use [] for reading");
            free_op1(frame, opline);
            return next(frame);
        }
        fetch_dim_value(frame, opline, vm, false);
        return next(frame);
    }
    if op.op1_type & (IS_CONST | 2) != 0 {
        (*result(frame, opline)).set_undef();
        (*vm).throw_error(
            KnownClass::Error,
            "Cannot use temporary expression in write context",
        );
        free_op1(frame, opline);
        free_op2(frame, opline);
        return next(frame);
    }
    let container = write_op1(frame, opline);
    if mode == FetchMode::ReadWrite && op.op1_type == IS_CV && (*container).is_undef() {
        undefined_variable(vm, frame, op.op1);
    }
    let offset = if op.op2_type == IS_UNUSED {
        None
    } else {
        Some(read_offset(frame, opline, vm, deref(container)))
    };
    let extended = match mode {
        FetchMode::Unset => unset_use(opline),
        _ => op.extended_value,
    };
    let found = if (*vm).exception.is_null() {
        write_dimension(vm, container, offset, mode, extended)
    } else {
        WriteTarget::Value(Zval::UNDEF)
    };
    free_op2(frame, opline);
    finish_write_fetch(frame, opline, found);
    next(frame)
}

/// What an element fetched to unset something in it is used as, in the terms of `extended_value`.
unsafe fn unset_use(opline: *const Op) -> u32 {
    const AS_ARRAY: u32 = 2;
    const AS_OBJECT: u32 = 3;
    let following = (*opline.add(1)).opcode;
    if following == Opcode::UNSET_OBJ as u8 || following == Opcode::FETCH_OBJ_UNSET as u8 {
        AS_OBJECT
    } else {
        AS_ARRAY
    }
}

unsafe fn finish_write_fetch(frame: *mut Frame, opline: *const Op, found: WriteTarget) {
    let target = result(frame, opline);
    let op = &*opline;
    let container = slot(frame, op.op1);
    match found {
        WriteTarget::Slot(slot) => {
            if op.op1_type == IS_VAR
                && (*container).kind() != INDIRECT
                && (*container).is_refcounted()
            {
                // The container is a temporary: if it goes now, the element must outlive it.
                if (*(*container).counted()).refcount == 1 {
                    let value = (*slot).share();
                    release_temporary(container);
                    *target = value;
                } else {
                    *target = Zval::from_indirect(slot);
                    release_temporary(container);
                }
                return;
            }
            *target = Zval::from_indirect(slot);
        }
        WriteTarget::Value(value) => {
            if op.op1_type == IS_VAR {
                free_write_operand(frame, opline);
            }
            *target = value;
        }
    }
}

/// FETCH_LIST_R: an element for destructuring; the container stays.
pub unsafe fn fetch_list_r(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let container = read_op1(frame, opline, vm);
    let offset = read_offset(frame, opline, vm, container);
    let value = match (*container).kind() {
        ARRAY | OBJECT => read_dimension(vm, container, offset, false),
        _ => Zval::NULL,
    };
    free_op2(frame, opline);
    *result(frame, opline) = value;
    next(frame)
}

/// FETCH_LIST_W: an element for destructuring by reference; the container stays.
pub unsafe fn fetch_list_w(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let raw = slot(frame, (*opline).op1);
    let container = indirect(raw);
    let offset = read_offset(frame, opline, vm, deref(container));
    let target = result(frame, opline);
    if (*raw).kind() != INDIRECT && !(*raw).is_reference() {
        (*vm).notice("Attempting to set reference to non referenceable value");
        let value = read_dimension(vm, deref(container), offset, false);
        free_op2(frame, opline);
        *target = value;
        return next(frame);
    }
    let found = write_dimension(vm, container, Some(offset), FetchMode::Write, 1);
    free_op2(frame, opline);
    *target = match found {
        WriteTarget::Slot(slot) => Zval::from_indirect(slot),
        WriteTarget::Value(value) => value,
    };
    next(frame)
}

/// The frequent case of ASSIGN_DIM behind the inline ones: a CV with an array that has one owner,
/// a plain key, a value that needs no care, and no result. False if there is more to it.
#[inline]
unsafe fn assign_plain_element(frame: *mut Frame, opline: *const Op) -> bool {
    let (op, data) = (&*opline, &*opline.add(1));
    let container = deref(raw_op1(frame, opline));
    if op.op1_type != IS_CV
        || result_used(opline)
        || (*container).type_info() != crate::value::ARRAY_COUNTED
    {
        return false;
    }
    let array = (*container).array();
    let value = raw(frame, opline.add(1), data.op1_type, data.op1);
    if (*array).header.refcount != 1 || matches!((*value).kind(), UNDEF | REFERENCE | INDIRECT) {
        return false;
    }
    let element = if op.op2_type == IS_UNUSED {
        match (*array).slot_next() {
            Some(slot) => slot,
            None => return false,
        }
    } else {
        let offset = deref(raw_op2(frame, opline));
        match (*offset).kind() {
            LONG => (*array).slot_long((*offset).long()),
            STRING => match integer_key((*(*offset).string()).as_bytes()) {
                Some(key) => (*array).slot_long(key),
                None => (*array).slot_string(&*(*offset).string()),
            },
            _ => return false,
        }
    };
    if (*element).is_reference() {
        return false;
    }
    if data.op1_type & (IS_CONST | IS_CV) != 0 {
        (*value).add_reference();
    }
    let old = (*element).copy();
    (*element).set(*value);
    free_op2(frame, opline);
    release(&old);
    true
}

/// ASSIGN_DIM in full.
pub unsafe fn assign_dim(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    if assign_plain_element(frame, opline) {
        return next2(frame);
    }
    let op = &*opline;
    let data = &*opline.add(1);
    let variable = write_op1(frame, opline);
    let container = deref(variable);
    let kind = (*container).kind();
    let mut assigned = Zval::NULL;
    if kind == OBJECT {
        let object = ObjectHandle::share_raw((*container).object());
        let offset = if op.op2_type == IS_UNUSED {
            Value::NULL
        } else {
            Value::share(&*read_offset(frame, opline, vm, container))
        };
        let value = Value::from_zval(take_operand(
            frame,
            opline.add(1),
            vm,
            data.op1_type,
            data.op1,
        ));
        if (*vm).exception.is_null() {
            assigned = value.as_zval().share();
            let append = op.op2_type == IS_UNUSED;
            if array_access::set(
                &mut *vm,
                &object,
                if append { None } else { Some(&offset) },
                value,
            )
            .is_err()
            {
                release(&assigned);
                assigned = Zval::UNDEF;
            }
        }
    } else if kind == STRING {
        assigned = assign_string_offset(frame, opline, vm, container);
    } else {
        let offset = if op.op2_type == IS_UNUSED {
            None
        } else {
            Some(read_op2(frame, opline, vm))
        };
        match write_dimension(vm, variable, offset, FetchMode::Write, 2) {
            WriteTarget::Slot(_)
                if data.op1_type == IS_CV && (*slot(frame, data.op1)).is_undef() =>
            {
                // The warning may run user code: find the element again afterwards.
                undefined_variable(vm, frame, data.op1);
                if (*vm).exception.is_null()
                    && let WriteTarget::Slot(slot) =
                        write_dimension(vm, variable, offset, FetchMode::Write, 2)
                {
                    assign_variable(vm, slot, Zval::NULL);
                }
            }
            WriteTarget::Slot(element) => {
                let value = take_operand(frame, opline.add(1), vm, data.op1_type, data.op1);
                let target = if result_used(opline) {
                    &raw mut assigned
                } else {
                    std::ptr::null_mut()
                };
                assign_with_result(vm, element, value, target);
            }
            WriteTarget::Value(value) => {
                release(&value);
                free_operand(frame, data.op1_type, data.op1);
                assigned = if (*vm).exception.is_null() {
                    Zval::NULL
                } else {
                    Zval::UNDEF
                };
            }
        }
    }
    if result_used(opline) {
        *result(frame, opline) = assigned;
    } else {
        release(&assigned);
    }
    free_op2(frame, opline);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next2(frame)
}

/// `$string[offset] = value`; gives the result.
unsafe fn assign_string_offset(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container: *mut Zval,
) -> Zval {
    let op = &*opline;
    let data = &*opline.add(1);
    let vm_ref = &mut *vm;
    if op.op2_type == IS_UNUSED {
        vm_ref.throw_error(KnownClass::Error, "[] operator not supported for strings");
        free_operand(frame, data.op1_type, data.op1);
        return Zval::UNDEF;
    }
    let held = StringHandle::share_raw((*container).string());
    let offset = Value::share(&*read_op2(frame, opline, vm));
    let value = Value::from_zval(take_operand(
        frame,
        opline.add(1),
        vm,
        data.op1_type,
        data.op1,
    ));
    let Some(index) = string_offset(vm_ref, &offset, true) else {
        return Zval::UNDEF;
    };
    let length = held.len() as i64;
    if index < -length {
        vm_ref.warning(format!("Illegal string offset {index}"));
        return Zval::NULL;
    }
    let Ok(text) = crate::operators::to_string(vm_ref, &value) else {
        return Zval::UNDEF;
    };
    if text.is_empty() {
        vm_ref.throw_error(
            KnownClass::Error,
            "Cannot assign an empty string to a string offset",
        );
        return Zval::NULL;
    }
    if text.len() > 1 {
        vm_ref.warning("Only the first byte will be assigned to the string offset");
        if !vm_ref.exception.is_null() {
            return Zval::UNDEF;
        }
    }
    let byte = text.as_bytes()[0];
    // The variable itself may be elsewhere by now, if it was a reference.
    let container = deref(write_op1(frame, opline));
    if (*container).kind() != STRING || (*container).string() != held.as_ptr() {
        // User code replaced the variable meanwhile.
        return Zval::NULL;
    }
    let index = if index < 0 { index + length } else { index } as usize;
    if index >= crate::string::MAXIMUM_LENGTH {
        vm_ref.fatal_error("Possible integer overflow in memory allocation");
    }
    let mut bytes = held.as_bytes().to_vec();
    drop(held);
    if index >= bytes.len() {
        bytes.resize(index + 1, b' ');
    }
    bytes[index] = byte;
    let fresh = PhpString::new(&mut vm_ref.heap, &bytes);
    let old = *container;
    (*container).set(fresh.into_value().into_zval());
    release(&old);
    Zval::from_string(crate::string::single_byte(byte))
}

/// ASSIGN_DIM_OP in full.
pub unsafe fn assign_dim_op(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let data = &*opline.add(1);
    let variable = write_op1(frame, opline);
    let container = deref(variable);
    let mut assigned = Zval::NULL;
    match (*container).kind() {
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let offset = if op.op2_type == IS_UNUSED {
                Value::NULL
            } else {
                Value::share(&*read_offset(frame, opline, vm, container))
            };
            let right = Value::from_zval(take_operand(
                frame,
                opline.add(1),
                vm,
                data.op1_type,
                data.op1,
            ));
            assigned = match operate_offset(vm, &object, &offset, op, &right) {
                Ok(value) => value.into_zval(),
                Err(Thrown) => Zval::UNDEF,
            };
        }
        STRING => {
            if op.op2_type == IS_UNUSED {
                (*vm).throw_error(KnownClass::Error, "[] operator not supported for strings");
            } else if string_offset(&mut *vm, &*read_op2(frame, opline, vm), true).is_some() {
                (*vm).throw_error(
                    KnownClass::Error,
                    "Cannot use assign-op operators with string offsets",
                );
            }
            free_operand(frame, data.op1_type, data.op1);
            assigned = Zval::UNDEF;
        }
        _ => {
            if op.op1_type == IS_CV && (*container).is_undef() {
                undefined_variable(vm, frame, op.op1);
            }
            let offset = if op.op2_type == IS_UNUSED {
                None
            } else {
                Some(read_op2(frame, opline, vm))
            };
            match write_dimension(vm, variable, offset, FetchMode::ReadWrite, 2) {
                WriteTarget::Slot(element) => {
                    let array = (*container).array();
                    (*array).header.refcount += 1;
                    let right = Value::from_zval(take_operand(
                        frame,
                        opline.add(1),
                        vm,
                        data.op1_type,
                        data.op1,
                    ));
                    (*array).header.refcount -= 1;
                    if (*array).header.refcount == 0 {
                        (*array).header.refcount = 1;
                        release(&Zval::from_array(array));
                        assigned = Zval::UNDEF;
                    } else {
                        compound_assign(vm, element, op.extended_value, &right);
                        if result_used(opline) && (*vm).exception.is_null() {
                            assigned = (*element).share_deref();
                        }
                    }
                }
                WriteTarget::Value(value) => {
                    release(&value);
                    free_operand(frame, data.op1_type, data.op1);
                }
            }
        }
    }
    if result_used(opline) {
        *result(frame, opline) = assigned;
    } else {
        release(&assigned);
    }
    free_op2(frame, opline);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next2(frame)
}

unsafe fn operate_offset(
    vm: *mut Vm,
    object: &ObjectHandle,
    offset: &Value,
    op: &Op,
    right: &Value,
) -> PhpResult<Value> {
    let current = array_access::get(&mut *vm, object, offset)?;
    let current = Value::from_zval(current.into_zval().into_read());
    let mut value = Zval::UNDEF;
    super::assign::binary_operator(vm, op.extended_value, &mut value, &current, right);
    let value = Value::from_zval(value);
    (*vm).check()?;
    let append = op.op2_type == IS_UNUSED;
    array_access::set(
        &mut *vm,
        object,
        if append { None } else { Some(offset) },
        value.clone(),
    )?;
    Ok(value)
}

/// UNSET_DIM.
pub unsafe fn unset_dim(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let variable = write_op1(frame, opline);
    let container = deref(variable);
    let offset = read_offset(frame, opline, vm, container);
    match (*container).kind() {
        ARRAY => {
            let held = Value::share(&*offset);
            separate_array(vm, container);
            if let Ok(key) = array_key(&mut *vm, &held, KeyUse::Unset)
                && (*container).kind() == ARRAY
            {
                separate_array(vm, container);
                (*(*container).array()).remove(key);
            }
        }
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let offset = Value::share(&*offset);
            let _ = array_access::unset(&mut *vm, &object, &offset);
        }
        STRING => {
            (*vm).throw_error(KnownClass::Error, "Cannot unset string offsets");
        }
        UNDEF if op.op1_type == IS_CV => undefined_variable(vm, frame, op.op1),
        UNDEF | NULL => {}
        FALSE => (*vm).deprecated("Automatic conversion of false to array is deprecated"),
        _ => {
            (*vm).throw_error(
                KnownClass::Error,
                "Cannot unset offset in a non-array variable",
            );
        }
    }
    free_op2(frame, opline);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next(frame)
}

/// ISSET_ISEMPTY_DIM_OBJ in full.
pub unsafe fn isset_isempty_dim_obj(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let empty = op.extended_value & 1 != 0;
    let container = fetch_silent(frame, opline, op.op1_type, op.op1);
    let offset = read_offset(frame, opline, vm, container);
    let value = isset_dimension(vm, container, offset, empty);
    free_op2(frame, opline);
    free_op1(frame, opline);
    finish_boolean(frame, opline, value)
}

unsafe fn isset_dimension(
    vm: *mut Vm,
    container: *const Zval,
    offset: *const Zval,
    empty: bool,
) -> bool {
    match (*container).kind() {
        ARRAY => {
            let Ok(key) = array_key(&mut *vm, &*offset, KeyUse::Isset) else {
                return empty;
            };
            match (*(*container).array()).get(key) {
                None => empty,
                Some(value) if empty => !crate::operators::to_bool(value.deref()),
                Some(value) => is_set(value),
            }
        }
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let offset = Value::share(&*offset);
            match array_access::exists(&mut *vm, &object, &offset, empty) {
                Ok(found) => found != empty,
                Err(Thrown) => false,
            }
        }
        STRING => {
            let held = Value::share(&*container);
            let byte = silent_string_offset(&mut *vm, &*offset)
                .and_then(|index| held.string().and_then(|string| byte_at(&string, index)));
            match byte {
                None => empty,
                Some(byte) if empty => byte == b'0',
                Some(_) => true,
            }
        }
        _ => empty,
    }
}

/// ARRAY_KEY_EXISTS.
pub unsafe fn array_key_exists(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let key = read_op1(frame, opline, vm);
    let subject = read_op2(frame, opline, vm);
    let mut found = false;
    if (*subject).kind() == ARRAY {
        let kind = (*key).kind();
        if matches!(kind, ARRAY | OBJECT) {
            (*vm).throw_error(
                KnownClass::TypeError,
                "Cannot access offset of type %s on array"
                    .replace("%s", &crate::operators::class_or_type_name(&*key)),
            );
        } else if let Ok(key) = array_key(&mut *vm, &*key, KeyUse::Access) {
            found = (*(*subject).array()).get(key).is_some();
        }
    } else if (*vm).exception.is_null() {
        let kind = crate::operators::value_name(&*subject);
        (*vm).throw_error(
            KnownClass::TypeError,
            format!("array_key_exists(): Argument #2 ($array) must be of type array, {kind} given"),
        );
    }
    free_op2(frame, opline);
    free_op1(frame, opline);
    finish_boolean(frame, opline, found)
}

/// IN_ARRAY: op2 is a literal array whose keys are the values looked for.
pub unsafe fn in_array(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let needle = read_op1(frame, opline, vm);
    let table = (*constant(opline, (*opline).op2)).array();
    let strict = (*opline).extended_value != 0;
    let found = match (*needle).kind() {
        STRING => (*table).get_string(&*(*needle).string()).is_some(),
        LONG => match (*table).get_long((*needle).long()) {
            Some(_) => true,
            None => !strict && loosely_in(vm, &*table, &*needle),
        },
        _ if strict => false,
        _ => loosely_in(vm, &*table, &*needle),
    };
    free_op1(frame, opline);
    finish_boolean(frame, opline, found)
}

unsafe fn loosely_in(vm: *mut Vm, table: &PhpArray, needle: &Zval) -> bool {
    table
        .iter()
        .any(|(key, _)| crate::operators::is_equal(&mut *vm, &key.to_value(), needle))
}

/// INIT_ARRAY.
pub unsafe fn init_array(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let size = (op.extended_value >> 2) as usize;
    let array = PhpArray::with_capacity(&mut (*vm).heap, size);
    *result(frame, opline) = array.into_value().into_zval();
    if op.op1_type == IS_UNUSED {
        return opline.add(1);
    }
    add_element(frame, opline, vm);
    next(frame)
}

/// ADD_ARRAY_ELEMENT.
pub unsafe fn add_array_element(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    add_element(frame, opline, vm);
    next(frame)
}

unsafe fn add_element(frame: *mut Frame, opline: *const Op, vm: *mut Vm) {
    let op = &*opline;
    let by_reference = op.extended_value & 1 != 0 && op.op1_type & (IS_VAR | IS_CV) != 0;
    let value = if by_reference {
        let variable = write_op1(frame, opline);
        make_reference(&mut (*vm).heap, variable);
        let value = (*variable).share();
        if op.op1_type == IS_VAR {
            free_write_operand(frame, opline);
        }
        value
    } else {
        take_operand(frame, opline, vm, op.op1_type, op.op1)
    };
    let array = (*result(frame, opline)).array();
    if op.op2_type == IS_UNUSED {
        match (*array).slot_next() {
            Some(slot) => (*slot).set(value),
            None => {
                release(&value);
                next_key_taken(&mut *vm);
            }
        }
        return;
    }
    let offset = read_op2(frame, opline, vm);
    match array_key(&mut *vm, &*offset, KeyUse::Access) {
        Ok(key) => (*array).set(key, Value::from_zval(value)),
        Err(Thrown) => release(&value),
    }
    free_op2(frame, opline);
}

/// ADD_ARRAY_UNPACK: `[...$values]`.
pub unsafe fn add_array_unpack(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let is_undefined = (*raw_op1(frame, opline)).is_undef();
    let source = read_op1(frame, opline, vm);
    let target = (*result(frame, opline)).array();
    match (*source).kind() {
        ARRAY => {
            let held = ArrayHandle::share_raw((*source).array());
            for (key, value) in held.iter() {
                let value = Value::from_zval(value.share_deref());
                match key {
                    KeyRef::String(_) => (*target).set(key, value),
                    KeyRef::Long(_) => {
                        if (*target).push(value).is_err() {
                            next_key_taken(&mut *vm);
                            break;
                        }
                    }
                }
            }
        }
        OBJECT if (*(*frame).function).is_expression() => {
            (*vm).throw_error(
                KnownClass::Error,
                "Only arrays can be unpacked in constant expression",
            );
        }
        OBJECT if super::iteration::is_traversable(&*source) => {
            let held = Value::share(&*source);
            let _ = super::iteration::for_each(&mut *vm, &held, &mut |vm, key, value| {
                let value = Value::share(&value);
                match key.deref().view() {
                    ValueKind::Long(_) => (*target).push(value).map_err(|_| next_key_taken(vm)),
                    ValueKind::String(name) if is_numeric_key(name) => {
                        (*target).push(value).map_err(|_| next_key_taken(vm))
                    }
                    ValueKind::String(name) => {
                        (*target).set_string(name, value);
                        Ok(())
                    }
                    _ => Err(vm.throw_error(
                        KnownClass::Error,
                        "Keys must be of type int|string during array unpacking",
                    )),
                }
            });
        }
        _ => {
            let kind = crate::operators::value_name(&*source);
            (*vm).throw_error(
                // The error of a variable that does not exist is no TypeError in PHP.
                match is_undefined {
                    true => KnownClass::Error,
                    false => KnownClass::TypeError,
                },
                format!("Only arrays and Traversables can be unpacked, {kind} given"),
            );
        }
    }
    free_op1(frame, opline);
    next(frame)
}

fn is_numeric_key(name: &crate::string::PhpString) -> bool {
    crate::array::integer_key(name.as_bytes()).is_some()
}

/// COUNT in full.
pub unsafe fn count(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let value = read_op1(frame, opline, vm);
    let target = result(frame, opline);
    match (*value).kind() {
        ARRAY => *target = Zval::from_long((*(*value).array()).len() as i64),
        OBJECT => {
            let object = ObjectHandle::share_raw((*value).object());
            match array_access::count(&mut *vm, &object) {
                Ok(Some(count)) => *target = Zval::from_long(count),
                Ok(None) => not_countable(frame, opline, vm, &*value),
                Err(Thrown) => (*target).set_undef(),
            }
        }
        _ => not_countable(frame, opline, vm, &*value),
    }
    free_op1(frame, opline);
    next(frame)
}

unsafe fn not_countable(frame: *mut Frame, opline: *const Op, vm: *mut Vm, value: &Zval) {
    (*result(frame, opline)).set_undef();
    if !(*vm).exception.is_null() {
        return;
    }
    let name = if (*opline).extended_value != 0 {
        "sizeof"
    } else {
        "count"
    };
    let kind = crate::operators::value_name(value);
    (*vm).throw_error(
        KnownClass::TypeError,
        format!("{name}(): Argument #1 ($value) must be of type Countable|array, {kind} given"),
    );
}
