//! The `message` area for JavaScript. The templates of a language come with each call, so that the module carries none:
//! rows of [`templates`](halfopen::message::templates) as one text.

use halfopen::Code;
use halfopen::message::{self, About, Audience, Circumstance, Table};
use halfopen::time::Millis;
use wasm_bindgen::prelude::*;

/// `code` is the number in the code table; `retry_after_ms` is NaN when nothing is known; `circumstance` and `audience` are
/// the numbers of [`Circumstance`] and [`Audience`].
#[wasm_bindgen(js_name = userMessage)]
#[must_use]
#[expect(clippy::too_many_arguments, reason = "an object would cost more than the message")]
pub fn user_message(
    templates: &str,
    code: u8,
    provider: Option<String>,
    model: Option<String>,
    tool: Option<String>,
    retry_after_ms: f64,
    circumstance: u8,
    audience: u8,
) -> String {
    let code = Code::from_index(code).unwrap_or(Code::Unknown);
    let about = About {
        provider: provider.as_deref(),
        model: model.as_deref(),
        tool: tool.as_deref(),
        retry_after: (retry_after_ms > 0.0).then(|| Millis::from_f64(retry_after_ms)),
        circumstance: Circumstance::from_index(circumstance),
        audience: Audience::from_index(audience),
    };
    message::user_message_of(Table(templates), code, &about)
}

/// The message for an answer without content.
#[wasm_bindgen(js_name = emptyResponseMessage)]
#[must_use]
pub fn empty_response(templates: &str, reason: &str, provider: Option<String>, audience: u8) -> String {
    let audience = Audience::from_index(audience);
    let about = About { provider: provider.as_deref(), audience, ..About::default() };
    message::empty_response_of(Table(templates), reason, &about)
}

/// The message for an answer of the wrong shape.
#[wasm_bindgen(js_name = invalidResponseMessage)]
#[must_use]
pub fn invalid_response(templates: &str, expected: &str, got: &str, provider: Option<String>) -> String {
    let about = About { provider: provider.as_deref(), ..About::default() };
    message::invalid_response_of(Table(templates), expected, got, &about)
}

/// The paragraph of details behind a message, with the empty line before it; empty without details.
#[wasm_bindgen(js_name = technicalDetails)]
#[must_use]
pub fn technical_details(templates: &str, details: &str) -> String {
    message::technical_details_of(Table(templates), details)
}

/// The text without secrets.
#[wasm_bindgen(js_name = redactText)]
#[must_use]
pub fn redact(text: &str) -> String {
    message::redact(text)
}

/// Returns `true` if a field of that name holds a secret, whatever its value.
#[wasm_bindgen(js_name = namesSecret)]
#[must_use]
pub fn names_secret(name: &str) -> bool {
    message::names_secret(name)
}
