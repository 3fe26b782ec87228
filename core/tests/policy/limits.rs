//! The bulkhead and the rate limit: places, turns, and the queues for them.

use crate::harness::{Harness, call_of, why};
use halfopen::Code;
use halfopen::limit::{Limit, Unit};
use halfopen::policy::{
    AdaptiveConfig, BreakerConfig, BreakerScope, BreakerState, BulkheadConfig, CallConfig, Fact, Failure,
    Layer, PolicyConfig, RateLimitConfig, Step, Trip, Why,
};
use halfopen::time::{Millis, Timestamp};

fn bulkhead(max_concurrent: u32, max_queued: u32) -> PolicyConfig {
    PolicyConfig { bulkhead: Some(BulkheadConfig { max_concurrent, max_queued }), ..PolicyConfig::default() }
}

fn rate(limit: u32, window: u64, max_wait: u64) -> PolicyConfig {
    let (window, max_wait) = (Millis(window), Millis(max_wait));
    PolicyConfig {
        rate_limits: vec![RateLimitConfig { limit, window, max_wait, unit: Unit::Requests }],
        ..PolicyConfig::default()
    }
}

fn queued(step: Step) -> (u32, u32) {
    match step {
        Step::Queued { call, position, .. } => (call, position),
        step => panic!("not queued: {step:?}"),
    }
}

#[test]
fn places_go_round_first_in_first_out() {
    let mut harness = Harness::new(bulkhead(2, 2));
    let (a, _b) = (harness.attempt(), harness.attempt());
    let (c, first) = queued(harness.begin());
    let (d, second) = queued(harness.begin());
    assert_eq!((first, second), (1, 2));
    assert_eq!(harness.begin(), Step::Rejected { by: Layer::Bulkhead, retry_after: None, attempts: 0 });
    assert!(harness.next_ready().is_none());
    harness.succeed(a);
    assert_eq!(harness.next_ready().map(call_of), Some(c));
    assert!(harness.next_ready().is_none());
    harness.succeed(c);
    assert_eq!(harness.next_ready().map(call_of), Some(d));
}

#[test]
fn a_call_that_leaves_the_queue_does_not_delay_the_others() {
    let mut harness = Harness::new(bulkhead(1, 3));
    let a = harness.attempt();
    let (b, _) = queued(harness.begin());
    let (c, _) = queued(harness.begin());
    assert_eq!(why(harness.cancel(b)), Why::Cancelled);
    // The place in the queue is free again.
    assert_eq!(queued(harness.begin()).1, 2);
    harness.succeed(a);
    assert_eq!(harness.next_ready().map(call_of), Some(c));
}

#[test]
fn the_engine_says_whether_a_call_can_go() {
    let mut harness = Harness::new(bulkhead(1, 1));
    let running = harness.attempt();
    queued(harness.begin());
    assert!(!harness.engine.has_ready());
    harness.succeed(running);
    assert!(harness.engine.has_ready());
    harness.next_ready();
    assert!(!harness.engine.has_ready());
}

#[test]
fn two_that_are_ready_at_once_both_go() {
    let mut harness = Harness::new(bulkhead(2, 2));
    let (a, b) = (harness.attempt(), harness.attempt());
    let (c, _) = queued(harness.begin());
    let (d, _) = queued(harness.begin());
    harness.succeed(a);
    harness.succeed(b);
    assert_eq!(harness.next_ready().map(call_of), Some(c));
    assert_eq!(harness.next_ready().map(call_of), Some(d));
}

#[test]
fn a_call_that_leaves_with_a_slot_hands_it_on() {
    let mut harness = Harness::new(bulkhead(1, 2));
    let a = harness.attempt();
    let (b, _) = queued(harness.begin());
    let (c, _) = queued(harness.begin());
    harness.succeed(a);
    harness.cancel(b);
    assert_eq!(harness.next_ready().map(call_of), Some(c));
}

#[test]
fn a_call_that_waits_to_retry_holds_no_place() {
    let mut harness = Harness::new(bulkhead(1, 0));
    let a = harness.attempt();
    harness.fail(a);
    let b = harness.attempt();
    harness.now = 60_000;
    assert_eq!(harness.resume(a), Step::Rejected { by: Layer::Bulkhead, retry_after: None, attempts: 1 });
    harness.succeed(b);
    harness.attempt();
}

