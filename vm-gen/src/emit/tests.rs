//! Generated tests: of each opcode that can be run on its own all paths against its slow path, on values with
//! memory behind them; and each clause that looks at none against its slow path and its lowering, on edge values.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use vm_def::facts::kind_bits;
use vm_def::grammar::{Effect, ExtendedMeaning, ResultKind, Unwinding};
use vm_def::ir::{
    Argument, Clause, Intrinsic, IntrinsicEffect, Operation, Place, Register, Terminator,
};
use vm_def::types::TypeMask;

use super::tables;
use crate::model::{Definitions, Opcode};
use crate::plan::Plan;

/// The test module. It needs `crate::testing::Harness`; see docs/definition-language.md.
pub(super) fn module(definitions: &Definitions, plan: &Plan) -> TokenStream {
    let tested: Vec<&Opcode> = definitions
        .opcodes
        .iter()
        .filter(|opcode| is_evaluated(opcode, plan))
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
    let alone = definitions
        .opcodes
        .iter()
        .filter(|opcode| runs_alone(opcode, plan));
    let alone = alone.map(|opcode| {
        let name = format_ident!("{}_paths", opcode.function_name());
        let variant = format_ident!("{}", opcode.name.value);
        let family = super::module_name(&opcode.family);
        let slow = format_ident!("{}__slow", opcode.function_name());
        quote! {
            #[test]
            fn #name() {
                let mut harness = Harness::new();
                let slow = super::handlers::#family::#slow;
                let cases = compare(&mut harness, Opcode::#variant, slow);
                assert!(cases > 0);
            }
        }
    });
    quote! {
        use vm_def::facts::TypeFacts;
        use vm_def::ir::{AbstractValue, Machine, Outcome};
        use vm_def::types::TypeMask;

        use super::opcode::Opcode;
        use crate::op::Handler;
        use crate::testing::{Harness, compare};

        #(#tests)*

        #(#alone)*

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
                    // What looks at memory is nothing that the evaluator can tell of, and it might apply.
                    let mut runs = lowering.clauses.iter().map_while(|clause| {
                        let mut machine = start.clone();
                        let outcome = machine.run(clause)?;
                        Some((outcome, machine))
                    });
                    let expected = runs.find(|(outcome, _)| *outcome != Outcome::Exit);
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
            // The result may be that of the branch that is taken alone.
            let facts = opcode.facts();
            let is_of_branch = facts.effects.jumps_op2
                && facts.result.types == TypeMask::ANY
                && left.0 == Outcome::Next;
            // An operand that is only read may have been freed.
            let equal = left.0 == right.0
                && (!opcode.facts().op1.written || left.1.op1.same(&right.1.op1))
                && (is_of_branch || left.1.result.same(&right.1.result));
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

/// Opcodes that can be run on their own, with nothing but values in slots: all that they have besides is the VM.
fn runs_alone(opcode: &Opcode, plan: &Plan) -> bool {
    let result_is_value = opcode.result.as_ref().is_none_or(|result| {
        // Ropes and the states of loops and silence are no values.
        let is_value = !matches!(
            result.unwound,
            Unwinding::Rope | Unwinding::Loop | Unwinding::Silence | Unwinding::Object
        );
        let is_slot = result
            .kinds
            .iter()
            .all(|kind| matches!(kind, ResultKind::Tmp | ResultKind::Var));
        is_value && is_slot
    });
    let needs_more = opcode.extended.iter().any(|meaning| {
        matches!(
            meaning.value,
            ExtendedMeaning::CacheSlot
                | ExtendedMeaning::Frameless
                | ExtendedMeaning::FunctionSlot
                | ExtendedMeaning::VarFetch
                | ExtendedMeaning::Eval
                | ExtendedMeaning::JmpAddr
        )
    });
    let needs_frames = !opcode.effects.is_empty()
        && opcode
            .effects
            .iter()
            .any(|effect| effect.value != Effect::Computes);
    let operands = [Some(&opcode.op1), Some(&opcode.op2), opcode.data.as_ref()];
    let fits = operands.into_iter().flatten().all(|operand| {
        let kinds = tables::kinds(operand);
        let has_slots = kinds & (kind_bits::TMP | kind_bits::CV) != 0;
        let may_lack = kinds == kind_bits::UNUSED;
        !operand.define && (has_slots || may_lack)
    });
    let mut clauses = plan.clauses(&opcode.name.value).peekable();
    let has_clauses = clauses.peek().is_some();
    let has_slow = opcode.slow.is_some() && opcode.alias.is_none();
    result_is_value
        && !needs_more
        && !needs_frames
        && fits
        && has_clauses
        && has_slow
        && clauses.all(looks_at_values_only)
}

/// Whether a clause looks at nothing but its operands and what they lead to.
fn looks_at_values_only(clause: &Clause) -> bool {
    let values = clause
        .instructions()
        .all(|instruction| match &instruction.operation {
            Operation::Register(register) => *register != Register::Frame,
            Operation::CacheWord(..) => false,
            Operation::Intrinsic(intrinsic, _) => {
                // Ropes, closures and states of silence are no samples.
                !matches!(
                    intrinsic,
                    Intrinsic::SetRopePart
                        | Intrinsic::JoinedRope
                        | Intrinsic::Capture
                        | Intrinsic::EndSilence
                )
            }
            _ => true,
        });
    let ends = clause.blocks.iter().all(|block| {
        !matches!(
            block.terminator,
            Terminator::Switch { .. } | Terminator::Helper(_)
        )
    });
    values && ends
}

/// Opcodes of which some clause can be run by the evaluator, on values without identity.
fn is_evaluated(opcode: &Opcode, plan: &Plan) -> bool {
    let mut clauses = plan.clauses(&opcode.name.value);
    if !runs_alone(opcode, plan) || !clauses.any(is_abstract) {
        return false;
    }
    let has_values = opcode
        .fast
        .iter()
        .any(|clause| !clause.parameters.is_empty());
    has_values && opcode.data.is_none()
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
