//! The `response` area for JavaScript: handlers behind numbers; texts stay JavaScript's own.
//!
//! A chunk is read before the handlers are borrowed, for reading it can run code of the application.

use super::object::Object;
use super::value::Js;
use halfopen::response::{
    Answers, Chunk, Conclusion, Failure, Fault, Format, Handler, Strictness, ToolCall, ToolsOnly, Verdict,
    value::Value,
};
use halfopen::slab::Slab;
use js_sys::{Array, JsString};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    static HANDLERS: RefCell<Slab<Handler>> = const { RefCell::new(Slab::new()) };
}

/// Calls `act` with the handler of that number; returns `absent` if the number is unknown or its handler is in use.
fn with<T>(handle: u32, absent: T, act: impl FnOnce(&mut Handler) -> T) -> T {
    HANDLERS.with(|handlers| {
        let Ok(mut handlers) = handlers.try_borrow_mut() else { return absent };
        match handlers.get_mut(handle) {
            Some(handler) => act(handler),
            None => absent,
        }
    })
}

/// Returns a new handler's number; 0, which no handler has, if a million are in use. An unknown format counts as none.
/// With `answers`, the sum of the lacks' numbers, it judges.
#[wasm_bindgen(js_name = responseNew)]
pub fn response_new(format: Option<String>, answers: Option<u8>) -> u32 {
    let handler = match answers {
        Some(bits) => Handler::judging(Answers::from_bits(bits)),
        None => Handler::new(format.as_deref().and_then(Format::from_name)),
    };
    HANDLERS.with(|handlers| {
        let Ok(mut handlers) = handlers.try_borrow_mut() else { return 0 };
        handlers.insert(handler).unwrap_or(0)
    })
}

/// Gives the number back.
#[wasm_bindgen(js_name = responseFree)]
pub fn response_free(handle: u32) {
    HANDLERS.with(|handlers| {
        if let Ok(mut handlers) = handlers.try_borrow_mut() {
            handlers.discard(handle);
        }
    });
}

/// As new.
#[wasm_bindgen(js_name = responseReset)]
pub fn response_reset(handle: u32) {
    with(handle, (), Handler::reset);
}

/// Takes a chunk. Returns `null` for an empty one, `undefined` for one without content, the text if it has nothing
/// else, and an object for any other.
#[wasm_bindgen(js_name = responseChunk)]
pub fn response_chunk(handle: u32, chunk: JsValue) -> JsValue {
    let outlook = with(handle, None, |handler| Some(handler.outlook()));
    let Some((outlook, reading)) = outlook.and_then(|outlook| outlook.read(&Js(chunk))) else {
        return JsValue::NULL;
    };
    let taken = with(handle, None, |handler| Some(handler.apply(outlook, reading)));
    taken.map_or(JsValue::UNDEFINED, content)
}

/// Takes a whole response. Returns an object of its content, or `{ failure }`; a handler that judges returns `undefined` for
/// another object than an answer.
#[wasm_bindgen(js_name = responseWhole)]
pub fn response_whole(handle: u32, response: JsValue) -> JsValue {
    let (format, judges) = with(handle, (None, false), |handler| {
        (handler.format().filter(|_| handler.is_fixed()), handler.is_judging())
    });
    let response = Js(response);
    let read =
        if judges { Handler::read_judged(&response) } else { Some(Handler::read_whole(format, &response)) };
    let Some(read) = read else { return JsValue::UNDEFINED };
    match read {
        Ok(reading) => with(handle, None, |handler| Some(handler.apply_whole(reading)))
            .map_or(JsValue::UNDEFINED, object),
        Err(failure) => {
            let read = Object::new();
            read.set("failure", &failed(failure));
            read.into()
        }
    }
}

/// Returns the fault of a whole response; `undefined` without one.
#[wasm_bindgen(js_name = responseValidate)]
pub fn response_validate(handle: u32, response: JsValue) -> JsValue {
    let format = with(handle, None, |handler| handler.format().filter(|_| handler.is_fixed()));
    Handler::validate(format, &Js(response)).map_or(JsValue::UNDEFINED, failed)
}

/// The line that shows how the answer begins.
#[wasm_bindgen(js_name = responsePreview)]
pub fn response_preview(handle: u32) -> String {
    with(handle, String::new(), |handler| handler.preview())
}

/// Returns `true` if that line will not change any more.
#[wasm_bindgen(js_name = responsePreviewIsFull)]
pub fn response_preview_is_full(handle: u32) -> bool {
    with(handle, true, |handler| handler.preview_wants() == 0)
}

/// Returns the fault of a stream's end; `undefined` without one. `genuine`: only if it was a provider's own stream.
#[wasm_bindgen(js_name = responseEnd)]
pub fn response_end(handle: u32, genuine: bool) -> JsValue {
    let strictness = if genuine { Strictness::Genuine } else { Strictness::Begun };
    let fault = with(handle, None, |handler| {
        if handler.is_judging() {
            handler.verdict::<Js>().map(Failure::Verdict)
        } else {
            handler.missing_end(strictness).map(Failure::Fault)
        }
    });
    fault.map_or(JsValue::UNDEFINED, failed)
}

/// `true` for the text, `{ tools, tool? }` where only tools were used, else what is wrong: `tools` is `'whole'` in a whole
/// response and `'streamed'` in a stream, `tool` the name of the last.
#[wasm_bindgen(js_name = responseConclusion)]
pub fn response_conclusion(handle: u32) -> JsValue {
    match with(handle, Conclusion::Text, |handler| handler.conclusion()) {
        Conclusion::Text => JsValue::TRUE,
        Conclusion::Tools(tools) => tools_only(tools),
        Conclusion::Nothing(fault) => faulty(&fault).into(),
    }
}

