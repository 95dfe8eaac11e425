//! Schemas that documents are validated by, as a script names them.

use vm_runtime::vm::{PhpResult, Vm};

use crate::xml::schema::{Reader, Refusal, Schema};

/// What messages call a schema that is a string.
pub(crate) const IN_MEMORY: &[u8] = b"in_memory_buffer";

/// Why there is no schema. What is wrong with it was told.
pub(crate) enum NoSchema {
    Invalid,
    /// It has something that is not built.
    NotBuilt(String),
}

/// The schema in a file.
pub(crate) fn schema_in_file(vm: &mut Vm, name: &[u8]) -> PhpResult<Result<Schema, NoSchema>> {
    let name = super::full_path(name);
    match super::read_file(vm, &name, 0)? {
        Some(source) => schema(vm, &source, &name),
        None => {
            let shown = vm_runtime::message::text(&name);
            let message = format!("Failed to locate the main schema resource at '{shown}'.");
            super::report_plain(vm, 1757, &message)?;
            Ok(Err(NoSchema::Invalid))
        }
    }
}

/// The schema in a text that was read from `file`.
pub(crate) fn schema(
    vm: &mut Vm,
    source: &[u8],
    file: &[u8],
) -> PhpResult<Result<Schema, NoSchema>> {
    let is_file = file != IN_MEMORY;
    let shown_file: &[u8] = if is_file { file } else { b"" };
    let (parsed, errors) = super::parse_document(vm, source, 0, shown_file);
    super::report_with_context(vm, errors, 0, source)?;
    let Some(parsed) = parsed else {
        let shown = vm_runtime::message::text(file);
        let message = format!("Failed to parse the XML resource '{shown}'.");
        super::report_plain(vm, 3067, &message)?;
        return Ok(Err(NoSchema::Invalid));
    };
    let mut load = |address: &[u8]| {
        let source = super::read_file(vm, address, 0).ok()??;
        let (document, _) = super::parse_document(vm, &source, 0, address);
        Some((address.to_vec(), document?))
    };
    match Reader::read(parsed, file.to_vec(), &mut load) {
        Ok(schema) => Ok(Ok(schema)),
        Err(Refusal::NotBuilt(what)) => Ok(Err(NoSchema::NotBuilt(what))),
        Err(Refusal::Invalid(errors)) => {
            super::report_validity(vm, errors)?;
            Ok(Err(NoSchema::Invalid))
        }
    }
}
