//! Evaluation.

use std::collections::{HashMap, HashSet};

use vm_runtime::limits::stack_is_low;

use super::functions::call_core;
use super::{Axis, Expression, Item, Operator, Problem, Step, Test, Value};
use crate::xml::tree::{Document, Kind, NodeId, ROOT, Tree};

/// What an evaluation needs from outside.
pub(crate) trait Host {
    /// The namespace that a prefix in the expression stands for.
    fn namespace(&self, prefix: &[u8]) -> Option<Vec<u8>>;
    /// Calls a function that is none of XPath's own, with an empty namespace if it has no prefix; the
    /// tree is not borrowed meanwhile.
    fn call(
        &mut self,
        namespace: &[u8],
        name: &[u8],
        arguments: Vec<Value>,
        place: Place<'_>,
    ) -> Result<Value, Problem>;
    /// The value of a variable.
    fn variable(&mut self, _namespace: Option<&[u8]>, _name: &[u8]) -> Result<Value, Problem> {
        Err(Problem::UndefinedVariable)
    }
    /// Told of a function whose prefix stands for nothing.
    fn unbound(&mut self, prefix: &[u8], name: &[u8]) -> Problem {
        Problem::Unbound("function", prefix.to_vec(), name.to_vec())
    }
    /// True if the tree has several roots, each with the nodes below it a document.
    fn is_forest(&self) -> bool {
        false
    }
}

/// Where a function is called.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "xsl"), allow(dead_code, reason = "made by stylesheets"))]
pub(crate) struct Place<'a> {
    pub(crate) node: &'a Item,
    pub(crate) position: usize,
    pub(crate) size: usize,
}

/// Places of nodes in the order of their documents.
pub(crate) type Order = HashMap<NodeId, u32, foldhash::fast::FixedState>;

/// Where an expression is evaluated.
pub(crate) struct Context<'a> {
    pub(crate) document: &'a Document,
    pub(crate) node: Item,
    /// The number of the node among those that a predicate looks at, and how many they are; 0 outside.
    pub(crate) position: usize,
    pub(crate) size: usize,
    pub(crate) host: &'a mut dyn Host,
    /// Places of nodes in the document, made when nodes are sorted first.
    pub(crate) order: Option<Order>,
}

type Outcome<T> = Result<T, Problem>;

/// Evaluates an expression.
pub(crate) fn evaluate(expression: &Expression, context: &mut Context<'_>) -> Outcome<Value> {
    // What was parsed where there was more room, or is called by what it calls itself.
    if stack_is_low() {
        return Err(Problem::Syntax);
    }
    match expression {
        Expression::Literal(text) => Ok(Value::Text(text.clone())),
        Expression::Number(number) => Ok(Value::Number(*number)),
        Expression::Variable(prefix, name) => {
            let namespace = match prefix {
                None => None,
                Some(prefix) => match context.host.namespace(prefix) {
                    Some(namespace) => Some(namespace),
                    None => {
                        return Err(Problem::Unbound("variable", prefix.clone(), name.clone()));
                    }
                },
            };
            context.host.variable(namespace.as_deref(), name)
        }
        Expression::Negate(inner) => {
            let value = evaluate(inner, context)?;
            Ok(Value::Number(-number(context.document, &value)))
        }
        Expression::Chain(first, rest) => {
            let mut value = evaluate(first, context)?;
            for (operator, right) in rest {
                value = binary(*operator, value, right, context)?;
            }
            Ok(value)
        }
        Expression::Call(prefix, name, arguments) => {
            let mut values = Vec::with_capacity(arguments.len());
            for argument in arguments {
                values.push(evaluate(argument, context)?);
            }
            match prefix {
                None => call_core(name, values, context),
                Some(prefix) => match context.host.namespace(prefix) {
                    Some(namespace) => call_host(context, &namespace, name, values),
                    None => Err(context.host.unbound(prefix, name)),
                },
            }
        }
        Expression::Path {
            start,
            predicates,
            is_absolute,
            steps,
        } => {
            let mut nodes = match start {
                Some(start) => match evaluate(start, context)? {
                    Value::Nodes(nodes) => nodes,
                    _ => return Err(Problem::InvalidType),
                },
                None if *is_absolute => {
                    let tree = context.document.read();
                    // Also from nodes that are not in the document, as long as they are of one.
                    let root = match &context.node {
                        Item::Node(id) | Item::Namespace(id, ..)
                            if tree.is_nowhere || context.host.is_forest() =>
                        {
                            tree.root_of(*id)
                        }
                        _ => ROOT,
                    };
                    vec![Item::Node(root)]
                }
                None => vec![context.node.clone()],
            };
            for predicate in predicates {
                nodes = filter(nodes, predicate, context)?;
            }
            for step in steps {
                nodes = take_step(nodes, step, context)?;
            }
            Ok(Value::Nodes(nodes))
        }
    }
}

