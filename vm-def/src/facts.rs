//! The types of the generated tables: what the compiler, the live-range pass, the verifier, the
//! disassembler and the JIT may know about an opcode without reading its body.

use crate::grammar::{CheckSubject, ExtendedMeaning, OplineField, UnusedMeaning, Unwinding};
use crate::types::TypeMask;

/// Bits of [`OperandFacts::kinds`] and [`ResultFacts::kinds`].
pub mod kind_bits {
    /// No operand.
    pub const UNUSED: u8 = 1 << 4;
    /// A literal.
    pub const CONST: u8 = 1;
    /// A temporary.
    pub const TMP: u8 = 2;
    /// A variable result.
    pub const VAR: u8 = 4;
    /// A compiled variable.
    pub const CV: u8 = 8;
    /// Every kind.
    pub const ANY: u8 = UNUSED | CONST | TMP | VAR | CV;

    /// The bit of an opline's operand kind byte.
    pub const fn of_code(code: u8) -> u8 {
        if code == 0 { UNUSED } else { code }
    }
}

/// What is known about an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandFacts {
    /// The kinds that are allowed ([`kind_bits`]).
    pub kinds: u8,
    /// What the field means when the kind is UNUSED.
    pub meaning: UnusedMeaning,
    /// The instruction frees a TMP or VAR operand.
    pub consumed: bool,
    /// The instruction writes the operand's slot (a definition for live ranges).
    pub defined: bool,
    /// A CV operand is written through (PRE_INC, ASSIGN …).
    pub written: bool,
    /// A variable has the same value afterwards, and is no reference if it was none.
    pub read: bool,
}

impl OperandFacts {
    /// An operand of these kinds, of which nothing else is said.
    pub const fn of(kinds: u8) -> OperandFacts {
        OperandFacts {
            kinds,
            meaning: UnusedMeaning::None,
            consumed: false,
            defined: false,
            written: false,
            read: false,
        }
    }

    /// Whether it may be a value.
    pub const fn may_be_value(&self) -> bool {
        self.kinds & !kind_bits::UNUSED != 0
    }
}

/// Where the result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultPlace {
    /// There is none.
    None,
    /// A slot of the frame.
    Slot,
    /// An argument slot of the callee's frame.
    Argument,
    /// `result` is a byte offset in the runtime cache, with this many slots.
    CacheSlots(u8),
}

/// What is known about the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultFacts {
    /// Where it goes.
    pub place: ResultPlace,
    /// The kinds that are allowed; UNUSED if the result is optional.
    pub kinds: u8,
    /// The result is the array or rope in op1 again: no definition for live ranges.
    pub same_as_before: bool,
    /// What an exception does with it while it is live.
    pub unwound: Unwinding,
    /// The types that it may have.
    pub types: TypeMask,
    /// An integer in it is a length or the like: far from where sums overflow.
    pub small: bool,
}

impl ResultFacts {
    /// No result.
    pub const NONE: ResultFacts = ResultFacts {
        place: ResultPlace::None,
        kinds: kind_bits::UNUSED,
        same_as_before: false,
        unwound: Unwinding::Value,
        types: TypeMask::ANY,
        small: false,
    };

    /// A result in a slot, of which nothing but the kinds is said.
    pub const fn of(kinds: u8) -> ResultFacts {
        ResultFacts {
            place: ResultPlace::Slot,
            kinds,
            ..ResultFacts::NONE
        }
    }
}

/// What an opline checks against a declared type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckFacts {
    /// What it checks.
    pub subject: CheckSubject,
    /// Where a published opline has the mask of what is accepted as it is.
    pub accepted: OplineField,
    /// Where it has the number of the cache word for the class that passed last; above the mask, if both are the same.
    pub cache: OplineField,
}

