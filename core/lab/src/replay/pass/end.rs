//! How calls end: by their deadline, by their caller, or with what their attempts came to.

use super::Pass;
use super::frame::State;
use crate::replay::recorded::{How, Outcome};
use crate::replay::tally::Ended;
use crate::replay::under::Under;
use halfopen::code::Code;
use halfopen::invariant::Always;
use halfopen::policy::{Step, Why};

impl Pass {
    pub(super) fn pass_deadline(&mut self, under: Under<'_>, call: u32) {
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
    pub(super) fn leave(&mut self, under: Under<'_>, call: u32, how: How) {
        if self.frame(call).is_none_or(|frame| frame.state == State::Over) {
            return;
        }
        self.leave_queue(under, call);
        let running = self.frame(call).map(|frame| std::mem::take(&mut frame.running)).always();
        // A stream that is closed or cancelled has taken tokens until then.
        let open = running.iter().filter(|running| running.result == Outcome::Open);
        let tokens = open.map(|running| u64::from(running.tokens)).sum::<u64>();
        let wasted = running.iter().map(|running| self.now - running.began).sum::<u64>();
        let policy = under.policy_of(call);
        self.tallies.each(policy, |tally| {
            tally.tokens += tokens;
            if how != How::Closed {
                tally.wasted += wasted;
            }
        });
        let _: Option<Step> = self.input(under, call, |engine, context, handle, now| {
            if how == How::Closed {
                engine.close(context, handle, Some(now))
            } else {
                engine.cancel(context, handle, Some(now))
            }
        });
        self.finish(under, call, how);
    }

    pub(super) fn finish(&mut self, under: Under<'_>, number: u32, how: How) {
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
        self.tallies.ended(under.policy_of(number), &ended, call.is_inner);
    }
}
