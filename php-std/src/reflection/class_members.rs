//! Methods of ReflectionClass about the members of the class.

use std::rc::Rc;

use vm_runtime::class::{Class, ClassConstant, PropertyInfo};
use vm_runtime::function::{Call, Function, class_flags, flags};
use vm_runtime::object::{Access, closure, fill_table};
use vm_runtime::op_array::TraitAdaptation;
use vm_runtime::value::{ArrayHandle, StringHandle, Value, release};
use vm_runtime::vm::{PhpResult, Vm};

use super::class::instance;
use super::constant::make_constant;
use super::property::make_property;
use super::subject::{
    FunctionSubject, PropertySubject, Subject, class, class_subject, fail, is_foreign_private,
    make_method, name_bytes, name_value, subject,
};
use crate::support::{Append, direct, new_list};

/// A method as looked up on a class.
pub(super) fn subject_of(function: *const Function, on: *mut Class) -> FunctionSubject {
    FunctionSubject {
        function,
        closure: None,
        class: on,
    }
}

pub(super) fn has_method(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let name = call.bytes(0).to_ascii_lowercase();
    let is_closure = class(about).display_name() == "Closure" && name == b"__invoke";
    Ok((is_closure || class(about).methods.contains(&name)).into())
}

pub(super) fn get_method(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let (name, instance) = (call.string(0), instance(call));
    let found = super::method::find(call.vm, about, instance.as_ref(), name.as_bytes())?;
    make_method_of(call, found)
}

/// A ReflectionMethod, also for a closure's `__invoke`.
fn make_method_of(call: &mut Call<'_>, found: FunctionSubject) -> PhpResult<Value> {
    if found.closure.is_none() {
        return make_method(call.vm, found);
    }
    let name = call.vm.string("__invoke").into();
    let class_name = name_value(class(found.class).name);
    super::subject::make(
        call.vm,
        "ReflectionMethod",
        Subject::Function(found),
        [name, class_name],
    )
}

direct! {
    /// All of a class, without an instance.
    pub(super) fn methods_directly(vm, this;) {
        match subject(this) {
            Subject::Class(about, None) => methods(vm, *about, u32::MAX, false).ok().map(Value::from),
            _ => None,
        }
    }
}

/// The methods of a class; of a closure's, its own `__invoke` is to follow.
fn methods(
    vm: &mut Vm,
    about: *mut Class,
    filter: u32,
    is_closure: bool,
) -> PhpResult<ArrayHandle> {
    let methods = &class(about).methods;
    let mut list = new_list(vm, methods.len());
    for (_, &function) in methods.iter() {
        // SAFETY: I4: methods live as long as their class.
        let found = unsafe { &*function };
        if is_closure && super::subject::name_bytes(found.name) == b"__invoke" {
            continue;
        }
        let foreign_private = is_foreign_private(found.flags, found.scope, about);
        if found.flags & filter != 0 && !foreign_private {
            let method = make_method(vm, subject_of(function, about))?;
            list.make_mut(vm).append(method);
        }
    }
    Ok(list)
}

pub(super) fn get_methods(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let filter = call
        .optional_long(0)
        .map_or(u32::MAX, |filter| filter as u32);
    let is_closure = instance(call).is_some_and(|object| closure::function_of(&object).is_some());
    let mut list = methods(call.vm, about, filter, is_closure)?;
    if let Some(object) = instance(call)
        && let Some(function) = closure::function_of(&object)
    {
        let found = FunctionSubject {
            function,
            closure: Some(object),
            class: about,
        };
        let method = make_method_of(call, found)?;
        list.make_mut(call.vm).append(method);
    }
    Ok(list.into())
}

/// A declared property that belongs to the class: a parent's private ones do not.
fn declared(about: *mut Class, name: &[u8]) -> Option<Rc<PropertyInfo>> {
    let info = class(about).properties.get(name)?;
    (info.flags & flags::PRIVATE == 0 || info.class == about).then(|| info.clone())
}

fn dynamic(call: &mut Call<'_>, name: &StringHandle) -> bool {
    instance(call).is_some_and(|object| {
        fill_table(call.vm, &object);
        // SAFETY: I3: the table of dynamic properties lives as long as the object.
        !object.dynamic.is_null() && unsafe { (*object.dynamic).get_string(name).is_some() }
    })
}

pub(super) fn has_property(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let name = call.string(0);
    Ok((declared(about, name.as_bytes()).is_some() || dynamic(call, &name)).into())
}

