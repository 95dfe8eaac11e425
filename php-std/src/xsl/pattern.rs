//! Patterns: which nodes a template is for.

use std::rc::Rc;

use super::stylesheet::Namespaces;
use crate::xml::tree::{Kind, NodeId, Tree};
use crate::xml::xpath::{self, Axis, Expression, Item, Operator, Problem, Step, Test};

/// Alternatives of a pattern.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    pub(super) alternatives: Vec<Alternative>,
}

/// A way of steps, read from its end.
#[derive(Debug, Clone)]
pub(super) struct Alternative {
    pub(super) start: Start,
    pub(super) steps: Rc<Vec<Link>>,
    pub(super) namespaces: Namespaces,
}

/// Where a pattern begins.
#[derive(Debug, Clone)]
pub(super) enum Start {
    Anywhere,
    Root,
    /// `id()` or `key()`
    Found(Rc<Expression>),
}

/// A step of a pattern.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) step: Step,
    /// The namespace of its name.
    pub(super) namespace: Option<Vec<u8>>,
    /// `//` stands in front of it.
    pub(super) is_below: bool,
    /// A predicate may ask for the position.
    pub(super) counts: bool,
}

/// Why a pattern was not understood.
pub(super) enum Wrong {
    Syntax,
    Prefix(Vec<u8>),
}

/// Compiles a pattern. What is not understood is given with the alternative that it stands in.
pub(super) fn compile<'t>(
    text: &'t [u8],
    namespaces: &Namespaces,
) -> Result<Pattern, (Wrong, &'t [u8])> {
    let mut alternatives = Vec::new();
    for part in split_alternatives(text) {
        // What parentheses group is an expression, but no pattern.
        let is_grouped = part.trim_ascii_start().starts_with(b"(");
        let compiled = match xpath::parse(part) {
            Ok(expression) if !is_grouped => alternative(&expression, namespaces),
            _ => Err(Wrong::Syntax),
        };
        alternatives.push(compiled.map_err(|wrong| (wrong, part))?);
    }
    Ok(Pattern { alternatives })
}

/// The alternatives of a pattern, as libxslt separates them: at each `|` that is in no predicate and no literal, whatever
/// parentheses there are.
fn split_alternatives(text: &[u8]) -> Vec<&[u8]> {
    let (mut depth, mut quote) = (0usize, None);
    let is_end = |&byte: &u8| {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'[') => depth += 1,
            (None, b']') => depth = depth.saturating_sub(1),
            (None, b'|') => return depth == 0,
            _ => {}
        }
        false
    };
    text.split(is_end).collect()
}

/// What libxslt says of an alternative that it does not understand, if that is known.
pub(super) fn complaint(part: &[u8]) -> Option<&'static str> {
    let starts_step = |text: &[u8]| {
        text.first().is_some_and(|&first| {
            first.is_ascii_alphabetic() || matches!(first, b'_' | b'@' | b'*' | b'.' | 0x80..)
        })
    };
    let part = part.trim_ascii();
    let open = part.iter().filter(|&&byte| byte == b'[').count();
    let closed = part.iter().filter(|&&byte| byte == b']').count();
    if open > closed {
        return Some("xsltCompileStepPattern : ']' expected");
    }
    if !starts_step(part) && !part.starts_with(b"/") {
        return Some("xsltCompileLocationPathPattern : Name expected");
    }
    let name_end = part.iter().position(|&byte| byte == b'(' || byte == b'/');
    if let Some(end) = name_end
        && part[end] == b'('
        && !matches!(&part[..end], b"id" | b"key")
    {
        return Some("xsltCompileIdKeyPattern : expecting 'key' or 'id' or node type");
    }
    let mut steps = part.trim_ascii_start().split(|&byte| byte == b'/').skip(1);
    steps
        .any(|step| !step.is_empty() && !starts_step(step.trim_ascii_start()))
        .then_some("xsltCompileStepPattern : Name expected")
        .or_else(|| {
            part.ends_with(b"/")
                .then_some("xsltCompileStepPattern : Name expected")
        })
}

