//! Names of zones: which there are, which is meant, and where they are.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::{IcuZone, UNKNOWN, id_argument};
use crate::intl::errors::{self, ILLEGAL_ARGUMENT};
use crate::intl::iterator;
use crate::intl::pack::{Node, root};
use crate::support::text;

/// All names, in their order, and the regions of each.
fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let list = |name| root().find(&["zoneinfo64", name]);
    let (names, regions) = (list("Names"), list("Regions"));
    let count = names.map_or(0, Node::len);
    (0..count).filter_map(move |index| {
        let name = names?.at(index)?.text()?;
        let region = regions
            .and_then(|regions| regions.at(index)?.text())
            .unwrap_or("001");
        Some((name, region))
    })
}

pub(super) fn is_known(id: &str) -> bool {
    let Some(names) = root().find(&["zoneinfo64", "Names"]) else {
        return false;
    };
    // They stand in the order of their bytes.
    let (mut low, mut high) = (0, names.len());
    while low < high {
        let middle = (low + high) / 2;
        let name = names.at(middle).and_then(Node::text).unwrap_or_default();
        match name.cmp(id) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}

/// What names of three letters stand for that only ICU and Java have.
pub(super) fn old_name(id: &str) -> &str {
    const NAMES: &[(&str, &str)] = &[
        ("ACT", "Australia/Darwin"),
        ("AET", "Australia/Sydney"),
        ("AGT", "America/Argentina/Buenos_Aires"),
        ("ART", "Africa/Cairo"),
        ("AST", "America/Anchorage"),
        ("BET", "America/Sao_Paulo"),
        ("BST", "Asia/Dhaka"),
        ("CAT", "Africa/Harare"),
        ("CNT", "America/St_Johns"),
        ("CST", "America/Chicago"),
        ("CTT", "Asia/Shanghai"),
        ("EAT", "Africa/Addis_Ababa"),
        ("ECT", "Europe/Paris"),
        ("IET", "America/Indianapolis"),
        ("IST", "Asia/Calcutta"),
        ("JST", "Asia/Tokyo"),
        ("MIT", "Pacific/Apia"),
        ("NET", "Asia/Yerevan"),
        ("NST", "Pacific/Auckland"),
        ("PLT", "Asia/Karachi"),
        ("PNT", "America/Phoenix"),
        ("PRT", "America/Puerto_Rico"),
        ("PST", "America/Los_Angeles"),
        ("SST", "Pacific/Guadalcanal"),
        ("VST", "Asia/Saigon"),
    ];
    NAMES
        .iter()
        .find(|(old, _)| *old == id)
        .map_or(id, |(_, name)| name)
}

/// The name that is used of all those that a zone has.
pub(super) fn canonical(id: &str) -> Option<String> {
    let id = old_name(id);
    let key = id.replace('/', ":");
    let types = root().get("timezoneTypes")?;
    if types.find(&["typeMap", "timezone", &key]).is_some() {
        return Some(id.to_owned());
    }
    let alias = types
        .find(&["typeAlias", "timezone", &key])
        .and_then(Node::text);
    alias
        .map(str::to_owned)
        .or_else(|| is_known(id).then(|| id.to_owned()))
}

/// The short name of a zone that BCP 47 has.
pub(in crate::intl) fn short_id(id: &str) -> String {
    let key = canonical(id).unwrap_or_default().replace('/', ":");
    let short = root()
        .find(&["timezoneTypes", "typeMap", "timezone", &key])
        .and_then(Node::text);
    short
        .filter(|short| !short.is_empty())
        .unwrap_or("unk")
        .to_owned()
}

/// A zone that is only an offset, by the name that ICU gives it, in milliseconds: `GMT-03:30`.
pub(super) fn custom(id: &str) -> Option<(String, i64)> {
    let rest = id
        .get(..3)
        .filter(|start| start.eq_ignore_ascii_case("GMT"))
        .map(|_| &id[3..])?;
    let (negative, rest) = match rest.as_bytes().first()? {
        b'-' => (true, &rest[1..]),
        b'+' => (false, &rest[1..]),
        _ => return None,
    };
    let parts: Vec<&str> = rest.split(':').collect();
    if parts
        .iter()
        .any(|part| part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return None;
    }
    let number = |text: &str| text.parse::<i64>().ok();
    let (hours, minutes, seconds) = match parts.as_slice() {
        [all] => {
            let number = number(all)?;
            match all.len() {
                1 | 2 => (number, 0, 0),
                3 | 4 => (number / 100, number % 100, 0),
                5 | 6 => (number / 10_000, number / 100 % 100, number % 100),
                _ => return None,
            }
        }
        [hours, minutes] if hours.len() <= 2 && minutes.len() == 2 => {
            (number(hours)?, number(minutes)?, 0)
        }
        [hours, minutes, seconds]
            if hours.len() <= 2 && minutes.len() == 2 && seconds.len() == 2 =>
        {
            (number(hours)?, number(minutes)?, number(seconds)?)
        }
        _ => return None,
    };
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let offset = (hours * 3600 + minutes * 60 + seconds) * 1000;
    if offset == 0 {
        return Some(("GMT".to_owned(), 0));
    }
    let mut name = format!(
        "GMT{}{hours:02}:{minutes:02}",
        if negative { '-' } else { '+' }
    );
    if seconds > 0 {
        name.push_str(&format!(":{seconds:02}"));
    }
    Some((name, if negative { -offset } else { offset }))
}

/// The region that a zone is in.
pub(super) fn region_of(id: &str) -> Option<&'static str> {
    if let Some((_, region)) = names().find(|(name, _)| *name == id) {
        return Some(region);
    }
    None
}

