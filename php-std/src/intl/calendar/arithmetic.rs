//! Adding to fields, rolling them, and how far times are apart.

use super::fields::*;

impl Calendar {
    fn current_month_length(&mut self) -> Result<i64, OutOfRange> {
        let (year, month) = (self.get(EXTENDED_YEAR)?, self.get(MONTH)?);
        Ok(self.month_length(year, month))
    }

    /// Sets the day of the month to the last one if it is behind that.
    fn pin(&mut self) -> Result<(), OutOfRange> {
        let length = self.current_month_length()?;
        if self.get(DATE)? > length {
            self.set(DATE, length);
        }
        Ok(())
    }

    /// A year and a month (from 0 on), and the day as far as that month has it.
    fn set_month(&mut self, year: i64, month: i64) -> Result<(), OutOfRange> {
        let date = self.get(DATE)?;
        let (year, month) = (year + month.div_euclid(12), month.rem_euclid(12));
        self.set(EXTENDED_YEAR, year);
        self.set(MONTH, month);
        self.set(DATE, date.min(self.month_length(year, month)));
        Ok(())
    }

    pub(in crate::intl) fn add(&mut self, field: usize, amount: i64) -> Result<(), OutOfRange> {
        if amount == 0 {
            return Ok(());
        }
        let keeps_clock = match field {
            ERA => {
                let era = self.get(ERA)? + amount;
                self.set(ERA, era.clamp(self.limit(ERA, 0), self.limit(ERA, 3)));
                return self.pin();
            }
            YEAR | EXTENDED_YEAR => {
                // Years before the first era's count backwards.
                let is_backwards =
                    field == YEAR && self.get(EXTENDED_YEAR)? < 1 && self.kind == Kind::Gregorian;
                let amount = if is_backwards { -amount } else { amount };
                let year = self
                    .get(EXTENDED_YEAR)?
                    .checked_add(amount)
                    .ok_or(OutOfRange)?;
                let month = self.get(MONTH)?;
                return self.set_month(year, month);
            }
            YEAR_WOY => {
                let year = self.get(YEAR_WOY)? + amount;
                let week = self.get(WEEK_OF_YEAR)?;
                let weekday = self.get(DAY_OF_WEEK)?;
                self.set(YEAR_WOY, year);
                self.set(WEEK_OF_YEAR, week);
                self.set(DAY_OF_WEEK, weekday);
                return Ok(());
            }
            MONTH | 23 => {
                let year = self.get(EXTENDED_YEAR)?;
                let month = self.get(MONTH)?.checked_add(amount).ok_or(OutOfRange)?;
                return self.set_month(year, month);
            }
            WEEK_OF_YEAR | WEEK_OF_MONTH | DAY_OF_WEEK_IN_MONTH | AM_PM | DATE | DAY_OF_YEAR
            | DAY_OF_WEEK | DOW_LOCAL | JULIAN_DAY => true,
            _ => false,
        };
        let unit = match field {
            WEEK_OF_YEAR | WEEK_OF_MONTH | DAY_OF_WEEK_IN_MONTH => 7.0 * DAY,
            AM_PM => DAY / 2.0,
            DATE | DAY_OF_YEAR | DAY_OF_WEEK | DOW_LOCAL | JULIAN_DAY => DAY,
            HOUR | HOUR_OF_DAY => 3_600_000.0,
            MINUTE => 60_000.0,
            SECOND => 1000.0,
            MILLISECOND | MILLISECONDS_IN_DAY => 1.0,
            _ => return Err(OutOfRange),
        };
        let start = self.time()?;
        let before = self.zone.at(start);
        let in_day = self.get(MILLISECONDS_IN_DAY)?;
        let time = start + amount as f64 * unit;
        self.set_time(time);
        if keeps_clock {
            let after = self.zone.at(time);
            let difference = (before.raw + before.summer) - (after.raw + after.summer);
            if difference != 0 && field != AM_PM && self.get(MILLISECONDS_IN_DAY)? != in_day {
                self.set_time(time + difference as f64);
                if self.get(MILLISECONDS_IN_DAY)? != in_day {
                    // That clock time is skipped there.
                    self.set_time(time);
                }
            }
        }
        Ok(())
    }

