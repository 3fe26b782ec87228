//! The `run` area for JavaScript: runs behind numbers; advice and reasons as a few numbers.

use crate::run_numbers::{config, reason};
use halfopen::Code;
use halfopen::run::{Advice, Call, Limit, Outcome, Reason, Run, Rung, Spent};
use halfopen::slab::Slab;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// A run, and what its last input led to: most inputs lead to nothing, and lists take longer to cross than one number.
struct Kept {
    run: Run,
    advice: Vec<f64>,
    warnings: Vec<f64>,
}

/// Advice is there: [`run_advice`] has it.
const ADVISED: u32 = 1;
/// A limit is near: [`run_warnings`] has it.
const WARNED: u32 = 2;
/// A step was counted.
const COUNTED_STEP: u32 = 4;
/// A call was counted.
const COUNTED_CALL: u32 = 8;

impl Kept {
    /// Gives the run an input; returns what it led to, in bits.
    fn input(&mut self, ms: f64, input: impl FnOnce(&mut Run) -> Advice) -> u32 {
        let before = *self.run.spent();
        self.advice = advice(input(&mut self.run));
        let spent = self.run.spent();
        let counted = |is_more, bit| if is_more { bit } else { 0 };
        counted(!self.advice.is_empty(), ADVISED)
            | counted(spent.steps > before.steps, COUNTED_STEP)
            | counted(spent.tool_calls > before.tool_calls, COUNTED_CALL)
            | self.warn(ms)
    }

    fn warn(&mut self, ms: f64) -> u32 {
        let numbers = |because: Reason| reason(because).into_iter().skip(1);
        self.warnings = self.run.warnings(ms).into_iter().flat_map(numbers).collect();
        if self.warnings.is_empty() { 0 } else { WARNED }
    }
}

thread_local! {
    static RUNS: RefCell<Slab<Kept>> = const { RefCell::new(Slab::new()) };
}

/// Calls `act` with the run of that number; returns the default for an unknown number.
fn with<T: Default>(handle: u32, act: impl FnOnce(&mut Kept) -> T) -> T {
    RUNS.with(|runs| {
        let Ok(mut runs) = runs.try_borrow_mut() else { return T::default() };
        runs.get_mut(handle).map(act).unwrap_or_default()
    })
}

fn stored(run: Run) -> u32 {
    RUNS.with(|runs| {
        let Ok(mut runs) = runs.try_borrow_mut() else { return 0 };
        runs.insert(Kept { run, advice: Vec::new(), warnings: Vec::new() }).unwrap_or(0)
    })
}

/// Nothing is to go on; else the number of the rung, and the reason.
fn advice(advice: Advice) -> Vec<f64> {
    let (rung, because) = match advice {
        Advice::Go => return Vec::new(),
        Advice::Steer(because) => (Rung::Steer, because),
        Advice::Escalate(because) => (Rung::Escalate, because),
        Advice::Refuse(because) => (Rung::Refuse, because),
        Advice::Conclude(because) => (Rung::Conclude, because),
        Advice::Stop(because) => (Rung::Stop, because),
    };
    let mut numbers = vec![f64::from(rung as u8)];
    numbers.extend(reason(because));
    numbers
}

/// A new run's number; 0, which is no run's, where a million are in use.
#[wasm_bindgen(js_name = runNew)]
#[must_use]
pub fn run_new(options: &[f64]) -> u32 {
    stored(Run::new(config(options)))
}

/// Restores a run from its state and returns its number; 0 for an invalid text.
#[wasm_bindgen(js_name = runRestore)]
#[must_use]
pub fn run_restore(state: &str, options: &[f64]) -> u32 {
    Run::restore(state, config(options)).map_or(0, stored)
}

/// Gives the number back.
#[wasm_bindgen(js_name = runFree)]
pub fn run_free(handle: u32) {
    RUNS.with(|runs| {
        if let Ok(mut runs) = runs.try_borrow_mut() {
            runs.discard(handle);
        }
    });
}

/// Before a step of the model. Returns what it led to, in bits: 1, advice ([`run_advice`]); 2, a limit is near
/// ([`run_warnings`]); 4, a step was counted; 8, a call was.
#[wasm_bindgen(js_name = runStep)]
#[must_use]
pub fn run_step(handle: u32, ms: f64) -> u32 {
    with(handle, |kept| kept.input(ms, |run| run.step(ms)))
}

