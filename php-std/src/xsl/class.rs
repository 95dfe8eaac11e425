//! XSLTProcessor.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use vm_runtime::class::{Class, NativeClass, NativeHandlers, PropertyHandlers, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::read::{Question, read_property};
use vm_runtime::object::{Access, NativeData, PhpObject};
use vm_runtime::operators::convert::property_table;
use vm_runtime::operators::{to_bool, to_string};
use vm_runtime::string::PhpString;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::compile;
use super::output::{self, Method};
use super::run::{Profile, Request, Run, Stop};
use super::stylesheet::{Rule, Stylesheet};
use crate::dom::callbacks::{self, Callbacks};
use crate::dom::object::{copy_document, node_of};
use crate::libxml;
use crate::xml::tree::{Document, Kind, ROOT};

/// The constants.
pub(super) const CONSTANTS: &[(&str, i64)] = &[
    ("XSL_CLONE_AUTO", 0),
    ("XSL_CLONE_NEVER", -1),
    ("XSL_CLONE_ALWAYS", 1),
    ("XSL_SECPREF_NONE", 0),
    ("XSL_SECPREF_READ_FILE", 2),
    ("XSL_SECPREF_WRITE_FILE", 4),
    ("XSL_SECPREF_CREATE_DIRECTORY", 8),
    ("XSL_SECPREF_READ_NETWORK", 16),
    ("XSL_SECPREF_WRITE_NETWORK", 32),
    ("XSL_SECPREF_DEFAULT", 44),
    ("LIBXSLT_VERSION", 10135),
    ("LIBEXSLT_VERSION", 820),
];

/// Properties that must not be negative.
const LIMITS: [&[u8]; 2] = [b"maxTemplateDepth", b"maxTemplateVars"];

/// The native part.
struct Processor {
    sheet: Option<Rc<Stylesheet>>,
    parameters: Vec<(Vec<u8>, Vec<u8>)>,
    callbacks: Callbacks,
    forbidden: i64,
    profile: Option<Vec<u8>>,
    /// The deepest calls, and the most variables.
    limits: [i64; 2],
}

impl NativeData for Processor {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        self.callbacks.visit(visitor);
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(Processor {
        sheet: None,
        parameters: Vec::new(),
        callbacks: Callbacks::default(),
        forbidden: 44,
        profile: None,
        limits: [3000, 15000],
    }))
}

fn native(object: &PhpObject) -> &mut Processor {
    object.native::<Processor>().expect("made with the object")
}

/// The place of a limit among them.
fn limit(name: &PhpString) -> Option<usize> {
    LIMITS.iter().position(|known| *known == name.as_bytes())
}

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(table),
    properties: Some(table),
    variables: Some(table),
    loops_over_computed: true,
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, name, access| match limit(name) {
            Some(_) if access.is_write() => Err(refuse(
                vm,
                "Indirect modification of",
                object,
                name.as_bytes(),
                " is not allowed",
            )),
            Some(index) => Ok(Some(native(object).limits[index].into())),
            None => Ok(None),
        },
        write: |vm, object, name, value| {
            let Some(index) = limit(name) else {
                return Ok(false);
            };
            let is_plain = !matches!(value.view(), ValueKind::Array(_) | ValueKind::Object(_));
            let number = if is_plain { value.to_long(vm) } else { 0 };
            if number < 0 {
                let class = object.class().display_name();
                let name = name.to_text();
                let message = format!("{class}::${name} must be greater than or equal to 0");
                return Err(vm.throw_error(KnownClass::ValueError, message));
            }
            let wrong = match value.view() {
                ValueKind::Array(_) => Some("array".to_owned()),
                ValueKind::Null => Some("null".to_owned()),
                ValueKind::Object(given) => Some(given.class().display_name().to_string()),
                ValueKind::String(text) if text.to_text().trim().parse::<f64>().is_err() => {
                    Some("string".to_owned())
                }
                _ => None,
            };
            if let Some(given) = wrong {
                let class = object.class().display_name();
                let name = name.to_text();
                let message =
                    format!("Cannot assign {given} to property {class}::${name} of type int");
                return Err(vm.throw_error(KnownClass::TypeError, message));
            }
            native(object).limits[index] = value.to_long(vm);
            Ok(true)
        },
        has: |_, object, name, question| {
            Ok(limit(name)
                .map(|index| question != Question::NotEmpty || native(object).limits[index] != 0))
        },
        unset: |vm, object, name| match limit(name) {
            Some(_) => Err(refuse(vm, "Cannot unset", object, name.as_bytes(), "")),
            None => Ok(false),
        },
    }),
    ..NativeHandlers::STANDARD
};

