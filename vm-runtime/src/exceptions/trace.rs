//! Backtraces: of new exceptions and for `debug_backtrace()`.

use crate::array::KeyRef;
use crate::class::Class;
use crate::exceptions::{KnownClass, set_slot, slots};
use crate::frame::{Frame, call_info};
use crate::function::{Function, class_flags, flags};
use crate::message::Message;
use crate::object::PhpObject;
use crate::op::Op;
use crate::string::{KnownString, PhpString};
use crate::value::{ArrayHandle, StringHandle, Value, ValueKind, Zval};
use crate::vm::Vm;

/// Number of the opcode INCLUDE_OR_EVAL.
const INCLUDE_OR_EVAL: u8 = 73;
/// Number of the opcode HANDLE_EXCEPTION.
const HANDLE_EXCEPTION: u8 = 149;

/// What a backtrace holds.
#[derive(Debug, Clone, Copy, Default)]
pub struct BacktraceOptions {
    /// With the objects that methods were called on.
    pub objects: bool,
    /// Without arguments.
    pub ignore_arguments: bool,
    /// Leave out the innermost frame (that of `debug_backtrace()` itself).
    pub skip_last: bool,
    /// At most this many frames; 0 for all.
    pub limit: usize,
}

/// How code was included, as INCLUDE_OR_EVAL has it.
fn include_name(kind: u32) -> Option<&'static str> {
    Some(match kind {
        1 => "eval",
        2 => "include",
        4 => "include_once",
        8 => "require",
        16 => "require_once",
        _ => return None,
    })
}

/// The `include`, `eval` or the like that a frame is at.
///
/// # Safety
/// The frame is live.
pub unsafe fn running_include(frame: *const Frame) -> Option<&'static str> {
    // SAFETY: I4, by the caller; a user frame's opline is in its code.
    unsafe {
        let opline = (*frame).opline;
        let is_include =
            (*frame).is_user() && !opline.is_null() && (*opline).opcode == INCLUDE_OR_EVAL;
        is_include
            .then(|| include_name((*opline).extended_value))
            .flatten()
    }
}

/// The function of a frame.
unsafe fn function_of<'a>(frame: *const Frame) -> Option<&'a Function> {
    // SAFETY: I4, by the caller.
    unsafe { (*frame).function.as_ref() }
}

/// File of a user frame.
unsafe fn file_of(frame: *const Frame) -> *mut PhpString {
    // SAFETY: I4, by the caller: a user frame's function has an op array.
    unsafe { (*(*(*frame).function).op_array).draft.filename }
}

/// True for the frame of a constant expression.
unsafe fn is_expression(frame: *const Frame) -> bool {
    // SAFETY: I4, by the caller.
    unsafe { function_of(frame) }
        .is_some_and(|function| function.flags & flags::CONSTANT_EXPRESSION != 0)
}

/// Keys of a trace's entries.
mod keys {
    use crate::string::KnownString;

    pub static FILE: KnownString = KnownString::new(b"file");
    pub static LINE: KnownString = KnownString::new(b"line");
    pub static FUNCTION: KnownString = KnownString::new(b"function");
    pub static CLASS: KnownString = KnownString::new(b"class");
    pub static OBJECT: KnownString = KnownString::new(b"object");
    pub static TYPE: KnownString = KnownString::new(b"type");
    pub static ARGS: KnownString = KnownString::new(b"args");
}

impl Vm {
    /// The line that a user frame is at.
    ///
    /// # Safety
    /// `frame` is a live user frame.
    pub unsafe fn frame_line(&self, frame: *const Frame) -> u32 {
        // SAFETY: I4, by the caller.
        unsafe {
            let opline: *const Op = (*frame).opline;
            if opline.is_null() {
                return (*(*(*frame).function).op_array).draft.line_start;
            }
            if (*opline).opcode == HANDLE_EXCEPTION {
                let before = self.opline_before_exception;
                return match before.is_null() {
                    true => (*(*(*frame).function).op_array).draft.line_end,
                    false => (*before).lineno,
                };
            }
            (*opline).lineno
        }
    }

    /// File and line of the innermost user code, be it a constant expression of a class.
    pub(crate) fn user_position(&self) -> Option<(*mut PhpString, u32)> {
        self.expression_position()
            .or_else(|| self.position_of_frames())
    }

