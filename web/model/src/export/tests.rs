//! Exports of recorded days, compared with the files in tests/exported: `UPDATE=1 cargo test -p halfopen-model export` rewrites them.

use super::report::{Incident, Report};
use super::test::as_test;
use super::trace::Trace;
use crate::check::stage::Stage;
use halfopen_answers::{Question, wire};
use halfopen_store::numbers::CallNumber;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

fn log(name: &str) -> Log {
    let mut log = Log::default();
    for line in fs::read_to_string(folder("fixtures").join(name)).unwrap().lines() {
        assert!(log.take(line), "{line}");
    }
    log
}

/// The call as a test, which crosses from the core's module as text.
fn export_test(log: &Log, number: CallNumber) -> Option<String> {
    wire::from_text(&wire::to_text(&as_test(log, number)?.answer()))
}

fn hold(name: &str, text: &str) {
    let path = folder("exported").join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, kept, "{name} differs from what is kept");
}

/// Calls of the recorded example, each with its feature.
const DAY: &[(&str, &str)] = &[
    ("1", "retry-after"),
    ("4", "reset-and-timeout"),
    ("5", "wrong-key-then-fallback"),
    ("7", "too-long"),
    ("h", "opens-the-breaker"),
    ("l", "refused"),
    ("n", "probe"),
    ("q", "stream-that-broke"),
];

#[test]
fn calls_of_a_day_become_tests() {
    let log = log("agent-day.jsonl");
    for (id, name) in DAY {
        let call = log.calls().find(|(_, call)| call.id.ends_with(&format!("-{id}"))).unwrap().0;
        hold(&format!("{name}.test.ts"), &export_test(&log, call).unwrap());
    }
}

#[test]
fn calls_that_need_something_before_them_become_tests() {
    let log = log("export-cases.jsonl");
    for (number, call) in log.calls() {
        let Some(case) = log.names.text(call.task).strip_prefix("case ") else { continue };
        hold(&format!("{}.test.ts", case.replace(' ', "-")), &export_test(&log, number).unwrap());
    }
}

#[test]
fn a_day_becomes_a_report() {
    let log = log("agent-day.jsonl");
    let (from, to) = log.bounds().unwrap();
    let calls = Arc::new(log.calls().map(|(number, _)| number).collect());
    let incident = Incident { from, to, filter: "provider:openai".into(), swimlane: None, calls };
    let advice = crate::check::find(&log);
    // In steps, each of which reads the given number of calls.
    let mut report = Report::begin(incident);
    let mut steps = 1;
    while report.step(&log, 7) {
        steps += 1;
    }
    assert_eq!(steps, log.calls().count().div_ceil(7));
    hold("day.md", &report.write(&log, &advice, &|at| format!("{:.3}", at.ms() / 1e3 - 1_795_312_000.0)));
}

#[test]
fn a_day_becomes_a_trace_whose_rows_nest() {
    let log = log("agent-day.jsonl");
    let text = trace(&log);
    hold("day.trace.json", &text);
    let events = check_trace(&text);
    let named = |ph: &str, name: &str| {
        events.iter().filter(|event| event["ph"] == ph && event["name"] == name).count()
    };
    assert_eq!(named("X", "chapter 5"), 2);
    assert_eq!(named("X", "open"), 1);
    assert_eq!(named("i", "fallback"), 9);
    assert_eq!(named("M", "process_name"), 1);
}

/// All calls of a log as a trace, in steps.
fn trace(log: &Log) -> String {
    let calls: Vec<_> = log.calls().map(|(number, _)| number).collect();
    let steps = calls.len().div_ceil(7);
    let (from, to) = log.bounds().unwrap();
    let incident = Incident { from, to, filter: String::new(), swimlane: None, calls: Arc::new(calls) };
    let mut trace = Trace::begin(log, incident);
    assert_eq!(std::iter::repeat_with(|| trace.step(log, 7)).take_while(|more| *more).count() + 1, steps);
    trace.write(log)
}

