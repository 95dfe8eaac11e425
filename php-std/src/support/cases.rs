//! Calls of native functions against what PHP 8.4 gave: the files of `tests/cases`, which
//! `tests/generate.php` writes.

use vm_runtime::exceptions::slot;
use vm_runtime::function::PassBy;
use vm_runtime::interpreter::callback::Callee;
use vm_runtime::message::Message;
use vm_runtime::output::Sink;
use vm_runtime::value::{PhpReference, Value, Zval};
use vm_runtime::vm::Vm;

use crate::support::testing::call;

/// Undoes `addcslashes`.
fn unescape(line: &str) -> Vec<u8> {
    let bytes = line.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            result.push(bytes[at]);
            at += 1;
            continue;
        }
        let (byte, length) = match bytes[at + 1] {
            b'n' => (b'\n', 2),
            b't' => (b'\t', 2),
            b'r' => (b'\r', 2),
            b'a' => (7, 2),
            b'v' => (11, 2),
            b'b' => (8, 2),
            b'f' => (12, 2),
            b'\\' => (b'\\', 2),
            _ => {
                let digits = std::str::from_utf8(&bytes[at + 1..at + 4]).expect("octal");
                (u8::from_str_radix(digits, 8).expect("octal"), 4)
            }
        };
        result.push(byte);
        at += length;
    }
    result
}

fn escape(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

fn unserialize(vm: &mut Vm, text: &[u8]) -> Value {
    let text = vm.string(text).into();
    call(vm, "unserialize", &[text]).expect("no exception")
}

fn serialize(vm: &mut Vm, value: &Value) -> Vec<u8> {
    match call(vm, "serialize", std::slice::from_ref(value)) {
        Ok(text) => text.string().expect("a string").to_vec(),
        Err(_) => b"(cannot be serialized)".to_vec(),
    }
}

/// Removes ` in FILE on line N`.
fn without_places(output: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(output).into_owned();
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let place = line
            .rfind(" in ")
            .filter(|&at| line[at..].contains(" on line "));
        lines.push(place.map_or(line, |at| &line[..at]).to_owned());
    }
    if std::str::from_utf8(output).is_err() {
        return output.to_vec();
    }
    lines.join("\n").into_bytes()
}

/// Makes one call and serializes what came of it, as the generator does.
fn outcome(vm: &mut Vm, function: &[u8], arguments: &Value) -> Vec<u8> {
    let seed = Value::from(42i64);
    call(vm, "mt_srand", &[seed]).expect("no exception");
    let Some(native) = vm.find_function(&function.to_ascii_lowercase()) else {
        return b"(no such function)".to_vec();
    };
    let list = arguments.array().expect("a list");
    let mut references = Vec::new();
    let mut passed = Vec::new();
    for (number, (_, value)) in list.iter().enumerate() {
        let value = Value::share(value);
        let boxed = PhpReference::allocate(&mut vm.heap, value.into_zval());
        references.push(boxed.clone());
        // SAFETY: functions live as long as the VM.
        let by_value = unsafe { (*native).pass_by(number as u32) == PassBy::Value };
        let value = boxed.into_value();
        passed.push(if by_value {
            Value::share(&value)
        } else {
            value
        });
    }
    vm.output.take_captured();
    let callee = Callee {
        function: native,
        this: None,
        called_class: std::ptr::null_mut(),
        closure: None,
    };
    // SAFETY: the callee is a function of this VM.
    let result = unsafe { vm.call_callee(callee, passed, None) };
    let kind: Value;
    let told = match result {
        Ok(value) => {
            kind = vm.string("value").into();
            value
        }
        Err(_) => {
            let exception = vm.take_exception().expect("an exception");
            kind = vm.string(exception.class().display_name().message()).into();
            Value::share(slot(&exception, 0))
        }
    };
    let output = without_places(&vm.output.take_captured());
    let output = vm.string(output).into();
    let pair = crate::support::list(vm, [kind, told]);
    let after: Vec<Value> = references
        .into_iter()
        .map(|boxed| Value::share(&Zval::from_reference(boxed.as_ptr())))
        .collect();
    let mut after = crate::support::list(vm, after);
    if serialize(vm, &after) == serialize(vm, arguments) {
        after = Value::NULL;
    }
    let all = crate::support::list(vm, [pair, after, output]);
    serialize(vm, &all)
}

fn run(name: &str, expectations: &str) {
    let mut vm = Vm::new(512 << 20);
    vm.output.set_sink(Sink::Capture(Vec::new()));
    crate::register(&mut vm);
    let mut wrong = 0;
    let only = std::env::var("CASE_FUNCTION").ok();
    for line in expectations.lines() {
        let (case, expected) = line.split_once('\t').expect("call and outcome");
        let case = unserialize(&mut vm, &unescape(case))
            .array()
            .expect("a call");
        let function = case
            .get_long(0)
            .and_then(|name| name.as_bytes())
            .expect("a name")
            .to_vec();
        if only
            .as_ref()
            .is_some_and(|only| only.as_bytes() != function)
        {
            continue;
        }
        let arguments = Value::share(case.get_long(1).expect("arguments"));
        let given = serialize(&mut vm, &arguments);
        let outcome = outcome(&mut vm, &function, &arguments);
        let expected = unescape(expected);
        if outcome != expected {
            wrong += 1;
            eprintln!(
                "{name}: {} {}\n  expected {}\n  got      {}",
                String::from_utf8_lossy(&function),
                escape(&given),
                escape(&expected),
                escape(&outcome)
            );
        }
    }
    assert_eq!(wrong, 0, "calls of {name} differ from PHP");
}

#[test]
fn strings() {
    run(
        "strings",
        include_str!("../../tests/cases/strings.expected"),
    );
}

#[test]
fn arrays() {
    run("arrays", include_str!("../../tests/cases/arrays.expected"));
}

#[test]
fn json() {
    run("json", include_str!("../../tests/cases/json.expected"));
}

#[test]
fn pcre() {
    run("pcre", include_str!("../../tests/cases/pcre.expected"));
}

#[test]
fn every_signature_parses() {
    let mut vm = crate::support::testing::vm();
    let names: Vec<&str> = vm.natives.names().collect();
    for name in names {
        let lowercase = name.to_ascii_lowercase();
        assert!(vm.find_function(lowercase.as_bytes()).is_some(), "{name}");
    }
}

/// Further expectations, in the file that `CASES` names.
#[test]
fn others() {
    if let Ok(path) = std::env::var("CASES") {
        run(&path, &std::fs::read_to_string(&path).expect("readable"));
    }
}
