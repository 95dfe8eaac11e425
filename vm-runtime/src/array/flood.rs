//! Arrays whose keys meet in a few chains.
//!
//! The chain of a key is chosen by the low bits of its hash; integers are their own hash. That is fast,
//! and keys that are near each other stay near each other in memory, but a script, or whoever sends it
//! data, can choose keys that all meet in one chain, where each costs as much as there are. So an
//! array in which a chain gets long is *scrambled*: from then on its chains are chosen by all
//! bits of the hash and a secret of the process. Hashes of strings have a secret factor, so whole
//! hashes do not meet by choice.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{INVALID, PhpArray};

/// Array flag: chains are chosen by [`scramble`].
pub(super) const SCRAMBLED: u32 = 1 << 6;

/// A chain of this length is no accident: there are twice as many chains as entries.
const LONG: u32 = 24;

/// The numbers of [`scramble`], set before the first array is scrambled.
static NUMBERS: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// Mixes all bits of a hash. Makes no call, for fast paths.
#[inline(always)]
pub(super) fn scramble(hash: u64) -> u64 {
    let add = NUMBERS[0].load(Ordering::Relaxed);
    let factor = NUMBERS[1].load(Ordering::Relaxed);
    let product = u128::from(hash ^ add) * u128::from(factor);
    product as u64 ^ (product >> 64) as u64
}

impl PhpArray {
    /// Scrambles the array if the chain of entry `index`, which was just put at its head, is too long.
    ///
    /// # Safety
    /// Entry `index` is initialised and linked (invariant I5); the array has one owner.
    #[inline(always)]
    pub(super) unsafe fn check_chain(&mut self, index: u32) {
        // SAFETY: by the caller.
        unsafe {
            let next = (*self.buckets().add(index as usize)).value.extra;
            // Two in a chain are nothing to speak of.
            if next != INVALID
                && (*self.buckets().add(next as usize)).value.extra != INVALID
                && self.flags & SCRAMBLED == 0
            {
                self.check_rest_of_chain(next);
            }
        }
    }

    #[cold]
    #[inline(never)]
    unsafe fn check_rest_of_chain(&mut self, first: u32) {
        // SAFETY: I5: chains lead through initialised buckets.
        unsafe {
            let (mut length, mut index) = (1, first);
            while index != INVALID && length < LONG {
                index = (*self.buckets().add(index as usize)).value.extra;
                length += 1;
            }
            if length == LONG {
                let (add, factor) = crate::secret::scramble_numbers();
                NUMBERS[0].store(add, Ordering::Relaxed);
                NUMBERS[1].store(factor, Ordering::Relaxed);
                self.flags |= SCRAMBLED;
                self.rebuild_chains();
            }
        }
    }
}
