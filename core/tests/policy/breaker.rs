//! The breaker's rules, one by one, alone and under an engine.

use crate::harness::{Harness, hinted};
use halfopen::Code;
use halfopen::policy::{
    Breaker, BreakerConfig, BreakerScope, BreakerState, Counted, Factor, Failure, MAX_TICKET, Outcome,
    Permit, Rate, Rates, Reason, SlowCalls, SnapshotError, Step, Throttle, Trip,
};
use halfopen::time::{Millis, Timestamp};

const NOW: Timestamp = Timestamp(0);
const LATER: Timestamp = Timestamp(60_000);

fn consecutive(threshold: u32) -> BreakerConfig {
    BreakerConfig { trip: Trip::Consecutive(threshold), ..BreakerConfig::default() }
}

fn rates(failure: f64, minimum_calls: u32) -> Rates {
    Rates { failure: Rate::from_f64(failure), minimum_calls, slow: None }
}

fn opened(config: BreakerConfig) -> Breaker {
    let mut breaker = Breaker::new(config);
    for _ in 0..10 {
        breaker.record(Outcome::Failure, None, NOW);
    }
    assert_eq!(breaker.state(NOW), BreakerState::Open);
    drain(&mut breaker);
    breaker
}

fn drain(breaker: &mut Breaker) -> Vec<(BreakerState, BreakerState)> {
    std::iter::from_fn(|| breaker.poll_change()).map(|change| (change.from, change.to)).collect()
}

fn call(breaker: &mut Breaker, outcome: Outcome, now: Timestamp) {
    let permit = breaker.admit(now).expect("admitted");
    breaker.settle(permit, outcome, None, now);
}

