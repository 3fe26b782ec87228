//! The adaptive limit in a policy: slots, the queue for them, refusals, and what it learns of.

use crate::harness::{Harness, call_of, hinted};
use halfopen::Code;
use halfopen::policy::{
    AdaptiveConfig, Because, BreakerConfig, BreakerScope, BulkheadConfig, CallConfig, Fact, Failure, Layer,
    LimitChange, PolicyConfig, Step,
};
use halfopen::time::Millis;

fn adaptive(initial: u32) -> PolicyConfig {
    let adaptive = AdaptiveConfig { initial, ..AdaptiveConfig::default() };
    PolicyConfig { adaptive: Some(adaptive), ..PolicyConfig::default() }
}

fn with_total(config: PolicyConfig, ms: u64) -> PolicyConfig {
    let call = CallConfig { total: Some(Millis(ms)), ..config.call };
    PolicyConfig { call, ..config }
}

fn queued(step: Step) -> (u32, u32) {
    match step {
        Step::Queued { call, by: Layer::Adaptive, position, due: None } => (call, position),
        step => panic!("not queued: {step:?}"),
    }
}

/// Returns the limit after attempts that run together have failed like this.
fn after(failures: &[Failure]) -> Option<u32> {
    let mut harness = Harness::new(adaptive(10));
    let calls: Vec<u32> = (0..10).map(|_| harness.attempt()).collect();
    for (call, failure) in calls.into_iter().zip(failures) {
        harness.fail_as(call, *failure);
    }
    harness.engine.limit()
}

#[test]
fn overload_lowers_it_once_for_the_calls_that_ran_together_and_other_errors_do_not() {
    let overload = Failure::of(Code::ProviderOverloaded);
    assert_eq!(after(&[overload; 10]), Some(7));
    assert_eq!(after(&[Failure::of(Code::Timeout)]), Some(7));
    assert_eq!(after(&[Failure::of(Code::RateLimited)]), Some(7));
    assert_eq!(after(&[hinted(1000)]), Some(7));
    assert_eq!(after(&[hinted(1001)]), Some(10));
    let unavailable = Failure { hint: Some(Millis(5000)), ..Failure::of(Code::ServerError) };
    assert_eq!(after(&[unavailable]), Some(7));
    for code in [Code::ServerError, Code::NetworkError, Code::AuthenticationError, Code::Cancelled] {
        assert_eq!(after(&[Failure::of(code)]), Some(10), "{code:?}");
    }
}

#[test]
fn calls_that_begin_after_a_decrease_lower_it_again() {
    let mut harness = Harness::new(adaptive(10));
    let mut limits = Vec::new();
    for _ in 0..4 {
        let calls: Vec<u32> = (0..harness.engine.limit().unwrap()).map(|_| harness.attempt()).collect();
        for call in calls {
            harness.fail_as(call, Failure::of(Code::ProviderOverloaded));
        }
        limits.extend(harness.engine.limit());
    }
    assert_eq!(limits, [7, 4, 2, 1]);
}

#[test]
fn a_call_beyond_it_waits_and_begins_when_another_has_ended() {
    let mut harness = Harness::new(adaptive(2));
    harness.engine.observe(true);
    let a = harness.attempt();
    harness.attempt();
    let (c, position) = queued(harness.begin());
    assert_eq!(position, 1);
    let (d, _) = queued(harness.begin());
    harness.cancel(c);
    harness.cancel(a);
    assert_eq!(harness.next_ready().map(call_of), Some(d));
    assert_eq!(harness.next_ready(), None);
    let facts = harness.facts();
    assert!(facts.contains(&Fact::CallQueued { by: Layer::Adaptive, position: 1, due: None }));
    assert_eq!(facts.iter().filter(|fact| **fact == Fact::CallDequeued).count(), 2);
}

#[test]
fn good_answers_raise_it_where_it_is_used() {
    let mut harness = Harness::new(adaptive(2));
    let a = harness.attempt();
    harness.succeed(a);
    assert_eq!(harness.engine.limit(), Some(2));
    let (b, _) = (harness.attempt(), harness.attempt());
    let (c, _) = queued(harness.begin());
    let (d, _) = queued(harness.begin());
    harness.succeed(b);
    assert_eq!(harness.engine.limit(), Some(3));
    assert_eq!(harness.next_ready().map(call_of), Some(c));
    assert_eq!(harness.next_ready().map(call_of), Some(d));
}

#[test]
fn a_call_that_waits_to_retry_holds_no_slot_and_queues_for_its_next_attempt() {
    let mut harness = Harness::new(adaptive(1));
    let a = harness.attempt();
    harness.fail(a);
    let b = harness.attempt();
    harness.now = 2000;
    assert_eq!(queued(harness.resume(a)), (a, 1));
    harness.succeed(b);
    assert!(matches!(harness.next_ready(), Some(Step::Attempt { attempt: 2, .. })));
}

#[test]
fn a_call_that_cannot_be_served_before_its_deadline_is_refused_at_once() {
    let mut harness = Harness::new(with_total(adaptive(1), 1000));
    let mut running = harness.attempt();
    for _ in 0..5 {
        queued(harness.begin());
    }
    // One ends each 150 ms. Good answers would raise the limit.
    for _ in 0..4 {
        harness.now += 150;
        harness.fail_as(running, Failure::of(Code::AuthenticationError));
        running = harness.next_ready().map(call_of).expect("one has waited");
    }
    // One waits and one runs: the next has a slot in 300 ms, and with room for what takes longer an answer in 600.
    let (_, position) = queued(harness.begin());
    assert_eq!(position, 2);
    assert_eq!(queued(harness.begin()).1, 3);
    let refused = Step::Rejected { by: Layer::Adaptive, retry_after: Some(Millis(600)), attempts: 0 };
    assert_eq!(harness.begin(), refused);
    // Without a deadline it waits.
    harness.engine.update(adaptive(1));
    queued(harness.begin());
}