/// Before a tool call. Returns what it led to, as [`run_step`].
#[wasm_bindgen(js_name = runToolCall)]
#[must_use]
pub fn run_tool_call(handle: u32, tool: u32, key: u32, counts: bool, ms: f64) -> u32 {
    with(handle, |kept| kept.input(ms, |run| run.tool_call(&Call { tool, key, counts }, ms)))
}

/// The advice that the last step or call led to: the number of the rung, and the reason.
#[wasm_bindgen(js_name = runAdvice)]
#[must_use]
pub fn run_advice(handle: u32) -> Vec<f64> {
    with(handle, |kept| std::mem::take(&mut kept.advice))
}

/// The limits that have come near, each as three numbers: its kind, the limit, what is spent.
#[wasm_bindgen(js_name = runWarnings)]
#[must_use]
pub fn run_warnings(handle: u32) -> Vec<f64> {
    with(handle, |kept| std::mem::take(&mut kept.warnings))
}

/// After a tool call. `failure` is the number of its code, -1 for a result, -2 for one that found nothing. The result's hash
/// has two halves. Returns how often the outcome has come in a row.
#[wasm_bindgen(js_name = runToolResult)]
#[must_use]
pub fn run_tool_result(
    handle: u32,
    tool: u32,
    key: u32,
    counts: bool,
    failure: i32,
    high: u32,
    low: u32,
) -> u32 {
    let hash = u64::from(high) << 32 | u64::from(low);
    let outcome = match u8::try_from(failure) {
        Ok(code) => Outcome::Failed(Code::from_index(code).unwrap_or(Code::Unknown)),
        Err(_) if failure == -2 => Outcome::Nothing(hash),
        Err(_) => Outcome::Ok(hash),
    };
    with(handle, |Kept { run, .. }| {
        run.tool_result(&Call { tool, key, counts }, outcome);
        run.repeated()
    })
}

/// How often the last refusal has come in a row.
#[wasm_bindgen(js_name = runRepeated)]
#[must_use]
pub fn run_repeated(handle: u32) -> u32 {
    with(handle, |kept| kept.run.repeated())
}

/// A text of the model, as a hash.
#[wasm_bindgen(js_name = runText)]
pub fn run_text(handle: u32, high: u32, low: u32) {
    with(handle, |kept| kept.run.text(u64::from(high) << 32 | u64::from(low)));
}

/// Adds to what is spent. Returns 2 if a limit is near, as [`run_step`].
#[wasm_bindgen(js_name = runSpend)]
#[expect(clippy::too_many_arguments, reason = "nothing but numbers crosses")]
#[must_use]
pub fn run_spend(
    handle: u32,
    steps: f64,
    tool_calls: f64,
    input_tokens: f64,
    cached_input_tokens: f64,
    output_tokens: f64,
    cost: f64,
    ms: f64,
) -> u32 {
    let more = Spent { steps, tool_calls, input_tokens, cached_input_tokens, output_tokens, cost };
    with(handle, |kept| {
        kept.run.spend(&more);
        kept.warn(ms)
    })
}

/// Returns the amounts spent, in the order of [`run_spend`].
#[wasm_bindgen(js_name = runSpent)]
#[must_use]
pub fn run_spent(handle: u32) -> Vec<f64> {
    with(handle, |kept| {
        let Spent { steps, tool_calls, input_tokens, cached_input_tokens, output_tokens, cost } =
            *kept.run.spent();
        vec![steps, tool_calls, input_tokens, cached_input_tokens, output_tokens, cost]
    })
}

/// The limit of tokens, cost or time that is reached, as a reason.
#[wasm_bindgen(js_name = runHardLimit)]
#[must_use]
pub fn run_hard_limit(handle: u32, ms: f64) -> Vec<f64> {
    with(handle, |kept| kept.run.hard_limit(ms).map(reason).unwrap_or_default())
}

/// Returns the reason for requesting the last answer.
#[wasm_bindgen(js_name = runConcluded)]
#[must_use]
pub fn run_concluded(handle: u32) -> Vec<f64> {
    with(handle, |kept| kept.run.concluded().map(reason).unwrap_or_default())
}

/// All that the run knows, as a text.
#[wasm_bindgen(js_name = runState)]
#[must_use]
pub fn run_state(handle: u32) -> String {
    with(handle, |kept| kept.run.state())
}

const _: () = assert!(Limit::ALL.len() == 5, "pkg/src/run/reason.ts has the names of all");
