//! Modes of block ciphers without authentication.

use std::iter::repeat_n;

use super::block::Block;
use crate::openssl::errors::{
    BAD_DECRYPT, CIPHER_OPERATION_FAILED, Failure, INVALID_INPUT_LENGTH, UPDATE,
};

/// How much is done between two looks at the limits: a multiple of all block lengths.
const AT_ONCE: usize = 32 * 1024;

/// Looks at the limits if there is much to do.
pub(super) fn pieces(data: &mut [u8]) -> impl Iterator<Item = &mut [u8]> {
    data.chunks_mut(AT_ONCE).inspect(|piece| {
        if piece.len() == AT_ONCE {
            vm_runtime::limits::poll();
        }
    })
}

pub(super) fn xor(target: &mut [u8], with: &[u8]) {
    target
        .iter_mut()
        .zip(with)
        .for_each(|(byte, with)| *byte ^= with);
}

/// Fills up the last block: as many bytes as are missing, each of which says how many.
pub(super) fn pad(data: &mut Vec<u8>, size: usize) {
    let missing = size - data.len() % size;
    data.extend(repeat_n(missing as u8, missing));
}

/// Takes away what [`pad`] put there.
pub(super) fn unpad(data: &mut Vec<u8>, size: usize) -> Result<(), Failure> {
    let count = usize::from(data.last().copied().unwrap_or_default());
    let kept = data.len().wrapping_sub(count);
    if count == 0 || count > size || kept > data.len() {
        return Err(&[BAD_DECRYPT]);
    }
    let difference = data[kept..]
        .iter()
        .fold(0, |all, &byte| all | (byte ^ count as u8));
    if std::hint::black_box(difference) != 0 {
        return Err(&[BAD_DECRYPT]);
    }
    data.truncate(kept);
    Ok(())
}

pub(super) fn ecb(cipher: &dyn Block, data: &mut [u8], encrypt: bool) {
    pieces(data).for_each(|piece| match encrypt {
        true => cipher.encrypt(piece),
        false => cipher.decrypt(piece),
    });
}

pub(super) fn cbc_encrypt(cipher: &dyn Block, iv: &[u8], data: &mut [u8]) {
    let size = cipher.size();
    let mut last = iv.to_vec();
    for piece in pieces(data) {
        for block in piece.chunks_exact_mut(size) {
            xor(block, &last);
            cipher.encrypt(block);
            last.copy_from_slice(block);
        }
    }
}

pub(super) fn cbc_decrypt(cipher: &dyn Block, iv: &[u8], data: &mut [u8]) {
    let size = cipher.size();
    let mut last = iv.to_vec();
    for piece in pieces(data) {
        let encrypted = piece.to_vec();
        cipher.decrypt(piece);
        for (block, encrypted) in piece
            .chunks_exact_mut(size)
            .zip(encrypted.chunks_exact(size))
        {
            xor(block, &last);
            last.copy_from_slice(encrypted);
        }
    }
}

pub(super) fn cfb(cipher: &dyn Block, iv: &[u8], data: &mut [u8], encrypt: bool) {
    let mut last = iv.to_vec();
    for piece in pieces(data) {
        for block in piece.chunks_mut(cipher.size()) {
            cipher.encrypt(&mut last);
            let given = block.to_vec();
            xor(block, &last);
            let encrypted = if encrypt { &*block } else { &given };
            last[..encrypted.len()].copy_from_slice(encrypted);
        }
    }
}

pub(super) fn cfb8(cipher: &dyn Block, iv: &[u8], data: &mut [u8], encrypt: bool) {
    let mut register = iv.to_vec();
    for piece in pieces(data) {
        for byte in piece {
            let mut block = register.clone();
            cipher.encrypt(&mut block);
            let given = *byte;
            *byte ^= block[0];
            register.rotate_left(1);
            register[iv.len() - 1] = if encrypt { *byte } else { given };
        }
    }
}

/// Bit by bit.
pub(super) fn cfb1(cipher: &dyn Block, iv: &[u8], data: &mut [u8], encrypt: bool) {
    let mut register = iv.to_vec();
    for piece in pieces(data) {
        for byte in piece {
            let given = *byte;
            for bit in (0..8).rev() {
                let mut block = register.clone();
                cipher.encrypt(&mut block);
                *byte ^= (block[0] >> 7) << bit;
                let encrypted = if encrypt { *byte } else { given };
                let mut carry = encrypted >> bit & 1;
                for part in register.iter_mut().rev() {
                    (*part, carry) = (*part << 1 | carry, *part >> 7);
                }
            }
        }
    }
}

