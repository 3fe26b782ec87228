//! Scenarios drawn by chance: what a default policy must hold in.
//!
//! Eleven kinds of trouble in turn; who calls, how often, how long service takes, how much of the provider is used, its queue and
//! the length of the trouble are drawn. Nothing is left out for being hopeless: a provider that is used up stays so.

use super::random::unit;
use halfopen::invariant::Always;
use halfopen::rng::SplitMix64;
use serde_json::{Map, Value, json};

/// The kinds of trouble, in the order in which they are drawn.
pub const KINDS: [&str; 11] = [
    "calm",
    "errors",
    "outage",
    "pause",
    "slow",
    "capacity",
    "load",
    "limit",
    "flapping",
    "blackhole",
    "overloaded",
];

/// A scenario of chance.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// One of [`KINDS`].
    pub kind: &'static str,
    /// All of the scenario but its policies.
    scenario: Map<String, Value>,
    timeout: Value,
}

impl Drawn {
    /// The scenario of that number: the same seed draws the same one.
    ///
    /// ```
    /// use halfopen_lab::{Drawn, Run, Scenario};
    /// let drawn = Drawn::new(1, 0);
    /// assert_eq!(drawn.kind, "calm");
    /// let scenario = drawn.with(&[("no policy", r#"{ "retry": false, "breaker": false }"#)]).unwrap();
    /// assert!(Run::new(&Scenario::from_json(&scenario).unwrap(), "no policy").is_ok());
    /// ```
    #[must_use]
    pub fn new(seed: u64, index: u32) -> Self {
        let mut dice = Dice(SplitMix64::for_call(seed, u64::from(index)));
        let kind = KINDS.get(index as usize % KINDS.len()).copied().unwrap_or("calm");
        dice.scenario(kind)
    }

    /// The scenario with these policies, as JSON; each has the scenario's timeouts too.
    ///
    /// # Errors
    /// A policy is not an object in JSON.
    pub fn with(&self, policies: &[(&str, &str)]) -> Result<String, serde_json::Error> {
        let mut read = Map::new();
        for (name, policy) in policies {
            let mut policy: Map<String, Value> = serde_json::from_str(policy)?;
            policy.insert("timeout".to_owned(), self.timeout.clone());
            read.insert((*name).to_owned(), Value::Object(policy));
        }
        let mut scenario = self.scenario.clone();
        scenario.insert("policies".to_owned(), Value::Object(read));
        serde_json::to_string(&scenario)
    }
}

struct Dice(SplitMix64);

