//! Preparing and making calls: INIT_*, DO_*, and entering user functions.

use crate::class::Class;
use crate::collector::GC_INFO;
use crate::exceptions::KnownClass;
use crate::frame::{Frame, HEADER_SLOTS, call_info};
use crate::function::{Function, flags};
use crate::interpreter::operand::*;
use crate::op::{IS_CONST, IS_CV, IS_UNUSED, IS_VAR, Op};
use crate::value::{OBJECT, ObjectHandle, STRING, Zval, release, release_temporary};
use crate::vm::Vm;

/// Bytes a frame of `function` needs for `count` arguments.
#[inline(always)]
pub unsafe fn frame_bytes(function: *const Function, count: u32) -> usize {
    let mut slots = HEADER_SLOTS + count;
    if (*function).is_user {
        slots += (*function).slots - (*function).parameter_count.min(count);
    }
    slots as usize * size_of::<Zval>()
}

/// A page for a frame that the current page has no room for. Pages count against `memory_limit`:
/// endless recursion is a fatal error of the script.
#[cold]
#[inline(never)]
pub unsafe fn extend_stack(vm: *mut Vm, bytes: usize) -> *mut Zval {
    let request = crate::frame::PAGE_BYTES.max(bytes);
    let heap = &mut (*vm).heap;
    // Pages count as native memory, if that is counted.
    let total = (*vm).stack.bytes_with(bytes);
    let other = total.saturating_sub(heap.native_memory()).max(request);
    heap.check_limit(other, request);
    (*vm).stack.extend(bytes)
}

/// Pushes a frame for `function`; its arguments are still to be sent.
#[inline(always)]
pub unsafe fn push_frame(
    vm: *mut Vm,
    function: *const Function,
    count: u32,
    info: u32,
    this: Zval,
) -> *mut Frame {
    let bytes = frame_bytes(function, count);
    let stack = &mut (*vm).stack;
    let mut info = info;
    let frame = if stack.has_room(bytes) {
        let frame = stack.top;
        stack.top = frame.byte_add(bytes);
        frame
    } else {
        info |= call_info::ALLOCATED;
        extend_stack(vm, bytes)
    }
    .cast::<Frame>();
    (*frame).function = function;
    (*frame).this = Zval {
        type_info: this.type_info & call_info::THIS_TYPE | info,
        extra: count,
        ..this
    };
    (*frame).call = std::ptr::null_mut();
    (*frame).symbol_table = std::ptr::null_mut();
    (*frame).extra_named = std::ptr::null_mut();
    frame
}

/// Gives a frame's stack space back.
#[inline(always)]
pub unsafe fn pop_frame(vm: *mut Vm, frame: *mut Frame) {
    if (*frame).this.type_info & call_info::ALLOCATED != 0 {
        (*vm).stack.drop_page();
    } else {
        let stack = &mut (*vm).stack;
        // Frames of calls that are being prepared in it may still be above, but nobody looks there.
        let used = (stack.top as usize).saturating_sub(frame as usize);
        crate::frame::poison(frame.cast(), used);
        stack.top = frame.cast();
    }
}

/// Pushes a frame and makes it the innermost call being prepared.
#[inline(always)]
pub unsafe fn push_call(
    vm: *mut Vm,
    frame: *mut Frame,
    function: *const Function,
    count: u32,
    info: u32,
    this: Zval,
) {
    if (*function).is_user && (*function).run_time_cache.is_null() {
        initialise_cache(vm, function.cast_mut());
    }
    let call = push_frame(vm, function, count, info, this);
    (*call).previous = (*frame).call;
    (*frame).call = call;
}

/// Allocates a user function's runtime cache and static variables, at its first call.
#[cold]
#[inline(never)]
pub unsafe fn initialise_cache(vm: *mut Vm, function: *mut Function) {
    (*vm).prepare_function(&mut *function);
    (*function).make_run_time_cache();
}

