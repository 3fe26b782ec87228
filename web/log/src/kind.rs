//! Every type of event, with its name and its fields in the order in which they are written.

#![expect(missing_docs, reason = "the fields are those of `HalfopenEvent` in TypeScript, by name")]

use super::fields::Fields;
use super::key::Key;
use super::line::Line;
use super::rejected::Rejected;
use super::text::{Json, Text};
use super::values::{Usage, Window};

/// The type of a field, by the method of [`Fields`] that reads it.
macro_rules! value {
    (text) => { Text<'a> };
    (text_or_empty) => { Text<'a> };
    (maybe_text) => { Option<Text<'a>> };
    (json) => { Json<'a> };
    (json_or_null) => { Json<'a> };
    (maybe_json) => { Option<Json<'a>> };
    (number) => { f64 };
    (maybe_number) => { Option<f64> };
    (moment) => { f64 };
    (maybe_moment) => { Option<f64> };
    (span) => { f64 };
    (maybe_span) => { Option<f64> };
    (count) => { u32 };
    (count_or_zero) => { u32 };
    (maybe_count) => { Option<u32> };
    (whole) => { u64 };
    (maybe_whole) => { Option<u64> };
    (flag) => { bool };
    (flag_or_false) => { bool };
    (maybe_flag) => { Option<bool> };
    (maybe_usage) => { Option<Usage> };
    (delay_source) => { Text<'a> };
    (maybe_window) => { Option<Window> };
}

/// One row for each type: its name in Rust, its name in events, and of each field its name, how it is read, and its key.
macro_rules! kinds {
    ($(
        $(#[$about:meta])*
        $kind:ident $(<$life:lifetime>)? = $word:literal { $($field:ident: $how:ident $key:ident),* }
    )+) => {
        /// The kinds of events. Durations are milliseconds, moments are milliseconds since 1970.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Kind<'a> {
            $($(#[$about])* $kind($kind $(<$life>)?),)+
            /// A type or version that this reader does not know: shown as the text of its line.
            Other(Text<'a>),
        }

        $(
            $(#[$about])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $kind $(<$life>)? {
                $(pub $field: value!($how),)*
            }
        )+

        impl<'a> Kind<'a> {
            /// Returns the name under `type`.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$kind(_) => $word,)+
                    Self::Other(name) => name.as_str(),
                }
            }

            /// The fields of the type of that word; nothing for a type that this version does not know.
            pub(super) fn read(word: &str, of: &Fields<'a>) -> Result<Option<Self>, Rejected> {
                Ok(Some(match word {
                    $($word => Self::$kind($kind { $($field: of.$how(Key::$key)?,)* }),)+
                    _ => return Ok(None),
                }))
            }

            /// Writes the fields.
            pub(super) fn write(&self, line: &mut Line) {
                match self {
                    $(Self::$kind($kind { $($field,)* }) => { $(line.member(Key::$key, $field);)* })+
                    Self::Other(_) => {}
                }
            }
        }
    };
}

kinds! {
    /// A policy's options, before its first event and after each update.
    PolicyConfigured<'a> = "policy.configured" { options: json Options, seed: number Seed }
    /// A call began.
    CallStarted<'a> = "call.started" {
        task: maybe_text Task,
        operation: maybe_text Operation,
        options: maybe_json Options
    }
    /// An attempt waits for a slot.
    CallQueued<'a> = "call.queued" { by: text By, position: count Position, due_at: maybe_moment DueAt }
    /// It has its slot.
    CallDequeued = "call.dequeued" {}
    /// The operation was called.
    AttemptStarted<'a> = "attempt.started" {
        attempt: count Attempt,
        provider: maybe_text Provider,
        model: maybe_text Model,
        probe: maybe_flag Probe,
        generation: maybe_count Generation
    }
    /// It answered.
    AttemptSucceeded = "attempt.succeeded" {
        attempt: count Attempt,
        duration_ms: span DurationMs,
        first_chunk_ms: maybe_span FirstChunkMs,
        usage: maybe_usage Usage,
        unread_stream: maybe_flag UnreadStream
    }
    /// It failed; with its classification.
    AttemptFailed<'a> = "attempt.failed" {
        attempt: count Attempt,
        duration_ms: span DurationMs,
        code: text Code,
        severity: text Severity,
        retryable: flag Retryable,
        rule: text Rule,
        technical_details: text_or_empty TechnicalDetails,
        signals: json_or_null Signals,
        counted: flag_or_false Counted,
        status_code: maybe_count StatusCode,
        request_id: maybe_text RequestId,
        retry_after_ms: maybe_span RetryAfterMs,
        remedy: maybe_json Remedy,
        error_class: maybe_text ErrorClass,
        message: maybe_text Message,
        frame: maybe_text Frame,
        usage: maybe_usage Usage
    }
    /// The request was changed as the failed attempt's remedy asks; the next attempt sends the changed one.
    AttemptRepaired<'a> = "attempt.repaired" {
        attempt: count Attempt,
        remedy: text Remedy,
        changes: json_or_null Changes
    }
    /// A wait began; `attempt` is the attempt that comes after it.
    RetryScheduled<'a> = "retry.scheduled" {
        attempt: count Attempt,
        delay_ms: span DelayMs,
        due_at: moment DueAt,
        min_ms: span MinMs,
        max_ms: span MaxMs,
        delay_source: delay_source DelaySource,
        budget_left: maybe_number BudgetLeft
    }
    /// The call answered, or its consumer closed its stream early.
    CallSucceeded = "call.succeeded" {
        attempts: count Attempts,
        duration_ms: span DurationMs,
        closed_early: maybe_flag ClosedEarly,
        usage: maybe_usage Usage
    }
    /// The call failed for good.
    CallFailed<'a> = "call.failed" {
        attempts: count Attempts,
        duration_ms: span DurationMs,
        code: text Code,
        why: text Why,
        user_message: text_or_empty UserMessage,
        usage: maybe_usage Usage,
        tried: maybe_json Tried
    }
    /// The call was refused without calling the operation.
    CallRejected<'a> = "call.rejected" { code: text Code, by: text By, retry_after_ms: maybe_span RetryAfterMs }
    /// A fallback was called instead of the operation.
    FallbackUsed<'a> = "fallback.used" { code: text Code, failed: maybe_flag Failed }
    /// The next target was called.
    FailoverSwitched<'a> = "failover.switched" { from: text From, to: text To, code: text Code }
    /// A breaker changed its state.
    BreakerChanged<'a> = "breaker.changed" {
        breaker: text Breaker,
        from: text From,
        to: text To,
        reason: text_or_empty Reason,
        generation: count_or_zero Generation,
        retry_at: maybe_moment RetryAt,
        window: maybe_window Window
    }
    /// A closed breaker refuses a share of the calls, from 0 to 1.
    BreakerThrottled<'a> = "breaker.throttled" { breaker: text Breaker, rate: number Rate }
    /// The adaptive limit of a policy changed.
    LimitChanged<'a> = "limit.changed" { limit: count Limit, because: text Because, code: maybe_text Code }
    /// The progress of a stream.
    StreamChunk = "stream.chunk" {
        attempt: count Attempt,
        chunks: whole Chunks,
        characters: whole Characters,
        usage: maybe_usage Usage
    }
    /// A stream broke off.
    StreamBroken<'a> = "stream.broken" { attempt: count Attempt, received: whole Received, action: text Action }
    /// A provider's report of its limits.
    LimitsObserved<'a> = "limits.observed" {
        provider: text Provider,
        model: maybe_text Model,
        unit: text Unit,
        limit: number Limit,
        remaining: number Remaining,
        reset_at: maybe_moment ResetAt
    }
    /// Where an agent's graph goes after an error.
    RecoveryRouted<'a> = "recovery.routed" { severity: text Severity, next: text Next }
    /// An operation was skipped (`degrade`).
    Degraded<'a> = "degraded" { operation: text Operation, code: text Code }
    /// The WebAssembly instance trapped, and a new one took its place.
    CoreRestarted<'a> = "core.restarted" { module: text Module, during: text During }
    /// An agent's loop exceeded its limit.
    IterationsExceeded = "iterations.exceeded" { max: whole Max }
    /// A run of an agent began, or goes on from a snapshot. Its id is the event's `run`.
    RunStarted<'a> = "run.started" {
        name: text Name,
        task: maybe_text Task,
        parent_run: maybe_text ParentRun,
        limits: json_or_null Limits,
        restored: maybe_flag Restored
    }
    /// A step of the model began.
    RunStep = "run.step" { step: count Step }
    /// A tool call ended, or was refused. `repeated`: how often its outcome has come in a row, 1 for the first.
    RunTool<'a> = "run.tool" {
        tool: text Tool,
        outcome: text Outcome,
        code: maybe_text Code,
        repeated: count Repeated,
        duration_ms: maybe_span DurationMs
    }
    /// The run has spent most of a limit.
    RunWarned<'a> = "run.warned" { limit: text Limit, max: number Max, spent: number Spent }
    /// The run gave advice other than to go on.
    RunAdvised<'a> = "run.advised" { advice: text Advice, because: json_or_null Because }
    /// The run is over.
    RunEnded<'a> = "run.ended" {
        end: text End,
        code: maybe_text Code,
        user_message: maybe_text UserMessage,
        spent: json_or_null Spent
    }
    /// The process that sends the events, as it introduces itself.
    ProcessStarted<'a> = "process.started" {
        host: maybe_text Host,
        pid: maybe_whole Pid,
        version: maybe_text Version,
        deployment: maybe_text Deployment,
        control: maybe_flag Control
    }
    /// The process reached a fleet's store, lost it, did not trust its answer, or left the fleet.
    FleetChanged<'a> = "fleet.changed" { fleet: text Fleet, status: text Status, reason: maybe_text Reason }
    /// Another process has other options for the same resource of a fleet.
    FleetMismatch<'a> = "fleet.mismatch" { fleet: text Fleet, resource: text Resource }
    /// An act that happens once was claimed. `key` is hashed.
    EffectClaimed<'a> = "effect.claimed" { name: text Name, key: text Resource, attempt: count Attempt }
    /// It happened.
    EffectDone<'a> = "effect.done" { name: text Name, key: text Resource, attempt: count Attempt }
    /// A later call got the result that was kept.
    EffectReused<'a> = "effect.reused" { name: text Name, key: text Resource }
    /// It is not known whether it happened.
    EffectUnknown<'a> = "effect.unknown" { name: text Name, key: text Resource }
    /// `verify` has shown whether it happened.
    EffectVerified<'a> = "effect.verified" { name: text Name, key: text Resource, happened: flag Happened }
    /// A person has settled whether it happened.
    EffectSettled<'a> = "effect.settled" { name: text Name, key: text Resource, happened: flag Happened }
    /// It was carried out without the ledger, whose store did not answer.
    EffectUnguarded<'a> = "effect.unguarded" { name: text Name, key: text Resource }
    /// A person acted on the process from the dashboard. `of`: the action that this one undid.
    ControlApplied<'a> = "control.applied" {
        id: text Id,
        by: text By,
        action: text Action,
        breaker: maybe_text Breaker,
        options: maybe_json Options,
        of: maybe_text Of,
        undoable: flag_or_false Undoable
    }
    /// Such an action failed, and changed nothing.
    ControlFailed<'a> = "control.failed" {
        id: text Id,
        by: text By,
        action: text Action,
        breaker: maybe_text Breaker,
        options: maybe_json Options,
        of: maybe_text Of,
        reason: text Reason
    }
    /// Events that no view shows.
    EventsDropped = "events.dropped" { count: whole Count }
}
