//! The methods of DOMDocument.

use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::namespaces::{declare_missing, prefix_in_document};
use super::object::{
    self, Problem, adopt, argument, fail, optional, this, throw, until_zero, wrap, wrap_optional,
};
use super::properties::set_text;
use crate::libxml;
use crate::xml::error::XmlError;
use crate::xml::html4;
use crate::xml::parser::{is_name, options};
use crate::xml::schema;
use crate::xml::serializer::{self, Style};
use crate::xml::tree::{
    Document, Kind, Node, NodeId, ROOT, XML_NAMESPACE, XMLNS_NAMESPACE, predefined,
};
use crate::xml::uri;
use crate::xml::validate::{CheckOrder, Declarations};

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let document = Document::new(Kind::Document);
    {
        let mut tree = document.write();
        tree.version = Some(call.bytes(0).to_vec());
        let encoding = call.bytes(1);
        tree.encoding = (!encoding.is_empty()).then(|| encoding.to_vec());
    }
    object::bind(&object, document, ROOT);
    Ok(Value::NULL)
}

/// Adds a node without a parent and gives its object.
fn give(call: &mut Call<'_>, document: &Document, node: Node) -> PhpResult<Value> {
    let id = document.write().add(node);
    wrap(call.vm, document, id)
}

fn text_node(kind: Kind, value: &[u8]) -> Node {
    let mut node = Node::new(kind, b"#text");
    node.value = until_zero(value).to_vec();
    node
}

pub(super) fn create_element(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let (name, value) = (call.bytes(0), call.bytes(1));
    if !is_name(name) {
        return fail(call.vm, &document, Problem::InvalidCharacter);
    }
    let id = document.write().add(Node::new(Kind::Element, name));
    append_content(call.vm, &document, id, value)?;
    wrap(call.vm, &document, id)
}

/// A part of a text in which entities may be.
enum Piece {
    Text(Vec<u8>),
    /// A reference to an entity that needs a declaration: its name.
    Reference(Vec<u8>),
}

/// The parts of a text, up to a reference that does not end: that is told of, and the text in front of it is lost.
fn pieces(vm: &mut Vm, value: &[u8]) -> PhpResult<Vec<Piece>> {
    let mut found = Vec::new();
    let mut text = Vec::new();
    let mut rest = until_zero(value);
    while let Some(at) = memchr::memchr(b'&', rest) {
        text.extend_from_slice(&rest[..at]);
        let behind = &rest[at + 1..];
        let Some(end) = memchr::memchr(b';', behind) else {
            let message = format!(
                "unterminated entity reference {:>15}",
                vm_runtime::message::text(behind)
            );
            return libxml::report_plain(vm, 1302, &message).map(|()| found);
        };
        let name = &behind[..end];
        let number = name.strip_prefix(b"#").and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            match digits.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok(),
                None => digits.parse().ok(),
            }
        });
        if let Some(character) = number.and_then(char::from_u32) {
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        } else if let Some(known) = predefined(name) {
            text.extend_from_slice(known);
        } else {
            if !text.is_empty() {
                found.push(Piece::Text(std::mem::take(&mut text)));
            }
            found.push(Piece::Reference(name.to_vec()));
        }
        rest = &behind[end + 1..];
    }
    text.extend_from_slice(rest);
    if !text.is_empty() {
        found.push(Piece::Text(text));
    }
    Ok(found)
}

/// Gives a new element its text, in which entities may be.
pub(crate) fn append_content(
    vm: &mut Vm,
    document: &Document,
    id: NodeId,
    value: &[u8],
) -> PhpResult<()> {
    let found = pieces(vm, value)?;
    append_pieces(document, id, found);
    Ok(())
}

fn append_pieces(document: &Document, id: NodeId, pieces: Vec<Piece>) {
    let mut tree = document.write();
    for piece in pieces {
        let node = match piece {
            Piece::Text(text) => tree.add_text(Kind::Text, &text),
            Piece::Reference(name) => tree.add(Node::new(Kind::EntityReference, &name)),
        };
        tree.append(id, node);
    }
}

