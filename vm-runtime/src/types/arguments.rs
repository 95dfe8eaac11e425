//! Calls of native functions: number and types of arguments, defaults.

use super::coercion::{TypeContext, coerce_scalar, matches};
use super::value_name;
use super::verify::is_strict;
use crate::exceptions::KnownClass;
use crate::frame::{Frame, call_info};
use crate::function::{
    Function, PACKED_BITS, PACKED_MASK, PACKED_PARAMETERS, Parameter, PassBy, Type, class_flags,
    flags, type_mask,
};
use crate::value::{ARRAY, DOUBLE, LONG, OBJECT, STRING, Zval};
use crate::vm::{PhpResult, Thrown, Vm};

/// Makes the arguments in `frame` what the signature of its native function promises: their number
/// is checked, each is checked and converted in place, and parameters that were left out get
/// their default. The frame's argument count stays the number of arguments passed.
///
/// # Safety
/// `frame` is a frame of a native function, the last on the stack of `vm`, with its arguments
/// initialised (I4). Defaults go to the room that pages keep ([`crate::frame::DEFAULT_SLOTS`]).
#[inline(always)]
pub unsafe fn prepare_native_call(vm: &mut Vm, frame: *mut Frame) -> PhpResult<()> {
    // SAFETY: I4, by the caller: slots of arguments and declared parameters exist.
    unsafe {
        let function = &*(*frame).function;
        let given = (*frame).argument_count();
        let declared = function.parameter_count;
        let limit = match function.flags & flags::VARIADIC != 0 {
            true if (*frame).call_info() & call_info::HAS_EXTRA_NAMED != 0 => 0,
            true => PACKED_PARAMETERS + 1,
            false => declared.min(PACKED_PARAMETERS) + 1,
        };
        let plain = given >= function.required_count
            && given < limit
            && are_accepted(function, frame, given);
        if !plain {
            check_arguments(vm, frame)?;
        }
        if given < declared {
            let end = (*frame).slot(declared);
            if vm.stack.top < end {
                vm.stack.top = end;
            }
            let mut slot = (*frame).slot(given);
            let mut parameter = function.parameters.as_ptr().add(given as usize);
            while slot < end {
                slot.write((*parameter).default);
                parameter = parameter.add(1);
                // Few are left out: the loop is not worth unrolling.
                slot = std::hint::black_box(slot.add(1));
            }
        }
    }
    Ok(())
}

#[cold]
fn unknown_names(vm: &mut Vm, function: &Function) -> Thrown {
    let name = function.display_name();
    vm.throw_error(
        KnownClass::ArgumentCountError,
        format!("{name}() does not accept unknown named parameters"),
    )
}

/// True if the first arguments, at most [`PACKED_PARAMETERS`], are taken as they are.
///
/// # Safety
/// As for [`prepare_native_call`].
#[inline(always)]
unsafe fn are_accepted(function: &Function, frame: *mut Frame, given: u32) -> bool {
    let mut accepted = function.accepted;
    // SAFETY: I4, by the caller.
    unsafe {
        let mut slot: *const Zval = (*frame).slot(0);
        let end = slot.add(given as usize);
        while slot < end {
            let kind = (*slot).deref().kind();
            debug_assert!(u32::from(kind) < PACKED_BITS);
            if accepted >> kind & 1 == 0 {
                return false;
            }
            accepted >>= PACKED_BITS;
            slot = slot.add(1);
        }
    }
    true
}

/// Checks the number of arguments and each of them, with conversions.
///
/// # Safety
/// As for [`prepare_native_call`].
#[inline(never)]
unsafe fn check_arguments(vm: &mut Vm, frame: *mut Frame) -> PhpResult<()> {
    // SAFETY: I4, by the caller.
    unsafe {
        let function = &*(*frame).function;
        let given = (*frame).argument_count();
        let too_many = given > function.parameter_count && function.flags & flags::VARIADIC == 0;
        if given < function.required_count || too_many && !super::registry::is_uncounted(function) {
            return Err(arity_error(vm, function, given));
        }
        let looked_at = if too_many {
            function.parameter_count
        } else {
            given
        };
        for number in 0..looked_at {
            let slot = (*frame).slot(number);
            let accepted = match number {
                0..PACKED_PARAMETERS => function.accepted >> (number * PACKED_BITS) & PACKED_MASK,
                _ => function
                    .parameter(number)
                    .map_or(0, Parameter::accepted)
                    .into(),
            } as u32;
            if accepted & 1 << (*slot).deref().kind() == 0 && !becomes_float(&mut *slot, accepted) {
                check_argument(vm, frame, number)?;
            }
        }
        let takes_names = function.flags & (flags::VARIADIC | flags::COLLECTS_NAMED);
        if takes_names == flags::VARIADIC && (*frame).call_info() & call_info::HAS_EXTRA_NAMED != 0
        {
            return Err(unknown_names(vm, function));
        }
    }
    Ok(())
}

