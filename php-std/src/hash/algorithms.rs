//! The algorithms by name, and digests in the making.

use ::md5::{Digest, Md5};
use gost94::{Gost94CryptoPro, Gost94Test};
use md2::Md2;
use md4::Md4;
use ripemd::{Ripemd128, Ripemd160, Ripemd256, Ripemd320};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use whirlpool::Whirlpool;
use xxhash_rust::xxh3::Xxh3;

use super::checksums;
use super::haval::Haval;
use super::kept::{self, Kept};
use super::md5;
use super::snefru::Snefru;
use super::tiger::Tiger;

/// What a script may set of an algorithm.
#[derive(Debug, Clone, Default)]
pub(super) struct Options {
    pub(super) seed: Option<u64>,
    pub(super) secret: Option<Vec<u8>>,
}

/// A digest in the making.
pub(super) trait State {
    /// Takes more of the input.
    fn update(&mut self, data: &[u8]);
    /// The digest of all input.
    fn finish(self: Box<Self>) -> Vec<u8>;
    /// A copy that goes on by itself.
    fn duplicate(&self) -> Box<dyn State>;
    /// What it knows so far, as its crate writes it; see [`super::kept`].
    fn save(&self) -> Option<Vec<u8>> {
        None
    }
}

/// How many bytes are taken between two looks at the limits.
const AT_ONCE: usize = 64 * 1024;

/// Has a state take much at once.
pub(super) fn take(state: &mut dyn State, data: &[u8]) {
    for piece in data.chunks(AT_ONCE) {
        if piece.len() == AT_ONCE {
            vm_runtime::limits::poll();
        }
        state.update(piece);
    }
}

/// An algorithm: its name, how it starts, and the block size of its HMAC (0 if it has none).
pub(super) struct Algorithm {
    pub(super) name: &'static str,
    pub(super) start: fn(&Options) -> Box<dyn State>,
    pub(super) block: usize,
    /// How PHP keeps its state, if that can be done here.
    pub(super) kept: Option<Kept>,
    /// The digest of input that is all there, without a state that is moved about, if nothing is set.
    at_once: Option<fn(&[u8]) -> Vec<u8>>,
}

/// The digest of input that is all there.
fn once<D: Digest>(data: &[u8]) -> Vec<u8> {
    D::digest(data).to_vec()
}

impl Algorithm {
    const fn at_once(mut self, digest: fn(&[u8]) -> Vec<u8>) -> Algorithm {
        self.at_once = Some(digest);
        self
    }

    /// The digest of the whole input.
    pub(super) fn digest(&self, data: &[u8]) -> Vec<u8> {
        self.digest_with(&Options::default(), data)
    }

    pub(super) fn digest_with(&self, options: &Options, data: &[u8]) -> Vec<u8> {
        if data.len() < AT_ONCE && self.has_secret() && options.secret.is_none() {
            return wide_at_once(data, options.seed.unwrap_or(0), self.name == "xxh128");
        }
        if let Some(digest) = self.at_once
            && data.len() < AT_ONCE
            && options.seed.is_none()
            && options.secret.is_none()
        {
            return digest(data);
        }
        let mut state = (self.start)(options);
        take(&mut *state, data);
        state.finish()
    }

    /// Whether it takes a seed.
    pub(super) fn is_seeded(&self) -> bool {
        self.name.starts_with("murmur") || self.name.starts_with("xxh")
    }

    /// Whether it takes a secret.
    pub(super) fn has_secret(&self) -> bool {
        matches!(self.name, "xxh3" | "xxh128")
    }
}

/// A digest whose first `length` bytes count.
#[derive(Clone)]
struct Cut<D> {
    digest: D,
    length: usize,
}

impl<D: Digest + Clone + 'static> State for Cut<D> {
    fn update(&mut self, data: &[u8]) {
        self.digest.update(data);
    }

    fn finish(self: Box<Self>) -> Vec<u8> {
        let mut bytes = self.digest.finalize().to_vec();
        bytes.truncate(self.length);
        bytes
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

fn whole<D: Digest + Clone + 'static>(_: &Options) -> Box<dyn State> {
    cut::<D, { usize::MAX }>(&Options::default())
}

fn cut<D: Digest + Clone + 'static, const LENGTH: usize>(_: &Options) -> Box<dyn State> {
    Box::new(Cut {
        digest: D::new(),
        length: LENGTH,
    })
}

/// A checksum that is computed when all input is there.
#[derive(Clone)]
struct Collected {
    data: Vec<u8>,
    seed: u32,
    compute: fn(&[u8], u32) -> Vec<u8>,
}

impl State for Collected {
    fn update(&mut self, data: &[u8]) {
        self.data.extend_from_slice(data);
    }

