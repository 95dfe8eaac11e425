//! Punycode (RFC 3492): the letters of a label as ASCII.

use vm_runtime::limits;

const BASE: u32 = 36;
const SMALLEST_THRESHOLD: u32 = 1;
const LARGEST_THRESHOLD: u32 = 26;
const SKEW: u32 = 38;
const DAMPING: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST_LETTER: u32 = 0x80;

/// The bias after a letter.
fn adapted(delta: u32, count: u32, is_first: bool) -> u32 {
    let mut delta = delta / if is_first { DAMPING } else { 2 };
    delta += delta / count;
    let mut steps = 0;
    while delta > (BASE - SMALLEST_THRESHOLD) * LARGEST_THRESHOLD / 2 {
        delta /= BASE - SMALLEST_THRESHOLD;
        steps += BASE;
    }
    steps + (BASE - SMALLEST_THRESHOLD + 1) * delta / (delta + SKEW)
}

fn threshold(place: u32, bias: u32) -> u32 {
    place
        .saturating_sub(bias)
        .clamp(SMALLEST_THRESHOLD, LARGEST_THRESHOLD)
}

fn digit(value: u32) -> char {
    (match value {
        0..26 => b'a' + value as u8,
        value => b'0' + (value - 26) as u8,
    })
    .into()
}

fn value(digit: u8) -> Option<u32> {
    match digit {
        b'a'..=b'z' => Some((digit - b'a').into()),
        b'A'..=b'Z' => Some((digit - b'A').into()),
        b'0'..=b'9' => Some(u32::from(digit - b'0') + 26),
        _ => None,
    }
}

/// Encodes a label that is not too long for a domain; of longer ones the numbers wrap.
pub(super) fn encode(label: &str) -> String {
    let mut output: String = label.chars().filter(char::is_ascii).collect();
    let plain = output.len() as u32;
    if plain > 0 {
        output.push('-');
    }
    let total = label.chars().count() as u32;
    let (mut letter, mut delta, mut bias, mut done) = (FIRST_LETTER, 0u32, FIRST_BIAS, plain);
    while done < total {
        limits::poll();
        let rest = label
            .chars()
            .map(u32::from)
            .filter(|other| *other >= letter);
        let next = rest.min().unwrap_or(letter);
        delta = delta.wrapping_add((next - letter).wrapping_mul(done + 1));
        letter = next;
        for other in label.chars().map(u32::from) {
            if other < letter {
                delta = delta.wrapping_add(1);
            }
            if other != letter {
                continue;
            }
            let mut rest = delta;
            for place in (BASE..).step_by(BASE as usize) {
                let threshold = threshold(place, bias);
                if rest < threshold {
                    break;
                }
                output.push(digit(threshold + (rest - threshold) % (BASE - threshold)));
                rest = (rest - threshold) / (BASE - threshold);
            }
            output.push(digit(rest));
            bias = adapted(delta, done + 1, done == plain);
            delta = 0;
            done += 1;
        }
        delta = delta.wrapping_add(1);
        letter += 1;
    }
    output
}

/// Decodes what stands behind the prefix. None if it is no Punycode.
pub(super) fn decode(encoded: &str) -> Option<String> {
    if !encoded.is_ascii() {
        return None;
    }
    let (plain, digits) = match encoded.rsplit_once('-') {
        // A delimiter that delimits nothing is none.
        Some(("", _)) => return None,
        Some((plain, digits)) => (plain, digits),
        None => ("", encoded),
    };
    let mut output: Vec<char> = plain.chars().collect();
    let (mut letter, mut place_in_all, mut bias) = (FIRST_LETTER, 0u32, FIRST_BIAS);
    let mut digits = digits.bytes().peekable();
    while digits.peek().is_some() {
        limits::poll();
        let before = place_in_all;
        let mut weight = 1u32;
        for place in (BASE..).step_by(BASE as usize) {
            let value = value(digits.next()?)?;
            place_in_all = place_in_all.checked_add(value.checked_mul(weight)?)?;
            let threshold = threshold(place, bias);
            if value < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
        }
        let count = output.len() as u32 + 1;
        bias = adapted(place_in_all - before, count, before == 0);
        letter = letter.checked_add(place_in_all / count)?;
        place_in_all %= count;
        output.insert(place_in_all as usize, char::from_u32(letter)?);
        place_in_all += 1;
    }
    Some(output.into_iter().collect())
}
