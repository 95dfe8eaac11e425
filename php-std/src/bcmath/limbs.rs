//! Decimal numbers of up to some dozens of digits, which need no conversion: sixteen digits a limb.

use std::cmp::Ordering;

use vm_runtime::operators::float_text::PAIRS;

/// Digits of a limb.
const DIGITS: usize = 16;
/// What a limb stays below.
const BASE: u64 = 10_000_000_000_000_000;
/// Limbs of an operand at most, and of a number.
const MOST: usize = 4;
const LIMBS: usize = 2 * MOST;

/// A number of limbs, the lowest first.
#[derive(Clone, Copy)]
pub(super) struct Limbs {
    is_negative: bool,
    limbs: [u64; LIMBS],
    /// Digits of the fraction.
    scale: usize,
}

/// The parts of a number that is written as digits, and perhaps a sign and a point.
#[derive(Clone, Copy)]
struct Written<'a> {
    is_negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
}

impl<'a> Written<'a> {
    /// The parts of a text, if it has few digits, and no others.
    fn of(text: &'a [u8]) -> Option<Written<'a>> {
        let (is_negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        if digits.len() > MOST * DIGITS {
            return None;
        }
        let (whole, fraction) = match memchr::memchr(b'.', digits) {
            Some(point) => (&digits[..point], &digits[point + 1..]),
            None => (digits, &b""[..]),
        };
        // All of them are looked at, which can be done at once.
        let are_digits = |part: &[u8]| {
            part.iter()
                .fold(true, |all, digit| all & digit.is_ascii_digit())
        };
        (are_digits(whole) && are_digits(fraction)).then_some(Written {
            is_negative,
            whole,
            fraction,
        })
    }

    /// The number, with as many digits of a fraction, of which there are not less.
    fn limbs(self, scale: usize) -> Option<Limbs> {
        let written = self.whole.len() + self.fraction.len();
        let zeros = scale - self.fraction.len();
        if written + zeros > MOST * DIGITS {
            return None;
        }
        if scale == 0 {
            return Some(self.whole_limbs());
        }
        let mut text = [b'0'; MOST * DIGITS];
        let start = text.len() - written - zeros;
        let point = start + self.whole.len();
        text[start..point].copy_from_slice(self.whole);
        text[point..point + self.fraction.len()].copy_from_slice(self.fraction);
        let mut limbs = [0; LIMBS];
        let used = (written + zeros).div_ceil(DIGITS);
        let groups = text.as_chunks::<DIGITS>().0.iter().rev();
        for (limb, group) in limbs.iter_mut().zip(groups.take(used)) {
            *limb = sixteen_digits(group);
        }
        Some(Limbs {
            is_negative: self.is_negative,
            limbs,
            scale,
        })
    }

    /// The number without a fraction, read where it stands.
    fn whole_limbs(self) -> Limbs {
        let mut limbs = [0; LIMBS];
        let mut rest = self.whole;
        let mut places = limbs.iter_mut();
        while let Some((before, group)) = rest.split_last_chunk::<DIGITS>() {
            if let Some(limb) = places.next() {
                *limb = sixteen_digits(group);
            }
            rest = before;
        }
        if let Some(limb) = places.next() {
            *limb = few_digits(rest);
        }
        Limbs {
            is_negative: self.is_negative,
            limbs,
            scale: 0,
        }
    }
}

/// The number that less than sixteen digits make.
fn few_digits(digits: &[u8]) -> u64 {
    match (digits.first_chunk::<8>(), digits.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            // What both have counts once.
            let twice = 2 * 8 - digits.len();
            let high = eight_digits(first) / POWERS[twice];
            high * 100_000_000 + eight_digits(last)
        }
        _ => digits
            .iter()
            .fold(0, |number, digit| number * 10 + u64::from(digit - b'0')),
    }
}

/// Powers of ten.
static POWERS: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// The number that sixteen digits make.
fn sixteen_digits(digits: &[u8; DIGITS]) -> u64 {
    let (high, low) = digits.split_at(DIGITS / 2);
    match (high.try_into(), low.try_into()) {
        (Ok(high), Ok(low)) => eight_digits(high) * 100_000_000 + eight_digits(low),
        _ => 0,
    }
}

/// The number that eight digits make: pairs, then fours, then all of them at once.
fn eight_digits(digits: &[u8; 8]) -> u64 {
    let digits = u64::from_le_bytes(*digits) & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours * 10_000 + (fours >> 32)) & 0xffff_ffff
}

