//! [`Value`]: an owned PHP value for Rust code.

use std::marker::PhantomPinned;
use std::mem::ManuallyDrop;

use crate::array::PhpArray;
use crate::object::PhpObject;
use crate::string::PhpString;
use crate::value::{
    ARRAY, ARRAY_COUNTED, ARRAY_IMMUTABLE, ArrayHandle, COLLECTABLE, CONSTANT_EXPRESSION, DOUBLE,
    FALSE, INDIRECT, LONG, NULL, OBJECT, OBJECT_COUNTED, ObjectHandle, POINTER, PhpResource,
    REFCOUNTED, REFERENCE_COUNTED, RESOURCE, RESOURCE_COUNTED, STRING, STRING_COUNTED,
    STRING_INTERNED, StringHandle, TRUE, UNDEF, Zval, release,
};
use crate::vm::PhpResult;

/// An owned PHP value: cloning shares counted payloads, dropping releases them.
///
/// It is laid out as a [`Zval`] whose `extra` is 0, but of two scalars, of which the second has values that
/// mean nothing: so it, an `Option` and a result of it are given in two registers. (A union, or a third
/// field, would send it through memory, where it is written in parts and read as a whole, which waits.)
#[repr(C)]
pub struct Value {
    payload: *mut (),
    word: Word,
    pinned: PhantomPinned,
}

/// The type words that values have, with [`Zval::extra`].
#[repr(u64)]
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "words are made of the numbers in `Zval`")]
enum Word {
    Undefined = UNDEF as u64,
    Null = NULL as u64,
    False = FALSE as u64,
    True = TRUE as u64,
    Long = LONG as u64,
    Double = DOUBLE as u64,
    InternedString = STRING_INTERNED as u64,
    ImmutableArray = ARRAY_IMMUTABLE as u64,
    Expression = CONSTANT_EXPRESSION as u64,
    Indirect = INDIRECT as u64,
    Pointer = POINTER as u64,
    String = STRING_COUNTED as u64,
    Array = ARRAY_COUNTED as u64,
    Object = OBJECT_COUNTED as u64,
    Resource = RESOURCE_COUNTED as u64,
    Reference = REFERENCE_COUNTED as u64,
}

const _: () = assert!(size_of::<Value>() == 16 && align_of::<Value>() == align_of::<Zval>());
const _: () = assert!(size_of::<PhpResult<Option<Value>>>() == 16);
const _: () = assert!(std::mem::offset_of!(Value, word) == std::mem::offset_of!(Zval, type_info));
const _: () = assert!(cfg!(target_endian = "little"));

/// A borrowed look at a value, references followed.
#[derive(Debug, Clone, Copy)]
pub enum ValueKind<'a> {
    /// `null`, also an undefined value
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Long(i64),
    /// `float`
    Double(f64),
    /// `string`
    String(&'a PhpString),
    /// `array`
    Array(&'a PhpArray),
    /// `object`
    Object(&'a PhpObject),
    /// `resource`
    Resource(&'a PhpResource),
}

impl Zval {
    /// A borrowed look at the value, references followed. Internal kinds read as `null`.
    #[inline]
    pub fn view(&self) -> ValueKind<'_> {
        let value = self.deref();
        // SAFETY: I3: the payload of each kind is live as long as the value.
        unsafe {
            match value.kind() {
                FALSE => ValueKind::Bool(false),
                TRUE => ValueKind::Bool(true),
                LONG => ValueKind::Long(value.long()),
                DOUBLE => ValueKind::Double(value.double()),
                STRING => ValueKind::String(&*value.string()),
                ARRAY => ValueKind::Array(&*value.array()),
                OBJECT => ValueKind::Object(&*value.object()),
                RESOURCE => ValueKind::Resource(&*value.resource()),
                _ => ValueKind::Null,
            }
        }
    }

    /// The bytes, if this is a string (references followed).
    #[inline]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self.view() {
            ValueKind::String(string) => Some(string.as_bytes()),
            _ => None,
        }
    }
}

impl Value {
    /// `null`
    pub const NULL: Value = Value::of(Zval::NULL);
    /// No value: "argument not given", "nothing found".
    pub const UNDEF: Value = Value::of(Zval::UNDEF);

