//! Functions about classes.

use vm_runtime::class::Class;
use vm_runtime::class::lookup::{MethodName, receiver, with_lowercase};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags, flags};
use vm_runtime::object::PhpObject;
use vm_runtime::string::PhpString;
use vm_runtime::value::{STRING, StringHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Append, Outcome, Plain, direct, functions};

functions! {
    "#[Frameless(1, 2)] class_exists(string $class, bool $autoload = true): bool" => class_exists | class_exists_directly,
    "interface_exists(string $interface, bool $autoload = true): bool" => interface_exists | interface_exists_directly,
    "trait_exists(string $trait, bool $autoload = true): bool" => trait_exists | trait_exists_directly,
    "enum_exists(string $enum, bool $autoload = true): bool" => enum_exists | enum_exists_directly,
    "class_alias(string $class, string $alias, bool $autoload = true): bool" => class_alias,
    "get_class(object $object = UNKNOWN): string" => get_class,
    "get_called_class(): string" => get_called_class,
    "get_parent_class(object|string $object_or_class = UNKNOWN): string|false" => get_parent_class | get_parent_class_directly,
    "is_a(mixed $object_or_class, string $class, bool $allow_string = false): bool" => is_a | is_a_directly,
    "is_subclass_of(mixed $object_or_class, string $class, bool $allow_string = true): bool" => is_subclass_of | is_subclass_of_directly,
    "method_exists($object_or_class, string $method): bool" => method_exists | method_exists_directly,
    "#[Frameless(2)] property_exists($object_or_class, string $property): bool" => property_exists | property_exists_directly,
    "get_class_methods(object|string $object_or_class): array" => get_class_methods,
    "get_class_vars(class_name $class): array" => get_class_vars,
    "get_declared_classes(): array" => get_declared_classes,
    "get_declared_interfaces(): array" => get_declared_interfaces,
    "get_declared_traits(): array" => get_declared_traits,
}

const NOT_CLASSES: u32 = class_flags::INTERFACE | class_flags::TRAIT;

fn class<'a>(class: *mut Class) -> &'a Class {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { &*class }
}

fn name_of(class: *mut Class) -> Value {
    // SAFETY: I4: a class's name lives as long as it.
    unsafe { StringHandle::share_raw((*class).name) }.into()
}

fn exists(call: &mut Call<'_>, wanted: impl Fn(u32) -> bool) -> PhpResult<Value> {
    let (name, autoload) = (call.string(0), call.bool(1));
    let found = call.vm.class_named(&name, autoload)?;
    Ok(found.is_some_and(|found| wanted(class(found).flags)).into())
}

fn class_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    exists(call, |flags| flags & NOT_CLASSES == 0)
}

/// Of a class that was found by this very name, whether its flags are those that are wanted.
#[inline]
fn exists_directly(vm: &Vm, arguments: &[Zval], wanted: impl Fn(u32) -> bool) -> Option<bool> {
    let name = match arguments {
        [name] => name,
        [name, autoload] if bool::of(autoload).is_some() => name,
        _ => return None,
    };
    let found = vm.noted_class(<&PhpString>::of(name)?)?;
    Some(wanted(class(found).flags))
}

/// Direct entries of functions that ask whether something of a kind is there.
macro_rules! exist_directly {
    ($($name:ident => $wanted:expr,)*) => {$(
        fn $name(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
            exists_directly(vm, arguments, $wanted).store(result)
        }
    )*};
}
exist_directly! {
    class_exists_directly => |flags| flags & NOT_CLASSES == 0,
    interface_exists_directly => |flags| flags & class_flags::INTERFACE != 0,
    trait_exists_directly => |flags| flags & class_flags::TRAIT != 0,
    enum_exists_directly => |flags| flags & class_flags::ENUM != 0,
}

direct! {
    fn get_parent_class_directly(_vm; object: &PhpObject) {
        match object.class().parent {
            parent if parent.is_null() => Value::from(false),
            parent => name_of(parent),
        }
    }
}

fn interface_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    exists(call, |flags| flags & class_flags::INTERFACE != 0)
}

fn trait_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    exists(call, |flags| flags & class_flags::TRAIT != 0)
}

fn enum_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    exists(call, |flags| flags & class_flags::ENUM != 0)
}

