//! The text form and the evaluator of the intermediate form.

use vm_def::ir::{AbstractValue, Lowering, Machine, Outcome, ParseError};
use vm_def::types::TypeMask;

const ADD: &str = "\
lowering ADD
clause LONG op1:long op2:long
block0
    guard_type op1 long
    guard_type op2 long
    v0 = load_i64 op1
    v1 = load_i64 op2
    v2 = add_i64_overflow v0 v1 block1 block2
block1
    store_i64 result v2
    next
block2
    v3 = i64_to_f64 v0
    v4 = i64_to_f64 v1
    v5 = add_f64 v3 v4
    store_f64 result v5
    next
clause - op1:null|false
block0
    guard_type op1 null|false
    v0 = const_f64 0x8000000000000000 ; -0.0
    v1 = const_bool true
    guard v1
    v2 = call kind_of v3
    decide v1
interp_one
";

fn run(op1: AbstractValue, op2: AbstractValue) -> (Option<Outcome>, AbstractValue) {
    let lowering = Lowering::parse(ADD).expect("well-formed");
    let mut machine = Machine {
        op1,
        op2,
        ..Machine::default()
    };
    (machine.run(&lowering.clauses[0]), machine.result)
}

#[test]
fn text_is_read_back() {
    let lowering = Lowering::parse(ADD).expect("well-formed");
    assert_eq!(lowering.to_string(), ADD);
}

#[test]
fn malformed_text_is_refused_with_its_line() {
    for (text, line) in [
        ("lowering ADD\nclause LONG op3:long\n", 2),
        ("lowering ADD\nclause -\nblock1\n", 3),
        ("lowering ADD\nclause -\nblock0\n    frobnicate v0\n", 4),
        ("lowering ADD\nclause -\nblock0\n    next\n    next\n", 5),
        ("    next\n", 1),
    ] {
        assert_eq!(Lowering::parse(text), Err(ParseError { line }), "{text}");
    }
}

#[test]
fn clauses_run() {
    use AbstractValue::{Double, Long, Null};
    assert_eq!(run(Long(1), Long(2)), (Some(Outcome::Next), Long(3)));
    let overflow = (Some(Outcome::Next), Double(9_223_372_036_854_775_808.0));
    assert_eq!(run(Long(i64::MAX), Long(1)), overflow);
    assert_eq!(
        run(Long(1), Null),
        (Some(Outcome::Exit), AbstractValue::Undef)
    );
}

#[test]
fn a_value_that_is_not_defined_is_noticed() {
    let lowering = Lowering::parse(ADD).expect("well-formed");
    let mut machine = Machine {
        op1: AbstractValue::Null,
        ..Machine::default()
    };
    assert_eq!(machine.run(&lowering.clauses[1]), None);
}

#[test]
fn masks_have_a_text_form() {
    for mask in [
        TypeMask::LONG,
        TypeMask::BOOL,
        TypeMask::ANY,
        TypeMask::NULL.union(TypeMask::ARRAY),
    ] {
        assert_eq!(TypeMask::parse(&mask.to_string()), Some(mask));
    }
    assert_eq!(TypeMask::parse("integer"), None);
}
