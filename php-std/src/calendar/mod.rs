//! The extension `calendar`: dates of several calendars as numbers of days.

mod convert;
mod hebrew;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use self::convert::{
    Date, easter, from_french, from_gregorian, from_jewish, from_julian, is_jewish_leap, to_french,
    to_gregorian, to_jewish, to_julian,
};
use crate::date::{MONTHS, WEEKDAYS};
use crate::support::{define, functions, text};

functions! {
    "cal_days_in_month(int $calendar, int $month, int $year): int" => cal_days_in_month,
    "cal_from_jd(int $julian_day, int $calendar): array" => cal_from_jd,
    "cal_info(int $calendar = -1): array" => cal_info,
    "cal_to_jd(int $calendar, int $month, int $day, int $year): int" => cal_to_jd,
    "easter_date(?int $year = null, int $mode = CAL_EASTER_DEFAULT): int" => easter_date,
    "easter_days(?int $year = null, int $mode = CAL_EASTER_DEFAULT): int" => easter_days,
    "frenchtojd(int $month, int $day, int $year): int" => frenchtojd,
    "gregoriantojd(int $month, int $day, int $year): int" => gregoriantojd,
    "jddayofweek(int $julian_day, int $mode = CAL_DOW_DAYNO): string|int" => jddayofweek,
    "jdmonthname(int $julian_day, int $mode): string" => jdmonthname,
    "jdtofrench(int $julian_day): string" => jdtofrench,
    "jdtogregorian(int $julian_day): string" => jdtogregorian,
    "jdtojewish(int $julian_day, bool $hebrew = false, int $flags = 0): string" => jdtojewish,
    "jdtojulian(int $julian_day): string" => jdtojulian,
    "jdtounix(int $julian_day): int" => jdtounix,
    "jewishtojd(int $month, int $day, int $year): int" => jewishtojd,
    "juliantojd(int $month, int $day, int $year): int" => juliantojd,
    "unixtojd(?int $timestamp = null): int|false" => unixtojd,
}

/// A calendar.
struct Calendar {
    name: &'static str,
    symbol: &'static str,
    longest_month: i64,
    months: &'static [&'static str],
    short_months: &'static [&'static str],
    to_jd: fn(Date) -> i64,
    from_jd: fn(i64) -> Date,
}

const SHORT_MONTHS: &[&str] = &[
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
/// Months of a leap year.
const JEWISH_MONTHS: &[&str] = &[
    "Tishri", "Heshvan", "Kislev", "Tevet", "Shevat", "Adar I", "Adar II", "Nisan", "Iyyar",
    "Sivan", "Tammuz", "Av", "Elul",
];
const FRENCH_MONTHS: &[&str] = &[
    "Vendemiaire",
    "Brumaire",
    "Frimaire",
    "Nivose",
    "Pluviose",
    "Ventose",
    "Germinal",
    "Floreal",
    "Prairial",
    "Messidor",
    "Thermidor",
    "Fructidor",
    "Extra",
];

/// The calendars by their numbers.
static CALENDARS: [Calendar; 4] = [
    Calendar {
        name: "Gregorian",
        symbol: "CAL_GREGORIAN",
        longest_month: 31,
        months: &MONTHS,
        short_months: SHORT_MONTHS,
        to_jd: from_gregorian,
        from_jd: to_gregorian,
    },
    Calendar {
        name: "Julian",
        symbol: "CAL_JULIAN",
        longest_month: 31,
        months: &MONTHS,
        short_months: SHORT_MONTHS,
        to_jd: from_julian,
        from_jd: to_julian,
    },
    Calendar {
        name: "Jewish",
        symbol: "CAL_JEWISH",
        longest_month: 30,
        months: JEWISH_MONTHS,
        short_months: JEWISH_MONTHS,
        to_jd: from_jewish,
        from_jd: to_jewish,
    },
    Calendar {
        name: "French",
        symbol: "CAL_FRENCH",
        longest_month: 30,
        months: FRENCH_MONTHS,
        short_months: FRENCH_MONTHS,
        to_jd: from_french,
        from_jd: to_french,
    },
];
const JEWISH: i64 = 2;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    define(
        vm,
        &[
            ("CAL_GREGORIAN", 0),
            ("CAL_JULIAN", 1),
            ("CAL_JEWISH", JEWISH),
            ("CAL_FRENCH", 3),
            ("CAL_NUM_CALS", 4),
            ("CAL_DOW_DAYNO", 0),
            ("CAL_DOW_SHORT", 2),
            ("CAL_DOW_LONG", 1),
            ("CAL_MONTH_GREGORIAN_SHORT", 0),
            ("CAL_MONTH_GREGORIAN_LONG", 1),
            ("CAL_MONTH_JULIAN_SHORT", 2),
            ("CAL_MONTH_JULIAN_LONG", 3),
            ("CAL_MONTH_JEWISH", 4),
            ("CAL_MONTH_FRENCH", 5),
            ("CAL_EASTER_DEFAULT", 0),
            ("CAL_EASTER_ROMAN", EASTER_ROMAN),
            ("CAL_EASTER_ALWAYS_GREGORIAN", EASTER_ALWAYS_GREGORIAN),
            ("CAL_EASTER_ALWAYS_JULIAN", EASTER_ALWAYS_JULIAN),
            ("CAL_JEWISH_ADD_ALAFIM_GERESH", 2),
            ("CAL_JEWISH_ADD_ALAFIM", 4),
            ("CAL_JEWISH_ADD_GERESHAYIM", 8),
        ],
    );
}

