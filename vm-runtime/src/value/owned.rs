//! [`Value`]: an owned PHP value for Rust code.

use std::marker::PhantomPinned;
use std::mem::ManuallyDrop;

use crate::array::PhpArray;
use crate::object::PhpObject;
use crate::string::PhpString;
use crate::value::{
    ARRAY, ArrayHandle, DOUBLE, FALSE, LONG, NULL, OBJECT, ObjectHandle, Payload, PhpResource,
    RESOURCE, STRING, StringHandle, TRUE, UNDEF, Zval, release,
};
use crate::vm::PhpResult;

/// An owned PHP value: cloning shares counted payloads, dropping releases them.
///
/// It is laid out as a [`Zval`] whose `extra` is known to be 0, so that an `Option` or a result of it
/// takes no more room: functions give it in two registers.
#[repr(C)]
pub struct Value {
    payload: Payload,
    type_info: u32,
    extra: Nothing,
    pinned: PhantomPinned,
}

/// What stands in place of [`Zval::extra`].
#[repr(u32)]
#[derive(Clone, Copy)]
enum Nothing {
    Zero = 0,
}

const _: () = assert!(size_of::<Value>() == 16 && align_of::<Value>() == align_of::<Zval>());
const _: () = assert!(size_of::<PhpResult<Option<Value>>>() == 16);
const _: () = assert!(std::mem::offset_of!(Value, type_info) == 8);
const _: () = assert!(std::mem::offset_of!(Value, extra) == 12);

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
        Value {
            payload: zval.payload,
            type_info: zval.type_info,
            extra: Nothing::Zero,
            pinned: PhantomPinned,
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
