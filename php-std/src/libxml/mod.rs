//! The extension `libxml`: what the XML extensions share towards scripts, above all their errors.

mod schema;

use vm_runtime::class::NativeClass;
use vm_runtime::diagnostics::level as severity;
use vm_runtime::exceptions::{KnownClass, set_slot};
use vm_runtime::function::Call;
use vm_runtime::message::Message;
use vm_runtime::object::new_object;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use crate::standard::files::{Request, Stream};
use crate::support::{define, define_one, functions, list};
use crate::xml::builder::parse_into;
use crate::xml::error::{XmlError, level};
use crate::xml::parser::options;
use crate::xml::tree::{Document, Kind};
use crate::xml::uri;

pub(crate) use schema::{IN_MEMORY, NoSchema, schema, schema_in_file};

functions! {
    "libxml_set_streams_context($context): void" => libxml_set_streams_context,
    "libxml_use_internal_errors(?bool $use_errors = null): bool" => libxml_use_internal_errors,
    "libxml_get_last_error(): LibXMLError|false" => libxml_get_last_error,
    "libxml_get_errors(): array" => libxml_get_errors,
    "libxml_clear_errors(): void" => libxml_clear_errors,
    "#[Deprecated(\"8.0\", \"as external entity loading is disabled by default\")] libxml_disable_entity_loader(bool $disable = true): bool" => libxml_disable_entity_loader,
    "libxml_set_external_entity_loader(?callable $resolver_function): bool" => libxml_set_external_entity_loader,
    "libxml_get_external_entity_loader(): ?callable" => libxml_get_external_entity_loader,
}

/// Empty elements are written with an end tag.
pub(crate) const NOEMPTYTAG: i64 = 4;
/// No XML declaration is written.
pub(crate) const NOXMLDECL: i64 = 2;

static CLASSES: &[&NativeClass] = &[&NativeClass::new("class LibXMLError").properties(&[
    "public int $level",
    "public int $code",
    "public int $column",
    "public string $message",
    "public string $file",
    "public int $line",
])];

/// What the extension keeps in a VM.
#[derive(Debug, Default)]
struct State {
    /// Errors are kept instead of shown.
    keeps_errors: bool,
    errors: Vec<XmlError>,
    last: Option<XmlError>,
    is_loader_disabled: bool,
    loader: Option<Value>,
    /// The context that documents are opened with.
    context: Option<Value>,
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
    define(
        vm,
        &[
            ("LIBXML_VERSION", 20914),
            ("LIBXML_NOENT", options::NOENT),
            ("LIBXML_DTDLOAD", options::DTDLOAD),
            ("LIBXML_DTDATTR", options::DTDATTR),
            ("LIBXML_DTDVALID", options::DTDVALID),
            ("LIBXML_NOERROR", options::NOERROR),
            ("LIBXML_NOWARNING", options::NOWARNING),
            ("LIBXML_NOBLANKS", options::NOBLANKS),
            ("LIBXML_XINCLUDE", options::XINCLUDE),
            ("LIBXML_NSCLEAN", options::NSCLEAN),
            ("LIBXML_NOCDATA", options::NOCDATA),
            ("LIBXML_NONET", options::NONET),
            ("LIBXML_PEDANTIC", options::PEDANTIC),
            ("LIBXML_COMPACT", options::COMPACT),
            ("LIBXML_NOXMLDECL", NOXMLDECL),
            ("LIBXML_PARSEHUGE", options::PARSEHUGE),
            ("LIBXML_BIGLINES", options::BIGLINES),
            ("LIBXML_NOEMPTYTAG", NOEMPTYTAG),
            ("LIBXML_SCHEMA_CREATE", 1),
            ("LIBXML_HTML_NOIMPLIED", 8192),
            ("LIBXML_HTML_NODEFDTD", 4),
            ("LIBXML_RECOVER", options::RECOVER),
            ("LIBXML_ERR_NONE", 0),
            ("LIBXML_ERR_WARNING", level::WARNING),
            ("LIBXML_ERR_ERROR", level::ERROR),
            ("LIBXML_ERR_FATAL", level::FATAL),
        ],
    );
    for (name, text) in [
        ("LIBXML_DOTTED_VERSION", "2.9.14"),
        ("LIBXML_LOADED_VERSION", "20914"),
    ] {
        let text: Value = vm.string(text).into();
        define_one(vm, name, text);
    }
}

