//! The text of a test: its head, its body line by line, and the helpers that it uses.

use super::AsTest;
use super::literal::string;
use super::recorded::{Ending, Recorded};
use crate::plain::line;

/// The test in the making.
pub(super) struct Test<'a> {
    pub(super) question: &'a AsTest,
    pub(super) call: &'a Recorded<'a>,
    /// Notes for the reader of the test, because the log does not have everything.
    pub(super) notes: Vec<String>,
    /// The place of the user's policy.
    pub(super) yours: String,
    body: String,
}

impl<'a> Test<'a> {
    pub(super) const fn new(question: &'a AsTest, call: &'a Recorded<'a>) -> Self {
        Self { question, call, notes: Vec::new(), yours: String::new(), body: String::new() }
    }

    /// The first in TypeScript, the second in JavaScript.
    pub(super) fn typed<'t>(&self, typescript: &'t str, javascript: &'t str) -> &'t str {
        if self.question.plain { javascript } else { typescript }
    }

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

    pub(super) fn whole(self, outcome: &str, about: &str) -> String {
        let Self { question, call, notes, yours, body } = self;
        let uses = |name: &str| body.contains(name);
        let by = if question.yours { "from a log of Halfopen" } else { "by the Halfopen dashboard" };
        let mut out =
            format!("// Exported {by}: call {} of the policy {}.\n//\n", line(call.id), line(call.policy));
        out.push_str(about);
        let run = if question.plain { "node --test" } else { "node --import tsx --test" };
        out.push_str(&format!("// Run it: {run} <this file>. Errors are made from recorded signals; their texts were not kept.\n"));
        for note in &notes {
            out.push_str(&format!("// {}\n", line(note)));
        }
        out.push_str("\nimport assert from 'node:assert/strict';\nimport { test } from 'node:test';\n");
        let error = if uses("AgentError") { "AgentError, " } else { "" };
        out.push_str(&format!("import {{ {error}createPolicy }} from 'halfopen';\n"));
        let helpers = ["optionsOf", "recordEvents", "script", "VirtualClock"];
        let used: Vec<_> = helpers.into_iter().filter(|&helper| uses(helper)).collect();
        out.push_str(&format!("import {{ {} }} from 'halfopen/testing';\n\n", used.join(", ")));
        out.push_str(&yours);
        let name = if call.task.as_str().is_empty() { call.policy } else { call.task.as_str() };
        out.push_str(&format!("test({}, async () => {{\n", string(&format!("{name}: {outcome}"))));
        let (clock, rest) = body.split_once('\n').unwrap_or(("", &body));
        out.push_str(clock);
        out.push('\n');
        for Part { name, typescript, javascript } in PARTS {
            if rest.contains(name)
                || *name == "after("
                    && PARTS.iter().any(|part| rest.contains(part.name) && part.typescript.contains("after("))
            {
                out.push_str(if question.plain { javascript } else { typescript });
            }
        }
        out.push_str(rest);
        out.push_str("});\n");
        out
    }
}

/// A helper of the test, in both languages.
struct Part {
    /// By which the test's code has it.
    name: &'static str,
    typescript: &'static str,
    javascript: &'static str,
}

/// The helpers that make outcomes. The test has only those that it uses.
const PARTS: &[Part] = &[
    Part {
        name: "after(",
        typescript: "  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
",
        javascript: "  /** Resolves after `ms` milliseconds of the clock. */
  const after = (ms) => new Promise((resolve) => void clock.setTimeout(resolve, ms));
",
    },
    Part {
        name: "answers(",
        typescript: "  const answers = (ms: number) => async () => {
    await after(ms);
    return 'an answer';
  };
",
        javascript: "  const answers = (ms) => async () => {
    await after(ms);
    return 'an answer';
  };
",
    },
    Part {
        name: "fails(",
        typescript: "  const fails = (ms: number, thrown: Error) => async () => {
    await after(ms);
    throw thrown;
  };
",
        javascript: "  const fails = (ms, thrown) => async () => {
    await after(ms);
    throw thrown;
  };
",
    },
    Part {
        name: "stalls",
        typescript: "  const stalls = () => new Promise<never>(() => {});\n",
        javascript: "  const stalls = () => new Promise(() => {});\n",
    },
    Part {
        name: "chunks(",
        typescript: "  /** A stream of `count` chunks over `ms` milliseconds, which then ends, breaks, or falls silent. */
  const chunks = (count: number, ms: number, then?: Error | 'stall') => async function* () {
    for (let index = 0; index < count; index++) {
      await after(ms / count);
      yield `chunk ${index}`;
    }
    if (then === 'stall') await new Promise<never>(() => {});
    else if (then !== undefined) throw then;
  };
",
        javascript: "  /** A stream of `count` chunks over `ms` milliseconds, which then ends, breaks, or falls silent. */
  const chunks = (count, ms, then) => async function* () {
    for (let index = 0; index < count; index++) {
      await after(ms / count);
      yield `chunk ${index}`;
    }
    if (then === 'stall') await new Promise(() => {});
    else if (then !== undefined) throw then;
  };
",
    },
    Part {
        name: "collect(",
        typescript: "  const collect = async (stream: AsyncIterable<unknown>) => {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
",
        javascript: "  const collect = async (stream) => {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
",
    },
];
