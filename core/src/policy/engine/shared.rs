//! What a policy's limits have of those that several processes share.

use super::Engine;
use crate::policy::limit::{Cost, Use};
use crate::time::Timestamp;

impl Engine {
    /// What this process has of the slots of the bulkhead, and of the rate limit in each place; none is all of it. Call
    /// [`Engine::next_ready`] afterwards.
    pub fn share(&mut self, slots: Option<u32>, limits: impl Iterator<Item = Option<u32>>) {
        if let Some(bulkhead) = &mut self.bulkhead {
            bulkhead.share = slots;
        }
        for (place, share) in limits.enumerate() {
            if let Some(rate) = &mut self.rate {
                rate.share(place, share);
            }
        }
        self.hand_over_places();
    }

    /// How much is used of the bulkhead, if there is one, and of each rate limit.
    pub fn uses(&mut self, now: Timestamp) -> (Option<Use>, Vec<Use>) {
        let slots = self
            .bulkhead
            .as_ref()
            .map(|bulkhead| Use { used: u64::from(bulkhead.running()), wanted: bulkhead.queue.len() as u64 });
        let queue = self.rate.iter().flat_map(|rate| rate.queue.iter());
        let waiting: Vec<Cost> = queue.map(|call| self.cost_of(call)).collect();
        let limits = self.rate.as_mut().map(|rate| rate.uses(&waiting, now));
        (slots, limits.unwrap_or_default())
    }
}
