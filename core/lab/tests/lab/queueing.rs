//! Waiting times of M/M/1, M/M/c and M/D/1, within 2 %.
//!
//! Kleinrock, "Queueing Systems, Volume 1: Theory" (1975): §3.2 (M/M/1), §3.5 (M/M/m, Erlang's C formula), §5.6 (M/G/1,
//! Pollaczek and Khinchin's formula, of which M/D/1 is the case without variance).

use super::{SEEDS, assert_near, run, scenario};
use serde_json::json;

const SERVICE_MS: f64 = 10.0;

fn mean_wait(servers: u32, load: f64, kind: &str, seed: u64) -> f64 {
    let per_second = load * f64::from(servers) * 1000.0 / SERVICE_MS;
    let scenario = scenario(json!({
        "version": 1, "durationMs": 800_000.0 * 1000.0 / per_second, "intervalMs": 1e6,
        "clients": { "count": 1, "arrivals": { "kind": "open", "perSecond": per_second } },
        "policies": { "none": { "retry": false, "breaker": false } },
        "provider": { "servers": servers, "service": { "kind": kind, "mean": SERVICE_MS } },
    }));
    let result = run(&scenario, "none", seed);
    let queueing = result.queueing;
    // W = Wq + the service itself, and L = λW: measured apart from each other.
    assert_near("W", queueing.mean_stay_ms, queueing.mean_wait_ms + SERVICE_MS, 0.01);
    assert_near("L", queueing.mean_present, queueing.arrivals_per_ms * queueing.mean_stay_ms, 1e-9);
    queueing.mean_wait_ms
}

/// Erlang's C formula: the share of calls that wait for one of `servers`.
fn erlang_c(servers: u32, load: f64) -> f64 {
    let offered = load * f64::from(servers);
    // Erlang's B by its recursion, and C of it.
    let blocked =
        (1..=servers).fold(1.0, |blocked, n| offered * blocked / (f64::from(n) + offered * blocked));
    blocked / (1.0 - load * (1.0 - blocked))
}

#[test]
fn one_server_with_exponential_service() {
    for seed in SEEDS {
        assert_near("M/M/1", mean_wait(1, 0.5, "exponential", seed), 0.5 / (1.0 - 0.5) * SERVICE_MS, 0.02);
    }
}

#[test]
fn four_servers_with_exponential_service() {
    for seed in SEEDS {
        let expected = erlang_c(4, 0.7) * SERVICE_MS / (4.0 * (1.0 - 0.7));
        assert_near("M/M/4", mean_wait(4, 0.7, "exponential", seed), expected, 0.02);
    }
}

#[test]
fn one_server_with_constant_service() {
    for seed in SEEDS {
        assert_near(
            "M/D/1",
            mean_wait(1, 0.5, "constant", seed),
            0.5 / (2.0 * (1.0 - 0.5)) * SERVICE_MS,
            0.02,
        );
    }
}
