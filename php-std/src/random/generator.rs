//! Generators of random bits, and how numbers in a range come from them.

use super::engines::{Pcg, Xoshiro};
use super::twister::Twister;

/// Attempts at a number before a generator counts as broken.
pub(super) const ATTEMPTS: u32 = 50;

/// Bits that a generator gave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits {
    /// The bits, the first byte lowest.
    pub(super) value: u64,
    /// How many bytes of them count.
    pub(super) bytes: u32,
}

/// Why there is no number.
#[derive(Debug)]
pub(super) enum Failure {
    /// An exception is thrown already.
    Thrown,
    /// A user's generator gave no acceptable number.
    Broken(&'static str),
}

/// What no number after so many attempts means.
pub(super) const NOT_ACCEPTABLE: Failure =
    Failure::Broken("Failed to generate an acceptable random number in 50 attempts");

/// Anything that gives random bits.
pub(super) trait Source {
    /// The next bits.
    fn bits(&mut self) -> Result<Bits, Failure>;

    /// Eight bytes of bits.
    fn wide(&mut self) -> Result<u64, Failure> {
        self.collect(8)
    }

    /// Enough bits for `wanted` bytes.
    fn collect(&mut self, wanted: u32) -> Result<u64, Failure> {
        let (mut value, mut bytes) = (0, 0);
        while bytes < wanted {
            let bits = self.bits()?;
            value |= bits.value << (bytes * 8);
            bytes += bits.bytes;
        }
        Ok(value)
    }

    /// A number between two bounds, inclusive, all equally likely.
    fn range(&mut self, minimum: i64, maximum: i64) -> Result<i64, Failure> {
        let span = maximum.wrapping_sub(minimum) as u64;
        let offset = self.below(span)?;
        Ok(minimum.wrapping_add(offset as i64))
    }

    /// Up to and including `span`.
    fn below(&mut self, span: u64) -> Result<u64, Failure> {
        let (wanted, most) = match u32::try_from(span) {
            Ok(_) => (4, u64::from(u32::MAX)),
            Err(_) => (8, u64::MAX),
        };
        let mut number = self.collect(wanted)? & most;
        if span == most {
            return Ok(number);
        }
        let count = span + 1;
        if count.is_power_of_two() {
            return Ok(number & span);
        }
        // Numbers over a whole multiple of `count` are thrown away.
        let limit = most - most % count - 1;
        let mut attempts = 0;
        while number > limit {
            attempts += 1;
            if attempts > ATTEMPTS {
                return Err(NOT_ACCEPTABLE);
            }
            number = self.collect(wanted)? & most;
        }
        Ok(number % count)
    }
}

/// The generators that PHP has.
#[derive(Debug, Clone)]
pub(super) enum Generator {
    Twister(Box<Twister>),
    Pcg(Pcg),
    Xoshiro(Xoshiro),
    Secure,
}

impl Source for Generator {
    fn bits(&mut self) -> Result<Bits, Failure> {
        let (value, bytes) = match self {
            Generator::Twister(twister) => (twister.next().into(), 4),
            Generator::Pcg(pcg) => (pcg.next(), 8),
            Generator::Xoshiro(xoshiro) => (xoshiro.next(), 8),
            Generator::Secure => {
                let mut bytes = [0; 8];
                if super::fill_secure(&mut bytes).is_err() {
                    return Err(Failure::Broken("Could not gather sufficient random data"));
                }
                (u64::from_le_bytes(bytes), 8)
            }
        };
        Ok(Bits { value, bytes })
    }

    fn range(&mut self, minimum: i64, maximum: i64) -> Result<i64, Failure> {
        if let Generator::Twister(twister) = self {
            return Ok(twister.scaled(minimum, maximum));
        }
        let offset = self.below(maximum.wrapping_sub(minimum) as u64)?;
        Ok(minimum.wrapping_add(offset as i64))
    }
}
