//! Descriptions with what was found in them.

use std::borrow::Cow;

/// What a description may show.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::fileinfo) enum Shown {
    Nothing,
    /// A number of so many bytes.
    Number(u64, usize),
    Real(f64),
    Text(Vec<u8>),
}

/// Text in which what cannot be printed is written in octal.
pub(in crate::fileinfo) fn printable(text: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b' '..=b'~' => output.push(byte),
            _ => output.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    output
}

/// Text with one of the two in each `${x?one:other}`: the first if a file may be executed.
pub(super) fn chosen(text: &[u8], is_executable: bool) -> Cow<'_, [u8]> {
    let mut output = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"${x?") {
        let inner = &rest[at + 4..];
        let (Some(colon), Some(end)) = (memchr::memchr(b':', inner), memchr::memchr(b'}', inner))
        else {
            break;
        };
        if colon > end {
            break;
        }
        output.extend_from_slice(&rest[..at]);
        output.extend_from_slice(match is_executable {
            true => &inner[..colon],
            false => &inner[colon + 1..end],
        });
        rest = &inner[end + 1..];
    }
    if output.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    output.extend_from_slice(rest);
    Cow::Owned(output)
}

/// The parts of a conversion behind its `%`.
struct Conversion {
    flags: Vec<u8>,
    width: usize,
    precision: Option<usize>,
    letter: u8,
}

/// A description with its first conversion replaced.
pub(in crate::fileinfo) fn described(description: &[u8], shown: &Shown) -> Vec<u8> {
    let mut output = Vec::with_capacity(description.len());
    let mut rest = description;
    while let Some(at) = memchr::memchr(b'%', rest) {
        output.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix(b"%") {
            output.push(b'%');
            rest = behind;
            continue;
        }
        let (conversion, behind) = conversion(rest);
        rest = behind;
        output.extend(converted(&conversion, shown));
    }
    output.extend_from_slice(rest);
    output
}

fn conversion(text: &[u8]) -> (Conversion, &[u8]) {
    let count = |text: &[u8], of: fn(&u8) -> bool| text.iter().take_while(|byte| of(byte)).count();
    let number = |digits: &[u8]| {
        let text = std::str::from_utf8(digits).unwrap_or_default();
        text.parse::<usize>().unwrap_or(0).min(256)
    };
    let (flags, rest) = text.split_at(count(text, |byte| b"-+ #0".contains(byte)));
    let (width, mut rest) = rest.split_at(count(rest, u8::is_ascii_digit));
    let mut precision = None;
    if let Some(behind) = rest.strip_prefix(b".") {
        let (digits, behind) = behind.split_at(count(behind, u8::is_ascii_digit));
        precision = Some(number(digits));
        rest = behind;
    }
    let rest = &rest[count(rest, |byte| b"hlqjzt".contains(byte))..];
    let (letter, rest) = match rest.split_first() {
        Some((&letter, rest)) => (letter, rest),
        None => (b'%', rest),
    };
    let conversion = Conversion {
        flags: flags.to_vec(),
        width: number(width),
        precision,
        letter,
    };
    (conversion, rest)
}

fn converted(conversion: &Conversion, shown: &Shown) -> Vec<u8> {
    let has = |flag: u8| conversion.flags.contains(&flag);
    let signed = |number: u64, size: usize| match size {
        4 => i64::from(number as u32 as i32),
        8 => number as i64,
        // Smaller ones are shown without a sign.
        _ => number as i64,
    };
    let mut text = match (conversion.letter, shown) {
        (b'd' | b'i', &Shown::Number(number, size)) => signed(number, size).to_string(),
        (b'u' | b's', &Shown::Number(number, _)) => number.to_string(),
        (b'x', &Shown::Number(number, _)) if has(b'#') && number != 0 => format!("{number:#x}"),
        (b'x', &Shown::Number(number, _)) => format!("{number:x}"),
        (b'X', &Shown::Number(number, _)) if has(b'#') && number != 0 => format!("0X{number:X}"),
        (b'X', &Shown::Number(number, _)) => format!("{number:X}"),
        (b'o', &Shown::Number(number, _)) if has(b'#') => format!("0{number:o}"),
        (b'o', &Shown::Number(number, _)) => format!("{number:o}"),
        (b'c', &Shown::Number(number, _)) => {
            return vec![number as u8];
        }
        (b'f' | b'F', &Shown::Real(number)) => {
            format!("{number:.*}", conversion.precision.unwrap_or(6))
        }
        (b'e', &Shown::Real(number)) => {
            format!("{number:.*e}", conversion.precision.unwrap_or(6))
        }
        (_, &Shown::Real(number)) => shortest(number, conversion.precision.unwrap_or(6)),
        (_, Shown::Text(text)) => {
            let end = conversion.precision.unwrap_or(text.len()).min(text.len());
            return padded(conversion, text[..end].to_vec(), b' ');
        }
        _ => String::new(),
    };
    if let (Some(digits), Shown::Number(..)) = (conversion.precision, shown) {
        text = format!("{text:0>digits$}");
    }
    let fill = if has(b'0') && !has(b'-') { b'0' } else { b' ' };
    padded(conversion, text.into_bytes(), fill)
}

