//! DateTimeInterface, DateTime and DateTimeImmutable, and the functions about them.

use vm_runtime::class::{NativeClass, declare, direct_method, method};
use vm_runtime::function::{Call, NativeDefinition};
use vm_runtime::object::PhpObject;
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::moment::{
    HANDLERS, LastProblems, add_time, changing, create, create_immutable, describe, known_time,
    moment, note_problems, read, restore, time, with_time, zone_argument,
};
use super::{
    called_class, exceptions, interval, invalid_serialization, is_function, other_members, subject,
    zone,
};
use crate::date::calendar::days_from_iso_week;
use crate::date::format::format;
use crate::date::functions::add_problems;
use crate::date::interval::Interval;
use crate::date::parse::parse;
use crate::date::time::{MICROS, Relative, Time};
use crate::date::zone::Zone;
use crate::spl::this;
use crate::support::{direct, functions, text};

functions! {
    "date_create(string $datetime = \"now\", ?DateTimeZone $timezone = null): DateTime|false" => date_create,
    "date_create_immutable(string $datetime = \"now\", ?DateTimeZone $timezone = null): DateTimeImmutable|false" => date_create_immutable,
    "date_create_from_format(string $format, path $datetime, ?DateTimeZone $timezone = null): DateTime|false" => date_create_from_format,
    "date_create_immutable_from_format(string $format, path $datetime, ?DateTimeZone $timezone = null): DateTimeImmutable|false" => date_create_immutable_from_format,
    "date_get_last_errors(): array|false" => get_last_errors,
    "date_format(DateTimeInterface $object, string $format): string" => show,
    "date_modify(DateTime $object, string $modifier): DateTime|false" => modify,
    "date_add(DateTime $object, DateInterval $interval): DateTime" => add,
    "date_sub(DateTime $object, DateInterval $interval): DateTime" => sub,
    "date_timezone_get(DateTimeInterface $object): DateTimeZone|false" => get_timezone,
    "date_timezone_set(DateTime $object, DateTimeZone $timezone): DateTime" => set_timezone,
    "date_offset_get(DateTimeInterface $object): int" => get_offset,
    "date_diff(DateTimeInterface $baseObject, DateTimeInterface $targetObject, bool $absolute = false): DateInterval" => diff,
    "date_time_set(DateTime $object, int $hour, int $minute, int $second = 0, int $microsecond = 0): DateTime" => set_time,
    "date_date_set(DateTime $object, int $year, int $month, int $day): DateTime" => set_date,
    "date_isodate_set(DateTime $object, int $year, int $week, int $dayOfWeek = 1): DateTime" => set_iso_date,
    "date_timestamp_set(DateTime $object, int $timestamp): DateTime" => set_timestamp,
    "date_timestamp_get(DateTimeInterface $object): int" => get_timestamp,
}

/// Formats that have names.
pub(in crate::date) const FORMATS: &[&str] = &[
    "string ATOM = \"Y-m-d\\TH:i:sP\"",
    "string COOKIE = \"l, d-M-Y H:i:s T\"",
    "string ISO8601 = \"Y-m-d\\TH:i:sO\"",
    "string ISO8601_EXPANDED = \"X-m-d\\TH:i:sP\"",
    "string RFC822 = \"D, d M y H:i:s O\"",
    "string RFC850 = \"l, d-M-y H:i:s T\"",
    "string RFC1036 = \"D, d M y H:i:s O\"",
    "string RFC1123 = \"D, d M Y H:i:s O\"",
    "string RFC7231 = \"D, d M Y H:i:s \\G\\M\\T\"",
    "string RFC2822 = \"D, d M Y H:i:s O\"",
    "string RFC3339 = \"Y-m-d\\TH:i:sP\"",
    "string RFC3339_EXTENDED = \"Y-m-d\\TH:i:s.vP\"",
    "string RSS = \"D, d M Y H:i:s O\"",
    "string W3C = \"Y-m-d\\TH:i:sP\"",
];

