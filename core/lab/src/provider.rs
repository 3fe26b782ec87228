//! The provider: a row of equal servers, one queue, limits on requests and tokens, errors of its own, and the effect of faults on them.

use super::scenario::{self, Limit, MixedError, RetryAfter};
use super::timeline::{Conditions, nanos};
use halfopen::code::Code;
use halfopen::time::Millis;
use std::collections::VecDeque;

/// The provider's reaction to a request on its arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reception {
    /// It fails after this many nanoseconds.
    Fails(Code, Option<Millis>, u64),
    /// A server takes it.
    Served,
    /// It waits.
    Queued,
    /// It gets no response.
    Swallowed,
}

/// The provider's state. It knows attempts by their numbers only.
#[derive(Debug)]
pub(super) struct Provider {
    scenario: scenario::Provider,
    conditions: Conditions,
    /// The number of servers that work at this moment.
    open: u32,
    busy: u32,
    queue: VecDeque<u32>,
    /// The requests in the queue whose callers still wait.
    waiting: u32,
    quotas: Vec<Quota>,
}

/// One of its limits, and how much of it the present span has used.
#[derive(Debug)]
struct Quota {
    limit: Limit,
    /// The share of it that a request takes.
    takes: f64,
    span: u64,
    taken: f64,
}

impl Provider {
    /// `tokens`: how much a request takes of a limit on tokens.
    pub(super) fn new(scenario: &scenario::Provider, tokens: f64) -> Self {
        let quota =
            |limit: Option<Limit>, takes| limit.map(|limit| Quota { limit, takes, span: 0, taken: 0.0 });
        let quotas = [quota(scenario.rate_limit, 1.0), quota(scenario.token_limit, tokens)];
        Self {
            scenario: scenario.clone(),
            conditions: Conditions::default(),
            open: scenario.servers,
            busy: 0,
            queue: VecDeque::new(),
            waiting: 0,
            quotas: quotas.into_iter().flatten().collect(),
        }
    }

    /// Takes an arriving request. `luck`, uniform in [0, 1), says which error of the mix it gets, if any.
    pub(super) fn receive(&mut self, attempt: u32, now: u64, luck: f64) -> Reception {
        let fails = |error: &MixedError| {
            Reception::Fails(error.code, error.retry_after_ms.map(whole), nanos(error.latency_ms))
        };
        if self.conditions.outage {
            return Reception::Fails(Code::NetworkError, None, 0);
        }
        if self.conditions.blackhole {
            return Reception::Swallowed;
        }
        if let Err(hint) = self.count(now) {
            return Reception::Fails(Code::RateLimited, hint, 0);
        }
        let mut below = 0.0;
        for error in self.conditions.errors.iter().chain(&self.scenario.errors) {
            below += error.rate;
            if luck < below {
                return fails(error);
            }
        }
        if self.has_free_server() && self.waiting == 0 {
            self.busy += 1;
            Reception::Served
        } else if self.scenario.queue.is_none_or(|room| self.waiting < room) {
            self.queue.push_back(attempt);
            self.waiting += 1;
            Reception::Queued
        } else {
            Reception::Fails(Code::ProviderOverloaded, None, 0)
        }
    }

    /// Frees a server.
    #[inline]
    pub(super) fn release(&mut self) {
        self.busy = self.busy.saturating_sub(1);
    }

    /// Takes the next request from the queue if a server is free. `find` returns those that still wait, and forgets the
    /// others.
    #[inline]
    pub(super) fn next<T>(&mut self, mut find: impl FnMut(u32) -> Option<T>) -> Option<T> {
        while self.has_free_server() {
            let next = find(self.queue.pop_front()?);
            if next.is_some() {
                self.waiting -= 1;
                self.busy += 1;
                return next;
            }
        }
        None
    }

    /// A request is taken out of the queue, which closes up when it comes to its place.
    pub(super) fn take_back(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
    }

    pub(super) const fn abandons(&self) -> bool {
        self.scenario.abandons
    }

    /// Returns the number of waiting requests.
    pub(super) const fn waiting(&self) -> u32 {
        self.waiting
    }

    #[inline]
    const fn has_free_server(&self) -> bool {
        self.busy < self.open
    }

    pub(super) const fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Applies the faults of a moment.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    pub(super) fn change(&mut self, conditions: &Conditions) {
        self.conditions.clone_from(conditions);
        // The smallest rounding error must not take a server away.
        let servers = libm::floor(f64::from(self.scenario.servers) * conditions.capacity + 1e-9) as u32;
        self.open = if conditions.pause { 0 } else { servers };
    }

    /// Counts a request if every limit has room for it.
    ///
    /// # Errors
    /// The request is refused, with the wait that the provider states, if it states one: the longest of its limits.
    #[inline]
    fn count(&mut self, now: u64) -> Result<(), Option<Millis>> {
        let refusals = self.quotas.iter_mut().filter_map(|quota| quota.refusal(now));
        if let Some(hint) = refusals.max() {
            return Err(hint);
        }
        self.quotas.iter_mut().for_each(|quota| quota.taken += quota.takes);
        Ok(())
    }
}

