//! The functions and methods.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{NativeDefinition, class_flags};

use super::*;

/// Both tables from lists: static ones, then those that have a zone as `$this` or first argument and are told with which
/// argument the parameters start.
macro_rules! both {
    (
        static { $($own:literal $static:literal($($given:literal)?) $gives:literal => $does:path;)* }
        $($function:literal $method:literal($($parameters:literal)?) $result:literal => $code:path;)*
    ) => {
        /// The functions.
        pub(in crate::intl) static FUNCTIONS: &[NativeDefinition] = &[
            $(method(concat!("intltz_", $own, "(" $(, $given)?, "): ", $gives), $does),)*
            $(method(
                concat!("intltz_", $function, "(IntlTimeZone $timezone" $(, ", ", $parameters)?, "): ", $result),
                |call| $code(call, 1),
            ),)*
        ];

        /// The class.
        pub(in crate::intl) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class IntlTimeZone")
            .flags(class_flags::NOT_SERIALIZABLE)
            .create_native(create)
            .handlers(&HANDLERS)
            .constants(&[
                "int DISPLAY_SHORT = 1",
                "int DISPLAY_LONG = 2",
                "int DISPLAY_SHORT_GENERIC = 3",
                "int DISPLAY_LONG_GENERIC = 4",
                "int DISPLAY_SHORT_GMT = 5",
                "int DISPLAY_LONG_GMT = 6",
                "int DISPLAY_SHORT_COMMONLY_USED = 7",
                "int DISPLAY_GENERIC_LOCATION = 8",
                "int TYPE_ANY = 0",
                "int TYPE_CANONICAL = 1",
                "int TYPE_CANONICAL_LOCATION = 2",
            ])
            .methods(&[
                method("private function __construct()", |_| Ok(Value::NULL)),
                $(method(concat!("tentative public static function ", $static, "(" $(, $given)?, "): ", $gives), $does),)*
                method("public static function getIanaID(string $timezoneId): string|false", ids::get_iana),
                $(method(
                    concat!("tentative public function ", $method, "(" $(, $parameters)?, "): ", $result),
                    |call| $code(call, 0),
                ),)*
            ])];
    };
}

/// The one function whose method says its type itself.
pub(in crate::intl) static MORE_FUNCTIONS: &[NativeDefinition] = &[method(
    "intltz_get_iana_id(string $timezoneId): string|false",
    ids::get_iana,
)];

both! {
    static {
    "count_equivalent_ids" "countEquivalentIDs"("string $timezoneId") "int|false" => ids::count_equivalent;
    "create_default" "createDefault"() "IntlTimeZone" => create_default;
    "create_enumeration" "createEnumeration"("$countryOrRawOffset = null") "IntlIterator|false" => ids::enumerate;
    "create_time_zone" "createTimeZone"("string $timezoneId") "?IntlTimeZone" => create_time_zone;
    "create_time_zone_id_enumeration" "createTimeZoneIDEnumeration"("int $type, ?string $region = null, ?int $rawOffset = null") "IntlIterator|false" => ids::enumerate_kind;
    "from_date_time_zone" "fromDateTimeZone"("DateTimeZone $timezone") "?IntlTimeZone" => from_date_time_zone;
    "get_canonical_id" "getCanonicalID"("string $timezoneId, &$isSystemId = null") "string|false" => ids::get_canonical;
    "get_equivalent_id" "getEquivalentID"("string $timezoneId, int $offset") "string|false" => ids::get_equivalent;
    "get_gmt" "getGMT"() "IntlTimeZone" => get_gmt;
    "get_region" "getRegion"("string $timezoneId") "string|false" => ids::get_region;
    "get_tz_data_version" "getTZDataVersion"() "string|false" => data_version;
    "get_unknown" "getUnknown"() "IntlTimeZone" => get_unknown;
    "get_windows_id" "getWindowsID"("string $timezoneId") "string|false" => ids::get_windows;
    "get_id_for_windows_id" "getIDForWindowsID"("string $timezoneId, ?string $region = null") "string|false" => ids::of_windows;
    }
    "get_display_name" "getDisplayName"("bool $dst = false, int $style = IntlTimeZone::DISPLAY_LONG, ?string $locale = null") "string|false" => get_display_name;
    "get_dst_savings" "getDSTSavings"() "int" => get_dst_savings;
    "get_error_code" "getErrorCode"() "int|false" => get_error_code;
    "get_error_message" "getErrorMessage"() "string|false" => get_error_message;
    "get_id" "getID"() "string|false" => get_id;
    "get_offset" "getOffset"("float $timestamp, bool $local, &$rawOffset, &$dstOffset") "bool" => get_offset;
    "get_raw_offset" "getRawOffset"() "int" => get_raw_offset;
    "has_same_rules" "hasSameRules"("IntlTimeZone $other") "bool" => has_same_rules;
    "to_date_time_zone" "toDateTimeZone"() "DateTimeZone|false" => to_date_time_zone;
    "use_daylight_time" "useDaylightTime"() "bool" => use_daylight_time;
}
