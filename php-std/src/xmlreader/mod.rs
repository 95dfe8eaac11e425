//! The extension `xmlreader`: a document node by node. It is parsed as a whole when it is opened,
//! and walked over afterwards.

mod walk;

use std::any::Any;

use vm_runtime::class::{Class, NativeClass, NativeHandlers, PropertyHandlers, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, Function, NativeDefinition, class_flags};
use vm_runtime::object::read::Question;
use vm_runtime::object::{Access, NativeData, PhpObject};
use vm_runtime::operators::to_bool;
use vm_runtime::string::PhpString;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use self::walk::{Place, Validation, Walk};
use crate::libxml;
use crate::standard::files::check_path;
use crate::support::text;
use crate::xml::parser::options;
use crate::xml::serializer::{self, Style};
use crate::xml::tree::{Declaration, Kind, NodeId, ROOT, Tree};
use crate::xml::uri;

/// The native part.
#[derive(Default)]
struct Reader(Option<Walk>);

impl NativeData for Reader {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Types of nodes that are not those of the tree.
const SIGNIFICANT_WHITESPACE: i64 = 14;
const END_ELEMENT: i64 = 15;

static CLASSES: &[&NativeClass] = &[&NativeClass::new("class XMLReader")
    .flags(class_flags::NOT_CLONEABLE)
    .create_native(|_, _| Some(Box::<Reader>::default()))
    .handlers(&HANDLERS)
    .constants(&[
        "int NONE = 0",
        "int ELEMENT = 1",
        "int ATTRIBUTE = 2",
        "int TEXT = 3",
        "int CDATA = 4",
        "int ENTITY_REF = 5",
        "int ENTITY = 6",
        "int PI = 7",
        "int COMMENT = 8",
        "int DOC = 9",
        "int DOC_TYPE = 10",
        "int DOC_FRAGMENT = 11",
        "int NOTATION = 12",
        "int WHITESPACE = 13",
        "int SIGNIFICANT_WHITESPACE = 14",
        "int END_ELEMENT = 15",
        "int END_ENTITY = 16",
        "int XML_DECLARATION = 17",
        "int LOADDTD = 1",
        "int DEFAULTATTRS = 2",
        "int VALIDATE = 3",
        "int SUBST_ENTITIES = 4",
    ])
    .properties(&[
        "virtual public int $attributeCount",
        "virtual public string $baseURI",
        "virtual public int $depth",
        "virtual public bool $hasAttributes",
        "virtual public bool $hasValue",
        "virtual public bool $isDefault",
        "virtual public bool $isEmptyElement",
        "virtual public string $localName",
        "virtual public string $name",
        "virtual public string $namespaceURI",
        "virtual public int $nodeType",
        "virtual public string $prefix",
        "virtual public string $value",
        "virtual public string $xmlLang",
    ])
    .methods(&[
        method("tentative public function close(): true", |call| {
            reader(&crate::spl::this(call)).0 = None;
            Ok(true.into())
        }),
        method(
            "tentative public function getAttribute(string $name): ?string",
            |call| {
                require(call, &[0])?;
                let name = call.bytes(0);
                attribute_value(call, |tree, id| walk::place_of(tree, id, name))
            },
        ),
        method(
            "tentative public function getAttributeNo(int $index): ?string",
            |call| {
                let place = attribute_number(call);
                attribute_value(call, |_, _| Some(place))
            },
        ),
        method(
            "tentative public function getAttributeNs(string $name, string $namespace): ?string",
            |call| {
                require(call, &[0, 1])?;
                let (name, namespace) = (call.bytes(0), call.bytes(1));
                attribute_value(call, |tree, id| walk::place_in(tree, id, namespace, name))
            },
        ),
        method(
            "tentative public function getParserProperty(int $property): bool",
            get_parser_property,
        ),
        method("tentative public function isValid(): bool", |call| {
            let object = crate::spl::this(call);
            let walk = reader(&object).0.as_ref();
            if let Some(validation) = walk.and_then(|walk| walk.validation.as_ref()) {
                return Ok(validation.is_valid.into());
            }
            if walk.is_some_and(|walk| walk.options & options::DTDVALID != 0) {
                return not_built(call, "validation by a document type");
            }
            Ok(false.into())
        }),
        method(
            "tentative public function lookupNamespace(string $prefix): ?string",
            |call| {
                let prefix = call.bytes(0);
                if prefix.is_empty() {
                    return Err(call.value_error(0, "must not be empty"));
                }
                let object = crate::spl::this(call);
                let found = reader(&object).0.as_ref().and_then(|walk| {
                    walk.document
                        .read()
                        .find_namespace(walk.element()?, Some(prefix))
                });
                Ok(found.map_or(Value::NULL, |uri| call.vm.string(uri).into()))
            },
        ),
        method(
            "tentative public function moveToAttribute(string $name): bool",
            |call| {
                require(call, &[0])?;
                let name = call.bytes(0);
                move_to(call, |tree, id, _| walk::place_of(tree, id, name))
            },
        ),
        method(
            "tentative public function moveToAttributeNo(int $index): bool",
            |call| {
                let place = attribute_number(call);
                // Without such an attribute it goes back to the element.
                if let Some(walk) = reader(&crate::spl::this(call)).0.as_mut() {
                    walk.attribute = None;
                }
                move_to(call, |_, _, _| Some(place))
            },
        ),
        method(
            "tentative public function moveToAttributeNs(string $name, string $namespace): bool",
            |call| {
                require(call, &[0, 1])?;
                let (name, namespace) = (call.bytes(0), call.bytes(1));
                move_to(call, |tree, id, _| walk::place_in(tree, id, namespace, name))
            },
        ),
        method("tentative public function moveToElement(): bool", |call| {
            let object = crate::spl::this(call);
            let was_there = reader(&object)
                .0
                .as_mut()
                .and_then(|walk| walk.attribute.take());
            Ok(was_there.is_some().into())
        }),
        method(
            "tentative public function moveToFirstAttribute(): bool",
            |call| {
                move_to(call, |_, _, _| Some(0))
            },
        ),
        method(
            "tentative public function moveToNextAttribute(): bool",
            |call| {
                move_to(call, |_, _, now| Some(now.map_or(0, |now| now + 1)))
            },
        ),
        method("tentative public function read(): bool", read),
        method(
            "tentative public function next(?string $name = null): bool",
            next,
        ),
        method(
            "public static function open(path $uri, ?string $encoding = null, int $flags = 0)",
            |call| {
                let class = reader_class(call.vm);
                made(call, class, false, open)
            },
        ),
        method(
            "public static function fromUri(path $uri, ?string $encoding = null, int $flags = 0): static",
            |call| {
                let class = crate::support::called_class(call);
                made(call, class, true, open)
            },
        ),
        method(
            "public static function fromStream(resource $stream, ?string $encoding = null, int $flags = 0, ?string $documentUri = null): static",
            |call| {
                let class = crate::support::called_class(call);
                made(call, class, true, from_stream)
            },
        ),
        method("tentative public function readInnerXml(): string", |call| {
            serialized(call, |tree, id| {
                tree.children(id)
                    .flat_map(|child| written_apart(tree, child))
                    .collect()
            })
        }),
        method("tentative public function readOuterXml(): string", |call| {
            serialized(call, written_apart)
        }),
        method("tentative public function readString(): string", |call| {
            serialized(call, text_read)
        }),
        method(
            "tentative public function setSchema(?string $filename): bool",
            set_schema,
        ),
        method(
            "tentative public function setParserProperty(int $property, bool $value): bool",
            set_parser_property,
        ),
        method(
            "tentative public function setRelaxNGSchema(?string $filename): bool",
            |call| match call.optional_bytes(0) {
                Some([]) => Err(call.value_error(0, "must not be empty")),
                _ => not_built(call, "validation by RelaxNG"),
            },
        ),
        method(
            "tentative public function setRelaxNGSchemaSource(?string $source): bool",
            |call| match call.optional_bytes(0) {
                Some([]) => Err(call.value_error(0, "must not be empty")),
                _ => not_built(call, "validation by RelaxNG"),
            },
        ),
        method(
            "public static function XML(string $source, ?path $encoding = null, int $flags = 0)",
            |call| {
                let class = reader_class(call.vm);
                made(call, class, false, from_text)
            },
        ),
        method(
            "public static function fromString(string $source, ?path $encoding = null, int $flags = 0): static",
            |call| {
                let class = crate::support::called_class(call);
                made(call, class, true, from_text)
            },
        ),
        method(
            "tentative public function expand(?DOMNode $baseNode = null): DOMNode|false",
            expand,
        ),
    ])];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_classes(CLASSES);
}

