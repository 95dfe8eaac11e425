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
            method(
                "datefmt_create(?string $locale, int $dateType = IntlDateFormatter::FULL, int $timeType = IntlDateFormatter::FULL, $timezone = null, IntlCalendar|int|null $calendar = null, ?string $pattern = null): ?IntlDateFormatter",
                native::create_function::<Formatter>,
            ),
            method(
                "datefmt_format_object($datetime, $format = null, ?string $locale = null): string|false",
                object::format_object,
            ),
            $(method(
                concat!("datefmt_", $function, "(IntlDateFormatter $formatter" $(, ", ", $parameters)?, "): ", $result),
                |call| $code(call, 1),
            ),)*
        ];

        /// The methods.
        static METHODS: &[NativeDefinition] = &[
            method(
                "public function __construct(?string $locale, int $dateType = IntlDateFormatter::FULL, int $timeType = IntlDateFormatter::FULL, $timezone = null, $calendar = null, ?string $pattern = null)",
                construct,
            ),
            method(
                "tentative public static function create(?string $locale, int $dateType = IntlDateFormatter::FULL, int $timeType = IntlDateFormatter::FULL, $timezone = null, IntlCalendar|int|null $calendar = null, ?string $pattern = null): ?IntlDateFormatter",
                native::create_static::<Formatter>,
            ),
            method(
                "tentative public static function formatObject($datetime, $format = null, ?string $locale = null): string|false",
                object::format_object,
            ),
            method(
                "public function parseToCalendar(string $string, &$offset = null): int|float|false",
                functions::parse_to_calendar,
            ),
            $(method(
                concat!("tentative public function ", $method, "(" $(, $parameters)?, "): ", $result),
                |call| $code(call, 0),
            ),)*
        ];
    };
}

/// The class.
pub(in crate::intl) static CLASSES: &[&NativeClass] =
    &[&NativeClass::new("class IntlDateFormatter")
        .flags(class_flags::NOT_SERIALIZABLE)
        .create_native(native::create::<Formatter>)
        .constants(&[
            "int FULL = 0",
            "int LONG = 1",
            "int MEDIUM = 2",
            "int SHORT = 3",
            "int NONE = -1",
            "int RELATIVE_FULL = 128",
            "int RELATIVE_LONG = 129",
            "int RELATIVE_MEDIUM = 130",
            "int RELATIVE_SHORT = 131",
            "int PATTERN = -2",
            "int GREGORIAN = 1",
            "int TRADITIONAL = 0",
        ])
        .methods(METHODS)];

both! {
    "get_datetype" "getDateType"() "int|false" => functions::date_type;
    "get_timetype" "getTimeType"() "int|false" => functions::time_type;
    "get_calendar" "getCalendar"() "int|false" => functions::get_calendar;
    "set_calendar" "setCalendar"("IntlCalendar|int|null $calendar") "bool" => functions::set_calendar;
    "get_timezone_id" "getTimeZoneId"() "string|false" => functions::zone_id;
    "get_calendar_object" "getCalendarObject"() "IntlCalendar|false|null" => functions::calendar_object;
    "get_timezone" "getTimeZone"() "IntlTimeZone|false" => functions::get_zone;
    "set_timezone" "setTimeZone"("$timezone") "bool" => functions::set_zone;
    "set_pattern" "setPattern"("string $pattern") "bool" => functions::set_pattern;
    "get_pattern" "getPattern"() "string|false" => functions::get_pattern;
    "get_locale" "getLocale"("int $type = ULOC_ACTUAL_LOCALE") "string|false" => functions::get_locale;
    "set_lenient" "setLenient"("bool $lenient") "void" => functions::set_lenient;
    "is_lenient" "isLenient"() "bool" => functions::is_lenient;
    "format" "format"("$datetime") "string|false" => functions::format;
    "parse" "parse"("string $string, &$offset = null") "int|float|false" => functions::parse;
    "localtime" "localtime"("string $string, &$offset = null") "array|false" => functions::localtime;
    "get_error_code" "getErrorCode"() "int" => functions::get_error_code;
    "get_error_message" "getErrorMessage"() "string" => functions::get_error_message;
}
