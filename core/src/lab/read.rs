//! Scenarios from JSON. Whatever does not fit is an error that names the path, what was expected and what came.
#![allow(clippy::needless_update, reason = "policies gain options")]

use super::estimate;
use super::misfit::Misfit;
use super::random::Distribution;
use super::scenario::{
    Arrivals, Clients, Cost, Expect, Factor, Fault, FaultKind, LabPolicy, Limit, MixedError, Provider,
    RetryAfter, Scenario,
};
use crate::classify::Unit;
use crate::code::Code;
use crate::policy::{
    BreakerOptions, BreakerScope, BudgetOptions, BulkheadOptions, JitterKind, JitterOption, PolicyOptions,
    RateLimitOptions, RetryConfig, RetryOn, RetryOptions, Shared, SlowCallOptions, ThrottleOptions,
    TimeoutOptions, WindowOptions, seed_from_f64,
};
use serde_json::{Map, Value};

type Read<T> = Result<T, Misfit>;

/// The longest time that a scenario can name: a year.
const YEAR_MS: f64 = 31_536_000_000.0;
/// More clients, servers or calls at once than memory has room for.
const MANY: f64 = 100_000_000.0;

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// The first thing that does not fit: a value out of range, an unknown key, a scenario that is too large.
    ///
    /// ```
    /// use halfopen::lab::Scenario;
    /// let misfit = Scenario::from_json(r#"{ "version": 1, "durationMs": -1 }"#).unwrap_err();
    /// assert_eq!(misfit.to_string(), "durationMs: expected a number of milliseconds above 0, got -1");
    /// ```
    pub fn from_json(text: &str) -> Result<Self, Misfit> {
        let value: Value = serde_json::from_str(text).map_err(|error| Misfit {
            path: "scenario".to_owned(),
            expected: "JSON".to_owned(),
            got: error.to_string(),
        })?;
        let read = scenario(&At { path: String::new(), value: &value })?;
        estimate::check(&read)?;
        Ok(read)
    }
}

/// A value, and where it stands.
struct At<'a> {
    path: String,
    value: &'a Value,
}

/// An object, with its keys checked.
struct Object<'a> {
    path: &'a str,
    fields: &'a Map<String, Value>,
}

impl<'a> At<'a> {
    fn misfit<T>(&self, expected: &str) -> Read<T> {
        let path = if self.path.is_empty() { "scenario".to_owned() } else { self.path.clone() };
        Err(Misfit { path, expected: expected.to_owned(), got: shown(self.value) })
    }

    fn object(&'a self, keys: &[&str]) -> Read<Object<'a>> {
        let Value::Object(fields) = self.value else { return self.misfit("an object") };
        let object = Object { path: &self.path, fields };
        match fields.keys().find(|key| !keys.contains(&key.as_str())) {
            None => Ok(object),
            Some(unknown) => Err(Misfit {
                path: object.path_of(unknown),
                expected: format!("one of the keys {}", keys.join(", ")),
                got: format!("the unknown key '{unknown}'"),
            }),
        }
    }

    fn number(&self, expected: &str, fits: impl Fn(f64) -> bool) -> Read<f64> {
        match self.value.as_f64().filter(|&number| number.is_finite() && fits(number)) {
            Some(number) => Ok(number),
            None => self.misfit(expected),
        }
    }

    fn millis(&self) -> Read<f64> {
        self.number("a number of milliseconds from 0", |ms| (0.0..=YEAR_MS).contains(&ms))
    }

    fn positive_millis(&self) -> Read<f64> {
        self.number("a number of milliseconds above 0", |ms| ms > 0.0 && ms <= YEAR_MS)
    }

    /// As `millis`, where Infinity (which JSON has no number for) means "no limit".
    fn millis_or_infinity(&self) -> Read<f64> {
        if self.value.as_str() == Some("Infinity") { Ok(f64::INFINITY) } else { self.millis() }
    }

    fn share(&self) -> Read<f64> {
        self.number("a number from 0 to 1", |share| (0.0..=1.0).contains(&share))
    }

    fn at_least_zero(&self) -> Read<f64> {
        self.number("a number from 0", |number| (0.0..=1e15).contains(&number))
    }

    fn whole_from(&self, least: f64) -> Read<f64> {
        self.number(&format!("a whole number from {least} to {MANY}"), |number| {
            (least..=MANY).contains(&number) && libm::floor(number) == number
        })
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole and in range"
    )]
    fn count_from(&self, least: u32) -> Read<u32> {
        Ok(self.whole_from(f64::from(least))? as u32)
    }

