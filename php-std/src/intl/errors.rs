//! The last problem that a function of the extension met, by ICU's codes.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use vm_runtime::ini::parse_long;

use crate::support::{define, define_one, functions, text};

functions! {
    "intl_get_error_code(): int" => intl_get_error_code,
    "intl_get_error_message(): string" => intl_get_error_message,
    "intl_is_failure(int $errorCode): bool" => intl_is_failure,
    "intl_error_name(int $errorCode): string" => intl_error_name,
}

pub(super) const ILLEGAL_ARGUMENT: i64 = 1;
#[cfg(feature = "intl")]
pub(super) const INVALID_FORMAT: i64 = 3;
#[cfg(feature = "intl")]
pub(super) const PARSE_ERROR: i64 = 9;
pub(super) const INVALID_CHARACTER: i64 = 10;
#[cfg(feature = "intl")]
pub(super) const UNSUPPORTED: i64 = 16;

/// The names of the codes.
const NAMES: &[(i64, &str)] = &[
    (-128, "U_USING_FALLBACK_WARNING"),
    (-127, "U_USING_DEFAULT_WARNING"),
    (-126, "U_SAFECLONE_ALLOCATED_WARNING"),
    (-125, "U_STATE_OLD_WARNING"),
    (-124, "U_STRING_NOT_TERMINATED_WARNING"),
    (-123, "U_SORT_KEY_TOO_SHORT_WARNING"),
    (-122, "U_AMBIGUOUS_ALIAS_WARNING"),
    (-121, "U_DIFFERENT_UCA_VERSION"),
    (-120, "U_PLUGIN_CHANGED_LEVEL_WARNING"),
    (0, "U_ZERO_ERROR"),
    (1, "U_ILLEGAL_ARGUMENT_ERROR"),
    (2, "U_MISSING_RESOURCE_ERROR"),
    (3, "U_INVALID_FORMAT_ERROR"),
    (4, "U_FILE_ACCESS_ERROR"),
    (5, "U_INTERNAL_PROGRAM_ERROR"),
    (6, "U_MESSAGE_PARSE_ERROR"),
    (7, "U_MEMORY_ALLOCATION_ERROR"),
    (8, "U_INDEX_OUTOFBOUNDS_ERROR"),
    (9, "U_PARSE_ERROR"),
    (10, "U_INVALID_CHAR_FOUND"),
    (11, "U_TRUNCATED_CHAR_FOUND"),
    (12, "U_ILLEGAL_CHAR_FOUND"),
    (13, "U_INVALID_TABLE_FORMAT"),
    (14, "U_INVALID_TABLE_FILE"),
    (15, "U_BUFFER_OVERFLOW_ERROR"),
    (16, "U_UNSUPPORTED_ERROR"),
    (17, "U_RESOURCE_TYPE_MISMATCH"),
    (18, "U_ILLEGAL_ESCAPE_SEQUENCE"),
    (19, "U_UNSUPPORTED_ESCAPE_SEQUENCE"),
    (20, "U_NO_SPACE_AVAILABLE"),
    (21, "U_CE_NOT_FOUND_ERROR"),
    (22, "U_PRIMARY_TOO_LONG_ERROR"),
    (23, "U_STATE_TOO_OLD_ERROR"),
    (24, "U_TOO_MANY_ALIASES_ERROR"),
    (25, "U_ENUM_OUT_OF_SYNC_ERROR"),
    (26, "U_INVARIANT_CONVERSION_ERROR"),
    (27, "U_INVALID_STATE_ERROR"),
    (28, "U_COLLATOR_VERSION_MISMATCH"),
    (29, "U_USELESS_COLLATOR_ERROR"),
    (30, "U_NO_WRITE_PERMISSION"),
    (31, "U_INPUT_TOO_LONG_ERROR"),
    (65536, "U_BAD_VARIABLE_DEFINITION"),
    (65537, "U_MALFORMED_RULE"),
    (65538, "U_MALFORMED_SET"),
    (65539, "U_MALFORMED_SYMBOL_REFERENCE"),
    (65540, "U_MALFORMED_UNICODE_ESCAPE"),
    (65541, "U_MALFORMED_VARIABLE_DEFINITION"),
    (65542, "U_MALFORMED_VARIABLE_REFERENCE"),
    (65543, "U_MISMATCHED_SEGMENT_DELIMITERS"),
    (65544, "U_MISPLACED_ANCHOR_START"),
    (65545, "U_MISPLACED_CURSOR_OFFSET"),
    (65546, "U_MISPLACED_QUANTIFIER"),
    (65547, "U_MISSING_OPERATOR"),
    (65548, "U_MISSING_SEGMENT_CLOSE"),
    (65549, "U_MULTIPLE_ANTE_CONTEXTS"),
    (65550, "U_MULTIPLE_CURSORS"),
    (65551, "U_MULTIPLE_POST_CONTEXTS"),
    (65552, "U_TRAILING_BACKSLASH"),
    (65553, "U_UNDEFINED_SEGMENT_REFERENCE"),
    (65554, "U_UNDEFINED_VARIABLE"),
    (65555, "U_UNQUOTED_SPECIAL"),
    (65556, "U_UNTERMINATED_QUOTE"),
    (65557, "U_RULE_MASK_ERROR"),
    (65558, "U_MISPLACED_COMPOUND_FILTER"),
    (65559, "U_MULTIPLE_COMPOUND_FILTERS"),
    (65560, "U_INVALID_RBT_SYNTAX"),
    (65561, "U_INVALID_PROPERTY_PATTERN"),
    (65562, "U_MALFORMED_PRAGMA"),
    (65563, "U_UNCLOSED_SEGMENT"),
    (65564, "U_ILLEGAL_CHAR_IN_SEGMENT"),
    (65565, "U_VARIABLE_RANGE_EXHAUSTED"),
    (65566, "U_VARIABLE_RANGE_OVERLAP"),
    (65567, "U_ILLEGAL_CHARACTER"),
    (65568, "U_INTERNAL_TRANSLITERATOR_ERROR"),
    (65569, "U_INVALID_ID"),
    (65570, "U_INVALID_FUNCTION"),
    (65792, "U_UNEXPECTED_TOKEN"),
    (65793, "U_MULTIPLE_DECIMAL_SEPARATORS"),
    (65794, "U_MULTIPLE_EXPONENTIAL_SYMBOLS"),
    (65795, "U_MALFORMED_EXPONENTIAL_PATTERN"),
    (65796, "U_MULTIPLE_PERCENT_SYMBOLS"),
    (65797, "U_MULTIPLE_PERMILL_SYMBOLS"),
    (65798, "U_MULTIPLE_PAD_SPECIFIERS"),
    (65799, "U_PATTERN_SYNTAX_ERROR"),
    (65800, "U_ILLEGAL_PAD_POSITION"),
    (65801, "U_UNMATCHED_BRACES"),
    (65802, "U_UNSUPPORTED_PROPERTY"),
    (65803, "U_UNSUPPORTED_ATTRIBUTE"),
    (65804, "U_ARGUMENT_TYPE_MISMATCH"),
    (65805, "U_DUPLICATE_KEYWORD"),
    (65806, "U_UNDEFINED_KEYWORD"),
    (65807, "U_DEFAULT_KEYWORD_MISSING"),
    (65808, "U_DECIMAL_NUMBER_SYNTAX_ERROR"),
    (65809, "U_FORMAT_INEXACT_ERROR"),
    (65810, "U_NUMBER_ARG_OUTOFBOUNDS_ERROR"),
    (65811, "U_NUMBER_SKELETON_SYNTAX_ERROR"),
    (65812, "U_MF_UNRESOLVED_VARIABLE_ERROR"),
    (65813, "U_MF_SYNTAX_ERROR"),
    (65814, "U_MF_UNKNOWN_FUNCTION_ERROR"),
    (65815, "U_MF_VARIANT_KEY_MISMATCH_ERROR"),
    (65816, "U_MF_FORMATTING_ERROR"),
    (65817, "U_MF_NONEXHAUSTIVE_PATTERN_ERROR"),
    (65818, "U_MF_DUPLICATE_OPTION_NAME_ERROR"),
    (65819, "U_MF_SELECTOR_ERROR"),
    (65820, "U_MF_MISSING_SELECTOR_ANNOTATION_ERROR"),
    (65821, "U_MF_DUPLICATE_DECLARATION_ERROR"),
    (65822, "U_MF_OPERAND_MISMATCH_ERROR"),
    (65823, "U_MF_DUPLICATE_VARIANT_ERROR"),
    (66048, "U_BRK_INTERNAL_ERROR"),
    (66049, "U_BRK_HEX_DIGITS_EXPECTED"),
    (66050, "U_BRK_SEMICOLON_EXPECTED"),
    (66051, "U_BRK_RULE_SYNTAX"),
    (66052, "U_BRK_UNCLOSED_SET"),
    (66053, "U_BRK_ASSIGN_ERROR"),
    (66054, "U_BRK_VARIABLE_REDFINITION"),
    (66055, "U_BRK_MISMATCHED_PAREN"),
    (66056, "U_BRK_NEW_LINE_IN_QUOTED_STRING"),
    (66057, "U_BRK_UNDEFINED_VARIABLE"),
    (66058, "U_BRK_INIT_ERROR"),
    (66059, "U_BRK_RULE_EMPTY_SET"),
    (66060, "U_BRK_UNRECOGNIZED_OPTION"),
    (66061, "U_BRK_MALFORMED_RULE_TAG"),
    (66304, "U_REGEX_INTERNAL_ERROR"),
    (66305, "U_REGEX_RULE_SYNTAX"),
    (66306, "U_REGEX_INVALID_STATE"),
    (66307, "U_REGEX_BAD_ESCAPE_SEQUENCE"),
    (66308, "U_REGEX_PROPERTY_SYNTAX"),
    (66309, "U_REGEX_UNIMPLEMENTED"),
    (66310, "U_REGEX_MISMATCHED_PAREN"),
    (66311, "U_REGEX_NUMBER_TOO_BIG"),
    (66312, "U_REGEX_BAD_INTERVAL"),
    (66313, "U_REGEX_MAX_LT_MIN"),
    (66314, "U_REGEX_INVALID_BACK_REF"),
    (66315, "U_REGEX_INVALID_FLAG"),
    (66316, "U_REGEX_LOOK_BEHIND_LIMIT"),
    (66317, "U_REGEX_SET_CONTAINS_STRING"),
    (66318, "U_REGEX_OCTAL_TOO_BIG"),
    (66319, "U_REGEX_MISSING_CLOSE_BRACKET"),
    (66320, "U_REGEX_INVALID_RANGE"),
    (66321, "U_REGEX_STACK_OVERFLOW"),
    (66322, "U_REGEX_TIME_OUT"),
    (66323, "U_REGEX_STOPPED_BY_CALLER"),
    (66324, "U_REGEX_PATTERN_TOO_BIG"),
    (66325, "U_REGEX_INVALID_CAPTURE_GROUP_NAME"),
    (66560, "U_STRINGPREP_PROHIBITED_ERROR"),
    (66561, "U_STRINGPREP_UNASSIGNED_ERROR"),
    (66562, "U_STRINGPREP_CHECK_BIDI_ERROR"),
    (66563, "U_IDNA_STD3_ASCII_RULES_ERROR"),
    (66564, "U_IDNA_ACE_PREFIX_ERROR"),
    (66565, "U_IDNA_VERIFICATION_ERROR"),
    (66566, "U_IDNA_LABEL_TOO_LONG_ERROR"),
    (66567, "U_IDNA_ZERO_LENGTH_LABEL_ERROR"),
    (66568, "U_IDNA_DOMAIN_NAME_TOO_LONG_ERROR"),
    (66816, "U_PLUGIN_TOO_HIGH"),
    (66817, "U_PLUGIN_DIDNT_SET_LEVEL"),
];

