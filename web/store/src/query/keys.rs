//! The keys and words of the filter: one row each, with its help and its test of a call. A row without a test
//! does not compile.

use crate::call::{Call, Status, Wait};
use crate::names::Name;
use crate::store::Log;
use crate::time::Moment;
use halfopen_log::Kind;
use std::fmt;

/// A key or a word, and how it reads a call.
pub(super) struct Key<Reads: 'static> {
    /// Its name in filters.
    pub word: &'static str,
    pub help: &'static str,
    pub reads: Reads,
}

/// No two rows of a table have one word.
impl<Reads> PartialEq for Key<Reads> {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl<Reads> fmt::Debug for Key<Reads> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

/// The row with that word, in any case.
pub(super) fn find<Reads>(table: &'static [Key<Reads>], word: &str) -> Option<&'static Key<Reads>> {
    table.iter().find(|key| key.word.eq_ignore_ascii_case(word))
}

/// A choice matches the whole name, or its beginning if the choice ends in `*`.
pub(super) fn matches_choice(text: &str, choice: &str) -> bool {
    choice.strip_suffix('*').map_or(text == choice, |start| text.starts_with(start))
}

const fn key<Reads>(word: &'static str, help: &'static str, reads: Reads) -> Key<Reads> {
    Key { word, help, reads }
}

/// Tests the names of a call: `true` if one passes.
pub(super) type Names = fn(&Log, &Call, &mut dyn FnMut(Name) -> bool) -> bool;
/// Tests the numbers of a call: `true` if one passes. The moment is the end of an open call.
pub(super) type Numbers = fn(&Call, Moment, &mut dyn FnMut(f64) -> bool) -> bool;
/// Tests the texts in the event of a failure: `true` if one passes.
pub(super) type Texts = fn(&Kind<'_>, &dyn Fn(Option<&str>) -> bool) -> bool;
/// Tests a call for a word.
pub(super) type Holds = fn(&Call) -> bool;

/// The part of a call that a key with a name as its value tests.
#[derive(Clone, Copy)]
pub(super) enum Named {
    /// The word of its status.
    Status,
    /// The beginning of its id.
    Id,
    Names(Names),
}

/// Keys with a name as their value.
pub(super) const NAMED: &[Key<Named>] = &[
    key(
        "code",
        "an attempt's or the call's error code",
        Named::Names(|_, call, test| {
            test(call.code) || call.attempts.iter().any(|attempt| test(attempt.code))
        }),
    ),
    key(
        "rule",
        "the rule that classified an attempt",
        Named::Names(|_, call, test| call.attempts.iter().any(|attempt| test(attempt.rule))),
    ),
    key(
        "ended",
        "the error code that the call failed or was refused with: no retry and no fallback answered",
        Named::Names(|_, call, test| {
            matches!(call.status, Status::Failed | Status::Rejected) && test(call.code)
        }),
    ),
    key(
        "ended-rule",
        "the rule that classified the error that the call failed with",
        Named::Names(|_, call, test| call.ended_with().is_some_and(|attempt| test(attempt.rule))),
    ),
    key(
        "provider",
        "the provider of an attempt",
        Named::Names(|_, call, test| call.attempts.iter().any(|attempt| test(attempt.provider))),
    ),
    key(
        "model",
        "the model of an attempt",
        Named::Names(|_, call, test| call.attempts.iter().any(|attempt| test(attempt.model))),
    ),
    key("policy", "the policy's name", Named::Names(|_, call, test| test(call.policy))),
    key("task", "the call's task", Named::Names(|_, call, test| test(call.task))),
    key(
        "operation",
        "the name of the function that ran, of a call without a task",
        Named::Names(|_, call, test| test(call.operation)),
    ),
    key("source", "the process", Named::Names(|_, call, test| test(call.source))),
    key(
        "host",
        "the machine of the process",
        Named::Names(|log, call, test| test(log.about(call.source).host)),
    ),
    key(
        "deployment",
        "the deployment of the process: production, eu-west",
        Named::Names(|log, call, test| test(log.about(call.source).deployment)),
    ),
    key(
        "version",
        "the application's version in the process",
        Named::Names(|log, call, test| test(log.about(call.source).version)),
    ),
    key(
        "status",
        "running, waiting, queued, ok, fallback, failed, rejected, cancelled, silent",
        Named::Status,
    ),
    key(
        "why",
        "why the call ended: exhausted, not-retryable, deadline, hint, budget, …",
        Named::Names(|_, call, test| test(call.why)),
    ),
    key("call", "the call's id, or its beginning", Named::Id),
    key("trace", "the trace id", Named::Names(|_, call, test| test(call.trace))),
];

/// Keys with a text as their value, which is searched for in the events of failures.
pub(super) const TEXTS: &[Key<Texts>] = &[
    key(
        "message",
        "a part of a failure's message, of its technical details, or of what the user read",
        |event, has| match event {
            Kind::AttemptFailed(failed) => {
                has(Some(failed.technical_details.as_str()))
                    || has(failed.message.as_ref().map(|text| text.as_str()))
                    || has(failed.error_class.as_ref().map(|text| text.as_str()))
            }
            Kind::CallFailed(failed) => has(Some(failed.user_message.as_str())),
            _ => false,
        },
    ),
    key("request", "the provider's id of a failed request, or a part of it", |event, has| match event {
        Kind::AttemptFailed(failed) => has(failed.request_id.as_ref().map(|id| id.as_str())),
        _ => false,
    }),
];

/// Keys with a number as their value.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
pub(super) const NUMBERS: &[Key<Numbers>] = &[
    key("duration", "of the whole call: duration>2s, duration<300ms", |call, now, test| {
        test(call.end_or(now) - call.started)
    }),
    key("attempts", "how often the operation was called: attempts>=3", |call, _, test| {
        test(call.tries() as f64)
    }),
    key("wait", "the longest planned wait: wait>5s", |call, _, test| {
        test(call.waits.iter().filter_map(Wait::planned_ms).fold(0.0, f64::max))
    }),
    key("http", "an attempt's status code: http:429, http>=500", |call, _, test| {
        let mut codes = call.attempts.iter().map(|attempt| attempt.status_code);
        codes.any(|code| code > 0 && test(f64::from(code)))
    }),
];

/// Words without a value.
pub(super) const WORDS: &[Key<Holds>] = &[
    key("retrying", "waits to try again now", |call| call.status == Status::Waiting),
    key("retried", "was tried more than once", |call| call.retries() > 0),
    key("open", "goes on", |call| call.status.is_open()),
    key("silent", "has not ended, and its process no longer reports", |call| call.status == Status::Silent),
    key("probe", "was a breaker's probe", |call| call.attempts.iter().any(|attempt| attempt.probe)),
    key("hinted", "the provider said how long to wait", |call| {
        call.attempts.iter().any(|attempt| attempt.retry_after_ms.is_some())
    }),
    key("streamed", "answered in chunks", |call| call.attempts.iter().any(|attempt| attempt.chunks > 0)),
    key("nested", "was made within another call", |call| call.parent.is_some()),
    key("failing", "failed, was refused or fell back", |call| {
        matches!(call.status, Status::Failed | Status::Rejected | Status::Degraded)
    }),
];
