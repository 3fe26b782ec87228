//! The breaker that processes share. It opens on the evidence of several processes, grants probes as leases, and
//! ignores late results by their generation.

use super::bytes::Misfit;
use super::bytes::{Reader, Writer};

/// Counted results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All results.
    pub total: u64,
    /// Failed results.
    pub failed: u64,
    /// Slow results.
    pub slow: u64,
}

impl Counts {
    pub(super) fn write(self, out: &mut Writer) {
        out.numbers([self.total, self.failed, self.slow]);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Misfit> {
        let [total, failed, slow] = from.numbers()?;
        Ok(Self { total, failed, slow })
    }

    /// Returns the results since `earlier`.
    pub(super) fn since(self, earlier: Self) -> Self {
        Self {
            total: self.total.saturating_sub(earlier.total),
            failed: self.failed.saturating_sub(earlier.failed),
            slow: self.slow.saturating_sub(earlier.slow),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            total: self.total.saturating_add(other.total),
            failed: self.failed.saturating_add(other.failed),
            slow: self.slow.saturating_add(other.slow),
        }
    }
}

/// The condition that opens a shared breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trip {
    /// Never opens. Only an operator can isolate the resource.
    Never,
    /// This many failures in a row, added up over all processes. At least half of the processes that had a result
    /// within a minute must have failures in a row, so a single process cannot open it for all.
    Consecutive(u32),
    /// A share of all results within `window` milliseconds. Shares are in units of 2⁻³²; a `slow` of 0 disables the
    /// check for slow calls.
    Rates {
        /// The length of the breaker window.
        window: u64,
        /// The breaker does not open on fewer results than this.
        minimum: u32,
        /// The share of failures that opens it.
        failure: u64,
        /// The share of slow calls that opens it.
        slow: u64,
    },
}

/// The settings of a shared breaker. Spans are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The condition that opens it.
    pub trip: Trip,
    /// Failures of at least two processes are needed, if there are two.
    pub quorum: bool,
    /// How long it stays open.
    pub reset: u64,
    /// Each failed probe multiplies `reset` by this, in units of 2⁻³².
    pub factor: u64,
    /// The upper bound of that product, and of the waits that a provider requests.
    pub max_reset: u64,
    /// The number of probe leases that can be valid at once.
    pub max_probes: u32,
    /// The number of probes that must succeed to close it.
    pub successes: u32,
    /// A probe's lease is not renewed after this time.
    pub probe_timeout: u64,
}

impl Default for Terms {
    /// The defaults of a breaker: five failures in a row, 60 s, one probe.
    fn default() -> Self {
        Self {
            trip: Trip::Consecutive(5),
            quorum: true,
            reset: 60_000,
            factor: 1 << 32,
            max_reset: 600_000,
            max_probes: 1,
            successes: 1,
            probe_timeout: 60_000,
        }
    }
}

impl Terms {
    /// Returns how long it stays open after that number of failed probes.
    fn wait(&self, failed_probes: u32) -> u64 {
        let mut wait = u128::from(self.reset);
        // With a factor above 1 the wait stays at the maximum once it is reached, so more steps would change nothing.
        for _ in 0..failed_probes.min(64) {
            wait = ((wait * u128::from(self.factor)) >> 32).min(u128::from(self.max_reset));
        }
        u64::try_from(wait).unwrap_or(u64::MAX).min(self.max_reset.max(self.reset))
    }
}

/// The result of a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ProbeResult {
    /// The probe runs.
    #[default]
    Running = 0,
    /// The probe succeeded.
    Succeeded = 1,
    /// The probe failed.
    Failed = 2,
}

/// The right of one process to make one probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    pub(super) node: u64,
    /// The lease's number, unique among all leases.
    pub(super) lease: u64,
    pub(super) granted: u64,
    pub(super) expiry: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Closed,
    Open { until: u64 },
    HalfOpen { successes: u32 },
}

/// The results of one tenth of a breaker window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) index: u64,
    pub(super) counts: Counts,
}