    pub(super) fn roll(&mut self, field: usize, amount: i64) -> Result<(), OutOfRange> {
        if amount == 0 {
            return Ok(());
        }
        self.complete()?;
        match field {
            DATE | AM_PM | MINUTE | SECOND | MILLISECOND | MILLISECONDS_IN_DAY | ERA => {
                let (least, most) = (self.actual_minimum(field)?, self.actual_maximum(field)?);
                let gap = most - least + 1;
                let value = (self.get(field)? + amount % gap - least).rem_euclid(gap) + least;
                self.set(field, value);
                if field == ERA {
                    return self.pin();
                }
                Ok(())
            }
            HOUR | HOUR_OF_DAY => {
                let time = self.time()?;
                let most = self.limit(field, 3);
                let old = self.get(field)?;
                let new = (old + amount).rem_euclid(most + 1);
                self.set_time(time + 3_600_000.0 * (new - old) as f64);
                Ok(())
            }
            MONTH | 23 => {
                let month = (self.get(MONTH)? + amount).rem_euclid(12);
                let year = self.get(EXTENDED_YEAR)?;
                self.set_month(year, month)
            }
            YEAR | EXTENDED_YEAR => {
                let year = self.get(EXTENDED_YEAR)? + amount;
                let month = self.get(MONTH)?;
                self.set_month(year, month)
            }
            YEAR_WOY => {
                let year = self.get(YEAR_WOY)? + amount;
                self.set(YEAR_WOY, year);
                Ok(())
            }
            DAY_OF_YEAR => {
                let year = self.get(EXTENDED_YEAR)?;
                let length = self.year_length(year);
                let old = self.get(DAY_OF_YEAR)?;
                let new = (old - 1 + amount).rem_euclid(length) + 1;
                let time = self.time()?;
                self.set_time(time + (new - old) as f64 * DAY);
                Ok(())
            }
            DAY_OF_WEEK | DOW_LOCAL => {
                let old = self.get(DOW_LOCAL)? - 1;
                let new = (old + amount).rem_euclid(7);
                let time = self.time()?;
                self.set_time(time + (new - old) as f64 * DAY);
                Ok(())
            }
            DAY_OF_WEEK_IN_MONTH => {
                let date = self.get(DATE)? - 1;
                let length = self.current_month_length()?;
                let (before, after) = (date / 7, (length - 1 - date) / 7);
                let gap = before + after + 1;
                let new = (before + amount).rem_euclid(gap);
                let time = self.time()?;
                self.set_time(time + (new - before) as f64 * 7.0 * DAY);
                Ok(())
            }
            WEEK_OF_YEAR | WEEK_OF_MONTH => {
                let (least, most) = (self.actual_minimum(field)?, self.actual_maximum(field)?);
                let gap = most - least + 1;
                let old = self.get(field)?;
                let new = (old + amount - least).rem_euclid(gap) + least;
                let time = self.time()?;
                self.set_time(time + (new - old) as f64 * 7.0 * DAY);
                Ok(())
            }
            _ => Err(OutOfRange),
        }
    }

    pub(super) fn actual_minimum(&mut self, field: usize) -> Result<i64, OutOfRange> {
        let (low, high) = (self.limit(field, 0), self.limit(field, 1));
        if low == high || field != WEEK_OF_MONTH {
            return Ok(low);
        }
        let mut work = self.clone();
        work.set(DATE, 1);
        work.get(field)
    }

    pub(super) fn actual_maximum(&mut self, field: usize) -> Result<i64, OutOfRange> {
        self.complete()?;
        let year = self.get(EXTENDED_YEAR)?;
        Ok(match field {
            DATE => self.current_month_length()?,
            DAY_OF_YEAR => self.year_length(year),
            WEEK_OF_MONTH => {
                let length = self.current_month_length()?;
                let mut work = self.clone();
                work.set(DATE, length);
                work.get(field)?
            }
            DAY_OF_WEEK_IN_MONTH => (self.current_month_length()? - 1) / 7 + 1,
            YEAR | YEAR_WOY | EXTENDED_YEAR => self.limit(field, 2),
            WEEK_OF_YEAR => {
                let mut work = self.clone();
                work.set(MONTH, 11);
                work.set(DATE, 31);
                let mut week = work.get(WEEK_OF_YEAR)?;
                while week == 1 {
                    work.add(DATE, -1)?;
                    week = work.get(WEEK_OF_YEAR)?;
                }
                week
            }
            field => self.limit(field, 3),
        })
    }

    /// How often a field can be added without passing a time; the calendar is moved on by that.
    pub(super) fn difference(&mut self, until: f64, field: usize) -> Result<i64, OutOfRange> {
        /// The last times that calendars reach, on both sides.
        const FARTHEST: f64 = 183_882_168_921_600_000.0;
        let start = self.time()?;
        if until.is_nan() || until.abs() >= FARTHEST {
            return Err(OutOfRange);
        }
        if start == until {
            return Ok(0);
        }
        let forward = start < until;
        let unit = match field {
            ERA | ZONE_OFFSET | DST_OFFSET => return Err(OutOfRange),
            YEAR | YEAR_WOY | EXTENDED_YEAR => 365.2425 * DAY,
            MONTH | 23 => 30.436_875 * DAY,
            WEEK_OF_YEAR | WEEK_OF_MONTH | DAY_OF_WEEK_IN_MONTH => 7.0 * DAY,
            AM_PM => DAY / 2.0,
            HOUR | HOUR_OF_DAY => 3_600_000.0,
            MINUTE => 60_000.0,
            SECOND => 1000.0,
            MILLISECOND | MILLISECONDS_IN_DAY => 1.0,
            _ => DAY,
        };
        let estimate = ((until - start) / unit).trunc();
        if estimate.abs() > f64::from(i32::MAX) {
            return Err(OutOfRange);
        }
        let moved = |amount: i64, calendar: &Calendar| -> Result<f64, OutOfRange> {
            let mut work = calendar.clone();
            work.set_time(start);
            work.add(field, amount)?;
            work.time()
        };
        let step = if forward { 1 } else { -1 };
        let is_beyond = |time: f64| if forward { time > until } else { time < until };
        let mut amount = estimate as i64;
        // The estimate is near: more steps are needed only where times end.
        let mut steps = 0..100_000;
        while amount != 0 && is_beyond(moved(amount, self)?) {
            amount -= step;
            steps.next().ok_or(OutOfRange)?;
            vm_runtime::limits::poll();
        }
        while !is_beyond(moved(amount + step, self)?) {
            amount += step;
            steps.next().ok_or(OutOfRange)?;
            vm_runtime::limits::poll();
        }
        self.set_time(start);
        self.add(field, amount)?;
        Ok(amount)
    }
}
