//! Callables: strings, arrays and objects that can be called.

use crate::class::Class;
use crate::class::lookup::{find_method_for_call, find_static_method_for_call, free_trampoline};
use crate::class::visibility_name;
use crate::exceptions::KnownClass;
use crate::function::{Function, flags};
use crate::interpreter::callback::Callee;
use crate::interpreter::state::running_scope;
use crate::object::closure;
use crate::string::PhpString;
use crate::value::{ObjectHandle, Value, ValueKind, Zval};
use crate::vm::{PhpResult, Thrown, Vm};

impl Vm {
    /// What a callable value calls; Err holds PHP's reason why it is none. Exceptions of
    /// autoloaders stay pending.
    pub fn resolve_callable(&mut self, value: &Zval) -> Result<Callee, String> {
        let held = Value::share(value);
        match held.as_zval().view() {
            ValueKind::String(name) => self.resolve_name(name),
            ValueKind::Array(array) => {
                let (Some(target), Some(method)) = (array.get_long(0), array.get_long(1)) else {
                    return Err(String::from("array callback must have exactly two members"));
                };
                if array.len() != 2 {
                    return Err(String::from("array callback must have exactly two members"));
                }
                let (target, method) = (Value::share(target), Value::share(method));
                let Some(method) = method.string() else {
                    return Err(String::from(
                        "first array member is not a valid class name or object",
                    ));
                };
                match target.as_zval().view() {
                    ValueKind::Object(_) => {
                        let object = target.object().ok_or_else(String::new)?;
                        self.resolve_object_method(object, &method)
                    }
                    ValueKind::String(class) => {
                        self.resolve_class_method(class.as_bytes(), &method)
                    }
                    _ => Err(String::from(
                        "first array member is not a valid class name or object",
                    )),
                }
            }
            ValueKind::Object(object) => match closure::callee(object) {
                Some(callee) => Ok(callee),
                None => {
                    let invoke = object.class().magic.invoke;
                    if invoke.is_null() {
                        return Err(String::from("no array or string given"));
                    }
                    Ok(Callee {
                        function: invoke,
                        this: held.object(),
                        called_class: object.class,
                        closure: None,
                    })
                }
            },
            _ => Err(String::from("no array or string given")),
        }
    }

    fn resolve_name(&mut self, name: &PhpString) -> Result<Callee, String> {
        let bytes = name.as_bytes();
        if let Some(position) = find_double_colon(bytes) {
            let method = self.string(&bytes[position + 2..]);
            return self.resolve_class_method(&bytes[..position], &method);
        }
        let plain = bytes.strip_prefix(b"\\").unwrap_or(bytes);
        match self.find_function(&plain.to_ascii_lowercase()) {
            Some(function) => Ok(Callee {
                function,
                this: None,
                called_class: std::ptr::null_mut(),
                closure: None,
            }),
            None => Err(format!(
                "function \"{}\" not found or invalid function name",
                name.to_text()
            )),
        }
    }

    fn resolve_object_method(
        &mut self,
        object: ObjectHandle,
        method: &PhpString,
    ) -> Result<Callee, String> {
        let scope = running_scope(self);
        let bytes = method.as_bytes();
        // "parent::m" and "C::m" name a method of a parent class.
        if let Some(position) = find_double_colon(bytes) {
            let parent = self.scope_class(&bytes[..position], object.class)?;
            let name = self.string(&bytes[position + 2..]);
            let lowercase = name.as_bytes().to_ascii_lowercase();
            // SAFETY: I4.
            let found = unsafe { (*parent).methods.get(&lowercase).copied() };
            return match found {
                Some(function) => Ok(Callee {
                    function,
                    called_class: object.class,
                    this: Some(object),
                    closure: None,
                }),
                None => Err(missing_method(parent, &name)),
            };
        }
        self.method_callee(object.class, Some(object), method, scope)
    }

    fn resolve_class_method(&mut self, class: &[u8], method: &PhpString) -> Result<Callee, String> {
        let scope = running_scope(self);
        let found = self.scope_class(class, std::ptr::null_mut())?;
        let this = self.running_this().filter(|this| {
            // SAFETY: I4.
            unsafe { (*this.class).is_subclass_of(found) }
        });
        let mut name = method.as_bytes();
        let mut class = found;
        if let Some(position) = find_double_colon(name) {
            class = self.scope_class(&name[..position], found)?;
            name = &name[position + 2..];
        }
        let name = self.string(name);
        self.method_callee(class, this, &name, scope)
    }

