//! A safe layer over PCRE2: compiled patterns and their matches.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use pcre2_sys as ffi;
use vm_runtime::limits::{self, Foreign};
use vm_runtime::string::PhpString;
use vm_runtime::value::StringHandle;
use vm_runtime::vm::Vm;

use crate::support::counted;

/// Steps of a match that are taken before anyone looks at the time.
const STEPS_AT_ONCE: u32 = 10_000_000;

/// What a match kept to go back to is kept for the next match as long as it takes no more bytes.
const MOST_KEPT: usize = 64 * 1024;

/// Option: groups may have one name.
pub(crate) const DUPLICATE_NAMES: u32 = ffi::PCRE2_DUPNAMES;
/// Option: patterns and subjects are UTF-8.
pub(crate) const UTF: u32 = ffi::PCRE2_UTF;

/// What PCRE2 says of `\C` where that was forbidden (its header's `PCRE2_ERROR_BACKSLASH_C_CALLER_DISABLED`).
const SINGLE_BYTE_DISABLED: i32 = 183;
/// Option: matches start where the search does.
pub(crate) const ANCHORED: u32 = ffi::PCRE2_ANCHORED;
/// Option: letters match in either case.
pub(crate) const CASELESS: u32 = ffi::PCRE2_CASELESS;
/// Option: `^` and `$` match at lines.
pub(crate) const MULTILINE: u32 = ffi::PCRE2_MULTILINE;

/// A compiled pattern. It belongs to one VM.
#[derive(Debug)]
pub(crate) struct Regex {
    code: *mut ffi::pcre2_code_8,
    /// A match block that is not in use, so that matching does not allocate.
    spare: Cell<*mut ffi::pcre2_match_data_8>,
    /// Number of groups, the whole match included.
    pub(crate) groups: usize,
    /// Name of each group, by number; empty if no group has one.
    pub(crate) names: Vec<Option<Box<[u8]>>>,
    /// The names as keys of arrays; empty until [`Regex::make_keys`].
    pub(crate) keys: Vec<Option<StringHandle>>,
    /// No two groups have the same name.
    pub(crate) has_unique_names: bool,
    /// Subjects and patterns are UTF-8.
    pub(crate) utf: bool,
    /// There is machine code of it.
    is_machine_code: Cell<bool>,
    /// The machine code, which has pages of its own.
    machine_code: RefCell<Option<Foreign>>,
    /// Bytes that the compiled pattern takes, machine code included.
    size: Cell<usize>,
}

/// What has PCRE2's memory counted. Patterns and all that is made for them take it over.
///
/// # Safety
/// The caller frees it.
unsafe fn general_context() -> *mut ffi::pcre2_general_context_8 {
    extern "C" fn allocate(size: usize, _: *mut c_void) -> *mut c_void {
        // What a match keeps to go back to grows by doubling. Where it does not fit, the match fails.
        match limits::fits(size) {
            true => counted::allocate(size),
            false => null_mut(),
        }
    }
    unsafe extern "C" fn free(memory: *mut c_void, _: *mut c_void) {
        // SAFETY: PCRE2 gives back what it got from us.
        unsafe { counted::free(memory) };
    }
    // SAFETY: both functions live for ever.
    unsafe { ffi::pcre2_general_context_create_8(Some(allocate), Some(free), null_mut()) }
}

/// Limits and memory that all matches of a VM share.
#[derive(Debug)]
pub(crate) struct Machine {
    context: *mut ffi::pcre2_match_context_8,
    stack: *mut ffi::pcre2_jit_stack_8,
    limits: (u32, u32),
}

/// Why a pattern does not compile.
#[derive(Debug)]
pub(crate) struct CompileError {
    pub(crate) message: String,
    pub(crate) offset: usize,
}

/// Why a match failed; the number is PHP's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum MatchError {
    Internal = 1,
    BacktrackLimit = 2,
    RecursionLimit = 3,
    BadUtf8 = 4,
    BadUtf8Offset = 5,
    JitStack = 6,
}

impl Default for Machine {
    fn default() -> Machine {
        // SAFETY: plain creation; null results are handled by PCRE2 as "no context".
        unsafe {
            let general = general_context();
            let context = ffi::pcre2_match_context_create_8(general);
            ffi::pcre2_general_context_free_8(general);
            let stack = ffi::pcre2_jit_stack_create_8(32 << 10, 192 << 10, null_mut());
            if !context.is_null() {
                ffi::pcre2_jit_stack_assign_8(context, None, stack.cast());
            }
            Machine {
                context,
                stack,
                limits: (0, 0),
            }
        }
    }
}

