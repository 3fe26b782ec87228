//! The breakers of a log, by process and name.

use crate::breaker::{Breaker, BreakerId};
use crate::hash::Seeded;
use std::collections::HashMap;

/// Most breakers that have a track.
const MOST: usize = 500;

/// The breakers, in the order of their first events.
#[derive(Default)]
pub struct Breakers {
    all: Vec<Breaker>,
    places: HashMap<BreakerId, usize, Seeded>,
}

impl Breakers {
    /// All breakers, in the order of their first events.
    pub fn iter(&self) -> std::slice::Iter<'_, Breaker> {
        self.all.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns `true` if there is no breaker.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The breaker of that name in that process.
    pub fn get(&self, id: BreakerId) -> Option<&Breaker> {
        self.all.get(*self.places.get(&id)?)
    }

    pub(crate) fn get_mut(&mut self, id: BreakerId) -> Option<&mut Breaker> {
        self.all.get_mut(*self.places.get(&id)?)
    }

    /// The breaker of that name in that process, made by `begin` if the log has none yet; `None` if there are too
    /// many.
    pub(crate) fn get_or_add(
        &mut self,
        id: BreakerId,
        begin: impl FnOnce() -> Breaker,
    ) -> Option<&mut Breaker> {
        if !self.places.contains_key(&id) {
            if self.all.len() >= MOST {
                return None;
            }
            self.places.insert(id, self.all.len());
            self.all.push(begin());
        }
        self.get_mut(id)
    }
}

impl<'a> IntoIterator for &'a Breakers {
    type Item = &'a Breaker;
    type IntoIter = std::slice::Iter<'a, Breaker>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
