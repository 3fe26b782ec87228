//! The event log: one line of JSON for each event, as agents send it and the dashboard reads it.
//!
//! Reading is tolerant, because a log outlives the program that wrote it: unknown fields are passed over, unknown
//! types and later versions become [`Kind::Other`], and what cannot be an event is a [`Rejected`] that says why.
//! Nothing in a line is ever fatal to its reader, and the work for a line is bounded by its length.
//!
//! ```
//! use halfopen::log::{Event, Kind};
//! let line = r#"{"v":1,"source":"a1","seq":7,"time":1700000000000,"call":"c1","type":"call.succeeded","attempts":2,"durationMs":812,"new":0}"#;
//! let event = Event::parse(line)?;
//! assert!(matches!(event.kind, Kind::CallSucceeded { attempts: 2, .. }));
//! # Ok::<(), halfopen::log::Rejected>(())
//! ```

use crate::code::Code;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::error::Category;
use std::borrow::Cow;
use std::fmt;

/// Longest line that is read, in bytes. Writers keep to 2 KiB; the rest is room for other writers.
pub const MAX_LINE: usize = 256 * 1024;
/// The version whose meaning this reader knows.
pub const VERSION: u32 = 1;
/// The last moment that a JavaScript `Date` can name, in milliseconds since 1970 (ECMA-262 §21.4.1.1).
const MAX_TIME: f64 = 8.64e15;

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

/// Text of a line: borrowed from it where no escape had to be undone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<'a>(pub Cow<'a, str>);

impl<'a> Text<'a> {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The error code of that name, if this version knows it.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        Code::from_name(&self.0)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

// Not derived: serde borrows a bare `Cow`, but not one inside an `Option`.
impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
            fn visit_string<E: de::Error>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(Reader)
    }
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

/// [`Event`] as it stands in a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'e, 'a> {
    v: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'e Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<&'e Text<'a>>,
    seq: u64,
    time: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'e Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'e Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_call: Option<&'e Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'e Text<'a>>,
    #[serde(flatten)]
    kind: &'e Kind<'a>,
}

impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let taken = matches!(self.kind, Kind::RetryScheduled { .. });
        let (source, process) =
            if taken { (None, self.source.as_ref()) } else { (self.source.as_ref(), None) };
        Line {
            v: self.v,
            source,
            process,
            seq: self.seq,
            time: self.time,
            policy: self.policy.as_ref(),
            call: self.call.as_ref(),
            parent_call: self.parent_call.as_ref(),
            trace_id: self.trace_id.as_ref(),
            kind: &self.kind,
        }
        .serialize(serializer)
    }
}

/// Contents of a breaker's window at the moment of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
}

