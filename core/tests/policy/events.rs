//! The records of calls, and that no record is written without an observer.

use crate::harness::{Harness, hinted};
use halfopen::Code;
use halfopen::policy::{
    BreakerConfig, BreakerState, Change, DelaySource, Fact, Failure, Layer, PolicyConfig, Reason, Sample,
    Step, Trip, Why,
};
use halfopen::time::{Millis, Timestamp};

fn two_strikes() -> BreakerConfig {
    BreakerConfig { trip: Trip::Consecutive(2), ..BreakerConfig::default() }
}

#[test]
fn a_call_with_a_retry_tells_its_story() {
    let mut harness = Harness::new(PolicyConfig::default()).with_breaker(BreakerConfig::default());
    harness.engine.observe(true);
    let call = harness.attempt();
    harness.now = 40;
    harness.fail_as(call, hinted(200));
    harness.now = 240;
    let _attempt = harness.resume(call);
    harness.now = 300;
    harness.succeed(call);
    assert_eq!(
        harness.facts(),
        [
            Fact::CallStarted,
            Fact::AttemptStarted { attempt: 1, probe: false, generation: 1 },
            Fact::AttemptFailed {
                attempt: 1,
                duration: None,
                code: Code::RateLimited,
                counted: true,
                hint: Some(Millis(200)),
            },
            Fact::RetryScheduled {
                attempt: 2,
                delay: Millis(200),
                due: Timestamp(240),
                min: Millis(200),
                max: Millis(200),
                source: DelaySource::RetryAfter,
                budget_left: None,
            },
            Fact::AttemptStarted { attempt: 2, probe: false, generation: 1 },
            Fact::AttemptSucceeded { attempt: 2, duration: None },
            Fact::CallSucceeded { attempts: 2, duration: Some(Millis(300)) },
        ]
    );
}

#[test]
fn a_stream_closed_early_is_a_success_and_no_result_for_the_breaker() {
    let mut harness = Harness::new(PolicyConfig::default()).with_breaker(two_strikes());
    harness.engine.observe(true);
    let failing = harness.attempt();
    harness.fail_as(failing, Failure::of(Code::InvalidResponse));
    let _facts = harness.facts();
    let call = harness.attempt();
    harness.now = 40;
    assert_eq!(harness.close(call), Step::Done { attempts: 1 });
    assert_eq!(
        harness.facts(),
        [
            Fact::CallStarted,
            Fact::AttemptStarted { attempt: 1, probe: false, generation: 1 },
            Fact::CallClosed { attempts: 1, duration: Some(Millis(40)) },
        ]
    );
    // Had it been a success, the failure before would not count any more.
    let failing = harness.attempt();
    harness.fail_as(failing, Failure::of(Code::InvalidResponse));
    assert_eq!(harness.state(), BreakerState::Open);
}

#[test]
fn a_wait_is_drawn_from_the_band_it_tells() {
    let mut harness = Harness::new(PolicyConfig::default());
    harness.engine.observe(true);
    for _ in 0..50 {
        let call = harness.attempt();
        harness.fail(call);
        harness.cancel(call);
    }
    let waits = harness.facts().into_iter().filter_map(|fact| match fact {
        Fact::RetryScheduled { delay, min, max, .. } => Some((delay, min, max)),
        _ => None,
    });
    let mut count = 0;
    for (delay, min, max) in waits {
        assert_eq!((min, max), (Millis(800), Millis(1200)));
        assert!(min <= delay && delay <= max);
        count += 1;
    }
    assert_eq!(count, 50);
}

#[test]
fn only_breakers_are_recorded_without_a_listener() {
    let mut harness = Harness::calls(|call| call.retry.max_retries = 0).with_breaker(two_strikes());
    for _ in 0..2 {
        let call = harness.attempt();
        harness.fail(call);
    }
    assert!(matches!(harness.begin(), Step::Rejected { by: Layer::Breaker, .. }));
    let facts = harness.facts();
    let [Fact::BreakerChanged { breaker: 2, change }] = facts[..] else { panic!("{facts:?}") };
    let Change { from, to, reason, retry_at, recent, .. } = change;
    assert_eq!((from, to), (BreakerState::Closed, BreakerState::Open));
    assert_eq!((reason, retry_at), (Reason::ConsecutiveFailures(2), Some(Timestamp(60_000))));
    assert_eq!(recent.iter().collect::<Vec<_>>(), [Sample { failed: true, slow: false }; 2]);
}

#[test]
fn a_failed_and_a_rejected_call_say_why() {
    let mut harness = Harness::calls(|call| call.retry.max_retries = 0).with_breaker(two_strikes());
    harness.engine.observe(true);
    for _ in 0..2 {
        let call = harness.attempt();
        harness.fail(call);
    }
    let _rejected = harness.begin();
    let facts = harness.facts();
    let failed = Fact::CallFailed {
        attempts: 1,
        duration: Some(Millis(0)),
        code: Code::ServerError,
        why: Why::Exhausted,
    };
    assert_eq!(facts.iter().filter(|fact| **fact == failed).count(), 2);
    let rejected = Fact::CallRejected { by: Layer::Breaker, retry_after: Some(Millis(60_000)), attempts: 0 };
    assert_eq!(facts.last(), Some(&rejected));
}

#[test]
fn a_full_ring_drops_the_oldest_and_counts() {
    let mut harness = Harness::new(PolicyConfig::default());
    harness.engine.observe(true);
    for _ in 0..500 {
        let call = harness.attempt();
        harness.succeed(call);
    }
    assert_eq!(harness.events.take_dropped(), 500 * 4 - 1024);
    assert_eq!(harness.facts().len(), 1024);
}