/// The format's requirements, as far as these events use it.
fn check_trace(text: &str) -> Vec<serde_json::Value> {
    let trace: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(trace["displayTimeUnit"], "ms");
    let events = trace["traceEvents"].as_array().unwrap().clone();
    let mut spans: std::collections::BTreeMap<(u64, u64), Vec<(f64, f64)>> =
        std::collections::BTreeMap::new();
    let mut named = std::collections::BTreeSet::new();
    let mut marks = Vec::new();
    for event in &events {
        let row = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
        assert!(events.iter().all(|other| other["pid"] != event["tid"]), "Perfetto's main thread: {event}");
        assert!(event["name"].as_str().is_some_and(|name| !name.is_empty()), "{event}");
        let ts = event["ts"].as_f64().unwrap();
        assert!(ts >= 0.0 && ts.fract() == 0.0, "{event}");
        match event["ph"].as_str().unwrap() {
            "X" => {
                let dur = event["dur"].as_f64().unwrap();
                assert!(dur >= 1.0, "it would hold what begins with it: {event}");
                spans.entry(row).or_default().push((ts, ts + dur));
            }
            "i" => {
                assert!(["g", "p", "t"].contains(&event["s"].as_str().unwrap()));
                marks.push((row, ts));
            }
            "M" => {
                assert!(event["args"].is_object());
                named.insert((row, event["name"].as_str().unwrap().to_owned()));
            }
            other => panic!("a phase that is not used: {other}"),
        }
    }
    let count = marks.len();
    marks.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap());
    marks.dedup();
    assert_eq!(marks.len(), count, "one moment would hold the other");
    for (row, mut spans) in spans {
        assert!(named.contains(&(row, "thread_name".to_owned())), "row {row:?} has no name");
        spans.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let mut open: Vec<f64> = Vec::new();
        for (from, to) in spans {
            while open.last().is_some_and(|end| *end <= from) {
                open.pop();
            }
            assert!(open.last().is_none_or(|end| to <= *end), "spans of row {row:?} cross at {from}");
            open.push(to);
        }
    }
    events
}

/// Lines whose texts all try to break out of their context.
#[test]
fn hostile_texts_stay_texts() {
    let mut log = Log::default();
    let evil = r#"</script>`${process.exit(1)}` '\n*/ | # <img src=x onerror=alert(1)> \u202e sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"#;
    for line in [
        format!(
            r#"{{"v":1,"source":"s","seq":1,"time":1000,"policy":"{evil}","type":"policy.configured","options":{{"{evil}":"{evil}","name":"{evil}"}},"seed":1}}"#
        ),
        format!(
            r#"{{"v":1,"source":"s","seq":2,"time":1001,"policy":"{evil}","call":"c","type":"call.started","task":"{evil}"}}"#
        ),
        format!(
            r#"{{"v":1,"source":"s","seq":3,"time":1002,"policy":"{evil}","call":"c","type":"attempt.started","attempt":1,"provider":"{evil}","model":"{evil}"}}"#
        ),
        format!(
            r#"{{"v":1,"source":"s","seq":4,"time":1003,"policy":"{evil}","call":"c","type":"attempt.failed","attempt":1,"durationMs":1,"code":"{evil}","severity":"{evil}","retryable":false,"rule":"{evil}","technicalDetails":"{evil}","signals":{{"codes":["{evil}"],"names":["{evil}"]}},"counted":false}}"#
        ),
        format!(
            r#"{{"v":1,"source":"s","seq":5,"time":1004,"policy":"{evil}","call":"c","type":"call.failed","attempts":1,"durationMs":3,"code":"{evil}","why":"{evil}","userMessage":"{evil}"}}"#
        ),
    ] {
        assert!(log.take(&line), "{line}");
    }
    let test = export_test(&log, log.call_by_id("c").unwrap()).unwrap();
    let incident = Incident {
        from: Moment::from_ms(1000.0),
        to: Moment::from_ms(2000.0),
        filter: String::new(),
        swimlane: None,
        calls: Arc::new(vec![log.call_by_id("c").unwrap()]),
    };
    let mut report = Report::begin(incident);
    report.step(&log, 1);
    let report = report.write(&log, &[], &|at| at.ms().to_string());
    let trace = trace(&log);
    check_trace(&trace);
    for (name, text) in [("test", &test), ("report", &report), ("trace", &trace)] {
        assert!(!text.contains("sk-proj-abc"), "{name} contains a secret:\n{text}");
        assert!(!text.contains('\u{202e}'), "{name}:\n{text}");
    }
    // Between marks of code it is text, as CommonMark has it; outside it is escaped.
    let unescaped = report.replace("\\`", "").replace("\\<", "");
    assert!(unescaped.split('`').step_by(2).all(|prose| !prose.contains('<')), "{report}");
    hold("hostile.ts.txt", &test);
}

