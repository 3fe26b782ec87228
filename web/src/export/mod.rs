//! What a person takes away: a call as a test, an incident as a report, a log as a trace. Text from events, nothing more.

pub(crate) mod download;
pub(crate) mod jsonl;
pub(crate) mod report;
pub(crate) mod test;
pub(crate) mod trace;

#[cfg(test)]
mod tests;
