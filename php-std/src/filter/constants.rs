//! The numbers of filters, flags and kinds of input.

/// Kinds of input.
pub(super) mod input {
    pub(crate) const POST: i64 = 0;
    pub(crate) const GET: i64 = 1;
    pub(crate) const COOKIE: i64 = 2;
    pub(crate) const ENV: i64 = 4;
    pub(crate) const SERVER: i64 = 5;
}

/// Flags.
pub(super) mod flag {
    pub(crate) const ALLOW_OCTAL: i64 = 1;
    pub(crate) const ALLOW_HEX: i64 = 2;
    pub(crate) const STRIP_LOW: i64 = 4;
    pub(crate) const STRIP_HIGH: i64 = 8;
    pub(crate) const ENCODE_LOW: i64 = 16;
    pub(crate) const ENCODE_HIGH: i64 = 32;
    pub(crate) const ENCODE_AMP: i64 = 64;
    pub(crate) const NO_ENCODE_QUOTES: i64 = 128;
    pub(crate) const EMPTY_STRING_NULL: i64 = 256;
    pub(crate) const STRIP_BACKTICK: i64 = 512;
    pub(crate) const ALLOW_FRACTION: i64 = 4096;
    pub(crate) const ALLOW_THOUSAND: i64 = 8192;
    pub(crate) const ALLOW_SCIENTIFIC: i64 = 16384;
    pub(crate) const PATH_REQUIRED: i64 = 1 << 18;
    pub(crate) const QUERY_REQUIRED: i64 = 1 << 19;
    pub(crate) const IPV4: i64 = 1 << 20;
    pub(crate) const HOSTNAME: i64 = 1 << 20;
    pub(crate) const EMAIL_UNICODE: i64 = 1 << 20;
    pub(crate) const IPV6: i64 = 1 << 21;
    pub(crate) const NO_RES_RANGE: i64 = 1 << 22;
    pub(crate) const NO_PRIV_RANGE: i64 = 1 << 23;
    pub(crate) const REQUIRE_ARRAY: i64 = 1 << 24;
    pub(crate) const REQUIRE_SCALAR: i64 = 1 << 25;
    pub(crate) const FORCE_ARRAY: i64 = 1 << 26;
    pub(crate) const NULL_ON_FAILURE: i64 = 1 << 27;
    pub(crate) const GLOBAL_RANGE: i64 = 1 << 28;
}

/// Filters.
pub(super) mod filter {
    /// Where the numbers of filters that check begin.
    pub(crate) const VALIDATE_ALL: i64 = 256;
    pub(crate) const VALIDATE_INT: i64 = 257;
    pub(crate) const VALIDATE_BOOL: i64 = 258;
    pub(crate) const VALIDATE_FLOAT: i64 = 259;
    pub(crate) const VALIDATE_REGEXP: i64 = 272;
    pub(crate) const VALIDATE_URL: i64 = 273;
    pub(crate) const VALIDATE_EMAIL: i64 = 274;
    pub(crate) const VALIDATE_IP: i64 = 275;
    pub(crate) const VALIDATE_MAC: i64 = 276;
    pub(crate) const VALIDATE_DOMAIN: i64 = 277;
    /// Where the numbers of filters that change begin.
    pub(crate) const SANITIZE_ALL: i64 = 512;
    pub(crate) const SANITIZE_STRING: i64 = 513;
    pub(crate) const SANITIZE_ENCODED: i64 = 514;
    pub(crate) const SANITIZE_SPECIAL_CHARS: i64 = 515;
    pub(crate) const UNSAFE_RAW: i64 = 516;
    pub(crate) const SANITIZE_EMAIL: i64 = 517;
    pub(crate) const SANITIZE_URL: i64 = 518;
    pub(crate) const SANITIZE_NUMBER_INT: i64 = 519;
    pub(crate) const SANITIZE_NUMBER_FLOAT: i64 = 520;
    pub(crate) const SANITIZE_FULL_SPECIAL_CHARS: i64 = 522;
    pub(crate) const SANITIZE_ADD_SLASHES: i64 = 523;
    pub(crate) const CALLBACK: i64 = 1024;
}

