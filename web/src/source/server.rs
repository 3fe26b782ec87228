//! Requests of the page to its own server, with the key that this browser keeps for this origin.

use crate::ui::storage;
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Headers, RequestInit, Response};

/// The server's entry page stores the key under this name (`pkg/src/devtools/server/entry.ts`). A cookie would be sent to
/// every port of this machine.
const KEY_NAME: &str = "halfopen-key";

/// The key: the server takes it in the address of the stream, and in a header of other requests.
pub(super) fn key() -> Option<String> {
    storage::get(KEY_NAME)
}

/// Posts JSON. Returns the text of the response, as the inner error if the response is not a success.
///
/// # Errors
/// The outer error: the server does not answer, or the signal was aborted.
pub(crate) async fn post(
    path: &str,
    json: &str,
    signal: Option<&AbortSignal>,
) -> Result<Result<String, String>, JsValue> {
    let headers = Headers::new()?;
    headers.set("content-type", "application/json")?;
    if let Some(key) = key() {
        headers.set("authorization", &format!("Bearer {key}"))?;
    }
    let options = RequestInit::new();
    options.set_method("POST");
    options.set_headers(&headers);
    options.set_body(&json.into());
    options.set_signal(signal);
    let response: Response =
        JsFuture::from(window().fetch_with_str_and_init(path, &options)).await?.unchecked_into();
    let text = JsFuture::from(response.text()?).await?.as_string().unwrap_or_default();
    Ok(if response.ok() { Ok(text) } else { Err(text) })
}
