//! Retries: how often, how long, and what ends them.

use crate::harness::{Harness, WITH_BUDGET, call_of, hinted, wait_of, why};
use halfopen::Code;
use halfopen::policy::{
    Backoff, BudgetConfig, CallConfig, DelaySource, Failure, Jitter, OwnDelay, Preset, RetryConfig, RetryOn,
    Step, Verdict, Why,
};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};

fn plain() -> Harness {
    Harness::calls(|call| call.retry.backoff.jitter = Jitter::None)
}

#[test]
fn three_retries_wait_one_two_and_four_seconds() {
    let (delays, why) = plain().exhaust(Failure::of(Code::ServerError));
    assert_eq!((delays, why), (vec![1000, 2000, 4000], Why::Exhausted));
}

#[test]
fn a_seed_fixes_every_delay_and_calls_do_not_depend_on_each_other() {
    let run = || Harness::calls(|_| {}).exhaust(Failure::of(Code::ServerError)).0;
    assert_eq!(run(), run());
    // The second call draws the same, whether or not the first has drawn before it.
    let alone = {
        let mut harness = Harness::calls(|_| {});
        let first = harness.attempt();
        let second = harness.attempt();
        harness.succeed(first);
        wait_of(harness.fail(second)).1
    };
    let mut harness = Harness::calls(|_| {});
    let first = harness.attempt();
    harness.fail(first);
    let second = harness.attempt();
    assert_eq!(wait_of(harness.fail(second)).1, alone);
}

#[test]
fn decorrelated_jitter_goes_on_from_the_delay_before() {
    let backoff = Backoff { jitter: Jitter::Decorrelated, ..Backoff::default() };
    let mut rng = SplitMix64::for_call(7, 1);
    let mut previous = Millis::ZERO;
    let expected: Vec<u64> = (1..=3)
        .map(|retry| {
            previous = backoff.delay(retry, previous, &mut rng).delay;
            previous.0
        })
        .collect();
    let mut harness = Harness::calls(|call| call.retry.backoff = backoff);
    assert_eq!(harness.exhaust(Failure::of(Code::ServerError)).0, expected);
}

#[test]
fn the_presets_are_those_of_the_documentation() {
    let delays = |preset: Preset| {
        let mut retry = preset.retry();
        retry.backoff.jitter = Jitter::None;
        retry.max_retries = 6;
        Harness::calls(|call| call.retry = retry).exhaust(Failure::of(Code::ServerError)).0
    };
    assert_eq!(delays(Preset::Agent), [1000, 2000, 4000, 8000, 10_000, 10_000]);
    assert_eq!(delays(Preset::Capability), [1000, 1500, 2250, 3375, 5063, 7594]);
    assert_eq!(delays(Preset::Service), [1000, 2000, 4000, 8000, 16_000, 30_000]);
    assert_eq!(Preset::Capability.retry().backoff.jitter, Jitter::None);
    assert!(!Preset::Service.retry().retry_on.allows(Code::ValidationError, true));
    assert!(Preset::Service.retry().retry_on.allows(Code::Timeout, true));
}

#[test]
fn a_hint_beats_the_backoff_exactly() {
    let mut harness = plain();
    let call = harness.attempt();
    let step = harness.fail_as(call, hinted(30_500));
    assert!(matches!(step, Step::Wait { plan, .. } if plan.source == DelaySource::RetryAfter));
    assert_eq!(wait_of(step).1, 30_500);
}

#[test]
fn a_hint_of_zero_retries_at_once() {
    let mut harness = plain();
    let call = harness.attempt();
    assert_eq!(wait_of(harness.fail_as(call, hinted(0))).1, 0);
}

#[test]
fn a_hint_beyond_the_maximum_ends_the_call_at_once() {
    let mut harness = plain();
    let call = harness.attempt();
    assert_eq!(wait_of(harness.fail_as(call, hinted(60_000))).1, 60_000);
    let call = harness.attempt();
    let step = harness.fail_as(call, hinted(60_001));
    assert_eq!(step, Step::GiveUp { why: Why::Hint, attempts: 1, hint: Some(Millis(60_001)) });
}

