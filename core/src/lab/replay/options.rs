//! Options as events carry them, made into policies of the lab. What only the application knows (functions, what is shared)
//! is left out.

use super::recorded::Options;
use crate::lab::misfit::Misfit;
use crate::lab::scenario::{LabPolicy, Scenario};
use crate::log::{Json, Shallow, quoted};

/// The keys that the lab knows of each object of options.
const KNOWN: &[(&str, &[&str])] = &[
    ("", &["retry", "breaker", "breakerScope", "timeout", "bulkhead", "rateLimit", "fallback", "hedge"]),
    (
        "retry",
        &[
            "enabled",
            "maxRetries",
            "baseDelayMs",
            "maxDelayMs",
            "backoffFactor",
            "enableJitter",
            "jitter",
            "retryOn",
            "retryNested",
            "maxRetryAfterMs",
            "budget",
        ],
    ),
    ("budget", &["ratio", "minPerSecond"]),
    (
        "breaker",
        &[
            "failureThreshold",
            "resetTimeoutMs",
            "resetBackoffFactor",
            "maxResetTimeoutMs",
            "halfOpenMaxCalls",
            "successThreshold",
            "probeTimeoutMs",
            "window",
            "slowCall",
            "throttle",
            "rampMs",
        ],
    ),
    ("window", &["kind", "size", "durationMs", "failureRate", "minimumCalls"]),
    ("slowCall", &["durationMs", "rate"]),
    ("throttle", &["k", "windowMs", "minimumCalls"]),
    ("timeout", &["attemptMs", "totalMs"]),
    ("bulkhead", &["maxConcurrent", "maxQueued"]),
    ("rateLimit", &["limit", "windowMs", "maxWaitMs", "unit"]),
    ("hedge", &["afterMs", "max"]),
];

/// What a call may have of its own.
const OF_CALL: &[&str] = &["retry", "timeout", "hedge", "estimatedTokens", "idempotent"];

/// What stands for infinity, where the lab has a limit.
const LARGEST: &[(&str, &str)] = &[
    ("maxDelayMs", "\"Infinity\""),
    ("maxRetryAfterMs", "\"Infinity\""),
    ("maxQueued", "100000000"),
    ("maxWaitMs", "31536000000"),
    ("maxResetTimeoutMs", "31536000000"),
];

/// A policy's options.
pub(super) fn of_policy(options: &Json<'_>) -> Options {
    let breaker = match options.at(&["breaker", "shared"]) {
        Some(Shallow::Flag(true)) => options.at(&["breaker", "name"]),
        _ => None,
    };
    Options {
        json: known("", options),
        shared_breaker: breaker.and_then(|name| name.as_str().map(str::to_owned)),
    }
}

/// A call's own options.
pub(super) fn of_call(text: &str) -> Options {
    Options { json: members(OF_CALL, &Json::from(text)), shared_breaker: None }
}

fn known(name: &str, json: &Json<'_>) -> String {
    let keys = KNOWN.iter().find(|(known, _)| *known == name).map_or(&[] as &[&str], |(_, keys)| keys);
    members(keys, json)
}

fn members(keys: &[&str], json: &Json<'_>) -> String {
    let kept = json.members().into_iter().filter_map(|(name, value)| {
        let key = keys.iter().find(|key| **key == name.as_str())?;
        Some(format!("{}:{}", quoted(key), value_of(key, &value)?))
    });
    format!("{{{}}}", kept.collect::<Vec<_>>().join(","))
}

fn value_of(key: &str, value: &Shallow<'_>) -> Option<String> {
    if key == "fallback" {
        return Some("true".to_owned());
    }
    match value {
        Shallow::Null => None,
        Shallow::Text(text) => match text.as_str() {
            "function" | "shared" => None,
            "Infinity" => {
                LARGEST.iter().find(|(name, _)| *name == key).map(|(_, largest)| (*largest).to_owned())
            }
            text => Some(quoted(text)),
        },
        Shallow::Nested(json) if value.is_object() => Some(known(key, json)),
        // A list of limits or of codes.
        Shallow::Nested(json) => Some(json.as_str().replace("\"Infinity\"", "31536000000")),
        plain => Some(plain.to_string()),
    }
}

