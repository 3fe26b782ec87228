//! Logs for the checks' tests, written as an agent would write them.

use halfopen_store::store::Log;
use std::fmt::Write;

/// A log in the making; time goes on by a second with every event.
pub(crate) struct Stage {
    lines: String,
    seq: u64,
    time: f64,
    calls: u32,
    open: Vec<(String, u32)>,
    process: String,
    /// The target of attempts, as fields of their event.
    target: String,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self {
            lines: String::new(),
            seq: 0,
            time: 1_000_000.0,
            calls: 0,
            open: Vec::new(),
            process: "s".to_owned(),
            target: r#","provider":"openai","model":"gpt-5""#.to_owned(),
        }
    }

    /// The events that follow are of another process.
    pub(crate) fn process(&mut self, name: &str) -> &mut Self {
        name.clone_into(&mut self.process);
        self
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, ms: f64) -> &mut Self {
        self.time += ms;
        self
    }

    pub(crate) fn event(&mut self, kind: &str, rest: &str) -> &mut Self {
        let (process, seq, time) = (&self.process, self.seq, self.time);
        let _ = writeln!(
            self.lines,
            r#"{{"v":1,"source":"{process}","seq":{seq},"time":{time},"type":"{kind}",{rest}}}"#
        );
        self.seq += 1;
        self.time += 10.0;
        self
    }

    /// The process introduces itself.
    pub(crate) fn started(&mut self, host: &str, version: &str) -> &mut Self {
        let rest = format!(r#""host":"{host}","pid":7,"version":"{version}","deployment":"eu""#);
        self.event("process.started", &rest)
    }

    /// The process reaches a fleet's store.
    pub(crate) fn joins(&mut self, fleet: &str) -> &mut Self {
        self.event("fleet.changed", &format!(r#""fleet":"{fleet}","status":"joined""#))
    }

    /// The process does not reach it any more.
    pub(crate) fn loses(&mut self, fleet: &str, reason: &str) -> &mut Self {
        let rest = format!(r#""fleet":"{fleet}","status":"degraded","reason":"{reason}""#);
        self.event("fleet.changed", &rest)
    }

    /// The process leaves the fleet.
    pub(crate) fn leaves(&mut self, fleet: &str) -> &mut Self {
        self.event("fleet.changed", &format!(r#""fleet":"{fleet}","status":"left""#))
    }

    /// Others have other options for a resource.
    pub(crate) fn mismatches(&mut self, fleet: &str, resource: &str) -> &mut Self {
        self.event("fleet.mismatch", &format!(r#""fleet":"{fleet}","key":"{resource}""#))
    }

    pub(crate) fn policy(&mut self, name: &str, options: &str) -> &mut Self {
        self.event("policy.configured", &format!(r#""policy":"{name}","options":{options},"seed":1"#))
    }

    /// Begins a call, and its first attempt.
    pub(crate) fn call(&mut self, policy: &str) -> usize {
        self.call_within(policy, None)
    }

    /// Begins a call to a provider, and to a model unless it is empty.
    pub(crate) fn call_of(&mut self, policy: &str, provider: &str, model: &str) -> usize {
        let model = if model.is_empty() { String::new() } else { format!(r#","model":"{model}""#) };
        let target = std::mem::replace(&mut self.target, format!(r#","provider":"{provider}"{model}"#));
        let call = self.call(policy);
        self.target = target;
        call
    }

    /// A run begins; its event has more fields, each with a comma before it.
    pub(crate) fn run(&mut self, run: &str, more: &str) -> &mut Self {
        self.event("run.started", &format!(r#""run":"{run}","name":"run"{more}"#))
    }

    pub(crate) fn step(&mut self, run: &str, step: u32) -> &mut Self {
        self.event("run.step", &format!(r#""run":"{run}","step":{step}"#))
    }

    pub(crate) fn tool(&mut self, run: &str, tool: &str, outcome: &str, repeated: u32) -> &mut Self {
        self.event(
            "run.tool",
            &format!(
                r#""run":"{run}","tool":"{tool}","outcome":"{outcome}","repeated":{repeated},"durationMs":5"#
            ),
        )
    }

    /// The run gives advice because of a loop.
    pub(crate) fn advised(&mut self, run: &str, advice: &str, of: &str, tool: &str, count: u32) -> &mut Self {
        self.event("run.advised", &format!(
            r#""run":"{run}","advice":"{advice}","because":{{"kind":"loop","loop":"{of}","tool":"{tool}","count":{count}}}"#
        ))
    }

    pub(crate) fn run_ended(&mut self, run: &str, end: &str, code: &str) -> &mut Self {
        let code = if code.is_empty() { String::new() } else { format!(r#","code":"{code}""#) };
        self.event("run.ended", &format!(
            r#""run":"{run}","end":"{end}"{code},"userMessage":"It was stopped.","spent":{{"inputTokens":1200,"outputTokens":30,"cost":0.042}}"#
        ))
    }

    /// Begins a call whose first event has more fields, each with a comma before it.
    pub(crate) fn call_with(&mut self, policy: &str, more: &str) -> usize {
        let number = self.calls as usize;
        self.calls += 1;
        self.open.push((policy.to_owned(), 1));
        self.event("call.started", &format!(r#""policy":"{policy}","call":"c{number}"{more}"#));
        self.attempt(number);
        number
    }

    /// The request is changed as the failed attempt's remedy asks, and the next attempt begins.
    pub(crate) fn repair(&mut self, call: usize, remedy: &str, change: &str) -> &mut Self {
        let (head, attempt) = self.head(call);
        self.event(
            "attempt.repaired",
            &format!(r#"{head},"attempt":{attempt},"remedy":"{remedy}","changes":["{change}"]"#),
        );
        self.open[call].1 += 1;
        self.attempt(call);
        self
    }

    /// Chunks of the attempt's stream arrive.
    pub(crate) fn chunks(&mut self, call: usize, chunks: u32) -> &mut Self {
        let (head, attempt) = self.head(call);
        self.event(
            "stream.chunk",
            &format!(r#"{head},"attempt":{attempt},"chunks":{chunks},"characters":90"#),
        )
    }

    pub(crate) fn call_within(&mut self, policy: &str, parent: Option<usize>) -> usize {
        let parent = parent.map_or_else(String::new, |parent| format!(r#","parentCall":"c{parent}""#));
        self.call_with(policy, &parent)
    }

    fn head(&self, call: usize) -> (String, u32) {
        let (policy, attempt) = self.open[call].clone();
        (format!(r#""policy":"{policy}","call":"c{call}""#), attempt)
    }

    fn attempt(&mut self, call: usize) {
        let (head, attempt) = self.head(call);
        let more = format!(r#"{head},"attempt":{attempt}{}"#, self.target);
        self.event("attempt.started", &more);
    }

    pub(crate) fn fail(&mut self, call: usize, code: &str, rule: &str) -> &mut Self {
        self.fail_with(call, code, rule, None)
    }

    /// An attempt fails; the provider may ask for a wait, in milliseconds.
    pub(crate) fn fail_with(&mut self, call: usize, code: &str, rule: &str, hint: Option<f64>) -> &mut Self {
        let (head, attempt) = self.head(call);
        let hint = hint.map_or_else(String::new, |hint| format!(r#","retryAfterMs":{hint}"#));
        self.event("attempt.failed",
            &format!(r#"{head},"attempt":{attempt},"durationMs":10,"code":"{code}","severity":"retriable","retryable":true,"rule":"{rule}","technicalDetails":"","signals":{{}},"counted":true{hint}"#))
    }

    /// An attempt fails; its event has more fields, each with a comma before it.
    pub(crate) fn fail_with_more(&mut self, call: usize, code: &str, more: &str) -> &mut Self {
        let (head, attempt) = self.head(call);
        self.event("attempt.failed",
            &format!(r#"{head},"attempt":{attempt},"durationMs":10,"code":"{code}","severity":"retriable","retryable":true,"rule":"r","counted":true{more}"#))
    }

    /// An attempt fails with an error that is not tried again; its event has more fields, each with a comma before it.
    pub(crate) fn fail_for_good(&mut self, call: usize, code: &str, more: &str) -> &mut Self {
        let (head, attempt) = self.head(call);
        self.event("attempt.failed",
            &format!(r#"{head},"attempt":{attempt},"durationMs":10,"code":"{code}","severity":"critical","retryable":false,"rule":"r","counted":true{more}"#))
    }

    /// An attempt fails after `ms` milliseconds.
    pub(crate) fn fail_after(&mut self, call: usize, code: &str, rule: &str, ms: f64) -> &mut Self {
        let (head, attempt) = self.head(call);
        self.pass(ms).event("attempt.failed",
            &format!(r#"{head},"attempt":{attempt},"durationMs":{ms},"code":"{code}","severity":"retriable","retryable":true,"rule":"{rule}","counted":true"#))
    }

    /// An attempt and its call succeed after `ms` milliseconds.
    pub(crate) fn succeed_after(&mut self, call: usize, ms: f64) -> &mut Self {
        let (head, attempt) = self.head(call);
        self.pass(ms).event("attempt.succeeded", &format!(r#"{head},"attempt":{attempt},"durationMs":{ms}"#));
        self.event("call.succeeded", &format!(r#"{head},"attempts":{attempt},"durationMs":{ms}"#))
    }

    /// A wait, and the attempt after it.
    pub(crate) fn wait(&mut self, call: usize, ms: f64, source: &str) -> &mut Self {
        self.open[call].1 += 1;
        let (head, attempt) = self.head(call);
        let due = self.time + ms;
        self.event("retry.scheduled",
            &format!(r#"{head},"attempt":{attempt},"delayMs":{ms},"dueAt":{due},"minMs":{ms},"maxMs":{ms},"delaySource":"{source}""#));
        self.pass(ms);
        self.attempt(call);
        self
    }

    /// A wait that the process does not live to see the end of.
    pub(crate) fn plan(&mut self, call: usize, ms: f64) -> &mut Self {
        let (head, attempt) = self.head(call);
        let (next, due) = (attempt + 1, self.time + ms);
        self.event("retry.scheduled", &format!(r#"{head},"attempt":{next},"delayMs":{ms},"dueAt":{due},"minMs":{ms},"maxMs":{ms},"source":"backoff""#))
    }

    /// A call waits in a policy's queue: for that number of milliseconds, or, if it is `None`, for as long as it takes.
    pub(crate) fn queue(&mut self, policy: &str, ms: Option<f64>) -> &mut Self {
        let call = self.calls;
        self.calls += 1;
        self.open.push((policy.to_owned(), 1));
        let head = format!(r#""policy":"{policy}","call":"c{call}""#);
        let due = ms.map_or_else(String::new, |ms| format!(r#","dueAt":{}"#, self.time + ms));
        self.event("call.started", &head);
        self.event("call.queued", &format!(r#"{head},"by":"bulkhead","position":1{due}"#))
    }

    /// The agent's WebAssembly module trapped and was replaced.
    pub(crate) fn restarted(&mut self, during: &str) -> &mut Self {
        self.event("core.restarted", &format!(r#""module":"core","during":"{during}""#))
    }

    pub(crate) fn succeed(&mut self, call: usize) -> &mut Self {
        self.succeed_with(call, "")
    }

    /// An attempt and its call succeed; the attempt's event has more fields, each with a comma before it.
    pub(crate) fn succeed_with(&mut self, call: usize, more: &str) -> &mut Self {
        let (head, attempt) = self.head(call);
        self.event("attempt.succeeded", &format!(r#"{head},"attempt":{attempt},"durationMs":10{more}"#));
        self.event("call.succeeded", &format!(r#"{head},"attempts":{attempt},"durationMs":10"#))
    }

    pub(crate) fn give_up(&mut self, call: usize, code: &str, why: &str) -> &mut Self {
        let (head, attempt) = self.head(call);
        self.event("call.failed", &format!(r#"{head},"attempts":{attempt},"durationMs":10,"code":"{code}","why":"{why}","userMessage":"""#))
    }

    pub(crate) fn fallback(&mut self, call: usize, code: &str) -> &mut Self {
        let (head, _) = self.head(call);
        self.event("fallback.used", &format!(r#"{head},"code":"{code}""#))
    }

    /// A call is refused by its policy's breaker.
    pub(crate) fn refused(&mut self, policy: &str) -> &mut Self {
        let call = self.calls;
        self.calls += 1;
        self.open.push((policy.to_owned(), 1));
        let head = format!(r#""policy":"{policy}","call":"c{call}""#);
        self.event("call.started", &head);
        self.event("call.rejected", &format!(r#"{head},"code":"CIRCUIT_OPEN","by":"breaker""#))
    }

    pub(crate) fn breaker(&mut self, name: &str, from: &str, to: &str, window: &str) -> &mut Self {
        let generation = self.seq;
        self.event("breaker.changed",
            &format!(r#""policy":"{name}","breaker":"{name}","from":"{from}","to":"{to}","reason":"r","generation":{generation},"window":{window}"#))
    }

    /// A call's failure, with that number of failures before it counted too, opens its policy's breaker.
    pub(crate) fn opens(&mut self, call: usize, failures: usize) -> &mut Self {
        let ((head, _), policy) = (self.head(call), self.open[call].0.clone());
        let last = vec!["1"; failures].join(",");
        self.event("breaker.changed",
            &format!(r#"{head},"breaker":"{policy}","from":"closed","to":"open","reason":"r","generation":1,"window":{{"total":{failures},"failures":{failures},"slow":0,"last":[{last}]}}"#))
    }

    /// A closed breaker refuses a share of the calls.
    pub(crate) fn throttled(&mut self, name: &str, rate: f64) -> &mut Self {
        self.event("breaker.throttled", &format!(r#""policy":"{name}","breaker":"{name}","rate":{rate}"#))
    }

    /// A policy's adaptive limit changes to that number, by an error if overload lowered it.
    pub(crate) fn limited(&mut self, name: &str, limit: u32, code: Option<&str>) -> &mut Self {
        let because = match code {
            Some(code) => format!(r#""overload","code":"{code}""#),
            None => r#""good""#.to_owned(),
        };
        self.event("limit.changed", &format!(r#""policy":"{name}","limit":{limit},"because":{because}"#))
    }

    /// A breaker opens, and admits its next probe after that number of milliseconds.
    pub(crate) fn breaker_until(&mut self, name: &str, ms: f64) -> &mut Self {
        let (generation, retry_at) = (self.seq, self.time + ms);
        self.event("breaker.changed",
            &format!(r#""policy":"{name}","breaker":"{name}","from":"closed","to":"open","reason":"r","generation":{generation},"retryAt":{retry_at}"#))
    }

    pub(crate) fn log(&self) -> Log {
        let mut log = Log::default();
        for line in self.lines.lines() {
            assert!(log.take(line), "{line} {:?}", log.losses);
        }
        log
    }

    /// Returns the findings of the check with that id.
    pub(crate) fn found(&self, id: &str) -> Vec<super::Finding> {
        super::find(&self.log()).into_iter().filter(|finding| finding.key.check == id).collect()
    }
}
