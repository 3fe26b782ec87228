//! The ends of attempts and frames: an answer, a failure, or a caller that gives them up.

use super::Run;
use super::record::{Attempt, Failed, NONE, Next, Place, State};
use crate::news::News;
use halfopen::code::Code;
use halfopen::policy::{BreakerScope, Failure, Outcome};

impl Run {
    /// Ends an attempt with an answer of the provider or of the inner layer.
    pub(super) fn succeed(&mut self, attempt: u32) -> Next {
        let Attempt { frame, began, .. } = self.take_attempt(attempt);
        // This attempt has won, so the others are aborted.
        while let Some(other) = self.first_attempt(frame) {
            let number = self.attempts.get(other).map(|other| other.number);
            self.abort(other);
            let cancelled = Failure { attempt: number, ..Failure::of(Code::Cancelled) };
            let now = Some(self.clock());
            _ = self.input(frame, |engine, context, call| engine.fail(context, call, now, &cancelled));
        }
        let (now, took) = (Some(self.clock()), self.took(began));
        self.notify(frame, News::Result(Outcome::Success, took));
        _ = self.input(frame, |engine, context, call| engine.succeed(context, call, now, took));
        self.leave(frame, Ok(()))
    }

    pub(super) fn fail(&mut self, attempt: u32, failed: Failed) -> Next {
        let Attempt { frame, number, began, .. } = self.take_attempt(attempt);
        self.report(frame, number, began, failed)
    }

    /// Reports the failure of an attempt that was removed.
    pub(super) fn report(&mut self, frame: u32, number: u32, began: u64, failed: Failed) -> Next {
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.last = failed;
        }
        let failure = Failure {
            hint: failed.hint(),
            nested: failed.nested,
            attempt: Some(number),
            duration: self.took(began),
            ..Failure::of(failed.code)
        };
        let now = Some(self.clock());
        if self.notified_scope(frame) == Some(BreakerScope::Attempt) && failure.counts {
            self.notify(frame, News::Result(Outcome::failure(failure.hint), failure.duration));
        }
        let step = self.input(frame, |engine, context, call| engine.fail(context, call, now, &failure));
        self.take(frame, &step)
    }

    pub(super) fn first_attempt(&self, frame: u32) -> Option<u32> {
        self.frames.get(frame).map(|frame| frame.attempts).filter(|&attempt| attempt != NONE)
    }

    /// Takes an attempt out of its frame's list and out of the pool.
    pub(super) fn take_attempt(&mut self, attempt: u32) -> Attempt {
        self.unlink(attempt);
        self.attempts.take(attempt)
    }

    pub(super) fn unlink(&mut self, attempt: u32) {
        let Some(&Attempt { frame, next, .. }) = self.attempts.get(attempt) else { return };
        let Some(frame) = self.frames.get_mut(frame) else { return };
        if frame.attempts == attempt {
            frame.attempts = next;
            return;
        }
        let mut before = frame.attempts;
        while let Some(found) = self.attempts.get_mut(before) {
            if found.next == attempt {
                found.next = next;
                return;
            }
            before = found.next;
        }
    }

    /// Removes the caller of an attempt. The provider decides whether it drops the work.
    pub(super) fn abort(&mut self, attempt: u32) {
        self.unlink(attempt);
        let abandons = self.provider.abandons();
        let now = self.now;
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        (found.frame, found.timeout, found.hedge, found.next) = (NONE, 0, 0, NONE);
        match found.place {
            Place::Elsewhere | Place::Answered(_) => {
                let child = self.attempts.take(attempt).child;
                if child != NONE {
                    self.cancel(child);
                }
            }
            Place::Queued(_) if abandons => {
                found.place = Place::TakenBack;
                self.measure.stay.leave(now, found.began);
                self.provider.take_back();
            }
            Place::Served(since) if abandons => {
                let began = self.attempts.take(attempt).began;
                self.measure.stay.leave(now, began);
                self.measure.wasted(now - since);
                self.provider.release();
                self.serve_queue();
            }
            Place::Queued(_) | Place::TakenBack | Place::Served(_) => {}
        }
    }

    /// Gives up a frame, with all that it has begun, for the outer layer.
    pub(super) fn cancel(&mut self, frame: u32) {
        while let Some(attempt) = self.first_attempt(frame) {
            self.abort(attempt);
        }
        self.stop_waiting(frame);
        let now = Some(self.clock());
        _ = self.input(frame, |engine, context, call| engine.cancel(context, call, now));
        self.frames.take(frame);
    }

    /// Ends every wait of a frame.
    pub(super) fn stop_waiting(&mut self, frame: u32) {
        let Some(found) = self.frames.get_mut(frame) else { return };
        found.resume = 0;
        match std::mem::replace(&mut found.state, State::Running) {
            State::Running => {}
            State::Waiting => self.waiting -= 1,
            State::Queued => {
                if let Some(layer) = self.fleet.layers.get_mut(found.layer as usize) {
                    layer.leave_queue(found.engine, found.call);
                }
            }
        }
    }
}