/// Makes a prepared user frame ready to run: extra arguments moved, CVs cleared, RECVs skipped.
#[inline(always)]
pub unsafe fn initialise_frame(call: *mut Frame, return_value: *mut Zval) {
    let function = (*call).function;
    (*call).return_value = return_value;
    let count = (*call).argument_count();
    let mut opline = (*function).ops;
    if count > (*function).parameter_count {
        move_extra_arguments(call);
        if (*function).flags & flags::HAS_TYPE_HINTS == 0 {
            opline = opline.add((*function).parameter_count as usize);
        }
    } else if (*function).flags & flags::HAS_TYPE_HINTS == 0 {
        opline = opline.add(count as usize);
    }
    let mut number = count;
    while number < (*function).variables {
        (*(*call).slot(number)).set_undef();
        number += 1;
    }
    (*call).run_time_cache = (*function).run_time_cache;
    (*call).opline = opline;
}

/// Moves arguments beyond the declared parameters behind the temporaries.
#[inline(never)]
pub unsafe fn move_extra_arguments(call: *mut Frame) {
    let function = (*call).function;
    let declared = (*function).parameter_count;
    let count = (*call).argument_count();
    // Extra argument `n` goes to slot `slots + n - declared`; last first, the ranges may overlap.
    let shift = ((*function).slots - declared) as usize;
    let first = (*call).slot(declared);
    let mut source = (*call).slot(count);
    let mut any_counted = 0;
    while source > first {
        source = source.sub(1);
        any_counted |= (*source).type_info;
        if shift != 0 {
            *source.add(shift) = (*source).copy();
            (*source).set_undef();
        }
    }
    if any_counted & crate::value::REFCOUNTED != 0 {
        (*call).add_call_info(call_info::FREE_EXTRA_ARGUMENTS);
    }
}

/// The slot of argument `number` (0-based) of a running frame, extra arguments included.
pub unsafe fn argument_slot(frame: *mut Frame, number: u32) -> *mut Zval {
    let function = (*frame).function;
    if (*function).is_user && number >= (*function).parameter_count {
        (*frame).slot(number + (*function).slots - (*function).parameter_count)
    } else {
        (*frame).slot(number)
    }
}

/// Enters the prepared call of `frame`, a user function.
#[inline(always)]
pub unsafe fn enter_user(
    vm: *mut Vm,
    frame: *mut Frame,
    call: *mut Frame,
    return_value: *mut Zval,
) -> *const Op {
    (*frame).call = (*call).previous;
    (*call).previous = frame;
    initialise_frame(call, return_value);
    (*vm).current_frame = call;
    (*call).opline
}

/// Where a call's result goes: the result slot, or nowhere.
#[inline(always)]
pub unsafe fn return_slot(frame: *mut Frame, opline: *const Op) -> *mut Zval {
    if result_used(opline) {
        result(frame, opline)
    } else {
        std::ptr::null_mut()
    }
}

/// Runs the prepared native call of `frame` and stores its result, unless `target` is null.
pub unsafe fn call_native(vm: *mut Vm, frame: *mut Frame, call: *mut Frame, target: *mut Zval) {
    let mut unused = Zval::UNDEF;
    if !target.is_null() {
        return call_natively(vm, frame, call, target);
    }
    call_natively(vm, frame, call, &raw mut unused);
    release(&unused);
}

/// Runs the prepared native call of `frame` in its frame and stores its result.
#[inline(never)]
unsafe fn call_natively(vm: *mut Vm, frame: *mut Frame, call: *mut Frame, target: *mut Zval) {
    (*frame).call = (*call).previous;
    (*call).previous = frame;
    (*vm).current_frame = call;
    run_native(vm, call, target);
    (*vm).current_frame = frame;
    finish_native(vm, call);
    if !(*vm).exception.is_null() {
        (*vm).redirect_to_exception_handler();
    }
}

