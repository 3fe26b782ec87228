//! Replay: runs a recorded log under other policies, to answer "what if".
//!
//! A log has one call whose only attempt failed with a network error after 90 ms. How would it have ended with a fallback?
//!
//! ```
//! use halfopen::Code;
//! use halfopen_lab::{LabPolicy, Recorder, Replay, row};
//! use halfopen::policy::RetryConfig;
//! let network = f64::from(Code::NetworkError.index());
//! let mut recorder = Recorder::default();
//! for [kind, time, a, b, c, d, e, f] in [
//!     [f64::from(row::HOST), 0.0, 1.0, 1.0, -1.0, 0.0, 0.0, 0.0],
//!     [f64::from(row::CALL_STARTED), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
//!     [f64::from(row::ATTEMPT_STARTED), 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
//!     [f64::from(row::ATTEMPT_FAILED), 90.0, 1.0, 90.0, 0.0, network, 1.0, f64::NAN],
//!     [f64::from(row::CALL_ENDED), 90.0, 2.0, network, 1.0, 0.0, 0.0, 0.0],
//! ] {
//!     recorder.rows(&[kind, 0.0, time, 0.0, a, b, c, d, e, f]);
//! }
//! let recorded = LabPolicy::new(RetryConfig { max_retries: 0, ..RetryConfig::default() }, None);
//! let other = LabPolicy { fallback: true, ..recorded.clone() };
//! let mut replay = Replay::new(recorder, vec![recorded], vec![other], 30);
//! while !replay.advance(10_000) {}
//! assert_eq!(replay.identity(), 1.0);
//! let changed = &replay.changed()[0];
//! assert!(!changed.before.fell_back && changed.after.is_some_and(|after| after.fell_back));
//! ```
//!
//! Under its own policy the log reproduces its outcome ([`Replay::identity`] is 1). Under the other one, the same call ends with
//! the fallback.
//!
//! # Rules
//!
//! - Calls arrive at their recorded times. A call within a call arrives when it did, and its result changes nothing for the call
//!   around it.
//! - An attempt is the recorded one if it begins within the model's window around the recorded time, and gets the recorded result.
//! - An attempt that never happened gets a drawn result: that of a recorded attempt near its time (`model`). Many seeds are drawn,
//!   so the sums have a range.
//! - If a timeout cut an attempt off and the other policy waits longer, the attempt continues like one that is known to have
//!   lasted longer. Without one the log cannot tell: each seed runs twice, once with such attempts unanswered and once with an
//!   answer at once. Between the two lie the sums.
//!
//! # Reasons
//!
//! - Users call as they did, and the provider does not react: fewer requests make it no faster, more requests no slower. A log
//!   shows neither reaction, so a model of it would be invented.
//! - `identity` comes first, because a replay that cannot reproduce the log under its own policies says nothing about other ones.
//! - The caller reads the lines and records them as rows of numbers ([`Recorder`]). A reader of lines would be a third of the lab's
//!   module, which a page loads, and JavaScript has a JSON parser.

mod censored;
mod host;
mod model;
mod order;
mod pass;
mod recorded;
mod recorder;
mod rows;
mod runs;
mod tally;
mod under;
mod world;

pub use self::censored::{Censored, CutBy};
pub use self::recorded::How;
pub use self::recorder::{ROW, Recorder};
pub use self::rows::{call_ended, failed, row, row_control, run_row};
pub use self::runs::{ReplayedRun, RunRecorder, Stop};
pub use self::tally::{Ended, NAMES, Sums, Unknown};

use self::pass::{Otherwise, Pass};
use self::recorded::{Call, End, Outcome};
use self::tally::{Prices, Tallies};
use self::under::Under;
use self::world::World;
use crate::scenario::LabPolicy;
use halfopen::invariant::Always;
use halfopen::policy::Why;

/// A replay of a log: once under its own policies, then under the others with each seed.
#[derive(Debug)]
pub struct Replay {
    world: World,
    seeds: u32,
    prices: Prices,
    before: Tallies,
    /// `true` until the pass under the recorded policies has ended.
    is_own: bool,
    /// Of all calls, then of those of each policy.
    identity: Vec<f64>,
    pass: Pass,
    seed: u32,
    has_drawn: bool,
    /// The sums of each finished pass: of all calls, then of those of each policy.
    after: Vec<Vec<Sums>>,
    /// `true` for a pass whose unknown attempts were answered at once. The one before has the same seed.
    answered: Vec<bool>,
    /// The most of a pass, in the order of the sums.
    unknown: Vec<Unknown>,
    changed: Vec<Changed>,
}

/// A call that ends in another way than it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Changed {
    /// Its number.
    pub call: u32,
    /// How it ended in the log.
    pub before: Ended,
    /// How it ended with the first seed; `None` if it had not when the log ended.
    pub after: Option<Ended>,
    /// `true` if it had an attempt that never happened.
    pub modelled: bool,
    /// `true` if it had an attempt of which the log cannot tell. `after` is then its end if that is never answered.
    pub unknown: bool,
}

