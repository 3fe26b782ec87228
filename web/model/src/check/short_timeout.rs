//! A timeout that cuts off good answers: many attempts end exactly at it, and those that answer come in just below it.
//!
//! The service is healthy and slower than the limit. A breaker or a budget would then refuse what more time would let
//! through, so `futile-retries` does not report such timeouts.

use super::setting::{Options, Wish, literal, rounded_up};
use super::{Found, Look, MOST_EVIDENCE, called, newest, row};
use crate::format::{count, number_of, percent, span};
use halfopen_store::call::{Call, Outcome, Status};
use halfopen_store::durations::Durations;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// The number of attempts that must have been cut off, and of those that must have answered, before a pattern shows.
const LEAST: u64 = 5;
/// How near to the limit answers come, as a share of it.
const NEAR: f64 = 0.8;
/// Timers may be late by this share of the limit, and by this number of milliseconds.
const LATE: f64 = 0.2;
const LATE_MS: f64 = 50.0;
/// The longest timeout that is proposed, as a multiple of the present one: what is known of the rest is a guess.
const MOST: f64 = 10.0;

/// The attempts that must have been cut off beyond a tenth, for a stretch of a log that otherwise has fewer: chance makes
/// no such stretch of a million attempts of which 7 % are cut off at any time.
const CLEAR: i64 = 30;
/// The balance of a stretch is ten times the number of attempts cut off beyond a tenth of it: each attempt adds one of these.
const CUT: i64 = 9;
const ANSWERED: i64 = -1;

/// Attempts that answered, and those that the limit cut off.
#[derive(Default)]
struct Attempts {
    cut: u64,
    answered: u64,
    /// How long the answered ones took, in milliseconds, and the fastest.
    took: Durations,
    fastest: Option<f64>,
    /// Calls with an attempt that was cut off: how many, and the newest, with whether they failed.
    in_calls: u64,
    calls: Vec<(CallNumber, bool)>,
}

impl Attempts {
    fn answer(&mut self, ms: f64) {
        self.answered += 1;
        self.took.add(ms);
        self.fastest = Some(self.fastest.map_or(ms, |fastest| fastest.min(ms)));
    }

    fn cut_off(&mut self, number: CallNumber, failed: bool) {
        self.cut += 1;
        if self.calls.last().is_none_or(|last| last.0 != number) {
            self.in_calls += 1;
            self.show(number, failed);
        }
    }

    /// Keeps a call as evidence. One that failed shows the harm better than one that answered in the end.
    fn show(&mut self, number: CallNumber, failed: bool) {
        self.calls.push((number, failed));
        if self.calls.len() > MOST_EVIDENCE {
            let answered = self.calls.iter().position(|one| !one.1);
            self.calls.remove(answered.unwrap_or(0));
        }
    }

    fn all(&self) -> u64 {
        self.cut + self.answered
    }

    /// The share that was cut off.
    #[expect(clippy::cast_precision_loss, reason = "counts of a session")]
    fn share(&self) -> f64 {
        self.cut as f64 / self.all().max(1) as f64
    }

    /// Adds attempts that came after these.
    fn add_all(&mut self, other: Self) {
        self.cut += other.cut;
        self.answered += other.answered;
        self.took.add_all(&other.took);
        self.fastest = self.fastest.into_iter().chain(other.fastest).reduce(f64::min);
        let same = self.calls.last().zip(other.calls.first()).is_some_and(|(a, b)| a.0 == b.0);
        self.in_calls += other.in_calls - u64::from(same);
        other
            .calls
            .into_iter()
            .skip(usize::from(same))
            .for_each(|(number, failed)| self.show(number, failed));
    }
}

/// A row of attempts that begins with one that was cut off.
#[derive(Default)]
struct Stretch {
    balance: i64,
    /// The largest balance that it had, the attempts up to there, and those after it.
    most: i64,
    slow: Attempts,
    since: Attempts,
}

/// The attempts of one policy.
///
/// A service that is slow for an hour of a day is too slow for its timeout in that hour, and the answers of the other hours say
/// nothing of how long it then takes. So what counts is the row of attempts with the largest balance (Kadane's algorithm).
struct Seen {
    /// `timeout.attemptMs`, in milliseconds.
    limit: f64,
    cut: u64,
    answered: u64,
    latest: Stretch,
    worst: Stretch,
}

