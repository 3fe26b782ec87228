//! The rows: equal or related outcomes of consecutive steps.

use crate::code::Code;

/// Of how many outcomes of one step, and of how many tools, the run keeps a row. More of them would be kept at the cost of
/// memory that grows with what an agent does.
const MOST: usize = 256;
/// The longest cycle, in steps.
pub(super) const LONGEST: usize = 5;

/// An outcome of the present step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) outcome: u64,
    pub(super) tool: u32,
    pub(super) key: u32,
    pub(super) code: Option<Code>,
    pub(super) is_nothing: bool,
    pub(super) counts: bool,
    /// New to the run.
    pub(super) is_new: bool,
    /// As `is_new`, but a failure only where its tool has not failed with that code before.
    pub(super) is_progress: bool,
}

/// The present step, as far as its results are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Step {
    /// Each outcome once.
    pub(super) made: Vec<Made>,
    /// Of the outcomes that count, whatever their order.
    pub(super) hash: u64,
    /// How many outcomes count.
    pub(super) entries: u32,
    /// Calls that were refused, as outcomes.
    pub(super) refusals: Vec<u64>,
    /// A call of the loop was refused.
    pub(super) is_refused: bool,
    /// The last text, if no call came with it.
    pub(super) text: Option<u64>,
}

impl Step {
    /// Begins the next step, in the memory that this one has.
    pub(super) fn clear(&mut self) {
        let Self { made, hash, entries, refusals, is_refused, text } = self;
        made.clear();
        refusals.clear();
        (*hash, *entries, *is_refused, *text) = (0, 0, false, None);
    }

    /// Adds an outcome; false if the step has it already.
    pub(super) fn add(&mut self, made: Made) -> bool {
        if self.made.iter().any(|one| one.outcome == made.outcome) {
            return false;
        }
        if made.counts {
            self.hash = self.hash.wrapping_add(mixed(made.outcome));
            self.entries = self.entries.saturating_add(1);
        }
        if self.made.len() < MOST {
            self.made.push(made);
        }
        true
    }

    pub(super) fn refuse(&mut self, outcome: u64) {
        if self.refusals.len() < MOST && !self.refusals.contains(&outcome) {
            self.refusals.push(outcome);
        }
    }

    /// The outcomes that are part of repeats, cycles, nothing, stale and progress.
    pub(super) fn counted(&self) -> impl Iterator<Item = &Made> {
        self.made.iter().filter(|made| made.counts)
    }

    /// Returns `true` if it has outcomes, all of which the run has seen before.
    pub(super) fn is_stale(&self) -> bool {
        self.entries > 0 && !self.counted().any(|made| made.is_new)
    }

    /// The code that all calls of the tool failed with.
    fn failure(&self, tool: u32) -> Option<Code> {
        let mut calls = self.made.iter().filter(|made| made.tool == tool);
        let code = calls.next()?.code?;
        calls.all(|made| made.code == Some(code)).then_some(code)
    }

    /// How many calls of the tool found nothing; `None` if one found anything, or if no call counts. A call that the run has made
    /// before is left out if it is a recheck.
    fn nothing(&self, tool: u32, is_recheck: bool) -> Option<u32> {
        let mut calls = self.counted().filter(|made| made.tool == tool).peekable();
        calls.peek()?;
        calls.map(|made| made.is_nothing.then_some(u32::from(made.is_new || !is_recheck))).sum()
    }

    /// Returns `true` if it brought something that is new to the run.
    fn brings_news(&self) -> bool {
        self.counted().any(|made| made.is_progress && !made.is_nothing)
    }
}

/// A step that is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Past {
    pub(super) hash: u64,
    /// The number of its outcomes; 0 before the first step.
    pub(super) entries: u32,
}

/// The results of one tool's calls in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolRow {
    pub(super) tool: u32,
    /// The code of the failures.
    pub(super) code: Option<Code>,
    pub(super) failures: u32,
    pub(super) nothing: u32,
    /// `Rows::news` when it was last called.
    pub(super) news: u32,
}

/// The rows, of the steps up to one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows {
    /// How often the last set of outcomes has come.
    pub(super) repeats: u32,
    /// The last steps with outcomes, the newest first.
    pub(super) past: [Past; LONGEST],
    /// How many steps in a row were the same as the one two, three, four or five steps before.
    pub(super) periods: [u32; LONGEST - 1],
    /// Steps without a new outcome.
    pub(super) stale: u32,
    /// How many outcomes these had.
    pub(super) stale_entries: u32,
    /// Steps that brought something new.
    pub(super) news: u32,
    /// The tools called last are at the end.
    pub(super) tools: Vec<ToolRow>,
    /// The outcomes of the last step, and how many steps in a row had each.
    pub(super) outcomes: Vec<(u64, u32)>,
}

