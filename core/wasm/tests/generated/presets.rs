//! `pkg/src/retry/presets.ts`: the named sets of retry options, which the package merges with an application's own; and
//! `pkg/src/policy/defaults.ts`: the breakers by default.

use crate::{bracketed, check, documented};
use halfopen::ErrorType;
use halfopen::policy::{
    BreakerConfig, BreakerOptions, JitterOption, Preset, RetryOn, RetryOptions, defaults,
};

/// A number as JavaScript writes it.
fn number(number: f64) -> String {
    if number.is_infinite() {
        return "Number.POSITIVE_INFINITY".into();
    }
    let digits = number.to_string();
    let Some((head, tail)) = digits.split_at_checked(digits.len().saturating_sub(3)) else { return digits };
    if number >= 10_000.0 { format!("{head}_{tail}") } else { digits }
}

fn members(options: &RetryOptions) -> Vec<String> {
    let numbers = [
        ("maxRetries", options.max_retries),
        ("baseDelayMs", options.base_delay_ms),
        ("maxDelayMs", options.max_delay_ms),
        ("backoffFactor", options.backoff_factor),
    ];
    let mut members: Vec<String> =
        numbers.iter().filter_map(|(name, given)| Some(format!("{name}: {}", number((*given)?)))).collect();
    members.extend(options.enable_jitter.map(|enabled| format!("enableJitter: {enabled}")));
    if let Some(JitterOption::Proportion(share)) = options.jitter {
        members.push(format!("jitter: {}", number(share)));
    }
    if let Some(RetryOn::List { codes: 0, types }) = options.retry_on {
        // In the order of the alphabet, which is the one that the package has always had.
        let mut names: Vec<&str> = ErrorType::ALL
            .iter()
            .filter(|kind| types & 1 << **kind as u8 != 0)
            .map(|kind| kind.as_str())
            .collect();
        names.sort_unstable();
        let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        members.push(format!("retryOn: /* @__PURE__ */ Object.freeze([{}] as const)", names.join(", ")));
    }
    members
}

#[test]
fn the_presets_of_the_package_are_the_cores() {
    let presets = Preset::ALL.map(|preset| {
        let name = preset.as_str().to_uppercase();
        let head = format!("export const {name} = /* @__PURE__ */ Object.freeze(");
        documented(
            &format!("The preset '{}'.", preset.as_str()),
            &bracketed(&head, ["{", "}"], &members(&preset.options()), " as const);"),
        )
    });
    check("pkg/src/retry/presets.ts", "The named sets of retry options.", &presets.concat());
}

#[test]
fn the_breakers_by_default_are_the_cores() {
    let breakers = [
        ("DEFAULT_BREAKER", "The breaker of a policy.", defaults::BREAKER),
        (
            "SOURCES_BREAKER",
            "That of the preset 'service', and of `new CircuitBreaker()`.",
            defaults::SOURCES_BREAKER,
        ),
    ];
    let body = breakers.map(|(name, about, options)| {
        let numbers = [
            ("failureThreshold", options.failure_threshold),
            ("resetTimeoutMs", options.reset_timeout_ms),
            ("halfOpenMaxCalls", options.half_open_max_calls),
            ("probeTimeoutMs", options.probe_timeout_ms),
        ];
        let all = BreakerOptions {
            failure_threshold: numbers[0].1,
            reset_timeout_ms: numbers[1].1,
            half_open_max_calls: numbers[2].1,
            probe_timeout_ms: numbers[3].1,
            ..BreakerOptions::NONE
        };
        assert_eq!(all, options, "these options are the whole table");
        let members: Vec<String> = numbers
            .iter()
            .filter_map(|(name, value)| Some(format!("{name}: {}", number((*value)?))))
            .collect();
        let head = format!("export const {name} = /* @__PURE__ */ Object.freeze(");
        documented(about, &bracketed(&head, ["{", "}"], &members, " as const);"))
    });
    check("pkg/src/policy/defaults.ts", "The breakers by default.", &body.concat());
    assert_eq!(defaults::SOURCES_BREAKER.config(), BreakerConfig::default());
}
