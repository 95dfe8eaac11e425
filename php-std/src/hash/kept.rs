//! States of digests as PHP keeps them: `HashContext::__serialize()`.
//!
//! PHP writes its structures element by element. The digests that are here have words, the number of
//! bits and a block; what our crates write has the same, in another order.

use ::md5::Digest;
use ::md5::digest::common::hazmat::{SerializableState, SerializedState};
use vm_runtime::array::PhpArray;
use vm_runtime::value::{ArrayHandle, Value, ValueKind};
use vm_runtime::vm::Vm;

use super::algorithms::{Options, State};
use crate::support::{Append, hold, new_list};

/// How PHP keeps a digest, and how one is made of what was kept.
pub(super) struct Kept {
    words: usize,
    /// Bytes of a word.
    word: usize,
    block: usize,
    /// MD5 has its count first, in bytes, and room for a block of words at the end.
    is_md5: bool,
    load: fn(&[u8]) -> Option<Box<dyn State>>,
}

/// A digest whose state can be written.
#[derive(Clone)]
struct Keeper<D>(D);

impl<D: Digest + SerializableState + Clone + 'static> State for Keeper<D> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finish(self: Box<Self>) -> Vec<u8> {
        self.0.finalize().to_vec()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(self.0.serialize().to_vec())
    }
}

pub(super) fn start<D: Digest + SerializableState + Clone + 'static>(
    _: &Options,
) -> Box<dyn State> {
    Box::new(Keeper(D::new()))
}

fn load<D: Digest + SerializableState + Clone + 'static>(bytes: &[u8]) -> Option<Box<dyn State>> {
    let state: &SerializedState<D> = bytes.try_into().ok()?;
    Some(Box::new(Keeper(D::deserialize(state).ok()?)))
}

/// A digest of words of 32 bits with a block of 64 bytes.
pub(super) const fn short<D: Digest + SerializableState + Clone + 'static>(words: usize) -> Kept {
    Kept {
        words,
        word: 4,
        block: 64,
        is_md5: false,
        load: load::<D>,
    }
}

/// A digest of words of 64 bits with a block of 128 bytes.
pub(super) const fn long<D: Digest + SerializableState + Clone + 'static>() -> Kept {
    Kept {
        words: 8,
        word: 8,
        block: 128,
        is_md5: false,
        load: load::<D>,
    }
}

pub(super) const fn md5<D: Digest + SerializableState + Clone + 'static>() -> Kept {
    Kept {
        is_md5: true,
        ..short::<D>(4)
    }
}

/// What an element of PHP's structures is, and its size there.
#[derive(Clone, Copy)]
enum Element {
    Number,
    Bytes(usize),
}

impl Element {
    fn size(self) -> usize {
        match self {
            Element::Number => 4,
            Element::Bytes(length) => length,
        }
    }
}

/// The code of PHP's error if the values do not fit.
pub(super) type Code = i64;

/// The code of errors that belong to no element.
pub(super) const MALFORMED: Code = -1;

fn number(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

impl Kept {
    /// How many numbers the words are.
    fn numbers(&self) -> usize {
        self.words * self.word / 4
    }

    fn layout(&self) -> Vec<Element> {
        let mut layout = vec![Element::Number; self.numbers() + self.word / 2];
        layout.push(Element::Bytes(self.block));
        if self.is_md5 {
            layout.extend([Element::Number; 16]);
        }
        layout
    }

    /// The state as PHP keeps it.
    pub(super) fn shown(&self, vm: &mut Vm, state: &[u8]) -> ArrayHandle {
        let count_at = self.words * self.word;
        let blocks =
            u64::from(number(state, count_at)) | u64::from(number(state, count_at + 4)) << 32;
        let rest = &state[count_at + 2 * self.word..];
        let held = usize::from(rest[0]);
        let total = blocks * self.block as u64 + held as u64;
        let words = (0..self.numbers()).map(|index| number(state, index * 4));
        let mut numbers: Vec<u32> = Vec::new();
        if self.is_md5 {
            numbers.extend([(total & 0x1fff_ffff) as u32, (total >> 29) as u32]);
            numbers.extend(words);
        } else {
            numbers.extend(words);
            let bits = total << 3;
            numbers.extend([bits as u32, (bits >> 32) as u32]);
            if self.word == 8 {
                numbers.extend([(total >> 61) as u32, 0]);
            }
        }
        let mut block = rest[1..=held].to_vec();
        block.resize(self.block, 0);
        let mut list = new_list(vm, numbers.len() + 1);
        let more: &[u32] = if self.is_md5 { &[0; 16] } else { &[] };
        let signed = |number: &u32| Value::from(i64::from(*number as i32));
        for number in &numbers {
            list.make_mut(vm).append(signed(number));
        }
        let block = vm.string(block).into();
        list.make_mut(vm).append(block);
        for number in more {
            list.make_mut(vm).append(signed(number));
        }
        list
    }

    /// A digest of what PHP kept.
    pub(super) fn loaded(&self, kept: &PhpArray) -> Result<Box<dyn State>, Code> {
        let (mut numbers, mut block) = (Vec::new(), Vec::new());
        let mut offset = 0;
        for (index, element) in self.layout().into_iter().enumerate() {
            let value = kept
                .get(vm_runtime::array::KeyRef::Long(index as i64))
                .map(hold);
            match (element, value.as_ref().map(|value| value.view())) {
                (Element::Number, Some(ValueKind::Long(number))) => numbers.push(number as u32),
                (Element::Bytes(length), Some(ValueKind::String(bytes)))
                    if bytes.len() == length =>
                {
                    block = bytes.as_bytes().to_vec();
                }
                _ => return Err(-1000 - offset as Code),
            }
            offset += element.size();
        }
        let (words, total) = if self.is_md5 {
            let total = u64::from(numbers[0]) | u64::from(numbers[1]) << 29;
            (&numbers[2..2 + self.numbers()], total)
        } else {
            let count = &numbers[self.numbers()..];
            let bits = u64::from(count[0]) | u64::from(count[1]) << 32;
            let more = count.get(2).map_or(0, |more| u64::from(*more) << 61);
            (&numbers[..self.numbers()], bits >> 3 | more)
        };
        let (blocks, held) = (total / self.block as u64, total as usize % self.block);
        let mut state: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        state.extend(blocks.to_le_bytes());
        state.resize(self.words * self.word + 2 * self.word, 0);
        state.push(held as u8);
        state.extend_from_slice(&block[..held]);
        state.resize(self.words * self.word + 2 * self.word + self.block, 0);
        (self.load)(&state).ok_or(MALFORMED)
    }
}
