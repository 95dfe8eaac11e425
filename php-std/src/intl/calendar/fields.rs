//! Times and their fields, as ICU's calendars compute one from the other.

use super::days;
use crate::intl::zone::IcuZone;

pub(in crate::intl) const ERA: usize = 0;
pub(in crate::intl) const YEAR: usize = 1;
pub(in crate::intl) const MONTH: usize = 2;
pub(in crate::intl) const WEEK_OF_YEAR: usize = 3;
pub(in crate::intl) const WEEK_OF_MONTH: usize = 4;
pub(in crate::intl) const DATE: usize = 5;
pub(in crate::intl) const DAY_OF_YEAR: usize = 6;
pub(in crate::intl) const DAY_OF_WEEK: usize = 7;
pub(in crate::intl) const DAY_OF_WEEK_IN_MONTH: usize = 8;
pub(in crate::intl) const AM_PM: usize = 9;
pub(in crate::intl) const HOUR: usize = 10;
pub(in crate::intl) const HOUR_OF_DAY: usize = 11;
pub(in crate::intl) const MINUTE: usize = 12;
pub(in crate::intl) const SECOND: usize = 13;
pub(in crate::intl) const MILLISECOND: usize = 14;
pub(in crate::intl) const ZONE_OFFSET: usize = 15;
pub(in crate::intl) const DST_OFFSET: usize = 16;
pub(in crate::intl) const YEAR_WOY: usize = 17;
pub(in crate::intl) const DOW_LOCAL: usize = 18;
pub(in crate::intl) const EXTENDED_YEAR: usize = 19;
pub(in crate::intl) const JULIAN_DAY: usize = 20;
pub(in crate::intl) const MILLISECONDS_IN_DAY: usize = 21;
pub(in crate::intl) const IS_LEAP_MONTH: usize = 22;
/// How many fields there are.
pub(in crate::intl) const COUNT: usize = 24;

/// Stamps: not set, computed, and from there on set by somebody, in that order.
const UNSET: u32 = 0;
const COMPUTED: u32 = 1;
const FIRST_STAMP: u32 = 2;

pub(in crate::intl) const DAY: f64 = 86_400_000.0;

/// What a clock shows that is set forward or back just then.
pub(super) const WALLTIME_LAST: i64 = 0;
pub(super) const WALLTIME_FIRST: i64 = 1;
pub(super) const WALLTIME_NEXT_VALID: i64 = 2;

/// When Gregory's calendar began, in milliseconds since 1970.
pub(super) const GREGORIAN_CHANGE: f64 = -12_219_292_800_000.0;

/// How years are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::intl) enum Kind {
    Gregorian,
    Iso8601,
    Buddhist,
    Minguo,
    Japanese,
}

/// The first days of the eras of Japan, from the 232nd on.
const JAPANESE_ERAS: &[(i64, (i64, i64, i64))] = &[
    (232, (1868, 9, 8)),
    (233, (1912, 7, 30)),
    (234, (1926, 12, 25)),
    (235, (1989, 1, 8)),
    (236, (2019, 5, 1)),
];

/// A time, and what a calendar says of it.
#[derive(Debug, Clone)]
pub(in crate::intl) struct Calendar {
    pub(in crate::intl) zone: IcuZone,
    pub(in crate::intl) kind: Kind,
    time: f64,
    is_time_set: bool,
    fields: [i64; COUNT],
    stamps: [u32; COUNT],
    are_fields_set: bool,
    next_stamp: u32,
    pub(super) first_day: i64,
    pub(super) least_days: i64,
    pub(in crate::intl) lenient: bool,
    pub(super) repeated: i64,
    pub(super) skipped: i64,
    pub(super) change: f64,
}

/// A field that is outside of what it may be.
#[derive(Debug, Clone, Copy)]
pub(in crate::intl) struct OutOfRange;

