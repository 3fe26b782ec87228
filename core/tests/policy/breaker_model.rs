//! The breaker against a model that is simple enough to be obviously right: it keeps every result and counts all of
//! them each time.

use halfopen::policy::{
    Breaker, BreakerConfig, BreakerState, Factor, Outcome, Permit, Rate, Rates, SlowCalls, Throttle, Trip,
};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Mode {
    Closed { results: Vec<(u64, bool, bool)>, requests: Vec<u64>, ramp: Option<Ramp> },
    Open { until: u64 },
    HalfOpen { places: Vec<(usize, u64)>, late: Vec<usize>, successes: u32 },
    Disabled,
}

/// Since when, and what is saved up of admissions.
#[derive(Clone, Copy, Debug)]
struct Ramp {
    since: u64,
    saved: u64,
}

fn closed(ramp: Option<Ramp>) -> Mode {
    Mode::Closed { results: Vec::new(), requests: Vec::new(), ramp }
}

struct Model {
    config: BreakerConfig,
    mode: Mode,
    /// The permits that still count: those handed out since the last change.
    era: u32,
    isolations: u32,
    failed_probes: u32,
    rng: SplitMix64,
}

impl Model {
    fn enter(&mut self, mode: Mode) {
        self.era += 1;
        self.mode = mode;
    }

    fn open(&mut self, outcome: Outcome, now: u64) {
        let most = self.config.max_reset_timeout.0;
        let mut wait = self.config.reset_timeout.0;
        for _ in 0..self.failed_probes {
            wait = (wait * 2).min(most);
        }
        if let Outcome::FailureWithHint(Millis(hint @ 1..)) = outcome {
            wait = hint.min(most);
        }
        self.enter(Mode::Open { until: now + wait });
    }

    fn elapse(&mut self, now: u64) {
        if matches!(self.mode, Mode::Open { until } if now >= until) {
            self.enter(Mode::HalfOpen { places: Vec::new(), late: Vec::new(), successes: 0 });
        }
    }

    fn state(&self, now: u64) -> BreakerState {
        match &self.mode {
            _ if self.isolations > 0 => BreakerState::Isolated,
            Mode::Closed { .. } => BreakerState::Closed,
            Mode::Open { until } if now < *until => BreakerState::Open,
            Mode::Open { .. } | Mode::HalfOpen { .. } => BreakerState::HalfOpen,
            Mode::Disabled => BreakerState::Disabled,
        }
    }

    /// Returns `true` if permit number `id` is handed out.
    fn admit(&mut self, id: usize, now: u64) -> bool {
        if self.isolations > 0 {
            return false;
        }
        self.elapse(now);
        let most = self.config.half_open_max_calls as usize;
        let timeout = self.config.probe_timeout.0;
        match &mut self.mode {
            Mode::Disabled => true,
            Mode::Closed { results, requests, ramp } => match (&self.config.trip, ramp) {
                (Trip::Throttle(throttle), _) => {
                    let refused = refusal(throttle, results, requests, now);
                    requests.push(now);
                    let drawn = if refused > 0.0 { self.rng.next_u64() } else { 0 };
                    refused == 0.0 || drawn as f64 / 2_f64.powi(64) >= refused
                }
                (_, Some(Ramp { since, saved })) => {
                    let length = self.config.ramp.0;
                    *saved += (now - *since).min(length);
                    let admitted = *saved >= length;
                    *saved -= if admitted { length } else { 0 };
                    admitted
                }
                _ => true,
            },
            Mode::Open { .. } => false,
            Mode::HalfOpen { places, late, .. } => {
                if places.len() == most && places[0].1 + timeout <= now {
                    late.push(places.remove(0).0);
                }
                let free = places.len() < most;
                if free {
                    places.push((id, now));
                }
                free
            }
        }
    }

    fn settle(&mut self, id: usize, era: u32, outcome: Outcome, slow: bool, now: u64) {
        if era != self.era {
            return;
        }
        if let Mode::HalfOpen { places, late, .. } = &mut self.mode {
            match places.iter().position(|place| place.0 == id) {
                Some(at) => drop(places.remove(at)),
                None if outcome == Outcome::Success && late.contains(&id) => {}
                None => return,
            }
        }
        self.count(outcome, slow, now);
    }

    fn record(&mut self, outcome: Outcome, slow: bool, now: u64) {
        if self.isolations == 0 {
            if outcome != Outcome::Neutral {
                self.elapse(now);
            }
            if let Mode::Closed { requests, .. } = &mut self.mode {
                requests.push(now);
            }
            self.count(outcome, slow, now);
        }
    }

