//! Ollama's `chat` and `generate`: <https://github.com/ollama/ollama/blob/main/docs/api.md>.

use super::shape::{Shape, is_error, type_of};
use crate::response::error::Fault;
use crate::response::reading::{Ends, Failure, Finish, Reading, Slot, ToolPart, usage, whole};
use crate::response::value::{Key, Kind, Value};

pub(super) struct Ollama;

const ENDS: Ends =
    &[("stop", Finish::Stop), ("load", Finish::Stop), ("unload", Finish::Stop), ("length", Finish::Length)];

impl Shape for Ollama {
    const FIELDS: &'static [&'static str] = &[
        "context",
        "created_at",
        "done",
        "done_reason",
        "error",
        "eval_count",
        "eval_duration",
        "load_duration",
        "logprobs",
        "message",
        "model",
        "prompt_eval_count",
        "prompt_eval_duration",
        "remote_host",
        "remote_model",
        "response",
        "thinking",
        "total_duration",
    ];

    fn speaks<V: Value>(chunk: &V) -> bool {
        chunk.get(Key::Done).is_some_and(|done| done.boolean().is_some())
            || (chunk.has(Key::CreatedAt) && chunk.has(Key::Message))
            || (!chunk.has(Key::Type)
                && chunk.get(Key::Error).is_some_and(|error| error.kind() == Kind::String))
    }

    fn read<V: Value>(chunk: &V) -> Reading<V> {
        if is_error(chunk) {
            return Reading::failed(Failure::Provider(chunk.clone()));
        }
        if !Self::speaks(chunk) && !chunk.has(Key::Response) && !chunk.has(Key::Message) {
            return Reading { unknown: Some(type_of(chunk)), ..Reading::default() };
        }
        let mut reading = Reading { begun: true, ..Reading::default() };
        match chunk.get(Key::Message) {
            Some(message) => read_message(&message, &mut reading),
            None => reading.push_text(chunk.get(Key::Response)),
        }
        if chunk.get(Key::Done).and_then(|done| done.boolean()) == Some(true) {
            reading.ended = true;
            // A request without a prompt loads a model, or unloads it.
            reading.other = chunk.word_at(Key::DoneReason).is_some_and(|reason| reason.ends_with("load"));
            reading.end(chunk.word_at(Key::DoneReason).or_else(|| Some("stop".to_owned())), ENDS);
            reading.usage = usage(chunk, Key::PromptEvalCount, Key::EvalCount);
        }
        reading
    }

    fn is_genuine<V: Value>(chunk: &V) -> bool {
        chunk.has(Key::CreatedAt)
    }

    fn is_whole<V: Value>(response: &V) -> bool {
        Self::speaks(response)
    }

    fn read_whole<V: Value>(response: &V) -> Result<Reading<V>, Failure<V>> {
        if is_error(response) {
            return Err(Failure::Provider(response.clone()));
        }
        if !response.has(Key::Message) && !response.has(Key::Response) {
            return Err(Fault::missing("message", Kind::Object.as_str()).into());
        }
        Ok(Self::read(response))
    }
}

fn read_message<V: Value>(message: &V, reading: &mut Reading<V>) {
    reading.push_text(message.get(Key::Content));
    for call in message.each(Key::ToolCallsSnake) {
        let Some(function) = call.get(Key::Function) else { continue };
        reading.tools.push(ToolPart {
            slot: Slot::Whole,
            id: call.get(Key::Id).and_then(|id| id.text()),
            name: function.get(Key::Name).and_then(|name| name.text()),
            arguments: whole(function.get(Key::Arguments)),
        });
    }
}
