//! The state of one answer while it arrives, whole or in chunks.
//!
//! 1. [`Outlook::read`] a chunk. It changes nothing. For JavaScript values this may run code of the application.
//! 2. [`Handler::apply`] the reading. It updates the state, and returns the facts that the caller needs.
//! 3. When the stream has ended, call [`Handler::missing_end`], then [`Handler::conclusion`].
//!
//! The caller keeps the text and joins it once. The handler only knows whether there is any, and how it begins.
//! [`Reader`] is a handler that keeps the text, for callers in Rust.

use super::error::{Empty, Fault, Verdict};
use super::format::Format;
use super::reading::{Failure, Finish, Reading, Usage};
use super::status::{self, Preview, ToolsOnly};
use super::tools::{Calls, ToolCall};
use super::value::{Key, Value};
use super::verdict::{self, Answers, Had};

/// The most characters of a refusal that are kept.
const REFUSAL_CHARACTERS: usize = 500;

/// The meaning of one chunk.
#[derive(Clone, Debug)]
pub struct Chunk<V> {
    /// Pieces of the answer's text, in order.
    pub texts: Vec<V>,
    /// The tools whose calls have parts in this chunk, in order.
    pub tools: Vec<String>,
    /// The tools whose calls begin here, each listed once.
    pub begun: Vec<String>,
    /// The provider's term for the reason why the answer ended.
    pub finish_reason: Option<String>,
    /// A token limit cut the answer.
    pub truncated: bool,
    /// Tokens that were used.
    pub usage: Option<Usage>,
    /// With the end: every tool call that the answer requests.
    pub calls: Vec<ToolCall>,
    /// Something of the answer beside text and tool calls: a file, sound.
    pub other: bool,
    /// Its type, where no format knows it.
    pub unknown: Option<String>,
    /// The failure that ends the reading.
    pub failure: Option<Failure<V>>,
}

/// The parts that a stream must have had for its missing end to be a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// An answer has begun: for streams that come from a provider.
    Begun,
    /// It also carries a field that only a provider's own stream has: for streams that may be hand-made.
    Genuine,
}

/// The way to read the next chunk; reading it returns the one for the chunk after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    format: Option<Format>,
    fixed: bool,
    own: bool,
    genuine: bool,
}

impl Outlook {
    /// Returns the contents of a chunk; `None` for an empty chunk. The format stays the same until a chunk comes that
    /// only another format knows.
    #[must_use]
    pub fn read<V: Value>(self, chunk: &V) -> Option<(Self, Reading<V>)> {
        if chunk.is_nothing() {
            return None;
        }
        if let Some(format) = self.format {
            let reading = format.read(chunk);
            if reading.unknown.is_none() || (self.fixed && !chunk.is_hollow()) {
                return Some((self.after(format, chunk), reading));
            }
        }
        if let Some(other) = Format::of_chunk(chunk) {
            return Some((self.after(other, chunk), other.read(chunk)));
        }
        if chunk.is_hollow() {
            return None;
        }
        Some((self, super::format::unrecognised(chunk)))
    }

    fn after<V: Value>(self, format: Format, chunk: &V) -> Self {
        Self {
            format: Some(format),
            fixed: self.fixed,
            own: self.own || format.is_own(chunk),
            genuine: self.genuine || format.is_genuine(chunk),
        }
    }
}

/// The result of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// There is text: all that the caller has gathered.
    Text,
    /// Only tools were used.
    Tools(ToolsOnly),
    /// Nothing.
    Nothing(Fault),
}

/// The state of one answer.
#[derive(Clone, Debug, Default)]
pub struct Handler {
    fixed: Option<Format>,
    format: Option<Format>,
    /// The rules for answers, for a handler that judges.
    answers: Option<Answers>,
    chunks: u64,
    has_text: bool,
    /// See [`Had::content`].
    content: bool,
    whole: bool,
    begun: bool,
    /// The format was given, or a chunk can only come from its provider.
    own: bool,
    genuine: bool,
    ended: bool,
    truncated: bool,
    finish: Option<(String, Finish)>,
    malformed: Option<Fault>,
    refusal: String,
    calls: Calls,
    tool_activity: bool,
    last_tool: Option<String>,
    preview: Preview,
}

