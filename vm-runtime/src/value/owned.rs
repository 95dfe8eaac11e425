//! [`Value`]: an owned PHP value for Rust code.

use std::mem::ManuallyDrop;

use crate::array::PhpArray;
use crate::object::PhpObject;
use crate::string::PhpString;
use crate::value::{
    ARRAY, ArrayHandle, DOUBLE, FALSE, LONG, NULL, OBJECT, ObjectHandle, PhpResource, RESOURCE,
    STRING, StringHandle, TRUE, UNDEF, Zval, release,
};

/// An owned PHP value: cloning shares counted payloads, dropping releases them.
#[repr(transparent)]
pub struct Value(Zval);

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
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self.view() {
            ValueKind::String(string) => Some(string.as_bytes()),
            _ => None,
        }
    }
}

impl Value {
    /// `null`
    pub const NULL: Value = Value(Zval::NULL);
    /// No value: "argument not given", "nothing found".
    pub const UNDEF: Value = Value(Zval::UNDEF);

    /// Takes over the share that `zval` holds.
    ///
    /// # Safety
    /// The caller gives up the share (invariant I3).
    #[inline(always)]
    pub const unsafe fn from_zval(zval: Zval) -> Value {
        Value(zval)
    }

    /// A further share of a value that stands elsewhere, references followed.
    #[inline(always)]
    pub fn share(zval: &Zval) -> Value {
        Value(zval.share_deref())
    }

    /// Gives up the value but not its share.
    #[inline(always)]
    pub fn into_zval(self) -> Zval {
        ManuallyDrop::new(self).0
    }

    /// The plain value, still owned here.
    #[inline(always)]
    pub fn as_zval(&self) -> &Zval {
        &self.0
    }

    /// The plain value for writing; what is overwritten there must be released by the writer.
    #[inline(always)]
    pub fn as_zval_mut(&mut self) -> &mut Zval {
        &mut self.0
    }

    /// True for [`Value::UNDEF`].
    pub fn is_undef(&self) -> bool {
        self.0.kind() == UNDEF
    }

    /// True for `null`, references followed.
    pub fn is_null(&self) -> bool {
        self.0.deref().kind() == NULL
    }

    /// The string, if it is one.
    pub fn string(&self) -> Option<StringHandle> {
        let value = self.0.deref();
        // SAFETY: I3: a string payload is live.
        (value.kind() == STRING).then(|| unsafe { StringHandle::share_raw(value.string()) })
    }

    /// The array, if it is one.
    pub fn array(&self) -> Option<ArrayHandle> {
        let value = self.0.deref();
        // SAFETY: I3: an array payload is live.
        (value.kind() == ARRAY).then(|| unsafe { ArrayHandle::share_raw(value.array()) })
    }

    /// The object, if it is one.
    pub fn object(&self) -> Option<ObjectHandle> {
        let value = self.0.deref();
        // SAFETY: I3: an object payload is live.
        (value.kind() == OBJECT).then(|| unsafe { ObjectHandle::share_raw(value.object()) })
    }
}

impl std::ops::Deref for Value {
    type Target = Zval;

    #[inline(always)]
    fn deref(&self) -> &Zval {
        &self.0
    }
}

impl Clone for Value {
    #[inline(always)]
    fn clone(&self) -> Value {
        Value(self.0.share())
    }
}

impl Drop for Value {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: I3: the value owns its share and is gone after this.
        unsafe { release(&self.0) }
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Default for Value {
    fn default() -> Value {
        Value::NULL
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value(Zval::from_long(value))
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Value {
        Value(Zval::from_long(value as i64))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value(Zval::from_double(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value(Zval::from_bool(value))
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
