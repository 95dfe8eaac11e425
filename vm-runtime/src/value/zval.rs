//! The layout of a value: 16 bytes, payload and type word.

use std::ptr::null_mut;

use crate::array::PhpArray;
use crate::object::PhpObject;
use crate::op_array::OpArray;
use crate::string::PhpString;
use crate::value::{PhpReference, PhpResource};

/// A CV that was never assigned, or a deleted array slot.
pub const UNDEF: u8 = 0;
/// `null`
pub const NULL: u8 = 1;
/// `false`
pub const FALSE: u8 = 2;
/// `true`
pub const TRUE: u8 = 3;
/// `int`
pub const LONG: u8 = 4;
/// `float`
pub const DOUBLE: u8 = 5;
/// `string`
pub const STRING: u8 = 6;
/// `array`
pub const ARRAY: u8 = 7;
/// `object`
pub const OBJECT: u8 = 8;
/// `resource`
pub const RESOURCE: u8 = 9;
/// A shared box made by `&`; never nested.
pub const REFERENCE: u8 = 10;
/// A constant expression that is evaluated when it is first needed.
pub const CONSTANT_EXPRESSION: u8 = 11;
/// A pointer to a slot elsewhere: the result of a write fetch, or a CV in a symbol table.
pub const INDIRECT: u8 = 12;
/// An internal pointer (a class, say).
pub const POINTER: u8 = 13;
/// Pseudo type of casts and type masks: `bool`.
pub const BOOL: u8 = 17;

/// Flag in the type word: the payload points to a counted [`Header`].
pub const REFCOUNTED: u32 = 1 << 8;
/// Flag in the type word: the value may be part of a cycle.
pub const COLLECTABLE: u32 = 1 << 9;

/// Type word of a counted string.
pub const STRING_COUNTED: u32 = STRING as u32 | REFCOUNTED;
/// Type word of an interned or literal string.
pub const STRING_INTERNED: u32 = STRING as u32;
/// Type word of a counted array.
pub const ARRAY_COUNTED: u32 = ARRAY as u32 | REFCOUNTED | COLLECTABLE;
/// Type word of an immutable (literal) array.
pub const ARRAY_IMMUTABLE: u32 = ARRAY as u32;
/// Type word of an object.
pub const OBJECT_COUNTED: u32 = OBJECT as u32 | REFCOUNTED | COLLECTABLE;
/// Type word of a resource.
pub const RESOURCE_COUNTED: u32 = RESOURCE as u32 | REFCOUNTED;
/// Type word of a reference.
pub const REFERENCE_COUNTED: u32 = REFERENCE as u32 | REFCOUNTED | COLLECTABLE;

/// Head of every counted allocation.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// Number of owners; meaningless for immutable values.
    pub refcount: u32,
    /// Type number in the low 8 bits, then header flags, then what the cycle collector keeps.
    pub type_info: u32,
    /// Shares are counted through `&` references, too: this keeps the compiler from taking what
    /// stands behind one for unchanging.
    pub shared: std::cell::UnsafeCell<()>,
}

/// Header flag: never counted and never freed (literals, interned strings).
pub const HEADER_IMMUTABLE: u32 = 1 << 8;
/// Header flag: being visited by a recursive operation (`var_dump`, comparison, ...).
pub const HEADER_PROTECTED: u32 = 1 << 9;
/// Header flag of objects: the destructor has run or must not run.
pub const HEADER_DESTRUCTOR_CALLED: u32 = 1 << 11;
/// Header flag of objects: the storage has been freed, only weak parts remain.
pub const HEADER_FREED: u32 = 1 << 12;
/// Header flag of objects: lazy and not initialised yet, or a lazy proxy.
pub const HEADER_LAZY: u32 = 1 << 10;

/// Header flag of strings: the contents are known to be UTF-8.
pub const HEADER_UTF8: u32 = 1 << 13;

impl Header {
    /// A header with one owner.
    pub const fn new(kind: u8) -> Header {
        Header {
            refcount: 1,
            type_info: kind as u32,
            shared: std::cell::UnsafeCell::new(()),
        }
    }

    /// The header of a value that is neither counted nor freed.
    pub const fn immutable(kind: u8) -> Header {
        Header {
            refcount: 2,
            type_info: kind as u32 | HEADER_IMMUTABLE,
            shared: std::cell::UnsafeCell::new(()),
        }
    }

    /// True if this value is neither counted nor freed.
    #[inline(always)]
    pub fn is_immutable(&self) -> bool {
        self.type_info & HEADER_IMMUTABLE != 0
    }
}

