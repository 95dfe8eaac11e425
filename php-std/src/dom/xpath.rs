//! DOMXPath.

use std::any::Any;

use vm_runtime::class::{Class, NativeHandlers, PropertyHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::read::Question;
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::{to_bool, to_string};
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::lists::{self, List};
use super::object::{Cached, NodeObject, node_of, optional, throw, wrap};
use super::properties;
use crate::libxml;
use crate::xml::tree::{Document, Kind, Node, NodeId, ROOT};
use crate::xml::xpath::{self, Context, Host, Item, Problem};

/// The namespace of functions of the script.
const PHP: &[u8] = b"http://php.net/xpath";

/// Which functions of the script may be called.
#[derive(Clone, Default)]
enum Allowed {
    #[default]
    None,
    All,
    Some(Vec<(Vec<u8>, Value)>),
}

/// The native part.
#[derive(Default)]
pub(super) struct XPath {
    document: Option<(Document, Value)>,
    registers_namespaces: bool,
    namespaces: Vec<(Vec<u8>, Vec<u8>)>,
    allowed: Allowed,
    /// Functions by namespace and name.
    own: Vec<(Vec<u8>, Vec<u8>, Value)>,
}

impl NativeData for XPath {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some((_, object)) = &self.document {
            visitor(object);
        }
        if let Allowed::Some(list) = &self.allowed {
            list.iter().for_each(|(_, callable)| visitor(callable));
        }
        self.own
            .iter()
            .for_each(|(_, _, callable)| visitor(callable));
    }
}

pub(super) fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(XPath {
        registers_namespaces: true,
        ..XPath::default()
    }))
}

fn native(object: &PhpObject) -> &mut XPath {
    object.native::<XPath>().expect("made with the object")
}

pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(properties::debug_info),
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, name, _| {
            Ok(match name.as_bytes() {
                b"document" => match &native(object).document {
                    Some((_, document)) => Some(document.clone()),
                    None => return Err(throw(vm, super::object::Problem::InvalidState)),
                },
                b"registerNodeNamespaces" => Some(native(object).registers_namespaces.into()),
                _ => None,
            })
        },
        write: |vm, object, name, value| match name.as_bytes() {
            b"document" => {
                let class = object.class().display_name();
                let message = format!("Cannot modify readonly property {class}::$document");
                Err(vm.throw_error(KnownClass::Error, message))
            }
            b"registerNodeNamespaces" => {
                native(object).registers_namespaces = to_bool(value);
                Ok(true)
            }
            _ => Ok(false),
        },
        has: |_, object, name, question| {
            Ok(match name.as_bytes() {
                b"document" => Some(true),
                b"registerNodeNamespaces" => {
                    Some(question != Question::NotEmpty || native(object).registers_namespaces)
                }
                _ => None,
            })
        },
        unset: properties::unset,
    }),
    ..NativeHandlers::STANDARD
};

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, given) = (crate::spl::this(call), call.value(0));
    let source = call.object(0);
    let (document, _) = node_of(call.vm, &source)?;
    let registers = call.bool(1);
    let native = native(&object);
    native.document = Some((document, given));
    native.registers_namespaces = registers;
    Ok(Value::NULL)
}

pub(super) fn register_namespace(call: &mut Call<'_>) -> PhpResult<Value> {
    let (prefix, uri) = (call.bytes(0).to_vec(), call.bytes(1).to_vec());
    let object = crate::spl::this(call);
    let namespaces = &mut native(&object).namespaces;
    namespaces.retain(|known| known.0 != prefix);
    namespaces.push((prefix, uri));
    Ok(true.into())
}

pub(super) fn register_php_functions(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, given) = (crate::spl::this(call), call.value(0));
    let mut list: Vec<(Vec<u8>, Value)> = Vec::new();
    match given.view() {
        ValueKind::Null => {
            native(&object).allowed = Allowed::All;
            return Ok(Value::NULL);
        }
        ValueKind::Array(array) => {
            for (key, value) in array.iter() {
                let value = Value::share(value);
                let name = match key.to_value().string() {
                    Some(name) => name.to_vec(),
                    None => to_string(call.vm, &value)?.to_vec(),
                };
                if !is_callback_name(&name) {
                    let problem = "must be an array containing valid callback names";
                    return Err(call.value_error(0, problem));
                }
                if let Err(reason) = call.vm.resolve_callable(&value) {
                    let _ = reason;
                    let shown = to_string(call.vm, &value)?;
                    let problem = format!(
                        "must be an array with valid callbacks as values, function \"{}\" not found or invalid function name",
                        shown.to_text()
                    );
                    return Err(call.type_error(0, &problem));
                }
                list.push((name, value));
            }
        }
        _ => {
            let name = to_string(call.vm, &given)?;
            if !is_callback_name(&name) {
                return Err(call.value_error(0, "must be a valid callback name"));
            }
            if call.vm.resolve_callable(&given).is_err() {
                let problem = format!(
                    "must be a callable, function \"{}\" not found or invalid function name",
                    name.to_text()
                );
                return Err(call.type_error(0, &problem));
            }
            list.push((name.to_vec(), given));
        }
    }
    let native = native(&object);
    match &mut native.allowed {
        Allowed::Some(known) => known.extend(list),
        allowed => *allowed = Allowed::Some(list),
    }
    Ok(Value::NULL)
}

