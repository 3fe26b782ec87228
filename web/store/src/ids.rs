//! Maps the id of a call to its number. The ids themselves are in the calls.

use crate::hash::Seeded;
use crate::numbers::CallNumber;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The numbers of calls, by the hash of their ids. Calls of several processes may share one id.
#[derive(Default)]
pub(crate) struct Ids {
    hash: Seeded,
    numbers: HashTable<CallNumber>,
}

impl Ids {
    /// Returns the first call with this id; `is` returns `true` if a number's call matches.
    pub(crate) fn find(&self, id: &str, is: impl Fn(CallNumber) -> bool) -> Option<CallNumber> {
        self.numbers.iter_hash(self.hash.hash_one(id)).copied().filter(|&number| is(number)).min()
    }

    /// Adds a call. `id_of` returns the id of a number that was added before.
    pub(crate) fn insert<'a>(&mut self, id: &str, number: CallNumber, id_of: impl Fn(CallNumber) -> &'a str) {
        let hash = &self.hash;
        self.numbers.insert_unique(hash.hash_one(id), number, |&other| hash.hash_one(id_of(other)));
    }

    /// Removes a call. The others with its id stay.
    pub(crate) fn remove(&mut self, id: &str, number: CallNumber) {
        if let Ok(entry) = self.numbers.find_entry(self.hash.hash_one(id), |&other| other == number) {
            entry.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_found_after_an_older_one_with_its_id_was_removed() {
        let id_of = |number: CallNumber| ["same", "same", "other"][number.0 as usize % 3];
        let mut ids = Ids::default();
        for number in (0..300).map(CallNumber) {
            ids.insert(id_of(number), number, id_of);
        }
        for number in (0..297).map(CallNumber) {
            ids.remove(id_of(number), number);
        }
        let found = |id, meant| ids.find(id, |number| number.0 == meant).map(|number| number.0);
        assert_eq!(
            [found("same", 297), found("same", 298), found("other", 299)],
            [Some(297), Some(298), Some(299)]
        );
        assert_eq!([found("same", 0), found("other", 2)], [None, None]);
    }
}