/// Makes the prepared call of `frame` by the direct entry of its native function, if it has one that
/// takes these arguments; false if not, and nothing has happened then. The caller stays the current
/// frame: a direct entry runs no user code. `target` gets the result.
#[inline(always)]
pub unsafe fn call_directly(
    vm: *mut Vm,
    frame: *mut Frame,
    call: *mut Frame,
    target: *mut Zval,
) -> bool {
    let Some(direct) = (*(*call).function).direct else {
        return false;
    };
    const SPECIAL: u32 = call_info::HAS_EXTRA_NAMED | call_info::ALLOCATED | call_info::CLOSURE;
    let count = (*call).argument_count() as usize;
    let first = (*call).slot(0);
    let arguments = std::slice::from_raw_parts(first, count);
    if (*call).call_info() & SPECIAL != 0
        || !direct(&mut *vm, &(*call).this, arguments, &mut *target)
    {
        return false;
    }
    (*frame).call = (*call).previous;
    let mut argument = first;
    let end = first.add(count);
    while argument < end {
        release_temporary(argument);
        argument = argument.add(1);
    }
    let this = (*call).this.copy();
    let info = (*call).call_info();
    (*vm).stack.top = call.cast();
    give_up_this(&this, info);
    true
}

/// Checks arguments and runs the native code of a frame that is current. The result goes to
/// `target`, where the old value is not released; it is undefined after an exception.
#[inline(always)]
pub unsafe fn run_native(vm: *mut Vm, call: *mut Frame, target: *mut Zval) {
    (*target).set_undef();
    if crate::types::prepare_native_call(&mut *vm, call).is_err() {
        return;
    }
    let code = (*(*call).function).native.unwrap_unchecked();
    let mut context = crate::function::Call {
        vm: &mut *vm,
        frame: call,
    };
    let Ok(value) = code(&mut context) else {
        return;
    };
    if (*vm).exception.is_null() {
        let value = std::mem::ManuallyDrop::new(value);
        *target = value.as_zval().copy();
    }
}

/// Releases the arguments of a native frame and pops it.
#[inline(always)]
pub unsafe fn finish_native(vm: *mut Vm, call: *mut Frame) {
    let mut argument = (*call).slot(0);
    let end = argument.add((*call).argument_count() as usize);
    while argument < end {
        release_temporary(argument);
        argument = argument.add(1);
    }
    const EXTRAS: u32 = call_info::HAS_EXTRA_NAMED | call_info::OWNERS;
    let extras = (*call).call_info() & EXTRAS;
    if matches!(extras, call_info::RELEASE_THIS | call_info::NOTES_THIS)
        && !(*(*call).function).is_user
    {
        // A method and its object.
        give_up_this(&(*call).this, extras);
    } else if extras != 0 || (*(*call).function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
        release_frame_extras(call);
    }
    pop_frame(vm, call);
}

/// Gives up the `$this` of a frame that has such information: its share, if it has one, else the collector is told of
/// the object, which something keeps.
#[inline]
pub unsafe fn give_up_this(this: &Zval, info: u32) {
    if info & call_info::RELEASE_THIS != 0 {
        release(&Zval::from_object(this.object()));
    } else if info & call_info::NOTES_THIS != 0 {
        let object = this.object();
        if (*object).header.type_info & GC_INFO == 0 {
            (*object).header.refcount += 1;
            release(&Zval::from_object(object));
        }
    }
}

/// Releases what a frame owns besides its slots: `$this`, closure, named arguments.
#[inline(never)]
pub unsafe fn release_frame_extras(call: *mut Frame) {
    let info = (*call).call_info();
    if info & call_info::HAS_EXTRA_NAMED != 0 && !(*call).extra_named.is_null() {
        release(&Zval::from_array((*call).extra_named));
    }
    if info & call_info::RELEASE_THIS != 0 && (*call).has_this() {
        release(&Zval::from_object((*call).this.object()));
    }
    release_callee(call, info);
}

