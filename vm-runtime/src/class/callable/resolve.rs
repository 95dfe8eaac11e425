//! What a callable value calls, or why it is none.

use super::{find_double_colon, free_function};
use crate::class::Class;
use crate::class::inherit::visibility_name;
use crate::class::lookup::{
    FoundMethod, MethodName, find_method, find_static_method, is_method_accessible,
    make_trampoline, receiver, with_lowercase,
};
use crate::function::{Function, flags};
use crate::interpreter::callback::Callee;
use crate::object::{PhpObject, closure};
use crate::string::PhpString;
use crate::value::{ObjectHandle, Value, ValueKind, Zval};
use crate::vm::Vm;

/// The class half of a callable that was found.
struct Target {
    class: *mut Class,
    /// The object the method is called on.
    object: Option<ObjectHandle>,
    called: *mut Class,
    /// A class was named (not `self`, `parent` or `static`).
    strict: bool,
}

impl Vm {
    /// What a callable value calls; Err holds PHP's reason why it is none. Exceptions of
    /// autoloaders stay pending.
    pub fn resolve_callable(&mut self, value: &Zval) -> Result<Callee, String> {
        self.resolve(value, false)
    }

    /// As [`Vm::resolve_callable`], telling about deprecated forms: for checks of arguments.
    pub fn check_callable(&mut self, value: &Zval) -> Result<Callee, String> {
        self.resolve(value, true)
    }

    /// The class scope in which callables are looked up: that of the innermost user code, also
    /// while a native method asks.
    fn callable_scope(&self) -> *mut Class {
        let frame = self.user_frame();
        if frame.is_null() {
            return std::ptr::null_mut();
        }
        // SAFETY: I4: the frame and its function are live.
        unsafe { (*(*frame).function).scope }
    }

    /// `$this` of the innermost method or user code, native methods included; or null.
    fn object_at_work(&self) -> *const PhpObject {
        let mut frame = self.current_frame;
        // SAFETY: I4: frames on the chain are live, and their functions and objects.
        unsafe {
            while !frame.is_null() {
                if (*frame).has_this() {
                    return (*frame).this.object();
                }
                let function = (*frame).function;
                if !function.is_null() && ((*function).is_user || !(*function).scope.is_null()) {
                    break;
                }
                frame = (*frame).previous;
            }
        }
        std::ptr::null()
    }

    fn resolve(&mut self, value: &Zval, warn: bool) -> Result<Callee, String> {
        let held = Value::share(value);
        match held.view() {
            ValueKind::String(name) => self.resolve_name(name, warn),
            ValueKind::Array(array) => {
                if array.len() != 2 {
                    return Err(String::from("array callback must have exactly two members"));
                }
                let (Some(target), Some(method)) = (array.get_long(0), array.get_long(1)) else {
                    return Err(String::from(
                        "array callback has to contain indices 0 and 1",
                    ));
                };
                if let Some(callee) = self.known_method(target.deref(), method.deref()) {
                    return Ok(callee);
                }
                let (target, method) = (Value::share(target), Value::share(method));
                let target = delegated(target, &method);
                let found = match target.view() {
                    ValueKind::Object(object) => Target {
                        class: object.class,
                        object: target.object(),
                        called: object.class,
                        strict: false,
                    },
                    ValueKind::String(_) | ValueKind::Null if method.string().is_none() => {
                        return Err(String::from(match target.view() {
                            ValueKind::String(_) => "second array member is not a valid method",
                            _ => "first array member is not a valid class name or object",
                        }));
                    }
                    ValueKind::String(name) => {
                        let found = self.named_class(name.as_bytes(), None, warn)?;
                        if found.strict {
                            self.found_classes.note(name, found.class);
                        }
                        found
                    }
                    _ => {
                        return Err(String::from(
                            "first array member is not a valid class name or object",
                        ));
                    }
                };
                match method.string() {
                    Some(method) => self.resolve_method(found, &method, warn, true),
                    None => Err(String::from("second array member is not a valid method")),
                }
            }
            ValueKind::Object(object) => match closure::callee(object) {
                Some(callee) => Ok(callee),
                None => {
                    let invoke = object.class().magic.invoke;
                    if invoke.is_null() {
                        return Err(String::from("no array or string given"));
                    }
                    let this = held.object();
                    Ok(Callee {
                        function: invoke,
                        this,
                        called_class: object.class,
                        closure: None,
                    })
                }
            },
            _ => Err(String::from("no array or string given")),
        }
    }

    /// A method of an object that a call or callable has found before, where nothing is special about
    /// the class.
    fn known_method(&self, target: &Zval, method: &Zval) -> Option<Callee> {
        let ValueKind::String(name) = method.view() else {
            return None;
        };
        let object = match target.view() {
            ValueKind::Object(object) => object,
            ValueKind::String(class) => return self.known_static_method(class, name),
            _ => return None,
        };
        let function = self
            .found_methods
            .get(object.class, std::ptr::null(), name)?;
        // SAFETY: I4: methods are live.
        let flags = unsafe { (*function).flags };
        if flags & (flags::STATIC | flags::ABSTRACT) != 0 || object.class().handlers.is_some() {
            return None;
        }
        Some(Callee {
            function,
            this: Value::share(target).object(),
            called_class: object.class,
            closure: None,
        })
    }