#[test]
fn a_refusal_on_a_retry_tells_the_breaker_the_last_attempts_result() {
    let trip = BreakerConfig { trip: Trip::Consecutive(1), ..BreakerConfig::default() };
    let mut harness = Harness::new(bulkhead(1, 0)).with_breaker(trip);
    let a = harness.attempt();
    harness.fail(a);
    let b = harness.attempt();
    harness.now = 60_000;
    assert!(matches!(harness.resume(a), Step::Rejected { .. }));
    assert_eq!(harness.state(), BreakerState::Open);
    harness.succeed(b);
}

#[test]
fn a_wider_bulkhead_lets_the_queue_in() {
    let mut harness = Harness::new(bulkhead(1, 3));
    let a = harness.attempt();
    let (b, _) = queued(harness.begin());
    let (c, _) = queued(harness.begin());
    harness.engine.update(bulkhead(2, 3));
    assert_eq!(harness.next_ready().map(call_of), Some(b));
    assert!(harness.next_ready().is_none());
    harness.engine.update(PolicyConfig::default());
    assert_eq!(harness.next_ready().map(call_of), Some(c));
    for call in [a, b, c] {
        harness.succeed(call);
    }
    harness.engine.update(bulkhead(1, 0));
    harness.attempt();
    assert!(matches!(harness.begin(), Step::Rejected { .. }));
}

#[test]
fn a_rate_limit_says_when_the_next_may_begin() {
    let mut harness = Harness::new(rate(2, 1000, 0));
    harness.attempt();
    harness.now = 300;
    harness.attempt();
    harness.now = 400;
    let refused = Step::Rejected { by: Layer::RateLimit, retry_after: Some(Millis(600)), attempts: 0 };
    assert_eq!(harness.begin(), refused);
    harness.now = 1000;
    harness.attempt();
    assert!(matches!(harness.begin(), Step::Rejected { retry_after: Some(Millis(300)), .. }));
}

#[test]
fn turns_come_in_order_and_not_before_their_time() {
    let mut harness = Harness::new(rate(1, 1000, 2500));
    harness.attempt();
    let (b, _) = queued(harness.begin());
    let (c, position) = queued(harness.begin());
    assert_eq!(position, 2);
    // The third would wait for 3000 ms: too long.
    assert!(matches!(harness.begin(), Step::Rejected { retry_after: Some(Millis(3000)), .. }));
    assert_eq!(harness.engine.poll_timeout(), Some(Timestamp(1000)));
    harness.now = 999;
    assert!(harness.next_ready().is_none());
    harness.now = 1000;
    assert_eq!(harness.next_ready().map(call_of), Some(b));
    assert!(harness.next_ready().is_none());
    assert_eq!(harness.engine.poll_timeout(), Some(Timestamp(2000)));
    harness.now = 2000;
    assert_eq!(harness.next_ready().map(call_of), Some(c));
    assert_eq!(harness.engine.poll_timeout(), None);
}

#[test]
fn a_turn_that_is_late_counts_from_when_it_was_taken() {
    let mut harness = Harness::new(rate(1, 1000, 5000));
    harness.attempt();
    queued(harness.begin());
    queued(harness.begin());
    harness.now = 1400;
    assert!(harness.next_ready().is_some());
    assert_eq!(harness.engine.poll_timeout(), Some(Timestamp(2400)));
}

#[test]
fn a_start_between_two_milliseconds_counts_as_the_later() {
    let mut harness = Harness::new(rate(1, 1000, 0));
    harness.engine.rounded_down(true);
    harness.attempt();
    harness.engine.rounded_down(false);
    harness.now = 1000;
    assert!(matches!(harness.begin(), Step::Rejected { retry_after: Some(Millis(1)), .. }));
    harness.now = 1001;
    harness.attempt();
}

#[test]
fn a_call_that_has_waited_too_long_is_refused() {
    let mut harness = Harness::new(rate(1, 1000, 1500));
    harness.attempt();
    let (b, _) = queued(harness.begin());
    harness.now = 800;
    let (_c, _) = queued(harness.begin());
    // The first turn is taken late, so that the second comes too late.
    harness.now = 1900;
    assert_eq!(harness.next_ready().map(call_of), Some(b));
    harness.now = 2301;
    assert!(matches!(harness.next_ready(), Some(Step::Rejected { by: Layer::RateLimit, .. })));
    assert_eq!(harness.engine.in_flight(), 2);
}

#[test]
fn a_turn_beyond_the_deadline_is_not_waited_for() {
    let mut config = rate(1, 1000, 5000);
    config.call.total = Some(Millis(1000));
    let mut harness = Harness::new(config);
    harness.attempt();
    assert!(matches!(harness.begin(), Step::Rejected { by: Layer::RateLimit, .. }));
}

