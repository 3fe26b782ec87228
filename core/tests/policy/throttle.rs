//! The throttle refuses a share of the calls; the ramp lets a recovered dependency have a growing one.

use crate::harness::Harness;
use halfopen::policy::{
    Breaker, BreakerConfig, BreakerOptions, BreakerScope, BreakerState, Fact, Factor, Layer, Outcome,
    PolicyConfig, Rate, Rates, Share, Step, Throttle, Trip,
};
use halfopen::time::{Millis, Timestamp};
use proptest::prelude::*;

fn throttle(k: f64, window: u64, minimum_calls: u32) -> BreakerConfig {
    let trip = Trip::Throttle(Throttle { k: Factor::from_f64(k), window: Millis(window), minimum_calls });
    BreakerConfig { trip, seed: 7, ..BreakerConfig::default() }
}

fn ramp(ms: u64) -> BreakerConfig {
    BreakerConfig { trip: Trip::Consecutive(1), ramp: Millis(ms), ..BreakerConfig::default() }
}

/// Opens it, and closes it by a probe at that time.
fn recovered(config: BreakerConfig) -> (Breaker, u64) {
    let mut breaker = Breaker::new(config);
    breaker.record(Outcome::Failure, None, Timestamp(0));
    let at = config.reset_timeout.0;
    let probe = breaker.admit(Timestamp(at)).unwrap();
    breaker.settle(probe, Outcome::Success, None, Timestamp(at));
    assert_eq!(breaker.state(Timestamp(at)), BreakerState::Closed);
    (breaker, at)
}

/// Offers that number of calls, each of which fails or not, and returns how many were admitted.
fn offer(breaker: &mut Breaker, calls: u32, now: u64, fails: impl Fn(u32) -> bool) -> u32 {
    let now = Timestamp(now);
    (0..calls)
        .filter(|&call| {
            let Ok(permit) = breaker.admit(now) else { return false };
            let outcome = if fails(call) { Outcome::Failure } else { Outcome::Success };
            breaker.settle(permit, outcome, None, now);
            true
        })
        .count() as u32
}

