//! How calls begin: as they did in the log, refused or queued as their policy says now.

use super::frame::{State, What};
use super::{Pass, is_late};
use crate::replay::host::config_of;
use crate::replay::recorded::{End, How, Moment};
use crate::replay::under::Under;
use halfopen::code::Code;
use halfopen::policy::{Layer, Step, Why};
use halfopen::time::Timestamp;

impl Pass {
    /// Begins a call at its recorded time. An abort and a closed stream keep their recorded times,
    /// because they came from outside. So does a deadline of the same length.
    pub(super) fn arrive(&mut self, under: Under<'_>, number: u32) {
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
    pub(super) fn decided_at(&self, under: Under<'_>, host: u32, was_refused: bool) -> Timestamp {
        let is_fine = under.world.history.hosts.get(host as usize).is_some_and(|host| host.has_fine_clock);
        if !is_fine || under.is_replaced(host) {
            return self.clock();
        }
        self.hosts.true_time(host, self.clock(), was_refused)
    }

    /// Does what a step says.
    pub(super) fn take(&mut self, under: Under<'_>, call: u32, step: Step) {
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
            // Others run beside the attempt that failed.
            Step::Done { .. } => {}
            // These do not occur: every input has the time and, where the application says how long to wait, its delay.
            Step::NeedTime | Step::NeedDelay { .. } => {
                debug_assert!(false, "an input without a next step: {step:?}");
            }
        }
    }

    /// Queued calls go on that can.
    pub(super) fn pump(&mut self, under: Under<'_>, host: u32) {
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
