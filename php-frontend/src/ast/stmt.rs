//! Statements.

use super::{ClassDecl, ConstItem, ExprRef, FunctionDecl, Identifier, Name};

/// A statement node.
#[derive(Clone, Copy, Debug)]
pub struct Stmt<'a> {
    /// What statement it is.
    pub kind: StmtKind<'a>,
    /// Line as Zend's tree has it.
    pub line: u32,
}

/// The forms of a statement.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind<'a> {
    /// `;`, or the nothing a `?>` leaves.
    Nop,
    /// `expression;`
    Expr(ExprRef<'a>),
    /// `echo a, b;`, `<?= a ?>`
    Echo(&'a [ExprRef<'a>]),
    /// Text outside of the PHP tags.
    InlineHtml(&'a [u8]),
    /// `{ ... }`, and every body of more than one statement.
    Block(&'a [Stmt<'a>]),
    /// `if`, `elseif`, `else` in one list, as written.
    If(&'a [IfArm<'a>]),
    /// `while (condition) body`
    While {
        /// The condition.
        condition: ExprRef<'a>,
        /// The body.
        body: &'a Stmt<'a>,
    },
    /// `do body while (condition);`
    DoWhile {
        /// The body.
        body: &'a Stmt<'a>,
        /// The condition.
        condition: ExprRef<'a>,
    },
    /// `for (init; condition; step) body`
    For(&'a For<'a>),
    /// `foreach (subject as key => value) body`
    Foreach(&'a Foreach<'a>),
    /// `switch (subject) { ... }`
    Switch {
        /// The value compared.
        subject: ExprRef<'a>,
        /// The cases, in order.
        cases: &'a [SwitchCase<'a>],
    },
    /// `break;`, `break level;`
    Break(Option<ExprRef<'a>>),
    /// `continue;`, `continue level;`
    Continue(Option<ExprRef<'a>>),
    /// `return;`, `return value;`
    Return(Option<ExprRef<'a>>),
    /// `global $a, $$b;`
    Global(&'a [ExprRef<'a>]),
    /// `static $a = 1, $b;`
    StaticVars(&'a [StaticVar<'a>]),
    /// `unset(a, b);`
    Unset(&'a [ExprRef<'a>]),
    /// `try { ... } catch ... finally ...`
    Try(&'a Try<'a>),
    /// `goto label;`
    Goto(Identifier<'a>),
    /// `label:`
    Label(Identifier<'a>),
    /// `declare(name = value, ...)`
    Declare {
        /// The directives.
        directives: &'a [ConstItem<'a>],
        /// The statement it governs; none in `declare(...);`.
        body: Option<&'a Stmt<'a>>,
    },
    /// `namespace A\B;`, `namespace A { ... }`, `namespace { ... }`
    Namespace {
        /// The name; none for the global namespace.
        name: Option<Name<'a>>,
        /// The statements between braces; none in the `;` form, where they follow as siblings.
        body: Option<&'a [Stmt<'a>]>,
    },
    /// `use A\B, C as D;`, `use function ...`, `use A\{B, C}`
    Use(&'a Use<'a>),
    /// `const A = 1, B = 2;`
    Const(&'a [ConstItem<'a>]),
    /// A named function.
    Function(&'a FunctionDecl<'a>),
    /// A named class, interface, trait or enum.
    Class(&'a ClassDecl<'a>),
    /// `__halt_compiler();`
    HaltCompiler {
        /// Offset of the first byte of data in the source.
        offset: usize,
    },
}

/// One arm of an `if`.
#[derive(Clone, Copy, Debug)]
pub struct IfArm<'a> {
    /// The condition; none for `else`.
    pub condition: Option<ExprRef<'a>>,
    /// The body.
    pub body: &'a Stmt<'a>,
    /// Line of the arm.
    pub line: u32,
}

/// A `for` loop.
#[derive(Clone, Copy, Debug)]
pub struct For<'a> {
    /// Evaluated once.
    pub init: &'a [ExprRef<'a>],
    /// Evaluated before each round; the last one decides. Empty means true.
    pub condition: &'a [ExprRef<'a>],
    /// Evaluated after each round.
    pub step: &'a [ExprRef<'a>],
    /// The body.
    pub body: &'a Stmt<'a>,
}

/// A `foreach` loop.
#[derive(Clone, Copy, Debug)]
pub struct Foreach<'a> {
    /// What is iterated.
    pub subject: ExprRef<'a>,
    /// The target of the keys.
    pub key: Option<ExprRef<'a>>,
    /// The target of the values; may be an array pattern.
    pub value: ExprRef<'a>,
    /// Written `as &$value`.
    pub by_ref: bool,
    /// The body.
    pub body: &'a Stmt<'a>,
}

/// A case of a `switch`.
#[derive(Clone, Copy, Debug)]
pub struct SwitchCase<'a> {
    /// The value; none for `default`.
    pub condition: Option<ExprRef<'a>>,
    /// The statements up to the next case.
    pub body: &'a [Stmt<'a>],
    /// Line of the case.
    pub line: u32,
}

/// A variable of a `static` statement.
#[derive(Clone, Copy, Debug)]
pub struct StaticVar<'a> {
    /// The name without `$`.
    pub name: &'a [u8],
    /// The first value.
    pub default: Option<ExprRef<'a>>,
    /// Source line.
    pub line: u32,
}

/// A `try` statement.
#[derive(Clone, Copy, Debug)]
pub struct Try<'a> {
    /// The guarded statements.
    pub body: &'a [Stmt<'a>],
    /// The handlers, in order.
    pub catches: &'a [Catch<'a>],
    /// The statements of `finally`.
    pub finally: Option<&'a [Stmt<'a>]>,
    /// Line of the `finally` block's statement list, when there is one.
    pub finally_line: u32,
}

/// A `catch` clause.
#[derive(Clone, Copy, Debug)]
pub struct Catch<'a> {
    /// The classes caught.
    pub classes: &'a [Name<'a>],
    /// The variable, without `$`.
    pub variable: Option<&'a [u8]>,
    /// The statements.
    pub body: &'a [Stmt<'a>],
    /// Line of the clause.
    pub line: u32,
}

/// What a `use` imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UseKind {
    /// A class, interface, trait, enum or namespace.
    Class,
    /// A function.
    Function,
    /// A constant.
    Const,
}

/// A `use` statement.
#[derive(Clone, Copy, Debug)]
pub struct Use<'a> {
    /// What the statement imports, unless an item says otherwise.
    pub kind: UseKind,
    /// The prefix of the group form.
    pub prefix: Option<Name<'a>>,
    /// The imported names.
    pub items: &'a [UseItem<'a>],
}

/// One imported name.
#[derive(Clone, Copy, Debug)]
pub struct UseItem<'a> {
    /// `function` or `const` inside a mixed group.
    pub kind: Option<UseKind>,
    /// The name, without the group's prefix and without a leading backslash.
    pub name: Name<'a>,
    /// The name after `as`.
    pub alias: Option<&'a [u8]>,
    /// Source line.
    pub line: u32,
}