fn state(vm: &mut Vm) -> &mut State {
    vm.extensions.state()
}

/// Keeps an error if the script wants that; true if it is to be shown.
pub(crate) fn is_shown(vm: &mut Vm, error: &XmlError, given: i64) -> bool {
    let hiding = if error.level == level::WARNING {
        options::NOWARNING
    } else {
        options::NOERROR
    };
    let is_hidden = given & hiding != 0;
    let state = state(vm);
    state.last = Some(error.clone());
    if !state.keeps_errors {
        return !is_hidden;
    }
    // What is kept is not shown: options that hide do not count.
    state.errors.push(error.clone());
    false
}

/// Shows errors, or keeps them if the script wants that.
pub(crate) fn report(vm: &mut Vm, errors: Vec<XmlError>, given: i64) -> PhpResult<()> {
    for error in errors {
        if !is_shown(vm, &error, given) {
            continue;
        }
        let place: &[u8] = if error.file.is_empty() {
            b"Entity"
        } else {
            &error.file
        };
        let mut message = error.message.clone();
        while message.last() == Some(&b'\n') {
            message.pop();
        }
        message.extend_from_slice(b" in ");
        message.extend_from_slice(place);
        message.extend_from_slice(format!(", line: {}", error.line).as_bytes());
        let level = match error.level {
            level::WARNING => severity::NOTICE,
            _ => severity::WARNING,
        };
        vm.raise_in_function(level, message);
        vm.check()?;
    }
    Ok(())
}

/// The most of a line that is shown with an error.
const CONTEXT: usize = 80;

/// As [`report`], but each error comes with its line and a mark below the place.
pub(crate) fn report_with_context(
    vm: &mut Vm,
    errors: Vec<XmlError>,
    given: i64,
    source: &[u8],
) -> PhpResult<()> {
    for error in errors {
        if !is_shown(vm, &error, given) {
            continue;
        }
        let is_namespace = (200..=205).contains(&error.code);
        let kind = match (is_namespace, error.level) {
            (true, level::WARNING) => "namespace warning",
            (true, _) => "namespace error",
            (false, level::WARNING) => "parser warning",
            (false, _) => "parser error",
        };
        let mut message = Vec::new();
        if !is_namespace {
            if error.file.is_empty() {
                message.extend_from_slice(format!("Entity: line {}: ", error.line).as_bytes());
            } else {
                message.extend_from_slice(&error.file);
                message.extend_from_slice(format!(":{}: ", error.line).as_bytes());
            }
        }
        message.extend_from_slice(kind.as_bytes());
        message.extend_from_slice(b" : ");
        message.extend_from_slice(error.message.strip_suffix(b"\n").unwrap_or(&error.message));
        let line = source
            .split(|&byte| byte == b'\n')
            .nth(error.line as usize - 1);
        let line = line.unwrap_or_default();
        let place = (error.column as usize - 1).min(line.len());
        let start = place.saturating_sub(CONTEXT);
        let shown = &line[start..line.len().min(start + CONTEXT)];
        let mut mark = vec![b' '; place - start];
        mark.push(b'^');
        for text in [message, shown.to_vec(), mark] {
            vm.raise_in_function(severity::WARNING, text);
            vm.check()?;
        }
    }
    Ok(())
}

/// Notes an error without a place in a document, or shows it as a warning of the function.
pub(crate) fn report_plain(vm: &mut Vm, code: i64, message: &str) -> PhpResult<()> {
    report_placeless(vm, level::ERROR, code, message)
}

