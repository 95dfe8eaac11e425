//! Exceptions: the classes that the engine throws itself, throwing, and what is pending.
#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "pointers to classes, functions and objects are live by invariants I3 and I4"
)]

pub mod classes;
pub mod report;
pub(crate) mod trace;

use std::ptr::null_mut;

pub(crate) use classes::CLASSES;
pub use trace::{BacktraceOptions, argument_text, running_include, trace_lines, trace_text};

use crate::class::Class;
use crate::function::class_flags;
use crate::message::Message;
use crate::object::PhpObject;
use crate::value::{OBJECT, ObjectHandle, Value, Zval, release};
use crate::vm::{PhpResult, Thrown, Vm};

macro_rules! known_classes {
    ($($variant:ident = $name:literal,)*) => {
        /// Classes and interfaces of the engine itself that native code refers to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum KnownClass {
            $($variant,)*
        }

        impl KnownClass {
            /// All of them, in order.
            pub const ALL: &'static [KnownClass] = &[$(KnownClass::$variant,)*];

            /// The class name.
            pub fn name(self) -> &'static str {
                match self {
                    $(KnownClass::$variant => $name,)*
                }
            }
        }
    };
}

known_classes! {
    StdClass = "stdClass",
    Traversable = "Traversable",
    Iterator = "Iterator",
    IteratorAggregate = "IteratorAggregate",
    ArrayAccess = "ArrayAccess",
    Countable = "Countable",
    Stringable = "Stringable",
    Serializable = "Serializable",
    UnitEnum = "UnitEnum",
    BackedEnum = "BackedEnum",
    Throwable = "Throwable",
    Exception = "Exception",
    ErrorException = "ErrorException",
    Error = "Error",
    CompileError = "CompileError",
    ParseError = "ParseError",
    TypeError = "TypeError",
    ValueError = "ValueError",
    ArithmeticError = "ArithmeticError",
    DivisionByZeroError = "DivisionByZeroError",
    ArgumentCountError = "ArgumentCountError",
    UnhandledMatchError = "UnhandledMatchError",
    Closure = "Closure",
    Generator = "Generator",
    ClosedGeneratorException = "ClosedGeneratorException",
    WeakReference = "WeakReference",
    WeakMap = "WeakMap",
    Attribute = "Attribute",
    SensitiveParameterValue = "SensitiveParameterValue",
    InternalIterator = "InternalIterator",
    Fiber = "Fiber",
    FiberError = "FiberError",
    JsonException = "JsonException",
    JsonSerializable = "JsonSerializable",
}

impl Vm {
    /// The linked class, or null while it is not registered (an extension may be missing).
    #[inline]
    pub fn known_class(&self, class: KnownClass) -> *mut Class {
        self.known_classes[class as usize]
    }

    /// Fails if an exception is pending: for after anything that may run user code without
    /// reporting it, such as a warning.
    #[inline]
    pub fn check(&self) -> PhpResult<()> {
        if self.exception.is_null() {
            Ok(())
        } else {
            Err(Thrown)
        }
    }

    /// The linked class; links it first if need be.
    pub fn class_of(&mut self, known: KnownClass) -> *mut Class {
        let class = self.known_classes[known as usize];
        if !class.is_null() {
            return class;
        }
        match self.link_native(known.name().to_ascii_lowercase().as_bytes()) {
            Some(class) => class,
            None => self.fatal_error(&format!(
                "Class \"{}\" is not part of this build",
                known.name()
            )),
        }
    }

    /// Throws a new exception of a class of the engine.
    #[cold]
    #[inline(never)]
    pub fn throw_error(&mut self, class: KnownClass, message: impl AsRef<str>) -> Thrown {
        self.throw_with_code(class, message.as_ref(), 0)
    }

    /// Throws a new exception with a message and a code.
    #[cold]
    #[inline(never)]
    pub fn throw_with_code(
        &mut self,
        class: KnownClass,
        message: impl Message,
        code: i64,
    ) -> Thrown {
        let class = self.class_of(class);
        let object = self.new_throwable(class, message, code);
        self.throw_object(object)
    }

    /// A new exception of any Throwable class; no constructor is called.
    pub fn new_throwable(
        &mut self,
        class: *mut Class,
        message: impl Message,
        code: i64,
    ) -> ObjectHandle {
        // The classes of the engine have literal defaults; a user class may not.
        let _ = self.initialise_class(class);
        let object = PhpObject::allocate(self, class);
        let message = self.string(message.message());
        set_slot(&object, slots::MESSAGE, message.into());
        set_slot(&object, slots::CODE, code.into());
        self.note_origin(&object);
        object
    }

    /// Throws an object. An exception that is already pending becomes the last `previous` of it.
    #[cold]
    #[inline(never)]
    pub fn throw_object(&mut self, object: ObjectHandle) -> Thrown {
        let pending = std::mem::replace(&mut self.exception, null_mut());
        if !pending.is_null() {
            // SAFETY: I3: the VM owned a share of the pending exception.
            let pending = unsafe { ObjectHandle::from_raw(pending) };
            if is_exit(&pending) {
                self.exception = pending.into_raw();
                return Thrown;
            }
            set_previous(self, object.as_ptr(), pending);
        }
        self.exception = object.into_raw();
        self.redirect_to_exception_handler();
        Thrown
    }

