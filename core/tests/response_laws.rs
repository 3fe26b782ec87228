//! The laws of every response: no input panics, and the way it is cut into chunks does not matter.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use halfopen::response::value::Key;
use halfopen::response::{Format, Handler, Reader, Strictness, ToolCall};
use proptest::prelude::*;
use serde_json::{Value, json};

/// JSON that likes to use the formats' own fields and words, so that it gets far into them.
fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "stop",
        "error",
        "message",
        "text",
        "SAFETY",
        "length",
        "content_block_delta",
        "text_delta",
        "tool_use",
        "response.completed",
        "response.failed",
        "tool-call",
        "finish",
        "text-delta",
        "input_json_delta",
        "refusal",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 6, |inner| {
        let key = prop_oneof![
            9 => prop::sample::select(Key::ALL.to_vec()).prop_map(|key| key.as_str().to_owned()),
            1 => any::<String>(),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key, inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Returns the outcome of a stream of those chunks.
fn outcome(chunks: &[Value]) -> (String, Vec<ToolCall>, Option<String>, Option<String>) {
    let mut reader = Reader::new(None);
    for chunk in chunks {
        let taken = reader.chunk(chunk);
        assert!(taken.is_none_or(|taken| taken.failure.is_none()), "{chunk}");
    }
    let end = reader.handler().missing_end(Strictness::Begun).map(|fault| fault.to_string());
    (reader.text().to_owned(), reader.handler().calls(), reader.final_response().ok(), end)
}

/// The text in pieces: cut after every `sizes` characters in turn.
fn pieces(text: &str, sizes: &[usize]) -> Vec<String> {
    let mut rest: Vec<char> = text.chars().collect();
    let mut cut = Vec::new();
    for &size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let tail = rest.split_off(size.min(rest.len()));
        cut.push(rest.into_iter().collect());
        rest = tail;
    }
    cut
}

fn openai(text: &[String], arguments: &[String]) -> Vec<Value> {
    let chunk = |delta: Value, end: Value| json!({"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]});
    let mut chunks: Vec<Value> =
        text.iter().map(|piece| chunk(json!({"content": piece}), Value::Null)).collect();
    let call =
        json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "tool", "arguments": ""}}]});
    chunks.push(chunk(call, Value::Null));
    let piece =
        |piece| chunk(json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}), Value::Null);
    chunks.extend(arguments.iter().map(piece));
    chunks.push(chunk(json!({}), json!("tool_calls")));
    chunks
}

fn anthropic(text: &[String], arguments: &[String]) -> Vec<Value> {
    let delta =
        |index: u8, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let mut chunks = vec![json!({"type": "message_start", "message": {}})];
    chunks.extend(text.iter().map(|piece| delta(0, json!({"type": "text_delta", "text": piece}))));
    let call = json!({"type": "tool_use", "id": "c", "name": "tool", "input": {}});
    chunks.push(json!({"type": "content_block_start", "index": 1, "content_block": call}));
    let piece = |piece| delta(1, json!({"type": "input_json_delta", "partial_json": piece}));
    chunks.extend(arguments.iter().map(piece));
    chunks.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
    chunks.push(json!({"type": "message_stop"}));
    chunks
}

fn responses(text: &[String], arguments: &[String]) -> Vec<Value> {
    let mut chunks: Vec<Value> =
        text.iter().map(|piece| json!({"type": "response.output_text.delta", "delta": piece})).collect();
    let call = json!({"type": "function_call", "id": "f", "call_id": "c", "name": "tool", "arguments": ""});
    chunks.push(json!({"type": "response.output_item.added", "item": call}));
    let piece =
        |piece| json!({"type": "response.function_call_arguments.delta", "item_id": "f", "delta": piece});
    chunks.extend(arguments.iter().map(piece));
    chunks.push(json!({"type": "response.completed", "response": {"status": "completed", "output": []}}));
    chunks
}