/// All properties: the limits stand behind those that are declared in front of them.
fn table(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let others = property_table(vm, &object);
    let mut table = crate::support::new_list(vm, 4);
    let mut is_open = true;
    let add_limits = |vm: &mut Vm, table: &mut ArrayHandle| {
        for (name, value) in ["maxTemplateDepth", "maxTemplateVars"]
            .into_iter()
            .zip(native(&object).limits)
        {
            let name = vm.string(name);
            table.make_mut(vm).set_string(&name, value.into());
        }
    };
    for (key, value) in others.iter() {
        let is_own = key
            .to_value()
            .string()
            .is_some_and(|name| matches!(name.as_bytes(), b"doXInclude" | b"cloneDocument"));
        if !is_own && std::mem::take(&mut is_open) {
            add_limits(vm, &mut table);
        }
        table.make_mut(vm).set(key, crate::support::hold(value));
    }
    if is_open {
        add_limits(vm, &mut table);
    }
    Ok(table)
}

fn refuse(
    vm: &mut Vm,
    before: &str,
    object: &ObjectHandle,
    name: &[u8],
    behind: &str,
) -> vm_runtime::vm::Thrown {
    let class = object.class().display_name();
    let name = String::from_utf8_lossy(name);
    let message = format!("{before} {class}::${name}{behind}");
    vm.throw_error(KnownClass::Error, message)
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class XSLTProcessor")
    .flags(class_flags::NOT_CLONEABLE)
    .properties(&[
        "public bool $doXInclude = false",
        "public bool $cloneDocument = false",
        "virtual public int $maxTemplateDepth",
        "virtual public int $maxTemplateVars",
    ])
    .create_native(create)
    .handlers(&HANDLERS)
    .methods(&[
    method(
        "tentative public function importStylesheet(object $stylesheet): bool",
        import_stylesheet,
    ),
    method(
        "tentative public function transformToDoc(object $document, ?string $returnClass = null): object|false",
        transform_to_doc,
    ),
    method(
        "tentative public function transformToUri(object $document, string $uri): int",
        transform_to_uri,
    ),
    method(
        "tentative public function transformToXml(object $document): string|null|false",
        transform_to_xml,
    ),
    method(
        "tentative public function setParameter(string $namespace, array|string $name, ?string $value = null): bool",
        set_parameter,
    ),
    method(
        "tentative public function getParameter(string $namespace, string $name): string|false",
        get_parameter,
    ),
    method(
        "tentative public function removeParameter(string $namespace, string $name): bool",
        remove_parameter,
    ),
    method("tentative public function hasExsltSupport(): bool", |_| {
        Ok(true.into())
    }),
    method(
        "tentative public function registerPHPFunctions(array|string|null $functions = null): void",
        register_php_functions,
    ),
    method(
        "public function registerPHPFunctionNS(string $namespaceURI, string $name, callable $callable): void",
        register_php_function_ns,
    ),
    method(
        "tentative public function setProfiling(?string $filename): true",
        set_profiling,
    ),
    method(
        "tentative public function setSecurityPrefs(int $preferences): int",
        set_security_prefs,
    ),
    method(
        "tentative public function getSecurityPrefs(): int",
        get_security_prefs,
    ),])];

/// The document that an argument belongs to.
fn document_of(call: &mut Call<'_>, index: usize) -> PhpResult<Document> {
    let object = call.object(index);
    if let Some((document, _)) = crate::simplexml::node(&object) {
        return Ok(document);
    }
    if (object.native::<crate::dom::object::NodeObject>()).is_some() {
        return Ok(node_of(call.vm, &object)?.0);
    }
    Err(call.type_error(index, "must be a valid XML node"))
}

/// A property, which must have been initialised.
fn property(call: &mut Call<'_>, name: &'static str) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let name = call.vm.static_name(name);
    let class = object.class;
    read_property(call.vm, object.as_ptr(), name, class, Access::Read)
}

fn import_stylesheet(call: &mut Call<'_>) -> PhpResult<Value> {
    let source = document_of(call, 0)?;
    // libxslt changes what it compiles, so PHP copies it.
    let document = copy_document(&source);
    property(call, "cloneDocument")?;
    let sheet = compile::compile(call.vm, document)?;
    let object = crate::spl::this(call);
    Ok(match sheet {
        Some(sheet) => {
            native(&object).sheet = Some(Rc::new(sheet));
            true.into()
        }
        None => false.into(),
    })
}

/// What a transformation made, and how it is written; nothing after warnings.
struct Made {
    document: Document,
    sheet: Rc<Stylesheet>,
    method: Method,
}

