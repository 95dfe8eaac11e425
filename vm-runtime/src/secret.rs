//! Numbers that differ from process to process, so that nobody can prepare keys that collide.

use std::sync::LazyLock;

static SECRETS: LazyLock<[u64; 3]> = LazyLock::new(|| {
    let mut secrets = [0u64; 3];
    let size = size_of_val(&secrets);
    // SAFETY: the buffer is as large as the call is told.
    let filled = unsafe { libc::getrandom(secrets.as_mut_ptr().cast(), size, 0) };
    if filled != size as isize {
        // No source of chance: where things lie in memory differs, too.
        let place = (&raw const secrets).addr() as u64;
        secrets = [1, 2, 3].map(|factor: u64| place.wrapping_mul(factor) ^ 0x9e37_79b9_7f4a_7c15);
    }
    secrets
});

/// The factor of [`crate::string::hash_bytes`]. Its low byte is 33: keys that differ in their last
/// characters meet neighbouring chain heads, which caches like.
pub(crate) fn string_factor() -> u64 {
    SECRETS[0] & !0xff | 33
}

/// The numbers that chains of flooded arrays are chosen with; the second one is odd.
pub(crate) fn scramble_numbers() -> (u64, u64) {
    (SECRETS[1], SECRETS[2] | 1)
}
