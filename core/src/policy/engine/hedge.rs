//! Hedges: attempts beside one that has had no answer for a while. The first success is the call's result; of failures,
//! the last.
//!
//! After Dean and Barroso, "The Tail at Scale", <https://doi.org/10.1145/2408776.2408794>.

use super::{Engine, State, Step, key_of};
use crate::policy::breaker::BreakerState;
use crate::policy::call::Call;
use crate::policy::limit::{AdaptiveLimit, Bulkhead, Slot};
use crate::policy::record::Fact;
use crate::policy::step::Context;
use crate::time::{Millis, Timestamp};

impl Engine {
    /// Called when the running attempts have had no answer for a while. Returns [`Step::Attempt`] if another may begin
    /// beside them. Otherwise returns [`Step::Done`] and changes nothing: for a probe, under a breaker that is not
    /// closed, and without a free slot, a turn of the rate limit, or a retry of the budget.
    ///
    /// Pass each failed attempt to [`Engine::fail`] with its number. Do the same for each attempt that was aborted
    /// because another had answered ([`Code::Cancelled`](crate::Code::Cancelled)), before you pass that other to
    /// [`Engine::succeed`].
    pub fn hedge(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) -> Step {
        let at = self.read(now);
        let cost = self.cost_of(call);
        let within = self.calls.get(call).is_some_and(|call| call.within);
        let has_turn =
            within || self.rate.as_ref().is_none_or(|rate| rate.queue.is_empty() && rate.allows(cost, at));
        let has_slot = within
            || self.bulkhead.as_ref().is_none_or(Bulkhead::has_free_slot)
                && self.adaptive.as_ref().is_none_or(AdaptiveLimit::has_free_slot);
        let is_closed = ctx
            .breaker
            .as_ref()
            .is_none_or(|breaker| matches!(breaker.state(at), BreakerState::Closed | BreakerState::Disabled));
        let may = |call: &&mut Call| {
            let is_probe = call.permit.is_some_and(|permit| permit.is_probe());
            call.state == State::Running && !is_probe && at < call.deadline
        };
        let Some(found) = self.calls.get_mut(call).filter(may) else { return Step::Done { attempts: 0 } };
        if !(has_turn && has_slot && is_closed)
            || ctx.budget.as_deref_mut().is_some_and(|budget| !budget.is_quota() && !budget.withdraw(at))
        {
            return Step::Done { attempts: 0 };
        }
        if let Some(bulkhead) = self.bulkhead.as_mut().filter(|_| !within) {
            let slot = bulkhead.request();
            debug_assert_eq!(slot, Slot::Taken, "a slot was free");
            found.slots += 1;
        }
        if let Some(adaptive) = self.adaptive.as_mut().filter(|_| !within) {
            // A hedge has the generation of the older attempt beside it, because attempts from before a decrease must
            // not lower the limit again.
            let generation = adaptive.take_free();
            debug_assert!(generation.is_some(), "a slot was free");
            if let Some(generation) = generation {
                found.generation = if found.adaptive_slots == 0 { generation } else { found.generation };
                found.adaptive_slots += 1;
            }
        }
        found.attempt += 1;
        if let Some(rate) = self.rate.as_mut().filter(|_| !within) {
            let key = key_of(found.number, found.attempt);
            rate.start(at + Millis(u64::from(self.clock_is_coarse)), cost, key);
        }
        found.hedges += 1;
        found.beside += 1;
        found.running ^= found.attempt;
        let (number, attempt) = (found.number, found.attempt);
        let generation = found.permit.map_or(0, |permit| permit.generation());
        self.record(ctx, number, now, Fact::AttemptStarted { attempt, probe: false, generation });
        Step::Attempt { call, attempt, probe: false, generation }
    }
}
