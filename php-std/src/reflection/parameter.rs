//! ReflectionParameter.

use vm_runtime::array::PhpArray;
use vm_runtime::class::{NativeClass, direct_method, method};
use vm_runtime::exceptions::set_slot;
use vm_runtime::function::{Call, Parameter, PassBy, flags, type_mask};
use vm_runtime::message::Message;
use vm_runtime::object::closure;
use vm_runtime::value::{CONSTANT_EXPRESSION, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::direct;

use super::subject::{
    FLAGS, FunctionSubject, HANDLERS, Subject, class, class_by_name, create, fail, getter, make,
    make_class, name_value, own_subject, parameter_of, set_subject, subject, this, uninitialised,
};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class ReflectionParameter implements Reflector",
)
.create_native(create)
.handlers(&HANDLERS)
.flags(FLAGS)
.properties(&["public string $name"])
.methods(&[
    method("private function __clone(): void", |_| Ok(Value::NULL)),
    method("public function __construct($function, int|string $param)", construct),
    method("public function __toString(): string", |call| {
        let (function, index) = about(call)?;
        let text = super::text::parameter_text(call.vm, &function, index)?;
        Ok(call.vm.string(text.message()).into())
    }),
    getter!("tentative public function getName(): string", parameter_of, |(function, index)| name_value(function.parameter(index).name)),
    getter!("tentative public function isPassedByReference(): bool", parameter_of, |(function, index)| function.parameter(index).pass_by != PassBy::Value),
    getter!("tentative public function canBePassedByValue(): bool", parameter_of, |(function, index)| function.parameter(index).pass_by != PassBy::Reference),
    method("tentative public function getDeclaringFunction(): ReflectionFunctionAbstract", |call| {
        let (function, _) = about(call)?;
        match function.get().scope.is_null() {
            true => super::function::make_function(call.vm, function),
            // A closure in a class counts as one of its methods, too.
            false => super::subject::make_method(call.vm, function),
        }
    }),
    method("tentative public function getDeclaringClass(): ?ReflectionClass", |call| {
        let (function, _) = about(call)?;
        match function.get().scope {
            scope if scope.is_null() => Ok(Value::NULL),
            scope => make_class(call.vm, scope),
        }
    }),
    method("#[Deprecated(\"8.0\", \"use ReflectionParameter::getType() instead\")] tentative public function getClass(): ?ReflectionClass", get_class),
    getter!("tentative public function hasType(): bool", parameter_of, |(function, index)| declared(function, index).is_some()),
    direct_method(
        "tentative public function getType(): ?ReflectionType",
        |call| {
            let (function, index) = borrowed(call)?;
            make_declared(call.vm, function, index)
        },
        type_directly,
    ),
    method("#[Deprecated(\"8.0\", \"use ReflectionParameter::getType() instead\")] tentative public function isArray(): bool", |call| {
        is_of(call, type_mask::ARRAY)
    }),
    method("#[Deprecated(\"8.0\", \"use ReflectionParameter::getType() instead\")] tentative public function isCallable(): bool", |call| {
        is_of(call, type_mask::CALLABLE)
    }),
    getter!("tentative public function allowsNull(): bool", parameter_of, |(function, index)| declared(function, index).is_none_or(super::types::allows_null)),
    getter!("tentative public function getPosition(): int", parameter_of, |(_, index)| index),
    getter!("tentative public function isOptional(): bool", parameter_of, |(function, index)| is_optional(function, index)),
    getter!("tentative public function isDefaultValueAvailable(): bool", parameter_of, |(function, index)| has_default(function.parameter(index))),
    direct_method("tentative public function getDefaultValue(): mixed", |call| {
        let (function, index) = about(call)?;
        if let Some(case) = enum_case(call.vm, function.parameter(index))? {
            return Ok(case);
        }
        let default = default(call.vm, &function, index)?;
        if default.kind() == CONSTANT_EXPRESSION {
            // SAFETY: I4: the expression lives in a literal pool of a loaded script.
            return unsafe { call.vm.evaluate_constant(&*default.expression(), function.get().scope) };
        }
        if let Some(name) = constant_name(function.parameter(index), &default) {
            call.vm.note_constant(&name);
            call.vm.check()?;
        }
        Ok(Value::share(&default))
    }, default_directly),
    method("tentative public function isDefaultValueConstant(): bool", |call| {
        let (function, index) = about(call)?;
        let default = default(call.vm, &function, index)?;
        Ok(constant_name(function.parameter(index), &default).is_some().into())
    }),
    method("tentative public function getDefaultValueConstantName(): ?string", |call| {
        let (function, index) = about(call)?;
        let default = default(call.vm, &function, index)?;
        Ok(match constant_name(function.parameter(index), &default) {
            Some(name) => call.vm.string(name).into(),
            None => Value::NULL,
        })
    }),
    getter!("tentative public function isVariadic(): bool", parameter_of, |(function, index)| function.parameter(index).variadic),
    getter!("public function isPromoted(): bool", parameter_of, |(function, index)| function.parameter(index).promoted & flags::PROMOTED != 0),
    method("public function getAttributes(?string $name = null, int $flags = 0): array", |call| {
        let (function, index) = about(call)?;
        super::attribute::of_parameter(call, function.get(), index)
    }),
])];

