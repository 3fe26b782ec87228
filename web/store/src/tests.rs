//! The log as a whole: what it evicts and keeps, and which policies and breakers belong to which process.

use crate::breaker::BreakerId;
use crate::call::{MOST_PARTS, MarkKind};
use crate::names::Name;
use crate::numbers::{CallNumber, RunNumber};
use crate::policy::PolicyId;
use crate::query::Query;
use crate::run::{MOST_RUNS, Run, RunPart, Spent};
use crate::stage::Stage;

/// Long enough that a block of lines holds a thousand events or so.
fn padding() -> String {
    format!(r#","padding":"{}""#, "x".repeat(800))
}

/// Calls of a process, one after the other, each with its own task and trace.
fn busy(stage: &mut Stage, process: &str, calls: std::ops::Range<u32>) {
    let padding = padding();
    for number in calls {
        let call = format!("{process}{number}");
        stage.call(process, &call, &format!(r#","task":"task {call}","traceId":"trace {call}"{padding}"#));
        stage.pass(10.0).succeed(process, &call);
    }
}

fn policy(stage: &mut Stage, source: &str, name: &str) -> PolicyId {
    PolicyId { source: stage.log.names.number(source), name: stage.log.names.number(name) }
}

#[test]
fn a_call_that_never_ends_does_not_keep_the_later_ones() {
    let mut stage = Stage::keeping(4_000);
    stage.call("killed", "dead", "").fail("killed", "dead", 1).wait("killed", "dead", 1_000.0);
    stage.call("agent", "outer", r#","task":"the whole day""#);
    busy(&mut stage, "agent", 0..6_000);
    assert!(stage.log.calls_kept() < 3_000, "{}", stage.log.calls_kept());
    // The lines of the killed process's call are evicted, and the call with them. The open call is unchanged.
    assert_eq!(stage.log.call_by_id("dead"), None);
    let outer = stage.log.call_by_id("outer").unwrap();
    assert_eq!(
        (outer, stage.log.open_calls().map(|open| open.0).collect::<Vec<_>>()),
        (CallNumber(1), vec![CallNumber(1)])
    );
    assert!(stage.log.calls_within(stage.time - 1.0, stage.time).any(|call| call.0 == outer));
    stage.succeed("agent", "outer");
    let call = stage.log.call(outer).unwrap();
    assert_eq!((call.status.word(), stage.log.names.text(call.task)), ("ok", "the whole day"));
    busy(&mut stage, "agent", 6_000..8_000);
    assert_eq!(stage.log.call_by_id("outer"), None);
}

#[test]
fn of_two_calls_with_one_id_the_younger_is_known_after_the_older_was_evicted() {
    let mut stage = Stage::keeping(4_000);
    stage.call("one", "same", "").succeed("one", "same");
    busy(&mut stage, "agent", 0..1_500);
    stage.call("two", "same", "");
    busy(&mut stage, "agent", 1_500..2_500);
    assert!(stage.log.call(CallNumber(0)).is_none(), "the older one is still there");
    let (calls, younger) = (stage.log.totals.calls, stage.log.call_by_id("same").unwrap());
    stage.succeed("two", "same");
    assert_eq!(stage.log.call(younger).map(|call| call.status.word()), Some("ok"));
    assert_eq!(stage.log.totals.calls, calls, "its end began a phantom");
}

#[test]
fn a_failover_is_marked_on_the_call_that_it_left() {
    let mut stage = Stage::new();
    stage.call("s", "first", "").fail("s", "first", 1);
    let end = r#""policy":"chat","call":"first","attempts":1,"durationMs":1,"code":"TIMEOUT","why":"hint","userMessage":"""#;
    stage.event("s", "call.failed", end);
    let switched = r#""policy":"chat","from":"chat","to":"small","code":"TIMEOUT""#;
    stage.event("s", "failover.switched", switched);
    // A target whose breaker is open made no call: the last one has another code.
    stage.event("s", "failover.switched", &switched.replace("TIMEOUT", "CIRCUIT_OPEN"));
    stage.event("other", "failover.switched", switched);
    let call = stage.log.call(CallNumber(0)).unwrap();
    let marks: Vec<_> = call.marks.iter().map(|mark| (mark.kind, stage.log.names.text(mark.to))).collect();
    assert_eq!(marks, [(MarkKind::Failover, "small")]);
}

#[test]
fn the_options_of_a_policy_outlive_their_line() {
    let mut stage = Stage::keeping(4_000);
    stage.policy("agent", "chat", r#"{"timeout":{"totalMs":5000}}"#);
    busy(&mut stage, "agent", 0..2_000);
    assert!(stage.log.losses.evicted > 0);
    let chat = policy(&mut stage, "agent", "chat");
    let options = stage.log.options_of(chat).unwrap();
    assert_eq!(options.at(&["timeout", "totalMs"]).and_then(|total| total.as_f64()), Some(5_000.0));
    let configured = stage.log.configured(chat).unwrap();
    let first: Vec<_> = stage.log.all_lines().take(2).collect();
    assert_eq!(
        (first[0], first[1].contains("policy.configured")),
        (configured, false),
        "an export has it once"
    );
}

#[test]
fn policies_without_end_are_not_all_kept() {
    let mut stage = Stage::new();
    for number in 0..5_000 {
        stage.policy("agent", &format!("chat {number}"), "{}");
    }
    assert_eq!(stage.log.policies().count(), 2_000);
    let [first, last] = ["chat 0", "chat 4999"].map(|name| policy(&mut stage, "agent", name));
    assert_eq!([first, last].map(|one| stage.log.options_of(one).is_some()), [false, true]);
}

#[test]
fn names_go_with_the_calls_that_had_them_and_no_other_name_changes() {
    let mut stage = Stage::keeping(4_000);
    let limit = r#""policy":"chat","provider":"openai","unit":"requests a day","limit":60,"remaining":4"#;
    stage.event("agent", "limits.observed", limit);
    busy(&mut stage, "agent", 0..40_000);
    let names = &stage.log.names;
    assert!(names.sweeps() > 2 && names.numbers() < 50_000, "{} {}", names.sweeps(), names.numbers());
    for (_, call) in stage.log.calls() {
        let texts = [call.source, call.policy, call.task, call.trace].map(|name| names.text(name));
        let [task, trace] = ["task", "trace"].map(|what| format!("{what} {}", call.id));
        assert_eq!(texts, ["agent", "chat", &task, &trace]);
        let attempt = &call.attempts[0];
        assert_eq!((names.text(attempt.provider), attempt.model), ("openai", Name::NONE));
    }
    let openai = stage.log.calls().next().unwrap().1.attempts[0].provider;
    let limits = stage.log.providers.limits(openai, Name::NONE).unwrap();
    assert_eq!(limits.keys().map(|&unit| names.text(unit)).collect::<Vec<_>>(), ["requests a day"]);
}

#[test]
fn a_filter_learns_the_names_that_come() {
    let mut stage = Stage::keeping(4_000);
    let query = Query::parse("task:*7 -agent1*").unwrap();
    let mut filter = query.prepare(&stage.log.names);
    for part in 0..25 {
        busy(&mut stage, "agent", part * 1_000..part * 1_000 + 1_000);
        filter.learn(&stage.log.names);
        let fresh = query.prepare(&stage.log.names);
        for (_, call) in stage.log.calls() {
            assert_eq!(
                filter.passes(&stage.log, call, stage.time),
                fresh.passes(&stage.log, call, stage.time),
                "{}",
                call.id
            );
        }
    }
    assert!(stage.log.names.sweeps() > 0);
}

#[test]
fn a_call_of_ever_new_attempts_keeps_its_bound_and_counts_the_rest() {
    let mut stage = Stage::new();
    stage.call("agent", "c", "");
    for attempt in 1..=2_500 {
        if attempt > 1 {
            stage.attempt("agent", "c", attempt);
        }
        stage.fail("agent", "c", attempt).wait("agent", "c", 1.0);
    }
    let call = stage.log.call(CallNumber(0)).unwrap();
    let unkept = call.unkept();
    assert_eq!(
        (call.attempts.len(), call.waits.len(), call.events.len()),
        (MOST_PARTS, MOST_PARTS, MOST_PARTS)
    );
    assert_eq!((call.tries(), unkept.attempts, unkept.waits, unkept.events), (2_500, 500, 500, 5_501));
    // The newest are among those that are kept.
    assert_eq!(call.attempts.last().map(|attempt| attempt.number), Some(2_500));
}

#[test]
fn a_shared_breaker_counts_the_refusals_and_probes_of_all_its_policies() {
    let mut stage = Stage::new();
    let shared = r#"{"breaker":{"name":"openai","shared":true}}"#;
    stage.policy("agent", "chat", shared).policy("agent", "search", shared).policy(
        "agent",
        "alone",
        r#"{"breaker":{}}"#,
    );
    for policy in ["chat", "search", "search", "alone"] {
        let rest = format!(r#""policy":"{policy}","call":"{policy}","code":"CIRCUIT_OPEN","by":"breaker""#);
        stage.event("agent", "call.rejected", &rest);
    }
    stage.event(
        "agent",
        "attempt.started",
        r#""policy":"search","call":"p","attempt":1,"probe":true,"generation":3"#,
    );
    let [chat, search] = ["chat", "search"].map(|name| policy(&mut stage, "agent", name));
    let log = &stage.log;
    let counts: Vec<_> =
        log.breakers.iter().map(|breaker| (breaker.rejected, breaker.probes.len())).collect();
    assert_eq!(counts, [(3, 1), (1, 0)]);
    let shared = log.breakers.iter().next().unwrap().id;
    assert_eq!([log.breaker_of(chat), log.breaker_of(search)], [Some(shared); 2]);
    assert_eq!(log.policies_of(shared).collect::<Vec<_>>(), [chat, search]);
}

#[test]
fn two_processes_share_a_policys_name_and_nothing_else() {
    let mut stage = Stage::new();
    stage.policy("one", "chat", r#"{"timeout":{"totalMs":1000},"breaker":{}}"#);
    stage.policy("two", "chat", r#"{"timeout":{"totalMs":9000},"breaker":{}}"#);
    stage.call("one", "a", "").call("two", "b", "").call("three", "c", "");
    stage.event("two", "call.rejected", r#""policy":"chat","call":"d","code":"CIRCUIT_OPEN","by":"breaker""#);
    let [one, two, three] = ["one", "two", "three"].map(|source| policy(&mut stage, source, "chat"));
    let log = &stage.log;
    let total = |id| log.options_of(id)?.at(&["timeout", "totalMs"])?.as_f64();
    assert_eq!([one, two, three].map(total), [Some(1_000.0), Some(9_000.0), None]);
    let deadlines: Vec<_> =
        log.calls().take(3).map(|(_, call)| Some(call.deadline? - call.started)).collect();
    assert_eq!(deadlines, [Some(1_000.0), Some(9_000.0), None]);
    let breaker = |policy: PolicyId| Some(BreakerId { source: policy.source, name: policy.name });
    let expected = [breaker(one), breaker(two), None];
    assert_eq!([one, two, three].map(|id| log.breaker_of(id)), expected);
    assert_eq!(log.breakers.iter().map(|breaker| breaker.rejected).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn the_calls_within_a_call_are_known_by_it() {
    let mut stage = Stage::new();
    stage.call("agent", "outer", "");
    for call in ["a", "b"] {
        stage.call("agent", call, r#","parentCall":"outer""#).succeed("agent", call);
    }
    stage.call("agent", "deeper", r#","parentCall":"a""#);
    let children = |number| stage.log.children(CallNumber(number)).map(|child| child.0).collect::<Vec<_>>();
    assert_eq!([children(0), children(1), children(2)], [vec![1, 2], vec![3], vec![]]);
}

#[test]
fn an_evicted_child_is_none_any_more() {
    let mut stage = Stage::keeping(4_000);
    stage.call("agent", "outer", "");
    let padding = padding();
    for number in 0..5_000 {
        let call = format!("c{number}");
        stage.call("agent", &call, &format!(r#","parentCall":"outer"{padding}"#)).succeed("agent", &call);
    }
    let children: Vec<_> = stage.log.children(CallNumber(0)).collect();
    assert!(children.len() < 3_000 && children.iter().all(|&child| stage.log.call(child).is_some()));
    assert_eq!(stage.log.calls_kept(), children.len() + 1);
}

#[test]
fn a_failed_attempt_counts_the_tokens_that_it_took() {
    let mut stage = Stage::new();
    stage.call("s", "c", "").event("s", "attempt.failed",
        r#""policy":"chat","call":"c","attempt":1,"durationMs":1,"code":"TIMEOUT","severity":"retriable","retryable":true,"rule":"r","counted":true,"usage":{"inputTokens":12,"outputTokens":3}"#);
    assert_eq!(stage.log.call(CallNumber(0)).and_then(|call| call.attempts[0].tokens), Some((12, 3)));
}

#[test]
fn tokens_count_wherever_they_became_known() {
    let mut stage = Stage::new();
    let usage = r#""usage":{"inputTokens":12,"outputTokens":3}"#;
    let head = |call: &str| format!(r#""policy":"chat","call":"{call}""#);
    // A stream that was closed, one that was cancelled, and a body that was read after its call had ended.
    let closed = format!(r#"{},"attempts":1,"durationMs":1,"closedEarly":true,{usage}"#, head("closed"));
    stage.call("s", "closed", "").event("s", "call.succeeded", &closed);
    let cancelled = format!(
        r#"{},"attempts":1,"durationMs":1,"code":"CANCELLED","why":"cancelled","userMessage":"",{usage}"#,
        head("cancelled")
    );
    stage.call("s", "cancelled", "").event("s", "call.failed", &cancelled);
    stage.call("s", "read", "").succeed("s", "read");
    let read = format!(r#"{},"attempt":1,"chunks":2,"characters":9,{usage}"#, head("read"));
    stage.event("s", "stream.chunk", &read);
    let sums = stage.log.summaries.iter().next().unwrap().tokens[0];
    assert_eq!((sums.input, sums.output, sums.failed_input, sums.failed_output), (36, 9, 0, 0));
    for (_, call) in stage.log.calls() {
        assert_eq!(call.attempts[0].tokens, Some((12, 3)), "{}", call.id);
    }
}

#[test]
fn a_policys_calls_are_summed_up_when_they_end() {
    let mut stage = Stage::new();
    let tokens = r#""policy":"chat","call":"a","attempt":1,"durationMs":1,"usage":{"inputTokens":12,"outputTokens":3}"#;
    stage.call("s", "a", "").fail("s", "a", 1).wait("s", "a", 500.0).pass(500.0).attempt("s", "a", 2);
    stage.event("s", "attempt.succeeded", &tokens.replace(r#""attempt":1"#, r#""attempt":2"#));
    stage.event("s", "call.succeeded", r#""policy":"chat","call":"a","attempts":2,"durationMs":501"#);
    stage.call("s", "b", "").succeed("other", "c").call("s", "open", "");
    let failed = tokens.replace(r#""call":"a""#, r#""call":"b""#);
    stage.event(
        "s",
        "attempt.failed",
        &format!(
            r#"{failed},"code":"TIMEOUT","severity":"retriable","retryable":true,"rule":"r","counted":true"#
        ),
    );
    let gave_up = r#""policy":"chat","call":"b","attempts":1,"durationMs":1,"code":"TIMEOUT","why":"exhausted","userMessage":"""#;
    stage.event("s", "call.failed", gave_up);
    let sums = |stage: &Stage| {
        let all = stage.log.summaries.iter();
        all.map(|row| (row.calls, row.succeeded, row.degraded, row.failed, row.retries)).collect::<Vec<_>>()
    };
    // Two processes, each with a policy of that name. Calls that have not ended are not counted.
    assert_eq!(sums(&stage), [(2, 1, 0, 1, 1), (1, 1, 0, 0, 0)]);
    let row = stage.log.summaries.iter().next().unwrap();
    assert!((row.waited_ms - 500.0).abs() < 1e-6);
    let tokens = row.tokens[0];
    assert_eq!((tokens.input, tokens.output, tokens.failed_input, tokens.failed_output), (24, 6, 12, 3));
    // The fallback answers after the call has failed.
    stage.event("s", "fallback.used", r#""policy":"chat","call":"b","code":"TIMEOUT""#);
    assert_eq!(sums(&stage)[0], (2, 1, 1, 0, 1));
}

#[test]
fn the_events_of_a_fleet_are_known() {
    let mut stage = Stage::new();
    stage.event("agent", "fleet.changed", r#""fleet":"workers","status":"degraded","reason":"no answer""#);
    stage.event("agent", "fleet.mismatch", r#""fleet":"workers","key":"chat""#);
    assert_eq!(stage.log.losses.unknown, 0);
    stage.event("agent", "fleet.teleported", r#""fleet":"workers""#);
    assert_eq!(stage.log.losses.unknown, 1);
}

fn first_run(stage: &Stage) -> Run {
    stage.log.runs.iter().next().unwrap().clone()
}

#[test]
fn a_run_has_its_steps_its_tools_its_advice_and_its_end() {
    let mut stage = Stage::new();
    stage.event("s", "run.started", r#""run":"r","name":"research","task":"compare","limits":{"steps":9}"#);
    stage.event("s", "run.step", r#""run":"r","step":1"#);
    let tool = r#""run":"r","tool":"search","outcome":"ok","repeated":1,"durationMs":7"#;
    stage.event("s", "run.tool", tool).event("s", "run.tool", &tool.replace("ok", "refused"));
    let advised =
        r#""run":"r","advice":"steer","because":{"kind":"loop","loop":"repeats","tool":"search","count":3}"#;
    stage.event("s", "run.advised", advised);
    stage.event("s", "run.ended", r#""run":"r","end":"stopped","code":"MAX_ITERATIONS_EXCEEDED","spent":{"steps":4,"toolCalls":3,"inputTokens":50,"outputTokens":6,"cost":0.25}"#);
    let (run, names) = (first_run(&stage), &stage.log.names);
    assert_eq!((run.steps, run.tools, run.refused, run.limited), (4, 3, 1, Some(true)));
    assert_eq!(names.text(run.title()), "compare");
    assert_eq!((names.text(run.end), names.text(run.code)), ("stopped", "MAX_ITERATIONS_EXCEEDED"));
    assert_eq!(run.spent, Spent { input_tokens: 50.0, output_tokens: 6.0, cost: 0.25 });
    let Some((_, RunPart::Advised { because, .. })) = run.parts.back() else { panic!("{run:?}") };
    let texts = [because.kind, because.which, because.tool].map(|name| names.text(name));
    assert_eq!((texts, because.count), (["loop", "repeats", "search"], 3.0));
    assert_eq!(stage.log.losses.unknown, 0);
}

#[test]
fn the_calls_of_a_run_are_its_own_and_their_tokens_count() {
    let mut stage = Stage::new();
    stage.event("s", "run.started", r#""run":"r","name":"run","limits":{}"#);
    stage.call("s", "a", r#","run":"r""#).call("s", "b", "");
    let usage = r#""policy":"chat","call":"a","attempt":1,"durationMs":1,"usage":{"inputTokens":12,"outputTokens":3}"#;
    stage.event("s", "attempt.succeeded", usage);
    let run = first_run(&stage);
    assert_eq!(run.limited, Some(false));
    assert_eq!(run.calls, [stage.log.call_by_id("a").unwrap()]);
    assert_eq!(run.spent, Spent { input_tokens: 12.0, output_tokens: 3.0, cost: 0.0 });
    let number = stage.log.call_by_id("a").unwrap();
    assert_eq!(stage.log.call(number).unwrap().run, Some(run.number));
}

#[test]
fn children_know_their_parent_and_runs_without_end_are_not_all_kept() {
    let mut stage = Stage::new();
    stage.event("s", "run.started", r#""run":"r","name":"outer","limits":{}"#);
    stage.event("s", "run.started", r#""run":"c","name":"inner","parentRun":"r","limits":{}"#);
    assert_eq!(stage.log.runs.iter().last().unwrap().parent, Some(RunNumber(0)));
    for number in 0..2_500 {
        stage.event("s", "run.step", &format!(r#""run":"x{number}","step":1"#));
    }
    assert_eq!(stage.log.runs.iter().len(), MOST_RUNS);
    assert!(stage.log.runs.get(RunNumber(0)).is_none());
    let last = stage.log.runs.iter().last().unwrap();
    assert_eq!(stage.log.runs.get(last.number).map(|run| &*run.id), Some("x2499"));
}
