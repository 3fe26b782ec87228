//! The Health view: how calls ended over time, how long they took, when breakers were open, and the largest change.
//!
//! The time of the log is cut into [`COLUMNS`] parts of equal width on the axis, on which idle time is folded. A call is in
//! the part in which it ended.

use super::adaptive::{self, LimitLine};
use super::sums::{End, Sums, known, named, rounded};
use crate::format::{count, number_of, percent, span};
use crate::layout::Viewport;
use crate::layout::axis::ticks;
use crate::layout::range::place_of_now;
use halfopen_store::breaker::{Breaker, State};
use halfopen_store::call::Call;
use halfopen_store::names::Name;
use halfopen_store::order;
use halfopen_store::scope::{Calls, Span};
use halfopen_store::store::Log;
use halfopen_store::time::{Moment, Place};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The parts of the time of a log.
pub const COLUMNS: usize = 120;
/// Most groups, and most breakers and limits, that are shown.
const MOST: usize = 12;
/// Most values of a grouping that are summed up apart.
const MOST_SUMMED: usize = 500;
/// The errors that a part of time must have beyond those of its calls at other times, to be named.
const EXCESS: f64 = 5.0;
/// If more of the calls than that are errors, the time with the most errors is named, in place of that with the largest share.
const NEARLY_ALL: f64 = 0.9;
/// The parts of a column that are looked at for where the errors begin and end.
const FINE: usize = 30;
/// The share of errors at the top of their chart is not below this: a single error must not look like an outage.
const LEAST_SCALE: f64 = 0.05;
/// The width that ticks are spread over, in pixels: their distances are read as shares of it.
const TICKS: f64 = 700.0;

/// The calls of which the charts have a group each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    #[default]
    All,
    Policy,
    Provider,
    Operation,
}

impl By {
    pub const ALL: [Self; 4] = [Self::All, Self::Policy, Self::Provider, Self::Operation];

    pub fn from_key(key: &str) -> Self {
        Self::ALL.into_iter().find(|by| by.key() == key).unwrap_or(Self::All)
    }

    /// The key of the filter for it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Policy => "policy",
            Self::Provider => "provider",
            Self::Operation => "operation",
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::All => "all calls",
            Self::Policy => "by policy",
            Self::Provider => "by provider",
            Self::Operation => "by tool or function",
        }
    }

    /// The group of a call. A call that went to several providers belongs to the last one, which decided its end.
    fn of(self, call: &Call) -> Name {
        match self {
            Self::All => Name::NONE,
            Self::Policy => call.policy,
            Self::Provider => call.attempts.last().map_or(Name::NONE, |attempt| attempt.provider),
            Self::Operation => call.operation,
        }
    }
}

/// The time of a log, in columns.
pub(super) struct Axis<'a> {
    log: &'a Log,
    from: Place,
    to: Place,
}

impl<'a> Axis<'a> {
    pub(super) fn of(log: &'a Log, now: Moment) -> Self {
        let (begins, ends) = log.bounds().unwrap_or((now, now));
        let from = log.folds.place(begins);
        let to = log.folds.place(ends).max(if log.is_busy() { place_of_now(log, now) } else { from });
        Self { log, from, to: to.max(from + 1.0) }
    }

    /// A moment as a share of the axis, from 0 to 1.
    fn share(&self, at: Moment) -> f64 {
        ((self.log.folds.place(at) - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    fn column(&self, at: Moment) -> usize {
        self.part(at, COLUMNS)
    }

    /// The part of the axis that a moment is in, of parts of equal width.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "few parts"
    )]
    pub(super) fn part(&self, at: Moment, parts: usize) -> usize {
        ((self.share(at) * parts as f64) as usize).min(parts.saturating_sub(1))
    }

    /// The moment at a share of the axis, from 0 to 1.
    fn moment(&self, share: f64) -> Moment {
        self.log.folds.moment(self.from + (self.to - self.from) * share)
    }

    /// The moment at which a column begins.
    #[expect(clippy::cast_precision_loss, reason = "0 to 120")]
    fn edge(&self, column: usize) -> Moment {
        self.moment(column as f64 / COLUMNS as f64)
    }

    /// The seconds of a column.
    #[expect(clippy::cast_precision_loss, reason = "120")]
    fn seconds(&self) -> f64 {
        (self.to - self.from) / COLUMNS as f64 / 1e3
    }
}

/// The sums of each column.
type Columns = Vec<Sums>;

fn no_columns() -> Columns {
    vec![Sums::default(); COLUMNS]
}

fn total(columns: &[Sums]) -> Sums {
    columns.iter().fold(Sums::default(), |mut sum, one| {
        sum.add_all(one);
        sum
    })
}

/// A chart: its figures in words, and its shapes in a box of [`COLUMNS`] × 100.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    pub name: &'static str,
    pub says: String,
    /// Each shape's class and SVG path.
    pub shapes: Vec<(&'static str, String)>,
    /// `true` if the shapes are lines.
    pub lines: bool,
}

/// The calls of one value of the grouping.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub name: String,
    /// The filter that its calls pass.
    pub filter: String,
    pub says: String,
    pub chart: Chart,
}

/// When a breaker was not closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    pub name: String,
    pub says: String,
    /// Each state's word, and its beginning and length in percent of the axis.
    pub parts: Vec<(&'static str, f64, f64)>,
}

