//! The types of the generated tables: what the compiler, the live-range pass, the verifier, the
//! disassembler and the JIT may know about an opcode without reading its body.

use crate::grammar::{ExtendedMeaning, UnusedMeaning};
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
    /// The handler is chosen by the kind of this operand.
    pub specialised: bool,
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
}

/// What an instruction does besides its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct EffectFacts {
    /// May leave an exception behind.
    pub may_throw: bool,
    /// Looks at the interrupt flag on some path.
    pub polls: bool,
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
    /// What its runtime cache holds stays true once it is there.
    pub caches_for_good: bool,
    /// May run code of the script while it is executed: a handler of errors, a destructor, a magic method, an
    /// autoloader. What an entered function does afterwards is no effect of the opline.
    pub reenters: bool,
    /// Does nothing but give its result, if its operands are null, truth values, numbers or strings.
    pub computes: bool,
}

/// The specialisations of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SpecFacts {
    /// By whether the result is used.
    pub retval: bool,
    /// May take the jump that follows.
    pub smart_branch: bool,
    /// The operands may be swapped.
    pub commutative: bool,
    /// Two literals are not allowed.
    pub no_const_const: bool,
    /// By whether the argument is one of the first twelve.
    pub quick_arg: bool,
    /// By isset() or empty().
    pub isset: bool,
    /// The result may be assigned to a compiled variable.
    pub result_cv: bool,
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
    /// Effects.
    pub effects: EffectFacts,
    /// Specialisations.
    pub spec: SpecFacts,
    /// It has no handler of its own (OP_DATA).
    pub define_only: bool,
    /// The opcode whose code it shares.
    pub alias_of: Option<u8>,
}

impl OpcodeFacts {
    /// The entry of a number that no opcode has: nothing is allowed.
    pub const fn hole(number: u8) -> OpcodeFacts {
        let operand = OperandFacts {
            kinds: 0,
            meaning: UnusedMeaning::None,
            consumed: false,
            defined: false,
            written: false,
            read: false,
            specialised: false,
        };
        OpcodeFacts {
            number,
            name: "",
            op1: operand,
            op2: operand,
            data: None,
            result: ResultFacts {
                place: ResultPlace::None,
                kinds: 0,
                same_as_before: false,
            },
            extended: &[],
            extended_cache_slots: 0,
            effects: EffectFacts {
                may_throw: false,
                polls: false,
                jumps_op1: false,
                jumps_op2: false,
                jumps_extended: false,
                terminal: true,
                calls: false,
                opens_call: false,
                closes_call: false,
                moves_call: false,
                skips_call: false,
                computes: false,
                caches_for_good: false,
                reenters: false,
            },
            spec: SpecFacts {
                retval: false,
                smart_branch: false,
                commutative: false,
                no_const_const: false,
                quick_arg: false,
                isset: false,
                result_cv: false,
            },
            define_only: true,
            alias_of: None,
        }
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
