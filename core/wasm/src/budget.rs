//! Retry budgets for JavaScript, alone or shared by policies. Numbers as in `policy.rs`.

use super::numbers::{moment, number};
use super::world::world;
use halfopen::policy::{Budget, BudgetOptions, defaults};
use wasm_bindgen::prelude::*;

/// A retry budget, to be given to any number of policies. NaN is the default.
#[wasm_bindgen(js_name = budgetNew)]
pub fn budget_new(ratio: f64, min_per_second: f64, window_ms: f64) -> u32 {
    let given = |number: f64| Some(number).filter(|number| !number.is_nan());
    let options = BudgetOptions {
        ratio: given(ratio),
        min_per_second: given(min_per_second),
        window_ms: given(window_ms),
    };
    world(|world| world.budgets.insert(Budget::new(options.config()))).unwrap_or_default()
}

/// The quota of a policy that was given no retries: it knows how many calls the policy makes from now on.
#[wasm_bindgen(js_name = budgetDefault)]
pub fn budget_default(now: f64) -> u32 {
    world(|world| world.budgets.insert(Budget::since(defaults::BUDGET, moment(now)))).unwrap_or_default()
}

/// Forgets the budget. Policies that have it go on without.
#[wasm_bindgen(js_name = budgetFree)]
pub fn budget_free(budget: u32) {
    world(|world| world.budgets.discard(budget));
}

/// How many whole retries may be made now.
#[wasm_bindgen(js_name = budgetAvailable)]
pub fn budget_available(budget: u32, now: f64) -> f64 {
    world(|world| world.budgets.get_mut(budget).map_or(0.0, |found| number(found.available(moment(now)))))
}

/// A first attempt was made.
#[wasm_bindgen(js_name = budgetDeposit)]
pub fn budget_deposit(budget: u32, now: f64) {
    world(|world| world.budgets.get_mut(budget).map(|found| found.deposit(moment(now))).unwrap_or_default());
}

/// Takes one retry, if it may.
#[wasm_bindgen(js_name = budgetWithdraw)]
pub fn budget_withdraw(budget: u32, now: f64) -> bool {
    world(|world| world.budgets.get_mut(budget).is_some_and(|found| found.withdraw(moment(now))))
}
