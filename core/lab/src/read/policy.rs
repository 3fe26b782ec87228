//! Policies, by the names and with the defaults of the package's options.
#![allow(clippy::needless_update, reason = "policies gain options")]

use super::at::{At, Read};
use super::breaker::breaker;
use crate::scenario::LabPolicy;
use halfopen::limit::Unit;
use halfopen::policy::{
    AdaptiveLimitOptions, BreakerOptions, BreakerScope, BudgetConfig, BudgetOptions, BulkheadOptions,
    JitterKind, JitterOption, PolicyOptions, RateLimitOptions, RetryConfig, RetryOn, RetryOptions, Shared,
    TimeoutOptions, defaults,
};
use serde_json::Value;

pub(super) fn policies<'a>(at: &At<'a>) -> Read<Vec<(String, LabPolicy)>> {
    let Value::Object(fields) = at.value else { return at.misfit("an object with a policy for each name") };
    if fields.is_empty() || fields.len() > 100 {
        return at.misfit("an object with 1 to 100 policies");
    }
    let read = |(name, value): (&String, &'a Value)| {
        let at = At { path: format!("{}.{name}", at.path), value };
        Ok((name.clone(), policy(&at)?))
    };
    fields.iter().map(read).collect()
}

pub(super) fn policy(at: &At<'_>) -> Read<LabPolicy> {
    let keys = [
        "retry",
        "breaker",
        "breakerScope",
        "timeout",
        "bulkhead",
        "adaptive",
        "rateLimit",
        "fallback",
        "hedge",
    ];
    let object = at.object(&keys)?;
    // As in the package: an option that is given replaces only itself.
    let (retry, budget) =
        object.maybe("retry", retry)?.unwrap_or_else(|| (RetryOptions::default(), Some(defaults::BUDGET)));
    let scopes = [("call", BreakerScope::Call), ("attempt", BreakerScope::Attempt)];
    let (attempt_ms, total_ms) = object.maybe("timeout", timeout)?.unwrap_or_default();
    let options = PolicyOptions {
        retry,
        breaker_scope: object.maybe("breakerScope", |at| at.one_of(&scopes))?.unwrap_or_default(),
        timeout: TimeoutOptions { total_ms },
        bulkhead: object.maybe("bulkhead", bulkhead)?,
        adaptive: object.maybe("adaptive", adaptive)?.flatten(),
        rate_limit: object.maybe("rateLimit", rate_limits)?.unwrap_or_default(),
        estimated_tokens: None,
    };
    let mut policy = LabPolicy::new(RetryConfig::default(), None);
    policy.config = options.config(Shared::default());
    policy.breaker = object
        .maybe("breaker", breaker)?
        .unwrap_or(Some(BreakerOptions::NONE))
        .map(|options| options.over(defaults::BREAKER).config());
    policy.budget = budget;
    policy.attempt_ms = attempt_ms;
    policy.fallback = object.maybe("fallback", At::boolean)?.unwrap_or(false);
    policy.hedge = object.maybe("hedge", hedge)?;
    Ok(policy)
}

fn retry(at: &At<'_>) -> Read<(RetryOptions, Option<BudgetConfig>)> {
    if at.is_false() {
        return Ok((RetryOptions { enabled: Some(false), ..RetryOptions::default() }, None));
    }
    let keys = [&RetryOptions::NAMES[..], &["budget"]].concat();
    let object = at.object(&keys)?;
    let options = RetryOptions {
        enabled: object.maybe("enabled", At::boolean)?,
        max_retries: object.maybe("maxRetries", |at| at.whole_from(0.0))?,
        base_delay_ms: object.maybe("baseDelayMs", At::millis)?,
        max_delay_ms: object.maybe("maxDelayMs", At::millis_or_infinity)?,
        backoff_factor: object.maybe("backoffFactor", At::at_least_zero)?,
        enable_jitter: object.maybe("enableJitter", At::boolean)?,
        jitter: object.maybe("jitter", jitter)?,
        retry_on: object.maybe("retryOn", retry_on)?,
        retry_nested: object.maybe("retryNested", At::boolean)?,
        max_retry_after_ms: object.maybe("maxRetryAfterMs", At::millis_or_infinity)?,
        switch_after_ms: object.maybe("switchAfterMs", At::millis_or_infinity)?,
        ..RetryOptions::default()
    };
    let budget = object.maybe("budget", |at| {
        match at.value {
            Value::Bool(false) => return Ok(None),
            // As events write it.
            Value::String(word) if word == "default" => return Ok(Some(defaults::BUDGET)),
            Value::Object(_) => {}
            _ => return at.misfit("'default', false, or an object with ratio and minPerSecond"),
        }
        let object = at.object(&["ratio", "minPerSecond"])?;
        let options = BudgetOptions {
            ratio: object.maybe("ratio", At::at_least_zero)?,
            min_per_second: object.maybe("minPerSecond", At::at_least_zero)?,
            ..BudgetOptions::default()
        };
        Ok(Some(options.config()))
    })?;
    Ok((options, budget.unwrap_or(Some(defaults::BUDGET))))
}