/// As [`report_plain`], for an error that ends what was done.
pub(crate) fn report_fatal(vm: &mut Vm, code: i64, message: &str) -> PhpResult<()> {
    report_placeless(vm, level::FATAL, code, message)
}

fn report_placeless(vm: &mut Vm, level: i64, code: i64, message: &str) -> PhpResult<()> {
    let error = XmlError {
        level,
        code,
        line: 0,
        column: 0,
        message: format!("{message}\n").into_bytes(),
        file: Vec::new(),
    };
    state(vm).last = Some(error.clone());
    if state(vm).keeps_errors {
        state(vm).errors.push(error);
        return Ok(());
    }
    vm.function_warning(message);
    vm.check()
}

/// As [`report_plain`], for a text of another library: kept without a line feed.
pub(crate) fn report_line(vm: &mut Vm, message: &str) -> PhpResult<()> {
    if state(vm).keeps_errors {
        let error = XmlError {
            level: level::ERROR,
            code: 1,
            line: 0,
            column: 0,
            message: message.as_bytes().to_vec(),
            file: Vec::new(),
        };
        state(vm).last = Some(error.clone());
        state(vm).errors.push(error);
        return Ok(());
    }
    vm.function_warning(message);
    vm.check()
}

/// The path of a file as documents have it: absolute.
pub(crate) fn full_path(name: &[u8]) -> Vec<u8> {
    let name = name.strip_prefix(b"file://").unwrap_or(name);
    if memchr::memmem::find(name, b"://").is_some() {
        return name.to_vec();
    }
    let mut path = match name.starts_with(b"/") {
        true => Vec::new(),
        false => std::env::current_dir()
            .unwrap_or_default()
            .into_os_string()
            .into_encoded_bytes(),
    };
    if path == b"/" {
        path.clear();
    }
    for part in name.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => path.truncate(memchr::memrchr(b'/', &path).unwrap_or(0)),
            _ => {
                path.push(b'/');
                path.extend_from_slice(part);
            }
        }
    }
    path
}

/// The URI of a document that was read from a file.
pub(crate) fn document_uri(name: &[u8]) -> Vec<u8> {
    let path = full_path(name);
    if !path.starts_with(b"/") {
        return path;
    }
    [b"file://", uri::of_file(&path).as_slice()].concat()
}

/// The URI of something beside a document.
pub(crate) fn resolved(base: Option<&[u8]>, uri: &[u8]) -> Vec<u8> {
    if uri.starts_with(b"/") || memchr::memmem::find(uri, b":").is_some() {
        return uri.to_vec();
    }
    let base = base.unwrap_or_default();
    let folder = memchr::memrchr(b'/', base).map_or(0, |at| at + 1);
    [&base[..folder], uri].concat()
}

/// The contents of a file; nothing after a warning.
pub(crate) fn read_file(vm: &mut Vm, name: &[u8], given: i64) -> PhpResult<Option<Vec<u8>>> {
    if state(vm).loader.is_some() {
        return load_external(vm, None, name);
    }
    read_plain(vm, name, given)
}

/// True if the script loads external entities itself.
pub(crate) fn has_loader(vm: &mut Vm) -> bool {
    state(vm).loader.is_some()
}

/// The context that was set.
pub(crate) fn context(vm: &mut Vm) -> Option<Value> {
    state(vm).context.clone()
}

/// Opens a file, with the context that was set.
pub(crate) fn open(vm: &mut Vm, name: &[u8], mode: &[u8]) -> PhpResult<Option<Stream>> {
    let context = state(vm).context.clone();
    let function = crate::support::current_function(vm);
    let request = Request {
        name,
        mode,
        options: 0,
        context: context.as_ref(),
        function: &function,
    };
    crate::standard::files::open_request(vm, &request)
}

