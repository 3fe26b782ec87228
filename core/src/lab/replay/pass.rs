//! One replay of a log: the recorded calls under their policies, with the engines that ship.
//!
//! A call begins when it began, an attempt that was recorded comes to what it came to, after as long; one that never
//! happened is drawn from the model. As long as a call goes as it was recorded, its timers are as late as they were, and what
//! happened in one millisecond keeps its order.

use super::host::{Hosts, config_of};
use super::model::Sample;
use super::recorded::{End, Failed, How, Moment, Outcome};
use super::recorder::micros;
use super::tally::{Ended, Tally};
use super::under::Under;
use super::world::{LATE, Outside, World};
use crate::classify::Unit;
use crate::code::Code;
use crate::lab::random::{Purpose, stream};
use crate::policy::{Context, Engine, Failure, Layer, OwnDelay, RetryOn, Step, Verdict, Why};
use crate::time::{Millis, Timestamp};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What has no order of its own comes after what was recorded in the same microsecond, as it was scheduled.
const AFTERWARDS: u64 = 1 << 62;

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The wait of a call is over.
    Resume(u32),
    /// An attempt ends by itself.
    Ends(u32, u32),
    /// An attempt that was cut off in the log has come further than that.
    Beyond(u32, u32),
    /// An attempt's timeout.
    Timeout(u32, u32),
    /// A call's deadline.
    Deadline(u32),
    /// The caller aborts.
    Cancel(u32),
    /// The consumer closes the stream.
    Close(u32),
    /// Another attempt may begin beside this one.
    Hedge(u32, u32),
    /// The first of a host's queue has its turn.
    Turn(u32),
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Waiting,
    Queued,
    Over,
}

/// A call on its way.
#[derive(Debug)]
struct Frame {
    /// The engine's number.
    handle: u32,
    state: State,
    attempts: u32,
    hedges: u32,
    /// The attempt beside which others may begin.
    round: u32,
    running: Vec<Running>,
    deadline: u64,
    last: Code,
    modelled: bool,
    /// Once it has ended.
    result: Option<Ended>,
}

/// An attempt on its way.
#[derive(Clone, Copy, Debug)]
struct Running {
    number: u32,
    began: u64,
    result: Outcome,
    took: Option<u64>,
    tokens: u32,
}

/// One replay, as far as it has come.
#[derive(Debug)]
pub(super) struct Pass {
    seed: u64,
    hosts: Hosts,
    frames: Vec<Frame>,
    events: BinaryHeap<Reverse<(u64, u64, What)>>,
    /// What was scheduled without an order of its own.
    scheduled: u64,
    next_arrival: usize,
    next_outside: usize,
    now: u64,
    pub(super) tally: Tally,
    /// How many attempts never happened.
    pub(super) drawn: u64,
    /// Hosts whose delays are not those of their seed: the log begins later than they did, or the application drew them.
    own_delays: Vec<u32>,
}

impl Pass {
    pub(super) fn new(under: Under<'_>, seed: u64) -> Self {
        let frame = || Frame {
            handle: 0,
            state: State::Over,
            attempts: 0,
            hedges: 0,
            round: 0,
            running: Vec::new(),
            deadline: u64::MAX,
            last: Code::Unknown,
            modelled: false,
            result: None,
        };
        Self {
            seed,
            hosts: Hosts::new(under),
            frames: under.world.history.calls.iter().map(|_| frame()).collect(),
            events: BinaryHeap::new(),
            scheduled: AFTERWARDS,
            next_arrival: 0,
            next_outside: 0,
            now: 0,
            tally: Tally::new(),
            drawn: 0,
            own_delays: Vec::new(),
        }
    }

    /// Goes on for so many events. Returns whether it has ended.
    pub(super) fn advance(&mut self, under: Under<'_>, events: u64) -> bool {
        for _ in 0..events {
            if !self.next(under) {
                return true;
            }
            self.tally.events += 1;
        }
        false
    }

