//! DOMXPath.

use std::any::Any;

use vm_runtime::class::{Class, NativeHandlers, PropertyHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::read::Question;
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::to_bool;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::callbacks::{self, Callbacks, object_of};
use super::lists::{self, List};
use super::object::{Cached, NodeObject, node_of, optional, throw, wrap};
use super::properties;
use crate::libxml;
use crate::xml::loose::Held;
use crate::xml::tree::{Document, Kind, Node, NodeId, ROOT};
use crate::xml::xpath::{self, Context, Host, Item, Place, Problem};

/// The namespace of functions of the script.
const PHP: &[u8] = b"http://php.net/xpath";

/// The native part.
#[derive(Default)]
pub(super) struct XPath {
    document: Option<(Held, Value)>,
    registers_namespaces: bool,
    namespaces: Vec<(Vec<u8>, Vec<u8>)>,
    callbacks: Callbacks,
}

impl NativeData for XPath {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some((_, object)) = &self.document {
            visitor(object);
        }
        self.callbacks.visit(visitor);
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
    let old = native.document.replace((document.hold(&[]), given));
    native.registers_namespaces = registers;
    drop(old);
    Ok(Value::NULL)
}

pub(super) fn register_namespace(call: &mut Call<'_>) -> PhpResult<Value> {
    let (prefix, uri) = (call.bytes(0).to_vec(), call.bytes(1).to_vec());
    if prefix.is_empty() {
        return Ok(false.into());
    }
    let object = crate::spl::this(call);
    let namespaces = &mut native(&object).namespaces;
    namespaces.retain(|known| known.0 != prefix);
    namespaces.push((prefix, uri));
    Ok(true.into())
}

pub(super) fn register_php_functions(call: &mut Call<'_>) -> PhpResult<Value> {
    let registration = callbacks::registration(call)?;
    let object = crate::spl::this(call);
    drop(native(&object).callbacks.add(registration));
    Ok(Value::NULL)
}

pub(super) fn register_php_function_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (namespace, name, callable) = callbacks::own_registration(call, PHP)?;
    let object = crate::spl::this(call);
    let callbacks = &mut native(&object).callbacks;
    drop(callbacks.add_own(&namespace, &name, callable));
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
    callbacks: Callbacks,
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
        _place: Place<'_>,
    ) -> Result<xpath::Value, Problem> {
        callbacks::call(
            (self.vm, &self.document),
            &self.callbacks,
            PHP,
            (namespace, name),
            arguments,
        )
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
        callbacks: Callbacks::default(),
    };
    let outcome = xpath::parse(expression).and_then(|expression| {
        let mut context = Context {
            document,
            node: Item::Node(node),
            position: 0,
            size: 0,
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
    let Some((document, _)) = native(&object).document.as_ref() else {
        return Err(call
            .vm
            .throw_error(KnownClass::Error, "Couldn't fetch DOMXPath"));
    };
    let document = Document::clone(document);
    let is_modern = document.read().is_modern;
    let class = if is_modern {
        "Dom\\NodeList"
    } else {
        "DOMNodeList"
    };
    let node = match optional(call, 1)? {
        Some((other, node)) => {
            if other != document {
                let message = "Node from wrong document";
                return Err(call.vm.throw_error(KnownClass::Error, message));
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
        let (namespaces, callbacks) = (native.namespaces.clone(), native.callbacks.clone());
        let mut script = Script {
            vm: call.vm,
            document: document.clone(),
            node,
            registers_namespaces: registers,
            namespaces,
            callbacks,
        };
        xpath::parse(expression).and_then(|expression| {
            let mut context = Context {
                document: &document,
                node: Item::Node(node),
                position: 0,
                size: 0,
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
        xpath::Value::Tree(id) => wrap(call.vm, &document, id),
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
        Problem::Unbound(kind, prefix, name) => {
            let (prefix, name) = (
                vm_runtime::message::text(prefix),
                vm_runtime::message::text(name),
            );
            let message =
                format!("xmlXPathCompOpEval: {kind} {name} bound to undefined prefix {prefix}");
            libxml::report_line(vm, &message)
        }
        Problem::UnknownFunction(name) => callbacks::tell_unknown(vm, name),
        Problem::Stack => libxml::report_plain(vm, 1, "Stack usage error"),
        Problem::UndefinedVariable => libxml::report_plain(vm, 1205, "Undefined variable"),
        Problem::InvalidType => libxml::report_plain(vm, 1211, "Invalid type"),
        Problem::NoSize => libxml::report_plain(vm, 1213, "Invalid context size"),
        Problem::NoPosition => libxml::report_plain(vm, 1214, "Invalid context position"),
        Problem::Encoding => {
            libxml::report_plain(vm, 1220, "Encoding error")?;
            libxml::report_plain(vm, 1207, "Invalid expression")
        }
        Problem::WrongArguments => libxml::report_plain(vm, 1212, "Invalid number of arguments"),
    }
}

pub(super) fn query(call: &mut Call<'_>) -> PhpResult<Value> {
    run(call, true)
}

pub(super) fn evaluate(call: &mut Call<'_>) -> PhpResult<Value> {
    run(call, false)
}
