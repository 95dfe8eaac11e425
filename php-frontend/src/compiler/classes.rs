//! Classes, interfaces, traits and enums.

use std::rc::Rc;
use std::sync::Arc;

use vm_runtime::function::{Type, class_flags, flags, type_mask};
use vm_runtime::generated::Opcode;
use vm_runtime::op::IS_CONST;
use vm_runtime::op_array::{ClassDeclaration, ClassName, OpArray};
use vm_runtime::value::Zval;

use crate::ast::{ClassDecl, ClassKind, MemberKind, Modifiers, Name};

use super::attributes::target;
use super::errors::message;
use super::names::{ClassFetch, class_fetch, is_reserved_class_name};
use super::operand::{Constant, Operand};
use super::types::CompiledType;
use super::{Compiler, KnownFunction, NameMap, Result, Severity};

/// The class being compiled.
pub(crate) struct ClassState<'a> {
    /// Resolved name.
    pub name: &'a [u8],
    pub lowercase: &'a [u8],
    /// Name of the parent.
    pub parent: Option<&'a [u8]>,
    pub declaration: ClassDeclaration,
    /// Methods so far, by lower-cased name.
    pub methods: NameMap<'a, Rc<KnownFunction>>,
    /// Constants so far; with their value if it is known and may be substituted.
    pub constants: NameMap<'a, Option<Constant<'a>>>,
    pub properties: NameMap<'a, ()>,
    /// Abstract methods declared by a class that isn't abstract.
    pub abstract_methods: Vec<&'a [u8]>,
    /// Some hook's parameter type differs from its property's.
    pub has_hook_variance: bool,
    /// Declares `__toString`, which makes it `Stringable`.
    pub is_stringable: bool,
    /// The type of an enum's cases.
    pub backing: Option<CompiledType<'a>>,
}

impl ClassState<'_> {
    pub fn is_trait(&self) -> bool {
        self.declaration.flags & class_flags::TRAIT != 0
    }

    pub fn is_interface(&self) -> bool {
        self.declaration.flags & class_flags::INTERFACE != 0
    }

    pub fn is_enum(&self) -> bool {
        self.declaration.flags & class_flags::ENUM != 0
    }

    pub fn is_readonly(&self) -> bool {
        self.declaration.flags & class_flags::READONLY != 0
    }

    pub fn has_property(&self, name: &[u8]) -> bool {
        self.properties.contains_key(name)
    }
}

/// A class of this source that is bound when the source is entered.
pub(crate) struct ClassInfo<'a> {
    parent: Option<&'a [u8]>,
    declaration: Arc<ClassDeclaration>,
    methods: NameMap<'a, Rc<KnownFunction>>,
}

