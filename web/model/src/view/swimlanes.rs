//! Swimlanes: in place of a row for each call, one for each policy, task or run, if there are more calls than a user can read.
//!
//! A swimlane shows how many calls began when, by how they ended, in buckets of equal width on the axis. The buckets have places
//! and not pixels: while the range moves, they move with it, and are counted again four times a second.

use super::sums::{End, Sums};
use crate::format::{count, number_of, percent, span};
use crate::layout::Viewport;
use halfopen_store::call::Call;
use halfopen_store::names::Name;
use halfopen_store::numbers::{CallNumber, RunNumber};
use halfopen_store::order;
use halfopen_store::query::Group;
use halfopen_store::store::Log;
use halfopen_store::time::{Moment, Place};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Height of a swimlane, in pixels; the style sheet has the same.
pub const SWIMLANE: f64 = 56.0;
/// With more calls than that, swimlanes are shown.
pub const MANY: usize = 500;
/// With no more than that, rows are shown again. Less than [`MANY`], or a log with about that number would flicker.
const FEW: usize = 400;
/// Width of a bucket, in pixels.
const BUCKET: f64 = 4.0;
/// Most swimlanes that are shown; the rest is counted.
const MOST: usize = 100;
/// The kinds of calls in a bucket: the ends, and calls that go on.
pub const KINDS: usize = End::ALL.len() + 1;

/// The calls that have a swimlane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    #[default]
    Policy,
    Task,
    Run,
    /// No swimlanes: a row for each call.
    Call,
}

impl By {
    pub const ALL: [Self; 4] = [Self::Policy, Self::Task, Self::Run, Self::Call];

    /// The choice of that word; of another word, by policy.
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|by| by.word() == word).unwrap_or(Self::Policy)
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Task => "task",
            Self::Run => "run",
            Self::Call => "call",
        }
    }

    /// The swimlane of a call. A call within another one has the task and the run of its outermost call, but a policy of its own.
    pub fn of(self, log: &Log, call: &Call) -> Key {
        match self {
            Self::Policy | Self::Call => Key::Policy(call.policy, call.source),
            Self::Task => Key::Task(Group::Task.of(log, call).0),
            Self::Run => Key::Run(call.run.or_else(|| log.call(call.root)?.run)),
        }
    }
}

/// A swimlane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Of a policy and its process.
    Policy(Name, Name),
    Task(Name),
    Run(Option<RunNumber>),
}

impl Key {
    /// Returns `true` if it is the swimlane of a call.
    pub fn has(self, log: &Log, call: &Call) -> bool {
        let by = match self {
            Self::Policy(..) => By::Policy,
            Self::Task(_) => By::Task,
            Self::Run(_) => By::Run,
        };
        by.of(log, call) == self
    }

    /// The name of the swimlane, and the process of its policy or the id of its run, which distinguishes it from others of that
    /// name: `chat`, `no task`, `chat` and `agent-1`.
    pub fn parts(self, log: &Log) -> (String, Option<String>) {
        let named = |name, none: &str| match log.names.text(name) {
            "" => none.to_owned(),
            text => text.to_owned(),
        };
        match self {
            Self::Policy(name, source) => {
                // Policies of two processes may share a name.
                let process = (log.processes() > 1).then(|| log.names.text(source).to_owned());
                (named(name, "no policy"), process)
            }
            Self::Task(name) => (named(name, "no task"), None),
            Self::Run(None) => ("no run".into(), None),
            Self::Run(Some(number)) => match log.runs.get(number) {
                Some(run) => {
                    let name = if run.task.is_none() { run.name } else { run.task };
                    (named(name, "run"), Some(run.id.to_string()))
                }
                None => ("a run that was dropped".into(), None),
            },
        }
    }

    /// Both parts in one: `chat · agent-1`.
    pub fn name(self, log: &Log) -> String {
        match self.parts(log) {
            (name, Some(which)) => format!("{name} · {which}"),
            (name, None) => name,
        }
    }
}

/// The counts of a bucket: calls of each end, then those that go on.
pub type Bucket = [u32; KINDS];