impl Machine {
    /// Sets how many steps a match may take, and how deep it may recurse.
    pub(crate) fn set_limits(&mut self, steps: u32, depth: u32) {
        if self.limits != (steps, depth) && !self.context.is_null() {
            self.limits = (steps, depth);
            // SAFETY: the context is live.
            unsafe {
                ffi::pcre2_set_match_limit_8(self.context, steps.min(STEPS_AT_ONCE));
                ffi::pcre2_set_depth_limit_8(self.context, depth);
            }
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: created by `default`, and freed once.
        unsafe {
            ffi::pcre2_match_context_free_8(self.context);
            ffi::pcre2_jit_stack_free_8(self.stack);
        }
    }
}

impl Regex {
    /// Compiles a pattern with PCRE2's options.
    pub(crate) fn compile(
        pattern: &[u8],
        options: u32,
        extra: u32,
        jit: bool,
    ) -> Result<Regex, CompileError> {
        // SAFETY: the pattern is a slice; the context is created and freed here.
        unsafe {
            let general = general_context();
            let context = ffi::pcre2_compile_context_create_8(general);
            ffi::pcre2_general_context_free_8(general);
            if !context.is_null() {
                ffi::pcre2_set_compile_extra_options_8(context, extra);
            }
            let (mut error, mut offset) = (0, 0);
            let code = ffi::pcre2_compile_8(
                pattern.as_ptr(),
                pattern.len(),
                options,
                &mut error,
                &mut offset,
                context,
            );
            ffi::pcre2_compile_context_free_8(context);
            if code.is_null() {
                let message = match error {
                    SINGLE_BYTE_DISABLED => {
                        String::from("using \\C is incompatible with the 'u' modifier")
                    }
                    error => error_text(error),
                };
                return Err(CompileError { message, offset });
            }
            let (mut count, mut size) = (0u32, 0usize);
            info(code, ffi::PCRE2_INFO_CAPTURECOUNT, &mut count);
            info(code, ffi::PCRE2_INFO_SIZE, &mut size);
            let groups = count as usize + 1;
            let utf = options & ffi::PCRE2_UTF != 0;
            let names = names(code, groups);
            let known = || names.iter().flatten();
            let regex = Regex {
                code,
                spare: Cell::new(null_mut()),
                groups,
                has_unique_names: known().all(|name| known().filter(|&it| it == name).count() == 1),
                names,
                keys: Vec::new(),
                utf,
                is_machine_code: Cell::new(false),
                machine_code: RefCell::new(None),
                size: Cell::new(size),
            };
            if jit {
                regex.compile_further();
            }
            Ok(regex)
        }
    }

    /// Makes strings of the names, once for all matches.
    pub(crate) fn make_keys(&mut self, vm: &mut Vm) {
        let key = |name: &Option<Box<[u8]>>| name.as_ref().map(|name| vm.string(name));
        self.keys = self.names.iter().map(key).collect();
    }

    /// Makes machine code of the pattern. One that the JIT does not know runs in the interpreter.
    pub(crate) fn compile_further(&self) {
        let mut size = 0usize;
        // SAFETY: the code is live, and no match of it is running.
        unsafe {
            ffi::pcre2_jit_compile_8(self.code, ffi::PCRE2_JIT_COMPLETE);
            // A pattern may ask for none.
            info(self.code, ffi::PCRE2_INFO_JITSIZE, &mut size);
        }
        self.is_machine_code.set(size > 0);
        self.machine_code.replace(Some(Foreign::new(size)));
        self.size.set(self.size.get() + size);
    }

    /// Bytes that the compiled pattern takes.
    pub(super) fn size(&self) -> usize {
        self.size.get()
    }

    /// Starts matching a subject.
    #[inline(always)]
    pub(crate) fn matcher<'a>(&'a self, machine: &Machine, subject: &'a [u8]) -> Matcher<'a> {
        let mut data = self.spare.replace(null_mut());
        if data.is_null() {
            // SAFETY: the code is live.
            data = unsafe { ffi::pcre2_match_data_create_from_pattern_8(self.code, null_mut()) };
        }
        Matcher {
            regex: self,
            data,
            pairs: match data.is_null() {
                true => null(),
                // SAFETY: the block is live.
                false => unsafe { ffi::pcre2_get_ovector_pointer_8(data) },
            },
            context: machine.context,
            subject,
            checked: !self.utf,
            count: 0,
            steps: machine.limits.0,
            takes_reversed: false,
            was_interpreted: false,
        }
    }

    /// Starts matching a string from `start` on. One that is known to be UTF-8 is not looked through again, unless
    /// it is to be entered in the middle of a character, which is an error.
    #[inline(always)]
    pub(crate) fn matcher_from<'a>(
        &'a self,
        machine: &Machine,
        subject: &'a PhpString,
        start: usize,
    ) -> Matcher<'a> {
        let bytes = subject.as_bytes();
        let mut matcher = self.matcher(machine, bytes);
        let is_character = bytes.get(start).is_none_or(|byte| byte & 0xc0 != 0x80);
        matcher.checked |= is_character && subject.is_utf8();
        matcher
    }
}

