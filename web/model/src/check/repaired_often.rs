//! Calls of one task that are repaired by the same remedy again and again: each repair costs a refused request, and the code
//! that writes the history goes on making the same mistake.

use super::setting::Advice;
use super::{Found, Look, called, newest, row};
use crate::format::{number_of, percent};
use halfopen_store::call::{Call, MarkKind};
use halfopen_store::names::Name;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;
use std::collections::BTreeMap;

/// A share of a task's calls that speaks for a fault in the program, and how many there must be at least.
const SHARE: f64 = 0.1;
const LEAST: usize = 3;

/// A task of a policy: its process, the policy, and what its calls are called by.
type Task = (Name, Name, Name);

/// How many calls each task had, and those that were repaired, by remedy.
#[derive(Default)]
struct Repaired {
    calls: BTreeMap<Task, u32>,
    repaired: Vec<((Task, Name), Vec<CallNumber>)>,
}

pub(super) fn begin(_: &Log) -> Box<dyn Look> {
    Box::new(Repaired::default())
}

impl Look for Repaired {
    fn call(&mut self, _: &Log, number: CallNumber, call: &Call) {
        let task = (call.source, call.policy, call.title());
        *self.calls.entry(task).or_default() += 1;
        for mark in call.marks.iter().filter(|mark| mark.kind == MarkKind::Repaired) {
            let calls = row(&mut self.repaired, (task, mark.from));
            if calls.last() != Some(&number) {
                calls.push(number);
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of a session")]
    fn found(&mut self, log: &Log) -> Vec<Found> {
        let all = std::mem::take(&mut self.repaired).into_iter().filter_map(|((task, remedy), calls)| {
            let of = self.calls.get(&task).copied().unwrap_or(1);
            let share = calls.len() as f64 / f64::from(of.max(1));
            (calls.len() >= LEAST && share > SHARE).then(|| say(log, task, remedy, share, calls))
        });
        all.collect()
    }
}

fn say(log: &Log, task: Task, remedy: Name, share: f64, calls: Vec<CallNumber>) -> Found {
    let (source, policy, title) = task;
    let kind = log.names.text(remedy);
    Found {
        policy: PolicyId { source, name: policy },
        title: format!(
            "{} of '{}' were repaired by {kind} ({})",
            number_of(calls.len() as u64, "call"),
            called(log, title),
            percent(share)
        ),
        what: format!(
            "The provider refused each of them first, which cost a request and its time. The code that makes the request of \
                '{}' in process {} makes the same mistake each time.",
            called(log, title),
            called(log, source)
        ),
        fix: fix(kind).into(),
        advice: Advice { settings: Vec::new(), code: code(kind).into() },
        hurt: calls.len() as u64,
        evidence: newest(calls),
        grade: None,
    }
}

/// Where the mistake is made.
fn fix(remedy: &str) -> &'static str {
    match remedy {
        "pair-tool-calls" => {
            "Store a result for each tool call, also when the user stops a turn. Repair conversations where you load them."
        }
        "fix-reasoning" => {
            "Do not store the reasoning of one model for another. Repair conversations where you load them, and before a failover."
        }
        "fix-messages" | "end-with-user" | "rename-calls" | "drop-media" => {
            "Repair conversations where you load them, and store what was repaired."
        }
        "drop-parameter" | "rename-parameter" | "set-parameter" => {
            "Change the parameter in the code that makes the request. Details of a call names it."
        }
        "rename-tools" => "Give the tools names that the provider takes.",
        "shorten" => "Shorten the conversation before it is sent, once it comes near the model's limit.",
        "resend-history" => {
            "Send the conversation, or store it with the provider for as long as you refer to it."
        }
        "ask-again" => "Describe the answer in the prompt, or give the model a schema.",
        "raise-output-limit" => "Raise the limit of the answer in the code that makes the request.",
        _ => "Change the code that makes the request. Details of a call has the changes.",
    }
}

fn code(remedy: &str) -> &'static str {
    match remedy {
        "pair-tool-calls" | "fix-reasoning" | "fix-messages" | "end-with-user" | "rename-calls"
        | "drop-media" => {
            "const { request, changes } = repairConversation(stored);\nif (changes.length > 0) await store(request);"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    /// A task's calls, of which the first ones are repaired.
    fn day(stage: &mut Stage, task: &str, repaired: usize, calls: usize) {
        for number in 0..calls {
            let call = stage.call_with("chat", &format!(r#","task":"{task}""#));
            if number < repaired {
                stage.fail_for_good(call, "VALIDATION_ERROR", "");
                stage.repair(call, "pair-tool-calls", "added a result for tool call call_7");
            }
            stage.succeed(call);
        }
    }

    #[test]
    fn the_same_remedy_in_more_than_a_tenth_of_a_tasks_calls_is_found_with_its_place() {
        let mut stage = Stage::new();
        stage.process("agent");
        day(&mut stage, "plan", 4, 20);
        day(&mut stage, "other", 0, 200);
        let found = stage.found("repaired-often");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "4 calls of 'plan' were repaired by pair-tool-calls (20 %)");
        assert!(found[0].what.contains("'plan' in process agent"), "{}", found[0].what);
        assert!(found[0].fix.contains("a result for each tool call"), "{}", found[0].fix);
        assert_eq!(found[0].evidence.len(), 4);
    }

    #[test]
    fn a_repair_now_and_then_is_what_repairs_are_for() {
        let mut stage = Stage::new();
        day(&mut stage, "plan", 4, 40);
        day(&mut stage, "once", 2, 2);
        assert_eq!(stage.found("repaired-often"), []);
    }
}
