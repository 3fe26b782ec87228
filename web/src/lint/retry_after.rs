//! A provider asked for a wait, and was asked again before it was over: by the same call, or by the calls beside it.

use super::{Evidence, Found, called, create, newest};
use crate::session::call::Outcome;
use crate::session::names::Name;
use crate::session::store::Log;
use crate::ui::format::span;

/// Timers may be early by this, in milliseconds.
const SLACK: f64 = 50.0;
/// So many refused attempts of other calls are a pattern.
const LEAST: usize = 5;

/// A wait that a provider asked for.
struct Asked {
    call: u32,
    provider: Name,
    model: Name,
    from: f64,
    until: f64,
}

pub(super) fn look(log: &Log) -> Vec<Found> {
    let mut found = Vec::new();
    let mut asked: Vec<Asked> = Vec::new();
    let mut early: Vec<u32> = Vec::new();
    let (mut worst, mut policy) = ((0.0, 0.0), Name::NONE);
    for (number, call) in log.calls() {
        for attempt in call.attempts.iter().filter(|one| one.retry_after_ms > 0.0 && !one.ended.is_nan()) {
            let until = attempt.ended + attempt.retry_after_ms;
            let (provider, model) = (attempt.provider, attempt.model);
            asked.push(Asked { call: number, provider, model, from: attempt.ended, until });
            let next = call.attempts.iter().find(|next| next.number == attempt.number + 1);
            if let Some(next) = next.filter(|next| next.provider == provider && next.started < until - SLACK)
            {
                early.push(number);
                worst = (attempt.retry_after_ms, next.started - attempt.ended);
                policy = call.policy;
            }
        }
    }
    if !early.is_empty() {
        found.push(Found {
            count: early.len() as u64,
            what: format!(
                "The provider asked for {}; policy '{}' tried again after {}.",
                span(worst.0),
                called(log, policy),
                span(worst.1)
            ),
            fix: "Throw the SDK's error as it is, so that its headers are read, and let the longest wait that may be obeyed be longer than the providers ask for.".into(),
            code: create(log, policy, "retry: { maxRetryAfterMs: 60_000 },"),
            evidence: newest(early),
        });
    }
    found.extend(beside(log, &mut asked));
    found
}

/// Attempts of other calls that began within a wait, and were refused like the first.
fn beside(log: &Log, asked: &mut [Asked]) -> Option<Found> {
    asked.sort_by(|a, b| a.from.total_cmp(&b.from));
    let longest = asked.iter().fold(0.0_f64, |most, one| most.max(one.until - one.from));
    let mut calls = Vec::new();
    let mut refused = 0_usize;
    let mut policy = Name::NONE;
    for (number, call) in log.calls() {
        for attempt in
            call.attempts.iter().filter(|one| one.outcome == Outcome::Failed && one.status_code == 429)
        {
            let from = asked.partition_point(|one| one.from < attempt.started - longest);
            let within = asked.iter().skip(from).take_while(|one| one.from <= attempt.started).find(|one| {
                one.call != number
                    && (one.provider, one.model) == (attempt.provider, attempt.model)
                    && attempt.started < one.until - SLACK
            });
            if within.is_some() {
                refused += 1;
                policy = call.policy;
                if calls.last() != Some(&Evidence::Call(number)) {
                    calls.push(Evidence::Call(number));
                }
            }
        }
    }
    (refused >= LEAST).then(|| Found {
        count: refused as u64,
        what: format!("{refused} attempts were sent, and refused, while another call of the same model had been asked to wait."),
        fix: "Retry-After binds one call. Bound all of them: at most so many attempts at once, and in a minute, as the provider allows.".into(),
        code: create(log, policy, "bulkhead: { maxConcurrent: 4, maxQueued: 100 },\n  rateLimit: { limit: 60, windowMs: 60_000, maxWaitMs: 10_000 },"),
        evidence: { calls.reverse(); calls },
    })
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::super::stage::Stage;

    #[test]
    fn a_retry_before_the_wait_is_over_is_found() {
        let mut stage = Stage::new();
        let call = stage.call("openai");
        stage.fail_with(call, "RATE_LIMITED", "http.429", 5_000.0).wait(call, 200.0, "backoff").succeed(call);
        let found = stage.found("retry-after");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].evidence, [Evidence::Call(0)]);
        assert!(
            found[0].what.contains("asked for 5.00 s; policy 'openai' tried again after 220 ms"),
            "{}",
            found[0].what
        );
    }

    #[test]
    fn a_wait_that_was_kept_is_none() {
        let mut stage = Stage::new();
        let call = stage.call("openai");
        stage
            .fail_with(call, "RATE_LIMITED", "http.429", 5_000.0)
            .wait(call, 5_000.0, "retry-after")
            .succeed(call);
        assert_eq!(stage.found("retry-after"), []);
    }
}
