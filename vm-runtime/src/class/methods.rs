//! Methods that override or implement others: the rules, and the texts of their violations.

use crate::class::Class;
use crate::class::inherit::{or_weaker, visibility_name};
use crate::class::linking::{Linking, Obligation, compile_error};
use crate::function::{Function, class_flags, flags};
use crate::vm::Vm;

/// Name of the class a function belongs to.
pub(crate) fn scope_name(function: &Function) -> String {
    if function.scope.is_null() {
        return String::new();
    }
    // SAFETY: I4: classes live until the VM ends.
    unsafe { (*function.scope).display_name() }
}

/// Name of a function without its class.
pub(crate) fn plain_name(function: &Function) -> String {
    if function.name.is_null() {
        return String::new();
    }
    // SAFETY: I4: a function's name lives as long as it does.
    unsafe { (*function.name).to_text().into_owned() }
}

impl Linking {
    /// The class that messages say a method is of: for one taken from a trait, that trait, as long
    /// as no interface (the class `against`) is concerned, which comes last.
    pub(crate) fn origin(&self, function: &Function, against: *mut Class) -> *mut Class {
        // SAFETY: I4: classes live until the VM ends.
        let of_interface = unsafe { against.as_ref() }
            .is_some_and(|class| class.flags & class_flags::INTERFACE != 0);
        let of_trait = function.flags & flags::FROM_TRAIT != 0 && function.scope == self.class;
        if of_trait && !of_interface {
            let name = plain_name(function).to_ascii_lowercase();
            let mut sources = self.trait_sources.iter();
            if let Some((_, source, ..)) = sources.find(|(key, ..)| *key == name.as_bytes()) {
                return *source;
            }
        }
        function.scope
    }

    /// An error at the place of a function.
    #[cold]
    pub(crate) fn error_at(&self, vm: &mut Vm, function: &Function, message: &str) -> ! {
        match &function.code {
            Some(code) => compile_error(vm, code.draft.filename, code.draft.line_start, message),
            None => self.error(vm, message),
        }
    }

    /// The method table has `child` where the parent or an interface has `parent`.
    pub(crate) fn override_method(
        &mut self,
        vm: &mut Vm,
        child: *const Function,
        child_scope: *mut Class,
        parent: *const Function,
        parent_scope: *mut Class,
    ) {
        if child == parent {
            return;
        }
        // SAFETY: I4: methods and classes are live; only functions that this class owns, which
        // nobody else refers to yet, are written.
        let (function, inherited, own) = unsafe {
            (
                &*child,
                &*parent,
                (*child).scope == self.class && (*child).is_user,
            )
        };
        let set_flags = |added: u32| {
            if own {
                // SAFETY: see above.
                unsafe { (*child.cast_mut()).flags |= added };
            }
        };
        let parent_flags = inherited.flags;
        if parent_flags & flags::PRIVATE != 0 && parent_flags & flags::ABSTRACT == 0 {
            if parent_flags & (flags::FINAL | flags::CONSTRUCTOR)
                == flags::FINAL | flags::CONSTRUCTOR
            {
                let (class, name) = (scope_name(inherited), plain_name(function));
                self.error_at(
                    vm,
                    function,
                    &format!("Cannot override final method {class}::{name}()"),
                );
            }
            set_flags(flags::CHANGED);
            return;
        }
        self.check_modifiers(vm, function, inherited, parent_scope);
        if parent_flags & (flags::PRIVATE | flags::CHANGED) != 0 {
            set_flags(flags::CHANGED);
        }
        let mut prototype = if inherited.prototype.is_null() {
            parent
        } else {
            inherited.prototype
        };
        let mut against = parent;
        let mut against_scope = parent_scope;
        if parent_flags & flags::CONSTRUCTOR != 0 {
            // Constructors only follow one that is abstract or comes from an interface.
            // SAFETY: I4: prototypes are live.
            unsafe {
                if (*prototype).flags & flags::ABSTRACT == 0 {
                    prototype = std::ptr::null();
                } else if prototype != parent {
                    against = prototype;
                    against_scope = (*prototype).scope;
                }
            }
            if prototype.is_null() {
                return;
            }
        }
        if own {
            // SAFETY: see above.
            unsafe { (*child.cast_mut()).prototype = prototype };
        }
        if function.flags & flags::VISIBILITY > parent_flags & flags::VISIBILITY {
            let (class, name) = (
                class_name(self.origin(function, parent_scope)),
                plain_name(function),
            );
            let (must, weaker) = (visibility_name(parent_flags), or_weaker(parent_flags));
            let parent_class = class_name(parent_scope);
            self.error_at(
                vm,
                function,
                &format!("Access level to {class}::{name}() must be {must} (as in class {parent_class}){weaker}"),
            );
        }
        // An enum's own `from()` takes exactly its backing type, which is narrower.
        // SAFETY: I4: the class is live.
        if !function.is_user && unsafe { (*self.class).flags & class_flags::ENUM != 0 } {
            return;
        }
        self.check(
            vm,
            Obligation::Method {
                child,
                child_scope,
                parent: against,
                parent_scope: against_scope,
            },
        );
    }

    fn check_modifiers(
        &self,
        vm: &mut Vm,
        child: &Function,
        parent: &Function,
        parent_scope: *mut Class,
    ) {
        let (class, parent_class) = (
            class_name(self.origin(child, parent_scope)),
            class_name(parent_scope),
        );
        let name = plain_name(child);
        if parent.flags & flags::FINAL != 0 {
            self.error_at(
                vm,
                child,
                &format!("Cannot override final method {parent_class}::{name}()"),
            );
        }
        match (child.is_static(), parent.is_static()) {
            (true, false) => self.error_at(
                vm,
                child,
                &format!(
                    "Cannot make non static method {parent_class}::{name}() static in class {class}"
                ),
            ),
            (false, true) => self.error_at(
                vm,
                child,
                &format!(
                    "Cannot make static method {parent_class}::{name}() non static in class {class}"
                ),
            ),
            _ => {}
        }
        if child.flags & flags::ABSTRACT > parent.flags & flags::ABSTRACT {
            self.error_at(
                vm,
                child,
                &format!("Cannot make non abstract method {parent_class}::{name}() abstract in class {class}"),
            );
        }
    }

