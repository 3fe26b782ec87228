//! One event: its kind, its time and the client, call or attempt that it concerns, packed into 16 bytes.

use halfopen::invariant::Always;

/// The number of an event. Events due at the same time happen in the order in which they were scheduled. A waiting
/// frame keeps the token of its event, so an event with another token is out of date. 0 means no event.
pub(crate) type Token = u32;

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A client begins a call. Index: the client.
    Arrival = 0,
    /// A server has served a request. Index: the attempt.
    Served = 1,
    /// A delayed error arrives. Index: the attempt.
    Answered = 2,
    /// The wait before a retry is over. Index: the frame.
    Resume = 3,
    /// The policy's own rate limit admits the next call. Index: the turn, see `fleet`.
    Turn = 4,
    /// Faults begin, change or end.
    Fault = 5,
    /// An interval of the series is over.
    Interval = 6,
    /// The first timer of a row fires. Index: the row.
    Row = 7,
}

const KINDS: [Kind; 8] = [
    Kind::Arrival,
    Kind::Served,
    Kind::Answered,
    Kind::Resume,
    Kind::Turn,
    Kind::Fault,
    Kind::Interval,
    Kind::Row,
];

/// One event, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its time, in nanoseconds.
    pub(crate) at: u64,
    pub(crate) kind: Kind,
    pub(crate) index: u32,
    pub(crate) token: Token,
}

/// How many bits of an entry are the index. The largest scenarios have fewer clients and calls.
const INDEX_BITS: u32 = 28;

/// The time, and then token, kind and index in 64 bits: the lesser entry happens earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) at: u64,
    rest: u64,
}

impl Entry {
    #[inline]
    pub(super) fn new(at: u64, kind: Kind, index: u32, token: Token) -> Self {
        let rest = u64::from(token) << 32
            | u64::from(kind as u8) << INDEX_BITS
            | u64::from(index & ((1 << INDEX_BITS) - 1));
        Self { at, rest }
    }

    #[inline]
    pub(super) fn event(self) -> Event {
        let kind = (self.rest >> INDEX_BITS & 0xF) as usize;
        Event {
            at: self.at,
            kind: KINDS.get(kind).copied().unwrap_or(Kind::Interval),
            index: u32::try_from(self.rest & ((1 << INDEX_BITS) - 1)).always(),
            token: u32::try_from(self.rest >> 32).always(),
        }
    }

    /// Both halves as one number, which compares without a branch.
    #[inline]
    pub(super) const fn key(self) -> u128 {
        (self.at as u128) << 64 | self.rest as u128
    }
}