pub(super) fn get_property(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let name = call.string(0);
    if let Some(info) = declared(about, name.as_bytes()) {
        return make_property(
            call.vm,
            PropertySubject {
                info: Rc::as_ptr(&info),
                name,
                class: about,
            },
        );
    }
    if dynamic(call, &name) {
        return make_property(
            call.vm,
            PropertySubject {
                info: std::ptr::null(),
                name,
                class: about,
            },
        );
    }
    // "Class::name" names a property of a parent.
    if let Some(position) = memchr::memmem::find(name.as_bytes(), b"::") {
        let (owner, rest) = (
            &name.as_bytes()[..position],
            &name.as_bytes()[position + 2..],
        );
        let owner = super::subject::class_by_name(call.vm, owner)?;
        if !class(about).is_subclass_of(owner) {
            let message = format!(
                "Fully qualified property name {}::${} does not specify a base class of {}",
                class(owner).display_name(),
                vm_runtime::message::whole_text(rest),
                class(about).display_name()
            );
            return Err(fail(call.vm, &message, -1));
        }
        if let Some(info) = declared(owner, rest) {
            let name = call.vm.string(rest);
            return make_property(
                call.vm,
                PropertySubject {
                    info: Rc::as_ptr(&info),
                    name,
                    class: owner,
                },
            );
        }
    }
    // Of a name with a class only the last part is told.
    let name = name.as_bytes();
    let start = memchr::memmem::find(name, b"::").map_or(0, |position| position + 2);
    let message = format!(
        "Property {}::${} does not exist",
        class(about).display_name(),
        vm_runtime::message::whole_text(&name[start..])
    );
    Err(fail(call.vm, &message, 0))
}

/// How many parents a native class has, with itself; 0 for one of a script.
fn native_depth(about: *mut Class) -> usize {
    if class(about).flags & class_flags::INTERNAL == 0 {
        return 0;
    }
    let parents = std::iter::successors(Some(about), |&above| {
        let parent = class(above).parent;
        (!parent.is_null()).then_some(parent)
    });
    parents.count()
}

pub(super) fn get_properties(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let filter = call
        .optional_long(0)
        .map_or(u32::MAX, |filter| filter as u32);
    let mut list = Vec::new();
    let mut infos: Vec<Rc<PropertyInfo>> = class(about)
        .properties
        .iter()
        .map(|(_, info)| info.clone())
        .collect();
    // Classes of scripts show their own before those of their parents, native ones behind them.
    infos.sort_by_key(|info| native_depth(info.class));
    for info in infos {
        let foreign_private = is_foreign_private(info.flags, info.class, about);
        if info.flags & filter != 0 && !foreign_private {
            // SAFETY: I4: a property's name lives as long as its class.
            let name = unsafe { StringHandle::share_raw(info.name) };
            list.push(make_property(
                call.vm,
                PropertySubject {
                    info: Rc::as_ptr(&info),
                    name,
                    class: about,
                },
            )?);
        }
    }
    if let Some(object) = instance(call)
        && filter & flags::PUBLIC != 0
        && {
            fill_table(call.vm, &object);
            !object.dynamic.is_null()
        }
    {
        // SAFETY: I3: the table of dynamic properties lives as long as the object.
        let names: Vec<StringHandle> = unsafe {
            (*object.dynamic)
                .iter()
                .filter_map(|(key, _)| match key.to_key() {
                    vm_runtime::array::Key::String(name) => Some(name),
                    vm_runtime::array::Key::Long(_) => None,
                })
                .collect()
        };
        for name in names {
            list.push(make_property(
                call.vm,
                PropertySubject {
                    info: std::ptr::null(),
                    name,
                    class: about,
                },
            )?);
        }
    }
    Ok(crate::support::list(call.vm, list))
}

fn find_constant(about: *mut Class, name: &[u8]) -> Option<Rc<ClassConstant>> {
    class(about).constants.get(name).cloned()
}

pub(super) fn has_constant(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    Ok(find_constant(about, call.bytes(0)).is_some().into())
}

fn constant_names(about: *mut Class, filter: u32) -> Vec<Vec<u8>> {
    class(about)
        .constants
        .iter()
        .filter(|(_, constant)| constant.flags & filter != 0)
        .filter(|(_, constant)| constant.flags & flags::PRIVATE == 0 || constant.class == about)
        .map(|(name, _)| name.to_vec())
        .collect()
}

/// The value of a constant, whatever its visibility.
pub(super) fn constant_value(vm: &mut Vm, about: *mut Class, name: &[u8]) -> PhpResult<Value> {
    let scope = find_constant(about, name).map_or(about, |constant| constant.class);
    let on = if class(scope).constants.contains(name) {
        scope
    } else {
        about
    };
    let value = vm.class_constant(on, name, scope)?;
    // SAFETY: I4: a constant's value lives as long as its class.
    Ok(unsafe { Value::share(&*value) })
}

pub(super) fn get_constants(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let filter = call
        .optional_long(0)
        .map_or(u32::MAX, |filter| filter as u32);
    let mut table = call.vm.new_array();
    for name in constant_names(about, filter) {
        let value = constant_value(call.vm, about, &name)?;
        table.make_mut(call.vm).set_bytes(&name, value);
    }
    Ok(table.into())
}

pub(super) fn get_reflection_constants(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let filter = call
        .optional_long(0)
        .map_or(u32::MAX, |filter| filter as u32);
    let mut list = Vec::new();
    for name in constant_names(about, filter) {
        list.push(make_constant(call.vm, about, &name)?);
    }
    Ok(crate::support::list(call.vm, list))
}

pub(super) fn get_constant(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let name = call.string(0);
    // One that cannot be evaluated is in the way of all.
    for known in constant_names(about, u32::MAX) {
        constant_value(call.vm, about, &known)?;
    }
    if find_constant(about, name.as_bytes()).is_none() {
        return Ok(false.into());
    }
    constant_value(call.vm, about, name.as_bytes())
}

