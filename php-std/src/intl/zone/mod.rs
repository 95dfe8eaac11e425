//! The class `IntlTimeZone`.

mod ids;
pub(super) mod names;
mod table;

use std::any::Any;
use std::sync::Arc;

use vm_runtime::class::{Class, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::convert::property_table;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

pub(super) use ids::short_id;
pub(super) use table::{CLASSES, FUNCTIONS, MORE_FUNCTIONS};

use super::errors::{self, ILLEGAL_ARGUMENT, INVALID_CHARACTER, LastError};
use super::locale;
use crate::date::{Region, Zone, region};
use crate::support::text;

/// A zone as ICU has it: its name, and what tells the time there.
#[derive(Debug, Clone)]
pub(super) struct IcuZone {
    pub(super) id: String,
    rules: Rules,
}

#[derive(Debug, Clone)]
enum Rules {
    /// Always so many milliseconds east of Greenwich.
    Fixed(i64),
    Region(Arc<Region>),
}

/// Milliseconds east of Greenwich: as they usually are, and what summer adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offsets {
    pub(super) raw: i64,
    pub(super) summer: i64,
}

pub(super) const UNKNOWN: &str = "Etc/Unknown";

impl IcuZone {
    fn fixed(id: &str, offset: i64) -> IcuZone {
        IcuZone {
            id: id.to_owned(),
            rules: Rules::Fixed(offset),
        }
    }

    pub(super) fn gmt() -> IcuZone {
        IcuZone::fixed("GMT", 0)
    }

    /// The zone of a name, the unknown one if there is none.
    pub(super) fn of(id: &str) -> IcuZone {
        if id == UNKNOWN {
            return IcuZone::fixed(UNKNOWN, 0);
        }
        if ids::is_known(id) {
            // Names that only ICU has stand for others.
            let found = region(id.as_bytes())
                .or_else(|| region(ids::old_name(id).as_bytes()))
                .or_else(|| region(ids::canonical(id)?.as_bytes()));
            if let Some(found) = found {
                return IcuZone {
                    id: id.to_owned(),
                    rules: Rules::Region(found),
                };
            }
        }
        match ids::custom(id) {
            Some((id, offset)) => IcuZone::fixed(&id, offset),
            None => IcuZone::fixed(UNKNOWN, 0),
        }
    }

    /// A zone of the extension `date`; nothing if ICU does not know it.
    pub(super) fn of_date(zone: &Zone) -> Option<IcuZone> {
        match zone {
            Zone::Offset(seconds) => {
                let (sign, seconds) = if *seconds < 0 {
                    ('-', -seconds)
                } else {
                    ('+', *seconds)
                };
                Some(IcuZone::of(&format!(
                    "GMT{sign}{:02}{:02}",
                    seconds / 3600,
                    seconds / 60 % 60
                )))
            }
            zone => Some(IcuZone::of(&zone.name())).filter(|known| known.id != UNKNOWN),
        }
    }

    /// What holds at a time, in milliseconds since 1970.
    pub(super) fn at(&self, time: f64) -> Offsets {
        match &self.rules {
            Rules::Fixed(raw) => Offsets {
                raw: *raw,
                summer: 0,
            },
            Rules::Region(region) => {
                let time = (time / 1000.0).floor() as i64;
                let now = region.at(time);
                if !now.is_dst {
                    return Offsets {
                        raw: now.seconds * 1000,
                        summer: 0,
                    };
                }
                // What held before summer began, or else an hour less.
                let before = region.at(now.since.saturating_sub(1));
                let raw = if before.is_dst {
                    now.seconds - 3600
                } else {
                    before.seconds
                };
                Offsets {
                    raw: raw * 1000,
                    summer: (now.seconds - raw) * 1000,
                }
            }
        }
    }

    /// What holds at a local time, in milliseconds as if it were Greenwich's. Times that a clock skips count on from
    /// before; of those that come twice the second is taken, unless the first is asked for.
    pub(super) fn at_local(&self, local: f64, first: bool, skipped_is_after: bool) -> Offsets {
        const DAY: f64 = 86_400_000.0;
        let before = self.at(local - DAY);
        let after = self.at(local + DAY);
        let total = |offsets: Offsets| (offsets.raw + offsets.summer) as f64;
        let holds = |offsets: Offsets| total(self.at(local - total(offsets))) == total(offsets);
        match (holds(before), holds(after)) {
            (true, true) if total(before) != total(after) => {
                if first {
                    before
                } else {
                    after
                }
            }
            (true, _) => self.at(local - total(before)),
            (false, true) => self.at(local - total(after)),
            (false, false) if skipped_is_after => after,
            (false, false) => before,
        }
    }

