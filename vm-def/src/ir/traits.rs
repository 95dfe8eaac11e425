//! What there is to know of a clause as a whole: what it takes, how it ends, what it may do. Found once, when the
//! definition is read, so that whoever compiles oplines asks nothing of a clause again and again.

use serde::{Deserialize, Serialize};

use super::{
    BlockId, Clause, Intrinsic, IntrinsicEffect, Operation, Place, Representation, Structure,
    Terminator, Value, Way,
};
use crate::types::TypeMask;

/// Types that stand for others elsewhere: a clause's types are those of what they lead to.
pub const LEADS_ON: TypeMask = TypeMask::REFERENCE.union(TypeMask::INDIRECT);

/// What a clause does with one of the operands that it may guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taking {
    /// The types that it takes for the operand, or for what it leads to; none if it takes all.
    pub types: Option<TypeMask>,
    /// Whether it looks behind a reference that it finds there.
    pub follows: bool,
    /// Whether it looks behind what stands for something elsewhere.
    pub leads_on: bool,
    /// Whether it does more than look at it and give it back.
    pub takes: bool,
}

/// What there is to know of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traits {
    /// What it does with op1.
    pub op1: Taking,
    /// What it does with op2.
    pub op2: Taking,
    /// What it does with the operand of OP_DATA.
    pub data: Taking,
    /// Whether it goes on in another frame, and is come back from.
    pub enters_frame: bool,
    /// Whether it gives operands back at its end.
    pub frees: bool,
    /// Whether it may still refuse when it has begun to change things.
    pub refuses_late: bool,
    /// Whether it reads how many owners something has and writes another number: a copy that is made in between has
    /// a share, too.
    pub changes_count: bool,
    /// Whether an array may have to grow: that is no reason to leave.
    pub may_grow: bool,
    /// Whether it does nothing but write the result of its operands, whatever they are as long as their types are
    /// right.
    pub is_pure: bool,
    /// Whether it stands on the middle path alone: no clause of the fast path does the same for what has no share.
    pub is_middle: bool,
    /// The clause that does the same for temporaries that have a share in something as well, if this one leaves
    /// them to it: only that is translated.
    pub companion: Option<u8>,
}

impl Traits {
    /// Those of a lowering's clauses, in their order.
    pub fn of(clauses: &[Clause]) -> Vec<Traits> {
        let mut traits: Vec<_> = clauses.iter().map(Traits::find).collect();
        for (number, clause) in clauses.iter().enumerate() {
            let companion = companion(clause, clauses);
            traits[number].companion = companion;
            if let Some(companion) = companion {
                traits[usize::from(companion)].is_middle = false;
            }
        }
        traits
    }

    fn find(clause: &Clause) -> Traits {
        let has = |is_so: &dyn Fn(&Operation) -> bool| {
            let mut instructions = clause.instructions();
            instructions.any(|instruction| is_so(&instruction.operation))
        };
        Traits {
            op1: Taking::find(clause, Place::Op1),
            op2: Taking::find(clause, Place::Op2),
            data: Taking::find(clause, Place::Data),
            enters_frame: clause.blocks.iter().any(|block| {
                let terminator = &block.terminator;
                matches!(terminator, Terminator::Switch { way, .. } if *way != Way::Leave)
            }),
            frees: has(&|operation| matches!(operation, Operation::Free(_))),
            refuses_late: has(&|operation| {
                matches!(operation, Operation::Intrinsic(intrinsic, _)
                    if intrinsic.may_exit() && intrinsic.effect() != IntrinsicEffect::Pure)
            }),
            changes_count: has(&|operation| {
                matches!(operation, Operation::StoreField(field, ..)
                    if field.facts().name == "refcount")
            }),
            may_grow: has(&|operation| {
                matches!(operation, Operation::Intrinsic(Intrinsic::PushInPlace, _))
            }),
            is_pure: is_pure(clause),
            is_middle: clause.middle,
            companion: None,
        }
    }
}

/// The number of the clause on the middle path that differs from this one only by giving back temporaries which
/// this one leaves to others.
fn companion(clause: &Clause, clauses: &[Clause]) -> Option<u8> {
    let leaves = clause.instructions().any(|instruction| {
        let operation = &instruction.operation;
        matches!(operation, Operation::GuardUncounted(place) if *place != Place::Result)
    });
    let plain = |instruction: &&super::Instruction| {
        !matches!(
            instruction.operation,
            Operation::GuardUncounted(_) | Operation::Free(_)
        )
    };
    let is_same = |other: &Clause| {
        let alike = clause.blocks.iter().zip(&other.blocks).all(|(mine, its)| {
            let (mine_plain, its_plain) = (
                mine.instructions.iter().filter(plain),
                its.instructions.iter().filter(plain),
            );
            mine.terminator == its.terminator && mine_plain.eq(its_plain)
        });
        other.middle
            && clause.blocks.len() == other.blocks.len()
            && (clause.op1, clause.op2) == (other.op1, other.op2)
            && alike
    };
    let is_left = leaves && !clause.middle;
    let position = clauses.iter().position(is_same).filter(|_| is_left);
    position.and_then(|position| u8::try_from(position).ok())
}