/// The largest changes in a part of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    pub heading: String,
    pub says: Vec<String>,
    /// The part of time that is named, unless the user has selected one.
    pub stretch: Option<Span>,
    /// Names that most of its errors have in common: words and the filter of these calls.
    pub common: Vec<(String, String)>,
    /// `true` if something is wrong.
    pub is_bad: bool,
}

/// The contents of the view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Health {
    pub change: Change,
    /// The charts of all calls; none with groups.
    pub charts: Vec<Chart>,
    pub groups: Vec<Group>,
    /// Groups that are not shown.
    pub more: usize,
    pub breakers: Vec<Band>,
    pub limits: Vec<LimitLine>,
    /// Breakers and limits that are not shown: `and 3 more breakers that opened`.
    pub left_out: Option<String>,
    /// The time and the figures of each column, for the pointer.
    pub parts: Vec<String>,
    /// Labels of the time axis, each with its place in percent.
    pub ticks: Vec<(f64, String)>,
    /// The selected time in percent of the axis: where it begins and ends.
    pub selected: Option<(f64, f64)>,
}

/// The part of time between two places, which are shares of the axis from 0 to 1: whole columns.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 120"
)]
pub fn span_between(log: &Log, now: Moment, one: f64, other: f64) -> Span {
    let axis = Axis::of(log, now);
    let column = |share: f64| share.clamp(0.0, 1.0) * COLUMNS as f64;
    let (first, last) = (column(one.min(other)).floor() as usize, column(one.max(other)).ceil() as usize);
    Span { from: axis.edge(first), to: axis.edge(last.max(first + 1)) }
}

/// The health of the calls that pass the filter, with the changes in the selected time. `clock` writes a moment.
pub fn health(
    log: &Log,
    calls: &Calls,
    selected: Option<Span>,
    by: By,
    now: Moment,
    clock: &dyn Fn(Moment) -> String,
) -> Health {
    let axis = Axis::of(log, now);
    let (columns, groups) = add_up(&axis, calls, by);
    let grouped = by != By::All;
    let (groups, more) = if grouped { describe_groups(&axis, groups, by) } else { Default::default() };
    let percent_of = |at| axis.share(at) * 100.0;
    let (breakers, more_breakers) = bands(&axis, calls, now);
    let (limits, more_limits) = limits(&axis, calls);
    Health {
        change: change(&axis, calls, &columns, selected, clock),
        charts: if grouped { Vec::new() } else { charts(&axis, &columns) },
        groups,
        more,
        breakers,
        limits,
        left_out: left_out(more_breakers, more_limits),
        parts: parts(&axis, &columns, clock),
        ticks: labels(&axis, clock),
        selected: selected.map(|span| (percent_of(span.from), percent_of(span.to))),
    }
}

/// The sums of each column, of all calls and of those of each group.
fn add_up(axis: &Axis, calls: &Calls, by: By) -> (Columns, BTreeMap<Name, Columns>) {
    let (mut columns, mut groups) = (no_columns(), BTreeMap::new());
    for (_, call) in calls.iter(axis.log) {
        let Some(ended) = call.ended else { continue };
        let at = axis.column(ended);
        if let Some(sums) = columns.get_mut(at) {
            sums.add(call);
        }
        let name = by.of(call);
        if by == By::All || groups.len() >= MOST_SUMMED && !groups.contains_key(&name) {
            continue;
        }
        if let Some(sums) = groups.entry(name).or_insert_with(no_columns).get_mut(at) {
            sums.add(call);
        }
    }
    (columns, groups)
}

/// The groups with the most errors, then with the most calls; and how many more there are.
fn describe_groups(axis: &Axis, groups: BTreeMap<Name, Columns>, by: By) -> (Vec<Group>, usize) {
    let mut all: Vec<_> =
        groups.into_iter().map(|(name, columns)| (name, total(&columns), columns)).collect();
    all.retain(|(_, sums, _)| sums.calls() > 0);
    order::sort_by_key(&mut all, |(name, sums, _)| (Reverse(sums.errors()), Reverse(sums.calls()), *name));
    let more = all.len().saturating_sub(MOST);
    let group = |(name, sums, columns): (Name, Sums, Columns)| {
        let (name, filter) = named(axis.log, by.key(), name);
        Group { name, filter, says: sums.words(), chart: rates(axis, &columns) }
    };
    (all.into_iter().take(MOST).map(group).collect(), more)
}

/// The time and the figures of each column.
fn parts(axis: &Axis, columns: &[Sums], clock: &dyn Fn(Moment) -> String) -> Vec<String> {
    let part = |(place, sums): (usize, &Sums)| {
        let when = format!("{} to {}", clock(axis.edge(place)), clock(axis.edge(place + 1)));
        let (Some(share), Some(retries)) = (sums.error_share(), sums.retries_a_call()) else {
            return format!("{when}: no call ended");
        };
        let [p50, p95] = [0.5, 0.95].map(|share| known(sums.quantile(share), span));
        let (share, retries) = (percent(share), rounded(retries));
        format!("{when}: {}, {share} errors, p50 {p50}, p95 {p95}, {retries} retries a call", sums.ends())
    };
    columns.iter().enumerate().map(part).collect()
}

