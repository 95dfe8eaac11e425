//! What is running: questions about the current frame, and what interrupts it.

use std::sync::atomic::Ordering;

use crate::class::Class;
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::{Function, flags};
use crate::message::Message;
use crate::string::{KnownString, PhpString};
use crate::value::{ObjectHandle, StringHandle, Value};
use crate::vm::{PhpResult, Vm};

/// Bits of the interrupt word.
pub mod interrupt {
    /// The time limit has passed.
    pub const TIMED_OUT: u32 = 1;
    /// The host asked the script to stop.
    pub const STOP: u32 = 2;
    /// Native memory went over the memory limit.
    pub const OUT_OF_MEMORY: u32 = 4;
    /// A signal came that a function of the script handles.
    pub const SIGNAL: u32 = 8;
    /// The tier wants to see what runs. Native code takes no notice.
    pub const SAMPLE: u32 = 16;
}

impl Vm {
    /// The innermost user frame, or null.
    pub fn user_frame(&self) -> *mut Frame {
        let mut frame = self.current_frame;
        // SAFETY: I4: frames on the chain are live.
        unsafe {
            while !frame.is_null() && !(*frame).is_user() {
                frame = (*frame).previous;
            }
        }
        frame
    }

    /// The class scope of the innermost user code, or null.
    pub fn current_scope(&self) -> *mut Class {
        running_scope(self)
    }

    /// The class `static` means in the innermost user code, or null.
    pub fn current_called_class(&self) -> *mut Class {
        let frame = self.user_frame();
        // SAFETY: I4: the frame is live.
        if frame.is_null() {
            std::ptr::null_mut()
        } else {
            unsafe { (*frame).called_class() }
        }
    }

    /// `$this` of the innermost user code.
    pub fn running_this(&self) -> Option<ObjectHandle> {
        let frame = self.user_frame();
        // SAFETY: I4: the frame and its `this` are live.
        unsafe {
            if frame.is_null() || !(*frame).has_this() {
                return None;
            }
            Some(ObjectHandle::share_raw((*frame).this.object()))
        }
    }

    /// The line being executed by the innermost user code; 0 if none runs.
    pub fn current_line(&self) -> u32 {
        self.user_position().map_or(0, |(_, line)| line)
    }

    /// The file of the innermost user code.
    pub fn current_file(&mut self) -> StringHandle {
        match self.user_position() {
            // SAFETY: I4: file names live as long as the code.
            Some((file, _)) => unsafe { StringHandle::share_raw(file) },
            None => self.string(""),
        }
    }

    /// True if the innermost user code was compiled with `strict_types`.
    pub fn caller_is_strict(&self) -> bool {
        let frame = self.user_frame();
        // SAFETY: I4: the frame is live.
        !frame.is_null() && unsafe { (*(*frame).function).flags & flags::STRICT_TYPES != 0 }
    }

    /// Keeps a string alive until the next poll.
    pub fn keep_until_next_poll(&mut self, string: StringHandle) {
        if self.kept.len() > 64 {
            self.kept.remove(0);
        }
        self.kept.push(string);
    }

    /// Ends the script if one of its limits is reached or the host wants that. Native code that
    /// loops calls it now and then: often enough that a limit ends it within a tenth of a second. It
    /// unwinds then.
    #[inline]
    pub fn poll(&mut self) {
        if cfg!(feature = "unlimited") {
            return;
        }
        let word = self.interrupt.load(Ordering::Relaxed) & !interrupt::SAMPLE;
        if word != 0 && !self.errors.in_fatal_error {
            self.handle_interrupt();
        }
    }

    /// Runs functions of the script for signals that came, if there are any: for native code that
    /// was interrupted, when it is done.
    pub fn run_signals(&mut self) -> PhpResult<()> {
        let word = self
            .interrupt
            .fetch_and(!interrupt::SIGNAL, Ordering::Relaxed);
        if word & interrupt::SIGNAL != 0
            && let Some(on_signal) = self.on_signal
        {
            on_signal(self);
        }
        self.check()
    }

    /// Looks into what set the interrupt word. Which function runs is left to be looked at by functions.
    #[cold]
    pub fn handle_interrupt(&mut self) {
        let word = self
            .interrupt
            .fetch_and(interrupt::SAMPLE, Ordering::Relaxed);
        if word & interrupt::OUT_OF_MEMORY != 0 {
            let request = self.heap.native_request();
            self.heap.check_limit(0, request);
        }
        if word & interrupt::SIGNAL != 0 {
            // It waits for the next jump or call: native code is not interrupted.
            self.interrupt
                .fetch_or(interrupt::SIGNAL, Ordering::Relaxed);
        }
        if word & interrupt::STOP != 0 {
            self.fatal_error("The host stopped the script");
        }
        if word & interrupt::TIMED_OUT != 0 {
            let limit = self.time_limit;
            let unit = if limit == 1 { "second" } else { "seconds" };
            self.fatal_error(&format!(
                "Maximum execution time of {limit} {unit} exceeded"
            ));
        }
    }

