//! Points of time: a local date and time in a zone, and the seconds since 1970 they stand for.

use super::calendar::{DAY, date_from_days, days_from_date, days_in_month, weekday};
use super::zone::{Zone, ZoneState};

/// Microseconds of a second.
pub(super) const MICROS: i64 = 1_000_000;

/// A point of time in a zone.
#[derive(Debug, Clone)]
pub(crate) struct Time {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    pub(crate) micro: i64,
    pub(crate) zone: Zone,
    /// What holds in the zone at this time.
    pub(crate) state: ZoneState,
    /// Seconds since 1970.
    pub(crate) stamp: i64,
}

/// What follows a weekday's name: `monday`, `next monday`, `monday next week`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WeekdayRule {
    /// Strictly later: `next monday`.
    After,
    /// The same day or later: `monday`.
    From,
    /// In the week that the other parts lead to.
    OfWeek,
}

/// `first day of`, `last day of`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MonthEnd {
    First,
    Last,
}

/// What counts in other units than days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    /// So many days from Monday to Friday.
    Weekdays(i64),
    /// `second monday of`
    InMonth,
    /// `last monday of`
    LastInMonth,
}

/// What is added to a time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Relative {
    pub(crate) years: i64,
    pub(crate) months: i64,
    pub(crate) days: i64,
    pub(crate) hours: i64,
    pub(crate) minutes: i64,
    pub(crate) seconds: i64,
    pub(crate) micros: i64,
    pub(crate) weekday: Option<(i64, WeekdayRule)>,
    pub(crate) special: Option<Special>,
    pub(crate) month_end: Option<MonthEnd>,
}

impl Time {
    /// The time of a number of seconds since 1970.
    pub(crate) fn from_stamp(stamp: i64, micro: i64, zone: Zone) -> Time {
        let mut time = Time {
            year: 1970,
            month: 1,
            day: 1,
            hour: 0,
            minute: 0,
            second: 0,
            micro,
            state: zone.at(stamp),
            zone,
            stamp,
        };
        time.show_local();
        time
    }

    /// The present.
    pub(crate) fn now(zone: Zone) -> Time {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Time::from_stamp(now.as_secs() as i64, now.subsec_micros().into(), zone)
    }

    /// Computes the local date and time from the seconds since 1970.
    pub(crate) fn localize(&mut self) {
        self.state = self.zone.at(self.stamp);
        self.show_local();
    }

    /// As [`Time::localize`], if the state of the zone is that of the time.
    fn show_local(&mut self) {
        let local = self.stamp.saturating_add(self.state.seconds);
        (self.year, self.month, self.day) = date_from_days(local.div_euclid(DAY));
        let second = local.rem_euclid(DAY);
        self.hour = second / 3600;
        self.minute = second / 60 % 60;
        self.second = second % 60;
    }

    /// Seconds since 1970 as a clock in UTC would have to show this local time; `None` if they are
    /// too many.
    pub(crate) fn local_stamp(&self) -> Option<i64> {
        let days = days_from_date(self.year, self.month, self.day);
        let seconds = i128::from(days) * i128::from(DAY)
            + i128::from(self.hour) * 3600
            + i128::from(self.minute) * 60
            + i128::from(self.second);
        seconds.try_into().ok()
    }

    /// Moves to a date in a year whose seconds are too many to be counted: the date is kept, and
    /// the seconds are wrapped around, as PHP has it.
    pub(crate) fn wrap_to_date(&mut self, year: i64, month: i64, day: i64) {
        // The calendar repeats every 400 years.
        let near = year.rem_euclid(400) + 2000;
        let (shown, month, day) = date_from_days(days_from_date(near, month, day));
        self.year = year.saturating_add(shown - near);
        (self.month, self.day) = (month, day);
        let second = self.hour * 3600 + self.minute * 60 + self.second;
        self.stamp = super::calendar::wrapped_midnight(self.year, month, day)
            .wrapping_add(second)
            .wrapping_sub(self.state.seconds);
    }

    /// Puts the parts of the date into their ranges.
    fn normalize_date(&mut self) {
        // What every month has needs no look at the calendar.
        if (1..=12).contains(&self.month) && (1..=28).contains(&self.day) {
            return;
        }
        let days = days_from_date(self.year, self.month, self.day);
        (self.year, self.month, self.day) = date_from_days(days);
    }

    /// A local time whose seconds since 1970 are still to be [settled](Time::settle).
    pub(crate) fn unsettled(zone: Zone, date: [i64; 3], clock: [i64; 3]) -> Time {
        let ([year, month, day], [hour, minute, second]) = (date, clock);
        Time {
            year,
            month,
            day,
            hour,
            minute,
            second,
            micro: 0,
            zone,
            state: ZoneState {
                seconds: 0,
                is_dst: false,
            },
            stamp: 0,
        }
    }

    /// Computes everything else from the local date and time, which may be out of range, after
    /// adding `relative`. False if the result is no number of seconds.
    pub(crate) fn resolve(&mut self, relative: &Relative, is_dst: Option<bool>) -> bool {
        let is_settled = self.settle(relative, is_dst);
        if is_settled {
            self.localize();
        }
        is_settled
    }

