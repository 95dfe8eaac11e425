//! Interfaces of a class: which ones it has, what they bring, and the special ones.

use std::rc::Rc;

use crate::class::inherit::set_visibility;
use crate::class::linking::{Linking, compile_error, raise_at};
use crate::class::{Class, ClassConstant, NO_SLOT};
use crate::diagnostics::level;
use crate::exceptions::KnownClass;
use crate::function::{class_flags, flags};
use crate::vm::Vm;

/// The interfaces that a class gets besides those of its parent.
#[derive(Default)]
struct Added {
    list: Vec<*mut Class>,
    /// These and those of the parent.
    known: hashbrown::HashSet<*mut Class, foldhash::fast::FixedState>,
}

impl Linking {
    /// Adds the declared interfaces and all that come with them to those of the parent, and
    /// takes over or checks their members.
    pub(crate) fn implement_interfaces(&mut self, vm: &mut Vm, declared: &[*mut Class]) {
        // SAFETY: I4: the classes are live.
        let (mut inherited, is_native) = unsafe {
            let parent = (*self.class).parent.as_ref();
            let inherited = parent.map_or_else(Vec::new, |parent| parent.interfaces.clone());
            (inherited, (*self.class).flags & class_flags::INTERNAL != 0)
        };
        // The order in which PHP lists them shows how it copies them.
        if is_native || declared.is_empty() {
            inherited.reverse();
        }
        let mut added = Added::default();
        added.known.extend(&inherited);
        for &interface in declared {
            if added.list.contains(&interface) && !is_native {
                // SAFETY: I4: the classes are live.
                let (kind, name, other) = unsafe {
                    (
                        (*self.class).kind_name(),
                        self.name(),
                        (*interface).display_name(),
                    )
                };
                self.error(
                    vm,
                    &format!(
                        "{kind} {name} cannot implement previously implemented interface {other}"
                    ),
                );
            }
            self.add_interface(vm, interface, &mut added);
            if is_native {
                self.add_further_interfaces(vm, interface, &mut added);
            }
        }
        for interface in added.list.clone() {
            self.add_further_interfaces(vm, interface, &mut added);
        }
        let added = added.list;
        let mut all = [&inherited[..], &added[..]].concat();
        let stringable = vm.known_class(KnownClass::Stringable);
        if is_native && declared.first() == Some(&stringable) {
            // It comes with `__toString()`, before there is a parent.
            all.retain(|&interface| interface != stringable);
            all.insert(0, stringable);
        }
        // SAFETY: I4: the class is live, and nobody else uses it yet.
        unsafe { (*self.class).interfaces = all };
        for interface in inherited {
            self.special_interface(vm, interface);
        }
        for interface in added {
            self.implement(vm, interface);
        }
    }

    fn add_interface(&mut self, vm: &mut Vm, interface: *mut Class, added: &mut Added) {
        match added.known.insert(interface) {
            false => self.check_interface_constants(vm, interface),
            true => added.list.push(interface),
        }
    }

    /// Adds what an interface extends.
    fn add_further_interfaces(&mut self, vm: &mut Vm, interface: *mut Class, added: &mut Added) {
        // SAFETY: I4: interfaces are live.
        let further = unsafe { (*interface).interfaces.clone() };
        for interface in further.into_iter().rev() {
            self.add_interface(vm, interface, added);
        }
    }

    fn check_interface_constants(&mut self, vm: &mut Vm, interface: *mut Class) {
        // SAFETY: I4: interfaces are live.
        for (name, constant) in unsafe { (*interface).constants.iter() } {
            self.inherits_constant(vm, name, constant);
        }
    }

