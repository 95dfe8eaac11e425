//! The generators PCG (oneseq 128, XSL RR 64) and xoshiro256**.

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
const INCREMENT: u128 = 0x5851_f42d_4c95_7f2d_1405_7b7e_f767_814f;

/// PCG with 128 bits of state and one sequence.
#[derive(Debug, Clone)]
pub(super) struct Pcg {
    pub(super) state: u128,
}

impl Pcg {
    /// A generator with a seed.
    pub(super) fn new(seed: u128) -> Pcg {
        let mut pcg = Pcg { state: 0 };
        pcg.step();
        pcg.state = pcg.state.wrapping_add(seed);
        pcg.step();
        pcg
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
    }

    /// The next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.step();
        let (high, low) = ((self.state >> 64) as u64, self.state as u64);
        (high ^ low).rotate_right((high >> 58) as u32)
    }

    /// Skips so many numbers, in steps of powers of two.
    pub(super) fn jump(&mut self, mut count: u64) {
        let (mut multiplier, mut increment) = (MULTIPLIER, INCREMENT);
        let (mut all_multiplied, mut all_added) = (1u128, 0u128);
        while count > 0 {
            if count & 1 != 0 {
                all_multiplied = all_multiplied.wrapping_mul(multiplier);
                all_added = all_added.wrapping_mul(multiplier).wrapping_add(increment);
            }
            increment = multiplier.wrapping_add(1).wrapping_mul(increment);
            multiplier = multiplier.wrapping_mul(multiplier);
            count >>= 1;
        }
        self.state = all_multiplied
            .wrapping_mul(self.state)
            .wrapping_add(all_added);
    }
}

/// xoshiro256**
#[derive(Debug, Clone)]
pub(super) struct Xoshiro {
    pub(super) state: [u64; 4],
}

/// Polynomials of a jump over 2^128 numbers, and over 2^192.
const JUMP: [u64; 4] = [
    0x180e_c6d3_3cfd_0aba,
    0xd5a6_1266_f0c9_392c,
    0xa958_2618_e03f_c9aa,
    0x39ab_dc45_29b1_661c,
];
const LONG_JUMP: [u64; 4] = [
    0x76e1_5d3e_fefd_cbbf,
    0xc500_4e44_1c52_2fb3,
    0x7771_0069_854e_e241,
    0x3910_9bb0_2acb_e635,
];

impl Xoshiro {
    /// A generator whose state comes from a number, by SplitMix64.
    pub(super) fn new(seed: u64) -> Xoshiro {
        let mut seed = seed;
        let state = [0; 4].map(|_: u64| {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = seed;
            mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ mixed >> 31
        });
        Xoshiro { state }
    }

    /// The next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        let state = &mut self.state;
        let result = state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3].rotate_left(45);
        result
    }

    /// Skips 2^128 numbers.
    pub(super) fn jump(&mut self) {
        self.jump_by(&JUMP);
    }

    /// Skips 2^192 numbers.
    pub(super) fn jump_long(&mut self) {
        self.jump_by(&LONG_JUMP);
    }

    fn jump_by(&mut self, polynomial: &[u64; 4]) {
        let mut target = [0; 4];
        for word in polynomial {
            for bit in 0..64 {
                if word >> bit & 1 != 0 {
                    for (target, state) in target.iter_mut().zip(&self.state) {
                        *target ^= state;
                    }
                }
                self.next();
            }
        }
        self.state = target;
    }
}