impl Drop for Regex {
    fn drop(&mut self) {
        // SAFETY: created by PCRE2, and freed once; no matcher is left, they borrow the regex.
        unsafe {
            ffi::pcre2_match_data_free_8(self.spare.get());
            ffi::pcre2_code_free_8(self.code);
        }
    }
}

unsafe fn info<T>(code: *mut ffi::pcre2_code_8, what: u32, value: &mut T) {
    // SAFETY: by the caller, `what` writes a `T`.
    unsafe { ffi::pcre2_pattern_info_8(code, what, (&raw mut *value).cast()) };
}

/// The names of groups, read from the table of entries: two bytes of number, name, zero.
unsafe fn names(code: *mut ffi::pcre2_code_8, groups: usize) -> Vec<Option<Box<[u8]>>> {
    let (mut count, mut size) = (0u32, 0u32);
    let mut table: *const u8 = null();
    // SAFETY: the code is live; the table holds `count` entries of `size` bytes.
    unsafe {
        info(code, ffi::PCRE2_INFO_NAMECOUNT, &mut count);
        if count == 0 {
            return Vec::new();
        }
        info(code, ffi::PCRE2_INFO_NAMEENTRYSIZE, &mut size);
        info(code, ffi::PCRE2_INFO_NAMETABLE, &mut table);
        let mut names = vec![None; groups];
        for entry in 0..count as usize {
            let entry = std::slice::from_raw_parts(table.add(entry * size as usize), size as usize);
            let number = (entry[0] as usize) << 8 | entry[1] as usize;
            let name = &entry[2..];
            let end = memchr::memchr(0, name).unwrap_or(name.len());
            names[number] = Some(name[..end].into());
        }
        names
    }
}

fn error_text(error: i32) -> String {
    let mut buffer = [0u8; 256];
    // SAFETY: the buffer has that many bytes.
    let length =
        unsafe { ffi::pcre2_get_error_message_8(error, buffer.as_mut_ptr(), buffer.len()) };
    String::from_utf8_lossy(&buffer[..length.max(0) as usize]).into_owned()
}

/// Matches of one pattern in one subject.
#[derive(Debug)]
pub(crate) struct Matcher<'a> {
    regex: &'a Regex,
    data: *mut ffi::pcre2_match_data_8,
    /// Where the block has starts and ends of groups.
    pairs: *const usize,
    context: *mut ffi::pcre2_match_context_8,
    subject: &'a [u8],
    /// The subject is known to be UTF-8, or need not be.
    checked: bool,
    count: usize,
    /// How many steps a match may take.
    steps: u32,
    /// `\K` in a lookahead may make a match end before it starts: that is no error.
    takes_reversed: bool,
    /// It was matched without machine code, which keeps what it goes back to in the block.
    was_interpreted: bool,
}

