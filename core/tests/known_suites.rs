//! Behaviours that the test suites of well-known breakers and retry libraries pin, in words of our own.
//!
//! Each test says where it comes from: sony/gobreaker (Go), resilience4j (Java), Polly (.NET), cockatiel and
//! opossum (TypeScript). Where Halfopen means to differ, the test says that too.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use halfopen::Code;
use halfopen::limit::Unit;
use halfopen::policy::{
    Backoff, Breaker, BreakerConfig, BreakerState, BulkheadConfig, CallConfig, Context, Engine, Factor,
    Failure, Jitter, Outcome, PolicyConfig, Rate, RateLimitConfig, Rates, RetryConfig, Ring, SlowCalls, Step,
    Trip, Why,
};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};

const NOW: Timestamp = Timestamp(0);
const MINUTE: Timestamp = Timestamp(60_000);

fn breaker(trip: Trip) -> Breaker {
    Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() })
}

fn rates(failure: f64, minimum_calls: u32) -> Rates {
    Rates { failure: Rate::from_f64(failure), minimum_calls, slow: None }
}

fn feed(breaker: &mut Breaker, outcomes: &[Outcome], now: Timestamp) {
    for &outcome in outcomes {
        let permit = breaker.admit(now).expect("admitted");
        breaker.settle(permit, outcome, None, now);
    }
}

use Outcome::{Failure as Bad, Success as Good};

// ─────────────────────────────────────────────────────────────── sony/gobreaker

