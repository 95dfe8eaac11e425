//! Finding classes by name, and methods and constructors with their visibility.

use std::rc::Rc;

use hashbrown::HashMap;

use crate::class::enums::BackedCases;
use crate::class::inherit::visibility_name;
use crate::class::methods::{plain_name, scope_name};
use crate::class::{Class, NativeClass};
use crate::exceptions::KnownClass;
use crate::function::{Function, class_flags, flags};
use crate::object::PhpObject;
use crate::string::PhpString;
use crate::value::{StringHandle, Value};
use crate::vm::{PhpResult, Table, Thrown, Vm};

/// Calls `use_it` with a name in lower case. Names are short: it is made on the native stack.
#[inline]
pub fn with_lowercase<T>(name: &[u8], use_it: impl FnOnce(&[u8]) -> T) -> T {
    const SHORT: usize = 64;
    let mut buffer = [0; SHORT];
    match buffer.get_mut(..name.len()) {
        Some(lowercase) => {
            lowercase.copy_from_slice(name);
            lowercase.make_ascii_lowercase();
            use_it(lowercase)
        }
        None => use_it(&name.to_ascii_lowercase()),
    }
}

/// What a VM keeps about classes besides the table by name.
#[derive(Debug)]
pub struct ClassState {
    /// Native classes by lower-cased name; they are linked when first looked up.
    pub(crate) natives: Table<&'static NativeClass>,
    /// Native classes in the order they were registered.
    pub(crate) native_order: Vec<&'static NativeClass>,
    /// All linked classes in the order they were declared, aliases not counted.
    pub list: Vec<*mut Class>,
    /// Lower-cased aliases, each with the number of classes that were declared before it.
    pub aliases: Vec<(usize, Box<[u8]>, *mut Class)>,
    /// Classes that are being linked, see [`super::delayed`].
    pub(crate) delayed: super::delayed::DelayedLinking,
    /// Lower-cased names of classes whose autoloading is going on.
    pub(crate) autoloading: Vec<Box<[u8]>>,
    /// Addresses of deprecated constants whose use is being reported.
    pub(crate) reporting: Vec<usize>,
    /// The cases of backed enums whose values were looked at.
    pub(crate) backed_cases: HashMap<*mut Class, Rc<BackedCases>, foldhash::fast::FixedState>,
    /// Nesting of constant expressions of classes being evaluated.
    pub(crate) evaluating: u32,
    /// The class of what `exit()` throws; null until then.
    pub(crate) exit_class: *mut Class,
    /// The class of what ends a fiber that is destroyed; null until the first.
    pub(crate) graceful_exit_class: *mut Class,
}

impl Default for ClassState {
    fn default() -> ClassState {
        ClassState {
            natives: Table::default(),
            native_order: Vec::new(),
            list: Vec::new(),
            aliases: Vec::new(),
            delayed: Default::default(),
            autoloading: Vec::new(),
            reporting: Vec::new(),
            backed_cases: HashMap::default(),
            evaluating: 0,
            exit_class: std::ptr::null_mut(),
            graceful_exit_class: std::ptr::null_mut(),
        }
    }
}

impl Drop for ClassState {
    fn drop(&mut self) {
        for &class in &self.list {
            // SAFETY: made by `allocate_class`; the VM is going away, and nothing runs any more.
            drop(unsafe { Box::from_raw(class) });
        }
    }
}

impl Vm {
    /// The class with this lower-cased name, if it is linked or native. Never autoloads.
    pub fn linked_class(&mut self, lowercase: &[u8]) -> Option<*mut Class> {
        let class = self.declared_class(lowercase);
        // SAFETY: I4: classes live until the VM ends.
        class.filter(|&class| unsafe { (*class).is_linked() })
    }

    /// As [`Vm::linked_class`], also one that waits for others before its types can be checked.
    pub(crate) fn declared_class(&mut self, lowercase: &[u8]) -> Option<*mut Class> {
        match self.classes.get(lowercase) {
            Some(&class) => Some(class),
            None => self.link_native(lowercase),
        }
    }

