//! The numbers of the rows that a log is taken down as. TypeScript has them from here: `UPDATE=1 cargo test -p halfopen-wasm
//! --test generated`.

use halfopen::numbers;

numbers! {
    /// The kinds of rows that a log is taken down as for its replay, and what they have beside the common numbers.
    row: u32 {
        /// A host, in the order of their numbers: its seed, whether its policy is replaced, the number of its shared breaker (-1),
        /// the number of its policy's name.
        HOST = 0,
        /// Settings of a host: their number.
        SETTINGS = 1,
        /// An operator's change to a breaker, or a provider's report on a limit: `ISOLATED` to `TOKENS`. For a limit:
        /// the remainder, and until when in milliseconds (NaN: not reported).
        CONTROL = 2,
        /// A call: its host, the number of its settings, whether they are its own, whether it was made within another.
        CALL_STARTED = 3,
        /// An attempt: its number, the number of its provider.
        ATTEMPT_STARTED = 4,
        /// Its number, its duration, its tokens.
        ATTEMPT_SUCCEEDED = 5,
        /// Its number, its duration, its tokens, the number of its code, its flags, how long to wait (NaN).
        ATTEMPT_FAILED = 6,
        /// The number of the attempt that follows, the delay, whether the backoff drew it.
        RETRY_SCHEDULED = 7,
        /// A call waits in a queue.
        CALL_QUEUED = 8,
        /// A call ended: `SUCCEEDED` to `REFUSED`, the number of its code or layer, of its reason.
        CALL_ENDED = 9,
        /// 1 if a fallback succeeded.
        FALLBACK = 10,
        /// Calls were made within this one.
        OUTER = 11,
        /// The clock of a host has fractions of a millisecond.
        FINE_CLOCK = 12,
        /// Tokens that are not in the end of an attempt: the attempt's number, 0 for the last; how many.
        TOKENS_BESIDE = 13,
    }
}

numbers! {
    /// The kinds of rows that the runs of a log are taken down as, and what they have beside the common numbers.
    run_row: u32 {
        /// A run: the number of its other rules (-1), the number of its parent (-1).
        RUN_STARTED = 0,
        /// A step of the model.
        RUN_STEP = 1,
        /// A tool call: the number of its tool; the number of its code, -1 for a success, -2 if it was refused; how often in a row;
        /// whether it counts for repeats.
        RUN_TOOL = 2,
        /// A call of the run: its input tokens, its output tokens.
        RUN_TOKENS = 3,
        /// Recorded advice: the number of its rung, of the kind of loop (-1: a limit), the count, the number of the tool (-1).
        RUN_ADVISED = 4,
        /// Its end: how, input tokens, output tokens, cost, those of its children included.
        RUN_ENDED = 5,
    }
}

numbers! {
    /// The flags of an attempt that failed, in its row.
    failed: u32 {
        /// Another try can help.
        RETRYABLE = 1,
        /// It counted against the dependency.
        COUNTED = 2,
        /// The policy ended it: a timeout, or the loser of a hedge.
        BY_POLICY = 4,
    }
}

numbers! {
    /// The values of a row of the kind `CONTROL`.
    row_control: u32 {
        /// The breaker was isolated.
        ISOLATED = 0,
        /// An isolation was lifted.
        LIFTED = 1,
        /// The breaker was disabled.
        DISABLED = 2,
        /// The breaker was reset.
        RESET = 3,
        /// The provider reported its limit on requests.
        REQUESTS = 4,
        /// The provider reported its limit on tokens.
        TOKENS = 5,
    }
}

numbers! {
    /// How a call ended, in its row.
    call_ended: u32 {
        /// It succeeded.
        SUCCEEDED = 0,
        /// The consumer closed its stream early.
        CLOSED = 1,
        /// It failed.
        FAILED = 2,
        /// It was refused.
        REFUSED = 3,
    }
}