#[test]
fn the_options_have_the_published_defaults() {
    let options: BreakerOptions = serde_json::from_str(r#"{ "throttle": {} }"#).unwrap();
    assert_eq!(options.config().trip, Trip::Throttle(Throttle::default()));
    assert_eq!(throttle(2.0, 120_000, 20).trip, options.config().trip);
}

#[test]
fn a_dependency_that_fails_one_call_in_five_keeps_the_other_four() {
    let mut breaker = Breaker::new(throttle(2.0, 120_000, 20));
    assert_eq!(offer(&mut breaker, 10_000, 0, |call| call % 5 == 0), 10_000);
    assert_eq!(breaker.refusal_rate(Timestamp(0)).as_f64(), 0.0);
}

#[test]
fn nothing_is_refused_below_the_minimum_and_then_nearly_all_of_a_dead_one() {
    let mut breaker = Breaker::new(throttle(2.0, 120_000, 20));
    assert_eq!(offer(&mut breaker, 20, 0, |_| true), 20);
    assert_eq!(breaker.refusal_rate(Timestamp(0)).as_f64(), 20.0 / 21.0);
    let admitted = offer(&mut breaker, 1000, 1, |_| true);
    assert!((1..30).contains(&admitted), "{admitted}");
    assert_eq!(breaker.state(Timestamp(1)), BreakerState::Closed);
    assert_eq!(breaker.retry_after(Timestamp(1)), Some(Millis::ZERO));
    assert!(breaker.can_execute(Timestamp(1)));
    // An idle one forgets.
    assert_eq!(breaker.refusal_rate(Timestamp(120_001)).as_f64(), 0.0);
}

#[test]
fn asking_for_the_share_draws_nothing() {
    let mut quiet = Breaker::new(throttle(2.0, 120_000, 20));
    offer(&mut quiet, 100, 0, |_| true);
    let mut asked = quiet.clone();
    for _ in 0..50 {
        assert!(asked.can_execute(Timestamp(0)) && asked.refusal_rate(Timestamp(0)).as_f64() > 0.9);
    }
    let admitted = |breaker: &mut Breaker| -> Vec<bool> {
        (0..500).map(|_| breaker.admit(Timestamp(0)).is_ok()).collect()
    };
    assert_eq!(admitted(&mut quiet), admitted(&mut asked));
}

#[test]
fn a_cancelled_call_does_not_count_against_it() {
    let mut breaker = Breaker::new(throttle(2.0, 120_000, 1));
    for _ in 0..100 {
        let permit = breaker.admit(Timestamp(0)).unwrap();
        breaker.settle(permit, Outcome::Neutral, None, Timestamp(0));
    }
    assert_eq!(breaker.refusal_rate(Timestamp(0)).as_f64(), 0.0);
}

#[test]
fn an_answer_that_breaks_off_is_accepted_no_longer() {
    let mut breaker = Breaker::new(throttle(1.0, 10_000, 1));
    let permit = breaker.admit(Timestamp(0)).unwrap();
    let answer = breaker.answered(permit, None, Timestamp(0)).unwrap();
    assert_eq!(breaker.refusal_rate(Timestamp(1)).as_f64(), 0.0);
    breaker.broke_off(answer, Some(Millis(500)), Timestamp(500));
    assert_eq!(breaker.refusal_rate(Timestamp(500)).as_f64(), 0.5);
}

#[test]
fn by_hand_all_or_none_is_refused() {
    let mut breaker = Breaker::new(throttle(2.0, 120_000, 20));
    offer(&mut breaker, 100, 0, |_| true);
    breaker.isolate(Timestamp(0));
    assert_eq!(breaker.refusal_rate(Timestamp(0)), Share::ALL);
    breaker.lift_isolation(Timestamp(0));
    assert!(breaker.refusal_rate(Timestamp(0)).as_f64() < 1.0);
    breaker.disable(Timestamp(0));
    assert_eq!(breaker.refusal_rate(Timestamp(0)), Share::NONE);
    breaker.reset(Timestamp(0));
    assert_eq!(breaker.refusal_rate(Timestamp(0)).as_f64(), 0.0);
}

#[test]
fn a_snapshot_carries_its_counts_and_the_time_since() {
    let mut breaker = Breaker::new(throttle(2.0, 10_000, 20));
    offer(&mut breaker, 40, 0, |call| call % 2 == 1);
    let rate = breaker.refusal_rate(Timestamp(5000));
    let snapshot = breaker.snapshot("x", Timestamp(5000), Millis(1_000_000));
    let text = serde_json::to_string(&snapshot).unwrap();
    assert!(text.contains(r#""throttle":{"requests":40,"accepts":20}"#), "{text}");
    let snapshot = serde_json::from_str(&text).unwrap();
    let mut next = Breaker::new(throttle(2.0, 10_000, 20));
    next.restore(&snapshot, Timestamp(0), Millis(1_000_000)).unwrap();
    assert_eq!(next.refusal_rate(Timestamp(0)), rate);
    let mut late = Breaker::new(throttle(2.0, 10_000, 20));
    late.restore(&snapshot, Timestamp(0), Millis(1_010_000)).unwrap();
    assert_eq!(late.refusal_rate(Timestamp(0)).as_f64(), 0.0);
}

#[test]
fn an_update_keeps_the_counts_if_the_window_is_the_same() {
    let mut breaker = Breaker::new(throttle(2.0, 10_000, 20));
    offer(&mut breaker, 99, 0, |_| true);
    breaker.update(throttle(1.5, 10_000, 20));
    assert!(breaker.refusal_rate(Timestamp(0)).as_f64() > 0.9);
    breaker.update(throttle(1.5, 20_000, 20));
    assert_eq!(breaker.refusal_rate(Timestamp(0)).as_f64(), 0.0);
}

#[test]
fn the_largest_number_of_requests_leaves_a_share_below_one() {
    let share = Throttle::default().refusal(u32::MAX, 0).as_f64();
    assert!(share > 0.999 && share < 1.0, "{share}");
}

#[test]
fn an_update_continues_the_draws_and_another_seed_restarts_them() {
    let mut breaker = Breaker::new(throttle(2.0, 120_000, 20));
    offer(&mut breaker, 100, 0, |_| true);
    let admitted = |mut breaker: Breaker, config: Option<BreakerConfig>| -> Vec<bool> {
        config.into_iter().for_each(|config| breaker.update(config));
        (0..500).map(|_| breaker.admit(Timestamp(0)).is_ok()).collect()
    };
    let same = throttle(2.0, 120_000, 20);
    let other = BreakerConfig { seed: 8, ..same };
    assert_eq!(admitted(breaker.clone(), Some(same)), admitted(breaker.clone(), None));
    assert_ne!(admitted(breaker.clone(), Some(other)), admitted(breaker, None));
}

#[test]
fn a_refusal_is_the_breakers_without_a_wait_and_is_recorded_once_a_second() {
    let mut harness = Harness::new(PolicyConfig::default()).with_breaker(throttle(2.0, 120_000, 1));
    let (mut refused, mut recorded) = (0, Vec::new());
    for round in 0..20 {
        harness.now = round * 300;
        let breaker = harness.breaker.as_mut().unwrap();
        (0..100).for_each(|_| breaker.record(Outcome::Failure, None, Timestamp(round * 300)));
        for _ in 0..10 {
            match harness.begin() {
                Step::Attempt { call, .. } => drop(harness.cancel(call)),
                step => {
                    assert_eq!(step, Step::Rejected { by: Layer::Breaker, retry_after: None, attempts: 0 });
                    refused += 1;
                }
            }
        }
        for fact in harness.facts() {
            let Fact::BreakerThrottled { breaker: 2, rate } = fact else { panic!("unexpected {fact:?}") };
            assert!(rate.as_f64() > 0.9 && rate.as_f64() < 1.0);
            recorded.push(harness.now);
        }
    }
    assert!(refused > 100);
    assert_eq!(recorded, [0, 1200, 2400, 3600, 4800]);
}

#[test]
fn a_throttle_of_the_attempts_refuses_a_retry() {
    let mut config = PolicyConfig::default();
    config.call.scope = BreakerScope::Attempt;
    let mut harness = Harness::new(config).with_breaker(throttle(1.0, 120_000, 1));
    let call = harness.attempt();
    let breaker = harness.breaker.as_mut().unwrap();
    (0..1_000_000).for_each(|_| breaker.record(Outcome::Failure, None, Timestamp(0)));
    harness.fail(call);
    harness.now = 60_000;
    assert_eq!(harness.resume(call), Step::Rejected { by: Layer::Breaker, retry_after: None, attempts: 1 });
}

#[test]
fn a_ramp_admits_a_share_that_grows_with_time() {
    let (mut breaker, closed) = recovered(ramp(10_000));
    let mut admitted = Vec::new();
    for second in 0..12 {
        admitted.push(offer(&mut breaker, 100, closed + second * 1000, |_| false));
    }
    // The first call passes; then a tenth more each second.
    assert_eq!(admitted, [1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 100]);
}

#[test]
fn a_ramp_states_its_refusals_and_their_end() {
    let (mut breaker, closed) = recovered(ramp(1000));
    let _first = breaker.admit(Timestamp(closed)).unwrap();
    assert_eq!(breaker.refusal_rate(Timestamp(closed)).as_f64(), 1.0);
    let refused = breaker.admit(Timestamp(closed + 250)).unwrap_err();
    assert_eq!(refused.retry_after, Some(Millis(500)));
    assert_eq!(breaker.refusal_rate(Timestamp(closed + 250)).as_f64(), 0.75);
    assert!(!breaker.can_execute(Timestamp(closed + 749)) && breaker.can_execute(Timestamp(closed + 750)));
    let throttled = breaker.poll_throttled().unwrap();
    assert_eq!((throttled.rate.as_f64(), throttled.at), (0.75, Timestamp(closed + 250)));
    assert_eq!(breaker.refusal_rate(Timestamp(closed + 1000)).as_f64(), 0.0);
    assert!(breaker.needs_time());
    breaker.admit(Timestamp(closed + 1000)).unwrap();
    assert!(!breaker.needs_time());
}

#[test]
fn new_settings_keep_a_ramp_in_progress() {
    let rates = Rates { failure: Rate::from_f64(0.5), minimum_calls: 4, slow: None };
    let throttle = Trip::Throttle(Throttle { minimum_calls: 2, ..Throttle::default() });
    for trip in [Trip::Consecutive(5), Trip::Count { size: 8, rates }, throttle] {
        let (mut breaker, closed) = recovered(ramp(1000));
        breaker.update(BreakerConfig { trip, ..ramp(1000) });
        assert_eq!(breaker.refusal_rate(Timestamp(closed + 250)).as_f64(), 0.75, "{trip:?}");
        // It ends, and a throttle throttles.
        let over = Timestamp(closed + 1000);
        assert!(breaker.admit(over).is_ok());
        for _ in 0..24 {
            breaker.record(Outcome::Failure, None, over);
        }
        let is_throttle = matches!(trip, Trip::Throttle(_));
        let refused = breaker.refusal_rate(over).as_f64();
        assert_eq!((refused > 0.9, refused < 1.0), (true, is_throttle), "{trip:?}");
    }
}

#[test]
fn without_a_ramp_all_are_admitted_at_once() {
    let (mut breaker, closed) = recovered(ramp(0));
    assert_eq!(breaker.refusal_rate(Timestamp(closed)), Share::NONE);
    assert!(!breaker.needs_time());
}

#[test]
fn neither_a_reset_nor_a_snapshot_starts_a_ramp() {
    let (mut breaker, closed) = recovered(ramp(1000));
    breaker.reset(Timestamp(closed));
    assert_eq!(offer(&mut breaker, 100, closed, |_| false), 100);
    let (mut ramping, _) = recovered(ramp(1000));
    let snapshot = ramping.snapshot("x", Timestamp(closed), Millis(0));
    breaker.restore(&snapshot, Timestamp(closed), Millis(0)).unwrap();
    assert_eq!(offer(&mut breaker, 100, closed, |_| false), 100);
}

#[test]
fn a_failure_within_the_ramp_opens_it_as_ever() {
    let (mut breaker, closed) = recovered(ramp(1000));
    assert_eq!(offer(&mut breaker, 1, closed + 10, |_| true), 1);
    assert_eq!(breaker.state(Timestamp(closed + 10)), BreakerState::Open);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// Against the formula as it is published, in floating point.
    #[test]
    fn the_share_is_the_published_one(
        k in 1.0_f64..10.0, minimum in 0_u32..50, requests in prop_oneof![0_u32..200, any::<u32>()], accepts in prop_oneof![0_u32..200, any::<u32>()],
    ) {
        let throttle = Throttle { k: Factor::from_f64(k), window: Millis(1000), minimum_calls: minimum };
        let rate = throttle.refusal(requests, accepts).as_f64();
        let (r, a) = (f64::from(requests), f64::from(accepts));
        let published = if requests < minimum { 0.0 } else { ((r - k * a) / (r + 1.0)).max(0.0) };
        prop_assert!((rate - published).abs() < 1e-8, "{rate} {published}");
        prop_assert!((0.0..1.0).contains(&rate));
    }

    /// The throttle refuses the share that it states, and the same calls for the same seed.
    #[test]
    fn so_much_is_refused_as_it_says(seed: u64, failures in 0_u32..200) {
        let config = BreakerConfig { seed, ..throttle(2.0, 120_000, 20) };
        let run = || {
            let mut breaker = Breaker::new(config);
            for call in 0..200 {
                breaker.record(if call < failures { Outcome::Failure } else { Outcome::Success }, None, Timestamp(0));
            }
            // Each on a breaker of its own state, so that the share stays the same.
            let rate = breaker.refusal_rate(Timestamp(0)).as_f64();
            let mut drawn = Vec::new();
            for _ in 0..400 {
                let counted = breaker.clone();
                drawn.push(breaker.admit(Timestamp(0)).is_err());
                let snapshot = { let mut counted = counted; counted.snapshot("", Timestamp(0), Millis(0)) };
                breaker.restore(&snapshot, Timestamp(0), Millis(0)).unwrap();
            }
            (rate, drawn)
        };
        let (rate, drawn) = run();
        let share = drawn.iter().filter(|refused| **refused).count() as f64 / 400.0;
        // Six standard deviations of 400 draws.
        prop_assert!((share - rate).abs() <= 6.0 * (rate * (1.0 - rate) / 400.0).sqrt() + 1e-9, "{share} {rate}");
        prop_assert_eq!(drawn, run().1);
    }

    /// However the calls come, a ramp has admitted the sum of the shares so far, and no call late.
    #[test]
    fn a_ramp_admits_the_sum_of_its_shares(length in 1_u64..5000, steps in prop::collection::vec(0_u64..300, 1..200)) {
        let (mut breaker, closed) = recovered(ramp(length));
        let (mut now, mut shares, mut admitted, mut last) = (closed, 0_u64, 0_u64, 1.0_f64);
        for step in steps {
            now += step;
            let rate = breaker.refusal_rate(Timestamp(now)).as_f64();
            prop_assert!(rate <= last, "the admitted share shrank");
            last = rate;
            let passed = breaker.admit(Timestamp(now)).is_ok();
            if now - closed >= length {
                prop_assert!(passed);
                break;
            }
            shares += now - closed;
            admitted += u64::from(passed);
            prop_assert_eq!(admitted, 1 + shares / length);
        }
    }
}