const EASTER_ROMAN: i64 = 1;
const EASTER_ALWAYS_GREGORIAN: i64 = 2;
const EASTER_ALWAYS_JULIAN: i64 = 3;

/// The calendar that an argument names.
fn calendar(call: &mut Call<'_>, index: usize) -> PhpResult<&'static Calendar> {
    let number = usize::try_from(call.long(index)).ok();
    match number.and_then(|number| CALENDARS.get(number)) {
        Some(calendar) => Ok(calendar),
        None => Err(call.value_error(index, "must be a valid calendar ID")),
    }
}

/// The months that are taken for one; the calendar may have fewer.
const MONTH_NUMBERS: std::ops::RangeInclusive<i64> = 1..=2_147_483_646;
const LAST_YEAR_NUMBER: i64 = 2_147_483_646;

fn fail(vm: &mut Vm, message: &str) -> Thrown {
    vm.throw_error(KnownClass::ValueError, message)
}

fn cal_days_in_month(call: &mut Call<'_>) -> PhpResult<Value> {
    let calendar = calendar(call, 0)?;
    let (month, year) = (call.long(1), call.long(2));
    if !MONTH_NUMBERS.contains(&month) {
        return Err(call.value_error(1, "must be between 1 and 2147483646"));
    }
    if year > LAST_YEAR_NUMBER {
        return Err(call.value_error(2, "must be less than 2147483646"));
    }
    let first = (calendar.to_jd)((year, month, 1));
    if first == 0 {
        return Err(fail(call.vm, "Invalid date"));
    }
    let mut next = (calendar.to_jd)((year, month + 1, 1));
    if next == 0 {
        // The next year; there is none with the number 0.
        let year = if year == -1 { 1 } else { year + 1 };
        next = (calendar.to_jd)((year, 1, 1));
        if next == 0 {
            // The end of the French calendar.
            next = 2_380_953;
        }
    }
    Ok((next - first).into())
}

fn cal_to_jd(call: &mut Call<'_>) -> PhpResult<Value> {
    let calendar = calendar(call, 0)?;
    let (month, day, year) = (call.long(1), call.long(2), call.long(3));
    if !MONTH_NUMBERS.contains(&month) {
        return Err(call.value_error(1, "must be between 1 and 2147483646"));
    }
    if i32::try_from(day).is_err() {
        return Err(call.value_error(2, "must be between -2147483648 and 2147483647"));
    }
    if year > LAST_YEAR_NUMBER {
        return Err(call.value_error(3, "must be less than 2147483646"));
    }
    Ok((calendar.to_jd)((year, month, day)).into())
}

fn weekday(jd: i64) -> usize {
    ((jd.rem_euclid(7) + 1) % 7) as usize
}

fn shown((year, month, day): Date) -> String {
    format!("{month}/{day}/{year}")
}

/// The name of a month; Adar has no number in common years.
fn month_name(names: &[&'static str], (year, month, _): Date) -> &'static str {
    if names.len() == JEWISH_MONTHS.len()
        && names[0] == "Tishri"
        && month == 7
        && !is_jewish_leap(year)
    {
        return "Adar";
    }
    usize::try_from(month - 1)
        .ok()
        .and_then(|place| names.get(place).copied())
        .unwrap_or("")
}

fn set(vm: &mut Vm, table: &mut ArrayHandle, name: &str, value: &str) {
    let value = vm.string(value).into();
    table.make_mut(vm).set_bytes(name.as_bytes(), value);
}

fn cal_from_jd(call: &mut Call<'_>) -> PhpResult<Value> {
    let calendar = calendar(call, 1)?;
    let jd = call.long(0);
    let date = (calendar.from_jd)(jd);
    let mut table = call.vm.new_array();
    set(call.vm, &mut table, "date", &shown(date));
    for (name, value) in [("month", date.1), ("day", date.2), ("year", date.0)] {
        table
            .make_mut(call.vm)
            .set_bytes(name.as_bytes(), value.into());
    }
    let is_unknown_jewish = calendar.symbol == "CAL_JEWISH" && date.0 <= 0;
    let day = weekday(jd);
    let (number, name) = if is_unknown_jewish {
        (Value::NULL, "")
    } else {
        (Value::from(day), WEEKDAYS[day])
    };
    table.make_mut(call.vm).set_bytes(b"dow", number);
    set(
        call.vm,
        &mut table,
        "abbrevdayname",
        &name[..name.len().min(3)],
    );
    set(call.vm, &mut table, "dayname", name);
    set(
        call.vm,
        &mut table,
        "abbrevmonth",
        month_name(calendar.short_months, date),
    );
    set(
        call.vm,
        &mut table,
        "monthname",
        month_name(calendar.months, date),
    );
    Ok(table.into())
}

/// What is known of a calendar.
fn info(vm: &mut Vm, calendar: &Calendar) -> Value {
    let mut table = vm.new_array();
    for (name, months) in [
        ("months", calendar.months),
        ("abbrevmonths", calendar.short_months),
    ] {
        let mut list = vm.new_array();
        for (index, month) in months.iter().enumerate() {
            let month = vm.string(month).into();
            list.make_mut(vm).set_long(index as i64 + 1, month);
        }
        table.make_mut(vm).set_bytes(name.as_bytes(), list.into());
    }
    table
        .make_mut(vm)
        .set_bytes(b"maxdaysinmonth", calendar.longest_month.into());
    set(vm, &mut table, "calname", calendar.name);
    set(vm, &mut table, "calsymbol", calendar.symbol);
    table.into()
}

fn cal_info(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.long(0) == -1 {
        let mut table = call.vm.new_array();
        for (number, calendar) in CALENDARS.iter().enumerate() {
            let info = info(call.vm, calendar);
            table.make_mut(call.vm).set_long(number as i64, info);
        }
        return Ok(table.into());
    }
    let calendar = calendar(call, 0)?;
    Ok(info(call.vm, calendar))
}

/// The year in an argument, or the present one.
fn year(call: &mut Call<'_>) -> i64 {
    call.optional_long(0).unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let days = now.map_or(0, |now| now.as_secs() as i64 / 86400);
        to_gregorian(days + UNIX_EPOCH).0
    })
}

/// True if Easter of a year is that of the Julian calendar.
fn is_julian(year: i64, mode: i64) -> bool {
    (year <= 1582 && mode != EASTER_ALWAYS_GREGORIAN)
        || (year <= 1752 && mode != EASTER_ROMAN && mode != EASTER_ALWAYS_GREGORIAN)
        || mode == EASTER_ALWAYS_JULIAN
}

/// The last year whose Easter PHP computes without an overflow.
const LAST_EASTER: i64 = 7_378_697_629_483_820_644;

fn check_easter_year(call: &mut Call<'_>, year: i64) -> PhpResult<()> {
    if (1..=LAST_EASTER).contains(&year) {
        return Ok(());
    }
    let problem = format!("must be between 1 and {LAST_EASTER}");
    Err(call.value_error(0, &problem))
}

fn easter_days(call: &mut Call<'_>) -> PhpResult<Value> {
    let (year, mode) = (year(call), call.long(1));
    check_easter_year(call, year)?;
    Ok(easter(year, is_julian(year, mode)).into())
}

fn easter_date(call: &mut Call<'_>) -> PhpResult<Value> {
    let (year, mode) = (year(call), call.long(1));
    check_easter_year(call, year)?;
    if year < 1970 {
        return Err(call.value_error(0, "must be a year after 1970 (inclusive)"));
    }
    if year > 2_000_000_000 {
        return Err(call.value_error(0, "must be a year before 2.000.000.000 (inclusive)"));
    }
    let day = 21 + easter(year, is_julian(year, mode));
    Ok(system_midnight(year, 2, day).into())
}

/// When a day begins in the time zone of the system, whatever that of the script is; months count from 0, and days may be
/// more than a month has.
fn system_midnight(year: i64, month: i32, day: i64) -> i64 {
    // SAFETY: plain numbers and a pointer that may be null; the structure is ours alone.
    unsafe {
        let mut fields: libc::tm = std::mem::zeroed();
        fields.tm_year = (year - 1900) as i32;
        fields.tm_mon = month;
        fields.tm_mday = day as i32;
        fields.tm_isdst = -1;
        libc::mktime(&mut fields)
    }
}

/// The date of the arguments month, day, year, of which 32 bits count.
fn date(call: &Call<'_>) -> Date {
    let number = |index| call.long(index) as i32 as i64;
    (number(2), number(0), number(1))
}

fn frenchtojd(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(from_french(date(call)).into())
}

fn gregoriantojd(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(from_gregorian(date(call)).into())
}

fn jewishtojd(call: &mut Call<'_>) -> PhpResult<Value> {
    if i32::try_from(call.long(2)).is_err() {
        return Err(call.value_error(2, "must be between -2147483648 and 2147483647"));
    }
    Ok(from_jewish(date(call)).into())
}

fn juliantojd(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(from_julian(date(call)).into())
}

fn jdtofrench(call: &mut Call<'_>) -> PhpResult<Value> {
    let date = to_french(call.long(0));
    text(call.vm, shown(date))
}

fn jdtogregorian(call: &mut Call<'_>) -> PhpResult<Value> {
    let date = to_gregorian(call.long(0));
    text(call.vm, shown(date))
}

fn jdtojulian(call: &mut Call<'_>) -> PhpResult<Value> {
    let date = to_julian(call.long(0));
    text(call.vm, shown(date))
}

fn jdtojewish(call: &mut Call<'_>) -> PhpResult<Value> {
    let date = to_jewish(call.long(0));
    if !call.bool(1) {
        return text(call.vm, shown(date));
    }
    if !(1..=9999).contains(&date.0) {
        return Err(fail(call.vm, "Year out of range (0-9999)"));
    }
    text(call.vm, hebrew::shown(date, call.long(2)))
}

fn jddayofweek(call: &mut Call<'_>) -> PhpResult<Value> {
    let day = weekday(call.long(0));
    match call.long(1) {
        1 => text(call.vm, WEEKDAYS[day]),
        2 => text(call.vm, &WEEKDAYS[day][..3]),
        _ => Ok(day.into()),
    }
}

fn jdmonthname(call: &mut Call<'_>) -> PhpResult<Value> {
    let jd = call.long(0);
    let name = match call.long(1) {
        1 => month_name(&MONTHS, to_gregorian(jd)),
        2 => month_name(SHORT_MONTHS, to_julian(jd)),
        3 => month_name(&MONTHS, to_julian(jd)),
        4 => month_name(JEWISH_MONTHS, to_jewish(jd)),
        5 => month_name(FRENCH_MONTHS, to_french(jd)),
        _ => month_name(SHORT_MONTHS, to_gregorian(jd)),
    };
    text(call.vm, name)
}

/// The day of January 1, 1970.
const UNIX_EPOCH: i64 = 2_440_588;
/// The last day whose seconds can be counted.
const LAST_DAY: i64 = 106_751_993_607_888;

fn jdtounix(call: &mut Call<'_>) -> PhpResult<Value> {
    let jd = call.long(0);
    if !(UNIX_EPOCH..=LAST_DAY).contains(&jd) {
        let message = format!("jday must be between {UNIX_EPOCH} and {LAST_DAY}");
        return Err(fail(call.vm, &message));
    }
    Ok(((jd - UNIX_EPOCH) * 86400).into())
}

fn unixtojd(call: &mut Call<'_>) -> PhpResult<Value> {
    let arguments = match call.optional_long(0) {
        Some(timestamp) if timestamp < 0 => {
            return Err(call.value_error(0, "must be greater than or equal to 0"));
        }
        Some(timestamp) => vec![call.vm.string("Y-n-j").into(), timestamp.into()],
        None => vec![call.vm.string("Y-n-j").into()],
    };
    // The day is that of the time zone that is set.
    let shown = crate::support::call_native(call.vm, "date", arguments)?;
    let shown = shown
        .string()
        .map_or(String::new(), |shown| shown.to_text().into_owned());
    let mut parts = shown.split('-').map(|part| part.parse().unwrap_or(0i64));
    let mut part = || parts.next().unwrap_or(0);
    Ok(from_gregorian((part(), part(), part())).into())
}
