//! Between day numbers and dates: Gregorian, Julian, Jewish, and of the French Republic.

/// A date: year, month, day. Years before the first are negative; there is no year 0.
pub(super) type Date = (i64, i64, i64);

/// The last year whose days PHP counts: 4,800 more are still an `int`.
const LAST_YEAR: i64 = i32::MAX as i64 - 4800;

/// No date at all.
pub(super) const NONE: Date = (0, 0, 0);

/// The last days that PHP gives dates of.
const LAST_GREGORIAN: i64 = 784_351_632_389;
const LAST_JULIAN: i64 = 784_368_370_349;

/// Years counted with a year 0.
fn astronomical(year: i64) -> i64 {
    if year < 0 { year + 1 } else { year }
}

fn historical(year: i64) -> i64 {
    if year <= 0 { year - 1 } else { year }
}

/// Days from March on, and the year that begins with March.
fn from_march(year: i64, month: i64, day: i64) -> (i64, i64) {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    (year, (153 * month + 2) / 5 + day)
}

/// Month and day of a day counted from March on, and what is added to the year.
fn to_month(day: i64) -> (i64, i64, i64) {
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    if month < 10 {
        (0, month + 3, day)
    } else {
        (1, month - 9, day)
    }
}

fn is_plausible(month: i64, day: i64) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// The day of a Gregorian date; 0 for none.
pub(super) fn from_gregorian((year, month, day): Date) -> i64 {
    let is_early = year == -4714 && (month, day) < (11, 25);
    let is_outside = !(-4714..=LAST_YEAR).contains(&year);
    if year == 0 || is_outside || is_early || !is_plausible(month, day) {
        return 0;
    }
    let (year, days) = from_march(astronomical(year) + 4800, month, day);
    days + 365 * year + year / 4 - year / 100 + year / 400 - 32045
}

/// The Gregorian date of a day.
pub(super) fn to_gregorian(jd: i64) -> Date {
    if !(1..=LAST_GREGORIAN).contains(&jd) {
        return NONE;
    }
    let day = jd + 32044;
    let century = (4 * day + 3) / 146_097;
    let day = day - 146_097 * century / 4;
    let year = (4 * day + 3) / 1461;
    let (more, month, day) = to_month(day - 1461 * year / 4);
    (historical(100 * century + year - 4800 + more), month, day)
}

/// The day of a Julian date; 0 for none.
pub(super) fn from_julian((year, month, day): Date) -> i64 {
    if year == 0 || !(-4713..=LAST_YEAR).contains(&year) || !is_plausible(month, day) {
        return 0;
    }
    let (year, days) = from_march(astronomical(year) + 4800, month, day);
    (days + 365 * year + year / 4 - 32083).max(0)
}

/// The Julian date of a day.
pub(super) fn to_julian(jd: i64) -> Date {
    if !(1..=LAST_JULIAN).contains(&jd) {
        return NONE;
    }
    let day = jd + 32082;
    let year = (4 * day + 3) / 1461;
    let (more, month, day) = to_month(day - 1461 * year / 4);
    (historical(year - 4800 + more), month, day)
}

/// The day before the French Republic's first, less a leap year.
const FRENCH_OFFSET: i64 = 2_375_474;
/// The first and the last day of its calendar.
const FRENCH_DAYS: std::ops::RangeInclusive<i64> = 2_375_840..=2_380_952;

/// The day of a date of the French Republic; 0 for none.
pub(super) fn from_french((year, month, day): Date) -> i64 {
    let is_date = (1..=14).contains(&year) && (1..=13).contains(&month) && (1..=30).contains(&day);
    if !is_date {
        return 0;
    }
    year * 1461 / 4 + 30 * (month - 1) + day + FRENCH_OFFSET
}

