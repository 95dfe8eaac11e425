//! Op arrays: compiled functions. A compiler fills a [`Draft`]; publishing it makes an immutable
//! [`OpArray`] that any number of VMs and threads may execute at once.

mod literals;

use std::collections::HashMap;
use std::sync::Arc;

use crate::function::{Parameter, Type};
use crate::generated::Opcode;
use crate::op::{IS_CONST, Op};
use crate::string::PhpString;
use crate::value::Zval;

pub use literals::{LiteralPool, LiteralStore, Owned};

/// A key of an array literal.
#[derive(Debug, Clone, Copy)]
pub enum LiteralKey {
    /// An `int` key.
    Long(i64),
    /// A string of the pool.
    String(*mut PhpString),
}

/// What has to be done with a temporary that is live when an exception passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum LiveKind {
    /// Release the value.
    Temporary = 0,
    /// End a `foreach`.
    Loop = 1,
    /// Restore `error_reporting`.
    Silence = 2,
    /// Release the strings of an unfinished rope.
    Rope = 3,
    /// Release an object whose constructor did not finish.
    New = 4,
}

/// A range of oplines in which a temporary holds a value.
#[derive(Debug, Clone, Copy)]
pub struct LiveRange {
    /// Draft: number of the temporary. Published: its offset from the frame.
    pub variable: u32,
    /// What to do with it.
    pub kind: LiveKind,
    /// First opline in the range.
    pub start: u32,
    /// First opline behind the range.
    pub end: u32,
}

/// An element of the try/catch/finally table; 0 stands for "none".
#[derive(Debug, Clone, Copy, Default)]
pub struct TryCatch {
    /// First opline of the try block.
    pub try_op: u32,
    /// First CATCH.
    pub catch_op: u32,
    /// First opline of the finally block.
    pub finally_op: u32,
    /// The FAST_RET that ends it.
    pub finally_end: u32,
}

/// A static variable of a function.
#[derive(Debug, Clone, Copy)]
pub struct StaticVariable {
    /// Name without `$`.
    pub name: *mut PhpString,
    /// Initial value: a literal, a constant expression, or undefined if it is set at run time.
    pub initial: Zval,
}

/// Everything about a function that a compiler knows. Operands are numbers (see [`Op`]).
#[derive(Debug)]
pub struct Draft {
    /// See [`crate::function::flags`].
    pub flags: u32,
    /// Name as declared; null for top-level code.
    pub name: *mut PhpString,
    /// Name by which a dump calls it, with class and namespace: `C::m`, `$_main`.
    pub display_name: Vec<u8>,
    /// The text of a constant expression; empty for other code.
    pub expression_text: Vec<u8>,
    /// File it was compiled from.
    pub filename: *mut PhpString,
    /// Oplines.
    pub ops: Vec<Op>,
    /// Literals.
    pub literals: Vec<Zval>,
    /// CV names, by number; parameters first.
    pub variables: Vec<*mut PhpString>,
    /// Number of temporaries.
    pub temporaries: u32,
    /// Parameters, the variadic one last.
    pub parameters: Vec<Parameter>,
    /// Parameters without a default.
    pub required_count: u32,
    /// Declared return type.
    pub return_type: Option<Type>,
    /// Try/catch/finally table; nested elements after their parents.
    pub try_catch: Vec<TryCatch>,
    /// Live ranges; filled by [`Draft::finish`].
    pub live_ranges: Vec<LiveRange>,
    /// Bytes of runtime cache.
    pub cache_size: u32,
    /// Static variables, also the variables a closure uses.
    pub static_variables: Vec<StaticVariable>,
    /// Functions and closures declared inside.
    pub functions: Vec<Arc<OpArray>>,
    /// Classes declared inside (by index from DECLARE_CLASS).
    pub classes: Vec<Arc<ClassDeclaration>>,
    /// Functions of `functions` that are declared before the code runs (top-level code).
    pub early_functions: Vec<u32>,
    /// Classes of `classes` that are declared before the code runs (top-level code).
    pub early_classes: Vec<u32>,
    /// Classes of `classes` that are declared before the code runs if their parent exists by then;
    /// else their DECLARE_CLASS_DELAYED does it.
    pub delayed_classes: Vec<u32>,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Doc comment, or null.
    pub doc_comment: *mut PhpString,
    /// Attributes.
    pub attributes: Vec<AttributeDeclaration>,
    /// The property whose hook this is, or null.
    pub hooked_property: *mut PhpString,
}

