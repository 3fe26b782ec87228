//! The `message` area for JavaScript.

use crate::Code;
use crate::message::{self, About, Circumstance};
use crate::time::Millis;
use wasm_bindgen::prelude::*;

fn about<'a>(
    provider: Option<&'a String>,
    model: Option<&'a String>,
    tool: Option<&'a String>,
    retry_after_ms: f64,
) -> About<'a> {
    About {
        provider: provider.map(String::as_str),
        model: model.map(String::as_str),
        tool: tool.map(String::as_str),
        retry_after: (retry_after_ms > 0.0).then(|| Millis::from_f64(retry_after_ms)),
        circumstance: Circumstance::None,
    }
}

/// `code` is the number in the code table; `retry_after_ms` is NaN when nothing is known; `circumstance` is 0 for none,
/// 1 where a part of the answer had arrived, 2 after a shutdown.
#[wasm_bindgen(js_name = userMessage)]
#[must_use]
pub fn user_message(
    code: u8,
    provider: Option<String>,
    model: Option<String>,
    tool: Option<String>,
    retry_after_ms: f64,
    circumstance: u8,
    locale: &str,
) -> String {
    let code = Code::from_index(code).unwrap_or(Code::Unknown);
    let known = about(provider.as_ref(), model.as_ref(), tool.as_ref(), retry_after_ms);
    let about = About { circumstance: Circumstance::from_index(circumstance), ..known };
    message::user_message(code, &about, locale)
}

/// The message for an answer without content.
#[wasm_bindgen(js_name = emptyResponseMessage)]
#[must_use]
pub fn empty_response(reason: &str, provider: Option<String>, locale: &str) -> String {
    message::empty_response(reason, &about(provider.as_ref(), None, None, f64::NAN), locale)
}

/// The message for an answer of the wrong shape.
#[wasm_bindgen(js_name = invalidResponseMessage)]
#[must_use]
pub fn invalid_response(expected: &str, got: &str, provider: Option<String>, locale: &str) -> String {
    message::invalid_response(expected, got, &about(provider.as_ref(), None, None, f64::NAN), locale)
}

/// The paragraph of details behind a message, with the empty line before it; empty without details.
#[wasm_bindgen(js_name = technicalDetails)]
#[must_use]
pub fn technical_details(details: &str, locale: &str) -> String {
    message::technical_details(details, locale)
}

/// The languages that there are messages in.
#[wasm_bindgen(js_name = locales)]
#[must_use]
pub fn locales() -> Vec<String> {
    message::LOCALES.iter().map(|&tag| tag.to_owned()).collect()
}

/// The text without secrets.
#[wasm_bindgen(js_name = redactText)]
#[must_use]
pub fn redact(text: &str) -> String {
    message::redact(text)
}

/// Whether a field of that name holds a secret, whatever its value.
#[wasm_bindgen(js_name = namesSecret)]
#[must_use]
pub fn names_secret(name: &str) -> bool {
    message::names_secret(name)
}
