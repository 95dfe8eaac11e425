//! Lowers clauses to micro-operations, and finds what is wrong with them on the way.
//!
//! A clause is lowered once for each specialisation of its opcode, so that operand kinds, consumed
//! operands and the form of the result are part of what comes out. It becomes a tree of blocks: what
//! follows a choice (an `if`, an overflow) is lowered once for each way, so a name may hold an integer
//! on one way and a float on another, and no joins are needed.

mod builder;
mod calls;
mod expression;
mod memory;
mod operands;
mod statement;

use std::collections::{BTreeMap, BTreeSet};

use vm_def::grammar::OperandKind;
use vm_def::ir::{
    Clause, Instruction, Lowering, Operation, Place, Representation, Structure, Value,
};
use vm_def::types::TypeMask;

use crate::diagnostics::{Diagnostics, Location};
use crate::model::{Definitions, FastClause, Opcode, Parameter};
use crate::specialise::{ResultForm, Variant};
use builder::Builder;
use operands::assigns;

/// What a name or an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Typed {
    /// An unboxed number or truth value.
    Unboxed(Representation, Value),
    /// The address of a structure.
    Pointer(Structure, Value),
    /// A value of one of these types that is only borrowed, where it lies.
    Boxed(TypeMask, Place),
    /// The value of a consumed operand, with its share.
    Taken(Place),
    /// A value made of a payload and a type word.
    Made(u32, Value),
    /// A truth value that the specialisation decides.
    Known(bool),
    /// A string, which gets a share of its own.
    SharedString(Value),
    /// `Null`.
    Null,
    /// `Undef`.
    Undef,
}

/// Where the lowering of one way through a clause is.
#[derive(Clone)]
pub(crate) struct State {
    block: usize,
    names: BTreeMap<String, Typed>,
    /// What guards have shown of the slots that they looked at.
    shown: BTreeMap<Place, TypeMask>,
    nonzero: BTreeSet<Value>,
    written: bool,
    result_written: bool,
    /// Where the result goes: its slot, or behind the reference that is there.
    result: Place,
    decision: Option<Value>,
    /// Operands whose share was taken, or that hold none: they are not freed.
    settled: BTreeSet<Place>,
}

/// Lowers one clause of an opcode for one specialisation.
pub(crate) struct Lowerer<'a> {
    definitions: &'a Definitions,
    opcode: &'a Opcode,
    variant: &'a Variant,
    clause: &'a FastClause,
    /// The clause of the variant's operator that a compound clause is made with.
    operator: Option<&'a FastClause>,
    diagnostics: &'a mut Diagnostics,
    builder: Builder,
    end: Location,
    /// Shared clauses being expanded, against circles.
    depth: usize,
    /// The clause is for what stands behind references.
    is_behind: bool,
    /// A guard at the front fails in this specialisation.
    never: bool,
    /// Operands that a fast clause does not give back where it jumps, decides or goes elsewhere.
    left: BTreeSet<Place>,
}

/// The shared clause that gives where an assignment to a variable goes.
const ASSIGNABLE: &str = "assignable";

/// What is done with the state and the value at the end of a part.
type Continuation<'c> = dyn Fn(&mut Lowerer<'_>, State, Option<Typed>) + 'c;

/// Lowers the clauses that apply to a variant; what is wrong with them is reported. With a clause
/// whose types are proven, only that. A fast clause that ends by jumping or deciding leaves temporaries that have
/// a share in something to a *companion* on the middle path: the same clause, which gives them back before it ends.
/// A clause that looks at variables applies on the middle path to what stands behind references, too.
pub(crate) fn lower(
    definitions: &Definitions,
    opcode: &Opcode,
    variant: &Variant,
    diagnostics: &mut Diagnostics,
) -> Lowering {
    let mut clauses = Vec::new();
    for (position, clause) in opcode.fast.iter().enumerate() {
        let wanted = match variant.clause {
            None => !clause.typed,
            Some(only) => only == position || !clause.typed && clause.follows(&opcode.fast[only]),
        };
        if !wanted || !variant.takes_clause(opcode, position) {
            continue;
        }
        let operator = match (clause.compound, variant.operator()) {
            (false, _) => vec![None],
            (true, Some(number)) => operator_clauses(definitions, number),
            (true, None) => continue,
        };
        let mut lowered = |clause: &FastClause, operator, is_behind| {
            let lowerer = Lowerer {
                definitions,
                opcode,
                variant,
                clause,
                operator,
                diagnostics: &mut *diagnostics,
                builder: Builder::default(),
                end: clause.location.clone(),
                depth: 0,
                is_behind,
                never: false,
                left: BTreeSet::new(),
            };
            lowerer.run()
        };
        for operator in operator {
            let (lowering, leaves_shares) = lowered(clause, operator, false);
            clauses.extend(lowering);
            if leaves_shares && operator.is_none() && !opcode.shares_places() {
                let companion = FastClause {
                    middle: true,
                    ..clause.clone()
                };
                clauses.extend(lowered(&companion, None, false).0);
            }
        }
        // Where a result goes that a reference gets is for the definition to say.
        let goes_on = variant.form != ResultForm::Cv || definitions.shared(ASSIGNABLE).is_some();
        if let Some(behind) = behind_references(opcode, variant, clause).filter(|_| goes_on) {
            let behind = lowered(&behind, None, true).0;
            clauses.extend(behind.filter(|clause| !takes_what_is_behind(clause)));
        }
    }
    // The middle path comes after all fast clauses.
    clauses.sort_by_key(|clause| clause.middle);
    Lowering::new(opcode.name.value.clone(), clauses)
}

