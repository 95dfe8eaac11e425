//! The settings `session.*`.

use vm_runtime::ini::{IniDefinition, OnChange, access, parse_bool, parse_long, parse_quantity};
use vm_runtime::vm::Vm;

use super::encoding::Form;
use super::{is_too_late, state};

const fn setting(
    name: &'static str,
    default: &'static str,
    access: u8,
    on_change: OnChange,
) -> IniDefinition {
    IniDefinition {
        name,
        default: Some(default),
        access,
        on_change: Some(on_change),
    }
}

/// The settings, sorted by name.
pub(super) static SETTINGS: &[IniDefinition] = &[
    setting("session.auto_start", "0", access::DIRECTORY, any),
    setting("session.cache_expire", "180", access::ALL, quantity),
    setting("session.cache_limiter", "nocache", access::ALL, any),
    setting("session.cookie_domain", "", access::ALL, any),
    setting("session.cookie_httponly", "0", access::ALL, any),
    setting("session.cookie_lifetime", "0", access::ALL, lifetime),
    setting("session.cookie_path", "/", access::ALL, any),
    setting("session.cookie_samesite", "", access::ALL, any),
    setting("session.cookie_secure", "0", access::ALL, any),
    setting("session.gc_divisor", "100", access::ALL, divisor),
    setting("session.gc_maxlifetime", "1440", access::ALL, quantity),
    setting("session.gc_probability", "1", access::ALL, probability),
    setting("session.lazy_write", "1", access::ALL, any),
    setting("session.name", "PHPSESSID", access::ALL, name),
    setting("session.referer_check", "", access::ALL, referer),
    setting("session.save_handler", "files", access::ALL, save_handler),
    setting("session.save_path", "", access::ALL, save_path),
    setting("session.serialize_handler", "php", access::ALL, serializer),
    setting("session.sid_bits_per_character", "4", access::ALL, bits),
    setting("session.sid_length", "32", access::ALL, length),
    setting("session.trans_sid_hosts", "", access::ALL, trans_sid_hosts),
    setting("session.trans_sid_tags", TAGS, access::ALL, trans_sid_tags),
    setting(
        "session.upload_progress.cleanup",
        "1",
        access::DIRECTORY,
        any,
    ),
    setting(
        "session.upload_progress.enabled",
        "1",
        access::DIRECTORY,
        any,
    ),
    setting(
        "session.upload_progress.freq",
        "1%",
        access::DIRECTORY,
        frequency,
    ),
    setting(
        "session.upload_progress.min_freq",
        "1",
        access::DIRECTORY,
        any,
    ),
    setting(
        "session.upload_progress.name",
        "PHP_SESSION_UPLOAD_PROGRESS",
        access::DIRECTORY,
        any,
    ),
    setting(
        "session.upload_progress.prefix",
        "upload_progress_",
        access::DIRECTORY,
        any,
    ),
    setting("session.use_cookies", "1", access::ALL, any),
    setting("session.use_only_cookies", "1", access::ALL, only_cookies),
    setting("session.use_strict_mode", "0", access::ALL, any),
    setting("session.use_trans_sid", "0", access::ALL, trans_sid),
];

/// Where links are, by default.
const TAGS: &str = "a=href,area=href,frame=src,form=";

type Change<'a> = Option<&'a [u8]>;

/// What holds for all of them: no change once it is too late.
fn any(vm: &mut Vm, _: Change<'_>) -> bool {
    !is_too_late(vm, "Session ini settings")
}

fn number(value: Change<'_>) -> i64 {
    value.map_or(0, parse_long)
}

/// Warns and refuses.
fn refuse(vm: &mut Vm, message: &str) -> bool {
    vm.function_warning(message);
    false
}

fn quantity(vm: &mut Vm, value: Change<'_>) -> bool {
    if !any(vm, value) {
        return false;
    }
    if let (_, Some(problem)) = parse_quantity(value.unwrap_or_default()) {
        // Which setting it is, is told by its value: only two are quantities.
        let name = match vm.ini.text("session.cache_expire") == value.unwrap_or_default() {
            true => "session.gc_maxlifetime",
            false => "session.cache_expire",
        };
        vm.warning(format!("Invalid \"{name}\" setting. {problem}"));
    }
    true
}

fn lifetime(vm: &mut Vm, value: Change<'_>) -> bool {
    any(vm, value) && (number(value) >= 0 || refuse(vm, "CookieLifetime cannot be negative"))
}

fn probability(vm: &mut Vm, value: Change<'_>) -> bool {
    let problem = "session.gc_probability must be greater than or equal to 0";
    any(vm, value) && (number(value) >= 0 || refuse(vm, problem))
}

fn divisor(vm: &mut Vm, value: Change<'_>) -> bool {
    let problem = "session.gc_divisor must be greater than 0";
    any(vm, value) && (number(value) > 0 || refuse(vm, problem))
}

