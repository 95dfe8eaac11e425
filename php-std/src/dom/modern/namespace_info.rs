//! Dom\NamespaceInfo: the namespaces in force at elements.

use vm_runtime::exceptions::set_slot;
use vm_runtime::function::Call;
use vm_runtime::object::new_object;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::dom::object::{this, wrap};
use crate::support::list;
use crate::xml::tree::{Document, Kind, NodeId, Text, Tree};

/// Prefix and namespace.
type InForce = Vec<(Option<Text>, Text)>;

/// What is in force at an element: what it and its ancestors declare, the outermost first.
fn in_force(tree: &Tree, id: NodeId) -> InForce {
    let mut path: Vec<NodeId> = std::iter::once(id).chain(tree.ancestors(id)).collect();
    path.reverse();
    let mut found = InForce::new();
    for id in path {
        for declaration in tree.declarations_of(id).iter() {
            found.retain(|known| known.0 != declaration.prefix);
            if !declaration.uri.is_empty() {
                found.push((declaration.prefix.clone(), declaration.uri.clone()));
            }
        }
    }
    found.retain(|known| known.0.as_deref() != Some(b"xml"));
    found
}

/// Adds an object for each namespace in force at an element.
fn add(vm: &mut Vm, document: &Document, id: NodeId, output: &mut Vec<Value>) -> PhpResult<()> {
    let found = in_force(&document.read(), id);
    let element = wrap(vm, document, id)?;
    for (prefix, uri) in found {
        let Some(class) = vm.linked_class(b"dom\\namespaceinfo") else {
            return Ok(());
        };
        let object = new_object(vm, class)?;
        let prefix = prefix.map_or(Value::NULL, |prefix| vm.string(prefix).into());
        let values = [prefix, vm.string(uri).into(), element.clone()];
        for (slot, value) in values.into_iter().enumerate() {
            set_slot(&object, slot as u32, value);
        }
        output.push(object.into());
    }
    Ok(())
}

pub(super) fn in_scope(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let mut output = Vec::new();
    add(call.vm, &document, id, &mut output)?;
    Ok(list(call.vm, output))
}

pub(super) fn descendant(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let mut output = Vec::new();
    add(call.vm, &document, id, &mut output)?;
    let below: Vec<NodeId> = {
        let tree = document.read();
        let is_element = |&id: &NodeId| tree[id].kind == Kind::Element;
        tree.descendants(id).filter(is_element).collect()
    };
    for id in below {
        add(call.vm, &document, id, &mut output)?;
    }
    Ok(list(call.vm, output))
}