/// The payload of a [`Zval`]; which field counts is said by the type word.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Payload {
    /// `int`, and the raw bits of every other field.
    pub long: i64,
    /// `float`
    pub double: f64,
    /// Any counted value.
    pub counted: *mut Header,
    /// `string`
    pub string: *mut PhpString,
    /// `array`
    pub array: *mut PhpArray,
    /// `object`
    pub object: *mut PhpObject,
    /// `resource`
    pub resource: *mut PhpResource,
    /// Reference box.
    pub reference: *mut PhpReference,
    /// Target of an INDIRECT.
    pub indirect: *mut Zval,
    /// Constant expression, compiled to an op array of its own.
    pub expression: *const OpArray,
    /// Anything else.
    pub pointer: *mut (),
}

/// A PHP value: 16 bytes, copied without counting. Who owns it is a matter of where it stands.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Zval {
    /// What the type word says it is.
    pub payload: Payload,
    /// Type number in the low 8 bits, then [`REFCOUNTED`] and [`COLLECTABLE`].
    pub type_info: u32,
    /// Free for the container: hash chain, number of arguments, iterator position, ...
    pub extra: u32,
    /// Tells the compiler that a `&mut Zval` is not the only path to a slot: user code that runs
    /// meanwhile may assign to the variable.
    pub pinned: std::marker::PhantomPinned,
}

const _: () = assert!(size_of::<Zval>() == 16 && align_of::<Zval>() == 8);
const _: () = assert!(std::mem::offset_of!(Zval, type_info) == 8);
const _: () = assert!(std::mem::offset_of!(Zval, extra) == 12);

impl std::fmt::Debug for Zval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind() {
            UNDEF => f.write_str("undef"),
            NULL => f.write_str("null"),
            FALSE => f.write_str("false"),
            TRUE => f.write_str("true"),
            LONG => write!(f, "{}", self.long()),
            DOUBLE => write!(f, "{:?}", self.double()),
            kind => write!(f, "<type {kind}>"),
        }
    }
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident($argument:ident: $type:ty) = $field:ident, $info:expr;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub const fn $name($argument: $type) -> Zval {
            Zval { payload: Payload { $field: $argument }, type_info: $info as u32, extra: 0, pinned: std::marker::PhantomPinned }
        }
    )*};
}

macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident -> $type:ty;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(&self) -> $type {
            // SAFETY: I3: the type word says which field holds; all fields are 8 plain bytes.
            unsafe { self.payload.$name }
        }
    )*};
}

impl Zval {
    /// The undefined value.
    pub const UNDEF: Zval = Zval {
        payload: Payload { long: 0 },
        type_info: UNDEF as u32,
        extra: 0,
        pinned: std::marker::PhantomPinned,
    };
    /// `null`
    pub const NULL: Zval = Zval {
        payload: Payload { long: 0 },
        type_info: NULL as u32,
        extra: 0,
        pinned: std::marker::PhantomPinned,
    };

    constructors! {
        /// An `int`.
        from_long(value: i64) = long, LONG;
        /// A `float`.
        from_double(value: f64) = double, DOUBLE;
        /// An array with a share of its count.
        from_array(value: *mut PhpArray) = array, ARRAY_COUNTED;
        /// An object with a share of its count.
        from_object(value: *mut PhpObject) = object, OBJECT_COUNTED;
        /// A resource with a share of its count.
        from_resource(value: *mut PhpResource) = resource, RESOURCE_COUNTED;
        /// A reference with a share of its count.
        from_reference(value: *mut PhpReference) = reference, REFERENCE_COUNTED;
        /// A pointer to another slot.
        from_indirect(value: *mut Zval) = indirect, INDIRECT;
        /// An internal pointer.
        from_pointer(value: *mut ()) = pointer, POINTER;
        /// A constant expression.
        from_expression(value: *const OpArray) = expression, CONSTANT_EXPRESSION;
    }

    /// A `bool`.
    #[inline(always)]
    pub const fn from_bool(value: bool) -> Zval {
        Zval {
            payload: Payload { long: 0 },
            type_info: FALSE as u32 + value as u32,
            extra: 0,
            pinned: std::marker::PhantomPinned,
        }
    }

    /// A string with a share of its count, if it is counted at all.
    #[inline(always)]
    pub fn from_string(value: *mut PhpString) -> Zval {
        // SAFETY: I3: a string pointer always points to a live header.
        let immutable = unsafe { (*value).header.is_immutable() };
        let type_info = if immutable {
            STRING_INTERNED
        } else {
            STRING_COUNTED
        };
        Zval {
            payload: Payload { string: value },
            type_info,
            extra: 0,
            pinned: std::marker::PhantomPinned,
        }
    }

    /// An array that may be immutable.
    #[inline(always)]
    pub fn from_any_array(value: *mut PhpArray) -> Zval {
        // SAFETY: I3: an array pointer always points to a live header.
        let immutable = unsafe { (*value).header.is_immutable() };
        let type_info = if immutable {
            ARRAY_IMMUTABLE
        } else {
            ARRAY_COUNTED
        };
        Zval {
            payload: Payload { array: value },
            type_info,
            extra: 0,
            pinned: std::marker::PhantomPinned,
        }
    }

