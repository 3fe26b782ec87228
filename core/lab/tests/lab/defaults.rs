//! The table of defaults (`core/src/policy/defaults.rs`): each row's experiment, and the whole over drawn scenarios.

use super::{run, scenario};
use halfopen_lab::{Drawn, Run, Scenario};
use serde_json::{Value, json};

const NO_POLICY: &str = r#"{ "retry": false, "breaker": false }"#;
const DEFAULT: &str = "{}";

/// Answered calls in percent, and requests for each request that there is without a policy.
struct Compared {
    answered: f64,
    none: f64,
    load: f64,
}

fn compared(drawn: &Drawn) -> Compared {
    let text = drawn.with(&[("none", NO_POLICY), ("default", DEFAULT)]).unwrap();
    let scenario = Scenario::from_json(&text).unwrap();
    let totals = |policy: &str| Run::new(&scenario, policy).unwrap().to_end().totals;
    let (none, ours) = (totals("none"), totals("default"));
    Compared {
        answered: ours.success_rate * 100.0,
        none: none.success_rate * 100.0,
        load: ours.amplification / none.amplification,
    }
}

/// Three draws of sixty.
#[test]
fn over_drawn_scenarios_the_default_answers_more_than_no_policy_and_loads_the_provider_little() {
    let draws = (1..=3).flat_map(|seed| (0..60).map(move |index| Drawn::new(seed, index)));
    let all: Vec<Compared> = draws.map(|drawn| compared(&drawn)).collect();
    let count = all.len() as f64;
    let mean = |of: fn(&Compared) -> f64| all.iter().map(of).sum::<f64>() / count;
    let gain = mean(|it| it.answered) - mean(|it| it.none);
    let worse = all.iter().filter(|it| it.answered < it.none - 2.0).count();
    let behind = all.iter().map(|it| it.none - it.answered).fold(0.0, f64::max);
    let (load, most) = (mean(|it| it.load), all.iter().map(|it| it.load).fold(0.0, f64::max));
    assert!(gain >= 3.0, "{gain:.2} points more");
    assert!(worse <= 9 && behind <= 15.0, "worse in {worse}, by at most {behind:.1}");
    assert!(load <= 1.15 && most <= 2.5, "load {load:.3}, at most {most:.2}");
}

/// A scenario with this policy, as a share of answered calls.
fn answered(mut it: Value, policy: Value) -> f64 {
    it["version"] = json!(1);
    it["policies"] = json!({ "it": policy });
    run(&scenario(it), "it", 5).totals.success_rate * 100.0
}

fn timeout(ms: u32) -> Value {
    json!({ "timeout": { "attemptMs": ms } })
}

fn without(ms: u32) -> Value {
    json!({ "retry": false, "breaker": false, "timeout": { "attemptMs": ms } })
}

/// `quiet`: one agent that makes a call every few seconds, with errors by chance.
#[test]
fn a_quiet_agent_has_its_three_retries() {
    for (code, least) in
        [("SERVER_ERROR", 99.0), ("NETWORK_ERROR", 99.0), ("RATE_LIMITED", 99.0), ("TIMEOUT", 95.0)]
    {
        let scenario = json!({
            "durationMs": 3_600_000,
            "clients": { "count": 1, "arrivals": { "kind": "closed", "think": { "kind": "exponential", "mean": 3000 } } },
            "provider": {
                "servers": 10, "service": { "kind": "exponential", "mean": 500 },
                "errors": [{ "code": code, "rate": 0.2, "latencyMs": 100 }],
            },
        });
        let share = answered(scenario, timeout(8000));
        assert!(share >= least, "{code}: {share:.2} %");
    }
}

/// `modest`: 321 processes that each make a call a minute, and a provider that is six times slower for 18 s and keeps
/// serving requests whose callers have left. Retries after timeouts keep it overloaded forever.
#[test]
fn processes_that_see_little_do_not_keep_a_provider_overloaded() {
    let modest = || {
        json!({
            "durationMs": 600_000,
            "clients": { "count": 321, "processes": 321, "arrivals": { "kind": "open", "perSecond": 5.35 } },
            "provider": { "servers": 6, "service": { "kind": "exponential", "mean": 1000 } },
            "faults": [{ "kind": "slow", "atMs": 60_000, "forMs": 18_000, "factor": 6 }],
        })
    };
    let mean = |policy: Value| {
        let shares = (1..=40).map(|seed| {
            let mut it = modest();
            it["version"] = json!(1);
            it["policies"] = json!({ "it": policy });
            run(&scenario(it), "it", seed).totals.success_rate * 100.0
        });
        shares.sum::<f64>() / 40.0
    };
    let (ours, none) = (mean(timeout(5000)), mean(without(5000)));
    let documented = mean(
        json!({ "retry": { "budget": false }, "breaker": json!({ "resetTimeoutMs": 60_000, "halfOpenMaxCalls": 1 }), "timeout": { "attemptMs": 5000 } }),
    );
    assert!(ours >= none - 25.0, "{ours:.1} %, {none:.1} % without a policy");
    assert!(documented < ours - 30.0, "three retries without a quota answer {documented:.1} %");
}

/// `outage`: calls are answered again within 10 s of its end, however long it was.
#[test]
fn after_an_outage_calls_are_answered_within_ten_seconds() {
    for for_ms in [1000_u32, 5000, 20_000, 60_000, 120_000] {
        for per_second in [0.3, 2.0, 20.0] {
            let it = json!({
                "version": 1, "durationMs": 300_000,
                "clients": { "count": 20, "processes": 1, "arrivals": { "kind": "open", "perSecond": per_second } },
                "policies": { "it": timeout(8000) },
                "provider": { "servers": 30, "service": { "kind": "exponential", "mean": 500 } },
                "faults": [{ "kind": "outage", "atMs": 60_000, "forMs": for_ms }],
            });
            let series = run(&scenario(it), "it", 5).series;
            let end = (60 + for_ms / 1000) as usize;
            let back = series.succeeded[end..].iter().position(|&count| count > 0);
            assert!(back.is_some_and(|seconds| seconds <= 10), "{for_ms} ms at {per_second}/s: {back:?}");
        }
    }
}

/// Natively and as WebAssembly the same scenarios are drawn, and the same is decided in them: the package's test has them from the
/// same file.
#[test]
fn draws_are_the_same_on_every_host() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/lab/drawn.json");
    let here: Vec<Value> = (0..11)
        .map(|index| {
            let text = Drawn::new(7, index).with(&[("the default", DEFAULT)]).unwrap();
            let scenario = Scenario::from_json(&text).unwrap();
            let hash = Run::new(&scenario, "the default").unwrap().to_end().hash;
            json!({ "name": scenario_name(&text), "hash": hash })
        })
        .collect();
    if std::env::var_os("UPDATE").is_some() {
        let about = "Scenarios that are drawn with the seed 7, and the hashes of what a default policy decides in them.";
        let text =
            serde_json::to_string_pretty(&json!({ "about": about, "seed": 7, "scenarios": here })).unwrap();
        std::fs::write(path, text + "\n").unwrap();
    }
    let there: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(json!(here), there["scenarios"], "what decides has changed: UPDATE=1 writes the new hashes");
}

fn scenario_name(text: &str) -> String {
    let scenario: Value = serde_json::from_str(text).unwrap();
    scenario["name"].as_str().unwrap().to_owned()
}
