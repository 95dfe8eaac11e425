//! The class `Locale`.

mod display;
mod matching;
mod parsing;

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{Call, NativeDefinition};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::errors::{self, ILLEGAL_ARGUMENT};
use crate::support::{define, text};

/// Both tables from one list: names of function and method, parameters, result, and what is done.
macro_rules! both {
    ($($function:literal $method:literal($($parameters:literal)?) $result:literal => $code:path;)*) => {
        /// The functions.
        pub(in crate::intl) static FUNCTIONS: &[NativeDefinition] = &[
            $(method(concat!("locale_", $function, "(" $(, $parameters)?, "): ", $result), $code),)*
        ];

        /// The class.
        pub(in crate::intl) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class Locale")
            .constants(&[
                "int ACTUAL_LOCALE = 0",
                "int VALID_LOCALE = 1",
                "null DEFAULT_LOCALE = null",
                "string LANG_TAG = 'language'",
                "string EXTLANG_TAG = 'extlang'",
                "string SCRIPT_TAG = 'script'",
                "string REGION_TAG = 'region'",
                "string VARIANT_TAG = 'variant'",
                "string GRANDFATHERED_LANG_TAG = 'grandfathered'",
                "string PRIVATE_TAG = 'private'",
            ])
            .methods(&[
                $(method(
                    concat!("tentative public static function ", $method, "(" $(, $parameters)?, "): ", $result),
                    $code,
                ),)*
            ])];
    };
}

both! {
    "get_default" "getDefault"() "string" => get_default;
    "set_default" "setDefault"("string $locale") "true" => set_default;
    "get_primary_language" "getPrimaryLanguage"("string $locale") "?string" => parsing::primary_language;
    "get_script" "getScript"("string $locale") "?string" => parsing::script;
    "get_region" "getRegion"("string $locale") "?string" => parsing::region;
    "get_keywords" "getKeywords"("string $locale") "array|false|null" => parsing::keywords;
    "get_display_script" "getDisplayScript"("string $locale, ?string $displayLocale = null") "string|false" => display::script;
    "get_display_region" "getDisplayRegion"("string $locale, ?string $displayLocale = null") "string|false" => display::region;
    "get_display_name" "getDisplayName"("string $locale, ?string $displayLocale = null") "string|false" => display::name;
    "get_display_language" "getDisplayLanguage"("string $locale, ?string $displayLocale = null") "string|false" => display::language;
    "get_display_variant" "getDisplayVariant"("string $locale, ?string $displayLocale = null") "string|false" => display::variant;
    "compose" "composeLocale"("array $subtags") "string|false" => parsing::compose;
    "parse" "parseLocale"("string $locale") "?array" => parsing::parse;
    "get_all_variants" "getAllVariants"("string $locale") "?array" => parsing::all_variants;
    "filter_matches" "filterMatches"("string $languageTag, string $locale, bool $canonicalize = false") "?bool" => matching::filter_matches;
    "canonicalize" "canonicalize"("string $locale") "?string" => parsing::canonicalize;
    "lookup" "lookup"("array $languageTag, string $locale, bool $canonicalize = false, ?string $defaultLocale = null") "?string" => matching::lookup;
    "accept_from_http" "acceptFromHttp"("string $header") "string|false" => matching::accept_from_http;
}

/// The longest name of a locale that PHP looks at.
pub(super) const LONGEST: usize = 156;

/// Names of languages from before the rules for their tags.
const GRANDFATHERED: &[&str] = &[
    "art-lojban",
    "i-klingon",
    "i-lux",
    "i-navajo",
    "no-bok",
    "no-nyn",
    "cel-gaulish",
    "en-GB-oed",
    "i-ami",
    "i-bnn",
    "i-default",
    "i-enochian",
    "i-hak",
    "i-mingo",
    "i-pwn",
    "i-tao",
    "i-tay",
    "i-tsu",
    "sgn-BE-fr",
    "sgn-BE-nl",
    "sgn-CH-de",
    "zh-cmn",
    "zh-cmn-Hans",
    "zh-cmn-Hant",
    "zh-gan",
    "zh-guoyu",
    "zh-hakka",
    "zh-min",
    "zh-min-nan",
    "zh-wuu",
    "zh-xiang",
    "zh-yue",
];

fn is_grandfathered(name: &str) -> bool {
    GRANDFATHERED.contains(&name)
}

pub(super) use parsing::is_malformed;

/// Registers the constants beside the class.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    define(
        vm,
        &[("ULOC_ACTUAL_LOCALE", 0i64), ("ULOC_VALID_LOCALE", 1)],
    );
}

/// The locale of who says none: the setting, else what the environment says.
pub(super) fn default_locale(vm: &Vm) -> String {
    let set = vm.ini.text("intl.default_locale");
    if !set.is_empty() {
        return String::from_utf8_lossy(set).into_owned();
    }
    let said = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty());
    let said = said.map(|value| value.to_string_lossy().into_owned());
    let name = said.as_deref().unwrap_or("C").split(['.', '@']).next();
    match name {
        None | Some("" | "C" | "POSIX") => "en_US_POSIX".to_owned(),
        Some(name) => name.to_owned(),
    }
}

/// The name of a locale in an argument; the default one if it is empty.
pub(super) fn named(call: &mut Call<'_>, index: usize) -> String {
    match call.bytes(index) {
        [] => default_locale(call.vm),
        name => String::from_utf8_lossy(name).into_owned(),
    }
}

fn get_default(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let name = default_locale(call.vm);
    text(call.vm, name)
}

fn set_default(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = named(call, 0);
    let name = super::ident::Ident::of_tag(&name).name();
    let given = call.bytes(0);
    // The setting keeps what was said, if anything was.
    let value = if given.is_empty() {
        name.as_bytes()
    } else {
        given
    };
    let _ = call.vm.ini_set("intl.default_locale", value);
    Ok(true.into())
}

/// What is said of the name of a locale in an argument that is too long.
pub(super) fn too_long(call: &Call<'_>, index: usize) -> Option<String> {
    let is_too_long = call.bytes(index).len() > LONGEST;
    is_too_long
        .then(|| format!("Locale string too long, should be no longer than {LONGEST} characters"))
}

/// The name of a locale in an argument, if it is not too long.
fn checked(call: &mut Call<'_>, index: usize) -> Option<String> {
    errors::clear(call.vm);
    if let Some(problem) = too_long(call, index) {
        errors::set(call.vm, ILLEGAL_ARGUMENT, &problem);
        return None;
    }
    Some(named(call, index))
}
