//! Gemini's `generateContent` and `streamGenerateContent`: <https://ai.google.dev/api/generate-content>.

use super::shape::{Shape, first_answer, first_object, type_of};
use crate::response::error::Fault;
use crate::response::reading::{Ends, Failure, Finish, Reading, Slot, ToolPart, usage, whole};
use crate::response::value::{Key, Value};

pub(super) struct Google;

/// `FinishReason`. The reasons of the safety systems are in capitals, and the answer beside them may be missing.
const ENDS: Ends = &[
    ("STOP", Finish::Stop),
    ("MAX_TOKENS", Finish::Length),
    ("SAFETY", Finish::Blocked),
    ("RECITATION", Finish::Blocked),
    ("LANGUAGE", Finish::Blocked),
    ("BLOCKLIST", Finish::Blocked),
    ("PROHIBITED_CONTENT", Finish::Blocked),
    ("SPII", Finish::Blocked),
    ("MODEL_ARMOR", Finish::Blocked),
    ("IMAGE_SAFETY", Finish::Blocked),
    ("IMAGE_PROHIBITED_CONTENT", Finish::Blocked),
    ("IMAGE_RECITATION", Finish::Blocked),
    ("MALFORMED_FUNCTION_CALL", Finish::Malformed),
    ("UNEXPECTED_TOOL_CALL", Finish::Malformed),
    ("TOO_MANY_TOOL_CALLS", Finish::Malformed),
    ("MALFORMED_RESPONSE", Finish::Malformed),
    ("MISSING_THOUGHT_SIGNATURE", Finish::Malformed),
];

/// The enumeration's zero, which is no reason.
const UNSPECIFIED: &str = "FINISH_REASON_UNSPECIFIED";

impl Shape for Google {
    const FIELDS: &'static [&'static str] = &[
        "automaticFunctionCallingHistory",
        "candidates",
        "createTime",
        "error",
        "modelStatus",
        "modelVersion",
        "promptFeedback",
        "responseId",
        "sdkHttpResponse",
        "text",
        "usageMetadata",
    ];

    fn speaks<V: Value>(chunk: &V) -> bool {
        Self::is_own(chunk)
            || (!chunk.has(Key::Type) && chunk.get(Key::Text).is_some_and(|text| text.is_text()))
    }

    /// A `{ text }` alone may be an application's own.
    fn is_own<V: Value>(chunk: &V) -> bool {
        chunk.has(Key::Candidates)
            || chunk.get(Key::PromptFeedback).is_some()
            || chunk.get(Key::UsageMetadata).is_some()
            || chunk.get(Key::Error).is_some_and(|error| {
                error.word_at(Key::Status).is_some()
                    && error.get(Key::Code).is_some_and(|code| code.number().is_some())
            })
    }

    fn read<V: Value>(chunk: &V) -> Reading<V> {
        let mut reading = Reading::default();
        match first_answer(chunk, Key::Candidates) {
            Some(candidate) => {
                read_candidate(&candidate, &mut reading);
                // Beside parts without text, only what the chunk itself holds: the SDK's own getter, which joins the parts,
                // warns of what it leaves out.
                if reading.texts.is_empty() && chunk.owns(Key::Text) {
                    reading.push_text(chunk.get(Key::Text));
                }
            }
            None => {
                if let Some(reason) = block_reason(chunk) {
                    return Reading::failed(Fault::blocked(reason));
                }
                if chunk.get(Key::Error).is_some() {
                    return Reading::failed(Failure::Provider(chunk.clone()));
                }
                // The SDK's own getter warns of the parts that it leaves out, so it is read only if there are no parts.
                reading.push_text(chunk.get(Key::Text));
                if reading.texts.is_empty() && !Self::speaks(chunk) {
                    reading.unknown = Some(type_of(chunk));
                }
            }
        }
        if let Some(counts) = chunk.get(Key::UsageMetadata) {
            reading.usage = usage(&counts, Key::PromptTokenCount, Key::CandidatesTokenCount);
        }
        reading
    }

    fn is_genuine<V: Value>(chunk: &V) -> bool {
        let role = || chunk.first(Key::Candidates)?.get(Key::Content)?.get(Key::Role);
        [Key::ModelVersion, Key::ResponseId, Key::UsageMetadata].iter().any(|key| chunk.get(*key).is_some())
            || role().is_some()
    }

    fn is_whole<V: Value>(response: &V) -> bool {
        response.has(Key::Candidates)
            || response.get(Key::PromptFeedback).is_some()
            || response.has(Key::UsageMetadata)
    }

    fn read_whole<V: Value>(response: &V) -> Result<Reading<V>, Failure<V>> {
        if let Some(reason) = block_reason(response) {
            return Err(Fault::blocked(reason).into());
        }
        let candidate = first_object(response, Key::Candidates)?;
        let reading = Self::read(response);
        let missing = !candidate.has(Key::Content);
        match reading.ending() {
            // Thinking can use up all tokens, and a filter can withhold all content. Both show only in the reason.
            Some(Finish::Length | Finish::Blocked | Finish::Malformed) => Ok(reading),
            _ if missing => Err(Fault::missing("content", "missing").into()),
            _ => Ok(reading),
        }
    }
}

fn block_reason<V: Value>(response: &V) -> Option<String> {
    response
        .get(Key::PromptFeedback)?
        .word_at(Key::BlockReason)
        .filter(|reason| reason != "BLOCK_REASON_UNSPECIFIED")
}

fn read_candidate<V: Value>(candidate: &V, reading: &mut Reading<V>) {
    if let Some(content) = candidate.get(Key::Content) {
        reading.begun = true;
        for part in content.each(Key::Parts) {
            read_part(&part, reading);
        }
    }
    reading.end(candidate.word_at(Key::FinishReason).filter(|word| word != UNSPECIFIED), ENDS);
    reading.begun |= reading.finish.is_some();
    reading.ended = reading.finish.is_some();
}

fn read_part<V: Value>(part: &V, reading: &mut Reading<V>) {
    if let Some(text) = part.get(Key::Text).filter(Value::is_text) {
        if part.get(Key::Thought).and_then(|thought| thought.boolean()) != Some(true) {
            reading.texts.push(text);
        }
        return;
    }
    let called = part.get(Key::FunctionCall).or_else(|| part.get(Key::FunctionCallSnake));
    if let Some(call) = called {
        reading.tools.push(ToolPart {
            slot: Slot::Whole,
            id: call.get(Key::Id).and_then(|id| id.text()),
            name: call.get(Key::Name).and_then(|name| name.text()),
            arguments: whole(call.get(Key::Args)),
        });
    } else if part.get(Key::ExecutableCode).is_some() {
        let name = Some("code_execution".to_owned());
        reading.tools.push(ToolPart { slot: Slot::Whole, id: None, name, arguments: None });
    } else {
        let others = [Key::InlineData, Key::FileData, Key::CodeExecutionResult];
        reading.other |= others.iter().any(|other| part.get(*other).is_some());
    }
}
