//! The waiting calls, in order.

use std::collections::VecDeque;

/// A place in a [`Queue`], by which [`Queue::leave`] finds a call. It wraps; places are compared by their distance from
/// the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place(u32);

/// First in, first out, with leaving from the middle.
///
/// A call that leaves is found by its place and only struck out. The row is compacted once more than half of it is
/// struck out, and at the front at once. So leaving costs the logarithm of the length, and a mass abort costs each call
/// the same.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// Its places rise.
    row: VecDeque<(Place, Option<u32>)>,
    gone: usize,
    next: Place,
    /// How many were taken out of it so far; wraps.
    removed: u32,
}

impl Queue {
    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.row.len() - self.gone
    }

    /// Returns `true` if no call waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Joins at the end.
    pub fn push(&mut self, who: u32) -> Place {
        let place = self.next;
        self.next = Place(place.0.wrapping_add(1));
        self.row.push_back((place, Some(who)));
        place
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.row.iter().filter_map(|&(_, who)| who)
    }

    /// Returns the calls that joined at that place or behind it, in order.
    pub(crate) fn iter_from(&self, place: Place) -> impl Iterator<Item = u32> {
        self.row.range(self.index_of(place)..).filter_map(|&(_, who)| who)
    }

    /// Returns the position of the first call; if no call waits, that of the next to join.
    pub(crate) fn first_place(&self) -> Place {
        self.row.front().map_or(self.next, |&(place, _)| place)
    }

    /// The place of the next to join.
    pub(crate) const fn next_place(&self) -> Place {
        self.next
    }

    /// How many were taken out of it so far; wraps.
    pub(crate) const fn removed(&self) -> u32 {
        self.removed
    }

    /// Returns the next call.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        let first = self.row.front();
        debug_assert!(first.is_none_or(|(_, who)| who.is_some()), "the front is struck out");
        first.and_then(|&(_, who)| who)
    }

    /// Takes out who is next.
    pub fn pop(&mut self) -> Option<u32> {
        let (_, who) = self.row.pop_front()?;
        self.removed = self.removed.wrapping_add(1);
        self.drop_gone();
        who
    }

    /// Removes the call from the position that it got when it joined. Returns `true` if it was there.
    pub fn leave(&mut self, place: Place, who: u32) -> bool {
        let index = self.index_of(place);
        let Some(found) = self.row.get_mut(index).filter(|found| **found == (place, Some(who))) else {
            return false;
        };
        found.1 = None;
        self.gone += 1;
        self.removed = self.removed.wrapping_add(1);
        self.drop_gone();
        if self.gone * 2 > self.row.len() {
            self.row.retain(|(_, who)| who.is_some());
            self.gone = 0;
        }
        true
    }

    /// Where that place is in the row, or would be.
    fn index_of(&self, place: Place) -> usize {
        let Some(&(first, _)) = self.row.front() else { return 0 };
        let behind = |place: Place| place.0.wrapping_sub(first.0);
        self.row.partition_point(|&(other, _)| behind(other) < behind(place))
    }

    /// The front is never struck out, so that the first is found at once.
    fn drop_gone(&mut self) {
        while let Some((_, None)) = self.row.front() {
            self.row.pop_front();
            self.gone -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn leaving_keeps_the_order_of_the_others() {
        let mut queue = Queue::default();
        let places: Vec<_> = (1..=6).map(|who| queue.push(who)).collect();
        let mut leave = |who: u32| queue.leave(places[who as usize - 1], who);
        assert!(leave(1) && leave(4) && leave(5) && leave(3));
        assert!(!leave(4));
        assert_eq!((queue.len(), queue.first()), (2, Some(2)));
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(2), Some(6), None));
    }

    #[test]
    fn places_wrap() {
        let mut queue = Queue { next: Place(u32::MAX - 1), ..Queue::default() };
        let places: Vec<_> = (0..4).map(|who| queue.push(who)).collect();
        assert!(queue.leave(places[2], 2));
        assert_eq!(queue.iter_from(places[1]).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(queue.iter().collect::<Vec<_>>(), [0, 1, 3]);
    }

    proptest! {
        /// Against a plain list.
        #[test]
        fn it_is_a_list(steps in prop::collection::vec((0_u8..3, any::<prop::sample::Index>()), 1..300)) {
            let (mut queue, mut list) = (Queue::default(), Vec::<(Place, u32)>::new());
            for (who, (step, index)) in (0_u32..).zip(steps) {
                match step {
                    0 => list.push((queue.push(who), who)),
                    1 if !list.is_empty() => {
                        let (place, who) = list.remove(index.index(list.len()));
                        prop_assert!(queue.leave(place, who));
                        prop_assert!(!queue.leave(place, who));
                    }
                    _ => {
                        let first = (!list.is_empty()).then(|| list.remove(0).1);
                        prop_assert_eq!(queue.pop(), first);
                    }
                }
                prop_assert_eq!(queue.iter().collect::<Vec<_>>(), list.iter().map(|&(_, who)| who).collect::<Vec<_>>());
                prop_assert_eq!((queue.first(), queue.len()), (list.first().map(|&(_, who)| who), list.len()));
                if let Some(&(place, _)) = list.get(index.index(list.len().max(1))) {
                    let behind = list.iter().filter(|&&(other, _)| other.0 >= place.0).map(|&(_, who)| who);
                    prop_assert_eq!(queue.iter_from(place).collect::<Vec<_>>(), behind.collect::<Vec<_>>());
                }
            }
        }
    }
}