/// What a file has, opened with the context that was set.
fn contents_of(vm: &mut Vm, uri: &[u8]) -> PhpResult<Option<Vec<u8>>> {
    let name = &*uri::file_of(uri);
    if is_missing(name) {
        return Ok(None);
    }
    match state(vm).context.clone() {
        Some(context) => {
            let arguments = vec![vm.string(name).into(), false.into(), context];
            let read = crate::support::call_native(vm, "file_get_contents", arguments);
            read.map(|read| read.string().map(|text| text.to_vec()))
        }
        None => crate::standard::files::open(vm, name, b"rb")
            .map(|stream| stream.and_then(|mut stream| stream.read_all().ok())),
    }
}

/// True for a file that is not there, of which no stream tells: it is not even tried to open it.
pub(crate) fn is_missing(name: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let name = name.strip_prefix(b"file://").unwrap_or(name);
    memchr::memmem::find(name, b"://").is_none()
        && !name.starts_with(b"data:")
        && !std::path::Path::new(std::ffi::OsStr::from_bytes(name)).exists()
}

/// An external entity: what the loader of the script gives, or the file of that name. Nothing after
/// a warning.
pub(crate) fn load_external(
    vm: &mut Vm,
    public: Option<&[u8]>,
    system: &[u8],
) -> PhpResult<Option<Vec<u8>>> {
    let Some(loader) = state(vm).loader.clone() else {
        if state(vm).is_loader_disabled {
            return unreadable(vm, system, 0);
        }
        return read_plain(vm, system, 0);
    };
    let mut context = vm.new_array();
    for key in ["directory", "intSubName", "extSubURI", "extSubSystem"] {
        context.make_mut(vm).set_bytes(key.as_bytes(), Value::NULL);
    }
    let public_value = public.map_or(Value::NULL, |public| vm.string(public).into());
    let arguments = vec![public_value, vm.string(system).into(), context.into()];
    let answer = vm.call(&loader, arguments)?;
    match answer.view() {
        ValueKind::Resource(resource) => {
            if !matches!(resource.type_name, "stream" | "persistent stream") {
                let name = crate::support::callable_name(&loader);
                let name = String::from_utf8_lossy(&name).into_owned();
                let function = crate::support::current_function(vm);
                let message = format!(
                    "{function}(): The user entity loader callback \"{name}\" has returned a resource, but it is not a stream"
                );
                return Err(vm.throw_error(KnownClass::TypeError, message));
            }
            let read = crate::support::call_native(vm, "stream_get_contents", vec![answer])?;
            Ok(read.string().map(|text| text.to_vec()))
        }
        ValueKind::Null => {
            let message = match public {
                Some(public) => format!(
                    "Failed to load external entity \"{}\"",
                    String::from_utf8_lossy(public)
                ),
                None => {
                    "Failed to load external entity because the resolver function returned null"
                        .to_owned()
                }
            };
            vm.function_warning(message);
            vm.check()?;
            Ok(None)
        }
        _ => {
            let name = vm_runtime::operators::to_string(vm, &answer)?;
            read_plain(vm, &name, 0)
        }
    }
}

fn read_plain(vm: &mut Vm, name: &[u8], given: i64) -> PhpResult<Option<Vec<u8>>> {
    match contents_of(vm, name)? {
        Some(contents) => Ok(Some(contents)),
        None => unreadable(vm, name, given),
    }
}

/// Tells that a file cannot be read.
fn unreadable(vm: &mut Vm, name: &[u8], given: i64) -> PhpResult<Option<Vec<u8>>> {
    {
        let shown = vm_runtime::message::text(name);
        let error = XmlError {
            level: level::WARNING,
            code: 1549,
            line: 0,
            column: 0,
            message: format!("failed to load external entity \"{shown}\"\n")
                .message()
                .into_owned(),
            file: Vec::new(),
        };
        state(vm).last = Some(error.clone());
        if state(vm).keeps_errors {
            state(vm).errors.push(error);
        } else if given & options::NOWARNING == 0 {
            vm.function_warning(format!(
                "I/O warning : failed to load external entity \"{shown}\""
            ));
            vm.check()?;
        }
    }
    Ok(None)
}

