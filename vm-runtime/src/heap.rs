//! The size-class heap of one VM, counted against `memory_limit`.
//!
//! Memory comes in chunks of 2 MiB, aligned to their size, whose first page is a [`ChunkHeader`]
//! with a pointer back to the heap. So a value can be freed, or an array can grow, by its address
//! alone: no global state, and no VM pointer in every destructor. Requests of up to 3072 bytes are
//! served from free lists by size class; larger ones from runs of 4 KiB pages; those above a
//! chunk from a mapping of their own that has the same kind of header.
//!
//! Running over the limit is a fatal error of the script: the heap unwinds with [`Bailout`], which
//! the native entry to the interpreter catches.

#[cfg(debug_assertions)]
mod injection;
#[cfg(debug_assertions)]
mod leaks;
#[cfg(debug_assertions)]
mod poison;
mod unused;

#[cfg(debug_assertions)]
pub use injection::{fail_allocation, made_allocations};
#[cfg(debug_assertions)]
pub use leaks::left_alive;

use std::cell::Cell;
use std::ptr::{NonNull, null_mut};

use crate::array::IteratorTable;
use crate::vm::Vm;

/// Size and alignment of a chunk, in bytes.
pub const CHUNK_SIZE: usize = 2 << 20;
const PAGE_SIZE: usize = 4096;
/// Bytes that are asked of the system at once.
const POPULATED: usize = 16 * PAGE_SIZE;
const PAGES: usize = CHUNK_SIZE / PAGE_SIZE;
/// Requests above this many bytes are served in whole pages.
pub(crate) const SMALL_LIMIT: usize = 3072;
const LARGE_LIMIT: usize = CHUNK_SIZE - PAGE_SIZE;
/// What the report that the limit was reached may use beyond the limit.
const REPORT_ROOM: usize = 2 * CHUNK_SIZE;
/// What there is beyond the limit once it was reached: what the script held may still be held, and shutdown functions
/// are there to tell of it. PHP has as much where its last chunk is not full.
const LAST_ROOM: usize = CHUNK_SIZE;

/// Element sizes of the classes: four steps to each power of two, as most allocators have it.
const CLASS_SIZE: [u16; 30] = [
    8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640,
    768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072,
];
/// Pages taken at once to refill a class: chosen so that little of the run is left over.
const CLASS_PAGES: [u8; 30] = [
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 3, 1, 1, 5, 3, 2, 2, 5, 3, 7, 4, 5, 3,
];
const CLASSES: usize = CLASS_SIZE.len();

/// Class of each request size, in steps of 8 bytes.
static CLASS_OF: [u8; SMALL_LIMIT / 8 + 1] = {
    let mut table = [0u8; SMALL_LIMIT / 8 + 1];
    let mut step = 0;
    let mut class = 0;
    while step < table.len() {
        while (CLASS_SIZE[class] as usize) < step * 8 {
            class += 1;
        }
        table[step] = class as u8;
        step += 1;
    }
    table
};

/// What a page of a chunk is used for.
const PAGE_FREE: u16 = 0;
/// First page of a large run; the run's length is in `run_length`.
const PAGE_LARGE: u16 = 1;
/// Later page of a large run.
const PAGE_TAIL: u16 = 2;
/// Page of a small run: `PAGE_SMALL + class`.
const PAGE_SMALL: u16 = 16;

/// The payload with which a fatal error, reported already, or an `exit` that no frame is left to hear of unwinds to
/// the interpreter's native entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bailout {
    /// A fatal error.
    Failure,
    /// An `exit`, which has said what the exit status is.
    Exit,
}

/// Unwinds to the innermost native entry of the interpreter without a panic message.
///
/// Handles drop on the way, but nothing is destroyed (see [`crate::value::destroy`]): what they
/// held stays in the heap until that goes as a whole.
pub fn bail_out() -> ! {
    std::panic::resume_unwind(Box::new(Bailout::Failure))
}

#[repr(C)]
struct ChunkHeader {
    heap: *mut Heap,
    /// Zero for a chunk of pages, else the mapped size of a huge block.
    huge_size: usize,
    next: *mut ChunkHeader,
    previous: *mut ChunkHeader,
    free_pages: usize,
    page: [u16; PAGES],
    /// Of the first page of a run; for later pages of small runs see `unused.rs`.
    run_length: [u16; PAGES],
    /// By the first page of a run, while unused runs are looked for; else zero.
    free_blocks: [u16; PAGES],
}