fn padded(conversion: &Conversion, text: Vec<u8>, fill: u8) -> Vec<u8> {
    let missing = conversion.width.saturating_sub(text.len());
    let padding = vec![fill; missing];
    match conversion.flags.contains(&b'-') {
        true => [text, padding].concat(),
        false => [padding, text].concat(),
    }
}

/// A number as `%g` writes it.
fn shortest(number: f64, precision: usize) -> String {
    let precision = precision.max(1);
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let scientific = format!("{number:.*e}", precision - 1);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= precision as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(digits), exponent.abs());
    }
    let places = (precision as i32 - 1 - exponent).max(0) as usize;
    trimmed(&format!("{number:.places$}"))
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// A date of DOS: seven bits of years since 1980, four of months, five of days.
pub(super) fn dos_date(value: u64) -> Vec<u8> {
    let month = MONTHS[(value >> 5 & 15).clamp(1, 12) as usize - 1];
    format!("{month} {:02} {}", value & 31, 1980 + (value >> 9)).into_bytes()
}

/// A time of DOS: five bits of hours, six of minutes, five of pairs of seconds.
pub(super) fn dos_time(value: u64) -> Vec<u8> {
    let (hour, minute, second) = (value >> 11, value >> 5 & 63, (value & 31) * 2);
    format!("{hour:02}:{minute:02}:{second:02}").into_bytes()
}

/// A time as C's `ctime()` writes it.
pub(super) fn time(seconds: i64) -> Vec<u8> {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years begin in March here, so that the day that is added to some comes last.
    let shifted = days.saturating_add(719_468);
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12;
    let year = year + era * 400 + i64::from(month < 2);
    let text = format!(
        "{} {} {day:2} {:02}:{:02}:{:02} {year}",
        DAYS[days.rem_euclid(7) as usize],
        MONTHS[month as usize],
        second / 3600,
        second / 60 % 60,
        second % 60
    );
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        let show = |description: &[u8], shown| described(description, &shown);
        assert_eq!(show(b"v%d.", Shown::Number(3, 1)), b"v3.");
        assert_eq!(show(b"%-4x|", Shown::Number(255, 4)), b"ff  |");
        assert_eq!(show(b"%#x 100%%", Shown::Number(255, 4)), b"0xff 100%");
        assert_eq!(show(b"%d", Shown::Number(0xffff_ffff, 4)), b"-1");
        assert_eq!(show(b"%.3s!", Shown::Text(b"abcdef".to_vec())), b"abc!");
        assert_eq!(show(b"%g", Shown::Real(1.5)), b"1.5");
        assert_eq!(show(b"%.2d", Shown::Number(7, 2)), b"07");
        assert_eq!(printable(b"a\x01\xff"), b"a\\001\\377");
    }

    #[test]
    fn choices() {
        assert_eq!(&*chosen(b"a ${x?b:c} d", true), b"a b d");
        assert_eq!(&*chosen(b"${x?b:c}", false), b"c");
        assert_eq!(&*chosen(b"${x?b", false), b"${x?b");
    }

    #[test]
    fn times() {
        assert_eq!(time(0), b"Thu Jan  1 00:00:00 1970");
        assert_eq!(time(951_782_400), b"Tue Feb 29 00:00:00 2000");
        assert_eq!(time(-1), b"Wed Dec 31 23:59:59 1969");
    }
}
