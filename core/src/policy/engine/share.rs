//! What a policy's limits have of those that several processes share.

use super::Engine;
use crate::policy::limit::Bulkhead;
use crate::time::Timestamp;

impl Engine {
    /// What this process has of the slots of the bulkhead, `u32::MAX` for all; none leaves it as it is. Returns how many are
    /// taken. Call [`Engine::next_ready`] afterwards.
    pub fn share_slots(&mut self, share: Option<u32>) -> u64 {
        if let (Some(bulkhead), Some(share)) = (&mut self.bulkhead, share) {
            bulkhead.share = share;
            self.hand_over_places();
        }
        self.bulkhead.as_ref().map_or(0, Bulkhead::running).into()
    }

    /// What this process has of the rate limit in that place, `u32::MAX` for all; none leaves it as it is. Returns how much of
    /// it has begun within the window. Call [`Engine::next_ready`] afterwards.
    pub fn share_limit(&mut self, place: usize, share: Option<u32>, now: Timestamp) -> u64 {
        self.rate.as_mut().map_or(0, |rate| rate.share(place, share, now))
    }
}