#[test]
fn waiting_for_a_turn_keeps_the_place() {
    let config = PolicyConfig { bulkhead: bulkhead(1, 0).bulkhead, ..rate(1, 1000, 5000) };
    let mut harness = Harness::new(config);
    let a = harness.attempt();
    harness.succeed(a);
    let (b, _) = queued(harness.begin());
    assert!(matches!(harness.begin(), Step::Rejected { by: Layer::Bulkhead, .. }));
    harness.cancel(b);
    queued(harness.begin());
}

#[test]
fn an_attempt_that_the_breaker_refuses_takes_no_turn_and_no_place() {
    let mut config = PolicyConfig { bulkhead: bulkhead(1, 0).bulkhead, ..rate(1, 1000, 0) };
    config.call.scope = BreakerScope::Attempt;
    let mut harness = Harness::new(config).with_breaker(BreakerConfig::default());
    harness.breaker.as_mut().unwrap().isolate(Timestamp(0));
    assert_eq!(harness.begin(), Step::Rejected { by: Layer::Breaker, retry_after: None, attempts: 0 });
    harness.breaker.as_mut().unwrap().lift_isolation(Timestamp(0));
    harness.attempt();
}

#[test]
fn a_queued_call_tells_its_way() {
    let mut harness = Harness::new(bulkhead(1, 1));
    harness.engine.observe(true);
    let a = harness.attempt();
    queued(harness.begin());
    harness.succeed(a);
    let _attempt = harness.next_ready();
    let facts = harness.facts();
    assert!(facts.contains(&Fact::CallQueued { by: Layer::Bulkhead, position: 1, due: None }));
    assert!(facts.contains(&Fact::CallDequeued));
}

#[test]
fn a_million_calls_leave_nothing() {
    let mut harness = Harness::new(bulkhead(4, 4));
    for round in 0..100_000 {
        let calls: Vec<u32> = (0..8).map(|_| call_of(harness.begin())).collect();
        for (index, call) in calls.into_iter().enumerate() {
            if (round + index) % 3 == 0 {
                harness.cancel(call);
            } else {
                harness.succeed(call);
                // Queued ones are not running yet.
                harness.cancel(call);
            }
            while harness.engine.next_ready(None).is_some() {
                let _attempt = harness.next_ready();
            }
        }
    }
    assert_eq!(harness.engine.in_flight(), 0);
}

#[test]
fn under_stricter_settings_one_waits_for_as_long_as_they_say_and_no_longer() {
    let mut harness = Harness::new(rate(1, 10_000, 20_000));
    harness.attempt();
    let (waiting, _) = queued(harness.begin());
    harness.engine.update(rate(1, 10_000, 1000));
    assert_eq!(harness.engine.poll_timeout(), Some(Timestamp(1001)));
    harness.now = 1000;
    assert_eq!(harness.next_ready(), None);
    harness.now = 1001;
    let wait = Some(Millis(8999));
    let refused = Step::Rejected { by: Layer::RateLimit, retry_after: wait, attempts: 0 };
    assert_eq!(harness.next_ready_call(), Some((waiting, refused)));
}

#[test]
fn a_share_of_the_slots_holds_until_all_are_its_own_again() {
    let mut harness = Harness::new(bulkhead(4, 4));
    assert_eq!(harness.engine.share_slots(None), 0);
    harness.attempt();
    harness.attempt();
    assert_eq!(harness.engine.share_slots(Some(2)), 2);
    let (third, _) = queued(harness.begin());
    assert_eq!(harness.engine.share_slots(None), 2);
    assert!(harness.next_ready().is_none());
    assert_eq!(harness.engine.share_slots(Some(u32::MAX)), 3);
    assert_eq!(harness.next_ready().map(call_of), Some(third));
}

#[test]
fn a_share_of_a_rate_limit_holds_until_all_of_it_is_its_own_again() {
    let mut harness = Harness::new(rate(4, 1000, 0));
    harness.attempt();
    harness.attempt();
    let now = Timestamp(0);
    assert_eq!(harness.engine.share_limit(0, None, now), 2);
    assert_eq!(harness.engine.share_limit(0, Some(2), now), 2);
    assert!(matches!(harness.begin(), Step::Rejected { by: Layer::RateLimit, .. }));
    assert_eq!(harness.engine.share_limit(0, Some(u32::MAX), now), 2);
    harness.attempt();
    assert_eq!(harness.engine.share_limit(0, None, now), 3);
    // There is one limit.
    assert_eq!(harness.engine.share_limit(1, None, now), 0);
}

