//! Policies: their options, as the log has them, their numbers, and what the checks say of them.

use crate::findings::cards;
use crate::instant::iso;
use crate::shown::object;
use halfopen_model::check::Finding;
use halfopen_model::view::policies::{Row, table};
use halfopen_model::view::prices::Prices;
use halfopen_store::breaker::Breaker;
use halfopen_store::order;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use serde_json::{Value, json};

pub(crate) fn list(log: &Log) -> Value {
    let rows: Vec<_> = table(log, &Prices::default()).rows.iter().map(row).collect();
    json!({ "policies": rows })
}

fn row(row: &Row) -> Value {
    json!({
        "name": row.name,
        "process": row.process,
        "calls": row.calls,
        "success": row.success,
        "failed": row.failed,
        "fallbacks": row.fallbacks,
        "retries": row.retries,
        "p50Ms": row.p50,
        "p95Ms": row.p95,
        "waitedMs": row.waited_ms.round(),
        "tokens": row.spent.tokens,
        "tokensOfFailedAttempts": row.spent.lost,
    })
}

/// The policy of that name that has the most calls; one without calls, if there is no other.
pub(crate) fn policy(log: &Log, name: &str, found: &[Finding], now: Moment) -> Result<Value, String> {
    let rows = table(log, &Prices::default()).rows;
    let with_calls = rows.iter().find(|row| row.name == name);
    let of_name = |id: &PolicyId| log.names.text(id.name) == name;
    let id = with_calls.map(|row| row.key).or_else(|| log.policies().find(of_name));
    let Some(id) = id else { return Err(missing(log, name)) };
    let own: Vec<_> = found.iter().filter(|finding| finding.key.policy == id.name).cloned().collect();
    let breaker = log.breaker_of(id).and_then(|id| log.breakers.get(id));
    let more = json!({
        "name": name,
        "options": log.options_of(id).map(|options| options.value()),
        "made": log.made(id),
        "breaker": breaker.map(|breaker| self::breaker(log, breaker, now)),
        "findings": cards(log, &own, now),
    });
    let numbers = with_calls.map_or_else(|| json!({ "calls": 0 }), row);
    let fields = [numbers, more].into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    Ok(Value::Object(object(fields.flatten())))
}

fn breaker(log: &Log, breaker: &Breaker, now: Moment) -> Value {
    json!({
        "name": log.names.text(breaker.id.name),
        "state": breaker.state_at(now).word(),
        "openings": breaker.openings(),
        "openMs": breaker.time_open(now).round(),
        "refused": breaker.rejected,
        "lastOpened": breaker.last_trip().map(|trip| json!({ "at": iso(trip.at), "because": trip.reason })),
    })
}

fn missing(log: &Log, name: &str) -> String {
    let mut names: Vec<_> = log.policies().map(|id| format!("'{}'", log.names.text(id.name))).collect();
    order::sort_by(&mut names, |a, b| a.cmp(b));
    names.dedup();
    names.truncate(20);
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("the log has no policy '{name}'; it has {known}")
}
