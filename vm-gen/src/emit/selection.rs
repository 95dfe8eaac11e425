//! The selection function: from an opline's operand kinds and proven types to its handler.

use proc_macro2::TokenStream;
use quote::quote;
use vm_def::grammar::{ResultKind, SpecOption};

use super::handlers::Index;
use crate::model::{Definitions, Opcode, Operand};
use crate::specialise::{Flag, Layout, ResultForm};

const HOLE: u16 = u16::MAX;
const NOT_ALLOWED: u8 = u8::MAX;

/// The selectors, the slots and the functions that use them.
pub(super) fn module(definitions: &Definitions, index: &Index) -> TokenStream {
    let mut slots: Vec<u16> = Vec::new();
    let mut selectors = Vec::new();
    let mut positions = vec![NOT_ALLOWED; 256];
    let find = |name: &str| {
        definitions
            .opcodes
            .iter()
            .find(|opcode| opcode.name.value == name)
    };
    let mut bases = std::collections::BTreeMap::new();
    for (name, blocks) in &index.slots {
        let starts: Vec<(Option<usize>, usize)> = blocks
            .iter()
            .map(|block| {
                let start = slots.len();
                let handlers = block.handlers.iter();
                slots.extend(handlers.map(|number| number.map_or(HOLE, |number| number as u16)));
                (block.clause, start)
            })
            .collect();
        bases.insert(name.clone(), starts);
    }
    for opcode in sorted(definitions) {
        let target = match &opcode.alias {
            Some(alias) => find(&alias.value),
            None => Some(opcode),
        };
        let Some((target, starts)) =
            target.and_then(|target| Some((target, bases.get(&target.name.value)?)))
        else {
            continue;
        };
        positions[opcode.number.value as usize] = selectors.len() as u8;
        selectors.push(selector(target, starts));
    }
    let slot_count = slots.len();
    let selector_count = selectors.len();
    quote! {
        use vm_def::facts::TypeFacts;
        use vm_def::types::TypeMask;

        use super::table::HANDLERS;
        use crate::op::{self, Handler, Op};

        /// How the handler of an opcode is found.
        struct Selector {
            /// The class of each kind of op1 (at the index of the kind); 255 is not allowed.
            op1: [u8; 9],
            /// The same for op2.
            op2: [u8; 9],
            /// The same for the operand of OP_DATA.
            data: [u8; 9],
            /// The class of each form of the result: none, slot, CV, JMPZ, JMPNZ.
            result: [u8; 5],
            /// The number of classes: op2, data, result, flag.
            radix: [u16; 4],
            /// The flag is the position of an argument (1), isset/empty (2), an operator (3) or whether op1
            /// is kept (4).
            flag: u8,
            /// The first slot.
            base: u16,
            /// The type-specialised clauses: what is proven for op1 and op2, and the first slot.
            typed: &'static [(u32, u32, u16)],
            /// The operands may be swapped.
            commutative: bool,
            /// An OP_DATA follows.
            has_data: bool,
        }

        static SELECTORS: [Selector; #selector_count] = [#(#selectors),*];

        /// The selector of each opcode number.
        static POSITIONS: [u8; 256] = [#(#positions),*];

        /// For each slot the index of its handler; 65535 is a hole.
        static SLOTS: [u16; #slot_count] = [#(#slots),*];

        fn selector(opcode: u8) -> Option<&'static Selector> {
            SELECTORS.get(usize::from(POSITIONS[usize::from(opcode)]))
        }

        /// Puts the operands of a commutative instruction in the order that handlers exist for: a
        /// literal last, a compiled variable before a temporary. Gives whether they were swapped.
        pub fn normalise(op: &mut Op) -> bool {
            let swap = selector(op.opcode).is_some_and(|selector| selector.commutative)
                && op.op1_type < op.op2_type;
            if swap {
                core::mem::swap(&mut op.op1, &mut op.op2);
                core::mem::swap(&mut op.op1_type, &mut op.op2_type);
            }
            swap
        }

        /// The index of the handler of an opline, in `HANDLERS`. `data` is the opline that follows,
        /// `types` what is proven for the operands (of a literal: its type). `None` if there is no
        /// such handler: a bad opline.
        pub fn select_index(op: &Op, data: Option<&Op>, types: TypeFacts) -> Option<usize> {
            let selector = selector(op.opcode)?;
            let class = |table: &[u8; 9], kind: u8| {
                table.get(usize::from(kind)).copied().filter(|class| *class != 255).map(usize::from)
            };
            let mut index = class(&selector.op1, op.op1_type)?;
            index = index * usize::from(selector.radix[0]) + class(&selector.op2, op.op2_type)?;
            let data_class =
                if selector.has_data { class(&selector.data, data?.op1_type)? } else { 0 };
            index = index * usize::from(selector.radix[1]) + data_class;
            let form = if op.result_type & op::IS_SMART_BRANCH_JMPZ != 0 {
                3
            } else if op.result_type & op::IS_SMART_BRANCH_JMPNZ != 0 {
                4
            } else {
                match op.result_type {
                    op::IS_UNUSED => 0,
                    op::IS_CV => 2,
                    _ => 1,
                }
            };
            let form = selector.result[form];
            if form == 255 {
                return None;
            }
            index = index * usize::from(selector.radix[2]) + usize::from(form);
            let flag = match selector.flag {
                1 => usize::from(op.op2_type == op::IS_UNUSED && op.op2 <= 12),
                2 => usize::from(op.extended_value & 1 == 0),
                3 => (op.extended_value as usize).wrapping_sub(1),
                4 => usize::from(op.result_type & op::KEPT_OP1 != 0),
                _ => 0,
            };
            if flag >= usize::from(selector.radix[3]) {
                return None;
            }
            index = index * usize::from(selector.radix[3]) + flag;
            let typed = selector.typed.iter().filter(|(op1, op2, _)| {
                proven(types.op1, *op1) && proven(types.op2, *op2)
            });
            typed
                .map(|(_, _, base)| *base)
                .chain([selector.base])
                .map(|base| SLOTS[usize::from(base) + index])
                .find(|handler| *handler != u16::MAX)
                .map(usize::from)
        }

        /// As [`select_index`], but the handler itself.
        pub fn select(op: &Op, data: Option<&Op>, types: TypeFacts) -> Option<Handler> {
            select_index(op, data, types).map(|index| HANDLERS[index])
        }

        /// Nothing needs to be proven for an operand that the clause does not look at.
        fn proven(known: TypeMask, wanted: u32) -> bool {
            wanted == TypeMask::ANY.0
                || (known != TypeMask::NONE && known.is_subset_of(TypeMask(wanted)))
        }
    }
}

/// The opcodes by number.
pub(super) fn sorted(definitions: &Definitions) -> Vec<&Opcode> {
    let mut opcodes: Vec<&Opcode> = definitions.opcodes.iter().collect();
    opcodes.sort_by_key(|opcode| opcode.number.value);
    opcodes
}

fn selector(opcode: &Opcode, starts: &[(Option<usize>, usize)]) -> TokenStream {
    let layout = Layout::of(opcode);
    let merged = !opcode.is_specialised();
    let op1 = kind_classes(&opcode.op1, merged);
    let op2 = kind_classes(&opcode.op2, merged);
    let unspecialised = merged || !opcode.has_spec(SpecOption::OpData);
    let data = match &opcode.data {
        Some(data) => kind_classes(data, unspecialised),
        None => [0; 9],
    };
    let result = result_classes(opcode, &layout);
    let radix = [
        layout.op2.len(),
        layout.data.len(),
        layout.forms.len(),
        layout.flags.len(),
    ]
    .map(|count| count as u16);
    let flag: u8 = match layout.flags[0] {
        Flag::None => 0,
        Flag::QuickArg(_) => 1,
        Flag::Isset(_) => 2,
        Flag::Operator(_) => 3,
        Flag::KeptOp1(_) => 4,
    };
    let base = starts[0].1 as u16;
    let typed = starts[1..].iter().map(|(clause, start)| {
        let types = |index: usize| {
            let clause = clause.map(|clause| &opcode.fast[clause]);
            let parameter = clause.and_then(|clause| {
                let parameter = clause.parameters.get(index)?;
                clause.proves(parameter).then_some(parameter)
            });
            parameter
                .map_or(vm_def::types::TypeMask::ANY, |parameter| parameter.types)
                .0
        };
        let (first, second, start) = (types(0), types(1), *start as u16);
        quote!((#first, #second, #start))
    });
    let commutative = opcode.has_spec(SpecOption::Commutative);
    let has_data = opcode.data.is_some();
    quote! {
        Selector {
            op1: [#(#op1),*],
            op2: [#(#op2),*],
            data: [#(#data),*],
            result: [#(#result),*],
            radix: [#(#radix),*],
            flag: #flag,
            base: #base,
            typed: &[#(#typed),*],
            commutative: #commutative,
            has_data: #has_data,
        }
    }
}

fn kind_classes(operand: &Operand, merged: bool) -> [u8; 9] {
    let mut classes = [NOT_ALLOWED; 9];
    for (class, kind) in operand.kinds.iter().enumerate() {
        for code in kind.value.codes() {
            classes[usize::from(*code)] = if merged { 0 } else { class as u8 };
        }
    }
    classes
}

fn result_classes(opcode: &Opcode, layout: &Layout) -> [u8; 5] {
    let class = |forms: &[ResultForm]| {
        let position = layout.forms.iter().position(|form| forms.contains(form));
        position.map_or(NOT_ALLOWED, |position| position as u8)
    };
    let plain = class(&[ResultForm::Used, ResultForm::Plain]);
    let unused = class(&[ResultForm::Unused, ResultForm::Plain]);
    let smart = opcode.has_spec(SpecOption::SmartBranch);
    let Some(result) = &opcode.result else {
        return [plain, plain, plain, plain, plain];
    };
    let in_slot = result
        .kinds
        .iter()
        .any(|kind| matches!(kind, ResultKind::Tmp | ResultKind::Var));
    let elsewhere = result
        .kinds
        .iter()
        .any(|kind| matches!(kind, ResultKind::Arg | ResultKind::Slot));
    let cv = result.kinds.contains(&ResultKind::Cv);
    let when = |condition: bool, class: u8| if condition { class } else { NOT_ALLOWED };
    let cv_class = if opcode.has_spec(SpecOption::ResultCv) && opcode.is_specialised() {
        class(&[ResultForm::Cv])
    } else {
        when(
            cv || elsewhere || opcode.has_spec(SpecOption::ResultCv),
            plain,
        )
    };
    let smart_class = |form| {
        if opcode.is_specialised() {
            class(&[form])
        } else {
            plain
        }
    };
    [
        when(result.optional || elsewhere, unused),
        when(in_slot || elsewhere, plain),
        cv_class,
        when(smart, smart_class(ResultForm::Jmpz)),
        when(smart, smart_class(ResultForm::Jmpnz)),
    ]
}