#[test]
fn a_bulkhead_holds_beside_it() {
    let bulkhead = Some(BulkheadConfig { max_concurrent: 3, max_queued: 1 });
    let mut harness = Harness::new(PolicyConfig { bulkhead, ..adaptive(2) });
    let a = harness.attempt();
    harness.attempt();
    let (c, _) = queued(harness.begin());
    let Step::Queued { call: d, by: Layer::Bulkhead, .. } = harness.begin() else {
        panic!("no place in the queue")
    };
    assert!(matches!(harness.begin(), Step::Rejected { by: Layer::Bulkhead, .. }));
    harness.cancel(a);
    let next: Vec<_> = std::iter::from_fn(|| harness.next_ready()).collect();
    let begins = next.iter().any(|step| matches!(step, Step::Attempt { call, .. } if *call == c));
    let waits = Step::Queued { call: d, by: Layer::Adaptive, position: 1, due: None };
    assert!(begins && next.contains(&waits), "{next:?}");
}

#[test]
fn a_hedge_takes_a_slot_of_its_own() {
    let mut harness = Harness::new(adaptive(2));
    let a = harness.attempt();
    assert!(matches!(
        harness.input(|engine, ctx, now| engine.hedge(ctx, a, now)),
        Step::Attempt { attempt: 2, .. }
    ));
    let (b, _) = queued(harness.begin());
    assert_eq!(harness.input(|engine, ctx, now| engine.hedge(ctx, a, now)), Step::Done { attempts: 0 });
    harness.fail_as(a, Failure { attempt: Some(1), ..Failure::of(Code::Cancelled) });
    assert_eq!(harness.next_ready().map(call_of), Some(b));
    harness.succeed(a);
    harness.attempt();
}

#[test]
fn an_attempt_that_the_breaker_refuses_keeps_no_slot() {
    let mut config = adaptive(1);
    config.call.scope = BreakerScope::Attempt;
    let mut harness = Harness::new(config).with_breaker(BreakerConfig::default());
    harness.breaker.as_mut().unwrap().isolate(halfopen::time::Timestamp(0));
    assert!(matches!(harness.begin(), Step::Rejected { by: Layer::Breaker, .. }));
    harness.breaker.as_mut().unwrap().lift_isolation(halfopen::time::Timestamp(0));
    harness.attempt();
}

#[test]
fn an_update_takes_it_away_and_brings_it_back() {
    let mut harness = Harness::new(adaptive(1));
    let a = harness.attempt();
    let (b, _) = queued(harness.begin());
    harness.engine.update(PolicyConfig::default());
    assert_eq!(harness.engine.limit(), None);
    assert_eq!(harness.next_ready().map(call_of), Some(b));
    harness.attempt();
    harness.engine.update(adaptive(3));
    assert_eq!(harness.engine.limit(), Some(3));
    queued(harness.begin());
    harness.cancel(a);
    assert!(harness.next_ready().is_some());
    // A call from before the limit has no slot to give back.
    let mut late = Harness::new(PolicyConfig::default());
    let early = late.attempt();
    late.engine.update(adaptive(1));
    late.attempt();
    late.cancel(early);
    queued(late.begin());
}

#[test]
fn an_update_keeps_the_learned_limit_within_the_new_bounds() {
    let mut harness = Harness::new(adaptive(10));
    let calls: Vec<u32> = (0..10).map(|_| harness.attempt()).collect();
    harness.fail_as(calls[0], Failure::of(Code::Timeout));
    let bounds = |min, max| PolicyConfig {
        adaptive: Some(AdaptiveConfig { min, max, ..AdaptiveConfig::default() }),
        ..PolicyConfig::default()
    };
    harness.engine.update(bounds(1, 1000));
    assert_eq!(harness.engine.limit(), Some(7));
    harness.engine.update(bounds(8, 1000));
    assert_eq!(harness.engine.limit(), Some(8));
    harness.engine.update(bounds(1, 2));
    assert_eq!(harness.engine.limit(), Some(2));
}

#[test]
fn its_changes_are_recorded_once_a_second() {
    let mut harness = Harness::new(adaptive(10));
    harness.engine.observe(true);
    let calls: Vec<u32> = (0..10).map(|_| harness.attempt()).collect();
    harness.facts();
    harness.fail_as(calls[0], Failure::of(Code::Timeout));
    let changes = |harness: &mut Harness| -> Vec<LimitChange> {
        let of = |fact| if let Fact::LimitChanged(change) = fact { Some(change) } else { None };
        harness.facts().into_iter().filter_map(of).collect()
    };
    let change = LimitChange { limit: 7, because: Because::Overload, code: Some(Code::Timeout) };
    assert_eq!(changes(&mut harness), [change]);
    for &call in &calls[1..] {
        harness.cancel(call);
    }
    // Seven begin, and one of them fails within the second: it is reported with what ends next, once that is over.
    harness.now = 500;
    let calls: Vec<u32> = (0..7).map(|_| harness.attempt()).collect();
    harness.fail_as(calls[0], Failure::of(Code::ProviderOverloaded));
    assert_eq!(harness.engine.limit(), Some(4));
    assert_eq!(changes(&mut harness), []);
    harness.now = 1000;
    harness.succeed(calls[1]);
    let code = Some(Code::ProviderOverloaded);
    assert_eq!(changes(&mut harness), [LimitChange { limit: 4, because: Because::Overload, code }]);
}

/// Without a deadline and an observer no call needs the clock.
#[test]
fn it_reads_no_clock_of_its_own() {
    let harness = Harness::new(adaptive(10));
    assert!(!harness.engine.needs_time());
}
