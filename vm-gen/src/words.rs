//! The words of clauses. What is not in these tables is no word: the reader and the
//! lowering look here first.

use vm_def::grammar::{
    CheckSubject, Effect, ExtendedMeaning, OperandKind, OplineField, ResultKind, SlowClass,
    SpecOption, TypeName, UnusedMeaning, Unwinding,
};
use vm_def::ir::layout::{FIELDS, NUMBERS, SEQUENCES};
use vm_def::ir::{Intrinsic, Reason, Structure};

/// The statements of a `handler`.
pub(crate) const STATEMENTS: &[&str] = &[
    "op1",
    "op2",
    "data",
    "result",
    "extended",
    "checks",
    "spec",
    "effects",
    "alias",
    "define_only",
    "fast",
    "middle",
    "slow",
];

/// What may stand behind the kinds of an operand.
pub(crate) const OPERAND_FLAGS: &[&str] = &["keep", "def", "read", "ref"];

/// What may stand behind the kinds of a result, besides what an exception does with it.
pub(crate) const RESULT_FLAGS: &[&str] = &["SAME"];

/// What may stand behind the types of a result.
pub(crate) const SMALL: &str = "small";

/// Statements of a clause that are written as a call.
pub(crate) const CONTROL: &[&str] = &[
    "guard", "jump", "goto", "enter", "resume", "leave", "helper",
];

/// What may stand in front of a parameter's types.
pub(crate) const MODIFIERS: &[&str] = &["proven", "place", "ref"];

/// Say what a value is.
pub(crate) const CONSTRUCTORS: &[&str] = &["Long", "Double", "Bool", "copy", "share"];

/// Names that every clause has.
pub(crate) const NAMES: &[&str] = &["extended", "frame", "opline", "vm"];

/// Words about the specialisation and its operands.
pub(crate) const SPECIALISATION: &[&str] = &[
    "is_const",
    "is_cv",
    "is_unused",
    "is_consumed",
    "is_operator",
    "number",
    "target",
    "operand",
    "stays",
    "take",
    "cache",
    "result_used",
    "result_address",
    "no_result",
    "apart",
    "name_cache",
    "isset",
    "quick_arg",
    "kept_op1",
];

/// Words that take values.
pub(crate) const VALUES: &[&str] = &[
    "deref",
    "counted",
    "type_word",
    "long",
    "double",
    "boolean",
    "value",
    "taken",
    "type_number",
    "is_null",
    "within",
    "has_bit",
    "retain",
    "drop_share",
    "release",
    "Indirect",
    "SharedString",
    "CountedString",
    "InternedString",
    "NewArray",
    "NewObject",
    "ClassPointer",
];

/// The operator of a compound clause.
pub(crate) const APPLY: &str = "apply";

/// Every word that a definition may use, with what it is: for the reference's test.
pub fn all() -> Vec<(&'static str, String)> {
    let mut all: Vec<(&'static str, String)> = Vec::new();
    let mut add = |what: &'static str, words: &[&str]| {
        all.extend(words.iter().map(|word| (what, (*word).to_owned())));
    };
    macro_rules! tables {
        ($($what:literal $table:ident,)*) => {
            $(add($what, &$table::ALL.iter().map(|word| word.word()).collect::<Vec<_>>());)*
        };
    }
    tables! {
        "operand kind" OperandKind,
        "meaning of an unused operand" UnusedMeaning,
        "meaning of the extended value" ExtendedMeaning,
        "spec option" SpecOption,
        "effect" Effect,
        "class of a slow path" SlowClass,
        "field of the opline" OplineField,
        "what an exception does with a result" Unwinding,
        "subject of a check" CheckSubject,
        "result kind" ResultKind,
        "type" TypeName,
        "reason" Reason,
    }
    add("statement", STATEMENTS);
    add("statement of a clause", CONTROL);
    add("modifier of a parameter", MODIFIERS);
    add("constructor", CONSTRUCTORS);
    add("name", NAMES);
    add("word about the specialisation", SPECIALISATION);
    add("word", VALUES);
    add("word", &[APPLY]);
    add("word behind the kinds of an operand", OPERAND_FLAGS);
    add("word behind the kinds of a result", RESULT_FLAGS);
    add("word behind the types of a result", &[SMALL]);
    let names = |list: &[Structure]| list.iter().map(|item| item.name()).collect::<Vec<_>>();
    add("structure", &names(Structure::ALL));
    let intrinsics: Vec<&str> = Intrinsic::ALL.iter().map(|item| item.name()).collect();
    add("intrinsic", &intrinsics);
    let numbers: Vec<&str> = NUMBERS.iter().map(|(name, _)| *name).collect();
    add("number of the runtime", &numbers);
    add(
        "field",
        &FIELDS.iter().map(|field| field.name).collect::<Vec<_>>(),
    );
    add(
        "sequence",
        &SEQUENCES.iter().map(|it| it.name).collect::<Vec<_>>(),
    );
    all
}
