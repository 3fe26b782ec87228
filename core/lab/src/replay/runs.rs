//! Replay of agents' runs: what other limits and thresholds would have done to the runs of a log.
//!
//! A run reads one file six times and completes. A limit of three tool calls would have stopped it, with a last answer before:
//!
//! ```
//! use halfopen::run::{Limit, Limits, Reason, RunConfig};
//! use halfopen_lab::{RunRecorder, run_row};
//! let mut recorder = RunRecorder::default();
//! let mut row = |kind: u32, time: f64, a: f64, b: f64, c: f64| {
//!     recorder.rows(&[f64::from(kind), 0.0, time, 0.0, a, b, c, 1.0, 0.0, 0.0]);
//! };
//! row(run_row::RUN_STARTED, 0.0, 0.0, -1.0, 0.0);
//! for step in 1..=6 {
//!     let time = 1000.0 * f64::from(step);
//!     row(run_row::RUN_STEP, time, 0.0, 0.0, 0.0);
//!     row(run_row::RUN_TOOL, time, 7.0, -1.0, f64::from(step)); // tool 7 succeeds, in this many steps in a row
//! }
//! row(run_row::RUN_ENDED, 7000.0, 0.0, 0.0, 0.0);
//! let limits = Limits { tool_calls: 3.0, ..Limits::default() };
//! let replayed = recorder.replay(&[RunConfig { limits, ..RunConfig::default() }]);
//! let stop = replayed[0].stop.unwrap();
//! assert!(matches!(stop.because, Reason::Limit { limit: Limit::ToolCalls, .. }));
//! // Whether the model would have gone on after the hint and the refusals is not in the log.
//! assert!(replayed[0].is_cut_off() && stop.modelled);
//! ```
//!
//! # Rules
//!
//! - The machine of `halfopen::run` judges the recorded steps and tool calls. They go on as recorded, whatever advice it gives:
//!   a stop that comes after other advice is `modelled`, because the model might have listened. Hard limits without other advice
//!   are certain.
//! - The log has no arguments and no results. It says how often an outcome came in a row and with which code a tool failed, so
//!   repeats and failures can be judged again. Cycles, stale steps, texts and tools that find nothing are known only from recorded
//!   advice: it counts if the threshold is not above the recorded count.
//! - Tokens count when their calls ended. Tokens that no call of the log has are spread evenly over the steps, and cost over the
//!   tokens. A stop that rests on this is `modelled`.

use super::recorder::ROW;
use super::rows::run_row;
use halfopen::code::Code;
use halfopen::invariant::Always;
use halfopen::policy::whole;
use halfopen::run::{Advice, Call, Limit, LoopKind, Loops, Outcome, Reason, Run, RunConfig, Rung, Spent};

/// Takes down the runs of a log.
#[derive(Debug, Default)]
pub struct RunRecorder {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    kind: u32,
    run: usize,
    /// Milliseconds.
    at: f64,
    values: [f64; 6],
}

/// A run under other rules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReplayedRun {
    /// Its number.
    pub run: u32,
    /// How it ended in the log: 0 for completed, 1 stopped, 2 failed, 3 cancelled.
    pub end: Option<u32>,
    /// The first advice, and its step. This one is certain.
    pub advice: Option<(Rung, Reason, u32)>,
    /// Its stop.
    pub stop: Option<Stop>,
    /// The amounts that it spent in the log after the stop, without its children.
    pub saved: Spent,
    /// How long it went on in the log after the stop, in milliseconds; 0 if its parent was stopped as well.
    pub saved_ms: f64,
}

/// A stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Why.
    pub because: Reason,
    /// The step that it prevented or cut off.
    pub step: u32,
    /// The log does not say whether it would have come to this.
    pub modelled: bool,
}

impl ReplayedRun {
    /// Returns `true` if a run that completed would have been stopped.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.stop.is_some() && self.end == Some(0)
    }
}

