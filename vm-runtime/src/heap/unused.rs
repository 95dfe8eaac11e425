//! Runs of small blocks go back to the pages of their chunks when none of their blocks is in use.
//!
//! Nobody looks for them while there is room: a class keeps what it has. When the limit is met, what is free for
//! requests of one size is there for all others.

use super::{
    CHUNK_SIZE, CLASS_PAGES, CLASS_SIZE, CLASSES, ChunkHeader, FreeElement, Heap, PAGE_FREE,
    PAGE_SIZE, PAGE_SMALL, PAGES,
};

/// Marks the later pages of a small run, with their distance from the first one.
const LATER: u16 = 1 << 15;

/// Notes in the later pages of a small run where it begins.
pub(super) fn note_later_pages(lengths: &mut [u16; PAGES], first: usize, pages: usize) {
    for distance in 1..pages {
        lengths[first + distance] = LATER | distance as u16;
    }
}

/// Blocks of a run of a class.
fn capacity(class: usize) -> usize {
    CLASS_PAGES[class] as usize * PAGE_SIZE / CLASS_SIZE[class] as usize
}

/// The chunk of a free block, and the first page of its run.
///
/// # Safety
/// The block lies in a small run of a live chunk.
unsafe fn run_of(element: *mut FreeElement) -> (*mut ChunkHeader, usize) {
    let address = element as usize;
    let chunk = (address & !(CHUNK_SIZE - 1)) as *mut ChunkHeader;
    let page = (address & (CHUNK_SIZE - 1)) / PAGE_SIZE;
    // SAFETY: by the caller.
    let length = unsafe { (*chunk).run_length[page] };
    match length & LATER {
        0 => (chunk, page),
        _ => (chunk, page - (length & !LATER) as usize),
    }
}

impl Heap {
    /// Gives back the runs of which no block is in use, and the chunks without any run. Gives the bytes of the runs.
    pub fn collect_unused(&mut self) -> usize {
        for class in 0..CLASSES {
            self.count_free_blocks(class);
        }
        for class in 0..CLASSES {
            self.drop_blocks_of_unused_runs(class);
        }
        let mut bytes = 0;
        let mut chunk = self.chunks;
        while !chunk.is_null() {
            // SAFETY: I2: the chunk list holds mapped chunks of this heap.
            unsafe {
                let next = (*chunk).next;
                bytes += give_back_runs(&mut *chunk);
                self.unmap_if_unused(chunk);
                chunk = next;
            }
        }
        bytes
    }

    fn count_free_blocks(&mut self, class: usize) {
        let mut element = self.free[class];
        while !element.is_null() {
            // SAFETY: I2: elements of the list are unused blocks of small runs of this heap.
            unsafe {
                let (chunk, first) = run_of(element);
                (*chunk).free_blocks[first] += 1;
                element = (*element).next;
            }
        }
    }

    /// Takes the blocks of runs that go out of the list of their class; the others stay in their order.
    fn drop_blocks_of_unused_runs(&mut self, class: usize) {
        let capacity = capacity(class);
        let mut link: *mut *mut FreeElement = &mut self.free[class];
        // SAFETY: I2: elements of the list are unused blocks of this heap, and `link` is where one is linked.
        unsafe {
            while !(*link).is_null() {
                let element = *link;
                let (chunk, first) = run_of(element);
                if (*chunk).free_blocks[first] as usize == capacity {
                    *link = (*element).next;
                } else {
                    link = &mut (*element).next;
                }
            }
        }
    }
}

/// Frees the pages of the runs of a chunk whose blocks are all free, and forgets what was counted. Gives their bytes.
fn give_back_runs(chunk: &mut ChunkHeader) -> usize {
    let mut given = 0;
    for first in 1..PAGES {
        let free = std::mem::take(&mut chunk.free_blocks[first]) as usize;
        let kind = chunk.page[first];
        if free == 0 || kind < PAGE_SMALL {
            continue;
        }
        let class = (kind - PAGE_SMALL) as usize;
        if free == capacity(class) {
            let pages = CLASS_PAGES[class] as usize;
            chunk.page[first..first + pages].fill(PAGE_FREE);
            chunk.free_pages += pages;
            given += pages;
        }
    }
    given * PAGE_SIZE
}

#[cfg(test)]
mod tests {
    use super::super::Heap;

    /// Blocks of one size, as many as fit into the bytes, of which each `kept`th stays.
    fn use_up(heap: &mut Heap, size: usize, bytes: usize, kept: usize) -> Vec<*mut u8> {
        let blocks: Vec<*mut u8> = (0..bytes / size)
            .map(|_| heap.allocate(size).as_ptr())
            .collect();
        let mut left = Vec::new();
        for (number, block) in blocks.into_iter().enumerate() {
            if number % kept == 0 {
                left.push(block);
            } else {
                // SAFETY: allocated above and not used any more.
                unsafe { Heap::free(block) };
            }
        }
        left
    }

    #[test]
    fn what_is_free_for_one_size_is_there_for_others_at_the_limit() {
        let mut heap = Heap::new(16 << 20);
        for size in [16, 48, 320, 1024, 3072, 4096, 24] {
            for block in use_up(&mut heap, size, 10 << 20, 1_000_000) {
                // SAFETY: as above.
                unsafe { Heap::free(block) };
            }
        }
        assert_eq!(heap.live(), 0);
    }

    #[test]
    fn runs_in_use_stay() {
        let mut heap = Heap::new(usize::MAX);
        let mut kept = Vec::new();
        for size in [16, 48, 320, 1536, 2560] {
            kept.extend(use_up(&mut heap, size, 1 << 20, 97));
        }
        for (number, &block) in kept.iter().enumerate() {
            // SAFETY: all blocks have 16 bytes at least.
            unsafe { block.cast::<usize>().write(number) };
        }
        let given = heap.collect_unused();
        assert!(given > 0);
        for size in [24, 96, 640, 1792] {
            kept.extend(
                use_up(&mut heap, size, 2 << 20, usize::MAX)
                    .into_iter()
                    .skip(1),
            );
        }
        let count = kept.len();
        for (number, block) in kept.into_iter().enumerate() {
            // SAFETY: as above; allocated and not freed yet.
            unsafe {
                assert_eq!(block.cast::<usize>().read(), number, "of {count}");
                Heap::free(block);
            }
        }
    }
}
