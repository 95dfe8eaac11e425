//! What reflection objects print: the exports of classes, functions and their parts.

use std::rc::Rc;

use vm_runtime::class::{Class, ClassConstant, PropertyInfo};
use vm_runtime::function::{Function, PassBy, class_flags, flags};
use vm_runtime::object::closure::ClosureData;
use vm_runtime::object::fill_table;
use vm_runtime::op_array::AttributeDeclaration;
use vm_runtime::value::{CONSTANT_EXPRESSION, ObjectHandle, StringHandle, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::function::draft;
use super::subject::{FunctionSubject, PropertySubject, class, is_foreign_private, name_bytes};

fn text_of(bytes: &[u8]) -> String {
    vm_runtime::message::whole_text(bytes).into_owned()
}

fn name_text(name: *mut vm_runtime::string::PhpString) -> String {
    text_of(name_bytes(name))
}

/// A doc comment on a line of its own, or nothing.
fn comment(doc_comment: *mut vm_runtime::string::PhpString, indent: &str) -> String {
    if doc_comment.is_null() {
        return String::new();
    }
    format!("{indent}{}\n", name_text(doc_comment))
}

/// A value as the default of a parameter or property.
fn value_text(vm: &mut Vm, value: &Zval) -> PhpResult<String> {
    Ok(match value.view() {
        ValueKind::Null => String::from("NULL"),
        ValueKind::Bool(flag) => String::from(if flag { "true" } else { "false" }),
        ValueKind::String(text) => format!("'{}'", escaped(text.as_bytes())),
        ValueKind::Array(array) => {
            // SAFETY: I3: live; the share keeps it while elements are printed.
            let array = unsafe {
                vm_runtime::value::ArrayHandle::share_raw((&raw const *array).cast_mut())
            };
            let mut parts = Vec::new();
            let is_list = array.iter().enumerate().all(|(index, (key, _))| {
                matches!(key, vm_runtime::array::KeyRef::Long(number) if number == index as i64)
            });
            for (key, value) in array.iter() {
                let value = value_text(vm, value)?;
                parts.push(match key {
                    _ if is_list => value,
                    vm_runtime::array::KeyRef::Long(number) => format!("{number} => {value}"),
                    vm_runtime::array::KeyRef::String(name) => {
                        format!("'{}' => {value}", name.whole_text())
                    }
                });
            }
            format!("[{}]", parts.join(", "))
        }
        ValueKind::Object(object) if object.class().flags & class_flags::ENUM != 0 => {
            // SAFETY: I3: a case's first slot is its name.
            let name = unsafe { (*object.slot(0)).as_bytes().map(text_of) };
            format!(
                "{}::{}",
                object.class().display_name(),
                name.unwrap_or_default()
            )
        }
        ValueKind::Object(object) => format!("object({})", object.class().display_name()),
        ValueKind::Double(_) => {
            let mut text = string_of(vm, value)?;
            // Whole numbers show that they are floats.
            if text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
            {
                text += ".0";
            }
            text
        }
        _ => string_of(vm, value)?,
    })
}

/// Text with what is not printable as escapes.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            0x0c => text.push_str("\\f"),
            0x0b => text.push_str("\\v"),
            0x1b => text.push_str("\\e"),
            b'\\' => text.push_str("\\\\"),
            b' '..=b'~' => text.push(byte as char),
            _ => text += &format!("\\x{byte:02X}"),
        }
    }
    text
}

fn string_of(vm: &mut Vm, value: &Zval) -> PhpResult<String> {
    Ok(text_of(
        vm_runtime::operators::to_string(vm, value)?.as_bytes(),
    ))
}

/// A default: an expression as it is written, or a value.
fn default_text(vm: &mut Vm, default: &Zval) -> PhpResult<String> {
    if default.kind() == CONSTANT_EXPRESSION {
        // SAFETY: I4: the expression lives in a literal pool of a loaded script.
        return Ok(text_of(unsafe {
            (*default.expression()).expression_text()
        }));
    }
    value_text(vm, default)
}

