//! The action of an exported test: the operation with an outcome for each attempt, and the call of it.

use super::given::open_breaker;
use super::literal::{object, string};
use super::recorded::{Attempt, Came, Ending};
use super::test::Test;
use super::thrown;
use serde_json::Value;

impl Test<'_> {
    pub(super) fn operation(&mut self) {
        let stream = self.is_stream();
        self.line("");
        let of = if stream { "<AsyncIterable<string>>" } else { "<string>" };
        self.line(&format!("const operation = script{}(", self.typed(of, "")));
        let call = self.call;
        for (index, attempt) in call.attempts.iter().enumerate() {
            let last = index + 1 == call.attempts.len();
            let mut outcome = outcome(attempt, stream);
            if last && self.is_nested() {
                outcome = format!("() => inner.execute({outcome})");
            }
            // In scope 'attempt', other calls may open the breaker between two attempts.
            if last
                && call.opened.is_none()
                && let Ending::Refused(refused) = &call.ending
                && refused.by.as_str() == "breaker"
            {
                let opened = open_breaker(refused.retry_after_ms.unwrap_or(0.0));
                outcome = format!("() => {{ policy.breaker?.restore({opened}); return {outcome}(); }}");
            }
            self.line(&format!("  {outcome},"));
        }
        if call.attempts.is_empty() {
            self.line(if stream { "  chunks(0, 1)," } else { "  'never asked'," });
        }
        self.line(");");
    }

    pub(super) fn run(&mut self) {
        let call = self.call;
        let mut options: Vec<(&str, String)> = Vec::new();
        if !call.task.as_str().is_empty() {
            options.push(("task", string(call.task.as_str())));
        }
        let usual = |name: &str| {
            call.options
                .as_ref()
                .and_then(|options| options.get(name)?.as_str())
                .unwrap_or_default()
                .to_owned()
        };
        if let Some(first) = call.attempts.first() {
            for (name, text) in [("provider", first.provider()), ("model", first.model())] {
                if !text.is_empty() && text != usual(name) {
                    options.push((name, string(text)));
                }
            }
        }
        let own = call.own.as_ref().and_then(Value::as_object);
        for (name, of) in own.into_iter().flatten() {
            if let Some(text) = self.kept(name, name, of) {
                options.push((name, text));
            }
        }
        if let Some(failed) = call.fallback {
            let made = if failed {
                "() => { throw new Error('the fallback failed'); }"
            } else {
                "() => 'the fallback'"
            };
            options.push(("fallback", made.into()));
        }
        if let Some(action) = call.on_break.as_ref().filter(|_| !options.iter().any(|one| one.0 == "onBreak"))
        {
            options.push(("onBreak", string(action.as_str())));
        }
        self.line("const { events } = recordEvents(policy);");
        if matches!(&call.ending, Ending::Failed(failed) if failed.why.as_str() == "cancelled") {
            self.line("const controller = new AbortController();");
            self.line(&format!("clock.setTimeout(() => controller.abort(), {});", call.took.round()));
            options.push(("signal", "controller.signal".into()));
        }
        let options =
            if options.is_empty() { String::new() } else { format!(", {}", object(options.into_iter())) };
        let made = if self.is_stream() {
            format!("collect(policy.stream(operation{options}))")
        } else {
            format!("policy.execute(operation{options})")
        };
        self.line(&format!("const call = {made};"));
        let waits: f64 = call.delays.iter().map(|delay| delay.max_ms).sum();
        let enough = (call.took * 2.0 + waits).ceil() + 60_000.0;
        self.line(&format!(
            "const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance({enough})]);"
        ));
        self.line("");
    }
}

/// The function that plays an attempt.
pub(super) fn outcome(attempt: &Attempt<'_>, stream: bool) -> String {
    let ms = attempt.took().round().max(0.0);
    match &attempt.came {
        // The policy's own clock ends it: the operation only has to be silent.
        Came::Failed(failed) if failed.rule.as_str() == "policy.timeout" => match attempt.chunks {
            Some(chunks) if stream => format!("chunks({}, 0, 'stall')", chunks.max(1)),
            _ => "stalls".into(),
        },
        Came::Failed(failed) => {
            let thrown = thrown::expression(attempt, failed);
            match attempt.chunks {
                Some(chunks) if stream => format!("chunks({}, {ms}, {thrown})", chunks.max(1)),
                _ => format!("fails({ms}, {thrown})"),
            }
        }
        Came::Answered(_) if stream => format!("chunks({}, {ms})", attempt.chunks.unwrap_or(1).max(1)),
        Came::Answered(_) => format!("answers({ms})"),
        Came::Silent => "stalls".into(),
    }
}