static INTERFACE_METHODS: &[NativeDefinition] = &[
    declare("tentative public function format(string $format): string"),
    declare("tentative public function getTimezone(): DateTimeZone|false"),
    declare("tentative public function getOffset(): int"),
    declare("tentative public function getTimestamp(): int"),
    declare("public function getMicrosecond(): int"),
    declare(
        "tentative public function diff(DateTimeInterface $targetObject, bool $absolute = false): DateInterval",
    ),
    declare("tentative public function __wakeup(): void"),
    declare("public function __serialize(): array"),
    declare("public function __unserialize(array $data): void"),
];

/// A method of one of the two classes, which differ in what methods return and in their order.
macro_rules! row {
    (__construct $class:literal) => { method("public function __construct(string $datetime = \"now\", ?DateTimeZone $timezone = null)", construct) };
    (__serialize $class:literal) => { method("public function __serialize(): array", serialize) };
    (__unserialize $class:literal) => { method("public function __unserialize(array $data): void", unserialize) };
    (__wakeup $class:literal) => { method("tentative public function __wakeup(): void", wakeup) };
    (__set_state $class:literal) => { method(concat!("tentative public static function __set_state(array $array): ", $class), set_state) };
    (createFromInterface $class:literal) => { method(concat!("public static function createFromInterface(DateTimeInterface $object): ", $class), create_from_other) };
    (createFromFormat $class:literal) => { method(concat!("tentative public static function createFromFormat(string $format, path $datetime, ?DateTimeZone $timezone = null): ", $class, "|false"), create_from_format) };
    (createFromTimestamp $class:literal) => { method("tentative public static function createFromTimestamp(int|float $timestamp): static", create_from_timestamp) };
    (getLastErrors $class:literal) => { method("tentative public static function getLastErrors(): array|false", get_last_errors) };
    (format $class:literal) => { method("tentative public function format(string $format): string", show) };
    (getTimezone $class:literal) => { method("tentative public function getTimezone(): DateTimeZone|false", get_timezone) };
    (getOffset $class:literal) => { method("tentative public function getOffset(): int", get_offset) };
    (getTimestamp $class:literal) => { method("tentative public function getTimestamp(): int", get_timestamp) };
    (getMicrosecond $class:literal) => { method("public function getMicrosecond(): int", get_microsecond) };
    (diff $class:literal) => { direct_method( "tentative public function diff(DateTimeInterface $targetObject, bool $absolute = false): DateInterval", diff, diff_directly, ) };
    (modify $class:literal) => { method(concat!("tentative public function modify(string $modifier): ", $class), modify) };
    (add $class:literal) => { method(concat!("tentative public function add(DateInterval $interval): ", $class), add) };
    (sub $class:literal) => { method(concat!("tentative public function sub(DateInterval $interval): ", $class), sub) };
    (setTimezone $class:literal) => { method(concat!("tentative public function setTimezone(DateTimeZone $timezone): ", $class), set_timezone) };
    (setTime $class:literal) => { method(concat!("tentative public function setTime(int $hour, int $minute, int $second = 0, int $microsecond = 0): ", $class), set_time) };
    (setDate $class:literal) => { method(concat!("tentative public function setDate(int $year, int $month, int $day): ", $class), set_date) };
    (setISODate $class:literal) => { method(concat!("tentative public function setISODate(int $year, int $week, int $dayOfWeek = 1): ", $class), set_iso_date) };
    (setTimestamp $class:literal) => { method(concat!("tentative public function setTimestamp(int $timestamp): ", $class), set_timestamp) };
    (setMicrosecond $class:literal) => { method("public function setMicrosecond(int $microsecond): static", set_microsecond) };
    (createFromImmutable $class:literal) => { method("tentative public static function createFromImmutable(DateTimeImmutable $object): static", create_from_other) };
    (createFromMutable $class:literal) => { method("tentative public static function createFromMutable(DateTime $object): static", create_from_other) };
}

/// Methods of one of the two classes, in PHP's order.
macro_rules! rows {
    ($class:literal: $($name:ident)*) => { &[$(row!($name $class)),*] };
}

static METHODS: &[NativeDefinition] = rows!(
    "DateTime":
    __construct
    __serialize
    __unserialize
    __wakeup
    __set_state
    createFromImmutable
    createFromInterface
    createFromFormat
    createFromTimestamp
    getLastErrors
    format
    modify
    add
    sub
    getTimezone
    setTimezone
    getOffset
    getMicrosecond
    setTime
    setDate
    setISODate
    setTimestamp
    setMicrosecond
    getTimestamp
    diff
);

