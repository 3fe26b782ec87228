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
//! - If a timeout cut an attempt off and the other policy waits longer, the attempt continues like the longer ones near
//!   it. Without a longer one it hangs.
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
pub use self::tally::{Ended, NAMES, Sums};

use self::pass::Pass;
use self::recorded::{Call, End, Outcome};
use self::tally::{Prices, Tally};
use self::under::Under;
use self::world::World;
use crate::scenario::LabPolicy;
use halfopen::policy::Why;

/// A replay of a log: once under its own policies, then under the others with each seed.
#[derive(Debug)]
pub struct Replay {
    world: World,
    seeds: u32,
    prices: Prices,
    before: Tally,
    /// `true` until the pass under the recorded policies has ended.
    is_own: bool,
    identity: f64,
    pass: Pass,
    /// The sums of each finished seed.
    after: Vec<Sums>,
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
}

impl Replay {
    /// Creates a replay of the recorder's rows. `recorded` are the original policies, and `other` the ones that replace
    /// them, by the number of their settings.
    #[must_use]
    pub fn new(recorder: Recorder, recorded: Vec<LabPolicy>, other: Vec<LabPolicy>, seeds: u32) -> Self {
        let world = World::new(recorder.history, recorded, other);
        let before = before(&world);
        let pass = Pass::new(Under { world: &world, is_own: true }, 0);
        Self {
            world,
            seeds: seeds.max(1),
            prices: Prices::default(),
            before,
            is_own: true,
            identity: 0.0,
            pass,
            after: Vec::new(),
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
        if self.after.len() >= self.seeds as usize {
            return true;
        }
        let under = Under { world: &self.world, is_own: self.is_own };
        if !self.pass.advance(under, events) {
            return false;
        }
        if self.is_own {
            self.is_own = false;
            self.identity = identity(&self.world, &self.pass);
        } else {
            if self.after.is_empty() {
                self.changed = changed(&self.world, &self.pass);
            }
            self.after.push(self.pass.tally.sums(span(&self.world), self.prices));
            if self.pass.drawn == 0 {
                // Nothing was drawn, so every seed would have the same result.
                self.seeds = 1;
            }
            if self.after.len() >= self.seeds as usize {
                return true;
            }
        }
        let under = Under { world: &self.world, is_own: false };
        self.pass = Pass::new(under, self.after.len() as u64);
        false
    }

    /// Returns the progress, from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for a progress bar")]
    pub fn share(&self) -> f64 {
        let ended = self.after.len();
        if ended >= self.seeds as usize {
            return 1.0;
        }
        let passes = ended as f64 + f64::from(!self.is_own) + self.pass.share(&self.world);
        passes / (f64::from(self.seeds) + 1.0)
    }

    /// Returns the share of recorded calls that the recorded policies reproduce: the same end for the same reason after
    /// the same number of attempts. 0 before that is known.
    #[must_use]
    pub const fn identity(&self) -> f64 {
        self.identity
    }

    /// Returns the sums of the log itself.
    #[must_use]
    pub fn before(&self) -> Sums {
        self.before.sums(span(&self.world), self.prices)
    }

    /// Returns the sums of each seed; only of the first if nothing was drawn.
    #[must_use]
    pub fn after(&self) -> &[Sums] {
        &self.after
    }

    /// Returns the attempts that a timeout cut off in the log and that have more time under the other policies, by the
    /// timeout. Their results are drawn from longer attempts near them. Without a longer one they hang.
    #[must_use]
    pub fn censored(&self) -> Vec<Censored> {
        censored::censored(&self.world)
    }

    /// Returns the calls that end in another way with the first seed.
    #[must_use]
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }
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

/// Returns the share of calls that ended as in the log.
#[expect(clippy::cast_precision_loss, reason = "counts of calls")]
fn identity(world: &World, pass: &Pass) -> f64 {
    let (mut same, mut all) = (0_u64, 0_u64);
    for (number, call) in (0..).zip(&world.history.calls) {
        let Some(before) = recorded(world, call) else { continue };
        all += 1;
        same += u64::from(pass.result(number).is_some_and(|(after, _)| after.is_as(&before)));
    }
    if all == 0 { 1.0 } else { same as f64 / all as f64 }
}

fn changed(world: &World, pass: &Pass) -> Vec<Changed> {
    let mut all = Vec::new();
    for (number, call) in (0..).zip(&world.history.calls) {
        let Some(before) = recorded(world, call) else { continue };
        let after = pass.result(number);
        if after.is_none_or(|(after, _)| !after.is_as(&before)) {
            let modelled = after.is_some_and(|(_, modelled)| modelled);
            all.push(Changed { call: number, before, after: after.map(|(after, _)| after), modelled });
        }
    }
    all
}

/// Returns the tally of the log itself.
fn before(world: &World) -> Tally {
    let mut tally = Tally::new();
    for call in &world.history.calls {
        let Some(ended) = recorded(world, call) else { continue };
        for attempt in world.history.attempts_of(call) {
            tally.tokens += u64::from(attempt.tokens);
            tally.attempts += u64::from(!call.is_outer && attempt.begun.is_some());
            let end = attempt.ended.or(call.end.map(|end| end.moment));
            if let (true, Some(since), Some(end)) = (is_wasted(attempt.result, call), attempt.begun, end) {
                tally.wasted += end.at.saturating_sub(since.at);
            }
        }
        if !call.is_inner {
            tally.ended(&ended);
        }
    }
    tally
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
