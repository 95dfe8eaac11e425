//! Dom\HTMLDocument: reading and writing HTML.

use vm_runtime::diagnostics::level as severity;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::new_document;
use crate::dom::document::write_file;
use crate::dom::object::{Problem, optional, this, throw, wrap};
use crate::libxml;
use crate::standard::files::check_path;
use crate::xml::html5::{self, NO_DEFAULT_NAMESPACE, NO_IMPLIED, Request};
use crate::xml::parser::options;
use crate::xml::tree::{Kind, ROOT};

pub(super) fn create_empty(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let document = new_document(Kind::HtmlDocument);
    match encoding_rs::Encoding::for_label(call.bytes(0)) {
        Some(encoding) => document.write().encoding = Some(encoding.name().as_bytes().to_vec()),
        None => return Err(call.value_error(0, "must be a valid document encoding")),
    }
    document.write().standalone = Some(true);
    wrap(call.vm, &document, ROOT)
}

/// The encoding of the third argument.
pub(super) fn forced_encoding(
    call: &mut Call<'_>,
) -> PhpResult<Option<&'static encoding_rs::Encoding>> {
    let Some(label) = call.optional_bytes(2) else {
        return Ok(None);
    };
    check_path(call, 2)?;
    match encoding_rs::Encoding::for_label(label) {
        Some(encoding) => Ok(Some(encoding)),
        None => Err(call.value_error(2, "must be a valid document encoding")),
    }
}

fn check_options(call: &mut Call<'_>) -> PhpResult<i64> {
    let given = call.long(1);
    let allowed = options::NOERROR | options::COMPACT | NO_IMPLIED | NO_DEFAULT_NAMESPACE;
    if given & !allowed != 0 {
        return Err(call.value_error(
            1,
            "contains invalid flags (allowed flags: LIBXML_NOERROR, LIBXML_COMPACT, LIBXML_HTML_NOIMPLIED, Dom\\HTML_NO_DEFAULT_NS)",
        ));
    }
    Ok(given)
}

fn parse(call: &mut Call<'_>, bytes: &[u8], file: &[u8]) -> PhpResult<Value> {
    let given = check_options(call)?;
    let forced = forced_encoding(call)?;
    let (text, encoding) = html5::encoding::decode(bytes, forced);
    let document = new_document(Kind::HtmlDocument);
    let request = Request {
        options: given,
        file,
        tells_errors: given & options::NOERROR == 0,
    };
    let errors = html5::parse(&document, &text, request);
    {
        let mut tree = document.write();
        tree.encoding = Some(encoding.name().as_bytes().to_vec());
        tree.standalone = Some(true);
        if !file.is_empty() {
            tree.uri = Some(libxml::document_uri(file));
        }
    }
    for error in errors {
        if libxml::is_shown(call.vm, &error, given) {
            call.vm.raise_in_function(severity::WARNING, error.message);
            call.vm.check()?;
        }
    }
    wrap(call.vm, &document, ROOT)
}

pub(super) fn create_from_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    parse(call, bytes, b"")
}

/// Checks the name of a file that a document is read from.
pub(super) fn file_name<'a>(call: &mut Call<'a>) -> PhpResult<&'a [u8]> {
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if name.contains(&0) {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    if memchr::memmem::find(name, b"%00").is_some() {
        return Err(call.value_error(0, "must not contain percent-encoded NUL bytes"));
    }
    Ok(name)
}

pub(super) fn create_from_file(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.bytes(0).is_empty() {
        let message = "Path must not be empty";
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    let name = file_name(call)?;
    check_options(call)?;
    forced_encoding(call)?;
    let stream = crate::libxml::open(call.vm, name, b"rb")?;
    let bytes = match stream {
        Some(mut stream) => stream.read_all().ok(),
        None => None,
    };
    call.vm.check()?;
    match bytes {
        Some(bytes) => parse(call, &bytes, name),
        None => Err(not_opened(call)),
    }
}

/// Throws for a file that cannot be read.
pub(super) fn not_opened(call: &mut Call<'_>) -> vm_runtime::vm::Thrown {
    let name = vm_runtime::message::text(call.bytes(0)).into_owned();
    let message = format!("Cannot open file '{name}'");
    call.vm.throw_error(KnownClass::Exception, message)
}

/// The document, or a node of it, as HTML in the document's encoding.
fn text(call: &mut Call<'_>, with_node: bool) -> PhpResult<Vec<u8>> {
    let (document, _) = this(call)?;
    let node = if with_node { optional(call, 0)? } else { None };
    let id = match node {
        Some((other, _)) if other != document => {
            return Err(throw(call.vm, Problem::WrongDocument));
        }
        Some((_, id)) => id,
        None => ROOT,
    };
    let tree = document.read();
    let text = html5::serialize::node(&tree, id);
    Ok(html5::encoding::encode(text, tree.encoding.as_deref()))
}

pub(super) fn save_html(call: &mut Call<'_>) -> PhpResult<Value> {
    let text = text(call, true)?;
    Ok(call.vm.string(text).into())
}

pub(super) fn save_html_file(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let text = text(call, false)?;
    write_file(call, &text)
}
