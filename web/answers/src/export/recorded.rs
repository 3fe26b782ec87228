//! One call as its events tell it, in the order in which they came: what a test needs to play it again.

use super::AsTest;
use halfopen_log::kind::{
    AttemptFailed, AttemptStarted, AttemptSucceeded, CallFailed, CallRejected, RetryScheduled,
};
use halfopen_log::{Event, Kind, Text, Window};
use serde_json::Value;

/// The call.
pub(super) struct Recorded<'a> {
    pub(super) id: &'a str,
    pub(super) task: Text<'a>,
    pub(super) policy: &'a str,
    pub(super) started: f64,
    /// From its beginning to its last event.
    pub(super) took: f64,
    /// The policy's options, where the log has them.
    pub(super) options: Option<Value>,
    /// The options of the call itself, over those of its policy.
    pub(super) own: Option<Value>,
    pub(super) attempts: Vec<Attempt<'a>>,
    pub(super) delays: Vec<RetryScheduled<'a>>,
    /// It waited in a queue: whose, and how long.
    pub(super) queued: Option<(Text<'a>, f64)>,
    pub(super) ending: Ending<'a>,
    /// A fallback was called; `true` if it failed too.
    pub(super) fallback: Option<bool>,
    /// The action that followed when its stream broke.
    pub(super) on_break: Option<Text<'a>>,
    /// Its first attempt was a breaker's probe.
    pub(super) probe: bool,
    /// It opened the breaker, which then had these results.
    pub(super) opened: Option<Window>,
}

/// One attempt.
pub(super) struct Attempt<'a> {
    begun: AttemptStarted<'a>,
    /// Chunks that its stream gave, as far as the log has them.
    pub(super) chunks: Option<u64>,
    pub(super) came: Came<'a>,
}

/// How an attempt came to its end.
pub(super) enum Came<'a> {
    Answered(AttemptSucceeded),
    Failed(Box<AttemptFailed<'a>>),
    /// It had no outcome while the call lasted.
    Silent,
}

/// The outcome of the call itself, before any fallback.
pub(super) enum Ending<'a> {
    /// It had not ended.
    Open,
    Succeeded,
    Failed(CallFailed<'a>),
    Refused(CallRejected<'a>),
}

impl Attempt<'_> {
    pub(super) fn provider(&self) -> &str {
        self.begun.provider.as_ref().map_or("", Text::as_str)
    }

    pub(super) fn model(&self) -> &str {
        self.begun.model.as_ref().map_or("", Text::as_str)
    }

    /// In milliseconds.
    pub(super) fn took(&self) -> f64 {
        match &self.came {
            Came::Answered(answered) => answered.duration_ms,
            Came::Failed(failed) => failed.duration_ms,
            Came::Silent => 0.0,
        }
    }
}

/// The call, from its events.
pub(super) fn recorded(question: &AsTest) -> Recorded<'_> {
    let mut made = Recorded {
        id: &question.id,
        task: Text::default(),
        policy: &question.policy,
        started: question.started,
        took: 0.0,
        options: question.configured.as_deref().and_then(options),
        own: None,
        attempts: Vec::new(),
        delays: Vec::new(),
        queued: None,
        ending: Ending::Open,
        fallback: None,
        on_break: None,
        probe: false,
        opened: None,
    };
    for line in &question.events {
        if let Ok(event) = Event::parse(line) {
            if matches!(event.kind, Kind::CallStarted(_)) {
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
        Kind::PolicyConfigured(configured) => Some(configured.options.value()),
        _ => None,
    }
}

impl<'a> Recorded<'a> {
    /// Its attempts that failed.
    pub(super) fn failed(&self) -> impl Iterator<Item = &Attempt<'a>> {
        self.attempts.iter().filter(|attempt| matches!(attempt.came, Came::Failed(_)))
    }

    /// Whether its breaker counts attempts instead of calls.
    pub(super) fn is_by_attempt(&self) -> bool {
        let scope = self.options.as_ref().and_then(|options| options.get("breakerScope"));
        scope.is_some_and(|scope| scope == "attempt")
    }

    /// The failures of a call that opened its breaker, as the breaker counts them.
    pub(super) fn breaker_failures(&self) -> usize {
        if self.is_by_attempt() { self.failed().count() } else { usize::from(!self.opened_by_success()) }
    }

    /// Returns `true` if an answer opened its breaker, because it was slow.
    pub(super) fn opened_by_success(&self) -> bool {
        // The newest result is the one that opened it.
        let newest = self.opened.as_ref().and_then(|window| window.last.last());
        newest.is_some_and(|&result| result != 1)
    }

    fn attempt(&mut self, number: u32) -> Option<&mut Attempt<'a>> {
        self.attempts.iter_mut().rev().find(|attempt| attempt.begun.attempt == number)
    }

    fn came(&mut self, number: u32, came: Came<'a>) {
        if let Some(attempt) = self.attempt(number) {
            attempt.came = came;
        }
    }

    fn streamed(&mut self, number: u32, chunks: u64) {
        if let Some(attempt) = self.attempt(number) {
            attempt.chunks = Some(chunks);
        }
    }

    fn take(&mut self, event: Event<'a>) {
        self.took = self.took.max(event.time - self.started);
        match event.kind {
            Kind::CallStarted(started) => self.task = started.task.unwrap_or_default(),
            Kind::CallQueued(queued) => self.queued = Some((queued.by, event.time)),
            Kind::CallDequeued(_) => {
                if let Some((_, since)) = &mut self.queued {
                    *since = event.time - *since;
                }
            }
            Kind::AttemptStarted(begun) => {
                self.probe |= begun.probe.unwrap_or(false) && self.attempts.is_empty();
                self.attempts.push(Attempt { begun, chunks: None, came: Came::Silent });
            }
            Kind::AttemptSucceeded(answered) => self.came(answered.attempt, Came::Answered(answered)),
            Kind::AttemptFailed(failed) => self.came(failed.attempt, Came::Failed(Box::new(failed))),
            Kind::RetryScheduled(wait) => self.delays.push(wait),
            Kind::CallSucceeded(_) => self.ending = Ending::Succeeded,
            Kind::CallFailed(failed) => self.ending = Ending::Failed(failed),
            Kind::CallRejected(refused) => self.ending = Ending::Refused(refused),
            Kind::FallbackUsed(used) => self.fallback = Some(used.failed.unwrap_or(false)),
            Kind::StreamChunk(chunk) => self.streamed(chunk.attempt, chunk.chunks),
            Kind::StreamBroken(broken) => {
                self.on_break = Some(broken.action);
                self.streamed(broken.attempt, broken.received);
            }
            Kind::BreakerChanged(changed)
                if changed.to.as_str() == "open" && changed.from.as_str() == "closed" =>
            {
                self.opened = changed.window;
            }
            _ => {}
        }
    }
}
