//! Texts, comments, CDATA sections and processing instructions.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::document::require_name;
use super::object::{Problem, bind_alone, fail, this, until_zero, wrap};
use crate::xml::tree::{Document, Kind, Node, NodeId};

/// Makes the object stand for a new node.
fn make(call: &mut Call<'_>, kind: Kind, value: &[u8]) -> PhpResult<Value> {
    let mut node = Node::new(kind, b"#text");
    node.value = until_zero(value).to_vec();
    bind_alone(&crate::spl::this(call), node);
    Ok(Value::NULL)
}

pub(super) fn construct_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.bytes(0);
    make(call, Kind::Text, value)
}

pub(super) fn construct_comment(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut node = Node::new(Kind::Comment, b"#comment");
    node.value = until_zero(call.bytes(0)).to_vec();
    node.is_bare = call.count() == 0;
    bind_alone(&crate::spl::this(call), node);
    Ok(Value::NULL)
}

pub(super) fn construct_cdata_section(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.bytes(0);
    make(call, Kind::CData, value)
}

pub(super) fn construct_processing_instruction(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, value) = (call.bytes(0), call.bytes(1));
    require_name(call.vm, name)?;
    let mut node = Node::new(Kind::ProcessingInstruction, name);
    node.is_bare = call.count() < 2;
    node.value = until_zero(value).to_vec();
    bind_alone(&crate::spl::this(call), node);
    Ok(Value::NULL)
}

/// The characters of a node.
fn characters(document: &Document, id: NodeId) -> Vec<char> {
    String::from_utf8_lossy(&document.read()[id].value)
        .chars()
        .collect()
}

/// A place and a number of characters of 32 bits; the modern classes count without sign.
fn range(document: &Document, offset: i64, count: i64) -> Option<(usize, usize)> {
    let most = i64::from(i32::MAX);
    if offset > most || count > most {
        return None;
    }
    if document.read().is_modern {
        return Some((offset as u32 as usize, count as u32 as usize));
    }
    Some((usize::try_from(offset).ok()?, usize::try_from(count).ok()?))
}

/// What changes give: only the old classes say that they were made.
fn done(document: &Document) -> Value {
    match document.read().is_modern {
        true => Value::NULL,
        false => true.into(),
    }
}

/// Replaces `count` characters from `offset` on. An error is an offset outside of the text.
fn replace(call: &mut Call<'_>, offset: i64, count: i64, with: &[u8]) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let text = characters(&document, id);
    let Some((offset, count)) = range(&document, offset, count) else {
        return fail(call.vm, &document, Problem::IndexSize);
    };
    if offset > text.len() {
        return fail(call.vm, &document, Problem::IndexSize);
    }
    let end = offset.saturating_add(count).min(text.len());
    let mut value = text[..offset].iter().collect::<String>().into_bytes();
    value.extend_from_slice(with);
    value.extend(text[end..].iter().collect::<String>().into_bytes());
    document.write()[id].value = value;
    Ok(done(&document))
}

/// As [`replace`], where numbers below 32 bits are no places either.
fn replace_part(call: &mut Call<'_>, offset: i64, count: i64, with: &[u8]) -> PhpResult<Value> {
    let least = i64::from(i32::MIN);
    if offset < least || count < least {
        let (document, _) = this(call)?;
        return fail(call.vm, &document, Problem::IndexSize);
    }
    replace(call, offset, count, with)
}

pub(super) fn append_data(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    document.write()[id].value.extend_from_slice(call.bytes(0));
    Ok(done(&document))
}

pub(super) fn insert_data(call: &mut Call<'_>) -> PhpResult<Value> {
    let (offset, data) = (call.long(0), call.bytes(1));
    replace(call, offset, 0, data)
}

pub(super) fn delete_data(call: &mut Call<'_>) -> PhpResult<Value> {
    let (offset, count) = (call.long(0), call.long(1));
    replace_part(call, offset, count, b"")
}

pub(super) fn replace_data(call: &mut Call<'_>) -> PhpResult<Value> {
    let (offset, count, data) = (call.long(0), call.long(1), call.bytes(2));
    replace_part(call, offset, count, data)
}

pub(super) fn substring_data(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let text = characters(&document, id);
    let Some((offset, count)) = range(&document, call.long(0), call.long(1)) else {
        return fail(call.vm, &document, Problem::IndexSize);
    };
    if offset > text.len() {
        return fail(call.vm, &document, Problem::IndexSize);
    }
    let part: String = text[offset..].iter().take(count).collect();
    Ok(call.vm.string(part).into())
}

pub(super) fn is_whitespace_in_element_content(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    Ok(document.read()[id].is_blank().into())
}

pub(super) fn is_element_content_whitespace(call: &mut Call<'_>) -> PhpResult<Value> {
    is_whitespace_in_element_content(call)
}

pub(super) fn split_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let Ok(offset) = usize::try_from(call.long(0)) else {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    };
    let text = characters(&document, id);
    if offset > text.len() {
        let is_modern = document.read().is_modern;
        return match is_modern {
            true => fail(call.vm, &document, Problem::IndexSize),
            false => Ok(false.into()),
        };
    }
    let (first, second): (String, String) = (
        text[..offset].iter().collect(),
        text[offset..].iter().collect(),
    );
    let new = {
        let mut tree = document.write();
        let kind = tree[id].kind;
        tree[id].value = first.into_bytes();
        let new = tree.add_text(kind, second.as_bytes());
        if let Some(parent) = tree[id].parent {
            let next = tree[id].next;
            tree.insert(parent, new, next);
        }
        new
    };
    wrap(call.vm, &document, new)
}
