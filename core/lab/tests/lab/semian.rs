//! The phases of Shopify's experiments with Semian: what a breaker that counts does in a spike of errors.
//!
//! <https://github.com/Shopify/semian>, `experiments` (2026), classic breaker: 12 errors in 20 s open it for 15 s, 2 successes
//! close it; seven phases of 20 s, the fourth with the spike. Published, as percent of calls that failed and that were
//! rejected, in a spike of all calls: 1.1/0, 1.0/0, 1.1/0, 3.8/95.3, 0.2/79.3, 1.1/0, 1.1/0; of a fifth: 1.1/0 before, then 4.2/78.9,
//! 0.2/83.3, 0.6/37.6, 0.9/0.
//!
//! Rejections in the fifth phase come from the breaker, which has not closed yet.
//!
//! Assumed: 60 threads (the publication's), each a process that calls 20 times a second; 1 % of calls fail without a
//! spike; the breaker is per thread; calls are not retried. Semian counts errors, whatever the number of calls. Our
//! breaker counts their share, here 12 of the 400 calls of 20 s, once it has 300 results. Two inputs are fitted. One is
//! the rate: a thread there takes its next request when it is done with one, so the rate depends on the machine. The
//! other is that minimum, without which a share of few calls trips when Semian's count does not. The figures of the
//! spike are therefore reproduced and not predicted. Tolerance: 10 points in the phase of the spike; afterwards the
//! shape (rejections in the phase after the spike, and none in the last).

use super::bands::{band, runs};
use super::scenario;
use halfopen_lab::{PolicyResult, Scenario};
use serde_json::json;

const PHASE: usize = 20;
const PER_THREAD: f64 = 20.0;

fn spike(rate: f64) -> Scenario {
    let calls_in_window = PER_THREAD * 20.0;
    let window = json!({
        "kind": "time", "durationMs": 20_000, "failureRate": 12.0 / calls_in_window, "minimumCalls": 300,
    });
    scenario(json!({
        "version": 1, "durationMs": 140_000,
        "clients": { "count": 60, "arrivals": { "kind": "open", "perSecond": 60.0 * PER_THREAD } },
        "policies": { "classic": {
            "retry": false, "breaker": { "window": window, "resetTimeoutMs": 15_000, "successThreshold": 2 },
        } },
        "provider": {
            "servers": 1000, "service": { "kind": "constant", "mean": 20 }, "errors": [{ "code": "SERVER_ERROR", "rate": 0.01 }],
        },
        "faults": [{ "kind": "errors", "atMs": 60_000, "forMs": 20_000, "code": "SERVER_ERROR", "rate": rate }],
    }))
}

/// Of the calls of a phase, the share in a series, in percent.
fn percent(result: &PolicyResult, phase: usize, of: impl Fn(&PolicyResult) -> &Vec<u32>) -> f64 {
    let sum = |series: &[u32]| f64::from(series[phase * PHASE..(phase + 1) * PHASE].iter().sum::<u32>());
    100.0 * sum(of(result)) / sum(&result.series.offered)
}

fn rejected(phase: usize) -> impl Fn(&PolicyResult) -> f64 {
    move |result| percent(result, phase, |result| &result.series.rejected)
}

fn failed(phase: usize) -> impl Fn(&PolicyResult) -> f64 {
    move |result| percent(result, phase, |result| &result.series.failed)
}

#[test]
fn a_spike_of_all_calls() {
    let runs = runs(&spike(1.0), "classic");
    for phase in 0..3 {
        let (failed, rejected) = (failed(phase), rejected(phase));
        assert!((band("failed before, %", &runs, failed).mean - 1.1).abs() < 0.5);
        assert!(band("rejected before, %", &runs, rejected).mean < 1.5);
    }
    let during = band("rejected in the spike, %", &runs, rejected(3));
    assert!((during.mean - 95.3).abs() < 10.0, "{during:?}");
    let failed = band("failed in the spike, %", &runs, failed(3));
    assert!((failed.mean - 3.8).abs() < 10.0, "{failed:?}");
    assert!(band("rejected after it, %", &runs, rejected(4)).low > 20.0);
    assert!(band("rejected at the end, %", &runs, rejected(6)).mean < 1.5);
}

#[test]
fn a_spike_of_a_fifth_of_the_calls_becomes_an_outage() {
    let runs = runs(&spike(0.2), "classic");
    let during = band("rejected in the spike, %", &runs, rejected(3));
    assert!((during.mean - 78.9).abs() < 10.0, "{during:?}");
    let failed = band("failed in the spike, %", &runs, failed(3));
    assert!((failed.mean - 4.2).abs() < 10.0, "{failed:?}");
    assert!(band("rejected at the end, %", &runs, rejected(6)).mean < 1.5);
}
