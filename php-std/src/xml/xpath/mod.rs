//! XPath 1.0 over the tree of a document.

mod evaluate;
mod functions;
mod parse;

pub(crate) use evaluate::{Context, Host, Place, evaluate, value_text};
#[cfg(feature = "xsl")]
pub(crate) use evaluate::{Order, sorted, string_of, take_step, truth, value_number};
pub(crate) use parse::parse;

use super::tree::NodeId;

/// A node as XPath sees it: namespaces are nodes, too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    Node(NodeId),
    /// The namespace of a prefix at an element.
    Namespace(NodeId, Vec<u8>, Vec<u8>),
}

/// What an expression gives.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Nodes(Vec<Item>),
    /// What was made by a template: copied and asked for its text, but no way leads into it.
    #[cfg_attr(not(feature = "xsl"), allow(dead_code, reason = "made by stylesheets"))]
    Tree(NodeId),
    Bool(bool),
    Number(f64),
    Text(Vec<u8>),
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    Syntax,
    UndefinedPrefix(Vec<u8>),
    /// A function or variable whose prefix stands for nothing: what it is, prefix and name.
    Unbound(&'static str, Vec<u8>, Vec<u8>),
    UnknownFunction(Vec<u8>),
    UndefinedVariable,
    /// Something that the host has told in part: the rest of an error of the stack of values.
    #[cfg_attr(not(feature = "xsl"), allow(dead_code, reason = "made by stylesheets"))]
    Stack,
    InvalidType,
    /// `last()` where no list of nodes is gone through.
    NoSize,
    /// `position()` there.
    NoPosition,
    /// A text that is no UTF-8.
    Encoding,
    WrongArguments,
    /// The host has told the script already.
    Told,
}

/// The directions in which a step may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Namespace,
    Parent,
    Preceding,
    PrecedingSibling,
    Own,
}

/// What nodes a step takes.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    /// `*`
    Any,
    /// `p:*`
    AnyIn(Vec<u8>),
    /// `name` or `p:name`
    Name(Option<Vec<u8>>, Vec<u8>),
    Node,
    Text,
    Comment,
    /// With the target, if one is told.
    Instruction(Option<Vec<u8>>),
}

/// A step of a path.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) axis: Axis,
    pub(crate) test: Test,
    pub(crate) predicates: Vec<Expression>,
}

/// Operators between two expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Union,
}

/// An expression.
#[derive(Debug, Clone)]
pub(crate) enum Expression {
    /// Operators of one level, from left to right: however many there are, nothing that goes through them nests.
    Chain(Box<Expression>, Vec<(Operator, Expression)>),
    Negate(Box<Expression>),
    Literal(Vec<u8>),
    Number(f64),
    /// Prefix and name.
    Variable(Option<Vec<u8>>, Vec<u8>),
    Call(Option<Vec<u8>>, Vec<u8>, Vec<Expression>),
    /// Where the path starts: an expression, or the context node.
    Path {
        start: Option<Box<Expression>>,
        predicates: Vec<Expression>,
        is_absolute: bool,
        steps: Vec<Step>,
    },
}
