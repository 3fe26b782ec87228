//! Whether the page is so narrow that the details of a call cover the timeline.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// As in the style sheets.
const NARROW: &str = "(max-width: 900px)";

/// Follows the width of the page.
#[derive(Clone, Copy)]
pub(crate) struct Narrow(pub(crate) RwSignal<bool>);

impl Narrow {
    pub(crate) fn new() -> Self {
        let Ok(Some(query)) = window().match_media(NARROW) else { return Self(RwSignal::new(false)) };
        let narrow = RwSignal::new(query.matches());
        let narrower = query.clone();
        let changed = Closure::<dyn Fn()>::new(move || narrow.set(narrower.matches()));
        // The listener lives as long as the page.
        query.set_onchange(Some(changed.into_js_value().unchecked_ref()));
        Self(narrow)
    }
}
