//! A call as a runnable test: the policy's options, each attempt's outcome in turn, and the result.

use super::AsTest;
use super::literal::string;
use super::recorded::{Ending, Recorded, recorded};
use crate::plain::line;

/// The test.
pub(crate) fn test(question: &AsTest) -> String {
    let call = recorded(question);
    let mut out = Test { call: &call, notes: Vec::new(), body: String::new() };
    out.policy();
    out.before();
    out.operation();
    out.run();
    out.expect();
    out.whole()
}

/// The test in the making.
pub(super) struct Test<'a> {
    pub(super) call: &'a Recorded<'a>,
    /// Notes for the reader of the test, because the log does not have everything.
    pub(super) notes: Vec<String>,
    body: String,
}

impl Test<'_> {
    pub(super) fn line(&mut self, text: &str) {
        if !text.is_empty() {
            self.body.push_str("  ");
            self.body.push_str(text);
        }
        self.body.push('\n');
    }

    pub(super) fn option(&self, path: &[&str]) -> Option<f64> {
        let mut found = self.call.options.as_ref()?;
        for name in path {
            found = found.get(name)?;
        }
        found.as_f64()
    }

    pub(super) fn is_stream(&self) -> bool {
        self.call.on_break.is_some() || self.call.attempts.iter().any(|attempt| attempt.chunks.is_some())
    }

    pub(super) fn is_nested(&self) -> bool {
        matches!(&self.call.ending, Ending::Failed(failed) if failed.why.as_str() == "nested")
    }

    fn whole(self) -> String {
        let Self { call, notes, body } = self;
        let uses = |name: &str| body.contains(name);
        let mut out = format!(
            "// Exported by the Halfopen dashboard: call {} of the policy {}.\n//\n",
            line(call.id),
            line(call.policy)
        );
        out.push_str("// Run it: node --import tsx --test <this file>. Errors are made from recorded signals; their texts were not kept.\n");
        for note in &notes {
            out.push_str(&format!("// {}\n", line(note)));
        }
        out.push_str("\nimport assert from 'node:assert/strict';\nimport { test } from 'node:test';\n");
        let error = if uses("AgentError") { "AgentError, " } else { "" };
        out.push_str(&format!("import {{ {error}createPolicy }} from 'halfopen';\n"));
        out.push_str("import { recordEvents, script, VirtualClock } from 'halfopen/testing';\n\n");
        let name = if call.task.as_str().is_empty() { call.policy } else { call.task.as_str() };
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

/// The helpers that make outcomes. The test has only those that it uses.
const PARTS: &[(&str, &str)] = &[
    (
        "after(",
        "  /** Resolves after `ms` milliseconds of the clock. */
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
        "  /** A stream of `count` chunks over `ms` milliseconds, which then ends, breaks, or falls silent. */
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

fn outcome_in_words(call: &Recorded<'_>) -> String {
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
        Ending::Failed(failed) => format!("{} after {attempts}{fallback}", failed.code.as_str()),
        Ending::Refused(refused) => {
            format!("{}, refused after {attempts}{fallback}", refused.code.as_str())
        }
    }
}
