//! Block ciphers behind one face, so that each mode is there once for all of them.

use cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyInit};

/// A block cipher with its key.
pub(super) trait Block {
    /// The length of a block.
    fn size(&self) -> usize;
    /// Encrypts blocks, each by itself.
    fn encrypt(&self, blocks: &mut [u8]);
    /// Decrypts blocks, each by itself.
    fn decrypt(&self, blocks: &mut [u8]);
}

impl<C: BlockCipherEncrypt + BlockCipherDecrypt> Block for C {
    fn size(&self) -> usize {
        <C as BlockSizeUser>::block_size()
    }

    fn encrypt(&self, blocks: &mut [u8]) {
        let (blocks, rest) = Array::slice_as_chunks_mut(blocks);
        debug_assert!(rest.is_empty());
        self.encrypt_blocks(blocks);
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (blocks, rest) = Array::slice_as_chunks_mut(blocks);
        debug_assert!(rest.is_empty());
        self.decrypt_blocks(blocks);
    }
}

/// Which cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Aes,
    Aria,
    Camellia,
    ChaCha20,
    /// DES three times; with two keys or with three.
    TripleDes,
    Sm4,
}

fn made<C: Block + KeyInit + 'static>(key: &[u8]) -> Box<dyn Block> {
    Box::new(C::new_from_slice(key).expect("a key of the right length"))
}

/// A block cipher; the key has one of the lengths that there are.
pub(super) fn keyed(family: Family, key: &[u8]) -> Box<dyn Block> {
    match (family, key.len()) {
        (Family::Aes, 16) => made::<aes::Aes128>(key),
        (Family::Aes, 24) => made::<aes::Aes192>(key),
        (Family::Aes, _) => made::<aes::Aes256>(key),
        (Family::Aria, 16) => made::<aria::Aria128>(key),
        (Family::Aria, 24) => made::<aria::Aria192>(key),
        (Family::Aria, _) => made::<aria::Aria256>(key),
        (Family::Camellia, 16) => made::<camellia::Camellia128>(key),
        (Family::Camellia, 24) => made::<camellia::Camellia192>(key),
        (Family::Camellia, _) => made::<camellia::Camellia256>(key),
        (Family::TripleDes, 16) => made::<des::TdesEde2>(key),
        (Family::TripleDes, _) => made::<des::TdesEde3>(key),
        (Family::Sm4, _) => made::<sm4::Sm4>(key),
        (Family::ChaCha20, _) => unreachable!("not a block cipher"),
    }
}
