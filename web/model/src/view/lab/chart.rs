//! Load, goodput, latency and breakers over time: four charts on one time axis, as shapes to draw.

use super::json::Json;
use super::outcome::{Outcome, PolicyOutcome};
use crate::format::count;
use crate::layout::axis::offset;
use std::fmt::Write;

/// A panel: what it shows of the series, and how that is written.
struct Kind {
    title: &'static str,
    series: &'static str,
    /// The divisor of a value: the seconds of an interval for counts, 1000 for milliseconds.
    per_second: bool,
}

const KINDS: &[Kind] = &[
    Kind { title: "Load on the provider: requests a second", series: "attempts", per_second: true },
    Kind { title: "Goodput: calls answered a second", series: "succeeded", per_second: true },
    Kind { title: "Latency as users feel it: p95, in seconds", series: "userP95Ms", per_second: false },
];

/// One chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    pub title: &'static str,
    /// Where its plot begins and ends, downwards.
    pub top: f64,
    pub bottom: f64,
    /// The position of a line, and its label.
    pub ticks: Vec<(f64, String)>,
    /// One path a policy.
    pub lines: Vec<String>,
    /// The users' requests: the load without a retry.
    pub requested: Option<String>,
    /// The measurement of a real run: the policy's number, and its path.
    pub measured: Vec<(usize, String)>,
}

/// A policy's breakers over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Whose it is, and why it may stay empty.
    pub says: String,
    pub top: f64,
    /// Spans in which breakers were open (or half-open): from, width, how many of all (0 to 1), whether half-open.
    pub spans: Vec<(f64, f64, f64, bool)>,
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    pub width: f64,
    pub height: f64,
    /// Where the time axis begins and ends.
    pub left: f64,
    pub right: f64,
    pub panels: Vec<Panel>,
    pub tracks_title: f64,
    pub tracks: Vec<Track>,
    /// From, to, and what it is.
    pub faults: Vec<(f64, f64, String)>,
    pub ticks: Vec<(f64, String)>,
}

const LEFT: f64 = 46.0;
const RIGHT: f64 = 10.0;
const TITLE: f64 = 28.0;
const PLOT: f64 = 96.0;
const GAP: f64 = 12.0;
pub const TRACK: f64 = 16.0;
const AXIS: f64 = 22.0;
/// More points than pixels show nothing more.
const MOST_POINTS: usize = 600;

/// Draws an outcome into a width, and over it what was measured in a run for real.
#[expect(clippy::cast_precision_loss, reason = "some thousand intervals")]
pub fn chart(outcome: &Outcome, measured: &[PolicyOutcome], width: f64) -> Chart {
    let (left, right) = (LEFT, width - RIGHT);
    let duration = outcome.duration_ms().max(1.0);
    let x = |ms: f64| left + (ms / duration).clamp(0.0, 1.0) * (right - left);
    let seconds = outcome.interval_ms / 1000.0;
    let mut top = 0.0;
    let mut panels = Vec::new();
    for kind in KINDS {
        let scale = if kind.per_second { seconds } else { 1000.0 };
        let values = |policy: &PolicyOutcome, series: &str| -> Vec<f64> {
            policy.series.get(series).iter().map(|value| value / scale).collect()
        };
        let all: Vec<Vec<f64>> = outcome.policies.iter().map(|policy| values(policy, kind.series)).collect();
        let measured: Vec<(usize, Vec<f64>)> = measured
            .iter()
            .filter_map(|one| {
                let index = outcome.policies.iter().position(|policy| policy.name == one.name)?;
                Some((index, values(one, kind.series)))
            })
            .collect();
        let (plot, bottom) = (top + TITLE, top + TITLE + PLOT);
        let every = all.iter().chain(measured.iter().map(|(_, values)| values));
        let most = every.flatten().copied().fold(0.0, f64::max);
        let (step, end) = nice(most);
        let y = |value: f64| bottom - value / end * PLOT;
        let line = |values: &[f64]| path(values, outcome.interval_ms, &x, &y);
        let requested = (kind.series == "attempts")
            .then(|| outcome.policies.first().map(|policy| line(&values(policy, "offered"))))
            .flatten();
        let ticks = (0..=10).map(|index| f64::from(index) * step).take_while(|value| *value <= end * 1.001);
        panels.push(Panel {
            title: kind.title,
            top: plot,
            bottom,
            ticks: ticks.map(|value| (y(value), written(value))).collect(),
            lines: all.iter().map(|values| line(values)).collect(),
            requested,
            measured: measured.iter().map(|(index, values)| (*index, line(values))).collect(),
        });
        top = bottom + GAP;
    }
    let tracks_title = top + TITLE - 8.0;
    let first = top + TITLE;
    let tracks: Vec<Track> = outcome
        .policies
        .iter()
        .enumerate()
        .map(|(index, policy)| Track {
            says: format!("{}{}", policy.name, breaker_note(outcome, &policy.name)),
            top: first + index as f64 * (TRACK + 4.0),
            spans: spans(policy, outcome.interval_ms, &x),
        })
        .collect();
    let bottom = first + tracks.len() as f64 * (TRACK + 4.0);
    let faults = outcome.faults().into_iter().map(|(name, from, to)| (x(from), x(to), name)).collect();
    let step = [10e3, 15e3, 20e3, 30e3, 60e3, 120e3, 300e3, 600e3, 1.8e6, 3.6e6]
        .into_iter()
        .find(|step| (right - left) / (duration / step) >= 56.0)
        .unwrap_or(duration);
    let ticks = (0..100)
        .map(|index| f64::from(index) * step)
        .take_while(|at| *at <= duration)
        .map(|at| (x(at), offset(at, step)))
        .collect();
    Chart { width, height: bottom + AXIS, left, right, panels, tracks_title, tracks, faults, ticks }
}