    /// How far it has come, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "for a progress bar")]
    pub(super) fn share(&self, world: &World) -> f64 {
        self.next_arrival as f64 / world.arrivals.len().max(1) as f64
    }

    /// How a call ended, and whether it had an attempt that never happened; nothing for one that the log does not have from its
    /// beginning to its end.
    pub(super) fn result(&self, call: u32) -> Option<(Ended, bool)> {
        let frame = self.frames.get(call as usize)?;
        Some((frame.result?, frame.modelled))
    }

    fn next(&mut self, under: Under<'_>) -> bool {
        let world = under.world;
        let arrival = world.arrivals.get(self.next_arrival).copied();
        let begun = arrival.and_then(|call| under.call(call)?.begun);
        let outside = world.outside.get(self.next_outside);
        let scheduled = self.events.peek().map(|Reverse((at, order, _))| Moment { at: *at, seq: *order });
        let first = [begun, outside.map(|&(moment, ..)| moment), scheduled].into_iter().flatten().min();
        let Some(first) = first else { return false };
        self.now = self.now.max(first.at);
        if Some(first) == begun {
            self.next_arrival += 1;
            if let Some(call) = arrival {
                self.arrive(under, call);
                self.pump(under, under.host(call));
            }
        } else if let Some(&(moment, host, what)) = outside
            && moment == first
        {
            self.next_outside += 1;
            self.change(under, host, what);
            self.pump(under, host);
        } else if let Some(Reverse((_, _, what))) = self.events.pop() {
            self.happen(under, what);
        }
        true
    }

    fn happen(&mut self, under: Under<'_>, what: What) {
        let host = match what {
            What::Turn(host) => {
                self.hosts.turn_passed(host);
                host
            }
            What::Resume(call)
            | What::Ends(call, _)
            | What::Beyond(call, _)
            | What::Timeout(call, _)
            | What::Deadline(call)
            | What::Cancel(call)
            | What::Close(call)
            | What::Hedge(call, _) => under.host(call),
        };
        match what {
            What::Resume(call) => self.resume(under, call),
            What::Ends(call, number) => self.attempt_ends(under, call, number),
            What::Beyond(call, number) => self.beyond(under, call, number),
            What::Timeout(call, number) => self.time_out(under, call, number),
            What::Deadline(call) => self.pass_deadline(under, call),
            What::Cancel(call) => {
                self.leave(under, call, How::Failed { code: Code::Cancelled, why: Why::Cancelled })
            }
            What::Close(call) => self.leave(under, call, How::Closed),
            What::Hedge(call, number) => self.hedge(under, call, number),
            What::Turn(_) => {}
        }
        self.pump(under, host);
    }

    const fn clock(&self) -> Timestamp {
        Timestamp(self.now / 1000)
    }

    /// Schedules what has no order of its own.
    fn at(&mut self, at: u64, what: What) {
        self.scheduled += 1;
        self.events.push(Reverse((at.max(self.now), self.scheduled, what)));
    }

    /// Schedules what is in the log.
    fn as_recorded(&mut self, moment: Moment, what: What) {
        self.events.push(Reverse((moment.at.max(self.now), moment.seq, what)));
    }

    fn frame(&mut self, call: u32) -> Option<&mut Frame> {
        self.frames.get_mut(call as usize)
    }

