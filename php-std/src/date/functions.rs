//! The functions of timestamps: `date()`, `mktime()`, `strtotime()`, `date_parse()`, ...

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::by_format::parse_by_format;
use super::calendar::{day_of_year, is_valid_date, weekday};
use super::format::{format, format_utc, number_field};
use super::interval::special_parts;
use super::parse::{Parsed, Problem, english_month, english_weekday, parse};
use super::settings::{default_zone, set_default_zone};
use super::strftime::strftime;
use super::time::{MICROS, Relative, Time};
use super::zone::Zone;
use crate::support::{direct, functions, text};

functions! {
    "strtotime(string $datetime, ?int $baseTimestamp = null): int|false" => strtotime,
    "date(string $format, ?int $timestamp = null): string" => date,
    "idate(string $format, ?int $timestamp = null): int|false" => idate,
    "gmdate(string $format, ?int $timestamp = null): string" => gmdate,
    "mktime(int $hour, ?int $minute = null, ?int $second = null, ?int $month = null, ?int $day = null, ?int $year = null): int|false" => mktime,
    "gmmktime(int $hour, ?int $minute = null, ?int $second = null, ?int $month = null, ?int $day = null, ?int $year = null): int|false" => gmmktime,
    "checkdate(int $month, int $day, int $year): bool" => checkdate | checkdate_directly,
    "#[Deprecated(\"8.1\", \"use IntlDateFormatter::format() instead\")] strftime(string $format, ?int $timestamp = null): string|false" => local_strftime,
    "#[Deprecated(\"8.1\", \"use IntlDateFormatter::format() instead\")] gmstrftime(string $format, ?int $timestamp = null): string|false" => gmstrftime,
    "localtime(?int $timestamp = null, bool $associative = false): array" => localtime,
    "getdate(?int $timestamp = null): array" => getdate,
    "date_parse(string $datetime): array" => date_parse,
    "date_parse_from_format(string $format, string $datetime): array" => date_parse_from_format,
    "date_default_timezone_set(string $timezoneId): bool" => date_default_timezone_set,
    "date_default_timezone_get(): string" => date_default_timezone_get | date_default_timezone_get_directly,
}

/// The time in the optional argument `index`, or the present.
fn time_argument(call: &mut Call<'_>, index: usize, zone: Zone) -> Time {
    match call.optional_long(index) {
        Some(stamp) => Time::from_stamp(stamp, 0, zone),
        None => Time::now(zone),
    }
}

fn strtotime(call: &mut Call<'_>) -> PhpResult<Value> {
    let zone = default_zone(call.vm)?;
    let now = time_argument(call, 1, zone);
    let parsed = parse(call.vm, call.bytes(0));
    if !parsed.errors.is_empty() {
        return Ok(false.into());
    }
    match parsed.resolve(&now, false) {
        Some(time) => Ok(time.stamp.into()),
        None => Ok(false.into()),
    }
}

fn shown(call: &mut Call<'_>, zone: Zone, format: fn(&Time, &[u8]) -> Vec<u8>) -> PhpResult<Value> {
    let mut time = time_argument(call, 1, zone);
    time.micro = 0;
    let shown = format(&time, call.bytes(0));
    text(call.vm, shown)
}

fn date(call: &mut Call<'_>) -> PhpResult<Value> {
    let zone = default_zone(call.vm)?;
    shown(call, zone, format)
}

fn gmdate(call: &mut Call<'_>) -> PhpResult<Value> {
    shown(call, Zone::utc(), format_utc)
}

fn idate(call: &mut Call<'_>) -> PhpResult<Value> {
    let &[character] = call.bytes(0) else {
        call.vm.function_warning("idate format is one char");
        return Ok(false.into());
    };
    let zone = default_zone(call.vm)?;
    let time = time_argument(call, 1, zone);
    match number_field(&time, character) {
        // PHP has it in an `int` of C.
        Some(number) => Ok(i64::from(number as i32).into()),
        None => {
            call.vm.function_warning("Unrecognized date format token");
            Ok(false.into())
        }
    }
}

