//! Dom\XMLDocument: reading and writing XML.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::html_document::{file_name, forced_encoding, not_opened};
use super::new_document;
use crate::dom::document::write_file;
use crate::dom::object::{Problem, optional, this, throw, throw_text, wrap};
use crate::libxml;
use crate::standard::files::check_path;
use crate::xml::builder::parse_into;
use crate::xml::html5;
use crate::xml::parser::options;
use crate::xml::tree::{Document, Kind, NodeId, ROOT};
use crate::xml::well_formed::{self, Style};

pub(super) fn create_empty(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 1)?;
    let document = new_document(Kind::Document);
    let encoding = call.bytes(1);
    if encoding_rs::Encoding::for_label(encoding).is_none() {
        return Err(call.value_error(1, "is not a valid document encoding"));
    }
    {
        let mut tree = document.write();
        tree.version = Some(call.bytes(0).to_vec());
        tree.encoding = Some(encoding.to_vec());
    }
    wrap(call.vm, &document, ROOT)
}

fn check_options(call: &mut Call<'_>) -> PhpResult<i64> {
    let given = call.long(1);
    let allowed = options::RECOVER
        | options::NOENT
        | options::DTDLOAD
        | options::DTDATTR
        | options::DTDVALID
        | options::NOERROR
        | options::NOWARNING
        | options::NOBLANKS
        | options::XINCLUDE
        | options::NSCLEAN
        | options::NOCDATA
        | options::NONET
        | options::PEDANTIC
        | options::COMPACT
        | options::PARSEHUGE
        | options::BIGLINES;
    if given & !allowed != 0 {
        return Err(call.value_error(
            1,
            "contains invalid flags (allowed flags: LIBXML_RECOVER, LIBXML_NOENT, LIBXML_DTDLOAD, LIBXML_DTDATTR, LIBXML_DTDVALID, LIBXML_NOERROR, LIBXML_NOWARNING, LIBXML_NOBLANKS, LIBXML_XINCLUDE, LIBXML_NSCLEAN, LIBXML_NOCDATA, LIBXML_NONET, LIBXML_PEDANTIC, LIBXML_COMPACT, LIBXML_PARSEHUGE, LIBXML_BIGLINES)",
        ));
    }
    Ok(given)
}

fn parse(call: &mut Call<'_>, bytes: &[u8], file: &[u8]) -> PhpResult<Value> {
    let given = check_options(call)?;
    let forced = forced_encoding(call)?;
    let label = forced.map(|encoding| encoding.name().as_bytes());
    let document = new_document(Kind::Document);
    let vm = &mut *call.vm;
    let mut load = |public: Option<&[u8]>, system: &[u8]| {
        libxml::load_external(vm, public, system).ok().flatten()
    };
    let (document, errors) = parse_into(document, bytes, given, file, label, Some(&mut load));
    libxml::report(call.vm, errors, given)?;
    let Some(document) = document else {
        let text = "XML fragment is not well-formed";
        return Err(throw_text(call.vm, Problem::Syntax, text));
    };
    {
        let mut tree = document.write();
        let named = tree.encoding.take();
        let given = call.optional_bytes(2).map(<[u8]>::to_vec);
        tree.encoding = given.or(named).or_else(|| Some(b"UTF-8".to_vec()));
        tree.uri = Some(if file.is_empty() {
            let folder = std::env::current_dir().unwrap_or_default();
            format!("{}/", folder.display()).into_bytes()
        } else {
            libxml::document_uri(file)
        });
    }
    wrap(call.vm, &document, ROOT)
}

pub(super) fn create_from_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    if bytes.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    parse(call, bytes, b"")
}

pub(super) fn create_from_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = file_name(call)?;
    let given = check_options(call)?;
    forced_encoding(call)?;
    match libxml::read_file(call.vm, &libxml::full_path(name), given)? {
        Some(bytes) => parse(call, &bytes, name),
        None => Err(not_opened(call)),
    }
}

/// A document or a node of it as XML.
fn text(call: &mut Call<'_>, node: Option<(Document, NodeId)>, given: i64) -> PhpResult<Vec<u8>> {
    let (document, _) = this(call)?;
    let id = match node {
        Some((other, _)) if other != document => {
            return Err(throw(call.vm, Problem::WrongDocument));
        }
        Some((_, id)) => id,
        None => ROOT,
    };
    let tree = document.read();
    let style = Style {
        is_indented: tree.settings.format_output,
        keeps_end_tags: given & libxml::NOEMPTYTAG != 0,
        has_no_declaration: given & libxml::NOXMLDECL != 0,
        must_be_well_formed: false,
    };
    let text = well_formed::node(&tree, id, style).unwrap_or_default();
    // Nodes are given in UTF-8, documents in their encoding.
    Ok(if id == ROOT {
        html5::encoding::encode(text, tree.encoding.as_deref())
    } else {
        text
    })
}

pub(super) fn save_xml(call: &mut Call<'_>) -> PhpResult<Value> {
    let (node, given) = (optional(call, 0)?, call.long(1));
    let text = text(call, node, given)?;
    Ok(call.vm.string(text).into())
}

pub(super) fn save_xml_file(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let given = call.long(1);
    let text = text(call, None, given)?;
    write_file(call, &text)
}
