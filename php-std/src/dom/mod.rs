//! The extension `dom`: documents as trees of objects.

mod attribute;
pub(crate) mod callbacks;
mod character_data;
mod classes;
mod constants;
mod css;
mod document;
mod element;
mod fragment;
mod implementation;
mod lists;
mod modern;
mod mutation;
mod namespaces;
mod node;
pub(crate) mod object;
mod properties;
mod xinclude;
mod xpath;

pub(crate) use document::append_content;
#[cfg(feature = "xsl")]
pub(crate) use lists::no_zero_bytes;
pub(crate) use properties::computed_names;
#[cfg(feature = "xsl")]
pub(crate) use xinclude::include_all;
pub(crate) use xpath::tell;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::functions;

functions! {
    "dom_import_simplexml(object $node): DOMAttr|DOMElement" => dom_import_simplexml,
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(classes::CLASSES);
    crate::support::define(vm, constants::CONSTANTS);
    vm.deprecated_constants.push("DOM_PHP_ERR");
    modern::register(vm);
}

fn dom_import_simplexml(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    match crate::simplexml::node(&object) {
        Some((document, _)) if document.read().is_modern => {
            Err(call.type_error(0, "must not be already imported as a Dom\\Node"))
        }
        Some((document, id)) => object::wrap(call.vm, &document, id),
        None => Err(call.type_error(0, "is not a valid node type")),
    }
}
