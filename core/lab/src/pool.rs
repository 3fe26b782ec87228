//! A vector that reuses its free places. Unlike the engine's slab it has no limit, and its indexes carry no age: events
//! that are out of date are recognised by their [token](super::event::Token).

use halfopen::invariant::Always;

/// Values at fixed places.
#[derive(Debug)]
pub(super) struct Pool<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T: Default> Pool<T> {
    pub(super) const fn new() -> Self {
        Self { items: Vec::new(), free: Vec::new() }
    }

    #[inline]
    pub(super) fn insert(&mut self, item: T) -> u32 {
        if let Some(place) = self.free.pop() {
            if let Some(slot) = self.items.get_mut(place as usize) {
                *slot = item;
            }
            return place;
        }
        self.items.push(item);
        u32::try_from(self.items.len() - 1).unwrap_or(u32::MAX)
    }

    #[inline]
    pub(super) fn get(&self, place: u32) -> Option<&T> {
        self.items.get(place as usize)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.items.get_mut(place as usize)
    }

    /// Takes the value out, and leaves the default.
    #[inline]
    pub(super) fn take(&mut self, place: u32) -> T {
        let taken = self.get_mut(place).map(std::mem::take).always();
        self.free.push(place);
        taken
    }

    /// Returns every value, including the defaults in free places.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter()
    }
}
