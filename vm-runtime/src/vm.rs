//! The VM: everything one isolate owns.

pub mod constants;
pub mod extensions;
pub mod file_identity;
pub mod real_paths;
mod static_names;
mod teardown;

use std::marker::PhantomPinned;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use hashbrown::HashMap;

use crate::class::Class;
use crate::diagnostics::ErrorState;
use crate::frame::{Frame, VmStack};
use crate::function::Function;
use crate::heap::Heap;
use crate::ini::Ini;
use crate::object::{ObjectStore, PhpObject};
use crate::op_array::Script;
use crate::output::Output;
use crate::string::PhpString;
use crate::value::{ArrayHandle, ObjectHandle, StringHandle, Value, Zval};

/// The marker of a PHP exception that is on its way; the exception itself is in
/// [`Vm::exception`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thrown;

/// A result of something that may throw.
pub type PhpResult<T> = Result<T, Thrown>;

/// See [`Vm::kept_trampolines`].
type KeptTrampolines =
    HashMap<(*const Function, *const PhpString, bool), Box<Function>, foldhash::fast::FixedState>;

/// See [`Vm::cached_constants`].
type CachedConstants = HashMap<*const PhpString, *mut Zval, foldhash::fast::FixedState>;

/// A table by lower-cased name.
pub type Table<T> = HashMap<Box<[u8]>, T, foldhash::fast::FixedState>;

