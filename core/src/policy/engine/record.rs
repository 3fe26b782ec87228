//! Writes records: those of a call only where somebody listens, changes of a breaker always.

use crate::policy::breaker::{Breaker, Outcome, Permit};
use crate::policy::record::{Fact, Record};
use crate::policy::step::Context;
use crate::time::{Millis, Timestamp};

#[cold]
pub(super) fn write(ctx: &mut Context<'_>, call: u64, at: Option<Timestamp>, fact: Fact) {
    ctx.events.push(Record { policy: ctx.policy_id, call, at, fact });
}

pub(super) fn took(started: Option<Timestamp>, now: Option<Timestamp>) -> Option<Millis> {
    Some(now?.since(started?))
}

#[inline]
pub(super) fn settle(
    ctx: &mut Context<'_>,
    permit: Option<Permit>,
    outcome: Outcome,
    duration: Option<Millis>,
    at: Timestamp,
) {
    if let (Some(permit), Some(breaker)) = (permit, ctx.breaker.as_deref_mut()) {
        breaker.settle(permit, outcome, duration, at);
    }
}

/// Changes of a breaker are always written, observed or not, because any holder of the breaker may listen.
#[inline]
pub(super) fn report_changes(ctx: &mut Context<'_>, call: u64) {
    if ctx.breaker.as_ref().is_some_and(|breaker| breaker.has_changes()) {
        write_changes(ctx, call);
    }
}

#[cold]
fn write_changes(ctx: &mut Context<'_>, call: u64) {
    while let Some(change) = ctx.breaker.as_deref_mut().and_then(Breaker::poll_change) {
        let fact = Fact::BreakerChanged { breaker: ctx.breaker_id, change };
        ctx.events.push(Record { policy: ctx.policy_id, call, at: Some(change.at), fact });
    }
    if let Some(throttled) = ctx.breaker.as_deref_mut().and_then(Breaker::poll_throttled) {
        let fact = Fact::BreakerThrottled { breaker: ctx.breaker_id, rate: throttled.rate };
        ctx.events.push(Record { policy: ctx.policy_id, call, at: Some(throttled.at), fact });
    }
}
