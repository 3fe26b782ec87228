//! What-if replay: a recorded log under other policies.
//!
//! The calls of the log arrive as they did. Attempts that were recorded come to what they came to; attempts that never happened
//! are drawn from what came of others near their time (`model`), with many seeds, so that sums have a band. Under its
//! own policies a log gives back its own outcomes ([`Replay::identity`]).
//!
//! Lines are read outside, and taken down as rows of numbers ([`Recorder`]): the reader of lines would take a third of the
//! lab's module, which a page loads, and JavaScript reads JSON by itself.
//!
//! # What is assumed
//!
//! - Users call as they did, whatever became of their calls before. A call within a call arrives when it did, and what becomes
//!   of it changes nothing for the call around it.
//! - The provider does not feel the difference: fewer requests make it no faster, more no slower.
//! - An attempt is the recorded one if it begins within the model's window around it; one that a timeout cut off goes on as
//!   those near it did that took longer, or hangs where there is none.
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

mod censored;
mod host;
mod model;
mod order;
mod pass;
mod recorded;
mod recorder;
mod rows;
mod tally;
mod under;
mod world;

pub use self::censored::{Censored, CutBy};
pub use self::recorded::How;
pub use self::recorder::{ROW, Recorder};
pub use self::rows::{call_ended, failed, row, row_control};
pub use self::tally::{Ended, NAMES, Sums};

use self::pass::Pass;
use self::recorded::{Call, End, Outcome};
use self::tally::{Prices, Tally};
use self::under::Under;
use self::world::World;
use crate::scenario::LabPolicy;
use halfopen::policy::Why;

/// A replay of a log: once under its own policies, then under others with each seed.
#[derive(Debug)]
pub struct Replay {
    world: World,
    seeds: u32,
    prices: Prices,
    before: Tally,
    /// Under the recorded policies, until that has ended.
    is_own: bool,
    identity: f64,
    pass: Pass,
    /// The sums of each seed that has ended.
    after: Vec<Sums>,
    changed: Vec<Changed>,
}

/// A call that ends otherwise than it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Changed {
    /// Its number.
    pub call: u32,
    /// How it ended in the log.
    pub before: Ended,
    /// How it ended with the first seed; none where it had not when the log ended.
    pub after: Option<Ended>,
    /// Whether it had an attempt that never happened.
    pub modelled: bool,
}

impl Replay {
    /// A replay of what was taken down. `recorded` are the policies as they were and `other` those in their places, by the
    /// number of settings.
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

    /// What an attempt and a token cost.
    #[must_use]
    pub const fn priced(mut self, per_attempt: f64, per_token: f64) -> Self {
        self.prices = Prices { per_attempt, per_token };
        self
    }

    /// Goes on for so many events. Returns whether it has ended.
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
                // Nothing was drawn: every seed would come to the same.
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

    /// How far it has come, from 0 to 1.
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

    /// The share of recorded calls that come to what they came to under the recorded policies: the same end for the same
    /// reason after as many attempts. 0 before that is known.
    #[must_use]
    pub const fn identity(&self) -> f64 {
        self.identity
    }

    /// The sums of the log itself.
    #[must_use]
    pub fn before(&self) -> Sums {
        self.before.sums(span(&self.world), self.prices)
    }

    /// The sums of each seed; of the first alone, where nothing was drawn.
    #[must_use]
    pub fn after(&self) -> &[Sums] {
        &self.after
    }

    /// Attempts that a timeout cut off in the log and that have more time under the other policies, by the timeout. What becomes
    /// of them is drawn of those near them that took longer; where there is none they hang.
    #[must_use]
    pub fn censored(&self) -> Vec<Censored> {
        censored::censored(&self.world)
    }

    /// The calls that end otherwise, with the first seed.
    #[must_use]
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }
}

fn span(world: &World) -> u64 {
    world.history.span.map_or(0, |(from, to)| to - from)
}

/// How a call ended in the log; nothing where the log does not have it from its beginning to its end.
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

/// The share of calls that ended as they did in the log.
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

/// What the log itself comes to.
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

/// Whether an attempt was cut off.
fn is_wasted(result: Outcome, call: &Call) -> bool {
    match result {
        Outcome::Failed(failed) => failed.is_cut,
        Outcome::Succeeded => false,
        Outcome::Open => {
            matches!(call.end, Some(End { how: How::Failed { why: Why::Cancelled, .. }, .. }))
        }
    }
}
