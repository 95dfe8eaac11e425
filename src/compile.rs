//! The compiler as the VM and the engine use it: source text with what is known of the world.

use std::cell::RefCell;
use std::sync::Arc;

use php_frontend::{
    CompileError, CompileOptions, Environment, KnownClass, KnownFunction, Severity,
};
use vm_runtime::interpreter::include::{CompileFailure, CompiledFile, Compiler};
use vm_runtime::interpreter::kept_code::CompileSettings;
use vm_runtime::op_array::Script;
use vm_runtime::value::Zval;
use vm_runtime::vm::Vm;

use crate::engine::constant_literal;

/// Compiles for `include` and `eval`.
#[derive(Debug, Default, Clone, Copy)]
pub struct SourceCompiler;

/// What sort of source text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceKind {
    /// A file that is included: a first line `#!...` is skipped, as in that which is run.
    File,
    /// The file that a command runs.
    MainFile,
    /// The argument of `eval` or `-r`.
    Eval,
}

/// The native functions, classes and constants of a VM. User functions are left out: a script may
/// run in other VMs, too.
struct World<'v> {
    vm: RefCell<&'v mut Vm>,
}

impl Environment for World<'_> {
    fn function(&self, lowercase: &[u8]) -> Option<KnownFunction> {
        let mut vm = self.vm.borrow_mut();
        let function = vm.find_native_function(lowercase)?;
        // SAFETY: native functions live as long as the VM; nothing else runs while this looks.
        let function = unsafe { &*function };
        Some(KnownFunction {
            internal: true,
            flags: function.flags,
            required: function.required_count,
            parameters: function.parameters.clone(),
            slots: 0,
            frameless: vm_runtime::types::frameless_arities(function),
            location: None,
        })
    }

    fn class(&self, lowercase: &[u8]) -> Option<KnownClass> {
        let mut vm = self.vm.borrow_mut();
        vm.is_native_class(lowercase)
            .then_some(KnownClass { internal: true })
    }

    fn is_declared(&self, lowercase: &[u8]) -> bool {
        matches!(
            self.vm.borrow_mut().class_by_name(lowercase, false),
            Ok(Some(_))
        )
    }

    fn working_directory(&self) -> Vec<u8> {
        let folder = std::env::current_dir().unwrap_or_else(|_| ".".into());
        folder.into_os_string().into_encoded_bytes()
    }

    fn constant(&self, name: &[u8]) -> Option<Zval> {
        constant_literal(&self.vm.borrow(), name)
    }
}

/// The code that stands for an archive, if the file of that is none itself.
fn code_of_archive(vm: &mut Vm, source: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    #[cfg(feature = "phar")]
    return php_std::code_of_archive(vm, source, path);
    #[cfg(not(feature = "phar"))]
    {
        let _ = (vm, source, path);
        None
    }
}

/// How many anonymous classes a running script has compiled: what their names end with.
#[derive(Default)]
struct DefinitionKeys(u32);

/// Compiles an included file.
fn compile_file(vm: &mut Vm, source: &[u8], path: &[u8]) -> Result<CompiledFile, CompileFailure> {
    let keys = vm.extensions.state::<DefinitionKeys>().0;
    let compiled = compile_source(vm, source, path, SourceKind::File)?;
    // An anonymous class is another one each time, and warnings are told each time.
    let has_keys = vm.extensions.state::<DefinitionKeys>().0 != keys;
    Ok(CompiledFile {
        script: compiled.script,
        is_repeatable: compiled.is_silent && !has_keys,
    })
}

/// Compiles source text and reports the compiler's warnings in the VM.
pub(crate) fn compile(
    vm: &mut Vm,
    source: &[u8],
    path: &[u8],
    kind: SourceKind,
) -> Result<Script, CompileFailure> {
    compile_source(vm, source, path, kind).map(|compiled| compiled.script)
}

/// What source text was compiled to.
struct Compiled {
    script: Script,
    /// It depends on nothing but the text and the settings, and nothing was reported.
    is_silent: bool,
}

fn compile_source(
    vm: &mut Vm,
    source: &[u8],
    path: &[u8],
    kind: SourceKind,
) -> Result<Compiled, CompileFailure> {
    let settings = CompileSettings::of(vm);
    let unpacked = match kind {
        SourceKind::Eval => None,
        SourceKind::File | SourceKind::MainFile => code_of_archive(vm, source, path),
    };
    let source = unpacked.as_deref().unwrap_or(source);
    let prepared = match kind {
        SourceKind::Eval => None,
        SourceKind::File | SourceKind::MainFile => php_std::prepare_source(vm, source),
    };
    let file = source;
    let source = match &prepared {
        Some(prepared) => prepared.text.as_deref().unwrap_or(file),
        None => file,
    };
    let place_in_file = |offset| match &prepared {
        Some(prepared) => prepared.place_in_file(file, offset),
        None => offset,
    };
    // What is loaded by running code goes with it; only strings and arrays stay, with those of the VM.
    let store = (kind != SourceKind::MainFile).then(|| Arc::clone(vm.names.store()));
    let keys = std::cell::Cell::new(vm.extensions.state::<DefinitionKeys>().0);
    let is_tiered = vm.tier.is_some();
    let result = {
        let world = World {
            vm: RefCell::new(vm),
        };
        let mut options = CompileOptions::new(&world);
        options.short_open_tag = settings.short_open_tag;
        options.skip_shebang = kind != SourceKind::Eval;
        options.is_eval = kind == SourceKind::Eval;
        options.assertions = settings.assertions;
        options.precision = settings.precision;
        options.store = store.as_ref();
        options.multibyte = prepared.as_ref().map(|prepared| prepared.multibyte);
        options.place_in_file = Some(&place_in_file);
        options.definition_keys = Some(&keys);
        options.computes_arguments_first = is_tiered;
        vm_runtime::limits::with_deep_stack(|| php_frontend::compile(source, path, &options))
    };
    vm.extensions.state::<DefinitionKeys>().0 = keys.get();
    let is_plain = unpacked.is_none() && prepared.is_none();
    let (script, diagnostics) = match result {
        Ok(compiled) => (Ok(compiled.script), compiled.diagnostics),
        Err(CompileError {
            is_syntax,
            message,
            line,
            diagnostics,
        }) => {
            let failure = CompileFailure {
                message: String::from_utf8_lossy(&message).into_owned(),
                file: path.to_vec(),
                line,
                is_parse_error: is_syntax,
            };
            (Err(failure), diagnostics)
        }
    };
    let is_silent = is_plain && diagnostics.is_empty();
    for diagnostic in diagnostics {
        use vm_runtime::diagnostics::level;
        let level = match diagnostic.severity {
            Severity::Deprecated => level::DEPRECATED,
            Severity::Warning => level::WARNING,
            Severity::Fatal => level::COMPILE_ERROR,
        };
        vm.report_at(level, diagnostic.message, path, diagnostic.line);
    }
    script.map(|script| Compiled { script, is_silent })
}

impl Compiler for SourceCompiler {
    fn compile_file(
        &self,
        vm: &mut Vm,
        source: &[u8],
        path: &[u8],
    ) -> Result<CompiledFile, CompileFailure> {
        compile_file(vm, source, path)
    }

    fn compile_eval(
        &self,
        vm: &mut Vm,
        source: &[u8],
        path: &[u8],
    ) -> Result<Script, CompileFailure> {
        compile(vm, source, path, SourceKind::Eval)
    }
}