/// A clause for what stands behind references; none if it looks at no variable that may be one, or says itself where
/// its operands are.
fn behind_references(
    opcode: &Opcode,
    variant: &Variant,
    clause: &FastClause,
) -> Option<FastClause> {
    let says_where =
        |parameter: &Parameter| parameter.follow || parameter.proven || !parameter.kinds.is_empty();
    let is_plain = !clause.compound
        && !clause.typed
        && variant.clause.is_none()
        && !clause.parameters.iter().any(says_where);
    let operands = [
        (&opcode.op1, variant.op1, Place::Op1),
        (&opcode.op2, variant.op2, Place::Op2),
    ];
    let mut behind = clause.clone();
    let mut may_refer = false;
    for (parameter, (operand, kind, place)) in behind.parameters.iter_mut().zip(operands) {
        if parameter.place {
            continue;
        }
        let is_variable = matches!(kind, OperandKind::Cv | OperandKind::TmpVarCv);
        if is_variable && (!operand.is_read() || assigns(&clause.body, place)) {
            return None;
        }
        let holds_value = !parameter.types.intersects(TypeMask::REFERENCE);
        parameter.follow = is_variable && holds_value && !parameter.name.value.is_empty();
        may_refer |= parameter.follow;
    }
    (behind.middle, behind.typed, behind.name) = (true, false, None);
    (is_plain && may_refer).then_some(behind)
}

/// Whether a clause moves a value out of the reference that an operand is, or writes it: others share it.
fn takes_what_is_behind(clause: &Clause) -> bool {
    let dereferenced = clause.instructions().filter_map(|it| match it.operation {
        Operation::Deref(Place::Op1 | Place::Op2) => it.output,
        _ => None,
    });
    let values: BTreeSet<Value> = dereferenced.collect();
    clause.instructions().any(|instruction| {
        let is_moved =
            matches!(&instruction.operation, Operation::Move(_, value) if values.contains(value));
        let written = instruction.operation.written();
        is_moved || matches!(written, Some(Place::At(value)) if values.contains(&value))
    })
}

/// The clauses of a binary operator that an assigning opcode takes over.
fn operator_clauses(definitions: &Definitions, number: u32) -> Vec<Option<&FastClause>> {
    let opcode = definitions
        .opcodes
        .iter()
        .find(|opcode| opcode.number.value == number);
    let fast = opcode.into_iter().flat_map(|opcode| &opcode.fast);
    fast.filter(|clause| !clause.middle).map(Some).collect()
}

