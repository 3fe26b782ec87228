//! A file that the browser saves.

use gloo_timers::callback::Timeout;
use leptos::prelude::document;
use wasm_bindgen::JsCast;

/// The time before a saved file's URL is revoked, in milliseconds: the browser reads it after the click.
const READ: u32 = 10_000;

/// Offers a text as a file to save.
pub(crate) fn save_text(text: &str, kind: &str, name: &str) {
    save(&js_sys::Array::of1(&text.into()), kind, name);
}

/// Offers texts and bytes as a file to save.
pub(crate) fn save(parts: &js_sys::Array, kind: &str, name: &str) {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(kind);
    let blob = web_sys::Blob::new_with_blob_sequence_and_options(parts, &options);
    let Ok(url) = blob.and_then(|blob| web_sys::Url::create_object_url_with_blob(&blob)) else { return };
    if let Ok(link) = document().create_element("a").map(JsCast::unchecked_into::<web_sys::HtmlAnchorElement>)
    {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    Timeout::new(READ, move || drop(web_sys::Url::revoke_object_url(&url))).forget();
}
