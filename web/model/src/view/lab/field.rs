//! The fields of the editor: each reads and writes one place of the scenario's JSON. The core reports bad values.

use super::json::{Json, Key, path, written};

/// The type of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number. Other input stays a text, and the core reports what it expected.
    Number,
    /// One of these: how it is called, and its JSON; an empty one stands for "not given".
    Choice(&'static [(&'static str, &'static str)]),
}

/// A field: the path of its value, below the whole or below a policy or a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub path: &'static str,
    pub label: &'static str,
    /// The unit after the number.
    pub unit: &'static str,
    /// The default, which applies while it is empty.
    pub absent: &'static str,
    pub kind: Kind,
    /// Shown only where the value there is of this kind; always, if empty.
    pub only: (&'static str, &'static str),
}

const ALWAYS: (&str, &str) = ("", "");

const fn number(path: &'static str, label: &'static str, unit: &'static str, absent: &'static str) -> Field {
    Field { path, label, unit, absent, kind: Kind::Number, only: ALWAYS }
}

const fn choice(
    path: &'static str,
    label: &'static str,
    options: &'static [(&'static str, &'static str)],
) -> Field {
    Field { path, label, unit: "", absent: "", kind: Kind::Choice(options), only: ALWAYS }
}

impl Field {
    const fn only(mut self, path: &'static str, kind: &'static str) -> Self {
        self.only = (path, kind);
        self
    }
}

