//! Compatibility of signatures and types between a class and what it inherits from.
//!
//! Parameters are contravariant, return types covariant, property types invariant. A class name
//! that is not known yet makes the answer [`Verdict::Unresolved`]; such checks are taken up again
//! when the class is otherwise complete, with autoloading.

use crate::class::linking::{Linking, Obligation};
use crate::class::methods::has_attribute;
use crate::class::{Class, PropertyInfo};
use crate::diagnostics::level;
use crate::function::{Function, Parameter, PassBy, Type, TypeName, flags, type_mask};
use crate::vm::Vm;

/// Whether something is compatible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Yes,
    No,
    /// It is, but only because native return types are not enforced yet.
    Tolerated,
    /// It depends on a class that is not known.
    Unresolved(TypeName),
}

/// The same words: the same type for a property, even where `self` is another class.
pub(super) fn is_spelled_alike(one: &Type, other: &Type) -> bool {
    one.mask == other.mask
        && match (one.classes.as_slice(), other.classes.as_slice()) {
            ([], []) => true,
            ([one], [other]) => match (one.as_slice(), other.as_slice()) {
                ([one], [other]) => bytes(one.name) == bytes(other.name),
                _ => false,
            },
            _ => false,
        }
}

/// What is known about a class name in a type.
enum Known {
    Class(*mut Class),
    Name(TypeName),
}

fn bytes(name: *mut crate::string::PhpString) -> &'static [u8] {
    // SAFETY: names in types live as long as the functions and classes that are being compared.
    unsafe { (*name).as_bytes() }
}

fn alternatives(declared: &Type) -> impl Iterator<Item = &[TypeName]> {
    declared.classes.iter().map(Vec::as_slice)
}

impl Linking {
    fn resolve(&self, vm: &mut Vm, name: &TypeName, scope: *mut Class) -> Known {
        // SAFETY: I4: classes are live.
        unsafe {
            match bytes(name.lowercase) {
                b"self" => Known::Class(scope),
                b"parent" => {
                    let parent = (*scope).parent;
                    match (&(*scope).declaration, parent.is_null()) {
                        (_, false) => Known::Class(parent),
                        (Some(declaration), true) => match &declaration.parent {
                            Some(parent) => Known::Name(TypeName {
                                name: parent.name,
                                lowercase: parent.lowercase,
                            }),
                            None => Known::Name(*name),
                        },
                        _ => Known::Name(*name),
                    }
                }
                lowercase if bytes((*self.class).lowercase) == lowercase => {
                    Known::Class(self.class)
                }
                lowercase if bytes((*scope).lowercase) == lowercase => Known::Class(scope),
                lowercase => match vm.class_in_type(lowercase) {
                    Some(class) => Known::Class(class),
                    None => Known::Name(*name),
                },
            }
        }
    }

    /// True if `class` is `other` or below it, also while it is being linked.
    fn is_below(&self, vm: &mut Vm, class: *mut Class, other: *mut Class) -> bool {
        vm.is_known_below(class, other) || class == self.class && self.declares_ancestor(other)
    }

    /// The classes of a type that are not known are to be loaded before it is checked again.
    fn miss(&self, vm: &mut Vm, scope: *mut Class, declared: &Type) {
        for name in declared.classes.iter().flatten() {
            if let Known::Name(name) = self.resolve(vm, name, scope) {
                vm.delay_autoload(bytes(name.name));
            }
        }
    }

    /// The class being linked has not taken over its ancestors yet, but names them.
    fn declares_ancestor(&self, other: *mut Class) -> bool {
        // SAFETY: I4: classes are live.
        unsafe {
            self.pending_ancestors
                .iter()
                .any(|&ancestor| (*ancestor).is_subclass_of(other))
        }
    }