#[test]
fn a_call_from_before_the_bulkhead_has_no_slot_to_give_back() {
    let mut harness = Harness::new(PolicyConfig::default());
    let early = harness.attempt();
    harness.engine.update(bulkhead(1, 0));
    harness.attempt();
    harness.fail(early);
    assert!(matches!(harness.begin(), Step::Rejected { by: Layer::Bulkhead, .. }));
}

#[test]
fn only_the_providers_remainder_may_begin() {
    let mut harness = Harness::new(rate(100, 1000, 0));
    let (provider, limit, reset) = (None, Some(60.0), Some(Millis(10_000)));
    let left = Limit { provider, unit: Unit::Requests, limit, remaining: 2.9, reset };
    harness.engine.observe_limits(&[left], Timestamp(0));
    harness.attempt();
    harness.attempt();
    let wait = Some(Millis(10_000));
    assert_eq!(harness.begin(), Step::Rejected { by: Layer::RateLimit, retry_after: wait, attempts: 0 });
}

/// There is room for settings of a million calls on their way.
#[test]
fn settings_of_their_own_end_with_their_calls() {
    let mut harness = Harness::new(PolicyConfig::default());
    let config = harness.engine.config();
    for _ in 0..1_100_000 {
        let call = call_of(harness.begin_with(config));
        harness.succeed(call);
    }
}

#[test]
fn the_providers_limits_count_if_a_rate_limit_is_set() {
    let spent = Limit {
        provider: None,
        unit: Unit::Requests,
        limit: Some(60.0),
        remaining: 0.0,
        reset: Some(Millis(10_000)),
    };
    let mut harness = Harness::new(rate(100, 1000, 15_000));
    let first = harness.attempt();
    harness.engine.observe_limits(&[spent], Timestamp(0));
    harness.succeed(first);
    let (waiting, _) = queued(harness.begin());
    assert_eq!(harness.engine.poll_timeout(), Some(Timestamp(10_000)));
    assert!(harness.next_ready().is_none());
    harness.now = 10_000;
    assert_eq!(harness.next_ready().map(call_of), Some(waiting));
    // Too long a wait is refused with it; without a rate limit nothing counts.
    let mut impatient = Harness::new(rate(100, 1000, 9_999));
    impatient.engine.observe_limits(&[spent], Timestamp(0));
    let by = Layer::RateLimit;
    assert_eq!(impatient.begin(), Step::Rejected { by, retry_after: Some(Millis(10_000)), attempts: 0 });
    let mut unlimited = Harness::new(PolicyConfig::default());
    unlimited.engine.observe_limits(&[spent], Timestamp(0));
    unlimited.attempt();
}

/// Limits on tokens, and on requests.
fn limits(limits: &[(Unit, u32, u64, u64)]) -> PolicyConfig {
    let rate_limits = limits.iter().map(|&(unit, limit, window, max_wait)| {
        let (window, max_wait) = (Millis(window), Millis(max_wait));
        RateLimitConfig { limit, window, max_wait, unit }
    });
    PolicyConfig { rate_limits: rate_limits.collect(), ..PolicyConfig::default() }
}

fn begin_with_tokens(harness: &mut Harness, tokens: u32) -> Step {
    let config = CallConfig { tokens, ..harness.engine.config() };
    harness.begin_with(config)
}

#[test]
fn tokens_are_estimated_when_an_attempt_begins() {
    let mut harness = Harness::new(limits(&[(Unit::Tokens, 1000, 60_000, 0)]));
    call_of(begin_with_tokens(&mut harness, 600));
    let wait = Some(Millis(60_000));
    let refused = Step::Rejected { by: Layer::RateLimit, retry_after: wait, attempts: 0 };
    assert_eq!(begin_with_tokens(&mut harness, 401), refused);
    call_of(begin_with_tokens(&mut harness, 400));
    // Without an estimate one goes as long as any are left.
    assert_eq!(harness.begin(), refused);
    harness.now = 60_000;
    harness.attempt();
}

