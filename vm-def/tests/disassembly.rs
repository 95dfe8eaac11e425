//! The text form of oplines, as PHP 8.4 prints it.

use vm_def::disassembly::{OperandPrinter, OplineView, print};
use vm_def::facts::{EffectFacts, OpcodeFacts, OperandFacts, ResultFacts, kind_bits};
use vm_def::grammar::{ExtendedMeaning, UnusedMeaning};

struct Names;

impl OperandPrinter for Names {
    fn literal(&self, field: u32) -> String {
        format!("int({field})")
    }

    fn variable(&self, kind: u8, field: u32) -> String {
        match kind {
            8 => format!("CV{field}($x)"),
            4 => format!("V{field}"),
            _ => format!("T{field}"),
        }
    }

    fn jump_target(&self, field: u32) -> u32 {
        field
    }

    fn jump_table(&self, _: u32) -> Vec<(String, u32)> {
        vec![("1".to_owned(), 13), ("\"a\"".to_owned(), 15)]
    }

    fn opcode_name(&self, number: u32) -> Option<&'static str> {
        (number == 8).then_some("CONCAT")
    }

    fn frameless_function(&self, _: u32) -> String {
        "in_array".to_owned()
    }
}

const fn operand(meaning: UnusedMeaning) -> OperandFacts {
    OperandFacts {
        meaning,
        ..OperandFacts::of(kind_bits::ANY)
    }
}

fn line(
    name: &'static str,
    (op1, op2): (UnusedMeaning, UnusedMeaning),
    extended: &'static [ExtendedMeaning],
    operands: [(u8, u32); 3],
    value: u32,
) -> String {
    let facts = OpcodeFacts {
        op1: operand(op1),
        op2: operand(op2),
        result: ResultFacts::of(kind_bits::ANY),
        extended,
        effects: EffectFacts {
            jumps_op1: op1 == UnusedMeaning::JmpAddr,
            jumps_op2: op2 == UnusedMeaning::JmpAddr,
            jumps_extended: extended.contains(&ExtendedMeaning::JmpAddr),
            ..EffectFacts::NONE
        },
        ..OpcodeFacts::of(0, name)
    };
    let [(result_type, result), (op1_type, op1), (op2_type, op2)] = operands;
    let view = OplineView {
        facts: &facts,
        op1,
        op2,
        result,
        extended: value,
        op1_type,
        op2_type,
        result_type,
    };
    print(&view, &Names)
}

#[test]
fn operands_and_immediates() {
    use UnusedMeaning::{ClassFetch, JmpAddr, LoopEnd, Next, None, Num, This, TryCatch};
    let no = (0, 0);
    let cases = [
        (
            line("ADD", (None, None), &[], [(2, 5), (8, 0), (1, 1)], 0),
            "T5 = ADD CV0($x) int(1)",
        ),
        (
            line("JMP", (JmpAddr, None), &[], [no, (0, 10), no], 0),
            "JMP 0010",
        ),
        (
            line("JMPZ", (None, JmpAddr), &[], [no, (2, 4), (0, 9)], 0),
            "JMPZ T4 0009",
        ),
        (
            line("SEND_VAR", (None, Num), &[], [no, (8, 0), (0, 1)], 0),
            "SEND_VAR CV0($x) 1",
        ),
        (
            line("ASSIGN_DIM", (None, Next), &[], [no, (8, 0), no], 0),
            "ASSIGN_DIM CV0($x) NEXT",
        ),
        (
            line("ASSIGN_OBJ", (This, None), &[], [no, no, (1, 3)], 0),
            "ASSIGN_OBJ THIS int(3)",
        ),
        (
            line("FE_FREE", (None, LoopEnd), &[], [no, (4, 4), (0, 6)], 1),
            "FE_FREE V4 loop-end(+6)",
        ),
        (
            line("FE_FREE", (None, LoopEnd), &[], [no, (4, 4), (0, 6)], 0),
            "FE_FREE V4",
        ),
        (
            line("FAST_RET", (None, TryCatch), &[], [no, (2, 5), no], 0),
            "FAST_RET T5 try-catch(0)",
        ),
        (
            line(
                "FAST_RET",
                (None, TryCatch),
                &[],
                [no, (2, 1), (0, u32::MAX)],
                0,
            ),
            "FAST_RET T1",
        ),
        (
            line("NEW", (ClassFetch, None), &[], [(4, 1), (0, 0x203), no], 0),
            "V1 = NEW (static) (exception)",
        ),
        // The smart branch is not shown.
        (
            line(
                "IS_EQUAL",
                (None, None),
                &[],
                [(2 | 16, 5), (8, 0), (8, 1)],
                0,
            ),
            "T5 = IS_EQUAL CV0($x) CV1($x)",
        ),
    ];
    for (printed, expected) in cases {
        assert_eq!(printed, expected);
    }
}

