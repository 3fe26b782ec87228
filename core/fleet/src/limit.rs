//! Limits that processes share. Each process has a part, for as long as its lease lasts.

use super::bytes::Misfit;
use super::bytes::{Reader, Writer};

/// Use under a part that has ended. It counts for one more window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cooling {
    pub(super) free_at: u64,
    pub(super) amount: u32,
}

/// One limit for all processes together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) limit: u32,
    /// The window in milliseconds; 0 for a limit on concurrent calls.
    pub(super) window: u64,
    pub(super) of_tokens: bool,
    pub(super) cooling: Vec<Cooling>,
}

/// The part of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// The last grant.
    pub(super) granted: u32,
    /// How much the process may still use: more than `granted` until it reports that it knows of the smaller grant.
    pub(super) held: u32,
    pub(super) used: u32,
    pub(super) wants: u32,
}

impl Part {
    /// Returns how much of it cannot be granted to others.
    pub(super) fn outstanding(&self) -> u32 {
        self.granted.max(self.held)
    }
}

/// The parts of one limit, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// The number of processes with a part.
    pub(super) count: u64,
    /// How much cannot be granted to others.
    pub(super) outstanding: u64,
    pub(super) used: u64,
    pub(super) wants: u64,
}

impl Parts {
    pub(super) fn add(&mut self, part: &Part) {
        self.count += 1;
        self.outstanding += u64::from(part.outstanding());
        self.used += u64::from(part.used);
        self.wants += u64::from(part.wants);
    }

    /// Reverts [`Parts::add`], for the part as it was then.
    pub(super) fn remove(&mut self, part: &Part) {
        self.count -= 1;
        self.outstanding -= u64::from(part.outstanding());
        self.used -= u64::from(part.used);
        self.wants -= u64::from(part.wants);
    }
}

/// The number of steps that a window is divided into. Ended parts within one step are stored as one, which bounds the
/// size of the state.
const STEPS: u64 = 20;

impl Limit {
    pub(super) fn of(report: &LimitReport) -> Self {
        let LimitReport { limit, window, of_tokens, .. } = *report;
        Self { limit, window, of_tokens, cooling: Vec::new() }
    }

    pub(super) fn expire(&mut self, now: u64) {
        self.cooling.retain(|cooling| cooling.free_at > now);
    }

    /// Counts `amount`, used under a part that ended at that time.
    pub(super) fn cool(&mut self, amount: u32, ended: u64) {
        if amount == 0 || self.window == 0 {
            return;
        }
        // Rounds up, so that use is freed late rather than early.
        let step = (self.window / STEPS).max(1);
        let free_at = (ended.saturating_add(self.window)).div_ceil(step).saturating_mul(step);
        match self.cooling.iter_mut().find(|cooling| cooling.free_at == free_at) {
            Some(cooling) => cooling.amount = cooling.amount.saturating_add(amount),
            None => self.cooling.push(Cooling { free_at, amount }),
        }
    }

    pub(super) fn cooling(&self) -> u64 {
        self.cooling.iter().map(|cooling| u64::from(cooling.amount)).sum()
    }

    /// Sets the part of one process by the demand of all. `others` sums up the parts of the other living processes, and
    /// `wants` returns the demand of each.
    pub(super) fn grant(
        &mut self,
        part: &mut Part,
        report: &LimitReport,
        others: &Parts,
        wants: impl FnOnce() -> Vec<u32>,
        now: u64,
    ) {
        let taken = others.outstanding + self.cooling();
        let free = u32::try_from(u64::from(self.limit).saturating_sub(taken)).unwrap_or(u32::MAX);
        // Slots that the process reports count as held if they are free, so a store that lost its state learns them
        // again.
        let before = part.outstanding();
        // Running calls continue, whatever was granted since.
        let has = if self.window == 0 { report.has.max(report.used) } else { report.has };
        part.held = has.min(if before == 0 { free } else { before });
        part.used = report.used;
        part.wants = report.wants.max(report.used);
        let target = fair(self.limit, part.wants, others, wants, report.exact);
        part.granted = target.min(free);
        // The used share of a returned part counts for one more window.
        self.cool(report.used.min(before).saturating_sub(part.outstanding()), now);
    }

    pub(super) fn write(&self, out: &mut Writer) {
        out.numbers([u64::from(self.limit), self.window, u64::from(self.of_tokens)]);
        out.list(&self.cooling, |out, cooling| {
            out.numbers([cooling.free_at, u64::from(cooling.amount)]);
        });
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Misfit> {
        Ok(Self {
            limit: from.count()?,
            window: from.number()?,
            of_tokens: from.flag()?,
            cooling: from.list(|from| Ok(Cooling { free_at: from.number()?, amount: from.count()? }))?,
        })
    }
}

/// Returns the max-min fair part: no process gets more than it wants while another lacks some. The rest is divided
/// equally on top, with one more equal share kept for the next process to join. An `exact` limit gets nothing on top.
fn fair(limit: u32, own: u32, others: &Parts, wants: impl FnOnce() -> Vec<u32>, exact: bool) -> u32 {
    let total = others.wants + u64::from(own);
    let mut left = u64::from(limit);
    if total <= left {
        let spare = (left - total) / (others.count + 2);
        return if exact { own } else { own.saturating_add(u32::try_from(spare).unwrap_or(u32::MAX)) };
    }
    let mut wants = wants();
    wants.push(own);
    wants.sort_unstable();
    let mut sharing = wants.len() as u64;
    for want in wants {
        let level = left / sharing.max(1);
        if u64::from(want) > level {
            // If the limit is smaller than the number of processes, the first to request one gets it.
            return own.min(u32::try_from(level).unwrap_or(u32::MAX).max(1));
        }
        left -= u64::from(want);
        sharing -= 1;
    }
    own
}

impl Part {
    pub(super) fn write(&self, out: &mut Writer) {
        out.numbers([self.granted, self.held, self.used, self.wants].map(u64::from));
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Misfit> {
        Ok(Self { granted: from.count()?, held: from.count()?, used: from.count()?, wants: from.count()? })
    }
}

/// One limit of a process: the limit, and how much of it the process has, uses and wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitReport {
    /// How much all processes together may use.
    pub limit: u32,
    /// The window in milliseconds; 0 for a limit on concurrent calls.
    pub window: u64,
    /// The limit counts tokens.
    pub of_tokens: bool,
    /// The process wants no more than it needs at this moment.
    pub exact: bool,
    /// How much it would use if it could.
    pub wants: u32,
    /// How much it has used within the last `window`, or uses now.
    pub used: u32,
    /// How much it may use: its last grant.
    pub has: u32,
}

impl LimitReport {
    pub(super) fn write(&self, out: &mut Writer) {
        let Self { limit, window, of_tokens, exact, wants, used, has } = *self;
        out.numbers([u64::from(limit), window, u64::from(of_tokens), u64::from(exact)]);
        out.numbers([wants, used, has].map(u64::from));
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Misfit> {
        Ok(Self {
            limit: from.count()?,
            window: from.number()?,
            of_tokens: from.flag()?,
            exact: from.flag()?,
            wants: from.count()?,
            used: from.count()?,
            has: from.count()?,
        })
    }
}