#[test]
fn observed_usage_replaces_the_estimate() {
    let mut harness = Harness::new(limits(&[(Unit::Tokens, 1000, 60_000, 60_000)]));
    let first = call_of(begin_with_tokens(&mut harness, 1000));
    let (second, _) = queued(begin_with_tokens(&mut harness, 500));
    assert_eq!(harness.engine.poll_timeout(), Some(Timestamp(60_000)));
    harness.now = 1000;
    harness.engine.observe_usage(first, 1, 400);
    harness.succeed(first);
    assert!(harness.engine.has_ready());
    assert_eq!(harness.next_ready().map(call_of), Some(second));
    // More than was estimated holds back the next ones.
    harness.engine.observe_usage(second, 1, 5000);
    harness.succeed(second);
    let third = begin_with_tokens(&mut harness, 1);
    assert!(matches!(third, Step::Queued { due: Some(Timestamp(61_000)), .. }), "{third:?}");
}

#[test]
fn each_attempt_of_a_call_is_estimated_and_settled_by_itself() {
    let mut harness = Harness::new(limits(&[(Unit::Tokens, 1000, 60_000, 0)]));
    let call = call_of(begin_with_tokens(&mut harness, 400));
    harness.engine.observe_usage(call, 1, 100);
    harness.fail(call);
    harness.now = 1000;
    let Step::Attempt { attempt: 2, .. } = harness.resume(call) else { panic!("not tried again") };
    harness.engine.observe_usage(call, 2, 300);
    // Nothing began under this number.
    harness.engine.observe_usage(call, 3, 1000);
    harness.succeed(call);
    assert!(matches!(begin_with_tokens(&mut harness, 601), Step::Rejected { .. }));
    call_of(begin_with_tokens(&mut harness, 600));
}

#[test]
fn a_call_that_can_never_begin_is_refused_without_a_wait() {
    let mut harness = Harness::new(limits(&[(Unit::Tokens, 1000, 60_000, u64::MAX)]));
    let never = Step::Rejected { by: Layer::RateLimit, retry_after: None, attempts: 0 };
    assert_eq!(begin_with_tokens(&mut harness, 1001), never);
    // It takes nothing, and no call waits behind it.
    call_of(begin_with_tokens(&mut harness, 1000));
}

#[test]
fn of_several_limits_each_must_let_it_pass() {
    let both = [(Unit::Requests, 2, 1000, 0), (Unit::Tokens, 1000, 60_000, 0)];
    let mut harness = Harness::new(limits(&both));
    call_of(begin_with_tokens(&mut harness, 900));
    let wait = |harness: &mut Harness, tokens| match begin_with_tokens(harness, tokens) {
        Step::Rejected { by: Layer::RateLimit, retry_after, .. } => retry_after,
        step => panic!("not refused: {step:?}"),
    };
    assert_eq!(wait(&mut harness, 200), Some(Millis(60_000)));
    call_of(begin_with_tokens(&mut harness, 100));
    harness.now = 1000;
    assert_eq!(wait(&mut harness, 1), Some(Millis(59_000)));
}

#[test]
fn each_limit_makes_one_wait_for_as_long_as_it_says() {
    let both = [(Unit::Requests, 1, 1000, 5000), (Unit::Tokens, 1000, 60_000, 0)];
    let mut harness = Harness::new(limits(&both));
    call_of(begin_with_tokens(&mut harness, 500));
    // For its turn among the requests one may wait, for tokens one may not.
    let (second, _) = queued(begin_with_tokens(&mut harness, 500));
    assert!(matches!(begin_with_tokens(&mut harness, 1), Step::Rejected { .. }));
    harness.now = 1000;
    assert_eq!(harness.next_ready().map(call_of), Some(second));
}

#[test]
fn a_cheap_call_does_not_pass_a_dear_one() {
    let mut harness = Harness::new(limits(&[(Unit::Tokens, 1000, 1000, 5000)]));
    call_of(begin_with_tokens(&mut harness, 600));
    let (dear, _) = queued(begin_with_tokens(&mut harness, 500));
    let (cheap, _) = queued(begin_with_tokens(&mut harness, 1));
    assert!(harness.next_ready().is_none());
    harness.now = 1000;
    assert_eq!(harness.next_ready().map(call_of), Some(dear));
    assert_eq!(harness.next_ready().map(call_of), Some(cheap));
}

#[test]
fn an_update_keeps_starts_under_a_limit_of_the_same_unit() {
    let both = [(Unit::Requests, 5, 1000, 0), (Unit::Tokens, 1000, 60_000, 0)];
    let mut harness = Harness::new(limits(&both));
    call_of(begin_with_tokens(&mut harness, 900));
    harness.engine.update(limits(&[(Unit::Tokens, 1000, 60_000, 0)]));
    assert!(matches!(begin_with_tokens(&mut harness, 101), Step::Rejected { .. }));
    harness.engine.update(limits(&[]));
    call_of(begin_with_tokens(&mut harness, 5000));
}