/// A call's own options over those of its policy.
pub(super) fn over(policy: &str, own: &str) -> String {
    let (policy, own) = (Json::from(policy), Json::from(own));
    let mut parts: Vec<String> = Vec::new();
    for (name, value) in policy.members() {
        let merged = match (own.at(&[name.as_str()]), name.as_str(), &value) {
            (Some(Shallow::Nested(own)), "retry" | "timeout", Shallow::Nested(policy)) => merge(policy, &own),
            (Some(own), "retry" | "timeout" | "hedge", _) => text_of(&own),
            _ => text_of(&value),
        };
        parts.push(format!("{}:{merged}", quoted(name.as_str())));
    }
    for name in ["retry", "timeout", "hedge"] {
        if policy.at(&[name]).is_none()
            && let Some(value) = own.at(&[name])
        {
            parts.push(format!("{}:{}", quoted(name), text_of(&value)));
        }
    }
    format!("{{{}}}", parts.join(","))
}

fn merge(below: &Json<'_>, above: &Json<'_>) -> String {
    let kept = below.members().into_iter().filter(|(name, _)| above.at(&[name.as_str()]).is_none());
    let all = kept.chain(above.members());
    let parts: Vec<_> =
        all.map(|(name, value)| format!("{}:{}", quoted(name.as_str()), text_of(&value))).collect();
    format!("{{{}}}", parts.join(","))
}

fn text_of(value: &Shallow<'_>) -> String {
    match value {
        Shallow::Text(text) => quoted(text.as_str()),
        other => other.to_string(),
    }
}

/// Reads policies by name, as a scenario has them: what does not fit is named by its path there.
pub(super) fn read(policies: &str) -> Result<Vec<(String, LabPolicy)>, Misfit> {
    let scenario = format!(
        r#"{{"version":1,"durationMs":1,"policies":{policies},
        "clients":{{"count":1,"arrivals":{{"kind":"once"}}}},
        "provider":{{"servers":1,"service":{{"kind":"constant","mean":1}}}}}}"#
    );
    Scenario::from_json(&scenario).map(|scenario| scenario.policies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_keep_what_the_engine_goes_by() {
        let described = Json::from(
            r#"{"name":"chat","model":"m","retry":{"maxRetries":2,"maxDelayMs":"Infinity","onRetry":"function","retryOn":["TIMEOUT"]},"breaker":{"name":"b","failureThreshold":3,"shared":true,"countsAsFailure":"function"},"timeout":{"attemptMs":500,"totalMs":"Infinity"},"bulkhead":{"maxConcurrent":2,"maxQueued":"Infinity"},"fallback":"function"}"#,
        );
        let options = of_policy(&described);
        assert_eq!(options.shared_breaker.as_deref(), Some("b"));
        assert_eq!(
            options.json,
            r#"{"retry":{"maxRetries":2,"maxDelayMs":"Infinity","retryOn":["TIMEOUT"]},"breaker":{"failureThreshold":3},"timeout":{"attemptMs":500},"bulkhead":{"maxConcurrent":2,"maxQueued":100000000},"fallback":true}"#
        );
        let read = read(&format!(r#"{{"chat":{}}}"#, options.json)).unwrap();
        assert_eq!(read[0].1.config.call.retry.max_retries, 2);
    }

    #[test]
    fn a_calls_own_options_stand_over_its_policys() {
        let policy = r#"{"retry":{"maxRetries":2,"jitter":"full"},"breaker":false}"#;
        let own = of_call(r#"{"retry":{"maxRetries":0},"timeout":{"totalMs":5},"onBreak":"fail"}"#);
        assert_eq!(
            over(policy, &own.json),
            r#"{"retry":{"jitter":"full","maxRetries":0},"breaker":false,"timeout":{"totalMs":5}}"#
        );
        assert_eq!(over("{}", &of_call(r#"{"retry":false}"#).json), r#"{"retry":false}"#);
    }
}
