//! Fast paths that handlers share: inlined into them, and without calls that come back.
//!
//! Each function does its whole work or none of it; on `false` or null the handler goes its slow
//! path, which starts from the beginning.

use crate::class::Class;
use crate::collector::GC_INFO;
use crate::frame::{Frame, call_info};
use crate::function::{Function, flags};
use crate::generated::Opcode;
use crate::interpreter::calls::frame_bytes;
use crate::interpreter::operand::{cache, deref, jump_target, slot};
use crate::op::{IS_CV, IS_UNUSED, Op};
use crate::value::{
    ARRAY, COLLECTABLE, DOUBLE, FALSE, Header, INDIRECT, LONG, NULL, OBJECT, REFCOUNTED, REFERENCE,
    STRING, TRUE, UNDEF, Zval,
};
use crate::vm::Vm;

/// `$variable OP= value` for numbers.
#[inline(always)]
pub unsafe fn compound_assign(variable: *mut Zval, value: *const Zval, opcode: u32) -> bool {
    let (a, b) = ((*variable).type_info, (*value).type_info);
    if a == LONG as u32 && b == LONG as u32 {
        let (a, b) = ((*variable).long(), (*value).long());
        let computed = if opcode == Opcode::ADD as u32 {
            a.checked_add(b)
        } else if opcode == Opcode::SUB as u32 {
            a.checked_sub(b)
        } else if opcode == Opcode::MUL as u32 {
            a.checked_mul(b)
        } else if opcode == Opcode::BW_XOR as u32 {
            Some(a ^ b)
        } else {
            None
        };
        let Some(computed) = computed else {
            return false;
        };
        (*variable).payload.long = computed;
        return true;
    }
    if a == DOUBLE as u32 && (b == DOUBLE as u32 || b == LONG as u32) {
        let left = (*variable).double();
        let right = if b == DOUBLE as u32 {
            (*value).double()
        } else {
            (*value).long() as f64
        };
        let computed = if opcode == Opcode::ADD as u32 {
            left + right
        } else if opcode == Opcode::SUB as u32 {
            left - right
        } else if opcode == Opcode::MUL as u32 {
            left * right
        } else {
            return false;
        };
        (*variable).payload.double = computed;
        return true;
    }
    false
}

/// An existing element with an integer key of a packed array, or a string key that is found by
/// its literal; null otherwise.
#[inline(always)]
pub unsafe fn element(container: *mut Zval, offset: *const Zval) -> *mut Zval {
    if (*container).kind() != ARRAY {
        return std::ptr::null_mut();
    }
    let array = (*container).array();
    if (*offset).type_info == LONG as u32 {
        let index = (*offset).long() as u64;
        if (*array).is_packed() {
            if index < (*array).used as u64 {
                let value = (*array).values().add(index as usize);
                if !(*value).is_undef() {
                    return value;
                }
            }
            return std::ptr::null_mut();
        }
        return match (*array).find_long(index as i64) {
            Some(position) => (*array).value_at(position),
            None => std::ptr::null_mut(),
        };
    }
    if (*offset).kind() == STRING && !(*array).is_packed() {
        return match (*array).find_hashed_string((*offset).string()) {
            Some(position) => (*array).value_at(position),
            None => std::ptr::null_mut(),
        };
    }
    std::ptr::null_mut()
}

/// True for a pointer to a slot elsewhere.
#[inline(always)]
pub unsafe fn is_indirect(value: *const Zval) -> bool {
    (*value).kind() == INDIRECT
}

/// As [`element`], in an array that may be written in place.
#[inline(always)]
pub unsafe fn element_for_write(container: *mut Zval, offset: *const Zval) -> *mut Zval {
    let container = deref(container);
    if (*container).type_info & 0xff != ARRAY as u32 || (*container).type_info & REFCOUNTED == 0 {
        return std::ptr::null_mut();
    }
    if (*(*container).array()).header.refcount != 1 {
        return std::ptr::null_mut();
    }
    element(container, offset)
}

/// An element that can be overwritten without care: in place, and its old value is not counted.
#[inline(always)]
pub unsafe fn element_to_assign(container: *mut Zval, offset: *const Zval) -> *mut Zval {
    let found = element_for_write(container, offset);
    if found.is_null() {
        // `$a[n] = ...` right behind the last element is an append.
        if (*offset).type_info == LONG as u32 {
            let container = deref(container);
            if (*container).type_info == crate::value::ARRAY_COUNTED
                && (*(*container).array()).header.refcount == 1
                && (*offset).long() == (*(*container).array()).next_free
            {
                return (*(*container).array()).push_in_place();
            }
        }
        return found;
    }
    if (*found).is_refcounted() {
        return std::ptr::null_mut();
    }
    found
}

