//! Members of classes: methods, constants, cases, properties, uses of traits.

use std::rc::Rc;

use vm_runtime::function::{flags, type_mask};
use vm_runtime::op_array::{
    AttributeDeclaration, ConstantDeclaration, PropertyDeclaration, TraitAdaptation,
};
use vm_runtime::value::Zval;

use crate::ast::{
    ClassConstants, EnumCase, FunctionBody, FunctionDecl, Modifiers, Properties,
    TraitAdaptationKind, TraitUse, Type,
};

use super::attributes::target;
use super::classes::display_class;
use super::errors::message;
use super::functions::{Body, FunctionParts};
use super::operand::Constant;
use super::types::{CompiledType, type_name, value_name};
use super::{Compiler, Result, Severity, walk};

/// The flags of a member's modifiers.
pub(crate) fn member_flags(modifiers: Modifiers) -> u32 {
    const MAP: [(Modifiers, u32); 10] = [
        (Modifiers::PUBLIC, flags::PUBLIC),
        (Modifiers::PROTECTED, flags::PROTECTED),
        (Modifiers::PRIVATE, flags::PRIVATE),
        (Modifiers::STATIC, flags::STATIC),
        (Modifiers::FINAL, flags::FINAL),
        (Modifiers::ABSTRACT, flags::ABSTRACT),
        (Modifiers::READONLY, flags::READONLY),
        (Modifiers::PUBLIC_SET, flags::PUBLIC_SET),
        (Modifiers::PROTECTED_SET, flags::PROTECTED_SET),
        (Modifiers::PRIVATE_SET, flags::PRIVATE_SET),
    ];
    MAP.iter()
        .filter(|entry| modifiers.intersects(entry.0))
        .fold(0, |all, entry| all | entry.1)
}

/// A property to be declared.
pub(crate) struct NewProperty<'a> {
    pub name: &'a [u8],
    pub modifiers: Modifiers,
    pub extra_flags: u32,
    pub declared_type: Option<&'a Type<'a>>,
    pub compiled: Option<CompiledType<'a>>,
    pub default: Zval,
    /// The default is written.
    pub has_default: bool,
    pub hooks: Option<&'a [FunctionDecl<'a>]>,
    pub doc_comment: Option<&'a [u8]>,
    pub attributes: Vec<AttributeDeclaration>,
    pub line: u32,
}

