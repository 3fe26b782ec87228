//! Runs of agents: one task each, from its first step to its end, with its cost and its advice.

use crate::effects::{Act, Outcome};
use crate::names::{Name, Names};
use crate::numbers::{CallNumber, EventNumber, RunNumber};
use crate::time::Moment;
use halfopen_log::kind::{RunAdvised, RunEnded, RunStarted, RunTool};
use halfopen_log::{Event, Json, Kind, Shallow, Text};
use std::collections::{BTreeMap, VecDeque};

/// Most runs that are kept. The oldest are evicted.
pub(crate) const MOST_RUNS: usize = 2_000;
/// Most parts and calls that are kept for one run, the newest: an agent that never ends must not exhaust the page's memory.
const MOST_PARTS: usize = 2_000;
/// Most acts that are kept for one run, the oldest.
const MOST_ACTS: usize = 200;

/// The outcome of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    Succeeded,
    Failed,
    /// The run did not let it through.
    Refused,
}

/// The reason of advice, or of a stop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Because {
    /// `loop` or `limit`.
    pub kind: Name,
    /// The loop or limit.
    pub which: Name,
    /// The tool of a loop.
    pub tool: Name,
    /// The number of times that the loop came, or the amount that was spent.
    pub count: f64,
}

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunPart {
    Step(u32),
    Tool { tool: Name, outcome: ToolOutcome, code: Name, repeated: u32, duration_ms: Option<f64> },
    Warned { limit: Name, max: f64, spent: f64 },
    Advised { advice: Name, because: Because },
}

/// The tokens and the money of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub input_tokens: f64,
    pub output_tokens: f64,
    pub cost: f64,
}

/// One run of an agent.
#[derive(Clone, Debug)]
pub struct Run {
    pub number: RunNumber,
    pub id: Box<str>,
    pub source: Name,
    pub name: Name,
    pub task: Name,
    pub parent: Option<RunNumber>,
    pub started: Moment,
    pub ended: Option<Moment>,
    /// `true` if its beginning set a limit; `None` if the log does not have its beginning.
    pub limited: Option<bool>,
    /// Its end: `completed`, `stopped`, `failed`, `cancelled`.
    pub end: Name,
    pub code: Name,
    /// The event that ended it; its line has the message for the user.
    pub ended_by: Option<EventNumber>,
    pub steps: u32,
    /// Tool calls that were let through.
    pub tools: u32,
    pub refused: u32,
    /// The tokens of its calls so far; once it has ended, the sums of its last event.
    pub spent: Spent,
    pub parts: VecDeque<(Moment, RunPart)>,
    pub calls: VecDeque<CallNumber>,
    /// Its acts that happen once, by their hashed key.
    pub acts: BTreeMap<Box<str>, Act>,
    /// Parts, calls and acts that are not kept.
    pub unkept: u32,
}

impl Run {
    /// Its task, else its name.
    pub fn title(&self) -> Name {
        if self.task.is_none() { self.name } else { self.task }
    }

    fn act(&mut self, key: &str, act: Act) {
        if let Some(before) = self.acts.get_mut(key) {
            // A reused result does not hide that the act happened in this run.
            if (before.outcome, act.outcome) != (Outcome::Happened, Outcome::Reused) {
                *before = Act { attempts: before.attempts.max(act.attempts), ..act };
            }
        } else if self.acts.len() < MOST_ACTS {
            self.acts.insert(key.into(), act);
        } else {
            self.unkept += 1;
        }
    }

    fn push(&mut self, at: Moment, part: RunPart) {
        if self.parts.len() >= MOST_PARTS {
            self.parts.pop_front();
            self.unkept += 1;
        }
        self.parts.push_back((at, part));
    }

