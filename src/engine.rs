//! The engine: what all its VMs have in common.

use std::sync::{Arc, Mutex, OnceLock};

use vm_runtime::op_array;
use vm_runtime::value::{DOUBLE, STRING, Zval};
use vm_runtime::vm::Vm as Isolate;

use crate::compile::{SourceCompiler, SourceKind, compile};
use crate::error::Error;
use crate::isolate::Vm;

/// The default of `memory_limit`.
pub(crate) const MEMORY_LIMIT: usize = 128 << 20;

/// A compiled script: immutable, cheap to clone, to be run by any VM on any thread.
#[derive(Debug, Clone)]
pub struct Script {
    pub(crate) compiled: op_array::Script,
}

impl Script {
    /// What the functions would be compiled to, nothing known of their types.
    pub fn dump_compiled(&self, form: vm_jit::inspect::Form) -> String {
        vm_jit::inspect::script(&self.compiled, form)
    }

    /// The op arrays in the text form of opcache's debug dumps.
    pub fn dump(&self) -> String {
        vm_runtime::dump::script(&self.compiled)
    }
}

/// The entry point: compiles scripts and makes VMs.
#[derive(Debug)]
pub struct Engine {
    /// A VM that never runs anything: it knows the native functions when scripts are compiled.
    template: Mutex<Vm>,
}

impl Engine {
    /// An engine with PHP's standard library.
    pub fn new() -> Engine {
        Engine {
            template: Mutex::new(Vm::from_isolate(isolate())),
        }
    }

    /// Compiles a source file; `name` is what messages and `__FILE__` call it.
    ///
    /// # Errors
    /// [`Error::Parse`] or [`Error::Compile`] with PHP's message and line.
    pub fn compile(&self, source: &[u8], name: &str) -> Result<Script, Error> {
        let mut template = self
            .template
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let name = name.as_bytes();
        let compiled = template.guarded(|vm| compile(vm, source, name, SourceKind::MainFile))??;
        Ok(Script { compiled })
    }

    /// A VM without an engine: enough to run one script.
    pub fn vm_alone() -> Vm {
        Vm::from_isolate(isolate())
    }

    /// A fresh VM with an empty state.
    pub fn vm(&self) -> Vm {
        Vm::from_isolate(isolate())
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

/// A VM with the standard library and the compiler.
pub(crate) fn isolate() -> Box<Isolate> {
    let mut vm = Isolate::new(MEMORY_LIMIT);
    vm.compiler = Some(Arc::new(SourceCompiler));
    php_std::register(&mut vm);
    vm_jit::register(&mut vm);
    vm
}

/// The scalar constants of the standard library, as literals: the compiler puts them into op
/// arrays.
#[derive(Debug)]
pub(crate) struct NativeConstants {
    /// Sorted by name: in a table they would take twice the room, which counts for the script that compiles first.
    values: Box<[(&'static [u8], Literal)]>,
}

#[derive(Debug)]
enum Literal {
    Plain(Zval),
    Text(vm_runtime::string::KnownString),
}

// SAFETY: plain values and interned strings are never written.
unsafe impl Send for NativeConstants {}
// SAFETY: as above.
unsafe impl Sync for NativeConstants {}

impl NativeConstants {
    /// The constants, collected from the first VM that compiles: each has the same.
    pub(crate) fn of(vm: &Isolate) -> &'static NativeConstants {
        static CONSTANTS: OnceLock<NativeConstants> = OnceLock::new();
        CONSTANTS.get_or_init(|| {
            let extensions = vm.natives.extensions();
            let extensions = extensions.filter_map(|name| vm.natives.extension(name.as_bytes()));
            let mut values: Vec<_> = extensions
                .flat_map(|extension| vm.natives.constants_of(extension))
                .map(str::as_bytes)
                .filter(|name| !vm.is_deprecated_constant(name))
                // Tells how the script is run: that is not known when it is compiled.
                .filter(|name| *name != b"PHP_SAPI")
                .filter_map(|name| {
                    let value = vm.constants.get(name)?.as_zval();
                    let literal = match value.kind() {
                        STRING => {
                            let bytes = value.as_bytes()?.to_vec().leak();
                            Literal::Text(vm_runtime::string::KnownString::new(bytes))
                        }
                        kind if kind <= DOUBLE => Literal::Plain(*value),
                        _ => return None,
                    };
                    Some((name, literal))
                })
                .collect();
            values.sort_unstable_by_key(|(name, _)| *name);
            NativeConstants {
                values: values.into(),
            }
        })
    }

    /// A constant by its exact name.
    pub(crate) fn get_literal(&self, name: &[u8]) -> Option<Zval> {
        let found = self.values.binary_search_by_key(&name, |(name, _)| name);
        Some(match &self.values[found.ok()?].1 {
            Literal::Plain(value) => *value,
            Literal::Text(text) => Zval::from_string(text.get()),
        })
    }
}
