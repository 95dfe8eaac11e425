//! What scripts can do with formatters of dates.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::parse::{Mismatch, Reader};
use super::{Formatter, symbols};
use crate::intl::calendar::{self, fields};
use crate::intl::errors::{ILLEGAL_ARGUMENT, INVALID_CHARACTER, LastError, PARSE_ERROR};
use crate::intl::native::{State, failed, held};
use crate::intl::zone;
use crate::support::text;

pub(super) fn date_type(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    Ok(formatter.date_style.into())
}

pub(super) fn time_type(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    Ok(formatter.time_style.into())
}

pub(super) fn get_calendar(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    match formatter.said_calendar {
        Some(number) => Ok(number.into()),
        None => Ok(false.into()),
    }
}

pub(super) fn set_calendar(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let value = call.value(first);
    match value.view() {
        ValueKind::Null | ValueKind::Long(0 | 1) => {
            formatter.said_calendar = Some(match value.view() {
                ValueKind::Long(number) => number,
                _ => super::GREGORIAN,
            });
            Ok(true.into())
        }
        ValueKind::Object(object) => {
            let given = object
                .native::<calendar::State>()
                .and_then(|state| state.0.clone());
            let Some(given) = given else {
                let problem = "datefmt_set_calendar: Found unconstructed IntlCalendar object";
                return failed(call.vm, formatter, ILLEGAL_ARGUMENT, problem);
            };
            formatter.said_calendar = None;
            formatter.kept.calendar = given.calendar;
            Ok(true.into())
        }
        _ => {
            let problem = "datefmt_set_calendar: Invalid value for calendar type; it must be one of IntlDateFormatter::TRADITIONAL (locale's default calendar) or IntlDateFormatter::GREGORIAN. Alternatively, it can be an IntlCalendar object";
            failed(call.vm, formatter, ILLEGAL_ARGUMENT, problem)
        }
    }
}

pub(super) fn zone_id(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    text(call.vm, &formatter.kept.calendar.zone.id)
}

pub(super) fn calendar_object(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    calendar::object(call.vm, formatter.kept.clone())
}

pub(super) fn get_zone(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    zone::object(call.vm, formatter.kept.calendar.zone.clone())
}

pub(super) fn set_zone(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let value = call.value(first);
    match zone::of_value(call.vm, &value, "datefmt_set_timezone")? {
        Ok(zone) => {
            formatter.kept.calendar.set_zone(zone);
            Ok(true.into())
        }
        Err(problem) => {
            formatter.problem = problem;
            call.vm.check()?;
            Ok(false.into())
        }
    }
}

pub(super) fn set_pattern(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let Ok(pattern) = std::str::from_utf8(call.bytes(first)) else {
        let problem = "Error converting pattern to UTF-16";
        return failed(call.vm, formatter, INVALID_CHARACTER, problem);
    };
    match formatter.set_pattern(pattern.to_owned()) {
        true => Ok(true.into()),
        false => failed(
            call.vm,
            formatter,
            ILLEGAL_ARGUMENT,
            "Error setting symbol value",
        ),
    }
}

pub(super) fn get_pattern(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    text(call.vm, &formatter.pattern)
}

pub(super) fn get_locale(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    match call.long(first) {
        0 => text(call.vm, symbols::actual_locale(&formatter.language.locale)),
        1 => text(call.vm, &formatter.language.locale),
        _ => failed(call.vm, formatter, ILLEGAL_ARGUMENT, "Error getting locale"),
    }
}

pub(super) fn set_lenient(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    formatter.lenient = call.bool(first);
    Ok(Value::NULL)
}

pub(super) fn is_lenient(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    Ok(formatter.lenient.into())
}

