//! Prints oplines in the text form of opcache's dumps (`opcache.opt_debug_level`), by the facts of
//! their opcodes. Smart-branch flags and cache slots are not part of the form.

use std::fmt::Write;

use crate::facts::{OpcodeFacts, OperandFacts};
use crate::grammar::{ExtendedMeaning, UnusedMeaning};

/// An opline as the disassembler sees it, published or not.
#[derive(Clone, Copy, Debug)]
pub struct OplineView<'a> {
    /// What is known about the opcode.
    pub facts: &'a OpcodeFacts,
    /// The first operand.
    pub op1: u32,
    /// The second operand.
    pub op2: u32,
    /// The result.
    pub result: u32,
    /// `extended_value`.
    pub extended: u32,
    /// The kind of op1.
    pub op1_type: u8,
    /// The kind of op2.
    pub op2_type: u8,
    /// The kind of the result, with the smart-branch flags.
    pub result_type: u8,
}

/// What only the op array knows.
pub trait OperandPrinter {
    /// The text of the literal in an operand: `int(1)`, `string("a")`, `array(...)`.
    fn literal(&self, field: u32) -> String;
    /// The text of a slot: `CV0($a)`, `T2`, `V3`. `kind` is TMP, VAR or CV.
    fn variable(&self, kind: u8, field: u32) -> String;
    /// The number of the opline that a jump leads to.
    fn jump_target(&self, field: u32) -> u32;
    /// The entries of the jump table in an operand: the key as it is printed (`1`, `"a"`) and the
    /// number of the opline.
    fn jump_table(&self, field: u32) -> Vec<(String, u32)>;
    /// The name of the opcode with this number.
    fn opcode_name(&self, number: u32) -> Option<&'static str>;
    /// The name of the function that a FRAMELESS_ICALL calls.
    fn frameless_function(&self, index: u32) -> String;
}

const CONST: u8 = 1;
const SLOTS: u8 = 2 | 4 | 8;
/// Flag of `extended_value`: the free is part of a `return`.
const FREE_ON_RETURN: u32 = 1;
const TYPE_WORDS: [&str; 10] = [
    "undef", "null", "false", "true", "long", "double", "string", "array", "object", "resource",
];

/// The text of an opline, without its number.
pub fn print(opline: &OplineView<'_>, printer: &dyn OperandPrinter) -> String {
    let mut text = String::new();
    if opline.result_type & SLOTS != 0 {
        text.push_str(&printer.variable(opline.result_type & SLOTS, opline.result));
        text.push_str(" = ");
    }
    text.push_str(opline.facts.name);
    print_extended(&mut text, opline, printer);
    let jump = opline.facts.effects.jumps_op1;
    print_operand(
        &mut text,
        opline,
        &opline.facts.op1,
        (opline.op1_type, opline.op1, jump),
        printer,
    );
    // The last catch of a try has no other to go to.
    let last_catch =
        opline.facts.extended.contains(&ExtendedMeaning::LastCatch) && opline.extended & 1 != 0;
    let jump_table = opline.op2_type == CONST && opline.facts.effects.jumps_extended;
    if jump_table {
        for (key, target) in printer.jump_table(opline.op2) {
            push(&mut text, format_args!(" {key}: {target:04},"));
        }
        text.push_str(" default:");
    } else if !(last_catch && opline.facts.effects.jumps_op2) {
        let jump = opline.facts.effects.jumps_op2;
        let operand = (opline.op2_type, opline.op2, jump);
        print_operand(&mut text, opline, &opline.facts.op2, operand, printer);
    }
    if opline.facts.effects.jumps_extended {
        push(
            &mut text,
            format_args!(" {:04}", printer.jump_target(opline.extended)),
        );
    }
    text
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = text.write_fmt(arguments);
}

fn print_operand(
    text: &mut String,
    opline: &OplineView<'_>,
    facts: &OperandFacts,
    (kind, field, jump): (u8, u32, bool),
    printer: &dyn OperandPrinter,
) {
    if kind == CONST {
        push(text, format_args!(" {}", printer.literal(field)));
        return;
    }
    if kind & SLOTS != 0 {
        push(text, format_args!(" {}", printer.variable(kind, field)));
        return;
    }
    match facts.meaning {
        UnusedMeaning::Num => push(text, format_args!(" {field}")),
        UnusedMeaning::JmpAddr if jump => {
            push(text, format_args!(" {:04}", printer.jump_target(field)));
        }
        UnusedMeaning::TryCatch if field != u32::MAX => {
            push(text, format_args!(" try-catch({field})"));
        }
        UnusedMeaning::LoopEnd if opline.extended & FREE_ON_RETURN != 0 => {
            push(text, format_args!(" loop-end(+{field})"));
        }
        UnusedMeaning::This => text.push_str(" THIS"),
        UnusedMeaning::Next => text.push_str(" NEXT"),
        UnusedMeaning::Constructor => text.push_str(" CONSTRUCTOR"),
        UnusedMeaning::ClassFetch => print_class_fetch(text, field),
        UnusedMeaning::ConstFetch if field & 0x100 != 0 => {
            text.push_str(" (unqualified-in-namespace)");
        }
        _ => {}
    }
}