impl Lowerer<'_> {
    /// The clause, `None` if the specialisation decides that it never applies; and whether it leaves operands that
    /// have a share to others.
    fn run(mut self) -> (Option<Clause>, bool) {
        let mut state = State {
            block: self.builder.open_block(),
            names: BTreeMap::new(),
            shown: BTreeMap::new(),
            nonzero: BTreeSet::new(),
            written: false,
            result_written: false,
            result: Place::Result,
            decision: None,
            settled: BTreeSet::new(),
        };
        let clause = self.clause;
        let places = [Place::Op1, Place::Op2, Place::Data];
        let parameters: Vec<_> = clause.parameters.iter().zip(places).collect();
        let mut located = Vec::new();
        for (parameter, operand) in &parameters {
            located.push(self.locate(&mut state, parameter, *operand));
        }
        for ((parameter, _), place) in parameters.iter().zip(&located) {
            // A handler whose clause is chosen by types has them proven.
            if self.is_proven(parameter) {
                state.shown.insert(*place, parameter.types);
            } else {
                self.guard_type(&mut state, *place, parameter.types);
            }
        }
        self.guard_data(&mut state);
        for ((parameter, _), place) in parameters.iter().zip(&located) {
            self.bind(&mut state, parameter, *place);
        }
        match self.is_behind && self.variant.form == ResultForm::Cv {
            true => self.result_behind(state),
            false => self.body(state),
        }
        let middle = clause.middle || self.operator.is_some_and(|operator| operator.middle);
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
            middle,
            blocks: std::mem::take(&mut self.builder).finish(),
        };
        self.guard_front(&mut lowered);
        drop_unused(&mut lowered);
        ((!self.never).then_some(lowered), !self.left.is_empty())
    }

    fn body(&mut self, state: State) {
        let clause = self.clause;
        self.block(state, &clause.body, &|lowerer, state, value| {
            lowerer.finish(state, value)
        });
    }

    /// The clause for a variable that gets the result and may be a reference.
    fn result_behind(&mut self, state: State) {
        let variable = Typed::Boxed(TypeMask::ANY, Place::Result);
        self.shared(
            state,
            ASSIGNABLE,
            &[variable],
            &|lowerer, mut state, place| {
                let Some(Typed::Boxed(_, place)) = place else {
                    unreachable!("the clause gives where assignments go");
                };
                lowerer
                    .builder
                    .push(&state, Operation::GuardUncounted(place));
                state.result = place;
                lowerer.body(state);
            },
        );
    }

    /// Of the right operand of an operator that is OP_DATA the type is tested first: it tells which of the operator's
    /// clauses it may be before the place is looked for.
    fn guard_data(&mut self, state: &mut State) {
        let operator = self
            .operator
            .and_then(|operator| operator.parameters.get(1));
        let data = self.clause.parameters.get(2).filter(|data| !data.follow);
        if let (Some(operator), Some(_)) = (operator, data) {
            self.guard_type(state, Place::Data, operator.types);
        }
    }

    /// Whether the handler is chosen where the parameter's types are proven.
    fn is_proven(&self, parameter: &Parameter) -> bool {
        let Some(chosen) = self.variant.clause.map(|only| &self.opcode.fast[only]) else {
            return false;
        };
        let index = |clause: &FastClause| clause.position(&parameter.name.value);
        let Some(proof) = index(self.clause).and_then(|index| chosen.parameters.get(index)) else {
            return false;
        };
        chosen.proves(proof) && proof.types.is_subset_of(parameter.types)
    }

    fn bind(&mut self, state: &mut State, parameter: &Parameter, place: Place) {
        if parameter.name.value.is_empty() {
            return;
        }
        let typed = match representation(parameter.types) {
            Representation::Boxed => Typed::Boxed(parameter.types, place),
            held => {
                let loaded = self.builder.define(state, Operation::Load(place, held));
                Typed::Unboxed(held, loaded)
            }
        };
        state.names.insert(parameter.name.value.clone(), typed);
    }

    /// Refuses to free op1 where its place may have been the result's by then.
    fn refuse_late_frees(&mut self, clause: &Clause) {
        let has = |is_so: fn(&Operation) -> bool| {
            let mut instructions = clause.instructions();
            instructions.any(|instruction| is_so(&instruction.operation))
        };
        let frees = has(|operation| *operation == Operation::Free(Place::Op1))
            && has(|operation| operation.written() == Some(Place::Result));
        if frees {
            self.diagnostics.report(
                &self.end,
                "op1 is given back too late",
                "the result may have taken its place: leave such operands to the slow path (`in CV`)",
            );
        }
    }

    /// Guards that a clause needs because of its specialisation: an old value that the result would
    /// overwrite, and consumed operands that nothing frees where some way through the clause ends.
    fn guard_front(&mut self, clause: &mut Clause) {
        let mut guards = Vec::new();
        if self.variant.form == ResultForm::Cv && !self.is_behind {
            guards.push(Operation::GuardUncounted(Place::Result));
        }
        if !self.left.is_empty() {
            let counted = &self.left;
            // What a temporary surely has a share of is not uncounted.
            self.never |= clause.blocks[0].instructions.iter().any(|instruction| {
                matches!(&instruction.operation, Operation::GuardType(place, types)
                    if counted.contains(place) && types.is_subset_of(TypeMask::ALWAYS_COUNTED))
            });
            guards.extend(counted.iter().copied().map(Operation::GuardUncounted));
        } else if self.opcode.shares_places() {
            self.refuse_late_frees(clause);
        }
        // Behind what finds the operands' values, with which the other clauses begin as well.
        let front = &mut clause.blocks[0].instructions;
        let finds_values = |instruction: &Instruction| match instruction.operation {
            Operation::Indirect(_) | Operation::Deref(_) => true,
            Operation::GuardType(_, types) => types == TypeMask::INDIRECT,
            _ => false,
        };
        let place = front.iter().take_while(|it| finds_values(it)).count();
        let instructions = guards.into_iter().map(|operation| Instruction {
            output: None,
            operation,
        });
        front.splice(place..place, instructions);
    }
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

/// Removes instructions without effect whose output nothing uses.
fn drop_unused(clause: &mut Clause) {
    loop {
        let mut used = BTreeSet::new();
        for block in &clause.blocks {
            for instruction in &block.instructions {
                instruction.operation.for_each_use(|value| {
                    used.insert(value);
                });
            }
            block.terminator.for_each_use(|value| {
                used.insert(value);
            });
        }
        let unused = |instruction: &Instruction| {
            instruction
                .output
                .is_some_and(|output| !used.contains(&output))
                && !instruction.operation.may_exit()
                && !instruction.operation.has_effect()
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
