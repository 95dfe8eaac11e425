//! `strftime()` and `gmstrftime()`, in the locale `C`.

use super::calendar::{day_of_year, iso_week, iso_weekday, weekday};
use super::format::hour12;
use super::parse::{english_month, english_weekday};
use super::time::Time;

/// PHP's buffer for the text: what does not fit is none.
const LONGEST: usize = 4095;

/// A point of time by a format of C's `strftime`, with the flags and widths that the GNU library has; empty if it is
/// longer than PHP has room for.
pub(super) fn strftime(time: &Time, format: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(format.len() * 3);
    let mut rest = format;
    while let [first, after @ ..] = rest {
        if output.len() > LONGEST {
            return Vec::new();
        }
        rest = after;
        if *first != b'%' {
            output.push(*first);
            continue;
        }
        let (style, after) = Style::read(after);
        let [character, behind @ ..] = after else {
            // The end of the text stands for a letter that is none.
            style.lay_out(
                &[&b"%"[..], &rest[..rest.len() - after.len()]].concat(),
                0,
                b'?',
                &mut output,
            );
            break;
        };
        match field(time, *character) {
            Some(text) if style.allows(*character) => {
                style.lay_out(
                    text.as_bytes(),
                    padding(*character),
                    *character,
                    &mut output,
                );
            }
            _ => {
                let written = &rest[..rest.len() - behind.len()];
                style.lay_out(&[&b"%"[..], written].concat(), 0, b'?', &mut output);
            }
        }
        rest = behind;
    }
    match output.len() {
        0..=LONGEST => output,
        _ => Vec::new(),
    }
}

/// What stands between the percent sign and the letter.
#[derive(Default)]
struct Style {
    /// `_`, `-` or `0`: what numbers are filled with.
    fill: Option<u8>,
    upper: bool,
    swapped: bool,
    width: Option<usize>,
    /// `E` or `O`, which change nothing in this locale.
    modifier: Option<u8>,
}

/// Wider than any text.
const WIDEST: usize = LONGEST + 1;

impl Style {
    fn read(mut text: &[u8]) -> (Style, &[u8]) {
        let mut style = Style::default();
        while let [flag, after @ ..] = text {
            match flag {
                b'_' | b'-' | b'0' | b'+' => style.fill = Some(*flag),
                b'^' => style.upper = true,
                b'#' => style.swapped = true,
                _ => break,
            }
            text = after;
        }
        while let [digit @ b'0'..=b'9', after @ ..] = text {
            let width = style.width.unwrap_or(0) * 10 + usize::from(digit - b'0');
            style.width = Some(width.min(WIDEST));
            text = after;
        }
        if let [modifier @ (b'E' | b'O'), after @ ..] = text {
            style.modifier = Some(*modifier);
            text = after;
        }
        (style, text)
    }

    /// Whether the modifier goes with a letter.
    fn allows(&self, character: u8) -> bool {
        match self.modifier {
            Some(b'E') => b"cCyYxXG".contains(&character),
            Some(_) => !b"aAcCDFGRTxXYpPrZz%nts".contains(&character),
            None => true,
        }
    }

    /// Writes a field that is a number of so many digits, or text if that is 0.
    fn lay_out(&self, text: &[u8], digits: usize, character: u8, output: &mut Vec<u8>) {
        let mut text = text.to_vec();
        let is_number = digits > 0;
        if self.upper || self.swapped && b"aAbBh".contains(&character) {
            text.make_ascii_uppercase();
        } else if self.swapped && b"pZ".contains(&character) {
            text.make_ascii_lowercase();
        }
        let fill = match (self.fill, is_number) {
            (Some(b'_'), _) => b' ',
            (Some(b'0' | b'+'), _) => b'0',
            (None, true) if b"ekl".contains(&character) => b' ',
            (None, true) => b'0',
            _ => b' ',
        };
        if !is_number {
            let missing = self.width.unwrap_or(0).saturating_sub(text.len());
            output.extend(std::iter::repeat_n(fill, missing));
            output.extend(text);
            return;
        }
        // Numbers are filled behind their sign, which counts.
        let (sign, plain) = match text.split_first() {
            Some((sign @ (b'-' | b'+'), plain)) => (Some(*sign), plain),
            _ => (None, &text[..]),
        };
        let trimmed = plain
            .iter()
            .take_while(|byte| matches!(byte, b'0' | b' '))
            .count();
        let plain = &plain[trimmed.min(plain.len().saturating_sub(1))..];
        let wanted = match (self.fill, self.width) {
            (Some(b'-'), _) => 0,
            (_, Some(width)) => width
                .max(digits)
                .saturating_sub(usize::from(sign.is_some())),
            _ => digits,
        };
        output.extend(sign);
        output.extend(std::iter::repeat_n(
            fill,
            wanted.saturating_sub(plain.len()),
        ));
        output.extend(plain);
    }
}

