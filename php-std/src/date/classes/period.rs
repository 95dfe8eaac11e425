//! DatePeriod: points of time at regular intervals.

use std::any::Any;

use vm_runtime::class::{Class, NativeClass, NativeHandlers, PropertyHandlers, method};
use vm_runtime::exceptions::{KnownClass, set_slot, slot};
use vm_runtime::function::{Call, Type, type_mask};
use vm_runtime::object::{
    Access, NativeData, NativeIterator, clone_object, internal_iterator, new_object,
};
use vm_runtime::string::PhpString;
use vm_runtime::types::{TypeContext, coerce};
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::datetime::is_datetime;
use super::moment::{note_problems, time, with_time};
use super::{called_class, exceptions, interval, uninitialized};
use crate::date::interval::Interval;
use crate::date::parse::parse;
use crate::date::settings::default_zone;
use crate::date::time::Time;
use crate::date::zone::Zone;
use crate::spl::this;
use crate::support::hold;

/// Slots of the declared properties.
mod slots {
    pub(super) const START: u32 = 0;
    pub(super) const CURRENT: u32 = 1;
    pub(super) const END: u32 = 2;
    pub(super) const INTERVAL: u32 = 3;
    pub(super) const RECURRENCES: u32 = 4;
    pub(super) const INCLUDE_START: u32 = 5;
    pub(super) const INCLUDE_END: u32 = 6;
    pub(super) const COUNT: u32 = 7;
}

/// Their names, in order.
const MEMBERS: [&str; slots::COUNT as usize] = [
    "start",
    "current",
    "end",
    "interval",
    "recurrences",
    "include_start_date",
    "include_end_date",
];

const EXCLUDE_START_DATE: i64 = 1;
const INCLUDE_END_DATE: i64 = 2;
/// One more than the most recurrences.
const RECURRENCES_LIMIT: i64 = 2_147_483_640;

/// Where a loop is. The property `current` follows with each step, not where a loop begins.
#[derive(Clone)]
struct Progress(Option<Time>);

impl NativeData for Progress {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }
}

fn progress(object: &ObjectHandle) -> &mut Option<Time> {
    let progress = object.native::<Progress>();
    &mut progress.expect("periods are made with their native part").0
}

/// A script does not write what a period is made of, not even into what is in there.
const HANDLERS: NativeHandlers = NativeHandlers {
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, name, access| match access {
            Access::Write | Access::ReadWrite => refuse(vm, object, name).map(|()| None),
            _ => Ok(None),
        },
        write: |vm, object, name, _| refuse(vm, object, name).map(|()| false),
        has: |_, _, _, _| Ok(None),
        unset: |_, _, _| Ok(false),
    }),
    ..NativeHandlers::STANDARD
};

/// The error of writing a property that stands for a part of the period.
fn refuse(vm: &mut Vm, _object: &ObjectHandle, name: &PhpString) -> PhpResult<()> {
    let Some(name) = MEMBERS
        .iter()
        .find(|member| member.as_bytes() == name.as_bytes())
    else {
        return Ok(());
    };
    let message = format!("Cannot modify readonly property DatePeriod::${name}");
    Err(vm.throw_error(KnownClass::Error, message))
}

pub(super) static CLASSES: &[&NativeClass] =
    &[&NativeClass::new("class DatePeriod implements IteratorAggregate")
        .create_native(|_, _| Some(Box::new(Progress(None))))
        .handlers(&HANDLERS)
        .constants(&["int EXCLUDE_START_DATE = 1", "int INCLUDE_END_DATE = 2"])
        .properties(&[
            "public readonly ?DateTimeInterface $start",
            "public readonly ?DateTimeInterface $current",
            "public readonly ?DateTimeInterface $end",
            "public readonly ?DateInterval $interval",
            "public readonly int $recurrences",
            "public readonly bool $include_start_date",
            "public readonly bool $include_end_date",
        ])
        .methods(&[
            method(
                "public static function createFromISO8601String(string $specification, int $options = 0): static",
                create_from_text,
            ),
            method(
                "#[Uncounted] public function __construct($start, $interval = UNKNOWN, $end = UNKNOWN, $options = UNKNOWN)",
                construct,
            ),
            method("tentative public function getStartDate(): DateTimeInterface", |call| {
                copy_of(call, slots::START)
            }),
            method("tentative public function getEndDate(): ?DateTimeInterface", |call| {
                match slot(&this(call), slots::END).is_undef() {
                    true => Ok(Value::NULL),
                    false => copy_of(call, slots::END),
                }
            }),
            method("tentative public function getDateInterval(): DateInterval", |call| {
                copy_of(call, slots::INTERVAL)
            }),
            method("tentative public function getRecurrences(): ?int", get_recurrences),
            method("public function __serialize(): array", serialize),
            method("public function __unserialize(array $data): void", unserialize),
            method("tentative public function __wakeup(): void", |call| Err(invalid(call))),
            method(
                "tentative public static function __set_state(array $array): DatePeriod",
                set_state,
            ),
            method("public function getIterator(): Iterator", get_iterator),
        ])];