impl Draft {
    /// The name as declared; empty for top-level code.
    pub fn name_bytes(&self) -> &[u8] {
        if self.name.is_null() {
            return b"";
        }
        // SAFETY: I4: the name is a string of the draft's pool.
        unsafe { (*self.name).as_bytes() }
    }

    /// An empty draft.
    pub fn new(filename: *mut PhpString) -> Draft {
        Draft {
            flags: 0,
            name: std::ptr::null_mut(),
            display_name: b"$_main".to_vec(),
            filename,
            ops: Vec::new(),
            literals: Vec::new(),
            variables: Vec::new(),
            temporaries: 0,
            parameters: Vec::new(),
            required_count: 0,
            return_type: None,
            try_catch: Vec::new(),
            live_ranges: Vec::new(),
            cache_size: 0,
            static_variables: Vec::new(),
            functions: Vec::new(),
            classes: Vec::new(),
            early_functions: Vec::new(),
            early_classes: Vec::new(),
            delayed_classes: Vec::new(),
            line_start: 1,
            line_end: 1,
            doc_comment: std::ptr::null_mut(),
            attributes: Vec::new(),
            hooked_property: std::ptr::null_mut(),
            expression_text: Vec::new(),
        }
    }
}

/// An attribute on a declaration.
#[derive(Debug, Clone)]
pub struct AttributeDeclaration {
    /// Resolved name.
    pub name: *mut PhpString,
    /// Lower-cased.
    pub lowercase: *mut PhpString,
    /// Arguments: name (null if positional) and literal or constant expression.
    pub arguments: Vec<(*mut PhpString, Zval)>,
    /// File it stands in; null for one of a native class.
    pub filename: *mut PhpString,
    /// Line of the attribute.
    pub line: u32,
    /// `strict_types` is in force in its file.
    pub strict: bool,
}

impl OpArray {
    /// A constant expression as it is written, with names resolved.
    pub fn expression_text(&self) -> &[u8] {
        &self.draft.expression_text
    }

    /// The constant that an expression fetches and returns, if it does no more: `NAME` or
    /// `Class::NAME`.
    pub fn fetched_constant(&self) -> Option<Vec<u8>> {
        let [first, second, ..] = self.draft.ops.as_slice() else {
            return None;
        };
        if second.opcode != Opcode::RETURN as u8 {
            return None;
        }
        let text = |number: u32| {
            let literal = self.draft.literals.get(number as usize)?;
            literal.as_bytes().map(<[u8]>::to_vec)
        };
        if first.opcode == Opcode::FETCH_CONSTANT as u8 {
            return text(first.op2);
        }
        if first.opcode != Opcode::FETCH_CLASS_CONSTANT as u8 {
            return None;
        }
        let owner = match (first.op1_type, first.op1 & 0xf) {
            (IS_CONST, _) => text(first.op1)?,
            (_, 1) => b"self".to_vec(),
            (_, 2) => b"parent".to_vec(),
            _ => b"static".to_vec(),
        };
        Some([&owner, &b"::"[..], &text(first.op2)?].concat())
    }
}

impl AttributeDeclaration {
    /// The name as written, resolved.
    pub fn name_bytes(&self) -> &[u8] {
        // SAFETY: I4: names of attributes live as long as the code or class they stand on.
        unsafe { (*self.name).as_bytes() }
    }

