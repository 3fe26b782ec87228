//! The `response` area for JavaScript: handlers behind numbers; texts stay JavaScript's own.
//!
//! A chunk is read before the handlers are borrowed, for reading it can run code of the application.

use super::value::Js;
use crate::response::{
    Chunk, Conclusion, Failure, Fault, Format, Handler, Strictness, ToolCall,
    status::{self, Failed},
    value::Value,
};
use crate::slab::Slab;
use js_sys::{Array, JsString};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

macro_rules! names {
    ($($name:ident = $text:literal),+ $(,)?) => {
        /// The fields of what is told.
        #[derive(Clone, Copy)]
        enum Field { $($name,)+ }

        const NAMES: &[&str] = &[$($text),+];
    };
}

names! {
    Arguments = "arguments",
    Begun = "begun",
    Class = "class",
    Code = "code",
    Failure = "failure",
    FinishReason = "finishReason",
    First = "first",
    Id = "id",
    InputTokens = "inputTokens",
    Message = "message",
    Name = "name",
    OutputTokens = "outputTokens",
    Retryable = "retryable",
    Second = "second",
    Text = "text",
    Thrown = "thrown",
    ToolCalls = "toolCalls",
    Tools = "tools",
    Truncated = "truncated",
    Unknown = "unknown",
    Usage = "usage",
}

#[wasm_bindgen]
extern "C" {
    /// An object of our own: setting its fields throws never, so that it needs no guard.
    #[wasm_bindgen(js_name = Object)]
    type Object;

    #[wasm_bindgen(constructor, js_class = "Object")]
    fn new() -> Object;

    #[wasm_bindgen(method, structural, indexing_getter)]
    fn at(this: &Object, key: &JsValue) -> JsValue;

    #[wasm_bindgen(method, structural, indexing_setter)]
    fn set(this: &Object, key: &JsValue, value: &JsValue);
}

impl Object {
    fn get(&self, field: Field) -> JsValue {
        FIELDS.with(|fields| fields.get(field as usize).map_or(JsValue::UNDEFINED, |key| self.at(key)))
    }

    fn put(&self, field: Field, value: &JsValue) {
        FIELDS.with(|fields| {
            if let Some(key) = fields.get(field as usize) {
                self.set(key, value);
            }
        });
    }
}

thread_local! {
    /// The names of fields as ready strings.
    static FIELDS: Vec<JsValue> = NAMES.iter().map(|name| JsValue::from_str(name)).collect();
    static HANDLERS: RefCell<Slab<Handler>> = const { RefCell::new(Slab::new()) };
}

/// What the handler behind the number says; `absent` where there is none, or it is in use.
fn with<T>(handle: u32, absent: T, act: impl FnOnce(&mut Handler) -> T) -> T {
    HANDLERS.with(|handlers| {
        let Ok(mut handlers) = handlers.try_borrow_mut() else { return absent };
        match handlers.get_mut(handle) {
            Some(handler) => act(handler),
            None => absent,
        }
    })
}

/// The names of all formats.
#[wasm_bindgen(js_name = responseFormats)]
pub fn response_formats() -> Vec<String> {
    Format::ALL.iter().map(|format| format.as_str().to_owned()).collect()
}

