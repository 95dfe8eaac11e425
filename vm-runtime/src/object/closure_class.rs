//! The class Closure: `fromCallable`, `bind`, `bindTo`, `call`.

use crate::class::{Class, NativeClass, NativeHandlers, method};
use crate::exceptions::KnownClass;
use crate::function::{Call, class_flags, flags};
use crate::message::Message;
use crate::object::PhpObject;
use crate::object::closure::{self, ClosureData};
use crate::value::{ArrayHandle, ObjectHandle, StringHandle, Value, ValueKind};
use crate::vm::{PhpResult, Vm};

pub(crate) static CLASS: NativeClass = NativeClass::new("final class Closure")
    .flags(
        class_flags::NOT_INSTANTIABLE
            | class_flags::NOT_SERIALIZABLE
            | class_flags::NO_DYNAMIC_PROPERTIES
            | class_flags::CLOSURE,
    )
    .handlers(&NativeHandlers { debug_info: Some(debug_info), ..NativeHandlers::STANDARD })
    .methods(&[
        method("private function __construct()", |_| Ok(Value::NULL)),
        method(
            "public static function bind(Closure $closure, ?object $newThis, object|string|null $newScope = \"static\"): ?Closure",
            |call| {
                let closure = call.object(0);
                bind(call, &closure, 1)
            },
        ),
        method(
            "public function bindTo(?object $newThis, object|string|null $newScope = \"static\"): ?Closure",
            |call| {
                let closure = this(call);
                bind(call, &closure, 0)
            },
        ),
        method("public function call(object $newThis, mixed ...?$args): mixed", call_bound),
        method("#[Unchecked(1)] public static function fromCallable(callable $callback): Closure", from_callable),
        method("public function __invoke(mixed ...?$args): mixed", |call| {
            let closure = this(call);
            let arguments: Vec<Value> = (0..call.count()).map(|index| call.value(index)).collect();
            let named = named_arguments(call);
            call.vm.call_named(&Value::from(closure), arguments, named)
        }),
    ]);

fn this(call: &Call<'_>) -> ObjectHandle {
    // SAFETY: I3: these methods are not static, so there is a live `$this`.
    unsafe { ObjectHandle::share_raw((*call.frame).this.object()) }
}

fn data(object: &PhpObject) -> &mut ClosureData {
    object
        .native::<ClosureData>()
        .expect("only the engine makes closures, with their data")
}

/// `bind()` and `bindTo()`: the new `$this` is argument `first`, the scope the one behind it.
fn bind(call: &mut Call<'_>, closure: &ObjectHandle, first: usize) -> PhpResult<Value> {
    let new_this = call.has(first).then(|| call.object(first));
    let bound = data(closure);
    let scope = match call.argument(first + 1).view() {
        ValueKind::Object(object) => object.class,
        ValueKind::String(name) if name.as_bytes().eq_ignore_ascii_case(b"static") => {
            bound.function.scope
        }
        ValueKind::String(name) => {
            let name = name.as_bytes().to_vec();
            match call.vm.class_by_name(&name, true)? {
                Some(class) => class,
                None => {
                    let name = crate::message::text(&name).into_owned();
                    call.vm.warning(format!("Class \"{name}\" not found"));
                    return Ok(Value::NULL);
                }
            }
        }
        _ if call.argument(first + 1).is_undef() => bound.function.scope,
        _ => std::ptr::null_mut(),
    };
    if !may_bind(call.vm, bound, new_this.as_ref(), scope) {
        call.vm.check()?;
        return Ok(Value::NULL);
    }
    let called = match &new_this {
        Some(object) => object.class,
        None => scope,
    };
    Ok(rebind(call.vm, bound, new_this, scope, called).into())
}

fn rebind(
    vm: &mut Vm,
    bound: &ClosureData,
    new_this: Option<ObjectHandle>,
    scope: *mut Class,
    called: *mut Class,
) -> ObjectHandle {
    // Neither an object nor a scope means anything to a native function that no class has.
    if bound.function.code.is_none() && bound.function.scope.is_null() {
        let nothing = std::ptr::null_mut();
        return closure::wrap(vm, bound.rebound(None, nothing, nothing));
    }
    // A closure with an object but no scope gets the scope of Closure itself, which opens nothing.
    let scope = match scope.is_null() && new_this.is_some() {
        true => vm.known_class(KnownClass::Closure),
        false => scope,
    };
    closure::wrap(vm, bound.rebound(new_this, scope, called))
}

/// The rules of binding, with their warnings.
fn may_bind(
    vm: &mut Vm,
    bound: &ClosureData,
    new_this: Option<&ObjectHandle>,
    scope: *mut Class,
) -> bool {
    let function = &*bound.function;
    let is_fake = function.flags & flags::FAKE_CLOSURE != 0;
    match new_this {
        Some(object) => {
            if function.is_static() {
                vm.warning("Cannot bind an instance to a static closure");
                return false;
            }
            if is_fake
                && !function.scope.is_null()
                // SAFETY: I4: classes live until the VM ends.
                && unsafe { !(*object.class).is_subclass_of(function.scope) }
            {
                // SAFETY: I4: as above.
                let class = unsafe { (*function.scope).display_name() };
                let name = method_name(function);
                let given = object.class().display_name();
                vm.warning(format!(
                    "Cannot bind method {class}::{name}() to object of class {given}"
                ));
                return false;
            }
        }
        None if is_fake && !function.scope.is_null() && !function.is_static() => {
            vm.warning("Cannot unbind $this of method");
            return false;
        }
        None if !is_fake && bound.this.is_some() && function.flags & flags::USES_THIS != 0 => {
            vm.warning("Cannot unbind $this of closure using $this");
            return false;
        }
        None => {}
    }
    if !scope.is_null() && scope != function.scope {
        // SAFETY: I4: as above.
        unsafe {
            if (*scope).flags & class_flags::INTERNAL != 0 {
                let class = (*scope).display_name();
                vm.warning(format!(
                    "Cannot bind closure to scope of internal class {class}"
                ));
                return false;
            }
        }
    }
    if is_fake && scope != function.scope {
        let kind = if function.scope.is_null() {
            "function"
        } else {
            "method"
        };
        vm.warning(format!(
            "Cannot rebind scope of closure created from {kind}"
        ));
        return false;
    }
    true
}

