//! The compiler: syntax tree to op arrays, construct by construct as Zend compiles it, so that
//! both make the same oplines.
//!
//! Every expression compiles to an [`operand::Operand`]. Constants are folded on the way up;
//! contexts that Zend evaluates at compile time (array literals, cases, defaults) go through
//! [`fold`]. Write fetches are delayed until everything around them is compiled.

mod arguments;
mod arrays;
mod assignments;
mod attributes;
mod calls;
mod class_members;
mod classes;
mod closures;
mod constants;
mod context;
mod control_flow;
mod declarations;
mod environment;
mod errors;
mod exceptions;
mod export;
mod expressions;
mod finish;
mod fold;
mod functions;
mod hooks;
mod lists;
mod loops;
mod matches;
mod names;
pub(crate) mod numbers;
mod operand;
mod operators;
mod parameters;
mod specialise;
mod statements;
mod strings;
mod types;
mod variables;
mod walk;

use std::rc::Rc;
use std::sync::Arc;

use bumpalo::Bump;
use hashbrown::HashMap;
use vm_runtime::function::Parameter;
use vm_runtime::generated::Opcode;
use vm_runtime::limits::known_stack_is_low;
use vm_runtime::op::Op;
use vm_runtime::op_array::{Draft, LiteralPool, Script};
use vm_runtime::string::PhpString;
use vm_runtime::value::Zval;

use crate::ast::Program;
use crate::{ParseErrorKind, ParseOptions};
use classes::{ClassInfo, ClassState};
use context::FunctionState;
use errors::Result;
use names::FileState;
use operand::{Constant, Operand};

pub use environment::{CompileOptions, EmptyEnvironment, Environment, KnownClass, KnownFunction};
pub use errors::{CompileError, Diagnostic, Severity};
pub use names::is_reserved_class_name;

/// A compiled source and what was reported about it.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The op arrays.
    pub script: Script,
    /// Warnings and deprecations of the compiler, to be reported before the script runs.
    pub diagnostics: Vec<Diagnostic>,
}

type NameMap<'a, T> = HashMap<&'a [u8], T, foldhash::fast::FixedState>;
type NameSet<'a> = hashbrown::HashSet<&'a [u8], foldhash::fast::FixedState>;

/// Whether expressions are remembered for a second compilation, or taken from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memoize {
    None,
    Compile,
    Fetch,
}

/// What a variable is fetched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fetch {
    Read,
    Write,
    ReadWrite,
    Isset,
    FunctionArgument,
    Unset,
}

