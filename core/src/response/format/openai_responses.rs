//! OpenAI's responses: <https://platform.openai.com/docs/api-reference/responses> and `…/responses-streaming`.

use super::shape::{Shape, list, type_of};
use crate::response::error::Fault;
use crate::response::reading::{
    Arguments, Ends, Failure, Finish, Reading, Slot, ToolPart, piece, usage, whole,
};
use crate::response::value::{Key, Value};

pub(super) struct OpenaiResponses;

/// `status`, and for an incomplete response `incomplete_details.reason`.
const ENDS: Ends = &[
    ("completed", Finish::Stop),
    ("max_output_tokens", Finish::Length),
    ("max_tokens", Finish::Length),
    ("content_filter", Finish::Blocked),
    ("incomplete", Finish::Failed),
    ("failed", Finish::Failed),
    ("cancelled", Finish::Aborted),
];

/// The types of output items that are tool calls with a name of their own.
const NAMED_CALLS: &[&str] = &["function_call", "custom_tool_call", "mcp_call"];
/// The end of the types of output items that are tool calls named by their type alone.
const CALL: &str = "_call";

/// The events that repeat or announce others.
const QUIET: &[&str] = &[
    "response.content_part.added",
    "response.content_part.done",
    "response.output_item.done",
    "response.output_text.annotation.added",
    "response.output_text.done",
    "response.refusal.done",
    "response.reasoning.delta",
    "response.reasoning.done",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_text.delta",
    "response.reasoning_text.done",
];
/// The events about sound.
const AUDIO: &str = "response.audio.";
/// Output items that make no answer by themselves.
const QUIET_ITEMS: &[&str] = &["", "message", "reasoning", "compaction", "mcp_list_tools"];
/// The `status` of a response that is still being made in the background. It is fetched later.
const PENDING: &[&str] = &["queued", "in_progress"];
/// The events about calls of the provider's own tools, and about sound.
const QUIET_GROUPS: &[&str] = &[
    AUDIO,
    "response.code_interpreter_call",
    "response.computer_call",
    "response.file_search_call.",
    "response.image_generation_call.",
    "response.mcp_call.",
    "response.mcp_list_tools.",
    "response.web_search_call.",
];

impl Shape for OpenaiResponses {
    const FIELDS: &'static [&'static str] = &[
        "annotation",
        "annotation_index",
        "arguments",
        "code",
        "content_index",
        "delta",
        "input",
        "item",
        "item_id",
        "logprobs",
        "message",
        "obfuscation",
        "output_index",
        "param",
        "part",
        "partial_image_b64",
        "partial_image_index",
        "refusal",
        "response",
        "sequence_number",
        "summary_index",
        "text",
        "type",
    ];

    fn speaks<V: Value>(chunk: &V) -> bool {
        chunk.word_at(Key::Type).is_some_and(|kind| {
            kind.starts_with("response.")
                || (kind == "error" && chunk.has(Key::Message) && chunk.has(Key::Code))
        })
    }

    fn read<V: Value>(chunk: &V) -> Reading<V> {
        let mut reading = Reading { begun: true, ..Reading::default() };
        let kind = chunk.word_at(Key::Type).unwrap_or_default();
        match kind.as_str() {
            "response.output_text.delta" => reading.push_text(chunk.get(Key::Delta)),
            "response.function_call_arguments.delta" | "response.mcp_call_arguments.delta" => {
                reading.tools.push(read_arguments(chunk, piece(chunk.get(Key::Delta))));
            }
            "response.function_call_arguments.done" | "response.mcp_call_arguments.done" => {
                reading.tools.push(read_arguments(chunk, whole(chunk.get(Key::Arguments))));
            }
            "response.custom_tool_call_input.delta" => reading.tools.push(read_arguments(chunk, None)),
            "response.custom_tool_call_input.done" => {
                let input = chunk.get(Key::Input).map(|input| Arguments::Whole(input.json()));
                reading.tools.push(read_arguments(chunk, input));
            }
            "response.refusal.delta" => {
                reading.refusal = chunk.get(Key::Delta).and_then(|delta| delta.text())
            }
            "response.output_item.added" => {
                if let Some(item) = chunk.get(Key::Item) {
                    read_item(&item, &mut reading);
                }
            }
            "response.created" | "response.queued" | "response.in_progress" => {}
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                reading.ended = true;
                if let Some(response) = chunk.get(Key::Response) {
                    read_response(&response, &mut reading);
                    // The deltas contained it already, except for servers that send none.
                    reading.repeated = true;
                }
                if reading.finish.is_none() {
                    reading.end(kind.strip_prefix("response.").map(str::to_owned), ENDS);
                }
            }
            "error" => reading.failure = Some(Failure::Provider(chunk.clone())),
            quiet if QUIET.contains(&quiet) => {}
            quiet if QUIET_GROUPS.iter().any(|group| quiet.starts_with(group)) => {
                reading.other = quiet.starts_with(AUDIO);
            }
            "" if Self::is_whole(chunk) => {
                reading.ended = true;
                read_response(chunk, &mut reading);
            }
            _ => {
                reading.begun = false;
                reading.unknown = Some(type_of(chunk));
            }
        }
        reading
    }

    fn is_genuine<V: Value>(chunk: &V) -> bool {
        chunk.word_at(Key::Type).is_some_and(|kind| kind == "response.created")
    }

    fn is_whole<V: Value>(response: &V) -> bool {
        response.word_at(Key::Object).is_some_and(|object| object == "response")
            || response.get(Key::Output).is_some_and(|output| output.items().is_some())
    }

    fn read_whole<V: Value>(response: &V) -> Result<Reading<V>, Failure<V>> {
        let mut reading = Reading { begun: true, ended: true, ..Reading::default() };
        read_response(response, &mut reading);
        if reading.failure.is_some() || !matches!(reading.ending(), None | Some(Finish::Stop)) {
            return Ok(reading);
        }
        match list(response, Key::Output)? {
            0 => Err(Fault::no_candidates().into()),
            _ => Ok(reading),
        }
    }
}