fn breaker_note(outcome: &Outcome, name: &str) -> &'static str {
    let policies = outcome.scenario.get("policies");
    match policies.and_then(|all| all.get(name)).and_then(|policy| policy.get("breaker")) {
        Some(Json::Bool(false)) => ": no breaker",
        Some(breaker) if breaker.get("throttle").is_some() => ": refuses a share, and never opens",
        _ => "",
    }
}

/// A step that reads well, and the end of the axis.
fn nice(most: f64) -> (f64, f64) {
    let rough = (most / 3.0).max(1e-3);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|unit| unit * power).find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    (step, (most / step).ceil().max(1.0) * step)
}

fn written(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    if value >= 1000.0 {
        count(value.round() as u64)
    } else {
        let text = format!("{value:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// A line through the middle of every interval; of several that share a point, the largest.
#[expect(clippy::cast_precision_loss, reason = "some thousand intervals")]
fn path(values: &[f64], interval_ms: f64, x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let each = values.len().div_ceil(MOST_POINTS).max(1);
    let mut out = String::new();
    for (index, chunk) in values.chunks(each).enumerate() {
        let at = (index * each) as f64 + chunk.len() as f64 / 2.0;
        let value = chunk.iter().copied().fold(0.0, f64::max);
        let letter = if index == 0 { 'M' } else { 'L' };
        let _ = write!(out, "{letter}{:.1} {:.1}", x(at * interval_ms), y(value));
    }
    out
}

/// When breakers were open or half-open; intervals that say the same are one span.
#[expect(clippy::cast_precision_loss, reason = "some thousand intervals")]
fn spans(policy: &PolicyOutcome, interval_ms: f64, x: &dyn Fn(f64) -> f64) -> Vec<(f64, f64, f64, bool)> {
    let all = policy.breakers.max(1.0);
    let state = |at: usize| {
        let (open, half) = (policy.series.at("open", at), policy.series.at("halfOpen", at));
        (((open + half) / all).min(1.0), half > open)
    };
    let end = policy.series.get("open").len();
    let mut spans = Vec::new();
    let mut from = 0;
    for at in 1..=end {
        if at == end || state(at) != state(from) {
            let (share, is_half) = state(from);
            if share > 0.0 {
                let (left, right) = (x(from as f64 * interval_ms), x(at as f64 * interval_ms));
                spans.push((left, right - left, share, is_half));
            }
            from = at;
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::super::outcome::stage::outcome;
    use super::*;

    #[test]
    fn all_panels_share_one_time_axis() {
        let chart = chart(&outcome(), &[], 800.0);
        assert_eq!(chart.panels.len(), 3);
        assert_eq!(chart.tracks.len(), 2);
        assert!(chart.panels.iter().all(|panel| panel.lines.len() == 2));
        let (from, to, _) = &chart.faults[0];
        assert!((from - (46.0 + 0.3 * 744.0)).abs() < 0.01 && to > from);
        let tops: Vec<_> = chart.panels.iter().map(|panel| panel.top).collect();
        assert!(tops.windows(2).all(|pair| pair[0] < pair[1]) && chart.height > tops[2]);
        assert_eq!(chart.ticks.first().map(|tick| tick.1.as_str()), Some("0"));
    }

    #[test]
    fn what_was_measured_lies_over_its_own_policy() {
        let outcome = outcome();
        let measured = [outcome.policies[1].clone()];
        let chart = chart(&outcome, &measured, 800.0);
        assert!(chart.panels.iter().all(|panel| panel.measured == [(1, panel.lines[1].clone())]));
    }

    #[test]
    fn axes_end_at_numbers_that_read_well() {
        let ends: Vec<_> = [0.0, 7.0, 70.0, 95.0, 1234.0].map(|most| nice(most).1).into();
        assert_eq!(ends[1..], [7.5, 75.0, 100.0, 1500.0]);
        assert!(ends[0] > 0.0);
        assert_eq!([0.5, 20.0, 1500.0].map(written), ["0.5", "20", "1\u{202f}500"]);
    }

    #[test]
    fn many_intervals_are_few_points() {
        let values = vec![1.0; 100_000];
        let line = path(&values, 1.0, &|x| x, &|y| y);
        assert!(line.matches('L').count() <= MOST_POINTS);
    }
}