impl Handler {
    /// Creates a handler for responses of that format, or of the first that it recognises.
    #[must_use]
    pub fn new(format: Option<Format>) -> Self {
        Self { fixed: format, format, own: format.is_some(), ..Self::default() }
    }

    /// A handler that reports no lack of an answer before the answer is over, and then by these rules: see [`verdict`].
    #[must_use]
    pub fn judging(answers: Answers) -> Self {
        Self { answers: Some(answers), ..Self::default() }
    }

    /// As new.
    pub fn reset(&mut self) {
        *self = Self { answers: self.answers, ..Self::new(self.fixed) };
    }

    /// True for a handler that judges.
    #[must_use]
    pub const fn is_judging(&self) -> bool {
        self.answers.is_some()
    }

    /// Returns the format that was given, or recognised.
    #[must_use]
    pub const fn format(&self) -> Option<Format> {
        self.format
    }

    /// Returns the provider that the chunks come from, as far as their format shows.
    #[must_use]
    pub fn provider(&self) -> Option<&'static str> {
        self.format.filter(|_| self.own).and_then(Format::provider)
    }

    /// Returns `true` if that format was given.
    #[must_use]
    pub const fn is_fixed(&self) -> bool {
        self.fixed.is_some()
    }

    /// Returns the number of chunks, without empty ones.
    #[must_use]
    pub const fn chunks(&self) -> u64 {
        self.chunks
    }

    /// The last tool that a call began of.
    #[must_use]
    pub fn last_tool(&self) -> Option<&str> {
        self.last_tool.as_deref()
    }

    /// The calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<ToolCall> {
        self.calls.all()
    }

    /// The line that shows how the answer begins.
    #[must_use]
    pub fn preview(&self) -> String {
        self.preview.line()
    }

    /// How many more characters the preview can take; 0 when its line stays as it is.
    #[must_use]
    pub const fn preview_wants(&self) -> usize {
        self.preview.wants()
    }

    /// How the next chunk is to be read.
    #[must_use]
    pub const fn outlook(&self) -> Outlook {
        Outlook { format: self.format, fixed: self.fixed.is_some(), own: self.own, genuine: self.genuine }
    }

    /// Applies the reading of a chunk, and returns its meaning. It joins text and tool calls first, because the finish reason and
    /// the end are judged by all that the response has had up to this chunk.
    pub fn apply<V: Value>(&mut self, outlook: Outlook, mut reading: Reading<V>) -> Chunk<V> {
        self.format = outlook.format;
        self.chunks += 1;
        self.begun |= reading.begun;
        self.own |= outlook.own;
        self.genuine |= outlook.genuine;
        self.ended |= reading.ended;
        if reading.repeated && self.has_text {
            reading.texts.clear();
        }
        for text in &reading.texts {
            self.has_text = true;
            if self.answers.is_some() {
                self.content = self.content || !is_blank(text);
            } else if self.preview.wants() > 0 {
                self.preview.push(&text.head(self.preview.wants()));
            }
        }
        if let Some(refusal) = reading.refusal.take().filter(|_| !reading.repeated || self.refusal.is_empty())
        {
            let room = REFUSAL_CHARACTERS.saturating_sub(self.refusal.chars().count());
            self.refusal.extend(refusal.chars().take(room));
            self.content |= !refusal.trim().is_empty();
        }
        self.content |= reading.other || reading.unknown.is_some() || !reading.tools.is_empty();
        let mut chunk = Chunk {
            texts: reading.texts,
            tools: Vec::new(),
            begun: Vec::new(),
            finish_reason: None,
            truncated: false,
            usage: reading.usage,
            calls: Vec::new(),
            other: reading.other,
            unknown: reading.unknown,
            failure: None,
        };
        for part in reading.tools {
            let taken = self.calls.take(part);
            self.tool_activity = true;
            if taken.new {
                chunk.begun.push(taken.name.clone());
                self.last_tool = Some(taken.name.clone());
            }
            if chunk.tools.last() != Some(&taken.name) || taken.new {
                chunk.tools.push(taken.name);
            }
        }
        let mut fault = None;
        if let Some((word, finish)) = reading.finish {
            self.truncated |= finish == Finish::Length;
            chunk.truncated = finish == Finish::Length;
            fault = match self.answers {
                Some(_) => self.end_of_judged(&word, finish),
                None => self.ending_fault(&word, finish),
            };
            chunk.finish_reason = Some(word);
        }
        if self.answers.is_some() {
            chunk.failure = reading
                .failure
                .and_then(|failure| self.failure_of_judged(failure))
                .or(fault.map(Failure::Fault));
            // More may come behind nothing: some servers say with every chunk that it is the last.
            if chunk.failure.is_none() && reading.ended && (self.whole || self.content) {
                chunk.failure = self.verdict::<V>().map(Failure::Verdict);
            }
            return chunk;
        }
        if reading.ended && fault.is_none() {
            fault = self.refusal_fault();
            if fault.is_none() && !self.truncated {
                fault = self.calls.fault(V::is_json);
            }
            chunk.calls = self.calls.all();
        }
        chunk.failure = reading
            .failure
            .map(|failure| failure.named(|call| self.calls.name_of(call).map(str::to_owned)))
            .or(fault.map(Failure::Fault));
        chunk
    }

    /// Returns the contents of a whole response, with its structure checked.
    ///
    /// # Errors
    ///
    /// Its fault.
    pub fn read_whole<V: Value>(format: Option<Format>, response: &V) -> Result<Reading<V>, Failure<V>> {
        Format::read_whole(response, format).map_err(|failure| failure.named(|_| None))
    }

    /// Returns the fault of a whole response, if it has one. Changes nothing.
    #[must_use]
    pub fn validate<V: Value>(format: Option<Format>, response: &V) -> Option<Failure<V>> {
        match Self::read_whole(format, response) {
            Ok(reading) => Self::new(format).apply_whole(reading).failure,
            Err(failure) => Some(failure),
        }
    }

    /// Takes the reading of a whole response.
    pub fn apply_whole<V: Value>(&mut self, mut reading: Reading<V>) -> Chunk<V> {
        self.whole = true;
        reading.ended = true;
        self.apply(self.outlook(), reading)
    }

    /// Reads a whole response for a handler that judges. `None` for another object than an answer: embeddings, a file, a job.
    #[must_use]
    pub fn read_judged<V: Value>(response: &V) -> Option<Result<Reading<V>, Failure<V>>> {
        if !matches!(response.kind(), super::value::Kind::Object) {
            return None;
        }
        let Some(format) = Format::of_whole(response).filter(|format| is_answer(*format, response)) else {
            // A job that failed, and an answer of JSON-RPC, have an id.
            let error = super::format::unrecognised(response).failure;
            return error.filter(|_| !response.has(Key::Id)).map(Err);
        };
        Some(match Format::read_whole(response, Some(format)) {
            Err(Failure::Fault(fault)) => {
                let reading = format.read(response);
                if reading.finish.is_none() && reading.failure.is_none() {
                    Err(Failure::Verdict(verdict::unfit(fault)))
                } else {
                    Ok(reading)
                }
            }
            read => read,
        })
    }

    /// The verdict on a whole response; `None` for an answer, for another object, and for a provider's error in place of an
    /// answer, which the caller classifies: see [`Handler::read_judged`].
    #[must_use]
    pub fn judge<V: Value>(answers: Answers, response: &V) -> Option<Verdict> {
        let failure = match Self::read_judged(response)? {
            Ok(reading) => Self::judging(answers).apply_whole(reading).failure,
            Err(failure) => Some(failure),
        };
        match failure? {
            Failure::Verdict(verdict) => Some(verdict),
            Failure::Fault(fault) => Some(Verdict { retryable: fault.is_retryable(), fault, remedy: None }),
            Failure::Provider(_) | Failure::Tool { .. } => None,
        }
    }

    /// The verdict on a stream that is over; `None` for an answer, and for a stream without a chunk of a known format.
    #[must_use]
    pub fn verdict<V: Value>(&self) -> Option<Verdict> {
        let answers = self.answers?;
        if !self.whole && !self.begun && self.chunks > 0 {
            return None;
        }
        let broken = self.malformed.clone().or_else(|| {
            if self.truncated { self.calls.fault_of_cut(V::is_json) } else { self.calls.fault(V::is_json) }
        });
        verdict::verdict(
            answers,
            Had {
                whole: self.whole,
                content: self.content,
                finish: self.finish.as_ref().map(|(word, finish)| (word.as_str(), *finish)),
                refusal: &self.refusal,
                broken,
                chunks: self.chunks,
            },
        )
    }

    /// Returns the fault if the end of a stream is one: it was cut off, it only refused, or it had neither text nor
    /// tool call.
    #[must_use]
    pub fn missing_end(&self, strictness: Strictness) -> Option<Fault> {
        if let Some(fault) = self.refusal_fault() {
            return Some(fault);
        }
        let due = match strictness {
            Strictness::Begun => self.begun || self.chunks == 0,
            Strictness::Genuine => self.begun && self.genuine,
        };
        if !due {
            return None;
        }
        if !self.ended {
            let seen =
                if self.chunks == 1 { "1 chunk".to_owned() } else { format!("{} chunks", self.chunks) };
            return Some(Fault::CutOff { reason: format!("no end after {seen}") });
        }
        match self.conclusion() {
            Conclusion::Nothing(fault) => Some(fault),
            _ => None,
        }
    }

    /// The result of the answer: its text, else its tools, else nothing.
    #[must_use]
    pub fn conclusion(&self) -> Conclusion {
        if self.has_text {
            return Conclusion::Text;
        }
        if self.tool_activity {
            return Conclusion::Tools(if self.whole {
                ToolsOnly::Whole
            } else {
                ToolsOnly::Streamed(self.last_tool.clone())
            });
        }
        Conclusion::Nothing(self.refusal_fault().unwrap_or_else(|| {
            if self.whole {
                Fault::empty(Empty::NoText, "no text in response")
            } else {
                let reason = format!("no text or tool activity after {} chunks", self.chunks);
                Fault::empty(Empty::NoToolActivity, reason)
            }
        }))
    }

    fn ending_fault(&self, word: &str, finish: Finish) -> Option<Fault> {
        match finish {
            Finish::Stop | Finish::Tools | Finish::Length => None,
            Finish::Blocked | Finish::Refused => {
                Some(self.refusal_fault().unwrap_or_else(|| Fault::blocked(word)))
            }
            Finish::Malformed => Some(Fault::malformed("well-formed tool call", word)),
            Finish::Failed => Some(Fault::CutOff { reason: format!("the provider ended it with '{word}'") }),
            Finish::Aborted => Some(Fault::Aborted { reason: word.to_owned() }),
        }
    }

    /// Notes why a judged answer ended. Returns a fault if the rules for answers do not matter.
    fn end_of_judged(&mut self, word: &str, finish: Finish) -> Option<Fault> {
        self.finish = Some((word.to_owned(), finish));
        match finish {
            Finish::Failed => return self.ending_fault(word, finish),
            Finish::Malformed => {
                self.malformed = self.ending_fault(word, finish);
                self.content = true;
            }
            // The caller has cancelled it, and reads that in the answer.
            Finish::Aborted => self.content = true,
            Finish::Stop | Finish::Tools | Finish::Length | Finish::Blocked | Finish::Refused => {}
        }
        None
    }

    /// The failure that ends the reading of a judged answer. A tool's failure does not, and a filter is a reason for the end.
    fn failure_of_judged<V>(&mut self, failure: Failure<V>) -> Option<Failure<V>> {
        match failure {
            Failure::Fault(Fault::Blocked { reason }) => {
                self.begun = true;
                self.finish = Some((reason, Finish::Blocked));
                None
            }
            Failure::Fault(Fault::Tool { .. }) | Failure::Tool { .. } => None,
            other => Some(other),
        }
    }

    fn refusal_fault(&self) -> Option<Fault> {
        (!self.refusal.is_empty()).then(|| Fault::blocked(format!("the model refused: {}", self.refusal)))
    }
}

