//! The functions and methods: each does the same, on `$this` or on its first argument.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{NativeDefinition, class_flags};

use super::*;

/// Both tables from one list: names of function and method, parameters, result, and what is done; that is told with
/// which argument the parameters start.
macro_rules! both {
    ($($function:literal $method:literal($($parameters:literal)?) $result:literal => $code:path;)*) => {
        /// The functions.
        pub(in crate::intl) static FUNCTIONS: &[NativeDefinition] = &[
            method("msgfmt_create(string $locale, string $pattern): ?MessageFormatter", native::create_function::<Formatter>),
            method(
                "msgfmt_format_message(string $locale, string $pattern, array $values): string|false",
                format_message,
            ),
            method(
                "msgfmt_parse_message(string $locale, string $pattern, string $message): array|false",
                parse_message,
            ),
            $(method(
                concat!("msgfmt_", $function, "(MessageFormatter $formatter" $(, ", ", $parameters)?, "): ", $result),
                |call| $code(call, 1),
            ),)*
        ];

        /// The class.
        pub(in crate::intl) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class MessageFormatter")
            .flags(class_flags::NOT_SERIALIZABLE)
            .create_native(native::create::<Formatter>)
            .methods(&[
                method("public function __construct(string $locale, string $pattern)", construct),
                method(
                    "tentative public static function create(string $locale, string $pattern): ?MessageFormatter",
                    native::create_static::<Formatter>,
                ),
                method(
                    "tentative public static function formatMessage(string $locale, string $pattern, array $values): string|false",
                    format_message,
                ),
                method(
                    "tentative public static function parseMessage(string $locale, string $pattern, string $message): array|false",
                    parse_message,
                ),
                $(method(
                    concat!("tentative public function ", $method, "(" $(, $parameters)?, "): ", $result),
                    |call| $code(call, 0),
                ),)*
            ])];
    };
}

both! {
    "format" "format"("array $values") "string|false" => format_values;
    "parse" "parse"("string $string") "array|false" => parse_text;
    "set_pattern" "setPattern"("string $pattern") "bool" => set_pattern;
    "get_pattern" "getPattern"() "string|false" => get_pattern;
    "get_locale" "getLocale"() "string" => get_locale;
    "get_error_code" "getErrorCode"() "int" => get_error_code;
    "get_error_message" "getErrorMessage"() "string" => get_error_message;
}
