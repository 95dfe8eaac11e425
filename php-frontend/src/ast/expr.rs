//! Expressions.

use super::{ClassDecl, FunctionDecl, Name};

/// A reference to an expression node.
pub type ExprRef<'a> = &'a Expr<'a>;

/// An expression node.
#[derive(Clone, Copy, Debug)]
pub struct Expr<'a> {
    /// What expression it is.
    pub kind: ExprKind<'a>,
    /// Line as Zend's tree has it.
    pub line: u32,
    /// Written directly inside parentheses: `(a ? b : c) ? d : e` is legal, without them it is not.
    pub parenthesized: bool,
}

/// The forms of an expression.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind<'a> {
    /// An integer literal.
    Int(i64),
    /// A float literal, or an integer literal too large for 64 bits.
    Float(f64),
    /// A string literal with its escapes resolved; also a member name written as an identifier.
    String(&'a [u8]),
    /// A string with variables in it; never empty.
    Interpolated(&'a [StringPart<'a>]),
    /// `` `command` ``; parts as for [`ExprKind::Interpolated`], empty for an empty command.
    ShellExec(&'a [StringPart<'a>]),
    /// A name where a class or function is named: callee, class of `new`, `::`, `instanceof`.
    Name(Name<'a>),
    /// `static` where a class is named.
    StaticClass,
    /// A constant: `FOO`, `true`, `\A\B`.
    Const(Name<'a>),
    /// `__LINE__` and its relatives.
    MagicConst(MagicConst),
    /// `$name`
    Variable(&'a [u8]),
    /// `$$name`, `${expression}`
    VariableVariable(ExprRef<'a>),
    /// An array literal or a destructuring pattern.
    Array(ArrayLiteral<'a>),
    /// `base[index]`; no index in `base[]`.
    Dim {
        /// The array.
        base: ExprRef<'a>,
        /// The index.
        index: Option<ExprRef<'a>>,
    },
    /// `object->name` and `object?->name`
    Prop {
        /// The object.
        object: ExprRef<'a>,
        /// The name; a `String` when written as an identifier.
        name: ExprRef<'a>,
        /// Written with `?->`.
        nullsafe: bool,
    },
    /// `Class::$name`
    StaticProp {
        /// The class: a name or an expression.
        class: ExprRef<'a>,
        /// The name without `$`; a `String` unless it is dynamic.
        name: ExprRef<'a>,
    },
    /// `Class::NAME`, `Class::{expression}`
    ClassConst {
        /// The class: a name or an expression.
        class: ExprRef<'a>,
        /// The name; a `String` unless it is dynamic.
        name: ExprRef<'a>,
    },
    /// `Class::class`
    ClassName {
        /// The class: a name or an expression.
        class: ExprRef<'a>,
    },
    /// `name(...)`, `expression(...)`; `exit` and `die` are calls of `\exit`.
    Call {
        /// A [`ExprKind::Name`] or any expression.
        callee: ExprRef<'a>,
        /// The arguments.
        args: &'a Args<'a>,
    },
    /// `object->name(...)`, `object?->name(...)`
    MethodCall {
        /// The object.
        object: ExprRef<'a>,
        /// The name; a `String` when written as an identifier.
        name: ExprRef<'a>,
        /// The arguments.
        args: &'a Args<'a>,
        /// Written with `?->`.
        nullsafe: bool,
    },
    /// `Class::name(...)`
    StaticCall {
        /// The class: a name or an expression.
        class: ExprRef<'a>,
        /// The name; a `String` when written as an identifier.
        name: ExprRef<'a>,
        /// The arguments.
        args: &'a Args<'a>,
    },
    /// `new Class(...)`
    New {
        /// The class: a name or an expression.
        class: ExprRef<'a>,
        /// The arguments; empty when the parentheses are left out.
        args: &'a Args<'a>,
    },
    /// `new class(...) { ... }`
    NewAnonymous {
        /// The class.
        class: &'a ClassDecl<'a>,
        /// The arguments of its constructor.
        args: &'a Args<'a>,
    },
    /// `+a`, `-a`, `!a`, `~a`
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: ExprRef<'a>,
    },
    /// `a + b` and the other operators that evaluate both sides.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left side.
        left: ExprRef<'a>,
        /// The right side.
        right: ExprRef<'a>,
    },
    /// `a && b`, `a and b`
    And {
        /// The left side.
        left: ExprRef<'a>,
        /// The right side.
        right: ExprRef<'a>,
    },
    /// `a || b`, `a or b`
    Or {
        /// The left side.
        left: ExprRef<'a>,
        /// The right side.
        right: ExprRef<'a>,
    },
    /// `a ?? b`
    Coalesce {
        /// The left side.
        left: ExprRef<'a>,
        /// The right side.
        right: ExprRef<'a>,
    },
    /// `a ? b : c`, `a ?: c`
    Conditional {
        /// The condition.
        condition: ExprRef<'a>,
        /// The value when it holds; none in `a ?: c`.
        then: Option<ExprRef<'a>>,
        /// The value when it does not.
        otherwise: ExprRef<'a>,
    },
    /// `target = value`; the target may be an [`ExprKind::Array`] pattern.
    Assign {
        /// What is assigned to.
        target: ExprRef<'a>,
        /// The value.
        value: ExprRef<'a>,
    },
    /// `target = &value`
    AssignRef {
        /// What is assigned to.
        target: ExprRef<'a>,
        /// The variable referred to.
        value: ExprRef<'a>,
    },
    /// `target += value` and the like.
    AssignOp {
        /// The operator without `=`.
        operator: BinaryOperator,
        /// What is assigned to.
        target: ExprRef<'a>,
        /// The right operand.
        value: ExprRef<'a>,
    },
    /// `target ??= value`
    AssignCoalesce {
        /// What is assigned to.
        target: ExprRef<'a>,
        /// The value.
        value: ExprRef<'a>,
    },
    /// `++a`, `a--`
    IncDec {
        /// Which of the four.
        operator: IncDecOperator,
        /// The variable.
        target: ExprRef<'a>,
    },
    /// `(int) a`
    Cast {
        /// The type.
        kind: CastKind,
        /// The operand.
        operand: ExprRef<'a>,
    },
    /// `isset(a)`; `isset(a, b)` is an `And` of two.
    Isset(ExprRef<'a>),
    /// `empty(a)`
    Empty(ExprRef<'a>),
    /// `include`, `require`, `eval` and the `_once` forms.
    Include {
        /// Which one.
        kind: IncludeKind,
        /// The path or the code.
        operand: ExprRef<'a>,
    },
    /// `print a`
    Print(ExprRef<'a>),
    /// `clone a`
    Clone(ExprRef<'a>),
    /// `@a`
    Silence(ExprRef<'a>),
    /// `a instanceof Class`
    InstanceOf {
        /// The value tested.
        value: ExprRef<'a>,
        /// The class: a name or an expression.
        class: ExprRef<'a>,
    },
    /// `yield`, `yield value`, `yield key => value`
    Yield {
        /// The key.
        key: Option<ExprRef<'a>>,
        /// The value.
        value: Option<ExprRef<'a>>,
    },
    /// `yield from a`
    YieldFrom(ExprRef<'a>),
    /// `throw a`
    Throw(ExprRef<'a>),
    /// `match (subject) { ... }`
    Match {
        /// The value matched.
        subject: ExprRef<'a>,
        /// The arms, in order.
        arms: &'a [MatchArm<'a>],
    },
    /// `function (...) use (...) { ... }`
    Closure(&'a FunctionDecl<'a>),
    /// `fn (...) => expression`
    ArrowFunction(&'a FunctionDecl<'a>),
}

/// A part of an interpolated string.
#[derive(Clone, Copy, Debug)]
pub struct StringPart<'a> {
    /// A `String` for literal text, else the expression interpolated.
    pub expr: ExprRef<'a>,
    /// How it was written.
    pub syntax: StringPartSyntax,
}

/// How a part of an interpolated string was written; two of the ways are deprecated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StringPartSyntax {
    /// Literal text.
    Literal,
    /// `$name`, `$name[0]`, `$name->property`
    Simple,
    /// `{$expression}`
    Braced,
    /// `${name}`, `${name[0]}`: deprecated, "Using ${var} in strings is deprecated".
    DollarBrace,
    /// `${expression}`: deprecated, "Using ${expr} (variable variables) in strings is deprecated".
    DollarBraceExpression,
}

/// Constants the compiler fills in from the place they stand at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the PHP constant of that name")]
pub enum MagicConst {
    Line,
    File,
    Dir,
    Function,
    Method,
    Class,
    Namespace,
    Trait,
    Property,
}

/// An array literal or a destructuring pattern.
#[derive(Clone, Copy, Debug)]
pub struct ArrayLiteral<'a> {
    /// The items; `None` is an empty slot, legal in patterns only.
    pub items: &'a [Option<ArrayItem<'a>>],
    /// How it was written.
    pub syntax: ArraySyntax,
}

/// How an array literal was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArraySyntax {
    /// `array(...)`
    Long,
    /// `[...]`
    Short,
    /// `list(...)`
    List,
}

/// An item of an array literal.
#[derive(Clone, Copy, Debug)]
pub struct ArrayItem<'a> {
    /// The key of `key => value`.
    pub key: Option<ExprRef<'a>>,
    /// The value.
    pub value: ExprRef<'a>,
    /// Written with `&`.
    pub by_ref: bool,
    /// Written with `...`.
    pub spread: bool,
    /// Line of the element.
    pub line: u32,
}

/// An argument list.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    /// The arguments, in order.
    pub items: &'a [Arg<'a>],
    /// Line of the list.
    pub line: u32,
    /// `f(...)`: make a closure instead of a call; `items` is empty.
    pub first_class_callable: bool,
}

