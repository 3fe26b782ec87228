//! From an event to its line, as the package writes it.

use super::event::{Event, Kind, Usage, Window};
use super::text::{Json, Text};
use std::fmt::Write;

impl Event<'_> {
    /// The event as one line of JSON, without a line break: [`Event::parse`] reads the same event of it.
    ///
    /// ```
    /// use halfopen::log::Event;
    /// let line = r#"{"v":1,"source":"a1","seq":7,"time":5,"call":"c1","type":"call.dequeued"}"#;
    /// assert_eq!(Event::parse(line)?.to_line(), line);
    /// # Ok::<(), halfopen::log::Rejected>(())
    /// ```
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = Line(String::with_capacity(256));
        let waits = matches!(self.kind, Kind::RetryScheduled { .. });
        line.number("v", self.v);
        line.maybe_text(if waits { "process" } else { "source" }, self.source.as_ref());
        line.number("seq", self.seq);
        line.number("time", self.time);
        line.maybe_text("policy", self.policy.as_ref());
        line.maybe_text("call", self.call.as_ref());
        line.maybe_text("parentCall", self.parent_call.as_ref());
        line.maybe_text("traceId", self.trace_id.as_ref());
        kind(&mut line, &self.kind);
        line.0.push('}');
        line.0
    }
}

fn kind(line: &mut Line, kind: &Kind<'_>) {
    line.string("type", kind.name());
    match kind {
        Kind::PolicyConfigured { options, seed } => {
            line.json("options", options);
            line.number("seed", seed);
        }
        Kind::CallStarted { task } => line.maybe_text("task", task.as_ref()),
        Kind::CallQueued { by, position, due_at } => {
            line.text("by", by);
            line.number("position", position);
            line.maybe_number("dueAt", due_at.as_ref());
        }
        Kind::CallDequeued | Kind::Other { .. } => {}
        Kind::AttemptStarted { attempt, provider, model, probe, generation } => {
            line.number("attempt", attempt);
            line.maybe_text("provider", provider.as_ref());
            line.maybe_text("model", model.as_ref());
            line.maybe_number("probe", probe.as_ref());
            line.maybe_number("generation", generation.as_ref());
        }
        Kind::AttemptSucceeded { attempt, duration_ms, first_chunk_ms, usage } => {
            line.number("attempt", attempt);
            line.number("durationMs", duration_ms);
            line.maybe_number("firstChunkMs", first_chunk_ms.as_ref());
            line.usage(usage.as_ref());
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
            counted,
            status_code,
            request_id,
            retry_after_ms,
        } => {
            line.number("attempt", attempt);
            line.number("durationMs", duration_ms);
            line.text("code", code);
            line.text("severity", severity);
            line.number("retryable", retryable);
            line.text("rule", rule);
            line.text("technicalDetails", technical_details);
            line.json("signals", signals);
            line.number("counted", counted);
            line.maybe_number("statusCode", status_code.as_ref());
            line.maybe_text("requestId", request_id.as_ref());
            line.maybe_number("retryAfterMs", retry_after_ms.as_ref());
        }
        Kind::RetryScheduled { attempt, delay_ms, due_at, min_ms, max_ms, source, budget_left } => {
            line.number("attempt", attempt);
            line.number("delayMs", delay_ms);
            line.number("dueAt", due_at);
            line.number("minMs", min_ms);
            line.number("maxMs", max_ms);
            line.text("source", source);
            line.maybe_number("budgetLeft", budget_left.as_ref());
        }
        Kind::CallSucceeded { attempts, duration_ms } => {
            line.number("attempts", attempts);
            line.number("durationMs", duration_ms);
        }
        Kind::CallFailed { attempts, duration_ms, code, why, user_message } => {
            line.number("attempts", attempts);
            line.number("durationMs", duration_ms);
            line.text("code", code);
            line.text("why", why);
            line.text("userMessage", user_message);
        }
        Kind::CallRejected { code, by, retry_after_ms } => {
            line.text("code", code);
            line.text("by", by);
            line.maybe_number("retryAfterMs", retry_after_ms.as_ref());
        }
        Kind::FallbackUsed { code, failed } => {
            line.text("code", code);
            line.maybe_number("failed", failed.as_ref());
        }
        Kind::FailoverSwitched { from, to, code } => {
            line.text("from", from);
            line.text("to", to);
            line.text("code", code);
        }
        Kind::BreakerChanged { breaker, from, to, reason, generation, retry_at, window } => {
            line.text("breaker", breaker);
            line.text("from", from);
            line.text("to", to);
            line.text("reason", reason);
            line.number("generation", generation);
            line.maybe_number("retryAt", retry_at.as_ref());
            line.window(window.as_ref());
        }
        Kind::StreamChunk { attempt, chunks, characters } => {
            line.number("attempt", attempt);
            line.number("chunks", chunks);
            line.number("characters", characters);
        }
        Kind::StreamBroken { attempt, received, action } => {
            line.number("attempt", attempt);
            line.number("received", received);
            line.text("action", action);
        }
        Kind::LimitsObserved { provider, model, unit, limit, remaining, reset_at } => {
            line.text("provider", provider);
            line.maybe_text("model", model.as_ref());
            line.text("unit", unit);
            line.number("limit", limit);
            line.number("remaining", remaining);
            line.maybe_number("resetAt", reset_at.as_ref());
        }
        Kind::RecoveryRouted { severity, next } => {
            line.text("severity", severity);
            line.text("next", next);
        }
        Kind::Degraded { operation, code } => {
            line.text("operation", operation);
            line.text("code", code);
        }
        Kind::EventsDropped { count } => line.number("count", count),
    }
}

