//! How many events a second the policy lab does, a million clients through an outage, the replay of a million events with a
//! hundred seeds, and metastable failure with a million clients: the least CPU time of some runs.
//!
//! `cargo run --release -p halfopen-lab --example lab_speed [<runs> [<part of a scenario's name>]]`
#![allow(clippy::unwrap_used, clippy::cast_precision_loss, clippy::indexing_slicing)]

use halfopen::Code;
use halfopen::policy::RetryConfig;
use halfopen_lab::{LabPolicy, PolicyResult, ROW, Recorder, Replay, Run, Scenario, failed, row};
use std::time::{Duration, Instant};

/// Calls of a thousand clients, of which a few fail: engine, breaker and budget at work.
const STEADY: &str = r#"{
    "version": 1, "durationMs": 300000,
    "clients": { "count": 1000, "processes": 10, "arrivals": { "kind": "open", "perSecond": 10000 } },
    "policies": { "full": { "retry": { "budget": {} }, "timeout": { "attemptMs": 2000 } } },
    "provider": {
        "servers": 1500, "service": { "kind": "exponential", "mean": 100 }, "errors": [{ "code": "SERVER_ERROR", "rate": 0.02 }]
    }
}"#;

/// A million clients that think for half a minute, and an outage of one.
const MILLION: &str = r#"{
    "version": 1, "durationMs": 300000,
    "clients": {
        "count": 1000000, "processes": 1000, "arrivals": { "kind": "closed", "think": { "kind": "exponential", "mean": 30000 } }
    },
    "policies": { "full": { "retry": { "budget": {} }, "timeout": { "attemptMs": 10000 } } },
    "provider": { "servers": 10000, "service": { "kind": "exponential", "mean": 200 } },
    "faults": [{ "kind": "outage", "atMs": 60000, "forMs": 60000 }]
}"#;

/// A million clients, and ten seconds at a tenth of the capacity: as in `tests/lab/metastable.rs`, which cites who found it.
const METASTABLE: &str = r#"{
    "version": 1, "durationMs": 90000,
    "clients": {
        "count": 1000000, "processes": 4, "arrivals": { "kind": "closed", "think": { "kind": "exponential", "mean": 30000 } }
    },
    "policies": {
        "jitter": {
            "retry": { "maxRetries": 4, "baseDelayMs": 200, "jitter": "full", "budget": false }, "breaker": false, "timeout": { "attemptMs": 1000 }
        },
        "budget": {
            "retry": { "maxRetries": 4, "baseDelayMs": 200, "budget": { "ratio": 0.1, "minPerSecond": 0 } },
            "breaker": false, "timeout": { "attemptMs": 1000 }
        },
        "breaker": {
            "retry": { "maxRetries": 4, "baseDelayMs": 200, "budget": false },
            "breaker": {
                "window": { "kind": "time", "durationMs": 10000, "failureRate": 0.5 }, "resetTimeoutMs": 10000
            },
            "timeout": { "attemptMs": 1000 }
        }
    },
    "provider": { "servers": 4444, "service": { "kind": "exponential", "mean": 100 } },
    "faults": [{ "kind": "capacity", "atMs": 20000, "forMs": 10000, "factor": 0.1 }]
}"#;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let runs = arguments.next().map_or(1, |runs| runs.parse().unwrap());
    let wanted = arguments.next().unwrap_or_default();
    for (name, text) in [("steady", STEADY), ("a million clients", MILLION)] {
        if !name.contains(&wanted) {
            continue;
        }
        let scenario = Scenario::from_json(text).unwrap();
        let (seconds, result) =
            (0..runs).map(|_| timed(&scenario, "full")).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        print(name, seconds, &result);
    }
    if "metastable".contains(&wanted) {
        let scenario = Scenario::from_json(METASTABLE).unwrap();
        for (policy, comes_back) in [("jitter", false), ("budget", true), ("breaker", true)] {
            let (seconds, result) = timed(&scenario, policy);
            print(&format!("metastable with {policy}"), seconds, &result);
            let goodput = |from, to| result.mean_goodput(1000.0, from, to);
            let share = goodput(60_000.0, 90_000.0) / goodput(5000.0, 20_000.0);
            println!("metastable with {policy}: {share:.3} of the goodput came back");
            assert!(if comes_back { share > 0.9 } else { share < 0.1 }, "{policy}: {share}");
        }
    }
    if "replay".contains(&wanted) {
        replay();
    }
}