/// Whether something is known to be taken where the argument is left out.
fn has_default(parameter: &Parameter) -> bool {
    !parameter.default.is_undef() || !parameter.default_source.is_empty()
}

direct! {
    /// What is there without being evaluated.
    fn default_directly(_vm, this;) {
        let (function, index) = parameter_of(subject(this))?;
        let parameter = function.parameter(index);
        let is_plain = parameter.default_source.is_empty()
            && !parameter.default.is_undef()
            && parameter.default.kind() != CONSTANT_EXPRESSION;
        is_plain.then(|| Value::share(&parameter.default))
    }

    fn type_directly(vm, this;) {
        match subject(this) {
            Subject::Parameter(function, index) => make_declared(vm, function, *index).ok(),
            _ => None,
        }
    }
}

/// What `$this` is about, for what runs no code of the script: that may construct the object anew.
fn borrowed<'a>(call: &mut Call<'a>) -> PhpResult<(&'a FunctionSubject, usize)> {
    match own_subject(call) {
        Subject::Parameter(function, index) => Ok((function, *index)),
        _ => Err(uninitialised(call.vm)),
    }
}

fn about(call: &mut Call<'_>) -> PhpResult<(FunctionSubject, usize)> {
    match own_subject(call) {
        Subject::Parameter(function, index) => Ok((function.clone(), *index)),
        _ => Err(uninitialised(call.vm)),
    }
}

/// A ReflectionType of what is declared, or `null`.
fn make_declared(vm: &mut Vm, function: &FunctionSubject, index: usize) -> PhpResult<Value> {
    match declared(function, index) {
        None => Ok(Value::NULL),
        Some(declared) => {
            let about = Subject::ParameterType(function.clone(), index);
            super::types::make_of(vm, declared, about)
        }
    }
}

/// The declared type; signatures of native functions have one even where the parameter takes
/// anything.
pub(super) fn declared(
    function: &FunctionSubject,
    index: usize,
) -> Option<&vm_runtime::function::Type> {
    shown_type(function.parameter(index))
}

/// The type that a parameter is said to have. PHP does not know resources as a type: the signatures
/// of native functions do, for the checks.
pub(super) fn shown_type(parameter: &Parameter) -> Option<&vm_runtime::function::Type> {
    let declared = parameter.declared.as_ref()?;
    let is_resource = declared.mask & !type_mask::NULL == type_mask::RESOURCE;
    (!is_resource || !declared.classes.is_empty()).then_some(declared)
}

/// The case of an enum that the default of a native function's parameter names.
fn enum_case(vm: &mut Vm, parameter: &Parameter) -> PhpResult<Option<Value>> {
    match parameter.default_source.split_once("::") {
        Some((class, case)) if parameter.default.is_undef() => {
            let class = class_by_name(vm, class.as_bytes())?;
            let value = vm.class_constant(class, case.as_bytes(), class)?;
            // SAFETY: I4: the constants of a class live until the VM ends.
            Ok(Some(Value::share(unsafe { &*value })))
        }
        _ => Ok(None),
    }
}

/// True if the argument may be left out.
pub(super) fn is_optional(function: &FunctionSubject, index: usize) -> bool {
    function.parameter(index).variadic || index >= function.get().required_count as usize
}

fn is_of(call: &mut Call<'_>, mask: u32) -> PhpResult<Value> {
    let (function, index) = about(call)?;
    let is = declared(&function, index).is_some_and(|declared| {
        declared.classes.is_empty() && declared.mask & !type_mask::NULL == mask
    });
    Ok(is.into())
}

fn default(vm: &mut Vm, function: &FunctionSubject, index: usize) -> PhpResult<Zval> {
    let parameter = function.parameter(index);
    let default = parameter.default;
    if default.is_undef() && parameter.default_source.is_empty() {
        let message = "Internal error: Failed to retrieve the default value";
        return Err(fail(vm, message, 0));
    }
    Ok(default)
}

/// The name of the constant that a parameter's default is, if it is just one.
fn constant_name(parameter: &Parameter, default: &Zval) -> Option<Vec<u8>> {
    let source = parameter.default_source;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'\\');
    if source.starts_with(|first: char| first.is_ascii_alphabetic()) {
        let is_constant =
            source.bytes().all(is_name) && !["null", "true", "false"].contains(&source);
        return is_constant.then(|| source.as_bytes().to_vec());
    }
    expression_constant(default)
}

