//! The `lab` area for JavaScript: a scenario and results as JSON, a run by its handle, 0 for none.
//!
//! A run processes only the given number of events in each call, so that a page can do something else in between.

use halfopen::invariant::Always;
use halfopen::policy::seed_from_f64;
use halfopen::slab::Slab;
use halfopen_lab::{Drawn, Run, Scenario};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

struct Lab {
    runs: Slab<Option<Run>>,
    misfit: String,
}

thread_local! {
    static LAB: RefCell<Lab> = const { RefCell::new(Lab { runs: Slab::new(), misfit: String::new() }) };
}

/// Nothing here calls JavaScript, so the state is never borrowed twice.
fn lab<R: Default>(act: impl FnOnce(&mut Lab) -> R) -> R {
    LAB.with(|lab| lab.try_borrow_mut().map(|mut lab| act(&mut lab)).always())
}

/// A run of a policy in a scenario. `seed` NaN is the scenario's own. 0 where the scenario does not fit: `labMisfit` says why.
#[wasm_bindgen(js_name = labNew)]
#[must_use]
pub fn lab_new(scenario: &str, policy: &str, seed: f64) -> u32 {
    let begun = Scenario::from_json(scenario).map_err(|misfit| misfit.to_string()).and_then(|scenario| {
        let seed = if seed.is_nan() { scenario.seed } else { seed_from_f64(seed) };
        Run::with_seed(&scenario, policy, seed).map_err(|missing| missing.to_string())
    });
    lab(|lab| match begun {
        Ok(run) => lab.runs.insert(Some(run)).unwrap_or_default(),
        Err(misfit) => {
            lab.misfit = misfit;
            0
        }
    })
}

/// The scenario of that number, drawn by chance, with no policy but the default.
#[wasm_bindgen(js_name = labDrawn)]
#[must_use]
pub fn lab_drawn(seed: f64, index: u32) -> String {
    Drawn::new(seed_from_f64(seed), index).with(&[("the default", "{}")]).always()
}

/// Returns the last error: the path, the expected form and the actual value.
#[wasm_bindgen(js_name = labMisfit)]
#[must_use]
pub fn lab_misfit() -> String {
    lab(|lab| std::mem::take(&mut lab.misfit))
}

/// Processes up to `events` events. Returns `true` once the run has ended.
#[wasm_bindgen(js_name = labAdvance)]
#[must_use]
pub fn lab_advance(run: u32, events: u32) -> bool {
    lab(|lab| lab.runs.get_mut(run).and_then(Option::as_mut).is_none_or(|run| run.advance(u64::from(events))))
}

/// How far the run has come, from 0 to 1.
#[wasm_bindgen(js_name = labShare)]
#[must_use]
pub fn lab_share(run: u32) -> f64 {
    lab(|lab| lab.runs.get(run).and_then(Option::as_ref).map(Run::share).unwrap_or_default())
}

/// Ends a run, and returns its result as JSON; nothing for a run that is not there.
#[wasm_bindgen(js_name = labResult)]
#[must_use]
pub fn lab_result(run: u32) -> String {
    let ended = lab(|lab| lab.runs.get_mut(run).and_then(Option::take));
    lab_free(run);
    ended.map(|run| run.to_end().to_json()).unwrap_or_default()
}

/// Forgets a run.
#[wasm_bindgen(js_name = labFree)]
pub fn lab_free(run: u32) {
    lab(|lab| lab.runs.discard(run));
}
