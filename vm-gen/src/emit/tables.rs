//! The opcode enumeration and the table of facts.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use vm_def::facts::kind_bits;
use vm_def::grammar::{
    Effect, ExtendedMeaning, OplineField, ResultKind, SpecOption, UnusedMeaning, Unwinding,
};
use vm_def::ir::Place;
use vm_def::types::TypeMask;

use super::selection::sorted;
use crate::model::{Definitions, Opcode, Operand, ResultDefinition};
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
        entry(opcode, plan)
    });
    quote! {
        use vm_def::facts::{
            CheckFacts, EffectFacts, OpcodeFacts, OperandFacts, ResultFacts, ResultPlace, SpecFacts,
        };
        use vm_def::grammar::{CheckSubject, ExtendedMeaning, OplineField, UnusedMeaning, Unwinding};
        use vm_def::types::TypeMask;

        /// What is known about each opcode, at its number. A number without an opcode has no name.
        pub static FACTS: [OpcodeFacts; #count] = [#(#entries),*];

        /// What is known about the opcode with this number, if there is one.
        pub fn facts(number: u8) -> Option<&'static OpcodeFacts> {
            FACTS.get(usize::from(number)).filter(|facts| !facts.name.is_empty())
        }
    }
}

/// A row: only what differs from an opcode of which nothing is said.
pub(super) fn entry(opcode: &Opcode, plan: &Plan) -> TokenStream {
    let number = opcode.number.value as u8;
    let name = &opcode.name.value;
    let writes = |place: Place| {
        plan.clauses(&opcode.name.value)
            .any(|clause| clause.writes(place))
    };
    let mut fields = Vec::new();
    for (field, declared, place) in [
        (quote!(op1), &opcode.op1, Place::Op1),
        (quote!(op2), &opcode.op2, Place::Op2),
    ] {
        if declared.declared {
            let operand = operand(declared, writes(place));
            fields.push(quote!(#field: #operand));
        }
    }
    if let Some(data) = &opcode.data {
        let data = operand(data, false);
        fields.push(quote!(data: Some(#data)));
    }
    if let Some(result) = &opcode.result {
        let result = self::result(opcode, result);
        fields.push(quote!(result: #result));
    }
    if !opcode.extended.is_empty() {
        let extended = opcode.extended.iter().map(|meaning| {
            let meaning = format_ident!("{}", meaning.value.variant());
            quote!(ExtendedMeaning::#meaning)
        });
        fields.push(quote!(extended: &[#(#extended),*]));
    }
    if opcode.extended_cache_slots != 0 {
        let slots = opcode.extended_cache_slots;
        fields.push(quote!(extended_cache_slots: #slots));
    }
    if let Some(checks) = &opcode.checks {
        let subject = format_ident!("{}", checks.subject.value.variant());
        let accepted = format_ident!("{}", checks.accepted.variant());
        let cache = format_ident!("{}", checks.cache.variant());
        fields.push(quote! {
            checks: Some(CheckFacts {
                subject: CheckSubject::#subject,
                accepted: OplineField::#accepted,
                cache: OplineField::#cache,
            })
        });
    }
    let effects = flags(
        quote!(EffectFacts::NONE),
        quote!(EffectFacts),
        &effects(opcode, plan),
    );
    fields.extend(effects.map(|effects| quote!(effects: #effects)));
    let spec = [
        ("smart_branch", opcode.has_spec(SpecOption::SmartBranch)),
        ("result_cv", opcode.has_spec(SpecOption::ResultCv)),
        ("kept_op1", opcode.has_spec(SpecOption::KeptOp1)),
    ];
    let spec = flags(quote!(SpecFacts::NONE), quote!(SpecFacts), &spec);
    fields.extend(spec.map(|spec| quote!(spec: #spec)));
    if opcode.define_only {
        fields.push(quote!(define_only: true));
    }
    quote!(OpcodeFacts { #(#fields,)* ..OpcodeFacts::of(#number, #name) })
}

/// A structure of truth values of which some are set; nothing if none is.
fn flags(base: TokenStream, structure: TokenStream, all: &[(&str, bool)]) -> Option<TokenStream> {
    let set: Vec<_> = all
        .iter()
        .filter(|(_, is_set)| *is_set)
        .map(|(name, _)| format_ident!("{name}"))
        .collect();
    match set.len() {
        0 => None,
        count if count == all.len() => Some(quote!(#structure { #(#set: true),* })),
        _ => Some(quote!(#structure { #(#set: true,)* ..#base })),
    }
}

/// The kinds of an operand as bits.
pub(super) fn kinds(operand: &Operand) -> u8 {
    let codes = operand.kinds.iter().flat_map(|kind| kind.value.codes());
    codes.fold(0, |bits, code| bits | kind_bits::of_code(*code))
}

fn operand(operand: &Operand, fast_writes: bool) -> TokenStream {
    let kinds = kinds(operand);
    let mut fields = Vec::new();
    if operand.meaning != UnusedMeaning::None {
        let meaning = format_ident!("{}", operand.meaning.variant());
        fields.push(quote!(meaning: UnusedMeaning::#meaning));
    }
    let has_temporaries = kinds & (kind_bits::TMP | kind_bits::VAR) != 0;
    let flags = [
        (quote!(consumed), !operand.keep && has_temporaries),
        (quote!(defined), operand.define),
        (quote!(written), operand.define || fast_writes),
        (quote!(read), operand.is_read() && !fast_writes),
    ];
    let set = flags.into_iter().filter(|(_, is_set)| *is_set);
    fields.extend(set.map(|(name, _)| quote!(#name: true)));
    match fields.is_empty() {
        true => quote!(OperandFacts::of(#kinds)),
        false => quote!(OperandFacts { #(#fields,)* ..OperandFacts::of(#kinds) }),
    }
}

fn result(opcode: &Opcode, result: &ResultDefinition) -> TokenStream {
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
    let mut fields = Vec::new();
    if result.kinds.contains(&ResultKind::Arg) {
        fields.push(quote!(place: ResultPlace::Argument));
    } else if result.kinds.contains(&ResultKind::Slot) {
        let slots = result.slots.max(1);
        fields.push(quote!(place: ResultPlace::CacheSlots(#slots)));
    }
    if result.unwound != Unwinding::Value {
        let unwound = format_ident!("{}", result.unwound.variant());
        fields.push(quote!(unwound: Unwinding::#unwound));
    }
    let types = opcode.result_types();
    if types != TypeMask::ANY {
        let types = types.0;
        fields.push(quote!(types: TypeMask(#types)));
    }
    let flags = [
        (quote!(same_as_before), result.same),
        (quote!(small), result.small),
    ];
    let set = flags.into_iter().filter(|(_, is_set)| *is_set);
    fields.extend(set.map(|(name, _)| quote!(#name: true)));
    match fields.is_empty() {
        true => quote!(ResultFacts::of(#kinds)),
        false => quote!(ResultFacts { #(#fields,)* ..ResultFacts::of(#kinds) }),
    }
}

/// The jumps of an opcode: op1, op2, `extended_value`.
pub(super) fn jumps(opcode: &Opcode) -> [bool; 3] {
    let declared = |field| opcode.jumps.iter().any(|jump| jump.value == field);
    let extended = opcode
        .extended
        .iter()
        .any(|m| m.value == ExtendedMeaning::JmpAddr);
    [
        declared(OplineField::Op1) || opcode.op1.meaning == UnusedMeaning::JmpAddr,
        declared(OplineField::Op2) || opcode.op2.meaning == UnusedMeaning::JmpAddr,
        declared(OplineField::Extended) || extended,
    ]
}

/// Every effect, and whether the opcode has it.
fn effects(opcode: &Opcode, plan: &Plan) -> [(&'static str, bool); 15] {
    let [jumps_op1, jumps_op2, jumps_extended] = jumps(opcode);
    let has = |effect: Effect| (effect.word(), opcode.has_effect(effect));
    [
        ("may_throw", plan.may_throw(opcode)),
        ("reenters", plan.reenters(opcode)),
        ("jumps_op1", jumps_op1),
        ("jumps_op2", jumps_op2),
        ("jumps_extended", jumps_extended),
        has(Effect::Terminal),
        has(Effect::Calls),
        has(Effect::OpensCall),
        has(Effect::ClosesCall),
        has(Effect::MovesCall),
        has(Effect::SkipsCall),
        has(Effect::SendsValue),
        has(Effect::Receives),
        has(Effect::CachesForGood),
        has(Effect::Computes),
    ]
}
