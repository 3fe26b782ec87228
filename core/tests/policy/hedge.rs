//! Hedges: another attempt beside one that has not answered for a while.

use crate::harness::{Harness, WITH_BUDGET, why};
use halfopen::Code;
use halfopen::limit::Unit;
use halfopen::policy::{
    BreakerConfig, BreakerScope, BreakerState, BudgetConfig, BulkheadConfig, Fact, Failure, PolicyConfig,
    RateLimitConfig, Step, Trip, Why,
};
use halfopen::time::Millis;
use proptest::prelude::*;

const SKIPPED: Step = Step::Done { attempts: 0 };

fn consecutive(failures: u32) -> BreakerConfig {
    BreakerConfig { trip: Trip::Consecutive(failures), ..BreakerConfig::default() }
}

fn bulkhead(max_concurrent: u32, max_queued: u32) -> PolicyConfig {
    PolicyConfig { bulkhead: Some(BulkheadConfig { max_concurrent, max_queued }), ..PolicyConfig::default() }
}

fn number_of(step: Step) -> u32 {
    match step {
        Step::Attempt { attempt, .. } => attempt,
        step => panic!("no attempt: {step:?}"),
    }
}

impl Harness {
    fn hedge(&mut self, call: u32) -> Step {
        self.input(|engine, ctx, now| engine.hedge(ctx, call, now))
    }

    fn fail_beside(&mut self, call: u32, attempt: u32, code: Code) -> Step {
        self.fail_as(call, Failure { attempt: Some(attempt), ..Failure::of(code) })
    }
}

#[test]
fn the_first_success_wins_and_the_loser_counts_for_nothing() {
    let mut harness = Harness::calls(|call| call.scope = BreakerScope::Attempt).with_breaker(consecutive(1));
    harness.engine.observe(true);
    let call = harness.attempt();
    assert_eq!(number_of(harness.hedge(call)), 2);
    harness.fail_beside(call, 1, Code::Cancelled);
    assert_eq!(harness.succeed(call), Step::Done { attempts: 2 });
    assert_eq!(harness.state(), BreakerState::Closed);
    let facts = harness.facts();
    assert!(facts.contains(&Fact::AttemptStarted { attempt: 2, probe: false, generation: 1 }));
    assert!(matches!(
        facts[3..],
        [
            Fact::AttemptFailed { attempt: 1, code: Code::Cancelled, counted: false, .. },
            Fact::AttemptSucceeded { attempt: 2, .. },
            Fact::CallSucceeded { attempts: 2, .. },
        ]
    ));
}

#[test]
fn of_failures_the_last_goes_to_retry_and_a_hedge_is_no_retry() {
    let mut harness = Harness::calls(|call| call.retry.max_retries = 1);
    harness.engine.observe(true);
    let call = harness.attempt();
    harness.hedge(call);
    assert_eq!(harness.fail_beside(call, 1, Code::Timeout), SKIPPED);
    // One of one retry, though two attempts have failed: the third attempt.
    let Step::Wait { attempt: 3, plan, .. } = harness.fail(call) else { panic!("a retry") };
    assert!(plan.delay.max <= Millis(1200), "the first delay of the backoff: {plan:?}");
    harness.now = plan.due.0;
    assert_eq!(number_of(harness.resume(call)), 3);
    assert_eq!(number_of(harness.hedge(call)), 4);
    harness.fail_beside(call, 4, Code::Timeout);
    assert_eq!(why(harness.fail(call)), Why::Exhausted);
    let failed: Vec<u32> = harness
        .facts()
        .into_iter()
        .filter_map(|fact| match fact {
            Fact::AttemptFailed { attempt, .. } => Some(attempt),
            _ => None,
        })
        .collect();
    assert_eq!(failed, [1, 2, 4, 3]);
}

#[test]
fn with_the_scope_attempt_each_failure_counts_once() {
    let mut harness = Harness::calls(|call| {
        call.scope = BreakerScope::Attempt;
        call.retry.max_retries = 0;
    })
    .with_breaker(consecutive(3));
    let call = harness.attempt();
    harness.hedge(call);
    harness.hedge(call);
    harness.fail_beside(call, 2, Code::ServerError);
    harness.fail_beside(call, 1, Code::ServerError);
    assert_eq!(harness.state(), BreakerState::Closed);
    harness.fail(call);
    assert_eq!(harness.state(), BreakerState::Open);
}

#[test]
fn no_hedge_without_a_free_slot_and_each_releases_its_own() {
    let mut harness = Harness::new(bulkhead(2, 1));
    let first = harness.attempt();
    assert_eq!(number_of(harness.hedge(first)), 2);
    assert_eq!(harness.hedge(first), SKIPPED);
    // Both slots are taken by one call.
    let Step::Queued { call: second, .. } = harness.begin() else { panic!("queued") };
    harness.fail_beside(first, 1, Code::Cancelled);
    assert!(matches!(harness.next_ready(), Some(Step::Attempt { call, .. }) if call == second));
    assert_eq!(harness.hedge(second), SKIPPED);
    harness.succeed(first);
    assert_eq!(number_of(harness.hedge(second)), 2);
    // A call that ends with several attempts on their way gives all their slots back.
    harness.cancel(second);
    let (third, fourth) = (harness.attempt(), harness.attempt());
    assert_ne!(third, fourth);
}