    fn boolean(&self) -> Read<bool> {
        self.value.as_bool().map_or_else(|| self.misfit("true or false"), Ok)
    }

    fn one_of<T: Copy>(&self, names: &[(&str, T)]) -> Read<T> {
        let found = self.value.as_str().and_then(|got| names.iter().find(|(name, _)| *name == got));
        match found {
            Some((_, value)) => Ok(*value),
            None => {
                let names: Vec<String> = names.iter().map(|(name, _)| format!("'{name}'")).collect();
                self.misfit(&names.join(" or "))
            }
        }
    }

    fn is_false(&self) -> bool {
        *self.value == Value::Bool(false)
    }

    fn items(&self) -> Read<Vec<At<'a>>> {
        let Value::Array(items) = self.value else { return self.misfit("a list") };
        let at = |(index, value)| At { path: format!("{}[{index}]", self.path), value };
        Ok(items.iter().enumerate().map(at).collect())
    }

    fn list<T>(&self, read: impl Fn(&At<'a>) -> Read<T>) -> Read<Vec<T>> {
        self.items()?.iter().map(read).collect()
    }
}

impl<'a> Object<'a> {
    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn get(&self, key: &str) -> Option<At<'a>> {
        let value = self.fields.get(key)?;
        Some(At { path: self.path_of(key), value })
    }

    fn need(&self, key: &str, expected: &str) -> Read<At<'a>> {
        self.get(key).ok_or_else(|| Misfit {
            path: self.path_of(key),
            expected: expected.to_owned(),
            got: "nothing".to_owned(),
        })
    }

    fn maybe<T>(&self, key: &str, read: impl Fn(&At<'a>) -> Read<T>) -> Read<Option<T>> {
        self.get(key).map(|at| read(&at)).transpose()
    }
}

/// A value as an error shows it: numbers and short texts themselves.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.len() > 40 => "a long text".to_owned(),
        Value::String(text) => format!("'{text}'"),
        plain => plain.to_string(),
    }
}

fn scenario(at: &At<'_>) -> Read<Scenario> {
    let keys = [
        "version",
        "name",
        "seed",
        "durationMs",
        "intervalMs",
        "clients",
        "policies",
        "provider",
        "faults",
        "cost",
        "expect",
    ];
    let object = at.object(&keys)?;
    object.need("version", "1")?.number("1", |version| version == 1.0)?;
    let name = object.maybe("name", |at| {
        at.value.as_str().map_or_else(|| at.misfit("a text"), |name| Ok(name.to_owned()))
    })?;
    let seed = object.maybe("seed", |at| at.number("a number", |_| true))?.unwrap_or(0.0);
    let duration_ms = object.need("durationMs", "a number of milliseconds above 0")?.positive_millis()?;
    let interval_ms = object
        .maybe("intervalMs", |at| {
            let least = (duration_ms / 100_000.0).max(1.0);
            at.number(&format!("a number of milliseconds from {least}"), |ms| (least..=YEAR_MS).contains(&ms))
        })?
        .unwrap_or((duration_ms / 100_000.0).max(1000.0));
    let cost = object.maybe("cost", cost)?.unwrap_or_default();
    let mut clients = clients(&object.need("clients", "an object")?)?;
    let mut policies = policies(&object.need("policies", "an object with a policy for each name")?)?;
    for policy in clients.nested.iter_mut().chain(policies.iter_mut().map(|(_, policy)| policy)) {
        policy.set_tokens(cost.tokens_per_attempt);
    }
    Ok(Scenario {
        name,
        seed: seed_from_f64(seed),
        duration_ms,
        interval_ms,
        clients,
        policies,
        provider: provider(&object.need("provider", "an object")?)?,
        faults: object.maybe("faults", |at| at.list(fault))?.unwrap_or_default(),
        cost,
        expect: object.maybe("expect", expect)?.unwrap_or_default(),
    })
}

