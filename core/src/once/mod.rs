//! Acts that happen once: the record that processes share for one act, and every change that it may go through.
//!
//! A store keeps one [`Record`] for a key, and swaps it for the next one only if no process has changed it meanwhile
//! (compare-and-set on its version). This module decides what the next record is. It knows neither the store nor a clock:
//! `now` is the store's time, so the clocks of the processes may differ by any amount.
//!
//! ```
//! use halfopen::once::{next, step, Input, Owner, Step};
//!
//! let (mine, other) = (Owner(1), Owner(2));
//! // No process has acted: claim, for 30 seconds. The act may begin once the store has written it.
//! assert_eq!(step(None, mine, 0), Step::Claim);
//! let claimed = next(None, Input::Claim { owner: mine, lease: 30_000 }, 0)?;
//! assert_eq!(step(Some(&claimed), mine, 5), Step::Act);
//! // Another process waits for the result, and verifies once the lease is over: the act may have happened.
//! assert_eq!(step(Some(&claimed), other, 5), Step::Wait { left: 29_995 });
//! assert_eq!(step(Some(&claimed), other, 30_000), Step::Verify);
//! // The first one comes back with a result after all. It is kept, because the outcome is still unknown.
//! let done = next(Some(&claimed), Input::Done { owner: mine }, 40_000)?;
//! assert_eq!(step(Some(&done), other, 40_000), Step::Reuse);
//! # Ok::<(), halfopen::once::Refusal>(())
//! ```
//!
//! # The law
//!
//! For every key there is at most one act that is not known to have failed to happen. It rests on four rules:
//!
//! 1. A process begins its act only after it has read its own claim ([`Step::Act`]), and only before its lease is over by
//!    its own clock, counted from before it *sent* the claim. That moment is never later than the store's.
//! 2. A claim whose lease is over is not free: it is unknown. Only knowledge ends it, by the process that acted, by
//!    [`Input::Verified`] or by [`Input::Settled`].
//! 3. Each claim has an owner of its own. A process whose claim was lost on the way recognises it by that, and a late
//!    result never overwrites a later claim.
//! 4. A verification says "no" only of acts that are no longer under way. No store can make up for one that does not.
//!
//! `core/tests/once` checks the law over all interleavings of three processes that die, lose messages and are late.
//!
//! The npm package has these functions as `pkg/src/once/protocol.ts`, held to this module by `tests/vectors/once.json`:
//! they are a hundred lines of plain decisions, and the smallest WebAssembly module of the package takes 38 kB.

/// The claim's owner: a random number, new for each claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owner(pub u64);

/// The knowledge about an act. Times are the store's, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// How often the act was claimed.
    pub attempts: u32,
    /// Its place in the protocol.
    pub state: State,
}

/// Where an act is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// A process acts, or has ended before it could say how that went.
    Running {
        /// The claim.
        owner: Owner,
        /// When it was claimed.
        since: u64,
        /// When the lease ends, unless it is renewed.
        until: u64,
    },
    /// It may have happened.
    Unknown {
        /// The claim under which it may have happened, whose result is still welcome. `None`: the record was not readable.
        owner: Option<Owner>,
        /// When it was claimed.
        since: u64,
    },
    /// It surely did not happen. The next call may claim it.
    Failed,
    /// It happened. The store keeps its result beside this.
    Done,
}

/// A process's report of an act, or its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// It wants to act.
    Claim {
        /// The new claim.
        owner: Owner,
        /// How long it holds, in milliseconds.
        lease: u64,
    },
    /// It still acts.
    Renew {
        /// Its claim.
        owner: Owner,
        /// How long it holds from now on, in milliseconds.
        lease: u64,
    },
    /// It has acted.
    Done {
        /// Its claim.
        owner: Owner,
    },
    /// It has not acted, and never will under this claim.
    Failed {
        /// Its claim.
        owner: Owner,
    },
    /// It does not know whether it has acted.
    Unknown {
        /// Its claim.
        owner: Owner,
    },
    /// A look at the world: whether it has happened. `None`: the look does not say.
    Verified(Option<bool>),
    /// A person says whether it has happened.
    Settled(bool),
}