fn charts(axis: &Axis, columns: &[Sums]) -> Vec<Chart> {
    let all = total(columns);
    let most = |of: &dyn Fn(&Sums) -> Option<f64>| columns.iter().filter_map(of).fold(0.0, f64::max);
    let share = most(&Sums::error_share);
    let p95 = most(&|sums| sums.quantile(0.95));
    // A line at the very top would be cut.
    let top = p95 * 1.05;
    let retries = most(&Sums::retries_a_call);
    vec![
        rates(axis, columns),
        Chart {
            name: "Share of errors",
            says: format!("{}, at most {}", known(all.error_share(), percent), percent(share)),
            shapes: vec![(
                "failed",
                bars(
                    columns
                        .iter()
                        .map(|sums| (0.0, sums.error_share().unwrap_or(0.0) / share.max(LEAST_SCALE))),
                ),
            )],
            lines: false,
        },
        Chart {
            name: "Duration",
            says: format!(
                "p50 {}, p95 {}, at most {}",
                known(all.quantile(0.5), span),
                known(all.quantile(0.95), span),
                span(p95)
            ),
            shapes: vec![
                ("p95", line(columns, &|sums| Some(sums.quantile(0.95)? / top))),
                ("p50", line(columns, &|sums| Some(sums.quantile(0.5)? / top))),
            ],
            lines: true,
        },
        Chart {
            name: "Retries a call",
            says: format!("{}, at most {}", known(all.retries_a_call(), rounded), rounded(retries)),
            shapes: vec![(
                "retries",
                bars(
                    columns.iter().map(|sums| (0.0, sums.retries_a_call().unwrap_or(0.0) / retries.max(1.0))),
                ),
            )],
            lines: false,
        },
    ]
}

/// Calls a second, by their ends: the worst at the bottom.
#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn rates(axis: &Axis, columns: &[Sums]) -> Chart {
    let most = columns.iter().map(Sums::calls).max().unwrap_or(0).max(1) as f64;
    let shape = |end: End| {
        let part = move |sums: &Sums| {
            let below: u64 = End::ALL.iter().take(end as usize).map(|&end| sums.with(end)).sum();
            (below as f64 / most, (below + sums.with(end)) as f64 / most)
        };
        (end.word(), bars(columns.iter().map(part)))
    };
    let seconds = axis.seconds();
    let all = total(columns);
    let mean = all.calls() as f64 / (seconds * COLUMNS as f64);
    let ends = if all.calls() == 0 { "no call has ended".to_owned() } else { all.ends() };
    Chart {
        name: "Calls a second",
        says: format!("{}, at most {}: {ends}", rounded(mean), rounded(most / seconds)),
        shapes: End::ALL.into_iter().map(shape).filter(|shape| !shape.1.is_empty()).collect(),
        lines: false,
    }
}

/// Bars: the bottom and the top of each, from 0 to 1.
pub(super) fn bars(parts: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (place, (bottom, top)) in parts.enumerate() {
        if top > bottom {
            let y = |share: f64| 100.0 - share * 100.0;
            let _ = write!(path, "M{place} {:.1}V{:.1}h1V{:.1}z", y(bottom), y(top), y(bottom));
        }
    }
    path
}

/// A line of steps through the columns that have a value, from 0 to 1.
fn line(columns: &[Sums], value: &dyn Fn(&Sums) -> Option<f64>) -> String {
    let mut path = String::new();
    let mut before = false;
    for (place, sums) in columns.iter().enumerate() {
        let value = value(sums);
        if let Some(value) = value {
            let y = 100.0 - value * 100.0;
            let _ = if before { write!(path, "V{y:.1}h1") } else { write!(path, "M{place} {y:.1}h1") };
        }
        before = value.is_some();
    }
    path
}

/// The policies of a scope; `None` stands for all.
fn policies(log: &Log, calls: &Calls) -> Option<Vec<halfopen_store::policy::PolicyId>> {
    if calls.is_all() {
        return None;
    }
    Some(calls.policies(log).iter().collect())
}

fn left_out(breakers: usize, limits: usize) -> Option<String> {
    let part = |number: usize, one| (number > 0).then(|| number_of(number as u64, one));
    let parts = [part(breakers, "more breaker"), part(limits, "more limit")];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("and {}", parts.join(" and ")))
}

/// The breakers that were not closed, the longest open first; and how many more there are.
fn bands(axis: &Axis, calls: &Calls, now: Moment) -> (Vec<Band>, usize) {
    let log = axis.log;
    let Some((begins, ends)) = log.bounds() else { return Default::default() };
    let now = if log.is_busy() { now.max(ends) } else { ends };
    let of_scope: Option<Vec<_>> = policies(log, calls)
        .map(|policies| policies.into_iter().filter_map(|policy| log.breaker_of(policy)).collect());
    let in_scope =
        |breaker: &&Breaker| of_scope.as_ref().is_none_or(|of_scope| of_scope.contains(&breaker.id));
    let mut all: Vec<_> =
        log.breakers.iter().filter(|breaker| breaker.openings() > 0).filter(in_scope).collect();
    order::sort_by(&mut all, |a, b| b.time_open(now).total_cmp(&a.time_open(now)));
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    let name = |breaker: &Breaker| {
        let [name, process] = [breaker.id.name, breaker.id.source].map(|name| log.names.text(name));
        let is_alone = log.breakers.iter().filter(|other| other.id.name == breaker.id.name).count() == 1;
        if is_alone { name.to_owned() } else { format!("{name} · {process}") }
    };
    let band = |breaker: &Breaker| Band {
        name: name(breaker),
        says: format!(
            "opened {}, open for {} in all, now {}",
            crate::format::times(breaker.openings() as u64),
            span(breaker.time_open(now)),
            breaker.state_at(now).word()
        ),
        parts: breaker
            .spans(begins, now)
            .into_iter()
            .filter(|part| matches!(part.state, State::Open | State::HalfOpen | State::Isolated))
            .map(|part| {
                let from = axis.share(part.from) * 100.0;
                (part.state.word(), from, (axis.share(part.to) * 100.0 - from).max(0.2))
            })
            .collect(),
    };
    (all.into_iter().map(band).collect(), more)
}

