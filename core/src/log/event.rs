//! What an event is, and why a line is none.

use super::MAX_LINE;
use super::text::{Json, Text};

/// Why a line is no event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The line ends before its JSON does: the writer was stopped in the middle.
    #[error("the line is torn: it ends in the middle of its JSON")]
    Torn,
    /// More than [`MAX_LINE`] bytes.
    #[error("the line has {0} bytes, expected at most {MAX_LINE}")]
    TooLong(usize),
    /// Not JSON, or a field of a wrong type.
    #[error("{0}")]
    Malformed(String),
    /// A field that its type of event must have is missing (or `null`, which is how JSON writes NaN).
    #[error("'{kind}' lacks the field '{field}'")]
    Missing {
        /// The type of the event.
        kind: String,
        /// The missing field's name.
        field: &'static str,
    },
    /// A number outside of what its field can mean.
    #[error("'{field}' is {value}, expected {expected}")]
    OutOfRange {
        /// The field's name.
        field: &'static str,
        /// What stood there.
        value: String,
        /// What can stand there.
        expected: &'static str,
    },
}

/// One event of one process.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    /// The format's version.
    pub v: u32,
    /// The process that tells. A `retry.scheduled` says under `source` what the wait is for; its process stands under
    /// `process`, and is `None` where that is missing: the reader then knows it by the call.
    pub source: Option<Text<'a>>,
    /// Counts within the source.
    pub seq: u64,
    /// Wall time, in milliseconds since 1970.
    pub time: f64,
    /// The policy's name.
    pub policy: Option<Text<'a>>,
    /// The call's id, unique within the source.
    pub call: Option<Text<'a>>,
    /// The call within which this one was made.
    pub parent_call: Option<Text<'a>>,
    /// The trace that the call belongs to.
    pub trace_id: Option<Text<'a>>,
    /// What happened.
    pub kind: Kind<'a>,
}

/// Contents of a breaker's window at the moment of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Calls in the window.
    pub total: u32,
    /// Those that failed.
    pub failures: u32,
    /// Those that were slow.
    pub slow: u32,
    /// The last results, oldest first: 0 ok, 1 failed, 2 slow.
    pub last: Vec<u8>,
}

/// Tokens that an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
}

/// What happened. Durations are milliseconds, moments are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of `HalfopenEvent` in TypeScript, by name")]
pub enum Kind<'a> {
    /// A policy's options, before its first event and after each update.
    PolicyConfigured { options: Json<'a>, seed: f64 },
    /// A call began.
    CallStarted { task: Option<Text<'a>> },
    /// An attempt waits for a place.
    CallQueued { by: Text<'a>, position: u32, due_at: Option<f64> },
    /// It has its place.
    CallDequeued,
    /// The operation was called.
    AttemptStarted {
        attempt: u32,
        provider: Option<Text<'a>>,
        model: Option<Text<'a>>,
        probe: Option<bool>,
        generation: Option<u32>,
    },
    /// It answered.
    AttemptSucceeded { attempt: u32, duration_ms: f64, first_chunk_ms: Option<f64>, usage: Option<Usage> },
    /// It failed, and this is what was made of it.
    AttemptFailed {
        attempt: u32,
        duration_ms: f64,
        code: Text<'a>,
        severity: Text<'a>,
        retryable: bool,
        rule: Text<'a>,
        technical_details: Text<'a>,
        signals: Json<'a>,
        counted: bool,
        status_code: Option<u32>,
        request_id: Option<Text<'a>>,
        retry_after_ms: Option<f64>,
    },
    /// A wait began; `attempt` is the attempt that comes after it.
    RetryScheduled {
        attempt: u32,
        delay_ms: f64,
        due_at: f64,
        min_ms: f64,
        max_ms: f64,
        source: Text<'a>,
        budget_left: Option<f64>,
    },
    /// The call answered.
    CallSucceeded { attempts: u32, duration_ms: f64 },
    /// The call failed for good.
    CallFailed { attempts: u32, duration_ms: f64, code: Text<'a>, why: Text<'a>, user_message: Text<'a> },
    /// The call was refused without calling the operation.
    CallRejected { code: Text<'a>, by: Text<'a>, retry_after_ms: Option<f64> },
    /// A fallback was asked in the operation's place.
    FallbackUsed { code: Text<'a>, failed: Option<bool> },
    /// The next target was asked.
    FailoverSwitched { from: Text<'a>, to: Text<'a>, code: Text<'a> },
    /// A breaker changed its state.
    BreakerChanged {
        breaker: Text<'a>,
        from: Text<'a>,
        to: Text<'a>,
        reason: Text<'a>,
        generation: u32,
        retry_at: Option<f64>,
        window: Option<Window>,
    },
    /// How far a stream has come.
    StreamChunk { attempt: u32, chunks: u64, characters: u64 },
    /// A stream ended before its end.
    StreamBroken { attempt: u32, received: u64, action: Text<'a> },
    /// What a provider said about its limits.
    LimitsObserved {
        provider: Text<'a>,
        model: Option<Text<'a>>,
        unit: Text<'a>,
        limit: f64,
        remaining: f64,
        reset_at: Option<f64>,
    },
    /// Where an agent's graph goes after an error.
    RecoveryRouted { severity: Text<'a>, next: Text<'a> },
    /// An operation was done without.
    Degraded { operation: Text<'a>, code: Text<'a> },
    /// Events that nobody will see.
    EventsDropped { count: u64 },
    /// A type or version that this reader does not know: shown as the text of its line.
    Other { name: Text<'a> },
}

impl Kind<'_> {
    /// The word under `type`.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::PolicyConfigured { .. } => "policy.configured",
            Self::CallStarted { .. } => "call.started",
            Self::CallQueued { .. } => "call.queued",
            Self::CallDequeued => "call.dequeued",
            Self::AttemptStarted { .. } => "attempt.started",
            Self::AttemptSucceeded { .. } => "attempt.succeeded",
            Self::AttemptFailed { .. } => "attempt.failed",
            Self::RetryScheduled { .. } => "retry.scheduled",
            Self::CallSucceeded { .. } => "call.succeeded",
            Self::CallFailed { .. } => "call.failed",
            Self::CallRejected { .. } => "call.rejected",
            Self::FallbackUsed { .. } => "fallback.used",
            Self::FailoverSwitched { .. } => "failover.switched",
            Self::BreakerChanged { .. } => "breaker.changed",
            Self::StreamChunk { .. } => "stream.chunk",
            Self::StreamBroken { .. } => "stream.broken",
            Self::LimitsObserved { .. } => "limits.observed",
            Self::RecoveryRouted { .. } => "recovery.routed",
            Self::Degraded { .. } => "degraded",
            Self::EventsDropped { .. } => "events.dropped",
            Self::Other { name } => name.as_str(),
        }
    }
}
