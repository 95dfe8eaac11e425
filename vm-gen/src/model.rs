//! The definitions as read: every word resolved, every part with its place in the source.

use proc_macro2::TokenStream;
use vm_def::grammar::{
    CheckSubject, Effect, ExtendedMeaning, OperandKind, OplineField, ResultKind, SlowClass,
    SpecOption, UnusedMeaning, Unwinding,
};
use vm_def::types::TypeMask;

use crate::diagnostics::Location;

/// Something with the place where it is written.
#[derive(Clone, Debug)]
pub struct Spanned<T> {
    /// What.
    pub value: T,
    /// Where.
    pub location: Location,
}

/// Everything that the files define.
#[derive(Debug, Default)]
pub struct Definitions {
    /// The families, in the order of the files, with the text of their head comments.
    pub families: Vec<Family>,
    /// The opcodes, in the order of the files.
    pub opcodes: Vec<Opcode>,
    /// The helpers, in the order of the files.
    pub helpers: Vec<Helper>,
    /// The clauses that others are composed of, in the order of the files.
    pub shared: Vec<SharedClause>,
}

impl Definitions {
    /// The number of the opcode with this name.
    pub fn number(&self, name: &str) -> Option<u32> {
        let opcode = self.opcodes.iter().find(|opcode| opcode.name.value == name);
        opcode.map(|opcode| opcode.number.value)
    }

    /// The shared clause with this name.
    pub fn shared(&self, name: &str) -> Option<&SharedClause> {
        self.shared.iter().find(|shared| shared.name.value == name)
    }
}

/// A clause that others are composed of: it stands for its body wherever it is named.
#[derive(Clone, Debug)]
pub struct SharedClause {
    /// The name.
    pub name: Spanned<String>,
    /// What it does.
    pub documentation: Documentation,
    /// The names that its arguments have in the body.
    pub parameters: Vec<String>,
    /// The body.
    pub body: FastBlock,
}

/// One definition file.
#[derive(Debug)]
pub struct Family {
    /// The name.
    pub name: String,
    /// The head comment.
    pub documentation: Vec<String>,
}

/// The doc comment of a definition.
#[derive(Clone, Debug, Default)]
pub struct Documentation {
    /// The lines before and between the examples.
    pub lines: Vec<String>,
    /// The PHP examples.
    pub examples: Vec<Example>,
}

/// A PHP example of a doc comment.
#[derive(Clone, Debug)]
pub struct Example {
    /// The code, without the opening tag.
    pub code: String,
    /// What it prints, collected from the `// …` comments at line ends.
    pub expected: String,
}

/// One opcode.
#[derive(Debug)]
pub struct Opcode {
    /// The family that it is defined in.
    pub family: String,
    /// The name, in capitals.
    pub name: Spanned<String>,
    /// The number.
    pub number: Spanned<u32>,
    /// The doc comment.
    pub documentation: Documentation,
    /// The first operand.
    pub op1: Operand,
    /// The second operand.
    pub op2: Operand,
    /// The operand of OP_DATA.
    pub data: Option<Operand>,
    /// The result, if there is one.
    pub result: Option<ResultDefinition>,
    /// What `extended_value` means.
    pub extended: Vec<Spanned<ExtendedMeaning>>,
    /// The number of cache slots at `extended_value`.
    pub extended_cache_slots: u8,
    /// What it checks against a declared type.
    pub checks: Option<CheckDefinition>,
    /// The options.
    pub spec: Vec<Spanned<SpecOption>>,
    /// The effects.
    pub effects: Vec<Spanned<Effect>>,
    /// The jumps among the effects.
    pub jumps: Vec<Spanned<OplineField>>,
    /// The opcode whose code it shares.
    pub alias: Option<Spanned<String>>,
    /// A number without a handler.
    pub define_only: bool,
    /// The fast clauses.
    pub fast: Vec<FastClause>,
    /// The slow path.
    pub slow: Option<SlowPath>,
}