fn clients(at: &At<'_>) -> Read<Clients> {
    let object = at.object(&["count", "processes", "arrivals", "patienceMs", "shared", "nested"])?;
    let count = object.need("count", "a whole number from 1")?.count_from(1)?;
    let shared = object.maybe("shared", |at| {
        let object = at.object(&["stalenessMs"])?;
        let staleness = object.need("stalenessMs", "0")?;
        staleness.number("0 (state that is shared late is not simulated yet)", |ms| ms == 0.0)
    })?;
    Ok(Clients {
        count,
        processes: object.maybe("processes", |at| at.count_from(1))?.unwrap_or(count).min(count),
        arrivals: arrivals(&object.need("arrivals", "an object")?)?,
        patience_ms: object.maybe("patienceMs", At::positive_millis)?,
        shared: shared.is_some(),
        nested: object.maybe("nested", |at| at.list(policy))?.unwrap_or_default(),
    })
}

fn arrivals(at: &At<'_>) -> Read<Arrivals> {
    let object = at.object(&["kind", "think", "perSecond", "process"])?;
    let kind = object.need("kind", "'once' or 'closed' or 'open'")?;
    match kind.one_of(&[("once", 0), ("closed", 1), ("open", 2)])? {
        0 => at.object(&["kind"]).map(|_| Arrivals::Once),
        1 => {
            let object = at.object(&["kind", "think"])?;
            let think = distribution(&object.need("think", "an object")?)?;
            Ok(Arrivals::Closed { think })
        }
        _ => {
            let object = at.object(&["kind", "perSecond", "process"])?;
            let rate = object.need("perSecond", "a number above 0")?;
            let kinds = [("poisson", false), ("constant", true)];
            Ok(Arrivals::Open {
                per_second: rate.number("a number above 0", |rate| rate > 0.0 && rate <= 1e9)?,
                constant: object.maybe("process", |at| at.one_of(&kinds))?.unwrap_or(false),
            })
        }
    }
}

fn distribution(at: &At<'_>) -> Read<Distribution> {
    let object = at.object(&["kind", "mean", "median", "sigma", "values"])?;
    let kinds = [("constant", 0), ("exponential", 1), ("lognormal", 2), ("empirical", 3)];
    let kind =
        object.need("kind", "'constant' or 'exponential' or 'lognormal' or 'empirical'")?.one_of(&kinds)?;
    let millis =
        |object: &Object<'_>, key| object.need(key, "a number of milliseconds above 0")?.positive_millis();
    match kind {
        0 | 1 => {
            let mean = millis(&at.object(&["kind", "mean"])?, "mean")?;
            Ok(if kind == 0 { Distribution::Constant { mean } } else { Distribution::Exponential { mean } })
        }
        2 => {
            let object = at.object(&["kind", "median", "sigma"])?;
            let median = millis(&object, "median")?;
            let sigma = object.need("sigma", "a number from 0 to 10")?;
            let sigma = sigma.number("a number from 0 to 10", |sigma| (0.0..=10.0).contains(&sigma))?;
            Ok(Distribution::LogNormal { median, sigma })
        }
        _ => {
            let object = at.object(&["kind", "values"])?;
            let at = object.need("values", "a list of milliseconds")?;
            let values = at.list(At::millis)?;
            if values.iter().all(|&ms| ms == 0.0) {
                return at.misfit("a list of milliseconds, one of them above 0");
            }
            Ok(Distribution::Empirical { values })
        }
    }
}