    fn input<R>(
        &mut self,
        under: Under<'_>,
        call: u32,
        input: impl FnOnce(&mut Engine, &mut Context<'_>, u32, Timestamp) -> R,
    ) -> Option<R> {
        let handle = self.frames.get(call as usize)?.handle;
        let now = self.clock();
        self.hosts.input(under.host(call), |engine, context| input(engine, context, handle, now))
    }

    fn change(&mut self, under: Under<'_>, host: u32, what: Outside) {
        match what {
            Outside::Control(control) => self.hosts.control(host, control, self.clock()),
            Outside::Settings(settings) => {
                let policy = under.policies().get(settings as usize);
                let seed = under.world.history.hosts.get(host as usize).map_or(0, |host| host.seed);
                if let Some(policy) = policy
                    && !under.is_replaced(host)
                {
                    self.hosts.update(host, policy, seed);
                }
            }
        }
    }

    fn arrive(&mut self, under: Under<'_>, number: u32) {
        let (Some(call), Some(policy)) = (under.call(number), under.policy(number)) else { return };
        if under.world.is_imposed(call) {
            if let Some(End { how, .. }) = call.end {
                self.finish(under, number, how);
            }
            return;
        }
        let (now, recorded) = (self.now, under.recorded(number));
        let total = policy.config.call.total;
        if let Some(frame) = self.frame(number) {
            frame.state = State::Running;
        }
        if let Some(total) = total {
            let due = now.saturating_add(total.0.saturating_mul(1000));
            let is_same = recorded.is_some_and(|recorded| recorded.config.call.total == Some(total));
            let end = call.end.filter(|_| is_same);
            if let Some(frame) = self.frame(number) {
                frame.deadline = due;
            }
            match end {
                Some(End { moment, how: How::Failed { why: Why::Deadline, .. } })
                    if is_late(due, moment.at) =>
                {
                    self.as_recorded(moment, What::Deadline(number));
                }
                Some(End { moment, .. }) => self.at(due.max(moment.at), What::Deadline(number)),
                None => self.at(due, What::Deadline(number)),
            }
        }
        match call.end {
            Some(End { moment, how: How::Failed { why: Why::Cancelled, .. } }) => {
                self.as_recorded(moment, What::Cancel(number));
            }
            Some(End { moment, how: How::Closed }) => self.as_recorded(moment, What::Close(number)),
            _ => {}
        }
        let was_refused = matches!(call.end, Some(End { how: How::Rejected { .. }, .. }))
            && under.world.history.attempts_of(call).next().is_none();
        let now = self.decided_at(under, call.host, was_refused);
        let step = self.hosts.input(call.host, |engine, context| {
            if call.has_own {
                engine.begin_with(context, Some(now), config_of(policy).call)
            } else {
                engine.begin(context, Some(now))
            }
        });
        if let Some(step) = step {
            self.take(under, number, step);
        }
    }

    /// The time by which a breaker decides on a call.
    fn decided_at(&self, under: Under<'_>, host: u32, was_refused: bool) -> Timestamp {
        let is_fine = under.world.history.hosts.get(host as usize).is_some_and(|host| host.has_fine_clock);
        if !is_fine || under.is_replaced(host) {
            return self.clock();
        }
        self.hosts.true_time(host, self.clock(), was_refused)
    }

    /// Does what a step says.
    fn take(&mut self, under: Under<'_>, call: u32, step: Step) {
        match step {
            Step::Attempt { call: handle, attempt, .. } => {
                if let Some(frame) = self.frame(call) {
                    (frame.handle, frame.state) = (handle, State::Running);
                    (frame.hedges, frame.round) = (0, attempt);
                }
                self.attempt(under, call, attempt);
                self.hedge_later(under, call, attempt);
            }
            Step::Wait { .. } => {}
            Step::Queued { call: handle, by, .. } => {
                if let Some(frame) = self.frame(call) {
                    (frame.handle, frame.state) = (handle, State::Queued);
                }
                self.hosts.enqueue(under.host(call), handle, call, by == Layer::RateLimit);
            }
            Step::Rejected { by, .. } => self.finish(under, call, How::Rejected { by }),
            Step::GiveUp { why, .. } => {
                let code = self.frame(call).map_or(Code::Unknown, |frame| frame.last);
                self.finish(under, call, How::Failed { code, why });
            }
            // Others run beside the attempt that failed. The other two do not occur: every input has the time and, where the
            // application says how long to wait, its delay.
            Step::Done { .. } | Step::NeedTime | Step::NeedDelay { .. } => {}
        }
    }

    /// Queued calls go on that can.
    fn pump(&mut self, under: Under<'_>, host: u32) {
        while let Some((handle, call)) = self.hosts.next_ready(host, self.clock()) {
            let now = self.now;
            if self.frame(call).is_some_and(|frame| frame.deadline <= now) {
                self.pass_deadline(under, call);
                continue;
            }
            self.hosts.leave_queue(host, handle);
            if let Some(frame) = self.frame(call) {
                frame.state = State::Running;
            }
            let step = self.input(under, call, |engine, context, handle, now| {
                engine.dequeue(context, handle, Some(now))
            });
            match step {
                Some(step) => self.take(under, call, step),
                None => break,
            }
        }
        if let Some((due, call)) = self.hosts.next_turn(host) {
            let next = self.frame(call).map_or(0, |frame| frame.attempts + 1);
            match under.attempt(call, next).and_then(|attempt| attempt.begun) {
                Some(begun) if is_late(due, begun.at) && begun.at.max(due) > self.now => {
                    self.as_recorded(Moment { at: begun.at.max(due), ..begun }, What::Turn(host));
                }
                // Were it not later, the same would happen again for ever.
                _ => self.at(due.max(self.now + 1000), What::Turn(host)),
            }
        }
    }
}

/// Attempts.
impl Pass {
    fn attempt(&mut self, under: Under<'_>, call: u32, number: u32) {
        let (now, world) = (self.now, under.world);
        let Some(found) = under.call(call) else { return };
        if !found.is_outer && found.end.is_some() {
            self.tally.attempts += 1;
        }
        let recorded = under.attempt(call, number).and_then(|attempt| Some((attempt, attempt.begun?)));
        let provider = under.provider(call);
        let near = |begun: Moment| begun.at.abs_diff(now) <= world.model.tolerance(provider);
        if let Some(frame) = self.frame(call) {
            frame.attempts = number;
        }
        let Some((attempt, begun)) = recorded.filter(|&(_, begun)| near(begun)) else {
            let mut draws = self.draws(call, number);
            self.drawn += 1;
            if let Some(frame) = self.frame(call) {
                frame.modelled = true;
            }
            let drawn = world.model.draw(provider, now, &mut draws);
            return self.drawn(under, call, Running { number, began: now, ..UNKNOWN }, drawn);
        };
        let running = Running { number, began: now, ..UNKNOWN };
        let is_same = begun.at == now;
        let ended = attempt.ended.or(found.end.map(|end| end.moment));
        let Some(ended) = ended else {
            // The log ends before it did.
            self.run(call, running);
            return self.time_later(under, call, number, None);
        };
        let took = ended.at.saturating_sub(begun.at);
        let is_known = match attempt.result {
            Outcome::Open => false,
            Outcome::Succeeded => true,
            Outcome::Failed(failed) => !failed.is_cut,
        };
        if is_known {
            let (result, tokens) = (attempt.result, attempt.tokens);
            self.run(call, Running { result, tokens, took: Some(attempt.took), ..running });
            if is_same {
                self.as_recorded(ended, What::Ends(call, number));
            } else {
                self.at(now.saturating_add(took), What::Ends(call, number));
            }
        } else {
            self.run(call, running);
        }
        self.time_later(under, call, number, is_same.then_some((ended, is_known)));
        if !is_known {
            self.at(now.saturating_add(took), What::Beyond(call, number));
        }
    }

