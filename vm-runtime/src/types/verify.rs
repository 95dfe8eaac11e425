//! Checks of user functions' arguments and return values and of typed properties, with PHP's
//! error texts.

use super::coercion::{TypeContext, coerce};
use super::display::text;
use super::value_name;
use crate::class::{Class, ClassConstant, PropertyInfo};
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::{Function, Type, flags, type_mask};
use crate::value::{OBJECT, PhpReference, Value, Zval, release};
use crate::vm::{PhpResult, Thrown, Vm};

/// Bits of an opline's word that say what kinds of values RECV_INIT accepts, one for every type
/// number, internal ones too; the number of the
/// cache word stands above them.
pub const ACCEPTED_BITS: u32 = 16;

/// Words of the runtime cache that a type by classes has: for the class that was the last to pass, and for one below
/// which all do.
pub const TYPE_WORDS: usize = 2;
/// Words of the value of a default that is an expression, which stand behind those of the parameter's type.
pub const DEFAULT_WORDS: usize = size_of::<Zval>() / size_of::<u64>();

/// True if `value` is an object of the class that was the last to pass the type whose cache word
/// has this number, counted from 1; 0 is none.
///
/// # Safety
/// The frame is live, its cache has this word, and `value` is live.
#[inline(always)]
pub unsafe fn passes_cached(frame: *mut Frame, number: u32, value: *const Zval) -> bool {
    // SAFETY: by the caller; I3: an object payload is live.
    unsafe {
        number != 0
            && (*value).kind() == OBJECT
            && *(*frame)
                .run_time_cache
                .cast::<*mut Class>()
                .add(number as usize - 1)
                == (*(*value).object()).class
    }
}

/// Lets [`passes_cached`] know the class of a value that passed a type by its class, if it did, and the next word a
/// class below which all pass.
unsafe fn note_passed(
    vm: &mut Vm,
    function: &Function,
    declared: &Type,
    number: u32,
    value: &Zval,
) -> bool {
    if value.kind() != OBJECT {
        return false;
    }
    // SAFETY: I3: an object payload is live.
    let class = unsafe { (*value.object()).class };
    let root = super::coercion::passing_root(vm, class, declared, function.scope);
    if let Some(root) = root
        && number != 0
        && !function.run_time_cache.is_null()
    {
        // SAFETY: by the caller, the function's cache has these words.
        unsafe {
            let cache = function.run_time_cache.cast::<*mut Class>();
            *cache.add(number as usize - 1) = class;
            *cache.add(number as usize) = root;
        }
    }
    root.is_some()
}

/// Checks argument `number` (0-based) of a user function that is being entered: the current frame
/// is the callee's. `cache` is the number of the type's cache word, as for [`passes_cached`].
///
/// # Safety
/// `value` is the live slot of that argument (I4), and the function's cache has the word.
#[inline]
pub unsafe fn verify_argument(
    vm: &mut Vm,
    function: &Function,
    number: u32,
    value: *mut Zval,
    cache: u32,
) -> PhpResult<()> {
    let last = function.parameters.len().wrapping_sub(1);
    let Some(parameter) = function.parameters.get((number as usize).min(last)) else {
        return Ok(());
    };
    // SAFETY: by the caller.
    let value = unsafe { &mut *value };
    match &parameter.declared {
        Some(declared) if declared.mask & (1 << value.deref().kind()) == 0 => {
            // SAFETY: by the caller.
            if unsafe { note_passed(vm, function, declared, cache, value.deref()) } {
                return Ok(());
            }
            verify_argument_slow(vm, function, number, value, declared)
        }
        _ => Ok(()),
    }
}

#[inline(never)]
fn verify_argument_slow(
    vm: &mut Vm,
    function: &Function,
    number: u32,
    value: &mut Zval,
    declared: &Type,
) -> PhpResult<()> {
    let caller = caller_of(vm.current_frame);
    let strict = is_strict(caller);
    if coerce(vm, value, declared, strict, context(vm, function)) {
        return Ok(());
    }
    vm.check()?;
    let problem = format!(
        "must be of type {}, {} given{}",
        declared.display_resolved(function.scope),
        value_name(value),
        called_in(caller)
    );
    Err(super::argument_type_error(
        vm,
        function,
        number + 1,
        &problem,
    ))
}

