//! The consequences of a loop, rung by rung.

use super::*;

const ALL: [Rung; 5] = [Rung::Steer, Rung::Escalate, Rung::Refuse, Rung::Conclude, Rung::Stop];

/// Returns the advice from the step on that follows the third equal outcome.
fn climb(rungs: &[Rung], steps: usize) -> Vec<(&'static str, &'static str)> {
    let mut run = Run::new(config(rungs));
    for _ in 0..3 {
        turn(&mut run, &call(1, 1), 0);
    }
    (0..steps).map(|_| turn(&mut run, &call(1, 1), 0)).collect()
}

#[test]
fn the_ladder_is_climbed_one_rung_a_step() {
    let default = [Rung::Steer, Rung::Refuse, Rung::Conclude, Rung::Stop];
    assert_eq!(climb(&default, 4), [("steer", "go"), ("go", "refuse"), ("conclude", "refuse"), ("stop", "")]);
    assert_eq!(
        climb(&ALL, 5),
        [("steer", "go"), ("escalate", "go"), ("go", "refuse"), ("conclude", "refuse"), ("stop", "")]
    );
    assert_eq!(climb(&[Rung::Stop], 1), [("stop", "")]);
    assert_eq!(climb(&[Rung::Conclude, Rung::Stop], 2), [("conclude", "refuse"), ("stop", "")]);
}

#[test]
fn a_ladder_without_stop_goes_on_refusing() {
    let refusals = [("steer", "go"), ("go", "refuse"), ("go", "refuse"), ("go", "refuse")];
    assert_eq!(climb(&[Rung::Steer, Rung::Refuse], 4), refusals);
    let concluded = [("conclude", "refuse"), ("go", "refuse"), ("go", "refuse")];
    assert_eq!(climb(&[Rung::Conclude], 3), concluded);
}

#[test]
fn other_calls_than_the_loops_go() {
    let mut run = Run::new(config(&[Rung::Refuse]));
    for _ in 0..3 {
        turn(&mut run, &call(1, 1), 0);
    }
    assert_eq!(turn(&mut run, &call(1, 1), 0), ("go", "refuse"));
    assert_eq!(attempt(&mut run, &call(1, 2), ok(&call(1, 2), 0)), "go");
}

#[test]
fn a_loop_of_failures_has_its_whole_tool_refused() {
    let mut run = Run::new(config(&[Rung::Refuse]));
    for argument in 0..4 {
        let _ = run.step(0.0);
        attempt(&mut run, &call(1, argument), Outcome::Failed(Code::NotFound));
    }
    let _ = run.step(0.0);
    assert_eq!(name(run.tool_call(&call(1, 77), 0.0)), "refuse");
    assert_eq!(name(run.tool_call(&call(2, 77), 0.0)), "go");
}

#[test]
fn progress_begins_the_ladder_anew() {
    let mut run = Run::new(RunConfig::default());
    for _ in 0..3 {
        turn(&mut run, &call(1, 1), 0);
    }
    assert_eq!(turn(&mut run, &call(2, 1), 0), ("steer", "go"));
    for _ in 0..3 {
        assert_eq!(turn(&mut run, &call(1, 1), 0), ("go", "go"));
    }
    assert_eq!(name(run.step(0.0)), "steer");
}

#[test]
fn a_failure_with_other_arguments_is_no_progress() {
    let mut run = Run::new(RunConfig::default());
    let _ = run.step(0.0);
    attempt(&mut run, &call(2, 0), Outcome::Failed(Code::NotFound));
    for _ in 0..3 {
        turn(&mut run, &call(1, 1), 0);
    }
    assert_eq!(name(run.step(0.0)), "steer");
    attempt(&mut run, &call(2, 1), Outcome::Failed(Code::NotFound));
    assert_eq!(turn(&mut run, &call(1, 1), 0), ("go", "go"));
    assert_eq!(turn(&mut run, &call(1, 1), 0), ("go", "refuse"));
}

#[test]
fn a_loop_is_remembered_over_steps_that_bring_nothing_new() {
    let mut run = Run::new(RunConfig::default());
    turn(&mut run, &call(2, 1), 0);
    for _ in 0..3 {
        turn(&mut run, &call(1, 1), 0);
    }
    assert_eq!(turn(&mut run, &call(2, 1), 0), ("steer", "go"));
    assert_eq!(turn(&mut run, &call(1, 1), 0), ("go", "go"));
    assert_eq!(turn(&mut run, &call(1, 1), 0), ("go", "refuse"));
}

#[test]
fn after_conclude_there_is_no_way_back() {
    let mut run = Run::new(config(&[Rung::Conclude, Rung::Stop]));
    for _ in 0..3 {
        turn(&mut run, &call(1, 1), 0);
    }
    assert_eq!(name(run.step(0.0)), "conclude");
    assert_eq!(name(run.tool_call(&call(2, 2), 0.0)), "refuse");
    run.tool_result(&call(2, 2), ok(&call(2, 2), 0));
    assert_eq!(name(run.step(0.0)), "stop");
    assert_eq!(name(run.tool_call(&call(2, 3), 0.0)), "stop");
}

#[test]
fn a_loop_of_texts_passes_refuse_over() {
    let mut run = Run::new(RunConfig::default());
    let mut said = Vec::new();
    for _ in 0..6 {
        said.push(name(run.step(0.0)));
        run.text(1);
    }
    assert_eq!(said, ["go", "go", "go", "steer", "conclude", "stop"]);
}

#[test]
fn a_step_takes_one_rung_however_many_of_its_calls_are_refused() {
    let mut run = Run::new(config(&ALL));
    for _ in 0..5 {
        turn(&mut run, &call(1, 1), 0);
    }
    assert_eq!(name(run.step(0.0)), "go");
    for _ in 0..3 {
        assert_eq!(name(run.tool_call(&call(1, 1), 0.0)), "refuse");
    }
    assert_eq!(name(run.step(0.0)), "conclude");
}

#[test]
fn without_steps_each_call_begins_one_and_is_told_to_stop() {
    let mut run = Run::new(RunConfig::default());
    let said: Vec<_> = (0..7).map(|_| attempt(&mut run, &call(1, 1), ok(&call(1, 1), 0))).collect();
    assert_eq!(said, ["go", "go", "go", "go", "refuse", "refuse", "stop"]);
}

#[test]
fn a_run_that_observes_says_each_advice_once_until_there_is_progress() {
    let mut run = Run::new(config(&[]));
    let drive = |run: &mut Run| {
        let mut said = Vec::new();
        for _ in 0..9 {
            said.push(name(run.step(0.0)));
            said.push(name(run.tool_call(&call(1, 1), 0.0)));
            run.tool_result(&call(1, 1), ok(&call(1, 1), 0));
        }
        said.retain(|one| *one != "go");
        said
    };
    assert_eq!(drive(&mut run), ["steer", "refuse", "conclude", "stop"]);
    assert_eq!(run.spent().tool_calls, 9.0);
    turn(&mut run, &call(2, 2), 0);
    assert_eq!(drive(&mut run), ["steer", "refuse", "conclude", "stop"]);
}

#[test]
fn a_rung_comes_once_on_a_ladder() {
    assert_eq!(Ladder::new(&[Rung::Steer, Rung::Stop, Rung::Steer]), None);
}
