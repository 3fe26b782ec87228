//! Retry budgets for JavaScript, alone or shared by policies. Numbers as in `policy.rs`.

use super::numbers::{moment, number, read};
use super::world::world;
use crate::policy::{Budget, BudgetOptions};
use wasm_bindgen::prelude::*;

/// A retry budget, to be given to any number of policies.
///
/// # Errors
/// A value of another type.
#[wasm_bindgen(js_name = budgetNew)]
pub fn budget_new(options: JsValue) -> Result<u32, JsError> {
    let budget = Budget::new(read::<BudgetOptions>(options)?.config());
    Ok(world(|world| world.budgets.insert(budget)).unwrap_or_default())
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
