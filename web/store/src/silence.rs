//! Detects processes that no longer report, because no event ends the calls of a killed process.
//!
//! A quiet process may be alive, because an operation may take minutes. Two signs show that it is gone:
//!
//! - One of its timers (the end of a wait, an attempt's or a call's timeout) is [`OVERDUE`], and the process has sent
//!   nothing since. A timer that fires sends an event.
//! - It has sent nothing for [`QUIET`], and its calls have no timeouts.
//!
//! The calls of such a process are set aside: they no longer count as open, and end at the process's last event. Its next
//! event undoes that.
//!
//! Time is that of the log's clock, which events move, and [`Log::pass_time`] while no event arrives. Only differences of a
//! process's clock count, because the clocks of two machines differ.

use crate::call::{Call, Outcome, Status};
use crate::names::Name;
use crate::numbers::CallNumber;
use crate::policy::Limits;
use crate::process::{About, OVERDUE, QUIET};
use crate::store::Log;
use crate::time::Moment;

impl Log {
    /// Moves the log's clock while no event does. Returns whether the calls of a process were set aside.
    pub fn pass_time(&mut self, now: Moment) -> bool {
        if self.kept() == 0 {
            return false;
        }
        self.watch.clock = self.watch.clock.max(now);
        self.watch.clock >= self.watch.next && self.look_after_processes()
    }

    /// Records that a process has sent an event of that time. Its calls that were set aside are open again.
    #[inline(never)]
    pub(crate) fn hear(&mut self, source: Name, time: Moment) {
        self.watch.clock = self.watch.clock.max(time);
        let clock = self.watch.clock;
        let process = self.processes.entry(source).or_default();
        (process.heard, process.last) = (clock, process.last.max(time));
        let silent = std::mem::take(&mut process.silent);
        for number in silent {
            let Some(call) = self.calls.get_mut(number).filter(|call| call.status == Status::Silent) else {
                continue;
            };
            call.resume();
            self.open(number, source);
        }
        self.watch.next = self.watch.next.min(clock + OVERDUE);
        self.pass_time(time);
    }

    /// Sets aside the calls of processes that no longer report. Returns whether there were any.
    #[inline(never)]
    fn look_after_processes(&mut self) -> bool {
        let clock = self.watch.clock;
        let mut next = Moment::LAST;
        let mut gone = Vec::new();
        for (&source, process) in &self.processes {
            if process.open == 0 {
                continue;
            }
            // Most processes send events all the time, so their calls need no check.
            let mut until = process.heard + OVERDUE;
            if until <= clock {
                until = process.heard + self.patience(source, process.last);
            }
            if until <= clock {
                gone.push(source);
            } else {
                next = next.min(until);
            }
        }
        self.watch.next = next;
        for &source in &gone {
            self.set_aside(source);
        }
        !gone.is_empty()
    }

    /// How long a process may be quiet after its event of that time.
    fn patience(&self, source: Name, last: Moment) -> f64 {
        let calls = self.open_calls().filter(|(_, call)| call.source == source);
        // A timer that was due earlier proves nothing, because the process has sent events since.
        let due = calls.filter_map(|(_, call)| self.due(call, last));
        due.map(|due| due - last + OVERDUE).fold(QUIET, f64::min)
    }

    /// The next moment after `after` at which the process of a call must send an event about it.
    fn due(&self, call: &Call, after: Moment) -> Option<Moment> {
        let first = call.events.first().map_or("", |&event| self.line_of(event));
        let limits = Limits::of_call(first).or(self.policies.limits(call.policy_id()));
        let attempt = call.attempts.last().filter(|attempt| attempt.outcome == Outcome::Running);
        let wait = call.waits.last().filter(|wait| wait.ended.is_none()).and_then(|wait| wait.due);
        // Once a stream has begun, its call may last longer than these limits.
        let streams = attempt.is_some_and(|attempt| attempt.chunks > 0);
        let limited = |from: Moment, limit: Option<f64>| limit.filter(|_| !streams).map(|limit| from + limit);
        let dues = [
            wait,
            attempt.and_then(|attempt| limited(attempt.started, limits.attempt)),
            limited(call.started, limits.total),
        ];
        dues.into_iter().flatten().filter(|&due| due >= after).min_by(Moment::total_cmp)
    }

