//! The classes `IntlCalendar` and `IntlGregorianCalendar`.
//!
//! Years are counted as Gregory did, and as Buddhists, Japan and Taiwan do, whose months are the same. Calendars of other
//! months are not built: a locale that has one gives an error.

mod arithmetic;
mod days;
pub(super) mod fields;
mod functions;
mod gregorian;
mod table;

pub(super) use self::functions::check_int;

use std::any::Any;

use vm_runtime::class::{Class, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::convert::property_table;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

pub(super) use fields::{Calendar, Kind};
pub(super) use table::{CLASSES, FUNCTIONS};

use super::errors::{self, ILLEGAL_ARGUMENT, LastError};
use super::ident::{Ident, available, parent};
use super::locale;
use super::pack::{Node, root};
use super::zone::{self, IcuZone};

/// What an object keeps.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) calendar: Calendar,
    /// The locale that there are resources of.
    pub(super) locale: String,
    pub(super) problem: LastError,
}

/// The native part of an object.
pub(super) struct State(pub(super) Option<Kept>);

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        if self.0.is_none() {
            vm.throw_error(KnownClass::Error, "Cannot clone uninitialized IntlCalendar");
            return None;
        }
        Some(Box::new(State(self.0.clone())))
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(State(None)))
}

static HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    ..NativeHandlers::STANDARD
};

/// The names of the fields as `var_dump()` shows them.
const FIELD_NAMES: &[&str] = &[
    "era",
    "year",
    "month",
    "week of year",
    "week of month",
    "day of year",
    "day of month",
    "day of week",
    "day of week in month",
    "AM/PM",
    "hour",
    "hour of day",
    "minute",
    "second",
    "millisecond",
    "zone offset",
    "DST offset",
    "year for week of year",
    "localized day of week",
    "extended year",
    "julian day",
    "milliseconds in day",
    "is leap month",
];

fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let Some(kept) = object.native::<State>().and_then(|state| state.0.as_mut()) else {
        let mut table = vm.new_array();
        table.make_mut(vm).set_bytes(b"valid", false.into());
        return Ok(table);
    };
    let mut table = property_table(vm, &object);
    let calendar = &mut kept.calendar;
    let mut zone = vm.new_array();
    zone::describe(vm, &mut zone, Some(&calendar.zone))?;
    let kind = crate::support::text(vm, functions::kind_name(calendar.kind))?;
    let locale = crate::support::text(vm, &kept.locale)?;
    let mut values = vm.new_array();
    let target = values.make_mut(vm);
    for (place, name) in FIELD_NAMES.iter().enumerate() {
        // The day of the year stands in front of that of the month.
        let field = match place {
            5 => 6,
            6 => 5,
            other => other,
        };
        if let Ok(value) = calendar.get(field) {
            target.set_bytes(name.as_bytes(), value.into());
        }
    }
    let target = table.make_mut(vm);
    target.set_bytes(b"valid", true.into());
    target.set_bytes(b"type", kind);
    target.set_bytes(b"timeZone", zone.into());
    target.set_bytes(b"locale", locale);
    target.set_bytes(b"fields", values.into());
    Ok(table)
}

/// What a locale says of weeks.
pub(super) fn week(locale: &str) -> Option<Node> {
    let weeks = root().get("weeks")?;
    let mut name = locale;
    loop {
        if let Some(week) = weeks.get(name) {
            return Some(week);
        }
        name = parent(name)?;
    }
}

/// The calendar that a locale has, if it is built.
fn kind_of(ident: &Ident, locale: &str) -> Option<Kind> {
    let usual = root()
        .find(&["calendars", locale])
        .and_then(|kinds| kinds.at(0)?.text());
    Some(
        match ident.keyword("calendar").or(usual).unwrap_or("gregorian") {
            "gregorian" | "gregory" => Kind::Gregorian,
            "iso8601" => Kind::Iso8601,
            "buddhist" => Kind::Buddhist,
            "roc" => Kind::Minguo,
            "japanese" => Kind::Japanese,
            "chinese"
            | "coptic"
            | "dangi"
            | "ethiopic"
            | "ethiopic-amete-alem"
            | "hebrew"
            | "indian"
            | "islamic"
            | "islamic-civil"
            | "islamic-rgsa"
            | "islamic-tbla"
            | "islamic-umalqura"
            | "persian" => return None,
            // What nobody knows is Gregory's.
            _ => Kind::Gregorian,
        },
    )
}

/// A locale with the region that goes without saying.
fn with_region(locale: String) -> String {
    let defaults = root().find(&["metadata", "defaultContent"]);
    let names = defaults
        .into_iter()
        .flat_map(Node::items)
        .filter_map(Node::text);
    let is_of = |name: &&str| {
        let rest = name
            .strip_prefix(&locale)
            .and_then(|rest| rest.strip_prefix('_'));
        rest.is_some_and(|region| matches!(region.len(), 2 | 3))
    };
    let found = names.into_iter().find(is_of).map(str::to_owned);
    found.unwrap_or(locale)
}

/// A calendar of a locale and a zone, at a time; nothing if that locale's is not built.
pub(super) fn made(
    vm: &Vm,
    name: &str,
    zone: IcuZone,
    kind: Option<Kind>,
    time: f64,
) -> Option<Kept> {
    let ident = Ident::of_tag(name);
    let locale = available(&ident.base())
        .or_else(|| available(&Ident::of_tag(&locale::default_locale(vm)).base()))
        .unwrap_or_else(|| "root".to_owned());
    let kind = match kind {
        Some(kind) => kind,
        None => kind_of(&ident, &locale)?,
    };
    let locale = with_region(locale);
    let week = week(&locale);
    let number = |index| week.and_then(|week| week.at(index)?.number()).unwrap_or(1);
    let mut calendar = Calendar::new(zone, kind, number(0), number(1));
    calendar.set_time(time);
    Some(Kept {
        calendar,
        locale,
        problem: LastError::default(),
    })
}

/// An object of the class that fits a calendar.
pub(super) fn object(vm: &mut Vm, kept: Kept) -> PhpResult<Value> {
    let class: &[u8] = match kept.calendar.kind {
        Kind::Gregorian => b"intlgregoriancalendar",
        _ => b"intlcalendar",
    };
    let class = vm.linked_class(class).unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    if let Some(state) = object.native::<State>() {
        state.0 = Some(kept);
    }
    Ok(object.into())
}

/// What the object of a call keeps: that of `$this`, or of the first argument.
pub(super) fn kept(
    call: &mut Call<'_>,
    first: usize,
) -> PhpResult<(ObjectHandle, &'static mut Kept)> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    // SAFETY: I3: the handle that is given with it keeps the object, and with it its native part.
    let state = unsafe { (*object.as_ptr()).native::<State>() };
    match state.and_then(|state| state.0.as_mut()) {
        Some(kept) => {
            kept.problem = LastError::default();
            errors::clear(call.vm);
            Ok((object, kept))
        }
        None => Err(unconstructed(call.vm)),
    }
}

fn unconstructed(vm: &mut Vm) -> Thrown {
    vm.throw_error(KnownClass::Error, "Found unconstructed IntlCalendar")
}

/// Notes a problem, and gives false.
fn failed(vm: &mut Vm, kept: &mut Kept, message: &str) -> PhpResult<Value> {
    kept.problem = errors::set(vm, ILLEGAL_ARGUMENT, message);
    vm.check()?;
    Ok(false.into())
}
