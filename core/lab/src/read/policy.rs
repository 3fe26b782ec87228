//! Policies, by the names and with the defaults of the package's options.

use super::at::{ABOVE_ZERO, At, Object, Read};
use crate::scenario::LabPolicy;
use halfopen::limit::Unit;
use halfopen::policy::table::{self, Kind, OptionRow, REQUIRED};
use halfopen::policy::{
    AdaptiveLimitOptions, BreakerOptions, BreakerScope, BudgetConfig, BudgetOptions, BulkheadOptions,
    JitterKind, JitterOption, PolicyOptions, RateLimitOptions, RetryConfig, RetryOn, RetryOptions, Shared,
    SlowCallOptions, ThrottleOptions, TimeoutOptions, WindowOptions, defaults,
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
    check_section(at, "")?;
    let given = Given(at.value);
    // As in the package: an option that is given replaces only itself.
    let (retry, budget) = (given.get("retry"), given.get("retry").get("budget"));
    let breaker = (!given.get("breaker").is_false()).then(|| breaker(given.get("breaker")));
    let hedge = given.get("hedge");
    let limits = given.get("rateLimit");
    let options = PolicyOptions {
        retry: if retry.is_false() {
            RetryOptions { enabled: Some(false), ..RetryOptions::default() }
        } else {
            retry_options(retry)
        },
        breaker_scope: match given.text("breakerScope") {
            Some("attempt") => BreakerScope::Attempt,
            _ => BreakerScope::Call,
        },
        timeout: TimeoutOptions { total_ms: given.get("timeout").number("totalMs") },
        bulkhead: given.object("bulkhead").map(|given| BulkheadOptions {
            max_concurrent: given.required("maxConcurrent"),
            max_queued: given.number("maxQueued"),
        }),
        adaptive: match given.get("adaptive").0 {
            Value::Bool(true) => Some(AdaptiveLimitOptions::default()),
            Value::Object(_) => Some(adaptive(given.get("adaptive"))),
            _ => None,
        },
        rate_limit: match limits.0 {
            Value::Array(items) => items.iter().map(|limit| rate_limit(Given(limit))).collect(),
            Value::Object(_) => vec![rate_limit(limits)],
            _ => Vec::new(),
        },
        estimated_tokens: None,
    };
    let mut policy = LabPolicy::new(RetryConfig::default(), None);
    policy.config = options.config(Shared::default());
    policy.breaker = breaker.map(|options| options.over(defaults::BREAKER).config());
    policy.budget = if retry.is_false() { None } else { budget_config(budget) };
    policy.attempt_ms = given.get("timeout").number("attemptMs").filter(|ms| ms.is_finite());
    policy.fallback = given.flag("fallback") == Some(true);
    policy.hedge =
        hedge.number("afterMs").map(|after| (after, hedge.number("max").map_or(1, halfopen::policy::whole)));
    Ok(policy)
}

/// Checks an object of options against the table: its names, their values, and the required ones.
fn check_section(at: &At<'_>, section: &str) -> Read<()> {
    let rows: Vec<_> = table::within(section).filter(|row| row.lab).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.name()).collect();
    let object = at.object(&names)?;
    for row in rows {
        match object.get(row.name()) {
            Some(at) => check(&at, row)?,
            None if row.default == REQUIRED => object.need(row.name(), row.kind.expected()).map(|_| ())?,
            None => {}
        }
    }
    if section == "breaker.window" { check_window(&object) } else { Ok(()) }
}

fn check(at: &At<'_>, row: &OptionRow) -> Read<()> {
    match row.kind {
        // Of functions, the lab knows only whether there is one.
        Kind::Flag | Kind::Function => at.boolean().map(|_| ()),
        Kind::Text => {
            if at.value.is_string() {
                Ok(())
            } else {
                at.misfit("a text")
            }
        }
        Kind::OneOf(names) => at.one_of(&names.iter().map(|name| (*name, ())).collect::<Vec<_>>()),
        Kind::Millis => at.millis().map(|_| ()),
        Kind::MillisOrInfinity => at.millis_or_infinity().map(|_| ()),
        Kind::SpanOrInfinity if at.is_infinite() => Ok(()),
        Kind::Span | Kind::SpanOrInfinity => at.positive_millis().map(|_| ()),
        Kind::PositiveCount => at.whole_from(1.0).map(|_| ()),
        Kind::CountOrInfinity => at.whole_from(0.0).map(|_| ()),
        Kind::Factor => at.at_least_zero().map(|_| ()),
        Kind::Growth => at.number("a number from 1", 1.0..=1e6).map(|_| ()),
        Kind::Rate => at.number("a number above 0, at most 1", ABOVE_ZERO..=1.0).map(|_| ()),
        Kind::Share => at.share().map(|_| ()),
        Kind::Finite => at.number("a number", f64::MIN..=f64::MAX).map(|_| ()),
        Kind::Jitter => jitter(at).map(|_| ()),
        Kind::RetryOn => retry_on(at),
        Kind::Options => match at.value {
            Value::Bool(false) if row.off => Ok(()),
            Value::Bool(true) if row.default == "off" => Ok(()),
            // As events write it.
            Value::String(word) if row.path == "retry.budget" && word == "default" => Ok(()),
            Value::Array(_) if row.several => {
                at.items()?.iter().try_for_each(|at| check_section(at, row.path))
            }
            _ => check_section(at, row.path),
        },
        Kind::Instance(what) => at.misfit(what),
    }
}

/// Of a window's two lengths it has the one of its kind.
fn check_window(object: &Object<'_>) -> Read<()> {
    let is_count = object.get("kind").is_some_and(|at| at.value == "count");
    let (needed, other) = if is_count { ("size", "durationMs") } else { ("durationMs", "size") };
    object.need(needed, &format!("a number for kind '{}'", if is_count { "count" } else { "time" }))?;
    match object.get(other) {
        Some(at) => at.misfit(&format!("nothing for kind '{}'", if is_count { "count" } else { "time" })),
        None => Ok(()),
    }
}