/// Names that are no constants.
const NAMES_ALONE: &[&str] = &[
    "U_PLUGIN_CHANGED_LEVEL_WARNING",
    "U_INPUT_TOO_LONG_ERROR",
    "U_ARGUMENT_TYPE_MISMATCH",
    "U_DUPLICATE_KEYWORD",
    "U_UNDEFINED_KEYWORD",
    "U_DEFAULT_KEYWORD_MISSING",
    "U_DECIMAL_NUMBER_SYNTAX_ERROR",
    "U_FORMAT_INEXACT_ERROR",
    "U_NUMBER_ARG_OUTOFBOUNDS_ERROR",
    "U_NUMBER_SKELETON_SYNTAX_ERROR",
    "U_MF_UNRESOLVED_VARIABLE_ERROR",
    "U_MF_SYNTAX_ERROR",
    "U_MF_UNKNOWN_FUNCTION_ERROR",
    "U_MF_VARIANT_KEY_MISMATCH_ERROR",
    "U_MF_FORMATTING_ERROR",
    "U_MF_NONEXHAUSTIVE_PATTERN_ERROR",
    "U_MF_DUPLICATE_OPTION_NAME_ERROR",
    "U_MF_SELECTOR_ERROR",
    "U_MF_MISSING_SELECTOR_ANNOTATION_ERROR",
    "U_MF_DUPLICATE_DECLARATION_ERROR",
    "U_MF_OPERAND_MISMATCH_ERROR",
    "U_MF_DUPLICATE_VARIANT_ERROR",
    "U_REGEX_OCTAL_TOO_BIG",
    "U_REGEX_MISSING_CLOSE_BRACKET",
    "U_REGEX_INVALID_RANGE",
    "U_REGEX_STACK_OVERFLOW",
    "U_REGEX_TIME_OUT",
    "U_REGEX_STOPPED_BY_CALLER",
    "U_REGEX_PATTERN_TOO_BIG",
    "U_REGEX_INVALID_CAPTURE_GROUP_NAME",
    "U_PLUGIN_TOO_HIGH",
    "U_PLUGIN_DIDNT_SET_LEVEL",
];

