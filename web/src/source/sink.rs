//! What a source gives its events to, and what it reports of itself.

use halfopen_store::store::Log;

pub(crate) use halfopen_model::view::status::Connection;

/// What the server says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerStats {
    /// Agents that it has heard of.
    pub(crate) agents: u64,
    /// Lines that it did not take, because they were no events or too long.
    pub(crate) refused: u64,
}

/// Takes what a source brings.
pub(crate) trait Sink {
    /// Takes events, one a line.
    fn take(&self, lines: String);
    /// Lends the log to a source that takes its own time, such as a file.
    fn write(&self, write: &mut dyn FnMut(&mut Log));
    /// The connection is another one. What was reported of the source before no longer holds when it is open.
    fn connection(&self, connection: Connection);
    fn server(&self, stats: ServerStats);
    /// Something that the user should know of the source.
    fn report(&self, trouble: String);
    /// The lines that follow are of another log: the events so far are of one that is gone.
    fn restart(&self);
    /// All earlier events have been sent: the next ones are new.
    fn replayed(&self);
    /// So much of a file has been read, from 0 to 1.
    fn progress(&self, share: f64);
    /// All of a file has been read.
    fn ended(&self);
}
