//! The Throwable classes.

use crate::array::empty_array;
use crate::class::{NativeClass, declare, direct_method, method};
use crate::exceptions::report::exception_text;
use crate::exceptions::trace::trace_text;
use crate::exceptions::{KnownClass, set_slot, slot, slots};
use crate::function::{Call, NativeDefinition, class_flags};
use crate::object::write::write_property;
use crate::value::{ARRAY, LONG, OBJECT, ObjectHandle, REFERENCE, STRING, UNDEF, Value, Zval};
use crate::vm::{PhpResult, Thrown, Vm};

/// Properties of Exception and Error, which differ in the line alone; [`slots`] has their places.
const fn properties(line: &'static str) -> [&'static str; 7] {
    [
        "protected $message = ''",
        "private string $string = ''",
        "protected $code = 0",
        "protected string $file = ''",
        line,
        "private array $trace = []",
        "private ?Throwable $previous = null",
    ]
}

const METHODS: &[NativeDefinition] = &[
    method("private function __clone(): void", do_nothing),
    method(
        "public function __construct(string $message = \"\", int $code = 0, ?Throwable $previous = null)",
        construct,
    ),
    method("tentative public function __wakeup(): void", wakeup),
    direct_method(
        "final public function getMessage(): string",
        |call| string_slot(call, slots::MESSAGE),
        |_, this, arguments, result| slot_directly(this, slots::MESSAGE, arguments, result),
    ),
    direct_method(
        "final public function getCode()",
        |call| any_slot(call, slots::CODE),
        |_, this, arguments, result| slot_directly(this, slots::CODE, arguments, result),
    ),
    direct_method(
        "final public function getFile(): string",
        |call| string_slot(call, slots::FILE),
        |_, this, arguments, result| slot_directly(this, slots::FILE, arguments, result),
    ),
    direct_method(
        "final public function getLine(): int",
        |call| any_slot(call, slots::LINE),
        |_, this, arguments, result| slot_directly(this, slots::LINE, arguments, result),
    ),
    method("final public function getTrace(): array", |call| {
        any_slot(call, slots::TRACE)
    }),
    direct_method(
        "final public function getPrevious(): ?Throwable",
        |call| any_slot(call, slots::PREVIOUS),
        |_, this, arguments, result| slot_directly(this, slots::PREVIOUS, arguments, result),
    ),
    method(
        "final public function getTraceAsString(): string",
        trace_as_string,
    ),
    method("public function __toString(): string", to_string),
];

const ERROR_EXCEPTION_METHODS: &[NativeDefinition] = &[
    method(
        "public function __construct(string $message = \"\", int $code = 0, int $severity = E_ERROR, ?string $filename = null, ?int $line = null, ?Throwable $previous = null)",
        construct_error_exception,
    ),
    method("final public function getSeverity(): int", |call| {
        any_slot(call, slots::SEVERITY)
    }),
];

/// In an order in which parents come first.
pub(crate) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("interface Throwable extends Stringable").methods(&[
        declare("public function getMessage(): string"),
        declare("public function getCode()"),
        declare("public function getFile(): string"),
        declare("public function getLine(): int"),
        declare("public function getTrace(): array"),
        declare("public function getPrevious(): ?Throwable"),
        declare("public function getTraceAsString(): string"),
    ]),
    &NativeClass::new("class Exception implements Throwable")
        .flags(class_flags::NOT_CLONEABLE)
        .properties(&properties("protected int $line = 0"))
        .methods(METHODS),
    &NativeClass::new("class ErrorException extends Exception")
        .properties(&["protected int $severity = 1"])
        .methods(ERROR_EXCEPTION_METHODS),
    &NativeClass::new("class Error implements Throwable")
        .flags(class_flags::NOT_CLONEABLE)
        .properties(&properties("protected int $line"))
        .methods(METHODS),
    &NativeClass::new("class CompileError extends Error"),
    &NativeClass::new("class ParseError extends CompileError"),
    &NativeClass::new("class TypeError extends Error"),
    &NativeClass::new("class ArgumentCountError extends TypeError"),
    &NativeClass::new("class ValueError extends Error"),
    &NativeClass::new("class ArithmeticError extends Error"),
    &NativeClass::new("class DivisionByZeroError extends ArithmeticError"),
    &NativeClass::new("class UnhandledMatchError extends Error"),
    &NativeClass::new("class RequestParseBodyException extends Exception"),
    &NativeClass::new("class ClosedGeneratorException extends Exception"),
];

fn this(call: &Call<'_>) -> ObjectHandle {
    // SAFETY: I3: these methods are not static, so there is a live `$this`.
    unsafe { ObjectHandle::share_raw((*call.frame).this.object()) }
}

fn do_nothing(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::NULL)
}

fn given(call: &Call<'_>, index: usize) -> Option<Value> {
    (index < call.count()).then(|| call.value(index))
}