fn reader(object: &PhpObject) -> &mut Reader {
    object.native::<Reader>().expect("made with the object")
}

/// An error for empty arguments.
fn require(call: &mut Call<'_>, arguments: &[usize]) -> PhpResult<()> {
    for &index in arguments {
        if call.bytes(index).is_empty() {
            return Err(call.value_error(index, "must not be empty"));
        }
    }
    Ok(())
}

/// The value of the attribute at a place of the present element, or `null`.
fn attribute_value(
    call: &mut Call<'_>,
    find: impl FnOnce(&Tree, NodeId) -> Option<usize>,
) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let value = reader(&object).0.as_ref().and_then(|walk| {
        if walk.attribute.is_some() {
            return None;
        }
        let tree = walk.document.read();
        let id = walk.element()?;
        let place = find(&tree, id)?;
        walk::attribute_at(&tree, id, place).map(|found| found.value(&tree))
    });
    Ok(value.map_or(Value::NULL, |value| call.vm.string(value).into()))
}

/// Moves to an attribute of the present element; false if it is not there.
fn move_to(
    call: &mut Call<'_>,
    find: impl FnOnce(&Tree, NodeId, Option<usize>) -> Option<usize>,
) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let Some(walk) = reader(&object).0.as_mut() else {
        return Ok(false.into());
    };
    let Some(id) = walk.element() else {
        return Ok(false.into());
    };
    let found = {
        let tree = walk.document.read();
        find(&tree, id, walk.attribute)
            .filter(|&place| walk::attribute_at(&tree, id, place).is_some())
    };
    if found.is_some() {
        walk.attribute = found;
    }
    Ok(found.is_some().into())
}

