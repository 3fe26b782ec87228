//! The `replay` area for JavaScript: what a log says as rows of numbers in, sums and changes as numbers out. A replay by its
//! handle, 0 for none. `lab::row` has the rows.

use crate::run_numbers::{config, reason};
use halfopen::run::{Reason, RunConfig};
use halfopen::slab::Slab;
use halfopen_lab::{
    Censored, Changed, CutBy, Ended, How, LabPolicy, Recorder, Replay, ReplayedRun, RunRecorder, Scenario,
    Stop, Unknown,
};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

#[derive(Default)]
struct State {
    recorder: Recorder,
    recorded: Vec<LabPolicy>,
    other: Vec<LabPolicy>,
    runs: RunRecorder,
    /// The other rules of runs.
    rules: Vec<RunConfig>,
    /// Once all is taken down.
    replay: Option<Box<Replay>>,
}

thread_local! {
    static REPLAYS: RefCell<Slab<State>> = const { RefCell::new(Slab::new()) };
}

/// Nothing here calls JavaScript, so the state is never borrowed twice.
fn of<R: Default>(replay: u32, act: impl FnOnce(&mut State) -> R) -> R {
    REPLAYS.with(|all| {
        all.try_borrow_mut().ok().and_then(|mut all| all.get_mut(replay).map(act)).unwrap_or_default()
    })
}

/// A log that says nothing yet.
#[wasm_bindgen(js_name = replayNew)]
#[must_use]
pub fn replay_new() -> u32 {
    REPLAYS.with(|all| {
        all.try_borrow_mut().ok().and_then(|mut all| all.insert(State::default())).unwrap_or_default()
    })
}

/// Takes down rows.
#[wasm_bindgen(js_name = replayRows)]
pub fn replay_rows(replay: u32, rows: &[f64]) {
    of(replay, |state| state.recorder.rows(rows));
}

/// Adds the next settings: a scenario with the policies `recorded` and `other`. Returns `false` if it does not fit.
#[wasm_bindgen(js_name = replaySettings)]
#[must_use]
pub fn replay_settings(replay: u32, scenario: &str) -> bool {
    let Ok(Scenario { policies, .. }) = Scenario::from_json(scenario) else { return false };
    of(replay, |state| {
        for (name, policy) in policies {
            let list = if name == "recorded" { &mut state.recorded } else { &mut state.other };
            list.push(policy);
        }
        state.recorded.len() == state.other.len()
    })
}

/// Takes down rows of runs.
#[wasm_bindgen(js_name = replayRunRows)]
pub fn replay_run_rows(replay: u32, rows: &[f64]) {
    of(replay, |state| state.runs.rows(rows));
}

/// Adds the next rules of runs, as the options of a run.
#[wasm_bindgen(js_name = replayRunRules)]
pub fn replay_run_rules(replay: u32, options: &[f64]) {
    of(replay, |state| state.rules.push(config(options)));
}

/// The runs under other rules, before the replay of calls begins. 23 numbers each: the run; how it ended in the log (-1: it did
/// not); its first advice: the rung (-1), the step, the reason in five; its stop: whether there is one, the step, whether it
/// is modelled, the reason in five; what it saves: steps, tool calls, input tokens, output tokens, cost, milliseconds.
#[wasm_bindgen(js_name = replayRuns)]
#[must_use]
pub fn replay_runs(replay: u32) -> Vec<f64> {
    of(replay, |state| {
        let mut numbers = Vec::new();
        for ReplayedRun { run, end, advice, stop, saved, saved_ms } in state.runs.replay(&state.rules) {
            numbers.extend([f64::from(run), end.map_or(-1.0, f64::from)]);
            let (rung, because, step) = advice.map_or((-1.0, None, 0), |(rung, because, step)| {
                (f64::from(rung as u8), Some(because), step)
            });
            numbers.extend([rung, f64::from(step)]);
            numbers.extend(five(because));
            let (because, step, modelled) = stop
                .map_or((None, 0, false), |Stop { because, step, modelled }| (Some(because), step, modelled));
            numbers.extend([f64::from(stop.is_some()), f64::from(step), f64::from(modelled)]);
            numbers.extend(five(because));
            numbers.extend([saved.steps, saved.tool_calls, saved.input_tokens, saved.output_tokens]);
            numbers.extend([saved.cost, saved_ms]);
        }
        numbers
    })
}

fn five(because: Option<Reason>) -> [f64; 5] {
    let mut numbers = [f64::NAN; 5];
    for (number, given) in numbers.iter_mut().zip(because.into_iter().flat_map(reason)) {
        *number = given;
    }
    numbers
}

