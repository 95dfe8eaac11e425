//! Frames and the VM stack.
//!
//! A frame is a header of five slots, then arguments and CVs, then temporaries, then extra
//! arguments, on linked pages of 256 KiB. Userland calls never use the native stack.

use std::ptr::null_mut;

use crate::array::PhpArray;
use crate::function::Function;
use crate::op::Op;
use crate::value::{OBJECT, Zval};

/// Slots of a frame header.
pub const HEADER_SLOTS: u32 = 5;
/// Bytes of a page of the VM stack.
pub const PAGE_BYTES: usize = 256 * 1024;

/// Slots kept free at the end of every page. A native function's defaults stand behind the
/// arguments it was given, above its frame as it was pushed; no function has more parameters.
pub const DEFAULT_SLOTS: usize = 32;

/// Call information: flags in the high half of `this.type_info`.
pub mod call_info {
    /// The low half: the type of `this`.
    pub const THIS_TYPE: u32 = 0xffff;
    /// Top-level code of a file or `eval`.
    pub const CODE: u32 = 1 << 16;
    /// Entered from native code: leaving it ends the interpreter loop.
    pub const TOP: u32 = 1 << 17;
    /// The frame has a page of its own.
    pub const ALLOCATED: u32 = 1 << 18;
    /// Extra arguments have to be released.
    pub const FREE_EXTRA_ARGUMENTS: u32 = 1 << 19;
    /// The frame has a symbol table.
    pub const HAS_SYMBOL_TABLE: u32 = 1 << 20;
    /// The frame owns `this`.
    pub const RELEASE_THIS: u32 = 1 << 21;
    /// The function is a closure, which the frame keeps alive.
    pub const CLOSURE: u32 = 1 << 22;
    /// The closure was made from an existing function.
    pub const FAKE_CLOSURE: u32 = 1 << 23;
    /// A generator's frame.
    pub const GENERATOR: u32 = 1 << 24;
    /// Called by a name or value known only at run time.
    pub const DYNAMIC: u32 = 1 << 25;
    /// Named arguments left holes among the arguments.
    pub const MAY_HAVE_UNDEF: u32 = 1 << 26;
    /// There are named arguments that no parameter takes.
    pub const HAS_EXTRA_NAMED: u32 = 1 << 27;
    /// A constructor call made by `new`.
    pub const CONSTRUCTOR: u32 = 1 << 28;
    /// The frame has no share of `$this`, which something else keeps, but the collector is told of it as if one had been
    /// given back: as in PHP, where such frames have one, it runs when it has been told of many.
    pub const NOTES_THIS: u32 = 1 << 30;
    /// Native code that no call was written for: traces do not show it.
    pub const UNTRACED: u32 = 1 << 29;
    /// The argument being sent goes by reference (CHECK_FUNC_ARG).
    pub const SEND_BY_REFERENCE: u32 = 1 << 31;
    /// The frame has a share of `$this` or of the closure it runs, or tells the collector of `$this`.
    pub const OWNERS: u32 = RELEASE_THIS | NOTES_THIS | CLOSURE;
    /// Others may know the variables of the frame by name: they keep what they hold.
    pub const SYMBOLS_LEAVE: u32 = CODE | HAS_SYMBOL_TABLE;
    /// Leaving takes the slow path if any of these is set.
    pub const SLOW_LEAVE: u32 =
        CODE | TOP | ALLOCATED | FREE_EXTRA_ARGUMENTS | HAS_SYMBOL_TABLE | HAS_EXTRA_NAMED;
}

/// The header of a call frame.
#[repr(C)]
#[derive(Debug)]
pub struct Frame {
    /// The opline being executed, kept up to date wherever someone may look.
    pub opline: *const Op,
    /// The innermost call whose arguments are being sent.
    pub call: *mut Frame,
    /// Where the result goes; null if it is not used.
    pub return_value: *mut Zval,
    /// What is executed.
    pub function: *const Function,
    /// `$this` (an object), or the called class as a pointer, or undefined. The high half of the
    /// type word holds [`call_info`], `extra` the number of arguments.
    pub this: Zval,
    /// The caller; before DO_*, the next outer call being prepared.
    pub previous: *mut Frame,
    /// Variables by name, if anything asked for them.
    pub symbol_table: *mut PhpArray,
    /// The function's runtime cache.
    pub run_time_cache: *mut u8,
    /// Named arguments that no parameter takes.
    pub extra_named: *mut PhpArray,
}

const _: () = assert!(size_of::<Frame>() == HEADER_SLOTS as usize * size_of::<Zval>());
const _: () = assert!(std::mem::offset_of!(Frame, opline) == 0);

