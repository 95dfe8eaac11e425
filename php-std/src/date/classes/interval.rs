//! DateInterval. Its parts are properties that scripts may change, so they are read each time.

use std::any::Any;

use vm_runtime::class::{NativeClass, NativeHandlers, method};
use vm_runtime::function::Call;
use vm_runtime::object::write::dynamic_table;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::convert::property_table;
use vm_runtime::operators::{to_bool, to_double, to_long};
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::moment::describe;
use super::{called_class, exceptions, is_function, other_members, subject, uninitialized};
use crate::date::interval::Interval;
use crate::date::parse::parse;
use crate::date::time::{MICROS, Relative};
use crate::spl::this;
use crate::support::{functions, text};

functions! {
    "date_interval_create_from_date_string(string $datetime): DateInterval|false" => create_from_date_string,
    "date_interval_format(DateInterval $object, string $format): string" => format,
}

/// The native part: what numbers do not hold of an interval that a text said. Two objects cannot
/// be ordered.
#[derive(Debug, Clone, Default)]
struct IntervalData {
    special: Option<Relative>,
    by_time: bool,
}

impl NativeData for IntervalData {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }

    fn compare(&self, vm: &mut Vm, _this: &PhpObject, other: &PhpObject) -> Option<i32> {
        other.native::<IntervalData>()?;
        vm.warning("Cannot compare DateInterval objects");
        Some(1)
    }
}

const HANDLERS: NativeHandlers = NativeHandlers {
    properties: Some(properties),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class DateInterval")
    .create_native(|_, _| Some(Box::<IntervalData>::default()))
    .handlers(&HANDLERS)
    .methods(&[
        method("public function __construct(string $duration)", construct),
        method(
            "tentative public static function createFromDateString(string $datetime): DateInterval",
            create_from_date_string,
        ),
        method(
            "tentative public function format(string $format): string",
            format,
        ),
        method("public function __serialize(): array", serialize),
        method(
            "public function __unserialize(array $data): void",
            unserialize,
        ),
        method("tentative public function __wakeup(): void", |_| {
            Ok(Value::NULL)
        }),
        method(
            "tentative public static function __set_state(array $array): DateInterval",
            set_state,
        ),
    ])];

/// Names of the properties in order.
const MEMBERS: &[&str] = &[
    "y",
    "m",
    "d",
    "h",
    "i",
    "s",
    "f",
    "invert",
    "days",
    "from_string",
];

/// All of them.
fn own_members() -> Vec<&'static str> {
    MEMBERS.iter().copied().chain(["date_string"]).collect()
}

fn set(vm: &mut Vm, object: &ObjectHandle, name: &'static str, value: Value) {
    let name = vm.names.string(name.as_bytes());
    // SAFETY: I3: the handle keeps the object alive; I4: names live until the VM ends.
    unsafe { dynamic_table(vm, object.as_ptr()).set_string(&*name, value) };
}

/// What serialisation, casts and `var_dump()` show.
fn properties(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let mut table = property_table(vm, object);
    if is_from_string(object) {
        let target = table.make_mut(vm);
        for name in MEMBERS.iter().filter(|&&name| name != "from_string") {
            let name = vm.string(name);
            target.remove_string(&name);
        }
    }
    Ok(table)
}

fn is_from_string(object: &PhpObject) -> bool {
    member(object, "from_string").is_some_and(|value| to_bool(&value))
}

/// Writes the parts to the properties.
fn store(vm: &mut Vm, object: &ObjectHandle, interval: &Interval) {
    for (name, value) in [
        ("y", interval.years),
        ("m", interval.months),
        ("d", interval.days),
        ("h", interval.hours),
        ("i", interval.minutes),
        ("s", interval.seconds),
    ] {
        set(vm, object, name, value.into());
    }
    let fraction = interval.micros as f64 / MICROS as f64;
    set(vm, object, "f", fraction.into());
    set(vm, object, "invert", i64::from(interval.invert).into());
    let days = interval.total_days.map_or(Value::from(false), Value::from);
    set(vm, object, "days", days);
    set(vm, object, "from_string", false.into());
    if let Some(marker) = object.native::<IntervalData>() {
        (marker.special, marker.by_time) = (interval.special, interval.by_time);
    }
}

/// Says that the interval is what a text means. Its parts can be read, but aren't shown.
fn store_text(vm: &mut Vm, object: &ObjectHandle, source: &[u8]) {
    let parsed = parse(vm, source);
    store(vm, object, &Interval::from_relative(&parsed.relative));
    set(vm, object, "from_string", true.into());
    let source = vm.string(source).into();
    set(vm, object, "date_string", source);
}

/// A DateInterval.
pub(super) fn with_interval(vm: &mut Vm, interval: &Interval) -> PhpResult<ObjectHandle> {
    let class = vm
        .linked_class(b"dateinterval")
        .unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    store(vm, &object, interval);
    Ok(object)
}

fn member(object: &PhpObject, name: &str) -> Option<Value> {
    // SAFETY: I3: the table lives as long as the object.
    let table = unsafe { object.dynamic.as_ref()? };
    Some(Value::share(table.get_bytes(name.as_bytes())?.deref()))
}