/// Makes an `int` a `float` where that is what is accepted: the one conversion that strict code has, too.
#[inline]
fn becomes_float(slot: &mut Zval, accepted: u32) -> bool {
    let is_it = slot.kind() == LONG && accepted & 1 << DOUBLE != 0;
    if is_it {
        slot.set_double(slot.long() as f64);
    }
    is_it
}

impl Parameter {
    /// Kinds of values that are taken as they are.
    #[inline(always)]
    pub(crate) fn accepted(&self) -> u32 {
        match &self.declared {
            Some(declared) => declared.mask,
            // Anything but a hole.
            None => !1,
        }
    }
}

/// The slow path for one argument: holes, references, conversions, classes, callables.
///
/// # Safety
/// As for [`prepare_native_call`]; `number` is below the argument count.
#[cold]
#[inline(never)]
unsafe fn check_argument(vm: &mut Vm, frame: *mut Frame, number: u32) -> PhpResult<()> {
    // SAFETY: I4, by the caller; the slot is used only while the frame is live.
    let (function, slot) = unsafe { (&*(*frame).function, &mut *(*frame).slot(number)) };
    let last = function.parameters.len().saturating_sub(1);
    let parameter = &function.parameters[(number as usize).min(last)];
    if slot.is_undef() {
        return fill_hole(vm, function, parameter, number, slot);
    }
    // SAFETY: I4: the caller's frame is live.
    let strict = is_strict(unsafe { (*frame).previous });
    let backing = crate::class::enums::backing_type(function, strict);
    let Some(declared) = backing.as_ref().or(parameter.declared.as_ref()) else {
        // SAFETY: I4, by the caller.
        return unsafe { check_paths(vm, frame, number) };
    };
    // Looking at a callable may tell of what is deprecated: `Closure::fromCallable()` does that itself.
    let is_told = function.flags & flags::STATIC != 0 && declared.mask & type_mask::CALLABLE != 0;
    if is_told && super::registry::is_unchecked(function, number) {
        return Ok(());
    }
    // Objects and callables come here that are right: only what is wrong has the others looked at.
    if matches(vm, slot, declared, own_context(function))
        || super::registry::is_unchecked(function, number)
    {
        return Ok(());
    }
    // SAFETY: I4, by the caller.
    unsafe {
        check_paths(vm, frame, number)?;
        convert_argument(vm, frame, number, declared)
    }
}

/// Tells of a path with a zero byte in front of an argument that may be wrong, too. Functions look at the others
/// themselves.
///
/// # Safety
/// As for [`prepare_native_call`]; `number` is below the argument count.
unsafe fn check_paths(vm: &mut Vm, frame: *mut Frame, number: u32) -> PhpResult<()> {
    for earlier in 0..number {
        // SAFETY: I4, by the caller; I3: a string payload is live.
        let (function, text) = unsafe {
            let value = (*(*frame).slot(earlier)).deref();
            (&*(*frame).function, value.as_bytes().unwrap_or_default())
        };
        // Other texts may be long.
        let is_path = super::registry::takes_path(function, earlier);
        if is_path && memchr::memchr(0, text).is_some() {
            let problem = "must not contain any null bytes";
            return Err(argument_value_error(vm, function, earlier + 1, problem));
        }
    }
    Ok(())
}

/// What `self` and `static` mean in the types of a native function.
fn own_context(function: &Function) -> TypeContext {
    TypeContext {
        scope: function.scope,
        called: function.scope,
    }
}