    /// The class with this name (in any case, a leading backslash is ignored), autoloaded if
    /// wanted.
    pub fn class_by_name(&mut self, name: &[u8], autoload: bool) -> PhpResult<Option<*mut Class>> {
        // Nothing has no name, not even by `class_alias()`.
        if name.is_empty() {
            return Ok(None);
        }
        let name = name.strip_prefix(b"\\").unwrap_or(name);
        with_lowercase(name, |lowercase| match self.linked_class(lowercase) {
            Some(class) => Ok(Some(class)),
            None => self.autoload_class(name, lowercase, autoload),
        })
    }

    /// As [`Vm::class_by_name`], of a name that may come again.
    #[inline]
    pub fn class_named(
        &mut self,
        name: &PhpString,
        autoload: bool,
    ) -> PhpResult<Option<*mut Class>> {
        if let Some(class) = self.found_classes.get(name) {
            return Ok(Some(class));
        }
        let found = self.class_by_name(name.as_bytes(), autoload)?;
        if let Some(class) = found {
            self.found_classes.note(name, class);
        }
        Ok(found)
    }

    /// A public method that was found or noted by this very string: the one that every scope calls.
    #[inline]
    pub fn noted_method(&self, class: *const Class, name: &PhpString) -> Option<*const Function> {
        self.found_methods.get(class, std::ptr::null(), name)
    }

    /// Notes what [`Vm::noted_method`] gives, if it is the same for every scope: the method that calls
    /// by this name find.
    pub fn note_method(&mut self, class: *const Class, name: &PhpString, method: *const Function) {
        self.found_methods
            .note(class, std::ptr::null(), name, method);
    }

    /// A class that [`Vm::class_named`] has found by this very string.
    #[inline]
    pub fn noted_class(&self, name: &PhpString) -> Option<*mut Class> {
        self.found_classes.get(name)
    }

    /// The function with this name, in any case; a leading backslash is ignored.
    #[inline]
    pub fn function_named(&mut self, name: &PhpString) -> Option<*const Function> {
        if let Some(function) = self
            .found_methods
            .get(std::ptr::null(), std::ptr::null(), name)
        {
            return Some(function);
        }
        let bytes = name.as_bytes();
        let plain = bytes.strip_prefix(b"\\").unwrap_or(bytes);
        let function = with_lowercase(plain, |lowercase| self.find_function(lowercase))?;
        self.found_methods
            .note(std::ptr::null(), std::ptr::null(), name, function);
        Some(function)
    }

    /// A class that is not linked: autoloaded if wanted, unless it is being linked.
    pub(crate) fn autoload_class(
        &mut self,
        name: &[u8],
        lowercase: &[u8],
        autoload: bool,
    ) -> PhpResult<Option<*mut Class>> {
        if self.unlinked_class(lowercase).is_some() || self.classes.contains_key(lowercase) {
            return Ok(None);
        }
        if !autoload || name.is_empty() || self.autoloaders.is_empty() || !is_class_name(name) {
            return Ok(None);
        }
        if self
            .class_state
            .autoloading
            .iter()
            .any(|loading| **loading == *lowercase)
        {
            return Ok(None);
        }
        self.class_state.autoloading.push(lowercase.into());
        // Autoloaders are not part of a constant expression that names the class.
        let in_expression = std::mem::take(&mut self.evaluates_expression);
        let outcome = self.run_autoloaders(name, lowercase);
        self.evaluates_expression = in_expression;
        self.class_state
            .autoloading
            .retain(|loading| **loading != *lowercase);
        outcome
    }

    fn run_autoloaders(&mut self, name: &[u8], lowercase: &[u8]) -> PhpResult<Option<*mut Class>> {
        let name = self.string(name);
        // The list may change while one of them runs.
        let mut index = 0;
        while let Some(autoloader) = self.autoloaders.get(index).cloned() {
            self.call(&autoloader.called, vec![Value::from(name.clone())])?;
            self.check()?;
            if let Some(class) = self.declared_class(lowercase) {
                return Ok(Some(class));
            }
            index += 1;
        }
        Ok(None)
    }

    /// Gives a class a further name; false if that is taken.
    pub fn alias_class(&mut self, class: *mut Class, alias: &[u8]) -> bool {
        let alias = alias
            .strip_prefix(b"\\")
            .unwrap_or(alias)
            .to_ascii_lowercase();
        if self.declared_class(&alias).is_some() {
            return false;
        }
        crate::limits::grow_table(&mut self.classes);
        crate::limits::grow(&mut self.class_state.aliases);
        self.class_state
            .aliases
            .push((self.class_state.list.len(), alias.clone().into(), class));
        self.classes.insert(alias.into(), class);
        true
    }

