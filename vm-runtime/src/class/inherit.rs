//! What a class takes over from its parent: properties with their slots, constants, methods.

use std::rc::Rc;

use crate::class::linking::{Linking, Obligation, OwnProperty};
use crate::class::variance::Verdict;
use crate::class::{Class, ClassConstant, NO_SLOT, PropertyInfo};
use crate::function::{TypeName, class_flags, flags};
use crate::value::{INDIRECT, Zval, release};
use crate::vm::Vm;

/// Class flags that children have too. That a class has no dynamic properties is its own affair.
const INHERITED_FLAGS: u32 = class_flags::ALLOW_DYNAMIC_PROPERTIES
    | class_flags::NOT_SERIALIZABLE
    | class_flags::HAS_GUARDED_PROPERTIES
    | class_flags::THROWABLE
    | class_flags::NOT_CLONEABLE
    | class_flags::HAS_HOOKS;

/// A visibility as messages name it.
pub(crate) fn visibility_name(flags: u32) -> &'static str {
    match flags & flags::VISIBILITY {
        flags::PRIVATE => "private",
        flags::PROTECTED => "protected",
        _ => "public",
    }
}

/// What follows a visibility that may be weakened.
pub(crate) fn or_weaker(flags: u32) -> &'static str {
    if flags & flags::PUBLIC != 0 {
        ""
    } else {
        " or weaker"
    }
}

impl Class {
    /// `Class`, `Interface`, `Trait` or `Enum`, for messages.
    pub fn kind_name(&self) -> &'static str {
        match self.flags {
            flags if flags & class_flags::INTERFACE != 0 => "Interface",
            flags if flags & class_flags::TRAIT != 0 => "Trait",
            flags if flags & class_flags::ENUM != 0 => "Enum",
            _ => "Class",
        }
    }
}

impl Linking {
    /// Name of the class, for messages.
    pub(crate) fn name(&self) -> String {
        // SAFETY: I4: the class is live.
        unsafe { (*self.class).display_name() }
    }

    /// Takes over the parent's members (there may be no parent) and gives properties their slots.
    pub(crate) fn inherit_parent(&mut self, vm: &mut Vm, parent: *mut Class) {
        if !parent.is_null() {
            // SAFETY: I4: both classes are live, and they differ.
            let (class, parent) = unsafe { (&mut *self.class, &*parent) };
            class.parent = (&raw const *parent).cast_mut();
            class.flags |= parent.flags & INHERITED_FLAGS;
            class.create_native = class.create_native.or(parent.create_native);
            class.handlers = class.handlers.or(parent.handlers);
            class.default_properties = parent.default_properties.iter().map(Zval::share).collect();
        }
        self.lay_out_properties(vm, parent);
        if !parent.is_null() {
            self.inherit_constants(vm, parent);
            self.inherit_methods(vm, parent);
        }
    }

    /// May the class have this parent (or none)?
    pub(crate) fn check_parent(&self, vm: &mut Vm, parent: *mut Class) {
        if parent.is_null() {
            return;
        }
        // SAFETY: I4: both classes are live.
        let (class, parent) = unsafe { (&*self.class, &*parent) };
        let (name, parent_name) = (class.display_name(), parent.display_name());
        if parent.flags & class_flags::INTERFACE != 0 {
            self.error(
                vm,
                &format!("Class {name} cannot extend interface {parent_name}"),
            );
        }
        if parent.flags & class_flags::TRAIT != 0 {
            self.error(
                vm,
                &format!("Class {name} cannot extend trait {parent_name}"),
            );
        }
        if parent.flags & class_flags::FINAL != 0 {
            self.error(
                vm,
                &format!("Class {name} cannot extend final class {parent_name}"),
            );
        }
        match (
            class.flags & class_flags::READONLY != 0,
            parent.flags & class_flags::READONLY != 0,
        ) {
            (true, false) => self.error(
                vm,
                &format!("Readonly class {name} cannot extend non-readonly class {parent_name}"),
            ),
            (false, true) => self.error(
                vm,
                &format!("Non-readonly class {name} cannot extend readonly class {parent_name}"),
            ),
            _ => {}
        }
    }

