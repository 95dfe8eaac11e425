//! Classes of the engine and of extensions, stated once in PHP's own syntax.
//!
//! Registering only notes the statement by name; the class is linked when it is first looked up,
//! by the same rules as a user class.

use std::ptr::null_mut;
use std::rc::Rc;

use crate::class::linking::Linking;
use crate::class::{Class, ClassConstant, CreateNative, NativeHandlers, PropertyInfo};
use crate::exceptions::KnownClass;
use crate::function::{
    Call, DirectFunction, NativeDefinition, NativeFunction, Type, class_flags, flags, type_mask,
};
use crate::op_array::AttributeDeclaration;
use crate::types::{native_function, parse_type};
use crate::value::{FALSE, TRUE, Value, Zval};
use crate::vm::{PhpResult, Vm};

/// A native class.
///
/// ```text
/// NativeClass::new("class ArrayIterator implements SeekableIterator, Countable")
///     .constants(&["STD_PROP_LIST = 1"])
///     .properties(&["protected $message = ''"])
///     .methods(&[
///         method("tentative public function count(): int", count),
///         declare("public function __toString(): string"), // abstract
///     ])
/// ```
#[derive(Debug, Clone, Copy)]
pub struct NativeClass {
    /// `[abstract|final|readonly] class|interface|enum NAME[: int|string] [extends PARENT] [implements A, B]`
    pub declaration: &'static str,
    /// Further [`class_flags`].
    pub flags: u32,
    /// Constants: `[visibility] NAME = literal`; of enums also `case NAME`.
    pub constants: &'static [&'static str],
    /// Properties: `modifiers [type] $name [= literal]`; `virtual` ones are computed by
    /// [`NativeHandlers::properties_by_code`].
    pub properties: &'static [&'static str],
    /// Methods.
    pub methods: &'static [NativeDefinition],
    /// Makes the native part of a new object.
    pub create_native: Option<CreateNative>,
    /// Targets of the attribute that it is, if it is one.
    pub attribute: Option<i64>,
    /// What instances do in another way than the standard one.
    pub handlers: Option<&'static NativeHandlers>,
}

impl NativeClass {
    /// A class without members.
    pub const fn new(declaration: &'static str) -> NativeClass {
        NativeClass {
            declaration,
            flags: 0,
            constants: &[],
            properties: &[],
            methods: &[],
            create_native: None,
            attribute: None,
            handlers: None,
        }
    }

    /// With further [`class_flags`].
    pub const fn flags(self, flags: u32) -> NativeClass {
        NativeClass { flags, ..self }
    }

    /// With constants.
    pub const fn constants(self, constants: &'static [&'static str]) -> NativeClass {
        NativeClass { constants, ..self }
    }

    /// With properties.
    pub const fn properties(self, properties: &'static [&'static str]) -> NativeClass {
        NativeClass { properties, ..self }
    }

    /// With methods.
    pub const fn methods(self, methods: &'static [NativeDefinition]) -> NativeClass {
        NativeClass { methods, ..self }
    }

    /// With a native part.
    pub const fn create_native(self, create: CreateNative) -> NativeClass {
        NativeClass {
            create_native: Some(create),
            ..self
        }
    }

    /// As an attribute, with `Attribute::TARGET_*`.
    pub const fn attribute(self, targets: i64) -> NativeClass {
        NativeClass {
            attribute: Some(targets),
            ..self
        }
    }

    /// With handlers.
    pub const fn handlers(self, handlers: &'static NativeHandlers) -> NativeClass {
        NativeClass {
            handlers: Some(handlers),
            ..self
        }
    }

    /// The class name.
    pub fn name(&self) -> &'static str {
        Header::parse(self.declaration).name
    }
}

/// A method: `modifiers function name(parameters)[: type]`. The modifier `tentative` marks a return
/// type that children need not follow yet.
pub const fn method(signature: &'static str, code: NativeFunction) -> NativeDefinition {
    NativeDefinition::new(signature, code)
}

/// A method with a direct entry.
pub const fn direct_method(
    signature: &'static str,
    code: NativeFunction,
    direct: DirectFunction,
) -> NativeDefinition {
    NativeDefinition {
        signature,
        code,
        direct: Some(direct),
    }
}

