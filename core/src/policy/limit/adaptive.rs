//! How many attempts run at once, learned from how they end.
//!
//! [`AdaptiveLimit`] probes for the provider's capacity, as TCP does for a path: a good answer raises the limit,
//! overload lowers it to a share. Take the defaults of 20 at once and a share of 0.7. Twenty attempts run, and one of
//! them is answered with 529, so the limit is now 14. The other nineteen do not change it, however they end, because
//! they began before. Of the attempts that begin from now on, 14 good answers raise it to 15.
//!
//! - Additive increase and multiplicative decrease divide the capacity fairly among processes that do not know each
//!   other: Chiu and Jain, "Analysis of the increase and decrease algorithms for congestion avoidance in computer
//!   networks" (1989).
//! - A limit that is not reached says nothing, so it does not grow: RFC 7661.
//! - Overload lowers the limit to a share of the attempts that ran, not of those that might have run: RFC 5681 §3.1,
//!   which uses the `FlightSize` and not the window.
//! - Before the first overload, each good answer raises the limit by one, so the limit doubles in a round. After a row
//!   of overloads the same holds up to the limit at which the row began. This is slow start and its threshold, which
//!   repeated losses leave unchanged (RFC 5681 §3.1).
//! - A few overloads among many good answers lower nothing. With one decrease for each, and an increase of one in a
//!   round, 5 % of overloads would hold the limit near 10, whatever the provider's capacity. Three good answers make up
//!   for one overload; for up to four of them if many attempts run.
//! - The increase is one in the first round after a decrease, two in the second, and so on: the longer there is no
//!   overload, the farther away the right limit is. After H-TCP (Leith and Shorten, "H-TCP: TCP for high-speed and
//!   long-distance networks", 2004), which counts time instead of rounds.
//! - Latency alone lowers nothing, unlike in Netflix's concurrency-limits or Envoy, because the answers of a model
//!   differ in length.

use super::queue::{Place, Queue};
use crate::code::Code;
use crate::policy::backoff::Factor;
use crate::time::{Millis, Timestamp};

/// Between which bounds the limit moves, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptiveConfig {
    /// The limit never falls below this; 1 at least.
    pub min: u32,
    /// It never rises above this.
    pub max: u32,
    /// Where it begins.
    pub initial: u32,
    /// Overload multiplies it by this.
    pub decrease: Factor,
}

impl Default for AdaptiveConfig {
    /// 20 at first, 1 to 1000, × 0.7.
    fn default() -> Self {
        Self { min: 1, max: 1000, initial: 20, decrease: Factor::from_f64(0.7) }
    }
}

impl AdaptiveConfig {
    fn sane(self) -> Self {
        let min = self.min.max(1);
        let max = self.max.max(min);
        let decrease = self.decrease.min(Factor::ONE);
        Self { min, max, initial: self.initial.clamp(min, max), decrease }
    }
}

/// Why the limit changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Because {
    /// Answers were good, and the limit was used.
    Good = 0,
    /// The provider was overloaded.
    Overload = 1,
}

impl Because {
    /// Both, by their numbers.
    pub const ALL: [Self; 2] = [Self::Good, Self::Overload];

    /// Returns the name in events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Overload => "overload",
        }
    }
}

/// A change of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitChange {
    /// The limit from now on.
    pub limit: u32,
    /// The last thing that moved it.
    pub because: Because,
    /// The error, if it was overload.
    pub code: Option<Code>,
}