    /// Slots: the parent's first; a redeclared property keeps the slot it had there.
    fn lay_out_properties(&mut self, vm: &mut Vm, parent: *mut Class) {
        // SAFETY: I4: the classes are live; static members of the parent never move.
        let class = unsafe { &mut *self.class };
        // SAFETY: I4: as above.
        let statics: Vec<Zval> = match unsafe { parent.as_ref() } {
            None => Vec::new(),
            Some(parent) => parent
                .static_members
                .iter()
                .map(|member| {
                    let target = if member.kind() == INDIRECT {
                        member.indirect()
                    } else {
                        (&raw const *member).cast_mut()
                    };
                    Zval::from_indirect(target)
                })
                .collect(),
        };
        class.static_members = statics.into();
        // What a native class inherits and does not declare anew stands in front of its own properties.
        // SAFETY: I4: as above.
        let native_parent =
            unsafe { parent.as_ref() }.filter(|_| class.flags & class_flags::INTERNAL != 0);
        for (name, info) in native_parent
            .iter()
            .flat_map(|parent| parent.properties.iter())
        {
            if !self.properties.contains(name) {
                class.properties.insert(name, info.clone());
            }
        }
        for (name, property) in std::mem::take(&mut self.properties).into_entries() {
            self.place_property(vm, parent, &name, property);
        }
        // SAFETY: I4: as above.
        let parent = unsafe { parent.as_ref() };
        if let Some(parent) = parent {
            for (name, info) in parent.properties.iter() {
                if !class.properties.contains(name) {
                    class.properties.insert(name, info.clone());
                    if info.flags & flags::ABSTRACT != 0 {
                        class.flags |= class_flags::IMPLICIT_ABSTRACT;
                    }
                }
            }
        }
    }

    /// Gives a property of this class (or of a trait it uses) its slot and makes it a member.
    pub(super) fn place_property(
        &mut self,
        vm: &mut Vm,
        parent: *mut Class,
        name: &[u8],
        mut property: OwnProperty,
    ) {
        // SAFETY: I4: the classes are live, and they differ.
        let (class, parent) = unsafe { (&mut *self.class, parent.as_ref()) };
        let was_virtual = property.info.flags & flags::VIRTUAL != 0;
        let inherited = parent.and_then(|parent| parent.properties.get(name));
        if let Some(inherited) = inherited {
            self.redeclare(vm, &mut property.info, inherited);
        }
        let info = &mut property.info;
        if info.flags & flags::STATIC != 0 {
            info.slot = class.static_members.len() as u32;
            let mut statics = std::mem::take(&mut class.static_members).into_vec();
            statics.push(property.default);
            class.static_members = statics.into();
        } else if info.flags & flags::VIRTUAL == 0 {
            if info.slot == NO_SLOT {
                info.slot = class.default_properties.len() as u32;
                class.default_properties.push(Zval::UNDEF);
            }
            let mut default = property.default;
            if was_virtual && default.is_undef() && info.declared.is_none() {
                default = Zval::NULL;
            }
            let old = std::mem::replace(&mut class.default_properties[info.slot as usize], default);
            // SAFETY: I3: the share of the parent's default that this class took.
            unsafe { release(&old) };
        }
        self.check_hooked(vm, info, was_virtual && !property.default.is_undef());
        if info.declared.is_some()
            || info.flags & (flags::READONLY | PPP_SET) != 0
            || info.has_hooks()
        {
            class.flags |= class_flags::HAS_GUARDED_PROPERTIES;
        }
        if info.has_hooks() {
            class.flags |= class_flags::HAS_HOOKS;
        }
        let info = Rc::new(property.info);
        self.check_set_hook(vm, &info);
        if info.prototype.is_null() {
            // SAFETY: made just now; nobody else refers to it.
            unsafe { (*Rc::as_ptr(&info).cast_mut()).prototype = Rc::as_ptr(&info) };
        }
        if let Some(inherited) = inherited
            && inherited.flags & flags::PRIVATE == 0
        {
            self.check_property_type(vm, &info, inherited);
        }
        class.properties.insert(name, info);
    }