/// Calls a function of the host.
pub(super) fn call_host(
    context: &mut Context<'_>,
    namespace: &[u8],
    name: &[u8],
    arguments: Vec<Value>,
) -> Outcome<Value> {
    let place = Place {
        node: &context.node,
        position: context.position,
        size: context.size,
    };
    context.host.call(namespace, name, arguments, place)
}

fn binary(
    operator: Operator,
    one: Value,
    right: &Expression,
    context: &mut Context<'_>,
) -> Outcome<Value> {
    match operator {
        Operator::Or | Operator::And => {
            let is_true = boolean(&one);
            if is_true == (operator == Operator::Or) {
                return Ok(Value::Bool(is_true));
            }
            let other = evaluate(right, context)?;
            return Ok(Value::Bool(boolean(&other)));
        }
        _ => {}
    }
    let other = evaluate(right, context)?;
    let document = context.document;
    Ok(match operator {
        Operator::Union => match (one, other) {
            (Value::Nodes(mut nodes), Value::Nodes(more)) => {
                nodes.extend(more);
                Value::Nodes(sorted(nodes, context))
            }
            _ => return Err(Problem::InvalidType),
        },
        Operator::Plus => Value::Number(number(document, &one) + number(document, &other)),
        Operator::Minus => Value::Number(number(document, &one) - number(document, &other)),
        Operator::Times => Value::Number(number(document, &one) * number(document, &other)),
        Operator::Divide => Value::Number(number(document, &one) / number(document, &other)),
        Operator::Modulo => Value::Number(number(document, &one) % number(document, &other)),
        _ => Value::Bool(compare(document, operator, &one, &other)),
    })
}

/// `=`, `<` and their kin. A set of nodes fits if one of its nodes does.
fn compare(document: &Document, operator: Operator, one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Nodes(_), Value::Bool(_)) | (Value::Bool(_), Value::Nodes(_)) => {
            let (one, other) = (Value::Bool(boolean(one)), Value::Bool(boolean(other)));
            compare_plain(document, operator, &one, &other)
        }
        (Value::Nodes(nodes), other) => nodes.iter().any(|node| {
            let text = Value::Text(string_of(document, node));
            match other {
                Value::Nodes(others) => others.iter().any(|second| {
                    let second = Value::Text(string_of(document, second));
                    compare_plain(document, operator, &text, &second)
                }),
                _ => compare_plain(document, operator, &text, other),
            }
        }),
        (one, Value::Nodes(nodes)) => nodes.iter().any(|node| {
            let text = Value::Text(string_of(document, node));
            compare_plain(document, operator, one, &text)
        }),
        _ => compare_plain(document, operator, one, other),
    }
}

