//! The group Ristretto255: points and scalars.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{argument_problem, fixed, internal_error, problem, random};
use crate::support::{functions, text};

functions! {
    "sodium_crypto_core_ristretto255_add(string $p, string $q): string" => add,
    "sodium_crypto_core_ristretto255_from_hash(string $s): string" => from_hash,
    "sodium_crypto_core_ristretto255_is_valid_point(string $s): bool" => is_valid_point,
    "sodium_crypto_core_ristretto255_random(): string" => random_point,
    "sodium_crypto_core_ristretto255_scalar_add(string $x, string $y): string" => scalar_add,
    "sodium_crypto_core_ristretto255_scalar_complement(string $s): string" => scalar_complement,
    "sodium_crypto_core_ristretto255_scalar_invert(string $s): string" => scalar_invert,
    "sodium_crypto_core_ristretto255_scalar_mul(string $x, string $y): string" => scalar_multiply,
    "sodium_crypto_core_ristretto255_scalar_negate(string $s): string" => scalar_negate,
    "sodium_crypto_core_ristretto255_scalar_random(): string" => random_scalar,
    "sodium_crypto_core_ristretto255_scalar_reduce(string $s): string" => scalar_reduce,
    "sodium_crypto_core_ristretto255_scalar_sub(string $x, string $y): string" => scalar_subtract,
    "sodium_crypto_core_ristretto255_sub(string $p, string $q): string" => subtract,
    "sodium_crypto_scalarmult_ristretto255(string $n, string $p): string" => multiply,
    "sodium_crypto_scalarmult_ristretto255_base(string $n): string" => multiply_base,
}

const POINT: &str = "SODIUM_CRYPTO_CORE_RISTRETTO255_BYTES";
const SCALAR: &str = "SODIUM_CRYPTO_CORE_RISTRETTO255_SCALARBYTES";

fn point(bytes: &[u8; 32]) -> Option<RistrettoPoint> {
    CompressedRistretto(*bytes).decompress()
}

fn on_points(
    call: &mut Call<'_>,
    operation: fn(RistrettoPoint, RistrettoPoint) -> RistrettoPoint,
) -> PhpResult<Value> {
    let (one, two) = (fixed(call, 0, POINT)?, fixed(call, 1, POINT)?);
    match (point(one), point(two)) {
        (Some(one), Some(two)) => text(call.vm, operation(one, two).compress().0),
        _ => Err(internal_error(call.vm)),
    }
}

fn add(call: &mut Call<'_>) -> PhpResult<Value> {
    on_points(call, |one, two| one + two)
}

fn subtract(call: &mut Call<'_>) -> PhpResult<Value> {
    on_points(call, |one, two| one - two)
}

fn from_hash(call: &mut Call<'_>) -> PhpResult<Value> {
    let hash = fixed(call, 0, "SODIUM_CRYPTO_CORE_RISTRETTO255_HASHBYTES")?;
    text(
        call.vm,
        RistrettoPoint::from_uniform_bytes(hash).compress().0,
    )
}

fn is_valid_point(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(point(fixed(call, 0, POINT)?).is_some().into())
}

fn random_point(call: &mut Call<'_>) -> PhpResult<Value> {
    let point = RistrettoPoint::from_uniform_bytes(&random());
    text(call.vm, point.compress().0)
}

fn scalar(call: &mut Call<'_>, index: usize) -> PhpResult<Scalar> {
    let bytes = fixed(call, index, SCALAR)?;
    Ok(Scalar::from_bytes_mod_order(*bytes))
}

fn on_scalars(call: &mut Call<'_>, operation: fn(Scalar, Scalar) -> Scalar) -> PhpResult<Value> {
    let (one, two) = (scalar(call, 0)?, scalar(call, 1)?);
    text(call.vm, operation(one, two).to_bytes())
}

fn scalar_add(call: &mut Call<'_>) -> PhpResult<Value> {
    on_scalars(call, |one, two| one + two)
}

fn scalar_subtract(call: &mut Call<'_>) -> PhpResult<Value> {
    on_scalars(call, |one, two| one - two)
}

fn scalar_multiply(call: &mut Call<'_>) -> PhpResult<Value> {
    on_scalars(call, |one, two| one * two)
}

fn scalar_complement(call: &mut Call<'_>) -> PhpResult<Value> {
    let scalar = scalar(call, 0)?;
    text(call.vm, (Scalar::ONE - scalar).to_bytes())
}

fn scalar_negate(call: &mut Call<'_>) -> PhpResult<Value> {
    let scalar = scalar(call, 0)?;
    text(call.vm, (-scalar).to_bytes())
}

fn scalar_invert(call: &mut Call<'_>) -> PhpResult<Value> {
    let scalar = scalar(call, 0)?;
    match scalar == Scalar::ZERO {
        true => Err(internal_error(call.vm)),
        false => text(call.vm, scalar.invert().to_bytes()),
    }
}

fn random_scalar(call: &mut Call<'_>) -> PhpResult<Value> {
    // Other than zero, which is as likely as to guess a key.
    let scalar = Scalar::from_bytes_mod_order_wide(&random());
    text(call.vm, scalar.to_bytes())
}

fn scalar_reduce(call: &mut Call<'_>) -> PhpResult<Value> {
    let constant = "SODIUM_CRYPTO_CORE_RISTRETTO255_NONREDUCEDSCALARBYTES";
    let wide = fixed(call, 0, constant)?;
    text(call.vm, Scalar::from_bytes_mod_order_wide(wide).to_bytes())
}

/// The number to multiply by: libsodium does not look at the highest bit.
fn factor(call: &mut Call<'_>) -> PhpResult<Scalar> {
    let constant = "SODIUM_CRYPTO_SCALARMULT_RISTRETTO255_SCALARBYTES";
    let mut bytes = *fixed::<32>(call, 0, constant)?;
    bytes[31] &= 0x7f;
    Ok(Scalar::from_bytes_mod_order(bytes))
}

fn multiply(call: &mut Call<'_>) -> PhpResult<Value> {
    let factor = factor(call)?;
    let constant = "SODIUM_CRYPTO_SCALARMULT_RISTRETTO255_BYTES";
    let product = point(fixed(call, 1, constant)?).map(|point| factor * point);
    match product.filter(|product| !product.is_identity()) {
        Some(product) => text(call.vm, product.compress().0),
        None => Err(problem(call.vm, "Result is identity element")),
    }
}

fn multiply_base(call: &mut Call<'_>) -> PhpResult<Value> {
    let product = RistrettoPoint::mul_base(&factor(call)?);
    match product.is_identity() {
        true => Err(argument_problem(call, 0, "must not be zero")),
        false => text(call.vm, product.compress().0),
    }
}
