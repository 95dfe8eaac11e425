//! Selectors of CSS: reading them, and finding what they select.

use std::cell::Cell;

mod matching;
mod parse;

pub(super) use matching::{matches, select};
pub(super) use parse::{Problem, parse};

/// How a compound is related to the one in front of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Combinator {
    Descendant,
    Child,
    Next,
    Following,
    /// `||`, which is read, and refused where it would have to be looked at.
    Column,
}

/// Compounds from left to right. The first combinator counts only in `:has()`.
#[derive(Debug, Clone)]
struct Complex(Vec<(Combinator, Vec<Simple>)>);

/// A list of selectors.
#[derive(Debug, Clone)]
pub(super) struct Selectors {
    list: Vec<Complex>,
    /// Set when a combinator was met that is not supported.
    is_unsupported: Cell<bool>,
}

impl Selectors {
    fn new(list: Vec<Complex>) -> Selectors {
        Selectors {
            list,
            is_unsupported: Cell::new(false),
        }
    }

    /// True if looking at elements came to what is not supported.
    pub(super) fn is_unsupported(&self) -> bool {
        self.is_unsupported.get()
    }
}

/// How the value of an attribute is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Exists,
    Equals,
    HasWord,
    HasDash,
    Starts,
    Ends,
    Contains,
}

/// `an+b`, and which siblings count.
#[derive(Debug, Clone)]
struct Nth {
    step: i64,
    start: i64,
    of: Option<Selectors>,
    of_type: bool,
    from_end: bool,
}

/// A part of a compound.
#[derive(Debug, Clone)]
enum Simple {
    Any,
    Type(Vec<u8>),
    Id(Vec<u8>),
    Class(Vec<u8>),
    Attribute {
        name: Vec<u8>,
        comparison: Comparison,
        value: Vec<u8>,
        /// `i` is true, `s` is false.
        ignores_case: Option<bool>,
    },
    Is(Selectors),
    Not(Selectors),
    Has(Selectors),
    Nth(Nth),
    /// `:first-child:last-child` and the like: once more with the other end.
    Both(Nth, Nth),
    State(State),
    /// What no document without a user has.
    Never,
}

/// What an element says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Empty,
    Root,
    Link,
    Checked,
    Disabled,
    Enabled,
    Optional,
    Required,
    PlaceholderShown,
    ReadOnly,
    ReadWrite,
    Hover,
    Active,
    Focus,
}
