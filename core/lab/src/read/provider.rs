//! The provider of a scenario, and its faults.

use super::at::{At, Read, distribution};
use crate::scenario::{Factor, Fault, FaultKind, Limit, MixedError, Provider, RetryAfter};
use halfopen::code::Code;

pub(super) fn provider(at: &At<'_>) -> Read<Provider> {
    let object =
        at.object(&["servers", "service", "queue", "abandons", "rateLimit", "tokenLimit", "errors"])?;
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
        token_limit: object.maybe("tokenLimit", provider_limit)?,
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

pub(super) fn fault(at: &At<'_>) -> Read<Fault> {
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
        let factor = object.need("factor", &expected)?.number(&expected, least..=1e6)?;
        let within = format!("a number of milliseconds from 0 to forMs ({for_ms})");
        let ramp_ms = object.get("rampMs").map_or(Ok(0.0), |at| at.number(&within, 0.0..=for_ms))?;
        Ok(Factor { factor, ramp_ms })
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