/// Two numbers with as long a fraction, if they are well-formed and short.
fn aligned(one: &[u8], two: &[u8]) -> Option<(Limbs, Limbs)> {
    let (one, two) = (Written::of(one)?, Written::of(two)?);
    let scale = one.fraction.len().max(two.fraction.len());
    Some((one.limbs(scale)?, two.limbs(scale)?))
}

/// The sum of two numbers that are written, if they are well-formed and short.
pub(super) fn add(one: &[u8], two: &[u8]) -> Option<Limbs> {
    let (one, two) = aligned(one, two)?;
    Some(one.plus(&two))
}

/// The difference of two such numbers.
pub(super) fn subtract(one: &[u8], two: &[u8]) -> Option<Limbs> {
    let (one, mut two) = aligned(one, two)?;
    two.is_negative = !two.is_negative;
    Some(one.plus(&two))
}

/// The product of two such numbers.
pub(super) fn multiply(one: &[u8], two: &[u8]) -> Option<Limbs> {
    let (one, two) = (Written::of(one)?, Written::of(two)?);
    let one = one.limbs(one.fraction.len())?;
    let two = two.limbs(two.fraction.len())?;
    let mut limbs = [0; LIMBS];
    for (place, &factor) in one.limbs[..MOST].iter().enumerate() {
        if factor == 0 {
            continue;
        }
        let mut carry = 0;
        for (target, &other) in limbs[place..].iter_mut().zip(&two.limbs[..=MOST]) {
            let product = u128::from(factor) * u128::from(other) + u128::from(*target + carry);
            *target = (product % u128::from(BASE)) as u64;
            carry = (product / u128::from(BASE)) as u64;
        }
    }
    Some(Limbs {
        is_negative: one.is_negative != two.is_negative,
        limbs,
        scale: one.scale + two.scale,
    })
}

/// The order of two such numbers, of whose fractions only `scale` digits count.
pub(super) fn compare(one: &[u8], two: &[u8], scale: usize) -> Option<i64> {
    let (mut one, mut two) = (Written::of(one)?, Written::of(two)?);
    for number in [&mut one, &mut two] {
        number.fraction = &number.fraction[..scale.min(number.fraction.len())];
    }
    let scale = one.fraction.len().max(two.fraction.len());
    let (one, mut two) = (one.limbs(scale)?, two.limbs(scale)?);
    two.is_negative = !two.is_negative;
    let difference = one.plus(&two);
    Some(match difference.limbs == [0; LIMBS] {
        true => 0,
        false if difference.is_negative => -1,
        false => 1,
    })
}

impl Limbs {
    /// The sum with a number that has as long a fraction.
    fn plus(&self, other: &Limbs) -> Limbs {
        if self.is_negative == other.is_negative {
            let mut sum = *self;
            let mut carry = 0;
            for (limb, &added) in sum.limbs.iter_mut().zip(&other.limbs) {
                *limb += added + carry;
                carry = u64::from(*limb >= BASE);
                *limb -= carry * BASE;
            }
            return sum;
        }
        let is_less = self.limbs.iter().rev().cmp(other.limbs.iter().rev()) == Ordering::Less;
        let (mut more, less) = match is_less {
            true => (*other, self),
            false => (*self, other),
        };
        let mut borrowed = 0;
        for (limb, &taken) in more.limbs.iter_mut().zip(&less.limbs) {
            let taken = taken + borrowed;
            borrowed = u64::from(*limb < taken);
            *limb = *limb + borrowed * BASE - taken;
        }
        more
    }