/// Begins to replay what was taken down.
#[wasm_bindgen(js_name = replayBegin)]
pub fn replay_begin(replay: u32, seeds: u32, per_attempt: f64, per_token: f64) {
    of(replay, |state| {
        let State { recorder, recorded, other, .. } = std::mem::take(state);
        let replay = Replay::new(recorder, recorded, other, seeds).priced(per_attempt, per_token);
        state.replay = Some(Box::new(replay));
    });
}

/// Processes up to `events` events. Returns `true` once the replay has ended.
#[wasm_bindgen(js_name = replayAdvance)]
#[must_use]
pub fn replay_advance(replay: u32, events: u32) -> bool {
    of(replay, |state| state.replay.as_mut().is_none_or(|replay| replay.advance(u64::from(events))))
}

/// How far the replay has come, from 0 to 1.
#[wasm_bindgen(js_name = replayShare)]
#[must_use]
pub fn replay_share(replay: u32) -> f64 {
    of(replay, |state| state.replay.as_ref().map_or(0.0, |replay| replay.share()))
}

/// The results of all calls (`policy` -1), or of those of a policy; empty for a policy without results of its own.
///
/// In this order: the identity; the number of attempts of which the log cannot tell the end; the number of their calls;
/// the sums of the log; the sums of each pass. Sums are in the order of `lab::NAMES`. Before the sums of a pass comes 1 if
/// unknown attempts were answered at once in it; the pass before it has the same seed, and no answer to them.
#[wasm_bindgen(js_name = replaySums)]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of attempts")]
pub fn replay_sums(replay: u32, policy: i32) -> Vec<f64> {
    let policy = u32::try_from(policy).ok();
    of(replay, |state| {
        let mut numbers = Vec::new();
        let of_policy = state.replay.as_ref().and_then(|replay| {
            let (identity, before) = (replay.identity_of(policy)?, replay.before_of(policy)?);
            Some((replay, identity, before, replay.unknown_of(policy)?))
        });
        if let Some((replay, identity, before, Unknown { attempts, calls })) = of_policy {
            numbers.extend([identity, attempts as f64, calls as f64]);
            numbers.extend_from_slice(&before);
            for (&answered, sums) in replay.answered().iter().zip(replay.after_of(policy)) {
                numbers.push(f64::from(answered));
                numbers.extend_from_slice(&sums);
            }
        }
        numbers
    })
}

/// The calls that end otherwise, twelve numbers each: the call, whether it had a drawn attempt (1) or one of which the log
/// cannot tell (2), and twice how it ended (-1: it had not), the number of its code or layer, its attempts, whether a fallback
/// answered, milliseconds.
#[wasm_bindgen(js_name = replayChanged)]
#[must_use]
pub fn replay_changed(replay: u32) -> Vec<f64> {
    of(replay, |state| {
        let changed = state.replay.as_ref().map(|replay| replay.changed()).unwrap_or_default();
        let mut numbers = Vec::with_capacity(changed.len() * 12);
        for Changed { call, before, after, modelled, unknown } in changed {
            numbers.extend([f64::from(*call), if *unknown { 2.0 } else { f64::from(*modelled) }]);
            numbers.extend(numbers_of(Some(*before)));
            numbers.extend(numbers_of(*after));
        }
        numbers
    })
}

/// The attempts that were cut off and have more time now, four numbers for each policy and timeout: the number of the policy's
/// name, 0 for the timeout of an attempt and 1 for that of a call, milliseconds, attempts.
#[wasm_bindgen(js_name = replayCensored)]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a count of attempts")]
pub fn replay_censored(replay: u32) -> Vec<f64> {
    of(replay, |state| {
        let censored = state.replay.as_ref().map_or(Vec::new(), |replay| replay.censored());
        let numbers = |Censored { policy, by, timeout_ms, attempts }| {
            [f64::from(policy), f64::from(u8::from(by == CutBy::Call)), timeout_ms, attempts as f64]
        };
        censored.into_iter().flat_map(numbers).collect()
    })
}

#[expect(clippy::cast_precision_loss, reason = "a time that a log can have")]
fn numbers_of(ended: Option<Ended>) -> [f64; 5] {
    let Some(Ended { how, attempts, fell_back, took }) = ended else { return [-1.0, 0.0, 0.0, 0.0, 0.0] };
    let (how, what) = match how {
        How::Succeeded => (0.0, 0.0),
        How::Closed => (1.0, 0.0),
        How::Failed { code, .. } => (2.0, f64::from(code.index())),
        How::Rejected { by } => (3.0, f64::from(by as u8)),
    };
    [how, what, f64::from(attempts), f64::from(fell_back), (took / 1000) as f64]
}

/// Forgets a replay.
#[wasm_bindgen(js_name = replayFree)]
pub fn replay_free(replay: u32) {
    REPLAYS.with(|all| {
        if let Ok(mut all) = all.try_borrow_mut() {
            all.discard(replay);
        }
    });
}
