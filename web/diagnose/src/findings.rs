//! The findings, as the page's cards have them.

use crate::instant::iso;
use halfopen_model::check::{Evidence, Finding, Setting};
use halfopen_model::layout::axis::offset;
use halfopen_model::view::findings::{self, Card};
use halfopen_model::view::words;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use serde_json::{Value, json};

/// The cards of findings, in their order.
pub(crate) fn cards(log: &Log, found: &[Finding], now: Moment) -> Vec<Value> {
    let begins = log.bounds().map_or(now, |bounds| bounds.0);
    // A module has no time zone.
    let shown = findings::findings(log, Some(found), &|at| offset(at - begins, 100.0));
    shown.cards().iter().map(|card| self::card(log, card, now)).collect()
}

fn card(log: &Log, card: &Card, now: Moment) -> Value {
    let Card { key, grade, title, what, fix, settings, lacks_options, code, places } = card;
    let setting = |Setting { path, now, to }: &Setting| json!({ "path": path, "now": now, "to": to });
    json!({
        "check": key.check,
        "grade": grade.word(),
        "policy": log.names.text(key.policy),
        "title": title,
        "what": what,
        "fix": fix,
        "settings": settings.iter().map(setting).collect::<Vec<_>>(),
        // The log does not have what the settings are now: compare them with the code that makes the policy.
        "lacksOptions": lacks_options,
        "code": code,
        "evidence": places.iter().map(|(text, place)| evidence(log, text, place, now)).collect::<Vec<_>>(),
    })
}

fn evidence(log: &Log, text: &str, place: &Evidence, now: Moment) -> Value {
    match *place {
        Evidence::Call(number) => log.call(number).map_or_else(
            || json!({ "kind": "call", "text": text }),
            |call| {
                let says = words::call(log, call, now);
                json!({ "kind": "call", "text": text, "id": call.id, "at": iso(call.started), "says": says })
            },
        ),
        Evidence::Run(number) => log.runs.get(number).map_or_else(
            || json!({ "kind": "run", "text": text }),
            |run| json!({ "kind": "run", "text": text, "id": run.id, "at": iso(run.started) }),
        ),
        Evidence::Breaker(id) => json!({ "kind": "breaker", "text": text, "name": log.names.text(id.name) }),
        Evidence::Group(code, rule) => {
            json!({ "kind": "group", "text": text, "code": log.names.text(code), "rule": log.names.text(rule) })
        }
    }
}
