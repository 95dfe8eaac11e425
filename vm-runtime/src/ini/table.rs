//! The settings of the engine itself, with PHP's defaults, and what changing them does.

use super::{DisplayErrors, Ini, IniDefinition, OnChange, parse_bool, parse_long, parse_quantity};
use crate::diagnostics::level;
use crate::vm::Vm;

/// Who may change a setting.
pub mod access {
    /// `ini_set`
    pub const USER: u8 = 1;
    /// A directory's configuration, or `-d`.
    pub const DIRECTORY: u8 = 6;
    /// The configuration file, or `-d`.
    pub const SYSTEM: u8 = 4;
    /// Everybody.
    pub const ALL: u8 = 7;
}

const fn setting(
    name: &'static str,
    default: Option<&'static str>,
    access: u8,
    on_change: Option<OnChange>,
) -> IniDefinition {
    IniDefinition {
        name,
        default,
        access,
        on_change,
    }
}

/// The engine's settings, sorted by name.
pub static CORE: &[IniDefinition] = &[
    setting("SMTP", Some("localhost"), access::ALL, None),
    setting("allow_url_fopen", Some("1"), access::SYSTEM, None),
    setting(
        "allow_url_include",
        Some("0"),
        access::SYSTEM,
        Some(allow_url_include),
    ),
    setting(
        "arg_separator.input",
        Some("&"),
        access::DIRECTORY,
        Some(not_empty),
    ),
    setting(
        "arg_separator.output",
        Some("&"),
        access::ALL,
        Some(not_empty),
    ),
    setting("auto_append_file", None, access::DIRECTORY, None),
    setting("auto_globals_jit", Some("1"), access::DIRECTORY, None),
    setting("auto_prepend_file", None, access::DIRECTORY, None),
    setting("browscap", None, access::SYSTEM, None),
    setting("default_charset", Some("UTF-8"), access::ALL, None),
    setting("default_mimetype", Some("text/html"), access::ALL, None),
    setting("disable_classes", Some(""), access::SYSTEM, None),
    setting("disable_functions", Some(""), access::SYSTEM, None),
    setting(
        "display_errors",
        Some("1"),
        access::ALL,
        Some(display_errors),
    ),
    setting("display_startup_errors", Some("1"), access::ALL, None),
    setting("doc_root", None, access::SYSTEM, None),
    setting("docref_ext", Some(""), access::ALL, None),
    setting("docref_root", Some(""), access::ALL, None),
    setting("enable_dl", Some("1"), access::SYSTEM, None),
    setting(
        "enable_post_data_reading",
        Some("1"),
        access::DIRECTORY,
        None,
    ),
    setting("error_append_string", None, access::ALL, None),
    setting("error_log", None, access::ALL, None),
    setting("error_log_mode", Some("0644"), access::ALL, None),
    setting("error_prepend_string", None, access::ALL, None),
    setting("error_reporting", None, access::ALL, Some(error_reporting)),
    setting("expose_php", Some("1"), access::SYSTEM, None),
    setting(
        "extension_dir",
        Some("/usr/lib/opline"),
        access::SYSTEM,
        None,
    ),
    setting(
        "fiber.stack_size",
        None,
        access::ALL,
        Some(fiber_stack_size),
    ),
    setting("file_uploads", Some("1"), access::SYSTEM, None),
    setting("hard_timeout", Some("2"), access::SYSTEM, None),
    setting("highlight.comment", Some("#FF8000"), access::ALL, None),
    setting("highlight.default", Some("#0000BB"), access::ALL, None),
    setting("highlight.html", Some("#000000"), access::ALL, None),
    setting("highlight.keyword", Some("#007700"), access::ALL, None),
    setting("highlight.string", Some("#DD0000"), access::ALL, None),
    setting("html_errors", Some("0"), access::ALL, Some(html_errors)),
    setting(
        "ignore_repeated_errors",
        Some("0"),
        access::ALL,
        Some(ignore_repeated_errors),
    ),
    setting(
        "ignore_repeated_source",
        Some("0"),
        access::ALL,
        Some(ignore_repeated_source),
    ),
    setting("ignore_user_abort", Some("0"), access::ALL, None),
    setting("implicit_flush", Some("1"), access::ALL, None),
    setting("include_path", Some(".:/usr/share/php"), access::ALL, None),
    setting("input_encoding", None, access::ALL, None),
    setting("internal_encoding", None, access::ALL, None),
    setting("log_errors", Some("0"), access::ALL, Some(log_errors)),
    setting("mail.add_x_header", Some("0"), access::DIRECTORY, None),
    setting("mail.force_extra_parameters", None, access::SYSTEM, None),
    setting("mail.log", None, access::DIRECTORY, None),
    setting("mail.mixed_lf_and_crlf", Some("0"), access::DIRECTORY, None),
    setting(
        "max_execution_time",
        Some("0"),
        access::ALL,
        Some(max_execution_time),
    ),
    setting("max_file_uploads", Some("20"), access::DIRECTORY, None),
    setting(
        "max_input_nesting_level",
        Some("64"),
        access::DIRECTORY,
        None,
    ),
    setting("max_input_time", Some("-1"), access::DIRECTORY, None),
    setting("max_input_vars", Some("1000"), access::DIRECTORY, None),
    setting(
        "max_multipart_body_parts",
        Some("-1"),
        access::DIRECTORY,
        None,
    ),
    setting(
        "memory_limit",
        Some("128M"),
        access::ALL,
        Some(memory_limit),
    ),
    setting("open_basedir", None, access::ALL, Some(open_basedir)),
    setting("output_buffering", Some("0"), access::DIRECTORY, None),
    setting("output_encoding", None, access::ALL, None),
    setting("output_handler", None, access::DIRECTORY, None),
    setting("post_max_size", Some("8M"), access::DIRECTORY, None),
    setting("precision", Some("14"), access::ALL, Some(precision)),
    setting("realpath_cache_size", Some("4096K"), access::SYSTEM, None),
    setting("realpath_cache_ttl", Some("120"), access::SYSTEM, None),
    setting("register_argc_argv", Some("1"), access::DIRECTORY, None),
    setting("report_memleaks", Some("1"), access::ALL, None),
    setting("report_zend_debug", Some("0"), access::ALL, None),
    setting("request_order", None, access::DIRECTORY, None),
    setting("sendmail_from", None, access::ALL, None),
    setting(
        "sendmail_path",
        Some("/usr/sbin/sendmail -t -i"),
        access::SYSTEM,
        None,
    ),
    setting(
        "serialize_precision",
        Some("-1"),
        access::ALL,
        Some(serialize_precision),
    ),
    setting(
        "short_open_tag",
        Some("1"),
        access::DIRECTORY,
        Some(short_open_tag),
    ),
    setting("smtp_port", Some("25"), access::ALL, None),
    setting("sys_temp_dir", None, access::SYSTEM, None),
    setting("syslog.facility", Some("LOG_USER"), access::SYSTEM, None),
    setting("syslog.filter", Some("no-ctrl"), access::ALL, None),
    setting("syslog.ident", Some("php"), access::SYSTEM, None),
    setting("unserialize_callback_func", None, access::ALL, None),
    setting("upload_max_filesize", Some("2M"), access::DIRECTORY, None),
    setting("upload_tmp_dir", None, access::SYSTEM, None),
    setting("user_dir", None, access::SYSTEM, None),
    setting("user_ini.cache_ttl", Some("300"), access::SYSTEM, None),
    setting("user_ini.filename", Some(".user.ini"), access::SYSTEM, None),
    setting("variables_order", Some("EGPCS"), access::DIRECTORY, None),
    setting("xmlrpc_error_number", Some("0"), access::ALL, None),
    setting("xmlrpc_errors", Some("0"), access::SYSTEM, None),
    setting("zend.assertions", Some("1"), access::ALL, Some(assertions)),
    setting("zend.detect_unicode", Some("1"), access::ALL, None),
    setting("zend.enable_gc", Some("1"), access::ALL, Some(enable_gc)),
    setting(
        "zend.exception_ignore_args",
        Some("0"),
        access::ALL,
        Some(exception_ignore_arguments),
    ),
    setting(
        "zend.exception_string_param_max_len",
        Some("15"),
        access::ALL,
        Some(exception_string_length),
    ),
    setting(
        "zend.max_allowed_stack_size",
        Some("0"),
        access::SYSTEM,
        None,
    ),
    setting("zend.multibyte", Some("0"), access::DIRECTORY, None),
    setting("zend.reserved_stack_size", Some("0"), access::SYSTEM, None),
    setting("zend.script_encoding", None, access::ALL, None),
    setting("zend.signal_check", Some("0"), access::SYSTEM, None),
];

