//! The plan that checks and outputs stand on: which handlers each opcode gets, and what the clauses
//! mean in each of them.

use std::collections::BTreeMap;

use vm_def::ir::{Clause, Lowering};

use crate::diagnostics::Diagnostics;
use crate::lower;
use crate::model::{Definitions, Opcode};
use crate::specialise::{Layout, Variant};

/// One specialisation of an opcode.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Operand kinds, form of the result, flag.
    pub variant: Variant,
    /// The clauses that apply.
    pub lowering: Lowering,
}

/// The specialisations of an opcode, generic or for a clause whose types are proven.
#[derive(Clone, Debug)]
pub struct Block {
    /// The clause.
    pub clause: Option<usize>,
    /// One for each slot of the layout; `None` is a hole.
    pub slots: Vec<Option<Planned>>,
}

/// The plan of all opcodes, by name.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    opcodes: BTreeMap<String, Vec<Block>>,
}

impl Plan {
    /// Plans and lowers; what is wrong with the clauses is reported.
    pub(crate) fn of(definitions: &Definitions, diagnostics: &mut Diagnostics) -> Plan {
        let mut plan = Plan::default();
        for opcode in &definitions.opcodes {
            let blocks = blocks(definitions, opcode, diagnostics);
            plan.opcodes.insert(opcode.name.value.clone(), blocks);
        }
        plan
    }

    /// The generic specialisations of an opcode first, then those of each named clause.
    pub fn blocks(&self, name: &str) -> &[Block] {
        self.opcodes.get(name).map_or(&[], Vec::as_slice)
    }

    /// The generic specialisations of an opcode.
    pub fn generic(&self, name: &str) -> impl Iterator<Item = &Planned> {
        self.blocks(name)
            .iter()
            .take(1)
            .flat_map(|block| block.slots.iter().flatten())
    }

    /// Whether an opcode may leave an exception behind: its slow path, or code of the script that it runs.
    pub fn may_throw(&self, opcode: &Opcode) -> bool {
        opcode.slow_throws() || self.reenters(opcode)
    }

    /// Whether an opcode may run code of the script.
    pub fn reenters(&self, opcode: &Opcode) -> bool {
        opcode.slow_reenters() || self.clauses(&opcode.name.value).any(Clause::reenters)
    }

    /// Every clause of every generic specialisation of an opcode.
    pub fn clauses(&self, name: &str) -> impl Iterator<Item = &Clause> {
        self.generic(name)
            .flat_map(|planned| &planned.lowering.clauses)
    }
}

fn blocks(definitions: &Definitions, opcode: &Opcode, diagnostics: &mut Diagnostics) -> Vec<Block> {
    let layout = Layout::of(opcode);
    let named = opcode
        .fast
        .iter()
        .enumerate()
        .filter(|(_, clause)| clause.name.is_some());
    let clauses = std::iter::once(None).chain(named.map(|(position, _)| Some(position)));
    let mut blocks = Vec::new();
    for clause in clauses {
        let slots = layout.slots(opcode, clause).into_iter().map(|variant| {
            let variant = variant?;
            let lowering = lower::lower(definitions, opcode, &variant, diagnostics);
            Some(Planned { variant, lowering })
        });
        blocks.push(Block {
            clause,
            slots: slots.collect(),
        });
    }
    blocks
}