/// What happened. Durations are milliseconds, moments are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of `HalfopenEvent` in TypeScript, by name")]
pub enum Kind<'a> {
    /// A policy's options, before its first event and after each update.
    #[serde(rename = "policy.configured")]
    PolicyConfigured { options: Value, seed: f64 },
    /// A call began.
    #[serde(rename = "call.started")]
    CallStarted {
        #[serde(skip_serializing_if = "Option::is_none")]
        task: Option<Text<'a>>,
    },
    /// An attempt waits for a place.
    #[serde(rename = "call.queued")]
    CallQueued {
        by: Text<'a>,
        position: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        due_at: Option<f64>,
    },
    /// It has its place.
    #[serde(rename = "call.dequeued")]
    CallDequeued,
    /// The operation was called.
    #[serde(rename = "attempt.started")]
    AttemptStarted {
        attempt: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider: Option<Text<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<Text<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        probe: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        generation: Option<u32>,
    },
    /// It answered.
    #[serde(rename = "attempt.succeeded")]
    AttemptSucceeded {
        attempt: u32,
        duration_ms: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        first_chunk_ms: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// It failed, and this is what was made of it.
    #[serde(rename = "attempt.failed")]
    AttemptFailed {
        attempt: u32,
        duration_ms: f64,
        code: Text<'a>,
        severity: Text<'a>,
        retryable: bool,
        rule: Text<'a>,
        technical_details: Text<'a>,
        signals: Value,
        counted: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        status_code: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        request_id: Option<Text<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<f64>,
    },
    /// A wait began; `attempt` is the attempt that comes after it.
    #[serde(rename = "retry.scheduled")]
    RetryScheduled {
        attempt: u32,
        delay_ms: f64,
        due_at: f64,
        min_ms: f64,
        max_ms: f64,
        source: Text<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        budget_left: Option<f64>,
    },
    /// The call answered.
    #[serde(rename = "call.succeeded")]
    CallSucceeded { attempts: u32, duration_ms: f64 },
    /// The call failed for good.
    #[serde(rename = "call.failed")]
    CallFailed { attempts: u32, duration_ms: f64, code: Text<'a>, why: Text<'a>, user_message: Text<'a> },
    /// The call was refused without calling the operation.
    #[serde(rename = "call.rejected")]
    CallRejected {
        code: Text<'a>,
        by: Text<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<f64>,
    },
    /// A fallback was asked in the operation's place.
    #[serde(rename = "fallback.used")]
    FallbackUsed {
        code: Text<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        failed: Option<bool>,
    },
    /// The next target was asked.
    #[serde(rename = "failover.switched")]
    FailoverSwitched { from: Text<'a>, to: Text<'a>, code: Text<'a> },
    /// A breaker changed its state.
    #[serde(rename = "breaker.changed")]
    BreakerChanged {
        breaker: Text<'a>,
        from: Text<'a>,
        to: Text<'a>,
        reason: Text<'a>,
        generation: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_at: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        window: Option<Window>,
    },
    /// How far a stream has come.
    #[serde(rename = "stream.chunk")]
    StreamChunk { attempt: u32, chunks: u64, characters: u64 },
    /// A stream ended before its end.
    #[serde(rename = "stream.broken")]
    StreamBroken { attempt: u32, received: u64, action: Text<'a> },
    /// What a provider said about its limits.
    #[serde(rename = "limits.observed")]
    LimitsObserved {
        provider: Text<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<Text<'a>>,
        unit: Text<'a>,
        limit: f64,
        remaining: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        reset_at: Option<f64>,
    },
    /// Where an agent's graph goes after an error.
    #[serde(rename = "recovery.routed")]
    RecoveryRouted { severity: Text<'a>, next: Text<'a> },
    /// An operation was done without.
    #[serde(rename = "degraded")]
    Degraded { operation: Text<'a>, code: Text<'a> },
    /// Events that nobody will see.
    #[serde(rename = "events.dropped")]
    EventsDropped { count: u64 },
    /// A type or version that this reader does not know: shown as the text of its line.
    #[serde(untagged)]
    Other {
        #[serde(rename = "type")]
        name: Text<'a>,
    },
}

/// Every field of every event, flat: one reader instead of twenty, which is smaller and copies nothing.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Fields<'a> {
    v: Option<u32>,
    seq: Option<u64>,
    time: Option<f64>,
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    source: Option<Text<'a>>,
    #[serde(borrow)]
    process: Option<Text<'a>>,
    #[serde(borrow)]
    policy: Option<Text<'a>>,
    #[serde(borrow)]
    call: Option<Text<'a>>,
    #[serde(borrow)]
    parent_call: Option<Text<'a>>,
    #[serde(borrow)]
    trace_id: Option<Text<'a>>,
    #[serde(borrow)]
    task: Option<Text<'a>>,
    #[serde(borrow)]
    by: Option<Text<'a>>,
    #[serde(borrow)]
    provider: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    code: Option<Text<'a>>,
    #[serde(borrow)]
    severity: Option<Text<'a>>,
    #[serde(borrow)]
    rule: Option<Text<'a>>,
    #[serde(borrow)]
    technical_details: Option<Text<'a>>,
    #[serde(borrow)]
    request_id: Option<Text<'a>>,
    #[serde(borrow)]
    why: Option<Text<'a>>,
    #[serde(borrow)]
    user_message: Option<Text<'a>>,
    #[serde(borrow)]
    from: Option<Text<'a>>,
    #[serde(borrow)]
    to: Option<Text<'a>>,
    #[serde(borrow)]
    breaker: Option<Text<'a>>,
    #[serde(borrow)]
    reason: Option<Text<'a>>,
    #[serde(borrow)]
    action: Option<Text<'a>>,
    #[serde(borrow)]
    unit: Option<Text<'a>>,
    #[serde(borrow)]
    next: Option<Text<'a>>,
    #[serde(borrow)]
    operation: Option<Text<'a>>,
    options: Option<Value>,
    seed: Option<f64>,
    signals: Option<Value>,
    usage: Option<Usage>,
    window: Option<Window>,
    retryable: Option<bool>,
    counted: Option<bool>,
    probe: Option<bool>,
    failed: Option<bool>,
    attempt: Option<u32>,
    attempts: Option<u32>,
    position: Option<u32>,
    generation: Option<u32>,
    status_code: Option<u32>,
    count: Option<u64>,
    chunks: Option<u64>,
    characters: Option<u64>,
    received: Option<u64>,
    duration_ms: Option<f64>,
    first_chunk_ms: Option<f64>,
    retry_after_ms: Option<f64>,
    delay_ms: Option<f64>,
    due_at: Option<f64>,
    min_ms: Option<f64>,
    max_ms: Option<f64>,
    budget_left: Option<f64>,
    retry_at: Option<f64>,
    reset_at: Option<f64>,
    limit: Option<f64>,
    remaining: Option<f64>,
}

/// What every event has, read alone when the rest of a line is of a shape that this version does not know.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    v: u32,
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(default, borrow)]
    source: Option<Text<'a>>,
    seq: u64,
    time: f64,
    #[serde(default, borrow)]
    policy: Option<Text<'a>>,
    #[serde(default, borrow)]
    call: Option<Text<'a>>,
}