/// One isolate: heap, tables, stack, current frame. Use it boxed: it must not move while its heap
/// has values.
///
/// `PhantomPinned` tells the compiler that a `&mut Vm` is not the only path to it: destructors
/// reach the VM through the heap.
#[derive(Debug)]
pub struct Vm {
    /// The frame being executed; null outside of any call.
    pub current_frame: *mut Frame,
    /// The exception on its way, or null.
    pub exception: *mut PhpObject,
    /// A constant expression of a class is being evaluated: what happens meanwhile is reported at
    /// its place.
    pub evaluates_expression: bool,
    /// Set from outside to have the interpreter look in at the next poll.
    pub interrupt: Arc<AtomicU32>,
    /// Frames.
    pub stack: VmStack,
    /// Objects by id.
    pub objects: ObjectStore,
    /// Functions by lower-cased name.
    pub functions: Table<*mut Function>,
    /// Native functions that were registered; see [`Vm::find_function`].
    pub natives: crate::types::NativeIndex,
    /// Classes by lower-cased name.
    pub classes: Table<*mut Class>,
    /// What type checks found out about classes.
    pub found_types: crate::types::FoundTypes,
    /// What calls found out about methods.
    pub(crate) found_methods: crate::class::FoundMethods,
    /// Names in the text of native code.
    pub(crate) static_names: static_names::StaticNames,
    /// Classes that natives were given the names of.
    pub(crate) found_classes: crate::class::FoundClasses,
    /// What was found out about properties.
    pub(crate) found_properties: crate::class::FoundProperties,
    /// Native classes, autoloading, and what linking needs to remember.
    pub class_state: crate::class::ClassState,
    /// Who holds objects weakly.
    pub weak: crate::object::WeakTable,
    /// Lazy objects.
    pub lazy: crate::object::LazyTable,
    /// How often native code entered the interpreter: unchanged, no user code ran in between.
    pub(crate) entries: u64,
    /// Magic property accesses that are going on.
    pub(crate) property_guards: Vec<crate::object::Guard>,
    /// Global variables.
    pub globals: ArrayHandle,
    /// Constants by exact name (namespace part lower-cased). The names of those that the library
    /// registered are borrowed.
    pub constants: constants::Constants,
    /// Names of constants that are deprecated.
    pub deprecated_constants: Vec<&'static str>,
    /// State of extensions.
    pub extensions: extensions::Extensions,
    /// Output buffers and the sink.
    pub output: Output,
    /// Settings.
    pub ini: Ini,
    /// Error handlers and the last error.
    pub errors: ErrorState,
    /// Classes that the engine refers to, by [`crate::exceptions::KnownClass`]; null until
    /// registered.
    pub known_classes: Box<[*mut Class]>,
    /// Autoloaders in the order they are asked.
    pub autoloaders: Vec<crate::class::callable::Autoloader>,
    /// What the slow path or intrinsic that is being executed says it does not do.
    #[cfg(debug_assertions)]
    pub promised: Option<crate::interpreter::promise::Promised>,
    /// The opline that an exception interrupted.
    pub opline_before_exception: *const crate::op::Op,
    /// Where frames are sent when something is thrown: three of them, because callers go on one or
    /// two oplines behind the one they saved.
    pub exception_ops: Box<[crate::op::Op; 3]>,
    /// Turns source text into op arrays, for `include` and `eval`.
    pub compiler: Option<Arc<dyn crate::interpreter::include::Compiler>>,
    /// Reads sources behind URLs, for `include`.
    pub source_reader: Option<crate::interpreter::include::SourceReader>,
    /// Finds files that are included, before they are looked for in the file system.
    pub path_resolver: Option<crate::interpreter::include::PathResolver>,
    /// What the main script returned, if that was `true` or `false`.
    pub main_result: Option<bool>,
    /// Canonical paths of the files that were included.
    pub included_files: crate::interpreter::include::IncludedFiles,
    /// Where the names of included files lead.
    pub real_paths: real_paths::RealPaths,
    /// Code of files that were included again.
    pub kept_code: crate::interpreter::kept_code::KeptCode,
    /// A generator that is about to be destroyed and known not to run; see its destructor.
    pub(crate) idle_generator: *mut crate::interpreter::generators::Generator,
    /// Constants that runtime caches point to, by the literal that names them.
    pub(crate) cached_constants: CachedConstants,
    /// Values that constants had before they were given others.
    pub(crate) retired_constants: Vec<Value>,
    /// Functions that execute top-level code; the VM owns them as long as their frames are there.
    pub(crate) code_functions: hashbrown::HashSet<*mut Function, foldhash::fast::FixedState>,
    /// Strings that are only borrowed for a moment.
    pub kept: Vec<StringHandle>,
    /// Functions that the host program registered.
    pub host_functions: crate::interpreter::host::HostFunctions,
    /// Functions to call at shutdown.
    pub shutdown_functions: Vec<crate::interpreter::request::ShutdownFunction>,
    /// What extensions have left to do when the request has ended: objects are destructed and the
    /// output is on its way.
    pub request_end: Vec<fn(&mut Vm)>,
    /// Runs functions of the script for signals that came; what is thrown stays pending.
    pub on_signal: Option<fn(&mut Vm)>,
    /// A fatal error ended the script: no destructors run.
    pub fatal: bool,
    /// A fatal error ended this or an earlier script: counts are not exact any more (they are too
    /// high), so no cycles are looked for and the heap goes as a whole.
    pub(crate) unwound: bool,
    /// What the process exits with.
    pub exit_status: i32,
    /// Functions registered by `register_tick_function`.
    pub ticks: crate::interpreter::ticks::Ticks,
    /// Seconds after which the script is stopped; 0 for never.
    pub time_limit: u64,
    /// Sets the interrupt word when the time is up.
    pub(crate) timer: crate::limits::time::Timer,
    /// See [`Vm::pass_function`].
    pub pass_function: *mut Function,
    /// The place of a trampoline that is not used any more, for the next one.
    pub(crate) spare_trampoline: Option<Box<Function>>,
    /// Trampolines for calls by literals: of a handler, by a name, static or not.
    pub(crate) kept_trampolines: KeptTrampolines,
    /// Functions made to stand in for others, freed with the VM.
    pub stand_ins: Vec<*mut Function>,
    /// Lowest address the native stack may grow to; 0 while no limit is known.
    pub stack_limit: usize,
    /// The running fiber, or null.
    pub fiber: *mut crate::interpreter::fibers::Fiber,
    /// See [`Vm::fiber_function`].
    pub fiber_function: *const Function,
    /// The fiber in which the cycle collector called destructors last.
    pub(crate) destructor_fiber: Option<ObjectHandle>,
    /// See [`Vm::destructor_function`].
    pub(crate) destructor_function: *const Function,
    /// While it is not zero, fibers can neither be resumed nor suspended.
    pub fiber_switch_blocks: u32,
    /// Native stacks of fibers that have ended, for the next ones.
    pub fiber_stacks: crate::interpreter::fibers::SpareStacks,
    // The literals of these pools stand in values everywhere: they go after whoever holds one.
    /// Scripts whose literals values may still refer to.
    pub scripts: Vec<Script>,
    /// Names that live as long as the VM: of native classes, functions and their parameters.
    pub names: crate::op_array::LiteralPool,
    /// What makes machine code, if anything does. Its copies of oplines outlive all frames.
    pub tier: Option<Box<dyn crate::tier::Tier>>,
    /// Memory of all values. The last field: the others may hold values, and are dropped first.
    pub heap: Heap,
    _pinned: PhantomPinned,
}

