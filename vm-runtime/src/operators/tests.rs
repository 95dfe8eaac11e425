//! Operators on values of all types, against what PHP 8.4 gives.

use super::*;
use crate::array::KeyRef;
use crate::value::{Value, ValueKind};
use crate::vm::Vm;

/// A value as the tests write it: PHP literals with nested lists in `[...]`.
pub(crate) fn value(vm: &mut Vm, text: &str) -> Value {
    let mut parser = Parser { text, vm };
    let value = parser.value();
    assert_eq!(parser.text.trim(), "", "rest of a test value");
    value
}

struct Parser<'a> {
    text: &'a str,
    vm: &'a mut Vm,
}

impl Parser<'_> {
    fn value(&mut self) -> Value {
        self.text = self.text.trim_start();
        if let Some(rest) = self.text.strip_prefix('[') {
            self.text = rest;
            return self.array();
        }
        if let Some(rest) = self.text.strip_prefix('"') {
            let (string, rest) = rest.split_once('"').expect("end of string");
            self.text = rest;
            return self.vm.string(string).into();
        }
        let end = self.text.find([',', ']', ' ']).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        match word {
            "null" => Value::NULL,
            "true" => true.into(),
            "false" => false.into(),
            "NAN" => f64::NAN.into(),
            "INF" => f64::INFINITY.into(),
            "MAX" => i64::MAX.into(),
            "MIN" => i64::MIN.into(),
            _ => match word.parse::<i64>() {
                Ok(long) => long.into(),
                Err(_) => word.parse::<f64>().expect(word).into(),
            },
        }
    }

    fn array(&mut self) -> Value {
        let mut array = self.vm.new_array();
        loop {
            self.text = self.text.trim_start_matches([' ', ',']);
            if let Some(rest) = self.text.strip_prefix(']') {
                self.text = rest;
                return array.into();
            }
            let first = self.value();
            match self.text.trim_start().strip_prefix("=>") {
                Some(rest) => {
                    self.text = rest;
                    let value = self.value();
                    let target = array.make_mut(self.vm);
                    match first.view() {
                        ValueKind::Long(key) => target.set_long(key, value),
                        ValueKind::String(key) => target.set_string(key, value),
                        _ => panic!("key"),
                    }
                }
                None => drop(array.make_mut(self.vm).push(first)),
            }
        }
    }
}

/// A value as PHP's short notation has it.
pub(crate) fn show(value: &Zval) -> String {
    match value.view() {
        ValueKind::Null if value.is_undef() => "undefined".into(),
        ValueKind::Null => "null".into(),
        ValueKind::Bool(value) => value.to_string(),
        ValueKind::Long(value) => value.to_string(),
        ValueKind::Double(value) => float_text::with_fraction(value, -1).to_string(),
        ValueKind::String(value) => format!("{:?}", value.to_text()),
        ValueKind::Array(array) => {
            let list = array.is_list();
            let elements = array.iter().map(|(key, value)| match key {
                KeyRef::Long(_) if list => show(value),
                KeyRef::Long(key) => format!("{key} => {}", show(value)),
                KeyRef::String(key) => format!("{:?} => {}", key.to_text(), show(value)),
            });
            format!("[{}]", elements.collect::<Vec<_>>().join(", "))
        }
        ValueKind::Object(object) => format!("object({})", object.class().display_name()),
        ValueKind::Resource(resource) => format!("resource({})", resource.id),
    }
}

/// A VM whose output is kept.
fn listening_vm() -> Box<Vm> {
    let mut vm = Vm::new(64 << 20);
    vm.output.set_sink(crate::output::Sink::Capture(Vec::new()));
    vm
}

/// What was reported, each message after ` ! `.
fn reported(vm: &mut Vm) -> String {
    let text = String::from_utf8(vm.output.take_captured()).expect("messages are text");
    text.lines()
        .filter_map(|line| {
            let (_, message) = line.split_once(": ")?;
            Some(format!(" ! {}", message.rsplit_once(" in ")?.0))
        })
        .collect()
}

type Binary = fn(&mut Vm, &mut Zval, &Zval, &Zval);