/// Why a record stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// Another claim has come, or somebody knows by now.
    #[error("the claim is no longer this one")]
    Lost,
    /// A process acts.
    #[error("a process carries it out at this moment")]
    Running,
    /// It may have happened.
    #[error("it may have happened")]
    Unknown,
    /// It has happened.
    #[error("it has happened")]
    Done,
    /// Nothing is unknown: it was never claimed, or surely did not happen.
    #[error("there is nothing to settle")]
    Nothing,
}

/// The next step of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Claim it.
    Claim,
    /// Act: the claim is this process's own, and holds.
    Act,
    /// Another process acts: look again, at the latest when its lease ends.
    Wait {
        /// Until then, in milliseconds.
        left: u64,
    },
    /// Find out whether it has happened.
    Verify,
    /// Return the result that is kept.
    Reuse,
}

/// Returns what a process with this claim does next. `now` is the store's time in milliseconds.
///
/// A claim of one's own whose lease is over is to be verified as anybody's: the process may have been stopped for long.
#[must_use]
pub fn step(record: Option<&Record>, own: Owner, now: u64) -> Step {
    match record.map(|record| record.state) {
        None | Some(State::Failed) => Step::Claim,
        Some(State::Done) => Step::Reuse,
        Some(State::Unknown { .. }) => Step::Verify,
        Some(State::Running { until, .. }) if until <= now => Step::Verify,
        Some(State::Running { owner, .. }) if owner == own => Step::Act,
        Some(State::Running { until, .. }) => Step::Wait { left: until - now },
    }
}

/// Returns the record after an input. `now` is the store's time in milliseconds.
///
/// # Errors
///
/// The record stays as it is, and why.
pub fn next(record: Option<&Record>, input: Input, now: u64) -> Result<Record, Refusal> {
    let attempts = record.map_or(0, |record| record.attempts);
    let state = record.map_or(State::Failed, |record| record.state);
    let state = match input {
        Input::Claim { owner, lease } => claimed(state, owner, lease, now)?,
        Input::Renew { owner, lease } => match state {
            State::Running { owner: of, since, .. } if of == owner => {
                State::Running { owner, since, until: now.saturating_add(lease) }
            }
            _ => return Err(Refusal::Lost),
        },
        Input::Done { owner } => held(state, owner).map(|_| State::Done)?,
        Input::Failed { owner } => held(state, owner).map(|_| State::Failed)?,
        Input::Unknown { owner } => {
            held(state, owner).map(|since| State::Unknown { owner: Some(owner), since })?
        }
        Input::Verified(happened) => known(state, happened, now)?,
        Input::Settled(happened) => known(state, Some(happened), now)?,
    };
    let claims = u32::from(matches!(input, Input::Claim { .. }));
    Ok(Record { attempts: attempts.saturating_add(claims), state })
}

fn claimed(state: State, owner: Owner, lease: u64, now: u64) -> Result<State, Refusal> {
    match state {
        State::Failed => Ok(State::Running { owner, since: now, until: now.saturating_add(lease) }),
        State::Done => Err(Refusal::Done),
        State::Running { until, .. } if until > now => Err(Refusal::Running),
        State::Running { .. } | State::Unknown { .. } => Err(Refusal::Unknown),
    }
}

/// Returns since when the claim holds. Its lease may be over: a late result counts until the act has another owner.
fn held(state: State, by: Owner) -> Result<u64, Refusal> {
    match state {
        State::Running { owner, since, .. } if owner == by => Ok(since),
        State::Unknown { owner: Some(owner), since } if owner == by => Ok(since),
        _ => Err(Refusal::Lost),
    }
}

fn known(state: State, happened: Option<bool>, now: u64) -> Result<State, Refusal> {
    let (owner, since) = match state {
        State::Failed => return Err(Refusal::Nothing),
        State::Done => return Err(Refusal::Done),
        State::Running { until, .. } if until > now => return Err(Refusal::Running),
        State::Running { owner, since, .. } => (Some(owner), since),
        State::Unknown { owner, since } => (owner, since),
    };
    Ok(match happened {
        Some(true) => State::Done,
        Some(false) => State::Failed,
        None => State::Unknown { owner, since },
    })
}