/// The shared breaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) phase: Phase,
    /// The time at which it entered its phase.
    pub(super) since: u64,
    /// Rises with every change of phase, and is never below the store's time of that change. So the generations of a
    /// store that lost its state are above the old ones.
    pub(super) generation: u64,
    pub(super) failed_probes: u32,
    /// The latest end of the waits that the provider requested since it was closed.
    pub(super) hint_until: u64,
    pub(super) width: u64,
    pub(super) buckets: Vec<Bucket>,
    pub(super) probes: Vec<Probe>,
}

/// The evidence for opening, over all living processes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// The living processes.
    pub(super) nodes: usize,
    /// The processes with a recent result.
    pub(super) active: usize,
    /// The `active` processes with failures in a row.
    pub(super) failing: usize,
    /// The processes with a recent failure.
    pub(super) failed: usize,
    /// The failures in a row, added up over all processes.
    pub(super) streak: u64,
}

/// The parts of a breaker window. Results leave a part at a time, so a window counts the last 90 to 100 % of its length.
const BUCKETS: u64 = 10;

impl Shared {
    /// How long a result is recent when failures in a row are counted, in milliseconds.
    pub(super) const RECENT: u64 = 60_000;
    /// The length of a probe's lease, in milliseconds. The process that runs the probe renews it at each sync, for as
    /// long as `probe_timeout` allows.
    pub(super) const PROBE_LEASE: u64 = 10_000;

    pub(super) fn new(now: u64) -> Self {
        Self {
            phase: Phase::Closed,
            since: now,
            generation: now.max(1),
            failed_probes: 0,
            hint_until: 0,
            width: 1,
            buckets: Vec::new(),
            probes: Vec::new(),
        }
    }

    pub(super) fn expire(&mut self, now: u64) {
        self.probes.retain(|probe| probe.expiry > now);
    }

    /// Returns how far back a failure counts as evidence.
    pub(super) fn memory(terms: &Terms) -> u64 {
        match terms.trip {
            Trip::Rates { window, .. } => window,
            Trip::Never | Trip::Consecutive(_) => Self::RECENT,
        }
    }

    /// Counts results that arrived while it was closed.
    pub(super) fn count(&mut self, terms: &Terms, counts: Counts, now: u64) {
        let Trip::Rates { window, .. } = terms.trip else { return };
        let width = (window / BUCKETS).max(1);
        if self.phase != Phase::Closed || counts == Counts::default() {
            return;
        }
        if self.width != width {
            self.width = width;
            self.buckets.clear();
        }
        let index = now / width;
        match self.buckets.iter_mut().find(|bucket| bucket.index == index) {
            Some(bucket) => bucket.counts = bucket.counts.plus(counts),
            None => self.buckets.push(Bucket { index, counts }),
        }
        self.buckets.retain(|bucket| bucket.index + BUCKETS > index);
    }

    /// Notes a wait that the provider requested. The longest one counts.
    pub(super) fn hint(&mut self, terms: &Terms, wait: u64, now: u64) {
        if wait == 0 || self.is_half_open() {
            return;
        }
        self.hint_until = self.hint_until.max(now.saturating_add(wait.min(terms.max_reset)));
        if let Phase::Open { until } = &mut self.phase {
            *until = (*until).max(self.hint_until);
        }
    }

    /// Returns `true` if it is closed and a report may open it. A breaker that counts failures in a row needs a report
    /// with some.
    pub(super) fn may_open(&self, terms: &Terms, streak: u32) -> bool {
        let has_evidence = match terms.trip {
            Trip::Never => false,
            Trip::Consecutive(_) => streak > 0,
            Trip::Rates { .. } => true,
        };
        self.phase == Phase::Closed && has_evidence
    }

    fn is_half_open(&self) -> bool {
        matches!(self.phase, Phase::HalfOpen { .. })
    }

