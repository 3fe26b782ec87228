//! What a person takes away: a call as a test, an incident as a report, a log as a trace. Text from events, nothing more.

mod literal;
mod recorded;
pub(crate) mod report;
pub(crate) mod test;
mod thrown;
pub(crate) mod trace;

#[cfg(test)]
mod tests;