/// Makes an argument fit `declared`, by the rules for native functions.
///
/// # Safety
/// As for [`prepare_native_call`]; `number` is below the argument count.
pub unsafe fn convert_argument(
    vm: &mut Vm,
    frame: *mut Frame,
    number: u32,
    declared: &Type,
) -> PhpResult<()> {
    // SAFETY: I4, by the caller; the slot is used only while the frame is live.
    let (function, slot) = unsafe { (&*(*frame).function, &mut *(*frame).slot(number)) };
    let value = slot.deref_mut();
    let context = own_context(function);
    if matches(vm, value, declared, context) {
        return Ok(());
    }
    if super::registry::takes_class_name(function, number) {
        let name = crate::operators::convert::to_string(vm, value)?;
        super::coercion::replace(value, name.into_value().into_zval());
        return Ok(());
    }
    // Where an object or the name of its class is meant, nothing becomes a name.
    if declared.mask == type_mask::OBJECT | type_mask::STRING
        && function.scope.is_null()
        && function
            .parameter_name(number)
            .is_some_and(|name| name == "object_or_class")
    {
        let problem = format!(
            "must be an object or a valid class name, {} given",
            value_name(value)
        );
        return Err(argument_type_error(vm, function, number + 1, &problem));
    }
    // Of what is passed by reference such a function says itself what is wrong.
    let is_reference = (function.parameters.get(number as usize))
        .is_some_and(|parameter| parameter.pass_by == PassBy::Reference);
    if is_reference && super::registry::is_unconverted(function) {
        return Ok(());
    }
    // SAFETY: I4: the caller's frame is live.
    let strict = is_strict(unsafe { (*frame).previous });
    // What is compared in constant time is not converted, nor are lists of texts that a function looks at
    // itself.
    let is_secret = declared.mask == type_mask::STRING
        && (function.parameters.get(number as usize)).is_some_and(|parameter| parameter.sensitive)
        && (function.parameter_name(number))
            .is_some_and(|name| name == "known_string" || name == "user_string");
    let is_taken_as_it_is = declared.mask == type_mask::STRING
        && declared.classes.is_empty()
        && number >= function.parameter_count
        && super::registry::is_unconverted(function);
    let strict = strict || is_secret || is_taken_as_it_is;
    if !strict && value.is_null() && takes_null_as_default(declared) {
        return null_to_scalar(vm, function, number, declared, value);
    }
    let is_unconverted = !declared.classes.is_empty() && super::registry::is_unconverted(function);
    let mask = match is_unconverted {
        true => declared.mask & !type_mask::STRING,
        false => declared.mask,
    };
    if coerce_scalar(vm, value, mask, strict) {
        return Ok(());
    }
    vm.check()?;
    const SETTING: u32 =
        type_mask::STRING | type_mask::LONG | type_mask::DOUBLE | type_mask::BOOL | type_mask::NULL;
    if declared.mask == SETTING
        && function
            .parameter_name(number)
            .is_some_and(|name| name == "value")
    {
        // `ini_set()` does not say what was given.
        let problem = "must be of type string|int|float|bool|null";
        return Err(argument_type_error(vm, function, number + 1, problem));
    }
    let problem = match super::registry::expected_types(function) {
        Some(types) if !declared.classes.is_empty() => {
            format!("must be of type {types}, {} given", value_name(value))
        }
        _ => mismatch(vm, declared, value),
    };
    Err(argument_type_error(vm, function, number + 1, &problem))
}

/// An argument that a named argument skipped.
fn fill_hole(
    vm: &mut Vm,
    function: &Function,
    parameter: &Parameter,
    number: u32,
    slot: &mut Zval,
) -> PhpResult<()> {
    slot.set(parameter.default);
    if !slot.is_undef() {
        return Ok(());
    }
    let reason = if number < function.required_count {
        "not passed"
    } else {
        "must be passed explicitly, because the default value is not known"
    };
    Err(argument_error(
        vm,
        KnownClass::ArgumentCountError,
        function,
        number + 1,
        reason,
    ))
}

/// Native parameters of scalar types take `null`, which is deprecated.
fn takes_null_as_default(declared: &Type) -> bool {
    const SCALAR: u32 = type_mask::LONG | type_mask::DOUBLE | type_mask::STRING;
    declared.mask & SCALAR != 0 || declared.mask & type_mask::BOOL == type_mask::BOOL
}