/// A text as a string of JSON, which is one of JavaScript too.
///
/// ```
/// assert_eq!(halfopen::log::quoted("a \"b\"\n"), r#""a \"b\"\u000a""#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(&mut out, text);
    out
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            '\u{0}'..='\u{1f}' => _ = write!(out, "\\u{:04x}", u32::from(letter)),
            _ => out.push(letter),
        }
    }
    out.push('"');
}

/// A line that is being written.
struct Line(String);

impl Line {
    fn key(&mut self, key: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push('"');
        self.0.push_str(key);
        self.0.push_str("\":");
    }

    fn string(&mut self, key: &str, text: &str) {
        self.key(key);
        quote(&mut self.0, text);
    }

    fn text(&mut self, key: &str, text: &Text<'_>) {
        self.string(key, text.as_str());
    }

    fn maybe_text(&mut self, key: &str, text: Option<&Text<'_>>) {
        if let Some(text) = text {
            self.string(key, text.as_str());
        }
    }

    /// Numbers and flags: what Rust writes of them is JSON, for events have no infinities.
    fn number(&mut self, key: &str, value: impl std::fmt::Display) {
        self.key(key);
        _ = write!(self.0, "{value}");
    }

    fn maybe_number(&mut self, key: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.number(key, value);
        }
    }

    fn json(&mut self, key: &str, value: &Json<'_>) {
        self.key(key);
        self.0.push_str(&value.0);
    }

    fn usage(&mut self, usage: Option<&Usage>) {
        let Some(usage) = usage else { return };
        let mut inner = Self(String::new());
        inner.maybe_number("inputTokens", usage.input_tokens);
        inner.maybe_number("outputTokens", usage.output_tokens);
        self.object("usage", inner);
    }

    fn window(&mut self, window: Option<&Window>) {
        let Some(window) = window else { return };
        let mut inner = Self(String::new());
        inner.number("total", window.total);
        inner.number("failures", window.failures);
        inner.number("slow", window.slow);
        inner.key("last");
        let last: Vec<_> = window.last.iter().map(u8::to_string).collect();
        _ = write!(inner.0, "[{}]", last.join(","));
        self.object("window", inner);
    }

    fn object(&mut self, key: &str, inner: Self) {
        self.key(key);
        self.0.push_str(if inner.0.is_empty() { "{" } else { &inner.0 });
        self.0.push('}');
    }
}
