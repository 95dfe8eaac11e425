//! Functions of the script that expressions of XPath call: those of DOMXPath and XSLTProcessor.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::to_string;
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::lists;
use super::object::{NodeObject, node_of, wrap};
use super::xpath::namespace_node;
use crate::libxml;
use crate::support::take_where;
use crate::xml::parser::is_name;
use crate::xml::tree::{Document, NodeId, ROOT};
use crate::xml::xpath::{self, Item, Problem};

/// Which functions of the script may be called by their names.
#[derive(Clone, Default)]
pub(crate) enum Allowed {
    #[default]
    None,
    All,
    Some(Vec<(Vec<u8>, Value)>),
}

/// A function with its namespace and name.
type Own = (Vec<u8>, Vec<u8>, Value);

/// What a script has registered.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    allowed: Allowed,
    /// Functions by namespace and name.
    own: Vec<Own>,
}

/// What `registerPhpFunctions()` was given, checked.
pub(crate) enum Registration {
    All,
    Some(Vec<(Vec<u8>, Value)>),
}

impl Callbacks {
    /// Tells which values this holds.
    pub(crate) fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Allowed::Some(list) = &self.allowed {
            list.iter().for_each(|(_, callable)| visitor(callable));
        }
        self.own
            .iter()
            .for_each(|(_, _, callable)| visitor(callable));
    }

    /// Adds what `registerPhpFunctions()` was given, and gives what it replaces.
    #[must_use]
    pub(crate) fn add(&mut self, registration: Registration) -> Allowed {
        match (registration, &mut self.allowed) {
            (Registration::All, allowed) => std::mem::replace(allowed, Allowed::All),
            (Registration::Some(list), Allowed::Some(known)) => {
                let gone = take_where(known, |(name, _)| list.iter().any(|(new, _)| new == name));
                known.extend(list);
                Allowed::Some(gone)
            }
            (Registration::Some(list), allowed) => std::mem::replace(allowed, Allowed::Some(list)),
        }
    }

    /// Adds a function of a namespace, and gives what it replaces.
    #[must_use]
    pub(crate) fn add_own(&mut self, namespace: &[u8], name: &[u8], callable: Value) -> Vec<Own> {
        let gone = take_where(&mut self.own, |known| {
            known.0 == namespace && known.1 == name
        });
        self.own.push((namespace.to_vec(), name.to_vec(), callable));
        gone
    }

    /// True if a function of a namespace was registered.
    #[cfg(feature = "xsl")]
    pub(crate) fn has_own(&self, namespace: &[u8], name: &[u8]) -> bool {
        self.own
            .iter()
            .any(|known| known.0 == namespace && known.1 == name)
    }
}

/// Checks what `registerPhpFunctions()` was given.
pub(crate) fn registration(call: &mut Call<'_>) -> PhpResult<Registration> {
    let given = call.value(0);
    let mut list: Vec<(Vec<u8>, Value)> = Vec::new();
    match given.view() {
        ValueKind::Null => return Ok(Registration::All),
        ValueKind::Array(array) => {
            for (key, value) in array.iter() {
                let value = Value::share(value);
                let key = key.to_value();
                let key = key.string().map(|name| name.to_vec());
                let name = match key {
                    Some(name) => name,
                    None => to_string(call.vm, &value)?.to_vec(),
                };
                if let Err(reason) = call.vm.resolve_callable(&value) {
                    call.vm.check()?;
                    let problem =
                        format!("must be an array with valid callbacks as values, {reason}");
                    return Err(call.type_error(0, &problem));
                }
                if !is_callback_name(&name) {
                    let problem = "must be an array containing valid callback names";
                    return Err(call.value_error(0, problem));
                }
                list.push((name, call.vm.kept_callable(value)));
            }
        }
        _ => {
            let name = to_string(call.vm, &given)?;
            if !is_callback_name(&name) {
                return Err(call.value_error(0, "must be a valid callback name"));
            }
            if let Err(reason) = call.vm.resolve_callable(&given) {
                call.vm.check()?;
                return Err(call.type_error(0, &format!("must be a callable, {reason}")));
            }
            list.push((name.to_vec(), call.vm.kept_callable(given)));
        }
    }
    Ok(Registration::Some(list))
}