/// Milliseconds since 1970 of what a script gives; a problem if it is no time.
pub(in crate::intl) fn time_of(
    call: &mut Call<'_>,
    value: &Value,
    function: &str,
) -> PhpResult<Result<f64, String>> {
    Ok(match value.view() {
        ValueKind::Long(seconds) => Ok(seconds as f64 * 1000.0),
        ValueKind::Double(seconds) => Ok(seconds * 1000.0),
        ValueKind::String(bytes) => match vm_runtime::operators::numeric_string::parse_whole(bytes)
        {
            Some(number) => Ok(number.to_double() * 1000.0),
            None => {
                let shown = String::from_utf8_lossy(bytes);
                Err(format!(
                    "{function}: string '{shown}' is not numeric, which would be required for it to be a valid date"
                ))
            }
        },
        ValueKind::Object(object) => {
            if let Some(state) = object.native::<calendar::State>() {
                match state.0.as_mut().map(|kept| kept.calendar.time()) {
                    Some(Ok(time)) => Ok(time),
                    _ => Err(format!(
                        "{function}: IntlCalendar object is not properly constructed"
                    )),
                }
            } else if let Some((seconds, micros, _)) = crate::date::stamp_of_object(object) {
                Ok(seconds as f64 * 1000.0 + (micros / 1000) as f64)
            } else {
                Err(format!(
                    "{function}: invalid object type for date/time (only IntlCalendar and DateTimeInterface permitted)"
                ))
            }
        }
        _ => {
            let _ = call;
            Err(format!("{function}: invalid PHP type for date"))
        }
    })
}

pub(super) fn format(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let value = call.value(first);
    if let ValueKind::Array(_) = value.view() {
        return format_parts(call, formatter, first);
    }
    match time_of(call, &value, "datefmt_format")? {
        Ok(time) => {
            let written = formatter.write(time);
            text(call.vm, written)
        }
        Err(problem) => failed(call.vm, formatter, ILLEGAL_ARGUMENT, &problem),
    }
}

/// A date by its parts, as `localtime()` gives them.
fn format_parts(call: &mut Call<'_>, formatter: &mut Formatter, index: usize) -> PhpResult<Value> {
    let parts = call.array(index);
    if parts.is_empty() {
        return failed(
            call.vm,
            formatter,
            ILLEGAL_ARGUMENT,
            "datefmt_format: null timestamp/array given",
        );
    }
    let part = |key: &str| match parts
        .get_bytes(key.as_bytes())
        .map(|value| value.deref().view())
    {
        Some(ValueKind::Long(number)) => Some(number),
        _ => None,
    };
    let calendar = &mut formatter.kept.calendar;
    calendar.clear();
    let known = [
        ("tm_year", fields::YEAR, 1900),
        ("tm_mon", fields::MONTH, 0),
        ("tm_mday", fields::DATE, 0),
        ("tm_hour", fields::HOUR_OF_DAY, 0),
        ("tm_min", fields::MINUTE, 0),
        ("tm_sec", fields::SECOND, 0),
    ];
    for (key, field, more) in known {
        calendar.set(field, part(key).unwrap_or(0) + more);
    }
    let Ok(time) = calendar.time() else {
        return failed(
            call.vm,
            formatter,
            ILLEGAL_ARGUMENT,
            "datefmt_format: Date formatting failed",
        );
    };
    let written = formatter.write(time);
    text(call.vm, written)
}

/// The text to read, from an offset that a script may have given.
fn source(call: &mut Call<'_>, first: usize) -> Option<(String, usize)> {
    let source = std::str::from_utf8(call.bytes(first)).ok()?.to_owned();
    let start = match call.has(first + 1) {
        true => usize::try_from(call.value(first + 1).to_long(call.vm)).ok()?,
        false => 0,
    };
    Some((source, start))
}

