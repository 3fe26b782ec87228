//! A retry budget: retries may be a share of the calls, so that an outage is not amplified.
//!
//! After Finagle's retry budget (<https://twitter.github.io/finagle/guide/Glossary.html>), with a window of fixed cost.
//! Any number of policies can share it. A policy without a budget takes its retries from its own
//! [quota](super::QuotaConfig).

use super::quota::{Quota, QuotaConfig, Spent};
use super::retry::Failure;
use super::window::{Buckets, Side};
use crate::code::Code;
use crate::time::{Millis, Timestamp};

/// The options of a budget: a share of the calls, or a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetConfig {
    ratio: u64,
    reserve: u64,
    window: Millis,
    quota: Option<QuotaConfig>,
}

/// One retry, in fixed point.
const ONE: u64 = 1 << 32;

impl BudgetConfig {
    /// Allows `ratio` retries for each call (0.1 is 10 %), over `window`, and `min_per_second` in addition, even
    /// without calls.
    ///
    /// Negative numbers and NaN count as 0. A share is rounded up in the 32nd binary place, so that ten calls at 0.1 do
    /// earn a retry.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "`as` saturates"
    )]
    pub fn new(ratio: f64, min_per_second: f64, window: Millis) -> Self {
        // NaN stays NaN, which `as` turns into 0; `min` alone would turn it into the maximum.
        let fixed = |value: f64| (value.clamp(0.0, 1e9) * ONE as f64).ceil() as u64;
        // A reserve of whole milliseconds times whole retries stays exact in f64.
        let reserve = fixed(min_per_second * window.as_f64() / 1000.0);
        Self { ratio: fixed(ratio), reserve, window, quota: None }
    }

    /// Makes a quota instead of a share.
    #[must_use]
    pub const fn quota(quota: QuotaConfig) -> Self {
        Self { ratio: 0, reserve: 0, window: quota.window, quota: Some(quota) }
    }
}

impl Default for BudgetConfig {
    /// 10 % of the calls of the last 10 s, and one a second.
    fn default() -> Self {
        Self::new(0.1, 1.0, Millis(10_000))
    }
}

/// Counts first attempts and retries over a window.
///
/// ```
/// use halfopen::policy::{Budget, BudgetConfig};
/// use halfopen::time::{Millis, Timestamp};
/// let mut budget = Budget::new(BudgetConfig::new(0.1, 0.0, Millis(10_000)));
/// let now = Timestamp(0);
/// assert!(!budget.withdraw(now));
/// (0..10).for_each(|_| budget.deposit(now));
/// assert!(budget.withdraw(now));
/// assert!(!budget.withdraw(now));
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    config: BudgetConfig,
    deposits: Buckets<1>,
    withdrawals: Buckets<1>,
    latest: Timestamp,
    /// How many processes share the reserve.
    sharers: u64,
    quota: Option<Quota>,
}

impl Budget {
    /// A budget that starts with its reserve.
    #[must_use]
    pub fn new(config: BudgetConfig) -> Self {
        let buckets = || Buckets::new(config.window);
        let quota = config.quota.map(|quota| Quota::new(quota, None));
        Self { config, deposits: buckets(), withdrawals: buckets(), latest: Timestamp(0), sharers: 1, quota }
    }

    /// Like `new`, for a policy made at that time: a quota then knows how many calls a process makes.
    #[must_use]
    pub fn since(config: BudgetConfig, made: Timestamp) -> Self {
        let quota = config.quota.map(|quota| Quota::new(quota, Some(made)));
        Self { quota, ..Self::new(config) }
    }

    /// The options that it was made with.
    #[must_use]
    pub const fn config(&self) -> BudgetConfig {
        self.config
    }

    /// Returns `true` for a quota. It belongs to one policy, and first attempts and hedges cost it nothing.
    #[must_use]
    pub const fn is_quota(&self) -> bool {
        self.quota.is_some()
    }

    /// Divides the part that needs no calls among this many processes.
    pub fn share(&mut self, sharers: u32) {
        self.sharers = u64::from(sharers.max(1));
    }

    /// A first attempt was made.
    pub fn deposit(&mut self, now: Timestamp) {
        if self.quota.is_some() {
            return;
        }
        let now = self.clamp(now);
        // Earnings leave early and spendings late, so rounding never grants a retry too many.
        self.deposits.add(now, Side::Early, [1]);
    }

    /// Records that an attempt was answered. `spent` is the cost of its call's retries, which a quota gets back.
    #[inline]
    pub fn succeed(&mut self, spent: Spent) {
        if let Some(quota) = &mut self.quota {
            quota.succeed(spent);
        }
    }

    /// Records that a granted retry was never made. A quota gets its cost back.
    pub fn refund(&mut self, spent: Spent) {
        if let Some(quota) = &mut self.quota {
            quota.refund(spent);
        }
    }

    /// Takes one retry, if it may. For a quota it counts like one after an unknown error.
    #[must_use]
    pub fn withdraw(&mut self, now: Timestamp) -> bool {
        self.withdraw_after(now, &Failure::of(Code::Unknown), Spent::default()).is_some()
    }