fn method_name(function: &crate::function::Function) -> String {
    // SAFETY: I4: a function's name lives as long as it does.
    unsafe { (*function.name).to_text().into_owned() }
}

/// `call()`: binds for one call, to the object and its class.
fn call_bound(call: &mut Call<'_>) -> PhpResult<Value> {
    let closure = this(call);
    let new_this = call.object(0);
    let bound = data(&closure);
    let class = new_this.class;
    if !may_bind(call.vm, bound, Some(&new_this), class) {
        call.vm.check()?;
        return Ok(Value::NULL);
    }
    let arguments: Vec<Value> = (1..call.count()).map(|index| call.value(index)).collect();
    let named = named_arguments(call);
    let temporary = closure::wrap(call.vm, bound.bound_for_call(new_this));
    match closure::callee(&temporary) {
        // SAFETY: I4: the callee holds the closure, and so what it calls.
        Some(callee) => unsafe { call.vm.call_callee(callee, arguments, named) },
        None => Ok(Value::NULL),
    }
}

/// Arguments given by names that no parameter has.
fn named_arguments(call: &Call<'_>) -> Option<ArrayHandle> {
    // SAFETY: I4: the frame is live until the call returns, and so is its table.
    unsafe {
        let table = (*call.frame).extra_named;
        let given = (*call.frame).call_info() & crate::frame::call_info::HAS_EXTRA_NAMED != 0;
        (given && !table.is_null()).then(|| ArrayHandle::share_raw(table))
    }
}

fn from_callable(call: &mut Call<'_>) -> PhpResult<Value> {
    let callable = call.value(0);
    if let Some(object) = callable.object()
        && object.native::<ClosureData>().is_some()
    {
        return Ok(callable);
    }
    match call.vm.check_callable(&callable) {
        Ok(callee) => {
            let this = callee.this.clone();
            let closure =
                closure::from_function(call.vm, callee.function, this, callee.called_class);
            Ok(closure.into())
        }
        Err(reason) => {
            call.vm.check()?;
            Err(call.vm.throw_error(
                KnownClass::TypeError,
                format!("Failed to create closure from callable: {reason}"),
            ))
        }
    }
}

/// What `var_dump()` shows of a closure: name and place, used variables, `$this`, parameters.
fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, and the table keeps shares of what it shows.
    let bound = unsafe { data(&*object) };
    let function = &*bound.function;
    let mut table = vm.new_array();
    let put = |vm: &mut Vm, table: &mut ArrayHandle, key: &str, value: Value| {
        // SAFETY: names of the VM are interned and live as long as it.
        let key = unsafe { &*vm.names.string(key.as_bytes()) };
        table.make_mut(vm).set_string(key, value);
    };
    if function.flags & flags::FAKE_CLOSURE != 0 {
        let name = vm.string(function.display_name().message());
        put(vm, &mut table, "function", name.into());
    } else if let Some(code) = &function.code {
        // SAFETY: I4: names of functions and files live as long as the code.
        let (name, file) = unsafe {
            (
                StringHandle::share_raw(function.name),
                StringHandle::share_raw(code.draft.filename),
            )
        };
        put(vm, &mut table, "name", name.into());
        put(vm, &mut table, "file", file.into());
        put(
            vm,
            &mut table,
            "line",
            Value::from(code.draft.line_start as i64),
        );
    }
    if let Some(code) = &function.code
        && !code.draft.static_variables.is_empty()
        && !function.static_variables.is_null()
    {
        let mut variables = vm.new_array();
        for (index, variable) in code.draft.static_variables.iter().enumerate() {
            // SAFETY: I4: a function's static variables live as long as it does.
            let value = unsafe { &*function.static_variables.add(index) };
            if value.is_undef() && function.flags & flags::ARROW != 0 {
                // There was no such variable when the arrow function was made.
                continue;
            }
            let shown = match value.kind() {
                crate::value::CONSTANT_EXPRESSION => vm.string("<constant ast>").into(),
                crate::value::UNDEF => Value::NULL,
                _ => crate::operators::convert::share_element(value),
            };
            // SAFETY: I4: names of variables live as long as the code.
            let name = unsafe { &*variable.name };
            variables.make_mut(vm).set_string(name, shown);
        }
        if !variables.is_empty() {
            put(vm, &mut table, "static", variables.into());
        }
    }
    if let Some(this) = &bound.this {
        put(vm, &mut table, "this", this.clone().into());
    }
    if !function.parameters.is_empty() {
        let mut parameters = vm.new_array();
        for (index, parameter) in function.parameters.iter().enumerate() {
            // SAFETY: I4: parameter names live as long as the function.
            let name = unsafe { (*parameter.name).as_bytes() };
            let by_reference = parameter.pass_by != crate::function::PassBy::Value;
            let key = [if by_reference { &b"&$"[..] } else { b"$" }, name].concat();
            let is_required = (index as u32) < function.required_count;
            let kind = vm.string(if is_required {
                "<required>"
            } else {
                "<optional>"
            });
            parameters.make_mut(vm).set_bytes(&key, kind.into());
        }
        put(vm, &mut table, "parameter", parameters.into());
    }
    Ok(table)
}
