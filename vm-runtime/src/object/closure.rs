//! The native part of Closure objects.

use std::any::Any;
use std::mem::ManuallyDrop;

use crate::class::Class;
use crate::frame::call_info;
use crate::function::{Function, SharedFunction, class_flags, flags};
use crate::interpreter::callback::Callee;
use crate::interpreter::calls::class_value;
use crate::object::{NativeData, PhpObject};
use crate::op_array::StaticVariable;
use crate::value::{ObjectHandle, Payload, Zval, release};
use crate::vm::Vm;

/// What a closure gives to the frames that run it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ClosureHead {
    /// Its function, which is a part of the closure's data and knows the object.
    pub function: *mut Function,
    /// The payload of `this`: an object, a class, or null.
    pub this: i64,
    /// The type of `this` and the flags of the frame.
    pub info: i64,
}

impl ClosureHead {
    fn of(function: *mut Function, this: Option<&ObjectHandle>, called_class: *mut Class) -> Self {
        let (this, flags) = match this {
            Some(this) => (Zval::from_object(this.as_ptr()), call_info::RELEASE_THIS),
            None => (class_value(called_class), 0),
        };
        let flags = flags | call_info::DYNAMIC | call_info::CLOSURE;
        ClosureHead {
            function,
            this: this.long(),
            info: i64::from(this.type_info & call_info::THIS_TYPE | flags),
        }
    }

    /// What a frame has as `this`, without a share, and its flags.
    pub fn receiver(&self) -> (Zval, u32) {
        let (info, long) = (self.info as u32, self.this);
        let this = Zval {
            payload: Payload { long },
            type_info: info & call_info::THIS_TYPE,
            ..Zval::UNDEF
        };
        (this, info & !call_info::THIS_TYPE)
    }
}

/// What a Closure object holds.
pub struct ClosureData {
    /// What its frames get.
    pub head: ClosureHead,
    /// Its own copy of the function: scope and static variables are the closure's. The rest belongs
    /// to the function that it was copied from, which lives until the VM ends, or as long as its `owner`.
    pub function: ManuallyDrop<Function>,
    /// The static variables, used variables among them, that the function points to.
    pub variables: Vec<StaticVariableSlot>,
    /// `$this`, which is let go of behind the variables.
    pub this: Option<ObjectHandle>,
    /// The class `static` means, or null.
    pub called_class: *mut Class,
    /// Keeps the name of a stand-in for `__call` alive.
    pub name: Option<crate::value::StringHandle>,
    /// True if the function's runtime cache belongs to the closure. It is shared by all closures of
    /// the same code in the same scope otherwise.
    owns_cache: bool,
    /// Keeps what the function is a copy of; None if nothing has to. It goes last: destructors of what the closure
    /// holds may run while the function is being left, whose code must be there as long.
    owner: Option<SharedFunction>,
}

