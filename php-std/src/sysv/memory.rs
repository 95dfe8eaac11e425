//! A segment of shared memory in the address space.

use std::collections::HashMap;

use vm_runtime::limits::{self, Foreign};
use vm_runtime::vm::Vm;

use super::error_number;

/// A segment that is attached until this is dropped. All access goes through bounds and copies: other processes may
/// write at any time.
#[derive(Debug)]
pub(super) struct Segment {
    /// The system's number of it.
    pub(super) id: i32,
    address: *mut u8,
    size: usize,
    /// What counts against the limit of memory, unless [`Created`] has it.
    counted: Option<Foreign>,
}

/// The segments that the script made and has not removed, by their numbers: they take memory whether it is attached to
/// them or not.
#[derive(Debug, Default)]
struct Created(HashMap<i32, Foreign>);

/// The number of the segment of a key; made anew, of `size` bytes, if the flags want that. Otherwise the number of an
/// error.
pub(super) fn find_or_make(vm: &mut Vm, key: i32, size: usize, flags: i32) -> Result<i32, i32> {
    // SAFETY: the system checks the numbers.
    let get = |size, flags| match unsafe { libc::shmget(key, size, flags) } {
        -1 => Err(error_number()),
        id => Ok(id),
    };
    let is_there = key != libc::IPC_PRIVATE && get(0, 0).is_ok();
    if is_there || flags & libc::IPC_CREAT == 0 {
        return get(size, flags);
    }
    limits::reserve(size);
    let id = get(size, flags)?;
    let created = vm.extensions.state::<Created>();
    created.0.insert(id, Foreign::new(size));
    Ok(id)
}

/// The size of a segment, or the number of an error.
pub(super) fn size_of(id: i32) -> Result<usize, i32> {
    // SAFETY: the structure is for the system to fill.
    unsafe {
        let mut about: libc::shmid_ds = std::mem::zeroed();
        match libc::shmctl(id, libc::IPC_STAT, &mut about) {
            0 => Ok(about.shm_segsz),
            _ => Err(error_number()),
        }
    }
}

impl Segment {
    /// Attaches a segment.
    pub(super) fn attach(vm: &mut Vm, id: i32, is_read_only: bool) -> Result<Segment, i32> {
        let size = size_of(id)?;
        let is_counted = vm.extensions.state::<Created>().0.contains_key(&id);
        if !is_counted {
            limits::reserve(size);
        }
        let flags = if is_read_only { libc::SHM_RDONLY } else { 0 };
        // SAFETY: the system chooses the address.
        let address = unsafe { libc::shmat(id, std::ptr::null(), flags) };
        if address.addr() == usize::MAX {
            return Err(error_number());
        }
        Ok(Segment {
            id,
            address: address.cast(),
            size,
            counted: (!is_counted).then(|| Foreign::new(size)),
        })
    }

    /// Removes the segment from the system: nobody else attaches it from now on. Otherwise the number of an error.
    pub(super) fn remove(&mut self, vm: &mut Vm) -> Result<(), i32> {
        // SAFETY: the system checks the number.
        if unsafe { libc::shmctl(self.id, libc::IPC_RMID, std::ptr::null_mut()) } != 0 {
            return Err(error_number());
        }
        // It is there as long as it is attached.
        let created = vm.extensions.state::<Created>().0.remove(&self.id);
        self.counted = self.counted.take().or(created);
        Ok(())
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// A copy of bytes; none if they are not inside.
    pub(super) fn read(&self, at: usize, count: usize) -> Option<Vec<u8>> {
        if at.checked_add(count)? > self.size {
            return None;
        }
        limits::reserve(count);
        let mut bytes = vec![0; count];
        // SAFETY: the segment is attached, and the bytes are inside of it.
        unsafe {
            self.address
                .add(at)
                .copy_to_nonoverlapping(bytes.as_mut_ptr(), count)
        };
        Some(bytes)
    }

    /// Writes bytes that are inside, to a segment that is not only for reading; false if they are not.
    pub(super) fn write(&mut self, at: usize, bytes: &[u8]) -> bool {
        if at
            .checked_add(bytes.len())
            .is_none_or(|end| end > self.size)
        {
            return false;
        }
        // SAFETY: as above, and the caller attached it for writing.
        unsafe {
            self.address
                .add(at)
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len())
        };
        true
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: it was attached at this address, once.
        unsafe { libc::shmdt(self.address.cast()) };
    }
}
