//! A model of the provider's availability: the results of recorded attempts, near the time of an attempt that was not
//! recorded.
//!
//! Only the width of "near" is fitted. An attempt that never happened gets the result, the duration and the tokens of a
//! recorded one, to the same provider and model within half a window, each equally likely. The window holds twenty
//! attempts on average, and lasts from a second to a minute. If it holds none, a wait that the provider has requested
//! and that is not over applies; otherwise the nearest attempt does.

use super::order::order;
use super::recorded::{Failed, History, NONE, Outcome};
use halfopen::code::Code;
use halfopen::invariant::Always;
use halfopen::rng::SplitMix64;

/// The number of attempts that a window should hold.
const NEAR: u64 = 20;
/// In microseconds.
const SECOND: u64 = 1_000_000;

/// The result of a recorded attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    at: u64,
    /// The duration in microseconds.
    pub(super) took: u64,
    pub(super) tokens: u32,
    pub(super) result: Outcome,
}

impl Sample {
    /// Stands for an unknown result: a timeout.
    pub(super) const fn unknown() -> Self {
        let failed =
            Failed { code: Code::Timeout, retryable: true, counted: true, hint: None, is_cut: false };
        Self { at: 0, took: 0, tokens: 0, result: Outcome::Failed(failed) }
    }

    /// Returns `true` if the policy cut it off.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self.result, Outcome::Failed(Failed { is_cut: true, .. }))
    }
}

/// The recorded attempts to one provider and model, in order of time.
#[derive(Debug)]
struct Group {
    samples: Vec<Sample>,
    half_window: u64,
}

/// All recorded attempts.
#[derive(Debug)]
pub(super) struct Model {
    groups: Vec<Group>,
    /// For calls whose provider the log does not name.
    all: Group,
}

impl Model {
    pub(super) fn of(history: &History) -> Self {
        let mut groups: Vec<Vec<Sample>> = (0..history.providers).map(|_| Vec::new()).collect();
        let mut all = Vec::new();
        let begun = history.attempts.iter().map(|attempt| (attempt.begun.map_or(0, |begun| begun.at), 0));
        for index in order(begun) {
            let Some(attempt) = history.attempts.get(index as usize) else { continue };
            let (Some(begun), Some(ended)) = (attempt.begun, attempt.ended) else { continue };
            let took = ended.at.saturating_sub(begun.at);
            let sample = Sample { at: begun.at, took, tokens: attempt.tokens, result: attempt.result };
            all.push(sample);
            if let Some(group) = groups.get_mut(attempt.provider as usize) {
                group.push(sample);
            }
        }
        Self { groups: groups.into_iter().map(Group::of).collect(), all: Group::of(all) }
    }

    fn group(&self, provider: u32) -> &Group {
        let found = if provider == NONE { None } else { self.groups.get(provider as usize) };
        found.filter(|group| !group.samples.is_empty()).unwrap_or(&self.all)
    }

    /// Returns how far from its recorded time an attempt may begin and still be the recorded one.
    pub(super) fn tolerance(&self, provider: u32) -> u64 {
        self.group(provider).half_window
    }

    /// Draws the result of an attempt at that time; `None` if the log has no attempt at all.
    pub(super) fn draw(&self, provider: u32, at: u64, rng: &mut SplitMix64) -> Option<Sample> {
        let group = self.group(provider);
        let near = group.near(at);
        if !near.is_empty() {
            return pick(near.iter(), near.len(), rng);
        }
        group.stated_wait(at).or_else(|| group.nearest(at))
    }

    /// Draws the result of an attempt that had no response after `took`; `None` if no attempt in the log took longer.
    pub(super) fn draw_beyond(
        &self,
        provider: u32,
        at: u64,
        took: u64,
        rng: &mut SplitMix64,
    ) -> Option<Sample> {
        let later = |sample: &&Sample| !sample.is_cut() && sample.took > took;
        let near = self.group(provider).near(at);
        pick(near.iter().filter(later), near.iter().filter(later).count(), rng)
    }
}

fn pick<'a>(
    mut from: impl Iterator<Item = &'a Sample>,
    count: usize,
    rng: &mut SplitMix64,
) -> Option<Sample> {
    let last = count.checked_sub(1)?;
    from.nth(usize::try_from(rng.between(0, last as u64)).always()).copied()
}

impl Group {
    /// Takes samples in order of time.
    fn of(samples: Vec<Sample>) -> Self {
        let span = match (samples.first(), samples.last()) {
            (Some(first), Some(last)) => last.at - first.at,
            _ => 0,
        };
        let window = span.saturating_mul(NEAR) / (samples.len().max(1) as u64);
        Self { samples, half_window: window.clamp(SECOND, 60 * SECOND) / 2 }
    }

    fn index_of(&self, at: u64) -> usize {
        self.samples.partition_point(|sample| sample.at < at)
    }

    fn near(&self, at: u64) -> &[Sample] {
        let (first, end) =
            (at.saturating_sub(self.half_window), at.saturating_add(self.half_window).saturating_add(1));
        self.samples.get(self.index_of(first)..self.index_of(end)).always()
    }

    /// Returns the last failure whose requested wait is not over, with the rest of that wait.
    fn stated_wait(&self, at: u64) -> Option<Sample> {
        let before = self.samples.get(..self.index_of(at)).always();
        before.iter().rev().take(50).find_map(|sample| {
            let Outcome::Failed(failed) = sample.result else { return None };
            let left =
                (sample.at + sample.took + failed.hint? * 1000).checked_sub(at).filter(|&left| left > 0)?;
            let hint = Some(left.div_ceil(1000));
            Some(Sample { result: Outcome::Failed(Failed { hint, ..failed }), ..*sample })
        })
    }

    fn nearest(&self, at: u64) -> Option<Sample> {
        let next = self.index_of(at);
        let before = next.checked_sub(1).and_then(|index| self.samples.get(index));
        let after = self.samples.get(next);
        match (before, after) {
            (Some(before), Some(after)) => {
                Some(if at - before.at <= after.at - at { *before } else { *after })
            }
            (one, other) => one.or(other).copied(),
        }
    }
}