impl Replay {
    /// Creates a replay of the recorder's rows. `recorded` are the original policies, and `other` the ones that replace
    /// them, by the number of their settings.
    #[must_use]
    pub fn new(recorder: Recorder, recorded: Vec<LabPolicy>, other: Vec<LabPolicy>, seeds: u32) -> Self {
        let world = World::new(recorder.history, recorded, other);
        let before = before(&world);
        let pass = Pass::new(Under { world: &world, is_own: true }, 0, Otherwise::Hang);
        let unknown = vec![Unknown::default(); before.of.len() + 1];
        Self {
            world,
            seeds: seeds.max(1),
            prices: Prices::default(),
            before,
            is_own: true,
            identity: Vec::new(),
            pass,
            seed: 0,
            has_drawn: false,
            after: Vec::new(),
            answered: Vec::new(),
            unknown,
            changed: Vec::new(),
        }
    }

    /// Sets the cost of an attempt and of a token.
    #[must_use]
    pub const fn priced(mut self, per_attempt: f64, per_token: f64) -> Self {
        self.prices = Prices { per_attempt, per_token };
        self
    }

    /// Processes up to `events` events. Returns `true` once the replay has ended.
    pub fn advance(&mut self, events: u64) -> bool {
        if self.seed >= self.seeds {
            return true;
        }
        let under = Under { world: &self.world, is_own: self.is_own };
        if !self.pass.advance(under, events) {
            return false;
        }
        let otherwise = if self.is_own {
            self.is_own = false;
            self.identity = identity(&self.world, &self.pass);
            Otherwise::Hang
        } else {
            self.next_otherwise()
        };
        if self.seed >= self.seeds {
            return true;
        }
        let under = Under { world: &self.world, is_own: false };
        self.pass = Pass::new(under, u64::from(self.seed), otherwise);
        false
    }

    /// Keeps the results of the pass. Returns the end of unknown attempts in the next one.
    fn next_otherwise(&mut self) -> Otherwise {
        if self.after.is_empty() {
            self.changed = changed(&self.world, &self.pass);
        }
        let tallies = &self.pass.tallies;
        self.after.push(tallies.sums(span(&self.world), self.prices));
        self.answered.push(!self.pass.is_hanging());
        self.has_drawn |= self.pass.drawn > 0;
        for (most, unknown) in self.unknown.iter_mut().zip(tallies.unknown()) {
            most.attempts = most.attempts.max(unknown.attempts);
            most.calls = most.calls.max(unknown.calls);
        }
        if self.pass.is_hanging() && tallies.all.unknown > 0 {
            return Otherwise::Answered;
        }
        self.seed += 1;
        if !self.has_drawn {
            // Nothing was drawn, so every seed would have the same result.
            self.seeds = 1;
        }
        Otherwise::Hang
    }

    /// Returns the progress, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.seed >= self.seeds {
            return 1.0;
        }
        let share = self.pass.share(&self.world);
        // A seed may take two passes.
        let passes = match (self.is_own, self.pass.is_hanging()) {
            (true, _) => share,
            (false, true) => 1.0 + share / 2.0,
            (false, false) => 1.5 + share / 2.0,
        };
        (f64::from(self.seed) + passes) / (f64::from(self.seeds) + 1.0)
    }

    /// Returns the share of recorded calls that the recorded policies reproduce: the same end for the same reason after
    /// the same number of attempts. A call does not count as reproduced if a timeout cut off an attempt of it that has more
    /// time under the other policies. 0 before that is known.
    #[must_use]
    pub fn identity(&self) -> f64 {
        self.identity_of(None).unwrap_or(0.0)
    }

    /// Returns the same for the calls of a policy, by the number of its name; without one, of all calls. `None` for a policy
    /// that the log does not have, or beyond the first hundred.
    #[must_use]
    pub fn identity_of(&self, policy: Option<u32>) -> Option<f64> {
        self.identity.get(place(policy)).copied()
    }

    /// Returns the sums of the log itself.
    #[must_use]
    pub fn before(&self) -> Sums {
        self.before_of(None).always()
    }

    /// Returns the sums of a policy's calls in the log; `None` as in [`Self::identity_of`].
    #[must_use]
    pub fn before_of(&self, policy: Option<u32>) -> Option<Sums> {
        self.before.sums(span(&self.world), self.prices).get(place(policy)).copied()
    }

    /// Returns the sums of each pass: one for each seed, two for one with attempts of which the log cannot tell, and only of
    /// the first seed if nothing was drawn.
    #[must_use]
    pub fn after(&self) -> Vec<Sums> {
        self.after_of(None)
    }

    /// Returns the same for the calls of a policy; empty for one that has no sums of its own.
    #[must_use]
    pub fn after_of(&self, policy: Option<u32>) -> Vec<Sums> {
        self.after.iter().filter_map(|sums| sums.get(place(policy)).copied()).collect()
    }

    /// Returns for each pass whether the attempts of which the log cannot tell were answered at once in it. The pass before
    /// it has the same seed and no answer to them.
    #[must_use]
    pub fn answered(&self) -> &[bool] {
        &self.answered
    }

    /// Returns the attempts of which the log cannot tell, of a policy or of all: the most that a pass had. `None` as in
    /// [`Self::identity_of`].
    #[must_use]
    pub fn unknown_of(&self, policy: Option<u32>) -> Option<Unknown> {
        self.unknown.get(place(policy)).copied()
    }

    /// Returns the attempts that a timeout cut off in the log and that have more time under the other policies, by policy
    /// and timeout. Their results are drawn from attempts that lasted longer. Without one the log cannot tell.
    #[must_use]
    pub fn censored(&self) -> Vec<Censored> {
        censored::censored(&self.world)
    }

    /// Returns the calls that end in another way with the first seed, or of which the log cannot tell.
    #[must_use]
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }
}

