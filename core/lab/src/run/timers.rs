//! Timers that fire: waits before a retry, timeouts, deadlines, patience, hedges.

use super::Run;
use super::record::{Attempt, DEADLINE, Failed, HEDGE, Next, PATIENCE, State, TIMEOUT, TIMERS, row};
use crate::event::Token;
use crate::measure::Ending;
use halfopen::code::Code;
use halfopen::policy::{Step, Why};

impl Run {
    pub(super) fn resume(&mut self, frame: u32, token: Token) {
        let Some(found) = self.frames.get_mut(frame).filter(|frame| frame.resume == token) else { return };
        (found.resume, found.state) = (0, State::Running);
        self.waiting -= 1;
        let now = Some(self.clock());
        let step = self.input(frame, |engine, context, call| engine.resume(context, call, now));
        self.drive_step(frame, &step);
    }

    pub(super) fn fire(&mut self, row: usize) {
        let (users, frames, attempts) = (&self.users, &self.frames, &self.attempts);
        let timer = row.wrapping_sub(1) % TIMERS;
        let holds = |index: u32, token: Token| match (row, timer) {
            (PATIENCE, _) => users.get(index).is_some_and(|user| user.patience == token),
            (_, TIMEOUT) => attempts.get(index).is_some_and(|attempt| attempt.timeout == token),
            (_, DEADLINE) => frames.get(index).is_some_and(|frame| frame.deadline == token),
            _ => attempts.get(index).is_some_and(|attempt| attempt.hedge == token),
        };
        let Some((index, token)) = self.events.pop_timer(row, |index, token| !holds(index, token)) else {
            return;
        };
        if !holds(index, token) {
            return;
        }
        match (row, timer) {
            (PATIENCE, _) => self.user_leaves(index),
            (_, TIMEOUT) => self.time_out(index),
            (_, DEADLINE) => self.pass_deadline(index),
            _ => self.hedge(index),
        }
    }

    pub(super) fn user_leaves(&mut self, user: u32) {
        let Some(found) = self.users.get_mut(user) else { return };
        (found.has_left, found.patience) = (true, 0);
        let (key, client, began) = (found.key, found.client, found.began);
        self.measure.ended(Ending::Abandoned, self.now - began);
        self.think(client, key + u64::from(self.scenario.clients.count));
    }

    pub(super) fn time_out(&mut self, attempt: u32) {
        let Some(&Attempt { frame, number, began, .. }) = self.attempts.get(attempt) else { return };
        self.abort(attempt);
        let next = self.report(frame, number, began, Failed::of(Code::Timeout, None));
        self.drive(next);
    }

    pub(super) fn pass_deadline(&mut self, frame: u32) {
        let timeout = Failed::of(Code::Timeout, None);
        if self.first_attempt(frame).is_none() {
            self.stop_waiting(frame);
            if let Some(found) = self.frames.get_mut(frame) {
                found.last = timeout;
            }
            let now = Some(self.clock());
            let step = self.input(frame, |engine, context, call| {
                engine.abandon(context, call, now, Why::Deadline, Code::Timeout)
            });
            self.drive_step(frame, &step);
            return;
        }
        while let Some(attempt) = self.first_attempt(frame) {
            let Some(&Attempt { number, began, .. }) = self.attempts.get(attempt) else { return };
            self.abort(attempt);
            let next = self.report(frame, number, began, timeout);
            if self.first_attempt(frame).is_none() {
                self.drive(next);
                return;
            }
        }
    }

    /// Begins another attempt beside one that has not answered for a while, if the engine agrees.
    pub(super) fn hedge(&mut self, attempt: u32) {
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        found.hedge = 0;
        let frame = found.frame;
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.hedges += 1;
        }
        let now = Some(self.clock());
        let step = self.input(frame, |engine, context, call| engine.hedge(context, call, now));
        if let Step::Attempt { .. } = step {
            self.drive_step(frame, &step);
        } else {
            self.hedge_later(attempt);
            self.drive(Next::Idle);
        }
    }

    pub(super) fn hedge_later(&mut self, attempt: u32) {
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        let Some(frame) = self.frames.get(found.frame) else { return };
        if let Some((after, most)) = self.fleet.layers.get(frame.layer as usize).and_then(|layer| layer.hedge)
            && frame.hedges < most
        {
            let at = self.now.saturating_add(after);
            found.hedge = self.events.push_timer(row(frame.layer as usize, HEDGE), at, attempt);
        }
    }
}
