//! The opcode enumeration and the table of facts.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use vm_def::facts::kind_bits;
use vm_def::grammar::{
    Effect, ExtendedMeaning, JumpField, OperandKind, ResultKind, SpecOption, UnusedMeaning,
};
use vm_def::ir::{Place, Terminator};

use super::selection::sorted;
use crate::model::{Definitions, Opcode, Operand};
use crate::plan::Plan;

/// The opcode enumeration.
pub(super) fn opcodes(definitions: &Definitions) -> TokenStream {
    let opcodes = sorted(definitions);
    let count = opcodes.len();
    let variants = opcodes.iter().map(|opcode| {
        let name = format_ident!("{}", opcode.name.value);
        let number = proc_macro2::Literal::u32_unsuffixed(opcode.number.value);
        let documentation = opcode
            .documentation
            .lines
            .iter()
            .map(|line| format!(" {line}"));
        quote! { #(#[doc = #documentation])* #name = #number, }
    });
    let names: Vec<_> = opcodes
        .iter()
        .map(|opcode| format_ident!("{}", opcode.name.value))
        .collect();
    let texts = opcodes.iter().map(|opcode| &opcode.name.value);
    let mut positions = vec![u8::MAX; 256];
    for (position, opcode) in opcodes.iter().enumerate() {
        positions[opcode.number.value as usize] = position as u8;
    }
    quote! {
        /// What an opline does.
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { #(#variants)* }

        /// The position of each number in the tables; 255 is a hole.
        static POSITIONS: [u8; 256] = [#(#positions),*];

        static NAMES: [&str; #count] = [#(#texts),*];

        impl Opcode {
            /// The number of opcodes.
            pub const COUNT: usize = #count;

            /// Every opcode, by number.
            pub const ALL: [Opcode; #count] = [#(Opcode::#names),*];

            /// The opcode with this number.
            pub fn from_number(number: u8) -> Option<Opcode> {
                Opcode::ALL.get(usize::from(POSITIONS[usize::from(number)])).copied()
            }

            /// The opcode with this name.
            pub fn from_name(name: &str) -> Option<Opcode> {
                let position = NAMES.iter().position(|known| *known == name)?;
                Opcode::ALL.get(position).copied()
            }

            /// The position in tables that have an entry for each opcode.
            pub fn position(self) -> usize {
                usize::from(POSITIONS[usize::from(self as u8)])
            }

            /// The name, in capitals.
            pub fn name(self) -> &'static str {
                NAMES[self.position()]
            }

            /// What is known about it.
            pub fn facts(self) -> &'static vm_def::facts::OpcodeFacts {
                &super::facts::FACTS[self as usize]
            }
        }
    }
}

/// The facts of every opcode, at its number.
pub(super) fn facts(definitions: &Definitions, plan: &Plan) -> TokenStream {
    let opcodes = sorted(definitions);
    let count = opcodes
        .last()
        .map_or(0, |last| last.number.value as usize + 1);
    let entries = (0..count).map(|number| {
        let opcode = opcodes
            .iter()
            .find(|opcode| opcode.number.value as usize == number);
        let Some(opcode) = opcode else {
            let number = number as u8;
            return quote!(OpcodeFacts::hole(#number));
        };
        let alias = opcode.alias.as_ref().and_then(|alias| {
            definitions
                .opcodes
                .iter()
                .find(|other| other.name.value == alias.value)
        });
        entry(opcode, alias, plan)
    });
    quote! {
        use vm_def::facts::{
            EffectFacts, OpcodeFacts, OperandFacts, ResultFacts, ResultPlace, SpecFacts,
        };
        use vm_def::grammar::{ExtendedMeaning, UnusedMeaning};

        /// What is known about each opcode, at its number. A number without an opcode has no name.
        pub static FACTS: [OpcodeFacts; #count] = [#(#entries),*];

        /// What is known about the opcode with this number, if there is one.
        pub fn facts(number: u8) -> Option<&'static OpcodeFacts> {
            FACTS.get(usize::from(number)).filter(|facts| !facts.name.is_empty())
        }
    }
}

pub(super) fn entry(opcode: &Opcode, alias: Option<&Opcode>, plan: &Plan) -> TokenStream {
    let number = opcode.number.value as u8;
    let name = &opcode.name.value;
    let writes = |place: Place| {
        plan.clauses(&opcode.name.value)
            .any(|clause| clause.writes(place))
    };
    let specialised = opcode.is_specialised();
    let op1 = operand(&opcode.op1, writes(Place::Op1), specialised);
    let op2 = operand(&opcode.op2, writes(Place::Op2), specialised);
    let data = match &opcode.data {
        Some(data) => {
            let data = operand(
                data,
                false,
                opcode.has_spec(SpecOption::OpData) && specialised,
            );
            quote!(Some(#data))
        }
        None => quote!(None),
    };
    let result = result(opcode);
    let extended = opcode.extended.iter().map(|meaning| {
        let meaning = format_ident!("{}", meaning.value.variant());
        quote!(ExtendedMeaning::#meaning)
    });
    let slots = opcode.extended_cache_slots;
    let effects = effects(opcode, alias.unwrap_or(opcode), plan);
    let spec = spec(opcode);
    let define_only = opcode.define_only;
    let alias_of = match alias {
        Some(alias) => {
            let number = alias.number.value as u8;
            quote!(Some(#number))
        }
        None => quote!(None),
    };
    quote! {
        OpcodeFacts {
            number: #number,
            name: #name,
            op1: #op1,
            op2: #op2,
            data: #data,
            result: #result,
            extended: &[#(#extended),*],
            extended_cache_slots: #slots,
            effects: #effects,
            spec: #spec,
            define_only: #define_only,
            alias_of: #alias_of,
        }
    }
}

/// The kinds of an operand as bits.
pub(super) fn kinds(operand: &Operand) -> u8 {
    let codes = operand.kinds.iter().flat_map(|kind| kind.value.codes());
    codes.fold(0, |bits, code| bits | kind_bits::of_code(*code))
}

fn operand(operand: &Operand, fast_writes: bool, specialised: bool) -> TokenStream {
    let kinds = kinds(operand);
    let meaning = format_ident!("{}", operand.meaning.variant());
    let consumed = !operand.keep && kinds & (kind_bits::TMP | kind_bits::VAR) != 0;
    let defined = operand.define;
    let written = operand.define || fast_writes;
    let read = operand.is_read() && !fast_writes;
    let specialised = specialised && !operand.has_kind(OperandKind::Any);
    quote! {
        OperandFacts {
            kinds: #kinds,
            meaning: UnusedMeaning::#meaning,
            consumed: #consumed,
            defined: #defined,
            written: #written,
            read: #read,
            specialised: #specialised,
        }
    }
}

fn result(opcode: &Opcode) -> TokenStream {
    let Some(result) = &opcode.result else {
        let unused = kind_bits::UNUSED;
        return quote! {
            ResultFacts { place: ResultPlace::None, kinds: #unused, same_as_before: false }
        };
    };
    let slots = result.slots.max(1);
    let place = if result.kinds.contains(&ResultKind::Arg) {
        quote!(ResultPlace::Argument)
    } else if result.kinds.contains(&ResultKind::Slot) {
        quote!(ResultPlace::CacheSlots(#slots))
    } else {
        quote!(ResultPlace::Slot)
    };
    let mut kinds = if result.optional {
        kind_bits::UNUSED
    } else {
        0
    };
    for kind in &result.kinds {
        kinds |= match kind {
            ResultKind::Tmp => kind_bits::TMP,
            ResultKind::Var => kind_bits::VAR,
            ResultKind::Cv => kind_bits::CV,
            ResultKind::Arg | ResultKind::Slot => kind_bits::UNUSED,
        };
    }
    if opcode.has_spec(SpecOption::ResultCv) {
        kinds |= kind_bits::CV;
    }
    let same = result.same;
    quote!(ResultFacts { place: #place, kinds: #kinds, same_as_before: #same })
}

/// The jumps of an opcode: op1, op2, `extended_value`.
pub(super) fn jumps(opcode: &Opcode) -> [bool; 3] {
    let declared = |field| opcode.jumps.iter().any(|jump| jump.value == field);
    let extended = opcode
        .extended
        .iter()
        .any(|m| m.value == ExtendedMeaning::JmpAddr);
    [
        declared(JumpField::Op1) || opcode.op1.meaning == UnusedMeaning::JmpAddr,
        declared(JumpField::Op2) || opcode.op2.meaning == UnusedMeaning::JmpAddr,
        declared(JumpField::Extended) || extended,
    ]
}

fn effects(opcode: &Opcode, code: &Opcode, plan: &Plan) -> TokenStream {
    let may_throw = plan.may_throw(code);
    let [jumps_op1, jumps_op2, jumps_extended] = jumps(opcode);
    let fast_jumps = plan
        .clauses(&opcode.name.value)
        .flat_map(|clause| &clause.blocks)
        .any(|block| {
            matches!(
                block.terminator,
                Terminator::Jump(_) | Terminator::Decide(_)
            )
        });
    let polls = opcode.has_effect(Effect::Polls) || fast_jumps;
    let terminal = opcode.has_effect(Effect::Terminal);
    let calls = opcode.has_effect(Effect::Calls);
    let opens_call = opcode.has_effect(Effect::OpensCall);
    let closes_call = opcode.has_effect(Effect::ClosesCall);
    let moves_call = opcode.has_effect(Effect::MovesCall);
    let skips_call = opcode.has_effect(Effect::SkipsCall);
    let caches_for_good = opcode.has_effect(Effect::CachesForGood);
    let reenters = plan.reenters(code);
    let computes = opcode.has_effect(Effect::Computes);
    quote! {
        EffectFacts {
            may_throw: #may_throw,
            polls: #polls,
            jumps_op1: #jumps_op1,
            jumps_op2: #jumps_op2,
            jumps_extended: #jumps_extended,
            terminal: #terminal,
            calls: #calls,
            opens_call: #opens_call,
            closes_call: #closes_call,
            moves_call: #moves_call,
            skips_call: #skips_call,
            caches_for_good: #caches_for_good,
            reenters: #reenters,
            computes: #computes,
        }
    }
}

fn spec(opcode: &Opcode) -> TokenStream {
    let has = |option| opcode.has_spec(option);
    let retval = has(SpecOption::Retval);
    let smart_branch = has(SpecOption::SmartBranch);
    let commutative = has(SpecOption::Commutative);
    let no_const_const = has(SpecOption::NoConstConst);
    let quick_arg = has(SpecOption::QuickArg);
    let isset = has(SpecOption::Isset);
    let result_cv = has(SpecOption::ResultCv);
    quote! {
        SpecFacts {
            retval: #retval,
            smart_branch: #smart_branch,
            commutative: #commutative,
            no_const_const: #no_const_const,
            quick_arg: #quick_arg,
            isset: #isset,
            result_cv: #result_cv,
        }
    }
}