#[test]
fn tokens_that_the_provider_has_left_count_against_a_limit_on_tokens() {
    let left = |remaining| Limit {
        provider: None,
        unit: Unit::Tokens,
        limit: Some(60_000.0),
        remaining,
        reset: Some(Millis(10_000)),
    };
    let mut harness = Harness::new(limits(&[(Unit::Tokens, 100_000, 60_000, 15_000)]));
    harness.engine.observe_limits(&[left(500.0)], Timestamp(0));
    call_of(begin_with_tokens(&mut harness, 400));
    let (_waits, _) = queued(begin_with_tokens(&mut harness, 101));
    assert_eq!(harness.engine.poll_timeout(), Some(Timestamp(10_000)));
    // The tokens of requests are unknown, so only an empty remainder counts.
    let mut requests = Harness::new(limits(&[(Unit::Requests, 100, 60_000, 0)]));
    requests.engine.observe_limits(&[left(1.0)], Timestamp(0));
    requests.attempt();
    requests.attempt();
    requests.engine.observe_limits(&[left(0.0)], Timestamp(0));
    assert!(matches!(requests.begin(), Step::Rejected { retry_after: Some(Millis(10_000)), .. }));
}

#[test]
fn the_usage_of_each_of_several_calls_is_counted_separately() {
    let mut harness = Harness::new(limits(&[(Unit::Tokens, 100, 60_000, 0)]));
    let first = call_of(begin_with_tokens(&mut harness, 10));
    let second = call_of(begin_with_tokens(&mut harness, 10));
    harness.engine.observe_usage(first, 1, 80);
    harness.engine.observe_usage(second, 1, 10);
    assert!(matches!(begin_with_tokens(&mut harness, 11), Step::Rejected { .. }));
    call_of(begin_with_tokens(&mut harness, 10));
}

/// Looking through the queue for each call takes more than a minute here.
#[test]
fn joining_and_leaving_a_long_queue_costs_each_call_the_same() {
    const CALLS: u32 = 60_000;
    let began = std::time::Instant::now();
    for config in [rate(1, 1, u64::from(CALLS) * 2), bulkhead(1, CALLS)] {
        for is_from_behind in [false, true] {
            let mut harness = Harness::new(config.clone());
            harness.attempt();
            let mut calls: Vec<u32> = (0..CALLS).map(|_| queued(harness.begin()).0).collect();
            if is_from_behind {
                calls.reverse();
            }
            for call in calls {
                assert_eq!(why(harness.cancel(call)), Why::Cancelled);
            }
            assert_eq!(harness.engine.in_flight(), 1);
        }
    }
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn a_call_within_another_takes_no_slot_and_no_turn_in_all_its_attempts() {
    let config = PolicyConfig {
        bulkhead: Some(BulkheadConfig { max_concurrent: 1, max_queued: 1 }),
        adaptive: Some(AdaptiveConfig { min: 1, max: 1, initial: 1, ..AdaptiveConfig::default() }),
        rate_limits: rate(1, 60_000, 100_000).rate_limits,
        ..PolicyConfig::default()
    };
    let mut harness = Harness::new(config);
    let outer = harness.attempt();
    let within = call_of(harness.begin_with(CallConfig { within: true, ..CallConfig::default() }));
    // It is hedged, fails and is retried, beside the attempt that holds the slots.
    assert!(matches!(
        harness.input(|engine, ctx, now| engine.hedge(ctx, within, now)),
        Step::Attempt { attempt: 2, .. }
    ));
    harness.fail_as(within, Failure { attempt: Some(2), ..Failure::of(Code::Cancelled) });
    assert!(matches!(harness.fail(within), Step::Wait { .. }));
    harness.now = 10_000;
    assert!(matches!(harness.resume(within), Step::Attempt { attempt: 3, .. }));
    harness.succeed(within);
    // One that is not within waits for the slot, and then for the turn after the only one that was taken.
    let (other, _) = queued(harness.begin());
    assert!(harness.next_ready().is_none());
    harness.succeed(outer);
    assert!(matches!(
        harness.next_ready(),
        Some(Step::Queued { by: Layer::RateLimit, due: Some(Timestamp(60_000)), .. })
    ));
    harness.now = 60_000;
    assert_eq!(harness.next_ready().map(call_of), Some(other));
}
