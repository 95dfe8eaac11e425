//! RegexIterator and RecursiveRegexIterator.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::Call;
use vm_runtime::object::PhpObject;
use vm_runtime::operators::to_string;
use vm_runtime::value::{PhpReference, StringHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::dual::{dual, inner, set_inner};
use super::filter::{children, has_children, make};
use crate::spl::{this, throw};

const USE_KEY: i64 = 1;
const INVERT_MATCH: i64 = 2;
const MATCH: i64 = 0;
const GET_MATCH: i64 = 1;
const ALL_MATCHES: i64 = 2;
const SPLIT: i64 = 3;
const REPLACE: i64 = 4;

/// What a RegexIterator knows besides.
#[derive(Default)]
pub(super) struct Regex {
    mode: i64,
    preg_flags: i64,
    use_flags: bool,
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class RegexIterator extends FilterIterator")
        .constants(&[
            "int USE_KEY = 1",
            "int INVERT_MATCH = 2",
            "int MATCH = 0",
            "int GET_MATCH = 1",
            "int ALL_MATCHES = 2",
            "int SPLIT = 3",
            "int REPLACE = 4",
        ])
        .properties(&["public ?string $replacement = null"])
        .methods(&[
            method(
                "public function __construct(Iterator $iterator, string $pattern, int $mode = RegexIterator::MATCH, int $flags = 0, int $pregFlags = 0)",
                construct,
            ),
            method("tentative public function accept(): bool", accept),
            method("tentative public function getMode(): int", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                Ok(dual(&object).regex.mode.into())
            }),
            method("tentative public function setMode(int $mode): void", |call| {
                let mode = call.long(0);
                if !(MATCH..=REPLACE).contains(&mode) {
                    return Err(call.value_error(0, BAD_MODE));
                }
                let object = this(call);
                inner(call.vm, &object)?;
                dual(&object).regex.mode = mode;
                Ok(Value::NULL)
            }),
            method("tentative public function getFlags(): int", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                Ok(dual(&object).flags.into())
            }),
            method("tentative public function setFlags(int $flags): void", |call| {
                let (object, flags) = (this(call), call.long(0));
                inner(call.vm, &object)?;
                dual(&object).flags = flags;
                Ok(Value::NULL)
            }),
            method("tentative public function getRegex(): string", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                Ok(dual(&object).argument.clone().unwrap_or(Value::NULL))
            }),
            method("tentative public function getPregFlags(): int", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                let regex = &dual(&object).regex;
                Ok(if regex.use_flags { regex.preg_flags } else { 0 }.into())
            }),
            method("tentative public function setPregFlags(int $pregFlags): void", |call| {
                let (object, flags) = (this(call), call.long(0));
                inner(call.vm, &object)?;
                dual(&object).regex.preg_flags = flags;
                dual(&object).regex.use_flags = true;
                Ok(Value::NULL)
            }),
]),
    &NativeClass::new("class RecursiveRegexIterator extends RegexIterator implements RecursiveIterator").methods(&[
        method(
            "public function __construct(RecursiveIterator $iterator, string $pattern, int $mode = RecursiveRegexIterator::MATCH, int $flags = 0, int $pregFlags = 0)",
            construct,
        ),
        method("tentative public function accept(): bool", |call| {
            let object = this(call);
            inner(call.vm, &object)?;
            let is_array = matches!(
                dual(&object).current.as_ref().map(|(value, _)| value.view()),
                Some(ValueKind::Array(array)) if !array.is_empty()
            );
            if is_array {
                return Ok(true.into());
            }
            accept(call)
        }),
        method("tentative public function hasChildren(): bool", has_children),
        method("tentative public function getChildren(): RecursiveRegexIterator", |call| {
            let object = this(call);
            let children = children(call.vm, &object)?;
            let (flags, pattern) = (dual(&object).flags, dual(&object).argument.clone());
            let regex = &dual(&object).regex;
            let (mode, preg) = (regex.mode, regex.preg_flags);
            let pattern = pattern.unwrap_or(Value::NULL);
            make(call.vm, &object, vec![children, pattern, mode.into(), flags.into(), preg.into()])
        }),
    ]),
];