    /// As [`Time::resolve`], but computes the seconds since 1970 only.
    pub(crate) fn settle(&mut self, relative: &Relative, is_dst: Option<bool>) -> bool {
        let mut relative = *relative;
        self.enter_month(&mut relative);
        if let Some((day, rule)) = relative.weekday {
            self.move_to_weekday(day, rule, relative.days);
        }
        // The first or last day of 31 February is one of February; what a time or a weekday carries
        // counts for the last one.
        let has_no_weekday = relative.weekday.is_none();
        if relative.month_end == Some(MonthEnd::Last)
            && has_no_weekday
            && (1..=12).contains(&self.month)
        {
            self.day = self.day.min(days_in_month(self.year, self.month));
        }
        self.carry_time();
        if relative.month_end == Some(MonthEnd::First) {
            self.day = 1;
        }
        self.normalize_date();
        self.year = self.year.saturating_add(relative.years);
        self.month = self.month.saturating_add(relative.months);
        self.day = self.day.saturating_add(relative.days);
        self.hour = self.hour.saturating_add(relative.hours);
        self.minute = self.minute.saturating_add(relative.minutes);
        let micros = self.micro.saturating_add(relative.micros);
        self.micro = micros.rem_euclid(MICROS);
        self.second = self
            .second
            .saturating_add(relative.seconds)
            .saturating_add(micros.div_euclid(MICROS));
        match relative.month_end {
            Some(MonthEnd::First) => self.day = 1,
            Some(MonthEnd::Last) => {
                self.day = 0;
                self.month += 1;
            }
            None => {}
        }
        self.normalize_date();
        if let Some(Special::Weekdays(count)) = relative.special {
            self.add_weekdays(count);
        }
        let Some(local) = self.local_stamp() else {
            return false;
        };
        self.state = self.zone.at_local(local, is_dst);
        let Some(stamp) = local.checked_sub(self.state.seconds) else {
            return false;
        };
        self.stamp = stamp;
        true
    }

    /// Adds units of the clock to the time itself, not to what the clock shows. False if the
    /// result is out of range.
    pub(crate) fn elapse(&mut self, relative: &Relative) -> bool {
        let micros = self.micro.saturating_add(relative.micros);
        let seconds = relative
            .hours
            .checked_mul(3600)
            .and_then(|seconds| seconds.checked_add(relative.minutes.checked_mul(60)?))
            .and_then(|seconds| seconds.checked_add(relative.seconds))
            .and_then(|seconds| seconds.checked_add(micros.div_euclid(MICROS)))
            .and_then(|seconds| seconds.checked_add(self.stamp));
        let Some(stamp) = seconds else {
            return false;
        };
        self.micro = micros.rem_euclid(MICROS);
        self.stamp = stamp;
        self.localize();
        true
    }

    /// Hours past midnight move the day.
    fn carry_time(&mut self) {
        let is_clock = (0..24).contains(&self.hour) && (0..60).contains(&self.minute);
        if is_clock && (0..60).contains(&self.second) {
            return;
        }
        let seconds = self
            .hour
            .saturating_mul(3600)
            .saturating_add(self.minute.saturating_mul(60))
            .saturating_add(self.second);
        if !(0..DAY).contains(&seconds) {
            self.day = self.day.saturating_add(seconds.div_euclid(DAY));
        }
        let rest = seconds.rem_euclid(DAY);
        (self.hour, self.minute, self.second) = (rest / 3600, rest / 60 % 60, rest % 60);
    }

    /// `first monday of` and the like start from the month's first day.
    fn enter_month(&mut self, relative: &mut Relative) {
        let months = match relative.special {
            Some(Special::InMonth) => std::mem::take(&mut relative.months),
            Some(Special::LastInMonth) => std::mem::take(&mut relative.months) + 1,
            _ => return,
        };
        self.day = 1;
        self.month = self.month.saturating_add(months);
        self.normalize_date();
    }

    fn move_to_weekday(&mut self, day: i64, rule: WeekdayRule, relative_days: i64) {
        let today = weekday(self.year, self.month, self.day);
        if rule == WeekdayRule::OfWeek {
            // Weeks start on Monday here.
            let day = match (today, day) {
                (0, day) if day != 0 => day - 7,
                (today, 0) if today != 0 => 7,
                _ => day,
            };
            self.day += day - today;
            return;
        }
        let mut difference = day - today;
        let least = if rule == WeekdayRule::From { -1 } else { 0 };
        if (relative_days < 0 && difference < 0) || (relative_days >= 0 && difference <= least) {
            difference += 7;
        }
        if day >= 0 {
            self.day += difference;
        } else {
            // `monday ago`
            self.day -= 7 - (day.abs() - today);
        }
    }

    /// Adds days from Monday to Friday.
    fn add_weekdays(&mut self, count: i64) {
        let today = weekday(self.year, self.month, self.day);
        // Whole weeks first; then day by day.
        let (weeks, mut rest) = (count / 5, count % 5);
        let mut days = weeks.saturating_mul(7);
        let mut today = today;
        // On a weekend, whole weeks end on the weekday next to it.
        if rest == 0 && weeks != 0 && matches!(today, 0 | 6) {
            (days, rest) = if weeks > 0 {
                (days - 7, 5)
            } else {
                (days + 7, -5)
            };
        }
        while rest != 0 {
            let step = rest.signum();
            days += step;
            today = (today + step).rem_euclid(7);
            if !matches!(today, 0 | 6) {
                rest -= step;
            }
        }
        self.day = self.day.saturating_add(days);
        self.normalize_date();
    }

    /// The same point of time in another zone.
    pub(crate) fn set_zone(&mut self, zone: Zone) {
        self.zone = zone;
        self.localize();
    }
}
