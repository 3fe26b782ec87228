//! A model of the provider's availability: the results of recorded attempts, near the time of an attempt that was not
//! recorded.
//!
//! Only the width of "near" is fitted. An attempt that never happened gets the result, the duration and the tokens of a
//! recorded one, to the same provider and model within half a window, each equally likely. The window holds twenty
//! attempts on average, and lasts from a second to a minute. If it holds none, a wait that the provider has requested
//! and that is not over applies; otherwise the nearest attempt does. If the log names no provider, the attempts of the same
//! policy stand for it: those of another one went elsewhere.
//!
//! # Attempts that were cut off
//!
//! An attempt that a timeout of 200 ms cut off took at least 200 ms. Given more time, it goes on like an attempt that is
//! known to have lasted longer, near it or else anywhere in the log. One that was itself cut off later counts among these,
//! and goes on in the same way. This is the redistribution to the right of Efron ("The two sample problem with censored
//! data", 1967), which gives the estimator of Kaplan and Meier. It ends where the log ends: if no attempt lasted longer, the
//! log cannot tell.

use super::order::order;
use super::recorded::{Attempt, Call, Failed, History, Outcome};
use super::recorder::micros;
use crate::scenario::LabPolicy;
use halfopen::code::Code;
use halfopen::invariant::Always;
use halfopen::rng::SplitMix64;

/// The number of attempts that a window should hold.
const NEAR: u64 = 20;
/// In microseconds.
const SECOND: u64 = 1_000_000;
/// Timers may be late by a fifth of the limit, and by this many microseconds: as the finding `short-timeout` has it.
const LATE: u64 = 50_000;

/// The result of a recorded attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    at: u64,
    /// The duration in microseconds.
    pub(super) took: u64,
    /// How long it lasted for certain, in microseconds. A timer may be late: an attempt that a timeout of 200 ms left alone
    /// for 203 ms says nothing about the attempts that it cut off.
    lasted: u64,
    pub(super) tokens: u32,
    pub(super) result: Outcome,
}

/// The attempts that one can be compared with: those to its provider and model. Without one that the log names, those of
/// the same policy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) provider: u32,
    pub(super) policy: u32,
}

impl Sample {
    /// Stands for an unknown result: a timeout.
    pub(super) const fn unknown() -> Self {
        let failed =
            Failed { code: Code::Timeout, retryable: true, counted: true, hint: None, is_cut: false };
        Self { at: 0, took: 0, lasted: 0, tokens: 0, result: Outcome::Failed(failed) }
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
    providers: Vec<Group>,
    policies: Vec<Group>,
    /// For a policy without attempts.
    none: Group,
}

impl Model {
    pub(super) fn of(history: &History, recorded: &[LabPolicy]) -> Self {
        let samples = |count: u32| (0..count).map(|_| Vec::new()).collect::<Vec<Vec<Sample>>>();
        let (mut providers, mut policies) = (samples(history.providers), samples(history.policies));
        let mut all = Vec::new();
        for call in &history.calls {
            let policy = recorded.get(call.settings as usize);
            let of_call = history
                .attempts_of(call)
                .filter_map(|attempt| Some((attempt, attempt.begun?, attempt.ended?)));
            for (attempt, begun, ended) in of_call {
                let took = ended.at.saturating_sub(begun.at);
                let Attempt { provider, tokens, result, .. } = *attempt;
                let limit = limit(policy, call, begun.at);
                let sample = Sample { at: begun.at, took, lasted: lasted(took, limit), tokens, result };
                all.push((sample, provider, history.policy_of(call)));
            }
        }
        for index in order(all.iter().map(|(sample, ..)| (sample.at, 0))) {
            let Some(&(sample, provider, policy)) = all.get(index as usize) else { continue };
            let groups = [providers.get_mut(provider as usize), policies.get_mut(policy as usize)];
            groups.into_iter().flatten().for_each(|group| group.push(sample));
        }
        let grouped = |groups: Vec<Vec<Sample>>| groups.into_iter().map(Group::of).collect();
        Self { providers: grouped(providers), policies: grouped(policies), none: Group::of(Vec::new()) }
    }

    fn group(&self, target: Target) -> &Group {
        let of_provider = self.providers.get(target.provider as usize);
        let of_policy = self.policies.get(target.policy as usize);
        of_provider.filter(|group| !group.samples.is_empty()).or(of_policy).unwrap_or(&self.none)
    }

    /// Returns how far from its recorded time an attempt may begin and still be the recorded one.
    pub(super) fn tolerance(&self, target: Target) -> u64 {
        self.group(target).half_window
    }

    /// Draws the result of an attempt at that time; `None` if the log has no attempt to
    /// compare it with.
    pub(super) fn draw(&self, target: Target, at: u64, rng: &mut SplitMix64) -> Option<Sample> {
        let group = self.group(target);
        let near = group.near(at);
        if !near.is_empty() {
            return pick(near.iter(), near.len(), rng);
        }
        group.stated_wait(at).or_else(|| group.nearest(at))
    }

    /// Draws the result of an attempt that had no response after `took`, which is at most what a timeout allowed; `None` if
    /// no attempt in the log lasted longer.
    pub(super) fn draw_beyond(
        &self,
        target: Target,
        at: u64,
        took: u64,
        rng: &mut SplitMix64,
    ) -> Option<Sample> {
        let group = self.group(target);
        let mut lasted = took;
        loop {
            let longer = |sample: &&Sample| sample.lasted > lasted;
            let near = group.near(at);
            let from = if near.iter().any(|sample| longer(&sample)) { near } else { &group.samples };
            let sample = pick(from.iter().filter(longer), from.iter().filter(longer).count(), rng)?;
            if !sample.is_cut() {
                return Some(sample);
            }
            lasted = sample.lasted;
        }
    }
}

/// Returns how long the recorded policy let an attempt last that began at `begun`, in microseconds: its own timeout, or the rest
/// of that of its call.
pub(super) fn limit(policy: Option<&LabPolicy>, call: &Call, begun: u64) -> u64 {
    let Some(policy) = policy else { return u64::MAX };
    let since = call.begun.map_or(0, |call| begun.saturating_sub(call.at));
    let total =
        policy.config.call.total.map_or(u64::MAX, |total| micros(total.as_f64()).saturating_sub(since));
    policy.attempt_ms.map_or(u64::MAX, micros).min(total)
}

/// Returns how long an attempt lasted for certain that took `took` under a timeout of `limit`. Much more than the limit was not
/// the lateness of its timer: the attempt had another one.
pub(super) fn lasted(took: u64, limit: u64) -> u64 {
    let latest = limit.saturating_add(limit / 5).saturating_add(LATE);
    if took > latest { took } else { took.min(limit) }
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