const BAD_MODE: &str = "must be RegexIterator::MATCH, RegexIterator::GET_MATCH, RegexIterator::ALL_MATCHES, RegexIterator::SPLIT, or RegexIterator::REPLACE";

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, inner, pattern) = (this(call), call.object(0), call.value(1));
    let (mode, flags, preg_flags) = (call.long(2), call.long(3), call.long(4));
    if !(MATCH..=REPLACE).contains(&mode) {
        return Err(call.value_error(2, BAD_MODE));
    }
    if let Some(problem) = crate::pcre::problem_of(call.vm, call.bytes(1)) {
        let message = format!("{}(): {problem}", call.function().display_name());
        return Err(throw(call.vm, "InvalidArgumentException", &message));
    }
    set_inner(call, &object, inner)?;
    let use_flags = call.count() >= 5 && preg_flags != 0;
    let dual = dual(&object);
    dual.argument = Some(pattern);
    dual.flags = flags;
    dual.regex = Regex {
        mode,
        preg_flags,
        use_flags,
    };
    Ok(Value::NULL)
}

/// Calls a function of the pcre extension; `by_reference` adds a reference argument behind the
/// first two and gives its value back.
fn preg(
    vm: &mut Vm,
    name: &[u8],
    mut arguments: Vec<Value>,
    by_reference: bool,
) -> PhpResult<(Value, Value)> {
    let Some(function) = vm.find_function(name) else {
        return Ok((false.into(), Value::NULL));
    };
    let boxed = PhpReference::allocate(&mut vm.heap, Zval::NULL);
    if by_reference {
        // SAFETY: I3: the share belongs to the argument.
        let reference = unsafe { Value::from_zval(Zval::from_reference(boxed.clone().into_raw())) };
        arguments.insert(2, reference);
    }
    let result = vm.call_function(function, None, std::ptr::null_mut(), arguments)?;
    Ok((result, Value::share(&boxed.value)))
}

fn set_current(object: &PhpObject, value: Value) {
    if let Some((place, _)) = &mut dual(object).current {
        let old = std::mem::replace(place, value);
        drop(old);
    }
}

fn accept(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    inner(call.vm, &object)?;
    let Some((value, key)) = dual(&object)
        .current
        .as_ref()
        .map(|(value, key)| (value.clone(), key.clone()))
    else {
        return Ok(false.into());
    };
    let flags = dual(&object).flags;
    let subject: StringHandle = if flags & USE_KEY != 0 {
        to_string(call.vm, &key)?
    } else {
        if value.array().is_some() {
            return Ok(false.into());
        }
        to_string(call.vm, &value)?
    };
    let pattern = dual(&object).argument.clone().unwrap_or(Value::NULL);
    let (mode, preg_flags) = (dual(&object).regex.mode, dual(&object).regex.preg_flags);
    let subject = Value::from(subject);
    let truthy = |value: &Value| matches!(value.view(), ValueKind::Long(number) if number > 0);
    let accepted = match mode {
        GET_MATCH => {
            let arguments = vec![pattern, subject, Value::from(preg_flags)];
            let (count, matches) = preg(call.vm, b"preg_match", arguments, true)?;
            set_current(&object, matches);
            truthy(&count)
        }
        ALL_MATCHES => {
            let arguments = vec![pattern, subject, Value::from(preg_flags)];
            let (count, matches) = preg(call.vm, b"preg_match_all", arguments, true)?;
            set_current(&object, matches);
            truthy(&count)
        }
        SPLIT => {
            let arguments = vec![
                pattern,
                subject,
                Value::from(-1i64),
                Value::from(preg_flags),
            ];
            let (parts, _) = preg(call.vm, b"preg_split", arguments, false)?;
            let count = parts.array().map_or(0, |parts| parts.len());
            set_current(&object, parts);
            count > 1
        }
        REPLACE => {
            let matched = preg(
                call.vm,
                b"preg_match",
                vec![pattern.clone(), subject.clone()],
                false,
            )?
            .0;
            // SAFETY: I3: RegexIterator declares one property, whose slot comes first.
            let replacement = unsafe { Value::share(&*object.slot(0)) };
            let replacement = Value::from(to_string(call.vm, &replacement)?);
            let (replaced, _) = preg(
                call.vm,
                b"preg_replace",
                vec![pattern, replacement, subject],
                false,
            )?;
            if flags & USE_KEY != 0 {
                if let Some((_, key)) = &mut dual(&object).current {
                    let old = std::mem::replace(key, replaced);
                    drop(old);
                }
            } else {
                set_current(&object, replaced);
            }
            truthy(&matched)
        }
        _ => truthy(&preg(call.vm, b"preg_match", vec![pattern, subject], false)?.0),
    };
    if flags & INVERT_MATCH != 0 {
        if !accepted {
            set_current(&object, value);
        }
        return Ok((!accepted).into());
    }
    Ok(accepted.into())
}
