//! From a compiled class declaration to a linked class.

use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::Arc;

use crate::class::linking::{Linking, Obligation};
use crate::class::{Class, ClassConstant, PropertyInfo};
use crate::exceptions::KnownClass;
use crate::function::{Function, class_flags, flags};
use crate::op_array::{AttributeDeclaration, ClassDeclaration, ClassName, OpArray};
use crate::string::PhpString;
use crate::vm::{PhpResult, Thrown, Vm};

pub(crate) fn bytes(name: *mut PhpString) -> &'static [u8] {
    // SAFETY: names of declarations and classes outlive linking.
    unsafe { (*name).as_bytes() }
}

pub(crate) fn text(name: *mut PhpString) -> String {
    let name = bytes(name);
    let end = name
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(name.len());
    crate::message::text(&name[..end]).into_owned()
}

/// True if a child's method overrides this one; a constructor stands alone unless it is abstract.
fn is_overridable(method: &Function) -> bool {
    let is_abstract = method.flags & flags::ABSTRACT != 0;
    method.flags & flags::PRIVATE == 0 && (method.flags & flags::CONSTRUCTOR == 0 || is_abstract)
}

/// True if an attribute with this lower-cased name is among `attributes`.
pub(crate) fn has_attribute(attributes: &[AttributeDeclaration], lowercase: &[u8]) -> bool {
    attributes
        .iter()
        .any(|attribute| bytes(attribute.lowercase) == lowercase)
}

impl Vm {
    /// A function of this VM for a published op array. The caller owns it.
    pub fn make_function(&mut self, code: &Arc<OpArray>, scope: *mut Class) -> *mut Function {
        let draft = &code.draft;
        let variadic = code
            .parameters
            .last()
            .is_some_and(|parameter| parameter.variadic);
        let mut function = Function {
            is_user: true,
            quick_arguments: 0,
            flags: draft.flags | if variadic { flags::VARIADIC } else { 0 },
            parameter_count: (code.parameters.len() - variadic as usize) as u32,
            required_count: draft.required_count,
            owners: Default::default(),
            ops: code.ops(),
            slots: code.slots(),
            variables: draft.variables.len() as u32,
            op_array: &**code,
            run_time_cache: null_mut(),
            static_variables: null_mut(),
            native: None,
            direct: None,
            accepted: 0,
            name: draft.name,
            scope,
            prototype: std::ptr::null(),
            parameters: code.parameters.clone(),
            return_type: draft.return_type.clone(),
            code: Some(code.clone()),
            hooked_property: draft.hooked_property,
            closure: std::ptr::null_mut(),
            native_data: 0,
        };
        function.index_parameters();
        Box::into_raw(Box::new(function))
    }

    /// Links a declared class and makes it known by its name. Rules that it breaks are fatal
    /// errors; a missing parent or interface is an Error.
    pub fn declare_class(&mut self, declaration: &Arc<ClassDeclaration>) -> PhpResult<*mut Class> {
        match self.link_class(declaration, false)? {
            Some(class) => Ok(class),
            None => Err(Thrown),
        }
    }

    /// Declares a class before its file runs, if everything it depends on is known already.
    pub fn declare_class_early(
        &mut self,
        declaration: &Arc<ClassDeclaration>,
    ) -> PhpResult<Option<*mut Class>> {
        self.link_class(declaration, true)
    }

    fn link_class(
        &mut self,
        declaration: &Arc<ClassDeclaration>,
        early: bool,
    ) -> PhpResult<Option<*mut Class>> {
        if let Some(unlinked) = self.unlinked_class(bytes(declaration.name.lowercase)) {
            self.redeclared(declaration, unlinked)
        }
        self.check_class_name(declaration);
        let class = self.allocate_class(declaration.name.name, declaration.name.lowercase);
        let mut linking = Linking::new(class);
        linking.file = declaration.filename;
        linking.line = declaration.line_start;
        linking.early = early;
        self.begin_linking(class, declaration);
        let outcome = self.link_members(&mut linking, declaration);
        if let Err(Thrown) = outcome {
            self.end_linking(class);
            if self.was_used_unlinked(class) {
                let name = linking.name();
                let what = format!("During inheritance of {name} with variance dependencies");
                self.uncaught_while_linking(&what)
            }
            return Err(Thrown);
        }
        if early && !linking.obligations.is_empty() {
            self.end_linking(class);
            return Ok(None);
        }
        linking.finish();
        self.classes
            .insert(bytes(declaration.name.lowercase).into(), class);
        self.finish_linking(linking);
        Ok(Some(class))
    }