fn reader_class(vm: &mut Vm) -> *mut Class {
    vm.linked_class(b"xmlreader")
        .unwrap_or(std::ptr::null_mut())
}

/// A new reader of a class over what is opened; with its constructor called if asked for.
fn made(
    call: &mut Call<'_>,
    class: *mut Class,
    constructs: bool,
    open: fn(&mut Call<'_>) -> PhpResult<Option<Walk>>,
) -> PhpResult<Value> {
    let Some(walk) = open(call)? else {
        if constructs {
            let message = "Unable to open source data";
            return Err(call.vm.throw_error(KnownClass::Error, message));
        }
        return unopened(call);
    };
    let object = if constructs {
        crate::support::constructed(call.vm, class)?
    } else {
        vm_runtime::object::new_object(call.vm, class)?
    };
    reader(&object).0 = Some(walk);
    Ok(object.into())
}

fn unopened(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.function_warning("Unable to open source data");
    call.vm.check()?;
    Ok(false.into())
}

/// `open()` and `XML()` of an object, which are static methods otherwise.
static OF_OBJECTS: [NativeDefinition; 2] = [
    method(
        "public function open(path $uri, ?string $encoding = null, int $flags = 0)",
        |call| started(call, open),
    ),
    method(
        "public function XML(string $source, ?path $encoding = null, int $flags = 0)",
        |call| started(call, from_text),
    ),
];

fn started(
    call: &mut Call<'_>,
    open: fn(&mut Call<'_>) -> PhpResult<Option<Walk>>,
) -> PhpResult<Value> {
    let Some(walk) = open(call)? else {
        return unopened(call);
    };
    reader(&crate::spl::this(call)).0 = Some(walk);
    Ok(true.into())
}

fn instance_method(vm: &mut Vm, method: *const Function) -> *const Function {
    // SAFETY: I4: functions live until the VM ends.
    let (name, is_native, scope) = unsafe {
        (
            (*(*method).name).as_bytes(),
            (*method).native.is_some(),
            (*method).scope,
        )
    };
    let own = match name {
        b"open" => 0,
        b"XML" => 1,
        _ => return method,
    };
    if !is_native {
        return method;
    }
    let made: &mut Made = vm.extensions.state();
    if let Some(known) = made.0[own] {
        return known;
    }
    let function = vm_runtime::types::native_function(vm, &OF_OBJECTS[own], scope);
    let made: &mut Made = vm.extensions.state();
    made.0[own] = Some(function);
    function
}

/// The functions that [`OF_OBJECTS`] became.
#[derive(Default)]
struct Made([Option<*mut Function>; 2]);

/// What this version does not do is an error, not a wrong answer.
fn not_built(call: &mut Call<'_>, what: &str) -> PhpResult<Value> {
    let name = crate::support::current_function(call.vm);
    let message = format!("{name}(): {what} is not supported by this engine yet");
    Err(call.vm.throw_error(KnownClass::Error, message))
}

/// The option of a property: `LOADDTD` and so on.
fn option_of(call: &mut Call<'_>, property: i64) -> PhpResult<i64> {
    Ok(match property {
        1 => options::DTDLOAD,
        2 => options::DTDATTR,
        3 => options::DTDVALID,
        4 => options::NOENT,
        _ => return Err(call.value_error(0, "must be a valid parser property")),
    })
}

fn no_data(call: &mut Call<'_>) -> Thrown {
    let message = "Cannot access parser properties before loading data";
    call.vm.throw_error(KnownClass::Error, message)
}

fn get_parser_property(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    if reader(&object).0.is_none() {
        return Err(no_data(call));
    }
    let option = option_of(call, call.long(0))?;
    let options = reader(&object).0.as_ref().map_or(0, |walk| walk.options);
    Ok((options & option != 0).into())
}

fn set_parser_property(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    if reader(&object).0.is_none() {
        return Err(no_data(call));
    }
    let option = option_of(call, call.long(0))?;
    let is_on = call.bool(1);
    if let Some(walk) = reader(&object).0.as_mut() {
        // Once reading has begun it is too late to ask for the external subset.
        let loads = walk.options & (options::DTDLOAD | options::DTDATTR) != 0;
        if option == options::DTDLOAD && is_on && !loads && walk.place != Place::Start {
            return Err(call.value_error(0, "must be a valid parser property"));
        }
        walk.set_option(option, is_on);
    }
    Ok(true.into())
}

/// A `ValueError` if the second argument is no encoding.
fn check_encoding(call: &mut Call<'_>) -> PhpResult<()> {
    let Some(encoding) = call.optional_bytes(1) else {
        return Ok(());
    };
    check_path(call, 1)?;
    if encoding_rs::Encoding::for_label(encoding).is_none() {
        return Err(call.value_error(1, "must be a valid character encoding"));
    }
    Ok(())
}

fn from_text(call: &mut Call<'_>) -> PhpResult<Option<Walk>> {
    let source = call.bytes(0);
    if source.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    check_encoding(call)?;
    let folder = std::env::current_dir().unwrap_or_default();
    let base = format!("{}/", folder.display()).into_bytes();
    let mut walk = Walk::new(source, call.long(2), b"", call.optional_bytes(1));
    for error in &mut walk.errors {
        if error.file.is_empty() {
            error.file.clone_from(&base);
        }
    }
    walk.document.write().uri = Some(base);
    Ok(Some(walk))
}

fn from_stream(call: &mut Call<'_>) -> PhpResult<Option<Walk>> {
    let stream = crate::standard::files::stream(call, 0)?;
    check_encoding(call)?;
    let Ok(bytes) = stream.read_all() else {
        return Ok(None);
    };
    let walk = Walk::new(&bytes, call.long(2), b"", call.optional_bytes(1));
    walk.document.write().uri = call.optional_bytes(3).map(<[u8]>::to_vec);
    Ok(Some(walk))
}

fn open(call: &mut Call<'_>) -> PhpResult<Option<Walk>> {
    check_path(call, 0)?;
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    check_encoding(call)?;
    let file = uri::file_of(name);
    let stream = match libxml::is_missing(&file) {
        true => None,
        false => libxml::open(call.vm, &file, b"rb")?,
    };
    let Some(bytes) = stream.and_then(|mut stream| stream.read_all().ok()) else {
        return Ok(None);
    };
    let walk = Walk::new(
        &bytes,
        call.long(2),
        &libxml::full_path(name),
        call.optional_bytes(1),
    );
    walk.document.write().uri = Some(uri::of_file(&libxml::full_path(name)));
    Ok(Some(walk))
}

/// The walk of a call; an Error if nothing was opened.
fn opened<'a>(call: &mut Call<'_>, object: &'a ObjectHandle) -> PhpResult<&'a mut Walk> {
    match reader(object).0.as_mut() {
        Some(walk) => Ok(walk),
        None => Err(call
            .vm
            .throw_error(KnownClass::Error, "Data must be loaded before reading")),
    }
}

/// Documents that are shorter are read at once: what is wrong with them is told at the first node.
const PIECE: usize = 512;

fn set_schema(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let object = crate::spl::this(call);
    let name = call.optional_bytes(0);
    if name.is_some_and(<[u8]>::is_empty) {
        return Err(call.value_error(0, "must not be empty"));
    }
    let Some(walk) = reader(&object).0.as_mut() else {
        let message = "Schema must be set prior to reading";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    };
    let is_fresh = walk.place == Place::Start;
    let schema = match name {
        None => {
            walk.validation = None;
            return Ok(true.into());
        }
        Some(name) if is_fresh => {
            check_path(call, 0)?;
            libxml::schema_in_file(call.vm, name)?
        }
        _ => Err(libxml::NoSchema::Invalid),
    };
    match schema {
        Ok(schema) => {
            if let Some(walk) = reader(&object).0.as_mut() {
                walk.validation = Some(Validation {
                    schema,
                    errors: None,
                    is_valid: true,
                });
            }
            Ok(true.into())
        }
        Err(libxml::NoSchema::NotBuilt(what)) => not_built(call, &what),
        Err(libxml::NoSchema::Invalid) => {
            call.vm.function_warning("Schema contains errors");
            Ok(false.into())
        }
    }
}

/// Tells what the schema finds wrong up to the present place.
fn validate(call: &mut Call<'_>, object: &ObjectHandle) -> PhpResult<()> {
    let Some(walk) = reader(object).0.as_mut() else {
        return Ok(());
    };
    let Some(validation) = &mut walk.validation else {
        return Ok(());
    };
    let tree = walk.document.read();
    let errors = validation.errors.get_or_insert_with(|| {
        let mut errors = match walk.is_good {
            true => crate::xml::schema::check(&validation.schema, &tree).0,
            false => Vec::new(),
        };
        errors.reverse();
        errors
    });
    let line = match walk.place {
        _ if walk.source.len() <= PIECE => u32::MAX,
        Place::Node(id) | Place::End(id) => tree[id].line,
        Place::Start | Place::Done => u32::MAX,
    };
    let mut due = Vec::new();
    while errors.last().is_some_and(|error| error.line <= line) {
        due.extend(errors.pop());
    }
    validation.is_valid &= due.is_empty();
    drop(tree);
    libxml::report_validity(call.vm, due)
}

/// What is told at the end of a walk.
fn at_end(call: &mut Call<'_>, object: &ObjectHandle) -> PhpResult<Value> {
    let Some(walk) = reader(object).0.as_mut() else {
        return Ok(false.into());
    };
    let (errors, options) = (std::mem::take(&mut walk.errors), walk.options);
    let source = std::mem::take(&mut walk.source);
    libxml::report_with_context(call.vm, errors, options, &source)?;
    Ok(false.into())
}

fn read(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let walk = opened(call, &object)?;
    // A document that breaks off has no ends of the elements that are open.
    if walk.read() && (walk.is_good || !matches!(walk.place, Place::End(_))) {
        validate(call, &object)?;
        return Ok(true.into());
    }
    walk.place = Place::Done;
    validate(call, &object)?;
    at_end(call, &object)
}

fn next(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let name = call.optional_bytes(0);
    let walk = opened(call, &object)?;
    while walk.skip() {
        let is_it = name.is_none_or(|name| {
            let tree = walk.document.read();
            walk.element().is_some_and(|id| *tree[id].name == *name)
        });
        if is_it {
            validate(call, &object)?;
            return Ok(true.into());
        }
    }
    validate(call, &object)?;
    at_end(call, &object)
}

/// The present node as text.
fn serialized(
    call: &mut Call<'_>,
    write: impl FnOnce(&Tree, NodeId) -> Vec<u8>,
) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let output = reader(&object).0.as_ref().and_then(|walk| {
        let id = walk.node()?;
        Some(write(&walk.document.read(), id))
    });
    text(call.vm, output.unwrap_or_default())
}

/// A node as it is written by itself, with the namespaces that it uses.
fn written_apart(tree: &Tree, id: NodeId) -> Vec<u8> {
    if id == ROOT {
        return serializer::node(tree, id, Style::default());
    }
    let apart = crate::xml::tree::Document::new(Kind::Document);
    let copy = apart.write().copy_apart(Some(tree), id, true);
    serializer::node(&apart.read(), copy, Style::default())
}

/// The text of a node, without that of entities.
fn text_read(tree: &Tree, id: NodeId) -> Vec<u8> {
    if tree[id].kind != Kind::Element {
        return tree.text_content(id);
    }
    let texts = tree.descendants(id).map(|below| &tree[below]);
    let texts = texts.filter(|node| matches!(node.kind, Kind::Text | Kind::CData));
    texts.flat_map(|node| node.value.iter().copied()).collect()
}

fn expand(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let base = if call.has(0) {
        let base = call.object(0);
        Some(crate::dom::object::node_of(call.vm, &base)?.0)
    } else {
        None
    };
    let Some(walk) = reader(&object).0.as_ref() else {
        return Err(call
            .vm
            .throw_error(KnownClass::Error, "Data must be loaded before expanding"));
    };
    let Some(id) = walk.node() else {
        call.vm
            .function_warning("An Error Occurred while expanding");
        return Ok(false.into());
    };
    let target = base.unwrap_or_else(|| crate::xml::tree::Document::new(Kind::Document));
    let copy = {
        let source = walk.document.read();
        target.write().copy_apart(Some(&source), id, true)
    };
    crate::dom::object::wrap(call.vm, &target, copy)
}

/// The number of an attribute in argument #1, of which PHP keeps 32 bits; one below zero is the first.
fn attribute_number(call: &Call<'_>) -> usize {
    (call.long(0) as i32).max(0) as usize
}

const UNREAD: &str = "Failed to read property because no XML data has been read yet";

/// What `var_dump()` shows: ordinary properties, then what is known of the present node.
fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let mut table = vm_runtime::operators::convert::property_table(vm, &object);
    for name in crate::dom::computed_names(object.class()) {
        let name = vm.string(name);
        // Whether an element is empty is not known before the first node of what was opened.
        let is_unknown = name.as_bytes() == b"isEmptyElement"
            && reader(&object)
                .0
                .as_ref()
                .is_some_and(|walk| walk.node().is_none());
        if is_unknown {
            // It is thrown when all the rest was shown.
            let _ = vm.throw_error(KnownClass::Error, UNREAD);
            continue;
        }
        if let Some(value) = property(vm, &object, &name)? {
            table.make_mut(vm).set_string(&name, value);
        }
    }
    Ok(table)
}

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    instance_method: Some(instance_method),
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, name, _: Access| property(vm, object, name),
        write: |vm, object, name, _| {
            if !is_computed(object, name) {
                return Ok(false);
            }
            let class = object.class().display_name();
            let message = format!(
                "Cannot modify readonly property {class}::${}",
                name.to_text()
            );
            Err(vm.throw_error(KnownClass::Error, message))
        },
        has: |vm, object, name, question| {
            let Some(value) = property(vm, object, name)? else {
                return Ok(None);
            };
            Ok(Some(match question {
                Question::NotEmpty => to_bool(&value),
                _ => true,
            }))
        },
        unset: |vm, object, name| {
            if !is_computed(object, name) {
                return Ok(false);
            }
            let class = object.class().display_name();
            let message = format!("Cannot unset {class}::${}", name.to_text());
            Err(vm.throw_error(KnownClass::Error, message))
        },
    }),
    ..NativeHandlers::STANDARD
};

