//! Attempts of a replay: a recorded one gets its recorded result, and one that never happened a drawn one.

use super::frame::{Running, State, UNKNOWN, What};
use super::{Otherwise, Pass, is_late};
use crate::random::{Purpose, stream};
use crate::replay::model::{Sample, lasted, limit};
use crate::replay::recorded::{Failed, How, Moment, Outcome};
use crate::replay::recorder::micros;
use crate::replay::under::Under;
use halfopen::code::Code;
use halfopen::limit::Unit;
use halfopen::policy::{Failure, Step};
use halfopen::time::Millis;

impl Pass {
    /// Begins an attempt. It is the recorded one if it begins near the recorded time. At exactly that time, its end keeps the
    /// recorded order among the events of one millisecond; otherwise only its duration is kept.
    pub(super) fn attempt(&mut self, under: Under<'_>, call: u32, number: u32) {
        let (now, world) = (self.now, under.world);
        let Some(found) = under.call(call) else { return };
        if found.end.is_some() {
            self.tallies.attempt(under.policy_of(call), found.is_outer);
        }
        let recorded = under.attempt(call, number).and_then(|attempt| Some((attempt, attempt.begun?)));
        let target = under.target(call);
        let near = |begun: Moment| begun.at.abs_diff(now) <= world.model.tolerance(target);
        if let Some(frame) = self.frame(call) {
            frame.attempts = number;
        }
        let Some((attempt, begun)) = recorded.filter(|&(_, begun)| near(begun)) else {
            let mut draws = self.draws(call, number);
            if let Some(frame) = self.frame(call) {
                frame.modelled = true;
            }
            let drawn = world.model.draw(target, now, &mut draws);
            return self.drawn(under, call, Running { number, began: now, ..UNKNOWN }, drawn);
        };
        let running = Running { number, began: now, ..UNKNOWN };
        let is_same = begun.at == now;
        let ended = attempt.ended.or(found.end.map(|end| end.moment));
        let Some(ended) = ended else {
            // The log ends before the attempt does.
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
            // Its end is that of its call, which has the duration.
            let tokens = if attempt.result == Outcome::Open { attempt.tokens } else { 0 };
            self.run(call, Running { tokens, ..running });
        }
        self.time_later(under, call, number, is_same.then_some((ended, is_known)));
        if !is_known {
            self.at(now.saturating_add(took), What::Beyond(call, number));
        }
    }

    /// An attempt that never happened goes as one near it did.
    fn drawn(&mut self, under: Under<'_>, call: u32, running: Running, drawn: Option<Sample>) {
        let (now, number) = (self.now, running.number);
        let Some(sample) = drawn else {
            self.run(call, running);
            self.time_later(under, call, number, None);
            return self.unknown(under, call, number);
        };
        self.drawn += 1;
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

    fn draws(&self, call: u32, number: u32) -> halfopen::rng::SplitMix64 {
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

    pub(super) fn attempt_ends(&mut self, under: Under<'_>, call: u32, number: u32) {
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
        let policy = under.policy_of(call);
        self.tallies.each(policy, |tally| tally.tokens += u64::from(running.tokens));
        let limits = under.policy(call).map(|policy| &policy.config.rate_limits);
        let counts_tokens =
            limits.is_some_and(|limits| limits.iter().any(|limit| limit.unit == Unit::Tokens));
        if counts_tokens && running.tokens > 0 {
            self.input(under, call, |engine, _, handle, _| {
                engine.observe_usage(handle, running.number, running.tokens);
            });
        }
    }

    pub(super) fn took(&self, running: &Running) -> Millis {
        Millis(running.took.unwrap_or((self.now - running.began).div_ceil(1000)))
    }

    fn succeed(&mut self, under: Under<'_>, call: u32, running: &Running) {
        let took = self.took(running);
        while let Some(loser) = self.frame(call).and_then(|frame| frame.running.pop()) {
            self.waste(under, call, &loser);
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

    /// An attempt that its log cut off goes on like one that is known to have lasted longer.
    pub(super) fn beyond(&mut self, under: Under<'_>, call: u32, number: u32) {
        let now = self.now;
        let Some(frame) = self.frame(call) else { return };
        let Some(running) = frame.running.iter().find(|running| running.number == number) else { return };
        let began = running.began;
        frame.modelled = true;
        let Some(found) = under.call(call) else { return };
        // The timer that cut it off may have been late.
        let known = lasted(now - began, limit(under.recorded(call), found, began));
        let mut draws = self.draws(call, number);
        let target = under.target(call);
        match under.world.model.draw_beyond(target, began, known, &mut draws) {
            Some(Sample { result, tokens, took, .. }) => {
                self.drawn += 1;
                self.comes_to(call, number, result, tokens);
                self.at(began.saturating_add(took), What::Ends(call, number));
            }
            None => self.unknown(under, call, number),
        }
    }

    /// The log cannot tell the result of an attempt: it hangs until something cuts it off, or is answered at once.
    fn unknown(&mut self, under: Under<'_>, call: u32, number: u32) {
        let policy = under.policy_of(call);
        let is_first = self.frame(call).is_some_and(|frame| !std::mem::replace(&mut frame.unknown, true));
        self.tallies.each(policy, |tally| {
            tally.unknown += 1;
            tally.unknown_calls += u64::from(is_first);
        });
        let has_timer = under
            .policy(call)
            .is_some_and(|policy| policy.attempt_ms.is_some() || policy.config.call.total.is_some());
        match self.otherwise {
            Otherwise::Answered => self.comes_to(call, number, Outcome::Succeeded, 0),
            Otherwise::Hang if has_timer => return,
            Otherwise::Hang => self.comes_to(call, number, Sample::unknown().result, 0),
        }
        self.at(self.now, What::Ends(call, number));
    }

    fn comes_to(&mut self, call: u32, number: u32, result: Outcome, tokens: u32) {
        let Some(frame) = self.frame(call) else { return };
        if let Some(running) = frame.running.iter_mut().find(|running| running.number == number) {
            (running.result, running.tokens) = (result, tokens);
        }
    }

    fn waste(&mut self, under: Under<'_>, call: u32, running: &Running) {
        let wasted = self.now - running.began;
        self.tallies.each(under.policy_of(call), |tally| tally.wasted += wasted);
    }

    pub(super) fn time_out(&mut self, under: Under<'_>, call: u32, number: u32) {
        let Some(running) = self.take_running(call, number) else { return };
        self.cut(under, call, &running);
    }

    fn cut(&mut self, under: Under<'_>, call: u32, running: &Running) {
        self.waste(under, call, running);
        let failed = Failed { code: Code::Timeout, retryable: true, counted: true, hint: None, is_cut: true };
        // As recorded, if it was cut off then too.
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
}

/// Attempts that begin beside others.
impl Pass {
    pub(super) fn hedge_later(&mut self, under: Under<'_>, call: u32, number: u32) {
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

    pub(super) fn hedge(&mut self, under: Under<'_>, call: u32, number: u32) {
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