/// True for what may be the name of a session.
fn is_name(value: &[u8]) -> bool {
    let is_number = vm_runtime::operators::numeric_string::parse_whole(value).is_some();
    !value.is_empty()
        && !is_number
        && !value
            .iter()
            .any(|byte| b"=,;.[ \t\r\n\x0b\x0c\0".contains(byte))
}

fn name(vm: &mut Vm, value: Change<'_>) -> bool {
    if !any(vm, value) {
        return false;
    }
    let value = value.unwrap_or_default();
    if is_name(value) {
        return true;
    }
    let shown = vm_runtime::message::text(value);
    let message = format!(
        "session.name \"{shown}\" must not be numeric, empty, contain null bytes or any of the \
         following characters \"=,;.[ \\t\\r\\n\\013\\014\""
    );
    refuse(vm, &message)
}

fn referer(vm: &mut Vm, value: Change<'_>) -> bool {
    if !any(vm, value) {
        return false;
    }
    if value.is_some_and(|value| !value.is_empty()) {
        vm.function_deprecated("Usage of session.referer_check INI setting is deprecated");
    }
    true
}

/// Takes a value, and tells that the setting is deprecated.
fn deprecated(vm: &mut Vm, value: Change<'_>, name: &str) -> bool {
    if value.is_some_and(|value| !value.is_empty()) {
        vm.function_deprecated(format!("Usage of {name} INI setting is deprecated"));
    }
    true
}

fn trans_sid_hosts(vm: &mut Vm, value: Change<'_>) -> bool {
    deprecated(vm, value, "session.trans_sid_hosts")
}

fn trans_sid_tags(vm: &mut Vm, value: Change<'_>) -> bool {
    if vm.ini.is_starting() && value == Some(TAGS.as_bytes()) {
        return true;
    }
    deprecated(vm, value, "session.trans_sid_tags")
}

fn save_handler(vm: &mut Vm, value: Change<'_>) -> bool {
    if !any(vm, value) {
        return false;
    }
    match value.unwrap_or_default() {
        b"files" => true,
        // Whether there is such a handler is asked when a session starts.
        _ if vm.ini.is_starting() => true,
        b"user" if state(vm).sets_handler => true,
        b"user" => refuse(
            vm,
            "Session save handler \"user\" cannot be set by ini_set()",
        ),
        other => {
            let shown = vm_runtime::message::text(other);
            refuse(
                vm,
                &format!("Session save handler \"{shown}\" cannot be found"),
            )
        }
    }
}

fn save_path(vm: &mut Vm, value: Change<'_>) -> bool {
    if !any(vm, value) {
        return false;
    }
    let value = value.unwrap_or_default();
    if value.contains(&0) {
        return refuse(vm, "session.save_path must not contain any null bytes");
    }
    true
}

fn serializer(vm: &mut Vm, value: Change<'_>) -> bool {
    if !any(vm, value) {
        return false;
    }
    let value = value.unwrap_or_default();
    if Form::by_name(value).is_some() {
        return true;
    }
    let shown = vm_runtime::message::text(value);
    refuse(
        vm,
        &format!("Serialization handler \"{shown}\" cannot be found"),
    )
}

/// Checks a number that is deprecated unless it is the default.
fn deprecated_number(
    vm: &mut Vm,
    value: Change<'_>,
    name: &str,
    default: i64,
    bounds: std::ops::RangeInclusive<i64>,
) -> bool {
    if !any(vm, value) {
        return false;
    }
    let number = number(value);
    if number != default {
        vm.function_deprecated(format!("{name} INI setting is deprecated"));
    }
    bounds.contains(&number)
        || refuse(
            vm,
            &format!(
                "session.configuration \"{name}\" must be between {} and {}",
                bounds.start(),
                bounds.end()
            ),
        )
}

fn bits(vm: &mut Vm, value: Change<'_>) -> bool {
    deprecated_number(vm, value, "session.sid_bits_per_character", 4, 4..=6)
}

fn length(vm: &mut Vm, value: Change<'_>) -> bool {
    deprecated_number(vm, value, "session.sid_length", 32, 22..=256)
}

fn frequency(vm: &mut Vm, value: Change<'_>) -> bool {
    let text = value.unwrap_or_default();
    let number = number(value);
    if number < 0 {
        let message = "session.upload_progress.freq must be greater than or equal to 0";
        return refuse(vm, message);
    }
    if text.ends_with(b"%") && number > 100 {
        let message = "session.upload_progress.freq must be less than or equal to 100%";
        return refuse(vm, message);
    }
    true
}

fn only_cookies(vm: &mut Vm, value: Change<'_>) -> bool {
    if !any(vm, value) {
        return false;
    }
    if !value.is_some_and(parse_bool) {
        vm.function_deprecated("Disabling session.use_only_cookies INI setting is deprecated");
    }
    true
}

fn trans_sid(vm: &mut Vm, value: Change<'_>) -> bool {
    if !any(vm, value) {
        return false;
    }
    if value.is_some_and(parse_bool) {
        vm.function_deprecated("Enabling session.use_trans_sid INI setting is deprecated");
    }
    true
}