/// One swimlane.
#[derive(Clone, Debug, PartialEq)]
pub struct Swimlane {
    pub key: Key,
    pub name: String,
    /// The parts of the name: in little room, the second one is cut first.
    pub parts: (String, Option<String>),
    /// Its figures, for its head: `12,400 calls`, `3.1 % failed`, `p95 2.30 s`.
    pub calls: String,
    pub failed: String,
    pub p95: String,
    /// `true` if a call failed or was refused.
    pub is_bad: bool,
    /// All of it in words.
    pub label: String,
    pub buckets: Vec<Bucket>,
}

/// The swimlanes of a list of calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Swimlanes {
    pub swimlanes: Vec<Swimlane>,
    /// Swimlanes that are not shown.
    pub more: usize,
    /// The place at which the first bucket begins, and the length of each on the axis, in milliseconds.
    from: Place,
    length: f64,
    /// The calls of the fullest bucket: all swimlanes have one scale.
    most: u32,
}

/// Returns `true` if that number of calls is shown in swimlanes; `before` is `true` if swimlanes are shown now.
pub fn are_shown(before: bool, calls: usize) -> bool {
    calls > if before { FEW } else { MANY }
}

/// Those of the calls that are in a swimlane.
pub fn calls_of(log: &Log, key: Key, numbers: &[CallNumber]) -> Vec<CallNumber> {
    let is_in = |number: &&CallNumber| log.call(**number).is_some_and(|call| key.has(log, call));
    numbers.iter().filter(is_in).copied().collect()
}

/// The sums of a swimlane while its calls are counted.
#[derive(Default)]
struct Counted {
    sums: Sums,
    open: u64,
    buckets: Vec<Bucket>,
}

impl Swimlanes {
    /// The swimlanes of those of the calls that touch the time in sight: the ones with the most errors first, then the ones with
    /// the most calls.
    pub fn of(log: &Log, numbers: &[CallNumber], by: By, viewport: &Viewport, now: Moment) -> Self {
        let length = (viewport.to - viewport.from).max(1.0) * BUCKET / viewport.width.max(BUCKET);
        // Buckets begin at multiples of their length: while time goes on, calls do not change from one to the next.
        let from = viewport.from.floored(length);
        let bucket_of = |place: Place| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "not negative; saturates"
            )]
            (place >= from && place <= viewport.to).then(|| ((place - from) / length) as usize)
        };
        let buckets = bucket_of(viewport.to).unwrap_or(0) + 1;
        let (begins, ends) = (log.folds.moment(viewport.from), log.folds.moment(viewport.to));
        // By their keys in order of appearance. Calls of one policy, task or run mostly follow each other.
        let mut places: BTreeMap<Key, usize> = BTreeMap::new();
        let mut all: Vec<(Key, Counted)> = Vec::new();
        let mut last = 0;
        for call in numbers.iter().filter_map(|&number| log.call(number)) {
            if call.started > ends || call.end_or(now) < begins {
                continue;
            }
            let key = by.of(log, call);
            if all.get(last).is_none_or(|(other, _)| *other != key) {
                last = *places.entry(key).or_insert(all.len());
                if last == all.len() {
                    all.push((key, Counted::default()));
                }
            }
            let Some((_, counted)) = all.get_mut(last) else { continue };
            counted.sums.add(call);
            counted.open += u64::from(call.status.is_open());
            let kind = End::of(call.status).map_or(KINDS - 1, |end| end as usize);
            if let Some(at) = bucket_of(log.folds.place(call.started)) {
                if counted.buckets.is_empty() {
                    counted.buckets.resize(buckets, Bucket::default());
                }
                if let Some(count) = counted.buckets.get_mut(at).and_then(|bucket| bucket.get_mut(kind)) {
                    *count += 1;
                }
            }
        }
        order::sort_by_key(&mut all, |(key, counted)| {
            (Reverse(magnitude(counted.sums.errors())), Reverse(magnitude(counted.sums.calls())), *key)
        });
        let more = all.len().saturating_sub(MOST);
        all.truncate(MOST);
        let swimlanes: Vec<_> = all.into_iter().map(|(key, counted)| swimlane(log, key, counted)).collect();
        let most =
            swimlanes.iter().flat_map(|swimlane| &swimlane.buckets).map(|bucket| bucket.iter().sum()).max();
        Self { swimlanes, more, from, length, most: most.unwrap_or(0) }
    }

    /// The bars of a swimlane in a viewport: of each bucket its left and right edge in pixels, its height from 0 to 1, and its
    /// counts.
    pub fn bars<'a>(
        &'a self,
        swimlane: &'a Swimlane,
        viewport: &'a Viewport,
    ) -> impl Iterator<Item = (f64, f64, f64, &'a Bucket)> {
        let edge = |at: usize| {
            #[expect(clippy::cast_precision_loss, reason = "some hundred")]
            viewport.x(self.from + self.length * at as f64)
        };
        swimlane.buckets.iter().enumerate().filter_map(move |(at, bucket)| {
            let calls: u32 = bucket.iter().sum();
            let (left, right) = (edge(at), edge(at + 1));
            let in_sight = calls > 0 && right > 0.0 && left < viewport.width;
            // By its root: of a bucket with one call, beside one with a thousand, something is to be seen.
            in_sight.then(|| (left, right, (f64::from(calls) / f64::from(self.most.max(1))).sqrt(), bucket))
        })
    }

    /// The call of a swimlane at which its list is to begin, after a press at a place: the first of the calls that began in that
    /// bucket or later; after all bars, the last one.
    pub fn first_at(&self, log: &Log, key: Key, numbers: &[CallNumber], place: Place) -> Option<CallNumber> {
        let calls = calls_of(log, key, numbers);
        let bucket = log.folds.moment(place.floored(self.length));
        let is_since = |number: &&CallNumber| log.call(**number).is_some_and(|call| call.started >= bucket);
        calls.iter().find(is_since).or(calls.last()).copied()
    }

    /// The bucket `y` pixels below the first swimlane's top, at a place, in words.
    pub fn say(&self, log: &Log, y: f64, place: Place, clock: &dyn Fn(Moment) -> String) -> Option<String> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative; saturates"
        )]
        let index = |number: f64| (number >= 0.0).then_some(number as usize);
        let swimlane = self.swimlanes.get(index(y / SWIMLANE)?)?;
        let at = index((place - self.from) / self.length)?;
        let bucket = swimlane.buckets.get(at)?;
        let words = End::ALL.iter().map(|end| end.word()).chain(["going on"]);
        let counts = bucket.iter().zip(words).filter(|one| *one.0 > 0);
        let counts: Vec<_> = counts.map(|(&calls, word)| format!("{} {word}", count(calls.into()))).collect();
        if counts.is_empty() {
            return None;
        }
        let begins = log.folds.moment(place.floored(self.length));
        Some(format!(
            "{}, {} from {}: {}",
            swimlane.name,
            span(self.length),
            clock(begins),
            counts.join(", ")
        ))
    }
}