impl<'a> Event<'a> {
    /// Reads one line, without its line break.
    ///
    /// # Errors
    /// [`Rejected`] when the line is torn, too long, not JSON, lacks what its type needs, or has a number that its
    /// field cannot mean.
    pub fn parse(line: &'a str) -> Result<Self, Rejected> {
        if line.len() > MAX_LINE {
            return Err(Rejected::TooLong(line.len()));
        }
        let fields: Fields<'a> = match serde_json::from_str(line) {
            Ok(fields) => fields,
            Err(error) => return Self::parse_head(line, &error),
        };
        let name = fields.kind.clone().ok_or(missing("event", "type"))?;
        let v = fields.v.ok_or(missing(name.as_str(), "v"))?;
        let seq = fields.seq.ok_or(missing(name.as_str(), "seq"))?;
        let time = moment("time", fields.time.ok_or(missing(name.as_str(), "time"))?)?;
        let mut fields = fields;
        let (policy, call) = (fields.policy.take(), fields.call.take());
        let (parent_call, trace_id) = (fields.parent_call.take(), fields.trace_id.take());
        let waits = name.as_str() == "retry.scheduled" && v == VERSION;
        let source = if waits { fields.process.take() } else { fields.source.take() };
        if source.is_none() && !waits {
            return Err(missing(name.as_str(), "source"));
        }
        let kind = if v == VERSION { fields.into_kind(name)? } else { Kind::Other { name } };
        Ok(Self { v, source, seq, time, policy, call, parent_call, trace_id, kind })
    }

    /// A line with a field of a type that is not expected: of a later version or type, that is no fault of the line.
    fn parse_head(line: &'a str, error: &serde_json::Error) -> Result<Self, Rejected> {
        if error.classify() == Category::Eof {
            return Err(Rejected::Torn);
        }
        match serde_json::from_str::<Head<'a>>(line) {
            Ok(head) if head.v > VERSION || !KNOWN.contains(&head.kind.as_str()) => Ok(Self {
                v: head.v,
                source: head.source,
                seq: head.seq,
                time: moment("time", head.time)?,
                policy: head.policy,
                call: head.call,
                parent_call: None,
                trace_id: None,
                kind: Kind::Other { name: head.kind },
            }),
            _ => Err(Rejected::Malformed(error.to_string())),
        }
    }
}

