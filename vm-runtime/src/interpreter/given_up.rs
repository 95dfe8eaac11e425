//! The frames of a script that a fatal error has ended, and their memory.

use crate::frame::{Frame, call_info};
use crate::function::flags;
use crate::vm::Vm;

impl Vm {
    /// Gives back the part of the VM stack that the frames of functions took when a fatal error ended the script:
    /// shutdown functions may need it, above all if it was the memory that the script ran out of. What the frames
    /// held is left behind (`value/release.rs` says why). Frames of top-level code that the script began with stay:
    /// the global variables lie in them.
    ///
    /// # Safety
    /// `innermost` is null or was the innermost frame, its chain is there still, and none of it runs any more.
    pub(super) unsafe fn give_up_functions(&mut self, innermost: *mut Frame) {
        if !self.fiber.is_null() {
            return;
        }
        let globals = self.globals.as_ptr();
        let mut outermost = std::ptr::null_mut();
        let mut has_globals = false;
        let mut frame = innermost;
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
            if let Some(place) = self.stack.place_of(outermost) {
                self.stack.return_to(place);
            }
        }
    }
}
