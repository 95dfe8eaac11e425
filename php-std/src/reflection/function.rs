//! ReflectionFunctionAbstract and ReflectionFunction.

use vm_runtime::class::lookup::with_lowercase;
use vm_runtime::class::{NativeClass, declare, direct_method, method};
use vm_runtime::exceptions::set_slot;
use vm_runtime::function::{Call, Function, flags};
use vm_runtime::generated::Opcode;
use vm_runtime::interpreter::callback::Callee;
use vm_runtime::message::Message;
use vm_runtime::object::PhpObject;
use vm_runtime::object::closure::{self, ClosureData};
use vm_runtime::op_array::{BIND_EXPLICIT, BIND_IMPLICIT, Draft, STATIC_VARIABLE_STRIDE};
use vm_runtime::operators::convert::share_element;
use vm_runtime::string::PhpString;
use vm_runtime::value::{ArrayHandle, CONSTANT_EXPRESSION, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::subject::{
    FLAGS, FunctionSubject, HANDLERS, Subject, create, fail, function_of, function_subject, getter,
    make, make_class, make_type, name_bytes, name_value, set_subject, string_or_false, subject,
    this,
};
use crate::core::functions::{named_arguments, rest, split_arguments};
use crate::support::{Append, direct, new_list};

/// The name, as `getName()` gives it.
fn shown_name(vm: &mut Vm, about: &FunctionSubject) -> Value {
    match about.is_invoke() {
        true => vm.string(name_of(about)).into(),
        false => name_value(about.get().name),
    }
}

/// The return type, unless it is a tentative one.
fn return_type(vm: &mut Vm, about: &FunctionSubject) -> PhpResult<Value> {
    let declared = about.get().return_type.as_ref();
    make_type(vm, declared.filter(|_| !is_tentative(about)))
}

direct! {
    fn name_directly(vm, this;) {
        function_of(subject(this)).map(|about| shown_name(vm, about))
    }

    fn return_type_directly(vm, this;) {
        return_type(vm, function_of(subject(this))?).ok()
    }

    /// Of a function that is there by its name.
    fn construct_directly(vm, this; name: &PhpString) {
        let function = vm.function_named(name)?;
        fill(this, FunctionSubject {
            function,
            closure: None,
            class: std::ptr::null_mut(),
        });
        Some(())
    }

    fn parameters_directly(vm, this;) {
        match subject(this) {
            Subject::Function(about) => parameters(vm, about).ok(),
            _ => None,
        }
    }
}

/// Its parameters.
fn parameters(vm: &mut Vm, about: &FunctionSubject) -> PhpResult<Value> {
    let count = about.get().parameters.len();
    let mut list = new_list(vm, count);
    for index in 0..count {
        let parameter = super::parameter::make_parameter(vm, about.clone(), index)?;
        list.make_mut(vm).append(parameter);
    }
    Ok(list.into())
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("abstract class ReflectionFunctionAbstract implements Reflector")
        .create_native(create)
        .handlers(&HANDLERS)
        .flags(FLAGS)
        .properties(&["public string $name"])
        .methods(&[
            method("private function __clone(): void", |_| Ok(Value::NULL)),
            method("tentative public function inNamespace(): bool", |call| {
                Ok((!namespace(name_of(&function_subject(call)?)).is_empty()).into())
            }),
            getter!("tentative public function isClosure(): bool", function_of, |about| about.get().flags & flags::CLOSURE != 0),
            getter!("tentative public function isDeprecated(): bool", function_of, |about| about.get().flags & flags::DEPRECATED != 0),
            getter!("tentative public function isInternal(): bool", function_of, |about| !about.get().is_user),
            getter!("tentative public function isUserDefined(): bool", function_of, |about| about.get().is_user),
            getter!("tentative public function isGenerator(): bool", function_of, |about| about.get().flags & flags::GENERATOR != 0),
            getter!("tentative public function isVariadic(): bool", function_of, |about| about.get().flags & flags::VARIADIC != 0),
            getter!("tentative public function isStatic(): bool", function_of, |about| about.get().flags & flags::STATIC != 0),
            method("tentative public function getClosureThis(): ?object", |call| {
                let about = function_subject(call)?;
                let this = closure_data(&about).and_then(|data| data.this.clone());
                Ok(this.map_or(Value::NULL, Value::from))
            }),
            method("tentative public function getClosureScopeClass(): ?ReflectionClass", |call| {
                let about = function_subject(call)?;
                match closure_data(&about).map(|data| data.function.scope) {
                    Some(scope) if !scope.is_null() => make_class(call.vm, scope),
                    _ => Ok(Value::NULL),
                }
            }),
            method("tentative public function getClosureCalledClass(): ?ReflectionClass", |call| {
                let about = function_subject(call)?;
                let called = closure_data(&about).map(|data| match &data.this {
                    Some(this) => this.class,
                    None if data.called_class.is_null() => data.function.scope,
                    None => data.called_class,
                });
                match called {
                    Some(called) if !called.is_null() => make_class(call.vm, called),
                    _ => Ok(Value::NULL),
                }
            }),
            method("public function getClosureUsedVariables(): array", used_variables),
            method("tentative public function getDocComment(): string|false", |call| {
                let about = function_subject(call)?;
                Ok(draft(about.get()).map_or(false.into(), |draft| string_or_false(draft.doc_comment)))
            }),
            method("tentative public function getEndLine(): int|false", |call| {
                let about = function_subject(call)?;
                Ok(draft(about.get()).map_or(false.into(), |draft| (draft.line_end as i64).into()))
            }),
            method("tentative public function getExtension(): ?ReflectionExtension", |call| {
                let about = function_subject(call)?;
                match super::extension::of_function(call.vm, about.get()) {
                    Some(name) => super::extension::make_extension(call.vm, name),
                    None => Ok(Value::NULL),
                }
            }),
            method("tentative public function getExtensionName(): string|false", |call| {
                let about = function_subject(call)?;
                Ok(match super::extension::of_function(call.vm, about.get()) {
                    Some(name) => call.vm.string(name).into(),
                    None => false.into(),
                })
            }),
            method("tentative public function getFileName(): string|false", |call| {
                let about = function_subject(call)?;
                Ok(draft(about.get()).map_or(false.into(), |draft| name_value(draft.filename)))
            }),
            direct_method("tentative public function getName(): string", |call| {
                let about = function_subject(call)?;
                Ok(shown_name(call.vm, &about))
            }, name_directly),
            method("tentative public function getNamespaceName(): string", |call| {
                let about = function_subject(call)?;
                Ok(call.vm.string(namespace(name_of(&about))).into())
            }),
            getter!("tentative public function getNumberOfParameters(): int", function_of, |about| about.get().parameters.len()),
            getter!("tentative public function getNumberOfRequiredParameters(): int", function_of, |about| i64::from(about.get().required_count)),
            direct_method("tentative public function getParameters(): array", |call| {
                let about = function_subject(call)?;
                parameters(call.vm, &about)
            }, parameters_directly),
            method("tentative public function getShortName(): string", |call| {
                let about = function_subject(call)?;
                Ok(call.vm.string(short_name(name_of(&about))).into())
            }),
            method("tentative public function getStartLine(): int|false", |call| {
                let about = function_subject(call)?;
                Ok(draft(about.get()).map_or(false.into(), |draft| (draft.line_start as i64).into()))
            }),
            method("tentative public function getStaticVariables(): array", |call| {
                let about = function_subject(call)?;
                variables(call.vm, &about)
            }),
            getter!("tentative public function returnsReference(): bool", function_of, |about| about.get().flags & flags::RETURN_REFERENCE != 0),
            getter!("tentative public function hasReturnType(): bool", function_of, |about| about.get().return_type.is_some() && !is_tentative(about)),
            direct_method("tentative public function getReturnType(): ?ReflectionType", |call| {
                let about = function_subject(call)?;
                return_type(call.vm, &about)
            }, return_type_directly),
            method("public function hasTentativeReturnType(): bool", |call| {
                let about = function_subject(call)?;
                Ok((about.get().return_type.is_some() && is_tentative(&about)).into())
            }),
            method("public function getTentativeReturnType(): ?ReflectionType", |call| {
                let about = function_subject(call)?;
                let declared = about.get().return_type.as_ref().filter(|_| is_tentative(&about));
                make_type(call.vm, declared)
            }),
            method("public function getAttributes(?string $name = null, int $flags = 0): array", |call| {
                let about = function_subject(call)?;
                super::attribute::of_function(call, about.get())
            }),
            declare("abstract public function __toString(): string"),
]),
    &NativeClass::new("class ReflectionFunction extends ReflectionFunctionAbstract")
        .constants(&["int IS_DEPRECATED = 2048"])
        .methods(&[
            direct_method("public function __construct(Closure|string $function)", construct, construct_directly),
            method("public function __toString(): string", |call| {
                let about = function_subject(call)?;
                let text = super::text::function_text(call.vm, &about, "")?;
                Ok(call.vm.string(text.message()).into())
            }),
            method("public function isAnonymous(): bool", |call| {
                let about = function_subject(call)?;
                Ok((about.get().flags & (flags::CLOSURE | flags::FAKE_CLOSURE) == flags::CLOSURE).into())
            }),
            method("#[Deprecated(\"8.0\", \"as ReflectionFunction can no longer be constructed for disabled functions\")] tentative public function isDisabled(): bool", |call| {
                function_subject(call)?;
                Ok(false.into())
            }),
            method("tentative public function invoke(mixed ...?$args): mixed", |call| {
                let about = function_subject(call)?;
                let (positional, named) = (rest(call, 0), named_arguments(call));
                invoke(call.vm, &about, positional, named)
            }),
            method("tentative public function invokeArgs(array $args): mixed", |call| {
                let about = function_subject(call)?;
                let (positional, named) = split_arguments(call.vm, &call.array(0))?;
                invoke(call.vm, &about, positional, named)
            }),
            method("tentative public function getClosure(): Closure", |call| {
                let about = function_subject(call)?;
                match about.closure {
                    Some(closure) => Ok(closure.into()),
                    None => Ok(closure::from_function(call.vm, about.function, None, std::ptr::null_mut()).into()),
                }
            }),
        ]),
];

fn is_tentative(about: &FunctionSubject) -> bool {
    about.get().flags & flags::TENTATIVE_RETURN_TYPE != 0
}

/// The name; a closure looked up as a method is its `__invoke`.
fn name_of(about: &FunctionSubject) -> &[u8] {
    if about.is_invoke() {
        return b"__invoke";
    }
    name_bytes(about.get().name)
}

/// The namespace of a qualified name, or nothing.
pub(super) fn namespace(name: &[u8]) -> &[u8] {
    if name.starts_with(b"{closure") {
        return b"";
    }
    &name[..memchr::memrchr(b'\\', name).unwrap_or(0)]
}

/// A qualified name without its namespace.
pub(super) fn short_name(name: &[u8]) -> &[u8] {
    match namespace(name).len() {
        0 => name,
        length => &name[length + 1..],
    }
}

/// What the compiler knew about a user function.
pub(super) fn draft(function: &Function) -> Option<&Draft> {
    function.code.as_ref().map(|code| &code.draft)
}

fn closure_data(about: &FunctionSubject) -> Option<&mut ClosureData> {
    about.closure.as_ref()?.native::<ClosureData>()
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, given) = (this(call), call.value(0));
    let about = match given.view() {
        ValueKind::Object(instance) => {
            let Some(function) = closure::function_of(instance) else {
                return Ok(Value::NULL);
            };
            let class = std::ptr::null_mut();
            FunctionSubject {
                function,
                closure: given.object(),
                class,
            }
        }
        _ => function_by_name(call.vm, call.string(0).as_bytes())?,
    };
    fill(&object, about);
    Ok(Value::NULL)
}

