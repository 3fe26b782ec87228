//! A provider requested a wait, and got another request before it was over: by the same call, or by the calls beside it.

use super::setting::{Options, Wish, literal};
use super::{Evidence, Found, Look, called, newest};
use crate::format::{number_of, span};
use halfopen_store::call::{Call, Outcome};
use halfopen_store::names::Name;
use halfopen_store::numbers::CallNumber;
use halfopen_store::order;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::collections::VecDeque;

/// Timers may be early by this, in milliseconds.
const SLACK: f64 = 50.0;
/// The number of refused attempts of other calls that makes a pattern.
const LEAST: usize = 5;

/// The number of newest waits and refused attempts that are compared.
const MOST: usize = 20_000;
/// The number of waits before an attempt that are looked at, the newest first.
const NEAR: usize = 200;

/// A wait that a provider requested.
struct Requested {
    call: CallNumber,
    provider: Name,
    model: Name,
    from: Moment,
    until: Moment,
}

/// An attempt that was refused for its rate.
struct Refused {
    call: CallNumber,
    policy: PolicyId,
    provider: Name,
    model: Name,
    at: Moment,
}

#[derive(Default)]
struct Seen {
    waits: VecDeque<Requested>,
    refused: VecDeque<Refused>,
    /// Calls that tried again too early, and of the one whose provider requested the longest wait: that wait, and what it waited.
    early: Vec<CallNumber>,
    worst: (f64, f64),
    policy: PolicyId,
}

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Box::new(Seen::default())
}

impl Look for Seen {
    fn call(&mut self, _log: &Log, number: CallNumber, call: &Call) {
        for attempt in &call.attempts {
            let (provider, model) = (attempt.provider, attempt.model);
            if attempt.outcome == Outcome::Failed && attempt.status_code == 429 {
                let at = attempt.started;
                keep(
                    &mut self.refused,
                    Refused { call: number, policy: call.policy_id(), provider, model, at },
                );
            }
            let hint = attempt.retry_after_ms.filter(|&hint| hint > 0.0);
            if let Some((hint, ended)) = hint.zip(attempt.ended) {
                let until = ended + hint;
                keep(&mut self.waits, Requested { call: number, provider, model, from: ended, until });
                let next = call.attempts.iter().find(|next| next.number == attempt.number + 1);
                if let Some(next) =
                    next.filter(|next| next.provider == provider && next.started < until - SLACK)
                {
                    self.early.push(number);
                    if hint >= self.worst.0 {
                        self.worst = (hint, next.started - ended);
                        self.policy = call.policy_id();
                    }
                }
            }
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let mut found = Vec::new();
        let early = std::mem::take(&mut self.early);
        if !early.is_empty() {
            let (requested, waited) = self.worst;
            let options = Options::of(log, self.policy);
            let most = options.number("retry.maxRetryAfterMs").unwrap_or(MOST_OBEYED);
            // Longer than any that was requested. If it already is, the headers were lost on the way.
            let wishes = if most < requested {
                vec![Wish("retry.maxRetryAfterMs", "60_000", literal((requested * 2.0).max(MOST_OBEYED)))]
            } else {
                vec![]
            };
            found.push(Found {
                policy: self.policy,
                title: format!("{} tried again before Retry-After was over", number_of(early.len() as u64, "call")),
                what: format!(
                    "The provider requested a wait of {}; '{}' tried again after {}.",
                    span(requested),
                    called(log, self.policy.name),
                    span(waited)
                ),
                fix: "Throw the SDK's error unchanged, so that the policy can read its headers. Set maxRetryAfterMs \
                    above the waits that your provider requests.".into(),
                advice: options.advise(log, self.policy, wishes, "throw error; // the SDK's own, with its headers"),
                hurt: early.len() as u64,
                grade: None,
                evidence: newest(early),
            });
        }
        found.extend(beside(log, self.waits.make_contiguous(), &self.refused));
        found
    }
}

/// The longest wait that a policy obeys by default, in milliseconds.
const MOST_OBEYED: f64 = 60_000.0;

/// Evicts the oldest: what is compared in the end must not hold up the page.
fn keep<T>(kept: &mut VecDeque<T>, one: T) {
    if kept.len() == MOST {
        kept.pop_front();
    }
    kept.push_back(one);
}

/// Attempts of other calls that began within a wait, and were refused like the first.
fn beside(log: &Log, waits: &mut [Requested], refused: &VecDeque<Refused>) -> Option<Found> {
    order::sort_by(waits, |a, b| a.from.total_cmp(&b.from));
    let mut calls = Vec::new();
    let mut count = 0_usize;
    let mut policy = PolicyId::default();
    for attempt in refused {
        let begun = waits.partition_point(|one| one.from <= attempt.at);
        let within = waits.iter().take(begun).rev().take(NEAR).find(|one| {
            one.call != attempt.call
                && (one.provider, one.model) == (attempt.provider, attempt.model)
                && attempt.at < one.until - SLACK
        });
        if within.is_some() {
            count += 1;
            policy = attempt.policy;
            if calls.last() != Some(&Evidence::Call(attempt.call)) {
                calls.push(Evidence::Call(attempt.call));
            }
        }
    }
    (count >= LEAST).then(|| Found {
        policy,
        title: format!("{count} attempts were refused while their model requested a wait"),
        what: "The provider had requested a wait from another call. These attempts were sent during that wait.".into(),
        fix: "Retry-After holds back one call only. Limit all calls together: attempts at once with bulkhead, attempts a minute with rateLimit.".into(),
        advice: Options::of(log, policy).advise(log, policy, vec![
            Wish("bulkhead", "", "{ maxConcurrent: 4, maxQueued: 100 }".into()),
            Wish("rateLimit", "", "{ limit: 60, windowMs: 60_000, maxWaitMs: 10_000 }".into()),
        ], ""),
        hurt: calls.len() as u64,
        grade: None,
        evidence: { calls.reverse(); calls },
    })
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::super::stage::Stage;
    use halfopen_store::numbers::CallNumber;

    #[test]
    fn a_retry_before_the_wait_is_over_is_found() {
        let mut stage = Stage::new();
        let call = stage.call("openai");
        stage
            .fail_with(call, "RATE_LIMITED", "http.429", Some(5_000.0))
            .wait(call, 200.0, "backoff")
            .succeed(call);
        let found = stage.found("retry-after");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].evidence, [Evidence::Call(CallNumber(0))]);
        assert!(
            found[0].what.contains("requested a wait of 5.00 s; 'openai' tried again after 220 ms"),
            "{}",
            found[0].what
        );
        assert_eq!(found[0].title, "1 call tried again before Retry-After was over");
        // The setting is long enough: it is not what to change.
        assert_eq!(found[0].settings, []);
        let found = stage.policy("openai", r#"{"retry":{"maxRetryAfterMs":1000}}"#).found("retry-after");
        assert_eq!(found[0].settings[0].now.as_deref(), Some("1_000"));
        assert_eq!(found[0].settings[0].to, "60_000");
    }

    #[test]
    fn a_wait_that_was_kept_is_none() {
        let mut stage = Stage::new();
        let call = stage.call("openai");
        stage
            .fail_with(call, "RATE_LIMITED", "http.429", Some(5_000.0))
            .wait(call, 5_000.0, "retry-after")
            .succeed(call);
        assert_eq!(stage.found("retry-after"), []);
    }
}
