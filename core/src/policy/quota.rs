//! The retry quota: how much a policy may spend on retries.
//!
//! It decides from the process's own observations whether a retry would help now, or make an overload worse. Three
//! things are known without configuration.
//!
//! - A retry that was answered did help, so its cost is refunded, and random errors cost nothing. (AWS SDKs, standard
//!   retry mode: <https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html>.)
//! - A timeout has cost the provider a whole request, and the requests behind it in the queue their time. A retry after
//!   a timeout costs four, from the share of recently answered calls and not from the reserve. So a process that makes
//!   a call a minute retries one timeout of its first minute, and then hardly any, because hundreds of these processes
//!   would make an overload last forever. If that retry is answered, there was room, and it refunds more than its cost.
//! - The first call that fails in the first minute of a process has all its retries, if nothing was answered before it.
//!   Others pay: many processes whose first failure is the same overload would keep it going.
//! - Processes that got the same `Retry-After` with a 429 come back at the same moment. Such a retry costs two.
//!
//! Any other retry takes from a reserve first, so that the first calls of a process have their retries, then from the
//! share. (gRPC's retry throttling, <https://github.com/grpc/proposal/blob/master/A6-client-retries.md>, has only the
//! reserve.)
//!
//! A call that succeeds reads no clock. Successes are counted, and spread evenly over the time since the last failure.

use super::retry::Failure;
use crate::code::Code;
use crate::time::{Millis, Timestamp};

/// The numbers of a quota. Retries are in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaConfig {
    /// The most that the reserve holds.
    pub reserve: u32,
    /// The reserve of a new process.
    pub first_reserve: u32,
    /// Each success adds this amount to the reserve …
    pub regained: u32,
    /// … and this amount to the share …
    pub share: u32,
    /// … for this long.
    pub window: Millis,
    /// For timeouts of the first window, where the share has nothing.
    pub first_timeouts: u32,
    /// The cost of a retry after a timeout …
    pub timeout: u32,
    /// … and its refund if the retry is answered.
    pub timeout_back: u32,
    /// The cost of a retry after a 429 with a `Retry-After` above [`QuotaConfig::long_hint`].
    pub hinted: u32,
    /// After a longer wait, many processes may come back at the same moment.
    pub long_hint: Millis,
}

/// One retry.
const ONE: u32 = 1000;

/// The most that the share holds: a thousand retries.
const MOST: u64 = 1_000_000;

/// The cost of a call's retries to a quota.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    reserve: u32,
    share: u32,
    first: u32,
    /// The share gets this beside the cost if the last retry is answered.
    bonus: u32,
    /// `true` for the retries of a process's first call, which cost nothing.
    exempt: bool,
}

impl Spent {
    /// These and those of another retry.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            reserve: self.reserve.saturating_add(other.reserve),
            share: self.share.saturating_add(other.share),
            first: self.first.saturating_add(other.first),
            bonus: self.bonus.saturating_add(other.bonus),
            exempt: self.exempt || other.exempt,
        }
    }
}

/// The state of a quota.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    config: QuotaConfig,
    reserve: u32,
    share: u64,
    /// The rest of [`QuotaConfig::first_timeouts`].
    first: u32,
    /// `true` until a call was answered, or the first one has failed.
    is_fresh: bool,
    /// The time when it was made, if known.
    made: Option<Timestamp>,
    /// Successes since `folded`, which the share does not have yet.
    successes: u64,
    /// How far it is folded: first to the time when the quota was made, if known, then to the last examined failure.
    folded: Option<Timestamp>,
}

impl Quota {
    pub(super) const fn new(config: QuotaConfig, since: Option<Timestamp>) -> Self {
        Self {
            config,
            reserve: config.first_reserve,
            share: 0,
            first: config.first_timeouts,
            is_fresh: true,
            made: since,
            successes: 0,
            folded: since,
        }
    }

    /// Records that an attempt was answered; `spent` is the cost of its call's retries.
    #[inline]
    pub(super) fn succeed(&mut self, spent: Spent) {
        self.successes = self.successes.saturating_add(1);
        self.is_fresh = false;
        self.refund(Spent { reserve: spent.reserve.saturating_add(self.config.regained), ..spent });
        self.share = self.share.saturating_add(u64::from(spent.bonus)).min(MOST);
    }