/// How much of a text is looked at first: most begin with a word.
const FIRST_LOOK: usize = 50;

/// Returns true for a text of white space alone. A long one is not copied for that.
fn is_blank<V: Value>(text: &V) -> bool {
    text.head(FIRST_LOOK).trim().is_empty() && text.text().is_none_or(|text| text.trim().is_empty())
}

/// Returns true for an answer of a model, and false for another object of its interface that looks like one.
fn is_answer<V: Value>(format: Format, response: &V) -> bool {
    match format {
        // `response.compaction`, a list of items.
        Format::OpenaiResponses => response.word_at(Key::Object).is_none_or(|object| object == "response"),
        // A cached content, and embeddings, count tokens too.
        Format::Google => {
            response.has(Key::Candidates)
                || response.get(Key::PromptFeedback).is_some()
                || response.get(Key::ModelVersion).is_some()
                || response.get(Key::ResponseId).is_some()
        }
        _ => true,
    }
}

/// A handler that keeps the text.
///
/// ```
/// use halfopen::response::Reader;
/// let mut reader = Reader::new(None);
/// reader.chunk(&serde_json::json!({"choices": [{"delta": {"content": "Hel"}}]}));
/// reader.chunk(&serde_json::json!({"choices": [{"delta": {"content": "lo"}, "finish_reason": "stop"}]}));
/// assert_eq!(reader.final_response().unwrap(), "Hello");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Reader {
    handler: Handler,
    text: String,
    locale: String,
}

