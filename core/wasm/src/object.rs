//! Objects that this package makes itself, read and written by the names of their fields. Only this package has them,
//! so no getter, setter or proxy can throw.

use js_sys::Array;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Object)]
    pub(super) type Object;

    #[wasm_bindgen(constructor, js_class = "Object")]
    pub(super) fn new() -> Object;

    #[wasm_bindgen(method, structural, indexing_getter)]
    fn get(this: &Object, field: &str) -> JsValue;

    #[wasm_bindgen(method, structural, indexing_setter)]
    pub(super) fn set(this: &Object, field: &str, value: &JsValue);
}

impl Object {
    /// Returns the text in a field; `None` if it is missing.
    pub(super) fn text(&self, field: &str) -> Option<String> {
        self.get(field).as_string()
    }

    /// Returns the number in a field; `None` if it is missing.
    pub(super) fn number(&self, field: &str) -> Option<f64> {
        self.get(field).as_f64()
    }

    /// Returns `true` if a field is `true`.
    pub(super) fn is_true(&self, field: &str) -> bool {
        self.get(field).is_truthy()
    }

    /// The items of the list in a field.
    pub(super) fn list(&self, field: &str) -> impl Iterator<Item = JsValue> {
        self.get(field).unchecked_into::<Array>().to_vec().into_iter()
    }
}
