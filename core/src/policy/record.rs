//! The events of calls, as small `Copy` records in a preallocated ring. Text is made at the edge.
//!
//! The engine writes a policy's records only while it is observed (one branch otherwise). Changes of breakers are
//! always written. A full ring drops the oldest record and counts it.

use super::breaker::{Change, Share};
use super::layer::Layer;
use super::limit::LimitChange;
use super::retry::{DelaySource, Why};
use crate::code::Code;
use crate::time::{Millis, Timestamp};
use std::collections::VecDeque;

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The driver's number for the policy.
    pub policy: u32,
    /// The policy's number for the call, counted from 1; 0 when it belongs to none.
    pub call: u64,
    /// When, on the policy's clock; none when the clock was not read.
    pub at: Option<Timestamp>,
    /// The event.
    pub fact: Fact,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A call was admitted, refused or queued next.
    CallStarted,
    /// The call waits for a slot or for its turn.
    CallQueued {
        /// The limit.
        by: Layer,
        /// 1 is next.
        position: u32,
        /// When its turn will come, if known.
        due: Option<Timestamp>,
    },
    /// The call's wait in the queue is over.
    CallDequeued,
    /// The operation is called.
    AttemptStarted {
        /// 1, 2, …
        attempt: u32,
        /// `true` for the breaker's probe.
        probe: bool,
        /// The breaker's generation; 0 without a breaker.
        generation: u64,
    },
    /// The operation answered.
    AttemptSucceeded {
        /// 1, 2, …
        attempt: u32,
        /// How long it took, if that was measured.
        duration: Option<Millis>,
    },
    /// The operation failed.
    AttemptFailed {
        /// 1, 2, …
        attempt: u32,
        /// How long it took, if that was measured.
        duration: Option<Millis>,
        /// The error's code.
        code: Code,
        /// `true` if it counted against the dependency.
        counted: bool,
        /// How long the provider asked to wait.
        hint: Option<Millis>,
    },
    /// It will be tried again.
    RetryScheduled {
        /// The attempt that the wait leads to.
        attempt: u32,
        /// How long.
        delay: Millis,
        /// When it is over.
        due: Timestamp,
        /// The shortest delay that could have been drawn.
        min: Millis,
        /// The longest.
        max: Millis,
        /// Where the delay comes from.
        source: DelaySource,
        /// Retries that the budget has left.
        budget_left: Option<u64>,
    },
    /// The call ended well.
    CallSucceeded {
        /// How often the operation was called.
        attempts: u32,
        /// How long it took, waits included, if that was measured.
        duration: Option<Millis>,
    },
    /// The consumer of a stream closed it early: the call succeeded, and the dependency is not judged.
    CallClosed {
        /// How often the operation was called.
        attempts: u32,
        /// How long it took, waits included, if that was measured.
        duration: Option<Millis>,
    },
    /// The call ended badly.
    CallFailed {
        /// How often the operation was called.
        attempts: u32,
        /// How long it took, waits included, if that was measured.
        duration: Option<Millis>,
        /// The last error's code.
        code: Code,
        /// Why it was not tried again.
        why: Why,
    },
    /// The call was refused here.
    CallRejected {
        /// By which layer.
        by: Layer,
        /// How long until it may be admitted, if that is known.
        retry_after: Option<Millis>,
        /// How often the operation had been called.
        attempts: u32,
    },
    /// A breaker changed.
    BreakerChanged {
        /// The driver's number for the breaker.
        breaker: u32,
        /// How.
        change: Change,
    },
    /// The adaptive limit changed: at most once a second.
    LimitChanged(LimitChange),
    /// A closed breaker refused a call because of a throttle or a ramp. Written at most once a second.
    BreakerThrottled {
        /// The driver's number for the breaker.
        breaker: u32,
        /// The share of calls that it refuses.
        rate: Share,
    },
}

/// The last records, oldest first, and how many were dropped unread.
///
/// ```
/// use halfopen::policy::{Fact, Record, Ring};
/// let mut ring = Ring::with_capacity(1);
/// for call in 1..=3 {
///     ring.push(Record { policy: 1, call, at: None, fact: Fact::CallStarted });
/// }
/// assert_eq!(ring.take_dropped(), 2);
/// assert_eq!(ring.pop().map(|record| record.call), Some(3));
/// ```
#[derive(Clone, Debug)]
pub struct Ring {
    records: VecDeque<Record>,
    capacity: usize,
    dropped: u64,
}

impl Default for Ring {
    /// Room for 1024 records.
    fn default() -> Self {
        Self::new()
    }
}

impl Ring {
    /// A ring for 1024 records.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_capacity(1024)
    }

    /// Creates a ring for `capacity` records, at least 1. The memory is allocated at the first record, then kept.
    #[must_use]
    pub const fn with_capacity(capacity: usize) -> Self {
        Self { records: VecDeque::new(), capacity: if capacity == 0 { 1 } else { capacity }, dropped: 0 }
    }

    /// Adds the newest.
    pub fn push(&mut self, record: Record) {
        if self.records.capacity() == 0 {
            self.records.reserve_exact(self.capacity);
        }
        if self.records.len() >= self.capacity {
            self.records.pop_front();
            self.dropped = self.dropped.saturating_add(1);
        }
        self.records.push_back(record);
    }

    /// Takes the oldest.
    pub fn pop(&mut self) -> Option<Record> {
        self.records.pop_front()
    }

    /// Returns `true` if there is nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many records wait to be read.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns how many were dropped since the last call of this.
    pub fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }
}
