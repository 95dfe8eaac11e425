//! The engine: what all its VMs have in common.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use vm_runtime::op_array;
use vm_runtime::string::KnownString;
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

/// A scalar constant of the standard library as a literal that the compiler can put into op arrays;
/// None for those whose value is told at run time.
pub(crate) fn constant_literal(vm: &Isolate, name: &[u8]) -> Option<Zval> {
    /// The texts of constants, which outlive all op arrays.
    static TEXTS: Mutex<Vec<&'static KnownString>> = Mutex::new(Vec::new());
    let (name, value) = vm.constants.get_key_value(name)?;
    // `PHP_SAPI` tells how the script is run: that is not known when it is compiled.
    if matches!(name, Cow::Owned(_)) || &**name == b"PHP_SAPI" || vm.is_deprecated_constant(name) {
        return None;
    }
    match value.as_zval().kind() {
        STRING => {
            let text = value.as_bytes()?;
            let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
            let known = texts.iter().find(|known| known.as_bytes() == text).copied();
            let known = known.unwrap_or_else(|| {
                let made: &'static KnownString =
                    Box::leak(Box::new(KnownString::new(text.to_vec().leak())));
                texts.push(made);
                made
            });
            Some(Zval::from_string(known.get()))
        }
        kind if kind <= DOUBLE => Some(*value.as_zval()),
        _ => None,
    }
}