impl NativeData for ClosureData {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(self.rebound(self.this.clone(), self.function.scope, self.called_class))
    }

    fn attached(&mut self, _vm: &mut Vm, closure: *mut PhpObject) {
        // Frames find the closure through its function.
        self.function.closure = closure;
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
            visitor(&value.0);
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
    /// A closure of `function`, with its own copies of the static variables. Its runtime cache is the
    /// function's if `shares_cache`: if that lives as long as the `owner`.
    pub fn new(
        function: &Function,
        owner: Option<SharedFunction>,
        this: Option<ObjectHandle>,
        called_class: *mut Class,
        shares_cache: bool,
    ) -> Box<ClosureData> {
        let mut data = ClosureData::copy_of(function, owner, this, called_class);
        // A closure made of a function shares the function's static variables, too.
        if function.code.is_some() && function.flags & flags::CLOSURE != 0 {
            data.variables = static_values(function);
            data.function.static_variables = data.variables.as_mut_ptr().cast();
            if !shares_cache {
                data.take_own_cache();
            }
        }
        data
    }

    /// A closure of `function` that shares its static variables and its runtime cache.
    fn copy_of(
        function: &Function,
        owner: Option<SharedFunction>,
        this: Option<ObjectHandle>,
        called_class: *mut Class,
    ) -> Box<ClosureData> {
        let mut data = Box::<ClosureData>::new_uninit();
        // The function is large: it is copied once, to where it stays.
        // SAFETY: all fields are written. I4: what the copy of the function refers to lives as long as
        // its owner, and the copy is never dropped.
        let mut data = unsafe {
            let place = data.as_mut_ptr();
            let copy = (&raw mut (*place).function).cast::<Function>();
            std::ptr::copy_nonoverlapping(function, copy, 1);
            let head = ClosureHead::of(copy, this.as_ref(), called_class);
            (&raw mut (*place).head).write(head);
            (&raw mut (*place).owner).write(owner);
            (&raw mut (*place).this).write(this);
            (&raw mut (*place).called_class).write(called_class);
            (&raw mut (*place).variables).write(Vec::new());
            (&raw mut (*place).name).write(None);
            (&raw mut (*place).owns_cache).write(false);
            data.assume_init()
        };
        let copy = &mut data.function;
        copy.closure = std::ptr::null_mut();
        copy.flags |= flags::CLOSURE;
        if copy.flags & flags::CALL_VIA_TRAMPOLINE != 0 {
            // SAFETY: I3: a stand-in holds its name.
            data.name = Some(unsafe { crate::value::StringHandle::share_raw(copy.name) });
        }
        data
    }

    /// The same function bound to another object and scope.
    pub fn rebound(
        &self,
        this: Option<ObjectHandle>,
        scope: *mut Class,
        called_class: *mut Class,
    ) -> Box<ClosureData> {
        // What a runtime cache knows holds for one scope.
        let shares_cache = !self.owns_cache && scope == self.function.scope;
        let owner = self.owner.clone();
        let mut bound = ClosureData::new(&self.function, owner, this, called_class, shares_cache);
        bound.enter_scope(scope);
        bound
    }

    /// The same function bound to an object and its class for one call, during which this closure is held: it
    /// has the closure's own static variables. A generator goes on behind the call, so that it has copies.
    pub(crate) fn bound_for_call(&self, this: ObjectHandle) -> Box<ClosureData> {
        let class = this.class;
        if self.function.flags & flags::GENERATOR != 0 {
            return self.rebound(Some(this), class, class);
        }
        let owner = self.owner.clone();
        let mut bound = ClosureData::copy_of(&self.function, owner, Some(this), class);
        if class != self.function.scope && self.function.code.is_some() {
            bound.take_own_cache();
        }
        bound.enter_scope(class);
        bound
    }

    /// Has the function run with a runtime cache of its own.
    fn take_own_cache(&mut self) {
        self.function.run_time_cache = std::ptr::null_mut();
        self.function.make_run_time_cache();
        self.owns_cache = true;
    }

    /// Has the function, which has a runtime cache for this scope, run in it.
    fn enter_scope(&mut self, scope: *mut Class) {
        if scope != self.function.scope
            && let Some(code) = &self.function.code
        {
            // What a tier made of the oplines holds for one scope, too.
            self.function.ops = code.ops();
        }
        self.function.scope = scope;
    }
}

/// A static variable of a closure. Handlers write all of it: its `extra` says whether its initialiser
/// ran.
#[repr(transparent)]
pub struct StaticVariableSlot(Zval);

impl StaticVariableSlot {
    /// Takes over the share that `value` holds.
    ///
    /// # Safety
    /// The caller gives up the share (invariant I3).
    pub(crate) unsafe fn from_zval(value: Zval) -> StaticVariableSlot {
        StaticVariableSlot(value)
    }
}

impl std::ops::Deref for StaticVariableSlot {
    type Target = Zval;

    fn deref(&self) -> &Zval {
        &self.0
    }
}

impl Drop for StaticVariableSlot {
    fn drop(&mut self) {
        // SAFETY: I3: the slot owns its share and is gone after this.
        unsafe { release(&self.0) }
    }
}