fn compare_plain(document: &Document, operator: Operator, one: &Value, other: &Value) -> bool {
    let equal = || match (one, other) {
        (Value::Bool(_), _) | (_, Value::Bool(_)) => boolean(one) == boolean(other),
        (Value::Number(_), _) | (_, Value::Number(_)) => {
            number(document, one) == number(document, other)
        }
        _ => text(document, one) == text(document, other),
    };
    let (a, b) = (number(document, one), number(document, other));
    match operator {
        Operator::Equal => equal(),
        Operator::NotEqual => !equal(),
        Operator::Less => a < b,
        Operator::LessEqual => a <= b,
        Operator::Greater => a > b,
        _ => a >= b,
    }
}

/// The nodes for which a predicate holds.
fn filter(
    nodes: Vec<Item>,
    predicate: &Expression,
    context: &mut Context<'_>,
) -> Outcome<Vec<Item>> {
    let size = nodes.len();
    let (node, position, old_size) = (context.node.clone(), context.position, context.size);
    let mut kept = Vec::new();
    for (index, item) in nodes.into_iter().enumerate() {
        vm_runtime::limits::poll();
        context.node = item.clone();
        context.position = index + 1;
        context.size = size;
        let value = evaluate(predicate, context)?;
        let holds = match value {
            Value::Number(number) => number == (index + 1) as f64,
            value => boolean(&value),
        };
        if holds {
            kept.push(item);
        }
    }
    (context.node, context.position, context.size) = (node, position, old_size);
    Ok(kept)
}

/// The nodes that a step leads to from others.
pub(crate) fn take_step(
    nodes: Vec<Item>,
    step: &Step,
    context: &mut Context<'_>,
) -> Outcome<Vec<Item>> {
    let namespace = match &step.test {
        Test::Name(Some(prefix), _) | Test::AnyIn(prefix) => match context.host.namespace(prefix) {
            Some(uri) => Some(uri),
            None => return Err(Problem::UndefinedPrefix(prefix.clone())),
        },
        _ => None,
    };
    let is_single = nodes.len() == 1;
    let mut found = Vec::new();
    for node in nodes {
        vm_runtime::limits::poll();
        let mut taken: Vec<Item> = {
            let tree = context.document.read();
            let mut taken = along(&tree, &node, step.axis, context.host.is_forest());
            taken.retain(|item| passes(&tree, item, step, namespace.as_deref()));
            taken
        };
        for predicate in &step.predicates {
            taken = filter(taken, predicate, context)?;
        }
        if matches!(
            step.axis,
            Axis::Ancestor | Axis::AncestorOrSelf | Axis::Preceding | Axis::PrecedingSibling
        ) {
            taken.reverse();
        }
        found.extend(taken);
    }
    if is_single {
        return Ok(found);
    }
    Ok(sorted(found, context))
}

