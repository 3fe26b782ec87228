//! A breaker's state as plain JSON, for another process or a later run.

use super::change::BreakerState;
use crate::policy::window::{Sample, Tally, TimeWindow};
use crate::time::{Millis, Timestamp};
use serde::{Deserialize, Serialize};

/// The state of a breaker, as of wall time `at`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakerSnapshot {
    /// Always 1.
    pub version: u32,
    /// The breaker's name.
    pub name: String,
    /// The state; under isolation, the one underneath.
    pub state: BreakerState,
    /// The generation.
    pub generation: f64,
    /// When it was taken: milliseconds since the Unix epoch.
    pub at: f64,
    /// Failures in a row.
    pub consecutive_failures: u32,
    /// Probes that failed in a row.
    pub failed_probes: u32,
    /// How long it would have stayed open, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<f64>,
    /// A count window: results oldest first (0 ok, 1 failed, 2 slow, 3 both). A time window: age in milliseconds,
    /// total, failures and slow of each part, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Vec<f64>>,
    /// The counts of a throttle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<DemandSnapshot>,
}

/// The counts in a throttle's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DemandSnapshot {
    /// Requested admissions, including refused ones.
    pub requests: u32,
    /// Results that are no failures.
    pub accepts: u32,
}

/// A snapshot that cannot be restored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// Another version wrote it.
    #[error("snapshot.version: expected 1, got {0}")]
    Version(u32),
    /// A number that cannot be.
    #[error("snapshot.{field}: expected a number from 0 on, got {got}")]
    Number {
        /// The name of the field.
        field: &'static str,
        /// Its value.
        got: f64,
    },
}

/// A snapshot's numbers, found to be in range.
pub(crate) struct Checked<'a> {
    pub(crate) at: Millis,
    pub(crate) generation: u64,
    pub(crate) retry_after: Option<Millis>,
    window: &'a [f64],
}

impl BreakerSnapshot {
    pub(crate) fn check(&self) -> Result<Checked<'_>, SnapshotError> {
        if self.version != 1 {
            return Err(SnapshotError::Version(self.version));
        }
        let number = |field, got: f64| {
            if got >= 0.0 { Ok(Millis::from_f64(got)) } else { Err(SnapshotError::Number { field, got }) }
        };
        let window = self.window.as_deref().unwrap_or_default();
        window.iter().try_for_each(|&entry| number("window", entry).map(drop))?;
        Ok(Checked {
            at: number("at", self.at)?,
            // JavaScript counts exactly up to 2⁵³; stay well below.
            generation: number("generation", self.generation)?.0.min(1 << 51),
            retry_after: self.retry_after_ms.map(|ms| number("retryAfterMs", ms)).transpose()?,
            window,
        })
    }

    pub(crate) fn pack(parts: &[(Millis, Tally)]) -> Vec<f64> {
        let four = |(age, tally): &(Millis, Tally)| {
            [age.as_f64(), f64::from(tally.total), f64::from(tally.failures), f64::from(tally.slow)]
        };
        parts.iter().flat_map(four).collect()
    }
}

impl Checked<'_> {
    /// The results of a count window.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be from 0; two bits are kept"
    )]
    pub(crate) fn samples(&self) -> impl Iterator<Item = Sample> {
        self.window.iter().map(|&bits| Sample::from_bits(bits as u8))
    }

    /// The parts of a time window, `since` later.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be from 0; `as` saturates"
    )]
    pub(crate) fn time_window(&self, length: Millis, now: Timestamp, since: Millis) -> TimeWindow {
        let mut window = TimeWindow::new(length);
        for part in self.window.chunks_exact(4) {
            if let &[age, total, failures, slow] = part {
                let age = Millis::from_f64(age) + since;
                if age < length {
                    let tally = Tally { total: total as u32, failures: failures as u32, slow: slow as u32 };
                    window.add_aged(now, age, tally);
                }
            }
        }
        window
    }
}