impl Seen {
    fn add(&mut self, number: CallNumber, call: &Call, log: &Log) {
        for attempt in &call.attempts {
            let Some(ms) = attempt.duration_ms else { continue };
            let is_timeout = log.names.text(attempt.rule) == "policy.timeout";
            match attempt.outcome {
                Outcome::Succeeded => {
                    self.answered += 1;
                    // Most attempts answer while nothing is cut off.
                    if self.latest.balance == 0 {
                        continue;
                    }
                    self.latest.since.answer(ms);
                    self.latest.balance += ANSWERED;
                }
                Outcome::Failed if is_timeout && self.is_at_limit(ms) => {
                    self.cut += 1;
                    self.latest.since.cut_off(number, call.status == Status::Failed);
                    self.latest.balance += CUT;
                }
                Outcome::Failed | Outcome::Running => continue,
            }
            let latest = &mut self.latest;
            if latest.balance > latest.most {
                latest.most = latest.balance;
                latest.slow.add_all(std::mem::take(&mut latest.since));
            }
            if latest.balance == 0 {
                self.end_stretch();
            }
        }
    }

    fn end_stretch(&mut self) {
        let latest = std::mem::take(&mut self.latest);
        if latest.most > self.worst.most {
            self.worst = latest;
        }
    }

    /// Returns `true` if an attempt of that length was ended by the limit of an attempt, not by that of the call or of a stream.
    fn is_at_limit(&self, ms: f64) -> bool {
        (self.limit * 0.99..=self.limit * (1.0 + LATE) + LATE_MS).contains(&ms)
    }

    /// How long 95 % of the answers of the worst stretch took at most.
    fn p95(&self) -> f64 {
        self.worst.slow.took.quantile(0.95).map_or(0.0, |p95| p95.min(self.limit))
    }

    fn fastest(&self) -> f64 {
        self.worst.slow.fastest.unwrap_or(self.limit)
    }

    fn is_too_short(&mut self) -> bool {
        self.end_stretch();
        let Stretch { most, slow, .. } = &self.worst;
        let often = self.cut * 10 > self.cut + self.answered || *most >= CLEAR * 10;
        often && slow.cut.min(slow.answered) >= LEAST && self.p95() > NEAR * self.limit
    }

    /// A longer timeout: the share of attempts that answer in time grows with it as it has up to now, and a quarter more.
    fn proposed(&self) -> f64 {
        let (fastest, share) = (self.fastest(), self.worst.slow.share());
        let all = fastest + (self.limit - fastest).max(0.0) / (1.0 - share).max(0.01);
        rounded_up((all * 1.25).clamp(self.limit * 2.0, self.limit * MOST))
    }
}

/// Timeouts by policy.
#[derive(Default)]
pub(super) struct Timeouts(Vec<(PolicyId, Option<Seen>)>);

impl Timeouts {
    pub(super) fn add(&mut self, log: &Log, number: CallNumber, call: &Call) {
        let policy = call.policy_id();
        let known = self.0.iter().any(|row| row.0 == policy);
        let seen = row(&mut self.0, policy);
        if !known {
            // A policy is configured before its first call.
            *seen = Options::of(log, policy).number("timeout.attemptMs").map(|limit| Seen {
                limit,
                cut: 0,
                answered: 0,
                latest: Stretch::default(),
                worst: Stretch::default(),
            });
        }
        if let Some(seen) = seen {
            seen.add(number, call, log);
        }
    }

    /// Returns `true` if a policy's timeout is too short for a service that answers.
    pub(super) fn is_too_short(&mut self, policy: PolicyId) -> bool {
        let of_policy = self.0.iter_mut().find(|row| row.0 == policy);
        of_policy.is_some_and(|(_, seen)| seen.as_mut().is_some_and(Seen::is_too_short))
    }
}

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Box::new(Timeouts::default())
}

impl Look for Timeouts {
    fn call(&mut self, log: &Log, number: CallNumber, call: &Call) {
        self.add(log, number, call);
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let all = std::mem::take(&mut self.0).into_iter();
        let short = all.filter_map(|(policy, seen)| {
            let mut seen = seen?;
            seen.is_too_short().then_some((policy, seen))
        });
        short.map(|(policy, seen)| say(log, policy, seen)).collect()
    }
}

