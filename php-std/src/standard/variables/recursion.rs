//! Marks on values that are being visited.

use vm_runtime::value::{ArrayHandle, HEADER_PROTECTED, Header, ObjectHandle};

/// A mark on a value; it goes away with the guard.
#[derive(Debug)]
pub(crate) struct Visit(*mut Header);

/// A value that can be marked.
pub(crate) trait Visited {
    /// Its header.
    fn header(&self) -> *mut Header;
}

impl Visited for ArrayHandle {
    fn header(&self) -> *mut Header {
        // SAFETY: I3: a handle's target is live.
        unsafe { &raw mut (*self.as_ptr()).header }
    }
}

impl Visited for ObjectHandle {
    fn header(&self) -> *mut Header {
        // SAFETY: I3: a handle's target is live.
        unsafe { &raw mut (*self.as_ptr()).header }
    }
}

impl Visit {
    /// Marks a value, of which the caller keeps a share; `None` if it is marked already.
    pub(crate) fn start(value: &impl Visited) -> Option<Visit> {
        let header = value.header();
        // SAFETY: I3: the caller has a share.
        unsafe {
            if (*header).is_immutable() {
                // Cannot contain itself.
                return Some(Visit(std::ptr::null_mut()));
            }
            if (*header).type_info & HEADER_PROTECTED != 0 {
                return None;
            }
            (*header).type_info |= HEADER_PROTECTED;
        }
        Some(Visit(header))
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: I3: the share that the visit started with is still there.
            unsafe { (*self.0).type_info &= !HEADER_PROTECTED };
        }
    }
}