/// The adaptive limits, and how many more there are.
fn limits(axis: &Axis, calls: &Calls) -> (Vec<LimitLine>, usize) {
    let log = axis.log;
    let Some((begins, ends)) = log.bounds() else { return Default::default() };
    let policies = policies(log, calls).unwrap_or_else(|| log.policies().collect());
    let line = |policy| adaptive::line(log, policy, (begins, ends), &|at| axis.share(at));
    let mut lines = policies.into_iter().filter_map(line);
    (lines.by_ref().take(MOST).collect(), lines.count())
}

/// The time of day at ticks of the axis.
fn labels(axis: &Axis, clock: &dyn Fn(Moment) -> String) -> Vec<(f64, String)> {
    let Some((begins, _)) = axis.log.bounds() else { return Vec::new() };
    let viewport = Viewport { from: axis.from, to: axis.to, width: TICKS };
    // From a whole hour, so that ticks are at whole seconds or minutes.
    let ticks = ticks(&viewport, &axis.log.folds, begins.floored(3.6e6));
    let label = |x: f64| (x / TICKS * 100.0, clock(axis.log.folds.moment(viewport.place(x))));
    let mut labels: Vec<_> = ticks.iter().map(|tick| label(tick.x)).filter(|label| label.0 < 95.0).collect();
    // A second may have several ticks.
    labels.dedup_by(|next, last| next.1 == last.1);
    // Whole minutes need no seconds, and a narrow page has no room for them.
    if labels.len() > 1 && labels.iter().all(|label| label.1.ends_with(":00")) {
        labels.iter_mut().for_each(|label| label.1.truncate(label.1.len() - 3));
    }
    labels
}

/// The parts of time with the most errors beyond those that they would have if errors were everywhere alike: the row of parts
/// with the largest sum (Kadane's algorithm). `None` if that is not much.
#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn stretch(columns: &[Sums]) -> Option<(usize, usize)> {
    let all = total(columns);
    let weight: &dyn Fn(&Sums) -> f64 =
        if all.error_share()? < NEARLY_ALL { &|sums| sums.calls() as f64 } else { &|_| 1.0 };
    let share = |errors: u64, of: f64| errors as f64 / of.max(f64::MIN_POSITIVE);
    let usual = share(all.errors(), columns.iter().map(weight).sum());
    let (mut best, mut found) = (0.0, None);
    let (mut sum, mut from) = (0.0, 0);
    for (place, sums) in columns.iter().enumerate() {
        sum += sums.errors() as f64 - usual * weight(sums);
        if sum <= 0.0 {
            (sum, from) = (0.0, place + 1);
        } else if sum > best {
            (best, found) = (sum, Some((from, place + 1)));
        }
    }
    let (from, to) = found.filter(|_| best >= EXCESS)?;
    let (mut inside, mut outside) = ((0, 0.0), (0, 0.0));
    for (place, sums) in columns.iter().enumerate() {
        let part = if (from..to).contains(&place) { &mut inside } else { &mut outside };
        *part = (part.0 + sums.errors(), part.1 + weight(sums));
    }
    let is_much = share(inside.0, inside.1) >= 2.0 * share(outside.0, outside.1);
    (outside.1 > 0.0 && is_much).then_some((from, to))
}

/// The time of a stretch of columns: it begins with the part of a column, and ends with one, from which and up to which there are
/// more errors than usual.
#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn sharpened(axis: &Axis, calls: &Calls, columns: &[Sums], (from, to): (usize, usize)) -> Span {
    let parts = COLUMNS * FINE;
    let share = total(columns).error_share().filter(|&share| share < NEARLY_ALL);
    let per_part = total(columns).errors() as f64 / parts as f64;
    // For each part of these columns, its errors beyond the usual.
    let excess = |first: usize, last: usize| {
        let usual = if share.is_some() { 0.0 } else { per_part };
        let mut excess = vec![-usual; (last - first) * FINE];
        let edges = Span { from: axis.edge(first), to: axis.edge(last) };
        for (_, call) in calls.within(axis.log, Some(edges), edges.to).iter(axis.log) {
            let (Some(end), Some(ended)) = (End::of(call.status), call.ended) else { continue };
            let part = axis.part(ended, parts).checked_sub(first * FINE);
            if let Some(sum) = part.and_then(|part| excess.get_mut(part)) {
                *sum += f64::from(u8::from(end.is_error())) - share.unwrap_or(0.0);
            }
        }
        excess
    };
    let begins = best_end(excess(from.saturating_sub(1), from + 1).into_iter().rev())
        .map_or(from * FINE, |parts| (from + 1) * FINE - parts);
    let ends = best_end(excess(to - 1, (to + 1).min(COLUMNS)).into_iter())
        .map_or(to * FINE, |parts| (to - 1) * FINE + parts);
    // Errors at both ends of a column alone are one stretch.
    let (begins, ends) = if begins < ends { (begins, ends) } else { (from * FINE, to * FINE) };
    let moment = |part: usize| axis.moment(part as f64 / parts as f64);
    Span { from: moment(begins), to: moment(ends) }
}