    /// A class by a name in a callable: `self`, `parent`, `static` or a class.
    fn scope_class(&mut self, name: &[u8], of: *mut Class) -> Result<*mut Class, String> {
        let scope = if of.is_null() {
            running_scope(self)
        } else {
            of
        };
        let lowercase = name.to_ascii_lowercase();
        // SAFETY: I4.
        unsafe {
            match lowercase.as_slice() {
                b"self" if !scope.is_null() => return Ok(scope),
                b"parent" if !scope.is_null() && !(*scope).parent.is_null() => {
                    return Ok((*scope).parent);
                }
                b"static" if !self.current_called_class().is_null() => {
                    return Ok(self.current_called_class());
                }
                b"self" => {
                    return Err(String::from(
                        "cannot access \"self\" when no class scope is active",
                    ));
                }
                b"static" => {
                    return Err(String::from(
                        "cannot access \"static\" when no class scope is active",
                    ));
                }
                b"parent" if scope.is_null() => {
                    return Err(String::from(
                        "cannot access \"parent\" when no class scope is active",
                    ));
                }
                b"parent" => {
                    return Err(String::from(
                        "cannot access \"parent\" when current class scope has no parent",
                    ));
                }
                _ => {}
            }
        }
        match self.class_by_name(name, true) {
            Ok(Some(class)) => Ok(class),
            _ => Err(format!(
                "class \"{}\" not found",
                String::from_utf8_lossy(name)
            )),
        }
    }

    fn method_callee(
        &mut self,
        class: *mut Class,
        this: Option<ObjectHandle>,
        method: &PhpString,
        scope: *mut Class,
    ) -> Result<Callee, String> {
        let lowercase = method.as_bytes().to_ascii_lowercase();
        // SAFETY: I3 and I4: class, object and method name are live.
        unsafe {
            let known = (*class).methods.get(&lowercase).copied();
            if lowercase == b"__invoke"
                && let Some(this) = &this
                && let Some(callee) = closure::callee(this)
            {
                return Ok(callee);
            }
            let name = (&raw const *method).cast_mut();
            let pending = self.exception;
            let found = match &this {
                Some(object) if std::ptr::eq(object.class, class) => {
                    let mut object = object.as_ptr();
                    find_method_for_call(self, &mut object, name, std::ptr::null_mut(), scope)
                }
                _ => {
                    let object = this
                        .as_ref()
                        .map_or(std::ptr::null_mut(), |this| this.as_ptr());
                    find_static_method_for_call(
                        self,
                        class,
                        name,
                        std::ptr::null_mut(),
                        scope,
                        object,
                    )
                }
            };
            let function = match found {
                Ok(function) => function,
                Err(Thrown) => {
                    // The reason is told in words instead.
                    self.drop_exception_down_to(pending);
                    return Err(match known {
                        Some(function) if (*function).flags & flags::ABSTRACT != 0 => {
                            format!(
                                "cannot call abstract method {}()",
                                (*function).display_name()
                            )
                        }
                        Some(function) => format!(
                            "cannot access {} method {}::{}()",
                            visibility_name((*function).flags),
                            (*class).display_name(),
                            method.to_text()
                        ),
                        None => missing_method(class, method),
                    });
                }
            };
            if (*function).flags & flags::STATIC != 0 {
                let called = this.as_ref().map_or(class, |this| this.class);
                return Ok(Callee {
                    function,
                    this: None,
                    called_class: called,
                    closure: None,
                });
            }
            match this {
                Some(this) => Ok(Callee {
                    function,
                    called_class: this.class,
                    this: Some(this),
                    closure: None,
                }),
                None => {
                    let text = format!(
                        "non-static method {}() cannot be called statically",
                        (*function).display_name()
                    );
                    if (*function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
                        free_trampoline(function.cast_mut());
                    }
                    Err(text)
                }
            }
        }
    }
}

