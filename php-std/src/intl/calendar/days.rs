//! Days counted from 1970 as dates, whose months begin with 0.

/// 1 is Sunday.
pub(super) fn weekday(day: i64) -> i64 {
    (day + 4).rem_euclid(7) + 1
}

pub(super) fn is_leap(year: i64, is_julian: bool) -> bool {
    year % 4 == 0 && (is_julian || year % 100 != 0 || year % 400 == 0)
}

pub(super) fn of_gregorian(year: i64, month: i64, date: i64) -> i64 {
    crate::date::days_from_date(year, month + 1, date)
}

pub(super) fn gregorian(day: i64) -> (i64, i64, i64) {
    let (year, month, date) = crate::date::date_from_days(day);
    (year, month - 1, date)
}

/// The day of the first of March in a year, as Julius counted.
fn of_julian_march(year: i64) -> i64 {
    // The first of March of the year 0 was Gregory's 28th of February.
    365 * year + year.div_euclid(4) - 719_470
}

pub(super) fn of_julian(year: i64, month: i64, date: i64) -> i64 {
    // Months are counted from March on, so that leap days come last.
    let shifted = (month + 10) % 12;
    let year = if month < 2 { year - 1 } else { year };
    of_julian_march(year) + (153 * shifted + 2) / 5 + date - 1
}

pub(super) fn julian(day: i64) -> (i64, i64, i64) {
    let since = day + 719_470;
    let year = (4 * since + 3).div_euclid(1461);
    let in_year = day - of_julian_march(year);
    let shifted = (5 * in_year + 2) / 153;
    let date = in_year - (153 * shifted + 2) / 5 + 1;
    let month = (shifted + 2) % 12;
    (if month < 2 { year + 1 } else { year }, month, date)
}
