//! DateInterval. Its parts look like properties, but are read and written by code. The table of
//! properties gets copies of them when somebody looks at it as a whole, a loop for example.

use std::any::Any;

use smallvec::{SmallVec, smallvec};
use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::class::{Class, NativeClass, NativeHandlers, PropertyHandlers, method};
use vm_runtime::function::Call;
use vm_runtime::object::read::Question;
use vm_runtime::object::write::{dynamic_table, dynamic_table_for};
use vm_runtime::object::{NativeData, PhpObject, new_object, new_object_with};
use vm_runtime::operators::convert::property_table;
use vm_runtime::operators::{to_bool, to_double, to_long};
use vm_runtime::string::PhpString;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::moment::describe;
use super::{called_class, exceptions, is_function, other_members, subject, uninitialized};
use crate::date::interval::Interval;
use crate::date::parse::parse;
use crate::date::time::MICROS;
use crate::spl::this;
use crate::support::{functions, text};

functions! {
    "date_interval_create_from_date_string(string $datetime): DateInterval|false" => create_from_date_string,
    "date_interval_format(DateInterval $object, string $format): string" => format,
}

/// The native part. Two objects cannot be ordered.
#[derive(Debug, Clone, Default)]
struct IntervalData {
    /// None until a constructor ran.
    interval: Option<Interval>,
    /// The text that said what it is, if one did. It is shown instead of the parts.
    text: Option<Vec<u8>>,
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
    fill_table: Some(show),
    properties_by_code: Some(&PropertyHandlers {
        read: |_, object, name, _| Ok(part_of(object, name)),
        write,
        has,
        unset: |_, _, _| Ok(false),
    }),
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

/// Names of the parts in order.
const PARTS: &[&str] = &["y", "m", "d", "h", "i", "s", "f", "invert", "days"];

/// Properties with their values.
type Parts = SmallVec<[(&'static str, Value); MOST]>;

/// So many properties are shown at most.
const MOST: usize = PARTS.len() + 1;

/// Names of all properties.
fn own_members() -> Vec<&'static str> {
    let others = ["from_string", "date_string"];
    PARTS.iter().copied().chain(others).collect()
}

/// What casts, loops and `var_dump()` show.
fn properties(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { ObjectHandle::share_raw(object) };
    show(vm, &object);
    Ok(property_table(vm, &object))
}

/// A table of the properties that are shown of an interval, to be copied, and the class.
#[derive(Default)]
struct Known {
    table: Option<ArrayHandle>,
    class: Option<*mut Class>,
}

/// The table that an interval without one gets, with the values of these properties.
fn new_table(vm: &mut Vm, parts: Parts) -> ArrayHandle {
    let known = vm.extensions.state::<Known>().table.clone();
    let template = known.unwrap_or_else(|| {
        let mut table = PhpArray::keyed(&mut vm.heap, MOST);
        for (name, _) in &parts {
            let name = vm.static_name(name);
            table
                .make_mut(vm)
                .set_new(KeyRef::String(name), Value::NULL);
        }
        vm.extensions.state::<Known>().table = Some(table.clone());
        table
    });
    let mut table = template.duplicate(&mut vm.heap);
    let own = table.make_mut(vm);
    for (position, (_, value)) in parts.into_iter().enumerate() {
        // SAFETY: I5: the template has an entry for each, which holds null.
        unsafe { (*own.value_slot(position as u32)).set(value.into_zval()) };
    }
    table
}

/// Puts the parts into the table of properties.
fn show(vm: &mut Vm, object: &ObjectHandle) {
    let parts = shown(vm, object);
    if object.dynamic.is_null() && parts.len() == MOST {
        let table = new_table(vm, parts);
        // SAFETY: I3: the object is live, and has no table.
        unsafe { (*object.as_ptr()).dynamic = table.into_raw() };
        return;
    }
    // SAFETY: I3: the handle keeps the object alive.
    let table = unsafe { dynamic_table_for(vm, object.as_ptr(), MOST) };
    let is_new = table.is_empty();
    for (name, value) in parts {
        let name = vm.static_name(name);
        match is_new {
            true => table.set_new(KeyRef::String(name), value),
            false => table.set_string(name, value),
        }
    }
}

/// All that there is to an interval, or the text that it was made of.
fn shown(vm: &mut Vm, object: &ObjectHandle) -> Parts {
    let Some(data) = object.native::<IntervalData>() else {
        return SmallVec::new();
    };
    let Some(interval) = &data.interval else {
        return SmallVec::new();
    };
    if let Some(text) = &data.text {
        let text = vm.string(text).into();
        return smallvec![("from_string", true.into()), ("date_string", text)];
    }
    smallvec![
        ("y", interval.years.into()),
        ("m", interval.months.into()),
        ("d", interval.days.into()),
        ("h", interval.hours.into()),
        ("i", interval.minutes.into()),
        ("s", interval.seconds.into()),
        ("f", seconds_of(interval)),
        ("invert", interval.invert.into()),
        ("days", days_of(interval)),
        ("from_string", false.into()),
    ]
}

/// The microseconds as a fraction of a second.
fn seconds_of(interval: &Interval) -> Value {
    (interval.micros as f64 / MICROS as f64).into()
}

/// All days, if the interval lies between two dates.
fn days_of(interval: &Interval) -> Value {
    interval.total_days.map_or(Value::from(false), Value::from)
}

/// The value of a part.
fn part(interval: &Interval, name: &[u8]) -> Option<Value> {
    Some(match name {
        b"y" => interval.years.into(),
        b"m" => interval.months.into(),
        b"d" => interval.days.into(),
        b"h" => interval.hours.into(),
        b"i" => interval.minutes.into(),
        b"s" => interval.seconds.into(),
        b"f" => seconds_of(interval),
        b"invert" => interval.invert.into(),
        b"days" => days_of(interval),
        _ => return None,
    })
}

fn part_of(object: &ObjectHandle, name: &PhpString) -> Option<Value> {
    let data = object.native::<IntervalData>()?;
    part(data.interval.as_ref()?, name.as_bytes())
}

fn has(
    _: &mut Vm,
    object: &ObjectHandle,
    name: &PhpString,
    question: Question,
) -> PhpResult<Option<bool>> {
    let value = part_of(object, name);
    Ok(value.map(|value| question != Question::NotEmpty || to_bool(&value)))
}

/// Writes a part, which stays a number; that of the days between two dates cannot be written.
fn write(vm: &mut Vm, object: &ObjectHandle, name: &PhpString, value: &Value) -> PhpResult<bool> {
    let name = name.as_bytes();
    if !PARTS.iter().any(|part| part.as_bytes() == name) || name == b"days" {
        return Ok(false);
    }
    // Conversions may run user code.
    let micros = match name {
        b"f" => {
            vm_runtime::operators::convert::double_to_long(to_double(vm, value) * MICROS as f64)
        }
        _ => 0,
    };
    let number = match name {
        b"f" => 0,
        _ => to_long(vm, value),
    };
    let data = object.native::<IntervalData>();
    let Some(interval) = data.and_then(|data| data.interval.as_mut()) else {
        return Ok(false);
    };
    match name {
        b"y" => interval.years = number,
        b"m" => interval.months = number,
        b"d" => interval.days = number,
        b"h" => interval.hours = number,
        b"i" => interval.minutes = number,
        b"s" => interval.seconds = number,
        b"f" => interval.micros = micros,
        _ => interval.invert = number,
    }
    if !object.dynamic.is_null() {
        show(vm, object);
    }
    Ok(true)
}

fn store(object: &ObjectHandle, interval: Interval) {
    if let Some(data) = object.native::<IntervalData>() {
        (data.interval, data.text) = (Some(interval), None);
    }
}

/// Says that the interval is what a text means. Its parts can be read, but aren't shown.
fn store_text(vm: &mut Vm, object: &ObjectHandle, source: &[u8]) {
    let parsed = parse(vm, source);
    if let Some(data) = object.native::<IntervalData>() {
        data.interval = Some(Interval::from_relative(&parsed.relative));
        data.text = Some(source.to_vec());
    }
    // What it was before is gone.
    let table = property_table(vm, object);
    for name in PARTS
        .iter()
        .filter(|name| table.get_bytes(name.as_bytes()).is_some())
    {
        let name = vm.names.string(name.as_bytes());
        // SAFETY: I3: the handle keeps the object alive; I4: names live until the VM ends.
        unsafe { dynamic_table(vm, object.as_ptr()).remove_string(&*name) };
    }
    show(vm, object);
}

/// A DateInterval.
pub(super) fn with_interval(vm: &mut Vm, interval: Interval) -> PhpResult<ObjectHandle> {
    let class = match vm.extensions.state::<Known>().class {
        Some(class) => class,
        None => {
            let class = vm.linked_class(b"dateinterval");
            vm.extensions.state::<Known>().class = class;
            class.unwrap_or(std::ptr::null_mut())
        }
    };
    let data = IntervalData {
        interval: Some(interval),
        text: None,
    };
    new_object_with(vm, class, |_| Some(Box::new(data)))
}

/// The interval that an object holds, or the error that it has none.
pub(super) fn interval_of(vm: &mut Vm, object: &PhpObject) -> PhpResult<Interval> {
    let data = object.native::<IntervalData>();
    match data.and_then(|data| data.interval.clone()) {
        Some(interval) => Ok(interval),
        None => Err(uninitialized(vm, object)),
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, source) = (this(call), call.bytes(0));
    let problem = match Interval::from_iso(source) {
        Ok(interval) => {
            store(&object, interval);
            return Ok(Value::NULL);
        }
        Err(problem) => problem,
    };
    let message = format!("{problem} ({})", vm_runtime::message::text(source));
    let class = "DateMalformedIntervalStringException";
    Err(exceptions::throw(call.vm, class, &message))
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
            vm_runtime::message::text(source)
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
    interval_of(call.vm, &object)?;
    let mut table = call.vm.new_array();
    for (name, value) in shown(call.vm, &object) {
        table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
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
    if let Some(source) = element("date_string")
        && let ValueKind::String(source) = source.view()
    {
        let parsed = parse(vm, source);
        if !parsed.errors.is_empty() {
            let problem = describe(source, &parsed).replacen("): ", ") while unserializing: ", 1);
            let problem = format!("Unknown or bad format {problem}");
            return Err(vm.throw_error(vm_runtime::exceptions::KnownClass::Error, problem));
        }
        store_text(vm, object, source);
        return Ok(());
    }
    // What is missing, or no number, is -1.
    let mut number = |name: &str, otherwise: i64| match element(name) {
        Some(value) if !matches!(value.view(), ValueKind::Array(_) | ValueKind::Object(_)) => {
            to_long(vm, &value)
        }
        _ => otherwise,
    };
    let mut interval = Interval {
        years: number("y", -1),
        months: number("m", -1),
        days: number("d", -1),
        hours: number("h", -1),
        minutes: number("i", -1),
        seconds: number("s", -1),
        invert: number("invert", 0),
        total_days: Some(number("days", -1)),
        ..Interval::default()
    };
    if let Some(fraction) = element("f") {
        let fraction = to_double(vm, &fraction);
        interval.micros = (fraction * MICROS as f64).round() as i64;
    }
    if element("days").is_some_and(|days| days.as_zval().kind() == vm_runtime::value::FALSE) {
        interval.total_days = None;
    }
    store(object, interval);
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
