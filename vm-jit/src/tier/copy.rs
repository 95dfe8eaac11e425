//! A VM's own copy of a function's oplines and literals.

use vm_runtime::op::Op;
use vm_runtime::op_array::OpArray;

/// What stands in front of the oplines of a copy: counting code finds it there.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// From an opline of the copy to the same one of the op array, in bytes.
    pub to_original: i64,
    /// Entries and jumps back until the function is hot.
    pub counter: i32,
    /// Number of the unit in its tier.
    pub unit: u32,
    /// How often the function was entered while that was counted down.
    pub entries: u32,
    /// How often it was entered when that alone did not count.
    pub arrivals: u32,
    pub reserved: u64,
}

/// Where the counter is, seen from the first opline.
pub const COUNTER: i32 = std::mem::offset_of!(Head, counter) as i32 - size_of::<Head>() as i32;
/// Where the distance to the original is, seen from the first opline.
pub const TO_ORIGINAL: i32 =
    std::mem::offset_of!(Head, to_original) as i32 - size_of::<Head>() as i32;

/// Where entries are counted, seen from the first opline.
pub const ENTRIES: i32 = std::mem::offset_of!(Head, entries) as i32 - size_of::<Head>() as i32;
pub const ARRIVALS: i32 = std::mem::offset_of!(Head, arrivals) as i32 - size_of::<Head>() as i32;

/// How much more an entry counts than a jump back.
pub const ENTRY_WEIGHT: i32 = 2;

/// Elements of the block before the first opline.
const HEAD: usize = size_of::<Head>() / size_of::<u128>();

const _: () = assert!(size_of::<Head>() == HEAD * size_of::<u128>());
const _: () = assert!(align_of::<Head>() <= align_of::<u128>());

/// The copy: position independent, so the block is copied as it is.
#[derive(Debug)]
pub struct Copy {
    block: Box<[u128]>,
    len: usize,
    /// What the counter was set to, and what it has counted before that.
    set: i32,
    counted: u64,
}

impl Copy {
    /// Copies the oplines and literals of an op array.
    pub fn new(array: &OpArray, unit: u32, counter: i32) -> Copy {
        let mut block = Vec::with_capacity(array.block().len() + HEAD);
        block.extend([0; HEAD]);
        block.extend_from_slice(array.block());
        let mut copy = Copy {
            block: block.into(),
            len: array.len(),
            set: counter,
            counted: 0,
        };
        let to_original = (array.ops() as i64).wrapping_sub(copy.ops() as i64);
        // SAFETY: the first elements of the block are as large as the head and aligned for it.
        unsafe {
            copy.block.as_mut_ptr().cast::<Head>().write(Head {
                to_original,
                counter,
                unit,
                entries: 0,
                arrivals: 0,
                reserved: 0,
            });
        }
        copy
    }

    /// The first opline.
    pub fn ops(&self) -> *const Op {
        self.block[HEAD..].as_ptr().cast()
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
        unsafe {
            std::slice::from_raw_parts_mut(self.block.as_mut_ptr().add(HEAD).cast(), self.len)
        }
    }

    /// Sets the counter.
    pub fn set_counter(&mut self, counter: i32) {
        self.counted += u64::from(self.counted_since_set());
        self.set = counter;
        // SAFETY: the first elements of the block are the head; no reference to it is held.
        unsafe { (*self.block.as_mut_ptr().cast::<Head>()).counter = counter };
    }

    fn head(&self) -> Head {
        // SAFETY: as for `set_counter`.
        unsafe { self.block.as_ptr().cast::<Head>().read() }
    }

    /// Entries and jumps back since the counter was set.
    pub fn counted_since_set(&self) -> u32 {
        self.set.saturating_sub(self.head().counter).max(0) as u32
    }

    /// How often its loops jumped back for each time that the function was entered, as far as that was counted.
    pub fn turns_of_entry(&self) -> u32 {
        let head = self.head();
        let counted = self.counted + u64::from(self.counted_since_set());
        let turns = counted.saturating_sub(u64::from(head.entries) * ENTRY_WEIGHT as u64);
        let entries = u64::from(head.entries) + u64::from(head.arrivals);
        (turns / entries.max(1)).min(u64::from(u32::MAX)) as u32
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