/// A function with the handler signature that is reached by `helper(NAME)`.
#[derive(Debug)]
pub struct Helper {
    /// The family that it is defined in.
    pub family: String,
    /// The name.
    pub name: Spanned<String>,
    /// The doc comment.
    pub documentation: Documentation,
    /// The slow path.
    pub slow: Option<SlowPath>,
}

/// One operand.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Where it is declared; the opcode's name if it is not.
    pub location: Location,
    /// The kinds, each one specialisation.
    pub kinds: Vec<Spanned<OperandKind>>,
    /// What an UNUSED operand means.
    pub meaning: UnusedMeaning,
    /// The instruction does not free it.
    pub keep: bool,
    /// The instruction writes its slot.
    pub define: bool,
    /// A variable is only read, or may become a reference, though the kinds do not tell.
    pub access: Option<Access>,
    /// It was written in the definition.
    pub declared: bool,
}

/// What an instruction does with the variable that an operand names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// May make a reference of it, or change it.
    Reference,
}

/// The result.
#[derive(Clone, Debug)]
pub struct ResultDefinition {
    /// Where it is declared.
    pub location: Location,
    /// The kinds.
    pub kinds: Vec<ResultKind>,
    /// Only if used.
    pub optional: bool,
    /// The array or rope in op1 again.
    pub same: bool,
    /// What an exception does with it.
    pub unwound: Unwinding,
    /// The types that it may have, if that is said.
    pub types: Option<TypeMask>,
    /// An integer in it is small.
    pub small: bool,
    /// The number of runtime cache slots, for SLOT.
    pub slots: u8,
}

/// `checks: PARAMETER(op2, extended);`
#[derive(Clone, Debug)]
pub struct CheckDefinition {
    /// What is checked.
    pub subject: Spanned<CheckSubject>,
    /// Where the mask of accepted types is once the opline is published.
    pub accepted: OplineField,
    /// Where the number of the cache word is.
    pub cache: OplineField,
}

/// The slow path.
#[derive(Clone, Debug)]
pub struct SlowPath {
    /// Where it is written.
    pub location: Location,
    /// The function.
    pub path: syn::Path,
    /// How it is called.
    pub form: SlowForm,
    /// What it does not do; with none it may do everything.
    pub class: Option<Spanned<SlowClass>>,
}

/// How a slow function is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlowForm {
    /// `fn(frame, opline, vm) -> *const Op`.
    Handler,
    /// `fn(vm, result, op1[, op2])`.
    Value {
        /// Takes op2 as well.
        binary: bool,
    },
    /// `fn(vm, op1[, op2]) -> bool`.
    Condition {
        /// Takes op2 as well.
        binary: bool,
        /// The result is the opposite.
        negated: bool,
        /// Jumps to the field's target if the result is this.
        jump: Option<(OplineField, bool)>,
    },
}

/// A fast clause, or one of the middle path.
#[derive(Clone, Debug)]
pub struct FastClause {
    /// Where it starts.
    pub location: Location,
    /// It stands on the middle path.
    pub middle: bool,
    /// It stands for one clause for each clause of the variant's operator.
    pub compound: bool,
    /// It is only in handlers that are chosen by its types.
    pub typed: bool,
    /// The name, in capitals.
    pub name: Option<Spanned<String>>,
    /// The parameters: op1, op2, data.
    pub parameters: Vec<Parameter>,
    /// The body.
    pub body: FastBlock,
    /// The source tokens, for `explain`.
    pub tokens: TokenStream,
}

/// A parameter of a fast clause.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name; empty if only the kind matters.
    pub name: Spanned<String>,
    /// The types.
    pub types: TypeMask,
    /// It stands for the variable that an INDIRECT in a VAR points to.
    pub place: bool,
    /// It stands for the value in the reference, if there is one.
    pub follow: bool,
    /// The types must be proven where the clause is chosen by types.
    pub proven: bool,
    /// The clause is for these kinds only; empty for all.
    pub kinds: Vec<OperandKind>,
}