/// How many of these numbers, from the first one on, have the largest sum; `None` if no sum is above zero.
fn best_end(numbers: impl Iterator<Item = f64>) -> Option<usize> {
    let (mut sum, mut best, mut end) = (0.0, 0.0, None);
    for (index, number) in numbers.enumerate() {
        sum += number;
        if sum > best {
            (best, end) = (sum, Some(index + 1));
        }
    }
    end
}

/// The least change of a figure that is named: by a quarter (see [`Figure::change`]).
const NOTED: f64 = 0.22;

/// A figure inside a part of time and outside of it.
struct Figure {
    name: &'static str,
    inside: Option<f64>,
    outside: Option<f64>,
    /// A difference below that is noise.
    least: f64,
    words: fn(f64) -> String,
}

impl Figure {
    /// The size of the change: the same for the double and for the half.
    fn change(&self) -> f64 {
        let (Some(inside), Some(outside)) = (self.inside, self.outside) else { return 0.0 };
        ((inside + self.least) / (outside + self.least)).ln().abs()
    }

    fn says(&self) -> Option<String> {
        let words = |value: Option<f64>| value.map(self.words);
        Some(match words(self.outside) {
            Some(outside) => format!("{} {} instead of {outside}", self.name, words(self.inside)?),
            None => format!("{} {}", self.name, words(self.inside)?),
        })
    }
}

/// The largest changes in the selected time, or else in the time with too many errors.
#[expect(clippy::cast_precision_loss, reason = "counts of a session")]
fn change(
    axis: &Axis,
    calls: &Calls,
    columns: &[Sums],
    selected: Option<Span>,
    clock: &dyn Fn(Moment) -> String,
) -> Change {
    let all = total(columns);
    let Some(share) = all.error_share() else {
        return Change { heading: "No call has ended yet".into(), ..Change::default() };
    };
    let stretch = if selected.is_some() { None } else { stretch(columns) };
    let edges = stretch.map(|stretch| sharpened(axis, calls, columns, stretch));
    let Some(part) = selected.or(edges) else {
        let heading = if all.errors() == 0 {
            format!("No error in {}", number_of(all.calls(), "call"))
        } else {
            format!("{}, at no time much more than at others", failed(&all))
        };
        return Change { heading, says: vec![all.words()], is_bad: share >= 0.05, ..Change::default() };
    };
    let (mut inside, mut outside) = (Sums::default(), Sums::default());
    let mut common: [BTreeMap<Name, u64>; 3] = Default::default();
    // A refused call has no provider: its policy has.
    let mut providers: BTreeMap<(Name, Name), u64> = BTreeMap::new();
    for (_, call) in calls.iter(axis.log) {
        let Some(ended) = call.ended else { continue };
        if !part.contains(ended) {
            outside.add(call);
            continue;
        }
        inside.add(call);
        let provider = By::Provider.of(call);
        if !provider.is_none() {
            *providers.entry((call.policy, provider)).or_default() += 1;
        }
        if End::of(call.status).is_some_and(End::is_error) {
            for (sums, name) in common.iter_mut().zip([provider, call.policy, call.code]) {
                *sums.entry(name).or_default() += 1;
            }
        }
    }
    let goes_on = stretch.is_some_and(|(_, to)| columns.iter().skip(to).all(|sums| sums.calls() == 0));
    let length = span(part.to - part.from);
    let when = match (selected, goes_on) {
        (Some(_), _) => format!("Selected: {} to {} ({length})", clock(part.from), clock(part.to)),
        (None, true) => format!("Since {}, up to the end of the log", clock(part.from)),
        (None, false) => format!("From {} to {} ({length})", clock(part.from), clock(part.to)),
    };
    let Some(within) = inside.error_share() else {
        return Change { heading: format!("{when}: no call ended"), ..Change::default() };
    };
    let seconds = |span: Span| (axis.share(span.to) - axis.share(span.from)) * (axis.to - axis.from) / 1e3;
    let (seconds_inside, seconds_all) = (seconds(part).max(1e-3), axis.seconds() * COLUMNS as f64);
    let outside_for = seconds_all - seconds_inside;
    let mut figures = [
        Figure {
            name: "errors",
            inside: Some(within),
            outside: outside.error_share(),
            least: 0.01,
            words: percent,
        },
        Figure {
            name: "p95",
            inside: inside.quantile(0.95),
            outside: outside.quantile(0.95),
            least: 50.0,
            words: span,
        },
        Figure {
            name: "retries a call",
            inside: inside.retries_a_call(),
            outside: outside.retries_a_call(),
            least: 0.05,
            words: rounded,
        },
        Figure {
            name: "calls a second",
            inside: Some(inside.calls() as f64 / seconds_inside),
            outside: (outside_for > 1e-3).then(|| outside.calls() as f64 / outside_for),
            least: 0.05,
            words: rounded,
        },
    ];
    order::sort_by(&mut figures, |a, b| b.change().total_cmp(&a.change()));
    let changed: Vec<_> =
        figures.iter().filter(|one| one.change() >= NOTED).filter_map(Figure::says).collect();
    let says = match changed.split_first() {
        None if outside.calls() == 0 => Vec::new(),
        None => vec!["Otherwise it was as at other times.".to_owned()],
        Some((most, [])) => vec![format!("Changed most: {most}.")],
        Some((most, rest)) => vec![format!("Changed most: {most}."), format!("Also: {}.", rest.join(", "))],
    };
    Change {
        heading: format!("{when}: {}", failed(&inside)),
        says,
        stretch: edges,
        common: in_common(axis.log, inside.errors(), common, &providers),
        is_bad: within >= 0.05,
    }
}

