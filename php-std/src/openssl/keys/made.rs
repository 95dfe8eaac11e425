//! New keys: random ones, and those of numbers that a script gives.

use num_bigint::BigUint;
use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::object::wrapped;
use super::rsa::MOST_BITS;
use super::{Curve, Dh, Ec, Key, Private, Rsa, Short, der};
use crate::openssl::configuration::Configuration;
use crate::openssl::errors::{self, KEY_SIZE_TOO_SMALL};

/// PHP's numbers of the kinds of keys.
const KIND_RSA: i64 = 0;
const KIND_DSA: i64 = 1;
const KIND_DH: i64 = 2;
const KIND_EC: i64 = 3;
const KIND_X25519: i64 = 4;
const KIND_ED25519: i64 = 5;

pub(super) fn new(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = call.has(0).then(|| call.elements(0));
    let made = match options.and_then(|options| given(call.vm, options)) {
        Some(made) => made,
        None => {
            let Some(configuration) = Configuration::read(call, options)? else {
                return Ok(false.into());
            };
            generated(call.vm, &configuration)
        }
    };
    match made {
        Some(key) => wrapped(call.vm, key),
        None => Ok(false.into()),
    }
}

/// A random key as a configuration wants it.
pub(in crate::openssl) fn generated(vm: &mut Vm, configuration: &Configuration) -> Option<Key> {
    match configuration.kind {
        KIND_RSA | KIND_DH | KIND_DSA if configuration.bits < 384 => {
            vm.function_warning(format!(
                "Private key length must be at least 384 bits, configured to {}",
                configuration.bits
            ));
            None
        }
        KIND_RSA if configuration.bits < 512 => {
            errors::push(vm, KEY_SIZE_TOO_SMALL);
            None
        }
        KIND_RSA if configuration.bits > MOST_BITS as i64 => {
            vm.function_warning(format!(
                "RSA keys of more than {MOST_BITS} bits are not supported"
            ));
            None
        }
        KIND_RSA => Rsa::generate(configuration.bits as usize).map(Key::Rsa),
        KIND_EC => {
            let Some(name) = &configuration.curve else {
                vm.function_warning("Missing configuration value: \"curve_name\" not set");
                return None;
            };
            let Some(curve) = Curve::named(name) else {
                let name = String::from_utf8_lossy(name);
                vm.function_warning(format!("Unknown elliptic curve (short) name {name}"));
                return None;
            };
            let private = curve.random();
            Ec::of_private(curve, &private).map(Key::Ec)
        }
        KIND_X25519 => Short::of_x25519(&random()).map(Key::X25519),
        KIND_ED25519 => Short::of_ed25519(&random()).map(Key::Ed25519),
        KIND_DH | KIND_DSA | 6 | 7 => {
            let name = ["DH parameters", "DSA keys", "X448 keys", "Ed448 keys"];
            let at = match configuration.kind {
                KIND_DH => 0,
                KIND_DSA => 1,
                kind => kind - 4,
            };
            vm.function_warning(format!(
                "Making {} is not supported by this engine",
                name[at as usize]
            ));
            None
        }
        _ => {
            vm.function_warning("Unsupported private key type");
            None
        }
    }
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    crate::openssl::random_bytes(&mut bytes);
    bytes
}

/// The digits of a number in an array.
fn digits(array: &PhpArray, name: &str) -> Option<Vec<u8>> {
    match Value::share(array.get_bytes(name.as_bytes())?.deref()).view() {
        ValueKind::String(text) => Some(text.as_bytes().to_vec()),
        _ => None,
    }
}

/// The key of numbers that a script gives, if it gives any: the inner result is nothing if they make none.
fn given(vm: &mut Vm, options: &PhpArray) -> Option<Option<Key>> {
    for name in [
        "rsa", "dsa", "dh", "ec", "x25519", "ed25519", "x448", "ed448",
    ] {
        let Some(entry) = options.get_bytes(name.as_bytes()) else {
            continue;
        };
        let entry = Value::share(entry.deref());
        let ValueKind::Array(fields) = entry.view() else {
            continue;
        };
        return Some(match name {
            "rsa" => rsa(fields).map(Key::Rsa),
            "dh" => dh(fields).map(Key::Dh),
            "ec" => ec(vm, fields).map(Key::Ec),
            "x25519" => short(fields, Short::of_x25519).map(Key::X25519),
            "ed25519" => short(fields, Short::of_ed25519).map(Key::Ed25519),
            _ if fields.is_empty() => None,
            _ => {
                vm.function_warning(format!(
                    "Keys of the kind {name} are not supported by this engine"
                ));
                None
            }
        });
    }
    None
}