/// What a period is made of.
struct Period {
    start: ObjectHandle,
    end: Option<ObjectHandle>,
    interval: ObjectHandle,
    recurrences: i64,
    options: i64,
}

fn store(call: &mut Call<'_>, object: &ObjectHandle, period: Period) -> PhpResult<()> {
    if !(1..RECURRENCES_LIMIT).contains(&period.recurrences) && period.end.is_none() {
        let name = call.function().display_name();
        let message = format!(
            "{name}(): Recurrence count must be greater or equal to 1 and lower than {RECURRENCES_LIMIT}"
        );
        let class = "DateMalformedPeriodStringException";
        return Err(exceptions::throw(call.vm, class, &message));
    }
    let include_start = period.options & EXCLUDE_START_DATE == 0;
    let include_end = period.options & INCLUDE_END_DATE != 0;
    let bounds = i64::from(include_start) + i64::from(include_end);
    if period.recurrences + bounds >= RECURRENCES_LIMIT {
        let name = call.function().display_name();
        let message = format!(
            "{name}(): Recurrence count must be greater or equal to 1 and lower than {RECURRENCES_LIMIT} (including options)"
        );
        let class = "DateMalformedStringException";
        return Err(exceptions::throw(call.vm, class, &message));
    }
    let end = match period.end {
        Some(end) => end.into(),
        None => Value::NULL,
    };
    set_slot(object, slots::START, period.start.into());
    set_slot(object, slots::CURRENT, Value::NULL);
    set_slot(object, slots::END, end);
    set_slot(object, slots::INTERVAL, period.interval.into());
    set_slot(
        object,
        slots::RECURRENCES,
        (period.recurrences + bounds).into(),
    );
    set_slot(object, slots::INCLUDE_START, include_start.into());
    set_slot(object, slots::INCLUDE_END, include_end.into());
    Ok(())
}