/// The place of a policy behind the sums of all.
fn place(policy: Option<u32>) -> usize {
    policy.map_or(0, |policy| policy as usize + 1)
}

fn span(world: &World) -> u64 {
    world.history.span.map_or(0, |(from, to)| to - from)
}

/// Returns how a call ended in the log; `None` if the log does not have its beginning or its end.
fn recorded(world: &World, call: &Call) -> Option<Ended> {
    let (begun, end) = (call.begun?, call.end?);
    let attempts = world.history.attempts_of(call).filter(|attempt| attempt.begun.is_some()).count();
    let at = call.fallback.map_or(end.moment.at, |(moment, _)| moment.at);
    Some(Ended {
        how: end.how,
        attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
        fell_back: call.fallback.is_some_and(|(_, answered)| answered),
        took: at.saturating_sub(begun.at),
    })
}

/// Returns the share of calls that ended as in the log: of all, then of each policy.
#[expect(clippy::cast_precision_loss, reason = "counts of calls")]
fn identity(world: &World, pass: &Pass) -> Vec<f64> {
    let mut counts = vec![(0_u64, 0_u64); pass.tallies.of.len() + 1];
    for (number, call) in (0..).zip(&world.history.calls) {
        let Some(before) = recorded(world, call) else { continue };
        let is_same = pass.result(number).is_some_and(|after| after.is_as(&before))
            && censored::censored_of(world, call).next().is_none();
        for place in [place(None), place(Some(world.history.policy_of(call)))] {
            if let Some((same, all)) = counts.get_mut(place) {
                *all += 1;
                *same += u64::from(is_same);
            }
        }
    }
    counts.into_iter().map(|(same, all)| if all == 0 { 1.0 } else { same as f64 / all as f64 }).collect()
}

fn changed(world: &World, pass: &Pass) -> Vec<Changed> {
    let mut all = Vec::new();
    for (call, recording) in (0..).zip(&world.history.calls) {
        let Some(before) = recorded(world, recording) else { continue };
        let (after, unknown) = (pass.result(call), pass.is_unknown(call));
        if unknown || after.is_none_or(|after| !after.is_as(&before)) {
            let modelled = after.is_some() && pass.is_modelled(call);
            all.push(Changed { call, before, after, modelled, unknown });
        }
    }
    all
}

/// Returns the tallies of the log itself.
fn before(world: &World) -> Tallies {
    let mut tallies = Tallies::new(world.history.policies);
    for call in &world.history.calls {
        let Some(ended) = recorded(world, call) else { continue };
        let policy = world.history.policy_of(call);
        for attempt in world.history.attempts_of(call) {
            if attempt.begun.is_some() {
                tallies.attempt(policy, call.is_outer);
            }
            let end = attempt.ended.or(call.end.map(|end| end.moment));
            let wasted = match (is_wasted(attempt.result, call), attempt.begun, end) {
                (true, Some(since), Some(end)) => end.at.saturating_sub(since.at),
                _ => 0,
            };
            tallies.each(policy, |tally| {
                tally.tokens += u64::from(attempt.tokens);
                tally.wasted += wasted;
            });
        }
        tallies.ended(policy, &ended, call.is_inner);
    }
    tallies
}

/// Returns `true` if an attempt was cut off.
fn is_wasted(result: Outcome, call: &Call) -> bool {
    match result {
        Outcome::Failed(failed) => failed.is_cut,
        Outcome::Succeeded => false,
        Outcome::Open => {
            matches!(call.end, Some(End { how: How::Failed { why: Why::Cancelled, .. }, .. }))
        }
    }
}
