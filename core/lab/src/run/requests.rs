//! Requests: how they reach the provider, and when they end.

use super::Run;
use super::record::{Failed, NONE, Next, Place};
use crate::event::{Kind, Token};
use crate::provider::Reception;
use crate::random::Luck;
use crate::timeline::nanos;

impl Run {
    /// Sends the request of an attempt of the innermost layer.
    pub(super) fn request(&mut self, attempt: u32, user: u32) -> Next {
        let (Some(user), Some(found)) = (self.users.get_mut(user), self.attempts.get_mut(attempt)) else {
            return Next::Idle;
        };
        user.sent += 1;
        let luck = match user.sent {
            1 => user.first,
            sent => Luck::of(self.seed, user.key, sent, &self.scenario.provider.service),
        };
        self.measure.attempt();
        match self.provider.receive(attempt, self.now, luck.error) {
            Reception::Fails(code, hint, 0) => return Next::Reply(attempt, Err(Failed::of(code, hint))),
            Reception::Fails(code, hint, after) => {
                found.place = Place::Answered(Failed::of(code, hint));
                found.event = self.events.push(self.now.saturating_add(after), Kind::Answered, attempt);
            }
            Reception::Served => {
                self.measure.stay.enter(self.now);
                self.serve(attempt, luck.service_ms);
            }
            Reception::Queued => {
                found.place = Place::Queued(luck.service_ms);
                self.measure.stay.enter(self.now);
            }
            Reception::Swallowed => {}
        }
        Next::Idle
    }

    /// Has a server begin a request, which takes `service_ms` at the provider's normal speed.
    pub(super) fn serve(&mut self, attempt: u32, service_ms: f64) {
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        let takes = nanos(service_ms * self.provider.conditions().slow);
        let done = self.timeline.done_at(self.now, takes);
        found.place = Place::Served(self.now);
        found.event = self.events.push(done, Kind::Served, attempt);
        self.measure.served(self.now - found.began);
    }

    /// Gives waiting requests to free servers.
    pub(super) fn serve_queue(&mut self) {
        loop {
            let attempts = &mut self.attempts;
            let next =
                self.provider.next(|waiting| match attempts.get(waiting).map(|attempt| attempt.place) {
                    Some(Place::Queued(service_ms)) => Some((waiting, service_ms)),
                    _ => {
                        attempts.take(waiting);
                        None
                    }
                });
            let Some((next, service_ms)) = next else { return };
            self.serve(next, service_ms);
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
            let next = self.succeed(attempt);
            self.drive(next);
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