/// Slots for attempts, up to the number that the provider seems to handle.
///
/// ```
/// use halfopen::Code;
/// use halfopen::policy::{AdaptiveConfig, AdaptiveLimit};
/// let mut adaptive = AdaptiveLimit::new(AdaptiveConfig { initial: 10, ..AdaptiveConfig::default() });
/// let slots: Vec<_> = (0..11).map(|_| adaptive.take_free()).collect();
/// assert_eq!(slots[9..], [Some(0), None]);
/// assert!(adaptive.wait(10, None, None).is_ok());
/// adaptive.overload(0, Code::ProviderOverloaded);
/// adaptive.release();
/// adaptive.overload(0, Code::ProviderOverloaded);
/// adaptive.release();
/// assert_eq!(adaptive.limit(), 7);
/// assert_eq!(adaptive.hand_over(), None, "eight run");
/// ```
#[derive(Clone, Debug)]
pub struct AdaptiveLimit {
    /// None: everything passes, and nothing is learned.
    config: Option<AdaptiveConfig>,
    /// The calls that wait for a slot.
    pub queue: Queue,
    /// The limit, in units of 2⁻³².
    limit: u64,
    /// Up to this, each good answer raises the limit by one.
    threshold: u64,
    running: u32,
    /// How many ran at once at most since the last decrease.
    peak: u32,
    /// How often the limit fell: a slot of an older generation was taken before.
    generation: u32,
    /// `true` if no answer was good since the last decrease.
    in_a_row: bool,
    /// Good answers since the last decrease earn credit. An overload costs [`COST`](Self::COST) of it, and lowers the
    /// limit if the credit does not cover that.
    credit: u32,
    /// Rounds of good answers since the last decrease, and the number of answers in the present round.
    rounds: u32,
    in_round: u32,
    pace: Pace,
    moved: Option<(Because, Option<Code>)>,
    reported: u32,
    reported_at: Option<Timestamp>,
}

/// In units of 2⁻³².
const ONE: u64 = 1 << 32;

impl AdaptiveLimit {
    /// Of an overload, in good answers.
    const COST: u32 = 3;
    /// Four overloads are more than noise, even after many good answers. If fewer than four attempts ran at once, one
    /// is enough: such a process sees little, and the lowered limit leaves it enough slots.
    const MOST_OVERLOADS: u32 = 4;

    /// Makes a limit with all slots free.
    #[must_use]
    pub fn new(config: AdaptiveConfig) -> Self {
        let config = config.sane();
        Self {
            config: Some(config),
            queue: Queue::default(),
            limit: fixed(config.initial),
            threshold: u64::MAX,
            running: 0,
            peak: 0,
            generation: 0,
            in_a_row: false,
            credit: Self::COST,
            rounds: 0,
            in_round: 0,
            pace: Pace::default(),
            moved: None,
            reported: config.initial,
            reported_at: None,
        }
    }

    /// Applies new bounds, and moves the learned limit into them. `None` admits everything.
    pub fn update(&mut self, config: Option<AdaptiveConfig>) {
        let config = config.map(AdaptiveConfig::sane);
        match (self.config, config) {
            (Some(_), Some(new)) => self.limit = self.limit.clamp(fixed(new.min), fixed(new.max)),
            (None, Some(new)) => (self.limit, self.threshold) = (fixed(new.initial), u64::MAX),
            (_, None) => {}
        }
        self.config = config;
        (self.moved, self.reported) = (None, self.limit());
    }

