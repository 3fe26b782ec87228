//! The interface through which a format reads a response or a chunk: a JSON value here, a JavaScript value in the
//! package.
//!
//! The fields that any format reads are one table, so that the JavaScript side can keep each name as a ready string.

use serde::de::IgnoredAny;

/// The kind of a value, in the terms of `got`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: `null` and `undefined`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A text.
    String,
    /// A list.
    Array,
    /// Anything with fields.
    Object,
    /// A value that JSON does not have: a function, a symbol.
    Other,
}

impl Kind {
    /// The term for `got`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
            Self::Other => "function",
        }
    }
}

macro_rules! keys {
    ($($key:ident = $name:literal),+ $(,)?) => {
        /// A field that some format reads.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Key { $(#[doc = concat!("`", $name, "`")] $key,)+ }

        impl Key {
            /// Every field, in numbering order.
            pub const ALL: &'static [Self] = &[$(Self::$key),+];

            /// The field's name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$key => $name,)+ }
            }
        }
    };
}

keys! {
    Args = "args",
    ArgsTextDelta = "argsTextDelta",
    Arguments = "arguments",
    Audio = "audio",
    BlockReason = "blockReason",
    CallId = "call_id",
    Candidates = "candidates",
    CandidatesTokenCount = "candidatesTokenCount",
    Choices = "choices",
    Code = "code",
    CodeExecutionResult = "codeExecutionResult",
    CompletionTokens = "completion_tokens",
    Content = "content",
    ContentBlock = "content_block",
    CreatedAt = "created_at",
    Custom = "custom",
    Delta = "delta",
    Done = "done",
    DoneReason = "done_reason",
    Error = "error",
    ErrorText = "errorText",
    EvalCount = "eval_count",
    ExecutableCode = "executableCode",
    FileData = "fileData",
    FinishReason = "finishReason",
    FinishReasonSnake = "finish_reason",
    Function = "function",
    FunctionCall = "functionCall",
    FunctionCallSnake = "function_call",
    Id = "id",
    Images = "images",
    IncompleteDetails = "incomplete_details",
    Index = "index",
    InlineData = "inlineData",
    Input = "input",
    InputTextDelta = "inputTextDelta",
    InputTokens = "inputTokens",
    InputTokensSnake = "input_tokens",
    Invalid = "invalid",
    Item = "item",
    ItemId = "item_id",
    Message = "message",
    Model = "model",
    ModelVersion = "modelVersion",
    Name = "name",
    Object = "object",
    Output = "output",
    OutputIndex = "output_index",
    OutputTokens = "outputTokens",
    OutputTokensSnake = "output_tokens",
    PartialJson = "partial_json",
    Parts = "parts",
    PromptEvalCount = "prompt_eval_count",
    PromptFeedback = "promptFeedback",
    PromptTokenCount = "promptTokenCount",
    PromptTokens = "prompt_tokens",
    Raw = "raw",
    RawFinishReason = "rawFinishReason",
    Reason = "reason",
    Refusal = "refusal",
    Response = "response",
    ResponseId = "responseId",
    Role = "role",
    Status = "status",
    Steps = "steps",
    StopReason = "stop_reason",
    Text = "text",
    TextDelta = "textDelta",
    Thought = "thought",
    ToolCallId = "toolCallId",
    ToolCalls = "toolCalls",
    ToolCallsSnake = "tool_calls",
    ToolName = "toolName",
    TotalUsage = "totalUsage",
    Type = "type",
    Unified = "unified",
    Usage = "usage",
    UsageMetadata = "usageMetadata",
}

/// The most bytes of a discriminating text (a type, a reason). A longer text is never one.
pub const WORD_BYTES: usize = 64;

/// A value that a format reads. Reading never fails: what cannot be read is not there.
pub trait Value: Clone {
    /// Returns the kind of the value.
    fn kind(&self) -> Kind;
    /// Returns the field; `None` if it is missing, `null`, or cannot be read.
    fn get(&self, key: Key) -> Option<Self>;
    /// Returns `true` if the field exists, even if it is `null`.
    fn has(&self, key: Key) -> bool;
    /// Returns `true` if the field is the value's own, and no getter of its class.
    fn owns(&self, key: Key) -> bool {
        self.has(key)
    }
    /// Returns how many items a list has; `None` if it is no list.
    fn items(&self) -> Option<u32>;
    /// Returns the item of a list; `None` if it is missing, `null`, or cannot be read.
    fn item(&self, index: u32) -> Option<Self>;
    /// Returns `true` for a text that is not empty.
    fn is_text(&self) -> bool;
    /// Returns the whole text; `None` if it is no text.
    fn text(&self) -> Option<String>;
    /// Returns the text, if it has at most [`WORD_BYTES`] bytes.
    fn word(&self) -> Option<String>;
    /// Returns the beginning of a text: at least `characters` characters, or all of a shorter text.
    fn head(&self, characters: usize) -> String;
    /// Returns the number; `None` if it is no number.
    fn number(&self) -> Option<f64>;
    /// `Some` for `true` and `false` only.
    fn boolean(&self) -> Option<bool>;
    /// Returns the value as JSON; empty if it has no JSON form.
    fn json(&self) -> String;
    /// The names of its own fields, at most 64 of them.
    fn fields(&self) -> Vec<String>;
    /// Returns `true` if a text is JSON, by the parser of the value's owner.
    fn is_json(text: &str) -> bool;
    /// Returns `true` for `null`, `false`, 0 or an empty text.
    fn is_nothing(&self) -> bool;

