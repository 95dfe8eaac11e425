//! Finding elements.

use super::{HAS_INDIRECT, INVALID, KeyRef, PhpArray};
use crate::string::{PhpString, are_equal, hash_bytes};
use crate::value::{INDIRECT, Zval};

impl PhpArray {
    /// The element with an integer key.
    #[inline(always)]
    pub fn get_long(&self, key: i64) -> Option<&Zval> {
        // SAFETY: I5: positions below `used` are initialised.
        unsafe {
            if self.is_packed() {
                if (key as u64) < self.used as u64 {
                    let value = self.values().add(key as usize);
                    return if (*value).is_undef() {
                        None
                    } else {
                        Some(&*value)
                    };
                }
                return None;
            }
            self.find_long(key)
                .map(|index| &(*self.buckets().add(index as usize)).value)
        }
    }

    /// The element with a string key, which must not be a decimal integer.
    #[inline]
    pub fn get_string(&self, key: &PhpString) -> Option<&Zval> {
        if self.is_packed() {
            return None;
        }
        // SAFETY: I5: `find_string` gives an initialised entry.
        let value = unsafe { &(*self.buckets().add(self.find_string(key)? as usize)).value };
        self.resolve(value)
    }

    /// As [`PhpArray::get_string`], by bytes.
    #[inline]
    pub fn get_bytes(&self, key: &[u8]) -> Option<&Zval> {
        if self.is_packed() {
            return None;
        }
        // SAFETY: I5: `find_bytes` gives an initialised entry.
        let value = unsafe { &(*self.buckets().add(self.find_bytes(key)? as usize)).value };
        self.resolve(value)
    }

    /// The element with a key of either kind.
    #[inline]
    pub fn get(&self, key: KeyRef<'_>) -> Option<&Zval> {
        match key {
            KeyRef::Long(key) => self.get_long(key),
            KeyRef::String(key) => self.get_string(key),
        }
    }

    /// Follows INDIRECT entries of symbol and property tables.
    #[inline(always)]
    fn resolve<'a>(&'a self, value: &'a Zval) -> Option<&'a Zval> {
        if self.flags & HAS_INDIRECT != 0 && value.kind() == INDIRECT {
            // SAFETY: I6: an INDIRECT in a symbol table points to a live slot.
            let target = unsafe { &*value.indirect() };
            return if target.is_undef() {
                None
            } else {
                Some(target)
            };
        }
        Some(value)
    }

    /// Position of an integer key in a hash array.
    #[inline(always)]
    pub(crate) fn find_long(&self, key: i64) -> Option<u32> {
        // SAFETY: I5: chains lead through initialised buckets.
        unsafe {
            let mut index = *self.head(key as u64);
            while index != INVALID {
                let bucket = self.buckets().add(index as usize);
                if (*bucket).hash == key as u64 && (*bucket).key.is_null() {
                    return Some(index);
                }
                index = (*bucket).value.extra;
            }
            None
        }
    }

    /// Position of a string key in a hash array.
    #[inline(always)]
    pub(crate) fn find_string(&self, key: &PhpString) -> Option<u32> {
        let hash = key.hash();
        // SAFETY: I5: chains lead through initialised buckets.
        unsafe {
            let mut index = *self.head(hash);
            while index != INVALID {
                let bucket = self.buckets().add(index as usize);
                if std::ptr::eq((*bucket).key, key)
                    || (*bucket).hash == hash
                        && !(*bucket).key.is_null()
                        && (*(*bucket).key).equals_inline(key)
                {
                    return Some(index);
                }
                index = (*bucket).value.extra;
            }
            None
        }
    }

    /// Position of a string key whose hash was computed before. Makes no call: for fast paths.
    #[inline(always)]
    pub(crate) fn find_hashed_string(&self, key: *mut PhpString) -> Option<u32> {
        // SAFETY: I3 for the key; I5: chains lead through initialised buckets.
        unsafe {
            let hash = (*key).hash_made();
            let mut index = *self.head(hash);
            while index != INVALID {
                let bucket = self.buckets().add(index as usize);
                if (*bucket).key == key
                    || (*bucket).hash == hash
                        && !(*bucket).key.is_null()
                        && (*(*bucket).key).equals_inline(&*key)
                {
                    return Some(index);
                }
                index = (*bucket).value.extra;
            }
            None
        }
    }

    /// Position of a string key that is this very string, as literals mostly are; None says
    /// nothing. The hash was computed before.
    #[inline(always)]
    pub(crate) fn find_same_string(&self, key: *mut PhpString) -> Option<u32> {
        // SAFETY: I3 for the key; I5: chains lead through initialised buckets.
        unsafe {
            let mut index = *self.head((*key).hash_made());
            while index != INVALID {
                let bucket = self.buckets().add(index as usize);
                if (*bucket).key == key {
                    return Some(index);
                }
                index = (*bucket).value.extra;
            }
            None
        }
    }

    /// Position of a string key, as far as it can be told by its address and its hash: `Some(None)`
    /// says that there is none, `None` nothing. Makes no call: for fast paths.
    #[inline(always)]
    pub(crate) fn find_by_hash(&self, key: *mut PhpString) -> Option<Option<u32>> {
        // SAFETY: I3 for the key; I5: chains lead through initialised buckets.
        unsafe {
            let hash = (*key).hash_made();
            let mut index = *self.head(hash);
            while index != INVALID {
                let bucket = self.buckets().add(index as usize);
                if (*bucket).key == key {
                    return Some(Some(index));
                }
                if (*bucket).hash == hash {
                    return None;
                }
                index = (*bucket).value.extra;
            }
            (hash != 0).then_some(None)
        }
    }

    /// Position of a string key, by bytes.
    pub(crate) fn find_bytes(&self, key: &[u8]) -> Option<u32> {
        let hash = hash_bytes(key);
        // SAFETY: I5: chains lead through initialised buckets.
        unsafe {
            let mut index = *self.head(hash);
            while index != INVALID {
                let bucket = self.buckets().add(index as usize);
                if (*bucket).hash == hash
                    && !(*bucket).key.is_null()
                    && are_equal((*(*bucket).key).as_bytes(), key)
                {
                    return Some(index);
                }
                index = (*bucket).value.extra;
            }
            None
        }
    }

    /// Position of a key of either kind.
    pub fn position_of(&self, key: KeyRef<'_>) -> Option<u32> {
        match key {
            KeyRef::Long(key) if self.is_packed() => {
                self.get_long(key).is_some().then_some(key as u32)
            }
            KeyRef::Long(key) => self.find_long(key),
            KeyRef::String(_) if self.is_packed() => None,
            KeyRef::String(key) => self.find_string(key),
        }
    }
}

/// The integer that a string key stands for, if it is a decimal integer in canonical form
/// (`"12"`, `"-3"`; not `"012"`, `"-0"`, `"1e2"` nor anything beyond `int`).
#[inline]
pub fn integer_key(bytes: &[u8]) -> Option<i64> {
    let (first, last) = (*bytes.first()?, *bytes.last()?);
    if first > b'9' || last > b'9' || bytes.len() > 20 {
        return None;
    }
    let (negative, digits) = match first {
        b'-' => (true, &bytes[1..]),
        _ => (false, bytes),
    };
    match digits {
        [] => return None,
        [b'0'] => return if negative { None } else { Some(0) },
        [b'0', ..] => return None,
        _ => {}
    }
    let mut value = 0i64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        let digit = (digit - b'0') as i64;
        value = value.checked_mul(10)?;
        value = if negative {
            value.checked_sub(digit)?
        } else {
            value.checked_add(digit)?
        };
    }
    Some(value)
}