fn null_to_scalar(
    vm: &mut Vm,
    function: &Function,
    number: u32,
    declared: &Type,
    value: &mut Zval,
) -> PhpResult<()> {
    let name = match function.parameter_name(number) {
        Some(name) => format!(" (${name})"),
        None => String::new(),
    };
    let shown = function.parameters.get(number as usize);
    let shown = shown.and_then(|parameter| parameter.declared.as_ref());
    vm.deprecated(format!(
        "{}(): Passing null to parameter #{}{name} of type {} is deprecated",
        function.display_name(),
        number + 1,
        // Not what the function asks for, if it declares another type.
        shown.unwrap_or(declared)
    ));
    vm.check()?;
    value.set(match declared.mask {
        // What takes a number as well takes `null` as 0.
        mask if mask & type_mask::STRING != 0 && mask & type_mask::LONG == 0 => {
            Zval::from_string(crate::string::empty())
        }
        mask if mask & type_mask::LONG != 0 => Zval::from_long(0),
        mask if mask & type_mask::DOUBLE != 0 => Zval::from_double(0.0),
        _ => Zval::from_bool(false),
    });
    Ok(())
}

fn mismatch(vm: &mut Vm, declared: &Type, value: &Zval) -> String {
    const TABLE: u32 = type_mask::ARRAY | type_mask::OBJECT;
    if declared.mask & !type_mask::NULL == TABLE && declared.classes.is_empty() {
        // PHP does not say that it takes objects as well.
        return format!("must be of type array, {} given", value_name(value));
    }
    if declared.mask & type_mask::CALLABLE == 0 {
        return format!("must be of type {}, {} given", declared, value_name(value));
    }
    let or_null = if declared.mask & type_mask::NULL != 0 {
        " or null"
    } else {
        ""
    };
    let reason = callable_problem(vm, value).unwrap_or_default();
    format!("must be a valid callback{or_null}, {reason}")
}

/// Why a value cannot be called, or nothing.
pub fn callable_problem(vm: &mut Vm, value: &Zval) -> Option<String> {
    match value.kind() {
        STRING | ARRAY | OBJECT => vm.check_callable(value).err(),
        _ => Some(String::from("no array or string given")),
    }
}

#[cold]
#[inline(never)]
fn arity_error(vm: &mut Vm, function: &Function, given: u32) -> Thrown {
    let required = super::registry::least_arguments(function).unwrap_or(function.required_count);
    let declared = function.parameter_count;
    let variadic = function.flags & flags::VARIADIC != 0;
    let (bound, expected) = if required == declared && !variadic {
        ("exactly", required)
    } else if given < required {
        ("at least", required)
    } else {
        ("at most", declared)
    };
    let plural = if expected == 1 { "" } else { "s" };
    let message = format!(
        "{}() expects {bound} {expected} argument{plural}, {given} given",
        function.display_name()
    );
    vm.throw_error(KnownClass::ArgumentCountError, message)
}

/// Throws `f(): Argument #N ($name) <problem>`; `number` is 1-based.
#[cold]
pub fn argument_error(
    vm: &mut Vm,
    class: KnownClass,
    function: &Function,
    number: u32,
    problem: &str,
) -> Thrown {
    let name = match function.parameter_name(number.wrapping_sub(1)) {
        Some(name) => format!(" (${name})"),
        None => String::new(),
    };
    // SAFETY: I4: a function's scope is null or lives until the VM ends.
    let shown = match unsafe { function.scope.as_ref() } {
        // PHP's text ends at the NUL in the name of an anonymous class.
        Some(scope) if scope.flags & class_flags::ANONYMOUS != 0 => scope.display_name(),
        _ => function.display_name(),
    };
    let message = format!("{shown}(): Argument #{number}{name} {problem}");
    vm.throw_error(class, message)
}

/// As [`argument_error`], a `TypeError`.
#[cold]
pub fn argument_type_error(vm: &mut Vm, function: &Function, number: u32, problem: &str) -> Thrown {
    argument_error(vm, KnownClass::TypeError, function, number, problem)
}

/// As [`argument_error`], a `ValueError`.
#[cold]
pub fn argument_value_error(
    vm: &mut Vm,
    function: &Function,
    number: u32,
    problem: &str,
) -> Thrown {
    argument_error(vm, KnownClass::ValueError, function, number, problem)
}