/// Makes a new object one about a function.
fn fill(object: &PhpObject, about: FunctionSubject) {
    set_slot(object, 0, name_value(about.get().name));
    set_subject(object, Subject::Function(about));
}

/// A function by its name in any case.
pub(super) fn function_by_name(vm: &mut Vm, name: &[u8]) -> PhpResult<FunctionSubject> {
    let plain = name.strip_prefix(b"\\").unwrap_or(name);
    match with_lowercase(plain, |plain| vm.find_function(plain)) {
        Some(function) => Ok(FunctionSubject {
            function,
            closure: None,
            class: std::ptr::null_mut(),
        }),
        None => {
            let shown = vm_runtime::message::whole_text(name);
            Err(fail(vm, &format!("Function {shown}() does not exist"), 0))
        }
    }
}

fn invoke(
    vm: &mut Vm,
    about: &FunctionSubject,
    positional: Vec<Value>,
    named: Option<ArrayHandle>,
) -> PhpResult<Value> {
    let callee = match about
        .closure
        .as_ref()
        .and_then(|closure| closure::callee(closure))
    {
        Some(callee) => callee,
        None => Callee {
            function: about.function,
            this: None,
            called_class: std::ptr::null_mut(),
            closure: None,
        },
    };
    // SAFETY: I4: the function is live, as long as the closure that the callee holds.
    let result = unsafe { vm.call_callee(callee, positional, named)? };
    Ok(Value::share(&result))
}