fn say(log: &Log, policy: PolicyId, seen: Seen) -> Found {
    let options = Options::of(log, policy);
    let proposed = seen.proposed();
    let slow = &seen.worst.slow;
    let is_all = slow.all() * 2 > seen.cut + seen.answered;
    let mut wishes = vec![Wish("timeout.attemptMs", "", literal(proposed))];
    // Else the deadline would cut off what the attempt may take now.
    if options.number("timeout.totalMs").is_some_and(|total| total < proposed * 2.0) {
        wishes.push(Wish("timeout.totalMs", "", literal(rounded_up(proposed * 4.0))));
    }
    Found {
        policy,
        title: format!(
            "The timeout of {} cut off {} of {} of '{}' ({}){}",
            span(seen.limit),
            count(slow.cut),
            number_of(slow.all(), "attempt"),
            called(log, policy.name),
            percent(slow.share()),
            if is_all { "" } else { " while the service was slow" }
        ),
        what: format!(
            "The service answers, but slower: the fastest answer took {}, 95 % of them up to {}, and the limit is {}. \
                Each attempt that is cut off is paid for, and its retry too.",
            span(seen.fastest()),
            span(seen.p95()),
            span(seen.limit)
        ),
        fix: "Give an attempt more time. The value is an estimate from how many were cut off and how long the others took: no log has the \
            answers that were not waited for, so look here again afterwards.".into(),
        advice: options.advise(log, policy, wishes, ""),
        evidence: newest(slow.calls.iter().map(|one| one.0).collect()),
        hurt: slow.in_calls,
        grade: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::super::stage::Stage;
    use super::*;

    /// A service that takes from 210 to 785 ms, and a policy with that limit of an attempt, in milliseconds.
    fn day(attempt_ms: f64) -> Stage {
        let mut stage = Stage::new();
        stage.policy("search", &format!(r#"{{"timeout":{{"attemptMs":{attempt_ms}}}}}"#));
        slow_hour(&mut stage, attempt_ms);
        stage
    }

    fn slow_hour(stage: &mut Stage, attempt_ms: f64) -> &mut Stage {
        for number in 0..40_u32 {
            let call = stage.call("search");
            let mut took = 210.0 + f64::from(number * 37 % 24) * 25.0;
            for _ in 0..2 {
                if took <= attempt_ms {
                    break;
                }
                stage
                    .fail_after(call, "TIMEOUT", "policy.timeout", attempt_ms + 1.0)
                    .wait(call, 10.0, "backoff");
                took = 210.0 + (took * 7.0) % 575.0;
            }
            if took <= attempt_ms {
                stage.succeed_after(call, took);
            } else {
                stage.fail_after(call, "TIMEOUT", "policy.timeout", attempt_ms + 1.0);
                stage.give_up(call, "TIMEOUT", "exhausted");
            }
        }
        stage
    }

    #[test]
    fn a_timeout_just_above_the_answers_is_found_with_a_longer_one() {
        let stage = day(300.0);
        let found = stage.found("short-timeout");
        assert_eq!(found.len(), 1);
        assert!(found[0].title.starts_with("The timeout of 300 ms cut off "), "{}", found[0].title);
        assert!(found[0].what.contains("the fastest answer took 210 ms"), "{}", found[0].what);
        let proposed = &found[0].settings[0];
        assert_eq!((proposed.path, proposed.now.as_deref()), ("timeout.attemptMs", Some("300")));
        let ms: f64 = proposed.to.replace('_', "").parse().unwrap();
        assert!(
            (785.0..=3_000.0).contains(&ms),
            "all answers would be in time, none would wait for ever: {ms}"
        );
    }

    fn healthy(stage: &mut Stage, calls: usize) {
        for _ in 0..calls {
            let call = stage.call("search");
            stage.succeed_after(call, 40.0);
        }
    }

    /// Many answers of other hours would make the service seem faster than it is when it is slow, and the timeout long enough.
    #[test]
    fn a_slow_hour_of_a_healthy_day_has_the_finding_of_that_hour_alone() {
        let alone = day(300.0).found("short-timeout").remove(0);
        for before in [1_000, 1_005, 1_010, 1_033] {
            let mut stage = Stage::new();
            stage.policy("search", r#"{"timeout":{"attemptMs":300}}"#);
            healthy(&mut stage, before);
            slow_hour(&mut stage, 300.0);
            // An answer that takes too long now and then is no slow hour, and no evidence of one.
            for _ in 0..20 {
                healthy(&mut stage, 50);
                let call = stage.call("search");
                stage.fail_after(call, "TIMEOUT", "policy.timeout", 301.0);
                stage.give_up(call, "TIMEOUT", "exhausted");
            }
            let slow = stage.found("short-timeout").remove(0);
            assert_eq!((&slow.settings, &slow.what), (&alone.settings, &alone.what));
            assert_eq!(slow.title, format!("{} while the service was slow", alone.title));
            assert_eq!(slow.evidence.len(), alone.evidence.len());
            let first = CallNumber(u32::try_from(before).unwrap());
            let of_hour = |one: &Evidence| matches!(one, Evidence::Call(call) if (first..CallNumber(first.0 + 40)).contains(call));
            assert!(slow.evidence.iter().all(of_hour), "{:?}", slow.evidence);
        }
    }

    /// In a long log, chance gives many rows of fifty attempts of which more than a tenth are cut off.
    #[test]
    fn timeouts_that_are_few_at_all_times_are_no_finding_however_long_the_log() {
        let mut stage = Stage::new();
        stage.policy("search", r#"{"timeout":{"attemptMs":300}}"#);
        let mut seed = 7_u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (call, draw) = (stage.call("search"), (seed >> 33) % 1_000);
            if draw < 70 {
                stage.fail_after(call, "TIMEOUT", "policy.timeout", 301.0);
                stage.give_up(call, "TIMEOUT", "exhausted");
            } else {
                #[expect(clippy::cast_precision_loss, reason = "below 1000")]
                stage.succeed_after(call, 40.0 + draw as f64 / 1_000.0 * 255.0);
            }
        }
        assert_eq!(stage.found("short-timeout"), []);
    }

    #[test]
    fn a_call_that_failed_is_evidence_before_those_that_answered_in_the_end() {
        let stage = day(300.0);
        let log = stage.log();
        let failed = |number| log.call(number).unwrap().status == Status::Failed;
        let found = stage.found("short-timeout").remove(0);
        let calls: Vec<_> = found
            .evidence
            .iter()
            .filter_map(|one| if let Evidence::Call(number) = one { Some(failed(*number)) } else { None })
            .collect();
        let all = log.calls().filter(|one| failed(one.0)).count();
        let shown = calls.iter().filter(|&&failed| failed).count();
        assert_eq!((calls.len(), shown), (MOST_EVIDENCE, all.min(MOST_EVIDENCE)));
    }

    #[test]
    fn where_a_timeout_cuts_off_good_answers_no_breaker_is_advised() {
        let stage = day(300.0);
        assert_eq!(stage.found("futile-retries"), []);
        let first = super::super::find(&stage.log()).remove(0);
        assert_eq!(first.key.check, "short-timeout");
    }

    #[test]
    fn a_timeout_with_room_is_none_nor_is_that_of_a_service_that_is_down() {
        assert_eq!(day(2_000.0).found("short-timeout"), []);
        // It hangs: nothing near the limit answers.
        let mut stage = Stage::new();
        stage.policy("search", r#"{"timeout":{"attemptMs":1000}}"#);
        for number in 0..40 {
            let call = stage.call("search");
            if number < 20 {
                stage.succeed_after(call, 120.0);
            } else {
                for _ in 0..2 {
                    stage.fail_after(call, "TIMEOUT", "policy.timeout", 1_000.0).wait(call, 10.0, "backoff");
                }
                stage.fail_after(call, "TIMEOUT", "policy.timeout", 1_000.0).give_up(
                    call,
                    "TIMEOUT",
                    "exhausted",
                );
            }
        }
        assert_eq!(stage.found("short-timeout"), []);
        assert_eq!(stage.found("futile-retries").len(), 1);
    }

    #[test]
    fn a_deadline_that_would_cut_off_the_longer_attempt_is_longer_too() {
        let mut stage = day(300.0);
        stage.policy("search", r#"{"timeout":{"attemptMs":300,"totalMs":900}}"#);
        let found = stage.found("short-timeout");
        let paths: Vec<_> = found[0].settings.iter().map(|one| one.path).collect();
        assert_eq!(paths, ["timeout.attemptMs", "timeout.totalMs"]);
    }
}