    /// File and line of the constant expression of a class that is being evaluated.
    fn expression_position(&self) -> Option<(*mut PhpString, u32)> {
        if !self.evaluates_expression {
            return None;
        }
        let mut frame = self.current_frame;
        // SAFETY: I4: the chain of frames is live.
        unsafe {
            while !frame.is_null() {
                if is_expression(frame) && !(*(*frame).function).scope.is_null() {
                    return Some((file_of(frame), self.frame_line(frame)));
                }
                frame = (*frame).previous;
            }
        }
        None
    }

    /// File and line of the innermost user frame.
    fn position_of_frames(&self) -> Option<(*mut PhpString, u32)> {
        let mut frame = self.current_frame;
        // SAFETY: I4: the chain of frames is live.
        unsafe {
            while !frame.is_null() {
                if (*frame).is_user() && !is_expression(frame) {
                    return Some((file_of(frame), self.frame_line(frame)));
                }
                frame = (*frame).previous;
            }
        }
        None
    }

    /// The frames' own position as an entry of a trace, if a constant expression of a class that
    /// stands elsewhere hides it.
    fn expression_entry(&mut self) -> Option<ArrayHandle> {
        let expression = self.expression_position()?;
        let hidden = self.position_of_frames()?;
        if hidden == expression {
            return None;
        }
        let mut entry = self.new_array();
        // SAFETY: I4: file names live as long as the code.
        let file = unsafe { StringHandle::share_raw(hidden.0) };
        self.put(&mut entry, &keys::FILE, file.into());
        self.put(&mut entry, &keys::LINE, Value::from(hidden.1 as i64));
        let name = self.string("[constant expression]");
        self.put(&mut entry, &keys::FUNCTION, name.into());
        Some(entry)
    }

    /// Fills in file, line and trace of a new Throwable.
    pub(crate) fn note_origin(&mut self, object: &PhpObject) {
        if let Some((file, line)) = self.user_position() {
            // SAFETY: I4: file names live as long as the code.
            let file = unsafe { StringHandle::share_raw(file) };
            set_slot(object, slots::FILE, file.into());
            set_slot(object, slots::LINE, Value::from(line as i64));
        } else {
            let file = self.string("[no active file]");
            set_slot(object, slots::FILE, file.into());
            set_slot(object, slots::LINE, Value::from(0i64));
        }
        let ignore_arguments = self.exceptions_ignore_arguments();
        let trace = self.backtrace(BacktraceOptions {
            ignore_arguments,
            ..Default::default()
        });
        set_slot(object, slots::TRACE, trace.into());
    }

    fn exceptions_ignore_arguments(&self) -> bool {
        self.ini.exception_ignore_arguments
    }

