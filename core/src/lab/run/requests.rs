//! Requests: how they reach the provider, and when it is done with them.

use super::Run;
use super::record::{Failed, NONE, Next, Place};
use crate::lab::event::{Kind, Token};
use crate::lab::provider::Reception;
use crate::lab::random::{Purpose, stream};

impl Run {
    /// An attempt of the innermost layer sends its request.
    pub(super) fn request(&mut self, attempt: u32, user: u32) -> Next {
        let (Some(user), Some(found)) = (self.users.get_mut(user), self.attempts.get_mut(attempt)) else {
            return Next::Idle;
        };
        user.sent += 1;
        // Calls draw apart from each other, and so do the attempts of a call, whatever the policy.
        let key = user.key.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(user.sent));
        found.draws = stream(self.seed, Purpose::Attempt, key);
        self.measure.attempt();
        match self.provider.receive(attempt, self.now, &mut found.draws) {
            Reception::Fails(code, hint, 0) => return Next::Reply(attempt, Err(Failed::of(code, hint))),
            Reception::Fails(code, hint, after) => {
                found.answer = Failed::of(code, hint);
                found.event = self.events.push(self.now.saturating_add(after), Kind::Answered, attempt);
            }
            Reception::Served => {
                self.measure.stay.enter(self.now);
                self.serve(attempt);
            }
            Reception::Queued => {
                found.place = Place::Queued;
                self.measure.stay.enter(self.now);
            }
            Reception::Swallowed => {}
        }
        Next::Idle
    }

    /// A server begins with a request.
    pub(super) fn serve(&mut self, attempt: u32) {
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        let takes = self.provider.service_time(&mut found.draws);
        let done = self.timeline.done_at(self.now, takes);
        (found.place, found.served_since) = (Place::Served, self.now);
        found.event = self.events.push(done, Kind::Served, attempt);
        self.measure.served(self.now - found.began);
    }

    /// Servers that are free take what waits.
    pub(super) fn serve_queue(&mut self) {
        while let Some(next) = self.provider.next(|waiting| {
            let attempts = &mut self.attempts;
            let is_waiting = attempts.get(waiting).is_some_and(|attempt| attempt.place == Place::Queued);
            if !is_waiting {
                attempts.take(waiting);
            }
            is_waiting
        }) {
            self.serve(next);
        }
    }

    pub(super) fn served(&mut self, attempt: u32, token: Token) {
        let Some(found) = self.attempts.get_mut(attempt).filter(|attempt| attempt.event == token) else {
            return;
        };
        found.place = Place::Elsewhere;
        let (frame, began, since) = (found.frame, found.began, found.served_since);
        self.measure.stay.leave(self.now, began);
        self.provider.release();
        self.serve_queue();
        if frame == NONE {
            self.measure.wasted(self.now - since);
            self.attempts.take(attempt);
        } else {
            self.drive(Next::Reply(attempt, Ok(())));
        }
    }

    pub(super) fn answered(&mut self, attempt: u32, token: Token) {
        if let Some(found) = self.attempts.get(attempt).filter(|attempt| attempt.event == token) {
            self.drive(Next::Reply(attempt, Err(found.answer)));
        }
    }
}