const _: () = assert!(size_of::<ChunkHeader>() <= PAGE_SIZE);

#[repr(C)]
struct FreeElement {
    next: *mut FreeElement,
}

/// The heap of one VM. It never moves: chunks point back to it.
#[derive(Debug)]
pub struct Heap {
    free: [*mut FreeElement; CLASSES],
    chunks: *mut ChunkHeader,
    huge: *mut ChunkHeader,
    /// Bytes handed out, rounded up to class sizes.
    used: usize,
    peak: usize,
    /// The part of the first chunk that no page was taken from yet, and its end.
    untouched: (usize, usize),
    /// Bytes mapped from the system.
    mapped: usize,
    mapped_peak: usize,
    /// Native memory that counted for this heap when a thread last left it, see
    /// [`crate::limits`].
    pub(crate) native: usize,
    /// What the thread that runs the VM held besides that.
    pub(crate) native_base: isize,
    limit: usize,
    /// What may be used beyond the limit: [`REPORT_ROOM`] while it is reported that it was reached, and then
    /// [`LAST_ROOM`].
    room: usize,
    live: usize,
    /// What was freed last, not to be used again soon.
    #[cfg(debug_assertions)]
    quarantine: poison::Quarantine,
    /// Set once a fatal error has unwound: values are no longer released one by one.
    abandoned: Cell<bool>,
    /// The VM that owns this heap; destructors run there.
    pub(crate) vm: *mut Vm,
    /// Positions of running `foreach` loops over arrays, and of native code that walks so, moved along when an array
    /// is rebuilt.
    pub iterators: IteratorTable,
    /// Nesting of values being destroyed, see [`crate::value::release`].
    pub(crate) destroy_depth: u32,
    /// Finds garbage that counts do not.
    pub collector: crate::collector::Collector,
    /// Counted values whose destruction was put off because the nesting was too deep.
    pub(crate) put_off: Vec<*mut crate::value::Header>,
    /// The live resources by number.
    pub resources: std::collections::BTreeMap<i64, *mut crate::value::PhpResource>,
}

impl Heap {
    /// A heap without chunks, limited to `limit` bytes.
    pub fn new(limit: usize) -> Heap {
        Heap {
            free: [null_mut(); CLASSES],
            chunks: null_mut(),
            huge: null_mut(),
            used: 0,
            peak: 0,
            untouched: (0, 0),
            mapped: 0,
            mapped_peak: 0,
            native: 0,
            native_base: 0,
            limit,
            room: 0,
            live: 0,
            #[cfg(debug_assertions)]
            quarantine: Default::default(),
            abandoned: Cell::new(false),
            vm: null_mut(),
            resources: std::collections::BTreeMap::new(),
            iterators: IteratorTable::default(),
            destroy_depth: 0,
            collector: Default::default(),
            put_off: Vec::new(),
        }
    }

    /// The heap that `pointer` was allocated from.
    ///
    /// # Safety
    /// `pointer` is the start of a live allocation of a [`Heap`] (invariant I2).
    #[inline(always)]
    pub unsafe fn of<'a, T>(pointer: *const T) -> &'a mut Heap {
        let chunk = (pointer as usize & !(CHUNK_SIZE - 1)) as *const ChunkHeader;
        // SAFETY: I2: every allocation lies in a chunk that starts with a header.
        unsafe { &mut *(*chunk).heap }
    }

    /// Bytes in use, as `memory_get_usage()` counts them.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The most bytes that were in use at once.
    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Bytes mapped from the system, as `memory_get_usage(true)` counts them.
    pub fn mapped(&self) -> usize {
        self.mapped
    }

    /// The most bytes that were mapped at once.
    pub fn mapped_peak(&self) -> usize {
        self.mapped_peak
    }

    /// Number of live allocations; zero after a clean shutdown.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Forgets the peaks (`memory_reset_peak_usage()`).
    pub fn reset_peak(&mut self) {
        self.peak = self.used;
        self.mapped_peak = self.mapped;
    }

