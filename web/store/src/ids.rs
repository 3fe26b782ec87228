//! From the id of a call to its number. The ids themselves stand in the calls, not here.

use crate::hash::Quick;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// Numbers of calls by the hash of their ids; of several with one hash each has a place of its own.
#[derive(Default)]
pub(crate) struct Ids {
    quick: Quick,
    numbers: HashMap<u64, u32, Quick>,
}

impl Ids {
    /// The number that an id was given; `is` says whether a number's id is the one that is meant.
    pub(crate) fn find(&self, id: &str, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mut place = self.quick.hash_one(id);
        loop {
            let number = *self.numbers.get(&place)?;
            if is(number) {
                return Some(number);
            }
            place = place.wrapping_add(1);
        }
    }

    /// Gives an id its number. Must not have one.
    pub(crate) fn insert(&mut self, id: &str, number: u32) {
        let mut place = self.quick.hash_one(id);
        while self.numbers.contains_key(&place) {
            place = place.wrapping_add(1);
        }
        self.numbers.insert(place, number);
    }

    /// Forgets every number below one, with which the calls that are kept begin.
    pub(crate) fn keep_from(&mut self, first: u32) {
        self.numbers.retain(|_, number| *number >= first);
    }
}