/// True if no other zone is in a region.
pub(super) fn is_alone_in(region: &str, id: &str) -> bool {
    let in_region = names()
        .filter(|(_, place)| *place == region)
        .map(|(name, _)| name);
    let mut others =
        in_region.filter(|name| *name != id && canonical(name).as_deref() == Some(name));
    others.next().is_none()
}

pub(super) fn get_canonical(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(id) = id_argument(call, 0)? else {
        return Ok(false.into());
    };
    let system = canonical(&id);
    let is_system = system.is_some();
    let found = system.or_else(|| custom(&id).map(|(id, _)| id));
    let Some(found) = found else {
        return errors::failed(
            call.vm,
            ILLEGAL_ARGUMENT,
            "error obtaining canonical ID",
            false.into(),
        );
    };
    call.assign(1, is_system.into());
    call.vm.check()?;
    text(call.vm, found)
}

pub(super) fn get_iana(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(id) = id_argument(call, 0)? else {
        return Ok(false.into());
    };
    let Some(found) = canonical(&id) else {
        return errors::failed(
            call.vm,
            ILLEGAL_ARGUMENT,
            "error obtaining IANA ID",
            false.into(),
        );
    };
    let key = found.replace('/', ":");
    let iana = root()
        .find(&["timezoneTypes", "ianaMap", "timezone", &key])
        .and_then(Node::text);
    text(call.vm, iana.unwrap_or(&found))
}

pub(super) fn get_region(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(id) = id_argument(call, 0)? else {
        return Ok(false.into());
    };
    match region_of(&id) {
        Some(region) => text(call.vm, region),
        None => errors::failed(
            call.vm,
            ILLEGAL_ARGUMENT,
            "error obtaining region",
            false.into(),
        ),
    }
}

/// All names of a zone.
fn equivalents(id: &str) -> Vec<&'static str> {
    let Some(wanted) = canonical(id).filter(|_| is_known(id)) else {
        return Vec::new();
    };
    let same = names()
        .map(|(name, _)| name)
        .filter(|name| canonical(name).as_deref() == Some(&wanted));
    let same: Vec<_> = same.collect();
    if same.len() > 1 { same } else { Vec::new() }
}

pub(super) fn count_equivalent(call: &mut Call<'_>) -> PhpResult<Value> {
    match id_argument(call, 0)? {
        Some(id) => Ok((equivalents(&id).len() as i64).into()),
        None => Ok(false.into()),
    }
}