impl RunRecorder {
    /// Takes down rows, one after the other, in the order of the log.
    pub fn rows(&mut self, rows: &[f64]) {
        for row in rows.chunks_exact(ROW) {
            let Ok(&[kind, run, at, _, a, b, c, d, e, f]) = <&[f64; ROW]>::try_from(row) else { continue };
            let (kind, run) = (whole(kind), whole(run) as usize);
            self.rows.push(Row { kind, run, at, values: [a, b, c, d, e, f] });
        }
    }

    /// Replays the runs that began with one of the rules, by the number of their rules.
    #[must_use]
    pub fn replay(&self, rules: &[RunConfig]) -> Vec<ReplayedRun> {
        let mut replay = Replayed { totals: totals(&self.rows), lives: Vec::new() };
        replay.lives.resize_with(replay.totals.len(), Live::default);
        for row in &self.rows {
            replay.take(row, rules);
        }
        let lives = (0..).zip(replay.lives);
        lives.filter(|(_, live)| live.machine.is_some()).map(|(run, live)| live.result(run)).collect()
    }
}

/// The sums of a run in the log.
#[derive(Debug, Default)]
struct Total {
    parent: Option<usize>,
    steps: f64,
    tools: f64,
    input: f64,
    output: f64,
    /// The sums of its end: tokens and cost, with those of its children until they are taken off.
    spent: Option<Spent>,
}

impl Total {
    /// Returns the amounts of each step beside the tokens of recorded calls, or each tool call of a run without steps.
    fn beat(&self) -> Spent {
        let (Some(spent), beats) = (self.spent, if self.steps > 0.0 { self.steps } else { self.tools })
        else {
            return Spent::default();
        };
        if beats <= 0.0 {
            return Spent::default();
        }
        let has_tokens = self.input + self.output > 0.0;
        Spent {
            input_tokens: (spent.input_tokens - self.input).max(0.0) / beats,
            output_tokens: (spent.output_tokens - self.output).max(0.0) / beats,
            cost: if has_tokens { 0.0 } else { spent.cost.max(0.0) / beats },
            ..Spent::default()
        }
    }

    fn cost_of(&self, tokens: f64) -> f64 {
        let all = self.input + self.output;
        if all > 0.0 { self.spent.map_or(0.0, |spent| spent.cost.max(0.0)) * tokens / all } else { 0.0 }
    }
}

fn totals(rows: &[Row]) -> Vec<Total> {
    let length = rows.iter().map(|row| row.run + 1).max().unwrap_or(0);
    let mut totals: Vec<Total> = Vec::new();
    totals.resize_with(length, Total::default);
    for &Row { kind, run, values: [a, b, c, d, ..], .. } in rows {
        let Some(total) = totals.get_mut(run) else { continue };
        match kind {
            run_row::RUN_STARTED if b >= 0.0 => {
                total.parent = Some(whole(b) as usize).filter(|one| *one != run)
            }
            run_row::RUN_STEP => total.steps += 1.0,
            run_row::RUN_TOOL if b > REFUSED => total.tools += 1.0,
            run_row::RUN_TOKENS => {
                total.input += a;
                total.output += b;
            }
            run_row::RUN_ENDED => {
                total.spent = Some(Spent { input_tokens: b, output_tokens: c, cost: d, ..Spent::default() });
            }
            _ => {}
        }
    }
    let children: Vec<_> = totals.iter().filter_map(|total| Some((total.parent?, total.spent?))).collect();
    for (parent, child) in children {
        if let Some(spent) = totals.get_mut(parent).and_then(|total| total.spent.as_mut()) {
            spent.input_tokens -= child.input_tokens;
            spent.output_tokens -= child.output_tokens;
            spent.cost -= child.cost;
        }
    }
    totals
}

/// The outcome of a tool call that the run refused. Below 0 is no code.
const REFUSED: f64 = -2.0;