    /// How many may run at once; `u32::MAX` where everything passes.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        if self.config.is_none() { u32::MAX } else { whole(self.limit) }
    }

    /// Returns `true` if there is a limit. Settings can take it away.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.config.is_some()
    }

    /// How many run.
    #[must_use]
    pub const fn running(&self) -> u32 {
        self.running
    }

    /// Returns `true` if a slot is free and no call waits for it.
    #[must_use]
    #[inline]
    pub fn has_free_slot(&self) -> bool {
        self.running < self.limit() && self.queue.is_empty()
    }

    /// Takes a slot, if one is free and no call waits for it. Returns its generation: [`AdaptiveLimit::good`] and
    /// [`AdaptiveLimit::overload`] take it.
    #[inline]
    pub fn take_free(&mut self) -> Option<u32> {
        self.has_free_slot().then(|| self.take())
    }

    /// Joins the queue.
    ///
    /// # Errors
    /// The queue will take longer than the call has (`left`). Returns how long until another call can have a slot at
    /// once.
    #[cold]
    pub fn wait(&mut self, call: u32, now: Option<Timestamp>, left: Option<Millis>) -> Result<Place, Millis> {
        if self.queue.is_empty() {
            self.pace = Pace::default();
        }
        let ahead = u32::try_from(self.queue.len()).unwrap_or(u32::MAX).saturating_add(1);
        if let (Some(now), Some(left)) = (now, left) {
            // A call with a slot needs about the time in which all slots become free once. Half of the calls need
            // longer, and a call that its deadline cuts off has kept another from its slot. So the wait counts a
            // quarter more, and its own time twice.
            let slots = ahead.saturating_add(ahead / 4).saturating_add(self.running.saturating_mul(2));
            if self.pace.span(slots, now).is_some_and(|served| served > left) {
                let free = self.pace.span(ahead, now).unwrap_or(Pace::LONGEST);
                return Err(free.clamp(Millis(1), Pace::LONGEST));
            }
        }
        self.pace.begin(now);
        Ok(self.queue.push(call))
    }

    fn take(&mut self) -> u32 {
        self.running += 1;
        self.peak = self.peak.max(self.running);
        self.generation
    }

    /// Gives a free slot to the call that has waited longest. Returns that call, and its generation.
    pub fn hand_over(&mut self) -> Option<(u32, u32)> {
        if self.running >= self.limit() {
            return None;
        }
        let next = self.queue.pop()?;
        Some((next, self.take()))
    }

    /// Releases a slot.
    #[inline]
    pub fn release(&mut self) {
        debug_assert!(self.running > 0, "no slot is taken");
        self.running = self.running.saturating_sub(1);
        self.pace.freed = self.pace.freed.saturating_add(1);
    }

    /// Records a good answer to the attempt of a slot that is not released yet.
    #[inline]
    pub fn good(&mut self, generation: u32) {
        let Some(config) = self.config else { return };
        // Overloads of older slots count too: refusals are quicker than answers, so the first results after a decrease
        // would all be refusals.
        let most = Self::COST * (1 + self.peak / 4).min(Self::MOST_OVERLOADS);
        self.credit = (self.credit + 1).min(most);
        if generation != self.generation {
            return;
        }
        self.in_a_row = false;
        let limit = whole(self.limit);
        if self.running >= limit {
            let is_slow_start = self.limit.saturating_add(ONE) <= self.threshold;
            let step = if is_slow_start { ONE } else { self.step(limit) };
            self.limit = self.limit.saturating_add(step).min(fixed(config.max));
            if self.limit() != limit {
                self.moved = Some((Because::Good, None));
            }
        }
    }

    /// Returns by how much one good answer raises the limit after the slow start.
    fn step(&mut self, limit: u32) -> u64 {
        let in_a_round = ONE.saturating_mul(u64::from(self.rounds) + 1);
        self.in_round += 1;
        if self.in_round >= limit {
            (self.in_round, self.rounds) = (0, self.rounds.saturating_add(1));
        }
        in_a_round.div_ceil(u64::from(limit)).min(ONE)
    }

    /// Records an overload of the provider for the attempt of a slot that is not released yet. Does nothing for an
    /// attempt that began before the last decrease. One overload among enough good answers only costs their credit.
    #[cold]
    pub fn overload(&mut self, generation: u32, code: Code) {
        let Some(config) = self.config else { return };
        if generation != self.generation {
            return;
        }
        if self.credit > Self::COST {
            self.credit -= Self::COST;
            return;
        }
        let limit = self.limit();
        let used = limit.min(self.peak);
        // The factor is rounded to 2⁻³²: half a unit for each, and 0.7 × 20 would be 13.
        let lower = config.decrease.fixed(used).saturating_add(used.into());
        self.limit = lower.max(fixed(config.min)).min(self.limit);
        if !self.in_a_row {
            self.threshold = self.limit;
        }
        self.in_a_row = true;
        self.generation = self.generation.wrapping_add(1);
        self.peak = self.running;
        (self.credit, self.rounds, self.in_round) = (Self::COST, 0, 0);
        if self.limit() != limit {
            self.moved = Some((Because::Overload, Some(code)));
        }
    }

    /// Returns the limit if it has changed since it was returned last, at most once a second.
    pub fn poll_change(&mut self, now: Timestamp) -> Option<LimitChange> {
        let (because, code) = self.moved?;
        let limit = self.limit();
        if limit == self.reported || self.reported_at.is_some_and(|at| now.since(at) < Millis(1000)) {
            return None;
        }
        (self.moved, self.reported, self.reported_at) = (None, limit, Some(now));
        Some(LimitChange { limit, because, code })
    }
}