impl Frame {
    /// The slot behind the header with this number: arguments and CVs first, then temporaries.
    ///
    /// # Safety
    /// `number` is below the frame's slot count (invariant I4).
    #[inline(always)]
    pub unsafe fn slot(&self, number: u32) -> *mut Zval {
        // SAFETY: by the caller.
        unsafe {
            (&raw const *self)
                .cast::<Zval>()
                .cast_mut()
                .add((HEADER_SLOTS + number) as usize)
        }
    }

    /// Number of arguments passed.
    #[inline(always)]
    pub fn argument_count(&self) -> u32 {
        self.this.extra
    }

    /// The [`call_info`] flags.
    #[inline(always)]
    pub fn call_info(&self) -> u32 {
        self.this.type_info & !call_info::THIS_TYPE
    }

    /// Adds call information.
    #[inline(always)]
    pub fn add_call_info(&mut self, flags: u32) {
        self.this.type_info |= flags;
    }

    /// Removes call information.
    #[inline(always)]
    pub fn remove_call_info(&mut self, flags: u32) {
        self.this.type_info &= !flags;
    }

    /// True if there is a `$this`.
    #[inline(always)]
    pub fn has_this(&self) -> bool {
        self.this.type_info as u8 == OBJECT
    }

    /// The class `static` means here, or null.
    pub fn called_class(&self) -> *mut crate::class::Class {
        if self.has_this() {
            // SAFETY: I3: `this` is a live object.
            unsafe { (*self.this.object()).class }
        } else if self.this.kind() == crate::value::POINTER {
            self.this.pointer().cast()
        } else {
            null_mut()
        }
    }

    /// True if the frame executes an op array.
    #[inline(always)]
    pub fn is_user(&self) -> bool {
        // SAFETY: I4: a frame's function is null or live.
        !self.function.is_null() && unsafe { (*self.function).is_user }
    }
}

/// Head of a page of the VM stack.
#[repr(C)]
struct Page {
    previous: *mut Page,
    /// Where the stack continues on the previous page.
    resume_top: *mut Zval,
    bytes: usize,
    /// 1 if the memory belongs to someone else.
    borrowed: usize,
}

/// A place on a [`VmStack`].
#[derive(Debug, Clone, Copy)]
pub struct StackPosition {
    page: *mut Page,
    top: *mut Zval,
}

/// The VM stack: linked pages, allocated by bumping.
#[derive(Debug)]
pub struct VmStack {
    /// First free slot.
    pub top: *mut Zval,
    /// End of the current page for frames; [`DEFAULT_SLOTS`] follow.
    pub end: *mut Zval,
    page: *mut Page,
    /// One page kept back, so that a call at a page's end does not allocate each time.
    spare: *mut Page,
    /// Bytes of the pages in use, without borrowed ones.
    bytes: usize,
}

impl VmStack {
    /// A stack with one page.
    pub fn new() -> VmStack {
        let mut stack = VmStack {
            top: null_mut(),
            end: null_mut(),
            page: null_mut(),
            spare: null_mut(),
            bytes: 0,
        };
        stack.add_page(PAGE_BYTES);
        stack
    }

    /// A stack that begins in memory of someone else, who frees it after the stack.
    ///
    /// # Safety
    /// `memory` is 16-byte aligned, `bytes` long, and outlives the stack.
    pub unsafe fn on(memory: *mut u8, bytes: usize) -> VmStack {
        let page = memory.cast::<Page>();
        // SAFETY: by the caller; the page header fits.
        unsafe {
            poison(memory, bytes);
            page.write(Page {
                previous: null_mut(),
                resume_top: null_mut(),
                bytes,
                borrowed: 1,
            });
            VmStack {
                top: page.add(1).cast(),
                end: page_end(page),
                page,
                spare: null_mut(),
                bytes: 0,
            }
        }
    }

    /// Where the stack is now; see [`VmStack::return_to`].
    pub fn position(&self) -> StackPosition {
        StackPosition {
            page: self.page,
            top: self.top,
        }
    }

    /// The position at which a frame was pushed; None if it is not on this stack.
    pub(crate) fn place_of(&self, frame: *mut Frame) -> Option<StackPosition> {
        let address = frame as usize;
        let mut page = self.page;
        while !page.is_null() {
            // SAFETY: pages are linked and live as long as the stack.
            let (bytes, previous) = unsafe { ((*page).bytes, (*page).previous) };
            if (page as usize..page as usize + bytes).contains(&address) {
                let top = frame.cast();
                return Some(StackPosition { page, top });
            }
            page = previous;
        }
        None
    }

