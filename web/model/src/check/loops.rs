//! Runs of agents that repeated themselves: calls that succeed, and lead nowhere.

use super::setting::Advice;
use super::{Evidence, Found, called, row};
use crate::format::{number_of, times};
use halfopen_store::names::Name;
use halfopen_store::numbers::RunNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::run::{Because, Run, RunPart};
use halfopen_store::store::Log;

/// The advice of a run that a loop led to, in its order.
pub(super) fn loops<'a>(log: &'a Log, run: &'a Run) -> impl Iterator<Item = (Name, Because)> + 'a {
    run.parts.iter().filter_map(|&(_, part)| match part {
        RunPart::Advised { advice, because } if log.names.text(because.kind) == "loop" => {
            Some((advice, because))
        }
        _ => None,
    })
}

/// Runs of one name that repeated themselves in one way.
#[derive(Default)]
struct Lost {
    runs: Vec<RunNumber>,
    most: f64,
    calls: u64,
}

pub(super) fn look(log: &Log) -> Vec<Found> {
    // By the name of the run, the kind of the loop and the tool.
    let mut all: Vec<((Name, Name, Name), Lost)> = Vec::new();
    for run in log.runs.iter() {
        for (_, because) in loops(log, run) {
            let lost = row(&mut all, (run.name, because.which, because.tool));
            if lost.runs.last() != Some(&run.number) {
                lost.runs.push(run.number);
                lost.calls += run.calls.len() as u64;
            }
            lost.most = lost.most.max(because.count);
        }
    }
    all.into_iter().map(|((name, which, tool), lost)| say(log, name, which, tool, lost)).collect()
}

fn say(log: &Log, name: Name, which: Name, tool: Name, Lost { runs, most, calls }: Lost) -> Found {
    let (name, tool) = (called(log, name), called(log, tool));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let often = times(most as u64);
    let (says, fix) = match log.names.text(which) {
        "repeats" => (
            format!("'{tool}' came to the same {often}"),
            "Make the tool's result say what to do next. If the tool is polled, let it wait, or except it with `key`.",
        ),
        "failures" => (
            format!("'{tool}' failed in the same way {often}"),
            "Make the tool's error say which arguments it takes, or what is missing.",
        ),
        "nothing" => (
            format!("'{tool}' found nothing {often}"),
            "Make the tool say what it can find, and offer another one.",
        ),
        "cycles" => (
            format!("the same steps came {often}"),
            "Let one agent own the task, or say in the prompt when it is done.",
        ),
        "texts" => (format!("the model said the same {often}"), "Say in the prompt when the task is done."),
        _ => (
            format!("no step brought anything new {often}"),
            "Say in the prompt when the task is done, and what to do without a result.",
        ),
    };
    Found {
        policy: PolicyId::default(),
        title: format!(
            "{} of '{name}' repeated {}: {says}",
            number_of(runs.len() as u64, "run"),
            if runs.len() == 1 { "itself" } else { "themselves" }
        ),
        what: "Each call succeeded and cost tokens and time, and the run was no nearer to its end.".into(),
        fix: fix.into(),
        advice: Advice { settings: Vec::new(), code: String::new() },
        hurt: calls,
        evidence: evidence(runs),
        grade: None,
    }
}

/// The runs as evidence, the newest first.
pub(super) fn evidence(runs: Vec<RunNumber>) -> Vec<Evidence> {
    runs.into_iter().rev().map(Evidence::Run).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::super::stage::Stage;
    use halfopen_store::numbers::RunNumber;

    #[test]
    fn runs_that_repeat_themselves_are_found_by_tool_and_lead_to_the_newest() {
        let mut stage = Stage::new();
        for run in ["a", "b"] {
            stage.run(run, r#","limits":{"steps":9}"#);
            stage
                .advised(run, "steer", "repeats", "search", 3)
                .advised(run, "refuse", "repeats", "search", 5);
        }
        let found = stage.found("loop");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "2 runs of 'run' repeated themselves: 'search' came to the same 5 times");
        assert_eq!(found[0].evidence, [Evidence::Run(RunNumber(1)), Evidence::Run(RunNumber(0))]);
    }

    #[test]
    fn a_run_that_came_to_its_limit_is_no_loop() {
        let mut stage = Stage::new();
        stage.run("a", r#","limits":{"steps":9}"#).tool("a", "search", "ok", 2);
        stage.event(
            "run.advised",
            r#""run":"a","advice":"conclude","because":{"kind":"limit","limit":"steps","max":9,"spent":9}"#,
        );
        assert_eq!(stage.found("loop"), []);
    }
}