/// The static variables, evaluated if they were not yet.
fn variables(vm: &mut Vm, about: &FunctionSubject) -> PhpResult<Value> {
    let mut table = vm.new_array();
    let Some(code) = about.get().code.clone() else {
        return Ok(table.into());
    };
    // SAFETY: I4: the function is live; nobody else borrows it while its cache is made.
    let values = unsafe {
        let function = about.function.cast_mut();
        (*function).make_run_time_cache();
        (*function).static_variables
    };
    for (index, variable) in code.draft.static_variables.iter().enumerate() {
        if values.is_null() {
            continue;
        }
        // SAFETY: I4: a function's static variables live as long as it does; the place is read
        // again after user code ran.
        let value = unsafe {
            let place = values.add(index);
            if (*place).deref().kind() == CONSTANT_EXPRESSION {
                let expression = (*place).deref().expression();
                let value = vm.evaluate_constant(&*expression, about.get().scope)?;
                (*place).deref_mut().set(value.into_zval());
            }
            share_element(&*place)
        };
        // SAFETY: I4: names of variables live as long as the code.
        let name = unsafe { &*variable.name };
        let shown = match value.is_undef() {
            true => Value::NULL,
            false => value,
        };
        table.make_mut(vm).set_string(name, shown);
    }
    Ok(table.into())
}