/// A fresh slot behind the last element of a packed array with room.
#[inline(always)]
pub unsafe fn next_element(container: *mut Zval) -> *mut Zval {
    let container = deref(container);
    if (*container).type_info & 0xff != ARRAY as u32 || (*container).type_info & REFCOUNTED == 0 {
        return std::ptr::null_mut();
    }
    let array = (*container).array();
    if (*array).header.refcount != 1 {
        return std::ptr::null_mut();
    }
    (*array).push_in_place()
}

/// Pushes the call of a function that the runtime cache knows.
#[inline(always)]
pub unsafe fn push_known_call(
    vm: *mut Vm,
    frame: *mut Frame,
    function: *const Function,
    count: u32,
) -> bool {
    if function.is_null() {
        return false;
    }
    push_prepared(vm, frame, function, count, 0, Zval::UNDEF)
}

/// As [`push_known_call`], with the frame's size as compiled: it was compared with the function's
/// when the cache was filled.
#[inline(always)]
pub unsafe fn push_sized(
    vm: *mut Vm,
    frame: *mut Frame,
    function: *const Function,
    count: u32,
    bytes: u32,
) -> bool {
    let top = (*vm).stack.top;
    if bytes as usize > (*vm).stack.end as usize - top as usize {
        return false;
    }
    (*vm).stack.top = top.byte_add(bytes as usize);
    let call = top.cast::<Frame>();
    (*call).function = function;
    (*call).this.type_info = 0;
    (*call).this.extra = count;
    (*call).call = std::ptr::null_mut();
    (*call).previous = (*frame).call;
    (*frame).call = call;
    true
}

/// Pushes a call if the function is ready and the page has room.
#[inline(always)]
unsafe fn push_prepared(
    vm: *mut Vm,
    frame: *mut Frame,
    function: *const Function,
    count: u32,
    info: u32,
    this: Zval,
) -> bool {
    if (*function).is_user && (*function).run_time_cache.is_null() {
        return false;
    }
    let bytes = frame_bytes(function, count);
    let top = (*vm).stack.top;
    if bytes > (*vm).stack.end as usize - top as usize {
        return false;
    }
    (*vm).stack.top = top.byte_add(bytes);
    let call = top.cast::<Frame>();
    (*call).function = function;
    (*call).this = Zval {
        type_info: this.type_info | info,
        extra: count,
        ..this
    };
    (*call).call = std::ptr::null_mut();
    (*call).previous = (*frame).call;
    (*frame).call = call;
    true
}

/// Pushes a method call whose class and function stand in the runtime cache.
#[inline(always)]
pub unsafe fn push_cached_method(
    vm: *mut Vm,
    frame: *mut Frame,
    opline: *const Op,
    object: *mut Zval,
    shared: bool,
) -> bool {
    if (*object).type_info as u8 != OBJECT {
        return false;
    }
    let instance = (*object).object();
    let cached = cache::<Class>(frame, (*opline).result);
    if *cached != (*instance).class {
        return false;
    }
    let function = *cached.add(1).cast::<*const Function>();
    if (*function).flags & flags::STATIC != 0 {
        return false;
    }
    let info = if shared { call_info::RELEASE_THIS } else { 0 };
    let this = Zval::from_object(instance);
    if !push_prepared(vm, frame, function, (*opline).extended_value, info, this) {
        return false;
    }
    if shared {
        (*instance).header.refcount += 1;
    }
    true
}

/// Pushes a static call whose class and function stand in the runtime cache.
#[inline(always)]
pub unsafe fn push_cached_static(
    vm: *mut Vm,
    frame: *mut Frame,
    opline: *const Op,
    relative: bool,
) -> bool {
    let cached = cache::<Class>(frame, (*opline).result);
    let class = *cached;
    let function = *cached.add(1).cast::<*const Function>();
    if function.is_null() || (*function).flags & flags::STATIC == 0 {
        return false;
    }
    let mut called = class;
    if relative {
        // `self::` and `parent::` pass the called class on; `static::` may be another one now.
        if (*opline).op1 & 15 > 2 {
            return false;
        }
        let this = &(*frame).this;
        called = if this.type_info as u8 == OBJECT {
            (*this.object()).class
        } else if this.type_info as u8 == crate::value::POINTER {
            this.pointer().cast()
        } else {
            return false;
        };
    }
    push_prepared(
        vm,
        frame,
        function,
        (*opline).extended_value,
        0,
        Zval::from_pointer(called.cast()),
    )
}

/// True if the prepared call is a plain user function with no more arguments than parameters.
#[inline(always)]
pub unsafe fn can_enter(call: *mut Frame) -> bool {
    let function = (*call).function;
    (*function).is_user
        && (*function).flags & (flags::ABSTRACT | flags::DEPRECATED | flags::CALL_VIA_TRAMPOLINE)
            == 0
        && (*call).argument_count() <= (*function).parameter_count
}