    /// Is class `name` (in `scope`) a subtype of `declared` (in `declared_scope`)?
    fn is_class_subtype(
        &self,
        vm: &mut Vm,
        scope: *mut Class,
        name: &TypeName,
        declared_scope: *mut Class,
        declared: &Type,
    ) -> Verdict {
        let class = self.resolve(vm, name, scope);
        let mut unresolved = None;
        if declared.mask & type_mask::OBJECT != 0 {
            // Any class will do, but it has to be one.
            match &class {
                Known::Class(_) => return Verdict::Yes,
                Known::Name(name) => unresolved = Some(*name),
            }
        }
        if declared.mask & type_mask::ITERABLE != 0 {
            match &class {
                Known::Class(class) => {
                    let traversable = vm.known_class(crate::exceptions::KnownClass::Traversable);
                    if self.is_below(vm, *class, traversable) {
                        return Verdict::Yes;
                    }
                }
                Known::Name(name) => unresolved = Some(*name),
            }
        }
        if declared.mask & type_mask::STATIC != 0
            && let Known::Class(class) = &class
        {
            // SAFETY: I4: classes are live.
            let is_final = unsafe { (**class).flags & crate::function::class_flags::FINAL != 0 };
            if is_final && self.is_below(vm, *class, declared_scope) {
                return Verdict::Yes;
            }
        }
        for intersection in alternatives(declared) {
            let mut verdict = Verdict::Yes;
            for other in intersection {
                let other = self.resolve(vm, other, declared_scope);
                verdict = match (&class, &other) {
                    (Known::Name(name), Known::Name(other))
                        if bytes(name.lowercase) == bytes(other.lowercase) =>
                    {
                        Verdict::Yes
                    }
                    (Known::Name(name), Known::Class(other))
                        if bytes(unsafe_name(*other)) == bytes(name.lowercase) =>
                    {
                        Verdict::Yes
                    }
                    (Known::Name(name), _) | (Known::Class(_), Known::Name(name)) => {
                        Verdict::Unresolved(*name)
                    }
                    (Known::Class(class), Known::Class(other))
                        if self.is_below(vm, *class, *other) =>
                    {
                        Verdict::Yes
                    }
                    _ => Verdict::No,
                };
                if verdict != Verdict::Yes {
                    break;
                }
            }
            match verdict {
                Verdict::Yes => return Verdict::Yes,
                Verdict::Unresolved(name) => unresolved = unresolved.or(Some(name)),
                _ => {}
            }
        }
        unresolved.map_or(Verdict::No, Verdict::Unresolved)
    }

    /// Is `child` (in `child_scope`) the same type as `parent` or narrower? If that cannot be told,
    /// all classes that are missing are noted.
    pub(crate) fn is_subtype(
        &self,
        vm: &mut Vm,
        child_scope: *mut Class,
        child: &Type,
        parent_scope: *mut Class,
        parent: &Type,
    ) -> Verdict {
        let verdict = self.compare_types(vm, child_scope, child, parent_scope, parent);
        if matches!(verdict, Verdict::Unresolved(_)) && !self.early {
            self.miss(vm, child_scope, child);
            self.miss(vm, parent_scope, parent);
        }
        verdict
    }

    fn compare_types(
        &self,
        vm: &mut Vm,
        child_scope: *mut Class,
        child: &Type,
        parent_scope: *mut Class,
        parent: &Type,
    ) -> Verdict {
        if parent.is_mixed() && child.mask & type_mask::VOID == 0 {
            return Verdict::Yes;
        }
        let mut added = child.mask & !parent.mask;
        if added & type_mask::ITERABLE != 0
            && parent.mask & type_mask::ARRAY != 0
            && (parent.mask & type_mask::OBJECT != 0
                || alternatives(parent).any(
                    |names| matches!(names, [name] if bytes(name.lowercase) == b"traversable"),
                ))
        {
            added &= !type_mask::ITERABLE;
        }
        if added & type_mask::ARRAY != 0 && parent.mask & type_mask::ITERABLE != 0 {
            added &= !type_mask::ARRAY;
        }
        let mut unresolved = None;
        if added & type_mask::STATIC != 0 {
            let own = TypeName {
                name: self_name(child_scope),
                lowercase: unsafe_name(child_scope),
            };
            match self.is_class_subtype(vm, child_scope, &own, parent_scope, parent) {
                Verdict::Yes => added &= !type_mask::STATIC,
                Verdict::Unresolved(name) => {
                    added &= !type_mask::STATIC;
                    unresolved = Some(name);
                }
                _ => {}
            }
        }
        if added == type_mask::NEVER {
            return Verdict::Yes;
        }
        if added != 0 {
            return Verdict::No;
        }
        for intersection in alternatives(child) {
            match self.is_intersection_subtype(vm, child_scope, intersection, parent_scope, parent)
            {
                Verdict::Yes => {}
                Verdict::Unresolved(name) => unresolved = unresolved.or(Some(name)),
                _ => return Verdict::No,
            }
        }
        unresolved.map_or(Verdict::Yes, Verdict::Unresolved)
    }