    /// When clocks were last changed before a time.
    pub(super) fn change_before(&self, time: f64) -> Option<f64> {
        match &self.rules {
            Rules::Fixed(_) => None,
            Rules::Region(region) => {
                let since = region.at((time / 1000.0).floor() as i64).since;
                (since > i64::MIN / 2000).then_some(since as f64 * 1000.0)
            }
        }
    }

    /// The offset that this zone has today, without summer.
    fn raw_offset(&self) -> i64 {
        self.at(now()).raw
    }

    /// True if clocks are set forward in summer, this year or in one to come.
    fn has_summer(&self) -> bool {
        const MONTH: f64 = 30.0 * 86_400_000.0;
        let now = now();
        (0..13).any(|month| self.at(now + MONTH * f64::from(month)).summer != 0)
    }

    pub(super) fn has_same_rules(&self, other: &IcuZone) -> bool {
        match (&self.rules, &other.rules) {
            (Rules::Fixed(one), Rules::Fixed(two)) => one == two,
            (Rules::Region(one), Rules::Region(two)) => {
                let changes = |region: &Region| {
                    let changes = region.transitions(i64::MIN, i64::MAX);
                    changes
                        .into_iter()
                        .map(|change| (change.since, change.seconds))
                        .collect::<Vec<_>>()
                };
                one.name == two.name || changes(one) == changes(two)
            }
            (Rules::Fixed(offset), Rules::Region(region))
            | (Rules::Region(region), Rules::Fixed(offset)) => {
                region.transitions(i64::MIN, i64::MAX).is_empty()
                    && region.at(0).seconds * 1000 == *offset
            }
        }
    }
}

/// Milliseconds since 1970.
pub(super) fn now() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    (now.unwrap_or_default().as_millis() as i64) as f64
}

/// The native part of an object.
pub(super) struct State {
    zone: Option<IcuZone>,
    problem: LastError,
}

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        if self.zone.is_none() {
            let message = "Cannot clone uninitialized IntlTimeZone";
            vm.throw_error(KnownClass::Error, message);
            return None;
        }
        Some(Box::new(State {
            zone: self.zone.clone(),
            problem: LastError::default(),
        }))
    }

    fn compare(&self, vm: &mut Vm, _this: &PhpObject, other: &PhpObject) -> Option<i32> {
        let other = other.native::<State>()?;
        match (&self.zone, &other.zone) {
            (Some(one), Some(two)) => Some(i32::from(one.id != two.id || !one.has_same_rules(two))),
            _ => {
                let message = "Comparison with at least one unconstructed IntlTimeZone operand";
                crate::spl::throw(vm, "Exception", message);
                Some(1)
            }
        }
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(State {
        zone: None,
        problem: LastError::default(),
    }))
}

static HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    ..NativeHandlers::STANDARD
};

fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let mut table = property_table(vm, &object);
    let zone = object
        .native::<State>()
        .and_then(|state| state.zone.clone());
    describe(vm, &mut table, zone.as_ref())?;
    Ok(table)
}

/// Adds what `var_dump()` shows of a zone.
pub(super) fn describe(
    vm: &mut Vm,
    table: &mut ArrayHandle,
    zone: Option<&IcuZone>,
) -> PhpResult<()> {
    let Some(zone) = zone else {
        table.make_mut(vm).set_bytes(b"valid", false.into());
        return Ok(());
    };
    let id = text(vm, &zone.id)?;
    let now = zone.at(now());
    let target = table.make_mut(vm);
    target.set_bytes(b"valid", true.into());
    target.set_bytes(b"id", id);
    target.set_bytes(b"rawOffset", now.raw.into());
    target.set_bytes(b"currentOffset", (now.raw + now.summer).into());
    Ok(())
}

/// An object with a zone.
pub(super) fn object(vm: &mut Vm, zone: IcuZone) -> PhpResult<Value> {
    let class = vm
        .linked_class(b"intltimezone")
        .unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    if let Some(state) = object.native::<State>() {
        state.zone = Some(zone);
    }
    Ok(object.into())
}

/// The zone that the extension `date` uses.
pub(super) fn default_zone(vm: &mut Vm) -> PhpResult<IcuZone> {
    let zone = crate::date::default_zone(vm)?;
    Ok(IcuZone::of_date(&zone).unwrap_or_else(IcuZone::gmt))
}