    /// True if `assert()` is to be evaluated.
    pub fn assertions_active(&self) -> bool {
        self.ini.assertions > 0
    }

    /// The `include_path` setting.
    pub fn include_path(&self) -> String {
        String::from_utf8_lossy(self.ini.text("include_path")).into_owned()
    }

    /// Reports a fatal error of a given place and unwinds.
    pub fn fatal_error_at(&mut self, level: u32, message: &str, file: &[u8], line: u32) -> ! {
        crate::class::report_error_at(self, level, file, line, message);
        self.exit_status = 255;
        crate::heap::bail_out()
    }

    /// Reports an error of a given place; it never unwinds.
    pub fn report_at(
        &mut self,
        level: u32,
        message: impl crate::message::Message,
        file: &[u8],
        line: u32,
    ) {
        crate::class::report_error_at(self, level, file, line, message);
    }

    /// Drops an exception that was thrown only to be told in other words.
    pub fn drop_exception_down_to(&mut self, pending: *mut crate::object::PhpObject) {
        if self.exception == pending || self.exception.is_null() {
            return;
        }
        let dropped = std::mem::replace(&mut self.exception, pending);
        if pending.is_null() {
            self.undo_redirection();
        }
        // SAFETY: I3: the VM owned a share of the exception.
        drop(unsafe { ObjectHandle::from_raw(dropped) });
    }

    /// A class by its name or by where it stands (`self`, `static`, `parent`), with the error if there is none.
    pub fn class_for_call(&mut self, name: &[u8]) -> PhpResult<*mut Class> {
        /// What names a class by where it stands.
        const KEYWORDS: [&[u8]; 3] = [b"self", b"static", b"parent"];
        let scope = self.current_scope();
        let word = KEYWORDS.iter().find(|word| word.eq_ignore_ascii_case(name));
        // SAFETY: I4: classes live until the VM ends.
        unsafe {
            match word.copied().unwrap_or_default() {
                b"self" if !scope.is_null() => return Ok(scope),
                b"static" if !scope.is_null() => return Ok(self.current_called_class()),
                b"parent" if !scope.is_null() && !(*scope).parent.is_null() => {
                    return Ok((*scope).parent);
                }
                word if !word.is_empty() => {
                    let word = crate::message::text(word);
                    let reason = match scope.is_null() {
                        true => "when no class scope is active",
                        false => "when current class scope has no parent",
                    };
                    return Err(self.throw_error(
                        KnownClass::Error,
                        format!("Cannot access \"{word}\" {reason}"),
                    ));
                }
                _ => {}
            }
        }
        self.existing_class(name)
    }

    /// As [`Vm::existing_class`], of a name that may come again.
    pub(crate) fn existing_class_named(&mut self, name: &PhpString) -> PhpResult<*mut Class> {
        let class = self.existing_class(name.as_bytes())?;
        self.found_classes.note(name, class);
        Ok(class)
    }

    /// A class by its name, with the error if there is none.
    pub fn existing_class(&mut self, name: &[u8]) -> PhpResult<*mut Class> {
        match self.class_by_name(name, true)? {
            Some(class) => Ok(class),
            None => {
                let shown =
                    crate::message::text(name.strip_prefix(b"\\").unwrap_or(name)).into_owned();
                Err(self.throw_error(KnownClass::Error, format!("Class \"{shown}\" not found")))
            }
        }
    }

    /// A class that is linked already.
    pub fn find_class(&self, lowercase: &[u8]) -> Option<*mut Class> {
        let class = self.classes.get(lowercase).copied();
        // SAFETY: I4: classes live until the VM ends.
        class.filter(|&class| unsafe { (*class).is_linked() })
    }

    /// The function that stands in for a missing constructor: it takes any arguments and does
    /// nothing.
    pub fn pass_function(&mut self) -> *const Function {
        static NAME: KnownString = KnownString::new(b"pass");
        if self.pass_function.is_null() {
            self.pass_function = native(NAME.get(), |_| Ok(Value::NULL), 0);
        }
        self.pass_function
    }

    /// The function of a fiber's outermost frame. It has no name, so that traces leave it out.
    pub fn fiber_function(&mut self) -> *const Function {
        if self.fiber_function.is_null() {
            let function = native(std::ptr::null_mut(), |_| Ok(Value::NULL), 0);
            self.stand_ins.push(function);
            self.fiber_function = function;
        }
        self.fiber_function
    }

    /// The function of fibers in which the cycle collector calls destructors.
    pub(crate) fn destructor_function(&mut self) -> *const Function {
        static NAME: KnownString = KnownString::new(b"gc_destructor_fiber");
        if self.destructor_function.is_null() {
            let function = native(NAME.get(), crate::collector::destructor_fiber, 0);
            self.stand_ins.push(function);
            self.destructor_function = function;
        }
        self.destructor_function
    }

