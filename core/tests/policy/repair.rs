//! Repairs: the next request is another one, so that it is sent at once and whatever the error says.

use crate::harness::{Harness, WITH_BUDGET, call_of, wait_of, why};
use halfopen::Code;
use halfopen::policy::{BreakerConfig, BudgetConfig, Fact, Failure, Jitter, Repair, Step, Why};
use halfopen::time::Millis;

const REFUSED: Failure = Failure::of(Code::ValidationError);

fn with(repair: Repair, failure: Failure) -> Failure {
    Failure { repair, ..failure }
}

fn plain() -> Harness {
    Harness::calls(|call| call.retry.backoff.jitter = Jitter::None)
}

/// Fails the attempt, repairs the request, and begins the attempt that sends it.
fn repaired(harness: &mut Harness, call: u32, failure: Failure) -> Step {
    assert_eq!(harness.fail_as(call, with(Repair::Pending, failure)), Step::Done { attempts: 0 });
    let (call, delay) = wait_of(harness.fail_as(call, with(Repair::Made, failure)));
    assert_eq!(delay, 0);
    harness.resume(call)
}

#[test]
fn a_repaired_request_is_sent_at_once_though_the_error_is_not_retryable() {
    let mut harness = plain();
    harness.engine.observe(true);
    let call = harness.attempt();
    let step = repaired(&mut harness, call, REFUSED);
    assert!(matches!(step, Step::Attempt { attempt: 2, .. }), "{step:?}");
    harness.succeed(call);
    let facts = harness.facts();
    let failed = facts.iter().filter(|fact| matches!(fact, Fact::AttemptFailed { attempt: 1, .. })).count();
    let scheduled = facts.iter().filter(|fact| matches!(fact, Fact::RetryScheduled { .. })).count();
    assert_eq!((failed, scheduled), (1, 0));
}

#[test]
fn a_failure_whose_request_could_not_be_repaired_is_decided_as_ever() {
    let mut harness = plain();
    let call = harness.attempt();
    harness.fail_as(call, with(Repair::Pending, REFUSED));
    assert_eq!(why(harness.fail_as(call, REFUSED)), Why::NotRetryable);

    let call = harness.attempt();
    let busy = Failure::of(Code::ServerError);
    harness.fail_as(call, with(Repair::Pending, busy));
    assert_eq!(wait_of(harness.fail_as(call, busy)).1, 1000);
}

#[test]
fn repairs_are_no_retries_of_the_maximum_and_change_no_backoff() {
    let mut harness = plain();
    let call = harness.attempt();
    for _ in 0..5 {
        repaired(&mut harness, call, REFUSED);
    }
    let mut delays = Vec::new();
    let last = loop {
        match harness.fail(call) {
            Step::Wait { plan, .. } => {
                delays.push(plan.delay.delay.0);
                harness.now = plan.due.0;
                harness.resume(call);
            }
            step => break why(step),
        }
    };
    assert_eq!((delays, last), (vec![1000, 2000, 4000], Why::Exhausted));
}

#[test]
fn retries_that_are_off_forbid_no_repair() {
    let mut harness = Harness::calls(|call| call.retry.max_retries = 0);
    let call = harness.attempt();
    assert_eq!(call_of(repaired(&mut harness, call, REFUSED)), call);
}

#[test]
fn no_repair_follows_what_may_not_be_repeated() {
    let broken = Failure { broken_stream: true, ..REFUSED };
    let sent = Failure { sent_and_not_idempotent: true, ..REFUSED };
    for (failure, expected) in [
        (broken, Why::BrokenStream),
        (sent, Why::NotRetryable),
        (Failure::of(Code::Cancelled), Why::Cancelled),
    ] {
        let mut harness = plain();
        let call = harness.attempt();
        assert_eq!(why(harness.fail_as(call, with(Repair::Made, failure))), expected);
    }
}

#[test]
fn a_repair_counts_against_the_deadline() {
    let mut harness = Harness::calls(|call| call.total = Some(Millis(100)));
    let call = harness.attempt();
    harness.fail_as(call, with(Repair::Pending, REFUSED));
    harness.now = 100;
    assert_eq!(why(harness.fail_as(call, with(Repair::Made, REFUSED))), Why::Deadline);
}

#[test]
fn a_repair_takes_a_retry_of_the_budget() {
    let mut harness = Harness::calls(|call| call.shared = WITH_BUDGET).with_budget(BudgetConfig::new(
        0.0,
        0.1,
        Millis(10_000),
    ));
    let call = harness.attempt();
    let mut made = 0;
    let last = loop {
        harness.fail_as(call, with(Repair::Pending, REFUSED));
        match harness.fail_as(call, with(Repair::Made, REFUSED)) {
            Step::Wait { .. } => harness.resume(call),
            step => break why(step),
        };
        made += 1;
        assert!(made < 1000, "the budget does not end it");
    };
    assert_eq!(last, Why::Budget);
}

#[test]
fn a_call_that_ends_while_its_request_is_repaired_leaves_nothing_behind() {
    let mut harness = plain().with_breaker(BreakerConfig::default());
    let call = harness.attempt();
    harness.fail_as(call, with(Repair::Pending, REFUSED));
    assert_eq!(why(harness.cancel(call)), Why::Cancelled);
    assert_eq!(harness.engine.in_flight(), 0);
}

#[test]
fn the_breaker_counts_the_failure_before_the_repair_once() {
    let busy = Failure::of(Code::ServerError);
    let mut harness = plain().with_breaker(BreakerConfig::default());
    let call = harness.attempt();
    repaired(&mut harness, call, busy);
    harness.succeed(call);
    harness.engine.observe(true);
    let other = harness.attempt();
    harness.fail_as(other, with(Repair::Pending, busy));
    harness.fail_as(other, with(Repair::None, busy));
    let failed = harness.facts().iter().filter(|fact| matches!(fact, Fact::AttemptFailed { .. })).count();
    assert_eq!(failed, 1);
}
