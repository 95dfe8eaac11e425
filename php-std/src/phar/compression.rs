//! Ways of compression, of entries and of archives as a whole.

use super::archive::flags;
use crate::zlib;

/// True if the feature that a way of compression needs is there.
pub(super) fn is_supported(method: u32) -> bool {
    matches!(method, 0 | flags::GZ) || method == flags::BZ2 && cfg!(feature = "bz2")
}

/// The contents of an entry as they go into an archive.
pub(super) fn pack(method: u32, contents: &[u8]) -> Vec<u8> {
    match method {
        flags::GZ => zlib::deflate(contents),
        #[cfg(feature = "bz2")]
        flags::BZ2 => crate::bz2::pack(contents),
        _ => contents.to_vec(),
    }
}

/// The contents of an entry, if they are no more than `most` bytes.
pub(super) fn unpack(method: u32, bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    match method {
        flags::GZ => zlib::inflate(bytes, most),
        #[cfg(feature = "bz2")]
        flags::BZ2 => crate::bz2::unpack(bytes, most),
        _ => None,
    }
}

/// An archive as a whole.
pub(super) fn pack_whole(method: u32, bytes: &[u8]) -> Vec<u8> {
    match method {
        flags::GZ => zlib::gzip(bytes),
        method => pack(method, bytes),
    }
}

/// What is in an archive that is compressed as a whole.
pub(super) fn unpack_whole(method: u32, bytes: &[u8]) -> Option<Vec<u8>> {
    match method {
        flags::GZ => zlib::gunzip(bytes),
        method => unpack(method, bytes, usize::MAX),
    }
}
