//! What a host program sets up in a VM: globals, superglobals, settings, native functions made of
//! Rust closures.

use crate::class::Class;
use crate::function::{Call, Function, flags};
use crate::interpreter::state::NO_SIGNATURE;
use crate::op_array::late_globals;
use crate::string::PhpString;
use crate::value::{ArrayHandle, ObjectHandle, Value};
use crate::vm::{PhpResult, Vm};

/// A host's function.
pub type HostFunction = Box<dyn Fn(&mut Call<'_>) -> PhpResult<Value> + Send>;

/// The functions that a host registered.
#[derive(Default)]
pub struct HostFunctions(Vec<HostFunction>);

impl std::fmt::Debug for HostFunctions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} host functions", self.0.len())
    }
}

/// Of [`late_globals`], those that wait for a source to name them.
#[derive(Default)]
struct LateGlobals(u8);

/// What a script is called that is no file.
pub const STANDARD_INPUT: &[u8] = b"Standard input code";

impl Vm {
    /// Sets a global variable.
    pub fn set_global(&mut self, name: &[u8], value: Value) {
        let key = self.string(name);
        self.globals_mut().set_string(&key, value);
    }

    /// The value of a global variable.
    pub fn global(&mut self, name: &[u8]) -> Option<Value> {
        self.globals_mut().get_bytes(name).map(Value::share)
    }

    fn globals_mut(&mut self) -> &mut crate::array::PhpArray {
        // SAFETY: I3: the table of globals is only shared while a copy of it is made.
        unsafe { &mut *self.globals.as_ptr() }
    }

    /// Sets `$argv`, `$argc` and the superglobals of a command-line script. Without `auto_globals_jit` all are there
    /// from the beginning.
    pub fn set_superglobals(&mut self, script: &[u8], argv: Value, argc: i64) {
        let waits = self.ini.bool("auto_globals_jit");
        self.extensions.state::<LateGlobals>().0 = late_globals::ALL;
        self.set_empty_globals(&[b"_GET", b"_POST", b"_COOKIE"]);
        if waits {
            self.set_empty_globals(&[b"_FILES"]);
        } else {
            self.set_server(script, argv.clone(), argc);
            self.make_late_globals(late_globals::ALL);
            self.set_empty_globals(&[b"_FILES"]);
        }
        if self.ini.bool("register_argc_argv") {
            self.set_global(b"argv", argv.clone());
            self.set_global(b"argc", argc.into());
        }
        if waits {
            self.set_server(script, argv, argc);
        }
    }

    fn set_empty_globals(&mut self, names: &[&[u8]]) {
        for name in names {
            let empty = self.new_array();
            self.set_global(name, empty.into());
        }
    }

    /// Makes those of these superglobals ([`late_globals`]) that nobody has named before.
    #[inline]
    pub fn make_late_globals(&mut self, named: u8) {
        if named != 0 {
            self.make_named_globals(named);
        }
    }

    #[cold]
    fn make_named_globals(&mut self, named: u8) {
        let waiting = &mut self.extensions.state::<LateGlobals>().0;
        let wanted = *waiting & named;
        *waiting &= !named;
        if wanted & late_globals::ENV != 0 {
            let environment = match self.variables_order().contains(&b'E') {
                true => self.environment_table(),
                false => self.new_array(),
            };
            self.set_global(b"_ENV", environment.into());
        }
        if wanted & late_globals::REQUEST != 0 {
            self.set_empty_globals(&[b"_REQUEST"]);
        }
    }

    fn variables_order(&self) -> Vec<u8> {
        self.ini.text("variables_order").to_ascii_uppercase()
    }