    /// Refunds a retry that was never made.
    pub(super) fn refund(&mut self, spent: Spent) {
        self.reserve = self.reserve.saturating_add(spent.reserve).min(self.config.reserve);
        self.share = self.share.saturating_add(u64::from(spent.share)).min(MOST);
        self.first = self.first.saturating_add(spent.first).min(self.config.first_timeouts);
    }

    /// Takes a retry after this failure, if it may, of a call whose earlier retries took `before`.
    pub(super) fn withdraw(&mut self, now: Timestamp, failure: &Failure, before: Spent) -> Option<Spent> {
        self.fold(now);
        let age = self.made.map_or(Millis::ZERO, |made| now.since(made));
        let is_new = age < self.config.window;
        // An attempt may last longer than the window: it is the first one if it took most of the process's life.
        let is_first = failure.duration.is_some_and(|took| took.0.saturating_mul(2) >= age.0);
        if before.exempt || (std::mem::replace(&mut self.is_fresh, false) && (is_new || is_first)) {
            return Some(Spent { exempt: true, ..Spent::default() });
        }
        let hinted = failure.code == Code::RateLimited
            && failure.hint.is_some_and(|hint| hint > self.config.long_hint);
        let cost = match failure.code {
            Code::Timeout => self.config.timeout,
            _ if hinted => self.config.hinted,
            _ => ONE,
        };
        let is_timeout = failure.code == Code::Timeout;
        let (mut spent, bonus) = (Spent::default(), self.config.timeout_back.saturating_sub(cost));
        if !is_timeout && self.reserve >= cost {
            self.reserve -= cost;
            spent.reserve = cost;
        } else if self.share >= u64::from(cost) {
            self.share -= u64::from(cost);
            spent.share = cost;
        } else {
            self.first = self.first.checked_sub(cost).filter(|_| is_timeout && is_new)?;
            spent.first = cost;
        }
        Some(Spent { bonus: if is_timeout { bonus } else { 0 }, ..spent })
    }

    /// Returns how many whole retries are left, after failures of the cheapest kind.
    pub(super) fn available(mut self, now: Timestamp) -> u64 {
        self.fold(now);
        u64::from(self.reserve / ONE) + self.share / u64::from(ONE)
    }

    /// Adds the earnings since the last failure, and drops those older than the window. It assumes that successes came
    /// evenly.
    fn fold(&mut self, now: Timestamp) {
        let window = self.config.window.0.max(1);
        let elapsed = self.folded.map_or(0, |folded| now.since(folded).0);
        let earned = self.successes.saturating_mul(u64::from(self.config.share));
        let recent = if elapsed > window { scaled(earned, window, elapsed) } else { earned };
        let kept = scaled(self.share, window.saturating_sub(elapsed), window);
        self.share = kept.saturating_add(recent).min(MOST);
        self.successes = 0;
        self.folded = Some(now.max(self.folded.unwrap_or(now)));
    }
}