/// `, called in FILE on line N` for a user caller, else nothing.
pub fn called_in(caller: *const Frame) -> String {
    // SAFETY: I4: a caller's frame, function and op array are live.
    unsafe {
        if caller.is_null() || !(*caller).is_user() || (*caller).opline.is_null() {
            return String::new();
        }
        let file = (*(*(*caller).function).op_array).draft.filename;
        format!(
            ", called in {} on line {}",
            text(file),
            (*(*caller).opline).lineno
        )
    }
}

/// Checks what a user function returns.
///
/// `cache` is the number of the type's cache word, as for [`passes_cached`].
///
/// # Safety
/// `value` is live; a conversion changes it in place. The function's cache has the word.
pub unsafe fn verify_return(
    vm: &mut Vm,
    function: &Function,
    value: *mut Zval,
    cache: u32,
) -> PhpResult<()> {
    let Some(declared) = &function.return_type else {
        return Ok(());
    };
    // SAFETY: by the caller.
    let value = unsafe { &mut *value };
    // SAFETY: by the caller.
    if unsafe { note_passed(vm, function, declared, cache, value.deref()) } {
        return Ok(());
    }
    let strict = function.flags & flags::STRICT_TYPES != 0;
    if value.is_reference() && function.flags & flags::RETURN_REFERENCE == 0 {
        // What others see of it does not change.
        let copy = value.deref().share();
        let reference = std::mem::replace(value, copy);
        // SAFETY: I3: the share of the variable, which holds a copy now.
        unsafe { release(&reference) };
    }
    let value = value.deref_mut();
    if coerce(vm, value, declared, strict, context(vm, function)) {
        return Ok(());
    }
    Err(return_error(vm, function, declared, &value_name(value)))
}

/// Checks a return without a value.
pub fn verify_missing_return(vm: &mut Vm, function: &Function) -> PhpResult<()> {
    match &function.return_type {
        Some(declared) if declared.mask & type_mask::VOID == 0 => {
            Err(return_error(vm, function, declared, "none"))
        }
        _ => Ok(()),
    }
}

#[cold]
fn return_error(vm: &mut Vm, function: &Function, declared: &Type, given: &str) -> Thrown {
    let name = function.display_name();
    let message = if declared.mask & type_mask::NEVER != 0 {
        format!("{name}(): never-returning function must not implicitly return")
    } else {
        let declared = display_return(vm, function, declared);
        format!("{name}(): Return value must be of type {declared}, {given} returned")
    };
    vm.throw_error(KnownClass::TypeError, message)
}

fn display_return(vm: &Vm, function: &Function, declared: &Type) -> String {
    // `static` is told by the class that was called.
    let called = context(vm, function).called;
    if declared.mask & type_mask::STATIC != 0 && !called.is_null() {
        return declared.display_resolved(called);
    }
    declared.display_resolved(function.scope)
}

/// Whether earlier objects have shown that those of this class pass the type of a property by their class.
#[inline]
pub fn knows_to_pass(property: &PropertyInfo, class: *const Class) -> bool {
    property.passed.get().cast_const() == class
        // SAFETY: I4: classes live until the VM ends.
        || unsafe { (*class).is_subclass_of(property.passed_root.get()) }
}

/// Checks a value that is about to be assigned to a typed property.
#[inline]
pub fn verify_property(
    vm: &mut Vm,
    property: &PropertyInfo,
    value: &mut Zval,
    strict: bool,
) -> PhpResult<()> {
    match &property.declared {
        Some(declared) if declared.mask & (1 << value.deref().kind()) == 0 => {
            if value.kind() == OBJECT {
                // SAFETY: I3: an object payload is live.
                let class = unsafe { (*value.object()).class };
                if knows_to_pass(property, class) {
                    return Ok(());
                }
                if let Some(root) =
                    super::coercion::passing_root(vm, class, declared, property.class)
                {
                    property.passed.set(class);
                    property.passed_root.set(root);
                    return Ok(());
                }
            }
            verify_property_slow(vm, property, declared, value, strict)
        }
        _ => Ok(()),
    }
}

#[inline(never)]
fn verify_property_slow(
    vm: &mut Vm,
    property: &PropertyInfo,
    declared: &Type,
    value: &mut Zval,
    strict: bool,
) -> PhpResult<()> {
    let context = TypeContext {
        scope: property.class,
        called: property.class,
    };
    if coerce(vm, value, declared, strict, context) {
        return Ok(());
    }
    vm.check()?;
    let message = format!(
        "Cannot assign {} to property {} of type {declared}",
        value_name(value),
        property_name(property)
    );
    Err(vm.throw_error(KnownClass::TypeError, message))
}

