//! `pkg/src/retry/presets.ts`: the named sets of retry options, which the package merges with an application's own.

use crate::{bracketed, check, documented};
use halfopen::ErrorType;
use halfopen::policy::{JitterOption, Preset, RetryOn, RetryOptions};

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