/// An argument.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'a> {
    /// The value.
    pub value: ExprRef<'a>,
    /// The name of `name: value`.
    pub name: Option<&'a [u8]>,
    /// Written with `...`.
    pub spread: bool,
    /// Line of the argument.
    pub line: u32,
}

/// An arm of `match`.
#[derive(Clone, Copy, Debug)]
pub struct MatchArm<'a> {
    /// The values compared with; `None` is `default`.
    pub conditions: Option<&'a [Expr<'a>]>,
    /// The result.
    pub body: ExprRef<'a>,
    /// Line of the arm.
    pub line: u32,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `+a`
    Plus,
    /// `-a`
    Minus,
    /// `!a`
    Not,
    /// `~a`
    BitNot,
}

/// Operators that evaluate both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `**`
    Pow,
    /// `.`
    Concat,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `|`
    BitOr,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `xor`
    Xor,
    /// `===`
    Identical,
    /// `!==`
    NotIdentical,
    /// `==`
    Equal,
    /// `!=`, `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`; compiled as `<` with the sides swapped.
    Greater,
    /// `>=`; compiled as `<=` with the sides swapped.
    GreaterEqual,
    /// `<=>`
    Spaceship,
}

/// The four increments and decrements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IncDecOperator {
    /// `++a`
    PreInc,
    /// `--a`
    PreDec,
    /// `a++`
    PostInc,
    /// `a--`
    PostDec,
}

/// The types of a cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastKind {
    /// `(int)`, `(integer)`
    Int,
    /// `(float)`, `(double)`
    Float,
    /// `(string)`, `(binary)`
    String,
    /// `(array)`
    Array,
    /// `(object)`
    Object,
    /// `(bool)`, `(boolean)`
    Bool,
    /// `(unset)`: the compiler refuses it, "The (unset) cast is no longer supported".
    Unset,
}

/// The operators that run other code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the PHP operator of that name")]
pub enum IncludeKind {
    Include,
    IncludeOnce,
    Require,
    RequireOnce,
    Eval,
}