    /// Loads what the class depends on, and gives it all its members.
    fn link_members(
        &mut self,
        linking: &mut Linking,
        declaration: &Arc<ClassDeclaration>,
    ) -> PhpResult<()> {
        let class = linking.class;
        let parent = match &declaration.parent {
            Some(name) => self.load_ancestor(linking, name, "Class")?,
            None => null_mut(),
        };
        let traits = self.load_traits(linking, declaration);
        let mut interfaces = Vec::new();
        for name in &declaration.interfaces {
            let interface = self.load_ancestor(linking, name, "Interface")?;
            // SAFETY: I4: classes live until the VM ends.
            let (is_interface, found) = unsafe {
                (
                    (*interface).flags & class_flags::INTERFACE != 0,
                    (*interface).display_name(),
                )
            };
            if !is_interface {
                let message = format!(
                    "{} cannot implement {found} - it is not an interface",
                    text(declaration.name.name)
                );
                linking.error(self, &message);
            }
            interfaces.push(interface);
        }
        // Autoloading may have declared the same class meanwhile.
        self.check_class_name(declaration);
        linking.pending_ancestors.extend(interfaces.iter().copied());
        if !parent.is_null() {
            linking.pending_ancestors.push(parent);
        }
        self.declare_members(linking, declaration);
        self.add_enum_interfaces(declaration, &mut interfaces);
        linking.pending_ancestors.extend(interfaces.iter().copied());
        // SAFETY: I4: the class is live, and nobody else uses it yet.
        unsafe { (*class).traits = traits.clone() };

        linking.check_parent(self, parent);
        // SAFETY: I4: as above.
        let own_methods = unsafe { (*class).methods.len() };
        if !traits.is_empty() {
            linking.bind_concrete_methods(self, declaration, &traits);
        }
        self.add_stringable(linking, &mut interfaces);
        linking.inherit_parent(self, parent);
        if !traits.is_empty() {
            linking.bind_remaining_members(self, declaration, &traits);
            linking.order_methods(own_methods, parent, &traits);
        }
        linking.implement_interfaces(self, &interfaces);
        linking.verify_abstract(self);
        // SAFETY: I4: as above.
        if unsafe { (*class).flags & class_flags::ENUM != 0 } {
            linking.verify_enum(self);
        }
        self.verify_override_attributes(linking, parent, &interfaces, &traits);
        Ok(())
    }

    fn check_class_name(&mut self, declaration: &ClassDeclaration) {
        if let Some(existing) = self.declared_class(bytes(declaration.name.lowercase)) {
            self.redeclared(declaration, existing)
        }
    }

    fn redeclared(&mut self, declaration: &ClassDeclaration, existing: *mut Class) -> ! {
        // SAFETY: I4: classes live until the VM ends.
        let (kind, name, previous) = unsafe {
            let previous = (*existing)
                .declaration
                .as_ref()
                .map_or_else(String::new, |previous| {
                    format!(
                        " (previously declared in {}:{})",
                        text(previous.filename),
                        previous.line_start
                    )
                });
            (
                (*existing).kind_name().to_ascii_lowercase(),
                (*existing).display_name(),
                previous,
            )
        };
        super::linking::compile_error(
            self,
            declaration.filename,
            declaration.line_start,
            &format!("Cannot redeclare {kind} {name}{previous}"),
        )
    }

    fn load_ancestor(
        &mut self,
        linking: &mut Linking,
        name: &ClassName,
        kind: &str,
    ) -> PhpResult<*mut Class> {
        match self.class_to_inherit(name)? {
            Some(class) => {
                // SAFETY: I4: classes live until the VM ends.
                if unsafe { !(*class).is_linked() } {
                    linking.obligations.push(Obligation::Dependency(class));
                }
                Ok(class)
            }
            None => Err(self.throw_error(
                KnownClass::Error,
                format!("{kind} \"{}\" not found", text(name.name)),
            )),
        }
    }

