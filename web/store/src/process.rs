//! Processes: each one's description, and the time of its last event.

use crate::names::Name;
use crate::numbers::CallNumber;
use crate::seen::Seen;
use crate::time::Moment;

/// How late a planned event may be, in milliseconds: the process may be busy, the network slow, the server restarting.
pub const OVERDUE: f64 = 30_000.0;
/// How long a process without timeouts may be quiet, in milliseconds.
pub const QUIET: f64 = 600_000.0;

/// A process's own description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About {
    pub host: Name,
    pub pid: Option<u64>,
    /// The application's version.
    pub version: Name,
    pub deployment: Name,
    /// It allows actions from the dashboard.
    pub control: bool,
}

/// One process.
pub(crate) struct Process {
    pub(crate) about: About,
    /// The sequence numbers that have arrived.
    pub(crate) seen: Seen,
    /// When its last event arrived, by the log's clock.
    pub(crate) heard: Moment,
    /// The same, by the process's clock.
    pub(crate) last: Moment,
    /// How many of its calls are open.
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

/// When to check the processes for silence.
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