/// Checks a value that is about to be assigned to a reference, which may be bound to typed
/// properties.
pub fn verify_reference(vm: &mut Vm, reference: &PhpReference, value: &mut Zval) -> PhpResult<()> {
    let strict = vm.is_strict();
    verify_reference_as(vm, reference, value, strict)
}

/// The same, converting what scalar types convert unless `strict`.
pub(crate) fn verify_reference_as(
    vm: &mut Vm,
    reference: &PhpReference,
    value: &mut Zval,
    strict: bool,
) -> PhpResult<()> {
    // Each type must take the value, and all must make the same of it.
    let mut first: Option<(*const PropertyInfo, Option<Value>)> = None;
    for index in 0.. {
        // Converting may run user code that unbinds properties.
        // SAFETY: a reference's sources are null or live.
        let sources = unsafe { reference.sources.as_ref() };
        let Some(&pointer) = sources.and_then(|sources| sources.properties.get(index)) else {
            break;
        };
        // SAFETY: I4: property infos live as long as their class.
        let property = unsafe { &*pointer };
        let Some(declared) = &property.declared else {
            continue;
        };
        let context = TypeContext {
            scope: property.class,
            called: property.class,
        };
        let made = if super::coercion::matches(vm, value, declared, context) {
            None
        } else {
            // SAFETY: I3: the share is new.
            let mut made = unsafe { Value::from_zval(value.share()) };
            if !super::coercion::coerce_scalar(vm, made.as_zval_mut(), declared.mask, strict) {
                let message = format!(
                    "Cannot assign {} to reference held by property {} of type {declared}",
                    value_name(value),
                    property_name(property)
                );
                return Err(vm.throw_error(KnownClass::TypeError, message));
            }
            Some(made)
        };
        let Some((other, expected)) = &first else {
            first = Some((pointer, made));
            continue;
        };
        let same = match (expected, &made) {
            (None, None) => true,
            (Some(expected), Some(made)) => crate::operators::is_identical(vm, expected, made),
            _ => false,
        };
        if !same {
            // SAFETY: I4: as above.
            let other = unsafe { &**other };
            let message = format!(
                "Cannot assign {} to reference held by {} and {}, as this would result in an \
                 inconsistent type conversion",
                value_name(value),
                typed_property(other),
                typed_property(property)
            );
            return Err(vm.throw_error(KnownClass::TypeError, message));
        }
    }
    if let Some((_, Some(made))) = first {
        let old = *value;
        value.set(made.into_zval());
        // SAFETY: I3: the variable gave up its share of the old value.
        unsafe { crate::value::release(&old) };
    }
    Ok(())
}

/// Checks what `__get` gives for a typed property that was unset. A value behind a reference that
/// is typed already must fit as it is.
pub fn verify_getter(
    vm: &mut Vm,
    property: &PropertyInfo,
    value: &mut Zval,
    strict: bool,
) -> PhpResult<()> {
    let Some(declared) = &property.declared else {
        return Ok(());
    };
    let context = TypeContext {
        scope: property.class,
        called: property.class,
    };
    if coerce(vm, value, declared, strict, context) {
        return Ok(());
    }
    vm.check()?;
    // SAFETY: I4: a property's class lives until the VM ends.
    let class = unsafe { (*property.class).display_name() };
    let message = format!(
        "Value of type {} returned from {class}::__get() must be compatible with unset {}",
        value_name(value),
        typed_property(property)
    );
    Err(vm.throw_error(KnownClass::TypeError, message))
}

/// `property C::$p of type T`
fn typed_property(property: &PropertyInfo) -> String {
    let declared = property.declared.as_ref().map(Type::display);
    format!(
        "property {} of type {}",
        property_name(property),
        declared.unwrap_or_default()
    )
}

