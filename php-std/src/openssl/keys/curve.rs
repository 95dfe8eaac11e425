//! Curves over prime fields: those with names, and others by their parameters. The arithmetic of the four that
//! are used most is a crate's, which takes the same time for all numbers; that of the rest is here, and does not.

use ecdsa::elliptic_curve::sec1::{FromSec1Point, ModulusSize, ToSec1Point};
use ecdsa::elliptic_curve::{
    AffinePoint, CurveArithmetic, FieldBytesSize, NonZeroScalar, PublicKey, SecretKey,
};
use ecdsa::hazmat::{sign_prehashed, verify_prehashed};
use ecdsa::{EcdsaCurve, Signature, SignatureSize};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

/// Names, identifiers and parameters, as their standards give them: p, a, b, the generator, its order, the cofactor.
const TABLE: &str = include_str!("curves.txt");

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::openssl) struct Curve {
    /// Empty for a curve that was given by its parameters.
    pub(in crate::openssl) name: &'static str,
    pub(in crate::openssl) identifier: &'static str,
    pub(super) p: BigUint,
    pub(super) a: BigUint,
    pub(super) b: BigUint,
    pub(super) generator: Point,
    pub(super) order: BigUint,
    pub(super) cofactor: u32,
}

/// A point that is not at infinity.
pub(super) type Point = (BigUint, BigUint);

/// A point as x/z², y/z³; at infinity z is 0.
type Projective = (BigUint, BigUint, BigUint);

fn parsed(line: &'static str) -> Option<Curve> {
    let mut words = line.split(' ');
    let (name, identifier) = (words.next()?, words.next()?);
    let mut number = || BigUint::parse_bytes(words.next()?.as_bytes(), 16);
    Some(Curve {
        name,
        identifier,
        p: number()?,
        a: number()?,
        b: number()?,
        generator: (number()?, number()?),
        order: number()?,
        cofactor: words.next()?.parse().ok()?,
    })
}

/// The names of curves that there are.
pub(in crate::openssl) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter_map(|line| line.split(' ').next())
}

impl Curve {
    pub(super) fn named(name: &[u8]) -> Option<Curve> {
        let mut lines = TABLE.lines();
        parsed(lines.find(|line| {
            line.split(' ')
                .next()
                .is_some_and(|known| known.as_bytes() == name)
        })?)
    }

    pub(super) fn identified(identifier: &str) -> Option<Curve> {
        let mut lines = TABLE.lines();
        parsed(lines.find(|line| line.split(' ').nth(1) == Some(identifier))?)
    }

    /// How many bytes a coordinate has.
    pub(super) fn field_size(&self) -> usize {
        self.p.bits().div_ceil(8) as usize
    }

    pub(super) fn order_size(&self) -> usize {
        self.order.bits().div_ceil(8) as usize
    }

    /// How many bits a coordinate has: what OpenSSL calls the bits of a key are those of the order.
    pub(in crate::openssl) fn bits(&self) -> i64 {
        self.order.bits() as i64
    }

    /// Whether nothing is wrong with parameters that somebody gave.
    pub(super) fn is_sound(&self) -> bool {
        let fits = |number: &BigUint| number < &self.p;
        self.p.bits() <= 1024
            && self.p.bits() >= 64
            && self.p.bit(0)
            && fits(&self.a)
            && fits(&self.b)
            && self.order.bits() >= 64
            && self.order.bit(0)
            && self.order.bits() <= self.p.bits() + 1
            && self.has(&self.generator)
    }

    pub(super) fn has(&self, (x, y): &Point) -> bool {
        let right = (x * x * x + &self.a * x + &self.b) % &self.p;
        x < &self.p && y < &self.p && y * y % &self.p == right
    }

    /// A point as bytes, uncompressed.
    pub(super) fn written(&self, (x, y): &Point) -> Vec<u8> {
        let size = self.field_size();
        [&[4][..], &padded(x, size), &padded(y, size)].concat()
    }