    fn finish(self: Box<Self>) -> Vec<u8> {
        (self.compute)(&self.data, self.seed)
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

fn collected(options: &Options, compute: fn(&[u8], u32) -> Vec<u8>) -> Box<dyn State> {
    Box::new(Collected {
        data: Vec::new(),
        seed: options.seed.unwrap_or(0) as u32,
        compute,
    })
}

/// A hasher of a crate whose result is a number.
macro_rules! numeric_state {
    ($hasher:ty, $result:ident) => {
        impl State for $hasher {
            fn update(&mut self, data: &[u8]) {
                self.update(data);
            }

            fn finish(self: Box<Self>) -> Vec<u8> {
                self.$result().to_be_bytes().to_vec()
            }

            fn duplicate(&self) -> Box<dyn State> {
                Box::new(self.clone())
            }
        }
    };
}

numeric_state!(crc32fast::Hasher, finalize);
numeric_state!(xxhash_rust::xxh32::Xxh32, digest);
numeric_state!(xxhash_rust::xxh64::Xxh64, digest);

/// XXH3 with a result of 64 or 128 bits. With a secret of another length than usual it is computed
/// when all input is there.
#[derive(Clone)]
struct Wide {
    state: Box<Xxh3>,
    secret: Option<(Vec<u8>, Vec<u8>)>,
    is_wide: bool,
}

impl State for Wide {
    fn update(&mut self, data: &[u8]) {
        match &mut self.secret {
            Some((_, collected)) => collected.extend_from_slice(data),
            None => self.state.update(data),
        }
    }

    fn finish(self: Box<Self>) -> Vec<u8> {
        use xxhash_rust::xxh3::{xxh3_64_with_secret, xxh3_128_with_secret};
        match (&self.secret, self.is_wide) {
            (Some((secret, data)), true) => {
                xxh3_128_with_secret(data, secret).to_be_bytes().to_vec()
            }
            (Some((secret, data)), false) => {
                xxh3_64_with_secret(data, secret).to_be_bytes().to_vec()
            }
            (None, true) => self.state.digest128().to_be_bytes().to_vec(),
            (None, false) => self.state.digest().to_be_bytes().to_vec(),
        }
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// XXH3 of short input, without a state, which is large.
fn wide_at_once(data: &[u8], seed: u64, is_wide: bool) -> Vec<u8> {
    use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_seed};
    match is_wide {
        true => xxh3_128_with_seed(data, seed).to_be_bytes().to_vec(),
        false => xxh3_64_with_seed(data, seed).to_be_bytes().to_vec(),
    }
}

fn wide(options: &Options, is_wide: bool) -> Box<dyn State> {
    Box::new(Wide {
        state: Box::new(Xxh3::with_seed(options.seed.unwrap_or(0))),
        secret: options.secret.clone().map(|secret| (secret, Vec::new())),
        is_wide,
    })
}

const fn safe(
    name: &'static str,
    block: usize,
    start: fn(&Options) -> Box<dyn State>,
) -> Algorithm {
    Algorithm {
        name,
        start,
        block,
        kept: None,
        at_once: None,
    }
}

/// One whose state can be kept.
const fn keeping(
    name: &'static str,
    block: usize,
    start: fn(&Options) -> Box<dyn State>,
    kept: Kept,
) -> Algorithm {
    Algorithm {
        name,
        start,
        block,
        kept: Some(kept),
        at_once: None,
    }
}

const fn plain(name: &'static str, start: fn(&Options) -> Box<dyn State>) -> Algorithm {
    Algorithm {
        name,
        start,
        block: 0,
        kept: None,
        at_once: None,
    }
}

pub(super) static ALGORITHMS: &[Algorithm] = &[
    safe("md2", 16, whole::<Md2>).at_once(once::<Md2>),
    keeping("md4", 64, kept::start::<Md4>, kept::short::<Md4>(4)).at_once(once::<Md4>),
    keeping("md5", 64, kept::start::<Md5>, kept::md5::<Md5>())
        .at_once(|data| md5::digest(data).to_vec()),
    keeping("sha1", 64, kept::start::<Sha1>, kept::short::<Sha1>(5)).at_once(once::<Sha1>),
    keeping(
        "sha224",
        64,
        kept::start::<Sha224>,
        kept::short::<Sha224>(8),
    )
    .at_once(once::<Sha224>),
    keeping(
        "sha256",
        64,
        kept::start::<Sha256>,
        kept::short::<Sha256>(8),
    )
    .at_once(once::<Sha256>),
    keeping("sha384", 128, kept::start::<Sha384>, kept::long::<Sha384>()).at_once(once::<Sha384>),
    keeping(
        "sha512/224",
        128,
        kept::start::<Sha512_224>,
        kept::long::<Sha512_224>(),
    )
    .at_once(once::<Sha512_224>),
    keeping(
        "sha512/256",
        128,
        kept::start::<Sha512_256>,
        kept::long::<Sha512_256>(),
    )
    .at_once(once::<Sha512_256>),
    keeping("sha512", 128, kept::start::<Sha512>, kept::long::<Sha512>()).at_once(once::<Sha512>),
    safe("sha3-224", 144, whole::<Sha3_224>).at_once(once::<Sha3_224>),
    safe("sha3-256", 136, whole::<Sha3_256>).at_once(once::<Sha3_256>),
    safe("sha3-384", 104, whole::<Sha3_384>).at_once(once::<Sha3_384>),
    safe("sha3-512", 72, whole::<Sha3_512>).at_once(once::<Sha3_512>),
    keeping(
        "ripemd128",
        64,
        kept::start::<Ripemd128>,
        kept::short::<Ripemd128>(4),
    )
    .at_once(once::<Ripemd128>),
    keeping(
        "ripemd160",
        64,
        kept::start::<Ripemd160>,
        kept::short::<Ripemd160>(5),
    )
    .at_once(once::<Ripemd160>),
    keeping(
        "ripemd256",
        64,
        kept::start::<Ripemd256>,
        kept::short::<Ripemd256>(8),
    )
    .at_once(once::<Ripemd256>),
    keeping(
        "ripemd320",
        64,
        kept::start::<Ripemd320>,
        kept::short::<Ripemd320>(10),
    )
    .at_once(once::<Ripemd320>),
    safe("whirlpool", 64, whole::<Whirlpool>).at_once(once::<Whirlpool>),
    safe("tiger128,3", 64, |_| Tiger::start(3, 16)),
    safe("tiger160,3", 64, |_| Tiger::start(3, 20)),
    safe("tiger192,3", 64, |_| Tiger::start(3, 24)),
    safe("tiger128,4", 64, |_| Tiger::start(4, 16)),
    safe("tiger160,4", 64, |_| Tiger::start(4, 20)),
    safe("tiger192,4", 64, |_| Tiger::start(4, 24)),
    safe("snefru", 32, |_| Snefru::start()),
    safe("snefru256", 32, |_| Snefru::start()),
    safe("gost", 32, whole::<Gost94Test>).at_once(once::<Gost94Test>),
    safe("gost-crypto", 32, whole::<Gost94CryptoPro>).at_once(once::<Gost94CryptoPro>),
    plain("adler32", |o| {
        collected(o, |data, _| checksums::adler32(data))
    })
    .at_once(checksums::adler32),
    plain("crc32", |o| {
        collected(o, |data, _| checksums::crc32_bzip(data))
    })
    .at_once(checksums::crc32_bzip),
    plain("crc32b", |_| Box::new(crc32fast::Hasher::new()))
        .at_once(|data| crc32fast::hash(data).to_be_bytes().to_vec()),
    plain("crc32c", |o| {
        collected(o, |data, _| checksums::crc32c(data))
    })
    .at_once(checksums::crc32c),
    plain("fnv132", |o| {
        collected(o, |data, _| checksums::fnv32(data, false))
    })
    .at_once(|data| checksums::fnv32(data, false)),
    plain("fnv1a32", |o| {
        collected(o, |data, _| checksums::fnv32(data, true))
    })
    .at_once(|data| checksums::fnv32(data, true)),
    plain("fnv164", |o| {
        collected(o, |data, _| checksums::fnv64(data, false))
    })
    .at_once(|data| checksums::fnv64(data, false)),
    plain("fnv1a64", |o| {
        collected(o, |data, _| checksums::fnv64(data, true))
    })
    .at_once(|data| checksums::fnv64(data, true)),
    plain("joaat", |o| collected(o, |data, _| checksums::joaat(data))).at_once(checksums::joaat),
    plain("murmur3a", |o| collected(o, checksums::murmur3a))
        .at_once(|data| checksums::murmur3a(data, 0)),
    plain("murmur3c", |o| collected(o, checksums::murmur3c))
        .at_once(|data| checksums::murmur3c(data, 0)),
    plain("murmur3f", |o| collected(o, checksums::murmur3f))
        .at_once(|data| checksums::murmur3f(data, 0)),
    plain("xxh32", |o| {
        Box::new(xxhash_rust::xxh32::Xxh32::new(o.seed.unwrap_or(0) as u32))
    }),
    plain("xxh64", |o| {
        Box::new(xxhash_rust::xxh64::Xxh64::new(o.seed.unwrap_or(0)))
    }),
    plain("xxh3", |o| wide(o, false)),
    plain("xxh128", |o| wide(o, true)),
    safe("haval128,3", 128, |_| Haval::start(3, 128)),
    safe("haval160,3", 128, |_| Haval::start(3, 160)),
    safe("haval192,3", 128, |_| Haval::start(3, 192)),
    safe("haval224,3", 128, |_| Haval::start(3, 224)),
    safe("haval256,3", 128, |_| Haval::start(3, 256)),
    safe("haval128,4", 128, |_| Haval::start(4, 128)),
    safe("haval160,4", 128, |_| Haval::start(4, 160)),
    safe("haval192,4", 128, |_| Haval::start(4, 192)),
    safe("haval224,4", 128, |_| Haval::start(4, 224)),
    safe("haval256,4", 128, |_| Haval::start(4, 256)),
    safe("haval128,5", 128, |_| Haval::start(5, 128)),
    safe("haval160,5", 128, |_| Haval::start(5, 160)),
    safe("haval192,5", 128, |_| Haval::start(5, 192)),
    safe("haval224,5", 128, |_| Haval::start(5, 224)),
    safe("haval256,5", 128, |_| Haval::start(5, 256)),
];