impl Calendar {
    pub(in crate::intl) fn new(
        zone: IcuZone,
        kind: Kind,
        first_day: i64,
        least_days: i64,
    ) -> Calendar {
        Calendar {
            zone,
            kind,
            time: 0.0,
            is_time_set: false,
            fields: [0; COUNT],
            stamps: [UNSET; COUNT],
            are_fields_set: false,
            next_stamp: FIRST_STAMP,
            first_day,
            least_days,
            lenient: true,
            repeated: WALLTIME_LAST,
            skipped: WALLTIME_LAST,
            change: if kind == Kind::Iso8601 {
                f64::NEG_INFINITY
            } else {
                GREGORIAN_CHANGE
            },
        }
    }

    pub(in crate::intl) fn set_time(&mut self, time: f64) {
        self.time = time
            .clamp(-184_303_902_528_000_000.0, 183_882_168_921_600_000.0)
            .floor();
        self.is_time_set = true;
        self.are_fields_set = false;
        self.stamps = [COMPUTED; COUNT];
        self.next_stamp = FIRST_STAMP;
    }

    pub(in crate::intl) fn time(&mut self) -> Result<f64, OutOfRange> {
        if !self.is_time_set {
            self.compute_time()?;
        }
        Ok(self.time)
    }

    pub(in crate::intl) fn get(&mut self, field: usize) -> Result<i64, OutOfRange> {
        self.complete()?;
        Ok(self.fields[field])
    }

    /// Computes what is not known yet.
    pub(super) fn complete(&mut self) -> Result<(), OutOfRange> {
        if !self.is_time_set {
            self.compute_time()?;
        }
        if !self.are_fields_set {
            self.compute_fields();
        }
        Ok(())
    }

    pub(in crate::intl) fn set(&mut self, field: usize, value: i64) {
        if self.is_time_set && !self.are_fields_set {
            self.compute_fields();
        }
        // ICU's fields have 32 bits: what is read from texts goes to their ends.
        self.fields[field] = value.clamp(i32::MIN.into(), i32::MAX.into());
        self.stamps[field] = self.next_stamp;
        self.next_stamp += 1;
        self.is_time_set = false;
        self.are_fields_set = false;
    }

    pub(in crate::intl) fn clear(&mut self) {
        self.fields = [0; COUNT];
        self.stamps = [UNSET; COUNT];
        self.is_time_set = false;
        self.are_fields_set = false;
    }

    pub(super) fn clear_field(&mut self, field: usize) {
        if self.is_time_set && !self.are_fields_set {
            self.compute_fields();
        }
        self.fields[field] = 0;
        self.stamps[field] = UNSET;
        self.is_time_set = false;
        self.are_fields_set = false;
    }

    pub(super) fn is_set(&self, field: usize) -> bool {
        self.stamps[field] != UNSET
    }

    /// The zone changes, the time does not.
    pub(in crate::intl) fn set_zone(&mut self, zone: IcuZone) {
        self.zone = zone;
        self.are_fields_set = false;
    }

    /// What weeks begin with changes, and with it the fields.
    pub(super) fn weeks_changed(&mut self) {
        if self.is_time_set {
            self.are_fields_set = false;
        }
    }

    pub(super) fn change_day(&self) -> i64 {
        (self.change / DAY).floor().clamp(-1e12, 1e12) as i64
    }

    pub(super) fn is_leap(&self, year: i64) -> bool {
        let (change_year, _, _) = days::gregorian(self.change_day());
        days::is_leap(year, year < change_year)
    }

    pub(super) fn year_length(&self, year: i64) -> i64 {
        let (change_year, _, _) = days::gregorian(self.change_day());
        if year == change_year && self.change.is_finite() {
            return self.month_start(year + 1, 0) - self.month_start(year, 0);
        }
        365 + i64::from(self.is_leap(year))
    }

    /// The day before the first one of a month (from 0 on), counted from 1970.
    pub(super) fn month_start(&self, year: i64, month: i64) -> i64 {
        let (year, month) = (year + month.div_euclid(12), month.rem_euclid(12));
        let day = days::of_gregorian(year, month, 1);
        match day < self.change_day() {
            true => days::of_julian(year, month, 1) - 1,
            false => day - 1,
        }
    }