/// The name of the constant that a constant expression fetches, if it does no more.
pub(super) fn expression_constant(value: &Zval) -> Option<Vec<u8>> {
    if value.kind() != CONSTANT_EXPRESSION {
        return None;
    }
    // SAFETY: I4: the expression lives in a literal pool of a loaded script.
    unsafe { (*value.expression()).fetched_constant() }
}

/// A ReflectionParameter.
pub(super) fn make_parameter(
    vm: &mut Vm,
    function: FunctionSubject,
    index: usize,
) -> PhpResult<Value> {
    let name = name_value(function.parameter(index).name);
    make(
        vm,
        "ReflectionParameter",
        Subject::Parameter(function, index),
        [name],
    )
}

/// The class that a parameter's type names; the old way to ask.
fn get_class(call: &mut Call<'_>) -> PhpResult<Value> {
    let (function, index) = about(call)?;
    let Some([names]) = declared(&function, index).map(|declared| declared.classes.as_slice())
    else {
        return Ok(Value::NULL);
    };
    let Some(name) = names.first() else {
        return Ok(Value::NULL);
    };
    let scope = function.get().scope;
    let found = match name.lowercase_bytes() {
        b"self" | b"parent" if scope.is_null() => {
            let word = vm_runtime::message::whole_text(name.lowercase_bytes()).into_owned();
            let message =
                format!("Parameter uses \"{word}\" as type but function is not a class member");
            return Err(fail(call.vm, &message, 0));
        }
        b"self" => scope,
        b"parent" if class(scope).parent.is_null() => {
            let message = "Parameter uses \"parent\" as type although class does not have a parent";
            return Err(fail(call.vm, message, 0));
        }
        b"parent" => class(scope).parent,
        _ => class_by_name(call.vm, super::subject::name_bytes(name.name))?,
    };
    make_class(call.vm, found)
}

/// The function that the first argument of the constructor names.
fn function_argument(call: &mut Call<'_>) -> PhpResult<FunctionSubject> {
    let given = call.value(0);
    match given.view() {
        ValueKind::String(name) => super::function::function_by_name(call.vm, name.as_bytes()),
        ValueKind::Array(pair) => method_of_pair(call, pair),
        ValueKind::Object(object) => match closure::function_of(object) {
            Some(function) => Ok(FunctionSubject {
                function,
                closure: given.object(),
                class: std::ptr::null_mut(),
            }),
            None => {
                let name = object.class().display_name();
                Err(fail(
                    call.vm,
                    &format!("Method {name}::__invoke() does not exist"),
                    0,
                ))
            }
        },
        _ => {
            let given = vm_runtime::operators::value_name(&given);
            let message = format!(
                "ReflectionParameter::__construct(): Argument #1 ($function) must be a string, an array(class, method), or a callable object, {given} given"
            );
            Err(fail(call.vm, &message, 0))
        }
    }
}

fn method_of_pair(call: &mut Call<'_>, pair: &PhpArray) -> PhpResult<FunctionSubject> {
    let (Some(owner), Some(name)) = (pair.get_long(0), pair.get_long(1)) else {
        return Err(fail(
            call.vm,
            "Expected array($object, $method) or array($classname, $method)",
            0,
        ));
    };
    let (owner, name) = (Value::share(owner), Value::share(name));
    let name = crate::support::string_of(call.vm, &name)?;
    let instance: Option<ObjectHandle> = owner.object();
    let class = match &instance {
        Some(object) => object.class,
        None => {
            let owner = crate::support::string_of(call.vm, &owner)?;
            super::subject::existing_class(call.vm, owner.as_bytes(), 0)?
        }
    };
    super::method::find(call.vm, class, instance.as_ref(), name.as_bytes())
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, wanted) = (this(call), call.value(1));
    let function = function_argument(call)?;
    if let ValueKind::Long(..0) = wanted.view() {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    let parameters = &function.get().parameters;
    let found = match wanted.view() {
        ValueKind::Long(number) => {
            let index = usize::try_from(number)
                .ok()
                .filter(|&index| index < parameters.len());
            index.ok_or("The parameter specified by its offset could not be found")
        }
        _ => {
            let name = call.string(1);
            let is_wanted = |parameter: &Parameter| parameter.name_bytes() == name.as_bytes();
            let index = parameters.iter().position(is_wanted);
            index.ok_or("The parameter specified by its name could not be found")
        }
    };
    let index = match found {
        Ok(index) => index,
        Err(message) => return Err(fail(call.vm, message, 0)),
    };
    set_slot(&object, 0, name_value(function.parameter(index).name));
    set_subject(&object, Subject::Parameter(function, index));
    Ok(Value::NULL)
}