/// Releases a closure that the frame kept alive, or a trampoline.
pub unsafe fn release_callee(call: *mut Frame, info: u32) {
    let function = (*call).function;
    if info & call_info::CLOSURE != 0 {
        crate::object::closure::release_function_owner(function);
    } else if (*function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
        crate::class::lookup::free_trampoline(function.cast_mut());
    }
}

/// DO_ICALL.
pub unsafe fn do_icall(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    make_native_call(frame, vm, return_slot(frame, opline));
    next(frame)
}

/// Makes the prepared call of a native function; its result goes to `target`, unless that is null.
#[inline(always)]
pub unsafe fn make_native_call(frame: *mut Frame, vm: *mut Vm, target: *mut Zval) {
    let call = (*frame).call;
    if target.is_null() {
        call_unused(vm, frame, call);
    } else if !call_directly(vm, frame, call, target) {
        call_natively(vm, frame, call, target);
    }
}

/// Makes a prepared native call whose result nobody wants. Not inlined: a handler must not take the
/// address of a local.
#[inline(never)]
unsafe fn call_unused(vm: *mut Vm, frame: *mut Frame, call: *mut Frame) {
    let mut unused = Zval::UNDEF;
    if !call_directly(vm, frame, call, &raw mut unused) {
        call_natively(vm, frame, call, &raw mut unused);
    }
    release(&unused);
}

/// DO_UCALL, DO_FCALL_BY_NAME and DO_FCALL in full.
pub unsafe fn do_fcall(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let call = (*frame).call;
    let function = (*call).function;
    let target = return_slot(frame, opline);
    if (*function).flags & (flags::ABSTRACT | flags::DEPRECATED) != 0 {
        if (*function).flags & flags::ABSTRACT != 0 {
            (*vm).throw_error(
                KnownClass::Error,
                format!(
                    "Cannot call abstract method {}()",
                    (*function).display_name()
                ),
            );
        } else {
            crate::interpreter::callback::deprecated_function(vm, function);
        }
        if !(*vm).exception.is_null() {
            return abandon_call(vm, frame, target);
        }
    }
    if (*function).is_user {
        if (*call).previous_is_trampoline() {
            return crate::interpreter::callback::enter_trampoline(vm, frame, call, target);
        }
        return enter_user(vm, frame, call, target);
    }
    make_native_call(frame, vm, target);
    next(frame)
}

/// Drops the prepared call after an error before its function ran.
unsafe fn abandon_call(vm: *mut Vm, frame: *mut Frame, target: *mut Zval) -> *const Op {
    let call = (*frame).call;
    (*frame).call = (*call).previous;
    finish_native(vm, call);
    if !target.is_null() {
        (*target).set_undef();
    }
    (*vm).redirect_to_exception_handler();
    next(frame)
}

impl Frame {
    /// True if the function is a stand-in for `__call` or `__callStatic`.
    #[inline(always)]
    unsafe fn previous_is_trampoline(&self) -> bool {
        (*self.function).flags & flags::CALL_VIA_TRAMPOLINE != 0
    }
}

/// INIT_FCALL and INIT_FCALL_BY_NAME, cache miss. The last literal is the lower-cased name.
pub unsafe fn init_fcall(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let name = constant(opline, (*opline).op2);
    let lowercase = if (*opline).opcode == crate::generated::Opcode::INIT_FCALL as u8 {
        name
    } else {
        name.add(1)
    };
    match (*vm).find_function((*(*lowercase).string()).as_bytes()) {
        Some(function) => {
            push_call(
                vm,
                frame,
                function,
                (*opline).extended_value,
                0,
                Zval::UNDEF,
            );
            // INIT_FCALL trusts the frame size it was compiled with once the cache is filled.
            let known = (*opline).opcode == crate::generated::Opcode::INIT_FCALL as u8;
            if !known || (*opline).op1 as usize == frame_bytes(function, (*opline).extended_value) {
                *cache(frame, (*opline).result) = function;
            }
            opline.add(1)
        }
        None => undefined_function(vm, frame, &(*(*name).string()).to_text()),
    }
}

