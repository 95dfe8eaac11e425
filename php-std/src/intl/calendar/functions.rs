//! What scripts can do with calendars.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::fields::*;
use super::{Kept, State, failed, kept, made, object, week};
use crate::intl::errors::{self, ILLEGAL_ARGUMENT, LastError};
use crate::intl::ident::{Ident, available};
use crate::intl::pack::{Node, root};
use crate::intl::{iterator, locale, zone};
use crate::support::{list, text};

pub(in crate::intl) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Gregorian => "gregorian",
        Kind::Iso8601 => "iso8601",
        Kind::Buddhist => "buddhist",
        Kind::Minguo => "roc",
        Kind::Japanese => "japanese",
    }
}

/// An argument that must be a number of 32 bits.
pub(in crate::intl) fn check_int(call: &mut Call<'_>, index: usize) -> PhpResult<i64> {
    let value = call.value(index);
    if matches!(value.view(), ValueKind::Array(_) | ValueKind::Object(_)) {
        let given = vm_runtime::operators::value_name(&value);
        return Err(call.type_error(index, &format!("must be of type int, {given} given")));
    }
    let number = value.to_long(call.vm);
    if i32::try_from(number).is_ok() {
        return Ok(number);
    }
    Err(call.value_error(index, "must be between -2147483648 and 2147483647"))
}

/// The locale in an argument, or the default one.
pub(super) fn locale_argument(call: &mut Call<'_>, index: usize) -> String {
    match call.has(index) {
        true => locale::named(call, index),
        false => locale::default_locale(call.vm),
    }
}

/// The field that an argument names.
fn field(call: &mut Call<'_>, index: usize) -> PhpResult<usize> {
    let field = usize::try_from(call.long(index))
        .ok()
        .filter(|&field| field < COUNT - 1);
    match field {
        Some(field) => Ok(field),
        None => Err(call.value_error(index, "must be a valid field")),
    }
}

/// What a calculation gives, or false and a problem.
fn result(
    call: &mut Call<'_>,
    kept: &mut Kept,
    value: Result<i64, OutOfRange>,
    function: &str,
) -> PhpResult<Value> {
    match value {
        Ok(value) => Ok(value.into()),
        Err(OutOfRange) => failed(
            call.vm,
            kept,
            &format!("{function}: Call to ICU method has failed"),
        ),
    }
}

pub(super) fn create_instance(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let value = call.value(0);
    let Ok(zone) = zone::of_value(call.vm, &value, "intlcal_create_instance")? else {
        call.vm.check()?;
        return Ok(Value::NULL);
    };
    let name = locale_argument(call, 1);
    match made(call.vm, &name, zone, None, zone::now()) {
        Some(kept) => object(call.vm, kept),
        None => {
            let problem = "Error creating ICU Calendar object";
            errors::failed(call.vm, errors::UNSUPPORTED, problem, Value::NULL)
        }
    }
}

pub(super) fn get_now(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(zone::now().into())
}

pub(super) fn available_locales(call: &mut Call<'_>) -> PhpResult<Value> {
    let names = root().find(&["names", "locales"]);
    let names = names
        .into_iter()
        .flat_map(Node::items)
        .filter_map(Node::text);
    let names: Vec<Value> = names.map(|name| call.vm.string(name).into()).collect();
    Ok(list(call.vm, names))
}

pub(super) fn keyword_values(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    // ICU does not look at the keyword.
    let name = locale::named(call, 1);
    let locale = available(&Ident::of_tag(&name).base()).unwrap_or_default();
    let common = root().find(&["calendars", &locale]);
    let mut values: Vec<String> = common
        .into_iter()
        .flat_map(Node::items)
        .filter_map(|value| value.text().map(str::to_owned))
        .collect();
    if !call.bool(2) {
        for other in [
            "gregorian",
            "japanese",
            "buddhist",
            "roc",
            "persian",
            "islamic-civil",
            "islamic",
            "hebrew",
            "chinese",
            "indian",
            "coptic",
            "ethiopic",
            "ethiopic-amete-alem",
            "iso8601",
            "dangi",
            "islamic-umalqura",
            "islamic-tbla",
            "islamic-rgsa",
        ] {
            if !values.iter().any(|value| value == other) {
                values.push(other.to_owned());
            }
        }
    }
    iterator::over(call.vm, values)
}

