//! Guards that leave for no reason, so that what they lead to is tried (`opline.jit=stress`).
//!
//! Each guard counts in one of a few counters and leaves when the lower bits of it are zero. Which counter, and
//! how many bits, follows from a seed; as guards share counters, which of them leaves in which round looks
//! like chance and is the same each time.

use std::cell::UnsafeCell;

/// Counters that guards share.
const COUNTERS: usize = 64;
/// A guard leaves every so many times, as a power of two: at least and at most.
const LEAST: u64 = 3;
const MOST: u64 = 10;

/// What the code of a VM counts in.
#[derive(Debug)]
pub struct Stress {
    seed: u64,
    /// Written by compiled code only.
    counters: Box<[UnsafeCell<u32>]>,
}

impl Stress {
    /// Counters that begin with what follows from a seed.
    pub fn new(seed: u64) -> Stress {
        let mut state = seed;
        let counters = (0..COUNTERS).map(|_| UnsafeCell::new(random(&mut state) as u32));
        Stress {
            seed,
            counters: counters.collect(),
        }
    }

    /// For the code of one unit. The counters outlive it.
    pub fn of_code(&self) -> StressedCode {
        StressedCode {
            state: self.seed,
            counters: self.counters.as_ptr() as u64,
        }
    }
}

/// What guards of a unit count in.
#[derive(Debug, Clone, Copy)]
pub struct StressedCode {
    state: u64,
    counters: u64,
}

impl StressedCode {
    /// The address of the counter of the next guard, and the bits that are zero when it leaves.
    pub fn next(&mut self) -> (u64, i32) {
        let number = random(&mut self.state);
        let counter = self.counters + number % COUNTERS as u64 * size_of::<u32>() as u64;
        let bits = LEAST + (number >> 32) % (MOST + 1 - LEAST);
        (counter, (1 << bits) - 1)
    }
}

/// The next number (splitmix64).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut number = *state;
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