/// Checks a variable that a typed property is about to be bound to by reference. The value is
/// converted in place, unless the reference is bound to other typed properties already: then it
/// must fit as it is.
///
/// # Safety
/// `variable` is live.
pub unsafe fn verify_bound_reference(
    vm: &mut Vm,
    property: &PropertyInfo,
    variable: *mut Zval,
    strict: bool,
) -> PhpResult<()> {
    // SAFETY: by the caller; I3: a reference payload is live.
    let (value, sources) = unsafe {
        let sources = if (*variable).is_reference() {
            (*(*variable).reference()).sources.as_ref()
        } else {
            None
        };
        (&mut *(*variable).deref_mut(), sources)
    };
    let (Some(declared), Some(sources)) = (&property.declared, sources) else {
        return verify_property(vm, property, value, strict);
    };
    let context = TypeContext {
        scope: property.class,
        called: property.class,
    };
    if super::coercion::matches(vm, value, declared, context) {
        return Ok(());
    }
    let mut converted = Value::share(value);
    // SAFETY: I4: property infos live as long as their class.
    let other = sources.properties.first().map(|&other| unsafe { &*other });
    let message = match other {
        Some(other)
            if super::coercion::coerce_scalar(
                vm,
                converted.as_zval_mut(),
                declared.mask,
                strict,
            ) =>
        {
            format!(
                "Reference with value of type {} held by {} is not compatible with {}",
                value_name(value),
                typed_property(other),
                typed_property(property)
            )
        }
        _ => {
            vm.check()?;
            format!(
                "Cannot assign {} to {}",
                value_name(value),
                typed_property(property)
            )
        }
    };
    Err(vm.throw_error(KnownClass::TypeError, message))
}

/// Complains that `++` or `--` would make a reference's `int` a `float` where a property that it
/// is bound to does not take one. `which` is `increment` or `decrement`, `bound` is `maximal` or
/// `minimal`.
pub fn reference_overflow(
    vm: &mut Vm,
    reference: &PhpReference,
    which: &str,
    bound: &str,
) -> PhpResult<()> {
    // SAFETY: a reference's sources are null or live as long as it.
    let Some(sources) = (unsafe { reference.sources.as_ref() }) else {
        return Ok(());
    };
    for &property in &sources.properties {
        // SAFETY: I4: property infos live as long as their class.
        let property = unsafe { &*property };
        if let Some(message) =
            overflow_message(property, "a reference held by property", which, bound)
        {
            return Err(vm.throw_error(KnownClass::TypeError, message));
        }
    }
    Ok(())
}

/// As [`reference_overflow`], for a property itself.
pub fn property_overflow(
    vm: &mut Vm,
    property: &PropertyInfo,
    which: &str,
    bound: &str,
) -> PhpResult<()> {
    match overflow_message(property, "property", which, bound) {
        Some(message) => Err(vm.throw_error(KnownClass::TypeError, message)),
        None => Ok(()),
    }
}

fn overflow_message(
    property: &PropertyInfo,
    what: &str,
    which: &str,
    bound: &str,
) -> Option<String> {
    let declared = property.declared.as_ref()?;
    (declared.mask & type_mask::DOUBLE == 0).then(|| {
        let name = property_name(property);
        format!("Cannot {which} {what} {name} of type {declared} past its {bound} value")
    })
}

/// Checks the value of a typed class constant.
pub fn verify_class_constant(
    vm: &mut Vm,
    constant: &ClassConstant,
    name: &str,
    value: &mut Zval,
) -> PhpResult<()> {
    let Some(declared) = &constant.declared else {
        return Ok(());
    };
    let context = TypeContext {
        scope: constant.class,
        called: constant.class,
    };
    if coerce(vm, value, declared, true, context) {
        return Ok(());
    }
    // SAFETY: I4: classes live until the VM ends.
    let class = unsafe { (*constant.class).display_name() };
    let message = format!(
        "Cannot assign {} to class constant {class}::{name} of type {declared}",
        value_name(value)
    );
    Err(vm.throw_error(KnownClass::TypeError, message))
}

fn property_name(property: &PropertyInfo) -> String {
    // SAFETY: I4: a property's class lives until the VM ends.
    let class = unsafe { (*property.class).display_name() };
    format!("{class}::${}", text(property.name))
}

fn caller_of(frame: *const Frame) -> *const Frame {
    if frame.is_null() {
        return std::ptr::null();
    }
    // SAFETY: I4: the current frame is live.
    unsafe { (*frame).previous }
}

/// True if the code of this frame has `strict_types` on.
pub(crate) fn is_strict(frame: *const Frame) -> bool {
    // SAFETY: I4: a frame and its function are live.
    unsafe {
        !frame.is_null()
            && (*frame).is_user()
            && (*(*frame).function).flags & flags::STRICT_TYPES != 0
    }
}

fn context(vm: &Vm, function: &Function) -> TypeContext {
    let frame = vm.current_frame;
    let called = if frame.is_null() {
        function.scope
    } else {
        // SAFETY: I4: the current frame is live.
        unsafe { (*frame).called_class() }
    };
    TypeContext {
        scope: function.scope,
        called,
    }
}

impl Vm {
    /// True if the innermost user code has `strict_types` on.
    pub fn is_strict(&self) -> bool {
        is_strict(self.current_frame)
    }
}
