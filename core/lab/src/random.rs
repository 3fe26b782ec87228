//! Random numbers, by purpose, so that compared policies meet the same luck; and what is drawn with them.
//!
//! Logarithms and powers are those of `libm`, so that every host draws the same numbers.

use halfopen::invariant::Always;
use halfopen::rng::SplitMix64;

/// The purpose of a drawn number.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(super) enum Purpose {
    Arrival = 1,
    Think = 2,
    Attempt = 3,
    Jitter = 4,
    Refusal = 5,
}

/// The generator of one draw: the seed, what it is for, and which one.
#[inline]
pub(super) const fn stream(seed: u64, purpose: Purpose, key: u64) -> SplitMix64 {
    SplitMix64::for_call(seed ^ (purpose as u64) << 56, key)
}

/// Uniform in [0, 1).
#[inline]
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
pub(super) fn unit(rng: &mut SplitMix64) -> f64 {
    (rng.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
}

/// Exponential with mean 1.
#[inline]
pub(super) fn exponential(rng: &mut SplitMix64) -> f64 {
    -libm::log(1.0 - unit(rng))
}

/// How many arrivals are drawn at once: processors work at several logarithms at a time, where one after the other makes them
/// wait.
const AT_ONCE: usize = 16;

/// The draws for a block of consecutive arrivals.
#[derive(Debug)]
pub(super) struct Block<T> {
    /// The first of them is `AT_ONCE` times this.
    number: u64,
    drawn: [T; AT_ONCE],
}

impl<T: Copy + Default> Block<T> {
    pub(super) fn new() -> Self {
        Self { number: u64::MAX, drawn: [T::default(); AT_ONCE] }
    }

    /// Returns the draw for an arrival; `draw` makes it from the number of the arrival.
    #[inline]
    pub(super) fn get(&mut self, arrival: u64, draw: impl Fn(u64) -> T) -> T {
        let (number, index) = (arrival / AT_ONCE as u64, arrival % AT_ONCE as u64);
        if number != self.number {
            self.number = number;
            let first = arrival - index;
            (first..).zip(&mut self.drawn).for_each(|(arrival, drawn)| *drawn = draw(arrival));
        }
        self.drawn.get(usize::try_from(index).always()).copied().always()
    }
}

/// The draws of an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Luck {
    /// Uniform in [0, 1): which error of the mix it gets, if any.
    pub(super) error: f64,
    /// How long serving it takes, in milliseconds, where the provider is as fast as ever.
    pub(super) service_ms: f64,
}

impl Luck {
    /// That of a call's request, counted from 1. Calls draw apart from each other, and so do the requests of a call, whatever
    /// the policy.
    #[inline]
    pub(super) fn of(seed: u64, call: u64, request: u32, service: &Distribution) -> Self {
        let key = call.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(request));
        let mut draws = stream(seed, Purpose::Attempt, key);
        Self { error: unit(&mut draws), service_ms: service.draw(&mut draws) }
    }
}

/// How long something takes, in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Constant {
        /// How long, in ms.
        mean: f64,
    },
    /// Memoryless.
    Exponential {
        /// The mean, in ms.
        mean: f64,
    },
    /// The logarithm is normal.
    LogNormal {
        /// Half of the draws are below it, in ms.
        median: f64,
        /// The standard deviation of the logarithm.
        sigma: f64,
    },
    /// One of these, each as likely, in ms.
    Empirical {
        /// As measured; not empty.
        values: Vec<f64>,
    },
}

impl Distribution {
    /// Draws one, in milliseconds.
    #[inline]
    pub(super) fn draw(&self, rng: &mut SplitMix64) -> f64 {
        match self {
            Self::Constant { mean } => *mean,
            Self::Exponential { mean } => mean * exponential(rng),
            Self::LogNormal { median, sigma } => median * libm::exp(sigma * normal(rng)),
            Self::Empirical { values } => {
                let last = values.len().saturating_sub(1) as u64;
                let index = usize::try_from(rng.between(0, last)).always();
                values.get(index).copied().unwrap_or_default()
            }
        }
    }

    /// The mean, in milliseconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a list of 2^53 values fits into no memory")]
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant { mean } | Self::Exponential { mean } => *mean,
            Self::LogNormal { median, sigma } => median * libm::exp(sigma * sigma / 2.0),
            Self::Empirical { values } => values.iter().sum::<f64>() / values.len().max(1) as f64,
        }
    }
}

/// Standard normal (Box and Muller, <https://doi.org/10.1214/aoms/1177706645>): one of the pair, the other is not kept.
fn normal(rng: &mut SplitMix64) -> f64 {
    let radius = libm::sqrt(2.0 * exponential(rng));
    radius * libm::cos(std::f64::consts::TAU * unit(rng))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_mean_that_they_are_said_to_have() {
        let shapes = [
            Distribution::Constant { mean: 20.0 },
            Distribution::Exponential { mean: 20.0 },
            Distribution::LogNormal { median: 20.0, sigma: 0.5 },
            Distribution::Empirical { values: vec![10.0, 20.0, 60.0] },
        ];
        for shape in shapes {
            let mut sum = 0.0;
            for key in 0..100_000 {
                sum += shape.draw(&mut stream(7, Purpose::Attempt, key));
            }
            let (mean, expected) = (sum / 100_000.0, shape.mean());
            assert!((mean / expected - 1.0).abs() < 0.015, "{shape:?}: {mean} instead of {expected}");
        }
    }

    #[test]
    fn a_block_draws_the_same_as_each_arrival_alone() {
        let service = Distribution::Exponential { mean: 20.0 };
        let alone = |arrival| Luck::of(7, arrival, 1, &service);
        let mut block = Block::new();
        let last = AT_ONCE as u64 - 1;
        for arrival in (0..=40).chain([last, 0, 1000, last + 1, u64::from(u32::MAX)]) {
            assert_eq!(block.get(arrival, alone), alone(arrival), "{arrival}");
        }
    }

    #[test]
    fn purposes_and_seeds_draw_apart() {
        let first = |seed, purpose, key| stream(seed, purpose, key).next_u64();
        let drawn = [
            first(1, Purpose::Think, 5),
            first(1, Purpose::Attempt, 5),
            first(2, Purpose::Think, 5),
            first(1, Purpose::Think, 6),
        ];
        for (index, one) in drawn.iter().enumerate() {
            assert!(!drawn[index + 1..].contains(one));
        }
    }
}
