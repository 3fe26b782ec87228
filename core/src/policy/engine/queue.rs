//! Queues: calls that wait for a slot of the bulkhead or of the adaptive limit, or for their turn under the rate limit.

use super::{Engine, Layer, State, Step, cost_of, missing};
use crate::policy::call::Call;
use crate::policy::limit::{AdaptiveLimit, Bulkhead, Slot};
use crate::policy::record::Fact;
use crate::policy::step::Context;
use crate::time::{Millis, NEVER, Timestamp};

impl Engine {
    /// Returns the queued call that can start now, or that has waited for too long. [`Engine::dequeue`] it, then call
    /// this again.
    pub fn next_ready(&mut self, now: Option<Timestamp>) -> Option<u32> {
        let at = self.read(now);
        if let Some(rate) = &self.rate
            && let Some(first) = rate.queue.first()
        {
            let ready = match (self.calls.get(first), rate.patience(self.cost_of(first), at)) {
                (Some(Call { state: State::AwaitingTurn, failed: Some(failed), .. }), Some(patience)) => {
                    at.since(failed.since) > patience
                }
                _ => true,
            };
            if ready {
                return Some(first);
            }
        }
        while let Some(&call) = self.ready.front() {
            if self.calls.get(call).is_some_and(|call| call.state == State::HasPlace) {
                return Some(call);
            }
            self.ready.pop_front();
        }
        None
    }

    /// Takes a call that [`Engine::next_ready`] named out of its queue, and starts it.
    pub fn dequeue(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) -> Step {
        let at = self.read(now);
        let cost = self.cost_of(call);
        match (self.calls.get(call).map(|call| (call.state, call.place)), &mut self.rate) {
            (Some((State::HasPlace, _)), _) => {
                self.ready.retain(|&ready| ready != call);
                self.record_call(ctx, call, now, Fact::CallDequeued);
                if self.adaptive.is_some() && !self.take_free_limit(call) {
                    return self.wait_for_limit(ctx, call, now, at);
                }
                self.take_turn(ctx, call, now, at)
            }
            (Some((State::AwaitingTurn, place)), Some(rate)) => {
                let due = rate.turn(cost, at);
                let has_left = rate.queue.leave(place, call);
                debug_assert!(has_left, "a call that waits is not in its queue");
                self.record_call(ctx, call, now, Fact::CallDequeued);
                if due <= at {
                    self.start(ctx, call, now, at)
                } else {
                    self.refuse_turn(ctx, call, now, at, due)
                }
            }
            _ => Step::Done { attempts: 0 },
        }
    }

    /// Records that another process with the same rate limits began an attempt.
    #[doc(hidden)]
    pub fn begun_elsewhere(&mut self, now: Timestamp) {
        let at = self.read(Some(now)) + Millis(u64::from(self.clock_is_coarse));
        let cost = crate::policy::limit::Cost { tokens: self.current.tokens };
        if let Some(rate) = &mut self.rate {
            rate.start(at, cost, 0);
        }
    }

