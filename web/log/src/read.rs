//! Parses a line into its event.

use super::event::Event;
use super::fields::Fields;
use super::key::Key;
use super::kind::Kind;
use super::rejected::Rejected;
use super::text::Text;
use super::values::{Usage, Window};
use super::{MAX_LINE, VERSION};

impl<'a> Event<'a> {
    /// Reads one line, without its line break.
    ///
    /// # Errors
    /// [`Rejected`] when the line is torn, too long, not JSON, lacks what its type needs, or has a number that its
    /// field cannot mean.
    pub fn parse(line: &'a str) -> Result<Self, Rejected> {
        if line.len() > MAX_LINE {
            return Err(Rejected::TooLong(line.len()));
        }
        let mut fields = Fields::read(line)?;
        let name = fields.text(Key::Type)?;
        // A reason names the type if the line has it without escapes.
        if let std::borrow::Cow::Borrowed(name) = name.0 {
            fields.of = name;
        }
        let v = fields.count(Key::V)?;
        let seq = fields.whole(Key::Seq)?;
        let time = fields.moment(Key::Time)?;
        let known = v == VERSION;
        let waits = known && name.as_str() == "retry.scheduled";
        // Older writers put the origin of the delay under `source`, and the process under `process`.
        let older = waits && fields.maybe_text(Key::DelaySource)?.is_none();
        let source = fields.maybe_text(if older { Key::Process } else { Key::Source })?;
        if source.is_none() && !waits {
            return Err(Rejected::Missing { kind: fields.of.chars().take(64).collect(), field: "source" });
        }
        let kind = if known { Kind::read(name.as_str(), &fields)? } else { None };
        Ok(Self {
            v,
            source,
            seq,
            time,
            policy: fields.maybe_text(Key::Policy)?,
            call: fields.maybe_text(Key::Call)?,
            parent_call: fields.maybe_text(Key::ParentCall)?,
            trace_id: fields.maybe_text(Key::TraceId)?,
            run: fields.maybe_text(Key::Run)?,
            kind: kind.unwrap_or(Kind::Other(name)),
        })
    }
}

impl<'a> Fields<'a> {
    /// Tokens, if the line has them.
    pub(super) fn maybe_usage(&self, field: Key) -> Result<Option<Usage>, Rejected> {
        let Some(usage) = self.maybe_fields(field)? else { return Ok(None) };
        Ok(Some(Usage {
            input_tokens: usage.maybe_whole(Key::InputTokens)?,
            output_tokens: usage.maybe_whole(Key::OutputTokens)?,
        }))
    }