/// The compiler at work on one source.
struct Compiler<'a, 'o> {
    arena: &'a Bump,
    options: &'o CompileOptions<'o>,
    filename: &'a [u8],
    filename_string: *mut PhpString,
    pool: LiteralPool,
    /// The line that emitted oplines and errors carry.
    line: u32,
    function: FunctionState<'a>,
    class: Option<Box<ClassState<'a>>>,
    /// The property whose default or attributes are being compiled.
    property: Option<&'a [u8]>,
    file: FileState<'a>,
    delayed: Vec<Op>,
    /// Vectors of finished functions, to be filled again.
    spare: Vec<(Vec<Op>, Vec<Zval>)>,
    no_parameters: Arc<[Parameter]>,
    /// Bytes in use for a moment.
    scratch: Vec<u8>,
    /// JMP_NULLs whose chain is not complete.
    short_circuits: Vec<u32>,
    /// Address of the last node marked as the inner part of a chain.
    inner_mark: usize,
    memoize: Memoize,
    memoized: Vec<(usize, Operand<'a>)>,
    /// Functions declared in this source so far, by lower-cased name.
    functions: NameMap<'a, Rc<KnownFunction>>,
    /// Functions of the environment that were asked for.
    known_functions: NameMap<'a, Option<Rc<KnownFunction>>>,
    /// Classes of this source that are bound when it is entered, by lower-cased name.
    classes: NameMap<'a, Rc<ClassInfo<'a>>>,
    diagnostics: Vec<Diagnostic>,
    /// Offset of the data after `__halt_compiler();`.
    halt_offset: Option<usize>,
    /// Number of classes that were not bound while they were compiled so far.
    definition_keys: u32,
    /// See [`Script::late_globals`].
    late_globals: u8,
    /// An address in the stack where compilation began.
    stack_start: usize,
    /// Constants are substituted; not so in parameter defaults, for reflection.
    substitute: bool,
}

/// Bytes of native stack that the compiler may use. A thread has 2 MB.
const STACK_BUDGET: usize = 1_200_000;

/// Compiles a source text.
///
/// # Errors
/// The first error, with PHP's text and line.
pub fn compile(
    source: &[u8],
    filename: &[u8],
    options: &CompileOptions<'_>,
) -> std::result::Result<Compiled, CompileError> {
    let arena = Bump::new();
    let parse_options = ParseOptions {
        short_open_tag: options.short_open_tag,
        skip_shebang: options.skip_shebang,
        in_code: options.is_eval,
        first_line: options.first_line,
        multibyte: options.multibyte,
    };
    let program = crate::parse(&arena, source, parse_options).map_err(|error| CompileError {
        is_syntax: error.kind == ParseErrorKind::Syntax,
        message: error.message,
        line: error.line,
        diagnostics: error
            .warnings
            .into_iter()
            .map(|warning| Diagnostic {
                severity: Severity::Warning,
                message: warning.message.into_bytes(),
                line: warning.line,
            })
            .collect(),
    })?;
    compile_program(&arena, &program, filename, options).map_err(|error| *error)
}

fn compile_program<'a>(
    arena: &'a Bump,
    program: &Program<'a>,
    filename: &[u8],
    options: &CompileOptions<'_>,
) -> Result<Compiled> {
    let stack_start = 0u8;
    let mut pool = LiteralPool::with_store(options.store.cloned().unwrap_or_default());
    let filename_string = pool.string(filename);
    let mut compiler = Compiler {
        arena,
        options,
        filename: context::copy(arena, filename),
        filename_string,
        pool,
        line: 1,
        function: FunctionState::new(Draft::new(filename_string)),
        class: None,
        property: None,
        file: FileState::default(),
        delayed: Vec::new(),
        spare: Vec::new(),
        no_parameters: Arc::from([]),
        scratch: Vec::new(),
        short_circuits: Vec::new(),
        inner_mark: 0,
        memoize: Memoize::None,
        memoized: Vec::new(),
        functions: NameMap::default(),
        known_functions: NameMap::default(),
        classes: NameMap::default(),
        diagnostics: Vec::new(),
        halt_offset: program
            .halt_offset
            .map(|offset| match options.place_in_file {
                Some(place) => place(offset),
                None => offset,
            }),
        definition_keys: options.definition_keys.map_or(0, std::cell::Cell::get),
        late_globals: 0,
        stack_start: std::ptr::from_ref(&stack_start).addr(),
        substitute: true,
    };
    compiler.function.draft.flags |= vm_runtime::function::flags::TOP_LEVEL;
    compiler.function.draft.line_start = options.first_line;
    compiler.function.draft.line_end = program.end_line;
    for warning in program.warnings {
        compiler.diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            message: warning.message.as_bytes().to_vec(),
            line: warning.line,
        });
    }
    compiler.top_statements(program.statements)?;
    compiler.line = program.end_line;
    let value = if options.is_eval {
        Constant::Null
    } else {
        Constant::Long(1)
    };
    let number = compiler.emit(Opcode::RETURN, Operand::Const(value), Operand::NONE);
    compiler.op(number).extended_value = u32::MAX;
    let main = compiler.finish_function()?;
    Ok(Compiled {
        script: Script {
            main,
            pool: Arc::new(compiler.pool),
            late_globals: compiler.late_globals,
        },
        diagnostics: compiler.diagnostics,
    })
}

impl<'a> Compiler<'a, '_> {
    /// A step of recursion; too little stack left is an error.
    #[inline]
    fn enter(&mut self) -> Result<()> {
        let here = 0u8;
        let used = self.stack_start.abs_diff(std::ptr::from_ref(&here).addr());
        if used > STACK_BUDGET || known_stack_is_low() {
            return self.fail(
                "Maximum call stack size of 8306688 bytes (zend.max_allowed_stack_size - \
                 zend.reserved_stack_size) reached during compilation. Try splitting expression",
            );
        }
        Ok(())
    }

    /// The bytes in the arena.
    fn intern(&self, bytes: &[u8]) -> &'a [u8] {
        context::copy(self.arena, bytes)
    }

    fn lowercase(&self, bytes: &'a [u8]) -> &'a [u8] {
        if bytes.iter().any(u8::is_ascii_uppercase) {
            let copy = self.arena.alloc_slice_copy(bytes);
            copy.make_ascii_lowercase();
            copy
        } else {
            bytes
        }
    }

    /// The function with this lower-cased name, if it is known to exist at run time.
    fn known_function(&mut self, lowercase: &'a [u8]) -> Option<Rc<KnownFunction>> {
        if let Some(function) = self.functions.get(lowercase) {
            return Some(function.clone());
        }
        if let Some(known) = self.known_functions.get(lowercase) {
            return known.clone();
        }
        let known = self.options.environment.function(lowercase).map(Rc::new);
        self.known_functions.insert(lowercase, known.clone());
        known
    }
}
