//! What a replay has shown: the share of calls that came to what they came to, what is different, and the sums, as JSON.

use super::pass::Pass;
use super::recorded::How;
use super::tally::{Ended, NAMES, Sums};
use super::world::World;
use crate::log::quoted;
use std::fmt::Write;

/// How a call ended in the log, and when; nothing where the log does not have it from its beginning to its end.
pub(super) fn recorded(world: &World, number: u32) -> Option<(Ended, u64)> {
    let call = world.history.calls.get(number as usize)?;
    let end = call.begun.and(call.end)?;
    let begun = world.history.attempts_of(call).iter().filter(|attempt| attempt.begun.is_some());
    let attempts = u32::try_from(begun.count()).unwrap_or(u32::MAX);
    let fell_back = call.fallback.is_some_and(|(_, answered)| answered);
    let at = call.fallback.map_or(end.moment.at, |(moment, _)| moment.at);
    Some((Ended { how: end.how, attempts, fell_back }, at))
}

fn calls(world: &World) -> impl Iterator<Item = u32> {
    0..u32::try_from(world.history.calls.len()).unwrap_or(u32::MAX)
}

/// The share of calls that ended as they did in the log.
#[expect(clippy::cast_precision_loss, reason = "counts of calls")]
pub(super) fn identity(world: &World, pass: &Pass) -> f64 {
    let (mut same, mut all) = (0_u64, 0_u64);
    for number in calls(world) {
        let Some((before, _)) = recorded(world, number) else { continue };
        all += 1;
        same += u64::from(pass.result(number).is_some_and(|after| after.ended == before));
    }
    if all == 0 { 1.0 } else { same as f64 / all as f64 }
}

/// The calls that end otherwise, as the items of a list.
pub(super) fn changed(world: &World, pass: &Pass) -> String {
    let mut list = String::new();
    for number in calls(world) {
        let (Some((before, at)), Some(call)) =
            (recorded(world, number), world.history.calls.get(number as usize))
        else {
            continue;
        };
        let took = at.saturating_sub(call.begun.map_or(0, |begun| begun.at));
        let after = pass.result(number);
        if after.is_some_and(|after| after.ended == before) {
            continue;
        }
        let (then, modelled) = after.map_or_else(
            || ("still running when the log ends".to_owned(), false),
            |after| (described(after.ended, after.took), after.modelled),
        );
        let comma = if list.is_empty() { "" } else { "," };
        let (id, before, then) = (quoted(&call.id), quoted(&described(before, took)), quoted(&then));
        _ = write!(list, r#"{comma}{{"call":{id},"before":{before},"after":{then},"modelled":{modelled}}}"#);
    }
    list
}

/// How a call ended, for people.
fn described(Ended { how, attempts, fell_back }: Ended, took: u64) -> String {
    let how = match how {
        How::Succeeded => "succeeded".to_owned(),
        How::Closed => "closed early".to_owned(),
        How::Failed { code, .. } => format!("failed {}", code.as_str()),
        How::Rejected { by } => format!("refused by {}", by.as_str()),
    };
    let fallback = if fell_back { ", answered by fallback" } else { "" };
    let s = if attempts == 1 { "" } else { "s" };
    format!("{how}{fallback} ({attempts} attempt{s}, {} ms)", took / 1000)
}

pub(super) fn written(identity: f64, before: &Sums, after: &[Sums], changed: &str) -> String {
    let (mut mean, mut low, mut high) = ([0.0; NAMES.len()], [0.0; NAMES.len()], [0.0; NAMES.len()]);
    let slots = mean.iter_mut().zip(low.iter_mut().zip(high.iter_mut()));
    for (index, (mean, (low, high))) in slots.enumerate() {
        let mut values: Vec<f64> = after.iter().filter_map(|sums| sums.get(index).copied()).collect();
        values.sort_by(f64::total_cmp);
        // 95 % of the seeds, of few all.
        let outside = values.len() / 40;
        *low = values.get(outside).copied().unwrap_or_default();
        *high = values.iter().rev().nth(outside).copied().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "a count of seeds")]
        let count = values.len().max(1) as f64;
        *mean = values.iter().sum::<f64>() / count;
    }
    let (before, mean, low, high) = (totals(before), totals(&mean), totals(&low), totals(&high));
    format!(
        r#"{{"identity":{identity},"before":{before},"after":{mean},"afterBand":{{"low":{low},"high":{high}}},"changed":[{changed}]}}"#
    )
}

/// The sums as the contract has them: percentiles in an object of their own.
fn totals(sums: &Sums) -> String {
    let mut out = String::from("{");
    let mut inner = "";
    for (name, value) in NAMES.into_iter().zip(sums) {
        let (outer, name) = name.split_once('.').map_or(("", name), |(outer, name)| (outer, name));
        if outer != inner {
            if !inner.is_empty() {
                out.push('}');
            }
            if !outer.is_empty() {
                _ = write!(out, r#","{outer}":{{"#);
            }
            inner = outer;
        }
        let comma = if out.ends_with('{') { "" } else { "," };
        _ = write!(out, r#"{comma}"{name}":{value}"#);
    }
    out.push('}');
    out
}
