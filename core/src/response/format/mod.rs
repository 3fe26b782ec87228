//! The formats of responses, and which of them a value has.
//!
//! A format is a module with tables of terms and four functions from a value to a [`Reading`]; it keeps no state.
//! Adding one is a module and a line in `formats!`.

mod ai_sdk;
mod anthropic;
mod google;
mod ollama;
mod openai_chat;
mod openai_responses;

use super::error::Fault;
use super::reading::{Failure, Reading};
use super::value::{Key, Kind, Value};

/// What every format can do.
trait Shape {
    /// The fields of a chunk that it knows; the debug callback is given the others.
    const FIELDS: &'static [&'static str];
    /// Whether a chunk looks like one of its own. Cheap: called once for a stream.
    fn speaks<V: Value>(chunk: &V) -> bool;
    /// What a chunk contains.
    fn read<V: Value>(chunk: &V) -> Reading<V>;
    /// Whether a chunk carries what only a provider's own stream carries. Called until one does.
    fn is_genuine<V: Value>(chunk: &V) -> bool;
    /// Whether a whole response looks like one of its own.
    fn is_whole<V: Value>(response: &V) -> bool;
    /// What a whole response contains.
    ///
    /// # Errors
    ///
    /// What is wrong with its structure.
    fn read_whole<V: Value>(response: &V) -> Result<Reading<V>, Failure<V>>;
}

macro_rules! formats {
    ($($(#[$doc:meta])+ $format:ident = $name:literal, $shape:ty;)+) => {
        /// A format of responses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format { $($(#[$doc])+ $format,)+ }

        impl Format {
            /// All formats, in the order in which they are tried.
            pub const ALL: &'static [Self] = &[$(Self::$format),+];

            /// The name, as options give it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$format => $name,)+ }
            }

            /// The format of that name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|format| format.as_str() == name)
            }

            fn speaks<V: Value>(self, chunk: &V) -> bool {
                match self { $(Self::$format => <$shape>::speaks(chunk),)+ }
            }

            fn is_whole<V: Value>(self, response: &V) -> bool {
                match self { $(Self::$format => <$shape>::is_whole(response),)+ }
            }

            /// What a chunk contains.
            #[must_use]
            pub fn read<V: Value>(self, chunk: &V) -> Reading<V> {
                match self { $(Self::$format => <$shape>::read(chunk),)+ }
            }

            /// Whether a chunk carries what only a provider's own stream carries.
            #[must_use]
            pub fn is_genuine<V: Value>(self, chunk: &V) -> bool {
                match self { $(Self::$format => <$shape>::is_genuine(chunk),)+ }
            }

            fn read_whole_as<V: Value>(self, response: &V) -> Result<Reading<V>, Failure<V>> {
                match self { $(Self::$format => <$shape>::read_whole(response),)+ }
            }

            /// The fields of a chunk that it knows.
            #[must_use]
            pub const fn fields(self) -> &'static [&'static str] {
                match self { $(Self::$format => <$shape>::FIELDS,)+ }
            }
        }
    };
}

formats! {
    /// Chat completions of OpenAI and the many servers that speak like it.
    OpenaiChat = "openai-chat", openai_chat::OpenaiChat;
    /// Messages of Anthropic.
    Anthropic = "anthropic", anthropic::Anthropic;
    /// Gemini's `generateContent`.
    Google = "google", google::Google;
    /// Responses of OpenAI.
    OpenaiResponses = "openai-responses", openai_responses::OpenaiResponses;
    /// The AI SDK: text streams, full streams, streams of user interface messages.
    AiSdk = "ai-sdk", ai_sdk::AiSdk;
    /// Ollama's `chat` and `generate`.
    Ollama = "ollama", ollama::Ollama;
}

impl Format {
    /// The format of a chunk.
    #[must_use]
    pub fn of_chunk<V: Value>(chunk: &V) -> Option<Self> {
        let spoken = |format: &Self| format.speaks(chunk);
        let whole = |format: &Self| format.is_whole(chunk);
        Self::ALL.iter().copied().find(spoken).or_else(|| Self::ALL.iter().copied().find(whole))
    }