fn make(call: &mut Call<'_>, zone: Zone) -> PhpResult<Value> {
    let given = |index: usize| call.optional_long(index);
    let mut time = match (given(1), given(2), given(3), given(4), given(5)) {
        // The present has no part in it.
        (Some(minute), Some(second), Some(month), Some(day), Some(year)) => {
            Time::unsettled(zone, [year, month, day], [0, minute, second])
        }
        _ => Time::now(zone),
    };
    let set = |index: usize, field: &mut i64| {
        if let Some(value) = call.optional_long(index) {
            *field = value;
        }
    };
    set(1, &mut time.minute);
    set(2, &mut time.second);
    set(3, &mut time.month);
    set(4, &mut time.day);
    time.hour = call.long(0);
    if let Some(year) = call.optional_long(5) {
        time.year = match year {
            0..70 => year + 2000,
            70..=100 => year + 1900,
            _ => year,
        };
    }
    if time.settle(&Relative::default(), None) {
        return Ok(time.stamp.into());
    }
    call.vm
        .function_warning("Epoch doesn't fit in a PHP integer");
    Ok(false.into())
}

fn mktime(call: &mut Call<'_>) -> PhpResult<Value> {
    let zone = default_zone(call.vm)?;
    make(call, zone)
}

fn gmmktime(call: &mut Call<'_>) -> PhpResult<Value> {
    make(call, Zone::utc())
}

fn checkdate(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(is_date(call.long(0), call.long(1), call.long(2)).into())
}

direct! {
    fn checkdate_directly(_; month: i64, day: i64, year: i64) { is_date(month, day, year) }
}

/// Whether there is such a day.
fn is_date(month: i64, day: i64, year: i64) -> bool {
    (1..=32_767).contains(&year) && is_valid_date(year, month, day)
}

fn by_strftime(call: &mut Call<'_>, zone: Zone) -> PhpResult<Value> {
    let time = time_argument(call, 1, zone);
    let shown = strftime(&time, call.bytes(0));
    if shown.is_empty() {
        return Ok(false.into());
    }
    text(call.vm, shown)
}

fn local_strftime(call: &mut Call<'_>) -> PhpResult<Value> {
    let zone = default_zone(call.vm)?;
    by_strftime(call, zone)
}

fn gmstrftime(call: &mut Call<'_>) -> PhpResult<Value> {
    by_strftime(call, Zone::gmt())
}

fn localtime(call: &mut Call<'_>) -> PhpResult<Value> {
    let zone = default_zone(call.vm)?;
    let time = time_argument(call, 0, zone);
    let parts = [
        ("tm_sec", time.second),
        ("tm_min", time.minute),
        ("tm_hour", time.hour),
        ("tm_mday", time.day),
        ("tm_mon", time.month - 1),
        ("tm_year", time.year - 1900),
        ("tm_wday", weekday(time.year, time.month, time.day)),
        ("tm_yday", day_of_year(time.year, time.month, time.day)),
        ("tm_isdst", i64::from(time.state.is_dst)),
    ];
    if !call.bool(1) {
        let numbers = parts.map(|(_, number)| Value::from(number));
        return Ok(crate::support::list(call.vm, numbers));
    }
    let mut table = call.vm.new_array();
    for (name, number) in parts {
        table
            .make_mut(call.vm)
            .set_bytes(name.as_bytes(), number.into());
    }
    Ok(table.into())
}

fn getdate(call: &mut Call<'_>) -> PhpResult<Value> {
    let zone = default_zone(call.vm)?;
    let time = time_argument(call, 0, zone);
    let day = weekday(time.year, time.month, time.day);
    let day_name: Value = call.vm.string(english_weekday(day)).into();
    let month_name: Value = call.vm.string(english_month(time.month)).into();
    let mut table = call.vm.new_array();
    let target = table.make_mut(call.vm);
    for (name, value) in [
        ("seconds", time.second.into()),
        ("minutes", time.minute.into()),
        ("hours", time.hour.into()),
        ("mday", time.day.into()),
        ("wday", day.into()),
        ("mon", time.month.into()),
        ("year", time.year.into()),
        ("yday", day_of_year(time.year, time.month, time.day).into()),
        ("weekday", day_name),
        ("month", month_name),
    ] {
        target.set_bytes(name.as_bytes(), value);
    }
    target.set_long(0, time.stamp.into());
    Ok(table.into())
}

/// Problems by their positions.
fn problems(vm: &mut Vm, problems: &[Problem]) -> ArrayHandle {
    let mut table = vm.new_array();
    for problem in problems {
        let message = vm.string(problem.message).into();
        table
            .make_mut(vm)
            .set_long(problem.position as i64, message);
    }
    table
}

/// The counts and texts of warnings and errors.
pub(super) fn add_problems(vm: &mut Vm, table: &mut ArrayHandle, parsed: &Parsed) {
    for (count, name, found) in [
        ("warning_count", "warnings", &parsed.warnings),
        ("error_count", "errors", &parsed.errors),
    ] {
        let list = problems(vm, found).into();
        let target = table.make_mut(vm);
        target.set_bytes(count.as_bytes(), found.len().into());
        target.set_bytes(name.as_bytes(), list);
    }
}