pub(super) fn get_equivalent(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(id) = id_argument(call, 0)? else {
        return Ok(false.into());
    };
    let index = usize::try_from(call.long(1)).ok();
    let found = index.and_then(|index| equivalents(&id).get(index).copied());
    text(call.vm, found.unwrap_or_default())
}

const TYPE_ANY: i64 = 0;
const TYPE_CANONICAL: i64 = 1;
const TYPE_CANONICAL_LOCATION: i64 = 2;

/// The names of a kind, of a region and with an offset in milliseconds, if those are said.
fn chosen(kind: i64, region: Option<&str>, offset: Option<i64>) -> Vec<String> {
    let is_chosen = |name: &str, place: &str| {
        let is_canonical = || canonical(name).as_deref() == Some(name);
        let fits = match kind {
            TYPE_CANONICAL => is_canonical() && name != UNKNOWN,
            TYPE_CANONICAL_LOCATION => is_canonical() && place != "001",
            _ => true,
        };
        fits && region.is_none_or(|region| region.eq_ignore_ascii_case(place))
            && offset.is_none_or(|offset| IcuZone::of(name).raw_offset() == offset)
    };
    let all = names().filter(|(name, place)| is_chosen(name, place));
    all.map(|(name, _)| name.to_owned()).collect()
}

pub(super) fn enumerate(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let value = call.value(0);
    let names = match value.view() {
        ValueKind::Null => chosen(TYPE_ANY, None, None),
        ValueKind::Long(offset) => chosen(TYPE_ANY, None, Some(offset)),
        ValueKind::Double(offset) => chosen(TYPE_ANY, None, Some(offset as i64)),
        ValueKind::String(bytes) => match std::str::from_utf8(bytes)
            .ok()
            .map(|text| (text, text.parse()))
        {
            Some((_, Ok(offset))) => chosen(TYPE_ANY, None, Some(offset)),
            Some((region, Err(_))) => chosen(TYPE_ANY, Some(region), None),
            None => Vec::new(),
        },
        _ => {
            return errors::failed(
                call.vm,
                ILLEGAL_ARGUMENT,
                "invalid argument type",
                false.into(),
            );
        }
    };
    iterator::over(call.vm, names)
}

pub(super) fn enumerate_kind(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let kind = call.long(0);
    if !(TYPE_ANY..=TYPE_CANONICAL_LOCATION).contains(&kind) {
        return errors::failed(call.vm, ILLEGAL_ARGUMENT, "bad zone type", false.into());
    }
    let region = call
        .optional_bytes(1)
        .map(|region| String::from_utf8_lossy(region).into_owned());
    let names = chosen(kind, region.as_deref(), call.optional_long(2));
    iterator::over(call.vm, names)
}

/// The zones of Windows, and which zones they are in which region.
fn windows() -> Option<Node> {
    root().find(&["windowsZones", "mapTimezones"])
}

pub(super) fn get_windows(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(id) = id_argument(call, 0)? else {
        return Ok(false.into());
    };
    let wanted = canonical(&id).unwrap_or(id);
    let zones = windows().into_iter().flat_map(Node::entries);
    for (name, regions) in zones {
        let names = regions.entries().filter_map(|(_, names)| names.text());
        if names
            .flat_map(|names| names.split(' '))
            .any(|name| name == wanted)
        {
            return text(call.vm, name);
        }
    }
    errors::failed(
        call.vm,
        ILLEGAL_ARGUMENT,
        "unknown system timezone",
        false.into(),
    )
}

pub(super) fn of_windows(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(name) = id_argument(call, 0)? else {
        return Ok(false.into());
    };
    let Some(zone) = windows().and_then(|zones| zones.get(&name)) else {
        return errors::failed(
            call.vm,
            ILLEGAL_ARGUMENT,
            "unknown windows timezone",
            false.into(),
        );
    };
    let region = call
        .optional_bytes(1)
        .map(|region| String::from_utf8_lossy(region).into_owned());
    let of = |region: &str| zone.get(region)?.text()?.split(' ').next();
    let found = region.as_deref().and_then(of).or_else(|| of("001"));
    text(call.vm, found.unwrap_or_default())
}