/// The settings of the extension `standard` that the engine acts on, sorted by name.
pub static STANDARD: &[IniDefinition] = &[
    setting("assert.active", Some("1"), access::ALL, Some(assert_active)),
    setting("assert.bail", Some("0"), access::ALL, Some(assert_bail)),
    setting("assert.callback", None, access::ALL, Some(assert_callback)),
    setting(
        "assert.exception",
        Some("1"),
        access::ALL,
        Some(assert_exception),
    ),
    setting(
        "assert.warning",
        Some("1"),
        access::ALL,
        Some(assert_warning),
    ),
    setting(
        "auto_detect_line_endings",
        Some("0"),
        access::ALL,
        Some(auto_detect_line_endings),
    ),
    setting("default_socket_timeout", Some("60"), access::ALL, None),
    setting("from", None, access::ALL, None),
    setting("session.trans_sid_hosts", Some(""), access::ALL, None),
    setting(
        "session.trans_sid_tags",
        Some("a=href,area=href,frame=src,form="),
        access::ALL,
        None,
    ),
    setting(
        "unserialize_max_depth",
        Some("4096"),
        access::ALL,
        Some(unserialize_max_depth),
    ),
    setting("url_rewriter.hosts", Some(""), access::ALL, None),
    setting("url_rewriter.tags", Some("form="), access::ALL, None),
    setting("user_agent", None, access::ALL, None),
];

