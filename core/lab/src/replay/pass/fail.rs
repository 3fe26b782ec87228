//! Failed attempts of a replay, and the next step: a wait, another attempt, or the end of the call.

use super::frame::{Running, State, What};
use super::{Pass, is_late};
use crate::replay::recorded::{End, Failed, How, Moment};
use crate::replay::under::Under;
use halfopen::invariant::Always;
use halfopen::policy::{Failure, OwnDelay, RetryOn, Step, Verdict, Why};
use halfopen::time::Millis;

impl Pass {
    /// Returns a failure for the engine, with the application's own decisions as far as the log shows them. A log has no
    /// functions, so their verdicts are inferred: an error that the options would have retried, but that ended the call, was
    /// stopped by the application, and the other way round.
    pub(super) fn failure(
        &mut self,
        under: Under<'_>,
        call: u32,
        running: &Running,
        failed: Failed,
    ) -> Failure {
        let mut failure = Failure {
            retryable: failed.retryable,
            hint: failed.hint.map(Millis),
            attempt: Some(running.number),
            duration: Some(self.took(running)),
            ..Failure::of(failed.code)
        };
        let (Some(found), Some(policy), Some(recorded)) =
            (under.call(call), under.policy(call), under.recorded(call))
        else {
            return failure;
        };
        if recorded.breaker.is_some() {
            failure.counts = failed.counted;
        }
        let Some(attempt) = under
            .attempt(call, running.number)
            .filter(|attempt| attempt.result == running.result && running.took == Some(attempt.took))
        else {
            return failure;
        };
        let is_last = self.frame(call).is_some_and(|frame| frame.running.is_empty());
        let why = match found.end {
            Some(End { how: How::Failed { why, .. }, moment }) if is_last && attempt.wait.is_none() => {
                Some(why).filter(|_| Some(moment.at) == attempt.ended.map(|ended| ended.at))
            }
            _ => None,
        };
        failure.nested = why == Some(Why::Nested);
        failure.broken_stream = why == Some(Why::BrokenStream);
        if !under.is_replaced(under.host(call)) {
            let allowed = recorded.config.call.retry.retry_on.allows(failed.code, failed.retryable);
            if why == Some(Why::NotRetryable) && allowed {
                failure.verdict = Verdict::Stop;
            } else if attempt.wait.is_some() && !allowed {
                failure.verdict = Verdict::Retry;
            }
        } else if why == Some(Why::NotRetryable) && failed.retryable {
            let listed = matches!(recorded.config.call.retry.retry_on, RetryOn::List { .. });
            // Neither its code nor a list excluded a retry, so the operation must not be repeated.
            failure.sent_and_not_idempotent = !listed;
        }
        // If the seed reproduces the log's delays, the engine draws them, and every other draw stays the same too.
        if let Some(wait) = attempt.wait.filter(|wait| wait.is_backoff)
            && self.own_delays.contains(&under.host(call))
            && (!under.is_replaced(under.host(call))
                || policy.config.call.retry.backoff == recorded.config.call.retry.backoff)
        {
            failure.own_delay = OwnDelay::Given(Millis(wait.delay));
        }
        failure
    }

    pub(super) fn fail(&mut self, under: Under<'_>, call: u32, failure: &Failure) {
        if let Some(frame) = self.frame(call) {
            frame.last = failure.code;
        }
        let step = self.input(under, call, |engine, context, handle, now| {
            engine.fail(context, handle, Some(now), failure)
        });
        let Some(step) = step else { return };
        if let Step::Wait { plan, .. } = step {
            let (delay, number) = (plan.delay.delay.0, failure.attempt.always());
            if let Some(frame) = self.frame(call) {
                frame.state = State::Waiting;
            }
            let due = self.now.saturating_add(delay.saturating_mul(1000));
            let attempt = under.attempt(call, number);
            let is_same = attempt.and_then(|attempt| attempt.ended).is_some_and(|ended| ended.at == self.now);
            let recorded = attempt.and_then(|attempt| attempt.wait).filter(|_| is_same);
            if recorded.is_some_and(|wait| wait.is_backoff && wait.delay != delay)
                && !under.is_replaced(under.host(call))
                && !self.own_delays.contains(&under.host(call))
            {
                self.own_delays.push(under.host(call));
            }
            let wait = recorded.filter(|wait| wait.delay == delay);
            match wait.and_then(|wait| wait.resumed) {
                Some(resumed) if is_late(due, resumed.at) => {
                    self.as_recorded(Moment { at: resumed.at.max(due), ..resumed }, What::Resume(call));
                }
                _ => self.at(due, What::Resume(call)),
            }
            return;
        }
        self.take(under, call, step);
    }

    pub(super) fn resume(&mut self, under: Under<'_>, call: u32) {
        if self.frame(call).is_none_or(|frame| frame.state != State::Waiting) {
            return;
        }
        let next = self.frame(call).map_or(0, |frame| frame.attempts + 1);
        let handle = self.frame(call).map_or(0, |frame| frame.handle);
        let was_refused = under.call(call).is_some_and(|found| {
            matches!(found.end, Some(End { how: How::Rejected { .. }, .. }))
                && under.world.history.attempt(found, next).is_none()
        });
        let host = under.host(call);
        let now = self.decided_at(under, host, was_refused);
        let step = self.hosts.input(host, |engine, context| engine.resume(context, handle, Some(now)));
        if let Some(step) = step {
            self.take(under, call, step);
        }
    }
}