fn print_class_fetch(text: &mut String, fetch: u32) {
    text.push_str(match fetch & 0xf {
        1 => " (self)",
        2 => " (parent)",
        3 => " (static)",
        4 => " (auto)",
        5 => " (interface)",
        6 => " (trait)",
        _ => "",
    });
    for (flag, word) in [
        (0x80, " (no-autoload)"),
        (0x100, " (silent)"),
        (0x200, " (exception)"),
    ] {
        if fetch & flag != 0 {
            text.push_str(word);
        }
    }
}

fn print_extended(text: &mut String, opline: &OplineView<'_>, printer: &dyn OperandPrinter) {
    let extended = opline.extended;
    for meaning in opline.facts.extended {
        match meaning {
            ExtendedMeaning::Num => push(text, format_args!(" {extended}")),
            ExtendedMeaning::FunctionSlot => {}
            ExtendedMeaning::Frameless => {
                push(
                    text,
                    format_args!("({})", printer.frameless_function(extended)),
                );
            }
            ExtendedMeaning::Op => {
                let name = printer.opcode_name(extended).unwrap_or("???");
                push(text, format_args!(" ({name})"));
            }
            ExtendedMeaning::Type => print_type(text, extended),
            ExtendedMeaning::TypeMask => print_type_mask(text, extended),
            ExtendedMeaning::Eval => text.push_str(match extended {
                1 => " (eval)",
                2 => " (include)",
                4 => " (include_once)",
                8 => " (require)",
                16 => " (require_once)",
                _ => " (???)",
            }),
            // An implicit `return` has all bits set, and counts as a function's result.
            ExtendedMeaning::Src if extended == 2 => text.push_str(" (value)"),
            ExtendedMeaning::Src if extended & 1 != 0 => text.push_str(" (function)"),
            ExtendedMeaning::VarFetch => {
                let words = [(2, " (global)"), (4, " (local)"), (8, " (global+lock)")];
                let word = words.iter().find(|(flag, _)| extended & flag != 0);
                text.push_str(word.map_or("", |(_, word)| word));
            }
            ExtendedMeaning::Isset => {
                text.push_str(if extended & 1 == 0 {
                    " (isset)"
                } else {
                    " (empty)"
                });
            }
            ExtendedMeaning::ArrayInit => {
                push(text, format_args!(" {}", extended >> 2));
                if extended & 2 == 0 {
                    text.push_str(" (packed)");
                }
            }
            ExtendedMeaning::Ref if extended & 1 != 0 => text.push_str(" (ref)"),
            ExtendedMeaning::FetchRef | ExtendedMeaning::DimWrite => {
                text.push_str(match extended & 3 {
                    1 => " (ref)",
                    2 | 3 => " (dim write)",
                    _ => "",
                });
            }
            // Cache slots and flags are not printed, jumps not here.
            _ => {}
        }
    }
}

fn print_type(text: &mut String, number: u32) {
    let word = match number {
        17 => Some("bool"),
        _ => TYPE_WORDS
            .get(number as usize)
            .copied()
            .filter(|_| number > 0),
    };
    push(text, format_args!(" ({})", word.unwrap_or("???")));
}

/// The mask of a TYPE_CHECK: one type, or `bool`, or a list.
fn print_type_mask(text: &mut String, mask: u32) {
    const BOOL: u32 = 1 << 2 | 1 << 3;
    let mut words = Vec::new();
    for (number, word) in TYPE_WORDS.iter().enumerate() {
        match number {
            2 if mask & BOOL == BOOL => words.push("bool"),
            3 if mask & BOOL == BOOL => {}
            _ if mask & (1 << number) != 0 => words.push(word),
            _ => {}
        }
    }
    match words.as_slice() {
        [word] => push(text, format_args!(" ({word})")),
        words => push(text, format_args!(" TYPE [{}]", words.join(", "))),
    }
}
