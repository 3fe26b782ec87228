//! What-if replay: a recorded log under other policies.
//!
//! The calls of the log arrive as they did. Attempts that were recorded come to what they came to; attempts that never happened
//! are drawn from what came of others near their time (`model`), with many seeds, so that sums have a band. Under its
//! own policies a log gives back its own outcomes ([`Replay::identity`]).
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
//! use halfopen::lab::Reader;
//! let mut reader = Reader::default();
//! for line in [
//!     r#"{"v":1,"source":"a","seq":1,"time":0,"policy":"chat","type":"policy.configured","options":{"retry":false},"seed":1}"#,
//!     r#"{"v":1,"source":"a","seq":2,"time":0,"policy":"chat","call":"c","type":"call.started"}"#,
//!     r#"{"v":1,"source":"a","seq":3,"time":0,"policy":"chat","call":"c","type":"attempt.started","attempt":1}"#,
//!     r#"{"v":1,"source":"a","seq":4,"time":90,"policy":"chat","call":"c","type":"attempt.failed","attempt":1,"durationMs":90,"code":"NETWORK_ERROR","severity":"s","retryable":true,"rule":"r","counted":true}"#,
//!     r#"{"v":1,"source":"a","seq":5,"time":90,"policy":"chat","call":"c","type":"call.failed","attempts":1,"durationMs":90,"code":"NETWORK_ERROR","why":"exhausted"}"#,
//! ] {
//!     reader.line(line).unwrap();
//! }
//! let mut replay = reader.under(r#"{ "chat": { "fallback": true } }"#, 30).unwrap();
//! while !replay.advance(10_000) {}
//! assert_eq!(replay.identity(), 1.0);
//! assert!(replay.to_json().contains(r#""before":"failed NETWORK_ERROR (1 attempt, 90 ms)""#));
//! ```

mod host;
mod model;
mod options;
mod pass;
mod reader;
mod recorded;
mod report;
mod tally;
mod world;

use self::pass::{Pass, Under};
use self::recorded::NONE;
use self::tally::{Prices, Sums, Tally};
use self::world::{Policies, World};
use crate::lab::misfit::Misfit;
use crate::policy::Why;

/// Reads a log.
#[derive(Debug, Default)]
pub struct Reader {
    reader: reader::Reader,
}

impl Reader {
    /// Reads the next line. Empty ones are passed over, and so are types of events that this version does not know.
    ///
    /// # Errors
    /// The line is no event: it names the line, what was expected and what came.
    pub fn line(&mut self, line: &str) -> Result<(), Misfit> {
        self.reader.line(line)
    }

    /// A replay with the policies of these names (an object of JSON, by the names that they have in the log) in the place of
    /// the recorded ones.
    ///
    /// # Errors
    /// The log has no call from its beginning to its end, or no policy of such a name; or a policy does not fit.
    pub fn under(self, policies: &str, seeds: u32) -> Result<Replay, Misfit> {
        let world = World::new(self.reader.finish()?)?;
        let policies = Policies::new(&world.history, policies)?;
        Ok(Replay::new(world, policies, seeds))
    }
}

/// A replay of a log: once under its own policies, then under others with each seed.
#[derive(Debug)]
pub struct Replay {
    world: World,
    policies: Policies,
    seeds: u32,
    prices: Prices,
    before: Tally,
    /// Under the recorded policies; none once that has ended.
    own: Option<Pass>,
    identity: f64,
    pass: Pass,
    /// The sums of each seed that has ended.
    after: Vec<Sums>,
    changed: String,
}

impl Replay {
    fn new(world: World, policies: Policies, seeds: u32) -> Self {
        let before = before(&world);
        let own = Pass::new(Under { world: &world, policies: &world.recorded }, 0, true);
        let pass = Pass::new(Under { world: &world, policies: &policies }, 0, true);
        let (seeds, prices) = (seeds.max(1), Prices::default());
        Self {
            world,
            policies,
            seeds,
            prices,
            before,
            own: Some(own),
            identity: 0.0,
            pass,
            after: Vec::new(),
            changed: String::new(),
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
        let Self { world, policies, .. } = self;
        if let Some(own) = &mut self.own {
            if own.advance(Under { world, policies: &world.recorded }, events) {
                self.identity = report::identity(world, own);
                self.own = None;
            }
            return false;
        }
        if self.after.len() >= self.seeds as usize {
            return true;
        }
        let under = Under { world, policies };
        if !self.pass.advance(under, events) {
            return false;
        }
        let sums = self.pass.tally.sums(span(world), self.prices);
        if self.after.is_empty() {
            self.changed = report::changed(world, &self.pass);
        }
        self.after.push(sums);
        if self.pass.drawn == 0 {
            // Nothing was drawn: every seed would come to the same.
            self.seeds = 1;
        }
        if self.after.len() >= self.seeds as usize {
            return true;
        }
        self.pass = Pass::new(under, self.after.len() as u64, true);
        false
    }

    /// How far it has come, from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for a progress bar")]
    pub fn share(&self) -> f64 {
        let passes = f64::from(self.seeds) + 1.0;
        match &self.own {
            Some(own) => own.share(&self.world) / passes,
            None if self.after.len() >= self.seeds as usize => 1.0,
            None => (1.0 + self.after.len() as f64 + self.pass.share(&self.world)) / passes,
        }
    }

    /// The share of recorded calls that come to what they came to under the recorded policies: the same end for the same
    /// reason after as many attempts. 0 before that is known.
    #[must_use]
    pub const fn identity(&self) -> f64 {
        self.identity
    }

    /// The result, with the names of the TypeScript contract.
    #[must_use]
    pub fn to_json(&self) -> String {
        let before = self.before.sums(span(&self.world), self.prices);
        report::written(self.identity, &before, &self.after, &self.changed)
    }
}

fn span(world: &World) -> u64 {
    world.history.span.map_or(0, |(from, to)| to - from)
}

/// What the log itself comes to.
fn before(world: &World) -> Tally {
    let mut tally = Tally::new();
    let history = &world.history;
    for (number, call) in (0..NONE).zip(&history.calls) {
        let (Some(begun), Some(_)) = (call.begun, call.end) else { continue };
        for attempt in history.attempts_of(call) {
            tally.tokens += u64::from(attempt.tokens);
            tally.attempts += u64::from(!call.is_outer && attempt.begun.is_some());
            let ended = attempt.ended.or(call.end.map(|end| end.moment));
            if let (true, Some(since), Some(ended)) = (is_wasted(attempt.result, call), attempt.begun, ended)
            {
                tally.wasted += ended.at.saturating_sub(since.at);
            }
        }
        if let (false, Some((ended, at))) = (call.is_inner, report::recorded(world, number)) {
            tally.ended(ended, at.saturating_sub(begun.at));
        }
    }
    tally
}

/// Whether an attempt was cut off.
fn is_wasted(result: recorded::Outcome, call: &recorded::Call) -> bool {
    match result {
        recorded::Outcome::Failed(failed) => failed.is_cut,
        recorded::Outcome::Succeeded => false,
        recorded::Outcome::Open => matches!(
            call.end,
            Some(recorded::End { how: recorded::How::Failed { why: Why::Cancelled, .. }, .. })
        ),
    }
}
