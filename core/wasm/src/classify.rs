//! Classification for JavaScript: `pkg/src/classify/thrown.ts` copies a thrown value into a buffer in this memory, and one call
//! reads it.
//!
//! Numbers go back at the buffer's head, texts as one string: a call each way, whatever the error. Ids, sources and
//! descriptions of rules stay out of the module: `core/tests/generated_errors.rs` writes them as TypeScript.

use std::cell::RefCell;

use halfopen::classify::thrown::BUFFER_LIMIT;
use halfopen::classify::{self, Context, Decision, Held, Layer, Role, Signals, Thrown};
use halfopen::time::Millis;
use wasm_bindgen::prelude::*;

/// The number of returned numbers, NaN for an absent one.
const NUMBERS: usize = 10;
/// Where the thrown value's copy begins.
const HEAD: usize = NUMBERS * 8;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Separates the returned texts, which can contain neither it nor the next two.
const TEXT_END: char = '\u{1f}';
/// Separates the items of a text that is a list.
const ITEM_END: char = '\u{1e}';
/// Ends what fulfilled a condition.
const HELD_END: char = '\u{1d}';

/// The address of the buffer in this memory: ten f64 that go back, then room for the copy.
#[wasm_bindgen(js_name = thrownBuffer)]
#[must_use]
pub fn buffer() -> u32 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.resize(HEAD + BUFFER_LIMIT, 0);
        u32::try_from(buffer.as_ptr().addr()).unwrap_or_default()
    })
}

/// Classifies the `length` bytes in the buffer. `layer`: 0 none, 1 model, 2 tool, 3 agent. `now`: epoch milliseconds, NaN
/// when not read.
///
/// Numbers: code, severity, the sum of 1 for retryable, 2 for words alone and 4 for a refusal before any work, then hint (ms),
/// status, rule, then of the signals: status, JSON-RPC number, what the response says of retrying (0, 1), causes. Texts:
/// technical details, provider, model, request id, remedy (`Remedy::written`), codes, names.
#[wasm_bindgen(js_name = classifyCopy)]
#[must_use]
pub fn classify_copy(
    length: usize,
    layer: u8,
    now: f64,
    provider: Option<String>,
    model: Option<String>,
) -> String {
    let (thrown, context) = (copy(length), context(layer, now, provider, model));
    let (decision, mut texts) = classify::examine(&thrown, &context, signals_out);
    decision_out(&decision, &mut texts);
    texts
}

/// As `classifyCopy`, with two texts more: for each rule that was tried what fulfilled its conditions, as far as they held
/// (`+` in front, or `-` where the condition is that something is absent), and what changed the verdict afterwards, in sentences.
#[wasm_bindgen(js_name = explainCopy)]
#[must_use]
pub fn explain_copy(
    length: usize,
    layer: u8,
    now: f64,
    provider: Option<String>,
    model: Option<String>,
) -> String {
    let (thrown, context) = (copy(length), context(layer, now, provider, model));
    let (decision, (mut texts, trace, stated)) = classify::examine(&thrown, &context, |signals| {
        (signals_out(signals), classify::trace(signals), signals.stated_retry())
    });
    decision_out(&decision, &mut texts);
    texts.push(TEXT_END);
    for held in trace {
        for Held { by, absence } in held {
            texts.push(if absence { '-' } else { '+' });
            texts.push_str(&by.unwrap_or_default());
            texts.push(HELD_END);
        }
        texts.push(ITEM_END);
    }
    texts.push(TEXT_END);
    for sentence in classify::afterwards(stated, &decision, context.layer) {
        texts.push_str(&sentence);
        texts.push(ITEM_END);
    }
    texts
}

/// Writes the signals' numbers, and returns their texts.
fn signals_out(signals: &Signals<'_>) -> String {
    let numbers = [
        signals.status.map_or(f64::NAN, f64::from),
        signals.rpc.map_or(f64::NAN, f64::from),
        signals.should_retry.map_or(f64::NAN, |retry| f64::from(u8::from(retry))),
        f64::from(signals.causes),
    ];
    write(NUMBERS - numbers.len(), &numbers);
    let mut texts = String::new();
    for (role, most) in [(Role::Code, 4), (Role::Name, 3)] {
        texts.push(TEXT_END);
        for (index, text) in signals.shown(role).take(most).enumerate() {
            if index > 0 {
                texts.push(ITEM_END);
            }
            texts.push_str(text);
        }
    }
    texts
}

