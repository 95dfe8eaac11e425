//! The stack of output buffers (`ob_start` and its family).

use crate::operators::{append_bytes, to_string};
use crate::string::KnownString;
use crate::value::{FALSE, StringHandle, TRUE, Value};
use crate::vm::Vm;

/// Flags of buffers and operations on them; the numbers are PHP's `PHP_OUTPUT_HANDLER_*`.
pub mod buffer_flags {
    /// Operation: the callback is called for the first time.
    pub const START: u32 = 1;
    /// Operation: something was written.
    pub const WRITE: u32 = 0;
    /// Operation: the contents are passed on.
    pub const FLUSH: u32 = 4;
    /// Operation: the contents are thrown away.
    pub const CLEAN: u32 = 2;
    /// Operation: the buffer ends.
    pub const FINAL: u32 = 8;
    /// `ob_clean` is allowed.
    pub const CLEANABLE: u32 = 16;
    /// `ob_flush` is allowed.
    pub const FLUSHABLE: u32 = 32;
    /// Ending it is allowed.
    pub const REMOVABLE: u32 = 64;
    /// All of these.
    pub const STANDARD: u32 = CLEANABLE | FLUSHABLE | REMOVABLE;
    /// The callback is a PHP callable.
    pub const USER: u32 = 1;
    /// The callback has been called.
    pub const STARTED: u32 = 0x1000;
    /// The callback failed and is not called any more.
    pub const DISABLED: u32 = 0x2000;
    /// The callback has handled output.
    pub const PROCESSED: u32 = 0x4000;
}

use buffer_flags as flags;

/// Smallest size a buffer reports.
const DEFAULT_SIZE: usize = 0x4000;
const PAGE: usize = 0x1000;

static DEFAULT_NAME: KnownString = KnownString::new(b"default output handler");

/// A handler of the engine's own: is given the contents and the operation, and gives what is passed
/// on; nothing if it failed.
pub type NativeHandler = fn(&mut Vm, &[u8], u32) -> Option<StringHandle>;

/// An output buffer.
#[derive(Debug)]
pub struct Buffer {
    /// Name of its callback.
    pub name: StringHandle,
    /// The callback, or null for the default: contents are passed on as they are.
    callback: Value,
    /// What the engine does with the contents, instead of a callback.
    handler: Option<NativeHandler>,
    /// See [`buffer_flags`].
    pub flags: u32,
    /// Contents beyond this many bytes are passed on at once; 0 for no limit.
    pub chunk_size: usize,
    /// Reported size.
    pub size: usize,
    /// A string.
    contents: Value,
}

impl Buffer {
    /// What is in it.
    pub fn contents(&self) -> &[u8] {
        self.contents.as_bytes().unwrap_or_default()
    }
}

/// What a callback made of the contents.
enum Outcome {
    /// Nothing is left to pass on.
    Nothing,
    /// This is to be passed on.
    Output(StringHandle),
}

fn initial_size(chunk_size: usize) -> usize {
    if chunk_size > 1 {
        chunk_size / PAGE * PAGE + PAGE
    } else {
        DEFAULT_SIZE
    }
}

impl Vm {
    /// Starts a buffer. `callback` is `null` or a callable that was checked, `name` its name. False
    /// if there can be none any more.
    pub fn start_buffer(
        &mut self,
        callback: Value,
        name: &[u8],
        chunk_size: usize,
        allowed: u32,
    ) -> bool {
        self.forbid_in_callback();
        if self.output.unbuffered {
            return false;
        }
        let user = if callback.is_null() { 0 } else { flags::USER };
        let name = if user == 0 {
            DEFAULT_NAME.handle()
        } else {
            self.string(name)
        };
        let contents = self.string("").into();
        self.output.buffers.push(Buffer {
            name,
            callback,
            handler: None,
            flags: allowed & flags::STANDARD | user,
            chunk_size,
            size: initial_size(chunk_size),
            contents,
        });
        true
    }

    /// Starts a buffer whose handler is the engine's own. False if that is too late.
    pub fn start_native_buffer(
        &mut self,
        handler: NativeHandler,
        name: &[u8],
        allowed: u32,
    ) -> bool {
        if !self.start_buffer(Value::NULL, name, 0, allowed) {
            return false;
        }
        let name = self.string(name);
        if let Some(buffer) = self.output.buffers.last_mut() {
            buffer.name = name;
            buffer.handler = Some(handler);
        }
        true
    }

