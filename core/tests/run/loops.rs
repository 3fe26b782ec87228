//! Each kind of loop, and similar steps that are no loop.

use super::*;
use halfopen::run::Loops;

fn only(loops: Loops) -> Run {
    Run::new(RunConfig { loops, ..RunConfig::default() })
}

#[test]
fn the_same_outcome_three_times_is_a_loop() {
    let mut run = Run::new(RunConfig::default());
    let read = call(1, 1);
    for _ in 0..3 {
        assert_eq!(turn(&mut run, &read, 5), ("go", "go"));
    }
    assert_eq!(because(run.step(0.0)), looped(LoopKind::Repeats, Some(1), 3, None));
}

#[test]
fn a_poll_whose_result_changes_is_none() {
    let mut run = Run::new(RunConfig::default());
    for state in 0..20 {
        assert_eq!(turn(&mut run, &call(1, 1), state), ("go", "go"));
    }
}

#[test]
fn a_step_without_calls_does_not_interrupt_a_row() {
    let mut run = Run::new(RunConfig::default());
    let mut said = Vec::new();
    for _ in 0..3 {
        turn(&mut run, &call(1, 1), 5);
        let between = name(run.step(0.0));
        said.push(between);
    }
    assert_eq!(said, ["go", "go", "steer"]);
}

#[test]
fn the_calls_of_a_step_have_no_order() {
    let mut run = Run::new(RunConfig::default());
    for order in [[1, 2], [2, 1], [1, 2]] {
        let _ = run.step(0.0);
        for argument in order {
            attempt(&mut run, &call(1, argument), ok(&call(1, argument), 0));
        }
    }
    assert_eq!(name(run.step(0.0)), "steer");
}

#[test]
fn a_later_result_of_the_step_withdraws_what_an_earlier_one_gave_rise_to() {
    let mut run = Run::new(RunConfig::default());
    let (read, other) = (call(1, 1), call(2, 1));
    turn(&mut run, &read, 5);
    turn(&mut run, &read, 5);
    let _ = run.step(0.0);
    attempt(&mut run, &read, ok(&read, 5));
    attempt(&mut run, &other, ok(&other, 0));
    assert_eq!(name(run.step(0.0)), "go");
}

#[test]
fn a_tool_that_fails_with_one_code_four_times_is_a_loop_whatever_its_arguments() {
    let mut run = Run::new(RunConfig::default());
    for argument in 0..4 {
        assert_eq!(name(run.step(0.0)), "go");
        attempt(&mut run, &call(1, argument), Outcome::Failed(Code::NotFound));
        // Another tool between them ends no row.
        attempt(&mut run, &call(2, argument), ok(&call(2, argument), 0));
    }
    assert_eq!(because(run.step(0.0)), looped(LoopKind::Failures, Some(1), 4, Some(Code::NotFound)));
}

#[test]
fn a_success_or_another_code_ends_a_row_of_failures() {
    for other in [Outcome::Ok(7), Outcome::Failed(Code::Timeout)] {
        let mut run = Run::new(RunConfig::default());
        for argument in 0..8 {
            assert_eq!(name(run.step(0.0)), "go");
            let outcome = if argument == 3 { other } else { Outcome::Failed(Code::NotFound) };
            attempt(&mut run, &call(1, argument), outcome);
            if argument == 6 {
                return;
            }
        }
    }
}

#[test]
fn calls_that_fail_together_in_one_step_count_once() {
    let mut run = Run::new(RunConfig::default());
    for step in 0..3 {
        assert_eq!(name(run.step(0.0)), "go");
        for argument in 0..4 {
            attempt(&mut run, &call(1, step * 10 + argument), Outcome::Failed(Code::NotFound));
        }
    }
    assert_eq!(name(run.step(0.0)), "go");
}

#[test]
fn a_sequence_of_two_to_five_steps_that_comes_three_times_is_a_loop() {
    for period in 2..=5 {
        let mut run = Run::new(RunConfig::default());
        for step in 0..3 * period {
            assert_eq!(turn(&mut run, &call(1, step % period), 0), ("go", "go"));
        }
        assert_eq!(because(run.step(0.0)), looped(LoopKind::Cycles, Some(1), 3, None), "{period}");
    }
}