    /// True if the constant has to be taken over; stops if it clashes with another one.
    fn inherits_constant(
        &mut self,
        vm: &mut Vm,
        name: &[u8],
        inherited: &Rc<ClassConstant>,
    ) -> bool {
        // SAFETY: I4: the class is live.
        let Some(own) = (unsafe { (*self.class).constants.get(name).cloned() }) else {
            return true;
        };
        if own.class == inherited.class {
            return false;
        }
        if own.class != self.class {
            let text = crate::message::text(name);
            // SAFETY: I4: classes are live.
            let (kind, first, second) = unsafe {
                (
                    (*self.class).kind_name(),
                    (*own.class).display_name(),
                    (*inherited.class).display_name(),
                )
            };
            let class = self.name();
            if inherited.flags & flags::FINAL != 0 {
                self.error(
                    vm,
                    &format!("{first}::{text} cannot override final constant {second}::{text}"),
                );
            }
            self.error(
                vm,
                &format!("{kind} {class} inherits both {first}::{text} and {second}::{text}, which is ambiguous"),
            );
        }
        self.check_constant(vm, name, &own, inherited);
        false
    }

    /// Takes over the members of one interface.
    fn implement(&mut self, vm: &mut Vm, interface: *mut Class) {
        // SAFETY: I4: the class and the interface are live and differ.
        let (class, members) = unsafe { (&mut *self.class, &*interface) };
        for (name, constant) in members.constants.iter() {
            if self.inherits_constant(vm, name, constant) {
                class.constants.insert(name, constant.clone());
            }
        }
        for (name, &method) in members.methods.iter() {
            match class.methods.get(name).copied() {
                None => {
                    class.methods.insert(name, method);
                    class.flags |= class_flags::IMPLICIT_ABSTRACT;
                }
                Some(own) => {
                    // SAFETY: I4: methods are live.
                    let scopes = unsafe { ((*own).scope, (*method).scope) };
                    self.override_method(vm, own, scopes.0, method, scopes.1);
                }
            }
        }
        for (name, info) in members.properties.iter() {
            match class.properties.get(name).cloned() {
                None => {
                    class.properties.insert(name, info.clone());
                    class.flags |= class_flags::IMPLICIT_ABSTRACT;
                }
                Some(own) => {
                    self.check_interface_property(vm, &own, info);
                    self.check_property_type(vm, &own, info);
                }
            }
        }
        self.special_interface(vm, interface);
    }

    fn check_interface_property(
        &mut self,
        vm: &mut Vm,
        own: &crate::class::PropertyInfo,
        inherited: &crate::class::PropertyInfo,
    ) {
        let name = own.display_name();
        let class = self.name();
        // SAFETY: I4: the declaring class is live.
        let interface = unsafe { (*inherited.class).display_name() };
        if own.flags & flags::STATIC != 0 {
            self.error(
                vm,
                &format!(
                    "Cannot redeclare non static {interface}::${name} as static {class}::${name}"
                ),
            );
        }
        if own.flags & flags::VISIBILITY > inherited.flags & flags::VISIBILITY {
            self.error(
                vm,
                &format!(
                    "Access level to {class}::${name} must be public (as in class {interface})"
                ),
            );
        }
        if !inherited.set_hook.is_null() && set_visibility(own.flags) > flags::PUBLIC {
            self.error(
                vm,
                &format!(
                    "Set access level of {class}::${name} must be omitted (as in class {interface})"
                ),
            );
        }
        // A virtual property has to have the hooks itself; storage serves both.
        if own.slot == NO_SLOT && own.flags & flags::ABSTRACT == 0 {
            for (own, inherited) in [
                (own.get_hook, inherited.get_hook),
                (own.set_hook, inherited.set_hook),
            ] {
                if own.is_null() && !inherited.is_null() {
                    self.missing_hooks.push(inherited);
                }
            }
        }
        // SAFETY: I4: hooks are null or live.
        unsafe {
            for (own, inherited) in [
                (own.get_hook, inherited.get_hook),
                (own.set_hook, inherited.set_hook),
            ] {
                if !own.is_null() && !inherited.is_null() {
                    self.override_method(vm, own, (*own).scope, inherited, (*inherited).scope);
                }
            }
        }
    }