/// Replaces what an element or attribute contains by a text in which entities may be.
pub(super) fn replace_content(
    vm: &mut Vm,
    document: &Document,
    id: NodeId,
    value: &[u8],
) -> PhpResult<()> {
    if document.read()[id].kind == Kind::Element {
        document.write().drop_children(id);
        if value.is_empty() {
            set_text(document, id, value);
            return Ok(());
        }
        return append_content(vm, document, id, value);
    }
    let found = pieces(vm, value)?;
    if let [] | [Piece::Text(_)] = &found[..] {
        let text = found.first().map_or(&b""[..], |piece| match piece {
            Piece::Text(text) | Piece::Reference(text) => text,
        });
        set_text(document, id, text);
        return Ok(());
    }
    set_text(document, id, b"");
    append_pieces(document, id, found);
    Ok(())
}

/// What a qualified name is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameOf {
    /// An element, or an attribute that an element gets.
    Part,
    /// An attribute that belongs to no element yet, for which more is asked.
    LoneAttribute,
}

/// Checks a qualified name for a namespace: prefix and local part.
pub(super) fn checked_name<'n>(
    name: &'n [u8],
    namespace: Option<&[u8]>,
    of: NameOf,
) -> Result<(Option<&'n [u8]>, &'n [u8]), Problem> {
    let namespace = namespace.unwrap_or_default();
    let is_split = memchr::memchr(b':', name).is_some_and(|at| at > 0);
    if name.is_empty() {
        return Err(Problem::Namespace);
    }
    if !is_split && namespace.is_empty() && of == NameOf::Part {
        return match is_name(name) {
            true => Ok((None, name)),
            false => Err(Problem::InvalidCharacter),
        };
    }
    let is_part = |part: &[u8]| is_name(part) && !part.contains(&b':');
    let (prefix, local) = match memchr::memchr(b':', name) {
        Some(at) => (Some(&name[..at]), &name[at + 1..]),
        None => (None, name),
    };
    let is_declaration =
        prefix == Some(b"xmlns") || of == NameOf::LoneAttribute && name == b"xmlns";
    let must_be_declaration =
        namespace == XMLNS_NAMESPACE && (prefix.is_some() || of == NameOf::LoneAttribute);
    let is_bad = !prefix.is_none_or(is_part)
        || !is_part(local)
        || prefix.is_some() && namespace.is_empty()
        || prefix == Some(b"xml") && namespace != XML_NAMESPACE
        || is_declaration && namespace != XMLNS_NAMESPACE
        || must_be_declaration && !is_declaration;
    match is_bad {
        true => Err(Problem::Namespace),
        false => Ok((prefix, local)),
    }
}

/// A new element of a namespace, which it declares.
pub(super) fn element_in(namespace: Option<&[u8]>, name: &[u8]) -> Result<Node, Problem> {
    let (prefix, local) = checked_name(name, namespace, NameOf::Part)?;
    let mut node = Node::new(Kind::Element, local);
    let namespace = namespace.filter(|uri| !uri.is_empty());
    node.prefix = prefix.map(Into::into);
    node.namespace = namespace.map(Into::into);
    if let Some(uri) = namespace
        && prefix != Some(b"xml")
    {
        node.declarations.push(crate::xml::tree::Declaration {
            prefix: prefix.map(Into::into),
            uri: uri.into(),
        });
    }
    Ok(node)
}

pub(super) fn create_element_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    match element_in(call.optional_bytes(0), call.bytes(1)) {
        Ok(node) => {
            let id = document.write().add(node);
            append_content(call.vm, &document, id, call.bytes(2))?;
            wrap(call.vm, &document, id)
        }
        Err(problem) => fail(call.vm, &document, problem),
    }
}

pub(super) fn create_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let (document, _) = this(call)?;
    let name = call.bytes(0);
    if !is_name(name) {
        return fail(call.vm, &document, Problem::InvalidCharacter);
    }
    give(call, &document, Node::new(Kind::Attribute, name))
}

