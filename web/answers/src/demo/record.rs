//! The events of the demonstration, as lines of the log.

use super::scene::{OUTER, POLICIES, RESET, Read, Reply};
use halfopen::code::Code;
use halfopen::invariant::Always;
use halfopen::message::{About, user_message};
use halfopen::policy::{DelaySource, Fact, Reason, Record, Ring};
use halfopen::rng::SplitMix64;
use halfopen::time::{Millis, Timestamp};
use halfopen_log::kind::{
    AttemptFailed, AttemptStarted, AttemptSucceeded, BreakerChanged, BreakerThrottled, CallDequeued,
    CallFailed, CallQueued, CallRejected, CallStarted, CallSucceeded, Degraded, FallbackUsed, LimitChanged,
    LimitsObserved, PolicyConfigured, RetryScheduled, RunEnded, RunStarted, RunStep, RunTool, StreamChunk,
};
use halfopen_log::{Event, Kind, Text, Usage, VERSION, Window};
use serde_json::json;
use std::collections::HashMap;

const SOURCE: &str = "demo-agent";
/// The limit of a run's steps.
const MOST_STEPS: u32 = 12;

#[derive(Clone, Copy, Debug)]
struct Whose {
    agent: usize,
    task: &'static str,
    parent: Option<(usize, u64)>,
    /// The number of the run that it belongs to.
    run: u64,
}

/// The run that an agent is at.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    number: u64,
    /// Tokens in and out.
    spent: (u64, u64),
}

fn run_id(number: u64) -> Text<'static> {
    Text::from(format!("run-{number}"))
}

/// Makes lines of records.
pub(super) struct Recorder {
    wall: f64,
    seq: u64,
    lines: String,
    calls: HashMap<(usize, u64), Whose>,
    starting: Option<Whose>,
    failing: Option<Read>,
    usage: Option<(Usage, Option<f64>)>,
    last_agent: usize,
    last_number: HashMap<(usize, usize), u64>,
    /// The number of runs that began, and that of each agent.
    begun: u64,
    runs: HashMap<usize, Run>,
}

impl Recorder {
    pub(super) fn new(wall: f64) -> Self {
        Self {
            wall,
            seq: 0,
            lines: String::new(),
            calls: HashMap::new(),
            starting: None,
            failing: None,
            usage: None,
            last_agent: 0,
            last_number: HashMap::new(),
            begun: 0,
            runs: HashMap::new(),
        }
    }

    pub(super) fn take_lines(&mut self) -> String {
        std::mem::take(&mut self.lines)
    }

    /// The agent that made a call.
    pub(super) fn agent_of(&self, policy: usize, number: u64) -> usize {
        self.calls.get(&(policy, number)).map_or(0, |about| about.agent)
    }

    /// The agent that began the last call.
    pub(super) const fn last_agent(&self) -> usize {
        self.last_agent
    }

    /// The next call to begin is this one.
    pub(super) fn beginning(&mut self, agent: usize, task: &'static str, parent: Option<(usize, u64)>) {
        self.last_agent = agent;
        self.starting = Some(Whose { agent, task, parent, run: self.run_of(agent).number });
    }

    /// The run of an agent, which begins before anything else that the agent does.
    fn run_of(&self, agent: usize) -> Run {
        self.runs.get(&agent).copied().always()
    }

    /// An agent begins the run of a task.
    pub(super) fn run_begins(&mut self, agent: usize, task: &'static str, now: u64) {
        self.begun += 1;
        self.runs.insert(agent, Run { number: self.begun, ..Run::default() });
        let limits = json!({ "steps": MOST_STEPS }).into();
        let started = RunStarted {
            name: OUTER.into(),
            task: Some(task.into()),
            parent_run: None,
            limits,
            restored: None,
        };
        self.write_of_run(agent, now, Kind::RunStarted(started));
    }

    /// The run of an agent takes a step; the first is 1.
    pub(super) fn run_steps(&mut self, agent: usize, step: u32, now: u64) {
        self.write_of_run(agent, now, Kind::RunStep(RunStep { step }));
    }

