//! Number theory: greatest common divisors, residues, primes, products.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// The greatest common divisor with the factors of both numbers that give it: of all pairs the one
/// whose factors are least.
pub(super) fn extended_gcd(one: &BigInt, two: &BigInt) -> [BigInt; 3] {
    let signum = one.signum();
    if two.is_zero() {
        return [one.abs(), signum, BigInt::zero()];
    }
    let found = one.extended_gcd(two);
    let gcd = found.gcd.abs();
    let modulus = two.abs() / &gcd;
    let factor = if found.gcd.is_negative() {
        -found.x
    } else {
        found.x
    };
    let mut factor = factor.mod_floor(&modulus);
    let twice: BigInt = &factor << 1u32;
    match twice.cmp(&modulus) {
        std::cmp::Ordering::Greater => factor -= &modulus,
        // Both signs would do.
        std::cmp::Ordering::Equal => factor = signum,
        std::cmp::Ordering::Less => {}
    }
    let other = (&gcd - one * &factor) / two;
    [gcd, factor, other]
}

/// The inverse of a number modulo another one, which is not 0.
pub(super) fn invert(number: &BigInt, modulus: &BigInt) -> Option<BigInt> {
    let modulus = modulus.abs();
    let found = number.mod_floor(&modulus).extended_gcd(&modulus);
    (found.gcd.abs().is_one()).then(|| (found.x * found.gcd.signum()).mod_floor(&modulus))
}

/// Kronecker's symbol.
pub(super) fn kronecker(one: &BigInt, two: &BigInt) -> i64 {
    if two.is_zero() {
        return one.magnitude().is_one().into();
    }
    if one.is_even() && two.is_even() {
        return 0;
    }
    let is_three_or_five = |number: &BigUint| {
        let low = number.iter_u64_digits().next().unwrap_or(0) & 7;
        low == 3 || low == 5
    };
    let is_three = |number: &BigUint| number.bit(0) && number.bit(1);
    let mut positive = true;
    let zeros = two.trailing_zeros().unwrap_or(0);
    let mut lower = two.magnitude() >> zeros;
    positive ^= zeros % 2 == 1 && is_three_or_five(one.magnitude());
    positive ^= two.is_negative() && one.is_negative();
    // The lower number is odd and positive from here on.
    let mut upper = one.mod_floor(&BigInt::from(lower.clone())).into_parts().1;
    while let Some(zeros) = upper.trailing_zeros() {
        upper >>= zeros;
        positive ^= zeros % 2 == 1 && is_three_or_five(&lower);
        positive ^= is_three(&upper) && is_three(&lower);
        std::mem::swap(&mut upper, &mut lower);
        upper %= &lower;
    }
    match (lower.is_one(), positive) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => -1,
    }
}

/// A power, modulo a number that is not 0; the exponent is not negative.
pub(super) fn power_modulo(base: &BigInt, exponent: &BigInt, modulus: &BigInt) -> BigInt {
    base.modpow(exponent, &modulus.abs())
}

/// The root, cut off; of a negative number the degree is odd.
pub(super) fn root(number: &BigInt, degree: u64) -> BigInt {
    if number.bits() <= degree {
        return number.signum();
    }
    let root = match u32::try_from(degree) {
        Ok(2) => number.magnitude().sqrt(),
        Ok(degree) => number.magnitude().nth_root(degree),
        // So high a degree is above the number of bits.
        Err(_) => BigUint::one(),
    };
    BigInt::from_biguint(number.sign(), root)
}

/// True if the number is a power with an exponent above 1.
pub(super) fn is_perfect_power(number: &BigInt) -> bool {
    let magnitude = number.magnitude();
    if magnitude.bits() <= 1 {
        return true;
    }
    // Exponents divide that of each prime factor.
    let mut exponents = 0;
    let mut rest = magnitude.clone();
    for prime in small_primes(1000) {
        let mut exponent = 0u64;
        loop {
            let (quotient, remainder) = rest.div_rem(&BigUint::from(prime));
            if !remainder.is_zero() {
                break;
            }
            rest = quotient;
            exponent += 1;
        }
        exponents = exponents.gcd(&exponent);
        if exponents == 1 {
            return false;
        }
    }
    let limit = match exponents {
        0 => magnitude.bits(),
        some => some,
    };
    let first = if number.is_negative() { 3 } else { 2 };
    (first..=limit.min(u32::MAX.into())).any(|exponent| {
        let is_candidate = is_small_prime(exponent) && exponents % exponent == 0;
        is_candidate && {
            let exponent = exponent as u32;
            magnitude.nth_root(exponent).pow(exponent) == *magnitude
        }
    })
}

fn small_primes(limit: u32) -> impl Iterator<Item = u32> {
    (2..limit).filter(|number| is_small_prime((*number).into()))
}

fn is_small_prime(number: u64) -> bool {
    number >= 2
        && (2..)
            .take_while(|divisor| divisor * divisor <= number)
            .all(|divisor| !number.is_multiple_of(divisor))
}

/// Bases that tell all primes below 2^64 from other numbers.
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Whether a number of 64 bits is prime.
fn is_prime(number: u64) -> bool {
    if number < 2 {
        return false;
    }
    for base in BASES {
        if number.is_multiple_of(base) {
            return number == base;
        }
    }
    let multiply =
        |one: u64, two: u64| (u128::from(one) * u128::from(two) % u128::from(number)) as u64;
    let (shift, odd) = halved(number - 1);
    BASES.into_iter().all(|base| {
        let (mut power, mut square, mut left) = (1, base, odd);
        while left > 0 {
            if left & 1 == 1 {
                power = multiply(power, square);
            }
            square = multiply(square, square);
            left >>= 1;
        }
        if power == 1 {
            return true;
        }
        (0..shift).any(|_| {
            let found = power == number - 1;
            power = multiply(power, power);
            found
        })
    })
}

