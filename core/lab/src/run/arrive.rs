//! The calls of clients: when they begin, and what follows when they end.

use super::Run;
use super::record::{NONE, PATIENCE, User};
use crate::event::Kind;
use crate::measure::Ending;
use crate::random::{Luck, Purpose, exponential, stream};
use crate::scenario::Arrivals;
use crate::timeline::nanos;
use halfopen::invariant::Always;

impl Run {
    pub(super) fn schedule_arrival(&mut self, at: u64, client: u32) {
        self.coming += 1;
        self.events.push(at, Kind::Arrival, client);
    }

    /// Draws the next open arrival, at the present load.
    pub(super) fn schedule_next_arrival(&mut self) {
        let Arrivals::Open { per_second, constant } = self.scenario.clients.arrivals else { return };
        let draw = |arrival| exponential(&mut stream(self.seed, Purpose::Arrival, arrival));
        let gap = if constant { 1.0 } else { self.gaps.get(self.arrived, draw) };
        let at = self.now + nanos(gap * 1000.0 / (per_second * self.provider.conditions().load));
        self.set_next_arrival(at);
    }

    /// Schedules the next open arrival for that time, unless arrivals have ended by then.
    fn set_next_arrival(&mut self, at: u64) {
        let comes = at < self.end;
        self.coming = u64::from(comes);
        self.next_arrival = at;
        self.events.set_arrival(comes.then_some(at));
    }

    /// Applies a changed load to the rest of the time until the next arrival.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a gap, rounded to a nanosecond"
    )]
    pub(super) fn reschedule_arrival(&mut self, load_before: f64) {
        let is_open = matches!(self.scenario.clients.arrivals, Arrivals::Open { .. });
        if !is_open || self.coming == 0 {
            return;
        }
        let left = (self.next_arrival - self.now) as f64 * load_before / self.provider.conditions().load;
        self.set_next_arrival(self.now + libm::round(left) as u64);
    }

    pub(super) fn arrive(&mut self, client: u32) {
        let count = u64::from(self.scenario.clients.count);
        match self.scenario.clients.arrivals {
            Arrivals::Open { .. } => {
                let key = self.arrived;
                self.arrived += 1;
                self.schedule_next_arrival();
                let (seed, service) = (self.seed, &self.scenario.provider.service);
                let first = self.firsts.get(key, |key| Luck::of(seed, key, 1, service));
                self.begin(u32::try_from(key % count).always(), key, first);
            }
            Arrivals::Once => {
                self.coming -= 1;
                self.begin_now(client, u64::from(client));
            }
            Arrivals::Closed { .. } => {
                self.coming -= 1;
                let Some(begun) = self.begun.get_mut(client as usize) else { return };
                let key = u64::from(client) + count * u64::from(*begun);
                *begun += 1;
                self.begin_now(client, key);
            }
        }
    }

    /// Has a closed client think, and call again, after a call or at the beginning. `next` is the number of that call.
    pub(super) fn think(&mut self, client: u32, next: u64) {
        let Arrivals::Closed { think } = &self.scenario.clients.arrivals else { return };
        let mut draws = stream(self.seed, Purpose::Think, next);
        let takes = nanos(think.draw(&mut draws) / self.provider.conditions().load);
        let at = self.now.saturating_add(takes.max(1));
        if at < self.end {
            self.schedule_arrival(at, client);
        }
    }

    fn begin_now(&mut self, client: u32, key: u64) {
        let first = Luck::of(self.seed, key, 1, &self.scenario.provider.service);
        self.begin(client, key, first);
    }

    /// Begins a client's call. Its first request draws `first`.
    fn begin(&mut self, client: u32, key: u64, first: Luck) {
        self.measure.offered();
        self.calls += 1;
        let user = self.users.insert(User { key, began: self.now, first, client, ..User::default() });
        if let Some(patience) = self.patience {
            let token = self.events.push_timer(PATIENCE, self.now.saturating_add(patience), user);
            if let Some(user) = self.users.get_mut(user) {
                user.patience = token;
            }
        }
        let process = self.fleet.process_of(client);
        if let Some(frame) = self.enter(user, NONE, 0, process) {
            let next = self.begin_frame(frame);
            self.drive(next);
        }
    }

    pub(super) fn end_call(&mut self, user: u32, ending: Ending) {
        let User { key, began, client, has_left, .. } = self.users.take(user);
        self.calls -= 1;
        if !has_left {
            self.measure.ended(ending, self.now - began);
            self.think(client, key + u64::from(self.scenario.clients.count));
        }
    }
}
