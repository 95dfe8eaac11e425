//! What only Gregory's calendar has.

use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::new_object;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::fields::*;
use super::functions::check_int;
use super::{Kept, State, kept, made};
use crate::intl::errors::{self, ILLEGAL_ARGUMENT};
use crate::intl::{locale, zone};
use crate::support::called_class;

/// The zone that an argument names, if it names one.
fn zone_argument(
    call: &mut Call<'_>,
    index: usize,
    function: &str,
) -> PhpResult<Option<zone::IcuZone>> {
    let value = call.value(index);
    Ok(zone::of_value(call.vm, &value, function)?.ok())
}

/// The calendar that arguments describe: zone and locale, or a date and perhaps a time; nothing after a problem.
fn described(call: &mut Call<'_>) -> PhpResult<Option<Kept>> {
    errors::clear(call.vm);
    let mut count = call.count().min(7);
    if call.count() > 6 {
        return Err(call
            .vm
            .throw_error(KnownClass::ArgumentCountError, "Too many arguments"));
    }
    // Missing ones at the end do not count.
    while count > 0 && call.value(count - 1).is_null() {
        count -= 1;
    }
    if count == 4 {
        let message = "No variant with 4 arguments (excluding trailing NULLs)";
        return Err(call.vm.throw_error(KnownClass::ArgumentCountError, message));
    }
    if count <= 2 {
        let Some(zone) = zone_argument(call, 0, "intlgregcal_create_instance")? else {
            call.vm.check()?;
            return Ok(None);
        };
        let value = call.value(1);
        let name = match value.is_null() {
            true => locale::default_locale(call.vm),
            false => {
                let name = crate::support::string_of(call.vm, &value)?;
                String::from_utf8_lossy(name.as_bytes()).into_owned()
            }
        };
        return Ok(made(
            call.vm,
            &name,
            zone,
            Some(Kind::Gregorian),
            zone::now(),
        ));
    }
    let mut numbers = [0; 6];
    for (index, number) in numbers.iter_mut().enumerate().take(count) {
        *number = check_int(call, index)?;
    }
    at_date(call, numbers, count).map(Some)
}

/// A calendar at a date, and at a time of day if that is said.
fn at_date(call: &mut Call<'_>, numbers: [i64; 6], count: usize) -> PhpResult<Kept> {
    let zone = zone::default_zone(call.vm)?;
    let name = locale::default_locale(call.vm);
    let kept = made(call.vm, &name, zone, Some(Kind::Gregorian), zone::now());
    let mut kept = kept.expect("Gregory's calendar is built");
    let calendar = &mut kept.calendar;
    calendar.clear();
    let fields = [YEAR, MONTH, DATE, HOUR_OF_DAY, MINUTE, SECOND];
    for (field, number) in fields.into_iter().zip(numbers).take(count.max(3)) {
        calendar.set(field, number);
    }
    Ok(kept)
}

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let this = crate::spl::this(call);
    let is_made = this
        .native::<State>()
        .is_some_and(|state| state.0.is_some());
    if is_made {
        let message = "IntlGregorianCalendar object is already constructed";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    if call.count() > 2 && call.count() <= 6 {
        let message = "Calling IntlGregorianCalendar::__construct() with more than 2 arguments is deprecated, use either IntlGregorianCalendar::createFromDate() or IntlGregorianCalendar::createFromDateTime() instead";
        call.vm
            .raise(vm_runtime::diagnostics::level::DEPRECATED, message);
        call.vm.check()?;
    }
    match described(call)? {
        Some(kept) => {
            if let Some(state) = this.native::<State>() {
                state.0 = Some(kept);
            }
            Ok(Value::NULL)
        }
        None => Err(errors::throw(call.vm, "Constructor failed", 0)),
    }
}

pub(super) fn create_instance(call: &mut Call<'_>) -> PhpResult<Value> {
    match described(call)? {
        Some(kept) => super::object(call.vm, kept),
        None => Ok(Value::NULL),
    }
}

fn create_at(call: &mut Call<'_>, count: usize, class: *mut Class) -> PhpResult<Value> {
    let mut numbers = [0; 6];
    for (index, number) in numbers.iter_mut().enumerate().take(count) {
        if index < 5 || call.has(index) {
            *number = check_int(call, index)?;
        }
    }
    let kept = at_date(call, numbers, count)?;
    let object = new_object(call.vm, class)?;
    if let Some(state) = object.native::<State>() {
        state.0 = Some(kept);
    }
    Ok(object.into())
}

pub(super) fn create_from_date(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = called_class(call);
    create_at(call, 3, class)
}

pub(super) fn create_from_date_time(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = called_class(call);
    let count = if call.has(5) { 6 } else { 5 };
    create_at(call, count, class)
}

pub(super) fn set_change(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let change = call.double(first);
    if !change.is_finite() {
        kept.problem = errors::set(
            call.vm,
            ILLEGAL_ARGUMENT,
            "intlgregcal_set_gregorian_change: error calling ICU method",
        );
        call.vm.check()?;
        return Ok(false.into());
    }
    kept.calendar.change = change;
    kept.calendar.weeks_changed();
    Ok(true.into())
}

pub(super) fn get_change(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    Ok(kept.calendar.change.into())
}

pub(super) fn is_leap_year(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, kept) = kept(call, first)?;
    let year = check_int(call, first)?;
    Ok(kept.calendar.is_leap(year).into())
}