    /// The lower-cased name.
    pub fn lowercase_bytes(&self) -> &[u8] {
        // SAFETY: I4: names of attributes live as long as the code or class they stand on.
        unsafe { (*self.lowercase).as_bytes() }
    }
}

/// A name in a class declaration: resolved, and lower-cased for look-up.
#[derive(Debug, Clone, Copy)]
pub struct ClassName {
    /// As written, resolved.
    pub name: *mut PhpString,
    /// Lower-cased.
    pub lowercase: *mut PhpString,
}

/// A class constant or enum case.
#[derive(Debug, Clone)]
pub struct ConstantDeclaration {
    /// Name.
    pub name: *mut PhpString,
    /// Literal or constant expression. For an enum case: its backing value, or undefined.
    pub value: Zval,
    /// See [`crate::function::flags`].
    pub flags: u32,
    /// Declared type.
    pub declared: Option<Type>,
    /// Doc comment, or null.
    pub doc_comment: *mut PhpString,
    /// Attributes.
    pub attributes: Vec<AttributeDeclaration>,
    /// Line.
    pub line: u32,
}

/// A property.
#[derive(Debug, Clone)]
pub struct PropertyDeclaration {
    /// Name without `$`.
    pub name: *mut PhpString,
    /// Default: literal, constant expression; undefined for a typed property without default.
    pub default: Zval,
    /// See [`crate::function::flags`].
    pub flags: u32,
    /// Declared type.
    pub declared: Option<Type>,
    /// `get` hook.
    pub get_hook: Option<Arc<OpArray>>,
    /// `set` hook.
    pub set_hook: Option<Arc<OpArray>>,
    /// Doc comment, or null.
    pub doc_comment: *mut PhpString,
    /// Attributes.
    pub attributes: Vec<AttributeDeclaration>,
    /// Line.
    pub line: u32,
}

/// `insteadof` and `as` rules of a trait use.
#[derive(Debug, Clone)]
pub enum TraitAdaptation {
    /// `T::m insteadof A, B;`
    Precedence {
        /// The trait whose method is taken.
        trait_name: ClassName,
        /// Method name as written.
        method: *mut PhpString,
        /// Traits whose method is left out.
        excluded: Vec<ClassName>,
    },
    /// `[T::]m as [visibility] [alias];`
    Alias {
        /// The trait, if named.
        trait_name: Option<ClassName>,
        /// Method name as written.
        method: *mut PhpString,
        /// New name, or null.
        alias: *mut PhpString,
        /// New visibility and modifiers, or 0.
        modifiers: u32,
    },
}

/// A class, interface, trait or enum as compiled.
#[derive(Debug)]
pub struct ClassDeclaration {
    /// Resolved name. For anonymous classes: `Parent@anonymous` + NUL + file:line$rtd.
    pub name: ClassName,
    /// See [`crate::function::class_flags`].
    pub flags: u32,
    /// Parent class.
    pub parent: Option<ClassName>,
    /// Implemented (or, for an interface, extended) interfaces.
    pub interfaces: Vec<ClassName>,
    /// Used traits.
    pub traits: Vec<ClassName>,
    /// Rules of the trait uses.
    pub adaptations: Vec<TraitAdaptation>,
    /// Constants and enum cases in order.
    pub constants: Vec<ConstantDeclaration>,
    /// Properties in order, static ones included.
    pub properties: Vec<PropertyDeclaration>,
    /// Methods in order. Their op arrays' names are as declared.
    pub methods: Vec<Arc<OpArray>>,
    /// Backing type of an enum (type mask LONG or STRING), or 0.
    pub backing_type: u32,
    /// File.
    pub filename: *mut PhpString,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Doc comment, or null.
    pub doc_comment: *mut PhpString,
    /// Attributes.
    pub attributes: Vec<AttributeDeclaration>,
    /// Keeps its constant expressions.
    pub owned: Arc<Owned>,
}

