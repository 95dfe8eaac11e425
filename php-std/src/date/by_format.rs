//! `createFromFormat()`: texts in a format that the script gives.

use super::calendar::{date_from_days, days_from_date};
use super::parse::{Parsed, Problem, apply_meridian, fraction, month_number, weekday_number};
use super::time::{Time, WeekdayRule};
use super::zone::Zone;

struct Reader<'s> {
    text: &'s [u8],
    position: usize,
    /// Where the present field begins.
    begin: usize,
    parsed: Parsed,
    meridian: Option<u8>,
    /// Text may be left over.
    lenient: bool,
}

impl<'s> Reader<'s> {
    fn problem(&self, message: &'static str) -> Problem {
        Problem {
            position: self.begin,
            character: self.text.get(self.begin).copied().unwrap_or(0),
            message,
        }
    }

    fn error(&mut self, message: &'static str) {
        let problem = self.problem(message);
        self.parsed.errors.push(problem);
    }

    /// An error of which PHP does not say where it is.
    fn error_somewhere(&mut self, message: &'static str) {
        self.parsed.errors.push(Problem {
            position: 0,
            character: 0,
            message,
        });
    }

    fn rest(&self) -> &'s [u8] {
        &self.text[self.position..]
    }

    /// One to `most` digits and how many they were, behind whatever else, or an error.
    fn digits(&mut self, most: usize, message: &'static str) -> Option<(i64, usize)> {
        // What comes before the digits is an error, and passed over.
        if !self.rest().first().is_some_and(u8::is_ascii_digit) {
            self.error("Unexpected data found.");
        }
        let start = self.rest().iter().position(u8::is_ascii_digit);
        self.position += start.unwrap_or(self.rest().len());
        let digits = self.rest().iter().take(most);
        let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            self.error(message);
            return None;
        }
        let number = decimal(&self.rest()[..digits]);
        self.position += digits;
        Some((number, digits))
    }

    fn number(&mut self, most: usize, message: &'static str) -> Option<i64> {
        Some(self.digits(most, message)?.0)
    }

    /// Exactly that many digits, or an error.
    fn exact_digits(&mut self, count: usize, message: &'static str) -> Option<i64> {
        let (number, digits) = self.digits(count, message)?;
        if digits == count {
            return Some(number);
        }
        self.error(message);
        None
    }

    /// Digits behind any number of signs, behind whatever else.
    fn signed_number(&mut self, most: usize) -> i64 {
        if !matches!(self.rest(), [b'+' | b'-' | b'0'..=b'9', ..]) {
            self.error("Unexpected data found.");
        }
        let mut sign = 1;
        while let Some(&byte) = self.rest().first()
            && !byte.is_ascii_digit()
        {
            self.position += 1;
            sign = if byte == b'-' { -sign } else { sign };
        }
        let digits = self.rest().iter().take(most);
        let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            self.error_somewhere("Found unexpected data");
            return 0;
        }
        let text = std::str::from_utf8(&self.rest()[..digits]).unwrap_or_default();
        self.position += digits;
        let number = text.parse::<i128>().map(|number| sign * number);
        if let Some(number) = number.ok().and_then(|number| i64::try_from(number).ok()) {
            return number;
        }
        self.error_somewhere("Number out of range");
        0
    }

    /// A word that `find` knows, or an error.
    fn word(
        &mut self,
        belongs: fn(&u8) -> bool,
        find: fn(&[u8]) -> Option<i64>,
        message: &'static str,
    ) -> Option<i64> {
        let length = self.rest().iter().take_while(|byte| belongs(byte)).count();
        let found = find(&self.rest()[..length]);
        self.position += length;
        if found.is_none() {
            self.error(message);
        }
        found
    }

    fn skip_spaces(&mut self) {
        while matches!(self.rest(), [b' ' | b'\t' | b'\n' | b'\r', ..]) {
            self.position += 1;
        }
    }

    /// Everything that isn't known becomes the start of 1970.
    fn reset(&mut self, all: bool) {
        let parsed = &mut self.parsed;
        let set = |field: &mut Option<i64>, value: i64| {
            if all || field.is_none() {
                *field = Some(value);
            }
        };
        set(&mut parsed.year, 1970);
        set(&mut parsed.month, 1);
        set(&mut parsed.day, 1);
        set(&mut parsed.hour, 0);
        set(&mut parsed.minute, 0);
        set(&mut parsed.second, 0);
        set(&mut parsed.micro, 0);
        if all {
            parsed.zone = None;
        }
    }

    /// Reads what one character of the format stands for.
    fn field(&mut self, character: u8, escaped: &mut std::slice::Iter<'_, u8>) {
        match character {
            b'D' | b'l' => {
                if let Some(day) = self.word(
                    |byte| !b" \t,;:/.-()".contains(byte),
                    weekday_number,
                    "A textual day could not be found",
                ) {
                    self.parsed.has_relative = true;
                    self.parsed.relative.weekday = Some((day, WeekdayRule::From));
                }
            }
            b'd' | b'j' => {
                self.parsed.has_date = true;
                self.parsed.day = self.number(2, "A two digit day could not be found");
            }
            b'S' => {
                let suffixes = [b"st", b"nd", b"rd", b"th"];
                if let Some(head) = self.rest().get(..2)
                    && suffixes
                        .iter()
                        .any(|suffix| head.eq_ignore_ascii_case(*suffix))
                {
                    self.position += 2;
                }
            }
            b'z' => self.day_of_year(),
            b'm' | b'n' => {
                self.parsed.has_date = true;
                self.parsed.month = self.number(2, "A two digit month could not be found");
            }
            b'M' | b'F' => {
                self.parsed.has_date = true;
                let month = self.word(
                    u8::is_ascii_alphabetic,
                    month_number,
                    "A textual month could not be found",
                );
                self.parsed.month = month.or(self.parsed.month);
            }
            b'y' => {
                self.parsed.has_date = true;
                let year = self.number(2, "A two digit year could not be found");
                let century = |year: i64| if year < 70 { 2000 } else { 1900 };
                self.parsed.year = year.map(|year| year + century(year));
            }
            b'Y' => {
                self.parsed.has_date = true;
                self.parsed.year = self.number(4, "A four digit year could not be found");
            }
            b'X' | b'x' => {
                self.parsed.has_date = true;
                self.parsed.year = Some(self.signed_number(19));
            }
            b'g' | b'h' => {
                if self.hour().is_some_and(|hour| hour > 12) {
                    self.error("Hour cannot be higher than 12");
                }
            }
            b'G' | b'H' => {
                self.hour();
            }
            b'a' | b'A' => self.meridian(),
            b'i' => {
                if let Some(minute) = self.exact_digits(2, "A two digit minute could not be found")
                {
                    self.parsed.has_time = true;
                    self.parsed.minute = Some(minute);
                }
            }
            b's' => {
                if let Some(second) = self.exact_digits(2, "A two digit second could not be found")
                {
                    self.parsed.has_time = true;
                    self.parsed.second = Some(second);
                }
            }
            b'u' | b'v' => {
                let (most, message) = match character {
                    b'u' => (6, "A six digit microsecond could not be found"),
                    _ => (3, "A three digit millisecond could not be found"),
                };
                let start = self.position;
                if self.number(most, message).is_some() {
                    self.parsed.micro = Some(fraction(&self.text[start..self.position]));
                }
            }
            b'U' => self.timestamp(),
            b'e' | b'p' | b'T' | b'P' | b'O' => match Zone::parse_prefix(self.rest()) {
                Some((zone, length)) => {
                    self.parsed.zone = Some(zone);
                    self.position += length;
                }
                // An offset without a meaning is none.
                None if matches!(self.rest(), [b'+' | b'-', ..]) => {
                    let digits = self.rest()[1..].iter();
                    let digits = digits.take_while(|byte| byte.is_ascii_digit() || **byte == b':');
                    self.position += 1 + digits.count();
                    self.parsed.zone = Some(Zone::Offset(0));
                    self.error("The timezone could not be found in the database");
                }
                None => {
                    let rest = self.rest();
                    let before = rest.iter().take_while(|byte| b" \t(".contains(byte));
                    let before = before.count();
                    let word = rest[before..].iter().take_while(|&&byte| {
                        byte.is_ascii_alphanumeric() || b"/_-+".contains(&byte)
                    });
                    let end = before + word.count();
                    let open = rest[..before].iter().filter(|byte| **byte == b'(');
                    let closed = rest[end..].iter().take_while(|byte| **byte == b')');
                    self.position += end + closed.count().min(open.count());
                    self.parsed.zone_unknown = true;
                    self.error("The timezone could not be found in the database");
                }
            },
            b' ' => self.skip_spaces(),
            b'#' => match self.rest() {
                [b';' | b':' | b'/' | b'.' | b',' | b'-' | b'(' | b')', ..] => self.position += 1,
                _ => self.error("The separation symbol ([;:/.,-]) could not be found"),
            },
            b';' | b':' | b'/' | b'.' | b',' | b'-' | b'(' | b')' => {
                if self.rest().first() == Some(&character) {
                    self.position += 1;
                } else {
                    self.error("The separation symbol could not be found");
                }
            }
            b'?' => self.position += 1,
            b'*' => {
                // The first character is passed over whatever it is.
                let after = self.rest().iter().skip(1);
                let taken =
                    after.take_while(|byte| !b" ,;:/.-()".contains(byte) && !byte.is_ascii_digit());
                self.position += 1 + taken.count();
            }
            // What is left over is no error.
            b'+' => self.lenient = true,
            b'\\' => match escaped.next() {
                None => self.error("Escaped character expected"),
                Some(wanted) if self.rest().first() == Some(wanted) => self.position += 1,
                Some(_) => self.error("The escaped character could not be found"),
            },
            other => {
                if self.rest().first() != Some(&other) {
                    self.error("The format separator does not match");
                }
                self.position += 1;
            }
        }
    }

    fn hour(&mut self) -> Option<i64> {
        self.parsed.hour = self.number(2, "A two digit hour could not be found");
        self.parsed.has_time |= self.parsed.hour.is_some();
        self.parsed.hour
    }

    /// `am`, `P.M.` and the like, behind whatever else.
    fn meridian(&mut self) {
        if self.parsed.hour.is_none() {
            self.error("Meridian can only come after an hour has been found");
        }
        let first = self.rest().iter().position(|byte| b"AaPp".contains(byte));
        self.position += first.unwrap_or(self.rest().len());
        let meridian = self.rest().first().copied();
        self.position += usize::from(meridian.is_some());
        let is_m = |byte: Option<&u8>| matches!(byte, Some(b'm' | b'M'));
        let length = match self.rest() {
            [b'.', after @ ..] if !is_m(after.first()) => Err(1),
            [b'.', _, b'.', ..] => Ok(3),
            [b'.', ..] => Err(2),
            rest if is_m(rest.first()) => Ok(1),
            _ => Err(0),
        };
        match (meridian, length) {
            (Some(meridian), Ok(length)) => {
                self.meridian = self.parsed.hour.map(|_| meridian);
                self.position += length;
            }
            (_, passed) => {
                self.position += passed.err().unwrap_or(0);
                self.error("A meridian could not be found");
            }
        }
    }

    fn day_of_year(&mut self) {
        // What is told last of a position is what counts.
        let year = self.parsed.year;
        if year.is_none() {
            self.error("A 'day of year' can only come after a year has been found");
        }
        let day = self.number(3, "A three digit day-of-year could not be found");
        let (Some(year), Some(day)) = (year, day) else {
            return;
        };
        let (year, month, day) = date_from_days(days_from_date(year, 1, day + 1));
        self.parsed.has_date = true;
        (self.parsed.year, self.parsed.month, self.parsed.day) =
            (Some(year), Some(month), Some(day));
    }

    fn timestamp(&mut self) {
        let stamp = self.signed_number(24);
        let micro = self.parsed.micro.unwrap_or(0);
        let time = Time::from_stamp(stamp, micro, Zone::Offset(0));
        let parsed = &mut self.parsed;
        (parsed.year, parsed.month, parsed.day) =
            (Some(time.year), Some(time.month), Some(time.day));
        parsed.set_time(time.hour, time.minute, time.second, micro);
        parsed.zone = Some(time.zone);
    }

    /// What the parts say together.
    fn finish(&mut self) {
        let parsed = &mut self.parsed;
        // One part of a time makes the others zero.
        let mut clock = [
            &mut parsed.hour,
            &mut parsed.minute,
            &mut parsed.second,
            &mut parsed.micro,
        ];
        if clock.iter().any(|part| part.is_some()) {
            for part in &mut clock {
                part.get_or_insert(0);
            }
        }
        if let (Some(hour), Some(meridian)) = (parsed.hour, self.meridian) {
            parsed.hour = Some(apply_meridian(hour, meridian));
        }
        self.begin = self.position;
        if !self.parsed.has_valid_time() {
            let problem = self.problem("The parsed time was invalid");
            self.parsed.warnings.push(problem);
        }
        if !self.parsed.has_valid_date() {
            let problem = self.problem("The parsed date was invalid");
            self.parsed.warnings.push(problem);
        }
    }
}

