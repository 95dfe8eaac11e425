//! Does a value fit a type, and can it be made to fit.
//!
//! Weak mode (the default) converts between scalars where nothing but precision is lost; strict
//! mode (`declare(strict_types=1)`, decided by the file of the *caller*) only widens `int` to
//! `float`. Of a union, the alternatives are tried in the order `int`, `float`, `string`, `bool`.

use crate::class::Class;
use crate::function::{Type, TypeName, type_mask};
use crate::operators::numeric_string::{self, Number};
use crate::operators::{float_text, lost_precision, lost_string_precision};
use crate::value::{
    ARRAY, DOUBLE, FALSE, LONG, NULL, OBJECT, ObjectHandle, STRING, TRUE, UNDEF, Value, ValueKind,
    Zval, release,
};
use crate::vm::{PhpResult, Thrown, Vm};

/// The classes that `self`, `parent` and `static` stand for in a type; null where there is none.
#[derive(Debug, Clone, Copy)]
pub struct TypeContext {
    /// The class that declares the function or property.
    pub scope: *mut Class,
    /// The class that was called.
    pub called: *mut Class,
}

impl TypeContext {
    /// No class at all.
    pub const NONE: TypeContext = TypeContext {
        scope: std::ptr::null_mut(),
        called: std::ptr::null_mut(),
    };
}

/// True if the value fits the type; if it does not, tries to convert it in place.
///
/// Conversions may run user code (`__toString`, an error handler) that throws: then the result is
/// false and the exception is pending.
#[inline]
pub fn coerce(
    vm: &mut Vm,
    value: &mut Zval,
    declared: &Type,
    strict: bool,
    context: TypeContext,
) -> bool {
    if declared.mask & (1 << value.deref().kind()) != 0 {
        return true;
    }
    coerce_slow(vm, value, declared, strict, context)
}

#[inline(never)]
fn coerce_slow(
    vm: &mut Vm,
    value: &mut Zval,
    declared: &Type,
    strict: bool,
    context: TypeContext,
) -> bool {
    // SAFETY: I3: a reference is live. One that typed properties are bound to is not converted.
    let is_bound = value.is_reference() && unsafe { !(*value.reference()).sources.is_null() };
    let value = value.deref_mut();
    matches(vm, value, declared, context)
        || !is_bound && coerce_scalar(vm, value, declared.mask, strict)
}

/// True if the value fits the type as it is.
pub fn matches(vm: &mut Vm, value: &Zval, declared: &Type, context: TypeContext) -> bool {
    let value = value.deref();
    let kind = value.kind();
    if declared.mask & (1 << kind) != 0 {
        return true;
    }
    if kind == OBJECT {
        // SAFETY: I3: an object payload is live.
        let class = unsafe { (*value.object()).class };
        if class_passes(vm, class, declared, context.scope) {
            return true;
        }
        // SAFETY: I4: classes live until the VM ends.
        let called = unsafe { context.called.as_ref() };
        if declared.mask & type_mask::STATIC != 0
            && called.is_some_and(|called| unsafe_subclass(class, called))
        {
            return true;
        }
    }
    if declared.mask & type_mask::ITERABLE != 0 && is_iterable(vm, value) {
        return true;
    }
    declared.mask & type_mask::CALLABLE != 0
        && matches!(kind, STRING | ARRAY | OBJECT)
        && (is_closure(vm, value) || super::arguments::callable_problem(vm, value).is_none())
}

fn is_closure(vm: &Vm, value: &Zval) -> bool {
    // SAFETY: I3: an object payload is live.
    value.kind() == OBJECT
        && unsafe { (*value.object()).class }
            == vm.known_class(crate::exceptions::KnownClass::Closure)
}

/// True if every object of this class fits the type, because it names the class or an ancestor of
/// it.
fn class_passes(vm: &Vm, class: *const Class, declared: &Type, scope: *const Class) -> bool {
    passing_names(vm, class, declared, scope).is_some() || passes_as_callable(vm, class, declared)
}

/// The names in the type that every object of this class fits.
fn passing_names<'a>(
    vm: &Vm,
    class: *const Class,
    declared: &'a Type,
    scope: *const Class,
) -> Option<&'a [TypeName]> {
    let fits = |names: &&'a Vec<TypeName>| {
        names
            .iter()
            .all(|name| instance_of_name(vm, class, name, scope))
    };
    declared.classes.iter().find(fits).map(Vec::as_slice)
}

