//! Sunrise, sunset and twilights: `date_sun_info()` and its older relatives.
//!
//! The sun's place in the sky is Paul Schlyter's low-precision series, good to a minute or two, which is
//! what PHP computes with.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::calendar::days_from_date;
use super::settings::default_zone;
use super::time::Time;
use crate::support::{functions, new_list, text};

functions! {
    "date_sun_info(int $timestamp, float $latitude, float $longitude): array" => date_sun_info,
    "#[Deprecated(\"8.1\", \"use date_sun_info() instead\")] date_sunrise(int $timestamp, int $returnFormat = SUNFUNCS_RET_STRING, ?float $latitude = null, ?float $longitude = null, ?float $zenith = null, ?float $utcOffset = null): string|int|float|false" => date_sunrise,
    "#[Deprecated(\"8.1\", \"use date_sun_info() instead\")] date_sunset(int $timestamp, int $returnFormat = SUNFUNCS_RET_STRING, ?float $latitude = null, ?float $longitude = null, ?float $zenith = null, ?float $utcOffset = null): string|int|float|false" => date_sunset,
}

/// The forms of the older functions' results.
const AS_TIMESTAMP: i64 = 0;
const AS_STRING: i64 = 1;
const AS_DOUBLE: i64 = 2;

/// Refraction lifts the sun by so many degrees at the horizon.
const HORIZON: f64 = -35.0 / 60.0;

const DAY: i64 = 86_400;

fn sine(degrees: f64) -> f64 {
    degrees.to_radians().sin()
}

fn cosine(degrees: f64) -> f64 {
    degrees.to_radians().cos()
}

/// An angle from 0 to 360 degrees.
fn turn(angle: f64) -> f64 {
    angle - 360.0 * (angle / 360.0).floor()
}

/// An angle from -180 to 180 degrees.
fn half_turn(angle: f64) -> f64 {
    angle - 360.0 * (angle / 360.0 + 0.5).floor()
}

/// Where the sun is.
struct Sun {
    /// Right ascension and declination, in degrees.
    ascension: f64,
    declination: f64,
    /// In astronomical units.
    distance: f64,
}

impl Sun {
    /// So many days after the last midnight of 1999.
    fn at(days: f64) -> Sun {
        let anomaly = turn(356.0470 + 0.985_600_258_5 * days);
        let perihelion = 282.9404 + 4.709_35E-5 * days;
        let eccentricity = 0.016_709 - 1.151E-9 * days;
        let eccentric = anomaly
            + eccentricity.to_degrees() * sine(anomaly) * (1.0 + eccentricity * cosine(anomaly));
        let x = cosine(eccentric) - eccentricity;
        let y = (1.0 - eccentricity * eccentricity).sqrt() * sine(eccentric);
        let distance = x.hypot(y);
        let longitude = y.atan2(x).to_degrees() + perihelion;
        // From the ecliptic to the equator.
        let (x, y) = (distance * cosine(longitude), distance * sine(longitude));
        let obliquity = 23.4393 - 3.563E-7 * days;
        let (y, z) = (y * cosine(obliquity), y * sine(obliquity));
        Sun {
            ascension: y.atan2(x).to_degrees(),
            declination: z.atan2(x.hypot(y)).to_degrees(),
            distance,
        }
    }
}

/// What the sun does at a place on a day.
enum Course {
    /// It crosses an altitude upwards and downwards, at these hours UTC.
    Crosses(f64, f64),
    Below,
    Above,
}

/// The day of a time at a place.
struct Day {
    /// The midnight UTC of its date.
    midnight: i64,
    latitude: f64,
    /// Hours UTC at which the sun is in the south.
    south: f64,
    sun: Sun,
}

impl Day {
    fn of(time: &Time, latitude: f64, longitude: f64) -> Day {
        let midnight = days_from_date(time.year, time.month, time.day).saturating_mul(DAY);
        let days = midnight as f64 / DAY as f64 + 2_440_587.5 - 2_451_543.0 - longitude / 360.0;
        let sun = Sun::at(days);
        // Sidereal time at Greenwich at 0 h: the sun's mean longitude, turned by half.
        let sidereal = turn(180.0 + 356.0470 + 282.9404 + (0.985_600_258_5 + 4.709_35E-5) * days);
        let local = turn(sidereal + 180.0 + longitude);
        Day {
            midnight,
            latitude,
            south: 12.0 - half_turn(local - sun.ascension) / 15.0,
            sun,
        }
    }

