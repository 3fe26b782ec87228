//! A heap with four children to a node: of 16 bytes each, a node's children lie in one or two cache lines.

use super::entry::Entry;

/// Events in any order; the earliest comes out first.
#[derive(Debug, Default)]
pub(super) struct Heap(Vec<Entry>);

impl Heap {
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(super) fn first(&self) -> Option<Entry> {
        self.0.first().copied()
    }

    /// Everything, in no order.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Entry> {
        self.0.drain(..)
    }

    #[inline]
    pub(super) fn push(&mut self, entry: Entry) {
        self.0.push(entry);
        let mut place = self.0.len() - 1;
        while place > 0 {
            let parent = (place - 1) / 4;
            match (self.0.get(parent), self.0.get(place)) {
                (Some(above), Some(below)) if below.key() < above.key() => self.0.swap(parent, place),
                _ => return,
            }
            place = parent;
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Entry> {
        let last = self.0.pop()?;
        let Some(first) = self.0.first_mut() else { return Some(last) };
        let next = std::mem::replace(first, last);
        self.sink(last);
        Some(next)
    }

    /// Moves the first entry down to its position.
    #[inline]
    fn sink(&mut self, sinking: Entry) {
        let mut place = 0;
        loop {
            let first = place * 4 + 1;
            let end = (first + 4).min(self.0.len());
            let Some(children) = self.0.get(first..end) else { break };
            let least = children.iter().enumerate().min_by_key(|(_, child)| child.key());
            let Some((offset, &least)) = least.filter(|(_, least)| least.key() < sinking.key()) else {
                break;
            };
            if let Some(slot) = self.0.get_mut(place) {
                *slot = least;
            }
            place = first + offset;
        }
        if let Some(slot) = self.0.get_mut(place) {
            *slot = sinking;
        }
    }
}
