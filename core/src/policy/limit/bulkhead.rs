//! How many attempts run at once.

use super::queue::Queue;

/// The number of attempts that may run at once, and of those that may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkheadConfig {
    /// How many run at once, 1 at least.
    pub max_concurrent: u32,
    /// How many may wait for a slot.
    pub max_queued: u32,
}

/// Places for attempts.
#[derive(Clone, Debug)]
pub(crate) struct Bulkhead {
    /// The settings in force.
    pub config: BulkheadConfig,
    /// The calls that wait for a slot.
    pub queue: Queue,
    /// This process's share of the slots, if it shares them with others; `u32::MAX` is all.
    pub share: u32,
    running: u32,
}

/// The result of a request for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// It is free.
    Taken,
    /// All are taken, but there is room in the queue.
    Queue,
    /// All are taken and the queue is full.
    Full,
}

impl Bulkhead {
    /// Makes a bulkhead with all slots free.
    #[must_use]
    pub(crate) fn new(config: BulkheadConfig) -> Self {
        Self { config, queue: Queue::default(), share: u32::MAX, running: 0 }
    }

    fn slots(&self) -> u32 {
        self.share.min(self.config.max_concurrent.max(1))
    }

    /// Returns `true` if a slot is free and no call waits for it.
    #[must_use]
    #[inline]
    pub(crate) fn has_free_slot(&self) -> bool {
        self.queue.is_empty() && self.running < self.slots()
    }

    /// Takes a slot if one is free and no call waits for it. Returns `true` if it did.
    #[inline]
    pub(crate) fn take_free(&mut self) -> bool {
        let is_free = self.has_free_slot();
        self.running += u32::from(is_free);
        is_free
    }

    /// Takes a slot, or returns whether there is room to wait for one.
    pub(crate) fn request(&mut self) -> Slot {
        if self.take_free() {
            Slot::Taken
        } else if self.queue.len() < self.config.max_queued as usize {
            Slot::Queue
        } else {
            Slot::Full
        }
    }

    /// Releases a slot.
    pub(crate) fn release(&mut self) {
        debug_assert!(self.running > 0, "no slot is taken");
        self.running = self.running.saturating_sub(1);
    }

    /// Gives a free slot to the call that has waited longest.
    pub(crate) fn hand_over(&mut self) -> Option<u32> {
        if self.running >= self.slots() {
            return None;
        }
        let next = self.queue.pop()?;
        self.running += 1;
        Some(next)
    }

    /// Returns how many slots are taken.
    #[must_use]
    pub(crate) const fn running(&self) -> u32 {
        self.running
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newcomer_does_not_pass_the_queue() {
        let mut bulkhead = Bulkhead::new(BulkheadConfig { max_concurrent: 1, max_queued: 2 });
        assert_eq!(bulkhead.request(), Slot::Taken);
        assert_eq!(bulkhead.request(), Slot::Queue);
        bulkhead.queue.push(7);
        bulkhead.release();
        assert_eq!(bulkhead.request(), Slot::Queue);
        assert_eq!(bulkhead.hand_over(), Some(7));
        assert_eq!(bulkhead.hand_over(), None);
    }
}