    /// The calls that led here, innermost first, as `debug_backtrace()` gives them.
    pub fn backtrace(&mut self, options: BacktraceOptions) -> ArrayHandle {
        let mut trace = self.new_array();
        let mut frame = self.current_frame;
        // The file of the entry before, which an include names as its argument. The innermost entry
        // has none before it, so there an include stands without arguments.
        let mut included: *mut PhpString = std::ptr::null_mut();
        if let Some(entry) = self.expression_entry() {
            let _ = trace.make_mut(self).push(entry.into());
        }
        // SAFETY: I4: the chain of frames is live, and building arrays runs no user code.
        unsafe {
            if options.skip_last && !frame.is_null() {
                frame = (*frame).previous;
            }
            while !frame.is_null() && (options.limit == 0 || trace.len() < options.limit) {
                let call = frame;
                let previous = (*call).previous;
                frame = previous;
                let Some(function) = function_of(call) else {
                    continue;
                };
                if !function.is_user && function.name.is_null() {
                    // Stands in for something that is no call, such as the bottom of a fiber.
                    continue;
                }
                if function.flags & flags::CONSTANT_EXPRESSION != 0
                    || (*call).call_info() & call_info::UNTRACED != 0
                {
                    continue;
                }
                if previous.is_null()
                    && (function.name.is_null() || (*call).call_info() & call_info::TOP == 0)
                {
                    break;
                }
                let mut entry = self.new_array();
                let mut include_kind = 0;
                let mut including = None;
                let mut called_in: *mut PhpString = std::ptr::null_mut();
                if let Some(caller) = position_source(call) {
                    let file = file_of(caller);
                    called_in = file;
                    let line = self.frame_line(caller);
                    self.put(
                        &mut entry,
                        &keys::FILE,
                        StringHandle::share_raw(file).into(),
                    );
                    self.put(&mut entry, &keys::LINE, Value::from(line as i64));
                    if caller == previous && !(*caller).opline.is_null() {
                        let opline = &*(*caller).opline;
                        let opline = if opline.opcode == HANDLE_EXCEPTION
                            && !self.opline_before_exception.is_null()
                        {
                            &*self.opline_before_exception
                        } else {
                            opline
                        };
                        if opline.opcode == INCLUDE_OR_EVAL {
                            include_kind = opline.extended_value;
                        }
                        // Native code calls from within the include: that is a call of its own.
                        let is_native_call = (*call).call_info() & call_info::TOP != 0;
                        if is_native_call && !function.name.is_null() {
                            including = include_name(include_kind).map(|name| (file, line, name));
                        }
                    }
                }
                if function.name.is_null() {
                    let Some(name) = include_name(include_kind) else {
                        continue;
                    };
                    if include_kind != 1 && !options.ignore_arguments && !included.is_null() {
                        let mut arguments = self.new_array();
                        let _ = arguments
                            .make_mut(self)
                            .push(StringHandle::share_raw(included).into());
                        self.put(&mut entry, &keys::ARGS, arguments.into());
                    }
                    let name = self.string(name);
                    self.put(&mut entry, &keys::FUNCTION, name.into());
                } else {
                    self.describe_call(&mut entry, call, function, options);
                }
                let _ = trace.make_mut(self).push(entry.into());
                if let Some((file, line, name)) = including {
                    let mut entry = self.new_array();
                    self.put(
                        &mut entry,
                        &keys::FILE,
                        StringHandle::share_raw(file).into(),
                    );
                    self.put(&mut entry, &keys::LINE, Value::from(line as i64));
                    let name = self.string(name);
                    self.put(&mut entry, &keys::FUNCTION, name.into());
                    let _ = trace.make_mut(self).push(entry.into());
                }
                included = called_in;
            }
        }
        trace
    }

    /// A trace of frames that are not being executed, innermost first.
    ///
    /// # Safety
    /// The frames are live user frames.
    pub unsafe fn trace_of(
        &mut self,
        frames: &[*mut Frame],
        options: BacktraceOptions,
    ) -> ArrayHandle {
        let mut trace = self.new_array();
        for (index, &call) in frames.iter().enumerate() {
            let mut entry = self.new_array();
            // SAFETY: I4, by the caller.
            unsafe {
                if let Some(&caller) = frames.get(index + 1) {
                    let (file, line) = (file_of(caller), self.frame_line(caller));
                    self.put(
                        &mut entry,
                        &keys::FILE,
                        StringHandle::share_raw(file).into(),
                    );
                    self.put(&mut entry, &keys::LINE, Value::from(line as i64));
                }
                if let Some(function) = function_of(call) {
                    self.describe_call(&mut entry, call, function, options);
                }
            }
            let _ = trace.make_mut(self).push(entry.into());
        }
        trace
    }

    /// File and line of a user frame.
    ///
    /// # Safety
    /// The frame is live.
    pub unsafe fn frame_position(&self, frame: *const Frame) -> Option<(StringHandle, u32)> {
        // SAFETY: I4, by the caller.
        unsafe {
            (*frame).is_user().then(|| {
                (
                    StringHandle::share_raw(file_of(frame)),
                    self.frame_line(frame),
                )
            })
        }
    }

    fn put(&mut self, entry: &mut ArrayHandle, key: &KnownString, value: Value) {
        // SAFETY: interned strings are always live.
        entry
            .make_mut(self)
            .set_string(unsafe { &*key.get() }, value);
    }

    unsafe fn describe_call(
        &mut self,
        entry: &mut ArrayHandle,
        call: *mut Frame,
        function: &Function,
        options: BacktraceOptions,
    ) {
        // SAFETY: I4: the frame is live, by the caller.
        unsafe {
            self.put(
                entry,
                &keys::FUNCTION,
                StringHandle::share_raw(function.name).into(),
            );
            let class_value = |class: *mut Class| StringHandle::share_raw((*class).name).into();
            if (*call).has_this() {
                let object = (*call).this.object();
                let class = if function.scope.is_null() {
                    (*object).class
                } else {
                    function.scope
                };
                self.put(entry, &keys::CLASS, class_value(class));
                if options.objects {
                    let object = crate::value::ObjectHandle::share_raw(object);
                    self.put(entry, &keys::OBJECT, object.into());
                }
                let arrow = self.string("->");
                self.put(entry, &keys::TYPE, arrow.into());
            } else if !function.scope.is_null() {
                self.put(entry, &keys::CLASS, class_value(function.scope));
                let colons = self.string("::");
                self.put(entry, &keys::TYPE, colons.into());
            }
            if !options.ignore_arguments {
                let arguments = self.frame_arguments(call, function);
                self.put(entry, &keys::ARGS, arguments.into());
            }
        }
    }