unsafe fn undefined_function(vm: *mut Vm, frame: *mut Frame, name: &str) -> *const Op {
    (*vm).throw_error(
        KnownClass::Error,
        format!("Call to undefined function {name}()"),
    );
    next(frame)
}

/// INIT_NS_FCALL_BY_NAME: the namespaced function, else the global one.
pub unsafe fn init_ns_fcall_by_name(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let slot = cache::<Function>(frame, (*opline).result);
    let mut function = *slot;
    if function.is_null() {
        let name = constant(opline, (*opline).op2);
        let namespaced = (*(*name.add(1)).string()).as_bytes();
        let global = (*(*name.add(2)).string()).as_bytes();
        let found = match (*vm).find_function(namespaced) {
            Some(found) => Some(found),
            None => (*vm).find_function(global),
        };
        match found {
            Some(found) => function = found,
            None => return undefined_function(vm, frame, &(*(*name).string()).to_text()),
        }
        *slot = function;
    }
    push_call(
        vm,
        frame,
        function,
        (*opline).extended_value,
        0,
        Zval::UNDEF,
    );
    opline.add(1)
}

/// A class as the `this` of a static call.
#[inline(always)]
pub fn class_value(class: *mut Class) -> Zval {
    if class.is_null() {
        Zval::UNDEF
    } else {
        Zval::from_pointer(class.cast())
    }
}

/// INIT_METHOD_CALL in full.
pub unsafe fn init_method_call(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    // Method name first: PHP complains about it before it looks at the object.
    let name = read_op2_name(frame, opline);
    if (*name).kind() != STRING {
        if (*raw_op2(frame, opline)).is_undef() {
            undefined_variable(vm, frame, op.op2);
        }
        if (*vm).exception.is_null() {
            (*vm).throw_error(KnownClass::Error, "Method name must be a string");
        }
        free_op2(frame, opline);
        free_op1(frame, opline);
        return next(frame);
    }
    let (object, owned) = if op.op1_type == IS_UNUSED {
        (&raw const (*frame).this, false)
    } else {
        (deref(raw_op1(frame, opline)).cast_const(), true)
    };
    if (*object).kind() != OBJECT {
        let shown = (*(*name).string()).to_text().into_owned();
        if op.op1_type == IS_CV && (*object).is_undef() {
            undefined_variable(vm, frame, op.op1);
        }
        if (*vm).exception.is_null() {
            let kind = crate::operators::value_name(&*object);
            (*vm).throw_error(
                KnownClass::Error,
                format!("Call to a member function {shown}() on {kind}"),
            );
        }
        free_op2(frame, opline);
        free_op1(frame, opline);
        return next(frame);
    }
    let mut object = (*object).object();
    // Calling a closure's __invoke() is calling the closure.
    if (*object).native.is_some()
        && (*(*name).string())
            .as_bytes()
            .eq_ignore_ascii_case(b"__invoke")
        && let Some(callee) = crate::object::closure::callee(&*object)
    {
        free_op2(frame, opline);
        if owned {
            free_op1(frame, opline);
        }
        callback_frame(vm, frame, callee, op.extended_value, 0);
        return next(frame);
    }
    let class = (*object).class;
    let receiver = object;
    let scope = (*(*frame).function).scope;
    let is_literal = op.op2_type == IS_CONST;
    let cached = cache::<Class>(frame, op.result);
    let function = if is_literal && *cached == class {
        *cached.add(1).cast::<*const Function>()
    } else {
        let lowercase = if is_literal {
            (*name.add(1)).string()
        } else {
            std::ptr::null_mut()
        };
        let found = crate::class::lookup::find_method_for_call(
            &mut *vm,
            &mut object,
            (*name).string(),
            lowercase,
            scope,
        );
        let Ok(function) = found else {
            free_op2(frame, opline);
            free_op1(frame, opline);
            return next(frame);
        };
        if is_literal
            && is_lasting(function)
            && (*function).flags & flags::CLOSURE == 0
            && std::ptr::eq(class, (*object).class)
        {
            *cached = class;
            *cached.add(1).cast::<*const Function>() = function;
        }
        function
    };
    let (this, info) = if (*function).flags & flags::STATIC != 0 {
        (Zval::from_pointer((*object).class.cast()), 0)
    } else if !std::ptr::eq(object, receiver) {
        // Another object takes the call, which its receiver may be the only one to hold.
        (*object).header.refcount += 1;
        if owned {
            free_op1(frame, opline);
        }
        (Zval::from_object(object), call_info::RELEASE_THIS)
    } else if owned {
        // A temporary's share moves into the frame; a variable's object is shared.
        if op.op1_type == IS_CV || (*raw_op1(frame, opline)).is_reference() {
            (*object).header.refcount += 1;
            if op.op1_type & (IS_VAR | 2) != 0 {
                free_op1(frame, opline);
            }
        }
        (Zval::from_object(object), call_info::RELEASE_THIS)
    } else {
        (Zval::from_object(object), 0)
    };
    if (*function).flags & flags::STATIC != 0 {
        free_op1(frame, opline);
    }
    free_op2(frame, opline);
    push_call(vm, frame, function, op.extended_value, info, this);
    next(frame)
}

