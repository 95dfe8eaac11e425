//! The functions of EXSLT that libexslt has: common, math, sets, strings, dates and times, dynamic.

mod date;
mod math;
mod strings;

use super::run::Run;
use crate::xml::tree::{Kind, Node, NodeId};
use crate::xml::xpath::{self, Context, Item, Place, Problem, Value};

const COMMON: &[u8] = b"http://exslt.org/common";
const MATH: &[u8] = b"http://exslt.org/math";
const SETS: &[u8] = b"http://exslt.org/sets";
const STRINGS: &[u8] = b"http://exslt.org/strings";
const DATES: &[u8] = b"http://exslt.org/dates-and-times";
const DYNAMIC: &[u8] = b"http://exslt.org/dynamic";
/// Other names of `node-set()`.
const NODE_SETS: [&[u8]; 3] = [
    b"http://icl.com/saxon",
    b"http://www.jclark.com/xt",
    b"http://xmlsoft.org/XSLT/namespace",
];

/// The functions by their namespaces.
const FUNCTIONS: [(&[u8], &[&str]); 6] = [
    (COMMON, &["node-set", "object-type"]),
    (
        MATH,
        &[
            "min", "max", "highest", "lowest", "constant", "random", "abs", "sqrt", "power", "log",
            "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp",
        ],
    ),
    (
        SETS,
        &[
            "difference",
            "intersection",
            "distinct",
            "has-same-node",
            "leading",
            "trailing",
        ],
    ),
    (
        STRINGS,
        &[
            "tokenize",
            "split",
            "encode-uri",
            "decode-uri",
            "padding",
            "align",
            "concat",
            "replace",
        ],
    ),
    (
        DATES,
        &[
            "date-time",
            "date",
            "time",
            "year",
            "leap-year",
            "month-in-year",
            "month-name",
            "month-abbreviation",
            "week-in-year",
            "week-in-month",
            "day-in-year",
            "day-in-month",
            "day-of-week-in-month",
            "day-in-week",
            "day-name",
            "day-abbreviation",
            "hour-in-day",
            "minute-in-hour",
            "second-in-minute",
        ],
    ),
    (DYNAMIC, &["evaluate", "map"]),
];

/// True for a function that can be called.
pub(super) fn is_known(namespace: &[u8], name: &[u8]) -> bool {
    NODE_SETS.contains(&namespace) && name == b"node-set"
        || FUNCTIONS.iter().any(|(known, names)| {
            *known == namespace && names.iter().any(|own| own.as_bytes() == name)
        })
}

/// Calls a function.
pub(super) fn call(
    run: &mut Run<'_>,
    namespace: &[u8],
    name: &[u8],
    arguments: Vec<Value>,
    place: Place<'_>,
) -> Result<Value, Problem> {
    if !is_known(namespace, name) {
        return Err(Problem::UnknownFunction(name.to_vec()));
    }
    match namespace {
        MATH => math::call(run, name, arguments),
        SETS => sets(run, name, arguments),
        STRINGS => strings::call(run, name, arguments),
        DATES => date::call(run, name, arguments),
        DYNAMIC => dynamic(run, name, arguments, place),
        _ => common(run, name, arguments),
    }
}

fn common(run: &mut Run<'_>, name: &[u8], arguments: Vec<Value>) -> Result<Value, Problem> {
    let [value] = <[Value; 1]>::try_from(arguments).map_err(|_| Problem::WrongArguments)?;
    if name == b"object-type" {
        let kind: &[u8] = match value {
            Value::Nodes(_) => b"node-set",
            Value::Tree(_) => b"RTF",
            Value::Bool(_) => b"boolean",
            Value::Number(_) => b"number",
            Value::Text(_) => b"string",
        };
        return Ok(Value::Text(kind.to_vec()));
    }
    Ok(match value {
        Value::Nodes(nodes) => Value::Nodes(nodes),
        Value::Tree(root) => Value::Nodes(vec![Item::Node(root)]),
        value => {
            let text = run.text(&value);
            let mut tree = run.document.write();
            let root = tree.add(Node::new(Kind::Document, b"#document"));
            let id = tree.add_text(Kind::Text, &text);
            tree.append(root, id);
            Value::Nodes(vec![Item::Node(id)])
        }
    })
}

