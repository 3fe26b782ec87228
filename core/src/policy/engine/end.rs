//! The ends of calls without success: cancelled, abandoned, refused, given up. Each one settles its permit and releases
//! its slot.

use super::record::{report_changes, settle, took};
use super::{Engine, Layer, Outcome, State, Step, missing};
use crate::code::Code;
use crate::policy::call::Call;
use crate::policy::record::Fact;
use crate::policy::retry::Why;
use crate::policy::step::Context;
use crate::time::{Millis, Timestamp};

impl Engine {
    /// Ends a call that the caller aborted, disposed or no longer needs. It reveals nothing about the dependency.
    pub fn cancel(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) -> Step {
        if let Some(Call { failed: Some(failed), .. }) = self.calls.get_mut(call) {
            failed.last = None;
        }
        self.abandon(ctx, call, now, Why::Cancelled, Code::Cancelled)
    }

    /// Ends a waiting call from outside: its deadline passed in a queue, or the work before the retry failed. The
    /// breaker counts the last attempt's result.
    pub fn abandon(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        why: Why,
        code: Code,
    ) -> Step {
        self.leave_queue(ctx, call, now);
        // It has ended meanwhile: its driver is late.
        if self.calls.get(call).is_none() {
            return Step::Done { attempts: 0 };
        }
        self.refund(ctx, call);
        self.give_up(ctx, call, now, why, code, None)
    }

    /// Ends a call whose consumer closed its stream early: the call succeeded, and the dependency is not judged.
    pub fn close(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) -> Step {
        self.leave_queue(ctx, call, now);
        let at = self.latest;
        let Some(found) = self.calls.get(call) else { return Step::Done { attempts: 0 } };
        let (number, attempts, duration) = (found.number, found.attempt, took(found.started, now));
        let spent = found.spent();
        settle(ctx, found.permit, Outcome::Neutral, None, at);
        if let Some(budget) = ctx.budget.as_deref_mut() {
            budget.succeed(spent);
        }
        report_changes(ctx, number);
        self.record(ctx, number, now, Fact::CallClosed { attempts, duration });
        self.end(call);
        Step::Done { attempts }
    }

    /// Refunds a call that ends while its retry waits, because it never made that retry.
    fn refund(&self, ctx: &mut Context<'_>, call: u32) {
        if let Some(Call { failed: Some(failed), state, .. }) = self.calls.get(call)
            && !matches!(state, State::Running | State::Repairing)
            && let Some(budget) = ctx.budget.as_deref_mut()
        {
            budget.refund(failed.granted);
        }
    }

    /// Removes a call that ends from outside from its queue.
    fn leave_queue(&mut self, ctx: &mut Context<'_>, call: u32, now: Option<Timestamp>) {
        self.read(now);
        let Some(found) = self.calls.get(call) else { return };
        let (number, state, place) = (found.number, found.state, found.place);
        let queue = match state {
            State::AwaitingPlace => self.bulkhead.as_mut().map(|bulkhead| &mut bulkhead.queue),
            State::AwaitingLimit => self.adaptive.as_mut().map(|adaptive| &mut adaptive.queue),
            State::AwaitingTurn => self.rate.as_mut().map(|rate| &mut rate.queue),
            State::Running | State::Waiting | State::Repairing | State::HasPlace => None,
        };
        if let Some(queue) = queue {
            let has_left = queue.leave(place, call);
            debug_assert!(has_left, "a call that waits is not in its queue");
            self.record(ctx, number, now, Fact::CallDequeued);
        }
    }

    #[cold]
    pub(super) fn refuse(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        at: Timestamp,
        by: Layer,
        retry_after: Option<Millis>,
    ) -> Step {
        self.refund(ctx, call);
        let Some(found) = self.calls.get(call) else { return missing(call) };
        let (number, attempts) = (found.number, found.attempt);
        settle(ctx, found.permit, found.outcome(), None, at);
        report_changes(ctx, number);
        self.record(ctx, number, now, Fact::CallRejected { by, retry_after, attempts });
        self.end(call);
        Step::Rejected { by, retry_after, attempts }
    }

    pub(super) fn give_up(
        &mut self,
        ctx: &mut Context<'_>,
        call: u32,
        now: Option<Timestamp>,
        why: Why,
        code: Code,
        duration: Option<Millis>,
    ) -> Step {
        let at = self.latest;
        let Some(found) = self.calls.get(call) else { return missing(call) };
        let (number, attempts, started) = (found.number, found.attempt, found.started);
        let hint = found.last().and_then(|last| last.hint);
        settle(ctx, found.permit, found.outcome(), duration, at);
        report_changes(ctx, number);
        self.record(ctx, number, now, Fact::CallFailed { attempts, duration: took(started, now), code, why });
        self.end(call);
        Step::GiveUp { why, attempts, hint }
    }

    /// Ends the call: releases its slots and its settings.
    #[inline]
    pub(super) fn end(&mut self, call: u32) {
        if self.takes_slots { self.end_with_slots(call) } else { self.forget(call) }
    }

    #[inline(never)]
    pub(super) fn end_with_slots(&mut self, call: u32) {
        self.release_places(call);
        self.forget(call);
    }

    /// Ends a call that holds no slots.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it ends every call: without this only one of its callers has it inlined"
    )]
    pub(super) fn forget(&mut self, call: u32) {
        let Some(config) = self.calls.get(call).map(|call| call.config) else { return };
        self.calls.discard(call);
        if config != 0
            && let Some(other) = self.other_settings.get_mut(config)
        {
            other.calls = other.calls.saturating_sub(1);
            self.drop_unused(config);
        }
    }
}