static IMMUTABLE_METHODS: &[NativeDefinition] = rows!(
    "DateTimeImmutable":
    __construct
    __serialize
    __unserialize
    __wakeup
    __set_state
    createFromFormat
    createFromTimestamp
    getLastErrors
    format
    getTimezone
    getOffset
    getTimestamp
    getMicrosecond
    diff
    modify
    add
    sub
    setTimezone
    setTime
    setDate
    setISODate
    setTimestamp
    setMicrosecond
    createFromMutable
    createFromInterface
);

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("interface DateTimeInterface")
        .constants(FORMATS)
        .methods(INTERFACE_METHODS),
    &NativeClass::new("class DateTime implements DateTimeInterface")
        .create_native(create)
        .handlers(&HANDLERS)
        .methods(METHODS),
    &NativeClass::new("class DateTimeImmutable implements DateTimeInterface")
        .create_native(create_immutable)
        .handlers(&HANDLERS)
        .methods(IMMUTABLE_METHODS),
];

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let zone = zone_argument(call, 1)?;
    let source = if call.has(0) { call.bytes(0) } else { b"now" };
    moment(&object).time = read(call.vm, source, None, zone, true)?;
    Ok(Value::NULL)
}

/// A new object of one of the two classes, or `false`.
fn make(call: &mut Call<'_>, class: &str, has_format: bool) -> PhpResult<Value> {
    let first = usize::from(has_format);
    let zone = zone_argument(call, first + 1)?;
    let source = if call.has(first) {
        call.bytes(first)
    } else {
        b"now"
    };
    let by = has_format.then(|| call.bytes(0));
    let Some(time) = read(call.vm, source, by, zone, false)? else {
        return Ok(false.into());
    };
    match call.vm.linked_class(class.as_bytes()) {
        Some(class) => Ok(with_time(call.vm, class, time)?.into()),
        None => Ok(false.into()),
    }
}

fn date_create(call: &mut Call<'_>) -> PhpResult<Value> {
    make(call, "datetime", false)
}

fn date_create_immutable(call: &mut Call<'_>) -> PhpResult<Value> {
    make(call, "datetimeimmutable", false)
}

fn date_create_from_format(call: &mut Call<'_>) -> PhpResult<Value> {
    check_null_bytes(call, 1)?;
    make(call, "datetime", true)
}

fn date_create_immutable_from_format(call: &mut Call<'_>) -> PhpResult<Value> {
    check_null_bytes(call, 1)?;
    make(call, "datetimeimmutable", true)
}

fn check_null_bytes(call: &mut Call<'_>, index: usize) -> PhpResult<()> {
    if call.bytes(index).contains(&0) {
        return Err(call.value_error(index, "must not contain any null bytes"));
    }
    Ok(())
}

fn create_from_format(call: &mut Call<'_>) -> PhpResult<Value> {
    check_null_bytes(call, 1)?;
    let zone = zone_argument(call, 2)?;
    let (by, source) = (call.bytes(0), call.bytes(1));
    match read(call.vm, source, Some(by), zone, false)? {
        Some(time) => Ok(with_time(call.vm, called_class(call), time)?.into()),
        None => Ok(false.into()),
    }
}

fn create_from_timestamp(call: &mut Call<'_>) -> PhpResult<Value> {
    let (stamp, micro) = match call.value(0).view() {
        ValueKind::Double(number) => {
            const LIMIT: f64 = 9_223_372_036_854_775_808.0;
            let stamp = number.floor();
            if !(-LIMIT..LIMIT).contains(&stamp) {
                let shown = call.value(0);
                // As C writes it.
                let shown = crate::support::string_of(call.vm, &shown)?
                    .to_text()
                    .replace('E', "e");
                let name = call.function().display_name();
                let message = format!(
                    "{name}(): Argument #1 ($timestamp) must be a finite number between {} and {}.999999, {shown} given",
                    i64::MIN,
                    i64::MAX
                );
                return Err(exceptions::throw(call.vm, "DateRangeError", &message));
            }
            let micro = ((number - stamp) * MICROS as f64).round() as i64;
            (stamp as i64 + micro / MICROS, micro % MICROS)
        }
        _ => (call.long(0), 0),
    };
    let time = Time::from_stamp(stamp, micro, Zone::Offset(0));
    Ok(with_time(call.vm, called_class(call), time)?.into())
}

