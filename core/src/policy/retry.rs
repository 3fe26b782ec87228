//! The retry decision after a failed attempt: whether to try again, and when.

use super::backoff::{Backoff, Delay};
use crate::code::{Code, ErrorType};
use crate::rng::SplitMix64;
use crate::time::{Millis, Timestamp};

/// The errors that are retried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "Vec<String>")]
pub enum RetryOn {
    /// Those that their classification says are worth it.
    #[default]
    Classification,
    /// A complete list: what it does not name is not retried.
    List {
        /// Codes, a bit for each [`Code::index`]: retried even where they would not be.
        codes: u32,
        /// Types, a bit for each [`ErrorType`] in declaration order: their retryable errors are retried.
        types: u8,
    },
}

impl TryFrom<Vec<String>> for RetryOn {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        Self::from_names(names.iter().map(String::as_str)).map_err(|got| format!("unknown name '{got}'"))
    }
}

impl RetryOn {
    /// The list of these types.
    #[must_use]
    pub const fn types(types: &[ErrorType]) -> Self {
        let (mut bits, mut rest) = (0, types);
        while let [kind, more @ ..] = rest {
            bits |= 1 << *kind as u8;
            rest = more;
        }
        Self::List { codes: 0, types: bits }
    }

    /// Makes a list from names of codes or types. A name that is neither is returned as the error. So are 'unknown' and
    /// 'validation': they have no retryable code, and the list would silently retry nothing.
    ///
    /// # Errors
    /// The first name that is neither.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, &'a str> {
        let (mut codes, mut types) = (0, 0);
        for name in names {
            if let Some(code) = Code::from_name(name) {
                codes |= 1 << code.index();
            } else if let Some(kind) = TYPES.iter().find(|kind| kind.as_str() == name) {
                types |= 1 << *kind as u8;
            } else {
                return Err(name);
            }
        }
        Ok(Self::List { codes, types })
    }

    /// Returns `true` if an error of this code is retried. `retryable` is its classification's verdict.
    #[must_use]
    pub const fn allows(self, code: Code, retryable: bool) -> bool {
        match self {
            Self::Classification => retryable,
            Self::List { codes, types } => {
                codes & (1 << code.index()) != 0 || (retryable && types & (1 << code.error_type() as u8) != 0)
            }
        }
    }
}

/// The types that a list can have: those with a retryable code, now or later.
const TYPES: [ErrorType; 4] =
    [ErrorType::Timeout, ErrorType::ToolFailed, ErrorType::LlmFailed, ErrorType::Network];

/// A policy's retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryConfig {
    /// How many retries follow the first attempt at most.
    pub max_retries: u32,
    /// How long they wait.
    pub backoff: Backoff,
    /// The errors that are retried.
    pub retry_on: RetryOn,
    /// `true` if errors that another policy gave up on are retried again.
    pub retry_nested: bool,
    /// A longer hint ends the call.
    pub max_retry_after: Millis,
    /// An alternative is ready that may answer sooner. A longer wait than this ends the call, and so does a timeout,
    /// which has cost the caller a whole attempt already.
    pub switch_after: Option<Millis>,
}

impl Default for RetryConfig {
    /// Three retries with the default backoff, hints up to a minute.
    fn default() -> Self {
        Self {
            max_retries: 3,
            backoff: Backoff::default(),
            retry_on: RetryOn::default(),
            retry_nested: false,
            max_retry_after: Millis(60_000),
            switch_after: None,
        }
    }
}

/// The application's own decision on a single failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It had none: the list or the classification decides.
    #[default]
    Unasked,
    /// Retry it.
    Retry,
    /// Don't.
    Stop,
}

/// The source of the wait before a retry, if the provider stated none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnDelay {
    /// The policy's backoff.
    #[default]
    None,
    /// The application, which the driver calls if a retry may follow: see [`Step::NeedDelay`](super::Step::NeedDelay).
    Wanted,
    /// The application, and this is its delay.
    Given(Millis),
}