    /// Links every registered native class, for listings.
    pub fn link_all_native_classes(&mut self) {
        for class in self.class_state.native_order.clone() {
            self.link_native(class.name().to_ascii_lowercase().as_bytes());
        }
    }
}

fn is_class_name(name: &[u8]) -> bool {
    name.iter()
        .all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\\' || byte >= 0x80)
}

/// True if code in `scope` may use protected members whose first declaration is in `class`.
pub fn is_protected_accessible(class: *const Class, scope: *const Class) -> bool {
    // SAFETY: I4: classes are null or live.
    unsafe {
        !scope.is_null() && ((*scope).is_parent_chain(class) || (*class).is_parent_chain(scope))
    }
}

impl Class {
    /// True if `other` is this class or one of its parents (interfaces do not count).
    pub(crate) fn is_parent_chain(&self, other: *const Class) -> bool {
        let mut class: *const Class = self;
        while !class.is_null() {
            if class == other {
                return true;
            }
            // SAFETY: I4: classes live until the VM ends.
            class = unsafe { (*class).parent };
        }
        false
    }
}

/// The class that first declared a method.
fn root_class(function: &Function) -> *const Class {
    // SAFETY: I4: prototypes are null or live.
    unsafe {
        if function.prototype.is_null() {
            function.scope
        } else {
            (*function.prototype).scope
        }
    }
}

/// True if code in `scope` may call the method.
pub fn is_method_accessible(function: &Function, scope: *const Class) -> bool {
    function.flags & flags::PUBLIC != 0
        || function.scope.cast_const() == scope
        || function.flags & flags::PROTECTED != 0
            && is_protected_accessible(root_class(function), scope)
}

/// `scope A` or `global scope`.
pub(crate) fn scope_text(scope: *const Class) -> String {
    // SAFETY: I4: a scope is null or live.
    match unsafe { scope.as_ref() } {
        Some(scope) => format!("scope {}", scope.display_name()),
        None => String::from("global scope"),
    }
}

fn bytes<'a>(name: *mut PhpString) -> &'a [u8] {
    // SAFETY: I3: the caller holds the name.
    unsafe { (*name).as_bytes() }
}

/// A lower-cased name of a method with its hash.
#[derive(Debug, Clone, Copy)]
pub struct MethodName<'a> {
    bytes: &'a [u8],
    hash: u64,
}