/// True unless a function is a trampoline for one call.
unsafe fn is_lasting(function: *const Function) -> bool {
    (*function).flags & (flags::CALL_VIA_TRAMPOLINE | flags::KEPT) != flags::CALL_VIA_TRAMPOLINE
}

unsafe fn read_op2_name(frame: *mut Frame, opline: *const Op) -> *mut Zval {
    deref(raw_op2(frame, opline))
}

/// INIT_STATIC_METHOD_CALL in full.
pub unsafe fn init_static_method_call(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let class = super::classes::class_operand(vm, frame, opline, op.op1_type, op.op1, op.result);
    let Some(class) = class else {
        free_op2(frame, opline);
        return next(frame);
    };
    let scope = (*(*frame).function).scope;
    let function: *const Function;
    if op.op2_type == IS_UNUSED {
        // parent::__construct() and the like: the constructor itself.
        let constructor = (*class).magic.construct;
        if constructor.is_null() {
            (*vm).throw_error(KnownClass::Error, "Cannot call constructor");
            return next(frame);
        }
        if (*frame).has_this()
            && (*(*frame).this.object()).class != (*constructor).scope
            && (*constructor).flags & flags::PRIVATE != 0
        {
            (*vm).throw_error(
                KnownClass::Error,
                format!(
                    "Cannot call private {}::__construct()",
                    (*class).display_name()
                ),
            );
            return next(frame);
        }
        function = constructor;
    } else {
        let name = read_op2_name(frame, opline);
        if (*name).kind() != STRING {
            if (*raw_op2(frame, opline)).is_undef() {
                undefined_variable(vm, frame, op.op2);
            }
            if (*vm).exception.is_null() {
                (*vm).throw_error(KnownClass::Error, "Method name must be a string");
            }
            free_op2(frame, opline);
            return next(frame);
        }
        let is_literal = op.op2_type == IS_CONST;
        let cached = cache::<Class>(frame, op.result);
        if is_literal && *cached == class && !(*cached.add(1)).is_null() {
            function = *cached.add(1).cast::<*const Function>();
            return push_static_call(vm, frame, opline, class, function);
        }
        let lowercase = if is_literal {
            (*name.add(1)).string()
        } else {
            std::ptr::null_mut()
        };
        let this = if (*frame).has_this() {
            (*frame).this.object()
        } else {
            std::ptr::null_mut()
        };
        let found = crate::class::lookup::find_static_method_for_call(
            &mut *vm,
            class,
            (*name).string(),
            lowercase,
            scope,
            this,
        );
        free_op2(frame, opline);
        match found {
            Ok(found) => function = found,
            Err(_) => return next(frame),
        }
        // A method of a trait is told about each time.
        let of_trait = (*class).flags & crate::function::class_flags::TRAIT != 0;
        // Which of the two magic methods is called depends on `$this`, if there are two.
        let lasts = (*function).flags & flags::CALL_VIA_TRAMPOLINE == 0
            || is_lasting(function) && (*class).magic.call.is_null();
        if op.op2_type == IS_CONST && lasts && !of_trait {
            let slot = cache::<Class>(frame, op.result);
            *slot = class;
            *slot.add(1).cast::<*const Function>() = function;
        }
    }
    push_static_call(vm, frame, opline, class, function)
}