/// Other constants: where codes begin and end, and second names.
const OTHER_CONSTANTS: &[(&str, i64)] = &[
    ("U_ERROR_WARNING_START", -128),
    ("U_ERROR_WARNING_LIMIT", -119),
    ("U_STANDARD_ERROR_LIMIT", 32),
    ("U_PARSE_ERROR_START", 65536),
    ("U_PARSE_ERROR_LIMIT", 65571),
    ("U_FMT_PARSE_ERROR_START", 65792),
    ("U_MULTIPLE_DECIMAL_SEPERATORS", 65793),
    ("U_FMT_PARSE_ERROR_LIMIT", 65824),
    ("U_BRK_ERROR_START", 66048),
    ("U_BRK_ERROR_LIMIT", 66062),
    ("U_REGEX_ERROR_START", 66304),
    ("U_REGEX_ERROR_LIMIT", 66326),
    ("U_IDNA_PROHIBITED_ERROR", 66560),
    ("U_IDNA_ERROR_START", 66560),
    ("U_IDNA_UNASSIGNED_ERROR", 66561),
    ("U_IDNA_CHECK_BIDI_ERROR", 66562),
    ("U_IDNA_ERROR_LIMIT", 66569),
    ("U_ERROR_LIMIT", 66818),
];

/// Registers the functions, and the codes as constants.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    for &(code, name) in NAMES {
        if !NAMES_ALONE.contains(&name) {
            define_one(vm, name, code.into());
        }
    }
    define(vm, OTHER_CONSTANTS);
    vm.deprecated_constants
        .push("U_MULTIPLE_DECIMAL_SEPERATORS");
}