pub(super) fn create_attribute_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let (namespace, name) = (call.optional_bytes(0), call.bytes(1));
    if document.read().document_element().is_none() {
        call.vm.function_warning("Document Missing Root Element");
        call.vm.check()?;
        return Ok(false.into());
    }
    let (prefix, local) = match checked_name(name, namespace, NameOf::LoneAttribute) {
        Ok(parts) => parts,
        Err(problem) => return fail(call.vm, &document, problem),
    };
    let mut node = Node::new(Kind::Attribute, local);
    if let Some(uri) = namespace.filter(|uri| !uri.is_empty()) {
        // The attribute that declares a default namespace has no prefix.
        if uri == XMLNS_NAMESPACE && prefix.is_none() {
            node.namespace = Some(uri.into());
            return give(call, &document, node);
        }
        node.prefix = prefix_in_document(&mut document.write(), prefix, uri);
        node.namespace = Some(uri.into());
    }
    give(call, &document, node)
}

pub(super) fn create_text_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    give(call, &document, text_node(Kind::Text, call.bytes(0)))
}

pub(super) fn create_comment(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    give(call, &document, text_node(Kind::Comment, call.bytes(0)))
}

pub(super) fn create_cdata_section(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    give(call, &document, text_node(Kind::CData, call.bytes(0)))
}

pub(super) fn create_document_fragment(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    give(
        call,
        &document,
        Node::new(Kind::Fragment, b"#document-fragment"),
    )
}

pub(super) fn create_entity_reference(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let name = call.bytes(0);
    if !is_name(name) {
        return fail(call.vm, &document, Problem::InvalidCharacter);
    }
    give(call, &document, Node::new(Kind::EntityReference, name))
}

pub(super) fn create_processing_instruction(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let (target, data) = (call.bytes(0), call.bytes(1));
    if !is_name(target) {
        return fail(call.vm, &document, Problem::InvalidCharacter);
    }
    let mut node = Node::new(Kind::ProcessingInstruction, target);
    node.value = until_zero(data).to_vec();
    node.is_bare = call.count() < 2;
    give(call, &document, node)
}

pub(super) fn get_element_by_id(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let found = document.read().element_by_id(call.bytes(0));
    wrap_optional(call.vm, &document, found)
}

pub(super) fn import_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let (source, id) = argument(call, 0)?;
    let deep = call.bool(1);
    let kind = source.read()[id].kind;
    if matches!(kind, Kind::Document | Kind::HtmlDocument) {
        call.vm
            .function_warning("Cannot import: Node Type Not Supported");
        return Ok(false.into());
    }
    // A node of the document itself is not copied.
    if source == document {
        return wrap(call.vm, &document, id);
    }
    let copy = {
        let tree = source.read();
        document.write().copy_apart(Some(&tree), id, deep)
    };
    let mut tree = document.write();
    if kind == Kind::Element && !tree.is_modern {
        declare_missing(&mut tree, copy);
    } else if kind == Kind::Attribute
        && !tree.is_modern
        && let Some(uri) = tree[copy].namespace.clone()
    {
        let wanted = tree[copy].prefix.clone();
        if let Some(prefix) = prefix_in_document(&mut tree, wanted.as_deref(), &uri) {
            tree[copy].prefix = Some(prefix);
        }
    }
    drop(tree);
    wrap(call.vm, &document, copy)
}

pub(super) fn adopt_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let (source, id) = argument(call, 0)?;
    if matches!(source.read()[id].kind, Kind::Document | Kind::HtmlDocument) {
        return fail(call.vm, &document, Problem::NotSupported);
    }
    source.write().detach(id);
    adopt(&source, id, &document);
    Ok(call.value(0))
}

/// What is set for parsing, together with the options of a call.
fn parse_options(document: &Document, given: i64) -> i64 {
    let settings = document.read().settings;
    let mut all = given;
    for (is_on, option) in [
        (settings.validate_on_parse, options::DTDVALID),
        (settings.resolve_externals, options::DTDATTR),
        (settings.substitute_entities, options::NOENT),
        (!settings.preserve_white_space, options::NOBLANKS),
        (settings.recover, options::RECOVER),
    ] {
        if is_on {
            all |= option;
        }
    }
    all
}