/// The constants as scripts know them.
pub(super) static CONSTANTS: &[(&str, i64)] = &[
    ("INPUT_POST", input::POST),
    ("INPUT_GET", input::GET),
    ("INPUT_COOKIE", input::COOKIE),
    ("INPUT_ENV", input::ENV),
    ("INPUT_SERVER", input::SERVER),
    ("FILTER_FLAG_NONE", 0),
    ("FILTER_REQUIRE_SCALAR", flag::REQUIRE_SCALAR),
    ("FILTER_REQUIRE_ARRAY", flag::REQUIRE_ARRAY),
    ("FILTER_FORCE_ARRAY", flag::FORCE_ARRAY),
    ("FILTER_NULL_ON_FAILURE", flag::NULL_ON_FAILURE),
    ("FILTER_VALIDATE_INT", filter::VALIDATE_INT),
    ("FILTER_VALIDATE_BOOLEAN", filter::VALIDATE_BOOL),
    ("FILTER_VALIDATE_BOOL", filter::VALIDATE_BOOL),
    ("FILTER_VALIDATE_FLOAT", filter::VALIDATE_FLOAT),
    ("FILTER_VALIDATE_REGEXP", filter::VALIDATE_REGEXP),
    ("FILTER_VALIDATE_DOMAIN", filter::VALIDATE_DOMAIN),
    ("FILTER_VALIDATE_URL", filter::VALIDATE_URL),
    ("FILTER_VALIDATE_EMAIL", filter::VALIDATE_EMAIL),
    ("FILTER_VALIDATE_IP", filter::VALIDATE_IP),
    ("FILTER_VALIDATE_MAC", filter::VALIDATE_MAC),
    ("FILTER_DEFAULT", filter::UNSAFE_RAW),
    ("FILTER_UNSAFE_RAW", filter::UNSAFE_RAW),
    ("FILTER_SANITIZE_STRING", filter::SANITIZE_STRING),
    ("FILTER_SANITIZE_STRIPPED", filter::SANITIZE_STRING),
    ("FILTER_SANITIZE_ENCODED", filter::SANITIZE_ENCODED),
    (
        "FILTER_SANITIZE_SPECIAL_CHARS",
        filter::SANITIZE_SPECIAL_CHARS,
    ),
    (
        "FILTER_SANITIZE_FULL_SPECIAL_CHARS",
        filter::SANITIZE_FULL_SPECIAL_CHARS,
    ),
    ("FILTER_SANITIZE_EMAIL", filter::SANITIZE_EMAIL),
    ("FILTER_SANITIZE_URL", filter::SANITIZE_URL),
    ("FILTER_SANITIZE_NUMBER_INT", filter::SANITIZE_NUMBER_INT),
    (
        "FILTER_SANITIZE_NUMBER_FLOAT",
        filter::SANITIZE_NUMBER_FLOAT,
    ),
    ("FILTER_SANITIZE_ADD_SLASHES", filter::SANITIZE_ADD_SLASHES),
    ("FILTER_CALLBACK", filter::CALLBACK),
    ("FILTER_FLAG_ALLOW_OCTAL", flag::ALLOW_OCTAL),
    ("FILTER_FLAG_ALLOW_HEX", flag::ALLOW_HEX),
    ("FILTER_FLAG_STRIP_LOW", flag::STRIP_LOW),
    ("FILTER_FLAG_STRIP_HIGH", flag::STRIP_HIGH),
    ("FILTER_FLAG_STRIP_BACKTICK", flag::STRIP_BACKTICK),
    ("FILTER_FLAG_ALLOW_FRACTION", flag::ALLOW_FRACTION),
    ("FILTER_FLAG_ALLOW_THOUSAND", flag::ALLOW_THOUSAND),
    ("FILTER_FLAG_ALLOW_SCIENTIFIC", flag::ALLOW_SCIENTIFIC),
    ("FILTER_FLAG_NO_ENCODE_QUOTES", flag::NO_ENCODE_QUOTES),
    ("FILTER_FLAG_ENCODE_LOW", flag::ENCODE_LOW),
    ("FILTER_FLAG_ENCODE_HIGH", flag::ENCODE_HIGH),
    ("FILTER_FLAG_ENCODE_AMP", flag::ENCODE_AMP),
    ("FILTER_FLAG_IPV4", flag::IPV4),
    ("FILTER_FLAG_IPV6", flag::IPV6),
    ("FILTER_FLAG_NO_RES_RANGE", flag::NO_RES_RANGE),
    ("FILTER_FLAG_NO_PRIV_RANGE", flag::NO_PRIV_RANGE),
    ("FILTER_FLAG_GLOBAL_RANGE", flag::GLOBAL_RANGE),
    ("FILTER_FLAG_HOSTNAME", flag::HOSTNAME),
    ("FILTER_FLAG_EMAIL_UNICODE", flag::EMAIL_UNICODE),
    ("FILTER_FLAG_QUERY_REQUIRED", flag::QUERY_REQUIRED),
    ("FILTER_FLAG_PATH_REQUIRED", flag::PATH_REQUIRED),
    ("FILTER_FLAG_EMPTY_STRING_NULL", flag::EMPTY_STRING_NULL),
];

/// The filters by name, as `filter_list()` gives them.
pub(super) static NAMES: &[(&str, i64)] = &[
    ("int", filter::VALIDATE_INT),
    ("boolean", filter::VALIDATE_BOOL),
    ("float", filter::VALIDATE_FLOAT),
    ("validate_regexp", filter::VALIDATE_REGEXP),
    ("validate_domain", filter::VALIDATE_DOMAIN),
    ("validate_url", filter::VALIDATE_URL),
    ("validate_email", filter::VALIDATE_EMAIL),
    ("validate_ip", filter::VALIDATE_IP),
    ("validate_mac", filter::VALIDATE_MAC),
    ("string", filter::SANITIZE_STRING),
    ("stripped", filter::SANITIZE_STRING),
    ("encoded", filter::SANITIZE_ENCODED),
    ("special_chars", filter::SANITIZE_SPECIAL_CHARS),
    ("full_special_chars", filter::SANITIZE_FULL_SPECIAL_CHARS),
    ("unsafe_raw", filter::UNSAFE_RAW),
    ("email", filter::SANITIZE_EMAIL),
    ("url", filter::SANITIZE_URL),
    ("number_int", filter::SANITIZE_NUMBER_INT),
    ("number_float", filter::SANITIZE_NUMBER_FLOAT),
    ("add_slashes", filter::SANITIZE_ADD_SLASHES),
    ("callback", filter::CALLBACK),
];