impl Reader {
    /// A reader for responses of that format, or of the first that it recognises.
    #[must_use]
    pub fn new(format: Option<Format>) -> Self {
        Self { handler: Handler::new(format), ..Self::default() }
    }

    /// The reader with sentences in that language; unknown ones, and without this, English.
    #[must_use]
    pub fn speaking(self, locale: &str) -> Self {
        Self { locale: locale.to_owned(), ..self }
    }

    /// The state.
    #[must_use]
    pub const fn handler(&self) -> &Handler {
        &self.handler
    }

    /// The text so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Takes a chunk; `None` for an empty one.
    pub fn chunk<'a>(&mut self, chunk: &'a serde_json::Value) -> Option<Chunk<&'a serde_json::Value>> {
        let (outlook, reading) = self.handler.outlook().read(&chunk)?;
        let taken = self.handler.apply(outlook, reading);
        self.gather(&taken);
        Some(taken)
    }

    /// Takes a whole response.
    ///
    /// # Errors
    ///
    /// The fault in its structure.
    pub fn whole<'a>(
        &mut self,
        response: &'a serde_json::Value,
    ) -> Result<Chunk<&'a serde_json::Value>, Failure<&'a serde_json::Value>> {
        let reading = Handler::read_whole(self.handler.format(), &response)?;
        let taken = self.handler.apply_whole(reading);
        self.gather(&taken);
        Ok(taken)
    }

    /// The final answer.
    ///
    /// # Errors
    ///
    /// The response has no text and called no tool.
    pub fn final_response(&self) -> Result<String, Fault> {
        match self.handler.conclusion() {
            Conclusion::Text => Ok(self.text.clone()),
            Conclusion::Tools(tools) => Ok(status::instead_of_text(&tools, &self.locale)),
            Conclusion::Nothing(fault) => Err(fault),
        }
    }

    fn gather(&mut self, chunk: &Chunk<&serde_json::Value>) {
        self.text.extend(chunk.texts.iter().filter_map(|text| text.as_str()));
    }
}