/// Parses text and makes the object stand for what came of it.
fn load_text(call: &mut Call<'_>, bytes: &[u8], file: &[u8]) -> PhpResult<Value> {
    let (old, _) = this(call)?;
    let given = call.long(1);
    let all = parse_options(&old, given);
    let (document, errors) = libxml::parse_document(call.vm, bytes, all, file);
    libxml::report(call.vm, errors, all)?;
    let Some(document) = document else {
        return Ok(false.into());
    };
    if all & options::DTDVALID != 0
        && let Some(mut errors) = invalid(call.vm, &document, file, CheckOrder::Ends)?
    {
        errors
            .iter_mut()
            .for_each(|error| error.file = file.to_vec());
        libxml::report(call.vm, errors, all)?;
    }
    let uri = if file.is_empty() {
        let folder = std::env::current_dir().unwrap_or_default();
        format!("{}/", folder.display()).into_bytes()
    } else {
        uri::of_file(&libxml::full_path(file))
    };
    take_over(call, document, Some(uri))
}

pub(super) fn load_xml(call: &mut Call<'_>) -> PhpResult<Value> {
    let source = call.bytes(0);
    if source.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    load_text(call, source, b"")
}

pub(super) fn load(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = file_name(call)?;
    // What the script itself loads has no file.
    let is_given = libxml::has_loader(call.vm);
    let full = libxml::full_path(name);
    match libxml::read_file(call.vm, &full, call.long(1))? {
        Some(bytes) => load_text(call, &bytes, if is_given { b"" } else { &full }),
        None => Ok(false.into()),
    }
}

/// Makes the object stand for a document that was read.
fn take_over(call: &mut Call<'_>, document: Document, uri: Option<Vec<u8>>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let (old, _) = this(call)?;
    {
        let mut tree = document.write();
        let source = old.read();
        tree.settings = source.settings;
        tree.classes = source.classes.clone();
        tree.uri = uri;
    }
    old.write().successor = Some(document.clone());
    object::bind(&object, document, ROOT);
    Ok(true.into())
}

fn load_html_text(call: &mut Call<'_>, bytes: &[u8], file: &[u8]) -> PhpResult<Value> {
    let given = call.long(1);
    let document = Document::new(Kind::HtmlDocument);
    let errors = html4::parse(&document, bytes, given, file);
    libxml::report(call.vm, errors, given)?;
    let uri = (!file.is_empty()).then(|| uri::of_file(&libxml::full_path(file)));
    take_over(call, document, uri)
}

pub(super) fn load_html(call: &mut Call<'_>) -> PhpResult<Value> {
    let source = call.bytes(0);
    if source.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    load_html_text(call, source, b"")
}

pub(super) fn load_html_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = file_name(call)?;
    match libxml::read_file(call.vm, name, call.long(1))? {
        Some(bytes) => load_html_text(call, &bytes, name),
        None => Ok(false.into()),
    }
}

/// Checks the name of a file that a document is read from.
fn file_name<'a>(call: &mut Call<'a>) -> PhpResult<&'a [u8]> {
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if name.contains(&0) {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    Ok(name)
}

/// What this version does not do is an error, not a wrong answer.
fn not_built(call: &mut Call<'_>, what: &str) -> PhpResult<Value> {
    if call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let name = crate::support::current_function(call.vm);
    let message = format!("{name}(): {what} is not supported by this engine yet");
    Err(call.vm.throw_error(KnownClass::Error, message))
}

pub(super) fn schema_validate(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = file_name(call)?;
    if name.len() > libc::PATH_MAX as usize {
        call.vm.function_warning("Invalid Schema file source");
        return Ok(false.into());
    }
    let schema = libxml::schema_in_file(call.vm, name)?;
    by_schema(call, schema)
}