impl Quota {
    /// Returns `Some` if there is no room for a request, with the wait that the provider states, if any.
    fn refusal(&mut self, now: u64) -> Option<Option<Millis>> {
        let length = nanos(self.limit.window_ms).max(1);
        let span = now / length;
        if span != self.span {
            (self.span, self.taken) = (span, 0.0);
        }
        if self.taken + self.takes <= f64::from(self.limit.limit) {
            return None;
        }
        let left = ((span + 1) * length - now).div_ceil(1_000_000);
        Some(match self.limit.retry_after {
            RetryAfter::Exact => Some(Millis(left)),
            RetryAfter::Seconds => Some(Millis(left.div_ceil(1000) * 1000)),
            RetryAfter::None => None,
        })
    }
}

fn whole(ms: f64) -> Millis {
    Millis::from_f64(libm::ceil(ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distribution, Provider as Setting};

    fn provider(limit: Option<Limit>, errors: Vec<MixedError>) -> Provider {
        Provider::new(&Setting { rate_limit: limit, errors, ..setting() }, 0.0)
    }

    fn setting() -> Setting {
        Setting {
            servers: 1,
            service: Distribution::Constant { mean: 100.0 },
            queue: Some(1),
            abandons: false,
            rate_limit: None,
            token_limit: None,
            errors: Vec::new(),
        }
    }

    fn receive(provider: &mut Provider, now_ms: u64) -> Reception {
        provider.receive(0, now_ms * 1_000_000, 0.5)
    }

    #[test]
    fn one_is_served_one_waits_and_the_third_is_refused() {
        let mut provider = provider(None, Vec::new());
        assert_eq!(receive(&mut provider, 0), Reception::Served);
        assert_eq!(receive(&mut provider, 0), Reception::Queued);
        assert_eq!(receive(&mut provider, 0), Reception::Fails(Code::ProviderOverloaded, None, 0));
        assert_eq!(provider.next(Some), None);
        provider.release();
        assert_eq!(provider.next(Some), Some(0));
    }

    #[test]
    fn the_rate_limit_says_when_its_span_ends_exactly_in_seconds_or_not() {
        for (retry_after, hint) in [
            (RetryAfter::Exact, Some(Millis(1500))),
            (RetryAfter::Seconds, Some(Millis(2000))),
            (RetryAfter::None, None),
        ] {
            let mut provider = provider(Some(Limit { limit: 1, window_ms: 2000.0, retry_after }), Vec::new());
            assert_eq!(receive(&mut provider, 2000), Reception::Served);
            assert_eq!(receive(&mut provider, 2500), Reception::Fails(Code::RateLimited, hint, 0));
            assert_eq!(receive(&mut provider, 4000), Reception::Queued);
        }
    }

    #[test]
    fn a_request_needs_room_in_both_limits_and_the_longer_wait_is_stated() {
        let limit = |limit, window_ms| Some(Limit { limit, window_ms, retry_after: RetryAfter::Exact });
        let both = Setting { rate_limit: limit(3, 1000.0), token_limit: limit(1000, 5000.0), ..setting() };
        let mut provider = Provider::new(&both, 400.0);
        assert_eq!(receive(&mut provider, 0), Reception::Served);
        assert_eq!(receive(&mut provider, 0), Reception::Queued);
        // 200 tokens are left. A refused request takes nothing from the other limit.
        let refused = |ms| Reception::Fails(Code::RateLimited, Some(Millis(ms)), 0);
        assert_eq!(receive(&mut provider, 0), refused(5000));
        assert_eq!(receive(&mut provider, 4900), refused(100));
        let mut provider = Provider::new(&Setting { rate_limit: limit(1, 1000.0), ..both }, 1000.0);
        assert_eq!(receive(&mut provider, 0), Reception::Served);
        assert_eq!(receive(&mut provider, 0), refused(5000));
        assert_eq!(receive(&mut provider, 5000), Reception::Queued);
    }

    #[test]
    fn faults_come_before_all_else() {
        let error =
            MixedError { code: Code::ServerError, rate: 1.0, retry_after_ms: Some(0.5), latency_ms: 3.0 };
        let mut provider = provider(None, vec![error]);
        assert_eq!(
            receive(&mut provider, 0),
            Reception::Fails(Code::ServerError, Some(Millis(1)), 3_000_000)
        );
        let blackhole = Conditions { blackhole: true, ..Conditions::default() };
        provider.change(&blackhole);
        assert_eq!(receive(&mut provider, 0), Reception::Swallowed);
        provider.change(&Conditions { outage: true, ..blackhole });
        assert_eq!(receive(&mut provider, 0), Reception::Fails(Code::NetworkError, None, 0));
    }

    #[test]
    fn a_pause_lets_nobody_begin_and_capacity_takes_servers_away() {
        let mut provider = provider(None, Vec::new());
        provider.change(&Conditions { pause: true, ..Conditions::default() });
        assert_eq!(receive(&mut provider, 0), Reception::Queued);
        provider.change(&Conditions { capacity: 0.5, ..Conditions::default() });
        assert_eq!(provider.next(Some), None);
        provider.change(&Conditions::default());
        assert_eq!(provider.next(Some), Some(0));
    }
}
