//! Processes: what each says of itself, and when it was last heard of.

use crate::names::Name;
use crate::numbers::CallNumber;
use crate::seen::Seen;
use crate::time::Moment;

/// How late an event may be that was planned, in milliseconds: a busy process, a slow network, a server that comes back.
pub const OVERDUE: f64 = 30_000.0;
/// How long a process may be quiet whose calls have no limit, in milliseconds.
pub const QUIET: f64 = 600_000.0;

/// A process's own description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About {
    pub host: Name,
    pub pid: Option<u64>,
    /// The application's version.
    pub version: Name,
    pub deployment: Name,
    /// A person may act on it from here.
    pub control: bool,
}

/// One process.
pub(crate) struct Process {
    pub(crate) about: About,
    /// The sequence numbers that have come.
    pub(crate) seen: Seen,
    /// When its last event came, by the log's clock.
    pub(crate) heard: Moment,
    /// When that was, by the process's own.
    pub(crate) last: Moment,
    /// How many of its calls go on.
    pub(crate) open: u32,
    /// Its calls that are set aside.
    pub(crate) silent: Vec<CallNumber>,
}

impl Default for Process {
    fn default() -> Self {
        let heard = Moment::FIRST;
        Self {
            about: About::default(),
            seen: Seen::default(),
            heard,
            last: heard,
            open: 0,
            silent: Vec::new(),
        }
    }
}

/// When processes are looked at.
pub(crate) struct Watch {
    /// The log's clock.
    pub(crate) clock: Moment,
    /// The next moment at which a process may have to be set aside.
    pub(crate) next: Moment,
}

impl Default for Watch {
    fn default() -> Self {
        Self { clock: Moment::FIRST, next: Moment::LAST }
    }
}
