//! Writing an object's time in one go.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::{Formatter, is_style};
use crate::intl::calendar::{self, Kind};
use crate::intl::errors::{self, ILLEGAL_ARGUMENT};
use crate::intl::locale;
use crate::intl::zone::IcuZone;
use crate::support::text;

/// How a date is to be written.
enum Wanted {
    Styles(i64, i64),
    Pattern(String),
}

fn refused(call: &mut Call<'_>, problem: &str) -> PhpResult<Value> {
    let problem = format!("datefmt_format_object: {problem}");
    errors::failed(call.vm, ILLEGAL_ARGUMENT, &problem, false.into())
}

/// A style in a value, if it is one.
fn style(value: &Value) -> Option<i64> {
    match value.view() {
        ValueKind::Long(style) if is_style(style) => Some(style),
        _ => None,
    }
}

fn wanted(call: &mut Call<'_>) -> PhpResult<Result<Wanted, &'static str>> {
    let value = call.value(1);
    Ok(match value.view() {
        ValueKind::Null => Ok(Wanted::Styles(2, 2)),
        ValueKind::Long(_) => match style(&value) {
            Some(style) => Ok(Wanted::Styles(style, style)),
            None => Err("the date/time format type is invalid"),
        },
        ValueKind::Array(styles) => {
            let both: Vec<Value> = styles
                .iter()
                .map(|(_, value)| Value::share(value))
                .collect();
            match both.as_slice() {
                [date, time] => match (style(date), style(time)) {
                    (Some(date), Some(time)) => Ok(Wanted::Styles(date, time)),
                    (None, _) => {
                        Err("bad format; the date format (first element of the array) is not valid")
                    }
                    _ => Err(
                        "bad format; the time format (second element of the array) is not valid",
                    ),
                },
                _ => Err("bad format; if array, it must have two elements"),
            }
        }
        _ => {
            let pattern = crate::support::string_of(call.vm, &value)?;
            match pattern.as_bytes() {
                [] => Err("the format is empty"),
                pattern => Ok(Wanted::Pattern(
                    String::from_utf8_lossy(pattern).into_owned(),
                )),
            }
        }
    })
}

pub(super) fn format_object(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let name = match call.has(2) {
        true => locale::named(call, 2),
        false => locale::default_locale(call.vm),
    };
    let value = call.value(0);
    let mut kind = Kind::Gregorian;
    let (time, zone) = match value.view() {
        ValueKind::Object(object) => {
            if let Some(state) = object.native::<calendar::State>() {
                let Some(kept) = state.0.as_mut() else {
                    return refused(call, "bad IntlCalendar instance: not initialized properly");
                };
                kind = kept.calendar.kind;
                match kept.calendar.time() {
                    Ok(time) => (time, kept.calendar.zone.clone()),
                    Err(_) => return refused(call, "error obtaining instant from IntlCalendar"),
                }
            } else if let Some((seconds, micros, date_zone)) = crate::date::stamp_of_object(object)
            {
                let zone = IcuZone::of_date(&date_zone).unwrap_or_else(IcuZone::gmt);
                (seconds as f64 * 1000.0 + (micros / 1000) as f64, zone)
            } else if crate::date::is_moment(object) {
                refused(call, "error calling ::getTimeStamp() on the object")?;
                return Err(crate::date::uninitialized(call.vm, object));
            } else {
                let problem = "the passed object must be an instance of either IntlCalendar or DateTimeInterface";
                return refused(call, problem);
            }
        }
        _ => {
            let given = vm_runtime::operators::value_name(&value);
            return Err(call.type_error(0, &format!("must be of type object, {given} given")));
        }
    };
    let wanted = match wanted(call)? {
        Ok(wanted) => wanted,
        Err(problem) => return refused(call, problem),
    };
    if !matches!(kind, Kind::Gregorian | Kind::Iso8601) {
        let problem = "datefmt_format_object: could not create DateFormat";
        return errors::failed(call.vm, errors::UNSUPPORTED, problem, false.into());
    }
    let styles = match &wanted {
        Wanted::Styles(date, time) => (*date, *time),
        Wanted::Pattern(_) => (2, 2),
    };
    let mut formatter = Formatter::new(call.vm, &name, styles, zone, kind);
    if let Wanted::Pattern(pattern) = wanted
        && !formatter.set_pattern(pattern)
    {
        return refused(call, "could not create SimpleDateFormat");
    }
    let written = formatter.write(time);
    text(call.vm, written)
}
