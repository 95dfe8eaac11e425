//! INCLUDE_OR_EVAL: finding, reading and compiling what it names.

use std::sync::Arc;

use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::interpreter::kept_code::{Code, CompileSettings};
use crate::interpreter::operand::*;
use crate::interpreter::top_level::enter_code;
use crate::limits::directories::is_allowed;
use crate::op::Op;
use crate::op_array::Script;
use crate::value::Value;
use crate::vm::{PhpResult, Thrown, Vm};

const EVAL: u32 = 1;
const INCLUDE: u32 = 2;
const INCLUDE_ONCE: u32 = 4;
const REQUIRE: u32 = 8;
const REQUIRE_ONCE: u32 = 16;

/// Why source text did not compile.
#[derive(Debug, Clone)]
pub struct CompileFailure {
    /// PHP's message.
    pub message: String,
    /// File.
    pub file: Vec<u8>,
    /// Line.
    pub line: u32,
    /// True for a ParseError, false for a fatal compile error.
    pub is_parse_error: bool,
}

/// What a file was compiled to.
#[derive(Debug)]
pub struct CompiledFile {
    /// The code.
    pub script: Script,
    /// Nothing was reported, and the same text would be compiled to the same code again: it depends on nothing
    /// but the text, the path and the [`CompileSettings`].
    pub is_repeatable: bool,
}

/// Turns source text into op arrays. The VM knows nothing of PHP source; whoever makes it plugs
/// a compiler in.
pub trait Compiler: Send + Sync + std::fmt::Debug {
    /// Compiles a file.
    fn compile_file(
        &self,
        vm: &mut Vm,
        source: &[u8],
        path: &[u8],
    ) -> Result<CompiledFile, CompileFailure>;
    /// Compiles the argument of `eval`.
    fn compile_eval(
        &self,
        vm: &mut Vm,
        source: &[u8],
        path: &[u8],
    ) -> Result<Script, CompileFailure>;
}

/// What a [`SourceReader`] finds behind a name.
#[derive(Debug)]
pub enum Source {
    /// A file like others.
    File,
    /// This text.
    Text(Vec<u8>),
    /// Nothing, and a warning said why.
    Failed,
}

/// Reads sources that are no files: of the VM, the name, and the statement that asks.
pub type SourceReader = fn(&mut Vm, &[u8], &str) -> PhpResult<Source>;

/// Finds the full name of what a name means to `include`, if that is not just a file.
pub type PathResolver = fn(&mut Vm, &[u8]) -> Option<Vec<u8>>;

/// INCLUDE_OR_EVAL.
pub unsafe fn include_or_eval(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    (*vm).poll();
    let kind = (*opline).extended_value;
    let value = read_op1(frame, opline, vm);
    let argument = crate::operators::to_string(&mut *vm, &*value);
    free_op1(frame, opline);
    let target = if result_used(opline) {
        result(frame, opline)
    } else {
        std::ptr::null_mut()
    };
    if !target.is_null() {
        (*target).set_undef();
    }
    let Ok(argument) = argument else {
        return next(frame);
    };
    let loaded = if kind == EVAL {
        load_eval(&mut *vm, frame, argument.as_bytes())
    } else {
        load_file(&mut *vm, argument.as_bytes(), kind)
    };
    let code = match loaded {
        Ok(Loaded::Code(code)) => code,
        Ok(Loaded::Value(value)) => {
            if !target.is_null() {
                *target = value.into_zval();
            }
            return next(frame);
        }
        Err(Thrown) => return next(frame),
    };
    match enter_code(&mut *vm, frame, code, target) {
        Some(opline) => opline,
        None => next(frame),
    }
}

enum Loaded {
    Code(Code),
    Value(Value),
}

unsafe fn load_eval(vm: &mut Vm, frame: *mut Frame, source: &[u8]) -> PhpResult<Loaded> {
    let path = {
        let op_array = &*(*(*frame).function).op_array;
        let line = (*(*frame).opline).lineno;
        let mut path = (*op_array.draft.filename).as_bytes().to_vec();
        path.extend_from_slice(format!("({line}) : eval()'d code").as_bytes());
        path
    };
    let Some(compiler) = vm.compiler.clone() else {
        vm.fatal_error("eval() needs a compiler, which this program did not provide")
    };
    match compiler.compile_eval(vm, source, &path) {
        Ok(script) => Ok(Loaded::Code(Code::once(script))),
        Err(failure) => Err(vm.report_compile_failure(failure)),
    }
}