/// What a text said, part by part.
fn parts(vm: &mut Vm, parsed: &Parsed) -> Value {
    let mut table = vm.new_array();
    let or_false = |part: Option<i64>| part.map_or(Value::from(false), Value::from);
    let target = table.make_mut(vm);
    for (name, part) in [
        ("year", parsed.year),
        ("month", parsed.month),
        ("day", parsed.day),
        ("hour", parsed.hour),
        ("minute", parsed.minute),
        ("second", parsed.second),
    ] {
        target.set_bytes(name.as_bytes(), or_false(part));
    }
    let fraction = parsed.micro.map(|micro| micro as f64 / MICROS as f64);
    let fraction = fraction.map_or(Value::from(false), Value::from);
    target.set_bytes(b"fraction", fraction);
    add_problems(vm, &mut table, parsed);
    let is_local = parsed.zone.is_some() || parsed.zone_unknown;
    let target = table.make_mut(vm);
    target.set_bytes(b"is_localtime", is_local.into());
    if is_local {
        let number = parsed.zone.as_ref().map_or(0, Zone::number);
        target.set_bytes(b"zone_type", number.into());
    }
    match &parsed.zone {
        Some(Zone::Offset(seconds)) => {
            target.set_bytes(b"zone", (*seconds).into());
            target.set_bytes(b"is_dst", false.into());
        }
        Some(Zone::Abbreviation {
            name,
            seconds,
            is_dst,
        }) => {
            // Summer time is counted apart.
            target.set_bytes(b"zone", (*seconds - i64::from(*is_dst) * 3600).into());
            target.set_bytes(b"is_dst", (*is_dst).into());
            let name = vm.string(&**name).into();
            table.make_mut(vm).set_bytes(b"tz_abbr", name);
        }
        Some(Zone::Region(region)) => {
            if region.name == "UTC" {
                let name = vm.string("UTC").into();
                table.make_mut(vm).set_bytes(b"tz_abbr", name);
            }
            let name = vm.string(region.name).into();
            table.make_mut(vm).set_bytes(b"tz_id", name);
        }
        None => {}
    }
    if parsed.has_relative {
        let relative = relative_parts(vm, &parsed.relative);
        table.make_mut(vm).set_bytes(b"relative", relative);
    }
    table.into()
}

fn relative_parts(vm: &mut Vm, relative: &Relative) -> Value {
    let mut table = vm.new_array();
    let target = table.make_mut(vm);
    for (name, number) in [
        ("year", relative.years),
        ("month", relative.months),
        ("day", relative.days),
        ("hour", relative.hours),
        ("minute", relative.minutes),
        ("second", relative.seconds),
    ] {
        target.set_bytes(name.as_bytes(), number.into());
    }
    for (name, number) in special_parts(relative) {
        let value = match name {
            "weekday" | "weekdays" => Value::from(number),
            _ => Value::from(true),
        };
        target.set_bytes(name.as_bytes(), value);
    }
    table.into()
}

fn date_parse(call: &mut Call<'_>) -> PhpResult<Value> {
    let parsed = parse(call.vm, call.bytes(0));
    Ok(parts(call.vm, &parsed))
}

fn date_parse_from_format(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.bytes(1).contains(&0) {
        return Err(call.value_error(1, "must not contain any null bytes"));
    }
    let parsed = parse_by_format(call.bytes(0), call.bytes(1));
    Ok(parts(call.vm, &parsed))
}

fn date_default_timezone_set(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0);
    if set_default_zone(call.vm, name) {
        return Ok(true.into());
    }
    let name = vm_runtime::message::text(name).into_owned();
    call.vm.notice(format!(
        "date_default_timezone_set(): Timezone ID '{name}' is invalid"
    ));
    call.vm.check()?;
    Ok(false.into())
}

fn date_default_timezone_get(call: &mut Call<'_>) -> PhpResult<Value> {
    let zone = default_zone(call.vm)?;
    text(call.vm, zone.name())
}

direct! {
    fn date_default_timezone_get_directly(vm;) {
        let zone = default_zone(vm).ok()?;
        Some(vm.string(&*zone.known_name()))
    }
}

/// A `ValueError` about the first argument's range; for results that fit no integer.
pub(super) fn out_of_range(vm: &mut Vm) -> vm_runtime::vm::Thrown {
    vm.throw_error(KnownClass::Error, "Epoch doesn't fit in a PHP integer")
}