#[test]
fn a_wait_that_cannot_end_before_the_deadline_is_not_begun() {
    let mut harness = Harness::calls(|call| {
        call.retry.backoff.jitter = Jitter::None;
        call.total = Some(Millis(3000));
    });
    let call = harness.attempt();
    let (call, delay) = wait_of(harness.fail(call));
    assert_eq!(delay, 1000);
    harness.now = 1000;
    assert!(matches!(harness.resume(call), Step::Attempt { attempt: 2, .. }));
    // 1000 + 2000 is the deadline itself: too late.
    assert_eq!(why(harness.fail(call)), Why::Deadline);
}

#[test]
fn a_hint_beyond_the_deadline_ends_the_call_at_once() {
    let mut harness = Harness::calls(|call| call.total = Some(Millis(10_000)));
    let call = harness.attempt();
    assert_eq!(why(harness.fail_as(call, hinted(10_000))), Why::Deadline);
}

#[test]
fn an_attempt_cut_off_by_the_deadline_ends_the_call_for_that() {
    let mut harness = Harness::calls(|call| {
        call.total = Some(Millis(500));
        call.retry.max_retries = 0;
    });
    let call = harness.attempt();
    harness.now = 500;
    assert_eq!(why(harness.fail_as(call, Failure::of(Code::Timeout))), Why::Deadline);
}

#[test]
fn a_timer_that_fires_early_does_not_begin_early() {
    let mut harness = plain();
    let call = harness.attempt();
    let (call, _) = wait_of(harness.fail(call));
    harness.now = 990;
    harness.resume(call);
    // The time is taken to be 1000: the next wait counts from there.
    assert!(matches!(harness.fail(call), Step::Wait { plan, .. } if plan.due == Timestamp(3000)));
}

#[test]
fn an_error_that_is_not_retryable_ends_the_call() {
    let mut harness = plain();
    let call = harness.attempt();
    assert_eq!(why(harness.fail_as(call, Failure::of(Code::AuthenticationError))), Why::NotRetryable);
}

#[test]
fn a_list_is_complete_and_a_code_on_it_outranks_the_classification() {
    let list = RetryOn::from_names(["network", "NOT_FOUND"]).unwrap();
    assert!(list.allows(Code::NetworkError, true));
    assert!(!list.allows(Code::NetworkError, false));
    assert!(list.allows(Code::NotFound, false));
    assert!(!list.allows(Code::RateLimited, true));
    assert_eq!(RetryOn::from_names(["network", "nonsense"]), Err("nonsense"));
    // No code of theirs is retryable: the list would silently retry nothing.
    for pointless in ["unknown", "validation"] {
        assert_eq!(RetryOn::from_names(["network", pointless]), Err(pointless));
    }
}

#[test]
fn the_applications_word_outranks_the_list_but_not_idempotence_or_nesting() {
    let judged = |failure: Failure| {
        let mut harness = plain();
        let call = harness.attempt();
        harness.fail_as(call, failure)
    };
    let forced = Failure { verdict: Verdict::Retry, ..Failure::of(Code::NotFound) };
    assert!(matches!(judged(forced), Step::Wait { .. }));
    let stopped = Failure { verdict: Verdict::Stop, ..Failure::of(Code::Timeout) };
    assert_eq!(why(judged(stopped)), Why::NotRetryable);
    let sent =
        Failure { verdict: Verdict::Retry, sent_and_not_idempotent: true, ..Failure::of(Code::Timeout) };
    assert_eq!(why(judged(sent)), Why::NotRetryable);
    let nested = Failure { verdict: Verdict::Retry, nested: true, ..Failure::of(Code::Timeout) };
    assert_eq!(why(judged(nested)), Why::Nested);
}

#[test]
fn errors_that_another_policy_gave_up_on_are_retried_only_on_request() {
    let nested = Failure { nested: true, ..Failure::of(Code::ServerError) };
    assert_eq!(plain().exhaust(nested), (vec![], Why::Nested));
    let mut told = Harness::calls(|call| {
        call.retry = RetryConfig {
            retry_nested: true,
            backoff: Backoff { jitter: Jitter::None, ..Backoff::default() },
            ..RetryConfig::default()
        };
    });
    assert_eq!(told.exhaust(nested).0.len(), 3);
}

