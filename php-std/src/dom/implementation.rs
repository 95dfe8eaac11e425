//! DOMImplementation.

use vm_runtime::function::Call;
use vm_runtime::object::new_object;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::document::element_in;
use super::mutation::place;
use super::object::{Problem, argument, throw, wrap};
use crate::xml::tree::{Doctype, Document, Kind, Node, ROOT};

/// A new DOMImplementation.
pub(super) fn make(vm: &mut Vm) -> PhpResult<Value> {
    make_class(vm, b"domimplementation")
}

/// A new object of a class, named in lower case.
pub(super) fn make_class(vm: &mut Vm, name: &[u8]) -> PhpResult<Value> {
    match vm.linked_class(name) {
        Some(class) => Ok(new_object(vm, class)?.into()),
        None => Ok(Value::NULL),
    }
}

/// True for the features that there are: Core and XML.
pub(super) fn supports(feature: &[u8], version: &[u8]) -> bool {
    let is_known = |name: &[u8]| feature.eq_ignore_ascii_case(name);
    match version {
        b"1.0" => is_known(b"XML") || is_known(b"Core"),
        b"2.0" | b"" => is_known(b"XML"),
        _ => false,
    }
}

pub(super) fn has_feature(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(supports(call.bytes(0), call.bytes(1)).into())
}

pub(super) fn create_document_type(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if memchr::memmem::find(call.bytes(0), b"%00").is_some() {
        call.vm
            .function_warning("URI must not contain percent-encoded NUL bytes");
        call.vm.check()?;
        return Ok(false.into());
    }
    doctype_of(call, Document::new(Kind::Document))
}

/// A document type in a document that is nowhere, made of the arguments.
pub(super) fn doctype_of(call: &mut Call<'_>, document: Document) -> PhpResult<Value> {
    let (name, public, system) = (call.bytes(0), call.bytes(1), call.bytes(2));
    if !crate::xml::parser::is_name(name) {
        return Err(throw(call.vm, Problem::Namespace));
    }
    let id = {
        let mut tree = document.write();
        tree.is_nowhere = true;
        let mut node = Node::new(Kind::DocumentType, name);
        let given = |text: &[u8]| (!text.is_empty()).then(|| text.to_vec());
        node.doctype = Some(Box::new(Doctype {
            public: given(public),
            system: given(system),
            ..Doctype::default()
        }));
        tree.add(node)
    };
    wrap(call.vm, &document, id)
}

pub(super) fn create_document(call: &mut Call<'_>) -> PhpResult<Value> {
    let (namespace, name) = (call.optional_bytes(0), call.bytes(1));
    let document = Document::new(Kind::Document);
    document.write().version = Some(b"1.0".to_vec());
    if call.has(2) {
        let (other, doctype) = argument(call, 2)?;
        if !other.read().is_nowhere {
            return Err(throw(call.vm, Problem::WrongDocument));
        }
        place((&document, ROOT), (&other, doctype), None);
    }
    if name.is_empty() {
        if namespace.is_some_and(|uri| !uri.is_empty()) {
            return Err(throw(call.vm, Problem::Namespace));
        }
    } else {
        match element_in(namespace, name) {
            Ok(node) => {
                let mut tree = document.write();
                let element = tree.add(node);
                tree.append(ROOT, element);
            }
            Err(problem) => return Err(throw(call.vm, problem)),
        }
    }
    wrap(call.vm, &document, ROOT)
}