/// The number of binary digits of a count: swimlanes that are about equal do not change their places all the time.
fn magnitude(count: u64) -> u32 {
    u64::BITS - count.leading_zeros()
}

fn swimlane(log: &Log, key: Key, Counted { sums, open, buckets }: Counted) -> Swimlane {
    let name = key.name(log);
    let goes_on = if open > 0 { format!(", {} going on", count(open)) } else { String::new() };
    Swimlane {
        key,
        label: format!("{name}: {}{goes_on}", sums.words()),
        name,
        parts: key.parts(log),
        calls: number_of(sums.calls() + open, "call"),
        // Empty while no call of the swimlane has ended.
        failed: sums.error_share().map_or_else(String::new, |share| format!("{} failed", percent(share))),
        p95: sums.quantile(0.95).map_or_else(String::new, |ms| format!("p95 {}", span(ms))),
        is_bad: sums.errors() > 0,
        buckets,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use crate::layout::range::Range;
    use halfopen_store::scope::Calls;

    /// The whole log, on 400 pixels.
    fn whole(log: &Log) -> (Viewport, Moment) {
        let now = log.bounds().unwrap().1;
        (Range::whole(log, now).unwrap().viewport(log, now, 400.0), now)
    }

    fn numbers(log: &Log) -> Vec<CallNumber> {
        Calls::All.iter(log).map(|(number, _)| number).collect()
    }

    fn swimlanes(log: &Log, by: By) -> Swimlanes {
        let (viewport, now) = whole(log);
        Swimlanes::of(log, &numbers(log), by, &viewport, now)
    }

    /// Six calls of `chat`, two of which fail, and three of `search`, one of which goes on.
    fn two_policies() -> Log {
        let mut stage = Stage::new();
        for at in 0..6 {
            let call = stage.pass(1_000.0).call("chat");
            if at % 3 == 0 {
                stage.fail(call, "TIMEOUT", "r").give_up(call, "TIMEOUT", "exhausted");
            } else {
                stage.succeed(call);
            }
        }
        for _ in 0..2 {
            let call = stage.pass(1_000.0).call("search");
            stage.succeed(call);
        }
        stage.call("search");
        stage.log()
    }

    #[test]
    fn a_press_on_a_bar_leads_to_the_first_call_of_its_bucket() {
        let log = two_policies();
        let (viewport, now) = whole(&log);
        let numbers = numbers(&log);
        let swimlanes = Swimlanes::of(&log, &numbers, By::Policy, &viewport, now);
        let mut bars = 0;
        for swimlane in &swimlanes.swimlanes {
            let calls = calls_of(&log, swimlane.key, &numbers);
            let mut passed = 0;
            for (left, right, _, bucket) in swimlanes.bars(swimlane, &viewport) {
                let place = viewport.place(f64::midpoint(left, right));
                let first = swimlanes.first_at(&log, swimlane.key, &numbers, place);
                assert_eq!(first, Some(calls[passed]), "at {left}");
                // Between this bar and the next one, the next one is meant.
                passed += bucket.iter().sum::<u32>() as usize;
                bars += 1;
                let between = viewport.place(right + (right - left) / 2.0);
                let next = calls.get(passed).or(calls.last()).copied();
                assert_eq!(swimlanes.first_at(&log, swimlane.key, &numbers, between), next);
            }
        }
        assert!(bars > 3, "{bars}");
    }

    #[test]
    fn every_policy_has_a_swimlane_with_its_figures_the_one_with_errors_first() {
        let log = two_policies();
        let swimlanes = swimlanes(&log, By::Policy);
        let said: Vec<_> = swimlanes
            .swimlanes
            .iter()
            .map(|swimlane| (&*swimlane.name, &*swimlane.calls, &*swimlane.failed, swimlane.is_bad))
            .collect();
        assert_eq!(
            said,
            [("chat", "6 calls", "33 % failed", true), ("search", "3 calls", "0 % failed", false)]
        );
        assert!(
            swimlanes.swimlanes[0].label.starts_with("chat: 6 calls, 33 % errors, p95 "),
            "{}",
            swimlanes.swimlanes[0].label
        );
        assert!(swimlanes.swimlanes[1].label.ends_with(", 1 going on"), "{}", swimlanes.swimlanes[1].label);
    }

    #[test]
    fn every_call_in_sight_is_in_one_bucket_by_its_end() {
        let log = two_policies();
        let swimlanes = swimlanes(&log, By::Policy);
        let sums: Vec<Bucket> = swimlanes
            .swimlanes
            .iter()
            .map(|swimlane| {
                swimlane.buckets.iter().fold(Bucket::default(), |mut sum, bucket| {
                    sum.iter_mut().zip(bucket).for_each(|(sum, count)| *sum += count);
                    sum
                })
            })
            .collect();
        assert_eq!(sums, [[2, 0, 0, 0, 4, 0], [0, 0, 0, 0, 2, 1]]);
        let (viewport, _) = whole(&log);
        for swimlane in &swimlanes.swimlanes {
            for (left, right, height, _) in swimlanes.bars(swimlane, &viewport) {
                assert!(left >= -BUCKET && right <= 400.0 + BUCKET && height > 0.0 && height <= 1.0);
                assert!((right - left - BUCKET).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_part_of_time_has_only_the_calls_that_touch_it() {
        let log = two_policies();
        let (viewport, now) = whole(&log);
        let half = Viewport { to: viewport.from.midpoint(viewport.to), ..viewport };
        let swimlanes = Swimlanes::of(&log, &numbers(&log), By::Policy, &half, now);
        let names: Vec<_> =
            swimlanes.swimlanes.iter().map(|swimlane| (&*swimlane.name, &*swimlane.calls)).collect();
        assert_eq!(names.len(), 1, "{names:?}");
        assert_ne!(names[0].1, "6 calls");
    }

    #[test]
    fn while_the_range_follows_a_call_stays_in_its_bucket() {
        let log = two_policies();
        let (viewport, now) = whole(&log);
        let of = |by: f64| {
            let moved = Viewport { from: viewport.from + by, to: viewport.to + by, ..viewport };
            let swimlanes = Swimlanes::of(&log, &numbers(&log), By::Policy, &moved, now);
            let swimlane = swimlanes.swimlanes[0].clone();
            // In pixels of one viewport, without those that left it.
            let bars: Vec<_> = swimlanes
                .bars(&swimlane, &viewport)
                .map(|bar| bar.0.round())
                .filter(|x| *x > 100.0)
                .collect();
            bars
        };
        assert_eq!(of(0.0), of(137.0));
    }

    #[test]
    fn tasks_and_runs_have_swimlanes_as_well_and_calls_without_one_a_swimlane_of_their_own() {
        let log = two_policies();
        let names =
            |by| swimlanes(&log, by).swimlanes.into_iter().map(|swimlane| swimlane.name).collect::<Vec<_>>();
        assert_eq!(names(By::Task), ["no task"]);
        assert_eq!(names(By::Run), ["no run"]);
    }

    #[test]
    fn a_swimlane_opens_into_its_own_calls() {
        let log = two_policies();
        let all = numbers(&log);
        let swimlanes = swimlanes(&log, By::Policy);
        let parts: Vec<_> =
            swimlanes.swimlanes.iter().map(|swimlane| calls_of(&log, swimlane.key, &all)).collect();
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [6, 3]);
        for (swimlane, part) in swimlanes.swimlanes.iter().zip(&parts) {
            let has = |number: &CallNumber| swimlane.key.has(&log, log.call(*number).unwrap());
            assert_eq!(all.iter().copied().filter(has).collect::<Vec<_>>(), *part);
        }
        let mut together = parts.concat();
        together.sort_unstable();
        assert_eq!(together, all);
    }

    #[test]
    fn policies_of_two_processes_have_a_swimlane_each() {
        let mut stage = Stage::new();
        for process in ["one", "two"] {
            stage.process(process).call("chat");
        }
        let log = stage.log();
        let names: Vec<_> =
            swimlanes(&log, By::Policy).swimlanes.into_iter().map(|swimlane| swimlane.name).collect();
        assert_eq!(names, ["chat · one", "chat · two"]);
        let parts = swimlanes(&log, By::Policy).swimlanes.into_iter().map(|swimlane| swimlane.parts);
        let expected = ["one", "two"].map(|process| ("chat".to_owned(), Some(process.to_owned())));
        assert_eq!(parts.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn more_swimlanes_than_can_be_read_are_counted() {
        let mut stage = Stage::new();
        for policy in 0..MOST + 7 {
            stage.call(&format!("p{policy}"));
        }
        let swimlanes = swimlanes(&stage.log(), By::Policy);
        assert_eq!((swimlanes.swimlanes.len(), swimlanes.more), (MOST, 7));
    }

    #[test]
    fn about_as_many_calls_as_the_limit_do_not_flicker() {
        assert_eq!([are_shown(false, MANY), are_shown(false, MANY + 1)], [false, true]);
        assert_eq!(
            [are_shown(true, MANY), are_shown(true, FEW + 1), are_shown(true, FEW)],
            [true, true, false]
        );
    }

    #[test]
    fn a_bucket_under_the_pointer_says_its_counts_and_an_empty_one_nothing() {
        let log = two_policies();
        let (viewport, _) = whole(&log);
        let swimlanes = swimlanes(&log, By::Policy);
        let (left, ..) = swimlanes.bars(&swimlanes.swimlanes[0], &viewport).next().unwrap();
        let say = |y: f64, x: f64| swimlanes.say(&log, y, viewport.place(x), &|_| "12:00:00".into());
        let said = say(3.0, left + 1.0).unwrap();
        assert!(said.starts_with("chat, ") && said.ends_with(" from 12:00:00: 1 failed"), "{said}");
        assert_eq!(
            [say(SWIMLANE + 3.0, left + 1.0), say(9.0 * SWIMLANE, left + 1.0), say(-1.0, left)],
            [const { None }; 3]
        );
    }

    #[test]
    fn every_choice_comes_back_from_its_word() {
        assert!(By::ALL.into_iter().all(|by| By::from_word(by.word()) == by));
        assert_eq!(By::from_word("nothing"), By::Policy);
    }
}
