//! Classes on their way to being linked, and checks of types that wait for other classes.
//!
//! While a class is being linked it has no members yet: nobody can use it, but types may name it.
//! A check that needs a class which is not known is put off, and the name noted. Then the class is
//! *nearly* linked: others may extend it, but not make instances. Its noted names are autoloaded,
//! and whatever that links depends on it and settles what was put off before itself.

use std::sync::Arc;

use crate::class::Class;
use crate::class::declare::{bytes, text};
use crate::class::linking::{Linking, Obligation};
use crate::function::class_flags;
use crate::op_array::{ClassDeclaration, ClassName};
use crate::vm::{PhpResult, Thrown, Vm};

/// What a VM keeps about classes that are not linked yet.
#[derive(Debug, Default)]
pub(crate) struct DelayedLinking {
    /// Classes without their members, outermost first.
    unlinked: Vec<(*mut Class, Arc<ClassDeclaration>)>,
    /// Unlinked classes that a type check or a child has relied on.
    used: Vec<*mut Class>,
    /// Nearly linked classes with the checks they wait for.
    waiting: Vec<Linking>,
    /// Names of classes to be autoloaded, in the order in which checks came upon them.
    autoloads: Vec<Box<[u8]>>,
}

impl Class {
    /// True if the class can be used: everything about it is checked.
    #[inline]
    pub(crate) fn is_linked(&self) -> bool {
        self.flags & class_flags::LINKED != 0
    }
}

impl Vm {
    /// From here on the class is known to be on its way.
    pub(crate) fn begin_linking(&mut self, class: *mut Class, declaration: &Arc<ClassDeclaration>) {
        // SAFETY: I4: the class was just made.
        unsafe { (*class).declaration = Some(declaration.clone()) };
        let unlinked = &mut self.class_state.delayed.unlinked;
        unlinked.push((class, declaration.clone()));
    }

    /// The class has its members, or linking it failed.
    pub(crate) fn end_linking(&mut self, class: *mut Class) {
        let unlinked = &mut self.class_state.delayed.unlinked;
        unlinked.retain(|(known, _)| *known != class);
    }

    /// The class with this lower-cased name, if it is being linked and has no members yet.
    pub(crate) fn unlinked_class(&self, lowercase: &[u8]) -> Option<*mut Class> {
        let mut unlinked = self.class_state.delayed.unlinked.iter().rev();
        let found = unlinked.find(|(_, declaration)| {
            bytes(declaration.name.lowercase).eq_ignore_ascii_case(lowercase)
        });
        found.map(|(class, _)| *class)
    }

    /// A class that a type names, as far as it is known; that it is used is noted.
    pub(crate) fn class_in_type(&mut self, lowercase: &[u8]) -> Option<*mut Class> {
        let class = self
            .declared_class(lowercase)
            .or(self.unlinked_class(lowercase))?;
        self.note_use(class);
        Some(class)
    }

    /// A class to inherit from; it may be nearly linked.
    pub(crate) fn class_to_inherit(&mut self, name: &ClassName) -> PhpResult<Option<*mut Class>> {
        let lowercase = bytes(name.lowercase);
        let class = match self.declared_class(lowercase) {
            Some(class) => Some(class),
            None => self.autoload_class(bytes(name.name), lowercase, true)?,
        };
        if let Some(class) = class {
            self.note_use(class);
        }
        Ok(class)
    }

    fn note_use(&mut self, class: *mut Class) {
        // SAFETY: I4: classes live until the VM ends.
        let is_linked = unsafe { (*class).is_linked() };
        let used = &mut self.class_state.delayed.used;
        if !is_linked && !used.contains(&class) {
            used.push(class);
        }
    }

    /// True if something relied on this class though it was not linked.
    pub(crate) fn was_used_unlinked(&self, class: *mut Class) -> bool {
        self.class_state.delayed.used.contains(&class)
    }

    /// Notes a class that a check misses.
    pub(crate) fn delay_autoload(&mut self, name: &[u8]) {
        let autoloads = &mut self.class_state.delayed.autoloads;
        if !autoloads.iter().any(|known| **known == *name) {
            autoloads.push(name.into());
        }
    }

    /// True if `class` is `other` or below it, as far as classes being linked can tell.
    pub(crate) fn is_known_below(&mut self, class: *mut Class, other: *mut Class) -> bool {
        self.is_declared_below(class, other, &mut Vec::new())
    }

