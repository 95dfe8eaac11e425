//! The extension `date`: dates, times, time zones and spans of time.

mod by_format;
mod calendar;
mod classes;
mod format;
mod functions;
mod interval;
mod parse;
mod settings;
mod strftime;
mod sun;
mod time;
mod zone;

use vm_runtime::vm::Vm;

#[cfg(feature = "intl")]
pub(crate) use self::calendar::date_from_days;
pub(crate) use self::calendar::days_from_date;
#[cfg(feature = "intl")]
pub(crate) use self::classes::{
    is_moment, moment_object, parsed_object, stamp_of_object, uninitialized, zone_object,
    zone_of_object,
};
pub(crate) use self::parse::{MONTHS, WEEKDAYS};
#[cfg(feature = "intl")]
pub(crate) use self::settings::default_zone;
#[cfg(feature = "intl")]
pub(crate) use self::zone::{Region, Zone, region};

/// The names of the formats that are constants of their own.
const CONSTANTS: &[&str] = &[
    "DATE_ATOM",
    "DATE_COOKIE",
    "DATE_ISO8601",
    "DATE_ISO8601_EXPANDED",
    "DATE_RFC822",
    "DATE_RFC850",
    "DATE_RFC1036",
    "DATE_RFC1123",
    "DATE_RFC7231",
    "DATE_RFC2822",
    "DATE_RFC3339",
    "DATE_RFC3339_EXTENDED",
    "DATE_RSS",
    "DATE_W3C",
];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(settings::SETTINGS);
    vm.register_functions(functions::FUNCTIONS);
    vm.register_functions(sun::FUNCTIONS);
    vm.deprecated_constants.extend([
        "SUNFUNCS_RET_TIMESTAMP",
        "SUNFUNCS_RET_STRING",
        "SUNFUNCS_RET_DOUBLE",
    ]);
    vm.register_functions(crate::standard::info::time::DATE_FUNCTIONS);
    classes::register(vm);
    // The formats of DateTimeInterface are constants of their own, too.
    for declaration in classes::FORMATS {
        let name = CONSTANTS
            .iter()
            .find(|name| declaration.split(' ').nth(1) == name.strip_prefix("DATE_"));
        let (Some(name), Some((_, format))) = (name, declaration.split_once(" = ")) else {
            continue;
        };
        let format = vm.string(format.trim_matches('"')).into();
        crate::support::define_one(vm, name, format);
    }
    crate::support::define(
        vm,
        &[
            ("SUNFUNCS_RET_TIMESTAMP", 0i64),
            ("SUNFUNCS_RET_STRING", 1),
            ("SUNFUNCS_RET_DOUBLE", 2),
        ],
    );
}

/// A time as HTTP has it: `Sun, 22 Nov 2026 08:28:11 GMT`.
pub fn http_date(time: std::time::SystemTime) -> String {
    let stamp = time
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() as i64);
    let time = time::Time::from_stamp(stamp, 0, zone::Zone::utc());
    String::from_utf8_lossy(&format::format(&time, b"D, d M Y H:i:s \\G\\M\\T")).into_owned()
}

/// The present time as the built-in web server's log has it: `Sun Nov 22 08:28:11 2026`.
pub fn log_time() -> String {
    let time = time::Time::now(zone::Zone::utc());
    String::from_utf8_lossy(&format::format(&time, b"D M d H:i:s Y")).into_owned()
}