fn read_response<V: Value>(response: &V, reading: &mut Reading<V>) {
    for item in response.each(Key::Output) {
        let kind = item.word_at(Key::Type).unwrap_or_default();
        if kind == "message" {
            for part in item.each(Key::Content) {
                reading.push_text(part.get(Key::Text));
                if let Some(refusal) = part.get(Key::Refusal).filter(Value::is_text) {
                    reading.refusal = refusal.text();
                }
                reading.other |= part.word_at(Key::Type).is_some_and(|kind| kind == "output_audio");
            }
        }
        read_item(&item, reading);
    }
    if let Some(error) = response.get(Key::Error) {
        reading.failure = Some(Failure::Provider(error));
    }
    reading.other |= response.word_at(Key::Status).is_some_and(|status| PENDING.contains(&status.as_str()));
    let incomplete = response.get(Key::IncompleteDetails).and_then(|details| details.word_at(Key::Reason));
    reading.end(incomplete.or_else(|| response.word_at(Key::Status)), ENDS);
    reading.usage = response
        .get(Key::Usage)
        .and_then(|counts| usage(&counts, Key::InputTokensSnake, Key::OutputTokensSnake));
}

fn slot<V: Value>(id: Option<V>, index: Option<u64>) -> Slot {
    id.and_then(|id| id.text()).map_or_else(|| Slot::Index(index.unwrap_or(0)), Slot::Id)
}

fn read_arguments<V: Value>(chunk: &V, arguments: Option<Arguments>) -> ToolPart {
    let slot = slot(chunk.get(Key::ItemId), chunk.count_at(Key::OutputIndex));
    ToolPart { slot, id: None, name: None, arguments }
}

fn read_item<V: Value>(item: &V, reading: &mut Reading<V>) {
    match read_call(item) {
        Some(call) => reading.tools.push(call),
        None => {
            let kind = item.word_at(Key::Type).unwrap_or_default();
            reading.other |= !QUIET_ITEMS.contains(&kind.as_str());
        }
    }
}

/// Returns the call that an output item is, if it is one.
fn read_call<V: Value>(item: &V) -> Option<ToolPart> {
    let kind = item.word_at(Key::Type)?;
    let own = kind.strip_suffix(CALL)?;
    let named = NAMED_CALLS.contains(&kind.as_str());
    let name = item.get(Key::Name).and_then(|name| name.text()).filter(|_| named);
    let arguments = match kind.as_str() {
        "custom_tool_call" => {
            item.get(Key::Input).filter(Value::is_text).map(|input| Arguments::Whole(input.json()))
        }
        _ => whole(item.get(Key::Arguments).filter(Value::is_text)),
    };
    let id = item.get(Key::CallId).or_else(|| item.get(Key::Id)).and_then(|id| id.text());
    let name = if named { name } else { Some(own.to_owned()) };
    Some(ToolPart { slot: slot(item.get(Key::Id), None), id, name, arguments })
}
