//! JavaScript values as the formats read them. If a getter or a proxy throws, the value counts as absent.

use halfopen::response::value::{Key, Kind, Value, WORD_BYTES};
use js_sys::{JSON, JsString, Reflect};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Any value but `null` and `undefined`: as an imported type, those two come back as `None` without a further call.
    type Any;

    // A structural getter costs a third of `Reflect.get`.
    #[wasm_bindgen(method, structural, indexing_getter, catch)]
    fn field(this: &Any, key: &JsValue) -> Result<Option<Any>, JsValue>;

    #[wasm_bindgen(method, structural, indexing_getter, catch)]
    fn nth(this: &Any, index: u32) -> Result<Option<Any>, JsValue>;

    // Throws on a revoked proxy.
    #[wasm_bindgen(js_namespace = Array, js_name = isArray, catch)]
    fn is_array(value: &JsValue) -> Result<bool, JsValue>;

    // Throws where a proxy does.
    #[wasm_bindgen(js_namespace = Object, js_name = hasOwn, catch)]
    fn has_own(value: &JsValue, key: &JsValue) -> Result<bool, JsValue>;

    #[wasm_bindgen(method, structural, getter, catch)]
    fn length(this: &Any) -> Result<f64, JsValue>;
}

thread_local! {
    static KEYS: Vec<JsValue> = Key::ALL.iter().map(|key| JsValue::from_str(key.as_str())).collect();
}

fn with_key<T>(key: Key, read: impl FnOnce(&JsValue) -> T) -> Option<T> {
    KEYS.with(|keys| keys.get(key as usize).map(read))
}

/// A JavaScript value.
#[derive(Clone, Debug)]
pub(super) struct Js(pub(super) JsValue);

impl Js {
    fn as_any(&self) -> &Any {
        self.0.unchecked_ref()
    }

    fn units(&self) -> u32 {
        self.0.unchecked_ref::<JsString>().length()
    }
}

impl Value for Js {
    fn is_json(text: &str) -> bool {
        JSON::parse(text).is_ok()
    }

    fn kind(&self) -> Kind {
        let value = &self.0;
        if value.is_object() {
            return if is_array(value).unwrap_or(false) { Kind::Array } else { Kind::Object };
        }
        if value.is_string() {
            Kind::String
        } else if value.is_null() || value.is_undefined() {
            Kind::Null
        } else if value.as_bool().is_some() {
            Kind::Boolean
        } else if value.as_f64().is_some() {
            Kind::Number
        } else {
            Kind::Other
        }
    }

    fn get(&self, key: Key) -> Option<Self> {
        with_key(key, |key| self.as_any().field(key))?.ok()?.map(|value| Self(value.into()))
    }

    fn has(&self, key: Key) -> bool {
        self.0.is_object()
            && with_key(key, |key| Reflect::has(&self.0, key).unwrap_or(false)).unwrap_or(false)
    }

    fn owns(&self, key: Key) -> bool {
        self.0.is_object() && with_key(key, |key| has_own(&self.0, key).unwrap_or(false)).unwrap_or(false)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
    fn items(&self) -> Option<u32> {
        if !is_array(&self.0).unwrap_or(false) {
            return None;
        }
        self.as_any().length().ok().map(|length| length as u32)
    }

    fn item(&self, index: u32) -> Option<Self> {
        if self.0.is_string() {
            return None;
        }
        self.as_any().nth(index).ok()?.map(|value| Self(value.into()))
    }

    fn is_text(&self) -> bool {
        self.0.is_string() && self.0.is_truthy()
    }

    fn text(&self) -> Option<String> {
        self.0.as_string()
    }

    fn word(&self) -> Option<String> {
        let short =
            self.0.is_string() && usize::try_from(self.units()).is_ok_and(|units| units <= WORD_BYTES);
        if short { self.0.as_string().filter(|word| word.len() <= WORD_BYTES) } else { None }
    }

    fn head(&self, characters: usize) -> String {
        if !self.0.is_string() {
            return String::new();
        }
        let units = u32::try_from(characters.saturating_mul(2)).unwrap_or(u32::MAX);
        String::from(self.0.unchecked_ref::<JsString>().slice(0, units)).chars().take(characters).collect()
    }

    fn number(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn boolean(&self) -> Option<bool> {
        self.0.as_bool()
    }

    fn json(&self) -> String {
        JSON::stringify(&self.0).ok().and_then(|text| JsValue::from(text).as_string()).unwrap_or_default()
    }

    fn fields(&self) -> Vec<String> {
        let keys = Reflect::own_keys(&self.0).unwrap_or_default();
        keys.iter().take(64).filter_map(|key| key.as_string()).collect()
    }

    fn is_nothing(&self) -> bool {
        self.0.is_falsy()
    }
}