fn transform(call: &mut Call<'_>) -> PhpResult<Option<Made>> {
    let source = document_of(call, 0)?;
    let object = crate::spl::this(call);
    let Some(sheet) = native(&object).sheet.clone() else {
        let function = crate::support::current_function(call.vm);
        let message =
            format!("{function}() can only be called after a stylesheet has been imported");
        return Err(call.vm.throw_error(KnownClass::Error, message));
    };
    let clones = to_bool(&*property(call, "cloneDocument")?);
    let includes = to_bool(&*property(call, "doXInclude")?);
    let [deepest, most_variables] = native(&object).limits;
    let document = match clones {
        true => copy_document(&source),
        false => source,
    };
    let result = Document::new(Kind::Document);
    let own = native(&object);
    let profile = own.profile.clone();
    let (mark, is_nowhere) = {
        let mut tree = document.write();
        let is_nowhere = std::mem::replace(&mut tree.is_nowhere, false);
        (tree.mark(), is_nowhere)
    };
    let mut run = Run::new(Request {
        sheet: sheet.clone(),
        document: document.clone(),
        result: result.clone(),
        callbacks: own.callbacks.clone(),
        parameters: own.parameters.clone(),
        deepest,
        most_variables,
        forbidden: own.forbidden,
        includes,
        profiles: profile.is_some(),
        vm: call.vm,
    });
    let done = run.run();
    let times = run.profile.take();
    document.write().is_nowhere = is_nowhere;
    // What variables held and other documents go.
    document.truncate(mark);
    if let (Some(file), Some(times)) = (profile, times) {
        write_file(call.vm, &file, &profile_text(&sheet, &times))?;
    }
    match done {
        Ok(()) => {
            let method = output::finish(&result, &sheet.output);
            Ok(Some(Made {
                document: result,
                sheet,
                method,
            }))
        }
        Err(Stop::Thrown) => Err(vm_runtime::vm::Thrown),
        Err(Stop::Failed) => {
            call.vm.check()?;
            Ok(None)
        }
    }
}

/// The text of what a transformation made; nothing if it made nothing.
fn text_of(made: &Made) -> Option<Vec<u8>> {
    made.document.read()[ROOT].first?;
    Some(output::text(
        &made.document,
        &made.sheet.output,
        made.method,
    ))
}

fn transform_to_xml(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(made) = transform(call)? else {
        return Ok(false.into());
    };
    Ok(match text_of(&made) {
        Some(text) => call.vm.string(text).into(),
        None => Value::NULL,
    })
}

fn transform_to_doc(call: &mut Call<'_>) -> PhpResult<Value> {
    let base = call.vm.linked_class(b"domdocument");
    let Some(base) = base else {
        return Ok(Value::NULL);
    };
    let mut class = base;
    let mut is_simple = false;
    if let Some(name) = call.optional_string(1) {
        let simple = call.vm.linked_class(b"simplexmlelement");
        let Some(found) = call.vm.class_by_name(&name, true)? else {
            let problem = format!(
                "must be a valid class name or null, {} given",
                name.to_text()
            );
            return Err(call.type_error(1, &problem));
        };
        // SAFETY: I4: classes live until the VM ends.
        let is_below = |base: *mut Class| unsafe { (*found).is_subclass_of(base) };
        is_simple = simple.is_some_and(is_below);
        if !is_below(base) && !is_simple {
            let problem = format!(
                "must be a class name compatible with DOMDocument, {} given",
                name.to_text()
            );
            return Err(call.type_error(1, &problem));
        }
        class = found;
    }
    let Some(made) = transform(call)? else {
        return Ok(false.into());
    };
    if is_simple {
        let object = crate::simplexml::of_node(call.vm, class, &made.document, ROOT)?;
        return Ok(object.into());
    }
    let object = vm_runtime::object::new_object(call.vm, class)?;
    crate::dom::object::bind(&object, made.document, ROOT);
    Ok(object.into())
}

fn transform_to_uri(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[1])?;
    let Some(made) = transform(call)? else {
        return Ok((-1i64).into());
    };
    let text = text_of(&made).unwrap_or_default();
    let uri = call.bytes(1).to_vec();
    Ok(match write_file(call.vm, &uri, &text)? {
        true => text.len().into(),
        false => (-1i64).into(),
    })
}

/// Writes a file; false after a warning.
pub(super) fn write_file(vm: &mut Vm, uri: &[u8], text: &[u8]) -> PhpResult<bool> {
    let Some(mut stream) = libxml::open(vm, &crate::xml::uri::file_of(uri), b"wb")? else {
        return Ok(false);
    };
    Ok(stream.write(vm, text).is_ok())
}

