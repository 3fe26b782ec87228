//! The state of a run as a text.

use super::*;
use halfopen::run::{Limits, Spent};

#[test]
fn a_restored_run_has_what_was_spent_and_where_it_stood() {
    let config = RunConfig { limits: Limits { steps: 9.0, ..Limits::default() }, ..RunConfig::default() };
    let mut run = Run::new(config.clone());
    run.spend(&Spent { cost: 0.37, input_tokens: 12.0, ..Spent::default() });
    for _ in 0..4 {
        turn(&mut run, &call(1, 1), 0);
    }
    let mut restored = Run::restore(&run.state(), config).unwrap();
    assert_eq!(restored.state(), run.state());
    assert_eq!(restored.spent(), run.spent());
    assert_eq!(turn(&mut restored, &call(1, 1), 0), ("go", "refuse"));
}

#[test]
fn the_state_does_not_grow_with_the_calls() {
    let mut run = Run::new(RunConfig::default());
    let length = |run: &mut Run, from: u32| {
        for number in from..from + 3000 {
            turn(
                run,
                &Call { tool: number % 300, key: number.wrapping_mul(0x9e37_79b9), counts: true },
                number.into(),
            );
        }
        run.state().len()
    };
    let first = length(&mut run, 0);
    let then = length(&mut run, 3000);
    assert!(first < 60_000 && then.abs_diff(first) < 3000, "{first} then {then}");
}

#[test]
fn what_is_no_state_is_refused() {
    let state = Run::new(RunConfig::default()).state();
    for wrong in ["", "A", "äö", "AAAA", &state[1..], &state[..state.len() - 2], &format!("{state}AA")] {
        assert!(Run::restore(wrong, RunConfig::default()).is_err(), "{wrong}");
    }
}