fn class_alias(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, alias, autoload) = (call.string(0), call.string(1), call.bool(2));
    let Some(found) = call.vm.class_by_name(name.as_bytes(), autoload)? else {
        call.vm
            .warning(format!("Class \"{}\" not found", name.to_text()));
        return Ok(false.into());
    };
    let plain = alias.as_bytes();
    let plain = plain.strip_prefix(b"\\").unwrap_or(plain);
    if php_frontend::is_reserved_class_name(plain) {
        let plain = vm_runtime::message::text(plain).to_ascii_lowercase();
        call.vm.fatal_error(&format!(
            "Cannot use \"{plain}\" as a class alias as it is reserved"
        ));
    }
    if plain == b"_" {
        call.vm
            .deprecated("Using \"_\" as a class alias is deprecated since 8.4");
        call.vm.check()?;
    }
    if call.vm.alias_class(found, alias.as_bytes()) {
        return Ok(true.into());
    }
    let kind = class(found).kind_name().to_ascii_lowercase();
    let previous = class(found)
        .declaration
        .as_ref()
        .map_or_else(String::new, |declaration| {
            // SAFETY: I4: names in a declaration live as long as it.
            let file = unsafe { (*declaration.filename).to_text() };
            format!(
                " (previously declared in {file}:{})",
                declaration.line_start
            )
        });
    call.vm.warning(format!(
        "Cannot redeclare {kind} {}{previous}",
        alias.to_text()
    ));
    Ok(false.into())
}

fn get_class(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.argument(0).is_undef() {
        let scope = call.vm.current_scope();
        if scope.is_null() {
            return Err(call.vm.throw_error(
                KnownClass::Error,
                "get_class() without arguments must be called from within a class",
            ));
        }
        call.vm
            .deprecated("Calling get_class() without arguments is deprecated");
        call.vm.check()?;
        return Ok(name_of(scope));
    }
    Ok(name_of(call.object(0).class))
}

fn get_called_class(call: &mut Call<'_>) -> PhpResult<Value> {
    let called = call.vm.current_called_class();
    if !called.is_null() {
        return Ok(name_of(called));
    }
    Err(call.vm.throw_error(
        KnownClass::Error,
        "get_called_class() must be called from within a class",
    ))
}

/// The class of an object, or that a string names (autoloaded).
fn class_of(vm: &mut Vm, value: &Zval) -> PhpResult<Option<*mut Class>> {
    if let ValueKind::Object(object) = value.view() {
        return Ok(Some(object.class));
    }
    let held = Value::share(value);
    match held.view() {
        ValueKind::Object(object) => Ok(Some(object.class)),
        ValueKind::String(name) => vm.class_named(name, true),
        _ => Ok(None),
    }
}

fn get_parent_class(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = if call.argument(0).is_undef() {
        let scope = call.vm.current_scope();
        call.vm
            .deprecated("Calling get_parent_class() without arguments is deprecated");
        call.vm.check()?;
        (!scope.is_null()).then_some(scope)
    } else {
        let value = call.value(0);
        let found = class_of(call.vm, &value)?;
        if found.is_none() {
            let given = vm_runtime::operators::value_name(&value);
            let problem = format!("must be an object or a valid class name, {given} given");
            return Err(call.type_error(0, &problem));
        }
        found
    };
    match found.map(|found| class(found).parent) {
        Some(parent) if !parent.is_null() => Ok(name_of(parent)),
        _ => Ok(false.into()),
    }
}

fn is_related(call: &mut Call<'_>, proper: bool) -> PhpResult<Value> {
    let value = call.value(0);
    let own = match value.view() {
        ValueKind::Object(object) => object.class,
        ValueKind::String(name) if call.bool(2) => match call.vm.class_named(name, true)? {
            Some(own) => own,
            None => return Ok(false.into()),
        },
        _ => return Ok(false.into()),
    };
    let name = call.string(1);
    let Some(other) = call.vm.class_named(&name, false)? else {
        return Ok(false.into());
    };
    Ok((class(own).is_subclass_of(other) && !(proper && own == other)).into())
}

/// The class of an object, or that a string names and was found by.
fn noted_class_of(vm: &Vm, value: &Zval) -> Option<*mut Class> {
    match value.view() {
        ValueKind::Object(object) => Some(object.class),
        ValueKind::String(name) => vm.noted_class(name),
        _ => None,
    }
}

/// Whether an object is of a class that was found by the same string before.
fn is_related_directly(vm: &Vm, value: &Zval, name: &Zval, proper: bool) -> Option<bool> {
    let (ValueKind::Object(object), ValueKind::String(name)) = (value.view(), name.view()) else {
        return None;
    };
    let other = vm.noted_class(name)?;
    Some(object.class().is_subclass_of(other) && !(proper && object.class == other))
}