    fn set_aside(&mut self, source: Name) {
        let Some(process) = self.processes.get(&source) else { return };
        let last = process.last;
        let of_source = self.open_calls().filter(|(_, call)| call.source == source);
        let numbers: Vec<_> = of_source.map(|(number, _)| number).collect();
        for &number in &numbers {
            if let Some(call) = self.calls.get_mut(number) {
                call.status = Status::Silent;
                call.ended = Some(last.max(call.started));
            }
            self.close(number, source);
        }
        if let Some(process) = self.processes.get_mut(&source) {
            process.silent = numbers;
        }
    }

    /// A call is open.
    pub(crate) fn open(&mut self, number: CallNumber, source: Name) {
        if self.open.insert(number) {
            if let Some(process) = self.processes.get_mut(&source) {
                process.open += 1;
            }
            self.spans.opened(number);
        }
    }

    /// A call is no longer open.
    pub(crate) fn close(&mut self, number: CallNumber, source: Name) {
        if self.open.remove(&number) {
            if let Some(process) = self.processes.get_mut(&source) {
                process.open = process.open.saturating_sub(1);
            }
            self.spans.ended(number);
        }
    }

    /// Every process that has sent events, with its description.
    pub fn each_process(&self) -> impl Iterator<Item = (Name, &About)> {
        self.processes.iter().map(|(&source, process)| (source, &process.about))
    }

    /// A process's own description.
    pub fn about(&self, source: Name) -> About {
        self.processes.get(&source).map(|process| process.about).unwrap_or_default()
    }

    /// When the last event of a process came, by the log's clock.
    pub fn heard(&self, source: Name) -> Option<Moment> {
        self.processes.get(&source).map(|process| process.heard)
    }

    /// The calls whose process no longer reports.
    pub fn silent_calls(&self) -> impl Iterator<Item = (CallNumber, &Call)> {
        let numbers = self.processes.values().flat_map(|process| &process.silent);
        numbers.filter_map(|&number| Some((number, self.calls.get(number)?)))
    }
}

#[cfg(test)]
mod tests {
    use crate::numbers::CallNumber;
    use crate::stage::Stage;
    use crate::time::Moment;