/// An outcome, as far as the log distinguishes one from another.
#[derive(Clone, Copy, Debug)]
struct Distinct {
    tool: u32,
    /// Its code, or -1.
    code: f64,
    repeated: f64,
    /// Stands for the hashes that the log does not have.
    id: u32,
}

/// A run during the replay.
#[derive(Debug, Default)]
struct Live {
    /// The machine under the other rules; `None` if no other rules apply to it.
    machine: Option<Run>,
    observes: bool,
    rungs: Vec<Rung>,
    loops: Option<Loops>,
    begun: f64,
    /// When it last had an event.
    last: f64,
    /// Its steps; the tool calls of a run without steps.
    step: u32,
    has_steps: bool,
    before: Vec<Distinct>,
    now: Vec<Distinct>,
    next: u32,
    /// Recorded advice on loops that the log does not show: how many rungs, and the last one.
    climbed: usize,
    climbed_to: f64,
    end: Option<u32>,
    advice: Option<(Rung, Reason, u32)>,
    is_modelled: bool,
    stop: Option<Stop>,
    stopped_at: f64,
    saved: Spent,
    /// Its parent was stopped as well.
    is_within: bool,
}

impl Live {
    fn result(self, run: u32) -> ReplayedRun {
        let Self { end, advice, stop, saved, stopped_at, last, is_within, .. } = self;
        let saved_ms = if stop.is_some() && !is_within { (last - stopped_at).max(0.0) } else { 0.0 };
        ReplayedRun { run, end, advice, stop, saved, saved_ms }
    }

    fn ms(&self, at: f64) -> f64 {
        (at - self.begun).max(0.0)
    }

    /// The id of an outcome: that of the step before if it came again.
    fn id_of(&mut self, tool: u32, code: f64, repeated: f64) -> u32 {
        let is = |one: &&Distinct, times: f64| one.tool == tool && one.code == code && one.repeated == times;
        let again = self.before.iter().find(|one| is(one, repeated - 1.0)).filter(|_| repeated > 1.0);
        let same = self.now.iter().find(|one| is(one, repeated)).filter(|_| repeated > 1.0);
        let id = same.or(again).map_or(self.next, |one| one.id);
        self.next = self.next.max(id + 1);
        self.now.push(Distinct { tool, code, repeated, id });
        id
    }

    fn advise(&mut self, advice: Advice, at: f64) {
        let (rung, because) = match advice {
            Advice::Go => return,
            Advice::Steer(because) => (Rung::Steer, because),
            Advice::Escalate(because) => (Rung::Escalate, because),
            Advice::Refuse(because) => (Rung::Refuse, because),
            Advice::Conclude(because) => (Rung::Conclude, because),
            Advice::Stop(because) => (Rung::Stop, because),
        };
        self.advice = self.advice.or(Some((rung, because, self.step)));
        if rung == Rung::Stop && !self.observes {
            self.stop_for(because, at, false);
        } else {
            self.is_modelled = true;
        }
    }

    fn stop_for(&mut self, because: Reason, at: f64, is_estimated: bool) {
        if self.stop.is_none() {
            let modelled = self.is_modelled || is_estimated;
            self.stop = Some(Stop { because, step: self.step, modelled });
            self.stopped_at = at;
        }
    }

    /// Recorded advice on a loop that the log does not show.
    fn hidden(&mut self, rung: f64, kind: LoopKind, count: u32, tool: Option<u32>, at: f64) {
        let Some(Loops { cycles, nothing, stale, texts, .. }) = self.loops else { return };
        let threshold = match kind {
            LoopKind::Cycles => cycles,
            LoopKind::Nothing => nothing,
            LoopKind::Stale => stale,
            LoopKind::Texts => texts,
            LoopKind::Repeats | LoopKind::Failures => return,
        };
        if count < threshold {
            return;
        }
        self.climbed = if rung > self.climbed_to { self.climbed + 1 } else { 0 };
        self.climbed_to = rung;
        let because = Reason::Loop { kind, tool, count, code: None };
        match self.rungs.get(self.climbed) {
            None => {}
            Some(Rung::Stop) => {
                self.is_modelled = true;
                self.advise(Advice::Stop(because), at);
            }
            Some(&rung) => {
                self.advice = self.advice.or(Some((rung, because, self.step)));
                self.is_modelled = true;
            }
        }
    }
}