    /// An intersection is below a type if some part of it is, or if for some alternative each of
    /// its members has a part of the intersection below it.
    fn is_intersection_subtype(
        &self,
        vm: &mut Vm,
        child_scope: *mut Class,
        child: &[TypeName],
        parent_scope: *mut Class,
        parent: &Type,
    ) -> Verdict {
        let mut unresolved = None;
        for name in child {
            match self.is_class_subtype(vm, child_scope, name, parent_scope, parent) {
                Verdict::Yes => return Verdict::Yes,
                Verdict::Unresolved(name) => unresolved = unresolved.or(Some(name)),
                _ => {}
            }
        }
        if child.len() > 1 {
            for alternative in alternatives(parent) {
                let mut all = true;
                for wanted in alternative {
                    let single = Type {
                        mask: 0,
                        classes: vec![vec![*wanted]],
                    };
                    let mut found = false;
                    for name in child {
                        match self.is_class_subtype(vm, child_scope, name, parent_scope, &single) {
                            Verdict::Yes => {
                                found = true;
                                break;
                            }
                            Verdict::Unresolved(name) => unresolved = unresolved.or(Some(name)),
                            _ => {}
                        }
                    }
                    all &= found;
                }
                if all {
                    return Verdict::Yes;
                }
            }
        }
        unresolved.map_or(Verdict::No, Verdict::Unresolved)
    }

    fn is_parameter_compatible(
        &self,
        vm: &mut Vm,
        child_scope: *mut Class,
        child: &Parameter,
        parent_scope: *mut Class,
        parent: &Parameter,
    ) -> Verdict {
        if (child.pass_by == PassBy::Value) != (parent.pass_by == PassBy::Value) {
            return Verdict::No;
        }
        match (&child.declared, &parent.declared) {
            (None, _) => Verdict::Yes,
            (Some(declared), None) if declared.is_mixed() => Verdict::Yes,
            (Some(_), None) => Verdict::No,
            (Some(child), Some(parent)) => {
                self.is_subtype(vm, parent_scope, parent, child_scope, child)
            }
        }
    }

    /// Can `child` stand where `parent` is expected?
    pub(crate) fn is_compatible(
        &self,
        vm: &mut Vm,
        child_scope: *mut Class,
        child: &Function,
        parent_scope: *mut Class,
        parent: &Function,
    ) -> Verdict {
        if parent.required_count < child.required_count
            || parent.flags & flags::RETURN_REFERENCE != 0
                && child.flags & flags::RETURN_REFERENCE == 0
            || parent.flags & flags::VARIADIC != 0 && child.flags & flags::VARIADIC == 0
        {
            return Verdict::No;
        }
        let mut unresolved = None;
        let at = |function: &Function, index: usize| {
            let last = function
                .parameters
                .last()
                .filter(|parameter| parameter.variadic)
                .cloned();
            function.parameters.get(index).cloned().or(last)
        };
        for index in 0..parent.parameters.len().max(child.parameters.len()) {
            let Some(expected) = at(parent, index) else {
                continue;
            };
            let Some(parameter) = at(child, index) else {
                return Verdict::No;
            };
            match self.is_parameter_compatible(vm, child_scope, &parameter, parent_scope, &expected)
            {
                Verdict::Yes => {}
                Verdict::Unresolved(name) => unresolved = unresolved.or(Some(name)),
                _ => return Verdict::No,
            }
        }
        let Some(expected) = &parent.return_type else {
            return unresolved.map_or(Verdict::Yes, Verdict::Unresolved);
        };
        let verdict = match &child.return_type {
            None => Verdict::No,
            Some(declared) => self.is_subtype(vm, child_scope, declared, parent_scope, expected),
        };
        match (verdict, unresolved) {
            (Verdict::No, _) if parent.flags & flags::TENTATIVE_RETURN_TYPE == 0 => Verdict::No,
            (_, Some(name)) => Verdict::Unresolved(name),
            (Verdict::No, None) => Verdict::Tolerated,
            (verdict, None) => verdict,
        }
    }