    /// The digits, with zeros in front.
    fn digits(&self) -> [u8; LIMBS * DIGITS] {
        let mut digits = [b'0'; LIMBS * DIGITS];
        for (group, &limb) in digits
            .as_chunks_mut::<DIGITS>()
            .0
            .iter_mut()
            .rev()
            .zip(&self.limbs)
        {
            if limb == 0 {
                continue;
            }
            // Four independent groups of four digits.
            let (high, low) = (limb / 100_000_000, limb % 100_000_000);
            let fours = [high / 10_000, high % 10_000, low / 10_000, low % 10_000];
            for (target, four) in group.as_chunks_mut::<4>().0.iter_mut().zip(fours) {
                let (first, second) = (four as usize / 100 * 2, four as usize % 100 * 2);
                target[..2].copy_from_slice(&PAIRS[first..first + 2]);
                target[2..].copy_from_slice(&PAIRS[second..second + 2]);
            }
        }
        digits
    }

    /// Passes on the parts of the number as text with `scale` digits behind the point: sign, whole part, point,
    /// fraction, and how many zeros follow. Zero has no sign.
    pub(super) fn write<T>(&self, scale: usize, put: impl FnOnce([&[u8]; 4], usize) -> T) -> T {
        let digits = self.digits();
        let point = digits.len() - self.scale;
        let end = point + self.scale.min(scale);
        let used = self.limbs.iter().rposition(|&limb| limb != 0);
        let first = digits.len() - used.map_or(0, |highest| highest + 1) * DIGITS;
        let zeros = digits[first.min(point - 1)..point - 1].iter();
        let zeros = zeros.take_while(|&&digit| digit == b'0').count();
        let whole = &digits[first.min(point - 1) + zeros..point];
        let fraction = &digits[point..end];
        let is_zero = whole == b"0" && fraction.iter().all(|&digit| digit == b'0');
        let sign: &[u8] = match self.is_negative && !is_zero {
            true => b"-",
            false => b"",
        };
        let dot: &[u8] = if scale > 0 { b"." } else { b"" };
        put([sign, whole, dot, fraction], scale - fraction.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::Decimal;
    use super::*;

    fn text(number: &Limbs, scale: usize) -> String {
        number.write(scale, |parts, zeros| {
            String::from_utf8(parts.concat()).expect("digits") + &"0".repeat(zeros)
        })
    }

    #[test]
    fn short_numbers_are_calculated_as_long_ones() {
        let numbers = [
            "0",
            "-0",
            "+1",
            "-1",
            "",
            ".",
            "5.",
            ".5",
            "-.05",
            "0.50",
            "9",
            "10",
            "0099.90",
            "-99.99",
            "9999999999999999",
            "10000000000000000",
            "-10000000000000000.0000000000000001",
            "123456789012345678901234567890",
            "12345678",
            "-123456789012",
            "12345678901234567890123",
            "-98765432109876543210.98765432109876543210",
            "9999999999999999999999999999999999999999999999999999999999999999",
            "-0.000000000000000000000000000000000000000000000000000000000000001",
        ];
        for one in numbers {
            for two in numbers {
                let long = |text: &str| Decimal::parse(text.as_bytes()).expect("a number");
                let (first, second) = (long(one), long(two));
                let results = [
                    (add(one.as_bytes(), two.as_bytes()), first.add(&second)),
                    (
                        subtract(one.as_bytes(), two.as_bytes()),
                        first.subtract(&second),
                    ),
                    (
                        multiply(one.as_bytes(), two.as_bytes()),
                        first.multiply(&second),
                    ),
                ];
                for scale in [0, 1, 17, 70] {
                    if let Some(order) = compare(one.as_bytes(), two.as_bytes(), scale) {
                        let of = |number: &Decimal| number.with_scale(scale.min(number.scale));
                        let long = of(&first).compare(&of(&second)) as i64;
                        assert_eq!(order, long, "{one} {two} {scale}");
                    }
                }
                for (short, long) in results {
                    for scale in [0, 1, 17, 70] {
                        if let Some(short) = &short {
                            assert_eq!(text(short, scale), long.text(scale), "{one} {two}");
                        }
                    }
                }
            }
        }
        assert!(
            add(b"1", b"1x").is_none()
                && add(b"1", b"1.2.3").is_none()
                && add(b"--1", b"1").is_none()
        );
        assert!(multiply(b"12345", &[b'9'; 64]).is_some() && multiply(b"1", &[b'9'; 65]).is_none());
    }
}
