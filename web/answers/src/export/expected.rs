//! The end of an exported test: the attempts, waits and outcome that it expects.

use super::literal::{number, string};
use super::recorded::{Came, Ending};
use super::test::Test;
use halfopen_log::kind::{CallFailed, RetryScheduled};

impl Test<'_> {
    pub(super) fn expect(&mut self) {
        let call = self.call;
        self.line(&format!("assert.equal(operation.calls, {});", call.attempts.len()));
        let codes = call.attempts.iter().filter_map(|attempt| match &attempt.came {
            Came::Failed(failed) => Some(string(failed.code.as_str())),
            _ => None,
        });
        let codes = codes.collect::<Vec<_>>().join(", ");
        self.line("assert.deepEqual(");
        self.line("  events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),");
        self.line(&format!("  [{codes}],"));
        self.line(");");
        self.line("// Jitter draws other delays here, from the same range.");
        self.line("assert.deepEqual(");
        let drawn = self.call.options.as_ref().and_then(|options| options.get("retry")?.get("jitter"));
        if drawn.is_some_and(|jitter| jitter == "decorrelated") {
            let reasons: Vec<_> = call.delays.iter().map(by).collect();
            self.line(
                "  events.flatMap((event) => (event.type === 'retry.scheduled' ? [event.delaySource] : [])),",
            );
            self.line(&format!("  [{}],", reasons.join(", ")));
        } else {
            let bands: Vec<_> = call
                .delays
                .iter()
                .map(|delay| format!("[{}, {}, {}]", by(delay), number(delay.min_ms), number(delay.max_ms)))
                .collect();
            self.line("  events.flatMap((event) =>");
            self.line(
                "    event.type === 'retry.scheduled' ? [[event.delaySource, event.minMs, event.maxMs]] : [],",
            );
            self.line("  ),");
            self.line(&format!("  [{}],", bands.join(", ")));
        }
        self.line(");");
        self.ended();
        if call.opened.is_some() {
            self.line(
                "assert.ok(events.some((event) => event.type === 'breaker.changed' && event.to === 'open'));",
            );
        }
    }

    fn ended(&mut self) {
        let call = self.call;
        if let Ending::Failed(CallFailed { code, why, user_message, .. }) = &call.ending {
            let message = user_message.as_str();
            // A line that was too long was cut when it was emitted.
            let whole = !message.is_empty() && !message.ends_with('…');
            let (read, said) = if whole {
                (", event.userMessage", format!(", {}", string(message)))
            } else {
                ("", String::new())
            };
            self.line("assert.deepEqual(");
            self.line(&format!(
                "  events.flatMap((event) => (event.type === 'call.failed' ? [event.code, event.why{read}] : [])),"
            ));
            self.line(&format!("  [{}, {}{said}],", string(code.as_str()), string(why.as_str())));
            self.line(");");
        }
        let (code, hint) = match (&call.ending, call.fallback) {
            (Ending::Open, _) => {
                self.notes.push("The call had not ended when it was exported.".into());
                self.line("assert.ok(ended.status === 'fulfilled' || AgentError.is(ended.reason));");
                return;
            }
            (Ending::Succeeded, None) | (_, Some(false)) => {
                self.line("assert.equal(ended.status, 'fulfilled');");
                return;
            }
            (_, Some(true)) => {
                self.line("assert.equal(ended.status, 'rejected');");
                return;
            }
            (Ending::Failed(failed), None) => (&failed.code, None),
            // A wait that follows from its own attempts varies with the jitter.
            (Ending::Refused(refused), None) => {
                (&refused.code, refused.retry_after_ms.filter(|_| call.attempts.is_empty()))
            }
        };
        self.line("assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));");
        self.line(&format!("assert.equal(ended.reason.code, {});", string(code.as_str())));
        if let Some(ms) = hint {
            self.line(&format!("assert.equal(ended.reason.retryAfterMs, {});", number(ms)));
        }
    }
}

fn by(delay: &RetryScheduled<'_>) -> &'static str {
    if delay.delay_source.as_str() == "retry-after" { "'retry-after'" } else { "'backoff'" }
}
