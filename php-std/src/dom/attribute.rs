//! The methods of DOMAttr.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::document::require_name;
use super::object::{bind_alone, this};
use crate::xml::tree::{Kind, Node};

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, value) = (call.bytes(0), call.bytes(1));
    require_name(call.vm, name)?;
    let mut node = Node::new(Kind::Attribute, name);
    node.value = value.to_vec();
    bind_alone(&crate::spl::this(call), node);
    Ok(Value::NULL)
}

pub(super) fn is_id(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    Ok(document.read()[id].is_id.into())
}
