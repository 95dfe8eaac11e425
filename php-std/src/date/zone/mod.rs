//! Time zones: offsets, abbreviations and regions.

pub(super) mod abbreviations;
pub(super) mod locations;
mod region;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

pub(crate) use region::{Region, region};

/// A zone. PHP numbers the kinds 1, 2 and 3.
#[derive(Debug, Clone)]
pub(crate) enum Zone {
    /// `+02:00`, in seconds.
    Offset(i64),
    /// `CEST`: the offset it stands for.
    Abbreviation {
        name: Box<str>,
        seconds: i64,
        is_dst: bool,
    },
    /// `Europe/Berlin`
    Region(Arc<Region>),
}

/// What holds in a zone at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ZoneState {
    pub(crate) seconds: i64,
    pub(crate) is_dst: bool,
}

impl Zone {
    /// The zone `UTC`.
    pub(crate) fn utc() -> Zone {
        static UTC: OnceLock<Zone> = OnceLock::new();
        let find = || match region(b"UTC") {
            Some(region) => Zone::Region(region),
            None => Zone::Offset(0),
        };
        UTC.get_or_init(find).clone()
    }

    /// The same under its old name.
    pub(crate) fn gmt() -> Zone {
        Zone::Abbreviation {
            name: "GMT".into(),
            seconds: 0,
            is_dst: false,
        }
    }

    /// PHP's `timezone_type`.
    pub(crate) fn number(&self) -> i64 {
        match self {
            Zone::Offset(_) => 1,
            Zone::Abbreviation { .. } => 2,
            Zone::Region(_) => 3,
        }
    }

    pub(crate) fn name(&self) -> String {
        self.known_name().into_owned()
    }

    /// As [`Zone::name`], without a copy if there is one already.
    pub(crate) fn known_name(&self) -> Cow<'_, str> {
        match self {
            Zone::Offset(seconds) => offset_text(*seconds, true).into(),
            Zone::Abbreviation { name, .. } => Cow::Borrowed(name),
            Zone::Region(region) => Cow::Borrowed(region.name),
        }
    }

    /// What holds at a time.
    pub(crate) fn at(&self, time: i64) -> ZoneState {
        let (seconds, is_dst) = match self {
            Zone::Offset(seconds) => (*seconds, false),
            Zone::Abbreviation {
                seconds, is_dst, ..
            } => (*seconds, *is_dst),
            Zone::Region(region) => {
                let offset = region.at(time);
                (offset.seconds, offset.is_dst)
            }
        };
        ZoneState { seconds, is_dst }
    }

    /// The abbreviation at a time, as `T` shows it.
    pub(crate) fn abbreviation(&self, time: i64) -> String {
        match self {
            Zone::Region(region) => region.abbreviation(&region.at(time)).to_owned(),
            _ => self.name(),
        }
    }

    /// What holds at a local time. One that a clock set forward skips counts on from before; of one
    /// that comes twice the hint says which, the first if neither is summer time; without one the first is taken in the
    /// west and the second in the east.
    pub(crate) fn at_local(&self, local: i64, is_dst: Option<bool>) -> ZoneState {
        const AROUND: i64 = super::calendar::DAY;
        let before = self.at(local.saturating_sub(AROUND));
        let after = self.at(local.saturating_add(AROUND));
        if before.seconds == after.seconds {
            // Nothing changed around it, or two changes cancel each other.
            return self.at(local.saturating_sub(before.seconds));
        }
        let holds = |state: ZoneState| {
            let actual = self.at(local.saturating_sub(state.seconds));
            actual.seconds == state.seconds
        };
        match (holds(before), holds(after)) {
            (true, true) => match is_dst {
                Some(is_dst) if is_dst == before.is_dst => before,
                Some(_) if before.is_dst == after.is_dst => before,
                None if after.seconds < 0 => before,
                _ => after,
            },
            (false, true) => after,
            _ => before,
        }
    }

    /// The zone that a text names. `None` where nothing is known by that name.
    pub(crate) fn parse(text: &[u8]) -> Option<Zone> {
        let (zone, length) = Zone::parse_prefix(text)?;
        (length == text.len()).then_some(zone)
    }

    /// The zone at the start of a text, and how much of the text it takes.
    pub(crate) fn parse_prefix(text: &[u8]) -> Option<(Zone, usize)> {
        let mut at = 0;
        let mut open = 0;
        while let Some(byte @ (b' ' | b'\t' | b'(')) = text.get(at) {
            open += usize::from(*byte == b'(');
            at += 1;
        }
        if let Some([b'G', b'M', b'T', b'+' | b'-', ..]) = text.get(at..) {
            at += 3;
        }
        let (zone, mut end) = match text.get(at)? {
            sign @ (b'+' | b'-') => {
                let start = at + 1;
                let length = text[start..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit() || **byte == b':')
                    .count();
                let seconds = correction(&text[start..start + length])?;
                let seconds = if *sign == b'-' { -seconds } else { seconds };
                (Zone::Offset(seconds), start + length)
            }
            _ => {
                let length = text[at..]
                    .iter()
                    .position(|byte| !byte.is_ascii_alphanumeric() && !b"/_-+".contains(byte))
                    .unwrap_or(text.len() - at);
                let word = &text[at..at + length];
                (Zone::named(word)?, at + length)
            }
        };
        while open > 0 && text.get(end) == Some(&b')') {
            end += 1;
            open -= 1;
        }
        Some((zone, end))
    }

    /// An abbreviation or a region.
    fn named(word: &[u8]) -> Option<Zone> {
        if word != b"UTC"
            && let Some(known) = abbreviations::find(word)
        {
            return Some(Zone::Abbreviation {
                name: known.name.to_ascii_uppercase().into(),
                seconds: known.seconds,
                is_dst: known.is_dst,
            });
        }
        region(word).map(Zone::Region)
    }
}

