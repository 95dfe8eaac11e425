//! A segment of shared memory in the address space.

use super::error_number;

/// A segment that is attached until this is dropped. All access goes through bounds and copies: other processes may
/// write at any time.
#[derive(Debug)]
pub(super) struct Segment {
    /// The system's number of it.
    pub(super) id: i32,
    address: *mut u8,
    size: usize,
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
    pub(super) fn attach(id: i32, is_read_only: bool) -> Result<Segment, i32> {
        let size = size_of(id)?;
        let flags = if is_read_only { libc::SHM_RDONLY } else { 0 };
        // SAFETY: the system chooses the address.
        let address = unsafe { libc::shmat(id, std::ptr::null(), flags) };
        if address.addr() == usize::MAX {
            return Err(error_number());
        }
        let address = address.cast();
        Ok(Segment { id, address, size })
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// A copy of bytes; none if they are not inside.
    pub(super) fn read(&self, at: usize, count: usize) -> Option<Vec<u8>> {
        if at.checked_add(count)? > self.size {
            return None;
        }
        vm_runtime::limits::reserve(count);
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