impl<'a> Compiler<'a, '_> {
    fn class_name_of(&mut self, name: &[u8]) -> ClassName {
        ClassName {
            name: self.pool.string(name),
            lowercase: self.pool.string(&name.to_ascii_lowercase()),
        }
    }

    /// Resolves the name of a parent, interface or trait.
    fn resolve_reference(&mut self, name: &Name<'a>, what: &str) -> Result<&'a [u8]> {
        let is_special = class_fetch(name.bytes) != ClassFetch::Default;
        if is_special && name.kind == crate::ast::NameKind::Unqualified {
            return self.fail(message!(
                "Cannot use \"",
                name.bytes,
                "\" as ",
                what,
                ", as it is reserved"
            ));
        }
        self.resolve_class_name(name)
    }

    /// The known method of a class of this source, own or inherited, if any code may call it.
    pub fn compatible_method(
        &self,
        info: &Rc<ClassInfo<'a>>,
        method: &[u8],
    ) -> Option<Rc<KnownFunction>> {
        let mut info = info.clone();
        loop {
            if let Some(known) = info.methods.get(method) {
                let is_public = known.flags & flags::VISIBILITY == flags::PUBLIC;
                return is_public.then(|| known.clone());
            }
            let parent = self.lowercase(info.parent?);
            match self.classes.get(parent) {
                Some(next) => info = next.clone(),
                None => {
                    let function = self.options.environment.method(parent, method)?;
                    return (function.flags & flags::PUBLIC != 0).then(|| Rc::new(function));
                }
            }
        }
    }

    /// A method of the class being compiled, declared before.
    pub fn known_method_of_active_class(&self, method: &[u8]) -> Option<Rc<KnownFunction>> {
        self.class.as_ref()?.methods.get(method).cloned()
    }

    pub fn compile_class(&mut self, class: &'a ClassDecl<'a>, top_level: bool) -> Result<()> {
        let Some(identifier) = class.name else {
            return Ok(());
        };
        if self.class.is_some() {
            return self.fail("Class declarations may not be nested");
        }
        let unqualified = identifier.bytes;
        let what = match class.kind {
            ClassKind::Class => "a class name",
            ClassKind::Interface => "an interface name",
            ClassKind::Trait => "a trait name",
            ClassKind::Enum => "an enum name",
        };
        if unqualified == b"_" {
            self.report(
                Severity::Deprecated,
                message!("Using \"_\" as ", what, " is deprecated since 8.4"),
            );
        }
        if is_reserved_class_name(unqualified) {
            return self.fail(message!(
                "Cannot use \"",
                unqualified,
                "\" as ",
                what,
                " as it is reserved"
            ));
        }
        let name = self.prefix_with_namespace(unqualified);
        self.declare_class_name(unqualified, name)?;
        let state = self.compile_class_body(class, name)?;
        self.bind_class(state, top_level)
    }

    /// Compiles an anonymous class; gives the operand that `new` takes.
    pub fn compile_anonymous_class(&mut self, class: &'a ClassDecl<'a>) -> Result<Operand<'a>> {
        let prefix: &[u8] = match (&class.extends, class.implements.first()) {
            (Some(parent), _) => self.resolve_reference(parent, "class name")?,
            (None, Some(interface)) => self.resolve_reference(interface, "interface name")?,
            (None, None) => b"class",
        };
        let key = self.take_definition_key();
        let name = self.intern(&message!(
            prefix,
            "@anonymous\0",
            self.filename,
            ":",
            class.start_line.to_string(),
            "$",
            format!("{key:x}")
        ));
        let outer = self.class.take();
        let state = self.compile_class_body(class, name);
        self.class = outer;
        let state = state?;
        let (lowercase, parent) = (state.lowercase, state.parent);
        let index = self.add_class(state);
        let result = self.emit_var(Opcode::DECLARE_ANON_CLASS, Operand::NONE, Operand::NONE);
        let number = self.last();
        let literal = self.add_string_literal(lowercase);
        self.function
            .draft
            .literals
            .push(Zval::from_long(i64::from(index)));
        let slots = self.alloc_cache_slots(1);
        let op = self.op(number);
        (op.op1_type, op.op1) = (IS_CONST, literal);
        op.extended_value = slots;
        self.set_parent_operand(number, parent);
        Ok(result)
    }

    fn set_parent_operand(&mut self, number: u32, parent: Option<&'a [u8]>) {
        if let Some(parent) = parent {
            let literal = self.add_string_literal(&parent.to_ascii_lowercase());
            let op = self.op(number);
            (op.op2_type, op.op2) = (IS_CONST, literal);
        }
    }

    /// The number of the next class that is not bound while its source is compiled: names of anonymous classes end
    /// with it.
    fn take_definition_key(&mut self) -> u32 {
        let key = self.definition_keys;
        self.definition_keys += 1;
        if let Some(keys) = self.options.definition_keys {
            keys.set(self.definition_keys);
        }
        key
    }

    fn add_class(&mut self, state: Box<ClassState<'a>>) -> u32 {
        let classes = &mut self.function.draft.classes;
        classes.push(Arc::new(state.declaration));
        classes.len() as u32 - 1
    }

    /// Binds a class when its source is entered, if that can be, or emits its declaration.
    fn bind_class(&mut self, state: Box<ClassState<'a>>, top_level: bool) -> Result<()> {
        let (lowercase, parent) = (state.lowercase, state.parent);
        let declaration = &state.declaration;
        let is_simple = declaration.interfaces.is_empty()
            && declaration.traits.is_empty()
            && !state.is_enum()
            && !state.is_stringable
            && !state.has_hook_variance;
        let is_taken = self.classes.contains_key(lowercase)
            || self.options.environment.class(lowercase).is_some();
        let types_known = self.can_check_types(&state);
        let early = top_level
            && is_simple
            && !is_taken
            && types_known
            && match parent {
                None => true,
                Some(parent) => {
                    let parent = self.lowercase(parent);
                    self.classes.contains_key(parent)
                        || self.options.environment.class(parent).is_some()
                }
            };
        if early {
            let methods = state.methods.clone();
            let index = self.add_class(state);
            let declaration = self.function.draft.classes[index as usize].clone();
            let info = ClassInfo {
                parent,
                declaration,
                methods,
            };
            self.classes.insert(lowercase, Rc::new(info));
            self.function.draft.early_classes.push(index);
            return Ok(());
        }
        let is_bound_now = top_level
            && is_simple
            && !is_taken
            && types_known
            && parent
                .is_some_and(|parent| self.options.environment.is_declared(self.lowercase(parent)));
        if !is_bound_now {
            self.take_definition_key();
        }
        let index = self.add_class(state);
        let number = self.emit_plain(Opcode::DECLARE_CLASS);
        self.set_parent_operand(number, parent);
        if top_level && is_simple {
            // Bound on entry if its parent exists by then.
            if types_known {
                self.function.draft.delayed_classes.push(index);
            }
            self.op(number).opcode = Opcode::DECLARE_CLASS_DELAYED as u8;
            if parent.is_none() {
                let literal = self.add_string_literal(b"");
                let op = self.op(number);
                (op.op2_type, op.op2) = (IS_CONST, literal);
            }
        }
        let literal = self.add_string_literal(lowercase);
        let op = self.op(number);
        (op.op1_type, op.op1) = (IS_CONST, literal);
        op.extended_value = index;
        Ok(())
    }

    /// Whether the types of a class can be compared with those of its parents without loading
    /// classes that aren't there yet.
    fn can_check_types(&self, state: &ClassState<'a>) -> bool {
        let declaration = &state.declaration;
        if declaration.methods.is_empty() && declaration.properties.is_empty() {
            return true;
        }
        let mut parent = state.parent;
        while let Some(name) = parent {
            let Some(info) = self.classes.get(self.lowercase(name)) else {
                return true;
            };
            let known = compare_types(&state.declaration, &info.declaration, &|own, inherited| {
                same_type(own, inherited)
                    || (self.type_is_known(own, state) && self.type_is_known(inherited, state))
            });
            if !known {
                return false;
            }
            parent = info.parent;
        }
        true
    }

    fn type_is_known(&self, declared: Option<&Type>, state: &ClassState<'a>) -> bool {
        let Some(declared) = declared else {
            return true;
        };
        declared.classes.iter().flatten().all(|class| {
            let name = class.lowercase_bytes();
            class_fetch(name) != ClassFetch::Default
                || name == state.lowercase
                || self.classes.contains_key(name)
                || self.options.environment.class(name).is_some()
        })
    }

    fn compile_class_body(
        &mut self,
        class: &'a ClassDecl<'a>,
        name: &'a [u8],
    ) -> Result<Box<ClassState<'a>>> {
        self.enter()?;
        let lowercase = self.lowercase(name);
        let parent = match &class.extends {
            Some(parent) => Some(self.resolve_reference(parent, "class name")?),
            None => None,
        };
        let declaration = ClassDeclaration {
            name: self.class_name_of(name),
            flags: declared_flags(class),
            parent: parent.map(|parent| self.class_name_of(parent)),
            interfaces: Vec::new(),
            traits: Vec::new(),
            adaptations: Vec::new(),
            constants: Vec::new(),
            properties: Vec::new(),
            methods: Vec::new(),
            backing_type: 0,
            filename: self.filename_string,
            line_start: class.start_line,
            line_end: class.end_line,
            doc_comment: class
                .doc_comment
                .map_or(std::ptr::null_mut(), |comment| self.pool.string(comment)),
            attributes: Vec::new(),
            owned: Arc::clone(self.pool.owned()),
        };
        self.class = Some(Box::new(ClassState {
            name,
            lowercase,
            parent,
            declaration,
            methods: NameMap::default(),
            constants: NameMap::default(),
            properties: NameMap::default(),
            abstract_methods: Vec::new(),
            has_hook_variance: false,
            is_stringable: false,
            backing: None,
        }));
        let line = self.line;
        // Expressions that stand directly in the class are in no function.
        let function = self.function.name.take();
        let around = std::mem::replace(&mut self.function.around_class, function);
        let result = self.compile_class_parts(class);
        self.function.name = function;
        self.function.around_class = around;
        let state = self.class.take();
        result?;
        self.line = line;
        let Some(mut state) = state else {
            return self.fail("Class declarations may not be nested");
        };
        if !state.abstract_methods.is_empty() {
            state.declaration.flags |= class_flags::IMPLICIT_ABSTRACT;
            const OPEN: u32 = class_flags::INTERFACE | class_flags::TRAIT | class_flags::ABSTRACT;
            if state.declaration.flags & OPEN == 0 {
                return self.fail_abstract(&state);
            }
        }
        Ok(state)
    }

    fn fail_abstract(&mut self, state: &ClassState<'a>) -> Result<Box<ClassState<'a>>> {
        const SHOWN: usize = 3;
        let count = state.abstract_methods.len();
        let mut list: Vec<u8> = Vec::new();
        for (position, method) in state.abstract_methods.iter().take(SHOWN).enumerate() {
            if position > 0 {
                list.extend_from_slice(b", ");
            }
            list.extend_from_slice(&message!(display_class(state.name), "::", method));
        }
        if count > SHOWN {
            list.extend_from_slice(b", ...");
        }
        let plural = if count == 1 { "" } else { "s" };
        if state.is_enum() {
            return self.fail(message!(
                "Enum ",
                state.name,
                " must implement ",
                count.to_string(),
                " abstract private method",
                plural,
                " (",
                list,
                ")"
            ));
        }
        self.fail(message!(
            "Class ",
            display_class(state.name),
            " contains ",
            count.to_string(),
            " abstract method",
            plural,
            " and must therefore be declared abstract or implement the remaining methods (",
            list,
            ")"
        ))
    }

    /// The class being compiled; there is one wherever this is called.
    pub fn active_class(&mut self) -> Result<&mut ClassState<'a>> {
        if self.class.is_none() {
            return self.fail("Cannot use \"self\" when no class scope is active");
        }
        match &mut self.class {
            Some(class) => Ok(class),
            None => unreachable!("tested above"),
        }
    }

    fn compile_class_parts(&mut self, class: &'a ClassDecl<'a>) -> Result<()> {
        let attributes = self.compile_attributes(class.attributes, target::CLASS)?;
        if self.has_attribute(class.attributes, b"allowdynamicproperties")? {
            self.active_class()?.declaration.flags |= class_flags::ALLOW_DYNAMIC_PROPERTIES;
        }
        self.active_class()?.declaration.attributes = attributes;
        for interface in class.implements {
            let resolved = self.resolve_reference(interface, "interface name")?;
            let interface = self.class_name_of(resolved);
            self.active_class()?.declaration.interfaces.push(interface);
        }
        if let Some(backing) = class.enum_type {
            let compiled = self.compile_type(backing)?;
            let is_valid = compiled.classes.is_empty()
                && matches!(compiled.mask, type_mask::LONG | type_mask::STRING);
            if !is_valid {
                let text = compiled.text();
                return self.fail(message!(
                    "Enum backing type must be int or string, ",
                    text,
                    " given"
                ));
            }
            let mask = compiled.mask;
            let class = self.active_class()?;
            class.declaration.backing_type = mask;
            class.backing = Some(compiled);
        }
        for member in class.members {
            self.line = member.line;
            match member.kind {
                MemberKind::Constants(constants) => self.compile_class_constants(constants)?,
                MemberKind::Properties(properties) => self.compile_properties(properties)?,
                MemberKind::Method(method) => self.compile_method(method)?,
                MemberKind::TraitUse(use_) => self.compile_trait_use(use_)?,
                MemberKind::EnumCase(case) => self.compile_enum_case(case)?,
            }
        }
        Ok(())
    }

    pub fn resolve_trait(&mut self, name: &Name<'a>) -> Result<ClassName> {
        let resolved = self.resolve_reference(name, "trait name")?;
        Ok(self.class_name_of(resolved))
    }
}

