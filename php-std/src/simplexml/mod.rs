//! The extension `SimpleXML`: elements as objects whose properties are their children.

mod element;
mod list;
mod methods;
mod table;
mod xpath;

use vm_runtime::class::Class;
use vm_runtime::function::Call;
use vm_runtime::object::{PhpObject, new_object};
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use self::list::{Element, Which};
use crate::libxml;
use crate::standard::files::check_path;
use crate::support::functions;
use crate::xml::tree::{Document, Kind, NodeId, ROOT};

functions! {
    "simplexml_load_file(path $filename, ?class_name $class_name = SimpleXMLElement::class, int $options = 0, string $namespace_or_prefix = \"\", bool $is_prefix = false): SimpleXMLElement|false" => simplexml_load_file,
    "simplexml_load_string(string $data, ?class_name $class_name = SimpleXMLElement::class, int $options = 0, string $namespace_or_prefix = \"\", bool $is_prefix = false): SimpleXMLElement|false" => simplexml_load_string,
    "simplexml_import_dom(object $node, ?class_name $class_name = SimpleXMLElement::class): ?SimpleXMLElement" => simplexml_import_dom,
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(table::CLASSES);
}

/// The node that an object stands for, if it is one of these.
pub(crate) fn node(object: &PhpObject) -> Option<(Document, NodeId)> {
    let element = object.native::<Element>()?;
    let document = element.document()?;
    // Of attributes it is the first one.
    let id = match element.which {
        Which::Attributes(None) => element.nth(0)?,
        _ => element.first()?,
    };
    Some((document, id))
}

/// An object of a class for a node of a document.
#[cfg(feature = "xsl")]
pub(crate) fn of_node(
    vm: &mut Vm,
    class: *mut Class,
    document: &Document,
    id: NodeId,
) -> PhpResult<ObjectHandle> {
    make(vm, class, Element::new(document, id))
}

/// A new object of a class for an element.
fn make(vm: &mut Vm, class: *mut Class, element: Element) -> PhpResult<ObjectHandle> {
    let object = new_object(vm, class)?;
    if let Some(native) = object.native::<Element>() {
        *native = element;
    }
    Ok(object)
}

/// The class that an argument names: SimpleXMLElement or a child of it.
fn class_argument(call: &mut Call<'_>, index: usize) -> PhpResult<*mut Class> {
    let base = call
        .vm
        .linked_class(b"simplexmlelement")
        .unwrap_or(std::ptr::null_mut());
    let Some(name) = call.optional_string(index) else {
        return Ok(base);
    };
    let class = call.vm.class_by_name(&name, true)?;
    // SAFETY: I4: classes live until the VM ends.
    match class.filter(|&class| unsafe { (*class).is_subclass_of(base) }) {
        Some(class) => Ok(class),
        None => Err(call.type_error(
            index,
            &format!(
                "must be a class name derived from SimpleXMLElement or null, {} given",
                name.to_text()
            ),
        )),
    }
}

/// Parses text: the document element as an object, or `false`.
fn load(call: &mut Call<'_>, bytes: &[u8], file: &[u8]) -> PhpResult<Value> {
    let class = class_argument(call, 1)?;
    let options = call.long(2);
    let (document, errors) = libxml::parse_document(call.vm, bytes, options, file);
    libxml::report_with_context(call.vm, errors, options, bytes)?;
    let Some(document) = document else {
        return Ok(false.into());
    };
    let Some(root) = document.read().document_element() else {
        return Ok(false.into());
    };
    let namespace = call.bytes(3);
    let mut element = Element::new(&document, root);
    if !namespace.is_empty() {
        element.namespace = Some((namespace.to_vec(), call.bool(4)));
    }
    Ok(make(call.vm, class, element)?.into())
}

fn simplexml_load_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    class_argument(call, 1)?;
    if bytes.is_empty() {
        // Nothing is said of what is not even there.
        return Ok(false.into());
    }
    load(call, bytes, b"")
}

fn simplexml_load_file(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    // Told before the file is opened.
    class_argument(call, 1)?;
    let name = call.bytes(0);
    match libxml::read_file(call.vm, name, call.long(2))? {
        Some(bytes) => load(call, &bytes, name),
        None => Ok(false.into()),
    }
}

fn simplexml_import_dom(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = class_argument(call, 1)?;
    let object = call.object(0);
    if object.native::<crate::dom::object::NodeObject>().is_none() {
        return Err(call.type_error(0, "must be a valid XML node"));
    }
    let (document, id) = crate::dom::object::node_of(call.vm, &object)?;
    let root = if id == ROOT {
        document.read().document_element()
    } else {
        Some(id)
    };
    let root = root.filter(|&root| document.read()[root].kind == Kind::Element);
    match root {
        Some(root) => Ok(make(call.vm, class, Element::new(&document, root))?.into()),
        None => {
            call.vm.function_warning("Invalid Nodetype to import");
            Ok(Value::NULL)
        }
    }
}

/// What an element stands for: the node, or some of its children or attributes.
fn with(parent: &Element, which: Which) -> Element {
    let mut element = Element {
        document: parent.document.clone(),
        which,
        namespace: parent.namespace.clone(),
        prefixes: parent.prefixes.clone(),
        ..Element::default()
    };
    element.set_node(parent.first());
    element
}