fn load_file(vm: &mut Vm, name: &[u8], kind: u32) -> PhpResult<Loaded> {
    let function = match kind {
        INCLUDE => "include",
        INCLUDE_ONCE => "include_once",
        REQUIRE => "require",
        _ => "require_once",
    };
    let required = kind & (REQUIRE | REQUIRE_ONCE) != 0;
    let shown = name;
    if name.contains(&0) {
        return Err(vm.throw_error(
            KnownClass::ValueError,
            format!("{function}(): Argument #1 ($filename) must not contain any null bytes"),
        ));
    }
    if name.is_empty() && kind & (INCLUDE | REQUIRE) != 0 {
        return Err(vm.throw_error(KnownClass::ValueError, "Path must not be empty"));
    }
    let resolved = vm.path_resolver.and_then(|resolve| resolve(vm, name));
    let name = resolved.as_deref().unwrap_or(name);
    if let Some(found) = &resolved
        && kind & (INCLUDE_ONCE | REQUIRE_ONCE) != 0
        && vm.included_files.contains(found)
    {
        return Ok(Loaded::Value(true.into()));
    }
    let reader = vm.source_reader.filter(|_| {
        let mut colons = memchr::memchr_iter(b':', name);
        let is_data = |name: &[u8]| name.eq_ignore_ascii_case(b"data:");
        name.get(..5).is_some_and(is_data)
            || colons.any(|end| end > 0 && name[end..].starts_with(b"://"))
    });
    let path = match reader {
        Some(_) => Some(name.to_vec()),
        None => vm.resolve_included_file(name),
    };
    // What is behind a URL is opened even if it was included already.
    let behind_url = match reader {
        Some(reader) => reader(vm, name, function)?,
        None => Source::File,
    };
    let once = kind & (INCLUDE_ONCE | REQUIRE_ONCE) != 0;
    if once
        && let Some(path) = &path
        && vm.included_files.contains(path)
    {
        return Ok(Loaded::Value(true.into()));
    }
    let was_explained = matches!(behind_url, Source::Failed);
    let path = match behind_url {
        Source::File if reader.is_some() => vm.resolve_included_file(name),
        _ => path,
    };
    let settings = CompileSettings::of(vm);
    let mut is_file = false;
    let source = match (behind_url, &path) {
        (Source::Text(text), _) => Some(Ok((text, None))),
        (Source::File, Some(path)) if !is_allowed(vm, path, function)? => {
            Some(Err(std::io::Error::from_raw_os_error(libc::EPERM)))
        }
        (Source::File, Some(path)) => {
            is_file = true;
            if let Some(code) = vm.kept_code.unread(path, settings) {
                return Ok(Loaded::Code(code));
            }
            use std::os::unix::ffi::OsStrExt;
            let path = std::ffi::OsStr::from_bytes(path);
            Some(crate::limits::read_identified(path.as_ref()))
        }
        _ => None,
    };
    let (path, (source, identity)) = match (path, source) {
        (Some(path), Some(Ok(source))) => (path, source),
        (_, failed) => {
            let reason = match failed {
                Some(Err(error)) => crate::interpreter::include::os_error_text(&error),
                _ => String::from("No such file or directory"),
            };
            let shown = crate::message::text(&without_credentials(shown)).into_owned();
            let include_path = vm.include_path();
            if !was_explained {
                vm.warning(format!(
                    "{function}({shown}): Failed to open stream: {reason}"
                ));
                vm.check()?;
            }
            if required {
                let message =
                    format!("Failed opening required '{shown}' (include_path='{include_path}')");
                return Err(vm.throw_error(KnownClass::Error, message));
            }
            vm.warning(format!("{function}(): Failed opening '{shown}' for inclusion (include_path='{include_path}')"));
            vm.check()?;
            return Ok(Loaded::Value(false.into()));
        }
    };
    // What is included once counts from now on, other files only if their code can be read.
    let is_new = match once {
        true => vm.included_files.add(&path),
        false => !vm.included_files.contains(&path),
    };
    if is_file && let Some(code) = vm.kept_code.unchanged(&path, settings, &source, identity) {
        return Ok(Loaded::Code(code));
    }
    let Some(compiler) = vm.compiler.clone() else {
        vm.fatal_error("include needs a compiler, which this program did not provide")
    };
    let compiled = compiler.compile_file(vm, &source, &path);
    if compiled.is_ok() {
        vm.included_files.add(&path);
    }
    match compiled {
        Ok(compiled) if is_file && !is_new && compiled.is_repeatable => {
            let code = vm.keep_code(&path, settings, &source, identity, compiled.script);
            Ok(Loaded::Code(code))
        }
        Ok(compiled) => Ok(Loaded::Code(Code::once(compiled.script))),
        Err(failure) => Err(vm.report_compile_failure(failure)),
    }
}