#[test]
fn a_sequence_of_the_same_step_is_no_cycle() {
    let mut run = only(Loops { cycles: 3, ..Loops::NONE });
    for _ in 0..12 {
        assert_eq!(turn(&mut run, &call(1, 1), 0), ("go", "go"));
    }
}

#[test]
fn a_tool_that_finds_nothing_leads_to_one_word_at_most() {
    let mut run = Run::new(RunConfig::default());
    let mut said = Vec::new();
    for argument in 0..20 {
        said.push(name(run.step(0.0)));
        let search = call(1, argument);
        attempt(&mut run, &search, Outcome::Nothing(u64::from(search.key)));
    }
    assert_eq!(said.iter().position(|one| *one == "steer"), Some(5));
    assert_eq!(said.iter().filter(|one| **one != "go").count(), 1);
}

#[test]
fn the_same_check_after_each_change_is_no_search_that_finds_nothing() {
    let mut run = Run::new(RunConfig::default());
    for edit in 0..20 {
        assert_eq!(turn(&mut run, &call(1, edit), 0), ("go", "go"));
        assert_eq!(name(run.step(0.0)), "go");
        let check = call(2, 0);
        attempt(&mut run, &check, Outcome::Nothing(u64::from(check.key)));
    }
    // Other arguments are another search, whatever comes between.
    let mut said = Vec::new();
    for argument in 1..=4 {
        turn(&mut run, &call(1, 100 + argument), 0);
        said.push(name(run.step(0.0)));
        let search = call(2, argument);
        attempt(&mut run, &search, Outcome::Nothing(u64::from(search.key)));
    }
    assert_eq!(name(run.step(0.0)), "steer", "{said:?}");
}

#[test]
fn ten_steps_without_anything_new_are_stale() {
    let mut run = only(Loops { stale: 10, ..Loops::NONE });
    // Six outcomes, then the same in orders that are no cycle.
    for step in 0..6 {
        turn(&mut run, &call(1, step), 0);
    }
    for argument in [3, 1, 4, 1, 5, 2, 3, 5, 0, 4] {
        assert_eq!(turn(&mut run, &call(1, argument), 0), ("go", "go"));
    }
    assert_eq!(because(run.step(0.0)), looped(LoopKind::Stale, None, 10, None));
    attempt(&mut run, &call(1, 2), ok(&call(1, 2), 0));
    // The loop's calls are refused, others are not.
    assert_eq!(turn(&mut run, &call(1, 4), 0), ("go", "refuse"));
    assert_eq!(attempt(&mut run, &call(1, 9), ok(&call(1, 9), 0)), "go");
}

#[test]
fn the_same_text_three_times_is_a_loop_unless_a_call_comes_with_it() {
    let mut run = Run::new(RunConfig::default());
    for _ in 0..3 {
        assert_eq!(name(run.step(0.0)), "go");
        run.text(9);
    }
    assert_eq!(because(run.step(0.0)), looped(LoopKind::Texts, None, 3, None));

    let mut run = Run::new(RunConfig::default());
    for argument in 0..9 {
        assert_eq!(name(run.step(0.0)), "go");
        run.text(9);
        attempt(&mut run, &call(1, argument), ok(&call(1, argument), 0));
    }
}

#[test]
fn a_tool_that_may_repeat_itself_is_part_of_failures_alone() {
    let wait = Call { counts: false, ..call(1, 1) };
    let mut run = Run::new(RunConfig::default());
    for _ in 0..20 {
        assert_eq!(name(run.step(0.0)), "go");
        attempt(&mut run, &wait, Outcome::Nothing(1));
    }
    for _ in 0..4 {
        assert_eq!(name(run.step(0.0)), "go");
        attempt(&mut run, &wait, Outcome::Failed(Code::Timeout));
    }
    assert_eq!(name(run.step(0.0)), "steer");
}

#[test]
fn an_outcome_says_how_often_it_has_come_in_a_row() {
    let mut run = Run::new(RunConfig { loops: Loops::NONE, ..RunConfig::default() });
    let mut rows = Vec::new();
    for result in [5, 5, 5, 6, 5] {
        turn(&mut run, &call(1, 1), result);
        rows.push(run.repeated());
    }
    assert_eq!(rows, [1, 2, 3, 1, 1]);
}