/// Whether `check` holds for the types of all members that one class has from another.
fn compare_types(
    own: &ClassDeclaration,
    inherited: &ClassDeclaration,
    check: &dyn Fn(Option<&Type>, Option<&Type>) -> bool,
) -> bool {
    let methods = own.methods.iter().all(|method| {
        let name = method.draft.name_bytes();
        let same = |other: &&Arc<OpArray>| other.draft.name_bytes().eq_ignore_ascii_case(name);
        inherited.methods.iter().find(same).is_none_or(|other| {
            let (one, two) = (&method.draft, &other.draft);
            check(one.return_type.as_ref(), two.return_type.as_ref())
                && one
                    .parameters
                    .iter()
                    .zip(&two.parameters)
                    .all(|(one, two)| check(one.declared.as_ref(), two.declared.as_ref()))
        })
    });
    // Names of one pool are the same string.
    let properties = own.properties.iter().all(|property| {
        let mut others = inherited.properties.iter();
        others
            .find(|other| other.name == property.name)
            .is_none_or(|other| check(property.declared.as_ref(), other.declared.as_ref()))
    });
    let constants = own.constants.iter().all(|constant| {
        let mut others = inherited.constants.iter();
        others
            .find(|other| other.name == constant.name)
            .is_none_or(|other| check(constant.declared.as_ref(), other.declared.as_ref()))
    });
    methods && properties && constants
}