    /// A tool that the run of an agent called has ended.
    pub(super) fn tool(&mut self, agent: usize, tool: &'static str, result: Result<(), Code>, now: u64) {
        let outcome = if result.is_ok() { "ok" } else { "failed" }.into();
        let code = result.err().map(|code| code.as_str().into());
        let tool = RunTool { tool: tool.into(), outcome, code, repeated: 1, duration_ms: None };
        self.write_of_run(agent, now, Kind::RunTool(tool));
    }

    /// The run of an agent ends, with the code of its error if it failed.
    pub(super) fn run_ends(&mut self, agent: usize, failed: Option<Code>, now: u64) {
        let Run { spent: (input, output), .. } = self.run_of(agent);
        let ended = RunEnded {
            end: if failed.is_some() { "failed" } else { "completed" }.into(),
            code: failed.map(|code| code.as_str().into()),
            user_message: failed.map(|code| user_message(code, &About::default(), "en").into()),
            spent: json!({ "inputTokens": input, "outputTokens": output }).into(),
        };
        self.write_of_run(agent, now, Kind::RunEnded(ended));
    }

    /// The next attempt that fails does so with this.
    pub(super) fn failing(&mut self, read: Read) {
        self.failing = Some(read);
    }

    pub(super) fn forget_fault(&mut self) {
        self.failing = None;
    }

    /// Writes the usage of an agent's next attempt that succeeds.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of an answer")]
    pub(super) fn usage(&mut self, reply: &Reply, agent: usize) {
        let Run { number, spent: (input, output) } = self.run_of(agent);
        self.runs.insert(agent, Run { number, spent: (input + reply.tokens.0, output + reply.tokens.1) });
        let usage = Usage { input_tokens: Some(reply.tokens.0), output_tokens: Some(reply.tokens.1) };
        let first = (reply.chunks > 0).then_some((reply.after / 4) as f64);
        self.usage = Some((usage, first));
    }

    /// The options of all policies.
    pub(super) fn configured(&mut self) {
        for (index, policy) in POLICIES.iter().enumerate() {
            let mut options = json!({
                "retry": { "maxRetries": policy.retries },
                // No attempt of the demonstration takes as long.
                "timeout": { "attemptMs": 60_000 },
                "breaker": { "failureThreshold": 5, "resetTimeoutMs": RESET },
            });
            let Some(members) = options.as_object_mut() else { continue };
            if policy.each_attempt {
                members.insert("breakerScope".into(), "attempt".into());
            }
            if policy.places > 0 {
                members.insert("bulkhead".into(), json!({ "maxConcurrent": policy.places, "maxQueued": 20 }));
            }
            self.write(
                0,
                index,
                None,
                Kind::PolicyConfigured(PolicyConfigured { options: options.into(), seed: 1.0 }),
            );
        }
    }

    /// A stream has come this far.
    pub(super) fn chunk(&mut self, policy: usize, number: u64, attempt: u32, chunk: u32, now: u64) {
        let (chunks, characters) = (u64::from(chunk) * 3, u64::from(chunk) * 3 * 23);
        self.write(
            now,
            policy,
            Some(number),
            Kind::StreamChunk(StreamChunk { attempt, chunks, characters, usage: None }),
        );
    }