fn operator(symbol: &str) -> Binary {
    match symbol {
        "+" => add,
        "-" => sub,
        "*" => mul,
        "/" => div,
        "%" => modulus,
        "**" => pow,
        "<<" => shift_left,
        ">>" => shift_right,
        "|" => bitwise_or,
        "&" => bitwise_and,
        "^" => bitwise_xor,
        "." => concat,
        "xor" => boolean_xor,
        "<=>" => spaceship,
        "==" => |vm, result, left, right| result.set_bool(is_equal(vm, left, right)),
        "===" => |vm, result, left, right| result.set_bool(is_identical(vm, left, right)),
        "<" => |vm, result, left, right| result.set_bool(is_smaller(vm, left, right)),
        "<=" => |vm, result, left, right| result.set_bool(is_smaller_or_equal(vm, left, right)),
        _ => panic!("{symbol}"),
    }
}

/// Checks `left operator right`, then what was reported, one `!` line each.
#[track_caller]
fn check(left: &str, symbol: &str, right: &str, expected: &str) {
    let mut vm = listening_vm();
    let left_value = value(&mut vm, left);
    let right_value = value(&mut vm, right);
    let mut result = Zval::UNDEF;
    operator(symbol)(&mut vm, &mut result, &left_value, &right_value);
    // SAFETY: the operator gave its share away.
    let result = unsafe { Value::from_zval(result) };
    let shown = show(&result) + &reported(&mut vm);
    assert_eq!(shown, expected, "{left} {symbol} {right}");
}

#[test]
fn arithmetic() {
    check("1", "+", "2", "3");
    check("MAX", "+", "1", "9.223372036854776E+18");
    check("MIN", "-", "1", "-9.223372036854776E+18");
    check("MAX", "*", "2", "1.8446744073709552E+19");
    check("null", "+", "1.5", "1.5");
    check("true", "+", "true", "2");
    check("5", "+", "\" 7 \"", "12");
    check(
        "5",
        "+",
        "\"5 apples\"",
        "10 ! A non-numeric value encountered",
    );
    check(
        "\"5 apples\"",
        "*",
        "\"5 apples\"",
        "25 ! A non-numeric value encountered ! A non-numeric value encountered",
    );
    check("\"9223372036854775807\"", "+", "1", "9.223372036854776E+18");
    check("\"1e5\"", "+", "0", "100000.0");
    check("\"-0\"", "+", "0", "0");
    check("6", "/", "3", "2");
    check("7", "/", "2", "3.5");
    check("MIN", "/", "-1", "9.223372036854776E+18");
    check("0", "/", "-1.5", "-0.0");
    check("MIN", "%", "-1", "0");
    check("-7", "%", "3", "-1");
    check("7.0", "%", "3", "1");
    check(
        "1.5",
        "%",
        "2",
        "1 ! Implicit conversion from float 1.5 to int loses precision",
    );
    check(
        "5",
        "%",
        "1e30",
        "5 ! Implicit conversion from float 1.0E+30 to int loses precision",
    );
}

#[test]
fn powers() {
    check("7", "**", "2", "49");
    check("2", "**", "63", "9.223372036854776E+18");
    check("-2", "**", "63", "-9223372036854775808");
    check("3", "**", "40", "1.2157665459056929E+19");
    check("2", "**", "-1", "0.5");
    check("0", "**", "0", "1");
    check("-8", "**", "0.5", "NAN");
    check(
        "0",
        "**",
        "-1",
        "INF ! Power of base 0 and negative exponent is deprecated",
    );
}

#[test]
fn array_union() {
    check("[1, 2]", "+", "[5, 6, 7]", "[1, 2, 7]");
    check(
        "[\"a\" => 1]",
        "+",
        "[\"a\" => 2, \"b\" => 3]",
        "[\"a\" => 1, \"b\" => 3]",
    );
    check("[]", "+", "[3]", "[3]");
}