    /// Takes a retry after this failure, if it may, of a call whose earlier retries took `before`.
    #[must_use]
    pub fn withdraw_after(&mut self, now: Timestamp, failure: &Failure, before: Spent) -> Option<Spent> {
        let now = self.clamp(now);
        if let Some(quota) = &mut self.quota {
            return quota.withdraw(now, failure, before);
        }
        let granted = self.balance(now) >= u128::from(ONE);
        granted.then(|| {
            self.withdrawals.add(now, Side::Late, [1]);
            Spent::default()
        })
    }

    /// Records that another process with the same budget made a retry, whether this one granted it or not.
    #[doc(hidden)]
    pub fn spend(&mut self, now: Timestamp) {
        let now = self.clamp(now);
        self.withdrawals.add(now, Side::Late, [1]);
    }

    /// How many whole retries may be made now.
    #[must_use]
    pub fn available(&mut self, now: Timestamp) -> u64 {
        let now = self.clamp(now);
        match &self.quota {
            Some(quota) => quota.available(now),
            None => u64::try_from(self.balance(now) >> 32).unwrap_or(u64::MAX),
        }
    }

    fn balance(&mut self, now: Timestamp) -> u128 {
        let [deposits] = self.deposits.sums(now);
        let [withdrawals] = self.withdrawals.sums(now);
        let earned = u128::from(self.config.reserve / self.sharers)
            + u128::from(self.config.ratio) * u128::from(deposits);
        earned.saturating_sub(u128::from(withdrawals) << 32)
    }

    fn clamp(&mut self, now: Timestamp) -> Timestamp {
        self.latest = self.latest.max(now);
        self.latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_starts_with_its_reserve_and_gets_it_back_after_the_window() {
        let mut budget = Budget::new(BudgetConfig::default());
        assert_eq!(budget.available(Timestamp(5)), 10);
        assert_eq!((0..20).filter(|_| budget.withdraw(Timestamp(5))).count(), 10);
        assert_eq!(budget.available(Timestamp(10_004)), 0);
        assert_eq!(budget.available(Timestamp(10_005)), 10);
    }

    #[test]
    fn processes_share_the_reserve_and_one_alone_has_all_of_it() {
        let mut budget = Budget::new(BudgetConfig::default());
        budget.share(3);
        assert_eq!(budget.available(Timestamp(0)), 3);
        budget.share(0);
        assert_eq!(budget.available(Timestamp(0)), 10);
    }

    #[test]
    fn a_retry_of_another_process_is_one_less() {
        let mut budget = Budget::new(BudgetConfig::default());
        budget.spend(Timestamp(0));
        assert_eq!(budget.available(Timestamp(0)), 9);
    }

    #[test]
    fn negative_numbers_and_nan_grant_nothing() {
        for odd in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            let mut budget = Budget::new(BudgetConfig::new(odd, odd, Millis(10_000)));
            budget.deposit(Timestamp(0));
            assert_eq!(budget.available(Timestamp(0)), 0, "{odd}");
        }
    }

    #[test]
    fn ten_percent_is_ten_of_a_hundred() {
        let mut budget = Budget::new(BudgetConfig::new(0.1, 0.0, Millis(10_000)));
        (0..100).for_each(|_| budget.deposit(Timestamp(0)));
        assert_eq!((0..100).filter(|_| budget.withdraw(Timestamp(9999))).count(), 10);
    }

    #[test]
    fn a_third_of_three_is_one() {
        let mut budget = Budget::new(BudgetConfig::new(1.0 / 3.0, 0.0, Millis(10_000)));
        (0..3).for_each(|_| budget.deposit(Timestamp(0)));
        assert!(budget.withdraw(Timestamp(0)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// Against the plain lists: a granted retry is within the share, and a refused one might not have been.
        #[test]
        fn the_share_holds_whatever_happens(
            percent in 0_u64..200, reserve in 0_u64..5, length in 1_u64..20_000,
            steps in prop::collection::vec((0_u64..500, any::<bool>()), 1..300),
        ) {
            let length = length * 1000 / 1000;
            #[expect(clippy::cast_precision_loss)]
            let config = BudgetConfig::new(percent as f64 / 100.0, reserve as f64 * 1000.0 / length as f64, Millis(length));
            let mut budget = Budget::new(config);
            let (mut deposits, mut withdrawals): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
            let mut now = 0;
            for (step, deposit) in steps {
                now += step;
                let younger = |list: &[u64], age: u64| list.iter().filter(|&&at| now - at < age).count() as u64;
                if deposit {
                    budget.deposit(Timestamp(now));
                    deposits.push(now);
                } else if budget.withdraw(Timestamp(now)) {
                    withdrawals.push(now);
                    let (earned, spent) = (younger(&deposits, length), younger(&withdrawals, length));
                    prop_assert!(spent * 100 <= (reserve * 100 + percent * earned) + 1, "{spent} of {earned}");
                } else {
                    let bucket = length.div_ceil(BUCKETS_FOR_TEST);
                    let earned = younger(&deposits, length.saturating_sub(bucket));
                    let spent = younger(&withdrawals, length + bucket);
                    prop_assert!((spent + 1) * 100 > reserve * 100 + percent * earned, "{spent} of {earned} refused");
                }
            }
        }
    }

    const BUCKETS_FOR_TEST: u64 = super::super::window::BUCKETS;
}