    /// Sets `memory_limit` in bytes; returns false if more than that is mapped already.
    pub fn set_limit(&mut self, limit: usize) -> bool {
        if limit < self.mapped {
            return false;
        }
        self.limit = limit;
        self.set_ceiling();
        true
    }

    /// `memory_limit` in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// From now on nothing is released one by one; the heap goes as a whole.
    pub fn abandon(&self) {
        self.abandoned.set(true);
    }

    /// True after a fatal error unwound.
    #[inline]
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.get()
    }

    /// Allocates `size` bytes, aligned to 8 (to 16 from 16 bytes on where the class allows it).
    ///
    /// Over `memory_limit` this reports PHP's fatal error and unwinds with [`Bailout`].
    #[inline(always)]
    pub fn allocate(&mut self, size: usize) -> NonNull<u8> {
        #[cfg(debug_assertions)]
        self.count_allocation(size);
        if size <= SMALL_LIMIT {
            let class = CLASS_OF[size.div_ceil(8)] as usize;
            return self.allocate_class(class);
        }
        self.allocate_large(size)
    }

    #[inline(always)]
    fn allocate_class(&mut self, class: usize) -> NonNull<u8> {
        // SAFETY: I2: `class` is one of the table's; elements of its free list are unused memory of it.
        let list = unsafe { self.free.get_unchecked_mut(class) };
        let element = *list;
        if element.is_null() {
            return self.refill(class);
        }
        // SAFETY: as above.
        *list = unsafe { (*element).next };
        #[cfg(debug_assertions)]
        // SAFETY: I2: as above.
        unsafe {
            poison::check(element.cast(), CLASS_SIZE[class] as usize);
        }
        self.count_up(CLASS_SIZE[class] as usize);
        // SAFETY: checked for null above.
        unsafe { NonNull::new_unchecked(element.cast()) }
    }

    #[inline(always)]
    fn count_up(&mut self, size: usize) {
        self.live += 1;
        self.used += size;
        if self.used > self.peak {
            self.peak = self.used;
        }
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self, class: usize) -> NonNull<u8> {
        self.poll();
        let pages = CLASS_PAGES[class] as usize;
        let size = CLASS_SIZE[class] as usize;
        let run = self.take_pages(pages, PAGE_SMALL + class as u16, size);
        let count = pages * PAGE_SIZE / size;
        // SAFETY: the run is fresh memory of `pages` pages; elements do not overlap.
        unsafe {
            #[cfg(debug_assertions)]
            poison::fill(run, count * size);
            for index in (1..count).rev() {
                let element = run.add(index * size).cast::<FreeElement>();
                (*element).next = self.free[class];
                self.free[class] = element;
            }
        }
        self.count_up(size);
        // SAFETY: a run is never at address zero.
        unsafe { NonNull::new_unchecked(run) }
    }

    #[cold]
    #[inline(never)]
    fn allocate_large(&mut self, size: usize) -> NonNull<u8> {
        self.poll();
        if size > LARGE_LIMIT {
            return self.allocate_huge(size);
        }
        let pages = size.div_ceil(PAGE_SIZE);
        let run = self.take_pages(pages, PAGE_LARGE, size);
        self.count_up(pages * PAGE_SIZE);
        // SAFETY: a run is never at address zero.
        unsafe { NonNull::new_unchecked(run) }
    }

    /// First fit over the chunks. Maps a new chunk when none has room, if that is within the limit or nothing else is
    /// left.
    fn take_pages(&mut self, pages: usize, kind: u16, request: usize) -> *mut u8 {
        if let Some(run) = self.claim_free(pages, kind) {
            return run;
        }
        if !self.has_room(CHUNK_SIZE)
            && self.collect_unused() > 0
            && let Some(run) = self.claim_free(pages, kind)
        {
            return run;
        }
        // SAFETY: I2: the chunk list holds mapped chunks of this heap.
        unsafe {
            let chunk = self.map(CHUNK_SIZE, request);
            (*chunk).huge_size = 0;
            (*chunk).free_pages = PAGES - 1;
            (*chunk).page[0] = PAGE_TAIL;
            (*chunk).next = self.chunks;
            if !self.chunks.is_null() {
                (*self.chunks).previous = chunk;
            }
            self.chunks = chunk;
            claim(chunk, 1, pages, kind)
        }
    }

    /// The first run of free pages that is long enough, now of that kind.
    fn claim_free(&mut self, pages: usize, kind: u16) -> Option<*mut u8> {
        let mut chunk = self.chunks;
        while !chunk.is_null() {
            // SAFETY: I2: the chunk list holds mapped chunks of this heap.
            unsafe {
                if (*chunk).free_pages >= pages
                    && let Some(first) = find_run(&(*chunk).page, pages)
                {
                    let run = claim(chunk, first, pages, kind);
                    self.populate(run as usize + pages * PAGE_SIZE);
                    return Some(run);
                }
                chunk = (*chunk).next;
            }
        }
        None
    }

    /// Has the system provide the pages of the first chunk up to an address, and some behind: a fault for each of them
    /// would take several times as long.
    fn populate(&mut self, end: usize) {
        let (start, last) = self.untouched;
        if end <= start || end > last {
            return;
        }
        let ahead = (start + POPULATED).clamp(end, last);
        self.untouched.0 = ahead;
        // Not all of a large run may be used.
        let bytes = ahead - start;
        if bytes <= 2 * POPULATED {
            let start = start as *mut libc::c_void;
            // SAFETY: advice about our own mapping; a kernel that does not take it changes nothing.
            unsafe { libc::madvise(start, bytes, libc::MADV_POPULATE_WRITE) };
        }
    }

    fn allocate_huge(&mut self, size: usize) -> NonNull<u8> {
        let Some(total) = size.checked_add(PAGE_SIZE + PAGE_SIZE - 1) else {
            self.exhausted(size)
        };
        let total = total & !(PAGE_SIZE - 1);
        let block = self.map(total, size);
        // SAFETY: freshly mapped, at least one page.
        unsafe {
            (*block).huge_size = total;
            (*block).next = self.huge;
            if !self.huge.is_null() {
                (*self.huge).previous = block;
            }
            self.huge = block;
            self.count_up(total - PAGE_SIZE);
            NonNull::new_unchecked(block.cast::<u8>().add(PAGE_SIZE))
        }
    }

    /// Maps `size` bytes at a multiple of [`CHUNK_SIZE`], zeroed, within the limit.
    fn map(&mut self, size: usize, request: usize) -> *mut ChunkHeader {
        self.check_limit(size, request);
        // Mapping more than asked for and giving back both ends yields the alignment.
        let padded = size + CHUNK_SIZE;
        // SAFETY: an anonymous private mapping has no preconditions.
        let base = unsafe {
            libc::mmap(
                null_mut(),
                padded,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            self.exhausted(request);
        }
        let address = base as usize;
        let aligned = address.next_multiple_of(CHUNK_SIZE);
        let tail = address + padded - (aligned + size);
        // SAFETY: both ranges lie in the mapping above and outside the part that is kept.
        unsafe {
            if aligned > address {
                libc::munmap(base, aligned - address);
            }
            if tail > 0 {
                libc::munmap((aligned + size) as *mut libc::c_void, tail);
            }
        }
        // Past the first chunk, which small scripts hardly fill, fewer and larger page faults pay.
        if self.mapped == 0 && size == CHUNK_SIZE {
            self.untouched = (aligned + PAGE_SIZE, aligned + size);
        } else if self.mapped > 0 {
            // SAFETY: advice about our own mapping; a kernel that does not take it changes nothing.
            unsafe { libc::madvise(aligned as *mut libc::c_void, size, libc::MADV_HUGEPAGE) };
        }
        self.mapped += size;
        self.mapped_peak = self.mapped_peak.max(self.mapped);
        self.set_ceiling();
        let chunk = aligned as *mut ChunkHeader;
        // SAFETY: the first page of the mapping is ours.
        unsafe { (*chunk).heap = self };
        chunk
    }

    /// Ends the script if `other` more bytes, of this heap or of native memory, would not fit into
    /// the limit. For native code that is about to allocate much at once; `request` is what the
    /// message says was asked for.
    pub fn check_limit(&mut self, other: usize, request: usize) {
        if !self.has_room(other) && !self.is_abandoned() {
            self.forget_kept_code();
            if !self.has_room(other) {
                self.collect_unused();
            }
            if !self.has_room(other) {
                self.exhausted(request);
            }
        }
    }

    /// What is only kept to be faster goes when memory runs short.
    #[cold]
    fn forget_kept_code(&mut self) {
        if !self.vm.is_null() {
            // SAFETY: I1: the VM outlives its heap and does not move. Code has no values of the heap.
            unsafe { (*self.vm).kept_code.clear() };
        }
    }

    /// True if `other` more bytes fit into the limit.
    pub(crate) fn has_room(&self, other: usize) -> bool {
        // A limit of one chunk, PHP's least, is enough for a script that needs little.
        let native = self
            .native_memory()
            .saturating_sub(crate::limits::NATIVE_ROOM);
        let total = self.mapped.saturating_add(native);
        // The last room is for what is small.
        let allowed = match self.room == LAST_ROOM && other > CHUNK_SIZE {
            true => self.limit,
            false => self.allowed(),
        };
        total.saturating_add(other) <= allowed
    }

    /// What may be used in all.
    pub(crate) fn allowed(&self) -> usize {
        self.limit.saturating_add(self.room)
    }

    fn is_reporting(&self) -> bool {
        self.room == REPORT_ROOM
    }

    /// Whoever allocates looks at the interrupt word now and then: builtins that loop do little else.
    fn poll(&mut self) {
        if !self.vm.is_null() && !self.is_reporting() {
            // SAFETY: I1: the VM outlives its heap and does not move.
            unsafe { (*self.vm).poll() };
        }
    }

    /// If it was the report that the limit was reached that has unwound, a limit holds again. Gives true then.
    pub(crate) fn end_report(&mut self) -> bool {
        let ends = self.is_reporting();
        if ends {
            self.room = LAST_ROOM;
            self.set_ceiling();
        }
        ends
    }

    /// Ends the script because it asked for `request` bytes that it may not have.
    #[cold]
    #[inline(never)]
    pub(crate) fn exhausted(&mut self, request: usize) -> ! {
        if self.vm.is_null() || self.is_reporting() {
            bail_out();
        }
        self.room = REPORT_ROOM;
        let limit = self.limit;
        // In the units of PHP's own allocator.
        let request = request.checked_next_multiple_of(8).unwrap_or(request);
        // SAFETY: I1: the VM outlives its heap and does not move.
        let vm = unsafe { &mut *self.vm };
        // As PHP does: the buffers may be what the memory went into.
        vm.discard_all_buffers();
        vm.fatal_error(&format!(
            "Allowed memory size of {limit} bytes exhausted (tried to allocate {request} bytes)"
        ))
    }

    /// Gives back an allocation.
    ///
    /// # Safety
    /// `pointer` came from [`Heap::allocate`] or [`Heap::reallocate`] of any heap and is not used
    /// afterwards (invariant I2).
    #[inline(always)]
    pub unsafe fn free<T>(pointer: *mut T) {
        let address = pointer as usize;
        let chunk = (address & !(CHUNK_SIZE - 1)) as *mut ChunkHeader;
        // SAFETY: I2: the chunk header describes the page of this allocation.
        unsafe {
            let heap = &mut *(*chunk).heap;
            let page = (address & (CHUNK_SIZE - 1)) / PAGE_SIZE;
            // A huge block has no pages of this kind.
            let kind = (*chunk).page[page];
            if kind >= PAGE_SMALL {
                heap.free_small(pointer.cast(), (kind - PAGE_SMALL) as usize);
            } else {
                heap.free_large(chunk, page);
            }
        }
    }

    /// As [`Heap::free`], for what has the size of `T` and is small.
    ///
    /// # Safety
    /// As for [`Heap::free`]; the allocation was one of the size of `T`.
    #[inline(always)]
    pub(crate) unsafe fn free_sized<T>(pointer: *mut T) {
        const { assert!(size_of::<T>() <= SMALL_LIMIT) };
        // SAFETY: by the caller, the allocation is one of this class, of the heap that the header of
        // its chunk names (I2).
        unsafe {
            let class = CLASS_OF[size_of::<T>().div_ceil(8)] as usize;
            Heap::of(pointer).free_small(pointer.cast(), class);
        }
    }

    /// Puts an element back to the free list of its class.
    #[inline(always)]
    unsafe fn free_small(&mut self, element: *mut FreeElement, class: usize) {
        #[cfg(debug_assertions)]
        // SAFETY: by the caller.
        let element = unsafe { self.quarantine.exchange(element, class) };
        // SAFETY: I2: `class` is one of the table's, and the element is not used any more.
        unsafe {
            if !cfg!(debug_assertions) || !element.is_null() {
                let list = self.free.get_unchecked_mut(class);
                (*element).next = *list;
                *list = element;
            }
            self.used -= *CLASS_SIZE.get_unchecked(class) as usize;
        }
        self.live -= 1;
    }

    #[cold]
    #[inline(never)]
    unsafe fn free_large(&mut self, chunk: *mut ChunkHeader, page: usize) {
        self.live -= 1;
        // SAFETY: I2: `chunk` is a chunk or a huge block of this heap.
        unsafe {
            if (*chunk).huge_size != 0 {
                let size = (*chunk).huge_size;
                self.used -= size - PAGE_SIZE;
                unlink(&mut self.huge, chunk);
                self.unmap(chunk, size);
                return;
            }
            let length = (*chunk).run_length[page] as usize;
            self.used -= length * PAGE_SIZE;
            (&mut (*chunk).page)[page..page + length].fill(PAGE_FREE);
            (*chunk).free_pages += length;
            self.unmap_if_unused(chunk);
        }
    }

    /// Gives a chunk back to the system if all of its pages are free. One is kept, so that a loop around the boundary
    /// does not map and unmap.
    ///
    /// # Safety
    /// `chunk` is a chunk of pages of this heap; afterwards it may be none any more.
    unsafe fn unmap_if_unused(&mut self, chunk: *mut ChunkHeader) {
        // SAFETY: by the caller.
        unsafe {
            if (*chunk).free_pages == PAGES - 1 && self.mapped > 2 * CHUNK_SIZE {
                unlink(&mut self.chunks, chunk);
                self.unmap(chunk, CHUNK_SIZE);
            }
        }
    }

    unsafe fn unmap(&mut self, chunk: *mut ChunkHeader, size: usize) {
        self.mapped -= size;
        self.set_ceiling();
        // SAFETY: the caller unlinked this mapping; nothing points into it any more.
        unsafe { libc::munmap(chunk.cast(), size) };
    }

    /// Usable bytes of an allocation.
    ///
    /// # Safety
    /// As for [`Heap::free`], but the allocation stays alive.
    pub unsafe fn usable_size<T>(pointer: *const T) -> usize {
        let address = pointer as usize;
        let chunk = (address & !(CHUNK_SIZE - 1)) as *const ChunkHeader;
        // SAFETY: I2: the chunk header describes the page of this allocation.
        unsafe {
            if (*chunk).huge_size != 0 {
                return (*chunk).huge_size - PAGE_SIZE;
            }
            let page = (address & (CHUNK_SIZE - 1)) / PAGE_SIZE;
            match (*chunk).page[page] {
                PAGE_LARGE => (*chunk).run_length[page] as usize * PAGE_SIZE,
                kind => CLASS_SIZE[(kind - PAGE_SMALL) as usize] as usize,
            }
        }
    }

    /// Lets a run of pages grow where it is, if the pages behind it are free.
    ///
    /// # Safety
    /// `pointer` is an allocation of this heap.
    unsafe fn extend_run(&mut self, pointer: *mut u8, size: usize) -> bool {
        let chunk = (pointer as usize & !(CHUNK_SIZE - 1)) as *mut ChunkHeader;
        // SAFETY: I2: the chunk header describes the page of this allocation.
        unsafe {
            let first = (pointer as usize & (CHUNK_SIZE - 1)) / PAGE_SIZE;
            if (*chunk).huge_size != 0 {
                return self.extend_huge(chunk, size);
            }
            if (*chunk).page[first] != PAGE_LARGE {
                return false;
            }
            let old = (*chunk).run_length[first] as usize;
            let pages = size.div_ceil(PAGE_SIZE);
            let map = &mut (*chunk).page;
            let Some(behind) = map.get_mut(first + old..first + pages) else {
                return false;
            };
            if behind.iter().any(|&kind| kind != PAGE_FREE) {
                return false;
            }
            behind.fill(PAGE_TAIL);
            (*chunk).run_length[first] = pages as u16;
            (*chunk).free_pages -= pages - old;
            self.used += (pages - old) * PAGE_SIZE;
            self.peak = self.peak.max(self.used);
        }
        true
    }

    /// Lets a mapping of its own grow where it is, if the addresses behind it are free. Over the limit
    /// nothing is done: whoever then allocates anew tells.
    ///
    /// # Safety
    /// `chunk` is the header of a huge allocation of this heap.
    unsafe fn extend_huge(&mut self, chunk: *mut ChunkHeader, size: usize) -> bool {
        // SAFETY: I2: the header is live, and the mapping is as long as it says.
        unsafe {
            let old = (*chunk).huge_size;
            let Some(total) = size.checked_add(PAGE_SIZE + PAGE_SIZE - 1) else {
                return false;
            };
            let total = total & !(PAGE_SIZE - 1);
            if total <= old || !self.has_room(total - old) {
                return false;
            }
            if libc::mremap(chunk.cast(), old, total, 0) == libc::MAP_FAILED {
                return false;
            }
            (*chunk).huge_size = total;
            self.mapped += total - old;
            self.mapped_peak = self.mapped_peak.max(self.mapped);
            self.used += total - old;
            self.peak = self.peak.max(self.used);
        }
        self.set_ceiling();
        true
    }

    /// Grows or shrinks an allocation to `size` bytes, keeping the first `keep` bytes.
    ///
    /// # Safety
    /// As for [`Heap::free`]; `keep` is at most the old and the new size.
    pub unsafe fn reallocate(pointer: *mut u8, size: usize, keep: usize) -> NonNull<u8> {
        // SAFETY: I2, by the caller.
        unsafe {
            let usable = Heap::usable_size(pointer);
            if size <= usable && (usable <= SMALL_LIMIT || size > usable / 2) {
                return NonNull::new_unchecked(pointer);
            }
            let heap = Heap::of(pointer);
            if heap.extend_run(pointer, size) {
                return NonNull::new_unchecked(pointer);
            }
            let fresh = heap.allocate(size);
            std::ptr::copy_nonoverlapping(pointer, fresh.as_ptr(), keep);
            Heap::free(pointer);
            fresh
        }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        #[cfg(debug_assertions)]
        leaks::report(self);
        for list in [self.chunks, self.huge] {
            let mut chunk = list;
            while !chunk.is_null() {
                // SAFETY: the lists hold the mappings of this heap; it is going away with them.
                unsafe {
                    let next = (*chunk).next;
                    let size = match (*chunk).huge_size {
                        0 => CHUNK_SIZE,
                        size => size,
                    };
                    libc::munmap(chunk.cast(), size);
                    chunk = next;
                }
            }
        }
    }
}