    /// The stand-in for a hook that the property of `class` does not have: plain access to its
    /// storage.
    pub fn plain_hook_function(
        &mut self,
        getting: bool,
        class: *mut Class,
        property: *mut PhpString,
    ) -> *const Function {
        let parameters = u32::from(!getting);
        let known = self.stand_ins.iter().copied().find(|&function| {
            // SAFETY: I4: stand-ins live until the VM ends.
            let function = unsafe { &*function };
            function.scope == class
                && function.hooked_property == property
                && function.parameter_count == parameters
        });
        if let Some(function) = known {
            return function;
        }
        // SAFETY: I4: a property's name lives as long as its class.
        let plain = unsafe { (*property).to_text() };
        let kind = if getting { "get" } else { "set" };
        let name = self.names.string(&format!("${plain}::{kind}").message());
        let code: crate::function::NativeFunction = if getting { plain_get } else { plain_set };
        let function = native(name, code, parameters);
        // SAFETY: the function was just made.
        unsafe {
            (*function).scope = class;
            (*function).hooked_property = property;
            (*function).flags &= !flags::VARIADIC;
            (*function).parameters = match getting {
                true => std::sync::Arc::new([]),
                false => hook_parameter(),
            };
            (*function).parameter_count = parameters;
            (*function).required_count = parameters;
            (*function).slots = parameters;
            (*function).index_parameters();
        }
        self.stand_ins.push(function);
        function
    }
}

fn plain_get(call: &mut crate::function::Call<'_>) -> PhpResult<Value> {
    let (object, name) = plain_parts(call);
    crate::object::read::read_storage(call.vm, object.as_ptr(), &name)
}

fn plain_set(call: &mut crate::function::Call<'_>) -> PhpResult<Value> {
    let (object, name) = plain_parts(call);
    let value = call.value(0);
    crate::object::write::write_storage(call.vm, object.as_ptr(), &name, value)
}

fn plain_parts(call: &crate::function::Call<'_>) -> (ObjectHandle, StringHandle) {
    // SAFETY: I4: the function knows its property; the call has a `this`.
    unsafe {
        (
            ObjectHandle::share_raw((*call.frame).this.object()),
            StringHandle::share_raw(call.function().hooked_property),
        )
    }
}

/// The class scope of the running code: that of the innermost function with one to speak of.
pub fn running_scope(vm: &Vm) -> *mut Class {
    let mut frame = vm.current_frame;
    // SAFETY: I4: frames on the chain are live.
    unsafe {
        while !frame.is_null() {
            let function = (*frame).function;
            if !function.is_null() && ((*function).is_user || !(*function).scope.is_null()) {
                return (*function).scope;
            }
            frame = (*frame).previous;
        }
    }
    std::ptr::null_mut()
}

/// A native function without a signature: takes what it gets.
fn native(
    name: *mut PhpString,
    code: crate::function::NativeFunction,
    _count: u32,
) -> *mut Function {
    Box::into_raw(Box::new(Function {
        is_user: false,
        quick_arguments: 0,
        flags: flags::PUBLIC | flags::VARIADIC,
        parameter_count: 0,
        required_count: 0,
        owners: Default::default(),
        ops: std::ptr::null(),
        slots: 0,
        variables: 0,
        op_array: std::ptr::null(),
        run_time_cache: std::ptr::null_mut(),
        static_variables: std::ptr::null_mut(),
        native: Some(code),
        direct: None,
        accepted: u64::MAX,
        name,
        scope: std::ptr::null_mut(),
        prototype: std::ptr::null(),
        parameters: any_arguments(),
        return_type: None,
        code: None,
        hooked_property: std::ptr::null_mut(),
        closure: std::ptr::null_mut(),
        native_data: NO_SIGNATURE,
    }))
}

/// The parameters of a function that takes whatever it gets.
pub fn any_arguments() -> std::sync::Arc<[crate::function::Parameter]> {
    static NAME: KnownString = KnownString::new(b"arguments");
    static PARAMETERS: std::sync::OnceLock<std::sync::Arc<[crate::function::Parameter]>> =
        std::sync::OnceLock::new();
    PARAMETERS
        .get_or_init(|| one_parameter(NAME.get(), true))
        .clone()
}

/// The parameter of the stand-in for a `set` hook.
fn hook_parameter() -> std::sync::Arc<[crate::function::Parameter]> {
    static NAME: KnownString = KnownString::new(b"value");
    one_parameter(NAME.get(), false)
}

fn one_parameter(
    name: *mut PhpString,
    variadic: bool,
) -> std::sync::Arc<[crate::function::Parameter]> {
    std::sync::Arc::new([crate::function::Parameter {
        name,
        declared: None,
        pass_by: crate::function::PassBy::Value,
        variadic,
        promoted: 0,
        default: crate::value::Zval::UNDEF,
        default_source: "",
        sensitive: false,
        attributes: Vec::new(),
    }])
}

/// Mark of native functions whose arguments are not checked.
pub const NO_SIGNATURE: usize = 1;