fn alternative(expression: &Expression, namespaces: &Namespaces) -> Result<Alternative, Wrong> {
    let (start, steps) = match expression {
        Expression::Call(None, name, _) if name == b"id" || name == b"key" => {
            (Start::Found(Rc::new(expression.clone())), &[][..])
        }
        Expression::Path {
            start,
            predicates,
            is_absolute,
            steps,
        } if predicates.is_empty() => {
            let start = match start.as_deref() {
                Some(call @ Expression::Call(None, name, _)) if name == b"id" || name == b"key" => {
                    Start::Found(Rc::new(call.clone()))
                }
                Some(_) => return Err(Wrong::Syntax),
                None if *is_absolute => Start::Root,
                None => Start::Anywhere,
            };
            (start, steps.as_slice())
        }
        _ => return Err(Wrong::Syntax),
    };
    let mut links = Vec::new();
    let mut is_below = false;
    for step in steps {
        let is_gap = step.axis == Axis::DescendantOrSelf
            && matches!(step.test, Test::Node)
            && step.predicates.is_empty();
        if is_gap {
            is_below = true;
            continue;
        }
        if !matches!(step.axis, Axis::Child | Axis::Attribute) {
            return Err(Wrong::Syntax);
        }
        let namespace = match &step.test {
            Test::Name(Some(prefix), _) | Test::AnyIn(prefix) => {
                match namespaces.iter().find(|(known, _)| known == prefix) {
                    Some((_, uri)) => Some(uri.clone()),
                    None => return Err(Wrong::Prefix(prefix.clone())),
                }
            }
            _ => None,
        };
        links.push(Link {
            counts: step.predicates.iter().any(may_count),
            step: step.clone(),
            namespace,
            is_below,
        });
        is_below = false;
    }
    Ok(Alternative {
        start,
        steps: Rc::new(links),
        namespaces: namespaces.clone(),
    })
}

/// True for a predicate whose result may depend on the position.
fn may_count(predicate: &Expression) -> bool {
    fn asks(expression: &Expression) -> bool {
        match expression {
            Expression::Call(None, name, arguments) => {
                name == b"position" || name == b"last" || arguments.iter().any(asks)
            }
            Expression::Call(_, _, arguments) => arguments.iter().any(asks),
            Expression::Chain(first, rest) => {
                asks(first) || rest.iter().any(|(_, right)| asks(right))
            }
            Expression::Negate(inner) => asks(inner),
            Expression::Path { start, .. } => start.as_deref().is_some_and(asks),
            _ => false,
        }
    }
    let is_plain = match predicate {
        Expression::Chain(_, rest) => !rest.iter().any(|(operator, _)| {
            matches!(
                operator,
                Operator::Plus
                    | Operator::Minus
                    | Operator::Times
                    | Operator::Divide
                    | Operator::Modulo
            )
        }),
        Expression::Path { .. } | Expression::Literal(_) => true,
        Expression::Call(None, name, _) => {
            matches!(
                name.as_slice(),
                b"not" | b"boolean" | b"contains" | b"starts-with" | b"string"
            )
        }
        _ => false,
    };
    !is_plain || asks(predicate)
}

impl Alternative {
    /// The priority that a template has if it states none.
    pub(super) fn priority(&self) -> f64 {
        match (&self.start, self.steps.as_slice()) {
            (Start::Root, []) => -0.5,
            (Start::Anywhere, [link]) if link.step.predicates.is_empty() => match &link.step.test {
                Test::Name(..) => 0.0,
                Test::AnyIn(_) => -0.25,
                Test::Instruction(Some(_)) => 0.0,
                _ => -0.5,
            },
            _ => 0.5,
        }
    }

    /// False for nodes that certainly do not match: looks at the node alone.
    pub(super) fn may_match(&self, tree: &Tree, item: &Item) -> bool {
        match self.steps.last() {
            Some(link) => link.fits(tree, item),
            None => match (&self.start, item) {
                (Start::Root, Item::Node(id)) => is_root(tree, *id),
                (Start::Found(_), _) => true,
                _ => false,
            },
        }
    }
}

/// True for the node of a document.
pub(super) fn is_root(tree: &Tree, id: NodeId) -> bool {
    matches!(
        tree[id].kind,
        Kind::Document | Kind::HtmlDocument | Kind::Fragment
    )
}