pub(super) fn schema_validate_source(call: &mut Call<'_>) -> PhpResult<Value> {
    let source = call.bytes(0);
    if source.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let schema = libxml::schema(call.vm, source, libxml::IN_MEMORY)?;
    by_schema(call, schema)
}

/// `LIBXML_SCHEMA_CREATE`: attributes that a schema gives by default are added.
const SCHEMA_CREATE: i64 = 1;

/// Validates the document by a schema.
fn by_schema(
    call: &mut Call<'_>,
    schema: Result<schema::Schema, libxml::NoSchema>,
) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let schema = match schema {
        Ok(schema) => schema,
        Err(libxml::NoSchema::NotBuilt(what)) => return not_built(call, &what),
        Err(libxml::NoSchema::Invalid) => {
            call.vm.function_warning("Invalid Schema");
            return Ok(false.into());
        }
    };
    call.vm.check()?;
    let (errors, added) = schema::check(&schema, &document.read());
    if call.long(1) & SCHEMA_CREATE != 0 {
        let mut tree = document.write();
        for given in added {
            let mut node = Node::new(Kind::Attribute, &given.name);
            node.namespace = given.namespace.as_deref().map(Into::into);
            node.value = given.value;
            let id = tree.add(node);
            tree.add_attribute(given.element, id);
        }
    }
    let is_valid = errors.is_empty();
    libxml::report_validity(call.vm, errors)?;
    Ok(is_valid.into())
}

pub(super) fn relax_ng_validate(call: &mut Call<'_>) -> PhpResult<Value> {
    not_built(call, "validation by RelaxNG")
}

pub(super) fn relax_ng_validate_source(call: &mut Call<'_>) -> PhpResult<Value> {
    not_built(call, "validation by RelaxNG")
}

pub(super) fn validate(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    if document.read().doctype().is_none() {
        call.vm.function_warning("no DTD found!");
        return Ok(false.into());
    }
    let base = document.read().uri.clone();
    let base = base.unwrap_or_default();
    let Some(errors) = invalid(call.vm, &document, &base, CheckOrder::Starts)? else {
        return Ok(false.into());
    };
    let is_valid = errors.is_empty();
    libxml::report_validity(call.vm, errors)?;
    Ok(is_valid.into())
}

/// What is not as the document type wants it, in a document read from `base`; none, after a warning, if
/// that cannot be told.
fn invalid(
    vm: &mut Vm,
    document: &Document,
    base: &[u8],
    order: CheckOrder,
) -> PhpResult<Option<Vec<XmlError>>> {
    let found = {
        let tree = document.read();
        tree.doctype().and_then(|id| tree[id].doctype.clone())
    };
    let Some(doctype) = found else {
        return Ok(None);
    };
    let mut declarations = Declarations::default();
    declarations.read(doctype.subset.as_deref().unwrap_or_default());
    if let Some(system) = &doctype.system {
        let base = (!base.is_empty()).then_some(base);
        let uri = libxml::resolved(base, system);
        match libxml::load_external(vm, doctype.public.as_deref(), &uri)? {
            Some(text) => declarations.read(&text),
            None => {
                let system = vm_runtime::message::text(system).into_owned();
                let message = format!("Could not load the external subset \"{system}\"");
                libxml::report_plain(vm, 517, &message)?;
                return Ok(None);
            }
        }
    }
    let errors = declarations.check(&document.read(), order);
    Ok(Some(errors))
}

pub(super) fn normalize_document(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    super::node::normalize_below(&document, ROOT);
    Ok(Value::NULL)
}