    /// As [`Vm::known_method`], a static method of a class by its name. A running object may be one of that class,
    /// which is asked then.
    fn known_static_method(&self, class: &PhpString, name: &PhpString) -> Option<Callee> {
        let class = self.found_classes.get(class)?;
        let function = self.found_methods.get(class, std::ptr::null(), name)?;
        // SAFETY: I4: methods are live.
        let flags = unsafe { (*function).flags };
        let is_plain = flags & flags::STATIC != 0 && flags & flags::ABSTRACT == 0;
        (is_plain && self.running_this().is_none()).then_some(Callee {
            function,
            this: None,
            called_class: class,
            closure: None,
        })
    }

    /// A function's name, or `Class::method`.
    fn resolve_name(&mut self, name: &PhpString, warn: bool) -> Result<Callee, String> {
        if let Some(function) = self.function_named(name) {
            return Ok(free_function(function));
        }
        let bytes = name.as_bytes();
        let Some(position) = find_double_colon(bytes) else {
            return Err(format!(
                "function \"{}\" not found or invalid function name",
                crate::message::text(bytes)
            ));
        };
        let found = self.named_class(&bytes[..position], None, warn)?;
        let method = self.string(&bytes[position + 2..]);
        self.resolve_method(found, &method, warn, false)
    }

    /// A class by its name in a callable; `self`, `parent` and `static` are deprecated there. With
    /// `of`, they belong to that class (and object).
    fn named_class(
        &mut self,
        name: &[u8],
        of: Option<(*mut Class, Option<ObjectHandle>)>,
        warn: bool,
    ) -> Result<Target, String> {
        let nested = of.is_some();
        let running = self.callable_scope();
        let scope = of.as_ref().map_or(running, |(class, _)| *class);
        let object = of.and_then(|(_, object)| object);
        let lowercase = name.to_ascii_lowercase();
        let special = lowercase.as_slice();
        // SAFETY: I4: classes live until the VM ends.
        unsafe {
            let called = match self.current_called_class() {
                called
                    if !called.is_null() && !scope.is_null() && (*called).is_subclass_of(scope) =>
                {
                    called
                }
                _ => scope,
            };
            let class = match special {
                b"self" if scope.is_null() => {
                    return Err(String::from(
                        "cannot access \"self\" when no class scope is active",
                    ));
                }
                b"self" => scope,
                b"parent" if scope.is_null() => {
                    return Err(String::from(
                        "cannot access \"parent\" when no class scope is active",
                    ));
                }
                b"parent" if (*scope).parent.is_null() => {
                    return Err(String::from(
                        "cannot access \"parent\" when current class scope has no parent",
                    ));
                }
                b"parent" => (*scope).parent,
                b"static" => match self.current_called_class() {
                    called if called.is_null() => {
                        return Err(String::from(
                            "cannot access \"static\" when no class scope is active",
                        ));
                    }
                    called => called,
                },
                _ => {
                    let Ok(Some(class)) = self.class_by_name(name, true) else {
                        return Err(format!(
                            "class \"{}\" not found",
                            crate::message::text(name)
                        ));
                    };
                    let mut target = Target {
                        class,
                        object,
                        called: class,
                        strict: true,
                    };
                    if target.object.is_none()
                        && let Some(this) = self.running_this()
                        && !running.is_null()
                        && (*this.class).is_subclass_of(running)
                        && (*running).is_subclass_of(class)
                    {
                        target.object = Some(this);
                    }
                    if let Some(object) = &target.object {
                        target.called = object.class;
                    }
                    return Ok(target);
                }
            };
            if warn && !nested {
                let word = crate::message::text(special).into_owned();
                self.deprecated(format!("Use of \"{word}\" in callables is deprecated"));
                if self.check().is_err() {
                    // There is no reason to tell: the exception is.
                    return Err(String::from("(null)"));
                }
            }
            let object = object.or_else(|| self.running_this());
            let called = match special {
                b"static" => class,
                b"parent" if !(*called).is_subclass_of(class) || nested && called == scope => class,
                _ => called,
            };
            Ok(Target {
                class,
                object,
                called,
                strict: false,
            })
        }
    }

    /// A method of what an array names, with `of_pair`, or of what stands in front of the `::` of a text.
    fn resolve_method(
        &mut self,
        target: Target,
        method: &PhpString,
        warn: bool,
        of_pair: bool,
    ) -> Result<Callee, String> {
        let Some(position) = find_double_colon(method.as_bytes()) else {
            return self.find_callable_method(target, method, true, of_pair);
        };
        // "parent::m" and "C::m" name a method of a parent class.
        let outer = target.class;
        let found = self.named_class(
            &method.as_bytes()[..position],
            Some((outer, target.object)),
            warn,
        )?;
        // SAFETY: I4: classes live until the VM ends.
        unsafe {
            if !(*outer).is_subclass_of(found.class) {
                return Err(format!(
                    "class {} is not a subclass of {}",
                    (*outer).display_name(),
                    (*found.class).display_name()
                ));
            }
            if warn {
                self.deprecated(format!(
                    "Callables of the form [\"{}\", \"{}\"] are deprecated",
                    (*outer).display_name(),
                    method.to_text()
                ));
            }
        }
        let name = self.string(&method.as_bytes()[position + 2..]);
        let of_pair = of_pair && found.class == outer;
        self.find_callable_method(found, &name, false, of_pair)
    }