/// The number that digits make, or the largest one.
fn decimal(digits: &[u8]) -> i64 {
    digits.iter().fold(0i64, |number, byte| {
        number
            .saturating_mul(10)
            .saturating_add(i64::from(byte - b'0'))
    })
}

/// Reads a text in a format.
pub(crate) fn parse_by_format(format: &[u8], text: &[u8]) -> Parsed {
    let mut reader = Reader {
        text,
        position: 0,
        begin: 0,
        parsed: Parsed::default(),
        meridian: None,
        lenient: false,
    };
    // A format ends at a NUL byte.
    let end = memchr::memchr(0, format).unwrap_or(format.len());
    let mut characters = format[..end].iter();
    let mut needs_more = false;
    while !needs_more && let Some(&character) = characters.next() {
        vm_runtime::limits::poll();
        reader.begin = reader.position;
        match character {
            b'!' => reader.reset(true),
            b'|' => reader.reset(false),
            // These ask for no text.
            b'+' => reader.field(character, &mut characters),
            _ if reader.position >= text.len() => needs_more = true,
            _ => reader.field(character, &mut characters),
        }
    }
    reader.position = reader.position.min(text.len());
    reader.begin = reader.position;
    if reader.position < text.len() {
        let trailing = reader.problem("Trailing data");
        if reader.lenient {
            reader.parsed.warnings.push(trailing);
        } else {
            reader.parsed.errors.push(trailing);
        }
    }
    if needs_more {
        reader.error("Not enough data available to satisfy format");
    }
    reader.finish();
    reader.parsed
}
