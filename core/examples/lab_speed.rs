//! How many events a second the policy lab does, and a million clients through an outage.
//!
//! `cargo run --release -p halfopen --features lab --example lab_speed`
#![allow(clippy::unwrap_used, clippy::cast_precision_loss)]

use halfopen::lab::{Run, Scenario};
use std::time::Instant;

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
    for (name, scenario) in [("steady", STEADY), ("a million clients", MILLION)] {
        let scenario = Scenario::from_json(scenario).unwrap();
        let began = Instant::now();
        let totals = Run::new(&scenario, "full").unwrap().to_end().totals;
        let seconds = began.elapsed().as_secs_f64();
        let (events, million) = (totals.events, totals.events as f64 / 1e6 / seconds);
        println!("{name}: {events} events in {seconds:.2} s, {million:.1} M/s; {} calls", totals.offered);
    }
}