/// The date of the French Republic of a day.
pub(super) fn to_french(jd: i64) -> Date {
    if !FRENCH_DAYS.contains(&jd) {
        return NONE;
    }
    let quarters = (jd - FRENCH_OFFSET) * 4 - 1;
    let day = quarters % 1461 / 4;
    (quarters / 1461, day / 30 + 1, day % 30 + 1)
}

/// The first day of the Jewish calendar.
const JEWISH_EPOCH: i64 = 347_998;
/// The last day that is converted.
const JEWISH_END: i64 = 324_542_846;

/// Days from the epoch to a year, by the mean moon and the rule of the week.
fn elapsed(year: i64) -> i64 {
    let months = (235 * year - 234).div_euclid(19);
    let parts = 12084 + 13753 * months;
    let day = 29 * months + parts.div_euclid(25920);
    if (3 * (day + 1)).rem_euclid(7) < 3 {
        day + 1
    } else {
        day
    }
}

/// The first day of a Jewish year.
fn new_year(year: i64) -> i64 {
    let (before, now, after) = (elapsed(year - 1), elapsed(year), elapsed(year + 1));
    // Years are never too long or too short.
    let correction = if after - now == 356 {
        2
    } else if now - before == 382 {
        1
    } else {
        0
    };
    JEWISH_EPOCH + now - elapsed(1) + correction
}

/// The lengths of the months of a Jewish year; Adar I has none in common years.
fn jewish_months(year: i64) -> [i64; 13] {
    let length = new_year(year + 1) - new_year(year);
    let heshvan = if length % 10 == 5 { 30 } else { 29 };
    let kislev = if length % 10 == 3 { 29 } else { 30 };
    let first_adar = if length > 380 { 30 } else { 0 };
    [
        30, heshvan, kislev, 29, 30, first_adar, 29, 30, 29, 30, 29, 30, 29,
    ]
}

/// The day of a Jewish date; 0 for none.
pub(super) fn from_jewish((year, month, day): Date) -> i64 {
    let is_date =
        (1..=999_999).contains(&year) && (1..=13).contains(&month) && (1..=30).contains(&day);
    if !is_date {
        return 0;
    }
    let before: i64 = jewish_months(year)[..month as usize - 1].iter().sum();
    new_year(year) + before + day - 1
}

/// The Jewish date of a day.
pub(super) fn to_jewish(jd: i64) -> Date {
    if !(JEWISH_EPOCH..=JEWISH_END).contains(&jd) {
        return NONE;
    }
    let mut year = (jd - JEWISH_EPOCH) * 98_496 / 35_975_351 + 1;
    while new_year(year + 1) <= jd {
        year += 1;
    }
    while new_year(year) > jd {
        year -= 1;
    }
    let mut day = jd - new_year(year);
    for (index, length) in jewish_months(year).into_iter().enumerate() {
        if day < length {
            return (year, index as i64 + 1, day + 1);
        }
        day -= length;
    }
    NONE
}

/// True if a Jewish year has a second Adar.
pub(super) fn is_jewish_leap(year: i64) -> bool {
    (7 * year + 1).rem_euclid(19) < 7
}

/// How many days after March 21 Easter is; by the Julian calendar or the Gregorian one.
pub(super) fn easter(year: i64, is_julian: bool) -> i64 {
    let golden = year % 19 + 1;
    let (moon, sunday) = if is_julian {
        (
            (3 - 11 * golden - 7).rem_euclid(30),
            (year + year / 4 + 5).rem_euclid(7),
        )
    } else {
        let solar = (year - 1600) / 100 - (year - 1600) / 400;
        let lunar = (year - 1400) / 100 * 8 / 25;
        (
            (3 - 11 * golden + solar - lunar).rem_euclid(30),
            (year + year / 4 - year / 100 + year / 400).rem_euclid(7),
        )
    };
    let mut moon = moon;
    if moon == 29 || moon == 28 && golden > 11 {
        moon -= 1;
    }
    let weekday = (4 - moon - sunday).rem_euclid(7);
    moon + weekday + 1
}