pub(super) fn get_reflection_constant(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let name = call.string(0);
    if find_constant(about, name.as_bytes()).is_none() {
        return Ok(false.into());
    }
    make_constant(call.vm, about, name.as_bytes())
}

pub(super) fn trait_aliases(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let mut table = call.vm.new_array();
    let Some(declaration) = class(about).declaration.clone() else {
        return Ok(table.into());
    };
    for adaptation in &declaration.adaptations {
        let TraitAdaptation::Alias {
            trait_name,
            method,
            alias,
            ..
        } = adaptation
        else {
            continue;
        };
        if alias.is_null() {
            continue;
        }
        let owner = match trait_name {
            Some(name) => name_bytes(name.name).to_vec(),
            None => {
                let lowercase = name_bytes(*method).to_ascii_lowercase();
                let source = class(about)
                    .traits
                    .iter()
                    .find(|&&used| class(used).methods.contains(&lowercase));
                source.map_or_else(Vec::new, |&used| name_bytes(class(used).name).to_vec())
            }
        };
        let text = [&owner, &b"::"[..], name_bytes(*method)].concat();
        let value = call.vm.string(text).into();
        table.make_mut(call.vm).set_bytes(name_bytes(*alias), value);
    }
    Ok(table.into())
}

pub(super) fn static_properties(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    call.vm.initialise_class(about)?;
    let mut table = call.vm.new_array();
    let mut infos: Vec<Rc<PropertyInfo>> = class(about)
        .properties
        .iter()
        .map(|(_, info)| info.clone())
        .collect();
    // Classes of scripts show their own before those of their parents, native ones behind them.
    infos.sort_by_key(|info| native_depth(info.class));
    for info in infos {
        let foreign_private = is_foreign_private(info.flags, info.class, about);
        if info.flags & flags::STATIC == 0 || foreign_private {
            continue;
        }
        // SAFETY: I4: the class is live; the slot is one of its own.
        let value = unsafe { *(*about).static_member(info.slot) };
        if value.is_undef() {
            continue;
        }
        // SAFETY: I4: a property's name lives as long as its class.
        let name = unsafe { &*info.name };
        table
            .make_mut(call.vm)
            .set_string(name, Value::share(&value));
    }
    Ok(table.into())
}

pub(super) fn static_property_value(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let name = call.string(0);
    let found = call
        .vm
        .static_property(about, &name, about, Access::Isset)?;
    if !found.slot.is_null() {
        // SAFETY: I6: the member is live.
        let value = unsafe { *found.slot };
        if value.is_undef() {
            // SAFETY: I4: infos live as long as their class.
            let owner = unsafe { class((*found.info).class).display_name() };
            return Err(call.vm.throw_error(
                vm_runtime::exceptions::KnownClass::Error,
                format!(
                    "Typed property {owner}::${} must not be accessed before initialization",
                    name.whole_text()
                ),
            ));
        }
        return Ok(Value::share(&value));
    }
    if !call.argument(1).is_undef() {
        return Ok(call.value(1));
    }
    let message = format!(
        "Property {}::${} does not exist",
        class(about).display_name(),
        name.whole_text()
    );
    Err(fail(call.vm, &message, 0))
}

pub(super) fn set_static_property_value(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let (name, mut value) = (call.string(0), call.value(1));
    let found = call
        .vm
        .static_property(about, &name, about, Access::Isset)?;
    if found.slot.is_null() {
        let message = format!(
            "Class {} does not have a property named {}",
            class(about).display_name(),
            name.whole_text()
        );
        return Err(fail(call.vm, &message, 0));
    }
    // SAFETY: I4 and I6: info and member are live; the old value goes after it was replaced.
    unsafe {
        if (*found.info).declared.is_some() {
            vm_runtime::types::verify_property(call.vm, &*found.info, value.as_zval_mut(), false)?;
        }
        let place = (*found.slot).deref_mut();
        let old = *place;
        place.set(value.into_zval());
        release(&old);
    }
    Ok(Value::NULL)
}

/// Statics first, then instance properties, as declared.
pub(super) fn default_properties(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    call.vm.initialise_class(about)?;
    let mut table = call.vm.new_array();
    let infos: Vec<Rc<PropertyInfo>> = class(about)
        .properties
        .iter()
        .map(|(_, info)| info.clone())
        .collect();
    for wanted_static in [true, false] {
        for info in &infos {
            let is_static = info.flags & flags::STATIC != 0;
            let foreign_private = is_foreign_private(info.flags, info.class, about);
            if is_static != wanted_static || foreign_private {
                continue;
            }
            // SAFETY: I4: the class is live; the property is one of its own.
            let value = unsafe { (*about).declared_value(info) };
            if value.is_undef() {
                continue;
            }
            // SAFETY: I4: a property's name lives as long as its class.
            let name = unsafe { &*info.name };
            table
                .make_mut(call.vm)
                .set_string(name, Value::share(&value));
        }
    }
    Ok(table.into())
}