/// True for a name that functions can be called by in an expression.
fn is_callback_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.contains(&0)
}

pub(super) fn register_php_function_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (namespace, name, callable) = (call.bytes(0), call.bytes(1), call.value(2));
    if namespace == PHP {
        return Err(call.value_error(
            0,
            "must not be \"http://php.net/xpath\" because it is reserved by PHP",
        ));
    }
    let object = crate::spl::this(call);
    let own = &mut native(&object).own;
    own.retain(|known| known.0 != namespace || known.1 != name);
    own.push((namespace.to_vec(), name.to_vec(), callable));
    Ok(Value::NULL)
}

pub(super) fn quote(call: &mut Call<'_>) -> PhpResult<Value> {
    lists::no_zero_bytes(call, &[0])?;
    let text = call.bytes(0);
    let quoted = if !text.contains(&b'\'') {
        [b"'", text, b"'"].concat()
    } else if !text.contains(&b'"') {
        [b"\"", text, b"\""].concat()
    } else {
        let mut output = b"concat(".to_vec();
        let mut rest = text;
        let mut is_first = true;
        while !rest.is_empty() {
            let single = memchr::memchr(b'\'', rest).unwrap_or(rest.len());
            let double = memchr::memchr(b'"', rest).unwrap_or(rest.len());
            let (quote, end) = if single >= double {
                (b'\'', single)
            } else {
                (b'"', double)
            };
            if !is_first {
                output.push(b',');
            }
            is_first = false;
            output.push(quote);
            output.extend_from_slice(&rest[..end]);
            output.push(quote);
            rest = &rest[end..];
        }
        output.push(b')');
        output
    };
    Ok(call.vm.string(quoted).into())
}

/// What an evaluation asks of the script.
struct Script<'a> {
    vm: &'a mut Vm,
    document: Document,
    node: NodeId,
    registers_namespaces: bool,
    namespaces: Vec<(Vec<u8>, Vec<u8>)>,
    allowed: Allowed,
    own: Vec<(Vec<u8>, Vec<u8>, Value)>,
}

impl Script<'_> {
    /// A value of XPath as a function of the script gets it.
    fn argument(&mut self, value: xpath::Value, as_text: bool) -> PhpResult<Value> {
        Ok(match value {
            xpath::Value::Bool(flag) => flag.into(),
            xpath::Value::Number(number) => number.into(),
            xpath::Value::Text(text) => self.vm.string(text).into(),
            xpath::Value::Nodes(_) if as_text => {
                let text = xpath_text(&self.document, &value);
                self.vm.string(text).into()
            }
            xpath::Value::Nodes(nodes) => {
                let mut values = Vec::with_capacity(nodes.len());
                for item in nodes {
                    values.push(object_of(self.vm, &self.document, &item)?);
                }
                crate::support::list(self.vm, values)
            }
        })
    }

    /// What a function of the script gave, as XPath has it.
    fn result(&mut self, value: Value) -> PhpResult<xpath::Value> {
        Ok(match value.view() {
            ValueKind::Bool(flag) => xpath::Value::Bool(flag),
            ValueKind::Long(number) => xpath::Value::Number(number as f64),
            ValueKind::Double(number) => xpath::Value::Number(number),
            ValueKind::Object(object) => {
                let (document, id) = match object.native::<super::object::NodeObject>() {
                    Some(_) => node_of(self.vm, object)?,
                    None => {
                        let message = "Only objects that are instances of DOM nodes can be converted to an XPath expression";
                        return Err(self.vm.throw_error(KnownClass::TypeError, message));
                    }
                };
                let _ = document;
                xpath::Value::Nodes(vec![Item::Node(id)])
            }
            _ => xpath::Value::Text(to_string(self.vm, &value)?.to_vec()),
        })
    }
}