    fn names(&self, show: &mut dyn FnMut(Name)) {
        [self.source, self.name, self.task, self.end, self.code].into_iter().for_each(&mut *show);
        for (_, part) in &self.parts {
            match part {
                RunPart::Step(_) => {}
                RunPart::Tool { tool, code, .. } => [*tool, *code].into_iter().for_each(&mut *show),
                RunPart::Warned { limit, .. } => show(*limit),
                RunPart::Advised { advice, because } => {
                    [*advice, because.kind, because.which, because.tool].into_iter().for_each(&mut *show);
                }
            }
        }
    }
}

/// All runs, oldest first.
#[derive(Default)]
pub struct Runs {
    rows: VecDeque<Run>,
    /// The number of evicted runs.
    evicted: u32,
}

impl Runs {
    /// Returns all runs that are kept, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Run> + ExactSizeIterator {
        self.rows.iter()
    }

    /// Returns the run of that number, unless it was evicted.
    pub fn get(&self, number: RunNumber) -> Option<&Run> {
        self.rows.get(number.0.checked_sub(self.evicted)? as usize)
    }

    fn find(&self, id: &str) -> Option<usize> {
        // Few runs are open at a time, and events belong to the newest.
        self.rows.iter().rposition(|run| &*run.id == id)
    }

    /// Returns the run of that id, made if the log does not have its beginning.
    #[inline(never)]
    fn of(&mut self, id: &str, source: Name, at: Moment) -> &mut Run {
        let index = self.find(id).unwrap_or_else(|| {
            let number = RunNumber(self.rows.back().map_or(0, |newest| newest.number.0 + 1));
            if self.rows.len() >= MOST_RUNS {
                self.rows.pop_front();
                self.evicted += 1;
            }
            self.rows.push_back(Run {
                number,
                id: id.into(),
                source,
                name: Name::NONE,
                task: Name::NONE,
                parent: None,
                started: at,
                ended: None,
                limited: None,
                end: Name::NONE,
                code: Name::NONE,
                ended_by: None,
                steps: 0,
                tools: 0,
                refused: 0,
                spent: Spent::default(),
                parts: VecDeque::new(),
                calls: VecDeque::new(),
                acts: BTreeMap::new(),
                unkept: 0,
            });
            self.rows.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "found or pushed just above")]
        &mut self.rows[index]
    }

    /// A call of a run began.
    pub(crate) fn call(&mut self, id: &str, source: Name, at: Moment, call: CallNumber) -> RunNumber {
        let run = self.of(id, source, at);
        if run.calls.len() >= MOST_PARTS {
            run.calls.pop_front();
            run.unkept += 1;
        }
        run.calls.push_back(call);
        run.number
    }

    /// Updates an act, within a run or outside. `found`: its outcome was unknown before.
    pub(crate) fn act(&mut self, id: Option<&str>, source: Name, (key, act): (Box<str>, Act), found: bool) {
        if let Some(id) = id {
            self.of(id, source, act.at).act(&key, act.clone());
        }
        // A person, or a later run, may find out what happened to an act of an earlier one.
        if found && act.outcome > Outcome::Claimed {
            for run in &mut self.rows {
                let unknown = run.acts.get_mut(&key).filter(|act| act.outcome == Outcome::Unknown);
                if let Some(unknown) = unknown {
                    (unknown.outcome, unknown.at) = (act.outcome.min(Outcome::Happened), act.at);
                }
            }
        }
    }

    /// Adds the tokens of a call to its run.
    pub(crate) fn took(&mut self, number: RunNumber, (input, output): (u64, u64)) {
        let Some(index) = number.0.checked_sub(self.evicted) else { return };
        if let Some(run) = self.rows.get_mut(index as usize).filter(|run| run.ended.is_none()) {
            #[expect(clippy::cast_precision_loss, reason = "tokens of a session")]
            let taken = (input as f64, output as f64);
            run.spent.input_tokens += taken.0;
            run.spent.output_tokens += taken.1;
        }
    }

    /// Takes an event of a run.
    #[inline(never)]
    pub(crate) fn apply(&mut self, names: &mut Names, source: Name, number: EventNumber, event: &Event<'_>) {
        let Some(id) = event.run.as_ref().map(Text::as_str) else { return };
        let time = Moment::from_ms(event.time);
        let parent = match &event.kind {
            Kind::RunStarted(RunStarted { parent_run: Some(parent), .. }) => self.find(parent.as_str()),
            _ => None,
        };
        let parent = parent.and_then(|index| self.rows.get(index)).map(|run| run.number);
        let mut name = |text: Option<&Text<'_>>| text.map_or(Name::NONE, |text| names.number(text.as_str()));
        match &event.kind {
            Kind::RunStarted(RunStarted { name: called, task, limits, .. }) => {
                let run = self.of(id, source, time);
                run.started = run.started.min(time);
                (run.name, run.task) = (name(Some(called)), name(task.as_ref()));
                run.parent = parent;
                run.limited = Some(!limits.members().is_empty());
                // A run that continues from a snapshot has not ended.
                (run.ended, run.end, run.code) = (None, Name::NONE, Name::NONE);
            }
            Kind::RunStep(step) => {
                let run = self.of(id, source, time);
                run.steps = run.steps.max(step.step);
                run.push(time, RunPart::Step(step.step));
            }
            Kind::RunTool(RunTool { tool, outcome, code, repeated, duration_ms }) => {
                let outcome = match outcome.as_str() {
                    "refused" => ToolOutcome::Refused,
                    "failed" => ToolOutcome::Failed,
                    _ => ToolOutcome::Succeeded,
                };
                let (tool, code) = (name(Some(tool)), name(code.as_ref()));
                let run = self.of(id, source, time);
                let count = if outcome == ToolOutcome::Refused { &mut run.refused } else { &mut run.tools };
                *count += 1;
                run.push(
                    time,
                    RunPart::Tool { tool, outcome, code, repeated: *repeated, duration_ms: *duration_ms },
                );
            }
            Kind::RunWarned(warned) => {
                let limit = name(Some(&warned.limit));
                let part = RunPart::Warned { limit, max: warned.max, spent: warned.spent };
                self.of(id, source, time).push(time, part);
            }
            Kind::RunAdvised(RunAdvised { advice, because }) => {
                let advice = name(Some(advice));
                let because = read(because, &mut |text| name(Some(text)));
                self.of(id, source, time).push(time, RunPart::Advised { advice, because });
            }
            Kind::RunEnded(RunEnded { end, code, spent, .. }) => {
                let (end, code) = (name(Some(end)), name(code.as_ref()));
                let run = self.of(id, source, time);
                (run.end, run.code, run.ended_by) = (end, code, Some(number));
                run.ended = Some(time.max(run.started));
                let of = |key| spent.at(&[key]).and_then(|value| value.as_f64());
                if let (Some(input_tokens), Some(output_tokens)) = (of("inputTokens"), of("outputTokens")) {
                    run.spent = Spent { input_tokens, output_tokens, cost: of("cost").unwrap_or(0.0) };
                }
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
                let whole = |key| of(key).map(|count| count as u32);
                run.steps = whole("steps").unwrap_or(run.steps);
                run.tools = whole("toolCalls").unwrap_or(run.tools);
            }
            _ => {}
        }
    }

    pub(crate) fn names(&self, show: &mut dyn FnMut(Name)) {
        self.rows.iter().for_each(|run| run.names(show));
    }
}

fn read(because: &Json<'_>, name: &mut dyn FnMut(&Text<'_>) -> Name) -> Because {
    let mut of = |key: &str| match because.at(&[key]) {
        Some(Shallow::Text(text)) => name(&text),
        _ => Name::NONE,
    };
    let (of_loop, of_limit) = (of("loop"), of("limit"));
    let which = if of_loop.is_none() { of_limit } else { of_loop };
    let number = |key: &str| because.at(&[key]).and_then(|value| value.as_f64());
    Because {
        kind: of("kind"),
        which,
        tool: of("tool"),
        count: number("count").or(number("spent")).unwrap_or(0.0),
    }
}