pub(super) fn register_node_class(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let root = if document.read().is_modern {
        "Dom\\Node"
    } else {
        "DOMNode"
    };
    let derived = |from: &str| format!("must be a class name derived from {from}");
    let base = call.string(0);
    let found = call.vm.class_by_name(&base, true)?;
    let node = call.vm.linked_class(root.to_ascii_lowercase().as_bytes());
    // SAFETY: I4: classes live until the VM ends.
    let is_fitting =
        |&base: &*mut Class| node.is_some_and(|node| unsafe { (*base).is_subclass_of(node) });
    let Some(base) = found.filter(is_fitting) else {
        let given = match found {
            // SAFETY: as above.
            Some(base) => unsafe { (*base).display_name().to_string() },
            None => base.to_text().into_owned(),
        };
        return Err(call.type_error(0, &format!("{}, {given} given", derived(root))));
    };
    // SAFETY: as above.
    let base_name = unsafe { (*base).display_name() };
    let own = match call.optional_string(1) {
        Some(name) => {
            let found = call.vm.class_by_name(&name, true)?;
            // SAFETY: as above.
            let is_derived = |&own: &*mut Class| unsafe { (*own).is_subclass_of(base) };
            let Some(own) = found.filter(is_derived) else {
                let given = name.to_text();
                let problem = match found {
                    None => format!("must be a valid class name or null, {given} given"),
                    Some(_) => {
                        format!("{} or null, {given} given", derived(&base_name.to_string()))
                    }
                };
                return Err(call.type_error(1, &problem));
            };
            // SAFETY: as above.
            if unsafe { (*own).flags } & vm_runtime::function::class_flags::ABSTRACT != 0 {
                return Err(call.value_error(1, "must not be an abstract class"));
            }
            Some(own)
        }
        None => None,
    };
    let mut tree = document.write();
    tree.classes.retain(|(known, _)| *known != base_name);
    if let Some(own) = own {
        tree.classes.push((base_name, own));
    }
    Ok(true.into())
}

fn style(document: &Document, given: i64) -> Style {
    Style {
        is_indented: document.read().settings.format_output,
        keeps_end_tags: given & libxml::NOEMPTYTAG != 0,
        has_no_declaration: given & libxml::NOXMLDECL != 0,
        is_ascii: false,
    }
}

pub(super) fn save_xml(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let style = style(&document, call.long(1));
    let text = match optional(call, 0)? {
        Some((other, _)) if other != document => {
            return fail(call.vm, &document, Problem::WrongDocument);
        }
        Some((_, ROOT)) => {
            // Asked for as a node, the document has an encoding.
            let old = document.read().encoding.clone();
            if old.is_none() {
                document.write().encoding = Some(b"UTF-8".to_vec());
            }
            let text = serializer::document(&document.read(), style);
            document.write().encoding = old;
            text
        }
        Some((_, id)) => serializer::node(&document.read(), id, style),
        None => serializer::document(&document.read(), style),
    };
    Ok(call.vm.string(text).into())
}

/// Writes text to a file; its length, or `false`.
pub(super) fn write_file(call: &mut Call<'_>, text: &[u8]) -> PhpResult<Value> {
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let Some(mut stream) = libxml::open(call.vm, &uri::file_of(name), b"wb")? else {
        return Ok(false.into());
    };
    Ok(match stream.write(call.vm, text) {
        Ok(_) => text.len().into(),
        Err(_) => false.into(),
    })
}

pub(super) fn save(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let (document, _) = this(call)?;
    let style = style(&document, call.long(1));
    let text = serializer::document(&document.read(), style);
    write_file(call, &text)
}

pub(super) fn save_html(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let text = match optional(call, 0)? {
        Some((other, _)) if other != document => {
            return fail(call.vm, &document, Problem::WrongDocument);
        }
        Some((_, id)) => html4::serialize::node(&document.read(), id),
        None => html4::serialize::document(&document.read()),
    };
    Ok(call.vm.string(text).into())
}

pub(super) fn save_html_file(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let (document, _) = this(call)?;
    html4::serialize::set_meta_encoding(&mut document.write());
    let text = html4::serialize::document(&document.read());
    write_file(call, &text)
}

/// Throws for a name that is not one.
pub(super) fn require_name(vm: &mut Vm, name: &[u8]) -> PhpResult<()> {
    if is_name(name) {
        return Ok(());
    }
    Err(throw(vm, Problem::InvalidCharacter))
}
