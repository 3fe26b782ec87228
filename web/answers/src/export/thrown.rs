//! A thrown value made from recorded signals. Texts of errors are not recorded, so what is made is classified here, by
//! the core's own rules: what does not come out as it was recorded is thrown as an `AgentError` of that code instead.

use super::literal::{number, object, string, value};
use super::recorded::{Attempt, Failure};
use halfopen::classify::{Context, Thrown, classify};
use halfopen::code::Code;
use halfopen::message::redact;
use serde_json::{Map, Value, json};

/// An expression that makes the error.
pub(super) fn expression(attempt: &Attempt, failure: &Failure) -> String {
    let context = Context {
        provider: Some(attempt.provider.clone()).filter(|name| !name.is_empty()),
        model: Some(attempt.model.clone()).filter(|name| !name.is_empty()),
        ..Context::default()
    };
    let candidates = [plain, nested];
    let found = candidates.iter().map(|make| make(failure)).find(|made| {
        let says = classify(&Thrown::from_json(&Value::Object(made.clone()).to_string()), &context);
        says.code.as_str() == failure.code
            && says.retryable == failure.retryable
            && says.hint.map(|hint| hint.as_f64()) == failure.hint
    });
    match found {
        Some(made) => error(&made),
        None => agent_error(attempt, failure),
    }
}

/// Codes, status and headers on the error itself, as most SDKs have them.
fn plain(failure: &Failure) -> Map<String, Value> {
    let mut made = named(failure, 0);
    let codes = texts(failure, "codes");
    let mut put = |name: &str, value: Value| {
        made.insert(name.to_owned(), value);
    };
    if let Some(status) = failure.status.or_else(|| failure.signals.get("status")?.as_u64()?.try_into().ok())
    {
        put("status", status.into());
    }
    if let Some(code) = codes.first() {
        put("code", json!(code));
    }
    if let Some(kind) = codes.get(1) {
        put("type", json!(kind));
    }
    let mut headers = Map::new();
    if let Some(hint) = failure.hint {
        headers.insert("retry-after-ms".into(), json!(number(hint)));
    }
    if let Some(id) = &failure.request {
        headers.insert("x-request-id".into(), json!(redact(id)));
    }
    if let Some(should) = failure.signals.get("shouldRetry").and_then(Value::as_bool) {
        headers.insert("x-should-retry".into(), json!(should.to_string()));
    }
    if !headers.is_empty() {
        put("headers", Value::Object(headers));
    }
    made
}

/// The code on a cause, as `fetch` and what is built on it have it.
fn nested(failure: &Failure) -> Map<String, Value> {
    let mut made = named(failure, 0);
    let mut cause = named(failure, 1);
    if let Some(code) = texts(failure, "codes").first() {
        cause.insert("code".into(), json!(code));
    }
    made.insert("cause".into(), Value::Object(cause));
    made
}

fn named(failure: &Failure, place: usize) -> Map<String, Value> {
    let mut made = Map::new();
    if let Some(name) = texts(failure, "names").get(place) {
        made.insert("name".into(), json!(name));
    }
    made
}

fn texts(failure: &Failure, list: &str) -> Vec<String> {
    let items = failure.signals.get(list).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(redact).collect()
}

/// The text says where it comes from; it takes no part in the classification.
const MESSAGE: &str = "recorded";

fn error(made: &Map<String, Value>) -> String {
    let fields = made.iter().map(|(name, of)| {
        let inner = of.as_object().filter(|_| name == "cause").map(error);
        (name.as_str(), inner.unwrap_or_else(|| value(of)))
    });
    let bare = format!("new Error({})", string(MESSAGE));
    if made.is_empty() { bare } else { format!("Object.assign({bare}, {})", object(fields)) }
}

fn agent_error(attempt: &Attempt, failure: &Failure) -> String {
    let mut more: Vec<(&str, String)> = Vec::new();
    let about = [("provider", &attempt.provider), ("model", &attempt.model)];
    let mut about: Vec<_> = about
        .into_iter()
        .filter(|(_, name)| !name.is_empty())
        .map(|(key, name)| (key, string(name)))
        .collect();
    if let Some(status) = failure.status {
        about.push(("statusCode", status.to_string()));
    }
    if !about.is_empty() {
        more.push(("provider", object(about.into_iter())));
    }
    if let Some(hint) = failure.hint {
        more.push(("retryAfterMs", number(hint)));
    }
    let code = Code::from_name(&failure.code).unwrap_or(Code::Unknown);
    if code.severity().as_str() != failure.severity {
        more.push(("severity", string(&failure.severity)));
    }
    if code.is_retryable() != failure.retryable {
        more.push(("retryable", failure.retryable.to_string()));
    }
    let options = if more.is_empty() { String::new() } else { format!(", {}", object(more.into_iter())) };
    format!("new AgentError({}, {}{options})", string(code.as_str()), string(&failure.details))
}