    /// The rules for a property that the parent has too.
    fn redeclare(&mut self, vm: &mut Vm, child: &mut PropertyInfo, parent: &PropertyInfo) {
        if parent.flags & (flags::PRIVATE | flags::CHANGED) != 0 {
            child.flags |= flags::CHANGED;
        }
        if parent.flags & flags::PRIVATE != 0 {
            return;
        }
        self.check_redeclaration(vm, child, parent);
        // SAFETY: I4: the declaring class is live.
        let from_interface = unsafe { (*parent.class).flags & class_flags::INTERFACE != 0 };
        if !from_interface {
            child.prototype = parent.prototype;
        }
        if child.flags & flags::STATIC == 0 && parent.slot != NO_SLOT {
            // A child that overrides all accesses still has the parent's storage.
            child.slot = parent.slot;
            child.flags &= !flags::VIRTUAL;
        }
        self.inherit_hooks(vm, child, parent);
    }

    /// What can only be told when it is known whether the property has storage.
    fn check_hooked(&self, vm: &mut Vm, info: &PropertyInfo, has_default: bool) {
        if !info.has_hooks() {
            return;
        }
        let (class, name) = (self.name(), info.display_name());
        if info.flags & flags::VIRTUAL != 0 {
            if has_default {
                self.error(
                    vm,
                    &format!(
                        "Cannot specify default value for virtual hooked property {class}::${name}"
                    ),
                );
            }
            return;
        }
        // SAFETY: I4: hooks are null or live.
        let by_reference = unsafe { info.get_hook.as_ref() }
            .is_some_and(|get| get.flags & flags::RETURN_REFERENCE != 0);
        if by_reference && !info.set_hook.is_null() {
            self.error(
                vm,
                &format!(
                    "Get hook of backed property {class}::{name} with set hook may not return by reference"
                ),
            );
        }
    }

    /// The parameter of an own `set` hook takes whatever the property can hold.
    fn check_set_hook(&mut self, vm: &mut Vm, info: &Rc<PropertyInfo>) {
        // SAFETY: I4: hooks are null or live.
        let own = unsafe { info.set_hook.as_ref() }.filter(|hook| hook.scope == self.class);
        let taken = own.and_then(|hook| hook.parameters.first()?.declared.as_ref());
        if let (Some(taken), Some(held)) = (taken, &info.declared)
            && (!taken.classes.is_empty() || !held.classes.is_empty())
        {
            self.check(vm, Obligation::SetHook(info.clone()));
        }
    }

    fn check_redeclaration(&mut self, vm: &mut Vm, child: &PropertyInfo, parent: &PropertyInfo) {
        let name = child.display_name();
        // SAFETY: I4: the declaring class is live.
        let parent_class = unsafe { (*parent.class).display_name() };
        let class = self.name();
        if (parent.flags ^ child.flags) & flags::STATIC != 0 {
            let word = |flags: u32| {
                if flags & flags::STATIC != 0 {
                    "static"
                } else {
                    "non static"
                }
            };
            let (was, is) = (word(parent.flags), word(child.flags));
            self.error(
                vm,
                &format!("Cannot redeclare {was} {parent_class}::${name} as {is} {class}::${name}"),
            );
        }
        if (parent.flags ^ child.flags) & flags::READONLY != 0
            && (parent.flags & flags::READONLY != 0 || parent.flags & flags::ABSTRACT == 0)
        {
            let word = |flags: u32| {
                if flags & flags::READONLY != 0 {
                    "readonly"
                } else {
                    "non-readonly"
                }
            };
            let (was, is) = (word(parent.flags), word(child.flags));
            self.error(
                vm,
                &format!("Cannot redeclare {was} property {parent_class}::${name} as {is} {class}::${name}"),
            );
        }
        if parent.flags & flags::FINAL != 0 {
            self.error(
                vm,
                &format!("Cannot override final property {parent_class}::${name}"),
            );
        }
        if child.flags & flags::VISIBILITY > parent.flags & flags::VISIBILITY {
            let (must, weaker) = (visibility_name(parent.flags), or_weaker(parent.flags));
            self.error(
                vm,
                &format!("Access level to {class}::${name} must be {must} (as in class {parent_class}){weaker}"),
            );
        }
        let set = set_visibility(child.flags);
        let parent_set = set_visibility(parent.flags);
        let parent_writable = parent.flags & flags::VIRTUAL == 0 || !parent.set_hook.is_null();
        if child.flags & PPP_SET != 0 && set > parent_set && parent_writable {
            let must = match parent_set {
                flags::PUBLIC => "omitted",
                flags::PROTECTED => "protected(set)",
                _ => "private(set)",
            };
            let weaker = if parent_set == flags::PUBLIC {
                ""
            } else {
                " or weaker"
            };
            self.error(
                vm,
                &format!(
                    "Set access level of {class}::${name} must be {must} (as in class {parent_class}){weaker}"
                ),
            );
        }
    }

