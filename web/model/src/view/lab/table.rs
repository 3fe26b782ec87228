//! The charts in words: a table for those who do not see them.

use super::outcome::Outcome;
use crate::format::span;

/// How many moments the table has at most.
const MOST: usize = 24;

/// The columns of each policy.
pub const COLUMNS: [&str; 4] = ["requests a second", "answered a second", "p95", "breakers open"];

/// A moment: when, and for each policy the values of `COLUMNS`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub at: String,
    pub cells: Vec<String>,
}

/// Some moments of all charts, evenly spaced.
#[expect(clippy::cast_precision_loss, reason = "some thousand intervals")]
pub fn rows(outcome: &Outcome) -> Vec<Row> {
    let seconds = outcome.interval_ms / 1000.0;
    let each = outcome.intervals().div_ceil(MOST).max(1);
    (0..outcome.intervals())
        .step_by(each)
        .map(|at| Row {
            at: span(at as f64 * outcome.interval_ms),
            cells: outcome
                .policies
                .iter()
                .flat_map(|policy| {
                    let value = |name| policy.series.at(name, at);
                    [
                        format!("{:.1}", value("attempts") / seconds),
                        format!("{:.1}", value("succeeded") / seconds),
                        span(value("userP95Ms")),
                        format!("{:.0} of {:.0}", value("open") + value("halfOpen"), policy.breakers),
                    ]
                })
                .collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::outcome::stage::outcome;
    use super::*;

    #[test]
    fn moments_have_the_values_of_every_policy() {
        let rows = rows(&outcome());
        assert!(rows.len() <= MOST && rows.len() > 10);
        assert_eq!(rows[0].cells, ["7.0", "7.0", "0 ms", "0 of 1", "7.0", "7.0", "0 ms", "0 of 1"]);
        assert_eq!(rows[rows.len() - 1].cells[..2], ["70.0", "0.0"]);
    }
}
