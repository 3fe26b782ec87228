//! A slab with generations: the key of a removed value does not find the value that reuses its slot.
//!
//! A key has 7 bits of age, so that 127 values use up the ages of a place. The place is then worn: it rests until 100,000 further
//! values were stored (`RESTING`), and no key comes back before that. Only with a million values at once are worn places used
//! sooner. A slab whose values come one after the other takes up another place for each 127 of them, and 789 places at most.

use std::collections::VecDeque;

/// For how many further values a worn place rests.
const RESTING: u32 = 100_000;

/// Keys fit into 27 bits, so that a call and its step cross into JavaScript as one 32-bit integer: 20 bits of
/// place, 7 of age.
const PLACE_BITS: u32 = 20;
const AGE_BITS: u32 = 7;
const MAX_PLACES: usize = 1 << PLACE_BITS;

/// A vector with a list of free places. Key 0 means none.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    entries: Vec<Entry<T>>,
    /// The last one is used first: it is still in the cache.
    free: Vec<u32>,
    /// Free places whose ages start over, each with the number of values stored by then. The one that has rested
    /// longest is in front.
    worn: VecDeque<(u32, u32)>,
    /// How many values were stored so far; wraps.
    stored: u32,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    age: u32,
    value: Option<T>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Slab<T> {
    /// With nothing stored, and no memory taken.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), free: Vec::new(), worn: VecDeque::new(), stored: 0 }
    }

    /// Stores a value; none when a million are stored already.
    #[inline]
    pub fn insert(&mut self, value: T) -> Option<u32> {
        self.stored = self.stored.wrapping_add(1);
        match self.free.pop() {
            Some(place) => self.reuse(place, value),
            None => self.insert_elsewhere(value),
        }
    }

    #[inline]
    fn reuse(&mut self, place: u32, value: T) -> Option<u32> {
        let entry = self.entries.get_mut(place as usize)?;
        debug_assert!(entry.value.is_none(), "place {place} is not free");
        entry.value = Some(value);
        Some(key(place, entry.age))
    }

    #[cold]
    fn insert_elsewhere(&mut self, value: T) -> Option<u32> {
        let is_full = self.entries.len() >= MAX_PLACES;
        let has_rested = |&(_, since): &(u32, u32)| self.stored.wrapping_sub(since) > RESTING;
        if is_full || self.worn.front().is_some_and(has_rested) {
            let (place, _) = self.worn.pop_front()?;
            return self.reuse(place, value);
        }
        let place = u32::try_from(self.entries.len()).ok()?;
        // Age 1, so that no key is 0.
        self.entries.push(Entry { age: 1, value: Some(value) });
        Some(key(place, 1))
    }

    /// The value of that key, if it is still stored.
    #[must_use]
    #[inline]
    pub fn get(&self, key: u32) -> Option<&T> {
        let entry = self.entries.get(place_of(key))?;
        if entry.age == key >> PLACE_BITS { entry.value.as_ref() } else { None }
    }

    /// The value of that key, if it is still stored.
    #[inline]
    pub fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        let entry = self.entries.get_mut(place_of(key))?;
        if entry.age == key >> PLACE_BITS { entry.value.as_mut() } else { None }
    }

    /// Drops the value. Its key becomes invalid.
    #[inline]
    pub fn discard(&mut self, key: u32) {
        if let Some(entry) = self.entries.get_mut(place_of(key))
            && entry.age == key >> PLACE_BITS
            && entry.value.is_some()
        {
            entry.value = None;
            entry.age += 1;
            let place = key & (MAX_PLACES as u32 - 1);
            if entry.age < 1 << AGE_BITS {
                self.free.push(place);
            } else {
                entry.age = 1;
                self.worn.push_back((place, self.stored));
            }
        }
    }

    /// All that is stored.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().filter_map(|entry| entry.value.as_mut())
    }

    /// How many are stored.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.free.len() - self.worn.len()
    }
}

const fn key(place: u32, age: u32) -> u32 {
    age << PLACE_BITS | place
}

const fn place_of(key: u32) -> usize {
    (key & (MAX_PLACES as u32 - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn a_key_does_not_lead_to_its_successor() {
        let mut slab = Slab::default();
        let first = slab.insert('a').unwrap();
        slab.discard(first);
        let second = slab.insert('b').unwrap();
        assert_ne!(first, second);
        assert_eq!(slab.get(first), None);
        slab.discard(first);
        assert_eq!(slab.get(second), Some(&'b'));
        assert_eq!(slab.get(0), None);
    }

    #[test]
    fn keys_stay_below_27_bits_and_places_are_used_again() {
        let mut slab = Slab::default();
        for _ in 0..1000 {
            let key = slab.insert(()).unwrap();
            assert!(key > 0 && key < 1 << 27);
            slab.discard(key);
        }
        assert_eq!((slab.entries.len(), slab.len()), (8, 0));
        for _ in 0..1_000_000 {
            let key = slab.insert(()).unwrap();
            slab.discard(key);
        }
        assert_eq!((slab.entries.len(), slab.len()), (RESTING as usize / 127 + 2, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10))]

        /// One after the other, and in bursts.
        #[test]
        fn a_key_does_not_come_back_within_a_hundred_thousand_values(
            bursts in prop::collection::vec((1_usize..1500, 1_usize..150), 1..6),
        ) {
            let mut slab = Slab::default();
            let mut last = HashMap::new();
            let mut number = 0_u32;
            let mut store = |slab: &mut Slab<()>| {
                number += 1;
                let key = slab.insert(()).unwrap();
                let before = last.insert(key, number);
                (key, before.map(|before| number - before))
            };
            for (at_once, times) in bursts {
                for _ in 0..times {
                    let stored: Vec<_> = (0..at_once).map(|_| store(&mut slab)).collect();
                    for (key, apart) in stored {
                        prop_assert!(apart.is_none_or(|apart| apart > RESTING), "{key} after {apart:?}");
                        slab.discard(key);
                    }
                }
            }
        }
    }

    #[test]
    fn worn_places_are_used_at_once_where_no_other_is_left() {
        let mut slab = Slab::default();
        let keys: Vec<_> = (0..MAX_PLACES).map(|_| slab.insert(()).unwrap()).collect();
        assert_eq!(slab.insert(()), None);
        for age in 1..=1 << AGE_BITS {
            slab.discard(keys[0] & (MAX_PLACES as u32 - 1) | age << PLACE_BITS);
            assert!(slab.insert(()).is_some() || age == 1 << AGE_BITS);
        }
        assert_eq!(slab.len(), MAX_PLACES);
    }
}