    fn inherit_hooks(&mut self, vm: &mut Vm, child: &mut PropertyInfo, parent: &PropertyInfo) {
        let is_readonly = child.flags & flags::READONLY != 0;
        let is_virtual =
            child.slot == NO_SLOT && child.flags & flags::VIRTUAL != 0 && child.has_hooks();
        for (own, inherited) in [
            (&mut child.get_hook, parent.get_hook),
            (&mut child.set_hook, parent.set_hook),
        ] {
            if inherited.is_null() {
                continue;
            }
            if own.is_null() {
                // SAFETY: I4: hooks are live.
                let is_abstract = unsafe { (*inherited).flags & flags::ABSTRACT != 0 };
                let unsettable = is_readonly && inherited == parent.set_hook;
                match is_abstract {
                    false => *own = inherited,
                    true if unsettable => self.missing_hooks.push(inherited),
                    true if is_virtual => self.missing_hooks.push(inherited),
                    true => {}
                }
                continue;
            }
            // SAFETY: I4: hooks are live; the child's is not shared yet.
            unsafe {
                if (*inherited).flags & flags::FINAL != 0 {
                    let class = (*(*inherited).scope).display_name();
                    let hook = (*(*inherited).name).to_text().into_owned();
                    self.error(
                        vm,
                        &format!("Cannot override final property hook {class}::{hook}()"),
                    );
                }
                self.override_method(vm, *own, (**own).scope, inherited, (*inherited).scope);
            }
        }
    }

    /// A redeclared property has the same type, unless only one way of access is fixed by hooks.
    pub(crate) fn check_property_type(
        &mut self,
        vm: &mut Vm,
        child: &Rc<PropertyInfo>,
        parent: &Rc<PropertyInfo>,
    ) {
        match (&child.declared, &parent.declared) {
            (Some(_), None) => {
                // SAFETY: I4: the declaring class is live.
                let parent_class = unsafe { (*parent.class).display_name() };
                let (class, name) = (self.name(), child.display_name());
                self.error(
                    vm,
                    &format!(
                        "Type of {class}::${name} must not be defined (as in class {parent_class})"
                    ),
                )
            }
            (_, Some(_)) => {
                let obligation = Obligation::Property {
                    child: child.clone(),
                    parent: parent.clone(),
                };
                self.check(vm, obligation);
            }
            (None, None) => {}
        }
    }

    fn inherit_constants(&mut self, vm: &mut Vm, parent: *mut Class) {
        // SAFETY: I4: both classes are live, and they differ.
        let (class, parent) = unsafe { (&mut *self.class, &*parent) };
        for (name, inherited) in parent.constants.iter() {
            match class.constants.get(name) {
                None if inherited.flags & flags::PRIVATE == 0 => {
                    class.constants.insert(name, inherited.clone());
                }
                None => {}
                Some(own) if Rc::ptr_eq(own, inherited) => {}
                Some(own) => {
                    let own = own.clone();
                    if inherited.flags & flags::PRIVATE == 0 {
                        self.check_constant(vm, name, &own, inherited);
                    }
                }
            }
        }
    }

