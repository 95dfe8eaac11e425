//! A stylesheet, compiled.

use std::collections::HashMap;
use std::rc::Rc;

use crate::xml::tree::{Declaration, Text};
use crate::xml::xpath::Expression;

/// The namespace of XSLT.
pub(super) const XSL: &[u8] = b"http://www.w3.org/1999/XSL/Transform";

/// A name with its namespace, which is empty for none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Name {
    pub(super) namespace: Text,
    pub(super) local: Text,
}

impl Name {
    pub(super) fn new(namespace: Option<&[u8]>, local: &[u8]) -> Name {
        Name {
            namespace: namespace.unwrap_or_default().into(),
            local: local.into(),
        }
    }

    /// The local part, for messages.
    pub(super) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.local).into_owned()
    }
}

/// Where something stands, for messages.
#[derive(Debug, Clone, Default)]
pub(super) struct Origin {
    pub(super) file: Option<Text>,
    pub(super) line: u32,
    pub(super) element: Option<Text>,
}

/// Prefixes that may be used at a place, with what they stand for; an empty one for the default.
pub(super) type Namespaces = Rc<Vec<(Vec<u8>, Vec<u8>)>>;

/// An expression and what it may refer to.
#[derive(Debug)]
pub(super) struct Select {
    pub(super) expression: Expression,
    pub(super) namespaces: Namespaces,
}

/// An attribute value template.
#[derive(Debug)]
pub(super) enum Template {
    Fixed(Vec<u8>),
    Parts(Vec<Part>),
    /// What is wrong was told when it was compiled.
    Broken,
}

/// A part of an attribute value template.
#[derive(Debug)]
pub(super) enum Part {
    Text(Vec<u8>),
    Select(Select),
}

/// What a template or an instruction has in it.
pub(super) type Body = Rc<Vec<Instruction>>;

/// An instruction and where it stands.
#[derive(Debug)]
pub(super) struct Instruction {
    pub(super) kind: Kind,
    pub(super) origin: Rc<Origin>,
}

/// A sorting criterion.
#[derive(Debug)]
pub(super) struct Sort {
    pub(super) select: Option<Select>,
    pub(super) order: Option<Template>,
    pub(super) data_type: Option<Template>,
    pub(super) case_order: Option<Template>,
    pub(super) origin: Rc<Origin>,
}

/// A variable, a parameter or what is given for one.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: Name,
    pub(super) select: Option<Select>,
    pub(super) body: Body,
    pub(super) origin: Rc<Origin>,
}

/// An element or attribute that is made with a calculated name.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) name: Template,
    pub(super) namespace: Option<Template>,
    pub(super) namespaces: Namespaces,
    pub(super) sets: Vec<Name>,
    pub(super) body: Body,
}

/// An element that stands in the stylesheet as it is.
#[derive(Debug)]
pub(super) struct Literal {
    pub(super) name: Text,
    pub(super) prefix: Option<Text>,
    pub(super) namespace: Option<Text>,
    pub(super) declarations: Vec<Declaration>,
    pub(super) sets: Vec<Name>,
    pub(super) attributes: Vec<LiteralAttribute>,
    pub(super) body: Body,
}

/// An attribute of a [`Literal`].
#[derive(Debug)]
pub(super) struct LiteralAttribute {
    pub(super) name: Text,
    pub(super) prefix: Option<Text>,
    pub(super) namespace: Option<Text>,
    pub(super) value: Template,
}

/// `xsl:number`
#[derive(Debug)]
pub(super) struct Number {
    pub(super) level: Level,
    pub(super) count: Option<super::pattern::Pattern>,
    pub(super) from: Option<super::pattern::Pattern>,
    pub(super) value: Option<Select>,
    pub(super) format: Option<Template>,
    pub(super) separator: Option<Template>,
    pub(super) size: Option<Template>,
}

/// Which nodes `xsl:number` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Single,
    Multiple,
    Any,
}

/// The instructions.
#[derive(Debug)]
pub(super) enum Kind {
    Text {
        text: Vec<u8>,
        is_raw: bool,
        is_cdata: bool,
    },
    Literal(Literal),
    ValueOf {
        select: Select,
        is_raw: bool,
    },
    CopyOf(Select),
    Copy {
        sets: Vec<Name>,
        body: Body,
    },
    If(Select, Body),
    Choose {
        whens: Vec<(Select, Body, Rc<Origin>)>,
        otherwise: Option<Body>,
    },
    ForEach {
        select: Select,
        sorts: Vec<Sort>,
        body: Body,
    },
    ApplyTemplates {
        select: Option<Select>,
        mode: Option<Name>,
        sorts: Vec<Sort>,
        given: Vec<Variable>,
    },
    ApplyImports(Vec<Variable>),
    CallTemplate(Name, Vec<Variable>),
    Variable(Variable),
    Parameter(Variable),
    Element(Made),
    Attribute(Made),
    Comment(Body),
    Instruction(Template, Body),
    Message {
        terminates: bool,
        body: Body,
    },
    Number(Box<Number>),
    /// A document of its own: `exsl:document` and its kin.
    Document {
        href: Template,
        method: Option<Template>,
        body: Body,
    },
    /// `func:result`
    Result(Variable),
    /// What is told when it is executed.
    Fails {
        context: Option<Rc<Origin>>,
        message: String,
        stops: bool,
        fallback: Option<Body>,
    },
    Nothing,
}