pub(super) fn from_date_time(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let value = call.value(0);
    let given = match value.view() {
        ValueKind::Object(_) => value,
        _ => {
            let class = call
                .vm
                .linked_class(b"datetime")
                .unwrap_or(std::ptr::null_mut());
            crate::date::parsed_object(call.vm, class, &value)?
        }
    };
    let stamp = match given.view() {
        ValueKind::Object(object) => crate::date::stamp_of_object(object),
        _ => None,
    };
    let Some((seconds, _, date_zone)) = stamp else {
        let problem = "intlcal_from_date_time: DateTime object is unconstructed";
        return errors::failed(call.vm, ILLEGAL_ARGUMENT, problem, Value::NULL);
    };
    let Some(found) = zone::IcuZone::of_date(&date_zone) else {
        let name = date_zone.name();
        let problem = format!(
            "intlcal_from_date_time: time zone id '{name}' extracted from ext/date DateTimeZone not recognized"
        );
        return errors::failed(call.vm, ILLEGAL_ARGUMENT, &problem, Value::NULL);
    };
    let name = locale_argument(call, 1);
    let time = seconds as f64 * 1000.0;
    match made(call.vm, &name, found, None, time) {
        Some(kept) => object(call.vm, kept),
        None => errors::failed(
            call.vm,
            errors::UNSUPPORTED,
            "intlcal_from_date_time: error creating ICU Calendar object",
            Value::NULL,
        ),
    }
}

pub(super) fn to_date_time(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let Ok(time) = kept.calendar.time() else {
        return failed(
            call.vm,
            kept,
            "intlcal_to_date_time: Call to ICU method has failed",
        );
    };
    let Some(zone) = kept.calendar.zone.date_zone() else {
        return failed(
            call.vm,
            kept,
            "intlcal_to_date_time: DateTimeZone constructor threw exception",
        );
    };
    let seconds = (time / 1000.0).floor();
    let micros = (time - seconds * 1000.0) as i64 * 1000;
    crate::date::moment_object(call.vm, seconds as i64, micros, zone)
}

pub(super) fn get(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let field = field(call, first)?;
    let value = kept.calendar.get(field);
    result(call, kept, value, "intlcal_get")
}

pub(super) fn get_time(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    match kept.calendar.time() {
        Ok(time) => Ok(time.into()),
        Err(OutOfRange) => failed(
            call.vm,
            kept,
            "intlcal_get_time: error calling ICU Calendar::getTime",
        ),
    }
}

pub(super) fn set_time(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    kept.calendar.set_time(call.double(first));
    Ok(true.into())
}

pub(super) fn add(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let field = field(call, first)?;
    let amount = check_int(call, first + 1)?;
    match kept.calendar.add(field, amount) {
        Ok(()) => Ok(true.into()),
        Err(OutOfRange) => failed(
            call.vm,
            kept,
            "intlcal_add: Call to underlying method failed",
        ),
    }
}

pub(super) fn roll(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let field = field(call, first)?;
    let value = call.value(first + 1);
    let amount = match value.view() {
        ValueKind::Bool(up) => {
            let message = "Passing bool is deprecated, use 1 or -1 instead";
            call.vm
                .raise_in_function(vm_runtime::diagnostics::level::DEPRECATED, message);
            call.vm.check()?;
            if up { 1 } else { -1 }
        }
        _ => check_int(call, first + 1)?,
    };
    match kept.calendar.roll(field, amount) {
        Ok(()) => Ok(true.into()),
        Err(OutOfRange) => failed(
            call.vm,
            kept,
            "intlcal_roll: Error calling ICU Calendar::roll",
        ),
    }
}

pub(super) fn set(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let mut count = call.count().saturating_sub(first);
    while count > 2 && call.value(first + count - 1).is_null() {
        count -= 1;
    }
    if count > 6 {
        return Err(call
            .vm
            .throw_error(KnownClass::ArgumentCountError, "Too many arguments"));
    }
    if first == 0 && count > 2 {
        let message = "Calling IntlCalendar::set() with more than 2 arguments is deprecated, use either IntlCalendar::setDate() or IntlCalendar::setDateTime() instead";
        call.vm
            .raise(vm_runtime::diagnostics::level::DEPRECATED, message);
        call.vm.check()?;
    }
    let mut numbers = Vec::new();
    for index in first..first + count {
        numbers.push(check_int(call, index)?);
    }
    if count == 4 {
        let message = "IntlCalendar::set() has no variant with exactly 4 parameters";
        return Err(call.vm.throw_error(KnownClass::ArgumentCountError, message));
    }
    if count == 2 {
        let field = field(call, first)?;
        kept.calendar.set(field, numbers[1]);
        return Ok(true.into());
    }
    let fields = [YEAR, MONTH, DATE, HOUR_OF_DAY, MINUTE, SECOND];
    for (field, number) in fields.into_iter().zip(numbers) {
        kept.calendar.set(field, number);
    }
    Ok(true.into())
}

