//! Runs of agents: one scenario a test, named for what happens; and a simple model of the rules, which the machine agrees with.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod ladder;
mod limits;
mod loops;
mod model;
mod snapshot;

use halfopen::Code;
use halfopen::run::{Advice, Call, Ladder, LoopKind, Outcome, Reason, Run, RunConfig, Rung};

/// A tool and its argument, which stand for their hashes.
fn call(tool: u32, argument: u32) -> Call {
    Call { tool, key: tool * 1000 + argument, counts: true }
}

fn ok(of: &Call, result: u64) -> Outcome {
    Outcome::Ok(u64::from(of.key) << 32 | result)
}

fn config(rungs: &[Rung]) -> RunConfig {
    RunConfig { ladder: Ladder::new(rungs).unwrap(), ..RunConfig::default() }
}

/// A step with one call, which returns the result if it is let through.
fn turn(run: &mut Run, call: &Call, result: u64) -> (&'static str, &'static str) {
    let of_step = name(run.step(0.0));
    if of_step == "stop" {
        return (of_step, "");
    }
    (of_step, attempt(run, call, ok(call, result)))
}

fn attempt(run: &mut Run, call: &Call, outcome: Outcome) -> &'static str {
    let of_call = name(run.tool_call(call, 0.0));
    if of_call == "go" {
        run.tool_result(call, outcome);
    }
    of_call
}

fn name(advice: Advice) -> &'static str {
    match advice {
        Advice::Go => "go",
        Advice::Steer(_) => "steer",
        Advice::Escalate(_) => "escalate",
        Advice::Refuse(_) => "refuse",
        Advice::Conclude(_) => "conclude",
        Advice::Stop(_) => "stop",
    }
}

fn because(advice: Advice) -> Reason {
    match advice {
        Advice::Go => panic!("go has no reason"),
        Advice::Steer(reason)
        | Advice::Escalate(reason)
        | Advice::Refuse(reason)
        | Advice::Conclude(reason)
        | Advice::Stop(reason) => reason,
    }
}

fn looped(kind: LoopKind, tool: Option<u32>, count: u32, code: Option<Code>) -> Reason {
    Reason::Loop { kind, tool, count, code }
}
