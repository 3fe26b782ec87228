//! A thrown value made from recorded signals. Texts of errors are not recorded, so what is made is classified here, by
//! the core's own rules: what does not come out as it was recorded is thrown as an `AgentError` of that code instead.

use super::literal::{number, object, string, value};
use super::recorded::Attempt;
use halfopen::classify::{Context, Thrown, classify};
use halfopen::code::Code;
use halfopen::message::redact;
use halfopen_log::kind::AttemptFailed;
use serde_json::{Map, Value, json};

/// An expression that makes the error.
pub(super) fn expression(attempt: &Attempt<'_>, failed: &AttemptFailed<'_>) -> String {
    let named = |name: &str| (!name.is_empty()).then(|| name.to_owned());
    let context =
        Context { provider: named(attempt.provider()), model: named(attempt.model()), ..Context::default() };
    let signals = failed.signals.value();
    let found = [plain(failed, &signals), nested(&signals)].into_iter().find(|made| {
        let says = classify(&Thrown::from_json(&Value::Object(made.clone()).to_string()), &context);
        says.code.as_str() == failed.code.as_str()
            && says.retryable == failed.retryable
            && says.hint.map(|hint| hint.as_f64()) == failed.retry_after_ms
    });
    match found {
        Some(made) => error(&made),
        None => agent_error(attempt, failed),
    }
}

/// Codes, status and headers on the error itself, as most SDKs have them.
fn plain(failed: &AttemptFailed<'_>, signals: &Value) -> Map<String, Value> {
    let mut made = named(signals, 0);
    let codes = texts(signals, "codes");
    let mut put = |name: &str, value: Value| {
        made.insert(name.to_owned(), value);
    };
    if let Some(status) = failed.status_code.or_else(|| signals.get("status")?.as_u64()?.try_into().ok()) {
        put("status", status.into());
    }
    if let Some(code) = codes.first() {
        put("code", json!(code));
    }
    if let Some(kind) = codes.get(1) {
        put("type", json!(kind));
    }
    let mut headers = Map::new();
    if let Some(hint) = failed.retry_after_ms {
        headers.insert("retry-after-ms".into(), json!(number(hint)));
    }
    if let Some(id) = &failed.request_id {
        headers.insert("x-request-id".into(), json!(redact(id.as_str())));
    }
    if let Some(should) = signals.get("shouldRetry").and_then(Value::as_bool) {
        headers.insert("x-should-retry".into(), json!(should.to_string()));
    }
    if !headers.is_empty() {
        put("headers", Value::Object(headers));
    }
    made
}

/// The code on a cause, as `fetch` and what is built on it have it.
fn nested(signals: &Value) -> Map<String, Value> {
    let mut made = named(signals, 0);
    let mut cause = named(signals, 1);
    if let Some(code) = texts(signals, "codes").first() {
        cause.insert("code".into(), json!(code));
    }
    made.insert("cause".into(), Value::Object(cause));
    made
}

fn named(signals: &Value, place: usize) -> Map<String, Value> {
    let mut made = Map::new();
    if let Some(name) = texts(signals, "names").get(place) {
        made.insert("name".into(), json!(name));
    }
    made
}

fn texts(signals: &Value, list: &str) -> Vec<String> {
    let items = signals.get(list).and_then(Value::as_array);
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

fn agent_error(attempt: &Attempt<'_>, failed: &AttemptFailed<'_>) -> String {
    let mut more: Vec<(&str, String)> = Vec::new();
    let about = [("provider", attempt.provider()), ("model", attempt.model())];
    let mut about: Vec<_> = about
        .into_iter()
        .filter(|(_, name)| !name.is_empty())
        .map(|(key, name)| (key, string(name)))
        .collect();
    if let Some(status) = failed.status_code {
        about.push(("statusCode", status.to_string()));
    }
    if !about.is_empty() {
        more.push(("provider", object(about.into_iter())));
    }
    if let Some(hint) = failed.retry_after_ms {
        more.push(("retryAfterMs", number(hint)));
    }
    let code = failed.code.code().unwrap_or(Code::Unknown);
    if code.severity().as_str() != failed.severity.as_str() {
        more.push(("severity", string(failed.severity.as_str())));
    }
    if code.is_retryable() != failed.retryable {
        more.push(("retryable", failed.retryable.to_string()));
    }
    let options = if more.is_empty() { String::new() } else { format!(", {}", object(more.into_iter())) };
    format!(
        "new AgentError({}, {}{options})",
        string(code.as_str()),
        string(failed.technical_details.as_str())
    )
}