/// Checks what `registerPhpFunctionNS()` was given: namespace, name and function.
pub(crate) fn own_registration(
    call: &mut Call<'_>,
    reserved: &[u8],
) -> PhpResult<(Vec<u8>, Vec<u8>, Value)> {
    lists::no_zero_bytes(call, &[0, 1])?;
    let (namespace, name, callable) = (call.bytes(0), call.bytes(1), call.value(2));
    if namespace == reserved {
        let shown = vm_runtime::message::text(reserved);
        let problem = format!("must not be \"{shown}\" because it is reserved by PHP");
        return Err(call.value_error(0, &problem));
    }
    if !is_name(name) || name.contains(&b':') {
        return Err(call.value_error(1, "must be a valid callback name"));
    }
    let (namespace, name) = (namespace.to_vec(), name.to_vec());
    Ok((namespace, name, call.vm.kept_callable(callable)))
}

/// True for a name that functions can be called by in an expression.
fn is_callback_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&0)
}

/// Calls a function of the script from an expression. `reserved` is the namespace of `function()` and
/// `functionString()`.
pub(crate) fn call(
    (vm, document): (&mut Vm, &Document),
    callbacks: &Callbacks,
    reserved: &[u8],
    (namespace, name): (&[u8], &[u8]),
    arguments: Vec<xpath::Value>,
) -> Result<xpath::Value, Problem> {
    let mut arguments = arguments.into_iter();
    let mut as_text = false;
    let callable = if namespace == reserved && (name == b"function" || name == b"functionString") {
        as_text = name == b"functionString";
        let Some(first) = arguments.next() else {
            let message = "Function name must be passed as the first argument";
            vm.throw_error(KnownClass::Error, message);
            return Err(Problem::Told);
        };
        let xpath::Value::Text(wanted) = first else {
            let message = "Handler name must be a string";
            vm.throw_error(KnownClass::TypeError, message);
            return Err(Problem::Told);
        };
        match &callbacks.allowed {
            Allowed::None => {
                vm.throw_error(KnownClass::Error, "No callbacks were registered");
                return Err(Problem::Told);
            }
            Allowed::All => Value::from(vm.string(wanted)),
            Allowed::Some(list) => match list.iter().find(|known| known.0 == wanted) {
                Some((_, callable)) => callable.clone(),
                None => {
                    let wanted = vm_runtime::message::text(&wanted).into_owned();
                    let message = format!("No callback handler \"{wanted}\" registered");
                    vm.throw_error(KnownClass::Error, message);
                    return Err(Problem::Told);
                }
            },
        }
    } else {
        let found = (callbacks.own.iter()).find(|known| known.0 == namespace && known.1 == name);
        match found {
            Some((_, _, callable)) => callable.clone(),
            None => return Err(Problem::UnknownFunction(name.to_vec())),
        }
    };
    if let Err(reason) = vm.resolve_callable(&callable) {
        let shown = to_string(vm, &callable).map(|name| name.to_text().into_owned());
        let message = format!("Invalid callback {}, {reason}", shown.unwrap_or_default());
        vm.throw_error(KnownClass::Error, message);
        return Err(Problem::Told);
    }
    let mut values = Vec::new();
    for value in arguments {
        let value = argument(vm, document, value, as_text).map_err(|Thrown| Problem::Told)?;
        values.push(value);
    }
    let result = vm.call(&callable, values).map_err(|Thrown| Problem::Told)?;
    taken(vm, document, result).map_err(|Thrown| Problem::Told)
}

