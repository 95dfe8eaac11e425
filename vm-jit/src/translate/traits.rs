//! What is asked of a clause each time that an opline is translated: found out once.

use std::sync::{LazyLock, PoisonError, RwLock};

use hashbrown::HashMap;
use vm_def::ir::{
    self, BlockId as ClauseBlock, Clause, Lowering, Operation as Micro, Representation, Structure,
};
use vm_def::types::TypeMask;

/// Types that stand for others elsewhere: a clause's types are those of what they lead to.
pub const LEADS_ON: TypeMask = TypeMask(TypeMask::REFERENCE.0 | 1 << vm_runtime::value::INDIRECT);

/// What a clause does with one of the operands that it may guard.
#[derive(Clone, Copy, Debug)]
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
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    pub op1: Taking,
    pub op2: Taking,
    pub data: Taking,
    /// Whether compiled code can use it: it knows the helpers that it goes on with.
    pub is_supported: bool,
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

static KNOWN: LazyLock<RwLock<HashMap<usize, &'static [Traits]>>> = LazyLock::new(RwLock::default);

impl Traits {
    /// The traits of a lowering's clauses, in their order.
    pub fn of(lowering: &'static Lowering) -> &'static [Traits] {
        let key = &raw const *lowering as usize;
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(traits) = known.get(&key) {
            return traits;
        }
        drop(known);
        let mut traits: Vec<_> = lowering.clauses.iter().map(Traits::find).collect();
        for (number, clause) in lowering.clauses.iter().enumerate() {
            let companion = companion(clause, lowering);
            traits[number].companion = companion;
            if let Some(companion) = companion {
                traits[usize::from(companion)].is_middle = false;
            }
        }
        // There are no more of them than lowerings.
        let traits: &[Traits] = Box::leak(traits.into());
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(key).or_insert(traits)
    }

    fn find(clause: &Clause) -> Traits {
        let has = |is_so: &dyn Fn(&Micro) -> bool| {
            let mut instructions = clause.instructions();
            instructions.any(|instruction| is_so(&instruction.operation))
        };
        Traits {
            op1: Taking::find(clause, ir::Place::Op1),
            op2: Taking::find(clause, ir::Place::Op2),
            data: Taking::find(clause, ir::Place::Data),
            is_supported: clause.blocks.iter().all(|block| match &block.terminator {
                ir::Terminator::Helper(name) => crate::machine::helper(name).is_some(),
                _ => true,
            }),
            enters_frame: clause.blocks.iter().any(|block| {
                let terminator = &block.terminator;
                matches!(terminator, ir::Terminator::Switch { way, .. } if *way != ir::Way::Leave)
            }),
            frees: has(&|operation| matches!(operation, Micro::Free(_))),
            refuses_late: has(&|operation| {
                matches!(operation, Micro::Intrinsic(intrinsic, _)
                    if intrinsic.may_exit() && intrinsic.effect() != ir::IntrinsicEffect::Pure)
            }),
            changes_count: has(&|operation| {
                matches!(operation, Micro::StoreField(field, ..)
                    if field.facts().name == "refcount")
            }),
            may_grow: has(&|operation| {
                matches!(operation, Micro::Intrinsic(ir::Intrinsic::PushInPlace, _))
            }),
            is_pure: is_pure(clause),
            is_middle: clause.middle,
            companion: None,
        }
    }
}

/// The number of the clause on the middle path that differs from this one only by giving back temporaries which
/// this one leaves to others.
fn companion(clause: &Clause, lowering: &Lowering) -> Option<u8> {
    let leaves = clause.instructions().any(|instruction| {
        let operation = &instruction.operation;
        matches!(operation, Micro::GuardUncounted(place) if *place != ir::Place::Result)
    });
    let plain = |instruction: &&ir::Instruction| {
        !matches!(
            instruction.operation,
            Micro::GuardUncounted(_) | Micro::Free(_)
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
    let position = lowering
        .clauses
        .iter()
        .position(is_same)
        .filter(|_| is_left);
    position.and_then(|position| u8::try_from(position).ok())
}

impl Taking {
    fn find(clause: &Clause, place: ir::Place) -> Taking {
        let declared = match place {
            ir::Place::Op1 => clause.op1,
            ir::Place::Op2 => clause.op2,
            _ => None,
        };
        let guarded = guarded_types(clause, place);
        let types = match guarded {
            Some(types) => Some(TypeMask(types.0 & declared.unwrap_or(TypeMask::ANY).0)),
            None => declared,
        };
        let has = |wanted: Micro| {
            let mut instructions = clause.instructions();
            instructions.any(|instruction| instruction.operation == wanted)
        };
        let follows = has(Micro::Deref(place));
        // What may be counted and is not given back is taken over.
        let is_counted = guarded.is_none_or(|types| types.intersects(TypeMask::COUNTED));
        Taking {
            types,
            follows,
            leads_on: follows
                || has(Micro::Indirect(place))
                || has(Micro::TestType(place, TypeMask::REFERENCE)),
            takes: takes_values(clause) || is_counted && !has(Micro::Free(place)),
        }
    }
}

/// Whether a clause does more with values than look at them.
fn takes_values(clause: &Clause) -> bool {
    let mut instructions = clause.instructions();
    instructions.any(|instruction| match &instruction.operation {
        Micro::Move(..)
        | Micro::Retain(_)
        | Micro::DropShare(_)
        | Micro::Release(_)
        | Micro::Indirect(_) => true,
        // What else stands in a slot is not copied.
        Micro::LoadField(field, _) | Micro::StoreField(field, ..) => {
            field.facts().structure == Structure::Slot
        }
        Micro::Intrinsic(intrinsic, _) => intrinsic.effect() != ir::IntrinsicEffect::Pure,
        _ => false,
    })
}

/// Whether a clause does nothing but write the result of its operands, whatever they are as long as their types are
/// right.
fn is_pure(clause: &Clause) -> bool {
    let does_more = |operation: &Micro| match operation {
        Micro::GuardType(ir::Place::Op1 | ir::Place::Op2, _) => false,
        // Whether a variable can take the result is asked by the ASSIGN behind it.
        Micro::GuardType(ir::Place::Result, _) | Micro::GuardUncounted(ir::Place::Result) => false,
        _ if operation.written() == Some(ir::Place::Result) => false,
        _ => operation.has_effect() || operation.may_exit(),
    };
    let goes_on = clause.blocks.iter().all(|block| {
        use ir::Terminator::{Branch, Decide, Next, Overflow};
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
fn guarded_types(clause: &Clause, place: ir::Place) -> Option<TypeMask> {
    let taken = taken_types(clause, &|operation, derived| {
        let leads = |used: ir::Place| match used {
            ir::Place::At(value) => derived.contains(&value),
            other => other == place,
        };
        match operation {
            Micro::Deref(used)
            | Micro::Indirect(used)
            | Micro::Load(used, Representation::Pointer | Representation::Boxed)
            | Micro::GuardType(used, _) => leads(*used),
            Micro::LoadField(field, base) => {
                field.facts().structure == Structure::Reference && derived.contains(base)
            }
            _ => false,
        }
    });
    (taken != TypeMask::ANY).then_some(taken)
}

/// Whether an operation is about something, with the values that are known to be about it.
type Concerns<'c> = &'c dyn Fn(&Micro, &[ir::Value]) -> bool;

/// The types that the guards about something let through on the ways through a clause. What it is about is told
/// by `concerns`.
fn taken_types(clause: &Clause, concerns: Concerns<'_>) -> TypeMask {
    fn from(
        block: ClauseBlock,
        mut types: TypeMask,
        derived: &mut Vec<ir::Value>,
        (clause, concerns): (&Clause, Concerns<'_>),
    ) -> TypeMask {
        let block = &clause.blocks[block.0 as usize];
        for instruction in &block.instructions {
            if !concerns(&instruction.operation, derived) {
                continue;
            }
            match &instruction.operation {
                Micro::GuardType(_, taken) if taken.is_subset_of(LEADS_ON) => {}
                Micro::GuardType(_, taken) => types = TypeMask(types.0 & taken.0),
                _ => derived.extend(instruction.output),
            }
        }
        let mut onward = |next| from(next, types, derived, (clause, concerns));
        match block.terminator {
            ir::Terminator::Branch {
                then, otherwise, ..
            } => onward(then).union(onward(otherwise)),
            ir::Terminator::Overflow {
                exact, overflow, ..
            } => onward(exact).union(onward(overflow)),
            _ => types,
        }
    }
    from(
        ClauseBlock(0),
        TypeMask::ANY,
        &mut Vec::new(),
        (clause, concerns),
    )
}