fn timed(scenario: &Scenario, policy: &str) -> (f64, PolicyResult) {
    let clock = Clock::start();
    let result = Run::new(scenario, policy).unwrap().to_end();
    (clock.elapsed().as_secs_f64(), result)
}

fn print(name: &str, seconds: f64, result: &PolicyResult) {
    let totals = &result.totals;
    let per_second = totals.events as f64 / 1e6 / seconds;
    let nanos = seconds * 1e9 / totals.offered as f64;
    println!(
        "{name}: {} events of {} calls in {seconds:.2} s: {per_second:.1} M/s, {nanos:.0} ns a call; {}",
        totals.events, totals.offered, result.hash
    );
}

/// A log of a million events, of a provider that was away for six seconds of each minute, under five retries where it had none.
fn replay() {
    const EVENTS: usize = 1_000_000;
    const SEEDS: u32 = 100;
    let mut recorder = Recorder::default();
    let code = f64::from(Code::NetworkError.index());
    let mut events = 0_u32;
    let mut add = |recorder: &mut Recorder, kind: u32, call: u32, at: f64, rest: [f64; 6]| {
        let mut line = [0.0; ROW];
        line[..4].copy_from_slice(&[f64::from(kind), f64::from(call), at, f64::from(events)]);
        line[4..].copy_from_slice(&rest);
        recorder.rows(&line);
        events += 1;
        events as usize
    };
    add(&mut recorder, row::HOST, 0, 0.0, [1.0, 1.0, -1.0, 0.0, 0.0, 0.0]);
    for call in 0.. {
        let at = f64::from(call) * 20.0;
        let ended = at + 90.0;
        add(&mut recorder, row::CALL_STARTED, call, at, [0.0; 6]);
        add(&mut recorder, row::ATTEMPT_STARTED, call, at, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let recorded = if at % 60_000.0 > 54_000.0 {
            let flags = f64::from(failed::RETRYABLE | failed::COUNTED);
            add(&mut recorder, row::ATTEMPT_FAILED, call, ended, [1.0, 90.0, 0.0, code, flags, f64::NAN]);
            add(&mut recorder, row::CALL_ENDED, call, ended, [2.0, code, 1.0, 0.0, 0.0, 0.0])
        } else {
            add(&mut recorder, row::ATTEMPT_SUCCEEDED, call, ended, [1.0, 90.0, 0.0, 0.0, 0.0, 0.0]);
            add(&mut recorder, row::CALL_ENDED, call, ended, [0.0; 6])
        };
        if recorded >= EVENTS {
            break;
        }
    }
    let recorded = LabPolicy::new(RetryConfig { max_retries: 0, ..RetryConfig::default() }, None);
    let other = LabPolicy::new(RetryConfig { max_retries: 5, ..RetryConfig::default() }, None);
    let clock = Clock::start();
    let mut replay = Replay::new(recorder, vec![recorded], vec![other], SEEDS);
    while !replay.advance(u64::MAX) {}
    let seconds = clock.elapsed().as_secs_f64();
    assert_eq!(replay.after().len(), SEEDS as usize);
    println!("replay: {EVENTS} events with {SEEDS} seeds in {seconds:.2} s");
}

/// CPU time of this process where the system says it (Linux), so that others on the same processor do not count.
struct Clock(Option<u64>, Instant);

impl Clock {
    fn start() -> Self {
        Self(Self::cpu_nanos(), Instant::now())
    }

    fn cpu_nanos() -> Option<u64> {
        std::fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()
    }

    fn elapsed(&self) -> Duration {
        match (self.0, Self::cpu_nanos()) {
            (Some(began), Some(now)) => Duration::from_nanos(now - began),
            _ => self.1.elapsed(),
        }
    }
}
