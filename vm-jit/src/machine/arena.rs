//! Memory for machine code: one file in memory, mapped twice, so that no page is ever writable
//! and executable at once.

use std::collections::BTreeMap;
use std::ptr::null_mut;
use std::sync::Arc;

/// An arena that grows by bumping, where what was freed is used first.
#[derive(Debug)]
pub struct Arena {
    mapping: Arc<Mapping>,
    used: usize,
    /// What is free in between: where it begins, and how long it is.
    holes: BTreeMap<usize, usize>,
}

/// The memory itself. It goes with the last who holds it: who places code, or who executes it.
#[derive(Debug)]
pub struct Mapping {
    writable: *mut u8,
    executable: *const u8,
    bytes: usize,
}

// SAFETY: the addresses are those of the mapping itself, which any thread may use; only the arena writes.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

/// Why there is no executable memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArenaError {
    /// The system does not give any.
    Refused,
    /// `opline.jit_buffer_size` is used up.
    Full,
}

/// Code starts at multiples of this.
const ALIGNMENT: usize = 32;

impl Arena {
    /// Reserves `bytes`; pages are taken when they are first written.
    pub fn new(bytes: usize) -> Result<Arena, ArenaError> {
        let bytes = bytes.max(1).next_multiple_of(64 * 1024);
        // SAFETY: a fresh file in memory, mapped where the system likes; what fails is checked.
        unsafe {
            let file = libc::memfd_create(c"opline-jit".as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 {
                return Err(ArenaError::Refused);
            }
            let map =
                |protection| libc::mmap(null_mut(), bytes, protection, libc::MAP_SHARED, file, 0);
            let sized = libc::ftruncate(file, bytes as libc::off_t) == 0;
            let writable = map(libc::PROT_READ | libc::PROT_WRITE);
            let executable = map(libc::PROT_READ | libc::PROT_EXEC);
            libc::close(file);
            if !sized || writable == libc::MAP_FAILED || executable == libc::MAP_FAILED {
                for mapping in [writable, executable] {
                    if mapping != libc::MAP_FAILED {
                        libc::munmap(mapping, bytes);
                    }
                }
                return Err(ArenaError::Refused);
            }
            let mapping = Arc::new(Mapping {
                writable: writable.cast(),
                executable: executable.cast_const().cast(),
                bytes,
            });
            Ok(Arena {
                mapping,
                used: 0,
                holes: BTreeMap::new(),
            })
        }
    }

    /// Where the next code will be executed, as long as nothing is freed.
    pub fn next(&self) -> *const u8 {
        self.mapping.executable.wrapping_add(self.used)
    }

    /// The memory, to be held by whoever executes code in it.
    pub fn mapping(&self) -> Arc<Mapping> {
        Arc::clone(&self.mapping)
    }

    /// Bytes of code.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Places code.
    pub fn place(&mut self, code: &[u8]) -> Result<*const u8, ArenaError> {
        let bytes = code.len().next_multiple_of(ALIGNMENT);
        let hole = self.holes.iter().find(|(_, size)| **size >= bytes);
        let start = match hole.map(|(start, size)| (*start, *size)) {
            Some((start, size)) => {
                self.holes.remove(&start);
                if size > bytes {
                    self.holes.insert(start + bytes, size - bytes);
                }
                start
            }
            None if bytes <= self.mapping.bytes - self.used => {
                self.used += bytes;
                self.used - bytes
            }
            None => return Err(ArenaError::Full),
        };
        // SAFETY: from here on the mapping has room for the code, which nobody executes yet.
        unsafe {
            let target = self.mapping.writable.add(start);
            std::ptr::copy_nonoverlapping(code.as_ptr(), target, code.len());
        }
        Ok(self.mapping.executable.wrapping_add(start))
    }

    /// Takes back code that was placed at an address and will not be executed again.
    pub fn free(&mut self, address: usize, bytes: usize) {
        let mut start = address - self.mapping.executable as usize;
        let mut bytes = bytes.next_multiple_of(ALIGNMENT);
        if cfg!(debug_assertions) {
            // SAFETY: the code is part of the mapping. Who executes it all the same stops here (`int3`).
            unsafe { self.mapping.writable.add(start).write_bytes(0xcc, bytes) };
        }
        if let Some(behind) = self.holes.remove(&(start + bytes)) {
            bytes += behind;
        }
        let before = self.holes.range(..start).next_back();
        if let Some((&from, &size)) = before
            && from + size == start
        {
            start = from;
            bytes += size;
        }
        match start + bytes == self.used {
            true => {
                self.holes.remove(&start);
                self.used = start;
            }
            false => {
                self.holes.insert(start, bytes);
            }
        }
    }
}

impl Mapping {
    /// All that can be executed, for the unwinder.
    pub fn range(&self) -> (*const u8, usize) {
        (self.executable, self.bytes)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: both mappings were made by `Arena::new` with this size; the VM that executed code
        // of this arena is gone.
        unsafe {
            libc::munmap(self.writable.cast(), self.bytes);
            libc::munmap(self.executable.cast_mut().cast(), self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_placed_and_runs() {
        let mut arena = Arena::new(4096).unwrap();
        // mov eax, 42; ret
        let start = arena.place(&[0xb8, 42, 0, 0, 0, 0xc3]).unwrap();
        // SAFETY: the code above is a function without arguments that returns an `i32`.
        let function: extern "C" fn() -> i32 = unsafe { std::mem::transmute(start) };
        assert_eq!(function(), 42);
        assert_eq!(arena.used(), ALIGNMENT);
    }

    #[test]
    fn what_is_freed_is_used_again() {
        let mut arena = Arena::new(4096).unwrap();
        let place = |arena: &mut Arena, bytes| arena.place(&vec![0x90; bytes]).unwrap() as usize;
        let (one, two) = (place(&mut arena, 100), place(&mut arena, 40));
        let three = place(&mut arena, 10);
        arena.free(one, 100);
        arena.free(two, 40);
        assert_eq!(place(&mut arena, 190), one);
        assert!(place(&mut arena, 1) > three);
        assert_eq!(arena.used(), 192 + 32 + 32);
    }

    #[test]
    fn a_full_arena_says_so() {
        let mut arena = Arena::new(1).unwrap();
        assert!(arena.place(&vec![0x90; 64 * 1024]).is_ok());
        assert_eq!(arena.place(&[0x90]), Err(ArenaError::Full));
    }
}