fn create_from_other(call: &mut Call<'_>) -> PhpResult<Value> {
    let other = call.object(0);
    let time = time(call.vm, &other)?.clone();
    Ok(with_time(call.vm, called_class(call), time)?.into())
}

fn get_last_errors(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(parsed) = call.vm.extensions.state::<LastProblems>().0.clone() else {
        return Ok(false.into());
    };
    let mut table = call.vm.new_array();
    add_problems(call.vm, &mut table, &parsed);
    Ok(table.into())
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let time = time(call.vm, &object)?.clone();
    let mut table = call.vm.new_array();
    add_time(call.vm, &mut table, &time);
    super::add_members(call.vm, &object, &mut table, MEMBERS);
    Ok(table.into())
}

/// Members that are the object's state.
const MEMBERS: &[&str] = &["date", "timezone_type", "timezone"];

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, data) = (this(call), call.array(0));
    if !restore(call.vm, &object, &data) {
        return Err(invalid_serialization(call.vm, &object));
    }
    other_members(call.vm, &object, &data, MEMBERS)?;
    Ok(Value::NULL)
}

fn wakeup(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    // Once it is made no properties say what it is.
    if moment(&object).time.is_some() {
        return Err(invalid_serialization(call.vm, &object));
    }
    let table = vm_runtime::object::properties_of(call.vm, &object)?;
    match restore(call.vm, &object, &table) {
        true => Ok(Value::NULL),
        false => Err(invalid_serialization(call.vm, &object)),
    }
}

fn set_state(call: &mut Call<'_>) -> PhpResult<Value> {
    let data = call.array(0);
    let object = vm_runtime::object::new_object(call.vm, called_class(call))?;
    if !restore(call.vm, &object, &data) {
        return Err(invalid_serialization(call.vm, &object));
    }
    Ok(object.into())
}

fn show(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let shown = format(time(call.vm, &object)?, call.bytes(first));
    text(call.vm, shown)
}

fn get_timezone(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = subject(call);
    let zone = time(call.vm, &object)?.zone.clone();
    Ok(zone::with_zone(call.vm, zone)?.into())
}

fn get_offset(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = subject(call);
    Ok(time(call.vm, &object)?.state.seconds.into())
}

fn get_timestamp(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = subject(call);
    Ok(time(call.vm, &object)?.stamp.into())
}

fn get_microsecond(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = subject(call);
    Ok(time(call.vm, &object)?.micro.into())
}

direct! {
    fn diff_directly(vm, this; other: &PhpObject) {
        let found = Interval::between(known_time(this)?, known_time(other)?);
        interval::with_interval(vm, found).ok().map(Value::from)
    }
}

fn diff(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let (other, absolute) = (call.object(first), call.bool(first + 1));
    // A time may be told from itself: nothing here changes one.
    let one: &Time = time(call.vm, &object)?;
    let other: &Time = time(call.vm, &other)?;
    let mut found = Interval::between(one, other);
    if absolute {
        found.invert = 0;
    }
    Ok(interval::with_interval(call.vm, found)?.into())
}

fn modify(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let object = changing(call.vm, &object)?;
    let source = call.bytes(first);
    let parsed = parse(call.vm, source);
    note_problems(call.vm, &parsed);
    if !parsed.errors.is_empty() {
        let problem = format!("Failed to parse time string {}", describe(source, &parsed));
        if is_function(call) {
            call.vm.function_warning(&problem);
            call.vm.check()?;
            return Ok(false.into());
        }
        let name = call.function().display_name();
        let message = format!("{name}(): {problem}");
        let class = "DateMalformedStringException";
        return Err(exceptions::throw(call.vm, class, &message));
    }
    let time = time(call.vm, &object)?;
    let is_stamp = source.trim_ascii_start().starts_with(b"@");
    if is_stamp {
        // In UTC from now on.
        if let Some(stamp) = parsed.resolve(time, false) {
            *time = stamp;
        }
        return Ok(object.into());
    }
    time.year = parsed.year.unwrap_or(time.year);
    time.month = parsed.month.unwrap_or(time.month);
    time.day = parsed.day.unwrap_or(time.day);
    if let Some(hour) = parsed.hour {
        time.hour = hour;
        time.minute = parsed.minute.unwrap_or(0);
        time.second = parsed.second.unwrap_or(0);
    }
    time.micro = parsed.micro.unwrap_or(time.micro);
    resolve(call.vm, &object, &parsed.relative)?;
    Ok(object.into())
}