#[test]
fn where_something_else_stands_by_a_long_wait_and_a_timeout_end_the_call() {
    let switching = || {
        Harness::calls(|call| {
            call.retry.backoff.jitter = Jitter::None;
            call.retry.switch_after = Some(Millis(2000));
        })
    };
    assert_eq!(switching().exhaust(Failure::of(Code::ServerError)), (vec![1000, 2000], Why::Exhausted));
    assert_eq!(switching().exhaust(Failure::of(Code::Timeout)), (vec![], Why::Exhausted));
    let forced = Failure { verdict: Verdict::Retry, ..Failure::of(Code::Timeout) };
    assert_eq!(switching().exhaust(forced), (vec![], Why::Exhausted));
    let own = |ms| Failure { own_delay: OwnDelay::Given(Millis(ms)), ..Failure::of(Code::ServerError) };
    for (ms, waits) in [(2000, true), (2001, false)] {
        for failure in [own(ms), hinted(ms)] {
            let mut harness = switching();
            let call = harness.attempt();
            assert_eq!(matches!(harness.fail_as(call, failure), Step::Wait { .. }), waits, "{failure:?}");
        }
    }
    let mut harness = switching();
    let call = harness.attempt();
    assert_eq!(why(harness.fail_as(call, hinted(2001))), Why::Hint);
}

#[test]
fn a_cancelled_call_is_over_in_every_state() {
    let mut harness = plain();
    let running = harness.attempt();
    assert_eq!(why(harness.cancel(running)), Why::Cancelled);
    let waiting = harness.attempt();
    harness.fail(waiting);
    assert_eq!(why(harness.cancel(waiting)), Why::Cancelled);
    assert_eq!(harness.engine.in_flight(), 0);
    // Later inputs have no effect.
    assert_eq!(harness.resume(waiting), Step::Done { attempts: 0 });
    assert_eq!(harness.succeed(running), Step::Done { attempts: 0 });
}

#[test]
fn a_broken_stream_is_not_begun_again_behind_the_readers_back() {
    let broken = Failure { broken_stream: true, ..Failure::of(Code::NetworkError) };
    assert_eq!(plain().exhaust(broken), (vec![], Why::BrokenStream));
}

#[test]
fn a_budget_ends_a_call_whose_retry_it_refuses() {
    let mut harness = Harness::calls(|call| call.shared = WITH_BUDGET).with_budget(BudgetConfig::new(
        0.1,
        0.0,
        Millis(10_000),
    ));
    let mut retries = 0;
    for _ in 0..100 {
        let call = harness.attempt();
        match harness.fail(call) {
            Step::Wait { call, budget_left, .. } => {
                retries += 1;
                assert_eq!(budget_left, Some(0));
                harness.cancel(call);
            }
            step => assert_eq!(why(step), Why::Budget),
        }
    }
    assert_eq!(retries, 10);
}

#[test]
fn a_hint_that_ends_the_call_takes_nothing_from_the_budget() {
    let mut harness = Harness::calls(|call| call.shared = WITH_BUDGET).with_budget(BudgetConfig::new(
        0.0,
        0.1,
        Millis(10_000),
    ));
    let call = harness.attempt();
    assert_eq!(why(harness.fail_as(call, hinted(100_000))), Why::Hint);
    assert_eq!(harness.budget.as_mut().unwrap().available(Timestamp(0)), 1);
}

#[test]
fn calls_on_their_way_end_under_the_settings_they_began_with() {
    let mut harness = plain();
    let old = harness.attempt();
    let mut none = halfopen::policy::PolicyConfig::default();
    none.call.retry.max_retries = 0;
    harness.engine.update(none);
    let new = harness.attempt();
    assert_eq!(why(harness.fail(new)), Why::Exhausted);
    assert!(matches!(harness.fail(old), Step::Wait { .. }));
}

#[test]
fn a_calls_own_settings_are_its_own() {
    let mut harness = plain();
    let own = CallConfig {
        retry: RetryConfig { max_retries: 0, ..RetryConfig::default() },
        ..CallConfig::default()
    };
    let call = call_of(harness.begin_with(own));
    assert_eq!(why(harness.fail(call)), Why::Exhausted);
    let call = harness.attempt();
    assert!(matches!(harness.fail(call), Step::Wait { .. }));
}