/// A template.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: Option<Name>,
    /// `match` as it is written.
    pub(super) shown_match: Option<Vec<u8>>,
    pub(super) mode: Option<Name>,
    pub(super) body: Body,
    /// Namespaces that its outermost elements get.
    pub(super) inherited: Vec<Declaration>,
    /// Precedence of its stylesheet, and the lowest one of those that this imports.
    pub(super) precedence: (usize, usize),
}

/// A pattern of a template with its place among the others.
#[derive(Debug)]
pub(super) struct Matcher {
    pub(super) pattern: super::pattern::Alternative,
    pub(super) rule: Rc<Rule>,
    pub(super) priority: f64,
    pub(super) number: usize,
}

/// `xsl:key`
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: Name,
    pub(super) pattern: super::pattern::Pattern,
    pub(super) select: Select,
}

/// An attribute set: its attributes, and the sets it uses.
#[derive(Debug, Default)]
pub(super) struct AttributeSet {
    pub(super) sets: Vec<Name>,
    pub(super) body: Vec<Body>,
}

/// `xsl:decimal-format`
#[derive(Debug, Clone)]
pub(super) struct DecimalFormat {
    pub(super) decimal: Vec<u8>,
    pub(super) grouping: Vec<u8>,
    pub(super) infinity: Vec<u8>,
    pub(super) minus: Vec<u8>,
    pub(super) nan: Vec<u8>,
    pub(super) percent: Vec<u8>,
    pub(super) per_mille: Vec<u8>,
    pub(super) zero: Vec<u8>,
    pub(super) digit: Vec<u8>,
    pub(super) separator: Vec<u8>,
}

impl Default for DecimalFormat {
    fn default() -> DecimalFormat {
        DecimalFormat {
            decimal: b".".to_vec(),
            grouping: b",".to_vec(),
            infinity: b"Infinity".to_vec(),
            minus: b"-".to_vec(),
            nan: b"NaN".to_vec(),
            percent: b"%".to_vec(),
            per_mille: "‰".as_bytes().to_vec(),
            zero: b"0".to_vec(),
            digit: b"#".to_vec(),
            separator: b";".to_vec(),
        }
    }
}

/// `xsl:output`
#[derive(Debug, Clone, Default)]
pub(super) struct Output {
    pub(super) method: Option<Vec<u8>>,
    pub(super) version: Option<Vec<u8>>,
    pub(super) encoding: Option<Vec<u8>>,
    pub(super) media_type: Option<Vec<u8>>,
    pub(super) public: Option<Vec<u8>>,
    pub(super) system: Option<Vec<u8>>,
    pub(super) indent: Option<bool>,
    pub(super) omits_declaration: Option<bool>,
    pub(super) standalone: Option<bool>,
    pub(super) cdata: Vec<Name>,
}

/// Which elements lose their white space: names with a priority, that of the stylesheet first.
#[derive(Debug, Clone)]
pub(super) struct Space {
    pub(super) strips: bool,
    /// None for `*`, no local name for `p:*`.
    pub(super) name: Option<(Option<Text>, Option<Text>)>,
    pub(super) precedence: usize,
}

/// A function that the stylesheet declares (`func:function`).
#[derive(Debug)]
pub(super) struct Function {
    pub(super) body: Body,
}

/// A whole stylesheet, with what it imports and includes.
#[derive(Debug, Default)]
pub(super) struct Stylesheet {
    /// By mode; those that come first count for more.
    pub(super) matchers: HashMap<Option<Name>, Vec<Matcher>>,
    pub(super) named: HashMap<Name, Rc<Rule>>,
    /// Variables and parameters of the whole, with whether they are parameters.
    pub(super) globals: Vec<(Rc<Variable>, bool)>,
    pub(super) keys: Vec<Rc<Key>>,
    pub(super) sets: HashMap<Name, AttributeSet>,
    pub(super) formats: HashMap<Option<Name>, DecimalFormat>,
    pub(super) aliases: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) output: Output,
    pub(super) spaces: Vec<Space>,
    pub(super) functions: HashMap<Name, Rc<Function>>,
}