    /// The format of a whole response.
    #[must_use]
    pub fn of_whole<V: Value>(response: &V) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.is_whole(response))
    }

    /// The attribute that holds its answers.
    const fn attribute(self) -> &'static str {
        match self {
            Self::OpenaiChat => "choices",
            Self::Anthropic => "content",
            Self::Google => "candidates",
            Self::OpenaiResponses => "output",
            Self::AiSdk => "text",
            Self::Ollama => "message",
        }
    }

    /// What a whole response contains, with its structure checked.
    ///
    /// # Errors
    ///
    /// What is wrong with it: no object, an error instead of an answer, a missing or empty part.
    pub fn read_whole<V: Value>(response: &V, format: Option<Self>) -> Result<Reading<V>, Failure<V>> {
        if response.is_nothing() {
            return Err(Fault::mistyped("response object", Kind::Null.as_str()).into());
        }
        if response.kind() != Kind::Object {
            let attribute = format.map_or("candidates", Self::attribute);
            return Err(Fault::missing(attribute, response.kind().as_str()).into());
        }
        // `generateContent` of the older Google package wraps its answer.
        let inner = response.get(Key::Response).filter(|inner| inner.has(Key::Candidates));
        let response = inner.as_ref().unwrap_or(response);
        match format.or_else(|| Self::of_whole(response)) {
            Some(format) => format.read_whole_as(response),
            None if is_error(response) => Err(Failure::Provider(response.clone())),
            None => Err(Fault::missing("candidates", Kind::Object.as_str()).into()),
        }
    }
}

/// The reading of a chunk that no format knows: an error is one in any format.
pub(super) fn unrecognised<V: Value>(chunk: &V) -> Reading<V> {
    // Gemini without `alt=sse` sends its error in a list.
    if let Some(error) = [Some(chunk.clone()), chunk.item(0)].into_iter().flatten().find(is_error) {
        return Reading::failed(Failure::Provider(error));
    }
    Reading { unknown: Some(type_of(chunk)), ..Reading::default() }
}

/// The type by which an unknown chunk is reported: its own `type`, else what sort of value it is.
fn type_of<V: Value>(chunk: &V) -> String {
    chunk.word_at(Key::Type).unwrap_or_else(|| chunk.kind().as_str().to_owned())
}

/// Whether the value is an error instead of an answer: gateways send such with status 200.
fn is_error<V: Value>(value: &V) -> bool {
    value.get(Key::Error).is_some_and(|error| matches!(error.kind(), Kind::Object | Kind::String))
        || value.word_at(Key::Type).is_some_and(|kind| kind == "error")
        || value.word_at(Key::Object).is_some_and(|kind| kind == "error")
}

/// The list in a field, checked.
fn list<V: Value>(holder: &V, key: Key) -> Result<u32, Failure<V>> {
    match holder.get(key) {
        None if holder.has(key) => Ok(0),
        None if is_error(holder) => Err(Failure::Provider(holder.clone())),
        None => Err(Fault::missing(key.as_str(), Kind::Object.as_str()).into()),
        Some(value) => value
            .items()
            .ok_or_else(|| Fault::mistyped(format!("{} list", key.as_str()), value.kind().as_str()).into()),
    }
}

/// The first object of the list in a field, checked: an empty list has no candidates.
fn first_object<V: Value>(holder: &V, key: Key) -> Result<V, Failure<V>> {
    if list(holder, key)? == 0 {
        return Err(Fault::no_candidates().into());
    }
    let first = holder.first(key);
    let kind = first.as_ref().map_or(Kind::Null, Value::kind);
    match first {
        Some(first) if kind == Kind::Object => Ok(first),
        _ => Err(Fault::mistyped(format!("object in {}", key.as_str()), kind.as_str()).into()),
    }
}

/// The item of a list that belongs to the first answer: streams of several answers mix their chunks.
fn first_answer<V: Value>(holder: &V, key: Key) -> Option<V> {
    let first = holder.first(key)?;
    match first.get(Key::Index) {
        Some(index) if !index.is_nothing() => {
            holder.each(key).skip(1).find(|item| item.count_at(Key::Index) == Some(0))
        }
        _ => Some(first),
    }
}