/// Reads a text; the formatter's calendar has its fields afterwards. What the text does not say is what it is now, if
/// that is asked for. Nothing after a problem.
fn read(
    call: &mut Call<'_>,
    formatter: &mut Formatter,
    first: usize,
    from_now: bool,
) -> PhpResult<Option<f64>> {
    let Some((source, start)) = source(call, first) else {
        failed(
            call.vm,
            formatter,
            INVALID_CHARACTER,
            "Error converting timezone to UTF-16",
        )?;
        return Ok(None);
    };
    let Some(at) = Some(start).filter(|&start| source.is_char_boundary(start)) else {
        failed(call.vm, formatter, PARSE_ERROR, "Date parsing failed")?;
        return Ok(None);
    };
    let mut calendar = formatter.kept.calendar.clone();
    match from_now {
        true => calendar.set_time(zone::now()),
        false => calendar.clear(),
    }
    let mut reader = Reader {
        calendar: &mut calendar,
        language: &formatter.language,
        text: &source,
        at,
        lenient: formatter.lenient,
    };
    let result = reader.read(&formatter.parts);
    let end = reader.at;
    let time = match result {
        Ok(()) => {
            calendar.lenient = formatter.lenient;
            calendar.time().ok()
        }
        Err(Mismatch) => None,
    };
    if call.count() > first + 1 {
        call.assign(first + 1, (end as i64).into());
        call.vm.check()?;
    }
    if time.is_none() {
        failed(call.vm, formatter, PARSE_ERROR, "Date parsing failed")?;
        return Ok(None);
    }
    formatter.kept.calendar = calendar;
    Ok(time)
}

/// Seconds: a whole number if it can be one.
fn seconds(time: f64) -> Value {
    let seconds = (time / 1000.0).trunc();
    match seconds.abs() < i64::MAX as f64 {
        true => (seconds as i64).into(),
        false => seconds.into(),
    }
}

pub(super) fn parse(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let (zone, lenient) = (
        formatter.kept.calendar.zone.clone(),
        formatter.kept.calendar.lenient,
    );
    let time = read(call, formatter, first, false)?;
    formatter.kept.calendar.set_zone(zone);
    formatter.kept.calendar.lenient = lenient;
    Ok(time.map_or(false.into(), seconds))
}

/// The calendar keeps what was read, the zone as well.
pub(super) fn parse_to_calendar(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, 0)?;
    let time = read(call, formatter, 0, false)?;
    Ok(time.map_or(false.into(), seconds))
}

pub(super) fn localtime(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let zone = formatter.kept.calendar.zone.clone();
    let Some(_) = read(call, formatter, first, true)? else {
        return Ok(false.into());
    };
    let calendar = &mut formatter.kept.calendar;
    let mut value = |field| calendar.get(field).unwrap_or(0);
    let parts = [
        ("tm_sec", value(fields::SECOND)),
        ("tm_min", value(fields::MINUTE)),
        ("tm_hour", value(fields::HOUR_OF_DAY)),
        ("tm_year", value(fields::YEAR) - 1900),
        ("tm_mday", value(fields::DATE)),
        ("tm_wday", value(fields::DAY_OF_WEEK) - 1),
        ("tm_yday", value(fields::DAY_OF_YEAR)),
        ("tm_mon", value(fields::MONTH)),
        ("tm_isdst", i64::from(value(fields::DST_OFFSET) != 0)),
    ];
    calendar.set_zone(zone);
    let mut result = call.vm.new_array();
    let target = result.make_mut(call.vm);
    for (key, value) in parts {
        target.set_bytes(key.as_bytes(), value.into());
    }
    Ok(result.into())
}

/// The last problem of a formatter, which looking at does not forget.
fn problem(call: &mut Call<'_>, first: usize) -> PhpResult<LastError> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    let state = object
        .native::<State<Formatter>>()
        .and_then(|state| state.0.as_ref());
    Ok(state
        .map(|formatter| formatter.problem.clone())
        .unwrap_or_default())
}

pub(super) fn get_error_code(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    Ok(problem(call, first)?.code.into())
}

pub(super) fn get_error_message(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let message = problem(call, first)?.text();
    text(call.vm, message)
}