/// Enters a prepared call that [`can_enter`] accepts.
#[inline(always)]
pub unsafe fn enter_plain(
    vm: *mut Vm,
    frame: *mut Frame,
    call: *mut Frame,
    return_value: *mut Zval,
) -> *const Op {
    (*frame).call = (*call).previous;
    (*call).previous = frame;
    (*call).return_value = return_value;
    let function = (*call).function;
    let count = (*call).argument_count();
    let mut first = (*function).ops;
    if (*function).flags & flags::HAS_TYPE_HINTS == 0 {
        first = first.add(count as usize);
    }
    let mut variable = (*call).slot(count);
    let end = (*call).slot((*function).variables);
    while variable < end {
        (*variable).set_undef();
        variable = variable.add(1);
    }
    (*call).run_time_cache = (*function).run_time_cache;
    (*call).opline = first;
    (*vm).current_frame = call;
    first
}

/// True if a CV of the frame holds something counted.
#[inline(always)]
pub unsafe fn variables_need_release(frame: *mut Frame) -> bool {
    // Leaving at the first counted value also keeps the loop a plain one: unrolled, it would cost
    // the handler a prologue.
    let mut variable = (*frame).slot(0);
    let end = variable.add((*(*frame).function).variables as usize);
    while variable < end {
        if (*variable).type_info & REFCOUNTED != 0 {
            return true;
        }
        variable = variable.add(1);
    }
    false
}

/// True if a share of an object can be given up without a word: it is neither the last one, nor
/// does the collector have to note the object.
#[inline(always)]
unsafe fn needs_no_note(header: *const Header) -> bool {
    (*header).refcount > 1 && (*header).type_info & GC_INFO != 0
}

/// Gives back the frame's shares of `$this` and its closure, if that is all there is to do.
#[inline(always)]
pub unsafe fn release_shared_owners(frame: *mut Frame, info: u32) -> bool {
    let this = (*frame).this.payload.object;
    let closure = (*(*frame).function).closure;
    let has_this = info & call_info::RELEASE_THIS != 0;
    let has_closure = info & call_info::CLOSURE != 0;
    if has_this && !needs_no_note(&(*this).header)
        || has_closure && !needs_no_note(&(*closure).header)
    {
        return false;
    }
    if has_this {
        (*this).header.refcount -= 1;
    }
    if has_closure {
        (*closure).header.refcount -= 1;
    }
    true
}

/// The next element of a loop over an array. Gives where to go on, or null.
#[inline(always)]
pub unsafe fn foreach_array(
    state: *mut Zval,
    target: *mut Zval,
    target_kind: u8,
    result_kind: u8,
    opline: *const Op,
    frame: *mut Frame,
) -> *const Op {
    if (*state).kind() != ARRAY {
        return std::ptr::null();
    }
    let array = (*state).array();
    let position = (*state).extra;
    if position >= (*array).used {
        return jump_target(opline, (*opline).extended_value);
    }
    let packed = (*array).is_packed();
    let value = if packed {
        (*array).values().add(position as usize)
    } else {
        &raw mut (*(*array).buckets().add(position as usize)).value
    };
    if (*value).is_undef()
        || (*value).kind() >= crate::value::REFERENCE
        || target_kind == IS_CV && (*target).is_refcounted()
    {
        return std::ptr::null();
    }
    (*state).extra = position + 1;
    (*value).add_reference();
    (*target).set(*value);
    if result_kind != IS_UNUSED {
        let key = slot(frame, (*opline).result);
        let name = if packed {
            std::ptr::null_mut()
        } else {
            (*(*array).buckets().add(position as usize)).key
        };
        if packed {
            *key = Zval::from_long(position as i64);
        } else if name.is_null() {
            *key = Zval::from_long((*(*array).buckets().add(position as usize)).hash as i64);
        } else {
            *key = Zval::from_string(name);
            (*key).add_reference();
        }
    }
    opline.add(1)
}

/// Gives up the old value of a variable that is assigned to, if nothing has to be destroyed: it is
/// not counted, or it has other owners and the collector knows of it.
#[inline(always)]
pub unsafe fn give_up(old: *const Zval) -> bool {
    if !(*old).is_refcounted() {
        return true;
    }
    let header = (*old).counted();
    if (*header).refcount == 1
        || (*old).type_info & COLLECTABLE != 0 && (*header).type_info & GC_INFO == 0
    {
        return false;
    }
    (*header).refcount -= 1;
    true
}