/// The interval that an object holds, or the error that it has none.
pub(super) fn interval_of(vm: &mut Vm, object: &PhpObject) -> PhpResult<Interval> {
    if member(object, "from_string").is_none() {
        return Err(uninitialized(vm, object));
    }
    if is_from_string(object) {
        let source = member(object, "date_string").unwrap_or_default();
        let parsed = parse(vm, source.as_bytes().unwrap_or_default());
        return Ok(Interval::from_relative(&parsed.relative));
    }
    let mut part = |name: &str| {
        let value = member(object, name).unwrap_or_default();
        to_long(vm, &value)
    };
    let mut interval = Interval {
        years: part("y"),
        months: part("m"),
        days: part("d"),
        hours: part("h"),
        minutes: part("i"),
        seconds: part("s"),
        invert: part("invert") != 0,
        ..Interval::default()
    };
    if let Some(marker) = object.native::<IntervalData>() {
        (interval.special, interval.by_time) = (marker.special, marker.by_time);
    }
    let fraction = member(object, "f").unwrap_or_default();
    interval.micros = (to_double(vm, &fraction) * MICROS as f64).round() as i64;
    let days = member(object, "days").unwrap_or_default();
    if !days.is_null() && days.as_zval().kind() != vm_runtime::value::FALSE {
        interval.total_days = Some(to_long(vm, &days));
    }
    Ok(interval)
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, source) = (this(call), call.bytes(0));
    let Some(interval) = Interval::parse(source) else {
        // Dates without a span are no error of the format.
        let mut dates = source
            .split(|&byte| byte == b'/')
            .filter(|part| !part.is_empty());
        let is_date = |part: &[u8]| part.len() == 20 && part.ends_with(b"Z") && part[10] == b'T';
        let problem = match source.contains(&b'/') && dates.all(is_date) {
            true => "Failed to parse interval",
            false => "Unknown or bad format",
        };
        let message = format!("{problem} ({})", String::from_utf8_lossy(source));
        let class = "DateMalformedIntervalStringException";
        return Err(exceptions::throw(call.vm, class, &message));
    };
    store(call.vm, &object, &interval);
    Ok(Value::NULL)
}

fn create_from_date_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let source = call.bytes(0);
    let parsed = parse(call.vm, source);
    let problem = match parsed.errors.first() {
        Some(_) => Some(format!(
            "Unknown or bad format {}",
            describe(source, &parsed)
        )),
        None if parsed.has_date || parsed.has_time || parsed.zone.is_some() => Some(format!(
            "String '{}' contains non-relative elements",
            String::from_utf8_lossy(source)
        )),
        None => None,
    };
    if let Some(problem) = problem {
        if !is_function(call) {
            let class = "DateMalformedIntervalStringException";
            return Err(exceptions::throw(call.vm, class, &problem));
        }
        call.vm.function_warning(&problem);
        call.vm.check()?;
        return Ok(false.into());
    }
    let class = call
        .vm
        .linked_class(b"dateinterval")
        .unwrap_or(std::ptr::null_mut());
    let object = new_object(call.vm, class)?;
    store_text(call.vm, &object, source);
    Ok(object.into())
}

fn format(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let interval = interval_of(call.vm, &object)?;
    text(call.vm, interval.format(call.bytes(first)))
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    if member(&object, "from_string").is_none() {
        return Err(uninitialized(call.vm, &object));
    }
    let shown: &[&str] = match is_from_string(&object) {
        true => &["from_string", "date_string"],
        false => MEMBERS,
    };
    let mut table = call.vm.new_array();
    for name in shown {
        if let Some(value) = member(&object, name) {
            table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
        }
    }
    super::add_members(call.vm, &object, &mut table, &own_members());
    Ok(table.into())
}

/// Takes the parts from serialised data.
fn restore(
    vm: &mut Vm,
    object: &ObjectHandle,
    data: &vm_runtime::array::PhpArray,
) -> PhpResult<()> {
    let element = |name: &str| {
        data.get_bytes(name.as_bytes())
            .map(|value| Value::share(value.deref()))
    };
    if element("from_string").is_some_and(|value| to_bool(&value)) {
        let source = element("date_string").unwrap_or_default();
        let source = source.as_bytes().unwrap_or_default().to_vec();
        let parsed = parse(vm, &source);
        if !parsed.errors.is_empty() {
            let problem = describe(&source, &parsed).replacen("): ", ") while unserializing: ", 1);
            let problem = format!("Unknown or bad format {problem}");
            return Err(vm.throw_error(vm_runtime::exceptions::KnownClass::Error, problem));
        }
        store_text(vm, object, &source);
        return Ok(());
    }
    let mut number = |name: &str| match element(name) {
        Some(value) => to_long(vm, &value),
        None => 0,
    };
    let mut interval = Interval {
        years: number("y"),
        months: number("m"),
        days: number("d"),
        hours: number("h"),
        minutes: number("i"),
        seconds: number("s"),
        invert: number("invert") != 0,
        ..Interval::default()
    };
    if let Some(fraction) = element("f") {
        let fraction = to_double(vm, &fraction);
        interval.micros = (fraction * MICROS as f64).round() as i64;
    }
    if let Some(days) = element("days")
        && days.as_zval().kind() != vm_runtime::value::FALSE
        && !days.is_null()
    {
        interval.total_days = Some(to_long(vm, &days));
    }
    store(vm, object, &interval);
    Ok(())
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, data) = (this(call), call.array(0));
    restore(call.vm, &object, &data)?;
    other_members(call.vm, &object, &data, &own_members())?;
    Ok(Value::NULL)
}

fn set_state(call: &mut Call<'_>) -> PhpResult<Value> {
    let data = call.array(0);
    let object = new_object(call.vm, called_class(call))?;
    restore(call.vm, &object, &data)?;
    Ok(object.into())
}
