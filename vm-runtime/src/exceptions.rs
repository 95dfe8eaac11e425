//! Exceptions: the classes that the engine throws itself, throwing, and what is pending.

use crate::class::Class;
use crate::object::PhpObject;
use crate::value::ObjectHandle;
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
        if self.exception.is_null() { Ok(()) } else { Err(Thrown) }
    }

    /// Throws a new exception of a class of the engine.
    #[cold]
    pub fn throw_error(&mut self, class: KnownClass, message: impl AsRef<str>) -> Thrown {
        let _ = (class, message.as_ref());
        todo!("native classes")
    }

    /// Throws an object. An exception that is already pending becomes the last `previous` of it.
    #[cold]
    pub fn throw_object(&mut self, object: ObjectHandle) -> Thrown {
        let object: *mut PhpObject = object.into_raw();
        self.exception = object;
        self.redirect_to_exception_handler();
        Thrown
    }

    /// Makes the current frame, if it is a user frame, continue at the exception handler.
    pub fn redirect_to_exception_handler(&mut self) {}
}
