//! Files to take away: a call as a test, an incident as a report, a log as a trace. Text from events, nothing more.

pub mod jsonl;
pub mod report;
pub mod test;
pub mod trace;

#[cfg(test)]
mod tests;
