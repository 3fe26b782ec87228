//! The AI SDK: the results of `generateText`, and the parts of `textStream`, `fullStream` and of streams of user
//! interface messages, <https://ai-sdk.dev/docs/reference/ai-sdk-core/stream-text> and `…/ai-sdk-ui/stream-protocol`.

use super::shape::{Shape, list, type_of};
use crate::response::error::{Fault, ToolFault};
use crate::response::reading::{Ends, Failure, Finish, Reading, Slot, ToolPart, piece, usage, whole};
use crate::response::value::{Key, Kind, Value};

pub(super) struct AiSdk;

const ENDS: Ends = &[
    ("stop", Finish::Stop),
    ("tool-calls", Finish::Tools),
    ("length", Finish::Length),
    ("content-filter", Finish::Blocked),
    ("error", Finish::Failed),
    // From version 7 on: the stream ended without a sign that it is complete.
    ("interrupted", Finish::Failed),
];

/// The providers' terms beside `content-filter` if the model declined and no filter acted: the SDK has one term for both.
const REFUSED: &[&str] = &["stop", "end_turn", "completed", "tool_calls", "refusal"];

/// The parts that concern neither text, tools nor the end.
const QUIET: &[&str] = &[
    "file",
    "message-metadata",
    "ping",
    "raw",
    "reasoning",
    "reasoning-delta",
    "reasoning-end",
    "reasoning-file",
    "reasoning-part-finish",
    "reasoning-signature",
    "reasoning-start",
    "response-metadata",
    "source",
    "source-document",
    "source-url",
    "step-start",
    "stream-start",
    "text-end",
    "tool-approval-request",
    "tool-approval-response",
    "tool-input-end",
    "tool-output-available",
    "tool-output-denied",
    "tool-result",
];
/// The one of them that is an answer by itself.
const FILE: &str = "file";
/// The parts that are the application's own.
const OWN: &str = "data-";

/// Every other type of part that it knows.
const PARTS: &[&str] = &[
    "abort",
    "finish",
    "finish-step",
    "start",
    "start-step",
    "step-finish",
    "text-delta",
    "text-start",
    "tool-call",
    "tool-call-delta",
    "tool-call-streaming-start",
    "tool-error",
    "tool-input-available",
    "tool-input-delta",
    "tool-input-error",
    "tool-input-start",
    "tool-output-error",
];