    /// An attempt that never happened goes as one near it did.
    fn drawn(&mut self, under: Under<'_>, call: u32, running: Running, drawn: Option<Sample>) {
        let (now, number) = (self.now, running.number);
        let unknown = Sample::unknown();
        let sample = drawn.unwrap_or(unknown);
        if sample.is_cut() {
            self.run(call, running);
            self.time_later(under, call, number, None);
            self.at(now.saturating_add(sample.took), What::Beyond(call, number));
            return;
        }
        let (result, tokens) = (sample.result, sample.tokens);
        self.run(call, Running { result, tokens, ..running });
        self.time_later(under, call, number, None);
        self.at(now.saturating_add(sample.took), What::Ends(call, number));
    }

    fn draws(&self, call: u32, number: u32) -> crate::rng::SplitMix64 {
        stream(self.seed, Purpose::Attempt, u64::from(call) << 8 ^ u64::from(number))
    }

    fn run(&mut self, call: u32, running: Running) {
        if let Some(frame) = self.frame(call) {
            frame.running.push(running);
        }
    }

    /// Sets the timeout of an attempt. `ended`: when it ended in the log, if it began as it did there, and whether by itself.
    fn time_later(&mut self, under: Under<'_>, call: u32, number: u32, ended: Option<(Moment, bool)>) {
        let Some(limit) = under.policy(call).and_then(|policy| policy.attempt_ms) else { return };
        let due = self.now.saturating_add(micros(limit));
        let is_same = under.recorded(call).is_some_and(|recorded| recorded.attempt_ms == Some(limit));
        match ended.filter(|_| is_same) {
            // Its timer did not stop it then.
            Some((_, true)) => {}
            Some((moment, false)) if is_late(due, moment.at) => {
                self.as_recorded(moment, What::Timeout(call, number))
            }
            _ => self.at(due, What::Timeout(call, number)),
        }
    }