fn missing_method(class: *const Class, method: &PhpString) -> String {
    // SAFETY: I4.
    unsafe {
        format!(
            "class {} does not have a method \"{}\"",
            (*class).display_name(),
            method.to_text()
        )
    }
}

fn find_double_colon(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, b"::").filter(|&position| position > 0)
}

/// What `$value(...)` calls, with the errors of a dynamic call.
pub fn for_dynamic_call(vm: &mut Vm, value: &Zval) -> PhpResult<Callee> {
    match value.deref().view() {
        ValueKind::String(name) => {
            let held = name.to_text().into_owned();
            if find_double_colon(name.as_bytes()).is_none() {
                return vm.resolve_name(name).map_err(|_| {
                    vm.throw_error(
                        KnownClass::Error,
                        format!("Call to undefined function {held}()"),
                    )
                });
            }
            let position = find_double_colon(name.as_bytes()).unwrap_or_default();
            let class_name = name.as_bytes()[..position].to_vec();
            let method = vm.string(&name.as_bytes()[position + 2..]);
            let class = vm.class_for_call(&class_name)?;
            static_callee(vm, class, &method)
        }
        ValueKind::Array(array) => {
            let held = Value::share(value);
            let (Some(target), Some(method)) = (array.get_long(0), array.get_long(1)) else {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "Array callback must have exactly two elements",
                ));
            };
            if array.len() != 2 {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "Array callback must have exactly two elements",
                ));
            }
            let (target, method) = (Value::share(target), Value::share(method));
            drop(held);
            if !matches!(
                target.as_zval().view(),
                ValueKind::String(_) | ValueKind::Object(_)
            ) {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "First array member is not a valid class name or object",
                ));
            }
            let Some(method) = method.string() else {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "Second array member is not a valid method",
                ));
            };
            if let Some(object) = target.object() {
                if find_double_colon(method.as_bytes()).is_some() {
                    return vm
                        .resolve_object_method(object, &method)
                        .map_err(|reason| vm.throw_error(KnownClass::Error, reason));
                }
                let scope = running_scope(vm);
                let mut pointer = object.as_ptr();
                let function = find_method_for_call(
                    vm,
                    &mut pointer,
                    method.as_ptr(),
                    std::ptr::null_mut(),
                    scope,
                )?;
                return Ok(bind(function, object));
            }
            let name = target.as_bytes().unwrap_or_default().to_vec();
            let class = vm.class_for_call(&name)?;
            static_callee(vm, class, &method)
        }
        ValueKind::Object(object) => {
            if let Some(callee) = closure::callee(object) {
                return Ok(callee);
            }
            let invoke = object.class().magic.invoke;
            if invoke.is_null() {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "Object of type ".to_string()
                        + &object.class().display_name()
                        + " is not callable",
                ));
            }
            // SAFETY: I3: the object is live.
            let handle = unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) };
            Ok(bind(invoke, handle))
        }
        _ => {
            let kind = crate::operators::value_name(value.deref());
            Err(vm.throw_error(
                KnownClass::Error,
                format!("Value of type {kind} is not callable"),
            ))
        }
    }
}

fn bind(function: *const Function, object: ObjectHandle) -> Callee {
    // SAFETY: I4: functions live until the VM ends.
    let is_static = unsafe { (*function).flags & flags::STATIC != 0 };
    let called_class = object.class;
    Callee {
        function,
        this: (!is_static).then_some(object),
        called_class,
        closure: None,
    }
}

fn static_callee(vm: &mut Vm, class: *mut Class, method: &PhpString) -> PhpResult<Callee> {
    let scope = running_scope(vm);
    let name = (&raw const *method).cast_mut();
    let function = find_static_method_for_call(
        vm,
        class,
        name,
        std::ptr::null_mut(),
        scope,
        std::ptr::null_mut(),
    )?;
    // SAFETY: I4.
    unsafe {
        if (*function).flags & flags::STATIC == 0 {
            let text = format!(
                "Non-static method {}() cannot be called statically",
                (*function).display_name()
            );
            if (*function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
                free_trampoline(function.cast_mut());
            }
            return Err(vm.throw_error(KnownClass::Error, text));
        }
    }
    Ok(Callee {
        function,
        this: None,
        called_class: class,
        closure: None,
    })
}
