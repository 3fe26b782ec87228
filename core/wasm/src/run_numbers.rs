//! The options of a run and the reasons of its advice as numbers, for the modules `run` and `lab`.

use halfopen::invariant::Always;
use halfopen::run::{Ladder, Limits, Loops, Reason, RunConfig, Rung};

/// Five limits, the share to warn at, six thresholds (0 is off), and the numbers of the rungs.
pub(crate) fn config(options: &[f64]) -> RunConfig {
    let mut numbers = options.iter().copied();
    let mut next = || numbers.next().unwrap_or(f64::INFINITY);
    let limits = Limits { steps: next(), tool_calls: next(), tokens: next(), cost: next(), ms: next() };
    let warn_at = next();
    let mut often = || match next() {
        0.0 => Loops::OFF,
        times => times as u32,
    };
    let loops = Loops {
        repeats: often(),
        failures: often(),
        cycles: often(),
        nothing: often(),
        stale: often(),
        texts: often(),
    };
    let rungs: Vec<Rung> = numbers.filter_map(|number| Rung::ALL.get(number as usize).copied()).collect();
    RunConfig { limits, loops, ladder: Ladder::new(&rungs).always(), warn_at }
}

/// A loop: 0, its kind, the tool, the count, the code; a limit: 1, its kind, the limit, the amount spent. NaN means
/// absent.
pub(crate) fn reason(reason: Reason) -> Vec<f64> {
    match reason {
        Reason::Loop { kind, tool, count, code } => {
            let code = code.map_or(f64::NAN, |code| code.index().into());
            vec![0.0, f64::from(kind as u8), tool.map_or(f64::NAN, f64::from), count.into(), code]
        }
        Reason::Limit { limit, max, spent } => vec![1.0, f64::from(limit as u8), max, spent],
    }
}