    /// `$_SERVER`
    fn set_server(&mut self, script: &[u8], argv: Value, argc: i64) {
        if !self.variables_order().contains(&b'S') {
            self.set_empty_globals(&[b"_SERVER"]);
            return;
        }
        let mut server = self.environment_table();
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        let file = match script == STANDARD_INPUT {
            true => self.string(""),
            false => self.string(script),
        };
        let script = self.string(script);
        let entries: [(&[u8], Value); 7] = [
            (b"PHP_SELF", script.clone().into()),
            (b"SCRIPT_NAME", script.into()),
            (b"SCRIPT_FILENAME", file.clone().into()),
            (b"PATH_TRANSLATED", file.into()),
            (b"DOCUMENT_ROOT", self.string("").into()),
            (b"REQUEST_TIME", (now.as_secs() as i64).into()),
            (b"REQUEST_TIME_FLOAT", now.as_secs_f64().into()),
        ];
        for (name, value) in entries {
            server.make_mut(self).set_bytes(name, value);
        }
        if self.ini.bool("register_argc_argv") {
            server.make_mut(self).set_bytes(b"argv", argv);
            server.make_mut(self).set_bytes(b"argc", argc.into());
        }
        self.set_global(b"_SERVER", server.into());
    }

    /// The environment of the process.
    fn environment_table(&mut self) -> ArrayHandle {
        use std::os::unix::ffi::OsStrExt;
        let mut table = self.new_array();
        for (name, value) in std::env::vars_os() {
            let value = self.string(value.as_bytes());
            table
                .make_mut(self)
                .set_bytes(name.as_bytes(), value.into());
        }
        table
    }

    /// Sets an ini setting before anything runs, as `-d` does; false if there is no such setting.
    pub fn set_ini_at_start(&mut self, name: &str, value: &str) -> bool {
        let known = self.ini.definition(name.as_bytes()).is_some();
        self.ini_configure(name.as_bytes(), value.as_bytes());
        known
    }

    /// A native function by its lower-cased name.
    pub fn find_native_function(&mut self, lowercase: &[u8]) -> Option<*mut Function> {
        let function = self.find_function(lowercase)?;
        // SAFETY: I4: functions live until the VM ends.
        unsafe { (!(*function).is_user && (*function).native_data & 3 != HOST).then_some(function) }
    }

    /// Gives scripts a function. It takes any arguments.
    pub fn register_host_function(&mut self, name: &[u8], body: HostFunction) {
        let lowercase = name.to_ascii_lowercase();
        let interned: *mut PhpString = self.names.string(name);
        let position = self.host_functions.0.len();
        self.host_functions.0.push(body);
        let function = Function {
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
            native: Some(call_host_function),
            direct: None,
            accepted: u64::MAX,
            name: interned,
            scope: std::ptr::null_mut(),
            prototype: std::ptr::null(),
            parameters: crate::interpreter::state::any_arguments(),
            return_type: None,
            code: None,
            hooked_property: std::ptr::null_mut(),
            closure: std::ptr::null_mut(),
            native_data: HOST | position << 2,
        };
        self.functions
            .insert(lowercase.into(), Box::into_raw(Box::new(function)));
    }

    /// Class, message, file and line of the pending exception, which is dropped.
    pub fn take_exception_parts(&mut self) -> Option<(String, String, String, u32)> {
        use crate::exceptions::{slot, slots};
        let exception: ObjectHandle = self.take_exception()?;
        let text = |index: u32| {
            let bytes = slot(&exception, index).as_bytes().unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        let line = slot(&exception, slots::LINE).deref().long() as u32;
        let class = exception.class().display_name();
        Some((class, text(slots::MESSAGE), text(slots::FILE), line))
    }

    /// True if a class of this lower-cased name belongs to the engine or an extension.
    pub fn is_native_class(&mut self, lowercase: &[u8]) -> bool {
        let class: Option<*mut Class> = self.linked_class(lowercase);
        // SAFETY: I4: classes live until the VM ends.
        class.is_some_and(|class| unsafe {
            (*class).flags & crate::function::class_flags::INTERNAL != 0
        })
    }
}

/// Mark of host functions in `native_data`; the position among them stands above it.
const HOST: usize = NO_SIGNATURE | 2;

/// True for a function that the host registered.
pub(crate) fn is_host_function(function: &Function) -> bool {
    !function.is_user && function.native_data & 3 == HOST
}

fn call_host_function(call: &mut Call<'_>) -> PhpResult<Value> {
    let position = call.function().native_data >> 2;
    // Taken out while it runs: it may call back into the VM.
    let body: *const HostFunction = &raw const call.vm.host_functions.0[position];
    // SAFETY: I1: host functions are only added, boxed, and live as long as the VM.
    unsafe { (**body)(call) }
}
