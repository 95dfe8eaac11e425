//! The buffer of possible roots, and of garbage while it is collected.

use crate::collector::node::{Colour, address, set_address, set_colour};
use crate::value::Header;

/// Room at first, as `gc_status()` tells it.
const FIRST_SIZE: u32 = 16 * 1024;
/// The room doubles up to here and grows by this much after that.
const GROWTH: u32 = 128 * 1024;
/// Places up to here have an address of their own in a header; of those behind, every one that
/// many places on has the same.
const DISTINCT: u32 = 1 << 15;
/// No place.
const NONE: u32 = 0;

/// A place in the buffer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// Nothing; the next such place, or [`NONE`].
    Free(u32),
    /// A possible root.
    Root(*mut Header),
    /// Garbage.
    Garbage(*mut Header),
    /// Garbage whose destructor is to be called.
    Destructible(*mut Header),
}

/// A place as the buffer keeps it: an address whose lowest bits are one of the tags.
#[derive(Debug, Clone, Copy)]
struct Word(usize);

impl Word {
    const ROOT: usize = 0;
    const GARBAGE: usize = 1;
    const DESTRUCTIBLE: usize = 2;
    const FREE: usize = 3;
    const TAGS: usize = 3;

    #[inline(always)]
    fn new(place: Place) -> Word {
        Word(match place {
            Place::Free(next) => (next as usize) << 2 | Word::FREE,
            Place::Root(node) => node as usize | Word::ROOT,
            Place::Garbage(node) => node as usize | Word::GARBAGE,
            Place::Destructible(node) => node as usize | Word::DESTRUCTIBLE,
        })
    }

    #[inline(always)]
    fn place(self) -> Place {
        let node = (self.0 & !Word::TAGS) as *mut Header;
        match self.0 & Word::TAGS {
            Word::ROOT => Place::Root(node),
            Word::GARBAGE => Place::Garbage(node),
            Word::DESTRUCTIBLE => Place::Destructible(node),
            _ => Place::Free((self.0 >> 2) as u32),
        }
    }
}

impl Place {
    fn value(self) -> Option<*mut Header> {
        match self {
            Place::Free(_) => None,
            Place::Root(node) | Place::Garbage(node) | Place::Destructible(node) => Some(node),
        }
    }
}

/// Possible roots by place. A header knows the place of its value.
#[derive(Debug)]
pub(super) struct RootBuffer {
    /// Place 0 is never used.
    places: Vec<Word>,
    /// The first place that was given back.
    free: u32,
    count: u32,
    size: u32,
}

impl Default for RootBuffer {
    fn default() -> RootBuffer {
        RootBuffer {
            places: vec![Word::new(Place::Free(NONE))],
            free: NONE,
            count: 0,
            size: FIRST_SIZE,
        }
    }
}

/// The address that a header keeps for a place.
fn compress(place: u32) -> u32 {
    if place < DISTINCT {
        place
    } else {
        (place % DISTINCT) | DISTINCT
    }
}

impl RootBuffer {
    /// Number of places in use.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// Number of places, as `gc_status()` tells it.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// One past the last place.
    pub fn end(&self) -> u32 {
        self.places.len() as u32
    }

    /// What is at a place.
    pub fn at(&self, place: u32) -> Place {
        self.places[place as usize].place()
    }

    /// Changes what is known of the value at a place.
    pub fn set(&mut self, place: u32, value: Place) {
        self.places[place as usize] = Word::new(value);
    }

    /// True if there is a place below `threshold`.
    #[inline]
    pub fn has_room(&self, threshold: u32) -> bool {
        self.free != NONE || self.end() < threshold
    }

    /// Makes sure that `threshold` places count as room.
    pub fn reserve(&mut self, threshold: u32) {
        while self.size < threshold {
            self.size += self.size.min(GROWTH);
        }
    }

    /// Adds a root that neither has a place nor a colour yet.
    pub unsafe fn insert(&mut self, node: *mut Header) {
        // SAFETY: by the caller.
        unsafe {
            if !self.insert_easily(node, u32::MAX) {
                let place = self.end();
                self.places.push(Word::new(Place::Root(node)));
                self.note_place(node, place);
                self.reserve(self.end());
            }
        }
    }

    /// Adds a root that neither has a place nor a colour yet, if there is a free place. False if there is none below
    /// `threshold`, or the buffer would have to grow.
    #[inline(always)]
    pub unsafe fn insert_easily(&mut self, node: *mut Header, threshold: u32) -> bool {
        let word = Word::new(Place::Root(node));
        let place = self.free;
        let place = if place != NONE {
            // SAFETY: a free place is one of the buffer's.
            let free = unsafe { self.places.get_unchecked_mut(place as usize) };
            self.free = (free.0 >> 2) as u32;
            *free = word;
            place
        } else {
            let place = self.end();
            let room = self
                .places
                .capacity()
                .min(threshold.min(self.size) as usize);
            if place as usize >= room.min(DISTINCT as usize) {
                return false;
            }
            // SAFETY: there is room for one more.
            unsafe {
                self.places.as_mut_ptr().add(place as usize).write(word);
                self.places.set_len(place as usize + 1);
            }
            place
        };
        // SAFETY: by the caller.
        unsafe { self.note_place(node, place) };
        true
    }

    /// Notes in a new root where it stands.
    #[inline(always)]
    unsafe fn note_place(&mut self, node: *mut Header, place: u32) {
        // SAFETY: I3, by the caller.
        unsafe {
            set_colour(node, Colour::Purple);
            set_address(node, compress(place));
        }
        self.count += 1;
    }

    /// Adds garbage that is at no place yet.
    pub unsafe fn insert_garbage(&mut self, node: *mut Header) {
        // Garbage stands behind the roots, in the order in which it was found.
        let place = self.end();
        self.places.push(Word::new(Place::Garbage(node)));
        set_address(node, compress(place));
        self.count += 1;
    }

    /// Takes a value out, if it is at a place, and paints it black.
    pub unsafe fn remove(&mut self, node: *mut Header) {
        set_colour(node, Colour::Black);
        let mut place = address(node);
        if place == NONE {
            return;
        }
        set_address(node, NONE);
        if place >= DISTINCT {
            while self.at(place).value() != Some(node) {
                place += DISTINCT;
            }
        }
        self.release(place);
    }

    /// Gives a place back.
    pub fn release(&mut self, place: u32) {
        self.set(place, Place::Free(self.free));
        self.free = place;
        self.count -= 1;
    }

    /// Moves values from the end to free places.
    pub unsafe fn compact(&mut self) {
        let mut gap = 1;
        while self.count + 1 < self.end() {
            let Some(last) = self.places.pop() else { break };
            let Some(node) = last.place().value() else {
                continue;
            };
            while self.at(gap).value().is_some() {
                gap += 1;
            }
            self.set(gap, last.place());
            set_address(node, compress(gap));
        }
        self.free = NONE;
    }
}
