//! What the compiler asks about the world the code will run in.

use std::sync::Arc;

use vm_runtime::function::{Parameter, PassBy, flags};
use vm_runtime::op_array::LiteralStore;
use vm_runtime::value::Zval;

/// What is known about a function that a call may reach.
#[derive(Clone, Debug)]
pub struct KnownFunction {
    /// A function of the engine or an extension.
    pub internal: bool,
    /// See [`vm_runtime::function::flags`]: `DEPRECATED`, `VARIADIC`, visibility, `STATIC`, `FINAL`.
    pub flags: u32,
    /// Parameters without a default.
    pub required: u32,
    /// Parameters, the variadic one last.
    pub parameters: Arc<[Parameter]>,
    /// CVs and temporaries of a user function.
    pub slots: u32,
    /// Bit `n` is set if there is a frameless form that takes `n` arguments.
    pub frameless: u8,
    /// Where a user function was declared.
    pub location: Option<(Vec<u8>, u32)>,
}

impl KnownFunction {
    /// How parameter `number` (1-based) takes its argument; none if it isn't known which one it is.
    pub(crate) fn pass_by(&self, number: u32) -> PassBy {
        let declared = self.parameters.get(number as usize - 1);
        let variadic = || {
            (self.flags & flags::VARIADIC != 0)
                .then(|| self.parameters.last())
                .flatten()
        };
        declared
            .or_else(variadic)
            .map_or(PassBy::Value, |parameter| parameter.pass_by)
    }

    /// The number of the parameter with this name, 1-based.
    pub(crate) fn parameter_number(&self, name: &[u8]) -> Option<u32> {
        self.parameters
            .iter()
            .position(|parameter| !parameter.variadic && parameter.name_bytes() == name)
            .map(|position| position as u32 + 1)
    }

    /// Declared parameters without a variadic one.
    pub(crate) fn parameter_count(&self) -> u32 {
        self.parameters.len() as u32 - u32::from(self.flags & flags::VARIADIC != 0)
    }
}

/// What is known about a class at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownClass {
    /// A class of the engine or an extension.
    pub internal: bool,
}

/// The functions, classes and constants that exist when a source is compiled.
///
/// Everything answered here is built into the op arrays: answer only what holds wherever they run.
pub trait Environment {
    /// The function with this lower-cased name.
    fn function(&self, lowercase: &[u8]) -> Option<KnownFunction>;

    /// The class with this lower-cased name.
    fn class(&self, _lowercase: &[u8]) -> Option<KnownClass> {
        None
    }

    /// Whether there is a class by now, whoever declared it. What is compiled does not depend on it, for the same code
    /// may run again when there is none.
    fn is_declared(&self, lowercase: &[u8]) -> bool {
        self.class(lowercase).is_some()
    }

    /// A method of a class, both names lower-cased.
    fn method(&self, _class: &[u8], _method: &[u8]) -> Option<KnownFunction> {
        None
    }

    /// The working directory, which is `__DIR__` of code that is in no file.
    fn working_directory(&self) -> Vec<u8> {
        b".".to_vec()
    }

    /// The value of a scalar constant of the engine that never changes and is not deprecated.
    fn constant(&self, _name: &[u8]) -> Option<Zval> {
        None
    }
}

/// A world that holds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptyEnvironment;

impl Environment for EmptyEnvironment {
    fn function(&self, _lowercase: &[u8]) -> Option<KnownFunction> {
        None
    }
}

/// Settings of a compilation.
#[derive(Clone, Copy)]
pub struct CompileOptions<'o> {
    /// What exists.
    pub environment: &'o dyn Environment,
    /// `<?` opens PHP code.
    pub short_open_tag: bool,
    /// Skip a first line that starts with `#!`.
    pub skip_shebang: bool,
    /// The code of an `eval`: no opening tag, and it returns null where a file returns 1.
    pub is_eval: bool,
    /// Compile `assert()`; false when `zend.assertions` is -1.
    pub assertions: bool,
    /// Digits of a float turned into a string, the INI setting `precision`; negative for as many
    /// as are needed.
    pub precision: i32,
    /// The script to be run, for which `__COMPILER_HALT_OFFSET__` and such count.
    pub first_line: u32,
    /// Where strings and arrays go that values may refer to; a store of the script's own if there is
    /// none.
    pub store: Option<&'o Arc<LiteralStore>>,
    /// Sources have encodings (`zend.multibyte`).
    pub multibyte: Option<crate::Multibyte>,
    /// Where in the file a place of the source is, if that was made from the file's text.
    pub place_in_file: Option<&'o dyn Fn(usize) -> usize>,
    /// The number that the name of the next anonymous class ends with, which goes on from source to
    /// source of a running script; from 0 if there is none.
    pub definition_keys: Option<&'o std::cell::Cell<u32>>,
    /// What native functions are given is computed before their calls are prepared, as far as nobody can tell: compiled
    /// code makes such calls without a frame. Otherwise op arrays are PHP's, opcode for opcode.
    pub computes_arguments_first: bool,
}

impl<'o> CompileOptions<'o> {
    /// PHP's defaults.
    pub fn new(environment: &'o dyn Environment) -> Self {
        CompileOptions {
            environment,
            short_open_tag: true,
            skip_shebang: false,
            is_eval: false,
            assertions: true,
            precision: 14,
            first_line: 1,
            store: None,
            multibyte: None,
            place_in_file: None,
            definition_keys: None,
            computes_arguments_first: false,
        }
    }
}

impl std::fmt::Debug for CompileOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompileOptions")
            .field("is_eval", &self.is_eval)
            .field("assertions", &self.assertions)
            .field("precision", &self.precision)
            .finish_non_exhaustive()
    }
}