impl Link {
    /// True if kind and name of a node are those of the step.
    pub(super) fn fits(&self, tree: &Tree, item: &Item) -> bool {
        let Item::Node(id) = *item else {
            return false;
        };
        let node = &tree[id];
        let is_attribute = node.kind == Kind::Attribute;
        if is_attribute != (self.step.axis == Axis::Attribute) || is_root(tree, id) {
            return false;
        }
        let principal = match is_attribute {
            true => Kind::Attribute,
            false => Kind::Element,
        };
        let namespace = self.namespace.as_deref();
        match &self.step.test {
            Test::Node => node.kind != Kind::DocumentType,
            Test::Text => node.is_text(),
            Test::Comment => node.kind == Kind::Comment,
            Test::Instruction(target) => {
                node.kind == Kind::ProcessingInstruction
                    && target.as_ref().is_none_or(|target| **target == *node.name)
            }
            Test::Any => node.kind == principal,
            Test::AnyIn(_) => node.kind == principal && node.namespace.as_deref() == namespace,
            Test::Name(_, name) => {
                node.kind == principal
                    && *node.name == **name
                    && node.namespace.as_deref() == namespace
            }
        }
    }
}

/// What a pattern needs to evaluate predicates.
pub(super) trait Judge {
    /// The tree.
    fn document(&self) -> crate::xml::tree::Document;
    /// True if the predicate holds for a node.
    fn holds(
        &mut self,
        predicate: &Expression,
        item: &Item,
        namespaces: &Namespaces,
    ) -> Result<bool, Problem>;
    /// The nodes that a step leads to.
    fn step(
        &mut self,
        step: &Step,
        item: &Item,
        namespaces: &Namespaces,
    ) -> Result<Vec<Item>, Problem>;
    /// The nodes of `id()` or `key()`.
    fn found(
        &mut self,
        expression: &Expression,
        item: &Item,
        namespaces: &Namespaces,
    ) -> Result<Vec<Item>, Problem>;
}

/// True if a node matches a pattern.
pub(super) fn matches(
    judge: &mut dyn Judge,
    pattern: &Pattern,
    item: &Item,
) -> Result<bool, Problem> {
    for alternative in &pattern.alternatives {
        if matches_alternative(judge, alternative, item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if a node matches an alternative of a pattern.
pub(super) fn matches_alternative(
    judge: &mut dyn Judge,
    alternative: &Alternative,
    item: &Item,
) -> Result<bool, Problem> {
    matches_to(judge, alternative, alternative.steps.len(), item)
}

/// True if a node matches the first `count` steps.
fn matches_to(
    judge: &mut dyn Judge,
    alternative: &Alternative,
    count: usize,
    item: &Item,
) -> Result<bool, Problem> {
    vm_runtime::limits::need_stack();
    let document = judge.document();
    let Some(link) = count.checked_sub(1).map(|last| &alternative.steps[last]) else {
        return match &alternative.start {
            Start::Anywhere => Ok(true),
            Start::Root => Ok(match item {
                Item::Node(id) => is_root(&document.read(), *id),
                _ => false,
            }),
            Start::Found(expression) => {
                let found = judge.found(expression, item, &alternative.namespaces)?;
                Ok(found.contains(item))
            }
        };
    };
    if !link.fits(&document.read(), item) {
        return Ok(false);
    }
    let Item::Node(id) = *item else {
        return Ok(false);
    };
    let parent = document.read()[id].parent;
    if !link.step.predicates.is_empty() {
        if link.counts {
            let Some(parent) = parent else {
                return Ok(false);
            };
            let found = judge.step(&link.step, &Item::Node(parent), &alternative.namespaces)?;
            if !found.contains(item) {
                return Ok(false);
            }
        } else {
            for predicate in &link.step.predicates {
                if !judge.holds(predicate, item, &alternative.namespaces)? {
                    return Ok(false);
                }
            }
        }
    }
    if count == 1 && matches!(alternative.start, Start::Anywhere) {
        return Ok(true);
    }
    let mut at = parent;
    while let Some(node) = at {
        vm_runtime::limits::poll();
        if matches_to(judge, alternative, count - 1, &Item::Node(node))? {
            return Ok(true);
        }
        if !link.is_below {
            return Ok(false);
        }
        at = document.read()[node].parent;
    }
    Ok(false)
}
