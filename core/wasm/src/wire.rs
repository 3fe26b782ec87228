//! The numbers that cross between the core and its driver in JavaScript, each in one place.
//!
//! `core/wasm/tests/generated` writes them to `pkg/src/core/wire.ts`: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

pub use halfopen::numbered::Number;

use halfopen::numbers;

numbers! {
    /// A packed step, which every input of a call returns: the call's handle, what else there is to do, and the step.
    /// It is signed, as JavaScript engines keep such integers unboxed.
    packed: u32 {
        /// The bits of the step.
        STEP = 7,
        /// There are records to drain.
        EVENTS = 8,
        /// A queued call can go: `nextReady` names it.
        READY = 16,
        /// How far left the call's handle is shifted.
        CALL_SHIFT = 5,
    }
}

numbers! {
    /// The steps of a packed step.
    step: u32 {
        /// Call the operation.
        ATTEMPT = 0,
        /// Wait as long as `SLOT_DELAY` says, then `resume`.
        WAIT = 1,
        /// Wait until `nextReady` names the call, then `dequeue` it.
        QUEUED = 2,
        /// Refused, and over: `SLOT_BY` and `SLOT_RETRY_AFTER` say by which layer and for how long.
        REJECTED = 3,
        /// Failed for good, and over.
        GIVE_UP = 4,
        /// Succeeded, and over; or it was over before.
        DONE = 5,
        /// Nothing has happened: read the clock and give the same input again.
        NEED_TIME = 6,
        /// Nothing has happened: give the same input again with the application's delay before retry `SLOT_RETRY`. `SLOT_DELAY`
        /// is the delay before that.
        NEED_DELAY = 7,
    }
}

numbers! {
    /// The slots of the shared buffer: what a step says beside its packed number. NaN stands for none.
    slot: usize {
        /// `WAIT`: how long, in milliseconds. `NEED_DELAY`: the delay before.
        SLOT_DELAY = 0,
        /// `REJECTED`: the layer, by its index in `LAYERS`.
        SLOT_BY = 1,
        /// `REJECTED`: until a call may be admitted, in milliseconds.
        SLOT_RETRY_AFTER = 2,
        /// After `attemptAnswered`: what `breakerEnd` needs.
        SLOT_ANSWER = 3,
        /// `NEED_DELAY`: which retry it is for, 1 is the first.
        SLOT_RETRY = 4,
        /// After `breakerShared`: results since the breaker was made; without a window failures alone.
        SLOT_TOTAL = 5,
        /// Those that failed.
        SLOT_FAILED = 6,
        /// Those that were slow.
        SLOT_SLOW = 7,
        /// Failures in a row.
        SLOT_STREAK = 8,
        /// Probes that succeeded.
        SLOT_PROBES_SUCCEEDED = 9,
        /// Probes that failed.
        SLOT_PROBES_FAILED = 10,
        /// How many slots there are.
        SLOTS = 11,
    }
}

numbers! {
    /// The flags of a failed attempt.
    flag: u32 {
        /// Its classification says that another try can help.
        RETRYABLE = 1,
        /// It counts against the dependency.
        COUNTS = 2,
        /// Another policy has retried it and given up.
        NESTED = 4,
        /// The application's `retryOn` says to retry it.
        FORCE_RETRY = 8,
        /// The application's `retryOn` says not to retry it.
        FORBID_RETRY = 16,
        /// It may have reached the provider, and must not be repeated if it has.
        NOT_IDEMPOTENT_SENT = 32,
        /// Chunks were delivered, and the stream can neither go on nor begin again.
        BROKEN_STREAM = 64,
        /// The application says how long the wait before a retry is.
        OWN_DELAY = 128,
        /// The request is being changed: nothing is decided, and the failure will be given again.
        REPAIR_PENDING = 256,
        /// The request has been changed: the next attempt is made at once.
        REPAIRED = 512,
    }
}

