//! The system's `iconv`, which this extension passes on.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::LazyLock;

use vm_runtime::limits::Foreign;
use vm_runtime::vm::Vm;

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
pub(crate) enum Problem {
    /// There is no such conversion.
    WrongEncoding,
    /// Bytes that are no character, or one that the target does not have.
    Illegal,
    /// The last character is cut off.
    Incomplete,
    /// Bytes that are no encoded text.
    Undecodable,
    Other,
}

/// Bytes that are written between two looks at the limits.
const PIECE: usize = 64 * 1024;

/// What the C library has for an open conversion: mostly the text between two steps.
const STEP_BUFFER: usize = 34 * 1024;

/// An open conversion.
#[derive(Debug)]
pub(crate) struct Converter {
    descriptor: *mut c_void,
    /// Whether what stands for missing characters is that of C.UTF-8, in which scripts begin.
    in_utf8: bool,
    #[expect(dead_code, reason = "counts")]
    counted: Foreign,
}

/// The locale C.UTF-8 for this thread, as long as this lives: the C library replaces letters by its rules
/// (`//TRANSLIT`), of which a process that never asked for a locale has few.
struct InUtf8(libc::locale_t);

impl InUtf8 {
    fn enter() -> InUtf8 {
        static LOCALE: LazyLock<usize> = LazyLock::new(|| {
            // SAFETY: the name ends with NUL; the locale is never freed.
            unsafe { libc::newlocale(libc::LC_CTYPE_MASK, c"C.UTF-8".as_ptr(), NONE) as usize }
        });
        // SAFETY: the locale lives as long as the process; without one, nothing changes.
        InUtf8(unsafe { libc::uselocale(*LOCALE as libc::locale_t) })
    }
}

impl Drop for InUtf8 {
    fn drop(&mut self) {
        // SAFETY: what was in force before, which others keep alive.
        unsafe { libc::uselocale(self.0) };
    }
}

const NONE: libc::locale_t = std::ptr::null_mut();

impl Drop for Converter {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open and is not used after this.
        unsafe { iconv_close(self.descriptor) };
    }
}

impl Converter {
    /// Opens a conversion; none if there is no such.
    pub(crate) fn open(from: &[u8], to: &[u8]) -> Option<Converter> {
        let (Ok(from), Ok(to)) = (CString::new(from), CString::new(to)) else {
            return None;
        };
        // SAFETY: both names end with NUL.
        let descriptor = unsafe { iconv_open(to.as_ptr(), from.as_ptr()) };
        let in_utf8 = replaces(to.as_bytes());
        (descriptor as isize != -1).then(|| Converter {
            descriptor,
            in_utf8,
            counted: Foreign::new(STEP_BUFFER),
        })
    }

    /// Converts more; without input, goes back to the first state. Gives how much was taken.
    pub(crate) fn run(
        &mut self,
        text: Option<&[u8]>,
        output: &mut Vec<u8>,
    ) -> (usize, Option<Problem>) {
        let bytes = text.unwrap_or_default();
        let mut input = bytes.as_ptr().cast_mut().cast::<c_char>();
        let mut input_left = bytes.len();
        loop {
            vm_runtime::limits::poll();
            let in_utf8 = self.in_utf8.then(InUtf8::enter);
            output.reserve(64);
            let room = (output.capacity() - output.len()).min(PIECE);
            let mut output_left = room;
            // SAFETY: input and output point to as many bytes as are told; no input makes the
            // converter write what brings it back to its first state.
            let outcome = unsafe {
                let mut target = output.as_mut_ptr().add(output.len()).cast::<c_char>();
                let (place, left) = match text {
                    Some(_) => (&raw mut input, &raw mut input_left),
                    None => (std::ptr::null_mut(), std::ptr::null_mut()),
                };
                let outcome = iconv(self.descriptor, place, left, &mut target, &mut output_left);
                output.set_len(output.len() + room - output_left);
                outcome
            };
            let error = std::io::Error::last_os_error();
            drop(in_utf8);
            let taken = bytes.len() - input_left;
            if outcome != usize::MAX {
                return (taken, None);
            }
            let problem = match error.raw_os_error() {
                Some(libc::E2BIG) => {
                    if output.capacity() - output.len() < 64 {
                        output.reserve(output.capacity());
                    }
                    continue;
                }
                Some(libc::EILSEQ) => Problem::Illegal,
                Some(libc::EINVAL) => Problem::Incomplete,
                _ => Problem::Other,
            };
            return (taken, Some(problem));
        }
    }

    /// Converts all of a text, and is in its first state again if there was no problem.
    fn convert(&mut self, to: &[u8], text: &[u8]) -> (Vec<u8>, Option<Problem>) {
        let mut output: Vec<u8> = Vec::with_capacity(text.len() + 32);
        match self.run(Some(text), &mut output) {
            (_, None) => {}
            (taken, Some(Problem::Illegal)) if ignores(to) && taken == text.len() => {}
            (_, problem) => return (output, problem),
        }
        let (_, problem) = self.run(None, &mut output);
        (output, problem)
    }
}

/// True if a conversion leaves out what its target does not have.
fn ignores(to: &[u8]) -> bool {
    memchr::memmem::find(&to.to_ascii_uppercase(), b"//IGNORE").is_some()
}

/// True if a conversion looks for something that stands for what its target does not have.
fn replaces(to: &[u8]) -> bool {
    memchr::memmem::find(&to.to_ascii_uppercase(), b"//TRANSLIT").is_some()
}

/// Converts text. Gives what was converted before a problem, too.
pub(super) fn convert(from: &[u8], to: &[u8], text: &[u8]) -> (Vec<u8>, Option<Problem>) {
    match Converter::open(from, to) {
        Some(mut converter) => converter.convert(to, text),
        None => (Vec::new(), Some(Problem::WrongEncoding)),
    }
}

/// The conversion that was made last: opening one takes longer than converting a line.
#[derive(Default)]
struct Last {
    converter: Option<(Converter, Vec<u8>, Vec<u8>)>,
}

/// As [`convert`], for scripts, which often make the same conversion again.
pub(super) fn convert_again(
    vm: &mut Vm,
    from: &[u8],
    to: &[u8],
    text: &[u8],
) -> (Vec<u8>, Option<Problem>) {
    let last = vm.extensions.state::<Last>().converter.take();
    let known = last.filter(|(_, known_from, known_to)| known_from == from && known_to == to);
    let open = || Some((Converter::open(from, to)?, from.to_vec(), to.to_vec()));
    let Some(mut opened) = known.or_else(open) else {
        return (Vec::new(), Some(Problem::WrongEncoding));
    };
    opened.0.in_utf8 = replaces(to) && crate::standard::has_utf8_letters(vm);
    let (output, problem) = opened.0.convert(to, text);
    if problem.is_none() {
        vm.extensions.state::<Last>().converter = Some(opened);
    }
    (output, problem)
}
