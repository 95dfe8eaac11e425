//! The functions and methods: each does the same, on `$this` or on its first argument.

use vm_runtime::class::{NativeClass, NativeHandlers, method};
use vm_runtime::function::{NativeDefinition, class_flags};

use super::*;

/// Both tables from one list: names of function and method, parameters, result and what is done; that is told with
/// which argument the parameters start.
macro_rules! both {
    ($($function:literal $method:literal($($parameters:literal)?) $result:literal => $code:expr;)*) => {
        /// The functions.
        pub(in crate::intl) static FUNCTIONS: &[NativeDefinition] = &[
            method(
                "numfmt_create(string $locale, int $style, ?string $pattern = null): ?NumberFormatter",
                native::create_function::<Formatter>,
            ),
            $(method(
                concat!("numfmt_", $function, "(NumberFormatter $formatter" $(, ", ", $parameters)?, "): ", $result),
                |call| $code(call, 1),
            ),)*
        ];

        /// The class.
        pub(in crate::intl) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class NumberFormatter")
            .flags(class_flags::NOT_SERIALIZABLE)
            .create_native(native::create::<Formatter>)
            .handlers(&NativeHandlers::STANDARD)
            .constants(&[
                "PATTERN_DECIMAL = 0",
                "DECIMAL = 1",
                "CURRENCY = 2",
                "PERCENT = 3",
                "SCIENTIFIC = 4",
                "SPELLOUT = 5",
                "ORDINAL = 6",
                "DURATION = 7",
                "PATTERN_RULEBASED = 9",
                "IGNORE = 0",
                "CURRENCY_ACCOUNTING = 12",
                "DEFAULT_STYLE = 1",
                "ROUND_CEILING = 0",
                "ROUND_FLOOR = 1",
                "ROUND_DOWN = 2",
                "ROUND_UP = 3",
                "ROUND_TOWARD_ZERO = 2",
                "ROUND_AWAY_FROM_ZERO = 3",
                "ROUND_HALFEVEN = 4",
                "ROUND_HALFODD = 8",
                "ROUND_HALFDOWN = 5",
                "ROUND_HALFUP = 6",
                "PAD_BEFORE_PREFIX = 0",
                "PAD_AFTER_PREFIX = 1",
                "PAD_BEFORE_SUFFIX = 2",
                "PAD_AFTER_SUFFIX = 3",
                "PARSE_INT_ONLY = 0",
                "GROUPING_USED = 1",
                "DECIMAL_ALWAYS_SHOWN = 2",
                "MAX_INTEGER_DIGITS = 3",
                "MIN_INTEGER_DIGITS = 4",
                "INTEGER_DIGITS = 5",
                "MAX_FRACTION_DIGITS = 6",
                "MIN_FRACTION_DIGITS = 7",
                "FRACTION_DIGITS = 8",
                "MULTIPLIER = 9",
                "GROUPING_SIZE = 10",
                "ROUNDING_MODE = 11",
                "ROUNDING_INCREMENT = 12",
                "FORMAT_WIDTH = 13",
                "PADDING_POSITION = 14",
                "SECONDARY_GROUPING_SIZE = 15",
                "SIGNIFICANT_DIGITS_USED = 16",
                "MIN_SIGNIFICANT_DIGITS = 17",
                "MAX_SIGNIFICANT_DIGITS = 18",
                "LENIENT_PARSE = 19",
                "POSITIVE_PREFIX = 0",
                "POSITIVE_SUFFIX = 1",
                "NEGATIVE_PREFIX = 2",
                "NEGATIVE_SUFFIX = 3",
                "PADDING_CHARACTER = 4",
                "CURRENCY_CODE = 5",
                "DEFAULT_RULESET = 6",
                "PUBLIC_RULESETS = 7",
                "DECIMAL_SEPARATOR_SYMBOL = 0",
                "GROUPING_SEPARATOR_SYMBOL = 1",
                "PATTERN_SEPARATOR_SYMBOL = 2",
                "PERCENT_SYMBOL = 3",
                "ZERO_DIGIT_SYMBOL = 4",
                "DIGIT_SYMBOL = 5",
                "MINUS_SIGN_SYMBOL = 6",
                "PLUS_SIGN_SYMBOL = 7",
                "CURRENCY_SYMBOL = 8",
                "INTL_CURRENCY_SYMBOL = 9",
                "MONETARY_SEPARATOR_SYMBOL = 10",
                "EXPONENTIAL_SYMBOL = 11",
                "PERMILL_SYMBOL = 12",
                "PAD_ESCAPE_SYMBOL = 13",
                "INFINITY_SYMBOL = 14",
                "NAN_SYMBOL = 15",
                "SIGNIFICANT_DIGIT_SYMBOL = 16",
                "MONETARY_GROUPING_SEPARATOR_SYMBOL = 17",
                "TYPE_DEFAULT = 0",
                "TYPE_INT32 = 1",
                "TYPE_INT64 = 2",
                "TYPE_DOUBLE = 3",
                "#[Deprecated(\"8.3\")] TYPE_CURRENCY = 4",
            ])
            .methods(&[
                method("public function __construct(string $locale, int $style, ?string $pattern = null)", native::construct::<Formatter>),
                method(
                    "tentative public static function create(string $locale, int $style, ?string $pattern = null): ?NumberFormatter",
                    native::create_static::<Formatter>,
                ),
                $(method(
                    concat!("tentative public function ", $method, "(" $(, $parameters)?, "): ", $result),
                    |call| $code(call, 0),
                ),)*
            ])];
    };
}

both! {
    "format" "format"("int|float $num, int $type = NumberFormatter::TYPE_DEFAULT") "string|false" => format_number;
    "parse" "parse"("string $string, int $type = NumberFormatter::TYPE_DOUBLE, &$offset = null") "int|float|false" => parse_number;
    "format_currency" "formatCurrency"("float $amount, string $currency") "string|false" => format_currency;
    "parse_currency" "parseCurrency"("string $string, &$currency, &$offset = null") "float|false" => parse_currency;
    "set_attribute" "setAttribute"("int $attribute, int|float $value") "bool" => attributes::set;
    "get_attribute" "getAttribute"("int $attribute") "int|float|false" => attributes::get;
    "set_text_attribute" "setTextAttribute"("int $attribute, string $value") "bool" => attributes::set_text;
    "get_text_attribute" "getTextAttribute"("int $attribute") "string|false" => attributes::get_text;
    "set_symbol" "setSymbol"("int $symbol, string $value") "bool" => attributes::set_symbol;
    "get_symbol" "getSymbol"("int $symbol") "string|false" => attributes::get_symbol;
    "set_pattern" "setPattern"("string $pattern") "bool" => set_pattern;
    "get_pattern" "getPattern"() "string|false" => get_pattern;
    "get_locale" "getLocale"("int $type = ULOC_ACTUAL_LOCALE") "string|false" => get_locale;
    "get_error_code" "getErrorCode"() "int" => get_error_code;
    "get_error_message" "getErrorMessage"() "string" => get_error_message;
}
