//! Anthropic's messages: <https://docs.anthropic.com/en/api/messages> and `…/messages-streaming`.

use super::shape::{Shape, is_error, list, type_of};
use crate::response::error::Fault;
use crate::response::reading::{Ends, Failure, Finish, Reading, Slot, ToolPart, piece, usage, whole};
use crate::response::value::{Key, Value};

pub(super) struct Anthropic;

/// `stop_reason`: <https://docs.anthropic.com/en/api/handling-stop-reasons>.
const ENDS: Ends = &[
    ("end_turn", Finish::Stop),
    ("stop_sequence", Finish::Stop),
    ("pause_turn", Finish::Stop),
    ("tool_use", Finish::Tools),
    ("max_tokens", Finish::Length),
    ("model_context_window_exceeded", Finish::Length),
    ("refusal", Finish::Refused),
];

/// The events of a stream that mean nothing by themselves.
const QUIET: &[&str] = &["content_block_stop", "ping"];
/// The blocks that are not part of the answer.
const QUIET_BLOCKS: &[&str] = &["", "thinking", "redacted_thinking", "compaction"];
/// The deltas that are not part of the answer.
const QUIET_DELTAS: &[&str] = &["thinking_delta", "signature_delta", "citations_delta", "compaction_delta"];

impl Shape for Anthropic {
    const FIELDS: &'static [&'static str] = &[
        "container",
        "content",
        "content_block",
        "context_management",
        "delta",
        "error",
        "id",
        "index",
        "message",
        "model",
        "request_id",
        "role",
        "stop_details",
        "stop_reason",
        "stop_sequence",
        "type",
        "usage",
    ];

    fn speaks<V: Value>(chunk: &V) -> bool {
        let Some(kind) = chunk.word_at(Key::Type) else { return false };
        match kind.as_str() {
            "content_block_delta"
            | "content_block_start"
            | "content_block_stop"
            | "message_start"
            | "message_delta"
            | "message_stop"
            | "ping" => true,
            "error" => chunk.get(Key::Error).is_some_and(|error| error.word_at(Key::Type).is_some()),
            _ => false,
        }
    }

    fn read<V: Value>(chunk: &V) -> Reading<V> {
        let mut reading = Reading::default();
        let kind = chunk.word_at(Key::Type).unwrap_or_default();
        match kind.as_str() {
            "content_block_delta" => {
                reading.begun = true;
                if let Some(delta) = chunk.get(Key::Delta) {
                    read_delta(&delta, chunk, &mut reading);
                }
            }
            "content_block_start" => {
                reading.begun = true;
                if let Some(block) = chunk.get(Key::ContentBlock) {
                    read_block(&block, Slot::Index(chunk.count_at(Key::Index).unwrap_or(0)), &mut reading);
                }
            }
            "message_start" => {
                reading.begun = true;
                let message = chunk.get(Key::Message);
                reading.usage = message.and_then(|message| tokens(&message));
            }
            "message_delta" => {
                reading.begun = true;
                reading.end(chunk.get(Key::Delta).and_then(|delta| delta.word_at(Key::StopReason)), ENDS);
                reading.usage = tokens(chunk);
            }
            "message_stop" => {
                reading.begun = true;
                reading.ended = true;
            }
            "message" => return read_message(chunk),
            "error" => return Reading::failed(Failure::Provider(chunk.clone())),
            quiet if QUIET.contains(&quiet) => {}
            _ => reading.unknown = Some(type_of(chunk)),
        }
        reading
    }

    fn is_genuine<V: Value>(chunk: &V) -> bool {
        chunk.word_at(Key::Type).is_some_and(|kind| kind == "message_start")
    }

    fn is_whole<V: Value>(response: &V) -> bool {
        response.word_at(Key::Type).is_some_and(|kind| kind == "message")
            || (response.has(Key::StopReason) && response.has(Key::Content))
    }

    fn read_whole<V: Value>(response: &V) -> Result<Reading<V>, Failure<V>> {
        if is_error(response) {
            return Err(Failure::Provider(response.clone()));
        }
        if !response.has(Key::Content) {
            return Err(Fault::missing("content", "missing").into());
        }
        list(response, Key::Content)?;
        Ok(read_message(response))
    }
}

fn tokens<V: Value>(holder: &V) -> Option<super::super::reading::Usage> {
    usage(&holder.get(Key::Usage)?, Key::InputTokensSnake, Key::OutputTokensSnake)
}

fn read_message<V: Value>(message: &V) -> Reading<V> {
    let mut reading = Reading { begun: true, ended: true, ..Reading::default() };
    for block in message.each(Key::Content) {
        read_block(&block, Slot::Whole, &mut reading);
    }
    reading.end(message.word_at(Key::StopReason), ENDS);
    reading.usage = tokens(message);
    reading
}

fn read_delta<V: Value>(delta: &V, chunk: &V, reading: &mut Reading<V>) {
    let kind = delta.word_at(Key::Type).unwrap_or_default();
    match kind.as_str() {
        "text_delta" => reading.push_text(delta.get(Key::Text)),
        "input_json_delta" => reading.tools.push(ToolPart {
            slot: Slot::Index(chunk.count_at(Key::Index).unwrap_or(0)),
            id: None,
            name: None,
            arguments: piece(delta.get(Key::PartialJson)),
        }),
        quiet if QUIET_DELTAS.contains(&quiet) => {}
        "" if delta.is_hollow() => {}
        _ => reading.unknown = Some(kind),
    }
}

fn read_block<V: Value>(block: &V, slot: Slot, reading: &mut Reading<V>) {
    let kind = block.word_at(Key::Type).unwrap_or_default();
    match kind.as_str() {
        "text" => reading.push_text(block.get(Key::Text)),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => reading.tools.push(ToolPart {
            slot,
            id: block.get(Key::Id).and_then(|id| id.text()),
            name: block.get(Key::Name).and_then(|name| name.text()),
            // A stream begins with an empty object, and the pieces of the real one follow.
            arguments: whole(block.get(Key::Input).filter(|input| !input.is_hollow())),
        }),
        quiet if QUIET_BLOCKS.contains(&quiet) => {}
        _ => reading.other = true,
    }
}