/// `amount · part / of`, rounded down.
fn scaled(amount: u64, part: u64, of: u64) -> u64 {
    u64::try_from(u128::from(amount) * u128::from(part) / u128::from(of.max(1))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::defaults::QUOTA;
    use proptest::prelude::*;

    fn failure(code: Code, hint: Option<u64>) -> Failure {
        Failure { hint: hint.map(Millis), ..Failure::of(code) }
    }

    /// A quota whose process has had its first call: that one's retries cost nothing.
    fn used(made: u64) -> Quota {
        let mut quota = Quota::new(QUOTA, Some(Timestamp(made)));
        let first = quota.withdraw(Timestamp(made), &failure(Code::Timeout, None), Spent::default());
        assert_eq!(first, Some(Spent { exempt: true, ..Spent::default() }));
        quota
    }

    fn granted(quota: &mut Quota, now: u64, failure: &Failure) -> usize {
        (0..1000).filter(|_| quota.withdraw(Timestamp(now), failure, Spent::default()).is_some()).count()
    }

    #[test]
    fn the_first_call_has_all_its_retries_also_after_timeouts_unless_another_was_answered() {
        let timeout = failure(Code::Timeout, None);
        let attempts = |quota: &mut Quota, now: u64| {
            let mut spent = Spent::default();
            let retries = (0..3).take_while(|_| {
                quota
                    .withdraw(Timestamp(now), &timeout, spent)
                    .map(|taken| spent = spent.and(taken))
                    .is_some()
            });
            1 + retries.count()
        };
        // In its first minute.
        for (now, expected) in [(0, [4, 2, 1, 1]), (60_000, [1, 1, 1, 1])] {
            let mut quota = Quota::new(QUOTA, Some(Timestamp(0)));
            assert_eq!([(); 4].map(|()| attempts(&mut quota, now)), expected);
        }
        let mut answered = Quota::new(QUOTA, Some(Timestamp(0)));
        answered.succeed(Spent::default());
        assert_eq!([(); 3].map(|()| attempts(&mut answered, 0)), [2, 1, 1]);
        // It has begun when the process did, and took longer than a minute.
        let long = Failure { duration: Some(Millis(90_000)), ..timeout };
        let mut slow = Quota::new(QUOTA, Some(Timestamp(0)));
        assert!(slow.withdraw(Timestamp(90_000), &long, Spent::default()).is_some_and(|spent| spent.exempt));
    }

    #[test]
    fn a_new_process_has_its_reserve_and_one_retry_after_a_timeout() {
        let busy = failure(Code::ServerError, None);
        let mut quota = used(0);
        assert_eq!(granted(&mut quota, 5000, &failure(Code::Timeout, None)), 1);
        assert_eq!((granted(&mut quota, 5000, &busy), granted(&mut quota, 600_000, &busy)), (9, 0));
    }

    #[test]
    fn a_retry_after_a_long_hint_takes_two() {
        for (hint, retries) in [(None, 9), (Some(2000), 9), (Some(2001), 4)] {
            let mut quota = used(0);
            let refused = failure(Code::RateLimited, hint);
            assert_eq!(
                (0..20)
                    .filter(|_| quota.withdraw(Timestamp(60_000), &refused, Spent::default()).is_some())
                    .count(),
                retries
            );
        }
    }

    #[test]
    fn a_retry_that_is_never_made_is_refunded() {
        for code in [Code::ServerError, Code::Timeout] {
            let mut quota = used(0);
            for now in 0..100_u64 {
                let spent = quota.withdraw(Timestamp(now), &failure(code, None), Spent::default()).unwrap();
                quota.refund(spent);
            }
        }
    }

    #[test]
    fn a_retry_that_is_answered_costs_nothing() {
        let mut quota = used(0);
        for round in 0..10_000 {
            for code in [Code::ServerError, Code::Timeout] {
                let spent = quota.withdraw(Timestamp(round), &failure(code, None), Spent::default());
                quota.succeed(spent.expect("what was given back is there"));
            }
        }
    }

    #[test]
    fn a_busy_process_has_a_share_of_its_last_minute_after_timeouts() {
        let timeout = failure(Code::Timeout, None);
        let mut quota = used(0);
        (0..100).for_each(|_| quota.succeed(Spent::default()));
        // Ten by the answers, and the first.
        assert_eq!(granted(&mut quota, 30_000, &timeout), 11);
        // The same hundred over ten minutes are ten a minute.
        let mut quota = used(0);
        (0..100).for_each(|_| quota.succeed(Spent::default()));
        assert_eq!(granted(&mut quota, 600_000, &timeout), 1);
    }

    proptest! {
        /// In any history, the granted retries never exceed the initial amount, the earnings from successes and the
        /// refunds.
        #[test]
        fn no_more_is_spent_than_earned(
            steps in prop::collection::vec((0_u64..5000, 0_u8..5), 1..400),
        ) {
            let mut quota = used(0);
            let (mut now, mut spent) = (0, 0_u64);
            let mut earned = u64::from(QUOTA.first_reserve + QUOTA.first_timeouts);
            let mut open = Vec::new();
            for (step, what) in steps {
                now += step;
                let failure = match what {
                    0 => failure(Code::Timeout, None),
                    1 => failure(Code::ServerError, None),
                    2 => failure(Code::RateLimited, Some(10_000)),
                    _ => {
                        let back: Spent = open.pop().unwrap_or_default();
                        quota.succeed(back);
                        earned += u64::from(QUOTA.regained + QUOTA.share)
                            + u64::from(back.reserve + back.share + back.first + back.bonus);
                        continue;
                    }
                };
                if let Some(taken) = quota.withdraw(Timestamp(now), &failure, Spent::default()) {
                    let cost = [QUOTA.timeout, ONE, QUOTA.hinted][usize::from(what)];
                    spent += u64::from(cost);
                    open.push(taken);
                }
                prop_assert!(spent <= earned, "{spent} of {earned}");
                prop_assert!(quota.reserve <= QUOTA.reserve);
            }
        }
    }
}