    pub(super) fn month_length(&self, year: i64, month: i64) -> i64 {
        self.month_start(year, month + 1) - self.month_start(year, month)
    }

    fn weekday_from_first(&self, day: i64) -> i64 {
        (days::weekday(day) - self.first_day).rem_euclid(7)
    }

    fn week_number(&self, day: i64, weekday: i64) -> i64 {
        let start = (weekday - self.first_day - day + 1).rem_euclid(7);
        (day + start - 1) / 7 + i64::from(7 - start >= self.least_days)
    }

    fn compute_fields(&mut self) {
        let offsets = self.zone.at(self.time);
        let local = self.time + (offsets.raw + offsets.summer) as f64;
        let day = (local / DAY).floor() as i64;
        let in_day = (local - day as f64 * DAY) as i64;
        let is_julian = day < self.change_day();
        let (year, month, date) = if is_julian {
            days::julian(day)
        } else {
            days::gregorian(day)
        };
        let day_of_year = day - self.month_start(year, 0);
        let weekday = days::weekday(day);
        let fields = &mut [0; COUNT];
        fields[EXTENDED_YEAR] = year;
        (fields[ERA], fields[YEAR]) = self.era(year, month, date);
        fields[MONTH] = month;
        fields[23] = month;
        fields[DATE] = date;
        fields[DAY_OF_YEAR] = day_of_year;
        fields[DAY_OF_WEEK] = weekday;
        fields[DOW_LOCAL] = self.weekday_from_first(day) + 1;
        fields[DAY_OF_WEEK_IN_MONTH] = (date - 1) / 7 + 1;
        fields[WEEK_OF_MONTH] = self.week_number(date, weekday);
        (fields[YEAR_WOY], fields[WEEK_OF_YEAR]) = self.week_of_year(year, day_of_year, weekday);
        fields[JULIAN_DAY] = day + 2_440_588;
        fields[MILLISECONDS_IN_DAY] = in_day;
        fields[MILLISECOND] = in_day % 1000;
        fields[SECOND] = in_day / 1000 % 60;
        fields[MINUTE] = in_day / 60_000 % 60;
        fields[HOUR_OF_DAY] = in_day / 3_600_000;
        fields[HOUR] = fields[HOUR_OF_DAY] % 12;
        fields[AM_PM] = fields[HOUR_OF_DAY] / 12;
        fields[ZONE_OFFSET] = offsets.raw;
        fields[DST_OFFSET] = offsets.summer;
        self.fields = *fields;
        for stamp in &mut self.stamps {
            if *stamp == UNSET {
                *stamp = COMPUTED;
            }
        }
        self.are_fields_set = true;
    }

    /// The era of a date and the year in it.
    fn era(&self, year: i64, month: i64, date: i64) -> (i64, i64) {
        match self.kind {
            Kind::Gregorian | Kind::Iso8601 if year < 1 => (0, 1 - year),
            Kind::Gregorian | Kind::Iso8601 => (1, year),
            Kind::Buddhist => (0, year + 543),
            Kind::Minguo if year > 1911 => (1, year - 1911),
            Kind::Minguo => (0, 1912 - year),
            Kind::Japanese => {
                let era = JAPANESE_ERAS
                    .iter()
                    .rev()
                    .find(|(_, start)| *start <= (year, month + 1, date));
                match era {
                    Some((number, start)) => (*number, year - start.0 + 1),
                    None => (0, year),
                }
            }
        }
    }

