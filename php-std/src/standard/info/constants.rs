//! Constants about the engine, the machine and mathematics.

use std::f64::consts;

/// Where PHP looks for extensions.
pub(super) const EXTENSION_DIRECTORY: &str = "/usr/lib/php/20240924";

use vm_runtime::value::Value;
use vm_runtime::vm::Vm;

use super::version::{MAJOR, MINOR, RELEASE, VERSION};
use crate::support::{define, define_one};

const CORE_INTEGERS: &[(&str, i64)] = &[
    ("PHP_MAJOR_VERSION", MAJOR),
    ("PHP_MINOR_VERSION", MINOR),
    ("PHP_RELEASE_VERSION", RELEASE),
    ("PHP_VERSION_ID", MAJOR * 10_000 + MINOR * 100 + RELEASE),
    ("PHP_MAXPATHLEN", 4096),
    ("PHP_INT_MAX", i64::MAX),
    ("PHP_INT_MIN", i64::MIN),
    ("PHP_INT_SIZE", 8),
    ("PHP_FD_SETSIZE", 1024),
    ("PHP_FLOAT_DIG", 15),
    ("UPLOAD_ERR_OK", 0),
    ("UPLOAD_ERR_INI_SIZE", 1),
    ("UPLOAD_ERR_FORM_SIZE", 2),
    ("UPLOAD_ERR_PARTIAL", 3),
    ("UPLOAD_ERR_NO_FILE", 4),
    ("UPLOAD_ERR_NO_TMP_DIR", 6),
    ("UPLOAD_ERR_CANT_WRITE", 7),
    ("UPLOAD_ERR_EXTENSION", 8),
];

const INTEGERS: &[(&str, i64)] = &[
    ("CONNECTION_ABORTED", 1),
    ("CONNECTION_NORMAL", 0),
    ("CONNECTION_TIMEOUT", 2),
    ("INI_USER", 1),
    ("INI_PERDIR", 2),
    ("INI_SYSTEM", 4),
    ("INI_ALL", 7),
    ("INI_SCANNER_NORMAL", 0),
    ("INI_SCANNER_RAW", 1),
    ("INI_SCANNER_TYPED", 2),
    ("ASSERT_ACTIVE", 1),
    ("ASSERT_CALLBACK", 2),
    ("ASSERT_BAIL", 3),
    ("ASSERT_WARNING", 4),
    ("ASSERT_EXCEPTION", 5),
    ("INFO_GENERAL", 1),
    ("INFO_CREDITS", 2),
    ("INFO_CONFIGURATION", 4),
    ("INFO_MODULES", 8),
    ("INFO_ENVIRONMENT", 16),
    ("INFO_VARIABLES", 32),
    ("INFO_LICENSE", 64),
    ("INFO_ALL", 0xffff_ffff),
    ("CREDITS_GROUP", 1),
    ("CREDITS_GENERAL", 2),
    ("CREDITS_SAPI", 4),
    ("CREDITS_MODULES", 8),
    ("CREDITS_DOCS", 16),
    ("CREDITS_FULLPAGE", 32),
    ("CREDITS_QA", 64),
    ("CREDITS_ALL", 0xffff_ffff),
    ("PHP_ROUND_HALF_UP", 1),
    ("PHP_ROUND_HALF_DOWN", 2),
    ("PHP_ROUND_HALF_EVEN", 3),
    ("PHP_ROUND_HALF_ODD", 4),
];

const CORE_FLOATS: &[(&str, f64)] = &[
    ("PHP_FLOAT_EPSILON", f64::EPSILON),
    ("PHP_FLOAT_MAX", f64::MAX),
    ("PHP_FLOAT_MIN", f64::MIN_POSITIVE),
];