/// A new handler's number; 0, which is no handler's, where a million are in use. An unknown format is none, an unknown
/// language English.
#[wasm_bindgen(js_name = responseNew)]
pub fn response_new(format: Option<String>, locale: &str) -> u32 {
    let handler = Handler::new(format.as_deref().and_then(Format::from_name)).speaking(locale);
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

/// Takes a chunk. `null` for an empty one, `undefined` where it says nothing, the text where it says only that, else
/// an object of what it says.
#[wasm_bindgen(js_name = responseChunk)]
pub fn response_chunk(handle: u32, chunk: JsValue) -> JsValue {
    let outlook = with(handle, None, |handler| Some(handler.outlook()));
    let Some((outlook, reading)) = outlook.and_then(|outlook| outlook.read(&Js(chunk))) else {
        return JsValue::NULL;
    };
    let taken = with(handle, None, |handler| Some(handler.apply(outlook, reading)));
    taken.map_or(JsValue::UNDEFINED, told)
}

/// Takes a whole response: an object of what it says, or `{ failure }`.
#[wasm_bindgen(js_name = responseWhole)]
pub fn response_whole(handle: u32, response: JsValue) -> JsValue {
    let format = with(handle, None, |handler| handler.format().filter(|_| handler.is_fixed()));
    match Handler::read_whole(format, &Js(response)) {
        Ok(reading) => with(handle, None, |handler| Some(handler.apply_whole(reading)))
            .map_or(JsValue::UNDEFINED, object),
        Err(failure) => {
            let told = Object::new();
            told.put(Field::Failure, &failed(failure));
            told.into()
        }
    }
}

/// What is wrong with a whole response; `undefined` for nothing.
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

/// Whether that line stays as it is.
#[wasm_bindgen(js_name = responsePreviewIsFull)]
pub fn response_preview_is_full(handle: u32) -> bool {
    with(handle, true, |handler| handler.preview_wants() == 0)
}

/// What is wrong with the end of a stream; `undefined` for nothing. `genuine`: only where it was a provider's own.
#[wasm_bindgen(js_name = responseEnd)]
pub fn response_end(handle: u32, genuine: bool) -> JsValue {
    let strictness = if genuine { Strictness::Genuine } else { Strictness::Begun };
    with(handle, None, |handler| handler.missing_end(strictness))
        .map_or(JsValue::UNDEFINED, |fault| faulty(&fault))
}

/// `true` for the text, a sentence where only tools were used, else what is wrong.
#[wasm_bindgen(js_name = responseConclusion)]
pub fn response_conclusion(handle: u32) -> JsValue {
    match with(handle, Conclusion::Text, |handler| handler.conclusion()) {
        Conclusion::Text => JsValue::TRUE,
        Conclusion::Tools(sentence) => sentence.into(),
        Conclusion::Nothing(fault) => faulty(&fault),
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

/// Code and message of an error of that class: `[code, message]`; empty for a class that is not in the table.
#[wasm_bindgen(js_name = responseFault)]
pub fn response_fault(class: &str, first: String, second: String) -> Vec<String> {
    Fault::of_class(class, first, second)
        .map(|fault| vec![fault.code().as_str().to_owned(), fault.to_string()])
        .unwrap_or_default()
}

/// The status line before a request goes out.
#[wasm_bindgen(js_name = statusSending)]
pub fn status_sending(locale: &str) -> String {
    status::sending(locale)
}

/// The status line of a tool's call.
#[wasm_bindgen(js_name = statusTool)]
pub fn status_tool(name: &str, locale: &str) -> String {
    status::tool(name, locale)
}

/// The status line of an exchange that failed with an `empty` response, an `invalid` one, or otherwise.
#[wasm_bindgen(js_name = statusEnded)]
pub fn status_ended(how: &str, message: &str, locale: &str) -> String {
    let how = match how {
        "empty" => Failed::Empty,
        "invalid" => Failed::Invalid,
        _ => Failed::Otherwise,
    };
    status::ended(how, message, locale)
}

fn told(mut chunk: Chunk<Js>) -> JsValue {
    let plain = chunk.tools.is_empty()
        && chunk.finish_reason.is_none()
        && chunk.usage.is_none()
        && chunk.unknown.is_none()
        && chunk.failure.is_none();
    match (plain, chunk.texts.len()) {
        (true, 0) => JsValue::UNDEFINED,
        (true, 1) => chunk.texts.pop().map_or(JsValue::UNDEFINED, |text| text.0),
        _ => object(chunk),
    }
}

fn object(chunk: Chunk<Js>) -> JsValue {
    let told = Object::new();
    for text in chunk.texts {
        // Nearly always one.
        let before = told.get(Field::Text);
        let text = if before.is_undefined() { text.0 } else { JsString::from(before).concat(&text.0).into() };
        told.put(Field::Text, &text);
    }
    if !chunk.tools.is_empty() {
        told.put(Field::Tools, &names(&chunk.tools));
        told.put(Field::Begun, &names(&chunk.begun));
    }
    if let Some(reason) = chunk.finish_reason {
        told.put(Field::FinishReason, &reason.into());
    }
    if chunk.truncated {
        told.put(Field::Truncated, &JsValue::TRUE);
    }
    if let Some(usage) = chunk.usage {
        let counts = Object::new();
        for (name, count) in [(Field::InputTokens, usage.input), (Field::OutputTokens, usage.output)] {
            if let Some(count) = count {
                counts.put(name, &number(count));
            }
        }
        told.put(Field::Usage, &counts);
    }
    if !chunk.calls.is_empty() {
        told.put(Field::ToolCalls, &calls(&chunk.calls));
    }
    if let Some(unknown) = chunk.unknown {
        told.put(Field::Unknown, &unknown.into());
    }
    if let Some(failure) = chunk.failure {
        told.put(Field::Failure, &failed(failure));
    }
    told.into()
}

fn failed(failure: Failure<Js>) -> JsValue {
    match failure {
        Failure::Fault(fault) => faulty(&fault),
        Failure::Provider(value) => {
            let told = Object::new();
            told.put(Field::Thrown, &value.0);
            told.into()
        }
        unnamed @ Failure::Tool { .. } => failed(unnamed.named(|_| None)),
    }
}

fn faulty(fault: &Fault) -> JsValue {
    let told = Object::new();
    let (first, second) = fault.parts();
    told.put(Field::Class, &fault.class().into());
    told.put(Field::Code, &fault.code().as_str().into());
    told.put(Field::Message, &fault.to_string().into());
    told.put(Field::Retryable, &fault.is_retryable().into());
    told.put(Field::First, &first.into());
    told.put(Field::Second, &second.into());
    told.into()
}

fn calls(calls: &[ToolCall]) -> Array {
    calls
        .iter()
        .map(|call| {
            let told = Object::new();
            if let Some(id) = &call.id {
                told.put(Field::Id, &id.into());
            }
            told.put(Field::Name, &call.name.as_str().into());
            told.put(Field::Arguments, &call.arguments.as_str().into());
            told
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