    /// Checks now, or notes the check for later if a class is missing.
    pub(crate) fn check(&mut self, vm: &mut Vm, obligation: Obligation) {
        if let Some(_missing) = self.try_check(vm, &obligation) {
            self.obligations.push(obligation);
        }
    }

    /// Checks; gives the name of a missing class if that decides.
    pub(crate) fn try_check(&self, vm: &mut Vm, obligation: &Obligation) -> Option<TypeName> {
        match obligation {
            Obligation::Method {
                child,
                child_scope,
                parent,
                parent_scope,
            } => {
                // SAFETY: I4: methods are live.
                let (child, parent) = unsafe { (&**child, &**parent) };
                match self.is_compatible(vm, *child_scope, child, *parent_scope, parent) {
                    Verdict::Yes => None,
                    Verdict::Unresolved(name) => Some(name),
                    Verdict::Tolerated => {
                        self.tolerate(vm, *child_scope, child, *parent_scope, parent);
                        None
                    }
                    Verdict::No => {
                        let child_text =
                            self.declaration_text(vm, child, *child_scope, *parent_scope);
                        let parent_text =
                            self.declaration_text(vm, parent, *parent_scope, *parent_scope);
                        self.error_at(
                            vm,
                            child,
                            &format!(
                                "Declaration of {child_text} must be compatible with {parent_text}"
                            ),
                        )
                    }
                }
            }
            Obligation::Property { child, parent } => self.check_property(vm, child, parent),
            Obligation::SetHook(property) => self.check_set_hook_parameter(vm, property),
            Obligation::Constant {
                name,
                own,
                inherited,
            } => self.check_constant_type(vm, name, own, inherited),
            Obligation::Dependency(_) => None,
        }
    }

    fn tolerate(
        &self,
        vm: &mut Vm,
        child_scope: *mut Class,
        child: &Function,
        parent_scope: *mut Class,
        parent: &Function,
    ) {
        if has_attribute(child, b"returntypewillchange") {
            return;
        }
        let message = format!(
            "Return type of {} should either be compatible with {}, or the #[\\ReturnTypeWillChange] attribute should be used to temporarily suppress the notice",
            self.declaration_text(vm, child, child_scope, parent_scope),
            self.declaration_text(vm, parent, parent_scope, parent_scope)
        );
        match &child.code {
            Some(code) => crate::class::linking::raise_at(
                vm,
                level::DEPRECATED,
                code.draft.filename,
                code.draft.line_start,
                &message,
            ),
            None => crate::class::linking::raise_at(
                vm,
                level::DEPRECATED,
                self.file,
                self.line,
                &message,
            ),
        }
        if !vm.exception.is_null() {
            // SAFETY: I4: classes live until the VM ends.
            let parent_class = unsafe { (*parent_scope).display_name() };
            vm.uncaught_while_linking(&format!("During inheritance of {parent_class}"))
        }
    }

    fn check_set_hook_parameter(&self, vm: &mut Vm, property: &PropertyInfo) -> Option<TypeName> {
        // SAFETY: I4: hooks are null or live.
        let hook = unsafe { property.set_hook.as_ref()? };
        let parameter = hook.parameters.first()?;
        let (taken, held) = (parameter.declared.as_ref()?, property.declared.as_ref()?);
        match self.is_subtype(vm, property.class, held, property.class, taken) {
            Verdict::Unresolved(name) => Some(name),
            Verdict::No => self.set_hook_error(vm, property),
            _ => None,
        }
    }

    /// The parameter of a `set` hook does not take what the property can hold.
    pub(crate) fn set_hook_error(&self, vm: &mut Vm, property: &PropertyInfo) -> ! {
        // SAFETY: I4: hooks are null or live.
        let hook = unsafe { property.set_hook.as_ref() };
        let parameter = hook.and_then(|hook| hook.parameters.first());
        let parameter = parameter.map_or(&b"value"[..], |parameter| bytes(parameter.name));
        let (class, name) = (self.name(), property.display_name());
        let parameter = crate::message::text(parameter);
        self.error(
            vm,
            &format!(
                "Type of parameter ${parameter} of hook {class}::${name}::set must be compatible with property type"
            ),
        )
    }