/// Pushes the frame of a static call, passing `$this` on where it fits.
pub unsafe fn push_static_call(
    vm: *mut Vm,
    frame: *mut Frame,
    opline: *const Op,
    class: *mut Class,
    function: *const Function,
) -> *const Op {
    let op = &*opline;

    if (*function).flags & flags::STATIC == 0 {
        if (*frame).has_this() && (*(*(*frame).this.object()).class).is_subclass_of(class) {
            let object = (*frame).this.object();
            (*object).header.refcount += 1;
            push_call(
                vm,
                frame,
                function,
                op.extended_value,
                call_info::RELEASE_THIS,
                Zval::from_object(object),
            );
            return next(frame);
        }
        (*vm).throw_error(
            KnownClass::Error,
            format!(
                "Non-static method {}() cannot be called statically",
                (*function).display_name()
            ),
        );
        if (*function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
            crate::class::lookup::free_trampoline(function.cast_mut());
        }
        return next(frame);
    }
    // self:: and parent:: pass the called class on.
    let forwards = op.op1_type == IS_UNUSED && matches!(op.op1 & 15, 1 | 2);
    let called = if forwards {
        (*frame).called_class()
    } else {
        class
    };
    let this = class_value(if called.is_null() { class } else { called });
    push_call(vm, frame, function, op.extended_value, 0, this);
    next(frame)
}

/// INIT_DYNAMIC_CALL: a string, array or object is called.
pub unsafe fn init_dynamic_call(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let callee = read_op2(frame, opline, vm);
    if !(*vm).exception.is_null() {
        free_op2(frame, opline);
        return next(frame);
    }
    if push_closure_call(vm, frame, callee, (*opline).extended_value) {
        free_op2(frame, opline);
        return next(frame);
    }
    let found = crate::interpreter::callback::callee_of_value(vm, &*callee);
    if let Ok(callee) = found {
        callback_frame(
            vm,
            frame,
            callee,
            (*opline).extended_value,
            call_info::DYNAMIC,
        );
        free_op2(frame, opline);
        drop_call_if_thrown(vm, frame);
    } else {
        free_op2(frame, opline);
    }
    next(frame)
}

/// Drops the call that an INIT has just pushed if freeing its operand threw: an exception of an
/// INIT means that it pushed none.
unsafe fn drop_call_if_thrown(vm: *mut Vm, frame: *mut Frame) {
    if (*vm).exception.is_null() {
        return;
    }
    let call = (*frame).call;
    (*frame).call = (*call).previous;
    release_frame_extras(call);
    pop_frame(vm, call);
}

/// Pushes the call of a closure, the most frequent callee of a dynamic call; false for other
/// values.
#[inline(always)]
unsafe fn push_closure_call(
    vm: *mut Vm,
    frame: *mut Frame,
    callee: *const Zval,
    count: u32,
) -> bool {
    if (*callee).kind() != crate::value::OBJECT {
        return false;
    }
    let object = (*callee).object();
    let Some(head) = crate::object::closure::head_of(&*object) else {
        return false;
    };
    let (this, info) = head.receiver();
    if info & call_info::RELEASE_THIS != 0 {
        (*this.object()).header.refcount += 1;
    }
    (*object).header.refcount += 1;
    push_call(vm, frame, head.function, count, info, this);
    true
}