fn missing(kind: &str, field: &'static str) -> Rejected {
    Rejected::Missing { kind: kind.chars().take(64).collect(), field }
}

fn moment(field: &'static str, value: f64) -> Result<f64, Rejected> {
    if (0.0..=MAX_TIME).contains(&value) {
        return Ok(value);
    }
    Err(Rejected::OutOfRange { field, value: value.to_string(), expected: "milliseconds since 1970" })
}

fn span(field: &'static str, value: f64) -> Result<f64, Rejected> {
    if (0.0..=MAX_TIME).contains(&value) {
        return Ok(value);
    }
    Err(Rejected::OutOfRange { field, value: value.to_string(), expected: "milliseconds, zero or more" })
}

/// The types that [`Fields::into_kind`] makes something of.
const KNOWN: &[&str] = &[
    "policy.configured",
    "call.started",
    "call.queued",
    "call.dequeued",
    "attempt.started",
    "attempt.succeeded",
    "attempt.failed",
    "retry.scheduled",
    "call.succeeded",
    "call.failed",
    "call.rejected",
    "fallback.used",
    "failover.switched",
    "breaker.changed",
    "stream.chunk",
    "stream.broken",
    "limits.observed",
    "recovery.routed",
    "degraded",
    "events.dropped",
];

impl<'a> Fields<'a> {
    fn into_kind(self, name: Text<'a>) -> Result<Kind<'a>, Rejected> {
        let kind = name.as_str();
        macro_rules! need {
            ($field:ident, $label:literal) => {
                self.$field.ok_or_else(|| missing(kind, $label))?
            };
        }
        macro_rules! optional {
            ($check:ident, $field:ident, $label:literal) => {
                self.$field.map(|value| $check($label, value)).transpose()?
            };
        }
        Ok(match kind {
            "policy.configured" => {
                Kind::PolicyConfigured { options: need!(options, "options"), seed: need!(seed, "seed") }
            }
            "call.started" => Kind::CallStarted { task: self.task },
            "call.queued" => Kind::CallQueued {
                by: need!(by, "by"),
                position: need!(position, "position"),
                due_at: optional!(moment, due_at, "dueAt"),
            },
            "call.dequeued" => Kind::CallDequeued,
            "attempt.started" => Kind::AttemptStarted {
                attempt: need!(attempt, "attempt"),
                provider: self.provider,
                model: self.model,
                probe: self.probe,
                generation: self.generation,
            },
            "attempt.succeeded" => Kind::AttemptSucceeded {
                attempt: need!(attempt, "attempt"),
                duration_ms: span("durationMs", need!(duration_ms, "durationMs"))?,
                first_chunk_ms: optional!(span, first_chunk_ms, "firstChunkMs"),
                usage: self.usage,
            },
            "attempt.failed" => Kind::AttemptFailed {
                attempt: need!(attempt, "attempt"),
                duration_ms: span("durationMs", need!(duration_ms, "durationMs"))?,
                code: need!(code, "code"),
                severity: need!(severity, "severity"),
                retryable: need!(retryable, "retryable"),
                rule: need!(rule, "rule"),
                technical_details: self.technical_details.unwrap_or_default(),
                signals: self.signals.unwrap_or_default(),
                counted: self.counted.unwrap_or_default(),
                status_code: self.status_code,
                request_id: self.request_id,
                retry_after_ms: optional!(span, retry_after_ms, "retryAfterMs"),
            },
            "retry.scheduled" => Kind::RetryScheduled {
                attempt: need!(attempt, "attempt"),
                delay_ms: span("delayMs", need!(delay_ms, "delayMs"))?,
                due_at: moment("dueAt", need!(due_at, "dueAt"))?,
                min_ms: span("minMs", need!(min_ms, "minMs"))?,
                max_ms: span("maxMs", need!(max_ms, "maxMs"))?,
                source: need!(source, "source"),
                budget_left: self.budget_left,
            },
            "call.succeeded" => Kind::CallSucceeded {
                attempts: need!(attempts, "attempts"),
                duration_ms: span("durationMs", need!(duration_ms, "durationMs"))?,
            },
            "call.failed" => Kind::CallFailed {
                attempts: need!(attempts, "attempts"),
                duration_ms: span("durationMs", need!(duration_ms, "durationMs"))?,
                code: need!(code, "code"),
                why: need!(why, "why"),
                user_message: self.user_message.unwrap_or_default(),
            },
            "call.rejected" => Kind::CallRejected {
                code: need!(code, "code"),
                by: need!(by, "by"),
                retry_after_ms: optional!(span, retry_after_ms, "retryAfterMs"),
            },
            "fallback.used" => Kind::FallbackUsed { code: need!(code, "code"), failed: self.failed },
            "failover.switched" => Kind::FailoverSwitched {
                from: need!(from, "from"),
                to: need!(to, "to"),
                code: need!(code, "code"),
            },
            "breaker.changed" => Kind::BreakerChanged {
                breaker: need!(breaker, "breaker"),
                from: need!(from, "from"),
                to: need!(to, "to"),
                reason: self.reason.unwrap_or_default(),
                generation: self.generation.unwrap_or_default(),
                retry_at: optional!(moment, retry_at, "retryAt"),
                window: self.window,
            },
            "stream.chunk" => Kind::StreamChunk {
                attempt: need!(attempt, "attempt"),
                chunks: need!(chunks, "chunks"),
                characters: need!(characters, "characters"),
            },
            "stream.broken" => Kind::StreamBroken {
                attempt: need!(attempt, "attempt"),
                received: need!(received, "received"),
                action: need!(action, "action"),
            },
            "limits.observed" => Kind::LimitsObserved {
                provider: need!(provider, "provider"),
                model: self.model,
                unit: need!(unit, "unit"),
                limit: need!(limit, "limit"),
                remaining: need!(remaining, "remaining"),
                reset_at: optional!(moment, reset_at, "resetAt"),
            },
            "recovery.routed" => {
                Kind::RecoveryRouted { severity: need!(severity, "severity"), next: need!(next, "next") }
            }
            "degraded" => {
                Kind::Degraded { operation: need!(operation, "operation"), code: need!(code, "code") }
            }
            "events.dropped" => Kind::EventsDropped { count: need!(count, "count") },
            _ => Kind::Other { name },
        })
    }
}

/// Cuts a stream of bytes into lines, whatever the chunks it comes in.
///
/// ```
/// use halfopen::log::LineSplitter;
/// let mut splitter = LineSplitter::default();
/// let mut lines = Vec::new();
/// splitter.push(b"{\"v\":", |line| lines.push(line.to_owned()));
/// splitter.push(b"1}\r\n\n{", |line| lines.push(line.to_owned()));
/// splitter.finish(|line| lines.push(line.to_owned()));
/// assert_eq!(lines, ["{\"v\":1}", "{"]);
/// ```
#[derive(Debug, Default)]
pub struct LineSplitter {
    rest: Vec<u8>,
}

impl LineSplitter {
    /// Takes the next bytes and tells every line that they complete. Empty lines are passed over; what is not UTF-8
    /// is replaced by U+FFFD; of a line over [`MAX_LINE`] no more than that and one byte is kept and told.
    pub fn push(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) {
        let mut pieces = bytes.split(|&byte| byte == b'\n');
        let Some(mut piece) = pieces.next() else { return };
        for next in pieces {
            if self.rest.is_empty() {
                tell(piece, &mut line);
            } else {
                self.keep(piece);
                tell(&self.rest, &mut line);
                self.rest.clear();
            }
            piece = next;
        }
        self.keep(piece);
    }

