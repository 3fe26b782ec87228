//! `budget.json`: what a retry budget grants.

use crate::cases;
use halfopen::policy::{Budget, BudgetOptions};
use halfopen::time::Timestamp;
use serde::Deserialize;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
struct Case {
    name: String,
    options: BudgetOptions,
    steps: Vec<(u64, String, u64, Option<u64>)>,
}

#[test]
fn a_budget_grants_what_is_written() {
    let cases: Vec<Case> = cases(include_str!("../../../tests/vectors/budget.json"));
    for case in cases {
        let mut budget = Budget::new(case.options.config());
        for (at, action, count, expected) in case.steps {
            let now = Timestamp(at);
            let answer = match action.as_str() {
                "deposit" => {
                    (0..count).for_each(|_| budget.deposit(now));
                    None
                }
                "withdraw" => Some((0..count).filter(|_| budget.withdraw(now)).count() as u64),
                "available" => Some(budget.available(now)),
                other => panic!("no such action: {other}"),
            };
            assert_eq!(answer, expected, "{}: {action} at {at}", case.name);
        }
    }
}
