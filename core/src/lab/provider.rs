//! The provider: a row of equal servers, one queue, a rate limit, errors of its own; and what faults make of them.

use super::scenario::{self, Limit, MixedError, RetryAfter};
use super::timeline::{Conditions, nanos};
use crate::code::Code;
use crate::time::Millis;
use std::collections::VecDeque;

/// How a request fares on its arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reception {
    /// It fails, after so many nanoseconds.
    Fails(Code, Option<Millis>, u64),
    /// A server takes it.
    Served,
    /// It waits.
    Queued,
    /// It is never heard of again.
    Swallowed,
}

/// The provider's state. Which attempts are in it is known by their numbers only.
#[derive(Debug)]
pub(super) struct Provider {
    scenario: scenario::Provider,
    conditions: Conditions,
    /// How many servers serve, as things are.
    open: u32,
    busy: u32,
    queue: VecDeque<u32>,
    /// Those in the queue that nobody has taken back.
    waiting: u32,
    /// Of the rate limit: the present span, and how many it has let in.
    span: (u64, u32),
}

impl Provider {
    pub(super) fn new(scenario: &scenario::Provider) -> Self {
        Self {
            scenario: scenario.clone(),
            conditions: Conditions::default(),
            open: scenario.servers,
            busy: 0,
            queue: VecDeque::new(),
            waiting: 0,
            span: (0, 0),
        }
    }

    /// A request arrives. `luck`, uniform in [0, 1), says which error of the mix it gets, if any.
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
        if let Some(limit) = self.scenario.rate_limit
            && let Err(hint) = self.count(limit, now)
        {
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

    /// A server is free again.
    #[inline]
    pub(super) fn release(&mut self) {
        self.busy = self.busy.saturating_sub(1);
    }

    /// The next request in the queue, if a server is free for it. `find` returns those that still wait, and forgets the
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

    /// How many requests wait.
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

    /// Faults begin, change or end.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    pub(super) fn change(&mut self, conditions: &Conditions) {
        self.conditions.clone_from(conditions);
        // The smallest rounding error must not take a server away.
        let servers = libm::floor(f64::from(self.scenario.servers) * conditions.capacity + 1e-9) as u32;
        self.open = if conditions.pause { 0 } else { servers };
    }

    /// Counts a request.
    ///
    /// # Errors
    /// The request is refused, with the wait that the provider states, if it states one.
    fn count(&mut self, limit: Limit, now: u64) -> Result<(), Option<Millis>> {
        let length = nanos(limit.window_ms).max(1);
        let span = now / length;
        if span != self.span.0 {
            self.span = (span, 0);
        }
        if self.span.1 < limit.limit {
            self.span.1 += 1;
            return Ok(());
        }
        let left = ((span + 1) * length - now).div_ceil(1_000_000);
        Err(match limit.retry_after {
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
    use crate::lab::{Distribution, Provider as Setting};

    fn provider(limit: Option<Limit>, errors: Vec<MixedError>) -> Provider {
        Provider::new(&Setting {
            servers: 1,
            service: Distribution::Constant { mean: 100.0 },
            queue: Some(1),
            abandons: false,
            rate_limit: limit,
            errors,
        })
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