/// The files that were included, each once.
#[derive(Debug, Default)]
pub struct IncludedFiles {
    paths: Vec<Arc<[u8]>>,
    known: std::collections::HashSet<Arc<[u8]>, foldhash::fast::FixedState>,
}

impl IncludedFiles {
    /// Notes a file by its canonical path. False if it was noted before.
    pub fn add(&mut self, path: &[u8]) -> bool {
        let is_new = !self.contains(path);
        if is_new {
            let path: Arc<[u8]> = path.into();
            self.paths.push(Arc::clone(&path));
            self.known.insert(path);
        }
        is_new
    }

    /// True if the file was noted.
    pub fn contains(&self, path: &[u8]) -> bool {
        self.known.contains(path)
    }

    /// The canonical paths, in the order in which the files were included first.
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.paths.iter().map(|path| &**path)
    }
}

/// A URL without user and password, as messages show it.
pub fn without_credentials(name: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let start = memchr::memmem::find(name, b"://").map(|at| at + 3);
    let end = memchr::memchr(b'@', name);
    match (start, end) {
        (Some(start), Some(end)) if end > start => {
            [&name[..start], b"...", &name[end..]].concat().into()
        }
        _ => name.into(),
    }
}

/// The operating system's text for an error, without Rust's additions.
pub fn os_error_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

impl Vm {
    /// Includes a file as `include` does, or as `require` does.
    pub fn include_file(&mut self, name: &[u8], required: bool) -> PhpResult<Value> {
        let kind = if required { REQUIRE } else { INCLUDE };
        match load_file(self, name, kind)? {
            Loaded::Code(code) => self.run_code(code),
            Loaded::Value(value) => Ok(value),
        }
    }

    /// A failed compilation as PHP reports it: a ParseError to catch, or a fatal error.
    pub fn report_compile_failure(&mut self, failure: CompileFailure) -> Thrown {
        if failure.is_parse_error {
            return crate::exceptions::classes::throw_parse_error(
                self,
                &failure.message,
                &failure.file,
                failure.line,
            );
        }
        self.fatal_error_at(
            crate::diagnostics::level::COMPILE_ERROR,
            &failure.message,
            &failure.file,
            failure.line,
        )
    }

    /// The file that an included name means: what is found nowhere else is opened relative to the
    /// working directory, even if the include path does not name that.
    fn resolve_included_file(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        use std::os::unix::ffi::{OsStrExt, OsStringExt};
        let found = self.resolve_include_path(name);
        found.or_else(|| {
            let plain = std::path::Path::new(std::ffi::OsStr::from_bytes(name));
            let path = std::fs::canonicalize(plain).ok()?;
            let is_file = path.is_file();
            is_file.then(|| path.into_os_string().into_vec())
        })
    }

    /// Finds a file: absolute, relative to the working directory, the include path, or the
    /// directory of the running script.
    pub fn resolve_include_path(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        use std::os::unix::ffi::OsStrExt;
        let plain = std::path::Path::new(std::ffi::OsStr::from_bytes(name));
        let explicit =
            name.starts_with(b"/") || name.starts_with(b"./") || name.starts_with(b"../");
        if explicit {
            return self.real_path(plain);
        }
        let include_path = self.include_path();
        for directory in include_path.split(':').filter(|part| !part.is_empty()) {
            if let Some(path) = self.real_path(&std::path::Path::new(directory).join(plain)) {
                return Some(path);
            }
        }
        let file = self.current_file();
        let directory =
            std::path::Path::new(std::ffi::OsStr::from_bytes(file.as_bytes())).parent()?;
        self.real_path(&directory.join(plain))
    }
}