pub(super) fn ofb(cipher: &dyn Block, iv: &[u8], data: &mut [u8]) {
    let mut last = iv.to_vec();
    for piece in pieces(data) {
        for block in piece.chunks_mut(cipher.size()) {
            cipher.encrypt(&mut last);
            xor(block, &last);
        }
    }
}

/// How many blocks of the key stream are made together.
const TOGETHER: usize = 64;

/// Counts in the last `counted` bytes of the block, and leaves it at what comes next.
pub(super) fn ctr(cipher: &dyn Block, counter: &mut [u8; 16], counted: usize, data: &mut [u8]) {
    let mut stream = [0; TOGETHER * 16];
    for piece in pieces(data) {
        for part in piece.chunks_mut(stream.len()) {
            let used = part.len().next_multiple_of(16);
            for block in stream[..used].chunks_exact_mut(16) {
                block.copy_from_slice(counter);
                increase(&mut counter[16 - counted..]);
            }
            cipher.encrypt(&mut stream[..used]);
            xor(part, &stream);
        }
    }
}

fn increase(counter: &mut [u8]) {
    for byte in counter.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return;
        }
    }
}

/// IEEE 1619: `data` has a block at least.
pub(super) fn xts(
    cipher: &dyn Block,
    tweak: &dyn Block,
    iv: &[u8],
    data: &mut [u8],
    encrypt: bool,
) {
    let mut mask: [u8; 16] = iv.try_into().expect("a block");
    tweak.encrypt(&mut mask);
    let one = |block: &mut [u8], mask: &[u8; 16]| {
        xor(block, mask);
        match encrypt {
            true => cipher.encrypt(block),
            false => cipher.decrypt(block),
        }
        xor(block, mask);
    };
    let rest = data.len() % 16;
    let whole = data.len() - rest;
    // The last whole block waits for what is behind it.
    let plain = if rest == 0 { whole } else { whole - 16 };
    for piece in pieces(&mut data[..plain]) {
        for block in piece.chunks_exact_mut(16) {
            one(block, &mask);
            mask = doubled_little(mask);
        }
    }
    if rest == 0 {
        return;
    }
    let next = doubled_little(mask);
    let (first, second) = if encrypt { (mask, next) } else { (next, mask) };
    let (block, tail) = data[plain..].split_at_mut(16);
    one(block, &first);
    tail.swap_with_slice(&mut block[..rest]);
    one(block, &second);
}

/// Times x in the field of XTS.
fn doubled_little(value: [u8; 16]) -> [u8; 16] {
    let number = u128::from_le_bytes(value);
    ((number << 1) ^ ((number >> 127) * 0x87)).to_le_bytes()
}

const WRONG_LENGTH: Failure = &[INVALID_INPUT_LENGTH, UPDATE];
const WRONG: Failure = &[CIPHER_OPERATION_FAILED, UPDATE];

/// RFC 3394: a key under another key.
pub(super) fn wrap(cipher: &dyn Block, iv: &[u8], data: &[u8]) -> Result<Vec<u8>, Failure> {
    if data.is_empty() {
        return Ok(Vec::new());
    }
    if !data.len().is_multiple_of(8) {
        return Err(WRONG_LENGTH);
    }
    if data.len() < 16 {
        return Err(WRONG);
    }
    Ok(wrapped(cipher, iv, data))
}

fn wrapped(cipher: &dyn Block, iv: &[u8], data: &[u8]) -> Vec<u8> {
    let mut result = [iv, data].concat();
    let mut block = [0; 16];
    block[..8].copy_from_slice(iv);
    let mut step = 0u64;
    for _ in 0..6 {
        vm_runtime::limits::poll();
        for part in result[8..].chunks_exact_mut(8) {
            step += 1;
            block[8..].copy_from_slice(part);
            cipher.encrypt(&mut block);
            xor(&mut block[..8], &step.to_be_bytes());
            part.copy_from_slice(&block[8..]);
        }
    }
    result[..8].copy_from_slice(&block[..8]);
    result
}