fn policies<'a>(at: &At<'a>) -> Read<Vec<(String, LabPolicy)>> {
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

fn policy(at: &At<'_>) -> Read<LabPolicy> {
    let keys = ["retry", "breaker", "breakerScope", "timeout", "bulkhead", "rateLimit", "fallback", "hedge"];
    let object = at.object(&keys)?;
    let (retry, budget) = object.maybe("retry", retry)?.unwrap_or_default();
    let scopes = [("call", BreakerScope::Call), ("attempt", BreakerScope::Attempt)];
    let (attempt_ms, total_ms) = object.maybe("timeout", timeout)?.unwrap_or_default();
    let options = PolicyOptions {
        retry,
        breaker_scope: object.maybe("breakerScope", |at| at.one_of(&scopes))?.unwrap_or_default(),
        timeout: TimeoutOptions { total_ms },
        bulkhead: object.maybe("bulkhead", bulkhead)?,
        rate_limit: object.maybe("rateLimit", rate_limits)?.unwrap_or_default(),
        estimated_tokens: None,
    };
    let config = options.config(Shared::default());
    let mut policy = LabPolicy::new(RetryConfig::default(), None);
    policy.config.call = config.call;
    policy.set_total(config.call.total);
    policy.set_limits(config.bulkhead, config.rate_limits);
    policy.breaker = object
        .maybe("breaker", breaker)?
        .unwrap_or_else(|| Some(BreakerOptions::default()))
        .map(|options| options.config());
    policy.budget = budget.map(|options| options.config());
    policy.attempt_ms = attempt_ms;
    policy.fallback = object.maybe("fallback", At::boolean)?.unwrap_or(false);
    policy.hedge = object.maybe("hedge", hedge)?;
    Ok(policy)
}

fn retry(at: &At<'_>) -> Read<(RetryOptions, Option<BudgetOptions>)> {
    if at.is_false() {
        return Ok((RetryOptions { enabled: Some(false), ..RetryOptions::default() }, None));
    }
    let keys = [
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
    ];
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
        ..RetryOptions::default()
    };
    let budget = object.maybe("budget", |at| {
        let object = at.object(&["ratio", "minPerSecond"])?;
        Ok(BudgetOptions {
            ratio: object.maybe("ratio", At::at_least_zero)?,
            min_per_second: object.maybe("minPerSecond", At::at_least_zero)?,
            ..BudgetOptions::default()
        })
    })?;
    Ok((options, budget))
}

