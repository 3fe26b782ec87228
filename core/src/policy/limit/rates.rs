//! Several limits at once, what the provider says of its own, and who waits for a turn under all of them.

use super::plan::{Limits, Observed, QueuePlan, Turn};
use super::queue::Queue;
use super::rate::{Cost, RateLimit, RateLimitConfig};
use crate::limit::Unit;
use crate::time::{Millis, Timestamp};

/// The rate limits of a policy: sliding windows over the starts of attempts. An attempt begins when all of them admit
/// it.
#[derive(Clone, Debug)]
pub(crate) struct RateLimits {
    limits: Limits,
    /// The calls that wait for their turn.
    pub queue: Queue,
    /// The plan of [`RateLimits::turn_behind_queue`]; `None` after any change outside the queue.
    plan: Option<QueuePlan>,
}

impl RateLimits {
    /// With nothing started.
    #[must_use]
    pub(crate) fn new(configs: &[RateLimitConfig]) -> Self {
        let own = configs.iter().copied().map(RateLimit::new).collect();
        Self { limits: Limits { own, observed: [None; 2] }, queue: Queue::default(), plan: None }
    }

    /// Applies new settings. Use under a limit still counts under the next one of the same unit.
    pub(crate) fn update(&mut self, configs: &[RateLimitConfig]) {
        self.plan = None;
        let mut old: Vec<_> = self.limits.own.drain(..).map(Some).collect();
        self.limits.own.extend(configs.iter().map(|&config| {
            let same =
                old.iter_mut().find_map(|limit| limit.take_if(|limit| limit.config.unit == config.unit));
            same.map_or_else(|| RateLimit::new(config), |limit| limit.under(config))
        }));
        if configs.is_empty() {
            self.limits.observed = [None; 2];
        }
    }