/// The zone that a value names, if there is one; what is wrong is noted behind a name of a function, if that is said.
pub(super) fn of_value(
    vm: &mut Vm,
    value: &Value,
    function: &str,
) -> PhpResult<Result<IcuZone, LastError>> {
    let found = quiet_of_value(vm, value, function)?;
    Ok(found.map_err(|problem| errors::set(vm, ILLEGAL_ARGUMENT, &problem)))
}

/// As [`of_value`], but what is wrong is only said.
pub(super) fn quiet_of_value(
    vm: &mut Vm,
    value: &Value,
    function: &str,
) -> PhpResult<Result<IcuZone, String>> {
    let prefix = match function {
        "" => String::new(),
        function => format!("{function}: "),
    };
    let id = match value.view() {
        ValueKind::Null => return Ok(Ok(default_zone(vm)?)),
        ValueKind::Object(object) => {
            if let Some(state) = object.native::<State>() {
                return Ok(match &state.zone {
                    Some(zone) => Ok(zone.clone()),
                    None => {
                        let problem =
                            format!("{prefix}passed IntlTimeZone is not properly constructed");
                        Err(problem)
                    }
                });
            }
            if let Some(zone) = crate::date::zone_of_object(object) {
                return Ok(match IcuZone::of_date(&zone) {
                    Some(zone) => Ok(zone),
                    None => Err(unknown_date_zone(&zone, &prefix)),
                });
            }
            crate::support::string_of(vm, value)?.to_vec()
        }
        _ => crate::support::string_of(vm, value)?.to_vec(),
    };
    let Ok(id) = std::str::from_utf8(&id) else {
        let problem = format!("{prefix}Time zone identifier given is not a valid UTF-8 string");
        return Ok(Err(problem));
    };
    let zone = IcuZone::of(id);
    if zone.id == UNKNOWN && id != UNKNOWN {
        let problem = format!("{prefix}No such time zone: '{id}'");
        return Ok(Err(problem));
    }
    Ok(Ok(zone))
}

fn unknown_date_zone(zone: &Zone, prefix: &str) -> String {
    let name = zone.name();
    format!("{prefix}time zone id '{name}' extracted from ext/date DateTimeZone not recognized")
}

/// The zone of a call: of `$this`, or of the first argument.
fn zone(
    call: &mut Call<'_>,
    first: usize,
) -> PhpResult<(ObjectHandle, &'static mut State, IcuZone)> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    // SAFETY: I3: the handle that is given with it keeps the object, and with it its native part.
    let state = unsafe { (*object.as_ptr()).native::<State>() };
    match state.and_then(|state| Some((state.zone.clone()?, state))) {
        Some((zone, state)) => {
            state.problem = LastError::default();
            errors::clear(call.vm);
            Ok((object, state, zone))
        }
        None => Err(unconstructed(call.vm)),
    }
}

fn unconstructed(vm: &mut Vm) -> Thrown {
    vm.throw_error(KnownClass::Error, "Found unconstructed IntlTimeZone")
}

/// The text of an argument; nothing after a problem.
fn id_argument(call: &mut Call<'_>, index: usize) -> PhpResult<Option<String>> {
    errors::clear(call.vm);
    if let Ok(id) = std::str::from_utf8(call.bytes(index)) {
        return Ok(Some(id.to_owned()));
    }
    errors::set(
        call.vm,
        INVALID_CHARACTER,
        "could not convert time zone id to UTF-16",
    );
    call.vm.check()?;
    Ok(None)
}

fn create_time_zone(call: &mut Call<'_>) -> PhpResult<Value> {
    match id_argument(call, 0)? {
        Some(id) => object(call.vm, IcuZone::of(&id)),
        None => Ok(Value::NULL),
    }
}

fn create_default(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let zone = default_zone(call.vm)?;
    object(call.vm, zone)
}

fn get_gmt(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    object(call.vm, IcuZone::gmt())
}

fn get_unknown(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    object(call.vm, IcuZone::of(UNKNOWN))
}

fn from_date_time_zone(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let given = call.object(0);
    let Some(zone) = crate::date::zone_of_object(&given) else {
        let problem = "intltz_from_date_time_zone: DateTimeZone object is unconstructed";
        return errors::failed(call.vm, ILLEGAL_ARGUMENT, problem, Value::NULL);
    };
    match IcuZone::of_date(&zone) {
        Some(zone) => object(call.vm, zone),
        None => {
            let problem = unknown_date_zone(&zone, "intltz_from_date_time_zone: ");
            errors::failed(call.vm, ILLEGAL_ARGUMENT, &problem, Value::NULL)
        }
    }
}

