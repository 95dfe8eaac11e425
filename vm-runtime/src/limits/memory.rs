//! Memory that is not of a VM's heap: what Rust code allocates for the native parts of objects,
//! streams, compiled code and all it needs meanwhile.
//!
//! A program that installs [`CountingAllocator`] has it counted: each thread knows how much it
//! holds, and while a VM runs on the thread, what that grows by counts against `memory_limit`
//! together with the heap. An allocator can neither unwind nor ask a VM anything, so one that goes
//! over the limit sets a bit of the interrupt word, and the next poll reports PHP's fatal error. What
//! does not poll meets a second limit a little above, where the process ends, if its owner wants
//! that ([`end_process_beyond_limits`]).

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hash::{BuildHasher, Hash};
use std::io::Write;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashMap;

use crate::heap::Heap;
use crate::interpreter::state::interrupt;
use crate::output::{Output, write_descriptor};
use crate::vm::Vm;

/// Native memory that does not count: what a VM has before a script asks for any. So a limit of one
/// chunk, PHP's least, is enough for a script that needs little.
pub(crate) const NATIVE_ROOM: usize = 256 * 1024;

/// How far beyond the limit native memory may go before the process ends.
const HARD_ROOM: isize = 16 << 20;

/// Bytes of a file's name that are told when the process ends.
const LONGEST_PATH: usize = 4096;

/// What a thread holds.
struct Account {
    /// Bytes allocated less those freed. It may be negative: other threads' memory can be freed.
    allocated: Cell<isize>,
    /// Above this the limit of the running VM is reached.
    ceiling: Cell<isize>,
    /// The heap of the VM that runs on this thread, or null.
    heap: Cell<*mut Heap>,
    /// The last request that went beyond the ceiling.
    request: Cell<usize>,
}

thread_local! {
    static ACCOUNT: Account = const {
        Account {
            allocated: Cell::new(0),
            ceiling: Cell::new(isize::MAX),
            heap: Cell::new(null_mut()),
            request: Cell::new(0),
        }
    };
}

/// Whether the process ends when a script goes beyond its limits and does not listen.
static ENDS_PROCESS: AtomicBool = AtomicBool::new(false);

/// Whether the signal for files that are too large is ignored, and was not before.
static SURVIVES_LARGE_FILES: AtomicBool = AtomicBool::new(false);

/// Has the system's allocator give very large blocks back as soon as they are freed. Left to itself it would keep
/// more and more of them, the more it has seen, and a process be much larger than what it uses. For commands.
pub fn give_memory_back() {
    // SAFETY: settings of the allocator; one that does not know them changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
        // Compiling a file frees some megabytes, which the next file that is included wants again: to have each page
        // provided anew would take longer than to use it.
        libc::mallopt(libc::M_TRIM_THRESHOLD, 4 << 20);
        // The thread that compiles takes what the script's has freed.
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Has the system's allocator give back what is free between blocks that are in use: much was freed at once. For
/// commands, whose size is the script's; a host decides for itself.
pub(crate) fn give_all_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if ends_process() {
        // SAFETY: frees nothing that is in use.
        unsafe { libc::malloc_trim(0) };
    }
}

/// Lets the process end, with PHP's message and status, when a script goes well beyond its limits of
/// memory and time without having come to a point where it could be stopped. For commands; a
/// host that has other things to do leaves it.
pub fn end_process_beyond_limits() {
    ENDS_PROCESS.store(true, Ordering::Relaxed);
}

pub(super) fn ends_process() -> bool {
    ENDS_PROCESS.load(Ordering::Relaxed)
}

/// Has writing behind the largest size that the system lets files have fail, where it would end the process with a
/// signal; for commands, as [`end_process_beyond_limits`] is.
pub fn survive_large_files() {
    if !ends_process() {
        return;
    }
    // SAFETY: the signal is ignored only if nobody handles it.
    let before = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    if before == libc::SIG_DFL {
        SURVIVES_LARGE_FILES.store(true, Ordering::Relaxed);
    } else {
        // SAFETY: what it was before.
        unsafe { libc::signal(libc::SIGXFSZ, before) };
    }
}

