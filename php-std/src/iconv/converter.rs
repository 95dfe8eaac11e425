//! The system's `iconv`, which this extension passes on.

use std::ffi::{CString, c_char, c_int, c_void};

unsafe extern "C" {
    fn iconv_open(to: *const c_char, from: *const c_char) -> *mut c_void;
    fn iconv(
        descriptor: *mut c_void,
        input: *mut *mut c_char,
        input_left: *mut usize,
        output: *mut *mut c_char,
        output_left: *mut usize,
    ) -> usize;
    fn iconv_close(descriptor: *mut c_void) -> c_int;
}

/// Why text was not converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    /// There is no such conversion.
    WrongEncoding,
    /// Bytes that are no character, or one that the target does not have.
    Illegal,
    /// The last character is cut off.
    Incomplete,
    Other,
}

/// Bytes that are written between two looks at the limits.
const PIECE: usize = 64 * 1024;

/// An open conversion.
struct Converter(*mut c_void);

impl Drop for Converter {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open and is not used after this.
        unsafe { iconv_close(self.0) };
    }
}

/// Converts text. Gives what was converted before a problem, too.
pub(super) fn convert(from: &[u8], to: &[u8], text: &[u8]) -> (Vec<u8>, Option<Problem>) {
    let ignores = memchr::memmem::find(&to.to_ascii_uppercase(), b"//IGNORE").is_some();
    let (Ok(from), Ok(to)) = (CString::new(from), CString::new(to)) else {
        return (Vec::new(), Some(Problem::WrongEncoding));
    };
    // SAFETY: both names end with NUL.
    let descriptor = unsafe { iconv_open(to.as_ptr(), from.as_ptr()) };
    if descriptor as isize == -1 {
        return (Vec::new(), Some(Problem::WrongEncoding));
    }
    let converter = Converter(descriptor);
    let mut output: Vec<u8> = Vec::with_capacity(text.len() + 32);
    let mut input = text.as_ptr().cast_mut().cast::<c_char>();
    let mut input_left = text.len();
    let mut is_flushing = false;
    loop {
        vm_runtime::limits::poll();
        output.reserve(64);
        let room = (output.capacity() - output.len()).min(PIECE);
        let mut output_left = room;
        // SAFETY: input and output point to as many bytes as are told; at the end, no input makes
        // the converter write what brings it back to its first state.
        let outcome = unsafe {
            let mut target = output.as_mut_ptr().add(output.len()).cast::<c_char>();
            let outcome = if is_flushing {
                iconv(
                    converter.0,
                    std::ptr::null_mut(),
                    std::ptr::null_mut(),
                    &mut target,
                    &mut output_left,
                )
            } else {
                iconv(
                    converter.0,
                    &mut input,
                    &mut input_left,
                    &mut target,
                    &mut output_left,
                )
            };
            output.set_len(output.len() + room - output_left);
            outcome
        };
        if outcome != usize::MAX {
            if is_flushing {
                return (output, None);
            }
            is_flushing = true;
            continue;
        }
        match std::io::Error::last_os_error().raw_os_error() {
            Some(libc::E2BIG) if output.capacity() - output.len() < 64 => {
                output.reserve(output.capacity());
            }
            Some(libc::E2BIG) => {}
            Some(libc::EILSEQ) if ignores && input_left == 0 => is_flushing = true,
            Some(libc::EILSEQ) => return (output, Some(Problem::Illegal)),
            Some(libc::EINVAL) => return (output, Some(Problem::Incomplete)),
            _ => return (output, Some(Problem::Other)),
        }
    }
}