#[test]
fn bits() {
    check("5", "|", "\"7\"", "7");
    check("\"abc\"", "|", "\"5 apples\"", "\"ubcpples\"");
    check("\"12\"", "&", "\"9\"", "\"1\"");
    check("\"abc\"", "^", "\"   x\"", "\"ABC\"");
    check("1", "<<", "64", "0");
    check("1", "<<", "63", "-9223372036854775808");
    check("-1", ">>", "100", "-1");
    check("null", "|", "true", "1");
    check(
        "\"1.5\"",
        "|",
        "1",
        "1 ! Implicit conversion from float-string \"1.5\" to int loses precision",
    );
    check(
        "\"9999999999999999999\"",
        "|",
        "0",
        "9223372036854775807 ! Implicit conversion from float-string \"9999999999999999999\" to int \
         loses precision",
    );
    check(
        "INF",
        "|",
        "0",
        "0 ! Implicit conversion from float INF to int loses precision",
    );
    check("true", "xor", "\"0\"", "true");
}

#[test]
fn concatenation() {
    check("1", ".", "2.0", "\"12\"");
    check("null", ".", "true", "\"1\"");
    check("\"a\"", ".", "1e30", "\"a1.0E+30\"");
    check("0.1", ".", "-0.0", "\"0.1-0\"");
    check(
        "[]",
        ".",
        "\"x\"",
        "\"Arrayx\" ! Array to string conversion",
    );
}

#[test]
fn comparisons() {
    let cases = [
        ("null", "false", 0),
        ("null", "true", -1),
        ("null", "\"a\"", -1),
        ("null", "\"\"", 0),
        ("null", "[]", 0),
        ("[]", "null", 0),
        ("5", "\"abc\"", -1),
        ("\"abc\"", "5", 1),
        ("5", "\"5 apples\"", -1),
        ("5", "\" 5 \"", 0),
        ("5", "[1]", -1),
        ("[1]", "\"a\"", 1),
        ("true", "\"a\"", 0),
        ("1.5", "NAN", 1),
        ("NAN", "NAN", 1),
        ("\"abc\"", "NAN", 1),
        ("NAN", "\"abc\"", 1),
        ("1.5", "\"1.5\"", 0),
        ("1e30", "\"abc\"", -1),
        ("MAX", "9223372036854775808.0", 0),
        ("\"1e3\"", "\"1000\"", 0),
        ("\"abc\"", "\"abd\"", -1),
        ("\"10\"", "\"9\"", 1),
        ("\"10\"", "\"9a\"", -1),
        ("\"9223372036854775807\"", "\"9223372036854775808\"", -1),
        ("\"9223372036854775808\"", "\"9223372036854775809\"", -1),
        ("\"-9223372036854775809\"", "\"5\"", -1),
        ("\"1e1000\"", "\"1e1001\"", -1),
        ("\"1e1000\"", "INF", 0),
        ("[1, 2]", "[2 => 1]", 1),
        ("[1, 2]", "[2 => 1, 3 => 1]", 1),
        ("[1, 2]", "[1, 3]", -1),
        ("[\"a\" => 1, \"b\" => 2]", "[\"b\" => 2, \"a\" => 1]", 0),
        ("[1, [2]]", "[1, [\"2\"]]", 0),
    ];
    for (left, right, expected) in cases {
        check(left, "<=>", right, &expected.to_string());
    }
}

#[test]
fn equality() {
    check("\"abc\"", "==", "0", "false");
    check("\"1\"", "==", "\" 1\"", "true");
    check("\"1\"", "==", "\"1x\"", "false");
    check("\"0.0\"", "==", "false", "false");
    check("\"abc\"", "==", "\"ABC\"", "false");
    check("NAN", "==", "NAN", "false");
    check("NAN", "<=", "NAN", "false");
    check("1", "<", "NAN", "false");
    check("1", "===", "1.0", "false");
    check("[1, 2]", "===", "[1, 2]", "true");
    check("[0 => 1, 1 => 2]", "===", "[1 => 2, 0 => 1]", "false");
    check("[\"a\" => [1.0]]", "===", "[\"a\" => [1.0]]", "true");
    check("[NAN]", "===", "[NAN]", "false");
}

#[track_caller]
fn check_step(step: unsafe fn(&mut Vm, *mut Zval), before: &str, expected: &str) {
    let mut vm = listening_vm();
    let mut variable = value(&mut vm, before);
    // SAFETY: the variable is live.
    unsafe { step(&mut vm, variable.as_zval_mut()) };
    let shown = show(&variable) + &reported(&mut vm);
    assert_eq!(shown, expected, "{before}");
}

