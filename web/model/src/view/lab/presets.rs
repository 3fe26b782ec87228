//! The presets of the Lab view: scenarios, and policies to compare.

use super::json::Json;

/// A scenario to begin with.
pub struct Preset {
    pub word: &'static str,
    pub name: &'static str,
    /// The events in it, and where to look.
    pub says: &'static str,
    pub json: &'static str,
}

/// The scenarios, the first of them shown when the view is opened.
pub const PRESETS: &[Preset] = &[
    Preset {
        word: "outage",
        name: "Provider outage",
        says: "The provider refuses everything for 20 s and comes back with half of its servers for 15 s. Without a budget, \
               retries multiply the load just when there is least room for it, and the queue never drains again.",
        json: include_str!("presets/outage.json"),
    },
    Preset {
        word: "rate-limits",
        name: "429 storm",
        says: "For 40 s the provider answers 70 % of the requests with RATE_LIMITED and requests a wait of 3 s. All callers that \
               waited come back together, on top of the traffic of that moment.",
        json: include_str!("presets/rate-limits.json"),
    },
    Preset {
        word: "slow-ramp",
        name: "Slow ramp",
        says: "Over 40 s the provider becomes three times slower. Nothing fails at first: requests begin to time out, and the \
               servers go on working for callers who have left.",
        json: include_str!("presets/slow-ramp.json"),
    },
    Preset {
        word: "flapping",
        name: "Flapping",
        says: "Four outages of 8 s, 12 s apart. A breaker that stays open for long refuses calls that would have succeeded.",
        json: include_str!("presets/flapping.json"),
    },
    Preset {
        word: "herd",
        name: "Herd after recovery",
        says: "For 20 s nothing is answered at all. Then 400 users, each in a process of their own, come back at once: no \
               process alone sees how many the others are.",
        json: include_str!("presets/herd.json"),
    },
    Preset {
        word: "metastable",
        name: "Metastable failure",
        says: "A pause of one second at 70 % load, as of a garbage collection. It ends, and the outage does not: what waits in \
               the queue has timed out when it is served, and each timeout sends more.",
        json: include_str!("presets/metastable.json"),
    },
];

/// Policies to compare: name, and options.
pub const POLICIES: &[(&str, &str)] = &[
    ("No policy", r#"{"retry":false,"breaker":false}"#),
    ("The default", "{}"),
    (
        "10 retries, no budget",
        r#"{"retry":{"maxRetries":10,"baseDelayMs":100,"backoffFactor":1,"jitter":"full","budget":false},"breaker":false}"#,
    ),
    ("Retry budget 10 %", r#"{"retry":{"budget":{"ratio":0.1,"minPerSecond":0}},"breaker":false}"#),
    ("Throttling breaker", r#"{"breaker":{"throttle":{"k":2,"windowMs":10000,"minimumCalls":20}}}"#),
    (
        "Capability preset",
        r#"{"retry":{"baseDelayMs":1000,"maxDelayMs":"Infinity","backoffFactor":1.5,"enableJitter":false}}"#,
    ),
    (
        "Service preset",
        r#"{"retry":{"maxDelayMs":30000,"enableJitter":false,"retryOn":["llm_failed","network","timeout"]},"breaker":{"resetTimeoutMs":60000,"halfOpenMaxCalls":1}}"#,
    ),
];

/// The scenario of a preset.
pub fn scenario(preset: &Preset) -> Json {
    Json::parse(preset.json).unwrap_or(Json::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::lab::json::{Key, path};
    use halfopen_lab::{Run, Scenario};

    /// Goodput of the last 30 s, as a share of that before the first fault.
    fn recovered(scenario: &Scenario, policy: &str) -> f64 {
        let result = Run::new(scenario, policy).unwrap().to_end();
        let interval = scenario.interval_ms;
        let fault = scenario.faults.iter().map(|fault| fault.at_ms).fold(f64::INFINITY, f64::min);
        result.mean_goodput(interval, scenario.duration_ms - 30_000.0, scenario.duration_ms)
            / result.mean_goodput(interval, 0.0, fault)
    }

    #[test]
    fn the_core_reads_every_preset() {
        for preset in PRESETS {
            Scenario::from_json(preset.json).unwrap();
            assert_eq!(scenario(preset).get("name").and_then(Json::text), Some(preset.name));
        }
        let words: std::collections::BTreeSet<_> = PRESETS.iter().map(|preset| preset.word).collect();
        assert_eq!(words.len(), PRESETS.len());
    }

    #[test]
    fn the_core_reads_every_policy() {
        for (name, options) in POLICIES {
            let mut document = scenario(&PRESETS[0]);
            let key = [Key::Name("policies".into()), Key::Name((*name).into())];
            document.set(&key, Json::parse(options).unwrap());
            Scenario::from_json(&document.compact()).unwrap();
        }
    }

    /// The purpose of the view, for a newcomer's first look.
    #[test]
    fn ten_retries_without_a_budget_never_recover_and_a_budget_does() {
        for preset in PRESETS.iter().filter(|preset| preset.word != "flapping") {
            let scenario = Scenario::from_json(preset.json).unwrap();
            let (bad, good) =
                (recovered(&scenario, "10 retries, no budget"), recovered(&scenario, "Retry budget 10 %"));
            assert!(bad < 0.1 && good > 0.9, "{}: {bad} and {good}", preset.name);
        }
    }

    #[test]
    fn paths_of_presets_can_be_edited() {
        for preset in PRESETS {
            let document = scenario(preset);
            assert!(document.at(&path("provider.servers")).is_some(), "{}", preset.name);
        }
    }
}