fn get_id(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, _, zone) = zone(call, first)?;
    text(call.vm, zone.id)
}

fn get_raw_offset(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, _, zone) = zone(call, first)?;
    Ok(zone.raw_offset().into())
}

fn get_dst_savings(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, _, zone) = zone(call, first)?;
    // What ICU says of zones that are only an offset.
    if matches!(zone.rules, Rules::Fixed(_)) {
        return Ok(3_600_000i64.into());
    }
    const MONTH: f64 = 30.0 * 86_400_000.0;
    let now = now();
    let savings = (0..13)
        .map(|month| zone.at(now + MONTH * f64::from(month)).summer)
        .find(|&summer| summer != 0);
    Ok(savings.unwrap_or(0).into())
}

fn use_daylight_time(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, _, zone) = zone(call, first)?;
    Ok(zone.has_summer().into())
}

fn has_same_rules(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, _, zone) = zone(call, first)?;
    let other = call.object(first);
    match other
        .native::<State>()
        .and_then(|state| state.zone.as_ref())
    {
        Some(other) => Ok(zone.has_same_rules(other).into()),
        None => Err(unconstructed(call.vm)),
    }
}

/// Notes a problem, and gives false.
fn failed(vm: &mut Vm, state: &mut State, code: i64, message: &str) -> PhpResult<Value> {
    state.problem = errors::set(vm, code, message);
    vm.check()?;
    Ok(false.into())
}

fn get_offset(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, state, zone) = zone(call, first)?;
    let time = call.double(first);
    if !time.is_finite() {
        return failed(call.vm, state, ILLEGAL_ARGUMENT, "error obtaining offset");
    }
    let offsets = match call.bool(first + 1) {
        true => zone.at_local(time, false, false),
        false => zone.at(time),
    };
    call.assign(first + 2, offsets.raw.into());
    call.assign(first + 3, offsets.summer.into());
    call.vm.check()?;
    Ok(true.into())
}

fn get_display_name(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, state, zone) = zone(call, first)?;
    let Some(style) = names::Style::of(call.long(first + 1)) else {
        return failed(call.vm, state, ILLEGAL_ARGUMENT, "wrong display type");
    };
    let name = match call.has(first + 2) {
        true => locale::named(call, first + 2),
        false => locale::default_locale(call.vm),
    };
    let locale = names::locale(call.vm, &name);
    let shown = names::display_name(&zone, &locale, style, call.bool(first), now());
    text(call.vm, shown)
}

fn to_date_time_zone(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, state, zone) = zone(call, first)?;
    if let Some(found) = zone.date_zone() {
        return crate::date::zone_object(call.vm, found);
    }
    let problem = "intltz_to_date_time_zone: DateTimeZone constructor threw exception";
    state.problem = errors::set(call.vm, ILLEGAL_ARGUMENT, problem);
    call.vm.check()?;
    let message = format!(
        "DateTimeZone::__construct(): Unknown or bad timezone ({})",
        zone.id
    );
    Err(crate::spl::throw(
        call.vm,
        "DateInvalidTimeZoneException",
        &message,
    ))
}

impl IcuZone {
    /// The zone as the extension `date` has it.
    pub(super) fn date_zone(&self) -> Option<Zone> {
        match &self.rules {
            Rules::Fixed(offset) if self.id.len() > 3 && self.id.starts_with("GMT") => {
                Some(Zone::Offset(offset / 1000))
            }
            _ => Zone::parse(self.id.as_bytes()),
        }
    }
}

/// The last problem of a zone, which looking at does not forget.
fn problem(call: &mut Call<'_>, first: usize) -> PhpResult<LastError> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    Ok(object
        .native::<State>()
        .map(|state| state.problem.clone())
        .unwrap_or_default())
}

fn get_error_code(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    Ok(problem(call, first)?.code.into())
}

fn get_error_message(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let message = problem(call, first)?.text();
    text(call.vm, message)
}

fn data_version(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let version = super::pack::root().find(&["zoneinfo64", "TZVersion"]);
    text(
        call.vm,
        version
            .and_then(super::pack::Node::text)
            .unwrap_or_default(),
    )
}