#[test]
fn no_hedge_without_a_turn_under_the_rate_limit() {
    let limit = RateLimitConfig { limit: 2, window: Millis(1000), max_wait: Millis(0), unit: Unit::Requests };
    let mut harness = Harness::new(PolicyConfig { rate_limits: vec![limit], ..PolicyConfig::default() });
    let call = harness.attempt();
    assert_eq!(number_of(harness.hedge(call)), 2);
    assert_eq!(harness.hedge(call), SKIPPED);
    harness.now = 1000;
    assert_eq!(number_of(harness.hedge(call)), 3);
}

#[test]
fn each_is_taken_from_the_budget_where_there_is_one() {
    let mut harness = Harness::calls(|call| call.shared = WITH_BUDGET).with_budget(BudgetConfig::new(
        0.0,
        0.1,
        Millis(10_000),
    ));
    let call = harness.attempt();
    assert_eq!(number_of(harness.hedge(call)), 2);
    assert_eq!(harness.hedge(call), SKIPPED);
}

#[test]
fn no_hedge_for_a_probe_nor_under_an_open_breaker() {
    for scope in BreakerScope::ALL {
        let mut harness = Harness::calls(|call| {
            call.scope = scope;
            call.retry.max_retries = 0;
        })
        .with_breaker(consecutive(1));
        let (running, failing) = (harness.attempt(), harness.attempt());
        harness.fail(failing);
        assert_eq!(harness.hedge(running), SKIPPED, "open");
        harness.now = 60_000;
        let probe = harness.attempt();
        assert_eq!(harness.hedge(probe), SKIPPED, "a probe");
        assert_eq!(harness.hedge(running), SKIPPED, "half-open");
    }
}

#[test]
fn no_hedge_without_a_running_attempt_nor_at_the_deadline() {
    let mut harness = Harness::calls(|call| call.total = Some(Millis(500)));
    let late = harness.attempt();
    harness.now = 500;
    assert_eq!(harness.hedge(late), SKIPPED);
    let mut harness = Harness::calls(|_| {});
    let waiting = harness.attempt();
    harness.fail(waiting);
    assert_eq!(harness.hedge(waiting), SKIPPED);
    assert_eq!(harness.hedge(7777), SKIPPED);
    let over = harness.attempt();
    harness.succeed(over);
    assert_eq!(harness.hedge(over), SKIPPED);
}

#[test]
fn of_three_attempts_the_one_that_is_left_has_its_own_number() {
    for (losers, winner) in [([1, 2], 3), ([3, 1], 2), ([2, 3], 1)] {
        let mut harness = Harness::calls(|_| {});
        harness.engine.observe(true);
        let call = harness.attempt();
        assert_eq!([number_of(harness.hedge(call)), number_of(harness.hedge(call))], [2, 3]);
        losers.map(|loser| harness.fail_beside(call, loser, Code::Cancelled));
        assert_eq!(harness.succeed(call), Step::Done { attempts: 3 });
        let succeeded = Fact::AttemptSucceeded { attempt: winner, duration: None };
        assert!(harness.facts().contains(&succeeded));
    }
}

proptest! {
    /// In any history of hedges, failures, successes and cancellations, no slot is lost or released twice.
    #[test]
    fn slots_are_given_back_once(
        scope in prop::sample::select(BreakerScope::ALL.to_vec()), inputs in prop::collection::vec((0_u8..6, 0_usize..4, 0_usize..4), 1..60),
    ) {
        let mut config = bulkhead(4, 0);
        config.call.scope = scope;
        let mut harness = Harness::new(config).with_breaker(consecutive(1000));
        let mut calls: Vec<(u32, Vec<u32>)> = Vec::new();
        for (input, which, attempt) in inputs {
            let running: usize = calls.iter().map(|(_, attempts)| attempts.len()).sum();
            if input == 0 || calls.is_empty() {
                match harness.begin() {
                    Step::Attempt { call, attempt, .. } => {
                        prop_assert!(running < 4);
                        calls.push((call, vec![attempt]));
                    }
                    _ => prop_assert_eq!(running, 4),
                }
                continue;
            }
            let index = which % calls.len();
            let (call, attempts) = calls[index].clone();
            match input {
                1 | 2 => match harness.hedge(call) {
                    Step::Attempt { attempt, .. } => {
                        prop_assert!(running < 4);
                        calls[index].1.push(attempt);
                    }
                    _ => prop_assert_eq!(running, 4),
                },
                3 if attempts.len() > 1 => {
                    let gone = calls[index].1.remove(attempt % attempts.len());
                    harness.fail_beside(call, gone, Code::ServerError);
                }
                4 => {
                    harness.cancel(call);
                    calls.remove(index);
                }
                _ => {
                    for loser in &attempts[1..] {
                        harness.fail_beside(call, *loser, Code::Cancelled);
                    }
                    harness.succeed(call);
                    calls.remove(index);
                }
            }
        }
        for (call, _) in calls {
            harness.cancel(call);
        }
        for _ in 0..4 {
            harness.attempt();
        }
    }
}
