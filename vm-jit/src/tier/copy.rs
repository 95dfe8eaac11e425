//! A VM's own copy of a function's oplines and literals.

use vm_runtime::op::Op;
use vm_runtime::op_array::OpArray;

/// What stands in front of the oplines of a copy: counting code finds it there.
#[repr(C)]
#[derive(Debug)]
pub struct Head {
    /// From an opline of the copy to the same one of the op array, in bytes.
    pub to_original: i64,
    /// Entries and jumps back until the function is hot.
    pub counter: i32,
    /// Number of the unit in its tier.
    pub unit: u32,
}

/// Where the counter is, seen from the first opline.
pub const COUNTER: i32 = std::mem::offset_of!(Head, counter) as i32 - size_of::<Head>() as i32;
/// Where the distance to the original is, seen from the first opline.
pub const TO_ORIGINAL: i32 =
    std::mem::offset_of!(Head, to_original) as i32 - size_of::<Head>() as i32;

const _: () = assert!(size_of::<Head>() == size_of::<u128>());

/// The copy: position independent, so the block is copied as it is.
#[derive(Debug)]
pub struct Copy {
    block: Box<[u128]>,
    len: usize,
}

impl Copy {
    /// Copies the oplines and literals of an op array.
    pub fn new(array: &OpArray, unit: u32, counter: i32) -> Copy {
        let mut block = Vec::with_capacity(array.block().len() + 1);
        block.push(0);
        block.extend_from_slice(array.block());
        let mut copy = Copy {
            block: block.into(),
            len: array.len(),
        };
        let to_original = (array.ops() as i64).wrapping_sub(copy.ops() as i64);
        // SAFETY: the first element of the block is as large as the head and aligned for it.
        unsafe {
            copy.block.as_mut_ptr().cast::<Head>().write(Head {
                to_original,
                counter,
                unit,
            });
        }
        copy
    }

    /// The first opline.
    pub fn ops(&self) -> *const Op {
        self.block[1..].as_ptr().cast()
    }

    /// The oplines.
    pub fn slice(&self) -> &[Op] {
        // SAFETY: the block begins with the head and `len` oplines behind it.
        unsafe { std::slice::from_raw_parts(self.ops(), self.len) }
    }

    /// The oplines, whose handler words may be written: no reference to them is held while the
    /// interpreter runs.
    pub fn slice_mut(&mut self) -> &mut [Op] {
        // SAFETY: as for `slice`; the block is owned.
        unsafe { std::slice::from_raw_parts_mut(self.block.as_mut_ptr().add(1).cast(), self.len) }
    }

    /// Sets the counter.
    pub fn set_counter(&mut self, counter: i32) {
        // SAFETY: the first element of the block is the head; no reference to it is held.
        unsafe { (*self.block.as_mut_ptr().cast::<Head>()).counter = counter };
    }

    /// The number of the unit whose first opline is `ops`.
    ///
    /// # Safety
    /// `ops` is the first opline of a live copy.
    pub unsafe fn unit_of(ops: *const Op) -> u32 {
        // SAFETY: by the caller; the head stands in front.
        unsafe { (*ops.cast::<Head>().sub(1)).unit }
    }
}
