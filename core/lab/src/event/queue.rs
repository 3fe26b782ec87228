//! The order of events: those due soon are sorted, those scheduled among them since are in a heap, and the others in buckets.

use super::buckets::Buckets;
use super::entry::Entry;
use super::heap::Heap;

/// The most entries in the heap. Beyond it, they go into buckets too.
const CROWD: usize = 128;

/// All events; the earliest comes out first.
#[derive(Debug)]
pub(super) struct Queue {
    /// Due before the horizon, the latest first.
    sorted: Vec<Entry>,
    /// Due before the horizon, scheduled since.
    between: Heap,
    /// Due from the horizon on.
    later: Buckets,
    horizon: u64,
}

impl Queue {
    pub(super) fn new() -> Self {
        Self { sorted: Vec::new(), between: Heap::default(), later: Buckets::new(), horizon: 0 }
    }

    /// Returns `true` if it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.sorted.is_empty() && self.between.len() == 0 && self.later.is_empty()
    }

    #[inline]
    pub(super) fn push(&mut self, entry: Entry) {
        if entry.at >= self.horizon {
            self.later.push(entry);
            return;
        }
        self.between.push(entry);
        // Then the time up to the horizon was too long. Each event is spread at the expense of one that came in between.
        if self.between.len() > CROWD.max(self.sorted.len()) {
            self.spread();
        }
    }

    /// Takes the next event, unless `other` comes before it.
    #[inline]
    pub(super) fn pop_before(&mut self, other: Option<Entry>) -> Option<Entry> {
        if self.sorted.is_empty() && self.between.len() == 0 {
            self.horizon = self.later.take_first(&mut self.sorted)?;
        }
        let (sorted, between) = (self.sorted.last().copied(), self.between.first());
        let is_between = match (sorted, between) {
            (Some(sorted), Some(between)) => between.key() < sorted.key(),
            (sorted, _) => sorted.is_none(),
        };
        let next = if is_between { between } else { sorted }?;
        if other.is_some_and(|other| other.key() < next.key()) {
            return None;
        }
        if is_between { self.between.pop() } else { self.sorted.pop() }
    }

    /// Puts everything into buckets, and the horizon before it.
    #[cold]
    fn spread(&mut self) {
        let all = || self.sorted.last().copied().into_iter().chain(self.between.first());
        let Some(first) = all().min() else { return };
        self.horizon = first.at;
        self.later.set_base(first.at);
        self.sorted.drain(..).chain(self.between.drain()).for_each(|entry| self.later.push(entry));
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::Kind;
    use super::*;
    use halfopen::rng::SplitMix64;

    /// Takes events out and schedules others `delay` after them, as a simulation does.
    fn order_of(count: u32, mut delay: impl FnMut(&mut SplitMix64) -> u64) -> Vec<(u64, u32)> {
        let (mut queue, mut rng) = (Queue::new(), SplitMix64::new(5));
        let (mut taken, mut token) = (Vec::new(), 0);
        let mut schedule = |queue: &mut Queue, rng: &mut SplitMix64, now: u64| {
            token += 1;
            queue.push(Entry::new(now.saturating_add(delay(rng)), Kind::Served, token, token));
        };
        (0..count / 2).for_each(|_| schedule(&mut queue, &mut rng, 0));
        while let Some(entry) = queue.pop_before(None) {
            let event = entry.event();
            assert_eq!(
                queue.is_empty(),
                queue.sorted.is_empty() && queue.between.first().is_none() && queue.later.is_empty()
            );
            taken.push((event.at, event.token));
            if taken.len() < count as usize {
                (0..rng.between(0, 2)).for_each(|_| schedule(&mut queue, &mut rng, event.at));
            }
        }
        taken
    }

    type Delay = fn(&mut SplitMix64) -> u64;

    #[test]
    fn events_come_in_order_of_time_and_then_as_they_were_scheduled() {
        let shapes: [(&str, Delay); 6] = [
            ("at once", |_| 0),
            ("soon", |rng| rng.between(0, 3)),
            ("within a second", |rng| rng.between(0, 1_000_000_000)),
            ("mostly soon", |rng| {
                if rng.between(0, 9) == 0 { rng.between(0, 1 << 40) } else { rng.between(0, 99) }
            }),
            ("at the same times", |rng| rng.between(0, 4) << 30),
            ("never", |rng| if rng.between(0, 1) == 0 { u64::MAX } else { rng.between(0, 1 << 62) }),
        ];
        for (name, delay) in shapes {
            let taken = order_of(3000, delay);
            assert!(taken.len() >= 1500, "{name}: {}", taken.len());
            assert!(taken.is_sorted(), "{name}");
        }
    }
}
