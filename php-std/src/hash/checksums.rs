//! Checksums, and hashes that are not meant to be safe.

pub(super) fn adler32(data: &[u8]) -> Vec<u8> {
    let (mut a, mut b) = (1u32, 0u32);
    for chunk in data.chunks(5552) {
        for &byte in chunk {
            a += byte as u32;
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    (b << 16 | a).to_be_bytes().to_vec()
}

/// The checksum of bzip2: most significant bit first, printed with its bytes swapped.
pub(super) fn crc32_bzip(data: &[u8]) -> Vec<u8> {
    let mut crc = !0u32;
    for &byte in data {
        crc ^= (byte as u32) << 24;
        for _ in 0..8 {
            crc = if crc >> 31 != 0 {
                crc << 1 ^ 0x04c1_1db7
            } else {
                crc << 1
            };
        }
    }
    (!crc).to_le_bytes().to_vec()
}

pub(super) fn crc32c(data: &[u8]) -> Vec<u8> {
    let mut crc = !0u32;
    for &byte in data {
        crc ^= byte as u32;
        for _ in 0..8 {
            crc = if crc & 1 != 0 {
                crc >> 1 ^ 0x82f6_3b78
            } else {
                crc >> 1
            };
        }
    }
    (!crc).to_be_bytes().to_vec()
}

pub(super) fn fnv32(data: &[u8], xor_first: bool) -> Vec<u8> {
    let step = |hash: u32, &byte: &u8| match xor_first {
        true => (hash ^ byte as u32).wrapping_mul(0x0100_0193),
        false => hash.wrapping_mul(0x0100_0193) ^ byte as u32,
    };
    data.iter().fold(0x811c_9dc5, step).to_be_bytes().to_vec()
}

pub(super) fn fnv64(data: &[u8], xor_first: bool) -> Vec<u8> {
    let step = |hash: u64, &byte: &u8| match xor_first {
        true => (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3),
        false => hash.wrapping_mul(0x0100_0000_01b3) ^ byte as u64,
    };
    data.iter()
        .fold(0xcbf2_9ce4_8422_2325, step)
        .to_be_bytes()
        .to_vec()
}

pub(super) fn joaat(data: &[u8]) -> Vec<u8> {
    let mut hash = 0u32;
    for &byte in data {
        hash = hash.wrapping_add(byte as u32);
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15).to_be_bytes().to_vec()
}

/// MurmurHash3 in its 32-bit variant.
pub(super) fn murmur3a(data: &[u8], seed: u32) -> Vec<u8> {
    let (c1, c2) = (0xcc9e_2d51u32, 0x1b87_3593u32);
    let scramble = |block: u32| block.wrapping_mul(c1).rotate_left(15).wrapping_mul(c2);
    let mut hash = seed;
    let mut blocks = data.chunks_exact(4);
    for block in &mut blocks {
        hash ^= scramble(word32(block));
        hash = hash
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    hash ^= scramble(word32(blocks.remainder()));
    hash ^= data.len() as u32;
    finish32(hash).to_be_bytes().to_vec()
}

/// MurmurHash3 of 128 bits, for 32-bit machines.
pub(super) fn murmur3c(data: &[u8], seed: u32) -> Vec<u8> {
    const C: [u32; 4] = [0x239b_961b, 0xab0e_9789, 0x38b3_4ae5, 0xa1e3_8b93];
    const SHIFTS: [u32; 4] = [15, 16, 17, 18];
    const ROTATIONS: [u32; 4] = [19, 17, 15, 13];
    const ADDED: [u32; 4] = [0x561c_cd1b, 0x0bca_a747, 0x96cd_1c35, 0x32ac_3b17];
    let scramble = |lane: usize, block: u32| {
        let mixed = block.wrapping_mul(C[lane]).rotate_left(SHIFTS[lane]);
        mixed.wrapping_mul(C[(lane + 1) % 4])
    };
    let mut hash = [seed; 4];
    let mut blocks = data.chunks_exact(16);
    for block in &mut blocks {
        for lane in 0..4 {
            hash[lane] ^= scramble(lane, word32(&block[lane * 4..lane * 4 + 4]));
            let mixed = hash[lane].rotate_left(ROTATIONS[lane]);
            let mixed = mixed.wrapping_add(hash[(lane + 1) % 4]);
            hash[lane] = mixed.wrapping_mul(5).wrapping_add(ADDED[lane]);
        }
    }
    for (lane, block) in blocks.remainder().chunks(4).enumerate() {
        hash[lane] ^= scramble(lane, word32(block));
    }
    hash = hash.map(|lane| lane ^ data.len() as u32);
    let spread = |hash: &mut [u32; 4]| {
        hash[0] = hash
            .iter()
            .fold(0, |sum, &lane| u32::wrapping_add(sum, lane));
        for lane in 1..4 {
            hash[lane] = hash[lane].wrapping_add(hash[0]);
        }
    };
    spread(&mut hash);
    hash = hash.map(finish32);
    spread(&mut hash);
    hash.iter().flat_map(|lane| lane.to_be_bytes()).collect()
}

/// MurmurHash3 of 128 bits, for 64-bit machines.
pub(super) fn murmur3f(data: &[u8], seed: u32) -> Vec<u8> {
    const C: [u64; 2] = [0x87c3_7b91_1142_53d5, 0x4cf5_ad43_2745_937f];
    let scramble = |lane: usize, block: u64| {
        let mixed = block.wrapping_mul(C[lane]).rotate_left([31, 33][lane]);
        mixed.wrapping_mul(C[1 - lane])
    };
    let mut hash = [u64::from(seed); 2];
    let mut blocks = data.chunks_exact(16);
    for block in &mut blocks {
        for lane in 0..2 {
            hash[lane] ^= scramble(lane, word64(&block[lane * 8..lane * 8 + 8]));
            let mixed = hash[lane].rotate_left([27, 31][lane]);
            let mixed = mixed.wrapping_add(hash[1 - lane]).wrapping_mul(5);
            hash[lane] = mixed.wrapping_add([0x52dc_e729, 0x3849_5ab5][lane]);
        }
    }
    for (lane, block) in blocks.remainder().chunks(8).enumerate() {
        hash[lane] ^= scramble(lane, word64(block));
    }
    hash = hash.map(|lane| lane ^ data.len() as u64);
    let spread = |hash: &mut [u64; 2]| {
        hash[0] = hash[0].wrapping_add(hash[1]);
        hash[1] = hash[1].wrapping_add(hash[0]);
    };
    spread(&mut hash);
    hash = hash.map(|lane| {
        let mut mixed = (lane ^ lane >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed = (mixed ^ mixed >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        mixed ^ mixed >> 33
    });
    spread(&mut hash);
    hash.iter().flat_map(|lane| lane.to_be_bytes()).collect()
}

fn finish32(hash: u32) -> u32 {
    let mut mixed = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}

/// Up to four bytes, the lowest first.
fn word32(bytes: &[u8]) -> u32 {
    let add = |word: u32, byte: &u8| word << 8 | u32::from(*byte);
    bytes.iter().rev().fold(0, add)
}

fn word64(bytes: &[u8]) -> u64 {
    let add = |word: u64, byte: &u8| word << 8 | u64::from(*byte);
    bytes.iter().rev().fold(0, add)
}