/// A closure's own static variables, as those of the function it is made of are now.
fn static_values(function: &Function) -> Vec<StaticVariableSlot> {
    let Some(code) = &function.code else {
        return Vec::new();
    };
    let variables = &code.draft.static_variables;
    if variables.is_empty() {
        return Vec::new();
    }
    if function.static_variables.is_null() {
        // SAFETY: I3: initial values are immutable literals.
        let initial =
            |variable: &StaticVariable| unsafe { StaticVariableSlot::from_zval(variable.initial) };
        return variables.iter().map(initial).collect();
    }
    // SAFETY: I4: a function's static variables live as long as it does.
    let now = |index| unsafe { (*function.static_variables.add(index)).share_closed() };
    (0..variables.len())
        // SAFETY: I3: the shares are new.
        .map(|index| unsafe { StaticVariableSlot::from_zval(now(index)) })
        .collect()
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
    // SAFETY: I3: the closure that a function belongs to is live.
    let closure = unsafe { function.closure.as_ref() };
    let owner = closure
        .and_then(data_of)
        .and_then(|data| data.owner.clone());
    let mut data = ClosureData::new(function, owner, this, called_class, false);
    if function.flags & flags::CALL_VIA_TRAMPOLINE != 0 {
        // The trampoline goes away; the closure calls the magic method itself.
        let copy = &mut data.function;
        copy.is_user = false;
        copy.native = Some(crate::class::callable::call_magic_closure);
        // The trampoline keeps its own.
        let parameters = crate::interpreter::state::any_arguments();
        std::mem::forget(std::mem::replace(&mut copy.parameters, parameters));
        copy.accepted = u64::MAX;
        copy.flags =
            copy.flags & !flags::CALL_VIA_TRAMPOLINE | flags::VARIADIC | flags::COLLECTS_NAMED;
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
pub fn wrap(vm: &mut Vm, data: Box<ClosureData>) -> ObjectHandle {
    let class = vm.known_class(crate::exceptions::KnownClass::Closure);
    let object = PhpObject::allocate(vm, class);
    let mut data = data;
    data.function.closure = object.as_ptr();
    // SAFETY: the object is new: nobody else holds it.
    unsafe { (*object.as_ptr()).native = Some(data) };
    object
}

/// What a Closure object holds; None for other objects.
#[inline]
#[allow(clippy::mut_from_ref, reason = "as for `PhpObject::native`")]
pub fn data_of(object: &PhpObject) -> Option<&mut ClosureData> {
    // SAFETY: I4: the class lives. Closure is final, and `wrap` gives every object of it this native
    // part; as for `PhpObject::native`, nobody holds the borrow across user code.
    unsafe {
        if (*object.class).flags & class_flags::CLOSURE == 0 {
            return None;
        }
        let native = (*(&raw const *object).cast_mut()).native.as_mut()?;
        Some(&mut *(&raw mut **native).cast::<ClosureData>())
    }
}

/// What calling a Closure object gives to the frame; None for other objects, and for one that stands for `__call`.
pub fn head_of(object: &PhpObject) -> Option<&mut ClosureHead> {
    let data = data_of(object)?;
    let is_own = data.function.flags & flags::CALL_VIA_TRAMPOLINE == 0;
    is_own.then_some(&mut data.head)
}

/// The function of a Closure object.
pub fn function_of(object: &PhpObject) -> Option<*const Function> {
    data_of(object).map(|data| &raw const *data.function)
}

/// A share of the function that this one of a Closure object is a copy of, as are those of the other closures that the same place
/// in a script makes. None if it is another function.
///
/// # Safety
/// The function is live (I4), and so is the closure that it belongs to.
pub unsafe fn prototype_of(function: *const Function) -> Option<SharedFunction> {
    // SAFETY: by the caller.
    let closure = unsafe { (*function).closure.as_ref() }?;
    data_of(closure)?.owner.clone()
}

/// What calling a Closure object calls. The callee holds the closure.
pub fn callee(object: &PhpObject) -> Option<Callee> {
    let data = data_of(object)?;
    // SAFETY: I3: the object is live.
    let closure = unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) };
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
