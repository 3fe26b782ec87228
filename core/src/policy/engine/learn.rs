//! The ends of attempts teach the adaptive limit. Called before their slots are released.

use super::Engine;
use crate::policy::record::Fact;
use crate::policy::retry::Failure;
use crate::policy::step::Context;
use crate::time::Timestamp;

impl Engine {
    /// Records a good answer to an attempt of the call.
    #[inline(never)]
    pub(super) fn learn_success(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) {
        let Some(adaptive) = &mut self.adaptive else { return };
        let Some(found) = self.calls.get(call).filter(|call| call.adaptive_slots > 0) else { return };
        adaptive.good(found.generation);
        self.report_limit(ctx, found.number, now);
    }

    /// An attempt of the call failed.
    #[inline(never)]
    pub(super) fn learn_failure(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        failure: &Failure,
    ) {
        let Some(adaptive) = &mut self.adaptive else { return };
        let Some(found) = self.calls.get(call).filter(|call| call.adaptive_slots > 0) else { return };
        let (number, deadline, started) = (found.number, found.deadline, found.started);
        // The call had waited so long, in a queue or to retry, that the provider had less than half of the time.
        let was_cut_short = self.latest >= deadline
            && failure
                .duration
                .zip(started)
                .is_some_and(|(ran, started)| ran.0.saturating_mul(2) < deadline.since(started).0);
        if failure.is_overload() && !was_cut_short {
            adaptive.overload(found.generation, failure.code);
        }
        self.report_limit(ctx, number, now);
    }

    /// Records the adaptive limit if it has changed and there is a listener.
    fn report_limit(&mut self, ctx: &mut Context<'_>, call: u64, now: Option<Timestamp>) {
        if let (true, Some(at)) = (self.observed, now)
            && let Some(change) = self.adaptive.as_mut().and_then(|adaptive| adaptive.poll_change(at))
        {
            self.record(ctx, call, now, Fact::LimitChanged(change));
        }
    }
}