/// A global variable by its literal name; null if it is not to be had so, or is not there.
#[inline(always)]
pub unsafe fn global_variable(vm: *mut Vm, name: *const Zval, fetch: u32) -> *mut Zval {
    let globals = (*vm).globals.as_ptr();
    if fetch & crate::interpreter::variables::FETCH_GLOBAL == 0 || (*globals).is_packed() {
        return std::ptr::null_mut();
    }
    let Some(position) = (*globals).find_hashed_string((*name).string()) else {
        return std::ptr::null_mut();
    };
    let mut variable = (*globals).value_at(position);
    if (*variable).kind() == INDIRECT {
        variable = (*variable).indirect();
    }
    variable = deref(variable);
    match (*variable).kind() {
        UNDEF => std::ptr::null_mut(),
        _ => variable,
    }
}

/// True if a temporary can be given up without destroying anything.
#[inline(always)]
pub unsafe fn is_shared(value: *const Zval) -> bool {
    !(*value).is_refcounted() || (*(*value).counted()).refcount > 1
}

/// Gives up a temporary that [`is_shared`]. Like PHP's, temporaries are no roots of garbage.
#[inline(always)]
pub unsafe fn give_back_shared(value: *const Zval) {
    if (*value).is_refcounted() {
        (*(*value).counted()).refcount -= 1;
    }
}

/// Where an assignment to a variable goes, its old value given up as by [`give_up`]; null if there
/// is more to do.
#[inline(always)]
pub unsafe fn assignable(variable: *mut Zval) -> *mut Zval {
    let mut target = variable;
    if (*variable).kind() == REFERENCE {
        let reference = (*variable).reference();
        if !(*reference).sources.is_null() {
            return std::ptr::null_mut();
        }
        target = &raw mut (*reference).value;
    }
    match give_up(target) {
        true => target,
        false => std::ptr::null_mut(),
    }
}

/// A declared property whose class stands in the runtime cache; null if it does not.
#[inline(always)]
pub unsafe fn cached_property(frame: *mut Frame, offset: u32, object: *mut Zval) -> *mut Zval {
    if (*object).type_info as u8 != OBJECT {
        return std::ptr::null_mut();
    }
    let instance = (*object).object();
    let cached = cache::<Class>(frame, offset);
    if *cached != (*instance).class {
        return std::ptr::null_mut();
    }
    let index = *cached.add(1).cast::<usize>();
    if index >= (*instance).slot_count as usize {
        return std::ptr::null_mut();
    }
    let value = (*instance).slot(index as u32);
    if (*value).is_undef() {
        return std::ptr::null_mut();
    }
    value
}

/// As [`cached_property`], for a property that takes values of this kind without a check: the
/// third cache slot is a mask of them by type number.
#[inline(always)]
pub unsafe fn cached_property_taking(
    frame: *mut Frame,
    offset: u32,
    object: *mut Zval,
    kind: u8,
) -> *mut Zval {
    let value = cached_property(frame, offset, object);
    let taken = *cache::<()>(frame, offset).add(2).cast::<usize>();
    if value.is_null() || taken >> kind & 1 == 0 {
        return std::ptr::null_mut();
    }
    value
}

/// As [`cached_property_taking`], for values of the kind that the property has now.
#[inline(always)]
pub unsafe fn cached_property_taking_its_kind(
    frame: *mut Frame,
    offset: u32,
    object: *mut Zval,
) -> *mut Zval {
    let value = cached_property(frame, offset, object);
    if value.is_null() {
        return value;
    }
    cached_property_taking(frame, offset, object, (*value).kind())
}

/// A static member that stands in the runtime cache; null if it does not.
#[inline(always)]
pub unsafe fn cached_static_member(frame: *mut Frame, offset: u32) -> *mut Zval {
    *cache::<Zval>(frame, offset).add(1)
}

/// As [`cached_static_member`], for one that needs no check when it is written.
#[inline(always)]
pub unsafe fn cached_plain_static_member(frame: *mut Frame, offset: u32) -> *mut Zval {
    if (*cache::<()>(frame, offset).add(2)).is_null() {
        return cached_static_member(frame, offset);
    }
    std::ptr::null_mut()
}

/// The truth value of `null`, a bool, an int or a float; None for anything else.
#[inline(always)]
pub unsafe fn simple_truth(value: *const Zval) -> Option<bool> {
    match (*value).kind() {
        NULL | FALSE => Some(false),
        TRUE => Some(true),
        LONG => Some((*value).long() != 0),
        DOUBLE => Some((*value).double() != 0.0),
        ARRAY => Some(!(*(*value).array()).is_empty()),
        _ => None,
    }
}

/// A byte of a string as an interned string; null if the offset is not inside.
#[inline(always)]
pub unsafe fn string_byte(
    container: *const Zval,
    offset: *const Zval,
) -> *mut crate::string::PhpString {
    if (*container).kind() != STRING || (*offset).type_info != LONG as u32 {
        return std::ptr::null_mut();
    }
    let index = (*offset).long();
    let bytes = (*(*container).string()).as_bytes();
    if (index as u64) < bytes.len() as u64 {
        return crate::string::single_byte_made(bytes[index as usize]);
    }
    std::ptr::null_mut()
}