fn rsa(fields: &PhpArray) -> Option<Rsa> {
    let part = |name| digits(fields, name).map(|digits| der::trimmed(&digits).to_vec());
    let (modulus, exponent, secret) = (part("n")?, part("e")?, part("d")?);
    let mut factors = ["p", "q", "dmp1", "dmq1", "iqmp"].map(|name| part(name).unwrap_or_default());
    if factors.iter().any(Vec::is_empty) && !factors[0].is_empty() && !factors[1].is_empty() {
        let [p, q, ..] = factors;
        factors = super::factors(&secret, p, q)?;
    }
    Some(Rsa {
        modulus,
        exponent,
        private: Some(Private {
            exponent: secret,
            factors,
        }),
    })
}

fn dh(fields: &PhpArray) -> Option<Dh> {
    let part = |name| digits(fields, name).map(|digits| der::trimmed(&digits).to_vec());
    let (prime, base) = (part("p")?, part("g")?);
    let is_odd = prime.last().is_some_and(|digit| digit & 1 == 1);
    if !is_odd || prime.len() * 8 > MOST_BITS {
        return None;
    }
    if let Some(private) = part("priv_key") {
        return Dh::of_private(prime, base, private);
    }
    if let Some(public) = part("pub_key") {
        return Some(Dh {
            prime,
            base,
            public,
            private: None,
        });
    }
    let mut private = vec![0; prime.len()];
    crate::openssl::random_bytes(&mut private);
    let number: BigUint = BigUint::from_bytes_be(&private) % (BigUint::from_bytes_be(&prime) >> 1);
    Dh::of_private(prime, base, number.to_bytes_be())
}

fn short(fields: &PhpArray, of_private: fn(&[u8]) -> Option<Short>) -> Option<Short> {
    match digits(fields, "priv_key") {
        Some(private) => of_private(&private),
        None => Short::public(&digits(fields, "pub_key")?),
    }
}

fn ec(vm: &mut Vm, fields: &PhpArray) -> Option<Ec> {
    let curve = match digits(fields, "curve_name") {
        Some(name) => {
            let found = Curve::named(&name);
            if found.is_none() {
                let name = String::from_utf8_lossy(&name);
                vm.function_warning(format!("Unknown elliptic curve (short) name {name}"));
            }
            found?
        }
        None => given_curve(vm, fields)?,
    };
    if let Some(private) = digits(fields, "d") {
        return Ec::of_private(curve, &private);
    }
    if let (Some(x), Some(y)) = (digits(fields, "x"), digits(fields, "y")) {
        let public = (BigUint::from_bytes_be(&x), BigUint::from_bytes_be(&y));
        return curve.has(&public).then_some(Ec {
            curve,
            public,
            private: None,
        });
    }
    let private = curve.random();
    Ec::of_private(curve, &private)
}

fn given_curve(vm: &mut Vm, fields: &PhpArray) -> Option<Curve> {
    let number = |name| digits(fields, name).map(|digits| BigUint::from_bytes_be(&digits));
    let parts = [number("p"), number("a"), number("b"), number("order")];
    if parts.iter().all(Option::is_none) {
        vm.function_warning("Missing params: curve_name");
        return None;
    }
    let [Some(p), Some(a), Some(b), Some(order)] = parts else {
        vm.function_warning("Missing params: curve_name or p, a, b, order");
        return None;
    };
    let mut curve = Curve {
        name: "",
        identifier: "",
        p,
        a,
        b,
        generator: Default::default(),
        order,
        cofactor: 1,
    };
    if curve.p.bits() > 1024 {
        return None;
    }
    curve.generator = match (digits(fields, "generator"), number("g_x"), number("g_y")) {
        (Some(generator), ..) => curve.read(&generator)?,
        (None, Some(x), Some(y)) => (x, y),
        _ => {
            vm.function_warning("Missing params: generator or g_x and g_y");
            return None;
        }
    };
    curve.is_sound().then_some(curve)
}