fn xpath_text(document: &Document, value: &xpath::Value) -> Vec<u8> {
    match value {
        xpath::Value::Nodes(nodes) => match nodes.first() {
            Some(Item::Node(id)) => document.read().text_content(*id),
            Some(Item::Namespace(_, _, uri)) => uri.clone(),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

impl Host for Script<'_> {
    fn namespace(&self, prefix: &[u8]) -> Option<Vec<u8>> {
        if self.registers_namespaces {
            let tree = self.document.read();
            let node = match self.node {
                ROOT => tree.document_element().unwrap_or(ROOT),
                node => node,
            };
            // Those of the node count for more than those of the script.
            if let Some(uri) = tree.find_namespace(node, Some(prefix)) {
                return Some(uri.to_vec());
            }
        }
        let own = self.namespaces.iter().find(|known| known.0 == prefix);
        match own {
            Some((_, uri)) => Some(uri.clone()),
            None => (prefix == b"xml").then(|| crate::xml::tree::XML_NAMESPACE.to_vec()),
        }
    }

    fn call(
        &mut self,
        namespace: &[u8],
        name: &[u8],
        arguments: Vec<xpath::Value>,
    ) -> Result<xpath::Value, Problem> {
        let mut arguments = arguments.into_iter();
        let mut as_text = false;
        let callable = if namespace == PHP {
            as_text = name == b"functionString";
            if !as_text && name != b"function" {
                return Err(Problem::UnknownFunction(name.to_vec()));
            }
            let Some(first) = arguments.next() else {
                let message = "Function name must be passed as the first argument";
                self.vm.throw_error(KnownClass::Error, message);
                return Err(Problem::Told);
            };
            let xpath::Value::Text(wanted) = first else {
                let message = "Handler name must be a string";
                self.vm.throw_error(KnownClass::TypeError, message);
                return Err(Problem::Told);
            };
            match &self.allowed {
                Allowed::None => {
                    self.vm
                        .throw_error(KnownClass::Error, "No callbacks were registered");
                    return Err(Problem::Told);
                }
                Allowed::All => Value::from(self.vm.string(wanted)),
                Allowed::Some(list) => match list.iter().find(|known| known.0 == wanted) {
                    Some((_, callable)) => callable.clone(),
                    None => {
                        let wanted = String::from_utf8_lossy(&wanted).into_owned();
                        let message = format!("No callback handler \"{wanted}\" registered");
                        self.vm.throw_error(KnownClass::Error, message);
                        return Err(Problem::Told);
                    }
                },
            }
        } else {
            match self
                .own
                .iter()
                .find(|known| known.0 == namespace && known.1 == name)
            {
                Some((_, _, callable)) => callable.clone(),
                None => return Err(Problem::UnknownFunction(name.to_vec())),
            }
        };
        if let Err(reason) = self.vm.resolve_callable(&callable) {
            let shown = to_string(self.vm, &callable).map(|name| name.to_text().into_owned());
            let _ = reason;
            let message = format!("Unable to call handler {}()", shown.unwrap_or_default());
            self.vm.throw_error(KnownClass::Error, message);
            return Err(Problem::Told);
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(
                self.argument(argument, as_text)
                    .map_err(|Thrown| Problem::Told)?,
            );
        }
        let result = self
            .vm
            .call(&callable, values)
            .map_err(|Thrown| Problem::Told)?;
        self.result(result).map_err(|Thrown| Problem::Told)
    }
}

/// The object of something that was found.
fn object_of(vm: &mut Vm, document: &Document, item: &Item) -> PhpResult<Value> {
    match item {
        Item::Node(id) => wrap(vm, document, *id),
        Item::Namespace(element, prefix, uri) => {
            let prefix = (!prefix.is_empty()).then_some(prefix.as_slice());
            namespace_node(vm, document, *element, prefix, uri)
        }
    }
}

/// The object of a namespace declaration.
pub(super) fn namespace_node(
    vm: &mut Vm,
    document: &Document,
    element: NodeId,
    prefix: Option<&[u8]>,
    uri: &[u8],
) -> PhpResult<Value> {
    // The declaration keeps the object of its element.
    let parent = wrap(vm, document, element)?;
    let mut node = Node::new(Kind::Namespace, prefix.unwrap_or(b"xmlns"));
    node.value = uri.to_vec();
    node.namespace = Some(uri.into());
    node.prefix = prefix.map(Into::into);
    node.parent = Some(element);
    let id = document.write().add(node);
    let made = wrap(vm, document, id)?;
    if let Some(object) = made.object()
        && let Some(native) = object.native::<NodeObject>()
    {
        native.cached.push((Cached::Parent, parent));
    }
    Ok(made)
}

/// The nodes that an expression finds, as canonical forms ask for them; none if it finds something else.
pub(super) fn find(
    vm: &mut Vm,
    (document, node): (&Document, NodeId),
    expression: &[u8],
    namespaces: Vec<(Vec<u8>, Vec<u8>)>,
) -> PhpResult<Option<Vec<Item>>> {
    let mut script = Script {
        vm,
        document: document.clone(),
        node,
        registers_namespaces: false,
        namespaces,
        allowed: Allowed::None,
        own: Vec::new(),
    };
    let outcome = xpath::parse(expression).and_then(|expression| {
        let mut context = Context {
            document,
            node: Item::Node(node),
            position: 1,
            size: 1,
            host: &mut script,
            order: None,
        };
        xpath::evaluate(&expression, &mut context)
    });
    match outcome {
        Ok(xpath::Value::Nodes(nodes)) => Ok(Some(nodes)),
        Ok(_) => Ok(None),
        Err(problem) => {
            tell(vm, &problem)?;
            Ok(None)
        }
    }
}

fn run(call: &mut Call<'_>, only_nodes: bool) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let Some((document, _)) = native(&object).document.clone() else {
        return Err(call
            .vm
            .throw_error(KnownClass::Error, "Couldn't fetch DOMXPath"));
    };
    let is_modern = document.read().is_modern;
    let class = if is_modern {
        "Dom\\NodeList"
    } else {
        "DOMNodeList"
    };
    let node = match optional(call, 1)? {
        Some((other, node)) => {
            if other != document {
                if is_modern {
                    return Err(super::object::throw(
                        call.vm,
                        super::object::Problem::WrongDocument,
                    ));
                }
                call.vm.function_warning("Node From Wrong Document");
                return Ok(false.into());
            }
            node
        }
        None => document.read().document_element().unwrap_or(ROOT),
    };
    let registers = if call.count() > 2 {
        call.bool(2)
    } else {
        native(&object).registers_namespaces
    };
    let expression = call.bytes(0);
    let outcome = {
        let native = native(&object);
        let (namespaces, allowed, own) = (
            native.namespaces.clone(),
            native.allowed.clone(),
            native.own.clone(),
        );
        let mut script = Script {
            vm: call.vm,
            document: document.clone(),
            node,
            registers_namespaces: registers,
            namespaces,
            allowed,
            own,
        };
        xpath::parse(expression).and_then(|expression| {
            let mut context = Context {
                document: &document,
                node: Item::Node(node),
                position: 1,
                size: 1,
                host: &mut script,
                order: None,
            };
            xpath::evaluate(&expression, &mut context)
        })
    };
    let value = match outcome {
        Ok(value) => value,
        Err(problem) => {
            tell(call.vm, &problem)?;
            if is_modern {
                let message = "Could not evaluate XPath expression";
                return Err(call.vm.throw_error(KnownClass::Error, message));
            }
            return Ok(false.into());
        }
    };
    match value {
        xpath::Value::Nodes(nodes)
            if is_modern && nodes.iter().any(|item| matches!(item, Item::Namespace(..))) =>
        {
            let text = "The namespace axis is not well-defined in the living DOM specification. Use Dom\\Element::getInScopeNamespaces() or Dom\\Element::getDescendantNamespaces() instead.";
            Err(super::object::throw_text(
                call.vm,
                super::object::Problem::NotSupported,
                text,
            ))
        }
        xpath::Value::Nodes(nodes) => {
            let mut values = Vec::with_capacity(nodes.len());
            for item in &nodes {
                values.push(object_of(call.vm, &document, item)?);
            }
            lists::make(call.vm, class, List::found(&document, values))
        }
        _ if only_nodes => lists::make(call.vm, class, List::found(&document, Vec::new())),
        xpath::Value::Bool(flag) => Ok(flag.into()),
        xpath::Value::Number(number) => Ok(number.into()),
        xpath::Value::Text(text) => Ok(call.vm.string(text).into()),
    }
}

/// Tells why an expression has no value.
pub(crate) fn tell(vm: &mut Vm, problem: &Problem) -> PhpResult<()> {
    vm.check()?;
    match problem {
        Problem::Told => Ok(()),
        Problem::Syntax => libxml::report_plain(vm, 1207, "Invalid expression"),
        Problem::UndefinedPrefix(_) => libxml::report_plain(vm, 1219, "Undefined namespace prefix"),
        Problem::UnknownFunction(name) => {
            let name = String::from_utf8_lossy(name).into_owned();
            libxml::report_plain(vm, 1209, "Unregistered function")?;
            let _ = name;
            Ok(())
        }
        Problem::UndefinedVariable => libxml::report_plain(vm, 1206, "Undefined variable"),
        Problem::InvalidType => libxml::report_plain(vm, 1211, "Invalid type"),
        Problem::WrongArguments => libxml::report_plain(vm, 1212, "Invalid number of arguments"),
    }
}

pub(super) fn query(call: &mut Call<'_>) -> PhpResult<Value> {
    run(call, true)
}

pub(super) fn evaluate(call: &mut Call<'_>) -> PhpResult<Value> {
    run(call, false)
}