fn jitter(at: &At<'_>) -> Read<JitterOption> {
    if at.value.is_string() {
        let kinds = [JitterKind::Full, JitterKind::Equal, JitterKind::Decorrelated];
        return at.one_of(&kinds.map(|kind| (kind.as_str(), JitterOption::Named(kind))));
    }
    let expected = "a number from 0 to 1, 'full', 'equal' or 'decorrelated'";
    at.number(expected, 0.0..=1.0).map(JitterOption::Proportion)
}

fn retry_on(at: &At<'_>) -> Read<RetryOn> {
    let expected = "an error code, or 'timeout', 'tool_failed', 'llm_failed' or 'network'";
    let items = at.items()?;
    for item in &items {
        if item.value.as_str().is_none_or(|name| RetryOn::from_names([name]).is_err()) {
            return item.misfit(expected);
        }
    }
    RetryOn::from_names(items.iter().filter_map(|item| item.value.as_str())).or_else(|_| at.misfit(expected))
}

fn timeout(at: &At<'_>) -> Read<(Option<f64>, Option<f64>)> {
    let object = at.object(&["attemptMs", "totalMs"])?;
    Ok((object.maybe("attemptMs", At::positive_millis)?, object.maybe("totalMs", At::positive_millis)?))
}

fn bulkhead(at: &At<'_>) -> Read<BulkheadOptions> {
    let object = at.object(&["maxConcurrent", "maxQueued"])?;
    Ok(BulkheadOptions {
        max_concurrent: object.need("maxConcurrent", "a whole number from 1")?.whole_from(1.0)?,
        max_queued: object.maybe("maxQueued", |at| at.whole_from(0.0))?,
    })
}

/// With the defaults, off, or with options.
fn adaptive(at: &At<'_>) -> Read<Option<AdaptiveLimitOptions>> {
    if let Some(on) = at.value.as_bool() {
        return Ok(on.then(AdaptiveLimitOptions::default));
    }
    let object = at.object(&["min", "max", "initial", "decrease"])?;
    Ok(Some(AdaptiveLimitOptions {
        min: object.maybe("min", |at| at.whole_from(1.0))?,
        max: object.maybe("max", |at| at.whole_from(1.0))?,
        initial: object.maybe("initial", |at| at.whole_from(1.0))?,
        decrease: object.maybe("decrease", At::share)?,
    }))
}

/// The policy's own limits: one, or several in a list.
fn rate_limits(at: &At<'_>) -> Read<Vec<RateLimitOptions>> {
    if at.value.is_array() {
        return at.items()?.iter().map(rate_limit).collect();
    }
    Ok(vec![rate_limit(at)?])
}

fn rate_limit(at: &At<'_>) -> Read<RateLimitOptions> {
    let object = at.object(&["limit", "windowMs", "maxWaitMs", "unit"])?;
    let units = [("requests", Unit::Requests), ("tokens", Unit::Tokens)];
    Ok(RateLimitOptions {
        limit: object.need("limit", "a whole number from 1")?.whole_from(1.0)?,
        window_ms: object.need("windowMs", "a number of milliseconds above 0")?.positive_millis()?,
        max_wait_ms: object.maybe("maxWaitMs", At::millis)?,
        unit: object.maybe("unit", |at| at.one_of(&units))?.unwrap_or_default(),
    })
}

fn hedge(at: &At<'_>) -> Read<(f64, u32)> {
    let object = at.object(&["afterMs", "max"])?;
    let after = object.need("afterMs", "a number of milliseconds above 0")?.positive_millis()?;
    Ok((after, object.maybe("max", |at| at.count_from(1))?.unwrap_or(1)))
}