    /// When the sun's centre, or its upper limb, crosses an altitude.
    fn course(&self, altitude: f64, upper_limb: bool) -> Course {
        let altitude = match upper_limb {
            true => altitude - 0.2666 / self.sun.distance,
            false => altitude,
        };
        let declination = self.sun.declination;
        let arc = (sine(altitude) - sine(self.latitude) * sine(declination))
            / (cosine(self.latitude) * cosine(declination));
        if arc >= 1.0 {
            return Course::Below;
        }
        if arc <= -1.0 {
            return Course::Above;
        }
        let hours = arc.acos().to_degrees() / 15.0;
        Course::Crosses(self.south - hours, self.south + hours)
    }

    fn stamp(&self, hours: f64) -> i64 {
        (hours * 3600.0 + self.midnight as f64) as i64
    }
}

fn date_sun_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let (stamp, latitude, longitude) = (call.long(0), call.double(1), call.double(2));
    for (index, value) in [(1, latitude), (2, longitude)] {
        if !value.is_finite() {
            return Err(call.value_error(index, "must be finite"));
        }
    }
    let zone = default_zone(call.vm)?;
    let day = Day::of(&Time::from_stamp(stamp, 0, zone), latitude, longitude);
    let mut result = new_list(call.vm, 9);
    let table = result.make_mut(call.vm);
    let mut put = |name: &str, value: Value| table.set_bytes(name.as_bytes(), value);
    let stages = [
        ("sunrise", "sunset", HORIZON, true),
        ("civil_twilight_begin", "civil_twilight_end", -6.0, false),
        (
            "nautical_twilight_begin",
            "nautical_twilight_end",
            -12.0,
            false,
        ),
        (
            "astronomical_twilight_begin",
            "astronomical_twilight_end",
            -18.0,
            false,
        ),
    ];
    for (begin, end, altitude, upper_limb) in stages {
        let (first, last) = match day.course(altitude, upper_limb) {
            Course::Crosses(up, down) => (day.stamp(up).into(), day.stamp(down).into()),
            Course::Below => (false.into(), false.into()),
            Course::Above => (true.into(), true.into()),
        };
        put(begin, first);
        put(end, last);
        if upper_limb {
            put("transit", day.stamp(day.south).into());
        }
    }
    Ok(result.into())
}

fn setting(vm: &Vm, name: &str) -> f64 {
    let value = vm.ini.get(name.as_bytes()).flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(value);
    text.trim().parse().unwrap_or(0.0)
}

fn date_sunrise(call: &mut Call<'_>) -> PhpResult<Value> {
    bound(call, "date.sunrise_zenith", true)
}

fn date_sunset(call: &mut Call<'_>) -> PhpResult<Value> {
    bound(call, "date.sunset_zenith", false)
}

/// When the sun rises or sets, in the form that is asked for.
fn bound(call: &mut Call<'_>, zenith: &str, rises: bool) -> PhpResult<Value> {
    let form = call.long(1);
    let given = |call: &Call<'_>, index: usize| call.has(index).then(|| call.double(index));
    let latitude = given(call, 2).unwrap_or_else(|| setting(call.vm, "date.default_latitude"));
    let longitude = given(call, 3).unwrap_or_else(|| setting(call.vm, "date.default_longitude"));
    let zenith = given(call, 4).unwrap_or_else(|| setting(call.vm, zenith));
    if !(AS_TIMESTAMP..=AS_DOUBLE).contains(&form) {
        return Err(call.value_error(
            1,
            "must be one of SUNFUNCS_RET_TIMESTAMP, SUNFUNCS_RET_STRING, or SUNFUNCS_RET_DOUBLE",
        ));
    }
    let zone = default_zone(call.vm)?;
    let time = Time::from_stamp(call.long(0), 0, zone);
    let offset = match given(call, 5) {
        Some(hours) => hours,
        // That of the zone when counting of seconds began, in whole hours.
        None => (time.zone.at(0).seconds / 3600) as f64,
    };
    let day = Day::of(&time, latitude, longitude);
    let Course::Crosses(up, down) = day.course(90.0 - zenith, true) else {
        return Ok(false.into());
    };
    let hours = if rises { up } else { down };
    if form == AS_TIMESTAMP {
        return Ok(day.stamp(hours).into());
    }
    let mut hours = hours + offset;
    if hours.is_nan() || hours.abs() >= i64::MAX as f64 {
        return Ok(false.into());
    }
    if !(0.0..=24.0).contains(&hours) {
        hours -= (hours / 24.0).floor() * 24.0;
    }
    if form == AS_DOUBLE {
        return Ok(hours.into());
    }
    let minutes = (hours.fract() * 60.0) as i64;
    debug_assert_eq!(form, AS_STRING);
    text(call.vm, format!("{:02}:{minutes:02}", hours as i64))
}