#[test]
fn increments() {
    let cases = [
        ("null", "1"),
        ("MAX", "9.223372036854776E+18"),
        ("1.5", "2.5"),
        ("\"z\"", "\"aa\""),
        ("\"Az\"", "\"Ba\""),
        ("\"zZ9\"", "\"aaA0\""),
        ("\"Zz\"", "\"AAa\""),
        ("\"5abc\"", "\"5abd\""),
        ("\" 5\"", "6"),
        ("\"1e3\"", "1001.0"),
        ("\"9223372036854775807\"", "9.223372036854776E+18"),
        (
            "\"\"",
            "\"1\" ! Increment on non-alphanumeric string is deprecated",
        ),
        (
            "\"zz-z\"",
            "\"zz-a\" ! Increment on non-alphanumeric string is deprecated",
        ),
        (
            "\"a-\"",
            "\"a-\" ! Increment on non-alphanumeric string is deprecated",
        ),
        (
            "true",
            "true ! Increment on type bool has no effect, this will change in the next major \
             version of PHP",
        ),
    ];
    for (before, expected) in cases {
        check_step(increment, before, expected);
    }
}

#[test]
fn decrements() {
    let cases = [
        ("1", "0"),
        ("MIN", "-9.223372036854776E+18"),
        ("\"5.5\"", "4.5"),
        ("\"-9223372036854775808\"", "-9.223372036854776E+18"),
        (
            "\"\"",
            "-1 ! Decrement on empty string is deprecated as non-numeric",
        ),
        (
            "\"a\"",
            "\"a\" ! Decrement on non-numeric string has no effect and is deprecated",
        ),
        (
            "null",
            "null ! Decrement on type null has no effect, this will change in the next major \
             version of PHP",
        ),
    ];
    for (before, expected) in cases {
        check_step(decrement, before, expected);
    }
}

#[test]
fn appending_in_place_is_linear() {
    let append = |vm: &mut Vm, target: &mut Value, right: &Value| {
        // SAFETY: the target is live.
        unsafe { concat_assign(vm, target.as_zval_mut(), right) };
    };
    let mut vm = Vm::new(64 << 20);
    let mut text: Value = vm.string("start").into();
    let piece: Value = vm.string("0123456789").into();
    for _ in 0..100_000 {
        append(&mut vm, &mut text, &piece);
    }
    assert_eq!(text.as_bytes().unwrap().len(), 5 + 1_000_000);
    assert!(text.as_bytes().unwrap().ends_with(b"890123456789"));
    let same = text.clone();
    append(&mut vm, &mut text, &same);
    assert_eq!(
        text.as_bytes().unwrap().len(),
        2 * same.as_bytes().unwrap().len()
    );
    let mut number: Value = 5i64.into();
    append(&mut vm, &mut number, &piece);
    assert_eq!(number.as_bytes().unwrap(), b"50123456789");
}

#[test]
fn casts_to_int() {
    let cases = [
        ("1e19", -8446744073709551616),
        ("1e30", 5076964154930102272),
        ("-1e30", -5076964154930102272),
        ("9223372036854775808.0", i64::MIN),
        ("NAN", 0),
        ("INF", 0),
        ("-1.9", -1),
        ("[0]", 1),
        ("\"1e1000\"", 0),
    ];
    let mut vm = Vm::new(64 << 20);
    for (text, expected) in cases {
        let value = value(&mut vm, text);
        assert_eq!(to_long(&mut vm, &value), expected, "{text}");
    }
}

#[test]
fn values_are_released() {
    let mut vm = listening_vm();
    vm.warning("first");
    let live = vm.heap.live();
    for (left, symbol, right) in [
        ("\"long string\"", ".", "\"another\""),
        ("[1, \"two strings\"]", "+", "[1, 2, 3]"),
        ("[1, [2, \"three\"]]", "==", "[1, [2, \"three\"]]"),
        ("\"5 apples\"", "+", "\"6 pears\""),
        ("[]", ".", "\"x\""),
    ] {
        let left = value(&mut vm, left);
        let right = value(&mut vm, right);
        let mut result = Zval::UNDEF;
        operator(symbol)(&mut vm, &mut result, &left, &right);
        // SAFETY: the operator gave its share away.
        drop(unsafe { Value::from_zval(result) });
    }
    vm.warning("last");
    assert_eq!(vm.heap.live(), live);
}