impl Rows {
    /// Makes these the rows of `before` with one more step, in the memory that they have: copies took half the time of a result.
    pub(super) fn set(&mut self, before: &Self, step: &Step) {
        let Self { repeats, past, periods, stale, stale_entries, news, tools, outcomes } = before;
        (self.repeats, self.past, self.periods) = (*repeats, *past, *periods);
        (self.stale, self.stale_entries, self.news) = (*stale, *stale_entries, *news);
        self.tools.clone_from(tools);
        self.outcomes.clone_from(outcomes);
        self.add(step);
    }

    /// Adds a step. One without outcomes interrupts no row.
    pub(super) fn add(&mut self, step: &Step) {
        if step.entries > 0 {
            self.push(Past { hash: step.hash, entries: step.entries });
            let is_stale = step.is_stale();
            self.stale = if is_stale { self.stale.saturating_add(1) } else { 0 };
            self.stale_entries = if is_stale { self.stale_entries.saturating_add(step.entries) } else { 0 };
        }
        self.news = self.news.wrapping_add(u32::from(step.brings_news()));
        for (at, made) in step.made.iter().enumerate() {
            if !step.made.iter().take(at).any(|one| one.tool == made.tool) {
                self.count_tool(made.tool, step);
            }
        }
        let outcomes = step.made.iter().map(|made| made.outcome).chain(step.refusals.iter().copied());
        // The counts of the step before go once all are made from them.
        let before = self.outcomes.len();
        for outcome in outcomes {
            self.outcomes.push((outcome, self.times(outcome) + 1));
        }
        if self.outcomes.len() > before {
            self.outcomes.drain(..before);
        }
    }

    fn push(&mut self, step: Past) {
        let is_same =
            |past: Option<&Past>| past.is_some_and(|past| past.entries > 0 && past.hash == step.hash);
        self.repeats = if is_same(self.past.first()) { self.repeats.saturating_add(1) } else { 1 };
        for (row, before) in self.periods.iter_mut().zip(self.past.iter().skip(1)) {
            *row = if is_same(Some(before)) { row.saturating_add(1) } else { 0 };
        }
        self.past.rotate_right(1);
        if let Some(newest) = self.past.first_mut() {
            *newest = step;
        }
    }

    fn count_tool(&mut self, tool: u32, step: &Step) {
        let at = self.tools.iter().position(|row| row.tool == tool);
        let before = at.map(|at| self.tools.remove(at)).unwrap_or_default();
        let code = step.failure(tool);
        let failures = match code {
            None => 0,
            Some(_) if code == before.code => before.failures.saturating_add(1),
            Some(_) => 1,
        };
        // The same type check after each edit prints nothing each time, and so does a pause between two looks at a build. A call
        // that is made again after something new is no further search.
        let is_recheck = self.news != before.news;
        let nothing = step.nothing(tool, is_recheck).map_or(0, |more| before.nothing.saturating_add(more));
        if self.tools.len() >= MOST {
            self.tools.remove(0);
        }
        self.tools.push(ToolRow { tool, code, failures, nothing, news: self.news });
    }

    /// How many steps in a row had the outcome.
    pub(super) fn times(&self, outcome: u64) -> u32 {
        self.outcomes.iter().find(|(one, _)| *one == outcome).map_or(0, |(_, times)| *times)
    }

    /// The tool's row.
    pub(super) fn of(&self, tool: u32) -> ToolRow {
        self.tools.iter().rev().find(|row| row.tool == tool).copied().unwrap_or_default()
    }

    /// Returns how often the last sequence of `period` steps has come in a row. A sequence of equal steps is a repeat.
    pub(super) fn rounds(&self, period: usize) -> u32 {
        let newest = self.past.first().map_or(0, |past| past.hash);
        let differs = self.past.iter().take(period).any(|past| past.hash != newest);
        let row = self.periods.get(period.wrapping_sub(2)).copied().unwrap_or_default();
        if differs { row / period as u32 + 1 } else { 0 }
    }

    /// Returns how many outcomes the last `steps` steps had.
    pub(super) fn entries(&self, steps: usize) -> usize {
        self.past.iter().take(steps).map(|past| past.entries as usize).sum()
    }
}

/// One of splitmix64's finalisers (<https://prng.di.unimi.it/splitmix64.c>): sums of hashes stay apart.
pub(super) const fn mixed(hash: u64) -> u64 {
    let hash = hash.wrapping_add(0x9e37_79b9_7f4a_7c15); // No hash is 0, which would leave the sum as it is.
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