/// Pushes the call of a resolved callee, which gives up its shares to the frame.
pub unsafe fn callback_frame(
    vm: *mut Vm,
    frame: *mut Frame,
    callee: crate::interpreter::callback::Callee,
    count: u32,
    info: u32,
) {
    let (this, info) = callee.into_frame_parts(info);
    push_call(vm, frame, this.1, count, info, this.0);
}

/// INIT_USER_CALL: `call_user_func` compiled inline.
pub unsafe fn init_user_call(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let value = read_op2(frame, opline, vm);
    if push_closure_call(vm, frame, value, (*opline).extended_value) {
        free_op2(frame, opline);
        return next(frame);
    }
    match crate::interpreter::callback::resolve_callee(vm, &*value) {
        Ok(callee) => {
            callback_frame(
                vm,
                frame,
                callee,
                (*opline).extended_value,
                call_info::DYNAMIC,
            );
            free_op2(frame, opline);
            drop_call_if_thrown(vm, frame);
        }
        Err(reason) => {
            // What looking for it threw becomes the previous exception.
            let name = (*(*constant(opline, (*opline).op1)).string())
                .to_text()
                .into_owned();
            (*vm).throw_error(
                KnownClass::TypeError,
                format!("{name}(): Argument #1 ($callback) must be a valid callback, {reason}"),
            );
            free_op2(frame, opline);
        }
    }
    next(frame)
}

/// NEW: allocates the object and prepares its constructor call.
pub unsafe fn new(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = result(frame, opline);
    (*target).set_undef();
    let Some(class) = super::classes::class_operand(vm, frame, opline, op.op1_type, op.op1, op.op2)
    else {
        return next(frame);
    };
    let Ok(object) = crate::object::instantiate(&mut *vm, class) else {
        return next(frame);
    };
    let object = object.into_raw();
    *target = Zval::from_object(object);
    let scope = (*(*frame).function).scope;
    let Ok(constructor) = crate::class::lookup::constructor_for_new(&mut *vm, class, scope) else {
        (*object).header.type_info |= crate::value::HEADER_DESTRUCTOR_CALLED;
        release(target);
        (*target).set_undef();
        return next(frame);
    };
    if constructor.is_null() {
        if op.extended_value == 0
            && (*opline.add(1)).opcode == crate::generated::Opcode::DO_FCALL as u8
        {
            return next2(frame);
        }
        // Arguments are evaluated even if nothing takes them.
        push_call(
            vm,
            frame,
            (*vm).pass_function(),
            op.extended_value,
            0,
            Zval::UNDEF,
        );
        return next(frame);
    }
    // The result keeps the object until the constructor has returned: the frame needs no share.
    push_call(
        vm,
        frame,
        constructor,
        op.extended_value,
        call_info::NOTES_THIS | call_info::CONSTRUCTOR,
        Zval::from_object(object),
    );
    next(frame)
}

/// CALLABLE_CONVERT: `f(...)`.
pub unsafe fn callable_convert(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let call = (*frame).call;
    (*frame).call = (*call).previous;
    let this = if (*call).has_this() {
        Some(ObjectHandle::share_raw((*call).this.object()))
    } else {
        None
    };
    let called = (*call).called_class();
    let closure = match (*call).call_info() & call_info::CLOSURE {
        0 => crate::object::closure::from_function(&mut *vm, (*call).function, this, called),
        _ => ObjectHandle::share_raw((*(*call).function).closure),
    };
    *result(frame, opline) = Zval::from_object(closure.into_raw());
    release_frame_extras(call);
    pop_frame(vm, call);
    next(frame)
}
