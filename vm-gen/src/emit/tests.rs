//! Generated tests: each fast clause against its slow path and its lowering, on generated values.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use vm_def::grammar::OperandKind;
use vm_def::ir::{Argument, Clause, IntrinsicEffect, Operation, Place, Terminator};
use vm_def::types::TypeMask;

use crate::model::{Definitions, Opcode, SlowForm};
use crate::plan::Plan;

/// The test module. It needs `crate::testing::Harness`; see docs/definition-language.md.
pub(super) fn module(definitions: &Definitions, plan: &Plan) -> TokenStream {
    let tested: Vec<&Opcode> = definitions
        .opcodes
        .iter()
        .filter(|opcode| is_testable(opcode, plan))
        .collect();
    let tests = tested.iter().map(|opcode| {
        let name = format_ident!("{}_clauses", opcode.function_name());
        let variant = format_ident!("{}", opcode.name.value);
        let family = super::module_name(&opcode.family);
        let slow = format_ident!("{}__slow", opcode.function_name());
        let types = |index: usize| {
            let masks = opcode
                .fast
                .iter()
                .filter_map(|clause| clause.parameters.get(index));
            masks
                .fold(TypeMask::NONE, |mask, parameter| {
                    mask.union(parameter.types)
                })
                .0
        };
        let (op1, op2) = (types(0), types(1));
        let smart = opcode.has_spec(vm_def::grammar::SpecOption::SmartBranch);
        quote! {
            #[test]
            fn #name() {
                check(
                    Opcode::#variant,
                    super::handlers::#family::#slow,
                    TypeMask(#op1),
                    TypeMask(#op2),
                    #smart,
                );
            }
        }
    });
    quote! {
        use vm_def::facts::TypeFacts;
        use vm_def::ir::{AbstractValue, Machine, Outcome};
        use vm_def::types::TypeMask;

        use super::opcode::Opcode;
        use crate::op::Handler;
        use crate::testing::Harness;

        #(#tests)*

        /// Runs an opcode on every pair of values whose types some clause takes.
        fn check(opcode: Opcode, slow: Handler, op1: TypeMask, op2: TypeMask, smart: bool) {
            let mut harness = Harness::new();
            let lowering = harness.lowering(opcode);
            for first in values(op1) {
                for second in values(op2) {
                    let start = Machine {
                        op1: first.clone(),
                        op2: second.clone(),
                        result: AbstractValue::Undef,
                        extended: 0x54,
                    };
                    let facts = TypeFacts { op1: (&first).into(), op2: (&second).into() };
                    let expected = lowering.clauses.iter().find_map(|clause| {
                        let mut machine = start.clone();
                        let outcome = machine.run(clause).expect("a well-formed clause");
                        (outcome != Outcome::Exit).then_some((outcome, machine))
                    });
                    let generic = harness.run(opcode, None, TypeFacts::UNKNOWN, &start);
                    let typed = harness.run(opcode, None, facts, &start);
                    let slow = harness.run(opcode, Some(slow), TypeFacts::UNKNOWN, &start);
                    let context = format!("{opcode:?} {first:?} {second:?}");
                    same(opcode, &slow, &generic, &format!("{context}: slow and generic"));
                    same(opcode, &slow, &typed, &format!("{context}: slow and typed"));
                    if let Some((outcome, machine)) = expected {
                        let lowered = settle(outcome, machine, smart);
                        same(opcode, &slow, &lowered, &format!("{context}: slow and lowering"));
                    }
                }
            }
        }

        /// A truth value that no branch takes is in the result.
        fn settle(outcome: Outcome, mut machine: Machine, smart: bool) -> (Outcome, Machine) {
            match outcome {
                Outcome::Decided(value) if smart => {
                    machine.result = AbstractValue::Bool(value);
                    (Outcome::Next, machine)
                }
                outcome => (outcome, machine),
            }
        }

        fn same(
            opcode: Opcode,
            left: &(Outcome, Machine),
            right: &(Outcome, Machine),
            context: &str,
        ) {
            // An operand that is only read may have been freed.
            let equal = left.0 == right.0
                && (!opcode.facts().op1.written || left.1.op1.same(&right.1.op1))
                && left.1.result.same(&right.1.result);
            assert!(equal, "{context}: {left:?} and {right:?}");
        }

        /// Values of these types: the edges, and some in between.
        fn values(types: TypeMask) -> Vec<AbstractValue> {
            use AbstractValue::{Array, Bool, Double, Long, Null, String};
            if types == TypeMask::NONE {
                return vec![AbstractValue::Undef];
            }
            let mut all = vec![Null, Bool(false), Bool(true)];
            let longs = [
                0, 1, -1, 2, -2, 7, -7, 12, 31, 32, 62, 63, 64, 65, 1 << 31, -(1 << 31), 1 << 32,
                1 << 53, (1 << 53) + 1, i64::MAX - 1, i64::MAX, i64::MIN, i64::MIN + 1,
            ];
            all.extend(longs.map(Long));
            let doubles = [
                0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e15, 9007199254740993.0, 9.3e18, -9.3e18,
                1e308, -1e308, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN,
            ];
            all.extend(doubles.map(Double));
            all.extend(["", "0", "a", "abc"].map(|text| String(text.as_bytes().to_vec())));
            all.extend([Array(Vec::new()), Array(vec![Long(1), Null])]);
            all.retain(|value| types.has_number(value.kind()));
            all
        }
    }
}

/// Opcodes whose slow path is not reached by an exception alone can be run on their own.
fn is_testable(opcode: &Opcode, plan: &Plan) -> bool {
    // What looks at memory is tested by whole programs: abstract values have none.
    let mut clauses = plan
        .generic(&opcode.name.value)
        .filter(|planned| ![planned.variant.op1, planned.variant.op2].contains(&OperandKind::Var))
        .flat_map(|planned| &planned.lowering.clauses)
        .peekable();
    let has_clauses = clauses.peek().is_some();
    if !clauses.all(is_abstract) {
        return false;
    }
    let has_values = opcode
        .fast
        .iter()
        .any(|clause| !clause.parameters.is_empty());
    let slow = opcode.slow.as_ref();
    let has_slow = slow.is_some_and(|slow| {
        matches!(
            slow.form,
            SlowForm::Value { .. } | SlowForm::Condition { .. } | SlowForm::Handler
        )
    });
    has_clauses && has_values && has_slow && opcode.data.is_none()
}

/// Whether the evaluator can run the clause on values without identity.
fn is_abstract(clause: &Clause) -> bool {
    let operations = clause.instructions().all(|instruction| {
        !matches!(
            instruction.operation.place(),
            Some(Place::At(_) | Place::Data)
        ) && !matches!(
            instruction.operation,
            Operation::Deref(_)
                | Operation::Indirect(_)
                | Operation::TypeWord(_)
                | Operation::Register(_)
                | Operation::CacheWord(..)
                | Operation::StoreField(..)
                | Operation::Element(..)
                | Operation::Named(_)
                | Operation::Move(..)
                | Operation::StoreTyped(..)
                | Operation::StoreString(..)
        )
    });
    let intrinsics = clause.instructions().all(|instruction| {
        let Operation::Intrinsic(intrinsic, _) = &instruction.operation else {
            return true;
        };
        let takes_memory = |argument: &Argument| matches!(argument, Argument::To(_));
        intrinsic.effect() == IntrinsicEffect::Pure
            && !intrinsic.arguments().iter().any(takes_memory)
    });
    let terminators = clause.blocks.iter().all(|block| {
        !matches!(
            block.terminator,
            Terminator::Goto(_) | Terminator::Switch { .. } | Terminator::Helper(_)
        )
    });
    operations && intrinsics && terminators && !clause.middle
}
