//! Direct entries of native functions: what they do for arguments of exactly their types.

use vm_runtime::array::PhpArray;
use vm_runtime::object::PhpObject;
use vm_runtime::string::PhpString;
use vm_runtime::value::{
    ARRAY, DOUBLE, FALSE, LONG, NULL, OBJECT, STRING, StringHandle, TRUE, Value, Zval,
};

/// An argument as a direct entry takes it. Anything else is left to the function.
pub(crate) trait Plain<'a>: Sized {
    /// The argument, if it is one.
    fn of(argument: &'a Zval) -> Option<Self>;
}

impl Plain<'_> for i64 {
    #[inline(always)]
    fn of(argument: &Zval) -> Option<i64> {
        (argument.kind() == LONG).then(|| argument.long())
    }
}

/// A `float` parameter takes an `int`, too.
impl Plain<'_> for f64 {
    #[inline(always)]
    fn of(argument: &Zval) -> Option<f64> {
        match argument.kind() {
            DOUBLE => Some(argument.double()),
            LONG => Some(argument.long() as f64),
            _ => None,
        }
    }
}

impl Plain<'_> for bool {
    #[inline(always)]
    fn of(argument: &Zval) -> Option<bool> {
        match argument.kind() {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }
}

impl<'a> Plain<'a> for &'a [u8] {
    #[inline(always)]
    fn of(argument: &'a Zval) -> Option<&'a [u8]> {
        match argument.kind() {
            STRING => argument.as_bytes(),
            _ => None,
        }
    }
}

impl<'a> Plain<'a> for &'a PhpString {
    #[inline(always)]
    fn of(argument: &'a Zval) -> Option<&'a PhpString> {
        match argument.kind() {
            // SAFETY: I3: the payload of a string is live as long as the value.
            STRING => Some(unsafe { &*argument.string() }),
            _ => None,
        }
    }
}

impl<'a> Plain<'a> for &'a PhpArray {
    #[inline(always)]
    fn of(argument: &'a Zval) -> Option<&'a PhpArray> {
        match argument.kind() {
            // SAFETY: I3: the payload of an array is live as long as the value.
            ARRAY => Some(unsafe { &*argument.array() }),
            _ => None,
        }
    }
}

impl<'a> Plain<'a> for &'a PhpObject {
    #[inline(always)]
    fn of(argument: &'a Zval) -> Option<&'a PhpObject> {
        match argument.kind() {
            // SAFETY: I3: the payload of an object is live as long as the value.
            OBJECT => Some(unsafe { &*argument.object() }),
            _ => None,
        }
    }
}

/// An argument that may be `null`.
impl<'a, T: Plain<'a>> Plain<'a> for Option<T> {
    #[inline(always)]
    fn of(argument: &'a Zval) -> Option<Option<T>> {
        match argument.kind() {
            NULL => Some(None),
            _ => T::of(argument).map(Some),
        }
    }
}

/// Any value that is no reference.
impl<'a> Plain<'a> for &'a Zval {
    #[inline(always)]
    fn of(argument: &'a Zval) -> Option<&'a Zval> {
        (argument.kind() <= vm_runtime::value::RESOURCE && !argument.is_undef()).then_some(argument)
    }
}

/// A variable that was passed by reference, to be given a value. No typed property is bound to it, and what it holds goes
/// without running a destructor.
pub(crate) struct Receiver<'a>(&'a Zval);

impl<'a> Plain<'a> for Receiver<'a> {
    #[inline(always)]
    fn of(argument: &'a Zval) -> Option<Receiver<'a>> {
        if !argument.is_reference() {
            return None;
        }
        // SAFETY: I3: the reference is live.
        let reference = unsafe { &*argument.reference() };
        let is_free = reference.sources.is_null() && goes_quietly(&reference.value, LEVELS);
        is_free.then_some(Receiver(argument))
    }
}

impl Receiver<'_> {
    /// Gives the variable a value in place of the old one.
    #[inline]
    pub(crate) fn assign(self, value: Value) {
        // SAFETY: I3: the reference is live, and its value is borrowed nowhere: arguments by value are shares of
        // their own, which SEND made of what stood here.
        unsafe {
            let target = &raw mut (*self.0.reference()).value;
            let old = Value::from_zval(*target);
            (*target).set(value.into_zval());
            drop(old);
        }
    }
}

