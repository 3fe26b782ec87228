//! Requests: how they reach the provider, and when it is done with them.

use super::Run;
use super::record::{Failed, NONE, Next, Place};
use crate::lab::event::{Kind, Token};
use crate::lab::provider::Reception;
use crate::lab::random::{Purpose, stream};
use crate::rng::SplitMix64;

impl Run {
    /// An attempt of the innermost layer sends its request.
    pub(super) fn request(&mut self, attempt: u32, user: u32) -> Next {
        let (Some(user), Some(found)) = (self.users.get_mut(user), self.attempts.get_mut(attempt)) else {
            return Next::Idle;
        };
        user.sent += 1;
        // Calls draw apart from each other, and so do the attempts of a call, whatever the policy.
        let key = user.key.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(user.sent));
        let mut draws = stream(self.seed, Purpose::Attempt, key);
        self.measure.attempt();
        match self.provider.receive(attempt, self.now, &mut draws) {
            Reception::Fails(code, hint, 0) => return Next::Reply(attempt, Err(Failed::of(code, hint))),
            Reception::Fails(code, hint, after) => {
                found.place = Place::Answered(Failed::of(code, hint));
                found.event = self.events.push(self.now.saturating_add(after), Kind::Answered, attempt);
            }
            Reception::Served => {
                self.measure.stay.enter(self.now);
                self.serve(attempt, &mut draws);
            }
            Reception::Queued => {
                found.place = Place::Queued(draws);
                self.measure.stay.enter(self.now);
            }
            Reception::Swallowed => {}
        }
        Next::Idle
    }

    /// A server begins with a request.
    pub(super) fn serve(&mut self, attempt: u32, draws: &mut SplitMix64) {
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        let takes = self.provider.service_time(draws);
        let done = self.timeline.done_at(self.now, takes);
        found.place = Place::Served(self.now);
        found.event = self.events.push(done, Kind::Served, attempt);
        self.measure.served(self.now - found.began);
    }

    /// Servers that are free take what waits.
    pub(super) fn serve_queue(&mut self) {
        loop {
            let attempts = &mut self.attempts;
            let next =
                self.provider.next(|waiting| match attempts.get(waiting).map(|attempt| attempt.place) {
                    Some(Place::Queued(draws)) => Some((waiting, draws)),
                    _ => {
                        attempts.take(waiting);
                        None
                    }
                });
            let Some((next, mut draws)) = next else { return };
            self.serve(next, &mut draws);
        }
    }

    pub(super) fn served(&mut self, attempt: u32, token: Token) {
        let Some(found) = self.attempts.get_mut(attempt).filter(|attempt| attempt.event == token) else {
            return;
        };
        let (frame, began) = (found.frame, found.began);
        let Place::Served(since) = std::mem::replace(&mut found.place, Place::Elsewhere) else { return };
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
        if let Some(found) = self.attempts.get(attempt).filter(|attempt| attempt.event == token)
            && let Place::Answered(failed) = found.place
        {
            self.drive(Next::Reply(attempt, Err(failed)));
        }
    }
}