/// The nodes that an argument is.
fn nodes_of(value: Value) -> Result<Vec<Item>, Problem> {
    match value {
        Value::Nodes(nodes) => Ok(nodes),
        Value::Tree(root) => Ok(vec![Item::Node(root)]),
        _ => Err(Problem::InvalidType),
    }
}

fn sets(run: &mut Run<'_>, name: &[u8], arguments: Vec<Value>) -> Result<Value, Problem> {
    use std::collections::HashSet;
    if name == b"distinct" {
        let [value] = <[Value; 1]>::try_from(arguments).map_err(|_| Problem::WrongArguments)?;
        let mut seen = HashSet::new();
        let mut nodes = nodes_of(value)?;
        let document = run.document.clone();
        nodes.retain(|node| seen.insert(xpath::string_of(&document, node)));
        return Ok(Value::Nodes(nodes));
    }
    let [one, other] = <[Value; 2]>::try_from(arguments).map_err(|_| Problem::WrongArguments)?;
    let (mut one, other) = (nodes_of(one)?, nodes_of(other)?);
    let set: HashSet<&Item> = other.iter().collect();
    match name {
        b"difference" => one.retain(|node| !set.contains(node)),
        b"intersection" => one.retain(|node| set.contains(node)),
        b"has-same-node" => return Ok(Value::Bool(one.iter().any(|node| set.contains(node)))),
        _ => {
            let Some(first) = other.first() else {
                return Ok(Value::Nodes(one));
            };
            let at = one.iter().position(|node| node == first);
            one = match (at, name) {
                (None, _) => Vec::new(),
                (Some(at), b"leading") => one[..at].to_vec(),
                (Some(at), _) => one[at + 1..].to_vec(),
            };
        }
    }
    Ok(Value::Nodes(one))
}

fn dynamic(
    run: &mut Run<'_>,
    name: &[u8],
    arguments: Vec<Value>,
    place: Place<'_>,
) -> Result<Value, Problem> {
    run.vm.check_native_stack().map_err(|_| Problem::Told)?;
    let namespaces = run.namespaces.clone();
    let mut arguments = arguments.into_iter();
    let nodes = match name {
        b"map" => Some(nodes_of(arguments.next().ok_or(Problem::WrongArguments)?)?),
        _ => None,
    };
    let text = arguments.next().ok_or(Problem::WrongArguments)?;
    let expression = xpath::parse(&run.text(&text))?;
    let evaluate = |context: &mut Context<'_>| xpath::evaluate(&expression, context);
    let Some(nodes) = nodes else {
        let place = (place.node.clone(), place.position, place.size);
        return run.at(place, &namespaces, evaluate);
    };
    let mut found = Vec::new();
    let size = nodes.len();
    let mut made: Option<NodeId> = None;
    for (index, node) in nodes.into_iter().enumerate() {
        vm_runtime::limits::poll();
        match run.at((node, index + 1, size), &namespaces, evaluate)? {
            Value::Nodes(more) => found.extend(more),
            Value::Tree(root) => found.push(Item::Node(root)),
            value => {
                let kind: &[u8] = match value {
                    Value::Bool(_) => b"boolean",
                    Value::Number(_) => b"number",
                    _ => b"string",
                };
                let text = match value {
                    Value::Bool(flag) => flag.to_string().into_bytes(),
                    value => run.text(&value),
                };
                let mut tree = run.document.write();
                let root = match made {
                    Some(root) => root,
                    None => tree.add(Node::new(Kind::Document, b"#document")),
                };
                made = Some(root);
                let mut element = Node::new(Kind::Element, kind);
                element.prefix = Some(b"exsl"[..].into());
                element.namespace = Some(COMMON.into());
                let element = tree.add(element);
                let id = tree.add_text(Kind::Text, &text);
                tree.append(element, id);
                tree.append(root, element);
                found.push(Item::Node(element));
            }
        }
    }
    run.in_order(found, &namespaces).map(Value::Nodes)
}
