//! What the browser keeps of a user's choices. A page may have no storage, and works without.

use leptos::prelude::window;

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// What is kept under a key.
pub(crate) fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Keeps a value.
pub(crate) fn set(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, value);
    }
}