    /// Unlinked classes may name each other in a circle: those in `seen` have been asked.
    fn is_declared_below(
        &mut self,
        class: *mut Class,
        other: *mut Class,
        seen: &mut Vec<*mut Class>,
    ) -> bool {
        // SAFETY: I4: classes live until the VM ends.
        if unsafe { (*class).is_subclass_of(other) } {
            return true;
        }
        if seen.contains(&class) {
            return false;
        }
        seen.push(class);
        let unlinked = &self.class_state.delayed.unlinked;
        let mut known = unlinked.iter().filter(|(known, _)| *known == class);
        let Some(declaration) = known.next().map(|(_, declaration)| declaration.clone()) else {
            return false;
        };
        let mut ancestors = declaration.parent.iter().chain(&declaration.interfaces);
        ancestors.any(|name| {
            let lowercase = bytes(name.lowercase);
            let known = self
                .declared_class(lowercase)
                .or(self.unlinked_class(lowercase));
            known.is_some_and(|ancestor| {
                ancestor == other || self.is_declared_below(ancestor, other, seen)
            })
        })
    }

    /// The class has its members. It is linked now, or when the checks it waits for are done.
    pub(crate) fn finish_linking(&mut self, linking: Linking) {
        let class = linking.class;
        self.end_linking(class);
        if linking.obligations.is_empty() {
            // SAFETY: I4: the class is live.
            unsafe { (*class).flags |= class_flags::LINKED };
            return;
        }
        self.class_state.delayed.waiting.push(linking);
        self.load_delayed(class);
        self.settle(class);
    }

    /// Autoloads the classes that checks have missed. This may link others, which load the rest and
    /// settle what they depend on.
    fn load_delayed(&mut self, class: *mut Class) {
        while !self.class_state.delayed.autoloads.is_empty() {
            let name = self.class_state.delayed.autoloads.remove(0);
            if let Err(Thrown) = self.class_by_name(&name, true) {
                // SAFETY: I4: classes live until the VM ends.
                let class = unsafe { (*class).display_name() };
                let name = crate::message::text(&name);
                self.uncaught_while_linking(&format!(
                    "During inheritance of {class}, while autoloading {name}"
                ))
            }
        }
    }

    /// Takes up the checks that a nearly linked class waits for; what it depends on comes first.
    fn settle(&mut self, class: *mut Class) {
        let waiting = &mut self.class_state.delayed.waiting;
        let Some(position) = waiting.iter().position(|linking| linking.class == class) else {
            return;
        };
        let linking = waiting.remove(position);
        for obligation in &linking.obligations {
            if let Obligation::Dependency(ancestor) = obligation {
                self.settle(*ancestor);
            } else if let Some(missing) = linking.try_check(self, obligation) {
                self.unsettled(&linking, obligation, &text(missing.name))
            }
        }
        // SAFETY: I4: the class is live.
        unsafe { (*class).flags |= class_flags::LINKED };
    }

    /// A class that a check needs is not to be had.
    fn unsettled(&mut self, linking: &Linking, obligation: &Obligation, missing: &str) -> ! {
        match obligation {
            Obligation::Method {
                child,
                child_scope,
                parent,
                parent_scope,
            } => {
                // SAFETY: I4: methods are live.
                let (child, parent) = unsafe { (&**child, &**parent) };
                let message = format!(
                    "Could not check compatibility between {} and {}, because class {missing} is not available",
                    linking.declaration_text(self, child, *child_scope, *parent_scope),
                    linking.declaration_text(self, parent, *parent_scope, *parent_scope),
                );
                linking.error_at(self, child, &message)
            }
            Obligation::Property { child, parent } => {
                // SAFETY: I4: declaring classes are live.
                let (class, parent_class) = unsafe {
                    (
                        (*child.class).display_name(),
                        (*parent.class).display_name(),
                    )
                };
                let declared = parent.declared.as_ref();
                let expected = declared.map(|declared| declared.display_resolved(parent.class));
                let message = format!(
                    "Type of {class}::${} must be {} (as in class {parent_class})",
                    child.display_name(),
                    expected.unwrap_or_default()
                );
                linking.error(self, &message)
            }
            Obligation::Constant {
                name,
                own,
                inherited,
            } => linking.constant_type_error(self, name, own, inherited),
            Obligation::SetHook(property) => linking.set_hook_error(self, property),
            Obligation::Dependency(_) => unreachable!("it misses nothing"),
        }
    }

    /// An exception that cannot be passed on, because the class is half linked.
    pub(crate) fn uncaught_while_linking(&mut self, what: &str) -> ! {
        let text = match self.take_exception() {
            Some(exception) => crate::exceptions::report::exception_text(self, &exception),
            None => Vec::new(),
        };
        let text = crate::message::text(&text).into_owned();
        self.fatal_error(&format!("{what}: Uncaught {text}"))
    }
}