/// What a closure took over by `use`, references kept.
fn used_variables(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = function_subject(call)?;
    let mut table = call.vm.new_array();
    let (Some(data), Some(code)) = (closure_data(&about), about.get().code.clone()) else {
        return Ok(table.into());
    };
    // PHP looks at the instructions behind the parameters, where a generator is made first.
    if about.get().flags & flags::GENERATOR != 0 {
        return Ok(table.into());
    }
    let variables = code.draft.static_variables.iter().zip(&data.variables);
    for (index, (variable, value)) in variables.enumerate() {
        if !is_used(&code.draft, index) || value.is_undef() {
            continue;
        }
        // SAFETY: I3: the share belongs to the new value. I4: names live as long as the code.
        unsafe {
            let value = Value::from_zval(value.share());
            table.make_mut(call.vm).set_string(&*variable.name, value);
        }
    }
    Ok(table.into())
}

/// True for a variable of `use (...)`, or one that an arrow function took over.
fn is_used(draft: &Draft, index: usize) -> bool {
    let offset = index as u32 * STATIC_VARIABLE_STRIDE;
    draft.ops.iter().any(|op| {
        op.opcode == Opcode::BIND_STATIC as u8
            && op.extended_value & !(STATIC_VARIABLE_STRIDE - 1) == offset
            && op.extended_value & (BIND_IMPLICIT | BIND_EXPLICIT) != 0
    })
}

/// A ReflectionFunction or ReflectionMethod.
pub(super) fn make_function(vm: &mut Vm, about: FunctionSubject) -> PhpResult<Value> {
    let is_method = !about.get().scope.is_null() && about.closure.is_none();
    if is_method {
        return super::subject::make_method(vm, about);
    }
    let name = name_value(about.get().name);
    make(vm, "ReflectionFunction", Subject::Function(about), [name])
}