    /// Starts the buffer that the settings ask for: `output_handler`, `output_buffering`.
    pub fn start_buffer_of_settings(&mut self) {
        let handler = self.ini.text("output_handler").to_vec();
        let size = self.ini.text("output_buffering").to_vec();
        if !handler.is_empty() {
            let callback: Value = self.string(&handler).into();
            match self.resolve_callable(&callback) {
                Ok(_) => {
                    self.start_buffer(callback, &handler, 0, flags::STANDARD);
                }
                Err(reason) => self.warning(&reason),
            }
            return;
        }
        let size = match crate::ini::parse_long(&size) {
            0 => i64::from(crate::ini::parse_bool(&size)),
            size => size,
        };
        if size > 0 {
            // One only says that there is to be a buffer.
            let size = if size > 1 { size as usize } else { 0 };
            self.start_buffer(Value::NULL, b"", size, flags::STANDARD);
        }
    }

    /// Ends the script if a buffer's callback is running: there, buffers must be left alone.
    pub fn forbid_in_callback(&mut self) {
        if self.output.running {
            self.output.running = false;
            // From here on there are no buffers; destructors of their callbacks see that already.
            self.output.unbuffered = true;
            drop(std::mem::take(&mut self.output.buffers));
            let message = "Cannot use output buffering in output buffering display handlers";
            self.function_fatal_error(message);
        }
    }

    /// Writes through the buffers, innermost first, until one keeps the bytes.
    #[inline(never)]
    pub(super) fn write_buffered(&mut self, bytes: &[u8]) {
        let mut output: Option<StringHandle> = None;
        let mut level = self.output.buffers.len();
        while level > 0 {
            level -= 1;
            if self.output.buffers[level].flags & flags::DISABLED != 0 {
                continue;
            }
            let input = output.as_ref().map_or(bytes, |output| output.as_bytes());
            match self.run_buffer(level, flags::WRITE, input) {
                Outcome::Nothing => return,
                Outcome::Output(next) => output = Some(next),
            }
            level = level.min(self.output.buffers.len());
        }
        let passed = output.as_ref().map_or(bytes, |output| output.as_bytes());
        if self.output.started.is_none() {
            self.note_output_start(passed);
        }
        self.output.put(passed);
    }

    /// Adds to a buffer; true if the contents stay there for now.
    fn append_to_buffer(&mut self, level: usize, bytes: &[u8]) -> bool {
        if bytes.is_empty() {
            return true;
        }
        let buffer = &mut self.output.buffers[level];
        let used = buffer.contents().len();
        let free = buffer.size - used.min(buffer.size);
        if free <= bytes.len() {
            let missing = bytes.len() - free;
            buffer.size += initial_size(missing).max(initial_size(buffer.chunk_size));
        }
        let chunk_size = buffer.chunk_size;
        // A fatal error for want of memory is itself written to the buffer.
        let contents = buffer.contents.as_zval_mut() as *mut crate::value::Zval;
        // SAFETY: I3: buffers are only removed between writes.
        unsafe { append_bytes(self, &mut *contents, bytes) };
        chunk_size == 0 || used + bytes.len() < chunk_size || self.output.running
    }

    /// Takes the contents out of a buffer.
    fn take_contents(&mut self, level: usize) -> StringHandle {
        let empty = self.string("").into();
        let contents = std::mem::replace(&mut self.output.buffers[level].contents, empty);
        contents.string().unwrap_or_else(|| self.string(""))
    }

    /// Adds to a buffer and, unless that was all, runs its callback on the contents.
    fn run_buffer(&mut self, level: usize, operation: u32, input: &[u8]) -> Outcome {
        if operation != flags::WRITE {
            self.forbid_in_callback();
        }
        if self.append_to_buffer(level, input) && operation == flags::WRITE {
            return Outcome::Nothing;
        }
        let buffer = &mut self.output.buffers[level];
        if buffer.flags & flags::DISABLED != 0 {
            return Outcome::Output(self.take_contents(level));
        }
        let first = if buffer.flags & flags::STARTED == 0 {
            flags::START
        } else {
            0
        };
        buffer.flags |= flags::STARTED;
        let returned = if let Some(handler) = buffer.handler {
            let contents = buffer.contents.clone();
            let page = contents.as_bytes().unwrap_or_default();
            self.output.running = true;
            let returned = handler(self, page, operation | first);
            self.output.running = false;
            returned
        } else if buffer.callback.is_null() {
            buffer.flags |= flags::PROCESSED;
            let contents = self.take_contents(level);
            return if contents.is_empty() {
                Outcome::Nothing
            } else {
                Outcome::Output(contents)
            };
        } else {
            let callback = buffer.callback.clone();
            let arguments = vec![buffer.contents.clone(), ((operation | first) as i64).into()];
            self.call_buffer_callback(&callback, arguments)
        };
        let Some(buffer) = self.output.buffers.get_mut(level) else {
            return Outcome::Nothing;
        };
        match returned {
            None => {
                buffer.flags |= flags::DISABLED;
                Outcome::Output(self.take_contents(level))
            }
            Some(output) => {
                buffer.flags |= flags::PROCESSED;
                drop(self.take_contents(level));
                if output.is_empty() {
                    Outcome::Nothing
                } else {
                    Outcome::Output(output)
                }
            }
        }
    }