/// The nodes of an axis, the nearest first.
fn along(tree: &Tree, item: &Item, axis: Axis, is_forest: bool) -> Vec<Item> {
    let Item::Node(id) = *item else {
        let Item::Namespace(element, ..) = *item else {
            return Vec::new();
        };
        return match axis {
            Axis::Own | Axis::DescendantOrSelf => vec![item.clone()],
            Axis::Parent => vec![Item::Node(element)],
            Axis::Ancestor => std::iter::once(element)
                .chain(tree.ancestors(element))
                .map(Item::Node)
                .collect(),
            _ => Vec::new(),
        };
    };
    let is_attribute = tree[id].kind == Kind::Attribute;
    let nodes: Vec<NodeId> = match axis {
        Axis::Own => vec![id],
        Axis::Parent => match tree[id].parent {
            // What was never put in or was taken out has the document above it.
            None if id != ROOT && !tree.is_nowhere && !is_forest => vec![ROOT],
            parent => parent.into_iter().collect(),
        },
        Axis::Ancestor => tree.ancestors(id).collect(),
        Axis::AncestorOrSelf => std::iter::once(id).chain(tree.ancestors(id)).collect(),
        Axis::Attribute => {
            let attributes = tree[id].attributes.iter().copied();
            attributes
                .filter(|&id| tree[id].declares().is_none())
                .collect()
        }
        Axis::Child | Axis::Descendant if is_attribute => Vec::new(),
        Axis::Child => tree.children(id).collect(),
        Axis::Descendant => tree.descendants(id).collect(),
        Axis::DescendantOrSelf if is_attribute => vec![id],
        Axis::DescendantOrSelf => std::iter::once(id).chain(tree.descendants(id)).collect(),
        Axis::FollowingSibling if is_attribute => Vec::new(),
        Axis::FollowingSibling => {
            std::iter::successors(tree[id].next, |&node| tree[node].next).collect()
        }
        Axis::PrecedingSibling if is_attribute => Vec::new(),
        Axis::PrecedingSibling => {
            std::iter::successors(tree[id].previous, |&node| tree[node].previous).collect()
        }
        Axis::Following => {
            let top = tree.root_of(id);
            let start = if is_attribute {
                tree[id]
                    .parent
                    .and_then(|parent| tree.following(parent, top))
            } else {
                tree.following_outside(id, top)
            };
            std::iter::successors(start, |&node| tree.following(node, top)).collect()
        }
        Axis::Preceding => {
            let top = tree.root_of(id);
            let from = if is_attribute {
                tree[id].parent.unwrap_or(id)
            } else {
                id
            };
            let ancestors: HashSet<NodeId> = tree.ancestors(from).collect();
            let mut nodes: Vec<NodeId> = std::iter::once(top)
                .chain(tree.descendants(top))
                .take_while(|&node| node != from)
                .filter(|node| !ancestors.contains(node))
                .collect();
            nodes.reverse();
            nodes
        }
        Axis::Namespace => return namespaces(tree, id),
    };
    nodes.into_iter().map(Item::Node).collect()
}

/// The namespaces in force at an element.
fn namespaces(tree: &Tree, id: NodeId) -> Vec<Item> {
    if tree[id].kind != Kind::Element {
        return Vec::new();
    }
    let mut seen: Vec<Vec<u8>> = Vec::new();
    let mut found = Vec::new();
    for element in std::iter::once(id).chain(tree.ancestors(id)) {
        for declaration in tree.declarations_of(element).iter() {
            let prefix = declaration.prefix.as_deref().unwrap_or_default().to_vec();
            if seen.contains(&prefix) {
                continue;
            }
            if !declaration.uri.is_empty() {
                found.push(Item::Namespace(
                    id,
                    prefix.clone(),
                    declaration.uri.to_vec(),
                ));
            }
            seen.push(prefix);
        }
    }
    found.push(Item::Namespace(
        id,
        b"xml".to_vec(),
        crate::xml::tree::XML_NAMESPACE.to_vec(),
    ));
    // libxml2 gives the last one first.
    found.reverse();
    found
}

fn passes(tree: &Tree, item: &Item, step: &Step, namespace: Option<&[u8]>) -> bool {
    let Item::Node(id) = *item else {
        let Item::Namespace(_, prefix, _) = item else {
            return false;
        };
        return match &step.test {
            Test::Any | Test::Node => true,
            Test::Name(None, name) => name == prefix,
            _ => false,
        };
    };
    let node = &tree[id];
    let principal = if step.axis == Axis::Attribute {
        Kind::Attribute
    } else {
        Kind::Element
    };
    match &step.test {
        Test::Node => !matches!(node.kind, Kind::DocumentType),
        Test::Text => node.is_text(),
        Test::Comment => node.kind == Kind::Comment,
        Test::Instruction(target) => {
            node.kind == Kind::ProcessingInstruction
                && target.as_ref().is_none_or(|target| **target == *node.name)
        }
        Test::Any => node.kind == principal,
        Test::AnyIn(_) => node.kind == principal && node.namespace.as_deref() == namespace,
        Test::Name(_, name) => {
            node.kind == principal && *node.name == **name && node.namespace.as_deref() == namespace
        }
    }
}

