//! The calls in progress: users' calls, their frames, and the frames' attempts.

use crate::event::Token;
use crate::random::Luck;
use halfopen::code::Code;
use halfopen::time::Millis;

// The rows of timers: one for users, three for each layer.

pub(super) const PATIENCE: usize = 0;
pub(super) const TIMERS: usize = 3;
pub(super) const TIMEOUT: usize = 0;
pub(super) const DEADLINE: usize = 1;
pub(super) const HEDGE: usize = 2;

pub(super) const fn row(layer: usize, timer: usize) -> usize {
    1 + layer * TIMERS + timer
}

/// No record.
pub(super) const NONE: u32 = u32::MAX;

/// A user's call.
#[derive(Debug, Default)]
pub(super) struct User {
    /// Its number among all calls, the same under every policy.
    pub(super) key: u64,
    pub(super) began: u64,
    /// The draws of its first request.
    pub(super) first: Luck,
    pub(super) client: u32,
    /// The number of requests that were sent for it.
    pub(super) sent: u32,
    pub(super) patience: Token,
    pub(super) has_left: bool,
}

/// A user's call in one layer.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) user: u32,
    /// The attempt of the outer layer that this frame carries out.
    pub(super) parent: u32,
    pub(super) layer: u32,
    pub(super) process: u32,
    pub(super) engine: u32,
    /// The engine's key.
    pub(super) call: u32,
    /// The latest attempt; the others follow by `next`.
    pub(super) attempts: u32,
    pub(super) hedges: u32,
    pub(super) state: State,
    pub(super) resume: Token,
    pub(super) deadline: Token,
    pub(super) last: Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Running,
    Waiting,
    Queued,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            user: NONE,
            parent: NONE,
            layer: 0,
            process: 0,
            engine: 0,
            call: 0,
            attempts: NONE,
            hedges: 0,
            state: State::Running,
            resume: 0,
            deadline: 0,
            last: Failed::of(Code::Unknown, None),
        }
    }
}

/// One attempt of a frame: a cache line.
#[derive(Debug)]
pub(super) struct Attempt {
    /// None once the caller has left.
    pub(super) frame: u32,
    /// The engine's number for it.
    pub(super) number: u32,
    /// The frame of the next layer.
    pub(super) child: u32,
    /// The attempt of the same frame that began before.
    pub(super) next: u32,
    /// Its service ends, or its answer arrives.
    pub(super) event: Token,
    pub(super) timeout: Token,
    pub(super) hedge: Token,
    pub(super) began: u64,
    pub(super) place: Place,
}

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// Not with the provider's servers.
    Elsewhere,
    /// In the queue, with its service time in milliseconds at the provider's normal speed.
    Queued(f64),
    /// In the queue, but cancelled.
    TakenBack,
    /// With a server since.
    Served(u64),
    /// On its way back.
    Answered(Failed),
}

impl Default for Attempt {
    fn default() -> Self {
        Self {
            frame: NONE,
            number: 0,
            child: NONE,
            next: NONE,
            event: 0,
            timeout: 0,
            hedge: 0,
            began: 0,
            place: Place::Elsewhere,
        }
    }
}

/// A failure, as the outer layer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) code: Code,
    /// Another policy has retried it.
    pub(super) nested: bool,
    /// The policy refused the call.
    pub(super) rejected: bool,
    /// An `Option` would take 8 bytes more.
    pub(super) has_hint: bool,
    pub(super) hint: Millis,
}

impl Failed {
    pub(super) fn of(code: Code, hint: Option<Millis>) -> Self {
        let has_hint = hint.is_some();
        Self { code, nested: false, rejected: false, has_hint, hint: hint.unwrap_or_default() }
    }

    pub(super) fn hint(&self) -> Option<Millis> {
        self.has_hint.then_some(self.hint)
    }
}

/// The next thing to do.
#[derive(Debug)]
pub(super) enum Next {
    /// The frame has entered its layer, and begins a call of its engine.
    Begin(u32),
    Reply(u32, Result<(), Failed>),
    Idle,
}