/// `ReflectionParameter::__toString()`.
pub(super) fn parameter_text(
    vm: &mut Vm,
    function: &FunctionSubject,
    index: usize,
) -> PhpResult<String> {
    let parameter = function.parameter(index).clone();
    let optional = super::parameter::is_optional(function, index);
    let mut text = format!(
        "Parameter #{index} [ <{}> ",
        if optional { "optional" } else { "required" }
    );
    if let Some(declared) = super::parameter::shown_type(&parameter) {
        text += &super::types::text(declared);
        text.push(' ');
    }
    if parameter.pass_by != PassBy::Value {
        text.push('&');
    }
    if parameter.variadic {
        text += "...";
    }
    text += &format!("${}", text_of(parameter.name_bytes()));
    if optional && !parameter.variadic {
        let default = match parameter.default {
            _ if !parameter.default_source.is_empty() => String::from(parameter.default_source),
            default if default.is_undef() => String::from("<default>"),
            default => default_text(vm, &default)?,
        };
        text += &format!(" = {default}");
    }
    text += " ]";
    Ok(text)
}

/// What stands in angle brackets: where the function comes from.
fn origin(vm: &Vm, about: &FunctionSubject) -> String {
    let function = about.get();
    let mut text = String::from(if function.is_user { "user" } else { "internal" });
    if function.flags & flags::DEPRECATED != 0 {
        text += ", deprecated";
    }
    let extension = super::extension::of_function(vm, function);
    if let Some(extension) = extension.filter(|_| !function.is_user && !is_enum_method(function)) {
        text += &format!(":{extension}");
    }
    let scope = function.scope;
    if !about.class.is_null() && !scope.is_null() {
        if scope != about.class {
            text += &format!(", inherits {}", class(scope).display_name());
        } else if let Some(overwritten) = overwritten(function) {
            text += &format!(", overwrites {}", class(overwritten).display_name());
        }
    }
    if let Some(prototype) = prototype_class(function) {
        text += &format!(", prototype {}", class(prototype).display_name());
    }
    if !scope.is_null() && name_bytes(function.name).eq_ignore_ascii_case(b"__construct") {
        text += ", ctor";
    }
    text
}

fn is_enum_method(function: &Function) -> bool {
    !function.scope.is_null() && class(function.scope).flags & class_flags::ENUM != 0
}

/// The class whose method this one takes the place of.
fn overwritten(function: &Function) -> Option<*mut Class> {
    let parent = class(function.scope).parent;
    if parent.is_null() {
        return None;
    }
    let lowercase = name_bytes(function.name).to_ascii_lowercase();
    let &found = class(parent).methods.get(&lowercase)?;
    // SAFETY: I4: methods live as long as their class.
    let found = unsafe { &*found };
    (found.flags & flags::PRIVATE == 0).then_some(found.scope)
}

/// The class that a method's signature comes from.
pub(super) fn prototype_class(function: &Function) -> Option<*mut Class> {
    // SAFETY: I4: prototypes are null or live.
    match unsafe { function.prototype.as_ref() } {
        Some(prototype) if prototype.is_user => Some(prototype.scope),
        Some(prototype) => native_prototype(prototype).or(Some(prototype.scope)),
        None if function.is_user => None,
        None => native_prototype(function),
    }
}

/// The class that a native method's signature comes from.
fn native_prototype(function: &Function) -> Option<*mut Class> {
    if function.scope.is_null() {
        return None;
    }
    let name = name_bytes(function.name).to_ascii_lowercase();
    if name == b"__construct" {
        return None;
    }
    let owner = class(function.scope);
    if !owner.parent.is_null()
        && let Some(&inherited) = class(owner.parent).methods.get(&name)
    {
        // SAFETY: I4: methods live as long as their class.
        let inherited = unsafe { &*inherited };
        if inherited.flags & flags::PRIVATE == 0 {
            return native_prototype(inherited).or(Some(inherited.scope));
        }
    }
    let mut interfaces = owner.interfaces.iter();
    let found = interfaces.find(|&&interface| class(interface).methods.contains(&name))?;
    let &method = class(*found).methods.get(&name)?;
    // SAFETY: I4: as above.
    Some(unsafe { (*method).scope })
}