    /// Calls a callback; `None` if it failed.
    fn call_buffer_callback(
        &mut self,
        callback: &Value,
        arguments: Vec<Value>,
    ) -> Option<StringHandle> {
        if !self.exception.is_null() {
            return None;
        }
        self.output.running = true;
        let returned = self.call(callback, arguments);
        // What an exception handler writes is still part of the buffer.
        self.end_without_frames();
        // So is what is said about its result.
        let text = returned
            .ok()
            .and_then(|returned| match returned.deref().kind() {
                FALSE => None,
                TRUE => Some(self.string("")),
                _ => to_string(self, &returned).ok(),
            });
        self.output.running = false;
        text
    }

    /// The innermost buffer.
    pub fn active_buffer(&self) -> Option<&Buffer> {
        self.output.buffers.last()
    }

    /// All buffers, the outermost first.
    pub fn buffers(&self) -> &[Buffer] {
        &self.output.buffers
    }

    /// The contents of the innermost buffer.
    pub fn buffer_contents(&self) -> Option<StringHandle> {
        self.active_buffer()?.contents.string()
    }

    /// Passes on the contents of the innermost buffer. False if that is not allowed.
    pub fn flush_buffer(&mut self) -> bool {
        let Some(level) = self.output.buffers.len().checked_sub(1) else {
            return false;
        };
        if self.output.buffers[level].flags & flags::FLUSHABLE == 0 {
            return false;
        }
        if let Outcome::Output(output) = self.run_buffer(level, flags::FLUSH, b"")
            && level < self.output.buffers.len()
        {
            let inner = self.output.buffers.split_off(level);
            self.write(&output);
            self.output.buffers.extend(inner);
        }
        true
    }

    /// Throws away the contents of the innermost buffer. False if that is not allowed.
    pub fn clean_buffer(&mut self) -> bool {
        let Some(level) = self.output.buffers.len().checked_sub(1) else {
            return false;
        };
        if self.output.buffers[level].flags & flags::CLEANABLE == 0 {
            return false;
        }
        self.run_buffer(level, flags::CLEAN, b"");
        true
    }

    /// Ends the innermost buffer, with a notice if that is not allowed.
    pub fn end_buffer(&mut self, discard: bool) -> bool {
        let verb = if discard { "discard" } else { "send" };
        let Some(buffer) = self.output.buffers.last() else {
            let message = format!("Failed to {verb} buffer. No buffer to {verb}");
            self.function_notice(message);
            return false;
        };
        if buffer.flags & flags::REMOVABLE == 0 {
            let level = self.output.buffers.len() - 1;
            let message = format!(
                "Failed to {verb} buffer of {} ({level})",
                buffer.name.to_text()
            );
            self.function_notice(message);
            return false;
        }
        self.pop_buffer(discard);
        true
    }

    fn pop_buffer(&mut self, discard: bool) {
        let level = self.output.buffers.len() - 1;
        let mut outcome = Outcome::Nothing;
        if self.output.buffers[level].flags & flags::DISABLED == 0 {
            let clean = if discard { flags::CLEAN } else { 0 };
            outcome = self.run_buffer(level, flags::FINAL | clean, b"");
        }
        if level >= self.output.buffers.len() {
            return;
        }
        let ended = self.output.buffers.remove(level);
        if let Outcome::Output(output) = outcome
            && !discard
        {
            self.write(&output);
        }
        drop(ended);
    }

    /// Ends all buffers, passing their contents on: at the end of the script.
    pub fn end_all_buffers(&mut self) {
        self.reset_after_bailout();
        while !self.output.buffers.is_empty() {
            self.pop_buffer(false);
        }
    }

    /// Ends all buffers and throws their contents away. Runs no code, not even destructors: those
    /// of the callbacks wait for the end of the VM.
    pub fn discard_all_buffers(&mut self) {
        self.output.running = false;
        let buffers = std::mem::take(&mut self.output.buffers);
        self.output.discarded.extend(buffers);
    }

    /// A callback that was running when a fatal error unwound is not called again.
    fn reset_after_bailout(&mut self) {
        if std::mem::take(&mut self.output.running)
            && let Some(buffer) = self.output.buffers.last_mut()
        {
            buffer.flags |= flags::DISABLED;
        }
    }
}
