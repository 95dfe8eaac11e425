//! Modes that authenticate what they encrypt: each gives a tag of 16 bytes, of which callers take what they
//! want.

use chacha20::cipher::{StreamCipher, StreamCipherSeek};
use chacha20::{ChaCha20Legacy, KeyIvInit};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use poly1305::Poly1305;

use super::block::Block;
#[cfg(feature = "sodium")]
use super::block::Family;
use super::modes::{ctr, pieces, xor};

/// A tag, as long as it can be.
pub(crate) type Tag = [u8; 16];

fn lengths(one: usize, two: usize) -> (u64, u64) {
    (one as u64, two as u64)
}

pub(super) fn gcm(
    cipher: &dyn Block,
    iv: &[u8],
    aad: &[u8],
    data: &mut [u8],
    encrypt: bool,
) -> Tag {
    let mut key = ghash::Key::default();
    cipher.encrypt(&mut key);
    let mut counter = [0; 16];
    if iv.len() == 12 {
        counter[..12].copy_from_slice(iv);
        counter[15] = 1;
    } else {
        let mut hash = GHash::new(&key);
        hash.update_padded(iv);
        let mut last = ghash::Block::default();
        last[8..].copy_from_slice(&(iv.len() as u64 * 8).to_be_bytes());
        hash.update(&[last]);
        counter.copy_from_slice(&hash.finalize());
    }
    let mut mask = counter;
    cipher.encrypt(&mut mask);
    let low = u32::from_be_bytes(counter[12..].try_into().expect("four bytes"));
    counter[12..].copy_from_slice(&low.wrapping_add(1).to_be_bytes());
    let mut hash = GHash::new(&key);
    hash.update_padded(aad);
    if encrypt {
        ctr(cipher, &mut counter, 4, data);
    }
    hash.update_padded(data);
    let (first, second) = lengths(aad.len(), data.len());
    let mut last = ghash::Block::default();
    last[..8].copy_from_slice(&(first * 8).to_be_bytes());
    last[8..].copy_from_slice(&(second * 8).to_be_bytes());
    hash.update(&[last]);
    let mut tag = Tag::default();
    tag.copy_from_slice(&hash.finalize());
    xor(&mut tag, &mask);
    if !encrypt {
        ctr(cipher, &mut counter, 4, data);
    }
    tag
}

/// GCM with AES and a key of 256 bits.
#[cfg(feature = "sodium")]
pub(crate) fn aes256_gcm(key: &[u8], iv: &[u8], aad: &[u8], data: &mut [u8], encrypt: bool) -> Tag {
    gcm(
        &*super::block::keyed(Family::Aes, key),
        iv,
        aad,
        data,
        encrypt,
    )
}

/// CCM, whose tag depends on how long it is.
pub(super) fn ccm(
    cipher: &dyn Block,
    iv: &[u8],
    aad: &[u8],
    data: &mut [u8],
    length: usize,
    encrypt: bool,
) -> Tag {
    let counted = 15 - iv.len();
    let mut counter = [0; 16];
    counter[0] = counted as u8 - 1;
    counter[1..=iv.len()].copy_from_slice(iv);
    let mut mask = counter;
    cipher.encrypt(&mut mask);
    counter[15] = 1;
    if !encrypt {
        ctr(cipher, &mut counter, counted, data);
    }
    let mut tag = counter;
    tag[0] =
        (counted as u8 - 1) | (((length as u8 - 2) / 2) << 3) | (u8::from(!aad.is_empty()) << 6);
    let size = (data.len() as u64).to_be_bytes();
    tag[16 - counted..].fill(0);
    let shown = counted.min(8);
    tag[16 - shown..].copy_from_slice(&size[8 - shown..]);
    cipher.encrypt(&mut tag);
    if !aad.is_empty() {
        let mut head = match aad.len() {
            length @ ..0xff00 => (length as u16).to_be_bytes().to_vec(),
            length => [&[0xff, 0xfe][..], &(length as u32).to_be_bytes()].concat(),
        };
        head.extend_from_slice(aad);
        chain(cipher, &mut tag, &head);
    }
    chain(cipher, &mut tag, data);
    xor(&mut tag, &mask);
    if encrypt {
        ctr(cipher, &mut counter, counted, data);
    }
    tag
}

fn chain(cipher: &dyn Block, tag: &mut Tag, data: &[u8]) {
    for piece in data.chunks(32 * 1024) {
        vm_runtime::limits::poll();
        for block in piece.chunks(16) {
            xor(tag, block);
            cipher.encrypt(tag);
        }
    }
}