fn jitter(at: &At<'_>) -> Read<f64> {
    let named = at.value.as_str().and_then(jitter_kind).is_some();
    if named {
        Ok(0.0)
    } else {
        at.number("a number from 0 to 1, 'full', 'equal' or 'decorrelated'", 0.0..=1.0)
    }
}

fn jitter_kind(name: &str) -> Option<JitterKind> {
    let kinds = [JitterKind::Full, JitterKind::Equal, JitterKind::Decorrelated];
    kinds.into_iter().find(|kind| kind.as_str() == name)
}

fn retry_on(at: &At<'_>) -> Read<()> {
    let fits = |value: &Value| value.as_str().is_some_and(|name| RetryOn::from_names([name]).is_ok());
    match at.items()?.iter().find(|item| !fits(item.value)) {
        Some(item) => item.misfit("an error code, or 'timeout', 'tool_failed', 'llm_failed' or 'network'"),
        None => Ok(()),
    }
}

/// Options that were checked.
#[derive(Clone, Copy)]
struct Given<'a>(&'a Value);

impl<'a> Given<'a> {
    fn get(self, name: &str) -> Self {
        Self(self.0.get(name).unwrap_or(&Value::Null))
    }

    fn object(self, name: &str) -> Option<Self> {
        Some(self.get(name)).filter(|given| given.0.is_object())
    }

    fn is_false(self) -> bool {
        *self.0 == Value::Bool(false)
    }

    fn flag(self, name: &str) -> Option<bool> {
        self.get(name).0.as_bool()
    }

    fn text(self, name: &str) -> Option<&'a str> {
        self.get(name).0.as_str()
    }

    fn number(self, name: &str) -> Option<f64> {
        let value = self.get(name).0;
        if value == "Infinity" { Some(f64::INFINITY) } else { value.as_f64() }
    }

    /// A number that the table requires: the check of the options has refused an object without it.
    fn required(self, name: &str) -> f64 {
        let number = self.number(name);
        debug_assert!(number.is_some(), "no {name} in {}", self.0);
        number.unwrap_or_default()
    }
}

fn retry_options(given: Given<'_>) -> RetryOptions {
    let names = given.get("retryOn").0.as_array();
    RetryOptions {
        enabled: given.flag("enabled"),
        max_retries: given.number("maxRetries"),
        base_delay_ms: given.number("baseDelayMs"),
        max_delay_ms: given.number("maxDelayMs"),
        backoff_factor: given.number("backoffFactor"),
        enable_jitter: given.flag("enableJitter"),
        jitter: (given.text("jitter").and_then(jitter_kind).map(JitterOption::Named))
            .or(given.number("jitter").map(JitterOption::Proportion)),
        retry_on: names.and_then(|names| RetryOn::from_names(names.iter().filter_map(Value::as_str)).ok()),
        retry_nested: given.flag("retryNested"),
        max_retry_after_ms: given.number("maxRetryAfterMs"),
        switch_after_ms: given.number("switchAfterMs"),
    }
}

fn budget_config(given: Given<'_>) -> Option<BudgetConfig> {
    let options = || BudgetOptions {
        ratio: given.number("ratio"),
        min_per_second: given.number("minPerSecond"),
        window_ms: None,
    };
    match given.0 {
        Value::Bool(_) => None,
        Value::Object(_) => Some(options().config()),
        _ => Some(defaults::BUDGET),
    }
}

fn breaker(given: Given<'_>) -> BreakerOptions {
    BreakerOptions {
        failure_threshold: given.number("failureThreshold"),
        reset_timeout_ms: given.number("resetTimeoutMs"),
        reset_backoff_factor: given.number("resetBackoffFactor"),
        max_reset_timeout_ms: given.number("maxResetTimeoutMs"),
        half_open_max_calls: given.number("halfOpenMaxCalls"),
        success_threshold: given.number("successThreshold"),
        probe_timeout_ms: given.number("probeTimeoutMs"),
        window: given.object("window").map(window),
        slow_call: given.object("slowCall").map(|given| SlowCallOptions {
            duration_ms: given.required("durationMs"),
            rate: given.required("rate"),
        }),
        throttle: given.object("throttle").map(|given| ThrottleOptions {
            k: given.number("k"),
            window_ms: given.number("windowMs"),
            minimum_calls: given.number("minimumCalls"),
        }),
        ramp_ms: given.number("rampMs"),
        seed: None,
    }
}

fn window(given: Given<'_>) -> WindowOptions {
    let failure_rate = given.required("failureRate");
    let minimum_calls = given.number("minimumCalls");
    match given.number("size") {
        Some(size) => WindowOptions::Count { size, failure_rate, minimum_calls },
        None => {
            let duration_ms = given.required("durationMs");
            WindowOptions::Time { duration_ms, failure_rate, minimum_calls }
        }
    }
}

fn adaptive(given: Given<'_>) -> AdaptiveLimitOptions {
    AdaptiveLimitOptions {
        min: given.number("min"),
        max: given.number("max"),
        initial: given.number("initial"),
        decrease: given.number("decrease"),
    }
}

/// A limit of the policy's own.
fn rate_limit(given: Given<'_>) -> RateLimitOptions {
    RateLimitOptions {
        limit: given.required("limit"),
        window_ms: given.required("windowMs"),
        max_wait_ms: given.number("maxWaitMs").filter(|ms| ms.is_finite()),
        unit: if given.text("unit") == Some("tokens") { Unit::Tokens } else { Unit::Requests },
    }
}