    /// Returns when to call [`Engine::next_ready`] again, if time alone will bring a call forward.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let rate = self.rate.as_ref()?;
        let first = rate.queue.first()?;
        let cost = self.cost_of(first);
        let turn = rate.turn(cost, self.latest);
        // If the settings have become stricter since it began to wait, its turn may come too late.
        let since = self.calls.get(first).and_then(|call| call.failed.as_ref()).map(|failed| failed.since);
        let patience = rate.patience(cost, self.latest);
        let refusal = since.zip(patience).map(|(since, patience)| since + patience + Millis(1));
        Some(refusal.map_or(turn, |refusal| refusal.min(turn)))
    }

    /// Returns `true` if [`Engine::next_ready`] has a call to name, as of the last input.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
            || self.rate.as_ref().is_some_and(|rate| {
                rate.queue.first().is_some_and(|first| rate.allows(self.cost_of(first), self.latest))
            })
    }

    #[inline]
    pub(super) fn take_place(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        at: Timestamp,
    ) -> Step {
        if (self.takes_slots || self.rate.is_some()) && self.calls.get(call).is_some_and(|call| call.within) {
            return self.start(ctx, call, now, at);
        }
        if self.takes_slots {
            if !self.take_free_place(call) {
                return self.wait_for_place(ctx, call, now, at);
            }
            if self.adaptive.is_some() && !self.take_free_limit(call) {
                return self.wait_for_limit(ctx, call, now, at);
            }
        }
        self.take_turn(ctx, call, now, at)
    }

    /// Takes a slot of the bulkhead, if there is one and a slot is free. Returns `true` if the call may go on.
    #[inline]
    fn take_free_place(&mut self, call: u32) -> bool {
        let (Some(bulkhead), Some(found)) = (&mut self.bulkhead, self.calls.get_mut(call)) else {
            return true;
        };
        let is_taken = bulkhead.take_free();
        found.slots += u32::from(is_taken);
        is_taken
    }

    #[cold]
    fn wait_for_place(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        at: Timestamp,
    ) -> Step {
        let (Some(bulkhead), Some(found)) = (&mut self.bulkhead, self.calls.get_mut(call)) else {
            return missing(call);
        };
        if bulkhead.request() != Slot::Queue {
            return self.refuse(ctx, call, now, at, Layer::Bulkhead, None);
        }
        found.place = bulkhead.queue.push(call);
        let (state, position) = (State::AwaitingPlace, position(bulkhead.queue.len()));
        self.enqueue(ctx, call, now, state, Layer::Bulkhead, position, None)
    }

    /// Takes a slot of the adaptive limit, if one is free and the call got none in the queue. Returns `true` if it has
    /// one.
    #[inline(never)]
    fn take_free_limit(&mut self, call: u32) -> bool {
        let (Some(adaptive), Some(found)) = (&mut self.adaptive, self.calls.get_mut(call)) else {
            return true;
        };
        if found.adaptive_slots == 0 {
            let Some(generation) = adaptive.take_free() else { return false };
            (found.adaptive_slots, found.generation) = (1, generation);
        }
        true
    }

    #[cold]
    fn wait_for_limit(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        at: Timestamp,
    ) -> Step {
        let (Some(adaptive), Some(found)) = (&mut self.adaptive, self.calls.get_mut(call)) else {
            return missing(call);
        };
        let left = (found.deadline != NEVER).then(|| found.deadline.since(at));
        match adaptive.wait(call, now, left) {
            Ok(place) => {
                found.place = place;
                let (state, position) = (State::AwaitingLimit, position(adaptive.queue.len()));
                self.enqueue(ctx, call, now, state, Layer::Adaptive, position, None)
            }
            Err(wait) => self.refuse(ctx, call, now, at, Layer::Adaptive, Some(wait)),
        }
    }

    #[inline]
    pub(super) fn take_turn(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        at: Timestamp,
    ) -> Step {
        if let Some(rate) = &self.rate
            && !(rate.queue.is_empty() && rate.allows(self.cost_of(call), at))
        {
            return self.wait_for_turn(ctx, call, now, at);
        }
        self.start(ctx, call, now, at)
    }

    /// Queues the call, or refuses it where its turn would come too late.
    #[cold]
    fn wait_for_turn(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        at: Timestamp,
    ) -> Step {
        let Self { calls, other_settings, current, rate, seed, .. } = self;
        let Some(rate) = rate else { return self.start(ctx, call, now, at) };
        let cost_of = |call| cost_of(calls, other_settings, current, call);
        let turn = rate.turn_behind_queue(cost_of, cost_of(call), at);
        let Some(found) = calls.get_mut(call) else { return missing(call) };
        if turn.is_too_late || turn.due >= found.deadline {
            return self.refuse_turn(ctx, call, now, at, turn.due);
        }
        found.place = rate.queue.push(call);
        found.failed_mut(*seed).since = at;
        let position = position(rate.queue.len());
        self.enqueue(ctx, call, now, State::AwaitingTurn, Layer::RateLimit, position, Some(turn.due))
    }

    fn refuse_turn(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        at: Timestamp,
        due: Timestamp,
    ) -> Step {
        let wait = (due != NEVER).then(|| due.since(at));
        self.refuse(ctx, call, now, at, Layer::RateLimit, wait)
    }

    #[expect(clippy::too_many_arguments, reason = "one record, spread out")]
    #[cold]
    fn enqueue(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        state: State,
        by: Layer,
        position: u32,
        due: Option<Timestamp>,
    ) -> Step {
        let Some(found) = self.calls.get_mut(call) else { return missing(call) };
        found.state = state;
        self.record_call(ctx, call, now, Fact::CallQueued { by, position, due });
        Step::Queued { call, by, position, due }
    }

    /// Releases the slots of one attempt.
    pub(super) fn release_place(&mut self, call: u32) {
        let Some(found) = self.calls.get_mut(call) else { return };
        if let Some(bulkhead) = self.bulkhead.as_mut().filter(|_| found.slots > 0) {
            found.slots -= 1;
            bulkhead.release();
        }
        if let Some(adaptive) = self.adaptive.as_mut().filter(|_| found.adaptive_slots > 0) {
            found.adaptive_slots -= 1;
            adaptive.release();
        }
        self.hand_over_places();
    }

    /// Releases the slots of a call that ends.
    #[inline]
    pub(super) fn release_places(&mut self, call: u32) {
        let Some(found) = self.calls.get(call) else { return };
        let mut is_awaited = false;
        if let Some(bulkhead) = &mut self.bulkhead {
            (0..found.slots).for_each(|_| bulkhead.release());
            is_awaited = !bulkhead.queue.is_empty();
        }
        if let Some(adaptive) = &mut self.adaptive {
            (0..found.adaptive_slots).for_each(|_| adaptive.release());
            is_awaited |= !adaptive.queue.is_empty();
        }
        if is_awaited {
            self.hand_over_places();
        }
    }

    pub(super) fn hand_over_places(&mut self) {
        while let Some(next) = self.bulkhead.as_mut().and_then(Bulkhead::hand_over) {
            match self.calls.get_mut(next) {
                Some(call) => {
                    call.slots += 1;
                    call.state = State::HasPlace;
                    self.ready.push_back(next);
                }
                None => {
                    debug_assert!(false, "call {next} has ended in the queue");
                    self.bulkhead.iter_mut().for_each(Bulkhead::release);
                }
            }
        }
        if self.adaptive.is_some() {
            self.hand_over_limit();
        }
    }

    #[inline(never)]
    fn hand_over_limit(&mut self) {
        while let Some((next, generation)) = self.adaptive.as_mut().and_then(AdaptiveLimit::hand_over) {
            match self.calls.get_mut(next) {
                Some(call) => {
                    (call.adaptive_slots, call.generation) = (1, generation);
                    call.state = State::HasPlace;
                    self.ready.push_back(next);
                }
                None => {
                    debug_assert!(false, "call {next} has ended in the queue");
                    self.adaptive.iter_mut().for_each(AdaptiveLimit::release);
                }
            }
        }
    }
}

fn position(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Unit;
    use crate::policy::{PolicyConfig, RateLimitConfig, Ring};

    #[test]
    fn attempts_begun_elsewhere_count_and_leave_as_late_as_the_clock_is_coarse() {
        let (window, max_wait, unit) = (Millis(1000), Millis::ZERO, Unit::Requests);
        let limit = RateLimitConfig { limit: 1, window, max_wait, unit };
        for (is_coarse, free_at) in [(false, 1000), (true, 1001)] {
            let mut engine =
                Engine::new(PolicyConfig { rate_limits: vec![limit], ..PolicyConfig::default() }, 7);
            engine.rounded_down(is_coarse);
            engine.begun_elsewhere(Timestamp(0));
            let mut events = Ring::new();
            let mut ctx =
                Context { breaker: None, budget: None, events: &mut events, policy_id: 1, breaker_id: 0 };
            let mut begin = |at| engine.begin(&mut ctx, Some(Timestamp(at)));
            assert!(matches!(begin(free_at - 1), Step::Rejected { by: Layer::RateLimit, .. }));
            assert!(matches!(begin(free_at), Step::Attempt { .. }));
        }
    }
}