    fn take_running(&mut self, call: u32, number: u32) -> Option<Running> {
        let frame = self.frame(call)?;
        let index = frame.running.iter().position(|running| running.number == number)?;
        Some(frame.running.remove(index))
    }

    fn attempt_ends(&mut self, under: Under<'_>, call: u32, number: u32) {
        let Some(running) = self.take_running(call, number) else { return };
        self.uses(under, call, &running);
        match running.result {
            Outcome::Succeeded => self.succeed(under, call, &running),
            Outcome::Failed(failed) => {
                let failure = self.failure(under, call, &running, failed);
                self.fail(under, call, &failure);
            }
            Outcome::Open => {}
        }
    }

    /// Counts what an attempt took, for a limit on tokens and for the bill.
    fn uses(&mut self, under: Under<'_>, call: u32, running: &Running) {
        self.tally.tokens += u64::from(running.tokens);
        let limits = under.policy(call).map(|policy| &policy.config.rate_limits);
        let counts_tokens =
            limits.is_some_and(|limits| limits.iter().any(|limit| limit.unit == Unit::Tokens));
        if counts_tokens && running.tokens > 0 {
            self.input(under, call, |engine, _, handle, _| {
                engine.observe_usage(handle, running.number, running.tokens);
            });
        }
    }

    fn took(&self, running: &Running) -> Millis {
        Millis(running.took.unwrap_or((self.now - running.began).div_ceil(1000)))
    }

    fn succeed(&mut self, under: Under<'_>, call: u32, running: &Running) {
        let took = self.took(running);
        while let Some(loser) = self.frame(call).and_then(|frame| frame.running.pop()) {
            self.tally.wasted += self.now - loser.began;
            let cancelled = Failure { attempt: Some(loser.number), ..Failure::of(Code::Cancelled) };
            let _: Option<Step> = self.input(under, call, |engine, context, handle, now| {
                engine.fail(context, handle, Some(now), &cancelled)
            });
        }
        let _: Option<Step> = self.input(under, call, |engine, context, handle, now| {
            engine.succeed(context, handle, Some(now), Some(took))
        });
        self.finish(under, call, How::Succeeded);
    }