fn text(value: Option<&[u8]>) -> &[u8] {
    value.unwrap_or_default()
}

/// Hooks that store a truth value in a field.
macro_rules! boolean_hooks {
    ($($field:ident)*) => {$(
        fn $field(vm: &mut Vm, value: Option<&[u8]>) -> bool {
            vm.ini.$field = parse_bool(text(value));
            true
        }
    )*};
}

boolean_hooks! {
    html_errors
    log_errors
    ignore_repeated_errors
    ignore_repeated_source
    exception_ignore_arguments
    enable_gc
    short_open_tag
}

fn max_execution_time(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    vm.time_limit = u64::try_from(parse_long(text(value))).unwrap_or(0);
    if !vm.current_frame.is_null() {
        vm.start_timer();
    }
    true
}

fn precision(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let precision = parse_long(text(value));
    if precision >= -1 {
        vm.ini.precision = precision;
    }
    precision >= -1
}

/// A setting that must have a value.
fn not_empty(_: &mut Vm, value: Option<&[u8]>) -> bool {
    !text(value).is_empty()
}

fn unserialize_max_depth(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    vm.ini.unserialize_max_depth = parse_long(text(value));
    true
}

fn serialize_precision(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let precision = parse_long(text(value));
    if precision >= -1 {
        vm.ini.serialize_precision = precision;
    }
    precision >= -1
}

fn exception_string_length(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let length = parse_long(text(value));
    let accepted = (0..=1_000_000).contains(&length);
    if accepted {
        vm.ini.exception_string_length = length;
    }
    accepted
}

fn display_errors(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let value = text(value);
    vm.ini.display_errors = if value.eq_ignore_ascii_case(b"stderr") || parse_long(value) == 2 {
        DisplayErrors::Stderr
    } else if value.eq_ignore_ascii_case(b"stdout") || parse_bool(value) {
        DisplayErrors::Stdout
    } else {
        DisplayErrors::Off
    };
    true
}

/// Scripts can make their room smaller, never wider.
fn open_basedir(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let is_free = vm.ini.starting || vm.ini.text("open_basedir").is_empty();
    is_free || crate::limits::directories::narrows(vm, text(value))
}

fn fiber_stack_size(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let Some(value) = value else { return true };
    let (size, problem) = parse_quantity(value);
    if let Some(problem) = problem {
        vm.warning(format!("Invalid \"fiber.stack_size\" setting. {problem}"));
    }
    if size < 0 {
        vm.warning("fiber.stack_size must be a positive number");
        return false;
    }
    true
}

fn error_reporting(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    vm.errors.reporting = value.map_or(level::ALL, |value| parse_long(value) as u32);
    true
}

fn allow_url_include(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    if vm.ini.starting && parse_bool(text(value)) {
        vm.deprecated("Directive 'allow_url_include' is deprecated");
    }
    true
}

fn assert_active(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    assert_setting(vm, "assert.active", !parse_bool(text(value)))
}

fn assert_bail(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    assert_setting(vm, "assert.bail", parse_bool(text(value)))
}

fn assert_callback(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    assert_setting(vm, "assert.callback", !text(value).is_empty())
}

fn assert_exception(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    assert_setting(vm, "assert.exception", !parse_bool(text(value)))
}

fn assert_warning(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    assert_setting(vm, "assert.warning", !parse_bool(text(value)))
}

fn auto_detect_line_endings(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    if parse_bool(text(value)) {
        vm.deprecated("auto_detect_line_endings is deprecated");
    }
    true
}

/// The settings of `assert()` are deprecated: they should be what they are without being set.
fn assert_setting(vm: &mut Vm, name: &str, is_changed: bool) -> bool {
    match is_changed {
        true if vm.ini.starting => {
            vm.deprecated(format!("PHP Startup: {name} INI setting is deprecated"));
        }
        // That is deprecated itself.
        true if vm.current_native_name() == b"assert_options()" => {}
        true => vm.function_deprecated(format!("{name} INI setting is deprecated")),
        false => {}
    }
    true
}

fn assertions(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let wanted = parse_long(text(value));
    let Ini {
        starting,
        assertions,
        ..
    } = vm.ini;
    // Assertions that were not compiled cannot be switched on.
    if !starting && wanted != assertions && (wanted < 0 || assertions < 0) {
        vm.warning("zend.assertions may be completely enabled or disabled only in php.ini");
        return false;
    }
    vm.ini.assertions = wanted;
    true
}

fn memory_limit(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let (bytes, invalid) = parse_quantity(text(value));
    if let Some(invalid) = invalid {
        vm.warning(format!("Invalid \"memory_limit\" setting. {invalid}"));
    }
    let limit = if bytes < 0 {
        usize::MAX
    } else {
        bytes as usize
    };
    // PHP's own heap starts with a chunk; below that no limit can be set.
    if limit < crate::heap::CHUNK_SIZE || !vm.heap.set_limit(limit) {
        let usage = vm.heap.mapped();
        vm.warning(format!(
            "Failed to set memory limit to {bytes} bytes (Current memory usage is {usage} bytes)"
        ));
        return false;
    }
    true
}