struct Replayed {
    totals: Vec<Total>,
    lives: Vec<Live>,
}

impl Replayed {
    fn take(&mut self, row: &Row, rules: &[RunConfig]) {
        let &Row { kind, run, at, values: [a, b, c, d, ..] } = row;
        self.stop_with_its_parents(run, at);
        let Some(live) = self.lives.get_mut(run) else { return };
        let pause_since = std::mem::replace(&mut live.last, at);
        match kind {
            run_row::RUN_STARTED if live.begun > 0.0 || live.step > 0 => {
                // Restored from a snapshot: the pause does not count.
                live.begun += (at - pause_since).max(0.0);
            }
            run_row::RUN_STARTED => {
                live.begun = at;
                let rules = if a < 0.0 { None } else { rules.get(whole(a) as usize) };
                if let Some(config) = rules {
                    live.observes = config.ladder.observes();
                    live.rungs = config.ladder.rungs().to_vec();
                    live.loops = Some(config.loops);
                    live.machine = Some(Run::new(config.clone()));
                }
            }
            run_row::RUN_STEP => {
                live.has_steps = true;
                self.begin_step(run);
                self.beat(run, at);
                self.spend(run, &Spent { steps: 1.0, ..Spent::default() }, false);
            }
            run_row::RUN_TOOL => self.tool(run, at, whole(a), [b, c, d]),
            run_row::RUN_TOKENS => {
                let cost = self.totals.get(run).map_or(0.0, |total| total.cost_of(a + b));
                self.spend(run, &Spent { input_tokens: a, output_tokens: b, cost, ..Spent::default() }, true);
            }
            run_row::RUN_ADVISED if live.stop.is_none() => {
                if let Some(&kind) = LoopKind::ALL.get(whole(b) as usize).filter(|_| b >= 0.0) {
                    live.hidden(a, kind, whole(c), (d >= 0.0).then(|| whole(d)), at);
                }
            }
            run_row::RUN_ENDED => {
                live.end = Some(whole(a));
                // Time stops a run between steps too: its signal cuts off the call under way.
                let ms = live.ms(at);
                let over = live.machine.as_ref().and_then(|machine| machine.hard_limit(ms));
                if let Some(because @ Reason::Limit { limit: Limit::Ms, max, .. }) = over
                    && !live.observes
                {
                    live.stop_for(because, live.begun + max, false);
                }
            }
            _ => {}
        }
    }

    fn begin_step(&mut self, run: usize) {
        if let Some(live) = self.lives.get_mut(run) {
            live.step += 1;
            if !live.now.is_empty() {
                live.before = std::mem::take(&mut live.now);
            }
        }
    }

    /// Begins a step, and spends what it takes beside the recorded calls.
    fn beat(&mut self, run: usize, at: f64) {
        let beat = self.totals.get(run).map(Total::beat).always();
        let Some(live) = self.lives.get_mut(run) else { return };
        let ms = live.ms(at);
        if live.stop.is_none()
            && live.has_steps
            && let Some(machine) = &mut live.machine
        {
            let advice = machine.step(ms);
            self.advise(run, advice, at);
        }
        self.spend(run, &beat, true);
    }

