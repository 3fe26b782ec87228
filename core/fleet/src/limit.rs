//! Limits that processes share: each has a part, for as long as its lease lasts.

use super::bytes::Misfit;
use super::bytes::{Reader, Writer};

/// The use under a part that is gone: it counts until a window later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cooling {
    pub(super) free_at: u64,
    pub(super) amount: u32,
}

/// One limit for all processes together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) limit: u32,
    /// 0 for what runs at once.
    pub(super) window: u64,
    pub(super) of_tokens: bool,
    pub(super) cooling: Vec<Cooling>,
}

/// The part of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// What it was granted last.
    pub(super) granted: u32,
    /// What it may still use: more than `granted` until it has reported that it knows of the smaller grant.
    pub(super) held: u32,
    pub(super) used: u32,
    pub(super) wants: u32,
}

impl Part {
    /// What cannot be granted to others.
    pub(super) fn outstanding(&self) -> u32 {
        self.granted.max(self.held)
    }
}

/// The parts of one limit, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// How many processes have one.
    pub(super) count: u64,
    /// What cannot be granted to others.
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

    /// Takes back what [`Parts::add`] has added of the part as it was then.
    pub(super) fn remove(&mut self, part: &Part) {
        self.count -= 1;
        self.outstanding -= u64::from(part.outstanding());
        self.used -= u64::from(part.used);
        self.wants -= u64::from(part.wants);
    }
}

/// Parts that end within so much of a window of one another are kept as one.
const STEPS: u64 = 20;

impl Limit {
    pub(super) fn of(report: &LimitReport) -> Self {
        let LimitReport { limit, window, of_tokens, .. } = *report;
        Self { limit, window, of_tokens, cooling: Vec::new() }
    }

    pub(super) fn expire(&mut self, now: u64) {
        self.cooling.retain(|cooling| cooling.free_at > now);
    }

    /// So much was used under a part that ended at that time.
    pub(super) fn cool(&mut self, amount: u32, ended: u64) {
        if amount == 0 || self.window == 0 {
            return;
        }
        // Rounded up: it is free late rather than early.
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

    /// The part of one process, by what all want. `others` are those of the other processes that live, `wants` what each of
    /// these wants.
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
        // Slots that it reports to hold count as far as they are free: so the store learns them again after it lost its state.
        let before = part.outstanding();
        // Calls that run go on, whatever was granted since.
        let has = if self.window == 0 { report.has.max(report.used) } else { report.has };
        part.held = has.min(if before == 0 { free } else { before });
        part.used = report.used;
        part.wants = report.wants.max(report.used);
        let target = fair(self.limit, part.wants, others, wants, report.exact);
        part.granted = target.min(free);
        // Of what it gives back, the used part counts for a window more.
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

/// The part that is fair, max-min: no process gets more than it wants while another lacks some. Of what is left, each gets
/// the same on top, and as much stays for the next process to join; an `exact` one gets nothing on top.
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
            // Where there is less than one for each, who comes first has it.
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

/// One limit of a process: what it is, how much of it the process has, uses and wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitReport {
    /// How much there is for all processes together.
    pub limit: u32,
    /// In which span; 0 for what runs at once.
    pub window: u64,
    /// It counts tokens.
    pub of_tokens: bool,
    /// The process wants no more than it needs at this moment.
    pub exact: bool,
    /// How much it would use, if it could.
    pub wants: u32,
    /// How much it has used within the last `window`, or uses now.
    pub used: u32,
    /// How much it may use: what it was granted last.
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