    /// The year that an era and a year in it stand for.
    fn year_of(&self, era: i64, year: i64) -> i64 {
        match self.kind {
            Kind::Gregorian | Kind::Iso8601 => {
                if era == 0 {
                    1 - year
                } else {
                    year
                }
            }
            Kind::Buddhist => year - 543,
            Kind::Minguo => {
                if era == 0 {
                    1912 - year
                } else {
                    year + 1911
                }
            }
            Kind::Japanese => {
                let start = JAPANESE_ERAS.iter().find(|(number, _)| *number == era);
                start.map_or(year, |(_, start)| start.0 + year - 1)
            }
        }
    }

    fn week_of_year(&self, year: i64, day_of_year: i64, weekday: i64) -> (i64, i64) {
        let from_first = (weekday + 7 - self.first_day) % 7;
        let new_year = (weekday - day_of_year + 7001 - self.first_day) % 7;
        let week = (day_of_year - 1 + new_year) / 7 + i64::from(7 - new_year >= self.least_days);
        if week == 0 {
            let last = day_of_year + self.year_length(year - 1);
            return (year - 1, self.week_number(last, weekday));
        }
        let last = self.year_length(year);
        if day_of_year >= last - 5 {
            let last_from_first = (from_first + last - day_of_year).rem_euclid(7);
            if 6 - last_from_first >= self.least_days && day_of_year + 7 - from_first > last {
                return (year + 1, 1);
            }
        }
        (year, week)
    }

    /// The value of a field that was set, else another.
    fn value(&self, field: usize, otherwise: i64) -> i64 {
        match self.stamps[field] {
            UNSET => otherwise,
            _ => self.fields[field],
        }
    }

    fn newest(&self, fields: &[usize]) -> u32 {
        fields
            .iter()
            .map(|&field| self.stamps[field])
            .max()
            .unwrap_or(UNSET)
    }

    /// The field that says which day it is: that of the line whose fields were set last.
    fn best_day_field(&self) -> usize {
        const LINES: &[(&[usize], usize)] = &[
            (&[DATE], DATE),
            (&[WEEK_OF_YEAR, DAY_OF_WEEK], WEEK_OF_YEAR),
            (&[WEEK_OF_MONTH, DAY_OF_WEEK], WEEK_OF_MONTH),
            (&[DAY_OF_WEEK_IN_MONTH, DAY_OF_WEEK], DAY_OF_WEEK_IN_MONTH),
            (&[WEEK_OF_YEAR, DOW_LOCAL], WEEK_OF_YEAR),
            (&[WEEK_OF_MONTH, DOW_LOCAL], WEEK_OF_MONTH),
            (&[DAY_OF_WEEK_IN_MONTH, DOW_LOCAL], DAY_OF_WEEK_IN_MONTH),
            (&[DAY_OF_YEAR], DAY_OF_YEAR),
            (&[YEAR], DATE),
            (&[YEAR_WOY], WEEK_OF_YEAR),
        ];
        const MORE: &[(&[usize], usize)] = &[
            (&[WEEK_OF_YEAR], WEEK_OF_YEAR),
            (&[WEEK_OF_MONTH], WEEK_OF_MONTH),
            (&[DAY_OF_WEEK_IN_MONTH], DAY_OF_WEEK_IN_MONTH),
            (&[DAY_OF_WEEK], DAY_OF_WEEK_IN_MONTH),
            (&[DOW_LOCAL], DAY_OF_WEEK_IN_MONTH),
        ];
        for lines in [LINES, MORE] {
            let (mut best, mut found) = (UNSET, None);
            for (fields, field) in lines {
                let is_whole = fields.iter().all(|&field| self.stamps[field] != UNSET);
                let stamp = self.newest(fields);
                let is_year = *fields == [YEAR];
                if is_whole && stamp > best {
                    if !is_year || self.stamps[WEEK_OF_MONTH] < self.stamps[DATE] {
                        found = Some(*field);
                    }
                    best = stamp;
                }
            }
            if let Some(field) = found {
                return field;
            }
        }
        DATE
    }