impl Shape for AiSdk {
    const FIELDS: &'static [&'static str] = &[
        "args",
        "argsTextDelta",
        "data",
        "delta",
        "dynamic",
        "error",
        "errorText",
        "file",
        "filename",
        "finishReason",
        "id",
        "input",
        "inputTextDelta",
        "invalid",
        "isContinued",
        "mediaType",
        "messageId",
        "messageMetadata",
        "output",
        "preliminary",
        "providerExecuted",
        "providerMetadata",
        "rawFinishReason",
        "rawValue",
        "reason",
        "request",
        "response",
        "result",
        "source",
        "sourceId",
        "sourceType",
        "text",
        "textDelta",
        "title",
        "toolCallId",
        "toolMetadata",
        "toolName",
        "totalUsage",
        "transient",
        "type",
        "url",
        "usage",
        "warnings",
    ];

    fn speaks<V: Value>(chunk: &V) -> bool {
        if chunk.kind() == Kind::String {
            return true;
        }
        chunk.word_at(Key::Type).is_some_and(|kind| {
            kind == "error"
                || PARTS.contains(&kind.as_str())
                || QUIET.contains(&kind.as_str())
                || kind.starts_with(OWN)
        })
    }

    fn read<V: Value>(chunk: &V) -> Reading<V> {
        let mut reading = Reading::default();
        if chunk.kind() == Kind::String {
            reading.push_text(Some(chunk.clone()));
            return reading;
        }
        let kind = chunk.word_at(Key::Type).unwrap_or_default();
        reading.begun = true;
        match kind.as_str() {
            // `text` in parts, `delta` in interface messages, `textDelta` before version 5.
            "text-delta" => {
                let text = chunk
                    .get(Key::Text)
                    .or_else(|| chunk.get(Key::Delta))
                    .or_else(|| chunk.get(Key::TextDelta));
                reading.push_text(text);
            }
            "start" | "start-step" | "text-start" => {}
            "tool-input-start" | "tool-call-streaming-start" => reading.tools.push(call(chunk, None)),
            "tool-input-delta" | "tool-call-delta" => {
                let text = chunk
                    .get(Key::InputTextDelta)
                    .or_else(|| chunk.get(Key::Delta))
                    .or_else(|| chunk.get(Key::ArgsTextDelta));
                reading.tools.push(call(chunk, piece(text)));
            }
            "tool-call" | "tool-input-available" => {
                reading
                    .tools
                    .push(call(chunk, whole(chunk.get(Key::Input).or_else(|| chunk.get(Key::Args)))));
                if chunk.get(Key::Invalid).and_then(|invalid| invalid.boolean()) == Some(true) {
                    reading.failure = Some(tool_failure(chunk));
                }
            }
            "tool-error" | "tool-output-error" | "tool-input-error" => {
                reading.failure = Some(tool_failure(chunk))
            }
            "finish-step" | "step-finish" => read_stream_end(chunk, &mut reading),
            "finish" => {
                read_stream_end(chunk, &mut reading);
                reading.ended = true;
            }
            "abort" => {
                let reason = chunk.get(Key::Reason).and_then(|reason| reason.text());
                let reason = reason.unwrap_or_else(|| "the stream was aborted".to_owned());
                reading.failure = Some(Fault::Aborted { reason }.into());
            }
            "error" => {
                let error = chunk.get(Key::Error).or_else(|| chunk.get(Key::ErrorText));
                reading.failure = Some(Failure::Provider(error.unwrap_or_else(|| chunk.clone())));
            }
            "" if Self::is_whole(chunk) => return read_result(chunk),
            quiet if QUIET.contains(&quiet) || quiet.starts_with(OWN) => reading.other = quiet == FILE,
            _ => {
                reading.begun = false;
                reading.unknown = Some(type_of(chunk));
            }
        }
        reading
    }

    fn is_genuine<V: Value>(chunk: &V) -> bool {
        chunk.word_at(Key::Type).is_some_and(|kind| kind == "start" || kind == "start-step")
    }

    fn is_whole<V: Value>(response: &V) -> bool {
        response.get(Key::Parts).is_some_and(|parts| parts.items().is_some())
            || (response.get(Key::FinishReason).is_some()
                && (response.has(Key::Text) || response.has(Key::Content) || response.has(Key::Steps)))
    }

    fn read_whole<V: Value>(response: &V) -> Result<Reading<V>, Failure<V>> {
        if !response.has(Key::Text) {
            let parts = if response.has(Key::Parts) { Key::Parts } else { Key::Content };
            list(response, parts)?;
        }
        let reading = read_result(response);
        // A tool's failure is only fatal if the model did not answer in spite of it.
        if reading.texts.is_empty()
            && let Some(part) = response.each(Key::Content).find(|part| has_type(part, "tool-error"))
        {
            return Err(tool_failure(&part).named(|id| tool_of(response, id)));
        }
        Ok(reading)
    }
}

/// Returns the tool whose call has that id.
fn tool_of<V: Value>(response: &V, id: &str) -> Option<String> {
    let calls = response.each(Key::Content).filter(|part| has_type(part, "tool-call"));
    calls
        .chain(response.each(Key::ToolCalls))
        .find(|call| call.get(Key::ToolCallId).and_then(|id| id.text()).is_some_and(|own| own == id))
        .and_then(|call| call.get(Key::ToolName)?.text())
}

fn has_type<V: Value>(part: &V, name: &str) -> bool {
    part.word_at(Key::Type).is_some_and(|kind| kind == name)
}