/// A block of the fast language.
#[derive(Clone, Debug)]
pub struct FastBlock {
    /// Where it is.
    pub location: Location,
    /// The statements; a tail expression is the last one.
    pub statements: Vec<FastStatement>,
}

/// A statement of the fast language.
#[derive(Clone, Debug)]
pub enum FastStatement {
    /// `let name = expression;`
    Let(String, FastExpression),
    /// `op1 = expression;` or `result = expression;`
    Assign(Spanned<vm_def::ir::Place>, FastExpression),
    /// `*slot = expression;`
    AssignAt(FastExpression, FastExpression),
    /// `call.function = expression;`
    AssignField(FastExpression, String, FastExpression),
    /// `guard(condition);` or `guard(condition, Class);`
    Guard(FastExpression, vm_def::ir::Reason),
    /// `jump(op2);`
    Jump(Spanned<OplineField>),
    /// `enter(frame, opline);`, `resume(frame, opline);`, `leave(frame, opline);`
    Switch(FastExpression, FastExpression, vm_def::ir::Way),
    /// `goto(opline);`
    Goto(FastExpression),
    /// `helper(name);`
    Helper(Spanned<String>),
    /// `release(x);` and other calls without a value.
    Effect(FastExpression),
    /// The tail: its value is the result.
    Tail(FastExpression),
    /// An `if` whose arms have no value.
    If(FastExpression, FastBlock, FastBlock),
}

/// An expression of the fast language.
#[derive(Clone, Debug)]
pub struct FastExpression {
    /// Where it is.
    pub location: Location,
    /// What it is.
    pub kind: FastExpressionKind,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names are those of the language")]
pub enum FastExpressionKind {
    Integer(i64),
    Float(f64),
    Bool(bool),
    Null,
    Undef,
    Name(String),
    Unary(UnaryOperator, Box<FastExpression>),
    Binary(BinaryOperator, Box<FastExpression>, Box<FastExpression>),
    AsDouble(Box<FastExpression>),
    AsLong(Box<FastExpression>),
    Checked(
        vm_def::ir::OverflowOperation,
        Box<FastExpression>,
        Box<FastExpression>,
        Box<FastExpression>,
    ),
    If(Box<FastExpression>, FastBlock, FastBlock),
    Construct(vm_def::ir::Representation, Box<FastExpression>),
    Call(String, Vec<FastExpression>),
    Field(Box<FastExpression>, String),
    Element(Box<FastExpression>, String, Box<FastExpression>),
    Cast(Box<FastExpression>, vm_def::ir::Structure),
    Is(Box<FastExpression>, TypeMask),
}

/// Unary operators of the fast language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum UnaryOperator {
    Negate,
    Not,
}

/// Binary operators of the fast language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    BitOr,
    BitXor,
    BitAnd,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOperator {
    /// Whether it takes integers as bits.
    pub fn works_on_bits(self) -> bool {
        use BinaryOperator::{BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight};
        matches!(self, BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight)
    }
}

impl Documentation {
    /// Whether a line says that no PHP code compiles to the opcode.
    pub fn is_internal(&self) -> bool {
        self.lines.iter().any(|line| line.starts_with("Internal"))
    }
}

impl Opcode {
    /// Whether the option is given.
    pub fn has_spec(&self, option: SpecOption) -> bool {
        self.spec.iter().any(|spec| spec.value == option)
    }

    /// Whether the effect is given.
    pub fn has_effect(&self, effect: Effect) -> bool {
        self.effects.iter().any(|word| word.value == effect)
    }

    /// The name of the functions made for it.
    pub fn function_name(&self) -> String {
        self.name.value.to_lowercase()
    }

    /// The number of binary operators: variants of `spec: OPERATOR`.
    pub const OPERATORS: u32 = 12;

