//! The position of a run on its ladder: the remembered loop, the rungs tried against it, and the pending advice.

use super::advice::{Call, LoopKind, Reason};
use super::config::{Ladder, Loops, Rung};
use super::rows::{LONGEST, Made, Rows, Step};
use super::seen::{Entry, Seen};
use crate::code::Code;

/// A loop that was noticed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    pub(super) kind: LoopKind,
    pub(super) tool: Option<u32>,
    pub(super) count: u32,
    pub(super) code: Option<Code>,
    /// Of a cycle, in steps.
    pub(super) period: u32,
    /// The outcomes of repeats and cycles, and of stale steps.
    pub(super) members: Vec<(u64, u32)>,
}

impl Found {
    pub(super) const fn reason(&self) -> Reason {
        Reason::Loop { kind: self.kind, tool: self.tool, count: self.count, code: self.code }
    }

    /// Returns `true` if the call would continue the loop.
    pub(super) fn is_call(&self, call: &Call) -> bool {
        match self.kind {
            LoopKind::Failures => self.tool == Some(call.tool),
            LoopKind::Nothing | LoopKind::Texts => false,
            _ => call.counts && self.members.iter().any(|(_, key)| *key == call.key),
        }
    }

    /// Returns `true` if the outcome is part of the loop.
    fn has(&self, made: &Made) -> bool {
        match self.kind {
            LoopKind::Repeats | LoopKind::Cycles => {
                made.counts && self.members.iter().any(|(outcome, _)| *outcome == made.outcome)
            }
            LoopKind::Failures => {
                self.tool == Some(made.tool) && self.code.is_some() && made.code == self.code
            }
            LoopKind::Nothing => self.tool == Some(made.tool) && made.is_nothing,
            LoopKind::Stale => !made.is_new,
            LoopKind::Texts => false,
        }
    }

    /// Returns `true` if the step continues the loop.
    fn goes_on(&self, step: &Step) -> bool {
        match self.kind {
            LoopKind::Stale => step.is_stale(),
            LoopKind::Texts => step.text.is_some_and(|text| self.members.iter().any(|(one, _)| *one == text)),
            _ => step.made.iter().any(|made| self.has(made)),
        }
    }

    /// Counts the step, which goes on with the loop.
    fn count_in(&mut self, step: &Step, rows: &Rows) {
        self.count = match self.kind {
            LoopKind::Cycles => self.count.max(rows.rounds(self.period as usize)),
            LoopKind::Nothing => self.tool.map_or(self.count, |tool| self.count.max(rows.of(tool).nothing)),
            _ => self.count.saturating_add(1),
        };
        if self.kind == LoopKind::Stale {
            for made in step.counted() {
                if !self.members.iter().any(|(_, key)| *key == made.key) {
                    self.members.push((made.outcome, made.key));
                }
            }
        }
    }
}

/// A state of the ladder.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Climb {
    /// Remembered until there is progress.
    pub(super) found: Option<Found>,
    /// The rung after the last one that was taken.
    pub(super) next: u32,
    /// Taken and not said yet.
    pub(super) due: Option<Rung>,
    /// The loop's calls are refused.
    pub(super) refuses: bool,
    /// The present step has taken its rung.
    pub(super) took: bool,
    /// The last answer was requested.
    pub(super) concluded: Option<Reason>,
}

/// The input for judging a step.
pub(super) struct Judge<'a> {
    pub(super) loops: &'a Loops,
    pub(super) ladder: &'a Ladder,
    pub(super) seen: &'a Seen,
    /// With the step.
    pub(super) rows: &'a Rows,
    pub(super) step: &'a Step,
    /// How often the step's text has come in a row.
    pub(super) texts: u32,
}

