//! Runs of a log under other limits and thresholds.

use halfopen::Code;
use halfopen::run::{Ladder, Limit, Limits, LoopKind, Loops, Reason, RunConfig, Rung};
use halfopen_lab::{ReplayedRun, RunRecorder, run_row};

/// A log of one event a second.
#[derive(Default)]
struct Log {
    recorder: RunRecorder,
    seconds: f64,
}

impl Log {
    fn row(&mut self, kind: u32, run: u32, values: [f64; 4]) {
        self.seconds += 1.0;
        let [a, b, c, d] = values;
        let time = self.seconds * 1000.0;
        self.recorder.rows(&[f64::from(kind), f64::from(run), time, 0.0, a, b, c, d, 0.0, 0.0]);
    }

    fn started(&mut self, run: u32, parent: f64) {
        self.row(run_row::RUN_STARTED, run, [0.0, parent, 0.0, 0.0]);
    }

    /// A step with one tool call, whose outcome comes so often in a row.
    fn turn(&mut self, run: u32, outcome: f64, repeated: u32) {
        self.row(run_row::RUN_STEP, run, [0.0; 4]);
        self.row(run_row::RUN_TOOL, run, [5.0, outcome, f64::from(repeated), 1.0]);
    }

    fn tokens(&mut self, run: u32, input: f64) {
        self.row(run_row::RUN_TOKENS, run, [input, 0.0, 0.0, 0.0]);
    }

    fn ended(&mut self, run: u32, input: f64, cost: f64) {
        self.row(run_row::RUN_ENDED, run, [0.0, input, 0.0, cost]);
    }

    #[track_caller]
    fn under(&self, config: &RunConfig) -> ReplayedRun {
        self.recorder.replay(std::slice::from_ref(config))[0]
    }
}

fn limits(limits: Limits) -> RunConfig {
    RunConfig { limits, ..RunConfig::default() }
}

fn repeated(times: u32) -> Log {
    let mut log = Log::default();
    log.started(0, -1.0);
    (1..=times).for_each(|times| log.turn(0, -1.0, times));
    log.ended(0, 0.0, 0.0);
    log
}

#[test]
fn a_run_that_repeats_itself_would_have_been_stopped_at_the_seventh_step_if_it_had_not_listened() {
    let replayed = repeated(10).under(&RunConfig::default());
    let because = Reason::Loop { kind: LoopKind::Repeats, tool: Some(5), count: 3, code: None };
    assert_eq!(replayed.advice, Some((Rung::Steer, because, 4)));
    let stop = replayed.stop.unwrap();
    assert_eq!((stop.step, stop.modelled, replayed.is_cut_off()), (7, true, true));
    // The steps 7 to 10, with a call each.
    assert_eq!((replayed.saved.steps, replayed.saved.tool_calls, replayed.saved_ms), (4.0, 4.0, 8000.0));
}

#[test]
fn a_higher_threshold_leaves_the_run_alone_and_a_ladder_of_one_rung_stops_it_earlier() {
    let log = repeated(10);
    let loops = Loops { repeats: 20, ..Loops::default() };
    let calm = log.under(&RunConfig { loops, ..RunConfig::default() });
    assert_eq!((calm.advice, calm.stop), (None, None));
    let ladder = Ladder::new(&[Rung::Stop]).unwrap();
    let stop = log.under(&RunConfig { ladder, ..RunConfig::default() }).stop.unwrap();
    assert_eq!((stop.step, stop.modelled), (4, false));
    let ladder = Ladder::new(&[]).unwrap();
    let observed = log.under(&RunConfig { ladder, ..RunConfig::default() });
    assert!(observed.advice.is_some() && observed.stop.is_none());
}

#[test]
fn outcomes_that_come_once_each_are_no_loop_and_failures_with_one_code_are() {
    let mut log = Log::default();
    log.started(0, -1.0);
    (0..10).for_each(|_| log.turn(0, -1.0, 1));
    assert_eq!(log.under(&RunConfig::default()).advice, None);
    (0..4).for_each(|_| log.turn(0, f64::from(Code::NotFound.index()), 1));
    log.turn(0, -1.0, 1);
    let (rung, because, step) = log.under(&RunConfig::default()).advice.unwrap();
    let code = Some(Code::NotFound);
    assert_eq!(because, Reason::Loop { kind: LoopKind::Failures, tool: Some(5), count: 4, code });
    assert_eq!((rung, step), (Rung::Steer, 15));
}

#[test]
fn tokens_of_calls_stop_for_certain_and_tokens_that_only_the_end_has_by_an_estimate() {
    let config = limits(Limits { tokens: 250.0, ..Limits::default() });
    let (mut placed, mut spread) = (Log::default(), Log::default());
    for log in [&mut placed, &mut spread] {
        log.started(0, -1.0);
    }
    for _ in 0..6 {
        placed.turn(0, -1.0, 1);
        placed.tokens(0, 100.0);
        spread.turn(0, -1.0, 1);
    }
    placed.ended(0, 600.0, 0.0);
    spread.ended(0, 600.0, 0.0);
    // Tokens that only the end has come with the beginnings of steps, before their tool calls.
    for (log, step, modelled) in [(placed, 4, false), (spread, 3, true)] {
        let replayed = log.under(&config);
        let stop = replayed.stop.unwrap();
        assert_eq!((stop.step, stop.modelled), (step, modelled));
        assert_eq!((replayed.saved.steps, replayed.saved.input_tokens), (3.0, 300.0));
    }
}

#[test]
fn time_cuts_off_a_call_under_way() {
    let mut log = repeated(1);
    log.seconds = 60.0;
    log.ended(0, 0.0, 0.0);
    let replayed = log.under(&limits(Limits { ms: 10_000.0, ..Limits::default() }));
    let stop = replayed.stop.unwrap();
    assert!(matches!(stop.because, Reason::Limit { limit: Limit::Ms, .. }) && !stop.modelled);
    assert_eq!(replayed.saved_ms, 50_000.0);
}

#[test]
fn a_child_spends_for_its_parent_and_stops_with_it() {
    let mut log = Log::default();
    log.started(0, -1.0);
    log.row(run_row::RUN_STARTED, 1, [-1.0, 0.0, 0.0, 0.0]);
    for _ in 0..5 {
        log.turn(1, -1.0, 1);
        log.tokens(1, 100.0);
    }
    log.ended(1, 500.0, 0.0);
    log.ended(0, 500.0, 0.0);
    let config = limits(Limits { tokens: 300.0, ..Limits::default() });
    let replayed = log.recorder.replay(std::slice::from_ref(&config));
    // Other rules apply to the parent alone, whose log has no step after its tokens were spent.
    assert_eq!(replayed.len(), 1);
    assert!(replayed[0].stop.is_some_and(|stop| !stop.modelled));
}

#[test]
fn a_loop_that_the_log_does_not_show_counts_as_it_was_recorded() {
    let mut log = Log::default();
    log.started(0, -1.0);
    for rung in [0.0, 2.0, 3.0, 4.0] {
        log.turn(0, -1.0, 1);
        let kind = f64::from(LoopKind::Cycles as u8);
        log.row(run_row::RUN_ADVISED, 0, [rung, kind, 3.0 + rung, -1.0]);
    }
    log.turn(0, -1.0, 1);
    let stop = log.under(&RunConfig::default()).stop.unwrap();
    assert_eq!((stop.step, stop.modelled), (4, true));
    let loops = Loops { cycles: 9, ..Loops::default() };
    assert_eq!(log.under(&RunConfig { loops, ..RunConfig::default() }).stop, None);
}