    /// The arguments of a frame as they are now.
    unsafe fn frame_arguments(&mut self, call: *mut Frame, function: &Function) -> ArrayHandle {
        let mut arguments = self.new_array();
        // SAFETY: I4: the frame is live, by the caller; extra arguments stand behind the slots.
        unsafe {
            let count = (*call).argument_count();
            let declared = function.parameters.len() as u32
                - function
                    .parameters
                    .last()
                    .is_some_and(|parameter| parameter.variadic) as u32;
            for number in 0..count {
                let slot = if function.is_user && number >= declared {
                    (*call).slot(function.slots + number - declared)
                } else {
                    (*call).slot(number)
                };
                let parameter = function.parameters.get(number as usize).or_else(|| {
                    function
                        .parameters
                        .last()
                        .filter(|parameter| parameter.variadic)
                });
                let mut value = Value::share(&*slot);
                if parameter.is_some_and(|parameter| parameter.sensitive) {
                    value = self.sensitive_value(value);
                }
                let _ = arguments.make_mut(self).push(value);
            }
            if (*call).call_info() & call_info::HAS_EXTRA_NAMED != 0
                && !(*call).extra_named.is_null()
            {
                let named = ArrayHandle::share_raw((*call).extra_named);
                for (key, value) in named.iter() {
                    let mut value = Value::share(value);
                    let collector = function.parameters.last();
                    if collector.is_some_and(|parameter| parameter.sensitive) {
                        value = self.sensitive_value(value);
                    }
                    arguments.make_mut(self).set(key, value);
                }
            }
        }
        arguments
    }

    /// Wraps the argument of a `#[SensitiveParameter]`.
    fn sensitive_value(&mut self, value: Value) -> Value {
        let class = self.class_of(KnownClass::SensitiveParameterValue);
        let object = PhpObject::allocate(self, class);
        set_slot(&object, 0, value);
        object.into()
    }
}

/// The frame whose file and line a call is reported at: the caller if it is user code. A call made
/// by a native function has none, unless only trampolines and the like stand between.
unsafe fn position_source(call: *const Frame) -> Option<*mut Frame> {
    // SAFETY: I4: the chain of frames is live, by the caller.
    unsafe {
        let mut caller = (*call).previous;
        while !caller.is_null() {
            let transparent = flags::CALL_VIA_TRAMPOLINE | flags::CONSTANT_EXPRESSION;
            match function_of(caller) {
                Some(function) if function.flags & transparent == 0 => {
                    return function.is_user.then_some(caller);
                }
                _ => caller = (*caller).previous,
            }
        }
        None
    }
}

/// A trace in the form of `getTraceAsString()`.
pub fn trace_text(vm: &mut Vm, trace: &Zval) -> Vec<u8> {
    let mut text = trace_lines(vm, trace);
    let number = match trace.view() {
        ValueKind::Array(frames) => frames.len(),
        _ => 0,
    };
    text.extend_from_slice(format!("#{number} {{main}}").as_bytes());
    text
}

/// The calls of a trace, one a line: `#0 file(line): function(arguments)`.
pub fn trace_lines(vm: &mut Vm, trace: &Zval) -> Vec<u8> {
    let mut text = Vec::new();
    let ValueKind::Array(frames) = trace.view() else {
        return text;
    };
    for (number, (_, frame)) in frames.iter().enumerate() {
        if let ValueKind::Array(frame) = frame.view() {
            text.push(b'#');
            push_number(&mut text, number as i64);
            text.push(b' ');
            frame_text(vm, frame, &mut text);
        }
    }
    text
}

/// Writes a number, which is mostly a small one.
fn push_number(text: &mut Vec<u8>, number: i64) {
    match u8::try_from(number) {
        Ok(digit @ 0..10) => text.push(b'0' + digit),
        _ => text.extend_from_slice(number.to_string().as_bytes()),
    }
}

