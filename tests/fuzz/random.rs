//! Numbers that look random and follow from the number of a case.

/// Made from a seed (xorshift64*).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a case.
    pub fn of_case(number: u64) -> Random {
        Random((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// The next one, below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound.max(1)
    }

    /// One of some things.
    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
