//! Long numbers and bytes as text.

use num_bigint::BigUint;

/// A number of digits in base 256, in base ten.
pub(super) fn decimal(digits: &[u8]) -> String {
    BigUint::from_bytes_be(digits).to_string()
}

/// Bytes as `0A:1B`.
pub(super) fn with_colons(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    pairs.join(":")
}

/// The digits of a number in two's complement, and whether it is negative.
pub(super) fn magnitude(content: &[u8]) -> (bool, Vec<u8>) {
    let number = num_bigint::BigInt::from_signed_bytes_be(content);
    let (sign, digits) = number.to_bytes_be();
    (sign == num_bigint::Sign::Minus, digits)
}