direct! {
    fn is_a_directly(vm; value: &Zval, name: &Zval) { is_related_directly(vm, value, name, false) }

    fn is_subclass_of_directly(vm; value: &Zval, name: &Zval) {
        is_related_directly(vm, value, name, true)
    }

    fn method_exists_directly(vm; value: &Zval, name: &Zval) {
        let (Some(found), ValueKind::String(name)) = (noted_class_of(vm, value), name.view()) else {
            return None;
        };
        vm.noted_method(found, name).map(|_| true)
    }

    fn property_exists_directly(vm; value: &Zval, name: &[u8]) {
        let found = noted_class_of(vm, value)?;
        let is_declared = declares_property(found, name);
        // An object may have others.
        (is_declared || value.kind() == STRING).then_some(is_declared)
    }
}

fn is_a(call: &mut Call<'_>) -> PhpResult<Value> {
    is_related(call, false)
}

fn is_subclass_of(call: &mut Call<'_>) -> PhpResult<Value> {
    is_related(call, true)
}

fn method_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    if !matches!(value.view(), ValueKind::Object(_) | ValueKind::String(_)) {
        let given = vm_runtime::operators::value_name(&value);
        return Err(call.type_error(0, &format!("must be of type object|string, {given} given")));
    }
    let Some(found) = class_of(call.vm, &value)? else {
        return Ok(false.into());
    };
    let name = call.string(1);
    if call.vm.noted_method(found, &name).is_some() {
        return Ok(true.into());
    }
    let asked = found;
    let (found, method) = with_lowercase(&name, |name| {
        let name = MethodName::lowercase(name);
        let found = match value.object() {
            // SAFETY: I3: the object is live, and with it what it delegates to.
            Some(object) => unsafe { (*receiver(object.as_ptr(), &name)).class },
            None => found,
        };
        (found, name.of_class(class(found)))
    });
    let Some(method) = method else {
        return Ok(false.into());
    };
    // SAFETY: I4: methods live as long as their class.
    let (method_flags, scope) = unsafe { ((*method).flags, (*method).scope) };
    let is_callable = class(asked).handlers.is_none() && method_flags & flags::ABSTRACT == 0;
    if asked == found && is_callable {
        call.vm.note_method(asked, &name, method);
    }
    // A parent's private method is not the child's, but an object has it: `__call()` may be meant.
    let of_object = matches!(value.view(), ValueKind::Object(_));
    Ok((of_object || method_flags & flags::PRIVATE == 0 || scope == found).into())
}

/// Whether a class has a property that is no private one of a parent.
fn declares_property(found: *mut Class, name: &[u8]) -> bool {
    let info = class(found).properties.get(name);
    info.is_some_and(|info| info.flags & flags::PRIVATE == 0 || info.class == found)
}

fn property_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    if !matches!(value.view(), ValueKind::Object(_) | ValueKind::String(_)) {
        let given = vm_runtime::operators::value_name(&value);
        return Err(call.type_error(0, &format!("must be of type object|string, {given} given")));
    }
    let Some(found) = class_of(call.vm, &value)? else {
        return Ok(false.into());
    };
    let name = call.string(1);
    if declares_property(found, name.as_bytes()) {
        return Ok(true.into());
    }
    let ValueKind::Object(object) = value.view() else {
        return Ok(false.into());
    };
    let question = vm_runtime::object::read::Question::Exists;
    let pointer = (&raw const *object).cast_mut();
    let scope = std::ptr::null();
    Ok(vm_runtime::object::read::has_property(call.vm, pointer, &name, scope, question)?.into())
}

fn get_class_methods(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    let Some(found) = class_of(call.vm, &value)? else {
        let given = vm_runtime::operators::value_name(&value);
        return Err(call.type_error(
            0,
            &format!("must be an object or a valid class name, {given} given"),
        ));
    };
    let scope = call.vm.current_scope();
    // Closures are called, but have no method for it that could be listed.
    let is_closure = std::ptr::eq(class(found), call.vm.known_class(KnownClass::Closure));
    let mut list = crate::support::new_list(call.vm, class(found).methods.len());
    let names = list.make_mut(call.vm);
    for (name, &method) in class(found).methods.iter() {
        if is_closure && name == b"__invoke" {
            continue;
        }
        // SAFETY: I4: methods live as long as their class.
        let method = unsafe { &*method };
        if vm_runtime::class::is_method_accessible(method, scope) {
            // SAFETY: I4: a function's name lives as long as it.
            names.append(unsafe { StringHandle::share_raw(method.name) }.into());
        }
    }
    Ok(list.into())
}