/// A value of XPath as a function of the script gets it.
fn argument(
    vm: &mut Vm,
    document: &Document,
    value: xpath::Value,
    as_text: bool,
) -> PhpResult<Value> {
    Ok(match value {
        xpath::Value::Bool(flag) => flag.into(),
        xpath::Value::Number(number) => number.into(),
        xpath::Value::Text(text) => vm.string(text).into(),
        xpath::Value::Nodes(_) | xpath::Value::Tree(_) if as_text => {
            let text = xpath::value_text(document, &value);
            vm.string(text).into()
        }
        xpath::Value::Tree(id) => {
            let node = wrap(vm, document, id)?;
            crate::support::list(vm, [node])
        }
        xpath::Value::Nodes(nodes) => {
            let mut values = Vec::with_capacity(nodes.len());
            for item in nodes {
                values.push(object_of(vm, document, &item)?);
            }
            crate::support::list(vm, values)
        }
    })
}

/// What a function of the script gave, as XPath has it.
fn taken(vm: &mut Vm, document: &Document, value: Value) -> PhpResult<xpath::Value> {
    Ok(match value.view() {
        ValueKind::Bool(flag) => xpath::Value::Bool(flag),
        ValueKind::Long(number) => xpath::Value::Number(number as f64),
        ValueKind::Double(number) => xpath::Value::Number(number),
        ValueKind::Object(object) => {
            if object.native::<NodeObject>().is_none() {
                let message = "Only objects that are instances of DOM nodes can be converted to an XPath expression";
                return Err(vm.throw_error(KnownClass::TypeError, message));
            }
            let (source, id) = node_of(vm, object)?;
            let id = match source == *document {
                true => id,
                // A tree has its nodes in one place: those of others are copied.
                false => copied(document, &source, id),
            };
            xpath::Value::Nodes(vec![Item::Node(id)])
        }
        _ => xpath::Value::Text(to_string(vm, &value)?.to_vec()),
    })
}

/// The copy of a node of another document, in a copy of all that is around it.
fn copied(document: &Document, source: &Document, id: NodeId) -> NodeId {
    let tree = source.read();
    let top = tree.root_of(id);
    let mut target = document.write();
    if id == ROOT {
        return target.copy_from(Some(&tree), ROOT, true);
    }
    let copy = target.copy_from(Some(&tree), top, true);
    let is_attribute = tree[id].kind == crate::xml::tree::Kind::Attribute;
    let element = match is_attribute {
        true => tree[id].parent.unwrap_or(id),
        false => id,
    };
    if element == id && is_attribute {
        return copy;
    }
    // Both trees are alike, so the place tells the node.
    let place = std::iter::once(top)
        .chain(tree.descendants(top))
        .position(|node| node == element);
    let nodes = std::iter::once(copy).chain(target.descendants(copy));
    let found = place.and_then(|place| { nodes }.nth(place)).unwrap_or(copy);
    if !is_attribute {
        return found;
    }
    let number = tree[element].attributes.iter().position(|&own| own == id);
    number.map_or(found, |number| target[found].attributes[number])
}

/// The object of something that was found.
pub(super) fn object_of(vm: &mut Vm, document: &Document, item: &Item) -> PhpResult<Value> {
    match item {
        Item::Node(id) => wrap(vm, document, *id),
        Item::Namespace(element, prefix, uri) => {
            let prefix = (!prefix.is_empty()).then_some(prefix.as_slice());
            namespace_node(vm, document, *element, prefix, uri)
        }
    }
}

/// Tells of a function that does not exist, as libxml2 does before the evaluation fails.
pub(crate) fn tell_unknown(vm: &mut Vm, name: &[u8]) -> PhpResult<()> {
    let name = vm_runtime::message::text(name);
    libxml::report_line(
        vm,
        &format!("xmlXPathCompOpEval: function {name} not found"),
    )?;
    libxml::report_plain(vm, 1209, "Unregistered function")
}