    /// A point of bytes, compressed or not.
    pub(super) fn read(&self, bytes: &[u8]) -> Option<Point> {
        let size = self.field_size();
        let (&form, coordinates) = bytes.split_first()?;
        let x = BigUint::from_bytes_be(coordinates.get(..size)?);
        let point = match form {
            4 if coordinates.len() == 2 * size => {
                let y = BigUint::from_bytes_be(&coordinates[size..]);
                (x, y)
            }
            2 | 3 if coordinates.len() == size => {
                let square = (&x * &x * &x + &self.a * &x + &self.b) % &self.p;
                let y = self.root(&square)?;
                let y = if y.bit(0) == (form == 3) {
                    y
                } else {
                    &self.p - y
                };
                (x, y)
            }
            _ => return None,
        };
        self.has(&point).then_some(point)
    }

    /// A square root, for the fields in which it is a power; there is none for the others.
    fn root(&self, square: &BigUint) -> Option<BigUint> {
        if !self.p.bit(1) {
            return None;
        }
        let root = square.modpow(&((&self.p + 1u32) >> 2), &self.p);
        (&root * &root % &self.p == *square).then_some(root)
    }

    fn difference(&self, one: &BigUint, two: &BigUint) -> BigUint {
        (one + &self.p - two) % &self.p
    }

    fn doubled(&self, (x, y, z): &Projective) -> Projective {
        let p = &self.p;
        if z.is_zero() || y.is_zero() {
            return (BigUint::one(), BigUint::one(), BigUint::zero());
        }
        let yy = y * y % p;
        let s = ((x * &yy) << 2) % p;
        let zz = z * z % p;
        let m = (x * x * 3u32 + &self.a * (&zz * &zz % p)) % p;
        let new_x = self.difference(&(&m * &m % p), &((&s << 1) % p));
        let eighth = ((&yy * &yy) << 3) % p;
        let new_y = self.difference(&(m * self.difference(&s, &new_x) % p), &eighth);
        let new_z = ((y * z) << 1) % p;
        (new_x, new_y, new_z)
    }

    fn sum(&self, one: &Projective, two: &Projective) -> Projective {
        let p = &self.p;
        if one.2.is_zero() {
            return two.clone();
        }
        if two.2.is_zero() {
            return one.clone();
        }
        let (z1, z2) = (&one.2 * &one.2 % p, &two.2 * &two.2 % p);
        let (u1, u2) = (&one.0 * &z2 % p, &two.0 * &z1 % p);
        let s1 = &one.1 * &two.2 % p * &z2 % p;
        let s2 = &two.1 * &one.2 % p * &z1 % p;
        if u1 == u2 {
            return match s1 == s2 {
                true => self.doubled(one),
                false => (BigUint::one(), BigUint::one(), BigUint::zero()),
            };
        }
        let (h, r) = (self.difference(&u2, &u1), self.difference(&s2, &s1));
        let hh = &h * &h % p;
        let hhh = &h * &hh % p;
        let v = u1 * hh % p;
        let x = self.difference(&(&r * &r % p), &((&hhh + (&v << 1)) % p));
        let y = self.difference(&(r * self.difference(&v, &x) % p), &(s1 * hhh % p));
        let z = &one.2 * &two.2 % p * h % p;
        (x, y, z)
    }

    /// A multiple of a point: every step adds, whatever the bit.
    fn multiple(&self, (x, y): &Point, factor: &BigUint) -> Projective {
        let mut result = (BigUint::one(), BigUint::one(), BigUint::zero());
        let mut next = (x.clone(), y.clone(), BigUint::one());
        for bit in (0..self.order.bits().max(factor.bits())).rev() {
            vm_runtime::limits::poll();
            // Montgomery's ladder.
            let sum = self.sum(&result, &next);
            if factor.bit(bit) {
                next = self.doubled(&next);
                result = sum;
            } else {
                result = self.doubled(&result);
                next = sum;
            }
        }
        result
    }