    /// A class that is not abstract implements everything; otherwise this is where it ends.
    pub(crate) fn verify_abstract(&self, vm: &mut Vm) {
        // SAFETY: I4: the class, its methods and properties are live.
        let class = unsafe { &*self.class };
        let open = class_flags::IMPLICIT_ABSTRACT
            | class_flags::ABSTRACT
            | class_flags::INTERFACE
            | class_flags::TRAIT;
        let checked =
            class.flags & open == class_flags::IMPLICIT_ABSTRACT || !self.missing_hooks.is_empty();
        if !checked && class.flags & class_flags::ABSTRACT == 0 {
            return;
        }
        let explicit = class.flags & class_flags::ABSTRACT != 0;
        let mut missing = Vec::new();
        for (_, &method) in class.methods.iter() {
            // SAFETY: I4: as above.
            let method = unsafe { &*method };
            // An explicitly abstract class still has to implement private abstract methods.
            if method.flags & flags::ABSTRACT != 0
                && (!explicit || method.flags & flags::PRIVATE != 0)
            {
                missing.push(format!("{}::{}", scope_name(method), plain_name(method)));
            }
        }
        if !explicit {
            for (_, info) in class.properties.iter() {
                if info.flags & flags::ABSTRACT == 0 {
                    continue;
                }
                for hook in [info.get_hook, info.set_hook] {
                    // SAFETY: I4: hooks are null or live.
                    if let Some(hook) = unsafe { hook.as_ref() }
                        && hook.flags & flags::ABSTRACT != 0
                    {
                        missing.push(format!("{}::{}", scope_name(hook), plain_name(hook)));
                    }
                }
            }
        }
        for &hook in &self.missing_hooks {
            // SAFETY: I4: hooks are live.
            let hook = unsafe { &*hook };
            missing.push(format!("{}::{}", scope_name(hook), plain_name(hook)));
        }
        if missing.is_empty() {
            return;
        }
        let count = missing.len();
        let plural = if count == 1 { "" } else { "s" };
        let mut list = missing
            .iter()
            .take(3)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        if count > 3 {
            list.push_str(", ...");
        }
        let (kind, name) = (class.kind_name(), class.display_name());
        let message = if explicit || class.flags & class_flags::ENUM != 0 {
            format!("{kind} {name} must implement {count} abstract private method{plural} ({list})")
        } else {
            format!(
                "{kind} {name} contains {count} abstract method{plural} and must therefore be declared abstract or implement the remaining methods ({list})"
            )
        };
        // An error of running code, unlike the others about classes.
        let level = crate::diagnostics::level::ERROR;
        super::linking::raise_at(vm, level, self.file, self.line, &message);
        crate::heap::bail_out()
    }

    /// `#[\Override]` methods override something.
    pub(crate) fn verify_overrides(&self, vm: &mut Vm, inherited: &dyn Fn(&[u8]) -> bool) {
        // SAFETY: I4: the class and its methods are live.
        let class = unsafe { &*self.class };
        for (name, &method) in class.methods.iter() {
            // SAFETY: I4: as above.
            let method = unsafe { &*method };
            if method.scope != self.class || inherited(name) {
                continue;
            }
            if has_attribute(method, b"override") {
                self.overrides_nothing(vm, method);
            }
        }
    }

    /// `#[\Override]` hooks override a hook, or access to a property with storage.
    pub(crate) fn verify_hook_overrides(&self, vm: &mut Vm, ancestors: &[*mut Class]) {
        // SAFETY: I4: the classes, their properties and hooks are live.
        let class = unsafe { &*self.class };
        for (name, info) in class.properties.iter() {
            for (hook, is_get) in [(info.get_hook, true), (info.set_hook, false)] {
                // SAFETY: I4: as above.
                let Some(hook) = (unsafe { hook.as_ref() }) else {
                    continue;
                };
                if hook.scope != self.class || !has_attribute(hook, b"override") {
                    continue;
                }
                let overridden = ancestors.iter().any(|&ancestor| {
                    // SAFETY: I4: as above.
                    let inherited = unsafe { (*ancestor).properties.get(name) };
                    inherited.is_some_and(|inherited| {
                        let hook = match is_get {
                            true => inherited.get_hook,
                            false => inherited.set_hook,
                        };
                        inherited.flags & flags::PRIVATE == 0
                            && (!hook.is_null() || !inherited.is_virtual())
                    })
                });
                if !overridden {
                    self.overrides_nothing(vm, hook);
                }
            }
        }
    }

    /// The error of a method or hook with `#[\Override]` that overrides nothing.
    pub(crate) fn overrides_nothing(&self, vm: &mut Vm, method: &Function) -> ! {
        let (class, name) = (self.name(), plain_name(method));
        self.error_at(
            vm,
            method,
            &format!("{class}::{name}() has #[\\Override] attribute, but no matching parent method exists"),
        )
    }
}

fn class_name(class: *mut Class) -> String {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { (*class).display_name() }
}

/// True if a user function has the attribute with this lower-cased name.
pub(crate) fn has_attribute(function: &Function, lowercase: &[u8]) -> bool {
    function
        .code
        .as_ref()
        .is_some_and(|code| super::declare::has_attribute(&code.draft.attributes, lowercase))
}