fn find_run(map: &[u16; PAGES], pages: usize) -> Option<usize> {
    let mut length = 0;
    for (index, &kind) in map.iter().enumerate().skip(1) {
        length = if kind == PAGE_FREE { length + 1 } else { 0 };
        if length == pages {
            return Some(index + 1 - pages);
        }
    }
    None
}

/// Marks a run as used and returns its first byte.
///
/// # Safety
/// The run is free and lies inside the chunk.
unsafe fn claim(chunk: *mut ChunkHeader, first: usize, pages: usize, kind: u16) -> *mut u8 {
    // SAFETY: by the caller.
    unsafe {
        let rest = if kind == PAGE_LARGE { PAGE_TAIL } else { kind };
        let map = &mut (*chunk).page;
        map[first] = kind;
        map[first + 1..first + pages].fill(rest);
        (*chunk).run_length[first] = pages as u16;
        if kind != PAGE_LARGE {
            unused::note_later_pages(&mut (*chunk).run_length, first, pages);
        }
        (*chunk).free_pages -= pages;
        chunk.cast::<u8>().add(first * PAGE_SIZE)
    }
}

/// Takes `chunk` out of a doubly linked list.
///
/// # Safety
/// `chunk` is in the list that starts at `head`.
unsafe fn unlink(head: &mut *mut ChunkHeader, chunk: *mut ChunkHeader) {
    // SAFETY: by the caller.
    unsafe {
        let (previous, next) = ((*chunk).previous, (*chunk).next);
        if previous.is_null() {
            *head = next;
        } else {
            (*previous).next = next;
        }
        if !next.is_null() {
            (*next).previous = previous;
        }
    }
}