    /// Writes a provider's occasional report of its limits.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(super) fn limits(&mut self, policy: usize, now: u64, rng: &mut SplitMix64) {
        let Some(row) = POLICIES.get(policy).filter(|row| !row.model.is_empty()) else { return };
        let left = 500 - now / 97 % 470;
        let reset_at = Some(self.wall + (now + 60_000 - now % 60_000) as f64);
        for (unit, limit, remaining) in [
            ("requests", 500.0, left as f64),
            ("tokens", 200_000.0, (left * 400 - rng.between(0, 300)) as f64),
        ] {
            let (provider, model) = (row.provider.into(), Some(row.model.into()));
            self.write(
                now,
                policy,
                None,
                Kind::LimitsObserved(LimitsObserved {
                    provider,
                    model,
                    unit: unit.into(),
                    limit,
                    remaining,
                    reset_at,
                }),
            );
        }
    }

    /// Writes that a fallback answered an agent's last call of a policy.
    pub(super) fn fallback(&mut self, policy: usize, agent: usize, code: Code, now: u64) {
        let number = self.last_number.get(&(policy, agent)).copied();
        self.write(
            now,
            policy,
            number,
            Kind::FallbackUsed(FallbackUsed { code: code.as_str().into(), failed: None }),
        );
    }

    /// The agent went on without an agent's last call of a policy.
    pub(super) fn degraded(&mut self, policy: usize, agent: usize, code: Code, now: u64) {
        let number = self.last_number.get(&(policy, agent)).copied();
        self.write(
            now,
            policy,
            number,
            Kind::Degraded(Degraded { operation: "search the web".into(), code: code.as_str().into() }),
        );
    }

    /// Writes all records.
    pub(super) fn drain(&mut self, ring: &mut Ring, now: u64) {
        while let Some(record) = ring.pop() {
            self.record(&record, now);
        }
    }

    fn record(&mut self, record: &Record, now: u64) {
        let policy = record.policy as usize;
        let number = (record.call > 0).then_some(record.call);
        let at = record.at.map_or(now, |at| at.0);
        if record.fact == Fact::CallStarted
            && let (Some(number), Some(about)) = (number, self.starting)
        {
            self.calls.insert((policy, number), about);
            self.last_number.insert((policy, about.agent), number);
        }
        if let Some(kind) = self.kind(record, policy) {
            self.write(at, policy, number, kind);
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each fact")]
    fn kind(&mut self, record: &Record, policy: usize) -> Option<Kind<'static>> {
        let row = POLICIES.get(policy)?;
        let wall = |at: Timestamp| self.wall + at.as_f64();
        let ms = |duration: Option<Millis>| duration.map_or(0.0, Millis::as_f64);
        let text = |text: &'static str| (!text.is_empty()).then(|| Text::from(text));
        Some(match record.fact {
            Fact::CallStarted => Kind::CallStarted(CallStarted {
                task: self.starting.and_then(|about| text(about.task)),
                operation: None,
                // As the guards of models set it.
                options: Some(r#"{"stallTimeoutMs":120000}"#.into()),
            }),
            Fact::CallQueued { by, position, due } => {
                Kind::CallQueued(CallQueued { by: by.as_str().into(), position, due_at: due.map(wall) })
            }
            Fact::CallDequeued => Kind::CallDequeued(CallDequeued {}),
            Fact::AttemptStarted { attempt, probe, generation } => Kind::AttemptStarted(AttemptStarted {
                attempt,
                provider: text(row.provider),
                model: text(row.model),
                probe: probe.then_some(true),
                generation: u32::try_from(generation).ok(),
            }),
            Fact::AttemptSucceeded { attempt, duration } => {
                let (usage, first) = self.usage.take().unzip();
                Kind::AttemptSucceeded(AttemptSucceeded {
                    attempt,
                    duration_ms: ms(duration),
                    first_chunk_ms: first.flatten(),
                    usage,
                    unread_stream: None,
                })
            }
            Fact::AttemptFailed { attempt, duration, code, counted, hint } => {
                let Read { found, signals } = self.failing.clone()?;
                Kind::AttemptFailed(AttemptFailed {
                    attempt,
                    duration_ms: ms(duration),
                    code: code.as_str().into(),
                    severity: found.severity.as_str().into(),
                    retryable: found.retryable,
                    rule: found.rule.into(),
                    technical_details: found.technical_details.into(),
                    signals: signals.into(),
                    counted,
                    status_code: found.provider.status_code.map(u32::from),
                    request_id: found.provider.request_id.map(Text::from),
                    retry_after_ms: hint.map(Millis::as_f64),
                    remedy: None,
                    error_class: None,
                    usage: None,
                    message: None,
                    frame: None,
                })
            }
            Fact::RetryScheduled { attempt, delay, due, min, max, source, budget_left } => {
                Kind::RetryScheduled(RetryScheduled {
                    attempt,
                    delay_ms: delay.as_f64(),
                    due_at: wall(due),
                    min_ms: min.as_f64(),
                    max_ms: max.as_f64(),
                    delay_source: if source == DelaySource::Backoff { "backoff" } else { "retry-after" }
                        .into(),
                    #[expect(clippy::cast_precision_loss, reason = "a small count")]
                    budget_left: budget_left.map(|left| left as f64),
                })
            }
            Fact::CallSucceeded { attempts, duration } => Kind::CallSucceeded(CallSucceeded {
                attempts,
                duration_ms: ms(duration),
                closed_early: None,
                usage: None,
            }),
            Fact::CallClosed { attempts, duration } => Kind::CallSucceeded(CallSucceeded {
                attempts,
                duration_ms: ms(duration),
                closed_early: Some(true),
                usage: None,
            }),
            Fact::CallFailed { attempts, duration, code, why } => {
                let hint = self.failing.as_ref().and_then(|read| read.found.hint);
                let provider = (!row.provider.is_empty()).then_some(row.provider);
                let about = About { provider, retry_after: hint, ..About::default() };
                Kind::CallFailed(CallFailed {
                    attempts,
                    duration_ms: ms(duration),
                    code: code.as_str().into(),
                    why: why.as_str().into(),
                    user_message: user_message(code, &about, "en").into(),
                    usage: None,
                    tried: None,
                })
            }
            Fact::CallRejected { by, retry_after, .. } => Kind::CallRejected(CallRejected {
                code: if by == halfopen::policy::Layer::Breaker {
                    "CIRCUIT_OPEN"
                } else {
                    "CAPACITY_EXCEEDED"
                }
                .into(),
                by: by.as_str().into(),
                retry_after_ms: retry_after.map(Millis::as_f64),
            }),
            Fact::LimitChanged(change) => Kind::LimitChanged(LimitChanged {
                limit: change.limit,
                because: change.because.as_str().into(),
                code: change.code.map(|code| code.as_str().into()),
            }),
            Fact::BreakerThrottled { rate, .. } => {
                Kind::BreakerThrottled(BreakerThrottled { breaker: row.name.into(), rate: rate.as_f64() })
            }
            Fact::BreakerChanged { change, .. } => {
                let (id, a, b) = change.reason.numbers();
                Kind::BreakerChanged(BreakerChanged {
                    breaker: row.name.into(),
                    from: change.from.as_str().into(),
                    to: change.to.as_str().into(),
                    reason: Reason::describe(id, a, b, change.hint).into(),
                    generation: u32::try_from(change.generation).unwrap_or(u32::MAX),
                    retry_at: change.retry_at.map(wall),
                    window: Some(Window {
                        total: change.window.total,
                        failures: change.window.failures,
                        slow: change.window.slow,
                        last: change
                            .recent
                            .iter()
                            .map(|sample| if sample.failed { 1 } else { 2 * u8::from(sample.slow) })
                            .collect(),
                    }),
                })
            }
        })
    }

    fn write(&mut self, at: u64, policy: usize, number: Option<u64>, kind: Kind<'_>) {
        let name = POLICIES.get(policy).map_or("", |policy| policy.name);
        let id = |policy: usize, number: u64| {
            Text::from(format!("{}-{number}", POLICIES.get(policy).map_or("", |row| row.name)))
        };
        let about = number.and_then(|number| self.calls.get(&(policy, number)));
        let parent = about.and_then(|about| about.parent);
        let event = Event {
            policy: Some(name.into()),
            call: number.map(|number| id(policy, number)),
            parent_call: parent.map(|(policy, number)| id(policy, number)),
            run: about.map(|about| run_id(about.run)),
            ..self.event(at, kind)
        };
        self.push(&event);
    }

    fn write_of_run(&mut self, agent: usize, at: u64, kind: Kind<'_>) {
        let event = Event { run: Some(run_id(self.run_of(agent).number)), ..self.event(at, kind) };
        self.push(&event);
    }

    /// An event that belongs to no call.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a demonstration")]
    fn event<'a>(&self, at: u64, kind: Kind<'a>) -> Event<'a> {
        Event {
            v: VERSION,
            source: Some(SOURCE.into()),
            seq: self.seq,
            time: self.wall + at as f64,
            policy: None,
            call: None,
            parent_call: None,
            trace_id: None,
            run: None,
            kind,
        }
    }

    fn push(&mut self, event: &Event<'_>) {
        self.seq += 1;
        self.lines.push_str(&event.to_line());
        self.lines.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(not(debug_assertions), ignore = "a release build does not check it")]
    #[should_panic(expected = "a value that is always there is missing")]
    fn a_call_of_an_agent_without_a_run_is_a_bug() {
        Recorder::new(0.0).beginning(0, "plan the steps", None);
    }
}
