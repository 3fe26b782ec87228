//! The contents of one chunk, or one whole response, as every format returns them to the handler.

use super::error::{Fault, ToolFault, Verdict};
use super::value::{Key, Value};

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It is complete.
    Stop,
    /// It calls tools.
    Tools,
    /// A token limit cut it: no error, but reported.
    Length,
    /// A safety system held it back.
    Blocked,
    /// The model declined.
    Refused,
    /// The model wrote a tool call that cannot be read.
    Malformed,
    /// The provider broke off.
    Failed,
    /// The caller ended it.
    Aborted,
}

/// A format's terms for why an answer ended. One that is not in the table counts as complete.
pub(super) type Ends = &'static [(&'static str, Finish)];

/// The tool call that a part belongs to, by the provider's own key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The index in a list. Parts of other calls may come between its parts.
    Index(u64),
    /// An id.
    Id(String),
    /// The call arrives whole: every one is new.
    Whole,
}

/// The arguments of a tool's call, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// The next chunk.
    Piece(String),
    /// All of it; replaces the chunks before.
    Whole(String),
}

/// One part of a tool's call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPart {
    /// The call that it belongs to.
    pub slot: Slot,
    /// The call's id, by which its result is sent back.
    pub id: Option<String>,
    /// The tool's name.
    pub name: Option<String>,
    /// Its arguments.
    pub arguments: Option<Arguments>,
}

/// Tokens that were used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input: Option<u64>,
    /// Tokens of the answer.
    pub output: Option<u64>,
}

/// The failures that end the reading of a response.
#[derive(Clone, Debug)]
pub enum Failure<V> {
    /// The response is at fault.
    Fault(Fault),
    /// The rules for answers make a failure of it.
    Verdict(Verdict),
    /// The provider sent an error: this, to be classified.
    Provider(V),
    /// The tool whose call has this id failed; only the handler knows its name.
    Tool {
        /// The call's id.
        call: String,
        /// The error that the tool reported.
        error: String,
    },
}

impl<V> Failure<V> {
    /// Replaces the call's id by the tool's name, which `name` looks up; 'unknown' if it finds no name.
    #[must_use]
    pub fn named(self, name: impl FnOnce(&str) -> Option<String>) -> Self {
        match self {
            Self::Tool { call, error } => {
                let tool = name(&call).unwrap_or_else(|| "unknown".to_owned());
                Self::Fault(Fault::Tool { class: ToolFault::Failed, tool, error })
            }
            other => other,
        }
    }
}

impl<V> From<Fault> for Failure<V> {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The contents of one chunk, or one whole response.
#[derive(Clone, Debug)]
pub struct Reading<V> {
    /// Pieces of the answer's text, in order, none empty.
    pub texts: Vec<V>,
    /// The texts may repeat those of earlier chunks.
    pub repeated: bool,
    /// Parts of tool calls, in order.
    pub tools: Vec<ToolPart>,
    /// The provider's term for why the answer ended, and what it means.
    pub finish: Option<(String, Finish)>,
    /// A chunk of the text of a refusal.
    pub refusal: Option<String>,
    /// The failure that ends the reading.
    pub failure: Option<Failure<V>>,
    /// Tokens that were used.
    pub usage: Option<Usage>,
    /// An answer has begun, so an end must come.
    pub begun: bool,
    /// Something of an answer beside text and tool calls: a file, sound, or a note that it is still being made.
    pub other: bool,
    /// The end: nothing of the answer comes after it.
    pub ended: bool,
    /// Its type, where the format does not know it.
    pub unknown: Option<String>,
}

impl<V> Default for Reading<V> {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            repeated: false,
            tools: Vec::new(),
            finish: None,
            refusal: None,
            failure: None,
            usage: None,
            begun: false,
            other: false,
            ended: false,
            unknown: None,
        }
    }
}

impl<V: Value> Reading<V> {
    /// A reading with a failure and nothing else.
    pub(super) fn failed(failure: impl Into<Failure<V>>) -> Self {
        Self { failure: Some(failure.into()), ..Self::default() }
    }

    /// Takes the text, if it is one and not empty.
    pub(super) fn push_text(&mut self, text: Option<V>) {
        if let Some(text) = text.filter(Value::is_text) {
            self.texts.push(text);
        }
    }

    /// Takes the term for why the answer ended.
    pub(super) fn end(&mut self, word: Option<String>, ends: Ends) {
        let Some(word) = word.filter(|word| !word.is_empty()) else { return };
        let finish =
            ends.iter().find(|(known, _)| *known == word).map_or(Finish::Stop, |(_, finish)| *finish);
        self.finish = Some((word, finish));
    }

    /// Returns the meaning of the answer's end, if it has ended.
    pub(super) fn ending(&self) -> Option<Finish> {
        self.finish.as_ref().map(|(_, finish)| *finish)
    }
}

/// Tokens that were used, from the fields of that name.
pub(super) fn usage<V: Value>(holder: &V, input: Key, output: Key) -> Option<Usage> {
    let usage = Usage { input: holder.count_at(input), output: holder.count_at(output) };
    (usage != Usage::default()).then_some(usage)
}

/// Arguments that arrive whole: a JSON text as it is, anything else as JSON.
pub(super) fn whole<V: Value>(arguments: Option<V>) -> Option<Arguments> {
    arguments.map(|value| Arguments::Whole(value.text().unwrap_or_else(|| value.json())))
}

/// The next chunk of arguments.
pub(super) fn piece<V: Value>(arguments: Option<V>) -> Option<Arguments> {
    arguments.and_then(|value| value.text()).map(Arguments::Piece)
}