/// The driver's changes to the request of the next attempt, according to the error's remedy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repair {
    /// It would send the same.
    #[default]
    None,
    /// Not known yet: the driver changes the request now, and then passes the same failure again. Until then the
    /// attempt is over, but nothing is decided.
    Pending,
    /// Another request is ready. It is sent at once, even if the error is not worth a retry, and does not count towards
    /// `max_retries`.
    Made,
}

/// A failed attempt, as the engine needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The error's code.
    pub code: Code,
    /// `true` if the classification says that a retry can help.
    pub retryable: bool,
    /// `true` if it counts against the dependency.
    pub counts: bool,
    /// `true` if another policy has retried it already and given up.
    pub nested: bool,
    /// The application's decision (`retryOn` as a function).
    pub verdict: Verdict,
    /// The operation may have reached the provider, and must not be repeated then.
    pub sent_and_not_idempotent: bool,
    /// Chunks were delivered already, and the stream can neither continue nor restart.
    pub broken_stream: bool,
    /// How long the provider asked to wait.
    pub hint: Option<Millis>,
    /// The application's delay before the retry (`backoff` as a function).
    pub own_delay: OwnDelay,
    /// The number of the attempt, if several run.
    pub attempt: Option<u32>,
    /// How long the attempt took.
    pub duration: Option<Millis>,
    /// Repairs of the request that the next attempt sends.
    pub repair: Repair,
}

impl Failure {
    /// Returns `true` if the provider is overloaded now. A 503 counts only if it says when to come back, because other
    /// servers use it for any failure. A rate limit that is full for more than a second does not count, because fewer
    /// concurrent calls do not refill it sooner.
    #[must_use]
    pub const fn is_overload(&self) -> bool {
        match self.code {
            Code::ProviderOverloaded | Code::Timeout => true,
            Code::RateLimited => match self.hint {
                Some(Millis(ms)) => ms <= 1000,
                None => true,
            },
            Code::ServerError => self.hint.is_some(),
            _ => false,
        }
    }

    /// A failure of which no more is known than its code.
    ///
    /// ```
    /// use halfopen::{Code, policy::Failure};
    /// assert!(Failure::of(Code::Timeout).retryable);
    /// assert!(!Failure::of(Code::Cancelled).counts);
    /// ```
    #[must_use]
    pub const fn of(code: Code) -> Self {
        Self {
            code,
            retryable: code.is_retryable(),
            counts: code.counts_as_failure(),
            nested: false,
            verdict: Verdict::Unasked,
            sent_and_not_idempotent: false,
            broken_stream: false,
            hint: None,
            own_delay: OwnDelay::None,
            attempt: None,
            duration: None,
            repair: Repair::None,
        }
    }

    /// Returns `true` if the caller aborted.
    #[must_use]
    pub const fn is_cancelled(&self) -> bool {
        matches!(self.code, Code::Cancelled)
    }
}

/// Why a call ended without success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Why {
    /// Another try would not help.
    NotRetryable = 0,
    /// All retries were used, or a failover goes on.
    Exhausted = 1,
    /// The provider asked for a longer wait than allowed.
    Hint = 2,
    /// The wait would not end before the deadline.
    Deadline = 3,
    /// The budget had no retry left.
    Budget = 4,
    /// Another policy had given up on it already.
    Nested = 5,
    /// The caller aborted.
    Cancelled = 6,
    /// A stream broke after chunks were delivered.
    BrokenStream = 7,
}

impl Why {
    /// Every reason, by its number.
    pub const ALL: [Self; 8] = [
        Self::NotRetryable,
        Self::Exhausted,
        Self::Hint,
        Self::Deadline,
        Self::Budget,
        Self::Nested,
        Self::Cancelled,
        Self::BrokenStream,
    ];

    /// The reason of that number.
    #[must_use]
    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    /// Returns the name in events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotRetryable => "not-retryable",
            Self::Exhausted => "exhausted",
            Self::Hint => "hint",
            Self::Deadline => "deadline",
            Self::Budget => "budget",
            Self::Nested => "nested",
            Self::Cancelled => "cancelled",
            Self::BrokenStream => "broken-stream",
        }
    }
}