fn same_type(one: Option<&Type>, two: Option<&Type>) -> bool {
    match (one, two) {
        (None, None) => true,
        (Some(one), Some(two)) => one.mask == two.mask && one.classes == two.classes,
        _ => false,
    }
}

/// A class name as messages show it: an anonymous class's ends at its NUL.
pub(crate) fn display_class(name: &[u8]) -> &[u8] {
    match memchr::memchr(0, name) {
        Some(at) => &name[..at],
        None => name,
    }
}

fn declared_flags(class: &ClassDecl<'_>) -> u32 {
    let mut result = match class.kind {
        ClassKind::Class => 0,
        ClassKind::Interface => class_flags::INTERFACE,
        ClassKind::Trait => class_flags::TRAIT,
        ClassKind::Enum => class_flags::ENUM | class_flags::FINAL,
    };
    for (modifier, flag) in [
        (Modifiers::ABSTRACT, class_flags::ABSTRACT),
        (Modifiers::FINAL, class_flags::FINAL),
        (
            Modifiers::READONLY,
            class_flags::READONLY | class_flags::NO_DYNAMIC_PROPERTIES,
        ),
    ] {
        if class.modifiers.intersects(modifier) {
            result |= flag;
        }
    }
    if class.name.is_none() {
        result |= class_flags::ANONYMOUS | class_flags::NOT_SERIALIZABLE;
    }
    result
}
