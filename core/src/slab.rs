//! A slab with generations: the key of a removed value never finds the value that reuses its slot.

/// Keys fit into 27 bits, so that a call and its step cross into JavaScript as one 32-bit integer: 20 bits of
/// place, 7 of age.
const PLACE_BITS: u32 = 20;
const AGE_BITS: u32 = 7;
const MAX_PLACES: usize = 1 << PLACE_BITS;

/// A vector with a list of free places. Key 0 is none.
#[derive(Clone, Debug)]
pub(crate) struct Slab<T> {
    entries: Vec<Entry<T>>,
    free: Vec<u32>,
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
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), free: Vec::new() }
    }

    /// Stores a value; none when a million are stored already.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> Option<u32> {
        if let Some(place) = self.free.pop() {
            let entry = self.entries.get_mut(place as usize)?;
            entry.value = Some(value);
            return Some(key(place, entry.age));
        }
        let place = u32::try_from(self.entries.len()).ok().filter(|_| self.entries.len() < MAX_PLACES)?;
        // Age 1, so that no key is 0.
        self.entries.push(Entry { age: 1, value: Some(value) });
        Some(key(place, 1))
    }

    /// The value of that key, if it is still stored.
    #[must_use]
    #[inline]
    pub(crate) fn get(&self, key: u32) -> Option<&T> {
        let entry = self.entries.get(place_of(key))?;
        if entry.age == key >> PLACE_BITS { entry.value.as_ref() } else { None }
    }

    /// The value of that key, if it is still stored.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        let entry = self.entries.get_mut(place_of(key))?;
        if entry.age == key >> PLACE_BITS { entry.value.as_mut() } else { None }
    }

    /// Drops the value where it stands; its key leads nowhere from now on.
    #[inline]
    pub(crate) fn discard(&mut self, key: u32) {
        if let Some(entry) = self.entries.get_mut(place_of(key))
            && entry.age == key >> PLACE_BITS
            && entry.value.is_some()
        {
            entry.value = None;
            entry.age = if entry.age + 1 >= 1 << AGE_BITS { 1 } else { entry.age + 1 };
            self.free.push(key & (MAX_PLACES as u32 - 1));
        }
    }

    /// All that is stored.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().filter_map(|entry| entry.value.as_mut())
    }

    /// How many are stored.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
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
        assert_eq!((slab.entries.len(), slab.len()), (1, 0));
    }
}
