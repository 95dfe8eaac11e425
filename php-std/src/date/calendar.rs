//! The proleptic Gregorian calendar: days since 1970, weekdays, ISO weeks.

/// Seconds of a day.
pub(super) const DAY: i64 = 86_400;

pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970 to the first of a month, as [`days_from_date`] counts them.
fn days_before_month(year: u32, month: u32) -> i64 {
    // 400 years more, so that the one before year 0 is none below it.
    let year = year + 400 - u32::from(month <= 2);
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    i64::from(era * 146_097 + day_of_era) - 719_468 - 146_097
}

/// Days since 1970-01-01. The month and the day may be out of range.
pub(crate) fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    if (1..=12).contains(&month) && (0..10_000).contains(&year) {
        return days_before_month(year as u32, month as u32).saturating_add(day.saturating_sub(1));
    }
    let month = month.saturating_sub(1);
    let year = year.saturating_add(month.div_euclid(12));
    let month = month.rem_euclid(12) + 1;
    // Years that start in March have their leap day at the end.
    let year = year.saturating_sub(i64::from(month <= 2));
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era.saturating_mul(146_097)
        .saturating_add(day_of_era - 719_468)
        .saturating_add(day.saturating_sub(1))
}

/// Seconds since 1970 at midnight of a date whose month and day are in range, wrapped around where
/// they are too many.
pub(super) fn wrapped_midnight(year: i64, month: i64, day: i64) -> i64 {
    let year = year.wrapping_sub(i64::from(month <= 2));
    let before = if year >= 0 {
        year
    } else {
        year.wrapping_sub(399)
    };
    let era = before / 400;
    let year_of_era = year.wrapping_sub(era.wrapping_mul(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era.wrapping_mul(146_097).wrapping_add(day_of_era - 719_468);
    days.wrapping_mul(DAY)
}

/// The date of a number of days since 1970-01-01.
pub(crate) fn date_from_days(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// 0 is Sunday.
pub(super) fn weekday(year: i64, month: i64, day: i64) -> i64 {
    days_from_date(year, month, day)
        .saturating_add(4)
        .rem_euclid(7)
}

/// 1 is Monday, 7 is Sunday.
pub(super) fn iso_weekday(year: i64, month: i64, day: i64) -> i64 {
    match weekday(year, month, day) {
        0 => 7,
        weekday => weekday,
    }
}

/// Day of the year, from 0.
pub(super) fn day_of_year(year: i64, month: i64, day: i64) -> i64 {
    days_from_date(year, month, day).saturating_sub(days_from_date(year, 1, 1))
}

/// ISO week and the year it belongs to.
pub(super) fn iso_week(year: i64, month: i64, day: i64) -> (i64, i64) {
    // A week belongs to the year of its Thursday.
    let thursday =
        days_from_date(year, month, day).saturating_add(4 - iso_weekday(year, month, day));
    let (iso_year, _, _) = date_from_days(thursday);
    let week = thursday.saturating_sub(days_from_date(iso_year, 1, 1)) / 7 + 1;
    (iso_year, week)
}

/// Days from January 1st to a day of an ISO week.
pub(super) fn days_from_iso_week(year: i64, week: i64, weekday: i64) -> i64 {
    let first = self::weekday(year, 1, 1);
    let offset = if first > 4 { 7 - first } else { -first };
    offset
        .saturating_add(week.saturating_sub(1).saturating_mul(7))
        .saturating_add(weekday)
}

pub(super) fn is_valid_date(year: i64, month: i64, day: i64) -> bool {
    (1..=12).contains(&month) && day >= 1 && day <= days_in_month(year, month)
}