/// Notes the places of all nodes below one behind those that are known.
fn note_places(tree: &Tree, top: NodeId, order: &mut Order) {
    for id in std::iter::once(top).chain(tree.descendants(top)) {
        let place = order.len() as u32;
        order.insert(id, place);
        for &attribute in &tree[id].attributes {
            let place = order.len() as u32;
            order.insert(attribute, place);
        }
    }
}

/// Nodes in the order of the document, each once.
pub(crate) fn sorted(nodes: Vec<Item>, context: &mut Context<'_>) -> Vec<Item> {
    if nodes.len() < 2 {
        return nodes;
    }
    let order = context.order.get_or_insert_with(|| {
        let mut order = Order::default();
        note_places(&context.document.read(), ROOT, &mut order);
        order
    });
    if context.host.is_forest() {
        let tree = context.document.read();
        for item in &nodes {
            let (Item::Node(id) | Item::Namespace(id, ..)) = item;
            if !order.contains_key(id) {
                note_places(&tree, tree.root_of(*id), order);
            }
        }
    }
    let place = |item: &Item| match item {
        Item::Node(id) => (order.get(id).copied().unwrap_or(u32::MAX), *id),
        Item::Namespace(id, ..) => (order.get(id).copied().unwrap_or(u32::MAX), *id),
    };
    let mut nodes = nodes;
    nodes.sort_by_key(place);
    let mut seen = HashSet::new();
    nodes.retain(|item| seen.insert(item.clone()));
    nodes
}

/// The text of a node.
pub(crate) fn string_of(document: &Document, item: &Item) -> Vec<u8> {
    match item {
        Item::Node(id) => document.read().text_content(*id),
        Item::Namespace(_, _, uri) => uri.clone(),
    }
}

/// `boolean()`
pub(super) fn boolean(value: &Value) -> bool {
    match value {
        Value::Nodes(nodes) => !nodes.is_empty(),
        Value::Tree(_) => true,
        Value::Bool(flag) => *flag,
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::Text(text) => !text.is_empty(),
    }
}

/// `number()`
pub(super) fn number(document: &Document, value: &Value) -> f64 {
    match value {
        Value::Number(number) => *number,
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        _ => {
            let text = text(document, value);
            let text = std::str::from_utf8(&text)
                .unwrap_or("x")
                .trim_matches([' ', '\t', '\r', '\n']);
            let is_number = !text.is_empty()
                && text
                    .trim_start_matches('-')
                    .chars()
                    .all(|character| character.is_ascii_digit() || character == '.')
                && text != "."
                && text != "-";
            if is_number {
                text.parse().unwrap_or(f64::NAN)
            } else {
                f64::NAN
            }
        }
    }
}

/// [`boolean`], for hosts.
#[cfg(feature = "xsl")]
pub(crate) fn truth(value: &Value) -> bool {
    boolean(value)
}

/// [`number`], for hosts.
#[cfg(feature = "xsl")]
pub(crate) fn value_number(document: &Document, value: &Value) -> f64 {
    number(document, value)
}

/// [`text`], for hosts.
pub(crate) fn value_text(document: &Document, value: &Value) -> Vec<u8> {
    text(document, value)
}

/// `string()`
pub(crate) fn text(document: &Document, value: &Value) -> Vec<u8> {
    match value {
        Value::Nodes(nodes) => nodes
            .first()
            .map_or(Vec::new(), |node| string_of(document, node)),
        Value::Tree(id) => document.read().text_content(*id),
        Value::Bool(true) => b"true".to_vec(),
        Value::Bool(false) => b"false".to_vec(),
        Value::Number(number) => number_text(*number).into_bytes(),
        Value::Text(text) => text.clone(),
    }
}

/// A number as text.
pub(crate) fn number_text(number: f64) -> String {
    if number.is_nan() {
        return String::from("NaN");
    }
    if number.is_infinite() {
        return String::from(if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        });
    }
    if number == 0.0 {
        return String::from("0");
    }
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return format!("{number:.0}");
    }
    vm_runtime::operators::float_text::general(number, 15).to_string()
}
