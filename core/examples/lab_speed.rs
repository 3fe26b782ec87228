//! How many events a second the policy lab does, and a million clients through an outage: the least CPU time of some runs.
//!
//! `cargo run --release -p halfopen --features lab --example lab_speed [<runs> [<part of a scenario's name>]]`
#![allow(clippy::unwrap_used, clippy::cast_precision_loss)]

use halfopen::lab::{Run, Scenario};
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

fn main() {
    let mut arguments = std::env::args().skip(1);
    let runs = arguments.next().map_or(1, |runs| runs.parse().unwrap());
    let wanted = arguments.next().unwrap_or_default();
    for (name, text) in [("steady", STEADY), ("a million clients", MILLION)] {
        if !name.contains(&wanted) {
            continue;
        }
        let scenario = Scenario::from_json(text).unwrap();
        let run = |_| {
            let clock = Clock::start();
            let result = Run::new(&scenario, "full").unwrap().to_end();
            (clock.elapsed().as_secs_f64(), result)
        };
        let (seconds, result) = (0..runs).map(run).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let totals = result.totals;
        let per_second = totals.events as f64 / 1e6 / seconds;
        let nanos = seconds * 1e9 / totals.offered as f64;
        println!(
            "{name}: {} events of {} calls in {seconds:.2} s: {per_second:.1} M/s, {nanos:.0} ns a call; {}",
            totals.events, totals.offered, result.hash
        );
    }
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
