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
                "intlcal_create_instance($timezone = null, ?string $locale = null): ?IntlCalendar",
                functions::create_instance,
            ),
            method(
                "intlcal_get_keyword_values_for_locale(string $keyword, string $locale, bool $onlyCommon): IntlIterator|false",
                functions::keyword_values,
            ),
            method("intlcal_get_now(): float", functions::get_now),
            method("intlcal_get_available_locales(): array", functions::available_locales),
            method(
                "intlcal_from_date_time(DateTime|string $datetime, ?string $locale = null): ?IntlCalendar",
                functions::from_date_time,
            ),
            method(
                "#[Deprecated(\"8.4\", \"use IntlCalendar::set(), IntlCalendar::setDate(), or IntlCalendar::setDateTime() instead\")] intlcal_set(IntlCalendar $calendar, int $year, int $month, int $dayOfMonth = UNKNOWN, int $hour = UNKNOWN, int $minute = UNKNOWN, int $second = UNKNOWN): true",
                |call| functions::set(call, 1),
            ),
            method(
                "#[Deprecated(\"8.4\", \"use IntlGregorianCalendar::__construct(), IntlGregorianCalendar::createFromDate(), or IntlGregorianCalendar::createFromDateTime() instead\")] intlgregcal_create_instance($timezoneOrYear = UNKNOWN, $localeOrMonth = UNKNOWN, $day = UNKNOWN, $hour = UNKNOWN, $minute = UNKNOWN, $second = UNKNOWN): ?IntlGregorianCalendar",
                gregorian::create_instance,
            ),
            method(
                "intlgregcal_set_gregorian_change(IntlGregorianCalendar $calendar, float $timestamp): bool",
                |call| gregorian::set_change(call, 1),
            ),
            method(
                "intlgregcal_get_gregorian_change(IntlGregorianCalendar $calendar): float",
                |call| gregorian::get_change(call, 1),
            ),
            method(
                "intlgregcal_is_leap_year(IntlGregorianCalendar $calendar, int $year): bool",
                |call| gregorian::is_leap_year(call, 1),
            ),
            $(method(
                concat!("intlcal_", $function, "(IntlCalendar $calendar" $(, ", ", $parameters)?, "): ", $result),
                |call| $code(call, 1),
            ),)*
        ];

        /// The methods of all calendars that functions do, too.
        static METHODS: &[NativeDefinition] = &[
            method("private function __construct()", |_| Ok(Value::NULL)),
            method(
                "tentative public static function createInstance($timezone = null, ?string $locale = null): ?IntlCalendar",
                functions::create_instance,
            ),
            method(
                "tentative public static function getKeywordValuesForLocale(string $keyword, string $locale, bool $onlyCommon): IntlIterator|false",
                functions::keyword_values,
            ),
            method("tentative public static function getNow(): float", functions::get_now),
            method("tentative public static function getAvailableLocales(): array", functions::available_locales),
            method(
                "tentative public static function fromDateTime(DateTime|string $datetime, ?string $locale = null): ?IntlCalendar",
                functions::from_date_time,
            ),
            method(
                "tentative public function set(int $year, int $month, int $dayOfMonth = UNKNOWN, int $hour = UNKNOWN, int $minute = UNKNOWN, int $second = UNKNOWN): true",
                |call| functions::set(call, 0),
            ),
            method("public function setDate(int $year, int $month, int $dayOfMonth): void", functions::set_date),
            method(
                "public function setDateTime(int $year, int $month, int $dayOfMonth, int $hour, int $minute, ?int $second = null): void",
                functions::set_date_time,
            ),
            $(method(
                concat!("tentative public function ", $method, "(" $(, $parameters)?, "): ", $result),
                |call| $code(call, 0),
            ),)*
        ];
    };
}