/// Reads the result of `generateText`, or a message of the user interface.
fn read_result<V: Value>(result: &V) -> Reading<V> {
    let mut reading = Reading { begun: true, ended: true, ..Reading::default() };
    match result.get(Key::Text) {
        Some(text) => reading.push_text(Some(text)),
        None => {
            let parts = if result.has(Key::Parts) { Key::Parts } else { Key::Content };
            for part in result.each(parts).filter(|part| has_type(part, "text")) {
                reading.push_text(part.get(Key::Text));
            }
        }
    }
    for tool in result.each(Key::ToolCalls) {
        reading.tools.push(call(&tool, whole(tool.get(Key::Input).or_else(|| tool.get(Key::Args)))));
    }
    for part in result.each(Key::Content) {
        match part.word_at(Key::Type).as_deref() {
            Some("tool-call") if !result.has(Key::ToolCalls) => {
                reading.tools.push(call(&part, whole(part.get(Key::Input))));
            }
            Some(FILE) => reading.other = true,
            _ => {}
        }
    }
    for part in result.each(Key::Parts) {
        let kind = part.word_at(Key::Type).unwrap_or_default();
        reading.other |= kind == FILE;
        if let Some(name) = kind.strip_prefix("tool-").map(str::to_owned).or_else(|| {
            (kind == "dynamic-tool")
                .then(|| part.get(Key::ToolName).and_then(|name| name.text()).unwrap_or_default())
        }) {
            reading.tools.push(ToolPart { name: Some(name), ..call(&part, whole(part.get(Key::Input))) });
        }
    }
    read_stream_end(result, &mut reading);
    reading
}

/// Reads the end of an answer. If the provider's stream broke off and gave no reason, the SDK still ends it as if all
/// were well, with the reason `other` (`unknown` in version 5).
fn read_stream_end<V: Value>(part: &V, reading: &mut Reading<V>) {
    let raw = read_end(part, reading);
    if let Some((word, finish)) = &mut reading.finish
        && ["other", "unknown"].contains(&word.as_str())
        && raw.is_none()
    {
        *finish = Finish::Failed;
    }
}

/// Reads the reason of the end; returns the provider's own word. A model has both in one object, `{ unified, raw }`, the SDK in
/// two fields.
fn read_end<V: Value>(holder: &V, reading: &mut Reading<V>) -> Option<V> {
    let given = holder.get(Key::FinishReason);
    let (word, raw) = match &given {
        Some(both) if both.kind() == Kind::Object => (both.word_at(Key::Unified), both.get(Key::Raw)),
        _ => (holder.word_at(Key::FinishReason), holder.get(Key::RawFinishReason)),
    };
    reading.end(word, ENDS);
    if let Some((_, finish)) = &mut reading.finish
        && *finish == Finish::Blocked
        && raw.as_ref().is_none_or(|raw| raw.word().is_some_and(|raw| REFUSED.contains(&raw.as_str())))
    {
        *finish = Finish::Refused;
    }
    reading.usage = holder
        .get(Key::TotalUsage)
        .or_else(|| holder.get(Key::Usage))
        .and_then(|counts| usage(&counts, Key::InputTokens, Key::OutputTokens));
    raw
}

fn call<V: Value>(part: &V, arguments: Option<super::super::reading::Arguments>) -> ToolPart {
    let id = part.get(Key::ToolCallId).or_else(|| part.get(Key::Id)).and_then(|id| id.text());
    ToolPart {
        slot: id.clone().map_or(Slot::Whole, Slot::Id),
        id,
        name: part.get(Key::ToolName).and_then(|name| name.text()),
        arguments,
    }
}

/// Reads the failure of a tool: an error of any kind, or a text. The tool is identified by its name, or else by the id
/// of its call.
fn tool_failure<V: Value>(part: &V) -> Failure<V> {
    let thrown = part.get(Key::Error);
    let said =
        |error: &V| error.get(Key::Message).and_then(|message| message.text()).or_else(|| error.text());
    let error = thrown
        .as_ref()
        .map(|error| said(error).unwrap_or_else(|| error.json()))
        .or_else(|| part.get(Key::ErrorText).and_then(|text| text.text()))
        .unwrap_or_default();
    let missing =
        thrown.and_then(|error| error.word_at(Key::Name)).is_some_and(|name| name == "AI_NoSuchToolError");
    let class = if missing { ToolFault::NotFound } else { ToolFault::Failed };
    match part.get(Key::ToolName).and_then(|name| name.text()) {
        Some(tool) => Fault::Tool { class, tool, error }.into(),
        None => {
            let call = part.get(Key::ToolCallId).and_then(|id| id.text()).unwrap_or_default();
            Failure::Tool { call, error }
        }
    }
}