/// True if [`survive_large_files`] has changed what the signal does.
pub fn survives_large_files() -> bool {
    SURVIVES_LARGE_FILES.load(Ordering::Relaxed)
}

/// Has that signal end the process again: programs that it becomes or starts have not asked to survive. Nothing is done
/// that may not be done between fork and exec.
pub fn end_by_large_files() {
    // SAFETY: a plain system call.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_DFL) };
    SURVIVES_LARGE_FILES.store(false, Ordering::Relaxed);
}

/// Up to so many bytes the system's allocator finds memory faster that need not be zero: what was freed last by
/// this thread.
const SMALL_ZEROED: usize = 1024;

/// Up to so many bytes whoever asks for memory has no other way to go; who wants more asks first, or can do without.
const LITTLE: usize = 4 << 20;

/// The system's allocator, counting. To be installed with `#[global_allocator]`.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

// SAFETY: all requests go to the system's allocator as they are.
unsafe impl GlobalAlloc for CountingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(taken(layout.size()));
        // SAFETY: by the caller.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() > SMALL_ZEROED {
            grown(taken(layout.size()));
            // SAFETY: by the caller.
            return given(unsafe { System.alloc_zeroed(layout) }, layout.size());
        }
        // SAFETY: by the caller; what was allocated has so many bytes.
        unsafe {
            let pointer = self.alloc(layout);
            if !pointer.is_null() {
                pointer.write_bytes(0, layout.size());
            }
            pointer
        }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrunk(taken(layout.size()));
        // SAFETY: by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        shrunk(taken(layout.size()));
        grown(taken(size));
        // SAFETY: by the caller.
        given(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

/// What a request takes of the system's memory: its allocator has a word in front of each block, and
/// blocks of whole pairs of words, two of them at least. Of many small ones it is half as much again.
#[inline(always)]
const fn taken(size: usize) -> usize {
    let whole = (size + size_of::<usize>() + 15) & !15;
    if whole < 32 { 32 } else { whole }
}

/// What the system gave. Few can go on without a small piece of memory, and nobody tells then why the process ended.
#[inline(always)]
fn given(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() {
        refused(size);
    }
    pointer
}

/// Ends the process if the system has not even a little memory left for it, which may be less than the script's limit.
#[cold]
#[inline(never)]
fn refused(size: usize) {
    if size > LITTLE || !ends_process() {
        return;
    }
    let heap = ACCOUNT.try_with(|account| account.heap.get());
    let heap = heap.unwrap_or(null_mut());
    // SAFETY: I1: a VM that is running on this thread lives.
    let output = (!heap.is_null()).then(|| unsafe { &(*(*heap).vm).output });
    end_process(output, 255, |text| {
        writeln!(
            text,
            "\nFatal error: Out of memory (tried to allocate {size} bytes) in Unknown on line 0"
        )
    });
}

#[inline(always)]
fn grown(size: usize) {
    if cfg!(feature = "unlimited") {
        return;
    }
    // No layout is larger than `isize::MAX`. A thread that is ending has no account any more.
    let _ = ACCOUNT.try_with(|account| {
        let allocated = account.allocated.get().saturating_add(size as isize);
        account.allocated.set(allocated);
        if allocated > account.ceiling.get() {
            exceeded(account, size);
        }
    });
}

#[inline(always)]
fn shrunk(size: usize) {
    if cfg!(feature = "unlimited") {
        return;
    }
    let _ = ACCOUNT.try_with(|account| {
        account
            .allocated
            .set(account.allocated.get() - size as isize);
    });
}

/// Asks for a poll; ends the process far beyond the limit.
#[cold]
#[inline(never)]
fn exceeded(account: &Account, size: usize) {
    let heap = account.heap.get();
    if heap.is_null() {
        return;
    }
    account.request.set(size);
    // SAFETY: I1: the VM is running on this thread, and its heap and interrupt word live.
    let vm = unsafe { &*(*heap).vm };
    vm.interrupt
        .fetch_or(interrupt::OUT_OF_MEMORY, Ordering::Relaxed);
    let hard = account.ceiling.get().saturating_add(HARD_ROOM);
    if account.allocated.get() > hard && ends_process() {
        // SAFETY: as above.
        let limit = unsafe { (*heap).limit() };
        let (file, line) = match vm.user_position() {
            // SAFETY: I4: names of files live as long as the code.
            Some((file, line)) => (unsafe { (*file).as_bytes() }, line),
            None => (&b"Unknown"[..], 0),
        };
        end_process(Some(&vm.output), 255, |text| {
            write!(
                text,
                "\nFatal error: Allowed memory size of {limit} bytes exhausted (tried to allocate {size} bytes) in "
            )?;
            text.write_all(&file[..file.len().min(LONGEST_PATH)])?;
            writeln!(text, " on line {line}")
        });
    }
}

/// Ends the process with a message behind what the script has written, without allocating.
pub(super) fn end_process(
    output: Option<&Output>,
    status: i32,
    message: impl FnOnce(&mut &mut [u8]) -> std::io::Result<()>,
) -> ! {
    const ROOM: usize = LONGEST_PATH + 256;
    let mut text = [0; ROOM];
    let mut rest = &mut text[..];
    let written = message(&mut rest).map_or(0, |()| ROOM - rest.len());
    if let Some(output) = output {
        output.send_pending();
    }
    // There is nowhere to report a failure to.
    let _ = write_descriptor(libc::STDOUT_FILENO, &text[..written]);
    // SAFETY: ends the process without running anything else.
    unsafe { libc::_exit(status) }
}

/// What was counted on a thread before a VM began to run there.
#[derive(Debug)]
pub(crate) struct Outer {
    ceiling: isize,
    heap: *mut Heap,
}

/// The VM that runs on this thread.
fn running<'a>() -> Option<&'a mut Vm> {
    let heap = ACCOUNT.with(|account| account.heap.get());
    if heap.is_null() {
        return None;
    }
    // SAFETY: I1: a VM that runs lives, and so does its heap; it is `!Unpin`.
    Some(unsafe { &mut *(*heap).vm })
}

/// [`Vm::poll`] of the VM that runs on this thread, for native code that was not given one.
#[inline]
pub fn poll() {
    if let Some(vm) = running() {
        vm.poll();
    }
}

/// Ends the script before the native stack ends: for native code that recurses and cannot throw.
#[inline]
pub fn need_stack() {
    if super::stack_is_low()
        && let Some(vm) = running()
    {
        vm.fatal_error("Maximum call stack size reached. Infinite recursion?");
    }
}

/// Bytes that this thread has allocated less those it freed, if the program counts them.
pub fn thread_memory() -> isize {
    ACCOUNT.with(|account| account.allocated.get())
}

/// Counts for this thread what another one has allocated for it, less what that one has freed of this
/// thread's.
pub fn take_over(bytes: isize) {
    match usize::try_from(bytes) {
        Ok(more) => grown(more),
        Err(_) => shrunk(bytes.unsigned_abs()),
    }
}

/// [`Vm::time_left`] of the VM that runs on this thread.
pub fn time_left() -> Option<std::time::Duration> {
    running()?.time_left()
}

/// True if the script that runs on this thread is about to end, or is ending: nothing should wait for
/// anything any more.
pub fn is_ending() -> bool {
    std::thread::panicking()
        || running()
            .is_some_and(|vm| vm.interrupt.load(Ordering::Relaxed) & !interrupt::SAMPLE != 0)
}

/// Before something is put into a list that a script makes as long as it likes: ends the script if the list
/// would outgrow its memory limit, and lets other limits end it.
#[inline]
pub fn grow<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        poll();
        let wanted = list.len().max(4).saturating_mul(2);
        reserve(wanted.saturating_mul(size_of::<T>()));
        list.reserve_exact(wanted - list.len());
    }
}

