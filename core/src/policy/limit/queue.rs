//! Who waits, in order.

use std::collections::VecDeque;

/// First in, first out, with leaving from the middle.
///
/// Who leaves is only struck out; the row closes up when more than half of it is struck out, so that a mass
/// abort costs each the same.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    row: VecDeque<Option<u32>>,
    gone: usize,
}

impl Queue {
    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.row.len() - self.gone
    }

    /// Whether nobody waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Joins at the end.
    pub fn push(&mut self, who: u32) {
        self.row.push_back(Some(who));
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.row.iter().filter_map(|who| *who)
    }

    /// Who is next.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        self.row.iter().find_map(|who| *who)
    }

    /// Takes out who is next.
    pub fn pop(&mut self) -> Option<u32> {
        while let Some(who) = self.row.pop_front() {
            if who.is_some() {
                return who;
            }
            self.gone -= 1;
        }
        None
    }

    /// Leaves, wherever it stands.
    pub fn leave(&mut self, who: u32) -> bool {
        let Some(place) = self.row.iter_mut().find(|place| **place == Some(who)) else { return false };
        *place = None;
        self.gone += 1;
        if self.gone * 2 > self.row.len() {
            self.row.retain(Option::is_some);
            self.gone = 0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_keeps_the_order_of_the_others() {
        let mut queue = Queue::default();
        (1..=6).for_each(|who| queue.push(who));
        assert!(queue.leave(1) && queue.leave(4) && queue.leave(5) && queue.leave(3));
        assert!(!queue.leave(4));
        assert_eq!((queue.len(), queue.first()), (2, Some(2)));
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(2), Some(6), None));
    }
}