    /// Tells what stands after the last line break, and starts afresh.
    pub fn finish(&mut self, mut line: impl FnMut(&str)) {
        tell(&self.rest, &mut line);
        self.rest.clear();
    }

    fn keep(&mut self, piece: &[u8]) {
        let room = (MAX_LINE + 1).saturating_sub(self.rest.len());
        let kept = piece.get(..room).unwrap_or(piece);
        self.rest.extend_from_slice(kept);
    }
}

fn tell(bytes: &[u8], line: &mut impl FnMut(&str)) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let bytes = bytes.get(..=MAX_LINE).unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    };
    let text = text.trim();
    if !text.is_empty() {
        line(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(rest: &str) -> String {
        format!(r#"{{"v":1,"source":"s","seq":1,"time":5,{rest}}}"#)
    }

    #[test]
    fn an_attempt_that_failed_is_read_whole() {
        let text = line(
            r#""type":"attempt.failed","call":"c","attempt":2,"durationMs":12.5,"code":"RATE_LIMITED","severity":"retriable","retryable":true,"rule":"http.429","technicalDetails":"429 \"slow down\"","signals":{"status":429},"counted":true,"statusCode":429,"retryAfterMs":1500"#,
        );
        let event = Event::parse(&text).unwrap();
        let Kind::AttemptFailed { code, technical_details, signals, retry_after_ms, .. } = event.kind else {
            panic!("{event:?}")
        };
        assert_eq!(code.code(), Some(Code::RateLimited));
        assert_eq!(technical_details.as_str(), r#"429 "slow down""#);
        assert_eq!(signals["status"], 429);
        assert_eq!(retry_after_ms, Some(1500.0));
    }

    #[test]
    fn plain_text_is_borrowed_from_the_line() {
        let text = line(r#""type":"call.started","task":"plan the trip""#);
        let event = Event::parse(&text).unwrap();
        assert!(matches!(event.kind, Kind::CallStarted { task: Some(Text(Cow::Borrowed("plan the trip"))) }));
    }

    #[test]
    fn a_wait_says_its_own_source_under_the_name_of_the_process() {
        let rest = r#""type":"retry.scheduled","call":"c","attempt":2,"delayMs":1000,"dueAt":6,"minMs":800,"maxMs":1200"#;
        let text = format!(r#"{{"v":1,"source":"backoff","process":"agent-1","seq":1,"time":5,{rest}}}"#);
        let event = Event::parse(&text).unwrap();
        assert_eq!(event.source, Some("agent-1".into()));
        assert!(matches!(&event.kind, Kind::RetryScheduled { source, .. } if source.as_str() == "backoff"));
        let without = text.replace(r#""process":"agent-1","#, "");
        assert_eq!(Event::parse(&without).unwrap().source, None);
        assert_eq!(serde_json::to_string(&event).unwrap().matches("\"source\"").count(), 1);
    }

    #[test]
    fn unknown_fields_types_and_versions_are_no_fault() {
        let text = line(r#""type":"call.dequeued","color":"red","attemptx":"no""#);
        assert_eq!(Event::parse(&text).unwrap().kind, Kind::CallDequeued);
        let text = line(r#""type":"call.teleported","attempt":"both","window":7"#);
        assert_eq!(Event::parse(&text).unwrap().kind, Kind::Other { name: "call.teleported".into() });
        let text = line(r#""type":"call.failed","attempts":"many""#).replace(r#""v":1"#, r#""v":2"#);
        assert_eq!(Event::parse(&text).unwrap().v, 2);
    }

    #[test]
    fn what_cannot_be_an_event_says_why() {
        let cases = [
            (
                line(r#""type":"call.succeeded","attempts":1,"durationMs":null"#),
                "'call.succeeded' lacks the field 'durationMs'",
            ),
            (
                line(r#""type":"call.succeeded","attempts":1,"durationMs":-1"#),
                "'durationMs' is -1, expected milliseconds, zero or more",
            ),
            (
                line(r#""type":"call.dequeued""#).replace(":5,", ":9e15,"),
                "'time' is 9000000000000000, expected milliseconds since 1970",
            ),
            (
                line(r#""type":"call.dequeued""#).replace(r#""source":"s","#, ""),
                "'call.dequeued' lacks the field 'source'",
            ),
        ];
        for (text, why) in cases {
            assert_eq!(Event::parse(&text).unwrap_err().to_string(), why, "{text}");
        }
        for text in ["7", "[]", "null", "\"x\"", "{}", "NaN", r#"{"v":1,"time":NaN}"#, "{\"v\":1e999}"] {
            assert!(!matches!(Event::parse(text), Ok(_) | Err(Rejected::Torn)), "{text}");
        }
        assert_eq!(Event::parse(&"x".repeat(MAX_LINE + 1)), Err(Rejected::TooLong(MAX_LINE + 1)));
    }

    #[test]
    fn every_cut_of_a_line_is_torn() {
        let text = line(
            r#""type":"call.failed","attempts":1,"durationMs":1,"code":"TIMEOUT","why":"exhausted","userMessage":"é""#,
        );
        for (end, _) in text.char_indices() {
            assert_eq!(Event::parse(&text[..end]), Err(Rejected::Torn), "{}", &text[..end]);
        }
    }

    #[test]
    fn an_overlong_line_takes_bounded_memory_and_is_rejected() {
        let mut splitter = LineSplitter::default();
        let (mut lengths, chunk) = (Vec::new(), vec![b'a'; 100_000]);
        for _ in 0..50 {
            splitter.push(&chunk, |line| lengths.push(line.len()));
        }
        splitter.push(b"\n{}\n", |line| lengths.push(line.len()));
        assert_eq!(lengths, [MAX_LINE + 1, 2]);
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in ".{0,200}") {
            let _ = Event::parse(&text);
        }

        #[test]
        fn lines_do_not_depend_on_the_chunks(text in "[a-c\r\n é]{0,60}", cut in 0usize..60) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            let (mut whole, mut parts) = (Vec::new(), Vec::new());
            let mut splitter = LineSplitter::default();
            splitter.push(bytes, |line| whole.push(line.to_owned()));
            splitter.finish(|line| whole.push(line.to_owned()));
            splitter.push(&bytes[..cut], |line| parts.push(line.to_owned()));
            splitter.push(&bytes[cut..], |line| parts.push(line.to_owned()));
            splitter.finish(|line| parts.push(line.to_owned()));
            prop_assert_eq!(whole, parts);
        }

        #[test]
        fn what_is_written_reads_the_same(attempt in 1u32..9, ms in 0u32..100_000, source in "[a-z]{1,8}") {
            let event = Event {
                v: VERSION,
                source: Some(source.into()),
                seq: u64::from(ms),
                time: f64::from(ms),
                policy: Some("p".into()),
                call: Some("c".into()),
                parent_call: None,
                trace_id: None,
                kind: Kind::AttemptSucceeded { attempt, duration_ms: f64::from(ms), first_chunk_ms: None, usage: None },
            };
            let text = serde_json::to_string(&event).unwrap();
            prop_assert_eq!(Event::parse(&text).unwrap(), event);
        }
    }
}