fn get_class_vars(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.string(0);
    let Some(found) = call.vm.class_by_name(name.as_bytes(), true)? else {
        let problem = format!(
            "must be a valid class name, {} given",
            vm_runtime::message::text(&name)
        );
        return Err(call.type_error(0, &problem));
    };
    call.vm.initialise_class(found)?;
    let scope = call.vm.current_scope();
    let mut table = call.vm.new_array();
    for wanted_static in [false, true] {
        let infos: Vec<_> = class(found)
            .properties
            .iter()
            .map(|(_, info)| info.clone())
            .collect();
        for info in infos {
            let is_static = info.flags & flags::STATIC != 0;
            if is_static != wanted_static
                || !vm_runtime::class::is_property_accessible(&info, scope)
            {
                continue;
            }
            // SAFETY: I4: the class is live; the property is one of its own.
            let value = unsafe { (*found).declared_value(&info) };
            if value.is_undef() && info.slot == vm_runtime::class::NO_SLOT {
                continue;
            }
            // SAFETY: I4: a property's name lives as long as its class.
            let name = unsafe { &*info.name };
            // What has no value yet is null here.
            let value = match value.is_undef() {
                true => Value::NULL,
                false => Value::share(&value),
            };
            table.make_mut(call.vm).set_string(name, value);
        }
    }
    Ok(table.into())
}

fn declared(call: &mut Call<'_>, wanted: impl Fn(u32) -> bool) -> PhpResult<Value> {
    call.vm.link_all_native_classes();
    let wanted = |found: *mut Class| {
        wanted(class(found).flags)
            && class(found).flags & class_flags::LINKED != 0
            && !class(found).display_name().is_empty()
    };
    // Native classes may have been linked late, but were there first.
    let is_native = |found: *mut Class| class(found).flags & class_flags::INTERNAL != 0;
    let list = call.vm.class_state.list.clone();
    let aliases = call.vm.class_state.aliases.clone();
    let natives = list.iter().filter(|&&found| is_native(found));
    let mut names: Vec<Value> = natives
        .filter(|&&found| wanted(found))
        .map(|&found| name_of(found))
        .collect();
    let mut aliases = aliases.iter().peekable();
    for position in 0..=list.len() {
        while let Some((_, alias, of)) = aliases.next_if(|(before, ..)| *before <= position) {
            if wanted(*of) {
                names.push(call.vm.string(alias).into());
            }
        }
        if let Some(&found) = list.get(position)
            && !is_native(found)
            && wanted(found)
        {
            names.push(name_of(found));
        }
    }
    Ok(crate::support::list(call.vm, names))
}

fn get_declared_classes(call: &mut Call<'_>) -> PhpResult<Value> {
    declared(call, |flags| flags & NOT_CLASSES == 0)
}

fn get_declared_interfaces(call: &mut Call<'_>) -> PhpResult<Value> {
    declared(call, |flags| flags & class_flags::INTERFACE != 0)
}

fn get_declared_traits(call: &mut Call<'_>) -> PhpResult<Value> {
    declared(call, |flags| flags & class_flags::TRAIT != 0)
}

/// The names of classes, as keys and values.
pub(crate) fn name_table(vm: &mut Vm, classes: &[*mut Class]) -> Value {
    let mut table = vm.new_array();
    for &found in classes {
        // SAFETY: I4: a class's name lives as long as it.
        let key = unsafe { &*(*found).name };
        table.make_mut(vm).set_string(key, name_of(found));
    }
    table.into()
}

/// The object argument `index`, or the class it names; a warning if there is none.
pub(crate) fn class_argument(
    call: &mut Call<'_>,
    index: usize,
    autoload: bool,
) -> PhpResult<Option<*mut Class>> {
    let value = call.value(index);
    let function = call.function().display_name();
    match value.view() {
        ValueKind::Object(object) => Ok(Some(object.class)),
        ValueKind::String(name) => {
            let found = call.vm.class_by_name(name.as_bytes(), autoload)?;
            if found.is_none() {
                let tail = if autoload {
                    " and could not be loaded"
                } else {
                    ""
                };
                call.vm.warning(format!(
                    "{function}(): Class {} does not exist{tail}",
                    vm_runtime::message::text(name.as_bytes())
                ));
            }
            Ok(found)
        }
        _ => {
            let given = vm_runtime::operators::value_name(&value);
            Err(call.type_error(
                index,
                &format!("must be of type object|string, {given} given"),
            ))
        }
    }
}