    fn affine(&self, (x, y, z): &Projective) -> Option<Point> {
        if z.is_zero() {
            return None;
        }
        let inverse = z.modpow(&(&self.p - 2u32), &self.p);
        let square = &inverse * &inverse % &self.p;
        Some((
            x * &square % &self.p,
            y * (square * inverse % &self.p) % &self.p,
        ))
    }

    /// The public point of a private number.
    pub(super) fn public(&self, private: &[u8]) -> Option<Point> {
        match self.name {
            "prime256v1" => self.read(&public_of::<p256::NistP256>(private)?),
            "secp384r1" => self.read(&public_of::<p384::NistP384>(private)?),
            "secp521r1" => self.read(&public_of::<p521::NistP521>(private)?),
            "secp256k1" => self.read(&public_of::<k256::Secp256k1>(private)?),
            _ => {
                let factor = BigUint::from_bytes_be(private) % &self.order;
                self.affine(&self.multiple(&self.generator, &factor))
            }
        }
    }

    /// What two people share: a coordinate.
    pub(super) fn shared(&self, private: &[u8], point: &Point) -> Option<Vec<u8>> {
        let bytes = self.written(point);
        match self.name {
            "prime256v1" => shared_of::<p256::NistP256>(private, &bytes),
            "secp384r1" => shared_of::<p384::NistP384>(private, &bytes),
            "secp521r1" => shared_of::<p521::NistP521>(private, &bytes),
            "secp256k1" => shared_of::<k256::Secp256k1>(private, &bytes),
            _ => {
                let factor = BigUint::from_bytes_be(private);
                let (x, _) = self.affine(&self.multiple(point, &factor))?;
                Some(padded(&x, self.field_size()))
            }
        }
    }

    /// Random digits of a number below the order that is not zero.
    pub(super) fn random(&self) -> Vec<u8> {
        let size = self.order_size();
        let mut digits = vec![0; size];
        loop {
            crate::openssl::random_bytes(&mut digits);
            let excess = size as u64 * 8 - self.order.bits();
            digits[0] &= 0xff >> excess;
            let number = BigUint::from_bytes_be(&digits);
            if !number.is_zero() && number < self.order {
                return digits;
            }
        }
    }

    /// The signature of a digest: two numbers.
    pub(super) fn sign(&self, private: &[u8], hash: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        // An unlucky number gives nothing; there are others.
        (0..8).find_map(|_| {
            let nonce = self.random();
            match self.name {
                "prime256v1" => signature_of::<p256::NistP256>(private, &nonce, hash),
                "secp384r1" => signature_of::<p384::NistP384>(private, &nonce, hash),
                "secp521r1" => signature_of::<p521::NistP521>(private, &nonce, hash),
                "secp256k1" => signature_of::<k256::Secp256k1>(private, &nonce, hash),
                _ => {
                    let nonce = BigUint::from_bytes_be(&nonce);
                    let (x, _) = self.affine(&self.multiple(&self.generator, &nonce))?;
                    let r = x % &self.order;
                    let inverse = nonce.modpow(&(&self.order - 2u32), &self.order);
                    let secret = BigUint::from_bytes_be(private);
                    let s = inverse * (self.reduced(hash) + &r * secret) % &self.order;
                    let is_lucky = !r.is_zero() && !s.is_zero();
                    is_lucky.then(|| (r.to_bytes_be(), s.to_bytes_be()))
                }
            }
        })
    }

    /// As many bits of a digest as the order has.
    fn reduced(&self, hash: &[u8]) -> BigUint {
        let number = BigUint::from_bytes_be(hash);
        let excess = (hash.len() as u64 * 8).saturating_sub(self.order.bits());
        number >> excess
    }

    pub(super) fn verify(&self, point: &Point, hash: &[u8], r: &[u8], s: &[u8]) -> bool {
        let bytes = self.written(point);
        match self.name {
            "prime256v1" => verified::<p256::NistP256>(&bytes, hash, r, s),
            "secp384r1" => verified::<p384::NistP384>(&bytes, hash, r, s),
            "secp521r1" => verified::<p521::NistP521>(&bytes, hash, r, s),
            "secp256k1" => verified::<k256::Secp256k1>(&bytes, hash, r, s),
            _ => Some(self.verified(point, hash, r, s)),
        }
        .unwrap_or_default()
    }