/// Where a delay comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DelaySource {
    /// Drawn by the policy's backoff.
    Backoff = 0,
    /// Asked for by the provider, and kept exactly.
    RetryAfter = 1,
}

impl DelaySource {
    /// Every source, by its number.
    pub const ALL: [Self; 2] = [Self::Backoff, Self::RetryAfter];

    /// The name in events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Backoff => "backoff",
            Self::RetryAfter => "retry-after",
        }
    }
}

/// A wait that may begin, if the budget agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How long, and the band it was drawn from.
    pub delay: Delay,
    /// When it is over.
    pub due: Timestamp,
    /// Where the delay comes from.
    pub source: DelaySource,
}

impl RetryConfig {
    /// Decides whether and when retry `attempt` (1 is the first) follows a failed attempt. `previous` is the last delay of the
    /// backoff.
    ///
    /// # Errors
    /// Why there will be none.
    pub fn decide(
        &self,
        failure: &Failure,
        attempt: u32,
        previous: Millis,
        now: Timestamp,
        deadline: Option<Timestamp>,
        rng: &mut SplitMix64,
    ) -> Result<Plan, Why> {
        // If the deadline itself cut the attempt off, it is the reason, whatever else would have ended the call.
        if failure.code == Code::Timeout && deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Why::Deadline);
        }
        self.permits(failure, attempt)?;
        if failure.repair == Repair::Made {
            let at_once =
                Plan { delay: Delay::exactly(Millis::ZERO), due: now, source: DelaySource::Backoff };
            return if deadline.is_some_and(|deadline| now >= deadline) {
                Err(Why::Deadline)
            } else {
                Ok(at_once)
            };
        }
        let (delay, source) = match failure.hint {
            // The provider requested this wait: never retry early, and never wait longer than allowed.
            Some(hint) if hint > self.max_retry_after => return Err(Why::Hint),
            Some(hint) => (Delay::exactly(hint), DelaySource::RetryAfter),
            None => match failure.own_delay {
                OwnDelay::Given(own) => (Delay::exactly(own.min(self.backoff.cap)), DelaySource::Backoff),
                _ => (self.backoff.delay(attempt, previous, rng), DelaySource::Backoff),
            },
        };
        if self.switch_after.is_some_and(|most| delay.delay > most) {
            return Err(if source == DelaySource::RetryAfter { Why::Hint } else { Why::Exhausted });
        }
        let due = now + delay.delay;
        if deadline.is_some_and(|deadline| due >= deadline) {
            return Err(Why::Deadline);
        }
        Ok(Plan { delay, due, source })
    }

    /// Returns `true` if the application decides the delay before the retry, and has not done so yet.
    pub(crate) fn needs_delay(&self, failure: &Failure, attempt: u32) -> bool {
        failure.own_delay == OwnDelay::Wanted
            && failure.repair == Repair::None
            && failure.hint.is_none()
            && self.permits(failure, attempt).is_ok()
    }

    fn permits(&self, failure: &Failure, attempt: u32) -> Result<(), Why> {
        let wanted = match failure.verdict {
            Verdict::Retry => true,
            Verdict::Stop => false,
            Verdict::Unasked => self.retry_on.allows(failure.code, failure.retryable),
        };
        if failure.is_cancelled() {
            Err(Why::Cancelled)
        } else if failure.broken_stream {
            Err(Why::BrokenStream)
        } else if failure.sent_and_not_idempotent {
            Err(Why::NotRetryable)
        } else if failure.repair == Repair::Made {
            Ok(())
        } else if failure.nested && !self.retry_nested {
            Err(Why::Nested)
        } else if !wanted {
            Err(Why::NotRetryable)
        } else if attempt > self.max_retries || (self.switch_after.is_some() && failure.code == Code::Timeout)
        {
            Err(Why::Exhausted)
        } else {
            Ok(())
        }
    }
}