/// Parses a document; external entities are loaded if they are to be replaced.
pub(crate) fn parse_document(
    vm: &mut Vm,
    bytes: &[u8],
    options: i64,
    file: &[u8],
) -> (Option<Document>, Vec<XmlError>) {
    let document = Document::new(Kind::Document);
    let mut load =
        |public: Option<&[u8]>, system: &[u8]| load_external(vm, public, system).ok().flatten();
    parse_into(document, bytes, options, file, None, Some(&mut load))
}

/// Shows what is wrong with a document that is well-formed, or keeps it if the script wants that.
pub(crate) fn report_validity(vm: &mut Vm, errors: Vec<XmlError>) -> PhpResult<()> {
    for error in errors {
        if is_shown(vm, &error, 0) {
            let message = String::from_utf8_lossy(&error.message)
                .trim_end()
                .to_owned();
            vm.function_warning(message);
            vm.check()?;
        }
    }
    Ok(())
}

fn libxml_set_streams_context(call: &mut Call<'_>) -> PhpResult<Value> {
    let given = call.value(0);
    if !matches!(given.view(), ValueKind::Resource(_)) {
        let kind = vm_runtime::operators::value_name(&given);
        return Err(call.type_error(0, &format!("must be of type resource, {kind} given")));
    }
    let context = crate::standard::files::context_argument(call, 0)?;
    let old = state(call.vm).context.replace(context);
    drop(old);
    Ok(Value::NULL)
}

fn libxml_use_internal_errors(call: &mut Call<'_>) -> PhpResult<Value> {
    let new = call.has(0).then(|| call.bool(0));
    let state = state(call.vm);
    let old = state.keeps_errors;
    if let Some(new) = new {
        state.keeps_errors = new;
        if !new {
            state.errors.clear();
        }
    }
    Ok(old.into())
}

/// An error as an object.
fn object(vm: &mut Vm, error: &XmlError) -> PhpResult<Value> {
    let Some(class) = vm.linked_class(b"libxmlerror") else {
        return Ok(Value::NULL);
    };
    let object = new_object(vm, class)?;
    let (message, file) = (vm.string(&error.message), vm.string(&error.file));
    let values: [Value; 6] = [
        error.level.into(),
        error.code.into(),
        i64::from(error.column).into(),
        message.into(),
        file.into(),
        i64::from(error.line).into(),
    ];
    for (index, value) in values.into_iter().enumerate() {
        set_slot(&object, index as u32, value);
    }
    Ok(object.into())
}

fn libxml_get_last_error(call: &mut Call<'_>) -> PhpResult<Value> {
    match state(call.vm).last.clone() {
        Some(error) => object(call.vm, &error),
        None => Ok(false.into()),
    }
}

fn libxml_get_errors(call: &mut Call<'_>) -> PhpResult<Value> {
    let errors = state(call.vm).errors.clone();
    let mut objects = Vec::with_capacity(errors.len());
    for error in &errors {
        objects.push(object(call.vm, error)?);
    }
    Ok(list(call.vm, objects))
}

fn libxml_clear_errors(call: &mut Call<'_>) -> PhpResult<Value> {
    let state = state(call.vm);
    state.errors.clear();
    state.last = None;
    Ok(Value::NULL)
}

fn libxml_disable_entity_loader(call: &mut Call<'_>) -> PhpResult<Value> {
    let new = call.bool(0);
    let old = std::mem::replace(&mut state(call.vm).is_loader_disabled, new);
    Ok(old.into())
}

fn libxml_set_external_entity_loader(call: &mut Call<'_>) -> PhpResult<Value> {
    let loader = call.has(0).then(|| call.value(0));
    let old = std::mem::replace(&mut state(call.vm).loader, loader);
    drop(old);
    Ok(true.into())
}

fn libxml_get_external_entity_loader(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(state(call.vm).loader.clone().unwrap_or_default())
}
