//! The selected call as a runnable test: the policy's options, each attempt's outcome in turn, and what came of it.

use super::AsTest;
use super::literal::{key, number, object, string, value};
use super::recorded::{Attempt, Came, Ending, Recorded, recorded};
use super::thrown;
use crate::plain::line;
use serde_json::Value;

/// The test.
pub(crate) fn test(told: &AsTest) -> String {
    let call = recorded(told);
    let mut out = Test { call: &call, notes: Vec::new(), body: String::new() };
    out.policy();
    out.before();
    out.operation();
    out.run();
    out.expect();
    out.whole()
}

/// What a policy takes that is no data: it is not in a log.
const CODE: &[&str] = &["classify", "onError", "onEvent", "onDebug", "onRetry", "retryOn", "countsAsFailure"];

struct Test<'a> {
    call: &'a Recorded,
    /// What the reader of the test should know: the log does not say everything.
    notes: Vec<String>,
    body: String,
}

impl Test<'_> {
    fn line(&mut self, text: &str) {
        if !text.is_empty() {
            self.body.push_str("  ");
            self.body.push_str(text);
        }
        self.body.push('\n');
    }

    fn option(&self, path: &[&str]) -> Option<f64> {
        let mut found = self.call.options.as_ref()?;
        for name in path {
            found = found.get(name)?;
        }
        found.as_f64()
    }

    fn is_stream(&self) -> bool {
        self.call.on_break.is_some() || self.call.attempts.iter().any(|attempt| attempt.chunks.is_some())
    }

    fn policy(&mut self) {
        let start = number(self.call.started.floor());
        self.line(&format!("const clock = new VirtualClock({start});"));
        self.line("const policy = createPolicy({");
        self.line("  clock,");
        self.line("  seed: 1,");
        let call = self.call;
        match call.options.as_ref().and_then(Value::as_object) {
            Some(options) => {
                for (name, of) in options.iter().filter(|(name, _)| name.as_str() != "seed") {
                    if let Some(text) = self.kept(name, name, of) {
                        self.line(&format!("  {}: {text},", key(name)));
                    }
                }
            }
            None => {
                self.notes
                    .push("The log does not have the policy's options: those here are the defaults.".into());
                self.line(&format!("  name: {},", string(&call.policy)));
            }
        }
        self.line("});");
    }

    /// An option as code; nothing where the log has only its kind.
    fn kept(&mut self, path: &str, name: &str, of: &Value) -> Option<String> {
        if name == "fallback" {
            return None;
        }
        if of == "function" && CODE.contains(&name) {
            // Observers take no part in what happens.
            if !matches!(name, "onError" | "onEvent" | "onDebug") {
                self.notes.push(format!("The policy's {path} is code, which a log does not have."));
            }
            return None;
        }
        if of == "shared" || name == "breaker" && of.is_string() {
            // Told before events carried a shared breaker's options, or a budget.
            self.notes
                .push(format!("The policy's {path} is shared with others: its options are not in the log."));
            return None;
        }
        let Some(fields) = of.as_object() else { return Some(value(of)) };
        let fields: Vec<_> = fields
            .iter()
            .filter(|(name, _)| name.as_str() != "shared")
            .filter_map(|(name, of)| Some((name.as_str(), self.kept(&format!("{path}.{name}"), name, of)?)))
            .collect();
        Some(object(fields.into_iter()))
    }

    /// What stood before the call began: an open breaker, no free place.
    fn before(&mut self) {
        let call = self.call;
        let count = |path: &[&str]| self.option(path).unwrap_or(0.0);
        let (places, queue) = (count(&["bulkhead", "maxConcurrent"]), count(&["bulkhead", "maxQueued"]));
        let (limit, window) = (count(&["rateLimit", "limit"]), count(&["rateLimit", "windowMs"]));
        let mut lines = Vec::new();
        let fill =
            |times: f64, doing: &str| format!("for (let taken = 0; taken < {times}; taken++) {doing};");
        match (&call.ending, &call.queued) {
            (Ending::Refused { by, retry_after, .. }, _) if by == "breaker" && call.attempts.is_empty() => {
                lines.push("// Others had opened the breaker.".to_owned());
                lines.push(match retry_after {
                    Some(ms) => format!("policy.breaker?.restore({});", open_breaker(*ms)),
                    None => "policy.breaker?.isolate();".into(),
                });
            }
            (Ending::Refused { by, .. }, _) if by == "bulkhead" => {
                lines.push("// Others had every place, and every place in the queue.".to_owned());
                lines.push(fill(places + queue, "void policy.execute(() => new Promise<never>(() => {}))"));
            }
            (Ending::Refused { by, retry_after, .. }, _) if by == "rate-limit" => {
                lines.push("// Others had begun as many as the window allows.".to_owned());
                lines.push(fill(limit, "await policy.execute(async () => 'earlier')"));
                let ago = window - retry_after.unwrap_or(window);
                if ago > 0.0 {
                    lines.push(format!("await clock.advance({});", number(ago)));
                }
            }
            (_, Some((by, waited))) if by == "bulkhead" => {
                lines.push("// Others had every place when it began.".to_owned());
                lines.push(fill(places, &format!("void policy.execute(answers({}))", waited.round())));
            }
            (_, Some((by, waited))) if by == "rate-limit" => {
                lines.push("// Others had begun as many as the window allows.".to_owned());
                lines.push(fill(limit, "await policy.execute(async () => 'earlier')"));
                lines.push(format!("await clock.advance({});", (window - waited).max(0.0).round()));
            }
            _ if self.is_nested() => {
                lines.push("// What another policy has retried and given up on.".to_owned());
                lines.push("const inner = createPolicy({ clock, name: 'inner', breaker: false, retry: { maxRetries: 1, baseDelayMs: 1 } });".into());
            }
            _ if call.probe => {
                lines.push(
                    "// The breaker was open, and its reset timeout over: the first attempt is a probe."
                        .to_owned(),
                );
                lines.push(format!("policy.breaker?.restore({});", open_breaker(0.0)));
            }
            _ => {
                if let Some((good, bad)) = self.results_before() {
                    lines.push("// What the breaker had counted before.".to_owned());
                    let record = |times: u32, what: &str| {
                        (times > 0)
                            .then(|| fill(f64::from(times), &format!("policy.breaker?.record{what}()")))
                    };
                    lines.extend(record(good, "Success"));
                    lines.extend(record(bad, "Failure"));
                }
            }
        }
        for line in lines {
            self.line(&line);
        }
    }

    /// Results that the breaker had before this call opened it.
    fn results_before(&self) -> Option<(u32, u32)> {
        let (total, failures) = self.call.opened_by?;
        let by_attempt =
            self.call.options.as_ref()?.get("breakerScope").is_some_and(|scope| scope == "attempt");
        let failed =
            self.call.attempts.iter().filter(|attempt| matches!(attempt.came, Came::Failed(_))).count();
        let own = if by_attempt { u32::try_from(failed).unwrap_or(1) } else { 1 };
        Some((total.saturating_sub(failures), failures.saturating_sub(own)))
    }

    fn is_nested(&self) -> bool {
        matches!(&self.call.ending, Ending::Failed { why, .. } if why == "nested")
    }

    fn operation(&mut self) {
        let stream = self.is_stream();
        self.line("");
        let of = if stream { "AsyncIterable<string>" } else { "string" };
        self.line(&format!("const operation = script<{of}>("));
        let call = self.call;
        for (index, attempt) in call.attempts.iter().enumerate() {
            let last = index + 1 == call.attempts.len();
            let mut outcome = outcome(attempt, stream);
            if last && self.is_nested() {
                outcome = format!("() => inner.execute({outcome})");
            }
            // In scope 'attempt' the breaker may open between two attempts, by what others do.
            if last
                && call.opened_by.is_none()
                && let Ending::Refused { by, retry_after, .. } = &call.ending
                && by == "breaker"
            {
                let opened = open_breaker(retry_after.unwrap_or(0.0));
                outcome = format!("() => {{ policy.breaker?.restore({opened}); return {outcome}(); }}");
            }
            self.line(&format!("  {outcome},"));
        }
        if call.attempts.is_empty() {
            self.line(if stream { "  chunks(0, 1)," } else { "  'never asked'," });
        }
        self.line(");");
    }

    fn run(&mut self) {
        let call = self.call;
        let mut options: Vec<(&str, String)> = Vec::new();
        if !call.task.is_empty() {
            options.push(("task", string(&call.task)));
        }
        let usual = |name: &str| {
            call.options
                .as_ref()
                .and_then(|options| options.get(name)?.as_str())
                .unwrap_or_default()
                .to_owned()
        };
        if let Some(first) = call.attempts.first() {
            for (name, text) in [("provider", &first.provider), ("model", &first.model)] {
                if !text.is_empty() && *text != usual(name) {
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
            options.push(("onBreak", string(action)));
        }
        self.line("const { events } = recordEvents(policy);");
        if matches!(&call.ending, Ending::Failed { why, .. } if why == "cancelled") {
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
        let waits: f64 = call.delays.iter().map(|delay| delay.most).sum();
        let enough = (call.took * 2.0 + waits).ceil() + 60_000.0;
        self.line(&format!(
            "const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance({enough})]);"
        ));
        self.line("");
    }

    fn expect(&mut self) {
        let call = self.call;
        self.line(&format!("assert.equal(operation.calls, {});", call.attempts.len()));
        let codes = call.attempts.iter().filter_map(|attempt| match &attempt.came {
            Came::Failed(failure) => Some(string(&failure.code)),
            _ => None,
        });
        let codes = codes.collect::<Vec<_>>().join(", ");
        self.line("assert.deepEqual(");
        self.line("  events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : [])),");
        self.line(&format!("  [{codes}],"));
        self.line(");");
        self.line("// Jitter draws anew; what it draws from is the policy's.");
        self.line("assert.deepEqual(");
        let drawn = self.call.options.as_ref().and_then(|options| options.get("retry")?.get("jitter"));
        if drawn.is_some_and(|jitter| jitter == "decorrelated") {
            let reasons: Vec<_> = call.delays.iter().map(|delay| by(delay.by_hint)).collect();
            self.line(
                "  events.flatMap((event) => (event.type === 'retry.scheduled' ? [event.source] : [])),",
            );
            self.line(&format!("  [{}],", reasons.join(", ")));
        } else {
            let bands: Vec<_> = call
                .delays
                .iter()
                .map(|delay| {
                    format!("[{}, {}, {}]", by(delay.by_hint), number(delay.least), number(delay.most))
                })
                .collect();
            self.line("  events.flatMap((event) =>");
            self.line(
                "    event.type === 'retry.scheduled' ? [[event.source, event.minMs, event.maxMs]] : [],",
            );
            self.line("  ),");
            self.line(&format!("  [{}],", bands.join(", ")));
        }
        self.line(");");
        self.ended();
        if call.opened_by.is_some() {
            self.line(
                "assert.ok(events.some((event) => event.type === 'breaker.changed' && event.to === 'open'));",
            );
        }
    }

    fn ended(&mut self) {
        let call = self.call;
        if let Ending::Failed { code, why, message } = &call.ending {
            // A line that was too long was cut when it was told.
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
            self.line(&format!("  [{}, {}{said}],", string(code), string(why)));
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
            (Ending::Failed { code, .. }, None) => (code, None),
            // What its own attempts led to is as long after them as jitter makes it.
            (Ending::Refused { code, retry_after, .. }, None) => {
                (code, retry_after.filter(|_| call.attempts.is_empty()))
            }
        };
        self.line("assert.ok(ended.status === 'rejected' && AgentError.is(ended.reason));");
        self.line(&format!("assert.equal(ended.reason.code, {});", string(code)));
        if let Some(ms) = hint {
            self.line(&format!("assert.equal(ended.reason.retryAfterMs, {});", number(ms)));
        }
    }

    fn whole(self) -> String {
        let Self { call, notes, body } = self;
        let uses = |name: &str| body.contains(name);
        let mut out = format!(
            "// Exported by the Halfopen dashboard: call {} of the policy {}.\n//\n",
            line(&call.id),
            line(&call.policy)
        );
        out.push_str("// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.\n");
        for note in &notes {
            out.push_str(&format!("// {}\n", line(note)));
        }
        out.push_str("\nimport assert from 'node:assert/strict';\nimport { test } from 'node:test';\n");
        let error = if uses("AgentError") { "AgentError, " } else { "" };
        out.push_str(&format!("import {{ {error}createPolicy }} from 'halfopen';\n"));
        out.push_str("import { recordEvents, script, VirtualClock } from 'halfopen/testing';\n\n");
        let name = if call.task.is_empty() { &call.policy } else { &call.task };
        out.push_str(&format!(
            "test({}, async () => {{\n",
            string(&format!("{name}: {}", outcome_in_words(call)))
        ));
        let (clock, rest) = body.split_once('\n').unwrap_or(("", &body));
        out.push_str(clock);
        out.push('\n');
        for (name, code) in PARTS {
            if rest.contains(name)
                || *name == "after("
                    && PARTS.iter().any(|(name, code)| rest.contains(name) && code.contains("after("))
            {
                out.push_str(code);
            }
        }
        out.push_str(rest);
        out.push_str("});\n");
        out
    }
}

/// What outcomes are made of; only those that are used are written.
const PARTS: &[(&str, &str)] = &[
    (
        "after(",
        "  /** Resolves after so many milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
",
    ),
    (
        "answers(",
        "  const answers = (ms: number) => async () => {
    await after(ms);
    return 'an answer';
  };
",
    ),
    (
        "fails(",
        "  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
",
    ),
    ("stalls", "  const stalls = () => new Promise<never>(() => {});\n"),
    (
        "chunks(",
        "  /** A stream of so many chunks over so many milliseconds, which then ends, breaks, or falls silent. */
  const chunks = (count: number, ms: number, then?: Error | 'stall') => async function* () {
    for (let index = 0; index < count; index++) {
      await after(ms / count);
      yield `chunk ${index}`;
    }
    if (then === 'stall') await new Promise<never>(() => {});
    else if (then !== undefined) throw then;
  };
",
    ),
    (
        "collect(",
        "  const collect = async (stream: AsyncIterable<unknown>) => {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
",
    ),
];

/// The function that plays an attempt.
fn outcome(attempt: &Attempt, stream: bool) -> String {
    let ms = attempt.took.round().max(0.0);
    match &attempt.came {
        // The policy's own clock ends it: the operation only has to be silent.
        Came::Failed(failure) if failure.rule == "policy.timeout" => match attempt.chunks {
            Some(chunks) if stream => format!("chunks({}, 0, 'stall')", chunks.max(1)),
            _ => "stalls".into(),
        },
        Came::Failed(failure) => {
            let thrown = thrown::expression(attempt, failure);
            match attempt.chunks {
                Some(chunks) if stream => format!("chunks({}, {ms}, {thrown})", chunks.max(1)),
                _ => format!("fails({ms}, {thrown})"),
            }
        }
        Came::Answered if stream => format!("chunks({}, {ms})", attempt.chunks.unwrap_or(1).max(1)),
        Came::Answered => format!("answers({ms})"),
        Came::Silent => "stalls".into(),
    }
}

fn open_breaker(retry_after: f64) -> String {
    format!(
        "{{ version: 1, name: 'breaker', state: 'open', generation: 1, at: clock.wall(), consecutiveFailures: 0, failedProbes: 0, retryAfterMs: {} }}",
        number(retry_after)
    )
}

fn by(hint: bool) -> &'static str {
    if hint { "'retry-after'" } else { "'backoff'" }
}

fn outcome_in_words(call: &Recorded) -> String {
    let attempts = match call.attempts.len() {
        1 => "1 attempt".to_owned(),
        many => format!("{many} attempts"),
    };
    let fallback = match call.fallback {
        Some(false) => ", then the fallback",
        Some(true) => ", and the fallback failed",
        None => "",
    };
    match &call.ending {
        Ending::Open => format!("so far {attempts}"),
        Ending::Succeeded => format!("succeeds after {attempts}"),
        Ending::Failed { code, .. } => format!("{code} after {attempts}{fallback}"),
        Ending::Refused { code, .. } => format!("{code}, refused after {attempts}{fallback}"),
    }
}