/// What an instruction does besides its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct EffectFacts {
    /// May leave an exception behind.
    pub may_throw: bool,
    /// op1 is a jump target.
    pub jumps_op1: bool,
    /// op2 is a jump target.
    pub jumps_op2: bool,
    /// `extended_value` is a jump target.
    pub jumps_extended: bool,
    /// Never continues with the next opline.
    pub terminal: bool,
    /// Enters or leaves a function.
    pub calls: bool,
    /// Prepares a call, which another opcode closes.
    pub opens_call: bool,
    /// Ends the innermost call that was prepared.
    pub closes_call: bool,
    /// May give the call that is being prepared another frame, or another number of arguments.
    pub moves_call: bool,
    /// It may go on behind the opline that makes the call, if that is the next one.
    pub skips_call: bool,
    /// Sends an argument by value, if the parameter takes one so.
    pub sends_value: bool,
    /// Receives an argument, or its default: what a function begins with.
    pub receives: bool,
    /// What its runtime cache holds stays true once it is there.
    pub caches_for_good: bool,
    /// May run code of the script while it is executed: a handler of errors, a destructor, a magic method, an
    /// autoloader. What an entered function does afterwards is no effect of the opline.
    pub reenters: bool,
    /// Does nothing but give its result, if its operands are null, truth values, numbers or strings.
    pub computes: bool,
}

impl EffectFacts {
    /// Nothing.
    pub const NONE: EffectFacts = EffectFacts {
        may_throw: false,
        jumps_op1: false,
        jumps_op2: false,
        jumps_extended: false,
        terminal: false,
        calls: false,
        opens_call: false,
        closes_call: false,
        moves_call: false,
        skips_call: false,
        sends_value: false,
        receives: false,
        caches_for_good: false,
        reenters: false,
        computes: false,
    };
}

/// The specialisations of an opcode that others must know of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SpecFacts {
    /// May take the jump that follows.
    pub smart_branch: bool,
    /// The result may be assigned to a compiled variable.
    pub result_cv: bool,
    /// Asks whether a variable as op1 keeps what it holds until the prepared call has been made.
    pub kept_op1: bool,
}

impl SpecFacts {
    /// None.
    pub const NONE: SpecFacts = SpecFacts {
        smart_branch: false,
        result_cv: false,
        kept_op1: false,
    };
}

/// Everything that is known about an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeFacts {
    /// The opcode number.
    pub number: u8,
    /// The name, in capitals.
    pub name: &'static str,
    /// The first operand.
    pub op1: OperandFacts,
    /// The second operand.
    pub op2: OperandFacts,
    /// The operand of the OP_DATA that must follow, if any.
    pub data: Option<OperandFacts>,
    /// The result.
    pub result: ResultFacts,
    /// What `extended_value` means, and how many cache slots it points to.
    pub extended: &'static [ExtendedMeaning],
    /// The number of runtime cache slots at `extended_value`.
    pub extended_cache_slots: u8,
    /// What it checks against a declared type, if anything.
    pub checks: Option<CheckFacts>,
    /// Effects.
    pub effects: EffectFacts,
    /// Specialisations.
    pub spec: SpecFacts,
    /// It has no handler of its own (OP_DATA).
    pub define_only: bool,
}

impl OpcodeFacts {
    /// An opcode of which nothing is said: neither operands nor a result.
    pub const fn of(number: u8, name: &'static str) -> OpcodeFacts {
        OpcodeFacts {
            number,
            name,
            op1: OperandFacts::of(kind_bits::UNUSED),
            op2: OperandFacts::of(kind_bits::UNUSED),
            data: None,
            result: ResultFacts::NONE,
            extended: &[],
            extended_cache_slots: 0,
            checks: None,
            effects: EffectFacts::NONE,
            spec: SpecFacts::NONE,
            define_only: false,
        }
    }

    /// The entry of a number that no opcode has: nothing is allowed.
    pub const fn hole(number: u8) -> OpcodeFacts {
        OpcodeFacts {
            op1: OperandFacts::of(0),
            op2: OperandFacts::of(0),
            result: ResultFacts {
                kinds: 0,
                ..ResultFacts::NONE
            },
            effects: EffectFacts {
                terminal: true,
                ..EffectFacts::NONE
            },
            define_only: true,
            ..OpcodeFacts::of(number, "")
        }
    }

    /// Whether `extended_value` means this, among others.
    pub fn extended_is(&self, meaning: ExtendedMeaning) -> bool {
        self.extended.contains(&meaning)
    }
}

/// The types that are proven for the operands of an opline, for choosing a handler. The operands
/// are those after `normalise`. For a CONST operand the caller passes the literal's own type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeFacts {
    /// The types that op1 may have.
    pub op1: TypeMask,
    /// The types that op2 may have.
    pub op2: TypeMask,
}

impl TypeFacts {
    /// Nothing is known.
    pub const UNKNOWN: TypeFacts = TypeFacts {
        op1: TypeMask::ANY,
        op2: TypeMask::ANY,
    };
}
