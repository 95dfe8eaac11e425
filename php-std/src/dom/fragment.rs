//! The methods of DOMDocumentFragment.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::object::{Problem, bind_alone, fail, this};
use crate::libxml;
use crate::xml::builder::Builder;
use crate::xml::parser::Parser;
use crate::xml::tree::{Kind, Node};

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    bind_alone(
        &crate::spl::this(call),
        Node::new(Kind::Fragment, b"#document-fragment"),
    );
    Ok(Value::NULL)
}

pub(super) fn append_xml(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    if document.read().is_nowhere {
        return fail(call.vm, &document, Problem::NoModification);
    }
    let (is_good, errors) = {
        let mut tree = document.write();
        let last = tree[id].last;
        if call.bytes(0).is_empty() {
            return Ok(false.into());
        }
        let doctype = tree.doctype().and_then(|found| tree[found].doctype.clone());
        let mut builder = Builder::new(&mut tree, id, 0);
        let outcome = Parser::parse_content(
            call.bytes(0),
            0,
            doctype.as_deref(),
            Vec::new(),
            &mut builder,
        );
        // Nodes that are no part of a file have no lines.
        let mut added = match last {
            Some(last) => tree[last].next,
            None => tree[id].first,
        };
        while let Some(child) = added {
            let below: Vec<_> = tree.descendants(child).chain([child]).collect();
            for node in below {
                tree[node].line = 0;
            }
            added = tree[child].next;
        }
        if !outcome.0 {
            // What was read before the error goes.
            while let Some(child) = tree[id].last.filter(|&child| Some(child) != last) {
                tree.detach(child);
            }
        }
        outcome
    };
    libxml::report(call.vm, errors, 0)?;
    Ok(is_good.into())
}