    fn tool(&mut self, run: usize, at: f64, tool: u32, [code, repeated, counts]: [f64; 3]) {
        if self.lives.get(run).is_some_and(|live| !live.has_steps) {
            self.begin_step(run);
            self.beat(run, at);
        }
        let Some(live) = self.lives.get_mut(run) else { return };
        let id = live.id_of(tool, code, repeated);
        let ms = live.ms(at);
        if live.stop.is_none()
            && let Some(machine) = &mut live.machine
        {
            let call = Call { tool, key: id, counts: counts > 0.0 };
            let advice = machine.tool_call(&call, ms);
            let runs = live.observes || advice == Advice::Go;
            if runs && code > REFUSED {
                let failed =
                    u8::try_from(whole(code)).ok().and_then(Code::from_index).filter(|_| code >= 0.0);
                machine.tool_result(&call, failed.map_or(Outcome::Ok(u64::from(id)), Outcome::Failed));
            }
            // The log has no result of a call that its run refused.
            live.is_modelled |= runs && code <= REFUSED;
            self.advise(run, advice, at);
        }
        if code > REFUSED {
            self.spend(run, &Spent { tool_calls: 1.0, ..Spent::default() }, false);
        }
    }

    fn advise(&mut self, run: usize, advice: Advice, at: f64) {
        let is_estimated = self.is_estimated(run, advice);
        if let Some(live) = self.lives.get_mut(run) {
            live.is_modelled |= is_estimated;
            live.advise(advice, at);
        }
    }

    /// Returns `true` for a stop that rests on cost or tokens that the log does not place in time.
    fn is_estimated(&self, run: usize, advice: Advice) -> bool {
        let Advice::Stop(Reason::Limit { limit, .. }) = advice else { return false };
        let beat = self.totals.get(run).map(Total::beat).always();
        match limit {
            Limit::Cost => true,
            Limit::Tokens => beat.input_tokens + beat.output_tokens > 0.0,
            Limit::Steps | Limit::ToolCalls | Limit::Ms => false,
        }
    }

    /// Adds the amounts to the run (`is_own`: the machine does not count them itself) and to its parents; to the savings if it is
    /// stopped.
    fn spend(&mut self, run: usize, more: &Spent, is_own: bool) {
        let Some(live) = self.lives.get_mut(run) else { return };
        if live.stop.is_some() {
            add(&mut live.saved, more);
            return;
        }
        if is_own && let Some(machine) = &mut live.machine {
            machine.spend(more);
        }
        for parent in self.parents(run) {
            if let Some(machine) = self.lives.get_mut(parent).and_then(|live| live.machine.as_mut()) {
                machine.spend(more);
            }
        }
    }

    /// Ends a run whose parent was stopped, or has nothing left to spend.
    fn stop_with_its_parents(&mut self, run: usize, at: f64) {
        for parent in self.parents(run) {
            let Some(of_parent) = self.lives.get_mut(parent) else { continue };
            let ms = of_parent.ms(at);
            let over = of_parent.machine.as_ref().and_then(|machine| machine.hard_limit(ms));
            if let Some(because) = over.filter(|_| !of_parent.observes && of_parent.stop.is_none()) {
                let advice = Advice::Stop(because);
                self.advise(parent, advice, at);
            }
            let Some(Stop { because, modelled, .. }) = self.lives.get(parent).and_then(|live| live.stop)
            else {
                continue;
            };
            if let Some(live) = self.lives.get_mut(run) {
                live.stop_for(because, at, modelled);
                live.is_within = true;
            }
        }
    }

    /// Returns the parents of a run, the nearest first. The number is bounded, because a log may name a circle.
    fn parents(&self, run: usize) -> Vec<usize> {
        let parent = |run: &usize| self.totals.get(*run).and_then(|total| total.parent);
        std::iter::successors(parent(&run), parent).take(MOST_PARENTS).collect()
    }
}

/// The deepest nesting of runs. No agent has more.
const MOST_PARENTS: usize = 100;

fn add(sum: &mut Spent, more: &Spent) {
    sum.steps += more.steps;
    sum.tool_calls += more.tool_calls;
    sum.input_tokens += more.input_tokens;
    sum.output_tokens += more.output_tokens;
    sum.cost += more.cost;
}
