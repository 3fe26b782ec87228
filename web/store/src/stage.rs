//! Logs for the tests of the store, as several processes write them.

use crate::store::Log;
use crate::time::Moment;
use std::collections::BTreeMap;

/// A log in the making. Its clock moves only when a test passes time.
pub(crate) struct Stage {
    pub(crate) log: Log,
    pub(crate) time: Moment,
    seqs: BTreeMap<String, u64>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self { log: Log::default(), time: Moment::from_ms(1_700_000_000_000.0), seqs: BTreeMap::new() }
    }

    /// Creates a log that keeps about `events` events.
    pub(crate) fn keeping(events: usize) -> Self {
        let mut stage = Self::new();
        stage.log.bounds.events = events;
        stage
    }

    /// Lets time pass, in milliseconds.
    pub(crate) fn pass(&mut self, ms: f64) -> &mut Self {
        self.time += ms;
        self
    }

    /// A process sends an event; `rest` are its fields.
    pub(crate) fn event(&mut self, process: &str, kind: &str, rest: &str) -> &mut Self {
        self.event_at(self.time, process, kind, rest)
    }

    /// The same, by a clock that shows another time.
    pub(crate) fn event_at(&mut self, time: Moment, process: &str, kind: &str, rest: &str) -> &mut Self {
        let seq = self.seqs.entry(process.to_owned()).or_default();
        *seq += 1;
        let source = if kind == "retry.scheduled" { "process" } else { "source" };
        let time = time.ms();
        let line =
            format!(r#"{{"v":1,"{source}":"{process}","seq":{seq},"time":{time},"type":"{kind}",{rest}}}"#);
        assert!(self.log.take(&line), "{line} {:?}", self.log.losses);
        self
    }

    /// A call of the policy `chat` begins, and its first attempt.
    pub(crate) fn call(&mut self, process: &str, call: &str, rest: &str) -> &mut Self {
        self.event(process, "call.started", &format!(r#""policy":"chat","call":"{call}"{rest}"#));
        self.attempt(process, call, 1)
    }

    pub(crate) fn attempt(&mut self, process: &str, call: &str, attempt: u32) -> &mut Self {
        let rest = format!(r#""policy":"chat","call":"{call}","attempt":{attempt},"provider":"openai""#);
        self.event(process, "attempt.started", &rest)
    }

    pub(crate) fn fail(&mut self, process: &str, call: &str, attempt: u32) -> &mut Self {
        let rest = format!(
            r#""policy":"chat","call":"{call}","attempt":{attempt},"durationMs":1,"code":"TIMEOUT","severity":"retriable","retryable":true,"rule":"r","counted":true"#
        );
        self.event(process, "attempt.failed", &rest)
    }

    /// Adds a retry that is due after that delay, in milliseconds.
    pub(crate) fn wait(&mut self, process: &str, call: &str, ms: f64) -> &mut Self {
        let due = (self.time + ms).ms();
        let rest = format!(
            r#""policy":"chat","call":"{call}","attempt":2,"delayMs":{ms},"dueAt":{due},"minMs":{ms},"maxMs":{ms},"source":"backoff""#
        );
        self.event(process, "retry.scheduled", &rest)
    }

    pub(crate) fn succeed(&mut self, process: &str, call: &str) -> &mut Self {
        let head = format!(r#""policy":"chat","call":"{call}""#);
        self.event(process, "attempt.succeeded", &format!(r#"{head},"attempt":1,"durationMs":1"#));
        self.event(process, "call.succeeded", &format!(r#"{head},"attempts":1,"durationMs":1"#))
    }

    pub(crate) fn policy(&mut self, process: &str, name: &str, options: &str) -> &mut Self {
        self.event(
            process,
            "policy.configured",
            &format!(r#""policy":"{name}","options":{options},"seed":1"#),
        )
    }

    /// The statuses of all calls, as the words of filters.
    pub(crate) fn statuses(&self) -> Vec<(String, &'static str)> {
        self.log.calls().map(|(_, call)| (call.id.to_string(), call.status.word())).collect()
    }
}