#[test]
fn one_failure_trips_nothing_by_default() {
    let mut breaker = Breaker::new(BreakerConfig::default());
    for _ in 0..4 {
        call(&mut breaker, Outcome::Failure, NOW);
    }
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    call(&mut breaker, Outcome::Failure, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn reading_the_state_shows_elapsed_time_and_changes_nothing() {
    let mut breaker = opened(BreakerConfig::default());
    assert_eq!(breaker.state(Timestamp(59_999)), BreakerState::Open);
    assert_eq!(breaker.state(LATER), BreakerState::HalfOpen);
    assert!(breaker.can_execute(LATER));
    assert_eq!(breaker.poll_change(), None);
    // The schedule is unchanged: a reading from the future has no lasting effect.
    assert_eq!(breaker.retry_after(NOW), Some(Millis(60_000)));
    let _probe = breaker.admit(LATER).unwrap();
    assert_eq!(drain(&mut breaker), [(BreakerState::Open, BreakerState::HalfOpen)]);
}

#[test]
fn a_result_of_an_older_generation_changes_nothing() {
    let mut breaker = Breaker::new(consecutive(1));
    let late = [breaker.admit(NOW).unwrap(), breaker.admit(NOW).unwrap()];
    call(&mut breaker, Outcome::Failure, NOW);
    drain(&mut breaker);
    breaker.settle(late[0], Outcome::Success, None, Timestamp(5));
    assert_eq!(breaker.state(Timestamp(5)), BreakerState::Open);
    let probe = breaker.admit(LATER).unwrap();
    breaker.settle(late[1], Outcome::Failure, None, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::HalfOpen);
    breaker.settle(probe, Outcome::Success, None, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::Closed);
    assert_eq!(breaker.stale_results(), 2);
}

#[test]
fn a_late_failure_neither_extends_the_wait_nor_speaks() {
    let mut breaker = Breaker::new(consecutive(1));
    let late = breaker.admit(NOW).unwrap();
    call(&mut breaker, Outcome::Failure, NOW);
    drain(&mut breaker);
    breaker.settle(late, Outcome::Failure, None, Timestamp(30_000));
    breaker.record(Outcome::Failure, None, Timestamp(30_000));
    breaker.record(Outcome::Success, None, Timestamp(30_000));
    assert_eq!(breaker.retry_after(Timestamp(30_000)), Some(Millis(30_000)));
    let isolated = breaker.admit(LATER).unwrap();
    breaker.isolate(LATER);
    drain(&mut breaker);
    breaker.settle(isolated, Outcome::Failure, None, LATER);
    breaker.record(Outcome::Failure, None, LATER);
    assert_eq!(drain(&mut breaker), []);
}

#[test]
fn exactly_the_allowed_probes_run_at_once() {
    let mut breaker =
        opened(BreakerConfig { half_open_max_calls: 3, success_threshold: 5, ..consecutive(1) });
    let probes: Vec<Permit> = (0..3).map(|_| breaker.admit(LATER).unwrap()).collect();
    assert!(probes.iter().all(|probe| probe.is_probe()));
    assert_eq!(breaker.admit(LATER).unwrap_err().retry_after, Some(Millis(60_000)));
    breaker.settle(probes[1], Outcome::Success, None, LATER);
    let _next = breaker.admit(LATER).unwrap();
    assert!(breaker.admit(LATER).is_err());
}

#[test]
fn a_hung_probe_gives_its_place_back() {
    let mut breaker = opened(BreakerConfig { probe_timeout: Millis(500), ..consecutive(1) });
    let hung = breaker.admit(LATER).unwrap();
    assert_eq!(breaker.retry_after(Timestamp(60_100)), Some(Millis(400)));
    assert!(breaker.admit(Timestamp(60_499)).is_err());
    let next = breaker.admit(Timestamp(60_500)).unwrap();
    breaker.settle(hung, Outcome::Failure, None, Timestamp(60_501));
    assert_eq!(breaker.state(Timestamp(60_501)), BreakerState::HalfOpen);
    breaker.settle(next, Outcome::Success, None, Timestamp(60_502));
    assert_eq!(breaker.state(Timestamp(60_502)), BreakerState::Closed);
}

#[test]
fn a_late_success_of_a_probe_counts_once() {
    let config = BreakerConfig { probe_timeout: Millis(500), success_threshold: 2, ..consecutive(1) };
    let mut breaker = opened(config);
    let slow = breaker.admit(LATER).unwrap();
    let _next = breaker.admit(Timestamp(60_500)).unwrap();
    for _ in 0..2 {
        breaker.settle(slow, Outcome::Success, None, Timestamp(60_501));
        assert_eq!(breaker.state(Timestamp(60_501)), BreakerState::HalfOpen);
    }
    assert!(breaker.admit(Timestamp(60_501)).is_err(), "the next probe still holds its slot");
    let last = breaker.admit(Timestamp(61_000)).unwrap();
    breaker.settle(last, Outcome::Success, None, Timestamp(61_000));
    assert_eq!(breaker.state(Timestamp(61_000)), BreakerState::Closed);
}

/// Permits that are never settled take no memory: of those that gave way, 256 are known.
#[test]
fn lost_probes_are_forgotten_in_the_end() {
    let mut breaker = opened(BreakerConfig { probe_timeout: Millis(1), ..consecutive(1) });
    let lost: Vec<Permit> = (0..=257).map(|ms| breaker.admit(Timestamp(60_000 + ms)).unwrap()).collect();
    breaker.settle(lost[0], Outcome::Success, None, Timestamp(61_000));
    assert_eq!(breaker.state(Timestamp(61_000)), BreakerState::HalfOpen);
    breaker.settle(lost[1], Outcome::Success, None, Timestamp(61_000));
    assert_eq!(breaker.state(Timestamp(61_000)), BreakerState::Closed);
}

/// In a fleet: the one probe that this process may make was refused by a limit behind the breaker, or cancelled.
#[test]
fn a_probe_that_did_not_run_leaves_the_right_to_one() {
    let mut breaker = opened(BreakerConfig::default());
    breaker.open_with_others(LATER, NOW);
    assert!(breaker.admit(LATER).is_err());
    breaker.allow_probes(1, LATER);
    call(&mut breaker, Outcome::Neutral, LATER);
    let permit = breaker.admit(LATER).expect("the probe was not spent");
    assert!(breaker.admit(LATER).is_err());
    breaker.settle(permit, Outcome::Success, None, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::Closed);
}

#[test]
fn a_neutral_result_gives_the_place_back_and_says_nothing() {
    let mut breaker = opened(consecutive(1));
    call(&mut breaker, Outcome::Neutral, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::HalfOpen);
    call(&mut breaker, Outcome::Success, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::Closed);
    // In the closed state it does not break a row of failures either.
    let mut breaker = Breaker::new(consecutive(2));
    for outcome in [Outcome::Failure, Outcome::Neutral, Outcome::Failure] {
        call(&mut breaker, outcome, NOW);
    }
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn a_probe_settled_twice_counts_once() {
    let mut breaker = opened(BreakerConfig { success_threshold: 2, ..consecutive(1) });
    let probe = breaker.admit(LATER).unwrap();
    breaker.settle(probe, Outcome::Success, None, LATER);
    breaker.settle(probe, Outcome::Success, None, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::HalfOpen);
}

#[test]
fn each_failed_probe_makes_the_next_wait_longer_up_to_the_maximum() {
    let config = BreakerConfig {
        reset_timeout: Millis(100),
        reset_backoff: Factor::TWO,
        max_reset_timeout: Millis(350),
        ..consecutive(1)
    };
    let mut breaker = Breaker::new(config);
    let mut now = 0;
    call(&mut breaker, Outcome::Failure, Timestamp(now));
    let mut waits = Vec::new();
    for _ in 0..4 {
        let wait = breaker.retry_after(Timestamp(now)).unwrap().0;
        waits.push(wait);
        now += wait;
        call(&mut breaker, Outcome::Failure, Timestamp(now));
    }
    assert_eq!(waits, [100, 200, 350, 350]);
    now += 350;
    call(&mut breaker, Outcome::Success, Timestamp(now));
    call(&mut breaker, Outcome::Failure, Timestamp(now));
    assert_eq!(breaker.retry_after(Timestamp(now)), Some(Millis(100)));
}

#[test]
fn a_hint_on_the_failure_that_opens_it_replaces_the_reset_timeout() {
    for (hint, waits, text) in [
        (1000, 1000, "2 failures in a row; the provider asked for 1000 ms"),
        (120_000, 120_000, "2 failures in a row; the provider asked for 120000 ms"),
        // At most the maximum, and a hint of zero has no effect.
        (10_000_000, 600_000, "2 failures in a row; the provider asked for 10000000 ms"),
        (0, 60_000, "2 failures in a row"),
    ] {
        let mut breaker = Breaker::new(consecutive(2));
        call(&mut breaker, Outcome::FailureWithHint(Millis(7)), NOW);
        call(&mut breaker, Outcome::FailureWithHint(Millis(hint)), NOW);
        assert_eq!(breaker.retry_after(NOW), Some(Millis(waits)));
        let change = breaker.poll_change().unwrap();
        assert_eq!(change.retry_at, Some(Timestamp(waits)));
        let (id, a, b) = change.reason.numbers();
        assert_eq!(Reason::describe(id, a, b, change.hint), text);
    }
}

#[test]
fn hints_while_it_is_open_change_nothing() {
    let mut breaker = Breaker::new(consecutive(1));
    let late = breaker.admit(NOW).unwrap();
    call(&mut breaker, Outcome::Failure, NOW);
    breaker.settle(late, Outcome::FailureWithHint(Millis(5)), None, Timestamp(1));
    breaker.record(Outcome::FailureWithHint(Millis(5)), None, Timestamp(1));
    assert_eq!(breaker.retry_after(Timestamp(1)), Some(Millis(59_999)));
}

#[test]
fn a_failed_probes_hint_holds_and_the_backoff_counts_on_without_one() {
    let config = BreakerConfig {
        reset_timeout: Millis(100),
        reset_backoff: Factor::TWO,
        max_reset_timeout: Millis(1000),
        ..consecutive(1)
    };
    let mut breaker = Breaker::new(config);
    let (mut now, mut waits) = (0, Vec::new());
    let hinted = Outcome::FailureWithHint(Millis(30));
    for outcome in [Outcome::Failure, hinted, Outcome::Failure, hinted, Outcome::Failure] {
        call(&mut breaker, outcome, Timestamp(now));
        let wait = breaker.retry_after(Timestamp(now)).unwrap().0;
        waits.push(wait);
        now += wait;
    }
    assert_eq!(waits, [100, 30, 400, 30, 1000]);
}

#[test]
fn the_scope_call_opens_for_the_last_errors_hint() {
    let mut harness = Harness::calls(|call| call.retry.max_retries = 1).with_breaker(consecutive(1));
    let call = harness.attempt();
    harness.fail_as(call, hinted(20_000));
    harness.now = 20_000;
    let _attempt = harness.resume(call);
    harness.fail_as(call, hinted(2000));
    let step = harness.begin();
    assert!(matches!(step, Step::Rejected { retry_after: Some(Millis(2000)), .. }), "{step:?}");
}

#[test]
fn the_scope_attempt_opens_for_the_attempts_hint() {
    let mut harness = Harness::calls(|call| call.scope = BreakerScope::Attempt).with_breaker(consecutive(1));
    let call = harness.attempt();
    harness.fail_as(call, hinted(1500));
    assert_eq!(harness.breaker.as_ref().unwrap().retry_after(NOW), Some(Millis(1500)));
}

#[test]
fn isolation_is_counted_and_shows_the_state_underneath_in_the_end() {
    let mut breaker = opened(BreakerConfig::default());
    breaker.isolate(NOW);
    breaker.isolate(NOW);
    assert_eq!(breaker.retry_after(LATER), None);
    breaker.lift_isolation(LATER);
    assert_eq!(breaker.state(LATER), BreakerState::Isolated);
    breaker.lift_isolation(LATER);
    breaker.lift_isolation(LATER);
    assert_eq!(breaker.state(LATER), BreakerState::HalfOpen);
    assert_eq!(
        drain(&mut breaker),
        [(BreakerState::Open, BreakerState::Isolated), (BreakerState::Isolated, BreakerState::Open)]
    );
}

#[test]
fn isolation_gives_the_probes_places_back() {
    let mut breaker = opened(consecutive(1));
    let probe = breaker.admit(LATER).unwrap();
    breaker.isolate(LATER);
    breaker.lift_isolation(LATER);
    let next = breaker.admit(LATER).unwrap();
    breaker.settle(probe, Outcome::Failure, None, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::HalfOpen);
    breaker.settle(next, Outcome::Success, None, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::Closed);
}

#[test]
fn reset_does_not_lift_isolation() {
    let mut breaker = opened(BreakerConfig::default());
    breaker.isolate(NOW);
    breaker.reset(NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Isolated);
    breaker.lift_isolation(NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
}

#[test]
fn a_disabled_breaker_admits_everything_and_counts_nothing_until_reset() {
    let mut breaker = Breaker::new(consecutive(1));
    breaker.disable(NOW);
    breaker.disable(NOW);
    for _ in 0..10 {
        call(&mut breaker, Outcome::Failure, NOW);
    }
    assert_eq!(breaker.state(NOW), BreakerState::Disabled);
    breaker.reset(NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    assert_eq!(
        drain(&mut breaker),
        [(BreakerState::Closed, BreakerState::Disabled), (BreakerState::Disabled, BreakerState::Closed)]
    );
}

#[test]
fn a_change_to_itself_says_nothing_but_forgets() {
    let mut breaker = Breaker::new(consecutive(2));
    let late = breaker.admit(NOW).unwrap();
    call(&mut breaker, Outcome::Failure, NOW);
    breaker.reset(NOW);
    assert_eq!(drain(&mut breaker), []);
    call(&mut breaker, Outcome::Failure, NOW);
    breaker.settle(late, Outcome::Failure, None, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
}

#[test]
fn minimum_calls_counts_calls_and_a_success_can_trip_it() {
    let trip = Trip::Count { size: 10, rates: rates(0.5, 4) };
    let mut breaker = Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() });
    for outcome in [Outcome::Failure, Outcome::Failure, Outcome::Success] {
        call(&mut breaker, outcome, NOW);
        assert_eq!(breaker.state(NOW), BreakerState::Closed);
    }
    call(&mut breaker, Outcome::Success, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
    let change = breaker.poll_change().unwrap();
    assert!(matches!(change.reason, Reason::FailureRate(tally) if (tally.failures, tally.total) == (2, 4)));
    assert_eq!(change.window.total, 4);
}

#[test]
fn the_count_window_slides() {
    let trip = Trip::Count { size: 4, rates: rates(0.75, 4) };
    let mut breaker = Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() });
    use Outcome::{Failure, Success};
    for outcome in [Failure, Failure, Success, Success, Failure, Failure] {
        call(&mut breaker, outcome, NOW);
        assert_eq!(breaker.state(NOW), BreakerState::Closed);
    }
    call(&mut breaker, Failure, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn rates_compare_with_greater_or_equal() {
    for (share, part, total) in [(2.0 / 3.0, 2, 3), (0.1, 1, 10), (0.3, 3, 10), (0.7, 7, 10), (1.0, 5, 5)] {
        assert!(Rate::from_f64(share).is_reached(part, total), "{share}");
        assert!(!Rate::from_f64(share).is_reached(part - 1, total), "{share}");
    }
}

#[test]
fn slow_calls_trip_a_window() {
    let slow = Some(SlowCalls { duration: Millis(100), rate: Rate::from_f64(0.5) });
    let trip = Trip::Count { size: 4, rates: Rates { slow, ..rates(0.9, 4) } };
    let mut breaker = Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() });
    for took in [99, 100, 5, 250] {
        assert_eq!(breaker.state(NOW), BreakerState::Closed);
        let permit = breaker.admit(NOW).unwrap();
        breaker.settle(permit, Outcome::Success, Some(Millis(took)), NOW);
    }
    assert_eq!(breaker.state(NOW), BreakerState::Open);
    assert!(matches!(breaker.poll_change().unwrap().reason, Reason::SlowCallRate(tally) if tally.slow == 2));
}

#[test]
fn a_time_window_ages_while_nothing_happens() {
    let trip = Trip::Time { duration: Millis(10_000), rates: rates(0.5, 4) };
    let mut breaker = Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() });
    for at in [0, 1, 2] {
        call(&mut breaker, Outcome::Failure, Timestamp(at));
    }
    call(&mut breaker, Outcome::Failure, Timestamp(10_002));
    assert_eq!(breaker.state(Timestamp(10_002)), BreakerState::Closed);
}

#[test]
fn the_scope_call_counts_an_exhausted_sequence_once() {
    let mut harness = Harness::calls(|_| {}).with_breaker(consecutive(2));
    harness.exhaust(Failure::of(Code::ServerError));
    assert_eq!(harness.state(), BreakerState::Closed);
    harness.exhaust(Failure::of(Code::ServerError));
    assert_eq!(harness.state(), BreakerState::Open);
}

#[test]
fn the_scope_attempt_counts_each() {
    let mut harness = Harness::calls(|call| call.scope = BreakerScope::Attempt).with_breaker(consecutive(2));
    let call = harness.attempt();
    harness.fail(call);
    harness.now = 2000;
    let _attempt = harness.resume(call);
    harness.fail(call);
    assert_eq!(harness.state(), BreakerState::Open);
    harness.now = 6000;
    assert!(matches!(
        harness.resume(call),
        Step::Rejected { attempts: 2, retry_after: Some(Millis(56_000)), .. }
    ));
}

#[test]
fn an_error_of_the_callers_own_and_an_abort_count_for_nothing() {
    let mut harness = Harness::calls(|call| call.retry.max_retries = 0).with_breaker(consecutive(1));
    for code in [Code::AuthenticationError, Code::Cancelled, Code::ValidationError] {
        let call = harness.attempt();
        harness.fail_as(call, Failure::of(code));
        assert_eq!(harness.state(), BreakerState::Closed);
    }
    let call = harness.attempt();
    harness.cancel(call);
    // Cancelled while it waits to retry: still not the dependency's fault.
    let mut harness = Harness::calls(|_| {}).with_breaker(consecutive(1));
    let call = harness.attempt();
    harness.fail_as(call, hinted(10));
    harness.cancel(call);
    assert_eq!(harness.state(), BreakerState::Closed);
    let call = harness.attempt();
    harness.fail_as(call, Failure::of(Code::InvalidResponse));
    assert_eq!(harness.state(), BreakerState::Open);
}

#[test]
fn a_snapshot_goes_on_where_it_was_taken_time_included() {
    let wall = Millis(1_000_000);
    let mut first = opened(BreakerConfig::default());
    let snapshot = first.snapshot("api", Timestamp(10_000), wall);
    assert_eq!(snapshot.retry_after_ms, Some(50_000.0));
    let json = serde_json::to_string(&snapshot).unwrap();
    let mut second = Breaker::new(BreakerConfig::default());
    // Another clock, 20 s later by the wall.
    second.restore(&serde_json::from_str(&json).unwrap(), Timestamp(3), wall + Millis(20_000)).unwrap();
    assert_eq!(second.retry_after(Timestamp(3)), Some(Millis(30_000)));
    assert!(second.generation() > first.generation());
    assert_eq!(drain(&mut second), [(BreakerState::Closed, BreakerState::Open)]);
}

#[test]
fn a_snapshot_keeps_windows() {
    let shapes = [
        Trip::Count { size: 8, rates: rates(0.5, 4) },
        Trip::Time { duration: Millis(10_000), rates: rates(0.5, 4) },
    ];
    for trip in shapes {
        let config = BreakerConfig { trip, ..BreakerConfig::default() };
        let mut first = Breaker::new(config);
        for at in [5000, 6000, 7000] {
            call(&mut first, Outcome::Failure, Timestamp(at));
        }
        let snapshot = first.snapshot("api", Timestamp(7000), Millis(50_000));
        // A young clock: what happened lies before its zero.
        let mut second = Breaker::new(config);
        second.restore(&snapshot, Timestamp(1), Millis(50_000)).unwrap();
        call(&mut second, Outcome::Failure, Timestamp(1));
        assert_eq!(second.state(Timestamp(1)), BreakerState::Open, "{trip:?}");
    }
    // Nine seconds later only the last of the three is young enough.
    let config = BreakerConfig { trip: shapes[1], ..BreakerConfig::default() };
    let mut first = Breaker::new(config);
    for at in [5000, 6000, 7000] {
        call(&mut first, Outcome::Failure, Timestamp(at));
    }
    let snapshot = first.snapshot("api", Timestamp(7000), Millis(50_000));
    let mut second = Breaker::new(config);
    second.restore(&snapshot, Timestamp(1), Millis(59_000)).unwrap();
    for _ in 0..2 {
        call(&mut second, Outcome::Failure, Timestamp(1));
    }
    assert_eq!(second.state(Timestamp(1)), BreakerState::Closed);
    call(&mut second, Outcome::Failure, Timestamp(1));
    assert_eq!(second.state(Timestamp(1)), BreakerState::Open);
}

#[test]
fn isolation_is_neither_taken_nor_given_by_a_snapshot() {
    let mut isolated = opened(BreakerConfig::default());
    isolated.isolate(NOW);
    let snapshot = isolated.snapshot("api", NOW, Millis(0));
    let mut fresh = Breaker::new(BreakerConfig::default());
    fresh.restore(&snapshot, NOW, Millis(0)).unwrap();
    assert_eq!(fresh.state(NOW), BreakerState::Open);
    let closed = Breaker::new(BreakerConfig::default()).snapshot("api", NOW, Millis(0));
    isolated.restore(&closed, NOW, Millis(0)).unwrap();
    assert_eq!(isolated.state(NOW), BreakerState::Isolated);
    isolated.lift_isolation(NOW);
    assert_eq!(isolated.state(NOW), BreakerState::Closed);
}

#[test]
fn a_snapshot_that_cannot_be_is_refused_by_name() {
    let good = Breaker::new(BreakerConfig::default()).snapshot("api", NOW, Millis(0));
    let mut breaker = Breaker::new(BreakerConfig::default());
    let mut bad = good.clone();
    bad.version = 2;
    assert_eq!(breaker.restore(&bad, NOW, Millis(0)), Err(SnapshotError::Version(2)));
    let mut bad = good.clone();
    bad.at = f64::NAN;
    let error = breaker.restore(&bad, NOW, Millis(0)).unwrap_err();
    assert_eq!(error.to_string(), "snapshot.at: expected a number from 0 on, got NaN");
    assert_eq!(breaker.generation(), 1);
}

#[test]
fn new_settings_keep_the_state() {
    let mut breaker = opened(BreakerConfig::default());
    breaker.update(consecutive(1));
    assert_eq!(breaker.retry_after(Timestamp(1000)), Some(Millis(59_000)));
    let mut breaker = Breaker::new(consecutive(5));
    for _ in 0..2 {
        call(&mut breaker, Outcome::Failure, NOW);
    }
    breaker.update(consecutive(3));
    call(&mut breaker, Outcome::Failure, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn new_settings_keep_a_window_of_the_same_shape_and_no_other() {
    let count = |size| Trip::Count { size, rates: rates(0.5, 4) };
    let time = |duration| Trip::Time { duration: Millis(duration), rates: rates(0.5, 4) };
    for (before, after, kept) in [
        (count(8), count(8), true),
        (count(8), count(9), false),
        (time(1000), time(1000), true),
        (time(1000), time(2000), false),
        (count(8), time(1000), false),
    ] {
        let mut breaker = Breaker::new(BreakerConfig { trip: before, ..BreakerConfig::default() });
        (0..3).for_each(|_| call(&mut breaker, Outcome::Failure, NOW));
        breaker.update(BreakerConfig { trip: after, ..BreakerConfig::default() });
        call(&mut breaker, Outcome::Failure, NOW);
        assert_eq!(breaker.state(NOW) == BreakerState::Open, kept, "{before:?} {after:?}");
    }
}

#[test]
fn new_settings_keep_how_many_failures_came_in_a_row() {
    let trip = Trip::Count { size: 8, rates: rates(0.5, 4) };
    let mut breaker = Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() });
    (0..2).for_each(|_| call(&mut breaker, Outcome::Failure, NOW));
    breaker.update(consecutive(3));
    call(&mut breaker, Outcome::Failure, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn the_last_ticket_is_the_largest_that_20_bits_hold() {
    assert_eq!(MAX_TICKET.trailing_ones(), 20);
    assert_eq!(MAX_TICKET.count_ones(), 20);
}

#[test]
fn the_settings_in_force_are_those_of_the_update_made_possible() {
    let mut breaker = Breaker::new(consecutive(0));
    assert_eq!(*breaker.config(), consecutive(1));
    breaker.update(BreakerConfig { half_open_max_calls: u32::MAX, ..consecutive(1) });
    assert_eq!(breaker.config().half_open_max_calls, MAX_TICKET / 2);
    breaker.update(BreakerConfig { success_threshold: 3, ..consecutive(7) });
    assert_eq!(*breaker.config(), BreakerConfig { success_threshold: 3, ..consecutive(7) });
}

#[test]
fn its_counts_can_be_read() {
    let mut breaker = Breaker::new(BreakerConfig { success_threshold: 2, ..consecutive(2) });
    call(&mut breaker, Outcome::Failure, NOW);
    assert_eq!(breaker.counted(), Counted { total: 1, failed: 1, streak: 1, ..Counted::default() });
    call(&mut breaker, Outcome::Failure, NOW);
    let opened = Counted { total: 2, failed: 2, streak: 2, ..Counted::default() };
    assert_eq!(breaker.counted(), opened);
    for probes_failed in 1..=2 {
        let now = Timestamp(60_000 * u64::from(probes_failed));
        call(&mut breaker, Outcome::Failure, now);
        let (total, failed) = (2 + probes_failed, 2 + probes_failed);
        assert_eq!(breaker.counted(), Counted { total, failed, probes_failed, ..opened });
    }
    for probes_succeeded in 1..=2 {
        call(&mut breaker, Outcome::Success, Timestamp(180_000));
        let counted = breaker.counted();
        assert_eq!((counted.total, counted.probes_succeeded), (4 + probes_succeeded, probes_succeeded));
    }
    // Closed again: the streak starts over, the counts go on.
    assert_eq!((breaker.counted().streak, breaker.counted().failed), (0, 4));
}

#[test]
fn half_open_without_a_probe_of_its_own_it_looks_again_soon() {
    let mut breaker = opened(BreakerConfig { half_open_max_calls: 3, ..consecutive(1) });
    breaker.open_with_others(LATER, NOW);
    breaker.allow_probes(1, LATER);
    let _probe = breaker.admit(LATER).unwrap();
    assert_eq!(breaker.retry_after(LATER), Some(Millis(1)));
    assert!(!breaker.can_execute(LATER));
}

#[test]
fn there_is_a_change_to_poll_until_it_was_polled() {
    let mut breaker = Breaker::new(consecutive(1));
    assert!(!breaker.has_changes());
    call(&mut breaker, Outcome::Failure, NOW);
    assert!(breaker.has_changes());
    drain(&mut breaker);
    assert!(!breaker.has_changes());
}

#[test]
fn under_the_scope_attempt_the_last_failure_counts_once() {
    let mut harness = Harness::calls(|call| {
        call.scope = BreakerScope::Attempt;
        call.retry.max_retries = 0;
    })
    .with_breaker(consecutive(2));
    let call = harness.attempt();
    harness.fail(call);
    assert_eq!(harness.state(), BreakerState::Closed);
    assert_eq!(harness.breaker.unwrap().counted().failed, 1);
}

#[test]
fn a_permit_is_the_same_after_a_boundary() {
    let mut breaker = Breaker::new(consecutive(1));
    let ordinary = breaker.admit(NOW).unwrap();
    assert_eq!((ordinary.to_parts(), ordinary.generation(), ordinary.is_probe()), ((1, 0), 1, false));
    call(&mut breaker, Outcome::Failure, NOW);
    // Open and half-open are generations of their own.
    let probe = breaker.admit(LATER).unwrap();
    assert_eq!((probe.to_parts(), probe.generation(), probe.is_probe()), ((3, 1), 3, true));
    let (generation, ticket) = probe.to_parts();
    assert_eq!(Permit::from_parts(generation, ticket), probe);
}

#[test]
fn it_follows_the_others_unless_it_is_disabled() {
    let mut breaker = Breaker::new(consecutive(5));
    breaker.open_with_others(LATER, NOW);
    assert_eq!(breaker.retry_after(NOW), Some(Millis(60_000)));
    // Open already: only until when changes, and no result of calls on their way is lost.
    let generation = breaker.generation();
    breaker.open_with_others(Timestamp(90_000), NOW);
    assert_eq!((breaker.retry_after(NOW), breaker.generation()), (Some(Millis(90_000)), generation));
    breaker.close_with_others(Millis::ZERO, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::Closed);
    assert_eq!(
        drain(&mut breaker),
        [(BreakerState::Closed, BreakerState::Open), (BreakerState::Open, BreakerState::Closed)]
    );
    breaker.disable(LATER);
    breaker.open_with_others(Timestamp(90_000), LATER);
    assert_eq!(breaker.state(LATER), BreakerState::Disabled);
    breaker.close_with_others(Millis::ZERO, LATER);
    assert_eq!(breaker.state(LATER), BreakerState::Disabled);
}

#[test]
fn changes_under_isolation_are_reported_when_it_is_lifted() {
    let mut breaker = Breaker::new(consecutive(1));
    call(&mut breaker, Outcome::Failure, NOW);
    drain(&mut breaker);
    breaker.isolate(NOW);
    // It is isolated, so there is no time at which a probe may run.
    assert_eq!(breaker.poll_change().unwrap().retry_at, None);
    breaker.reset(NOW);
    assert_eq!(drain(&mut breaker), []);
    breaker.lift_isolation(NOW);
    assert_eq!(drain(&mut breaker), [(BreakerState::Isolated, BreakerState::Closed)]);
}

#[test]
fn a_snapshots_results_are_left_out_once_they_are_as_old_as_the_window() {
    let trip = Trip::Time { duration: Millis(10_000), rates: rates(0.5, 5) };
    let config = BreakerConfig { trip, ..BreakerConfig::default() };
    let mut first = Breaker::new(config);
    (0..4).for_each(|_| call(&mut first, Outcome::Failure, NOW));
    let snapshot = first.snapshot("api", NOW, Millis(50_000));
    for (since, state) in [(9000, BreakerState::Open), (10_000, BreakerState::Closed)] {
        let mut second = Breaker::new(config);
        second.restore(&snapshot, LATER, Millis(50_000 + since)).unwrap();
        call(&mut second, Outcome::Failure, LATER);
        assert_eq!(second.state(LATER), state, "{since}");
    }
}

#[test]
fn a_window_needs_the_time_of_each_result() {
    assert!(!Trip::Consecutive(1).is_windowed());
    assert!(Trip::Count { size: 1, rates: rates(0.5, 1) }.is_windowed());
    assert!(Trip::Time { duration: Millis(1), rates: rates(0.5, 1) }.is_windowed());
    assert!(Trip::Throttle(Throttle::default()).is_windowed());
}