    fn load_traits(
        &mut self,
        linking: &Linking,
        declaration: &ClassDeclaration,
    ) -> Vec<*mut Class> {
        let mut traits = Vec::new();
        for name in &declaration.traits {
            let found = match self.class_by_name(bytes(name.name), true) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    linking.error(self, &format!("Trait \"{}\" not found", text(name.name)))
                }
                Err(Thrown) => self.uncaught_while_linking("During class fetch"),
            };
            // SAFETY: I4: classes live until the VM ends.
            let (is_trait, found_name) = unsafe {
                (
                    (*found).flags & class_flags::TRAIT != 0,
                    (*found).display_name(),
                )
            };
            if !is_trait {
                let class = text(declaration.name.name);
                linking.error(
                    self,
                    &format!("{class} cannot use {found_name} - it is not a trait"),
                );
            }
            if !traits.contains(&found) {
                traits.push(found);
            }
        }
        traits
    }

    fn declare_members(&mut self, linking: &mut Linking, declaration: &Arc<ClassDeclaration>) {
        // SAFETY: I4: the class is live, and nobody else uses it yet.
        let class = unsafe { &mut *linking.class };
        class.flags = declaration.flags & !(class_flags::LINKED | class_flags::CONSTANTS_UPDATED);
        class.backing_type = declaration.backing_type;
        class.declaration = Some(declaration.clone());
        if has_attribute(&declaration.attributes, b"allowdynamicproperties") {
            self.check_dynamic_attribute(linking, declaration);
            class.flags |= class_flags::ALLOW_DYNAMIC_PROPERTIES;
        }
        if class.flags & class_flags::READONLY != 0 {
            class.flags |= class_flags::NO_DYNAMIC_PROPERTIES;
        }
        if class.flags & class_flags::ENUM != 0 {
            class.flags |= class_flags::FINAL
                | class_flags::NOT_CLONEABLE
                | class_flags::NO_DYNAMIC_PROPERTIES;
            self.declare_enum_properties(linking, declaration.backing_type);
        }
        for constant in &declaration.constants {
            let mut constant_flags = constant.flags;
            if constant_flags & flags::VISIBILITY == 0 {
                constant_flags |= flags::PUBLIC;
            }
            let made = ClassConstant {
                value: constant.value,
                flags: constant_flags,
                class: linking.class,
                declared: constant.declared.clone(),
                doc_comment: constant.doc_comment,
                evaluating: false,
                attributes: constant.attributes.as_slice(),
            };
            class.constants.insert(bytes(constant.name), Rc::new(made));
        }
        for method in &declaration.methods {
            let function = self.make_function(method, linking.class);
            // SAFETY: I4: made just now, not shared yet.
            unsafe {
                let lowercase = bytes((*function).name).to_ascii_lowercase();
                if (*function).flags & flags::VISIBILITY == 0 {
                    (*function).flags |= flags::PUBLIC;
                }
                if class.flags & class_flags::INTERFACE != 0 {
                    (*function).flags |= flags::ABSTRACT;
                }
                if lowercase == b"__construct" {
                    (*function).flags |= flags::CONSTRUCTOR;
                }
                if (*function).flags & flags::ABSTRACT != 0 {
                    class.flags |= class_flags::IMPLICIT_ABSTRACT;
                }
                class.own_functions.push(function);
                class.methods.insert(&lowercase, function);
            }
        }
        if class.flags & class_flags::ENUM != 0 {
            self.declare_enum_methods(linking, declaration.backing_type);
        }
        for property in &declaration.properties {
            self.declare_property(linking, property);
        }
    }

    fn declare_property(
        &mut self,
        linking: &mut Linking,
        property: &crate::op_array::PropertyDeclaration,
    ) {
        // SAFETY: I4: the class is live, and nobody else uses it yet.
        let class = unsafe { &mut *linking.class };
        let mut property_flags = property.flags;
        if property_flags & flags::VISIBILITY == 0 {
            property_flags |= flags::PUBLIC;
        }
        if class.flags & class_flags::READONLY != 0 && property_flags & flags::STATIC == 0 {
            property_flags |= flags::READONLY;
        }
        if property_flags & flags::PRIVATE_SET != 0
            && property_flags & flags::VISIBILITY != flags::PRIVATE
        {
            property_flags |= flags::FINAL;
        }
        let is_abstract =
            class.flags & class_flags::INTERFACE != 0 || property_flags & flags::ABSTRACT != 0;
        if is_abstract && (property.get_hook.is_some() || property.set_hook.is_some()) {
            property_flags |= flags::ABSTRACT | flags::VIRTUAL;
            class.flags |= class_flags::IMPLICIT_ABSTRACT;
        }
        let mut info = PropertyInfo::new(
            self,
            linking.class,
            property.name,
            property_flags,
            property.declared.clone(),
        );
        info.doc_comment = property.doc_comment;
        info.attributes = property.attributes.as_slice();
        let mut hook = |code: &Option<Arc<OpArray>>| -> *const Function {
            let Some(code) = code else {
                return std::ptr::null();
            };
            let function = self.make_function(code, linking.class);
            // SAFETY: I4: made just now, not shared yet.
            unsafe {
                if (*function).flags & flags::VISIBILITY == 0 {
                    (*function).flags |= property_flags & flags::VISIBILITY;
                }
                if class.flags & class_flags::INTERFACE != 0 {
                    (*function).flags |= flags::ABSTRACT;
                }
                if (*function).hooked_property.is_null() {
                    (*function).hooked_property = property.name;
                }
            }
            class.own_functions.push(function);
            function
        };
        info.get_hook = hook(&property.get_hook);
        info.set_hook = hook(&property.set_hook);
        linking.property(info, property.default);
    }

    fn check_dynamic_attribute(&mut self, linking: &Linking, declaration: &ClassDeclaration) {
        let kind = match declaration.flags {
            flags if flags & class_flags::TRAIT != 0 => "trait",
            flags if flags & class_flags::INTERFACE != 0 => "interface",
            flags if flags & class_flags::ENUM != 0 => "enum",
            flags if flags & class_flags::READONLY != 0 => "readonly class",
            _ => return,
        };
        let name = text(declaration.name.name);
        linking.error(
            self,
            &format!("Cannot apply #[AllowDynamicProperties] to {kind} {name}"),
        );
    }

    fn add_enum_interfaces(
        &mut self,
        declaration: &ClassDeclaration,
        interfaces: &mut Vec<*mut Class>,
    ) {
        if declaration.flags & class_flags::ENUM != 0 {
            for (known, wanted) in [
                (KnownClass::UnitEnum, true),
                (KnownClass::BackedEnum, declaration.backing_type != 0),
            ] {
                let interface = self.known_class(known);
                if wanted {
                    interfaces.push(interface);
                }
            }
        }
    }

    /// A class that has `__toString()`, of its own or from a trait, is `Stringable`.
    fn add_stringable(&mut self, linking: &mut Linking, interfaces: &mut Vec<*mut Class>) {
        let stringable = self.known_class(KnownClass::Stringable);
        // SAFETY: I4: the class is live.
        let class = unsafe { &*linking.class };
        if class.methods.contains(b"__tostring")
            && class.flags & class_flags::TRAIT == 0
            && !stringable.is_null()
            && !interfaces.contains(&stringable)
        {
            interfaces.push(stringable);
            linking.pending_ancestors.push(stringable);
        }
    }

    fn verify_override_attributes(
        &mut self,
        linking: &Linking,
        parent: *mut Class,
        interfaces: &[*mut Class],
        traits: &[*mut Class],
    ) {
        // SAFETY: I4: the classes and their methods are live.
        unsafe {
            if (*linking.class).flags & class_flags::TRAIT != 0 {
                return;
            }
            let inherited = |name: &[u8]| {
                let from_parent = parent
                    .as_ref()
                    .and_then(|parent| parent.methods.get(name))
                    .is_some_and(|&method| is_overridable(&*method));
                let from_trait = traits.iter().any(|&used| {
                    (*used)
                        .methods
                        .get(name)
                        .is_some_and(|&method| (*method).flags & flags::ABSTRACT != 0)
                });
                from_parent
                    || from_trait
                    || interfaces
                        .iter()
                        .any(|&interface| (*interface).methods.contains(name))
            };
            linking.verify_overrides(self, &inherited);
            let parent = (!parent.is_null()).then_some(parent);
            let ancestors: Vec<*mut Class> = interfaces.iter().copied().chain(parent).collect();
            linking.verify_hook_overrides(self, &ancestors);
        }
    }
}
