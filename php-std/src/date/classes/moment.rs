//! The state of DateTime and DateTimeImmutable objects.

use std::any::Any;

use vm_runtime::array::PhpArray;
use vm_runtime::class::{Class, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, clone_object, new_object};
use vm_runtime::operators::convert::property_table;
use vm_runtime::value::{ArrayHandle, ObjectHandle};
use vm_runtime::vm::{PhpResult, Vm};

use super::{exceptions, long_element, text_element, uninitialized, zone};
use crate::date::by_format::parse_by_format;
use crate::date::format::format;
use crate::date::parse::{Parsed, parse};
use crate::date::settings::default_zone;
use crate::date::time::Time;
use crate::date::zone::Zone;

/// The native part: nothing before the constructor ran.
#[derive(Debug, Clone, Default)]
pub(super) struct Moment {
    pub(super) time: Option<Time>,
    immutable: bool,
}

impl NativeData for Moment {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }

    fn compare(&self, vm: &mut Vm, _this: &PhpObject, other: &PhpObject) -> Option<i32> {
        let theirs = other.native::<Moment>()?;
        match (&self.time, &theirs.time) {
            (Some(one), Some(two)) => {
                Some((one.stamp, one.micro).cmp(&(two.stamp, two.micro)) as i32)
            }
            _ => {
                let message =
                    "Trying to compare an incomplete DateTime or DateTimeImmutable object";
                exceptions::throw(vm, "DateObjectError", message);
                Some(1)
            }
        }
    }
}

pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    properties: Some(properties),
    ..NativeHandlers::STANDARD
};

pub(super) fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<Moment>::default())
}

pub(super) fn create_immutable(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(Moment {
        time: None,
        immutable: true,
    }))
}

pub(super) fn moment(object: &PhpObject) -> &mut Moment {
    object.native::<Moment>().expect("made with the object")
}

/// The time of an object that has one.
pub(super) fn known_time(object: &PhpObject) -> Option<&Time> {
    object.native::<Moment>()?.time.as_ref()
}

/// The time of an object, or the error that it has none.
pub(super) fn time<'o>(vm: &mut Vm, object: &'o PhpObject) -> PhpResult<&'o mut Time> {
    match object
        .native::<Moment>()
        .and_then(|moment| moment.time.as_mut())
    {
        Some(time) => Ok(time),
        None => Err(uninitialized(vm, object)),
    }
}

/// A new object of a class with a time; its constructor does not run.
pub(super) fn with_time(vm: &mut Vm, class: *mut Class, time: Time) -> PhpResult<ObjectHandle> {
    let object = new_object(vm, class)?;
    moment(&object).time = Some(time);
    Ok(object)
}

/// The object that a change is made to: a copy if it may not change.
pub(super) fn changing(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ObjectHandle> {
    time(vm, object)?;
    if moment(object).immutable {
        return clone_object(vm, object, object.class);
    }
    Ok(object.clone())
}

/// What serialisation, casts and `var_dump()` show: own properties, then the time.
fn properties(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let mut table = property_table(vm, object);
    if let Some(time) = &moment(object).time {
        add_time(vm, &mut table, time);
    }
    Ok(table)
}

/// Adds the members that describe a time.
pub(super) fn add_time(vm: &mut Vm, table: &mut ArrayHandle, time: &Time) {
    let date = vm.string(format(time, b"x-m-d H:i:s.u")).into();
    table.make_mut(vm).set_bytes(b"date", date);
    zone::add_zone(vm, table, &time.zone);
}

/// Sets the time from serialised data; false if that isn't right.
pub(super) fn restore(vm: &mut Vm, object: &PhpObject, data: &PhpArray) -> bool {
    let (Some(date), Some(number), Some(name)) = (
        text_element(data, "date"),
        long_element(data, "timezone_type"),
        text_element(data, "timezone"),
    ) else {
        return false;
    };
    let Some(zone) = zone::of_number(number, &name) else {
        return false;
    };
    let parsed = parse(vm, &date);
    if !parsed.errors.is_empty() {
        return false;
    }
    moment(object).time = parsed.resolve(&Time::now(zone), false);
    moment(object).time.is_some()
}

/// Problems of the last text that was read.
#[derive(Debug, Default)]
pub(super) struct LastProblems(pub(super) Option<Parsed>);

/// Notes the problems of a text.
pub(super) fn note_problems(vm: &mut Vm, parsed: &Parsed) {
    let any = !parsed.errors.is_empty() || !parsed.warnings.is_empty();
    vm.extensions.state::<LastProblems>().0 = any.then(|| parsed.clone());
}

/// `(TEXT) at position 0 (f): why`, of the first problem.
pub(super) fn describe(text: &[u8], parsed: &Parsed) -> String {
    let Some(first) = parsed.errors.first() else {
        return String::new();
    };
    // Later problems of one place are those that are remembered.
    let same_place = |problem: &&_| {
        let problem: &&crate::date::parse::Problem = problem;
        problem.position == first.position
    };
    let shown = parsed.errors.iter().rfind(same_place).unwrap_or(first);
    format!(
        "({}) at position {} ({}): {}",
        vm_runtime::message::text(text),
        first.position,
        vm_runtime::message::text(&[first.character]),
        shown.message
    )
}

/// The zone of an optional argument, or the default one.
pub(super) fn zone_argument(call: &mut Call<'_>, index: usize) -> PhpResult<Zone> {
    match call.value(index).object() {
        Some(object) => match zone::optional_zone(&object) {
            Some(zone) => Ok(zone),
            None => Err(call.vm.throw_error(
                KnownClass::Error,
                "The DateTimeZone object has not been correctly initialized by its constructor",
            )),
        },
        None => default_zone(call.vm),
    }
}

/// The time that a text says, in a format if there is one. The error is thrown as an exception
/// if `throws`, else there is no time.
pub(super) fn read(
    vm: &mut Vm,
    text: &[u8],
    by: Option<&[u8]>,
    zone: Zone,
    throws: bool,
) -> PhpResult<Option<Time>> {
    let parsed = match by {
        Some(by) => parse_by_format(by, text),
        None if text.is_empty() => parse(vm, b"now"),
        None => parse(vm, text),
    };
    note_problems(vm, &parsed);
    if !parsed.errors.is_empty() {
        if throws {
            let message = format!("Failed to parse time string {}", describe(text, &parsed));
            return Err(exceptions::throw(
                vm,
                "DateMalformedStringException",
                &message,
            ));
        }
        return Ok(None);
    }
    let resolved = parsed.resolve(&Time::now(zone), by.is_some());
    if resolved.is_none() && throws {
        return Err(crate::date::functions::out_of_range(vm));
    }
    Ok(resolved)
}