    /// Opens a closed breaker if the evidence is sufficient.
    pub(super) fn judge(&mut self, terms: &Terms, evidence: Evidence, now: u64) {
        let need = if terms.quorum { evidence.nodes.clamp(1, 2) } else { 1 };
        let opens = match terms.trip {
            Trip::Never => false,
            Trip::Consecutive(threshold) => {
                evidence.streak >= u64::from(threshold.max(1))
                    && evidence.failing >= need
                    && evidence.failing * 2 >= evidence.active
            }
            Trip::Rates { minimum, failure, slow, .. } => {
                let index = now / self.width;
                let recent = self.buckets.iter().filter(|bucket| bucket.index + BUCKETS > index);
                let sum = recent.fold(Counts::default(), |sum, bucket| sum.plus(bucket.counts));
                let reached = |part: u64, share: u64| {
                    share > 0 && u128::from(part) << 32 >= u128::from(share) * u128::from(sum.total)
                };
                sum.total >= u64::from(minimum.max(1))
                    && (evidence.failed >= need && reached(sum.failed, failure) || reached(sum.slow, slow))
            }
        };
        if opens {
            self.open(terms, now);
        }
    }

    fn open(&mut self, terms: &Terms, now: u64) {
        let hinted = (self.hint_until > now).then_some(self.hint_until);
        let until = hinted.unwrap_or_else(|| now.saturating_add(terms.wait(self.failed_probes)));
        self.enter(Phase::Open { until }, now);
    }

    /// Changes the phase, and discards the data of the one before. No other function changes the phase.
    fn enter(&mut self, phase: Phase, now: u64) {
        self.phase = phase;
        self.since = now;
        self.generation = self.generation.saturating_add(1).max(now);
        self.buckets.clear();
        self.probes.clear();
        if phase == Phase::Closed {
            self.failed_probes = 0;
            self.hint_until = 0;
        }
    }

    /// Settles, renews or grants a probe's lease. A newly granted lease gets the number `lease`.
    ///
    /// One delta may do both: it reports the result of its probe, and requests the next one. A report under a lease that has
    /// ended matches no probe, so it changes nothing.
    pub(super) fn probe(&mut self, node: u64, report: &BreakerReport, lease: u64, now: u64) {
        let terms = &report.terms;
        let held = |probe: &Probe| probe.node == node && probe.lease == report.probe;
        if let Some(place) = self.probes.iter().position(held) {
            match report.result {
                ProbeResult::Running => {
                    if let Some(probe) = self.probes.get_mut(place) {
                        let last = probe.granted.saturating_add(terms.probe_timeout);
                        probe.expiry = now.saturating_add(Self::PROBE_LEASE).min(last).max(probe.expiry);
                    }
                    return;
                }
                ProbeResult::Succeeded => {
                    self.probes.remove(place);
                    let Phase::HalfOpen { successes } = &mut self.phase else { return };
                    *successes = successes.saturating_add(1);
                    if *successes >= terms.successes.max(1) {
                        self.enter(Phase::Closed, now);
                    }
                }
                ProbeResult::Failed => {
                    self.failed_probes = self.failed_probes.saturating_add(1);
                    self.hint_until = 0;
                    if report.hint > 0 {
                        self.hint_until = now.saturating_add(report.hint.min(terms.max_reset));
                    }
                    self.open(terms, now);
                }
            }
        }
        if !report.wants_probe {
            return;
        }
        if let Phase::Open { until } = self.phase
            && now >= until
        {
            self.enter(Phase::HalfOpen { successes: 0 }, now);
        }
        let is_free = self.probes.len() < terms.max_probes.max(1) as usize;
        if self.is_half_open() && is_free && !self.probes.iter().any(|probe| probe.node == node) {
            let expiry = now.saturating_add(terms.probe_timeout.clamp(1, Self::PROBE_LEASE));
            self.probes.push(Probe { node, lease, granted: now, expiry });
        }
    }