impl Vm {
    /// A VM without functions and classes, limited to `memory_limit` bytes.
    pub fn new(memory_limit: usize) -> Box<Vm> {
        let mut heap = Heap::new(memory_limit);
        // SAFETY: the empty array is always live. It is replaced below, once the heap has its
        // final address.
        let globals = unsafe { ArrayHandle::share_raw(crate::array::empty_array()) };
        heap.vm = null_mut();
        let mut vm = Box::new(Vm {
            heap,
            current_frame: null_mut(),
            exception: null_mut(),
            evaluates_expression: false,
            interrupt: Arc::new(AtomicU32::new(0)),
            stack: VmStack::new(),
            objects: ObjectStore::default(),
            functions: Table::default(),
            natives: crate::types::NativeIndex::default(),
            classes: Table::default(),
            found_types: Default::default(),
            found_methods: Default::default(),
            static_names: Default::default(),
            found_classes: Default::default(),
            found_properties: Default::default(),
            class_state: Default::default(),
            weak: Default::default(),
            lazy: Default::default(),
            entries: 0,
            property_guards: Vec::new(),
            globals,
            scripts: Vec::new(),
            constants: constants::Constants::default(),
            deprecated_constants: Vec::new(),
            extensions: extensions::Extensions::default(),
            output: Output::default(),
            ini: Ini::default(),
            errors: ErrorState::default(),
            known_classes: vec![null_mut(); crate::exceptions::KnownClass::ALL.len()].into(),
            names: crate::op_array::LiteralPool::new(),
            autoloaders: Vec::new(),
            #[cfg(debug_assertions)]
            promised: None,
            opline_before_exception: std::ptr::null(),
            exception_ops: crate::interpreter::exceptions::handler_ops(),
            compiler: None,
            source_reader: None,
            path_resolver: None,
            main_result: None,
            included_files: Default::default(),
            real_paths: Default::default(),
            kept_code: Default::default(),
            idle_generator: null_mut(),
            cached_constants: Default::default(),
            retired_constants: Vec::new(),
            code_functions: Default::default(),
            kept: Vec::new(),
            host_functions: Default::default(),
            shutdown_functions: Vec::new(),
            request_end: Vec::new(),
            on_signal: None,
            fatal: false,
            unwound: false,
            exit_status: 0,
            ticks: Default::default(),
            time_limit: 0,
            timer: Default::default(),
            pass_function: null_mut(),
            spare_trampoline: None,
            kept_trampolines: Default::default(),
            stand_ins: Vec::new(),
            stack_limit: 0,
            fiber: null_mut(),
            fiber_function: std::ptr::null(),
            destructor_fiber: None,
            destructor_function: std::ptr::null(),
            fiber_switch_blocks: 0,
            fiber_stacks: Default::default(),
            tier: None,
            _pinned: PhantomPinned,
        });
        vm.heap.vm = &raw mut *vm;
        vm.globals = vm.new_array();
        vm.register_core_classes();
        vm
    }

    /// A string of this VM.
    #[inline]
    pub fn string(&mut self, bytes: impl AsRef<[u8]>) -> StringHandle {
        let bytes = bytes.as_ref();
        let known = match bytes {
            [] => crate::string::empty(),
            [byte] => crate::string::single_byte(*byte),
            _ => return PhpString::new(&mut self.heap, bytes),
        };
        // SAFETY: interned strings are always live.
        unsafe { StringHandle::share_raw(known) }
    }

    /// An empty array.
    #[inline]
    pub fn new_array(&mut self) -> ArrayHandle {
        crate::array::PhpArray::new(&mut self.heap)
    }
}