    fn extended_year(&self) -> i64 {
        let stamps = &self.stamps;
        let mut field = EXTENDED_YEAR;
        if stamps[field] < stamps[YEAR] {
            field = YEAR;
        }
        if stamps[field] < stamps[YEAR_WOY] {
            field = YEAR_WOY;
        }
        match field {
            YEAR_WOY => self.fields[YEAR_WOY],
            YEAR => {
                let usual = match self.kind {
                    Kind::Buddhist => 0,
                    Kind::Japanese => 236,
                    _ => 1,
                };
                self.year_of(self.value(ERA, usual), self.fields[YEAR])
            }
            _ => self.value(EXTENDED_YEAR, 1970),
        }
    }

    /// The day that fields stand for, counted from 1970.
    fn compute_day(&self) -> i64 {
        let julian = self.stamps[JULIAN_DAY];
        let others = [
            ERA,
            YEAR,
            MONTH,
            WEEK_OF_YEAR,
            WEEK_OF_MONTH,
            DATE,
            DAY_OF_YEAR,
            DAY_OF_WEEK,
            DAY_OF_WEEK_IN_MONTH,
            YEAR_WOY,
            DOW_LOCAL,
            EXTENDED_YEAR,
            23,
        ];
        if julian >= FIRST_STAMP && self.newest(&others) <= julian {
            return self.fields[JULIAN_DAY] - 2_440_588;
        }
        let best = self.best_day_field();
        let uses_month = matches!(best, DATE | WEEK_OF_MONTH | DAY_OF_WEEK_IN_MONTH);
        let year = match best == WEEK_OF_YEAR && self.stamps[YEAR_WOY] > self.stamps[YEAR] {
            true => self.fields[YEAR_WOY],
            false => self.extended_year(),
        };
        let month = if uses_month { self.value(MONTH, 0) } else { 0 };
        let start = self.month_start(year, month);
        match best {
            DATE => return start + self.value(DATE, 1),
            DAY_OF_YEAR => return start + self.fields[DAY_OF_YEAR],
            _ => {}
        }
        let first = self.weekday_from_first(start + 1);
        let (by_name, by_number) = (self.stamps[DAY_OF_WEEK], self.stamps[DOW_LOCAL]);
        let weekday = if by_name == UNSET && by_number == UNSET {
            0
        } else if by_name >= by_number {
            self.fields[DAY_OF_WEEK] - self.first_day
        } else {
            self.fields[DOW_LOCAL] - 1
        };
        let mut date = 1 - first + weekday.rem_euclid(7);
        if best == DAY_OF_WEEK_IN_MONTH {
            if date < 1 {
                date += 7;
            }
            let number = self.value(DAY_OF_WEEK_IN_MONTH, 1);
            if number >= 0 {
                date += 7 * (number - 1);
            } else {
                let length = self.month_length(year, month);
                date += ((length - date) / 7 + number + 1) * 7;
            }
        } else {
            if 7 - first < self.least_days {
                date += 7;
            }
            date += 7 * (self.fields[best] - 1);
        }
        start + date
    }

    fn compute_time_of_day(&self) -> f64 {
        let whole = self.stamps[MILLISECONDS_IN_DAY];
        let parts = [AM_PM, HOUR, HOUR_OF_DAY, MINUTE, SECOND, MILLISECOND];
        if whole >= FIRST_STAMP && self.newest(&parts) <= whole {
            return self.fields[MILLISECONDS_IN_DAY] as f64;
        }
        let (by_day, by_half) = (self.stamps[HOUR_OF_DAY], self.newest(&[HOUR, AM_PM]));
        let hours = if by_day.max(by_half) == UNSET {
            0
        } else if by_day >= by_half {
            self.fields[HOUR_OF_DAY]
        } else {
            self.fields[HOUR] + 12 * self.fields[AM_PM]
        };
        let minutes = hours as f64 * 60.0 + self.fields[MINUTE] as f64;
        (minutes * 60.0 + self.fields[SECOND] as f64) * 1000.0 + self.fields[MILLISECOND] as f64
    }