/// `ReflectionFunction::__toString()` and that of methods.
pub(super) fn function_text(
    vm: &mut Vm,
    about: &FunctionSubject,
    indent: &str,
) -> PhpResult<String> {
    let function = about.get();
    let is_closure = function.flags & flags::CLOSURE != 0;
    let mut text = String::new();
    if about.is_invoke() {
        // The method of a closure's object is the engine's.
        text += &format!("{indent}Method [ <internal> public method __invoke ] {{\n");
        return rest_of_function(vm, about, indent, text);
    }
    if let Some(draft) = draft(function) {
        text += &comment(draft.doc_comment, indent);
    }
    let kind = match function.scope.is_null() {
        _ if is_closure => "Closure",
        true => "Function",
        false => "Method",
    };
    text += &format!("{indent}{kind} [ <{}> ", origin(vm, about));
    for (flag, word) in [
        (flags::ABSTRACT, "abstract "),
        (flags::FINAL, "final "),
        (flags::STATIC, "static "),
    ] {
        if function.flags & flag != 0 {
            text += word;
        }
    }
    if function.scope.is_null() {
        text += "function ";
    } else {
        text += match function.flags & flags::VISIBILITY {
            flags::PRIVATE => "private ",
            flags::PROTECTED => "protected ",
            _ => "public ",
        };
        text += "method ";
    }
    if function.flags & flags::RETURN_REFERENCE != 0 {
        text.push('&');
    }
    text += &format!("{} ] {{\n", name_text(function.name));
    if let Some(draft) = draft(function) {
        text += &format!(
            "{indent}  @@ {} {} - {}\n",
            name_text(draft.filename),
            draft.line_start,
            draft.line_end
        );
    }
    if is_closure {
        text += &bound_variables(about, &format!("{indent}  "));
    }
    rest_of_function(vm, about, indent, text)
}

/// Parameters and the type of the result.
fn rest_of_function(
    vm: &mut Vm,
    about: &FunctionSubject,
    indent: &str,
    mut text: String,
) -> PhpResult<String> {
    let function = about.get();
    let inner = format!("{indent}  ");
    text += &parameters_text(vm, about, &inner)?;
    if let Some(declared) = &function.return_type {
        let word = match function.flags & flags::TENTATIVE_RETURN_TYPE {
            0 => "Return",
            _ => "Tentative return",
        };
        text += &format!("{inner}- {word} [ {} ]\n", super::types::text(declared));
    }
    text += &format!("{indent}}}\n");
    Ok(text)
}