    #[inline(always)]
    const fn of(zval: Zval) -> Value {
        // A frame keeps flags of its own in the type word of `$this`.
        const KNOWN: u32 = 0xff | REFCOUNTED | COLLECTABLE;
        // SAFETY: I3: the rest of a type word is one of those that values have; any payload is a pointer's bits.
        unsafe {
            Value {
                payload: zval.payload.pointer,
                word: std::mem::transmute::<u64, Word>((zval.type_info & KNOWN) as u64),
                pinned: PhantomPinned,
            }
        }
    }

    /// Takes over the share that `zval` holds.
    ///
    /// # Safety
    /// The caller gives up the share (invariant I3).
    #[inline(always)]
    pub const unsafe fn from_zval(zval: Zval) -> Value {
        Value::of(zval)
    }

    /// A further share of a value that stands elsewhere, references followed.
    #[inline(always)]
    pub fn share(zval: &Zval) -> Value {
        Value::of(zval.share_deref())
    }

    /// Gives up the value but not its share.
    #[inline(always)]
    pub fn into_zval(self) -> Zval {
        ManuallyDrop::new(self).as_zval().copy()
    }

    /// The plain value, still owned here.
    #[inline(always)]
    pub fn as_zval(&self) -> &Zval {
        // SAFETY: the same layout, as is asserted above.
        unsafe { &*(&raw const *self).cast::<Zval>() }
    }

    /// The plain value for writing; what is overwritten there must be released by the writer, who
    /// leaves `extra` alone.
    #[inline(always)]
    pub fn as_zval_mut(&mut self) -> &mut Zval {
        // SAFETY: the same layout, as is asserted above.
        unsafe { &mut *(&raw mut *self).cast::<Zval>() }
    }

    /// True for [`Value::UNDEF`].
    pub fn is_undef(&self) -> bool {
        self.as_zval().kind() == UNDEF
    }

    /// True for `null`, references followed.
    pub fn is_null(&self) -> bool {
        self.as_zval().deref().kind() == NULL
    }

    /// The string, if it is one.
    pub fn string(&self) -> Option<StringHandle> {
        let value = self.as_zval().deref();
        // SAFETY: I3: a string payload is live.
        (value.kind() == STRING).then(|| unsafe { StringHandle::share_raw(value.string()) })
    }

    /// The array, if it is one.
    pub fn array(&self) -> Option<ArrayHandle> {
        let value = self.as_zval().deref();
        // SAFETY: I3: an array payload is live.
        (value.kind() == ARRAY).then(|| unsafe { ArrayHandle::share_raw(value.array()) })
    }

    /// The object, if it is one.
    pub fn object(&self) -> Option<ObjectHandle> {
        let value = self.as_zval().deref();
        // SAFETY: I3: an object payload is live.
        (value.kind() == OBJECT).then(|| unsafe { ObjectHandle::share_raw(value.object()) })
    }
}

impl std::ops::Deref for Value {
    type Target = Zval;

    #[inline(always)]
    fn deref(&self) -> &Zval {
        self.as_zval()
    }
}

impl Clone for Value {
    #[inline(always)]
    fn clone(&self) -> Value {
        Value::of(self.as_zval().share())
    }
}

impl Drop for Value {
    #[inline(always)]
    fn drop(&mut self) {
        debug_assert_eq!(self.as_zval().extra, 0);
        // SAFETY: I3: the value owns its share and is gone after this.
        unsafe { release(self.as_zval()) }
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_zval().fmt(f)
    }
}

impl Default for Value {
    fn default() -> Value {
        Value::NULL
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::of(Zval::from_long(value))
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Value {
        Value::of(Zval::from_long(value as i64))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::of(Zval::from_double(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::of(Zval::from_bool(value))
    }
}

impl From<()> for Value {
    fn from(_: ()) -> Value {
        Value::NULL
    }
}

impl From<StringHandle> for Value {
    fn from(value: StringHandle) -> Value {
        value.into_value()
    }
}

impl From<ArrayHandle> for Value {
    fn from(value: ArrayHandle) -> Value {
        value.into_value()
    }
}

impl From<ObjectHandle> for Value {
    fn from(value: ObjectHandle) -> Value {
        value.into_value()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::NULL, Into::into)
    }
}
