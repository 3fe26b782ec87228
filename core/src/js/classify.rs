//! Classification for JavaScript: `pkg/src/classify/thrown.ts` copies a thrown value into a lane in this memory, one call reads it.
//!
//! Numbers go back through the lane's head, texts as one string: a call each way, whatever the error.

use std::cell::RefCell;

use crate::classify::thrown::BUFFER_LIMIT;
use crate::classify::{self, Context, Key, Layer, Thrown};
use crate::message::{self, About};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Numbers that go back: code, severity, retryable, hint (ms), status, rule. NaN where there is none.
const NUMBERS: usize = 6;
/// Where the thrown value's copy begins.
const HEAD: usize = NUMBERS * 8;

thread_local! {
    static LANE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What separates the texts that go back; none of them can hold it.
const SEPARATOR: char = '\u{1f}';

/// The address of the lane in this memory: six f64 that go back, then room for the copy.
#[wasm_bindgen(js_name = thrownLane)]
#[must_use]
pub fn lane() -> u32 {
    LANE.with_borrow_mut(|lane| {
        lane.resize(HEAD + BUFFER_LIMIT, 0);
        u32::try_from(lane.as_ptr().addr()).unwrap_or_default()
    })
}

/// The memory that the lane is in.
#[wasm_bindgen(js_name = coreMemory)]
#[must_use]
pub fn memory() -> JsValue {
    wasm_bindgen::memory()
}

/// The names that may be read of a thrown value; the place in the list is the number that stands for it in the copy.
#[wasm_bindgen(js_name = thrownKeys)]
#[must_use]
pub fn keys() -> Vec<String> {
    Key::ALL.iter().map(|key| key.name().to_owned()).collect()
}

/// The number of the first key that is a header's name; all after it are.
#[wasm_bindgen(js_name = firstHeaderKey)]
#[must_use]
pub fn first_header() -> u8 {
    Key::ALL.iter().position(|key| key.is_header()).and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

/// The rules' ids, in the order of their numbers.
#[wasm_bindgen(js_name = ruleIds)]
#[must_use]
pub fn rule_ids() -> Vec<String> {
    classify::rule_ids().into_iter().map(str::to_owned).collect()
}

/// Classifies the `length` bytes in the lane. `layer`: 0 none, 1 model, 2 tool, 3 agent. `now`: epoch milliseconds, NaN
/// when not read. Back come details, user message, provider, model, request id and, if `signals`, those as JSON.
#[wasm_bindgen(js_name = classifyLane)]
#[must_use]
pub fn classify_lane(
    length: usize,
    layer: u8,
    now: f64,
    provider: Option<String>,
    model: Option<String>,
    locale: Option<String>,
    signals: bool,
) -> String {
    let (thrown, context) = (in_lane(length), context(layer, now, provider, model));
    let (found, seen) = if signals {
        let (found, seen) = classify::classify_with_signals(&thrown, &context);
        (found, seen.to_string())
    } else {
        (classify::classify(&thrown, &context), String::new())
    };
    let hint = found.hint.map_or(f64::NAN, crate::time::Millis::as_f64);
    let numbers: [f64; NUMBERS] = [
        f64::from(found.code.index()),
        f64::from(found.severity as u8),
        f64::from(u8::from(found.retryable)),
        hint,
        found.provider.status_code.map_or(f64::NAN, f64::from),
        f64::from(found.rule_index),
    ];
    LANE.with_borrow_mut(|lane| {
        for (slot, number) in lane.chunks_exact_mut(8).zip(numbers) {
            slot.copy_from_slice(&number.to_le_bytes());
        }
    });
    let about = About {
        provider: found.provider.provider.as_deref(),
        model: found.provider.model.as_deref(),
        retry_after: found.hint.filter(|hint| hint.0 > 0),
        ..About::default()
    };
    let mut texts = found.technical_details;
    let user = message::user_message(found.code, &about, locale.as_deref().unwrap_or("en"));
    for text in [
        user.as_str(),
        found.provider.provider.as_deref().unwrap_or_default(),
        found.provider.model.as_deref().unwrap_or_default(),
        found.provider.request_id.as_deref().unwrap_or_default(),
        seen.as_str(),
    ] {
        texts.push(SEPARATOR);
        texts.push_str(text);
    }
    texts
}

/// Why the `length` bytes in the lane are what they are, as JSON: the signals, the rules that were asked, what came after.
#[wasm_bindgen(js_name = explainLane)]
#[must_use]
pub fn explain_lane(
    length: usize,
    layer: u8,
    now: f64,
    provider: Option<String>,
    model: Option<String>,
) -> String {
    let found = classify::explain(&in_lane(length), &context(layer, now, provider, model));
    let parts = (found.signals, found.tried, found.afterwards);
    serde_json::to_string(&parts).unwrap_or_default()
}

/// What the texts of the value in the lane say: redacted, one line, at most 500 characters.
#[wasm_bindgen(js_name = saidInLane)]
#[must_use]
pub fn said_in_lane(length: usize) -> String {
    classify::said(&in_lane(length))
}

fn in_lane(length: usize) -> Thrown {
    LANE.with_borrow(|lane| Thrown::from_bytes(lane.get(HEAD..HEAD + length).unwrap_or_default()))
}

fn context(layer: u8, now: f64, provider: Option<String>, model: Option<String>) -> Context {
    let layer = match layer {
        1 => Some(Layer::Model),
        2 => Some(Layer::Tool),
        3 => Some(Layer::Agent),
        _ => None,
    };
    Context { provider, model, layer, now: epoch(now) }
}

/// Milliseconds asked for by the headers in the lane; NaN when none are.
#[wasm_bindgen(js_name = hintInLane)]
#[must_use]
pub fn hint_in_lane(length: usize, now: f64) -> f64 {
    let thrown = in_lane(length);
    let hint = thrown.root().and_then(|headers| classify::hint::from_headers(headers, epoch(now), true));
    hint.map_or(f64::NAN, crate::time::Millis::as_f64)
}

/// The provider's limits in the headers in the lane, as `{ provider?, unit, limit?, remaining, resetMs? }[]`. `wall`:
/// epoch milliseconds.
///
/// # Errors
/// Never, in fact: plain numbers and texts.
#[wasm_bindgen(js_name = limitsInLane)]
pub fn limits_in_lane(length: usize, wall: f64) -> Result<JsValue, JsError> {
    let thrown = in_lane(length);
    let found = thrown.root().map(|headers| classify::limits(headers, epoch(wall))).unwrap_or_default();
    let shown: Vec<_> = found.iter().map(ShownLimit::from).collect();
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    shown.serialize(&serializer).map_err(|error| JsError::new(&error.to_string()))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownLimit {
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<&'static str>,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<f64>,
    remaining: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reset_ms: Option<f64>,
}

impl From<&classify::Limit> for ShownLimit {
    fn from(limit: &classify::Limit) -> Self {
        let classify::Limit { provider, unit, limit, remaining, reset } = *limit;
        Self {
            provider,
            unit: unit.as_str(),
            limit,
            remaining,
            reset_ms: reset.map(crate::time::Millis::as_f64),
        }
    }
}

fn epoch(now: f64) -> Option<u64> {
    (now >= 0.0).then(|| crate::time::Millis::from_f64(now).0)
}