    pub(super) fn write(&self, out: &mut Writer) {
        match self.phase {
            Phase::Closed => out.number(0),
            Phase::Open { until } => out.numbers([1, until]),
            Phase::HalfOpen { successes } => out.numbers([2, u64::from(successes)]),
        };
        out.numbers([
            self.since,
            self.generation,
            u64::from(self.failed_probes),
            self.hint_until,
            self.width,
        ]);
        out.list(&self.buckets, |out, bucket| {
            out.number(bucket.index);
            bucket.counts.write(out);
        });
        out.list(&self.probes, |out, probe| {
            out.numbers([probe.node, probe.lease, probe.granted, probe.expiry]);
        });
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Misfit> {
        let phase = match from.number()? {
            0 => Phase::Closed,
            1 => Phase::Open { until: from.number()? },
            2 => Phase::HalfOpen { successes: from.count()? },
            _ => return Err(Misfit::Broken),
        };
        Ok(Self {
            phase,
            since: from.number()?,
            generation: from.number()?,
            failed_probes: from.count()?,
            hint_until: from.number()?,
            width: from.number()?.max(1),
            buckets: from.list(|from| {
                let index = from.number()?.min(u64::MAX - BUCKETS);
                Ok(Bucket { index, counts: Counts::read(from)? })
            })?,
            probes: from.list(|from| {
                let [node, lease, granted, expiry] = from.numbers()?;
                Ok(Probe { node, lease, granted, expiry })
            })?,
        })
    }
}

/// The counts of one process's breaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BreakerReport {
    /// Its settings.
    pub terms: Terms,
    /// The latest shared generation that the process knows; 0 if it knows none yet.
    pub generation: u64,
    /// The results since the process began, as of its last acknowledged delta.
    pub base: Counts,
    /// The results since the process began.
    pub totals: Counts,
    /// The failures in a row.
    pub streak: u32,
    /// The wait that the provider requested with its latest failure, from now; 0 without one.
    pub hint: u64,
    /// A call is waiting that would be a probe.
    pub wants_probe: bool,
    /// The probe lease that it holds; 0 without one.
    pub probe: u64,
    /// The result of that probe.
    pub result: ProbeResult,
}

impl BreakerReport {
    pub(super) fn write(&self, out: &mut Writer) {
        let Terms { trip, quorum, reset, factor, max_reset, max_probes, successes, probe_timeout } =
            self.terms;
        match trip {
            Trip::Never => out.number(0),
            Trip::Consecutive(threshold) => out.numbers([1, u64::from(threshold)]),
            Trip::Rates { window, minimum, failure, slow } => {
                out.numbers([2, window, u64::from(minimum), failure, slow])
            }
        };
        out.numbers([u64::from(quorum), reset, factor, max_reset, u64::from(max_probes)]);
        out.numbers([u64::from(successes), probe_timeout, self.generation]);
        self.base.write(out);
        self.totals.write(out);
        out.numbers([u64::from(self.streak), self.hint, u64::from(self.wants_probe)]);
        out.numbers([self.probe, self.result as u64]);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Misfit> {
        let trip = match from.number()? {
            0 => Trip::Never,
            1 => Trip::Consecutive(from.count()?),
            2 => Trip::Rates {
                window: from.number()?,
                minimum: from.count()?,
                failure: from.number()?,
                slow: from.number()?,
            },
            _ => return Err(Misfit::Broken),
        };
        let terms = Terms {
            trip,
            quorum: from.flag()?,
            reset: from.number()?,
            factor: from.number()?,
            max_reset: from.number()?,
            max_probes: from.count()?,
            successes: from.count()?,
            probe_timeout: from.number()?,
        };
        Ok(Self {
            terms,
            generation: from.number()?,
            base: Counts::read(from)?,
            totals: Counts::read(from)?,
            streak: from.count()?,
            hint: from.number()?,
            wants_probe: from.flag()?,
            probe: from.number()?,
            result: match from.number()? {
                0 => ProbeResult::Running,
                1 => ProbeResult::Succeeded,
                2 => ProbeResult::Failed,
                _ => return Err(Misfit::Broken),
            },
        })
    }
}
