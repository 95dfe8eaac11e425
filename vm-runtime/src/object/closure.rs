//! The native part of Closure objects.

use std::any::Any;

use crate::class::Class;
use crate::function::{Function, flags};
use crate::interpreter::callback::Callee;
use crate::object::{NativeData, PhpObject};
use crate::value::{ObjectHandle, Value, Zval};
use crate::vm::Vm;

/// What a Closure object holds.
pub struct ClosureData {
    /// Its own copy of the function: scope, static variables and cache are the closure's.
    pub function: Box<Function>,
    /// `$this`
    pub this: Option<ObjectHandle>,
    /// The class `static` means, or null.
    pub called_class: *mut Class,
    /// The static variables, used variables among them, that the function points to.
    pub variables: Vec<Value>,
    /// Keeps the name of a stand-in for `__call` alive.
    pub name: Option<crate::value::StringHandle>,
    /// True if the function's runtime cache belongs to the closure.
    pub owns_cache: bool,
}

impl NativeData for ClosureData {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.rebound(
            self.this.clone(),
            self.function.scope,
            self.called_class,
        )))
    }

    fn attached(&mut self, _vm: &mut Vm, closure: *mut PhpObject) {
        // Frames find the closure through its function.
        self.function.native_data = closure as usize;
    }

    fn compare(&self, _vm: &mut Vm, _this: &PhpObject, other: &PhpObject) -> Option<i32> {
        let other = other.native::<ClosureData>()?;
        let (one, two) = (&self.function, &other.function);
        // Closures made of functions are equal if they call the same.
        let is_fake = one.flags & two.flags & flags::FAKE_CLOSURE != 0;
        let same_this = match (&self.this, &other.this) {
            (None, None) => true,
            (Some(one), Some(two)) => one.same(two),
            _ => false,
        };
        // SAFETY: I4: names of functions live as long as they do.
        let same_name = unsafe { (*one.name).as_bytes() == (*two.name).as_bytes() };
        let same = is_fake
            && same_this
            && self.called_class == other.called_class
            && one.is_user == two.is_user
            && one.scope == two.scope
            && same_name;
        Some(if same { 0 } else { 1 })
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for value in &self.variables {
            visitor(value.as_zval());
        }
        if let Some(this) = &self.this {
            visitor(&Zval::from_object(this.as_ptr()));
        }
    }
}

impl Drop for ClosureData {
    fn drop(&mut self) {
        if self.owns_cache && self.function.is_user {
            self.function.free_run_time_cache();
        }
    }
}

impl ClosureData {
    /// A closure of `function`, with its own copies of the static variables.
    pub fn new(
        function: &Function,
        this: Option<ObjectHandle>,
        called_class: *mut Class,
    ) -> ClosureData {
        let mut copy = Box::new(function.copy());
        let mut variables = Vec::new();
        let mut owns_cache = false;
        if copy.code.is_some() && function.flags & flags::CLOSURE == 0 {
            // A closure made of a function shares the function's static variables and cache.
            copy.run_time_cache = function.run_time_cache;
            copy.static_variables = function.static_variables;
        } else if let Some(code) = &copy.code {
            let count = code.draft.static_variables.len();
            if function.static_variables.is_null() {
                for variable in &code.draft.static_variables {
                    // SAFETY: I3: initial values are immutable literals.
                    variables.push(unsafe { Value::from_zval(variable.initial) });
                }
            } else {
                for index in 0..count {
                    // SAFETY: I4: a function's static variables live as long as it does.
                    variables.push(unsafe {
                        Value::from_zval((*function.static_variables.add(index)).share_closed())
                    });
                }
            }
            copy.run_time_cache = std::ptr::null_mut();
            copy.static_variables = variables.as_mut_ptr().cast();
            copy.make_run_time_cache();
            owns_cache = true;
        }
        copy.flags |= flags::CLOSURE;
        let name = (copy.flags & flags::CALL_VIA_TRAMPOLINE != 0).then(|| {
            // SAFETY: I3: a stand-in holds its name.
            unsafe { crate::value::StringHandle::share_raw(copy.name) }
        });
        ClosureData {
            function: copy,
            this,
            called_class,
            variables,
            name,
            owns_cache,
        }
    }

    /// The same function bound to another object and scope.
    pub fn rebound(
        &self,
        this: Option<ObjectHandle>,
        scope: *mut Class,
        called_class: *mut Class,
    ) -> ClosureData {
        let mut bound = ClosureData::new(&self.function, this, called_class);
        bound.function.scope = scope;
        bound
    }
}

impl Zval {
    /// A share for a closure's own static variable: references that only the original holds are
    /// resolved.
    fn share_closed(&self) -> Zval {
        // SAFETY: I3: a reference payload is live.
        if self.is_reference() && unsafe { (*self.counted()).refcount } == 1 {
            return self.share_deref();
        }
        self.share()
    }
}

/// A Closure object of a function.
pub fn from_function(
    vm: &mut Vm,
    function: *const Function,
    this: Option<ObjectHandle>,
    called_class: *mut Class,
) -> ObjectHandle {
    // SAFETY: I4: the function is live.
    let function = unsafe {
        (*function.cast_mut()).make_run_time_cache();
        &*function
    };
    let mut data = ClosureData::new(function, this, called_class);
    if function.flags & flags::CALL_VIA_TRAMPOLINE != 0 {
        // The trampoline goes away; the closure calls the magic method itself.
        let copy = &mut data.function;
        copy.is_user = false;
        copy.native = Some(crate::class::callable::call_magic_closure);
        copy.parameters = crate::interpreter::state::any_arguments();
        copy.flags = copy.flags & !flags::CALL_VIA_TRAMPOLINE | flags::VARIADIC;
        copy.run_time_cache = std::ptr::null_mut();
        copy.prototype = function.native_data as *const Function;
        // SAFETY: I3: the trampoline's name is live.
        copy.name = vm.names.string(unsafe { (*function.name).as_bytes() });
    }
    if function.flags & flags::CLOSURE == 0 || function.flags & flags::FAKE_CLOSURE != 0 {
        data.function.flags |= flags::FAKE_CLOSURE;
    }
    wrap(vm, data)
}

/// A Closure object with this native part.
pub fn wrap(vm: &mut Vm, data: ClosureData) -> ObjectHandle {
    let class = vm.known_class(crate::exceptions::KnownClass::Closure);
    let object = PhpObject::allocate(vm, class);
    let mut data = data;
    data.function.closure = object.as_ptr();
    // SAFETY: the object is new: nobody else holds it.
    unsafe { (*object.as_ptr()).native = Some(Box::new(data)) };
    object
}

/// The function of a Closure object.
pub fn function_of(object: &PhpObject) -> Option<*const Function> {
    object
        .native::<ClosureData>()
        .map(|data| &raw const *data.function)
}

/// What calling a Closure object calls. The callee holds the closure.
pub fn callee(object: &PhpObject) -> Option<Callee> {
    let data = object.native::<ClosureData>()?;
    // SAFETY: I3: the object is live.
    let closure = unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) };
    // A cloned native part does not know its object yet.
    data.function.closure = closure.as_ptr();
    Some(Callee {
        function: &*data.function,
        this: data.this.clone(),
        called_class: data.called_class,
        closure: Some(closure),
    })
}

/// Gives back the share of a closure that a frame executing `function` holds.
///
/// # Safety
/// `function` belongs to a Closure object, and the frame was flagged CLOSURE.
pub unsafe fn release_function_owner(function: *const Function) {
    // SAFETY: by the caller; `wrap` stored the object's address.
    unsafe { drop(ObjectHandle::from_raw((*function).closure)) };
}
