//! The names of all members that events have, and the lookup of a name's key.

macro_rules! keys {
    ($($key:ident = $name:literal,)+) => {
        /// The name of a member.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Key {
            $($key,)+
        }

        const KEYS: &[(&str, Key)] = &[$(($name, Key::$key),)+];
    };
}

keys! {
    V = "v",
    Source = "source",
    Process = "process",
    Seq = "seq",
    Time = "time",
    Type = "type",
    Policy = "policy",
    Call = "call",
    ParentCall = "parentCall",
    TraceId = "traceId",
    Options = "options",
    Seed = "seed",
    Task = "task",
    By = "by",
    Position = "position",
    DueAt = "dueAt",
    Attempt = "attempt",
    Provider = "provider",
    Model = "model",
    Probe = "probe",
    Generation = "generation",
    DurationMs = "durationMs",
    FirstChunkMs = "firstChunkMs",
    UnreadStream = "unreadStream",
    Usage = "usage",
    Code = "code",
    Severity = "severity",
    Retryable = "retryable",
    Rule = "rule",
    TechnicalDetails = "technicalDetails",
    Signals = "signals",
    Counted = "counted",
    StatusCode = "statusCode",
    RequestId = "requestId",
    RetryAfterMs = "retryAfterMs",
    Remedy = "remedy",
    ErrorClass = "errorClass",
    Message = "message",
    Frame = "frame",
    DelayMs = "delayMs",
    MinMs = "minMs",
    MaxMs = "maxMs",
    DelaySource = "delaySource",
    BudgetLeft = "budgetLeft",
    Attempts = "attempts",
    ClosedEarly = "closedEarly",
    Why = "why",
    UserMessage = "userMessage",
    Failed = "failed",
    From = "from",
    To = "to",
    Breaker = "breaker",
    Reason = "reason",
    RetryAt = "retryAt",
    Window = "window",
    Chunks = "chunks",
    Characters = "characters",
    Received = "received",
    Action = "action",
    Unit = "unit",
    Limit = "limit",
    Remaining = "remaining",
    ResetAt = "resetAt",
    Next = "next",
    Operation = "operation",
    Module = "module",
    During = "during",
    Max = "max",
    Count = "count",
    InputTokens = "inputTokens",
    OutputTokens = "outputTokens",
    Total = "total",
    Failures = "failures",
    Slow = "slow",
    Last = "last",
    Rate = "rate",
    Host = "host",
    Pid = "pid",
    Version = "version",
    Deployment = "deployment",
    Fleet = "fleet",
    Status = "status",
    Resource = "key",
    Because = "because",
    Changes = "changes",
    Tried = "tried",
    Run = "run",
    Name = "name",
    Happened = "happened",
    ParentRun = "parentRun",
    Limits = "limits",
    Restored = "restored",
    Step = "step",
    Tool = "tool",
    Outcome = "outcome",
    Repeated = "repeated",
    Spent = "spent",
    Advice = "advice",
    End = "end",
    Id = "id",
    Of = "of",
    Undoable = "undoable",
    Control = "control",
}

/// How many there are.
pub(super) const COUNT: usize = KEYS.len();
/// Slots of the table, a power of two. Most names share theirs with no other.
const SLOTS: usize = 256;
/// An empty slot of the table.
const NONE: u8 = u8::MAX;
/// A hash table: each slot has the number of a name. A name whose slot is taken is in the next free one.
const TABLE: [u8; SLOTS] = table();

impl Key {
    /// The key of that name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let mut at = slot_of(name.as_bytes());
        loop {
            // KEYS has no entry for NONE, so the search ends there.
            let (known, key) = *KEYS.get(usize::from(*TABLE.get(at)?))?;
            if known == name {
                return Some(key);
            }
            at = (at + 1) % SLOTS;
        }
    }

    /// The name.
    pub(super) fn name(self) -> &'static str {
        KEYS.get(self as usize).map_or("", |row| row.0)
    }
}

/// A hash of a name's length, its first byte and its last two bytes.
const fn slot_of(name: &[u8]) -> usize {
    let (first, middle, last) = match name {
        [] => (0, 0, 0),
        [one] => (*one, 0, *one),
        [first, .., middle, last] => (*first, *middle, *last),
        [first, last] => (*first, 0, *last),
    };
    let word = u32::from_le_bytes([first, middle, last, 0]) ^ (name.len() as u32) << 24;
    (word.wrapping_mul(0xCAAC_B5D1) >> 24) as usize
}

#[expect(clippy::indexing_slicing, reason = "at compile time, where it would be an error of the compiler")]
#[expect(clippy::cast_possible_truncation, reason = "fewer names than slots")]
const fn table() -> [u8; SLOTS] {
    let (mut table, mut number) = ([NONE; SLOTS], 0);
    while number < COUNT {
        let mut at = slot_of(KEYS[number].0.as_bytes());
        while table[at] != NONE {
            at = (at + 1) % SLOTS;
        }
        table[at] = number as u8;
        number += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_and_no_other() {
        for &(name, key) in KEYS {
            assert_eq!((Key::of(name), key.name()), (Some(key), name));
        }
        for name in ["", "x", "vv", "attemptx", "Source", "retryafterMs", "é"] {
            assert_eq!(Key::of(name), None, "{name}");
        }
    }
}