    fn count(&mut self, outcome: Outcome, slow: bool, now: u64) {
        let failed = matches!(outcome, Outcome::Failure | Outcome::FailureWithHint(_));
        match &mut self.mode {
            Mode::Closed { results, .. } if matches!(self.config.trip, Trip::Throttle(_)) => {
                results.push((now, failed, false));
            }
            _ if outcome == Outcome::Neutral => {}
            Mode::Closed { results, .. } => {
                results.push((now, failed, slow));
                if trips(&self.config.trip, results, now) {
                    self.open(outcome, now);
                }
            }
            Mode::HalfOpen { .. } if failed => {
                self.failed_probes += 1;
                self.open(outcome, now);
            }
            Mode::HalfOpen { successes, .. } => {
                *successes += 1;
                if *successes >= self.config.success_threshold {
                    self.failed_probes = 0;
                    let ramp = Ramp { since: now, saved: self.config.ramp.0 };
                    self.enter(closed((self.config.ramp.0 > 0).then_some(ramp)));
                }
            }
            Mode::Open { .. } | Mode::Disabled => {}
        }
    }
}

/// The share of calls that a throttle refuses, by the published formula.
fn refusal(throttle: &Throttle, results: &[(u64, bool, bool)], requests: &[u64], now: u64) -> f64 {
    let young = |at: u64| now - at < throttle.window.0;
    let requests = requests.iter().filter(|&&at| young(at)).count() as f64;
    let accepts = results.iter().filter(|result| young(result.0) && !result.1).count() as f64;
    if requests < f64::from(throttle.minimum_calls) {
        return 0.0;
    }
    ((requests - throttle.k.as_f64() * accepts) / (requests + 1.0)).max(0.0)
}

fn trips(trip: &Trip, results: &[(u64, bool, bool)], now: u64) -> bool {
    let (window, rates): (Vec<_>, _) = match trip {
        Trip::Consecutive(threshold) => {
            return results.iter().rev().take_while(|result| result.1).count() >= *threshold as usize;
        }
        Trip::Count { size, rates } => (results.iter().rev().take(*size as usize).collect(), rates),
        Trip::Time { duration, rates } => {
            (results.iter().filter(|result| now - result.0 < duration.0).collect(), rates)
        }
        Trip::Throttle(_) => return false,
    };
    let share = |count: usize| count as f64 / window.len() as f64;
    // The rates of this test are tenths: far enough from each other for floating point.
    let reached = |rate: f64, count: usize| share(count) >= rate - 1e-9;
    let rate_of =
        |wanted: Rate| (0..=10).map(|t| f64::from(t) / 10.0).find(|t| Rate::from_f64(*t) == wanted).unwrap();
    window.len() >= rates.minimum_calls as usize
        && (reached(rate_of(rates.failure), window.iter().filter(|result| result.1).count())
            || rates.slow.is_some_and(|slow| {
                reached(rate_of(slow.rate), window.iter().filter(|result| result.2).count())
            }))
}

const SLOW: u64 = 50;

#[derive(Clone, Debug)]
enum Act {
    Pass(u64),
    Admit,
    Settle(prop::sample::Index, Outcome, bool),
    Record(Outcome, bool),
    Isolate,
    Lift,
    Disable,
    Reset,
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        3 => Just(Outcome::Failure),
        2 => (0_u64..300).prop_map(|ms| Outcome::FailureWithHint(Millis(ms))),
        4 => Just(Outcome::Success),
        1 => Just(Outcome::Neutral),
    ]
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (0_u64..60).prop_map(Act::Pass),
        10 => Just(Act::Admit),
        10 => (any::<prop::sample::Index>(), outcomes(), any::<bool>()).prop_map(|(i, o, s)| Act::Settle(i, o, s)),
        3 => (outcomes(), any::<bool>()).prop_map(|(o, s)| Act::Record(o, s)),
        1 => Just(Act::Isolate),
        2 => Just(Act::Lift),
        1 => Just(Act::Disable),
        1 => Just(Act::Reset),
    ]
}

fn trip_kinds() -> impl Strategy<Value = Trip> {
    let rates =
        (1_u32..=10, 1_u32..6, prop::option::of(1_u32..=10)).prop_map(|(failure, minimum_calls, slow)| {
            let tenths = |tenths: u32| Rate::from_f64(f64::from(tenths) / 10.0);
            let slow = slow.map(|rate| SlowCalls { duration: Millis(SLOW), rate: tenths(rate) });
            Rates { failure: tenths(failure), minimum_calls, slow }
        });
    prop_oneof![
        (1_u32..5).prop_map(Trip::Consecutive),
        (6_u32..12, rates.clone()).prop_map(|(size, rates)| Trip::Count { size, rates }),
        // Up to a hundred milliseconds each has a bucket of its own: the list is exact.
        (1_u64..=100, rates).prop_map(|(ms, rates)| Trip::Time { duration: Millis(ms), rates }),
        (10_u32..40, 1_u64..=100, 0_u32..6).prop_map(|(tenths, ms, minimum_calls)| {
            let k = Factor::from_f64(f64::from(tenths) / 10.0);
            Trip::Throttle(Throttle { k, window: Millis(ms), minimum_calls })
        }),
    ]
}