fn halved(number: u64) -> (u32, u64) {
    let shift = number.trailing_zeros();
    (shift, number >> shift)
}

/// Random bases that a number is tried with at least: one that is not prime passes with a quarter of them at most.
const LEAST_ROUNDS: u32 = 16;

/// Whether a number is prime, with so little doubt as nobody will meet: Miller and Rabin's test with
/// fixed and with random bases.
pub(super) fn is_probable_prime(number: &BigUint, rounds: u32) -> bool {
    if let Some(number) = number.to_u64() {
        return is_prime(number);
    }
    if small_primes(1000).any(|prime| (number % prime).is_zero()) {
        return false;
    }
    let before = number - 1u32;
    let shift = before.trailing_zeros().unwrap_or(0);
    let odd = &before >> shift;
    let passes = |base: &BigUint| {
        let mut power = base.modpow(&odd, number);
        if power.is_one() || power == before {
            return true;
        }
        (1..shift).any(|_| {
            power = &power * &power % number;
            power == before
        })
    };
    BASES.into_iter().all(|base| passes(&base.into()))
        && (0..rounds.max(LEAST_ROUNDS)).all(|_| {
            let mut bytes = [0; 8];
            // Without random numbers another base is as good.
            let _ = getrandom::fill(&mut bytes);
            passes(&(u64::from_le_bytes(bytes) | 1 << 32).into())
        })
}

/// The least prime above a number.
pub(super) fn next_prime(number: &BigInt) -> BigInt {
    if *number < BigInt::from(2) {
        return 2.into();
    }
    let mut candidate = number.magnitude() + 1u32;
    if candidate.is_even() {
        candidate += 1u32;
    }
    let primes: Vec<u32> = small_primes(2000).skip(1).collect();
    let remainders = |number: &BigUint| -> Vec<u32> {
        let remainder = |prime: &u32| (number % *prime).to_u32().unwrap_or(0);
        primes.iter().map(remainder).collect()
    };
    let is_small = candidate.bits() < 32;
    let mut remainders = remainders(&candidate);
    loop {
        let is_sieved_out = !is_small && remainders.contains(&0);
        if !is_sieved_out && is_probable_prime(&candidate, 13) {
            return candidate.into();
        }
        candidate += 2u32;
        for (remainder, prime) in remainders.iter_mut().zip(&primes) {
            *remainder = (*remainder + 2) % prime;
        }
    }
}

/// The product of the numbers from `first` on, `count` of them.
fn product(first: &BigUint, count: u64) -> BigUint {
    if count <= 8 {
        return (0..count).map(|index| first + index).product();
    }
    let half = count / 2;
    product(first, half) * product(&(first + half), count - half)
}

/// About how many bits a factorial has.
pub(super) fn factorial_bits(number: u64) -> u64 {
    let number = number as f64;
    ((number + 1.0) * ((number + 2.0).log2() - 1.44)).max(64.0) as u64
}

/// The factorial of a number.
pub(super) fn factorial(number: u64) -> BigUint {
    product(&BigUint::one(), number)
}

/// How a binomial coefficient is calculated: the first factor of the numerator, the number of
/// factors, and whether the result is negative.
pub(super) fn binomial_parts(number: &BigInt, chosen: u64) -> (BigUint, u64, bool) {
    let chosen_number = BigInt::from(chosen);
    // Of -n it is that of n + k - 1, with a sign.
    let (upper, negative) = if number.is_negative() {
        (&chosen_number - number - 1, chosen % 2 == 1)
    } else {
        (number.clone(), false)
    };
    let rest = &upper - &chosen_number;
    let count = match rest.sign() {
        Sign::Minus => return (BigUint::zero(), 1, false),
        _ => rest.to_u64().map_or(chosen, |rest| rest.min(chosen)),
    };
    let first = upper.magnitude() - count + 1u32;
    (first, count, negative)
}

/// The coefficient of such parts.
pub(super) fn binomial((first, count, negative): (BigUint, u64, bool)) -> BigInt {
    let result = product(&first, count) / factorial(count);
    BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, result)
}

/// A number to share.
pub(super) fn shared(number: impl Into<BigInt>) -> Arc<BigInt> {
    Arc::new(number.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_told() {
        for number in 0..3000u64 {
            assert_eq!(is_prime(number), is_small_prime(number), "{number}");
        }
        assert!(!is_prime(3_825_123_056_546_413_051));
        let next = |number: &str| next_prime(&number.parse().unwrap()).to_string();
        assert_eq!(next("18446744073709551557"), "18446744073709551629");
        assert_eq!(next("7"), "11");
        assert!(!is_probable_prime(
            &"3317044064679887385961981".parse().unwrap(),
            0
        ));
    }

    #[test]
    fn factors_are_least() {
        let check = |one: i64, two: i64, expected: [i64; 3]| {
            let found = extended_gcd(&one.into(), &two.into());
            assert_eq!(found, expected.map(BigInt::from), "{one} {two}");
        };
        check(8, 3, [1, -1, 3]);
        check(9, 2, [1, 1, -4]);
        check(-6, -7, [1, 1, -1]);
        check(0, -3, [3, 0, -1]);
        check(0, 0, [0, 0, 0]);
        check(6, 12, [6, 1, 0]);
        check(-8, 2, [2, 0, 1]);
    }
}