/// The code that is no problem.
pub(super) const NO_ERROR: i64 = 0;

/// The last problem of the extension, or of an object.
#[derive(Debug, Default, Clone)]
pub(super) struct LastError {
    pub(super) code: i64,
    message: Vec<u8>,
}

impl LastError {
    /// What was found is not all that was asked for.
    #[cfg(feature = "intl")]
    pub(super) fn warning(code: i64) -> LastError {
        LastError {
            code,
            message: Vec::new(),
        }
    }

    /// The text that scripts get.
    pub(super) fn text(&self) -> Vec<u8> {
        match self.message.as_slice() {
            b"" => name(self.code).into(),
            message => [message, b": ", name(self.code).as_bytes()].concat(),
        }
    }
}

/// Forgets the last problem.
pub(super) fn clear(vm: &mut Vm) {
    *vm.extensions.state::<LastError>() = LastError::default();
}

/// Notes a problem, and tells of it as `intl.error_level` and `intl.use_exceptions` ask for. Whoever has an object notes
/// what is given back there as well.
pub(super) fn set(vm: &mut Vm, code: i64, message: impl AsRef<[u8]>) -> LastError {
    let message = message.as_ref();
    let problem = LastError {
        code,
        message: message.to_owned(),
    };
    *vm.extensions.state::<LastError>() = problem.clone();
    let number = |vm: &Vm, setting| parse_long(vm.ini.text(setting));
    let level = number(vm, "intl.error_level");
    if level != 0 && vm.check().is_ok() {
        vm.raise_in_function(level as u32, message);
    }
    if number(vm, "intl.use_exceptions") != 0 && vm.check().is_ok() {
        throw(vm, &String::from_utf8_lossy(message), code);
    }
    problem
}