/// As [`grow`], before something is put into a table by hash that a script makes as long as it likes. Such a table
/// doubles, and has both of its halves while it does.
#[inline]
pub fn grow_table<K: Eq + Hash, V, S: BuildHasher>(table: &mut HashMap<K, V, S>) {
    if table.len() == table.capacity() {
        poll();
        // One of eight places stays empty, and each has a byte beside it.
        let places = (table.len().max(7) + 1).saturating_mul(16) / 7;
        reserve(
            places
                .next_power_of_two()
                .saturating_mul(size_of::<(K, V)>() + 1),
        );
        table.reserve(1);
    }
}

/// Ends the script if `bytes` of native memory, which are about to be allocated at once, do not fit
/// into its memory limit.
pub fn reserve(bytes: usize) {
    if let Some(vm) = running() {
        vm.heap.check_limit(bytes, bytes);
    }
}

/// True if `bytes` of native memory more would fit into the memory limit of the script that runs on this
/// thread. For code that cannot be unwound.
pub fn fits(bytes: usize) -> bool {
    running().is_none_or(|vm| vm.heap.has_room(bytes))
}

/// True if so much more than the limit is taken already that the process will be ended soon. For libraries that can go
/// back when there is no memory, but come to no poll.
pub fn is_far_beyond() -> bool {
    ACCOUNT.with(|account| {
        let most = account.ceiling.get().saturating_add(HARD_ROOM / 2);
        account.allocated.get() > most && !account.heap.get().is_null()
    })
}