/// Fields of the whole scenario, in groups.
pub const WORLD: &[(&str, &[Field])] = &[
    (
        "Clients",
        &[
            number("clients.count", "Clients", "", ""),
            number("clients.processes", "Spread over processes", "", "one each"),
            choice(
                "clients.arrivals",
                "They call",
                &[
                    ("at a steady rate", r#"{"kind":"open","perSecond":10}"#),
                    (
                        "again after a while",
                        r#"{"kind":"closed","think":{"kind":"exponential","mean":5000}}"#,
                    ),
                    ("once, all together", r#"{"kind":"once"}"#),
                ],
            ),
            number("clients.arrivals.perSecond", "Calls of all clients", "a second", "")
                .only("clients.arrivals", "open"),
            number("clients.arrivals.think.mean", "Pause between calls", "ms", "")
                .only("clients.arrivals", "closed"),
            number("clients.patienceMs", "Users leave after", "ms", "never"),
        ],
    ),
    (
        "Provider",
        &[
            number("provider.servers", "Served at once", "requests", ""),
            choice(
                "provider.service",
                "Service time",
                &[
                    ("log-normal", r#"{"kind":"lognormal","median":200,"sigma":0.5}"#),
                    ("exponential", r#"{"kind":"exponential","mean":200}"#),
                    ("constant", r#"{"kind":"constant","mean":200}"#),
                ],
            ),
            number("provider.service.mean", "Mean", "ms", "").only("provider.service", "constant"),
            number("provider.service.mean", "Mean", "ms", "").only("provider.service", "exponential"),
            number("provider.service.median", "Median", "ms", "").only("provider.service", "lognormal"),
            number("provider.service.sigma", "Sigma", "", "").only("provider.service", "lognormal"),
            number("provider.queue", "Queue holds", "requests", "unbounded"),
            choice(
                "provider.abandons",
                "Work nobody waits for",
                &[("is served all the same", ""), ("is dropped", "true")],
            ),
        ],
    ),
    (
        "Run",
        &[
            number("durationMs", "Calls arrive for", "ms", ""),
            number("intervalMs", "Charts count each", "ms", "1000"),
            number("seed", "Seed", "", "0"),
            number("cost.perAttempt", "Cost of a request", "", "0"),
        ],
    ),
];

/// Limits that a policy is to keep.
pub const LIMITS: &[Field] = &[
    number("expect.minSuccessRate", "Success at least", "0 to 1", "any"),
    number("expect.maxAmplification", "Load at most", "requests a call", "any"),
    number("expect.maxUserP95Ms", "User p95 at most", "ms", "any"),
    number("expect.maxCost", "Cost at most", "", "any"),
];

/// The fields of a fault.
pub const FAULT: &[Field] = &[
    choice(
        "kind",
        "Fault",
        &[
            ("outage", "\"outage\""),
            ("pause", "\"pause\""),
            ("black hole", "\"blackhole\""),
            ("errors", "\"errors\""),
            ("slower", "\"slow\""),
            ("fewer servers", "\"capacity\""),
            ("more load", "\"load\""),
        ],
    ),
    number("atMs", "From", "ms", ""),
    number("forMs", "For", "ms", ""),
    choice(
        "code",
        "Code",
        &[
            ("RATE_LIMITED", "\"RATE_LIMITED\""),
            ("PROVIDER_OVERLOADED", "\"PROVIDER_OVERLOADED\""),
            ("TIMEOUT", "\"TIMEOUT\""),
            ("NETWORK_ERROR", "\"NETWORK_ERROR\""),
        ],
    )
    .only("", "errors"),
    number("rate", "Share of requests", "0 to 1", "").only("", "errors"),
    number("retryAfterMs", "Retry-After", "ms", "none").only("", "errors"),
    number("factor", "Factor", "×", "").only("", "slow"),
    number("factor", "Factor", "×", "").only("", "capacity"),
    number("factor", "Factor", "×", "").only("", "load"),
    number("rampMs", "Grows over", "ms", "0").only("", "slow"),
    number("rampMs", "Grows over", "ms", "0").only("", "capacity"),
    number("rampMs", "Grows over", "ms", "0").only("", "load"),
];

/// The fields of a policy. Its other options are in the scenario's JSON.
pub const POLICY: &[Field] = &[
    choice("retry", "Retries", &[("by default", ""), ("set here", "{}"), ("off", "false")]),
    number("retry.maxRetries", "At most", "retries", "3").only("retry", "on"),
    number("retry.baseDelayMs", "First delay", "ms", "1000").only("retry", "on"),
    number("retry.backoffFactor", "Times, each retry", "×", "2").only("retry", "on"),
    number("retry.budget.ratio", "Budget: retries per call", "0 to 1", "the quota").only("retry", "on"),
    choice(
        "breaker",
        "Breaker",
        &[
            ("by default", ""),
            ("counts failures", "{}"),
            ("throttles", r#"{"throttle":{"k":2,"windowMs":10000,"minimumCalls":20}}"#),
            ("none", "false"),
        ],
    ),
    number("breaker.failureThreshold", "Opens after", "failures", "5").only("breaker", "on"),
    number("breaker.resetTimeoutMs", "Stays open for", "ms", "1000").only("breaker", "on"),
    number("timeout.attemptMs", "Attempt times out after", "ms", "never"),
    number("timeout.totalMs", "Call times out after", "ms", "never"),
];

/// A place in the scenario: a field below a prefix.
pub fn place(prefix: &[Key], field: &Field) -> Vec<Key> {
    prefix.iter().cloned().chain(path(field.path)).collect()
}

/// Returns `true` if a field is shown: some belong to one kind of thing only.
pub fn applies(document: &Json, prefix: &[Key], field: &Field) -> bool {
    let (at, kind) = field.only;
    if kind.is_empty() {
        return true;
    }
    let at: Vec<_> = prefix
        .iter()
        .cloned()
        .chain(path(at).into_iter().filter(|key| *key != Key::Name(String::new())))
        .collect();
    let value = document.at(&at);
    match kind {
        // The default is a whole: it has no details to change.
        "on" => {
            matches!(value, Some(Json::Map(_))) && value.is_some_and(|value| value.get("throttle").is_none())
        }
        kind => value.and_then(|value| value.get("kind")).and_then(Json::text) == Some(kind),
    }
}

/// The value of a field as its input shows it.
pub fn shown(document: &Json, place: &[Key]) -> String {
    match document.at(place) {
        None => String::new(),
        Some(Json::Text(text)) => text.clone(),
        Some(value) => value.compact(),
    }
}

/// Takes what was typed: nothing takes the value out, what is no number stays as it is for the core to refuse.
pub fn typed(document: &mut Json, place: &[Key], text: &str) {
    let text = text.trim();
    if text.is_empty() {
        document.remove(place);
        return;
    }
    let value = match halfopen_log::number(text).filter(|value| value.is_finite()) {
        Some(number) => Json::Number(number),
        None => Json::Text(text.to_owned()),
    };
    document.set(place, value);
}

/// Returns the index of the value among a choice's options; the first if it is not one of them.
pub fn chosen(document: &Json, place: &[Key], options: &[(&str, &str)]) -> usize {
    let value = document.at(place);
    let fits = |option: &str| match (Json::parse(option).ok(), value) {
        (None, None) => true,
        (Some(option @ Json::Map(_)), Some(value @ Json::Map(_))) => {
            option.get("kind") == value.get("kind")
                && option.get("throttle").is_some() == value.get("throttle").is_some()
        }
        (Some(option), Some(value)) => option == *value,
        _ => false,
    };
    options.iter().position(|(_, json)| fits(json)).unwrap_or(0)
}

/// Takes a choice. A fault of another kind keeps its time and gets what its kind needs.
pub fn choose(document: &mut Json, place: &[Key], json: &str) {
    let Ok(value) = Json::parse(json) else {
        document.remove(place);
        return;
    };
    if let (Some((Key::Name(last), fault)), Json::Text(kind)) = (place.split_last(), &value)
        && last == "kind"
        && matches!(fault.last(), Some(Key::Index(_)))
    {
        let number = |key| document.at(fault).and_then(|fault| fault.get(key)).and_then(Json::number);
        let (at, span) = (number("atMs").unwrap_or(60_000.0), number("forMs").unwrap_or(20_000.0));
        document.set(fault, new_fault(kind, at, span));
    } else {
        document.set(place, value);
    }
}

/// A fault of a kind, as it is put into a scenario.
pub fn new_fault(kind: &str, at_ms: f64, for_ms: f64) -> Json {
    let own = match kind {
        "errors" => r#","code":"RATE_LIMITED","rate":0.5"#,
        "slow" => r#","factor":3"#,
        "capacity" => r#","factor":0.5"#,
        "load" => r#","factor":2"#,
        _ => "",
    };
    Json::parse(&format!(r#"{{"kind":"{kind}","atMs":{at_ms},"forMs":{for_ms}{own}}}"#)).unwrap_or(Json::Null)
}

/// Returns `true` if an error of the core is about this place: `faults[0].atMs: expected …`.
pub fn concerns(misfit: &str, place: &[Key]) -> bool {
    let here = written(place);
    misfit.strip_prefix(&here).is_some_and(|rest| rest.starts_with([':', '.', '[']))
}

#[cfg(test)]
mod tests {
    use super::super::presets::{PRESETS, scenario};
    use super::*;
    use halfopen_lab::Scenario;

    fn check(document: &Json) -> Result<(), String> {
        Scenario::from_json(&document.compact()).map(drop).map_err(|misfit| misfit.to_string())
    }

    #[test]
    fn the_fields_of_a_policy_are_rows_of_the_table_of_options() {
        for field in POLICY {
            let row = halfopen::policy::table::OPTIONS.iter().find(|row| row.path == field.path).unwrap();
            assert_eq!((field.label, field.unit), (row.label, row.unit), "{}", field.path);
            let is_number = row.default.parse::<f64>().is_ok() && field.path != "retry.budget.ratio";
            assert!(!is_number || field.absent == row.default, "{}", field.path);
        }
    }

    #[test]
    fn what_is_typed_stands_in_the_scenario_or_is_refused_by_its_name() {
        let mut document = scenario(&PRESETS[0]);
        let servers = path("provider.servers");
        typed(&mut document, &servers, "3");
        assert_eq!(shown(&document, &servers), "3");
        check(&document).unwrap();
        for wrong in ["-1", "many", "1.5"] {
            typed(&mut document, &servers, wrong);
            assert_eq!(shown(&document, &servers), wrong);
            let misfit = check(&document).unwrap_err();
            assert!(
                concerns(&misfit, &servers) && misfit.contains("expected a whole number from 1"),
                "{misfit}"
            );
            assert!(!concerns(&misfit, &path("provider.service.mean")));
        }
        typed(&mut document, &servers, " ");
        assert!(check(&document).unwrap_err().contains("got nothing"));
    }

    #[test]
    fn bad_input_is_said_at_its_field_and_what_is_too_large_with_how_long_it_takes() {
        let rate = path("clients.arrivals.perSecond");
        for (wrong, says) in
            [("-5", "got -5"), ("NaN", "got 'NaN'"), ("1000000000", "with which the run has up to")]
        {
            let mut document = scenario(&PRESETS[0]);
            typed(&mut document, &rate, wrong);
            let misfit = check(&document).unwrap_err();
            assert!(concerns(&misfit, &rate) && misfit.contains(says), "{misfit}");
        }
        for (json, at) in [(r#"{"version":2}"#, "version"), (r#"{"version":1,"speed":3}"#, "speed")] {
            let misfit = check(&Json::parse(json).unwrap()).unwrap_err();
            assert!(concerns(&misfit, &path(at)), "{misfit}");
        }
    }

    /// A field that the core does not know would never fit.
    #[test]
    fn the_core_knows_every_field() {
        let known = |document: &Json| {
            if let Err(misfit) = check(document) {
                assert!(!misfit.contains("unknown key"), "{misfit}");
            }
        };
        for field in WORLD.iter().flat_map(|(_, fields)| fields.iter()) {
            let mut document = scenario(&PRESETS[0]);
            if field.only.1.is_empty() && field.kind == Kind::Number {
                typed(&mut document, &path(field.path), "5");
                known(&document);
            }
        }
        let prefix = [Key::Name("policies".into()), Key::Name("The default".into())];
        for field in POLICY {
            let mut document = scenario(&PRESETS[0]);
            let place = place(&prefix, field);
            match field.kind {
                Kind::Number => typed(&mut document, &place, "1"),
                Kind::Choice(options) => choose(&mut document, &place, options[options.len() - 1].1),
            }
            check(&document).unwrap();
        }
    }

    #[test]
    fn every_choice_is_what_it_says_and_fits() {
        for field in WORLD.iter().flat_map(|(_, fields)| fields.iter()) {
            let Kind::Choice(options) = field.kind else { continue };
            for (index, (_, json)) in options.iter().enumerate() {
                let mut document = scenario(&PRESETS[0]);
                choose(&mut document, &path(field.path), json);
                assert_eq!(chosen(&document, &path(field.path), options), index);
                check(&document).unwrap();
            }
        }
    }

    #[test]
    fn a_fault_of_another_kind_keeps_its_time() {
        let mut document = scenario(&PRESETS[0]);
        let fault = [Key::Name("faults".into()), Key::Index(0)];
        let Kind::Choice(kinds) = FAULT[0].kind else { panic!("a choice expected") };
        for (index, (_, kind)) in kinds.iter().enumerate() {
            choose(&mut document, &place(&fault, &FAULT[0]), kind);
            assert_eq!(chosen(&document, &place(&fault, &FAULT[0]), kinds), index);
            assert_eq!(shown(&document, &place(&fault, &FAULT[1])), "60000");
            check(&document).unwrap();
            for field in FAULT.iter().filter(|field| applies(&document, &fault, field)) {
                assert!(field.kind != Kind::Number || !place(&fault, field).is_empty());
            }
        }
        assert!(!applies(&document, &fault, &FAULT[4]));
    }

    #[test]
    fn details_of_retries_are_for_policies_that_retry() {
        let mut document = scenario(&PRESETS[1]);
        let prefix = [Key::Name("policies".into()), Key::Name("Throttling breaker".into())];
        assert!(!applies(&document, &prefix, &POLICY[1]) && !applies(&document, &prefix, &POLICY[6]));
        choose(&mut document, &place(&prefix, &POLICY[0]), "{}");
        assert!(applies(&document, &prefix, &POLICY[1]));
        choose(&mut document, &place(&prefix, &POLICY[0]), "false");
        assert!(!applies(&document, &prefix, &POLICY[1]));
    }
}