    /// An abstract property that can be set takes more than it gives, maybe: whatever implements it
    /// takes as much.
    fn check_abstract_set(
        &self,
        vm: &mut Vm,
        child: &PropertyInfo,
        parent: &PropertyInfo,
    ) -> Option<TypeName> {
        if parent.flags & flags::ABSTRACT == 0 {
            return None;
        }
        // SAFETY: I4: hooks are null or live.
        let hook = unsafe { parent.set_hook.as_ref()? };
        // SAFETY: I4: as above.
        let own = unsafe { child.set_hook.as_ref() };
        let own = own.filter(|own| own.flags & flags::ABSTRACT == 0);
        let taken = hook.parameters.first()?.declared.as_ref()?;
        let held = match own.and_then(|own| own.parameters.first()) {
            Some(parameter) => parameter.declared.as_ref()?,
            None => child.declared.as_ref()?,
        };
        match self.is_subtype(vm, parent.class, taken, child.class, held) {
            Verdict::Unresolved(name) => Some(name),
            Verdict::No => {
                // SAFETY: I4: declaring classes are live.
                let (class, parent_class, kind) = unsafe {
                    (
                        (*child.class).display_name(),
                        (*parent.class).display_name(),
                        (*parent.class).kind_name().to_ascii_lowercase(),
                    )
                };
                let name = child.display_name();
                let expected = taken.display_resolved(parent.class);
                self.error(
                    vm,
                    &format!("Set type of {class}::${name} must be supertype of {expected} (as in {kind} {parent_class})"),
                )
            }
            _ => None,
        }
    }

    fn check_property(
        &self,
        vm: &mut Vm,
        child: &PropertyInfo,
        parent: &PropertyInfo,
    ) -> Option<TypeName> {
        let parent_type = parent.declared.as_ref()?;
        // A property that is only read (or only written) elsewhere may vary in one direction.
        let is_virtual = parent.flags & flags::VIRTUAL != 0;
        let covariant_only = is_virtual && parent.set_hook.is_null() && !parent.get_hook.is_null();
        let contravariant_only =
            is_virtual && parent.get_hook.is_null() && !parent.set_hook.is_null();
        let (mut narrower, mut wider) = (Verdict::No, Verdict::No);
        if let Some(child_type) = &child.declared {
            if is_spelled_alike(child_type, parent_type) {
                return self.check_abstract_set(vm, child, parent);
            }
            narrower = match contravariant_only {
                true => Verdict::Yes,
                false => self.is_subtype(vm, child.class, child_type, parent.class, parent_type),
            };
            wider = match covariant_only {
                true => Verdict::Yes,
                false => self.is_subtype(vm, parent.class, parent_type, child.class, child_type),
            };
        }
        match (narrower, wider) {
            (Verdict::Yes, Verdict::Yes) => self.check_abstract_set(vm, child, parent),
            (Verdict::No, _) | (_, Verdict::No) => {
                // SAFETY: I4: declaring classes are live.
                let (class, parent_class) = unsafe {
                    (
                        (*child.class).display_name(),
                        (*parent.class).display_name(),
                    )
                };
                let name = child.display_name();
                let how = match (covariant_only, contravariant_only) {
                    (true, _) => "subtype of ",
                    (_, true) => "supertype of ",
                    _ => "",
                };
                let expected = parent_type.display_resolved(parent.class);
                self.error(
                    vm,
                    &format!("Type of {class}::${name} must be {how}{expected} (as in class {parent_class})"),
                )
            }
            (Verdict::Unresolved(name), _) | (_, Verdict::Unresolved(name)) => Some(name),
            _ => None,
        }
    }
}

/// The lower-cased name of a live class.
fn unsafe_name(class: *mut Class) -> *mut crate::string::PhpString {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { (*class).lowercase }
}

fn self_name(class: *mut Class) -> *mut crate::string::PhpString {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { (*class).name }
}