/// What was wrapped, behind the value that tells whether the key was right.
fn unwrapped(cipher: &dyn Block, data: &[u8]) -> Vec<u8> {
    let mut result = data.to_vec();
    let mut block = [0; 16];
    block[..8].copy_from_slice(&data[..8]);
    let mut step = (data.len() as u64 / 8 - 1) * 6;
    for _ in 0..6 {
        vm_runtime::limits::poll();
        for part in result[8..].chunks_exact_mut(8).rev() {
            xor(&mut block[..8], &step.to_be_bytes());
            block[8..].copy_from_slice(part);
            cipher.decrypt(&mut block);
            part.copy_from_slice(&block[8..]);
            step -= 1;
        }
    }
    result[..8].copy_from_slice(&block[..8]);
    result
}

pub(super) fn unwrap(cipher: &dyn Block, iv: &[u8], data: &[u8]) -> Result<Vec<u8>, Failure> {
    if data.is_empty() {
        return Ok(Vec::new());
    }
    if !data.len().is_multiple_of(8) {
        return Err(WRONG_LENGTH);
    }
    if data.len() < 24 {
        return Err(WRONG);
    }
    let mut result = unwrapped(cipher, data);
    if !super::same(&result[..8], iv) {
        return Err(WRONG);
    }
    Ok(result.split_off(8))
}

/// RFC 5649: as [`wrap`], for any length.
pub(super) fn wrap_padded(cipher: &dyn Block, iv: &[u8], data: &[u8]) -> Vec<u8> {
    if data.is_empty() {
        return Vec::new();
    }
    let first = [iv, &(data.len() as u32).to_be_bytes()].concat();
    let mut padded = data.to_vec();
    padded.resize(data.len().next_multiple_of(8), 0);
    if padded.len() > 8 {
        return wrapped(cipher, &first, &padded);
    }
    let mut block = [first, padded].concat();
    cipher.encrypt(&mut block);
    block
}

pub(super) fn unwrap_padded(
    cipher: &dyn Block,
    iv: &[u8],
    data: &[u8],
) -> Result<Vec<u8>, Failure> {
    if data.is_empty() {
        return Ok(Vec::new());
    }
    if !data.len().is_multiple_of(8) || data.len() < 16 {
        return Err(WRONG_LENGTH);
    }
    let mut result = match data.len() {
        16 => {
            let mut block = data.to_vec();
            cipher.decrypt(&mut block);
            block
        }
        _ => unwrapped(cipher, data),
    };
    let room = result.len() - 8;
    let length = u32::from_be_bytes(result[4..8].try_into().expect("four bytes")) as usize;
    let fits = length <= room && length + 8 > room;
    if !super::same(&result[..4], iv) || !fits || result[8 + length..].iter().any(|&byte| byte != 0)
    {
        return Err(WRONG);
    }
    result.truncate(8 + length);
    Ok(result.split_off(8))
}

/// RFC 3217: a key under triple DES, twice, with a checksum.
const TRIPLE_WRAP_IV: [u8; 8] = [0x4a, 0xdd, 0xa2, 0x2c, 0x79, 0xe8, 0x21, 0x05];

pub(super) fn triple_wrap(cipher: &dyn Block, data: &[u8]) -> Result<Vec<u8>, Failure> {
    if !data.len().is_multiple_of(8) {
        return Err(&[CIPHER_OPERATION_FAILED]);
    }
    if data.is_empty() {
        return Ok(Vec::new());
    }
    let mut iv = [0; 8];
    super::super::random_bytes(&mut iv);
    let checksum = <sha1::Sha1 as sha1::Digest>::digest(data);
    let mut inner = [data, &checksum[..8]].concat();
    cbc_encrypt(cipher, &iv, &mut inner);
    let mut result = [&iv, &*inner].concat();
    result.reverse();
    cbc_encrypt(cipher, &TRIPLE_WRAP_IV, &mut result);
    Ok(result)
}

pub(super) fn triple_unwrap(cipher: &dyn Block, data: &[u8]) -> Result<Vec<u8>, Failure> {
    if data.is_empty() {
        return Ok(Vec::new());
    }
    if !data.len().is_multiple_of(8) || data.len() < 24 {
        return Err(&[CIPHER_OPERATION_FAILED]);
    }
    let mut result = data.to_vec();
    cbc_decrypt(cipher, &TRIPLE_WRAP_IV, &mut result);
    result.reverse();
    let mut inner = result.split_off(8);
    cbc_decrypt(cipher, &result, &mut inner);
    let checksum = inner.split_off(inner.len() - 8);
    let right = <sha1::Sha1 as sha1::Digest>::digest(&inner);
    match super::same(&checksum, &right[..8]) {
        true => Ok(inner),
        false => Err(&[CIPHER_OPERATION_FAILED]),
    }
}
