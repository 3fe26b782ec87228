//! The faults of a scenario as a list of moments, each with the conditions from then on.

use super::scenario::{Factor, Fault, FaultKind, MixedError};

const NANOS: f64 = 1e6;
/// The number of steps by which a ramp is approximated.
const STEPS: u32 = 100;

/// Returns milliseconds as nanoseconds, rounded; 0 for negative values. Like `libm::round`, in a third of its time.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "`as` saturates, NaN is 0"
)]
pub(super) fn nanos(ms: f64) -> u64 {
    let exact = ms * NANOS;
    if exact < 9e18 {
        // Processors convert signed numbers in one step.
        let whole = exact as i64;
        (whole + i64::from(exact - whole as f64 >= 0.5)).max(0) as u64
    } else {
        exact as u64
    }
}

/// The conditions at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Conditions {
    pub(super) outage: bool,
    pub(super) blackhole: bool,
    pub(super) pause: bool,
    pub(super) slow: f64,
    pub(super) capacity: f64,
    pub(super) load: f64,
    pub(super) errors: Vec<MixedError>,
}

impl Default for Conditions {
    fn default() -> Self {
        let errors = Vec::new();
        Self { outage: false, blackhole: false, pause: false, slow: 1.0, capacity: 1.0, load: 1.0, errors }
    }
}

/// All moments at which something changes.
#[derive(Debug)]
pub(super) struct Timeline {
    /// Each moment with the conditions from then on, in order.
    pub(super) moments: Vec<(u64, Conditions)>,
    /// The start and the end of each pause of the provider, in order. Pauses do not touch.
    pauses: Vec<(u64, u64)>,
}

impl Timeline {
    pub(super) fn new(faults: &[Fault]) -> Self {
        let mut times: Vec<u64> = faults.iter().flat_map(times_of).collect();
        times.sort_unstable();
        times.dedup();
        let moments: Vec<(u64, Conditions)> =
            times.into_iter().map(|at| (at, conditions_at(faults, at))).collect();
        let mut pauses: Vec<(u64, u64)> = Vec::new();
        let mut since = None;
        for (at, conditions) in &moments {
            match (since, conditions.pause) {
                (None, true) => since = Some(*at),
                (Some(from), false) => {
                    pauses.push((from, *at));
                    since = None;
                }
                _ => {}
            }
        }
        Self { moments, pauses }
    }

    /// Returns when work of that length ends if it begins now. Pauses stop it.
    #[inline]
    pub(super) fn done_at(&self, begins: u64, takes: u64) -> u64 {
        let mut done = begins.saturating_add(takes);
        for &(from, to) in &self.pauses {
            if to <= begins {
                continue;
            }
            if from >= done {
                break;
            }
            done = done.saturating_add(to - from.max(begins));
        }
        done
    }
}

const fn ramp_of(kind: &FaultKind) -> Option<Factor> {
    match kind {
        FaultKind::Slow(factor) | FaultKind::Capacity(factor) | FaultKind::Load(factor) => Some(*factor),
        _ => None,
    }
}

fn times_of(fault: &Fault) -> Vec<u64> {
    let mut times = vec![nanos(fault.at_ms), nanos(fault.at_ms + fault.for_ms)];
    if let Some(Factor { ramp_ms, .. }) = ramp_of(&fault.kind)
        && ramp_ms > 0.0
    {
        let step = |step| nanos(fault.at_ms + ramp_ms * f64::from(step) / f64::from(STEPS));
        times.extend((1..=STEPS).map(step));
    }
    times
}

/// Returns the size of a factor at the time `since` its fault began.
#[expect(clippy::cast_precision_loss, reason = "exact below 104 days, and good enough beyond")]
fn grown(factor: Factor, since: u64) -> f64 {
    let ramp = nanos(factor.ramp_ms);
    let share = if since >= ramp { 1.0 } else { since as f64 / ramp as f64 };
    1.0 + (factor.factor - 1.0) * share
}

fn conditions_at(faults: &[Fault], at: u64) -> Conditions {
    let mut now = Conditions::default();
    for fault in faults {
        let from = nanos(fault.at_ms);
        if at < from || at >= nanos(fault.at_ms + fault.for_ms) {
            continue;
        }
        match fault.kind {
            FaultKind::Outage => now.outage = true,
            FaultKind::Blackhole => now.blackhole = true,
            FaultKind::Pause => now.pause = true,
            FaultKind::Errors(error) => now.errors.push(error),
            FaultKind::Slow(factor) => now.slow *= grown(factor, at - from),
            FaultKind::Capacity(factor) => now.capacity *= grown(factor, at - from),
            FaultKind::Load(factor) => now.load *= grown(factor, at - from),
        }
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(at_ms: f64, for_ms: f64) -> Fault {
        Fault { at_ms, for_ms, kind: FaultKind::Pause }
    }

    #[test]
    fn nanoseconds_are_rounded() {
        let cases = [
            -3.0,
            0.0,
            0.000_000_499_999_999_999_999_9,
            1.000_000_5,
            0.1 + 0.2,
            12_345.678_901_5,
            1e9,
            1e300,
            f64::NAN,
        ];
        for ms in cases {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let expected = libm::round(ms * NANOS) as u64;
            assert_eq!(nanos(ms), expected, "{ms}");
        }
    }

    #[test]
    fn work_stops_in_a_pause_and_goes_on_afterwards() {
        let timeline = Timeline::new(&[pause(10.0, 5.0), pause(12.0, 8.0), pause(30.0, 1.0)]);
        let done = |begins, takes| timeline.done_at(nanos(begins), nanos(takes));
        assert_eq!(done(0.0, 5.0), nanos(5.0));
        assert_eq!(done(8.0, 5.0), nanos(23.0));
        assert_eq!(done(8.0, 15.0), nanos(34.0));
        assert_eq!(done(20.0, 10.0), nanos(30.0));
    }

    #[test]
    fn a_ramp_is_a_staircase_and_ends_at_once() {
        let kind = FaultKind::Slow(Factor { factor: 3.0, ramp_ms: 100.0 });
        let timeline = Timeline::new(&[Fault { at_ms: 50.0, for_ms: 200.0, kind }]);
        let slow: Vec<f64> = timeline.moments.iter().map(|(_, now)| now.slow).collect();
        assert_eq!((slow[0], slow[50], slow[100], slow[101]), (1.0, 2.0, 3.0, 1.0));
        assert!(slow[..101].is_sorted());
    }
}