/// A copy of an object that a script gave.
fn copy(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ObjectHandle> {
    clone_object(vm, object, object.class)
}

/// A copy of a date, of a class.
fn copy_date(vm: &mut Vm, object: &ObjectHandle, class: *mut Class) -> PhpResult<ObjectHandle> {
    let moment = time(vm, object)?.clone();
    with_time(vm, class, moment)
}

/// The class of the extension that a date is of.
fn base_class(vm: &mut Vm, date: &ObjectHandle) -> *mut Class {
    let name: &[u8] = match is_a(date, b"datetimeimmutable") {
        true => b"datetimeimmutable",
        false => b"datetime",
    };
    vm.linked_class(name).unwrap_or(date.class)
}

/// A copy of an interval, whose parts are numbers.
fn copy_step(vm: &mut Vm, step: &ObjectHandle) -> PhpResult<ObjectHandle> {
    let step = interval::interval_of(vm, step)?;
    interval::with_interval(vm, step)
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    if let Some(period) = described(call)? {
        store(call, &object, period)?;
        return Ok(Value::NULL);
    }
    // Dates and steps are no texts.
    if !(1..=2).contains(&call.count()) {
        return Err(wrong_arguments(call));
    }
    let text = Type {
        mask: type_mask::STRING,
        classes: Vec::new(),
    };
    let (Some(source), Some(options)) = (weakly(call, 0, &text)?, weak_number(call, 1)?) else {
        return Err(wrong_arguments(call));
    };
    call.vm.deprecated(
        "Calling DatePeriod::__construct(string $isostr, int $options = 0) is deprecated, use DatePeriod::createFromISO8601String() instead",
    );
    call.vm.check()?;
    let source = source.to_string(call.vm)?;
    from_text(call, &object, source.as_bytes(), options, b"datetime")?;
    Ok(Value::NULL)
}

/// What the arguments of the constructor describe as a date, a step, and a number or a date; none if they are
/// no such.
fn described(call: &mut Call<'_>) -> PhpResult<Option<Period>> {
    if !(3..=4).contains(&call.count()) {
        return Ok(None);
    }
    let start = call.value(0).object().filter(|object| is_datetime(object));
    let step = call.value(1).object();
    let step = step.filter(|object| is_a(object, b"dateinterval"));
    let (Some(start), Some(step)) = (start, step) else {
        return Ok(None);
    };
    let end = call.value(2).object().filter(|object| is_datetime(object));
    let recurrences = match &end {
        Some(_) => Some(0),
        None => weak_number(call, 2)?,
    };
    let Some(recurrences) = recurrences else {
        return Ok(None);
    };
    let Some(options) = weak_number(call, 3)? else {
        return Ok(None);
    };
    Ok(Some(Period {
        start: copy_date(call.vm, &start, start.class)?,
        end: match &end {
            Some(end) => Some(copy_date(call.vm, end, start.class)?),
            None => None,
        },
        interval: copy_step(call.vm, &step)?,
        recurrences,
        options,
    }))
}

/// The whole number that an argument is where types are converted, none if it is no such; 0 if it is missing.
fn weak_number(call: &mut Call<'_>, index: usize) -> PhpResult<Option<i64>> {
    if index >= call.count() {
        return Ok(Some(0));
    }
    let number = Type {
        mask: type_mask::LONG,
        classes: Vec::new(),
    };
    let value = weakly(call, index, &number)?;
    Ok(value.map(|value| vm_runtime::operators::to_long(call.vm, &value)))
}

/// An argument as a value of a scalar type, none if it cannot be one: the constructor looks for a form that its
/// arguments fit.
fn weakly(call: &mut Call<'_>, index: usize, scalar: &Type) -> PhpResult<Option<Value>> {
    let mut value = call.value(index);
    let strict = call.is_strict();
    if value.is_null() && !strict {
        let name = call.function().parameter_name(index as u32);
        call.vm.deprecated(format!(
            "DatePeriod::__construct(): Passing null to parameter #{} (${}) of type {scalar} is deprecated",
            index + 1,
            name.unwrap_or_default(),
        ));
        call.vm.check()?;
        value = match scalar.mask & type_mask::LONG {
            0 => call.vm.string("").into(),
            _ => 0i64.into(),
        };
    }
    let fits = coerce(
        call.vm,
        value.as_zval_mut(),
        scalar,
        strict,
        TypeContext::NONE,
    );
    call.vm.check()?;
    Ok(fits.then_some(value))
}

fn is_a(object: &ObjectHandle, lowercase: &[u8]) -> bool {
    let mut class: *const vm_runtime::class::Class = object.class;
    // SAFETY: I4: classes and their names live until the VM ends.
    unsafe {
        while let Some(known) = class.as_ref() {
            if (*known.lowercase).as_bytes() == lowercase {
                return true;
            }
            class = known.parent;
        }
    }
    false
}

fn wrong_arguments(call: &mut Call<'_>) -> vm_runtime::vm::Thrown {
    call.vm.throw_error(
        KnownClass::TypeError,
        "DatePeriod::__construct() accepts (DateTimeInterface, DateInterval, int [, int]), or (DateTimeInterface, DateInterval, DateTime [, int]), or (string [, int]) as arguments",
    )
}

fn create_from_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let (source, options) = (call.bytes(0), call.long(1));
    let object = new_object(call.vm, called_class(call))?;
    from_text(call, &object, source, options, b"datetimeimmutable")?;
    Ok(object.into())
}

