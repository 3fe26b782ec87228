//! What one process says of one resource.

use super::Misfit;
use super::breaker::{Counts, ProbeResult, Terms, Trip};
use super::bytes::{Reader, Writer};

const FORM: u8 = b'd';

/// Why a delta is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A process reports, and asks for what it needs.
    #[default]
    Report = 0,
    /// It ends: what it holds is free.
    Leave = 1,
    /// An operator refuses all calls of the resource.
    Isolate = 2,
    /// An operator lifts that.
    Lift = 3,
}

impl Kind {
    /// All of them, by their numbers.
    pub const ALL: [Self; 4] = [Self::Report, Self::Leave, Self::Isolate, Self::Lift];
}

/// What one process says of one resource. Spans are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// Which process: a random number.
    pub node: u64,
    /// Rises with every delta of the process about this resource; the first is 1.
    pub number: u64,
    /// Why it is sent.
    pub kind: Kind,
    /// For how long the process holds what it is granted, if it does not report again. 0 is [`super::State::LEASE`].
    pub lease: u64,
    /// A hash of its options, by which others see that theirs differ.
    pub options: u32,
    /// How long the provider asked everybody of this scope to wait, from now; 0 for none.
    pub cool_down: u64,
    /// Names that the resource lists: the policies of a fleet.
    pub names: Vec<String>,
    /// What its breaker has counted.
    pub breaker: Option<BreakerReport>,
    /// Its limits, in the order of its options.
    pub limits: Vec<LimitReport>,
}

/// What the breaker of a process has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BreakerReport {
    /// The settings that it goes by.
    pub terms: Terms,
    /// The shared generation that it has seen; 0 for none yet.
    pub generation: u64,
    /// Results since the process began, as of its last delta that the store acknowledged.
    pub base: Counts,
    /// Results since the process began.
    pub totals: Counts,
    /// Failures in a row.
    pub streak: u32,
    /// How long the provider asked to wait on its latest failure, from now; 0 for none.
    pub hint: u64,
    /// A call is there that would be a probe.
    pub wants_probe: bool,
    /// The probe lease that it holds; 0 for none.
    pub probe: u64,
    /// What came of it.
    pub result: ProbeResult,
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

impl Delta {
    /// The compact form: see [`Delta::from_bytes`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(FORM);
        out.numbers([self.node, self.number, self.kind as u64, self.lease, u64::from(self.options)]);
        out.number(self.cool_down);
        out.list(&self.names, |out, name| {
            out.text(name);
        });
        out.list(self.breaker.as_slice(), |out, report| report.write(out));
        out.list(&self.limits, |out, limit| limit.write(out));
        out.done()
    }

    /// Back from [`Delta::to_bytes`]: `HFd`, the schema, then unsigned LEB128 numbers in the order of the fields; a list is its
    /// length and its items, a text its length and its UTF-8.
    ///
    /// # Errors
    /// [`Misfit`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Misfit> {
        let mut from = Reader::new(bytes, FORM)?;
        let [node, number, kind, lease] = from.numbers()?;
        let delta = Self {
            node,
            number,
            kind: usize::try_from(kind)
                .ok()
                .and_then(|kind| Kind::ALL.get(kind).copied())
                .ok_or(Misfit::Broken)?,
            lease,
            options: from.count()?,
            cool_down: from.number()?,
            names: from.list(Reader::text)?,
            breaker: from.list(BreakerReport::read)?.pop(),
            limits: from.list(LimitReport::read)?,
        };
        from.end()?;
        Ok(delta)
    }
}

impl BreakerReport {
    fn write(&self, out: &mut Writer) {
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

    fn read(from: &mut Reader<'_>) -> Result<Self, Misfit> {
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

impl LimitReport {
    fn write(&self, out: &mut Writer) {
        let Self { limit, window, of_tokens, exact, wants, used, has } = *self;
        out.numbers([u64::from(limit), window, u64::from(of_tokens), u64::from(exact)]);
        out.numbers([wants, used, has].map(u64::from));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Misfit> {
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