    fn verified(&self, point: &Point, hash: &[u8], r: &[u8], s: &[u8]) -> bool {
        let (r, s) = (BigUint::from_bytes_be(r), BigUint::from_bytes_be(s));
        if r.is_zero() || s.is_zero() || r >= self.order || s >= self.order {
            return false;
        }
        let inverse = s.modpow(&(&self.order - 2u32), &self.order);
        let one = self.reduced(hash) * &inverse % &self.order;
        let two = &r * inverse % &self.order;
        let sum = self.sum(
            &self.multiple(&self.generator, &one),
            &self.multiple(point, &two),
        );
        self.affine(&sum)
            .is_some_and(|(x, _)| x.mod_floor(&self.order) == r)
    }
}

/// The digits of a number, as many bytes as asked for.
pub(super) fn padded(number: &BigUint, size: usize) -> Vec<u8> {
    let digits = number.to_bytes_be();
    let mut result = vec![0; size.saturating_sub(digits.len())];
    result.extend_from_slice(&digits);
    result
}

fn filled(digits: &[u8], size: usize) -> Vec<u8> {
    padded(&BigUint::from_bytes_be(digits), size)
}

fn secret<C: CurveArithmetic>(private: &[u8]) -> Option<SecretKey<C>> {
    let size = ecdsa::elliptic_curve::FieldBytes::<C>::default().len();
    SecretKey::from_slice(&filled(private, size)).ok()
}

fn public_of<C>(private: &[u8]) -> Option<Vec<u8>>
where
    C: CurveArithmetic,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
    FieldBytesSize<C>: ModulusSize,
{
    let point = secret::<C>(private)?.public_key();
    Some(point.as_affine().to_sec1_point(false).as_bytes().to_vec())
}

fn shared_of<C>(private: &[u8], point: &[u8]) -> Option<Vec<u8>>
where
    C: CurveArithmetic,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
    FieldBytesSize<C>: ModulusSize,
{
    let secret = secret::<C>(private)?;
    let public = PublicKey::<C>::from_sec1_bytes(point).ok()?;
    let point = public.to_projective() * *secret.to_nonzero_scalar();
    let point: AffinePoint<C> = point.into();
    Some(point.to_sec1_point(false).x()?.to_vec())
}

fn signature_of<C>(private: &[u8], nonce: &[u8], hash: &[u8]) -> Option<(Vec<u8>, Vec<u8>)>
where
    C: EcdsaCurve + CurveArithmetic,
    SignatureSize<C>: ecdsa::elliptic_curve::array::ArraySize,
{
    let (secret, nonce) = (secret::<C>(private)?, secret::<C>(nonce)?);
    let (secret, nonce): (NonZeroScalar<C>, NonZeroScalar<C>) =
        (secret.to_nonzero_scalar(), nonce.to_nonzero_scalar());
    let (signature, _) = sign_prehashed::<C>(&secret, &nonce, hash).ok()?;
    let (r, s) = signature.split_bytes();
    Some((r.to_vec(), s.to_vec()))
}

fn verified<C>(point: &[u8], hash: &[u8], r: &[u8], s: &[u8]) -> Option<bool>
where
    C: EcdsaCurve + CurveArithmetic,
    SignatureSize<C>: ecdsa::elliptic_curve::array::ArraySize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
    FieldBytesSize<C>: ModulusSize,
{
    let public = PublicKey::<C>::from_sec1_bytes(point).ok()?;
    let size = ecdsa::elliptic_curve::FieldBytes::<C>::default().len();
    let (r, s) = (filled(r, size), filled(s, size));
    if r.len() > size || s.len() > size {
        return Some(false);
    }
    let signature = Signature::<C>::from_slice(&[r, s].concat()).ok()?;
    // One of the crates wants the smaller of two numbers that are both right.
    let signature = signature.normalize_s();
    Some(verify_prehashed::<C>(&public.to_projective(), hash, &signature).is_ok())
}