fn set_fields(call: &mut Call<'_>, count: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, 0)?;
    let mut numbers = Vec::new();
    for index in 0..count {
        numbers.push(check_int(call, index)?);
    }
    let fields = [YEAR, MONTH, DATE, HOUR_OF_DAY, MINUTE, SECOND];
    for (field, number) in fields.into_iter().zip(numbers) {
        kept.calendar.set(field, number);
    }
    Ok(Value::NULL)
}

pub(super) fn set_date(call: &mut Call<'_>) -> PhpResult<Value> {
    set_fields(call, 3)
}

pub(super) fn set_date_time(call: &mut Call<'_>) -> PhpResult<Value> {
    let count = if call.has(5) { 6 } else { 5 };
    set_fields(call, count)
}

pub(super) fn clear(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    match call.has(first) {
        true => {
            let field = field(call, first)?;
            kept.calendar.clear_field(field);
        }
        false => kept.calendar.clear(),
    }
    Ok(true.into())
}

pub(super) fn is_set(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let field = field(call, first)?;
    Ok(kept.calendar.is_set(field).into())
}

pub(super) fn field_difference(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let until = call.double(first);
    let field = field(call, first + 1)?;
    let value = kept.calendar.difference(until, field);
    result(call, kept, value, "intlcal_field_difference")
}

/// A limit of a field, which needs no time.
fn limit(call: &mut Call<'_>, first: usize, which: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let field = field(call, first)?;
    Ok(kept.calendar.limit(field, which).into())
}

pub(super) fn minimum(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    limit(call, first, 0)
}

pub(super) fn greatest_minimum(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    limit(call, first, 1)
}

pub(super) fn least_maximum(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    limit(call, first, 2)
}

pub(super) fn maximum(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    limit(call, first, 3)
}

pub(super) fn actual_maximum(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let field = field(call, first)?;
    let value = kept.calendar.actual_maximum(field);
    result(call, kept, value, "intlcal_get_actual_maximum")
}

pub(super) fn actual_minimum(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let field = field(call, first)?;
    let value = kept.calendar.actual_minimum(field);
    result(call, kept, value, "intlcal_get_actual_minimum")
}

/// The time of another calendar in an argument.
fn other<'c>(call: &mut Call<'c>, index: usize) -> PhpResult<&'c mut Kept> {
    let object = call.object(index);
    // SAFETY: I3: the frame keeps the argument, and with it its native part.
    let state = unsafe { (*object.as_ptr()).native::<State>() };
    match state.and_then(|state| state.0.as_mut()) {
        Some(kept) => Ok(kept),
        None => {
            // SAFETY: I4: the function outlives its frames.
            let function = unsafe { &*(*call.frame).function };
            let name = function.display_name();
            let message = format!(
                "{name}(): Argument #{} ($other) is uninitialized",
                index + 1
            );
            Err(call.vm.throw_error(KnownClass::Error, message))
        }
    }
}

fn compare(call: &mut Call<'_>, first: usize, holds: fn(f64, f64) -> bool) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let other = other(call, first)?;
    match (kept.calendar.time(), other.calendar.time()) {
        (Ok(one), Ok(two)) => Ok(holds(one, two).into()),
        _ => failed(
            call.vm,
            kept,
            "intlcal_before/after: Error calling ICU method",
        ),
    }
}

pub(super) fn equals(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    compare(call, first, |one, two| one == two)
}

pub(super) fn after(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    compare(call, first, |one, two| one > two)
}

pub(super) fn before(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    compare(call, first, |one, two| one < two)
}

pub(super) fn is_equivalent_to(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let (one, two) = (&kept.calendar, &other(call, first)?.calendar);
    let is_same = one.kind == two.kind
        && one.lenient == two.lenient
        && one.repeated == two.repeated
        && one.skipped == two.skipped
        && one.first_day == two.first_day
        && one.least_days == two.least_days
        && one.change == two.change
        && one.zone.id == two.zone.id;
    Ok(is_same.into())
}

pub(super) fn in_daylight_time(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    match kept.calendar.get(DST_OFFSET) {
        Ok(offset) => Ok((offset != 0).into()),
        Err(OutOfRange) => failed(
            call.vm,
            kept,
            "intlcal_in_daylight_time: Error calling ICU method",
        ),
    }
}

/// A day of the week in an argument.
fn weekday(call: &mut Call<'_>, index: usize) -> PhpResult<i64> {
    match call.long(index) {
        day @ 1..=7 => Ok(day),
        _ => Err(call.value_error(index, "must be a valid day of the week")),
    }
}

/// What a locale says of a day: its type, and when the end of the week begins or ends in it.
fn day_kind(locale: &str, day: i64) -> (i64, i64) {
    let number = |index: i64| {
        week(locale)
            .and_then(|week| week.at(index as usize)?.number())
            .unwrap_or(0)
    };
    (number(day * 2), number(day * 2 + 1))
}