/// RFC 7253; the tag's length goes into what is encrypted.
pub(super) fn ocb(
    cipher: &dyn Block,
    iv: &[u8],
    aad: &[u8],
    data: &mut [u8],
    length: usize,
    encrypt: bool,
) -> Tag {
    let mut star = Tag::default();
    cipher.encrypt(&mut star);
    let dollar = doubled(star);
    // One for each number of zeros at the end of a block's number.
    let mut masks = vec![doubled(dollar)];
    while masks.len() < 60 {
        masks.push(doubled(masks[masks.len() - 1]));
    }
    let mut nonce = Tag::default();
    nonce[16 - iv.len()..].copy_from_slice(iv);
    nonce[15 - iv.len()] |= 1;
    nonce[0] |= ((length * 8 % 128) as u8) << 1;
    let bottom = usize::from(nonce[15] & 0x3f);
    nonce[15] &= 0xc0;
    cipher.encrypt(&mut nonce);
    let mut stretched = [0; 24];
    stretched[..16].copy_from_slice(&nonce);
    for at in 0..8 {
        stretched[16 + at] = nonce[at] ^ nonce[at + 1];
    }
    let mut offset = Tag::default();
    for (at, byte) in offset.iter_mut().enumerate() {
        let (from, shift) = (at + bottom / 8, bottom % 8);
        let pair = u16::from_be_bytes([
            stretched[from],
            stretched.get(from + 1).copied().unwrap_or(0),
        ]);
        *byte = (pair << shift >> 8) as u8;
    }
    let mut checksum = Tag::default();
    let whole = data.len() / 16 * 16;
    let mut number = 0u64;
    for piece in pieces(&mut data[..whole]) {
        for block in piece.chunks_exact_mut(16) {
            number += 1;
            xor(&mut offset, &masks[number.trailing_zeros() as usize]);
            if encrypt {
                xor(&mut checksum, block);
            }
            xor(block, &offset);
            match encrypt {
                true => cipher.encrypt(block),
                false => cipher.decrypt(block),
            }
            xor(block, &offset);
            if !encrypt {
                xor(&mut checksum, block);
            }
        }
    }
    let rest = &mut data[whole..];
    if !rest.is_empty() {
        xor(&mut offset, &star);
        let mut stream = offset;
        cipher.encrypt(&mut stream);
        let mut plain = rest.to_vec();
        xor(rest, &stream);
        if !encrypt {
            plain = rest.to_vec();
        }
        xor(&mut checksum, &plain);
        checksum[plain.len()] ^= 0x80;
    }
    let mut tag = checksum;
    xor(&mut tag, &offset);
    xor(&mut tag, &dollar);
    cipher.encrypt(&mut tag);
    xor(&mut tag, &ocb_hash(cipher, &masks, &star, aad));
    tag
}

fn ocb_hash(cipher: &dyn Block, masks: &[Tag], star: &Tag, aad: &[u8]) -> Tag {
    let (mut sum, mut offset) = (Tag::default(), Tag::default());
    let blocks = aad.chunks_exact(16);
    let rest = blocks.remainder();
    for (number, block) in blocks.enumerate() {
        xor(&mut offset, &masks[(number + 1).trailing_zeros() as usize]);
        let mut block: Tag = block.try_into().expect("a block");
        xor(&mut block, &offset);
        cipher.encrypt(&mut block);
        xor(&mut sum, &block);
    }
    if !rest.is_empty() {
        xor(&mut offset, star);
        let mut block = offset;
        xor(&mut block, rest);
        block[rest.len()] ^= 0x80;
        cipher.encrypt(&mut block);
        xor(&mut sum, &block);
    }
    sum
}

/// Times x in the field of OCB.
fn doubled(value: Tag) -> Tag {
    let number = u128::from_be_bytes(value);
    ((number << 1) ^ ((number >> 127) * 0x87)).to_be_bytes()
}

/// ChaCha20 with OpenSSL's initialization vector: the counter, then the nonce.
pub(super) fn chacha20(key: &[u8], iv: &[u8], data: &mut [u8]) {
    let counter = u64::from_le_bytes(iv[..8].try_into().expect("eight bytes"));
    let mut stream = chacha(key, &iv[8..], counter);
    pieces(data).for_each(|piece| stream.apply_keystream(piece));
}

fn chacha(key: &[u8], nonce: &[u8], counter: u64) -> ChaCha20Legacy {
    let mut stream = ChaCha20Legacy::new_from_slices(key, nonce).expect("lengths of ChaCha20");
    // Behind what a position in bytes can say nobody counts.
    let _ = stream.try_seek(u128::from(counter) * 64);
    stream
}

/// RFC 8439.
pub(crate) fn chacha20_poly1305(
    key: &[u8],
    iv: &[u8],
    aad: &[u8],
    data: &mut [u8],
    encrypt: bool,
) -> Tag {
    // The first four bytes of the nonce stand in the upper half of a counter of 64 bits.
    let high = u64::from(u32::from_le_bytes(iv[..4].try_into().expect("four bytes"))) << 32;
    let mut stream = chacha(key, &iv[4..], high);
    let mut first = [0; 64];
    stream.apply_keystream(&mut first);
    let key = poly1305::Key::try_from(&first[..32]).expect("the length of a key");
    let mut mac = <Poly1305 as poly1305::universal_hash::KeyInit>::new(&key);
    mac.update_padded(aad);
    if encrypt {
        pieces(data).for_each(|piece| stream.apply_keystream(piece));
    }
    mac.update_padded(data);
    let (one, two) = lengths(aad.len(), data.len());
    let mut last = poly1305::Block::default();
    last[..8].copy_from_slice(&one.to_le_bytes());
    last[8..].copy_from_slice(&two.to_le_bytes());
    mac.update(&[last]);
    let mut tag = Tag::default();
    tag.copy_from_slice(&mac.finalize());
    if !encrypt {
        pieces(data).for_each(|piece| stream.apply_keystream(piece));
    }
    tag
}
