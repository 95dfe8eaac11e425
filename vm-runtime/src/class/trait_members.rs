//! Constants and properties that a class takes from its traits. The class has its own and those of
//! its parent already; one of the same name has to be the same.

use std::rc::Rc;

use crate::class::linking::{Linking, OwnProperty};
use crate::class::traits::display;
use crate::class::variance::{Verdict, is_spelled_alike};
use crate::class::{Class, ClassConstant, PropertyInfo};
use crate::function::{Function, Type, class_flags, flags};
use crate::operators::is_identical;
use crate::value::{CONSTANT_EXPRESSION, INDIRECT, Value, Zval};
use crate::vm::Vm;

impl Linking {
    pub(super) fn bind_trait_constants(&mut self, vm: &mut Vm, traits: &[*mut Class]) {
        // SAFETY: I4: the class and its traits are live and differ.
        let class = unsafe { &mut *self.class };
        for (index, &source) in traits.iter().enumerate() {
            // SAFETY: I4: as above.
            for (name, constant) in unsafe { (*source).constants.iter() } {
                let Some(existing) = class.constants.get(name).cloned() else {
                    let copy = ClassConstant {
                        value: constant.value,
                        flags: constant.flags,
                        class: self.class,
                        declared: constant.declared.clone(),
                        doc_comment: constant.doc_comment,
                        evaluating: false,
                        attributes: constant.attributes,
                    };
                    class.constants.insert(name, Rc::new(copy));
                    continue;
                };
                if existing.flags & flags::ENUM_CASE != 0 {
                    let (source, name) = (display(source), crate::message::text(name));
                    self.error(
                        vm,
                        &format!(
                            "Cannot use trait {source}, because {source}::{name} conflicts with enum case {}::{name}",
                            self.name()
                        ),
                    );
                }
                if !self.is_same_constant(vm, &existing, source, constant) {
                    // SAFETY: I4: as above.
                    let has = |other: *mut Class| unsafe { (*other).constants.contains(name) };
                    let mut earlier = traits[..index].iter().copied();
                    let first = earlier.find(|&other| has(other)).unwrap_or(existing.class);
                    let name = crate::message::text(name);
                    self.conflict(vm, first, source, &format!("same constant ({name})"));
                }
            }
        }
    }

    pub(super) fn bind_trait_properties(&mut self, vm: &mut Vm, traits: &[*mut Class]) {
        // SAFETY: I4: the class is live.
        let is_readonly_class = unsafe { (*self.class).flags & class_flags::READONLY != 0 };
        for (index, &source) in traits.iter().enumerate() {
            // SAFETY: I4: traits are live; binding does not touch their tables.
            for (name, info) in unsafe { (*source).properties.iter() } {
                // SAFETY: I4: the class is live.
                let existing = unsafe { (*self.class).properties.get(name).cloned() };
                let existing = existing.filter(|existing| {
                    existing.class == self.class || existing.flags & flags::PRIVATE == 0
                });
                if let Some(existing) = existing {
                    // SAFETY: I4: as above.
                    let has = |other: *mut Class| unsafe { (*other).properties.contains(name) };
                    let mut earlier = traits[..index].iter().copied();
                    let first = earlier.find(|&other| has(other)).unwrap_or(existing.class);
                    let shown = crate::message::text(name);
                    if existing.has_hooks() || info.has_hooks() {
                        self.error(
                            vm,
                            &format!(
                                "{} and {} define the same hooked property (${shown}) in the composition of {}. Conflict resolution between hooked properties is currently not supported. Class was composed",
                                display(first),
                                display(source),
                                self.name()
                            ),
                        );
                    }
                    if !self.is_same_property(vm, &existing, source, info) {
                        self.conflict(vm, first, source, &format!("same property (${shown})"));
                    }
                    // A static one is declared again: it is another variable than the parent's.
                    if info.flags & flags::STATIC == 0 || existing.class == self.class {
                        continue;
                    }
                }
                if is_readonly_class && info.flags & flags::READONLY == 0 {
                    self.error(
                        vm,
                        &format!(
                            "Readonly class {} cannot use trait with a non-readonly property {}::${}",
                            self.name(),
                            display(source),
                            crate::message::text(name)
                        ),
                    );
                }
                let mut copy =
                    PropertyInfo::new(vm, self.class, info.name, info.flags, info.declared.clone());
                copy.doc_comment = info.doc_comment;
                copy.attributes = info.attributes;
                copy.get_hook = self.copy_hook(vm, info.get_hook);
                copy.set_hook = self.copy_hook(vm, info.set_hook);
                let default = trait_default(source, info);
                let property = OwnProperty {
                    info: copy,
                    default,
                };
                // SAFETY: I4: the class is live.
                let parent = unsafe { (*self.class).parent };
                self.place_property(vm, parent, name, property);
            }
        }
    }

