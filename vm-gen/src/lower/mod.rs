//! Lowers fast clauses to micro-operations, and finds what is wrong with them on the way.
//!
//! A clause becomes a tree of blocks. What follows a choice (an `if`, an overflow) is lowered once for
//! each way, so a name may hold an integer on one way and a float on another, and no joins are needed.

mod builder;
mod expression;
mod statement;

use std::collections::{BTreeMap, BTreeSet};

use vm_def::ir::{Clause, Instruction, Lowering, Operation, Place, Representation, Value};
use vm_def::types::TypeMask;

use crate::diagnostics::{Diagnostics, Location};
use crate::model::{FastClause, Opcode};
use builder::Builder;

/// What a name or an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Typed {
    /// An unboxed value.
    Unboxed(Representation, Value),
    /// The address of a value of one of these types.
    Boxed(TypeMask, Value),
    /// `Null`.
    Null,
}

/// Where the lowering of one way through a clause is.
#[derive(Clone)]
pub(crate) struct State {
    block: usize,
    names: BTreeMap<String, Typed>,
    nonzero: BTreeSet<Value>,
    written: bool,
    result_written: bool,
    decision: Option<Value>,
}

/// Lowers one clause of an opcode.
pub(crate) struct Lowerer<'a> {
    opcode: &'a Opcode,
    diagnostics: &'a mut Diagnostics,
    builder: Builder,
    end: Location,
}

/// What is done with the state and the value at the end of a part.
type Continuation<'c> = dyn Fn(&mut Lowerer<'_>, State, Option<Typed>) + 'c;

/// Lowers an opcode's fast clauses; what is wrong with them is reported.
pub(crate) fn lower(opcode: &Opcode, diagnostics: &mut Diagnostics) -> Lowering {
    Lowering {
        opcode: opcode.name.value.clone(),
        clauses: opcode
            .fast
            .iter()
            .map(|clause| lower_clause(opcode, clause, diagnostics))
            .collect(),
    }
}

fn lower_clause(opcode: &Opcode, clause: &FastClause, diagnostics: &mut Diagnostics) -> Clause {
    let mut lowerer = Lowerer {
        opcode,
        diagnostics,
        builder: Builder::default(),
        end: clause.location.clone(),
    };
    let mut state = State {
        block: lowerer.builder.open_block(),
        names: BTreeMap::new(),
        nonzero: BTreeSet::new(),
        written: false,
        result_written: false,
        decision: None,
    };
    let places = [Place::Op1, Place::Op2];
    let parameters: Vec<_> = clause.parameters.iter().zip(places).collect();
    for (parameter, place) in &parameters {
        lowerer
            .builder
            .push(&state, Operation::GuardType(*place, parameter.types));
    }
    for (parameter, place) in &parameters {
        let value = representation(parameter.types);
        let loaded = lowerer
            .builder
            .define(&state, Operation::Load(*place, value));
        let typed = match value {
            Representation::Boxed => Typed::Boxed(parameter.types, loaded),
            _ => Typed::Unboxed(value, loaded),
        };
        state.names.insert(parameter.name.value.clone(), typed);
    }
    lowerer.block(state, &clause.body, &|lowerer, state, value| {
        lowerer.finish(state, value)
    });
    let types = |index: usize| {
        clause
            .parameters
            .get(index)
            .map(|parameter| parameter.types)
    };
    let mut lowered = Clause {
        name: clause.name.as_ref().map(|name| name.value.clone()),
        op1: types(0),
        op2: types(1),
        blocks: lowerer.builder.finish(),
    };
    drop_unused(&mut lowered);
    lowered
}

/// How a parameter of these types is held.
fn representation(types: TypeMask) -> Representation {
    if types == TypeMask::LONG {
        Representation::Long
    } else if types == TypeMask::DOUBLE {
        Representation::Double
    } else if types.is_subset_of(TypeMask::BOOL) {
        Representation::Bool
    } else {
        Representation::Boxed
    }
}

/// Removes loads and constants that nothing uses.
fn drop_unused(clause: &mut Clause) {
    use vm_def::ir::Terminator;
    loop {
        let mut used = BTreeSet::new();
        for block in &clause.blocks {
            for instruction in &block.instructions {
                match &instruction.operation {
                    Operation::Guard(value)
                    | Operation::Unary(_, value)
                    | Operation::Store(_, _, value) => used.extend([*value]),
                    Operation::Binary(_, left, right) => used.extend([*left, *right]),
                    Operation::Intrinsic(_, arguments) => used.extend(arguments),
                    _ => {}
                }
            }
            match &block.terminator {
                Terminator::Decide(value)
                | Terminator::Branch {
                    condition: value, ..
                } => {
                    used.extend([*value]);
                }
                Terminator::Overflow { left, right, .. } => used.extend([*left, *right]),
                Terminator::Next | Terminator::Jump(_) => {}
            }
        }
        let unused = |instruction: &Instruction| {
            instruction
                .output
                .is_some_and(|output| !used.contains(&output))
                && !instruction.operation.may_exit()
        };
        let before = clause.instructions().count();
        for block in &mut clause.blocks {
            block
                .instructions
                .retain(|instruction| !unused(instruction));
        }
        if clause.instructions().count() == before {
            return;
        }
    }
}
