//! Binding of traits: the adaptation rules, and methods that become methods of the class.
//!
//! Concrete methods are bound before the parent is inherited from, abstract ones afterwards, so
//! that an inherited method can satisfy them.

use crate::class::Class;
use crate::class::linking::{Linking, raise_at};
use crate::class::methods::{plain_name, scope_name};
use crate::diagnostics::level;
use crate::function::{Function, class_flags, flags};
use crate::op_array::{ClassDeclaration, ClassName, TraitAdaptation};
use crate::string::PhpString;
use crate::vm::Vm;

/// An `as` rule with its trait found.
struct Alias {
    source: *mut Class,
    method: Vec<u8>,
    alias: *mut PhpString,
    modifiers: u32,
}

/// The adaptation rules, checked.
struct Rules {
    aliases: Vec<Alias>,
    /// Trait and method that are left out.
    excluded: Vec<(*mut Class, Vec<u8>)>,
}

fn text(name: *mut PhpString) -> String {
    // SAFETY: names in a declaration live as long as it.
    unsafe { (*name).to_text().into_owned() }
}

fn bytes(name: *mut PhpString) -> &'static [u8] {
    // SAFETY: names in a declaration and of classes outlive linking.
    unsafe { (*name).as_bytes() }
}

/// The name of a class, for messages.
pub(super) fn display(class: *mut Class) -> String {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { (*class).display_name() }
}

impl Linking {
    /// Binds what the parent's methods have to be compared with.
    pub(crate) fn bind_concrete_methods(
        &mut self,
        vm: &mut Vm,
        declaration: &ClassDeclaration,
        traits: &[*mut Class],
    ) {
        let rules = self.trait_rules(vm, declaration, traits);
        self.bind_methods(vm, traits, &rules, false);
    }

    /// Puts the methods in the order that scripts see: the class's own ones, those that the parent
    /// has, whoever defines them now, then what traits add, names given by `as` first.
    pub(crate) fn order_methods(&mut self, own: usize, parent: *mut Class, traits: &[*mut Class]) {
        // SAFETY: I4: classes live until the VM ends; nobody else uses this one yet.
        let (methods, parent) = unsafe { (&mut (*self.class).methods, parent.as_ref()) };
        let position =
            |class: &Class, name: &[u8]| class.methods.iter().position(|(known, _)| known == name);
        let place = |index: usize, name: &[u8]| {
            if index < own {
                return (0, index, 0, false);
            }
            if let Some(place) = parent.and_then(|parent| position(parent, name)) {
                return (1, place, 0, false);
            }
            let source = self.trait_sources.iter().find(|(key, ..)| key == name);
            let found = source.and_then(|(_, source, _, original)| {
                let number = traits.iter().position(|known| known == source)?;
                let original = bytes(*original).to_ascii_lowercase();
                // SAFETY: I4: as above.
                let place = position(unsafe { &**source }, &original)?;
                Some((2, number, place, original == name))
            });
            found.unwrap_or((3, index, 0, false))
        };
        let entries = std::mem::take(methods)
            .into_entries()
            .into_iter()
            .enumerate();
        let mut ordered: Vec<_> = entries
            .map(|(index, (name, method))| (place(index, &name), name, method))
            .collect();
        ordered.sort_by_key(|(place, ..)| *place);
        for (_, name, method) in ordered {
            methods.insert(&name, method);
        }
    }

    /// Binds everything else, once the parent's members are known.
    pub(crate) fn bind_remaining_members(
        &mut self,
        vm: &mut Vm,
        declaration: &ClassDeclaration,
        traits: &[*mut Class],
    ) {
        let rules = self.trait_rules(vm, declaration, traits);
        self.bind_methods(vm, traits, &rules, true);
        self.bind_trait_constants(vm, traits);
        self.bind_trait_properties(vm, traits);
    }

    fn required_trait(&self, vm: &mut Vm, name: &ClassName, traits: &[*mut Class]) -> *mut Class {
        let Some(class) = vm.linked_class(bytes(name.lowercase)) else {
            self.error(vm, &format!("Could not find trait {}", text(name.name)))
        };
        if !traits.contains(&class) {
            // SAFETY: I4: classes are live.
            if unsafe { (*class).flags & class_flags::TRAIT == 0 } {
                self.error(
                    vm,
                    &format!("Class {} is not a trait, Only traits may be used in 'as' and 'insteadof' statements", display(class)),
                );
            }
            self.error(
                vm,
                &format!(
                    "Required Trait {} wasn't added to {}",
                    display(class),
                    self.name()
                ),
            );
        }
        class
    }

