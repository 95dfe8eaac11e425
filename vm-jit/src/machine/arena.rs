//! Memory for machine code: one file in memory, mapped twice, so that no page is ever writable
//! and executable at once.

use std::collections::BTreeMap;
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

/// Where code reaches the program, and what it allocates behind itself, by their distance: places below the program.
fn places_nearby(bytes: usize) -> impl Iterator<Item = usize> {
    let program = (Arena::new as *const () as usize) & !(PAGE - 1);
    (1..=MOST_PLACES).filter_map(move |place| {
        let distance = PROGRAM.checked_add(place.checked_mul(bytes)?)?;
        program
            .checked_sub(distance)
            .filter(|place| *place >= PROGRAM)
    })
}

const PAGE: usize = 4096;
/// The program's code is shorter.
const PROGRAM: usize = 1 << 27;
/// So many arenas may stand nearby.
const MOST_PLACES: usize = 8;

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
            let map = |hint: usize, protection, flags| {
                let flags = libc::MAP_SHARED | flags;
                libc::mmap(hint as *mut _, bytes, protection, flags, file, 0)
            };
            let sized = libc::ftruncate(file, bytes as libc::off_t) == 0;
            let writable = map(0, libc::PROT_READ | libc::PROT_WRITE, 0);
            let protection = libc::PROT_READ | libc::PROT_EXEC;
            let mut close = places_nearby(bytes)
                .map(|hint| map(hint, protection, libc::MAP_FIXED_NOREPLACE))
                .filter(|place| *place != libc::MAP_FAILED);
            let executable = close.next().unwrap_or_else(|| map(0, protection, 0));
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

    /// Places code that may stand anywhere.
    pub fn place(&mut self, code: &[u8]) -> Result<*const u8, ArenaError> {
        let start = self.reserve(code.len())?;
        self.write(start, code);
        Ok(start as *const u8)
    }

    /// Sets so many bytes aside. Gives where they will be executed.
    pub fn reserve(&mut self, bytes: usize) -> Result<usize, ArenaError> {
        let bytes = bytes.next_multiple_of(ALIGNMENT);
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
        Ok(self.mapping.executable as usize + start)
    }

    /// Writes code to bytes that were set aside for it, which nobody executes yet.
    ///
    /// # Panics
    /// It does not lie in the arena.
    pub fn write(&mut self, start: usize, code: &[u8]) {
        let offset = start - self.mapping.executable as usize;
        assert!(offset + code.len() <= self.used, "code has its place");
        // SAFETY: the mapping has room for the code.
        unsafe {
            let target = self.mapping.writable.add(offset);
            std::ptr::copy_nonoverlapping(code.as_ptr(), target, code.len());
        }
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
    use super::super::Reach;
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
    fn code_stands_where_it_reaches_the_program() {
        let arena = Arena::new(1 << 20).unwrap();
        let reach = Reach {
            start: arena.next() as u64,
            size: 1 << 20,
        };
        assert!(reach.is_near(Arena::new as *const () as u64));
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