    getters! {
        /// The `int`.
        long -> i64;
        /// The `float`.
        double -> f64;
        /// The counted header.
        counted -> *mut Header;
        /// The string.
        string -> *mut PhpString;
        /// The array.
        array -> *mut PhpArray;
        /// The object.
        object -> *mut PhpObject;
        /// The resource.
        resource -> *mut PhpResource;
        /// The reference box.
        reference -> *mut PhpReference;
        /// The slot an INDIRECT points to.
        indirect -> *mut Zval;
        /// The constant expression.
        expression -> *const OpArray;
        /// The internal pointer.
        pointer -> *mut ();
    }

    /// The type number.
    #[inline(always)]
    pub fn kind(&self) -> u8 {
        self.type_info as u8
    }

    /// The whole type word.
    #[inline(always)]
    pub fn type_info(&self) -> u32 {
        self.type_info
    }

    /// True if the payload is a counted pointer.
    #[inline(always)]
    pub fn is_refcounted(&self) -> bool {
        self.type_info & REFCOUNTED != 0
    }

    /// True for [`UNDEF`].
    #[inline(always)]
    pub fn is_undef(&self) -> bool {
        self.kind() == UNDEF
    }

    /// True for `null` (not for an undefined value).
    #[inline(always)]
    pub fn is_null(&self) -> bool {
        self.kind() == NULL
    }

    /// True for a reference box.
    #[inline(always)]
    pub fn is_reference(&self) -> bool {
        self.kind() == REFERENCE
    }

    /// Overwrites with an `int`; the old value is not released.
    #[inline(always)]
    pub fn set_long(&mut self, value: i64) {
        self.payload.long = value;
        self.type_info = LONG as u32;
    }

    /// Overwrites with a `float`; the old value is not released.
    #[inline(always)]
    pub fn set_double(&mut self, value: f64) {
        self.payload.double = value;
        self.type_info = DOUBLE as u32;
    }

    /// Overwrites with a `bool`; the old value is not released.
    #[inline(always)]
    pub fn set_bool(&mut self, value: bool) {
        self.type_info = FALSE as u32 + value as u32;
    }

    /// Overwrites with `null`; the old value is not released.
    #[inline(always)]
    pub fn set_null(&mut self) {
        self.type_info = NULL as u32;
    }

    /// Overwrites with the undefined value; the old value is not released.
    #[inline(always)]
    pub fn set_undef(&mut self) {
        self.type_info = UNDEF as u32;
    }

    /// Copies payload and type word but leaves `extra` alone, which belongs to the container.
    #[inline(always)]
    pub fn set(&mut self, value: Zval) {
        self.payload = value.payload;
        self.type_info = value.type_info;
    }

    /// One more owner, if the value is counted.
    #[inline(always)]
    pub fn add_reference(&self) {
        if self.is_refcounted() {
            // SAFETY: I3: the type word says that the payload is a live counted header.
            unsafe { (*self.payload.counted).refcount += 1 };
        }
    }

    /// A plain copy: the share goes with it. Payload and type word are loaded one by one, for a
    /// load of all 16 bytes has to wait for smaller stores just before it.
    #[inline(always)]
    pub fn copy(&self) -> Zval {
        Zval {
            payload: self.payload,
            type_info: self.type_info,
            extra: 0,
            pinned: std::marker::PhantomPinned,
        }
    }

    /// A copy with a share of its own.
    #[inline(always)]
    pub fn share(&self) -> Zval {
        self.add_reference();
        self.copy()
    }

    /// The value inside a reference box, or the value itself.
    #[allow(
        clippy::should_implement_trait,
        reason = "PHP references, not Rust ones"
    )]
    #[inline(always)]
    pub fn deref(&self) -> &Zval {
        if self.is_reference() {
            // SAFETY: I3: a reference payload points to a live box.
            unsafe { &(*self.payload.reference).value }
        } else {
            self
        }
    }

    /// As [`Zval::deref`], for writing.
    #[allow(
        clippy::should_implement_trait,
        reason = "PHP references, not Rust ones"
    )]
    #[inline(always)]
    pub fn deref_mut(&mut self) -> &mut Zval {
        if self.is_reference() {
            // SAFETY: I3: a reference payload points to a live box.
            unsafe { &mut (*self.payload.reference).value }
        } else {
            self
        }
    }

    /// A copy of the dereferenced value with a share of its own; undefined becomes `null`.
    #[inline(always)]
    pub fn share_deref(&self) -> Zval {
        let value = self.deref();
        if value.is_undef() {
            Zval::NULL
        } else {
            value.share()
        }
    }
}

impl Default for Payload {
    fn default() -> Payload {
        Payload {
            pointer: null_mut(),
        }
    }
}