/// Memory that does not come from the allocator, such as the part of a stack that is used or what the C library has,
/// counted as long as this lives.
#[derive(Debug)]
pub struct Foreign(usize);

impl Foreign {
    /// So many bytes of it, for this thread.
    pub fn new(bytes: usize) -> Foreign {
        grown(bytes);
        Foreign(bytes)
    }

    /// There is more of it by now.
    pub(crate) fn grow_to(&mut self, bytes: usize) {
        grown(bytes.saturating_sub(self.0));
        self.0 = self.0.max(bytes);
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        shrunk(self.0);
    }
}

/// [`Vm::wait_readable`] of the VM that runs on this thread.
pub fn wait_readable(descriptor: std::os::fd::RawFd) {
    if let Some(vm) = running() {
        vm.wait_readable(descriptor);
    }
}

/// Counts time that the script of this thread has spent waiting.
pub(super) fn count_wait(time: std::time::Duration) {
    if let Some(vm) = running() {
        vm.timer.count_wait(time);
    }
}

/// [`Vm::wait_until`] of the VM that runs on this thread; without one, nothing ends the waiting early.
pub fn wait_until<T>(mut step: impl FnMut(std::time::Duration) -> Option<T>) -> T {
    match running() {
        Some(vm) => vm.wait_until(|_, slice| step(slice)),
        None => loop {
            if let Some(result) = step(std::time::Duration::from_millis(10)) {
                return result;
            }
        },
    }
}

impl Heap {
    /// From here on what this thread allocates counts for this heap.
    pub(crate) fn enter_thread(&mut self) -> Outer {
        let this: *mut Heap = self;
        let outer = ACCOUNT.with(|account| {
            let outer = Outer {
                ceiling: account.ceiling.get(),
                heap: account.heap.replace(this),
            };
            if outer.heap != this {
                self.native_base = account.allocated.get() - self.native as isize;
            }
            outer
        });
        self.set_ceiling();
        outer
    }

    /// The end of what [`Heap::enter_thread`] began.
    pub(crate) fn leave_thread(&mut self, outer: Outer) {
        self.native = self.native_memory();
        ACCOUNT.with(|account| {
            account.heap.set(outer.heap);
            account.ceiling.set(outer.ceiling);
        });
        self.set_ceiling();
    }

    /// Bytes of native memory that count for this heap.
    pub(crate) fn native_memory(&self) -> usize {
        ACCOUNT.with(|account| match account.heap.get().cast_const() == self {
            true => (account.allocated.get() - self.native_base).max(0) as usize,
            false => self.native,
        })
    }

    /// Tells the allocator how much there may be besides what the heap holds.
    pub(crate) fn set_ceiling(&self) {
        ACCOUNT.with(|account| {
            if account.heap.get().cast_const() == self {
                let rest = self.allowed().saturating_sub(self.mapped());
                let rest = isize::try_from(rest.saturating_add(NATIVE_ROOM)).unwrap_or(isize::MAX);
                account.ceiling.set(self.native_base.saturating_add(rest));
            }
        });
    }

    /// The last request for native memory that went beyond the limit.
    pub(crate) fn native_request(&self) -> usize {
        ACCOUNT.with(|account| account.request.get())
    }
}
