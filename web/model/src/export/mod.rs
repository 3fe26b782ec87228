//! Exports: a call as a test, an incident as a report, a log as a trace. They contain only text from events.

pub mod jsonl;
pub mod report;
pub mod test;
pub mod trace;

#[cfg(test)]
mod tests;