pub(super) fn day_of_week_type(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let day = weekday(call, first)?;
    Ok(day_kind(&kept.locale, day).0.into())
}

pub(super) fn weekend_transition(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let day = weekday(call, first)?;
    match day_kind(&kept.locale, day) {
        (2 | 3, transition) => Ok(transition.into()),
        _ => failed(
            call.vm,
            kept,
            "intlcal_get_weekend_transition: Error calling ICU method",
        ),
    }
}

pub(super) fn is_weekend(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let mut work = kept.calendar.clone();
    if call.has(first) {
        work.set_time(call.double(first));
    }
    let (Ok(day), Ok(time)) = (work.get(DAY_OF_WEEK), work.get(MILLISECONDS_IN_DAY)) else {
        return failed(
            call.vm,
            kept,
            "intlcal_is_weekend: Error calling ICU method",
        );
    };
    let is_weekend = match day_kind(&kept.locale, day) {
        (0, _) => false,
        (2, begins) => time >= begins,
        (3, ends) => time < ends,
        _ => true,
    };
    Ok(is_weekend.into())
}

pub(super) fn first_day(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    Ok(kept.calendar.first_day.into())
}

pub(super) fn set_first_day(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    kept.calendar.first_day = weekday(call, first)?;
    kept.calendar.weeks_changed();
    Ok(true.into())
}

pub(super) fn least_days(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    Ok(kept.calendar.least_days.into())
}

pub(super) fn set_least_days(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let days = call.long(first);
    if !(1..=7).contains(&days) {
        return Err(call.value_error(first, "must be between 1 and 7"));
    }
    kept.calendar.least_days = days;
    kept.calendar.weeks_changed();
    Ok(true.into())
}

pub(super) fn get_locale(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    match call.long(first) {
        // The resources of calendars belong to languages.
        0 => {
            let language = Ident::of(&kept.locale).language;
            text(call.vm, language)
        }
        1 => text(call.vm, &kept.locale),
        _ => Err(call.value_error(
            first,
            "must be either Locale::ACTUAL_LOCALE or Locale::VALID_LOCALE",
        )),
    }
}

pub(super) fn get_zone(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    zone::object(call.vm, kept.calendar.zone.clone())
}

pub(super) fn set_zone(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let value = call.value(first);
    if value.is_null() {
        return Ok(true.into());
    }
    match zone::of_value(call.vm, &value, "intlcal_set_time_zone")? {
        Ok(zone) => {
            kept.calendar.set_zone(zone);
            Ok(true.into())
        }
        Err(problem) => {
            kept.problem = problem;
            call.vm.check()?;
            Ok(false.into())
        }
    }
}

pub(super) fn get_type(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    text(call.vm, kind_name(kept.calendar.kind))
}

pub(super) fn is_lenient(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    Ok(kept.calendar.lenient.into())
}

pub(super) fn set_lenient(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    kept.calendar.lenient = call.bool(first);
    Ok(true.into())
}

pub(super) fn repeated(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    Ok(kept.calendar.repeated.into())
}

pub(super) fn skipped(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    Ok(kept.calendar.skipped.into())
}

pub(super) fn set_repeated(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    match call.long(first) {
        option @ (WALLTIME_FIRST | WALLTIME_LAST) => {
            kept.calendar.repeated = option;
            Ok(true.into())
        }
        _ => {
            let problem =
                "must be either IntlCalendar::WALLTIME_FIRST or IntlCalendar::WALLTIME_LAST";
            Err(call.value_error(first, problem))
        }
    }
}

pub(super) fn set_skipped(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    match call.long(first) {
        option @ (WALLTIME_FIRST | WALLTIME_LAST | WALLTIME_NEXT_VALID) => {
            kept.calendar.skipped = option;
            Ok(true.into())
        }
        _ => {
            let problem = "must be one of IntlCalendar::WALLTIME_FIRST, IntlCalendar::WALLTIME_LAST, or IntlCalendar::WALLTIME_NEXT_VALID";
            Err(call.value_error(first, problem))
        }
    }
}

/// The last problem of a calendar, which looking at does not forget.
fn problem(call: &mut Call<'_>, first: usize) -> PhpResult<LastError> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    let kept = object.native::<State>().and_then(|state| state.0.as_ref());
    Ok(kept.map(|kept| kept.problem.clone()).unwrap_or_default())
}

pub(super) fn get_error_code(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    Ok(problem(call, first)?.code.into())
}

pub(super) fn get_error_message(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let message = problem(call, first)?.text();
    text(call.vm, message)
}