fn configs() -> impl Strategy<Value = BreakerConfig> {
    let ramps = prop_oneof![Just(0), 1_u64..300];
    (trip_kinds(), 1_u64..100, any::<bool>(), 1_u32..4, 1_u32..4, 1_u64..100, ramps, any::<u64>()).prop_map(
        |(trip, reset, doubles, half_open_max_calls, success_threshold, probe, ramp, seed)| BreakerConfig {
            trip,
            reset_timeout: Millis(reset),
            reset_backoff: Factor::TWO,
            max_reset_timeout: Millis(if doubles { reset * 5 } else { reset }),
            half_open_max_calls,
            success_threshold,
            probe_timeout: Millis(probe),
            ramp: Millis(ramp),
            seed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn it_does_what_the_simple_one_does(config in configs(), acts in prop::collection::vec(acts(), 1..120)) {
        let mut breaker = Breaker::new(config);
        let rng = SplitMix64::new(config.seed);
        let mut model = Model { config, mode: closed(None), era: 0, isolations: 0, failed_probes: 0, rng };
        let throttles = matches!(config.trip, Trip::Throttle(_));
        let (mut permits, mut given): (Vec<(usize, u32, Permit)>, usize) = (Vec::new(), 0);
        let (mut now, mut seen) = (0, BreakerState::Closed);
        for act in acts {
            let at = Timestamp(now);
            let took = |slow: bool| Some(Millis(if slow { SLOW } else { SLOW - 1 }));
            // Without a slow-call rule nothing is slow.
            let counts_slow = |slow: bool| slow && config.trip.slow_from().is_some();
            match act {
                Act::Pass(ms) => now += ms,
                Act::Admit => {
                    let admitted = breaker.admit(at);
                    prop_assert_eq!(admitted.is_ok(), model.admit(given, now));
                    if let Ok(permit) = admitted {
                        permits.push((given, model.era, permit));
                        given += 1;
                    }
                }
                Act::Settle(index, outcome, slow) if !permits.is_empty() => {
                    let (id, era, permit) = permits.swap_remove(index.index(permits.len()));
                    breaker.settle(permit, outcome, took(slow), at);
                    model.settle(id, era, outcome, counts_slow(slow), now);
                }
                Act::Settle(..) => {}
                Act::Record(outcome, slow) => {
                    breaker.record(outcome, took(slow), at);
                    model.record(outcome, counts_slow(slow), now);
                }
                Act::Isolate => {
                    breaker.isolate(at);
                    if model.isolations == 0 {
                        model.era += 1;
                        if let Mode::HalfOpen { places, late, .. } = &mut model.mode {
                            places.clear();
                            late.clear();
                        }
                    }
                    model.isolations += 1;
                }
                Act::Lift => {
                    breaker.lift_isolation(at);
                    if model.isolations == 1 {
                        model.era += 1;
                    }
                    model.isolations = model.isolations.saturating_sub(1);
                }
                Act::Disable => {
                    breaker.disable(at);
                    if !matches!(model.mode, Mode::Disabled) {
                        model.enter(Mode::Disabled);
                    }
                }
                Act::Reset => {
                    breaker.reset(at);
                    model.failed_probes = 0;
                    model.enter(closed(None));
                }
            }
            let at = Timestamp(now);
            prop_assert_eq!(breaker.state(at), model.state(now));
            // `can_execute` agrees with the admission.
            let mut asked = breaker.clone();
            let rate = asked.refusal_rate(at).as_f64();
            prop_assert!((0.0..=1.0).contains(&rate));
            prop_assert_eq!(breaker.can_execute(at), if throttles { rate < 1.0 } else { asked.admit(at).is_ok() });
            if let (Mode::Closed { results, requests, .. }, Trip::Throttle(throttle), 0) =
                (&model.mode, &config.trip, model.isolations)
            {
                prop_assert!((rate - refusal(throttle, results, requests, now)).abs() < 1e-6);
            }
            if let Some(wait) = breaker.retry_after(at)
                && !throttles
            {
                prop_assert!(breaker.clone().admit(at + wait).is_ok());
                prop_assert!(wait == Millis::ZERO || breaker.clone().admit(at + (wait - Millis(1))).is_err());
            }
            // Changes form a chain, each to another state.
            while let Some(change) = breaker.poll_change() {
                prop_assert_eq!(change.from, seen);
                prop_assert_ne!(change.from, change.to);
                prop_assert!(change.generation <= breaker.generation());
                seen = change.to;
            }
        }
    }
}