/// `R5/2008-03-01T13:00:00Z/P1Y2M10DT2H30M`; the dates are of a class, whose name in lower case is given.
fn from_text(
    call: &mut Call<'_>,
    object: &ObjectHandle,
    source: &[u8],
    options: i64,
    class: &[u8],
) -> PhpResult<()> {
    const CLASS: &str = "DateMalformedPeriodStringException";
    let shown = vm_runtime::message::text(source).into_owned();
    let mut recurrences = None;
    let mut dates: Vec<Time> = Vec::new();
    let mut step: Option<Interval> = None;
    for part in source.split(|&byte| byte == b'/') {
        let read = match part {
            // Nothing between strokes is nothing wrong.
            [] if !source.is_empty() => continue,
            [b'R', count @ ..] => {
                // Nine digits of a number are read.
                let digits = &count[..count.len().min(9)];
                recurrences = match count.iter().all(u8::is_ascii_digit) {
                    true => std::str::from_utf8(digits)
                        .ok()
                        .and_then(|text| text.parse().ok()),
                    false => None,
                };
                recurrences.is_some()
            }
            [b'P', ..] => {
                step = Interval::parse(part);
                step.is_some()
            }
            _ => {
                let parsed = parse(call.vm, part);
                note_problems(call.vm, &parsed);
                let now = Time::now(default_zone(call.vm)?);
                let read = match parsed.errors.is_empty() && parsed.has_date {
                    true => parsed.resolve(&now, false),
                    false => None,
                };
                let found = read.is_some();
                dates.extend(read.map(|mut time| {
                    // `Z` is an offset here.
                    if matches!(time.zone, Zone::Abbreviation { .. }) {
                        time.zone = Zone::Offset(time.state.seconds);
                    }
                    time
                }));
                found
            }
        };
        if !read {
            let message = format!("Unknown or bad format ({shown})");
            return Err(exceptions::throw(call.vm, CLASS, &message));
        }
    }
    let mut dates = dates.into_iter();
    let (start, end) = (dates.next(), dates.next());
    let missing = match (&start, &step, &end, recurrences) {
        (None, ..) => Some("a start date"),
        (_, None, ..) => Some("an interval"),
        (_, _, None, None | Some(0)) => Some("an end date or a recurrence count"),
        _ => None,
    };
    if let Some(missing) = missing {
        let name = call.function().display_name();
        let message = format!("{name}(): ISO interval must contain {missing}, \"{shown}\" given");
        return Err(exceptions::throw(call.vm, CLASS, &message));
    }
    let (Some(start), Some(step)) = (start, step) else {
        return Ok(());
    };
    let class = call.vm.linked_class(class).unwrap_or(std::ptr::null_mut());
    let period = Period {
        start: with_time(call.vm, class, start)?,
        end: match end {
            Some(end) => Some(with_time(call.vm, class, end)?),
            None => None,
        },
        interval: interval::with_interval(call.vm, step)?,
        recurrences: recurrences.unwrap_or(0),
        options,
    };
    store(call, object, period)
}

/// A property's value, or the error that there is none.
fn member(vm: &mut Vm, object: &ObjectHandle, index: u32) -> PhpResult<Value> {
    let value = slot(object, index);
    if value.is_undef() {
        return Err(uninitialized(vm, object));
    }
    Ok(hold(value))
}

/// A copy of the object in a property.
fn copy_of(call: &mut Call<'_>, index: u32) -> PhpResult<Value> {
    let object = this(call);
    match member(call.vm, &object, index)?.object() {
        Some(value) => Ok(copy(call.vm, &value)?.into()),
        None => Ok(Value::NULL),
    }
}

fn flag(object: &ObjectHandle, index: u32) -> bool {
    vm_runtime::operators::to_bool(slot(object, index))
}

fn get_recurrences(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let all = hold(slot(&object, slots::RECURRENCES));
    if all.is_undef() {
        return Ok(Value::NULL);
    }
    let bounds = i64::from(flag(&object, slots::INCLUDE_START))
        + i64::from(flag(&object, slots::INCLUDE_END));
    let recurrences = vm_runtime::operators::to_long(call.vm, &all) - bounds;
    if recurrences == 0 {
        return Ok(Value::NULL);
    }
    Ok(recurrences.into())
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    member(call.vm, &object, slots::START)?;
    let mut table = call.vm.new_array();
    for (index, name) in MEMBERS.iter().enumerate() {
        let value = hold(slot(&object, index as u32));
        table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
    }
    super::add_members(call.vm, &object, &mut table, &MEMBERS);
    Ok(table.into())
}

/// Takes the state from serialised data; false if that isn't right.
fn restore(
    vm: &mut Vm,
    object: &ObjectHandle,
    data: &vm_runtime::array::PhpArray,
) -> PhpResult<bool> {
    use vm_runtime::value::ValueKind;
    let mut values = Vec::new();
    for name in MEMBERS {
        let Some(value) = data.get_bytes(name.as_bytes()) else {
            return Ok(false);
        };
        values.push(Value::share(value.deref()));
    }
    let has_start = values[slots::START as usize].object().is_some();
    let date_or_null = |value: &Value| match value.view() {
        ValueKind::Null => true,
        ValueKind::Object(object) => is_datetime(object),
        _ => false,
    };
    let step = values[slots::INTERVAL as usize].object();
    let right = has_start
        && values[..3].iter().all(date_or_null)
        && step.is_some_and(|step| is_a(&step, b"dateinterval"))
        && matches!(values[4].view(), ValueKind::Long(count) if (0..=i64::from(i32::MAX)).contains(&count))
        && values[5..]
            .iter()
            .all(|value| matches!(value.view(), ValueKind::Bool(_)));
    if !right {
        return Ok(false);
    }
    for (index, value) in values.into_iter().enumerate() {
        let value = match value.object() {
            Some(object) => copy(vm, &object)?.into(),
            None => value,
        };
        set_slot(object, index as u32, value);
    }
    Ok(true)
}