fn frame_text(vm: &mut Vm, frame: &crate::array::PhpArray, text: &mut Vec<u8>) {
    let entry = |key: &KnownString| frame.get_string(&key.handle());
    match entry(&keys::FILE).map(Zval::view) {
        Some(ValueKind::String(file)) => {
            let line = match entry(&keys::LINE).map(Zval::view) {
                Some(ValueKind::Long(line)) => line,
                _ => 0,
            };
            text.extend_from_slice(file.as_bytes());
            text.push(b'(');
            push_number(text, line);
            text.extend_from_slice(b"): ");
        }
        _ => text.extend_from_slice(b"[internal function]: "),
    }
    if let Some(class) = entry(&keys::CLASS).and_then(Zval::as_bytes) {
        let end = memchr::memchr(0, class).unwrap_or(class.len());
        text.extend_from_slice(&class[..end]);
    }
    for key in [&keys::TYPE, &keys::FUNCTION] {
        if let Some(bytes) = entry(key).and_then(Zval::as_bytes) {
            text.extend_from_slice(bytes);
        }
    }
    text.push(b'(');
    if let Some(ValueKind::Array(arguments)) = entry(&keys::ARGS).map(Zval::view) {
        for (index, (key, argument)) in arguments.iter().enumerate() {
            if index > 0 {
                text.extend_from_slice(b", ");
            }
            if let KeyRef::String(name) = key {
                text.extend_from_slice(name.as_bytes());
                text.extend_from_slice(b": ");
            }
            text.extend_from_slice(&argument_bytes(vm, argument));
        }
    }
    text.extend_from_slice(b")\n");
}

/// A value as traces and messages show it: strings are cut, arrays and objects only named.
pub fn argument_text(vm: &mut Vm, value: &Zval) -> String {
    crate::message::text(&argument_bytes(vm, value)).into_owned()
}

fn argument_bytes(vm: &mut Vm, value: &Zval) -> Vec<u8> {
    match value.view() {
        ValueKind::Null => b"NULL".to_vec(),
        ValueKind::Bool(flag) => if flag { &b"true"[..] } else { b"false" }.to_vec(),
        ValueKind::Long(number) => number.to_string().into_bytes(),
        ValueKind::Double(number) => {
            let text = crate::operators::float_text::general(number, vm.ini.precision);
            let mut text = text.as_bytes().to_vec();
            if number.is_finite() && !text.iter().any(|byte| matches!(byte, b'.' | b'E')) {
                text.extend_from_slice(b".0");
            }
            text
        }
        ValueKind::String(string) => {
            let limit = vm.exception_string_limit();
            let bytes = string.as_bytes();
            let mut text = vec![b'\''];
            escape(&mut text, &bytes[..bytes.len().min(limit)]);
            if bytes.len() > limit {
                text.extend_from_slice(b"...");
            }
            text.push(b'\'');
            text
        }
        ValueKind::Array(_) => b"Array".to_vec(),
        ValueKind::Object(object) => {
            let class = object.class();
            if class.flags & class_flags::ENUM != 0 {
                // SAFETY: the first slot of a case is its name.
                let name = unsafe { (*object.slot(0)).as_bytes().unwrap_or_default().to_vec() };
                return [&class.display_name().message(), &b"::"[..], &name].concat();
            }
            format!("Object({})", class.display_name())
                .message()
                .into_owned()
        }
        ValueKind::Resource(resource) => format!("Resource id #{}", resource.id).into_bytes(),
    }
}

/// Control characters, backslashes and bytes beyond ASCII are written as escapes.
pub(crate) fn escape(text: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b'\n' => text.extend_from_slice(b"\\n"),
            b'\r' => text.extend_from_slice(b"\\r"),
            b'\t' => text.extend_from_slice(b"\\t"),
            0x0c => text.extend_from_slice(b"\\f"),
            0x0b => text.extend_from_slice(b"\\v"),
            b'\\' => text.extend_from_slice(b"\\\\"),
            0x1b => text.extend_from_slice(b"\\e"),
            32..=126 => text.push(byte),
            _ => text.extend_from_slice(format!("\\x{byte:02X}").as_bytes()),
        }
    }
}

impl Vm {
    /// `zend.exception_string_param_max_len`
    fn exception_string_limit(&self) -> usize {
        usize::try_from(self.ini.exception_string_length).unwrap_or(0)
    }
}