    /// Whether the code depends on the kinds of the operands; else one handler serves all.
    pub fn is_specialised(&self) -> bool {
        !self.fast.is_empty()
    }

    /// Whether the result is declared as a value in a slot.
    pub fn has_result_slot(&self) -> bool {
        self.result
            .as_ref()
            .is_some_and(|result| !result.kinds.contains(&ResultKind::Slot))
    }

    /// Whether op1's place may be the result's, as that of `&&` and `??` is: what op1 has a share in is given back
    /// before the result is written, or never.
    pub fn shares_places(&self) -> bool {
        let is_target = |meaning| meaning == UnusedMeaning::JmpAddr;
        self.has_result_slot()
            && !self.has_spec(SpecOption::SmartBranch)
            && (is_target(self.op1.meaning) || is_target(self.op2.meaning))
    }

    /// The types that the result may have: what is said, or what the slow path tells.
    pub fn result_types(&self) -> TypeMask {
        let is_truth = self
            .slow
            .as_ref()
            .is_some_and(|slow| matches!(slow.form, SlowForm::Condition { .. }));
        match self.result.as_ref().and_then(|result| result.types) {
            Some(types) => types,
            None if is_truth && self.has_result_slot() => TypeMask::BOOL,
            None => TypeMask::ANY,
        }
    }

    /// Whether the slow path may leave an exception behind.
    pub fn slow_throws(&self) -> bool {
        let class = self.slow.as_ref().map(SlowPath::class);
        class.is_some_and(|class| class != Some(SlowClass::Pure))
    }

    /// Whether the slow path may run code of the script.
    pub fn slow_reenters(&self) -> bool {
        let class = self.slow.as_ref().map(SlowPath::class);
        class.is_some_and(|class| class.is_none())
    }

    /// How many oplines the instruction takes.
    pub fn width(&self) -> usize {
        1 + usize::from(self.data.is_some())
    }
}

impl SlowPath {
    /// What it does not do.
    pub fn class(&self) -> Option<SlowClass> {
        self.class.as_ref().map(|class| class.value)
    }
}

impl FastClause {
    /// Whether the parameter's types are proven where the clause is chosen by types: those marked
    /// `proven`, or all if none is marked.
    pub fn proves(&self, parameter: &Parameter) -> bool {
        let marked = self.parameters.iter().any(|other| other.proven);
        parameter.proven || !marked
    }

    /// Whether the clause can still apply in a handler that is chosen where `other`'s types are proven,
    /// when `other` does not: it takes what is proven, and something is not.
    pub fn follows(&self, other: &FastClause) -> bool {
        let takes = |(own, proof): (&Parameter, &Parameter)| {
            !other.proves(proof) || own.types.intersects(proof.types)
        };
        let marked = other.parameters.iter().any(|parameter| parameter.proven);
        self.middle || marked && self.parameters.iter().zip(&other.parameters).all(takes)
    }

    /// The number of the parameter with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.parameters
            .iter()
            .position(|parameter| parameter.name.value == name)
    }
}

impl Operand {
    /// Whether one of the kinds is this one.
    pub fn has_kind(&self, kind: OperandKind) -> bool {
        self.kinds.iter().any(|known| known.value == kind)
    }

    /// Whether a variable has the same value behind the instruction as in front of it, as far as its
    /// clauses do not assign to it. What may as well be a literal or a temporary is not written to.
    pub fn is_read(&self) -> bool {
        let reads = |kind: &Spanned<OperandKind>| {
            let codes = kind.value.codes();
            kind.value != OperandKind::Any && (codes.contains(&1) || codes.contains(&2))
        };
        match self.access {
            Some(access) => access == Access::Read,
            None => !self.define && self.kinds.iter().any(reads),
        }
    }

    /// Whether the operand can be a value at all.
    pub fn may_be_value(&self) -> bool {
        self.kinds
            .iter()
            .any(|kind| kind.value != OperandKind::Unused)
            || self.meaning == UnusedMeaning::This
    }
}