#[test]
fn gobreaker_default_opens_on_consecutive_failures_and_success_clears_the_row() {
    let mut breaker = breaker(Trip::Consecutive(6));
    feed(&mut breaker, &[Bad; 5], NOW);
    feed(&mut breaker, &[Good], NOW);
    feed(&mut breaker, &[Bad; 5], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    feed(&mut breaker, &[Bad], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn gobreaker_open_until_the_very_end_of_its_timeout() {
    let mut breaker = breaker(Trip::Consecutive(1));
    feed(&mut breaker, &[Bad], NOW);
    assert_eq!(breaker.state(Timestamp(59_999)), BreakerState::Open);
    assert_eq!(breaker.state(MINUTE), BreakerState::HalfOpen);
}

#[test]
fn gobreaker_half_open_refuses_more_than_max_requests() {
    let config = BreakerConfig {
        trip: Trip::Consecutive(1),
        half_open_max_calls: 3,
        success_threshold: 3,
        ..BreakerConfig::default()
    };
    let mut breaker = Breaker::new(config);
    feed(&mut breaker, &[Bad], NOW);
    let probes = [0; 3].map(|_| breaker.admit(MINUTE).unwrap());
    assert!(breaker.admit(MINUTE).is_err());
    for probe in probes {
        assert_eq!(breaker.state(MINUTE), BreakerState::HalfOpen);
        breaker.settle(probe, Good, None, MINUTE);
    }
    assert_eq!(breaker.state(MINUTE), BreakerState::Closed);
}

#[test]
fn gobreaker_generation_a_result_from_before_the_change_is_ignored() {
    let mut breaker = breaker(Trip::Consecutive(1));
    let before = breaker.admit(NOW).unwrap();
    feed(&mut breaker, &[Bad], NOW);
    let probe = breaker.admit(MINUTE).unwrap();
    breaker.settle(before, Bad, None, MINUTE);
    assert_eq!(breaker.state(MINUTE), BreakerState::HalfOpen);
    breaker.settle(probe, Good, None, MINUTE);
    assert_eq!(breaker.state(MINUTE), BreakerState::Closed);
}

#[test]
fn gobreaker_two_step_the_done_function_is_the_permit() {
    let mut breaker = breaker(Trip::Consecutive(2));
    let permits = [0; 2].map(|_| breaker.admit(NOW).unwrap());
    for permit in permits {
        breaker.settle(permit, Bad, None, NOW);
    }
    assert_eq!(breaker.state(NOW), BreakerState::Open);
    assert!(breaker.admit(NOW).is_err());
}

// ──────────────────────────────────────────────────────────────── resilience4j

#[test]
fn resilience4j_no_rate_before_the_minimum_number_of_calls() {
    let mut breaker = breaker(Trip::Count { size: 100, rates: rates(0.5, 10) });
    feed(&mut breaker, &[Bad; 9], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    feed(&mut breaker, &[Good], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn resilience4j_a_ring_of_results_evicts_the_oldest() {
    let mut breaker = breaker(Trip::Count { size: 5, rates: rates(0.6, 5) });
    feed(&mut breaker, &[Bad, Bad, Good, Good, Good, Good, Bad, Bad], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    feed(&mut breaker, &[Bad], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn resilience4j_a_rate_equal_to_the_threshold_opens() {
    let mut breaker = breaker(Trip::Count { size: 4, rates: rates(0.5, 4) });
    feed(&mut breaker, &[Good, Good, Bad, Bad], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn resilience4j_slow_calls_open_it_though_they_succeed() {
    let slow = Some(SlowCalls { duration: Millis(2000), rate: Rate::from_f64(0.5) });
    let mut breaker =
        breaker(Trip::Time { duration: Millis(10_000), rates: Rates { slow, ..rates(1.0, 4) } });
    for took in [100, 2000, 100, 3000] {
        let permit = breaker.admit(NOW).unwrap();
        breaker.settle(permit, Good, Some(Millis(took)), NOW);
    }
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn resilience4j_a_time_based_window_forgets_by_the_clock() {
    let mut breaker = breaker(Trip::Time { duration: Millis(5000), rates: rates(0.5, 3) });
    feed(&mut breaker, &[Bad, Bad], NOW);
    feed(&mut breaker, &[Good, Bad], Timestamp(5000));
    assert_eq!(breaker.state(Timestamp(5000)), BreakerState::Closed);
    feed(&mut breaker, &[Bad], Timestamp(5001));
    assert_eq!(breaker.state(Timestamp(5001)), BreakerState::Open);
}

#[test]
fn resilience4j_disabled_admits_and_forced_open_refuses_whatever_happens() {
    let mut breaker = breaker(Trip::Consecutive(1));
    breaker.disable(NOW);
    feed(&mut breaker, &[Bad; 100], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Disabled);
    breaker.reset(NOW);
    breaker.isolate(NOW);
    assert!(breaker.admit(Timestamp(u64::MAX)).is_err());
}

#[test]
fn resilience4j_released_permission_is_free_again() {
    let mut breaker = breaker(Trip::Consecutive(1));
    feed(&mut breaker, &[Bad], NOW);
    let probe = breaker.admit(MINUTE).unwrap();
    assert!(breaker.admit(MINUTE).is_err());
    breaker.settle(probe, Outcome::Neutral, None, MINUTE);
    assert!(breaker.admit(MINUTE).is_ok());
}

#[test]
fn resilience4j_bulkhead_refuses_when_full_and_admits_after_a_completion() {
    let bulkhead = Some(BulkheadConfig { max_concurrent: 2, max_queued: 0 });
    let mut policy = Policy::new(PolicyConfig { bulkhead, ..PolicyConfig::default() });
    let (first, _second) = (policy.attempt(), policy.attempt());
    assert!(matches!(policy.begin(), Step::Rejected { .. }));
    policy.succeed(first);
    policy.attempt();
}

#[test]
fn resilience4j_rate_limiter_grants_the_limit_in_each_period() {
    let limit =
        RateLimitConfig { limit: 3, window: Millis(500), max_wait: Millis::ZERO, unit: Unit::Requests };
    let mut policy = Policy::new(PolicyConfig { rate_limits: vec![limit], ..PolicyConfig::default() });
    let granted =
        |policy: &mut Policy| (0..5).filter(|_| matches!(policy.begin(), Step::Attempt { .. })).count();
    assert_eq!(granted(&mut policy), 3);
    policy.now = 499;
    assert_eq!(granted(&mut policy), 0);
    policy.now = 500;
    assert_eq!(granted(&mut policy), 3);
}

// ─────────────────────────────────────────────────────────────────────── Polly

#[test]
fn polly_isolate_refuses_until_closed_by_hand_and_time_does_not_help() {
    let mut breaker = breaker(Trip::Consecutive(1));
    breaker.isolate(NOW);
    assert_eq!(breaker.state(Timestamp(10_000_000)), BreakerState::Isolated);
    assert!(breaker.admit(Timestamp(10_000_000)).is_err());
    breaker.lift_isolation(Timestamp(10_000_000));
    assert!(breaker.admit(Timestamp(10_000_000)).is_ok());
}

#[test]
fn polly_half_open_failure_breaks_for_the_whole_duration_again() {
    let mut breaker = breaker(Trip::Consecutive(1));
    feed(&mut breaker, &[Bad], NOW);
    feed(&mut breaker, &[Bad], Timestamp(70_000));
    assert_eq!(breaker.retry_after(Timestamp(70_000)), Some(Millis(60_000)));
}

#[test]
fn polly_an_unhandled_exception_neither_breaks_nor_counts() {
    let mut breaker = breaker(Trip::Consecutive(2));
    feed(&mut breaker, &[Bad, Outcome::Neutral, Outcome::Neutral], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    feed(&mut breaker, &[Bad], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn polly_retry_count_is_beyond_the_first_call() {
    let mut policy = Policy::new(retries(RetryConfig { max_retries: 2, ..RetryConfig::default() }));
    assert_eq!(policy.exhaust(Failure::of(Code::ServerError)), (3, Why::Exhausted));
}

#[test]
fn polly_an_error_that_is_not_handled_is_not_retried() {
    let mut policy = Policy::new(PolicyConfig::default());
    assert_eq!(policy.exhaust(Failure::of(Code::ValidationError)), (1, Why::NotRetryable));
}

#[test]
fn polly_decorrelated_jitter_spreads_and_respects_the_cap() {
    let backoff = Backoff { jitter: Jitter::Decorrelated, ..Backoff::default() };
    let mut rng = SplitMix64::new(11);
    let mut previous = Millis::ZERO;
    let delays: Vec<u64> = (1..=1000)
        .map(|retry| {
            previous = backoff.delay(retry, previous, &mut rng).delay;
            previous.0
        })
        .collect();
    assert!(delays.iter().all(|delay| (1000..=10_000).contains(delay)));
    let mut distinct = delays;
    distinct.sort_unstable();
    distinct.dedup();
    assert!(distinct.len() > 300, "{}", distinct.len());
}

// ─────────────────────────────────────────────────────────────────── cockatiel

#[test]
fn cockatiel_sampling_breaker_needs_its_minimum_and_its_share() {
    let mut breaker = breaker(Trip::Time { duration: Millis(1000), rates: rates(0.5, 5) });
    feed(&mut breaker, &[Good, Good, Good, Bad, Bad], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    feed(&mut breaker, &[Bad], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn cockatiel_isolation_handles_are_counted() {
    let mut breaker = breaker(Trip::Consecutive(1));
    breaker.isolate(NOW);
    breaker.isolate(NOW);
    breaker.lift_isolation(NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Isolated);
    breaker.lift_isolation(NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
}

#[test]
fn cockatiel_state_can_be_carried_to_another_breaker() {
    let mut first = breaker(Trip::Consecutive(1));
    feed(&mut first, &[Bad], NOW);
    let snapshot = first.snapshot("a", Timestamp(20_000), Millis(5));
    let mut second = breaker(Trip::Consecutive(1));
    second.restore(&snapshot, NOW, Millis(5)).unwrap();
    assert_eq!(second.retry_after(NOW), Some(Millis(40_000)));
}

#[test]
fn cockatiel_half_open_backoff_grows_with_each_failed_probe() {
    let config = BreakerConfig {
        trip: Trip::Consecutive(1),
        reset_timeout: Millis(1000),
        reset_backoff: Factor::TWO,
        max_reset_timeout: Millis(10_000),
        ..BreakerConfig::default()
    };
    let mut breaker = Breaker::new(config);
    feed(&mut breaker, &[Bad], NOW);
    feed(&mut breaker, &[Bad], Timestamp(1000));
    assert_eq!(breaker.state(Timestamp(2999)), BreakerState::Open);
    assert_eq!(breaker.state(Timestamp(3000)), BreakerState::HalfOpen);
}

#[test]
fn cockatiel_bulkhead_queues_in_order_and_overflows() {
    let bulkhead = Some(BulkheadConfig { max_concurrent: 1, max_queued: 2 });
    let mut policy = Policy::new(PolicyConfig { bulkhead, ..PolicyConfig::default() });
    let running = policy.attempt();
    let queued: Vec<u32> = (0..2)
        .map(|_| match policy.begin() {
            Step::Queued { call, .. } => call,
            step => panic!("{step:?}"),
        })
        .collect();
    assert!(matches!(policy.begin(), Step::Rejected { .. }));
    policy.succeed(running);
    assert_eq!(policy.engine.next_ready(Some(NOW)), Some(queued[0]));
}

#[test]
fn cockatiel_exponential_backoff_is_capped() {
    let backoff =
        Backoff { base: Millis(128), cap: Millis(30_000), factor: Factor::TWO, jitter: Jitter::None };
    let delays: Vec<u64> = (1..=10).map(|retry| backoff.unjittered(retry).0).collect();
    assert_eq!(delays, [128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 30_000, 30_000]);
}

// ───────────────────────────────────────────────────────────────────── opossum

#[test]
fn opossum_volume_threshold_holds_it_closed() {
    let mut breaker = breaker(Trip::Time { duration: Millis(10_000), rates: rates(0.01, 3) });
    feed(&mut breaker, &[Bad, Bad], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    feed(&mut breaker, &[Bad], NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn opossum_one_call_at_a_time_while_half_open() {
    let mut breaker = breaker(Trip::Consecutive(1));
    feed(&mut breaker, &[Bad], NOW);
    let _probe = breaker.admit(MINUTE).unwrap();
    assert!((0..10).all(|_| breaker.admit(MINUTE).is_err()));
}

#[test]
fn opossum_an_error_filter_keeps_errors_from_counting() {
    let mut policy = Policy::new(retries(RetryConfig { max_retries: 0, ..RetryConfig::default() }));
    policy.breaker = Some(breaker(Trip::Consecutive(1)));
    policy.exhaust(Failure { counts: false, ..Failure::of(Code::ServerError) });
    policy.attempt();
}

#[test]
fn opossum_a_restored_closed_breaker_keeps_counting() {
    let mut first = breaker(Trip::Consecutive(3));
    feed(&mut first, &[Bad, Bad], NOW);
    let snapshot = first.snapshot("a", NOW, Millis(0));
    let mut second = breaker(Trip::Consecutive(3));
    second.restore(&snapshot, NOW, Millis(0)).unwrap();
    feed(&mut second, &[Bad], NOW);
    assert_eq!(second.state(NOW), BreakerState::Open);
}

// ───────────────────────────────────────────────────────────────── the driver

fn retries(retry: RetryConfig) -> PolicyConfig {
    PolicyConfig { call: CallConfig { retry, ..CallConfig::default() }, ..PolicyConfig::default() }
}

struct Policy {
    engine: Engine,
    breaker: Option<Breaker>,
    events: Ring,
    now: u64,
}

impl Policy {
    fn new(config: PolicyConfig) -> Self {
        Self { engine: Engine::new(config, 1), breaker: None, events: Ring::new(), now: 0 }
    }

    fn input(
        &mut self,
        input: impl FnOnce(&mut Engine, &mut Context<'_>, Option<Timestamp>) -> Step,
    ) -> Step {
        let (breaker, events) = (self.breaker.as_mut(), &mut self.events);
        let mut ctx = Context { breaker, budget: None, events, policy_id: 1, breaker_id: 1 };
        input(&mut self.engine, &mut ctx, Some(Timestamp(self.now)))
    }

    fn begin(&mut self) -> Step {
        self.input(|engine, ctx, now| engine.begin(ctx, now))
    }

    fn attempt(&mut self) -> u32 {
        match self.begin() {
            Step::Attempt { call, .. } => call,
            step => panic!("not admitted: {step:?}"),
        }
    }

    fn succeed(&mut self, call: u32) {
        let step = self.input(|engine, ctx, now| engine.succeed(ctx, call, now, None));
        assert!(matches!(step, Step::Done { attempts: 1.. }));
    }

    fn exhaust(&mut self, failure: Failure) -> (u32, Why) {
        let mut step = self.begin();
        loop {
            step = match step {
                Step::Attempt { call, .. } => {
                    self.input(|engine, ctx, now| engine.fail(ctx, call, now, &failure))
                }
                Step::Wait { call, plan, .. } => {
                    self.now = plan.due.0;
                    self.input(|engine, ctx, now| engine.resume(ctx, call, now))
                }
                Step::GiveUp { why, attempts, .. } => return (attempts, why),
                step => panic!("unexpected {step:?}"),
            };
        }
    }
}
