//! Sending arguments: SEND_*, CHECK_*.

use crate::array::{Key, KeyRef};
use crate::exceptions::KnownClass;
use crate::frame::{Frame, call_info};
use crate::function::{Function, PassBy, QUICK_PARAMETERS, flags};
use crate::interpreter::operand::*;
use crate::op::{IS_CONST, IS_CV, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op};
use crate::string::PhpString;
use crate::value::{
    ARRAY, CONSTANT_EXPRESSION, LONG, OBJECT, PhpReference, REFERENCE, UNDEF, Value, Zval,
    make_reference, release,
};
use crate::vm::Vm;

/// What a SEND goes to: a slot of the callee's frame and the number of the argument.
struct Target {
    slot: *mut Zval,
    /// 0-based; of the parameter that takes it.
    number: u32,
}

/// Finds the slot of a SEND by position or by name. None if naming it threw.
unsafe fn target(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> Option<Target> {
    let op = &*opline;
    let call = (*frame).call;
    if op.op2_type != IS_CONST {
        let number = op.op2 - 1;
        return Some(Target {
            slot: (*call).slot(number),
            number,
        });
    }
    let name = (*constant(opline, op.op2)).string();
    named_slot(vm, frame, &*name).map(|(slot, number)| Target { slot, number })
}

/// The slot for a named argument of the call being prepared in `frame`.
pub unsafe fn named_slot(
    vm: *mut Vm,
    frame: *mut Frame,
    name: &PhpString,
) -> Option<(*mut Zval, u32)> {
    let call = (*frame).call;
    let function = (*call).function;
    let parameters = &(*function).parameters;
    let position = parameters.iter().position(|parameter| {
        // In one file names are the same strings.
        let is_it =
            std::ptr::eq(parameter.name, name) || (*parameter.name).as_bytes() == name.as_bytes();
        is_it && !parameter.variadic
    });
    let Some(number) = position else {
        // What stands in for a missing constructor has no parameters that could be named.
        let collects = !std::ptr::eq(function, (*vm).pass_function);
        if (*function).flags & flags::VARIADIC == 0 || !collects {
            // A zero byte ends the name.
            let shown = name.as_bytes().split(|byte| *byte == 0).next();
            let shown = crate::message::text(shown.unwrap_or_default());
            (*vm).throw_error(
                KnownClass::Error,
                format!("Unknown named parameter ${shown}"),
            );
            return None;
        }
        if (*call).call_info() & call_info::HAS_EXTRA_NAMED == 0 {
            (*call).add_call_info(call_info::HAS_EXTRA_NAMED);
            (*call).extra_named = (*vm).new_array().into_raw();
        }
        let table = &mut *(*call).extra_named;
        if table.get_string(name).is_some() {
            overwrites(vm, name);
            return None;
        }
        let last = (parameters.len() as u32).saturating_sub(1);
        return Some((table.slot_string(name), last));
    };
    let number = number as u32;
    let count = (*call).argument_count();
    if number >= count {
        grow_call(vm, frame, number + 1);
        let call = (*frame).call;
        for hole in count..number {
            (*(*call).slot(hole)).set_undef();
        }
        if number > count {
            (*call).add_call_info(call_info::MAY_HAVE_UNDEF);
        }
        (*call).this.extra = number + 1;
        (*(*call).slot(number)).set_undef();
    } else if !(*(*call).slot(number)).is_undef() {
        overwrites(vm, name);
        return None;
    }
    Some(((*(*frame).call).slot(number), number))
}

/// The slot for a named argument of the call being prepared in `frame`, which the function takes by value.
/// Null, and nothing has happened, if anything is special about it: the name is no parameter's or is not the
/// same string, the argument is there already, or there is no room.
pub unsafe fn plain_named_slot(
    vm: *mut Vm,
    frame: *mut Frame,
    name: *const PhpString,
) -> *mut Zval {
    let call = (*frame).call;
    let function = (*call).function;
    let parameters = &(*function).parameters;
    let most = parameters.len().min(QUICK_PARAMETERS as usize);
    let mut number = 0;
    while number < most && !std::ptr::eq(parameters[number].name, name) {
        number += 1;
    }
    if number == most {
        return std::ptr::null_mut();
    }
    let is_special = (*function).quick_arguments >> (2 * number) & 3 != 0
        || (*function).flags & (flags::VARIADIC | flags::CALL_VIA_TRAMPOLINE) != 0;
    if is_special {
        return std::ptr::null_mut();
    }
    let number = number as u32;
    let count = (*call).argument_count();
    let slot = (*call).slot(number);
    if number < count {
        return match (*slot).is_undef() {
            true => slot,
            false => std::ptr::null_mut(),
        };
    }
    let needed = super::calls::frame_bytes(function, number + 1);
    let stack = &mut (*vm).stack;
    if call as usize + needed > stack.end as usize {
        return std::ptr::null_mut();
    }
    stack.top = call.byte_add(needed).cast();
    for hole in count..number {
        (*(*call).slot(hole)).set_undef();
    }
    if number > count {
        (*call).add_call_info(call_info::MAY_HAVE_UNDEF);
    }
    (*call).this.extra = number + 1;
    slot
}

unsafe fn overwrites(vm: *mut Vm, name: &PhpString) {
    (*vm).throw_error(
        KnownClass::Error,
        format!(
            "Named parameter ${} overwrites previous argument",
            name.to_text()
        ),
    );
}

/// Makes room for `count` arguments in the call being prepared; the frame may move.
pub unsafe fn grow_call(vm: *mut Vm, frame: *mut Frame, count: u32) {
    let call = (*frame).call;
    let function = (*call).function;
    let have = (*call).argument_count();
    let needed = super::calls::frame_bytes(function, count.max(have));
    let stack = &mut (*vm).stack;
    if call as usize + needed <= stack.end as usize {
        stack.top = call.byte_add(needed).cast();
        return;
    }
    // The frame would cross the page's end: it moves to a page of its own.
    let owned_page = (*call).call_info() & call_info::ALLOCATED != 0;
    let bytes = (crate::frame::HEADER_SLOTS + have) as usize * size_of::<Zval>();
    let saved: Vec<u8> = std::slice::from_raw_parts(call.cast::<u8>(), bytes).to_vec();
    if owned_page {
        stack.drop_page();
    } else {
        stack.top = call.cast();
    }
    // Room to grow further without moving at each argument.
    let moved = super::calls::extend_stack(vm, needed + needed / 2).cast::<Frame>();
    let stack = &mut (*vm).stack;
    std::ptr::copy_nonoverlapping(saved.as_ptr(), moved.cast::<u8>(), bytes);
    (*moved).add_call_info(call_info::ALLOCATED);
    stack.top = moved.byte_add(needed).cast();
    (*frame).call = moved;
}

unsafe fn cannot_pass_by_reference(vm: *mut Vm, function: *const Function, number: u32) {
    (*vm).throw_error(
        KnownClass::Error,
        format!(
            "{}(): Argument #{}{} could not be passed by reference",
            (*function).display_name(),
            number + 1,
            parameter_name(function, number),
        ),
    );
}

/// ` ($name)` of a parameter, or nothing if there is none.
pub unsafe fn parameter_name(function: *const Function, number: u32) -> String {
    let name = (*function).parameter_name(number);
    name.map_or_else(String::new, |name| format!(" (${name})"))
}

/// SEND_VAL and SEND_VAL_EX in full.
pub unsafe fn send_val(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let Some(to) = target(frame, opline, vm) else {
        free_op1(frame, opline);
        return next(frame);
    };
    let value = raw_op1(frame, opline);
    if op.opcode == crate::generated::Opcode::SEND_VAL_EX as u8
        && (*(*(*frame).call).function).pass_by(to.number) == PassBy::Reference
    {
        cannot_pass_by_reference(vm, (*(*frame).call).function, to.number);
        // Before a destructor runs.
        (*to.slot).set_undef();
        free_op1(frame, opline);
        return next(frame);
    }
    // Only set, never overwritten whole: the slot may be an entry of a hash array.
    if op.op1_type == IS_VAR && (*value).kind() == REFERENCE {
        store(to.slot, (*value).share_deref());
        release(value);
    } else if op.op1_type == IS_CONST {
        store(to.slot, (*value).share());
    } else {
        store(to.slot, *value);
    }
    next(frame)
}

unsafe fn store(slot: *mut Zval, value: Zval) {
    (*slot).set(value);
}

/// SEND_VAR in full: by value.
pub unsafe fn send_var(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let Some(to) = target(frame, opline, vm) else {
        free_op1(frame, opline);
        return next(frame);
    };
    send_value(frame, opline, vm, to.slot);
    next(frame)
}

unsafe fn send_value(frame: *mut Frame, opline: *const Op, vm: *mut Vm, slot: *mut Zval) {
    let value = raw_op1(frame, opline);
    match (*value).kind() {
        UNDEF if (*opline).op1_type == IS_CV => {
            // Code of the script runs, and where this opline is the argument counts as sent.
            store(slot, Zval::NULL);
            undefined_variable(vm, frame, (*opline).op1);
        }
        REFERENCE => {
            store(slot, (*value).share_deref());
            if (*opline).op1_type != IS_CV {
                release(value);
            }
        }
        _ if (*opline).op1_type == IS_CV => store(slot, (*value).share()),
        _ => store(slot, *value),
    }
}

unsafe fn send_reference(frame: *mut Frame, opline: *const Op, vm: *mut Vm, slot: *mut Zval) {
    let variable = write_op1(frame, opline);
    make_reference(&mut (*vm).heap, variable);
    store(slot, (*variable).share());
    if (*opline).op1_type == IS_VAR {
        free_op1(frame, opline);
    }
}

/// SEND_REF: by reference, known when compiled.
pub unsafe fn send_ref(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    match target(frame, opline, vm) {
        Some(to) => send_reference(frame, opline, vm, to.slot),
        None => free_op1(frame, opline),
    }
    next(frame)
}

/// SEND_VAR_EX: by value or by reference, as the function wants it.
pub unsafe fn send_var_ex(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let Some(to) = target(frame, opline, vm) else {
        free_op1(frame, opline);
        return next(frame);
    };
    if (*(*(*frame).call).function).pass_by(to.number) == PassBy::Value {
        let value = raw_op1(frame, opline);
        // A VAR may be the target of a write fetch.
        if (*opline).op1_type == IS_VAR && (*value).kind() == crate::value::INDIRECT {
            store(to.slot, (*(*value).indirect()).share_deref());
        } else {
            send_value(frame, opline, vm, to.slot);
        }
    } else {
        send_reference(frame, opline, vm, to.slot);
    }
    next(frame)
}

/// SEND_FUNC_ARG: after CHECK_FUNC_ARG and a FETCH_*_FUNC_ARG.
pub unsafe fn send_func_arg(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let Some(to) = target(frame, opline, vm) else {
        free_op1(frame, opline);
        return next(frame);
    };
    if (*(*frame).call).call_info() & call_info::SEND_BY_REFERENCE != 0 {
        send_reference(frame, opline, vm, to.slot);
    } else {
        send_value(frame, opline, vm, to.slot);
    }
    next(frame)
}

/// SEND_VAR_NO_REF and SEND_VAR_NO_REF_EX: a function's result.
pub unsafe fn send_var_no_ref(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let Some(to) = target(frame, opline, vm) else {
        free_op1(frame, opline);
        return next(frame);
    };
    let value = raw_op1(frame, opline);
    let mode = (*(*(*frame).call).function).pass_by(to.number);
    if mode == PassBy::Value {
        send_value(frame, opline, vm, to.slot);
        return next(frame);
    }
    if (*value).kind() == REFERENCE || mode == PassBy::PreferReference {
        store(to.slot, *value);
        return next(frame);
    }
    let boxed = PhpReference::allocate(&mut (*vm).heap, Zval { extra: 0, ..*value });
    store(to.slot, Zval::from_reference(boxed.into_raw()));
    (*vm).notice("Only variables should be passed by reference");
    next(frame)
}

/// SEND_USER: an argument of an inlined `call_user_func`.
pub unsafe fn send_user(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let number = (*opline).op2 - 1;
    let slot = (*(*frame).call).slot(number);
    let function = (*(*frame).call).function;
    // Before a warning about an undefined variable runs code of the script.
    store(slot, Zval::NULL);
    let value = read_op1(frame, opline, vm);
    store(slot, (*value).share());
    free_op1(frame, opline);
    if (*function).pass_by(number) == PassBy::Reference {
        must_be_reference(vm, function, number);
        let boxed = PhpReference::allocate(&mut (*vm).heap, Zval { extra: 0, ..*slot });
        store(slot, Zval::from_reference(boxed.into_raw()));
    }
    next(frame)
}

/// Warns that a by-reference parameter got a value.
pub unsafe fn must_be_reference(vm: *mut Vm, function: *const Function, number: u32) {
    (*vm).warning(format!(
        "{}(): Argument #{}{} must be passed by reference, value given",
        (*function).display_name(),
        number + 1,
        parameter_name(function, number),
    ));
}

/// CHECK_FUNC_ARG: notes whether the next argument goes by reference.
pub unsafe fn check_func_arg(frame: *mut Frame, opline: *const Op, _vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let call = (*frame).call;
    let function = (*call).function;
    let number = if op.op2_type == IS_CONST {
        let name = (*constant(opline, op.op2)).string();
        let position = (*function)
            .parameters
            .iter()
            .position(|parameter| (*parameter.name).as_bytes() == (*name).as_bytes());
        match position {
            Some(position) => position as u32,
            None => u32::MAX,
        }
    } else {
        op.op2 - 1
    };
    if (*function).pass_by(number) != PassBy::Value {
        (*call).add_call_info(call_info::SEND_BY_REFERENCE);
    } else {
        (*call).remove_call_info(call_info::SEND_BY_REFERENCE);
    }
    next(frame)
}

/// Appends one argument to the call being prepared, by value or by reference.
unsafe fn push_argument(vm: *mut Vm, frame: *mut Frame, element: *mut Zval) {
    let number = (*(*frame).call).argument_count();
    grow_call(vm, frame, number + 1);
    let call = (*frame).call;
    (*call).this.extra = number + 1;
    let slot = (*call).slot(number);
    let function = (*call).function;
    if (*element).is_reference() && (*function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
        // `__call` gets references as they are.
        *slot = (*element).share();
    } else if (*function).pass_by(number) == PassBy::Value {
        *slot = (*element).share_deref();
    } else {
        make_reference(&mut (*vm).heap, element);
        *slot = (*element).share();
    }
}

/// Appends values to the call being prepared, if its function takes so many by value and nothing is
/// special about it; else false, and nothing has happened.
unsafe fn push_values(vm: *mut Vm, frame: *mut Frame, values: &[Zval]) -> bool {
    const MOST: usize = QUICK_PARAMETERS as usize;
    let function = (*(*frame).call).function;
    let number = (*(*frame).call).argument_count();
    let count = number as usize + values.len();
    let references = (*function).quick_arguments & ((1 << (2 * count.min(MOST))) - 1);
    if count > MOST || references != 0 || (*function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
        return false;
    }
    grow_call(vm, frame, count as u32);
    let call = (*frame).call;
    for (index, value) in values.iter().enumerate() {
        (*call)
            .slot(number + index as u32)
            .write(value.share_deref());
    }
    (*call).this.extra = count as u32;
    true
}

/// Sends one argument by name; the value's share moves.
unsafe fn push_named(vm: *mut Vm, frame: *mut Frame, name: &PhpString, element: *mut Zval) -> bool {
    let Some((slot, number)) = named_slot(vm, frame, name) else {
        return false;
    };
    let function = (*(*frame).call).function;
    if (*function).pass_by(number) == PassBy::Value {
        store(slot, (*element).share_deref());
    } else {
        make_reference(&mut (*vm).heap, element);
        store(slot, (*element).share());
    }
    true
}

/// SEND_UNPACK: `f(...$values)`.
pub unsafe fn send_unpack(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let source = raw_op1(frame, opline);
    let values = deref(source);
    match (*values).kind() {
        ARRAY => unpack_array(vm, frame, opline, values),
        OBJECT if super::iteration::is_unpacked(&*values) => {
            unpack_traversable(vm, frame, &*values)
        }
        UNDEF if (*opline).op1_type == IS_CV => {
            undefined_variable(vm, frame, (*opline).op1);
            only_arrays(vm, "null");
        }
        _ => {
            let kind = crate::operators::value_name(&*values);
            only_arrays(vm, &kind);
        }
    }
    free_op1(frame, opline);
    next(frame)
}

unsafe fn only_arrays(vm: *mut Vm, kind: &str) {
    (*vm).throw_error(
        KnownClass::TypeError,
        format!("Only arrays and Traversables can be unpacked, {kind} given"),
    );
}

unsafe fn any_by_reference(function: *const Function) -> bool {
    (*function)
        .parameters
        .iter()
        .any(|parameter| parameter.pass_by != PassBy::Value)
}

unsafe fn unpack_array(vm: *mut Vm, frame: *mut Frame, opline: *const Op, values: *mut Zval) {
    // By-reference parameters bind to the array's elements, so it is separated first.
    if (*opline).op1_type & (IS_CV | IS_VAR) != 0 && any_by_reference((*(*frame).call).function) {
        super::dimension_writes::separate_array(vm, values);
    }
    let array = (*values).array();
    if let Some(list) = (*array).packed()
        && push_values(vm, frame, list)
    {
        return;
    }
    let mut position = 0;
    let mut named = false;
    while position < (*array).positions() {
        let element = (*array).value_at(position);
        if !(*element).is_undef() {
            // An array that others see, too, does not get references.
            let mut held = Value::UNDEF;
            let element = if (*array).header.is_immutable() || (*array).header.refcount > 1 {
                held = Value::from_zval((*element).share());
                held.as_zval_mut()
            } else {
                element
            };
            match (*array).key_at(position) {
                KeyRef::String(name) => {
                    named = true;
                    if !push_named(vm, frame, name, element) {
                        return;
                    }
                }
                KeyRef::Long(_) if named => {
                    (*vm).throw_error(
                        KnownClass::Error,
                        "Cannot use positional argument after named argument during unpacking",
                    );
                    return;
                }
                KeyRef::Long(_) => push_argument(vm, frame, element),
            }
            drop(held);
        }
        position += 1;
    }
}

unsafe fn not_by_reference(vm: *mut Vm, function: *const Function, number: u32) {
    (*vm).warning(format!(
        "Cannot pass by-reference argument {} of {}() by unpacking a Traversable, passing by-value instead",
        number + 1,
        (*function).display_name()
    ));
}

unsafe fn unpack_traversable(vm: *mut Vm, frame: *mut Frame, object: &Zval) {
    let mut named = false;
    let scope = (*(*frame).function).scope;
    let _ = super::iteration::for_each_unpacked(&mut *vm, object, scope, &mut |vm, key, value| {
        let vm: *mut Vm = vm;
        let mut element = value.into_zval().into_read();
        match key.deref().view() {
            crate::value::ValueKind::Long(_) if named => {
                release(&element);
                return Err((*vm).throw_error(
                    KnownClass::Error,
                    "Cannot use positional argument after named argument during unpacking",
                ));
            }
            crate::value::ValueKind::Long(_) => {
                let number = (*(*frame).call).argument_count();
                let function = (*(*frame).call).function;
                if (*function).pass_by(number) == PassBy::Reference {
                    not_by_reference(vm, function, number);
                }
                push_argument(vm, frame, &mut element);
            }
            crate::value::ValueKind::String(name) => {
                named = true;
                let function = (*(*frame).call).function;
                let position = (*function)
                    .parameters
                    .iter()
                    .position(|parameter| (*parameter.name).as_bytes() == name.as_bytes());
                if let Some(number) = position
                    && (*function).pass_by(number as u32) == PassBy::Reference
                {
                    not_by_reference(vm, function, number as u32);
                }
                if !push_named(vm, frame, name, &mut element) {
                    release(&element);
                    return Err(crate::vm::Thrown);
                }
            }
            _ => {
                release(&element);
                return Err((*vm).throw_error(
                    KnownClass::Error,
                    "Keys must be of type int|string during argument unpacking",
                ));
            }
        }
        release(&element);
        (*vm).check()
    });
}

/// Converts the length in `call_user_func_array($f, array_slice($array, 1, $length))`, which is not
/// a call of its own; false after an error.
unsafe fn slice_length(frame: *mut Frame, vm: *mut Vm, length: &mut Zval) -> bool {
    let strict = (*(*frame).function).flags & flags::STRICT_TYPES != 0;
    let mask = crate::function::type_mask::LONG;
    if crate::types::coerce_scalar(&mut *vm, length, mask, strict) {
        return true;
    }
    if (*vm).exception.is_null() {
        let kind = crate::operators::value_name(length);
        (*vm).throw_error(
            KnownClass::TypeError,
            format!("array_slice(): Argument #3 ($length) must be of type ?int, {kind} given"),
        );
    }
    false
}

/// SEND_ARRAY: the arguments of an inlined `call_user_func_array`.
pub unsafe fn send_array(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let values = read_op1(frame, opline, vm);
    if (*values).kind() == ARRAY && op.op2_type == IS_UNUSED && op.extended_value == 0 {
        // The frequent case: a list, and a function that takes values.
        let list = (*(*values).array()).packed();
        if list.is_some_and(|list| push_values(vm, frame, list)) {
            free_op1(frame, opline);
            return next(frame);
        }
    }
    if (*values).kind() != ARRAY {
        // Also after the handler of the warning about an undefined variable has thrown, whose exception is the previous
        // one then.
        let kind = crate::operators::value_name(&*values);
        (*vm).throw_error(
            KnownClass::TypeError,
            format!(
                "call_user_func_array(): Argument #2 ($args) must be of type array, {kind} given"
            ),
        );
        free_op1(frame, opline);
        free_op2(frame, opline);
        return next(frame);
    }
    // The array stays alive while the length is asked for and arguments are copied: warnings may run user code.
    let held = Value::share(&*values);
    let mut skip = op.extended_value as i64;
    let mut length = i64::MAX;
    if op.op2_type != IS_UNUSED {
        let given = read_op2(frame, opline, vm);
        if !(*given).is_null() {
            let mut converted = Value::share(&*given);
            if converted.kind() != LONG && !slice_length(frame, vm, converted.as_zval_mut()) {
                free_op1(frame, opline);
                free_op2(frame, opline);
                return next(frame);
            }
            length = converted.as_zval().long();
            if length < 0 {
                length = ((*held.as_zval().array()).len() as i64 - skip + length).max(0);
            }
        }
        free_op2(frame, opline);
    }
    let array = held.array();
    free_op1(frame, opline);
    let Some(array) = array else {
        return next(frame);
    };
    if let Some(list) = array.packed() {
        let list = list.get(skip.max(0) as usize..).unwrap_or_default();
        let list = &list[..list.len().min(length.max(0) as usize)];
        if push_values(vm, frame, list) {
            drop(held);
            return next(frame);
        }
    }
    let mut named = false;
    for (key, value) in array.iter() {
        match key.to_key() {
            Key::Long(_) if named => {
                (*vm).throw_error(
                    KnownClass::Error,
                    "Cannot use positional argument after named argument",
                );
                break;
            }
            Key::Long(_) => {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                if length == 0 {
                    break;
                }
                length -= 1;
                let number = (*(*frame).call).argument_count();
                let function = (*(*frame).call).function;
                let mut element = Value::from_zval(value.share());
                if (*function).pass_by(number) == PassBy::Reference && !value.is_reference() {
                    must_be_reference(vm, function, number);
                }
                push_argument(vm, frame, element.as_zval_mut());
            }
            Key::String(name) => {
                named = true;
                let mut element = value.share();
                let function = (*(*frame).call).function;
                let is_variadic = (*function).flags & flags::VARIADIC != 0;
                let parameters = &(*function).parameters;
                // A stand-in takes any number, and has no parameters.
                let declared = parameters.len().saturating_sub(usize::from(is_variadic));
                let parameters = &parameters[..declared];
                let number = parameters
                    .iter()
                    .position(|parameter| (*parameter.name).as_bytes() == name.as_bytes());
                let call = (*frame).call;
                let is_there = |number: usize| {
                    let number = number as u32;
                    number < (*call).argument_count() && !(*(*call).slot(number)).is_undef()
                };
                let taking = match number {
                    // An error, of which push_named() tells.
                    Some(number) if is_there(number) => None,
                    Some(number) => Some(number),
                    // What no parameter is named as goes to the variadic one.
                    None => is_variadic.then_some(declared),
                };
                if let Some(number) = taking
                    && (*function).pass_by(number as u32) == PassBy::Reference
                    && !value.is_reference()
                {
                    must_be_reference(vm, function, number as u32);
                }
                let sent = push_named(vm, frame, &name, &mut element);
                release(&element);
                if !sent {
                    break;
                }
            }
        }
    }
    // Destructors of what was left out may throw.
    drop(held);
    next(frame)
}

/// CHECK_UNDEF_ARGS: fills holes that named arguments left.
pub unsafe fn check_undef_args(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let call = (*frame).call;
    if (*call).call_info() & call_info::MAY_HAVE_UNDEF == 0 {
        return opline.add(1);
    }
    let _ = fill_undefined(vm, call);
    if !(*vm).exception.is_null() {
        // The call will not be made; the unwinder frees it.
        return next(frame);
    }
    next(frame)
}

/// Fills undefined arguments of a prepared call with their defaults, or throws.
pub unsafe fn fill_undefined(vm: *mut Vm, call: *mut Frame) -> crate::vm::PhpResult<()> {
    let function = (*call).function;
    if !(*function).is_user {
        // Defaults of native functions are filled by their signature.
        return Ok(());
    }
    for number in 0..(*call).argument_count() {
        let slot = (*call).slot(number);
        if !(*slot).is_undef() {
            continue;
        }
        let parameter = &(&(*function).parameters)[number as usize];
        if parameter.default.is_undef() {
            return Err((*vm).throw_error(
                KnownClass::ArgumentCountError,
                format!(
                    "{}(): Argument #{}{} not passed",
                    (*function).display_name(),
                    number + 1,
                    parameter_name(function, number)
                ),
            ));
        }
        if parameter.default.kind() == CONSTANT_EXPRESSION {
            let value =
                (*vm).evaluate_constant(&*parameter.default.expression(), (*function).scope)?;
            store(slot, value.into_zval());
        } else {
            store(slot, parameter.default.share());
        }
    }
    Ok(())
}

const _: () = assert!(IS_TMP_VAR == 2);
