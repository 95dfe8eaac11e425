//! What a document declares by names.

use std::collections::HashMap;
use std::rc::Rc;

/// Things in the order in which they were declared, of which the first of a name counts. A copy is the same list
/// until one of the two is changed: what an entity contains is read with all that its document declares.
#[derive(Debug)]
pub(crate) struct Named<T>(Rc<List<T>>);

#[derive(Debug, Clone)]
struct List<T> {
    things: Vec<(Vec<u8>, T)>,
    places: HashMap<Vec<u8>, usize>,
}

impl<T> Default for Named<T> {
    fn default() -> Named<T> {
        Named(Rc::new(List {
            things: Vec::new(),
            places: HashMap::new(),
        }))
    }
}

impl<T> Clone for Named<T> {
    fn clone(&self) -> Named<T> {
        Named(Rc::clone(&self.0))
    }
}

impl<T: Clone> Named<T> {
    /// Adds a thing, unless there is one of that name.
    pub(crate) fn insert(&mut self, name: Vec<u8>, thing: T) {
        if !self.0.places.contains_key(&name) {
            let list = Rc::make_mut(&mut self.0);
            list.places.insert(name.clone(), list.things.len());
            list.things.push((name, thing));
        }
    }

    /// What has a name, to be changed.
    pub(crate) fn get_mut(&mut self, name: &[u8]) -> Option<&mut T> {
        let place = *self.0.places.get(name)?;
        let list = Rc::make_mut(&mut self.0);
        list.things.get_mut(place).map(|(_, thing)| thing)
    }
}

impl<T> Named<T> {
    /// What has a name.
    pub(crate) fn get(&self, name: &[u8]) -> Option<&T> {
        let place = *self.0.places.get(name)?;
        self.0.things.get(place).map(|(_, thing)| thing)
    }

    /// All of them, with their names.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (Vec<u8>, T)> {
        self.0.things.iter()
    }
}

impl<'a, T> IntoIterator for &'a Named<T> {
    type Item = &'a (Vec<u8>, T);
    type IntoIter = std::slice::Iter<'a, (Vec<u8>, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::Named;

    #[test]
    fn the_first_of_a_name_counts_and_copies_are_apart() {
        let mut one = Named::default();
        one.insert(b"a".to_vec(), 1);
        one.insert(b"b".to_vec(), 2);
        one.insert(b"a".to_vec(), 3);
        let mut other = one.clone();
        *other.get_mut(b"b").unwrap() = 4;
        other.insert(b"c".to_vec(), 5);
        assert_eq!(
            (one.get(b"a"), one.get(b"b"), one.get(b"c")),
            (Some(&1), Some(&2), None)
        );
        assert_eq!((other.get(b"b"), other.get(b"c")), (Some(&4), Some(&5)));
        let names: Vec<&[u8]> = other.iter().map(|(name, _)| name.as_slice()).collect();
        assert_eq!(names, [b"a", b"b", b"c"]);
    }
}
