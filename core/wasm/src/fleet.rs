//! The `fleet` area for JavaScript: states and deltas as bytes, what is in them as numbers.

use crate::wire::{fleet_delta, fleet_limit, fleet_view};
use halfopen_fleet::{
    BreakerReport, Counts, Delta, Kind, LimitReport, Misfit, ProbeResult, State, Terms, Trip, View,
};
use std::cell::Cell;
use wasm_bindgen::prelude::*;

thread_local! {
    static MISFIT: Cell<Option<Misfit>> = const { Cell::new(None) };
}

/// Returns the last error. An empty result of another function means that there is one.
#[wasm_bindgen(js_name = fleetMisfit)]
#[must_use]
pub fn fleet_misfit() -> String {
    MISFIT.take().map(|misfit| misfit.to_string()).unwrap_or_default()
}

fn fitting<T: Default>(result: Result<T, Misfit>) -> T {
    result.unwrap_or_else(|misfit| {
        MISFIT.set(Some(misfit));
        T::default()
    })
}

/// Returns the state after deltas, in their order. `deltas` has all of them concatenated, `lengths` the length of each,
/// `times` the store's time of each. An empty `state` stands for a new resource.
#[wasm_bindgen(js_name = fleetMerge)]
#[must_use]
pub fn fleet_merge(state: &[u8], deltas: &[u8], lengths: &[u32], times: &[f64]) -> Vec<u8> {
    let first = times.first().copied().unwrap_or_default() as u64;
    let begun = if state.is_empty() { Ok(State::new(first)) } else { State::from_bytes(state) };
    fitting(begun.and_then(|mut state| {
        let mut rest = deltas;
        for (&length, &now) in lengths.iter().zip(times) {
            let (delta, others) = rest.split_at_checked(length as usize).ok_or(Misfit::Broken)?;
            if !delta.is_empty() {
                state.apply(&Delta::from_bytes(delta)?, now as u64);
            }
            rest = others;
        }
        Ok(state.to_bytes())
    }))
}

/// A delta of numbers in the order of `wire::fleet_delta`, then for each limit `wire::fleet_limit`. `names` are those that it
/// lists, with a NUL between two.
#[wasm_bindgen(js_name = fleetDelta)]
#[must_use]
pub fn fleet_delta(numbers: &[f64], names: &str) -> Vec<u8> {
    use fleet_delta as at;
    let given = |place: usize| numbers.get(place).copied().filter(|number| !number.is_nan());
    let whole = |place: usize| given(place).unwrap_or_default() as u64;
    let count = |place: usize| given(place).unwrap_or_default() as u32;
    let share = |place: usize| (given(place).unwrap_or_default() * 4_294_967_296.0) as u64;
    let counts =
        |place: usize| Counts { total: whole(place), failed: whole(place + 1), slow: whole(place + 2) };
    let trip = match (given(at::THRESHOLD), given(at::WINDOW)) {
        (Some(threshold), None) => Trip::Consecutive(threshold as u32),
        (_, Some(window)) => Trip::Rates {
            window: window as u64,
            minimum: count(at::MINIMUM_CALLS),
            failure: share(at::FAILURE_RATE),
            slow: share(at::SLOW_RATE),
        },
        (None, None) => Trip::Never,
    };
    let breaker = given(at::RESET).map(|reset| BreakerReport {
        terms: Terms {
            trip,
            quorum: whole(at::QUORUM) == 1,
            reset: reset as u64,
            factor: share(at::RESET_BACKOFF),
            max_reset: whole(at::MAX_RESET),
            max_probes: count(at::MAX_PROBES),
            successes: count(at::SUCCESSES),
            probe_timeout: whole(at::PROBE_TIMEOUT),
        },
        generation: whole(at::GENERATION),
        base: counts(at::BASE_TOTAL),
        totals: counts(at::TOTAL),
        streak: count(at::STREAK),
        hint: whole(at::HINT),
        wants_probe: whole(at::WANTS_PROBE) == 1,
        probe: whole(at::PROBE),
        result: match whole(at::RESULT) {
            1 => ProbeResult::Succeeded,
            2 => ProbeResult::Failed,
            _ => ProbeResult::Running,
        },
    });
    let limits = numbers.get(at::NAMES.len()..).unwrap_or_default().chunks_exact(fleet_limit::NAMES.len());
    Delta {
        node: whole(at::NODE),
        number: whole(at::NUMBER),
        kind: Kind::ALL.get(whole(at::KIND) as usize).copied().unwrap_or_default(),
        lease: whole(at::LEASE),
        options: count(at::OPTIONS),
        cool_down: whole(at::COOL_DOWN),
        names: names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        breaker,
        limits: limits.map(limit).collect(),
    }
    .to_bytes()
}

fn limit(numbers: &[f64]) -> LimitReport {
    use fleet_limit as at;
    let count = |place: usize| numbers.get(place).copied().unwrap_or_default() as u32;
    LimitReport {
        limit: count(at::LIMIT),
        window: u64::from(count(at::WINDOW)),
        of_tokens: count(at::OF_TOKENS) == 1,
        exact: count(at::EXACT) == 1,
        wants: count(at::WANTS),
        used: count(at::USED),
        has: count(at::HAS),
    }
}

/// Returns the view of a process, in the order of `wire::fleet_view`, then for each limit: granted, limit, window, of
/// tokens, used, reset. Empty for bytes that are no state.
#[wasm_bindgen(js_name = fleetView)]
#[must_use]
pub fn fleet_view(state: &[u8], node: f64, now: f64) -> Vec<f64> {
    use fleet_view as at;
    let Some(view) = fitting(View::read(state, node as u64, now as u64).map(Some)) else {
        return Vec::new();
    };
    let mut out = vec![f64::NAN; at::NAMES.len()];
    for (place, number) in [
        (at::EPOCH, view.epoch),
        (at::VERSION, view.version),
        (at::ACKNOWLEDGED, view.acknowledged),
        (at::NODES, view.nodes),
        (at::NEXT_SYNC, view.next_sync),
        (at::MISMATCH, u64::from(view.mismatch)),
        (at::STATE, view.state as u64),
        (at::SINCE, view.since),
        (at::GENERATION, view.generation),
        (at::OPEN_FOR, view.open_for),
        (at::PROBE, view.probe),
        (at::PROBE_FOR, view.probe_for),
        (at::COOL_FOR, view.cool_for),
        (at::PROBES, view.probes),
    ] {
        if let Some(slot) = out.get_mut(place) {
            *slot = number as f64;
        }
    }
    for limit in view.limits {
        let [granted, of_tokens] = [limit.granted, u32::from(limit.of_tokens)].map(u64::from);
        let numbers = [granted, u64::from(limit.limit), limit.window, of_tokens, limit.used, limit.reset];
        out.extend(numbers.map(|number| number as f64));
    }
    out
}

/// The names that a state lists, with a NUL between two.
#[wasm_bindgen(js_name = fleetNames)]
#[must_use]
pub fn fleet_names(state: &[u8]) -> String {
    fitting(State::from_bytes(state).map(|state| state.names().collect::<Vec<_>>().join("\0")))
}