impl<'a> MethodName<'a> {
    /// A name that is lower-cased already.
    pub fn lowercase(bytes: &'a [u8]) -> MethodName<'a> {
        MethodName {
            bytes,
            hash: crate::string::hash_bytes(bytes),
        }
    }

    /// Calls `use_it` with the name that a call names, of which `lowercase` is the lower-cased form.
    fn with<T>(
        name: &PhpString,
        lowercase: Option<&PhpString>,
        use_it: impl FnOnce(MethodName<'_>) -> T,
    ) -> T {
        match lowercase {
            Some(lowercase) => use_it(MethodName {
                bytes: lowercase.as_bytes(),
                hash: lowercase.hash(),
            }),
            None => with_lowercase(name.as_bytes(), |bytes| {
                use_it(MethodName::lowercase(bytes))
            }),
        }
    }

    /// The method of a class.
    pub fn of_class(&self, class: &Class) -> Option<*const Function> {
        class.methods.get_hashed(self.hash, self.bytes).copied()
    }
}

#[cold]
fn inaccessible(
    vm: &mut Vm,
    function: &Function,
    name: *mut PhpString,
    scope: *const Class,
) -> Thrown {
    let message = format!(
        "Call to {} method {}::{}() from {}",
        visibility_name(function.flags),
        scope_name(function),
        crate::message::text(bytes(name)),
        scope_text(scope)
    );
    vm.throw_error(KnownClass::Error, message)
}

#[cold]
fn undefined(vm: &mut Vm, class: &Class, name: *mut PhpString) -> Thrown {
    let message = format!(
        "Call to undefined method {}::{}()",
        class.display_name(),
        crate::message::text(bytes(name))
    );
    vm.throw_error(KnownClass::Error, message)
}

#[cold]
fn call_of_abstract(vm: &mut Vm, function: &Function) -> Thrown {
    let message = format!(
        "Cannot call abstract method {}::{}()",
        scope_name(function),
        plain_name(function)
    );
    vm.throw_error(KnownClass::Error, message)
}

/// What looking for a method gave.
#[derive(Debug, Clone, Copy)]
pub enum FoundMethod {
    /// The method.
    Method(*const Function),
    /// None that may be called, but `__call` or `__callStatic` takes its place.
    Magic(*const Function),
    /// There is one, but `scope` may not call it.
    Inaccessible(*const Function),
    /// There is none.
    Missing,
}

/// Looks for the method that `$object->name()` calls in `scope`.
pub fn find_method(class: *const Class, name: &MethodName<'_>, scope: *const Class) -> FoundMethod {
    // SAFETY: I4: classes and methods are live.
    unsafe {
        let class = &*class;
        let magic = |otherwise: FoundMethod| match class.magic.call.is_null() {
            true => otherwise,
            false => FoundMethod::Magic(class.magic.call),
        };
        let Some(method) = name.of_class(class) else {
            return magic(FoundMethod::Missing);
        };
        let function = &*method;
        if function.flags & (flags::CHANGED | flags::PRIVATE | flags::PROTECTED) != 0
            && function.scope.cast_const() != scope
        {
            // A private method of the calling class goes before one that hides it.
            if function.flags & flags::CHANGED != 0
                && !scope.is_null()
                && class.is_parent_chain(scope)
                && let Some(own) = name.of_class(&*scope)
                && (*own).flags & flags::PRIVATE != 0
                && (*own).scope.cast_const() == scope
            {
                return FoundMethod::Method(own);
            }
            if !is_method_accessible(function, scope) {
                return magic(FoundMethod::Inaccessible(method));
            }
        }
        FoundMethod::Method(method)
    }
}

/// The object whose method a call means: the receiver, or the one that it delegates to if it has
/// neither the method nor `__call()`.
pub fn receiver(object: *mut PhpObject, name: &MethodName<'_>) -> *mut PhpObject {
    let mut receiver = object;
    // SAFETY: I3: the receiver is live, and with it what it delegates to; I4: their classes are.
    unsafe {
        loop {
            let class = &*(*receiver).class;
            if name.of_class(class).is_some() || !class.magic.call.is_null() {
                return receiver;
            }
            let delegate = class.handlers.and_then(|handlers| handlers.delegate);
            match delegate.map(|delegate| delegate(&*receiver)) {
                Some(next) if !next.is_null() => receiver = next,
                _ => return object,
            }
        }
    }
}

/// The function that `$object->name()` calls in `scope`: a method or a trampoline.
///
/// `lowercase` may be null. `object` is the place of the receiver, which becomes another one if it
/// delegates the call.
pub fn find_method_for_call(
    vm: &mut Vm,
    object: &mut *mut PhpObject,
    name: *mut PhpString,
    lowercase: *mut PhpString,
    scope: *mut Class,
) -> PhpResult<*const Function> {
    // SAFETY: I3: the receiver and the names are live; I4: its class and methods are.
    unsafe {
        let asked = (**object).class;
        if let Some(method) = vm.found_methods.get(asked, scope, name) {
            return Ok(method);
        }
        let found = MethodName::with(&*name, lowercase.as_ref(), |name| {
            let found = find_method(asked, &name, scope);
            let FoundMethod::Missing = found else {
                return found;
            };
            *object = receiver(*object, &name);
            find_method((**object).class, &name, scope)
        });
        let class = (**object).class;
        match found {
            FoundMethod::Method(method) if (*method).flags & flags::ABSTRACT != 0 => {
                Err(call_of_abstract(vm, &*method))
            }
            FoundMethod::Method(method) => {
                let own = (*class)
                    .handlers
                    .and_then(|handlers| handlers.instance_method);
                let method = match own {
                    Some(own) if (*method).is_static() => own(vm, method),
                    _ => method,
                };
                vm.found_methods.note(class, scope, name, method);
                Ok(method)
            }
            // What calls by a literal stays the same.
            FoundMethod::Magic(handler) if !lowercase.is_null() => {
                Ok(kept_trampoline(vm, handler, name, false))
            }
            FoundMethod::Magic(handler) => Ok(make_trampoline(vm, handler, name, false)),
            FoundMethod::Inaccessible(method) => Err(inaccessible(vm, &*method, name, scope)),
            FoundMethod::Missing => Err(undefined(vm, &*asked, name)),
        }
    }
}

/// Looks for the method that `Class::name()` calls in `scope` with `$this` being `this` (or null).
pub fn find_static_method(
    class: *const Class,
    name: &MethodName<'_>,
    scope: *const Class,
    this: *const PhpObject,
) -> FoundMethod {
    // SAFETY: I4: classes and methods are live; `this` is null or live.
    unsafe {
        let class = &*class;
        let magic = |otherwise: FoundMethod| {
            if !class.magic.call.is_null()
                && let Some(object) = this.as_ref()
                && object.class().is_subclass_of(class)
            {
                return FoundMethod::Magic(object.class().magic.call);
            }
            match class.magic.call_static.is_null() {
                true => otherwise,
                false => FoundMethod::Magic(class.magic.call_static),
            }
        };
        match name.of_class(class) {
            None => magic(FoundMethod::Missing),
            Some(method) if !is_method_accessible(&*method, scope) => {
                magic(FoundMethod::Inaccessible(method))
            }
            Some(method) => FoundMethod::Method(method),
        }
    }
}

/// The function that `Class::name()` calls in `scope`: a method, static or not, or a trampoline.
pub fn find_static_method_for_call(
    vm: &mut Vm,
    class: *mut Class,
    name: *mut PhpString,
    lowercase: *mut PhpString,
    scope: *mut Class,
    this: *mut PhpObject,
) -> PhpResult<*const Function> {
    // SAFETY: I4: classes and methods are live; I3: the names are.
    unsafe {
        let found = MethodName::with(&*name, lowercase.as_ref(), |name| {
            find_static_method(class, &name, scope, this)
        });
        match found {
            FoundMethod::Method(method) => {
                let function = &*method;
                if function.flags & flags::ABSTRACT != 0 {
                    return Err(call_of_abstract(vm, function));
                }
                if function.is_static()
                    && !function.scope.is_null()
                    && (*function.scope).flags & class_flags::TRAIT != 0
                {
                    vm.deprecated(format!(
                        "Calling static trait method {}::{} is deprecated, it should only be called on a class using the trait",
                        scope_name(function),
                        plain_name(function)
                    ));
                    vm.check()?;
                }
                Ok(method)
            }
            FoundMethod::Magic(handler) => {
                let function = &*handler;
                let shown = crate::message::text(bytes(name)).into_owned();
                if function.flags & flags::ABSTRACT != 0 {
                    let class = (*class).display_name();
                    return Err(vm.throw_error(
                        KnownClass::Error,
                        format!("Cannot call abstract method {class}::{shown}()"),
                    ));
                }
                if function.is_static() && (*function.scope).flags & class_flags::TRAIT != 0 {
                    vm.deprecated(format!(
                        "Calling static trait method {}::{shown} is deprecated, it should only be called on a class using the trait",
                        scope_name(function)
                    ));
                    vm.check()?;
                }
                Ok(match lowercase.is_null() {
                    true => make_trampoline(vm, handler, name, function.is_static()),
                    false => kept_trampoline(vm, handler, name, function.is_static()),
                })
            }
            FoundMethod::Inaccessible(method) => Err(inaccessible(vm, &*method, name, scope)),
            FoundMethod::Missing => Err(undefined(vm, &*class, name)),
        }
    }
}

/// The constructor that `new` calls in `scope`; null if the class has none.
pub fn constructor_for_new(
    vm: &mut Vm,
    class: *mut Class,
    scope: *mut Class,
) -> PhpResult<*const Function> {
    // SAFETY: I4: classes and methods are live.
    unsafe {
        let constructor = (*class).magic.construct;
        if let Some(function) = (*class).handlers.and_then(|handlers| handlers.made_by) {
            let name = (*class).display_name();
            let message = format!("Cannot directly construct {name}, use {function} instead");
            return Err(vm.throw_error(KnownClass::Error, message));
        }
        let Some(function) = constructor.as_ref() else {
            return Ok(std::ptr::null());
        };
        if is_method_accessible(function, scope) {
            return Ok(constructor);
        }
        let message = format!(
            "Call to {} {}::{}() from {}",
            visibility_name(function.flags),
            scope_name(function),
            plain_name(function),
            scope_text(scope)
        );
        Err(vm.throw_error(KnownClass::Error, message))
    }
}

/// A function that stands for a call of `handler` (`__call` or `__callStatic`) with `name`. It is
/// freed after the call: [`free_trampoline`].
pub fn make_trampoline(
    vm: &mut Vm,
    handler: *const Function,
    name: *mut PhpString,
    is_static: bool,
) -> *const Function {
    // SAFETY: I4: the handler is live; I3: the name is, and the trampoline takes a share.
    unsafe {
        let kind = if is_static { flags::STATIC } else { 0 };
        // PHP cuts the name at a NUL.
        let name = match memchr::memchr(0, bytes(name)) {
            Some(end) => vm.string(&bytes(name)[..end]).into_raw(),
            None => StringHandle::share_raw(name).into_raw(),
        };
        let function = Function {
            is_user: true,
            quick_arguments: 0,
            flags: flags::CALL_VIA_TRAMPOLINE
                | flags::PUBLIC
                | flags::VARIADIC
                | (*handler).flags & flags::DEPRECATED
                | kind,
            parameter_count: 0,
            required_count: 0,
            owners: Default::default(),
            ops: std::ptr::null(),
            slots: 0,
            variables: 0,
            op_array: std::ptr::null(),
            // Not null: there is nothing to initialise.
            run_time_cache: std::ptr::dangling_mut(),
            static_variables: std::ptr::null_mut(),
            native: None,
            direct: None,
            accepted: 0,
            name,
            scope: (*handler).scope,
            prototype: std::ptr::null(),
            parameters: Default::default(),
            return_type: None,
            code: None,
            hooked_property: std::ptr::null_mut(),
            closure: std::ptr::null_mut(),
            native_data: handler as usize,
        };
        let place = match vm.spare_trampoline.take() {
            Some(mut spare) => {
                *spare = function;
                spare
            }
            None => Box::new(function),
        };
        &raw mut *Box::leak(place)
    }
}

/// As [`make_trampoline`], for a name that is a literal: it lives as long as the VM, and so does what is made
/// here, for every call of this handler by this name.
fn kept_trampoline(
    vm: &mut Vm,
    handler: *const Function,
    name: *mut PhpString,
    is_static: bool,
) -> *const Function {
    // SAFETY: I3: the name is live.
    if !unsafe { (*name).header.is_immutable() } {
        return make_trampoline(vm, handler, name, is_static);
    }
    let key = (handler, name.cast_const(), is_static);
    if let Some(kept) = vm.kept_trampolines.get(&key) {
        return &raw const **kept;
    }
    let made = make_trampoline(vm, handler, name, is_static).cast_mut();
    // SAFETY: it is new. One with a name that was cut has a share of that.
    if unsafe { !std::ptr::eq((*made).name, name) } {
        return made;
    }
    // SAFETY: the stand-in is new, and nobody else knows of it.
    let mut made = unsafe { Box::from_raw(made) };
    made.flags |= flags::KEPT;
    let address = &raw const *made;
    vm.kept_trampolines.insert(key, made);
    address
}

/// The magic method that a trampoline calls, and the name it was made for.
///
/// # Safety
/// `trampoline` was made by [`make_trampoline`].
pub unsafe fn trampoline_parts(trampoline: *const Function) -> (*const Function, StringHandle) {
    // SAFETY: by the caller.
    unsafe {
        (
            (*trampoline).native_data as *const Function,
            StringHandle::share_raw((*trampoline).name),
        )
    }
}

/// As [`free_trampoline`]; the next trampoline may have its place.
///
/// # Safety
/// As for [`free_trampoline`].
pub unsafe fn recycle_trampoline(vm: &mut Vm, trampoline: *mut Function) {
    // SAFETY: by the caller; the name is the trampoline's own.
    unsafe {
        if (*trampoline).flags & flags::KEPT != 0 {
            return;
        }
        drop(StringHandle::from_raw((*trampoline).name));
        vm.spare_trampoline = Some(Box::from_raw(trampoline));
    }
}

/// Frees a trampoline, unless the VM keeps it.
///
/// # Safety
/// `trampoline` was made by [`make_trampoline`] and is not used any more.
pub unsafe fn free_trampoline(trampoline: *mut Function) {
    // SAFETY: by the caller.
    unsafe {
        if (*trampoline).flags & flags::KEPT != 0 {
            return;
        }
        drop(StringHandle::from_raw((*trampoline).name));
        drop(Box::from_raw(trampoline));
    }
}