    fn compute_time(&mut self) -> Result<(), OutOfRange> {
        if !self.lenient {
            self.validate()?;
        }
        let local = self.compute_day() as f64 * DAY + self.compute_time_of_day();
        self.time = if self.newest(&[ZONE_OFFSET, DST_OFFSET]) >= FIRST_STAMP {
            local - (self.fields[ZONE_OFFSET] + self.fields[DST_OFFSET]) as f64
        } else {
            self.time_of_local(local)
        };
        self.is_time_set = true;
        self.are_fields_set = false;
        Ok(())
    }

    /// The time at which a clock shows a local time.
    fn time_of_local(&self, local: f64) -> f64 {
        let first = self.repeated == WALLTIME_FIRST;
        let offsets = self
            .zone
            .at_local(local, first, self.skipped == WALLTIME_FIRST);
        let time = local - (offsets.raw + offsets.summer) as f64;
        let now = self.zone.at(time);
        let is_skipped = time + (now.raw + now.summer) as f64 != local;
        match is_skipped && self.skipped == WALLTIME_NEXT_VALID {
            true => self.zone.change_before(time).unwrap_or(time),
            false => time,
        }
    }

    /// Looks whether fields that were set are what they may be.
    fn validate(&self) -> Result<(), OutOfRange> {
        for field in 0..COUNT {
            if self.stamps[field] < FIRST_STAMP {
                continue;
            }
            let value = self.fields[field];
            let (least, most) = match field {
                DATE => (
                    1,
                    self.month_length(self.extended_year(), self.value(MONTH, 0)),
                ),
                DAY_OF_YEAR => (1, self.year_length(self.extended_year())),
                field => (self.limit(field, 0), self.limit(field, 3)),
            };
            if !(least..=most).contains(&value) || field == DAY_OF_WEEK_IN_MONTH && value == 0 {
                return Err(OutOfRange);
            }
        }
        Ok(())
    }

    /// The least value of a field, the greatest that is ever the least, the least that is ever the greatest, and the
    /// greatest.
    pub(super) fn limit(&self, field: usize, which: usize) -> i64 {
        let years = [-140_742, -140_742, 140_742, 144_683];
        let limits = match field {
            ERA => match self.kind {
                Kind::Buddhist => [0, 0, 0, 0],
                Kind::Japanese => [0, 0, 236, 236],
                _ => [0, 0, 1, 1],
            },
            YEAR => [1, 1, 140_742, 144_683],
            MONTH | 23 => [0, 0, 11, 11],
            WEEK_OF_YEAR => [1, 1, 52, 53],
            WEEK_OF_MONTH => {
                let least = i64::from(self.least_days == 1);
                [
                    least,
                    1,
                    (28 + 7 - self.least_days) / 7,
                    (31 + 7 - self.least_days + 6) / 7,
                ]
            }
            DATE => [1, 1, 28, 31],
            DAY_OF_YEAR => [1, 1, 365, 366],
            DAY_OF_WEEK | DOW_LOCAL => [1, 1, 7, 7],
            DAY_OF_WEEK_IN_MONTH => [-1, -1, 4, 5],
            AM_PM => [0, 0, 1, 1],
            HOUR => [0, 0, 11, 11],
            HOUR_OF_DAY => [0, 0, 23, 23],
            MINUTE | SECOND => [0, 0, 59, 59],
            MILLISECOND => [0, 0, 999, 999],
            ZONE_OFFSET => [-57_600_000, -57_600_000, 43_200_000, 108_000_000],
            DST_OFFSET => [0, 0, 3_600_000, 3_600_000],
            YEAR_WOY | EXTENDED_YEAR => years,
            JULIAN_DAY => [-0x7f00_0000, -0x7f00_0000, 0x7f00_0000, 0x7f00_0000],
            MILLISECONDS_IN_DAY => [0, 0, 86_399_999, 86_399_999],
            IS_LEAP_MONTH => [0, 0, 0, 0],
            _ => [0; 4],
        };
        limits[which]
    }
}
