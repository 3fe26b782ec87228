//! The Lab's workbench for backoff: the delays before each retry, and the options as code.

use halfopen::policy::{JitterKind, RealBackoff};
use std::fmt::Write;

/// Options under the sliders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub retries: f64,
    pub base: f64,
    pub cap: f64,
    pub factor: f64,
    pub jitter: usize,
    pub proportion: f64,
    /// How long one attempt takes: not of the policy, but of what a person waits.
    pub attempt: f64,
}

pub const DEFAULT: Options = Options {
    retries: 3.0,
    base: 1_000.0,
    cap: 10_000.0,
    factor: 2.0,
    jitter: 1,
    proportion: 0.2,
    attempt: 0.0,
};

/// Jitters: name, kind, word in the options.
pub const JITTERS: &[(&str, JitterKind, &str)] = &[
    ("none", JitterKind::None, "enableJitter: false"),
    ("± a share", JitterKind::Proportion, ""),
    ("full", JitterKind::Full, "jitter: 'full'"),
    ("equal", JitterKind::Equal, "jitter: 'equal'"),
    ("decorrelated", JitterKind::Decorrelated, "jitter: 'decorrelated'"),
];

/// The delays before one retry: least, middle, most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    pub least: f64,
    pub middle: f64,
    pub most: f64,
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a slider from 0 to 10")]
pub fn bands(options: &Options) -> Vec<Band> {
    let backoff = RealBackoff {
        base: options.base,
        cap: options.cap,
        factor: options.factor,
        jitter: JITTERS.get(options.jitter).map_or(JitterKind::None, |jitter| jitter.1),
        share: options.proportion,
    };
    let mut previous = Band { least: 0.0, middle: 0.0, most: 0.0 };
    let mut all = Vec::new();
    for retry in 1..=options.retries as u32 {
        let draw = |random, previous| backoff.delay(f64::from(retry), random, Some(previous));
        previous = Band {
            least: draw(0.0, previous.least),
            middle: draw(0.5, previous.middle),
            most: draw(1.0, previous.most),
        };
        all.push(previous);
    }
    all
}

pub fn code(options: &Options) -> String {
    let mut out = format!(
        "createPolicy({{\n  retry: {{ maxRetries: {}, baseDelayMs: {}, maxDelayMs: {}, backoffFactor: {}",
        options.retries, options.base, options.cap, options.factor
    );
    let jitter = JITTERS.get(options.jitter).map_or("", |jitter| jitter.2);
    let _ = if jitter.is_empty() {
        write!(out, ", jitter: {}", options.proportion)
    } else {
        write!(out, ", {jitter}")
    };
    out.push_str(" },\n});");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_agent_preset() {
        let middles: Vec<_> =
            bands(&Options { retries: 6.0, jitter: 0, ..DEFAULT }).iter().map(|band| band.middle).collect();
        assert_eq!(middles, [1000.0, 2000.0, 4000.0, 8000.0, 10_000.0, 10_000.0]);
        let band = bands(&DEFAULT)[0];
        assert_eq!((band.least, band.most), (800.0, 1200.0));
        assert!(
            code(&DEFAULT).contains(
                "maxRetries: 3, baseDelayMs: 1000, maxDelayMs: 10000, backoffFactor: 2, jitter: 0.2"
            )
        );
    }
}