numbers! {
    /// How the call of a permit ended.
    outcome: u8 {
        /// It counts for the dependency.
        SUCCESS = 0,
        /// It counts against the dependency.
        FAILURE = 1,
        /// It counts for nothing.
        NEUTRAL = 2,
    }
}

numbers! {
    /// How a response ended that had begun well.
    end: u8 {
        /// The whole of it came.
        COMPLETED = 0,
        /// It broke off.
        BROKEN_OFF = 1,
    }
}

numbers! {
    /// The actions of `breakerControl`.
    control: u8 {
        /// Refuses all calls, once more.
        ISOLATE = 0,
        /// Lifts one isolation.
        LIFT_ISOLATION = 1,
        /// Admits everything and counts nothing.
        DISABLE = 2,
        /// Closes it and forgets what was counted.
        RESET = 3,
    }
}

numbers! {
    /// The bits of `policyNeeds`: measurements that every call of a policy needs.
    needs: u32 {
        /// When it begins and ends, and so how long it takes.
        NEEDS_TIME = 1,
    }
}

/// Lists of numbers that cross: their names in JavaScript, in the order of their indexes. NaN stands for "not given".
macro_rules! options {
    ($(#[doc = $title:literal])+ $set:ident { $($place:ident = $name:literal,)+ }) => {
        $(#[doc = $title])+
        pub mod $set {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named as the constants that it numbers")]
            enum Place {
                $($place),+
            }

            $(
                #[doc = concat!("The place of `", $name, "`.")]
                pub const $place: usize = Place::$place as usize;
            )+

            /// The names, in the order of their places.
            pub const NAMES: &[&str] = &[$($name),+];
        }
    };
}

options! {
    /// The options of retries. `jitter` is a share, or minus the place of its name in `JITTERS`; `retryOn` is a set of bits:
    /// a code's number, or `RETRY_ON_TYPES` and the number of a type.
    retry_option {
        ENABLED = "enabled",
        MAX_RETRIES = "maxRetries",
        BASE_DELAY = "baseDelayMs",
        MAX_DELAY = "maxDelayMs",
        FACTOR = "backoffFactor",
        ENABLE_JITTER = "enableJitter",
        JITTER = "jitter",
        RETRY_ON = "retryOn",
        RETRY_NESTED = "retryNested",
        MAX_RETRY_AFTER = "maxRetryAfterMs",
        SWITCH_AFTER = "switchAfterMs",
    }
}

/// Where the bits of types begin in `retryOn`.
pub const RETRY_ON_TYPES: u32 = 32;

options! {
    /// The options of a policy beside its retries. `breakerScope` is an index in `BREAKER_SCOPES`; `adaptive` is a
    /// flag, and the numbers behind it are its options.
    policy_option {
        TOTAL = "totalMs",
        BREAKER_SCOPE = "breakerScope",
        MAX_CONCURRENT = "maxConcurrent",
        MAX_QUEUED = "maxQueued",
        ESTIMATED_TOKENS = "estimatedTokens",
        ADAPTIVE = "adaptive",
        LIMIT_MIN = "min",
        LIMIT_MAX = "max",
        LIMIT_INITIAL = "initial",
        LIMIT_DECREASE = "decrease",
    }
}

options! {
    /// The fields of each rate limit of a policy, one after the other behind the policy's other options. `ofTokens` is
    /// 1 if it counts tokens.
    rate_limit_option {
        LIMIT = "limit",
        WINDOW = "windowMs",
        MAX_WAIT = "maxWaitMs",
        OF_TOKENS = "ofTokens",
    }
}

options! {
    /// The options of a breaker. A window has `windowSize` or `windowMs`; with `throttle`, a flag, it throttles.
    breaker_option {
        FAILURE_THRESHOLD = "failureThreshold",
        RESET_TIMEOUT = "resetTimeoutMs",
        RESET_BACKOFF = "resetBackoffFactor",
        MAX_RESET_TIMEOUT = "maxResetTimeoutMs",
        HALF_OPEN_MAX_CALLS = "halfOpenMaxCalls",
        SUCCESS_THRESHOLD = "successThreshold",
        PROBE_TIMEOUT = "probeTimeoutMs",
        WINDOW_SIZE = "windowSize",
        WINDOW_LENGTH = "windowMs",
        FAILURE_RATE = "failureRate",
        MINIMUM_CALLS = "minimumCalls",
        SLOW_DURATION = "slowMs",
        SLOW_RATE = "slowRate",
        THROTTLE = "throttle",
        THROTTLE_K = "throttleK",
        THROTTLE_WINDOW = "throttleWindowMs",
        THROTTLE_MINIMUM_CALLS = "throttleMinimumCalls",
        RAMP = "rampMs",
        SEED = "seed",
    }
}

options! {
    /// The numbers of a breaker's snapshot, before those of its window. `state` is an index in `STATES`; without a
    /// window `windowLength` is NaN, and so are the last two without a throttle.
    snapshot {
        STATE = "state",
        GENERATION = "generation",
        AT = "at",
        CONSECUTIVE_FAILURES = "consecutiveFailures",
        FAILED_PROBES = "failedProbes",
        RETRY_AFTER = "retryAfterMs",
        WINDOW_LENGTH = "windowLength",
        REQUESTS = "requests",
        ACCEPTS = "accepts",
    }
}

options! {
    /// A process's report on one resource. `kind` is 0 for a report, 1 it leaves, 2 isolate, 3 lift. Without `resetMs`
    /// there is no breaker; its trip is `threshold` failures in a row, or shares of the results within `windowMs`.
    fleet_delta {
        NODE = "node",
        NUMBER = "number",
        KIND = "kind",
        LEASE = "leaseMs",
        OPTIONS = "options",
        COOL_DOWN = "coolDownMs",
        THRESHOLD = "threshold",
        WINDOW = "windowMs",
        MINIMUM_CALLS = "minimumCalls",
        FAILURE_RATE = "failureRate",
        SLOW_RATE = "slowRate",
        QUORUM = "quorum",
        RESET = "resetMs",
        RESET_BACKOFF = "resetBackoff",
        MAX_RESET = "maxResetMs",
        MAX_PROBES = "maxProbes",
        SUCCESSES = "successes",
        PROBE_TIMEOUT = "probeTimeoutMs",
        GENERATION = "generation",
        BASE_TOTAL = "baseTotal",
        BASE_FAILED = "baseFailed",
        BASE_SLOW = "baseSlow",
        TOTAL = "total",
        FAILED = "failed",
        SLOW = "slow",
        STREAK = "streak",
        HINT = "hintMs",
        WANTS_PROBE = "wantsProbe",
        PROBE = "probe",
        RESULT = "result",
    }
}

options! {
    /// A process's report on one limit, behind the rest. `windowMs` is 0 for a limit on concurrent calls.
    fleet_limit {
        LIMIT = "limit",
        WINDOW = "windowMs",
        OF_TOKENS = "ofTokens",
        EXACT = "exact",
        WANTS = "wants",
        USED = "used",
        HAS = "has",
    }
}

options! {
    /// The view that a process reads from a state. `state` is an index in `STATES`. For each limit follow: granted,
    /// limit, window, of tokens, used, reset.
    fleet_view {
        EPOCH = "epoch",
        VERSION = "version",
        ACKNOWLEDGED = "acknowledged",
        NODES = "nodes",
        NEXT_SYNC = "nextSyncMs",
        MISMATCH = "mismatch",
        STATE = "state",
        SINCE = "since",
        GENERATION = "generation",
        OPEN_FOR = "openForMs",
        PROBE = "probe",
        PROBE_FOR = "probeForMs",
        COOL_FOR = "coolForMs",
        PROBES = "probes",
    }
}

/// One kind of record: a row is its number, how many fields follow, and these. NaN stands for none.
#[derive(Clone, Copy, Debug)]
pub struct RecordKind<const FIELDS: usize> {
    /// The kind's number.
    pub kind: u8,
    /// The names of its numbers, in their order.
    pub fields: [&'static str; FIELDS],
}

/// [`RecordKind`] with any number of fields, and the name that JavaScript knows it by.
#[derive(Clone, Copy, Debug)]
pub struct NamedRecord {
    /// The name, in capitals.
    pub name: &'static str,
    /// The kind's number.
    pub kind: u8,
    /// The names of its numbers, in their order.
    pub fields: &'static [&'static str],
    /// Its meaning.
    pub about: &'static str,
}

macro_rules! records {
    ($($(#[doc = $about:literal])+ $name:ident = $kind:literal { $($field:ident),* })+) => {
        /// The kinds of records.
        pub mod record {
            use super::{NamedRecord, RecordKind};

            const fn count(fields: &[&str]) -> usize {
                fields.len()
            }

            $(
                $(#[doc = $about])+
                pub const $name: RecordKind<{ count(&[$(stringify!($field)),*]) }> =
                    RecordKind { kind: $kind, fields: [$(stringify!($field)),*] };
            )+

            /// All of them, for JavaScript.
            pub const ALL: &[NamedRecord] = &[$(NamedRecord {
                name: stringify!($name),
                kind: $kind,
                fields: &$name.fields,
                about: concat!($($about),+).trim_ascii(),
            }),+];
        }
    };
}

records! {
    /// A call was admitted, refused or queued next.
    CALL_STARTED = 0 {}
    /// It waits: `by` is one of `LAYERS`, `position` 1 is next, `dueAt` is on the policy's clock.
    CALL_QUEUED = 1 { by, position, dueAt }
    /// It waits no more.
    CALL_DEQUEUED = 2 {}
    /// The operation is called; `probe` is 1 for the breaker's probe.
    ATTEMPT_STARTED = 3 { attempt, probe, generation }
    /// The operation returned.
    ATTEMPT_SUCCEEDED = 4 { attempt, durationMs }
    /// The operation failed; `code` is the number of one, `counted` is 1 where it counts against the dependency.
    ATTEMPT_FAILED = 5 { attempt, durationMs, code, counted, retryAfterMs }
    /// It will be tried again; `source` is one of `DELAY_SOURCES`, `dueAt` is on the policy's clock.
    RETRY_SCHEDULED = 6 { attempt, delayMs, dueAt, minMs, maxMs, source, budgetLeft }
    /// The call succeeded; `closedEarly` is 1 where the consumer of a stream closed it before its end.
    CALL_SUCCEEDED = 7 { attempts, durationMs, closedEarly }
    /// The call failed; `code` is the number of one, `why` is one of `WHY`.
    CALL_FAILED = 8 { attempts, durationMs, code, why }
    /// The call was refused; `by` is one of `LAYERS`.
    CALL_REJECTED = 9 { by, retryAfterMs, attempts }
    /// A breaker changed from one of `STATES` to another. `reason`, `a`, `b` and `hintMs` are for `reasonText`, `retryAt` is
    /// on the breaker's clock; `total`, `failures` and `slow` are what was counted. Of the last `results` up to 32, two bits
    /// each (1 failed, 2 slow), `newer` has the last sixteen and `older` those before, the newest lowest.
    BREAKER_CHANGED = 10 {
        breaker, from, to, reason, a, b, generation, retryAt, total, failures, slow, results, newer, older, hintMs
    }
    /// This number of records was dropped before these.
    EVENTS_DROPPED = 11 { count }
    /// A closed breaker refuses a share of the calls.
    BREAKER_THROTTLED = 12 { breaker, rate }
    /// The adaptive limit changed; `because` is one of `LIMIT_REASONS`, `code` is the number of the error if that was
    /// overload.
    LIMIT_CHANGED = 13 { limit, because, code }
}