fn passes_as_callable(vm: &Vm, class: *const Class, declared: &Type) -> bool {
    declared.mask & type_mask::CALLABLE != 0
        && class == vm.known_class(crate::exceptions::KnownClass::Closure)
}

/// The class itself or one above it below which every object fits the type, if all objects of the class do so by
/// their class: what the type names, or the class where more than one name has to fit.
pub(super) fn passing_root(
    vm: &Vm,
    class: *mut Class,
    declared: &Type,
    scope: *const Class,
) -> Option<*mut Class> {
    match passing_names(vm, class, declared, scope) {
        Some([name]) => {
            let (named, _) = named_class(vm, name, scope);
            Some(if named.is_null() { class } else { named })
        }
        Some(_) => Some(class),
        None => passes_as_callable(vm, class, declared).then_some(class),
    }
}

fn unsafe_subclass(class: *const Class, of: *const Class) -> bool {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { (*class).is_subclass_of(of) }
}

fn is_iterable(vm: &Vm, value: &Zval) -> bool {
    let traversable = vm.known_class(crate::exceptions::KnownClass::Traversable);
    match value.kind() {
        ARRAY => true,
        OBJECT => {
            !traversable.is_null()
                // SAFETY: I3: an object payload is live.
                && unsafe_subclass(unsafe { (*value.object()).class }, traversable)
        }
        _ => false,
    }
}

/// True if `class` is, extends or implements the class that `name` stands for. Never autoloads: a
/// class that was not loaded has no instances.
pub fn instance_of_name(
    vm: &Vm,
    class: *const Class,
    name: &TypeName,
    scope: *const Class,
) -> bool {
    // SAFETY: I4: classes and type names live until the VM ends.
    unsafe {
        if vm.found_types.knows(class, name) {
            return true;
        }
        let (target, relative) = named_class(vm, name, scope);
        // A class that is being linked is not in the table yet.
        let found = !target.is_null() && (*class).is_subclass_of(target)
            || !relative && (*(*class).lowercase).as_bytes() == (*name.lowercase).as_bytes();
        if found && !relative {
            vm.found_types.note(class, name);
        }
        found
    }
}

/// The class that a name in a type stands for, null if there is none, and whether it is a word that the scope decides.
fn named_class(vm: &Vm, name: &TypeName, scope: *const Class) -> (*mut Class, bool) {
    // SAFETY: I4: classes and type names live until the VM ends.
    let lowercase = unsafe { (*name.lowercase).as_bytes() };
    match lowercase {
        b"self" => (scope.cast_mut(), true),
        b"parent" if scope.is_null() => (std::ptr::null_mut(), true),
        // SAFETY: I4: as above.
        b"parent" => (unsafe { (*scope).parent }, true),
        _ => (
            vm.classes
                .get(lowercase)
                .copied()
                .unwrap_or(std::ptr::null_mut()),
            false,
        ),
    }
}

/// Pairs of a class and a name in a type that were found to fit: what an opline's cache word, which
/// knows one class, lets through goes here next.
#[derive(Debug)]
pub struct FoundTypes {
    pairs: Box<[std::cell::Cell<(usize, usize)>; FoundTypes::SIZE]>,
}

impl Default for FoundTypes {
    fn default() -> FoundTypes {
        FoundTypes {
            pairs: Box::new([const { std::cell::Cell::new((0, 0)) }; FoundTypes::SIZE]),
        }
    }
}

impl FoundTypes {
    const SIZE: usize = 256;

    fn pair(
        &self,
        class: *const Class,
        name: &TypeName,
    ) -> (&std::cell::Cell<(usize, usize)>, (usize, usize)) {
        // Names are literals, which live as long as the VM: the address is the name.
        let (class, name) = (class as usize, name.lowercase as usize);
        let index = (class >> 4 ^ class >> 12 ^ name >> 4 ^ name >> 11) % FoundTypes::SIZE;
        (&self.pairs[index], (class, name))
    }

    fn knows(&self, class: *const Class, name: &TypeName) -> bool {
        let (cell, pair) = self.pair(class, name);
        cell.get() == pair
    }

    fn note(&self, class: *const Class, name: &TypeName) {
        let (cell, pair) = self.pair(class, name);
        cell.set(pair);
    }
}