/// An abstract method. Outside of interfaces its signature says `abstract`.
pub const fn declare(signature: &'static str) -> NativeDefinition {
    NativeDefinition::new(signature, call_abstract)
}

fn call_abstract(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.function().display_name();
    Err(call.vm.throw_error(
        KnownClass::Error,
        format!("Cannot call abstract method {name}()"),
    ))
}

/// The parts of [`NativeClass::declaration`].
struct Header {
    name: &'static str,
    flags: u32,
    backing_type: u32,
    parent: Option<&'static str>,
    interfaces: Vec<&'static str>,
}

impl Header {
    fn parse(text: &'static str) -> Header {
        let mut header = Header {
            name: "",
            flags: 0,
            backing_type: 0,
            parent: None,
            interfaces: Vec::new(),
        };
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        let mut list = "";
        for word in words {
            match word {
                "abstract" => header.flags |= class_flags::ABSTRACT,
                "final" => header.flags |= class_flags::FINAL,
                "readonly" => header.flags |= class_flags::READONLY,
                "interface" => header.flags |= class_flags::INTERFACE,
                "enum" => {
                    header.flags |= class_flags::ENUM
                        | class_flags::FINAL
                        | class_flags::NOT_CLONEABLE
                        | class_flags::NO_DYNAMIC_PROPERTIES;
                    header.interfaces.push("UnitEnum");
                }
                "string" | "int" if header.flags & class_flags::ENUM != 0 => {
                    header.backing_type = match word {
                        "int" => type_mask::LONG,
                        _ => type_mask::STRING,
                    };
                    // Reflection names it first, and behind the other one for enums of scripts.
                    header.interfaces.insert(0, "BackedEnum");
                }
                "class" => {}
                "extends" | "implements" => list = word,
                _ if list.is_empty() => header.name = word.trim_end_matches(':'),
                _ if list == "extends" && header.flags & class_flags::INTERFACE == 0 => {
                    header.parent = Some(word);
                }
                _ => header.interfaces.push(word),
            }
        }
        header
    }
}

/// Takes the modifiers off the front of a member's text.
fn modifiers(text: &'static str) -> (u32, &'static str) {
    let mut found = 0;
    let mut rest = text.trim();
    loop {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        found |= match word {
            "public" => flags::PUBLIC,
            "protected" => flags::PROTECTED,
            "private" => flags::PRIVATE,
            "static" => flags::STATIC,
            "final" => flags::FINAL,
            "abstract" => flags::ABSTRACT,
            "readonly" => flags::READONLY,
            "virtual" => flags::VIRTUAL,
            "const" => 0,
            _ => break,
        };
        rest = after.trim_start();
    }
    if found & flags::VISIBILITY == 0 {
        found |= flags::PUBLIC;
    }
    (found, rest)
}

/// A literal: `int`, `float`, quoted string, `null`, `true`, `false` or `[]`.
fn literal(vm: &mut Vm, text: &str) -> Zval {
    match text.trim() {
        "null" => Zval::NULL,
        "true" => Zval::from_bool(true),
        "false" => Zval::from_bool(false),
        "[]" => Zval::from_any_array(crate::array::empty_array()),
        text if text.starts_with(['\'', '"']) => {
            vm.names.string_value(&text.as_bytes()[1..text.len() - 1])
        }
        text => match text.parse::<i64>() {
            Ok(number) => Zval::from_long(number),
            Err(_) => Zval::from_double(
                text.parse()
                    .expect("the default of a native member is a literal"),
            ),
        },
    }
}

/// Flags, name and literal of a constant.
fn constant_parts(text: &'static str) -> (u32, &'static str, &'static str) {
    let (marker, text) = crate::types::split_marker(text);
    let (mut flags, mut rest) = modifiers(text);
    if marker.is_some() {
        flags |= flags::DEPRECATED;
    }
    if let Some(case) = rest.strip_prefix("case ") {
        flags |= flags::ENUM_CASE;
        rest = case;
    }
    let (left, value) = rest.split_once('=').unwrap_or((rest, "null"));
    // A type may stand before the name.
    (
        flags,
        left.split_whitespace().last().unwrap_or_default(),
        value,
    )
}

