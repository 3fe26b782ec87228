//! Drives the engines: gives a frame's engine an input, and does what its step says.

use super::record::{Attempt, DEADLINE, Failed, Frame, NONE, Next, State, TIMEOUT, row};
use super::{NANOS_PER_MS, Run};
use crate::event::Kind;
use crate::fleet::NOTHING;
use crate::measure::Ending;
use crate::news::News;
use halfopen::code::Code;
use halfopen::policy::{Context, Engine, Fact, Layer as RefusedBy, Step};

impl Run {
    /// Gives the engine of a frame one input, and returns its step.
    #[inline]
    pub(super) fn input(
        &mut self,
        frame: u32,
        input: impl FnOnce(&mut Engine, &mut Context<'_>, u32) -> Step,
    ) -> Step {
        let Some(&Frame { layer: depth, engine, process, call, .. }) = self.frames.get(frame) else {
            return NOTHING;
        };
        let depth = depth as usize;
        let Some(layer) = self.fleet.layers.get_mut(depth) else { return NOTHING };
        layer.learn(&mut self.fleet.records, process, self.now);
        let step = layer
            .input(&mut self.fleet.records, engine, process, |engine, context| input(engine, context, call));
        if layer.has_limits {
            self.touched.push((depth, engine));
        }
        if !self.fleet.records.is_empty() {
            self.drain(depth);
        }
        step
    }

    #[cold]
    pub(super) fn drain(&mut self, depth: usize) {
        let is_compared = depth + 1 == self.fleet.layers.len();
        while let Some(record) = self.fleet.records.pop() {
            if let Fact::BreakerChanged { change, .. } = record.fact
                && is_compared
            {
                self.measure.breaker_changed(change.from, change.to);
                self.measure.hash(self.now ^ u64::from(change.to as u8) << 56);
            }
        }
    }

    /// Does what a step says, and everything that follows from it.
    pub(super) fn drive_step(&mut self, frame: u32, step: &Step) {
        let next = self.take(frame, step);
        self.drive(next);
    }

    /// Works until nothing is left to do at this time.
    pub(super) fn drive(&mut self, first: Next) {
        let mut next = first;
        loop {
            next = match next {
                Next::Begin(frame) => self.begin_frame(frame),
                Next::Reply(attempt, Ok(())) => self.succeed(attempt),
                Next::Reply(attempt, Err(failed)) => self.fail(attempt, failed),
                Next::Idle => match self.next_ready() {
                    Next::Idle => return,
                    ready => ready,
                },
            };
        }
    }

    /// Makes the frame of a call that enters a layer, and returns its index. The frame has not [begun](Next::Begin).
    pub(super) fn enter(&mut self, user: u32, parent: u32, depth: u32, process: u32) -> Option<u32> {
        let layer = self.fleet.layers.get_mut(depth as usize)?;
        let engine = layer.engine_for(process);
        let total = layer.total;
        let frame =
            self.frames.insert(Frame { user, parent, layer: depth, process, engine, ..Frame::default() });
        if let Some(total) = total {
            let token =
                self.events.push_timer(row(depth as usize, DEADLINE), self.now.saturating_add(total), frame);
            if let Some(frame) = self.frames.get_mut(frame) {
                frame.deadline = token;
            }
        }
        Some(frame)
    }

    pub(super) fn begin_frame(&mut self, frame: u32) -> Next {
        let now = Some(self.clock());
        let step = self.input(frame, |engine, context, _| engine.begin(context, now));
        self.take(frame, &step)
    }

    /// Does what a step says. By reference: copying a step just after it was written stalls the processor.
    pub(super) fn take(&mut self, frame: u32, step: &Step) -> Next {
        let key =
            self.frames.get(frame).and_then(|frame| self.users.get(frame.user)).map_or(0, |user| user.key);
        let decided = |kind: u64, number: u64| (kind << 60 ^ key << 20) ^ number;
        match *step {
            Step::Attempt { call, attempt, .. } => {
                self.measure.hash(decided(1, u64::from(attempt)));
                self.notify(frame, News::Began { is_first: attempt == 1 });
                self.attempt(frame, call, attempt)
            }
            Step::Wait { plan, .. } => {
                self.measure.hash(decided(2, plan.delay.delay.0));
                self.notify(frame, News::Retried);
                // Counted from now: `plan.due` comes from a clock that is rounded down, and would end the wait too soon.
                let due = self.now.saturating_add(plan.delay.delay.0.saturating_mul(NANOS_PER_MS));
                let token = self.events.push(due, Kind::Resume, frame);
                self.waiting += 1;
                if let Some(frame) = self.frames.get_mut(frame) {
                    (frame.state, frame.resume, frame.hedges) = (State::Waiting, token, 0);
                }
                Next::Idle
            }
            Step::Queued { call, .. } => {
                self.measure.hash(decided(3, 0));
                if let Some(found) = self.frames.get_mut(frame) {
                    (found.state, found.call) = (State::Queued, call);
                    if let Some(layer) = self.fleet.layers.get_mut(found.layer as usize) {
                        layer.enqueue(found.engine, call, frame);
                    }
                }
                Next::Idle
            }
            Step::Rejected { by, retry_after, attempts } => {
                self.measure.hash(decided(4, by as u64));
                self.notify_end(frame, attempts);
                let code = match by {
                    RefusedBy::Breaker => Code::CircuitOpen,
                    RefusedBy::Bulkhead | RefusedBy::RateLimit | RefusedBy::Adaptive => {
                        Code::CapacityExceeded
                    }
                };
                self.leave(frame, Err(Failed { rejected: true, ..Failed::of(code, retry_after) }))
            }
            Step::GiveUp { why, attempts, .. } => {
                self.measure.hash(decided(5, why as u64));
                self.notify_end(frame, attempts);
                let last = self.frames.get(frame).map_or(Failed::of(Code::Unknown, None), |frame| frame.last);
                self.leave(frame, Err(Failed { rejected: false, ..last }))
            }
            // An attempt has failed, and others beside it go on.
            Step::Done { .. } => Next::Idle,
            // These do not occur: every input here has the time, and a scenario has no backoff function.
            Step::NeedTime | Step::NeedDelay { .. } => {
                debug_assert!(false, "an input without a next step: {step:?}");
                Next::Idle
            }
        }
    }

    /// A frame is over.
    pub(super) fn leave(&mut self, frame: u32, result: Result<(), Failed>) -> Next {
        let Frame { user, parent, layer, .. } = self.frames.take(frame);
        let (fallback, retries) = self
            .fleet
            .layers
            .get(layer as usize)
            .map_or((false, false), |layer| (layer.fallback, layer.retries));
        if parent == NONE {
            let ending = match result {
                Ok(()) => Ending::Succeeded,
                Err(_) if fallback => Ending::Fallback,
                Err(Failed { rejected: true, .. }) => Ending::Rejected,
                Err(_) => Ending::Failed,
            };
            self.end_call(user, ending);
            return Next::Idle;
        }
        Next::Reply(
            parent,
            match result {
                Err(_) if fallback => Ok(()),
                Err(failed) => {
                    Err(Failed { nested: failed.nested || retries && failed.code.is_retryable(), ..failed })
                }
                Ok(()) => Ok(()),
            },
        )
    }

    pub(super) fn attempt(&mut self, frame: u32, call: u32, number: u32) -> Next {
        let Some(found) = self.frames.get_mut(frame) else { return Next::Idle };
        (found.call, found.state) = (call, State::Running);
        let (user, depth, process) = (found.user, found.layer, found.process);
        let is_innermost = depth as usize + 1 == self.fleet.layers.len();
        let attempt = self.attempts.insert(Attempt {
            frame,
            number,
            next: found.attempts,
            began: self.now,
            ..Attempt::default()
        });
        found.attempts = attempt;
        let next = if is_innermost {
            let next = self.request(attempt, user);
            if matches!(next, Next::Reply(..)) {
                return next;
            }
            next
        } else {
            let entered = self.enter(user, attempt, depth + 1, process);
            if let (Some(found), Some(child)) = (self.attempts.get_mut(attempt), entered) {
                found.child = child;
            }
            entered.map_or(Next::Idle, Next::Begin)
        };
        let depth = depth as usize;
        let Some(layer) = self.fleet.layers.get(depth) else { return next };
        if let Some(timeout) = layer.attempt {
            let at = self.now.saturating_add(timeout);
            let token = self.events.push_timer(row(depth, TIMEOUT), at, attempt);
            if let Some(attempt) = self.attempts.get_mut(attempt) {
                attempt.timeout = token;
            }
        }
        if layer.hedge.is_some() {
            self.hedge_later(attempt);
        }
        next
    }
}
