//! The report of one process on one resource.

use super::breaker::BreakerReport;
use super::bytes::Misfit;
use super::bytes::{Reader, Writer};
use super::limit::LimitReport;

const FORM: u8 = b'd';

/// Why a delta is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A process reports its counts and requests what it needs.
    #[default]
    Report = 0,
    /// A process ends and frees its grants.
    Leave = 1,
    /// An operator refuses all calls of the resource.
    Isolate = 2,
    /// An operator lifts that.
    Lift = 3,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Report, Self::Leave, Self::Isolate, Self::Lift];
}

/// The report of one process on one resource. Spans are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// The random number that identifies the member: a process has one for each policy that it shares, and one for each
    /// shared budget.
    pub node: u64,
    /// Rises with every delta of the process about this resource; the first is 1.
    pub number: u64,
    /// The reason for sending it.
    pub kind: Kind,
    /// How long the process holds its grants if it does not report again. 0 means [`super::State::LEASE`].
    pub lease: u64,
    /// A hash of the process's options. Other processes compare it with theirs.
    pub options: u32,
    /// The wait that the provider requested of everybody in this scope, from now; 0 without one.
    pub cool_down: u64,
    /// Names that the resource lists: the policies of a fleet.
    pub names: Vec<String>,
    /// The counts of its breaker.
    pub breaker: Option<BreakerReport>,
    /// Its limits, in the order of its options.
    pub limits: Vec<LimitReport>,
}

impl Delta {
    /// Returns the compact form that [`Delta::from_bytes`] describes.
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

    /// Reads the form that [`Delta::to_bytes`] writes: `HFd`, the schema, then unsigned LEB128 numbers in the order of
    /// the fields. A list is its length and its items, a text its length and its UTF-8.
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