    /// Takes the pending exception. The frame that it has redirected goes on where it was.
    pub fn take_exception(&mut self) -> Option<ObjectHandle> {
        let pending = std::mem::replace(&mut self.exception, null_mut());
        if !pending.is_null() {
            self.undo_redirection();
        }
        // SAFETY: I3: the VM owned a share of the pending exception.
        (!pending.is_null()).then(|| unsafe { ObjectHandle::from_raw(pending) })
    }

    /// What was taken is pending again, behind what was thrown meanwhile.
    pub(crate) fn put_back_exception(&mut self, pending: Option<ObjectHandle>) {
        let Some(pending) = pending else {
            return;
        };
        if self.exception.is_null() {
            self.exception = pending.into_raw();
        } else {
            set_previous(self, self.exception, pending);
        }
        self.redirect_to_exception_handler();
    }
}

/// Slots of the properties that Exception and Error declare, in this order.
pub mod slots {
    /// `message`
    pub const MESSAGE: u32 = 0;
    /// `string`
    pub const STRING: u32 = 1;
    /// `code`
    pub const CODE: u32 = 2;
    /// `file`
    pub const FILE: u32 = 3;
    /// `line`
    pub const LINE: u32 = 4;
    /// `trace`
    pub const TRACE: u32 = 5;
    /// `previous`
    pub const PREVIOUS: u32 = 6;
    /// `severity` of ErrorException
    pub const SEVERITY: u32 = 7;
}

/// A property of an exception, dereferenced.
pub fn slot(object: &PhpObject, index: u32) -> &Zval {
    // SAFETY: every Throwable class extends Exception or Error, whose slots come first.
    unsafe { (*object.slot(index)).deref() }
}

/// Sets a property of an exception.
pub fn set_slot(object: &PhpObject, index: u32, value: Value) {
    // SAFETY: as for `slot`; the old value is released after it was replaced.
    unsafe {
        let place = (*object.slot(index)).deref_mut();
        let old = *place;
        place.set(value.into_zval());
        release(&old);
    }
}

/// True for the object that [`throw_exit`] throws.
pub fn is_exit(exception: &PhpObject) -> bool {
    // SAFETY: I4: the class is live; only the class that `throw_exit` makes has no name.
    unsafe { (*exception.class().name).is_empty() }
}

/// Name of the class of what ends a destroyed fiber; no class in a script can have it.
const GRACEFUL_EXIT: &[u8] = b"\0graceful exit";

/// True for what only unwinds frames: it has no properties, and no `catch` takes it.
pub fn is_unwinding(exception: &PhpObject) -> bool {
    // SAFETY: I4: the class is live.
    is_exit(exception) || unsafe { (*exception.class().name).as_bytes() == GRACEFUL_EXIT }
}

/// A class of which [`is_unwinding`] objects are made.
fn unwinding_class(vm: &mut Vm, name: &[u8]) -> *mut Class {
    let name = vm.names.string(name);
    let class = vm.allocate_class(name, name);
    // SAFETY: I4: made just now.
    unsafe {
        (*class).flags =
            class_flags::LINKED | class_flags::CONSTANTS_UPDATED | class_flags::INTERNAL
    };
    class
}

/// Throws what unwinds all frames for `exit()`: an object of a class without name that no `catch`
/// can name.
#[cold]
pub fn throw_exit(vm: &mut Vm) -> Thrown {
    if vm.class_state.exit_class.is_null() {
        vm.class_state.exit_class = unwinding_class(vm, b"");
    }
    throw_unwinding(vm, vm.class_state.exit_class)
}

/// Throws what ends a fiber that is destroyed: finally blocks run, but no `catch` takes it.
#[cold]
pub fn throw_graceful_exit(vm: &mut Vm) -> Thrown {
    if vm.class_state.graceful_exit_class.is_null() {
        vm.class_state.graceful_exit_class = unwinding_class(vm, GRACEFUL_EXIT);
    }
    throw_unwinding(vm, vm.class_state.graceful_exit_class)
}

fn throw_unwinding(vm: &mut Vm, class: *mut Class) -> Thrown {
    let object = PhpObject::allocate(vm, class);
    drop(vm.take_exception());
    vm.exception = object.into_raw();
    vm.redirect_to_exception_handler();
    Thrown
}

/// Hangs `previous` behind the last exception of the chain that starts at `exception`, unless
/// that would make a ring.
pub fn set_previous(_vm: &mut Vm, exception: *mut PhpObject, previous: ObjectHandle) {
    // SAFETY: I3: both are live.
    let unwinding = unsafe { is_unwinding(&*exception) };
    if exception == previous.as_ptr() || is_unwinding(&previous) || unwinding {
        return;
    }
    // SAFETY: I3: all links of the chain are live objects of Throwable classes.
    unsafe {
        let mut link = exception;
        while link != previous.as_ptr() {
            // The link must not already be somewhere behind `previous`.
            let mut ancestor = slot(&previous, slots::PREVIOUS);
            while ancestor.kind() == OBJECT {
                if ancestor.object() == link {
                    return;
                }
                ancestor = slot(&*ancestor.object(), slots::PREVIOUS);
            }
            let next = slot(&*link, slots::PREVIOUS);
            if next.kind() != OBJECT {
                set_slot(&*link, slots::PREVIOUS, previous.into());
                return;
            }
            link = next.object();
        }
    }
}