/// Arrays in arrays that are looked through: the groups of a match with their offsets.
const LEVELS: u32 = 2;

/// True if no destructor can run when a share of a value is given up: it is no object, and has none in so many levels
/// of arrays, of which there are few elements.
#[inline]
fn goes_quietly(value: &Zval, levels: u32) -> bool {
    const MOST: u32 = 16;
    match value.kind() {
        kind if kind < ARRAY => true,
        ARRAY if !value.is_refcounted() => true,
        ARRAY if levels > 0 => {
            // SAFETY: I3: the payload of an array is live as long as the value.
            let array = unsafe { &*value.array() };
            array.len() <= MOST as usize
                && array
                    .iter()
                    .all(|(_, value)| goes_quietly(value, levels - 1))
        }
        _ => false,
    }
}

/// What a direct entry makes.
pub(crate) trait Outcome {
    /// Puts it into a slot that holds nothing; false if there is no outcome.
    fn store(self, slot: &mut Zval) -> bool;
}

impl Outcome for i64 {
    #[inline(always)]
    fn store(self, slot: &mut Zval) -> bool {
        slot.set_long(self);
        true
    }
}

impl Outcome for f64 {
    #[inline(always)]
    fn store(self, slot: &mut Zval) -> bool {
        slot.set_double(self);
        true
    }
}

impl Outcome for bool {
    #[inline(always)]
    fn store(self, slot: &mut Zval) -> bool {
        slot.set_bool(self);
        true
    }
}

/// `null`
impl Outcome for () {
    #[inline(always)]
    fn store(self, slot: &mut Zval) -> bool {
        slot.set_null();
        true
    }
}

impl Outcome for StringHandle {
    #[inline(always)]
    fn store(self, slot: &mut Zval) -> bool {
        self.into_value().store(slot)
    }
}

impl Outcome for Value {
    #[inline(always)]
    fn store(self, slot: &mut Zval) -> bool {
        slot.set(self.into_zval());
        true
    }
}

/// None leaves the call to the function.
impl<T: Outcome> Outcome for Option<T> {
    #[inline(always)]
    fn store(self, slot: &mut Zval) -> bool {
        self.is_some_and(|outcome| outcome.store(slot))
    }
}

/// The object that a method is called on.
#[inline(always)]
pub(crate) fn this_of(this: &Zval) -> &PhpObject {
    debug_assert_eq!(this.type_info as u8, OBJECT);
    // SAFETY: I3: methods that are not static have a live `$this`.
    unsafe { &*this.object() }
}

/// What a direct entry gives, which may leave it early.
#[inline(always)]
pub(crate) fn outcome_of<T: Outcome>(entry: impl FnOnce() -> T) -> T {
    entry()
}

/// Defines a direct entry: `fn name(vm; argument: type, ...) { outcome }`, for exactly this many
/// arguments. That of a method is `fn name(vm, this; argument: type, ...) { outcome }`. Arguments that may be missing
/// follow: `fn name(vm; argument: type; other: type = default) { outcome }`.
macro_rules! direct {
    ($($(#[$about:meta])* $visibility:vis fn $name:ident(
        $vm:tt $(, $this:ident)?; $($argument:ident: $type:ty),* $(; $($optional:ident: $kind:ty = $default:expr),+)?
    ) $body:block)*) => {
        $(
            $(#[$about])*
            $visibility fn $name(
                $vm: &mut vm_runtime::vm::Vm,
                _this: &vm_runtime::value::Zval,
                arguments: &[vm_runtime::value::Zval],
                result: &mut vm_runtime::value::Zval,
            ) -> bool {
                $(let $this = $crate::support::this_of(_this);)?
                let rest = arguments;
                $(
                    let [given, rest @ ..] = rest else {
                        return false;
                    };
                    let Some($argument) = <$type as $crate::support::Plain<'_>>::of(given) else {
                        return false;
                    };
                )*
                $($(let ($optional, rest) = match rest {
                    [] => ($default, rest),
                    [given, rest @ ..] => match <$kind as $crate::support::Plain<'_>>::of(given) {
                        Some(given) => (given, rest),
                        None => return false,
                    },
                };)+)?
                if !rest.is_empty() {
                    return false;
                }
                $crate::support::Outcome::store($crate::support::outcome_of(|| $body), result)
            }
        )*
    };
}
pub(crate) use direct;
