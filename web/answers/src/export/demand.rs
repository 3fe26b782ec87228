//! A test that demands what a finding asks for. It fails with the recorded options, and passes with the changed ones.
//!
//! | Finding | The test |
//! |---|---|
//! | `short-timeout` | An answer that comes later than the timeout that cut the attempt off is waited for. |
//! | `no-timeout` | A call whose operation never answers ends. |
//! | `hair-trigger` | The failures that opened the breaker are not enough: the next call is admitted. |
//!
//! Other findings have no such test, so their calls are repeated as they were.

use super::AsTest;
use super::literal::{number, string};
use super::played::outcome;
use super::recorded::Recorded;
use super::test::Test;

/// The behaviour that the test demands of the policy.
pub(super) enum Demand {
    /// Waits for an answer that takes `answer` milliseconds. It waited `was`.
    Waits { answer: f64, was: f64 },
    /// Ends within that number of milliseconds.
    Ends { within: f64 },
    /// Stays closed after the failures of this call.
    StaysClosed,
}

impl Demand {
    /// The demand of the question's finding; `None` if it has none, or the call does not show it.
    pub(super) fn of(question: &AsTest, call: &Recorded<'_>) -> Option<Self> {
        let setting = |path: &str| {
            let (_, to) = question.settings.iter().find(|(of, _)| of == path)?;
            halfopen_log::number(&to.replace('_', ""))
        };
        match question.finding.as_str() {
            "short-timeout" => {
                let options = call.options.as_ref()?;
                let was = options.get("timeout")?.get("attemptMs")?.as_f64()?;
                let to = setting("timeout.attemptMs").filter(|&to| to > was)?;
                Some(Self::Waits { answer: ((was + to) / 2.0).floor(), was })
            }
            // Twice the proposed time: any limit of that size will do.
            "no-timeout" => Some(Self::Ends { within: setting("timeout.totalMs")? * 2.0 }),
            "hair-trigger" => {
                // Without a setting to change, or if slow answers opened the breaker, the test would pass with the recorded
                // options.
                let shows =
                    call.opened.is_some() && !call.opened_by_success() && call.failed().next().is_some();
                (shows && !question.settings.is_empty()).then_some(Self::StaysClosed)
            }
            _ => None,
        }
    }

    pub(super) fn title(&self, call: &Recorded<'_>) -> String {
        match self {
            Self::Waits { answer, .. } => format!("an answer after {} ms is waited for", number(*answer)),
            Self::Ends { within } => format!("a call that gets no answer ends within {} ms", number(*within)),
            Self::StaysClosed => match call.breaker_failures() {
                1 => "one failure does not open the breaker".into(),
                count => format!("{count} failures do not open the breaker"),
            },
        }
    }

    /// The beginning of the file.
    pub(super) fn about(&self) -> String {
        let says = match self {
            Self::Waits { was, .. } => {
                format!(
                    "In the log an attempt was cut off after {} ms. How long the answer would have taken is a guess.",
                    number(*was)
                )
            }
            Self::Ends { .. } => "In the log the policy has no timeout.".to_owned(),
            Self::StaysClosed => "In the log this call's failure opened the breaker.".to_owned(),
        };
        format!(
            "// It demands the change that the finding asks for. {says}\n// It fails with the recorded options, and passes once the policy is changed.\n"
        )
    }
}