/// Computes the rest of a changed time.
fn resolve(vm: &mut Vm, object: &ObjectHandle, relative: &Relative) -> PhpResult<()> {
    let time = time(vm, object)?;
    let hint = Some(time.state.is_dst);
    if time.resolve(relative, hint) {
        return Ok(());
    }
    Err(crate::date::functions::out_of_range(vm))
}

fn add(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let object = changing(call.vm, &object)?;
    let interval = interval::interval_of(call.vm, &call.object(first))?;
    time(call.vm, &object)?.add(&interval, false);
    Ok(object.into())
}

fn sub(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let object = changing(call.vm, &object)?;
    let interval = interval::interval_of(call.vm, &call.object(first))?;
    if interval.is_special() {
        let problem = "Only non-special relative time specifications are supported for subtraction";
        if is_function(call) {
            call.vm.function_warning(problem);
            call.vm.check()?;
            return Ok(object.into());
        }
        let name = call.function().display_name();
        let message = format!("{name}(): {problem}");
        let class = "DateInvalidOperationException";
        return Err(exceptions::throw(call.vm, class, &message));
    }
    time(call.vm, &object)?.add(&interval, true);
    Ok(object.into())
}

fn set_timezone(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let zone = zone::zone_of(call.vm, &call.object(first))?;
    let object = changing(call.vm, &object)?;
    time(call.vm, &object)?.set_zone(zone);
    Ok(object.into())
}

fn set_time(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let object = changing(call.vm, &object)?;
    let time = time(call.vm, &object)?;
    time.hour = call.long(first);
    time.minute = call.long(first + 1);
    time.second = call.long(first + 2);
    time.micro = 0;
    let micros = Relative {
        micros: call.long(first + 3),
        ..Relative::default()
    };
    resolve(call.vm, &object, &micros)?;
    Ok(object.into())
}

fn set_date(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let object = changing(call.vm, &object)?;
    let date = (call.long(first), call.long(first + 1), call.long(first + 2));
    move_to_date(call.vm, &object, date)?;
    Ok(object.into())
}

fn set_iso_date(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let object = changing(call.vm, &object)?;
    let year = call.long(first);
    let days = days_from_iso_week(year, call.long(first + 1), call.long(first + 2));
    move_to_date(call.vm, &object, (year, 1, days.saturating_add(1)))?;
    Ok(object.into())
}

/// Sets the date and leaves the time of day as it is.
fn move_to_date(
    vm: &mut Vm,
    object: &ObjectHandle,
    (year, month, day): (i64, i64, i64),
) -> PhpResult<()> {
    let time = time(vm, object)?;
    let before = time.clone();
    (time.year, time.month, time.day) = (year, month, day);
    if !time.resolve(&Relative::default(), Some(before.state.is_dst)) {
        *time = before;
        time.wrap_to_date(year, month, day);
    }
    Ok(())
}

fn set_timestamp(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let object = changing(call.vm, &object)?;
    let time = time(call.vm, &object)?;
    *time = Time::from_stamp(call.long(first), 0, time.zone.clone());
    Ok(object.into())
}

fn set_microsecond(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let micro = call.long(first);
    if !(0..MICROS).contains(&micro) {
        let name = call.function().display_name();
        let message = format!(
            "{name}(): Argument #1 ($microsecond) must be between 0 and 999999, {micro} given"
        );
        return Err(exceptions::throw(call.vm, "DateRangeError", &message));
    }
    let object = changing(call.vm, &object)?;
    time(call.vm, &object)?.micro = micro;
    Ok(object.into())
}

/// Whether an object is a DateTimeInterface.
pub(super) fn is_datetime(object: &vm_runtime::object::PhpObject) -> bool {
    object.native::<super::moment::Moment>().is_some()
}
