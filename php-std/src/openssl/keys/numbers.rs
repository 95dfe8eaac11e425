//! Long numbers whose values must not show in how long something takes.

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Odd};

/// The number of some digits, with room for as many bits.
pub(super) fn number(digits: &[u8], bits: u32) -> Option<BoxedUint> {
    BoxedUint::from_be_slice(digits, bits).ok()
}

/// The digits of a number, as many bytes as asked for.
pub(super) fn digits(number: &BoxedUint, length: usize) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let bytes = crate::openssl::der::trimmed(&bytes);
    let mut result = vec![0; length.saturating_sub(bytes.len())];
    result.extend_from_slice(bytes);
    result
}

/// A power modulo an odd number.
pub(super) fn power(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Option<Vec<u8>> {
    let bits = modulus.len().max(base.len()).max(exponent.len()) as u32 * 8;
    let modulus_number = number(modulus, bits)?;
    let odd = Odd::new(modulus_number.clone()).into_option()?;
    let base = number(base, bits)?.rem_vartime(odd.as_nz_ref());
    let parameters = BoxedMontyParams::new(odd);
    let exponent = number(exponent, bits)?;
    let result = BoxedMontyForm::new(base, &parameters)
        .pow(&exponent)
        .retrieve();
    Some(digits(&result, modulus.len()))
}