#[test]
fn a_report_and_a_trace_have_the_breakers_of_their_calls_and_no_others() {
    let mut stage = Stage::new();
    for policy in ["chat", "mail"] {
        stage.breaker(policy, "closed", "open", "null").refused(policy).pass(10.0);
    }
    stage.refused("mail");
    let log = stage.log();
    let (from, to) = log.bounds().unwrap();
    let of_mail = || {
        let calls = log.calls().filter(|(_, call)| log.names.text(call.policy) == "mail");
        let calls = Arc::new(calls.map(|(number, _)| number).collect());
        let swimlane = Some("mail".to_owned());
        Incident { from, to, filter: String::new(), swimlane, calls }
    };
    let mut report = Report::begin(of_mail());
    while report.step(&log, 1) {}
    let report = report.write(&log, &[], &|at| at.ms().to_string());
    assert!(report.contains("**mail** opened once") && report.contains("refused 2 calls"), "{report}");
    assert!(report.contains("breaker mail open: r"), "{report}");
    assert!(!report.contains("chat"), "{report}");
    assert!(report.contains("Only calls of the swimlane `mail`."), "{report}");
    let mut trace = Trace::begin(&log, of_mail());
    while trace.step(&log, 1) {}
    let trace = trace.write(&log);
    check_trace(&trace);
    assert!(trace.contains("breaker mail") && !trace.contains("breaker chat"), "{trace}");
}

#[test]
fn a_report_with_a_filter_that_narrows_nothing_has_all_breakers_of_its_time() {
    let mut stage = Stage::new();
    stage.breaker("chat", "closed", "open", "null").pass(10.0).call("mail");
    let log = stage.log();
    let (from, to) = log.bounds().unwrap();
    let report = |filter: &str| {
        let incident =
            Incident { from, to, filter: filter.to_owned(), swimlane: None, calls: Arc::default() };
        Report::begin(incident).write(&log, &[], &|at| at.ms().to_string())
    };
    // One that only groups the calls, and one that cannot be read.
    for filter in ["", "group:task", "colour:red"] {
        let report = report(filter);
        assert!(report.contains("**chat** opened once"), "{filter}: {report}");
        assert!(!report.contains("Only calls"), "{filter}: {report}");
    }
    let of_mail = report("policy:mail");
    assert!(
        of_mail.contains("No breaker opened.") && of_mail.contains("Only calls that match `policy:mail`.")
    );
}

#[test]
fn a_report_has_one_heading_for_a_check_and_its_advice_once() {
    let mut stage = Stage::new();
    for policy in ["chat", "mail"] {
        stage.policy(policy, r#"{"breaker":{"failureThreshold":1}}"#);
        stage.breaker(policy, "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
    }
    let log = stage.log();
    let (from, to) = log.bounds().unwrap();
    let incident = Incident { from, to, filter: String::new(), swimlane: None, calls: Arc::default() };
    let report = Report::begin(incident).write(&log, &crate::check::find(&log), &|at| at.ms().to_string());
    let headings: Vec<_> = report.lines().filter(|line| line.starts_with("###")).collect();
    assert_eq!(
        headings,
        [
            "### 2 findings: chat, mail",
            "#### A single result opened breaker 'chat' once",
            "#### A single result opened breaker 'mail' once",
        ],
        "{report}"
    );
    assert_eq!(report.matches("Require several failures").count(), 1, "{report}");
}
