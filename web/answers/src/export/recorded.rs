//! One call as its events tell it, in the order in which they came: what a test needs to play it again.

use super::AsTest;
use halfopen::log::{Event, Kind};
use serde_json::Value;

/// How an attempt came to its end.
pub(super) enum Came {
    /// It answered.
    Answered,
    /// It failed; `thrown` says with what.
    Failed(Box<Failure>),
    /// Nothing came of it while the call lasted.
    Silent,
}

/// A failure as it was told.
pub(super) struct Failure {
    pub(super) code: String,
    pub(super) severity: String,
    pub(super) retryable: bool,
    pub(super) rule: String,
    pub(super) details: String,
    pub(super) signals: Value,
    pub(super) status: Option<u32>,
    pub(super) request: Option<String>,
    pub(super) hint: Option<f64>,
}

/// One attempt. Durations in milliseconds.
pub(super) struct Attempt {
    pub(super) number: u32,
    pub(super) provider: String,
    pub(super) model: String,
    pub(super) took: f64,
    /// Chunks that its stream gave, as far as that was told.
    pub(super) chunks: Option<u64>,
    pub(super) came: Came,
}

/// One wait before a retry.
pub(super) struct Delay {
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) by_hint: bool,
}

/// What came of the call itself, before any fallback.
pub(super) enum Ending {
    /// It had not ended.
    Open,
    Succeeded,
    Failed {
        code: String,
        why: String,
        message: String,
    },
    Refused {
        code: String,
        by: String,
        retry_after: Option<f64>,
    },
}

/// The call.
pub(super) struct Recorded {
    pub(super) id: String,
    pub(super) task: String,
    pub(super) policy: String,
    pub(super) started: f64,
    /// From its beginning to its last event.
    pub(super) took: f64,
    /// The policy's options, where the log has them.
    pub(super) options: Option<Value>,
    /// What the call itself was told, over the policy's options.
    pub(super) own: Option<Value>,
    pub(super) attempts: Vec<Attempt>,
    pub(super) delays: Vec<Delay>,
    /// It waited in a queue: whose, and how long.
    pub(super) queued: Option<(String, f64)>,
    pub(super) ending: Ending,
    /// A fallback was asked: whether it failed too.
    pub(super) fallback: Option<bool>,
    /// What its stream did when it broke.
    pub(super) on_break: Option<String>,
    /// Its first attempt was a breaker's probe.
    pub(super) probe: bool,
    /// It opened the breaker, which then had so many results, and so many failures among them.
    pub(super) opened_by: Option<(u32, u32)>,
}

/// The call, from its events.
pub(super) fn recorded(told: &AsTest) -> Recorded {
    let mut made = Recorded {
        id: told.id.clone(),
        task: String::new(),
        policy: told.policy.clone(),
        started: told.started,
        took: 0.0,
        options: told.configured.as_deref().and_then(options),
        own: None,
        attempts: Vec::new(),
        delays: Vec::new(),
        queued: None,
        ending: Ending::Open,
        fallback: None,
        on_break: None,
        probe: false,
        opened_by: None,
    };
    for line in &told.events {
        if let Ok(event) = Event::parse(line) {
            if matches!(event.kind, Kind::CallStarted { .. }) {
                made.own = serde_json::from_str::<Value>(line)
                    .ok()
                    .and_then(|mut line| line.get_mut("options").map(Value::take));
            }
            made.take(event);
        }
    }
    made
}

fn options(line: &str) -> Option<Value> {
    match Event::parse(line).ok()?.kind {
        Kind::PolicyConfigured { options, .. } => Some(options.value()),
        _ => None,
    }
}

impl Recorded {
    fn attempt(&mut self, number: u32) -> Option<&mut Attempt> {
        self.attempts.iter_mut().rev().find(|attempt| attempt.number == number)
    }

    fn take(&mut self, event: Event<'_>) {
        self.took = self.took.max(event.time - self.started);
        match event.kind {
            Kind::CallStarted { task, .. } => self.task = owned(task),
            Kind::CallQueued { by, .. } => self.queued = Some((by.as_str().to_owned(), event.time)),
            Kind::CallDequeued => {
                if let Some((_, since)) = &mut self.queued {
                    *since = event.time - *since;
                }
            }
            Kind::AttemptStarted { attempt, provider, model, probe, .. } => {
                self.probe |= probe.unwrap_or(false) && self.attempts.is_empty();
                self.attempts.push(Attempt {
                    number: attempt,
                    provider: owned(provider),
                    model: owned(model),
                    took: 0.0,
                    chunks: None,
                    came: Came::Silent,
                });
            }
            Kind::AttemptSucceeded { attempt, duration_ms, .. } => {
                if let Some(attempt) = self.attempt(attempt) {
                    (attempt.took, attempt.came) = (duration_ms, Came::Answered);
                }
            }
            Kind::AttemptFailed {
                attempt,
                duration_ms,
                code,
                severity,
                retryable,
                rule,
                technical_details,
                signals,
                status_code,
                request_id,
                retry_after_ms,
                ..
            } => {
                let failure = Failure {
                    code: code.as_str().to_owned(),
                    severity: severity.as_str().to_owned(),
                    retryable,
                    rule: rule.as_str().to_owned(),
                    details: technical_details.as_str().to_owned(),
                    signals: signals.value(),
                    status: status_code,
                    request: request_id.map(|id| id.as_str().to_owned()),
                    hint: retry_after_ms,
                };
                if let Some(attempt) = self.attempt(attempt) {
                    (attempt.took, attempt.came) = (duration_ms, Came::Failed(Box::new(failure)));
                }
            }
            Kind::RetryScheduled { min_ms, max_ms, source, .. } => self.delays.push(Delay {
                least: min_ms,
                most: max_ms,
                by_hint: source.as_str() == "retry-after",
            }),
            Kind::CallSucceeded { .. } => self.ending = Ending::Succeeded,
            Kind::CallFailed { code, why, user_message, .. } => {
                self.ending = Ending::Failed {
                    code: code.as_str().to_owned(),
                    why: why.as_str().to_owned(),
                    message: user_message.as_str().to_owned(),
                };
            }
            Kind::CallRejected { code, by, retry_after_ms } => {
                self.ending = Ending::Refused {
                    code: code.as_str().to_owned(),
                    by: by.as_str().to_owned(),
                    retry_after: retry_after_ms,
                };
            }
            Kind::FallbackUsed { failed, .. } => self.fallback = Some(failed.unwrap_or(false)),
            Kind::StreamChunk { attempt, chunks, .. } => {
                if let Some(attempt) = self.attempt(attempt) {
                    attempt.chunks = Some(chunks);
                }
            }
            Kind::StreamBroken { attempt, received, action } => {
                self.on_break = Some(action.as_str().to_owned());
                if let Some(attempt) = self.attempt(attempt) {
                    attempt.chunks = Some(received);
                }
            }
            Kind::BreakerChanged { from, to, window, .. }
                if to.as_str() == "open" && from.as_str() == "closed" =>
            {
                self.opened_by = window.map(|window| (window.total, window.failures));
            }
            _ => {}
        }
    }
}

fn owned(text: Option<halfopen::log::Text<'_>>) -> String {
    text.map(|text| text.as_str().to_owned()).unwrap_or_default()
}