impl Taking {
    fn find(clause: &Clause, place: Place) -> Taking {
        let declared = match place {
            Place::Op1 => clause.op1,
            Place::Op2 => clause.op2,
            _ => None,
        };
        let guarded = guarded_types(clause, place);
        let types = match guarded {
            Some(types) => Some(TypeMask(types.0 & declared.unwrap_or(TypeMask::ANY).0)),
            None => declared,
        };
        let has = |wanted: Operation| {
            let mut instructions = clause.instructions();
            instructions.any(|instruction| instruction.operation == wanted)
        };
        let follows = has(Operation::Deref(place));
        // What may be counted and is not given back is taken over.
        let is_counted = guarded.is_none_or(|types| types.intersects(TypeMask::COUNTED));
        Taking {
            types,
            follows,
            leads_on: follows
                || has(Operation::Indirect(place))
                || has(Operation::TestType(place, TypeMask::REFERENCE)),
            takes: takes_values(clause) || is_counted && !has(Operation::Free(place)),
        }
    }
}

/// Whether a clause does more with values than look at them.
fn takes_values(clause: &Clause) -> bool {
    let mut instructions = clause.instructions();
    instructions.any(|instruction| match &instruction.operation {
        Operation::Move(..)
        | Operation::Retain(_)
        | Operation::DropShare(_)
        | Operation::Release(_)
        | Operation::Indirect(_) => true,
        // What else stands in a slot is not copied.
        Operation::LoadField(field, _) | Operation::StoreField(field, ..) => {
            field.facts().structure == Structure::Slot
        }
        Operation::Intrinsic(intrinsic, _) => intrinsic.effect() != IntrinsicEffect::Pure,
        _ => false,
    })
}

/// Whether a clause does nothing but write the result of its operands, whatever they are as long as their types are
/// right.
fn is_pure(clause: &Clause) -> bool {
    let does_more = |operation: &Operation| match operation {
        Operation::GuardType(Place::Op1 | Place::Op2, _) => false,
        // Whether a variable can take the result is asked by the ASSIGN behind it.
        Operation::GuardType(Place::Result, _) | Operation::GuardUncounted(Place::Result) => false,
        _ if operation.written() == Some(Place::Result) => false,
        _ => operation.has_effect() || operation.may_exit(),
    };
    let goes_on = clause.blocks.iter().all(|block| {
        use Terminator::{Branch, Decide, Next, Overflow};
        let terminator = &block.terminator;
        matches!(
            terminator,
            Next | Decide(_) | Branch { .. } | Overflow { .. }
        )
    });
    let mut instructions = clause.instructions();
    let is_fast = !clause.middle && goes_on;
    is_fast && !instructions.any(|instruction| does_more(&instruction.operation))
}

/// The types that the guards of a clause let through for an operand, or for what it leads to; none
/// if there is a way without guards.
fn guarded_types(clause: &Clause, place: Place) -> Option<TypeMask> {
    let taken = taken_types(clause, &|operation, derived| {
        let leads = |used: Place| match used {
            Place::At(value) => derived.contains(&value),
            other => other == place,
        };
        match operation {
            Operation::Deref(used)
            | Operation::Indirect(used)
            | Operation::Load(used, Representation::Pointer | Representation::Boxed)
            | Operation::GuardType(used, _) => leads(*used),
            Operation::LoadField(field, base) => {
                field.facts().structure == Structure::Reference && derived.contains(base)
            }
            _ => false,
        }
    });
    (taken != TypeMask::ANY).then_some(taken)
}

/// Whether an operation is about something, with the values that are known to be about it.
type Concerns<'c> = &'c dyn Fn(&Operation, &[Value]) -> bool;

/// The types that the guards about something let through on the ways through a clause. What it is about is told
/// by `concerns`.
fn taken_types(clause: &Clause, concerns: Concerns<'_>) -> TypeMask {
    fn from(
        block: BlockId,
        mut types: TypeMask,
        derived: &mut Vec<Value>,
        (clause, concerns): (&Clause, Concerns<'_>),
    ) -> TypeMask {
        let block = &clause.blocks[block.0 as usize];
        for instruction in &block.instructions {
            if !concerns(&instruction.operation, derived) {
                continue;
            }
            match &instruction.operation {
                Operation::GuardType(_, taken) if taken.is_subset_of(LEADS_ON) => {}
                Operation::GuardType(_, taken) => types = TypeMask(types.0 & taken.0),
                _ => derived.extend(instruction.output),
            }
        }
        let mut onward = |next| from(next, types, derived, (clause, concerns));
        match block.terminator {
            Terminator::Branch {
                then, otherwise, ..
            } => onward(then).union(onward(otherwise)),
            Terminator::Overflow {
                exact, overflow, ..
            } => onward(exact).union(onward(overflow)),
            _ => types,
        }
    }
    from(
        BlockId(0),
        TypeMask::ANY,
        &mut Vec::new(),
        (clause, concerns),
    )
}