#[test]
fn extended_values() {
    use ExtendedMeaning::*;
    use UnusedMeaning::None as Nothing;
    let plain = (Nothing, Nothing);
    let cv = [(0, 0), (8, 0), (0, 0)];
    let jump = (Nothing, UnusedMeaning::JmpAddr);
    let catch = [(8, 0), (1, 2), (0, 24)];
    let cases = [
        (
            line("ASSIGN_OP", plain, &[Op], cv, 8),
            "ASSIGN_OP (CONCAT) CV0($x)",
        ),
        (line("CAST", plain, &[Type], cv, 4), "CAST (long) CV0($x)"),
        (line("CAST", plain, &[Type], cv, 7), "CAST (array) CV0($x)"),
        (
            line("TYPE_CHECK", plain, &[TypeMask], cv, 1 << 4),
            "TYPE_CHECK (long) CV0($x)",
        ),
        (
            line("TYPE_CHECK", plain, &[TypeMask], cv, 12),
            "TYPE_CHECK (bool) CV0($x)",
        ),
        (
            line("TYPE_CHECK", plain, &[TypeMask], cv, 0b111_1100),
            "TYPE_CHECK TYPE [bool, long, double, string] CV0($x)",
        ),
        (
            line("INIT_ARRAY", plain, &[ArrayInit, Ref], cv, 3 << 2),
            "INIT_ARRAY 3 (packed) CV0($x)",
        ),
        (
            line("INIT_ARRAY", plain, &[ArrayInit, Ref], cv, 3),
            "INIT_ARRAY 0 (ref) CV0($x)",
        ),
        (
            line("FETCH_OBJ_W", plain, &[FetchRef], cv, 2),
            "FETCH_OBJ_W (dim write) CV0($x)",
        ),
        (
            line("FETCH_R", plain, &[VarFetch], cv, 4),
            "FETCH_R (local) CV0($x)",
        ),
        (
            line("RETURN_BY_REF", plain, &[Src], cv, u32::MAX),
            "RETURN_BY_REF (function) CV0($x)",
        ),
        (
            line("RETURN_BY_REF", plain, &[Src], cv, 2),
            "RETURN_BY_REF (value) CV0($x)",
        ),
        (
            line("ISSET", plain, &[VarFetch, Isset], cv, 5),
            "ISSET (local) (empty) CV0($x)",
        ),
        (line("THROW", plain, &[Flags], cv, 1), "THROW CV0($x)"),
        (
            line("CATCH", jump, &[LastCatch], catch, 0),
            "CV0($x) = CATCH int(2) 0024",
        ),
        (
            line("CATCH", jump, &[LastCatch], catch, 1),
            "CV0($x) = CATCH int(2)",
        ),
        (
            line("MATCH", plain, &[JmpAddr], [(0, 0), (8, 0), (1, 7)], 14),
            "MATCH CV0($x) 1: 0013, \"a\": 0015, default: 0014",
        ),
        (
            line("FRAMELESS_ICALL_1", plain, &[Frameless], cv, 3),
            "FRAMELESS_ICALL_1(in_array) CV0($x)",
        ),
    ];
    for (printed, expected) in cases {
        assert_eq!(printed, expected);
    }
}
