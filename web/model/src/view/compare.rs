//! Two calls side by side: their facts, then their steps, and which of them differ.

use super::details::{AttemptDetails, CallDetails, Step};
use halfopen_store::call::Outcome;

/// A line of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub name: String,
    /// The value of each call, or an empty text.
    pub values: [String; 2],
    pub differs: bool,
}

/// The lines of two calls.
pub fn compare(one: &CallDetails, other: &CallDetails) -> Vec<Line> {
    let line = |name: &str, values: [String; 2]| Line {
        name: name.to_owned(),
        differs: values[0] != values[1],
        values,
    };
    let both = [one, other];
    let mut lines = vec![line("Ended", both.map(|call| call.status.to_owned()))];
    let mut names: Vec<_> = one.facts.iter().map(|fact| fact.0).collect();
    names.extend(
        other.facts.iter().map(|fact| fact.0).filter(|name| !one.facts.iter().any(|fact| fact.0 == *name)),
    );
    for name in names {
        // A call without the fact has an empty cell.
        let value = |call: &CallDetails| {
            let fact = call.facts.iter().find(|fact| fact.0 == name);
            fact.map_or_else(String::new, |fact| fact.1.clone())
        };
        lines.push(line(name, both.map(value)));
    }
    for at in 0..one.steps.len().max(other.steps.len()) {
        let value = |call: &CallDetails| call.steps.get(at).map_or_else(String::new, step);
        lines.push(line(&format!("Step {}", at + 1), both.map(value)));
    }
    lines
}

/// A step in words.
fn step(step: &Step) -> String {
    match step {
        Step::Wait { text, .. } | Step::Mark { text, .. } => text.clone(),
        Step::Attempt(attempt) => self::attempt(attempt),
    }
}

/// `Attempt 1 failed · 1.20 s · openai gpt-5 · TIMEOUT by timeout-error`.
fn attempt(attempt: &AttemptDetails) -> String {
    let word = match attempt.outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Failed => "failed",
        Outcome::Running => "running",
    };
    let failure =
        if attempt.code.is_empty() { String::new() } else { format!("{} by {}", attempt.code, attempt.rule) };
    let parts = [
        format!("Attempt {} {word}", attempt.number),
        attempt.duration.clone(),
        attempt.target.clone(),
        failure,
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;
    use crate::view::details::describe;

    /// The lines of the first two calls of a log.
    fn compared(stage: &mut Stage) -> Vec<Line> {
        let log = stage.log();
        let now = log.bounds().unwrap().1;
        let all: Vec<_> = log
            .calls()
            .take(2)
            .map(|(number, _)| describe(&log, number, now, &|_| "12:00".into()).unwrap())
            .collect();
        compare(&all[0], &all[1])
    }

    fn differing(lines: &[Line]) -> Vec<&str> {
        lines.iter().filter(|line| line.differs).map(|line| &*line.name).collect()
    }

    #[test]
    fn two_calls_that_went_alike_differ_in_when_they_began() {
        let mut stage = Stage::new();
        for _ in 0..2 {
            let call = stage.call("chat");
            stage.succeed(call).pass(2_000.0);
        }
        let lines = compared(&mut stage);
        assert_eq!(differing(&lines), ["Started"]);
    }

    #[test]
    fn a_retry_that_one_of_them_has_is_a_step_that_the_other_lacks() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.succeed(call);
        let call = stage.call("chat");
        stage.fail(call, "TIMEOUT", "r").wait(call, 400.0, "backoff").succeed(call);
        let lines = compared(&mut stage);
        let of = |name: &str| lines.iter().find(|line| line.name == name).unwrap();
        assert_eq!(of("Attempts").values, ["1", "2"]);
        // Only the second call waited.
        assert!(of("Waited").values[0].is_empty() && of("Waited").differs, "{lines:?}");
        assert!(of("Step 1").values[0].starts_with("Attempt 1 succeeded · "), "{lines:?}");
        assert!(of("Step 1").values[1].contains("TIMEOUT by r"), "{lines:?}");
        assert!(
            of("Step 3").values[0].is_empty() && of("Step 3").values[1].starts_with("Attempt 2 succeeded")
        );
    }
}
