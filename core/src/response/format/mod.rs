//! The formats of responses, and which of them a value has.
//!
//! A format is a module with tables of terms and the functions of `Shape` (in `shape.rs`) from a value to a
//! [`Reading`]; it keeps no state. To add one, add a module and a line in `formats!`.

mod ai_sdk;
mod anthropic;
mod google;
mod ollama;
mod openai_chat;
mod openai_responses;
mod shape;

use self::shape::{Shape, is_error};
use super::error::Fault;
use super::reading::{Failure, Reading};
use super::value::{Key, Kind, Value};

pub(super) use shape::unrecognised;

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

            pub(in crate::response) fn is_own<V: Value>(self, chunk: &V) -> bool {
                match self { $(Self::$format => <$shape>::is_own(chunk),)+ }
            }

            fn is_whole<V: Value>(self, response: &V) -> bool {
                match self { $(Self::$format => <$shape>::is_whole(response),)+ }
            }

            /// Returns the contents of a chunk.
            #[must_use]
            pub fn read<V: Value>(self, chunk: &V) -> Reading<V> {
                match self { $(Self::$format => <$shape>::read(chunk),)+ }
            }

            /// Returns `true` if a chunk carries a field that only a provider's own stream has.
            #[must_use]
            pub fn is_genuine<V: Value>(self, chunk: &V) -> bool {
                match self { $(Self::$format => <$shape>::is_genuine(chunk),)+ }
            }

            fn read_whole_as<V: Value>(self, response: &V) -> Result<Reading<V>, Failure<V>> {
                match self { $(Self::$format => <$shape>::read_whole(response),)+ }
            }

            /// Returns the fields of a chunk that it knows.
            #[must_use]
            pub const fn fields(self) -> &'static [&'static str] {
                match self { $(Self::$format => <$shape>::FIELDS,)+ }
            }
        }
    };
}

formats! {
    /// Chat completions of OpenAI and of the many compatible servers.
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
    /// Returns the provider, if only one uses the format.
    pub(in crate::response) const fn provider(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("anthropic"),
            Self::Google => Some("google"),
            Self::OpenaiResponses => Some("openai"),
            Self::Ollama => Some("ollama"),
            Self::OpenaiChat | Self::AiSdk => None,
        }
    }

    /// Returns the format of a chunk.
    #[must_use]
    pub fn of_chunk<V: Value>(chunk: &V) -> Option<Self> {
        let spoken = |format: &Self| format.speaks(chunk);
        let whole = |format: &Self| format.is_whole(chunk);
        Self::ALL.iter().copied().find(spoken).or_else(|| Self::ALL.iter().copied().find(whole))
    }

    /// Returns the format of a whole response.
    #[must_use]
    pub fn of_whole<V: Value>(response: &V) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.is_whole(response))
    }

    /// Returns the attribute that holds its answers.
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

    /// Returns the contents of a whole response, with its structure checked.
    ///
    /// # Errors
    ///
    /// Its fault: no object, an error instead of an answer, a missing or empty part.
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
