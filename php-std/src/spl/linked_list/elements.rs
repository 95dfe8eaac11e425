//! The elements of a list, and the places in it where somebody is: the list's own methods and each loop.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use vm_runtime::value::{Value, Zval};

/// Iteration takes the newest element first.
pub(super) const LIFO: i64 = 2;
/// Iteration removes what it gives.
pub(super) const DELETE: i64 = 1;

/// Where somebody is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// In front of the first element or behind the last one: no step leads from here.
    #[default]
    Nowhere,
    /// At an element that was removed: it has no neighbours any more.
    Removed,
    /// At the element of this index.
    At(usize),
}

/// A place, and the number that scripts see as its key: steps count it, whatever is added or removed meanwhile.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cursor {
    pub(super) place: Place,
    pub(super) key: i64,
}

impl Cursor {
    pub(super) fn is_somewhere(&self) -> bool {
        self.place != Place::Nowhere
    }
}

/// Values in a row. Whatever adds or removes some tells those who are in the row.
#[derive(Default)]
pub(super) struct Elements {
    values: VecDeque<Value>,
    /// Where the list's own methods are.
    pub(super) cursor: Cursor,
    /// Where loops are. Those that nobody else has are over.
    loops: Vec<Rc<Cell<Cursor>>>,
    /// How many of them there were when those that are over were dropped last.
    swept: usize,
}

impl Elements {
    /// The same values; nobody is among them yet, and methods are at the first one.
    pub(super) fn copied(&self) -> Elements {
        let place = match self.values.is_empty() {
            true => Place::Nowhere,
            false => Place::At(0),
        };
        Elements {
            values: self.values.clone(),
            cursor: Cursor { place, key: 0 },
            ..Elements::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Value> {
        self.values.iter()
    }

    pub(super) fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for value in &self.values {
            visitor(value.as_zval());
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<&Value> {
        self.values.get(index)
    }

    pub(super) fn front(&self) -> Option<&Value> {
        self.values.front()
    }

    pub(super) fn back(&self) -> Option<&Value> {
        self.values.back()
    }

    /// The element at a place.
    #[inline]
    pub(super) fn at(&self, cursor: Cursor) -> Option<&Value> {
        match cursor.place {
            Place::At(index) => self.values.get(index),
            _ => None,
        }
    }

    /// Puts another value in the place of an element.
    pub(super) fn replace(&mut self, index: usize, value: Value) -> Value {
        std::mem::replace(&mut self.values[index], value)
    }

    pub(super) fn push_back(&mut self, value: Value) {
        self.values.push_back(value);
    }

    pub(super) fn push_front(&mut self, value: Value) {
        self.values.push_front(value);
        self.move_cursors(|index| Place::At(index + 1));
    }

    pub(super) fn insert(&mut self, index: usize, value: Value) {
        self.values.insert(index, value);
        self.move_cursors(|at| Place::At(at + usize::from(at >= index)));
    }

    pub(super) fn pop_back(&mut self) -> Option<Value> {
        let taken = self.values.pop_back()?;
        let removed = self.values.len();
        self.move_cursors(|index| match index == removed {
            true => Place::Removed,
            false => Place::At(index),
        });
        Some(taken)
    }

    pub(super) fn pop_front(&mut self) -> Option<Value> {
        let taken = self.values.pop_front()?;
        self.move_cursors(|index| index.checked_sub(1).map_or(Place::Removed, Place::At));
        Some(taken)
    }

    /// Removes an element from between others. The list's own methods are nowhere if they were there.
    pub(super) fn remove(&mut self, index: usize) -> Option<Value> {
        let removed = self.values.remove(index)?;
        if self.cursor.place == Place::At(index) {
            self.cursor.place = Place::Nowhere;
        }
        self.move_cursors(|at| match at == index {
            true => Place::Removed,
            false => Place::At(at - usize::from(at > index)),
        });
        Some(removed)
    }

    /// Takes all values away.
    pub(super) fn take_all(&mut self) -> VecDeque<Value> {
        let taken = std::mem::take(&mut self.values);
        self.move_cursors(|_| Place::Removed);
        taken
    }

    /// Tells those who are at elements that these have other places now.
    fn move_cursors(&mut self, moved: impl Fn(usize) -> Place) {
        let follow = |cursor: Cursor| match cursor.place {
            Place::At(index) => Cursor {
                place: moved(index),
                ..cursor
            },
            _ => cursor,
        };
        self.cursor = follow(self.cursor);
        if !self.loops.is_empty() {
            self.loops.retain(|cursor| {
                cursor.set(follow(cursor.get()));
                Rc::strong_count(cursor) > 1
            });
            self.swept = self.loops.len();
        }
    }

    /// The place of a loop that begins where the list's own methods are.
    pub(super) fn begin_loop(&mut self) -> Rc<Cell<Cursor>> {
        // Loops end without telling anybody; as many as there are now may begin before it is looked again.
        if self.loops.len() > 2 * self.swept + 4 {
            self.loops.retain(|cursor| Rc::strong_count(cursor) > 1);
            self.swept = self.loops.len();
        }
        let cursor = Rc::new(Cell::new(self.cursor));
        self.loops.push(cursor.clone());
        cursor
    }

    /// The first place in the direction of `mode`.
    pub(super) fn first(&self, mode: i64) -> Cursor {
        let last = self.values.len().checked_sub(1);
        let (index, key) = match mode & LIFO {
            0 => (last.and(Some(0)), 0),
            _ => (last, self.values.len() as i64 - 1),
        };
        let place = index.map_or(Place::Nowhere, Place::At);
        Cursor { place, key }
    }

    /// The place after a step in the direction of `mode`. If that deletes, the caller removes the element at the
    /// end that the direction begins with.
    #[inline]
    pub(super) fn after(&self, cursor: Cursor, mode: i64) -> Cursor {
        let next = |index: usize| match mode & LIFO {
            0 => Some(index + 1).filter(|next| *next < self.values.len()),
            _ => index.checked_sub(1),
        };
        let place = match cursor.place {
            Place::Nowhere => return cursor,
            Place::Removed => Place::Nowhere,
            Place::At(index) => next(index).map_or(Place::Nowhere, Place::At),
        };
        let counted = match (mode & LIFO, mode & DELETE) {
            (0, 0) => 1,
            (0, _) => 0,
            _ => -1,
        };
        let key = cursor.key + counted;
        Cursor { place, key }
    }

    /// What a step from somewhere removes, by `mode`.
    pub(super) fn remove_behind(&mut self, mode: i64) -> Option<Value> {
        match (mode & DELETE, mode & LIFO) {
            (0, _) => None,
            (_, 0) => self.pop_front(),
            _ => self.pop_back(),
        }
    }
}