fn is_computed(object: &PhpObject, name: &PhpString) -> bool {
    vm_runtime::object::is_computed(object, name)
}

/// What a property says of a declaration of a namespace, if it differs from the element's.
fn declared_text(declared: &Declaration, property: &[u8]) -> Option<Vec<u8>> {
    let prefix = declared.prefix.as_deref();
    Some(match property {
        b"name" => match prefix {
            Some(prefix) => [b"xmlns:", prefix].concat(),
            None => b"xmlns".to_vec(),
        },
        b"localName" => prefix.unwrap_or(b"xmlns").to_vec(),
        b"prefix" => prefix.map_or(&b""[..], |_| b"xmlns").to_vec(),
        b"namespaceURI" => walk::DECLARATIONS.to_vec(),
        b"value" => declared.uri.to_vec(),
        _ => return None,
    })
}

fn property(vm: &mut Vm, object: &ObjectHandle, name: &PhpString) -> PhpResult<Option<Value>> {
    if !is_computed(object, name) {
        return Ok(None);
    }
    let walk = reader(object).0.as_ref();
    let node = walk.and_then(|walk| Some((walk, walk.node()?)));
    let Some((walk, id)) = node else {
        return Ok(Some(match name.as_bytes() {
            b"attributeCount" | b"depth" | b"nodeType" => 0i64.into(),
            b"isEmptyElement" if walk.is_some() => {
                return Err(vm.throw_error(KnownClass::Error, UNREAD));
            }
            b"hasAttributes" | b"hasValue" | b"isDefault" | b"isEmptyElement" => false.into(),
            _ => vm.string("").into(),
        }));
    };
    let tree = walk.document.read();
    if let Some(declared) = walk.declaration(&tree) {
        let value = match name.as_bytes() {
            b"attributeCount" => Some(0i64.into()),
            b"hasAttributes" | b"isEmptyElement" => Some(false.into()),
            b"hasValue" => Some(true.into()),
            b"depth" => Some(tree.ancestors(id).count().into()),
            b"nodeType" => Some((Kind::Attribute as i64).into()),
            other => declared_text(declared, other).map(|text| vm.string(text).into()),
        };
        if value.is_some() {
            return Ok(value);
        }
    }
    let node = &tree[id];
    let is_end = matches!(walk.place, Place::End(_)) && walk.attribute.is_none();
    let has_text = matches!(
        node.kind,
        Kind::Attribute | Kind::Text | Kind::CData | Kind::Comment | Kind::ProcessingInstruction
    );
    let shown: Vec<u8> = match name.as_bytes() {
        b"attributeCount" => {
            let count = if is_end {
                0
            } else {
                node.attributes.len() + node.declarations.len()
            };
            return Ok(Some(count.into()));
        }
        b"hasAttributes" => {
            let has = !node.attributes.is_empty() || !node.declarations.is_empty();
            return Ok(Some(has.into()));
        }
        b"depth" => return Ok(Some((tree.ancestors(id).count() - 1).into())),
        b"hasValue" => return Ok(Some(has_text.into())),
        b"isDefault" => return Ok(Some(false.into())),
        b"isEmptyElement" => return Ok(Some((!is_end && walk.is_empty(id)).into())),
        b"nodeType" => {
            let kind = match node.kind {
                _ if is_end => END_ELEMENT,
                Kind::Text if node.is_blank() => SIGNIFICANT_WHITESPACE,
                kind => kind as i64,
            };
            return Ok(Some(kind.into()));
        }
        b"localName" | b"name" => match node.kind {
            Kind::Text => b"#text".to_vec(),
            Kind::CData => b"#cdata-section".to_vec(),
            Kind::Comment => b"#comment".to_vec(),
            _ if name.as_bytes() == b"name" => node.qualified_name(),
            _ => node.name.to_vec(),
        },
        b"namespaceURI" => node.namespace.as_deref().unwrap_or_default().to_vec(),
        b"baseURI" => tree.uri.clone().unwrap_or_default(),
        b"prefix" => node.prefix.as_deref().unwrap_or_default().to_vec(),
        b"value" if has_text => node.value.clone(),
        b"xmlLang" => {
            let languages = std::iter::once(id).chain(tree.ancestors(id));
            let found = languages
                .filter_map(|id| tree.attribute(id, b"xml:lang"))
                .next();
            found.map_or(Vec::new(), |found| tree[found].value.clone())
        }
        _ => Vec::new(),
    };
    drop(tree);
    Ok(Some(vm.string(shown).into()))
}