    /// `of_object` tells that an object which is there may be asked for `__call`: the class is the one that the callable
    /// began with. That of another class is asked as for a static call.
    fn find_callable_method(
        &mut self,
        target: Target,
        method: &PhpString,
        direct: bool,
        of_object: bool,
    ) -> Result<Callee, String> {
        let scope = self.callable_scope();
        let Target {
            class,
            object,
            called,
            strict,
        } = target;
        let lowercase = method.as_bytes().to_ascii_lowercase();
        let name = (&raw const *method).cast_mut();
        // SAFETY: I3 and I4: class, object and method name are live.
        unsafe {
            if lowercase == b"__invoke"
                && let Some(object) = &object
                && direct
                && let Some(callee) = closure::callee(object)
            {
                return Ok(callee);
            }
            let this = object
                .as_ref()
                .map_or(std::ptr::null(), |object| object.as_ptr().cast_const());
            // A `$this` of the class has its `__call` asked before `__callStatic`.
            let at_work = self.object_at_work();
            let of_class =
                || find_static_method(class, &MethodName::lowercase(&lowercase), scope, at_work);
            let found =
                if strict && lowercase == b"__construct" && !(*class).magic.construct.is_null() {
                    FoundMethod::Method((*class).magic.construct)
                } else if this.is_null() {
                    of_class()
                } else {
                    match find_method(class, &MethodName::lowercase(&lowercase), scope) {
                        FoundMethod::Magic(_) | FoundMethod::Missing if !of_object => of_class(),
                        found => found,
                    }
                };
            // Only for what goes wrong.
            let class_text = || (*class).display_name();
            let function = match found {
                FoundMethod::Method(function) => function,
                FoundMethod::Inaccessible(function) => {
                    return Err(match (*function).flags & flags::ABSTRACT != 0 {
                        true => abstract_reason(&class_text(), &*function),
                        false if this.is_null() && !(*function).is_static() => {
                            static_reason(&class_text(), &*function)
                        }
                        false => format!(
                            "cannot access {} method {}::{}()",
                            visibility_name((*function).flags),
                            class_text(),
                            (*(*function).name).to_text()
                        ),
                    });
                }
                FoundMethod::Magic(handler) => {
                    let is_static = (*handler).is_static();
                    let function = make_trampoline(self, handler, name, is_static);
                    let object = if is_static {
                        None
                    } else {
                        object.or_else(|| self.running_this())
                    };
                    let called_class = object.as_ref().map_or(called, |object| object.class);
                    return Ok(Callee {
                        function,
                        this: object,
                        called_class,
                        closure: None,
                    });
                }
                FoundMethod::Missing => {
                    return Err(format!(
                        "class {} does not have a method \"{}\"",
                        class_text(),
                        method.to_text()
                    ));
                }
            };
            let found = &*function;
            if found.flags & flags::ABSTRACT != 0 {
                return Err(abstract_reason(&class_text(), found));
            }
            if this.is_null() && !found.is_static() {
                return Err(static_reason(&class_text(), found));
            }
            if !is_method_accessible(found, scope) {
                return Err(format!(
                    "cannot access {} method {}::{}()",
                    visibility_name(found.flags),
                    class_text(),
                    (*found.name).to_text()
                ));
            }
            // Classes with handlers may have another method for their objects.
            if !this.is_null() || found.is_static() && (*class).handlers.is_none() {
                self.found_methods
                    .note(class, std::ptr::null(), name, function);
            }
            let called_class = object.as_ref().map_or(called, |object| object.class);
            let this = if found.is_static() { None } else { object };
            Ok(Callee {
                function,
                this,
                called_class,
                closure: None,
            })
        }
    }
}

fn abstract_reason(class: &str, function: &Function) -> String {
    // SAFETY: I4: a function's name lives as long as it.
    let name = unsafe { (*function.name).to_text() };
    format!("cannot call abstract method {class}::{name}()")
}

fn static_reason(class: &str, function: &Function) -> String {
    // SAFETY: I4: as above.
    let name = unsafe { (*function.name).to_text() };
    format!("non-static method {class}::{name}() cannot be called statically")
}

/// The object that takes the call of a method if the target of a callable delegates it.
fn delegated(target: Value, method: &Value) -> Value {
    let (Some(object), Some(name)) = (target.object(), method.string()) else {
        return target;
    };
    let object = object.as_ptr();
    let receiver = with_lowercase(name.as_bytes(), |name| {
        receiver(object, &MethodName::lowercase(name))
    });
    // SAFETY: I3: whoever takes the call is live.
    unsafe { ObjectHandle::share_raw(receiver) }.into()
}