    /// Returns `true` for an empty object or list.
    fn is_hollow(&self) -> bool {
        match self.kind() {
            Kind::Object => self.fields().is_empty(),
            Kind::Array => self.items() == Some(0),
            _ => false,
        }
    }

    /// The discriminating text in a field.
    fn word_at(&self, key: Key) -> Option<String> {
        self.get(key)?.word()
    }

    /// The number in a field, as a count: whole and not negative.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
    fn count_at(&self, key: Key) -> Option<u64> {
        self.get(key)?.number().map(|number| number as u64)
    }

    /// The first item of a list in a field.
    fn first(&self, key: Key) -> Option<Self> {
        self.get(key)?.item(0)
    }

    /// Every readable item of the list in a field.
    fn each(&self, key: Key) -> Items<Self> {
        let list = self.get(key);
        let len = list.as_ref().and_then(Value::items).unwrap_or(0);
        Items { list, next: 0, len }
    }
}

/// The readable items of a list, see [`Value::each`].
#[derive(Debug)]
pub struct Items<V> {
    list: Option<V>,
    next: u32,
    len: u32,
}

impl<V: Value> Iterator for Items<V> {
    type Item = V;

    fn next(&mut self) -> Option<V> {
        while self.next < self.len {
            let item = self.list.as_ref()?.item(self.next);
            self.next += 1;
            if item.is_some() {
                return item;
            }
        }
        None
    }
}

impl Value for &serde_json::Value {
    fn is_json(text: &str) -> bool {
        serde_json::from_str::<IgnoredAny>(text).is_ok()
    }

    fn kind(&self) -> Kind {
        match self {
            serde_json::Value::Null => Kind::Null,
            serde_json::Value::Bool(_) => Kind::Boolean,
            serde_json::Value::Number(_) => Kind::Number,
            serde_json::Value::String(_) => Kind::String,
            serde_json::Value::Array(_) => Kind::Array,
            serde_json::Value::Object(_) => Kind::Object,
        }
    }

    fn get(&self, key: Key) -> Option<Self> {
        serde_json::Value::get(self, key.as_str()).filter(|value| !value.is_null())
    }

    fn has(&self, key: Key) -> bool {
        serde_json::Value::get(self, key.as_str()).is_some()
    }

    fn items(&self) -> Option<u32> {
        self.as_array().map(|items| u32::try_from(items.len()).unwrap_or(u32::MAX))
    }

    fn item(&self, index: u32) -> Option<Self> {
        self.as_array()?.get(usize::try_from(index).ok()?).filter(|value| !value.is_null())
    }

    fn is_text(&self) -> bool {
        self.as_str().is_some_and(|text| !text.is_empty())
    }

    fn text(&self) -> Option<String> {
        self.as_str().map(str::to_owned)
    }

    fn word(&self) -> Option<String> {
        self.as_str().filter(|text| text.len() <= WORD_BYTES).map(str::to_owned)
    }

    fn head(&self, characters: usize) -> String {
        self.as_str().unwrap_or_default().chars().take(characters).collect()
    }

    fn number(&self) -> Option<f64> {
        self.as_f64()
    }

    fn boolean(&self) -> Option<bool> {
        self.as_bool()
    }

    fn json(&self) -> String {
        self.to_string()
    }

    fn fields(&self) -> Vec<String> {
        self.as_object().map(|fields| fields.keys().take(64).cloned().collect()).unwrap_or_default()
    }

    fn is_nothing(&self) -> bool {
        match self {
            serde_json::Value::Null => true,
            serde_json::Value::Bool(yes) => !yes,
            serde_json::Value::Number(number) => number.as_f64() == Some(0.0),
            serde_json::Value::String(text) => text.is_empty(),
            serde_json::Value::Array(_) | serde_json::Value::Object(_) => false,
        }
    }
}