impl Dice {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * unit(&mut self.0)
    }

    /// Each order of magnitude is as likely as the others.
    fn scale(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    fn chance(&mut self, share: f64) -> bool {
        unit(&mut self.0) < share
    }

    fn one_of<'a>(&mut self, items: &[&'a str]) -> &'a str {
        let last = items.len().saturating_sub(1) as u64;
        let index = usize::try_from(self.0.between(0, last)).always();
        items.get(index).copied().always()
    }

    fn scenario(&mut self, kind: &'static str) -> Drawn {
        let processes = if self.chance(0.4) { 1.0 } else { libm::round(self.scale(2.0, 400.0)) };
        let service = libm::round(self.scale(80.0, 4000.0));
        // From a call a minute to five a second, of each process.
        let per_second = (self.scale(1.0 / 60.0, 5.0) * processes).clamp(0.05, 60.0);
        let duration = libm::round((30_000_000.0 / per_second).clamp(180_000.0, 240_000.0));
        let used = self.between(0.3, 1.0);
        let servers = libm::ceil(per_second * service / 1000.0 / used).max(1.0);
        let attempt = libm::round(service * self.between(3.0, 10.0));
        let trouble_for = libm::round(self.scale(3000.0, 120_000.0));

        let mut provider = json!({
            "servers": servers,
            "service": match self.one_of(&["exponential", "lognormal", "constant"]) {
                "lognormal" => json!({ "kind": "lognormal", "median": service * 0.8, "sigma": 0.6 }),
                kind => json!({ "kind": kind, "mean": service }),
            },
            "queue": if self.chance(0.25) {
                json!(libm::ceil(servers * self.between(1.0, 10.0)))
            } else {
                json!("unbounded")
            },
            "abandons": self.chance(0.3),
        });
        let faults = self.trouble(kind, &mut provider, service, per_second, trouble_for);

        let open = self.chance(0.5);
        let users =
            if open { processes } else { libm::ceil(per_second * (service / 1000.0 + 1.0)).max(processes) };
        let think = (users / per_second * 1000.0 - service).max(10.0);
        let mut clients = json!({
            "count": users,
            "processes": processes,
            "arrivals": if open {
                json!({ "kind": "open", "perSecond": per_second })
            } else {
                json!({ "kind": "closed", "think": { "kind": "exponential", "mean": think } })
            },
        });
        let mut timeout = json!({ "attemptMs": attempt });
        if self.chance(0.3) {
            set(&mut clients, "patienceMs", json!(libm::round(attempt * self.between(1.5, 5.0))));
        }
        if self.chance(0.5) {
            set(&mut timeout, "totalMs", json!(libm::round(attempt * self.between(2.0, 6.0))));
        }
        let scenario = json!({
            "version": 1,
            "name": format!("{kind}: {processes} processes, {per_second:.2} calls a second, {service} ms, {:.0} % used", used * 100.0),
            "seed": self.0.next_u64() >> 12,
            "durationMs": duration,
            "clients": clients,
            "provider": provider,
            "faults": faults,
        });
        let Value::Object(scenario) = scenario else { return Drawn { kind, scenario: Map::new(), timeout } };
        Drawn { kind, scenario, timeout }
    }

    fn trouble(
        &mut self,
        kind: &str,
        provider: &mut Value,
        service: f64,
        per_second: f64,
        long: f64,
    ) -> Vec<Value> {
        /// Every trouble begins after a minute without any, in milliseconds.
        const AT: f64 = 60_000.0;
        let codes = ["SERVER_ERROR", "NETWORK_ERROR", "PROVIDER_OVERLOADED", "TIMEOUT"];
        let fault = |kind: &str| json!({ "kind": kind, "atMs": AT, "forMs": long });
        let at_least = |seconds: f64| long.max(seconds * 1000.0);
        match kind {
            "errors" if self.chance(0.3) => {
                let (code, rate) = (self.one_of(&codes), self.between(0.01, 0.2));
                let latency = service * self.between(0.0, 1.0);
                set(provider, "errors", json!([{ "code": code, "rate": rate, "latencyMs": latency }]));
                Vec::new()
            }
            "errors" => {
                let (code, rate) = (self.one_of(&codes), self.between(0.04, 1.0));
                vec![json!({ "kind": kind, "atMs": AT, "forMs": long, "code": code, "rate": rate })]
            }
            "outage" => vec![fault(kind)],
            "pause" => vec![json!({ "kind": kind, "atMs": AT, "forMs": self.scale(500.0, 30_000.0) })],
            "slow" => {
                vec![json!({ "kind": kind, "atMs": AT, "forMs": long, "factor": self.between(1.5, 8.0) })]
            }
            "capacity" => {
                vec![
                    json!({ "kind": kind, "atMs": AT, "forMs": at_least(10.0), "factor": self.between(0.2, 0.7) }),
                ]
            }
            "load" => {
                vec![
                    json!({ "kind": kind, "atMs": AT, "forMs": at_least(10.0), "factor": self.between(1.5, 3.0) }),
                ]
            }
            "limit" => {
                let window = match self.one_of(&["1", "10", "60"]) {
                    "1" => 1000.0,
                    "10" => 10_000.0,
                    _ => 60_000.0,
                };
                let limit = libm::ceil(per_second * window / 1000.0 * self.between(0.5, 1.3)).max(1.0);
                let hint = self.one_of(&["exact", "seconds", "none"]);
                set(provider, "rateLimit", json!({ "limit": limit, "windowMs": window, "retryAfter": hint }));
                Vec::new()
            }
            "flapping" => {
                let (up, down) = (self.between(3000.0, 20_000.0), self.between(1000.0, 10_000.0));
                let times = self.between(3.0, 10.0);
                let begins = (0..10)
                    .map(f64::from)
                    .take_while(|&time| time < times)
                    .map(|time| AT + time * (up + down));
                begins.map(|at| json!({ "kind": "outage", "atMs": at, "forMs": down })).collect()
            }
            "blackhole" => vec![json!({ "kind": kind, "atMs": AT, "forMs": long.min(40_000.0) })],
            "overloaded" => {
                let mut errors = json!({
                    "kind": "errors", "atMs": AT, "forMs": long,
                    "code": "PROVIDER_OVERLOADED", "rate": self.between(0.2, 0.95),
                });
                if self.chance(0.5) {
                    set(&mut errors, "retryAfterMs", json!(libm::round(self.scale(500.0, 20_000.0))));
                }
                vec![errors]
            }
            _ => Vec::new(),
        }
    }
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(fields) = object {
        fields.insert(key.to_owned(), value);
    }
}
