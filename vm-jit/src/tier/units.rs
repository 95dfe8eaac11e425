//! The functions that a tier knows, by their numbers, which their copies and their code hold.
//!
//! Functions go: those of top-level code that was included or evaluated when it has run, and those of closures
//! that such code has made. So do their units then, and their code, or programs that evaluate what they have just
//! written would grow for ever.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use super::{Jit, Unit};

/// So many units are added at least between two looks for those whose functions are gone.
const LEAST_ADDED: usize = 64;

/// All units.
#[derive(Debug, Default)]
pub(super) struct Units {
    all: Vec<Option<Unit>>,
    /// Numbers that are free.
    free: Vec<u32>,
    /// How many were added since it was looked for those whose functions are gone.
    added: usize,
    /// Those whose functions were gone then.
    orphans: Vec<u32>,
}

impl Units {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// The number that the next unit gets.
    pub fn next(&self) -> u32 {
        match self.free.last() {
            Some(number) => *number,
            None => self.all.len() as u32,
        }
    }

    /// Adds a unit, under the number that was told before.
    pub fn add(&mut self, unit: Unit) {
        self.added += 1;
        match self.free.pop() {
            Some(number) => self.all[number as usize] = Some(unit),
            None => self.all.push(Some(unit)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Unit> {
        self.all.iter().flatten()
    }

    /// Those whose functions are gone: nobody else has the op array. Every frame's function has it, and gives
    /// it up when no code of the script is run any more that may come here.
    fn find_orphans(&mut self) {
        self.added = 0;
        let units = self.all.iter().enumerate();
        let orphans = units.filter_map(|(number, unit)| {
            let unit = unit.as_ref()?;
            (Arc::strong_count(&unit.code) == 1 && !unit.is_ordered).then_some(number as u32)
        });
        self.orphans = orphans.collect();
    }
}

impl Index<usize> for Units {
    type Output = Unit;

    fn index(&self, number: usize) -> &Unit {
        match &self.all[number] {
            Some(unit) => unit,
            None => unreachable!("a unit lives as long as its function"),
        }
    }
}

impl IndexMut<usize> for Units {
    fn index_mut(&mut self, number: usize) -> &mut Unit {
        match &mut self.all[number] {
            Some(unit) => unit,
            None => unreachable!("a unit lives as long as its function"),
        }
    }
}

impl Jit {
    /// Gives up units whose functions are gone, now and then. They go one look after they were found: code that
    /// has just left such a function has gone on by then.
    pub(super) fn forget_orphans(&mut self) {
        let Some(memory) = &self.memory else { return };
        // Those that are about to go do not count, or there would be more of them at each look.
        let lasting = self.units.len() - self.units.orphans.len();
        if self.units.added < LEAST_ADDED.max(lasting / 2) || memory.process != std::process::id() {
            return;
        }
        // While code is made beside the script, later.
        let Ok(mut maker) = memory.maker.try_lock() else {
            return;
        };
        for number in std::mem::take(&mut self.units.orphans) {
            if let Some(unit) = self.units.all[number as usize].take() {
                self.by_code.remove(&Arc::as_ptr(&unit.code));
                for (start, bytes) in &unit.places {
                    maker.forget(*start, *bytes);
                }
                self.units.free.push(number);
            }
        }
        drop(maker);
        self.units.find_orphans();
    }
}
