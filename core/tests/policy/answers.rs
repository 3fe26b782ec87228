//! Answers that begin well and break off: counted as failures, once, whenever that comes out.

use crate::harness::Harness;
use halfopen::policy::{
    Answer, Breaker, BreakerConfig, BreakerState, Factor, Outcome, Rate, Rates, Step, Tally, Throttle, Trip,
};
use halfopen::time::{Millis, Timestamp};

const NOW: Timestamp = Timestamp(0);

fn consecutive(threshold: u32) -> Breaker {
    Breaker::new(BreakerConfig { trip: Trip::Consecutive(threshold), ..BreakerConfig::default() })
}

fn windowed(trip: Trip) -> Breaker {
    Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() })
}

fn rates(failure: f64, minimum_calls: u32) -> Rates {
    Rates { failure: Rate::from_f64(failure), minimum_calls, slow: None }
}

fn answer(breaker: &mut Breaker, now: Timestamp) -> Answer {
    let permit = breaker.admit(now).expect("admitted");
    breaker.answered(permit, None, now).expect("a present permit")
}

fn broken(breaker: &mut Breaker, now: Timestamp) {
    let answer = answer(breaker, now);
    breaker.broke_off(answer, Some(Millis::ZERO), now);
}

fn failure(breaker: &mut Breaker, now: Timestamp) {
    let permit = breaker.admit(now).expect("admitted");
    breaker.settle(permit, Outcome::Failure, None, now);
}

