//! `backoff.json`: a seed fixes every delay, here and everywhere.

use crate::cases;
use halfopen::policy::{PolicyOptions, Preset, RetryOptions};
use halfopen::rng::SplitMix64;
use halfopen::time::Millis;
use serde::Deserialize;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    preset: Option<String>,
    options: RetryOptions,
    #[serde(default)]
    call: RetryOptions,
    seed: u64,
    calls: Vec<Vec<u64>>,
}

#[test]
fn the_seed_fixes_every_delay() {
    let cases: Vec<Case> = cases(include_str!("../../../tests/vectors/backoff.json"));
    for case in cases {
        let name = case.preset.as_deref().unwrap_or("agent");
        let preset = Preset::ALL.into_iter().find(|preset| preset.as_str() == name).unwrap();
        let backoff = case.call.over(case.options.over(preset.retry())).backoff;
        for (number, expected) in (1..).zip(&case.calls) {
            let mut rng = SplitMix64::for_call(case.seed, number);
            let mut previous = Millis::ZERO;
            let delays: Vec<u64> = (1..=6)
                .map(|retry| {
                    previous = backoff.delay(retry, previous, &mut rng).delay;
                    previous.0
                })
                .collect();
            assert_eq!(
                &delays, expected,
                "{name}, {:?}, {:?}, seed {}, call {number}",
                case.options, case.call, case.seed
            );
        }
    }
}

#[test]
fn options_have_the_contracts_names() {
    let options: PolicyOptions = serde_json::from_str(
        r#"{ "retry": { "maxRetries": 1, "retryOn": ["network"], "jitter": "full" }, "breakerScope": "attempt",
             "timeout": { "totalMs": 1.5 }, "bulkhead": { "maxConcurrent": 2 }, "rateLimit": { "limit": 3, "windowMs": 4 } }"#,
    )
    .unwrap();
    let config = options.config(Default::default());
    assert_eq!(config.call.retry.max_retries, 1);
    assert_eq!(config.call.total, Some(Millis(2)));
    assert_eq!(config.bulkhead.unwrap().max_queued, 0);
    assert_eq!(config.rate_limits[0].limit, 3);
    for wrong in [
        r#"{ "retry": { "retryOn": ["nonsense"] } }"#,
        r#"{ "retry": { "jitter": "some" } }"#,
        r#"{ "breakerScope": "all" }"#,
    ] {
        assert!(serde_json::from_str::<PolicyOptions>(wrong).is_err(), "{wrong}");
    }
}