/// The classes.
pub(in crate::intl) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class IntlCalendar")
        .flags(class_flags::NOT_SERIALIZABLE)
        .create_native(create)
        .handlers(&HANDLERS)
        .constants(&[
                "int FIELD_ERA = 0",
                "int FIELD_YEAR = 1",
                "int FIELD_MONTH = 2",
                "int FIELD_WEEK_OF_YEAR = 3",
                "int FIELD_WEEK_OF_MONTH = 4",
                "int FIELD_DATE = 5",
                "int FIELD_DAY_OF_YEAR = 6",
                "int FIELD_DAY_OF_WEEK = 7",
                "int FIELD_DAY_OF_WEEK_IN_MONTH = 8",
                "int FIELD_AM_PM = 9",
                "int FIELD_HOUR = 10",
                "int FIELD_HOUR_OF_DAY = 11",
                "int FIELD_MINUTE = 12",
                "int FIELD_SECOND = 13",
                "int FIELD_MILLISECOND = 14",
                "int FIELD_ZONE_OFFSET = 15",
                "int FIELD_DST_OFFSET = 16",
                "int FIELD_YEAR_WOY = 17",
                "int FIELD_DOW_LOCAL = 18",
                "int FIELD_EXTENDED_YEAR = 19",
                "int FIELD_JULIAN_DAY = 20",
                "int FIELD_MILLISECONDS_IN_DAY = 21",
                "int FIELD_IS_LEAP_MONTH = 22",
                "int FIELD_FIELD_COUNT = 24",
                "int FIELD_DAY_OF_MONTH = 5",
                "int DOW_SUNDAY = 1",
                "int DOW_MONDAY = 2",
                "int DOW_TUESDAY = 3",
                "int DOW_WEDNESDAY = 4",
                "int DOW_THURSDAY = 5",
                "int DOW_FRIDAY = 6",
                "int DOW_SATURDAY = 7",
                "int DOW_TYPE_WEEKDAY = 0",
                "int DOW_TYPE_WEEKEND = 1",
                "int DOW_TYPE_WEEKEND_OFFSET = 2",
                "int DOW_TYPE_WEEKEND_CEASE = 3",
                "int WALLTIME_FIRST = 1",
                "int WALLTIME_LAST = 0",
                "int WALLTIME_NEXT_VALID = 2",
        ])
        .methods(METHODS),
    &NativeClass::new("class IntlGregorianCalendar extends IntlCalendar").methods(&[
        method(
            "public static function createFromDate(int $year, int $month, int $dayOfMonth): static",
            gregorian::create_from_date,
        ),
        method(
            "public static function createFromDateTime(int $year, int $month, int $dayOfMonth, int $hour, int $minute, ?int $second = null): static",
            gregorian::create_from_date_time,
        ),
        method(
            "public function __construct($timezoneOrYear = UNKNOWN, $localeOrMonth = UNKNOWN, $day = UNKNOWN, $hour = UNKNOWN, $minute = UNKNOWN, $second = UNKNOWN)",
            gregorian::construct,
        ),
        method("tentative public function setGregorianChange(float $timestamp): bool", |call| {
            gregorian::set_change(call, 0)
        }),
        method("tentative public function getGregorianChange(): float", |call| {
            gregorian::get_change(call, 0)
        }),
        method("tentative public function isLeapYear(int $year): bool", |call| {
            gregorian::is_leap_year(call, 0)
        }),
    ]),
];

both! {
    "get" "get"("int $field") "int|false" => functions::get;
    "get_time" "getTime"() "float|false" => functions::get_time;
    "set_time" "setTime"("float $timestamp") "bool" => functions::set_time;
    "add" "add"("int $field, int $value") "bool" => functions::add;
    "set_time_zone" "setTimeZone"("$timezone") "bool" => functions::set_zone;
    "after" "after"("IntlCalendar $other") "bool" => functions::after;
    "before" "before"("IntlCalendar $other") "bool" => functions::before;
    "roll" "roll"("int $field, $value") "bool" => functions::roll;
    "clear" "clear"("?int $field = null") "true" => functions::clear;
    "field_difference" "fieldDifference"("float $timestamp, int $field") "int|false" => functions::field_difference;
    "get_actual_maximum" "getActualMaximum"("int $field") "int|false" => functions::actual_maximum;
    "get_actual_minimum" "getActualMinimum"("int $field") "int|false" => functions::actual_minimum;
    "get_day_of_week_type" "getDayOfWeekType"("int $dayOfWeek") "int|false" => functions::day_of_week_type;
    "get_first_day_of_week" "getFirstDayOfWeek"() "int|false" => functions::first_day;
    "get_least_maximum" "getLeastMaximum"("int $field") "int|false" => functions::least_maximum;
    "get_greatest_minimum" "getGreatestMinimum"("int $field") "int|false" => functions::greatest_minimum;
    "get_locale" "getLocale"("int $type") "string|false" => functions::get_locale;
    "get_maximum" "getMaximum"("int $field") "int|false" => functions::maximum;
    "get_minimal_days_in_first_week" "getMinimalDaysInFirstWeek"() "int|false" => functions::least_days;
    "set_minimal_days_in_first_week" "setMinimalDaysInFirstWeek"("int $days") "true" => functions::set_least_days;
    "get_minimum" "getMinimum"("int $field") "int|false" => functions::minimum;
    "get_time_zone" "getTimeZone"() "IntlTimeZone|false" => functions::get_zone;
    "get_type" "getType"() "string" => functions::get_type;
    "get_weekend_transition" "getWeekendTransition"("int $dayOfWeek") "int|false" => functions::weekend_transition;
    "in_daylight_time" "inDaylightTime"() "bool" => functions::in_daylight_time;
    "is_lenient" "isLenient"() "bool" => functions::is_lenient;
    "is_set" "isSet"("int $field") "bool" => functions::is_set;
    "is_equivalent_to" "isEquivalentTo"("IntlCalendar $other") "bool" => functions::is_equivalent_to;
    "is_weekend" "isWeekend"("?float $timestamp = null") "bool" => functions::is_weekend;
    "set_first_day_of_week" "setFirstDayOfWeek"("int $dayOfWeek") "true" => functions::set_first_day;
    "set_lenient" "setLenient"("bool $lenient") "true" => functions::set_lenient;
    "get_repeated_wall_time_option" "getRepeatedWallTimeOption"() "int" => functions::repeated;
    "equals" "equals"("IntlCalendar $other") "bool" => functions::equals;
    "get_skipped_wall_time_option" "getSkippedWallTimeOption"() "int" => functions::skipped;
    "set_repeated_wall_time_option" "setRepeatedWallTimeOption"("int $option") "true" => functions::set_repeated;
    "set_skipped_wall_time_option" "setSkippedWallTimeOption"("int $option") "true" => functions::set_skipped;
    "to_date_time" "toDateTime"() "DateTime|false" => functions::to_date_time;
    "get_error_code" "getErrorCode"() "int|false" => functions::get_error_code;
    "get_error_message" "getErrorMessage"() "string|false" => functions::get_error_message;
}