// SAFETY: all strings and values are immutable literals.
unsafe impl Send for ClassDeclaration {}
// SAFETY: as above.
unsafe impl Sync for ClassDeclaration {}

/// A published function: immutable, shareable between VMs and threads.
#[derive(Debug)]
pub struct OpArray {
    /// What the compiler knew; its `ops` and `literals` are the unpublished form that a dump shows.
    pub draft: Draft,
    /// Oplines, then literals, in one block: literals are addressed from the oplines.
    pub(crate) block: Box<[u128]>,
    /// Live ranges with frame offsets, sorted by start.
    pub live_ranges: Box<[LiveRange]>,
    /// Parameters, shared with the functions made from this op array.
    pub parameters: Arc<[Parameter]>,
    /// CV numbers by name, for symbol tables.
    pub variable_index: HashMap<Vec<u8>, u32>,
    /// Keeps its constant expressions and jump tables; None for a constant expression, which is
    /// kept itself.
    pub(crate) owned: Option<Arc<Owned>>,
}

// SAFETY: never written after it is published; its strings and arrays are immutable.
unsafe impl Send for OpArray {}
// SAFETY: as above.
unsafe impl Sync for OpArray {}

impl OpArray {
    /// First opline.
    #[inline(always)]
    pub fn ops(&self) -> *const Op {
        self.block.as_ptr().cast()
    }

    /// The oplines and the literals behind them: they refer to each other by distance.
    pub fn block(&self) -> &[u128] {
        &self.block
    }

    /// Number of oplines.
    pub fn len(&self) -> usize {
        self.draft.ops.len()
    }

    /// An op array always holds at least a RETURN.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The name of the function that the FRAMELESS_ICALL at this place calls, in lower case. (The
    /// published opline has a cache slot where the draft's names it.)
    pub fn frameless_name(&self, index: usize) -> Option<&[u8]> {
        let literal = self.draft.ops.get(index)?.extended_value;
        self.draft.literals.get(literal as usize)?.as_bytes()
    }

    /// Number of an opline of this block; None for one of elsewhere. What stands in frames may be in a
    /// VM's own copy: ask [`crate::function::Function::index_of`].
    pub fn find(&self, opline: *const Op) -> Option<usize> {
        let end = self.ops().wrapping_add(self.len());
        (self.ops()..end)
            .contains(&opline)
            .then(|| (opline as usize - self.ops() as usize) / size_of::<Op>())
    }

    /// Slots of CVs and temporaries.
    pub fn slots(&self) -> u32 {
        self.draft.variables.len() as u32 + self.draft.temporaries
    }
}

/// A compiled file: its top-level code and the pool that everything in it shares.
#[derive(Debug, Clone)]
pub struct Script {
    /// Top-level code.
    pub main: Arc<OpArray>,
    /// Literals.
    pub pool: Arc<LiteralPool>,
    /// Of [`late_globals`], those that the source names.
    pub late_globals: u8,
}

/// Superglobals that are not there before a source names them.
pub mod late_globals {
    /// `$_ENV`
    pub const ENV: u8 = 1;
    /// `$_REQUEST`
    pub const REQUEST: u8 = 1 << 1;
    /// All of them.
    pub const ALL: u8 = ENV | REQUEST;

    /// The bit of a superglobal; 0 if it is there from the beginning.
    pub fn bit(name: &[u8]) -> u8 {
        match name {
            b"_ENV" => ENV,
            b"_REQUEST" => REQUEST,
            _ => 0,
        }
    }
}

/// Distance between static variables in the offsets of BIND_STATIC and BIND_LEXICAL: the low bits
/// of an offset hold flags.
pub const STATIC_VARIABLE_STRIDE: u32 = 32;

/// Bit in the offset of BIND_STATIC: an arrow function took the variable over.
pub const BIND_IMPLICIT: u32 = 2;
/// Bit in the offset of BIND_STATIC: the variable stands in the closure's `use (...)`.
pub const BIND_EXPLICIT: u32 = 4;