    /// Rules of the interfaces that the engine itself knows.
    fn special_interface(&mut self, vm: &mut Vm, interface: *mut Class) {
        // SAFETY: I4: classes are live.
        let (class, interface_name) = unsafe { (&mut *self.class, (*interface).display_name()) };
        if class.flags & class_flags::INTERFACE != 0 {
            return;
        }
        let name = class.display_name();
        let is = |known: KnownClass| interface_name == known.name();
        let internal = class.flags & class_flags::INTERNAL != 0;
        let has = |known: KnownClass, vm: &Vm| {
            let wanted = vm.known_class(known);
            class.interfaces.contains(&wanted)
        };
        if is(KnownClass::Throwable) {
            if internal || !class.parent.is_null() && class.flags & class_flags::THROWABLE != 0 {
                class.flags |= class_flags::THROWABLE;
                return;
            }
            let kind = class.kind_name();
            if class.flags & class_flags::ENUM != 0 {
                self.error(
                    vm,
                    &format!("{kind} {name} cannot implement interface Throwable"),
                );
            }
            self.error(
                vm,
                &format!(
                    "{kind} {name} cannot implement interface Throwable, extend Exception or Error instead"
                ),
            );
        }
        if internal {
            return;
        }
        if is(KnownClass::Traversable) {
            // Left to the children of an abstract class.
            if class.flags & class_flags::ABSTRACT != 0 {
                return;
            }
            if !has(KnownClass::Iterator, vm) && !has(KnownClass::IteratorAggregate, vm) {
                compile_error(
                    vm,
                    std::ptr::null_mut(),
                    0,
                    &format!(
                        "Class {name} must implement interface Traversable as part of either Iterator or IteratorAggregate"
                    ),
                );
            }
        } else if is(KnownClass::Iterator) {
            if has(KnownClass::IteratorAggregate, vm) {
                self.error(
                    vm,
                    &format!("Class {name} cannot implement both Iterator and IteratorAggregate at the same time"),
                );
            }
        } else if is(KnownClass::IteratorAggregate) {
            if has(KnownClass::Iterator, vm) {
                self.error(
                    vm,
                    &format!("Class {name} cannot implement both Iterator and IteratorAggregate at the same time"),
                );
            }
        } else if is(KnownClass::UnitEnum) || is(KnownClass::BackedEnum) {
            if class.flags & class_flags::ENUM == 0 {
                self.error(
                    vm,
                    &format!("Non-enum class {name} cannot implement interface {interface_name}"),
                );
            }
            if is(KnownClass::BackedEnum) && class.backing_type == 0 {
                self.error(
                    vm,
                    &format!("Non-backed enum {name} cannot implement interface BackedEnum"),
                );
            }
        } else if is(KnownClass::Serializable) {
            let complete =
                class.methods.contains(b"__serialize") && class.methods.contains(b"__unserialize");
            if class.flags & class_flags::ABSTRACT == 0 && !complete {
                raise_at(
                    vm,
                    level::DEPRECATED,
                    self.file,
                    self.line,
                    &format!(
                        "{name} implements the Serializable interface, which is deprecated. Implement __serialize() and __unserialize() instead (or in addition, if support for old PHP versions is necessary)"
                    ),
                );
                if !vm.exception.is_null() {
                    let what =
                        format!("During inheritance of {name}, while implementing Serializable");
                    vm.uncaught_while_linking(&what)
                }
            }
        } else if interface_name == "DateTimeInterface" {
            let date_time = ["DateTime", "DateTimeImmutable"];
            let mut ancestor = class.parent;
            // SAFETY: I4: classes are live.
            unsafe {
                while let Some(class) = ancestor.as_ref() {
                    if date_time.contains(&class.display_name().as_str()) {
                        return;
                    }
                    ancestor = class.parent;
                }
            }
            self.error(vm, "DateTimeInterface can't be implemented by user classes");
        }
    }
}