/// Sets a property, by its hook if a child gave it one.
fn set_property(
    vm: &mut Vm,
    object: &ObjectHandle,
    name: &str,
    place: u32,
    value: Value,
) -> PhpResult<()> {
    let info = object.class().properties.get(name.as_bytes()).cloned();
    match info.filter(|info| info.has_hooks()) {
        Some(info) => {
            let name = vm.string(name);
            write_property(vm, object.as_ptr(), &name, value, info.class)?;
        }
        None => set_slot(object, place, value),
    }
    Ok(())
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    for (index, name, place) in [(0, "message", slots::MESSAGE), (1, "code", slots::CODE)] {
        if let Some(value) = given(call, index) {
            set_property(call.vm, &object, name, place, value)?;
        }
    }
    if let Some(previous) = given(call, 2).filter(|value| !value.is_null()) {
        set_slot(&object, slots::PREVIOUS, previous);
    }
    Ok(Value::NULL)
}

fn construct_error_exception(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let first = [
        (0, "message", slots::MESSAGE),
        (1, "code", slots::CODE),
        (2, "severity", slots::SEVERITY),
    ];
    for (index, name, place) in first {
        if let Some(value) = given(call, index) {
            set_property(call.vm, &object, name, place, value)?;
        }
    }
    let file = given(call, 3).filter(|value| !value.is_null());
    let line = given(call, 4).filter(|value| !value.is_null());
    match (file, line) {
        (file, Some(line)) => {
            if let Some(file) = file {
                set_property(call.vm, &object, "file", slots::FILE, file)?;
            }
            set_property(call.vm, &object, "line", slots::LINE, line)?;
        }
        (Some(file), None) => {
            // A file without a line: there is no line to tell.
            set_property(call.vm, &object, "file", slots::FILE, file)?;
            set_property(call.vm, &object, "line", slots::LINE, Value::from(0i64))?;
        }
        (None, None) => {}
    }
    if let Some(previous) = given(call, 5).filter(|value| !value.is_null()) {
        set_slot(&object, slots::PREVIOUS, previous);
    }
    Ok(Value::NULL)
}

/// After unserialising: properties of a wrong type are put back to their defaults.
fn wakeup(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let empty = || {
        // SAFETY: the empty array is always live and not counted.
        unsafe { Value::from_zval(Zval::from_any_array(empty_array())) }
    };
    let string = |vm: &mut Vm| Value::from(vm.string(""));
    if slot(&object, slots::MESSAGE).kind() != STRING {
        let value = string(call.vm);
        set_slot(&object, slots::MESSAGE, value);
    }
    if slot(&object, slots::TRACE).kind() != ARRAY {
        set_slot(&object, slots::TRACE, empty());
    }
    let previous = slot(&object, slots::PREVIOUS);
    if previous.kind() == OBJECT && std::ptr::eq(previous.object(), object.as_ptr()) {
        set_slot(&object, slots::PREVIOUS, Value::NULL);
    }
    Ok(Value::NULL)
}

fn any_slot(call: &mut Call<'_>, index: u32) -> PhpResult<Value> {
    Ok(Value::share(slot(&this(call), index)))
}

/// Whether a property has the type that it was declared with, which children may have changed: its value is the result
/// of a method without arguments then.
fn slot_directly(this: &Zval, index: u32, arguments: &[Zval], result: &mut Zval) -> bool {
    // SAFETY: I3: these methods are not static, so there is a live `$this`.
    let value = unsafe { &*(*this.object()).slot(index) };
    let promised = match index {
        slots::MESSAGE | slots::FILE => STRING,
        slots::LINE => LONG,
        _ => value.kind(),
    };
    let is_plain = !matches!(value.kind(), UNDEF | REFERENCE) && value.kind() == promised;
    if is_plain && arguments.is_empty() {
        *result = value.share();
        return true;
    }
    false
}

fn string_slot(call: &mut Call<'_>, index: u32) -> PhpResult<Value> {
    let value = Value::share(slot(&this(call), index));
    Ok(crate::operators::to_string(call.vm, &value)?.into())
}

fn trace_as_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let trace = Value::share(slot(&this(call), slots::TRACE));
    let text = trace_text(call.vm, &trace);
    Ok(call.vm.string(text).into())
}

fn to_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let text = exception_text(call.vm, &object);
    let text: Value = call.vm.string(text).into();
    set_slot(&object, slots::STRING, text.clone());
    Ok(text)
}

/// Throws the ParseError of source text that does not compile.
pub fn throw_parse_error(vm: &mut Vm, message: &str, file: &[u8], line: u32) -> Thrown {
    let class = vm.class_of(KnownClass::ParseError);
    let object = vm.new_throwable(class, message, 0);
    let file = vm.string(file);
    set_slot(&object, slots::FILE, file.into());
    set_slot(&object, slots::LINE, Value::from(line as i64));
    vm.throw_object(object)
}