fn ai_sdk(text: &[String], arguments: &[String]) -> Vec<Value> {
    let mut chunks: Vec<Value> =
        text.iter().map(|piece| json!({"type": "text-delta", "id": "0", "text": piece})).collect();
    chunks.push(json!({"type": "tool-input-start", "id": "c", "toolName": "tool"}));
    chunks
        .extend(arguments.iter().map(|piece| json!({"type": "tool-input-delta", "id": "c", "delta": piece})));
    chunks.push(json!({"type": "finish", "finishReason": "tool-calls"}));
    chunks
}

/// A call comes whole here: there is one way to cut it.
fn google(text: &[String], arguments: &[String]) -> Vec<Value> {
    let chunk = |parts: Value, end: Value| json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": end, "index": 0}]});
    let mut chunks: Vec<Value> =
        text.iter().map(|piece| chunk(json!([{"text": piece}]), Value::Null)).collect();
    let args: Value = serde_json::from_str(&arguments.concat()).unwrap();
    chunks.push(chunk(json!([{"functionCall": {"id": "c", "name": "tool", "args": args}}]), Value::Null));
    chunks.push(chunk(json!([]), json!("STOP")));
    chunks
}

/// Here too.
fn ollama(text: &[String], arguments: &[String]) -> Vec<Value> {
    let chunk = |message: Value, done: bool| json!({"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": done});
    let said = |content: &str| json!({"role": "assistant", "content": content});
    let mut chunks: Vec<Value> = text.iter().map(|piece| chunk(said(piece), false)).collect();
    let args: Value = serde_json::from_str(&arguments.concat()).unwrap();
    let call = json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "tool", "arguments": args}}]});
    chunks.push(chunk(call, false));
    chunks.push(chunk(said(""), true));
    chunks
}

type Stream = fn(&[String], &[String]) -> Vec<Value>;

/// One for each format.
const STREAMS: [Stream; 6] = [openai, anthropic, responses, ai_sdk, google, ollama];

#[test]
fn there_is_a_stream_for_each_format() {
    let spoken = STREAMS.map(|stream| {
        let mut reader = Reader::new(None);
        for chunk in stream(&["x".to_owned()], &["{}".to_owned()]) {
            reader.chunk(&chunk);
        }
        reader.handler().format().unwrap().as_str()
    });
    let mut all: Vec<_> = Format::ALL.iter().map(|format| format.as_str()).collect();
    let mut spoken = spoken.to_vec();
    all.sort_unstable();
    spoken.sort_unstable();
    assert_eq!(spoken, all);
}

proptest! {
    #[test]
    fn arbitrary_json_never_panics(values in prop::collection::vec(any_json(), 1..5)) {
        for format in Format::ALL.iter().copied().map(Some).chain([None]) {
            let mut reader = Reader::new(format);
            for value in &values {
                let _ = reader.chunk(value);
                let _ = Reader::new(format).whole(value);
                let _ = Handler::validate(format, &value);
            }
            let _ = (reader.final_response(), reader.handler().missing_end(Strictness::Begun));
        }
    }

    #[test]
    fn the_chunking_of_text_and_arguments_does_not_matter(
        text in "\\PC{1,60}",
        value in "\\PC{0,60}",
        sizes in prop::collection::vec(1_usize..9, 1..6),
    ) {
        let arguments = json!({ "value": value }).to_string();
        for stream in STREAMS {
            let whole = outcome(&stream(std::slice::from_ref(&text), std::slice::from_ref(&arguments)));
            prop_assert_eq!(&whole.0, &text);
            prop_assert_eq!(whole.1.len(), 1);
            prop_assert_eq!(&whole.1[0].arguments, &arguments);
            prop_assert_eq!(&whole.3, &None);
            prop_assert_eq!(outcome(&stream(&pieces(&text, &sizes), &pieces(&arguments, &sizes))), whole);
        }
    }

    #[test]
    fn a_stream_that_loses_its_end_is_cut_off(
        text in "\\PC{1,30}",
        sizes in prop::collection::vec(1_usize..9, 1..6),
    ) {
        for stream in STREAMS {
            let mut chunks = stream(&pieces(&text, &sizes), &["{}".to_owned()]);
            chunks.pop();
            let end = outcome(&chunks).3;
            prop_assert!(end.as_deref().is_some_and(|end| end.starts_with("Stream cut off: no end after")), "{end:?}");
        }
    }
}