const FLOATS: &[(&str, f64)] = &[
    ("M_E", consts::E),
    ("M_LOG2E", consts::LOG2_E),
    ("M_LOG10E", consts::LOG10_E),
    ("M_LN2", consts::LN_2),
    ("M_LN10", consts::LN_10),
    ("M_PI", consts::PI),
    ("M_PI_2", consts::FRAC_PI_2),
    ("M_PI_4", consts::FRAC_PI_4),
    ("M_1_PI", consts::FRAC_1_PI),
    ("M_2_PI", consts::FRAC_2_PI),
    ("M_SQRTPI", 1.772_453_850_905_516),
    ("M_2_SQRTPI", consts::FRAC_2_SQRT_PI),
    ("M_LNPI", 1.144_729_885_849_400_2),
    ("M_EULER", 0.577_215_664_901_532_9),
    ("M_SQRT2", consts::SQRT_2),
    ("M_SQRT1_2", consts::FRAC_1_SQRT_2),
    ("M_SQRT3", 1.732_050_807_568_877_2),
    ("INF", f64::INFINITY),
    ("NAN", f64::NAN),
];

const CORE_FLAGS: &[(&str, bool)] = &[
    ("TRUE", true),
    ("FALSE", false),
    ("PHP_ZTS", false),
    ("PHP_DEBUG", false),
    ("ZEND_THREAD_SAFE", false),
    ("ZEND_DEBUG_BUILD", false),
    ("PHP_CLI_PROCESS_TITLE", false),
];

const CORE_STRINGS: &[(&str, &str)] = &[
    ("PHP_VERSION", VERSION),
    ("PHP_EXTRA_VERSION", ""),
    ("PHP_OS", "Linux"),
    ("PHP_OS_FAMILY", "Linux"),
    ("DEFAULT_INCLUDE_PATH", ".:/usr/share/php"),
    ("PEAR_INSTALL_DIR", "/usr/share/php"),
    ("PEAR_EXTENSION_DIR", "/usr/lib/php/20240924"),
    ("PHP_EXTENSION_DIR", EXTENSION_DIRECTORY),
    ("PHP_PREFIX", "/usr"),
    ("PHP_BINDIR", "/usr/bin"),
    ("PHP_SBINDIR", "/usr/sbin"),
    ("PHP_MANDIR", "/usr/share/man"),
    ("PHP_LIBDIR", "/usr/lib/php"),
    ("PHP_DATADIR", "/usr/share/php/8.4"),
    ("PHP_SYSCONFDIR", "/etc"),
    ("PHP_LOCALSTATEDIR", "/var"),
    ("PHP_CONFIG_FILE_PATH", "/etc/php/8.4/cli"),
    ("PHP_CONFIG_FILE_SCAN_DIR", ""),
    ("PHP_SHLIB_SUFFIX", "so"),
    ("PHP_EOL", "\n"),
    ("PHP_SAPI", "cli"),
];

const STRINGS: &[(&str, &str)] = &[("DIRECTORY_SEPARATOR", "/"), ("PATH_SEPARATOR", ":")];

/// Defines those of the extension `standard`.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    define(vm, INTEGERS);
    vm.deprecated_constants.extend([
        "FILE_BINARY",
        "FILE_TEXT",
        "ASSERT_ACTIVE",
        "ASSERT_CALLBACK",
        "ASSERT_BAIL",
        "ASSERT_WARNING",
        "ASSERT_EXCEPTION",
    ]);
    define(vm, FLOATS);
    define_strings(vm, STRINGS);
}

/// Defines those of the core.
pub(crate) fn register_core(vm: &mut Vm) {
    define(vm, CORE_INTEGERS);
    define(vm, CORE_FLOATS);
    define(vm, CORE_FLAGS);
    define_one(vm, "NULL", Value::default());
    define_strings(vm, CORE_STRINGS);
    let binary = std::env::current_exe().unwrap_or_default();
    let binary: Value = vm.string(binary.as_os_str().as_encoded_bytes()).into();
    define_one(vm, "PHP_BINARY", binary);
}

fn define_strings(vm: &mut Vm, constants: &[(&'static str, &str)]) {
    for (name, text) in constants {
        let text: Value = vm.string(text).into();
        define_one(vm, name, text);
    }
}