fn bound_variables(about: &FunctionSubject, indent: &str) -> String {
    let Some(draft) = draft(about.get()) else {
        return String::new();
    };
    let data = about
        .closure
        .as_ref()
        .and_then(|closure| closure.native::<ClosureData>());
    if data.is_none() || draft.static_variables.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n{indent}- Bound Variables [{}] {{\n",
        draft.static_variables.len()
    );
    for (index, variable) in draft.static_variables.iter().enumerate() {
        text += &format!(
            "{indent}    Variable #{index} [ ${} ]\n",
            name_text(variable.name)
        );
    }
    text += &format!("{indent}}}\n");
    text
}

fn parameters_text(vm: &mut Vm, about: &FunctionSubject, indent: &str) -> PhpResult<String> {
    let function = about.get();
    let count = function.parameters.len();
    if count == 0 && function.is_user && function.return_type.is_none() {
        return Ok(String::new());
    }
    let mut text = format!("\n{indent}- Parameters [{count}] {{\n");
    for index in 0..count {
        text += &format!("{indent}  {}\n", parameter_text(vm, about, index)?);
    }
    text += &format!("{indent}}}\n");
    Ok(text)
}

/// `ReflectionProperty::__toString()`.
pub(super) fn property_text(
    vm: &mut Vm,
    about: &PropertySubject,
    indent: &str,
) -> PhpResult<String> {
    let Some(info) = about.info() else {
        return Ok(format!(
            "{indent}Property [ <dynamic> public ${} ]\n",
            about.name.whole_text()
        ));
    };
    let mut text = comment(info.doc_comment, indent);
    text += &format!("{indent}Property [ ");
    for (flag, word) in [
        (flags::ABSTRACT, "abstract "),
        (flags::FINAL, "final "),
        (flags::PUBLIC, "public "),
        (flags::PRIVATE, "private "),
        (flags::PROTECTED, "protected "),
        (flags::PRIVATE_SET, "private(set) "),
        (flags::PROTECTED_SET, "protected(set) "),
        (flags::STATIC, "static "),
        (flags::READONLY, "readonly "),
    ] {
        if super::property::shown_flags(info) & flag != 0 {
            text += word;
        }
    }
    if let Some(declared) = &info.declared {
        text += &format!("{} ", super::types::text(declared));
    }
    text += &format!("${}", about.name.whole_text());
    let default = super::property_values::declared_default(vm, info)?;
    if let Some(default) = default {
        text += &format!(" = {}", value_text(vm, &default)?);
    }
    text += " ]\n";
    Ok(text)
}

/// `ReflectionClassConstant::__toString()`.
pub(super) fn constant_text(
    vm: &mut Vm,
    owner: *mut Class,
    name: &[u8],
    indent: &str,
) -> PhpResult<String> {
    let value = super::class_members::constant_value(vm, owner, name)?;
    let Some(constant) = class(owner).constants.get(name).cloned() else {
        return Ok(String::new());
    };
    let ClassConstant {
        flags: bits,
        doc_comment,
        ..
    } = *constant;
    let mut text = comment(doc_comment, indent);
    let visibility = match bits & flags::VISIBILITY {
        flags::PRIVATE => "private",
        flags::PROTECTED => "protected",
        _ => "public",
    };
    let declared = match (&constant.declared, value.view()) {
        (Some(declared), _) => declared.display(),
        (None, ValueKind::Object(object)) => object.class().display_name(),
        (None, _) => String::from(vm_runtime::operators::type_name(&value)),
    };
    let shown = match value.view() {
        ValueKind::Array(_) => String::from("Array"),
        ValueKind::Object(_) => String::from("Object"),
        _ => string_of(vm, &value)?,
    };
    let is_final = if bits & flags::FINAL != 0 {
        "final "
    } else {
        ""
    };
    let name = text_of(name);
    text +=
        &format!("{indent}Constant [ {is_final}{visibility} {declared} {name} ] {{ {shown} }}\n");
    Ok(text)
}

/// `ReflectionAttribute::__toString()`.
pub(super) fn attribute_text(vm: &mut Vm, attribute: &AttributeDeclaration) -> PhpResult<String> {
    let name = name_text(attribute.name);
    if attribute.arguments.is_empty() {
        return Ok(format!("Attribute [ {name} ]\n"));
    }
    let mut text = format!(
        "Attribute [ {name} ] {{\n  - Arguments [{}] {{\n",
        attribute.arguments.len()
    );
    for (index, (argument, value)) in attribute.arguments.iter().enumerate() {
        let value = default_text(vm, value)?;
        let label = match argument.is_null() {
            true => String::new(),
            false => format!("{} = ", name_text(*argument)),
        };
        text += &format!("    Argument #{index} [ {label}{value} ]\n");
    }
    text += "  }\n}\n";
    Ok(text)
}

/// A section of a class's export: its title, and its members, each with its own lines.
fn section(indent: &str, title: &str, count: usize, members: &str) -> String {
    format!("\n{indent}  - {title} [{count}] {{\n{members}{indent}  }}\n")
}

fn class_header(
    vm: &Vm,
    about: *mut Class,
    instance: Option<&ObjectHandle>,
    indent: &str,
) -> String {
    let known = class(about);
    let kind = match known.flags {
        _ if instance.is_some() => "Object of class",
        bits if bits & class_flags::INTERFACE != 0 => "Interface",
        bits if bits & class_flags::TRAIT != 0 => "Trait",
        _ => "Class",
    };
    let declaration = super::class::declaration(about);
    let mut text = declaration.map_or(String::new(), |found| comment(found.doc_comment, indent));
    text += &format!("{indent}{kind} [ ");
    match super::extension::of_class(vm, known) {
        Some(extension) => text += &format!("<internal:{extension}> "),
        None => text += "<user> ",
    }
    if super::class::is_iterable_class(known) {
        text += "<iterateable> ";
    }
    if known.flags & class_flags::INTERFACE != 0 {
        text += "interface ";
    } else if known.flags & class_flags::TRAIT != 0 {
        text += "trait ";
    } else {
        for (flag, word) in [
            (
                class_flags::ABSTRACT | class_flags::IMPLICIT_ABSTRACT,
                "abstract ",
            ),
            (class_flags::FINAL, "final "),
            (class_flags::READONLY, "readonly "),
        ] {
            let is_said = flag != class_flags::FINAL || !super::class::is_native_enum(known);
            if known.flags & flag != 0 && is_said {
                text += word;
            }
        }
        text += "class ";
    }
    text += &name_text(known.name);
    if !known.parent.is_null() {
        text += &format!(" extends {}", class(known.parent).display_name());
    }
    let names: Vec<String> = known
        .interfaces
        .iter()
        .map(|&interface| class(interface).display_name())
        .collect();
    if !names.is_empty() {
        let word = match known.flags & class_flags::INTERFACE {
            0 => "implements",
            _ => "extends",
        };
        text += &format!(" {word} {}", names.join(", "));
    }
    text += " ] {\n";
    if let Some(found) = declaration {
        text += &format!(
            "{indent}  @@ {} {}-{}\n",
            name_text(found.filename),
            found.line_start,
            found.line_end
        );
    }
    text
}

/// `ReflectionClass::__toString()`.
pub(super) fn class_text(
    vm: &mut Vm,
    about: *mut Class,
    instance: Option<ObjectHandle>,
    indent: &str,
) -> PhpResult<String> {
    let known = class(about);
    let mut text = class_header(vm, about, instance.as_ref(), indent);
    let inner = format!("{indent}    ");

    let constants: Vec<Vec<u8>> = known
        .constants
        .iter()
        .map(|(name, _)| name.to_vec())
        .collect();
    let mut members = String::new();
    for name in &constants {
        members += &constant_text(vm, about, name, &inner)?;
    }
    text += &section(indent, "Constants", constants.len(), &members);

    let properties: Vec<Rc<PropertyInfo>> = known
        .properties
        .iter()
        .map(|(_, info)| info.clone())
        .filter(|info| !is_foreign_private(info.flags, info.class, about))
        .collect();
    let methods: Vec<*const Function> = known
        .methods
        .iter()
        .map(|(_, &method)| method)
        // SAFETY: I4: methods live as long as their class.
        .filter(|&method| unsafe { !is_foreign_private((*method).flags, (*method).scope, about) })
        .collect();
    text += &properties_section(vm, about, &properties, true, indent)?;
    text += &methods_section(vm, about, &methods, true, indent)?;
    text += &properties_section(vm, about, &properties, false, indent)?;
    if let Some(object) = &instance {
        fill_table(vm, object);
        text += &dynamic_section(object, indent);
    }
    text += &methods_section(vm, about, &methods, false, indent)?;
    text += &format!("{indent}}}\n");
    Ok(text)
}

fn properties_section(
    vm: &mut Vm,
    about: *mut Class,
    properties: &[Rc<PropertyInfo>],
    of_class: bool,
    indent: &str,
) -> PhpResult<String> {
    let inner = format!("{indent}    ");
    let (mut count, mut members) = (0, String::new());
    for info in properties
        .iter()
        .filter(|info| (info.flags & flags::STATIC != 0) == of_class)
    {
        // SAFETY: I4: a property's name lives as long as its class.
        let name = unsafe { StringHandle::share_raw(info.name) };
        let subject = PropertySubject {
            info: Rc::as_ptr(info),
            name,
            class: about,
        };
        members += &property_text(vm, &subject, &inner)?;
        count += 1;
    }
    let title = if of_class {
        "Static properties"
    } else {
        "Properties"
    };
    Ok(section(indent, title, count, &members))
}

fn methods_section(
    vm: &mut Vm,
    about: *mut Class,
    methods: &[*const Function],
    of_class: bool,
    indent: &str,
) -> PhpResult<String> {
    let inner = format!("{indent}    ");
    let mut members = Vec::new();
    for &function in methods {
        let subject = FunctionSubject {
            function,
            closure: None,
            class: about,
        };
        if subject.get().is_static() == of_class {
            members.push(function_text(vm, &subject, &inner)?);
        }
    }
    let title = if of_class {
        "Static methods"
    } else {
        "Methods"
    };
    Ok(section(indent, title, members.len(), &members.join("\n")))
}

fn dynamic_section(object: &ObjectHandle, indent: &str) -> String {
    let (mut count, mut members) = (0, String::new());
    if !object.dynamic.is_null() {
        // SAFETY: I3: the table of dynamic properties lives as long as the object.
        for (key, _) in unsafe { (*object.dynamic).iter() } {
            if let vm_runtime::array::KeyRef::String(name) = key
                // One that a parent keeps for itself is not counted here.
                && object.class().properties.get(name.as_bytes()).is_none()
            {
                members += &format!(
                    "{indent}    Property [ <dynamic> public ${} ]\n",
                    name.whole_text()
                );
                count += 1;
            }
        }
    }
    section(indent, "Dynamic properties", count, &members)
}

/// `ReflectionExtension::__toString()`.
pub(super) fn extension_text(vm: &mut Vm, name: &'static str) -> PhpResult<String> {
    use super::extension;
    let number = vm.natives.extensions().position(|known| known == name);
    let mut text = format!(
        "Extension [ <persistent> extension #{} {name} version {} ] {{\n",
        number.map_or(0, |number| number + 1),
        extension::VERSION
    );
    let dependencies = extension::dependencies_of(name);
    if !dependencies.is_empty() {
        text += "\n  - Dependencies {\n";
        for (other, kind) in dependencies {
            text += &format!("    Dependency [ {other} ({kind}) ]\n");
        }
        text += "  }\n";
    }
    let settings = extension::settings_of(vm, name);
    if !settings.is_empty() {
        text += "\n  - INI {\n";
        for definition in settings {
            text += &setting_text(vm, definition);
        }
        text += "  }\n";
    }
    let constants = extension::constants_of(vm, name);
    if !constants.is_empty() {
        text += &format!("\n  - Constants [{}] {{\n", constants.len());
        for (name, value) in constants {
            let declared = vm_runtime::operators::type_name(&value);
            let shown = match value.view() {
                ValueKind::Array(_) => String::from("Array"),
                _ => string_of(vm, &value)?,
            };
            text += &format!("    Constant [ <persistent> {declared} {name} ] {{ {shown} }}\n");
        }
        text += "  }\n";
    }
    let functions = extension::functions_of(vm, name);
    if !functions.is_empty() {
        text += "\n  - Functions {\n";
        for function in functions {
            text += &function_text(vm, &function, "    ")?;
        }
        text += "  }\n";
    }
    let classes = extension::classes_of(vm, name);
    if !classes.is_empty() {
        text += &format!("\n  - Classes [{}] {{\n", classes.len());
        let mut texts = Vec::new();
        for class in classes {
            texts.push(class_text(vm, class, None, "    ")?);
        }
        text += &texts.join("\n");
        text += "  }\n";
    }
    text += "}\n";
    Ok(text)
}

fn setting_text(vm: &mut Vm, definition: &'static vm_runtime::ini::IniDefinition) -> String {
    use vm_runtime::ini::access;
    let who = match definition.access {
        access::ALL => String::from("ALL"),
        rights => [
            (access::USER, "USER"),
            (access::DIRECTORY & !access::SYSTEM, "PERDIR"),
            (access::SYSTEM, "SYSTEM"),
        ]
        .iter()
        .filter(|(right, _)| rights & right != 0)
        .map(|(_, word)| *word)
        .collect::<Vec<_>>()
        .join(","),
    };
    let name = definition.name;
    let current = vm.ini.get(name.as_bytes()).flatten().unwrap_or_default();
    let mut text = format!(
        "    Entry [ {name} <{who}> ]\n      Current = '{}'\n",
        vm_runtime::message::whole_text(current)
    );
    if vm.ini.is_changed(name.as_bytes()) {
        let default = vm.ini.global(definition).unwrap_or_default();
        text += &format!(
            "      Default = '{}'\n",
            vm_runtime::message::whole_text(default)
        );
    }
    text + "    }\n"
}