    /// A failure as the engine gets it, with what the log shows of the application's own decisions.
    fn failure(&mut self, under: Under<'_>, call: u32, running: &Running, failed: Failed) -> Failure {
        let mut failure = Failure {
            retryable: failed.retryable,
            hint: failed.hint.map(Millis),
            attempt: Some(running.number),
            duration: Some(self.took(running)),
            ..Failure::of(failed.code)
        };
        let (Some(found), Some(policy), Some(recorded)) =
            (under.call(call), under.policy(call), under.recorded(call))
        else {
            return failure;
        };
        if recorded.breaker.is_some() {
            failure.counts = failed.counted;
        }
        let Some(attempt) = under
            .attempt(call, running.number)
            .filter(|attempt| attempt.result == running.result && running.took == Some(attempt.took))
        else {
            return failure;
        };
        let is_last = self.frame(call).is_some_and(|frame| frame.running.is_empty());
        let why = match found.end {
            Some(End { how: How::Failed { why, .. }, moment }) if is_last && attempt.wait.is_none() => {
                Some(why).filter(|_| Some(moment.at) == attempt.ended.map(|ended| ended.at))
            }
            _ => None,
        };
        failure.nested = why == Some(Why::Nested);
        failure.broken_stream = why == Some(Why::BrokenStream);
        if !under.is_replaced(under.host(call)) {
            let allowed = recorded.config.call.retry.retry_on.allows(failed.code, failed.retryable);
            if why == Some(Why::NotRetryable) && allowed {
                failure.verdict = Verdict::Stop;
            } else if attempt.wait.is_some() && !allowed {
                failure.verdict = Verdict::Retry;
            }
        } else if why == Some(Why::NotRetryable) && failed.retryable {
            let listed = matches!(recorded.config.call.retry.retry_on, RetryOn::List { .. });
            // Neither its code nor a list was against it: the operation must not be repeated.
            failure.sent_and_not_idempotent = !listed;
        }
        // Where the seed gives the delays of the log it draws them, and all that it drew besides.
        if let Some(wait) = attempt.wait.filter(|wait| wait.is_backoff)
            && self.own_delays.contains(&under.host(call))
            && (!under.is_replaced(under.host(call))
                || policy.config.call.retry.backoff == recorded.config.call.retry.backoff)
        {
            failure.own_delay = OwnDelay::Given(Millis(wait.delay));
        }
        failure
    }

    fn fail(&mut self, under: Under<'_>, call: u32, failure: &Failure) {
        if let Some(frame) = self.frame(call) {
            frame.last = failure.code;
        }
        let step = self.input(under, call, |engine, context, handle, now| {
            engine.fail(context, handle, Some(now), failure)
        });
        let Some(step) = step else { return };
        if let Step::Wait { plan, .. } = step {
            let (delay, number) = (plan.delay.delay.0, failure.attempt.unwrap_or_default());
            if let Some(frame) = self.frame(call) {
                frame.state = State::Waiting;
            }
            let due = self.now.saturating_add(delay.saturating_mul(1000));
            let attempt = under.attempt(call, number);
            let is_same = attempt.and_then(|attempt| attempt.ended).is_some_and(|ended| ended.at == self.now);
            let recorded = attempt.and_then(|attempt| attempt.wait).filter(|_| is_same);
            if recorded.is_some_and(|wait| wait.is_backoff && wait.delay != delay)
                && !under.is_replaced(under.host(call))
                && !self.own_delays.contains(&under.host(call))
            {
                self.own_delays.push(under.host(call));
            }
            let wait = recorded.filter(|wait| wait.delay == delay);
            match wait.and_then(|wait| wait.resumed) {
                Some(resumed) if is_late(due, resumed.at) => {
                    self.as_recorded(Moment { at: resumed.at.max(due), ..resumed }, What::Resume(call));
                }
                _ => self.at(due, What::Resume(call)),
            }
            return;
        }
        self.take(under, call, step);
    }

    fn resume(&mut self, under: Under<'_>, call: u32) {
        if self.frame(call).is_none_or(|frame| frame.state != State::Waiting) {
            return;
        }
        let next = self.frame(call).map_or(0, |frame| frame.attempts + 1);
        let handle = self.frame(call).map_or(0, |frame| frame.handle);
        let was_refused = under.call(call).is_some_and(|found| {
            matches!(found.end, Some(End { how: How::Rejected { .. }, .. }))
                && under.world.history.attempt(found, next).is_none()
        });
        let host = under.host(call);
        let now = self.decided_at(under, host, was_refused);
        let step = self.hosts.input(host, |engine, context| engine.resume(context, handle, Some(now)));
        if let Some(step) = step {
            self.take(under, call, step);
        }
    }

