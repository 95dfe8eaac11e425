//! Binding of traits: their methods, constants and properties become members of the class.
//!
//! Concrete methods are bound before the parent is inherited from, abstract ones afterwards, so
//! that an inherited method can satisfy them.

use std::rc::Rc;

use crate::class::linking::{Linking, OwnProperty};
use crate::class::methods::{plain_name, scope_name};
use crate::class::{Class, ClassConstant, PropertyInfo};
use crate::function::{Function, class_flags, flags};
use crate::op_array::{ClassDeclaration, ClassName, TraitAdaptation};
use crate::string::PhpString;
use crate::value::Zval;
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

/// Text and lower-cased bytes of the classes named in messages.
fn display(class: *mut Class) -> String {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { (*class).display_name() }
}

impl Linking {
    /// Binds what does not depend on the parent.
    pub(crate) fn bind_traits(
        &mut self,
        vm: &mut Vm,
        declaration: &ClassDeclaration,
        traits: &[*mut Class],
    ) {
        let rules = self.trait_rules(vm, declaration, traits);
        self.bind_methods(vm, traits, &rules, false);
        self.bind_constants(vm, traits);
        self.bind_properties(vm, traits);
    }

    /// Binds abstract methods, once the parent's methods are known.
    pub(crate) fn bind_abstract_methods(
        &mut self,
        vm: &mut Vm,
        declaration: &ClassDeclaration,
        traits: &[*mut Class],
    ) {
        let rules = self.trait_rules(vm, declaration, traits);
        self.bind_methods(vm, traits, &rules, true);
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
                    .find(|(found, _, _)| found == key)
                    .map(|(_, class, name)| (display(*class), text(*name)))
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
        self.trait_sources.push((key.to_vec(), source, name));
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

    /// A constant of a trait differs from one that the class has already.
    pub(crate) fn conflicting_constant(
        &self,
        vm: &mut Vm,
        first: *mut Class,
        source: *mut Class,
        name: &[u8],
    ) -> ! {
        self.error(
            vm,
            &format!(
                "{} and {} define the same constant ({}) in the composition of {}. However, the definition differs and is considered incompatible. Class was composed",
                display(first),
                display(source),
                String::from_utf8_lossy(name),
                self.name()
            ),
        )
    }

    fn bind_constants(&mut self, vm: &mut Vm, traits: &[*mut Class]) {
        // SAFETY: I4: the class and its traits are live and differ.
        let class = unsafe { &mut *self.class };
        for &source in traits {
            // SAFETY: I4: as above.
            for (name, constant) in unsafe { (*source).constants.iter() } {
                if let Some(existing) = class.constants.get(name) {
                    if existing.flags & flags::ENUM_CASE != 0 {
                        let (source, name) = (display(source), String::from_utf8_lossy(name));
                        self.error(
                            vm,
                            &format!(
                                "Cannot use trait {source}, because {source}::{name} conflicts with enum case {}::{name}",
                                self.name()
                            ),
                        );
                    }
                    if is_same_constant(existing, constant) {
                        continue;
                    }
                    let first = traits
                        .iter()
                        .copied()
                        .take_while(|&other| other != source)
                        // SAFETY: I4: as above.
                        .find(|&other| unsafe { (*other).constants.contains(name) })
                        .filter(|_| self.bound_constants.iter().any(|(bound, _)| bound == name))
                        .unwrap_or(self.class);
                    self.conflicting_constant(vm, first, source, name);
                }
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
                self.bound_constants.push((name.to_vec(), source));
            }
        }
    }

    fn bind_properties(&mut self, vm: &mut Vm, traits: &[*mut Class]) {
        // SAFETY: I4: the class is live.
        let is_readonly_class = unsafe { (*self.class).flags & class_flags::READONLY != 0 };
        for (index, &source) in traits.iter().enumerate() {
            // SAFETY: I4: traits are live; binding does not touch their tables.
            for (name, info) in unsafe { (*source).properties.iter() } {
                if let Some(existing) = self.properties.get(name) {
                    if !self.same_property(vm, existing, source, info) {
                        let first = traits[..index]
                            .iter()
                            .copied()
                            // SAFETY: I4: as above.
                            .find(|&other| unsafe { (*other).properties.contains(name) })
                            .unwrap_or(self.class);
                        self.error(
                            vm,
                            &format!(
                                "{} and {} define the same property (${}) in the composition of {}. However, the definition differs and is considered incompatible. Class was composed",
                                display(first),
                                display(source),
                                String::from_utf8_lossy(name),
                                self.name()
                            ),
                        );
                    }
                    continue;
                }
                if is_readonly_class && info.flags & flags::READONLY == 0 {
                    self.error(
                        vm,
                        &format!(
                            "Readonly class {} cannot use trait with a non-readonly property {}::${}",
                            self.name(),
                            display(source),
                            String::from_utf8_lossy(name)
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
                self.property(copy, default);
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

    fn same_property(
        &self,
        vm: &mut Vm,
        existing: &OwnProperty,
        source: *mut Class,
        info: &PropertyInfo,
    ) -> bool {
        const COMPARED: u32 = flags::VISIBILITY
            | flags::STATIC
            | flags::READONLY
            | flags::FINAL
            | crate::class::inherit::PPP_SET;
        if existing.info.has_hooks()
            || info.has_hooks()
            || (existing.info.flags ^ info.flags) & COMPARED != 0
        {
            return false;
        }
        let same_type = match (&existing.info.declared, &info.declared) {
            (None, None) => true,
            (Some(one), Some(other)) => {
                use crate::class::variance::Verdict;
                let below = self.is_subtype(vm, self.class, one, self.class, other);
                let above = self.is_subtype(vm, self.class, other, self.class, one);
                below != Verdict::No && above != Verdict::No
            }
            _ => false,
        };
        same_type && same_literal(&existing.default, &trait_default(source, info))
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

/// Two literals that are the same value. Expressions are the same only if they are one.
fn same_literal(one: &Zval, other: &Zval) -> bool {
    use crate::value::{ARRAY, CONSTANT_EXPRESSION, DOUBLE, LONG, STRING};
    if one.kind() != other.kind() {
        return false;
    }
    // SAFETY: I3: literals are live, and the kinds are equal.
    unsafe {
        match one.kind() {
            LONG => one.long() == other.long(),
            DOUBLE => one.double() == other.double(),
            STRING => (*one.string()).as_bytes() == (*other.string()).as_bytes(),
            ARRAY => {
                let (one, other) = (&*one.array(), &*other.array());
                one.len() == other.len()
                    && one.iter().zip(other.iter()).all(
                        |((key, value), (other_key, other_value))| {
                            key == other_key && same_literal(value, other_value)
                        },
                    )
            }
            CONSTANT_EXPRESSION => same_expression(&*one.expression(), &*other.expression()),
            _ => true,
        }
    }
}

/// Two expressions compiled to the same code over the same literals.
fn same_expression(one: &crate::op_array::OpArray, other: &crate::op_array::OpArray) -> bool {
    let (one, other) = (&one.draft, &other.draft);
    one.ops.len() == other.ops.len()
        && one.literals.len() == other.literals.len()
        && one.ops.iter().zip(&other.ops).all(|(a, b)| {
            (a.opcode, a.op1, a.op2, a.op1_type, a.op2_type)
                == (b.opcode, b.op1, b.op2, b.op1_type, b.op2_type)
        })
        && one
            .literals
            .iter()
            .zip(&other.literals)
            .all(|(a, b)| same_literal(a, b))
}

/// True if a trait's constant says the same as one that the class has already.
pub(crate) fn is_same_constant(existing: &ClassConstant, constant: &ClassConstant) -> bool {
    const COMPARED: u32 = flags::VISIBILITY | flags::FINAL;
    (existing.flags ^ constant.flags) & COMPARED == 0
        && existing.declared.is_some() == constant.declared.is_some()
        && same_literal(&existing.value, &constant.value)
}
