//! The limits of a run.

use super::*;
use halfopen::run::{Limit, Limits, Spent};

fn limited(limits: Limits, rungs: &[Rung]) -> Run {
    Run::new(RunConfig { limits, ..config(rungs) })
}

const DEFAULT: [Rung; 4] = [Rung::Steer, Rung::Refuse, Rung::Conclude, Rung::Stop];

fn tokens(input: f64, output: f64) -> Spent {
    Spent { input_tokens: input, output_tokens: output, ..Spent::default() }
}

#[test]
fn after_the_last_step_comes_a_last_answer_and_then_the_end() {
    let mut run = limited(Limits { steps: 2.0, ..Limits::default() }, &DEFAULT);
    let said: Vec<_> = (0..5).map(|_| name(run.step(0.0))).collect();
    assert_eq!(said, ["go", "go", "conclude", "stop", "stop"]);
    assert_eq!(run.spent().steps, 3.0);
}

#[test]
fn without_conclude_the_run_stops_at_once() {
    for rungs in [&[Rung::Steer][..], &[Rung::Stop]] {
        let mut run = limited(Limits { steps: 2.0, ..Limits::default() }, rungs);
        let said: Vec<_> = (0..3).map(|_| name(run.step(0.0))).collect();
        assert_eq!(said, ["go", "go", "stop"]);
    }
}

#[test]
fn limits_stop_a_run_whose_ladder_has_no_stop() {
    let mut run = limited(Limits { steps: 1.0, ..Limits::default() }, &[Rung::Conclude]);
    let said: Vec<_> = (0..3).map(|_| name(run.step(0.0))).collect();
    assert_eq!(said, ["go", "conclude", "stop"]);
}

#[test]
fn the_call_beyond_the_limit_is_refused_and_only_then_the_run_concludes() {
    let mut run = limited(Limits { tool_calls: 2.0, ..Limits::default() }, &DEFAULT);
    assert_eq!(turn(&mut run, &call(1, 1), 0), ("go", "go"));
    assert_eq!(turn(&mut run, &call(1, 2), 0), ("go", "go"));
    assert_eq!(turn(&mut run, &call(1, 3), 0), ("go", "refuse"));
    assert_eq!(run.spent().tool_calls, 2.0);
    let advice = run.step(0.0);
    assert_eq!(because(advice), Reason::Limit { limit: Limit::ToolCalls, max: 2.0, spent: 2.0 });
    assert_eq!((name(advice), name(run.step(0.0))), ("conclude", "stop"));
}

#[test]
fn without_refuse_the_call_beyond_the_limit_ends_the_run() {
    let mut run = limited(Limits { tool_calls: 1.0, ..Limits::default() }, &[Rung::Conclude]);
    assert_eq!(turn(&mut run, &call(1, 1), 0), ("go", "go"));
    assert_eq!(turn(&mut run, &call(1, 2), 0), ("go", "stop"));
}

#[test]
fn tokens_cost_and_time_are_over_when_that_much_is_spent() {
    let limits = Limits { tokens: 10.0, cost: 2.0, ms: 100.0, ..Limits::default() };
    let mut run = limited(limits, &DEFAULT);
    run.spend(&tokens(6.0, 3.0));
    assert_eq!((name(run.step(99.0)), name(run.tool_call(&call(1, 1), 99.0))), ("go", "go"));
    assert_eq!(name(run.clone().step(100.0)), "stop");
    assert_eq!(name(run.clone().tool_call(&call(1, 1), 100.0)), "stop");
    let mut costly = run.clone();
    costly.spend(&Spent { cost: 2.0, ..Spent::default() });
    assert_eq!(because(costly.step(0.0)), Reason::Limit { limit: Limit::Cost, max: 2.0, spent: 2.0 });
    run.spend(&tokens(0.0, 1.0));
    assert_eq!(because(run.step(0.0)), Reason::Limit { limit: Limit::Tokens, max: 10.0, spent: 10.0 });
}

#[test]
fn a_limit_stops_before_a_loop_concludes() {
    let mut run = limited(Limits { tokens: 10.0, ..Limits::default() }, &[Rung::Conclude]);
    for _ in 0..3 {
        turn(&mut run, &call(1, 1), 0);
    }
    run.spend(&tokens(10.0, 0.0));
    assert_eq!(name(run.step(0.0)), "stop");
}

#[test]
fn a_run_that_observes_is_not_stopped() {
    let mut run = limited(Limits { steps: 1.0, tool_calls: 1.0, ..Limits::default() }, &[]);
    let mut said = Vec::new();
    for argument in 0..6 {
        said.push(name(run.step(0.0)));
        said.push(name(run.tool_call(&call(1, argument), 0.0)));
        run.tool_result(&call(1, argument), ok(&call(1, argument), 0));
    }
    said.retain(|one| *one != "go");
    assert_eq!(said, ["conclude", "refuse", "stop"]);
    assert_eq!((run.spent().steps, run.spent().tool_calls), (6.0, 6.0));
}

#[test]
fn each_limit_is_warned_of_once() {
    let mut run = limited(Limits { steps: 5.0, ms: 1000.0, ..Limits::default() }, &DEFAULT);
    for _ in 0..3 {
        let _ = run.step(0.0);
    }
    assert_eq!(run.warnings(799.0), []);
    let _ = run.step(0.0);
    assert_eq!(run.warnings(0.0), [Reason::Limit { limit: Limit::Steps, max: 5.0, spent: 4.0 }]);
    assert_eq!(run.warnings(800.0), [Reason::Limit { limit: Limit::Ms, max: 1000.0, spent: 800.0 }]);
    assert_eq!(run.warnings(900.0), []);
}