    fn trait_rules(
        &self,
        vm: &mut Vm,
        declaration: &ClassDeclaration,
        traits: &[*mut Class],
    ) -> Rules {
        let mut rules = Rules {
            aliases: Vec::new(),
            excluded: Vec::new(),
        };
        // SAFETY: I4: traits are live.
        let has = |class: *mut Class, method: &[u8]| unsafe { (*class).methods.contains(method) };
        for adaptation in &declaration.adaptations {
            match adaptation {
                TraitAdaptation::Precedence {
                    trait_name,
                    method,
                    excluded,
                } => {
                    let source = self.required_trait(vm, trait_name, traits);
                    let lowercase = bytes(*method).to_ascii_lowercase();
                    if !has(source, &lowercase) {
                        self.error(
                            vm,
                            &format!(
                                "A precedence rule was defined for {}::{} but this method does not exist",
                                display(source),
                                text(*method)
                            ),
                        );
                    }
                    for name in excluded {
                        let other = self.required_trait(vm, name, traits);
                        if other == source {
                            self.error(
                                vm,
                                &format!(
                                    "Inconsistent insteadof definition. The method {} is to be used from {}, but {} is also on the exclude list",
                                    text(*method),
                                    display(source),
                                    display(source)
                                ),
                            );
                        }
                        let rule = (other, lowercase.clone());
                        if rules.excluded.contains(&rule) {
                            self.error(
                                vm,
                                &format!(
                                    "Failed to evaluate a trait precedence ({}). Method of trait {} was defined to be excluded multiple times",
                                    text(*method),
                                    display(other)
                                ),
                            );
                        }
                        rules.excluded.push(rule);
                    }
                }
                TraitAdaptation::Alias {
                    trait_name,
                    method,
                    alias,
                    modifiers,
                } => {
                    let lowercase = bytes(*method).to_ascii_lowercase();
                    let source = match trait_name {
                        Some(name) => {
                            let source = self.required_trait(vm, name, traits);
                            if !has(source, &lowercase) {
                                self.error(
                                    vm,
                                    &format!(
                                        "An alias was defined for {}::{} but this method does not exist",
                                        display(source),
                                        text(*method)
                                    ),
                                );
                            }
                            source
                        }
                        None => self.only_source(vm, traits, *method, *alias, &lowercase),
                    };
                    rules.aliases.push(Alias {
                        source,
                        method: lowercase,
                        alias: *alias,
                        modifiers: *modifiers,
                    });
                }
            }
        }
        rules
    }

    /// The one trait that has a method which a rule names without trait.
    fn only_source(
        &self,
        vm: &mut Vm,
        traits: &[*mut Class],
        method: *mut PhpString,
        alias: *mut PhpString,
        lowercase: &[u8],
    ) -> *mut Class {
        // SAFETY: I4: traits are live.
        let mut sources = traits
            .iter()
            .copied()
            .filter(|&class| unsafe { (*class).methods.contains(lowercase) });
        let name = text(method);
        match (sources.next(), sources.next()) {
            (Some(first), Some(second)) => {
                let (first, second) = (display(first), display(second));
                self.error(
                    vm,
                    &format!(
                        "An alias was defined for method {name}(), which exists in both {first} and {second}. Use {first}::{name} or {second}::{name} to resolve the ambiguity"
                    ),
                )
            }
            (Some(source), None) => source,
            (None, _) if !alias.is_null() => {
                let alias = text(alias);
                self.error(
                    vm,
                    &format!("An alias ({alias}) was defined for method {name}(), but this method does not exist"),
                )
            }
            (None, _) => self.error(
                vm,
                &format!(
                    "The modifiers of the trait method {name}() are changed, but this method does not exist. Error"
                ),
            ),
        }
    }