impl<'a> Compiler<'a, '_> {
    /// The name of the class being compiled, as messages show it.
    pub fn class_text(&self) -> &'a [u8] {
        self.class
            .as_ref()
            .map_or(b"", |class| display_class(class.name))
    }

    pub fn compile_method(&mut self, method: &'a FunctionDecl<'a>) -> Result<()> {
        let class_name = self.class_text();
        let name = method.name;
        let lowercase = self.lowercase(name);
        let has_body = !matches!(method.body, FunctionBody::None);
        let class = self.active_class()?;
        let (in_interface, in_trait) = (class.is_interface(), class.is_trait());
        let is_explicit_abstract =
            class.declaration.flags & vm_runtime::function::class_flags::ABSTRACT != 0;
        let mut method_flags = member_flags(method.modifiers);
        if method_flags & flags::VISIBILITY == 0 {
            method_flags |= flags::PUBLIC;
        }
        let is_private = method_flags & flags::PRIVATE != 0;
        let is_constructor = lowercase == b"__construct";
        let described = || message!(class_name, "::", name, "()");
        if is_private && method_flags & flags::FINAL != 0 && !is_constructor {
            self.report(
                Severity::Warning,
                "Private methods cannot be final as they are never overridden by other classes",
            );
        }
        if in_interface {
            if method_flags & flags::PUBLIC == 0 {
                return self.fail(message!(
                    "Access type for interface method ",
                    described(),
                    " must be public"
                ));
            }
            for (flag, word) in [(flags::FINAL, "final"), (flags::ABSTRACT, "abstract")] {
                if method_flags & flag != 0 {
                    return self.fail(message!(
                        "Interface method ",
                        described(),
                        " must not be ",
                        word
                    ));
                }
            }
            method_flags |= flags::ABSTRACT;
        }
        let kind = if in_interface {
            "Interface"
        } else {
            "Abstract"
        };
        if method_flags & flags::ABSTRACT != 0 {
            if is_private && !in_trait {
                return self.fail(message!(
                    kind,
                    " function ",
                    described(),
                    " cannot be declared private"
                ));
            }
            if has_body {
                return self.fail(message!(
                    kind,
                    " function ",
                    described(),
                    " cannot contain body"
                ));
            }
            if !in_interface && !in_trait && !is_explicit_abstract {
                self.active_class()?.abstract_methods.push(name);
            } else {
                self.active_class()?.declaration.flags |=
                    vm_runtime::function::class_flags::IMPLICIT_ABSTRACT;
            }
        } else if !has_body {
            return self.fail(message!(
                "Non-abstract method ",
                described(),
                " must contain body"
            ));
        }
        if self.active_class()?.methods.contains_key(lowercase) {
            return self.fail(message!("Cannot redeclare ", described()));
        }
        if lowercase == b"__tostring" && !in_trait {
            self.active_class()?.is_stringable = true;
        }
        if is_constructor {
            method_flags |= flags::CONSTRUCTOR;
        }
        let display_name = message!(class_name, "::", name);
        let op_array = self.compile_function_parts(
            method,
            FunctionParts {
                name,
                display_name,
                flags: method_flags,
                parameters: method.params.unwrap_or(&[]),
                return_type: method.return_type,
                fallback_return: if lowercase == b"__tostring" {
                    type_mask::STRING
                } else {
                    0
                },
                body: Body::Declared,
                hook: None,
                bound: Vec::new(),
                method: Some(lowercase),
            },
        )?;
        let known = Rc::new(self.describe(&op_array));
        let class = self.active_class()?;
        class.methods.insert(lowercase, known);
        class.declaration.methods.push(op_array);
        Ok(())
    }

    /// Notes a method whose parameters are compiled but whose body is not.
    pub fn know_method(&mut self, lowercase: &'a [u8]) {
        let draft = &self.function.draft;
        let known = super::KnownFunction {
            internal: false,
            flags: draft.flags,
            required: draft.required_count,
            parameters: self.shared_parameters(),
            slots: 0,
            frameless: 0,
            location: None,
        };
        if let Some(class) = &mut self.class {
            class.methods.insert(lowercase, Rc::new(known));
        }
    }

    /// What magic methods must look like.
    pub fn check_magic_method(&mut self) -> Result<()> {
        let Some(name) = self.function.name.filter(|name| name.starts_with(b"__")) else {
            return Ok(());
        };
        let lowercase = self.lowercase(name);
        let method = message!(self.class_text(), "::", name, "()");
        let draft = &self.function.draft;
        let method_flags = draft.flags;
        let count = draft
            .parameters
            .iter()
            .filter(|parameter| !parameter.variadic)
            .count();
        let by_ref = draft
            .parameters
            .iter()
            .any(|parameter| parameter.pass_by != vm_runtime::function::PassBy::Value);
        let return_mask = draft
            .return_type
            .as_ref()
            .map(|ty| (ty.mask, ty.classes.len()));
        let parameter_mask = |position: usize| {
            draft
                .parameters
                .get(position)
                .and_then(|parameter| parameter.declared.as_ref())
                .map(|declared| declared.mask)
        };
        let masks = [parameter_mask(0), parameter_mask(1)];
        let names: Vec<Vec<u8>> = draft
            .parameters
            .iter()
            .map(|parameter| parameter.name_bytes().to_vec())
            .collect();
        use type_mask as T;
        let array_or_null = T::ARRAY | T::NULL;
        // Arguments, static, public, argument types, return type with its name.
        type Rule = (
            Option<usize>,
            Option<bool>,
            bool,
            [u32; 2],
            Option<(u32, &'static str)>,
        );
        let rule: Rule = match lowercase {
            b"__construct" => (None, Some(false), false, [0, 0], None),
            b"__destruct" => (Some(0), Some(false), false, [0, 0], None),
            b"__clone" => (Some(0), Some(false), false, [0, 0], Some((T::VOID, "void"))),
            b"__get" => (Some(1), Some(false), true, [T::STRING, 0], None),
            b"__set" => (
                Some(2),
                Some(false),
                true,
                [T::STRING, 0],
                Some((T::VOID, "void")),
            ),
            b"__unset" => (
                Some(1),
                Some(false),
                true,
                [T::STRING, 0],
                Some((T::VOID, "void")),
            ),
            b"__isset" => (
                Some(1),
                Some(false),
                true,
                [T::STRING, 0],
                Some((T::BOOL, "bool")),
            ),
            b"__call" => (Some(2), Some(false), true, [T::STRING, T::ARRAY], None),
            b"__callstatic" => (Some(2), Some(true), true, [T::STRING, T::ARRAY], None),
            b"__tostring" => (
                Some(0),
                Some(false),
                true,
                [0, 0],
                Some((T::STRING, "string")),
            ),
            b"__debuginfo" => (
                Some(0),
                Some(false),
                true,
                [0, 0],
                Some((array_or_null, "?array")),
            ),
            b"__serialize" => (
                Some(0),
                Some(false),
                true,
                [0, 0],
                Some((T::ARRAY, "array")),
            ),
            b"__unserialize" => (
                Some(1),
                Some(false),
                true,
                [T::ARRAY, 0],
                Some((T::VOID, "void")),
            ),
            b"__set_state" => (
                Some(1),
                Some(true),
                true,
                [T::ARRAY, 0],
                Some((T::OBJECT, "object")),
            ),
            b"__invoke" => (None, Some(false), true, [0, 0], None),
            b"__sleep" => (
                Some(0),
                Some(false),
                true,
                [0, 0],
                Some((T::ARRAY, "array")),
            ),
            b"__wakeup" => (Some(0), Some(false), true, [0, 0], Some((T::VOID, "void"))),
            _ => return Ok(()),
        };
        let (arguments, wants_static, wants_public, argument_types, return_type) = rule;
        let is_named = |word: &[u8]| lowercase == word;
        if is_named(b"__construct") || is_named(b"__destruct") {
            if method_flags & flags::STATIC != 0 {
                return self.fail(message!("Method ", method, " cannot be static"));
            }
            if arguments == Some(0) && count != 0 {
                return self.fail(message!("Method ", method, " cannot take arguments"));
            }
            if return_mask.is_some() {
                return self.fail(message!("Method ", method, " cannot declare a return type"));
            }
            return Ok(());
        }
        if let Some(wanted) = arguments.filter(|wanted| *wanted != count) {
            if wanted == 0 {
                return self.fail(message!("Method ", method, " cannot take arguments"));
            }
            let plural = if wanted == 1 { "" } else { "s" };
            return self.fail(message!(
                "Method ",
                method,
                " must take exactly ",
                wanted.to_string(),
                " argument",
                plural
            ));
        }
        if arguments.is_some() && by_ref {
            return self.fail(message!(
                "Method ",
                method,
                " cannot take arguments by reference"
            ));
        }
        match (wants_static, method_flags & flags::STATIC != 0) {
            (Some(true), false) => {
                return self.fail(message!("Method ", method, " must be static"));
            }
            (Some(false), true) => {
                return self.fail(message!("Method ", method, " cannot be static"));
            }
            _ => {}
        }
        if wants_public && method_flags & flags::PUBLIC == 0 {
            self.report(
                Severity::Warning,
                message!("The magic method ", method, " must have public visibility"),
            );
        }
        for (position, wanted) in argument_types.into_iter().enumerate() {
            if let (Some(mask), true) = (masks[position], wanted != 0)
                && mask & wanted == 0
            {
                let word = if wanted == T::STRING {
                    "string"
                } else {
                    "array"
                };
                return self.fail(message!(
                    method,
                    ": Parameter #",
                    (position + 1).to_string(),
                    " ($",
                    names[position],
                    ") must be of type ",
                    word,
                    " when declared"
                ));
            }
        }
        if let (Some((wanted, word)), Some((mask, classes))) = (return_type, return_mask) {
            let is_never = mask == T::NEVER;
            // Where any object may be returned, so may one of these classes or `static`.
            let object = wanted & T::OBJECT != 0;
            let extra = mask & !wanted & if object { !T::STATIC } else { !0 };
            if !is_never && (extra != 0 || classes != 0 && !object) {
                return self.fail(message!(
                    method,
                    ": Return type must be ",
                    word,
                    " when declared"
                ));
            }
        }
        Ok(())
    }

    pub fn compile_class_constants(&mut self, constants: &'a ClassConstants<'a>) -> Result<()> {
        let class_name = self.class_text();
        let mut constant_flags = member_flags(constants.modifiers);
        if constant_flags & flags::VISIBILITY == 0 {
            constant_flags |= flags::PUBLIC;
        }
        let declared = match constants.declared_type {
            Some(declared) => Some(self.compile_type(declared)?),
            None => None,
        };
        let is_deprecated = self.has_attribute(constants.attributes, b"deprecated")?;
        for item in constants.items {
            self.line = item.line;
            let name = item.name;
            if let Some(declared) = &declared {
                let forbidden = type_mask::VOID | type_mask::NEVER | type_mask::CALLABLE;
                if declared.mask != type_mask::ANY && declared.mask & forbidden != 0 {
                    let text = declared.text();
                    return self.fail(message!(
                        "Class constant ",
                        class_name,
                        "::",
                        name,
                        " cannot have type ",
                        text
                    ));
                }
            }
            if constant_flags & flags::PRIVATE != 0 && constant_flags & flags::FINAL != 0 {
                return self.fail(message!(
                    "Private constant ",
                    class_name,
                    "::",
                    name,
                    " cannot be final as it is not visible to other classes"
                ));
            }
            let attributes =
                self.compile_attributes(constants.attributes, target::CLASS_CONSTANT)?;
            let (constant, value) = self.constant_expression(item.value, false)?;
            let mut value = value;
            if let (Some(declared), Some(constant)) = (&declared, constant) {
                if !declared.accepts(constant) {
                    let text = declared.text();
                    return self.fail(message!(
                        "Cannot use ",
                        type_name(constant),
                        " as value for class constant ",
                        class_name,
                        "::",
                        name,
                        " of type ",
                        text
                    ));
                }
                if let (Constant::Long(long), 0) = (constant, declared.mask & type_mask::LONG) {
                    value = Zval::from_double(long as f64);
                }
            }
            let is_public = constant_flags & flags::PUBLIC != 0;
            if !is_public && self.active_class()?.is_interface() {
                return self.fail(message!(
                    "Access type for interface constant ",
                    class_name,
                    "::",
                    name,
                    " must be public"
                ));
            }
            self.add_class_constant(name, constant.filter(|_| !is_deprecated))?;
            let published = declared
                .as_ref()
                .map(|declared| self.publish_type(declared));
            let declaration = ConstantDeclaration {
                name: self.pool.string(name),
                value,
                flags: constant_flags | if is_deprecated { flags::DEPRECATED } else { 0 },
                declared: published,
                doc_comment: self.optional_string(item.doc_comment),
                attributes,
                line: item.line,
            };
            self.active_class()?.declaration.constants.push(declaration);
        }
        Ok(())
    }

    fn optional_string(&mut self, text: Option<&[u8]>) -> *mut vm_runtime::string::PhpString {
        text.map_or(std::ptr::null_mut(), |text| self.pool.string(text))
    }

    fn add_class_constant(&mut self, name: &'a [u8], value: Option<Constant<'a>>) -> Result<()> {
        let class_name = self.class_text();
        if name.eq_ignore_ascii_case(b"class") {
            return self.fail(
                "A class constant must not be called 'class'; it is reserved for class name \
                 fetching",
            );
        }
        let class = self.active_class()?;
        if class.constants.insert(name, value).is_some() {
            return self.fail(message!(
                "Cannot redefine class constant ",
                class_name,
                "::",
                name
            ));
        }
        Ok(())
    }

    pub fn compile_enum_case(&mut self, case: &'a EnumCase<'a>) -> Result<()> {
        let class_name = self.class_text();
        let line = self.line;
        if !self.active_class()?.is_enum() {
            return self.fail("Case can only be used in enums");
        }
        let backing = self
            .active_class()?
            .backing
            .as_ref()
            .map(|backing| backing.mask);
        let value = match (case.value, backing) {
            (None, Some(_)) => {
                return self.fail(message!(
                    "Case ",
                    case.name,
                    " of backed enum ",
                    class_name,
                    " must have a value"
                ));
            }
            (Some(_), None) => {
                return self.fail(message!(
                    "Case ",
                    case.name,
                    " of non-backed enum ",
                    class_name,
                    " must not have a value"
                ));
            }
            (None, None) => Zval::UNDEF,
            // Whether the value fits is found when the class is linked.
            (Some(value), Some(_)) => self.constant_expression(value, false)?.1,
        };
        self.line = line;
        let is_deprecated = self.has_attribute(case.attributes, b"deprecated")?;
        let attributes = self.compile_attributes(case.attributes, target::CLASS_CONSTANT)?;
        self.add_class_constant(case.name, None)?;
        let declaration = ConstantDeclaration {
            name: self.pool.string(case.name),
            value,
            flags: flags::PUBLIC
                | flags::ENUM_CASE
                | if is_deprecated { flags::DEPRECATED } else { 0 },
            declared: None,
            doc_comment: self.optional_string(case.doc_comment),
            attributes,
            line,
        };
        self.active_class()?.declaration.constants.push(declaration);
        Ok(())
    }

    pub fn compile_properties(&mut self, properties: &'a Properties<'a>) -> Result<()> {
        let class_name = self.class_text();
        let class = self.active_class()?;
        let (in_interface, readonly_class) = (class.is_interface(), class.is_readonly());
        if class.is_enum() {
            let name = class.name;
            return self.fail(message!("Enum ", name, " cannot include properties"));
        }
        let mut modifiers = properties.modifiers;
        for item in properties.items {
            self.line = item.line;
            let name = item.name;
            let described = || message!(class_name, "::$", name);
            if modifiers.intersects(Modifiers::FINAL) && modifiers.intersects(Modifiers::PRIVATE) {
                return self.fail("Property cannot be both final and private");
            }
            if in_interface {
                if modifiers.intersects(Modifiers::FINAL) {
                    return self.fail("Property in interface cannot be final");
                }
                if modifiers.intersects(Modifiers::PROTECTED.union(Modifiers::PRIVATE)) {
                    return self.fail("Property in interface cannot be protected or private");
                }
                if modifiers.intersects(Modifiers::ABSTRACT) {
                    return self.fail(
                        "Property in interface cannot be explicitly abstract. All interface \
                         members are implicitly abstract",
                    );
                }
                if item.hooks.is_none() {
                    return self.fail("Interfaces may only include hooked properties");
                }
                modifiers = modifiers.union(Modifiers::ABSTRACT);
            }
            if modifiers.intersects(Modifiers::ABSTRACT) && item.hooks.is_none() {
                return self.fail("Only hooked properties may be declared abstract");
            }
            let compiled = match properties.declared_type {
                Some(declared) => Some(self.compile_type(declared)?),
                None => None,
            };
            if let Some(compiled) = &compiled {
                let forbidden = type_mask::VOID | type_mask::NEVER | type_mask::CALLABLE;
                if compiled.mask != type_mask::ANY && compiled.mask & forbidden != 0 {
                    let text = compiled.text();
                    return self.fail(message!(
                        "Property ",
                        described(),
                        " cannot have type ",
                        text
                    ));
                }
            }
            if self.active_class()?.has_property(name) {
                return self.fail(message!("Cannot redeclare ", described()));
            }
            self.property = Some(name);
            let default = self.property_default(item.default, compiled.as_ref(), name)?;
            let mut effective = modifiers;
            if readonly_class {
                effective = effective.union(Modifiers::READONLY);
            }
            if effective.intersects(Modifiers::READONLY) {
                if compiled.is_none() {
                    return self.fail(message!(
                        "Readonly property ",
                        described(),
                        " must have type"
                    ));
                }
                if !default.is_undef() {
                    return self.fail(message!(
                        "Readonly property ",
                        described(),
                        " cannot have default value"
                    ));
                }
                if effective.intersects(Modifiers::STATIC) {
                    return self.fail(message!(
                        "Static property ",
                        described(),
                        " cannot be readonly"
                    ));
                }
            }
            let attributes = self.compile_attributes(properties.attributes, target::PROPERTY)?;
            self.property = None;
            self.declare_property(NewProperty {
                name,
                modifiers: effective,
                extra_flags: 0,
                declared_type: properties.declared_type,
                compiled,
                default,
                has_default: item.default.is_some(),
                hooks: item.hooks,
                doc_comment: item.doc_comment,
                attributes,
                line: item.line,
            })?;
        }
        Ok(())
    }

    fn property_default(
        &mut self,
        default: Option<crate::ast::ExprRef<'a>>,
        declared: Option<&CompiledType<'a>>,
        name: &[u8],
    ) -> Result<Zval> {
        let Some(default) = default else {
            return Ok(if declared.is_some() {
                Zval::UNDEF
            } else {
                Zval::NULL
            });
        };
        let (constant, value) = self.constant_expression(default, false)?;
        let (Some(constant), Some(declared)) = (constant, declared) else {
            return Ok(value);
        };
        if declared.accepts(constant) {
            if let (Constant::Long(long), 0) = (constant, declared.mask & type_mask::LONG) {
                return Ok(Zval::from_double(long as f64));
            }
            return Ok(value);
        }
        let text = declared.text();
        let is_intersection = declared.classes.iter().any(|classes| classes.len() > 1);
        if matches!(constant, Constant::Null) && !is_intersection {
            let mut nullable = declared.clone();
            nullable.mask |= type_mask::NULL;
            let nullable = nullable.text();
            return self.fail(message!(
                "Default value for property of type ",
                text,
                " may not be null. Use the nullable type ",
                nullable,
                " to allow null default value"
            ));
        }
        let class_name = self.class_text();
        self.fail(message!(
            "Cannot use ",
            value_name(constant),
            " as default value for property ",
            class_name,
            "::$",
            name,
            " of type ",
            text
        ))
    }

    /// Declares a property and compiles its hooks.
    pub fn declare_property(&mut self, property: NewProperty<'a>) -> Result<()> {
        let class_name = self.class_text();
        let name = property.name;
        let mut property_flags = member_flags(property.modifiers) | property.extra_flags;
        if property_flags & flags::VISIBILITY == 0 {
            property_flags |= flags::PUBLIC;
        }
        let described = || message!(class_name, "::$", name);
        let set_visibility = property.modifiers.intersects(Modifiers::SET_VISIBILITY);
        if set_visibility {
            if property.declared_type.is_none() {
                return self.fail(message!(
                    "Property with asymmetric visibility ",
                    described(),
                    " must have type"
                ));
            }
            let rank = |visible: u32| match visible {
                v if v & (flags::PRIVATE | flags::PRIVATE_SET) != 0 => 0,
                v if v & (flags::PROTECTED | flags::PROTECTED_SET) != 0 => 1,
                _ => 2,
            };
            let get = rank(property_flags & flags::VISIBILITY);
            let set_flags = flags::PUBLIC_SET | flags::PROTECTED_SET | flags::PRIVATE_SET;
            let set = rank(property_flags & set_flags);
            if set > get {
                return self.fail(message!(
                    "Visibility of property ",
                    described(),
                    " must not be weaker than set visibility"
                ));
            }
            if property_flags & flags::STATIC != 0 {
                return self.fail("Static property may not have asymmetric visibility");
            }
            // Of a readonly property it says more than the default, `protected(set)`.
            if set == get && property_flags & flags::READONLY == 0 {
                property_flags &= !set_flags;
            }
            if property_flags & flags::PRIVATE_SET != 0 {
                property_flags |= flags::FINAL;
            }
        }
        if let Some(hooks) = property.hooks {
            if property_flags & flags::READONLY != 0 {
                return self.fail("Hooked properties cannot be readonly");
            }
            let is_virtual = !hooks
                .iter()
                .any(|hook| walk::hook_uses_property(hook, name));
            if is_virtual {
                property_flags |= flags::VIRTUAL;
                let has = |kind: &[u8]| {
                    hooks
                        .iter()
                        .any(|hook| hook.name.eq_ignore_ascii_case(kind))
                };
                let missing = match (has(b"get"), has(b"set")) {
                    (true, false) => Some("Read-only"),
                    (false, true) => Some("Write-only"),
                    _ => None,
                };
                if let (Some(word), true) = (missing, set_visibility) {
                    return self.fail(message!(
                        word,
                        " virtual property ",
                        described(),
                        " must not specify asymmetric visibility"
                    ));
                }
            }
        }
        self.active_class()?.properties.insert(name, ());
        let published = property
            .compiled
            .as_ref()
            .map(|compiled| self.publish_type(compiled));
        let name_string = self.pool.string(name);
        let doc_comment = self.optional_string(property.doc_comment);
        let is_virtual = property_flags & flags::VIRTUAL != 0;
        let declaration = PropertyDeclaration {
            name: name_string,
            default: if is_virtual && !property.has_default {
                Zval::UNDEF
            } else {
                property.default
            },
            flags: property_flags,
            declared: published,
            get_hook: None,
            set_hook: None,
            doc_comment,
            attributes: property.attributes,
            line: property.line,
        };
        let class = self.active_class()?;
        class.declaration.properties.push(declaration);
        let index = class.declaration.properties.len() - 1;
        if let Some(hooks) = property.hooks {
            self.compile_hooks(
                index,
                super::hooks::HookedProperty {
                    name,
                    flags: property_flags,
                    declared_type: property.declared_type,
                    compiled: property.compiled.as_ref(),
                },
                hooks,
            )?;
        }
        Ok(())
    }

    pub fn compile_trait_use(&mut self, trait_use: &'a TraitUse<'a>) -> Result<()> {
        let class_name = self.class_text();
        if self.active_class()?.is_interface() {
            let first = trait_use.traits.first().map_or(&b""[..], |name| name.bytes);
            return self.fail(message!(
                "Cannot use traits inside of interfaces. ",
                first,
                " is used in ",
                class_name
            ));
        }
        for name in trait_use.traits {
            let resolved = self.resolve_trait(name)?;
            self.active_class()?.declaration.traits.push(resolved);
        }
        for adaptation in trait_use.adaptations {
            let compiled = match adaptation.kind {
                TraitAdaptationKind::Precedence {
                    class,
                    method,
                    insteadof,
                } => {
                    let trait_name = self.resolve_trait(&class)?;
                    let mut excluded = Vec::with_capacity(insteadof.len());
                    for name in insteadof {
                        excluded.push(self.resolve_trait(name)?);
                    }
                    TraitAdaptation::Precedence {
                        trait_name,
                        method: self.pool.string(method.bytes),
                        excluded,
                    }
                }
                TraitAdaptationKind::Alias {
                    class,
                    method,
                    modifiers,
                    alias,
                } => {
                    self.check_alias_modifiers(modifiers)?;
                    let trait_name = match class {
                        Some(class) => Some(self.resolve_trait(&class)?),
                        None => None,
                    };
                    TraitAdaptation::Alias {
                        trait_name,
                        method: self.pool.string(method.bytes),
                        alias: self.optional_string(alias.map(|alias| alias.bytes)),
                        modifiers: member_flags(modifiers),
                    }
                }
            };
            self.active_class()?.declaration.adaptations.push(compiled);
        }
        Ok(())
    }

    fn check_alias_modifiers(&mut self, modifiers: Modifiers) -> Result<()> {
        for (modifier, word) in [
            (Modifiers::STATIC, "static"),
            (Modifiers::ABSTRACT, "abstract"),
        ] {
            if modifiers.intersects(modifier) {
                return self.fail(message!(
                    "Cannot use \"",
                    word,
                    "\" as method modifier in trait alias"
                ));
            }
        }
        Ok(())
    }
}
