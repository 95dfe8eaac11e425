//! The frames of a script that a fatal error has ended, and their memory.

use crate::frame::{Frame, HEADER_SLOTS, call_info};
use crate::function::flags;
use crate::interpreter::calls::release_frame_extras;
use crate::interpreter::exceptions::{cleanup_live, is_freed_on_return, release_unfinished_calls};
use crate::interpreter::request::GivenUp;
use crate::interpreter::returns::{release_extra_arguments, release_variables};
use crate::value::release;
use crate::vm::Vm;

/// Slots that frames which are inlined into a unit of compiled code take, behind the frame that it was entered with. A
/// tier keeps to that.
pub const MOST_INLINED_SLOTS: u32 = 120;
/// So many frames may be inlined into one unit: each has a header.
const MOST_IN_A_UNIT: u32 = MOST_INLINED_SLOTS / HEADER_SLOTS;

impl Vm {
    /// Gives back the part of the VM stack that the frames of functions took when a fatal error ended the script:
    /// shutdown functions may need it, above all if it was the memory that the script ran out of. In that case what
    /// the frames held goes first, as in PHP; else it is left behind. Frames of top-level code that the script began
    /// with stay: the global variables lie in them.
    ///
    /// # Safety
    /// The innermost frame is null or was that, its chain is there still, and none of it runs any more.
    pub(super) unsafe fn give_up_functions(&mut self, end: &GivenUp) {
        if !self.fiber.is_null() {
            return;
        }
        let globals = self.globals.as_ptr();
        let mut outermost = std::ptr::null_mut();
        let mut has_globals = false;
        let mut frame = end.innermost;
        // SAFETY: I4: by the caller.
        unsafe {
            while !frame.is_null() {
                if (*frame).call_info() & call_info::CODE != 0 {
                    has_globals |= (*frame).symbol_table == globals;
                } else if (*(*frame).function).flags & flags::GENERATOR == 0 {
                    // Code that is entered from here on, by an autoloader, may have global variables, too.
                    if has_globals {
                        return;
                    }
                    outermost = frame;
                }
                frame = (*frame).previous;
            }
            if end.memory_ran_out && !outermost.is_null() {
                release_frames(self, end.innermost, outermost);
            }
            if let Some(place) = self.stack.place_of(outermost) {
                self.stack.return_to(place);
            }
        }
        if end.memory_ran_out {
            crate::limits::give_all_memory_back();
        }
    }
}

/// Releases what frames held that were at a call when memory ran out, as an exception from there would: user code
/// could run, so that what they hold is exact (invariant I3). It is not in the innermost function, which was in the
/// middle of something, nor in those that compiled code may have inlined around it, which keeps variables in
/// registers: they are left behind.
///
/// No destructor runs: all objects count as destructed.
///
/// # Safety
/// As for [`Vm::give_up_functions`]; `outermost` is in the chain of `innermost`.
unsafe fn release_frames(vm: *mut Vm, innermost: *mut Frame, outermost: *mut Frame) {
    // SAFETY: I4: by the caller. User code that runs meanwhile, as streams close, has its frames above these.
    unsafe {
        let first = first_at_a_call(innermost);
        // Whatever is released may be the last that kept a function.
        for_each(first, outermost, |frame| {
            if !is_left_behind(frame) && !keeps_its_function(frame) {
                (*frame).function = std::ptr::null();
            }
        });
        for_each(first, outermost, |frame| {
            if !is_left_behind(frame) && !(*frame).function.is_null() {
                release_frame(vm, frame);
            }
        });
    }
}

/// From a frame, which may be null, to one around it.
unsafe fn for_each(first: *mut Frame, last: *mut Frame, mut action: impl FnMut(*mut Frame)) {
    let mut frame = first;
    while !frame.is_null() {
        // SAFETY: I4: by the caller.
        let previous = unsafe { (*frame).previous };
        action(frame);
        if frame == last {
            break;
        }
        frame = previous;
    }
}

/// True for what others own: generators their frames; included code has the variables of the code around it, and those
/// with names lie in a table that others may have.
unsafe fn is_left_behind(frame: *mut Frame) -> bool {
    const OTHERS: u32 = call_info::CODE | call_info::GENERATOR | call_info::HAS_SYMBOL_TABLE;
    // SAFETY: I4: by the caller.
    unsafe { (*frame).call_info() & OTHERS != 0 }
}

/// True if a frame's function lives as long as the frame has its share. That of a closure may have been kept by native
/// code, which has been unwound.
unsafe fn keeps_its_function(frame: *mut Frame) -> bool {
    // SAFETY: I4: by the caller; nothing has been released yet.
    unsafe {
        (*frame).call_info() & call_info::CLOSURE != 0 || (*(*frame).function).closure.is_null()
    }
}

/// The innermost frame that was certainly at a call; null if there is none.
unsafe fn first_at_a_call(innermost: *mut Frame) -> *mut Frame {
    let mut frame = innermost;
    // SAFETY: I4: by the caller. What top-level code is executed by may have gone: nothing is asked of it.
    unsafe {
        let is_code = |frame: *mut Frame| (*frame).call_info() & call_info::CODE != 0;
        while !frame.is_null() && !is_code(frame) && !(*frame).is_user() {
            frame = (*frame).previous;
        }
        let may_be_compiled = |frame: *mut Frame| {
            let function = (*frame).function;
            is_code(frame) || (*frame).is_user() && (*function).ops != (*(*function).op_array).ops()
        };
        let mut room = MOST_IN_A_UNIT;
        while !frame.is_null() {
            let is_one_unit = room > 0 && may_be_compiled(frame);
            frame = (*frame).previous;
            if frame.is_null() || !is_one_unit || !may_be_compiled(frame) {
                break;
            }
            room -= 1;
        }
    }
    frame
}

/// Releases what a frame holds.
unsafe fn release_frame(vm: *mut Vm, frame: *mut Frame) {
    // SAFETY: I3 and I4: by the caller. What keeps the function alive goes last.
    unsafe {
        if (*frame).is_user() {
            release_temporaries(vm, frame);
            release_variables(frame);
            if (*frame).call_info() & call_info::FREE_EXTRA_ARGUMENTS != 0 {
                release_extra_arguments(frame);
            }
        } else {
            for number in 0..(*frame).argument_count() {
                release((*frame).slot(number));
            }
        }
        release_frame_extras(frame);
    }
}

/// Releases the temporaries of a frame and the calls that it prepares. They are left behind where somebody else was
/// releasing them when user code ran: while an exception leaves the frame, or a loop is left by a return.
unsafe fn release_temporaries(vm: *mut Vm, frame: *mut Frame) {
    // SAFETY: I3 and I4: by the caller.
    unsafe {
        let opline = (*frame).opline;
        let Some(number) = (*(*frame).function).find(opline) else {
            return;
        };
        if is_freed_on_return(opline) {
            return;
        }
        release_unfinished_calls(frame, opline, |_| ());
        super::strings::end_part(frame, opline);
        cleanup_live(vm, frame, number as u32, 0);
    }
}