impl Test<'_> {
    /// The message of an assertion, as code: what went wrong, and the settings that the finding changes.
    fn message(&self, wrong: &str) -> String {
        let paths: Vec<_> = self.question.settings.iter().map(|(path, _)| path.as_str()).collect();
        string(&format!("{wrong}: look at {}", paths.join(" and ")))
    }

    pub(super) fn demand(&mut self, demand: &Demand) {
        self.line("const { events } = recordEvents(policy);");
        match demand {
            Demand::Waits { answer, .. } => {
                self.line("const operation = script(");
                self.line(&format!("  answers({}),", number(*answer)));
                self.line(");");
                self.line("const call = policy.execute(operation);");
                self.line("const [[ended]] = await Promise.all([Promise.allSettled([call]), clock.advance(600000)]);");
                self.line("");
                self.line(
                    "const isCut = (event) => event.type === 'attempt.failed' && event.code === 'TIMEOUT';",
                );
                let cut = format!("a timeout cut off an answer that takes {} ms", number(*answer));
                self.line(&format!("assert.ok(!events.some(isCut), {});", self.message(&cut)));
                let none = self.message("the call got no answer");
                self.line(&format!("assert.equal(ended.status, 'fulfilled', {none});"));
            }
            Demand::Ends { within } => {
                self.line("let hasEnded = false;");
                self.line("const end = () => {");
                self.line("  hasEnded = true;");
                self.line("};");
                self.line("policy.execute(stalls).then(end, end);");
                self.line(&format!("await clock.advance({});", number(*within)));
                let waits = format!("the call still waits for an answer after {} ms", number(*within));
                self.line(&format!("assert.ok(hasEnded, {});", self.message(&waits)));
                self.line("const codes = events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : []));");
                let other = self.message("the call ended, but not by a timeout");
                self.line(&format!(
                    "assert.ok(codes.length > 0 && codes.every((code) => code === 'TIMEOUT'), {other});"
                ));
            }
            Demand::StaysClosed => {
                let call = self.call;
                self.line("const operation = script(");
                for attempt in call.failed() {
                    self.line(&format!("  {},", outcome(attempt, false)));
                }
                // Without an answer the last failure repeats, until the call fails.
                if call.is_by_attempt() {
                    self.line("  'an answer',");
                }
                self.line(");");
                self.line("await Promise.all([Promise.allSettled([policy.execute(operation)]), clock.advance(600000)]);");
                self.line("");
                let opened = match call.breaker_failures() {
                    1 => self.message("one failure opened the breaker"),
                    count => self.message(&format!("{count} failures opened the breaker")),
                };
                self.line("const hasChanged = events.some((event) => event.type === 'breaker.changed');");
                self.line(&format!("assert.ok(!hasChanged, {opened});"));
                self.line("assert.equal(await policy.execute(() => 'the next answer'), 'the next answer');");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test for a finding about a call that failed and opened its breaker, with the finding's setting.
    fn test(finding: &str, path: &str, to: &str) -> String {
        test_of(
            finding,
            path,
            to,
            &[
                r#""type":"call.started""#,
                r#""type":"attempt.started","attempt":1"#,
                r#""type":"attempt.failed","attempt":1,"durationMs":250,"code":"TIMEOUT","severity":"retriable","retryable":true,"rule":"policy.timeout","counted":true"#,
                r#""type":"breaker.changed","breaker":"shop","from":"closed","to":"open","reason":"","generation":1,"window":{"total":1,"failures":1,"slow":0,"last":[1]}"#,
                r#""type":"call.failed","attempts":1,"durationMs":250,"code":"TIMEOUT","why":"exhausted","userMessage":"""#,
            ],
        )
    }

    /// The test for a finding about the call of these events.
    fn test_of(finding: &str, path: &str, to: &str, events: &[&str]) -> String {
        let line =
            |rest: &str| format!(r#"{{"v":1,"source":"s","seq":1,"time":1000,"policy":"shop",{rest}}}"#);
        let configured = r#""type":"policy.configured","options":{"timeout":{"attemptMs":250},"breaker":{"failureThreshold":1}},"seed":1"#;
        crate::export::test(&AsTest {
            id: "c".into(),
            policy: "shop".into(),
            started: 1000.0,
            plain: true,
            yours: true,
            module: String::new(),
            export: String::new(),
            finding: finding.into(),
            settings: vec![(path.into(), to.into())],
            configured: Some(line(configured)),
            events: events.iter().map(|rest| line(&format!(r#""call":"c",{rest}"#))).collect(),
        })
    }

    /// The failures of the call did not open the breaker, so the test would pass with the recorded options.
    #[test]
    fn a_call_that_opened_the_breaker_by_a_slow_answer_after_a_failed_attempt_has_no_test_of_its_failures() {
        let test = test_of(
            "hair-trigger",
            "breaker.window.minimumCalls",
            "10",
            &[
                r#""type":"call.started""#,
                r#""type":"attempt.started","attempt":1"#,
                r#""type":"attempt.failed","attempt":1,"durationMs":10,"code":"SERVER_ERROR","severity":"retriable","retryable":true,"rule":"http.5xx","counted":false"#,
                r#""type":"attempt.started","attempt":2"#,
                r#""type":"attempt.succeeded","attempt":2,"durationMs":900"#,
                r#""type":"breaker.changed","breaker":"shop","from":"closed","to":"open","reason":"","generation":1,"window":{"total":1,"failures":0,"slow":1,"last":[2]}"#,
                r#""type":"call.succeeded","attempts":2,"durationMs":930"#,
            ],
        );
        assert!(test.contains("succeeds after 2 attempts"), "it repeats the call: {test}");
        // The only result is the call's own.
        assert!(!test.contains("recordSuccess"), "{test}");
    }

    #[test]
    fn an_assertion_that_fails_names_the_setting_to_change() {
        for (finding, path, to) in [
            ("short-timeout", "timeout.attemptMs", "500"),
            ("no-timeout", "timeout.totalMs", "4_000"),
            ("hair-trigger", "breaker.failureThreshold", "5"),
            ("hair-trigger", "breaker.window.minimumCalls", "10"),
        ] {
            let test = test(finding, path, to);
            let says = format!("look at {path}'");
            let asserts: Vec<_> = test.split(";\n").filter(|line| line.contains("assert.")).collect();
            // The call after the failures throws CIRCUIT_OPEN by itself if the breaker is open.
            let (last, asserts) = asserts.split_last().unwrap();
            let silent: Vec<_> = asserts.iter().filter(|assert| !assert.contains(&says)).collect();
            assert!(!asserts.is_empty() && silent.is_empty(), "{finding}: {silent:?}");
            assert!(last.contains(&says) || last.contains("'the next answer'"), "{finding}: {last}");
        }
    }
}