/// How many of the calls failed or were refused, in words: each may be a user who read an error.
fn failed(sums: &Sums) -> String {
    let (errors, share) = (count(sums.errors()), known(sums.error_share(), percent));
    format!("{errors} of {} failed ({share})", number_of(sums.calls(), "call"))
}

/// The provider, the policy and the code that most errors of a part of time have. If most of them were refused before an attempt,
/// the policy is named with the provider of its other calls, of which `providers` has the numbers.
fn in_common(
    log: &Log,
    errors: u64,
    sums: [BTreeMap<Name, u64>; 3],
    providers: &BTreeMap<(Name, Name), u64>,
) -> Vec<(String, String)> {
    let [provider, policy, code] = sums.map(|sums| {
        let named = sums.into_iter().filter(|one| !one.0.is_none());
        named.max_by_key(|one| one.1).filter(|one| one.1 * 2 > errors)
    });
    let of_policy = policy.filter(|_| provider.is_none()).and_then(|(policy, _)| {
        let of_policy = providers.iter().filter(|one| one.0.0 == policy);
        Some(log.names.text(of_policy.max_by_key(|one| one.1)?.0.1))
    });
    let words = |(key, found): (&str, Option<(Name, u64)>)| {
        let (name, number) = found?;
        let (text, filter) = named(log, key, name);
        let at = of_policy.filter(|_| key == "policy").map_or_else(String::new, |name| format!(" at {name}"));
        Some((format!("{key} {text}{at}: {} of {} errors", count(number), count(errors)), filter))
    };
    [("provider", provider), ("policy", policy), ("code", code)].into_iter().filter_map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use halfopen_store::call::Status;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn clock(at: Moment) -> String {
        format!("{:.0} s", at.ms() % 1e7 / 1e3)
    }

    fn of(log: &Log, selected: Option<Span>, by: By) -> Health {
        health(
            log,
            &Calls::All,
            selected,
            by,
            log.bounds().map_or(Moment::default(), |bounds| bounds.1),
            &clock,
        )
    }

    /// Calls half a second apart; `fails` says which fail.
    fn stage(calls: usize, fails: impl Fn(usize) -> bool) -> Stage {
        let mut stage = Stage::new();
        for number in 0..calls {
            let policy = if number % 2 == 0 { "chat" } else { "search" };
            let call = stage.pass(500.0).call(policy);
            if fails(number) {
                stage.fail(call, "TIMEOUT", "r").give_up(call, "TIMEOUT", "exhausted");
            } else {
                stage.succeed(call);
            }
        }
        stage
    }

    #[test]
    fn an_empty_log_and_one_without_an_ended_call_say_so() {
        assert_eq!(of(&Log::default(), None, By::All).change.heading, "No call has ended yet");
        let mut stage = Stage::new();
        stage.call("chat");
        let health = of(&stage.log(), None, By::Policy);
        assert_eq!((health.change.heading.as_str(), health.groups.len()), ("No call has ended yet", 0));
    }

    #[test]
    fn a_burst_of_errors_is_named_with_its_time_its_figures_and_what_it_has_in_common() {
        let log = stage(300, |number| (100..130).contains(&number)).log();
        let change = of(&log, None, By::All).change;
        assert!(change.is_bad);
        assert!(change.heading.starts_with("From ") && change.heading.ends_with(" %)"), "{}", change.heading);
        assert!(change.says[0].starts_with("Changed most: errors "), "{:?}", change.says);
        assert!(change.says[0].ends_with(" instead of 0 %."), "{:?}", change.says);
        let first = log.calls().nth(100).unwrap().1.ended.unwrap();
        let stretch = change.stretch.unwrap();
        assert!((stretch.from - first).abs() < 2_500.0, "{stretch:?} {first:?}");
        let common: Vec<_> = change.common.iter().map(|one| one.1.as_str()).collect();
        assert_eq!(common, ["provider:openai", "code:TIMEOUT"]);
    }

    /// Two hours of calls: a column has a minute, and the first error comes in the middle of one.
    #[test]
    fn the_time_with_errors_begins_and_ends_with_them_and_not_with_a_column() {
        let log = stage(14_400, |number| (7_050..8_310).contains(&number)).log();
        let stretch = of(&log, None, By::All).change.stretch.unwrap();
        let ended = |number| log.calls().nth(number).unwrap().1.ended.unwrap();
        let (first, last) = (ended(7_050), ended(8_309));
        assert!((-2_500.0..=0.0).contains(&(stretch.from - first)), "{stretch:?} {first:?}");
        assert!((0.0..=2_500.0).contains(&(stretch.to - last)), "{stretch:?} {last:?}");
    }

    /// A log of forty minutes that ends with an outage while few call: its last column alone has too many errors.
    #[test]
    fn a_stretch_at_the_end_of_the_log_ends_after_it_begins() {
        let mut stage = Stage::new();
        let mut call = |ms: f64, fails: bool| {
            let call = stage.pass(ms / 2.0).call("chat");
            if fails {
                stage.fail(call, "TIMEOUT", "r").give_up(call, "TIMEOUT", "exhausted");
            } else {
                stage.succeed(call);
            }
            stage.pass(ms / 2.0);
        };
        // 400 calls of 50 ms a column; in the last but one, only the first fails.
        (0..47_200).for_each(|number| call(10.0, number % 25 == 0));
        (0..400).for_each(|number| call(10.0, number == 0));
        (0..21).for_each(|number| call(912.0, number % 2 == 0));
        let change = of(&stage.log(), None, By::All).change;
        let stretch = change.stretch.unwrap();
        assert!(stretch.from < stretch.to && change.is_bad, "{change:?}");
        assert!(!change.heading.contains("no call ended"), "{}", change.heading);
    }

    #[test]
    fn a_log_of_errors_alone_at_one_time_is_compared_with_nothing() {
        let log = stage(10, |_| true).log();
        let change = of(&log, None, By::All).change;
        assert!(change.heading.contains("10 of 10 calls failed (100 %)"), "{}", change.heading);
        assert!(!change.says.concat().contains("other times"), "{:?}", change.says);
    }

    /// With the filter `status:failed`, say.
    #[test]
    fn if_all_calls_are_errors_the_time_with_the_most_of_them_is_named() {
        let log = stage(600, |number| (200..300).contains(&number) || number % 50 == 0).log();
        let failed = |(number, call): (_, &Call)| (call.status == Status::Failed).then_some(number);
        let failed = Calls::Only(Arc::new(log.calls().filter_map(failed).collect()));
        let ends = log.bounds().unwrap().1;
        let change = health(&log, &failed, None, By::All, ends, &clock).change;
        assert!(
            change.heading.starts_with("From ")
                && change.heading.ends_with(": 101 of 101 calls failed (100 %)"),
            "{}",
            change.heading
        );
        assert!(
            change.says[0].starts_with("Changed most: calls a second 1.9 instead of 0.0"),
            "{:?}",
            change.says
        );
        assert_eq!(change.says.len(), 1, "nothing else has changed: {:?}", change.says);
    }

    #[test]
    fn figures_that_have_hardly_changed_are_not_named() {
        let log = stage(300, |number| (100..130).contains(&number)).log();
        let says = of(&log, None, By::All).change.says;
        assert!(!says.concat().contains("calls a second"), "{says:?}");
    }

    #[test]
    fn the_figures_of_a_column_are_those_of_its_calls() {
        let log = stage(240, |number| number >= 120).log();
        let parts = of(&log, None, By::All).parts;
        assert_eq!(parts.len(), COLUMNS);
        assert!(parts[10].contains(": 2 answered, ") && parts[110].contains(": 2 failed, "), "{parts:?}");
        assert!(parts[10].contains("p50 ") && parts[10].contains(" to "), "{}", parts[10]);
    }

    #[test]
    fn errors_that_go_on_are_named_since_when() {
        let change = of(&stage(300, |number| number >= 250).log(), None, By::All).change;
        assert!(change.heading.starts_with("Since "), "{}", change.heading);
    }

    #[test]
    fn errors_at_all_times_are_not_blamed_on_one() {
        let change = of(&stage(300, |number| number % 10 == 3).log(), None, By::All).change;
        assert_eq!(change.heading, "30 of 300 calls failed (10 %), at no time much more than at others");
        assert_eq!((change.stretch, change.is_bad), (None, true));
        let change = of(&stage(20, |_| false).log(), None, By::All).change;
        assert_eq!((change.heading.as_str(), change.is_bad), ("No error in 20 calls", false));
    }

    #[test]
    fn groups_have_the_most_errors_first_and_a_filter_that_shows_their_calls() {
        let log = stage(40, |number| number % 4 == 1).log();
        let health = of(&log, None, By::Policy);
        let names: Vec<_> =
            health.groups.iter().map(|group| (group.name.as_str(), group.filter.as_str())).collect();
        assert_eq!(names, [("search", "policy:search"), ("chat", "policy:chat")]);
        assert!(health.charts.is_empty() && health.more == 0);
        let functions = of(&log, None, By::Operation).groups;
        assert_eq!(
            (functions[0].name.as_str(), functions[0].filter.as_str()),
            ("(no operation)", "-operation:*")
        );
    }

    #[test]
    fn a_breaker_that_opened_is_a_band_over_the_time_it_was_open() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.succeed(call).pass(4_000.0).breaker("chat", "closed", "open", "null").pass(2_000.0);
        stage.breaker("chat", "open", "half_open", "null").pass(2_000.0);
        stage.breaker("chat", "half_open", "closed", "null");
        let breakers = of(&stage.log(), None, By::All).breakers;
        let [band] = &breakers[..] else { panic!("one band expected: {breakers:?}") };
        let words: Vec<_> = band.parts.iter().map(|part| part.0).collect();
        assert_eq!((band.name.as_str(), words), ("chat", vec!["open", "half-open"]));
        assert!((band.parts[0].2 - 25.0).abs() < 2.0, "{band:?}");
        assert!(band.says.starts_with("opened once, open for "), "{}", band.says);
    }

    #[test]
    fn breakers_of_one_name_have_the_names_of_their_processes() {
        let mut stage = Stage::new();
        for process in ["w1", "w2"] {
            let call = stage.process(process).call("chat");
            stage.succeed(call).breaker("chat", "closed", "open", "null").pass(1_000.0);
        }
        let names =
            |log: &Log| of(log, None, By::All).breakers.into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names(&stage.log()), ["chat · w1", "chat · w2"]);
    }

    /// A breaker refuses most calls: they have no attempt, and so no provider.
    #[test]
    fn of_refused_calls_the_policy_is_named_with_its_provider() {
        let mut stage = Stage::new();
        for number in 0..200 {
            stage.pass(500.0);
            if (100..180).contains(&number) && number % 10 > 0 {
                stage.refused("chat");
            } else {
                let call = stage.call("chat");
                stage.succeed(call);
            }
        }
        let change = of(&stage.log(), None, By::All).change;
        let common: Vec<_> = change.common.iter().map(|one| one.0.as_str()).collect();
        assert_eq!(common, ["policy chat at openai: 72 of 72 errors", "code CIRCUIT_OPEN: 72 of 72 errors"]);
    }

    #[test]
    fn breakers_beyond_the_most_are_counted() {
        let open = |number: usize| {
            let mut stage = Stage::new();
            for number in 0..number {
                let policy = format!("policy {number}");
                let call = stage.call(&policy);
                stage.succeed(call).breaker(&policy, "closed", "open", "null").pass(1_000.0);
            }
            of(&stage.log(), None, By::All)
        };
        assert_eq!(open(MOST).left_out, None);
        let health = open(MOST + 2);
        assert_eq!((health.breakers.len(), health.left_out.as_deref()), (MOST, Some("and 2 more breakers")));
        assert_eq!(left_out(1, 3).as_deref(), Some("and 1 more breaker and 3 more limits"));
    }

    #[test]
    fn ticks_at_whole_minutes_have_no_seconds() {
        let time =
            |at: Moment| format!("{:02}:{:02}", (at.ms() / 6e4) as u64 % 60, (at.ms() / 1e3) as u64 % 60);
        let labels = |calls| {
            let log = stage(calls, |_| false).log();
            let ends = log.bounds().unwrap().1;
            health(&log, &Calls::All, None, By::All, ends, &time)
                .ticks
                .into_iter()
                .map(|tick| tick.1)
                .collect::<Vec<_>>()
        };
        assert!(labels(1_200).iter().all(|label| label.len() == 2), "{:?}", labels(1_200));
        assert!(labels(60).iter().all(|label| label.len() == 5), "{:?}", labels(60));
        assert_eq!(labels(1).len(), 1, "ticks within a second have one label");
    }

    /// Else the view would be drawn four times a second.
    #[test]
    fn the_same_log_shows_the_same() {
        let log = stage(30, |number| number > 20).log();
        assert!(of(&log, None, By::All) == of(&log, None, By::All));
    }

    proptest! {
        #[test]
        fn every_ended_call_is_in_one_column_and_in_one_group(fails in prop::collection::vec(any::<bool>(), 1..80)) {
            let mut stage = stage(fails.len(), |number| fails[number]);
            stage.call("open");
            let log = stage.log();
            let axis = Axis::of(&log, log.bounds().unwrap().1);
            for by in By::ALL {
                let (columns, groups) = add_up(&axis, &Calls::All, by);
                let errors = fails.iter().filter(|&&fails| fails).count() as u64;
                prop_assert_eq!((total(&columns).calls(), total(&columns).errors()), (fails.len() as u64, errors));
                let mut of_groups = Sums::default();
                groups.values().for_each(|group| of_groups.add_all(&total(group)));
                prop_assert!(by == By::All || of_groups == total(&columns));
            }
        }

        #[test]
        fn the_selected_time_and_the_rest_have_all_calls(
            fails in prop::collection::vec(any::<bool>(), 2..60), one in 0.0..1.0_f64, other in 0.0..1.0_f64
        ) {
            let log = stage(fails.len(), |number| fails[number]).log();
            let now = log.bounds().unwrap().1;
            let span = span_between(&log, now, one, other);
            prop_assert!(span.from < span.to);
            let inside = log.calls().filter(|(_, call)| span.contains(call.ended.unwrap())).count() as u64;
            let heading = of(&log, Some(span), By::All).change.heading;
            let expected = if inside == 0 { "no call ended".to_owned() } else { format!(" of {}", number_of(inside, "call")) };
            prop_assert!(heading.starts_with("Selected: ") && heading.contains(&expected), "{} {}", heading, expected);
        }

        #[test]
        fn the_part_that_is_named_has_a_larger_share_of_errors_than_the_rest(
            counts in prop::collection::vec((0..20_usize, 0..20_usize), COLUMNS)
        ) {
            let mut stage = Stage::new();
            let good = stage.call("chat");
            stage.succeed(good);
            let bad = stage.call("chat");
            stage.give_up(bad, "TIMEOUT", "r");
            let log = stage.log();
            let calls: Vec<_> = log.calls().map(|(_, call)| call).collect();
            let columns: Vec<_> = counts.iter().map(|&(good, bad)| {
                let mut sums = Sums::default();
                (0..good).for_each(|_| sums.add(calls[0]));
                (0..bad).for_each(|_| sums.add(calls[1]));
                sums
            }).collect();
            if let Some((from, to)) = stretch(&columns) {
                let inside = total(&columns[from..to]);
                let all = total(&columns);
                prop_assert!(inside.error_share() > all.error_share());
                prop_assert!(inside.errors() <= all.errors() && inside.calls() < all.calls());
            }
        }
    }
}
