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
use super::literal::number;
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
            to.replace('_', "").parse::<f64>().ok()
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
                (call.opened.is_some() && call.failed().next().is_some()).then_some(Self::StaysClosed)
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
                self.line("assert.equal(ended.status, 'fulfilled');");
                self.line(
                    "const isCut = (event) => event.type === 'attempt.failed' && event.code === 'TIMEOUT';",
                );
                self.line("assert.ok(!events.some(isCut), 'the timeout has cut an attempt off');");
            }
            Demand::Ends { within } => {
                self.line("let hasEnded = false;");
                self.line("const end = () => {");
                self.line("  hasEnded = true;");
                self.line("};");
                self.line("policy.execute(stalls).then(end, end);");
                self.line(&format!("await clock.advance({});", number(*within)));
                self.line("assert.ok(hasEnded, 'the call still waits for an answer');");
                self.line("const codes = events.flatMap((event) => (event.type === 'attempt.failed' ? [event.code] : []));");
                self.line("assert.ok(codes.length > 0 && codes.every((code) => code === 'TIMEOUT'));");
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
                self.line("assert.ok(!events.some((event) => event.type === 'breaker.changed'));");
                self.line("assert.equal(await policy.execute(() => 'the next answer'), 'the next answer');");
            }
        }
    }
}