fn set_parameter(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let given = call.value(1);
    let mut list: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let has_zero = |text: &[u8]| text.contains(&0);
    if let ValueKind::Array(array) = given.view() {
        if call.optional_string(2).is_some() {
            let problem = "must be null when argument #2 ($name) is an array";
            return Err(call.value_error(2, problem));
        }
        for (key, value) in array.iter() {
            let key = key.to_value();
            let Some(name) = key.string().map(|name| name.to_vec()) else {
                return Err(call.type_error(1, "must contain only string keys"));
            };
            if has_zero(&name) {
                let problem = "must not contain keys with any null bytes";
                return Err(call.value_error(2, problem));
            }
            let value = to_string(call.vm, &Value::share(value))?.to_vec();
            if has_zero(&value) {
                let problem = "must not contain values with any null bytes";
                return Err(call.value_error(2, problem));
            }
            list.push((name, value));
        }
    } else {
        let Some(value) = call.optional_string(2) else {
            let problem = "cannot be null when argument #2 ($name) is a string";
            return Err(call.value_error(2, problem));
        };
        let name = to_string(call.vm, &given)?.to_vec();
        if has_zero(&name) {
            return Err(call.value_error(1, "must not contain any null bytes"));
        }
        if has_zero(&value) {
            return Err(call.value_error(2, "must not contain any null bytes"));
        }
        list.push((name, value.to_vec()));
    }
    let own = native(&object);
    // Keys of an array are different names.
    let replaced: HashSet<&[u8]> = list.iter().map(|(name, _)| name.as_slice()).collect();
    own.parameters
        .retain(|(known, _)| !replaced.contains(known.as_slice()));
    own.parameters.extend(list);
    Ok(true.into())
}

fn get_parameter(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let name = call.bytes(1);
    let found = (native(&object).parameters.iter()).find(|(known, _)| known == name);
    Ok(match found {
        Some((_, value)) => call.vm.string(value).into(),
        None => false.into(),
    })
}

fn remove_parameter(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let name = call.bytes(1);
    let parameters = &mut native(&object).parameters;
    let count = parameters.len();
    parameters.retain(|(known, _)| known != name);
    Ok((parameters.len() < count).into())
}

fn register_php_functions(call: &mut Call<'_>) -> PhpResult<Value> {
    let registration = callbacks::registration(call)?;
    let object = crate::spl::this(call);
    drop(native(&object).callbacks.add(registration));
    Ok(Value::NULL)
}

fn register_php_function_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (namespace, name, callable) = callbacks::own_registration(call, super::functions::PHP)?;
    let object = crate::spl::this(call);
    let callbacks = &mut native(&object).callbacks;
    drop(callbacks.add_own(&namespace, &name, callable));
    Ok(Value::NULL)
}

fn set_profiling(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let object = crate::spl::this(call);
    let file = call.optional_string(0).map(|file| file.to_vec());
    native(&object).profile = file;
    Ok(true.into())
}

fn set_security_prefs(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let own = native(&object);
    let old = std::mem::replace(&mut own.forbidden, call.long(0));
    Ok(old.into())
}

fn get_security_prefs(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    Ok(native(&object).forbidden.into())
}

/// How often each template was executed and how long it took.
fn profile_text(sheet: &Stylesheet, times: &HashMap<*const Rule, Profile>) -> Vec<u8> {
    let mut rules: Vec<(&Rule, &Profile)> = Vec::new();
    let all = sheet
        .matchers
        .values()
        .flatten()
        .map(|matcher| &matcher.rule);
    for rule in all.chain(sheet.named.values()) {
        let address = Rc::as_ptr(rule);
        let is_known = rules.iter().any(|(known, _)| std::ptr::eq(*known, address));
        if let Some(profile) = times.get(&address).filter(|_| !is_known) {
            rules.push((rule, profile));
        }
    }
    rules.sort_by_key(|(_, profile)| std::cmp::Reverse(profile.time));
    let mut text = format!(
        "{:>6}{:>20}{:>20}{:>10}  Calls Tot 100us Avg\n\n",
        "number", "match", "name", "mode"
    );
    let (mut calls, mut total) = (0, 0);
    for (number, (rule, profile)) in rules.iter().enumerate() {
        let shown =
            |text: Option<&[u8]>| String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
        let time = (profile.time.as_micros() / 100) as u64;
        text.push_str(&format!(
            "{number:>5} {:>20}{:>20}{:>10} {:>6} {time:>6} {:>6}\n",
            shown(rule.shown_match.as_deref()),
            shown(rule.name.as_ref().map(|name| &*name.local)),
            shown(rule.mode.as_ref().map(|mode| &*mode.local)),
            profile.calls,
            time / profile.calls.max(1),
        ));
        calls += profile.calls;
        total += time;
    }
    text.push_str(&format!(
        "\n{:>30}{:>26} {calls:>6} {total:>6}\n\n",
        "Total", ""
    ));
    text.into_bytes()
}