/// Notes the code of a problem that an exception tells of.
#[cfg(feature = "intl")]
pub(super) fn note(vm: &mut Vm, code: i64) {
    *vm.extensions.state::<LastError>() = LastError {
        code,
        message: Vec::new(),
    };
}

/// Notes a problem of a constructor, which becomes an exception, as `intl.error_level` asks for with the name of the
/// constructor in front.
#[cfg(feature = "intl")]
pub(super) fn constructor_failed(
    vm: &mut Vm,
    constructor: &str,
    code: i64,
    message: &str,
) -> Thrown {
    let problem = LastError {
        code,
        message: message.into(),
    };
    let text = String::from_utf8_lossy(&problem.text()).into_owned();
    *vm.extensions.state::<LastError>() = problem;
    if parse_long(vm.ini.text("intl.error_level")) != 0 {
        return throw(vm, &format!("{constructor}(): {message}"), 0);
    }
    throw(vm, &text, code)
}

/// Throws an IntlException.
#[cold]
pub(super) fn throw(vm: &mut Vm, message: &str, code: i64) -> Thrown {
    let Some(class) = vm.linked_class(b"intlexception") else {
        return Thrown;
    };
    let object = vm.new_throwable(class, message, code);
    vm.throw_object(object)
}

/// What a function gives after a problem: a value, unless an exception was thrown.
pub(super) fn failed(vm: &mut Vm, code: i64, message: &str, value: Value) -> PhpResult<Value> {
    set(vm, code, message);
    vm.check()?;
    Ok(value)
}

pub(super) fn name(code: i64) -> &'static str {
    let known = NAMES.iter().find(|(known, _)| *known == code);
    known.map_or("[BOGUS UErrorCode]", |(_, name)| name)
}

fn intl_get_error_code(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.vm.extensions.state::<LastError>().code.into())
}

fn intl_get_error_message(call: &mut Call<'_>) -> PhpResult<Value> {
    let message = call.vm.extensions.state::<LastError>().text();
    text(call.vm, message)
}

fn intl_is_failure(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((call.long(0) > NO_ERROR).into())
}

fn intl_error_name(call: &mut Call<'_>) -> PhpResult<Value> {
    text(call.vm, name(call.long(0)))
}