#[test]
fn a_call_that_needs_no_clock_does_not_ask_for_it() {
    let mut engine = halfopen::policy::Engine::new(halfopen::policy::PolicyConfig::default(), 1);
    let mut breaker = halfopen::policy::Breaker::new(halfopen::policy::BreakerConfig::default());
    let mut events = halfopen::policy::Ring::new();
    let mut ctx = halfopen::policy::Context {
        breaker: Some(&mut breaker),
        budget: None,
        events: &mut events,
        policy_id: 1,
        breaker_id: 1,
    };
    let call = call_of(engine.begin(&mut ctx, None));
    assert_eq!(engine.succeed(&mut ctx, call, None, None), Step::Done { attempts: 1 });
    let call = call_of(engine.begin(&mut ctx, None));
    let failure = Failure::of(Code::Timeout);
    assert_eq!(engine.fail(&mut ctx, call, None, &failure), Step::NeedTime);
    assert!(matches!(engine.fail(&mut ctx, call, Some(Timestamp(5)), &failure), Step::Wait { .. }));
}

#[test]
fn time_that_runs_backwards_stands_still() {
    let mut harness = plain();
    harness.now = 5000;
    let call = harness.attempt();
    harness.now = 10;
    assert!(matches!(harness.fail(call), Step::Wait { plan, .. } if plan.due == Timestamp(6000)));
}

#[test]
fn the_applications_delay_is_asked_for_only_where_a_retry_may_follow() {
    let mut harness = Harness::calls(|call| call.retry.max_retries = 2);
    let wanted = |code| Failure { own_delay: OwnDelay::Wanted, ..Failure::of(code) };
    let given = |ms| Failure { own_delay: OwnDelay::Given(Millis(ms)), ..Failure::of(Code::ServerError) };
    let call = harness.attempt();
    assert_eq!(
        harness.fail_as(call, wanted(Code::ServerError)),
        Step::NeedDelay { retry: 1, previous: None }
    );
    assert_eq!(wait_of(harness.fail_as(call, given(250))), (call, 250));
    harness.now = 250;
    harness.resume(call);
    // The provider's word comes before it.
    let hinted = Failure { own_delay: OwnDelay::Wanted, ..hinted(70) };
    assert_eq!(wait_of(harness.fail_as(call, hinted)), (call, 70));
    harness.now = 320;
    harness.resume(call);
    assert_eq!(why(harness.fail_as(call, wanted(Code::ServerError))), Why::Exhausted);
    let fatal = harness.attempt();
    assert_eq!(why(harness.fail_as(fatal, wanted(Code::AuthenticationError))), Why::NotRetryable);
}

#[test]
fn the_applications_delay_is_capped_has_no_jitter_and_is_the_next_ones_previous() {
    let mut harness = Harness::calls(|_| {});
    let given = |ms| Failure { own_delay: OwnDelay::Given(Millis(ms)), ..Failure::of(Code::ServerError) };
    let call = harness.attempt();
    assert_eq!(wait_of(harness.fail_as(call, given(123_456))), (call, 10_000));
    harness.now = 10_000;
    harness.resume(call);
    let wanted = Failure { own_delay: OwnDelay::Wanted, ..Failure::of(Code::ServerError) };
    let previous = Some(Millis(10_000));
    assert_eq!(harness.fail_as(call, wanted), Step::NeedDelay { retry: 2, previous });
}

#[test]
fn a_cancelled_attempt_ends_the_call_as_cancelled_whatever_the_application_says() {
    assert!(Failure::of(Code::Cancelled).is_cancelled());
    assert!(!Failure::of(Code::Timeout).is_cancelled());
    for verdict in [Verdict::Unasked, Verdict::Retry] {
        let mut harness = plain();
        let call = harness.attempt();
        let failure = Failure { verdict, retryable: true, ..Failure::of(Code::Cancelled) };
        assert_eq!(why(harness.fail_as(call, failure)), Why::Cancelled);
    }
}

#[test]
fn reasons_and_sources_have_the_names_of_the_events() {
    let names =
        ["not-retryable", "exhausted", "hint", "deadline", "budget", "nested", "cancelled", "broken-stream"];
    assert_eq!(Why::ALL.map(Why::as_str), names);
    for why in Why::ALL {
        assert_eq!(Why::from_index(why as u8), Some(why));
    }
    assert_eq!(Why::from_index(8), None);
    assert_eq!(DelaySource::ALL.map(DelaySource::as_str), ["backoff", "retry-after"]);
}
