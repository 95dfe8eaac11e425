//! XPath from an element.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::list::{Element, Which};
use super::make;
use crate::support::list;
use crate::xml::tree::{Document, Kind, NodeId};
use crate::xml::xpath::{self, Context, Host, Item, Problem};

/// The prefixes of an element; no functions besides XPath's own.
struct Prefixes {
    document: Document,
    node: NodeId,
    registered: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Host for Prefixes {
    fn namespace(&self, prefix: &[u8]) -> Option<Vec<u8>> {
        let own = self.registered.iter().find(|known| known.0 == prefix);
        if let Some((_, uri)) = own {
            return Some(uri.clone());
        }
        let tree = self.document.read();
        tree.find_namespace(self.node, Some(prefix))
            .map(|uri| uri.to_vec())
    }

    fn call(
        &mut self,
        _: &[u8],
        name: &[u8],
        _: Vec<xpath::Value>,
        _: xpath::Place<'_>,
    ) -> Result<xpath::Value, Problem> {
        Err(Problem::UnknownFunction(name.to_vec()))
    }
}

pub(super) fn register_namespace(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    super::element::node(call.vm, &object)?;
    let (prefix, uri) = (call.bytes(0).to_vec(), call.bytes(1).to_vec());
    if let Some(element) = object.native::<Element>() {
        element.prefixes.retain(|known| known.0 != prefix);
        element.prefixes.push((prefix, uri));
    }
    Ok(true.into())
}

pub(super) fn xpath(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    super::element::node(call.vm, &object)?;
    let Some((document, node)) = super::node(&object) else {
        return Ok(Value::NULL);
    };
    let (which, registered, namespace) = match object.native::<Element>() {
        Some(element) => (
            element.which.clone(),
            element.prefixes.clone(),
            element.namespace.clone(),
        ),
        None => return Ok(Value::NULL),
    };
    if matches!(which, Which::Attributes(None)) {
        return Ok(Value::NULL);
    }
    let mut prefixes = Prefixes {
        document: document.clone(),
        node,
        registered: registered.clone(),
    };
    let outcome = xpath::parse(call.bytes(0)).and_then(|expression| {
        let mut context = Context {
            document: &document,
            node: Item::Node(node),
            position: 0,
            size: 0,
            host: &mut prefixes,
            order: None,
        };
        xpath::evaluate(&expression, &mut context)
    });
    let nodes = match outcome {
        Ok(xpath::Value::Nodes(nodes)) => nodes,
        Ok(_) => Vec::new(),
        Err(problem) => {
            crate::dom::tell(call.vm, &problem)?;
            return Ok(false.into());
        }
    };
    let mut found = Vec::new();
    for item in nodes {
        let Item::Node(id) = item else {
            continue;
        };
        let (kind, parent) = {
            let tree = document.read();
            (tree[id].kind, tree[id].parent)
        };
        // A text stands for the element that it is in.
        let id = match kind {
            Kind::Text | Kind::CData => match parent {
                Some(parent) => parent,
                None => continue,
            },
            Kind::Element | Kind::Attribute | Kind::Comment | Kind::ProcessingInstruction => id,
            _ => continue,
        };
        let mut element = match (kind, parent) {
            // An attribute is a list of one.
            (Kind::Attribute, Some(parent)) => listed_attribute(&document, parent, id),
            _ => Element {
                namespace: namespace.clone(),
                ..Element::new(&document, id)
            },
        };
        element.prefixes = registered.clone();
        found.push(make(call.vm, object.class, element)?.into());
    }
    Ok(list(call.vm, found))
}

/// The list that has one attribute of an element alone.
fn listed_attribute(document: &Document, owner: NodeId, attribute: NodeId) -> Element {
    let tree = document.read();
    let node = &tree[attribute];
    Element {
        which: Which::Attributes(Some(node.name.to_vec())),
        namespace: (node.namespace.as_ref()).map(|uri| (uri.to_vec(), false)),
        ..Element::new(document, owner)
    }
}