fn jitter(at: &At<'_>) -> Read<JitterOption> {
    if at.value.is_string() {
        let kinds = [JitterKind::Full, JitterKind::Equal, JitterKind::Decorrelated];
        return at.one_of(&kinds.map(|kind| (kind.as_str(), JitterOption::Named(kind))));
    }
    let expected = "a number from 0 to 1, 'full', 'equal' or 'decorrelated'";
    at.number(expected, |share| (0.0..=1.0).contains(&share)).map(JitterOption::Proportion)
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

fn breaker(at: &At<'_>) -> Read<Option<BreakerOptions>> {
    if at.is_false() {
        return Ok(None);
    }
    let keys = [
        "name",
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
    ];
    let object = at.object(&keys)?;
    let count = |at: &At<'_>| at.whole_from(1.0);
    Ok(Some(BreakerOptions {
        failure_threshold: object.maybe("failureThreshold", count)?,
        reset_timeout_ms: object.maybe("resetTimeoutMs", At::millis)?,
        reset_backoff_factor: object.maybe("resetBackoffFactor", At::at_least_zero)?,
        max_reset_timeout_ms: object.maybe("maxResetTimeoutMs", At::millis)?,
        half_open_max_calls: object.maybe("halfOpenMaxCalls", count)?,
        success_threshold: object.maybe("successThreshold", count)?,
        probe_timeout_ms: object.maybe("probeTimeoutMs", At::positive_millis)?,
        window: object.maybe("window", window)?,
        slow_call: object.maybe("slowCall", |at| {
            let object = at.object(&["durationMs", "rate"])?;
            Ok(SlowCallOptions {
                duration_ms: object
                    .need("durationMs", "a number of milliseconds above 0")?
                    .positive_millis()?,
                rate: object.need("rate", "a number from 0 to 1")?.share()?,
            })
        })?,
        throttle: object.maybe("throttle", throttle)?,
        ramp_ms: object.maybe("rampMs", At::millis)?,
        ..BreakerOptions::default()
    }))
}

fn throttle(at: &At<'_>) -> Read<ThrottleOptions> {
    let object = at.object(&["k", "windowMs", "minimumCalls"])?;
    Ok(ThrottleOptions {
        k: object.maybe("k", |at| at.number("a number from 1", |k| (1.0..=1e6).contains(&k)))?,
        window_ms: object.maybe("windowMs", At::positive_millis)?,
        minimum_calls: object.maybe("minimumCalls", |at| at.whole_from(1.0))?,
    })
}

fn window(at: &At<'_>) -> Read<WindowOptions> {
    let object = at.object(&["kind", "size", "durationMs", "failureRate", "minimumCalls"])?;
    let is_count = object.need("kind", "'count' or 'time'")?.one_of(&[("count", true), ("time", false)])?;
    let failure_rate = object.need("failureRate", "a number from 0 to 1")?.share()?;
    let minimum_calls = object.maybe("minimumCalls", |at| at.whole_from(1.0))?;
    if is_count {
        let object = at.object(&["kind", "size", "failureRate", "minimumCalls"])?;
        let size = object.need("size", "a whole number from 1")?.whole_from(1.0)?;
        Ok(WindowOptions::Count { size, failure_rate, minimum_calls })
    } else {
        let object = at.object(&["kind", "durationMs", "failureRate", "minimumCalls"])?;
        let duration_ms = object.need("durationMs", "a number of milliseconds above 0")?.positive_millis()?;
        Ok(WindowOptions::Time { duration_ms, failure_rate, minimum_calls })
    }
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

fn provider(at: &At<'_>) -> Read<Provider> {
    let object = at.object(&["servers", "service", "queue", "abandons", "rateLimit", "errors"])?;
    let errors = object.maybe("errors", |at| {
        at.list(|at| mixed_error(at, &["code", "rate", "retryAfterMs", "latencyMs"]))
    })?;
    let errors = errors.unwrap_or_default();
    if let Some(at) = object.get("errors")
        && errors.iter().map(|error| error.rate).sum::<f64>() > 1.0 + 1e-9
    {
        return at.misfit("rates that sum up to 1 at most");
    }
    Ok(Provider {
        servers: object.need("servers", "a whole number from 1")?.count_from(1)?,
        service: distribution(&object.need("service", "an object")?)?,
        queue: object
            .maybe("queue", |at| match at.value.as_str() {
                Some("unbounded") => Ok(None),
                _ if at.value.is_number() => at.count_from(0).map(Some),
                _ => at.misfit("a whole number from 0, or 'unbounded'"),
            })?
            .flatten(),
        abandons: object.maybe("abandons", At::boolean)?.unwrap_or(false),
        rate_limit: object.maybe("rateLimit", provider_limit)?,
        errors,
    })
}

fn provider_limit(at: &At<'_>) -> Read<Limit> {
    let object = at.object(&["limit", "windowMs", "retryAfter"])?;
    let ways = [("exact", RetryAfter::Exact), ("seconds", RetryAfter::Seconds), ("none", RetryAfter::None)];
    Ok(Limit {
        limit: object.need("limit", "a whole number from 1")?.count_from(1)?,
        window_ms: object.need("windowMs", "a number of milliseconds above 0")?.positive_millis()?,
        retry_after: object.maybe("retryAfter", |at| at.one_of(&ways))?.unwrap_or_default(),
    })
}

fn mixed_error(at: &At<'_>, keys: &[&str]) -> Read<MixedError> {
    let object = at.object(keys)?;
    let code = object.need("code", "an error code")?;
    Ok(MixedError {
        code: code
            .value
            .as_str()
            .and_then(Code::from_name)
            .map_or_else(|| code.misfit("an error code"), Ok)?,
        rate: object.need("rate", "a number from 0 to 1")?.share()?,
        retry_after_ms: object.maybe("retryAfterMs", At::millis)?,
        latency_ms: object.maybe("latencyMs", At::millis)?.unwrap_or(0.0),
    })
}

fn fault(at: &At<'_>) -> Read<Fault> {
    let every = ["kind", "atMs", "forMs", "code", "rate", "retryAfterMs", "factor", "rampMs"];
    let object = at.object(&every)?;
    let kinds =
        ["outage", "blackhole", "pause", "errors", "slow", "capacity", "load"].map(|name| (name, name));
    let kind = object.need("kind", "the name of a fault")?.one_of(&kinds)?;
    let for_ms = object.need("forMs", "a number of milliseconds above 0")?.positive_millis()?;
    let own: &[&str] = match kind {
        "errors" => &["kind", "atMs", "forMs", "code", "rate", "retryAfterMs"],
        "slow" | "capacity" | "load" => &["kind", "atMs", "forMs", "factor", "rampMs"],
        _ => &["kind", "atMs", "forMs"],
    };
    at.object(own)?;
    // A factor of 0 is a pause, or no load at all; service that takes no time is not offered.
    let factor = |least: f64| -> Read<Factor> {
        let expected = format!("a number from {least} to 1000000");
        let factor =
            object.need("factor", &expected)?.number(&expected, |factor| (least..=1e6).contains(&factor))?;
        let within = format!("a number of milliseconds from 0 to forMs ({for_ms})");
        let ramp_ms = object.maybe("rampMs", |at| at.number(&within, |ms| (0.0..=for_ms).contains(&ms)))?;
        Ok(Factor { factor, ramp_ms: ramp_ms.unwrap_or(0.0) })
    };
    Ok(Fault {
        at_ms: object.need("atMs", "a number of milliseconds from 0")?.millis()?,
        for_ms,
        kind: match kind {
            "outage" => FaultKind::Outage,
            "blackhole" => FaultKind::Blackhole,
            "pause" => FaultKind::Pause,
            "errors" => FaultKind::Errors(mixed_error(at, own)?),
            "slow" => FaultKind::Slow(factor(0.001)?),
            "capacity" => FaultKind::Capacity(factor(0.0)?),
            _ => FaultKind::Load(factor(0.001)?),
        },
    })
}

fn cost(at: &At<'_>) -> Read<Cost> {
    let object = at.object(&["perAttempt", "perToken", "tokensPerAttempt"])?;
    Ok(Cost {
        per_attempt: object.maybe("perAttempt", At::at_least_zero)?.unwrap_or(0.0),
        per_token: object.maybe("perToken", At::at_least_zero)?.unwrap_or(0.0),
        tokens_per_attempt: object.maybe("tokensPerAttempt", At::at_least_zero)?.unwrap_or(0.0),
    })
}

fn expect(at: &At<'_>) -> Read<Expect> {
    let keys = ["minSuccessRate", "maxAmplification", "maxUserP95Ms", "maxCost", "minRecoveredGoodput"];
    let object = at.object(&keys)?;
    Ok(Expect {
        min_success_rate: object.maybe("minSuccessRate", At::share)?,
        max_amplification: object.maybe("maxAmplification", At::at_least_zero)?,
        max_user_p95_ms: object.maybe("maxUserP95Ms", At::at_least_zero)?,
        max_cost: object.maybe("maxCost", At::at_least_zero)?,
        min_recovered_goodput: object.maybe("minRecoveredGoodput", At::at_least_zero)?,
    })
}