    /// The rules for a constant that overrides another one.
    pub(crate) fn check_constant(
        &mut self,
        vm: &mut Vm,
        name: &[u8],
        own: &Rc<ClassConstant>,
        inherited: &Rc<ClassConstant>,
    ) {
        let key = name;
        let name = crate::message::text(name);
        // SAFETY: I4: the declaring classes are live.
        let (own_class, parent_class) = unsafe {
            (
                (*own.class).display_name(),
                (*inherited.class).display_name(),
            )
        };
        if own.flags & flags::VISIBILITY > inherited.flags & flags::VISIBILITY {
            let (must, weaker) = (visibility_name(inherited.flags), or_weaker(inherited.flags));
            // SAFETY: I4: as above.
            let kind = unsafe { (*inherited.class).kind_name().to_ascii_lowercase() };
            self.error(
                vm,
                &format!("Access level to {own_class}::{name} must be {must} (as in {kind} {parent_class}){weaker}"),
            );
        }
        if inherited.flags & flags::FINAL != 0 {
            self.error(
                vm,
                &format!(
                    "{own_class}::{name} cannot override final constant {parent_class}::{name}"
                ),
            );
        }
        if inherited.declared.is_some() {
            let obligation = Obligation::Constant {
                name: key.into(),
                own: own.clone(),
                inherited: inherited.clone(),
            };
            self.check(vm, obligation);
        }
    }

    /// The type of a constant that overrides a typed one; gives the name of a missing class.
    pub(crate) fn check_constant_type(
        &self,
        vm: &mut Vm,
        name: &[u8],
        own: &ClassConstant,
        inherited: &ClassConstant,
    ) -> Option<TypeName> {
        let parent_type = inherited.declared.as_ref()?;
        let verdict = match &own.declared {
            None => Verdict::No,
            Some(own_type) => {
                self.is_subtype(vm, own.class, own_type, inherited.class, parent_type)
            }
        };
        match verdict {
            Verdict::Unresolved(missing) => Some(missing),
            Verdict::No => self.constant_type_error(vm, name, own, inherited),
            _ => None,
        }
    }

    /// A constant has not the type of the one that it overrides.
    pub(crate) fn constant_type_error(
        &self,
        vm: &mut Vm,
        name: &[u8],
        own: &ClassConstant,
        inherited: &ClassConstant,
    ) -> ! {
        let name = crate::message::text(name);
        // SAFETY: I4: the declaring classes are live.
        let (own_class, parent_class) = unsafe {
            (
                (*own.class).display_name(),
                (*inherited.class).display_name(),
            )
        };
        let declared = inherited.declared.as_ref();
        let expected = declared.map(|declared| declared.display_resolved(inherited.class));
        let expected = expected.unwrap_or_default();
        self.error(
            vm,
            &format!(
                "Type of {own_class}::{name} must be compatible with {parent_class}::{name} of type {expected}"
            ),
        )
    }

    fn inherit_methods(&mut self, vm: &mut Vm, parent: *mut Class) {
        // SAFETY: I4: both classes are live, and they differ.
        let (class, parent) = unsafe { (&mut *self.class, &*parent) };
        for (name, &inherited) in parent.methods.iter() {
            match class.methods.get(name).copied() {
                None => {
                    class.methods.insert(name, inherited);
                    // SAFETY: I4: methods of a linked class are live.
                    if unsafe { (*inherited).flags & flags::ABSTRACT != 0 } {
                        class.flags |= class_flags::IMPLICIT_ABSTRACT;
                    }
                }
                Some(own) => {
                    // SAFETY: I4: methods of linked classes are live.
                    let (scope, parent_scope) = unsafe { ((*own).scope, (*inherited).scope) };
                    self.override_method(vm, own, scope, inherited, parent_scope);
                }
            }
        }
    }
}

/// All `visibility(set)` flags.
pub(crate) const PPP_SET: u32 = flags::PUBLIC_SET | flags::PROTECTED_SET | flags::PRIVATE_SET;

/// Who may write: the set visibility as one of the plain visibility flags.
pub(crate) fn set_visibility(property_flags: u32) -> u32 {
    match property_flags & PPP_SET {
        flags::PUBLIC_SET => flags::PUBLIC,
        flags::PROTECTED_SET => flags::PROTECTED,
        flags::PRIVATE_SET => flags::PRIVATE,
        _ => property_flags & flags::VISIBILITY,
    }
}