fn invalid(call: &mut Call<'_>) -> vm_runtime::vm::Thrown {
    call.vm.throw_error(
        KnownClass::Error,
        "Invalid serialization data for DatePeriod object",
    )
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, data) = (this(call), call.array(0));
    if !restore(call.vm, &object, &data)? {
        return Err(invalid(call));
    }
    super::other_members(call.vm, &object, &data, &MEMBERS)?;
    Ok(Value::NULL)
}

fn set_state(call: &mut Call<'_>) -> PhpResult<Value> {
    let data = call.array(0);
    let object = new_object(call.vm, called_class(call))?;
    if !restore(call.vm, &object, &data)? {
        return Err(invalid(call));
    }
    Ok(object.into())
}

fn get_iterator(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    if slot(&object, slots::START).is_undef() {
        let message = "Object of type DatePeriod has not been correctly initialized by calling parent::__construct() in its constructor";
        return Err(exceptions::throw(call.vm, "DateObjectError", message));
    }
    let iterator = Box::new(Dates {
        period: object.into(),
        index: 0,
    });
    Ok(internal_iterator(call.vm, iterator)?.into())
}

/// The points of time of a period, one after the other; the present one is a property of it.
struct Dates {
    period: Value,
    index: i64,
}

impl Dates {
    fn period(&self) -> ObjectHandle {
        self.period.object().expect("the period is an object")
    }

    fn advance(&mut self, vm: &mut Vm) -> PhpResult<()> {
        let step = member(vm, &self.period(), slots::INTERVAL)?;
        let Some(step) = step.object() else {
            return Ok(());
        };
        let step = interval::interval_of(vm, &step)?;
        if let Some(present) = progress(&self.period()) {
            // All of the step counts on what clocks show: after a day of 25 hours, 24 hours end at the same time.
            let before = present.clone();
            if !present.resolve(&step.step(), Some(before.state.is_dst)) {
                *present = before;
            }
        }
        Ok(())
    }

    /// The present date as an object: loops get one of a class of the extension, the property one of the
    /// class that the script gave.
    fn present(&self, vm: &mut Vm, is_for_loop: bool) -> PhpResult<Value> {
        let period = self.period();
        let start = member(vm, &period, slots::START)?;
        let (Some(present), Some(start)) = (progress(&period).clone(), start.object()) else {
            return Ok(Value::NULL);
        };
        let class = match is_for_loop {
            true => base_class(vm, &start),
            false => start.class,
        };
        Ok(with_time(vm, class, present)?.into())
    }
}

impl NativeIterator for Dates {
    fn current(&mut self, vm: &mut Vm) -> PhpResult<Value> {
        self.present(vm, true)
    }

    fn key(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        Ok(self.index.into())
    }

    fn next(&mut self, vm: &mut Vm) -> PhpResult<()> {
        self.index += 1;
        self.advance(vm)?;
        let present = self.present(vm, false)?;
        set_slot(&self.period(), slots::CURRENT, present);
        Ok(())
    }

    fn valid(&mut self, vm: &mut Vm) -> PhpResult<bool> {
        let present = progress(&self.period()).clone();
        let end = member(vm, &self.period(), slots::END)?.object();
        let Some(present) = present else {
            return Ok(false);
        };
        let Some(end) = end else {
            let count = member(vm, &self.period(), slots::RECURRENCES)?;
            return Ok(self.index < vm_runtime::operators::to_long(vm, &count));
        };
        let at = |time: &Time| (time.stamp, time.micro);
        let (present, end) = (at(&present), at(time(vm, &end)?));
        let includes_end = flag(&self.period(), slots::INCLUDE_END);
        Ok(present < end || (includes_end && present == end))
    }

    fn rewind(&mut self, vm: &mut Vm) -> PhpResult<()> {
        self.index = 0;
        let start = member(vm, &self.period(), slots::START)?;
        if let Some(start) = start.object() {
            let first = time(vm, &start)?.clone();
            *progress(&self.period()) = Some(first);
        }
        if !flag(&self.period(), slots::INCLUDE_START) {
            self.advance(vm)?;
        }
        Ok(())
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(self.period.as_zval());
    }
}
