//! OpenAI's chat completions: <https://platform.openai.com/docs/api-reference/chat>, as OpenRouter, DeepSeek, vLLM and others speak it too.

use super::shape::{Shape, first_answer, first_object, is_error, type_of};
use crate::response::error::Fault;
use crate::response::reading::{Ends, Failure, Finish, Reading, Slot, ToolPart, piece, usage, whole};
use crate::response::value::{Key, Value};

pub(super) struct OpenaiChat;

const ENDS: Ends = &[
    ("stop", Finish::Stop),
    ("tool_calls", Finish::Tools),
    ("function_call", Finish::Tools),
    ("length", Finish::Length),
    ("content_filter", Finish::Blocked),
    // OpenRouter: the provider behind it failed, https://openrouter.ai/docs/api-reference/errors
    ("error", Finish::Failed),
    // DeepSeek: broken off for lack of capacity, https://api-docs.deepseek.com/api/create-chat-completion
    ("insufficient_system_resource", Finish::Failed),
];

/// The slot for the parts of the older `function_call`: an index that no list has.
const FUNCTION_CALL: u64 = u64::MAX;

impl Shape for OpenaiChat {
    const FIELDS: &'static [&'static str] = &[
        "choices",
        "citations",
        "created",
        "error",
        "id",
        "model",
        "object",
        "prompt_filter_results",
        "provider",
        "service_tier",
        "system_fingerprint",
        "usage",
        "x_groq",
    ];

    fn speaks<V: Value>(chunk: &V) -> bool {
        chunk.has(Key::Choices)
            || chunk.word_at(Key::Object).is_some_and(|object| object.starts_with("chat.completion"))
    }

    fn read<V: Value>(chunk: &V) -> Reading<V> {
        let mut reading = Reading::default();
        let choice = first_answer(chunk, Key::Choices);
        if let Some(choice) = &choice {
            reading.begun = true;
            match choice.get(Key::Delta) {
                Some(delta) => read_message(&delta, true, &mut reading),
                None => match choice.get(Key::Message) {
                    Some(message) => read_message(&message, false, &mut reading),
                    None => reading.push_text(choice.get(Key::Text)),
                },
            }
            reading.end(choice.word_at(Key::FinishReasonSnake), ENDS);
            reading.ended = reading.finish.is_some();
        }
        if (choice.is_none() || reading.ending() == Some(Finish::Failed)) && is_error(chunk) {
            reading.failure = Some(Failure::Provider(chunk.clone()));
        } else if choice.is_none() && !Self::speaks(chunk) {
            reading.unknown = Some(type_of(chunk));
        } else if let Some(choice) = choice.filter(|_| reading.ending() == Some(Finish::Failed))
            && choice.get(Key::Error).is_some()
        {
            reading.failure = Some(Failure::Provider(choice));
        }
        if let Some(counts) = chunk.get(Key::Usage) {
            reading.usage = usage(&counts, Key::PromptTokens, Key::CompletionTokens);
        }
        reading
    }

    fn is_genuine<V: Value>(chunk: &V) -> bool {
        chunk.get(Key::Id).is_some()
    }

    fn is_whole<V: Value>(response: &V) -> bool {
        Self::speaks(response)
    }

    fn read_whole<V: Value>(response: &V) -> Result<Reading<V>, Failure<V>> {
        let choice = first_object(response, Key::Choices)?;
        let reading = Self::read(response);
        if matches!(reading.ending(), Some(Finish::Length | Finish::Blocked | Finish::Failed)) {
            return Ok(reading);
        }
        if choice.has(Key::Text) || choice.has(Key::Delta) {
            return Ok(reading);
        }
        let Some(message) = choice.get(Key::Message) else {
            return Err(Fault::missing("message", "missing").into());
        };
        let answers = [Key::Content, Key::Refusal, Key::ToolCallsSnake, Key::FunctionCallSnake];
        if answers.iter().any(|answer| message.has(*answer)) {
            Ok(reading)
        } else {
            Err(Fault::missing("content", "missing").into())
        }
    }
}

fn read_message<V: Value>(message: &V, streamed: bool, reading: &mut Reading<V>) {
    if let Some(content) = message.get(Key::Content) {
        if content.is_text() {
            reading.texts.push(content);
        } else {
            // Mistral's reasoning models answer in parts: only those of type `text` are the answer.
            for part in message.each(Key::Content) {
                match part.word_at(Key::Type).as_deref() {
                    Some("text") => reading.push_text(part.get(Key::Text)),
                    Some("thinking" | "reference") | None => {}
                    Some(_) => reading.other = true,
                }
            }
        }
    }
    for call in message.each(Key::ToolCallsSnake) {
        reading.tools.push(read_call(&call, streamed));
    }
    if streamed && !reading.texts.is_empty() {
        // A refusal or a finish reason never comes in one delta with text, and each look-up takes time.
        return;
    }
    // Sound, and pictures as OpenRouter sends them.
    reading.other |= message.get(Key::Audio).is_some() || message.get(Key::Images).is_some();
    reading.refusal = message.get(Key::Refusal).filter(Value::is_text).and_then(|refusal| refusal.text());
    if let Some(call) = message.get(Key::FunctionCallSnake) {
        let name = call.get(Key::Name).and_then(|name| name.text());
        let arguments = piece(call.get(Key::Arguments));
        reading.tools.push(ToolPart { slot: Slot::Index(FUNCTION_CALL), id: None, name, arguments });
    }
}

fn read_call<V: Value>(call: &V, streamed: bool) -> ToolPart {
    let custom = call.get(Key::Custom);
    let function = call.get(Key::Function).or_else(|| custom.clone());
    let text = |key| function.as_ref().and_then(|function| function.get(key));
    // A custom tool takes any text, so its input is not JSON: it is kept as a JSON string.
    let arguments = match (&custom, streamed) {
        (Some(custom), _) => {
            custom.get(Key::Input).map(|input| super::super::reading::Arguments::Whole(input.json()))
        }
        (None, true) => piece(text(Key::Arguments)),
        (None, false) => whole(text(Key::Arguments)),
    };
    ToolPart {
        slot: if streamed { Slot::Index(call.count_at(Key::Index).unwrap_or(0)) } else { Slot::Whole },
        id: call.get(Key::Id).and_then(|id| id.text()).filter(|id| !id.is_empty()),
        name: text(Key::Name).and_then(|name| name.text()).filter(|name| !name.is_empty()),
        arguments,
    }
}