    /// An attempt that its log cut off goes on: as those did that took longer.
    fn beyond(&mut self, under: Under<'_>, call: u32, number: u32) {
        let now = self.now;
        let Some(frame) = self.frame(call) else { return };
        let Some(running) = frame.running.iter_mut().find(|running| running.number == number) else { return };
        let began = running.began;
        frame.modelled = true;
        self.drawn += 1;
        let took = now - began;
        let mut draws = self.draws(call, number);
        let later = under.world.model.draw_beyond(under.provider(call), began, took, &mut draws);
        let has_timer = under.policy(call).is_some_and(|policy| {
            policy.attempt_ms.is_some_and(|limit| micros(limit) > took) || policy.config.call.total.is_some()
        });
        let (result, tokens, at) = match later {
            Some(sample) => (sample.result, sample.tokens, began.saturating_add(sample.took)),
            // It hangs, until something cuts it off.
            None if has_timer => return,
            None => (Sample::unknown().result, 0, now),
        };
        let frame = self.frames.get_mut(call as usize);
        if let Some(running) =
            frame.and_then(|frame| frame.running.iter_mut().find(|running| running.number == number))
        {
            (running.result, running.tokens) = (result, tokens);
        }
        self.at(at, What::Ends(call, number));
    }

    fn time_out(&mut self, under: Under<'_>, call: u32, number: u32) {
        let Some(running) = self.take_running(call, number) else { return };
        self.cut(under, call, &running);
    }

    fn cut(&mut self, under: Under<'_>, call: u32, running: &Running) {
        self.tally.wasted += self.now - running.began;
        let failed = Failed { code: Code::Timeout, retryable: true, counted: true, hint: None, is_cut: true };
        // As it was recorded, where it was cut off then too.
        let attempt = under.attempt(call, running.number).filter(|attempt| {
            let is_now = attempt.ended.is_some_and(|ended| ended.at == self.now);
            is_now && matches!(attempt.result, Outcome::Failed(Failed { is_cut: true, .. }))
        });
        let recorded = attempt.map_or(*running, |attempt| Running {
            took: Some(attempt.took),
            result: attempt.result,
            ..*running
        });
        let failed = match recorded.result {
            Outcome::Failed(failed) => failed,
            _ => failed,
        };
        let failure = self.failure(under, call, &recorded, failed);
        self.fail(under, call, &failure);
    }

    fn hedge_later(&mut self, under: Under<'_>, call: u32, number: u32) {
        let Some((after, most)) = under.policy(call).and_then(|policy| policy.hedge) else { return };
        let Some(frame) = self.frame(call) else { return };
        if frame.hedges >= most {
            return;
        }
        frame.hedges += 1;
        let next = frame.attempts + 1;
        let due = self.now.saturating_add(micros(after));
        match under.attempt(call, next).and_then(|attempt| attempt.begun) {
            Some(begun) if is_late(due, begun.at) => self.as_recorded(begun, What::Hedge(call, number)),
            _ => self.at(due, What::Hedge(call, number)),
        }
    }