const fn fixed(count: u32) -> u64 {
    (count as u64) << 32
}

const fn whole(fixed: u64) -> u32 {
    (fixed >> 32) as u32
}

/// How quickly slots become free while calls wait for them.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    /// Since when slots are counted.
    since: Option<Timestamp>,
    freed: u32,
}

impl Pace {
    /// Below this a few lucky or unlucky slots decide.
    const EVIDENCE: u32 = 4;
    /// Above this the older half is forgotten.
    const MEMORY: u32 = 64;
    /// The longest wait that is stated: the longest that a policy obeys by default.
    const LONGEST: Millis = Millis(60_000);

    fn begin(&mut self, now: Option<Timestamp>) {
        if self.since.is_none() {
            *self = Self { since: now, freed: 0 };
        }
    }

    /// Returns how long that number of slots takes to become free; `None` if unknown.
    fn span(&mut self, slots: u32, now: Timestamp) -> Option<Millis> {
        let since = self.since?;
        let mut elapsed = now.since(since);
        if self.freed < Self::EVIDENCE {
            return None;
        }
        if self.freed > Self::MEMORY {
            elapsed = Millis(elapsed.0 * u64::from(Self::MEMORY / 2) / u64::from(self.freed));
            self.since = Some(Timestamp(now.0 - elapsed.0));
            self.freed = Self::MEMORY / 2;
        }
        Some(Millis(elapsed.0.saturating_mul(u64::from(slots)) / u64::from(self.freed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limit(min: u32, max: u32, initial: u32) -> AdaptiveLimit {
        AdaptiveLimit::new(AdaptiveConfig { min, max, initial, ..AdaptiveConfig::default() })
    }

    fn taken(adaptive: &mut AdaptiveLimit) -> u32 {
        adaptive.take_free().unwrap()
    }

    /// All slots are taken, and their attempts answered well.
    fn round(adaptive: &mut AdaptiveLimit) {
        let slots: Vec<_> = (0..adaptive.limit()).map(|_| taken(adaptive)).collect();
        for generation in slots {
            adaptive.good(generation);
            adaptive.release();
            // Others take its place: the limit stays used.
            while adaptive.has_free_slot() {
                taken(adaptive);
            }
        }
        (0..adaptive.running()).for_each(|_| adaptive.release());
    }

    fn overload(adaptive: &mut AdaptiveLimit) {
        let slots: Vec<_> = (0..adaptive.limit()).map(|_| taken(adaptive)).collect();
        for generation in slots {
            adaptive.overload(generation, Code::Timeout);
            adaptive.release();
        }
    }

    #[test]
    fn it_doubles_in_a_round_until_the_first_overload_and_then_grows_slowly_and_faster_and_faster() {
        let mut adaptive = limit(1, 1000, 10);
        round(&mut adaptive);
        assert_eq!(adaptive.limit(), 20);
        overload(&mut adaptive);
        assert_eq!(adaptive.limit(), 14);
        for limit in [15, 16, 19] {
            round(&mut adaptive);
            assert_eq!(adaptive.limit(), limit);
        }
    }

    #[test]
    fn after_a_row_of_overloads_it_doubles_up_to_where_the_row_began() {
        let mut adaptive = limit(1, 1000, 20);
        (0..10).for_each(|_| overload(&mut adaptive));
        assert_eq!(adaptive.limit(), 1);
        let limits: Vec<_> = (0..6)
            .map(|_| {
                round(&mut adaptive);
                adaptive.limit()
            })
            .collect();
        assert_eq!(limits, [2, 4, 8, 14, 15, 17]);
    }

    #[test]
    fn a_few_overloads_among_many_good_answers_are_noise() {
        let mut adaptive = limit(1, 100, 100);
        for _ in 0..99 {
            taken(&mut adaptive);
        }
        for result in 0..10_000 {
            let generation = taken(&mut adaptive);
            if result % 5 == 4 {
                adaptive.overload(generation, Code::Timeout);
            } else {
                adaptive.good(generation);
            }
            adaptive.release();
        }
        assert_eq!(adaptive.limit(), 100);
        // Half of them are not.
        (0..99).for_each(|_| adaptive.release());
        for result in 0..40 {
            let generation = taken(&mut adaptive);
            if result % 2 == 0 {
                adaptive.overload(generation, Code::Timeout)
            } else {
                adaptive.good(generation)
            }
            adaptive.release();
        }
        assert!(adaptive.limit() < 5, "{}", adaptive.limit());
    }

    #[test]
    fn the_running_attempts_are_lowered_not_the_possible_ones() {
        let mut adaptive = limit(1, 1000, 100);
        let generation = taken(&mut adaptive);
        for _ in 0..3 {
            taken(&mut adaptive);
        }
        (0..3).for_each(|_| adaptive.release());
        // Four ran at once, though one is left.
        adaptive.overload(generation, Code::Timeout);
        assert_eq!(adaptive.limit(), 2);
    }

    #[test]
    fn a_call_that_cannot_be_served_in_time_is_refused_and_without_evidence_it_waits() {
        let mut adaptive = limit(1, 1000, 2);
        let (now, left) = (|ms| Some(Timestamp(ms)), Some(Millis(1000)));
        assert_eq!(
            [adaptive.take_free(), adaptive.take_free(), adaptive.take_free()],
            [Some(0), Some(0), None]
        );
        for call in 3..13 {
            assert!(adaptive.wait(call, now(0), left).is_ok());
        }
        // Four slots have become free in 400 ms: one in 100 ms.
        for _ in 0..4 {
            adaptive.release();
            assert!(adaptive.hand_over().is_some());
        }
        // Six wait, so that the seventh has a slot in 700 ms, 800 at most, and then 400 for itself.
        assert!(adaptive.wait(20, now(400), Some(Millis(1200))).is_ok());
        assert_eq!(adaptive.wait(21, now(400), Some(Millis(1399))), Err(Millis(800)));
        assert!(adaptive.wait(22, now(400), None).is_ok());
        assert_eq!(adaptive.queue.len(), 8);
    }

    #[test]
    fn a_pace_of_long_ago_is_forgotten() {
        let mut pace = Pace { since: Some(Timestamp(0)), freed: 1000 };
        assert_eq!(pace.span(10, Timestamp(100_000)), Some(Millis(1000)));
        pace.freed += 4;
        assert_eq!(pace.span(1, Timestamp(200_000)), Some(Millis(2866)));
    }

    #[test]
    fn bounds_that_make_no_sense_are_mended() {
        let mut adaptive =
            AdaptiveLimit::new(AdaptiveConfig { min: 0, max: 0, initial: 50, decrease: Factor::TWO });
        assert_eq!(adaptive.limit(), 1);
        overload(&mut adaptive);
        assert_eq!(adaptive.limit(), 1);
    }

    #[test]
    fn a_change_is_reported_once_a_second() {
        let mut adaptive = limit(1, 1000, 20);
        overload(&mut adaptive);
        let change = LimitChange { limit: 14, because: Because::Overload, code: Some(Code::Timeout) };
        assert_eq!(adaptive.poll_change(Timestamp(5)), Some(change));
        overload(&mut adaptive);
        round(&mut adaptive);
        round(&mut adaptive);
        assert_eq!(adaptive.poll_change(Timestamp(1004)), None);
        assert!(adaptive.poll_change(Timestamp(1005)).is_some_and(|change| change.because == Because::Good));
        assert_eq!(adaptive.poll_change(Timestamp(9000)), None);
    }

    #[derive(Clone, Copy, Debug)]
    enum Input {
        Begin,
        Good(prop::sample::Index),
        Overload(prop::sample::Index),
        Neutral(prop::sample::Index),
    }

    fn inputs() -> impl Strategy<Value = Vec<Input>> {
        let input = prop_oneof![
            4 => Just(Input::Begin),
            3 => any::<prop::sample::Index>().prop_map(Input::Good),
            1 => any::<prop::sample::Index>().prop_map(Input::Overload),
            1 => any::<prop::sample::Index>().prop_map(Input::Neutral),
        ];
        prop::collection::vec(input, 1..400)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The laws, against a driver that knows when each call began.
        #[test]
        fn laws(
            min in 0_u32..6, max in 0_u32..40, initial in 0_u32..40, decrease in 0.0_f64..1.0, inputs in inputs(),
        ) {
            let config = AdaptiveConfig { min, max, initial, decrease: Factor::from_f64(decrease) };
            let (mut adaptive, mut twin) = (AdaptiveLimit::new(config), AdaptiveLimit::new(config));
            let AdaptiveConfig { min, max, .. } = config.sane();
            // For each running call: its generation, and the number of decreases before it began.
            let mut running: Vec<(u32, u32)> = Vec::new();
            let mut decreases = 0;
            for (step, input) in inputs.into_iter().enumerate() {
                let (before, fallen) = (adaptive.limit(), adaptive.generation);
                let is_used = running.len() >= before as usize;
                let input = match input {
                    Input::Good(_) | Input::Overload(_) | Input::Neutral(_) if running.is_empty() => Input::Begin,
                    input => input,
                };
                let mut ended = |index: prop::sample::Index| running.swap_remove(index.index(running.len()));
                match input {
                    Input::Begin => {
                        let call = u32::try_from(step).unwrap();
                        let taken = adaptive.take_free();
                        prop_assert_eq!(twin.take_free(), taken);
                        if let Some(generation) = taken {
                            prop_assert!(!is_used, "a slot beyond the limit");
                            running.push((generation, decreases));
                        } else {
                            prop_assert_eq!(twin.wait(call, None, None), adaptive.wait(call, None, None));
                        }
                    }
                    Input::Good(index) => {
                        let (generation, _) = ended(index);
                        for adaptive in [&mut adaptive, &mut twin] {
                            adaptive.good(generation);
                            adaptive.release();
                        }
                        let after = adaptive.limit();
                        prop_assert!(after == before || is_used && after == before + 1, "{before} to {after}");
                    }
                    Input::Overload(index) => {
                        let (generation, begun_at) = ended(index);
                        for adaptive in [&mut adaptive, &mut twin] {
                            adaptive.overload(generation, Code::ProviderOverloaded);
                            adaptive.release();
                        }
                        prop_assert!(adaptive.limit() <= before);
                        let has_fallen = adaptive.generation != fallen;
                        prop_assert!(!has_fallen || begun_at == decreases, "twice for calls under way together");
                        if has_fallen {
                            decreases += 1;
                            let most = f64::from(before) * decrease;
                            prop_assert!(f64::from(adaptive.limit()) <= most.max(f64::from(min)) + 1e-6);
                        } else {
                            prop_assert_eq!(adaptive.limit(), before);
                        }
                    }
                    Input::Neutral(index) => {
                        ended(index);
                        adaptive.release();
                        twin.release();
                        prop_assert_eq!(adaptive.limit(), before);
                    }
                }
                prop_assert!((min..=max).contains(&adaptive.limit()));
                while let Some((_, generation)) = adaptive.hand_over() {
                    prop_assert!(twin.hand_over().is_some());
                    running.push((generation, decreases));
                }
                prop_assert_eq!(adaptive.running() as usize, running.len());
                prop_assert!(adaptive.queue.is_empty() || running.len() >= adaptive.limit() as usize);
                prop_assert_eq!(format!("{adaptive:?}"), format!("{twin:?}"));
            }
        }
    }
}