/// `h`, `hh`, `hmm`, `hhmm`, `h:mm`, `hh:mm`, `hhmmss` or `hh:mm:ss` as seconds.
fn correction(text: &[u8]) -> Option<i64> {
    let number = |text: &[u8]| {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
        digits.fold(0i64, |number, byte| {
            let digit = i64::from(byte - b'0');
            number.saturating_mul(10).saturating_add(digit)
        })
    };
    let all = number(text);
    Some(match text {
        [_] | [_, _] => all.saturating_mul(3600),
        [_, b':', minutes @ ..] | [_, _, b':', minutes @ ..] if text.len() <= 5 => {
            all * 3600 + number(minutes) * 60
        }
        [_, _, _] | [_, _, _, _] => all / 100 * 3600 + all % 100 * 60,
        [_, _, _, _, _, _] => all / 10_000 * 3600 + all / 100 % 100 * 60 + all % 100,
        [_, _, b':', minutes @ .., b':', _, _] if minutes.len() == 2 => {
            all * 3600 + number(minutes) * 60 + number(&text[6..])
        }
        _ => return None,
    })
}

/// `+02:00` or `+0200`; seconds are not shown.
pub(crate) fn minutes_text(seconds: i64, colon: bool) -> String {
    let minutes = offset_text(seconds / 60 * 60, colon);
    match seconds {
        ..0 => minutes.replacen('+', "-", 1),
        _ => minutes,
    }
}

/// `+02:00` or `+0200`; seconds are shown where there are some.
fn offset_text(seconds: i64, colon: bool) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let colon = if colon { ":" } else { "" };
    let (hours, minutes, rest) = (
        seconds.abs() / 3600,
        seconds.abs() / 60 % 60,
        seconds.abs() % 60,
    );
    match rest {
        0 => format!("{sign}{hours:02}{colon}{minutes:02}"),
        _ => format!("{sign}{hours:02}{colon}{minutes:02}{colon}{rest:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_follow_their_rules() {
        let berlin = region(b"europe/berlin").expect("is in the database");
        assert_eq!(berlin.name, "Europe/Berlin");
        let summer = berlin.at(1_593_561_600);
        assert_eq!(
            (summer.seconds, berlin.abbreviation(&summer)),
            (7200, "CEST")
        );
        let far = berlin.at(4_102_444_800);
        assert_eq!((far.seconds, berlin.abbreviation(&far)), (3600, "CET"));
    }

    #[test]
    fn offsets_have_many_forms() {
        let seconds = |text: &str| match Zone::parse(text.as_bytes()) {
            Some(Zone::Offset(seconds)) => Some(seconds),
            _ => None,
        };
        assert_eq!(seconds("+2"), Some(7200));
        assert_eq!(seconds("-0530"), Some(-19_800));
        assert_eq!(seconds("GMT+5:30"), Some(19_800));
        assert_eq!(seconds("+01:02:03"), Some(3723));
        assert_eq!(seconds("+1:30:15"), None);
    }
}