    fn hedge(&mut self, under: Under<'_>, call: u32, number: u32) {
        let is_on = self.frame(call).is_some_and(|frame| {
            frame.state == State::Running && frame.round == number && !frame.running.is_empty()
        });
        if !is_on {
            return;
        }
        self.hedge_later(under, call, number);
        let step =
            self.input(under, call, |engine, context, handle, now| engine.hedge(context, handle, Some(now)));
        if let Some(Step::Attempt { attempt, .. }) = step {
            self.attempt(under, call, attempt);
        }
    }
}

/// Ends.
impl Pass {
    fn pass_deadline(&mut self, under: Under<'_>, call: u32) {
        let Some(frame) = self.frame(call).filter(|frame| frame.state != State::Over) else { return };
        let deadline = frame.deadline;
        let numbers: Vec<u32> = frame.running.iter().map(|running| running.number).collect();
        let is_running = frame.state == State::Running && !numbers.is_empty();
        frame.last = Code::Timeout;
        // A timer has fired that was due then, whatever the fraction of a millisecond.
        self.now = self.now.max(deadline);
        if is_running {
            for number in numbers {
                self.time_out(under, call, number);
            }
            return;
        }
        self.leave_queue(under, call);
        let step = self.input(under, call, |engine, context, handle, now| {
            engine.abandon(context, handle, Some(now), Why::Deadline, Code::Timeout)
        });
        if let Some(step) = step {
            self.take(under, call, step);
        }
    }

    fn leave_queue(&mut self, under: Under<'_>, call: u32) {
        let handle = self.frame(call).filter(|frame| frame.state == State::Queued).map(|frame| frame.handle);
        if let Some(handle) = handle {
            self.hosts.leave_queue(under.host(call), handle);
        }
    }

    /// The caller aborts, or has enough of a stream.
    fn leave(&mut self, under: Under<'_>, call: u32, how: How) {
        if self.frame(call).is_none_or(|frame| frame.state == State::Over) {
            return;
        }
        self.leave_queue(under, call);
        let running = self.frame(call).map(|frame| std::mem::take(&mut frame.running)).unwrap_or_default();
        if how != How::Closed {
            self.tally.wasted += running.iter().map(|running| self.now - running.began).sum::<u64>();
        }
        let _: Option<Step> = self.input(under, call, |engine, context, handle, now| {
            if how == How::Closed {
                engine.close(context, handle, Some(now))
            } else {
                engine.cancel(context, handle, Some(now))
            }
        });
        self.finish(under, call, how);
    }

    fn finish(&mut self, under: Under<'_>, number: u32, how: How) {
        let (Some(call), Some(policy)) = (under.call(number), under.policy(number)) else { return };
        let (now, is_replaced) = (self.now, under.is_replaced(call.host));
        let Some(frame) = self.frames.get_mut(number as usize) else { return };
        frame.state = State::Over;
        frame.running = Vec::new();
        let (Some(begun), Some(end)) = (call.begun, call.end) else { return };
        let may_fall_back =
            !matches!(how, How::Succeeded | How::Closed | How::Failed { code: Code::Cancelled, .. });
        let had_fallback = under.recorded(number).is_some_and(|recorded| recorded.fallback);
        let fallback = match call.fallback {
            _ if is_replaced && policy.fallback => Some((now, true)),
            // The call had its own, or the policy has kept it.
            Some((moment, answered)) if !had_fallback || !is_replaced => {
                Some((now + moment.at.saturating_sub(end.moment.at), answered))
            }
            Some(_) => None,
            None => {
                let has_failed = matches!(end.how, How::Failed { .. } | How::Rejected { .. });
                (policy.fallback && !has_failed).then_some((now, true))
            }
        };
        let fallback = fallback.filter(|_| may_fall_back);
        let done = fallback.map_or(now, |(at, _)| at);
        let fell_back = fallback.is_some_and(|(_, answered)| answered);
        let took = done.saturating_sub(begun.at);
        let ended = Ended { how, attempts: frame.attempts, fell_back, took };
        frame.result = Some(ended);
        if !call.is_inner {
            self.tally.ended(&ended);
        }
    }
}

/// Whether a timer that was due then fired then: at once, or late as timers are. Its process's clock may differ from wall time
/// by the fraction of a millisecond.
const fn is_late(due: u64, fired: u64) -> bool {
    fired + 1000 >= due && fired < due.saturating_add(LATE)
}

const UNKNOWN: Running = Running { number: 0, began: 0, result: Outcome::Open, took: None, tokens: 0 };