impl Matcher<'_> {
    /// Looks for a match from `offset` on. With `after_empty`, only for one that starts there and
    /// is not empty.
    pub(crate) fn find(&mut self, offset: usize, after_empty: bool) -> Result<bool, MatchError> {
        let mut options = if self.checked {
            ffi::PCRE2_NO_UTF_CHECK
        } else {
            0
        };
        if after_empty {
            options |= ffi::PCRE2_NOTEMPTY_ATSTART | ffi::PCRE2_ANCHORED;
        }
        let mut result = self.attempt(offset, options);
        if result == ffi::PCRE2_ERROR_MATCHLIMIT && self.steps > STEPS_AT_ONCE {
            result = self.attempt_longer(offset, options);
        }
        if result >= 0 {
            self.checked = true;
            self.count = if result == 0 {
                self.regex.groups
            } else {
                result as usize
            };
            if !self.takes_reversed && self.is_reversed() {
                return Err(MatchError::Internal);
            }
            return Ok(true);
        }
        self.count = 0;
        Err(match result {
            ffi::PCRE2_ERROR_NOMATCH => {
                self.checked = true;
                return Ok(false);
            }
            ffi::PCRE2_ERROR_MATCHLIMIT => MatchError::BacktrackLimit,
            ffi::PCRE2_ERROR_DEPTHLIMIT => MatchError::RecursionLimit,
            ffi::PCRE2_ERROR_JIT_STACKLIMIT => MatchError::JitStack,
            ffi::PCRE2_ERROR_BADUTFOFFSET => MatchError::BadUtf8Offset,
            ffi::PCRE2_ERROR_UTF8_ERR21..=ffi::PCRE2_ERROR_UTF8_ERR1 => MatchError::BadUtf8,
            _ => MatchError::Internal,
        })
    }

    fn attempt(&mut self, offset: usize, options: u32) -> i32 {
        // Machine code is entered at once where no check has to come before it.
        let is_direct = self.regex.is_machine_code.get()
            && options & ffi::PCRE2_NO_UTF_CHECK != 0
            && options & ffi::PCRE2_ANCHORED == 0;
        self.was_interpreted |= !is_direct;
        let enter = match is_direct {
            true => ffi::pcre2_jit_match_8,
            false => ffi::pcre2_match_8,
        };
        // SAFETY: code, data and context are live; the subject is a slice, the offset inside it, and it
        // is UTF-8 if the pattern is and nobody checks.
        unsafe {
            enter(
                self.regex.code,
                self.subject.as_ptr(),
                self.subject.len(),
                offset.min(self.subject.len()),
                options,
                self.data,
                self.context,
            )
        }
    }

    /// Tries again with more steps: as many as fit into the time that the script has left, judging by
    /// the first attempt. A match cannot be interrupted.
    #[cold]
    fn attempt_longer(&mut self, offset: usize, options: u32) -> i32 {
        let mut steps = STEPS_AT_ONCE;
        loop {
            let started = Instant::now();
            let result = self.attempt(offset, options);
            let took = started.elapsed().max(Duration::from_micros(1));
            limits::poll();
            if result != ffi::PCRE2_ERROR_MATCHLIMIT || steps == self.steps {
                self.limit_steps(STEPS_AT_ONCE.min(self.steps));
                return result;
            }
            let more = match limits::time_left() {
                Some(left) => f64::from(steps) * left.as_secs_f64() / took.as_secs_f64(),
                None => f64::from(steps) * 8.0,
            };
            // Not all of the time at once: how fast the machine is changes. What is left over is for
            // attempts after this one.
            steps = ((more * 0.9) as u32).clamp(STEPS_AT_ONCE / 10, self.steps);
            self.limit_steps(steps);
        }
    }

    fn limit_steps(&self, steps: u32) {
        // SAFETY: the context is live.
        unsafe { ffi::pcre2_set_match_limit_8(self.context, steps) };
    }

    /// From now on a match that ends before it starts is one.
    pub(crate) fn take_reversed(&mut self) {
        self.takes_reversed = true;
    }

    /// True if the match ends before it starts.
    pub(crate) fn is_reversed(&self) -> bool {
        // SAFETY: the block holds a pair at least after a match.
        unsafe { *self.pairs > *self.pairs.add(1) }
    }

    /// Groups up to the last one that took part in the match.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Start and end of a group, if it took part.
    #[inline]
    pub(crate) fn group(&self, number: usize) -> Option<(usize, usize)> {
        if number >= self.count {
            return None;
        }
        // SAFETY: the block holds `count` pairs after a match.
        let (start, end) = unsafe {
            let pair = self.pairs.add(number * 2);
            (*pair, *pair.add(1))
        };
        // A lookbehind with \K may end before it starts.
        (start != usize::MAX).then_some((start, end.max(start)))
    }

    /// Start and end of the whole match.
    pub(crate) fn whole(&self) -> (usize, usize) {
        self.group(0).unwrap_or((0, 0))
    }

    /// The bytes of a group; none if it did not take part.
    #[inline]
    pub(crate) fn text(&self, number: usize) -> Option<&[u8]> {
        self.group(number)
            .map(|(start, end)| &self.subject[start..end])
    }

    /// The name that `(*MARK:name)` gave.
    pub(crate) fn mark(&self) -> Option<&[u8]> {
        // SAFETY: the mark is zero-terminated and lives in the compiled pattern.
        unsafe {
            let mark = ffi::pcre2_get_mark_8(self.data);
            (!mark.is_null()).then(|| std::ffi::CStr::from_ptr(mark.cast()).to_bytes())
        }
    }

    /// The place behind the character at `offset`.
    pub(crate) fn next_character(&self, offset: usize) -> usize {
        let mut next = offset + 1;
        if self.regex.utf {
            while self
                .subject
                .get(next)
                .is_some_and(|byte| byte & 0xc0 == 0x80)
            {
                next += 1;
            }
        }
        next
    }
}

impl Drop for Matcher<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the block is live, or null; so is one that another matcher gave back meanwhile.
        unsafe {
            let is_large = self.was_interpreted
                && !self.data.is_null()
                && ffi::pcre2_get_match_data_heapframes_size_8(self.data) > MOST_KEPT;
            let other = match is_large {
                true => self.data,
                false => self.regex.spare.replace(self.data),
            };
            if !other.is_null() {
                ffi::pcre2_match_data_free_8(other);
            }
        }
    }
}
