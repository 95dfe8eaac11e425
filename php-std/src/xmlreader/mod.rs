//! The extension `xmlreader`: a document node by node. It is parsed as a whole when it is opened,
//! and walked over afterwards.

mod walk;

use std::any::Any;

use vm_runtime::class::{NativeClass, NativeHandlers, PropertyHandlers, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags, flags};
use vm_runtime::object::read::Question;
use vm_runtime::object::{Access, NativeData, PhpObject};
use vm_runtime::operators::to_bool;
use vm_runtime::string::PhpString;
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use self::walk::{Place, Walk};
use crate::libxml;
use crate::support::text;
use crate::xml::serializer::{self, Style};
use crate::xml::tree::{Kind, NodeId, Tree};

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
                let name = call.bytes(0);
                attribute_value(call, |tree, id| tree.attribute(id, name))
            },
        ),
        method(
            "tentative public function getAttributeNo(int $index): ?string",
            |call| {
                let place = usize::try_from(call.long(0)).ok();
                attribute_value(call, |tree, id| tree[id].attributes.get(place?).copied())
            },
        ),
        method(
            "tentative public function getAttributeNs(string $name, string $namespace): ?string",
            |call| {
                require(call, &[0, 1])?;
                let (name, namespace) = (call.bytes(0), call.bytes(1));
                attribute_value(call, |tree, id| {
                    tree.attribute_in(id, Some(namespace), name)
                })
            },
        ),
        method(
            "tentative public function lookupNamespace(string $prefix): ?string",
            |call| {
                let prefix = call.bytes(0);
                let object = crate::spl::this(call);
                let found = reader(&object).0.as_ref().and_then(|walk| {
                    let prefix = (!prefix.is_empty()).then_some(prefix);
                    walk.document.read().find_namespace(walk.element()?, prefix)
                });
                Ok(found.map_or(Value::NULL, |uri| call.vm.string(uri).into()))
            },
        ),
        method(
            "tentative public function moveToAttribute(string $name): bool",
            |call| {
                require(call, &[0])?;
                let name = call.bytes(0);
                move_to(call, |tree, id, _| {
                    let found = tree.attribute(id, name)?;
                    tree[id].attributes.iter().position(|&known| known == found)
                })
            },
        ),
        method(
            "tentative public function moveToAttributeNo(int $index): bool",
            |call| {
                let place = usize::try_from(call.long(0)).ok();
                move_to(call, |tree, id, _| {
                    place.filter(|&place| place < tree[id].attributes.len())
                })
            },
        ),
        method(
            "tentative public function moveToAttributeNs(string $name, string $namespace): bool",
            |call| {
                require(call, &[0, 1])?;
                let (name, namespace) = (call.bytes(0), call.bytes(1));
                move_to(call, |tree, id, _| {
                    let found = tree.attribute_in(id, Some(namespace), name)?;
                    tree[id].attributes.iter().position(|&known| known == found)
                })
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
                move_to(call, |tree, id, _| {
                    (!tree[id].attributes.is_empty()).then_some(0)
                })
            },
        ),
        method(
            "tentative public function moveToNextAttribute(): bool",
            |call| {
                move_to(call, |tree, id, now| {
                    let next = now.map_or(0, |now| now + 1);
                    (next < tree[id].attributes.len()).then_some(next)
                })
            },
        ),
        method("tentative public function read(): bool", read),
        method(
            "tentative public function next(?string $name = null): bool",
            next,
        ),
        method(
            "public function open(string $uri, ?string $encoding = null, int $flags = 0)",
            open,
        ),
        method(
            "public function XML(string $source, ?string $encoding = null, int $flags = 0)",
            from_text,
        ),
        method("tentative public function readInnerXml(): string", |call| {
            serialized(call, |tree, id| {
                tree.children(id)
                    .flat_map(|child| serializer::node(tree, child, Style::default()))
                    .collect()
            })
        }),
        method("tentative public function readOuterXml(): string", |call| {
            serialized(call, |tree, id| {
                serializer::node(tree, id, Style::default())
            })
        }),
        method("tentative public function readString(): string", |call| {
            serialized(call, |tree, id| tree.text_content(id))
        }),
        method(
            "tentative public function expand(?DOMNode $baseNode = null): DOMNode|false",
            expand,
        ),
    ])];

/// Registers the extension.
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

/// The value of an attribute of the present element, or `null`.
fn attribute_value(
    call: &mut Call<'_>,
    find: impl FnOnce(&Tree, NodeId) -> Option<NodeId>,
) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let value = reader(&object).0.as_ref().and_then(|walk| {
        let tree = walk.document.read();
        let id = walk.element()?;
        find(&tree, id).map(|found| tree[found].value.clone())
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
    let found = find(&walk.document.read(), id, walk.attribute);
    if found.is_some() {
        walk.attribute = found;
    }
    Ok(found.is_some().into())
}

fn start(call: &mut Call<'_>, walk: Walk) -> PhpResult<Value> {
    reader(&crate::spl::this(call)).0 = Some(walk);
    Ok(true.into())
}

fn from_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let source = call.bytes(0);
    if source.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let walk = Walk::new(source, call.long(2), b"", call.optional_bytes(1));
    start(call, walk)
}

fn open(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let silence = call.vm.begin_silence();
    let stream = crate::standard::files::open(call.vm, name, b"rb");
    call.vm.end_silence(silence);
    let Some(bytes) = stream?.and_then(|mut stream| stream.read_all().ok()) else {
        call.vm.function_warning("Unable to open source data");
        return Ok(false.into());
    };
    let walk = Walk::new(
        &bytes,
        call.long(2),
        &libxml::full_path(name),
        call.optional_bytes(1),
    );
    start(call, walk)
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

/// What is told at the end of a walk.
fn at_end(call: &mut Call<'_>, object: &ObjectHandle) -> PhpResult<Value> {
    let (errors, options) = match reader(object).0.as_mut() {
        Some(walk) => (std::mem::take(&mut walk.errors), walk.options),
        None => (Vec::new(), 0),
    };
    libxml::report(call.vm, errors, options)?;
    Ok(false.into())
}

fn read(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let walk = opened(call, &object)?;
    // A document that breaks off has no ends of the elements that are open.
    if walk.read() && (walk.is_good || !matches!(walk.place, Place::End(_))) {
        return Ok(true.into());
    }
    walk.place = Place::Done;
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
            return Ok(true.into());
        }
    }
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
        target.write().copy_from(Some(&source), id, true)
    };
    crate::dom::object::wrap(call.vm, &target, copy)
}

const HANDLERS: NativeHandlers = NativeHandlers {
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
    let info = object.class().properties.get_string(name);
    info.is_some_and(|info| info.flags & flags::VIRTUAL != 0)
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
            b"hasAttributes" | b"hasValue" | b"isDefault" | b"isEmptyElement" => false.into(),
            _ => vm.string("").into(),
        }));
    };
    let tree = walk.document.read();
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