    fn bind_methods(
        &mut self,
        vm: &mut Vm,
        traits: &[*mut Class],
        rules: &Rules,
        is_abstract: bool,
    ) {
        for &source in traits {
            // SAFETY: I4: traits and their methods are live; binding does not touch their tables.
            let methods = unsafe { (*source).methods.iter() };
            for (lowercase, &method) in methods {
                // SAFETY: I4: as above.
                let function = unsafe { &*method };
                if (function.flags & flags::ABSTRACT != 0) != is_abstract {
                    continue;
                }
                let matching = rules
                    .aliases
                    .iter()
                    .filter(|rule| rule.source == source && rule.method == lowercase);
                let mut plain_flags = function.flags;
                for rule in matching {
                    let changed = if rule.modifiers == 0 {
                        function.flags
                    } else {
                        let kept = if rule.modifiers & flags::VISIBILITY == 0 {
                            function.flags
                        } else {
                            function.flags & !flags::VISIBILITY
                        };
                        kept | rule.modifiers
                    };
                    if rule.alias.is_null() {
                        plain_flags = changed;
                    } else {
                        let key = bytes(rule.alias).to_ascii_lowercase();
                        self.add_trait_method(vm, &key, rule.alias, source, function, changed);
                    }
                    const FINAL_PRIVATE: u32 = flags::FINAL | flags::PRIVATE;
                    if rule.modifiers & flags::FINAL != 0
                        && changed & (FINAL_PRIVATE | flags::CONSTRUCTOR) == FINAL_PRIVATE
                    {
                        raise_at(
                            vm,
                            level::COMPILE_WARNING,
                            self.file,
                            self.line,
                            "Private methods cannot be final as they are never overridden by other classes",
                        );
                    }
                }
                let excluded = rules
                    .excluded
                    .iter()
                    .any(|(class, method)| *class == source && method == lowercase);
                if !excluded {
                    self.add_trait_method(
                        vm,
                        lowercase,
                        function.name,
                        source,
                        function,
                        plain_flags,
                    );
                }
            }
        }
    }

    fn add_trait_method(
        &mut self,
        vm: &mut Vm,
        key: &[u8],
        name: *mut PhpString,
        source: *mut Class,
        function: &Function,
        new_flags: u32,
    ) {
        // SAFETY: I4: the class and its methods are live.
        let class = unsafe { &mut *self.class };
        if let Some(existing) = class.methods.get(key).copied() {
            // SAFETY: I4: as above.
            let existing_function = unsafe { &*existing };
            let same_code = existing_function.ops == function.ops && !function.ops.is_null();
            const COMPARED: u32 = flags::VISIBILITY | flags::FINAL;
            if same_code && (existing_function.flags ^ new_flags) & COMPARED == 0 {
                return;
            }
            if function.flags & flags::ABSTRACT != 0 {
                self.check_trait_requirement(vm, existing, function);
                return;
            }
            let from_trait = existing_function.scope == self.class
                && existing_function.flags & flags::FROM_TRAIT != 0;
            if existing_function.scope == self.class && !from_trait {
                return;
            }
            if from_trait && existing_function.flags & flags::ABSTRACT == 0 {
                let other = self
                    .trait_sources
                    .iter()
                    .find(|(found, ..)| found == key)
                    .map(|(_, class, name, _)| (display(*class), text(*name)))
                    .unwrap_or_default();
                self.error(
                    vm,
                    &format!(
                        "Trait method {}::{} has not been applied as {}::{}, because of collision with {}::{}",
                        display(source),
                        plain_name(function),
                        self.name(),
                        text(name),
                        other.0,
                        other.1
                    ),
                );
            }
        }
        let Some(code) = &function.code else { return };
        let copy = vm.make_function(code, self.class);
        // SAFETY: I4: made just now, not shared yet.
        unsafe {
            (*copy).name = name;
            (*copy).flags = new_flags | flags::FROM_TRAIT;
            if new_flags & flags::ABSTRACT != 0 {
                class.flags |= class_flags::IMPLICIT_ABSTRACT;
            }
        }
        class.own_functions.push(copy);
        self.trait_sources
            .push((key.to_vec(), source, name, function.name));
        class.methods.insert(key, copy);
    }

    /// A method satisfies a trait's abstract one (whatever its visibility).
    fn check_trait_requirement(
        &mut self,
        vm: &mut Vm,
        existing: *const Function,
        required: &Function,
    ) {
        // SAFETY: I4: methods are live.
        let existing_function = unsafe { &*existing };
        if existing_function.is_static() != required.is_static() {
            let (class, name) = (self.name(), plain_name(existing_function));
            let source = scope_name(required);
            let message = if existing_function.is_static() {
                format!("Cannot make non static method {source}::{name}() static in class {class}")
            } else {
                format!("Cannot make static method {source}::{name}() non static in class {class}")
            };
            self.error_at(vm, existing_function, &message);
        }
        self.check(
            vm,
            crate::class::linking::Obligation::Method {
                child: existing,
                child_scope: self.class,
                parent: required,
                parent_scope: self.class,
            },
        );
    }
}