    /// The origin of a delay. Older writers put it under `source`, where only their two values are an origin.
    pub(super) fn delay_source(&self, field: Key) -> Result<Text<'a>, Rejected> {
        if let Some(source) = self.maybe_text(field)? {
            return Ok(source);
        }
        let older = self.maybe_text(Key::Source)?;
        self.need(field, older.filter(|source| matches!(source.as_str(), "backoff" | "retry-after")))
    }

    /// The contents of a breaker window, if the line has them.
    pub(super) fn maybe_window(&self, field: Key) -> Result<Option<Window>, Rejected> {
        let Some(window) = self.maybe_fields(field)? else { return Ok(None) };
        Ok(Some(Window {
            total: window.count(Key::Total)?,
            failures: window.count(Key::Failures)?,
            slow: window.count(Key::Slow)?,
            last: window.bytes(Key::Last)?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::kind::{AttemptSucceeded, CallDequeued, CallStarted};
    use crate::{Event, Kind, MAX_LINE, Rejected, Text, VERSION};
    use halfopen::code::Code;
    use proptest::prelude::*;
    use std::borrow::Cow;

    fn line(rest: &str) -> String {
        format!(r#"{{"v":1,"source":"s","seq":1,"time":5,{rest}}}"#)
    }

    /// A line of every type with every field, in the order in which the package writes them.
    const EVERY: &[&str] = &[
        r#""type":"policy.configured","options":{"retry":{"max":3},"name":"é"},"seed":7"#,
        r#""type":"call.started","task":"plan \"it\"","options":{"retry":false}"#,
        r#""type":"call.queued","by":"bulkhead","position":2,"dueAt":9.5"#,
        r#""type":"call.dequeued""#,
        r#""type":"attempt.started","attempt":1,"provider":"p","model":"m","probe":true,"generation":3"#,
        r#""type":"attempt.succeeded","attempt":1,"durationMs":2.5,"firstChunkMs":1,"usage":{"inputTokens":5,"outputTokens":6}"#,
        r#""type":"attempt.succeeded","attempt":1,"durationMs":2.5,"usage":{}"#,
        r#""type":"attempt.failed","attempt":1,"durationMs":2,"code":"TIMEOUT","severity":"s","retryable":true,"rule":"r","technicalDetails":"\\ \u001f","signals":{"a":[1,null]},"counted":false,"statusCode":503,"requestId":"q","retryAfterMs":4,"errorClass":"TypeError","message":"x is undefined","frame":"at run (agent.ts:7:3)""#,
        r#""type":"attempt.repaired","attempt":1,"remedy":"drop-parameter","changes":["removed `temperature`"]"#,
        r#""type":"retry.scheduled","attempt":2,"delayMs":1,"dueAt":6,"minMs":1,"maxMs":2,"delaySource":"backoff","budgetLeft":3"#,
        r#""type":"call.succeeded","attempts":1,"durationMs":2"#,
        r#""type":"call.succeeded","attempts":1,"durationMs":2,"closedEarly":true"#,
        r#""type":"call.succeeded","attempts":1,"durationMs":2,"closedEarly":true,"usage":{"inputTokens":5}"#,
        r#""type":"call.failed","attempts":1,"durationMs":2,"code":"TIMEOUT","why":"exhausted","userMessage":"m""#,
        r#""type":"call.failed","attempts":1,"durationMs":2,"code":"CANCELLED","why":"cancelled","userMessage":"m","usage":{"outputTokens":6}"#,
        r#""type":"call.failed","attempts":2,"durationMs":2,"code":"VALIDATION_ERROR","why":"not-retryable","userMessage":"m","tried":["removed `temperature`"]"#,
        r#""type":"call.rejected","code":"CIRCUIT_OPEN","by":"breaker","retryAfterMs":1"#,
        r#""type":"fallback.used","code":"TIMEOUT","failed":true"#,
        r#""type":"failover.switched","from":"a","to":"b","code":"TIMEOUT""#,
        r#""type":"limit.changed","limit":14,"because":"overload","code":"TIMEOUT""#,
        r#""type":"breaker.throttled","breaker":"b","rate":0.25"#,
        r#""type":"breaker.changed","breaker":"b","from":"closed","to":"open","reason":"r","generation":2,"retryAt":8,"window":{"total":3,"failures":2,"slow":1,"last":[0,1,2]}"#,
        r#""type":"stream.chunk","attempt":1,"chunks":2,"characters":3"#,
        r#""type":"stream.chunk","attempt":1,"chunks":2,"characters":3,"usage":{"inputTokens":5,"outputTokens":6}"#,
        r#""type":"stream.broken","attempt":1,"received":2,"action":"fail""#,
        r#""type":"limits.observed","provider":"p","model":"m","unit":"tokens","limit":10,"remaining":4,"resetAt":9"#,
        r#""type":"recovery.routed","severity":"s","next":"retry""#,
        r#""type":"degraded","operation":"o","code":"TIMEOUT""#,
        r#""type":"core.restarted","module":"core","during":"classify""#,
        r#""type":"iterations.exceeded","max":25"#,
        r#""type":"run.started","name":"research","task":"compare","parentRun":"r0","limits":{"steps":40},"restored":true"#,
        r#""type":"run.step","step":3"#,
        r#""type":"run.tool","tool":"search","outcome":"failed","code":"TIMEOUT","repeated":3,"durationMs":12.5"#,
        r#""type":"run.tool","tool":"search","outcome":"refused","repeated":4"#,
        r#""type":"run.warned","limit":"tokens","max":1000,"spent":812"#,
        r#""type":"run.advised","advice":"steer","because":{"kind":"loop","loop":"repeats","tool":"search","count":3}"#,
        r#""type":"run.ended","end":"stopped","code":"MAX_ITERATIONS_EXCEEDED","userMessage":"m","spent":{"steps":9}"#,
        r#""type":"process.started","host":"worker-7","pid":4711,"version":"1.4.0","deployment":"eu""#,
        r#""type":"fleet.changed","fleet":"workers","status":"degraded","reason":"no answer""#,
        r#""type":"fleet.changed","fleet":"workers","status":"left""#,
        r#""type":"fleet.mismatch","fleet":"workers","key":"workers/chat""#,
        r#""type":"effect.claimed","name":"refund","key":"3f2a","attempt":2"#,
        r#""type":"effect.done","name":"refund","key":"3f2a","attempt":2"#,
        r#""type":"effect.reused","name":"refund","key":"3f2a""#,
        r#""type":"effect.unknown","name":"refund","key":"3f2a""#,
        r#""type":"effect.verified","name":"refund","key":"3f2a","happened":false"#,
        r#""type":"effect.settled","name":"refund","key":"3f2a","happened":true"#,
        r#""type":"effect.unguarded","name":"refund","key":"3f2a""#,
        r#""type":"control.applied","id":"a1","by":"ana","action":"isolate","breaker":"b","undoable":true"#,
        r#""type":"control.applied","id":"a2","by":"ana","action":"undo","of":"a1","undoable":false"#,
        r#""type":"control.failed","id":"a3","by":"ana","action":"update","options":{"retry":{"maxRetries":-1}},"reason":"r""#,
        r#""type":"process.started","pid":4712,"control":true"#,
        r#""type":"events.dropped","count":12"#,
        r#""type":"call.teleported""#,
    ];

    #[test]
    fn every_type_is_written_as_it_was_read() {
        let head = r#"{"v":1,"source":"s","seq":1,"time":5.5,"policy":"p","call":"c","parentCall":"a","traceId":"t","run":"r1","#;
        for text in EVERY.iter().map(|rest| format!("{head}{rest}}}")) {
            let event = Event::parse(&text).unwrap();
            assert_eq!(matches!(event.kind, Kind::Other(_)), text.contains("teleported"), "{text}");
            assert_eq!(event.to_line(), text);
        }
    }

    #[test]
    fn a_field_of_a_wrong_type_says_which_and_what_was_expected() {
        for (rest, why) in [
            (
                r#""type":"call.succeeded","attempts":"many","durationMs":1"#,
                "'attempts' is \"many\", expected a whole number, zero or more",
            ),
            (
                r#""type":"call.succeeded","attempts":4294967296,"durationMs":1"#,
                "'attempts' is 4294967296, expected a whole number below 4294967296",
            ),
            (r#""type":"call.dequeued","call":17"#, "'call' is 17, expected a text"),
            (
                r#""type":"attempt.succeeded","attempt":1,"durationMs":1,"usage":[]"#,
                "'usage' is [], expected an object",
            ),
            (r#""type":"call.dequeued" "call":1"#, "expected a comma or the object's end at byte 60"),
        ] {
            assert_eq!(Event::parse(&line(rest)).unwrap_err().to_string(), why, "{rest}");
        }
    }

    #[test]
    fn an_attempt_that_failed_is_read_whole() {
        let text = line(
            r#""type":"attempt.failed","call":"c","attempt":2,"durationMs":12.5,"code":"RATE_LIMITED","severity":"retriable","retryable":true,"rule":"http.429","technicalDetails":"429 \"slow down\"","signals":{"status":429},"counted":true,"statusCode":429,"retryAfterMs":1500"#,
        );
        let event = Event::parse(&text).unwrap();
        let Kind::AttemptFailed(failed) = event.kind else { panic!("{event:?}") };
        assert_eq!(failed.code.code(), Some(Code::RateLimited));
        assert_eq!(failed.technical_details.as_str(), r#"429 "slow down""#);
        assert_eq!(failed.signals.value()["status"], 429);
        assert_eq!(failed.retry_after_ms, Some(1500.0));
    }

    #[test]
    fn plain_text_is_borrowed_from_the_line() {
        let text = line(r#""type":"call.started","task":"plan the trip""#);
        let event = Event::parse(&text).unwrap();
        let task = Some(Text(Cow::Borrowed("plan the trip")));
        assert!(matches!(
            event.kind,
            Kind::CallStarted(CallStarted { task: Some(Text(Cow::Borrowed(_))), .. })
        ));
        assert_eq!(event.kind, Kind::CallStarted(CallStarted { task, operation: None, options: None }));
    }

    #[test]
    fn a_delay_has_its_own_source_beside_the_process() {
        let rest = r#""type":"retry.scheduled","call":"c","attempt":2,"delayMs":1000,"dueAt":6,"minMs":800,"maxMs":1200"#;
        let text = line(&format!(r#"{rest},"delaySource":"retry-after""#));
        let event = Event::parse(&text).unwrap();
        assert_eq!(event.source, Some("s".into()));
        assert!(
            matches!(&event.kind, Kind::RetryScheduled(wait) if wait.delay_source.as_str() == "retry-after")
        );
        let why = Event::parse(&line(rest)).unwrap_err().to_string();
        assert_eq!(why, "'retry.scheduled' lacks the field 'delaySource'");
    }

    #[test]
    fn the_delay_of_an_older_writer_is_read_and_written_anew() {
        let rest = r#""type":"retry.scheduled","call":"c","attempt":2,"delayMs":1000,"dueAt":6,"minMs":800,"maxMs":1200"#;
        let text = format!(r#"{{"v":1,"source":"backoff","process":"agent-1","seq":1,"time":5,{rest}}}"#);
        let event = Event::parse(&text).unwrap();
        assert_eq!(event.source, Some("agent-1".into()));
        assert!(matches!(&event.kind, Kind::RetryScheduled(wait) if wait.delay_source.as_str() == "backoff"));
        let anew = event.to_line();
        assert!(
            anew.contains(r#""source":"agent-1""#) && anew.contains(r#""delaySource":"backoff""#),
            "{anew}"
        );
        let without = text.replace(r#""process":"agent-1","#, "");
        let event = Event::parse(&without).unwrap();
        assert_eq!(event.source, None);
        assert_eq!(Event::parse(&event.to_line()).unwrap(), event);
    }

    #[test]
    fn unknown_fields_types_and_versions_are_no_fault() {
        let text = line(r#""type":"call.dequeued","color":"red","attemptx":"no""#);
        assert_eq!(Event::parse(&text).unwrap().kind, Kind::CallDequeued(CallDequeued {}));
        let text = line(r#""type":"call.teleported","attempt":"both","window":7"#);
        assert_eq!(Event::parse(&text).unwrap().kind, Kind::Other("call.teleported".into()));
        let text = line(r#""type":"call.failed","attempts":"many""#).replace(r#""v":1"#, r#""v":2"#);
        assert_eq!(Event::parse(&text).unwrap().v, 2);
    }

    #[test]
    fn what_cannot_be_an_event_says_why() {
        let cases = [
            (
                line(r#""type":"call.succeeded","attempts":1,"durationMs":null"#),
                "'call.succeeded' lacks the field 'durationMs'",
            ),
            (
                line(r#""type":"call.succeeded","attempts":1,"durationMs":-1"#),
                "'durationMs' is -1, expected milliseconds, zero or more",
            ),
            (
                line(r#""type":"call.dequeued""#).replace(":5,", ":9e15,"),
                "'time' is 9000000000000000, expected milliseconds since 1970",
            ),
            (
                line(r#""type":"call.dequeued""#).replace(r#""source":"s","#, ""),
                "'call.dequeued' lacks the field 'source'",
            ),
        ];
        for (text, why) in cases {
            assert_eq!(Event::parse(&text).unwrap_err().to_string(), why, "{text}");
        }
        for text in ["7", "[]", "null", "\"x\"", "{}", "NaN", r#"{"v":1,"time":NaN}"#, "{\"v\":1e999}"] {
            assert!(!matches!(Event::parse(text), Ok(_) | Err(Rejected::Torn)), "{text}");
        }
        assert_eq!(Event::parse(&"x".repeat(MAX_LINE + 1)), Err(Rejected::TooLong(MAX_LINE + 1)));
    }

    #[test]
    fn every_cut_of_a_line_is_torn() {
        let text = line(
            r#""type":"call.failed","attempts":1,"durationMs":1,"code":"TIMEOUT","why":"exhausted","userMessage":"é""#,
        );
        for (end, _) in text.char_indices() {
            assert_eq!(Event::parse(&text[..end]), Err(Rejected::Torn), "{}", &text[..end]);
        }
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in ".{0,200}") {
            let _ = Event::parse(&text);
        }

        #[test]
        fn what_is_written_reads_the_same(attempt in 1u32..9, ms in 0u32..100_000, source in "[a-z]{1,8}") {
            let event = Event {
                v: VERSION,
                source: Some(source.into()),
                seq: u64::from(ms),
                time: f64::from(ms),
                policy: Some("p".into()),
                call: Some("c".into()),
                parent_call: None,
                trace_id: None,
                run: None,
                kind: Kind::AttemptSucceeded(AttemptSucceeded { attempt, duration_ms: f64::from(ms), first_chunk_ms: None, usage: None, unread_stream: None }),
            };
            let text = event.to_line();
            prop_assert_eq!(Event::parse(&text).unwrap(), event);
        }
    }
}