/// The digits of a field that is a number, which are filled up.
fn padding(character: u8) -> usize {
    match character {
        b'C' | b'd' | b'e' | b'g' | b'H' | b'I' | b'k' | b'l' | b'm' | b'M' | b'S' | b'U'
        | b'V' | b'W' | b'y' => 2,
        b'j' => 3,
        b'z' => 4,
        b'G' | b's' | b'u' | b'w' | b'Y' => 1,
        _ => 0,
    }
}

fn field(time: &Time, character: u8) -> Option<String> {
    let &Time {
        year,
        month,
        day,
        hour,
        minute,
        second,
        ..
    } = time;
    let day_of_week = weekday(year, month, day);
    let of_year = day_of_year(year, month, day);
    let part = |text: &[u8]| String::from_utf8_lossy(&strftime(time, text)).into_owned();
    let (iso_year, week) = iso_week(year, month, day);
    Some(match character {
        b'a' => english_weekday(day_of_week)[..3].to_owned(),
        b'A' => english_weekday(day_of_week).to_owned(),
        b'b' | b'h' => english_month(month)[..3].to_owned(),
        b'B' => english_month(month).to_owned(),
        b'c' => part(b"%a %b %e %H:%M:%S %Y"),
        b'C' => format!("{:02}", year.div_euclid(100)),
        b'd' => format!("{day:02}"),
        b'D' | b'x' => part(b"%m/%d/%y"),
        b'e' => format!("{day:2}"),
        b'F' => part(b"%Y-%m-%d"),
        b'g' => format!("{:02}", iso_year.rem_euclid(100)),
        b'G' => iso_year.to_string(),
        b'H' => format!("{hour:02}"),
        b'I' => format!("{:02}", hour12(hour)),
        b'j' => format!("{:03}", of_year + 1),
        b'k' => format!("{hour:2}"),
        b'l' => format!("{:2}", hour12(hour)),
        b'm' => format!("{month:02}"),
        b'M' => format!("{minute:02}"),
        b'n' => "\n".to_owned(),
        b'p' => if hour >= 12 { "PM" } else { "AM" }.to_owned(),
        b'P' => if hour >= 12 { "pm" } else { "am" }.to_owned(),
        b'r' => part(b"%I:%M:%S %p"),
        b'R' => part(b"%H:%M"),
        b's' => time.stamp.to_string(),
        b'S' => format!("{second:02}"),
        b't' => "\t".to_owned(),
        b'T' | b'X' => part(b"%H:%M:%S"),
        b'u' => iso_weekday(year, month, day).to_string(),
        b'U' => format!("{:02}", (of_year + 7 - day_of_week) / 7),
        b'V' => format!("{week:02}"),
        b'w' => day_of_week.to_string(),
        b'W' => format!("{:02}", (of_year + 7 - (day_of_week + 6) % 7) / 7),
        b'y' => format!("{:02}", year.rem_euclid(100)),
        b'Y' => year.to_string(),
        b'z' => super::zone::minutes_text(time.state.seconds, false),
        b'Z' => time.zone.abbreviation(time.stamp),
        b'%' => "%".to_owned(),
        _ => return None,
    })
}
