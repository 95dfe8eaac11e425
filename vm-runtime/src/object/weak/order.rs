//! The keys of a WeakMap in order of insertion.

use std::collections::VecDeque;

/// Keys by the numbers of their entries, which grow. What goes leaves a gap behind, until there are more gaps than keys.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Numbers and addresses of keys; 0 is a gap.
    places: VecDeque<(u64, usize)>,
    gaps: usize,
}

impl Order {
    /// Adds a key whose number is higher than all others.
    pub(super) fn push(&mut self, number: u64, key: usize) {
        self.places.push_back((number, key));
    }

    pub(super) fn remove(&mut self, number: u64) {
        let place = self.place(number);
        let Some((_, key)) = self.places.get_mut(place).filter(|(own, _)| *own == number) else {
            return;
        };
        *key = 0;
        self.gaps += 1;
        while let Some((_, 0)) = self.places.front() {
            self.places.pop_front();
            self.gaps -= 1;
        }
        if self.gaps > self.places.len() / 2 {
            self.places.retain(|&(_, key)| key != 0);
            self.gaps = 0;
        }
    }

    /// Where the first number stands that is not lower.
    fn place(&self, number: u64) -> usize {
        // As long as nothing was taken out in between, they stand as far apart as their numbers.
        let first = self.places.front().map_or(0, |&(first, _)| first);
        let guess = number.saturating_sub(first) as usize;
        match self.places.get(guess) {
            Some(&(found, _)) if found == number || guess == 0 => guess,
            _ => self.places.partition_point(|&(own, _)| own < number),
        }
    }

    /// The first key from `number` on.
    pub(super) fn from(&self, number: u64) -> Option<usize> {
        let rest = self.places.iter().skip(self.place(number));
        rest.map(|&(_, key)| key).find(|&key| key != 0)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = usize> {
        let keys = self.places.iter().map(|&(_, key)| key);
        keys.filter(|&key| key != 0)
    }

    pub(super) fn len(&self) -> usize {
        self.places.len() - self.gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_in_order() {
        let mut order = Order::default();
        for number in 0..100 {
            order.push(number, number as usize + 1);
        }
        for number in (0..100).filter(|number| number % 3 != 1) {
            order.remove(number);
        }
        let left: Vec<usize> = order.keys().collect();
        assert_eq!(
            left,
            (0..100)
                .filter(|n| n % 3 == 1)
                .map(|n| n + 1)
                .collect::<Vec<_>>()
        );
        assert_eq!(order.len(), 33);
        assert_eq!(
            (order.from(0), order.from(5), order.from(98)),
            (Some(2), Some(8), None)
        );
        order.remove(5);
        order.remove(7);
        order.push(100, 7);
        assert_eq!(
            (order.from(5), order.from(98), order.len()),
            (Some(11), Some(7), 33)
        );
    }
}