    /// Gives back all that was pushed since `position` was taken.
    ///
    /// # Safety
    /// The position is of this stack, what was on it then is there still, and nothing refers to the
    /// frames above it (invariant I4).
    pub unsafe fn return_to(&mut self, position: StackPosition) {
        while self.page != position.page {
            self.drop_page();
        }
        self.top = position.top;
    }

    /// Whether a frame of `bytes` fits on the current page. `top` may stand behind `end`: defaults
    /// of a native function do.
    #[inline(always)]
    pub fn has_room(&self, bytes: usize) -> bool {
        self.top as usize + bytes <= self.end as usize
    }

    /// Bytes of the pages in use and of a further one with a frame of `bytes`.
    pub fn bytes_with(&self, bytes: usize) -> usize {
        self.bytes + page_bytes(bytes)
    }

    fn add_page(&mut self, bytes: usize) {
        // SAFETY: the layout is not empty; the page header is written before use.
        unsafe {
            let page = if !self.spare.is_null() && (*self.spare).bytes >= bytes {
                std::mem::replace(&mut self.spare, null_mut())
            } else {
                let layout = std::alloc::Layout::from_size_align_unchecked(bytes, 16);
                let page = std::alloc::alloc(layout).cast::<Page>();
                if page.is_null() {
                    std::alloc::handle_alloc_error(layout);
                }
                poison(page.cast(), bytes);
                (*page).bytes = bytes;
                (*page).borrowed = 0;
                page
            };
            (*page).previous = self.page;
            (*page).resume_top = self.top;
            self.page = page;
            self.top = page.add(1).cast();
            self.end = page_end(page);
        }
        // SAFETY: the page was just set up.
        self.bytes += unsafe { (*self.page).bytes };
    }

    /// Takes `bytes` from a page of its own because the current one is full. The frame there must
    /// be flagged ALLOCATED.
    #[cold]
    #[inline(never)]
    pub fn extend(&mut self, bytes: usize) -> *mut Zval {
        self.add_page(page_bytes(bytes));
        let frame = self.top;
        // SAFETY: the page has room for `bytes`.
        self.top = unsafe { self.top.cast::<u8>().add(bytes).cast() };
        frame
    }

    /// Frees the current page, whose only frame is gone.
    pub fn drop_page(&mut self) {
        let page = self.page;
        // SAFETY: pages are linked; the first one is never dropped this way.
        unsafe {
            self.page = (*page).previous;
            self.top = (*page).resume_top;
            self.end = page_end(self.page);
            self.bytes -= (*page).bytes;
        }
        if self.spare.is_null() {
            self.spare = page;
        } else {
            free_page(page);
        }
    }
}

impl Default for VmStack {
    fn default() -> VmStack {
        VmStack::new()
    }
}

/// Bytes of a page with room for a frame of `bytes`.
fn page_bytes(bytes: usize) -> usize {
    let reserved = size_of::<Page>() + DEFAULT_SLOTS * size_of::<Zval>();
    (bytes + reserved).next_multiple_of(PAGE_BYTES)
}

/// Where frames on a page must end.
///
/// # Safety
/// The page is live and its size is set.
unsafe fn page_end(page: *mut Page) -> *mut Zval {
    // SAFETY: by the caller; a page is larger than what is reserved.
    unsafe {
        let end = page.cast::<u8>().add((*page).bytes).cast::<Zval>();
        end.sub(DEFAULT_SLOTS)
    }
}

fn free_page(page: *mut Page) {
    // SAFETY: made by `add_page` with this layout.
    unsafe {
        if (*page).borrowed != 0 {
            return;
        }
        let layout = std::alloc::Layout::from_size_align_unchecked((*page).bytes, 16);
        std::alloc::dealloc(page.cast(), layout);
    }
}

/// Fills memory that no frame uses with what looks like counted values at addresses that do not exist: a
/// slot that is read before it was written to is found by that. In debug builds only.
///
/// # Safety
/// The memory is the stack's, and nobody's at the moment.
#[inline(always)]
pub(crate) unsafe fn poison(memory: *mut u8, bytes: usize) {
    if cfg!(debug_assertions) {
        // SAFETY: by the caller.
        unsafe { memory.write_bytes(0xa5, bytes) };
    }
}

impl Drop for VmStack {
    fn drop(&mut self) {
        let mut page = self.page;
        while !page.is_null() {
            // SAFETY: pages are linked and owned by the stack.
            let previous = unsafe { (*page).previous };
            free_page(page);
            page = previous;
        }
        if !self.spare.is_null() {
            free_page(self.spare);
        }
    }
}