/// Converts a value that no alternative of `mask` takes as it is.
pub(crate) fn coerce_scalar(vm: &mut Vm, value: &mut Zval, mask: u32, strict: bool) -> bool {
    let kind = value.kind();
    if strict {
        if kind == LONG && mask & type_mask::DOUBLE != 0 {
            value.set_double(value.long() as f64);
            return true;
        }
        return false;
    }
    if matches!(kind, NULL | ARRAY) || kind > OBJECT {
        return false;
    }
    let kind = match kind {
        UNDEF => {
            // The outcome of an operation that failed.
            value.set(Zval::from_bool(false));
            FALSE
        }
        _ => kind,
    };
    if kind == OBJECT {
        return mask & type_mask::STRING != 0 && object_to_string(vm, value);
    }
    if mask & type_mask::LONG != 0 {
        if kind == STRING && mask & type_mask::DOUBLE != 0 {
            if let Some(number) = numeric(value) {
                replace(
                    value,
                    match number {
                        Number::Long(long) => Zval::from_long(long),
                        Number::Double(double) => Zval::from_double(double),
                    },
                );
                return true;
            }
        } else {
            match scalar_to_long(vm, value) {
                Ok(Some(long)) => {
                    replace(value, Zval::from_long(long));
                    return true;
                }
                Ok(None) => {}
                Err(Thrown) => return false,
            }
        }
    }
    if mask & type_mask::DOUBLE != 0
        && let Some(double) = to_double(value)
    {
        replace(value, Zval::from_double(double));
        return true;
    }
    if mask & type_mask::STRING != 0 {
        let string = scalar_to_string(vm, value);
        replace(value, string.into_zval());
        return true;
    }
    if mask & type_mask::BOOL == type_mask::BOOL {
        let truth = match kind {
            LONG => value.long() != 0,
            DOUBLE => value.double() != 0.0,
            FALSE => false,
            _ => !matches!(value.as_bytes(), Some(b"" | b"0")),
        };
        replace(value, Zval::from_bool(truth));
        return true;
    }
    false
}

/// Overwrites a scalar.
pub(super) fn replace(value: &mut Zval, with: Zval) {
    let old = *value;
    value.set(with);
    // SAFETY: I3: the slot gave up its share of the old value.
    unsafe { release(&old) };
}

fn numeric(value: &Zval) -> Option<Number> {
    value.as_bytes().and_then(numeric_string::parse_whole)
}

fn to_double(value: &Zval) -> Option<f64> {
    match value.kind() {
        FALSE => Some(0.0),
        TRUE => Some(1.0),
        LONG => Some(value.long() as f64),
        _ => numeric(value).map(Number::to_double),
    }
}

/// The `int` that a boolean, a float or a string stands for as an `int` argument, none if it is no such; a fraction
/// that is lost is deprecated.
///
/// # Errors
/// What an error handler throws that is told so.
pub fn scalar_to_long(vm: &mut Vm, value: &Zval) -> PhpResult<Option<i64>> {
    let double = match value.kind() {
        FALSE => return Ok(Some(0)),
        TRUE => return Ok(Some(1)),
        DOUBLE => value.double(),
        _ => match numeric(value) {
            Some(Number::Long(long)) => return Ok(Some(long)),
            Some(Number::Double(double)) => double,
            None => return Ok(None),
        },
    };
    // The smallest float above every int is 2^63; NaN compares false.
    if !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&double) {
        return Ok(None);
    }
    let long = double as i64;
    if long as f64 != double {
        match value.view() {
            ValueKind::String(text) => lost_string_precision(vm, text)?,
            _ => lost_precision(vm, double)?,
        }
    }
    Ok(Some(long))
}

fn scalar_to_string(vm: &mut Vm, value: &Zval) -> Value {
    match value.kind() {
        FALSE => vm.string("").into(),
        TRUE => vm.string("1").into(),
        LONG => vm
            .string(float_text::integer(value.long()).as_bytes())
            .into(),
        _ => {
            let precision = vm.ini.precision;
            vm.string(float_text::general(value.double(), precision).as_bytes())
                .into()
        }
    }
}

fn object_to_string(vm: &mut Vm, value: &mut Zval) -> bool {
    // SAFETY: I3: an object payload is live.
    let object = unsafe { ObjectHandle::share_raw(value.object()) };
    match crate::operators::convert::try_object_to_string(vm, &object) {
        Ok(Some(string)) => {
            replace(value, string.into_value().into_zval());
            true
        }
        Ok(None) | Err(Thrown) => false,
    }
}