    fn copy_hook(&mut self, vm: &mut Vm, hook: *const Function) -> *const Function {
        // SAFETY: I4: hooks are null or live; the class is live.
        unsafe {
            let Some(code) = hook.as_ref().and_then(|hook| hook.code.as_ref()) else {
                return std::ptr::null();
            };
            let copy = vm.make_function(code, self.class);
            (*self.class).own_functions.push(copy);
            if (*copy).flags & flags::ABSTRACT != 0 {
                (*self.class).flags |= class_flags::IMPLICIT_ABSTRACT;
            }
            copy
        }
    }

    /// Two definitions of one member that cannot both be meant.
    fn conflict(&self, vm: &mut Vm, first: *mut Class, source: *mut Class, member: &str) -> ! {
        self.error(
            vm,
            &format!(
                "{} and {} define the {member} in the composition of {}. However, the definition differs and is considered incompatible. Class was composed",
                display(first),
                display(source),
                self.name()
            ),
        )
    }

    fn is_same_constant(
        &self,
        vm: &mut Vm,
        existing: &ClassConstant,
        source: *mut Class,
        constant: &ClassConstant,
    ) -> bool {
        const COMPARED: u32 = flags::VISIBILITY | flags::FINAL;
        let same_type = match (&existing.declared, &constant.declared) {
            (None, None) => true,
            (Some(one), Some(other)) => {
                self.is_subtype(vm, existing.class, one, source, other) != Verdict::No
            }
            _ => false,
        };
        (existing.flags ^ constant.flags) & COMPARED == 0
            && same_type
            && self.is_same_value(vm, &existing.value, &constant.value)
    }

    fn is_same_property(
        &self,
        vm: &mut Vm,
        existing: &PropertyInfo,
        source: *mut Class,
        info: &PropertyInfo,
    ) -> bool {
        const COMPARED: u32 = flags::VISIBILITY | flags::STATIC | flags::READONLY;
        if (existing.flags ^ info.flags) & COMPARED != 0 {
            return false;
        }
        let same_type = match (&existing.declared, &info.declared) {
            (None, None) => true,
            (Some(one), Some(other)) => self.is_same_type(vm, existing.class, one, source, other),
            _ => false,
        };
        // SAFETY: I4: the class is live, and the property has a slot in it.
        let default = unsafe {
            let class = &*self.class;
            let slot = existing.slot as usize;
            match info.flags & flags::STATIC {
                0 => class.default_properties.get(slot).copied(),
                _ => class
                    .static_members
                    .get(slot)
                    .map(|member| match member.kind() == INDIRECT {
                        true => *member.indirect(),
                        false => *member,
                    }),
            }
        };
        let default = default.unwrap_or(Zval::UNDEF);
        same_type && self.is_same_value(vm, &default, &trait_default(source, info))
    }

    /// Each is a subtype of the other, as far as their classes are known.
    fn is_same_type(
        &self,
        vm: &mut Vm,
        scope: *mut Class,
        one: &Type,
        other_scope: *mut Class,
        other: &Type,
    ) -> bool {
        is_spelled_alike(one, other)
            || self.is_subtype(vm, scope, one, other_scope, other) != Verdict::No
                && self.is_subtype(vm, other_scope, other, scope, one) != Verdict::No
    }

    /// Whether two values are identical once they are evaluated, both in this class.
    fn is_same_value(&self, vm: &mut Vm, one: &Zval, other: &Zval) -> bool {
        if one.is_undef() != other.is_undef() {
            return false;
        }
        let mut evaluated = |value: &Zval| match value.kind() {
            CONSTANT_EXPRESSION => vm.evaluate_in(value, self.class),
            _ => Ok(Value::share(value)),
        };
        match (evaluated(one), evaluated(other)) {
            (Ok(one), Ok(other)) => is_identical(vm, &one, &other),
            _ => false,
        }
    }
}

/// The default value of a trait's property, as it was declared.
fn trait_default(source: *mut Class, info: &PropertyInfo) -> Zval {
    // SAFETY: I4: the trait is live, and the slot is one of its own.
    unsafe {
        let source = &mut *source;
        if info.flags & flags::STATIC != 0 {
            // The trait's own member may have changed; the declaration has what it started with.
            if let Some(declaration) = &source.declaration
                && let Some(found) = declaration
                    .properties
                    .iter()
                    .find(|property| (*property.name).as_bytes() == (*info.name).as_bytes())
            {
                return found.default;
            }
            return source.static_members[info.slot as usize].share();
        }
        match source.default_properties.get(info.slot as usize) {
            Some(value) => value.share(),
            None => Zval::UNDEF,
        }
    }
}