#[test]
fn answers_that_break_off_one_after_the_other_are_failures_in_a_row() {
    let mut breaker = consecutive(3);
    broken(&mut breaker, NOW);
    failure(&mut breaker, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    broken(&mut breaker, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn so_are_those_that_overlap() {
    let mut breaker = consecutive(5);
    for _ in 0..3 {
        assert_eq!(breaker.state(NOW), BreakerState::Closed);
        let answers = [answer(&mut breaker, NOW), answer(&mut breaker, NOW)];
        for answer in answers {
            breaker.broke_off(answer, None, NOW);
        }
    }
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn an_answer_that_comes_whole_ends_the_row() {
    let mut breaker = consecutive(2);
    broken(&mut breaker, NOW);
    let whole = answer(&mut breaker, NOW);
    breaker.completed(whole);
    broken(&mut breaker, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
}

#[test]
fn an_unread_answer_ends_the_row_as_well() {
    let mut breaker = consecutive(2);
    failure(&mut breaker, NOW);
    let _ = answer(&mut breaker, NOW);
    failure(&mut breaker, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
}

#[test]
fn an_ordinary_success_ends_the_row_for_answers_before_it() {
    let mut breaker = consecutive(3);
    failure(&mut breaker, NOW);
    failure(&mut breaker, NOW);
    let late = answer(&mut breaker, NOW);
    breaker.record(Outcome::Success, None, NOW);
    breaker.broke_off(late, None, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
}

#[test]
fn an_update_keeps_the_row_before_an_answer_that_breaks_off() {
    let mut breaker = consecutive(3);
    failure(&mut breaker, NOW);
    failure(&mut breaker, NOW);
    let late = answer(&mut breaker, NOW);
    breaker.update(BreakerConfig { trip: Trip::Consecutive(3), ..BreakerConfig::default() });
    breaker.broke_off(late, None, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
}

#[test]
fn a_probe_that_breaks_off_opens_it_again_with_the_next_longer_wait() {
    let mut breaker = Breaker::new(BreakerConfig {
        trip: Trip::Consecutive(1),
        reset_timeout: Millis(1000),
        reset_backoff: Factor::TWO,
        max_reset_timeout: Millis(8000),
        ..BreakerConfig::default()
    });
    failure(&mut breaker, NOW);
    let mut now = Timestamp(1000);
    for wait in [2000, 4000, 8000] {
        let probe = answer(&mut breaker, now);
        assert_eq!(breaker.state(now), BreakerState::Closed);
        breaker.broke_off(probe, None, now);
        assert_eq!(breaker.retry_after(now), Some(Millis(wait)));
        now = now + Millis(wait);
    }
}

#[test]
fn a_probe_that_breaks_off_when_others_have_succeeded_since_is_one_failure() {
    let mut breaker = consecutive(2);
    failure(&mut breaker, NOW);
    failure(&mut breaker, NOW);
    let now = Timestamp(60_000);
    let probe = answer(&mut breaker, now);
    breaker.record(Outcome::Success, None, now);
    breaker.broke_off(probe, None, now);
    assert_eq!(breaker.state(now), BreakerState::Closed);
    failure(&mut breaker, now);
    assert_eq!(breaker.state(now), BreakerState::Open);
    let opened = std::iter::from_fn(|| breaker.poll_change()).last().unwrap();
    let failed: Vec<bool> = opened.recent.iter().map(|sample| sample.failed).collect();
    assert_eq!(failed, [false, true, true]);
}

#[test]
fn one_that_breaks_off_is_one_result() {
    let mut breaker = consecutive(1);
    broken(&mut breaker, NOW);
    let opened = breaker.poll_change().unwrap();
    let failed: Vec<bool> = opened.recent.iter().map(|sample| sample.failed).collect();
    assert_eq!(failed, [true]);
    let mut breaker = windowed(Trip::Throttle(Throttle::default()));
    broken(&mut breaker, NOW);
    breaker.disable(NOW);
    assert_eq!(breaker.poll_change().unwrap().window, Tally { total: 1, failures: 1, slow: 0 });
}

#[test]
fn one_of_several_probes_that_breaks_off_opens_it() {
    let mut breaker = Breaker::new(BreakerConfig {
        trip: Trip::Consecutive(1),
        success_threshold: 2,
        ..BreakerConfig::default()
    });
    failure(&mut breaker, NOW);
    let now = Timestamp(60_000);
    let probe = answer(&mut breaker, now);
    assert_eq!(breaker.state(now), BreakerState::HalfOpen);
    breaker.broke_off(probe, None, now);
    assert_eq!(breaker.state(now), BreakerState::Open);
}

#[test]
fn a_probe_that_breaks_off_is_counted_as_a_probe_that_failed() {
    // The breaker closes on the first probe, and is still half-open after the first of two.
    for success_threshold in [1, 2] {
        let config =
            BreakerConfig { trip: Trip::Consecutive(1), success_threshold, ..BreakerConfig::default() };
        let mut breaker = Breaker::new(config);
        failure(&mut breaker, NOW);
        let now = Timestamp(60_000);
        let probe = answer(&mut breaker, now);
        assert_eq!((breaker.counted().probes_succeeded, breaker.counted().probes_failed), (1, 0));
        breaker.broke_off(probe, None, now);
        let counted = breaker.counted();
        assert_eq!((counted.probes_succeeded, counted.probes_failed), (0, 1));
        assert_eq!((counted.total, counted.failed), (2, 2));
    }
}

#[test]
fn one_of_an_older_generation_changes_nothing() {
    let mut breaker = consecutive(1);
    let late = answer(&mut breaker, NOW);
    failure(&mut breaker, NOW);
    let before = breaker.retry_after(Timestamp(500));
    breaker.broke_off(late, None, Timestamp(500));
    assert_eq!((breaker.retry_after(Timestamp(500)), breaker.stale_results()), (before, 1));
    let mut breaker = consecutive(1);
    let late = answer(&mut breaker, NOW);
    breaker.reset(NOW);
    breaker.broke_off(late, None, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
}

#[test]
fn in_a_count_window_the_call_stays_one() {
    let mut breaker = windowed(Trip::Count { size: 4, rates: rates(0.5, 4) });
    broken(&mut breaker, NOW);
    let whole = answer(&mut breaker, NOW);
    breaker.completed(whole);
    let last = [answer(&mut breaker, NOW), answer(&mut breaker, NOW)];
    assert_eq!(breaker.state(NOW), BreakerState::Closed);
    breaker.broke_off(last[0], None, NOW);
    assert_eq!(breaker.state(NOW), BreakerState::Open);
    let change = breaker.poll_change().unwrap();
    assert_eq!((change.window.total, change.window.failures), (4, 2));
}

#[test]
fn in_a_time_window_it_fails_when_it_began_and_leaves_with_it() {
    let mut breaker = windowed(Trip::Time { duration: Millis(1000), rates: rates(1.0, 1) });
    let first = answer(&mut breaker, Timestamp(10));
    breaker.record(Outcome::Success, None, Timestamp(10));
    breaker.broke_off(first, Some(Millis(500)), Timestamp(510));
    assert_eq!(breaker.state(Timestamp(510)), BreakerState::Closed);
    // The two of the first moment are gone: what began then and breaks now is a failure of now.
    let long = answer(&mut breaker, Timestamp(2000));
    breaker.broke_off(long, Some(Millis(1500)), Timestamp(3500));
    assert_eq!(breaker.state(Timestamp(3500)), BreakerState::Open);
}

#[test]
fn a_calls_answer_counts_through_the_engine_and_is_taken_back() {
    let mut harness = Harness::calls(|_| {})
        .with_breaker(BreakerConfig { trip: Trip::Consecutive(2), ..BreakerConfig::default() });
    for _ in 0..2 {
        let call = harness.attempt();
        let mut answer = None;
        let step = harness.input(|engine, ctx, now| {
            let (step, begun) = engine.answer(ctx, call, now, None);
            answer = begun;
            step
        });
        assert_eq!(step, Step::Done { attempts: 1 });
        assert_eq!(harness.state(), BreakerState::Closed);
        harness.breaker.as_mut().unwrap().broke_off(answer.expect("an answer"), None, NOW);
    }
    assert_eq!(harness.state(), BreakerState::Open);
}

#[test]
fn an_answer_is_the_same_after_a_boundary() {
    let mut breaker = consecutive(1);
    let first = answer(&mut breaker, NOW);
    failure(&mut breaker, NOW);
    // The breaker closes on this one.
    let closing = answer(&mut breaker, Timestamp(60_000));
    assert_ne!(first.to_bits(), closing.to_bits());
    for answer in [first, closing] {
        assert_eq!(Answer::from_bits(answer.to_bits()), answer);
    }
}