    /// Returns the status of the one call `c` after a silence of that length, in milliseconds.
    fn after(stage: &mut Stage, ms: f64) -> &'static str {
        let now = stage.pass(ms).time;
        stage.log.pass_time(now);
        stage.statuses()[0].1
    }

    #[test]
    fn a_call_whose_process_misses_its_own_retry_is_set_aside() {
        let mut stage = Stage::new();
        stage.call("killed", "c", "").fail("killed", "c", 1).wait("killed", "c", 2_000.0);
        let last = stage.time;
        assert_eq!(after(&mut stage, 31_000.0), "waiting");
        assert_eq!(after(&mut stage, 2_000.0), "silent");
        let log = &stage.log;
        assert!(!log.is_busy() && log.open_calls().next().is_none());
        assert_eq!(
            log.silent_calls().map(|(number, call)| (number, call.ended)).collect::<Vec<_>>(),
            [(CallNumber(0), Some(last))]
        );
    }

    #[test]
    fn a_limit_of_time_that_is_past_is_a_sign_too() {
        for timeout in [r#"{"attemptMs":5000}"#, r#"{"totalMs":5000}"#] {
            let options = format!(r#"{{"timeout":{timeout}}}"#);
            let mut stage = Stage::new();
            stage.policy("killed", "chat", &options).call("killed", "c", "");
            assert_eq!(after(&mut stage, 34_000.0), "running");
            assert_eq!(after(&mut stage, 2_000.0), "silent");
            // Set for the call alone.
            let mut stage = Stage::new();
            stage.call("killed", "c", &format!(r#","options":{options}"#));
            assert_eq!(after(&mut stage, 36_000.0), "silent");
            // The call has no limit, although its policy has one.
            let mut stage = Stage::new();
            stage.policy("alive", "chat", &options);
            stage.call(
                "alive",
                "c",
                r#","options":{"timeout":{"attemptMs":"Infinity","totalMs":"Infinity"}}"#,
            );
            assert_eq!(after(&mut stage, 599_000.0), "running");
        }
    }

    #[test]
    fn a_call_that_runs_for_minutes_is_not_given_up_because_it_is_quiet() {
        let mut stage = Stage::new();
        stage.call("alive", "c", "");
        for number in 0..59 {
            let call = number.to_string();
            stage.pass(10_000.0).call("other", &call, "").succeed("other", &call);
            assert_eq!(stage.statuses()[0].1, "running");
        }
        assert_eq!(after(&mut stage, 10_000.0), "silent");
        // It is set aside, not ended.
        stage.pass(60_000.0).attempt("alive", "e", 1);
        assert_eq!(stage.statuses()[0].1, "running");
        assert!(stage.log.call(CallNumber(0)).is_some_and(|call| call.ended.is_none()));
        stage.succeed("alive", "c");
        assert_eq!(stage.statuses()[0].1, "ok");
    }

    #[test]
    fn what_the_process_was_before_it_fell_silent_it_is_after() {
        let mut stage = Stage::new();
        stage.call("p", "c", "").fail("p", "c", 1).wait("p", "c", 1_000.0).call("p", "d", "");
        assert_eq!(after(&mut stage, 40_000.0), "silent");
        stage.event("p", "degraded", r#""operation":"search","code":"TIMEOUT""#);
        assert_eq!(stage.statuses().iter().map(|one| one.1).collect::<Vec<_>>(), ["waiting", "running"]);
        assert_eq!((stage.log.open_calls().count(), stage.log.silent_calls().count()), (2, 0));
    }

    #[test]
    fn a_moment_that_the_process_has_outlived_proves_nothing() {
        let mut stage = Stage::new();
        stage.call("p", "c", "").fail("p", "c", 1).wait("p", "c", 1_000.0);
        // Its timer did not come, but others of its events have.
        stage.pass(5_000.0).call("p", "d", "");
        assert_eq!(after(&mut stage, 100_000.0), "waiting");
    }

    #[test]
    fn a_stream_that_has_begun_is_not_held_to_the_limits() {
        let mut stage = Stage::new();
        stage.policy("p", "chat", r#"{"timeout":{"attemptMs":5000,"totalMs":5000}}"#).call("p", "c", "");
        stage.event("p", "stream.chunk", r#""call":"c","attempt":1,"chunks":1,"characters":5"#);
        assert_eq!(after(&mut stage, 100_000.0), "running");
    }

    #[test]
    fn clocks_that_differ_are_no_sign() {
        let mut stage = Stage::new();
        for second in 0..900 {
            let now = stage.pass(1_000.0).time;
            let (late, early) = (now - 3_600_000.0, now + 3_600_000.0);
            if second == 0 {
                stage.event_at(late, "late", "call.started", r#""call":"c""#);
                stage.event_at(early, "early", "call.started", r#""call":"d""#);
            }
            stage.event_at(late, "late", "degraded", r#""operation":"o","code":"TIMEOUT""#);
            stage.event_at(early, "early", "degraded", r#""operation":"o","code":"TIMEOUT""#);
            stage.log.pass_time(now);
        }
        assert_eq!(stage.statuses().iter().map(|one| one.1).collect::<Vec<_>>(), ["running", "running"]);
    }

    #[test]
    fn time_is_folded_after_a_killed_process_and_not_while_a_call_runs() {
        let mut stage = Stage::new();
        stage.call("killed", "c", "").fail("killed", "c", 1).wait("killed", "c", 1_000.0);
        stage.pass(3_600_000.0).call("alive", "d", "");
        let folds = |stage: &Stage| stage.log.folds.within(Moment::FIRST, Moment::LAST).count();
        assert_eq!(folds(&stage), 1);
        // The call that ends the quiet has lasted all that time.
        stage.pass(3_600_000.0).succeed("alive", "d");
        assert_eq!(folds(&stage), 1);
    }

    #[test]
    fn while_the_log_is_empty_its_clock_waits() {
        let mut stage = Stage::new();
        // A page that shows yesterday's log.
        stage.log.pass_time(stage.time + 86_400_000.0);
        stage.call("killed", "c", "").fail("killed", "c", 1).wait("killed", "c", 1_000.0);
        stage.pass(60_000.0).call("alive", "d", "");
        assert_eq!(stage.statuses()[0].1, "silent");
    }
}
