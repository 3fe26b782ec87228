//! Runs whose advice did not reach the model: the loop went on through the whole ladder, or the agent went on after its stop.

use super::loops::{evidence, loops};
use super::setting::Advice;
use super::{Found, called, row};
use crate::format::number_of;
use halfopen_store::names::Name;
use halfopen_store::numbers::RunNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::run::{Run, RunPart};
use halfopen_store::store::Log;

/// Kinds of advice about one loop: a model that reads the first needs no second.
const LEAST: usize = 2;

/// How advice is passed on, as code.
const CODE: &str = "const advice = run.step();\nif (advice.do === 'stop') return advice.end;\nif ('say' in advice) messages.push({ role: 'user', content: advice.say });\nconst toolChoice = advice.do === 'conclude' ? 'none' : 'auto';";

/// The runs of one name.
#[derive(Default)]
struct Ignored {
    runs: Vec<RunNumber>,
    went_on: u64,
    calls: u64,
}

pub(super) fn look(log: &Log) -> Vec<Found> {
    let mut all: Vec<(Name, Ignored)> = Vec::new();
    // A run that only observes is not stopped: its advice was not to be followed.
    for run in log.runs.iter().filter(|run| log.names.text(run.end) == "stopped") {
        let (beyond, ladder) = (goes_on(log, run), through_the_ladder(log, run));
        if beyond || ladder {
            let ignored = row(&mut all, run.name);
            ignored.runs.push(run.number);
            ignored.went_on += u64::from(beyond);
            ignored.calls += run.calls.len() as u64;
        }
    }
    all.into_iter().map(|(name, ignored)| say(log, name, ignored)).collect()
}

/// Returns true if steps or calls of models came after the stop.
fn goes_on(log: &Log, run: &Run) -> bool {
    let Some(ended) = run.ended else { return false };
    let acts = |part: &RunPart| match part {
        RunPart::Step(_) => true,
        RunPart::Tool { .. } | RunPart::Warned { .. } | RunPart::Advised { .. } => false,
    };
    run.parts.iter().any(|(at, part)| *at > ended && acts(part))
        || run.calls.iter().filter_map(|&call| log.call(call)).any(|call| call.started > ended)
}

/// Returns true if one loop led to advice again and again, until the run was stopped.
fn through_the_ladder(log: &Log, run: &Run) -> bool {
    let mut of: Vec<((Name, Name), Vec<Name>)> = Vec::new();
    for (advice, because) in loops(log, run) {
        let advised = row(&mut of, (because.which, because.tool));
        if log.names.text(advice) != "stop" && !advised.contains(&advice) {
            advised.push(advice);
        }
    }
    of.iter().any(|(_, advised)| advised.len() >= LEAST)
}

fn say(log: &Log, name: Name, Ignored { runs, went_on, calls }: Ignored) -> Found {
    let after = if went_on == 0 {
        String::new()
    } else {
        format!(" {} went on after the stop.", number_of(went_on, "run"))
    };
    Found {
        policy: PolicyId::default(),
        title: format!(
            "{} of '{}' went on as if there had been no advice",
            number_of(runs.len() as u64, "run"),
            called(log, name)
        ),
        what: format!("The run said what would help, and the loop went on until it was stopped.{after}"),
        fix: "Pass the advice on: add `say` to what the model reads next, return a refusal as the tool's result, allow \
            no tools after 'conclude', and end at 'stop'. `runSettings` does all of it for the AI SDK."
            .into(),
        advice: Advice { settings: Vec::new(), code: CODE.into() },
        hurt: calls,
        evidence: evidence(runs),
        grade: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    #[test]
    fn a_loop_through_the_whole_ladder_is_found() {
        let mut stage = Stage::new();
        stage.run("a", r#","limits":{"steps":9}"#);
        for advice in ["steer", "refuse", "conclude"] {
            stage.advised("a", advice, "repeats", "search", 5);
        }
        stage.run_ended("a", "stopped", "MAX_ITERATIONS_EXCEEDED");
        let found = stage.found("advice-ignored");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "1 run of 'run' went on as if there had been no advice");
        assert!(!found[0].what.contains("after the stop"), "{}", found[0].what);
    }

    #[test]
    fn calls_after_the_stop_are_found() {
        let mut stage = Stage::new();
        stage.run("a", r#","limits":{"steps":1}"#).run_ended("a", "stopped", "MAX_ITERATIONS_EXCEEDED");
        let call = stage.call_with("chat", r#","run":"a""#);
        let found = stage.succeed(call).found("advice-ignored");
        assert!(found[0].what.contains("1 run went on after the stop"), "{}", found[0].what);
    }

    #[test]
    fn advice_that_helped_and_a_run_that_only_observes_are_no_fault() {
        let mut stage = Stage::new();
        stage.run("helped", r#","limits":{"steps":9}"#);
        stage.advised("helped", "steer", "repeats", "search", 3).run_ended("helped", "completed", "");
        stage.run("observes", r#","limits":{"steps":9}"#);
        for advice in ["steer", "refuse", "conclude", "stop"] {
            stage.advised("observes", advice, "repeats", "search", 5);
        }
        stage.step("observes", 30).run_ended("observes", "completed", "");
        assert_eq!(stage.found("advice-ignored"), []);
    }
}