/// The tool calls so far.
#[wasm_bindgen(js_name = responseCalls)]
pub fn response_calls(handle: u32) -> JsValue {
    calls(&with(handle, Vec::new(), |handler| handler.calls())).into()
}

/// The format that was given or recognised.
#[wasm_bindgen(js_name = responseFormat)]
pub fn response_format(handle: u32) -> Option<String> {
    with(handle, None, |handler| handler.format().map(|format| format.as_str().to_owned()))
}

/// The provider of the chunks, as far as their format shows.
#[wasm_bindgen(js_name = responseProvider)]
pub fn response_provider(handle: u32) -> Option<String> {
    with(handle, None, |handler| handler.provider().map(str::to_owned))
}

/// The fields of a chunk that its format does not know.
#[wasm_bindgen(js_name = responseUnknownFields)]
pub fn response_unknown_fields(handle: u32, chunk: JsValue) -> Vec<String> {
    let known = with(handle, None, |handler| handler.format().map(Format::fields));
    match known {
        Some(known) if chunk.is_object() => {
            Js(chunk).fields().into_iter().filter(|field| !known.contains(&field.as_str())).collect()
        }
        _ => Vec::new(),
    }
}

fn tools_only(tools: ToolsOnly) -> JsValue {
    let made = Object::new();
    match tools {
        ToolsOnly::Whole => made.set("tools", &"whole".into()),
        ToolsOnly::Streamed(last) => {
            made.set("tools", &"streamed".into());
            if let Some(name) = last {
                made.set("tool", &name.into());
            }
        }
    }
    made.into()
}

/// A chunk as [`response_chunk`] returns it.
fn content(mut chunk: Chunk<Js>) -> JsValue {
    let is_only_text = chunk.tools.is_empty()
        && chunk.finish_reason.is_none()
        && chunk.usage.is_none()
        && chunk.unknown.is_none()
        && !chunk.other
        && chunk.failure.is_none();
    match (is_only_text, chunk.texts.len()) {
        (true, 0) => JsValue::UNDEFINED,
        (true, 1) => chunk.texts.pop().map_or(JsValue::UNDEFINED, |text| text.0),
        _ => object(chunk),
    }
}

fn object(chunk: Chunk<Js>) -> JsValue {
    let made = Object::new();
    let mut texts = chunk.texts.into_iter();
    if let Some(first) = texts.next() {
        // Nearly always the only one.
        let text = texts.fold(first.0, |text, next| JsString::from(text).concat(&next.0).into());
        made.set("text", &text);
    }
    if !chunk.tools.is_empty() {
        made.set("tools", &names(&chunk.tools));
        made.set("begun", &names(&chunk.begun));
    }
    if let Some(reason) = chunk.finish_reason {
        made.set("finishReason", &reason.into());
    }
    if chunk.truncated {
        made.set("truncated", &JsValue::TRUE);
    }
    if let Some(usage) = chunk.usage {
        let counts = Object::new();
        for (name, count) in [("inputTokens", usage.input), ("outputTokens", usage.output)] {
            if let Some(count) = count {
                counts.set(name, &number(count));
            }
        }
        made.set("usage", &counts);
    }
    if !chunk.calls.is_empty() {
        made.set("toolCalls", &calls(&chunk.calls));
    }
    if chunk.other {
        made.set("other", &JsValue::TRUE);
    }
    if let Some(unknown) = chunk.unknown {
        made.set("unknown", &unknown.into());
    }
    if let Some(failure) = chunk.failure {
        made.set("failure", &failed(failure));
    }
    made.into()
}

fn failed(failure: Failure<Js>) -> JsValue {
    match failure {
        Failure::Fault(fault) => faulty(&fault).into(),
        Failure::Verdict(verdict) => judged(&verdict),
        Failure::Provider(value) => {
            let made = Object::new();
            made.set("thrown", &value.0);
            made.into()
        }
        unnamed @ Failure::Tool { .. } => failed(unnamed.named(|_| None)),
    }
}

fn judged(verdict: &Verdict) -> JsValue {
    let made = faulty(&verdict.fault);
    made.set("retryable", &verdict.retryable.into());
    if let Some(remedy) = &verdict.remedy {
        let change = Object::new();
        change.set("kind", &remedy.kind().into());
        if let Some(because) = remedy.because() {
            change.set("because", &because.into());
        }
        made.set("remedy", &change);
    }
    made.into()
}

fn faulty(fault: &Fault) -> Object {
    let made = Object::new();
    let (first, second) = fault.parts();
    made.set("class", &fault.class().into());
    made.set("code", &fault.code().as_str().into());
    made.set("message", &fault.to_string().into());
    made.set("retryable", &fault.is_retryable().into());
    made.set("first", &first.into());
    made.set("second", &second.into());
    made
}

fn calls(calls: &[ToolCall]) -> Array {
    calls
        .iter()
        .map(|call| {
            let made = Object::new();
            if let Some(id) = &call.id {
                made.set("id", &id.into());
            }
            made.set("name", &call.name.as_str().into());
            made.set("arguments", &call.arguments.as_str().into());
            made
        })
        .collect()
}

fn names(names: &[String]) -> Array {
    names.iter().map(JsValue::from).collect()
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2⁵³")]
fn number(count: u64) -> JsValue {
    JsValue::from_f64(count as f64)
}