impl Vm {
    /// The value of a constant of a native class that is not linked yet, its parents' included.
    pub(crate) fn native_constant_value(&mut self, lowercase: &[u8], name: &str) -> Option<Zval> {
        let native = *self.class_state.natives.get(lowercase)?;
        let mut constants = native.constants.iter().map(|text| constant_parts(text));
        if let Some((flags, _, value)) = constants.find(|(_, known, _)| *known == name) {
            let is_plain = flags & (flags::ENUM_CASE | flags::DEPRECATED) == 0;
            return is_plain.then(|| literal(self, value));
        }
        let parent = Header::parse(native.declaration).parent?;
        self.native_constant_value(&lower(parent), name)
    }

    /// What is told of a deprecated constant of a native class: since when, and what to do instead.
    pub(crate) fn native_deprecation(&self, class: &[u8], name: &[u8]) -> String {
        let native = self
            .class_state
            .natives
            .get(class.to_ascii_lowercase().as_slice());
        let mut texts = native.into_iter().flat_map(|native| native.constants);
        let text = texts.find(|text| constant_parts(text).1.as_bytes() == name);
        let marker = text.and_then(|text| crate::types::split_marker(text).0);
        marker.map_or_else(String::new, crate::types::deprecation_suffix)
    }

    /// Makes native classes known by name.
    pub fn register_classes(&mut self, classes: &[&'static NativeClass]) {
        for class in classes {
            let name = class.name().to_ascii_lowercase();
            self.class_state
                .natives
                .insert(name.into_bytes().into(), class);
            self.class_state.native_order.push(class);
        }
    }

    /// Gives a native class, named in lower case, a further name.
    pub fn register_class_alias(&mut self, alias: &'static str, name: &str) {
        if let Some(&class) = self.class_state.natives.get(name.as_bytes()) {
            self.class_state
                .natives
                .insert(alias.as_bytes().into(), class);
        }
    }

    /// Links a native class, its parents first; gives the linked one if it is already.
    pub(crate) fn link_native(&mut self, lowercase: &[u8]) -> Option<*mut Class> {
        if let Some(&class) = self.classes.get(lowercase) {
            return Some(class);
        }
        let native = *self.class_state.natives.get(lowercase)?;
        let own = native.name().to_ascii_lowercase();
        if own.as_bytes() != lowercase {
            // A further name of a class.
            let class = self.link_native(own.as_bytes())?;
            self.classes.insert(lowercase.into(), class);
            return Some(class);
        }
        let header = Header::parse(native.declaration);
        let parent = header
            .parent
            .and_then(|name| self.link_native(&lower(name)));
        let is_stringable = header.flags & class_flags::INTERFACE == 0
            && native
                .methods
                .iter()
                .any(|method| crate::types::signature_name(method.signature) == "__toString");
        let stringable = is_stringable.then_some("Stringable");
        let names = stringable.iter().chain(&header.interfaces);
        let mut interfaces: Vec<*mut Class> = Vec::new();
        for name in names {
            let interface = self.link_native(&lower(name));
            interfaces.extend(interface.filter(|interface| !interfaces.contains(interface)));
        }

        let name = self.names.string(header.name.as_bytes());
        let lowercase_name = self.names.string(lowercase);
        let class = self.allocate_class(name, lowercase_name);
        let mut linking = Linking::new(class);
        // SAFETY: I4: the class was made just now and nothing else refers to it.
        unsafe {
            (*class).flags = header.flags | native.flags | class_flags::INTERNAL;
            (*class).create_native = native.create_native;
            (*class).handlers = native.handlers;
        }
        if let Some(targets) = native.attribute {
            let marker = AttributeDeclaration {
                name: self.names.string(b"Attribute"),
                lowercase: self.names.string(b"attribute"),
                arguments: vec![(null_mut(), Zval::from_long(targets))],
                filename: null_mut(),
                line: 0,
                strict: false,
            };
            // SAFETY: as above.
            unsafe { (*class).native_attributes.push(marker) };
        }
        // Those with handlers take properties in another way, and say nothing of it.
        let allows = native.flags & class_flags::ALLOW_DYNAMIC_PROPERTIES != 0;
        if allows && native.handlers.is_none() {
            let marker = AttributeDeclaration {
                name: self.names.string(b"AllowDynamicProperties"),
                lowercase: self.names.string(b"allowdynamicproperties"),
                arguments: Vec::new(),
                filename: null_mut(),
                line: 0,
                strict: false,
            };
            // SAFETY: as above.
            unsafe { (*class).native_attributes.push(marker) };
        }
        if header.flags & class_flags::ENUM != 0 {
            // SAFETY: as above.
            unsafe { (*class).backing_type = header.backing_type };
            self.declare_enum_properties(&mut linking, header.backing_type);
            self.declare_enum_methods(&linking, header.backing_type);
        }
        // Constants of a native parent stand before those of the class.
        if let Some(parent) = parent {
            // SAFETY: I4: both classes are live, and they differ.
            let (class, parent) = unsafe { (&mut *class, &*parent) };
            for (name, constant) in parent.constants.iter() {
                class.constants.insert(name, constant.clone());
            }
        }
        for text in native.constants {
            self.native_constant(class, text);
        }
        for text in native.properties {
            self.native_property(&mut linking, text);
        }
        for method in native.methods {
            self.native_method(class, method);
        }
        linking.complete(self, parent.unwrap_or(null_mut()), &interfaces);
        // SAFETY: I4: the class is live.
        unsafe {
            let is_interface = (*class).flags & class_flags::INTERFACE != 0;
            if is_interface && !(*class).methods.is_empty() {
                (*class).flags |= class_flags::IMPLICIT_ABSTRACT;
            }
        }
        if native
            .handlers
            .is_some_and(|handlers| handlers.destruct.is_some())
        {
            // Marks that there is a destructor; `Vm::call_destructor` calls the native one.
            let marker = self.pass_function();
            // SAFETY: I4: the class is live.
            unsafe { (*class).magic.destruct = marker };
        }
        self.classes.insert(lowercase.into(), class);
        if let Some(known) = KnownClass::ALL
            .iter()
            .find(|known| known.name() == header.name)
        {
            self.known_classes[*known as usize] = class;
        }
        Some(class)
    }

    fn native_constant(&mut self, class: *mut Class, text: &'static str) {
        let (flags, name, value) = constant_parts(text);
        let value = literal(self, value);
        // All constants of PHP's own classes are typed.
        let declared = (flags & flags::ENUM_CASE == 0).then(|| Type {
            mask: match value.kind() {
                TRUE | FALSE => type_mask::BOOL,
                kind => 1 << kind,
            },
            ..Type::default()
        });
        let constant = ClassConstant {
            value,
            flags,
            class,
            declared,
            doc_comment: null_mut(),
            evaluating: false,
            attributes: &[],
        };
        // SAFETY: I4: the class is live.
        unsafe {
            (*class)
                .constants
                .insert(name.as_bytes(), Rc::new(constant))
        };
    }

    fn native_property(&mut self, linking: &mut Linking, text: &'static str) {
        let (flags, rest) = modifiers(text);
        let (left, value) = match rest.split_once('=') {
            Some((left, value)) => (left, Some(value)),
            None => (rest, None),
        };
        let (declared, name) = left.split_once('$').unwrap_or(("", left));
        let declared = declared.trim();
        let name = self.names.string(name.trim().as_bytes());
        let declared = (!declared.is_empty()).then(|| parse_type(&mut self.names, declared));
        let default = match value {
            Some(value) => literal(self, value),
            None if declared.is_none() => Zval::NULL,
            None => Zval::UNDEF,
        };
        let info = PropertyInfo::new(self, linking.class, name, flags, declared);
        linking.property(info, default);
    }

    fn native_method(&mut self, class: *mut Class, definition: &'static NativeDefinition) {
        let function = native_function(self, definition, class);
        // SAFETY: I4: the function was made just now; the class is live.
        unsafe {
            if (*class).flags & class_flags::INTERFACE != 0 {
                (*function).flags |= flags::ABSTRACT;
            }
            let lowercase = (*(*function).name).as_bytes().to_ascii_lowercase();
            if lowercase == b"__construct" {
                (*function).flags |= flags::CONSTRUCTOR;
            }
            (*class).methods.insert(&lowercase, function);
        }
    }
}

fn lower(name: &str) -> Vec<u8> {
    name.to_ascii_lowercase().into_bytes()
}