impl Judge<'_> {
    /// The ladder after the step, as far as it is known. `before` is the ladder when the step began, or when it was last used
    /// within it: a later result makes another judgement of the same beginning.
    pub(super) fn after(&self, before: &Climb) -> (Climb, bool) {
        let mut climb = before.clone();
        if climb.concluded.is_some() && !self.ladder.observes() {
            return (climb, false);
        }
        let noticed = self.noticed();
        let is_of = |found: Option<&Found>, made: &Made| found.is_some_and(|found| found.has(made));
        let is_progress = self.step.counted().any(|made| {
            made.is_progress && !is_of(before.found.as_ref(), made) && !is_of(noticed.as_ref(), made)
        });
        if is_progress {
            // Progress gives nothing back of a limit.
            let concluded = climb.concluded.filter(|reason| matches!(reason, Reason::Limit { .. }));
            climb = Climb { took: climb.took, concluded, ..Climb::default() };
        }
        let is_weak = |found: &Found| found.kind == LoopKind::Nothing;
        let goes_on = climb.found.as_ref().is_some_and(|found| found.goes_on(self.step));
        let is_refused = !is_progress && self.step.is_refused;
        match (climb.found.as_mut(), noticed) {
            (Some(found), noticed)
                if goes_on && (!is_weak(found) || noticed.as_ref().is_none_or(is_weak)) =>
            {
                found.count_in(self.step, self.rows);
            }
            (_, Some(noticed)) => {
                if climb.due == Some(Rung::Refuse)
                    && matches!(noticed.kind, LoopKind::Nothing | LoopKind::Texts)
                {
                    climb.due = None;
                }
                climb.found = Some(noticed);
            }
            (Some(_), None) if is_refused => {}
            _ => return (climb, is_progress),
        }
        self.take(&mut climb);
        (climb, is_progress)
    }

    /// Takes the next rung, where the one before has been said.
    fn take(&self, climb: &mut Climb) {
        let Some(found) = &climb.found else { return };
        if climb.took || climb.due.is_some() {
            return;
        }
        let is_passed_over = |rung: Rung| match found.kind {
            LoopKind::Texts => rung == Rung::Refuse,
            LoopKind::Nothing => rung != Rung::Steer,
            _ => false,
        };
        let rungs = self.ladder.rungs().iter().enumerate().skip(climb.next as usize);
        if let Some((at, &rung)) = rungs.into_iter().find(|(_, rung)| !is_passed_over(**rung)) {
            climb.next = at as u32 + 1;
            climb.due = Some(rung);
            climb.took = true;
            climb.refuses |= rung == Rung::Refuse;
        }
    }

    /// The first kind of loop that the step completes. A tool that finds nothing comes last: it leads to little.
    fn noticed(&self) -> Option<Found> {
        let Self { loops, rows, step, .. } = *self;
        let has_outcomes = step.entries > 0;
        let first = step.counted().next();
        let new =
            |kind, tool, count, code, period, members| Found { kind, tool, count, code, period, members };
        if has_outcomes && rows.repeats >= loops.repeats {
            let code = first.and_then(|made| made.code);
            let tool = first.map(|made| made.tool);
            return Some(new(
                LoopKind::Repeats,
                tool,
                rows.repeats,
                code,
                0,
                self.members(step.entries as usize),
            ));
        }
        for made in &step.made {
            let row = rows.of(made.tool);
            if row.failures >= loops.failures {
                return Some(new(LoopKind::Failures, Some(row.tool), row.failures, row.code, 0, Vec::new()));
            }
        }
        if has_outcomes {
            for period in 2..=LONGEST {
                let rounds = rows.rounds(period);
                if rounds >= loops.cycles {
                    let members = self.members(rows.entries(period));
                    let tool = first.map(|made| made.tool);
                    return Some(new(LoopKind::Cycles, tool, rounds, None, period as u32, members));
                }
            }
            if step.is_stale() && rows.stale >= loops.stale {
                let members = self.members(rows.stale_entries as usize);
                return Some(new(LoopKind::Stale, None, rows.stale, None, 0, members));
            }
        }
        if let Some(text) = step.text
            && self.texts >= loops.texts
        {
            return Some(new(LoopKind::Texts, None, self.texts, None, 0, vec![(text, 0)]));
        }
        for made in step.counted() {
            let row = rows.of(made.tool);
            if row.nothing >= loops.nothing {
                return Some(new(LoopKind::Nothing, Some(row.tool), row.nothing, None, 0, Vec::new()));
            }
        }
        None
    }

    /// Returns the last `entries` outcomes, each call once.
    fn members(&self, entries: usize) -> Vec<(u64, u32)> {
        let pair = |Entry { outcome, key, .. }: Entry| (outcome, key);
        let mut members: Vec<_> = self.seen.latest().take(entries).map(pair).collect();
        members.sort_unstable();
        members.dedup();
        members
    }
}