/// Writes the decision's numbers, and puts its texts in front of the others.
fn decision_out(decision: &Decision, texts: &mut String) {
    write(
        0,
        &[
            f64::from(decision.code.index()),
            f64::from(decision.severity as u8),
            f64::from(
                u8::from(decision.retryable)
                    | u8::from(decision.words_alone) << 1
                    | u8::from(decision.is_refusal) << 2,
            ),
            decision.hint.map_or(f64::NAN, Millis::as_f64),
            decision.provider.status_code.map_or(f64::NAN, f64::from),
            f64::from(decision.rule),
        ],
    );
    let classify::Provider { provider, model, request_id, .. } = &decision.provider;
    let mut own = String::with_capacity(192);
    own.push_str(&decision.details);
    for text in [provider, model, request_id] {
        own.push(TEXT_END);
        own.push_str(text.as_deref().unwrap_or_default());
    }
    own.push(TEXT_END);
    if let Some(found) = &decision.remedy {
        own.push_str(&found.remedy.written(ITEM_END));
    }
    own.push_str(texts);
    *texts = own;
}

/// Writes numbers into the buffer's head, from that one on.
fn write(from: usize, numbers: &[f64]) {
    BUFFER.with_borrow_mut(|buffer| {
        for (slot, number) in buffer.chunks_exact_mut(8).skip(from).zip(numbers) {
            slot.copy_from_slice(&number.to_le_bytes());
        }
    });
}

/// Returns the parts of the message of the value in the buffer. Texts: status, codes and parameter; its words,
/// redacted, on one line; a non-empty text if a server sent it.
#[wasm_bindgen(js_name = spokenInCopy)]
#[must_use]
pub fn spoken_in_copy(length: usize) -> String {
    let spoken = classify::spoken(&copy(length));
    let mut texts = spoken.head;
    texts.push(TEXT_END);
    texts.push_str(&spoken.words);
    texts.push(TEXT_END);
    if spoken.answered {
        texts.push('1');
    }
    texts
}

fn copy(length: usize) -> Thrown {
    BUFFER.with_borrow(|buffer| Thrown::from_bytes(buffer.get(HEAD..HEAD + length).unwrap_or_default()))
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

/// Milliseconds that the headers in the buffer ask to wait; NaN when they ask for nothing.
#[wasm_bindgen(js_name = hintInCopy)]
#[must_use]
pub fn hint_in_copy(length: usize, now: f64) -> f64 {
    let thrown = copy(length);
    let hint = thrown.root().and_then(|headers| classify::hint::from_headers(headers, epoch(now), true));
    hint.map_or(f64::NAN, Millis::as_f64)
}

/// The provider's limits that the headers in the buffer state, one of each unit at most. `wall`: epoch milliseconds.
///
/// Numbers, for each limit: unit (0 requests, 1 tokens), limit, remaining, milliseconds until it is full again. Text: the
/// provider of each, as a list with an item for each limit.
#[wasm_bindgen(js_name = limitsInCopy)]
#[must_use]
pub fn limits_in_copy(length: usize, wall: f64) -> String {
    let thrown = copy(length);
    let limits = thrown.root().map(|headers| classify::limits(headers, epoch(wall))).unwrap_or_default();
    let mut providers = String::new();
    for (index, limit) in limits.iter().enumerate() {
        let numbers = [
            f64::from(u8::from(limit.unit == halfopen::limit::Unit::Tokens)),
            limit.limit.unwrap_or(f64::NAN),
            limit.remaining,
            limit.reset.map_or(f64::NAN, Millis::as_f64),
        ];
        write(index * numbers.len(), &numbers);
        providers.push_str(limit.provider.unwrap_or_default());
        providers.push(ITEM_END);
    }
    providers
}

fn epoch(now: f64) -> Option<u64> {
    (now >= 0.0).then(|| Millis::from_f64(now).0)
}
