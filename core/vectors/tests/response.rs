//! `response.json`: what chunks and whole responses say, and what is wrong with them.

use crate::cases;
use halfopen::response::{Chunk, Failure, Fault, Format, Handler, Reader, Strictness, ToolCall, status};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Present and `null` is something else than absent.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Case {
    name: String,
    format: Option<String>,
    locale: Option<String>,
    chunks: Option<Vec<Value>>,
    #[serde(default, deserialize_with = "present")]
    whole: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    validate: Option<Value>,
    said: Option<Vec<Value>>,
    #[serde(default, deserialize_with = "present")]
    throws: Option<Value>,
    at: Option<usize>,
    #[serde(default, deserialize_with = "present")]
    end: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    genuine_end: Option<Value>,
    text: Option<String>,
    r#final: Option<String>,
    final_throws: Option<Value>,
    statuses: Option<Vec<String>>,
    tool_calls: Option<Value>,
    unknown: Option<Vec<String>>,
    truncated: Option<bool>,
    #[serde(rename = "format_is")]
    format_is: Option<String>,
}

fn calls(calls: &[ToolCall]) -> Value {
    let one = |call: &ToolCall| {
        let mut told = json!({ "name": call.name, "arguments": call.arguments });
        if let Some(id) = &call.id {
            told["id"] = json!(id);
        }
        told
    };
    calls.iter().map(one).collect()
}

/// The facts of a chunk as the package tells them.
fn said(chunk: &Chunk<&Value>) -> Value {
    let mut metadata = Map::new();
    if chunk.truncated {
        metadata.insert("truncated".into(), json!(true));
    }
    if let Some(usage) = chunk.usage {
        let counts = [("inputTokens", usage.input), ("outputTokens", usage.output)];
        let counts = counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), json!(count?))));
        metadata.insert("usage".into(), Value::Object(counts.collect()));
    }
    if !chunk.calls.is_empty() {
        metadata.insert("toolCalls".into(), calls(&chunk.calls));
    }
    let text: String = chunk.texts.iter().filter_map(|text| text.as_str()).collect();
    let mut told = json!({ "text": text, "hasToolCall": !chunk.tools.is_empty(), "metadata": metadata });
    let named: Vec<_> = chunk.tools.iter().filter(|name| !name.is_empty()).collect();
    if let Some(last) = named.last() {
        told["toolName"] = json!(last);
        told["toolNames"] = json!(named);
    }
    if let Some(reason) = &chunk.finish_reason {
        told["finishReason"] = json!(reason);
    }
    told
}

fn fault(fault: &Fault) -> Value {
    let mut told = json!({
        "class": fault.class(),
        "code": fault.code().as_str(),
        "retryable": fault.is_retryable(),
        "message": fault.to_string(),
    });
    match fault {
        Fault::Empty { reason, .. } => told["reason"] = json!(reason),
        Fault::Invalid { expected, got, .. } => {
            told["expected"] = json!(expected);
            told["got"] = json!(got);
        }
        Fault::Tool { tool, error, .. } => {
            told["toolName"] = json!(tool);
            told["error"] = json!(error);
        }
        _ => {}
    }
    told
}

/// A provider's error is classified elsewhere: here it only has to be known as one.
fn assert_failure(name: &str, failure: Option<&Failure<&Value>>, expected: &Value) {
    match failure {
        None => assert_eq!(&Value::Null, expected, "{name}: nothing was wrong"),
        Some(Failure::Provider(_)) => assert_eq!(expected["provider"], true, "{name}: a provider's error"),
        Some(Failure::Fault(found)) => assert_eq!(&fault(found), expected, "{name}"),
        Some(Failure::Verdict(_)) => panic!("{name}: this handler does not judge"),
        Some(Failure::Tool { .. }) => panic!("{name}: the handler puts the tool's name in"),
    }
}

#[test]
fn every_chunk_and_every_response_means_what_the_vectors_say() {
    for case in cases::<Case>(include_str!("../../../tests/vectors/response.json")) {
        let name = case.name.as_str();
        let format = case.format.as_deref().map(|format| Format::from_name(format).unwrap());
        if let Some(response) = &case.validate {
            assert_failure(
                name,
                Handler::validate(format, &response).as_ref(),
                case.throws.as_ref().unwrap(),
            );
            continue;
        }
        let locale = case.locale.as_deref().unwrap_or("en");
        let mut reader = Reader::new(format).speaking(locale);
        let mut facts = Vec::new();
        let mut statuses = Vec::new();
        let mut unknown = Vec::new();
        let mut truncated = false;
        let mut failed = None;
        let chunks = case.chunks.as_deref().unwrap_or_default();
        let whole = case.whole.as_ref();
        for (index, input) in whole.into_iter().chain(chunks).enumerate() {
            let taken = match whole {
                Some(whole) => Some(reader.whole(whole).unwrap_or_else(|_| panic!("{name}: invalid"))),
                None => reader.chunk(input),
            };
            let Some(taken) = taken else {
                facts.push(Value::Null);
                continue;
            };
            if !taken.texts.is_empty() {
                statuses.push(reader.handler().preview());
            }
            statuses.extend(taken.begun.iter().map(|tool| status::tool(tool, locale)));
            unknown.extend(taken.unknown.clone());
            truncated |= taken.truncated;
            if let Some(failure) = taken.failure {
                assert_eq!(case.at, Some(index), "{name}: failed at another chunk: {failure:?}");
                assert_failure(name, Some(&failure), case.throws.as_ref().unwrap());
                failed = Some(());
                break;
            }
            facts.push(said(&taken));
        }
        assert_eq!(failed.is_some(), case.throws.is_some(), "{name}: throws");
        let state = reader.handler();
        if let Some(expected) = case.said {
            assert_eq!(facts, expected, "{name}: said");
        }
        for (strictness, expected) in [(Strictness::Begun, case.end), (Strictness::Genuine, case.genuine_end)]
        {
            if let Some(expected) = expected {
                let found = state.missing_end(strictness).map(|found| fault(&found)).unwrap_or_default();
                assert_eq!(found, expected, "{name}: end, {strictness:?}");
            }
        }
        if let Some(expected) = case.text {
            assert_eq!(reader.text(), expected, "{name}: text");
        }
        if let Some(expected) = case.r#final {
            assert_eq!(reader.final_response(), Ok(expected), "{name}: final");
        }
        if let Some(expected) = case.final_throws {
            assert_eq!(
                reader.final_response().map_err(|found| fault(&found)),
                Err(expected),
                "{name}: final"
            );
        }
        if let Some(expected) = case.statuses {
            assert_eq!(statuses, expected, "{name}: statuses");
        }
        if let Some(expected) = case.tool_calls {
            assert_eq!(calls(&state.calls()), expected, "{name}: tool calls");
        }
        if let Some(expected) = case.unknown {
            assert_eq!(unknown, expected, "{name}: unknown");
        }
        if let Some(expected) = case.truncated {
            assert_eq!(truncated, expected, "{name}: truncated");
        }
        if let Some(expected) = case.format_is {
            assert_eq!(state.format().map(Format::as_str), Some(expected.as_str()), "{name}: format");
        }
    }
}