    /// Returns `true` if there is no limit. Settings can take them away.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.limits.own.is_empty()
    }

    /// Returns `true` if one counts tokens.
    #[must_use]
    pub(crate) fn count_tokens(&self) -> bool {
        self.limits.own.iter().any(|limit| limit.config.unit == Unit::Tokens)
    }

    /// Returns when the first in the queue may begin.
    #[must_use]
    pub(crate) fn turn(&self, cost: Cost, now: Timestamp) -> Timestamp {
        self.hindrances(cost, now).map(|(due, _)| due).fold(now, Timestamp::max)
    }

    /// Returns `true` if an attempt may begin now.
    #[must_use]
    #[inline]
    pub(crate) fn allows(&self, cost: Cost, now: Timestamp) -> bool {
        self.turn(cost, now) <= now
    }

    /// Returns how long the first in the queue may wait for the limits that delay it; `None` if it may begin.
    #[must_use]
    pub(crate) fn patience(&self, cost: Cost, now: Timestamp) -> Option<Millis> {
        self.hindrances(cost, now).filter(|&(due, _)| due > now).map(|(_, patience)| patience).min()
    }

    /// Returns for each limit when it admits the first in the queue, and how long that one may wait for it.
    fn hindrances(&self, cost: Cost, now: Timestamp) -> impl Iterator<Item = (Timestamp, Millis)> {
        let own = self.limits.own.iter().map(move |limit| (limit.due(cost), limit.config.max_wait));
        let observed = self.limits.observed.iter().flatten();
        own.chain(
            observed
                .map(move |limit| (limit.due(cost.of(limit.unit), now), self.limits.patience_of(limit.unit))),
        )
    }

    /// Returns when an attempt may begin behind those that are before it in the queue.
    #[cfg(test)]
    fn forecast(&self, ahead: impl Iterator<Item = Cost>, own: Cost, now: Timestamp) -> Turn {
        let mut plan = QueuePlan::new(&self.limits, &self.queue);
        ahead.for_each(|cost| plan.add(&self.limits, cost, now));
        plan.turn(&self.limits, own, now)
    }

    /// Returns when an attempt may begin behind the queue. The queue's calls are examined once, and not again for each
    /// call that wants to join.
    pub(crate) fn turn_behind_queue(
        &mut self,
        cost_of: impl Fn(u32) -> Cost,
        own: Cost,
        now: Timestamp,
    ) -> Turn {
        let kept = self.plan.take().filter(|plan| plan.holds(&self.queue, now));
        let mut plan = kept.unwrap_or_else(|| QueuePlan::new(&self.limits, &self.queue));
        plan.add_queue(&self.limits, &self.queue, cost_of, now);
        let turn = plan.turn(&self.limits, own, now);
        self.plan = Some(plan);
        turn
    }

    /// Observes how much the provider allows before its limit resets (`None`: any number). A newer report on a unit
    /// replaces the older one.
    pub(crate) fn observe(&mut self, unit: Unit, remaining: Option<u32>, full_at: Timestamp) {
        self.plan = None;
        let observed = remaining.map(|remaining| Observed { unit, remaining, full_at });
        match (unit, &mut self.limits.observed) {
            (Unit::Requests, [requests, _]) => *requests = observed,
            (Unit::Tokens, [_, tokens]) => *tokens = observed,
        }
    }

    /// Records a start. `key` is for [`RateLimits::settle`].
    pub(crate) fn start(&mut self, now: Timestamp, cost: Cost, key: u32) {
        self.plan = None;
        for observed in &mut self.limits.observed {
            *observed = observed.filter(|observed| observed.full_at > now);
            if let Some(observed) = observed {
                observed.remaining = observed.remaining.saturating_sub(cost.of(observed.unit));
            }
        }
        for limit in &mut self.limits.own {
            limit.start(now, cost, key);
        }
    }

    /// Sets this process's share of the limit at that index, if it shares it with others; `u32::MAX` is all of it.
    /// Returns how much of it has begun within the window.
    pub(crate) fn share(&mut self, place: usize, share: Option<u32>, now: Timestamp) -> u64 {
        self.plan = None;
        let Some(limit) = self.limits.own.get_mut(place) else { return 0 };
        limit.share = share.unwrap_or(limit.share);
        limit.used(now)
    }

    /// Sets the tokens of the newest attempt that began under that key.
    pub(crate) fn settle(&mut self, key: u32, tokens: u32) {
        self.plan = None;
        for limit in &mut self.limits.own {
            limit.settle(key, tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::NEVER;
    use proptest::prelude::*;

    const ONE: Cost = Cost { tokens: 0 };

    fn requests(limit: u32, window: u64) -> RateLimits {
        let (window, max_wait) = (Millis(window), Millis(0));
        RateLimits::new(&[RateLimitConfig { limit, window, max_wait, unit: Unit::Requests }])
    }

    fn tokens(limit: u32, window: u64) -> RateLimitConfig {
        RateLimitConfig { limit, window: Millis(window), max_wait: Millis(0), unit: Unit::Tokens }
    }

    #[test]
    fn a_limit_of_requests_and_one_of_tokens_both_hold_and_settled_tokens_count() {
        let requests =
            RateLimitConfig { limit: 2, window: Millis(1000), max_wait: Millis(0), unit: Unit::Requests };
        let tokens = RateLimitConfig { limit: 500, unit: Unit::Tokens, ..requests };
        let mut limits = RateLimits::new(&[requests, tokens]);
        limits.start(Timestamp(0), Cost { tokens: 100 }, 1);
        limits.start(Timestamp(900), Cost { tokens: 100 }, 2);
        let (cost, now) = (Cost { tokens: 350 }, Timestamp(950));
        assert_eq!(limits.turn(cost, now), Timestamp(1000));
        limits.settle(2, 400);
        assert_eq!(limits.turn(cost, now), Timestamp(1900));
    }

    #[test]
    fn a_reported_limit_holds_until_its_reset() {
        let requests =
            RateLimitConfig { limit: 100, window: Millis(1000), max_wait: Millis(0), unit: Unit::Requests };
        let mut limits = RateLimits::new(&[requests]);
        limits.observe(Unit::Requests, Some(1), Timestamp(10_000));
        assert!(limits.allows(Cost::default(), Timestamp(0)));
        limits.start(Timestamp(0), Cost::default(), 1);
        assert_eq!(limits.turn(Cost::default(), Timestamp(0)), Timestamp(10_000));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn no_span_of_a_window_sees_more_than_the_limit(
            limit in 1_u32..6, window in 1_u64..2000, steps in prop::collection::vec(0_u64..500, 1..200),
        ) {
            let mut rate = requests(limit, window);
            let (mut now, mut starts) = (0, Vec::new());
            for step in steps {
                now += step;
                let in_span = starts.iter().filter(|&&at| now - at < window).count();
                prop_assert_eq!(rate.allows(ONE, Timestamp(now)), in_span < limit as usize);
                if rate.allows(ONE, Timestamp(now)) {
                    rate.start(Timestamp(now), ONE, 0);
                    starts.push(now);
                }
            }
        }

        #[test]
        fn the_forecast_is_when_it_happens(
            limit in 1_u32..5, window in 1_u64..500, used in prop::collection::vec(0_u64..300, 0..8), ahead in 0_usize..20,
            observed in prop::array::uniform2((prop::option::of(0_u32..6), 0_u64..2000)),
        ) {
            let mut rate = requests(limit, window);
            let mut now = 0;
            for step in used {
                now = rate.turn(ONE, Timestamp(now + step)).0;
                rate.start(Timestamp(now), ONE, 0);
            }
            for (unit, (remaining, resets)) in [Unit::Requests, Unit::Tokens].into_iter().zip(&observed) {
                rate.observe(unit, *remaining, Timestamp(now + resets));
            }
            let forecast = rate.forecast((0..ahead).map(|_| ONE), ONE, Timestamp(now)).due;
            for _ in 0..ahead {
                now = rate.turn(ONE, Timestamp(now)).0;
                rate.start(Timestamp(now), ONE, 0);
            }
            prop_assert_eq!(rate.turn(ONE, Timestamp(now)), forecast);
        }

        /// Against the plain list of starts: a limit on tokens counts each attempt's tokens as far as they are known.
        #[test]
        fn no_span_sees_more_tokens_than_the_limit(
            limit in 1_u32..100, window in 1_u64..2000,
            steps in prop::collection::vec((0_u64..500, 0_u32..120, prop::option::of((any::<prop::sample::Index>(), 0_u32..120))), 1..200),
        ) {
            let mut rate = RateLimits::new(&[tokens(limit, window)]);
            let (mut now, mut starts) = (0, Vec::<(u64, u32)>::new());
            for (step, estimate, settled) in steps {
                now += step;
                let (at, cost) = (Timestamp(now), Cost { tokens: estimate });
                let in_span: u32 = starts.iter().filter(|start| now - start.0 < window).map(|start| start.1).sum();
                prop_assert_eq!(rate.allows(cost, at), in_span + estimate.max(1) <= limit);
                if rate.allows(cost, at) {
                    rate.start(at, cost, starts.len() as u32);
                    starts.push((now, estimate.max(1)));
                }
                if let Some((index, took)) = settled && !starts.is_empty() {
                    let index = index.index(starts.len());
                    rate.settle(index as u32, took);
                    starts[index].1 = took;
                }
            }
        }

        /// Whichever inputs come in between, a new call gets the same turn as if the whole queue were examined.
        #[test]
        fn a_kept_plan_equals_a_new_one(
            limits in prop::collection::vec((1_u32..20, 1_u64..500, any::<bool>()), 1..3),
            steps in prop::collection::vec((0_u8..12, 0_u64..60, 0_u32..25, any::<prop::sample::Index>()), 1..120),
        ) {
            let limits: Vec<_> = limits.into_iter().map(|(limit, window, of_tokens)| {
                let unit = if of_tokens { Unit::Tokens } else { Unit::Requests };
                RateLimitConfig { unit, max_wait: Millis(window * 4), ..tokens(limit, window) }
            }).collect();
            let mut rate = RateLimits::new(&limits);
            let mut waiting = Vec::new();
            let mut costs = Vec::new();
            let mut now = Timestamp(0);
            for (kind, step, tokens, index) in steps {
                now = now + Millis(step);
                let cost = Cost { tokens };
                match kind {
                    0 => rate.observe(Unit::Requests, (tokens > 5).then_some(tokens), now + Millis(step * 9)),
                    1 => rate.settle(costs.len() as u32, tokens),
                    2 => drop(rate.share(0, (tokens > 12).then_some(tokens), now)),
                    3 if !waiting.is_empty() => {
                        let (place, who) = waiting.remove(index.index(waiting.len()));
                        prop_assert!(rate.queue.leave(place, who));
                    }
                    // The first one begins when it may.
                    4 | 5 if !waiting.is_empty() => {
                        let (place, who) = waiting.remove(0);
                        now = rate.turn(costs[who as usize], now).min(now + Millis(1000));
                        prop_assert!(rate.queue.leave(place, who));
                        rate.start(now, costs[who as usize], who);
                    }
                    _ => {
                        let cost_of = |who: u32| costs[who as usize];
                        let turn = rate.turn_behind_queue(cost_of, cost, now);
                        prop_assert_eq!(turn, rate.forecast(rate.queue.iter().map(cost_of), cost, now));
                        if !turn.is_too_late {
                            let who = costs.len() as u32;
                            costs.push(cost);
                            waiting.push((rate.queue.push(who), who));
                        }
                    }
                }
            }
        }

        /// Several limits admit the calls that each of them admits, and the forecast of a whole queue comes true.
        #[test]
        fn several_limits_are_the_strictest_of_them(
            limits in prop::collection::vec((1_u32..40, 1_u64..500, any::<bool>()), 1..4),
            used in prop::collection::vec((0_u64..300, 0_u32..20), 0..8),
            ahead in prop::collection::vec(0_u32..45, 0..12), own in 0_u32..45,
            observed in prop::array::uniform2((prop::option::of(0_u32..60), 0_u64..2000)),
        ) {
            let limits: Vec<_> = limits.into_iter().map(|(limit, window, of_tokens)| {
                let unit = if of_tokens { Unit::Tokens } else { Unit::Requests };
                RateLimitConfig { unit, ..tokens(limit, window) }
            }).collect();
            let mut rate = RateLimits::new(&limits);
            let mut each: Vec<_> = limits.iter().map(|&limit| RateLimits::new(&[limit])).collect();
            let mut now = 0;
            for (step, tokens) in used {
                now += step;
                let (at, cost) = (Timestamp(now), Cost { tokens });
                let allowed = each.iter().all(|one| one.allows(cost, at));
                prop_assert_eq!(rate.allows(cost, at), allowed);
                if allowed {
                    each.iter_mut().chain([&mut rate]).for_each(|one| one.start(at, cost, 0));
                }
            }
            for (unit, (remaining, resets)) in [Unit::Requests, Unit::Tokens].into_iter().zip(&observed) {
                rate.observe(unit, *remaining, Timestamp(now + resets));
            }
            let cost = |tokens: &u32| Cost { tokens: *tokens };
            let forecast = rate.forecast(ahead.iter().map(cost), cost(&own), Timestamp(now)).due;
            let mut turn = Timestamp(now);
            for tokens in ahead.iter().chain([&own]) {
                turn = rate.turn(cost(tokens), turn);
                if turn == NEVER {
                    break;
                }
                rate.start(turn, cost(tokens), 0);
            }
            prop_assert_eq!(turn, forecast);
        }
    }
}
